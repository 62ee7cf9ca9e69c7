//! From a table as read to a table as searched: types, missing values, hierarchies, codes.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

use crate::config::{Column, Label, MissingPolicy, Plan, Role};
use crate::date::{Date, DateFormat};
use crate::error::{Error, Result};
use crate::frequency::FrequencyTable;
use crate::hierarchy::{self, Builder, Built, Domain, Hierarchy, Unlisted};
use crate::kind::{Inference, Kind, Measure};
use crate::payload::{PayloadColumn, Payloads};
use crate::quasi::{Line, Quasi, Shape};

/// Texts without a hierarchy become sets of neighbours up to this many; beyond, the sets would be unreadable.
const LARGEST_SET: usize = 100;

/// A table ready for a search.
pub struct Prepared {
    /// The quasi-identifiers.
    pub quasi: Vec<Quasi>,
    /// The distinct tuples.
    pub table: FrequencyTable,
    /// The tuple of each row.
    pub tuple_of_row: Vec<u32>,
    /// The payload column of the class label.
    pub class: Option<usize>,
    /// The trees of sensitive columns that have one.
    pub payload_trees: Vec<(String, Hierarchy)>,
    /// The texts that mean a missing value, by column.
    pub missing: Vec<(String, Vec<String>)>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// What the user should look at.
    pub warnings: Vec<String>,
}

/// A column of the plan beside the table's.
struct Planned<'a> {
    name: &'a str,
    plan: &'a Column,
    coded: &'a CodedColumn,
    missing: &'a [String],
}

/// The values of a column in the order of their kind.
struct Ordered<'a> {
    measure: Measure,
    /// The distinct values that occur, without missing ones; numbers that are written differently but equal count as one.
    values: Vec<&'a str>,
    rows: Vec<u64>,
    first_rows: Vec<u64>,
    /// The place in `values` of each dictionary code; `values.len()` for a missing one, `u32::MAX` for one without rows.
    place: Vec<u32>,
    /// How a missing value is released.
    missing: Option<&'a str>,
}

/// Leaves out rows with missing values where the plan says so. Returns how many, with the reason.
pub fn drop_incomplete(table: &mut CodedTable, plan: &Plan) -> Result<Vec<String>> {
    let mut keep = vec![true; table.rows];
    let mut notes = Vec::new();
    for (name, column) in &plan.columns {
        let Some(coded) = table.column(name) else { continue };
        let policy = column.missing_policy.unwrap_or(plan.read.missing_policy);
        let is_class = column.role.has(Role::Class);
        if policy == MissingPolicy::OwnValue && !is_class {
            continue;
        }
        let markers = column.missing.as_ref().unwrap_or(&plan.read.missing);
        let missing: Vec<bool> = coded.values.iter().map(|text| markers.iter().any(|m| m == text)).collect();
        if !missing.contains(&true) {
            continue;
        }
        let mut dropped = 0_u64;
        for (row, code) in coded.codes.iter().enumerate() {
            if !missing[code as usize] {
                continue;
            }
            if policy == MissingPolicy::Error {
                return Err(Error::data(format!(
                    "column '{name}', row {}: the value is missing, and the missing policy is 'error'; fill it in, or use \
                     own-value or drop-row",
                    row + 1
                )));
            }
            dropped += u64::from(keep[row]);
            keep[row] = false;
        }
        if dropped > 0 {
            let what = if is_class { "a class label" } else { "a value" };
            notes.push(format!("{dropped} rows without {what} in '{name}' were left out"));
        }
    }
    let kept = keep.iter().filter(|keep| **keep).count();
    if kept == 0 {
        return Err(Error::data("every row has a missing value, so no row is left; use --missing own-value"));
    }
    if kept < table.rows {
        for column in &mut table.columns {
            let mut codes = Codes::with_capacity(column.values.len(), kept);
            column.codes.iter().zip(&keep).filter(|(_, keep)| **keep).for_each(|(code, _)| codes.push(code));
            column.codes = codes;
        }
        table.rows = kept;
    }
    Ok(notes)
}

/// Types and codes a table. `trees` says whether every quasi-identifier must have levels; `folder` is where the plan's own
/// file names start.
pub fn prepare(table: &CodedTable, plan: &Plan, folder: &Path, trees: bool) -> Result<Prepared> {
    let planned: Vec<Planned<'_>> = plan
        .columns
        .iter()
        .filter_map(|(name, column)| {
            let coded = table.column(name)?;
            let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
            Some(Planned { name, plan: column, coded, missing })
        })
        .collect();
    let with_role = |role: Role| planned.iter().filter(move |column| column.plan.role.has(role));
    for subject in with_role(Role::Subject) {
        check_subject(subject)?;
    }
    let class_column = with_role(Role::Class).next();
    let classes = class_column.map(|column| column.coded);
    let hierarchies = plan.hierarchies.as_ref().map(|name| folder.join(name));
    check_hierarchy_files(hierarchies.as_deref(), plan)?;

    let quasi_columns: Vec<&Planned<'_>> = with_role(Role::Quasi).collect();
    let quasi: Vec<(Quasi, Vec<u32>, Vec<String>)> = quasi_columns
        .par_iter()
        .map(|column| {
            let builder = builder_for(column, folder, hierarchies.as_deref())?;
            make_quasi(column, builder, trees, classes)
        })
        .collect::<Result<_>>()?;
    let mut notes: Vec<String> = quasi.iter().flat_map(|(_, _, notes)| notes.clone()).collect();

    let payload_columns: Vec<&Planned<'_>> = planned
        .iter()
        .filter(|column| column.plan.role.has(Role::Class) || column.plan.role.has(Role::Sensitive))
        .collect();
    let mut payload_trees = Vec::new();
    for column in &payload_columns {
        if let Some(builder) = builder_for(column, folder, hierarchies.as_deref())? {
            let ordered = order(column, false)?;
            let built = hierarchy::build(&builder, &domain(column, &ordered, None)?)?;
            notes.extend(built.notes);
            payload_trees.push((column.name.to_owned(), built.hierarchy));
        }
    }
    let payloads: Vec<(PayloadColumn, Vec<u32>)> =
        payload_columns.iter().map(|column| payload_column(column)).collect::<Result<_>>()?;
    let class = payload_columns.iter().position(|column| column.plan.role.has(Role::Class));
    let (columns, maps): (Vec<_>, Vec<_>) = payloads.into_iter().unzip();
    let (payloads, payload_of_row) = Payloads::of_rows(columns, table.rows, |place, row| {
        maps[place][payload_columns[place].coded.codes.get(row) as usize]
    });
    let sizes: Vec<u32> = quasi.iter().map(|(quasi, ..)| quasi.size()).collect();
    let (frequency, tuple_of_row) = FrequencyTable::count(
        &sizes,
        table.rows,
        |column, row| quasi[column].1[quasi_columns[column].coded.codes.get(row) as usize],
        payloads,
        &payload_of_row,
        |_| 1,
    );
    let missing = planned.iter().map(|column| (column.name.to_owned(), column.missing.to_vec())).collect();
    let quasi = quasi.into_iter().map(|(quasi, ..)| quasi).collect();
    let warnings = misspelt_files(hierarchies.as_deref(), plan)?;
    Ok(Prepared { quasi, table: frequency, tuple_of_row, class, payload_trees, missing, notes, warnings })
}

/// The tree of one column, and how many rows each of its leaves has.
pub struct ColumnTree {
    /// The tree and what was noticed while it was made.
    pub built: Built,
    /// Rows per leaf.
    pub rows_per_leaf: Vec<u64>,
}

/// Builds the hierarchy of one column of a table, for looking at it.
pub fn column_tree(
    table: &CodedTable,
    name: &str,
    column: &Column,
    class: Option<&str>,
    read: &crate::config::Read,
) -> Result<ColumnTree> {
    let coded = table.column(name).ok_or_else(|| Error::internal("the column was not read"))?;
    let missing = column.missing.as_ref().unwrap_or(&read.missing);
    let planned = Planned { name, plan: column, coded, missing };
    let ordered = order(&planned, true)?;
    let classes = class.and_then(|class| table.column(class)).map(|class| class_rows(coded, class, &ordered));
    let domain = domain(&planned, &ordered, classes.as_deref())?;
    let builder = column.hierarchy.clone().unwrap_or_else(|| hierarchy::automatic(&domain));
    let built = hierarchy::build(&builder, &domain)?;
    let mut rows_per_leaf = vec![0; built.hierarchy.leaf_count() as usize];
    for (code, rows) in built.codes.iter().zip(&ordered.rows) {
        rows_per_leaf[*code as usize] += rows;
    }
    if let Some(code) = built.missing {
        rows_per_leaf[code as usize] += table.rows as u64 - ordered.rows.iter().sum::<u64>();
    }
    Ok(ColumnTree { built, rows_per_leaf })
}

/// The kind of a sensitive column and its values in their order.
pub(crate) fn sensitive_order(table: &CodedTable, name: &str, plan: &Plan) -> Result<(Kind, Vec<String>)> {
    let unplanned = Column::new(crate::config::Roles::one(Role::Sensitive));
    let column = plan.column(name).unwrap_or(&unplanned);
    let coded =
        table.column(name).ok_or_else(|| Error::config(format!("the table has no column '{name}'")))?;
    let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
    let (payload, _) = payload_column(&Planned { name, plan: column, coded, missing })?;
    Ok((payload.measure.kind, payload.values.iter().map(str::to_owned).collect()))
}

/// Models here count rows, so a table with several rows a person would be promised more than it gets.
fn check_subject(subject: &Planned<'_>) -> Result<()> {
    let mut seen = vec![false; subject.coded.values.len()];
    for (row, code) in subject.coded.codes.iter().enumerate() {
        if std::mem::replace(&mut seen[code as usize], true) {
            return Err(Error::refused(format!(
                "column '{}', row {}: this person has several rows, and models count rows so far, not persons; bring the \
                 table to one row a person, or give the column another role and accept that k counts rows",
                subject.name,
                row + 1
            )));
        }
    }
    Ok(())
}

fn check_hierarchy_files(folder: Option<&Path>, plan: &Plan) -> Result<()> {
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        return Err(Error::config(format!("the hierarchy folder '{}' does not exist", folder.display())));
    }
    let idle = plan.columns.iter().find(|(_, column)| column.hierarchy.is_some() && !uses_hierarchy(column));
    if let Some((name, column)) = idle {
        return Err(Error::config(format!(
            "column '{name}' has a hierarchy, but in the role {} it is never generalised; remove the hierarchy or change the \
             role",
            column.role.to_toml()
        )));
    }
    Ok(())
}

/// Files in the folder of hierarchies that are called nearly, but not quite, like a column.
fn misspelt_files(folder: Option<&Path>, plan: &Plan) -> Result<Vec<String>> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let entries = std::fs::read_dir(folder)
        .map_err(|source| Error::Io { what: format!("cannot look into '{}'", folder.display()), source })?;
    let mut files: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    files.sort();
    let names: Vec<&str> = plan.columns.iter().map(|(name, _)| name.as_str()).collect();
    let warning = |file: &String| {
        let stem = file.strip_suffix(".csv")?;
        let column = stem.rsplit_once("_hierarchy_").map_or(stem, |(_, column)| column);
        let near = crate::error::did_you_mean(column, names.iter().copied());
        let fits = names.contains(&column) || near.is_empty();
        (!fits).then(|| format!("'{file}' in '{}' fits no column, so it is not used{near}", folder.display()))
    };
    Ok(files.iter().filter_map(warning).collect())
}

fn uses_hierarchy(column: &Column) -> bool {
    [Role::Quasi, Role::Sensitive, Role::Class].into_iter().any(|role| column.role.has(role))
}

/// What the plan says about a column's hierarchy: its own entry, else a file in the folder of hierarchies.
fn builder_for(column: &Planned<'_>, folder: &Path, hierarchies: Option<&Path>) -> Result<Option<Builder>> {
    if let Some(spec) = &column.plan.hierarchy {
        return Ok(Some(relative_to(folder, spec.clone())));
    }
    let file: Option<PathBuf> = match hierarchies {
        Some(hierarchies) => hierarchy::find_in_dir(hierarchies, column.name)?,
        None => None,
    };
    Ok(file.map(|path| Builder::File { path, unlisted: Unlisted::Error }))
}

/// A builder whose files are seen from the plan's own folder.
fn relative_to(folder: &Path, builder: Builder) -> Builder {
    match builder {
        Builder::File { path, unlisted } => Builder::File { path: folder.join(path), unlisted },
        Builder::ParentChild { path, unlisted } => Builder::ParentChild { path: folder.join(path), unlisted },
        other => other,
    }
}

/// How a hierarchy was made without being asked for, in a phrase.
fn describe(builder: &Builder) -> &'static str {
    match builder {
        Builder::EqualWidth { .. } => "ranges of equal width",
        Builder::Dates { .. } => "month, year and decade",
        Builder::Prefix { .. } => "codes masked from the end",
        Builder::Flat {} => "the value or *",
        Builder::Alphabetic { .. } => "five neighbours in alphabetic order to a node",
        _ => "see the plan",
    }
}

/// Orders the values of a column by its kind. `must_be_clear`: an ambiguous date format is an error, not a text.
fn order<'a>(column: &Planned<'a>, must_be_clear: bool) -> Result<Ordered<'a>> {
    let texts = &column.coded.values;
    let mut rows = vec![0_u64; texts.len()];
    let mut first_rows = vec![0_u64; texts.len()];
    for (row, code) in column.coded.codes.iter().enumerate() {
        if rows[code as usize] == 0 {
            first_rows[code as usize] = row as u64 + 1;
        }
        rows[code as usize] += 1;
    }
    let is_missing = |code: usize| column.missing.iter().any(|marker| marker == texts.get(code as u32));
    let present: Vec<u32> = (0..texts.len())
        .filter(|code| rows[*code] > 0 && !is_missing(*code))
        .map(|code| code as u32)
        .collect();
    let present_texts = present.iter().map(|code| texts.get(*code));
    let kind = kind_of(column, present_texts.clone(), must_be_clear)?;
    let measure = Measure::of(kind, present_texts.clone());
    let mut place = vec![u32::MAX; texts.len()];
    let mut ordered = Ordered {
        measure,
        values: Vec::new(),
        rows: Vec::new(),
        first_rows: Vec::new(),
        place: Vec::new(),
        missing: None,
    };
    let mut sorted: Vec<(i128, u32)> = Vec::with_capacity(present.len());
    for code in present {
        let number = match kind {
            Kind::Text => i128::from(code),
            _ => measure
                .number(texts.get(code))
                .ok_or_else(|| wrong_kind(column, kind, first_rows[code as usize]))?,
        };
        sorted.push((number, code));
    }
    // Equal numbers in different spellings are one value, shown in the shortest spelling.
    sorted.sort_unstable_by_key(|(number, code)| (*number, texts.get(*code).len(), *code));
    let mut last = None;
    for (number, code) in sorted {
        if last != Some(number) {
            ordered.values.push(texts.get(code));
            ordered.rows.push(0);
            ordered.first_rows.push(first_rows[code as usize]);
            last = Some(number);
        }
        let at = ordered.values.len() - 1;
        ordered.rows[at] += rows[code as usize];
        ordered.first_rows[at] = ordered.first_rows[at].min(first_rows[code as usize]);
        place[code as usize] = at as u32;
    }
    let missing = (0..texts.len()).filter(|code| rows[*code] > 0 && is_missing(*code));
    let shown = missing.clone().max_by_key(|code| (rows[*code], std::cmp::Reverse(*code)));
    missing.for_each(|code| place[code] = ordered.values.len() as u32);
    ordered.missing = shown.map(|code| texts.get(code as u32));
    ordered.place = place;
    Ok(ordered)
}

fn kind_of<'a>(
    column: &Planned<'_>,
    texts: impl Iterator<Item = &'a str> + Clone,
    must_be_clear: bool,
) -> Result<Kind> {
    if let Some(kind) = column.plan.declared_kind() {
        return Ok(kind);
    }
    let must_be_date = column.plan.value_type == Some(crate::config::ValueType::Date);
    match Kind::infer(texts) {
        Inference::Clear(kind) if !must_be_date || matches!(kind, Kind::Date(_)) => Ok(kind),
        Inference::Clear(_) => Err(Error::data(format!(
            "column '{}' is declared a date, but no one date format fits all its values; give the format (format = \
             \"dd/mm/yyyy\"; known: {}), or correct the values",
            column.name,
            DateFormat::ALL.map(DateFormat::name).join(", ")
        ))),
        Inference::AmbiguousDate if must_be_clear || must_be_date => Err(Error::config(format!(
            "column '{}' holds dates in which day and month cannot be told apart; say which comes first (--type \
             '{}=dd/mm/yyyy' or '{}=mm/dd/yyyy', in the plan format = \"dd/mm/yyyy\")",
            column.name, column.name, column.name
        ))),
        Inference::AmbiguousDate => Ok(Kind::Text),
    }
}

fn wrong_kind(column: &Planned<'_>, kind: Kind, row: u64) -> Error {
    let what = match kind {
        Kind::Integer => "a whole number".to_owned(),
        Kind::Decimal => "a number".to_owned(),
        Kind::DecimalComma => "a number with a decimal comma".to_owned(),
        Kind::Date(format) => format!("a date of the form {}", format.name()),
        Kind::Text => "text".to_owned(),
    };
    Error::data(format!(
        "column '{}', row {row}: the value is not {what}; correct it, declare it as missing (--missing-values), or give the \
         column another type",
        column.name
    ))
}

fn domain<'a>(
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
    })
}

/// Rows per value and class.
fn class_rows(column: &CodedColumn, class: &CodedColumn, ordered: &Ordered<'_>) -> Vec<Vec<u64>> {
    let mut rows = vec![vec![0; class.values.len()]; ordered.values.len()];
    for (value, class) in column.codes.iter().zip(class.codes.iter()) {
        if let Some(rows) = rows.get_mut(ordered.place[value as usize] as usize) {
            rows[class as usize] += 1;
        }
    }
    rows
}

/// A quasi-identifier, the code of each dictionary code, and notes.
fn make_quasi(
    column: &Planned<'_>,
    builder: Option<Builder>,
    trees: bool,
    classes: Option<&CodedColumn>,
) -> Result<(Quasi, Vec<u32>, Vec<String>)> {
    let ordered = order(column, true)?;
    let classes = match (&builder, classes) {
        (Some(Builder::Mdlp {}), Some(class)) => Some(class_rows(column.coded, class, &ordered)),
        _ => None,
    };
    let domain = domain(column, &ordered, classes.as_deref())?;
    let mut notes = Vec::new();
    let line = ordered.measure.kind.is_ordered() && !trees;
    let small_set = ordered.measure.kind == Kind::Text && !trees && ordered.values.len() <= LARGEST_SET;
    let (shape, code_of_place) = match builder {
        None if line && !ordered.values.is_empty() => line_shape(column, &ordered)?,
        None if small_set => set_shape(&ordered),
        builder => {
            let builder = builder.unwrap_or_else(|| {
                let automatic = hierarchy::automatic(&domain);
                notes.push(format!(
                    "column '{}' has no hierarchy; one was built from the data ({})",
                    column.name,
                    describe(&automatic)
                ));
                automatic
            });
            let Built { hierarchy, mut codes, missing, notes: of_builder } =
                hierarchy::build(&builder, &domain)?;
            notes.extend(of_builder);
            codes.extend(missing);
            (Shape::Tree(hierarchy), codes)
        }
    };
    let map =
        ordered.place.iter().map(|place| code_of_place.get(*place as usize).copied().unwrap_or(0)).collect();
    let priority = column.plan.priority.as_ref().map_or(1.0, |priority| priority.to_f64());
    let tight = column.plan.label == Some(Label::Tight);
    if tight {
        notes.push(format!(
            "column '{}' is labelled tight: its released ranges end at real values of people",
            column.name
        ));
    }
    Ok((Quasi { name: column.name.to_owned(), measure: ordered.measure, shape, priority, tight }, map, notes))
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
                "column '{}' has values beyond its declared {name}; correct the values or the declaration",
                column.name
            )));
        }
    }
    let texts: Texts = ordered.values.iter().copied().chain(ordered.missing).collect();
    let codes = (0..texts.len() as u32).collect();
    let bounds = (low.unwrap_or(round.0), high.unwrap_or(round.1));
    let declared = low.is_some() && high.is_some();
    Ok((Shape::Line(Line::new(&ordered.measure, numbers, texts, bounds, declared)), codes))
}

fn set_shape(ordered: &Ordered<'_>) -> (Shape, Vec<u32>) {
    let texts: Texts = ordered.values.iter().copied().chain(ordered.missing).collect();
    let codes = (0..texts.len() as u32).collect();
    (Shape::Set(texts), codes)
}

/// Ends that no person's value sets: whole years for dates, multiples of a power of ten for numbers.
fn round_outward(measure: &Measure, first: i128, last: i128) -> (i128, i128) {
    if let Kind::Date(_) = measure.kind {
        let year = |number: i128| Date::of(number as i64).year;
        let start = |year: i64| i128::from(Date { year, month: 1, day: 1 }.number());
        return (start(year(first)), start(year(last) + 1) - 1);
    }
    let mut step = 1;
    while step * 10 <= last - first {
        step *= 10;
    }
    (first.div_euclid(step) * step, -((-last).div_euclid(step) * step))
}

/// A payload column: numbers written differently but equal are one value, and so are all ways to write a missing one, since
/// two spellings of one value hide nothing. Also the value of each dictionary code.
fn payload_column(column: &Planned<'_>) -> Result<(PayloadColumn, Vec<u32>)> {
    let ordered = order(column, false)?;
    let values = ordered.values.iter().copied().chain(ordered.missing).collect();
    // Codes without rows have no place; any place will do, since no row has them.
    let map = ordered.place.iter().map(|place| if *place == u32::MAX { 0 } else { *place }).collect();
    Ok((PayloadColumn { name: column.name.to_owned(), values, measure: ordered.measure }, map))
}

/// A column in which every value is written in one way: what models count.
pub(crate) fn in_one_spelling(coded: &CodedColumn, plan: &Plan) -> Result<CodedColumn> {
    let unplanned = Column::new(crate::config::Roles::one(Role::Sensitive));
    let column = plan.column(&coded.name).unwrap_or(&unplanned);
    let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
    let (payload, map) = payload_column(&Planned { name: &coded.name, plan: column, coded, missing })?;
    let mut sorted: Vec<u32> = (0..payload.values.len() as u32).collect();
    sorted.sort_unstable_by_key(|value| payload.values.get(*value));
    let mut rank = vec![0; sorted.len()];
    for (place, value) in (0..).zip(&sorted) {
        rank[*value as usize] = place;
    }
    let mut codes = Codes::with_capacity(sorted.len(), coded.codes.len());
    coded.codes.iter().for_each(|code| codes.push(rank[map[code as usize] as usize]));
    let values = sorted.iter().map(|value| payload.values.get(*value)).collect();
    Ok(CodedColumn { name: coded.name.clone(), values, codes })
}

/// A table in which the values of these columns are written in one way.
pub(crate) fn table_in_one_spelling(table: &CodedTable, names: &[String], plan: &Plan) -> Result<CodedTable> {
    let column = |column: &CodedColumn| {
        if names.contains(&column.name) { in_one_spelling(column, plan) } else { Ok(column.clone()) }
    };
    Ok(CodedTable { columns: table.columns.iter().map(column).collect::<Result<_>>()?, rows: table.rows })
}

#[cfg(test)]
mod tests {
    use super::*;

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
