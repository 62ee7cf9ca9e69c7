//! Numbers by which money moves.

use super::checksums::{luhn, remainder};
use super::compact::{Compact, value};
use super::{Kind, Kinds};

pub(super) fn add(number: &Compact, kinds: &mut Kinds) {
    kinds.add_if(Kind::PaymentCard, is_card(number));
    kinds.add_if(Kind::Iban, is_iban(number.signs()));
}

/// A length and first digits that an issuer has, and Luhn. Without the issuers one of ten time stamps of 13 digits would pass.
fn is_card(number: &Compact) -> bool {
    let Some(digits) = number.digits().filter(|digits| (13..=19).contains(&digits.len())) else {
        return false;
    };
    // Cards are set in groups of four, or of four and six. Two coordinates side by side, or a large number with its thousands apart, are
    // not.
    let as_on_a_card = number.even_groups().is_some_and(|groups| match groups {
        [_] => true,
        [first, rest @ ..] => *first == 4 && rest.iter().all(|length| *length >= 3),
        [] => false,
    });
    as_on_a_card && has_issuer(digits) && luhn(digits)
}

/// The ranges of issuers (ISO/IEC 7812-1), with the lengths that each uses.
fn has_issuer(digits: &[u8]) -> bool {
    let first = |count: usize| digits.iter().take(count).fold(0, |sum, digit| sum * 10 + u32::from(*digit));
    let length = digits.len();
    let (one, two, three, four) = (first(1), first(2), first(3), first(4));
    match length {
        13 | 16 | 19 if one == 4 => true,
        15 if matches!(two, 34 | 37) => true,
        16 if matches!(two, 51..=55) || matches!(four, 2221..=2720) => true,
        16..=19
            if four == 6011
                || matches!(three, 644..=649)
                || matches!(two, 62 | 65)
                || matches!(four, 3528..=3589) =>
        {
            true
        }
        14..=19 => matches!(two, 30 | 36 | 38 | 39),
        _ => false,
    }
}

/// The lengths of account numbers, with the countries that use each (SWIFT's IBAN registry).
const LENGTHS: &[(usize, &str)] = &[
    (15, "NO"),
    (16, "BE"),
    (18, "DK FI FK FO GL NL SD"),
    (19, "MK SI"),
    (20, "AT BA EE KZ LT LU MN XK"),
    (21, "CH HR LI LV"),
    (22, "BG BH CR DE GB GE IE ME RS VA"),
    (23, "AE GI IL IQ OM SO TL"),
    (24, "AD CZ ES MD PK RO SA SE SK TN VG"),
    (25, "LY PT ST"),
    (26, "IS TR"),
    (27, "BI DJ FR GR IT MC MR SM"),
    (28, "AL AZ BY CY DO GT HN HU LB NI PL SV"),
    (29, "BR EG PS QA UA"),
    (30, "JO KW MU YE"),
    (31, "MT SC"),
    (32, "LC"),
    (33, "RU"),
];

fn is_iban(signs: &[u8]) -> bool {
    let of_length = LENGTHS.iter().filter(|(length, _)| *length == signs.len());
    let mut countries = of_length.flat_map(|(_, countries)| countries.split(' '));
    countries.any(|country| country.bytes().map(value).eq(signs[..2].iter().copied()))
        && is_iban_of_any_country(signs)
}

/// Two letters, two check digits, and a remainder of 1 modulo 97 once these four signs are put last (ISO 13616).
pub(super) fn is_iban_of_any_country(signs: &[u8]) -> bool {
    let [a, b, c, d, rest @ ..] = signs else { return false };
    // Check digits are 98 less a remainder, so 00, 01 and 99 are never given.
    let formed = *a > 9 && *b > 9 && *c < 10 && *d < 10 && (2..=98).contains(&(10 * c + d));
    formed && (15..=34).contains(&signs.len()) && remainder(rest.iter().chain(&signs[..4]), 97) == 1
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, kinds_of};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn cards_of_all_issuers() {
        // Numbers that the card companies publish for tests.
        for text in [
            "4111111111111111",
            "4222222222222",
            "4111 1111 1111 1111",
            "4111-1111-1111-1111",
            "5555555555554444",
            "2223003122003222",
            "378282246310005",
            "3782 822463 10005",
            "6011111111111117",
            "6200000000000005",
            "3530111333300000",
            "30569309025904",
            "3056 930902 5904",
            "38520000023237",
            " 4111111111111111 ",
        ] {
            assert!(is(text, Kind::PaymentCard), "{text}");
        }
    }

    #[test]
    fn other_numbers_are_no_cards() {
        for text in [
            "4111111111111112",
            "1711111111116", // Luhn, but no issuer
            "9999999999999995",
            "41111111111111113", // 17 digits
            "4.111111111111111", // a decimal number
            "4111.111111111111",
            "41.1111111 11.1111111", // two coordinates
            "4.111.111.111.111.111", // thousands
            "0000000000000000",
            "-4111111111111111",
        ] {
            assert!(!is(text, Kind::PaymentCard), "{text}");
        }
    }

    #[test]
    fn account_numbers() {
        // The examples of the IBAN registry.
        for text in [
            "DE89370400440532013000",
            "DE89 3704 0044 0532 0130 00",
            "de89370400440532013000",
            "GB29NWBK60161331926819",
            "FR1420041010050500013M02606",
            "NO9386011117947",
            "MT84MALT011000012345MTLCAST001S",
            "CH9300762011623852957",
            "NL91ABNA0417164300",
            "SA0380000000608010167519",
        ] {
            assert!(is(text, Kind::Iban), "{text}");
        }
        for text in [
            "DE89370400440532013001",
            "DE8937040044053201300",
            "ZZ8900000000000001",
            "89DE370400440532013000",
            "DE",
        ] {
            assert!(!is(text, Kind::Iban), "{text}");
        }
    }

    #[test]
    fn countries_are_named_once() {
        let mut countries: Vec<&str> =
            super::LENGTHS.iter().flat_map(|(_, names)| names.split(' ')).collect();
        assert_eq!(countries.len(), 89);
        countries.sort_unstable();
        assert!(countries.is_sorted_by(|a, b| a < b) && countries.iter().all(|name| name.len() == 2));
        assert!(super::LENGTHS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
