//! delta-presence (models.md 1.10): how likely it is that someone is in the table at all stays between two bounds.
//!
//! One requirement gives two models, each with one figure: the smallest and the largest share of a group's people who are in
//! the table.

use std::cmp::Ordering;

use serde_json::{Map, Value};

use super::values::{largest, smallest};
use super::{Model, ModelContext, Monotonicity, PopulationTest, Words, people_of};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Wanted};
use crate::recoding::published::ClassView;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "delta_presence",
    title: "delta-presence",
    paper: "Nergiz, Atzori, Clifton 2007",
    standing: Standing::Classic,
    about: "Where being in the table is itself a secret (all its rows are patients): of the people of a known population who would be in a group of the release, the share who really are in the table is at least delta_min and at most delta_max. People whom no group covers are checked too: that they are not in the table is revealed as well. Says nothing about what is learnt about those who are.",
    parameters: &[
        (
            "delta_min",
            "the least share of a group's people who are in the table, from 0 to delta_max; 0 (no limit) if absent",
        ),
        ("delta_max", "the largest such share, from delta_min to 1; 1 (no limit) if absent"),
    ],
    build,
};

/// Which of the two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Least,
    Most,
}

struct DeltaPresence {
    bound: Bound,
    delta: Rational,
    /// The number of people in the population.
    people: u64,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    context.refuse_persons(ENTRY.name)?;
    let share = |name: &str| parameters.rational(name, Rational::ZERO, Some(Rational::ONE));
    let (least, most) = (share("delta_min")?, share("delta_max")?);
    if least.is_none() && most.is_none() {
        return Err(Error::config("model 'delta_presence' needs delta_min, delta_max or both").set(
            Wanted::model(ENTRY.name).with("delta_min", 0.1).with("delta_max", 0.5),
            "give values for them",
        ));
    }
    let (least, most) = (least.unwrap_or(Rational::ZERO), most.unwrap_or(Rational::ONE));
    if least > most {
        return Err(Error::config(format!(
            "model 'delta_presence': delta_min = {least} is more than delta_max = {most}"
        ))
        .concede(largest("delta_min", most)));
    }
    let people = people_of(ENTRY.name, context)?;
    let model = |bound, delta| Box::new(DeltaPresence { bound, delta, people }) as Box<dyn Model>;
    let mut models = Vec::new();
    if least > Rational::ZERO {
        models.push(model(Bound::Least, least));
    }
    // A bound that asks for nothing is left out, unless it is the only one.
    if most < Rational::ONE || models.is_empty() {
        models.push(model(Bound::Most, most));
    }
    Ok(models)
}

impl Model for DeltaPresence {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let word = if self.bound == Bound::Least { "least" } else { "most" };
        format!("delta-presence of at {word} {}", self.delta)
    }
    fn unit(&self) -> &'static str {
        if self.bound == Bound::Least { "delta_min" } else { "delta_max" }
    }
    fn words(&self) -> Words {
        let meaning = format!(
            "Whoever knows these columns about a person of the population believes that the person is in the table with a chance of at {} \
             {}.",
            if self.bound == Bound::Least { "least" } else { "most" },
            number(self.delta.to_f64())
        );
        Words::new(self.title())
            .meaning(meaning)
            .limits("Learning what the rows of a group have in common, about those who are in the table.")
    }
    fn claim(&self) -> Map<String, Value> {
        Map::from_iter([
            ("model".into(), ENTRY.name.into()),
            (self.unit().into(), self.delta.to_string().into()),
        ])
    }
    fn required(&self) -> f64 {
        self.delta.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        self.bound == Bound::Least
    }
    fn population_test(&self) -> Option<&dyn PopulationTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        // The share of a union lies between those of its parts. Dropping rows makes the people of their class absent.
        Monotonicity { merging: true, dropping: self.bound == Bound::Most, upward: false }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if PopulationTest::passes(self, whole.size, self.people) {
            return Ok(());
        }
        let share = whole.size as f64 / self.people as f64;
        // Rounded to the side on which the figure is itself possible.
        let nearest = match self.bound {
            Bound::Least => largest("delta_min", (share * 1e4).floor() / 1e4),
            Bound::Most => smallest("delta_max", (share * 1e4).ceil() / 1e4),
        };
        Err(Error::infeasible(format!(
            "{} cannot be met: of all {} people of the population {} are in the table, so in some group it is at {} that share",
            self.title(),
            self.people,
            whole.size,
            if self.bound == Bound::Least { "most" } else { "least" },
        ))
        .concede(nearest))
    }
}

impl PopulationTest for DeltaPresence {
    fn passes(&self, rows: u64, people: u64) -> bool {
        // Rows of nobody who is known are above every share.
        match self.delta.cmp_ratio(rows, people) {
            Ordering::Equal => true,
            Ordering::Less => self.bound == Bound::Least,
            Ordering::Greater => self.bound == Bound::Most,
        }
    }
    fn attained(&self, rows: u64, people: u64) -> f64 {
        rows as f64 / people as f64
    }
    fn needs_members(&self) -> bool {
        true
    }
    fn judges_absent(&self) -> bool {
        self.bound == Bound::Least
    }
}
