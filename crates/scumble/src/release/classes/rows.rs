//! The rows of a release: which are released, in which order, and what they show.

use std::collections::BTreeSet;

use rayon::prelude::*;
use scumble_files::table::{CodedColumn, Texts};
use scumble_files::{Cells, ColumnType, OutColumn};

use super::super::ranges::RangeColumn;
use super::super::renumber::fresh_numbers;
use super::super::search::OfRow;
use super::super::staged::{Staged, column_type, label_type};
use super::super::weights::ShownWeights;
use super::ClassRun;
use crate::config::StarPolicy;
use crate::error::{Error, Result};
use crate::recoding::{Members, Share};
use crate::release::pipeline::ShownColumn;
use crate::release::report::{among, keys, open_columns};
use crate::report::data::Uniqueness;
use crate::table::label;
use crate::table::pack::Packer;

/// The rows of a release before they are written.
#[derive(Default)]
pub(crate) struct ReleasedRows {
    /// For each original row its look: the number of its class among the kept ones, or one more if it is suppressed.
    pub(crate) look_of_row: Vec<u32>,
    /// For each released row the original row it came from. Private.
    pub(crate) order: Vec<u32>,
    /// The labels of each quasi-identifier.
    pub(super) labels: Vec<Labels>,
    /// Fresh numbers of households, if the plan asks for them.
    pub(super) numbers: Option<CodedColumn>,
    /// What the columns of survey weights show.
    pub(super) weights: Vec<ShownWeights>,
    /// How many rows are unique on survey weights that are published as they are, by column.
    pub(super) unique_on_weights: Vec<(String, Uniqueness)>,
    /// The number of rows that are unique on all that they show, sensitive columns aside; `None` where nothing else is published exactly.
    pub(crate) unique_with_quasi: Option<Uniqueness>,
}

/// What a quasi-identifier shows.
pub(super) struct Labels {
    /// The labels in ascending order.
    texts: Texts,
    /// The label of each look.
    of_look: Vec<u32>,
    kind: ColumnType,
}

/// Chooses and sorts the released rows. They are sorted by what they show, so no trace of the original order is left.
///
/// Also returns warnings.
pub(in crate::release) fn arrange(run: &ClassRun<'_>, of_row: OfRow) -> Result<(ReleasedRows, Vec<String>)> {
    let classes = &run.found.classes;
    // A look is what readers can distinguish: each kept class, and all suppressed rows as one.
    let mut look_of_class: Vec<u32> = Vec::with_capacity(classes.len());
    let mut kept = 0;
    for class in 0..classes.len() {
        look_of_class.push(if classes.is_suppressed(class) { u32::MAX } else { kept });
        kept += u32::from(!classes.is_suppressed(class));
    }
    let columns = (0..run.problem.quasi.len()).into_par_iter();
    let labels: Vec<Labels> = columns.map(|column| column_labels(run, column)).collect::<Result<_>>()?;
    let mut look_of_row = class_of_row(run, of_row.tuple, &of_row.payload)?;
    drop(of_row.payload);
    look_of_row.par_iter_mut().for_each(|place| *place = look_of_class[*place as usize].min(kept));
    drop(look_of_class);
    let dropped = |row: u32| run.problem.star_policy == StarPolicy::Drop && look_of_row[row as usize] == kept;
    let order: Vec<u32> = (0..look_of_row.len() as u32).filter(|row| !dropped(*row)).collect();
    let rank = ranks(&labels);
    let group_of_row = |row: u32| rank[look_of_row[row as usize] as usize];
    let (weights, warnings) =
        super::super::weights::shown(run.plan, run.source, &run.source.as_read(), &group_of_row, &order)?;
    let (order, numbers) = sorted(run, &rank, &look_of_row, &weights, order)?;
    let unique_with_quasi = unique_with_quasi(run, &look_of_row, kept, &order);
    let kept_weights = weights.iter().filter(|of| of.is_kept);
    let unique_on_weights = kept_weights.map(|of| unique_on(run, &of.column, &order)).collect();
    let rows =
        ReleasedRows { look_of_row, order, labels, numbers, weights, unique_on_weights, unique_with_quasi };
    Ok((rows, warnings))
}

/// The released rows as they are written, and the fresh numbers of households.
fn sorted(
    run: &ClassRun<'_>,
    rank: &[u32],
    look_of_row: &[u32],
    weights: &[ShownWeights],
    rows: Vec<u32>,
) -> Result<(Vec<u32>, Option<CodedColumn>)> {
    let keep_order = run.plan.keep_order;
    if keep_order && run.plan.renumbered().is_none() {
        return Ok((rows, None));
    }
    let (by_content, content) = sort_by_content(run, rank, look_of_row, weights, &rows);
    let numbers = fresh_numbers(run.plan, run.source, &by_content, &content)?;
    let (numbers, by_content) = match numbers {
        Some((numbers, order)) => (Some(numbers), order),
        None => (None, by_content),
    };
    Ok((if keep_order { rows } else { by_content }, numbers))
}

/// The name of a column, and how many released rows are unique on what it shows.
fn unique_on(run: &ClassRun<'_>, column: &CodedColumn, released: &[u32]) -> (String, Uniqueness) {
    let shown = released.iter().map(|row| u64::from(column.codes.get(*row as usize))).collect();
    (column.name.clone(), among(shown, run.plan.risk.audience.least_k()))
}

/// Counts the rows that somebody finds who has all columns but the sensitive ones.
fn unique_with_quasi(
    run: &ClassRun<'_>,
    look_of_row: &[u32],
    stars: u32,
    released: &[u32],
) -> Option<Uniqueness> {
    let names: Vec<&str> = run.untouched_columns().collect();
    let open = open_columns(run.plan, &names);
    if open.is_empty() {
        return None;
    }
    let mut seen = keys(run.source, &open);
    seen.push(stars + 1, |row| look_of_row[row]);
    let seen = seen.finish();
    Some(among(released.iter().map(|row| seen[*row as usize]).collect(), run.plan.risk.audience.least_k()))
}

/// The class of each original row.
fn class_of_row(run: &ClassRun<'_>, tuple_of_row: Vec<u32>, payload_of_row: &[u32]) -> Result<Vec<u32>> {
    let shares = match &run.found.classes.assignment.members {
        Members::Tuples(class_of_tuple) => {
            let mut class_of_row = tuple_of_row;
            class_of_row.par_iter_mut().for_each(|place| *place = class_of_tuple[*place as usize]);
            return Ok(class_of_row);
        }
        Members::Shares(shares) => shares,
    };
    // The search could not tell these rows apart. They are dealt out by what else they show, so that their order in the
    // original decides only between rows that look the same.
    let shown = original_keys(run, tuple_of_row.len());
    let mut rows: Vec<u32> = (0..tuple_of_row.len() as u32).collect();
    rows.par_sort_unstable_by_key(|row| {
        let at = *row as usize;
        (tuple_of_row[at], payload_of_row[at], shown[at], *row)
    });
    let key = |row: &u32| (tuple_of_row[*row as usize], payload_of_row[*row as usize]);
    let same_rows = rows.chunk_by(|a, b| key(a) == key(b));
    let same_shares = shares.chunk_by(|a, b| (a.tuple, a.payload) == (b.tuple, b.payload));
    let mut class_of_row = vec![0; tuple_of_row.len()];
    let mut dealt = 0;
    for (rows, shares) in same_rows.zip(same_shares) {
        let of_shares: u64 = shares.iter().map(|share| u64::from(share.rows)).sum();
        if key(&rows[0]) != (shares[0].tuple, shares[0].payload) || of_shares != rows.len() as u64 {
            break;
        }
        deal(rows, shares, &mut class_of_row);
        dealt += rows.len();
    }
    if dealt != class_of_row.len() {
        return Err(Error::internal("the classes do not account for every row"));
    }
    Ok(class_of_row)
}

/// Deals rows out so that every class gets its share of the first rows as well as of the last: rows in one block would make a class
/// look as if it had to do with what they show.
fn deal(rows: &[u32], shares: &[Share], class_of_row: &mut [u32]) {
    let all = rows.len() as u64;
    let mut given = vec![0_u64; shares.len()];
    for (place, row) in (1..).zip(rows) {
        let lacks = |at: &usize| (u64::from(shares[*at].rows) * place) as i64 - (given[*at] * all) as i64;
        let most = (0..shares.len()).rev().max_by_key(lacks).unwrap_or(0);
        given[most] += 1;
        class_of_row[*row as usize] = shares[most].class;
    }
}

/// A key for each row that stands for its columns that are published unchanged, and sorts like them.
fn kept_keys(run: &ClassRun<'_>, rows: usize) -> Packer {
    let mut packer = Packer::new(rows);
    let columns = run.source.by_name();
    for column in run.untouched_columns().filter_map(|name| columns.get(name)) {
        packer.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    packer
}

/// The same for all columns that decide what a row shows besides its quasi-identifiers: also weights, and what they are calibrated by.
fn original_keys(run: &ClassRun<'_>, rows: usize) -> Vec<u64> {
    let mut packer = kept_keys(run, rows);
    let columns = run.source.by_name();
    let of_weights = run.plan.weights().flat_map(|(name, column, _)| [Some(name), column.stratum.as_deref()]);
    // Which rows are one household decides the numbers of all.
    let others = of_weights.flatten().chain(run.plan.renumbered());
    for column in others.filter_map(|name| columns.get(name)) {
        packer.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    packer.finish()
}

/// What a column shows in each kept class and, last, in suppressed rows. Values of suppressed classes are not among its labels.
fn column_labels(run: &ClassRun<'_>, column: usize) -> Result<Labels> {
    let classes = &run.found.classes;
    let shown = &classes.assignment.columns[column];
    let quasi = &run.problem.quasi[column];
    let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
    let value_of_look: Vec<u32> = kept.map(|class| shown.of_class.get(class)).collect();
    let mut is_kept = vec![false; shown.values.len()];
    value_of_look.iter().for_each(|value| is_kept[*value as usize] = true);
    let values = || shown.values.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(value, _)| *value);
    let range = RangeColumn::of(run, quasi);
    let label = |value| range.as_ref().map_or_else(|| Ok(quasi.label(value)), |of| of.label(quasi, value));
    let of_kept: Vec<String> = values().map(label).collect::<Result<_>>()?;
    let mut sorted: Vec<&str> = of_kept.iter().map(String::as_str).chain([label::STAR]).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place = |text: &str| sorted.binary_search(&text).unwrap_or(0) as u32;
    let mut labels = of_kept.iter();
    let place_of_value: Vec<u32> = is_kept
        .iter()
        .map(|kept| if *kept { labels.next().map_or(0, |text| place(text)) } else { 0 })
        .collect();
    let of_look = value_of_look
        .iter()
        .map(|value| place_of_value[*value as usize])
        .chain([place(label::STAR)])
        .collect();
    let texts: Texts = sorted.into_iter().collect();
    let kind = label_type(quasi, values(), &texts);
    Ok(Labels { texts, of_look, kind })
}

/// The rank of each look by what it shows.
fn ranks(labels: &[Labels]) -> Vec<u32> {
    let count = labels.first().map_or(1, |labels| labels.of_look.len());
    let mut looks: Vec<u32> = (0..count as u32).collect();
    let shown = |look: u32| labels.iter().map(move |labels| labels.of_look[look as usize]);
    looks.par_sort_unstable_by(|a, b| shown(*a).cmp(shown(*b)));
    // Looks that cannot be told apart get the same rank.
    let mut rank = vec![0_u32; count];
    for pair in looks.windows(2) {
        rank[pair[1] as usize] = rank[pair[0] as usize] + u32::from(shown(pair[0]).ne(shown(pair[1])));
    }
    rank
}

/// Sorts rows by what they show: by their look (a counting sort), then by the columns that are kept, then by their weights. Also returns, for
/// each sorted row, a number that is equal for rows that show the same, and ascends.
fn sort_by_content(
    run: &ClassRun<'_>,
    rank: &[u32],
    look_of_row: &[u32],
    weights: &[ShownWeights],
    rows: &[u32],
) -> (Vec<u32>, Vec<u32>) {
    let count = rank.len();
    let mut starts = vec![0_usize; count + 1];
    rows.iter().for_each(|row| starts[rank[look_of_row[*row as usize] as usize] as usize + 1] += 1);
    for rank in 0..count {
        starts[rank + 1] += starts[rank];
    }
    let mut order = vec![0; rows.len()];
    let mut next = starts.clone();
    for row in rows {
        let place = &mut next[rank[look_of_row[*row as usize] as usize] as usize];
        order[*place] = *row;
        *place += 1;
    }
    let mut keys = kept_keys(run, look_of_row.len());
    for ShownWeights { column, .. } in weights {
        keys.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    let keys = keys.finish();
    // The original row number only decides between rows that look the same, where nobody can see it.
    let mut rest = order.as_mut_slice();
    let mut groups = Vec::with_capacity(count);
    for rank in 0..count {
        let (group, others) = rest.split_at_mut(starts[rank + 1] - starts[rank]);
        groups.push(group);
        rest = others;
    }
    groups
        .into_par_iter()
        .for_each(|group| group.par_sort_unstable_by_key(|row| (keys[*row as usize], *row)));
    if run.plan.renumbered().is_none() {
        return (order, Vec::new());
    }
    let shows = |row: u32| (rank[look_of_row[row as usize] as usize], keys[row as usize]);
    let mut content = vec![0_u32; order.len()];
    for place in 1..order.len() {
        let differs = shows(order[place]) != shows(order[place - 1]);
        content[place] = content[place - 1] + u32::from(differs);
    }
    (order, content)
}

/// What each row of the original shows in a column of the release.
pub(super) fn shows(run: &ClassRun<'_>, rows: &ReleasedRows, name: &str) -> Option<ShownColumn> {
    if let Some(place) = run.problem.quasi.iter().position(|quasi| quasi.name == name) {
        let Labels { texts, of_look, .. } = &rows.labels[place];
        let of_row = rows.look_of_row.iter().map(|look| of_look[*look as usize]).collect();
        return Some(ShownColumn { texts: texts.clone(), of_row });
    }
    let kept = run.untouched_columns().find(|kept| *kept == name)?;
    let column = run.source.column(kept)?;
    Some(ShownColumn { texts: column.values.clone(), of_row: column.codes.iter().collect() })
}

/// Writes the columns of the release in the order of the original table.
pub(super) fn write(run: &ClassRun<'_>, rows: &ReleasedRows, staged: &mut Staged<'_>) -> Result<()> {
    let mut columns = Vec::new();
    let source = run.source.by_name();
    let kept: BTreeSet<&str> = run.untouched_columns().collect();
    for (name, _) in &run.plan.columns {
        if let Some(place) = run.problem.quasi.iter().position(|quasi| quasi.name == *name) {
            let Labels { texts, of_look, kind } = &rows.labels[place];
            let cells = Cells::Via { class_of_row: &rows.look_of_row, code_of_class: of_look };
            columns.push(OutColumn { name, texts, cells, kind: *kind });
        } else if let Some(column) = source.get(name.as_str()).filter(|_| kept.contains(name.as_str())) {
            let cells = Cells::Direct(&column.codes);
            // A column that is published unchanged keeps its type, if the format has types.
            let kind = column_type(&column.values);
            columns.push(OutColumn { name, texts: &column.values, cells, kind });
        } else if let Some(column) =
            rows.weights.iter().map(|of| &of.column).chain(&rows.numbers).find(|of| of.name == *name)
        {
            let (cells, kind) = (Cells::Direct(&column.codes), column_type(&column.values));
            columns.push(OutColumn { name, texts: &column.values, cells, kind });
        }
    }
    staged.write("", &columns, &rows.order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_gets_first_and_last_rows() {
        let share = |class, rows| Share { tuple: 0, payload: 0, class, rows };
        let mut class_of_row = vec![9; 6];
        deal(&[5, 4, 3, 2, 1, 0], &[share(0, 2), share(1, 4)], &mut class_of_row);
        // From row 5 down to row 0.
        assert_eq!(class_of_row, [1, 0, 1, 1, 0, 1]);
    }
}
