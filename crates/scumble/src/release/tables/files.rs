//! Arranges several tables for their files: what each row shows, in an order that reveals nothing.

use std::collections::HashMap;

use rayon::prelude::*;
use scumble_files::table::{Codes, Texts};
use scumble_files::{Cells, ColumnType, Control, OutColumn};

use super::TablesRun;
use super::manifest::{TableFile, Together};
use crate::base::chance;
use crate::error::{Error, Result};
use crate::release::search::OfRow;
use crate::release::staged::{Staged, column_type};
use crate::search::algorithms::tables::{GroupRow, GroupValues, Shown, Tables};
use crate::table::pack::Packer;

/// One table before it is written.
pub(super) struct Table {
    /// The name of its file without the ending.
    pub(super) name: String,
    columns: Vec<Column>,
    /// The rows in the order in which they are written. Where the rows are those of the original, this is the private row map.
    pub(super) order: Vec<u32>,
}

/// A column of a table.
struct Column {
    name: String,
    texts: Texts,
    /// The text of each row.
    codes: Codes,
    kind: ColumnType,
}

impl Table {
    /// A table whose rows are sorted by their texts. The row number only decides between rows that look the same, where nobody can see it.
    fn sorted(name: String, columns: Vec<Column>, rows: usize, control: &Control) -> Result<Self> {
        let mut packer = Packer::new(rows);
        for column in &columns {
            control.check()?;
            let mut by_text: Vec<u32> = (0..column.texts.len() as u32).collect();
            by_text.sort_unstable_by_key(|code| column.texts.get(*code));
            let mut rank = vec![0; by_text.len()];
            (0..).zip(&by_text).for_each(|(place, code)| rank[*code as usize] = place);
            packer.push(column.texts.len() as u32, |row| rank[column.codes.get(row) as usize]);
        }
        let keys = packer.finish();
        control.check()?;
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.par_sort_unstable_by_key(|row| (keys[*row as usize], *row));
        Ok(Self { name, columns, order })
    }

    /// A table about groups, in their order.
    fn in_order(name: &str, columns: Vec<Column>, rows: usize) -> Self {
        Self { name: name.to_owned(), columns, order: (0..rows as u32).collect() }
    }

    pub(super) fn write(&self, staged: &mut Staged<'_>) -> Result<()> {
        let columns: Vec<OutColumn<'_>> = self
            .columns
            .iter()
            .map(|column| OutColumn {
                name: &column.name,
                texts: &column.texts,
                cells: Cells::Direct(&column.codes),
                kind: column.kind,
            })
            .collect();
        staged.write(&self.name, &columns, &self.order)
    }

    /// Forgets the texts; the order of the rows stays.
    pub(super) fn forget_texts(&mut self) {
        self.columns = Vec::new();
    }

    /// The table's entry in the manifest.
    pub(super) fn described(&self, staged: &Staged<'_>) -> TableFile {
        TableFile {
            file: staged.file_name(&self.name),
            columns: self.columns.iter().map(|column| column.name.clone()).collect(),
            rows: self.order.len() as u64,
        }
    }
}

/// The tables of a run.
#[derive(Default)]
pub(super) struct Made {
    pub(super) tables: Vec<Table>,
    /// How the tables belong together.
    pub(super) together: Together,
    /// Where there are groups, the group of each original row, from 0. Private.
    pub(super) group_of_row: Option<Vec<u32>>,
}

/// The tables of a run, and how they belong together.
pub(super) fn tables(run: &TablesRun<'_>, of_row: &OfRow) -> Result<Made> {
    match &run.found.solution.tables {
        Tables::Projections(projections) => {
            let table = |(number, columns): (usize, &Vec<usize>)| {
                let mut shown: Vec<Column> =
                    columns.iter().map(|place| attribute(run, *place, of_row)).collect();
                shown.push(target(run, of_row));
                let name = format!("table-{}", number + 1);
                Table::sorted(name, in_order(run, shown), of_row.tuple.len(), run.problem.progress.control())
            };
            // Sorted by their columns, whatever order they were found in.
            let mut projections = projections.clone();
            projections.sort_unstable();
            let tables = projections.iter().enumerate().map(table).collect::<Result<_>>()?;
            Ok(Made { tables, together: Together::Projections, group_of_row: None })
        }
        Tables::Groups { members, values } => groups(run, of_row, members, *values),
    }
}

/// Columns in the order of the original table, others last.
fn in_order(run: &TablesRun<'_>, mut columns: Vec<Column>) -> Vec<Column> {
    let place = |name: &str| run.plan.columns.iter().position(|(of, _)| of == name);
    columns.sort_by_key(|column| place(&column.name).unwrap_or(usize::MAX));
    columns
}

/// A column that is published in addition to the target.
fn attribute(run: &TablesRun<'_>, place: usize, of_row: &OfRow) -> Column {
    let quasi = &run.problem.quasi[place];
    let shown = &run.found.solution.shown[place];
    let labels: Vec<String> = (0..quasi.size()).map(|code| shown.label(quasi, code)).collect();
    let mut sorted: Vec<&str> = labels.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let of_code: Vec<u32> =
        labels.iter().map(|label| sorted.partition_point(|of| *of < label.as_str()) as u32).collect();
    let texts: Texts = sorted.iter().copied().collect();
    let codes = run.problem.table.column(place);
    let rows: Vec<u32> =
        of_row.tuple.par_iter().map(|tuple| of_code[codes.get(*tuple as usize) as usize]).collect();
    let kind = if *shown == Shown::AsItIs { column_type(&texts) } else { ColumnType::Text };
    Column { name: quasi.name.clone(), codes: Codes::narrow(texts.len(), &rows), texts, kind }
}

/// The target's value of each original row.
fn value_of_row(run: &TablesRun<'_>, of_row: &OfRow) -> Vec<u32> {
    let payloads = run.problem.table.payloads();
    of_row.payload.par_iter().map(|payload| payloads.value(*payload, run.found.target)).collect()
}

/// The target unchanged.
fn target(run: &TablesRun<'_>, of_row: &OfRow) -> Column {
    values(run, &value_of_row(run, of_row))
}

/// A column of the target's values.
fn values(run: &TablesRun<'_>, values: &[u32]) -> Column {
    let column = run.target();
    let texts = column.values.clone();
    Column {
        name: column.name.clone(),
        codes: Codes::narrow(texts.len(), values),
        kind: column_type(&texts),
        texts,
    }
}

/// A column of numbers that belong to nobody.
fn numbers(name: &str, numbers: &[u32]) -> Column {
    let mut distinct = numbers.to_vec();
    distinct.par_sort_unstable();
    distinct.dedup();
    let place = |number: &u32| distinct.partition_point(|of| of < number) as u32;
    let codes: Vec<u32> = numbers.par_iter().map(place).collect();
    let texts: Texts =
        distinct.iter().map(u32::to_string).collect::<Vec<_>>().iter().map(String::as_str).collect();
    let kind = ColumnType::Integer;
    Column { name: name.to_owned(), codes: Codes::narrow(texts.len(), &codes), texts, kind }
}

/// A column of numbers about groups.
fn texts(name: &str, cells: &[String]) -> Column {
    let mut distinct: Vec<&str> = cells.iter().map(String::as_str).collect();
    // Numbers in their order, so that a table sorted by them reads well.
    distinct.sort_unstable_by_key(|text| (text.len(), *text));
    distinct.dedup();
    let place = |cell: &String| {
        distinct.partition_point(|text| (text.len(), *text) < (cell.len(), cell.as_str())) as u32
    };
    let codes: Vec<u32> = cells.iter().map(place).collect();
    let texts: Texts = distinct.iter().copied().collect();
    let kind = column_type(&texts);
    Column { name: name.to_owned(), codes: Codes::narrow(texts.len(), &codes), texts, kind }
}

/// The rows with the numbers of their groups, and the table about each group.
fn groups(run: &TablesRun<'_>, of_row: &OfRow, members: &[Vec<GroupRow>], told: GroupValues) -> Result<Made> {
    let look = || run.problem.progress.control().check();
    let members = numbered(members);
    look()?;
    let group_of_row = deal(run, of_row, &members)?;
    look()?;
    let free = |wish: &str| run.free_name(wish);
    let (group, count) = (free("group"), free("rows"));
    let group_numbers: Vec<u32> = group_of_row.iter().map(|group| group + 1).collect();
    let mut rows: Vec<Column> = Vec::new();
    for place in 0..run.problem.quasi.len() {
        rows.push(attribute(run, place, of_row));
        look()?;
    }
    let (second, sums) = match told {
        GroupValues::Counted => (counted(run, &members, &group, &count), None),
        GroupValues::Permuted => {
            let permuted = permuted(run, of_row, &group_of_row, members.len())?;
            rows.push(values(run, &permuted));
            let names = ["least", "greatest", "sum"].map(free);
            (summed(run, &members, [&group, &count], &names)?, Some(names))
        }
    };
    look()?;
    let mut rows = in_order(run, rows);
    rows.push(numbers(&group, &group_numbers));
    let control = run.problem.progress.control();
    let first = Table::sorted("rows".to_owned(), rows, of_row.tuple.len(), control)?;
    let together = Together::Groups { group, count, sums };
    Ok(Made { tables: vec![first, second], together, group_of_row: Some(group_of_row) })
}

/// Sorts groups so that their order does not reveal who has which value: by their rows without the target, then by their values.
fn numbered(members: &[Vec<GroupRow>]) -> Vec<&Vec<GroupRow>> {
    let key = |group: &&Vec<GroupRow>| {
        let mut tuples: Vec<u32> = group.iter().map(|row| row.tuple).collect();
        let mut values: Vec<u32> = group.iter().map(|row| row.value).collect();
        tuples.sort_unstable();
        values.sort_unstable();
        (tuples, values)
    };
    let mut sorted: Vec<&Vec<GroupRow>> = members.iter().collect();
    sorted.par_sort_by_cached_key(key);
    sorted
}

/// The group of each row. Rows that agree on everything are interchangeable.
fn deal(run: &TablesRun<'_>, of_row: &OfRow, members: &[&Vec<GroupRow>]) -> Result<Vec<u32>> {
    let mut places: HashMap<(u32, u32), Vec<u32>> = HashMap::new();
    for (group, members) in (0..).zip(members) {
        for row in *members {
            places.entry((row.tuple, row.value)).or_default().push(group);
        }
    }
    let values = value_of_row(run, of_row);
    let mut take = |key: (u32, u32)| places.get_mut(&key)?.pop();
    let dealt: Option<Vec<u32>> =
        of_row.tuple.iter().zip(&values).map(|(tuple, value)| take((*tuple, *value))).collect();
    dealt
        .filter(|_| places.values().all(Vec::is_empty))
        .ok_or_else(|| Error::internal("the groups do not hold every row once"))
}

/// The table with each value of each group and its number of rows.
fn counted(run: &TablesRun<'_>, members: &[&Vec<GroupRow>], group: &str, count: &str) -> Table {
    let mut lines: Vec<(u32, u32, u32)> = Vec::new();
    for (number, members) in (1..).zip(members) {
        let mut of_group: Vec<u32> = members.iter().map(|row| row.value).collect();
        of_group.sort_unstable();
        for same in of_group.chunk_by(|a, b| a == b) {
            lines.push((number, same[0], same.len() as u32));
        }
    }
    let columns = vec![
        numbers(group, &lines.iter().map(|line| line.0).collect::<Vec<_>>()),
        values(run, &lines.iter().map(|line| line.1).collect::<Vec<_>>()),
        numbers(count, &lines.iter().map(|line| line.2).collect::<Vec<_>>()),
    ];
    Table::in_order("groups", columns, lines.len())
}

/// The target's value that each row shows: the values of its group, in a random order.
fn permuted(run: &TablesRun<'_>, of_row: &OfRow, group_of_row: &[u32], groups: usize) -> Result<Vec<u32>> {
    let mut chance = chance::secret_unless(run.plan.algorithm.seed)?;
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); groups];
    for (row, group) in (0..).zip(group_of_row) {
        rows[*group as usize].push(row);
    }
    let own = value_of_row(run, of_row);
    let mut shown = own.clone();
    for mut rows in rows {
        // The result for a seed must not depend on the order of the original rows.
        rows.sort_unstable_by_key(|row| (of_row.tuple[*row as usize], own[*row as usize]));
        let mut values: Vec<u32> = rows.iter().map(|row| own[*row as usize]).collect();
        chance::shuffle(&mut values, &mut chance);
        for (row, value) in rows.iter().zip(values) {
            shown[*row as usize] = value;
        }
    }
    Ok(shown)
}

/// The table with the number of rows of each group, its least and greatest value, and the sum.
fn summed(
    run: &TablesRun<'_>,
    members: &[&Vec<GroupRow>],
    [group, count]: [&str; 2],
    [least, greatest, sum]: &[String; 3],
) -> Result<Table> {
    let target = run.target();
    let number = |value: u32| {
        let number = target.number(target.values.get(value)).filter(|_| target.measure.kind.has_unit());
        number.ok_or_else(|| {
            Error::refused(format!("column '{}' is not of numbers only, so groups have no sums", target.name))
        })
    };
    let mut cells: [Vec<String>; 5] = Default::default();
    for (place, members) in members.iter().enumerate() {
        let numbers: Vec<i128> = members.iter().map(|row| number(row.value)).collect::<Result<_>>()?;
        let (low, high) = numbers
            .iter()
            .min()
            .zip(numbers.iter().max())
            .ok_or_else(|| Error::internal("a group without rows"))?;
        let text = |number: &i128| target.measure.text(*number);
        let sum = numbers.iter().try_fold(0_i128, |sum, number| sum.checked_add(*number));
        let sum = sum.ok_or_else(|| {
            Error::refused(format!("the numbers of column '{}' are too long to be added up", target.name))
        })?;
        let (rows, sum) = (members.len().to_string(), text(&sum));
        let line = [(place + 1).to_string(), rows, text(low), text(high), sum];
        cells.iter_mut().zip(line).for_each(|(cells, cell)| cells.push(cell));
    }
    let names = [group, count, least, greatest, sum];
    let columns = names.iter().zip(&cells).map(|(name, cells)| texts(name, cells)).collect();
    Ok(Table::in_order("groups", columns, members.len()))
}
