//! The threshold rule of statistical offices (transforms.md 3): every combination of values of so many quasi-identifiers stands for
//! at least so many people, or does not occur.
//!
//! People are rows, or the sum of a column of weights. Sums of weights that are not negative only grow when groups are merged.

use serde_json::{Map, Value};

use super::lkc::{refuse_many_sets, subsets};
use super::several::not_even_the_whole;
use super::values::largest;
use super::{ClassTest, Model, ModelContext, Monotonicity, Words, needs, places_of};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::recoding::published::ClassView;
use crate::table::kind::Measure;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "threshold_rule",
    title: "Threshold rule",
    paper: "Hundepool et al. 2012, section 3 (rules of Statistics Netherlands)",
    standing: Standing::Experimental,
    about: "Supposes that outsiders look for combinations of a few columns: every combination of values of so many quasi-identifiers has at \
            least so many rows, or stands for at least so many people of the population by the weights of a survey. Someone who knows more \
            columns may find a person, so the promise is weaker than k-anonymity.",
    parameters: &[
        ("size", "how many quasi-identifiers make a combination, at least 1"),
        ("least", "the least number of rows, or the least sum of weights, of a combination that occurs"),
        (
            "weight",
            "the column of weights: how many people a row stands for. It must be published as it is; without it rows are counted",
        ),
    ],
    build,
};

/// What is added up.
enum Counted {
    /// Rows; people, where a column says who a row is about.
    Rows { person: Option<String> },
    /// Weights, by the value of a payload column, in whole units of the measure.
    Weights { column: String, place: usize, of_value: Vec<u128>, measure: Measure },
}

struct ThresholdRule {
    size: u64,
    least: Rational,
    counted: Counted,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let size = parameters.whole("size", 1)?.ok_or_else(|| needs(ENTRY.name, "size", 2))?;
    let least = parameters.positive("least", None)?.ok_or_else(|| needs(ENTRY.name, "least", 100))?;
    refuse_many_sets("the threshold rule", "size", context.table.width() as u64, size)?;
    let counted = match parameters.text("weight")? {
        Some(column) => weights(column, context)?,
        None if least.denominator() != 1 => {
            return Err(Error::config("the threshold rule counts rows, and least is no whole number"));
        }
        None => Counted::Rows { person: context.person().map(str::to_owned) },
    };
    Ok(vec![Box::new(ThresholdRule { size, least, counted })])
}

/// The weights of a column, each a number that is not negative.
fn weights(column: &str, context: &ModelContext<'_>) -> Result<Counted> {
    let payloads = context.table.payloads();
    if payloads.position(column).is_none() {
        return Err(Error::config(format!(
            "model 'threshold_rule' adds up the weights in '{column}', which is no column that is published as it is"
        ))
        .set(Setting::role("other").of(&[column]), "publish the weights, so that the sums can be checked")
        .unset(Setting::model("weight").of_model(ENTRY.name), "leave weight out, and count rows"));
    }
    let (_, place) = places_of(ENTRY.name, &[column.to_owned()], payloads)?.remove(0);
    let payload = &payloads.columns[place];
    let unfit = |what: &str| {
        Error::config(format!("model 'threshold_rule' adds up the weights in '{column}', {what}"))
            .advise("name a column of numbers that are not negative, with a weight in every row")
            .unset(Setting::model("weight").of_model(ENTRY.name), "leave weight out, and count rows")
    };
    if !payload.measure.kind.has_unit() {
        return Err(unfit("which does not hold numbers"));
    }
    if (0..payload.values.len() as u32).any(|value| payload.is_missing(value)) {
        return Err(unfit("and some rows have none"));
    }
    let weight = |text: &str| payload.number(text).and_then(|number| u128::try_from(number).ok());
    let of_value: Option<Vec<u128>> = payload.values.iter().map(weight).collect();
    let of_value = of_value.ok_or_else(|| unfit("and some are negative"))?;
    Ok(Counted::Weights { column: column.to_owned(), place, of_value, measure: payload.measure })
}

impl ThresholdRule {
    /// The sum of the weights of a group, in whole units of the measure. A sum beyond 128 bits stays there.
    fn sum(class: &ClassView<'_>, place: usize, of_value: &[u128]) -> u128 {
        let mut tally = Vec::new();
        class.tally(place, &mut tally);
        let weight = |(value, rows): (u32, u64)| of_value[value as usize].saturating_mul(u128::from(rows));
        tally.into_iter().map(weight).fold(0, u128::saturating_add)
    }

    fn unit_of_rows(&self) -> &'static str {
        match &self.counted {
            Counted::Rows { person: Some(_) } => "persons",
            Counted::Rows { person: None } => "rows",
            Counted::Weights { .. } => "people by the weights",
        }
    }
}

impl Model for ThresholdRule {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let unit = self.unit_of_rows();
        format!(
            "threshold rule: every {} of the columns together have at least {} {unit}",
            self.size, self.least
        )
    }
    fn unit(&self) -> &'static str {
        "least"
    }
    fn settings(&self) -> Vec<(&'static str, f64)> {
        vec![("least", self.required()), ("size", self.size as f64)]
    }
    fn words(&self) -> Words {
        Words::new(self.title())
            .meaning("Whoever knows no more than so many of these columns about a person finds a combination that this many share.")
            .limits("People who know more of the columns: for them the rows that fit may be few, or a single one.")
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = Map::from_iter([
            ("model".to_owned(), Value::from(ENTRY.name)),
            ("size".to_owned(), self.size.into()),
            ("least".to_owned(), self.least.to_string().into()),
        ]);
        match &self.counted {
            Counted::Rows { person } => {
                person.iter().for_each(|name| drop(claim.insert("person".into(), name.clone().into())));
            }
            Counted::Weights { column, measure, .. } => {
                claim.insert("column".into(), column.clone().into());
                claim.insert("comma".into(), measure.kind.has_comma().into());
            }
        }
        claim
    }
    fn required(&self) -> f64 {
        self.least.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn reads(&self) -> Vec<&str> {
        match &self.counted {
            Counted::Rows { .. } => Vec::new(),
            Counted::Weights { column, .. } => vec![column],
        }
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn projections(&self, columns: &[usize]) -> Vec<Vec<usize>> {
        let size = usize::try_from(self.size).unwrap_or(columns.len());
        subsets(columns, size.min(columns.len()))
    }
    fn monotonicity(&self) -> Monotonicity {
        // Dropping a class of all columns takes its people from combinations of fewer.
        Monotonicity { merging: true, dropping: false, upward: true }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if self.passes(whole) {
            return Ok(());
        }
        Err(not_even_the_whole(self).concede(largest("least", self.attained(whole))))
    }
}

impl ClassTest for ThresholdRule {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        let (has, unit) = match &self.counted {
            Counted::Rows { person: None } => (u128::from(class.size), 1),
            Counted::Rows { person: Some(_) } => (u128::from(class.persons()), 1),
            Counted::Weights { place, of_value, measure, .. } => {
                (Self::sum(class, *place, of_value), 10_u128.pow(measure.scale))
            }
        };
        let asked = u128::from(self.least.numerator()).checked_mul(unit);
        let has = has.checked_mul(u128::from(self.least.denominator()));
        match (has, asked) {
            (Some(has), Some(asked)) => has >= asked,
            (None, Some(_)) => true,
            // What is beyond 128 bits on both sides is not compared: a group passes only where it surely does.
            (_, None) => false,
        }
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        match &self.counted {
            Counted::Rows { person: None } => class.size as f64,
            Counted::Rows { person: Some(_) } => class.persons() as f64,
            Counted::Weights { place, of_value, measure, .. } => {
                Self::sum(class, *place, of_value) as f64 / 10_f64.powi(measure.scale.cast_signed())
            }
        }
    }
    fn least_size(&self) -> Option<u64> {
        match self.counted {
            Counted::Rows { person: None } => Some(self.least.numerator()),
            _ => None,
        }
    }
}
