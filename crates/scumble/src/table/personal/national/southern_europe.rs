//! Spain, Italy, Portugal.

use super::super::checksums::weighted;
use super::super::compact::{Compact, value};
use super::{Kind, Kinds, eleven_less, read};

pub(super) fn add(number: &Compact, kinds: &mut Kinds) {
    let signs = number.signs();
    match (signs.len(), number.digits()) {
        (9, Some(digits)) => kinds.add_if(Kind::PtNif, is_nif(digits)),
        (9, None) => kinds.add_if(Kind::EsDni, is_dni(number)),
        (16, None) => kinds.add_if(Kind::ItTaxCode, is_tax_code(number)),
        _ => {}
    }
}

/// Real Decreto 1553/2005: a letter by the remainder modulo 23. Foreigners have X, Y or Z first, which count as 0, 1 and 2.
fn is_dni(number: &Compact) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let signs = number.signs();
    let first = match signs[0] {
        _ if number.is_shaped("99999999A") => signs[0],
        letter if number.is_shaped("A9999999A") && letter >= value(b'X') => letter - value(b'X'),
        _ => return false,
    };
    let whole = u32::from(first) * 10_000_000 + read(&signs[1..8]);
    signs[8] == value(LETTERS[whole as usize % LETTERS.len()])
}

/// Decreto ministeriale 23 dicembre 1976: surname and name, year, month and day of birth, place, and a letter by the sum of two tables.
/// Where two people would have the same code, letters stand for some of the digits.
fn is_tax_code(number: &Compact) -> bool {
    // What a digit counts in an odd place; a letter counts as the digit of its place in the alphabet, and those from K on as below.
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let signs = number.signs();
    // The digit that a letter stands for.
    let digit = |sign: u8| match sign {
        0..=9 => Some(u32::from(sign)),
        _ => "LMNPQRSTUV".bytes().position(|letter| value(letter) == sign).map(|digit| digit as u32),
    };
    let places = [6, 7, 9, 10, 12, 13, 14];
    let day = digit(signs[9]).zip(digit(signs[10])).map(|(tens, ones)| 10 * tens + ones);
    let formed = number.is_shaped("AAAAAA**A**A***A")
        && "ABCDEHLMPRST".bytes().any(|month| value(month) == signs[8])
        && places.iter().all(|place| digit(signs[*place]).is_some())
        && day.is_some_and(|day| matches!(day, 1..=31 | 41..=71));
    let place = |sign: u8| usize::from(if sign < 10 { sign } else { sign - 10 });
    let sum: u32 = signs[..15]
        .iter()
        .enumerate()
        .map(|(before, sign)| if before % 2 == 0 { ODD[place(*sign)] } else { place(*sign) as u32 })
        .sum();
    formed && sum % 26 + 10 == u32::from(signs[15])
}

/// Decreto-Lei 14/2013: weights 9 to 2.
fn is_nif(digits: &[u8]) -> bool {
    let check = match eleven_less(weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2])) {
        10 => 0,
        digit => digit,
    };
    digits[0] != 0 && u32::from(digits[8]) == check
}

#[cfg(test)]
mod tests {
    use super::super::super::{Kind, kinds_of};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn spain() {
        assert!(
            is("54362315K", Kind::EsDni) && is("54362315-K", Kind::EsDni) && is("54.362.315-k", Kind::EsDni)
        );
        assert!(is("X2482300W", Kind::EsDni) && is("X-2482300-W", Kind::EsDni));
        for text in ["54362315Z", "X2482300A", "W2482300W", "5436231K", "543623150"] {
            assert!(!is(text, Kind::EsDni), "{text}");
        }
    }

    #[test]
    fn italy() {
        assert!(is("RCCMNL83S18D969H", Kind::ItTaxCode) && is("rccmnl83s18d969h", Kind::ItTaxCode));
        // A letter for the last digit: 9 counts 21 in an odd place and V counts 10, so the check letter goes back by 11, from H to W.
        assert!(is("RCCMNL83S18D96VW", Kind::ItTaxCode));
        for text in ["RCCMNL83S18D969I", "RCCMNL83S00D969H", "RCCMNL83S18D96", "RCCMN183S18D969H"] {
            assert!(!is(text, Kind::ItTaxCode), "{text}");
        }
    }

    #[test]
    fn portugal() {
        assert!(
            is("501964843", Kind::PtNif) && is("501 964 843", Kind::PtNif) && !is("501964842", Kind::PtNif)
        );
    }
}
