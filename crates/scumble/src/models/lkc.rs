//! LKC-privacy (models.md 1.8): somebody who knows at most L of the quasi-identifiers of a person is left with at least K rows, and
//! at most a share of C of them have the same sensitive value.
//!
//! It suffices to check sets of exactly L columns: the groups of fewer columns are unions of these, so their sizes add up and
//! their shares are means. One requirement gives several models, each with one figure: the sizes, and the shares of each
//! sensitive column.

use serde_json::{Map, Value};

use super::several::not_even_the_whole;
use super::values::{largest, smallest};
use super::{ClassTest, Model, ModelContext, Monotonicity, Words, needs, protected_columns};
use crate::base::entry::{Entry, Standing};
use crate::base::text::grouped;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result};
use crate::recoding::published::ClassView;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "lkc",
    title: "LKC-privacy",
    paper: "Mohammed, Fung, Hung, Lee 2009",
    standing: Standing::Experimental,
    about: "Supposes that outsiders know at most L of the quasi-identifiers of a person: every combination of L values is shared \
            by at least K rows, of which at most a share of C have the same sensitive value. With few L many more columns can be \
            kept; someone who knows more than L values may find a person, so the promise is weaker than k-anonymity unless L is \
            the number of quasi-identifiers.",
    parameters: &[
        ("l", "how many of the quasi-identifiers outsiders know at most; all of them if absent"),
        ("k", "the least number of rows that share L values, at least 1"),
        (
            "c",
            "the largest share of one sensitive value among them, above 0 and at most 1; 1 (no limit) if absent",
        ),
        ("columns", "the columns protected by c; all sensitive ones if absent"),
    ],
    build,
};

/// The most sets of columns that are examined.
const MOST_SETS: u64 = 2_000;

/// What is asked of rows that share L values.
enum Part {
    /// At least this many rows; people, where a column says who a row is about.
    Size(u64, Option<String>),
    /// At most such a share of one value of a payload column.
    Share { c: Rational, column: String, place: usize },
}

struct Lkc {
    l: Option<u64>,
    part: Part,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let l = parameters.whole("l", 1)?;
    let k = parameters.whole("k", 1)?.ok_or_else(|| needs(ENTRY.name, "k", 5))?;
    let c = parameters.positive("c", Some(Rational::ONE))?.unwrap_or(Rational::ONE);
    let width = context.table.width() as u64;
    refuse_many_sets("LKC-privacy", "l", width, l.unwrap_or(width))?;
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    // One row is always there and a share of 1 is no limit: such halves ask for nothing. Then c protects no column, either.
    if k > 1 || c == Rational::ONE {
        let person = context.person().map(str::to_owned);
        models.push(Box::new(Lkc { l, part: Part::Size(k, person) }));
    }
    if let (Some(person), true) = (context.person(), c != Rational::ONE) {
        return Err(Error::refused(format!(
            "c of LKC-privacy counts rows, and several rows have the same value of '{person}'"
        ))
        .advise("leave c out and ask for shares of persons with alpha_k")
        .advise("bring the table to one row for each person"));
    }
    if c != Rational::ONE {
        for (column, place) in protected_columns(ENTRY.name, context)? {
            models.push(Box::new(Lkc { l, part: Part::Share { c, column, place } }));
        }
    }
    Ok(models)
}

/// Returns an error if a model checks more sets of `size` of the `width` quasi-identifiers than are feasible; `parameter` is the name of the size.
pub(super) fn refuse_many_sets(model: &str, parameter: &str, width: u64, size: u64) -> Result<()> {
    let sets = choose(width, size);
    if sets <= MOST_SETS {
        return Ok(());
    }
    Err(Error::refused(format!(
        "{model} with {parameter} = {size} checks {sets} sets of the {width} quasi-identifiers, more than the {} that are feasible",
        grouped(MOST_SETS)
    ))
    .advise(format!("use {parameter} = {width}, all quasi-identifiers together"))
    .advise("use fewer quasi-identifiers")
    .concede(format!("use a smaller {parameter}")))
}

/// How many sets of `size` there are among `width` columns.
fn choose(width: u64, size: u64) -> u64 {
    let size = size.min(width);
    let size = size.min(width - size);
    (0..size).fold(1_u64, |sets, taken| sets.saturating_mul(width - taken) / (taken + 1))
}

/// All sets of `size` of the columns, in lexicographic order.
pub(super) fn subsets(columns: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let with_first = |first: usize| {
        subsets(&columns[first + 1..], size - 1).into_iter().map(move |mut rest| {
            rest.insert(0, columns[first]);
            rest
        })
    };
    (0..=columns.len() - size).flat_map(with_first).collect()
}

impl Model for Lkc {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let known = self.l.map_or("all".to_owned(), |l| l.to_string());
        match &self.part {
            Part::Size(k, person) => {
                let unit = if person.is_some() { "persons" } else { "rows" };
                format!("LKC-privacy (L = {known}): groups of at least {k} {unit}")
            }
            Part::Share { c, column, .. } => {
                format!("LKC-privacy (L = {known}): at most a share of {c} with one value of {column}")
            }
        }
    }
    fn unit(&self) -> &'static str {
        if matches!(self.part, Part::Size(..)) { "k" } else { "c" }
    }
    fn settings(&self) -> Vec<(&'static str, f64)> {
        let known = self.l.map(|l| ("l", l as f64));
        let own = (self.unit(), self.required());
        match self.part {
            Part::Size(..) => std::iter::once(own).chain(known).collect(),
            Part::Share { .. } => known.into_iter().chain([own]).collect(),
        }
    }
    fn words(&self) -> Words {
        Words::new(self.title())
            .meaning(
                "Whoever knows no more than L of these columns about a person finds that many rows that fit, and no value of the \
                 protected column has a larger share of them.",
            )
            .limits("People who know more than L of the columns: for them the rows that fit may be few, or a single one.")
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = Map::from_iter([("model".into(), ENTRY.name.into())]);
        if let Some(l) = self.l {
            claim.insert("l".into(), l.into());
        }
        match &self.part {
            Part::Size(k, person) => {
                person.iter().for_each(|name| drop(claim.insert("person".into(), name.clone().into())));
                claim.insert("k".into(), (*k).into())
            }
            Part::Share { c, column, .. } => {
                claim.insert("column".into(), column.clone().into());
                claim.insert("c".into(), c.to_string().into())
            }
        };
        claim
    }
    fn required(&self) -> f64 {
        match &self.part {
            Part::Size(k, _) => *k as f64,
            Part::Share { c, .. } => c.to_f64(),
        }
    }
    fn larger_is_better(&self) -> bool {
        matches!(self.part, Part::Size(..))
    }
    fn protects(&self) -> Option<&str> {
        match &self.part {
            Part::Size(..) => None,
            Part::Share { column, .. } => Some(column),
        }
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn projections(&self, columns: &[usize]) -> Vec<Vec<usize>> {
        let all = columns.len();
        let known = self.l.and_then(|l| usize::try_from(l).ok()).unwrap_or(all);
        subsets(columns, known.min(all))
    }
    fn monotonicity(&self) -> Monotonicity {
        let size = matches!(self.part, Part::Size(..));
        // Dropping a class of all columns shrinks groups of fewer columns (models.md 1.19).
        Monotonicity { merging: true, dropping: self.l.is_none(), upward: size }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if self.passes(whole) {
            return Ok(());
        }
        Err(match &self.part {
            Part::Size(k, person) => Error::infeasible(format!(
                "k = {} of LKC-privacy is more than the {} {} of the table",
                grouped(*k),
                grouped(whole.persons()),
                if person.is_some() { "persons" } else { "rows" }
            ))
            .concede(largest("k", whole.persons())),
            // Rounded up, so that the figure given is itself possible.
            Part::Share { .. } => {
                not_even_the_whole(self).concede(smallest("c", (self.attained(whole) * 1e4).ceil() / 1e4))
            }
        })
    }
}

/// The rows of the most frequent value.
fn most(class: &ClassView<'_>, place: usize) -> u64 {
    let mut tally = Vec::new();
    class.tally(place, &mut tally);
    tally.into_iter().map(|(_, rows)| rows).max().unwrap_or(0)
}

impl ClassTest for Lkc {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        match &self.part {
            Part::Size(k, None) => class.size >= *k,
            Part::Size(k, Some(_)) => class.persons() >= *k,
            Part::Share { c, place, .. } => {
                class.size == 0 || c.cmp_ratio(most(class, *place), class.size) != std::cmp::Ordering::Less
            }
        }
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        match &self.part {
            Part::Size(_, None) => class.size as f64,
            Part::Size(_, Some(_)) => class.persons() as f64,
            Part::Share { place, .. } => most(class, *place) as f64 / class.size as f64,
        }
    }
    fn least_size(&self) -> Option<u64> {
        match self.part {
            Part::Size(k, None) => Some(k),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_columns_in_order() {
        assert_eq!(subsets(&[0, 2, 5], 2), [[0, 2], [0, 5], [2, 5]]);
        assert_eq!(subsets(&[3, 4], 2), [[3, 4]]);
        assert_eq!(subsets(&[1, 2, 3], 1), [[1], [2], [3]]);
        assert_eq!(choose(100, 2), 4950);
        assert_eq!((choose(16, 8), choose(5, 2), choose(3, 9), choose(4, 4)), (12_870, 10, 1, 1));
    }

    #[test]
    fn no_l_is_all_columns() {
        let model = |l| Lkc { l, part: Part::Size(2, None) };
        assert_eq!(model(None).projections(&[0, 1, 2]), [[0, 1, 2]]);
        assert_eq!(model(Some(9)).projections(&[0, 1, 2]), [[0, 1, 2]]);
        assert_eq!(model(Some(2)).projections(&[0, 2]), [[0, 2]]);
    }
}
