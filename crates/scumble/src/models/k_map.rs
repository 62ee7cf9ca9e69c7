//! k-map: every group of the release corresponds to at least k people of the population.

use serde_json::{Map, Value};

use super::values::largest;
use super::{Model, ModelContext, Monotonicity, PopulationTest, Words, needs, people_of};
use crate::base::entry::{Entry, Standing};
use crate::base::text::grouped;
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::recoding::published::ClassView;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "k_map",
    title: "k-map",
    paper: "Sweeney 2001; El Emam, Dankar 2008",
    standing: Standing::Classic,
    about: "For a table that is a sample of a known population: every group of the release corresponds to at least k people of the \
            population, so someone who knows the quasi-identifiers of a person, but not whether the person is in the table, has at best a \
            1 in k chance. Loses less than k-anonymity, and promises nothing against those who know that someone is in the table.",
    parameters: &[("k", "the least number of people that a group corresponds to, at least 1")],
    build,
};

struct KMap {
    k: u64,
    /// The number of people in the population.
    people: u64,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    context.refuse_persons(ENTRY.name)?;
    let k = parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 5))?;
    Ok(vec![Box::new(KMap { k, people: people_of(ENTRY.name, context)? })])
}

impl Model for KMap {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        format!("{}-map", self.k)
    }
    fn unit(&self) -> &'static str {
        "k"
    }
    fn words(&self) -> Words {
        let meaning = format!(
            "Whoever knows these columns about a person finds rows that fit at least {} people of the population.",
            grouped(self.k)
        );
        Words::new(self.title()).meaning(meaning).limits(
            "Somebody who knows that a person is in the table: for them only the rows of the table count, and they may be few.",
        )
    }
    fn claim(&self) -> Map<String, Value> {
        Map::from_iter([("model".into(), ENTRY.name.into()), ("k".into(), self.k.into())])
    }
    fn required(&self) -> f64 {
        self.k as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn population_test(&self) -> Option<&dyn PopulationTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        Monotonicity { merging: true, dropping: true, upward: true }
    }
    fn check_feasible(&self, _: &ClassView<'_>) -> Result<()> {
        if self.people < self.k {
            return Err(Error::infeasible(format!(
                "k = {} of k-map is more than the {} people of the population",
                grouped(self.k),
                grouped(self.people)
            ))
            .concede(largest("k", self.people)));
        }
        Ok(())
    }
}

impl PopulationTest for KMap {
    fn passes(&self, _: u64, people: u64) -> bool {
        people >= self.k
    }
    fn attained(&self, _: u64, people: u64) -> f64 {
        people as f64
    }
    fn needs_members(&self) -> bool {
        false
    }
    fn judges_absent(&self) -> bool {
        // Nobody is found in rows that are not there.
        false
    }
}
