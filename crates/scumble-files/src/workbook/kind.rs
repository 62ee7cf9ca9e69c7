//! Which kind of workbook a file is, by its content.

use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _};

use memchr::memmem;
use zip::ZipArchive;

use super::flaws::{self, Told};
use crate::decoding;
use crate::error::{Error, Result, reading};
use crate::foreign::Foreign;

/// A kind of workbook that can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Office Open XML, `.xlsx` and `.xlsm`.
    Xlsx,
    /// The binary format of Excel 97 to 2003, `.xls`.
    Xls,
    /// OpenDocument, `.ods`.
    Ods,
}

/// A file that holds other files, as all workbooks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Zip,
    /// The container of old Office files.
    Ole,
}

/// What an OpenDocument spreadsheet says it is.
const ODS: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";

impl Container {
    /// Recognises a container by the first bytes of a file.
    pub(crate) fn recognise(first: &[u8]) -> Option<Self> {
        if first.starts_with(b"PK\x03\x04") {
            Some(Self::Zip)
        } else if first.starts_with(&[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]) {
            Some(Self::Ole)
        } else {
            None
        }
    }

    /// Looks into a container. Fails if there is no workbook in it that can be read.
    pub(crate) fn kind(self, name: &str, mut file: &File, first: &[u8]) -> Result<Kind> {
        match self {
            // Which kind of old document it is, is seen when its folder is read.
            Self::Ole => Ok(Kind::Xls),
            Self::Zip => {
                file.rewind().map_err(|error| reading(name, error))?;
                kind_of_zip(name, file, first)
            }
        }
    }
}

fn kind_of_zip(name: &str, file: &File, first: &[u8]) -> Result<Kind> {
    let opened = decoding::caught(|| ZipArchive::new(BufReader::new(file)));
    let Some(Ok(mut archive)) = opened else {
        // The list of files stands at the end. Without it, only the first bytes tell what the file was.
        let holds = |name: &[u8]| memmem::find(first, name).is_some();
        let kind = if holds(ODS) {
            Kind::Ods
        } else if holds(b"xl/") || holds(b"[Content_Types].xml") {
            Kind::Xlsx
        } else {
            return Err(Foreign::Zip.error(name));
        };
        return Err(flaws::cut_off(Told { name, kind }));
    };
    // Programs differ in letters and slashes; the library that reads the workbook takes them for the same.
    let names: Vec<String> = archive
        .file_names()
        .map_while(|name| name.ok())
        .map(|name| name.replace('\\', "/").to_ascii_lowercase())
        .collect();
    let has = |wanted: &str| names.iter().any(|name| name == wanted);
    if has("xl/workbook.bin") {
        return Err(Error::data(format!(
            "'{name}' is a binary Excel workbook (.xlsb), and Scumble cannot read it"
        ))
        .advise("save it in Excel as an Excel workbook (.xlsx), and give that file"));
    }
    if has("xl/workbook.xml") || names.iter().any(|name| name.starts_with("xl/worksheets/")) {
        return Ok(Kind::Xlsx);
    }
    let mut said = Vec::new();
    if let Ok(mimetype) = archive.by_name("mimetype") {
        // What cannot be read is no mimetype.
        let _ = mimetype.take(ODS.len() as u64).read_to_end(&mut said);
    }
    if said == ODS { Ok(Kind::Ods) } else { Err(Foreign::Zip.error(name)) }
}
