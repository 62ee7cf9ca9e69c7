//! The recoding as a private file, so that a release can be explained and repeated.

use serde_json::{Map, Value, json};

use super::Run;
use crate::recoding::Step;

/// The rule of a run in labels.
pub(super) fn recoding(run: &Run<'_>) -> Value {
    let classes = run.classes();
    let labels = |class: usize| -> Vec<String> {
        let columns = run.problem.quasi.iter().zip(&classes.assignment.columns);
        columns.map(|(quasi, column)| quasi.label(column.value(class))).collect()
    };
    let list = |suppressed: bool| -> Vec<Vec<String>> {
        (0..classes.len()).filter(|class| classes.is_suppressed(*class) == suppressed).map(labels).collect()
    };
    let names: Vec<&str> = run.problem.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
    let mut file = Map::from_iter([
        ("algorithm".to_owned(), json!(run.algorithm.name)),
        ("columns".to_owned(), json!(names)),
        ("suppressed".to_owned(), json!(list(true))),
    ]);
    match &run.recoding.step {
        Step::Levels(levels) => {
            file.insert("levels".into(), json!(levels));
        }
        Step::Cuts(_) => {
            file.insert("classes".into(), json!(list(false)));
        }
    }
    Value::Object(file)
}
