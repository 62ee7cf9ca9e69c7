//! Germany, Austria, Switzerland, Poland, Czechia and Slovakia.

use super::super::checksums::{ean_13, luhn, mod_11_10, remainder, weighted};
use super::super::compact::Compact;
use super::{Kind, Kinds, is_day, read};

pub(super) fn add(number: &Compact, kinds: &mut Kinds) {
    kinds.add_if(Kind::DeHealth, is_health_insurance(number));
    let Some(digits) = number.digits() else { return };
    match digits.len() {
        10 => {
            kinds.add_if(Kind::AtInsurance, is_austrian(digits));
            kinds.add_if(Kind::CzRodneCislo, is_birth_number(digits));
        }
        11 => {
            kinds.add_if(Kind::DeTaxId, is_tax_number(digits));
            kinds.add_if(Kind::PlPesel, is_pesel(digits));
        }
        13 => kinds.add_if(Kind::ChAhv, digits.starts_with(&[7, 5, 6]) && ean_13(digits)),
        _ => {}
    }
}

/// § 139b AO: one digit stands two or three times among the first ten, and each other at most once.
fn is_tax_number(digits: &[u8]) -> bool {
    let mut times = [0_u8; 10];
    digits[..10].iter().for_each(|digit| times[usize::from(*digit)] += 1);
    let repeated = times.iter().filter(|times| **times > 1).count();
    let most = times.into_iter().max().unwrap_or_default();
    digits[0] != 0 && repeated == 1 && most <= 3 && mod_11_10(digits)
}

/// § 290 SGB V: the letter counts as two digits, 01 to 26. Weights are 1 and 2 by turns with digit sums, so that this is Luhn with
/// the check digit last.
fn is_health_insurance(number: &Compact) -> bool {
    if !number.is_shaped("A999999999") {
        return false;
    }
    let signs = number.signs();
    let letter = signs[0] - 9;
    luhn(&[&[letter / 10, letter % 10], &signs[1..]].concat())
}

/// Dachverband der Sozialversicherungsträger: the fourth digit is the check digit, the last six are the date of birth. Months from 13 on are
/// given when a day has no numbers left.
fn is_austrian(digits: &[u8]) -> bool {
    let (day, month, year) = (read(&digits[4..6]), read(&digits[6..8]), read(&digits[8..]));
    let born = is_day(year, month, day) || (13..=15).contains(&month) && (1..=31).contains(&day);
    let sum = weighted(digits, &[3, 7, 9, 0, 5, 8, 4, 2, 1, 6]);
    digits[0] != 0 && born && sum % 11 == u32::from(digits[3])
}

/// Ustawa o ewidencji ludności: the month says the century as well.
fn is_pesel(digits: &[u8]) -> bool {
    let born = is_day(read(&digits[..2]), read(&digits[2..4]) % 20, read(&digits[4..6]));
    born && weighted(digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

/// Zákon 133/2000 Sb.: a woman's month is greater by 50, and by a further 20 when a day has no numbers left.
fn is_birth_number(digits: &[u8]) -> bool {
    let month = match read(&digits[2..4]) % 50 {
        month @ 21..=32 => month - 20,
        month => month,
    };
    is_day(read(&digits[..2]), month, read(&digits[4..6])) && remainder(digits, 11) == 0
}

#[cfg(test)]
mod tests {
    use super::super::super::{Kind, kinds_of};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn germany_austria_switzerland() {
        assert!(is("36574261809", Kind::DeTaxId) && is("36 574 261 809", Kind::DeTaxId));
        assert!(!is("36574261890", Kind::DeTaxId));
        // The right check digit, but no digit is repeated, two are, and the first is zero.
        for text in ["12345678903", "11223456780", "02345678919"] {
            assert!(!is(text, Kind::DeTaxId), "{text}");
        }
        assert!(is("A123456780", Kind::DeHealth) && is("a123456780", Kind::DeHealth));
        assert!(!is("A123456781", Kind::DeHealth) && !is("1123456780", Kind::DeHealth));
        assert!(is("1237010180", Kind::AtInsurance) && is("1237 010180", Kind::AtInsurance));
        assert!(!is("1238010180", Kind::AtInsurance));
        assert!(is("7569217076985", Kind::ChAhv) && is("756.9217.0769.85", Kind::ChAhv));
        assert!(!is("7569217076984", Kind::ChAhv) && !is("4006381333931", Kind::ChAhv));
    }

    #[test]
    fn poland_czechia_slovakia() {
        assert!(is("44051401359", Kind::PlPesel) && !is("44051401358", Kind::PlPesel));
        assert!(!is("44131401352", Kind::PlPesel), "no such month");
        assert!(is("7103192745", Kind::CzRodneCislo) && is("710319/2745", Kind::CzRodneCislo));
        assert!(!is("7103192746", Kind::CzRodneCislo));
    }
}
