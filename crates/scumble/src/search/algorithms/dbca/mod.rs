//! DBCA: density-based clustering with attribute priorities (Sun, Wang, Li 2009; algorithms.md A8).

mod centres;
mod distortion;

use super::clustering::finish::{solution, tuples_alone};
use super::clustering::stock::Stock;
use super::clustering::{LabelCost, check_models, cluster_size};
use super::{Algorithm, Capabilities, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;
use crate::recoding::published::Classes;
use distortion::Distortion;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "dbca",
    title: "DBCA: density-based clustering with attribute priorities",
    paper: "Sun, Wang, Li 2009",
    standing: Standing::Classic,
    about: "Gathers the k rows around each dense row and generalises every cluster on its own, so that columns you call more \
            important are generalised less. Suppresses nothing. Columns without a hierarchy get levels built from the data, unless numeric says otherwise.",
    parameters: PARAMETERS,
    build,
};

/// The parameters of DBCA.
const PARAMETERS: &[(&str, &str)] = &[
    ("weights", "what one step up a hierarchy weighs: uniform (default), or height: more towards the root"),
    ("beta", "with weights = height: how fast the weight falls towards the leaves, at least 1 (default 1)"),
    (
        "priority_order",
        "the quasi-identifiers from the most to the least important, which is then generalised for nothing; without it \
         each column's own priority (default 1)",
    ),
    ("priority_floor", "the least priority of a column, from 0 (default) to 1"),
    (
        "all_centres",
        "true: a centre keeps its distance from all centres before it; false (default): from the last one",
    ),
    (
        "numeric",
        "how numbers without a hierarchy are generalised: levels (default), built from the data; interval: to one range, which \
         costs the same however wide it is; scaled: to one range, which costs as much more as it is wider",
    ),
    (
        "exclude_self",
        "true: the k nearest rows that make up a row's density are k others; false (default): the row itself is one of them",
    ),
    (
        "dynamic",
        "true: densities are computed anew among the rows that are left before every cluster, which is slow; false (default): \
         once, in the whole table",
    ),
];

/// The search of DBCA and of DBCA:CM.
pub(super) struct Dbca {
    pub(super) name: &'static str,
    pub(super) distortion: Distortion,
    pub(super) all_centres: bool,
    pub(super) exclude_self: bool,
    pub(super) dynamic: bool,
    /// The cost of a row with another class label than the centre's.
    pub(super) label_cost: u64,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(Dbca::read(ENTRY.name, parameters, 0)?))
}

impl Dbca {
    pub(super) fn read(name: &'static str, parameters: &Parameters, label_cost: u64) -> Result<Self> {
        let is_set = |name: &str| -> Result<bool> { Ok(parameters.boolean(name)?.unwrap_or(false)) };
        Ok(Self {
            name,
            distortion: Distortion::read(parameters)?,
            all_centres: is_set("all_centres")?,
            exclude_self: is_set("exclude_self")?,
            dynamic: is_set("dynamic")?,
            label_cost,
        })
    }
}

impl Algorithm for Dbca {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: self.distortion.needs_trees(),
            fineness: Fineness::TrueOfClass,
            default_suppression: Rational::ZERO,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        self.distortion.check(problem, self.name)?;
        check_models(problem, self.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let space = self.distortion.space(problem)?;
        let labels = problem.class.filter(|_| self.label_cost > 0);
        let labels = labels.map(|column| LabelCost { column, cost: self.label_cost });
        let mut stock = Stock::new(&problem.table, labels.map(|labels| labels.column));
        let k = cluster_size(problem);
        let clusters = if k > 1 {
            let Self { all_centres, exclude_self, dynamic, .. } = *self;
            let wanted = centres::Wanted { k, all_centres, exclude_self, dynamic, labels };
            centres::clusters(problem, &space, &mut stock, &wanted)?
        } else {
            tuples_alone(problem, &space, &mut stock)
        };
        let mut solution = solution(problem, &space, clusters)?;
        let assignment = solution.assignment.clone();
        let classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
        solution.findings.extend(self.distortion.findings(problem, &classes));
        Ok(solution)
    }
}
