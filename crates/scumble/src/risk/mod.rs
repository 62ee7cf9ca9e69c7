//! The remaining risk: how well outsiders find people in a table by what they may know (models.md 4.1, 4.2).
//!
//! Everything here describes a table, whatever program made it: rows with the same texts in all quasi-identifiers are a
//! class. Each file has one task: `classes` groups rows, `figures` counts risks, `uniques` estimates who is unique in the population,
//! `singling` and `suda` find the columns that single people out, `histories` looks at all rows of a person together, `weights` and
//! `households` are for surveys, `words` puts each figure into a sentence.
//!
//! ```
//! use scumble::config::RiskSpec;
//! use scumble::risk::{RiskTable, assess};
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("people.csv");
//! std::fs::write(&path, "age,sex\n30,f\n30,f\n40,f\n40,m\n")?;
//! let table = scumble_files::read_table(&scumble_files::Source::open(&path)?, &Default::default())?.coded;
//! let quasi = ["age".to_owned(), "sex".to_owned()];
//! let input = RiskTable { table: &table, quasi: &quasi, missing: &[], population: None, persons: None };
//! let (found, _) = assess(&input, &RiskSpec::default(), &scumble_files::Control::default())?;
//! assert_eq!((found.classes, found.uniques.rows), (3, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Anything here that is neither in [`crate::prelude`] nor in [`crate::extend`] is not stable: it may change from version to version.

use scumble_files::Control;
use scumble_files::table::CodedTable;
use serde::{Deserialize, Serialize};

mod classes;
mod figures;
pub mod histories;
mod households;
pub mod linkage;
mod records;
mod singling;
mod suda;
#[cfg(test)]
mod tests;
pub(crate) mod uniques;
mod unit;
mod weights;
pub mod words;

pub use classes::RiskClasses;
pub(crate) use classes::histogram;
pub use figures::{RiskBand, RiskFigures, RiskQuantile};
pub use households::{HouseholdRisk, household_risk};
pub use records::Records;
pub(crate) use singling::sets as combinations;
pub use suda::{ColumnContribution, Combination, Scores, Singling, SinglingSize, singling};
pub use unit::Unit;
pub use weights::{WeightedRisk, individual_risk};

use crate::base::format::list;
use crate::base::text::grouped;
use crate::config::RiskSpec;
use crate::error::{Error, Result, Setting};
use uniques::{Method, PopulationUniques, Sample};

/// The table to assess.
#[derive(Debug, Clone, Copy)]
pub struct RiskTable<'a> {
    /// The table.
    pub table: &'a CodedTable,
    /// The columns that outsiders may know.
    pub quasi: &'a [String],
    /// The texts that mean a missing value.
    pub missing: &'a [String],
    /// The population that the table was drawn from, with the same quasi-identifiers, written in the same way.
    pub population: Option<&'a CodedTable>,
    /// The person of each row, where people have several rows; see [`persons_of_rows`](crate::release::prepare::persons_of_rows).
    pub persons: Option<&'a [u32]>,
}

/// The result of an assessment. Private: it says which columns single out how many people.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Assessment {
    /// The columns that outsiders may know.
    pub quasi: Vec<String>,
    /// What class sizes and figures count: rows, or people where some have several rows. A person counts once in each class, and once
    /// in each figure, where they are found most easily.
    pub unit: Unit,
    /// The rows of the table.
    pub rows: u64,
    /// The people of the table, where they are counted.
    pub persons: Option<u64>,
    /// The number of classes, including that of rows with `*` everywhere.
    pub classes: u64,
    /// Rows in the smallest class, or people.
    pub smallest_class: Option<u64>,
    /// Rows that show `*` in every quasi-identifier.
    pub star_rows: u64,
    /// The risk if the attacker knows that a person is in the table.
    pub prosecutor: RiskFigures,
    /// The risk if the attacker knows that a person is in the population.
    pub journalist: Journalist,
    /// The risk if the attacker links as many people as possible.
    pub marketer: Marketer,
    /// People who are unique.
    pub uniques: Uniques,
    /// The columns that single people out; `None` if that was not asked for.
    pub singling: Option<Singling>,
    /// Risk from survey weights.
    pub weights: Option<WeightedRisk>,
    /// Risk of households.
    pub households: Option<HouseholdRisk>,
    /// Warnings to think about.
    pub warnings: Vec<String>,
}

/// The risk if the attacker knows that people are in the population, but not whether they are in the table.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Journalist {
    /// Whether these are the prosecutor's figures as an upper bound, because no population table was given.
    pub upper_bound: bool,
    /// The risk of the rows.
    #[serde(flatten)]
    pub risk: RiskFigures,
}

/// The success of an attacker who links every row with the person who looks most like it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Marketer {
    /// The share of links that are right, on average.
    pub share: f64,
    /// The number of right links, on average.
    pub expected: f64,
}

/// People who are unique on the quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Uniques {
    /// Rows that are unique in the table.
    pub rows: u64,
    /// Their share.
    pub share: f64,
    /// The number of these rows that are unique in the population as well, where a population table was given.
    pub rows_alone_in_population: Option<u64>,
    /// The number of people who are unique in the population, in the table or not.
    pub population: Option<PopulationUniques>,
}

/// Assesses a table. Also returns the risk of each row.
///
/// Where people have several rows, classes are counted in people. Everything that assumes one row for each person is left out: estimates
/// for the population, survey weights and households.
pub fn assess(input: &RiskTable<'_>, spec: &RiskSpec, control: &Control) -> Result<(Assessment, Records)> {
    spec.check()?;
    if input.table.rows == 0 {
        return Err(Error::data("the table has no rows, so nobody is at risk"));
    }
    if input.quasi.is_empty() {
        return Err(Error::config(
            "no column is named that outsiders may know, so there is no risk to assess",
        ));
    }
    if input.quasi.len() > singling::MOST_COLUMNS && spec.combination_size > 0 {
        return Err(Error::config(format!(
            "{} quasi-identifiers are more than {}, too many to look for combinations that single people out",
            input.quasi.len(),
            singling::MOST_COLUMNS
        ))
        .set(Setting::role("quasi"), "name fewer quasi-identifiers")
        .set(
            Setting::risk("combination_size").to(0),
            "leave out the search for combinations that single people out",
        ));
    }
    let mut classes = RiskClasses::of_table(input.table, input.quasi)?;
    let star_rows = classes.class_of_row.iter().filter(|class| Some(**class) == classes.star).count() as u64;
    control.check()?;
    let mut unit = Unit::Rows;
    let mut persons = None;
    if let Some(of_rows) = input.persons {
        classes.count_persons(of_rows);
        unit = Unit::Persons;
        persons = Some(classes.rows());
    }
    refuse_too_many_sets(&classes, spec.combination_size as usize)?;
    control.check()?;
    let mut warnings: Vec<String> = left_out(unit, spec).into_iter().collect();
    let one_row_each = unit == Unit::Rows;
    let prosecutor = RiskFigures::of_sizes(&classes.rows_by_size(), spec.exposed_above());
    let counted =
        input.population.map(|there| population(&classes, input.table, there, &mut warnings)).transpose()?;
    let journalist = match &counted {
        None => Journalist { upper_bound: true, risk: prosecutor.clone() },
        Some(counted) => {
            let parts = classes.rows_by(&counted.sizes);
            Journalist { upper_bound: false, risk: RiskFigures::of_sizes(&parts, spec.exposed_above()) }
        }
    };
    let weighted = spec
        .weight
        .as_ref()
        .filter(|_| one_row_each)
        .map(|name| weights::weighted(input.table, name, &classes, spec.exposed_above()))
        .transpose()?;
    let here = persons.unwrap_or(classes.rows());
    let people = people(spec, here, counted.as_ref(), weighted.as_ref().map(|(found, _)| found))?;
    let fraction = people.filter(|_| one_row_each).map(|people| here as f64 / people as f64);
    control.check()?;
    let looked = (spec.combination_size > 0)
        .then(|| singling(&classes, spec.combination_size as usize, fraction, control))
        .transpose()?;
    control.check()?;
    let mut records = Records {
        prosecutor: classes.sizes.iter().map(|size| 1.0 / *size as f64).collect(),
        journalist: counted.iter().flat_map(|c| c.sizes.iter().map(|size| 1.0 / *size as f64)).collect(),
        weights: weighted.as_ref().map(|(_, risks)| risks.clone()).unwrap_or_default(),
        ..Records::default()
    };
    let households = match spec.household.as_ref().filter(|_| one_row_each) {
        None => None,
        Some(name) => {
            let (based_on, risks) = records.best();
            let risk = |row: usize| risks[classes.class_of_row[row] as usize];
            let (found, of_row) = households::households(
                input.table,
                name,
                input.missing,
                risk,
                based_on,
                spec.exposed_above(),
            )?;
            records.household_of_row = of_row;
            Some(found)
        }
    };
    let alone = classes.in_any(|class| classes.sizes[class] == 1);
    let (singling, scores) = looked.unzip();
    let found = Assessment {
        quasi: classes.names.clone(),
        unit,
        rows: input.table.rows as u64,
        persons,
        classes: classes.sizes.len() as u64,
        smallest_class: classes.sizes.iter().min().copied(),
        star_rows,
        marketer: Marketer {
            share: journalist.risk.average.finite().unwrap_or(0.0),
            expected: journalist.risk.expected.finite().unwrap_or(0.0),
        },
        uniques: Uniques {
            rows: alone,
            share: alone as f64 / classes.rows() as f64,
            rows_alone_in_population: counted.as_ref().map(|counted| counted.alone_in_both),
            population: population_uniques(&classes, here, people, counted.as_ref()),
        },
        prosecutor,
        journalist,
        singling,
        weights: weighted.map(|(found, _)| found),
        households,
        warnings,
    };
    records.scores = scores.unwrap_or_default();
    records.classes = classes;
    Ok((found, records))
}

/// The warning about figures that were asked for and are left out because people have several rows.
fn left_out(unit: Unit, spec: &RiskSpec) -> Option<String> {
    if unit == Unit::Rows {
        return None;
    }
    let sized = spec.population_size.is_some() || spec.sampling_fraction.is_some();
    let asked = [
        (sized, "estimates for the population"),
        (spec.weight.is_some(), "survey weights"),
        (spec.household.is_some(), "households"),
    ];
    let names: Vec<String> =
        asked.iter().filter(|(asked, _)| *asked).map(|(_, name)| (*name).to_owned()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "some persons have several rows, so these are left out, which take a row for a person: {}",
            list(&names, names.len())
        )
    })
}

/// Returns an error if there are too many combinations of columns to search in a reasonable time. If nobody is unique, none are searched.
fn refuse_too_many_sets(classes: &RiskClasses, size: usize) -> Result<()> {
    let columns = classes.codes.len();
    let sets = singling::sets(columns, size);
    if sets <= singling::MOST_SETS || !classes.sizes.contains(&1) {
        return Ok(());
    }
    let fits =
        (0..size).rev().find(|size| singling::sets(columns, *size) <= singling::MOST_SETS).unwrap_or(0);
    Err(Error::config(format!(
        "{columns} quasi-identifiers have {} combinations of at most {size}, more than the {} that are looked at",
        grouped(sets),
        grouped(singling::MOST_SETS)
    ))
    .set(Setting::risk("combination_size").to(fits as u64), format!("look at no more than {fits} columns together"))
    .set(Setting::role("quasi"), "name fewer quasi-identifiers"))
}

/// The population as it was counted.
struct Counted {
    /// The people of each class of the table.
    sizes: Vec<u64>,
    rows: u64,
    /// People who are unique, in the table or not.
    alone: u64,
    /// Those who are unique in the table and in the population.
    alone_in_both: u64,
}

fn population(
    classes: &RiskClasses,
    table: &CodedTable,
    there: &CodedTable,
    warnings: &mut Vec<String>,
) -> Result<Counted> {
    let mut sizes = classes.count_in(table, there)?;
    if sizes.iter().all(|size| *size == 0) {
        return Err(Error::data("no row of the table has its like in the population")
            .advise("write the quasi-identifiers of both tables in the same way")
            .advise("coarsen the population as the table was coarsened"));
    }
    // Counted before sizes are raised: a person who is not in the population is not unique there.
    let in_both = sizes.iter().zip(&classes.sizes).filter(|(there, here)| **there == 1 && **here == 1);
    let alone_in_both = in_both.count() as u64;
    let unit = if classes.person.is_empty() { Unit::Rows } else { Unit::Persons }.many();
    let mut short = 0;
    for (there, here) in sizes.iter_mut().zip(&classes.sizes) {
        if *there < *here {
            short += here;
            *there = *here;
        }
    }
    if short > 0 {
        warnings.push(format!(
            "{} {unit} are in classes that have fewer {unit} in the population than in the table, so the population does not hold \
             the whole table; these classes count as large as they are in the table",
            grouped(short)
        ));
    }
    let alone = RiskClasses::of_table(there, &classes.names)?.sizes.iter().filter(|size| **size == 1).count();
    Ok(Counted { sizes, rows: there.rows as u64, alone: alone as u64, alone_in_both })
}

/// The number of people in the population, from the first source that has it.
fn people(
    spec: &RiskSpec,
    rows: u64,
    counted: Option<&Counted>,
    weighted: Option<&WeightedRisk>,
) -> Result<Option<u64>> {
    let said = spec.people(rows)?.or_else(|| counted.map(|counted| counted.rows.max(rows)));
    Ok(said.or_else(|| weighted.map(|found| (found.people.round() as u64).max(rows))))
}

fn population_uniques(
    classes: &RiskClasses,
    here: u64,
    people: Option<u64>,
    counted: Option<&Counted>,
) -> Option<PopulationUniques> {
    let people = people?;
    Some(match counted {
        Some(counted) => PopulationUniques {
            population: people,
            sampling_fraction: here as f64 / people as f64,
            uniques: counted.alone as f64,
            method: Method::Counted,
            reason: "the population table was given".to_owned(),
            estimates: Vec::new(),
        },
        // The models assume one row for each person.
        None if !classes.person.is_empty() => return None,
        None => uniques::estimate(&Sample {
            sizes: &classes.histogram(),
            rows: classes.rows(),
            population: people,
        }),
    })
}
