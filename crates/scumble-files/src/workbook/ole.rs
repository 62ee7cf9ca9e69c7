//! Looks at the container of an old workbook before its reader does.
//!
//! The container is a small file system: sectors in chains, and a folder of streams. Its reader follows a chain that leads back into
//! itself forever, and makes room for as many cells as a sheet declares. So chains, and the sizes of sheets, are checked here. The
//! folder also tells what the file is: a workbook, one with a password, or another document.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _};

use super::flaws::{self, Told};
use crate::error::{Result, reading};
use crate::pipeline::Memory;
use crate::read::ReadOptions;

/// Numbers of sectors from here on mean something else: a free sector, or the end of a chain.
const SPECIAL: u32 = 0xffff_fffa;

/// The most rows and columns of a sheet of this format.
const ROWS: u32 = 65_536;
const COLUMNS: u32 = 256;

/// The bytes of memory for each byte of the file, and for each cell that a sheet has room for.
const OF_FILE: u64 = 8;
const OF_CELL: u64 = 100;

/// Checks a container. Fails if it is damaged, holds no workbook or one with a password, or needs more memory than there is.
pub(super) fn check(told: Told<'_>, mut file: &File, options: &ReadOptions) -> Result<()> {
    let memory = Memory::new(told.name, options.memory);
    let size = file.metadata().map_err(|error| reading(told.name, error))?.len();
    memory.take(size.saturating_mul(OF_FILE))?;
    let mut bytes = Vec::new();
    file.rewind().map_err(|error| reading(told.name, error))?;
    file.read_to_end(&mut bytes).map_err(|error| reading(told.name, error))?;
    let container = Container::read(&bytes).ok_or_else(|| flaws::damaged(told))?;
    let stream = |name: &str| container.streams.iter().find(|stream| stream.name.eq_ignore_ascii_case(name));
    if stream("EncryptedPackage").is_some() {
        return Err(flaws::protected(told.name));
    }
    let book = stream("Workbook").or_else(|| stream("Book")).ok_or_else(|| flaws::no_workbook(told.name))?;
    let records = container.content(book).ok_or_else(|| flaws::damaged(told))?;
    let cells = room_for_cells(&records).ok_or_else(|| flaws::damaged(told))?;
    memory.take(cells.saturating_mul(OF_CELL))
}

struct Container<'a> {
    bytes: &'a [u8],
    sector: usize,
    next: Vec<u32>,
    streams: Vec<Stream>,
    /// The small sectors inside the first stream, and the chains of them.
    small: Vec<u8>,
    small_next: Vec<u32>,
}

struct Stream {
    name: String,
    start: u32,
    length: usize,
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|number| u32::from_le_bytes(*number))
}

impl<'a> Container<'a> {
    /// Reads the chains and the folder. Returns `None` if something does not fit.
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let sector = match u16_at(bytes, 30)? {
            9 => 512,
            12 => 4096,
            _ => return None,
        };
        let mut container = Self {
            bytes,
            sector,
            next: Vec::new(),
            streams: Vec::new(),
            small: Vec::new(),
            small_next: Vec::new(),
        };
        // The sectors that list all chains are listed in the header, and in a chain of further sectors.
        let mut lists: Vec<u32> = numbers(bytes.get(76..512)?).collect();
        let (mut further, mut sectors) = (u32_at(bytes, 68)?, bytes.len() / sector);
        while further < SPECIAL {
            sectors = sectors.checked_sub(1)?;
            let (last, listed) = container.sector(further)?.split_last_chunk::<4>().map(|(a, b)| (*b, a))?;
            lists.extend(numbers(listed));
            further = u32::from_le_bytes(last);
        }
        for list in lists.into_iter().filter(|number| *number < SPECIAL) {
            let listed = container.sector(list)?.to_vec();
            container.next.extend(numbers(&listed));
        }
        let folder = container.chained(u32_at(bytes, 48)?, None)?;
        container.streams = folder.as_chunks::<128>().0.iter().filter_map(Stream::read).collect();
        let root = container.streams.first()?;
        if u32_at(bytes, 64)? > 0 {
            container.small = container.chained(root.start, Some(root.length))?;
            let lists = container.chained(u32_at(bytes, 60)?, None)?;
            container.small_next = numbers(&lists).collect();
        }
        Some(container)
    }

    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let start = (number as usize).checked_add(1)?.checked_mul(self.sector)?;
        // Some programs do not fill the last sector.
        let end = (start + self.sector).min(self.bytes.len());
        self.bytes.get(start..end)
    }

    /// The sectors of a chain one after the other, up to a length. Returns `None` if the chain leads back into itself or out of
    /// the file, or is shorter than the length.
    fn chained(&self, mut number: u32, length: Option<usize>) -> Option<Vec<u8>> {
        let mut content = Vec::new();
        let mut left = self.next.len();
        while number < SPECIAL && length.is_none_or(|length| content.len() < length) {
            left = left.checked_sub(1)?;
            content.extend_from_slice(self.sector(number)?);
            number = *self.next.get(number as usize)?;
        }
        match length {
            Some(length) if content.len() < length => None,
            Some(length) => {
                content.truncate(length);
                Some(content)
            }
            None => Some(content),
        }
    }

    fn content(&self, stream: &Stream) -> Option<Vec<u8>> {
        if stream.length >= 4096 {
            return self.chained(stream.start, Some(stream.length));
        }
        let (mut content, mut number, mut left) = (Vec::new(), stream.start, self.small_next.len());
        while number < SPECIAL && content.len() < stream.length {
            left = left.checked_sub(1)?;
            let start = (number as usize).checked_mul(64)?;
            content.extend_from_slice(self.small.get(start..(start + 64).min(self.small.len()))?);
            number = *self.small_next.get(number as usize)?;
        }
        content.truncate(stream.length);
        Some(content)
    }
}

impl Stream {
    /// Reads an entry of the folder. Returns `None` for one without a name.
    fn read(entry: &[u8; 128]) -> Option<Self> {
        let units: Vec<u16> =
            entry[..64].as_chunks().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        let name: Vec<u16> = units.into_iter().take_while(|unit| *unit != 0).collect();
        let name = String::from_utf16_lossy(&name);
        let (start, length) = (u32_at(entry, 116)?, u32_at(entry, 120)? as usize);
        (!name.is_empty()).then_some(Self { name, start, length })
    }
}

/// The cells that all sheets of a workbook have room for, as its reader will count them. Returns `None` if a sheet claims more than
/// its format allows.
fn room_for_cells(records: &[u8]) -> Option<u64> {
    const SHEET: u16 = 0x0085;
    const BEGIN: u16 = 0x0809;
    const DIMENSIONS: u16 = 0x0200;
    const CELLS: [u16; 8] = [0x0203, 0x0204, 0x00d6, 0x0205, 0x027e, 0x00fd, 0x00bd, 0x0006];
    let (mut at, mut begin) = (0, 0);
    let mut sheets = Vec::new();
    // How far the cells of each part go that begins there.
    let mut sizes: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
    while let (Some(kind), Some(length)) = (u16_at(records, at), u16_at(records, at + 2)) {
        let Some(data) = records.get(at + 4..at + 4 + usize::from(length)) else { break };
        let mut reaches = |rows: u32, columns: u32| {
            let size = sizes.entry(begin).or_default();
            *size = (size.0.max(rows), size.1.max(columns));
        };
        match kind {
            SHEET => sheets.push(u32_at(data, 0)? as usize),
            BEGIN => begin = at,
            DIMENSIONS => {
                let (first_row, rows, first_column, columns) = match data.len() {
                    10 => (
                        u32::from(u16_at(data, 0)?),
                        u32::from(u16_at(data, 2)?),
                        u16_at(data, 4)?,
                        u16_at(data, 6)?,
                    ),
                    _ => (u32_at(data, 0)?, u32_at(data, 4)?, u16_at(data, 8)?, u16_at(data, 10)?),
                };
                let columns = u32::from(columns);
                if rows > ROWS
                    || columns > COLUMNS
                    || first_row > rows
                    || u32::from(first_column) > columns.max(COLUMNS)
                {
                    return None;
                }
                reaches(rows, columns);
            }
            kind if CELLS.contains(&kind) => {
                let column =
                    if kind == 0x00bd { u16_at(data, data.len().checked_sub(2)?)? } else { u16_at(data, 2)? };
                reaches(u32::from(u16_at(data, 0)?) + 1, u32::from(column) + 1);
            }
            _ => {}
        }
        at += 4 + usize::from(length);
    }
    let room = sheets.iter().filter_map(|sheet| sizes.get(sheet));
    Some(room.map(|(rows, columns)| u64::from(*rows) * u64::from(*columns)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: u16, data: &[u8]) -> Vec<u8> {
        [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
    }

    #[test]
    fn the_room_for_cells_is_counted_by_sheet() {
        let sheet = record(0x0085, &[&14_u32.to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
        let number = record(0x0203, &[9, 0, 4, 0, 0, 0]);
        let bytes = [sheet, vec![0; 1], record(0x0809, &[]), number.clone()].concat();
        // The stray byte breaks the records, so nothing behind it counts.
        assert_eq!(room_for_cells(&bytes), Some(0));
        let sheet = record(0x0085, &[&13_u32.to_le_bytes()[..], &[0, 0, 1, 0, b'S']].concat());
        assert_eq!(room_for_cells(&[sheet.clone(), record(0x0809, &[]), number].concat()), Some(50));
        let wild = [&0_u32.to_le_bytes()[..], &u32::MAX.to_le_bytes(), &[0, 0, 5, 0, 0, 0]].concat();
        assert_eq!(room_for_cells(&[sheet, record(0x0809, &[]), record(0x0200, &wild)].concat()), None);
    }
}
