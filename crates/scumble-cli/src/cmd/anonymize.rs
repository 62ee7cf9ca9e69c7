//! `scumble anonymize`: a verified release from a plan, or from a table and flags.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{
    Audience, Column, Equality, ModelSpec, OutputDialect, Parameters, Plan, Range, Rest, Role, Roles,
    StarPolicy, Value, Weights,
};
use scumble::error::{Setting, did_you_mean};
use scumble::release::outputs::Outputs;
use scumble::release::{
    ModelSummary, Released, RunOptions, Summary, anonymize_beside, give_release_id, stem_of,
};
use scumble::report::Conclusion;
use scumble::table::hierarchy::Builder;
use scumble::{Error, Result};

use scumble_files::database::{Address, from_here, located};

use super::attack;
use super::audience::AudienceFlag;
use super::choice;
use super::key_flag::KeyFlag;
use super::reading::{Reading, parse_builder};
use crate::ui::{
    Interface, check_standard_output, counted, percent, print_after_publishing, row_count, wrap,
};

/// Make a verified release from a plan (release.toml), or from a table and flags
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A plan (release.toml), or a table: a file, or one in a database (postgres://…?table=NAME, sqlite:…?table=NAME); - is standard input.
    /// Several plans: tables that codes join, such as households and people; all are released, or none
    #[arg(required = true)]
    input: Vec<PathBuf>,
    /// The release; its ending sets the format (.csv, .tsv, .parquet, .arrow, .xlsx, also .csv.gz, .csv.zst); also a new table in a database
    /// (postgres://…?table=NAME, sqlite:…?table=NAME); - is standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,
    /// The folder of the private report; '' for none
    #[arg(long, value_name = "DIR")]
    report: Option<String>,
    /// Attack the release once it is made, and add what was learnt to the private report (scumble attack)
    #[arg(long)]
    attack: bool,
    /// Also write the recoding to this private file, so that 'scumble apply' can recode other rows in the same way
    #[arg(long, value_name = "FILE")]
    recoding: Option<String>,
    /// Also write a private row map for 'scumble check': for each row of the input, its row and group in the release
    #[arg(long, value_name = "FILE")]
    row_map: Option<String>,
    /// Put a ' before texts that spreadsheet programs would run as formulas; for CSV and TSV
    #[arg(long)]
    spreadsheet_safe: bool,
    /// The program that CSV is written for: excel (commas), or excel-de (semicolons, decimal commas)
    #[arg(long, value_name = "NAME")]
    output_dialect: Option<String>,
    /// Print exactly one JSON object with all figures (private: it is about the original)
    #[arg(long)]
    json: bool,
    /// Replace existing files, even those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    roles: RoleFlags,
    #[command(flatten)]
    privacy: PrivacyFlags,
    #[command(flatten)]
    audience: AudienceFlag,
    #[command(flatten)]
    search: SearchFlags,
    #[command(flatten)]
    reading: Reading,
}

impl Arguments {
    /// The plan or table, where there is one.
    fn input(&self) -> &Path {
        self.input.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// What the columns are.
#[derive(clap::Args)]
#[command(next_help_heading = "Columns (lists are comma-separated)")]
pub(super) struct RoleFlags {
    /// Columns that outsiders may know
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    quasi: Vec<String>,
    /// Columns that outsiders must not learn
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    sensitive: Vec<String>,
    /// The label that machine-learning models will predict; may also be sensitive
    #[arg(long, value_name = "COLUMN")]
    class: Option<String>,
    /// Columns that name a person; never read, never released
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    identifier: Vec<String>,
    /// The column that shows which rows belong to one person
    #[arg(long, value_name = "COLUMN")]
    subject: Option<String>,
    /// The column that shows which rows belong to one household; read, and released only as fresh numbers (--renumber)
    #[arg(long, value_name = "COLUMN")]
    household: Option<String>,
    /// Publish fresh numbers of households, which show which rows are one household
    #[arg(long)]
    renumber: bool,
    /// The column that says which node of a hierarchy each person wants guarded; read, never released
    #[arg(long, value_name = "COLUMN")]
    guarding: Option<String>,
    /// Columns that are published as they are
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    other: Vec<String>,
    /// Columns of survey weights, which say how many people a row stands for; --weights says what is released of them
    #[arg(long = "weight", value_name = "A,B", value_delimiter = ',')]
    weight_columns: Vec<String>,
    /// Columns to leave out
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    drop: Vec<String>,
    /// What happens to columns that are not named: other or drop
    #[arg(long, value_name = "ROLE")]
    rest: Option<String>,
    /// A step that changes a column before anything else looks at it, e.g. round:column=income,base=500 (scumble list); repeatable
    #[arg(long, value_name = "NAME:KEY=VALUE,…")]
    transform: Vec<String>,
    #[command(flatten)]
    key: KeyFlag,
    /// The type of a column: integer, decimal, decimal_comma, text, date, or a date format such as dd/mm/yyyy
    #[arg(long = "type", value_name = "COLUMN=TYPE")]
    types: Vec<String>,
    /// How ranges of numbers, dates or times are written: label (default), or two-columns with the low and the high end
    #[arg(long, value_name = "COLUMN=FORM")]
    range: Vec<String>,
    /// When two texts in a column that models read count as one value: normal (default; ignores case, white space, invisible characters and
    /// the way a number or date is written) or exact
    #[arg(long, value_name = "COLUMN=RULE")]
    equality: Vec<String>,
    /// What the release shows of a survey weight: round, class_mean or keep
    #[arg(long, value_name = "COLUMN=RULE")]
    weights: Vec<String>,
    /// The column within whose values a survey weight is raised for rows that are left out (with --star-policy drop)
    #[arg(long, value_name = "COLUMN=COLUMN")]
    stratum: Vec<String>,
    /// Columns in which models count missing values as a value like any other; in all other columns a missing value is no value
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    missing_counts: Vec<String>,
    /// A folder with hierarchies: <column>.csv, or ARX's *_hierarchy_<column>.csv
    #[arg(long, value_name = "DIR")]
    hierarchies: Option<String>,
    /// The hierarchy of one column: a file, or a builder as in the plan, e.g. 'postcode={ build = "prefix" }'
    #[arg(long, value_name = "COLUMN=FILE|{…}")]
    hierarchy: Vec<String>,
}

/// Parameters of models that have a flag of their own: the model, the parameter, its flag, and the flag that turns the model on.
pub(crate) const SHORT_FOR_MODELS: [(&str, &str, &str, &str); 6] = [
    ("k_anonymity", "k", "k", "k"),
    ("l_diversity", "l", "l", "l"),
    ("l_diversity", "c", "c", "l"),
    ("l_diversity", "variant", "l-variant", "l"),
    ("t_closeness", "t", "t", "t"),
    ("t_closeness", "distance", "t-distance", "t"),
];

/// What must hold.
#[derive(clap::Args)]
#[command(next_help_heading = "Privacy")]
pub(super) struct PrivacyFlags {
    /// k-anonymity: at least K rows in each group
    #[arg(long, value_name = "K")]
    k: Option<String>,
    /// l-diversity of the sensitive columns
    #[arg(long, value_name = "L")]
    l: Option<String>,
    /// The form of l-diversity: distinct (default), entropy, recursive or frequency
    #[arg(long, value_name = "FORM", requires = "l")]
    l_variant: Option<String>,
    /// The factor c of recursive l-diversity
    #[arg(long, value_name = "C", requires = "l")]
    c: Option<String>,
    /// t-closeness of the sensitive columns
    #[arg(long, value_name = "T")]
    t: Option<String>,
    /// The distance of t-closeness: equal, ordered or hierarchical
    #[arg(long, value_name = "KIND", requires = "t")]
    t_distance: Option<String>,
    /// LKC-privacy: an attacker who knows L of the quasi-identifiers finds at least K rows, at most a share C of them with one sensitive
    /// value
    #[arg(long, value_name = "L,K[,C]", allow_hyphen_values = true)]
    lkc: Option<String>,
    /// Any model of 'scumble list', e.g. beta_likeness:beta=1 or 'alpha_k:k=3,alphas=[hiv=0.1,cancer=0.3]'; repeatable
    #[arg(long, value_name = "NAME:KEY=VALUE,…")]
    model: Vec<String>,
    /// A table of the population that the rows come from, with the quasi-identifiers; for k_map and delta_presence
    #[arg(long, value_name = "FILE")]
    population: Option<String>,
    /// Publish sensitive columns that no model protects
    #[arg(long)]
    accept_attribute_disclosure: bool,
    /// Publish codes that show which rows are one person's, without a model of all rows of a person
    #[arg(long)]
    accept_linkable_rows: bool,
}

/// How the release is found.
#[derive(clap::Args)]
#[command(next_help_heading = "Search")]
struct SearchFlags {
    /// The algorithm (scumble list); mondrian if not given
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// The metric to optimise, if the algorithm allows a choice
    #[arg(long, value_name = "NAME")]
    metric: Option<String>,
    /// The share of rows that may be suppressed, from 0 to 1: 0.05 for 5 %
    #[arg(long, value_name = "SHARE")]
    suppression: Option<String>,
    /// What happens to suppressed rows: strict, paper or drop
    #[arg(long, value_name = "POLICY")]
    star_policy: Option<String>,
    /// The time a search may take, e.g. 30s
    #[arg(long, value_name = "TIME")]
    budget: Option<String>,
    /// The most steps a search may take; repeats a search that had a budget
    #[arg(long, value_name = "N", value_parser = super::whole)]
    steps: Option<u64>,
    /// Random seed: makes random steps repeatable, for tests
    #[arg(long, value_name = "N", value_parser = super::whole)]
    seed: Option<u64>,
    /// A parameter of the algorithm (scumble explain NAME); a list is written with commas: --set importance=sex,age
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Give every column one domain: values that overlap between groups become one
    #[arg(long)]
    flatten: bool,
    /// Keep the order of the original rows (not for publication)
    #[arg(long)]
    keep_order: bool,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    if arguments.input.len() > 1 {
        let Arguments { json, force, roles, .. } = arguments;
        return super::joined::run(&arguments.input, (*json, *force), &roles.key, interface);
    }
    if arguments.json && arguments.output.as_deref() == Some("-") {
        return Err(Error::config("--json and -o - both want standard output; give the release a file name"));
    }
    let (mut plan, folder) = plan(arguments)?;
    if arguments.attack {
        // The attacks compare the release with its original, whose codes must then be the same.
        give_release_id(&mut plan)?;
    }
    if arguments.attack && (plan.input == "-" || plan.output == "-") {
        return Err(Error::config(
            "--attack reads the original and the release again; give both a file name, or attack later with scumble attack",
        ));
    }
    check_standard_output(Path::new(&plan.output))?;
    let mut outputs = Outputs::new(arguments.force);
    if is_plan(arguments.input()) {
        outputs.read("plan", arguments.input());
    }
    let released = execute(&plan, &folder, &outputs, interface)?;
    // The release is reported first: it is there, whatever happens to the attacks.
    if arguments.json {
        let json = serde_json::to_string(&released.summary).map_err(Error::internal)?;
        print_after_publishing(json + "\n")?;
    } else {
        tell(&plan, &released, !arguments.attack, interface);
        // Attacks are evidence, so they come before the verdict.
        released
            .summary
            .verdict
            .iter()
            .filter(|_| !arguments.attack)
            .for_each(|verdict| tell_verdict(verdict, released.report.as_deref(), interface));
    }
    if arguments.attack {
        interface.released();
        let (found, verdict) = attack::on_release(&plan, &folder, &released, interface)?;
        if !arguments.json {
            found
                .iter()
                .for_each(|found| interface.say(format_args!("  {}: {}", found.title, found.sentence)));
            let report = released.report.as_deref();
            verdict.iter().for_each(|verdict| tell_verdict(verdict, report, interface));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Carries out a plan and shows progress.
pub(crate) fn execute(
    plan: &Plan,
    folder: &Path,
    outputs: &Outputs,
    interface: &Interface,
) -> Result<Released> {
    let mut out = std::io::stdout();
    let stage = |stage| interface.stage(stage);
    interface.limit(plan.algorithm.budget.map(|budget| budget.duration()));
    let mut options =
        RunOptions { folder, progress: interface.progress(), stage: &stage, standard_output: Some(&mut out) };
    let released = anonymize_beside(plan, outputs, &mut options);
    interface.done();
    released
}

/// Reports in a few lines what was released. A release whose verdict is red, or not final, is not called fit for publication.
pub(crate) fn tell(plan: &Plan, released: &Released, is_final: bool, interface: &Interface) {
    let summary = &released.summary;
    let target =
        released.release.as_ref().map_or("standard output".into(), |path| path.display().to_string());
    let is_red = summary.verdict.as_ref().is_some_and(|verdict| verdict.colour == "red");
    let written = row_count(summary.released);
    match &summary.verdict {
        Some(verdict) if is_red => interface.say(format_args!(
            "{}: {written} {} written to {target} and checked, but this file must not be published as it is",
            verdict.heading,
            if summary.released == 1 { "was" } else { "were" }
        )),
        _ => interface.say(format_args!("Released {written} to {target}")),
    }
    if summary.models.is_empty() {
        interface.say(format_args!(
            "  no model was asked for; the smallest group has {}",
            row_count(summary.smallest_class.unwrap_or(0))
        ));
    } else {
        interface.say(format_args!("  {}", promised(plan, summary)));
    }
    if summary.tables.is_empty() {
        tell_classes(summary, interface);
    }
    for table in &summary.tables {
        interface.say(format_args!("  {:12} {}", table.file, table.columns.join(", ")));
    }
    for finding in &summary.findings {
        let value = finding.value.map_or("infinite".into(), |value| match value {
            whole if whole.fract() == 0.0 => format!("{whole}"),
            value => format!("{value:.6}"),
        });
        let of = finding.column.as_ref().map_or(String::new(), |column| format!(" of {column}"));
        interface.note(format_args!("{}{of} = {value}: {}", finding.name, finding.meaning));
    }
    if let Some(path) = &released.datasheet {
        let may = if is_red || !is_final { "" } else { "  (may be published)" };
        interface.say(format_args!("  datasheet  {}{may}", path.display()));
    }
    if let Some(path) = &released.report {
        interface.say(format_args!(
            "  report     {}  (private: open it in a browser, do not publish it)",
            path.display()
        ));
    }
    if let Some(path) = &released.recoding {
        interface.say(format_args!("  recoding   {}  (private: for scumble apply)", path.display()));
    }
    if let Some(path) = &released.row_map {
        interface.say(format_args!("  row map    {}  (private: for scumble check)", path.display()));
    }
    summary.notes.iter().for_each(|note| interface.note(note));
    summary.warnings.iter().for_each(|warning| interface.warn(warning));
}

/// A next step with ordinary spaces, and with the flag beside what the library says of a plan: `(audience = "researchers")`.
fn with_flags(step: &str) -> String {
    let mut step = step.replace('\u{a0}', " ");
    for audience in Audience::ALL {
        let name = audience.name();
        step = step.replace(
            &format!("(audience = \"{name}\")"),
            &format!("(--for {name}; in a plan: [risk] audience = \"{name}\")"),
        );
    }
    step
}

/// Prints the verdict that opens the report.
pub(super) fn tell_verdict(verdict: &Conclusion, report: Option<&Path>, interface: &Interface) {
    interface.say(format_args!("  verdict    {}", verdict.heading.replace('\u{a0}', " ")));
    for (step, number) in verdict.steps.iter().zip(1..) {
        let step = wrap(&format!("{number}. {}", with_flags(step)), 97, "   ");
        step.lines().for_each(|line| interface.say(format_args!("             {line}")));
    }
    if verdict.further > 0 {
        let further = counted(verdict.further, "further point", "further points");
        let told = match report {
            Some(page) => format!("{further}: see {}", page.display()),
            None => format!("{further}: a report lists them all (--report DIR)"),
        };
        interface.say(format_args!("             {told}"));
    }
}

/// Returns the promise and its columns: `5-anonymity on age, sex; checked`.
pub(super) fn promised(plan: &Plan, summary: &Summary) -> String {
    let on_set = |model: &ModelSummary| {
        let on = model.on.as_ref().map_or(String::new(), |set| format!(" {}", on_columns(&model.title, set)));
        format!("{}{on}", model.title)
    };
    let models: Vec<String> = summary.models.iter().map(on_set).collect();
    let perturbed = summary.perturbation.as_ref().map_or(&[][..], |found| &found.known);
    let unjudged = plan.algorithm.star_policy == StarPolicy::Paper && summary.suppressed > 0;
    let except = if unjudged { " (suppressed rows not checked)" } else { "" };
    let on_all = if !summary.tables.is_empty() || summary.models.iter().any(|model| model.on.is_some()) {
        String::new()
    } else {
        let last = summary.models.last().map_or("", |model| model.title.as_str());
        let names: Vec<&str> =
            plan.names_with(Role::Quasi).filter(|name| !perturbed.iter().any(|of| of == name)).collect();
        format!(" {}", on_columns(last, &names))
    };
    let beside = match perturbed {
        [] => String::new(),
        names => format!("; {} perturbed, so no model covers it", names.join(", ")),
    };
    format!("{}{on_all}; checked{except}{beside}", models.join(", "))
}

/// Writes `on age, sex`; after a title that ends with what is counted, `(on age, sex)`.
fn on_columns<S: AsRef<str>>(title: &str, names: &[S]) -> String {
    let on = format!("on {}", names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", "));
    if title.contains(", counting ") { format!("({on})") } else { on }
}

/// Says how coarse the equivalence classes of a release are.
fn tell_classes(summary: &Summary, interface: &Interface) {
    let loss = summary.metrics.get("loss").and_then(serde_json::Value::as_f64);
    let classes = match summary.smallest_class {
        // Suppressed rows may have been checked as a class of their own, and be all that there is.
        Some(smallest) if summary.classes > 0 => {
            let classes = counted(summary.classes, "group", "groups");
            format!("{classes}, the smallest with {}", row_count(smallest))
        }
        _ => "no group is left".to_owned(),
    };
    interface.say(format_args!(
        "  {classes}; {} suppressed ({}); mean loss {}",
        row_count(summary.suppressed),
        percent(summary.suppressed, summary.rows),
        loss.map_or("undefined".into(), |loss| format!("{loss:.4}")),
    ));
}

pub(super) fn is_plan(input: &Path) -> bool {
    input.extension().is_some_and(|extension| extension == "toml")
}

/// Returns the plan that the arguments ask for, and the folder that its file names are relative to.
fn plan(arguments: &Arguments) -> Result<(Plan, PathBuf)> {
    let is_plan = is_plan(arguments.input());
    let (mut plan, folder) = if is_plan {
        let folder = arguments.input().parent().map(Path::to_owned).unwrap_or_default();
        (Plan::load(arguments.input())?, folder)
    } else {
        let input = arguments.input().to_string_lossy();
        let output = arguments.output.clone().ok_or_else(|| {
            Error::config("say where the release goes: -o FILE (its ending sets the format), or -o - for standard output")
        })?;
        let mut plan = Plan::new(input, output.clone());
        plan.report = default_report(&output);
        (plan, PathBuf::new())
    };
    // File names on the command line are relative to where the command runs, not to the plan.
    let here = |name: &String| -> Result<String> {
        if name == "-" || name.is_empty() || !is_plan {
            return Ok(name.clone());
        }
        let path =
            from_here(Path::new(name)).map_err(|source| Error::io(format!("cannot use '{name}'"), source))?;
        Ok(path.to_string_lossy().into_owned())
    };
    if let Some(output) = &arguments.output {
        let (own, other) = (located(&folder, &plan.output), here(output)?);
        // If the output is not the plan's, the report goes elsewhere, too, or it would replace the report of the plan's release.
        if is_plan
            && output != "-"
            && !plan.report.is_empty()
            && from_here(&own).ok() != Some(PathBuf::from(&other))
        {
            plan.report = default_report(&other);
        }
        plan.output = other;
    }
    if let Some(report) = &arguments.report {
        plan.report = here(report)?;
    }
    if let Some(recoding) = &arguments.recoding {
        plan.recoding = Some(here(recoding)?);
    }
    if let Some(row_map) = &arguments.row_map {
        plan.row_map = Some(here(row_map)?);
    }
    plan.spreadsheet_safe |= arguments.spreadsheet_safe;
    if let Some(name) = &arguments.output_dialect {
        plan.output_dialect = Some(output_dialect(name)?);
    }
    arguments.roles.apply(&mut plan, here)?;
    arguments.privacy.apply(&mut plan, here)?;
    arguments.audience.apply(&mut plan);
    arguments.search.apply(&mut plan)?;
    arguments.reading.apply(&mut plan.read)?;
    Ok((plan, folder))
}

/// Returns the default folder of the report: `out/release.report` for `out/release.csv`, none for standard output.
fn default_report(output: &str) -> String {
    if output == "-" {
        return String::new();
    }
    if let Some(Ok(address)) = Address::recognise(output) {
        return format!("{}.report", address.documents(Path::new("")).display());
    }
    let path = Path::new(output);
    let stem = stem_of(path);
    path.with_file_name(format!("{stem}.report")).to_string_lossy().into_owned()
}

/// Reads the name of what happens to suppressed rows.
pub(super) fn star_policy(name: &str) -> Result<StarPolicy> {
    let known = [("strict", StarPolicy::Strict), ("paper", StarPolicy::Paper), ("drop", StarPolicy::Drop)];
    choice("--star-policy", name, &known)
}

/// Reads the name of the program that delimited text is written for.
pub(super) fn output_dialect(name: &str) -> Result<OutputDialect> {
    choice("--output-dialect", name, &OutputDialect::ALL)
}

/// Reads what happens to columns that nobody has named.
pub(super) fn rest(name: &str) -> Result<Rest> {
    choice("--rest", name, &[("other", Rest::Other), ("drop", Rest::Drop)])
}

/// Splits `name=value`, or fails with an error that names the flag.
fn pair<'a>(flag: &str, text: &'a str) -> Result<(&'a str, &'a str)> {
    text.split_once('=').ok_or_else(|| Error::config(format!("{flag} wants NAME=VALUE, not '{text}'")))
}

impl RoleFlags {
    pub(super) fn apply(&self, plan: &mut Plan, here: impl Fn(&String) -> Result<String>) -> Result<()> {
        let lists: [(Role, Vec<&String>); 10] = [
            (Role::Quasi, self.quasi.iter().collect()),
            (Role::Sensitive, self.sensitive.iter().collect()),
            (Role::Class, self.class.iter().collect()),
            (Role::Identifier, self.identifier.iter().collect()),
            (Role::Subject, self.subject.iter().collect()),
            (Role::Household, self.household.iter().collect()),
            (Role::Guarding, self.guarding.iter().collect()),
            (Role::Other, self.other.iter().collect()),
            (Role::Weight, self.weight_columns.iter().collect()),
            (Role::Drop, self.drop.iter().collect()),
        ];
        let mut given: Vec<(&str, Vec<Role>)> = Vec::new();
        for (role, names) in &lists {
            for name in names {
                match given.iter_mut().find(|(known, _)| known == name) {
                    Some((_, roles)) => roles.push(*role),
                    None => given.push((name, vec![*role])),
                }
            }
        }
        for step in &self.transform {
            plan.transform.push(super::transform_flag::parse(step)?);
        }
        self.key.apply(plan)?;
        for (name, roles) in given {
            let roles =
                Roles::new(&roles).map_err(|message| Error::config(format!("column '{name}': {message}")))?;
            column(plan, name).role = roles;
        }
        if let Some(name) = &self.rest {
            plan.rest = Some(rest(name)?);
        }
        for given in &self.types {
            let (name, kind) = pair("--type", given)?;
            set_type(known_column(plan, "--type", name)?, kind)?;
        }
        for given in &self.range {
            set_range(plan, given)?;
        }
        for given in &self.equality {
            let (name, rule) = pair("--equality", given)?;
            let known = [("normal", Equality::Normal), ("exact", Equality::Exact)];
            known_column(plan, "--equality", name)?.equality = choice("--equality", rule, &known)?;
        }
        if self.renumber {
            let households = plan.columns.iter_mut().filter(|(_, column)| column.role.has(Role::Household));
            let Some((_, column)) = households.into_iter().next() else {
                return Err(Error::config("--renumber: no column tells households apart")
                    .set(Setting::role("household"), "say which column does"));
            };
            column.renumber = true;
        }
        for given in &self.weights {
            let (name, rule) = pair("--weights", given)?;
            let rule = choice("--weights", rule, &Weights::ALL)?;
            known_column(plan, "--weights", name)?.weights = Some(rule);
        }
        for given in &self.stratum {
            let (name, stratum) = pair("--stratum", given)?;
            known_column(plan, "--stratum", name)?.stratum = Some(stratum.to_owned());
        }
        for name in &self.missing_counts {
            known_column(plan, "--missing-counts", name)?.missing_counts = true;
        }
        if let Some(folder) = &self.hierarchies {
            plan.hierarchies = Some(here(folder)?);
        }
        for given in &self.hierarchy {
            let (name, what) = pair("--hierarchy", given)?;
            let mut builder = parse_builder(what)?;
            if let Builder::File { path, .. } | Builder::ParentChild { path, .. } = &mut builder {
                *path = here(&path.to_string_lossy().into_owned())?.into();
            }
            known_column(plan, "--hierarchy", name)?.hierarchy = Some(builder);
        }
        Ok(())
    }
}

/// Sets how the ranges of a column are written.
pub(super) fn set_range(plan: &mut Plan, given: &str) -> Result<()> {
    let (name, form) = pair("--range", given)?;
    known_column(plan, "--range", name)?.range = choice("--range", form, &Range::ALL)?;
    Ok(())
}

/// Returns the column of that name in a plan, and adds it if it is missing.
fn column<'a>(plan: &'a mut Plan, name: &str) -> &'a mut Column {
    let place = plan.columns.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        plan.columns.push((name.to_owned(), Column::new(Roles::one(Role::Other))));
        plan.columns.len() - 1
    });
    &mut plan.columns[place].1
}

fn known_column<'a>(plan: &'a mut Plan, flag: &str, name: &str) -> Result<&'a mut Column> {
    let names: Vec<String> = plan.columns.iter().map(|(name, _)| name.clone()).collect();
    match plan.columns.iter_mut().find(|(known, _)| known == name) {
        Some((_, column)) => Ok(column),
        None => Err(Error::config(format!(
            "{flag}: no role is given for a column '{name}'{}",
            did_you_mean(name, names.iter().map(String::as_str))
        ))),
    }
}

pub(super) fn set_type(column: &mut Column, kind: &str) -> Result<()> {
    use scumble::table::date::DateFormat;
    if let Some(format) = DateFormat::ALL.into_iter().find(|format| format.name() == kind) {
        column.value_type = Some(scumble::config::ValueType::Date);
        column.format = Some(format);
        return Ok(());
    }
    let value = toml::Value::String(kind.to_owned());
    column.value_type = Some(value.try_into().map_err(|_| {
        let formats = DateFormat::ALL.map(DateFormat::name).join(", ");
        Error::config(format!(
            "--type: '{kind}' is no type; there are integer, decimal, decimal_comma, text, timestamp, time, boolean, date, {formats}"
        ))
    })?);
    Ok(())
}

impl PrivacyFlags {
    pub(super) fn apply(&self, plan: &mut Plan, here: impl Fn(&String) -> Result<String>) -> Result<()> {
        if let Some(population) = &self.population {
            plan.population = Some(here(population)?);
        }
        let [known, rows, share] = self.lkc()?;
        let any =
            self.model.iter().map(|given| super::model_flag::parse(given)).collect::<Result<Vec<_>>>()?;
        plan.privacy.retain(|known| any.iter().all(|spec| spec.model != known.model));
        let forms = [
            ("k_anonymity", vec![("k", &self.k)]),
            ("l_diversity", vec![("l", &self.l), ("variant", &self.l_variant), ("c", &self.c)]),
            ("t_closeness", vec![("t", &self.t), ("distance", &self.t_distance)]),
            ("lkc", vec![("l", &known), ("k", &rows), ("c", &share)]),
        ];
        for (model, parameters) in forms {
            if parameters[0].1.is_none() {
                continue;
            }
            let mut spec = ModelSpec {
                model: model.into(),
                columns: Vec::new(),
                quasi: None,
                parameters: Parameters::default(),
            };
            for (name, value) in parameters {
                if let Some(value) = value {
                    spec.parameters.set(name, Value::from_text(value));
                }
            }
            // The unit that k counts cannot be set by a flag, so it is kept.
            let known = plan.privacy.iter().find(|known| known.model == model);
            if let Some(unit) = known.and_then(|known| known.parameters.get("unit")) {
                spec.parameters.set("unit", unit.clone());
            }
            // A flag replaces the plan's requirement of the same name.
            plan.privacy.retain(|known| known.model != model);
            plan.privacy.push(spec);
        }
        plan.privacy.extend(any);
        plan.accept_attribute_disclosure |= self.accept_attribute_disclosure;
        plan.accept_linkable_rows |= self.accept_linkable_rows;
        Ok(())
    }
}

impl PrivacyFlags {
    /// Returns the L, K and C of `--lkc`.
    fn lkc(&self) -> Result<[Option<String>; 3]> {
        let Some(given) = &self.lkc else { return Ok([None, None, None]) };
        let parts: Vec<&str> = given.split(',').map(str::trim).collect();
        match parts[..] {
            [known, rows] => Ok([Some(known.into()), Some(rows.into()), None]),
            [known, rows, share] => Ok([Some(known.into()), Some(rows.into()), Some(share.into())]),
            _ => Err(Error::config(format!("--lkc wants L,K or L,K,C, e.g. 2,5,0.5, not '{given}'"))),
        }
    }
}

impl SearchFlags {
    fn apply(&self, plan: &mut Plan) -> Result<()> {
        let algorithm = &mut plan.algorithm;
        if let Some(name) = &self.algorithm {
            algorithm.name.clone_from(name);
        }
        if let Some(metric) = &self.metric {
            algorithm.metric = Some(metric.clone());
        }
        if let Some(share) = &self.suppression {
            algorithm.suppression = Some(super::share("--suppression", share)?);
        }
        if let Some(policy) = &self.star_policy {
            algorithm.star_policy = star_policy(policy)?;
        }
        if let Some(budget) = &self.budget {
            algorithm.budget =
                Some(budget.parse().map_err(|error| Error::config(format!("--budget: {error}")))?);
        }
        algorithm.steps = self.steps.or(algorithm.steps);
        algorithm.seed = self.seed.or(algorithm.seed);
        for given in &self.set {
            let (name, value) = pair("--set", given)?;
            algorithm.set(name, super::parameter_flag::parse(value))?;
        }
        algorithm.flatten |= self.flatten;
        plan.keep_order |= self.keep_order;
        Ok(())
    }
}
