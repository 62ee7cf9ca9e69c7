//! Numbers without the signs that only set them in groups.

/// The most signs of a number that is looked for: those of an IBAN.
const MOST: usize = 34;

/// A text in compact form: without separators; digits as 0 to 9, letters as 10 to 35, in upper or lower case.
pub(super) struct Compact {
    signs: [u8; MOST],
    length: usize,
    digits: usize,
    /// The lengths of the groups, if one and the same sign stands between all of them.
    groups: [u8; MOST],
    count: usize,
    one_separator: bool,
}

impl Compact {
    /// Nothing for texts with other signs, with separators at an end or side by side, for decimal numbers, and for one digit again and
    /// again, which stands in for a number that is not known.
    pub(super) fn of(text: &str) -> Option<Self> {
        let mut found =
            Self { signs: [0; MOST], length: 0, digits: 0, groups: [0; MOST], count: 0, one_separator: true };
        let mut separator = None;
        let mut dots = 0;
        let mut in_group = false;
        for sign in text.chars() {
            if let Some(value) = sign.to_digit(36) {
                if found.length == MOST {
                    return None;
                }
                found.signs[found.length] = u8::try_from(value).ok()?;
                found.length += 1;
                found.digits += usize::from(value < 10);
                found.groups[found.count] += 1;
                in_group = true;
            } else if in_group && is_separator(sign) && found.length < MOST {
                dots += usize::from(sign == '.');
                found.one_separator &= separator.is_none_or(|before| before == sign);
                separator = Some(sign);
                found.count += 1;
                in_group = false;
            } else {
                return None;
            }
        }
        found.count += 1;
        let is_decimal = dots == 1 && found.count == 2 && found.digits == found.length;
        let is_stopgap = found.signs().windows(2).all(|pair| pair[0] == pair[1]);
        (in_group && !is_decimal && !is_stopgap).then_some(found)
    }

    pub(super) fn signs(&self) -> &[u8] {
        &self.signs[..self.length]
    }

    /// Its digits, if it has nothing else.
    pub(super) fn digits(&self) -> Option<&[u8]> {
        (self.digits == self.length).then(|| self.signs())
    }

    /// The lengths of its groups, if one and the same sign stands between all of them. A text without separators is one group.
    pub(super) fn even_groups(&self) -> Option<&[u8]> {
        self.one_separator.then(|| &self.groups[..self.count])
    }

    /// Whether its signs have a shape: `9` for a digit, `A` for a letter, `*` for either.
    pub(super) fn is_shaped(&self, shape: &str) -> bool {
        self.length == shape.len()
            && shape.bytes().zip(self.signs()).all(|(wanted, sign)| match wanted {
                b'9' => *sign < 10,
                b'A' => *sign >= 10,
                _ => true,
            })
    }
}

/// Signs that set a number in groups. Other blanks and hyphens come from texts that were set for print.
fn is_separator(sign: char) -> bool {
    matches!(sign, ' ' | '-' | '.' | '/' | '\u{a0}' | '\u{202f}' | '\u{2010}' | '\u{2011}' | '\u{2013}')
}

/// A letter or digit as it counts in [`Compact`].
pub(super) const fn value(letter: u8) -> u8 {
    match letter {
        b'0'..=b'9' => letter - b'0',
        b'A'..=b'Z' => letter - b'A' + 10,
        _ => u8::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(text: &str) -> Option<Vec<u8>> {
        Compact::of(text).map(|compact| compact.signs().to_vec())
    }

    #[test]
    fn separators_do_not_count() {
        for text in ["1234", "12 34", "1-2-3-4", "12/34", "1.2.34", "12\u{a0}34"] {
            assert_eq!(signs(text), Some(vec![1, 2, 3, 4]), "{text}");
        }
        assert_eq!(signs("aZ9"), Some(vec![10, 35, 9]));
    }

    #[test]
    fn other_texts_are_no_numbers() {
        for text in ["", "-12", "12-", "1--2", "12.34", "1,2", "+12", "0000000", "ß1", "１２"] {
            assert_eq!(signs(text), None, "{text}");
        }
        assert_eq!(signs(&"12".repeat(17)).map(|signs| signs.len()), Some(34));
        assert_eq!(signs(&"12".repeat(18)), None);
        assert_eq!(signs(&"1-".repeat(40)), None);
    }

    #[test]
    fn groups_and_shapes() {
        let groups = |text: &str| Compact::of(text).and_then(|of| of.even_groups().map(<[u8]>::to_vec));
        assert_eq!(groups("1234 567"), Some(vec![4, 3]));
        assert_eq!(groups("1234567"), Some(vec![7]));
        assert_eq!(groups("123.456.789-10"), None, "two kinds of separators");
        let compact = Compact::of("AB 12 c").expect("signs");
        assert!(compact.is_shaped("AA99A") && compact.is_shaped("**99*"));
        assert!(!compact.is_shaped("AA999") && !compact.is_shaped("AA99"));
        assert!(compact.digits().is_none());
    }
}
