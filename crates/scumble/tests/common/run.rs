//! Runs of the library on tables of strings.

use std::collections::BTreeMap;
use std::path::Path;

use scumble::config::{Column, Plan, Rational, StarPolicy, Value};
use scumble::problem::Progress;
use scumble::release::{RunOptions, Summary, anonymize};
use scumble::table::hierarchy::{Builder, Unlisted};

use super::column::is_missing;
use super::demand::{Demand, Ground, illness_file};
use super::naive::Strings;
use super::table::Table;

/// What is asked for besides the table.
#[derive(Debug, Clone)]
pub(crate) struct Ask {
    pub(crate) algorithm: &'static str,
    pub(crate) demands: Vec<Demand>,
    pub(crate) policy: StarPolicy,
    /// The suppression limit as users write it.
    pub(crate) suppression: Option<&'static str>,
    pub(crate) class: Option<&'static str>,
    pub(crate) keep_order: bool,
    /// Whether the row number is published, so that released rows can be found again.
    pub(crate) serial: bool,
    /// Whether every column is to have one domain.
    pub(crate) flatten: bool,
    /// Whether the table writes illnesses in several ways; what is released is read back in one.
    pub(crate) respell: bool,
    /// Parameters of the algorithm.
    pub(crate) parameters: Vec<(&'static str, &'static str)>,
}

impl Ask {
    pub(crate) fn new(algorithm: &'static str, demands: &[Demand]) -> Self {
        Self {
            algorithm,
            demands: demands.to_vec(),
            policy: StarPolicy::Strict,
            suppression: None,
            class: Some("label"),
            keep_order: false,
            serial: false,
            flatten: false,
            respell: false,
            parameters: Vec::new(),
        }
    }

    pub(crate) fn sensitive(&self) -> Vec<&'static str> {
        self.demands.iter().filter_map(|demand| demand.column()).collect()
    }

    /// The columns of the release.
    pub(crate) fn published<'t>(&self, table: &'t Table) -> Vec<&'t str> {
        let names = table.columns.iter().map(|(name, _)| name.as_str());
        names
            .filter(|name| *name != "name" && *name != "gone" && (self.serial || *name != "serial"))
            .collect()
    }

    pub(crate) fn plan(&self, table: &Table) -> Plan {
        let mut plan = Plan::new("input.csv", "release.csv");
        plan.report = String::new();
        plan.keep_order = self.keep_order;
        plan.read.header = Some(true);
        plan.read.delimiter = Some(',');
        plan.read.missing_policy = table.policy;
        plan.privacy = self.demands.iter().map(|demand| demand.spec()).collect();
        plan.algorithm.name = self.algorithm.to_owned();
        plan.algorithm.star_policy = self.policy;
        // Some of the requirements ask for nothing (l = 1).
        plan.accept_attribute_disclosure = true;
        plan.algorithm.flatten = self.flatten;
        plan.algorithm.suppression =
            self.suppression.map(|share| share.parse::<Rational>().expect("a number"));
        // Searches that would go on for long stop early.
        match self.algorithm {
            "genetic" => {
                plan.algorithm.parameters.set("population", Value::from_text("20"));
                plan.algorithm.parameters.set("iterations", Value::from_text("300"));
            }
            "k_optimize" => plan.algorithm.steps = Some(150),
            // Its values are exchanged at random.
            "nhaa" => plan.algorithm.seed = Some(7),
            _ => {}
        }
        for (name, value) in &self.parameters {
            plan.algorithm.set(name, Value::from_text(value)).expect("a fitting value");
        }
        let hierarchical = |name: &str| {
            self.demands
                .iter()
                .any(|demand| matches!(demand, Demand::Close(of, _, Ground::Hierarchical) if *of == name))
        };
        for (name, _) in &table.columns {
            let mut column = match name.strip_prefix('q').and_then(|place| place.parse::<usize>().ok()) {
                Some(place) => table.kinds[place].plan(name),
                None => Column::new(Table::role(name, &self.sensitive(), self.class)),
            };
            if name == "serial" && !self.serial {
                column = Column::new(Table::role("gone", &[], None));
            }
            if hierarchical(name) {
                column.hierarchy = Some(Builder::File { path: "ill.tree".into(), unlisted: Unlisted::Error });
            }
            plan.columns.push((name.clone(), column));
        }
        plan
    }
}

/// A release as it was written.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) text: String,
    pub(crate) datasheet: String,
    pub(crate) summary: Summary,
}

/// Runs the library in a folder of its own.
pub(crate) fn release(table: &Table, ask: &Ask) -> scumble::Result<Written> {
    let folder = tempfile::tempdir().expect("a folder");
    if ask.respell {
        write_inputs(&in_several_spellings(table), folder.path());
    } else {
        write_inputs(table, folder.path());
    }
    let options = &mut RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    let outcome = anonymize(&ask.plan(table), options);
    let target = folder.path().join("release.csv");
    match outcome {
        Ok(released) => Ok(Written {
            text: {
                let text = std::fs::read_to_string(&target).expect("the release was announced");
                if ask.respell { in_one_spelling(&text, ask.sensitive().contains(&"ill")) } else { text }
            },
            datasheet: std::fs::read_to_string(folder.path().join("release.csv.datasheet.json"))
                .expect("a datasheet"),
            summary: released.summary,
        }),
        Err(error) => {
            assert!(!target.exists(), "a run that failed left a release: {error}");
            Err(error)
        }
    }
}

/// The same table with illnesses in several spellings.
fn in_several_spellings(table: &Table) -> Table {
    let mut table = table.clone();
    let column = table.columns.iter_mut().find(|(name, _)| name == "ill").expect("a column of illnesses");
    for (row, text) in column.1.iter_mut().enumerate().filter(|(_, text)| !is_missing(text)) {
        match row % 4 {
            1 => *text = text.to_uppercase(),
            2 => *text = format!(" {text}\u{a0}"),
            3 => text.insert(1, '\u{200b}'),
            _ => {}
        }
    }
    table
}

/// A release with illnesses as the table had them before; where the column is sensitive, each must have one spelling.
fn in_one_spelling(text: &str, is_sensitive: bool) -> String {
    let mut strings = Strings::parse(text);
    let column = strings.header.iter().position(|name| name == "ill").expect("a column of illnesses");
    let mut spellings: BTreeMap<String, String> = BTreeMap::new();
    for row in &mut strings.rows {
        let plain = row[column].replace('\u{200b}', "").trim().to_lowercase();
        if is_missing(&row[column]) {
            continue;
        }
        let first = spellings.entry(plain.clone()).or_insert_with(|| row[column].clone());
        assert!(!is_sensitive || *first == row[column], "'{first}' and '{}' are one value", row[column]);
        row[column] = plain;
    }
    let quoted = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
    let line = |cells: &Vec<String>| cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    std::iter::once(&strings.header).chain(&strings.rows).map(line).collect()
}

pub(crate) fn write_inputs(table: &Table, folder: &Path) {
    let write =
        |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("the folder takes files");
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let mut text = String::new();
    let names = table.columns.iter().map(|(name, _)| quoted(name));
    text += &(names.collect::<Vec<_>>().join(",") + "\n");
    for row in 0..table.rows {
        let cells = table.columns.iter().map(|(_, cells)| quoted(&cells[row]));
        text += &(cells.collect::<Vec<_>>().join(",") + "\n");
    }
    write("input.csv", &text);
    write("ill.tree", &illness_file());
    for (place, kind) in table.kinds.iter().enumerate() {
        if let Some(tree) = kind.tree_file() {
            write(&format!("q{place}.tree"), &tree);
        }
    }
}
