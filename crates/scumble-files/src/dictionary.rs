//! The dictionary of one column while it is being read: texts to codes, in order of first sight.
//!
//! This is the innermost loop of reading, so it is built for short, often repeated texts: a text of at
//! most 16 bytes is one 128-bit number that is hashed and compared without a loop, and a small cache of
//! recent texts answers most questions before the hash table is asked.

use std::hash::BuildHasher;

use hashbrown::HashTable;

use crate::table::Texts;

/// How many bytes must be readable behind the end of a text given to [`Dictionary::code_at`].
pub(crate) const PADDING: usize = 16;

/// Slots of the cache of recent texts; a power of two. Fourteen columns' caches fit a core's second-level
/// cache.
const RECENT: usize = 256;

/// Why a text got no code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The dictionary has reached its limit of bytes.
    Full,
    /// The bytes are not UTF-8.
    NotUtf8,
}

/// One column's texts, in order of first sight.
pub(crate) struct Dictionary {
    texts: Texts,
    codes: HashTable<u32>,
    recent: Box<[Recent; RECENT]>,
    limit: usize,
}

/// A short text that was seen not long ago.
#[derive(Clone, Copy)]
struct Recent {
    low: u64,
    high: u64,
    length: u32,
    code: u32,
}

/// A length that no short text has.
const NOTHING: Recent = Recent { low: 0, high: 0, length: u32::MAX, code: 0 };

/// The bits of the first `n` bytes of 16, little-endian.
const FIRST_BYTES: [u128; PADDING + 1] = {
    let mut masks = [0; PADDING + 1];
    let mut bytes = 1;
    while bytes <= PADDING {
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
            codes: HashTable::new(),
            recent: Box::new([NOTHING; RECENT]),
            limit: limit.min(u32::MAX as usize),
        }
    }

    /// The texts so far; the code of a text is its place.
    pub(crate) fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The texts alone; what was only needed to find them is freed.
    pub(crate) fn into_texts(self) -> Texts {
        self.texts
    }

    /// The code of the text `buffer[start..start + length]`; [`PADDING`] more bytes must follow it in
    /// the buffer.
    #[inline]
    pub(crate) fn code_at(&mut self, buffer: &[u8], start: usize, length: usize) -> Result<u32, Refusal> {
        if length > PADDING {
            return self.code_of_long(&buffer[start..start + length]);
        }
        let mut window = [0; PADDING];
        window.copy_from_slice(&buffer[start..start + PADDING]);
        let text = u128::from_le_bytes(window) & FIRST_BYTES[length];
        let hash = hash_short(text, length);
        let slot = (hash >> 40) as usize % RECENT;
        let (low, high) = (text as u64, (text >> 64) as u64);
        let recent = &self.recent[slot];
        if recent.low == low && recent.high == high && recent.length == length as u32 {
            return Ok(recent.code);
        }
        let code = self.find_or_insert(&buffer[start..start + length], hash)?;
        self.recent[slot] = Recent { low, high, length: length as u32, code };
        Ok(code)
    }

    /// The code of a text that stands alone.
    pub(crate) fn code_of(&mut self, text: &[u8]) -> Result<u32, Refusal> {
        if text.len() > PADDING {
            return self.code_of_long(text);
        }
        let mut padded = [0; PADDING];
        padded[..text.len()].copy_from_slice(text);
        self.code_at(&padded, 0, text.len())
    }

    #[inline(never)]
    fn code_of_long(&mut self, text: &[u8]) -> Result<u32, Refusal> {
        self.find_or_insert(text, hash_of(text))
    }

    fn find_or_insert(&mut self, text: &[u8], hash: u64) -> Result<u32, Refusal> {
        let texts = &self.texts;
        if let Some(&code) = self.codes.find(hash, |&code| texts.get(code).as_bytes() == text) {
            return Ok(code);
        }
        self.insert(text, hash)
    }

    #[cold]
    fn insert(&mut self, text: &[u8], hash: u64) -> Result<u32, Refusal> {
        let text = std::str::from_utf8(text).map_err(|_| Refusal::NotUtf8)?;
        if self.texts.bytes().len() + text.len() > self.limit || self.texts.len() >= u32::MAX as usize {
            return Err(Refusal::Full);
        }
        let code = self.texts.push(text);
        let texts = &self.texts;
        self.codes.insert_unique(hash, code, |&code| hash_of(texts.get(code).as_bytes()));
        Ok(code)
    }
}

/// The hash of a text, the same for every run and machine.
fn hash_of(text: &[u8]) -> u64 {
    if text.len() > PADDING {
        return foldhash::fast::FixedState::default().hash_one(text);
    }
    let mut padded = [0; PADDING];
    padded[..text.len()].copy_from_slice(text);
    hash_short(u128::from_le_bytes(padded), text.len())
}

/// The hash of a text of at most 16 bytes, zero-padded: one wide product, folded.
#[inline]
fn hash_short(text: u128, length: usize) -> u64 {
    // Digits of pi, as good as any odd constants.
    const LOW: u64 = 0x243f_6a88_85a3_08d3;
    const HIGH: u64 = 0x1319_8a2e_0370_7345;
    let low = text as u64 ^ LOW ^ length as u64;
    let high = (text >> 64) as u64 ^ HIGH;
    let product = u128::from(low) * u128::from(high);
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
