//! How the columns of a release are written: ranges as two columns, and numbers with a decimal comma.
//!
//! A release is made as it is meant, and this is the last step before its file. What is read back is what is meant again: the verifier
//! undoes the steps by itself (`scumble_verify::WrittenForm`), and the datasheet tells everybody else.

use std::borrow::Cow;
use std::collections::BTreeSet;

use scumble_files::table::Texts;
use scumble_files::{ColumnType, OutColumn};
use scumble_verify::WrittenForm;

use super::ranges::RangeColumn;
use super::run::Run;
use super::staged::column_type;
use super::targets::Sink;
use crate::config::{Range, Role};
use crate::error::{Error, Result, Setting};
use crate::table::kind::{Inference, Kind};

/// How the columns of a run are written.
#[derive(Clone, Default)]
pub(super) struct Form {
    /// The columns of numbers that are written with a decimal comma.
    numbers: BTreeSet<String>,
    /// Whether columns of frequencies and sums are as well.
    comma: bool,
    /// The columns whose ranges are written as two.
    ranges: Vec<RangeColumn>,
    /// What has been written so far, for whoever reads it.
    pub(super) written: WrittenForm,
}

/// A column as it is written.
pub(super) struct Written {
    name: String,
    texts: Texts,
    kind: ColumnType,
}

impl Form {
    /// The form in which a run is written. In memory there are no decimal marks, and no program runs anything.
    pub(super) fn of<Found>(run: &Run<'_, Found>, sink: &Sink<'_>) -> Self {
        let plan = run.plan;
        let ranges = run.problem.quasi.iter().filter_map(|quasi| RangeColumn::of(run, quasi)).collect();
        if let Sink::Memory = sink {
            return Self { ranges, ..Self::default() };
        }
        let spreadsheet_safe = plan.spreadsheet_safe;
        let Some(dialect) = plan.output_dialect.filter(|dialect| dialect.has_comma()) else {
            let written = WrittenForm { spreadsheet_safe, ..WrittenForm::default() };
            return Self { ranges, written, ..Self::default() };
        };
        let has_point = |kind: Kind| kind.is_number() && !kind.has_comma();
        let quasi = run.problem.quasi.iter().filter(|quasi| has_point(quasi.measure.kind));
        let mut numbers: BTreeSet<String> = quasi.map(|quasi| quasi.name.clone()).collect();
        let columns = run.source.by_name();
        for name in run.untouched_columns().chain(plan.names_with(Role::Weight)) {
            let Some(column) = columns.get(name) else { continue };
            let markers = run.markers(name);
            let texts = column.values.iter().filter(|text| !markers.iter().any(|marker| marker == text));
            let declared = plan.column(name).and_then(crate::config::Column::declared_kind);
            let kind = match (declared, Kind::infer(texts)) {
                (Some(kind), _) | (None, Inference::Clear(kind)) => kind,
                (None, Inference::AmbiguousDate) => Kind::Text,
            };
            if has_point(kind) {
                numbers.insert(name.to_owned());
            }
        }
        let delimiter = Some(char::from(dialect.delimiter()));
        let written = WrittenForm { spreadsheet_safe, delimiter, ..WrittenForm::default() };
        Self { numbers, comma: true, ranges, written }
    }

    /// The same form, with nothing written yet.
    pub(super) fn unwritten(self) -> Self {
        let written = WrittenForm { decimal_comma: Vec::new(), ranges: Vec::new(), ..self.written };
        Self { written, ..self }
    }

    /// For each column the columns that are written in its place; none if it is written as it is meant.
    pub(super) fn write(&mut self, columns: &[OutColumn<'_>]) -> Result<Vec<Vec<Written>>> {
        columns.iter().map(|column| self.column(column)).collect()
    }

    fn column(&mut self, column: &OutColumn<'_>) -> Result<Vec<Written>> {
        let has_comma = self.numbers.contains(column.name)
            || self.comma && matches!(column.kind, ColumnType::Float | ColumnType::Decimal { .. });
        let mut columns = match self.ranges.iter().find(|range| range.name == column.name) {
            Some(range) => {
                self.written.ranges.push(range.name.clone());
                in_two(range, column.texts)?
            }
            None if has_comma => {
                let (name, texts) = (column.name.to_owned(), column.texts.clone());
                vec![Written { name, texts, kind: column.kind }]
            }
            None => Vec::new(),
        };
        if has_comma {
            for written in &mut columns {
                let mut texts = Texts::default();
                for text in written.texts.iter() {
                    texts.push(&with_comma(text).ok_or_else(|| looks_written(column.name))?);
                }
                written.texts = texts;
                if !self.written.decimal_comma.contains(&written.name) {
                    self.written.decimal_comma.push(written.name.clone());
                }
            }
        }
        Ok(columns)
    }
}

/// The two columns of a range, with the ends of each label.
fn in_two(range: &RangeColumn, labels: &Texts) -> Result<Vec<Written>> {
    let mut ends = [Texts::default(), Texts::default()];
    for label in labels.iter() {
        let (low, high) = range.ends(label)?.unwrap_or_default();
        ends[0].push(low);
        ends[1].push(high);
    }
    let names = Range::columns_of(&range.name);
    let column = |(name, texts)| Written { name, kind: column_type(&texts), texts };
    Ok(names.into_iter().zip(ends).map(column).collect())
}

impl Written {
    /// The column with the same cells as the one that is meant.
    pub(super) fn column<'c>(&'c self, meant: &OutColumn<'c>) -> OutColumn<'c> {
        OutColumn { name: &self.name, texts: &self.texts, cells: meant.cells, kind: self.kind }
    }
}

/// The error for a text that cannot be told from another one with a decimal comma.
fn looks_written(column: &str) -> Error {
    Error::refused(
        "a label or a text is written with a decimal comma already, among numbers with a decimal point, so readers could not tell them apart",
    )
    .in_column(column)
    .advise("write the label in the column's hierarchy in another way")
    .set(Setting::column("type").of(&[column]).to("text"), "take the values of the column for texts")
    .unset(Setting::root("output_dialect"), "leave the dialect out")
}

/// A text of a column of numbers with a decimal comma: `1.5` is `1,5`, and `[1,2.5)` is `[1;2,5)`. Other texts stay as they are. Returns
/// `None` if a text looks like one that was rewritten.
fn with_comma(text: &str) -> Option<Cow<'_, str>> {
    if is_number(text, '.') {
        return Some(match text.contains('.') {
            true => Cow::Owned(text.replacen('.', ",", 1)),
            false => Cow::Borrowed(text),
        });
    }
    if let Some((low, high, end)) = ends(text, ',')
        && is_number(low, '.')
        && is_number(high, '.')
    {
        return Some(Cow::Owned(format!(
            "[{};{}{end}",
            low.replacen('.', ",", 1),
            high.replacen('.', ",", 1)
        )));
    }
    let is_taken = is_number(text, ',')
        || ends(text, ';').is_some_and(|(low, high, _)| is_number(low, ',') && is_number(high, ','));
    (!is_taken).then_some(Cow::Borrowed(text))
}

/// The ends of an interval, and its closing bracket.
fn ends(text: &str, between: char) -> Option<(&str, &str, char)> {
    let inside = text.strip_prefix('[')?;
    let (inside, end) = match inside.strip_suffix(']') {
        Some(inside) => (inside, ']'),
        None => (inside.strip_suffix(')')?, ')'),
    };
    let (low, high) = inside.split_once(between)?;
    Some((low, high, end))
}

/// Whether a text is a number with this decimal mark and digits on both sides of it.
fn is_number(text: &str, mark: char) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = |part: &'_ str| part.strip_prefix(['+', '-']).unwrap_or(part).len();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let mantissa = &mantissa[mantissa.len() - unsigned(mantissa)..];
    let is_mantissa = match mantissa.split_once(mark) {
        Some((whole, places)) => digits(whole) && digits(places),
        None => digits(mantissa),
    };
    is_mantissa && exponent.is_none_or(|exponent| digits(&exponent[exponent.len() - unsigned(exponent)..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use scumble_files::table::{CodedColumn, CodedTable};

    use super::*;

    #[test]
    fn numbers_and_ends_of_ranges_get_a_comma() {
        for (text, written) in [
            ("1.5", Some("1,5")),
            ("-0.25", Some("-0,25")),
            ("1.5e-3", Some("1,5e-3")),
            ("7", Some("7")),
            ("[20,30]", Some("[20;30]")),
            ("[1.5,2.5)", Some("[1,5;2,5)")),
            ("*", Some("*")),
            ("?", Some("?")),
            ("high", Some("high")),
            ("=[1", Some("=[1")),
            ("1,5", None),
            ("[1;5]", None),
            ("[1,5;2]", None),
            ("1,5,2", Some("1,5,2")),
        ] {
            assert_eq!(with_comma(text).as_deref(), written, "{text}");
        }
    }

    /// What the verifier reads back.
    fn meant(written: &str) -> Option<String> {
        let column = CodedColumn::of_texts("a", [written].into_iter());
        let form = WrittenForm { decimal_comma: vec!["a".to_owned()], ..WrittenForm::default() };
        let read = form.meaning(CodedTable { columns: vec![column], rows: 1 }).ok()?;
        read.columns[0].values.iter().next().map(str::to_owned)
    }

    proptest! {
        /// The writer and the verifier share no code, and agree.
        #[test]
        fn what_is_written_is_read_back(text in r"[0-9.,;\[\])e+-]{0,8}") {
            if let Some(written) = with_comma(&text).map(Cow::into_owned) {
                prop_assert_eq!(meant(&written), Some(text));
            }
        }
    }
}
