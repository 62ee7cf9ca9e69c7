//! DBCA:CM (Sun, Wang, Li 2009; algorithms.md A9): DBCA that prefers rows of the centre's class label.

use super::clustering::label_weight;
use super::dbca::Dbca;
use super::iack::class_of;
use super::{Algorithm, Capabilities, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "dbca_cm",
    title: "DBCA:CM: density-based clustering for classification",
    paper: "Sun, Wang, Li 2009",
    standing: Standing::Classic,
    about: "DBCA that prefers clusters with one value of the class column, so that less of what a classifier learns is mixed. Needs a class \
            column. A cluster with one value gives it away for everyone in it, so a class column that a model protects is refused.",
    parameters: &[
        (
            "lambda",
            "what a row of another label than the centre's costs, as a distance (default 1); 0: as dbca, \"infinity\": \
             labels first",
        ),
        ("allow_homogeneous", "true: also if a model protects the class column (default false)"),
        ("weights", "as in dbca"),
        ("beta", "as in dbca"),
        ("priority_order", "as in dbca"),
        ("priority_floor", "as in dbca"),
        ("all_centres", "as in dbca"),
        ("numeric", "as in dbca"),
        ("exclude_self", "as in dbca"),
        ("dynamic", "as in dbca"),
    ],
    build,
};

struct DbcaCm {
    inner: Dbca,
    allow_homogeneous: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let lambda = label_weight(parameters, "lambda", Rational::ONE)?;
    let inner = Dbca::read(ENTRY.name, parameters, lambda)?;
    let allow_homogeneous = parameters.boolean("allow_homogeneous")?.unwrap_or(false);
    Ok(Box::new(DbcaCm { inner, allow_homogeneous }))
}

impl Algorithm for DbcaCm {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: self.inner.capabilities().needs_trees,
            needs_class: true,
            fineness: Fineness::TrueOfClass,
            default_suppression: self.inner.capabilities().default_suppression,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let class = class_of(problem, ENTRY.name)?;
        let name = &problem.table.payloads().columns[class].name;
        let protecting = problem.models.iter().find(|model| model.protected().contains(&name.as_str()));
        if let Some(model) = protecting.filter(|_| !self.allow_homogeneous) {
            return Err(Error::refused(format!(
                "'dbca_cm' gathers rows of one class label, and {} is to keep such labels from being told",
                model.title()
            ))
            .another_that("use an algorithm that does not gather rows by their class")
            .set(
                Setting::parameter("allow_homogeneous").to(true),
                "allow clusters of one class label; those that fail the model are merged",
            ));
        }
        self.inner.check(problem)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        self.inner.run(problem)
    }
}
