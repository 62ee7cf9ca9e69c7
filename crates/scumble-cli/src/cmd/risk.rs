//! `scumble risk`: how well people can be found in a table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{Column, Plan, Rational, Role, Roles};
use scumble::prelude::Assessed;
use scumble::release::judged;
use scumble::release::outputs::{Outputs, Own};
use scumble::release::resources::Resources;
use scumble::risk::{Assessment, RiskFigures, Singling, words};
use scumble::{Error, Result};
use scumble_files::Source;

use super::anonymize::set_range;
use super::audience::AudienceFlag;
use super::beside::{WrittenFlags, tell_read, title_of};
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
    /// Also write a private table of the risks of every row
    #[arg(long, value_name = "FILE.csv")]
    records: Option<PathBuf>,
    #[command(flatten)]
    form: WrittenFlags,
    /// Print exactly one JSON object (private: it says what singles people out)
    #[arg(long)]
    json: bool,
    /// Replace existing files, even those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    /// Columns that outsiders may know, comma-separated; instead of those of the plan
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    quasi: Vec<String>,
    /// How ranges in a quasi-identifier are written, if not as the plan says: label, or two-columns with the low and the high end
    #[arg(long, value_name = "COLUMN=FORM")]
    range: Vec<String>,
    /// The column that shows which rows belong to one person; instead of that of the plan
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    #[command(flatten)]
    risk: RiskFlags,
    #[command(flatten)]
    audience: AudienceFlag,
    #[command(flatten)]
    reading: Reading,
}

/// What is known about the people.
#[derive(clap::Args)]
#[command(next_help_heading = "Risk")]
struct RiskFlags {
    /// The risk above which a row counts as exposed. If not given, the limit for the readers (--for): 0.09 for public
    #[arg(long, value_name = "CHANCE")]
    threshold: Option<String>,
    /// A table of the whole population, with the same quasi-identifiers written in the same way
    #[arg(long, value_name = "FILE")]
    population: Option<PathBuf>,
    /// The number of people in the population
    #[arg(long, value_name = "N", value_parser = super::whole)]
    population_size: Option<u64>,
    /// The share of the population that is in the table, above 0 and at most 1
    #[arg(long, value_name = "SHARE")]
    sampling_fraction: Option<String>,
    /// The most columns in a combination that is tested for singling people out; 3 if not given, 0 to skip the test
    #[arg(long, value_name = "N", value_parser = super::short)]
    combination_size: Option<u32>,
    /// The column of survey weights: the number of people that each row stands for
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// The column that shows which rows belong to one household
    #[arg(long, value_name = "COLUMN")]
    household: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let progress = interface.progress();
    let (mut plan, folder) = plan(arguments)?;
    set_quasi(arguments, &mut plan)?;
    arguments.range.iter().try_for_each(|given| set_range(&mut plan, given))?;
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
    let source = Source::open(&path)?;
    let table = arguments.form.table(&source, plan.read.clone());
    let resources = Resources::in_folder(&folder).watched_by(progress.control());
    let Assessed { found, records, read } =
        Assessment::with(&table, &plan, &resources, &|stage| interface.stage(stage))?;
    if let Some(subject) = arguments.subject.as_ref().filter(|subject| !read.columns.contains(subject)) {
        let names: Vec<&str> = read.columns.iter().map(String::as_str).collect();
        return Err(scumble::release::unknown_column(subject, &names));
    }
    tell_read(&read, interface);
    outputs.confirm()?;
    interface.done();
    if let Some(target) = &arguments.records {
        write_private(target, &records.to_csv())?;
        interface.say(format_args!("Wrote {} (private: it is about single people)", target.display()));
    }
    if let Some(target) = &arguments.output {
        let title = title_of(&path, "a table");
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
    if let Some(subject) = &arguments.subject {
        plan.columns.retain(|(name, column)| name != subject && !column.role.has(Role::Subject));
        plan.columns.push((subject.clone(), Column::new(Roles::one(Role::Subject))));
    }
    // The plan's settings for reading are about its input, not about another table such as its release.
    let is_input = |table: &PathBuf| {
        table.canonicalize().ok() == Plan::beside(&folder.join("plan"), &plan.input).canonicalize().ok()
    };
    if arguments.table.as_ref().is_some_and(|table| !is_input(table)) {
        plan.read = plan.read.of_release();
        // What steps perturbed in the release shows nobody's true values.
        plan = judged(&plan)?.into_owned();
    }
    arguments.reading.apply(&mut plan.read)?;
    arguments.audience.apply(&mut plan);
    if arguments.audience.given().is_some() {
        plan.risk.threshold = None;
    }
    arguments.risk.apply(&mut plan)?;
    Ok((plan, folder))
}

/// Replaces the columns that outsiders may know by those of the command, in its order, if it names any. The plan's treatment of missing
/// values in them stays.
fn set_quasi(arguments: &Arguments, plan: &mut Plan) -> Result<()> {
    let is_named = |name: &String| arguments.quasi.contains(name);
    if let Some(subject) = plan.names_with(Role::Subject).find(|name| is_named(&(*name).to_owned())) {
        return Err(Error::config(format!(
            "column '{subject}' tells persons apart, so it cannot be a column that outsiders know at the same time"
        )));
    }
    if !arguments.quasi.is_empty() {
        let (known, mut others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut plan.columns).into_iter().partition(|(name, _)| is_named(name));
        for name in &arguments.quasi {
            if plan.column(name).is_none() {
                let of_plan = known.iter().find(|(of, _)| of == name).map(|(_, column)| column.clone());
                let role = Roles::one(Role::Quasi);
                let column = of_plan.unwrap_or_else(|| Column::new(role.clone()));
                plan.columns.push((name.clone(), Column { role, ..column }));
            }
        }
        for (_, column) in others.iter_mut().filter(|(_, column)| column.role.has(Role::Quasi)) {
            column.role = Roles::one(Role::Other);
        }
        plan.columns.append(&mut others);
    }
    if plan.names_with(Role::Quasi).next().is_none() {
        return Err(Error::config(
            "say which columns outsiders may know: --quasi a,b, or --plan release.toml",
        ));
    }
    Ok(())
}

impl RiskFlags {
    /// Sets in a plan what the flags give.
    fn apply(&self, plan: &mut Plan) -> Result<()> {
        let spec = &mut plan.risk;
        let share = |flag: &str, text: &String| {
            text.parse::<Rational>().map_err(|error| Error::config(format!("{flag}: {error}")))
        };
        if let Some(text) = &self.threshold {
            spec.threshold = Some(share("--threshold", text)?);
        }
        if self.population.is_some() || self.population_size.is_some() || self.sampling_fraction.is_some() {
            // The flags replace what the plan says about the population.
            (plan.population, spec.population_size, spec.sampling_fraction) = (None, None, None);
        }
        if let Some(path) = &self.population {
            // Names on the command line are relative to where the command runs, not to the plan.
            let path = scumble_files::database::from_here(path)
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

/// Adds a heading and its sentences.
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
    paragraph(&mut text, "Prosecutor: an attacker who knows that the person is in the table", sentences);
    let mut sentences = vec![
        words::journalist(found)
            .replace("table of the population", "table of the population (--population FILE)"),
    ];
    if !found.journalist.upper_bound {
        sentences.extend(spread(&found.journalist.risk));
    }
    paragraph(
        &mut text,
        "Journalist: an attacker who knows only that the person is in the population",
        sentences,
    );
    paragraph(&mut text, "Marketer: an attacker who links every row", [words::marketer(found)]);
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
            [words::households(households, found), words::above(&households.of_rows, unit)],
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
