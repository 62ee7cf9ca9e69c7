//! Compares what a Parquet file declares with what is there, before its reader believes it.
//!
//! The reader allocates memory by the numbers in the footer and in the headers of pages. In a damaged file these can be anything,
//! and the system kills a process that asks for too much. The reader itself compares the footer's length, most lists in the
//! footer and the size of a page with the rest of its column. This file compares the rest.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::Arc;

use arrow_schema::ArrowError;
use parquet::basic::{Compression, Encoding, Type};
use parquet::column::page::{Page, PageReader};
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::serialized_reader::SerializedPageReader;

use super::delta;
use super::thrift::{Broken, I32, LIST, STRUCT, Thrift};
use crate::error::Error;
use crate::limits;

/// The deepest nesting of column groups.
const DEEPEST: usize = 64;

/// The longest header of a page, and how much of it is read at first. A header may contain two values of its column.
const LONGEST_HEADER: usize = 32 << 20;
const SHORT_HEADER: usize = 4 << 10;

/// Checks the footer: its length, the lists in it, and how deep its columns lie.
pub(super) fn check_footer(mut file: &File) -> Result<(), ArrowError> {
    let length = file.metadata()?.len();
    let end = length.checked_sub(8).ok_or_else(|| wrong("it is too short"))?;
    let mut tail = [0; 8];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    if &magic != b"PAR1" {
        return Err(wrong("its end is not that of a Parquet file that can be read, or is missing"));
    }
    let footer = u64::from(u32::from_le_bytes([a, b, c, d]));
    let start =
        end.checked_sub(footer).ok_or_else(|| wrong("its footer claims to be longer than the file"))?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(footer).read_to_end(&mut bytes)?;
    walk_footer(&bytes).map_err(|_| wrong("its footer cannot be parsed"))
}

fn walk_footer(bytes: &[u8]) -> Result<(), Broken> {
    let mut thrift = Thrift::new(bytes);
    let mut last = 0;
    while let Some((number, kind)) = thrift.field(&mut last)? {
        if number == 2 && kind == LIST {
            walk_schema(&mut thrift)?;
        } else {
            thrift.skip(kind)?;
        }
    }
    Ok(())
}

/// Checks how deep the columns lie. The schema lists its elements in the order of a tree, each before those below it.
fn walk_schema(thrift: &mut Thrift<'_>) -> Result<(), Broken> {
    let (length, kind) = thrift.list()?;
    if kind != STRUCT && length > 0 {
        return Err(Broken::Wrong);
    }
    // For each open group, how many children are still to come.
    let mut open: Vec<u64> = Vec::new();
    for _ in 0..length {
        let (mut children, mut last) = (0, 0);
        while let Some((number, kind)) = thrift.field(&mut last)? {
            if number == 5 && kind == I32 {
                children = u64::try_from(thrift.signed()?).map_err(|_| Broken::Wrong)?;
            } else {
                thrift.skip(kind)?;
            }
        }
        if let Some(left) = open.last_mut() {
            *left = left.saturating_sub(1);
        }
        if children > 0 {
            open.push(children);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
        if open.len() > DEEPEST {
            return Err(Broken::Wrong);
        }
    }
    Ok(())
}

/// Checks all pages of the wanted columns. `memory` is the number of bytes that may be used; if not given, what the system has
/// left. Returns how many rows can be decoded at a time, at most `batch_rows`: the reader copies a dictionary's text for every
/// row that has it, so a page of a megabyte can become gigabytes.
pub(super) fn check(
    file: &File,
    metadata: &ParquetMetaData,
    wanted: &[bool],
    memory: Option<u64>,
    batch_rows: usize,
) -> Result<usize, ArrowError> {
    let length = file.metadata()?.len();
    let schema = metadata.file_metadata().schema_descr();
    let chunks = Chunks { file, length, memory };
    let mut most_rows = batch_rows;
    for group in metadata.row_groups() {
        let rows =
            u64::try_from(group.num_rows()).map_err(|_| wrong("a group has a negative number of rows"))?;
        // The most that one row may take in all columns whose texts come from dictionaries.
        let mut row_bytes = 0_u64;
        for (leaf, column) in group.columns().iter().enumerate() {
            if wanted.get(schema.get_column_root_idx(leaf)).is_some_and(|wanted| *wanted) {
                let dictionary = chunks.check(column, rows, batch_rows)?;
                row_bytes = row_bytes.saturating_add(chunks.longest_text(column, dictionary, batch_rows)?);
            }
        }
        if let Some(fitting) = chunks.share().checked_div(row_bytes) {
            most_rows = most_rows.min(usize::try_from(fitting).unwrap_or(usize::MAX)).max(1);
        }
        chunks.memory(row_bytes)?;
    }
    Ok(most_rows)
}

struct Chunks<'a> {
    file: &'a File,
    length: u64,
    memory: Option<u64>,
}

/// What the header of a page says.
#[derive(Debug, Default, PartialEq, Eq)]
struct PageHeader {
    unpacked: i64,
    packed: i64,
    data_values: Option<i64>,
    dictionary_values: Option<i64>,
    encoding: i64,
}

impl Chunks<'_> {
    /// Checks the pages of one column in one group of rows. Returns the size of its largest dictionary.
    fn check(&self, column: &ColumnChunkMetaData, rows: u64, batch_rows: usize) -> Result<u64, ArrowError> {
        let (start, length) = column.byte_range();
        if start.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(wrong("a column lies outside the file"));
        }
        if column.column_type() == Type::FIXED_LEN_BYTE_ARRAY {
            let width = u64::try_from(column.column_descr().type_length()).unwrap_or(u64::MAX);
            self.memory(width.saturating_mul(rows.min(batch_rows as u64)))?;
        }
        let expected =
            u64::try_from(column.num_values()).map_err(|_| wrong("a column has too few values"))?;
        let (mut at, end, mut values, mut is_delta) = (start, start + length, 0_u64, false);
        let mut dictionary = 0;
        while at < end {
            let (header, header_length) = match self.header(at, end)? {
                Ok(found) => found,
                // Some writers leave something behind the last page. The reader ignores it too.
                Err(_) if values >= expected => break,
                Err(_) => return Err(wrong("the header of a page cannot be parsed")),
            };
            at += header_length;
            let packed = u64::try_from(header.packed).ok().filter(|packed| *packed <= end - at);
            let packed = packed.ok_or_else(|| wrong("a page is larger than its column"))?;
            self.check_page(column, &header, at, packed)?;
            if header.dictionary_values.is_some() {
                dictionary = dictionary.max(header.unpacked.unsigned_abs());
            }
            at += packed;
            values = values.saturating_add(header.data_values.unwrap_or(0).unsigned_abs());
            is_delta |= header.data_values.is_some() && delta::is_delta(header.encoding);
        }
        if is_delta {
            self.check_delta(column, rows)?;
        }
        Ok(dictionary)
    }

    /// The bytes that a batch may take for texts of dictionaries: an eighth of the memory there is.
    fn share(&self) -> u64 {
        self.memory.or_else(limits::memory_left).unwrap_or(u64::MAX) / 8
    }

    /// Returns the length of the longest text in a column's dictionary of `dictionary` bytes. Returns 0 for a dictionary so small
    /// that a batch fits whatever texts its rows have.
    fn longest_text(
        &self,
        column: &ColumnChunkMetaData,
        dictionary: u64,
        batch_rows: usize,
    ) -> Result<u64, ArrowError> {
        let is_text = column.column_type() == Type::BYTE_ARRAY;
        if !is_text || dictionary.saturating_mul(batch_rows as u64) <= LITTLE {
            return Ok(0);
        }
        let file = Arc::new(self.file.try_clone()?);
        let mut pages = SerializedPageReader::new(file, column, 0, None)?;
        let Some(Page::DictionaryPage { buf, .. }) = pages.get_next_page()? else { return Ok(dictionary) };
        let (mut rest, mut longest) = (&buf[..], 0);
        while let Some((length, texts)) = rest.split_first_chunk::<4>() {
            let length = u32::from_le_bytes(*length);
            longest = longest.max(u64::from(length));
            rest =
                texts.get(length as usize..).ok_or_else(|| wrong("a text is longer than its dictionary"))?;
        }
        Ok(longest)
    }

    /// Returns the header of the page that begins at `at`, and its length.
    fn header(&self, at: u64, end: u64) -> Result<Result<(PageHeader, u64), Broken>, ArrowError> {
        let most = usize::try_from(end - at).unwrap_or(usize::MAX).min(LONGEST_HEADER);
        let mut bytes = Vec::new();
        let mut wanted = SHORT_HEADER;
        loop {
            let mut file = self.file;
            file.seek(SeekFrom::Start(at))?;
            bytes.clear();
            file.take(wanted.min(most) as u64).read_to_end(&mut bytes)?;
            match parse_header(&bytes) {
                Err(Broken::Short) if wanted < most => wanted *= 8,
                found => return Ok(found),
            }
        }
    }

    fn check_page(
        &self,
        column: &ColumnChunkMetaData,
        header: &PageHeader,
        at: u64,
        packed: u64,
    ) -> Result<(), ArrowError> {
        let unpacked = u64::try_from(header.unpacked).map_err(|_| wrong("a page has a negative size"))?;
        let growth = match column.compression() {
            Compression::UNCOMPRESSED => 1,
            Compression::SNAPPY => 64,
            Compression::GZIP(_) => GZIP_GROWTH,
            Compression::ZSTD(_) => 32 << 10,
            _ => 256,
        };
        if unpacked > (packed + 64).saturating_mul(growth) {
            return Err(wrong("a page claims more than it can hold"));
        }
        self.memory(unpacked)?;
        if matches!(column.compression(), Compression::GZIP(_)) {
            self.check_gzip(at, packed, unpacked)?;
        }
        let size = if growth == 1 { packed } else { unpacked };
        if let Some(values) = header.dictionary_values
            && u64::try_from(values).map_or(true, |values| values > size)
        {
            return Err(wrong("a dictionary claims more values than it can hold"));
        }
        if let Some(values) = header.data_values {
            let values =
                u64::try_from(values).map_err(|_| wrong("a page has a negative number of values"))?;
            // A row may have any number of values here, and rows are read whole.
            if column.column_descr().max_rep_level() > 0 {
                self.memory(values.saturating_mul(32))?;
            }
        }
        Ok(())
    }

    /// Checks that a gzip page is no larger than it claims, since the reader unpacks gzip to its end, however large that is.
    fn check_gzip(&self, at: u64, packed: u64, unpacked: u64) -> Result<(), ArrowError> {
        if self.memory(packed.saturating_mul(2 * GZIP_GROWTH)).is_ok() {
            return Ok(());
        }
        let mut file = self.file;
        file.seek(SeekFrom::Start(at))?;
        let inside = flate2::read::MultiGzDecoder::new(std::io::BufReader::new(file.take(packed)));
        let found = std::io::copy(&mut inside.take(unpacked + 1), &mut std::io::sink())?;
        if found > unpacked { Err(wrong("a page holds more than it claims")) } else { Ok(()) }
    }

    /// Checks the pages whose values are written as differences: these state their number of values inside.
    fn check_delta(&self, column: &ColumnChunkMetaData, rows: u64) -> Result<(), ArrowError> {
        let file = Arc::new(self.file.try_clone()?);
        let rows = usize::try_from(rows).map_err(|_| wrong("a group has too many rows"))?;
        let mut pages = SerializedPageReader::new(file, column, rows, None)?;
        let descriptor = column.column_descr();
        let levels = [descriptor.max_rep_level(), descriptor.max_def_level()];
        while let Some(page) = pages.get_next_page()? {
            let (bytes, encoding, values) = match &page {
                Page::DictionaryPage { .. } => continue,
                Page::DataPage {
                    buf, num_values, encoding, def_level_encoding, rep_level_encoding, ..
                } => {
                    let encodings = [*rep_level_encoding, *def_level_encoding];
                    let start = delta::start_of_values(buf, levels, encodings, *num_values);
                    (start.and_then(|start| buf.get(start..)), *encoding, *num_values)
                }
                Page::DataPageV2 {
                    buf,
                    num_values,
                    encoding,
                    def_levels_byte_len,
                    rep_levels_byte_len,
                    ..
                } => {
                    let start = def_levels_byte_len.saturating_add(*rep_levels_byte_len) as usize;
                    (buf.get(start..), *encoding, *num_values)
                }
            };
            let streams = match encoding {
                Encoding::DELTA_BINARY_PACKED | Encoding::DELTA_LENGTH_BYTE_ARRAY => 1,
                Encoding::DELTA_BYTE_ARRAY => 2,
                _ => continue,
            };
            self.memory(u64::from(values) * 8)?;
            let bytes = bytes.ok_or_else(|| wrong("a page is cut off"))?;
            delta::check(bytes, streams, values)
                .map_err(|_| wrong("a page claims more values than it has"))?;
        }
        Ok(())
    }

    /// Fails if there is no memory for that many bytes.
    fn memory(&self, bytes: u64) -> Result<(), ArrowError> {
        let most = match self.memory {
            Some(given) => given,
            None if bytes <= LITTLE => return Ok(()),
            None => limits::memory_left().unwrap_or(u64::MAX),
        };
        if bytes <= most {
            return Ok(());
        }
        Err(ArrowError::ExternalError(Box::new(
            Error::resources(format!(
                "a page needs {} of memory, and {} are left",
                limits::size(bytes),
                limits::size(most)
            ))
            .advise("write the table with smaller pages"),
        )))
    }
}

/// Every machine has this much, so the system is not asked.
const LITTLE: u64 = 16 << 20;

/// gzip expands one byte to at most about a thousand.
const GZIP_GROWTH: u64 = 1100;

fn parse_header(bytes: &[u8]) -> Result<(PageHeader, u64), Broken> {
    let mut thrift = Thrift::new(bytes);
    let mut header = PageHeader::default();
    let mut last = 0;
    while let Some((number, kind)) = thrift.field(&mut last)? {
        match (number, kind) {
            (2, I32) => header.unpacked = thrift.signed()?,
            (3, I32) => header.packed = thrift.signed()?,
            // In all of these the number of values comes first, and the encoding second or fourth.
            (5, STRUCT) => header.data_values = Some(values_of(&mut thrift, 2, &mut header.encoding)?),
            (7, STRUCT) => header.dictionary_values = Some(values_of(&mut thrift, 2, &mut 0)?),
            (8, STRUCT) => header.data_values = Some(values_of(&mut thrift, 4, &mut header.encoding)?),
            _ => thrift.skip(kind)?,
        }
    }
    Ok((header, thrift.at as u64))
}

fn values_of(thrift: &mut Thrift<'_>, encoding_field: i64, encoding: &mut i64) -> Result<i64, Broken> {
    let (mut values, mut last) = (0, 0);
    while let Some((number, kind)) = thrift.field(&mut last)? {
        match (number, kind) {
            (1, I32) => values = thrift.signed()?,
            (field, I32) if field == encoding_field => *encoding = thrift.signed()?,
            _ => thrift.skip(kind)?,
        }
    }
    Ok(values)
}

fn wrong(what: &str) -> ArrowError {
    ArrowError::ParquetError(what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        // {1: 0, 2: 100, 3: 50, 5: {1: 7, 2: 8, 3: 3, 4: 3}}, then the page.
        let bytes = [0x15, 0, 0x15, 200, 1, 0x15, 100, 0x2c, 0x15, 14, 0x15, 16, 0x15, 6, 0x15, 6, 0, 0, 77];
        let (header, length) = parse_header(&bytes).unwrap();
        let expected = PageHeader {
            unpacked: 100,
            packed: 50,
            data_values: Some(7),
            dictionary_values: None,
            encoding: 8,
        };
        assert_eq!((header, length), (expected, 18));
    }

    #[test]
    fn groups_in_groups_are_limited() {
        // A root with one child, which has one child, and so on.
        let footer = |depth: u8| {
            let mut bytes = vec![0x29, 0xfc, depth];
            for _ in 1..depth {
                bytes.extend([0x55, 2, 0]);
            }
            bytes.extend([0x15, 2, 0, 0]);
            bytes
        };
        assert_eq!(walk_footer(&footer(60)), Ok(()));
        assert_eq!(walk_footer(&footer(70)), Err(Broken::Wrong));
    }

    #[test]
    fn a_list_of_two_billion_groups_is_not_believed() {
        let footer = [0x49, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0];
        assert!(walk_footer(&footer).is_err());
    }
}
