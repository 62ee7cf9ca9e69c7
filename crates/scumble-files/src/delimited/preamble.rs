//! Finds what stands above the header: a `sep=` line, and title rows that people and spreadsheet programs put there.

use crate::error::{Error, Result, Setting};
use crate::heading::{self, filled};
use crate::read::ReadOptions;
use crate::sniff;

/// What stands above the header.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Preamble {
    /// The number of bytes of the decoded text to skip.
    pub(super) bytes: usize,
    /// The delimiter, where the preamble shows it.
    pub(super) delimiter: Option<u8>,
    /// Notes for the user.
    pub(super) notes: Vec<String>,
}

/// The first bytes of a file, decoded.
#[derive(Clone, Copy)]
pub(super) struct Sample<'a> {
    pub(super) text: &'a [u8],
    /// Whether it is the whole file; if not, its last record may be cut.
    pub(super) is_whole: bool,
}

/// Finds what stands above the header. If the options give both a delimiter and a header, no `sep=` line is looked for.
pub(super) fn find(name: &str, sample: Sample<'_>, quote: u8, options: &ReadOptions) -> Result<Preamble> {
    let mut found = Preamble { delimiter: options.delimiter, ..Preamble::default() };
    if (options.delimiter.is_none() || options.header.is_none())
        && let Some((bytes, delimiter)) = separator_line(sample.text)
    {
        let shown = sniff::shown(delimiter);
        found.bytes = bytes;
        found.notes.push(match options.delimiter {
            None => format!("'{name}': its first line says that {shown} stands between fields (sep=), and was not read as data"),
            Some(_) => format!("'{name}': its first line names a delimiter (sep=), and was not read as data"),
        });
        found.delimiter = options.delimiter.or(Some(delimiter));
    }
    let behind = &sample.text[found.bytes..];
    if let Some(rows) = options.skip_rows {
        found.bytes += skipped(name, behind, rows, sample.is_whole)?;
        return Ok(found);
    }
    // Where the options say whether there is a header, it can only be in the first line.
    if options.header.is_some() {
        return Ok(found);
    }
    if let Some(titles) = titles(Sample { text: behind, ..sample }, found.delimiter, quote) {
        found.bytes += titles.bytes;
        found.delimiter = Some(titles.delimiter);
        found.notes.push(heading::skipped_note(name, titles.rows as u64));
    }
    Ok(found)
}

/// Returns the length of a first line such as `sep=;`, and its delimiter.
fn separator_line(text: &[u8]) -> Option<(usize, u8)> {
    let line = text.split(|byte| matches!(byte, b'\n' | b'\r')).next()?;
    let end = line.len() + line_end(&text[line.len()..])?;
    // Some programs put quotes around the line, and some pad it with delimiters.
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    let (key, rest) = line.split_at_checked(4)?;
    let (&delimiter, rest) = rest.split_first()?;
    let is_delimiter = delimiter.is_ascii() && !delimiter.is_ascii_alphanumeric() && delimiter != b'"';
    let is_filled_up = rest.strip_prefix(b"\"").unwrap_or(rest).iter().all(|byte| *byte == delimiter);
    (key.eq_ignore_ascii_case(b"sep=") && is_delimiter && is_filled_up).then_some((end, delimiter))
}

/// Returns the length of the line end at the start of a text, if there is one.
fn line_end(text: &[u8]) -> Option<usize> {
    match text {
        [b'\r', b'\n', ..] => Some(2),
        [b'\r' | b'\n', ..] => Some(1),
        _ => None,
    }
}

/// Returns how many bytes the skipped lines take.
fn skipped(name: &str, text: &[u8], rows: u64, is_whole: bool) -> Result<usize> {
    let mut at = 0;
    for before in 0..rows {
        let line = text[at..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let Some(end) = line.and_then(|line| Some(at + line + line_end(&text[at + line..])?)) else {
            let what = if is_whole {
                format!("'{name}' has only {before} lines, so {rows} cannot be skipped")
            } else {
                format!("'{name}': the first {rows} lines are longer than what can be skipped (64 KB)")
            };
            return Err(Error::config(what).set(Setting::read("skip_rows"), "skip fewer lines"));
        };
        at = end;
    }
    Ok(at)
}

/// Rows above the header.
struct Titles {
    bytes: usize,
    rows: usize,
    delimiter: u8,
}

/// Returns the rows above the header, where it is clear that they are not part of the table: at most one of their cells is
/// filled; the first row with more is a header, since some column below it holds nothing but numbers or dates; and all rows from
/// there on have the same number of fields.
fn titles(sample: Sample<'_>, given: Option<u8>, quote: u8) -> Option<Titles> {
    let candidates = match given {
        Some(delimiter) => vec![delimiter],
        None => sniff::DELIMITERS.into_iter().filter(|delimiter| *delimiter != quote).collect(),
    };
    let records_by = |delimiter| records(sample, delimiter, quote);
    // If some delimiter divides the sample evenly from its first row on, there are no rows above the header.
    let is_even = |delimiter: &u8| {
        let records = records_by(*delimiter);
        let first = records.first().map_or(0, |(_, first)| if filled(first) < 2 { 0 } else { first.len() });
        first > 1 && records.iter().all(|(_, record)| record.len() == first)
    };
    if candidates.iter().any(is_even) {
        return None;
    }
    let mut best: Option<(usize, Titles)> = None;
    for delimiter in candidates {
        let records = records_by(delimiter);
        let Some(head) = records.iter().position(|(_, record)| filled(record) >= 2).filter(|head| *head > 0)
        else {
            continue;
        };
        let (bytes, header) = &records[head];
        let rows = &records[head + 1..];
        let above = &records[..head];
        let is_padded = above.iter().all(|(_, record)| record.len() == header.len());
        if heading::is_header(header, &rows.iter().map(|(_, row)| row.as_slice()))
            && (is_padded || header.len() >= 3)
            && best.as_ref().is_none_or(|(most, _)| header.len() > *most)
        {
            best = Some((header.len(), Titles { bytes: *bytes, rows: head, delimiter }));
        }
    }
    best.map(|(_, titles)| titles)
}

/// The number of records that are looked at.
const RECORDS: usize = 200;

/// Returns the first records, each with its position in the text.
fn records(sample: Sample<'_>, delimiter: u8, quote: u8) -> Vec<(usize, Vec<String>)> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quote(quote)
        .from_reader(sample.text);
    let mut record = csv::ByteRecord::new();
    let mut found = Vec::new();
    loop {
        let place = reader.position().byte() as usize;
        // Reading from memory with flexible lengths cannot fail.
        if found.len() == RECORDS || !reader.read_byte_record(&mut record).unwrap_or(false) {
            break;
        }
        found.push((place, record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect()));
    }
    if !sample.is_whole && found.len() < RECORDS {
        found.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, options: &ReadOptions) -> Result<(String, Option<u8>)> {
        let found = find("t.csv", Sample { text: text.as_bytes(), is_whole: true }, b'"', options)?;
        Ok((text[found.bytes..].trim_start().to_owned(), found.delimiter))
    }

    fn detected(text: &str) -> (String, Option<u8>) {
        found(text, &ReadOptions::default()).unwrap()
    }

    const TABLE: &str = "age;sex;zip\n39;m;01067\n50;f;08001\n";

    #[test]
    fn a_line_that_names_the_delimiter_is_no_data() {
        for line in ["sep=;\n", "SEP=;\r\n", "\"sep=;\"\r", "sep=;;;\n"] {
            assert_eq!(detected(&format!("{line}{TABLE}")), (TABLE.to_owned(), Some(b';')), "{line}");
        }
        for text in ["sep=a\n1\n", "sep=;", "separator;b\n1;2\n"] {
            assert_eq!(detected(text), (text.to_owned(), None));
        }
    }

    #[test]
    fn title_rows_are_found_where_they_are_clear() {
        for titles in
            ["Patients 2024;;\n", "Patients 2024;;\n;;\n", "Patients, 2024\n\n", ";Patients;\nStand Mai;;\n"]
        {
            assert_eq!(detected(&format!("{titles}{TABLE}")), (TABLE.to_owned(), Some(b';')), "{titles}");
        }
        let behind = detected(&format!("sep=;\nPatients;;\n{TABLE}"));
        assert_eq!(behind, (TABLE.to_owned(), Some(b';')));
    }

    #[test]
    fn a_table_without_titles_loses_no_row() {
        for text in [
            TABLE,
            "a,b\n,\n1,2\n3,4\n",
            "city\nSpringfield,IL\nPortland,OR\nSalem,OR\n",
            "note\nx;1\ny;2\nz;3\n",
            "name,town\nAda,\n,Ulm\nBo,Ulm\n",
            "a,,\n1,2,3\n4,5,6\n",
            "Report;;\nname;town;job\nAda;Ulm;cook\nBo;Ulm;cook\n",
            "",
        ] {
            assert_eq!(detected(text).0, text);
        }
        let text = format!("Patients 2024;;\n{TABLE}");
        for options in [
            ReadOptions { header: Some(true), ..ReadOptions::default() },
            ReadOptions { header: Some(false), ..ReadOptions::default() },
            ReadOptions { skip_rows: Some(0), ..ReadOptions::default() },
        ] {
            assert_eq!(found(&text, &options).unwrap().0, text);
        }
    }

    #[test]
    fn lines_are_skipped_as_many_as_are_given() {
        let skip = |rows| ReadOptions { skip_rows: Some(rows), ..ReadOptions::default() };
        let text = format!("Stand;31.12.2024;\r\n\r\n{TABLE}");
        assert_eq!(found(&text, &skip(2)).unwrap().0, TABLE);
        let error = found("a\nb\n", &skip(3)).unwrap_err().to_string();
        assert!(error.contains("has only 2 lines, so 3 cannot be skipped"), "{error}");
    }
}
