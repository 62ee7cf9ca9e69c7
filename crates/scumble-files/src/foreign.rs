//! Files of other programs that are not tables Scumble can read. They are recognised by their content, so that the message can name
//! them.

use crate::error::Error;

/// A kind of file that Scumble cannot read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Foreign {
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
    /// A ZIP archive that holds no workbook.
    Zip,
}

/// The bytes that follow twelve zero bytes in a SAS data set.
const SAS: &[u8] = &[0xc2, 0xea, 0x81, 0x60];

impl Foreign {
    /// Recognises by its first bytes a kind of file that cannot be read.
    pub(crate) fn recognise(first: &[u8]) -> Option<Self> {
        let is_stata = |first: &[u8]| {
            first.starts_with(b"<stata_dta>") || matches!(first, [0x71..=0x73, 1 | 2, 1, 0, ..])
        };
        Some(match first {
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
        let converted = |program: &str| {
            format!(
                "export the table as CSV or Parquet in {program}, with its value labels; the guide says how (Files of statistics packages)"
            )
        };
        let (what, advice) = match self {
            Self::Spss => ("an SPSS data file, and Scumble cannot read it", converted("SPSS, R or Python")),
            Self::Stata => ("a Stata data file, and Scumble cannot read it", converted("Stata, R or Python")),
            Self::Sas => ("a SAS data set, and Scumble cannot read it", converted("SAS, R or Python")),
            Self::Sqlite => {
                let advice = "give the database's own file by its name";
                (
                    "an SQLite database, which cannot be read from a pipe or a compressed file",
                    advice.to_owned(),
                )
            }
            Self::Pdf => ("a PDF document, not a table", "give the table that it was made from".to_owned()),
            Self::Zip => (
                "a ZIP archive, and Scumble cannot read it",
                "unpack it, and give the table in it".to_owned(),
            ),
        };
        Error::data(format!("'{name}' is {what}")).advise(advice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_programs_are_recognised() {
        let sas = [&[0; 12][..], SAS, &[0xb3, 0x14]].concat();
        for (bytes, expected) in [
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
        let message = Foreign::Spss.error("people.sav").to_string();
        assert!(
            message.starts_with("'people.sav' is an SPSS data file, and Scumble cannot read it; export"),
            "{message}"
        );
    }
}
