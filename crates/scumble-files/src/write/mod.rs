//! Writing a table of codes as text, row by row in a given order.

mod columnar;
mod delimited;
mod typed;
mod workbook;

use std::fs::File;
use std::path::Path;

use crate::compression::Compression;
use crate::control::Control;
use crate::error::{Error, Result, writing};
use crate::source::Batches;
use crate::table::{Codes, Texts};
use crate::threads;

/// The kind of file to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutFormat {
    /// Delimited text with a header.
    Csv {
        /// The character between fields.
        delimiter: u8,
        /// How the file is compressed.
        compression: Compression,
    },
    /// Parquet.
    Parquet,
    /// The Arrow IPC file format, also called Feather 2.
    ArrowIpc,
    /// An Excel workbook with one sheet.
    Workbook,
}

/// The type that a column is written as. Delimited text has no types. Every type holds only if every text that is written reads back
/// identically; a column with another text is written in the next type that keeps all of them, and as text where no type does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColumnType {
    /// Text.
    #[default]
    Text,
    /// 64-bit integers; decimals where they are too large.
    Integer,
    /// 64-bit floating-point numbers; decimals where all have the same number of places and a float would lose some, such as `2.50`.
    Float,
    /// Decimal numbers, all with the same number of places.
    Decimal {
        /// The digits of the largest number that the type holds.
        precision: u8,
        /// The places behind the decimal point.
        scale: u8,
    },
    /// Dates as ISO 8601 writes them.
    Date,
    /// Timestamps as ISO 8601 writes them, with a `T` between date and time.
    Timestamp {
        /// Whether they are in UTC, written with a `Z`. Others have no zone.
        zone: bool,
        /// The unit; nanoseconds where microseconds lose digits.
        unit: Tick,
    },
    /// Times of day with seconds.
    Time {
        /// The unit; nanoseconds where microseconds lose digits.
        unit: Tick,
    },
    /// `true` and `false`.
    Boolean,
    /// Lists of values with their frequencies; the texts are JSON objects of numbers.
    Frequencies,
}

/// The unit of a timestamp or a time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tick {
    /// A millionth of a second.
    #[default]
    Micro,
    /// A thousandth of that.
    Nano,
}

/// One column to write.
#[derive(Debug, Clone, Copy)]
pub struct OutColumn<'a> {
    /// The name in the header.
    pub name: &'a str,
    /// The texts that the codes stand for. Only those that occur in a written row are written.
    pub texts: &'a Texts,
    /// The code of each source row.
    pub cells: Cells<'a>,
    /// The type, where the format has types.
    pub kind: ColumnType,
}

impl<'a> OutColumn<'a> {
    /// The codes that occur in the rows.
    fn used_codes(&self, order: &[u32]) -> Vec<u32> {
        let (mut codes, mut known) = (Vec::new(), vec![false; self.texts.len()]);
        for rows in order.chunks(columnar::BATCH_ROWS) {
            self.cells.gather(rows, &mut codes);
            codes.iter().for_each(|code| known[*code as usize] = true);
        }
        (0..).zip(known).filter(|(_, is_used)| *is_used).map(|(code, _)| code).collect()
    }

    /// The texts that occur in the rows.
    pub(crate) fn written_texts(&self, order: &[u32]) -> Vec<&'a str> {
        self.used_codes(order).into_iter().map(|code| self.texts.get(code)).collect()
    }
}

/// The code of each source row, given directly or through the equivalence class that the row belongs to.
#[derive(Debug, Clone, Copy)]
pub enum Cells<'a> {
    /// A code for each row.
    Direct(&'a Codes),
    /// An equivalence class for each row, and a code for each class.
    Via {
        /// The equivalence class of each row.
        class_of_row: &'a [u32],
        /// The code of each equivalence class.
        code_of_class: &'a [u32],
    },
}

/// How to write.
#[derive(Debug, Clone)]
pub struct WriteOptions<'a> {
    /// The kind of file.
    pub format: OutFormat,
    /// The name in messages.
    pub name: &'a str,
    /// The number of threads that work; 0 for as many as the current thread pool has.
    pub threads: usize,
    /// Receives the number of rows written so far, and can stop the writing.
    pub control: &'a Control,
    /// Whether texts and names are written in the form that no spreadsheet program runs ([`crate::spreadsheet`]). Only delimited
    /// text has that form.
    pub spreadsheet_safe: bool,
    /// Whether delimited text begins with a byte order mark, by which some programs recognise UTF-8. Other formats have none.
    pub byte_order_mark: bool,
}

/// The extensions that [`format_for`] knows.
const EXTENSIONS: &str =
    ".csv, .tsv, .txt (each also with .gz or .zst behind it), .parquet, .arrow, .feather, .ipc, .xlsx";

/// Returns the format that a file name's extension asks for.
///
/// ```
/// use scumble_files::{Compression, OutFormat, format_for};
/// let format = format_for("release.csv.gz".as_ref())?;
/// assert_eq!(format, OutFormat::Csv { delimiter: b',', compression: Compression::Gzip });
/// # Ok::<(), scumble_files::Error>(())
/// ```
pub fn format_for(path: &Path) -> Result<OutFormat> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let (stem, compression) = if let Some(stem) = name.strip_suffix(".gz") {
        (stem, Compression::Gzip)
    } else if let Some(stem) = name.strip_suffix(".zst") {
        (stem, Compression::Zstd)
    } else {
        (name.as_str(), Compression::None)
    };
    let extension = stem.rsplit_once('.').map_or("", |(_, extension)| extension);
    match (extension, compression) {
        ("csv" | "txt", _) => Ok(OutFormat::Csv { delimiter: b',', compression }),
        ("tsv", _) => Ok(OutFormat::Csv { delimiter: b'\t', compression }),
        ("parquet", Compression::None) => Ok(OutFormat::Parquet),
        ("arrow" | "feather" | "ipc", Compression::None) => Ok(OutFormat::ArrowIpc),
        ("xlsx", Compression::None) => Ok(OutFormat::Workbook),
        _ if crate::database::ENDINGS.iter().any(|ending| name.ends_with(ending)) => Err(Error::config(
            format!("the database '{}' names no table that the release goes into", path.display()),
        )
        .advise(format!("write {}?table=NAME, with the name of a new table", path.display()))),
        _ => Err(Error::config(format!(
            "'{}': the extension does not tell what to write; known are {EXTENSIONS}",
            path.display()
        ))),
    }
}

/// Writes a table: a header, and for each entry of `order` that source row. The bytes are the same for any number of threads.
/// Nothing but the names and the texts of these rows is written: no statistics, no unused texts, no metadata.
pub fn write_table(
    out: &mut File,
    columns: &[OutColumn<'_>],
    order: &[u32],
    options: &WriteOptions<'_>,
) -> Result<()> {
    if options.format == OutFormat::Workbook && !columns.is_empty() && !options.spreadsheet_safe {
        return workbook::write_table(out, columns, order, options.name, options.control);
    }
    threads::run(options.threads, || {
        let typed = match options.format {
            OutFormat::Csv { .. } | OutFormat::Workbook => None,
            OutFormat::Parquet | OutFormat::ArrowIpc => Some(columnar::Rows::new(columns, order)),
        };
        let kinds = match &typed {
            None => columns.iter().map(|column| (column.name, column.kind)).collect(),
            Some(rows) => rows.kinds(),
        };
        let mut writer = TableWriter::begin(out, &kinds, options)?;
        match typed {
            None => writer.write_texts(columns, order)?,
            Some(rows) => writer.write_typed(&rows)?,
        }
        writer.finish()
    })?
}

/// Writes a table into memory, with the same rows and types as an Arrow file would have.
pub fn write_batches(
    columns: &[OutColumn<'_>],
    order: &[u32],
    threads: usize,
    control: &Control,
) -> Result<Batches> {
    if columns.is_empty() {
        return Err(Error::config("there is no column to write".to_owned()));
    }
    threads::run(threads, || {
        let rows = columnar::Rows::new(columns, order);
        let mut writer = columnar::Writer::memory(&rows.kinds());
        writer.write(&rows, control)?;
        writer.finish()
    })?
}

/// Writes a table into a file part by part, so that the caller never needs to hold all of it.
///
/// The parts together give the rows that [`write_table`] would have written. The bytes are the same too in uncompressed delimited
/// text, and in any format if every part but the last has a multiple of [`TableWriter::ROWS`] rows and no text is longer than 16
/// KiB.
pub struct TableWriter<'f> {
    columns: Vec<(String, ColumnType)>,
    to: To<'f>,
    options: WriteOptions<'f>,
}

enum To<'f> {
    Text(delimited::Writer<'f>),
    Typed(columnar::Writer<'f>),
    Workbook(Box<workbook::Writer<'f>>),
}

impl<'f> TableWriter<'f> {
    /// The most rows that are written at a time.
    pub const ROWS: usize = columnar::BATCH_ROWS;

    /// Begins a table of these columns. Their types hold for all parts, since later texts are not known yet.
    pub fn begin(
        out: &'f mut File,
        columns: &[(&str, ColumnType)],
        options: &WriteOptions<'f>,
    ) -> Result<Self> {
        let name = options.name;
        if columns.is_empty() {
            return Err(Error::config(format!("'{name}': there is no column to write")));
        }
        if options.spreadsheet_safe && !matches!(options.format, OutFormat::Csv { .. }) {
            return Err(Error::config(format!("'{name}': only delimited text has a spreadsheet-safe form")));
        }
        if options.byte_order_mark && !matches!(options.format, OutFormat::Csv { .. }) {
            return Err(Error::config(format!("'{name}': only delimited text has a byte order mark")));
        }
        let to = match options.format {
            OutFormat::Csv { delimiter, compression } => {
                let WriteOptions { spreadsheet_safe, byte_order_mark, .. } = *options;
                let style = delimited::Style { delimiter, spreadsheet_safe, byte_order_mark };
                let names = columns.iter().map(|(name, _)| *name);
                let writer = delimited::Writer::begin(out, names, style, compression);
                To::Text(writer.map_err(|error| writing(name, error))?)
            }
            OutFormat::Parquet => To::Typed(columnar::Writer::parquet(out, columns, name)?),
            OutFormat::ArrowIpc => To::Typed(columnar::Writer::arrow(out, columns, name)?),
            OutFormat::Workbook => To::Workbook(Box::new(workbook::Writer::begin(out, columns, name)?)),
        };
        let columns = columns.iter().map(|(name, kind)| ((*name).to_owned(), *kind)).collect();
        Ok(Self { columns, to, options: options.clone() })
    }

    /// Writes further rows: for each entry of `order` that source row. The columns must be those given to [`TableWriter::begin`].
    /// Fails if a text cannot be written as its column's type.
    pub fn write(&mut self, columns: &[OutColumn<'_>], order: &[u32]) -> Result<()> {
        let name = self.options.name;
        if !columns.iter().map(|column| column.name).eq(self.columns.iter().map(|(name, _)| name.as_str())) {
            return Err(Error::internal(format!("a part of '{name}' has other columns than its beginning")));
        }
        if let To::Workbook(writer) = &mut self.to {
            return writer.write(columns, order, self.options.control);
        }
        threads::run(self.options.threads, || {
            if matches!(self.to, To::Text(_)) {
                return self.write_texts(columns, order);
            }
            let kinds = self.columns.iter().map(|(_, kind)| *kind);
            let columns: Vec<OutColumn<'_>> =
                columns.iter().zip(kinds).map(|(column, kind)| OutColumn { kind, ..*column }).collect();
            let rows = columnar::Rows::new(&columns, order);
            let found = rows.kinds().into_iter().zip(&self.columns).find(|(found, said)| found.1 != said.1);
            if let Some(((column, _), (_, kind))) = found {
                return Err(misfit(*kind, column, name));
            }
            self.write_typed(&rows)
        })?
    }

    /// Writes what is left. Without this call the file is incomplete.
    pub fn finish(self) -> Result<()> {
        match self.to {
            To::Text(writer) => writer.finish().map_err(|error| writing(self.options.name, error)),
            To::Typed(writer) => writer.finish().map(drop),
            To::Workbook(writer) => writer.finish(),
        }
    }

    fn write_texts(&mut self, columns: &[OutColumn<'_>], order: &[u32]) -> Result<()> {
        let To::Text(writer) = &mut self.to else {
            return Err(Error::internal("texts were to be written into a typed table"));
        };
        writer
            .write(columns, order, self.options.control)
            .map_err(|error| error.downcast().unwrap_or_else(|error| writing(self.options.name, error)))
    }

    fn write_typed(&mut self, rows: &columnar::Rows<'_, '_>) -> Result<()> {
        let To::Typed(writer) = &mut self.to else {
            return Err(Error::internal("typed values were to be written as texts"));
        };
        writer.write(rows, self.options.control)
    }
}

/// The error of a text that is not of its column's type.
fn misfit(kind: ColumnType, column: &str, name: &str) -> Error {
    Error::data(format!(
        "a value cannot be written as {}, which is the type of its column in '{name}'",
        kind.name()
    ))
    .in_column(column)
}

impl ColumnType {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "a whole number",
            Self::Float => "a number",
            Self::Decimal { .. } => "a decimal number",
            Self::Date => "a date",
            Self::Timestamp { zone: true, .. } => "a timestamp with a zone",
            Self::Timestamp { zone: false, .. } => "a timestamp without a zone",
            Self::Time { .. } => "a time of day",
            Self::Boolean => "true or false",
            Self::Frequencies => "values with frequencies",
        }
    }
}

impl Cells<'_> {
    /// Replaces `codes` by the codes of these rows.
    fn gather(&self, rows: &[u32], codes: &mut Vec<u32>) {
        codes.clear();
        match *self {
            Self::Direct(Codes::U8(all)) => {
                codes.extend(rows.iter().map(|&row| u32::from(all[row as usize])));
            }
            Self::Direct(Codes::U16(all)) => {
                codes.extend(rows.iter().map(|&row| u32::from(all[row as usize])));
            }
            Self::Direct(Codes::U32(all)) => codes.extend(rows.iter().map(|&row| all[row as usize])),
            Self::Via { class_of_row, code_of_class } => {
                codes.extend(rows.iter().map(|&row| code_of_class[class_of_row[row as usize] as usize]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_tell_the_format() {
        let format = |name: &str| format_for(Path::new(name));
        let csv = |delimiter, compression| OutFormat::Csv { delimiter, compression };
        assert_eq!(format("a.csv").unwrap(), csv(b',', Compression::None));
        assert_eq!(format("x/A.B.TSV").unwrap(), csv(b'\t', Compression::None));
        assert_eq!(format("a.txt.zst").unwrap(), csv(b',', Compression::Zstd));
        assert_eq!(format("a.parquet").unwrap(), OutFormat::Parquet);
        assert_eq!(format("a.feather").unwrap(), OutFormat::ArrowIpc);
        assert_eq!(format("a.XLSX").unwrap(), OutFormat::Workbook);
        for unknown in ["a", "a.xls", "a.xlsx.gz", "csv", "a.parquet.gz", "a.gz"] {
            let error = format(unknown).unwrap_err();
            assert!(error.kind() == crate::ErrorKind::Config);
            assert!(error.to_string().contains(".csv, .tsv, .txt"), "{error}");
        }
    }

    #[test]
    fn cells_are_gathered_directly_and_through_classes() {
        let mut codes = vec![9];
        Cells::Direct(&Codes::U16(vec![300, 5, 7])).gather(&[2, 0, 2], &mut codes);
        assert_eq!(codes, [7, 300, 7]);
        Cells::Via { class_of_row: &[1, 0, 1], code_of_class: &[40, 30] }.gather(&[0, 1], &mut codes);
        assert_eq!(codes, [30, 40]);
    }
}
