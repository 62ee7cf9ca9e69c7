//! IACc (Li, Liu, Baig, Wong 2011, Algorithm 2; algorithms.md A2): takes the levels of IACK, then suppresses the smallest
//! classes as long as no column's distribution suffers more than the limits allow. The k that it reaches is reported.

use super::iack::{class_of, levels};
use super::{Algorithm, Capabilities, Finding, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::metrics::contingency::{Contingency, TIE};
use crate::problem::Problem;
use crate::recoding::Step;
use crate::recoding::published::Classes;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "iacc",
    title: "IACc: information-based anonymization for classification, given limits on the damage",
    paper: "Li, Liu, Baig, Wong 2011, Algorithm 2",
    standing: Standing::Classic,
    about: "IACK turned round: says how far the columns' distributions and what they say about the class column may change, and \
            reports the k that this affords. If models are asked for and the limits do not afford them, the run fails and \
            says which k they afford. Needs a class column and a hierarchy for every quasi-identifier.",
    parameters: &[
        ("delta_d", "the largest normalised Kullback-Leibler divergence of a column; default 0.1"),
        ("delta_c", "the largest change of a column's normalised mutual information; default 0.1"),
        (
            "limits",
            "absolute (default), or fraction: of each column's largest possible divergence and change",
        ),
    ],
    build,
};

struct Iacc {
    delta_d: f64,
    delta_c: f64,
    fractions: bool,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let limit = |name: &str| -> Result<f64> {
        Ok(parameters.rational(name, Rational::ZERO, None)?.map_or(0.1, Rational::to_f64))
    };
    let (delta_d, delta_c) = (limit("delta_d")?, limit("delta_c")?);
    let fractions = parameters.choice("limits", &["absolute", "fraction"])? == Some("fraction");
    Ok(Box::new(Iacc { delta_d, delta_c, fractions }))
}

/// One column while classes are suppressed.
struct Column {
    before: Contingency,
    after: Contingency,
    limit_d: f64,
    limit_c: f64,
}

impl Column {
    fn exceeds(&self) -> bool {
        self.before.column_entropy() > TIE
            && (self.before.divergence_to(&self.after) > self.limit_d + TIE
                || self.before.information_change(&self.after) > self.limit_c + TIE)
    }
}

impl Iacc {
    fn columns(&self, classes: &Classes, problem: &Problem, class: usize) -> Vec<Column> {
        crate::metrics::information::contingencies(classes, problem, Some(class))
            .into_iter()
            .map(|(before, _)| {
                let (limit_d, limit_c) = if self.fractions {
                    let entropy = before.column_entropy().max(TIE);
                    (
                        self.delta_d * before.largest_divergence(),
                        self.delta_c * before.class_entropy() / entropy,
                    )
                } else {
                    (self.delta_d, self.delta_c)
                };
                Column { after: before.clone(), before, limit_d, limit_c }
            })
            .collect()
    }
}

impl Algorithm for Iacc {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            needs_trees: true,
            needs_class: true,
            // Levels depend on what they say about the class label as a whole.
            is_led_by_sensitive: false,
            needs_model: false,
            default_suppression: Rational::ONE,
            serves_population: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        class_of(problem, ENTRY.name)?;
        problem.tests()?;
        problem.check_trees(ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let class = class_of(problem, ENTRY.name)?;
        let step = Step::Levels(levels(problem, class)?);
        let assignment = step.apply(&problem.table, &problem.quasi);
        let mut classes = Classes::new(assignment, &problem.table, &problem.quasi, problem.star_policy);
        let payloads = problem.table.payloads();
        let mut columns = self.columns(&classes, problem, class);
        let mut by_size: Vec<usize> = (0..classes.len()).collect();
        by_size.sort_by_key(|class| classes.size(*class));
        let mut suppressed = vec![false; classes.len()];
        let mut e_min = 0;
        let mut pace = problem.progress.pace();
        // All classes of one size go together, smallest first, until a limit would be exceeded.
        for same in by_size.chunk_by(|a, b| classes.size(*a) == classes.size(*b)) {
            problem.progress.check()?;
            for member in same {
                pace.tick(columns.len())?;
                for (place, column) in columns.iter_mut().enumerate() {
                    let value = classes.assignment.columns[place].of_class.get(*member);
                    for cell in classes.class_cells(*member) {
                        column.after.remove(value, payloads.value(cell.payload, class), u64::from(cell.rows));
                    }
                }
            }
            if columns.iter().any(Column::exceeds) {
                break;
            }
            same.iter().for_each(|member| suppressed[*member] = true);
            e_min = classes.size(same[0]);
        }
        classes.suppress(suppressed, payloads.len());
        let k_actual = (0..classes.len())
            .filter(|class| !classes.is_suppressed(*class))
            .map(|class| classes.size(class))
            .min();
        // Models that were asked for, and the protection of the suppressed rows, may need more suppression. The limits still
        // apply.
        let released = problem.suppress_failing(classes.assignment.clone())?;
        let damaged = crate::metrics::information::contingencies(&released, problem, Some(class))
            .into_iter()
            .zip(&mut columns)
            .any(|((_, after), column)| {
                column.after = after;
                column.exceeds()
            });
        if damaged {
            let reached = k_actual.map_or("no group at all".into(), |k| format!("k = {k}"));
            return Err(Error::infeasible(format!(
                "the limits delta_d and delta_c afford {reached}, and meeting the models would exceed them"
            ))
            .advise("raise delta_d and delta_c")
            .another_that("use an algorithm that has no delta_d and delta_c")
            .concede("lower the requirement"));
        }
        let findings = vec![
            Finding::new(
                "k_paper",
                Some(e_min as f64 + 1.0),
                "the k that the paper reports: one more than the size of the largest groups suppressed",
            ),
            Finding::new(
                "k_actual",
                k_actual.map(|k| k as f64),
                "the size of the smallest group that is left",
            ),
        ];
        Ok(Solution::of_classes(step, released, findings))
    }
}
