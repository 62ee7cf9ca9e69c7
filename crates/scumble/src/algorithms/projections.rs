//! What the algorithms share that publish some of the columns beside the class label, each as it is.

use super::Finding;
use super::tables::{Shown, Tables, TablesProblem, TablesSolution};
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::rough::discretise::Discretise;
use crate::rough::{DecisionTable, Partition, Region, approximations, joint_anonymity, rejoin};

/// What the registry says about `str_on_all`.
pub(super) const STR_ON_ALL: (&str, &str) = (
    "str_on_all",
    "whether columns that are no quasi-identifiers count as known to outsiders too, as the paper prints it (default false)",
);

/// The parameters that they share.
pub(super) struct Shared {
    pub(super) discretise: Discretise,
    str_on_all: bool,
}

impl Shared {
    pub(super) fn read(parameters: &Parameters) -> Result<Self> {
        Ok(Self {
            discretise: Discretise::read(parameters)?,
            str_on_all: parameters.boolean(STR_ON_ALL.0)?.unwrap_or(false),
        })
    }

    /// An error if a problem cannot be served: only k-anonymity is, counted in rows.
    pub(super) fn check(&self, problem: &TablesProblem, algorithm: &str) -> Result<()> {
        let asked = &problem.problem;
        let serves = |model: &dyn crate::models::Model| {
            model.name() == crate::models::k_anonymity::ENTRY.name && asked.is_about_all(model)
        };
        if let Some(model) = asked.models.iter().find(|model| !serves(&***model)) {
            return Err(Error::refused(format!(
                "'{}' is not served by {algorithm}, which shows the class label of every row; it serves k_anonymity on all \
                 quasi-identifiers. For the diversity of a sensitive column use anatomy, for other models mondrian",
                model.title()
            )));
        }
        if asked.k().is_none() {
            return Err(Error::config(format!("'{algorithm}' needs k: give --k, or the model k_anonymity")));
        }
        if let Some(person) = asked.table.payloads().person() {
            return Err(Error::refused(format!(
                "{algorithm} counts rows, and persons ('{}') have several; use mondrian, which counts persons, or keep one row a \
                 person",
                person.name
            )));
        }
        if asked.quasi.is_empty() {
            return Err(Error::config(format!(
                "'{algorithm}' chooses among columns, and there are none beside the class label; give some the role quasi or other"
            )));
        }
        asked.check_feasible()
    }

    /// The problem as a decision table.
    pub(super) fn prepare(&self, problem: &TablesProblem) -> Prepared {
        let discretised = self.discretise.apply(problem);
        let asked = &problem.problem;
        let sizes: Vec<u32> = asked.quasi.iter().map(crate::quasi::Quasi::size).collect();
        let known = problem.known.iter().map(|known| *known || self.str_on_all).collect();
        let table = DecisionTable::new(&asked.table, &sizes, &discretised.coarser, problem.target);
        let all: Vec<usize> = (0..sizes.len()).collect();
        Prepared {
            full: Region::of(&table, &all).positive(),
            table,
            known,
            shown: discretised.shown,
            k: asked.k().unwrap_or(1),
            all,
        }
    }
}

/// A problem as a decision table.
pub(super) struct Prepared {
    pub(super) table: DecisionTable,
    /// Which columns outsiders may know.
    pub(super) known: Vec<bool>,
    pub(super) k: u64,
    /// All columns.
    pub(super) all: Vec<usize>,
    /// The rows of the positive region of all columns.
    pub(super) full: u64,
    shown: Vec<Shown>,
}

impl Prepared {
    /// Publishes projections, if there are some and their level is k. `findings` come before those that all share.
    pub(super) fn publish(
        self,
        problem: &TablesProblem,
        projections: Vec<Vec<usize>>,
        mut findings: Vec<Finding>,
    ) -> Result<TablesSolution> {
        if projections.is_empty() {
            return Err(self.nothing(problem));
        }
        let progress = &problem.problem.progress;
        let joint = joint_anonymity(&self.table, &self.known, &projections, progress)?;
        if joint.level < self.k {
            return Err(Error::internal("projections below the level that was asked for were chosen"));
        }
        let rejoined = rejoin(&self.table, &self.known, &projections, self.k);
        let mut warnings: Vec<String> = rejoined.warning().into_iter().collect();
        if !joint.is_exact() {
            warnings.push(format!(
                "the files share columns in a circle, so that the level of anonymity is only known to be between {} and {}",
                joint.level, joint.at_most
            ));
        }
        findings.push(Finding::new(
            "joint_level",
            Some(joint.level as f64),
            "the rows of each file that may be anybody's, at least, for somebody who has all files and knows all quasi-identifiers",
        ));
        findings.extend(rejoined.findings());
        Ok(TablesSolution { shown: self.shown, tables: Tables::Projections(projections), findings, warnings })
    }

    /// What some columns keep of what all of them tell about the class label.
    pub(super) fn told(&self, columns: &[usize]) -> Vec<Finding> {
        let positive = Region::of(&self.table, columns).positive();
        let approximated = approximations(&self.table, &Partition::of(&self.table, columns));
        let sum = |of: fn(&crate::rough::Approximation) -> u64| approximated.iter().map(of).sum::<u64>();
        let share = |part: u64, whole: u64| if whole == 0 { 1.0 } else { part as f64 / whole as f64 };
        vec![
            Finding::new(
                "positive_ratio",
                Some(share(positive, self.full)),
                "of the rows whose class label all columns together decide, the share that the published ones decide",
            ),
            Finding::new(
                "approximation_accuracy",
                Some(share(sum(|one| one.lower), sum(|one| one.upper))),
                "the rows whose class label the published columns decide, for each row and label that they leave possible",
            ),
        ]
    }

    /// Why there is nothing to publish.
    fn nothing(&self, problem: &TablesProblem) -> Error {
        let label = &problem.problem.table.payloads().columns[problem.target].name;
        if self.full == 0 || Region::of_nothing(&self.table).positive() == self.table.rows() {
            return Error::infeasible(format!(
                "no column is worth publishing: {}; use mondrian",
                if self.full == 0 {
                    format!("even all of them together decide '{label}' of no row")
                } else {
                    format!("'{label}' is the same in every row")
                }
            ));
        }
        Error::infeasible(format!(
            "no columns can be published for k = {}: those that say something about '{label}' single out fewer than {} rows; lower \
             k, use fewer intervals (--set bins=4) or hierarchies with coarser leaves, or generalise the table with mondrian",
            self.k, self.k
        ))
    }
}
