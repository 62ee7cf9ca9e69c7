//! Thresholds on the risk of the whole table (section 4.1). A record's risk is 1 over the size of its equivalence class.

use super::requirement::Requirement;
use super::{Classes, ModelOutcome, WORST, WorstClass};
use crate::exact::Rational;

/// One threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RiskTest {
    /// The mean risk of all records.
    Mean { average: Rational },
    /// The share of records whose risk is above `highest`.
    Share { highest: Rational, at_risk: Rational },
}

impl RiskTest {
    pub(super) fn required(self) -> f64 {
        match self {
            Self::Mean { average } => average.to_f64(),
            Self::Share { at_risk, .. } => at_risk.to_f64(),
        }
    }

    pub(super) fn label(self) -> String {
        match self {
            Self::Mean { .. } => "mean risk of all records".to_owned(),
            Self::Share { highest, .. } => format!("share of records at a risk above {}", highest.to_f64()),
        }
    }

    /// Checks the table of all checked classes. If the test fails, the classes above the threshold count as failing.
    pub(super) fn judge(self, name: &str, classes: &Classes) -> ModelOutcome {
        let sizes: Vec<u64> = classes.judged().map(|class| classes.groups.size[class]).collect();
        let rows: u64 = sizes.iter().sum();
        let bound = match self {
            Self::Mean { average } => average,
            Self::Share { highest, .. } => highest,
        };
        let risky: Vec<u64> =
            sizes.iter().copied().filter(|&size| bound.compare(1, size.into()).is_lt()).collect();
        let (part, limit) = match self {
            // The mean of 1/size over the records: the records of each class add up to one.
            Self::Mean { average } => (sizes.len() as u64, average),
            Self::Share { at_risk, .. } => (risky.iter().sum(), at_risk),
        };
        let holds = rows == 0 || limit.compare(part.into(), rows.into()).is_ge();
        let mut worst = sizes;
        if worst.len() > WORST {
            worst.select_nth_unstable(WORST - 1);
            worst.truncate(WORST);
        }
        worst.sort_unstable();
        ModelOutcome {
            name: name.to_owned(),
            label: Requirement::Risk(self).label(),
            required: self.required(),
            attained: (rows > 0).then(|| part as f64 / rows as f64),
            holds,
            failing_classes: if holds { 0 } else { risky.len() as u64 },
            failing_rows: if holds { 0 } else { risky.iter().sum() },
            worst: worst.into_iter().map(|size| WorstClass { size, attained: 1.0 / size as f64 }).collect(),
            note: None,
        }
    }
}
