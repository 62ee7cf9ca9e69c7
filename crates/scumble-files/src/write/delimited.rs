//! Writes delimited text: every distinct text is quoted once, and rows are put together in parallel.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Write};

use rayon::prelude::*;

use super::OutColumn;
use crate::compression::Compression;
use crate::control::Control;
use crate::spreadsheet;

/// The rows that one thread puts together at a time.
const BLOCK_ROWS: usize = 8192;

/// How fields are written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// The character between fields.
    pub(super) delimiter: u8,
    /// Whether texts are written so that no spreadsheet program runs them.
    pub(super) spreadsheet_safe: bool,
    /// Whether the file begins with a byte order mark.
    pub(super) byte_order_mark: bool,
}

/// The texts of a column as they stand in the file, each followed by the delimiter or line end.
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    fn new<'a>(texts: impl Iterator<Item = &'a str>, style: Style, is_only: bool, behind: u8) -> Self {
        let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(texts.size_hint().0));
        for text in texts {
            let text = if style.spreadsheet_safe { spreadsheet::safe(text) } else { Cow::Borrowed(text) };
            if needs_quotes(&text, style.delimiter, is_only) {
                bytes.push(b'"');
                for part in text.split_inclusive('"') {
                    bytes.extend_from_slice(part.as_bytes());
                    if part.ends_with('"') {
                        bytes.push(b'"');
                    }
                }
                bytes.push(b'"');
            } else {
                bytes.extend_from_slice(text.as_bytes());
            }
            bytes.push(behind);
            ends.push(bytes.len());
        }
        Self { bytes, ends }
    }

    #[inline]
    fn get(&self, code: u32) -> &[u8] {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.bytes[start..self.ends[code]]
    }
}

/// Whether a text must be quoted to be read back as it is. A text with space at its ends is quoted because some readers strip it;
/// an empty text in an only column because readers skip empty lines; and a byte order mark because it would be taken for the
/// file's own.
fn needs_quotes(text: &str, delimiter: u8, is_only: bool) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().any(|&byte| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n'))
        || text.starts_with([' ', '\t', '\u{feff}'])
        || text.ends_with([' ', '\t'])
        || (is_only && text.is_empty())
}

/// Writes delimited text into a file.
pub(super) struct Writer<'f> {
    out: Out<'f>,
    style: Style,
    columns: usize,
}

impl<'f> Writer<'f> {
    /// Writes the header.
    pub(super) fn begin<'n>(
        out: &'f mut File,
        names: impl ExactSizeIterator<Item = &'n str>,
        style: Style,
        compression: Compression,
    ) -> io::Result<Self> {
        let mut writer = Self { out: Out::new(out, compression)?, style, columns: names.len() };
        if style.byte_order_mark {
            writer.out.write_all("\u{feff}".as_bytes())?;
        }
        for (column, name) in names.enumerate() {
            let name = writer.fields(column, std::iter::once(name));
            writer.out.write_all(name.get(0))?;
        }
        Ok(writer)
    }

    /// Writes rows in order.
    pub(super) fn write(
        &mut self,
        columns: &[OutColumn<'_>],
        order: &[u32],
        control: &Control,
    ) -> io::Result<()> {
        let fields: Vec<Fields> = columns
            .par_iter()
            .enumerate()
            .map(|(index, column)| self.fields(index, column.texts.iter()))
            .collect();
        // One wave of blocks is written while the next is put together.
        let wave_rows = 2 * rayon::current_num_threads() * BLOCK_ROWS;
        let mut ready: Vec<Block> = Vec::new();
        let mut next: Vec<Block> = Vec::new();
        for wave in order.chunks(wave_rows) {
            control.check().map_err(io::Error::other)?;
            let out = &mut self.out;
            let (written, ()) =
                rayon::join(|| write_blocks(out, &ready), || render_wave(columns, &fields, wave, &mut next));
            written?;
            control.advance(wave.len() as u64);
            std::mem::swap(&mut ready, &mut next);
        }
        write_blocks(&mut self.out, &ready)
    }

    /// Writes what is left.
    pub(super) fn finish(self) -> io::Result<()> {
        self.out.finish()
    }

    fn fields<'t>(&self, column: usize, texts: impl Iterator<Item = &'t str>) -> Fields {
        let behind = if column + 1 == self.columns { b'\n' } else { self.style.delimiter };
        Fields::new(texts, self.style, self.columns == 1, behind)
    }
}

/// A file that is compressed, or not.
enum Out<'f> {
    Plain(&'f mut File),
    Gzip(flate2::write::GzEncoder<&'f mut File>),
    Zstd(zstd::Encoder<'static, &'f mut File>),
}

impl<'f> Out<'f> {
    fn new(out: &'f mut File, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::Plain(out),
            Compression::Gzip => {
                Self::Gzip(flate2::write::GzEncoder::new(out, flate2::Compression::default()))
            }
            Compression::Zstd => Self::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
        })
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(_) => Ok(()),
            Self::Gzip(encoder) => encoder.finish().map(drop),
            Self::Zstd(encoder) => encoder.finish().map(drop),
        }
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(out) => out.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// The text of some rows, and a buffer for their codes.
#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    codes: Vec<Vec<u32>>,
}

fn write_blocks(out: &mut Out<'_>, blocks: &[Block]) -> io::Result<()> {
    blocks.iter().try_for_each(|block| out.write_all(&block.bytes))
}

fn render_wave(columns: &[OutColumn<'_>], fields: &[Fields], rows: &[u32], blocks: &mut Vec<Block>) {
    blocks.resize_with(rows.len().div_ceil(BLOCK_ROWS), Block::default);
    blocks
        .par_iter_mut()
        .zip(rows.par_chunks(BLOCK_ROWS))
        .for_each(|(block, rows)| render(columns, fields, rows, block));
}

fn render(columns: &[OutColumn<'_>], fields: &[Fields], rows: &[u32], block: &mut Block) {
    // Codes are gathered column by column: these reads jump in memory, and are faster on their own.
    block.codes.resize_with(columns.len(), Vec::new);
    for (column, codes) in columns.iter().zip(&mut block.codes) {
        column.cells.gather(rows, codes);
    }
    block.bytes.clear();
    for row in 0..rows.len() {
        for (fields, codes) in fields.iter().zip(&block.codes) {
            block.bytes.extend_from_slice(fields.get(codes[row]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(text: &str, is_only: bool) -> String {
        let style = Style { delimiter: b',', spreadsheet_safe: false, byte_order_mark: false };
        let fields = Fields::new(std::iter::once(text), style, is_only, b'\n');
        String::from_utf8(fields.get(0).to_vec()).unwrap()
    }

    #[test]
    fn quotes_only_where_needed() {
        for plain in ["", "a", "a b", "é", "[1;2]", "a'b"] {
            assert_eq!(field(plain, false), format!("{plain}\n"));
        }
        assert_eq!(field("[1,2)", false), "\"[1,2)\"\n");
        assert_eq!(field("say \"hi\"", false), "\"say \"\"hi\"\"\"\n");
        assert_eq!(field("\"", false), "\"\"\"\"\n");
        for odd in [" a", "a ", "\ta", "a\nb", "a\rb", "\u{feff}a"] {
            assert_eq!(field(odd, false), format!("\"{odd}\"\n"));
        }
        assert_eq!(field("", true), "\"\"\n");
        assert_eq!(field("a", true), "a\n");
    }
}
