//! Numbers of things that belong to one person: phones and vehicles.

use super::checksums::luhn;
use super::compact::{Compact, value};
use super::{Kind, Kinds};

pub(super) fn add(number: &Compact, kinds: &mut Kinds) {
    // 3GPP TS 23.003: 15 digits, the last of which is Luhn's.
    let imei = number.digits().is_some_and(|digits| digits.len() == 15 && luhn(digits));
    kinds.add_if(Kind::Imei, imei);
    kinds.add_if(Kind::Vin, is_vin(number.signs()));
}

/// ISO 3779 and 49 CFR 565: 17 signs without I, O and Q. Letters count as digits, and the ninth sign is the weighted sum modulo 11, with X
/// for ten. North America and China demand this sign. Elsewhere makers may write what they like there, so not every number is found.
fn is_vin(signs: &[u8]) -> bool {
    const WEIGHTS: [u32; 17] = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
    if signs.len() != WEIGHTS.len() {
        return false;
    }
    let mut sum = 0;
    for (sign, weight) in signs.iter().zip(WEIGHTS) {
        let Some(counts) = transliterated(*sign) else { return false };
        sum += counts * weight;
    }
    let check = match signs[8] {
        digit @ 0..=9 => u32::from(digit),
        letter if letter == value(b'X') => 10,
        _ => return false,
    };
    // The last four signs are a serial number.
    signs[13..].iter().all(|sign| *sign < 10) && signs.iter().any(|sign| *sign > 9) && sum % 11 == check
}

fn transliterated(sign: u8) -> Option<u32> {
    let letter = match sign {
        0..=9 => return Some(u32::from(sign)),
        _ => b'A' + sign - 10,
    };
    Some(match letter {
        b'A'..=b'H' => u32::from(letter - b'A') + 1,
        b'J'..=b'N' => u32::from(letter - b'J') + 1,
        b'P' => 7,
        b'R' => 9,
        b'S'..=b'Z' => u32::from(letter - b'S') + 2,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, kinds_of};

    #[test]
    fn phones_and_vehicles() {
        assert!(kinds_of("490154203237518").has(Kind::Imei));
        assert!(kinds_of("49-015420-323751-8").has(Kind::Imei));
        assert!(!kinds_of("490154203237519").has(Kind::Imei));
        assert!(kinds_of("1M8GDM9AXKP042788").has(Kind::Vin));
        assert!(kinds_of("1m8gdm9axkp042788").has(Kind::Vin));
        // With the check sign of another number, with a letter that is not used, and all digits.
        for text in ["1M8GDM9A1KP042788", "IM8GDM9AXKP042788", "1M8GDM9AXKP04278O", "1M8GDM9AXKP04278"] {
            assert!(!kinds_of(text).has(Kind::Vin), "{text}");
        }
    }
}
