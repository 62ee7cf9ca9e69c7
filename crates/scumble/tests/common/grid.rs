//! Classes made by hand: the sensitive values of each, without files and without a search.

use scumble::config::StarPolicy;
use scumble::models::{Model, ModelContext};
use scumble::recoding::published::Classes;
use scumble::recoding::{Assignment, ClassColumn, Members};
use scumble::registry::MODELS;
use scumble::table::frequency::{Cell, FrequencyTable};
use scumble::table::hierarchy::{Builder, Domain, Hierarchy, Recipe, Unlisted, build};
use scumble::table::kind::{Kind, Measure};
use scumble::table::payload::{PayloadColumn, Payloads};
use scumble::table::quasi::{Quasi, Shape, Value};
use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

use super::column::{MISSING, is_missing};
use super::demand::{Demand, illness_file, in_order};

pub(crate) const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };

/// Classes that differ in one quasi-identifier, each with its illnesses.
pub(crate) struct Grid {
    pub(crate) classes: Vec<Vec<&'static str>>,
    pub(crate) table: FrequencyTable,
    pub(crate) quasi: Vec<Quasi>,
    /// The tree of the values, if they are illnesses.
    tree: Option<Hierarchy>,
}

impl Grid {
    /// One class each, none of them empty.
    pub(crate) fn new(classes: &[Vec<&'static str>]) -> Self {
        let values: Vec<&str> = classes.concat();
        let order = in_order(&values);
        let numbers = order.iter().all(|text| is_missing(text) || text.parse::<i64>().is_ok());
        let measure = Measure { kind: if numbers { Kind::Integer } else { Kind::Text }, scale: 0 };
        let class_of_row: Vec<u32> =
            (0..).zip(classes).flat_map(|(class, values)| values.iter().map(move |_| class)).collect();
        let column = PayloadColumn {
            name: "ill".into(),
            values: order.iter().copied().collect(),
            measure,
            missing: MISSING.map(str::to_owned).to_vec(),
            reading: scumble::table::payload::Reading { form: None, missing_counts: true },
        };
        let code = |_: usize, row: usize| {
            order.iter().position(|value| *value == values[row]).expect("its own value") as u32
        };
        let (payloads, payload_of_row) = Payloads::of_rows(vec![column], values.len(), code);
        let sizes = [classes.len() as u32];
        let of_row = |_: usize, row: usize| class_of_row[row];
        let (table, _) =
            FrequencyTable::count(&sizes, values.len(), of_row, payloads, &payload_of_row, |_| 1);
        let illnesses = !order.iter().any(|text| text.parse::<i64>().is_ok());
        let tree = illnesses.then(|| illness_tree(&order));
        let names: Vec<String> = (0..classes.len()).map(|class| format!("c{class:02}")).collect();
        let shape = Shape::Set(names.iter().map(String::as_str).collect());
        let quasi =
            vec![Quasi { name: "q".into(), measure: TEXT, shape, priority: 1.0, tight: false, sets: false }];
        Self { classes: classes.to_vec(), table, quasi, tree }
    }

    /// The model of a requirement.
    pub(crate) fn model(&self, demand: Demand) -> Box<dyn Model> {
        let spec = demand.spec();
        let trees = |_: &str| self.tree.as_ref();
        let context =
            ModelContext { table: &self.table, trees: &trees, columns: &spec.columns, sensitive: &[] };
        let entry = MODELS.find(&spec.model).expect("a registered model");
        let part = demand.parts().iter().position(|part| *part == demand).expect("a part of itself");
        (entry.build)(&spec.parameters, &context).expect("fitting parameters").remove(part)
    }

    /// The cells of some classes together, and how many rows they are.
    pub(crate) fn union(&self, classes: &[usize]) -> (u64, Vec<Cell>) {
        let mut rows = vec![0; self.table.payloads().len()];
        for class in classes {
            self.table.cells(*class as u32).iter().for_each(|cell| rows[cell.payload as usize] += cell.rows);
        }
        let cells = (0..)
            .zip(&rows)
            .filter(|(_, rows)| **rows > 0)
            .map(|(payload, rows)| Cell { payload, rows: *rows });
        (rows.iter().map(|rows| u64::from(*rows)).sum(), cells.collect())
    }

    /// What would be published, with some classes suppressed.
    pub(crate) fn published(&self, suppressed: &[bool], policy: StarPolicy) -> Classes {
        let codes = 0..self.classes.len() as u32;
        let column = ClassColumn {
            values: codes.clone().map(|code| Value::Span(code, code)).collect(),
            of_class: Codes::narrow(self.classes.len(), &codes.clone().collect::<Vec<_>>()),
        };
        let assignment = Assignment {
            members: Members::Tuples(codes.collect()),
            columns: vec![column],
            suppressed: suppressed.to_vec(),
        };
        Classes::new(assignment, &self.table, &self.quasi, policy)
    }

    /// The same as a file would hold it.
    pub(crate) fn coded(&self, suppressed: &[bool], policy: StarPolicy) -> CodedTable {
        let mut rows: Vec<(String, &str)> = Vec::new();
        for (class, values) in self.classes.iter().enumerate() {
            let shown = if suppressed[class] { "*".to_owned() } else { format!("c{class:02}") };
            if !(suppressed[class] && policy == StarPolicy::Drop) {
                rows.extend(values.iter().map(|value| (shown.clone(), *value)));
            }
        }
        let shown: Vec<&str> = rows.iter().map(|(shown, _)| shown.as_str()).collect();
        let ills: Vec<&str> = rows.iter().map(|(_, ill)| *ill).collect();
        CodedTable { columns: vec![coded_column("q", &shown), coded_column("ill", &ills)], rows: rows.len() }
    }
}

/// The tree of the illnesses, for these values.
pub(crate) fn illness_tree(order: &[&str]) -> Hierarchy {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), illness_file()).expect("it takes text");
    let present: Vec<&str> = order.iter().copied().filter(|text| !is_missing(text)).collect();
    let domain = Domain {
        name: "ill",
        measure: TEXT,
        values: &present,
        rows: &vec![1; present.len()],
        first_rows: None,
        missing: order.iter().copied().find(|text| is_missing(text)),
        classes: None,
        declared: None,
        form: None,
    };
    let builder = Builder::File { path: file.path().to_owned(), unlisted: Unlisted::Error };
    build(&Recipe::load(builder).expect("a listing"), &domain).expect("a tree").hierarchy
}

/// A column as reading a file gives it.
pub(crate) fn coded_column(name: &str, cells: &[&str]) -> CodedColumn {
    let mut texts: Vec<&str> = cells.to_vec();
    texts.sort_unstable();
    texts.dedup();
    let codes: Vec<u32> =
        cells.iter().map(|cell| texts.binary_search(cell).expect("it is there") as u32).collect();
    let codes = Codes::narrow(texts.len(), &codes);
    CodedColumn { name: name.to_owned(), values: texts.into_iter().collect::<Texts>(), codes }
}
