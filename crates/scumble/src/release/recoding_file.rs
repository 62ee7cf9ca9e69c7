//! The recoding as a private file, so that a release can be explained and repeated.

use serde::Serialize;

use super::Run;
use crate::recoding::Step;

/// A recoding in labels. Classes name their labels by place, since a table has many classes and few labels.
#[derive(Serialize)]
pub(super) struct RecodingFile<'a> {
    algorithm: &'static str,
    /// The level of each column, where every column has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<&'a [u32]>,
    columns: Vec<Column<'a>>,
    /// For each class that is shown, the place of its label in each column.
    classes: Vec<Vec<u32>>,
}

#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    labels: Vec<String>,
}

/// The rule of a run.
pub(super) fn recoding<'a>(run: &'a Run<'_>) -> RecodingFile<'a> {
    let classes = run.classes();
    let columns = &classes.assignment.columns;
    let shown = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
    RecodingFile {
        algorithm: run.algorithm.name,
        levels: match &run.recoding.step {
            Step::Levels(levels) => Some(levels),
            Step::Cuts(_) => None,
        },
        columns: run
            .problem
            .quasi
            .iter()
            .zip(columns)
            .map(|(quasi, column)| Column {
                name: &quasi.name,
                labels: column.values.iter().map(|value| quasi.label(*value)).collect(),
            })
            .collect(),
        classes: shown
            .map(|class| columns.iter().map(|column| column.of_class.get(class)).collect())
            .collect(),
    }
}
