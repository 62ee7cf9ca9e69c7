//! NHAA (Wong, Mamoulis, Cheung 2010; algorithms.md B10): arranges the rows of each part of the table in a ring, in which any l
//! neighbours have different sensitive values. Every row is published as the values that cover it and the l − 1 rows after it, with the
//! sensitive value of one of these l rows, drawn at random.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::clustering::space::Space;
use super::mondrian::search::{Rule, Settings, SmallChildren};
use super::nsvdist::frequency_l;
use super::{Finding, Format, Linkage, RecordAlgorithm, RecordCapabilities, RecordSolution, Rings, mondrian};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting, Wanted, Wish};
use crate::problem::{Problem, Progress};
use crate::recoding::Members;
use crate::recoding::published::Record;
use crate::search::audit::audit;

mod exchange;
mod order;

pub(crate) use exchange::Exchange;
pub(crate) use exchange::draw;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildRecordAlgorithm> = Entry {
    name: "nhaa",
    title: "NHAA, rings of records with exchanged values",
    paper: "Wong, Mamoulis, Cheung 2010",
    standing: Standing::Experimental,
    about: "Publishes every row as what covers it and its l - 1 neighbours on a ring of rows with different sensitive values, and with \
            the value of one of these l rows, drawn at random. Loses less than groups do. Experimental: the chance of 1 in l \
            rests on the secret draw and on rings that themselves depend on the values; somebody who knows a neighbour's value knows more.",
    parameters: &[(
        "assignment",
        "decompose (default): a ring is divided into random matchings of records and rows, of which one is drawn; shift: all records of a \
         ring take the value from equally far ahead, so that whoever knows one person's value knows those of the ring",
    )],
    build,
};

struct Nhaa {
    exchange: Exchange,
}

fn build(parameters: &Parameters) -> Result<Box<dyn RecordAlgorithm>> {
    let exchange = match parameters.choice("assignment", &["decompose", "shift"])? {
        None | Some("decompose") => Exchange::Decompose,
        Some(_) => Exchange::Shift,
    };
    Ok(Box::new(Nhaa { exchange }))
}

/// The payload column whose values are exchanged, and the number of rows among which they are.
fn asked(problem: &Problem) -> Result<(usize, u64)> {
    let of_model = |model: &dyn crate::models::Model| {
        let l = frequency_l(model).filter(|_| problem.is_about_all(model))?;
        Some((model.protects()?.to_owned(), l))
    };
    let frequency: Vec<(String, Rational)> =
        problem.models.iter().filter_map(|model| of_model(&**model)).collect();
    let column = frequency.first().map(|(column, _)| column.clone());
    for model in &problem.models {
        let size = model.demand() == crate::models::Demand::Size && problem.is_about_all(&**model);
        let shares = of_model(&**model).is_some_and(|(of, _)| Some(of) == column);
        if !size && !shares {
            return Err(Error::refused(format!(
                "nhaa cannot keep '{}': the rows of nhaa are not in groups, and it exchanges the values of one column only",
                model.title()
            ))
            .another(Wish::Serving)
            .concede(
                "ask for frequency l-diversity of one column and k-anonymity on all quasi-identifiers with k up to l, and for nothing else",
            ));
        }
    }
    let Some(column) = column else {
        return Err(Error::refused(
            "nhaa exchanges the values of a sensitive column among l rows, and no l of the variant frequency was asked for",
        )
        .set(
            Wanted::model("l_diversity").with("l", 2).with("variant", "frequency"),
            "ask for frequency l-diversity with a whole l of at least 2",
        )
        .another_that("use an algorithm that leaves values where they are"));
    };
    let place = problem.table.payloads().position(&column);
    let place = place.ok_or_else(|| Error::internal("a column that a model protects was not read"))?;
    let l = frequency.iter().map(|(_, l)| *l).max().unwrap_or(Rational::ONE);
    if l.denominator() != 1 || l.numerator() < 2 {
        let most = rows_per_value(problem, place).into_iter().max().unwrap_or(1).max(1);
        let largest = problem.table.rows() / most;
        let error = Error::refused(format!(
            "nhaa exchanges values among l rows, so l must be a whole number of at least 2, and l = {l} was asked for"
        ));
        let words = "ask for the largest possible l";
        let possible = Setting::model("l").of_model("l_diversity").to(largest);
        let error = if largest < 2 {
            error.reworded(|what| {
                format!(
                    "{what}, and none is possible, since one value of '{column}' has more than half of the rows"
                )
            })
        } else if l > Rational::whole(largest) {
            error.weaken(possible, words)
        } else {
            error.set(possible, words)
        };
        return Err(error.another_that("use an algorithm that serves any l"));
    }
    Ok((place, l.numerator()))
}

fn rows_per_value(problem: &Problem, column: usize) -> Vec<u64> {
    let payloads = problem.table.payloads();
    let mut rows = vec![0; payloads.columns[column].values.len()];
    for cell in problem.table.payload_totals() {
        rows[payloads.value(cell.payload, column) as usize] += u64::from(cell.rows);
    }
    rows
}

impl RecordAlgorithm for Nhaa {
    /// k-concealment, because a ring is one component, and l of its records cover each of its rows.
    fn capabilities(&self) -> RecordCapabilities {
        RecordCapabilities { exchanges: true, ..RecordCapabilities::of(Linkage::Matches) }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let (_, l) = asked(problem)?;
        if let Some(k) = problem.k().filter(|k| *k > l) {
            return Err(Error::refused(format!(
                "the records of nhaa cover l rows, so k = {k} needs an l of at least {k}, and l = {l} was asked for"
            ))
            .set(Setting::model("l").of_model("l_diversity").to(k), "raise l to k")
            .another_that("use an algorithm whose k may be above l")
            .weaken(Setting::model("k").to(l), "lower k to l"));
        }
        match problem.quasi.iter().find(|quasi| quasi.sets) {
            Some(quasi) => Err(Error::refused(format!(
                "column '{}': label = \"set\" is for groups; the records of nhaa show nodes and ranges",
                quasi.name
            ))),
            None => Ok(()),
        }
    }

    fn run(&self, problem: &Problem) -> Result<RecordSolution> {
        let (column, l) = asked(problem)?;
        let space = Space::of_loss(&problem.table, &problem.quasi);
        let ring =
            |part: &Vec<u32>| order::ring(&space, rows_by_value(problem, column, part), l, &problem.progress);
        let rings: Vec<Vec<(u32, u32)>> = parts(problem)?.par_iter().map(ring).collect::<Result<_>>()?;
        let (records, rings) = records(&space, &rings, l, &problem.progress)?;
        let audit = audit(&problem.table, &problem.quasi, column, &records, l, &problem.progress)?;
        let largest = rings.iter().map(Vec::len).max().unwrap_or(0);
        let findings = vec![
            Finding::new("rings", Some(rings.len() as f64), "the parts whose rows exchange values"),
            Finding::new("largest_ring", Some(largest as f64), "the rows of the largest of them"),
        ];
        Ok(RecordSolution {
            records,
            column: Some(column),
            linkage: self.capabilities().linkage,
            size: l,
            format: Format::Columns,
            rings: Some(Rings { rings, exchange: self.exchange }),
            audit,
            findings,
            warnings: Vec::new(),
        })
    }
}

/// The tuples of each part. The table is cut as long as no value has more than 1/l of the rows of a part.
fn parts(problem: &Problem) -> Result<Vec<Vec<u32>>> {
    let settings = Settings {
        rule: Rule::Widest { literal: false },
        relaxed: false,
        small_children: SmallChildren::Together,
    };
    let found = mondrian::search::run(problem, settings)?;
    let mut parts = vec![Vec::new(); found.assignment.classes()];
    let Members::Tuples(class_of_tuple) = &found.assignment.members else {
        return Err(Error::internal("strict partitioning divided a tuple"));
    };
    for (tuple, class) in (0..).zip(class_of_tuple) {
        parts[*class as usize].push(tuple);
    }
    Ok(parts)
}

/// The values that occur in a part, ascending, each with the tuples that have it and how many of their rows do.
fn rows_by_value(problem: &Problem, column: usize, part: &[u32]) -> Vec<order::Rows> {
    let payloads = problem.table.payloads();
    let mut rows: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
    for tuple in part {
        for cell in problem.table.cells(*tuple) {
            let of_value = rows.entry(payloads.value(cell.payload, column)).or_default();
            *of_value.entry(*tuple).or_default() += cell.rows;
        }
    }
    rows.into_iter().map(|(value, tuples)| order::Rows { value, tuples }).collect()
}

/// The records of the rings, ordered by tuple, then value, and the rings as places of records.
fn records(
    space: &Space<'_>,
    rings: &[Vec<(u32, u32)>],
    l: u64,
    progress: &Progress,
) -> Result<(Vec<Record>, Vec<Vec<u32>>)> {
    let mut pace = progress.pace();
    let mut found = Vec::new();
    for (number, ring) in rings.iter().enumerate() {
        for (place, (tuple, value)) in ring.iter().enumerate() {
            pace.tick(1)?;
            let mut extent = space.point(*tuple);
            (1..l as usize).for_each(|step| space.widen(&mut extent, ring[(place + step) % ring.len()].0));
            let record = Record {
                tuple: *tuple,
                value: *value,
                rows: 1,
                shown: space.values(&extent),
                counts: Vec::new(),
                members: Vec::new(),
                others: 0,
            };
            found.push((record, number, place));
        }
    }
    found.par_sort_by_key(|(record, number, place)| (record.tuple, record.value, *number, *place));
    progress.check()?;
    let mut places: Vec<Vec<u32>> = rings.iter().map(|ring| vec![0; ring.len()]).collect();
    for (at, (_, number, place)) in (0..).zip(&found) {
        places[*number][*place] = at;
    }
    Ok((found.into_iter().map(|(record, ..)| record).collect(), places))
}
