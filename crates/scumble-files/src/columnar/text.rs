//! The values of typed columns as text. The same value always has the same text.
//!
//! Integers and decimals are written in digits, floating-point numbers in the fewest digits that read back as the same number,
//! dates and times in ISO 8601 (times with a zone in UTC), null as the empty text, and lists of values with frequencies as JSON
//! objects.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::temporal_conversions::{as_date, as_datetime, as_time};
use arrow_array::types::{
    ArrowPrimitiveType, ArrowTimestampType, Date32Type, Date64Type, Float16Type, Float32Type, Float64Type,
    Int8Type, Int16Type, Int32Type, Int64Type, Time32MillisecondType, Time32SecondType,
    Time64MicrosecondType, Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrowNativeTypeOp};
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};

use crate::dictionary::{Dictionary, Refusal};
use crate::flaw::Flaw;

/// Why a value got no code.
pub(crate) enum NoCode {
    /// The dictionary refused its text.
    Refused(Refusal),
    /// The value is a date or time outside the calendar's range.
    OutOfRange,
}

impl NoCode {
    /// Returns the flaw of the value in that column of the file.
    pub(crate) fn flaw(self, column: usize) -> Flaw {
        match self {
            Self::Refused(refusal) => Flaw::refused(refusal, column),
            Self::OutOfRange => Flaw::OutOfRange(column),
        }
    }
}

/// Whether columns of this type can be read.
pub(crate) fn is_readable(data_type: &DataType) -> bool {
    match data_type {
        DataType::Dictionary(_, values) => is_readable(values),
        DataType::RunEndEncoded(..) => false,
        DataType::List(item) => is_pair(item.data_type()),
        other => !other.is_nested(),
    }
}

/// The type of a list of values with their frequencies.
pub(crate) fn frequencies_type() -> DataType {
    DataType::List(item())
}

/// One entry of such a list.
pub(crate) fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::Struct(pair_fields()), false))
}

/// A value and its frequency.
pub(crate) fn pair_fields() -> Fields {
    Fields::from(vec![
        Field::new("value", DataType::Utf8, false),
        Field::new("frequency", DataType::Float64, false),
    ])
}

/// Whether a type is that of a value and its frequency.
fn is_pair(data_type: &DataType) -> bool {
    let DataType::Struct(fields) = data_type else { return false };
    let shape = |field: &FieldRef| (field.name().as_str().to_owned(), field.data_type().clone());
    fields.iter().map(shape).eq(pair_fields().iter().map(shape))
}

/// Appends the codes of an array's texts. Fails with the row of a value that has no code.
pub(crate) fn encode(
    array: &dyn Array,
    dictionary: &mut Dictionary,
    codes: &mut Vec<u32>,
) -> Result<(), (usize, NoCode)> {
    let mut text = Vec::new();
    let mut code_of = |array: &dyn Array, row: usize, write: &TextOf<'_>| {
        text.clear();
        if array.is_valid(row) {
            write(row, &mut text).ok_or(NoCode::OutOfRange)?;
        }
        dictionary.code_of(&text).map_err(NoCode::Refused)
    };
    let Some(dictionary_array) = array.as_any_dictionary_opt() else {
        let write = text_of(array);
        for row in 0..array.len() {
            codes.push(code_of(array, row, &write).map_err(|why| (row, why))?);
        }
        return Ok(());
    };
    // Only the values that occur are encoded: an unused dictionary entry is not part of the table.
    let values = dictionary_array.values();
    let write = text_of(values.as_ref());
    let keys = if values.is_empty() { vec![0; array.len()] } else { dictionary_array.normalized_keys() };
    let mut known: Vec<Option<u32>> = vec![None; values.len()];
    for (row, &key) in keys.iter().enumerate() {
        if array.is_null(row) {
            codes.push(code_of(array, row, &write).map_err(|why| (row, why))?);
            continue;
        }
        let code = match known[key] {
            Some(code) => code,
            None => code_of(values.as_ref(), key, &write).map_err(|why| (row, why))?,
        };
        known[key] = Some(code);
        codes.push(code);
    }
    Ok(())
}

/// Appends the text of a row that is not null. Returns `None` if the value has no text.
type TextOf<'a> = Box<dyn Fn(usize, &mut Vec<u8>) -> Option<()> + 'a>;

/// Returns the function that writes the values of an array.
fn text_of(array: &dyn Array) -> TextOf<'_> {
    use DataType as T;
    match array.data_type() {
        T::Null => Box::new(|_, _| Some(())),
        T::Boolean => {
            let array = array.as_boolean();
            shown(move |row| Some(array.value(row)))
        }
        T::List(_) => {
            let array = array.as_list::<i32>();
            shown(move |row| {
                let pairs = array.value(row);
                let pairs = pairs.as_struct();
                let (values, frequencies) =
                    (pairs.column(0).as_string::<i32>(), pairs.column(1).as_primitive::<Float64Type>());
                let pair = |at: usize| (values.value(at).to_owned(), frequencies.value(at).into());
                Some(serde_json::Value::Object((0..pairs.len()).map(pair).collect()).to_string())
            })
        }
        T::Utf8 => bytes(|row| array.as_string::<i32>().value(row).as_bytes()),
        T::LargeUtf8 => bytes(|row| array.as_string::<i64>().value(row).as_bytes()),
        T::Utf8View => bytes(|row| array.as_string_view().value(row).as_bytes()),
        T::Binary => bytes(|row| array.as_binary::<i32>().value(row)),
        T::LargeBinary => bytes(|row| array.as_binary::<i64>().value(row)),
        T::BinaryView => bytes(|row| array.as_binary_view().value(row)),
        T::FixedSizeBinary(_) => bytes(|row| array.as_fixed_size_binary().value(row)),
        T::Int8 => number::<Int8Type>(array),
        T::Int16 => number::<Int16Type>(array),
        T::Int32 => number::<Int32Type>(array),
        T::Int64 => number::<Int64Type>(array),
        T::UInt8 => number::<UInt8Type>(array),
        T::UInt16 => number::<UInt16Type>(array),
        T::UInt32 => number::<UInt32Type>(array),
        T::UInt64 => number::<UInt64Type>(array),
        T::Float16 => {
            let array = array.as_primitive::<Float16Type>();
            shown(move |row| Some(shortest_f32(array.value(row).to_f32())))
        }
        T::Float32 => {
            let array = array.as_primitive::<Float32Type>();
            shown(move |row| Some(shortest_f32(array.value(row))))
        }
        T::Float64 => {
            let array = array.as_primitive::<Float64Type>();
            shown(move |row| Some(shortest(array.value(row))))
        }
        T::Date32 => {
            let array = array.as_primitive::<Date32Type>();
            shown(move |row| as_date::<Date32Type>(array.value(row).into()))
        }
        T::Date64 => {
            let array = array.as_primitive::<Date64Type>();
            shown(move |row| {
                let time = as_datetime::<Date64Type>(array.value(row))?;
                let is_midnight = array.value(row).rem_euclid(86_400_000).is_zero();
                Some(if is_midnight { time.date().to_string() } else { format!("{time:?}") })
            })
        }
        T::Time32(TimeUnit::Second) => time::<Time32SecondType>(array),
        T::Time32(_) => time::<Time32MillisecondType>(array),
        T::Time64(TimeUnit::Microsecond) => time::<Time64MicrosecondType>(array),
        T::Time64(_) => time::<Time64NanosecondType>(array),
        T::Timestamp(TimeUnit::Second, zone) => timestamp::<TimestampSecondType>(array, zone.is_some()),
        T::Timestamp(TimeUnit::Millisecond, zone) => {
            timestamp::<TimestampMillisecondType>(array, zone.is_some())
        }
        T::Timestamp(TimeUnit::Microsecond, zone) => {
            timestamp::<TimestampMicrosecondType>(array, zone.is_some())
        }
        T::Timestamp(TimeUnit::Nanosecond, zone) => {
            timestamp::<TimestampNanosecondType>(array, zone.is_some())
        }
        // Decimals, durations and intervals.
        _ => {
            let options = FormatOptions::new().with_display_error(false);
            let formatter = ArrayFormatter::try_new(array, &options).ok();
            shown(move |row| formatter.as_ref()?.value(row).try_to_string().ok())
        }
    }
}

fn bytes<'a>(value: impl Fn(usize) -> &'a [u8] + 'a) -> TextOf<'a> {
    Box::new(move |row, text| {
        text.extend_from_slice(value(row));
        Some(())
    })
}

fn shown<'a, T: std::fmt::Display>(value: impl Fn(usize) -> Option<T> + 'a) -> TextOf<'a> {
    // Writing to memory does not fail.
    Box::new(move |row, text| write!(text, "{}", value(row)?).ok())
}

fn number<T: ArrowPrimitiveType<Native: std::fmt::Display>>(array: &dyn Array) -> TextOf<'_> {
    let array = array.as_primitive::<T>();
    shown(move |row| Some(array.value(row)))
}

fn time<T: ArrowPrimitiveType<Native: Into<i64>>>(array: &dyn Array) -> TextOf<'_> {
    let array = array.as_primitive::<T>();
    shown(move |row| as_time::<T>(array.value(row).into()))
}

fn timestamp<T: ArrowTimestampType>(array: &dyn Array, has_zone: bool) -> TextOf<'_> {
    let array = array.as_primitive::<T>();
    let zone = if has_zone { "Z" } else { "" };
    shown(move |row| Some(format!("{:?}{zone}", as_datetime::<T>(array.value(row))?)))
}

/// The shortest text that reads back as the same number.
pub(crate) fn shortest(number: f64) -> String {
    let size = number.abs();
    // Rust writes all digits of a very large or very small number; an exponent is shorter.
    if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

/// Returns the same for a number of single precision.
fn shortest_f32(number: f32) -> String {
    let size = number.abs();
    if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}
