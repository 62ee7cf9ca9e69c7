//! Finds where records end, in one pass over blocks of any size.
//!
//! The rules are those of the `csv` crate, also for text that is not well-formed. A quote opens a quoted field only at the start
//! of a field. Inside it, two quotes stand for one. After the closing quote the field goes on unquoted to the next delimiter. CR
//! and LF both end a record, and empty records do not count.

use memchr::{memchr, memrchr2};

/// Whether a byte ends a record.
pub(crate) fn is_terminator(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// The state of the scan with respect to quoted fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not in a quoted field: terminators end records.
    Outside,
    /// In a quoted field.
    Inside,
    /// Behind a quote in a quoted field: the next byte shows whether that quote closed the field.
    BehindQuote,
}

/// Follows quotes through the blocks of a file.
pub(crate) struct Scanner {
    delimiter: u8,
    quote: u8,
    state: State,
    /// The last byte of the previous block.
    previous: u8,
    /// The number of bytes in the previous blocks.
    offset: u64,
    /// Where the last quoted field opened.
    opened: u64,
}

impl Scanner {
    pub(crate) fn new(delimiter: u8, quote: u8) -> Self {
        Self { delimiter, quote, state: State::Outside, previous: b'\n', offset: 0, opened: 0 }
    }

    /// Scans the next block. Returns the position behind the terminator of the last record that ends in the block.
    pub(crate) fn scan(&mut self, block: &[u8]) -> Option<usize> {
        let mut record_end = None;
        let mut at = 0;
        while at < block.len() {
            match self.state {
                State::Outside => {
                    let quote = memchr(self.quote, &block[at..]).map(|found| at + found);
                    let segment_end = quote.unwrap_or(block.len());
                    if let Some(found) = memrchr2(b'\n', b'\r', &block[at..segment_end]) {
                        record_end = Some(at + found + 1);
                    }
                    at = segment_end;
                    if let Some(quote) = quote {
                        let before = if quote == 0 { self.previous } else { block[quote - 1] };
                        if before == self.delimiter || is_terminator(before) {
                            self.state = State::Inside;
                            self.opened = self.offset + quote as u64;
                        }
                        at += 1;
                    }
                }
                State::Inside => match memchr(self.quote, &block[at..]) {
                    Some(found) => {
                        self.state = State::BehindQuote;
                        at += found + 1;
                    }
                    None => at = block.len(),
                },
                State::BehindQuote if block[at] == self.quote => {
                    self.state = State::Inside;
                    at += 1;
                }
                State::BehindQuote => self.state = State::Outside,
            }
        }
        if let Some(&last) = block.last() {
            self.previous = last;
        }
        self.offset += block.len() as u64;
        record_end
    }

    /// The number of bytes since the quoted field opened, if one is open.
    pub(crate) fn open_for(&self) -> Option<u64> {
        (self.state == State::Inside).then(|| self.offset - self.opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last_end(text: &str) -> Option<usize> {
        Scanner::new(b',', b'"').scan(text.as_bytes())
    }

    #[test]
    fn records_end_outside_quotes_only() {
        assert_eq!(last_end("a,b\nc"), Some(4));
        assert_eq!(last_end("a\r\nb"), Some(3));
        assert_eq!(last_end("a\rb"), Some(2));
        assert_eq!(last_end("a,\"b\nc\",d"), None);
        assert_eq!(last_end("a\n\"b\nc\"\nd"), Some(8));
        assert_eq!(last_end("\"b\"\"\nc\"\nd"), Some(8));
    }

    #[test]
    fn stray_quotes_open_nothing() {
        assert_eq!(last_end("a\"b\nc"), Some(4));
        assert_eq!(last_end("\"a\"b\"\nc"), Some(6));
        assert_eq!(last_end("a \"b\n"), Some(5));
    }

    #[test]
    fn the_state_goes_on_from_block_to_block() {
        let text = "x,\"a\"\"\n\"\n\"\"\ny\"z\n,\"q";
        let whole = {
            let mut scanner = Scanner::new(b',', b'"');
            let end = scanner.scan(text.as_bytes());
            (end, scanner.open_for())
        };
        assert_eq!(whole, (Some(16), Some(2)));
        for size in 1..text.len() {
            let mut scanner = Scanner::new(b',', b'"');
            let mut end = None;
            for (index, block) in text.as_bytes().chunks(size).enumerate() {
                end = scanner.scan(block).map(|found| index * size + found).or(end);
            }
            assert_eq!((end, scanner.open_for()), whole, "blocks of {size}");
        }
    }
}
