//! The recoding as a private file, so that a release can be explained and repeated.

use serde::{Serialize, Serializer};

use super::Run;
use crate::recoding::ClassColumn;

/// A recoding in labels. Classes name their labels by place, since a table has many classes and few labels.
#[derive(Serialize)]
pub(super) struct RecodingFile<'a> {
    algorithm: &'static str,
    /// The level of each column, where every column has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    levels: Option<&'a [u32]>,
    columns: Vec<Column<'a>>,
    /// For each class that is shown, the place of its label in each column.
    classes: ShownClasses<'a>,
}

#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    labels: Vec<String>,
}

/// The classes that are shown, written one by one: there may be as many as rows.
struct ShownClasses<'a>(&'a crate::published::Classes);

impl Serialize for ShownClasses<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shown = (0..self.0.len()).filter(|class| !self.0.is_suppressed(*class));
        serializer.collect_seq(shown.map(|class| Places { columns: &self.0.assignment.columns, class }))
    }
}

struct Places<'a> {
    columns: &'a [ClassColumn],
    class: usize,
}

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.columns.iter().map(|column| column.of_class.get(self.class)))
    }
}

/// The rule of a run.
pub(super) fn recoding<'a>(run: &'a Run<'_>) -> RecodingFile<'a> {
    let columns = run.problem.quasi.iter().zip(&run.classes().assignment.columns);
    RecodingFile {
        algorithm: run.algorithm.name,
        levels: run.levels.as_deref(),
        columns: columns
            .map(|(quasi, column)| Column {
                name: &quasi.name,
                labels: column.values.iter().map(|value| quasi.label(*value)).collect(),
            })
            .collect(),
        classes: ShownClasses(run.classes()),
    }
}
