//! What steps that perturb did to columns: how many people are still found by them, and what is left of the data.

use serde::{Deserialize, Serialize};

use crate::base::format::percent;
use crate::risk::linkage::{Attempt, Changes, Linked};

/// What was measured of perturbed columns.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Perturbation {
    /// The perturbed columns that outsiders may know.
    pub known: Vec<String>,
    /// How well people are found by these.
    pub linked: Option<Linked>,
    /// The share of people that the plan lets attacks link.
    pub limit: Option<f64>,
    /// How all perturbed columns differ from what they were.
    pub changes: Option<Changes>,
}

impl Perturbation {
    /// What attacks find, in a sentence that may be published.
    pub(crate) fn sentence(&self) -> String {
        let Some(best) = self.linked.as_ref().and_then(Linked::best) else {
            return "Nobody measured how many people are found by it.".to_owned();
        };
        let interval = best
            .right
            .interval
            .map_or_else(String::new, |(low, high)| format!(" ({} to {})", percent(low), percent(high)));
        format!(
            "attacks that know the true values link {}{interval} of people with their row.",
            percent(best.right.value)
        )
    }

    /// Warnings about columns of numbers most of which are still the true ones.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let numbers = self.changes.iter().flat_map(|changes| &changes.numbers);
        let hardly = numbers.filter(|column| column.changed < 0.5);
        hardly
            .map(|column| {
                format!(
                    "'{}' was perturbed, and only {} of its cells changed: most rows show the true value",
                    column.name,
                    percent(column.changed)
                )
            })
            .collect()
    }

    /// The names of all perturbed columns.
    pub(crate) fn names(&self) -> Vec<&str> {
        let changes = self.changes.as_ref();
        let numbers = changes.iter().flat_map(|of| of.numbers.iter().map(|column| column.name.as_str()));
        let categories =
            changes.iter().flat_map(|of| of.categories.iter().map(|column| column.name.as_str()));
        numbers.chain(categories).collect()
    }
}

impl Attempt {
    /// What is tried, for people.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::RowsToPeople => "for each row the nearest people",
            Self::PeopleToRows => "for each person the nearest rows",
            Self::MatchedRowsToPeople => {
                "for each row the nearest people, by a distance that knows the correlations"
            }
            Self::MatchedPeopleToRows => {
                "for each person the nearest rows, by a distance that knows the correlations"
            }
            Self::Window => "the rows that the swapped ranks allow",
            Self::Probabilistic => "agreements weighed by their odds",
        }
    }
}
