//! What a release shows about households. Somebody who knows all members of a household may find it even where nobody could find a single
//! member.
//!
//! The column of households is not published, so it does not link the rows of a household, unless it gets fresh numbers. Two things are measured all the same. A group of k
//! people from fewer than k households hides less than it seems: k people of one family are one family. And outsiders who know a household
//! know all its members: a household is hidden among those whose members, taken together, show the same.

use std::collections::BTreeMap;

use scumble_files::table::CodedTable;

use super::prepare::payload_of;
use crate::base::text::{counted, grouped, on_one_line};
use crate::config::{ModelSpec, Plan, Role, Value};
use crate::error::{Error, Result, Setting};
use crate::report::data::Households;

/// The look of a row that is not in the release.
pub(super) const LEFT_OUT: u32 = u32::MAX;

/// Measures households, and returns the figures with the warnings; `None` where no column tells households apart. `looks` has, for each row of
/// the table, a number that stands for everything the row shows in the quasi-identifiers together, if each row shows something by itself.
pub(super) fn measure(
    plan: &Plan,
    table: &CodedTable,
    looks: Option<&[u32]>,
) -> Result<Option<(Households, Vec<String>)>> {
    let Some(name) = plan.names_with(Role::Household).next() else { return Ok(None) };
    let Some(looks) = looks else {
        let warning = format!(
            "the households of column '{}' were not looked at, since no row of this kind of release shows all quasi-identifiers together",
            on_one_line(name)
        );
        return Ok(Some((Households { column: name.to_owned(), ..Households::default() }, vec![warning])));
    };
    let Some(of_row) = household_of_row(plan, table, name)? else { return Ok(None) };
    let required = required(plan)?;
    let mut found = Households {
        column: name.to_owned(),
        required,
        k_of_households: k_of_households(plan)?,
        measured: true,
        ..Households::default()
    };
    groups(&mut found, &of_row, looks);
    alike(&mut found, &of_row, looks);
    found.constant_columns = constant_columns(plan, table, &of_row);
    let warnings = warnings(plan, &found);
    Ok(Some((found, warnings)))
}

/// The number of households that a group must have: the k of the plan, and at least that of its audience.
fn required(plan: &Plan) -> Result<u64> {
    let mut asked = vec![plan.risk.audience.least_k()];
    for spec in plan.privacy.iter().filter(|spec| spec.is_size_alone()) {
        asked.extend(spec.parameters.whole("k", 1)?);
    }
    Ok(asked.into_iter().max().unwrap_or(1))
}

/// The k of the plan, if it counts households.
fn k_of_households(plan: &Plan) -> Result<Option<u64>> {
    let of_households = |spec: &&ModelSpec| {
        spec.parameters
            .get("unit")
            .is_some_and(|unit| matches!(unit, Value::Text(unit) if unit == "household"))
    };
    let mut asked = Vec::new();
    for spec in plan.privacy.iter().filter(|spec| spec.is_size_alone()).filter(of_households) {
        asked.extend(spec.parameters.whole("k", 1)?);
    }
    Ok(asked.into_iter().max())
}

/// The household of each row. A row without one is a household of its own.
pub(super) fn household_of_row(plan: &Plan, table: &CodedTable, name: &str) -> Result<Option<Vec<u32>>> {
    let Some(coded) = table.column(name) else { return Ok(None) };
    let markers = plan.column(name).and_then(|column| column.missing.as_ref()).unwrap_or(&plan.read.missing);
    let is_missing: Vec<bool> = coded.values.iter().map(|text| markers.iter().any(|m| m == text)).collect();
    // Two spellings of a number are one household.
    let (values, of_code) = payload_of(coded, plan)?;
    let mut next = values.values.len() as u32;
    let household = |code: u32| {
        if is_missing[code as usize] {
            next += 1;
            next
        } else {
            of_code[code as usize]
        }
    };
    Ok(Some(coded.codes.iter().map(household).collect()))
}

/// Returns an error if rows of one person are in different households: then neither can be told apart by the other.
pub(super) fn check_members(plan: &Plan, table: &CodedTable) -> Result<()> {
    let subject = plan.names_with(Role::Subject).next().and_then(|name| table.column(name));
    let Some((name, subject)) = plan.names_with(Role::Household).next().zip(subject) else { return Ok(()) };
    let (Some(of_row), Some(coded)) = (household_of_row(plan, table, name)?, table.column(name)) else {
        return Ok(());
    };
    // Those who have no household, or are nobody, cannot be in several.
    let known = |name: &str, text: &str| {
        let markers = plan.column(name).and_then(|column| column.missing.as_ref());
        !markers.unwrap_or(&plan.read.missing).iter().any(|marker| marker == text)
    };
    let (values, person_of) = payload_of(subject, plan)?;
    let mut seen: Vec<Option<u32>> = vec![None; values.values.len()];
    let mut differs = vec![false; values.values.len()];
    for (row, household) in of_row.into_iter().enumerate() {
        let is_known = known(name, coded.values.get(coded.codes.get(row)));
        let code = subject.codes.get(row);
        if is_known && known(&subject.name, subject.values.get(code)) {
            let person = person_of[code as usize] as usize;
            differs[person] |= *seen[person].get_or_insert(household) != household;
        }
    }
    match differs.into_iter().filter(|differs| *differs).count() as u64 {
        0 => Ok(()),
        persons => Err(Error::data(format!(
            "{} rows in different households",
            counted(persons, "person has", "persons have")
        ))
        .in_column(name)
        .advise("give each person one household, such as that of the day of the survey")
        .set(Setting::role("drop").of(&[name]), "leave the households out")),
    }
}

/// Counts the groups whose rows come from too few households.
fn groups(found: &mut Households, of_row: &[u32], looks: &[u32]) {
    let mut pairs: Vec<(u32, u32)> = looks.iter().copied().zip(of_row.iter().copied()).collect();
    pairs.retain(|(look, _)| *look != LEFT_OUT);
    pairs.sort_unstable();
    let mut fewest: Option<u64> = None;
    for group in pairs.chunk_by(|a, b| a.0 == b.0) {
        let households = group.chunk_by(|a, b| a.1 == b.1).count() as u64;
        fewest = Some(fewest.map_or(households, |least| least.min(households)));
        if households < found.required {
            found.groups_below += 1;
            found.group_rows_below += group.len() as u64;
        }
    }
    found.fewest_in_group = fewest;
}

/// Counts the households whose members, taken together, show the same.
fn alike(found: &mut Households, of_row: &[u32], looks: &[u32]) {
    let mut pairs: Vec<(u32, u32)> = of_row.iter().copied().zip(looks.iter().copied()).collect();
    pairs.retain(|(_, look)| *look != LEFT_OUT);
    pairs.sort_unstable();
    let mut shown: BTreeMap<Vec<u32>, u64> = BTreeMap::new();
    for household in pairs.chunk_by(|a, b| a.0 == b.0) {
        found.households += 1;
        found.largest = found.largest.max(household.len() as u64);
        // The looks are sorted, so equal multisets are equal lists.
        *shown.entry(household.iter().map(|(_, look)| *look).collect()).or_default() += 1;
    }
    found.household_k = shown.values().copied().min();
    for (looks, households) in shown.into_iter().filter(|(_, households)| *households < found.required) {
        found.households_below += households;
        found.rows_below += households * looks.len() as u64;
    }
}

/// The published columns that have one value in each household of several rows: outsiders know them of all members at once.
fn constant_columns(plan: &Plan, table: &CodedTable, of_row: &[u32]) -> Vec<String> {
    let by_name = table.by_name();
    let mut rows: Vec<(u32, usize)> = of_row.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    let several: Vec<&[(u32, usize)]> =
        rows.chunk_by(|a, b| a.0 == b.0).filter(|rows| rows.len() > 1).collect();
    let is_constant = |name: &str| {
        let Some(coded) = by_name.get(name) else { return false };
        let same = |rows: &&[(u32, usize)]| {
            let first = coded.codes.get(rows[0].1);
            rows.iter().all(|(_, row)| coded.codes.get(*row) == first)
        };
        let differs = || (1..table.rows).any(|row| coded.codes.get(row) != coded.codes.get(0));
        several.iter().all(same) && differs()
    };
    let published =
        plan.columns.iter().filter(|(_, column)| Role::PUBLISHED.iter().any(|role| column.role.has(*role)));
    let names = published.map(|(name, _)| name.clone());
    if several.is_empty() { Vec::new() } else { names.filter(|name| is_constant(name)).collect() }
}

fn warnings(plan: &Plan, found: &Households) -> Vec<String> {
    let mut warnings = Vec::new();
    let required = grouped(found.required);
    if found.groups_below > 0 {
        let come = if found.groups_below == 1 { "comes" } else { "come" };
        warnings.push(format!(
            "{} with {} {come} {} {required} households, the fewest from {}: the persons of such a group may be one family. {}",
            counted(found.groups_below, "group", "groups"),
            crate::base::text::rows(found.group_rows_below),
            Households::FEW_IN_GROUP,
            grouped(found.fewest_in_group.unwrap_or(0)),
            found.advice().trim_end_matches('.'),
        ));
    }
    if found.households_below > 0 {
        let linked = match plan.keep_order {
            true => {
                "The rows keep the order of the original, which shows readers which rows are one household if its members stood together"
            }
            false => "This matters only if readers can see which rows are one household",
        };
        warnings.push(format!(
            "{} finds fewer than {required} matching households, for {} of {}; for some of them the attacker finds only {}. {linked}",
            Households::FEW_ALIKE,
            grouped(found.households_below),
            counted(found.households, "household", "households"),
            grouped(found.household_k.unwrap_or(0)),
        ));
    }
    let exact = |name: &&String| plan.column(name).is_some_and(|column| !column.role.has(Role::Quasi));
    let exact: Vec<String> =
        found.constant_columns.iter().filter(exact).map(|name| on_one_line(name)).collect();
    if !exact.is_empty() {
        warnings.push(format!(
            "all members of a household have the same value of {}, and these columns are published exactly: outsiders may know them of the \
             whole household, and find rows of one household by them; make them quasi if outsiders can know them",
            exact.join(", ")
        ));
    }
    warnings
}

#[cfg(test)]
mod tests {
    use scumble_files::table::CodedColumn;

    use super::*;
    use crate::config::{Audience, ModelSpec, Value};

    /// A plan for readers inside, whose groups must have three households.
    fn plan(k: i64) -> Plan {
        let columns = [("age", Role::Quasi), ("rent", Role::Other), ("home", Role::Household)];
        let mut plan =
            Plan::of_columns(columns).require(ModelSpec::new("k_anonymity").with("k", Value::Integer(k)));
        plan.risk.audience = Audience::Inside;
        plan
    }

    fn table(homes: &[&str], rents: &[&str]) -> CodedTable {
        let column = |name, texts: &[&str]| CodedColumn::of_texts(name, texts.iter().copied());
        CodedTable { rows: homes.len(), columns: vec![column("home", homes), column("rent", rents)] }
    }

    fn found(k: i64, homes: &[&str], looks: &[u32]) -> (Households, Vec<String>) {
        let rents: Vec<&str> = homes.iter().map(|_| "1").collect();
        measure(&plan(k), &table(homes, &rents), Some(looks)).expect("figures").expect("households")
    }

    #[test]
    fn a_group_of_one_family_is_counted() {
        // Group 0 has three rows of two homes, group 1 three rows of three homes.
        let (figures, warnings) = found(3, &["a", "a", "b", "c", "d", "e"], &[0, 0, 0, 1, 1, 1]);
        assert_eq!(
            (figures.groups_below, figures.group_rows_below, figures.fewest_in_group),
            (1, 3, Some(2))
        );
        assert_eq!((figures.households, figures.largest, figures.required), (5, 2, 3));
        assert!(
            warnings[0]
                .starts_with("1 group with 3 rows comes from fewer than 3 households, the fewest from 2")
        );
        let (figures, warnings) = found(2, &["a", "b", "c", "d", "e", "f"], &[0, 0, 0, 1, 1, 1]);
        assert_eq!((figures.groups_below, figures.households_below, warnings), (0, 0, Vec::new()));
        // The readers ask for more than the plan, or the plan for more than the readers.
        let (figures, _) = found(2, &["a", "b", "c", "d"], &[0, 0, 1, 1]);
        assert_eq!((figures.groups_below, figures.required), (2, 3));
        assert_eq!(found(4, &["a", "b", "c"], &[0, 0, 0]).0.required, 4);
    }

    #[test]
    fn households_are_alike_whose_members_show_the_same_as_often() {
        // a, b and f: {0, 1}; c: {0, 0}; d, e and g: {0}. The order of members does not matter.
        let homes = ["a", "a", "b", "b", "f", "f", "c", "c", "d", "e", "g"];
        let (figures, warnings) = found(2, &homes, &[0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0]);
        assert_eq!((figures.household_k, figures.households_below, figures.rows_below), (Some(1), 1, 2));
        assert!(warnings[0].contains("fewer than 3 matching households, for 1 of 7 households; for some of them the attacker finds only 1."), "{warnings:?}");
        let (figures, _) = found(2, &homes[..6], &[0, 1, 1, 0, 0, 1]);
        assert_eq!((figures.household_k, figures.households_below), (Some(3), 0));
    }

    #[test]
    fn a_kept_order_shows_households() {
        let homes = ["a", "a", "b", "c"];
        let mut plan = plan(2);
        plan.keep_order = true;
        let table = table(&homes, &["1"; 4]);
        let (_, warnings) =
            measure(&plan, &table, Some(&[0, 1, 0, 0])).expect("figures").expect("households");
        assert!(
            warnings.iter().any(|warning| warning.contains("The rows keep the order of the original")),
            "{warnings:?}"
        );
    }

    #[test]
    fn rows_that_are_left_out_or_without_a_household() {
        let (figures, _) = found(2, &["a", "a", "b"], &[0, LEFT_OUT, 0]);
        assert_eq!((figures.households, figures.household_k), (2, Some(2)), "both show one row");
        let (figures, _) = found(2, &["?", "?", "?"], &[0, 0, 0]);
        assert_eq!((figures.households, figures.largest), (3, 1));
        assert!(
            measure(&Plan::of_columns([("age", Role::Quasi)]), &table(&["a"], &["1"]), Some(&[0]))
                .expect("none")
                .is_none()
        );
        let (figures, warnings) =
            measure(&plan(2), &table(&["a"], &["1"]), None).expect("none").expect("a word");
        assert!(!figures.measured && warnings[0].contains("were not looked at"));
    }

    #[test]
    fn a_person_is_in_one_household() {
        let plan = Plan::of_columns([("rent", Role::Subject), ("home", Role::Household)]);
        let of = |homes: &[&str], persons: &[&str]| {
            check_members(&plan, &table(homes, persons)).map_err(|error| error.to_string())
        };
        assert_eq!(of(&["a", "a", "?", "b"], &["p1", "p1", "p1", "p2"]), Ok(()));
        let message = of(&["a", "b", "a", "b"], &["p1", "p1", "p2", "p2"]).expect_err("they moved");
        assert!(
            message.starts_with("column 'home': 2 persons have rows in different households"),
            "{message}"
        );
    }

    #[test]
    fn columns_of_the_household_are_named() {
        let homes = ["a", "a", "b", "b", "c"];
        let of = |rents: &[&str]| {
            measure(&plan(2), &table(&homes, rents), Some(&[0; 5])).expect("figures").expect("households")
        };
        let (figures, warnings) = of(&["1", "1", "2", "2", "2"]);
        assert_eq!(figures.constant_columns, ["rent"]);
        assert!(warnings.last().expect("a warning").contains("the same value of rent"));
        assert!(of(&["1", "2", "2", "2", "2"]).0.constant_columns.is_empty());
        assert!(of(&["1", "1", "1", "1", "1"]).0.constant_columns.is_empty(), "everybody has it");
    }
}
