//! Check digits. Digits are given as 0 to 9, the check digit last if nothing else is said.

/// The sum of digits, each times its weight.
pub(super) fn weighted(digits: &[u8], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum()
}

/// Luhn (ISO/IEC 7812-1, annex B): every second digit from the right is doubled, and a sum of two digits counts as the sum of these.
pub(super) fn luhn(digits: &[u8]) -> bool {
    let doubled = |digit: u32| if digit > 4 { 2 * digit - 9 } else { 2 * digit };
    let value = |(place, digit): (usize, &u8)| match place % 2 {
        0 => u32::from(*digit),
        _ => doubled(u32::from(*digit)),
    };
    digits.iter().rev().enumerate().map(value).sum::<u32>().is_multiple_of(10)
}

/// A remainder as it is for a number of any length, in which a letter counts as two digits, 10 to 35.
pub(super) fn remainder<'a>(signs: impl IntoIterator<Item = &'a u8>, modulus: u32) -> u32 {
    signs.into_iter().fold(0, |rest, sign| {
        let shift = if *sign < 10 { 10 } else { 100 };
        (rest * shift + u32::from(*sign)) % modulus
    })
}

/// ISO 7064 MOD 11,10.
pub(super) fn mod_11_10(digits: &[u8]) -> bool {
    let Some((check, digits)) = digits.split_last() else { return false };
    let product = digits.iter().fold(10, |product, digit| {
        let sum = (u32::from(*digit) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (product + u32::from(*check)) % 10 == 1
}

/// ISO 7064 MOD 11-2. The last sign may be 10, which is written as X.
pub(super) fn mod_11_2(signs: &[u8]) -> bool {
    let Some((check, digits)) = signs.split_last() else { return false };
    let sum = digits.iter().fold(0, |sum, digit| (sum + u32::from(*digit)) * 2 % 11);
    (sum + u32::from(*check)) % 11 == 1
}

/// EAN-13: weights 1 and 3 by turns.
pub(super) fn ean_13(digits: &[u8]) -> bool {
    digits.len() == 13 && weighted(digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

/// Verhoeff: digits are permuted by their place and multiplied in the symmetry group of the pentagon (J. Verhoeff, *Error Detecting
/// Decimal Codes*, 1969).
pub(super) fn verhoeff(digits: &[u8]) -> bool {
    // 0 to 4 are turns of the pentagon, 5 to 9 turns after it was flipped.
    let product = |a: u8, b: u8| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b) % 5 + 5,
        (false, true) => (a + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    const ONCE: [u8; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let permuted = |digit: u8, times: usize| (0..times).fold(digit, |digit, _| ONCE[usize::from(digit % 10)]);
    digits
        .iter()
        .rev()
        .enumerate()
        .fold(0, |checked, (place, digit)| product(checked, permuted(*digit, place % 8)))
        == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Vec<u8> {
        text.bytes().map(|digit| if digit == b'X' { 10 } else { digit - b'0' }).collect()
    }

    /// Whether the last digit, and no other in its place, is right.
    fn only_right(text: &str, check: impl Fn(&[u8]) -> bool) {
        let mut number = digits(text);
        assert!(check(&number), "{text}");
        let last = number.len() - 1;
        for other in (0..10).filter(|digit| *digit != digits(text)[last]) {
            number[last] = other;
            assert!(!check(&number), "{text} with {other}");
        }
    }

    #[test]
    fn one_check_digit_is_right() {
        // 7992739871: 7 + 9 + 9 + 4 + 7 + 6 + 9 + 7 + 7 + 2 = 67.
        only_right("79927398713", luhn);
        // Worked in ISO 7064.
        only_right("07945", mod_11_10);
        only_right("07940", mod_11_2);
        assert!(mod_11_2(&digits("079X")));
        // 4 + 3·0 + 0 + 3·6 + 3 + 3·8 + 1 + 3·3 + 3 + 3·3 + 9 + 3·3 = 89.
        only_right("4006381333931", ean_13);
        // Verhoeff's own example.
        only_right("2363", verhoeff);
        only_right("123451", verhoeff);
    }

    #[test]
    fn letters_count_as_two_digits() {
        // 10 11 12 modulo 97 is 101112 − 1042 · 97.
        assert_eq!(remainder(&[10, 11, 12], 97), 38);
        assert_eq!(remainder(&[1, 2, 3], 97), 26);
        assert_eq!(weighted(&[1, 2, 3], &[4, 5, 6]), 32);
    }

    #[test]
    fn nothing_has_no_check_digit() {
        assert!(!mod_11_10(&[]) && !mod_11_2(&[]) && !ean_13(&[]));
    }
}
