//! The risk of each row, for callers that examine people one by one.

use super::{RiskClasses, Scores};

/// The risks of all rows; those that a class shares are stored once for the class. Private.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// The classes and who is in them.
    pub classes: RiskClasses,
    /// The prosecutor's risk of each class.
    pub prosecutor: Vec<f64>,
    /// The journalist's risk of each class; empty without a population table.
    pub journalist: Vec<f64>,
    /// The risk of each class from survey weights; empty without weights.
    pub weights: Vec<f64>,
    /// The risk of each row through its household; empty without households.
    pub household_of_row: Vec<f64>,
    /// Minimal uniques and scores of each class; empty if they were not looked for.
    pub scores: Scores,
}

impl Records {
    /// The most informative risk of each class about the population, with its name.
    pub(super) fn best(&self) -> (&'static str, &[f64]) {
        if !self.weights.is_empty() {
            ("weights", &self.weights)
        } else if !self.journalist.is_empty() {
            ("journalist", &self.journalist)
        } else {
            ("prosecutor", &self.prosecutor)
        }
    }

    /// A CSV table with a header and a line for each row, in the order of the table.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let of_class: [(&str, &[f64]); 5] = [
            ("prosecutor", &self.prosecutor),
            ("journalist", &self.journalist),
            ("weights", &self.weights),
            ("suda_score", &self.scores.score),
            ("dis_suda", &self.scores.dis),
        ];
        let of_class: Vec<_> = of_class.into_iter().filter(|(_, values)| !values.is_empty()).collect();
        let mut text = String::from("row,class_size");
        of_class.iter().for_each(|(name, _)| text = format!("{text},{name}"));
        if !self.scores.minimal.is_empty() {
            text += ",minimal_uniques";
        }
        if !self.household_of_row.is_empty() {
            text += ",household";
        }
        text.push('\n');
        for (row, class) in self.classes.class_of_row.iter().enumerate() {
            let class = *class as usize;
            text += &format!("{},{}", row + 1, self.classes.sizes[class]);
            of_class.iter().for_each(|(_, values)| text += &format!(",{}", values[class]));
            self.scores.minimal.get(class).iter().for_each(|count| text += &format!(",{count}"));
            self.household_of_row.get(row).iter().for_each(|risk| text += &format!(",{risk}"));
            text.push('\n');
        }
        text
    }
}
