//! Thresholds on the risk of the whole table (models.md 4.1): the mean risk of its records, and how many of them are at a high one.
//!
//! The risk of a record is 1 over the size of its class. No single class decides such a model; but classes of a size that is large
//! enough do, and a run looks for the least such size under which the release as a whole keeps it.

use std::cmp::Ordering;

use rayon::prelude::*;
use serde_json::{Map, Value};

use super::values::smallest;
use super::{Model, ModelContext, Monotonicity, Verdict, Words};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting, Wanted};
use crate::recoding::published::{ClassView, Classes};
use crate::table::payload::Payloads;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "average_risk",
    title: "average risk",
    paper: "El Emam 2013; ARX",
    standing: Standing::Experimental,
    about: "Thresholds on the whole table instead of on every group: the average risk of re-identification (groups over rows) is at most \
            average, and at most a share at_risk of the records has a risk above highest. Cheaper than k-anonymity, and weaker: some \
            records may stay alone in their group.",
    parameters: &[
        ("average", "the largest mean of the records' risks, above 0 and at most 1; no limit if absent"),
        ("highest", "the risk above which a record is at risk, above 0 and at most 1; needed with at_risk"),
        ("at_risk", "the largest share of records at risk, from 0 to 1; 0 if absent where highest is given"),
    ],
    build,
};

/// What is asked of the whole table.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// The mean risk is at most this.
    Average(Rational),
    /// At most such a share has a risk above the other.
    AtRisk { highest: Rational, share: Rational },
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    context.refuse_persons(ENTRY.name)?;
    // Every record has some risk: 1/k in a class of k.
    let risk = |name: &str| parameters.positive(name, Some(Rational::ONE));
    let (average, highest) = (risk("average")?, risk("highest")?);
    let at_risk = parameters.rational("at_risk", Rational::ZERO, Some(Rational::ONE))?;
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    models.extend(average.map(|average| Box::new(Part::Average(average)) as Box<dyn Model>));
    match (highest, at_risk) {
        (Some(highest), share) => {
            models.push(Box::new(Part::AtRisk { highest, share: share.unwrap_or(Rational::ZERO) }));
        }
        (None, Some(_)) => {
            return Err(Error::config(
                "model 'average_risk': at_risk is the share of records whose risk is above highest",
            )
            .set(Setting::model("highest").of_model(ENTRY.name).to(0.2), "say which risk is high"));
        }
        (None, None) if models.is_empty() => {
            return Err(Error::config("model 'average_risk' needs average, or highest and at_risk")
                .set(Wanted::model(ENTRY.name).with("average", 0.1), "limit the average risk")
                .set(
                    Wanted::model(ENTRY.name).with("highest", 0.2).with("at_risk", 0.05),
                    "limit the share of records with a high risk",
                ));
        }
        (None, None) => {}
    }
    Ok(models)
}

/// The least k with 1/k at most this.
fn size_for(risk: Rational) -> u64 {
    let mut low = 1_u64;
    let mut high = 1_u64 << 40;
    while low < high {
        let middle = (low + high) / 2;
        if risk.cmp_ratio(1, middle) == Ordering::Less { low = middle + 1 } else { high = middle }
    }
    low
}

/// The figures of a table that both parts use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Sums {
    classes: u64,
    rows: u64,
    risky_classes: u64,
    risky_rows: u64,
}

impl Part {
    /// The risk above which a class counts as one that fails.
    fn threshold(self) -> Rational {
        match self {
            Self::Average(threshold) | Self::AtRisk { highest: threshold, .. } => threshold,
        }
    }

    /// Classes by their sizes, for the test.
    fn sums(self, size: u64) -> Sums {
        let risky = self.threshold().cmp_ratio(1, size) == Ordering::Less;
        Sums {
            classes: 1,
            rows: size,
            risky_classes: u64::from(risky),
            risky_rows: if risky { size } else { 0 },
        }
    }

    fn verdict(self, sums: Sums) -> Verdict {
        if sums.rows == 0 {
            return Verdict { holds: true, attained: f64::NEG_INFINITY, failing_classes: 0, failing_rows: 0 };
        }
        let (limit, share) = match self {
            Self::Average(average) => (average, sums.classes),
            Self::AtRisk { share, .. } => (share, sums.risky_rows),
        };
        let holds = limit.cmp_ratio(share, sums.rows) != Ordering::Less;
        let failing = |number: u64| if holds { 0 } else { number };
        Verdict {
            holds,
            attained: share as f64 / sums.rows as f64,
            failing_classes: failing(sums.risky_classes) as usize,
            failing_rows: failing(sums.risky_rows),
        }
    }
}

impl Model for Part {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        match self {
            Self::Average(average) => format!("a mean risk of at most {average}"),
            Self::AtRisk { highest, share } => {
                format!("at most a share of {share} of the records at a risk above {highest}")
            }
        }
    }
    fn unit(&self) -> &'static str {
        if matches!(self, Self::Average(_)) { "average" } else { "at_risk" }
    }
    fn settings(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Average(average) => vec![("average", average.to_f64())],
            Self::AtRisk { highest, share } => {
                vec![("at_risk", share.to_f64()), ("highest", highest.to_f64())]
            }
        }
    }
    fn words(&self) -> Words {
        Words::new(self.title()).meaning(format!("Over all rows together there is {}.", self.title())).limits(
            "Any single person: a low mean is also that of many safe rows and a few that are easily found.",
        )
    }
    fn claim(&self) -> Map<String, Value> {
        let numbers = match self {
            Self::Average(average) => vec![("average", *average)],
            Self::AtRisk { highest, share } => vec![("highest", *highest), ("at_risk", *share)],
        };
        let numbers = numbers.into_iter().map(|(name, number)| (name.to_owned(), number.to_string().into()));
        std::iter::once(("model".to_owned(), ENTRY.name.into())).chain(numbers).collect()
    }
    fn required(&self) -> f64 {
        match self {
            Self::Average(limit) | Self::AtRisk { share: limit, .. } => limit.to_f64(),
        }
    }
    fn larger_is_better(&self) -> bool {
        false
    }
    fn sufficient_size(&self) -> Option<u64> {
        Some(size_for(self.threshold()))
    }
    fn monotonicity(&self) -> Monotonicity {
        // Leaving out a large class leaves the small ones a larger share.
        Monotonicity { merging: true, dropping: false, upward: false }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if self.verdict(self.sums(whole.size)).holds {
            return Ok(());
        }
        // Rounded up, so that the figure given is itself possible.
        let least = (1e6 / whole.size as f64).ceil() / 1e6;
        let name = if matches!(self, Self::Average(_)) { "average" } else { "highest" };
        Err(Error::infeasible(format!(
            "{} cannot be met: in one group of all {} rows every row has a risk of {least}",
            self.title(),
            whole.size
        ))
        .concede(smallest(name, least)))
    }
    fn judge(&self, classes: &Classes, payloads: &Payloads) -> Verdict {
        let add = |a: Sums, b: Sums| Sums {
            classes: a.classes + b.classes,
            rows: a.rows + b.rows,
            risky_classes: a.risky_classes + b.risky_classes,
            risky_rows: a.risky_rows + b.risky_rows,
        };
        let sums = classes.judged(payloads).map(|(_, class)| self.sums(class.size));
        self.verdict(sums.reduce(Sums::default, add))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn verdict(part: Part, sizes: &[u64]) -> Verdict {
        let sums = sizes.iter().map(|size| part.sums(*size)).fold(Sums::default(), |a, b| Sums {
            classes: a.classes + b.classes,
            rows: a.rows + b.rows,
            risky_classes: a.risky_classes + b.risky_classes,
            risky_rows: a.risky_rows + b.risky_rows,
        });
        part.verdict(sums)
    }

    /// models.md 4.1: classes of 1, 2, 2 and 5 rows have a mean risk of 2/5, and half of the records are above 0.2: the class of 5
    /// is at exactly 0.2.
    #[test]
    fn the_worked_numbers() {
        let sizes = [1, 2, 2, 5];
        let mean = |limit| verdict(Part::Average(ratio(limit)), &sizes);
        assert_eq!((mean("0.4").holds, mean("0.4").attained, mean("0.399").holds), (true, 0.4, false));
        assert_eq!((mean("0.399").failing_classes, mean("0.399").failing_rows), (3, 5));
        let at_risk = |share| verdict(Part::AtRisk { highest: ratio("0.2"), share: ratio(share) }, &sizes);
        assert_eq!(
            (at_risk("0.5").holds, at_risk("0.5").attained, at_risk("0.49").holds),
            (true, 0.5, false)
        );
        assert_eq!(at_risk("0.49").failing_rows, 5);
    }

    #[test]
    fn the_size_that_is_enough() {
        for (risk, size) in
            [("1", 1), ("0.5", 2), ("0.2", 5), ("0.3", 4), ("1/3", 3), ("0.333", 4), ("0.001", 1000)]
        {
            assert_eq!(size_for(ratio(risk)), size, "{risk}");
        }
    }
}
