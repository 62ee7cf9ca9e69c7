//! Problems for tests: small tables with columns of every shape.

use proptest::prelude::*;
use scumble_files::table::Texts;

use crate::config::{ModelSpec, Parameters, Rational, StarPolicy, Value};
use crate::models::on_set::OnSet;
use crate::models::{Model, ModelContext};
use crate::problem::{Budget, Problem, Progress};
use crate::registry::{METRICS, MODELS};
use crate::table::frequency::FrequencyTable;
use crate::table::hierarchy::{Builder, Domain, Hierarchy, Recipe, Unlisted, build};
use crate::table::kind::{Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads};
use crate::table::quasi::{Line, Quasi, Shape};

const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };
const NUMBER: Measure = Measure { kind: Kind::Integer, scale: 0 };

/// Makes the tree of a file. All leaves must be in the file.
pub(crate) fn tree(file: &str) -> Hierarchy {
    let folder = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(folder.path(), file).expect("it takes text");
    let leaves: Vec<&str> = file.lines().filter_map(|line| line.split(';').next()).collect();
    let mut sorted = leaves.clone();
    sorted.sort_unstable();
    let domain = Domain {
        name: "made",
        measure: TEXT,
        values: &sorted,
        rows: &vec![1; sorted.len()],
        first_rows: None,
        missing: None,
        classes: None,
        declared: None,
        form: None,
    };
    let builder = Builder::File { path: folder.path().to_owned(), unlisted: Unlisted::Error };
    build(&Recipe::load(builder).expect("a file"), &domain).expect("a tree").hierarchy
}

/// A column whose codes are the leaves of a tree.
pub(super) fn tree_column(name: &str, file: &str) -> Quasi {
    Quasi {
        name: name.into(),
        measure: TEXT,
        shape: Shape::Tree(tree(file)),
        priority: 1.0,
        tight: false,
        sets: false,
    }
}

/// A column of the numbers from 0 on. If `missing`, the last code stands for a missing value.
pub(crate) fn line_column(name: &str, codes: u32, missing: bool) -> Quasi {
    let numbers: Vec<i128> = (0..codes - u32::from(missing)).map(i128::from).collect();
    let texts: Vec<String> =
        numbers.iter().map(ToString::to_string).chain(missing.then(|| "?".into())).collect();
    let texts: Texts = texts.iter().map(String::as_str).collect();
    let bounds = (0, numbers.len() as i128 - 1);
    let shape = Shape::Line(Line::new(&NUMBER, numbers, texts, bounds, false));
    Quasi { name: name.into(), measure: NUMBER, shape, priority: 1.0, tight: false, sets: false }
}

/// A column of texts without a tree.
pub(crate) fn set_column(name: &str, codes: u32) -> Quasi {
    let texts: Vec<String> = (0..codes).map(|code| format!("v{code}")).collect();
    let shape = Shape::Set(texts.iter().map(String::as_str).collect());
    Quasi { name: name.into(), measure: TEXT, shape, priority: 1.0, tight: false, sets: false }
}

/// A row: the codes of its quasi-identifiers, its class and its illness.
pub(crate) type Row = (Vec<u32>, u32, u32);

/// A model by name, with parameters as texts and the columns to which it applies.
pub(crate) type Asked<'a> = (&'a str, &'a [(&'a str, &'a str)], Option<&'a [usize]>);

/// Makes the problem of some rows.
pub(crate) fn problem(quasi: Vec<Quasi>, rows: &[Row], asked: &[Asked<'_>]) -> Problem {
    let payload = |name: &str, values: &[&str]| PayloadColumn {
        name: name.into(),
        values: values.iter().copied().collect(),
        measure: TEXT,
        missing: Vec::new(),
        reading: Default::default(),
    };
    let columns = vec![payload("class", &["n", "y"]), payload("ill", &["a", "b", "c"])];
    let value = |column: usize, row: usize| if column == 0 { rows[row].1 } else { rows[row].2 };
    let (payloads, payload_of_row) = Payloads::of_rows(columns, rows.len(), value);
    let sizes: Vec<u32> = quasi.iter().map(Quasi::size).collect();
    let code = |column: usize, row: usize| rows[row].0[column];
    let (table, _) = FrequencyTable::count(&sizes, rows.len(), code, payloads, &payload_of_row, |_| 1);
    let names: Vec<&str> = quasi.iter().map(|quasi| quasi.name.as_str()).collect();
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    for (name, parameters, set) in asked {
        let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::from_text(value)));
        let parameters: Parameters = pairs.collect();
        let spec = ModelSpec { model: (*name).into(), columns: Vec::new(), quasi: None, parameters };
        let context = ModelContext {
            table: &table,
            trees: &|_| None,
            columns: &spec.columns,
            sensitive: &["ill".to_owned()],
        };
        let entry = MODELS.find(&spec.model).expect("a registered model");
        let built = (entry.build)(&spec.parameters, &context).expect("fitting parameters");
        match set {
            None => models.extend(built),
            Some(set) => {
                let on_set = |model| Box::new(OnSet::new(model, set.to_vec(), &names)) as Box<dyn Model>;
                models.extend(built.into_iter().map(on_set));
            }
        }
    }
    Problem {
        table,
        quasi,
        models,
        metric: METRICS.find("loss").expect("a registered metric").build,
        class: Some(0),
        suppression: Rational::ZERO,
        star_policy: StarPolicy::Strict,
        budget: Budget::default(),
        seed: 0,
        progress: Progress::default(),
    }
}

/// A ragged tree, with a node that has one child.
const RAGGED: &str = "a;x;u;*\nb;x;u;*\nc;y;u;*\nd;z;*\ne;*\n";

/// Columns with at most six codes: of every shape, or all with trees.
pub(super) fn columns(trees: bool) -> Vec<Quasi> {
    let flat = tree_column("q1", "p;l;*\nq;l;*\nr;m;*\ns;m;*\n");
    if trees {
        vec![tree_column("q0", RAGGED), flat, tree_column("q2", "t;*\nw;*\n")]
    } else {
        vec![tree_column("q0", RAGGED), line_column("q1", 6, true), set_column("q2", 4)]
    }
}

/// Rows for columns of these sizes.
pub(super) fn rows(quasi: &[Quasi]) -> impl Strategy<Value = Vec<Row>> + use<> {
    let codes: Vec<std::ops::Range<u32>> = quasi.iter().map(|quasi| 0..quasi.size()).collect();
    prop::collection::vec((codes, 0..2_u32, 0..3_u32), 1..40)
}

/// Requirements to test with: sizes, shares, distances, several models at once, and models of only some
/// columns.
pub(super) const ASKED: &[&[Asked<'static>]] = &[
    &[("k_anonymity", &[("k", "1")], None)],
    &[("k_anonymity", &[("k", "2")], None)],
    &[("k_anonymity", &[("k", "4")], None)],
    &[("k_anonymity", &[("k", "2")], None), ("l_diversity", &[("l", "2")], None)],
    &[("l_diversity", &[("l", "1.5"), ("variant", "frequency")], None)],
    &[("t_closeness", &[("t", "0.5")], None), ("k_anonymity", &[("k", "2")], None)],
    &[("lkc", &[("l", "1"), ("k", "3"), ("c", "0.8")], None)],
    &[("lkc", &[("l", "2"), ("k", "2"), ("c", "0.9")], None)],
    &[("k_anonymity", &[("k", "3")], Some(&[0, 1])), ("k_anonymity", &[("k", "2")], Some(&[2, 1]))],
];
