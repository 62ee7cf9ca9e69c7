//! United Kingdom, Ireland, the Netherlands, Belgium, France.

use super::super::checksums::{remainder, weighted};
use super::super::compact::{Compact, value};
use super::{Kind, Kinds, eleven_less, is_day, read};

pub(super) fn add(number: &Compact, kinds: &mut Kinds) {
    let signs = number.signs();
    match (signs.len(), number.digits()) {
        (8 | 9, None) => {
            kinds.add_if(Kind::UkNino, is_nino(number));
            kinds.add_if(Kind::IePps, is_pps(number));
        }
        (9, Some(digits)) => kinds.add_if(Kind::NlBsn, is_bsn(digits)),
        (10, Some(digits)) => kinds.add_if(Kind::UkNhs, is_nhs(digits)),
        (11, Some(digits)) => kinds.add_if(Kind::BeNational, is_belgian(digits)),
        (15, _) => kinds.add_if(Kind::FrNir, is_nir(signs)),
        _ => {}
    }
}

/// NHS Data Dictionary, "NHS number".
fn is_nhs(digits: &[u8]) -> bool {
    u32::from(digits[9]) == eleven_less(weighted(&digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]))
}

/// HM Revenue & Customs, *National Insurance Manual* NIM39110: some letters and pairs are never given, and the last letter is A to D.
fn is_nino(number: &Compact) -> bool {
    let signs = number.signs();
    let among = |sign: u8, letters: &str| letters.bytes().any(|letter| value(letter) == sign);
    let pair = |a: u8, b: u8| [value(a), value(b)] == signs[..2];
    number.is_shaped("AA999999A")
        && !among(signs[0], "DFIQUV")
        && !among(signs[1], "DFIOQUV")
        && among(signs[8], "ABCD")
        && !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].iter().any(|never| {
            let never = never.as_bytes();
            pair(never[0], never[1])
        })
}

/// Department of Social Protection: weights 8 to 2. Since 2013 a second letter stands at the end, and A, B and H count nine times; of older
/// second letters (W, T, X) none counts.
fn is_pps(number: &Compact) -> bool {
    if !number.is_shaped("9999999A") && !number.is_shaped("9999999AA") {
        return false;
    }
    let signs = number.signs();
    let second = match signs.get(8).map(|sign| b'A' + sign - 10) {
        None | Some(b'W' | b'T' | b'X') => 0,
        Some(letter @ (b'A' | b'B' | b'H')) => u32::from(letter - b'A') + 1,
        Some(_) => return false,
    };
    let sum = weighted(&signs[..7], &[8, 7, 6, 5, 4, 3, 2]) + 9 * second;
    // W stands for 0, A for 1, and so on to V.
    let check = match sum % 23 {
        0 => value(b'W'),
        place => 9 + u8::try_from(place).unwrap_or_default(),
    };
    signs[7] == check
}

/// The "eleven test" of the Dutch tax office, in which the last digit counts minus one.
fn is_bsn(digits: &[u8]) -> bool {
    weighted(&digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 == u32::from(digits[8])
}

/// Rijksregister, *IT000*: date of birth, a serial number, and 97 less the remainder; a 2 stands in front of those born from 2000. A month or
/// day that is not known is zero. In numbers of people without residence (BIS) the month is greater by 20 or 40.
fn is_belgian(digits: &[u8]) -> bool {
    let (year, month, day) = (read(&digits[..2]), read(&digits[2..4]) % 20, read(&digits[4..6]));
    let born = month == 0 || day == 0 && month <= 12 || is_day(year, month, day);
    let check = read(&digits[9..]);
    let before = 97 - remainder(&digits[..9], 97);
    let since = 97 - remainder([2].iter().chain(&digits[..9]), 97);
    read(&digits[2..4]) < 60 && born && (check == before || check == since)
}

/// INSEE, "Numéro d'inscription au répertoire": sex, year and month of birth, place, serial number and key. The departments of Corsica, 2A
/// and 2B, count as 19 and 18. Months above 12 stand for births whose month is not known.
fn is_nir(signs: &[u8]) -> bool {
    let mut digits = [0; 15];
    digits.copy_from_slice(signs);
    let corsica = match digits[6] {
        letter if letter == value(b'A') => Some(9),
        letter if letter == value(b'B') => Some(8),
        _ => None,
    };
    if let Some(counts) = corsica.filter(|_| digits[5] == 2) {
        digits[5..7].copy_from_slice(&[1, counts]);
    }
    let known =
        matches!(digits[0], 1..=4 | 7 | 8) && matches!(read(&digits[3..5]), 1..=12 | 20..=42 | 50..=99);
    digits.iter().all(|digit| *digit < 10)
        && known
        && read(&digits[13..]) == 97 - remainder(&digits[..13], 97)
}

#[cfg(test)]
mod tests {
    use super::super::super::{Kind, kinds_of};

    fn is(text: &str, kind: Kind) -> bool {
        kinds_of(text).has(kind)
    }

    #[test]
    fn united_kingdom_and_ireland() {
        assert!(is("9434765870", Kind::UkNhs) && is("943 476 5870", Kind::UkNhs));
        assert!(!is("9434765871", Kind::UkNhs));
        for text in ["AB123456C", "AB 12 34 56 C", "ab123456d"] {
            assert!(is(text, Kind::UkNino), "{text}");
        }
        for text in ["DB123456C", "AO123456C", "GB123456C", "ZZ123456C", "AB123456E", "AB12345C", "A1123456C"]
        {
            assert!(!is(text, Kind::UkNino), "{text}");
        }
        for text in ["6433435F", "6433435FW", "6433435OA", "6433435IH"] {
            assert!(is(text, Kind::IePps), "{text}");
        }
        for text in ["6433435E", "6433435VH", "6433435FC", "6433435"] {
            assert!(!is(text, Kind::IePps), "{text}");
        }
    }

    #[test]
    fn netherlands_and_belgium() {
        assert!(
            is("123456782", Kind::NlBsn) && is("1234.56.782", Kind::NlBsn) && !is("123456789", Kind::NlBsn)
        );
        assert!(is("85073003328", Kind::BeNational) && is("85.07.30-033.28", Kind::BeNational));
        assert!(is("17073003384", Kind::BeNational), "born in 2017");
        assert!(!is("85073003329", Kind::BeNational) && !is("12345678901", Kind::BeNational));
    }

    #[test]
    fn france() {
        for text in ["295109912611193", "2 95 10 99 126 111 93", "253072B07300470", "253072A07300443"] {
            assert!(is(text, Kind::FrNir), "{text}");
        }
        for text in ["295109912611199", "253072C07300443", "95109912611193", "695109912611193"] {
            assert!(!is(text, Kind::FrNir), "{text}");
        }
    }
}
