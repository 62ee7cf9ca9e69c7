//! Checks rows in groups (algorithms.md B23). One table shows every row with the number of its group. The sensitive values are
//! published only for whole groups: in a second table with counts, or in the rows themselves, permuted within each group.

use std::collections::{BTreeMap, BTreeSet};

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable, Codes};

use super::sorted_by_content;
use crate::columns::{ORIGINAL, RELEASE, column};
use crate::error::VerifyError;
use crate::models::{Claim, ModelClaim, ModelOutcome, SensitiveColumn, StarRows, check_models_with};
use crate::normal::in_normal_form;
use crate::value::Decimal;
use crate::watch::{Pace, check};

/// The two tables of a release of rows in groups.
#[derive(Debug, Clone, Copy)]
pub struct GroupTables<'a> {
    /// The rows.
    pub rows: &'a CodedTable,
    /// What is published about each group.
    pub groups: &'a CodedTable,
    /// The column in both tables with the number of the group.
    pub group: &'a str,
    /// The column that is published only for whole groups.
    pub target: &'a str,
    /// The column of `groups` that counts rows.
    pub count: &'a str,
    /// If the rows show the target permuted: what else is published about each group.
    pub permuted: Option<Sums<'a>>,
    /// How the values of the target are read. If not given, it has as many values as texts.
    pub values: Option<&'a SensitiveColumn>,
}

/// The columns that describe the numbers of a group.
#[derive(Debug, Clone, Copy)]
pub struct Sums<'a> {
    /// The column with the least number.
    pub least: &'a str,
    /// The column with the greatest number.
    pub greatest: &'a str,
    /// The column with the sum of the numbers.
    pub sum: &'a str,
    /// Whether numbers are written with a decimal comma.
    pub comma: bool,
}

/// What a check of rows in groups found.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct GroupsOutcome {
    /// Whether every model holds, and the tables contradict neither each other nor the original.
    pub holds: bool,
    /// The models, checked on the groups.
    pub models: Vec<ModelOutcome>,
    /// The number of groups.
    pub groups: u64,
    /// The contradictions that were found, in words without values.
    pub faults: Vec<String>,
}

/// The original that rows in groups are compared with.
#[derive(Debug, Clone, Copy)]
pub struct GroupedOriginal<'a> {
    /// The original table. Its target has the texts of the release.
    pub table: &'a CodedTable,
    /// The original row of each released row, if the private row map is known. Without it, only the values as a whole are
    /// compared.
    pub row_map: Option<&'a [u32]>,
    /// The group that each original row is said to be in. Only with a row map.
    pub groups: Option<&'a [&'a str]>,
}

/// Values with their numbers of rows.
type Bag<'a> = BTreeMap<&'a str, u64>;

/// Checks rows in groups: the models on the values of each group, the two tables against each other, and the values against the
/// original.
pub fn check_groups(
    tables: &GroupTables<'_>,
    models: &[ModelClaim],
    original: Option<GroupedOriginal<'_>>,
    control: &Control,
) -> Result<GroupsOutcome, VerifyError> {
    // The rows differ in other columns, so only the values of a group can be checked.
    let of_target = |model: &&ModelClaim| {
        model.parameters.get("column").and_then(serde_json::Value::as_str) == Some(tables.target)
    };
    if let Some(other) = models.iter().find(|model| !of_target(model)) {
        return Err(VerifyError::Parameter {
            model: other.name.clone(),
            parameter: "column".to_owned(),
            why: format!(
                "rows in groups are published as they are, and only models of the values of {} can be judged",
                tables.target
            ),
        });
    }
    let mut faults = Vec::new();
    if tables.permuted.is_none() && tables.rows.column(tables.target).is_some() {
        faults.push(format!("the rows show {}, which is to be told of groups only", tables.target));
    }
    if !sorted_by_content(tables.rows) {
        faults.push(
            "the rows are not sorted by their content, so their order may tell whose they are".to_owned(),
        );
    }
    let mut pace = Pace::new(control);
    let numbers = column(tables.rows, RELEASE, tables.group)?;
    let mut sizes: Bag<'_> = BTreeMap::new();
    for row in 0..tables.rows.rows {
        pace.tick(1)?;
        *sizes.entry(text(numbers, row)).or_default() += 1;
    }
    let told = told_sizes(tables)?;
    if told != sizes {
        faults.push("the groups do not have as many rows as is told of them".to_owned());
    }
    check(control)?;
    let values = match tables.permuted {
        None => expanded(tables)?,
        Some(sums) => {
            if !sums_hold(tables, sums, control)? {
                faults.push(format!(
                    "the least value, the greatest or the sum of {} is not that of the group's rows",
                    tables.target
                ));
            }
            let kept = [tables.group, tables.target].map(|name| column(tables.rows, RELEASE, name));
            let columns = kept.into_iter().map(|found| found.cloned()).collect::<Result<_, _>>()?;
            CodedTable { columns, rows: tables.rows.rows }
        }
    };
    let claim = Claim {
        quasi: vec![tables.group.to_owned()],
        models: models.to_vec(),
        star: StarRows::Judged,
        values: tables.values.into_iter().cloned().collect(),
    };
    let outcome = check_models_with(&values, &claim, None, None, control)?;
    if let Some(original) = original {
        if let Some(map) = original.row_map
            && map.len() != tables.rows.rows
        {
            let why = format!("it has {} entries and the release {} rows", map.len(), tables.rows.rows);
            return Err(VerifyError::RowMap { why });
        }
        let elsewhere = in_other_groups(tables, original, control)?;
        if elsewhere > 0 {
            let are = if elsewhere == 1 { "row is" } else { "rows are" };
            faults.push(format!("{elsewhere} {are} in another group than the row map says"));
        }
        let false_groups = false_groups(tables, &values, original, control)?;
        if false_groups > 0 {
            let target = tables.target;
            faults.push(match (original.row_map, false_groups) {
                (None, _) => format!("the values of {target} are not those of the original rows"),
                (Some(_), 1) => {
                    format!("the values of {target} of 1 group are not those of its original rows")
                }
                (Some(_), some) => {
                    format!("the values of {target} of {some} groups are not those of their original rows")
                }
            });
        }
    }
    Ok(GroupsOutcome {
        holds: outcome.holds && faults.is_empty(),
        models: outcome.models,
        groups: sizes.len() as u64,
        faults,
    })
}

fn text(column: &CodedColumn, row: usize) -> &str {
    column.values.get(column.codes.get(row))
}

/// Returns how many rows each group has according to the second table.
fn told_sizes<'a>(tables: &GroupTables<'a>) -> Result<Bag<'a>, VerifyError> {
    let numbers = column(tables.groups, RELEASE, tables.group)?;
    let mut told: Bag<'_> = BTreeMap::new();
    for (row, count) in counts(tables)?.into_iter().enumerate() {
        let of_group = told.entry(text(numbers, row)).or_default();
        *of_group = of_group.saturating_add(count);
    }
    Ok(told)
}

/// Reads the counts of the second table.
fn counts(tables: &GroupTables<'_>) -> Result<Vec<u64>, VerifyError> {
    let counts = column(tables.groups, RELEASE, tables.count)?;
    let malformed = |why| VerifyError::Malformed { table: RELEASE, column: tables.count.to_owned(), why };
    let of_text: Vec<Option<u64>> =
        counts.values.iter().map(|text| text.parse().ok().filter(|count| *count > 0)).collect();
    counts
        .codes
        .iter()
        .map(|code| of_text[code as usize].ok_or_else(|| malformed("a count is not a positive whole number")))
        .collect()
}

/// Expands the second table, to one row for each row that it counts.
fn expanded(tables: &GroupTables<'_>) -> Result<CodedTable, VerifyError> {
    let counts = counts(tables)?;
    let most = tables.rows.rows as u64;
    if counts.iter().try_fold(0_u64, |all, count| all.checked_add(*count)).is_none_or(|all| all > most) {
        // The sizes were already compared, and nobody should have to hold more rows than there are.
        return Err(VerifyError::TooLarge {
            what: "the groups are told to have more rows than there are".to_owned(),
            remedy: "check whether the two tables belong together",
        });
    }
    let mut columns = Vec::new();
    for name in [tables.group, tables.target] {
        let found = column(tables.groups, RELEASE, name)?;
        let mut codes = Codes::with_capacity(found.values.len(), most as usize);
        for (code, count) in found.codes.iter().zip(&counts) {
            (0..*count).for_each(|_| codes.push(code));
        }
        columns.push(CodedColumn { name: name.to_owned(), values: found.values.clone(), codes });
    }
    let rows = counts.iter().sum::<u64>() as usize;
    Ok(CodedTable { columns, rows })
}

/// Whether the least value, the greatest value and the sum of every group are those of its rows.
fn sums_hold(tables: &GroupTables<'_>, sums: Sums<'_>, control: &Control) -> Result<bool, VerifyError> {
    let mut pace = Pace::new(control);
    let numbers = column(tables.rows, RELEASE, tables.group)?;
    let values = column(tables.rows, RELEASE, tables.target)?;
    let read = |text: &str| Decimal::read(text, sums.comma);
    let not_numbers = || VerifyError::Domain {
        what: "numbers",
        column: tables.target.to_owned(),
        why: "a value is not a number, so groups have no sum".to_owned(),
    };
    let decimals: Vec<Decimal> =
        values.values.iter().map(read).collect::<Option<_>>().ok_or_else(not_numbers)?;
    let told = |name| column(tables.groups, RELEASE, name);
    let told = [told(sums.least)?, told(sums.greatest)?, told(sums.sum)?];
    let told_texts = told.iter().flat_map(|column| column.values.iter());
    let told_decimals: Vec<Decimal> = told_texts.map(read).collect::<Option<_>>().ok_or_else(not_numbers)?;
    let places = decimals.iter().chain(&told_decimals).map(|decimal| decimal.places()).max().unwrap_or(0);
    let scaled = |decimal: &Decimal| decimal.scaled(places).ok_or_else(not_numbers);
    let scaled_values = decimals.iter().map(scaled).collect::<Result<Vec<i128>, _>>()?;
    let mut found: BTreeMap<&str, [i128; 3]> = BTreeMap::new();
    for row in 0..tables.rows.rows {
        pace.tick(1)?;
        let value = scaled_values[values.codes.get(row) as usize];
        let of_group = found.entry(text(numbers, row)).or_insert([value, value, 0]);
        *of_group = [
            of_group[0].min(value),
            of_group[1].max(value),
            of_group[2].checked_add(value).ok_or_else(not_numbers)?,
        ];
    }
    let groups = column(tables.groups, RELEASE, tables.group)?;
    let mut seen: BTreeMap<&str, [i128; 3]> = BTreeMap::new();
    for row in 0..tables.groups.rows {
        pace.tick(1)?;
        let mut figures = [0; 3];
        for (figure, column) in figures.iter_mut().zip(told) {
            *figure = scaled(&read(text(column, row)).ok_or_else(not_numbers)?)?;
        }
        if seen.insert(text(groups, row), figures).is_some() {
            return Ok(false);
        }
    }
    Ok(seen == found)
}

/// Returns how many rows are in another group than the row map says.
fn in_other_groups(
    tables: &GroupTables<'_>,
    original: GroupedOriginal<'_>,
    control: &Control,
) -> Result<u64, VerifyError> {
    let mut pace = Pace::new(control);
    let (Some(map), Some(groups)) = (original.row_map, original.groups) else { return Ok(0) };
    let numbers = column(tables.rows, RELEASE, tables.group)?;
    let known: BTreeSet<&str> = (0..tables.rows.rows).map(|row| text(numbers, row)).collect();
    let mut elsewhere = 0;
    for (row, source) in map.iter().enumerate() {
        pace.tick(1)?;
        let said = *groups.get(*source as usize).ok_or_else(no_such_row)?;
        if !known.contains(said) {
            let why = format!(
                "the original row of row {} is said to be in a group that the release does not have",
                row + 1
            );
            return Err(VerifyError::RowMap { why });
        }
        elsewhere += u64::from(text(numbers, row) != said);
    }
    Ok(elsewhere)
}

fn no_such_row() -> VerifyError {
    VerifyError::RowMap { why: "it names a row that the original table does not have".into() }
}

/// Returns how many groups have other values than their original rows. Without a row map, all rows count as one group.
fn false_groups(
    tables: &GroupTables<'_>,
    values: &CodedTable,
    original: GroupedOriginal<'_>,
    control: &Control,
) -> Result<usize, VerifyError> {
    let mut pace = Pace::new(control);
    let read = tables.values.map(std::slice::from_ref).unwrap_or_default();
    let values = &*in_normal_form(values, read, Some(original.table), control)?;
    let known = &*in_normal_form(original.table, read, None, control)?;
    let [groups, shown] = [tables.group, tables.target].map(|name| column(values, RELEASE, name));
    let (groups, shown) = (groups?, shown?);
    let truth = column(known, ORIGINAL, tables.target)?;
    let numbers = column(tables.rows, RELEASE, tables.group)?;
    let mut left: BTreeMap<(&str, &str), i64> = BTreeMap::new();
    let by_group = original.row_map.is_some();
    let group_of = |column, row| if by_group { text(column, row) } else { "" };
    for row in 0..values.rows {
        pace.tick(1)?;
        *left.entry((group_of(groups, row), text(shown, row))).or_default() += 1;
    }
    let mut add = |group, row: usize| -> Result<(), VerifyError> {
        pace.tick(1)?;
        if row >= original.table.rows {
            return Err(no_such_row());
        }
        *left.entry((group, text(truth, row))).or_default() -= 1;
        Ok(())
    };
    match original.row_map {
        Some(map) => {
            map.iter().enumerate().try_for_each(|(row, source)| add(text(numbers, row), *source as usize))?;
        }
        None => (0..original.table.rows).try_for_each(|row| add("", row))?,
    }
    let wrong: BTreeSet<&str> =
        left.iter().filter(|(_, count)| **count != 0).map(|((group, _), _)| *group).collect();
    Ok(wrong.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;

    fn diversity(l: u64) -> Vec<ModelClaim> {
        let claim =
            serde_json::json!({"model": "l_diversity", "variant": "frequency", "l": l, "column": "ill"});
        vec![ModelClaim::from_json(&claim).unwrap()]
    }

    fn anatomy<'a>(rows: &'a CodedTable, groups: &'a CodedTable) -> GroupTables<'a> {
        GroupTables {
            rows,
            groups,
            group: "group",
            target: "ill",
            count: "rows",
            permuted: None,
            values: None,
        }
    }

    #[test]
    fn groups_are_judged_by_their_values() {
        let rows = table(&[("age", &["20", "30", "40", "50"]), ("group", &["1", "1", "2", "2"])]);
        let good = table(&[
            ("group", &["1", "1", "2", "2"]),
            ("ill", &["flu", "hiv", "cold", "flu"]),
            ("rows", &["1", "1", "1", "1"]),
        ]);
        let original = table(&[("ill", &["flu", "hiv", "flu", "cold"])]);
        let truth = |map| Some(GroupedOriginal { table: &original, row_map: map, groups: None });
        let map: &[u32] = &[1, 0, 2, 3];
        let found =
            check_groups(&anatomy(&rows, &good), &diversity(2), truth(Some(map)), &Control::default())
                .unwrap();
        assert!(found.holds, "{found:?}");
        assert_eq!((found.groups, found.models[0].attained), (2, Some(2.0)));
        assert!(
            !check_groups(&anatomy(&rows, &good), &diversity(3), None, &Control::default()).unwrap().holds
        );
        // The values as a whole are right; those of the groups are not.
        let crossed: &[u32] = &[0, 2, 1, 3];
        assert!(
            !check_groups(&anatomy(&rows, &good), &diversity(2), truth(Some(crossed)), &Control::default())
                .unwrap()
                .holds
        );
        assert!(
            check_groups(&anatomy(&rows, &good), &diversity(2), truth(None), &Control::default())
                .unwrap()
                .holds
        );
        // Everybody is in a group with the right values, but not in the group that the map says.
        let said =
            |groups| Some(GroupedOriginal { table: &original, row_map: Some(map), groups: Some(groups) });
        let found =
            check_groups(&anatomy(&rows, &good), &[], said(&["1", "1", "2", "2"]), &Control::default())
                .unwrap();
        assert!(found.holds, "{found:?}");
        let found =
            check_groups(&anatomy(&rows, &good), &[], said(&["1", "2", "1", "2"]), &Control::default())
                .unwrap();
        assert_eq!(found.faults, ["2 rows are in another group than the row map says"]);
        assert!(
            check_groups(&anatomy(&rows, &good), &[], said(&["1", "3", "2", "2"]), &Control::default())
                .is_err()
        );
        let one_sided = table(&[
            ("group", &["1", "2", "2"]),
            ("ill", &["flu", "cold", "flu"]),
            ("rows", &["2", "1", "1"]),
        ]);
        let found =
            check_groups(&anatomy(&rows, &one_sided), &diversity(2), None, &Control::default()).unwrap();
        assert!(!found.holds && found.faults.is_empty());
        let short = table(&[("group", &["1", "2"]), ("ill", &["flu", "cold"]), ("rows", &["2", "1"])]);
        assert_eq!(
            check_groups(&anatomy(&rows, &short), &[], None, &Control::default()).unwrap().faults.len(),
            1
        );
        let none = table(&[("group", &["1", "2"]), ("ill", &["flu", "cold"]), ("rows", &["4", "0"])]);
        assert!(check_groups(&anatomy(&rows, &none), &[], None, &Control::default()).is_err());
    }

    #[test]
    fn sums_of_permuted_values_are_recomputed() {
        let rows = table(&[("pay", &["10", "12.5", "30", "40"]), ("group", &["1", "1", "2", "2"])]);
        let groups = |sum: &'static str| {
            table(&[
                ("group", &["1", "2"]),
                ("rows", &["2", "2"]),
                ("least", &["10", "30"]),
                ("most", &["12.5", "40"]),
                ("sum", &[sum, "70"]),
            ])
        };
        let check = |groups: &CodedTable| {
            let permuted = Some(Sums { least: "least", greatest: "most", sum: "sum", comma: false });
            let tables = GroupTables {
                rows: &rows,
                groups,
                group: "group",
                target: "pay",
                count: "rows",
                permuted,
                values: None,
            };
            let claim = serde_json::json!({"model": "k_e", "e": "2.5", "column": "pay", "comma": false});
            check_groups(&tables, &[ModelClaim::from_json(&claim).unwrap()], None, &Control::default())
                .unwrap()
        };
        assert!(check(&groups("22.5")).holds, "{:?}", check(&groups("22.5")));
        assert!(!check(&groups("22.4")).holds);
    }
}
