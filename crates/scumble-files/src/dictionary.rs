//! The dictionary of one column while the column is read: maps texts to codes, in order of first appearance.
//!
//! This is the innermost loop of reading, so it is built for short texts: one of at most 11 bytes fits, with its length and its
//! code, into a 128-bit number. These numbers are the entries of the hash table. So a text is found without reading the stored
//! texts, which would miss the processor's caches.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::table::Texts;

/// The number of bytes that must be readable behind a text that is given to [`Dictionary::code_at`].
pub(crate) const PADDING: usize = 16;

/// The longest text that fits into a table entry.
const SHORT: usize = 11;

/// Why a text got no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The dictionary has reached its limit of bytes.
    Full,
    /// The bytes are not UTF-8.
    NotUtf8,
}

/// One column's texts, in order of first appearance.
pub(crate) struct Dictionary {
    texts: Texts,
    /// The key of each short text, with its code in the bits above [`KEY_BITS`].
    short: HashTable<u128>,
    /// The codes of the longer texts.
    long: HashTable<u32>,
    limit: usize,
}

/// The number of bits of a short text's key: its bytes, padded with zeros, and its length.
const KEY_BITS: u32 = 96;
const KEY: u128 = (1 << KEY_BITS) - 1;

/// Masks that keep the first `n` of 16 bytes, little-endian.
const FIRST_BYTES: [u128; SHORT + 1] = {
    let mut masks = [0; SHORT + 1];
    let mut bytes = 1;
    while bytes <= SHORT {
        masks[bytes] = u128::MAX >> (128 - 8 * bytes);
        bytes += 1;
    }
    masks
};

impl Dictionary {
    /// An empty dictionary that takes at most `limit` bytes of text.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            texts: Texts::default(),
            short: HashTable::new(),
            long: HashTable::new(),
            limit: limit.min(u32::MAX as usize),
        }
    }

    /// The texts so far; the code of a text is its position.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The most bytes of memory that this takes, now or when it is merged with the dictionaries of other workers.
    pub(crate) fn memory(&self) -> u64 {
        // A list that grows exists twice for a moment. So do texts and their ends when dictionaries are merged.
        let texts = 2 * (self.texts.bytes().len() + 4 * self.texts.len());
        // Each entry has a control byte; a table that grows exists together with the one of half its size.
        let tables = (17 * self.short.capacity() + 5 * self.long.capacity()) * 3 / 2;
        // 16 bytes for sorting, 4 for the new code. By then the tables are freed.
        let merging = 20 * self.texts.len();
        (texts + tables.max(merging)) as u64
    }

    /// Returns the texts alone, and frees what was only needed to find them.
    pub(crate) fn into_texts(self) -> Texts {
        self.texts
    }

    /// Returns the code of the text `buffer[start..start + length]`. At least [`PADDING`] bytes must follow it in the buffer.
    #[inline]
    pub(crate) fn code_at(&mut self, buffer: &[u8], start: usize, length: usize) -> Result<u32, Refusal> {
        if length > SHORT {
            return self.code_of_long(&buffer[start..start + length]);
        }
        let mut window = [0; PADDING];
        window.copy_from_slice(&buffer[start..start + PADDING]);
        let key = (u128::from_le_bytes(window) & FIRST_BYTES[length]) | ((length as u128) << (8 * SHORT));
        match self.short.find(hash_short(key), |&entry| entry & KEY == key) {
            Some(&entry) => Ok((entry >> KEY_BITS) as u32),
            None => self.insert_short(&buffer[start..start + length], key),
        }
    }

    /// Returns the code of a text that need not be padded.
    pub(crate) fn code_of(&mut self, text: &[u8]) -> Result<u32, Refusal> {
        if text.len() > SHORT {
            return self.code_of_long(text);
        }
        let mut padded = [0; PADDING];
        padded[..text.len()].copy_from_slice(text);
        self.code_at(&padded, 0, text.len())
    }

    #[inline(never)]
    fn insert_short(&mut self, text: &[u8], key: u128) -> Result<u32, Refusal> {
        let code = self.push(text)?;
        let entry = key | (u128::from(code) << KEY_BITS);
        self.short.insert_unique(hash_short(key), entry, |&entry| hash_short(entry & KEY));
        Ok(code)
    }

    #[inline(never)]
    fn code_of_long(&mut self, text: &[u8]) -> Result<u32, Refusal> {
        let texts = &self.texts;
        let hash = hash_long(text);
        if let Some(&code) = self.long.find(hash, |&code| texts.get(code).as_bytes() == text) {
            return Ok(code);
        }
        let code = self.push(text)?;
        let texts = &self.texts;
        self.long.insert_unique(hash, code, |&code| hash_long(texts.get(code).as_bytes()));
        Ok(code)
    }

    /// Appends a new text.
    fn push(&mut self, text: &[u8]) -> Result<u32, Refusal> {
        let text = std::str::from_utf8(text).map_err(|_| Refusal::NotUtf8)?;
        if self.texts.bytes().len() + text.len() > self.limit || self.texts.len() >= u32::MAX as usize {
            return Err(Refusal::Full);
        }
        Ok(self.texts.push(text))
    }
}

/// The hash of a text that is not short. It is the same in every run and on every machine.
fn hash_long(text: &[u8]) -> u64 {
    foldhash::fast::FixedState::default().hash_one(text)
}

/// The hash of a short text's key: one wide product, folded to 64 bits.
#[inline]
fn hash_short(key: u128) -> u64 {
    // Digits of pi, as good as any odd constants.
    const LOW: u64 = 0x243f_6a88_85a3_08d3;
    const HIGH: u64 = 0x1319_8a2e_0370_7345;
    let product = u128::from(key as u64 ^ LOW) * u128::from((key >> 64) as u64 ^ HIGH);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_follow_first_sight_for_every_length() {
        let mut dictionary = Dictionary::new(usize::MAX);
        let texts: Vec<String> = (0..40).map(|length| "x".repeat(length)).collect();
        for _ in 0..2 {
            for (code, text) in texts.iter().enumerate() {
                assert_eq!(dictionary.code_of(text.as_bytes()), Ok(code as u32));
            }
        }
        assert_eq!(dictionary.texts().len(), 40);
    }

    #[test]
    fn trailing_zero_bytes_are_part_of_a_text() {
        let mut dictionary = Dictionary::new(usize::MAX);
        let codes: Vec<u32> = ["", "\0", "\0\0", "a", "a\0"]
            .iter()
            .map(|t| dictionary.code_of(t.as_bytes()).unwrap())
            .collect();
        assert_eq!(codes, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn bytes_behind_a_text_do_not_matter() {
        let mut dictionary = Dictionary::new(usize::MAX);
        let buffer = b"ab,ab;abc________________________";
        assert_eq!(dictionary.code_at(buffer, 0, 2), Ok(0));
        assert_eq!(dictionary.code_at(buffer, 3, 2), Ok(0));
        assert_eq!(dictionary.code_at(buffer, 6, 3), Ok(1));
    }

    #[test]
    fn many_texts_keep_their_codes() {
        let mut dictionary = Dictionary::new(usize::MAX);
        let texts: Vec<String> =
            (0..50_000_u32).map(|n| format!("{}", n.wrapping_mul(2_654_435_761))).collect();
        let first: Vec<u32> = texts.iter().map(|t| dictionary.code_of(t.as_bytes()).unwrap()).collect();
        let again: Vec<u32> = texts.iter().map(|t| dictionary.code_of(t.as_bytes()).unwrap()).collect();
        assert_eq!(first, again);
        assert_eq!(first, (0..50_000).collect::<Vec<_>>());
    }

    #[test]
    fn refuses_what_is_not_text_and_what_is_too_much() {
        let mut dictionary = Dictionary::new(5);
        assert_eq!(dictionary.code_of(b"\xff"), Err(Refusal::NotUtf8));
        assert_eq!(dictionary.code_of(b"abc"), Ok(0));
        assert_eq!(dictionary.code_of(b"def"), Err(Refusal::Full));
        assert_eq!(dictionary.code_of(b"abc"), Ok(0));
        assert_eq!(dictionary.code_of(b"de"), Ok(1));
    }
}
