//! China, India, Australia.

use super::super::checksums::{mod_11_2, verhoeff, weighted};
use super::super::compact::{Compact, value};
use super::{Kind, Kinds, is_day, read};

pub(super) fn add(number: &Compact, kinds: &mut Kinds) {
    kinds.add_if(Kind::CnId, is_chinese(number));
    let Some(digits) = number.digits() else { return };
    match digits.len() {
        9 => kinds.add_if(Kind::AuTfn, is_tax_file_number(digits)),
        10 | 11 => kinds.add_if(Kind::AuMedicare, is_medicare(digits)),
        12 => kinds.add_if(Kind::InAadhaar, is_aadhaar(digits)),
        _ => {}
    }
}

/// GB 11643-1999: region, date of birth, serial number, and ISO 7064 MOD 11-2, with X for ten.
fn is_chinese(number: &Compact) -> bool {
    if !number.is_shaped("99999999999999999*") {
        return false;
    }
    let mut digits = [0; 18];
    digits.copy_from_slice(number.signs());
    match digits[17] {
        0..=9 => {}
        letter if letter == value(b'X') => digits[17] = 10,
        _ => return false,
    }
    let (year, month, day) = (read(&digits[6..10]), read(&digits[10..12]), read(&digits[12..14]));
    digits[0] != 0 && (1850..=2099).contains(&year) && is_day(year, month, day) && mod_11_2(&digits)
}

/// UIDAI: the first digit is 2 to 9, Verhoeff, and no number is the same from both ends.
fn is_aadhaar(digits: &[u8]) -> bool {
    digits[0] > 1 && !digits.iter().eq(digits.iter().rev()) && verhoeff(digits)
}

/// Australian Taxation Office.
fn is_tax_file_number(digits: &[u8]) -> bool {
    weighted(digits, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
}

/// Services Australia: the first digit is 2 to 6, the ninth is the check digit, and how often the card was issued and whom on it the number is
/// about come after it.
fn is_medicare(digits: &[u8]) -> bool {
    matches!(digits[0], 2..=6)
        && weighted(&digits[..8], &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == u32::from(digits[8])
        && digits[9..].iter().all(|digit| *digit > 0)
}

#[cfg(test)]
mod tests {
    use super::super::super::{Kind, kinds_of};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn china_and_india() {
        assert!(is("360426199101010071", Kind::CnId) && !is("360426199101010072", Kind::CnId));
        // The standard's own example ends in X.
        assert!(is("11010519491231002X", Kind::CnId) && is("11010519491231002x", Kind::CnId));
        assert!(!is("11010519491331002X", Kind::CnId) && !is("11010519491231002Y", Kind::CnId));
        assert!(is("234123412346", Kind::InAadhaar) && is("2341 2341 2346", Kind::InAadhaar));
        assert!(!is("234123412347", Kind::InAadhaar) && !is("134123412346", Kind::InAadhaar));
    }

    #[test]
    fn australia() {
        assert!(
            is("123456782", Kind::AuTfn) && is("123 456 782", Kind::AuTfn) && !is("123456783", Kind::AuTfn)
        );
        assert!(is("2123456701", Kind::AuMedicare) && is("2123 45670 1", Kind::AuMedicare));
        assert!(is("21234567011", Kind::AuMedicare), "with the number of the person on the card");
        assert!(!is("2123456711", Kind::AuMedicare) && !is("1123456709", Kind::AuMedicare));
    }
}
