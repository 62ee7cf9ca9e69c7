//! Models of one column's values in each class: everything about them but the test itself.

use std::fmt::Display;

use serde_json::{Map, Value};

use super::several::not_even_the_whole;
use super::{ClassTest, Demand, Model, ModelContext, Monotonicity, Words};
use crate::base::entry::Entry;
use crate::base::text::grouped;
use crate::error::{Error, Result};
use crate::recoding::published::ClassView;

/// A test on the rows per value of one column in one class.
pub(super) trait ValueTest: Send + Sync {
    /// The registry name of the model that it is, or is a part of.
    fn name(&self) -> &'static str;
    /// What it asks of every class.
    fn demand(&self) -> Demand {
        Demand::Other
    }
    /// The test in words, where `column` is the column's name.
    fn title(&self, column: &str) -> String;
    /// The parameters as the verifier takes them, without the model's and the column's name.
    fn claim(&self) -> Vec<(&'static str, Value)>;
    /// What is required, in the test's own unit.
    fn required(&self) -> f64;
    /// The name of the parameter that a release attains a value of.
    fn unit(&self) -> &'static str;
    /// What the model says to people who read a report.
    fn words(&self, column: &str) -> Words;
    /// The largest share of a class that any value may have, where the test bounds it.
    fn largest_share(&self) -> Option<f64> {
        None
    }
    /// Whether a larger attained value is better.
    fn larger_is_better(&self) -> bool;
    /// Whether a class that passes still passes when merged with any class, also a failing one.
    fn upward(&self) -> bool;
    /// Whether a class of `size` rows with these rows per value, ascending by value, passes.
    fn passes(&self, size: u64, tally: &[(u32, u64)]) -> bool;
    /// What that class attains, in the test's own unit.
    fn attained(&self, size: u64, tally: &[(u32, u64)]) -> f64;
    /// What it counts where people have several rows.
    fn counts(&self) -> Counts {
        Counts::Rows
    }
    /// A request for the nearest value that the whole table meets, where the whole attains `attained`.
    fn nearest(&self, attained: f64) -> String;
}

/// What a test counts where people have several rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// Rows, or values, whoever has them.
    Rows,
    /// People, as the size of a class.
    Persons,
    /// Rows, and also the people who have each value among all people.
    Shares,
}

/// A [`ValueTest`] on a column.
pub(super) struct OfColumn<T> {
    test: T,
    column: String,
    place: usize,
    /// The column that says who a row is about, where that matters.
    person: Option<String>,
}

impl<T: ValueTest> OfColumn<T> {
    pub(super) fn new(test: T, column: String, place: usize, context: &ModelContext<'_>) -> Self {
        let person = context.person().filter(|_| test.counts() != Counts::Rows).map(str::to_owned);
        Self { test, column, place, person }
    }

    /// The people of a class and how many of them have each value, where they count.
    fn persons(&self, class: &ClassView<'_>) -> Option<(u64, Vec<(u32, u64)>)> {
        self.person.as_ref()?;
        let mut tally = Vec::new();
        class.tally_persons(self.place, &mut tally);
        Some((class.persons(), tally))
    }

    fn tally(&self, class: &ClassView<'_>) -> Vec<(u32, u64)> {
        let mut tally = Vec::new();
        class.tally(self.place, &mut tally);
        tally
    }
}

impl<T: ValueTest> Model for OfColumn<T> {
    fn name(&self) -> &'static str {
        self.test.name()
    }
    fn demand(&self) -> Demand {
        self.test.demand()
    }
    fn title(&self) -> String {
        let counted = if self.person.is_some() { ", counting persons" } else { "" };
        self.test.title(&self.column) + counted
    }
    fn claim(&self) -> Map<String, Value> {
        let named = [("model", self.test.name().into()), ("column", self.column.clone().into())];
        let person = self.person.iter().map(|name| ("person", name.clone().into()));
        let all = named.into_iter().chain(self.test.claim()).chain(person);
        all.map(|(name, value)| (name.to_owned(), value)).collect()
    }
    fn required(&self) -> f64 {
        self.test.required()
    }
    fn unit(&self) -> &'static str {
        self.test.unit()
    }
    fn words(&self) -> Words {
        self.test.words(&self.column)
    }
    fn largest_share(&self) -> Option<f64> {
        self.test.largest_share()
    }
    fn larger_is_better(&self) -> bool {
        self.test.larger_is_better()
    }
    fn protects(&self) -> Option<&str> {
        // A number of rows, or of people, says nothing about their values.
        (self.test.counts() != Counts::Persons).then_some(&self.column)
    }
    fn reads(&self) -> Vec<&str> {
        vec![&self.column]
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        // One person's rows may be in two classes: half of the people of each have a value, and all of both together.
        let merging = self.person.is_none() || self.test.counts() != Counts::Shares;
        Monotonicity { merging, dropping: true, upward: self.test.upward() }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        // Shares of people may be smaller in every class than in the whole table; those of rows may not.
        let passes = match self.test.counts() {
            Counts::Shares => self.test.passes(whole.size, &self.tally(whole)),
            Counts::Rows | Counts::Persons => ClassTest::passes(self, whole),
        };
        if passes {
            return Ok(());
        }
        let attained = match self.test.counts() {
            Counts::Shares => self.test.attained(whole.size, &self.tally(whole)),
            Counts::Rows | Counts::Persons => ClassTest::attained(self, whole),
        };
        Err(not_even_the_whole(self).concede(self.test.nearest(attained)))
    }
}

impl<T: ValueTest> ClassTest for OfColumn<T> {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        self.test.passes(class.size, &self.tally(class))
            && self.persons(class).is_none_or(|(size, tally)| self.test.passes(size, &tally))
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let of_rows = self.test.attained(class.size, &self.tally(class));
        match self.persons(class).map(|(size, tally)| self.test.attained(size, &tally)) {
            None => of_rows,
            Some(of_persons) if self.test.larger_is_better() => of_rows.min(of_persons),
            Some(of_persons) => of_rows.max(of_persons),
        }
    }
}

/// What no model protects against that counts different values.
pub(super) const FREQUENT_VALUES: &str =
    "Values that are much more frequent than others: one row with another value is enough to be counted.";

/// At least this many different values, whatever the model is called.
pub(super) struct Different {
    pub(super) k: u64,
    pub(super) model: &'static Entry<super::BuildModel>,
    /// What it means, in a sentence without its end: `at least 5 different values of diagnosis`.
    pub(super) meaning: &'static str,
}

impl ValueTest for Different {
    fn name(&self) -> &'static str {
        self.model.name
    }
    fn title(&self, column: &str) -> String {
        format!("{}: at least {} different values of {column}", self.model.title, self.k)
    }
    fn unit(&self) -> &'static str {
        "k"
    }
    fn words(&self, column: &str) -> Words {
        let meaning = format!("{} at least {} different values of {column}.", self.meaning, grouped(self.k));
        Words::new(self.title(column)).meaning(meaning).limits(FREQUENT_VALUES)
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        vec![("k", self.k.into())]
    }
    fn required(&self) -> f64 {
        self.k as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn upward(&self) -> bool {
        true
    }
    fn passes(&self, _: u64, tally: &[(u32, u64)]) -> bool {
        tally.len() as u64 >= self.k
    }
    fn attained(&self, _: u64, tally: &[(u32, u64)]) -> f64 {
        tally.len() as f64
    }
    fn nearest(&self, attained: f64) -> String {
        largest("k", attained)
    }
}

/// The rows of each value of a payload column in the original table; none of a missing value that is no value.
pub(super) fn original_rows(context: &ModelContext<'_>, place: usize) -> Vec<u64> {
    let payloads = context.table.payloads();
    let mut rows = vec![0; payloads.columns[place].values.len()];
    for cell in context.table.payload_totals() {
        rows[payloads.value(cell.payload, place) as usize] += u64::from(cell.rows);
    }
    if let Some(absent) = payloads.columns[place].absent() {
        rows[absent as usize] = 0;
    }
    rows
}

/// The code of a value that the user named, in any of its spellings; an error if the column does not have it, since a
/// misspelt value would protect nothing.
pub(super) fn code_of(context: &ModelContext<'_>, place: usize, value: &str, model: &str) -> Result<u32> {
    let column = &context.table.payloads().columns[place];
    column.spellings().find(value).ok_or_else(|| {
        Error::config(format!(
            "model '{model}': no row has the value '{value}' in the column '{}', and a value that does not occur is protected by \
             nothing",
            column.name
        ))
        .advise("check how the value is spelt")
    })
}

/// A request for the largest value that is possible.
pub(super) fn largest(parameter: &str, value: impl Display) -> String {
    format!("ask for {parameter} = {value}, the largest possible")
}

/// A request for the smallest value that is possible.
pub(super) fn smallest(parameter: &str, value: impl Display) -> String {
    format!("ask for {parameter} = {value}, the smallest possible")
}

/// A figure rounded down or up to four places, so that the figure in the message is itself possible.
pub(super) fn rounded(figure: f64, up: bool) -> f64 {
    let scaled = figure * 1e4;
    (if up { (scaled - 1e-5).ceil() } else { (scaled + 1e-5).floor() }) / 1e4
}
