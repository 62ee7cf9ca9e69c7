//! Files of other programs that are not tables Scumble can read. They are recognised by their first bytes, so that the message
//! can name them.

use crate::error::Error;

/// A kind of file that Scumble cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
    /// Excel, as `.xlsx`, `.xlsm` or `.xlsb`.
    Excel,
    /// OpenDocument, `.ods`.
    OpenDocument,
    /// The container of old Office files, most often `.xls`; workbooks with a password use it as well.
    OldOffice,
    /// SPSS, `.sav`.
    Spss,
    /// Stata, `.dta`.
    Stata,
    /// SAS, `.sas7bdat`.
    Sas,
    /// SQLite.
    Sqlite,
    /// PDF.
    Pdf,
    /// Any other ZIP archive.
    Zip,
}

const OLE: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
/// The bytes that follow twelve zero bytes in a SAS data set.
const SAS: &[u8] = &[0xc2, 0xea, 0x81, 0x60];

impl Foreign {
    /// Recognises by its first bytes a kind of file that cannot be read.
    pub(crate) fn recognise(first: &[u8]) -> Option<Self> {
        let holds = |name: &[u8]| memchr::memmem::find(first, name).is_some();
        let is_stata = |first: &[u8]| {
            first.starts_with(b"<stata_dta>") || matches!(first, [0x71..=0x73, 1 | 2, 1, 0, ..])
        };
        Some(match first {
            // An archive stores the names of its files uncompressed.
            zip if zip.starts_with(b"PK\x03\x04") && holds(b"opendocument.spreadsheet") => Self::OpenDocument,
            zip if zip.starts_with(b"PK\x03\x04") && holds(b"xl/") => Self::Excel,
            zip if zip.starts_with(b"PK\x03\x04") => Self::Zip,
            old if old.starts_with(OLE) => Self::OldOffice,
            spss if spss.starts_with(b"$FL2@(#)") || spss.starts_with(b"$FL3@(#)") => Self::Spss,
            stata if is_stata(stata) => Self::Stata,
            sas if sas.starts_with(&[0; 12]) && sas[12..].starts_with(SAS) => Self::Sas,
            database if database.starts_with(b"SQLite format 3\0") => Self::Sqlite,
            pdf if pdf.starts_with(b"%PDF-") => Self::Pdf,
            _ => return None,
        })
    }

    /// The error of a file of this kind.
    pub(crate) fn error(self, name: &str) -> Error {
        let saved_by = |program: &str| {
            format!("export the table as CSV (UTF-8) or Parquet in {program}, and give that file")
        };
        let excel = "save the sheet as CSV in Excel (File, Save As, 'CSV UTF-8 (Comma delimited)'), and give that file";
        let (what, advice) = match self {
            Self::Excel => ("an Excel workbook, and Scumble cannot read workbooks yet", excel.to_owned()),
            Self::OldOffice => (
                "an Excel workbook of the old format (.xls), or one with a password, and Scumble cannot read workbooks yet",
                excel.to_owned(),
            ),
            Self::OpenDocument => (
                "an OpenDocument spreadsheet (.ods), and Scumble cannot read workbooks yet",
                "save the sheet as CSV in LibreOffice (File, Save As, 'Text CSV', character set UTF-8), and give that file"
                    .to_owned(),
            ),
            Self::Spss => ("an SPSS data file, and Scumble cannot read it", saved_by("SPSS")),
            Self::Stata => ("a Stata data file, and Scumble cannot read it", saved_by("Stata")),
            Self::Sas => ("a SAS data set, and Scumble cannot read it", saved_by("SAS")),
            Self::Sqlite => {
                ("an SQLite database, and Scumble cannot read it", saved_by("a program that reads it"))
            }
            Self::Pdf => ("a PDF document, not a table", "give the table that it was made from".to_owned()),
            Self::Zip => ("a ZIP archive, and Scumble cannot read it", "unpack it, and give the table in it".to_owned()),
        };
        Error::data(format!("'{name}' is {what}")).advise(advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_recognised() {
        let zip = |inside: &str| [b"PK\x03\x04\x14\0\x06\0", inside.as_bytes()].concat();
        let sas = [&[0; 12][..], SAS, &[0xb3, 0x14]].concat();
        for (bytes, expected) in [
            (zip("[Content_Types].xml ... xl/workbook.xml"), Foreign::Excel),
            (zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"), Foreign::OpenDocument),
            (zip("people.csv"), Foreign::Zip),
            ([OLE, &[0; 16]].concat(), Foreign::OldOffice),
            (b"$FL2@(#) SPSS DATA FILE".to_vec(), Foreign::Spss),
            (b"<stata_dta><header>".to_vec(), Foreign::Stata),
            (vec![0x72, 2, 1, 0, 5], Foreign::Stata),
            (sas, Foreign::Sas),
            (b"SQLite format 3\0\x10".to_vec(), Foreign::Sqlite),
            (b"%PDF-1.7\n".to_vec(), Foreign::Pdf),
        ] {
            assert_eq!(Foreign::recognise(&bytes), Some(expected));
        }
        for table in ["PK,a\n1,2\n", "$FL2,b\n1,2\n", "rs,t\n", "", "%PDF,b\n"] {
            assert_eq!(Foreign::recognise(table.as_bytes()), None, "{table}");
        }
    }

    #[test]
    fn the_message_says_what_to_do() {
        let message = Foreign::Excel.error("people.xlsx").to_string();
        assert!(
            message.starts_with(
                "'people.xlsx' is an Excel workbook, and Scumble cannot read workbooks yet; save"
            )
        );
    }
}
