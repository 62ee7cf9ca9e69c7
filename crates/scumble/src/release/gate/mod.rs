//! The gate that every column passes on its way to a release. E-mail addresses, phone numbers, IBANs, payment cards, social security numbers,
//! names of people and free text stop the release, unless the plan accepts them for this column and says why.
//!
//! Columns that are published exactly are checked once they are read, so that nobody waits for a search in vain. Quasi-identifiers are checked
//! as they were written: what [`Staged`](super::staged::Staged) reads back for the verifier passes here first, a set by each of its members.
//! Both checks look at distinct values. No message shows one.

#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;

use rayon::prelude::*;
use scumble_files::table::{CodedColumn, CodedTable};

use crate::config::profile::NameSays;
use crate::config::{Column, Plan, Role, Weights};
use crate::error::Result;
use crate::report::data::{AcceptedPersonalData, NoticedPersonalData, PersonalData, PersonalKindFound};
use crate::table::label::{STAR, members};
use crate::table::personal::column::{Gate, Sample, add_row, gate};
use crate::table::personal::people::{
    are_free_text, are_names, are_names_as_the_column_says, are_names_of_people_only, could_be_name, is_name,
    is_sentence,
};
use crate::table::personal::{GatedKind, Kind, Kinds};

/// What the gate let through, and what is reported about it.
#[derive(Debug, Clone, Default)]
pub(super) struct Passed {
    pub(super) personal: PersonalData,
    pub(super) notes: Vec<String>,
}

/// The row numbers in the file of a table's rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowNumbers<'a> {
    /// For each row of the file whether it was kept.
    Kept(&'a [bool]),
    /// The row numbers are not known.
    Unknown,
}

impl RowNumbers<'_> {
    /// The numbers of rows, counted from 1 in the file.
    pub(super) fn of(self, rows: &[u64]) -> Vec<u64> {
        match self {
            Self::Unknown => Vec::new(),
            Self::Kept(kept) => {
                let mut numbers = (1_u64..).zip(kept).filter(|(_, kept)| **kept).map(|(number, _)| number);
                // The rows ascend, so the search for each goes on behind the one before.
                let mut next = 0;
                let number = |row: &u64| {
                    let skipped = usize::try_from(row.checked_sub(next)?).ok()?;
                    next = row + 1;
                    numbers.nth(skipped)
                };
                rows.iter().filter_map(number).collect()
            }
        }
    }
}

/// What one column would publish.
struct Shown<'a> {
    name: &'a str,
    plan: &'a Column,
    /// The distinct texts, ascending. Missing values are not among them.
    texts: Vec<Text<'a>>,
    /// Whether the texts are labels, each of which several rows share.
    labels: bool,
}

/// A text that readers would see.
struct Text<'a> {
    text: Cow<'a, str>,
    /// The number of rows of the table that have it.
    count: u64,
    /// The first of them, if the table has the text.
    row: Option<u64>,
}

/// The texts that are of a kind which is said of a column as a whole.
#[derive(Debug, Clone, Default)]
struct Such {
    values: u64,
    /// The first rows that have one, ascending.
    rows: Vec<u64>,
}

/// The findings in one column.
struct Found<'a> {
    shown: Shown<'a>,
    gate: Gate,
    names: Option<Such>,
    free_text: Option<Such>,
}

/// Checks the columns of a table that are published exactly.
pub(super) fn exact(plan: &Plan, table: &CodedTable, rows: RowNumbers<'_>) -> Result<Passed> {
    let by_name = table.by_name();
    let is_exact = |column: &Column| {
        column.weights == Some(Weights::Keep) || Role::EXACT.iter().any(|role| column.role.has(*role))
    };
    let columns = plan.columns.iter().filter(|(_, column)| is_exact(column));
    let columns = columns.filter_map(|(name, column)| Some((*by_name.get(name.as_str())?, name, column)));
    let found: Vec<Found<'_>> = columns
        .collect::<Vec<_>>()
        .into_par_iter()
        .map(|(coded, name, column)| {
            let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
            let seen = Seen::of(coded);
            let places = (0..).zip(coded.values.iter()).filter(|(code, text)| {
                seen.counts[*code as usize] > 0 && !missing.iter().any(|marker| marker == text)
            });
            let texts = places
                .map(|(code, text): (u32, _)| Text {
                    text: Cow::Borrowed(text),
                    count: seen.counts[code as usize],
                    row: Some(seen.first[code as usize]),
                })
                .collect();
            look(Shown { name, plan: column, texts, labels: false })
        })
        .collect();
    decide(found, rows)
}

/// Checks the quasi-identifiers of written tables, whose labels may still be values as they were read. `source` is the table
/// that they were made from.
pub(super) fn labels(
    plan: &Plan,
    written: &[CodedTable],
    source: &CodedTable,
    rows: RowNumbers<'_>,
) -> Result<Passed> {
    let of_source = source.by_name();
    let quasi = |column: &CodedColumn| {
        let planned = plan.columns.iter().find(|(name, _)| *name == column.name);
        planned.filter(|(_, column)| column.role.has(Role::Quasi))
    };
    let columns: Vec<_> = written
        .iter()
        .flat_map(|table| &table.columns)
        .filter_map(|column| Some((column, quasi(column)?)))
        .collect();
    let found: Vec<Found<'_>> = columns
        .into_par_iter()
        .map(|(coded, (name, column))| {
            let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
            let original = of_source.get(name.as_str()).map(|original| (*original, Seen::of(original)));
            // A text of the table counts for the rows that have it there. Each label is shared by several rows, so the rows of the release would
            // hide that every person has a name of their own.
            let in_table = |text: &str| {
                let (original, seen) = original.as_ref()?;
                let code = original.values.find_sorted(text)? as usize;
                (seen.counts[code] > 0).then(|| (seen.counts[code], seen.first[code]))
            };
            let seen = Seen::of(coded);
            let mut texts: BTreeMap<Cow<'_, str>, u64> = BTreeMap::new();
            for (count, label) in
                seen.counts.iter().zip(coded.values.iter()).filter(|(_, label)| *label != STAR)
            {
                for text in visible(label) {
                    *texts.entry(text).or_default() += count;
                }
            }
            let texts = texts.into_iter().filter(|(text, _)| !missing.iter().any(|marker| marker == text));
            let texts = texts
                .map(|(text, released)| match in_table(&text) {
                    Some((count, row)) => Text { text, count, row: Some(row) },
                    None => Text { text, count: released, row: None },
                })
                .collect();
            look(Shown { name, plan: column, texts, labels: true })
        })
        .collect();
    decide(found, rows)
}

/// The texts that readers see in a label: a set shows each of its members. A text that could be taken for a label is quoted.
fn visible(label: &str) -> Vec<Cow<'_, str>> {
    match members(label) {
        Some(members) => members.into_iter().map(Cow::Owned).collect(),
        None => vec![Cow::Borrowed(label.strip_prefix('=').unwrap_or(label))],
    }
}

/// The number of rows that have each text of a column, and the first of them.
struct Seen {
    counts: Vec<u64>,
    first: Vec<u64>,
}

impl Seen {
    fn of(coded: &CodedColumn) -> Self {
        let (mut counts, mut first) = (vec![0_u64; coded.values.len()], vec![0_u64; coded.values.len()]);
        for (row, code) in (0..).zip(coded.codes.iter()) {
            let count = &mut counts[code as usize];
            if *count == 0 {
                first[code as usize] = row;
            }
            *count += 1;
        }
        Self { counts, first }
    }
}

fn look(shown: Shown<'_>) -> Found<'_> {
    let says = NameSays::of(shown.name);
    let accepted = shown.plan.accept_pii.iter().flat_map(|consent| &consent.kinds);
    let accepted: Kinds = accepted
        .filter_map(|kind| match kind {
            GatedKind::Text(kind) => Some(*kind),
            GatedKind::PersonName => None,
        })
        .collect();
    // Rows are counted from 0 here, and texts without a row come last.
    let gate = gate(
        shown.texts.iter().map(|of| (of.text.as_ref(), of.row.unwrap_or(u64::MAX))),
        says.kinds,
        accepted,
    );
    let texts: Vec<&str> = shown.texts.iter().map(|of| of.text.as_ref()).collect();
    let counts: Vec<u64> = shown.texts.iter().map(|of| of.count).collect();
    let (distinct, present) = (texts.len() as u64, counts.iter().sum());
    let sample = Sample::of(&texts, &counts);
    // In a column of names a coarser value, such as a country, is no name. Only values as they were read are.
    let as_read: Vec<&str> =
        shown.texts.iter().filter(|of| of.row.is_some()).map(|of| of.text.as_ref()).collect();
    let as_read = (Sample::of(&as_read, &vec![1; as_read.len()]), as_read.len() as u64);
    let by_name = says.names_people && are_names_as_the_column_says(&as_read.0, as_read.1);
    let by_values = match says.called_like_people {
        true => are_names_of_people_only(&sample, distinct),
        false => are_names(&sample, distinct, present, says.may_name_people),
    };
    let names = match (by_name, by_values) {
        (true, _) => Some(shown.such(|of| of.row.is_some() && could_be_name(&of.text))),
        (false, true) => Some(shown.such(|of| is_name(&of.text))),
        (false, false) => None,
    };
    let free_text = are_free_text(&sample, distinct, present, says.notes);
    let free_text = free_text.then(|| shown.such(|of| is_sentence(&of.text, says.notes)));
    Found { shown, gate, names, free_text }
}

impl Shown<'_> {
    /// The texts that fit.
    fn such(&self, fits: impl Fn(&Text<'_>) -> bool) -> Such {
        let mut such = Such::default();
        for of in self.texts.iter().filter(|of| fits(of)) {
            such.values += 1;
            of.row.into_iter().for_each(|row| add_row(row, &mut such.rows));
        }
        such
    }
}

impl Found<'_> {
    /// Whether the texts themselves stop the release. A label that is an e-mail address or an IBAN is never published: several rows share it, so
    /// it is not a slip in a single row.
    fn texts_refused(&self) -> bool {
        let never = |kind: Kind| matches!(kind, Kind::Email | Kind::Iban) && !self.gate.accepted.has(kind);
        self.gate.refuses() || self.shown.labels && self.gate.hits.iter().any(|of| never(of.kind))
    }

    fn accepts_names(&self) -> bool {
        let consent = self.shown.plan.accept_pii.as_ref();
        consent.is_some_and(|consent| consent.kinds.contains(&GatedKind::PersonName))
    }

    fn names_refused(&self) -> bool {
        self.names.is_some() && !self.accepts_names()
    }

    fn text_refused(&self) -> bool {
        self.free_text.is_some() && self.shown.plan.accept_free_text.is_none()
    }

    /// The number of distinct values that were checked.
    fn distinct(&self) -> u64 {
        self.shown.texts.len() as u64
    }

    /// The findings of the accepted kinds, or of the others.
    fn kinds(&self, accepted: bool, rows: RowNumbers<'_>) -> Vec<PersonalKindFound> {
        let of_kind = |kind: GatedKind, values: u64, first: Vec<u64>| PersonalKindFound {
            kind: kind.name().to_owned(),
            values,
            rows: rows.of(&first),
        };
        let known = |rows: &[u64]| rows.iter().copied().filter(|row| *row != u64::MAX).collect::<Vec<u64>>();
        let hits = self.gate.hits.iter().filter(|hits| self.gate.accepted.has(hits.kind) == accepted);
        let mut kinds: Vec<PersonalKindFound> =
            hits.map(|hits| of_kind(GatedKind::Text(hits.kind), hits.values, known(&hits.rows))).collect();
        if let Some(names) = self.names.as_ref().filter(|_| self.accepts_names() == accepted) {
            kinds.push(of_kind(GatedKind::PersonName, names.values, names.rows.clone()));
        }
        kinds
    }
}

/// The warnings to the person who publishes this.
pub(super) fn warnings(personal: &PersonalData) -> Vec<String> {
    let noticed = personal.noticed.iter().map(|of| words::noticed(&of.column, &of.kinds, of.values));
    let accepted = personal.accepted.iter().map(|of| match of.free_text {
        true => words::accepted_text(&of.column, of.values),
        false => words::accepted(&of.column, &of.kinds, of.values),
    });
    noticed.chain(accepted).collect()
}

/// Returns an error if anything stops the release, else what the gate let through.
fn decide(found: Vec<Found<'_>>, rows: RowNumbers<'_>) -> Result<Passed> {
    let stopped = |of: &&Found<'_>| of.texts_refused() || of.names_refused() || of.text_refused();
    let refused: Vec<&Found<'_>> = found.iter().filter(stopped).collect();
    if !refused.is_empty() {
        return Err(words::refusal(&refused, rows));
    }
    let mut passed = Passed::default();
    for of in found {
        let (column, values) = (of.shown.name.to_owned(), of.distinct());
        let kinds = of.kinds(false, rows);
        if !kinds.is_empty() {
            passed.personal.noticed.push(NoticedPersonalData { column: column.clone(), kinds, values });
        }
        if let Some(consent) = &of.shown.plan.accept_pii {
            let kinds = of.kinds(true, rows);
            let absent = consent.kinds.iter().filter(|kind| !kinds.iter().any(|of| of.kind == kind.name()));
            passed.notes.extend(absent.map(|kind| words::not_found(&column, *kind)));
            if !kinds.is_empty() {
                passed.personal.accepted.push(AcceptedPersonalData {
                    column: column.clone(),
                    kinds,
                    free_text: false,
                    values,
                    reason: consent.reason.clone(),
                });
            }
        }
        if let Some(consent) = &of.shown.plan.accept_free_text {
            // The column is accepted, even if the gate does not take it for free text.
            passed.personal.accepted.push(AcceptedPersonalData {
                column,
                kinds: Vec::new(),
                free_text: true,
                values,
                reason: consent.reason.clone(),
            });
        }
    }
    Ok(passed)
}
