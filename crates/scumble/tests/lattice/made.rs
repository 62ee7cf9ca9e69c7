//! Problems made by chance, and the specification's table of twelve people.

use std::path::Path;

use scumble::config::{Parameters, Rational, StarPolicy, Value};
use scumble::models::{Model, ModelContext};
use scumble::problem::{Problem, Progress};
use scumble::registry::{METRICS, MODELS};
use scumble::table::frequency::FrequencyTable;
use scumble::table::hierarchy::{Builder, Domain, Hierarchy, Recipe, Unlisted, build};
use scumble::table::kind::{Kind, Measure};
use scumble::table::payload::{PayloadColumn, Payloads};
use scumble::table::quasi::{Quasi, Shape};

/// Numbers that look random and are the same in every run (SplitMix64).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % end
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// Hierarchies: balanced, ragged, without a star, flat.
const TREES: [&str; 6] = [
    "M;*\nF;*\n",
    "9th;Sec;*\n10th;Sec;*\nBach;Univ;*\nMast;Univ;*\n",
    "a;ab;abc;*\nb;ab;abc;*\nc;c;abc;*\nd;d;d;*\n",
    "a;low;any\nb;low;any\nc;high;any\nd;high;any\ne;high;any\n",
    "1;12;1-4;*\n2;12;1-4;*\n3;34;1-4;*\n4;34;1-4;*\n5;56;5-8;*\n6;56;5-8;*\n7;78;5-8;*\n8;78;5-8;*\n",
    "x;*\ny;*\nz;*\n",
];

/// A tree for the sensitive values, ragged.
const LABELS: &str = "p;pq;pqr;*\nq;pq;pqr;*\nr;r;pqr;*\ns;s;s;*\n";

/// The ages from 30 to 50, all of them: the domain is declared, not read off the table.
fn ages() -> String {
    let fives = |age: u32| match age {
        30..35 => "30-34;30-39",
        35..40 => "35-39;30-39",
        40..45 => "40-44;40-50",
        _ => "45-50;40-50",
    };
    (30..=50).map(|age| format!("{age};{};*\n", fives(age))).collect()
}

const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };

fn tree(text: &str) -> Hierarchy {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tree.csv");
    std::fs::write(&path, text).expect("written");
    let mut values: Vec<&str> = text.lines().map(|line| line.split(';').next().expect("a leaf")).collect();
    values.sort_unstable();
    let rows = vec![1; values.len()];
    let domain = Domain {
        name: "column",
        measure: TEXT,
        values: &values,
        rows: &rows,
        first_rows: None,
        missing: None,
        classes: None,
        declared: None,
        form: None,
    };
    build(&Recipe::load(Builder::File { path, unlisted: Unlisted::default() }).expect("a file"), &domain)
        .expect("a tree")
        .hierarchy
}

/// A problem as plain data.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    trees: Vec<&'static str>,
    rows: Vec<(Vec<u32>, u32)>,
    models: Vec<(&'static str, Vec<(&'static str, &'static str)>)>,
    metric: &'static str,
    suppression: Rational,
    star_policy: StarPolicy,
    /// Of each column; 1 where there is none.
    priorities: Vec<f64>,
}

impl Case {
    pub(crate) fn random(chance: &mut Chance) -> Self {
        let trees: Vec<&str> = (0..1 + chance.below(3)).map(|_| chance.of(&TREES)).collect();
        let rows = (0..4 + chance.below(50))
            .map(|_| {
                let codes = trees.iter().map(|tree| {
                    let leaves = tree.lines().count() as u64;
                    // Some values are frequent, so that classes differ in size.
                    chance.below(leaves).min(chance.below(leaves)) as u32
                });
                let codes = codes.collect();
                (codes, chance.below(4).min(chance.below(4)) as u32)
            })
            .collect();
        let k = ("k_anonymity", vec![("k", chance.of(&["1", "2", "3", "5"]))]);
        let sensitive = match chance.below(10) {
            0 => Some(("l_diversity", vec![("l", "2")])),
            1 => Some(("l_diversity", vec![("l", "3")])),
            2 => Some(("l_diversity", vec![("variant", "frequency"), ("l", "1.5")])),
            3 => Some(("l_diversity", vec![("variant", "entropy"), ("l", "1.8")])),
            4 => Some(("l_diversity", vec![("variant", "recursive"), ("c", "3"), ("l", "2")])),
            5 => Some(("t_closeness", vec![("t", "0.3")])),
            6 => Some(("t_closeness", vec![("t", "0.2"), ("distance", "hierarchical")])),
            7 => Some(("t_closeness", vec![("t", "0.2"), ("distance", "ordered")])),
            _ => None,
        };
        let alone = chance.below(3) == 0 && sensitive.is_some();
        let models = [(!alone).then_some(k), sensitive].into_iter().flatten().collect();
        // A thousand queries at every node take long; they have a test of their own.
        let quick = METRICS.iter().map(|entry| entry.name).filter(|name| *name != "query_error");
        let quick: Vec<&str> = quick.collect();
        let priorities = trees.iter().map(|_| chance.of(&[1.0, 1.0, 0.5, 0.125])).collect();
        Self {
            trees,
            rows,
            models,
            priorities,
            metric: chance.of(&quick),
            suppression: chance.of(&["0", "0", "0.1", "0.3", "1"]).parse().expect("a share"),
            star_policy: chance.of(&[StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]),
        }
    }
}

impl Case {
    /// The same kind of case, by another metric.
    pub(crate) fn by(self, metric: &'static str) -> Self {
        Self { metric, ..self }
    }

    /// The same kind of case with so many columns that their codes do not fit into 64 bits, and rows that share values.
    pub(crate) fn wide(chance: &mut Chance) -> Self {
        let trees = vec![TREES[4]; 24];
        let rows = (0..60)
            .map(|_| {
                let shared = chance.below(8) as u32;
                let code =
                    |chance: &mut Chance| if chance.below(9) == 0 { chance.below(8) as u32 } else { shared };
                (trees.iter().map(|_| code(chance)).collect(), chance.below(4) as u32)
            })
            .collect();
        Self { trees, rows, metric: "loss", ..Self::random(chance) }
    }
}

pub(crate) fn problem(case: &Case) -> Problem {
    let trees = case.trees.iter().map(|text| tree(text)).collect();
    made(trees, &case.rows, &["p", "q", "r", "s"], case)
}

fn made(trees: Vec<Hierarchy>, rows: &[(Vec<u32>, u32)], labels: &[&'static str], case: &Case) -> Problem {
    let column = PayloadColumn {
        name: "label".into(),
        values: labels.iter().copied().collect(),
        measure: TEXT,
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![column], rows.len(), |_, row| rows[row].1);
    let sizes: Vec<u32> = trees.iter().map(Hierarchy::leaf_count).collect();
    let code = |column: usize, row: usize| rows[row].0[column];
    let (table, _) = FrequencyTable::count(&sizes, rows.len(), code, payloads, &of_row, |_| 1);
    let models = case.models.iter().flat_map(|(name, parameters)| model(name, parameters, &table)).collect();
    let priorities = case.priorities.iter().copied().chain(std::iter::repeat(1.0));
    let quasi = trees.into_iter().zip(priorities).map(|(tree, priority)| Quasi {
        name: "column".into(),
        measure: TEXT,
        shape: Shape::Tree(tree),
        priority,
        tight: false,
        sets: false,
    });
    Problem {
        quasi: quasi.collect(),
        models,
        metric: METRICS.find(case.metric).expect("registered").build,
        class: Some(0),
        suppression: case.suppression,
        star_policy: case.star_policy,
        budget: scumble::problem::Budget::default(),
        seed: 0,
        progress: Progress::default(),
        table,
    }
}

fn model(name: &str, given: &[(&str, &str)], table: &FrequencyTable) -> Vec<Box<dyn Model>> {
    let mut parameters = Parameters::default();
    given.iter().for_each(|(name, value)| parameters.set(name, Value::from_text(value)));
    let labels = tree(LABELS);
    // The people of the specification have other labels, and no tree for them.
    let of_label = |_: &str| (table.payloads().columns[0].values.len() == 4).then_some(&labels);
    let sensitive = ["label".to_owned()];
    let context = ModelContext { table, trees: &of_label, columns: &[], sensitive: &sensitive };
    (MODELS.find(name).expect("registered").build)(&parameters, &context).expect("a model")
}

/// The table MINI of the specification, with k-anonymity.
pub(crate) fn mini(k: u64, suppression: &str) -> Problem {
    let trees = vec![tree(TREES[0]), tree(TREES[1]), tree(&ages())];
    let people = "M,9th,30,n M,9th,32,n M,10th,36,n F,10th,34,n F,9th,31,n F,Bach,40,y M,Bach,44,y M,Mast,46,y \
                  F,Mast,42,y F,Bach,48,n M,Mast,50,y F,10th,38,y";
    let rows: Vec<(Vec<u32>, u32)> = people
        .split_whitespace()
        .map(|person| {
            let cells: Vec<&str> = person.split(',').collect();
            let codes = trees.iter().zip(&cells).map(|(tree, cell)| tree.code_of(cell).expect("a leaf"));
            (codes.collect(), u32::from(cells[3] == "y"))
        })
        .collect();
    let number: &'static str = if k == 2 { "2" } else { "3" };
    let case = Case {
        trees: Vec::new(),
        rows: Vec::new(),
        models: vec![("k_anonymity", vec![("k", number)])],
        metric: "loss",
        suppression: suppression.parse().expect("a share"),
        star_policy: StarPolicy::Strict,
        priorities: Vec::new(),
    };
    made(trees, &rows, &["n", "y"], &case)
}

/// The folder of public tables: what `SCUMBLE_SHARED_DATA` says, or `../shared/data` next to the workspace.
pub(crate) fn shared_data(file: &str) -> Option<std::path::PathBuf> {
    let given = std::env::var_os("SCUMBLE_SHARED_DATA").map(Into::into);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    given.into_iter().chain([beside]).map(|folder| folder.join(file)).find(|path| path.exists())
}
