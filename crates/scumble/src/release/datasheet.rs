//! The datasheet: what may be said in public about a release.
//!
//! Its schema is closed: how columns were coarsened, what holds on which columns, how to read the values. No seed, path,
//! original count, extreme or lost value.

use serde::Serialize;

use super::described::FileSheet;
use super::{Run, Summary};
use crate::config::{Equality, Plan, Role, StarPolicy};
use crate::hierarchy::Provenance;
use crate::models::forbids_sameness;
use crate::prepare::Respelt;
use crate::quasi::{MEAN_PLACES, Quasi, Shape, Value};
use crate::report::format::capitalised;
use crate::text::markdown as escaped;

/// What may be said in public about a release.
#[derive(Debug, Clone, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Datasheet {
    pub(super) statement: String,
    pub(super) made_with: String,
    pub(super) algorithm: String,
    pub(super) rows: u64,
    /// The files that it is about, filled in when they are written.
    pub(super) files: Vec<FileSheet>,
    /// Whether texts are written in the form that no spreadsheet program runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) spreadsheet_safe: bool,
    pub(super) guarantees: Vec<Guarantee>,
    pub(super) columns: Vec<ColumnSheet>,
    pub(super) reading: Vec<&'static str>,
    pub(super) limits: Vec<String>,
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

pub(super) fn datasheet(run: &Run<'_>, summary: &Summary) -> Datasheet {
    let quasi: Vec<String> = run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect();
    let titles: Vec<String> = run.problem.models.iter().map(|model| model.title()).collect();
    let sets: Vec<Vec<String>> = run
        .problem
        .models
        .iter()
        .map(|model| model.on().map_or_else(|| quasi.clone(), <[String]>::to_vec))
        .collect();
    let statement = if titles.is_empty() {
        format!("Generalised on {}; no privacy model was asked for.", quasi.join(", "))
    } else {
        let unjudged = unjudged_rows(run).map_or(String::new(), |rows| match rows {
            1 => ", except for the row that shows * in every one of them, which was not judged".to_owned(),
            rows => format!(
                ", except for the {rows} rows that show * in every one of them, which were not judged"
            ),
        });
        let promises = if sets.iter().all(|set| *set == quasi) {
            format!("{} on {}", titles.join(" and "), quasi.join(", "))
        } else {
            let each = titles.iter().zip(&sets).map(|(title, set)| format!("{title} on {}", set.join(", ")));
            each.collect::<Vec<_>>().join("; ")
        };
        format!("{promises}{unjudged}; checked on the published file.")
    };
    let before: Vec<String> =
        run.together.iter().map(|found| format!("{}: at least {}", found.label, found.required)).collect();
    let statement = if before.is_empty() {
        statement
    } else {
        format!("{statement} Together with tables that were published before: {}.", before.join("; "))
    };
    Datasheet {
        statement,
        made_with: format!("Scumble {}", env!("CARGO_PKG_VERSION")),
        algorithm: format!("{} ({})", run.algorithm.title, run.algorithm.paper),
        rows: summary.released,
        files: Vec::new(),
        spreadsheet_safe: run.plan.spreadsheet_safe,
        guarantees: titles
            .into_iter()
            .zip(sets)
            .map(|(model, on)| Guarantee { model, on })
            .chain(run.together.iter().map(|found| Guarantee {
                model: format!("{}: at least {}", found.label, found.required),
                on: quasi.clone(),
            }))
            .collect(),
        columns: run
            .plan
            .columns
            .iter()
            .filter_map(|(name, column)| column_sheet(run, name, &column.role))
            .collect(),
        reading: reading(run),
        limits: limits(run),
    }
}

/// The rows that the guarantees do not cover.
pub(crate) fn unjudged_rows(run: &Run<'_>) -> Option<u64> {
    let rows = run.classes.suppressed_rows();
    (run.problem.star_policy == StarPolicy::Paper && rows > 0).then_some(rows)
}

fn column_sheet(run: &Run<'_>, name: &str, roles: &crate::config::Roles) -> Option<ColumnSheet> {
    if let Some(place) = run.problem.quasi.iter().position(|quasi| quasi.name == name) {
        return Some(quasi_sheet(run, place));
    }
    kept_sheet(name, roles, run.respelt)
}

/// A column that is published as it is, by its roles; none for columns that are not published.
pub(super) fn kept_sheet(
    name: &str,
    roles: &crate::config::Roles,
    respelt: &[Respelt],
) -> Option<ColumnSheet> {
    let role = match roles.as_slice() {
        [Role::Class] => "class",
        [Role::Sensitive] => "sensitive",
        [Role::Class, Role::Sensitive] => "class and sensitive",
        [Role::Other] => "other",
        _ => return None,
    };
    let how = match respelt.iter().any(|of| of.original.name == name) {
        true => "published as it is, but for one spelling of each value",
        false => "published as it is",
    };
    Some(ColumnSheet { name: name.into(), role, how: how.into(), kinds: Vec::new(), hierarchy: None })
}

fn quasi_sheet(run: &Run<'_>, place: usize) -> ColumnSheet {
    let quasi = &run.problem.quasi[place];
    let classes = &run.classes;
    let column = &classes.assignment.columns[place];
    let mut kinds: Vec<&'static str> = column
        .of_class
        .iter()
        .enumerate()
        .filter(|(class, _)| !classes.is_suppressed(*class))
        .map(|(_, value)| value_kind(quasi, column.values[value as usize]))
        .collect();
    if classes.suppressed_rows() > 0 && run.problem.star_policy != StarPolicy::Drop {
        kinds.push("suppressed");
    }
    kinds.sort_unstable();
    kinds.dedup();
    let means = run.shows_means(place);
    let how = match (&run.levels, quasi.tree()) {
        _ if means => {
            let places = quasi.measure.scale + MEAN_PLACES;
            format!("replaced by the mean of the class, rounded to {places} decimal places")
        }
        (Some(levels), Some(tree)) => {
            format!("generalised to level {} of {}", levels[place], tree.height())
        }
        _ => "generalised class by class".into(),
    };
    ColumnSheet {
        name: quasi.name.clone(),
        role: "quasi-identifier",
        how,
        kinds,
        hierarchy: provenance(quasi).filter(|_| !means),
    }
}

/// Where the coarser values of a column come from.
pub(super) fn provenance(quasi: &Quasi) -> Option<&'static str> {
    Some(match &quasi.shape {
        Shape::Tree(tree) if tree.provenance() == Provenance::Declared => "declared",
        Shape::Line(line) if line.declared => "range declared, cuts from data",
        Shape::Tree(_) | Shape::Line(_) | Shape::Set(_) => "from data",
    })
}

pub(super) fn value_kind(quasi: &Quasi, value: Value) -> &'static str {
    match (value, &quasi.shape) {
        (Value::Star, _) => "suppressed",
        (Value::Mean { .. }, _) => "mean of a class",
        (Value::Node(node), Shape::Tree(tree)) if tree.is_leaf(node) => "value",
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
            if quasi.label(value).starts_with('[') {
                "interval"
            } else {
                "value"
            }
        }
    }
}

fn reading(run: &Run<'_>) -> Vec<&'static str> {
    let mut lines = vec!["A value stands for itself; a hierarchy node stands for any value below it."];
    let all = 0..run.problem.quasi.len();
    if all.clone().any(|column| run.shows_means(column)) {
        lines.push(
            "A mean is that of all rows that show the same in every quasi-identifier; it need not be the value of any of them.",
        );
    }
    let ranges =
        |column: usize| matches!(run.problem.quasi[column].shape, Shape::Line(_)) && !run.shows_means(column);
    if all.clone().any(ranges) {
        lines.push("[a,b] stands for any value from a to b, both included; [a,b) leaves b out.");
    }
    if run.problem.quasi.iter().any(|quasi| quasi.sets || matches!(quasi.shape, Shape::Set(_))) {
        lines.push(
            "{a|b|c} stands for one of a, b and c; a backslash stands before |, } and \\ inside a value.",
        );
    }
    lines.push(
        "* stands for any value. A leading = marks a value that would otherwise look like one of these.",
    );
    if !run.plan.keep_order {
        lines.push("Rows are sorted by content; their order says nothing.");
    }
    lines
}

fn limits(run: &Run<'_>) -> Vec<String> {
    let mut lines = vec![
        "The guarantees hold on the quasi-identifiers named above, for someone who knows no other column of this table.",
        if run.problem.table.payloads().person().is_some() {
            "Persons with several rows were counted once in every class, by a column that is not published; distributions and \
             numbers of values are those of rows."
        } else {
            "One row is taken for one person."
        },
    ];
    if !run.problem.models.iter().any(|model| forbids_sameness(&**model, &run.problem.table)) {
        lines.push("Nothing is promised about what the rows of a class have in common.");
    }
    if run.problem.models.iter().any(|model| !run.problem.is_about_all(&**model)) {
        lines.push(
            "Someone who knows more of these columns together than a guarantee names may find a single row.",
        );
    }
    if (0..run.problem.quasi.len()).any(|column| run.shows_means(column)) {
        lines.push("Someone who knows the values of all other rows of a class can compute those of the last from the means.");
    }
    if run.new_rows {
        lines.push("The guarantees hold of this table by itself; rows of other tables that were recoded alike are not looked at.");
    }
    if unjudged_rows(run).is_some() {
        lines.push("Rows that show * in every quasi-identifier are not covered by the guarantees.");
        if run.problem.models.iter().any(|model| !run.problem.is_about_all(&**model)) {
            lines.push("Nor, for guarantees on fewer columns, are other rows that show * in all of these.");
        }
    }
    lines.into_iter().map(str::to_owned).chain(limits_of_counting(run.plan)).collect()
}

/// What the plan counts as different values though it may be none: promises about these columns are weaker for it. The columns that
/// are not published are not named in public.
pub(super) fn counted_apart(plan: &Plan, public: bool) -> Vec<String> {
    let named = |name: &str| plan.privacy.iter().any(|spec| spec.columns.iter().any(|of| of == name));
    let mut lines = Vec::new();
    for (name, column) in &plan.columns {
        let is_exact = column.equality == Equality::Exact;
        if is_exact && column.role.has(Role::Subject) {
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

/// The same as sentences, for everybody.
pub(super) fn limits_of_counting(plan: &Plan) -> Vec<String> {
    counted_apart(plan, true).iter().map(|line| format!("{}.", capitalised(line))).collect()
}

/// Which files a datasheet is about, and how to tell.
fn about(files: &[FileSheet]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let mut text = "## Files\n\n| file | rows | SHA-256 |\n|---|---|---|\n".to_owned();
    for of in files {
        let rows = of.rows.map_or(String::new(), |rows| rows.to_string());
        text += &format!("| {} | {rows} | `{}` |\n", escaped(&of.file), of.sha256);
    }
    text + "\nThis datasheet is about these files and no others: `scumble check` compares them, and so does `sha256sum`.\n\n"
}

/// How the spreadsheet-safe form is to be read.
pub(super) const SPREADSHEET_SAFE: &str = "A ' at the beginning of a text or of a column's name, if =, +, -, @, a tab or a line end follows it (perhaps after further '), is no \
                                part of it: it keeps spreadsheet programs from running the text. A number with a sign has none.";

/// The datasheet for people.
pub(super) fn markdown(sheet: &Datasheet) -> String {
    // Names of columns can hold anything.
    let mut text = format!("# Datasheet\n\n**{}**\n\n", escaped(&sheet.statement));
    text += &format!("{} rows. Made with {} by {}.\n\n", sheet.rows, sheet.made_with, sheet.algorithm);
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
    let safe = sheet.spreadsheet_safe.then_some(SPREADSHEET_SAFE);
    let reading: Vec<String> = sheet.reading.iter().copied().chain(safe).map(str::to_owned).collect();
    let limits: Vec<String> = sheet.limits.iter().map(|line| escaped(line)).collect();
    for (title, lines) in [("How to read the values", &reading), ("What is not promised", &limits)] {
        text += &format!("\n## {title}\n\n");
        lines.iter().for_each(|line| text += &format!("- {line}\n"));
    }
    text
}
