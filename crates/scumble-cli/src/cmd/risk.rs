//! `scumble risk`: how well people can be found in a table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{Column, Plan, Rational, Role, Roles};
use scumble::release::Stage;
use scumble::release::outputs::{Outputs, Own};
use scumble::release::prepare::{drop_incomplete, persons_of_rows};
use scumble::risk::{Assessment, RiskFigures, RiskTable, Singling, assess, words};
use scumble::{Error, Result};
use scumble_files::CodedTable;

use super::beside::ReleasedTable;
use super::init::write_private;
use super::reading::Reading;
use crate::ui::{Interface, print, wrap};

/// Say how well outsiders find people in a table: attackers, uniques, which columns single people out, surveys, households
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The table, original or released; - is standard input. Without it, the input of the plan
    table: Option<PathBuf>,
    /// A plan whose quasi-identifiers and [risk] settings are used
    #[arg(long, value_name = "release.toml")]
    plan: Option<PathBuf>,
    /// The private page to write, with charts
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// A private table of the risks of every row to write
    #[arg(long, value_name = "FILE.csv")]
    records: Option<PathBuf>,
    /// The table is written in the spreadsheet-safe form (anonymize --spreadsheet-safe); not needed where its datasheet says so
    #[arg(long)]
    spreadsheet_safe: bool,
    /// Print exactly one JSON object (private: it says what singles people out)
    #[arg(long)]
    json: bool,
    /// Replace files that are already there, also those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    /// Columns that outsiders may know, comma-separated; instead of those of the plan
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    quasi: Vec<String>,
    /// The column that tells which rows belong to one person; instead of that of the plan
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    #[command(flatten)]
    risk: RiskFlags,
    #[command(flatten)]
    reading: Reading,
}

/// What is known about the people.
#[derive(clap::Args)]
#[command(next_help_heading = "Risk")]
struct RiskFlags {
    /// The risk above which a row counts as exposed; 0.2 if not given
    #[arg(long, value_name = "CHANCE")]
    threshold: Option<String>,
    /// A table of the whole population, with the same quasi-identifiers written in the same way
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// How many people the population has
    #[arg(long, value_name = "N")]
    population_size: Option<u64>,
    /// The share of the population that is in the table, above 0 and at most 1
    #[arg(long, value_name = "SHARE")]
    sampling_fraction: Option<String>,
    /// The most columns that are looked at together for what singles people out; 3 if not given, 0 for not looking
    #[arg(long, value_name = "N")]
    combination_size: Option<u32>,
    /// The column of survey weights: how many people a row stands for
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// The column that tells which rows belong to one household
    #[arg(long, value_name = "COLUMN")]
    household: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let progress = interface.progress();
    let (plan, folder) = plan(arguments)?;
    let quasi = quasi(arguments, &plan)?;
    let path = match &arguments.table {
        Some(path) => path.clone(),
        None => Plan::beside(&folder.join("plan"), &plan.input),
    };
    let mut outputs = Outputs::new(arguments.force);
    outputs.read_plan(&plan, &folder);
    outputs.read("table", &path);
    arguments.plan.iter().for_each(|plan| outputs.read("plan", plan));
    for output in arguments.output.iter().chain(&arguments.records) {
        if output == Path::new("-") {
            return Err(Error::config(
                "the page and the table of records are private files; give them names",
            ));
        }
    }
    arguments.output.iter().try_for_each(|page| outputs.write(page, Own::Page))?;
    arguments.records.iter().try_for_each(|table| outputs.write(table, Own::Table("row,class_size")))?;
    let asked = quasi.iter().chain(&plan.risk.weight).chain(&plan.risk.household).chain(&arguments.subject);
    let wanted: Vec<&String> = asked.collect();
    let subject = plan.names_with(Role::Subject).next();
    let mut table = read(&path, arguments.spreadsheet_safe, &wanted, subject, &plan, interface)?;
    if let Some(subject) = subject.filter(|name| table.column(name).is_none()) {
        interface.warn(format_args!(
            "the table has no column '{subject}', so rows are counted; persons are counted where the column is still there"
        ));
    }
    drop_incomplete(&mut table, &plan)?.iter().for_each(|note| interface.warn(note));
    let population = match &plan.population {
        None => None,
        Some(name) => {
            let wanted: Vec<&String> = quasi.iter().collect();
            let mut there =
                read(&Plan::beside(&folder.join("plan"), name), false, &wanted, None, &plan, interface)?;
            drop_incomplete(&mut there, &plan)?;
            Some(there)
        }
    };
    let persons = persons_of_rows(&table, &plan)?;
    let input = RiskTable {
        table: &table,
        quasi: &quasi,
        missing: &plan.read.missing,
        population: population.as_ref(),
        persons: persons.as_deref(),
    };
    interface.stage(Stage::Measure);
    let (found, records) = assess(&input, &plan.risk, progress.control())?;
    outputs.confirm()?;
    interface.done();
    if let Some(target) = &arguments.records {
        write_private(target, &records.to_csv())?;
        interface.say(format_args!("Wrote {} (private: it is about single people)", target.display()));
    }
    if let Some(target) = &arguments.output {
        let title = path.file_name().map_or("a table".into(), |name| name.to_string_lossy());
        write_private(target, &scumble::report::risk_html(&found, &title)?)?;
        interface.say(format_args!(
            "Wrote {} (private: open it in a browser, do not publish it)",
            target.display()
        ));
    }
    if arguments.json {
        print(serde_json::to_string(&found).map_err(Error::internal)? + "\n")?;
    } else {
        found.warnings.iter().for_each(|warning| interface.warn(warning));
        print(tell(&found))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn plan(arguments: &Arguments) -> Result<(Plan, PathBuf)> {
    let (mut plan, folder) = match (&arguments.plan, &arguments.table) {
        (Some(path), _) => (Plan::load(path)?, path.parent().map(Path::to_owned).unwrap_or_default()),
        (None, Some(table)) => (Plan::new(table.to_string_lossy(), "-"), PathBuf::new()),
        (None, None) => {
            return Err(Error::config(
                "say which table: scumble risk TABLE --quasi a,b, or --plan release.toml",
            ));
        }
    };
    for name in &arguments.quasi {
        // The policy for missing values is for columns that the plan knows.
        if plan.column(name).is_none() {
            plan.columns.push((name.clone(), Column::new(Roles::one(Role::Quasi))));
        }
    }
    if let Some(subject) = &arguments.subject {
        plan.columns.retain(|(name, column)| name != subject && !column.role.has(Role::Subject));
        plan.columns.push((subject.clone(), Column::new(Roles::one(Role::Subject))));
    }
    // What a plan says about reading is about its input, not about another table such as its release.
    let is_input = |table: &PathBuf| {
        table.canonicalize().ok() == Plan::beside(&folder.join("plan"), &plan.input).canonicalize().ok()
    };
    if arguments.table.as_ref().is_some_and(|table| !is_input(table)) {
        plan.read = plan.read.of_release();
    }
    arguments.reading.apply(&mut plan.read)?;
    arguments.risk.apply(&mut plan)?;
    Ok((plan, folder))
}

/// The columns that outsiders may know, each once.
fn quasi(arguments: &Arguments, plan: &Plan) -> Result<Vec<String>> {
    let mut quasi = arguments.quasi.clone();
    if quasi.is_empty() {
        quasi = plan.names_with(Role::Quasi).map(str::to_owned).collect();
    }
    let mut seen: Vec<String> = Vec::new();
    quasi.retain(|name| {
        let new = !seen.contains(name);
        seen.push(name.clone());
        new
    });
    if quasi.is_empty() {
        return Err(Error::config(
            "say which columns outsiders may know: --quasi a,b, or --plan release.toml",
        ));
    }
    if let Some(subject) = plan.names_with(Role::Subject).find(|name| quasi.iter().any(|quasi| quasi == name))
    {
        return Err(Error::config(format!(
            "column '{subject}' tells persons apart, so it cannot be a column that outsiders know at the same time"
        )));
    }
    Ok(quasi)
}

impl RiskFlags {
    /// Puts what was given over what a plan says.
    fn apply(&self, plan: &mut Plan) -> Result<()> {
        let spec = &mut plan.risk;
        let share = |flag: &str, text: &String| {
            text.parse::<Rational>().map_err(|error| Error::config(format!("{flag}: {error}")))
        };
        if let Some(text) = &self.threshold {
            spec.threshold = share("--threshold", text)?;
        }
        if self.population.is_some() || self.population_size.is_some() || self.sampling_fraction.is_some() {
            // What the plan says about the population is replaced, not contradicted.
            (plan.population, spec.population_size, spec.sampling_fraction) = (None, None, None);
        }
        if let Some(path) = &self.population {
            // Names on the command line start where the command does, not beside the plan.
            let path = std::path::absolute(path)
                .map_err(|source| Error::io(format!("cannot use '{}'", path.display()), source))?;
            plan.population = Some(path.to_string_lossy().into_owned());
        }
        spec.population_size = self.population_size.or(spec.population_size);
        if let Some(text) = &self.sampling_fraction {
            spec.sampling_fraction = Some(share("--sampling-fraction", text)?);
        }
        spec.combination_size = self.combination_size.unwrap_or(spec.combination_size);
        spec.weight = self.weight.clone().or(spec.weight.take());
        spec.household = self.household.clone().or(spec.household.take());
        spec.check()
    }
}

/// Reads the columns that are needed and no others. A release may lack the `subject` column.
fn read(
    path: &Path,
    spreadsheet_safe: bool,
    wanted: &[&String],
    subject: Option<&str>,
    plan: &Plan,
    interface: &Interface,
) -> Result<CodedTable> {
    let table = ReleasedTable::open(path, spreadsheet_safe, &plan.read)?;
    let names: Vec<&str> = table.names.iter().map(String::as_str).collect();
    for name in wanted {
        if !names.contains(&name.as_str()) {
            return Err(scumble::release::unknown_column(name, &names));
        }
    }
    let subject = subject.filter(|name| names.contains(name) && !wanted.iter().any(|wanted| wanted == name));
    let columns: Vec<&str> = wanted.iter().map(|name| name.as_str()).chain(subject).collect();
    table.read(&columns, interface)
}

/// A heading and its sentences.
fn paragraph(text: &mut String, heading: &str, sentences: impl IntoIterator<Item = String>) {
    *text += &format!("\n{heading}\n");
    for sentence in sentences {
        *text += &format!("  {}\n", wrap(&sentence.replace('\u{a0}', " "), 110, "  "));
    }
}

fn tell(found: &Assessment) -> String {
    let mut text = wrap(&words::classes(found).replace('\u{a0}', " "), 112, "") + "\n";
    let unit = found.unit;
    let spread = |risk: &RiskFigures| [words::above(risk, unit), words::quantiles(risk, unit)];
    let mut sentences = vec![words::prosecutor(&found.prosecutor, unit)];
    sentences.extend(spread(&found.prosecutor));
    paragraph(&mut text, "Prosecutor", sentences);
    let mut sentences = vec![words::journalist(found)];
    if !found.journalist.upper_bound {
        sentences.extend(spread(&found.journalist.risk));
    }
    paragraph(&mut text, "Journalist", sentences);
    paragraph(&mut text, "Marketer", [words::marketer(found)]);
    let mut sentences = vec![words::uniques(found)];
    match &found.uniques.population {
        Some(population) => {
            sentences.push(words::population(population));
            sentences.extend(words::estimates(population));
        }
        None => sentences.push(words::no_population(unit).to_owned()),
    }
    paragraph(&mut text, "Alone", sentences);
    if let Some(singling) = &found.singling {
        paragraph(&mut text, "What singles people out", tell_singling(singling, found));
    }
    if let Some(weights) = &found.weights {
        paragraph(&mut text, "Survey weights", [words::weights(weights), words::above(&weights.risk, unit)]);
    }
    if let Some(households) = &found.households {
        paragraph(
            &mut text,
            "Households",
            [words::households(households), words::above(&households.of_rows, unit)],
        );
    }
    let closing = format!("{} Whoever knows more columns than these may do better.", words::one_person(unit));
    text + "\n" + &wrap(&closing, 112, "") + "\n"
}

fn tell_singling(found: &Singling, all: &Assessment) -> Vec<String> {
    let mut sentences = vec![words::singling(found, all.prosecutor.rows, all.unit)];
    sentences.extend(words::worst_combinations(found).into_iter().map(words::combination));
    sentences.extend(words::contributions(found, all.unit));
    sentences.extend(words::intrusion(found));
    sentences
}
