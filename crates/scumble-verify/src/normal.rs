//! Decides when two texts are one value. This is the verifier's own reading; the program that makes a release has another implementation
//! of the same rules:
//!
//! * characters that show nothing (zero-width, format and control characters) do not count, white space around a text does not
//!   count, and white space inside it counts as one space;
//! * upper and lower case, and composed and decomposed characters, are the same (canonical caseless matching);
//! * numbers are compared by value, and dates by their day; a date with slashes that can be read in two ways is read as the
//!   column's other dates show; if they do not show it, the date equals only itself;
//! * all texts that stand for a missing value are one value.
//!
//! Compatibility forms stay apart (NFC, not NFKC): `10²` is not `102`.

mod spelling;

use caseless::Caseless;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use unicode_normalization::UnicodeNormalization;

use crate::models::SensitiveColumn;
use crate::value::{DateFormat, Decimal, Value, ValueKind};

pub(crate) use spelling::{Plain, of_rows, taken};
pub use spelling::{further_spellings, in_normal_form};

/// What a text means. Texts with equal keys are one value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key {
    Missing,
    Value(Value),
    /// A date with slashes that can be read in two ways: its value with the day first, and with the month first.
    Either(Value, Value),
    Text(String),
}

/// How the texts of one column are read.
struct Sense<'a> {
    column: &'a SensitiveColumn,
    /// What a comma between digits means; `None` if that cannot be known.
    comma: Option<Comma>,
    /// The order of day and month in dates with slashes that can be read in two ways; `None` if that cannot be known.
    slashes: Option<DateFormat>,
    markers: Vec<Key>,
}

/// What a comma between digits means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comma {
    Decimal,
    Thousands,
    List,
}

/// Formats that cannot be mistaken for each other.
const CLEAR: [DateFormat; 3] =
    [DateFormat::YearMonthDayDash, DateFormat::YearMonthDaySlash, DateFormat::DayMonthYearDot];

impl<'a> Sense<'a> {
    /// Derives how a column is read from these of its texts.
    fn new<'t>(column: &'a SensitiveColumn, texts: impl Iterator<Item = &'t str>) -> Self {
        let mut sense = Self { column, comma: None, slashes: None, markers: Vec::new() };
        if column.exact {
            return sense;
        }
        let texts = texts.filter(|text| !column.missing.iter().any(|marker| marker == text));
        let shown: Vec<String> = texts.map(visible).collect();
        sense.slashes = slash_format(&shown);
        match column.kind {
            ValueKind::Number { comma } => sense.comma = comma.then_some(Comma::Decimal),
            ValueKind::Text => sense.comma = comma_of(&shown),
            // A format that the user gave counts more than the texts.
            ValueKind::Date {
                format: format @ (DateFormat::DayMonthYearSlash | DateFormat::MonthDayYearSlash),
            } => sense.slashes = Some(format),
            ValueKind::Date { .. } | ValueKind::Timestamp { .. } | ValueKind::Time => {}
        }
        sense.markers = column.missing.iter().map(|marker| sense.meaning(marker)).collect();
        sense
    }

    fn key(&self, text: &str) -> Key {
        if self.column.exact {
            return match Value::read(text, self.column.kind) {
                _ if self.column.missing.iter().any(|marker| marker == text) => Key::Missing,
                Some(value) => Key::Value(value),
                None => Key::Text(text.to_owned()),
            };
        }
        match self.meaning(text) {
            key if self.markers.contains(&key) => Key::Missing,
            key => key,
        }
    }

    fn meaning(&self, text: &str) -> Key {
        let shown = visible(text);
        if let Some(value) = self.value(&shown) {
            return Key::Value(value);
        }
        match as_slashed(&shown) {
            (Some(a), Some(b)) if a != b => Key::Either(a, b),
            (Some(day), _) | (None, Some(day)) => Key::Value(day),
            (None, None) => Key::Text(folded(&shown)),
        }
    }

    fn value(&self, shown: &str) -> Option<Value> {
        if matches!(self.column.kind, ValueKind::Timestamp { .. } | ValueKind::Time) {
            return Value::read(shown, self.column.kind);
        }
        let number = match self.comma {
            Some(Comma::Decimal) => Decimal::read(shown, true),
            Some(Comma::Thousands) => Decimal::read(shown, false).or_else(|| without_groups(shown)),
            Some(Comma::List) | None => Decimal::read(shown, false),
        };
        let number = number.map(Value::Number);
        let date = |format| Value::read(shown, ValueKind::Date { format });
        // An instant is one value in every column, whatever its offset.
        let instant = || Value::read(shown, ValueKind::Timestamp { zone: true });
        number.or_else(|| CLEAR.into_iter().chain(self.slashes).find_map(date)).or_else(instant)
    }

    /// Returns how many of these texts might be the same value as a text with another key, under some possible reading.
    fn doubts<'t>(&self, texts: impl Iterator<Item = &'t str>) -> u64 {
        let known: Vec<(Key, String)> = texts.map(|text| (self.key(text), visible(text))).collect();
        let is_one_way = |(_, text): &&(Key, String)| match as_slashed(text) {
            (Some(_), None) => Some(true),
            (None, Some(_)) => Some(false),
            _ => None,
        };
        let ways: Vec<bool> = known.iter().filter_map(|known| is_one_way(&known)).collect();
        let both_ways = ways.contains(&true) && ways.contains(&false);
        // If all dates have one format, each text is read in the same way; otherwise each may be read either way.
        let readings: &[(bool, bool)] =
            if both_ways { &[(true, true)] } else { &[(true, false), (false, true)] };
        let in_doubt = |&(day_first, month_first): &(bool, bool)| {
            let mut meant: HashMap<Key, Vec<&Key>, FixedState> = HashMap::default();
            for (key, text) in &known {
                let mut may_be = vec![key.clone()];
                if let Key::Either(a, b) = key {
                    may_be.extend(day_first.then_some(Key::Value(*a)));
                    may_be.extend(month_first.then_some(Key::Value(*b)));
                }
                if self.comma.is_none() && text.contains(',') {
                    let numbers = [Decimal::read(text, true), without_groups(text)];
                    may_be.extend(
                        numbers.into_iter().flatten().map(|number| Key::Value(Value::Number(number))),
                    );
                }
                for meaning in may_be {
                    let keys = meant.entry(meaning).or_default();
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
            }
            meant.values().map(|keys| keys.len() as u64 - 1).sum::<u64>()
        };
        readings.iter().map(in_doubt).max().unwrap_or(0)
    }
}

/// Reads a date with slashes with the day first, and with the month first.
fn as_slashed(shown: &str) -> (Option<Value>, Option<Value>) {
    let read = |format| Value::read(shown, ValueKind::Date { format });
    (read(DateFormat::DayMonthYearSlash), read(DateFormat::MonthDayYearSlash))
}

/// Whether the digits before the point are in groups: the last group of three digits, the others of two or three. Only digits may
/// follow the point.
fn is_in_groups(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, behind) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |group: &str, long: std::ops::RangeInclusive<usize>| {
        long.contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut groups: Vec<&str> = whole.split(',').collect();
    let (Some(last), true) = (groups.pop(), !groups.is_empty()) else { return false };
    let first = groups.remove(0);
    digits(last, 3..=3)
        && digits(first, 1..=3)
        && groups.iter().all(|group| digits(group, 2..=3))
        && digits(behind, 0..=usize::MAX)
}

/// Reads a number whose digits are in groups.
fn without_groups(text: &str) -> Option<Decimal> {
    let plain: String = text.chars().filter(|&character| character != ',').collect();
    if is_in_groups(text) { Decimal::read(&plain, false) } else { None }
}

/// Returns what the texts of a column show about commas. `1,500` may be fifteen hundred or one and a half, so it shows nothing.
fn comma_of(shown: &[String]) -> Option<Comma> {
    let (mut decimal, mut thousands, mut points) = (false, false, false);
    for text in shown {
        let commas = text.matches(',').count();
        let in_groups = is_in_groups(text);
        points |= text.contains('.') && Decimal::read(text, false).is_some();
        thousands |= in_groups && (commas > 1 || text.contains('.'));
        decimal |= commas == 1 && !in_groups && Decimal::read(text, true).is_some();
        let is_number = |part: &str| {
            let part = part.trim();
            !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        if commas > 1 && !in_groups && text.split(',').all(is_number) {
            return Some(Comma::List);
        }
    }
    match (decimal, thousands) {
        (true, false) if !points => Some(Comma::Decimal),
        (false, true) => Some(Comma::Thousands),
        _ => None,
    }
}

/// Returns the format of dates with slashes, if those that can be read in only one way agree.
fn slash_format(shown: &[String]) -> Option<DateFormat> {
    let (mut day_first, mut month_first) = (false, false);
    for text in shown {
        match as_slashed(text) {
            (Some(_), None) => day_first = true,
            (None, Some(_)) => month_first = true,
            _ => {}
        }
    }
    match (day_first, month_first) {
        (true, false) => Some(DateFormat::DayMonthYearSlash),
        (false, true) => Some(DateFormat::MonthDayYearSlash),
        _ => None,
    }
}

/// Removes characters that show nothing and white space around a text; white space inside becomes one space.
fn visible(text: &str) -> String {
    let shows = |character: &char| !is_ignorable(*character);
    let shown: String = text.chars().filter(shows).collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character leaves no trace on paper: one that Unicode calls default ignorable, or a control character.
fn is_ignorable(character: char) -> bool {
    match character {
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{3164}' | '\u{FEFF}' | '\u{FFA0}' => true,
        '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}' => true,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FE00}'..='\u{FE0F}' | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' => true,
        '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' => true,
        _ => character.is_control() && !character.is_whitespace(),
    }
}

/// Returns the form in which names are compared. Numbers and dates are not recognised in it.
pub(crate) fn as_name(text: &str) -> String {
    folded(&visible(text))
}

/// Canonical caseless matching (Unicode 3.13, D145), composed.
fn folded(shown: &str) -> String {
    shown.nfd().default_case_fold().nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: ValueKind, exact: bool) -> SensitiveColumn {
        let missing = ["?", "NA", "-9"].map(str::to_owned).to_vec();
        SensitiveColumn { name: "s".into(), kind, missing, exact, missing_counts: false }
    }

    fn same(texts: &[&str], a: &str, b: &str) -> bool {
        let column = column(ValueKind::Text, false);
        let sense = Sense::new(&column, texts.iter().copied());
        sense.key(a) == sense.key(b)
    }

    #[test]
    fn spellings_of_one_value() {
        for (a, b) in [
            ("HIV", "hiv"),
            ("HIV", " HIV\u{a0}"),
            ("HIV", "H\u{200b}I\u{ad}V\u{feff}"),
            ("Crohn  disease", "crohn\u{2003}disease"),
            ("é", "e\u{301}"),
            ("É", "e\u{301}"),
            ("straße", "STRASSE"),
            ("ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"),
            ("5", "5.0"),
            ("5", "05"),
            ("5", "+5"),
            ("5", " 5 "),
            ("1e3", "1000"),
            ("2020-03-05", "05.03.2020"),
            ("2020-03-05", "2020/3/5"),
            ("?", "na"),
            ("NA", "-9.0"),
        ] {
            assert!(same(&[], a, b), "{a} {b}");
        }
        for (a, b) in [("HIV", "HIW"), ("10²", "102"), ("1,5", "1.5"), ("5", "50"), ("a b", "ab"), ("1", "I")]
        {
            assert!(!same(&[], a, b), "{a} {b}");
        }
    }

    #[test]
    fn a_column_says_what_commas_and_slashes_are() {
        assert!(same(&["1,5", "2,25"], "1,5", "1,50"));
        assert!(!same(&["1,500", "2,250"], "1,5", "1,50"), "may be thousands");
        assert!(!same(&["1,5", "2.5"], "1,5", "1,50"));
        assert!(same(&["13/04/2020", "2020-04-03"], "03/04/2020", "2020-04-03"));
        assert!(same(&["04/13/2020"], "03/04/2020", "2020-03-04"));
        assert!(!same(&["03/04/2020"], "03/04/2020", "2020-04-03"), "nobody can tell");
        assert!(same(&["03/04/2020"], "03/04/2020", "3/4/2020"));
        assert!(same(&["x"], "2024-03-09T10:00:00Z", "2024-03-09 11:00+01:00"), "one instant");
        assert!(!same(&["x"], "2024-03-09T10:00:00Z", "2024-03-09T10:00:00"));
        assert!(same(&[], "13/04/2020", "04/13/2020") && same(&[], "4/4/2020", "2020-04-04"));
        assert!(!same(&["13/04/2020", "04/13/2020"], "03/04/2020", "04/03/2020"));
    }

    #[test]
    fn texts_that_may_be_one_value() {
        let column = column(ValueKind::Text, false);
        let doubts =
            |texts: &[&str]| Sense::new(&column, texts.iter().copied()).doubts(texts.iter().copied());
        for texts in [
            &["2020-04-03", "03/04/2020"][..],
            &["2020-03-04", "03/04/2020"],
            &["13/04/2020", "04/13/2020", "03/04/2020", "04/03/2020"],
            &["1,5", "1.5"],
            &["1,500", "1500"],
            &["1,500", "1.5"],
        ] {
            assert!(doubts(texts) > 0, "{texts:?}");
        }
        for texts in [
            &["03/04/2020", "04/03/2020"][..],
            &["13/04/2020", "03/04/2020", "2020-04-03"],
            &["1,500", "900", "x"],
            &["flu", "hiv, or flu"],
            &["1,200", "1,200.00", "1200"],
            &["1,2,3", "123", "1,2", "1.2"],
        ] {
            assert_eq!(doubts(texts), 0, "{texts:?}");
        }
    }

    #[test]
    fn exact_texts() {
        let texts = column(ValueKind::Text, true);
        let sense = Sense::new(&texts, std::iter::empty());
        assert!(sense.key("HIV") != sense.key("hiv") && sense.key("5") != sense.key("5.0"));
        assert!(sense.key("?") == sense.key("NA") && sense.key("na") != sense.key("NA"));
        let numbers = column(ValueKind::Number { comma: false }, true);
        let sense = Sense::new(&numbers, std::iter::empty());
        assert!(sense.key("5") == sense.key("5.0"));
    }
}
