//! A folder in which the real program runs, and functions to inspect what it leaves there.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::judge::Files;
use crate::plan::{Plan, Shape};
use crate::scene::{Column, Hierarchy, Role, Scene};

/// A folder with an original, plans and hierarchies, an empty folder for outputs, and one for temporary files.
pub(crate) struct Stage<'a> {
    pub(crate) folder: PathBuf,
    binary: &'a Path,
}

/// The prefix that reports a hidden file which others can read.
pub(crate) const OPEN: &str = "others can read ";

/// The time limit of a run. Some searches try every combination of levels, which takes hours if a table has many columns.
const PATIENCE: Duration = Duration::from_secs(60);

/// How a run ended.
pub(crate) struct Ending {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) said: String,
}

impl Ending {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            said: text(&output.stdout) + &text(&output.stderr),
        }
    }
}

impl<'a> Stage<'a> {
    pub(crate) fn set(folder: &Path, binary: &'a Path, scene: &Scene) -> std::io::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        fs::create_dir_all(folder.join("out"))?;
        fs::create_dir_all(folder.join("tmp"))?;
        fs::write(folder.join("table.csv"), scene.text())?;
        if let Some(people) = scene.population_text() {
            fs::write(folder.join("people.csv"), people)?;
        }
        for (at, column) in scene.columns.iter().enumerate() {
            if let Hierarchy::File(lines) = &column.hierarchy {
                let text: String = lines.iter().map(|line| line.join(";") + "\n").collect();
                fs::write(folder.join(format!("tree{at}.csv")), text)?;
            }
        }
        Ok(Self { folder: folder.to_owned(), binary })
    }

    /// Writes a plan under a name.
    pub(crate) fn plan(&self, name: &str, scene: &Scene, output: &str, text: &str) -> std::io::Result<()> {
        let delimiter = if scene.delimiter == '\t' { "\\t".into() } else { scene.delimiter.to_string() };
        let (top, rest) = text.split_at(text.find("[columns").unwrap_or(0));
        let head = format!(
            "input = \"table.csv\"\noutput = \"{output}\"\n{top}[read]\ndelimiter = \"{delimiter}\"\nheader = true\n"
        );
        fs::write(self.folder.join(name), head + rest)
    }

    /// Returns the command that carries out a plan, run by another program if one is given.
    pub(crate) fn command(&self, plan: &str, under: &[String]) -> Command {
        let mut command = match under.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(self.binary);
                command
            }
            None => Command::new(self.binary),
        };
        command.args(["anonymize", plan, "--threads", "1"]);
        command.current_dir(&self.folder).env("TMPDIR", self.folder.join("tmp")).env_remove("RUST_BACKTRACE");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Carries out a plan. A search that takes longer than [`PATIENCE`] is ended, with no exit code.
    pub(crate) fn run(&self, plan: &str) -> std::io::Result<Ending> {
        self.run_with(plan, &[])
    }

    /// Does the same with more flags.
    pub(crate) fn run_with(&self, plan: &str, flags: &[&str]) -> std::io::Result<Ending> {
        let started = Instant::now();
        let mut child = self.command(plan, &[]).args(flags).spawn()?;
        while child.try_wait()?.is_none() {
            if started.elapsed() > PATIENCE {
                child.kill()?;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.wait_with_output().map(|output| Ending::of(&output))
    }

    pub(crate) fn start(&self, plan: &str, under: &[String]) -> std::io::Result<Child> {
        self.command(plan, under).spawn()
    }

    /// Checks a release with the program's own verifier, against the original.
    pub(crate) fn check(&self, plan: &str) -> std::io::Result<Ending> {
        let mut command = Command::new(self.binary);
        command.args([
            "check",
            "out/release.csv",
            "--plan",
            plan,
            "--original",
            "table.csv",
            "--threads",
            "1",
        ]);
        command.current_dir(&self.folder).env("TMPDIR", self.folder.join("tmp"));
        command.stdin(Stdio::null()).output().map(|output| Ending::of(&output))
    }

    /// Returns all files below the folder of outputs, and what else is wrong there.
    pub(crate) fn look(&self) -> std::io::Result<(Files, Vec<String>)> {
        let (mut files, mut private) = (Files::new(), Vec::new());
        let mut folders = vec![(self.folder.join("out"), String::new())];
        while let Some((folder, prefix)) = folders.pop() {
            for entry in fs::read_dir(&folder)? {
                let entry = entry?;
                let name = prefix.clone() + &entry.file_name().to_string_lossy();
                let metadata = entry.metadata()?;
                if entry.file_name().to_string_lossy().starts_with('.') {
                    let open = metadata.permissions().mode() & 0o077 != 0;
                    private.push(if open { OPEN.to_owned() + &name } else { name });
                } else if metadata.is_dir() {
                    folders.push((entry.path(), name + "/"));
                } else {
                    files.insert(name, fs::read(entry.path())?);
                }
            }
        }
        Ok((files, private))
    }

    /// Returns the files that are left in the folder of temporary files.
    pub(crate) fn leftovers(&self) -> std::io::Result<Vec<String>> {
        let names = fs::read_dir(self.folder.join("tmp"))?;
        names.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// Empties the folders of outputs and temporary files, and writes files there.
    pub(crate) fn reset(&self, files: &Files) -> std::io::Result<()> {
        for name in ["out", "tmp"] {
            let folder = self.folder.join(name);
            fs::remove_dir_all(&folder)?;
            fs::create_dir_all(&folder)?;
        }
        for (name, bytes) in files {
            let path = self.folder.join("out").join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, bytes)?;
        }
        Ok(())
    }

    /// Returns the private files that others can read.
    pub(crate) fn open_reports(&self) -> std::io::Result<Vec<String>> {
        let folder = self.folder.join("report");
        let Ok(entries) = fs::read_dir(&folder) else { return Ok(Vec::new()) };
        let mut open = Vec::new();
        for path in std::iter::once(Ok(folder)).chain(entries.map(|entry| entry.map(|entry| entry.path()))) {
            let path = path?;
            if fs::metadata(&path)?.permissions().mode() & 0o077 != 0 {
                open.push(path.display().to_string());
            }
        }
        Ok(open)
    }
}

/// Returns findings about values in public bytes that may not be there.
pub(crate) fn leaks(scene: &Scene, plan: &Plan, files: &Files, said: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let holds =
        |bytes: &[u8], token: &str| bytes.windows(token.len()).any(|window| window == token.as_bytes());
    // A column of frequencies is named after its value.
    let named = |column: &Column| {
        plan.shape == Shape::Frequencies && matches!(column.role, Role::Sensitive | Role::Class)
    };
    for (column, token) in scene.canaries() {
        let hidden = matches!(column.role, Role::Identifier | Role::Drop);
        for (name, bytes) in files {
            let data = name.ends_with(".csv");
            if (hidden || !data && !named(column)) && !plan.text.contains(&token) && holds(bytes, &token) {
                found.insert(format!("{name} holds a value of the column {}", column.name));
            }
        }
        // Messages may quote values that are in the plan.
        if !plan.text.contains(&token) && holds(said.as_bytes(), &token) {
            found.insert(format!("a message holds a value of the column {}", column.name));
        }
    }
    found.into_iter().collect()
}
