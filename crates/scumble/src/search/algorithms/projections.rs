//! Code shared by the algorithms that publish some columns in addition to the class label, each column unchanged.

use super::Finding;
use super::tables::{Shown, Tables, TablesProblem, TablesSolution};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting, Wish};
use crate::search::rough::discretise::Discretise;
use crate::search::rough::{DecisionTable, Region, TupleClasses, approximations, joint_anonymity, rejoin};

/// The most values of a class label. Tables of classes and labels are held in memory as a whole.
const MOST_LABELS: usize = 1000;

/// The registry's description of the parameter `str_on_all`.
pub(super) const STR_ON_ALL: (&str, &str) = (
    "str_on_all",
    "whether columns that are no quasi-identifiers count as known to outsiders too, as the paper prints it (default false)",
);

/// The parameters that these algorithms share.
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

    /// Returns an error if a problem is not supported: only k-anonymity, counted in rows, is.
    pub(super) fn check(&self, problem: &TablesProblem, algorithm: &str) -> Result<()> {
        let asked = &problem.problem;
        let serves = |model: &dyn crate::models::Model| {
            model.demand() == crate::models::Demand::Size && asked.is_about_all(model)
        };
        if let Some(model) = asked.models.iter().find(|model| !serves(&***model)) {
            return Err(Error::refused(format!(
                "'{}' is not served by {algorithm}, which shows the class label of every row",
                model.title()
            ))
            .another(Wish::Serving)
            .concede("ask for k-anonymity on all quasi-identifiers and for nothing else"));
        }
        if asked.k().is_none() {
            return Err(Error::config(format!("'{algorithm}' needs k"))
                .set(Setting::model("k").of_model("k_anonymity"), "ask for k-anonymity"));
        }
        if let Some(person) = asked.table.payloads().person() {
            return Err(Error::refused(format!(
                "{algorithm} counts rows, and persons ('{}') have several",
                person.name
            ))
            .another_that("use an algorithm that counts persons")
            .advise("keep one row for each person"));
        }
        if asked.quasi.is_empty() {
            return Err(Error::config(format!(
                "'{algorithm}' chooses among columns, and there are none beside the class label"
            ))
            .set(Setting::role("quasi"), "give some columns the role quasi")
            .weaken(Setting::role("other"), "give some columns the role other"));
        }
        let labels = asked.table.payloads().columns[problem.target].values.len();
        if labels > MOST_LABELS || asked.table.tuples() * labels > u32::MAX as usize {
            return Err(Error::refused(format!(
                "'{algorithm}' keeps what tells a few class labels apart, and '{}' has {labels} different ones in {} rows",
                asked.table.payloads().columns[problem.target].name,
                asked.table.rows()
            ))
            .set(Setting::role("class"), "choose another class column")
            .advise("make the values of the class coarser first"));
        }
        asked.check_feasible()
    }

    /// The problem as a decision table.
    pub(super) fn prepare(&self, problem: &TablesProblem) -> Prepared {
        let discretised = self.discretise.apply(problem);
        let asked = &problem.problem;
        let sizes: Vec<u32> = asked.quasi.iter().map(crate::table::quasi::Quasi::size).collect();
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
    /// How each column is shown.
    pub(super) shown: Vec<Shown>,
}

impl Prepared {
    /// Publishes projections, if there are any and their level is at least k. `findings` come before those that
    /// all these algorithms share.
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
        Ok(TablesSolution {
            shown: self.shown,
            tables: Tables::Projections(projections),
            findings,
            warnings,
            limits: Vec::new(),
        })
    }

    /// Findings about how much of what all columns say about the class label these columns keep.
    pub(super) fn told(&self, columns: &[usize]) -> Vec<Finding> {
        let positive = Region::of(&self.table, columns).positive();
        let approximated = approximations(&self.table, &TupleClasses::of(&self.table, columns));
        let sum =
            |of: fn(&crate::search::rough::Approximation) -> u64| approximated.iter().map(of).sum::<u64>();
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

    /// The error that says why there is nothing to publish.
    fn nothing(&self, problem: &TablesProblem) -> Error {
        let label = &problem.problem.table.payloads().columns[problem.target].name;
        if self.full == 0 || Region::of_nothing(&self.table).positive() == self.table.rows() {
            return Error::infeasible(format!(
                "no column is worth publishing: {}",
                if self.full == 0 {
                    format!("even all of them together decide '{label}' of no row")
                } else {
                    format!("'{label}' is the same in every row")
                }
            ))
            .another_that("use an algorithm that generalises the table");
        }
        Error::infeasible(format!(
            "no columns can be published for k = {}: those that say something about '{label}' single out fewer than {} rows",
            self.k, self.k
        ))
        .set(Setting::parameter("bins").to(4), "use fewer intervals for numbers")
        .advise("use hierarchies with coarser leaves")
        .another_that("use an algorithm that generalises the table")
        .weaken(Setting::model("k"), "lower k")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::made::{Row, columns, problem, rows};
    use super::*;
    use crate::config::Value;
    use crate::problem::Progress;
    use crate::registry::{Entry, TABLES_ALGORITHMS};

    fn run(
        entry: &Entry<super::super::tables::BuildTablesAlgorithm>,
        problem: &TablesProblem,
    ) -> Result<TablesSolution> {
        // Settings for quick searches with coarse intervals.
        let wishes = [("population", "6"), ("generations", "3"), ("m", "4"), ("bins", "3"), ("folds", "2")];
        let mine = wishes.iter().filter(|(name, _)| entry.parameters.iter().any(|(known, _)| known == name));
        let parameters = mine.map(|(name, value)| ((*name).to_owned(), Value::from_text(value))).collect();
        let algorithm = (entry.build)(&parameters)?;
        algorithm.check(problem).and_then(|()| algorithm.run(problem))
    }

    fn asked(rows: &[Row], known: &[bool], k: u64) -> TablesProblem {
        let k = k.to_string();
        let made = problem(columns(false), rows, &[("k_anonymity", &[("k", k.as_str())], None)]);
        TablesProblem { problem: made, known: known.to_vec(), target: 0, seed: None }
    }

    /// The level of what is published, computed from the texts that are shown.
    fn level(problem: &TablesProblem, solution: &TablesSolution, projections: &[Vec<usize>]) -> u64 {
        let quasi = &problem.problem.quasi;
        let coarser = |(quasi, shown): (&crate::table::quasi::Quasi, &Shown)| {
            let labels: Vec<String> = (0..quasi.size()).map(|code| shown.label(quasi, code)).collect();
            let place =
                |label: &String| labels.iter().position(|other| other == label).map(|place| place as u32);
            Some(labels.iter().filter_map(place).collect())
        };
        let coarser: Vec<Option<Vec<u32>>> = quasi.iter().zip(&solution.shown).map(coarser).collect();
        let sizes: Vec<u32> = quasi.iter().map(crate::table::quasi::Quasi::size).collect();
        let table = DecisionTable::new(&problem.problem.table, &sizes, &coarser, 0);
        joint_anonymity(&table, &problem.known, projections, &Progress::default())
            .expect("no one stops it")
            .level
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn what_is_published_keeps_k_and_depends_on_no_order(
            rows in rows(&columns(false)),
            known in prop::collection::vec(any::<bool>(), 3),
            k in 1..6_u64,
        ) {
            let given = asked(&rows, &known, k);
            let mut turned = rows.clone();
            turned.reverse();
            let turned = asked(&turned, &known, k);
            let projecting = TABLES_ALGORITHMS.iter().filter(|entry| ["reduct", "reduct_ensemble", "dmpd"].contains(&entry.name));
            for entry in projecting {
                match (run(entry, &given), run(entry, &turned)) {
                    (Ok(one), Ok(other)) => {
                        prop_assert_eq!(&one.tables, &other.tables);
                        prop_assert_eq!(&one.findings, &other.findings);
                        let Tables::Projections(projections) = &one.tables else { panic!("{}", entry.name) };
                        prop_assert!(!projections.is_empty());
                        prop_assert!(projections.iter().all(|columns| !columns.is_empty() && columns.is_sorted()));
                        prop_assert!(level(&given, &one, projections) >= k, "{}", entry.name);
                    }
                    (Err(one), Err(other)) => {
                        prop_assert!(one.kind() == crate::ErrorKind::Infeasible, "{}: {}", entry.name, one);
                        prop_assert_eq!(one.to_string(), other.to_string());
                    }
                    _ => prop_assert!(false, "{}: the order of rows decides", entry.name),
                }
            }
        }
    }
}
