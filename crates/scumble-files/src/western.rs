//! Decides whether bytes that are not UTF-8 are Windows-1252, the encoding that Windows programs write in western Europe and
//! America.
//!
//! In such an encoding every byte means something, so only the sense of the text can distinguish it from others. Only clear cases are
//! accepted: anything that would be usual in another encoding is a doubt, and then the user must name the encoding.

/// Examines a text byte by byte.
#[derive(Debug)]
pub(crate) struct Western {
    /// The previous three bytes, the nearest one last.
    before: [u8; 3],
    /// The length of the run of non-ASCII bytes up to here.
    together: u32,
    /// Whether there was any non-ASCII byte.
    any: bool,
    doubtful: bool,
}

impl Default for Western {
    fn default() -> Self {
        Self { before: *b"\n\n\n", together: 0, any: false, doubtful: false }
    }
}

/// What a byte is in Windows-1252.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// An ASCII letter.
    Plain,
    /// A letter with an accent, as western languages use it.
    Accented,
    /// A mark that may stand between letters: `’`, `–`, `·`.
    Joining,
    /// Another mark: `€`, `°`.
    Mark,
    Digit,
    /// Any other ASCII character.
    Other,
    /// An undefined byte, or a letter that is much more common in another encoding, where the byte is another letter.
    Unlikely,
}

fn sort(byte: u8) -> Sort {
    match byte {
        b'0'..=b'9' => Sort::Digit,
        b'a'..=b'z' | b'A'..=b'Z' => Sort::Plain,
        0..=0x7f => Sort::Other,
        // Undefined bytes, or Š Œ Ž š œ ž Ÿ: Central European, Macintosh. Ð Ý Þ ð ý þ: Turkish.
        0x81 | 0x8a | 0x8c..=0x90 | 0x9a | 0x9c..=0x9f | 0xd0 | 0xdd..=0xde | 0xf0 | 0xfd..=0xfe => {
            Sort::Unlikely
        }
        0x91 | 0x92 | 0x96 | 0x97 | 0xad | 0xb7 => Sort::Joining,
        0xd7 | 0xf7 => Sort::Mark,
        0xc0.. => Sort::Accented,
        _ => Sort::Mark,
    }
}

impl Western {
    /// Examines the next bytes.
    pub(crate) fn look(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.next(byte);
        }
    }

    fn next(&mut self, byte: u8) {
        let [earliest, earlier, last] = self.before;
        let [before_first, first, middle, now] = [earliest, earlier, last, byte].map(sort);
        self.before = [earlier, last, byte];
        self.together = if byte < 0x80 { 0 } else { self.together + 1 };
        let is_letter = |sort| matches!(sort, Sort::Plain | Sort::Accented);
        self.any |= byte >= 0x80;
        self.doubtful |= now == Sort::Unlikely
            // Words of non-ASCII bytes only: Cyrillic, Greek, Chinese.
            || self.together >= 3
            // A pair that would be one character in UTF-8.
            || (matches!(last, 0xc3..=0xf4) && matches!(byte, 0x80..=0xbf) && now != Sort::Joining)
            // A mark within a word is a letter of another encoding.
            || (middle == Sort::Mark && is_letter(first) && is_letter(now))
            // ¹ behind a letter is a letter in other encodings. ² and ³ pass, for m² and m³.
            || (matches!(byte, 0xb9) && is_letter(middle))
            // ³ ª º end short words only (cm³, nº, 1ª). Behind a longer word they are ł, Ş and ş.
            || (matches!(byte, 0xb3 | 0xaa | 0xba) && [before_first, first, middle].into_iter().all(is_letter))
            // No word has an accented letter next to a digit.
            || (now == Sort::Accented && middle == Sort::Digit)
            || (middle == Sort::Accented && now == Sort::Digit);
    }

    /// Whether the text is clearly Windows-1252.
    pub(crate) fn is_clear(&self) -> bool {
        self.any && !self.doubtful
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_clear(bytes: &[u8]) -> bool {
        let mut whole = Western::default();
        whole.look(bytes);
        let mut parts = Western::default();
        bytes.chunks(3).for_each(|part| parts.look(part));
        assert_eq!(whole.is_clear(), parts.is_clear());
        whole.is_clear()
    }

    #[test]
    fn western_texts_are_taken() {
        for text in [
            &b"stadt\nM\xfcnchen\nZ\xfcrich\n\xc4rzte\n"[..],
            b"pr\xe9nom\nAndr\xe9\nFran\xe7ois\ncr\xe9\xe9e\n",
            b"price\n5 \x80\n20 \xb0C\nl\x92\xe9t\xe9\n10\x9620\n5 m\xb3\n2 cm\xb3\nn\xba 3, 1\xaa\n",
            b"M\xc1LAGA\nA\xd1O\nS\xe3o Paulo\n",
        ] {
            assert!(is_clear(text), "{text:?}");
        }
    }

    #[test]
    fn what_may_be_another_encoding_is_not() {
        for (text, what) in [
            (&b"\xcc\xee\xf1\xea\xe2\xe0\n"[..], "Cyrillic, Windows-1251"),
            (b"\xe5\xcc\xbe\xa9\n", "Chinese, GBK"),
            (b"W\xb3adys\xb3aw\n", "Polish, Windows-1250"),
            (b"Pawe\xb3\nMicha\xb3\n", "Polish, Windows-1250"),
            (b"karde\xba\n", "Turkish, Windows-1254"),
            (b"\x8ari\n", "Czech, Windows-1250"),
            (b"\xddstanbul\n", "Turkish, Windows-1254"),
            (b"M\x81nchen\n", "German, code page 437"),
            (b"K\x94ln\n", "German, code page 437"),
            (b"M\x9fnchen\n", "German, Macintosh"),
            (b"M\xc3\xbcnchen,Z\xfcrich\n", "UTF-8 with a slip"),
            (b"8300\xfc\n", "a letter in a number"),
            (b"plain\n", "nothing to tell by"),
        ] {
            assert!(!is_clear(text), "{what}");
        }
    }
}
