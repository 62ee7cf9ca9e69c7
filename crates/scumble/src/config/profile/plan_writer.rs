//! Writes the guesses as a plan that a person can read, correct and confirm.

use std::fmt::Write;

use scumble_files::database::Address;

use super::kind_words::Axis;
use super::plan_words::{key, quoted};
use super::{ColumnProfile, Sign};
use crate::base::text::{grouped, on_one_line, rows};
use crate::config::template::{Advice, ColumnAdvice, Lines, LinesText, Offer, Template};
use crate::config::{Audience, Read, Role, Roles, ValueType};
use crate::table::date::DateFormat;
use crate::table::kind::{Inference, Kind};
use crate::table::personal;

/// The files that a plan names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanFiles {
    /// The table.
    pub input: String,
    /// The release.
    pub output: String,
    /// The folder of the private report.
    pub report: String,
    /// The plan itself, for the command that its comment names.
    pub plan: String,
}

impl PlanFiles {
    /// Names after the table: `patients.release.csv` and `patients.report` for `patients.csv`. A table of text has a release of text; others
    /// keep their own ending.
    #[must_use]
    pub fn for_input(input: &str) -> Self {
        let lower = input.to_lowercase();
        let ending = ["parquet", "arrow", "feather", "tsv", "xlsx"]
            .into_iter()
            .find(|ending| lower.split('.').skip(1).any(|part| part == *ending))
            .unwrap_or("csv");
        let (output, report) = match Self::stem(input) {
            Some(stem) => (format!("{stem}.release.{ending}"), format!("{stem}.report")),
            None => (format!("release.{ending}"), "report".to_owned()),
        };
        Self { input: input.to_owned(), output, report, plan: "release.toml".to_owned() }
    }

    /// The name of a table without its folder and its endings: `patients` for `data/patients.csv.gz`. Standard input has none.
    #[must_use]
    pub fn stem(input: &str) -> Option<String> {
        if let Some(address) = Address::recognise(input) {
            return address.ok().map(|address| address.stem());
        }
        let name = input.rsplit(['/', '\\']).next().unwrap_or_default();
        const ENDINGS: [&str; 16] = [
            ".gz", ".zst", ".csv", ".tsv", ".txt", ".parquet", ".arrow", ".feather", ".ipc", ".xlsx", ".xls",
            ".ods", ".db", ".db3", ".sqlite", ".sqlite3",
        ];
        let stem = ENDINGS.iter().fold(name, |stem, ending| stem.strip_suffix(ending).unwrap_or(stem));
        (!stem.is_empty() && stem != "-").then(|| stem.to_owned())
    }
}

/// The fewest rows for which groups of so many leave something to see: 4 groups.
const GROUPS: u64 = 4;

/// The k that named researchers need, for tables too small for the k of the public.
fn k_of_researchers() -> u64 {
    Audience::Researchers.least_k()
}

const ROLES: &str = "\
#   identifier  names a person by itself (a name, a number); never released
#   subject     tells which rows belong to one person; never released
#   guarding    says which node of a hierarchy each person wants guarded; never released
#   quasi       may be known to outsiders, who could find a person by it; generalised
#   sensitive   what outsiders must not learn about a person; kept, and protected by a model
#   class       what machine-learning models will predict; kept (may also be sensitive: [\"class\", \"sensitive\"])
#   other       kept as it is, on the promise that outsiders do not have it
#   drop        left out
";

/// The guesses as a commented plan. Roles are marked with a `?` unless they are to be accepted without confirmation.
///
/// `read` is how the table was read, so that the plan reads it in the same way.
/// The plan holds counts of the original table and no value of it.
#[must_use]
pub fn plan_toml(profiles: &[ColumnProfile], files: &PlanFiles, read: &Read, accept: bool) -> String {
    write_plan(profiles, files, read, accept, None)
}

/// The same with what a template makes of the guesses, and notes about the lines that are comments because the table lacks something.
#[must_use]
pub fn plan_toml_of(
    template: &Template,
    profiles: &[ColumnProfile],
    files: &PlanFiles,
    read: &Read,
    accept: bool,
) -> (String, Vec<String>) {
    let advice = template.advise(profiles);
    (write_plan(profiles, files, read, accept, Some(&advice)), advice.notes(profiles))
}

fn write_plan(
    profiles: &[ColumnProfile],
    files: &PlanFiles,
    read: &Read,
    accept: bool,
    advice: Option<&Advice<'_>>,
) -> String {
    let mut text = String::new();
    write_head(&mut text, files, accept);
    if let Some(advice) = advice {
        write_template(&mut text, advice.template);
    }
    write_read(&mut text, read);
    for (place, profile) in profiles.iter().enumerate() {
        let advice = advice.and_then(|advice| advice.columns.get(place));
        write_column(&mut text, profile, advice, &read.missing, accept);
    }
    write_places(&mut text, profiles);
    match advice.filter(|advice| advice.replaces_models()) {
        Some(advice) => advice.models.iter().for_each(|lines| write_lines(&mut text, lines)),
        None => {
            write_privacy(&mut text, profiles);
            advice.iter().flat_map(|advice| &advice.models).for_each(|lines| write_lines(&mut text, lines));
        }
    }
    match advice.and_then(|advice| advice.risk.as_ref()) {
        Some(lines) => write_lines(&mut text, lines),
        None => write_audience(&mut text),
    }
    match advice.and_then(|advice| advice.search.as_ref()) {
        Some(lines) => write_lines(&mut text, lines),
        None => write_algorithm(&mut text, profiles),
    }
    advice.iter().filter_map(|advice| advice.report.as_ref()).for_each(|lines| write_lines(&mut text, lines));
    text
}

/// Appends lines; writing to a string cannot fail.
macro_rules! line {
    ($text:expr, $($argument:tt)*) => {{
        let _ = writeln!($text, $($argument)*);
    }};
}

fn write_head(text: &mut String, files: &PlanFiles, accept: bool) {
    line!(text, "# The plan of a release. It describes the original table: keep it private.");
    line!(text, "#");
    if accept {
        line!(
            text,
            "# The roles below were guessed and accepted without a look. They are what protection rests on:"
        );
        line!(text, "# a quasi-identifier that is taken for something else is not protected.");
    } else {
        line!(
            text,
            "# The roles below are guesses, marked with `?`. Look at each column, then remove the `?` to"
        );
        line!(text, "# confirm the guess, or write another role:");
    }
    text.push_str(ROLES);
    line!(text, "# Then run: scumble anonymize {}\n", on_one_line(&files.plan));
    line!(text, "input = {}", quoted(&files.input));
    line!(text, "output = {}", quoted(&files.output));
    line!(text, "report = {}  # private: not for publication", quoted(&files.report));
    line!(text, "# rest = \"drop\"  # what happens to columns that are not listed here: other or drop\n");
}

/// Which template the plan comes from, and what the template leaves open.
fn write_template(text: &mut String, template: &Template) {
    write_folded(
        text,
        "# ",
        &format!("Made from a template: {}. It follows {}.", template.title, template.source),
    );
    line!(
        text,
        "# A template is a starting point and no legal advice. It has confirmed no role. What it does not do:"
    );
    template.does_not.iter().for_each(|line| write_folded(text, "#   - ", line));
    line!(text, "template = {}", quoted(&template.name));
    line!(text, "template_version = {}\n", template.version);
}

/// Lines of a template, as comments if something is missing for them.
fn write_lines(text: &mut String, lines: &Lines) {
    text.push('\n');
    write_folded(text, "# ", &lines.why);
    match &lines.text {
        LinesText::Active(lines) => line!(text, "{lines}"),
        LinesText::Comment(offer) => write_offer(text, offer),
    }
}

/// Lines that somebody may want once something is there that is missing.
fn write_offer(text: &mut String, offer: &Offer) {
    let lacks = offer.lacks.iter().map(|lacks| format!("Missing: {lacks}."));
    let how = offer.how.iter().map(|how| format!("{how}."));
    let mut sentences: Vec<String> = lacks.chain(how).collect();
    sentences.push("Then remove the # of these lines:".to_owned());
    write_folded(text, "# ", &sentences.join(" "));
    offer.text.lines().for_each(|line| line!(text, "# {line}"));
}

/// A comment on as many lines as it takes.
fn write_folded(text: &mut String, begin: &str, sentence: &str) {
    const WIDTH: usize = 120;
    let mut line = begin.to_owned();
    for word in sentence.split_whitespace() {
        if line.chars().count() + word.chars().count() > WIDTH && line.trim_end() != begin.trim_end() {
            line!(text, "{}", line.trim_end());
            line = format!("#{}", " ".repeat(begin.len() - 1));
        }
        line.push_str(word);
        line.push(' ');
    }
    line!(text, "{}", line.trim_end());
}

fn write_read(text: &mut String, read: &Read) {
    line!(
        text,
        "# How the table is read; delimiter, quote, header and encoding are detected where they are not given."
    );
    line!(
        text,
        "# missing_policy: own-value keeps rows with a missing value and shows it as missing, drop-row leaves them out, error refuses the table."
    );
    line!(text, "[read]");
    // These settings always have a text.
    text.push_str(&toml::to_string(read).unwrap_or_default());
}

fn write_column(
    text: &mut String,
    profile: &ColumnProfile,
    advice: Option<&ColumnAdvice>,
    missing: &[String],
    accept: bool,
) {
    let guessed = advice.map_or(&profile.roles, |advice| &advice.roles).clone();
    let undecided = profile.kind == Inference::AmbiguousDate;
    let steps = advice.map_or("", |advice| advice.steps.as_str());
    // A step needs to know how dates are written, and only a person can say it.
    let stuck = undecided && accept && !steps.is_empty();
    let guessed = if stuck { Roles::one(Role::Drop) } else { guessed };
    let roles = if accept { guessed.accepted() } else { guessed.guessed() };
    line!(text, "\n# {}", counts(profile));
    // A comment ends with its line, so nothing in it may end one.
    line!(text, "# {} (Confidence: {}.)", on_one_line(&profile.reason), profile.confidence.name());
    if let Some(why) = advice.and_then(|advice| advice.why.as_ref()) {
        write_folded(text, "# ", &format!("Template: {why}"));
    }
    line!(text, "[columns.{}]", key(&profile.name));
    line!(text, "role = {}", roles.to_toml());
    if roles.has(Role::Weight) {
        line!(text, "weights = \"round\"  # or \"class_mean\", the mean of the group, or \"keep\"");
    }
    write_missing(text, profile, missing);
    match advice.and_then(|advice| advice.after.as_ref()) {
        Some(after) if !stuck => line!(text, "{after}"),
        _ => write_values(text, profile, roles.has(Role::Quasi), accept),
    }
    let formats = || [DateFormat::DayMonthYear, DateFormat::MonthDayYear].map(DateFormat::name);
    if stuck {
        let lacks = Some("how the dates are written, since day and month cannot be told apart".to_owned());
        write_offer(text, &Offer { lacks, how: None, text: steps.to_owned() });
    } else if !steps.is_empty() {
        line!(text, "{steps}");
        if undecided {
            line!(text, "# Day and month cannot be told apart. Remove the # of the right line:");
            formats().iter().for_each(|name| line!(text, "# format = \"{name}\""));
        }
    }
    for offer in advice.iter().flat_map(|advice| &advice.offers) {
        write_offer(text, offer);
    }
}

/// The type of the values, and how they could be generalised, if they ever are.
fn write_values(text: &mut String, profile: &ColumnProfile, generalised: bool, accept: bool) {
    let undecided = profile.kind == Inference::AmbiguousDate;
    if undecided && accept {
        line!(
            text,
            "type = \"text\"  # dates in which day and month cannot be told apart: give type and format"
        );
        if profile.hierarchy.is_some() && generalised {
            line!(text, "hierarchy = {{ build = \"flat\" }}");
        }
        return;
    }
    line!(text, "type = \"{}\"", profile.value_type.name());
    if undecided {
        line!(text, "# Day and month cannot be told apart. Remove the # of the right line:");
        line!(text, "# format = \"{}\"", DateFormat::DayMonthYear.name());
        line!(text, "# format = \"{}\"", DateFormat::MonthDayYear.name());
    }
    if let (Inference::Clear(Kind::Date(format)), ValueType::Date) = (profile.kind, profile.value_type) {
        line!(text, "format = \"{}\"", format.name());
    }
    if let Some((low, high)) = profile.domain {
        line!(text, "min = {low}");
        line!(text, "max = {high}");
    }
    if let Some(hierarchy) = profile.hierarchy.as_ref().filter(|_| generalised) {
        // Mondrian makes ranges and sets of its own, which fit closer than fixed levels; codes only make sense by prefix.
        if !hierarchy.toml.contains("\"prefix\"") {
            line!(
                text,
                "# hierarchy = {}  # {} (Leave commented out for the default algorithm, mondrian.)",
                hierarchy.toml,
                hierarchy.reason
            );
        } else {
            line!(text, "hierarchy = {}  # {}", hierarchy.toml, hierarchy.reason);
        }
    }
}

/// The step that makes one column of a latitude and a longitude. It is a comment, since somebody must decide how large a cell
/// is, and must leave out both columns.
fn write_places(text: &mut String, profiles: &[ColumnProfile]) {
    let half = |axis: Axis| {
        profiles.iter().find(|profile| {
            profile.roles.has(Role::Quasi)
                && profile.signs.contains(&Sign::Personal(personal::Kind::Coordinates))
                && Axis::named(&profile.name) == Some(axis)
        })
    };
    let (Some(latitude), Some(longitude)) = (half(Axis::Latitude), half(Axis::Longitude)) else { return };
    let mut into = "cell".to_owned();
    while profiles.iter().any(|profile| profile.name == into) {
        into.push('_');
    }
    let (from, to) = (&latitude.name, &longitude.name);
    line!(
        text,
        "\n# Latitude and longitude as one cell of a grid, about 5 km wide. Give both columns the role drop, and remove the # of these lines:"
    );
    line!(text, "# [[transform]]\n# do = \"geo\"");
    line!(text, "# columns = [{}, {}]", quoted(from), quoted(to));
    line!(text, "# into = \"{into}\"\n# precision = 5");
    line!(
        text,
        "# [columns.{into}]\n# role = \"quasi\"\n# hierarchy = {{ build = \"prefix\", lengths = [4, 3, 2, 1] }}"
    );
}

/// The texts that look like missing values. What surely is one is set, for somebody to confirm; what may be a value is only mentioned.
fn write_missing(text: &mut String, profile: &ColumnProfile, known: &[String]) {
    let found = &profile.looks_missing;
    let list = |more: &[&[String]]| {
        let all: Vec<String> =
            known.iter().chain(more.iter().copied().flatten()).map(|text| quoted(text)).collect();
        all.join(", ")
    };
    if !found.words.is_empty() {
        line!(
            text,
            "# ? {} a text that looks like a missing value. Remove from the list what is a value.",
            have(found.rows)
        );
        line!(text, "missing = [{}]", list(&[&found.words]));
    }
    if !found.numbers.is_empty() {
        line!(
            text,
            "# ? Some numbers are far from all others, as surveys write a missing answer. If they are none, remove the #:"
        );
        line!(text, "# missing = [{}]", list(&[&found.words, &found.numbers]));
    }
}

/// `1 row has`, `12 rows have`.
fn have(count: u64) -> String {
    format!("{} {}", rows(count), if count == 1 { "has" } else { "have" })
}

/// How many values there are, in words.
fn counts(profile: &ColumnProfile) -> String {
    let values = match profile.distinct {
        0 => return format!("No values in {}.", rows(profile.rows)),
        1 => "1 value".to_owned(),
        distinct => format!("{} distinct values", grouped(distinct)),
    };
    let missing = match profile.missing {
        0 => "none missing".to_owned(),
        missing => format!("{} missing", grouped(missing)),
    };
    let unique = match profile.unique_rows {
        0 => "every value occurs more than once".to_owned(),
        1 => "1 value occurs only once".to_owned(),
        unique if unique == profile.distinct => "each occurs only once".to_owned(),
        unique => format!("{} occur only once", grouped(unique)),
    };
    format!("{values} in {}, {missing}; {unique}.", rows(profile.rows))
}

fn write_privacy(text: &mut String, profiles: &[ColumnProfile]) {
    let rows = profiles.first().map_or(0, |profile| profile.rows);
    line!(text, "\n# Whoever knows a person's quasi-identifiers finds at least k rows that could be theirs.");
    let (public, researchers) = (Audience::Public.least_k(), k_of_researchers());
    let k = match rows / GROUPS {
        groups if groups >= public => {
            line!(
                text,
                "# {public} is what a file for the public needs, {researchers} what one for named researchers needs."
            );
            public
        }
        groups => {
            line!(
                text,
                "# A file for the public needs {public}; this table is too small for that, so its release is rather for the readers of a smaller k."
            );
            if groups >= researchers { researchers } else { 2 }
        }
    };
    line!(text, "[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}");
    let sensitive: Vec<String> = profiles
        .iter()
        .filter(|profile| profile.roles.has(Role::Sensitive))
        .map(|profile| quoted(&profile.name))
        .collect();
    if sensitive.is_empty() {
        line!(
            text,
            "\n# No column looks sensitive. If one is, k-anonymity does not hide its values: rows that look alike"
        );
        line!(text, "# may all have the same one. Give it the role sensitive and ask for different values:");
        line!(text, "# [[privacy]]\n# model = \"l_diversity\"\n# variant = \"distinct\"\n# l = 2");
    } else {
        line!(
            text,
            "\n# k-anonymity does not hide sensitive values: rows that look alike may all have the same one."
        );
        line!(
            text,
            "# So these rows must have at least l different ones. Stricter: variant = \"entropy\" or \"recursive\"."
        );
        line!(text, "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"distinct\"\nl = 2");
        line!(text, "columns = [{}]", sensitive.join(", "));
    }
}

fn write_audience(text: &mut String) {
    line!(
        text,
        "\n# Who will read the release decides how much risk is too much: public, researchers or inside."
    );
    line!(text, "[risk]\naudience = \"public\"");
}

fn write_algorithm(text: &mut String, profiles: &[ColumnProfile]) {
    let has_class = profiles.iter().any(|profile| profile.roles.has(Role::Class));
    line!(text, "\n[algorithm]");
    line!(text, "name = \"mondrian\"  # cuts the rows into small groups; needs no class column");
    if has_class {
        line!(
            text,
            "# name = \"iack\"    # one level per column, chosen to predict the class column; may suppress many rows"
        );
        line!(text, "# name = \"iacc\"    # the same with limits on what is lost");
    } else {
        line!(text, "# name = \"iack\"    # for machine learning: needs a column with the role class");
    }
    line!(text, "# suppression = 0.05  # the share of rows that may be suppressed");
    line!(text, "# star_policy = \"strict\"  # or drop: suppressed rows are left out");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files() {
        for (input, output) in [
            ("patients.csv", "patients.release.csv"),
            ("data/patients.parquet", "patients.release.parquet"),
            ("x.tsv.gz", "x.release.tsv"),
            ("patients.xlsx", "patients.release.xlsx"),
            ("patients.xls", "patients.release.csv"),
            ("release.csv", "release.release.csv"),
            ("-", "release.csv"),
        ] {
            assert_eq!(PlanFiles::for_input(input).output, output, "{input}");
        }
        assert_eq!(PlanFiles::for_input("data/patients.csv.gz").report, "patients.report");
    }

    #[test]
    fn numbers_in_groups() {
        let numbers = [0, 999, 1_000, 1_234_567];
        assert_eq!(numbers.map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }
}
