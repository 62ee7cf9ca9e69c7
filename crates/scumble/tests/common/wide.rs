//! Classes made by hand with several columns in addition to the quasi-identifier: two sensitive ones, who a row is about,
//! and what they guard.

use scumble::config::{ModelSpec, StarPolicy};
use scumble::models::{Model, ModelContext};
use scumble::recoding::published::{ClassView, Classes};
use scumble::recoding::{Assignment, ClassColumn, Members};
use scumble::registry::MODELS;
use scumble::table::frequency::{Cell, FrequencyTable};
use scumble::table::hierarchy::Hierarchy;
use scumble::table::payload::{PayloadColumn, Payloads};
use scumble::table::quasi::{Quasi, Shape, Value};
use scumble_files::table::{CodedTable, Codes};
use scumble_verify::{Claim, ModelClaim, ModelOutcome, Reference, ReferenceColumn, StarRows, check_models};

use super::grid::{TEXT, coded_column, illness_tree};

/// The names of the columns of a row, in addition to its class.
pub(crate) const COLUMNS: [&str; 4] = ["ill", "pay", "who", "guard"];

/// One row: its class and its cells.
pub(crate) type Row = (usize, [&'static str; 4]);

/// Rows in classes that differ in one quasi-identifier.
pub(crate) struct Wide {
    pub(crate) rows: Vec<Row>,
    pub(crate) classes: usize,
    pub(crate) table: FrequencyTable,
    quasi: Vec<Quasi>,
    sensitive: Vec<String>,
    tree: Hierarchy,
}

impl Wide {
    /// Rows that are about a person each.
    pub(crate) fn new(rows: &[Row]) -> Self {
        Self::counting(rows, false)
    }

    /// Rows, where people have several if so.
    pub(crate) fn counting(rows: &[Row], persons: bool) -> Self {
        let classes = rows.iter().map(|row| row.0 + 1).max().unwrap_or(0);
        let values = |place: usize| {
            let mut values: Vec<&str> = rows.iter().map(|row| row.1[place]).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let columns = COLUMNS.iter().enumerate().map(|(place, name)| PayloadColumn {
            name: (*name).into(),
            values: values(place).into_iter().collect(),
            measure: TEXT,
            missing: Vec::new(),
            reading: Default::default(),
        });
        let code = |place: usize, row: usize| {
            values(place).binary_search(&rows[row].1[place]).expect("its own value") as u32
        };
        let (payloads, of_row) = Payloads::of_rows(columns.collect(), rows.len(), code);
        let payloads = payloads.with_person(persons.then_some(2));
        let class = |_: usize, row: usize| rows[row].0 as u32;
        let (table, _) =
            FrequencyTable::count(&[classes as u32], rows.len(), class, payloads, &of_row, |_| 1);
        let names: Vec<String> = (0..classes).map(|class| format!("c{class}")).collect();
        let shape = Shape::Set(names.iter().map(String::as_str).collect());
        let quasi =
            vec![Quasi { name: "q".into(), measure: TEXT, shape, priority: 1.0, tight: false, sets: false }];
        let sensitive = vec!["ill".to_owned(), "pay".to_owned()];
        Self { rows: rows.to_vec(), classes, table, quasi, sensitive, tree: illness_tree(&values(0)) }
    }

    /// Whether some row has this illness.
    pub(crate) fn has(&self, ill: &str) -> bool {
        self.rows.iter().any(|row| row.1[0] == ill)
    }

    /// The models that a plan asks for in these words.
    pub(crate) fn models(&self, privacy: &str) -> Vec<Box<dyn Model>> {
        #[derive(serde::Deserialize)]
        struct Asked {
            privacy: Vec<ModelSpec>,
        }
        let asked: Asked = toml::from_str(privacy).expect("a part of a plan");
        let built = asked.privacy.iter().flat_map(|spec| {
            let context = ModelContext {
                table: &self.table,
                trees: &|name| (name == "ill").then_some(&self.tree),
                columns: &spec.columns,
                sensitive: &self.sensitive,
            };
            let entry = MODELS.find(&spec.model).expect("a registered model");
            scumble::models::build(entry, &spec.parameters, &context).expect("fitting parameters")
        });
        built.collect()
    }

    /// Whether some classes, merged, pass a model's test.
    pub(crate) fn passes(&self, model: &dyn Model, classes: &[usize]) -> bool {
        let mut rows = vec![0_u32; self.table.payloads().len()];
        for cell in classes.iter().flat_map(|class| self.table.cells(*class as u32)) {
            rows[cell.payload as usize] += cell.rows;
        }
        let cells: Vec<Cell> = (0..)
            .zip(&rows)
            .filter(|(_, rows)| **rows > 0)
            .map(|(payload, rows)| Cell { payload, rows: *rows })
            .collect();
        let size = rows.iter().map(|rows| u64::from(*rows)).sum();
        let view = ClassView { size, cells: &cells, payloads: self.table.payloads() };
        model.class_test().expect("one class decides").passes(&view)
    }

    /// What would be published, with some classes suppressed.
    pub(crate) fn published(&self, suppressed: &[bool], policy: StarPolicy) -> Classes {
        let codes: Vec<u32> = (0..self.classes as u32).collect();
        let column = ClassColumn {
            values: codes.iter().map(|code| Value::Span(*code, *code)).collect(),
            of_class: Codes::narrow(self.classes, &codes),
        };
        let assignment = Assignment {
            members: Members::Tuples(codes),
            columns: vec![column],
            suppressed: suppressed.to_vec(),
        };
        Classes::new(assignment, &self.table, &self.quasi, policy)
    }

    /// What the verifier says of a claim about the same as a file would hold it; none if it would hold no row.
    pub(crate) fn verified(
        &self,
        model: &dyn Model,
        suppressed: &[bool],
        policy: StarPolicy,
    ) -> Option<ModelOutcome> {
        let coded = |suppressed: &[bool], policy: StarPolicy| {
            let kept = |row: &&Row| !(suppressed[row.0] && policy == StarPolicy::Drop);
            let rows: Vec<&Row> = self.rows.iter().filter(kept).collect();
            let shown: Vec<String> = rows
                .iter()
                .map(|row| if suppressed[row.0] { "*".to_owned() } else { format!("c{}", row.0) })
                .collect();
            let mut columns = vec![coded_column("q", &shown.iter().map(String::as_str).collect::<Vec<_>>())];
            for (place, name) in COLUMNS.iter().enumerate() {
                columns.push(coded_column(name, &rows.iter().map(|row| row.1[place]).collect::<Vec<_>>()));
            }
            CodedTable { columns, rows: rows.len() }
        };
        let original = coded(&vec![false; self.classes], StarPolicy::Strict);
        let mut columns: Vec<ReferenceColumn> =
            COLUMNS.iter().map(|name| ReferenceColumn::count(&original, name).expect("its column")).collect();
        columns.extend(model.joint().map(|names| {
            ReferenceColumn::count_joint(&original, names, &[], &scumble_files::Control::default())
                .expect("its columns")
        }));
        let release = coded(suppressed, policy);
        let claim = Claim {
            quasi: vec!["q".into()],
            models: vec![ModelClaim::from_json(&model.claim().into()).expect("a model")],
            star: if policy == StarPolicy::Paper { StarRows::Unjudged } else { StarRows::Judged },
            values: Vec::new(),
        };
        let checked = || check_models(&release, &claim, Some(&Reference { columns }));
        (release.rows > 0).then(|| checked().expect("a claim that can be read").models.remove(0))
    }
}
