//! When two texts are one value: the normal form of a text in its column.
//!
//! A text is trimmed, and white space inside it counts as one space; characters that show nothing are left out; case and
//! composition are folded (Unicode's canonical caseless matching, composed to NFC); numbers are compared by value and dates by their day.
//! NFKC would go too far: it takes `10²` for `102`, which are two values. The verifier has this rule a second time.

use caseless::Caseless;
use unicode_normalization::UnicodeNormalization;

use crate::date::DateFormat;
use crate::kind::Kind;

/// How the texts of one column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Form {
    /// Whether numbers have a decimal comma.
    comma: bool,
    /// What dates with slashes are; none where day and month cannot be told apart.
    slashes: Option<DateFormat>,
}

/// The most digits of a number that is compared by value.
const MOST_DIGITS: usize = 38;

impl Form {
    /// The form of a column of this kind that has these texts, without missing ones.
    pub fn of<'a>(kind: Kind, texts: impl Iterator<Item = &'a str>) -> Self {
        match kind {
            Kind::Integer | Kind::Decimal => Self::default(),
            Kind::DecimalComma => Self { comma: true, slashes: None },
            Kind::Date(format) => Self { comma: false, slashes: is_slashed(format).then_some(format) },
            Kind::Text => {
                let texts: Vec<String> = texts.map(shown).collect();
                Self { comma: uses_comma(&texts), slashes: slashed(&texts) }
            }
        }
    }

    /// The normal form: equal for two texts that are one value, different for others.
    #[must_use]
    pub fn key(&self, text: &str) -> String {
        let shown = shown(text);
        if let Some(number) = number(&shown, if self.comma { ',' } else { '.' }) {
            return number;
        }
        let clear = [DateFormat::YearMonthDay, DateFormat::YearMonthDaySlash, DateFormat::DayMonthYearDot]
            .into_iter();
        match clear.chain(self.slashes).find_map(|format| format.parse(&shown)) {
            Some(day) => format!("date {day}"),
            None => format!("text {}", folded(&shown)),
        }
    }
}

fn is_slashed(format: DateFormat) -> bool {
    matches!(format, DateFormat::DayMonthYear | DateFormat::MonthDayYear)
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

/// Whether commas are decimal marks in a column of texts. `1,500` may be a thousand; where points are decimal marks, commas are not.
fn uses_comma(texts: &[String]) -> bool {
    let places = |text: &String, mark: char| {
        number(text, mark)?;
        let (_, after) = text.split_once(mark)?;
        Some(after.bytes().take_while(u8::is_ascii_digit).count())
    };
    let surely = |text: &String| places(text, ',').is_some_and(|places| places != 3);
    texts.iter().any(surely) && texts.iter().all(|text| places(text, '.').is_none())
}

/// What dates with slashes are in a column of texts: the one format that fits them all.
fn slashed(texts: &[String]) -> Option<DateFormat> {
    let both = [DateFormat::DayMonthYear, DateFormat::MonthDayYear];
    let dates = || texts.iter().filter(|text| both.iter().any(|format| format.parse(text).is_some()));
    let mut fitting = both.into_iter().filter(|format| dates().all(|text| format.parse(text).is_some()));
    let found = fitting.next()?;
    (fitting.next().is_none()).then_some(found)
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
        assert!(!form(&["1,500", "x"]).comma && !form(&["1,5", "2.5"]).comma);
        assert_eq!(form(&["13/04/2020", "x"]).key("3/4/2020"), key("2020-04-03"));
        assert_eq!(form(&["04/13/2020", "x"]).key("3/4/2020"), key("2020-03-04"));
        assert_eq!(form(&["04/03/2020"]).slashes, None);
        assert_eq!(form(&["04/13/2020", "13/04/2020"]).slashes, None);
        assert_eq!(form(&[]), Form::default());
        let declared = Form::of(Kind::Date(DateFormat::DayMonthYear), ["03/04/2020"].into_iter());
        assert_eq!(declared.key("03/04/2020"), key("2020-04-03"));
    }
}
