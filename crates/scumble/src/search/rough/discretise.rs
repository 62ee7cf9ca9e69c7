//! Divides numbers into a few intervals. Otherwise nearly every row would be alone, and every column would decide
//! everything.

use crate::config::Parameters;
use crate::error::Result;
use crate::search::algorithms::tables::{Shown, TablesProblem};
use crate::table::hierarchy::{class_aware_starts, frequency_starts};
use crate::table::quasi::{Line, Shape, Value};

/// How columns of numbers and dates without a hierarchy are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discretise {
    /// Into about this many intervals of about equally many rows. Columns with no more numbers than that stay as they
    /// are.
    Frequency(usize),
    /// Where it separates the decisions (Fayyad and Irani 1993).
    Mdlp,
    /// Not at all.
    No,
}

/// The registry's description of the parameter `discretise`.
pub(crate) const DISCRETISE: (&str, &str) = (
    "discretise",
    "how numbers without a hierarchy are shown: frequency (intervals of about equally many rows, default), mdlp (cuts that tell the \
     class apart) or none",
);
/// The registry's description of the parameter `bins`.
pub(crate) const BINS: (&str, &str) =
    ("bins", "how many intervals discretise = frequency makes of a column (default 10)");

/// The columns of a problem after discretisation.
pub struct Discretised {
    /// How each column is shown.
    pub shown: Vec<Shown>,
    /// For each column, the coarser code of each code, if the column is divided.
    pub coarser: Vec<Option<Vec<u32>>>,
}

impl Discretise {
    /// Reads the parameters `discretise` and `bins`.
    pub fn read(parameters: &Parameters) -> Result<Self> {
        let bins = parameters.whole("bins", 2)?.unwrap_or(10);
        Ok(match parameters.choice("discretise", &["frequency", "mdlp", "none"])? {
            Some("mdlp") => Self::Mdlp,
            Some("none") => Self::No,
            _ => Self::Frequency(usize::try_from(bins).unwrap_or(usize::MAX)),
        })
    }

    /// Divides the columns of a problem.
    #[must_use]
    pub fn apply(self, problem: &TablesProblem) -> Discretised {
        let (mut shown, mut coarser) = (Vec::new(), Vec::new());
        for (column, quasi) in problem.problem.quasi.iter().enumerate() {
            let starts = match &quasi.shape {
                Shape::Line(line) => self.starts(problem, column, line),
                _ => None,
            };
            match (starts, &quasi.shape) {
                (Some(starts), Shape::Line(line)) => {
                    let (values, codes) = intervals(line, &starts);
                    shown.push(Shown::Coarser(values));
                    coarser.push(Some(codes));
                }
                _ => {
                    shown.push(Shown::AsItIs);
                    coarser.push(None);
                }
            }
        }
        Discretised { shown, coarser }
    }

    /// The first number of each interval; `None` if the column stays unchanged.
    fn starts(self, problem: &TablesProblem, column: usize, line: &Line) -> Option<Vec<usize>> {
        let table = &problem.problem.table;
        let numbers = &line.numbers;
        match self {
            Self::No => None,
            Self::Frequency(bins) if numbers.len() <= bins => None,
            Self::Frequency(bins) => {
                let rows = table.marginal(column, line.texts.len());
                Some(frequency_starts(numbers, &rows[..numbers.len()], bins))
            }
            Self::Mdlp if numbers.is_empty() => None,
            Self::Mdlp => {
                let payloads = table.payloads();
                let decisions = payloads.columns[problem.target].values.len();
                let mut classes = vec![vec![0_u64; decisions]; line.texts.len()];
                for (tuple, code) in (0..).zip(table.column(column).iter()) {
                    for cell in table.cells(tuple) {
                        let decision = payloads.value(cell.payload, problem.target);
                        classes[code as usize][decision as usize] += u64::from(cell.rows);
                    }
                }
                Some(class_aware_starts(numbers, &classes[..numbers.len()]))
            }
        }
    }
}

/// Returns what each code is shown as, and the number of its interval. Missing values form an interval of their own
/// after the others.
fn intervals(line: &Line, starts: &[usize]) -> (Vec<Value>, Vec<u32>) {
    let numbers = line.numbers.len();
    let (mut values, mut codes) = (Vec::with_capacity(numbers), Vec::with_capacity(numbers));
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(numbers);
        let span = Value::Span(*start as u32, end as u32 - 1);
        values.resize(end, span);
        codes.resize(end, place as u32);
    }
    if let Some(missing) = line.missing() {
        values.push(Value::Span(missing, missing));
        codes.push(starts.len() as u32);
    }
    (values, codes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::algorithms::made::{line_column, problem, set_column};

    /// Numbers 0 to 11, then a missing value: one row each, of class y from `from` on.
    fn twelve(from: u32) -> TablesProblem {
        let rows: Vec<_> = (0..13).map(|code| (vec![code, 0], u32::from(code >= from), 0)).collect();
        let quasi = vec![line_column("number", 13, true), set_column("text", 1)];
        TablesProblem { problem: problem(quasi, &rows, &[]), known: vec![true; 2], target: 0, seed: None }
    }

    #[test]
    fn equally_many_rows_in_each_interval_and_missing_apart() {
        let problem = twelve(0);
        let found = Discretise::Frequency(3).apply(&problem);
        let coarser = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3];
        assert_eq!(found.coarser, [Some(coarser.to_vec()), None]);
        let quasi = &problem.problem.quasi;
        let labels: Vec<String> =
            [0, 3, 4, 11, 12].map(|code| found.shown[0].label(&quasi[0], code)).to_vec();
        assert_eq!(labels, ["[0,3]", "[0,3]", "[4,7]", "[8,11]", "?"]);
        assert_eq!(found.shown[1], Shown::AsItIs);
    }

    #[test]
    fn few_numbers_stay_as_they_are() {
        assert_eq!(Discretise::Frequency(12).apply(&twelve(0)).coarser, [None, None]);
        assert_eq!(Discretise::No.apply(&twelve(0)).coarser, [None, None]);
    }

    #[test]
    fn cuts_that_tell_the_class_apart() {
        let found = Discretise::Mdlp.apply(&twelve(7));
        assert_eq!(found.coarser[0], Some(vec![0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 2]));
        // No cut separates the decisions, so there is one interval, and the missing value.
        let found = Discretise::Mdlp.apply(&twelve(0));
        assert_eq!(found.coarser[0], Some(vec![0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]));
    }
}
