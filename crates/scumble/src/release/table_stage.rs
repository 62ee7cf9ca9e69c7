//! A release on its way into a table of a database. The table is made and filled in a transaction, and read back in it; what was read back is
//! verified. Committing is all that is left to do then.

use std::fs::File;
use std::io::Seek;

use scumble_files::database::{self, Address, Created, NewTable, read_back, typed_columns};
use scumble_files::{Control, OutColumn, PrivateFile, WriteOptions, write_table};

use crate::error::{Error, Result};

/// A table that nobody else can see yet.
pub(super) struct TableStage {
    address: Address,
    created: Option<Box<dyn Created>>,
    /// What the database holds of it, as it was read back.
    back: Option<File>,
}

impl TableStage {
    pub(super) fn of(address: &Address) -> Self {
        Self { address: address.clone(), created: None, back: None }
    }

    /// The name in messages.
    pub(super) fn name(&self) -> String {
        self.address.name()
    }

    /// Makes the table. It may take the place of one that is there if `replace` is true.
    pub(super) fn write(
        &mut self,
        columns: &[OutColumn<'_>],
        order: &[u32],
        options: &WriteOptions<'_>,
        replace: bool,
    ) -> Result<()> {
        let mut rows = PrivateFile::spool()?;
        write_table(rows.file(), columns, order, options)?;
        let typed = typed_columns(columns, order);
        let rows = rows.file();
        rows.rewind().map_err(|source| Error::io("cannot read a temporary file", source))?;
        let table = NewTable { columns: &typed, rows, replace };
        self.created = Some(database::driver()?.create(&self.address, table, options.control)?);
        Ok(())
    }

    /// Reads the table back.
    pub(super) fn read_back(&mut self, control: &Control) -> Result<File> {
        let name = self.name();
        let created = self.created.as_mut().ok_or_else(|| Error::internal("nothing was written"))?;
        let back = read_back(&mut **created, &name, control)?;
        let again = back.try_clone().map_err(|source| Error::io("cannot read back", source));
        self.back = Some(back);
        again
    }

    /// What the user should know about the table.
    pub(super) fn notes(&self) -> Vec<String> {
        self.created.as_ref().map(|created| created.notes()).unwrap_or_default()
    }

    /// The SHA-256 of the rows that were verified.
    pub(super) fn sha256(&mut self) -> Result<String> {
        let back = self.back.as_mut().ok_or_else(|| Error::internal("nothing was verified"))?;
        scumble_files::sha256(back).map_err(|source| Error::io("cannot read back", source))
    }

    /// Lets everybody see the table who may.
    pub(super) fn commit(self) -> Result<()> {
        match (self.created, self.back) {
            (Some(created), Some(_)) => created.commit(),
            _ => Err(Error::internal("a table was to be published that nobody has verified")),
        }
    }
}
