//! The datasheet, which may be published with a release.
//!
//! Its schema is closed: how columns were coarsened, what holds on which columns, how to read the values. It never has a seed, a path,
//! a count of the original, an extreme or a lost value.

use scumble_verify::WrittenForm;
use serde::Serialize;

use super::described::FileSheet;
use super::run::Run;
use crate::base::format::capitalised;
use crate::base::text::{grouped, markdown as escaped};
use crate::config::template::said_of;
use crate::config::{Equality, Plan, Range, Role};
use crate::release::prepare::SpeltTable;
use crate::report::data::Perturbation;
use crate::table::hierarchy::Provenance;
use crate::table::quasi::{Quasi, Shape, Value};

/// The public description of a release.
#[derive(Debug, Clone, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Datasheet {
    pub(super) statement: String,
    pub(super) made_with: String,
    pub(super) algorithm: String,
    /// The template of the plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) template: Option<String>,
    pub(super) rows: u64,
    /// The files that it is about, filled in when they are written.
    pub(super) files: Vec<FileSheet>,
    /// How its texts are written, where that differs from what they mean.
    #[serde(flatten)]
    pub(super) written: WrittenForm,
    pub(super) guarantees: Vec<Guarantee>,
    pub(super) columns: Vec<ColumnSheet>,
    /// What was done to columns before anything else.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) steps: Vec<String>,
    pub(super) reading: Vec<&'static str>,
    pub(super) limits: Vec<String>,
}

impl Datasheet {
    /// The parts that all datasheets share.
    pub(super) fn of<Found>(run: &Run<'_, Found>, statement: String, rows: u64) -> Self {
        Self {
            statement,
            made_with: format!("Scumble {}", env!("CARGO_PKG_VERSION")),
            algorithm: format!("{} ({})", run.algorithm.title, run.algorithm.paper),
            template: said_of(run.plan).map(|(made, _)| made),
            rows,
            files: Vec::new(),
            written: run.written.clone(),
            guarantees: Vec::new(),
            columns: Vec::new(),
            steps: super::steps::sentences(run.plan),
            reading: Vec::new(),
            limits: Vec::new(),
        }
    }

    /// With the sentence about perturbed columns that outsiders may know.
    pub(super) fn with_perturbation(mut self, found: Option<&Perturbation>) -> Self {
        if let Some(found) = found.filter(|found| !found.known.is_empty()) {
            self.statement += &format!(
                " Perturbed: {}. No model covers that: {}",
                found.known.join(", "),
                found.sentence()
            );
        }
        self
    }
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Guarantee {
    pub(super) model: String,
    pub(super) on: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct ColumnSheet {
    pub(super) name: String,
    pub(super) role: &'static str,
    pub(super) how: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) kinds: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hierarchy: Option<&'static str>,
}

/// The entry of a column that is published unchanged; `None` for columns that are not published.
pub(super) fn kept_sheet(
    name: &str,
    roles: &crate::config::Roles,
    source: &SpeltTable,
    plan: &Plan,
) -> Option<ColumnSheet> {
    let role = match roles.as_slice() {
        [Role::Class] => "class",
        [Role::Sensitive] => "sensitive",
        [Role::Class, Role::Sensitive] => "class and sensitive",
        [Role::Other] if plan.drawn.beyond_models.iter().any(|of| of == name) => {
            "quasi-identifier, perturbed"
        }
        [Role::Other] => "other",
        _ => return None,
    };
    let one_spelling = if source.is_respelt(name) { ", but for one spelling of each value" } else { "" };
    let how = match &super::steps::words(plan, name)[..] {
        [] => format!("published as it is{one_spelling}"),
        made => format!("published as the steps made it{one_spelling}: {}", made.join("; then ")),
    };
    Some(ColumnSheet { name: name.into(), role, how, kinds: Vec::new(), hierarchy: None })
}

/// Where the coarser values of a column come from.
pub(super) fn provenance(quasi: &Quasi) -> Option<&'static str> {
    Some(match &quasi.shape {
        Shape::Tree(tree) if tree.provenance() == Provenance::Declared => {
            "declared, or built by a fixed rule"
        }
        Shape::Tree(tree) if tree.provenance() == Provenance::Numbered => {
            "from data; groups are named by numbers, and what they hold is not published"
        }
        Shape::Line(line) if line.declared => "range declared, cuts from data",
        Shape::Tree(_) | Shape::Line(_) | Shape::Set(_) => "from data",
    })
}

pub(super) fn value_kind(quasi: &Quasi, value: Value) -> &'static str {
    match (value, &quasi.shape) {
        (Value::Star, _) => "suppressed",
        (Value::Mean { .. }, _) => "mean of a group",
        (Value::Node(node), Shape::Tree(tree)) => match tree.openness(node) {
            // Its leaves may be intervals, and what is above them is one.
            Some(_) if is_interval(&quasi.label(value)) => "interval",
            _ if tree.is_leaf(node) => "value",
            _ => "hierarchy node",
        },
        (Value::Node(_), _) => "hierarchy node",
        (Value::Subset(codes), _) => {
            if codes.count_ones() == 1 {
                "value"
            } else {
                "set"
            }
        }
        (Value::Span(low, high), Shape::Set(_)) => {
            if low == high {
                "value"
            } else {
                "set"
            }
        }
        (Value::Span(..), _) => {
            if is_interval(&quasi.label(value)) {
                "interval"
            } else {
                "value"
            }
        }
    }
}

/// The sentence about values that stand for many numbers and have one end.
pub(super) const ONE_END: &str = ">=a stands for a or any greater value, <=a for a or any smaller one.";

fn is_interval(label: &str) -> bool {
    ["[", ">=", "<="].iter().any(|start| label.starts_with(start))
}

/// Sentences about values that the plan counts as different although they may be the same, which weakens the promises about these columns.
/// In public, columns that are not published are not named.
pub(super) fn counted_apart(plan: &Plan, public: bool) -> Vec<String> {
    let named = |name: &str| plan.privacy.iter().any(|spec| spec.columns.iter().any(|of| of == name));
    let mut lines = Vec::new();
    for (name, column) in &plan.columns {
        let is_exact = column.equality == Equality::Exact;
        if is_exact && plan.counted_by() == Some(name) {
            let of = if public { "a column that is not published".to_owned() } else { format!("'{name}'") };
            lines.push(format!("persons are told apart by how {of} writes them, as if p1 and P1 were two"));
        }
        if !column.role.has(Role::Sensitive) && !named(name) {
            continue;
        }
        if is_exact {
            lines.push(format!(
                "each spelling of a value of '{name}' counts as a value of its own, as if HIV and hiv were two"
            ));
        }
        if column.missing_counts {
            lines.push(format!("a missing value of '{name}' counts as a value like any other"));
        }
    }
    lines
}

/// The same sentences, and those about steps, for the datasheet.
pub(super) fn limits_of_counting(plan: &Plan) -> Vec<String> {
    let apart = counted_apart(plan, true).into_iter().map(|line| format!("{}.", capitalised(&line)));
    let of_template = said_of(plan).into_iter().flat_map(|(_, limits)| limits);
    apart.chain(super::steps::limits(plan)).chain(of_template).collect()
}

/// The section that lists the files and their SHA-256.
fn about(files: &[FileSheet]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let what = if files.iter().any(|of| of.in_database) { "table" } else { "file" };
    let mut text = format!("## Files\n\n| {what} | rows | SHA-256 |\n|---|---|---|\n");
    for of in files {
        let rows = of.rows.map_or(String::new(), grouped);
        text += &format!("| {} | {rows} | `{}` |\n", escaped(&of.file), of.sha256);
    }
    if files.iter().any(|of| of.in_database) {
        return text
            + "\nThis datasheet is about this table of a database and no other. The SHA-256 is that of its rows as delimited text; Scumble compares it when it checks the table.\n\n";
    }
    text + "\nThis datasheet is about these files and no others: Scumble compares them when it checks the release, and so does `sha256sum`.\n\n"
}

/// How the spreadsheet-safe form is to be read.
pub(super) const SPREADSHEET_SAFE: &str = "A ' at the beginning of a text or of a column's name, if =, +, -, @, a tab or a line end follows it (perhaps after further '), is no \
                                part of it: it keeps spreadsheet programs from running the text. A number with a sign has none.";

/// Sentences about how a release is written.
fn how_written(form: &WrittenForm) -> Vec<String> {
    let names = |columns: &[String]| columns.iter().map(|name| escaped(name)).collect::<Vec<_>>().join(", ");
    let mut lines = Vec::new();
    if form.spreadsheet_safe {
        lines.push(SPREADSHEET_SAFE.to_owned());
    }
    for name in &form.ranges {
        let [low, high] = Range::columns_of(name).map(|name| escaped(&name));
        lines.push(format!(
            "{} is written as two columns: the value lies from {low} to {high}, both included. Where both are empty nothing is said: the value is \
             suppressed or missing.",
            escaped(name)
        ));
    }
    if !form.decimal_comma.is_empty() {
        lines.push(format!(
            "The decimal mark is a comma in {}, and a semicolon stands between the ends of a range: [1,5;3] is any value from one and a half \
             to three. Elsewhere it is a point, also in this datasheet.",
            names(&form.decimal_comma)
        ));
    }
    lines
}

/// The datasheet for people.
pub(super) fn markdown(sheet: &Datasheet) -> String {
    // Names of columns can hold anything.
    let mut text = format!("# Datasheet\n\n**{}**\n\n", escaped(&sheet.statement));
    text +=
        &format!("{} rows. Made with {} by {}.\n\n", grouped(sheet.rows), sheet.made_with, sheet.algorithm);
    if let Some(template) = &sheet.template {
        text += &format!("{}\n\n", escaped(template));
    }
    text += &about(&sheet.files);
    text += "## Columns\n\n";
    text += "| column | role | how it was published | values | hierarchy |\n|---|---|---|---|---|\n";
    for column in &sheet.columns {
        let name = escaped(&column.name);
        let kinds = column.kinds.join(", ");
        text += &format!(
            "| {name} | {} | {} | {kinds} | {} |\n",
            column.role,
            escaped(&column.how),
            column.hierarchy.unwrap_or("")
        );
    }
    let reading: Vec<String> =
        sheet.reading.iter().map(|line| (*line).to_owned()).chain(how_written(&sheet.written)).collect();
    let limits: Vec<String> = sheet.limits.iter().map(|line| escaped(line)).collect();
    let steps: Vec<String> = sheet.steps.iter().map(|line| escaped(line)).collect();
    for (title, lines) in [
        ("What was done to columns first", &steps),
        ("How to read the values", &reading),
        ("What is not promised", &limits),
    ] {
        if lines.is_empty() {
            continue;
        }
        text += &format!("\n## {title}\n\n");
        lines.iter().for_each(|line| text += &format!("- {line}\n"));
    }
    text
}
