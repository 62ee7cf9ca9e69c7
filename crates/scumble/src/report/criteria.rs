//! The three criteria of Opinion 05/2014 of the Article 29 Working Party: singling out, linkability, inference.

use serde::{Deserialize, Serialize};

use crate::base::format::{counted, list, number, percent};

/// What was measured about the three criteria.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Criteria {
    /// The criteria, in the order of the Opinion.
    pub criteria: Vec<Criterion>,
    /// What the figures are, and what they are not.
    pub remarks: Vec<String>,
}

/// One of the three criteria.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Criterion {
    /// `singling_out`, `linkability` or `inference`.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The answer.
    pub answer: Answer,
    /// The answer in a sentence or two.
    pub sentence: String,
    /// What was measured.
    pub measures: Vec<Measure>,
}

/// Whether a criterion is met, by the thresholds of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Every figure was measured, and none is above its threshold.
    Met,
    /// Some figure is above its threshold.
    NotMet,
    /// No figure is above its threshold, but some were not measured.
    #[default]
    NotMeasured,
}

/// A figure about a criterion.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Measure {
    /// What it is.
    pub name: String,
    /// The attack that measured it, if one did.
    pub attack: Option<String>,
    /// The sensitive column that it is about.
    pub column: Option<String>,
    /// The figure; `None` if it was not measured, or is no number.
    pub value: Option<f64>,
    /// Whether it is a share or a chance, from 0 to 1.
    pub share: bool,
    /// The ends of its 95 % interval, where it is an estimate. The upper end is compared with the threshold.
    pub interval: Option<(f64, f64)>,
    /// The threshold; `None` if the figure is only shown.
    pub limit: Option<f64>,
    /// Whether it is above the threshold.
    pub above: bool,
    /// Why it was not measured, if it was not.
    pub missing: Option<String>,
}

impl Measure {
    /// The figure with its interval, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let write = if self.share { percent } else { number };
        let interval = self
            .interval
            .map_or_else(String::new, |(low, high)| format!(" ({} to {})", write(low), write(high)));
        self.value.map_or_else(|| "–".to_owned(), |value| write(value) + &interval)
    }

    /// What it is, with its column.
    #[must_use]
    pub fn named(&self) -> String {
        self.column.as_ref().map_or_else(|| self.name.clone(), |column| format!("{}: {column}", self.name))
    }
}

/// What the Opinion asks for where a criterion is not met.
const ASSESS: &str = "The Opinion asks for an assessment of the remaining risk where a criterion is not met. It is the controller's to make.";

impl Criterion {
    /// The criterion with the answer that follows from its figures.
    #[must_use]
    pub fn of(name: &str, title: &str, measures: Vec<Measure>) -> Self {
        let above: Vec<String> =
            measures.iter().filter(|measure| measure.above).map(Measure::named).collect();
        let missing: Vec<String> =
            measures.iter().filter(|measure| measure.missing.is_some()).map(Measure::named).collect();
        let answer = match (above.is_empty(), missing.is_empty() && !measures.is_empty()) {
            (false, _) => Answer::NotMet,
            (true, true) => Answer::Met,
            (true, false) => Answer::NotMeasured,
        };
        let figures = |names: &[String]| counted(names.len() as u64, "figure", "figures");
        let sentence = match answer {
            Answer::Met => {
                "Every figure was measured, and none is above its threshold. That is no proof that nobody can do better.".to_owned()
            }
            Answer::NotMet => {
                let verb = if above.len() == 1 { "is above its threshold" } else { "are above their thresholds" };
                format!("Not met: {} {verb} ({}). {ASSESS}", figures(&above), above.join("; "))
            }
            Answer::NotMeasured => {
                let verb = if missing.len() == 1 { "was" } else { "were" };
                format!(
                    "Not called met: {} {verb} not measured ({}). No other figure is above its threshold. {ASSESS}",
                    figures(&missing),
                    missing.join("; ")
                )
            }
        };
        Self { name: name.to_owned(), title: title.to_owned(), answer, sentence, measures }
    }
}

impl Answer {
    /// The answer in a word or two.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Met => "met by the thresholds",
            Self::NotMet => "not met",
            Self::NotMeasured => "not called met",
        }
    }
}

impl Criteria {
    /// What somebody has to decide about, and what to do.
    pub(crate) fn findings(&self) -> Vec<(String, String)> {
        let open: Vec<&Criterion> =
            self.criteria.iter().filter(|criterion| criterion.answer != Answer::Met).collect();
        let titles: Vec<&str> = open.iter().map(|criterion| criterion.title.as_str()).collect();
        if titles.is_empty() {
            return Vec::new();
        }
        let says = format!(
            "By the thresholds of the plan, {} of Opinion 05/2014 cannot be called met: {}.",
            counted(titles.len() as u64, "criterion", "criteria"),
            list(&titles, 3).to_lowercase()
        );
        let step = "Assess the remaining risk and write the assessment down. The Opinion asks for it, and it is the controller's to make.";
        vec![(says, step.to_owned())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(name: &str, value: f64, limit: f64) -> Measure {
        Measure {
            name: name.into(),
            value: Some(value),
            share: true,
            limit: Some(limit),
            above: value > limit,
            ..Measure::default()
        }
    }

    #[test]
    fn the_answer_follows_from_the_figures() {
        let missing =
            || Measure { name: "c".into(), missing: Some("nobody looked".into()), ..Measure::default() };
        let of = |measures: Vec<Measure>| Criterion::of("linkability", "Linkability", measures);
        let met = of(vec![measure("a", 0.1, 0.2)]);
        assert_eq!(met.answer, Answer::Met);
        assert!(met.sentence.contains("no proof"));
        let failed = of(vec![measure("a", 0.1, 0.2), measure("b", 0.3, 0.2), missing()]);
        assert_eq!(failed.answer, Answer::NotMet);
        assert!(
            failed.sentence.contains("(b)") && failed.sentence.contains("It is the controller's to make.")
        );
        let open = of(vec![measure("a", 0.1, 0.2), missing()]);
        assert_eq!(open.answer, Answer::NotMeasured);
        assert!(
            open.sentence.contains("Not called met")
                && open.sentence.contains("It is the controller's to make.")
        );
        assert_eq!(of(Vec::new()).answer, Answer::NotMeasured, "nothing was measured");
        let findings = |criteria: Vec<Criterion>| Criteria { criteria, remarks: Vec::new() }.findings();
        assert!(findings(vec![met.clone()]).is_empty());
        assert!(findings(vec![met, failed, open])[0].0.contains("2\u{a0}criteria"));
    }
}
