//! An algorithm, a privacy model and a metric from another crate: this program adds one of each and makes a release with them.
//!
//! `cargo run --example own_methods`

use std::sync::Arc;

use scumble::arrow_array::{ArrayRef, StringArray};
use scumble::extend::{
    Algorithm, Assignment, Capabilities, ClassTest, ClassView, Classes, Entry, Members, Metric, Model,
    ModelContext, Monotonicity, Parameters, Problem, Quasi, Reach, Solution, Standing, Step, Value, Words,
    add_algorithm, add_metric, add_model, protected_columns,
};
use scumble::prelude::*;

/// An algorithm: the columns are coarsened in turn, a level at a time, until the release can be published.
struct InTurn;

const IN_TURN: Entry<scumble::extend::BuildAlgorithm> = Entry {
    name: "in_turn",
    title: "Columns in turn",
    paper: "an example of this documentation",
    standing: Standing::Experimental,
    about: "Coarsens one column after the other by a level, until few enough rows must be suppressed.",
    parameters: &[],
    build: |_| Ok(Box::new(InTurn)),
};

impl Algorithm for InTurn {
    fn capabilities(&self) -> Capabilities {
        Capabilities { needs_trees: true, reach: Reach::Column, ..Capabilities::USUAL }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests().map(drop)
    }
    fn run(&self, problem: &Problem) -> Result<Solution> {
        let heights: Vec<u32> =
            problem.quasi.iter().map(|quasi| quasi.tree().map_or(0, |tree| tree.height())).collect();
        let mut levels = vec![0; heights.len()];
        loop {
            // A caller may stop a search at any time.
            problem.progress.check()?;
            let found = Solution::of_step(problem, Step::Levels(levels.clone()), Vec::new());
            let lowest = (0..levels.len()).filter(|column| levels[*column] < heights[*column]);
            match lowest.min_by_key(|column| levels[*column]) {
                Some(column) if found.is_err() => levels[column] += 1,
                _ => return found,
            }
        }
    }
}

/// An algorithm that returns clusters: neighbours in the order of the table, as many as are asked for.
struct Neighbours {
    size: u64,
}

const NEIGHBOURS: Entry<scumble::extend::BuildAlgorithm> = Entry {
    name: "neighbours",
    title: "Neighbours",
    paper: "an example of this documentation",
    standing: Standing::Experimental,
    about: "Puts neighbours in the order of the table together, until each cluster has enough rows.",
    parameters: &[("size", "the fewest rows of a cluster; 3 unless given")],
    build: |parameters| {
        let size = parameters.whole("size", 1)?.unwrap_or(3);
        Ok(Box::new(Neighbours { size }))
    },
};

impl Algorithm for Neighbours {
    fn capabilities(&self) -> Capabilities {
        Capabilities::USUAL
    }
    fn check(&self, problem: &Problem) -> Result<()> {
        problem.class_tests().map(drop)
    }
    fn run(&self, problem: &Problem) -> Result<Solution> {
        let table = &problem.table;
        let mut clusters: Vec<Vec<u32>> = Vec::new();
        let mut rows = self.size;
        for tuple in 0..table.tuples() as u32 {
            problem.progress.check()?;
            if rows >= self.size {
                clusters.push(Vec::new());
                rows = 0;
            }
            clusters.last_mut().into_iter().for_each(|cluster| cluster.push(tuple));
            rows += table.weight(tuple);
        }
        // What is left over joins the last cluster that is full.
        if rows < self.size && clusters.len() > 1 {
            let rest = clusters.pop().unwrap_or_default();
            clusters.last_mut().into_iter().for_each(|cluster| cluster.extend(&rest));
        }
        let mut cluster_of_tuple = vec![0; table.tuples()];
        let mut regions: Vec<Vec<Value>> = Vec::new();
        for (number, cluster) in (0..).zip(&clusters) {
            cluster.iter().for_each(|tuple| cluster_of_tuple[*tuple as usize] = number);
            let shown = |(place, quasi): (usize, &Quasi)| {
                quasi.cover_codes(cluster.iter().map(|tuple| table.column(place).get(*tuple as usize)))
            };
            regions.push(problem.quasi.iter().enumerate().map(shown).collect());
        }
        let assignment = Assignment::of_regions(Members::Tuples(cluster_of_tuple), &regions);
        Solution::of_step(problem, Step::Regions(Box::new(assignment)), Vec::new())
    }
}

/// A privacy model: no sensitive value may be that of everybody in a class.
struct NoCertainty {
    column: String,
    place: usize,
}

const NO_CERTAINTY: Entry<scumble::extend::BuildModel> = Entry {
    name: "no_certainty",
    title: "No certainty",
    paper: "an example of this documentation",
    standing: Standing::Experimental,
    about: "In no class has everybody the same sensitive value.",
    parameters: &[("columns", "the columns protected; all sensitive ones if absent")],
    build: no_certainty,
};

fn no_certainty(_: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let columns = protected_columns(NO_CERTAINTY.name, context)?.into_iter();
    Ok(columns.map(|(column, place)| Box::new(NoCertainty { column, place }) as Box<dyn Model>).collect())
}

impl Model for NoCertainty {
    fn name(&self) -> &'static str {
        NO_CERTAINTY.name
    }
    fn title(&self) -> String {
        format!("no certainty about {}", self.column)
    }
    fn required(&self) -> f64 {
        2.0
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn protects(&self) -> Option<&str> {
        Some(&self.column)
    }
    fn words(&self) -> Words {
        Words::new(format!("uncertain about {}", self.column))
            .meaning(format!(
                "Among the rows that fit a person there are at least two values of {}.",
                self.column
            ))
            .limits("Guesses that are right almost always.")
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        Monotonicity { merging: true, dropping: true, upward: true }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if self.passes(whole) {
            return Ok(());
        }
        Err(Error::infeasible(format!("everybody has the same {}", self.column))
            .advise("leave the model out"))
    }
}

impl ClassTest for NoCertainty {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        self.attained(class) >= self.required()
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let mut rows_by_value = Vec::new();
        class.tally(self.place, &mut rows_by_value);
        rows_by_value.len() as f64
    }
}

/// A metric: the share of rows that show nothing.
struct Silence;

const SILENCE: Entry<&'static dyn Metric> = Entry {
    name: "silence",
    title: "share of rows that show nothing",
    paper: "an example of this documentation",
    standing: Standing::Experimental,
    about: "The share of rows that are suppressed.",
    parameters: &[],
    build: &Silence,
};

impl Metric for Silence {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        let rows = problem.table.rows();
        (rows > 0).then(|| classes.suppressed_rows() as f64 / rows as f64)
    }
    /// Coarser classes may be large enough where finer ones must be suppressed.
    fn worsens(&self) -> bool {
        false
    }
}

/// Adds all three, and makes a release with them.
pub(crate) fn release() -> Result<Release> {
    add_algorithm(IN_TURN)?;
    add_model(NO_CERTAINTY)?;
    add_metric(SILENCE)?;

    Release::of(patients()?, &plan().with_algorithm("in_turn"))
}

fn plan() -> Plan {
    Plan::of_columns([("postcode", Role::Quasi), ("diagnosis", Role::Sensitive)])
        .require(ModelSpec::new("k_anonymity").with("k", 3))
        .require(ModelSpec::new("no_certainty"))
}

/// The same by the algorithm that returns clusters.
pub(crate) fn clustered() -> Result<Release> {
    add_algorithm(NEIGHBOURS)?;
    Release::of(patients()?, &plan().with_algorithm("neighbours"))
}

pub(crate) fn patients() -> Result<RecordBatch> {
    let text = |values: &[&str]| Arc::new(StringArray::from(values.to_vec())) as ArrayRef;
    let table = RecordBatch::try_from_iter([
        ("postcode", text(&["1011", "1012", "1013", "2010", "2011", "2012"])),
        ("diagnosis", text(&["flu", "flu", "asthma", "flu", "asthma", "asthma"])),
    ]);
    table.map_err(Error::data)
}

fn main() -> Result<()> {
    let summary = release()?.summary;
    for model in &summary.models {
        println!("{}: {}", model.title, if model.holds { "holds" } else { "fails" });
    }
    println!("{} clusters by neighbours", clustered()?.summary.classes);
    println!("{} classes; {} = {}", summary.classes, SILENCE.name, summary.metrics[SILENCE.name]);
    Ok(())
}
