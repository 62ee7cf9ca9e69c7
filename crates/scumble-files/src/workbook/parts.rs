//! Weighs the parts of a zipped workbook before its reader sees them.
//!
//! The reader holds some parts in memory whole, and believes the number of texts that a part declares. A part can also unpack to a
//! thousand times its size, and to more than it declares. So every part is unpacked once and counted; that takes far less time than
//! reading it. What is seen on the way saves the reader two further passes where they are not needed.

use std::fs::File;
use std::io::{BufReader, Read};

use memchr::memmem;
use zip::ZipArchive;
use zip::result::ZipError;

use super::flaws::{self, Told};
use super::kind::Kind;
use crate::decoding;
use crate::error::{Error, Result};
use crate::limits::Allowance;
use crate::pipeline::Memory;
use crate::read::ReadOptions;

/// What was seen in the parts of a workbook.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Whether a sheet may have merged cells.
    pub(super) merged: bool,
    /// Whether a sheet may have formulas.
    pub(super) formulas: bool,
}

/// The bytes of memory that a byte of these parts may take: texts that all cells share, styles, and the whole table of an
/// OpenDocument file. A text or a style can be much shorter in the file than in memory.
const OF_TEXTS: u64 = 6;
const OF_STYLES: u64 = 100;
const OF_TABLE: u64 = 4;

/// Unpacks all parts that are read. Fails if they hold more than is allowed, need more memory than there is, or are damaged.
pub(super) fn weigh(told: Told<'_>, file: &File, options: &ReadOptions) -> Result<Seen> {
    let mut archive = told.decode(|| ZipArchive::new(BufReader::new(file)))?;
    let allowance = Allowance::new(options.max_size);
    let memory = Memory::new(told.name, options.memory);
    let mut left = allowance.bytes;
    let mut seen = Seen::default();
    for number in 0..archive.len() {
        let Some(opened) = decoding::caught(|| archive.by_index(number)) else {
            return Err(flaws::damaged(told));
        };
        let mut part = match opened {
            Ok(part) => part,
            Err(ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED)) => {
                return Err(flaws::protected(told.name));
            }
            Err(_) => return Err(flaws::damaged(told)),
        };
        let name = part.name().map_err(|_| flaws::damaged(told))?.into_owned();
        let Some(role) = Role::of(told.kind, &name) else { continue };
        let declared = part.size();
        memory.take(declared.saturating_mul(role.memory()))?;
        let mut scan = Scan::new(role, declared);
        let mut block = vec![0; 64 << 10];
        loop {
            options.control.check()?;
            let count = told.decode(|| part.read(&mut block))?;
            if count == 0 {
                break;
            }
            left = left.checked_sub(count as u64).ok_or_else(|| allowance.passed(told.name))?;
            scan.look(&block[..count], &mut seen);
            if scan.unpacked > declared || scan.claims_too_much {
                return Err(claims(told));
            }
        }
        if scan.unpacked != declared {
            return Err(claims(told));
        }
    }
    Ok(seen)
}

fn claims(told: Told<'_>) -> Error {
    flaws::damaged(told).reworded(|what| format!("{what} (a part holds something else than it declares)"))
}

/// What a part is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Sheet,
    Texts,
    Styles,
    Table,
    Other,
}

impl Role {
    /// The role of a part by its name; nothing for parts that are never read, such as pictures.
    fn of(kind: Kind, name: &str) -> Option<Self> {
        let name = name.replace('\\', "/").to_ascii_lowercase();
        if !["xml", "rels"].iter().any(|ending| name.rsplit_once('.').is_some_and(|(_, end)| end == *ending))
        {
            return None;
        }
        Some(match kind {
            Kind::Ods if name == "content.xml" => Self::Table,
            _ if name.contains("worksheets/") => Self::Sheet,
            _ if name.ends_with("sharedstrings.xml") => Self::Texts,
            _ if name.ends_with("styles.xml") => Self::Styles,
            _ => Self::Other,
        })
    }

    fn memory(self) -> u64 {
        match self {
            Self::Sheet => 0,
            Self::Texts => OF_TEXTS,
            Self::Styles => OF_STYLES,
            Self::Table => OF_TABLE,
            Self::Other => 1,
        }
    }
}

/// Looks at a part while it is unpacked.
struct Scan {
    role: Role,
    declared: u64,
    unpacked: u64,
    /// The last bytes, with which a word may begin.
    tail: Vec<u8>,
    /// Whether the first text of a list of texts was seen.
    in_texts: bool,
    claims_too_much: bool,
}

/// The most bytes of a word that is looked for, and of what follows it.
const TAIL: usize = 40;

impl Scan {
    fn new(role: Role, declared: u64) -> Self {
        Self { role, declared, unpacked: 0, tail: Vec::new(), in_texts: false, claims_too_much: false }
    }

    fn look(&mut self, block: &[u8], seen: &mut Seen) {
        self.unpacked += block.len() as u64;
        let mut text = std::mem::take(&mut self.tail);
        text.extend_from_slice(block);
        let holds = |word: &[u8]| memmem::find(&text, word).is_some();
        match self.role {
            Role::Sheet => {
                // Names may have a prefix; a word too many only costs time.
                seen.merged = seen.merged || holds(b"mergeCell");
                let formula: [&[u8]; 4] = [b"<f>", b"<f ", b":f>", b":f "];
                seen.formulas = seen.formulas || formula.into_iter().any(holds);
            }
            Role::Texts if !self.in_texts => {
                self.in_texts = [&b"<si"[..], b":si"].into_iter().any(holds);
                // The shortest text takes five bytes.
                self.claims_too_much =
                    number_behind(&text, b"uniqueCount").is_some_and(|claimed| claimed > self.declared / 5);
            }
            _ => {}
        }
        self.tail = text.split_off(text.len().saturating_sub(TAIL));
    }
}

/// The number behind a word, such as 12 in `uniqueCount="12"`.
fn number_behind(text: &[u8], word: &[u8]) -> Option<u64> {
    let behind = &text[memmem::find(text, word)? + word.len()..];
    let start = behind.iter().take(8).position(u8::is_ascii_digit)?;
    let digits = behind[start..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0_u64, |sum, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_behind_words() {
        assert_eq!(number_behind(b"<sst uniqueCount=\"12\">", b"uniqueCount"), Some(12));
        assert_eq!(number_behind(b"uniqueCount = '99999999999999999999999'", b"uniqueCount"), Some(u64::MAX));
        assert_eq!(number_behind(b"<sst>", b"uniqueCount"), None);
    }

    #[test]
    fn words_are_seen_across_blocks() {
        let text = b"<sheetData><c r=\"A1\"><f>1</f></c></sheetData><mergeCells/>";
        for size in 1..20 {
            let (mut scan, mut seen) = (Scan::new(Role::Sheet, 1000), Seen::default());
            text.chunks(size).for_each(|block| scan.look(block, &mut seen));
            assert!(seen.merged && seen.formulas && scan.unpacked == text.len() as u64);
        }
    }
}
