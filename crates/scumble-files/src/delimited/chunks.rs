//! A file as chunks of whole records, read block by block.

use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

use super::scan::{Scanner, is_terminator};
use crate::dictionary::PADDING;
use crate::encoding::Undecodable;
use crate::error::Error;
use crate::flaw::Flaw;

/// Whole records, the last one ended by a terminator. At least [`PADDING`] bytes follow `end`.
#[derive(Default)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    /// Where the first record starts.
    pub(crate) start: usize,
    /// Where the last record ends.
    pub(crate) end: usize,
}

/// Used buffers, kept so that reading does not ask the system for fresh memory for every chunk.
#[derive(Default)]
pub(crate) struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    fn take(&self) -> Vec<u8> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives a buffer back.
    pub(crate) fn give(&self, buffer: Vec<u8>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }
}

/// Blocks of at least this size may be made larger.
const LARGE: usize = 1 << 20;

/// Reads a file as [`Chunk`]s.
pub(crate) struct Chunks<'a> {
    source: Box<dyn Read + Send + 'a>,
    scanner: Scanner,
    buffers: &'a Buffers,
    block_size: usize,
    field_limit: usize,
    /// The longest a record may be; unknown until the number of columns is known.
    pub(crate) record_limit: usize,
    /// What was read behind the last whole record.
    rest: Vec<u8>,
    /// How the reading ended. It is returned after all whole records before it.
    ended: Option<Result<(), Flaw>>,
    /// Turns the error of a failed read into one that names the file.
    explain: Box<dyn Fn(io::Error) -> Error + Send + 'a>,
}

impl<'a> Chunks<'a> {
    pub(crate) fn new(
        source: Box<dyn Read + Send + 'a>,
        scanner: Scanner,
        buffers: &'a Buffers,
        (block_size, field_limit): (usize, usize),
        explain: Box<dyn Fn(io::Error) -> Error + Send + 'a>,
    ) -> Self {
        Self {
            source,
            scanner,
            buffers,
            block_size: block_size.max(1),
            field_limit,
            record_limit: usize::MAX,
            rest: Vec::new(),
            ended: None,
            explain,
        }
    }

    /// From now on, reads at least this many bytes at a time.
    pub(crate) fn grow_blocks(&mut self, block_size: usize) {
        // Tests that ask for tiny blocks must get them.
        if self.block_size >= LARGE {
            self.block_size = self.block_size.max(block_size);
        }
    }

    /// Returns the next chunk or, at the end, what is wrong with the row behind all chunks, if anything.
    pub(crate) fn next(&mut self) -> Option<Result<Chunk, Flaw>> {
        if let Some(ended) = &mut self.ended {
            return match std::mem::replace(ended, Ok(())) {
                Ok(()) => None,
                Err(flaw) => Some(Err(flaw)),
            };
        }
        let mut bytes = self.buffers.take();
        let mut filled = self.rest.len();
        if bytes.len() < filled {
            bytes.resize(filled, 0);
        }
        bytes[..filled].copy_from_slice(&self.rest);
        self.rest.clear();
        loop {
            let block_start = filled;
            let wanted = block_start + self.block_size;
            if bytes.len() < wanted + PADDING {
                bytes.resize(wanted + PADDING, 0);
            }
            let failure = self.fill(&mut bytes[..wanted], &mut filled).err();
            let record_end = self.scanner.scan(&bytes[block_start..filled]).map(|end| block_start + end);
            if let Some(failure) = failure {
                self.ended = Some(Err(self.flaw_of(failure)));
            } else if self.scanner.open_for().is_some_and(|open| open > self.field_limit as u64) {
                self.ended = Some(Err(Flaw::QuotedFieldTooLong));
            } else if filled < wanted {
                if self.scanner.open_for().is_some() {
                    self.ended = Some(Err(Flaw::QuoteNeverClosed));
                } else {
                    return self.last_chunk(bytes, filled);
                }
            }
            if let Some(end) = record_end {
                self.rest.extend_from_slice(&bytes[end..filled]);
                return Some(Ok(Chunk { bytes, start: 0, end }));
            }
            if self.ended.is_some() {
                return self.next();
            }
            if filled > self.record_limit {
                self.ended = Some(Ok(()));
                return Some(Err(Flaw::RecordTooLong));
            }
        }
    }

    /// Returns everything that is left, with a terminator added if it had none.
    fn last_chunk(&mut self, mut bytes: Vec<u8>, mut filled: usize) -> Option<Result<Chunk, Flaw>> {
        self.ended = Some(Ok(()));
        if filled == 0 {
            return None;
        }
        if !is_terminator(bytes[filled - 1]) {
            bytes[filled] = b'\n';
            bytes.push(0);
            filled += 1;
        }
        Some(Ok(Chunk { bytes, start: 0, end: filled }))
    }

    /// Fills the block, or as much of it as the file still has.
    fn fill(&mut self, block: &mut [u8], filled: &mut usize) -> io::Result<()> {
        while *filled < block.len() {
            match self.source.read(&mut block[*filled..]) {
                Ok(0) => break,
                Ok(count) => *filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn flaw_of(&self, error: io::Error) -> Flaw {
        if error.get_ref().is_some_and(|inner| inner.is::<Undecodable>()) {
            return Flaw::Undecodable;
        }
        Flaw::Other((self.explain)(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks_of(text: &str, block_size: usize) -> (Vec<String>, Option<Flaw>) {
        let buffers = Buffers::default();
        let mut chunks = Chunks::new(
            Box::new(text.as_bytes()),
            Scanner::new(b',', b'"'),
            &buffers,
            (block_size, 100),
            Box::new(|source| Error::io(String::new(), source)),
        );
        let mut all = Vec::new();
        while let Some(next) = chunks.next() {
            match next {
                Ok(chunk) => {
                    assert!(chunk.bytes.len() >= chunk.end + PADDING);
                    all.push(String::from_utf8(chunk.bytes[..chunk.end].to_vec()).unwrap());
                    buffers.give(chunk.bytes);
                }
                Err(flaw) => return (all, Some(flaw)),
            }
        }
        (all, None)
    }

    #[test]
    fn chunks_end_with_records() {
        let text = "a,b\n\"1\n\",2\n3,4";
        assert_eq!(chunks_of(text, 100).0, ["a,b\n\"1\n\",2\n3,4\n"]);
        assert_eq!(chunks_of(text, 6).0, ["a,b\n", "\"1\n\",2\n", "3,4\n"]);
        for size in 1..20 {
            let (chunks, flaw) = chunks_of(text, size);
            assert!(flaw.is_none());
            assert_eq!(chunks.concat(), format!("{text}\n"));
        }
    }

    #[test]
    fn an_open_quote_is_told_behind_the_records_before_it() {
        for size in 1..20 {
            let (chunks, flaw) = chunks_of("a\n1\n\"2\n3\n", size);
            assert_eq!(chunks.concat(), "a\n1\n");
            assert!(matches!(flaw, Some(Flaw::QuoteNeverClosed)));
        }
    }

    #[test]
    fn a_quoted_field_over_the_limit_stops_the_reading() {
        let text = format!("a\n\"{}", "x\n".repeat(5000));
        let (chunks, flaw) = chunks_of(&text, 16);
        assert_eq!(chunks.concat(), "a\n");
        assert!(matches!(flaw, Some(Flaw::QuotedFieldTooLong)));
    }
}
