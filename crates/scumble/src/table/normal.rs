//! When two texts are one value: the normal form of a text in its column.
//!
//! A text is trimmed, and white space inside it counts as one space; characters that show nothing are left out; case and
//! composition are folded (Unicode's canonical caseless matching, composed to NFC); numbers are compared by value and dates by their day.
//! NFKC would go too far: it takes `10²` for `102`, which are two values. The verifier has this rule a second time.

use std::collections::HashMap;

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::table::date::DateFormat;
use crate::table::kind::Kind;
use crate::table::moment;

/// How the texts of one column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// What commas are in numbers.
    commas: Commas,
    /// What comes first in dates with slashes, where the column says so. A date that can be read in one way only needs no saying.
    slashes: Option<DateFormat>,
}

/// What a comma between digits is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Commas {
    /// Nothing tells.
    #[default]
    Unknown,
    /// A decimal mark: `1,5`.
    Decimal,
    /// It groups digits: `1,200.50`.
    Groups,
    /// It separates the members of a list: `1,2,10`.
    Lists,
}

/// The most digits of a number that is compared by value.
const MOST_DIGITS: usize = 38;

impl Form {
    /// The form of a column of this kind that has these texts, without missing ones.
    pub fn of<'a>(kind: Kind, texts: impl Iterator<Item = &'a str>) -> Self {
        match kind {
            Kind::Integer | Kind::Decimal | Kind::Wide { comma: false } => Self::default(),
            Kind::DecimalComma | Kind::Wide { comma: true } => {
                Self { commas: Commas::Decimal, slashes: None }
            }
            Kind::Date(format) => {
                Self { commas: Commas::Unknown, slashes: SLASHED.contains(&format).then_some(format) }
            }
            Kind::Timestamp { .. } | Kind::Time => Self::default(),
            Kind::Text => {
                let texts: Vec<String> = texts.map(shown).collect();
                Self { commas: commas(&texts), slashes: slashed(&texts) }
            }
        }
    }

    /// The normal form: equal for two texts that are surely one value, different for others.
    #[must_use]
    pub fn key(&self, text: &str) -> String {
        let shown = shown(text);
        let number = match self.commas {
            Commas::Decimal => number(&shown, ','),
            Commas::Groups if is_grouped(&shown) => number(&shown.replace(',', ""), '.'),
            Commas::Groups | Commas::Lists | Commas::Unknown => number(&shown, '.'),
        };
        if let Some(number) = number {
            return number;
        }
        if let Some(day) = CLEAR.into_iter().chain(self.slashes).find_map(|format| format.parse(&shown)) {
            return of_day(day);
        }
        // An instant is one value, whatever its offset.
        if let Some((nanos, _)) = moment::timestamp(&shown, true) {
            return format!("instant {nanos}");
        }
        match SLASHED.map(|format| format.parse(&shown)) {
            [None, None] => format!("text {}", folded(&shown)),
            [Some(day), None] | [None, Some(day)] => of_day(day),
            [Some(day), Some(other)] if day == other => of_day(day),
            [Some(day), Some(other)] => format!("date {day} or {other}"),
        }
    }

    /// Whether two forms say the same about a mark, a comma or a slash.
    pub(crate) fn agrees(&self, other: &Self, mark: char) -> bool {
        if mark == ',' { self.commas == other.commas } else { self.slashes == other.slashes }
    }

    /// Two of these texts, by their places, that may be one value though their normal forms differ: nobody can know what comes first
    /// in `03/04/2020` and `2020-04-03`, or what the comma is in `1,500` and `1500`.
    #[must_use]
    pub fn doubt<'a>(&self, texts: impl Iterator<Item = &'a str>) -> Option<(usize, usize)> {
        let texts: Vec<String> = texts.map(shown).collect();
        // Most columns have no such text, and some have millions of others.
        if !texts.iter().any(|text| text.contains([',', '/'])) {
            return None;
        }
        let keys: Vec<String> = texts.iter().map(|text| self.key(text)).collect();
        let days: Vec<[Option<i64>; 2]> =
            texts.iter().map(|text| SLASHED.map(|format| format.parse(text))).collect();
        // Where some dates prove one format and others the other, each further date may be in either.
        let proved =
            |format: usize| days.iter().any(|days| days[format].is_some() && days[1 - format].is_none());
        let mixed = self.slashes.is_none() && proved(0) && proved(1);
        let chances: &[&[usize]] = if mixed { &[&[0, 1]] } else { &[&[0], &[1]] };
        chances.iter().find_map(|formats| {
            let mut known: HashMap<String, usize> = HashMap::new();
            (0..texts.len()).find_map(|place| {
                let mut meanings = self.as_numbers(&texts[place]);
                if self.slashes.is_none() && days[place][0] != days[place][1] {
                    meanings.extend(formats.iter().filter_map(|format| days[place][*format]).map(of_day));
                }
                meanings.push(keys[place].clone());
                let first = |meaning| *known.entry(meaning).or_insert(place);
                let first: Vec<usize> = meanings.into_iter().map(first).collect();
                let other = first.into_iter().find(|first| keys[*first] != keys[place])?;
                Some((other, place))
            })
        })
    }

    /// What a number with commas may be, where nothing shows what they are.
    fn as_numbers(&self, shown: &str) -> Vec<String> {
        if self.commas != Commas::Unknown || !shown.contains(',') {
            return Vec::new();
        }
        let grouped = is_grouped(shown).then(|| number(&shown.replace(',', ""), '.'));
        [number(shown, ','), grouped.flatten()].into_iter().flatten().collect()
    }
}

/// Formats that are never taken for each other.
const CLEAR: [DateFormat; 3] =
    [DateFormat::YearMonthDay, DateFormat::YearMonthDaySlash, DateFormat::DayMonthYearDot];

/// Formats that can be taken for each other.
const SLASHED: [DateFormat; 2] = [DateFormat::DayMonthYear, DateFormat::MonthDayYear];

fn of_day(day: i64) -> String {
    format!("date {day}")
}

/// The text as it is seen: without characters that show nothing, trimmed, with single spaces.
fn shown(text: &str) -> String {
    // Most texts are plain already.
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut space = false;
    for character in text.chars().filter(|character| !shows_nothing(*character)) {
        if character.is_whitespace() {
            space = !shown.is_empty();
            continue;
        }
        if std::mem::take(&mut space) {
            shown.push(' ');
        }
        shown.push(character);
    }
    shown
}

/// The ranges of characters that Unicode calls default ignorable: zero-width marks, joiners, direction marks, variation selectors, tags.
const IGNORABLE: [(u32, u32); 17] = [
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1_BCA0, 0x1_BCA3),
    (0x1_D173, 0x1_D17A),
    (0xE_0000, 0xE_0FFF),
];

fn shows_nothing(character: char) -> bool {
    if character.is_control() {
        return !character.is_whitespace();
    }
    let code = character as u32;
    IGNORABLE.iter().any(|(first, last)| (*first..=*last).contains(&code))
}

/// The normal form of a text that is a name: no number, no date.
pub(crate) fn as_text(text: &str) -> String {
    folded(&shown(text))
}

fn folded(shown: &str) -> String {
    if shown.is_ascii() {
        return shown.to_ascii_lowercase();
    }
    shown.nfd().default_case_fold().nfc().collect()
}

/// A number in one way of writing: sign, digits without zeros at either end, power of ten.
fn number(shown: &str, mark: char) -> Option<String> {
    let unsigned = shown.strip_prefix(['+', '-']).unwrap_or(shown);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, i64::from(exponent.parse::<i32>().ok()?)),
        None => (unsigned, 0),
    };
    let (whole, places) = mantissa.split_once(mark).unwrap_or((mantissa, ""));
    let digits = format!("{whole}{places}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let significant = digits.trim_start_matches('0');
    let power =
        exponent - places.len() as i64 + (significant.len() - significant.trim_end_matches('0').len()) as i64;
    let significant = significant.trim_end_matches('0');
    match significant.len() {
        0 => Some("number 0".to_owned()),
        1..=MOST_DIGITS => {
            let sign = if shown.starts_with('-') { "-" } else { "" };
            Some(format!("number {sign}{significant}e{power}"))
        }
        _ => None,
    }
}

/// Whether the digits before a decimal point stand in groups: `1,200`, `1,200.50`, `12,34,567`.
fn is_grouped(shown: &str) -> bool {
    let unsigned = shown.strip_prefix(['+', '-']).unwrap_or(shown);
    let (whole, places) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let groups: Vec<&str> = whole.split(',').collect();
    let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
    let [first, middle @ .., last] = &groups[..] else { return false };
    groups.iter().all(digits)
        && digits(&places)
        && (1..=3).contains(&first.len())
        && middle.iter().all(|group| (2..=3).contains(&group.len()))
        && last.len() == 3
}

/// What commas are in a column of texts. `1,500` alone proves nothing.
fn commas(texts: &[String]) -> Commas {
    let commas_of = |text: &String| text.bytes().filter(|byte| *byte == b',').count();
    let groups = |text: &String| is_grouped(text) && (commas_of(text) > 1 || text.contains('.'));
    let list = |text: &String| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        commas_of(text) > 1 && !is_grouped(text) && text.split(',').all(|part| digits(part.trim()))
    };
    let with_mark = |text: &String, mark: char| text.contains(mark) && number(text, mark).is_some();
    let decimal = |text: &String| with_mark(text, ',') && !is_grouped(text);
    if texts.iter().any(list) {
        return Commas::Lists;
    }
    match (texts.iter().any(decimal), texts.iter().any(groups)) {
        (true, false) if !texts.iter().any(|text| with_mark(text, '.')) => Commas::Decimal,
        (false, true) => Commas::Groups,
        _ => Commas::Unknown,
    }
}

/// What comes first in dates with slashes: what the dates say that can be read in one way only, if all of them agree.
fn slashed(texts: &[String]) -> Option<DateFormat> {
    let says = |text: &String| match SLASHED.map(|format| format.parse(text).is_some()) {
        [true, false] => Some(SLASHED[0]),
        [false, true] => Some(SLASHED[1]),
        _ => None,
    };
    let mut said = texts.iter().filter_map(says);
    let first = said.next()?;
    said.all(|other| other == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> String {
        Form::default().key(text)
    }

    #[test]
    fn texts_of_one_value() {
        for spellings in [
            &["HIV", "hiv", "HIV ", "\u{feff}H\u{200b}iv", "\tHiV\u{a0}"][..],
            &["café", "cafe\u{301}", "CAFÉ", "CAFE\u{301}"],
            &["5", "5.0", "05", "+5", "5e0", " 5", "0.5e1", "500e-2"],
            &["0", "-0", "0.000", "0e7"],
            &["2024-03-05", "05.03.2024", "2024/03/05", "5.3.2024"],
            &["weiß", "WEISS"],
            &["2024-03-09T10:00:00Z", "2024-03-09 11:00+01:00", "2024-03-09T12:00:00.0+0200"],
            &["a b", "A  B", "a\u{2003}b"],
        ] {
            for other in spellings {
                assert_eq!(key(other), key(spellings[0]), "{other:?}");
            }
        }
        for (one, other) in [("10²", "102"), ("5", "-5"), ("ab", "a b"), ("1,5", "1.5"), ("number 5e0", "5")]
        {
            assert_ne!(key(one), key(other), "{one:?} {other:?}");
        }
        assert_ne!(key("03/04/2020"), key("2020-04-03"), "day and month cannot be told apart");
    }

    #[test]
    fn a_column_says_how_its_texts_are_read() {
        let form = |texts: &[&str]| Form::of(Kind::Text, texts.iter().copied());
        assert_eq!(form(&["1,5", "x"]).key("1,50"), form(&["1,5"]).key("1,5"));
        assert_eq!([form(&["1,500", "x"]).commas, form(&["1,5", "2.5"]).commas], [Commas::Unknown; 2]);
        let money = form(&["1,200.50", "x"]);
        assert_eq!([money.key("1,200"), money.key("1,200.00")], [key("1200"), key("1200")]);
        let list = form(&["1,2", "1,20", "1,2,3"]);
        assert_ne!(list.key("1,2"), list.key("1,20"));
        assert_eq!(form(&["13/04/2020", "x"]).key("3/4/2020"), key("2020-04-03"));
        assert_eq!(form(&["04/13/2020", "x"]).key("3/4/2020"), key("2020-03-04"));
        assert_eq!(form(&["04/03/2020"]).slashes, None);
        let mixed = form(&["04/13/2020", "13/04/2020"]);
        assert_eq!(mixed.slashes, None);
        assert_eq!(mixed.key("04/13/2020"), mixed.key("13/04/2020"), "each can be read in one way only");
        assert_eq!(mixed.key("4/4/2020"), key("2020-04-04"), "both readings are one day");
        assert_eq!(mixed.key("3/4/2020"), mixed.key("03/04/2020"));
        assert_ne!(mixed.key("3/4/2020"), mixed.key("4/3/2020"));
        assert_eq!(form(&[]), Form::default());
        let declared = Form::of(Kind::Date(DateFormat::DayMonthYear), ["03/04/2020"].into_iter());
        assert_eq!(declared.key("03/04/2020"), key("2020-04-03"));
    }

    #[test]
    fn what_may_be_one_value_is_in_doubt() {
        let doubt = |texts: &[&str]| Form::of(Kind::Text, texts.iter().copied()).doubt(texts.iter().copied());
        assert_eq!(doubt(&["x", "2020-04-03", "03/04/2020"]), Some((1, 2)));
        assert_eq!(doubt(&["x", "2020-03-04", "03/04/2020"]), Some((1, 2)));
        assert_eq!(doubt(&["13/04/2020", "04/13/2020", "03/04/2020", "04/03/2020"]), Some((2, 3)));
        assert_eq!(doubt(&["1,5", "1.5"]), Some((0, 1)));
        assert_eq!(doubt(&["1,5", "2.5", "1,50"]), Some((0, 2)));
        assert_eq!(doubt(&["1500", "1,500"]), Some((0, 1)));
        for clear in [
            &["03/04/2020", "04/03/2020", "3/4/2020"][..],
            &["03/04/2020", "2020-05-06"],
            &["13/04/2020", "03/04/2020", "2020-04-03"],
            &["13/04/2020", "04/13/2020", "2020-04-13"],
            &["1,500", "2,000", "x", "900"],
            &["1,5", "1,50", "x"],
            &["this, or that", "a,b", "1.5", "15"],
            &["1,200", "1,200.00", "1200"],
            &["1,200.50", "1,200.5", "1200.50"],
            &["1,2,3", "123", "1,2", "1.2"],
        ] {
            assert_eq!(doubt(clear), None, "{clear:?}");
        }
    }
}
