//! Where the rows of a database go: an unnamed file that only the owner can read.

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};

use crate::control::Control;
use crate::error::Result;
use crate::limits::Allowance;

use super::{Address, Created, driver, unwritten};

/// A writer into such a file that stops where the table is larger than allowed, or somebody asks it to.
pub(crate) struct Spool<'a> {
    out: BufWriter<File>,
    name: &'a str,
    allowance: Allowance,
    left: u64,
    control: &'a Control,
}

/// The bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// Reads what a database holds of a table that it has just made, into an unnamed file that only the owner can read.
pub fn read_back(created: &mut dyn Created, name: &str, control: &Control) -> Result<File> {
    Spool::new(name, Allowance::new(None), control)?.filled(|out| created.export(out, control))
}

impl<'a> Spool<'a> {
    /// The table at an address.
    pub(crate) fn of(address: &Address, allowance: Allowance, control: &'a Control) -> Result<File> {
        let name = address.name();
        Spool::new(&name, allowance, control)?.filled(|out| driver()?.export(address, out, control))
    }

    fn new(name: &'a str, allowance: Allowance, control: &'a Control) -> Result<Self> {
        let file = tempfile::tempfile().map_err(unwritten)?;
        Ok(Self {
            out: BufWriter::with_capacity(BUFFER, file),
            name,
            allowance,
            left: allowance.bytes,
            control,
        })
    }

    fn filled(mut self, fill: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<File> {
        fill(&mut self)?;
        let mut file = self.out.into_inner().map_err(|error| unwritten(error.into_error()))?;
        file.rewind().map_err(unwritten)?;
        Ok(file)
    }
}

impl Write for Spool<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or_else(|| io::Error::other(self.allowance.passed(self.name)))?;
        if self.out.buffer().len() + bytes.len() >= BUFFER {
            self.control.check().map_err(io::Error::other)?;
        }
        self.out.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
