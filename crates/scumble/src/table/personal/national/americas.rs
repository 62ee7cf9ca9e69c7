//! United States, Canada, Brazil.

use super::super::checksums::{luhn, weighted};
use super::super::compact::Compact;
use super::{Kind, Kinds, eleven_less, read};

pub(super) fn add(text: &str, number: &Compact, kinds: &mut Kinds) {
    kinds.add_if(Kind::UsSsn, is_hyphenated(text) && is_social_security_number(number));
    kinds.add_if(Kind::UsDea, is_dea(number));
    let Some(digits) = number.digits() else { return };
    match digits.len() {
        9 => kinds.add_if(Kind::CaSin, luhn(digits)),
        10 => kinds.add_if(Kind::UsNpi, is_npi(digits)),
        11 => kinds.add_if(Kind::BrCpf, is_cpf(digits)),
        _ => {}
    }
}

/// Three, two and four signs with hyphens between them.
fn is_hyphenated(text: &str) -> bool {
    text.split('-').map(str::len).eq([3, 2, 4])
}

/// Area, group and serial number as the Social Security Administration gives them. There is no check digit.
pub(in super::super) fn is_social_security_number(number: &Compact) -> bool {
    let Some(digits) = number.digits().filter(|digits| digits.len() == 9) else { return false };
    let area = read(&digits[..3]);
    (1..900).contains(&area) && area != 666 && read(&digits[3..5]) > 0 && read(&digits[5..]) > 0
}

/// National Provider Identifier (45 CFR 162.406): Luhn behind 80840, which stands for health in the United States. The first digit is 1 or
/// 2.
fn is_npi(digits: &[u8]) -> bool {
    matches!(digits[0], 1 | 2) && luhn(&[&[8, 0, 8, 4, 0], digits].concat())
}

/// Registration number of the Drug Enforcement Administration.
fn is_dea(number: &Compact) -> bool {
    number.is_shaped("AA9999999")
        && u32::from(number.signs()[8]) == weighted(&number.signs()[2..8], &[1, 2, 1, 2, 1, 2]) % 10
}

/// Two check digits; the second counts the first (Receita Federal).
fn is_cpf(digits: &[u8]) -> bool {
    let check = |digits: &[u8], weights: &[u32]| match eleven_less(weighted(digits, weights)) {
        10 => 0,
        digit => digit,
    };
    u32::from(digits[9]) == check(&digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2])
        && u32::from(digits[10]) == check(&digits[..10], &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
}

#[cfg(test)]
mod tests {
    use super::super::super::{Kind, Kinds, kinds_of, kinds_of_named};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn united_states() {
        assert!(is("536-90-4399", Kind::UsSsn));
        for text in [
            "666-12-3456",
            "000-12-3456",
            "900-12-3456",
            "536-00-4399",
            "536-90-0000",
            "536904399",
            "53-690-4399",
        ] {
            assert!(!is(text, Kind::UsSsn), "{text}");
        }
        let named = |text: &str| kinds_of_named(text, Kinds::from_iter([Kind::UsSsn])).has(Kind::UsSsn);
        assert!(named("536904399") && named("536 90 4399") && !named("666123456") && !named("5369043990"));
        assert!(is("1234567893", Kind::UsNpi) && !is("1234567894", Kind::UsNpi));
        assert!(!is("3234567891", Kind::UsNpi), "right check digit, wrong first digit");
        assert!(is("AB1234563", Kind::UsDea) && !is("AB1234564", Kind::UsDea));
    }

    #[test]
    fn canada_and_brazil() {
        assert!(
            is("123456782", Kind::CaSin) && is("123-456-782", Kind::CaSin) && !is("123456783", Kind::CaSin)
        );
        assert!(is("39053344705", Kind::BrCpf) && is("390.533.447-05", Kind::BrCpf));
        assert!(!is("39053344706", Kind::BrCpf) && !is("11111111111", Kind::BrCpf));
    }
}
