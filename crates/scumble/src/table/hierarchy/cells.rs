//! Lines and cells of a hierarchy file: `;`, tab or comma between cells, quotes doubled.

use std::borrow::Cow;

use crate::error::{Error, Result};

/// One cell. Only a quoted cell can be meant to be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) quoted: bool,
}

impl Cell<'_> {
    /// Whether nothing was written here.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && !self.quoted
    }
}

/// Reads a text line by line; a quoted cell may run over several lines.
#[derive(Debug, Clone)]
pub(super) struct Cells<'t> {
    rest: &'t str,
    line: u32,
    delimiter: char,
}

/// The text of a file's bytes.
pub(super) fn decode<'t>(bytes: &'t [u8], file: &str) -> Result<&'t str> {
    if bytes.len() > u32::MAX as usize {
        return Err(Error::resources(format!("{file}: a hierarchy file may have at most 4 GiB")));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Err(Error::data(format!("{file}:{line}: not UTF-8 text")).advise("save the file as UTF-8"))
        }
    }
}

impl<'t> Cells<'t> {
    /// Reads a text whose delimiter is found by reading it: the first of `;`, tab and comma that
    /// divides at least half of the lines. (`;` comes first since intervals contain commas.)
    pub(super) fn detect(text: &'t str) -> Self {
        let divides = |delimiter: &char| {
            let mut cells = Cells { rest: text, line: 1, delimiter: *delimiter };
            let (mut lines, mut divided, mut found) = (0_usize, 0_usize, Vec::new());
            while let Ok(Some(_)) = cells.next(&mut found, "") {
                lines += usize::from(found.iter().any(|cell| !cell.is_empty()));
                divided += usize::from(found.len() > 1);
            }
            divided > 0 && divided * 2 >= lines
        };
        let delimiter = [';', '\t', ','].into_iter().find(divides).unwrap_or(';');
        Cells { rest: text, line: 1, delimiter }
    }

    /// The delimiter in use.
    pub(super) fn delimiter(&self) -> char {
        self.delimiter
    }

    /// Puts the cells of the next line into `cells` and returns the line's number, `None` at the end.
    pub(super) fn next(&mut self, cells: &mut Vec<Cell<'t>>, file: &str) -> Result<Option<u32>> {
        cells.clear();
        if self.rest.is_empty() {
            return Ok(None);
        }
        let line = self.line;
        loop {
            let cell = match self.rest.strip_prefix('"') {
                Some(inside) => self.quoted(inside, line, file)?,
                None => self.plain(),
            };
            cells.push(cell);
            let Some(mark) = self.rest.chars().next() else { return Ok(Some(line)) };
            if mark == self.delimiter {
                self.rest = &self.rest[mark.len_utf8()..];
                continue;
            }
            let ending = if self.rest.starts_with("\r\n") { 2 } else { 1 };
            self.rest = &self.rest[ending..];
            self.line += 1;
            return Ok(Some(line));
        }
    }

    fn plain(&mut self) -> Cell<'t> {
        let end = self.rest.find([self.delimiter, '\n', '\r']).unwrap_or(self.rest.len());
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Cell { text: Cow::Borrowed(text), quoted: false }
    }

    fn quoted(&mut self, inside: &'t str, line: u32, file: &str) -> Result<Cell<'t>> {
        let mut text = String::new();
        let mut rest = inside;
        loop {
            let Some(quote) = rest.find('"') else {
                return Err(Error::data(format!("{file}:{line}: a quote is opened and never closed")));
            };
            text.push_str(&rest[..quote]);
            rest = &rest[quote + 1..];
            match rest.strip_prefix('"') {
                Some(after) => {
                    text.push('"');
                    rest = after;
                }
                None => break,
            }
        }
        self.line += text.matches('\n').count() as u32;
        self.rest = rest;
        if !rest.is_empty() && !rest.starts_with([self.delimiter, '\n', '\r']) {
            return Err(Error::data(format!(
                "{file}:{}: text follows a closing quote; a quote inside a quoted cell is doubled",
                self.line
            )));
        }
        Ok(Cell { text: Cow::Owned(text), quoted: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Result<Vec<(u32, Vec<String>)>> {
        let (mut cells, mut found, mut lines) = (Cells::detect(text), Vec::new(), Vec::new());
        while let Some(line) = cells.next(&mut found, "f.csv")? {
            lines.push((line, found.iter().map(|cell| cell.text.to_string()).collect()));
        }
        Ok(lines)
    }

    fn owned(line: u32, cells: &[&str]) -> (u32, Vec<String>) {
        (line, cells.iter().map(|cell| (*cell).to_string()).collect())
    }

    #[test]
    fn delimiters_and_line_ends() {
        let expected = vec![owned(1, &["a", "b"]), owned(2, &["c", "d", "e"])];
        assert_eq!(all("a;b\nc;d;e\n").unwrap(), expected);
        assert_eq!(all("a\tb\r\nc\td\te").unwrap(), expected);
        assert_eq!(all("a,b\rc,d,e\r").unwrap(), expected);
        let intervals = all("[1,5);[1,9)\n[5,9);[1,9)\n[9,9]").unwrap();
        assert_eq!(intervals[0], owned(1, &["[1,5)", "[1,9)"]), "a line without parent does not mislead");
        assert_eq!(all("").unwrap(), []);
        assert_eq!(all("\n\na;b").unwrap(), [owned(1, &[""]), owned(2, &[""]), owned(3, &["a", "b"])]);
    }

    #[test]
    fn quotes() {
        assert_eq!(
            all("\"a;\"\"b\"\"\";\"two\nlines\"\nc;d").unwrap(),
            [owned(1, &["a;\"b\"", "two\nlines"]), owned(3, &["c", "d"])]
        );
        assert_eq!(all("5\" pipe;x").unwrap(), [owned(1, &["5\" pipe", "x"])]);
        assert!(all("a;b\nc;\"d").unwrap_err().to_string().contains("f.csv:2: a quote is opened"));
        assert!(all("a;b\n\"c\"d;e").unwrap_err().to_string().contains("f.csv:2: text follows"));
    }

    #[test]
    fn bytes_must_be_utf8() {
        assert_eq!(decode("\u{feff}a;b".as_bytes(), "f").unwrap(), "a;b");
        assert!(decode(b"a;b\n\xff;c", "f.csv").unwrap_err().to_string().contains("f.csv:2: not UTF-8"));
    }
}
