//! `scumble attack`: what a release still gives away.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{Plan, Rational, Role};
use scumble::release::outputs::{Outputs, Own};
use scumble::release::resources::Resources;
use scumble::release::{PublishedTables, Released, Stage};
use scumble::report::{
    self, Conclusion,
    data::{AttackResult, Criteria, Report},
    drawing,
};
use scumble::{Error, Result};
use scumble_eval::attack::{
    Attack, AttackRequest, AttackTables, Attacked, Figure, Finding, Options, Whose, find,
};
use scumble_files::{CodedTable, Source};

use super::anonymize::{PrivacyFlags, RoleFlags};
use super::beside::{WrittenFlags, from_here, how_release_is_read, plan_for, title_of, written};
use super::check::read_row_map;
use super::init::write_private;
use super::reading::Reading;
use crate::ui::{Interface, as_line, print, wrap};

/// Attack a release as outsiders might, and say what they learn
///
/// Needs the original, since only the original shows whether an attack is right. The figures are private.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The release, or the folder of a release of several tables
    release: PathBuf,
    /// The original table
    #[arg(long, value_name = "DATA")]
    original: Option<PathBuf>,
    /// The plan by which the release was made: its columns, hierarchies, models and algorithm
    #[arg(long, value_name = "release.toml")]
    plan: Option<PathBuf>,
    /// A further release about the same people, to show what both give away together; repeatable
    #[arg(long, value_name = "RELEASE")]
    also: Vec<PathBuf>,
    /// People like those of the original who are not in it, with the same columns
    #[arg(long, value_name = "DATA")]
    outsiders: Option<PathBuf>,
    /// Columns whose values another program has perturbed, for the attack `record_linkage`
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    perturbed: Vec<String>,
    /// The private row map of the release (anonymize --row-map): it says whose each row is
    #[arg(long, value_name = "FILE", conflicts_with = "same_order")]
    row_map: Option<PathBuf>,
    /// The rows of the release stand in the order of the original
    #[arg(long)]
    same_order: bool,
    /// Only these attacks
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    only: Vec<String>,
    /// The most facts that an attacker with partial knowledge knows
    #[arg(long, value_name = "N", default_value_t = Options::default().known_columns, value_parser = super::size)]
    known: usize,
    /// The most combinations of facts that are tried for each number of facts
    #[arg(long, value_name = "N", default_value_t = Options::default().combinations, value_parser = super::size)]
    combinations: usize,
    /// The share of an attacker's knowledge that is wrong
    #[arg(long, value_name = "SHARE", default_value = "0")]
    noise: String,
    /// The chance of a right guess from which on a person counts as exposed
    #[arg(long, value_name = "CHANCE", default_value = "0.5")]
    threshold: String,
    /// Numbers within this share of their column's range count as alike
    #[arg(long, value_name = "SHARE", default_value = "0.1")]
    window: String,
    /// The most people to look at, if looking at all takes long
    #[arg(long, value_name = "N", default_value_t = Options::default().people, value_parser = super::size)]
    people: usize,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = Options::default().seed, value_parser = super::whole)]
    seed: u64,
    /// Say what the attacks find by the three criteria of Opinion 05/2014, with the thresholds of [wp216] of the plan or with usual ones
    #[arg(long)]
    wp216: bool,
    /// Also add the findings to the private report of the release, in this folder
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    /// Also write a private page (HTML)
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: WrittenFlags,
    /// Print exactly one JSON object (private: it is about the original)
    #[arg(long)]
    json: bool,
    /// Replace existing files, even those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    /// The algorithm that made the release, if no plan names it
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    #[command(flatten)]
    roles: RoleFlags,
    #[command(flatten)]
    privacy: PrivacyFlags,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    arguments.only.iter().try_for_each(|name| find(name).map(drop))?;
    let options = options(arguments)?;
    let original = original(arguments)?;
    let progress = interface.progress();
    let (mut plan, folder) = plan_for(&arguments.release, arguments.plan.as_deref())?;
    arguments.roles.apply(&mut plan, from_here)?;
    arguments.privacy.apply(&mut plan, from_here)?;
    arguments.reading.apply(&mut plan.read)?;
    if let Some(name) = &arguments.algorithm {
        scumble::registry::method(name)?;
        plan.algorithm.name.clone_from(name);
    }
    let report = arguments.report.as_deref().map(load_report).transpose()?;
    let several = arguments.release.is_dir();
    if !several && plan.names_with(Role::Quasi).next().is_none() {
        return Err(Error::config(
            "say which columns outsiders may know: --quasi a,b, or --plan release.toml",
        ));
    }
    let outputs = claim_outputs(arguments, &plan, &folder)?;
    let how = how_release_is_read(&plan, &arguments.reading, arguments.original.as_deref())?;
    let published = several
        .then(|| PublishedTables::in_folder(&arguments.release, &plan, progress.control()))
        .transpose()?;
    let release = if several { None } else { Some(Source::open(&arguments.release)?) };
    let attacked = match (&published, &release) {
        (None, Some(table)) => arguments.form.table(table, how.clone()).into(),
        (Some(published), _) => Attacked::from(published),
        (None, None) => return Err(Error::internal("there is nothing to attack")),
    };
    let original = Source::open(original)?;
    let others = arguments.also.iter().map(Source::open).collect::<Result<Vec<_>>>()?;
    let outsiders = arguments.outsiders.as_ref().map(Source::open).transpose()?;
    let request = AttackRequest {
        method_known: arguments.plan.is_some() || arguments.algorithm.is_some(),
        others: others.iter().map(|other| written(other, how.clone())).collect(),
        outsiders: outsiders.as_ref(),
        perturbed: arguments.perturbed.clone(),
        whose: whose(arguments)?,
        attacks: arguments.only.clone(),
        options,
        resources: Resources::in_folder(folder).watched_by(progress.control()),
        ..AttackRequest::of(attacked, &original, &plan)
    };
    let tables = read(&request, interface)?;
    let people = tables.original.rows as u64;
    if let (Some(report), Some(folder)) = (&report, &arguments.report)
        && report.release.rows != people
    {
        return Err(Error::config(format!(
            "the report in '{}' is about another release: its table had another number of rows",
            folder.display()
        )));
    }
    interface.step("matching people with the rows of the release");
    let found = tables.attack(&|attack, number, all| begins(attack, number, all, interface))?;
    let criteria = criteria(&tables, &found, arguments.wp216)?;
    interface.done();
    let told: Vec<AttackResult> = found.iter().map(Into::into).collect();
    outputs.confirm()?;
    if let (Some(folder), Some(report)) = (&arguments.report, report) {
        add_to_report(folder, report, &told, criteria.clone())?;
        interface.say(format_args!("Added to the private report in {}", folder.display()));
    }
    if let Some(target) = &arguments.output {
        let title = title_of(&arguments.release, "a release");
        write_private(target, &report::attacks_html(&told, criteria.as_ref(), plan.risk.audience, &title)?)?;
        interface.say(format_args!(
            "Wrote {} (private: open it in a browser, do not publish it)",
            target.display()
        ));
    }
    if arguments.json {
        let mut all = serde_json::json!({ "people": people, "attacks": found });
        if let (Some(criteria), Some(all)) = (&criteria, all.as_object_mut()) {
            all.insert("wp216".to_owned(), serde_json::json!(criteria));
        }
        print(all.to_string() + "\n")?;
    } else {
        print(
            tell(&found, &tables.plan, &tables.original)
                + &criteria.map_or_else(String::new, |of| in_words(&of)),
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What the findings say about the criteria of Opinion 05/2014, if the plan or the user asks for that.
fn criteria(tables: &AttackTables<'_>, found: &[Finding], asked: bool) -> Result<Option<Criteria>> {
    let thresholds = tables.plan.wp216.clone().or_else(|| asked.then(Default::default));
    thresholds.map(|thresholds| tables.criteria(found, &thresholds)).transpose()
}

/// The criteria as text.
fn in_words(found: &Criteria) -> String {
    let mut text = String::from("\nSingling out, linkability, inference (Opinion 05/2014)\n");
    for criterion in &found.criteria {
        text += &format!("\n{}", as_line!("{}: {}", criterion.title, criterion.answer.words()));
        text += &format!("  {}\n", wrap(&plain(&criterion.sentence), 110, "  "));
        for measure in &criterion.measures {
            let mut line = format!("{:>9}  {}", measure.shown(), measure.named());
            if let Some(limit) = measure.limit {
                line += &format!(" (threshold {})", drawing::percent(limit));
            }
            if let Some(why) = &measure.missing {
                line += &format!(": not measured. {why}");
            }
            text += &format!("    {}\n", wrap(&plain(&line), 108, "               "));
        }
    }
    for remark in &found.remarks {
        text += &format!("  {}\n", wrap(&plain(remark), 110, "  "));
    }
    text
}

/// Reads the tables of a request.
fn read<'a>(request: &AttackRequest<'a>, interface: &Interface) -> Result<AttackTables<'a>> {
    interface.stage(Stage::Read);
    let tables = request.read()?;
    tables.notes.iter().for_each(|note| interface.note(note));
    tables.warnings.iter().for_each(|warning| interface.warn(warning));
    Ok(tables)
}

fn begins(attack: &Attack, number: usize, all: usize, interface: &Interface) {
    interface.step(&format!("{} (attack {number} of {all})", attack.title));
}

/// Claims the output files, and fails if a file must not be overwritten. The report is read and written again, as its flag asks.
fn claim_outputs(arguments: &Arguments, plan: &Plan, folder: &Path) -> Result<Outputs> {
    let mut outputs = Outputs::new(arguments.force);
    // Without a plan, its input is only a stand-in.
    outputs.read_plan(plan, folder);
    arguments.original.iter().for_each(|path| outputs.read("original", path));
    outputs.read("release", &arguments.release);
    if arguments.release.is_dir() {
        let files = std::fs::read_dir(&arguments.release).into_iter().flatten().flatten();
        files.for_each(|file| outputs.read("release", file.path()));
    }
    arguments.also.iter().for_each(|path| outputs.read("further release", path));
    arguments.outsiders.iter().for_each(|path| outputs.read("table of outsiders", path));
    arguments.plan.iter().for_each(|path| outputs.read("plan", path));
    arguments.row_map.iter().for_each(|path| outputs.read("row map", path));
    if let Some(report) = &arguments.report {
        ["report.html", "summary.html", "report.json"]
            .iter()
            .try_for_each(|name| outputs.write(&report.join(name), Own::Report))?;
    }
    arguments.output.iter().try_for_each(|page| outputs.write(page, Own::Page))?;
    Ok(outputs)
}

/// Runs every attack on a release that a plan has just made, and adds the findings to the private report.
pub(super) fn on_release(
    plan: &Plan,
    folder: &Path,
    released: &Released,
    interface: &Interface,
) -> Result<(Vec<Finding>, Option<Conclusion>)> {
    let Some(release) = &released.release else {
        return Err(Error::internal("there is no release to attack"));
    };
    let progress = interface.progress();
    let original = Source::open(Plan::beside(&folder.join("plan"), &plan.input))?;
    let resources = Resources::in_folder(folder).watched_by(progress.control());
    let (published, table);
    let attacked = if release.is_dir() {
        published = PublishedTables::in_folder(release, plan, progress.control())?;
        Attacked::from(&published)
    } else {
        table = Source::open(release)?;
        written(&table, plan.read.of_release()).into()
    };
    let request = AttackRequest { resources, ..AttackRequest::of(attacked, &original, plan) };
    let tables = read(&request, interface)?;
    let found = tables.attack(&|attack, number, all| begins(attack, number, all, interface))?;
    let criteria = criteria(&tables, &found, false)?;
    interface.done();
    let folder = released.report.as_ref().and_then(|page| page.parent());
    let told: Vec<AttackResult> = found.iter().map(Into::into).collect();
    let verdict =
        folder.map(|folder| add_to_report(folder, load_report(folder)?, &told, criteria)).transpose()?;
    Ok((found, verdict))
}

fn load_report(folder: &Path) -> Result<Report> {
    let path = folder.join("report.json");
    let unreadable =
        |source| Error::io(format!("there is no private report in '{}'", folder.display()), source);
    let text = std::fs::read_to_string(&path).map_err(unreadable)?;
    serde_json::from_str(&text)
        .map_err(|_| Error::data(format!("'{}' is not the report of a release", path.display())))
}

/// Adds findings to an existing report, and writes all its forms again. Returns its new verdict.
fn add_to_report(
    folder: &Path,
    report: Report,
    found: &[AttackResult],
    criteria: Option<Criteria>,
) -> Result<Conclusion> {
    let report = Report { attacks: found.to_vec(), criteria, ..report };
    write_private(&folder.join("report.html"), &report::html(&report)?)?;
    write_private(&folder.join("summary.html"), &report::summary_html(&report)?)?;
    write_private(&folder.join("report.json"), &report::json(&report)?)?;
    Ok(Conclusion::of(&report))
}

/// Returns the original table. Without it nobody can say whether a guess is right.
fn original(arguments: &Arguments) -> Result<&Path> {
    arguments.original.as_deref().ok_or_else(|| {
        Error::config(
            "the original table is missing: say which table the release was made from, since only it shows whether a guess is right \
             (--original DATA)",
        )
    })
}

/// What is said of whose each row is.
fn whose(arguments: &Arguments) -> Result<Whose> {
    Ok(match &arguments.row_map {
        Some(path) => Whose::Mapped(read_row_map(path)?),
        None if arguments.same_order => Whose::SameOrder,
        None => Whose::Unknown,
    })
}

fn options(arguments: &Arguments) -> Result<Options> {
    let share = |flag: &str, text: &str| super::share(flag, text).map(Rational::to_f64);
    for (flag, number) in [("--people", arguments.people), ("--combinations", arguments.combinations)] {
        if number == 0 {
            return Err(Error::config(format!("{flag} must be at least 1")));
        }
    }
    Ok(Options {
        seed: arguments.seed,
        people: arguments.people,
        known_columns: arguments.known,
        noise: share("--noise", &arguments.noise)?,
        threshold: share("--threshold", &arguments.threshold)?,
        combinations: arguments.combinations,
        window: share("--window", &arguments.window)?,
    })
}

fn tell(found: &[Finding], plan: &Plan, original: &CodedTable) -> String {
    let quasi: Vec<&str> =
        plan.names_with(Role::Quasi).filter(|name| original.column(name).is_some()).collect();
    let mut text = wrap(
        &format!("We assume that the attacker knows a person's {}.", drawing::list(&quasi, quasi.len())),
        112,
        "",
    ) + "\n";
    for finding in found.iter().filter(|finding| finding.not_run.is_none()) {
        let column = finding.column.as_ref().map_or(String::new(), |column| format!(": {column}"));
        text += &format!("\n{}", as_line!("{}{column}", finding.title));
        text += &format!("  {}\n", wrap(&plain(&finding.sentence), 110, "  "));
        let at_risk = finding.at_risk.as_ref();
        let others =
            finding.figures.iter().filter(|of| at_risk.is_none_or(|at_risk| at_risk.name != of.name));
        for figure in at_risk.into_iter().chain(others) {
            text += &format!("    {}  {}\n", shown(figure), figure.name.replace('\u{a0}', " "));
        }
        for limit in &finding.limits {
            text += &format!("  {}\n", wrap(&plain(limit), 110, "  "));
        }
    }
    let unrun: Vec<&Finding> = found.iter().filter(|finding| finding.not_run.is_some()).collect();
    if !unrun.is_empty() {
        text += "\nNot run\n";
        for finding in unrun {
            text += &format!(
                "  {}\n",
                wrap(&format!("{}: {}", finding.title, plain(&finding.sentence)), 110, "  ")
            );
        }
    }
    text + "\n"
        + &wrap("One row is taken for one person. What no simulated attack finds, another may.", 112, "")
        + "\n"
}

/// A text with ordinary spaces, and with flags where the library names settings.
fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
        .replace("(also)", "(--also)")
        .replace("name them.", "name them (--perturbed).")
        .replace("Give the row map of the release,", "Give the row map of the release (--row-map),")
        .replace("stand in the order of the original.", "stand in the order of the original (--same-order).")
}

/// Writes a number with its interval.
fn shown(figure: &Figure) -> String {
    let write = if figure.share { drawing::percent } else { drawing::number };
    let interval =
        figure.interval.map_or(String::new(), |(low, high)| format!(" ({} to {})", write(low), write(high)));
    plain(&format!("{:>9}{interval}", write(figure.value)))
}
