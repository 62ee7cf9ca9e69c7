//! Numbers inside a text: `Tel.: +49 30 5550123`, `paid by 4111 1111 1111 1111 in May`.
//!
//! Only what is beyond doubt counts: IBANs and payment cards with right check digits that stand for themselves, and phone numbers with a mark.

use super::compact::Compact;
use super::{Kind, Kinds, payment};

/// The fewest and the most digits of a phone number (ITU-T E.164), and the fewest behind a word for it.
const PHONE: std::ops::RangeInclusive<usize> = 8..=15;
const PHONE_NAMED: std::ops::RangeInclusive<usize> = 6..=15;
/// The most groups that a card number or an IBAN is set in: nine groups of four signs.
const MOST_GROUPS: usize = 9;
/// Words before a phone number, in lower case.
const PHONE_WORDS: [&str; 16] = [
    "tel",
    "telephone",
    "telefon",
    "telefono",
    "téléphone",
    "teléfono",
    "telefoon",
    "phone",
    "mobile",
    "mobil",
    "handy",
    "cell",
    "fax",
    "mob",
    "móvil",
    "portable",
];

/// The kinds of the numbers that stand somewhere in a text.
pub(super) fn kinds_inside(text: &str) -> Kinds {
    let mut kinds = Kinds::NONE;
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if digits >= *PHONE_NAMED.start() {
        kinds.add_if(Kind::Phone, holds_phone(text));
    }
    // The shortest card has 13 digits and the shortest IBAN 13 beside its letters.
    if digits >= 13 {
        add_groups(text, &mut kinds);
    }
    kinds
}

/// A `+` and digits that follow each other as in a phone number, an area code in brackets, or a word for a phone before the digits.
fn holds_phone(text: &str) -> bool {
    text.char_indices().any(|(place, sign)| {
        let (before, rest) = text.split_at(place);
        let stands_alone = !before.ends_with(|before: char| before.is_alphanumeric());
        match sign {
            // The code of a country never begins with a zero.
            '+' => {
                stands_alone
                    && rest[1..].starts_with(|next: char| ('1'..='9').contains(&next))
                    && PHONE.contains(&run(&rest[1..]))
            }
            '(' => stands_alone && rest.starts_with("(0") && rest.contains(')') && PHONE.contains(&run(rest)),
            '0'..='9' => {
                !before.ends_with(|before: char| before.is_ascii_digit())
                    && is_behind_word(before)
                    && PHONE_NAMED.contains(&run(rest))
            }
            _ => false,
        }
    })
}

/// The number of digits at the beginning of a text, with the signs between them that phone numbers have: two in a row at most.
fn run(text: &str) -> usize {
    let (mut digits, mut between) = (0, 0);
    for sign in text.chars() {
        match sign {
            '0'..='9' => (digits, between) = (digits + 1, 0),
            ' ' | '-' | '/' | '(' | ')' | '.' | '\u{a0}' if between < 2 => between += 1,
            _ => break,
        }
    }
    digits
}

/// Whether a text ends with a word for a phone, as in `Tel.: `, or `phone no. `.
fn is_behind_word(before: &str) -> bool {
    let mut words = before
        .rsplit(|sign: char| !sign.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase);
    // Between the word and the number stand few signs: `tel us more … 123456` is no number of a phone.
    let signs = before.len() - before.trim_end_matches(|sign: char| !sign.is_alphanumeric()).len();
    let is_word = |word: &String| PHONE_WORDS.contains(&word.as_str());
    let last = words.next();
    signs <= 3
        && match last.as_deref() {
            Some("no" | "nr" | "number" | "nummer") => words.next().is_some_and(|word| is_word(&word)),
            _ => last.is_some_and(|word| is_word(&word)),
        }
}

/// Adds cards and IBANs that are some groups of a text, one after another.
fn add_groups(text: &str, kinds: &mut Kinds) {
    let is_sign = |sign: char| sign.is_ascii_alphanumeric();
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (place, sign) in text.char_indices().filter(|(_, sign)| is_sign(*sign)) {
        match groups.last_mut() {
            Some((_, end)) if *end == place => *end += sign.len_utf8(),
            _ => groups.push((place, place + 1)),
        }
    }
    for first in 0..groups.len() {
        let start = groups[first].0;
        // A piece of a longer number, of a decimal number or of an address in the network is none of these.
        if text[..start].ends_with(|sign: char| sign.is_alphanumeric() || "-_./,=".contains(sign)) {
            continue;
        }
        for last in first..groups.len().min(first + MOST_GROUPS) {
            // Only one blank or hyphen stands between groups.
            if last > first && !matches!(&text[groups[last - 1].1..groups[last].0], " " | "-") {
                break;
            }
            let end = groups[last].1;
            let mut rest = text[end..].chars();
            let goes_on = match rest.next() {
                Some('-' | '_' | '.' | '/' | ',') => rest.next().is_some_and(char::is_alphanumeric),
                Some(next) => next.is_alphanumeric(),
                None => false,
            };
            if !goes_on && let Some(number) = Compact::of(&text[start..end]) {
                payment::add(&number, kinds);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside(text: &str) -> Vec<Kind> {
        kinds_inside(text).iter().collect()
    }

    #[test]
    fn numbers_stand_anywhere_in_a_text() {
        for text in [
            "Tel.: +49 30 5550123",
            "call +1 415 555 0123, please",
            "office (030) 5550123",
            "phone no. 5550123",
            "mobile: 0171/5550123",
        ] {
            assert_eq!(inside(text), [Kind::Phone], "{text}");
        }
        for text in [
            "IBAN: DE89370400440532013000 / 108",
            "to DE89 3704 0044 0532 0130 00 on Monday",
            "(DE89370400440532013000)",
        ] {
            assert_eq!(inside(text), [Kind::Iban], "{text}");
        }
        for text in ["paid 4111111111111111 0", "card 4111 1111 1111 1111, 12/27", "<4111-1111-1111-1111>"] {
            assert_eq!(inside(text), [Kind::PaymentCard], "{text}");
        }
    }

    #[test]
    fn other_numbers_in_texts_are_left_alone() {
        for text in [
            "paid 4111111111111112 0",
            "IBAN: DE89370400440532013001",
            "0.4111111111111111",
            "x4111111111111111",
            "https://shop.example/4111111111111111",
            "2024-01-02 10:15:00",
            "1+2345678901",
            "between 100000 and 200000 units",
            "a +5 % rise in 2024 and 2025",
            "telling 123456 people",
            "a hotel 123456",
            "(2024) 12345678",
            "",
        ] {
            assert_eq!(inside(text), [], "{text}");
        }
    }
}
