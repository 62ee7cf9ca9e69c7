//! Splits a chunk of whole records into fields, by the rules of the `csv` crate (see [`super::scan`]).
//!
//! It is written by hand because it is the first half of the innermost loop. Eight bytes at a time are compared with the three
//! bytes that end an unquoted field, which is several times as fast as a state machine, and quoted fields that need no unescaping
//! are not copied.

use memchr::memchr;

use super::chunks::Chunk;
use crate::dictionary::PADDING;

/// A field, as a position in the chunk or in the splitter's own buffer.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) start: usize,
    pub(crate) length: usize,
    /// Whether this is the last field of its record.
    pub(crate) ends_record: bool,
    /// Whether the field lies in [`Splitter::unescaped`] and not in the chunk.
    pub(crate) unescaped: bool,
}

/// Goes through the fields of a chunk.
pub(crate) struct Splitter<'a> {
    bytes: &'a [u8],
    end: usize,
    delimiter: u8,
    quote: u8,
    stops: Stops<'a>,
    /// Where the next field starts.
    pub(crate) at: usize,
    record_starts: bool,
    /// The last field that had to be unescaped, followed by padding.
    unescaped: Vec<u8>,
}

impl<'a> Splitter<'a> {
    pub(crate) fn new(chunk: &'a Chunk, delimiter: u8, quote: u8) -> Self {
        Self {
            bytes: &chunk.bytes,
            end: chunk.end,
            delimiter,
            quote,
            stops: Stops::new(&chunk.bytes, delimiter, chunk.start),
            at: chunk.start,
            record_starts: true,
            unescaped: Vec::new(),
        }
    }

    /// Returns the buffer that holds a field. Padding follows the field there.
    #[inline]
    pub(crate) fn buffer(&self, field: Field) -> &[u8] {
        if field.unescaped { &self.unescaped } else { self.bytes }
    }

    /// Returns the next field, or `None` at the end of the chunk.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Field> {
        loop {
            if self.at >= self.end {
                return None;
            }
            if self.bytes[self.at] == self.quote {
                return self.quoted();
            }
            let start = self.at;
            let stop = self.stops.next();
            self.at = stop + 1;
            let ends_record = self.bytes[stop] != self.delimiter;
            if ends_record && self.record_starts && stop == start {
                continue; // An empty line, or the LF of a CRLF.
            }
            self.record_starts = ends_record;
            return Some(Field { start, length: stop - start, ends_record, unescaped: false });
        }
    }

    /// Returns the quoted field that starts here.
    fn quoted(&mut self) -> Option<Field> {
        let bytes = self.bytes;
        let mut from = self.at + 1;
        self.unescaped.clear();
        let close = loop {
            // Chunks are made of whole records, so there is a closing quote, and a byte behind it.
            let quote = from + memchr(self.quote, &bytes[from..self.end])?;
            if bytes[quote + 1] != self.quote {
                break quote;
            }
            self.unescaped.extend_from_slice(&bytes[from..=quote]);
            from = quote + 2;
        };
        self.stops.seek(close + 1);
        let stop = self.stops.next();
        let ends_record = bytes[stop] != self.delimiter;
        let opened = self.at;
        self.at = stop + 1;
        self.record_starts = ends_record;
        if from == opened + 1 && stop == close + 1 {
            return Some(Field { start: from, length: close - from, ends_record, unescaped: false });
        }
        self.unescaped.extend_from_slice(&bytes[from..close]);
        self.unescaped.extend_from_slice(&bytes[close + 1..stop]);
        let length = self.unescaped.len();
        self.unescaped.extend_from_slice(&[0; PADDING]);
        Some(Field { start: 0, length, ends_record, unescaped: true })
    }
}

/// Finds delimiters and terminators, eight bytes at a time.
struct Stops<'a> {
    bytes: &'a [u8],
    delimiters: u64,
    /// The position of the current eight bytes.
    base: usize,
    /// A mask of the current eight bytes: the high bit of each stop that has not been returned yet.
    found: u64,
}

const EACH_LOW: u64 = 0x0101_0101_0101_0101;
const EACH_REST: u64 = 0x7f7f_7f7f_7f7f_7f7f;

impl<'a> Stops<'a> {
    fn new(bytes: &'a [u8], delimiter: u8, from: usize) -> Self {
        let mut stops = Self { bytes, delimiters: EACH_LOW * u64::from(delimiter), base: 0, found: 0 };
        stops.seek(from);
        stops
    }

    /// Continues at another position.
    fn seek(&mut self, place: usize) {
        self.base = place;
        self.found = self.stops_at(place);
    }

    /// Returns the next stop. There must be one: every chunk ends with a terminator.
    #[inline(always)]
    fn next(&mut self) -> usize {
        while self.found == 0 {
            self.base += 8;
            self.found = self.stops_at(self.base);
        }
        let place = self.base + self.found.trailing_zeros() as usize / 8;
        self.found &= self.found - 1;
        place
    }

    #[inline(always)]
    fn stops_at(&self, place: usize) -> u64 {
        let mut word = [0; 8];
        word.copy_from_slice(&self.bytes[place..place + 8]);
        let word = u64::from_le_bytes(word);
        equal_bytes(word, self.delimiters)
            | equal_bytes(word, EACH_LOW * b'\n' as u64)
            | equal_bytes(word, EACH_LOW * b'\r' as u64)
    }
}

/// Returns the high bit of each byte in which the two words agree.
#[inline(always)]
fn equal_bytes(a: u64, b: u64) -> u64 {
    let difference = a ^ b;
    !(((difference & EACH_REST) + EACH_REST) | difference | EACH_REST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str) -> Vec<Vec<String>> {
        let mut bytes = text.as_bytes().to_vec();
        let end = bytes.len();
        bytes.extend([b'"'; PADDING]);
        let chunk = Chunk { bytes, start: 0, end };
        let mut splitter = Splitter::new(&chunk, b',', b'"');
        let (mut all, mut record) = (Vec::new(), Vec::new());
        while let Some(field) = splitter.next() {
            let bytes = &splitter.buffer(field)[field.start..field.start + field.length];
            record.push(String::from_utf8(bytes.to_vec()).unwrap());
            if field.ends_record {
                all.push(std::mem::take(&mut record));
            }
        }
        assert!(record.is_empty());
        all
    }

    #[test]
    fn splits_as_the_standard_says() {
        assert_eq!(records("a,b\r\n,\n\n\"\"\n"), [vec!["a", "b"], vec!["", ""], vec![""]]);
        assert_eq!(records("\"a,\n\",\"say \"\"hi\"\"\"\n"), [["a,\n", "say \"hi\""]]);
        assert_eq!(records("a\rb\r\r\rc\n"), [["a"], ["b"], ["c"]]);
        assert_eq!(
            records("a long field indeed,another long one\n"),
            [["a long field indeed", "another long one"]]
        );
    }

    #[test]
    fn stray_quotes_are_text() {
        assert_eq!(records("a\"b,\"c\"d\"e,f\n"), [["a\"b", "cd\"e", "f"]]);
        assert_eq!(records(" \"a\",b\n"), [[" \"a\"", "b"]]);
    }

    #[test]
    fn bytes_near_the_stops_are_not_stops() {
        let text: String =
            (1..=255u8).filter(|b| b.is_ascii() && !b",\r\n\"".contains(b)).map(char::from).collect();
        assert_eq!(records(&format!("{text},{text}\n")), [[text.clone(), text]]);
        assert_eq!(equal_bytes(0x0a0b_8a00_0a0a_0900, EACH_LOW * 0x0a), 0x8000_0000_8080_0000);
    }
}
