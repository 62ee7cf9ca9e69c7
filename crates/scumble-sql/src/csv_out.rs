//! Rows as delimited text, cell by cell.

use std::io::{self, Write};

/// Writes rows of a known number of columns.
pub(crate) struct CsvOut<'a> {
    out: &'a mut dyn Write,
    columns: usize,
    /// The row that is being put together.
    row: Vec<u8>,
    cells: usize,
}

impl<'a> CsvOut<'a> {
    /// Begins with the names of the columns.
    pub(crate) fn begin<'n>(
        out: &'a mut dyn Write,
        names: impl ExactSizeIterator<Item = &'n str>,
    ) -> io::Result<Self> {
        let mut csv = Self { out, columns: names.len(), row: Vec::new(), cells: 0 };
        for name in names {
            csv.cell(name.as_bytes())?;
        }
        Ok(csv)
    }

    /// Writes the next cell, and the row with its last one.
    pub(crate) fn cell(&mut self, text: &[u8]) -> io::Result<()> {
        let row = &mut self.row;
        let is_plain = |byte: &u8| !matches!(byte, b',' | b'"' | b'\r' | b'\n');
        // An empty line is no row, so an only cell is always quoted where it is empty.
        if text.iter().all(is_plain) && !(text.is_empty() && self.columns == 1) {
            row.extend_from_slice(text);
        } else {
            row.push(b'"');
            for &byte in text {
                row.extend_from_slice(if byte == b'"' { b"\"\"" } else { std::slice::from_ref(&byte) });
            }
            row.push(b'"');
        }
        self.cells += 1;
        if self.cells < self.columns {
            row.push(b',');
            return Ok(());
        }
        row.push(b'\n');
        self.cells = 0;
        self.out.write_all(row)?;
        row.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(columns: &[&str], cells: &[&str]) -> String {
        let mut out = Vec::new();
        let mut csv = CsvOut::begin(&mut out, columns.iter().copied()).unwrap();
        cells.iter().for_each(|cell| csv.cell(cell.as_bytes()).unwrap());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        assert_eq!(
            written(&["a", "b,c"], &["", "x y", "1\n2", "say \"x\""]),
            "a,\"b,c\"\n,x y\n\"1\n2\",\"say \"\"x\"\"\"\n"
        );
        assert_eq!(written(&["a"], &["", "1"]), "a\n\"\"\n1\n");
    }
}
