//! Codes in place of values: equal values have equal codes, and only who has the key can make them.

use rayon::prelude::*;
use scumble_files::table::CodedColumn;

use super::keyed::{Project, name};
use super::values::{each_value, present};
use super::{BuildTransform, CodeSpace, Facts, Given, Made, StepTruth, Transform};
use crate::base::entry::{Entry, Standing};
use crate::base::key::Keyed;
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "pseudonym",
    title: "Pseudonyms",
    paper: "HMAC, RFC 2104; HKDF, RFC 5869",
    standing: Standing::Recommended,
    about: "Shows a code in place of a value, such as a patient number. Equal values have equal codes. Codes are made with a secret key: \
            nobody without it can say whose code it is, or try values until one fits. A code of a person links all rows of that person.",
    parameters: &[
        ("project", "the name of the study: other projects have other codes"),
        (
            "domain",
            "what the values are, such as patient (the column's name); columns of one domain have the same codes",
        ),
        ("length", "the characters of a code, from 10 to 51 (16)"),
        (
            "linkable",
            "release (default): every release has codes of its own; project: a value has one code in all releases of the project",
        ),
        ("normalise", "what is done to values first: trim (default), lower, digits, or several as a list"),
        ("release_id", "makes the codes of that release again; saved recodings have it"),
        ("key_id", "refuses any other key; saved recodings have it"),
    ],
    build: |parameters| Ok(Box::new(Pseudonym::new(parameters)?)),
};

/// What separates the uses of a key.
const SALT: &str = "scumble/pseudonym/1";

/// Crockford's base 32, which has no letters that look like digits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The most characters of 5 bits that 256 bits give.
const LONGEST: u64 = 51;

/// The parts of a text that make two texts one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Normalise {
    Trim,
    Lower,
    Digits,
}

struct Pseudonym {
    project: Project,
    domain: Option<String>,
    length: usize,
    /// Whether codes are the same in all releases of the project.
    lasting: bool,
    normalise: Vec<Normalise>,
    release: Option<[u8; 16]>,
}

impl Pseudonym {
    fn new(parameters: &Parameters) -> Result<Self> {
        let project = Project::new(parameters)?;
        let length = match parameters.whole("length", 10)?.unwrap_or(16) {
            length if length <= LONGEST => length as usize,
            _ => {
                let error = Error::config(format_args!("length is from 10 to {LONGEST} characters"));
                return Err(parameters.placed("length", error));
            }
        };
        let lasting = parameters.choice("linkable", &["release", "project"])? == Some("project");
        let release = parameters.text("release_id")?.map(|text| {
            let error = || {
                Error::config(
                    "release_id has 32 hexadecimal digits, as a report or a saved recoding shows them",
                )
            };
            release_id(text).ok_or_else(|| parameters.placed("release_id", error()))
        });
        Ok(Self {
            project,
            domain: name(parameters, "domain")?,
            length,
            lasting,
            normalise: normalise(parameters)?,
            release: release.transpose()?,
        })
    }

    /// A value as it enters its code.
    fn normal(&self, text: &str) -> String {
        self.normalise.iter().fold(text.to_owned(), |text, how| match how {
            Normalise::Trim => text.trim().to_owned(),
            Normalise::Lower => text.to_lowercase(),
            Normalise::Digits => text.chars().filter(char::is_ascii_digit).collect(),
        })
    }

    /// Returns an error if so many values are likely to share a code: with n values and L characters the chance is n²/2^(5L+1), and it may be
    /// one in a million.
    fn check_length(&self, values: u64) -> Result<()> {
        let likely = |length: usize| {
            let room = 1_u128.checked_shl(5 * length as u32 + 1).unwrap_or(u128::MAX);
            u128::from(values) * u128::from(values) * 1_000_000 > room
        };
        if !likely(self.length) {
            return Ok(());
        }
        let enough = (self.length..).find(|length| !likely(*length)).unwrap_or(LONGEST as usize);
        Err(Error::config(format_args!(
            "codes of {} characters are too short for so many values: two could share one",
            self.length
        ))
        .advise(format!("make codes longer: length = {enough}")))
    }
}

/// How values are made alike before they get a code.
fn normalise(parameters: &Parameters) -> Result<Vec<Normalise>> {
    let Some(names) = parameters.texts("normalise")? else { return Ok(vec![Normalise::Trim]) };
    let known = [("trim", Normalise::Trim), ("lower", Normalise::Lower), ("digits", Normalise::Digits)];
    let find = |name: &str| known.iter().find(|(of, _)| *of == name).map(|(_, how)| *how);
    let found: Option<Vec<Normalise>> = names.into_iter().map(find).collect();
    found.ok_or_else(|| {
        parameters.placed("normalise", Error::config("normalise is trim, lower or digits, or a list of them"))
    })
}

/// The bytes of a release's id.
fn release_id(text: &str) -> Option<[u8; 16]> {
    let is_id = text.len() == 32 && text.bytes().all(|sign| sign.is_ascii_hexdigit());
    is_id.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(u128::to_be_bytes)
}

/// The code of a value.
fn code(keyed: &Keyed, domain: &str, value: &str, length: usize) -> String {
    let bytes = keyed.of(&[&(domain.len() as u32).to_be_bytes(), domain.as_bytes(), value.as_bytes()]);
    let bit = |place: usize| bytes[place / 8] >> (7 - place % 8) & 1;
    let sign = |place: usize| (0..5).fold(0, |sign, next| sign << 1 | bit(5 * place + next));
    (0..length).map(|place| char::from(ALPHABET[usize::from(sign(place))])).collect()
}

impl Transform for Pseudonym {
    fn facts(&self) -> Facts {
        Facts { truth: StepTruth::Pseudonym, needs_chance: !self.lasting, needs_key: true, ..Facts::DERIVED }
    }

    fn words(&self) -> String {
        let where_same = if self.lasting { ", also in other releases of the project" } else { "" };
        format!(
            "codes in place of values, made with a secret key; equal codes stand for equal values{where_same}"
        )
    }

    fn codes(&self, column: &str) -> Option<CodeSpace> {
        let name = |how: &Normalise| match how {
            Normalise::Trim => "trim",
            Normalise::Lower => "lower",
            Normalise::Digits => "digits",
        };
        let normalise: Vec<&str> = self.normalise.iter().map(name).collect();
        Some(CodeSpace {
            domain: self.domain.clone().unwrap_or_else(|| column.to_owned()),
            settings: vec![
                ("project", self.project.name.clone()),
                ("length", self.length.to_string()),
                ("linkable", if self.lasting { "project" } else { "release" }.to_owned()),
                ("normalise", normalise.join(", ")),
            ],
        })
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let (key, key_id) = self.project.key(given)?;
        let mut info = self.project.name.as_bytes().to_vec();
        let mut settled = vec![("key_id", Value::from(key_id.as_str()))];
        if !self.lasting {
            let id = self.release.map_or_else(|| (given.release)(), Ok)?;
            info.push(0x1f);
            info.extend(id);
            settled.push(("release_id", Value::from(format!("{:032x}", u128::from_be_bytes(id)).as_str())));
        }
        let keyed = key.derive(SALT, &info)?.function()?;
        let domain = self.domain.as_deref().unwrap_or(&column.name);
        let values = self.values(given, column);
        self.check_length(values).map_err(|error| error.in_column(&column.name))?;
        let made = each_value(given, column, |text| match self.normal(text) {
            normal if normal.is_empty() => Err("has nothing left of which a code could be made (normalise)"),
            normal => Ok(code(&keyed, domain, &normal, self.length)),
        })?;
        self.check_codes(given, column, &made, values)?;
        let lasting = format!(
            "the codes of '{}' are the same in all releases of the project, so anybody can join rows of different releases",
            column.name
        );
        let warnings = if self.lasting { vec![lasting] } else { Vec::new() };
        Ok(Made { settled, warnings, ..Made::of(made) })
    }
}

impl Pseudonym {
    /// How many different values get a code.
    fn values(&self, given: &Given<'_>, column: &CodedColumn) -> u64 {
        let mut normal: Vec<String> =
            present(given, column).into_par_iter().map(|(_, text)| self.normal(text)).collect();
        normal.par_sort_unstable();
        normal.dedup();
        normal.len() as u64
    }

    /// Returns an error if two values have one code, or if a code is a value.
    fn check_codes(
        &self,
        given: &Given<'_>,
        column: &CodedColumn,
        made: &CodedColumn,
        values: u64,
    ) -> Result<()> {
        let codes = made.values.iter().filter(|text| !given.is_missing(column, text));
        if (codes.clone().count() as u64) < values {
            let longer = (self.length + 4).min(LONGEST as usize);
            return Err(Error::data("two values have the same code")
                .in_column(&column.name)
                .advise(format!("make codes longer: length = {longer}")));
        }
        let is_value = |code: &str| column.values.find_sorted(code).is_some();
        match codes.into_iter().any(is_value) {
            false => Ok(()),
            true => Err(Error::data("a code is also a value of the column, and would be taken for it")
                .in_column(&column.name)
                .advise("give the step another domain or length")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    const PROJECT: (&str, &str) = ("project", "clinic-2026");
    const LASTING: (&str, &str) = ("linkable", "project");

    fn codes(given: &[(&str, &str)], texts: &[&str]) -> Vec<String> {
        made(&ENTRY, &[&[PROJECT, LASTING], given].concat(), texts).expect("codes")
    }

    /// The specification's vectors (transforms.md 1.9).
    #[test]
    fn codes_of_the_specification() {
        let patients = codes(&[("domain", "patient")], &["p-001", "p-002", "P-001", "NA", " p-001 "]);
        assert_eq!(
            patients,
            ["vjf90znt4s58a949", "jyjzs1wsfw107j5k", "e24t83czha0cv9q0", "NA", "vjf90znt4s58a949"]
        );
        assert_eq!(codes(&[("domain", "visit")], &["p-001"]), ["z7fzdvtssaxnv50j"]);
        // Longer codes begin like shorter ones.
        assert_eq!(codes(&[("domain", "patient"), ("length", "10")], &["p-001"]), ["vjf90znt4s"]);
        let longest = codes(&[("domain", "patient"), ("length", "51")], &["p-001"]).remove(0);
        assert!(longest.len() == 51 && longest.starts_with("vjf90znt4s58a949"));
    }

    #[test]
    fn values_are_made_alike() {
        let same = |normalise: &str, texts: &[&str]| {
            let codes = codes(&[("normalise", normalise)], texts);
            codes.iter().all(|code| *code == codes[0])
        };
        assert!(same("trim", &["a", " a ", "a"]) && !same("trim", &["a", "A"]));
        assert!(same("[trim, lower]", &["a", " A"]) && !same("lower", &["a", " a"]));
        assert!(same("digits", &["12-34", "12 34", "1234"]) && !same("digits", &["12", "21"]));
    }

    #[test]
    fn every_release_has_codes_of_its_own() {
        let of = |given: &[(&str, &str)]| {
            run(&ENTRY, &[&[PROJECT], given].concat(), &[&["p-001", "p-002"]], &[], false).expect("codes")
        };
        let text = |made: &Made, name: &str| {
            made.settled.iter().find(|(of, _)| *of == name).map(|(_, value)| value.to_text().into_owned())
        };
        let first = of(&[]);
        let id = text(&first, "release_id").expect("an id");
        assert_eq!(id.len(), 32);
        assert!(text(&first, "key_id").is_some_and(|id| id.len() == 16));
        assert_eq!(rows(&of(&[("release_id", &id)])), rows(&first));
        assert_ne!(rows(&of(&[("release_id", "000102030405060708090a0b0c0d0e0f")])), rows(&first));
        assert_ne!(rows(&of(&[LASTING])), rows(&first));
        assert!(
            of(&[]).warnings.is_empty()
                && of(&[LASTING]).warnings[0].contains("join rows of different releases")
        );
    }

    #[test]
    fn codes_differ_between_domains_and_projects() {
        let one = codes(&[("domain", "a")], &["1"]);
        assert_ne!(codes(&[("domain", "b")], &["1"]), one);
        let other = made(&ENTRY, &[("project", "other"), LASTING, ("domain", "a")], &["1"]).expect("codes");
        assert_ne!(other, one);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &[(&str, &str)], texts: &[&str]| {
            made(&ENTRY, &[&[PROJECT, LASTING], given].concat(), texts).expect_err("wrong")
        };
        assert!(made(&ENTRY, &[], &["a"]).expect_err("no project").contains("project = \"…\""));
        assert!(message(&[("length", "9")], &["a"]).contains("at least 10"));
        assert!(message(&[("length", "52")], &["a"]).contains("from 10 to 51"));
        assert!(message(&[("normalise", "upper")], &["a"]).contains("trim, lower or digits"));
        assert!(message(&[("normalise", "digits")], &["1", "a"]).contains("row 2"));
        assert!(message(&[("linkable", "ever")], &["a"]).contains("one of release, project"));
        assert!(message(&[("release_id", "xyz")], &["a"]).contains("32 hexadecimal digits"));
        assert!(
            message(&[("key_id", "0123456789abcdef")], &["a"])
                .contains("begun with the key 0123456789abcdef")
        );
        assert!(message(&[("project", "\u{1f}")], &["a"]).contains("control characters"));
        // A value that is the code of another.
        assert!(message(&[("domain", "patient")], &["p-001", "vjf90znt4s58a949"]).contains("also a value"));
    }

    /// 10⁶ values with 10 characters: 10¹²/2⁵¹ = 4·10⁻⁴ is too likely; with 12 it is 4·10⁻⁷.
    #[test]
    fn codes_are_long_enough_for_the_values() {
        let of_length = |length: &str| {
            let given = super::super::testing::parameters(&[PROJECT, ("length", length)]);
            Pseudonym::new(&given).expect("a step")
        };
        let error = of_length("10").check_length(1_000_000).expect_err("too short").to_string();
        assert!(error.contains("length = 12"), "{error}");
        assert!(of_length("11").check_length(1_000_000).is_err());
        assert!(of_length("12").check_length(1_000_000).is_ok());
        assert!(
            of_length("10").check_length(47_000).is_ok() && of_length("10").check_length(48_000).is_err()
        );
        assert!(of_length("51").check_length(u64::from(u32::MAX)).is_ok());
    }
}
