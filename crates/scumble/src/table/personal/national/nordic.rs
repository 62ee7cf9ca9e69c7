//! Sweden, Norway, Finland, Denmark: all of them begin with the date of birth.

use super::super::checksums::{luhn, remainder, weighted};
use super::super::compact::{Compact, value};
use super::{Kind, Kinds, eleven_less, is_day, read};

pub(super) fn add(text: &str, number: &Compact, kinds: &mut Kinds) {
    kinds.add_if(Kind::FiHetu, is_hetu(text, number));
    let Some(digits) = number.digits() else { return };
    match digits.len() {
        10 => {
            kinds.add_if(Kind::SePersonnummer, is_personnummer(digits));
            kinds.add_if(Kind::DkCpr, is_cpr(number, digits));
        }
        11 => kinds.add_if(Kind::NoFodselsnummer, is_fodselsnummer(digits)),
        12 if matches!(read(&digits[..2]), 18..=20) => {
            kinds.add_if(Kind::SePersonnummer, is_personnummer(&digits[2..]));
        }
        _ => {}
    }
}

/// Folkbokföringslagen § 18, Skatteverket SKV 704: year, month and day, a serial number and Luhn. A person who is not registered has a
/// number in which the day is greater by 60.
fn is_personnummer(digits: &[u8]) -> bool {
    let day = read(&digits[4..6]);
    let born = is_day(read(&digits[..2]), read(&digits[2..4]), if day > 60 { day - 60 } else { day });
    born && luhn(digits)
}

/// Folkeregisterforskriften: day, month and year, a serial number and two check digits. The day of a D-number is greater by 40; the
/// month by 40, 65 or 80 in numbers for tests and of institutions.
fn is_fodselsnummer(digits: &[u8]) -> bool {
    let day = read(&digits[..2]) % 40;
    let month = match read(&digits[2..4]) {
        month @ 81..=92 => month - 80,
        month @ 66..=77 => month - 65,
        month @ 41..=52 => month - 40,
        month => month,
    };
    let born = is_day(read(&digits[4..6]), month, day);
    born && u32::from(digits[9]) == eleven_less(weighted(&digits[..9], &[3, 7, 6, 1, 8, 9, 4, 5, 2]))
        && u32::from(digits[10]) == eleven_less(weighted(&digits[..10], &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]))
}

/// Valtioneuvoston asetus 128/2010: date of birth, a sign for the century, a serial number, and a sign by the remainder modulo 31. Since 2023 each
/// century has several signs.
fn is_hetu(text: &str, number: &Compact) -> bool {
    const CHECKS: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let Some(century) = text.as_bytes().get(6).filter(|_| text.len() == 11).map(u8::to_ascii_uppercase)
    else {
        return false;
    };
    // The hyphen is no sign of the number, the letters are.
    let signs = number.signs();
    let (serial, check) = match (century, signs.len()) {
        (b'-', 10) => (&signs[6..9], signs[9]),
        (b'A'..=b'F' | b'U'..=b'Y', 11) => (&signs[7..10], signs[10]),
        _ => return false,
    };
    let digits = [&signs[..6], serial].concat();
    digits.iter().all(|digit| *digit < 10)
        && is_day(read(&signs[4..6]), read(&signs[2..4]), read(&signs[..2]))
        && check == value(CHECKS[remainder(&digits, 31) as usize])
}

/// CPR-kontoret: check digits were given up in 2007, so only the date of birth is left.
fn is_cpr(number: &Compact, digits: &[u8]) -> bool {
    let grouped = matches!(number.even_groups(), Some([10] | [6, 4]));
    grouped && is_day(read(&digits[4..6]), read(&digits[2..4]), read(&digits[..2]))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Kind, kinds_of};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn sweden() {
        for text in ["8803200016", "880320-0016", "198803200016", "19880320-0016"] {
            assert!(is(text, Kind::SePersonnummer), "{text}");
        }
        for text in ["8803200017", "8813200014", "178803200016"] {
            assert!(!is(text, Kind::SePersonnummer), "{text}");
        }
    }

    #[test]
    fn norway() {
        assert!(is("15108695088", Kind::NoFodselsnummer) && is("151086 95088", Kind::NoFodselsnummer));
        assert!(!is("15108695089", Kind::NoFodselsnummer));
    }

    #[test]
    fn finland() {
        // 131052308 is 4227493 · 31 + 25; with A for a birth since 2000 the rest is the same.
        for text in ["131052-308T", "131052-308t", "131052A308T", "131052Y308T"] {
            assert!(is(text, Kind::FiHetu), "{text}");
        }
        for text in ["131052-308U", "131052/308T", "131052308T", "131052G308T", "321052-308T", "13105Ä-308T"]
        {
            assert!(!is(text, Kind::FiHetu), "{text}");
        }
    }

    #[test]
    fn denmark() {
        assert!(is("010190-1234", Kind::DkCpr) && is("0101901234", Kind::DkCpr));
        assert!(!is("310290-1234", Kind::DkCpr) && !is("01-01-901234", Kind::DkCpr));
    }
}
