//! How well people are found by perturbed columns, which no model covers: measured on what is published, before it gets its name.

use std::collections::BTreeMap;

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};

use super::households::LEFT_OUT;
use super::pipeline::Releasable;
use super::prepare::persons_of_rows;
use super::run::Run;
use super::steps::perturbed::{Perturbed, PerturbedColumn};
use crate::base::format::percent;
use crate::config::Plan;
use crate::error::{Error, Result, Setting};
use crate::report::data::Perturbation;
use crate::risk::linkage::{
    CategorySide, NumberSide, Options, Public, Sides, Span, Swapped, changes, measure as link,
};
use crate::transforms::perturb::{floats_of_rows, span_and_tails};
use crate::transforms::{Trace, steps};

/// The number of people that attacks look for, if there are more.
const PEOPLE: usize = 20_000;
/// Picks them. Nothing is protected by this choice.
const SEED: u64 = 1;

/// Measures what perturbation left, and returns an error if more people are found than the plan allows.
pub(super) fn measure<'a, Found>(
    run: &Run<'a, Found>,
    perturbed: &Perturbed,
    control: &Control,
) -> Result<Option<Perturbation>>
where
    Run<'a, Found>: Releasable,
{
    let plan = run.plan;
    if run.is_for_owner() {
        return Ok(None);
    }
    let sides: Vec<Side<'_>> =
        perturbed.columns.iter().filter_map(|column| Side::of(column, run.source, plan)).collect();
    // A perturbed column may serve a later step only, and be published nowhere.
    if sides.is_empty() {
        return Ok(None);
    }
    let everybody = vec![0; run.source.rows];
    let mut found = Perturbation {
        known: plan.drawn.beyond_models.clone(),
        changes: Some(changes(&sides_of(&sides, |_| true, &everybody))?),
        ..Perturbation::default()
    };
    if found.known.is_empty() {
        return Ok(Some(found));
    }
    refuse_several_rows(run.source, plan, &found.known)?;
    let looks = run.looks().ok_or_else(|| {
        Error::refused(format!(
            "'{}' is a perturbed quasi-identifier, and how many people are found by it cannot be measured where no row shows all \
             quasi-identifiers together",
            found.known.join("', '")
        ))
        .advise("use an algorithm that makes groups, or drop the column")
    })?;
    let released: Vec<bool> = looks.iter().map(|look| *look != LEFT_OUT).collect();
    let groups: Vec<u32> = looks.into_iter().filter(|look| *look != LEFT_OUT).collect();
    if released.contains(&false) && sides.iter().any(|side| side.ranks.is_some()) {
        return Err(Error::refused(
            "rows are left out of the release, and how many people are found by exchanged ranks is measured on all rows only",
        )
        .set(
            Setting::search("star_policy").to("strict"),
            "keep suppressed rows in the release, with * in their quasi-identifiers",
        )
        .advise("use noise in place of rank_swap"));
    }
    let sides: Vec<Side<'_>> = sides.into_iter().map(|side| side.keep(&released)).collect();
    let of_known = sides_of(&sides, |name| found.known.iter().any(|of| of == name), &groups);
    let linked = link(&of_known, &Options { people: PEOPLE, seed: SEED }, control)?;
    let limit = plan.risk.linkage_limit.map(crate::config::Rational::to_f64);
    let highest = linked.highest();
    found.linked = Some(linked);
    found.limit = limit;
    if limit.is_none_or(|limit| highest > limit) {
        return Err(Error::infeasible(format!(
            "too many people would be found by perturbed columns: {} (linkage_limit is {}); nothing was published",
            found.sentence().trim_end_matches('.'),
            limit.map_or_else(|| "not set".to_owned(), percent)
        ))
        .advise("perturb more strongly: a greater noise, d, sigma or p, or a pd nearer to one in the number of categories")
        .advise("let the search coarsen some of these columns instead: leave them out of the step"));
    }
    Ok(Some(found))
}

/// Attacks look for rows. Where people have several, finding one of them may be enough, and nothing measures that.
fn refuse_several_rows(source: &CodedTable, plan: &Plan, known: &[String]) -> Result<()> {
    if persons_of_rows(source, plan)?.is_none() {
        return Ok(());
    }
    Err(Error::refused(format!(
        "'{}' is a perturbed quasi-identifier, and people have several rows: how many people are found by all of their rows together is not measured",
        known.join("', '")
    ))
    .advise("leave the step out, and let the search coarsen the column")
    .advise("keep one row for each person"))
}

/// A perturbed column on both sides, row by row.
struct Side<'a> {
    name: &'a str,
    values: Values,
    public: Public,
    ranks: Option<Ranks>,
}

enum Values {
    Numbers { known: Vec<Option<f64>>, shown: Vec<Option<f64>> },
    Categories { known: Vec<u32>, shown: Vec<u32> },
}

/// How far ranks moved, stratum by stratum.
struct Ranks {
    strata: Vec<u32>,
    spans: Vec<Span>,
}

impl<'a> Side<'a> {
    fn of(column: &'a PerturbedColumn, source: &CodedTable, plan: &Plan) -> Option<Self> {
        let before = &column.before;
        let shown = source.column(&before.name)?;
        let missing = plan.column(&before.name).and_then(|column| column.missing.as_deref());
        let missing = missing.unwrap_or(&plan.read.missing);
        let all = column.by.as_ref().map(|spec| steps(std::slice::from_ref(spec))).transpose().ok()?;
        let step = all
            .as_ref()
            .and_then(|steps| steps.iter().find(|step| step.makes().contains(&before.name.as_str())));
        let trace = step.map_or(Trace::Numbers, |step| step.transform.trace());
        let known = floats_of_rows(before, missing);
        let is_number = trace != Trace::Categories && known.iter().any(Option::is_some);
        let mut side = Self {
            name: &before.name,
            values: categories(before, shown),
            public: Public::Nothing,
            ranks: None,
        };
        if !is_number {
            return Some(side);
        }
        match trace {
            Trace::Kim { d } => {
                let present: Vec<f64> = known.iter().flatten().copied().collect();
                let mean = present.iter().sum::<f64>() / present.len().max(1) as f64;
                side.public = Public::Kim { mean, d };
            }
            Trace::Ranks { percent, bottom, top, within } => {
                // An attacker knows the group of a person, if the release has the column.
                let groups = within.and_then(|name| source.column(name));
                if groups.is_some() == within.is_some() {
                    let strata =
                        groups.map_or_else(|| vec![0; known.len()], |column| column.codes.iter().collect());
                    side.ranks = Some(Ranks::of(strata, &known, percent, (bottom, top)));
                }
            }
            _ => {}
        }
        side.values = Values::Numbers { known, shown: floats_of_rows(shown, missing) };
        Some(side)
    }

    /// The side with some of the rows only.
    fn keep(self, released: &[bool]) -> Self {
        fn kept<T: Copy>(values: &[T], released: &[bool]) -> Vec<T> {
            values.iter().zip(released).filter(|(_, released)| **released).map(|(value, _)| *value).collect()
        }
        let values = match self.values {
            Values::Numbers { known, shown } => {
                Values::Numbers { known: kept(&known, released), shown: kept(&shown, released) }
            }
            Values::Categories { known, shown } => {
                Values::Categories { known: kept(&known, released), shown: kept(&shown, released) }
            }
        };
        let ranks =
            self.ranks.map(|ranks| Ranks { strata: kept(&ranks.strata, released), spans: ranks.spans });
        Self { values, ranks, ..self }
    }
}

impl Ranks {
    fn of(strata: Vec<u32>, known: &[Option<f64>], percent: f64, (bottom, top): (f64, f64)) -> Self {
        let count = strata.iter().max().map_or(1, |last| *last as usize + 1);
        let mut rows = vec![0; count];
        strata
            .iter()
            .zip(known)
            .filter(|(_, known)| known.is_some())
            .for_each(|(stratum, _)| rows[*stratum as usize] += 1);
        let span = |rows: usize| {
            let (ranks, low, high) = span_and_tails(rows, percent, bottom, top);
            Span { ranks, bottom: low, top: high }
        };
        Self { strata, spans: rows.into_iter().map(span).collect() }
    }
}

/// Both sides as codes: equal codes are equal texts.
fn categories(before: &CodedColumn, shown: &CodedColumn) -> Values {
    let mut places: BTreeMap<&str, u32> =
        before.values.iter().chain(shown.values.iter()).map(|text| (text, 0)).collect();
    places.values_mut().zip(0..).for_each(|(place, at)| *place = at);
    let codes = |column: &CodedColumn| -> Vec<u32> {
        let of_code: Vec<u32> = column.values.iter().map(|text| places[text]).collect();
        column.codes.iter().map(|code| of_code[code as usize]).collect()
    };
    Values::Categories { known: codes(before), shown: codes(shown) }
}

/// The sides of some columns, as the attacks take them.
fn sides_of<'s>(sides: &'s [Side<'_>], is_wanted: impl Fn(&str) -> bool, groups: &'s [u32]) -> Sides<'s> {
    let mut all = Sides { groups, ..Sides::default() };
    for side in sides.iter().filter(|side| is_wanted(side.name)) {
        match &side.values {
            Values::Numbers { known, shown } => all.numbers.push(NumberSide {
                name: side.name,
                known,
                shown,
                public: side.public,
                swapped: side
                    .ranks
                    .as_ref()
                    .map(|ranks| Swapped { strata: Some(&ranks.strata), spans: &ranks.spans }),
            }),
            Values::Categories { known, shown } => {
                all.categories.push(CategorySide { name: side.name, known, shown });
            }
        }
    }
    all
}
