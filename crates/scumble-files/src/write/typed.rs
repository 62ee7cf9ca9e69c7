//! The typed values of a column. A type is used only if each of its values reads back as the text that it was made of.

use std::sync::Arc;

use arrow_array::temporal_conversions::{as_datetime, as_time, date32_to_datetime};
use arrow_array::types::{
    Date32Type, Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType,
    TimestampNanosecondType,
};
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float64Array, Int64Array, ListArray, StringArray,
    StructArray, Time64MicrosecondArray, Time64NanosecondArray, TimestampMicrosecondArray,
    TimestampNanosecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_cast::parse::Parser;
use arrow_schema::{DataType, TimeUnit};

use super::columnar::BATCH_ROWS;
use super::{ColumnType, OutColumn, Tick};
use crate::columnar::{frequencies_type, item, pair_fields, shortest};
use crate::table::Texts;

/// The precisions that decimals are given: a fixed choice, so that the type does not say how large the largest number is.
const PRECISIONS: [u8; 2] = [18, 38];

/// The zone of timestamps that are written with a `Z`.
const UTC: &str = "UTC";

const NANOS_OF_DAY: i128 = 86_400_000_000_000;

/// What a column's codes mean: texts, or typed values, where the empty text is null.
pub(super) struct Values<'a> {
    /// The type.
    pub(super) kind: ColumnType,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Text(&'a Texts),
    /// Integers, timestamps and times of day.
    Whole(Vec<Option<i64>>),
    Decimal(Vec<Option<i128>>),
    Float(Vec<Option<f64>>),
    Date(Vec<Option<i32>>),
    Boolean(Vec<Option<bool>>),
    Frequencies(Vec<Option<Frequencies>>),
}

/// Values with their frequencies.
type Frequencies = Vec<(String, f64)>;

impl<'a> Values<'a> {
    /// Returns the values of a column. Only texts that occur in written rows decide which type the column gets.
    pub(super) fn new(column: &OutColumn<'a>, order: &[u32]) -> Self {
        let used = Used { column, order };
        let typed = candidates(used).find_map(|kind| Self::of(kind, used));
        typed.unwrap_or(Self { kind: ColumnType::Text, cells: Cells::Text(column.texts) })
    }

    /// The values as those of one type, if every text has one.
    fn of(kind: ColumnType, used: Used<'_, '_>) -> Option<Self> {
        let cells = match kind {
            ColumnType::Text => return None,
            ColumnType::Integer => Cells::Whole(used.parse(parse_integer)?),
            ColumnType::Float => Cells::Float(used.parse(parse_float)?),
            ColumnType::Date => Cells::Date(used.parse(parse_date)?),
            ColumnType::Timestamp { zone, unit } => {
                Cells::Whole(used.parse(|text| parse_timestamp(text, zone, unit))?)
            }
            ColumnType::Time { unit } => Cells::Whole(used.parse(|text| parse_time(text, unit))?),
            ColumnType::Boolean => Cells::Boolean(used.parse(parse_boolean)?),
            ColumnType::Frequencies => Cells::Frequencies(used.parse(parse_frequencies)?),
            ColumnType::Decimal { precision, scale } => {
                Cells::Decimal(used.parse(|text| parse_decimal(text, precision, scale))?)
            }
        };
        Some(Self { kind, cells })
    }

    pub(super) fn array(&self, codes: &[u32]) -> ArrayRef {
        /// The value of each code.
        fn at<'v, T: Copy>(
            values: &'v [Option<T>],
            codes: &'v [u32],
        ) -> impl Iterator<Item = Option<T>> + 'v {
            codes.iter().map(|&code| values[code as usize])
        }
        match &self.cells {
            Cells::Text(texts) => {
                Arc::new(StringArray::from_iter_values(codes.iter().map(|&code| texts.get(code))))
            }
            Cells::Whole(values) => self.whole(at(values, codes)),
            Cells::Decimal(values) => {
                let numbers = at(values, codes).collect::<Decimal128Array>();
                Arc::new(numbers.with_data_type(data_type(self.kind)))
            }
            Cells::Float(values) => Arc::new(at(values, codes).collect::<Float64Array>()),
            Cells::Date(values) => Arc::new(at(values, codes).collect::<Date32Array>()),
            Cells::Boolean(values) => Arc::new(at(values, codes).collect::<BooleanArray>()),
            Cells::Frequencies(values) => {
                Arc::new(lists(codes.iter().map(|&code| values[code as usize].as_ref())))
            }
        }
    }

    /// An array of 64-bit integers: numbers, or moments in their unit.
    fn whole(&self, values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
        match self.kind {
            ColumnType::Timestamp { zone, unit: Tick::Micro } => {
                let moments = values.collect::<TimestampMicrosecondArray>();
                Arc::new(moments.with_timezone_opt(zone.then_some(UTC)))
            }
            ColumnType::Timestamp { zone, unit: Tick::Nano } => {
                let moments = values.collect::<TimestampNanosecondArray>();
                Arc::new(moments.with_timezone_opt(zone.then_some(UTC)))
            }
            ColumnType::Time { unit: Tick::Micro } => Arc::new(values.collect::<Time64MicrosecondArray>()),
            ColumnType::Time { unit: Tick::Nano } => Arc::new(values.collect::<Time64NanosecondArray>()),
            _ => Arc::new(values.collect::<Int64Array>()),
        }
    }

    /// The length of the longest text.
    pub(super) fn longest(&self) -> usize {
        match &self.cells {
            Cells::Text(texts) => texts.iter().map(str::len).max().unwrap_or(0),
            _ => 0,
        }
    }
}

/// The type in Arrow's terms.
pub(super) fn data_type(kind: ColumnType) -> DataType {
    let arrow_unit = |unit| match unit {
        Tick::Micro => TimeUnit::Microsecond,
        Tick::Nano => TimeUnit::Nanosecond,
    };
    match kind {
        ColumnType::Text => DataType::Utf8,
        ColumnType::Integer => DataType::Int64,
        ColumnType::Float => DataType::Float64,
        // A scale is at most 38.
        ColumnType::Decimal { precision, scale } => DataType::Decimal128(precision, scale as i8),
        ColumnType::Date => DataType::Date32,
        ColumnType::Timestamp { zone, unit } => {
            DataType::Timestamp(arrow_unit(unit), zone.then(|| UTC.into()))
        }
        ColumnType::Time { unit } => DataType::Time64(arrow_unit(unit)),
        ColumnType::Boolean => DataType::Boolean,
        ColumnType::Frequencies => frequencies_type(),
    }
}

/// The types that are tried for a column; the first one that keeps every text is taken.
fn candidates(used: Used<'_, '_>) -> impl Iterator<Item = ColumnType> {
    let decimals = |scale| PRECISIONS.map(|precision| ColumnType::Decimal { precision, scale }).to_vec();
    let wish = used.column.kind;
    let others = match wish {
        ColumnType::Integer => decimals(0),
        // Numbers with fewer places than the first would read back with zeros behind them, so its places are those of all.
        ColumnType::Float => used.places().map(decimals).unwrap_or_default(),
        ColumnType::Timestamp { zone, unit: Tick::Micro } => {
            vec![ColumnType::Timestamp { zone, unit: Tick::Nano }]
        }
        ColumnType::Time { unit: Tick::Micro } => vec![ColumnType::Time { unit: Tick::Nano }],
        _ => Vec::new(),
    };
    std::iter::once(wish).chain(others)
}

/// The texts of a column that occur in written rows.
#[derive(Clone, Copy)]
struct Used<'c, 'a> {
    column: &'c OutColumn<'a>,
    order: &'c [u32],
}

impl Used<'_, '_> {
    /// Returns the value of each text, or `None` if one of them has none.
    fn parse<T: Clone>(self, parse: impl Fn(&str) -> Option<T>) -> Option<Vec<Option<T>>> {
        let Self { column, order } = self;
        let mut codes = Vec::new();
        let mut known = vec![false; column.texts.len()];
        let mut values = vec![None; column.texts.len()];
        for rows in order.chunks(BATCH_ROWS) {
            column.cells.gather(rows, &mut codes);
            for &code in &codes {
                if std::mem::replace(&mut known[code as usize], true) {
                    continue;
                }
                let text = column.texts.get(code);
                if !text.is_empty() {
                    values[code as usize] = Some(parse(text)?);
                }
            }
        }
        Some(values)
    }

    /// The decimal places of the first number.
    fn places(self) -> Option<u8> {
        let Self { column, order } = self;
        let mut codes = Vec::new();
        for rows in order.chunks(BATCH_ROWS) {
            column.cells.gather(rows, &mut codes);
            if let Some(text) = codes.iter().map(|&code| column.texts.get(code)).find(|text| !text.is_empty())
            {
                return u8::try_from(text.split_once('.').map_or(0, |(_, places)| places.len())).ok();
            }
        }
        None
    }
}

pub(super) fn parse_integer(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number: &i64| number.to_string() == text)
}

pub(super) fn parse_float(text: &str) -> Option<f64> {
    text.parse().ok().filter(|&number: &f64| shortest(number) == text)
}

/// A number in units of its last place. It must be written as decimals are read: with every place, and no sign but a minus that
/// means something.
fn parse_decimal(text: &str, precision: u8, scale: u8) -> Option<i128> {
    let size = text.strip_prefix('-').unwrap_or(text);
    let (whole, places) = match scale {
        0 => (size, ""),
        _ => size.split_once('.')?,
    };
    let is_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = whole == "0" || !(whole.is_empty() || whole.starts_with('0'));
    // The limit also keeps the number within 128 bits.
    let fits = whole.len() + places.len() <= precision.into() && scale <= precision;
    if !(is_plain && fits && places.len() == usize::from(scale) && is_digits(whole) && is_digits(places)) {
        return None;
    }
    let number: i128 = format!("{whole}{places}").parse().ok()?;
    match text.starts_with('-') {
        true => (number > 0).then_some(-number),
        false => Some(number),
    }
}

fn parse_boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

fn parse_frequencies(text: &str) -> Option<Frequencies> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    object.into_iter().map(|(value, frequency)| Some((value, frequency.as_f64()?))).collect()
}

/// Returns the lists of some rows. A row without a list gets an empty one.
fn lists<'a>(rows: impl Iterator<Item = Option<&'a Frequencies>>) -> ListArray {
    let (mut lengths, mut values, mut frequencies) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        let pairs = row.map_or(&[][..], Vec::as_slice);
        lengths.push(pairs.len());
        values.extend(pairs.iter().map(|pair| pair.0.as_str()));
        frequencies.extend(pairs.iter().map(|pair| pair.1));
    }
    let columns: Vec<ArrayRef> =
        vec![Arc::new(StringArray::from_iter_values(values)), Arc::new(Float64Array::from(frequencies))];
    let pairs = StructArray::new(pair_fields(), columns, None);
    ListArray::new(item(), OffsetBuffer::from_lengths(lengths), Arc::new(pairs), None)
}

pub(super) fn parse_date(text: &str) -> Option<i32> {
    let days = Date32Type::parse(text)?;
    let back = date32_to_datetime(days)?.date().to_string();
    (back == text).then_some(days)
}

/// The nanoseconds since midnight.
fn nanos_of_day(text: &str) -> Option<i64> {
    Time64NanosecondType::parse(text)
}

/// A count of nanoseconds in a unit, if nothing is lost.
fn in_unit(nanos: i128, unit: Tick) -> Option<i64> {
    match unit {
        Tick::Micro => (nanos % 1000 == 0).then_some(nanos / 1000)?.try_into().ok(),
        Tick::Nano => nanos.try_into().ok(),
    }
}

fn parse_time(text: &str, unit: Tick) -> Option<i64> {
    let value = in_unit(nanos_of_day(text)?.into(), unit)?;
    let back = match unit {
        Tick::Micro => as_time::<Time64MicrosecondType>(value),
        Tick::Nano => as_time::<Time64NanosecondType>(value),
    };
    (back?.to_string() == text).then_some(value)
}

fn parse_timestamp(text: &str, zone: bool, unit: Tick) -> Option<i64> {
    let (date, time) = text.split_once('T')?;
    let time = if zone { time.strip_suffix('Z')? } else { time };
    // Arrow's own reader knows only years that fit nanoseconds.
    let nanos = i128::from(parse_date(date)?) * NANOS_OF_DAY + i128::from(nanos_of_day(time)?);
    let value = in_unit(nanos, unit)?;
    let back = match unit {
        Tick::Micro => as_datetime::<TimestampMicrosecondType>(value),
        Tick::Nano => as_datetime::<TimestampNanosecondType>(value),
    };
    let end = if zone { "Z" } else { "" };
    (format!("{:?}{end}", back?) == text).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_that_read_back_identically_are_typed() {
        assert_eq!(parse_integer("-12"), Some(-12));
        for other in ["007", "+1", "1.0", " 1", "9223372036854775808"] {
            assert_eq!(parse_integer(other), None, "{other}");
        }
        assert_eq!(parse_float("1.5"), Some(1.5));
        assert_eq!(parse_float("2"), Some(2.0));
        for other in ["2.50", "1e3", ".5", "0.10000000000000000001"] {
            assert_eq!(parse_float(other), None, "{other}");
        }
        assert_eq!(parse_date("1970-01-31"), Some(30));
        for other in ["1970-1-31", "31.01.1970", "1970-02-30", "19700131", "1970-01-31T00:00:00"] {
            assert_eq!(parse_date(other), None, "{other}");
        }
        assert_eq!((parse_boolean("true"), parse_boolean("True")), (Some(true), None));
    }

    #[test]
    fn decimals_have_every_place() {
        let read = |text| parse_decimal(text, 18, 2);
        assert_eq!(read("2.50"), Some(250));
        assert_eq!(read("-0.05"), Some(-5));
        assert_eq!(read("0.00"), Some(0));
        for other in ["2.5", "2", "2.500", ".50", "02.50", "-0.00", "+2.50", "2,50", "1e1.00", "x.50", "2.-5"]
        {
            assert_eq!(read(other), None, "{other}");
        }
        assert_eq!(parse_decimal("9223372036854775808", 38, 0), Some(9_223_372_036_854_775_808));
        assert_eq!(parse_decimal(&"9".repeat(38), 38, 0), Some(10_i128.pow(38) - 1));
        assert_eq!(parse_decimal(&"9".repeat(39), 38, 0), None);
        assert_eq!(parse_decimal(&"9".repeat(19), 18, 0), None);
    }

    #[test]
    fn moments_are_written_as_they_are_read() {
        let plain = |text| parse_timestamp(text, false, Tick::Micro);
        assert_eq!(plain("1970-01-01T00:00:01"), Some(1_000_000));
        assert_eq!(plain("1969-12-31T23:59:59.500"), Some(-500_000));
        assert_eq!(plain("1500-01-01T00:00:00"), Some(-14_831_769_600_000_000));
        for other in [
            "1970-01-01 00:00:01",
            "1970-01-01T00:00",
            "1970-01-01T00:00:01Z",
            "1970-01-01T00:00:01.5",
            "1970-01-01T24:00:00",
            "1970-01-01T00:00:00.000000001",
        ] {
            assert_eq!(plain(other), None, "{other}");
        }
        assert_eq!(parse_timestamp("1970-01-01T00:00:01Z", true, Tick::Nano), Some(1_000_000_000));
        assert_eq!(parse_timestamp("1970-01-01T00:00:01+00:00", true, Tick::Nano), None);
        assert_eq!(parse_timestamp("1500-01-01T00:00:00", false, Tick::Nano), None, "out of reach");
        assert_eq!(parse_time("08:30:00", Tick::Micro), Some(30_600_000_000));
        assert_eq!(parse_time("08:30:00.000000001", Tick::Nano), Some(30_600_000_000_001));
        for other in ["08:30", "8:30:00", "08:30:00.000000001", "24:00:00", "08:30:00 AM"] {
            assert_eq!(parse_time(other, Tick::Micro), None, "{other}");
        }
    }
}
