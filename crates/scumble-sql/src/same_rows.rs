//! Whether a database holds the rows that it was sent. A database may change rows on their way in, in a manner that leaves them true and makes them
//! coarser. What the report and the datasheet say of a release would not be so of them.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read, Seek, Write};

use scumble_files::database::{Address, Created, NewTable};
use scumble_files::{Control, Error};

use crate::Result;

/// Makes a table, and remembers which rows it was sent.
pub(crate) fn watched(
    target: &Address,
    table: NewTable<'_>,
    control: &Control,
    create: impl FnOnce(NewTable<'_>) -> Result<Box<dyn Created>>,
) -> Result<Box<dyn Created>> {
    let keys = RandomState::new();
    let mut sent = Rows::new(keys.clone());
    let unread = |error| Error::io("cannot read a temporary file", error);
    let mut part = vec![0; 1 << 20];
    loop {
        control.check()?;
        match table.rows.read(&mut part) {
            Ok(0) => break,
            Ok(count) => sent.take(&part[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unread(error)),
        }
    }
    table.rows.rewind().map_err(unread)?;
    Ok(Box::new(Watched { created: create(table)?, name: target.name(), sent: sent.sum, keys }))
}

/// A table of which it is known which rows it was sent.
struct Watched {
    created: Box<dyn Created>,
    name: String,
    sent: u128,
    keys: RandomState,
}

impl Created for Watched {
    fn export(&mut self, out: &mut dyn Write, control: &Control) -> Result<()> {
        let mut tee = Tee { out, rows: Rows::new(self.keys.clone()) };
        self.created.export(&mut tee, control)?;
        if tee.rows.sum == self.sent {
            return Ok(());
        }
        Err(Error::verification(format!(
            "'{}': the database holds other rows than those that it was sent; nothing was published",
            self.name
        ))
        .advise("look for triggers, event triggers, rules and row-level security that touch new tables, and choose a schema without them")
        .advise("write the release to a file"))
    }

    fn commit(self: Box<Self>) -> Result<()> {
        self.created.commit()
    }

    fn notes(&self) -> Vec<String> {
        self.created.notes()
    }
}

/// Hands on what is written, and counts its rows.
struct Tee<'a> {
    out: &'a mut dyn Write,
    rows: Rows,
}

impl Write for Tee<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.rows.take(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// The sum of the rows of delimited text, under keys that nobody knows. It does not depend on their order, nor on which cells are quoted. Other
/// rows have the same sum with a chance of about one in 2⁶⁴.
struct Rows {
    keys: RandomState,
    sum: u128,
    row: Vec<u8>,
    quoted: bool,
    /// Whether the last byte was a quote inside a quoted cell: it ends the cell, or the next one is a quote as well.
    after_quote: bool,
}

/// What stands between the cells of a row. It is in no text.
const BETWEEN: u8 = 0xFF;

impl Rows {
    fn new(keys: RandomState) -> Self {
        Self { keys, sum: 0, row: Vec::new(), quoted: false, after_quote: false }
    }

    /// Takes the next bytes of the text.
    fn take(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let after_quote = std::mem::take(&mut self.after_quote);
            match byte {
                b'"' if after_quote => {
                    self.row.push(b'"');
                    self.quoted = true;
                }
                b'"' if self.quoted => (self.quoted, self.after_quote) = (false, true),
                b'"' => self.quoted = true,
                byte if self.quoted => self.row.push(byte),
                b',' => self.row.push(BETWEEN),
                b'\r' => {}
                b'\n' => {
                    self.sum = self.sum.wrapping_add(u128::from(self.keys.hash_one(&self.row)));
                    self.row.clear();
                }
                byte => self.row.push(byte),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_and_not_their_order_nor_their_quotes() {
        let keys = RandomState::new();
        let sum = |parts: &[&str]| {
            let mut rows = Rows::new(keys.clone());
            parts.iter().for_each(|part| rows.take(part.as_bytes()));
            rows.sum
        };
        let table = sum(&["a,b\n1,\"x, \"\"y\"\"\n\"\n2,\n2,\n"]);
        for same in [
            &["a,b\n2,\n1,\"x, \"\"y\"\"\n\"\n2,\n"][..],
            &["\"a\",b\n2,\"\"\n2,\n\"1\",\"x, \"\"y\"\"\n\"\n"],
            &["a,b\r\n1,\"x, \"", "\"y\"\"\n", "\"\r\n2,\r\n2,\r\n"],
        ] {
            assert_eq!(sum(same), table, "{same:?}");
        }
        for other in [
            "a,b\n1,\"x, \"\"y\"\"\n\"\n2,\n",
            "a,b\n1,\"x, \"\"y\"\"\n\"\n2,\n2,\n2,\n",
            "a,b\n1,\"x, y\n\"\n2,\n2,\n",
            "a,b\n1,\"x, \"\"y\"\"\n\"\n2\n2\n",
            "b,a\n1,\"x, \"\"y\"\"\n\"\n2,\n2,\n",
        ] {
            assert_ne!(sum(&[other]), table, "{other}");
        }
    }
}
