//! The values of a column: their kind, their order, and which of them are missing.

use std::borrow::Cow;

use scumble_files::table::{CodedColumn, CodedTable, Codes};

use crate::base::text::grouped;
use crate::config::{Column, Equality, Plan, Role};
use crate::error::{Error, Result, Setting};
use crate::table::date::DateFormat;
use crate::table::frequency::FrequencyTable;
use crate::table::kind::{Inference, Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads, Reading};
use crate::table::stretch::{Stretch, measure_of};

use super::spelling::{counted_by_value, form_of};

/// A column of the table with its entry in the plan.
pub(super) struct Planned<'a> {
    pub(super) name: &'a str,
    pub(super) plan: &'a Column,
    pub(super) coded: &'a CodedColumn,
    pub(super) missing: &'a [String],
    /// Whether steps have put values into it that stand for many numbers.
    pub(super) stretched: bool,
}

/// The values of a column in the order of their kind.
pub(super) struct Ordered<'a> {
    pub(super) measure: Measure,
    /// The distinct values that occur, without missing ones. Equal numbers that are written differently count as one.
    pub(super) values: Vec<&'a str>,
    pub(super) rows: Vec<u64>,
    pub(super) first_rows: Vec<u64>,
    /// The place in `values` of each dictionary code; `values.len()` for a missing value, `u32::MAX` for a code without rows.
    pub(super) place: Vec<u32>,
    /// How a missing value is released.
    pub(super) missing: Option<&'a str>,
    /// What each of `values` stands for, if some stand for many numbers.
    pub(super) stretches: Option<Vec<Stretch>>,
}

/// Orders the values of a column by its kind. With `must_be_clear`, an ambiguous date format is an error, not a text.
pub(super) fn order<'a>(column: &Planned<'a>, must_be_clear: bool) -> Result<Ordered<'a>> {
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
    let of_stretches = match column.plan.declared_kind() {
        // Whoever declares texts wants texts.
        Some(Kind::Text) => None,
        _ if !column.stretched => None,
        _ => measure_of(present_texts.clone()),
    };
    let kind = match of_stretches {
        Some(measure) => measure.kind,
        None => kind_of(column, present_texts.clone(), must_be_clear)?,
    };
    if kind == Kind::Text && column.plan.value_type.is_none() {
        check_finite(column, &present, &first_rows)?;
    }
    if column.plan.value_type == Some(crate::config::ValueType::Boolean) {
        let other = present.iter().filter(|code| !is_boolean(texts.get(**code)));
        let other: Vec<u32> = other.copied().collect();
        if !other.is_empty() {
            return Err(wrong_kind(column, kind, &other, (&rows, &first_rows)));
        }
    }
    let measure = of_stretches.unwrap_or_else(|| Measure::of(kind, present_texts.clone()));
    let mut place = vec![u32::MAX; texts.len()];
    let mut ordered = Ordered {
        measure,
        values: Vec::new(),
        rows: Vec::new(),
        first_rows: Vec::new(),
        place: Vec::new(),
        missing: None,
        stretches: None,
    };
    if of_stretches.is_some() {
        return in_order_of_stretches(ordered, column, (&present, &rows, &first_rows), is_missing);
    }
    ordered.values.reserve_exact(present.len());
    ordered.rows.reserve_exact(present.len());
    ordered.first_rows.reserve_exact(present.len());
    // Texts are sorted already, and there may be millions of them.
    let mut sorted: Vec<(i128, u32)> = Vec::new();
    let present = if kind == Kind::Text {
        present
    } else {
        sorted.reserve_exact(present.len());
        for code in &present {
            let Some(number) = measure.number(texts.get(*code)) else {
                let is_wrong = |code: &u32| measure.number(texts.get(*code)).is_none();
                let wrong: Vec<u32> = present.into_iter().filter(is_wrong).collect();
                return Err(wrong_kind(column, kind, &wrong, (&rows, &first_rows)));
            };
            sorted.push((number, *code));
        }
        // Equal numbers in different spellings are one value, shown in the shortest spelling.
        sorted.sort_unstable_by_key(|(number, code)| (*number, texts.get(*code).len(), *code));
        Vec::new()
    };
    let in_order = sorted.iter().copied().chain(present.iter().map(|code| (i128::from(*code), *code)));
    let mut last = None;
    for (number, code) in in_order {
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
    ordered.place = place;
    Ok(with_missing(ordered, column, &rows, is_missing))
}

/// Gives missing values their place, behind all others.
fn with_missing<'a>(
    mut ordered: Ordered<'a>,
    column: &Planned<'a>,
    rows: &[u64],
    is_missing: impl Fn(usize) -> bool,
) -> Ordered<'a> {
    let texts = &column.coded.values;
    let missing = (0..texts.len()).filter(|code| rows[*code] > 0 && is_missing(*code));
    let shown = missing.clone().max_by_key(|code| (rows[*code], std::cmp::Reverse(*code)));
    missing.for_each(|code| ordered.place[code] = ordered.values.len() as u32);
    ordered.missing = shown.map(|code| texts.get(code as u32));
    ordered
}

/// Orders numbers and values that stand for many numbers. No two of them may have a number in common.
fn in_order_of_stretches<'a>(
    mut ordered: Ordered<'a>,
    column: &Planned<'a>,
    (present, rows, first_rows): (&[u32], &[u64], &[u64]),
    is_missing: impl Fn(usize) -> bool,
) -> Result<Ordered<'a>> {
    let texts = &column.coded.values;
    let measure = ordered.measure;
    let read = |text: &str| measure.number(text).map(Stretch::of).or_else(|| Stretch::read(&measure, text));
    let mut sorted: Vec<(Stretch, u32)> =
        present.iter().filter_map(|code| Some((read(texts.get(*code))?, *code))).collect();
    sorted.sort_unstable_by_key(|(of, code)| (*of, texts.get(*code).len(), *code));
    ordered.place = vec![u32::MAX; texts.len()];
    let mut stretches: Vec<Stretch> = Vec::new();
    for (of, code) in sorted {
        if stretches.last() != Some(&of) {
            if stretches.last().is_some_and(|last| !of.is_above(*last)) {
                return Err(Error::data(
                    "steps have made values of the column that overlap, so that a number could be shown as either",
                )
                .in_row(first_rows[code as usize])
                .in_column(column.name)
                .advise("let the limits and the bands of its steps not reach over each other"));
            }
            stretches.push(of);
            ordered.values.push(texts.get(code));
            ordered.rows.push(0);
            ordered.first_rows.push(first_rows[code as usize]);
        }
        let at = stretches.len() - 1;
        ordered.rows[at] += rows[code as usize];
        ordered.first_rows[at] = ordered.first_rows[at].min(first_rows[code as usize]);
        ordered.place[code as usize] = at as u32;
    }
    ordered.stretches = Some(stretches);
    Ok(with_missing(ordered, column, rows, is_missing))
}

fn kind_of<'a>(
    column: &Planned<'_>,
    texts: impl Iterator<Item = &'a str> + Clone,
    must_be_clear: bool,
) -> Result<Kind> {
    if let Some(kind) = column.plan.declared_kind() {
        return Ok(kind);
    }
    if column.plan.value_type == Some(crate::config::ValueType::Timestamp) {
        return match Kind::infer(texts) {
            Inference::Clear(kind @ Kind::Timestamp { .. }) => Ok(kind),
            _ => Err(Error::data(format!(
                "column '{}' is declared a timestamp, but not all its values are timestamps, all with a zone or all without",
                column.name
            ))
            .advise("correct the values")
            .set(Setting::column("type").of(&[column.name]), "give the column another type")),
        };
    }
    let must_be_date = column.plan.value_type == Some(crate::config::ValueType::Date);
    match Kind::infer(texts) {
        Inference::Clear(kind) if !must_be_date || matches!(kind, Kind::Date(_)) => Ok(kind),
        Inference::Clear(_) => Err(Error::data(format!(
            "column '{}' is declared a date, but no one date format fits all its values",
            column.name
        ))
        .set(
            Setting::column("format").of(&[column.name]).to_one_of(DateFormat::ALL.map(DateFormat::name)),
            "give the format of its dates",
        )
        .advise("correct the values")),
        Inference::AmbiguousDate if must_be_clear || must_be_date => Err(Error::config(format!(
            "column '{}' holds dates in which day and month cannot be told apart",
            column.name
        ))
        .set(Setting::column("format").of(&[column.name]).to("dd/mm/yyyy"), "say that the day comes first")
        .set(
            Setting::column("format").of(&[column.name]).to("mm/dd/yyyy"),
            "say that the month comes first",
        )),
        Inference::AmbiguousDate => Ok(Kind::Text),
    }
}

/// Returns an error if a column has numbers and also infinity or NaN: these have no order, and as texts the numbers would lose their
/// meaning.
fn check_finite(column: &Planned<'_>, present: &[u32], first_rows: &[u64]) -> Result<()> {
    let texts = &column.coded.values;
    let text = |code: &u32| texts.get(*code);
    let finite = present.iter().filter(|code| !is_not_finite(text(code)));
    let rows = present.iter().filter(|code| is_not_finite(text(code))).map(|code| first_rows[*code as usize]);
    let Some(row) = rows.min() else { return Ok(()) };
    if finite.clone().next().is_none()
        || !matches!(Kind::infer(finite.map(text)), Inference::Clear(kind) if kind.is_number())
    {
        return Ok(());
    }
    Err(Error::data("the value is infinite, or not a number, in a column of numbers")
        .in_row(row)
        .in_column(column.name)
        .set(Setting::column("missing").of(&[column.name]), "declare the value as missing")
        .advise("correct the value")
        .set(
            Setting::column("type").of(&[column.name]).to("text"),
            "take all values of the column for texts",
        ))
}

/// Whether a text says true or false.
fn is_boolean(text: &str) -> bool {
    ["true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"]
        .iter()
        .any(|name| text.eq_ignore_ascii_case(name))
}

/// Whether a text is infinity or NaN as programs write them.
fn is_not_finite(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    ["inf", "infinity", "nan"].iter().any(|name| unsigned.eq_ignore_ascii_case(name))
}

/// The error of values that are not of their column's kind: how many they are, the first row, and the date format that would fit all values.
fn wrong_kind(
    column: &Planned<'_>,
    kind: Kind,
    wrong: &[u32],
    (rows, first_rows): (&[u64], &[u64]),
) -> Error {
    let first = wrong.iter().map(|code| first_rows[*code as usize]).min().unwrap_or(1);
    let of_column: u64 = rows.iter().sum();
    let wrong_rows: u64 = wrong.iter().map(|code| rows[*code as usize]).sum();
    let others = match wrong_rows {
        0 | 1 => String::new(),
        wrong => format!("; {} of {} rows have such a value", grouped(wrong), grouped(of_column)),
    };
    let texts = &column.coded.values;
    let fits = |format: &DateFormat| {
        let mut present = (0..texts.len()).filter(|code| rows[*code] > 0);
        present.all(|code| {
            let text = texts.get(code as u32);
            format.parse(text).is_some() || column.missing.iter().any(|marker| marker == text)
        })
    };
    let better = match kind {
        Kind::Date(_) => DateFormat::ALL.into_iter().find(fits),
        _ => None,
    };
    let what = match kind {
        Kind::Integer => "a whole number".to_owned(),
        Kind::Decimal | Kind::Wide { comma: false } => "a number, or has too many digits".to_owned(),
        Kind::DecimalComma | Kind::Wide { comma: true } => {
            "a number with a decimal comma, or has too many digits".to_owned()
        }
        Kind::Date(format) => format!("a date of the form {}", format.name()),
        Kind::Timestamp { .. } => "a timestamp".to_owned(),
        Kind::Time => "a time of day, such as 10:15:30".to_owned(),
        Kind::Text => "a boolean".to_owned(),
    };
    let error = Error::data(format!("the value is not {what}{others}")).in_row(first).in_column(column.name);
    let error = match better {
        Some(format) => error.set(
            Setting::column("format").of(&[column.name]).to(format.name()),
            "give the format that fits all values",
        ),
        None => error.advise("correct the value"),
    };
    error
        .set(Setting::column("missing").of(&[column.name]), "declare the value as missing")
        .set(Setting::column("type").of(&[column.name]), "give the column another type")
}

/// Makes a payload column, with its value for each dictionary code. Equal numbers that are written differently are one value, and so are all
/// spellings of a missing value, because two spellings of one value do not protect anybody.
pub(super) fn payload_column(column: &Planned<'_>) -> Result<(PayloadColumn, Vec<u32>)> {
    let ordered = order(column, false)?;
    let values = ordered.values.iter().copied().chain(ordered.missing).collect();
    // Codes without rows have no place; any will do, since no row has them.
    let map = ordered.place.iter().map(|place| if *place == u32::MAX { 0 } else { *place }).collect();
    let missing = column.missing.to_vec();
    let present = ordered.values.iter().copied();
    let reading = Reading {
        form: (column.plan.equality == Equality::Normal)
            .then(|| form_of(column.plan, column.missing, present)),
        missing_counts: column.plan.missing_counts,
    };
    Ok((
        PayloadColumn { name: column.name.to_owned(), values, measure: ordered.measure, missing, reading },
        map,
    ))
}

/// The values of a column of a table, as models see them, and the value of each dictionary code.
pub(crate) fn payload_of(coded: &CodedColumn, plan: &Plan) -> Result<(PayloadColumn, Vec<u32>)> {
    let unplanned = Column::new(crate::config::Roles::one(Role::Sensitive));
    let column = plan.column(&coded.name).unwrap_or(&unplanned);
    let missing = column.missing.as_ref().unwrap_or(&plan.read.missing);
    payload_column(&Planned { name: &coded.name, plan: column, coded, missing, stretched: false })
}

/// Writes every value of a column as `values` does, which is what models count. Other texts stay unchanged.
///
/// A release may lack the spelling of a value in the original, so both must be written as one of the two has it.
fn in_one_spelling(coded: &CodedColumn, values: &PayloadColumn) -> CodedColumn {
    let spellings = values.spellings();
    let texts: Vec<&str> = coded
        .values
        .iter()
        .map(|text| spellings.find(text).map_or(text, |value| values.values.get(value)))
        .collect();
    let mut sorted = texts.clone();
    sorted.sort_unstable();
    sorted.dedup();
    let place: Vec<u32> =
        texts.iter().map(|text| sorted.partition_point(|other| other < text) as u32).collect();
    let mut codes = Codes::with_capacity(sorted.len(), coded.codes.len());
    coded.codes.iter().for_each(|code| codes.push(place[code as usize]));
    CodedColumn { name: coded.name.clone(), values: sorted.into_iter().collect(), codes }
}

/// Writes the values of a table's columns that models read as the table `known` writes them.
pub fn spelt_like<'a>(table: &'a CodedTable, known: &CodedTable, plan: &Plan) -> Result<Cow<'a, CodedTable>> {
    let counted = counted_by_value(plan);
    let columns = counted.into_iter().filter_map(|name| known.column(name));
    let columns = columns.map(|column| Ok(payload_of(column, plan)?.0)).collect::<Result<Vec<_>>>()?;
    Ok(table_in_one_spelling(table, &columns))
}

/// Writes the values of these columns in one way. Returns the table itself if they already are.
pub(crate) fn table_in_one_spelling<'a>(
    table: &'a CodedTable,
    columns: &[PayloadColumn],
) -> Cow<'a, CodedTable> {
    let of_column = |column: &CodedColumn| {
        let values = columns.iter().find(|values| values.name == column.name)?;
        let spellings = values.spellings();
        let as_it_is = |text: &str| spellings.find(text).is_none_or(|value| values.values.get(value) == text);
        (!column.values.iter().all(as_it_is)).then_some(values)
    };
    if table.columns.iter().all(|column| of_column(column).is_none()) {
        return Cow::Borrowed(table);
    }
    let column = |column: &CodedColumn| match of_column(column) {
        Some(values) => in_one_spelling(column, values),
        None => column.clone(),
    };
    Cow::Owned(CodedTable { columns: table.columns.iter().map(column).collect(), rows: table.rows })
}

/// The rows of a table by the values of these columns alone, on which models are built. `person` is one of the columns, if people count.
pub(crate) fn value_table(
    table: &CodedTable,
    names: &[String],
    person: Option<&str>,
    plan: &Plan,
) -> Result<FrequencyTable> {
    let coded: Vec<&CodedColumn> = names.iter().filter_map(|name| table.column(name)).collect();
    let made = coded.iter().map(|column| payload_of(column, plan)).collect::<Result<Vec<_>>>()?;
    let (columns, maps): (Vec<PayloadColumn>, Vec<Vec<u32>>) = made.into_iter().unzip();
    let code = |place: usize, row: usize| maps[place][coded[place].codes.get(row) as usize];
    let person = person.and_then(|name| coded.iter().position(|column| column.name == name));
    let (payloads, payload_of_row) = Payloads::of_rows(columns, table.rows, code);
    let payloads = payloads.with_person(person);
    Ok(FrequencyTable::count(&[], table.rows, |_, _| 0, payloads, &payload_of_row, |_| 1).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Role, Roles, ValueType};

    #[test]
    fn infinity_among_numbers_is_an_error_and_among_names_a_name() {
        let plan = crate::config::Column::new(Roles::one(Role::Quasi));
        let measured = |texts: &[&str]| {
            let coded = CodedColumn::of_texts("x", texts.iter().map(|text| (*text).to_owned()));
            let missing = ["NaN".to_owned()];
            let column =
                Planned { name: "x", plan: &plan, coded: &coded, missing: &missing, stretched: false };
            order(&column, true).map(|ordered| ordered.measure.kind).map_err(|error| error.to_string())
        };
        assert_eq!(measured(&["1.5", "NaN", "2"]), Ok(Kind::Decimal), "missing");
        let message = measured(&["1.5", "2", "-inf"]).expect_err("infinite");
        assert!(
            message.contains("infinite") && message.contains("row 3") && !message.contains("inf "),
            "{message}"
        );
        assert!(measured(&["1", "+Infinity"]).is_err());
        assert_eq!(measured(&["Ada", "Nan", "Inf"]), Ok(Kind::Text));
    }

    /// 01/02/2020 is in January or in February. Where the order of values counts, or where a plan says that they are dates, this is an error;
    /// elsewhere they are texts.
    #[test]
    fn dates_that_can_be_read_in_two_ways_are_not_guessed() {
        let coded = CodedColumn::of_texts("day", ["01/02/2020", "03/04/2020"].map(str::to_owned).into_iter());
        let kind = |declared: Option<ValueType>, must_be_clear: bool| {
            let mut plan = crate::config::Column::new(Roles::one(Role::Quasi));
            plan.value_type = declared;
            let column = Planned { name: "day", plan: &plan, coded: &coded, missing: &[], stretched: false };
            kind_of(&column, coded.values.iter(), must_be_clear).map_err(|error| error.to_string())
        };
        let told = "day and month cannot be told apart";
        assert_eq!(kind(None, false), Ok(Kind::Text));
        for (declared, must_be_clear) in
            [(None, true), (Some(ValueType::Date), false), (Some(ValueType::Date), true)]
        {
            assert!(
                kind(declared, must_be_clear).is_err_and(|text| text.contains(told)),
                "{declared:?} {must_be_clear}"
            );
        }
    }
}
