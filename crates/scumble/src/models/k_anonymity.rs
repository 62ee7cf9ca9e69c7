//! k-anonymity (models.md 1.1): every class has at least k rows, or k people where people have several rows.

use serde_json::{Map, Value};

use super::{ClassTest, Demand, Model, ModelContext, Monotonicity, Words, needs};
use crate::base::entry::{Entry, Standing};
use crate::base::text::grouped;
use crate::config::Parameters;
use crate::error::{Action, Error, Remedy, Result, Setting};
use crate::recoding::published::ClassView;

/// The registry entry.
pub const ENTRY: Entry<super::BuildModel> = Entry {
    name: "k_anonymity",
    title: "k-anonymity",
    paper: "Samarati 2001; Sweeney 2002",
    standing: Standing::Recommended,
    about: "Every combination of quasi-identifiers is shared by at least k rows, so someone who knows them all \
            has at best a 1 in k chance of picking the right row. Where a subject column shows that persons have several \
            rows, it counts persons. Says nothing about what the k rows have in common.",
    parameters: &[
        ("k", "the least number of rows (persons) in a group, at least 1"),
        ("unit", "what k counts: person (default), or household, where a column has that role"),
    ],
    build,
};

/// The unit that makes k count households.
pub(crate) const HOUSEHOLD: &str = "household";

/// Every class has at least `k` rows, people or households.
struct KAnonymity {
    k: u64,
    /// Whether what is counted are households.
    households: bool,
    /// The column that says who a row is about, where people have several rows.
    person: Option<String>,
    /// The model that asks for this size, where it is a part of another one.
    part_of: Option<&'static str>,
}

impl KAnonymity {
    /// What is counted.
    fn counts(&self) -> &'static str {
        match (self.households, &self.person) {
            (true, _) => "households",
            (false, Some(_)) => "persons",
            (false, None) => "rows",
        }
    }

    /// What would help where the table has so few.
    fn largest(&self, persons: u64) -> Remedy {
        match self.part_of {
            None => {
                let k = Setting::model("k").of_model(ENTRY.name);
                Remedy::weakening(k.to(persons), "ask for the largest possible k")
            }
            Some(model) => {
                let words = format!("ask {model} for k = {persons}, the largest possible");
                Remedy::weakening(Action::Do, words)
            }
        }
    }
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let k = parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 5))?;
    let households = parameters.choice("unit", &["person", HOUSEHOLD])? == Some(HOUSEHOLD);
    let person = context.person().map(str::to_owned);
    if households && person.is_none() {
        return Err(Error::config(
            "k is to count households, and no column of the table tells households apart",
        )
        .set(Setting::role("household"), "say which column tells households apart"));
    }
    Ok(vec![Box::new(KAnonymity { k, households, person, part_of: None })])
}

/// The model as a part of another one.
pub(super) fn part_of(model: &'static str, k: u64, context: &ModelContext<'_>) -> Box<dyn Model> {
    Box::new(KAnonymity {
        k,
        households: false,
        person: context.person().map(str::to_owned),
        part_of: Some(model),
    })
}

/// Classes of at least k rows, whoever they are about.
pub(crate) fn of_rows(k: u64) -> Box<dyn Model> {
    Box::new(KAnonymity { k, households: false, person: None, part_of: None })
}

impl Model for KAnonymity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn demand(&self) -> Demand {
        Demand::Size
    }
    fn title(&self) -> String {
        match &self.person {
            Some(_) => format!("{}-anonymity, counting {}", self.k, self.counts()),
            None => format!("{}-anonymity", self.k),
        }
    }
    fn unit(&self) -> &'static str {
        "k"
    }
    fn words(&self) -> Words {
        let (k, unit) = (grouped(self.k), self.counts());
        let words = Words::new(format!("{k}-anonymous")).meaning(format!(
            "Whoever knows these columns about a person finds at least {k} {unit} that fit, and cannot tell which is the right one."
        ));
        let words = words.limits(
            "Learning something without finding the row: if all rows that fit share a value, that value is known. Nor against people \
             who know further columns.",
        );
        Words { names_columns: true, ..words }
    }
    fn claim(&self) -> Map<String, Value> {
        let person = self.person.iter().map(|name| ("person".into(), name.clone().into()));
        [("model".into(), ENTRY.name.into()), ("k".into(), self.k.into())].into_iter().chain(person).collect()
    }
    fn required(&self) -> f64 {
        self.k as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        Monotonicity { merging: true, dropping: true, upward: true }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        let persons = whole.persons();
        if persons < self.k {
            return Err(Error::infeasible(format!(
                "k = {} is more than the {} {} of the table",
                grouped(self.k),
                grouped(persons),
                self.counts()
            ))
            .with(self.largest(persons)));
        }
        Ok(())
    }
}

impl ClassTest for KAnonymity {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        class.size >= self.k && (self.person.is_none() || class.persons() >= self.k)
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        class.persons() as f64
    }
    fn least_size(&self) -> Option<u64> {
        self.person.is_none().then_some(self.k)
    }
    fn needs_size(&self) -> u64 {
        self.k
    }
}
