//! p-sensitive k-anonymity and its extensions (models.md 1.9): enough values, enough categories, enough harmless ones.

use serde_json::Value;

use super::values::{FREQUENT_VALUES, OfColumn, ValueTest, largest, rounded};
use super::{Model, ModelContext, Words, k_anonymity, needs, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::base::text::{grouped, number};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "p_sensitive",
    title: "p-sensitive k-anonymity",
    paper: "Truta, Vinay 2006; Sun, Wang, Li, Truta 2008 (p+ and (p,alpha))",
    standing: Standing::Classic,
    about: "Every group has at least k rows and at least p different values in each sensitive column. With categories of values, \
            from the most to the least sensitive, it counts categories instead (p+-sensitive), so that a group of three cancers is not called diverse; with alpha the values must also weigh enough, where the most sensitive category \
            weighs 0 and the least sensitive 1. It does not look at how often a value occurs.",
    parameters: &[
        ("p", "the least number of different values, or of categories, in a group"),
        ("k", "the least number of rows in a group; no requirement on sizes if absent"),
        (
            "categories",
            "the values by category, the most sensitive category first: [\"hiv|cancer\", \"flu|cold\"]",
        ),
        ("count", "what p counts where categories are given: categories (default) or values"),
        ("alpha", "the least total weight of a group's values; needs categories"),
        ("weight_over", "distinct (default): each different value weighs once; rows: once for each row"),
        ("columns", "the columns protected; all sensitive ones if absent"),
        several::MODE,
    ],
    build,
};

/// The category of each value, from 0 (most sensitive), and how many there are.
#[derive(Clone)]
struct Categories {
    of_value: Vec<u32>,
    lists: Vec<Vec<String>>,
}

/// At least p values or categories.
struct Several {
    p: u64,
    categories: Option<Categories>,
}

/// Values that together weigh at least alpha.
struct Weight {
    alpha: Rational,
    categories: Categories,
    over_rows: bool,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    several::in_mode(ENTRY.name, parameters, context, separate, &["categories"])
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let p = parameters.whole("p", 1)?.ok_or_else(|| needs(ENTRY.name, "p", 2))?;
    let k = parameters.whole("k", 1)?;
    if let Some(k) = k.filter(|k| *k < p) {
        return Err(Error::config(format!(
            "model 'p_sensitive': a group of k = {k} rows cannot be asked for p = {p} different values; p is at most k"
        )));
    }
    let given = parameters.texts("categories")?;
    let counts_values = parameters.choice("count", &["categories", "values"])? == Some("values");
    let alpha = parameters.rational("alpha", Rational::ZERO, None)?;
    let over_rows = parameters.choice("weight_over", &["distinct", "rows"])? == Some("rows");
    if given.is_none() && (alpha.is_some() || counts_values) {
        return Err(Error::config("model 'p_sensitive': alpha and count need categories").set(
            Setting::model("categories").of_model(ENTRY.name).to(vec!["hiv|cancer", "flu|cold"]),
            "list categories, from the most to the least sensitive",
        ));
    }
    let mut models: Vec<Box<dyn Model>> =
        k.map(|k| k_anonymity::part_of(ENTRY.name, k, context)).into_iter().collect();
    for (column, place) in protected_columns(ENTRY.name, context)? {
        let categories = given.as_ref().map(|lists| Categories::read(lists, context, place)).transpose()?;
        let counted = categories.clone().filter(|_| !counts_values);
        models.push(Box::new(OfColumn::new(
            Several { p, categories: counted },
            column.clone(),
            place,
            context,
        )));
        if let (Some(alpha), Some(categories)) = (alpha, categories) {
            models.push(Box::new(OfColumn::new(
                Weight { alpha, categories, over_rows },
                column,
                place,
                context,
            )));
        }
    }
    Ok(models)
}

impl Categories {
    /// Every value of the column must have a category: one without would be counted for nothing.
    fn read(lists: &[&str], context: &ModelContext<'_>, place: usize) -> Result<Self> {
        let column = &context.table.payloads().columns[place];
        let lists: Vec<Vec<String>> =
            lists.iter().map(|list| list.split('|').map(|value| value.trim().to_owned()).collect()).collect();
        let twice =
            |value: &str| Error::config(format!("model 'p_sensitive': '{value}' is in two categories"));
        let mut seen: Vec<&String> = lists.iter().flatten().collect();
        seen.sort();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(twice(pair[0]));
        }
        // Values are listed in any spelling; those that no row has may stay.
        let spellings = column.spellings();
        let mut of_value: Vec<Option<u32>> = vec![None; column.values.len()];
        let mut written = vec![Vec::new(); lists.len()];
        for (category, list) in lists.iter().enumerate() {
            for value in list {
                let Some(code) = spellings.find(value) else {
                    written[category].push(value.clone());
                    continue;
                };
                match of_value[code as usize].replace(category as u32) {
                    None => written[category].push(column.values.get(code).to_owned()),
                    // Another spelling of a value that is here already.
                    Some(before) if before == category as u32 => {}
                    Some(_) => return Err(twice(value)),
                }
            }
        }
        if let Some(absent) = column.absent() {
            // It is no value, so no category is asked of it.
            of_value[absent as usize].get_or_insert(0);
        }
        let of_value: Option<Vec<u32>> = of_value.into_iter().collect();
        match of_value {
            Some(of_value) => Ok(Self { of_value, lists: written }),
            None => Err(Error::config(format!(
                "model 'p_sensitive': some value of '{}' is in no category",
                column.name
            ))
            .advise("list every value in categories, also the missing one where missing_counts is true")),
        }
    }

    fn claim(&self) -> (&'static str, Value) {
        (
            "categories",
            Value::from(self.lists.iter().map(|list| Value::from(list.clone())).collect::<Vec<_>>()),
        )
    }
}

impl ValueTest for Several {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self, column: &str) -> String {
        let what = if self.categories.is_some() { "categories" } else { "values" };
        format!("at least {} {what} of {column}", self.p)
    }
    fn unit(&self) -> &'static str {
        "p"
    }
    fn words(&self, column: &str) -> Words {
        let meaning = format!(
            "Among the rows that fit a person, {column} takes at least {} different values, or categories of values.",
            grouped(self.p)
        );
        Words::new(format!("such that every group has {}", self.title(column)))
            .meaning(meaning)
            .limits(FREQUENT_VALUES)
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        [("p", self.p.into())].into_iter().chain(self.categories.as_ref().map(Categories::claim)).collect()
    }
    fn required(&self) -> f64 {
        self.p as f64
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn upward(&self) -> bool {
        true
    }
    fn passes(&self, size: u64, tally: &[(u32, u64)]) -> bool {
        self.attained(size, tally) >= self.p as f64
    }
    fn attained(&self, _: u64, tally: &[(u32, u64)]) -> f64 {
        let Some(categories) = &self.categories else { return tally.len() as f64 };
        let mut present: Vec<u32> =
            tally.iter().map(|(value, _)| categories.of_value[*value as usize]).collect();
        present.sort_unstable();
        present.dedup();
        present.len() as f64
    }
    fn nearest(&self, attained: f64) -> String {
        largest("p", attained)
    }
}

impl Weight {
    /// Category ranks added up; the weight is this divided by [`Weight::whole`].
    fn ranks(&self, tally: &[(u32, u64)]) -> u64 {
        let rank = |value: u32| match self.categories.lists.len() {
            // With one category nothing is more sensitive than anything else: every value weighs 1.
            1 => 1,
            _ => u64::from(self.categories.of_value[value as usize]),
        };
        tally.iter().map(|(value, rows)| rank(*value) * if self.over_rows { *rows } else { 1 }).sum()
    }

    fn whole(&self) -> u64 {
        (self.categories.lists.len() as u64 - 1).max(1)
    }
}

impl ValueTest for Weight {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self, column: &str) -> String {
        format!("values of {column} that weigh at least {}", self.alpha)
    }
    fn unit(&self) -> &'static str {
        "alpha"
    }
    fn words(&self, column: &str) -> Words {
        let meaning = format!(
            "Among the rows that fit a person, the values of {column} weigh at least {} together, where values of the most sensitive \
             category weigh nothing and those of the least sensitive 1.",
            number(self.required())
        );
        Words::new(format!("such that every group has {}", self.title(column)))
            .meaning(meaning)
            .limits(FREQUENT_VALUES)
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        let over = if self.over_rows { "rows" } else { "distinct" };
        vec![("alpha", self.alpha.to_string().into()), self.categories.claim(), ("weight_over", over.into())]
    }
    fn required(&self) -> f64 {
        self.alpha.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn upward(&self) -> bool {
        true
    }
    fn passes(&self, _: u64, tally: &[(u32, u64)]) -> bool {
        self.alpha.cmp_ratio(self.ranks(tally), self.whole()).is_le()
    }
    fn attained(&self, _: u64, tally: &[(u32, u64)]) -> f64 {
        self.ranks(tally) as f64 / self.whole() as f64
    }
    fn nearest(&self, attained: f64) -> String {
        largest("alpha", rounded(attained, false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// hiv and cancer most sensitive of four categories, flu in the third: models.md 1.9.
    fn categories() -> Categories {
        let lists = vec![
            vec!["hiv".into(), "cancer".into()],
            vec!["ulcer".into()],
            vec!["flu".into()],
            vec!["cold".into()],
        ];
        Categories { of_value: vec![0, 0, 2], lists }
    }

    #[test]
    fn two_values_of_the_worst_category_are_one_category() {
        let tally = [(0, 2), (1, 1)];
        let several = |categories| Several { p: 2, categories }.passes(3, &tally);
        assert!(several(None));
        assert!(!several(Some(categories())));
    }

    #[test]
    fn harmless_values_weigh_more() {
        let weight = |alpha: &str, over_rows| Weight {
            alpha: alpha.parse().expect("a number"),
            categories: categories(),
            over_rows,
        };
        // {hiv, cancer, flu}: 0 + 0 + 2/3.
        let tally = [(0, 1), (1, 1), (2, 2)];
        assert!(weight("2/3", false).passes(4, &tally));
        assert!(!weight("0.67", false).passes(4, &tally));
        assert!(weight("4/3", true).passes(4, &tally));
    }
}
