//! How each quasi-identifier can be coarsened: a tree, a line of numbers, or sets of texts.

use scumble_files::table::{CodedColumn, Texts};

use super::values::{Ordered, Planned, order};
use crate::config::{Label, Plan};
use crate::error::{Error, Result, Setting};
use crate::table::date::Date;
use crate::table::hierarchy::{self, Builder, Built, Domain, Hierarchy, Provenance, Recipe};
use crate::table::kind::{Kind, Measure};
use crate::table::quasi::{LARGEST_SUBSET, Line, Quasi, Shape};

/// The most texts without a hierarchy that become sets of neighbours; larger sets would be unreadable.
const LARGEST_SET: usize = 100;

/// Returns an error if a column has a hierarchy that is not used.
pub(super) fn check_hierarchies_used(plan: &Plan) -> Result<()> {
    let idle = plan.columns.iter().find(|(_, column)| column.hierarchy.is_some() && !column.uses_hierarchy());
    if let Some((name, column)) = idle {
        return Err(Error::config(format!(
            "column '{name}' has a hierarchy, but in the role {} it is never generalised",
            column.role.to_toml()
        ))
        .unset(Setting::column("hierarchy").of(&[name]), "leave the hierarchy out")
        .advise("give the column another role"));
    }
    Ok(())
}

/// The note about a tree that the plan asks for and whose groups are unreadable.
fn unreadable(column: &str, tree: &Hierarchy) -> Option<String> {
    (tree.provenance() == Provenance::Numbered && tree.height() > 1).then(|| {
        format!(
            "column '{column}': its groups are named by numbers (such as 'group 2 of 24'), as the plan asks; readers of the release cannot tell \
             what a group holds, so the loss counts such a value as hidden"
        )
    })
}

/// The note about a hierarchy that the plan did not ask for.
fn built(column: &str, builder: &Builder, provenance: Provenance) -> String {
    let from = match provenance {
        Provenance::Declared => "by a fixed rule",
        Provenance::FromData | Provenance::Numbered => "from the data",
    };
    format!("column '{column}' has no hierarchy; one was built {from} ({})", describe(builder))
}

/// A phrase for how a hierarchy was made that the plan did not ask for.
fn describe(builder: &Builder) -> &'static str {
    match builder {
        Builder::EqualWidth { .. } => "ranges of equal width",
        Builder::Dates { .. } => "month, year and decade",
        Builder::Prefix { .. } => "codes masked from the end",
        Builder::Flat {} => "the value or *",
        Builder::Timestamps { .. } => "hour, day, month and year",
        Builder::Times { .. } => "hour and part of the day",
        Builder::Initials {} => "ranges of the alphabet by the first letter",
        _ => "see the plan",
    }
}

pub(super) fn domain<'a>(
    column: &Planned<'a>,
    ordered: &'a Ordered<'a>,
    classes: Option<&'a [Vec<u64>]>,
) -> Result<Domain<'a>> {
    let declared = match column.plan.bounds(column.name, &ordered.measure)? {
        (Some(low), Some(high)) => Some((low, high)),
        _ => None,
    };
    Ok(Domain {
        name: column.name,
        measure: ordered.measure,
        values: &ordered.values,
        rows: &ordered.rows,
        first_rows: Some(&ordered.first_rows),
        missing: ordered.missing,
        classes,
        declared,
        form: None,
    })
}

/// The number of rows of each value and class.
pub(super) fn class_rows(column: &CodedColumn, class: &CodedColumn, ordered: &Ordered<'_>) -> Vec<Vec<u64>> {
    let mut rows = vec![vec![0; class.values.len()]; ordered.values.len()];
    for (value, class) in column.codes.iter().zip(class.codes.iter()) {
        if let Some(rows) = rows.get_mut(ordered.place[value as usize] as usize) {
            rows[class as usize] += 1;
        }
    }
    rows
}

/// Makes a quasi-identifier, with its code for each dictionary code, and notes.
pub(super) fn make_quasi(
    column: &Planned<'_>,
    recipe: Option<Recipe>,
    trees: bool,
    classes: Option<&CodedColumn>,
) -> Result<(Quasi, Vec<u32>, Vec<String>)> {
    let ordered = order(column, true)?;
    let classes = match (&recipe, classes) {
        (Some(Recipe { builder: Builder::Mdlp {}, .. }), Some(class)) => {
            Some(class_rows(column.coded, class, &ordered))
        }
        _ => None,
    };
    let domain = domain(column, &ordered, classes.as_deref())?;
    let mut notes = Vec::new();
    let line = ordered.measure.kind.is_ordered() && !trees;
    let small_set = ordered.measure.kind == Kind::Text && !trees && ordered.values.len() <= LARGEST_SET;
    let (shape, code_of_place) = match recipe {
        recipe if ordered.stretches.is_some() => above_stretches(&domain, &ordered, recipe.as_ref())?,
        None if line && !ordered.values.is_empty() => line_shape(column, &ordered)?,
        None if small_set => set_shape(&ordered),
        recipe => {
            let mut built_without_being_asked = None;
            let recipe = recipe.unwrap_or_else(|| {
                let automatic = hierarchy::automatic(&domain);
                built_without_being_asked = Some(automatic.clone());
                automatic.into()
            });
            let Built { hierarchy, mut codes, missing, notes: of_builder } =
                hierarchy::build(&recipe, &domain)?;
            if let Some(builder) = &built_without_being_asked {
                let unreadable = *builder == (Builder::Flat {}) && ordered.values.len() > LARGEST_SET;
                notes.push(match unreadable {
                    true => format!(
                        "column '{}' has no hierarchy, and groups of its values would not be readable; each value is published or hidden. Give it a \
                         hierarchy to publish more",
                        column.name
                    ),
                    false => built(column.name, builder, hierarchy.provenance()),
                });
            }
            notes.extend(of_builder);
            notes.extend(unreadable(column.name, &hierarchy));
            codes.extend(missing);
            (Shape::Tree(hierarchy), codes)
        }
    };
    let map =
        ordered.place.iter().map(|place| code_of_place.get(*place as usize).copied().unwrap_or(0)).collect();
    let priority = column.plan.priority.as_ref().map_or(1.0, |priority| priority.to_f64());
    let sets = column.plan.label == Some(Label::Set);
    if sets && ordered.measure.kind != Kind::Text {
        return Err(Error::config(format!(
            "column '{}' is labelled set, which is for texts, but has numbers or dates",
            column.name
        ))
        .weaken(
            Setting::column("label").of(&[column.name]).to("tight"),
            "label the column by ranges, which show the least and the greatest value",
        )
        .set(
            Setting::column("type").of(&[column.name]).to("text"),
            "take its values for texts, if they are codes",
        ));
    }
    let tight = column.plan.label == Some(Label::Tight);
    if tight {
        notes.push(format!(
            "column '{}' is labelled tight: its released ranges end at real values of people",
            column.name
        ));
    }
    let mut quasi =
        Quasi { name: column.name.to_owned(), measure: ordered.measure, shape, priority, tight, sets };
    if sets && quasi.size() > LARGEST_SUBSET {
        quasi.sets = false;
        notes.push(format!(
            "column '{}' is labelled set, but has more than {LARGEST_SUBSET} values; it shows {} instead",
            column.name,
            if quasi.tree().is_some() { "hierarchy nodes" } else { "neighbours in alphabetic order" }
        ));
    }
    Ok((quasi, map, notes))
}

fn line_shape(column: &Planned<'_>, ordered: &Ordered<'_>) -> Result<(Shape, Vec<u32>)> {
    let numbers: Vec<i128> = ordered.values.iter().filter_map(|text| ordered.measure.number(text)).collect();
    let (first, last) = (numbers[0], numbers[numbers.len() - 1]);
    let round = round_outward(&ordered.measure, first, last);
    let (low, high) = column.plan.bounds(column.name, &ordered.measure)?;
    for (bound, outside, name) in [
        (low, low.is_some_and(|low| low > first), "min"),
        (high, high.is_some_and(|high| high < last), "max"),
    ] {
        if bound.is_some() && outside {
            return Err(Error::data(format!(
                "column '{}' has values beyond its declared {name}",
                column.name
            ))
            .advise("correct the values")
            .set(Setting::column(name).of(&[column.name]), format!("correct the declared {name}")));
        }
    }
    let texts: Texts = ordered.values.iter().copied().chain(ordered.missing).collect();
    let codes = (0..texts.len() as u32).collect();
    let bounds = (low.unwrap_or(round.0), high.unwrap_or(round.1));
    if !ordered.measure.holds(bounds.0, bounds.1) {
        return Err(Error::config(format!(
            "the declared min or max of column '{}' is too far from its values",
            column.name
        ))
        .set(Setting::column("min").of(&[column.name]), "declare another min or max"));
    }
    let declared = low.is_some() && high.is_some();
    Ok((Shape::Line(Line::new(&ordered.measure, numbers, texts, bounds, declared)), codes))
}

/// Values that stand for many numbers are the leaves of a tree, whatever the search: they have no place on a line of single numbers.
fn above_stretches(
    domain: &Domain<'_>,
    ordered: &Ordered<'_>,
    recipe: Option<&Recipe>,
) -> Result<(Shape, Vec<u32>)> {
    if recipe.is_some() {
        return Err(Error::refused(
            "its steps show values that stand for many numbers, such as >=90 or [18,30), and ranges above these are built from them",
        )
        .in_column(domain.name)
        .unset(Setting::column("hierarchy").of(&[domain.name]), "leave the hierarchy out")
        .advise("have the steps show single numbers (write = \"limit\"), or names of bands (labels)"));
    }
    let stretches = ordered.stretches.as_deref().unwrap_or_default();
    let Built { hierarchy, mut codes, missing, .. } = hierarchy::stretches(domain, stretches)?;
    codes.extend(missing);
    Ok((Shape::Tree(hierarchy), codes))
}

fn set_shape(ordered: &Ordered<'_>) -> (Shape, Vec<u32>) {
    let texts: Texts = ordered.values.iter().copied().chain(ordered.missing).collect();
    let codes = (0..texts.len() as u32).collect();
    (Shape::Set(texts), codes)
}

/// Bounds that do not depend on a single person's value: whole years for dates, multiples of a power of ten for numbers.
fn round_outward(measure: &Measure, first: i128, last: i128) -> (i128, i128) {
    if let Kind::Date(_) = measure.kind {
        let year = |number: i128| Date::of(number as i64).year;
        let start = |year: i64| i128::from(Date { year, month: 1, day: 1 }.number());
        return (start(year(first)), start(year(last) + 1) - 1);
    }
    if measure.kind.is_time() {
        return measure.outward(first, last);
    }
    if let Some(edges) = measure.powers_of_ten(first, last, usize::MAX) {
        return (edges[0], edges[edges.len() - 1] - 1);
    }
    let mut step: i128 = 1;
    while let Some(wider) = step.checked_mul(10).filter(|wider| *wider <= last - first) {
        step = wider;
    }
    (first.div_euclid(step) * step, -((-last).div_euclid(step) * step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::date::DateFormat;

    #[test]
    fn ends_are_rounded_outward() {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        assert_eq!(round_outward(&measure, 17, 89), (10, 90));
        assert_eq!(round_outward(&measure, -17, 5), (-20, 10));
        assert_eq!(round_outward(&measure, 3, 7), (3, 7));
        let measure = Measure { kind: Kind::Date(DateFormat::YearMonthDay), scale: 0 };
        let day = |text: &str| measure.number(text).expect("a date");
        assert_eq!(
            round_outward(&measure, day("1999-05-03"), day("2001-02-01")),
            (day("1999-01-01"), day("2001-12-31"))
        );
    }
}
