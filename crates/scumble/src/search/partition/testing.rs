//! Problems made by hand, for unit tests.

use crate::config::{Parameters, Rational, StarPolicy, Value as Setting};
use crate::metrics::loss;
use crate::models::{Model, ModelContext};
use crate::problem::{Budget, Problem, Progress};
use crate::registry::MODELS;
use crate::table::frequency::FrequencyTable;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads};
use crate::table::quasi::{Line, Quasi, Shape};

const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };
const WHOLE: Measure = Measure { kind: Kind::Integer, scale: 0 };

/// A column of numbers, published by its extremes.
pub(crate) fn numbers(numbers: &[i128]) -> Quasi {
    let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    let bounds = (numbers[0], numbers[numbers.len() - 1]);
    let line = Line::new(&WHOLE, numbers.to_vec(), texts.iter().map(String::as_str).collect(), bounds, true);
    Quasi { tight: true, measure: WHOLE, shape: Shape::Line(line), ..words(1) }
}

/// A column of this many texts.
pub(crate) fn words(count: usize) -> Quasi {
    let texts: Vec<String> = (0..count).map(|place| format!("w{place:02}")).collect();
    let shape = Shape::Set(texts.iter().map(String::as_str).collect());
    Quasi { name: "q".into(), measure: TEXT, shape, priority: 1.0, tight: false, sets: false }
}

/// A problem made from the codes and the payload of each row, k and l.
pub(crate) fn problem(quasi: Vec<Quasi>, rows: &[(Vec<u32>, u32)], k: i128, l: i128) -> Problem {
    let values = ["a", "b", "c", "d"].into_iter().collect();
    let column = PayloadColumn {
        name: "ill".into(),
        values,
        measure: TEXT,
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![column], rows.len(), |_, row| rows[row].1);
    let sizes: Vec<u32> = quasi.iter().map(Quasi::size).collect();
    let code = |column: usize, row: usize| rows[row].0[column];
    let (table, _) = FrequencyTable::count(&sizes, rows.len(), code, payloads, &of_row, |_| 1);
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for (model, name, least) in [("k_anonymity", "k", k), ("l_diversity", "l", l)] {
        if least > 1 {
            let mut parameters = Parameters::default();
            parameters.set(name, Setting::Integer(least as i64));
            let sensitive = ["ill".to_owned()];
            let context =
                ModelContext { table: &table, trees: &|_| None, columns: &[], sensitive: &sensitive };
            let entry = MODELS.find(model).expect("a registered model");
            models.extend((entry.build)(&parameters, &context).expect("fitting parameters"));
        }
    }
    Problem {
        table,
        quasi,
        models,
        metric: loss::ENTRY.build,
        class: None,
        suppression: Rational::ZERO,
        star_policy: StarPolicy::Strict,
        budget: Budget::default(),
        seed: 0,
        progress: Progress::default(),
    }
}
