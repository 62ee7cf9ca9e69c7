//! A fresh folder in which to run `scumble`, and expectations about its runs.
#![allow(dead_code, reason = "each test file uses its own part of these helpers")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assert_cmd::cargo::CommandCargoExt;
use serde_json::Value;
use tempfile::TempDir;

/// Twelve people. Every cell that is long enough to be recognised appears nowhere else.
pub(crate) const PEOPLE: &str = "\
name,age,sex,postcode,diagnosis,readmitted
Qanna,7031,womanq,81007,influenzaq,noq
Qbert,7032,manq,81011,influenzaq,yesq
Qcleo,7033,womanq,81012,asthmaq,noq
Qdora,7034,womanq,81019,goutq,noq
Qemil,7035,manq,82001,asthmaq,yesq
Qfred,7036,manq,82002,goutq,noq
Qgina,7047,womanq,82003,influenzaq,noq
Qhugo,7048,manq,82004,influenzaq,yesq
Qiris,7049,womanq,83001,asthmaq,noq
Qjoan,7050,womanq,83002,goutq,noq
Qkarl,7051,manq,83003,asthmaq,yesq
Qlara,7052,womanq,83004,goutq,noq
";

/// The roles of [`PEOPLE`], and k = 3.
pub(crate) const ROLES: &[&str] = &[
    "--quasi",
    "age,sex,postcode",
    "--sensitive",
    "diagnosis",
    "--class",
    "readmitted",
    "--identifier",
    "name",
    "--k",
    "3",
    "--l",
    "2",
];

/// Returns a command that runs in this folder.
pub(crate) fn scumble(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("scumble").expect("the binary is built with its tests");
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command.env_remove("SCUMBLE_KEY").env_remove("SCUMBLE_KEY_FILE");
    command
}

/// Joins several lists of arguments.
pub(crate) fn arguments<'a>(lists: &[&[&'a str]]) -> Vec<&'a str> {
    lists.iter().flat_map(|list| list.iter().copied()).collect()
}

/// A fresh folder with the tables of a test.
pub(crate) struct Desk {
    folder: TempDir,
    /// Cells that no message may show.
    secrets: Vec<String>,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().expect("a temporary folder"), secrets: Vec::new() }
    }

    /// Makes a desk with [`PEOPLE`] in `people.csv`.
    pub(crate) fn with_people() -> Self {
        Self::with_table(PEOPLE)
    }

    /// Makes a desk with a table in `people.csv`.
    pub(crate) fn with_table(text: &str) -> Self {
        let mut desk = Self::new();
        desk.table("people.csv", text);
        desk
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file without secrets.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the file");
        std::fs::write(path, bytes).expect("the file is written");
        self
    }

    /// Writes a comma-separated table whose cells no message may show.
    pub(crate) fn table(&mut self, name: &str, text: &str) -> &mut Self {
        self.file(name, text);
        let cells = text.lines().skip(1).flat_map(|line| line.split(','));
        // Shorter cells, such as "1", appear in messages anyway.
        self.secrets
            .extend(cells.map(|cell| cell.trim_matches('"').to_owned()).filter(|cell| cell.len() >= 4));
        self
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("cannot read {name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("the file is UTF-8")
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).expect("the file is JSON")
    }

    pub(crate) fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Returns every file and folder below the desk, including hidden ones.
    pub(crate) fn listing(&self) -> BTreeSet<PathBuf> {
        files_below(self.root())
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        Run::of(scumble(self.root()).args(arguments))
    }

    /// Runs with this standard input.
    pub(crate) fn pipe(&self, input: &[u8], arguments: &[&str]) -> Run {
        let mut command = assert_cmd::Command::from_std(scumble(self.root()));
        Run::from(command.args(arguments).write_stdin(input).output().expect("scumble runs"))
    }

    /// Anonymises `people.csv` with [`ROLES`] and more flags, which must work.
    pub(crate) fn release(&self, output: &str, more: &[&str]) -> Run {
        self.run(&arguments(&[&["anonymize", "people.csv", "-o", output], ROLES, more])).succeeds()
    }

    /// Runs a command that must fail: with this exit code and these words, without any cell in its messages, without output, and without
    /// leaving a file.
    pub(crate) fn refuses(&self, code: i32, words: &[&str], arguments: &[&str]) -> Run {
        let before = self.listing();
        let run = self.run(arguments);
        run.fails(code, words);
        assert_eq!(run.out, "", "a failed run prints nothing on standard output");
        for secret in &self.secrets {
            assert!(!run.err.contains(secret.as_str()), "the message shows the cell {secret}: {}", run.err);
        }
        assert_eq!(before, self.listing(), "a failed run leaves no file: {}", run.err);
        run
    }

    /// Runs `anonymize people.csv -o out.csv` with these flags, which must fail.
    pub(crate) fn refuses_people(&self, code: i32, words: &[&str], flags: &[&str]) -> Run {
        self.refuses(code, words, &arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], flags]))
    }
}

/// Returns every file and folder below a folder, relative to it.
pub(crate) fn files_below(folder: &Path) -> BTreeSet<PathBuf> {
    fn walk(folder: &Path, root: &Path, found: &mut BTreeSet<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a readable folder") {
            let path = entry.expect("an entry").path();
            found.insert(path.strip_prefix(root).expect("it is below the root").to_owned());
            if path.is_dir() {
                walk(&path, root, found);
            }
        }
    }
    let mut found = BTreeSet::new();
    walk(folder, folder, &mut found);
    found
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; `None` if a signal ended the run.
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("scumble speaks UTF-8");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

impl Run {
    pub(crate) fn of(command: &mut Command) -> Self {
        command.output().expect("scumble runs").into()
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    /// Asserts the exit code, and words of the message.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "the exit code of: {self:#?}");
        assert!(self.err.starts_with("error: "), "no message: {self:#?}");
        for word in words {
            assert!(self.err.contains(word), "the message does not say “{word}”: {}", self.err);
        }
    }

    /// Returns standard output, which must be exactly one JSON object.
    #[track_caller]
    pub(crate) fn object(&self) -> Value {
        let value: Value = serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("standard output is not one JSON value ({error}): {self:#?}"));
        assert!(value.is_object(), "{value}");
        value
    }
}

/// Returns the names of an object's members.
pub(crate) fn keys(value: &Value) -> BTreeSet<String> {
    value.as_object().unwrap_or_else(|| panic!("not an object: {value}")).keys().cloned().collect()
}

/// Returns the cells of a table in any format as text, header first.
pub(crate) fn cells(path: &Path) -> Vec<Vec<String>> {
    use scumble_files::{ReadOptions, Source, read_table};
    let source = Source::open(path).expect("the table is there");
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let table = read_table(&source, &options).expect("the table is read").coded;
    let mut rows = vec![table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>()];
    for row in 0..table.rows {
        let cell =
            |column: &scumble_files::table::CodedColumn| column.values.get(column.codes.get(row)).to_owned();
        rows.push(table.columns.iter().map(cell).collect());
    }
    rows
}

/// Returns the rows of a comma-separated table in another order, which depends only on the seed.
pub(crate) fn shuffled(text: &str, seed: u64) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let mut state = seed;
    for place in (2..lines.len()).rev() {
        state = next_random(state);
        lines.swap(place, 1 + (state >> 33) as usize % place);
    }
    lines.join("\n") + "\n"
}

/// The next state of a linear congruential generator; its high bits are random enough for a test.
pub(crate) fn next_random(state: u64) -> u64 {
    state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407)
}

/// Prints that a test cannot run here, for people who read the log.
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("skipped {test}: {why}");
}
