//! Running the examples of a page.

use std::path::Path;

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::release::resources::Resources;
use scumble::release::saved::SavedRecoding;
use scumble::release::{RunOptions, anonymize, apply, read_options};
use scumble_files::table::CodedTable;
use scumble_files::{Source, read_table};
use serde_json::Value;

use super::blocks::{Block, Kind, blocks};
use super::compare::{differences, first_difference};

/// Runs every example of a page and says how many there are, or what failed, each with the page and line.
pub(crate) fn run_page(name: &str, text: &str) -> Result<usize, Vec<String>> {
    let blocks = blocks(text).map_err(|problem| vec![format!("docs/{name}: {problem}")])?;
    let mut reader = Reader::default();
    let mut failures = Vec::new();
    for block in &blocks {
        if let Err(problem) = reader.take(block) {
            failures.push(format!("docs/{name}:{}: {problem}", block.line));
        }
    }
    if let Err(problem) = reader.nothing_is_open() {
        failures.push(format!("docs/{name}: {problem}"));
    }
    if failures.is_empty() { Ok(reader.runs) } else { Err(failures) }
}

/// What the blocks so far have said.
#[derive(Default)]
struct Reader {
    table: Option<String>,
    original: Option<String>,
    population: Option<String>,
    /// Further tables by file name.
    views: Vec<(String, String)>,
    hierarchies: Vec<(String, String)>,
    plan: Option<toml::Table>,
    /// The recoding of the last release.
    recoding: Option<String>,
    /// What was done with the plan; a change of the plan repeats it.
    mode: Mode,
    outcome: Option<Outcome>,
    /// Whether something ran of which no outcome was printed yet.
    open: bool,
    runs: usize,
}

/// What is done with a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Mode {
    #[default]
    Release,
    Check,
    Risk,
}

/// How a run ended.
enum Outcome {
    Released { release: Vec<(String, String)>, figures: Value, report: Value, verdict: Value },
    Applied { rows: String, figures: Value },
    Failed(String),
    Checked(Value),
    Assessed(Value),
}

impl Reader {
    fn take(&mut self, block: &Block) -> Result<(), String> {
        match &block.kind {
            Kind::Input | Kind::Table => {
                self.nothing_is_open()?;
                *self = Self { table: Some(block.text.clone()), runs: self.runs, ..Self::default() };
                Ok(())
            }
            Kind::Sizes => {
                self.nothing_is_open()?;
                let table = Some(table_of_sizes(&block.text)?);
                *self = Self { table, runs: self.runs, ..Self::default() };
                Ok(())
            }
            Kind::Original => {
                self.original = Some(block.text.clone());
                Ok(())
            }
            Kind::Population => {
                self.population = Some(block.text.clone());
                Ok(())
            }
            Kind::View(file) => {
                self.views.push((file.clone(), block.text.clone()));
                Ok(())
            }
            Kind::Hierarchy(column) => {
                self.hierarchies.retain(|(of, _)| of != column);
                self.hierarchies.push((column.clone(), block.text.clone()));
                Ok(())
            }
            Kind::Plan | Kind::Change | Kind::Check | Kind::Risk => {
                self.nothing_is_open()?;
                let mut keys: toml::Table = block.text.parse().map_err(|error| format!("{error}"))?;
                if block.kind == Kind::Change {
                    let mut plan = self.plan.take().ok_or("there is no plan to change")?;
                    replace(&mut plan, keys);
                    keys = plan;
                }
                self.plan = Some(keys);
                self.mode = match block.kind {
                    Kind::Change => self.mode,
                    Kind::Check => Mode::Check,
                    Kind::Risk => Mode::Risk,
                    _ => Mode::Release,
                };
                self.run(self.mode)
            }
            Kind::Rows { private } => {
                self.nothing_is_open()?;
                self.runs += 1;
                self.open = true;
                let recoding = self.recoding.as_ref().ok_or("nothing has been released")?;
                let outcome = apply_to(recoding, &block.text, *private);
                self.outcome = Some(outcome.unwrap_or_else(|error| Outcome::Failed(error.to_string())));
                Ok(())
            }
            Kind::Fragment => {
                let files = "input = \"input.csv\"\noutput = \"release.csv\"\n";
                let given = block.text.lines().any(|line| line.starts_with("input"));
                let text = if given { block.text.clone() } else { format!("{files}{}", block.text) };
                Plan::from_toml(&text, "the fragment").map(|_| ()).map_err(|error| error.to_string())
            }
            Kind::Release
            | Kind::Released(_)
            | Kind::Figures
            | Kind::Report
            | Kind::Error
            | Kind::Verdict
            | Kind::Applied
            | Kind::AppliedFigures
            | Kind::Assessment => {
                self.open = false;
                self.outcome.as_ref().ok_or("nothing has been run")?.compare(block)
            }
        }
    }

    /// A run whose outcome no page prints tests nothing.
    fn nothing_is_open(&self) -> Result<(), String> {
        if self.open { Err("the run before this has no outcome printed".into()) } else { Ok(()) }
    }

    fn run(&mut self, mode: Mode) -> Result<(), String> {
        self.runs += 1;
        self.open = true;
        self.outcome = None;
        let table = self.table.as_ref().ok_or("there is no table (csv input, csv table)")?;
        let text = toml::to_string(self.plan.as_ref().ok_or("there is no plan")?)
            .map_err(|error| error.to_string())?;
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let outcome = Plan::from_toml(&text, "the plan").and_then(|plan| {
            let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
            let file = if mode == Mode::Check { &plan.output } else { &plan.input };
            let written = write(file, table)
                .and_then(|()| self.original.iter().try_for_each(|original| write(&plan.input, original)))
                .and_then(|()| {
                    let named = plan.population.iter().zip(&self.population);
                    named.into_iter().try_for_each(|(name, people)| write(name, people))
                })
                .and_then(|()| self.views.iter().try_for_each(|(file, text)| write(file, text)))
                .and_then(|()| std::fs::create_dir_all(folder.path().join("hierarchies")))
                .and_then(|()| {
                    self.hierarchies
                        .iter()
                        .try_for_each(|(column, text)| write(&format!("hierarchies/{column}.csv"), text))
                });
            written.map_err(|source| scumble::Error::io("cannot write the example", source))?;
            match mode {
                Mode::Check => self.check(&plan, folder.path()),
                Mode::Risk => risk(&plan, folder.path()),
                Mode::Release => release(&plan, folder.path()),
            }
        });
        self.recoding = std::fs::read_to_string(folder.path().join("report/recoding.json")).ok();
        self.outcome = Some(outcome.unwrap_or_else(|error| Outcome::Failed(error.to_string())));
        Ok(())
    }

    fn check(&self, plan: &Plan, folder: &Path) -> scumble::Result<Outcome> {
        let read = |name: &str| -> scumble::Result<CodedTable> {
            Ok(read_table(&Source::open(folder.join(name))?, &read_options(&plan.read)?)?.coded)
        };
        let table = read(&plan.output)?;
        let original = self.original.as_ref().map(|_| read(&plan.input)).transpose()?;
        let checked = scumble::release::check::check(
            &table,
            original.as_ref(),
            None,
            plan,
            &Resources::in_folder(folder),
        )?;
        let mut verdict = serde_json::to_value(&checked).map_err(scumble::Error::internal)?;
        verdict["holds"] = checked.holds().into();
        Ok(Outcome::Checked(verdict))
    }
}

/// A table of one column in which a given number of classes has each size.
fn table_of_sizes(text: &str) -> Result<String, String> {
    let mut table = String::from("class\n");
    let mut class = 0;
    for line in text.lines().skip(1) {
        let numbers: Vec<usize> = line.split(',').filter_map(|number| number.trim().parse().ok()).collect();
        let [size, classes] = numbers[..] else { return Err(format!("'{line}' must be size,classes")) };
        for _ in 0..classes {
            class += 1;
            table += &format!("c{class}\n").repeat(size);
        }
    }
    Ok(table)
}

fn risk(plan: &Plan, folder: &Path) -> scumble::Result<Outcome> {
    let read = |name: &str| -> scumble::Result<CodedTable> {
        Ok(read_table(&Source::open(folder.join(name))?, &read_options(&plan.read)?)?.coded)
    };
    let table = read(&plan.input)?;
    let population = plan.population.as_deref().map(read).transpose()?;
    let quasi: Vec<String> = plan.names_with(scumble::config::Role::Quasi).map(str::to_owned).collect();
    let persons = scumble::release::prepare::persons_of_rows(&table, plan)?;
    let input = scumble::risk::RiskTable {
        table: &table,
        quasi: &quasi,
        missing: &plan.read.missing,
        population: population.as_ref(),
        persons: persons.as_deref(),
    };
    let (found, _) = scumble::risk::assess(&input, &plan.risk, &scumble_files::Control::default())?;
    Ok(Outcome::Assessed(serde_json::to_value(&found).map_err(scumble::Error::internal)?))
}

/// Keys of `new` take the place of the same keys of `old`, inside tables too.
fn replace(old: &mut toml::Table, new: toml::Table) {
    for (key, value) in new {
        match (old.get_mut(&key), value) {
            (Some(toml::Value::Table(old)), toml::Value::Table(new)) => replace(old, new),
            (_, value) => {
                old.insert(key, value);
            }
        }
    }
}

/// Applies a saved recoding to new rows.
fn apply_to(recoding: &str, rows: &str, private: bool) -> scumble::Result<Outcome> {
    let failed = |source| scumble::Error::io("cannot write or read the example", source);
    let folder = tempfile::tempdir().map_err(failed)?;
    let folder = folder.path();
    std::fs::write(folder.join("recoding.json"), recoding).map_err(failed)?;
    std::fs::write(folder.join("rows.csv"), rows).map_err(failed)?;
    let mut options =
        RunOptions { folder, progress: Progress::default(), stage: &|_| {}, standard_output: None };
    let saved = SavedRecoding::load(&folder.join("recoding.json"))?;
    let applied = apply(&saved, &saved.plan("rows.csv", "recoded.csv"), private, &mut options)?;
    let rows = std::fs::read_to_string(folder.join("recoded.csv")).map_err(failed)?;
    Ok(Outcome::Applied { rows, figures: applied.figures()? })
}

fn release(plan: &Plan, folder: &Path) -> scumble::Result<Outcome> {
    let mut options =
        RunOptions { folder, progress: Progress::default(), stage: &|_| {}, standard_output: None };
    let released = anonymize(plan, &mut options)?;
    let figures = serde_json::to_value(&released.summary).map_err(scumble::Error::internal)?;
    let read = |path: &Path| {
        let what = || format!("cannot read {}", path.display());
        std::fs::read_to_string(path).map_err(|source| scumble::Error::io(what(), source))
    };
    let report = read(&folder.join(&plan.report).join("report.json"))?;
    let report = serde_json::from_str(&report).map_err(scumble::Error::internal)?;
    let output = released.release.unwrap_or_default();
    let (mut release, mut verdict) = (Vec::new(), Value::Null);
    if output.is_dir() {
        // What was published is put side by side again, as `scumble check` does it.
        let original =
            read_table(&Source::open(folder.join(&plan.input))?, &read_options(&plan.read)?)?.coded;
        let asked = Plan { privacy: Vec::new(), ..plan.clone() };
        let checked = scumble::release::check::check_tables(
            &scumble::release::PublishedTables::in_folder(&output, plan, &scumble_files::Control::default())?,
            Some(&original),
            None,
            &asked,
            &Resources::default(),
        )?;
        assert!(checked.holds, "{checked:?}");
        verdict = serde_json::to_value(&checked).map_err(scumble::Error::internal)?;
        for table in &released.summary.tables {
            release.push((table.file.clone(), read(&output.join(&table.file))?));
        }
    } else {
        release.push((String::new(), read(&output)?));
    }
    Ok(Outcome::Released { release, figures, report, verdict })
}

impl Outcome {
    fn compare(&self, block: &Block) -> Result<(), String> {
        let json = |found: &Value| {
            let differences = differences(&block.text, found)?;
            if differences.is_empty() { Ok(()) } else { Err(differences.join("\n  ")) }
        };
        let table = |released: &[(String, String)], file: &str| {
            let found = released.iter().find(|(name, _)| name == file);
            let (_, text) = found.ok_or("no such table was released")?;
            first_difference(&block.text, text).map_or(Ok(()), Err)
        };
        match (&block.kind, self) {
            (Kind::Release, Self::Released { release, .. }) => table(release, ""),
            (Kind::Released(file), Self::Released { release, .. }) => table(release, file),
            (Kind::Verdict, Self::Released { verdict, .. }) => json(verdict),
            (Kind::Figures, Self::Released { figures, .. }) => json(figures),
            (Kind::Report, Self::Released { report, .. }) => json(report),
            (Kind::Applied, Self::Applied { rows, .. }) => {
                first_difference(&block.text, rows).map_or(Ok(()), Err)
            }
            (Kind::AppliedFigures, Self::Applied { figures, .. }) => json(figures),
            (Kind::Verdict, Self::Checked(verdict)) => json(verdict),
            (Kind::Assessment, Self::Assessed(found)) => json(found),
            (Kind::Error, Self::Failed(message)) => {
                let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
                if words(message).contains(&words(&block.text)) {
                    Ok(())
                } else {
                    Err(format!("it failed with: {message}"))
                }
            }
            (_, Self::Failed(message)) => Err(format!("the run failed: {message}")),
            _ => Err("this is not the kind of outcome that the run has".into()),
        }
    }
}
