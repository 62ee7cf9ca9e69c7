//! (alpha,k)-anonymity (models.md 1.3): classes of at least k rows in which no protected value has more than a share of alpha.

use serde_json::Value;

use super::values::{Counts, OfColumn, ValueTest, code_of, original_rows, rounded, smallest};
use super::{Model, ModelContext, Words, k_anonymity, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "alpha_k",
    title: "(alpha,k)-anonymity",
    paper: "Wong, Li, Fu, Wang 2006",
    standing: Standing::Recommended,
    about: "Every group has at least k rows, and no protected sensitive value has more than a share of alpha in it: nobody's \
            value is believed with more confidence than alpha. One alpha for all values, or one for each value that needs \
            protection. It does not compare with how frequent a value is in the whole table.",
    parameters: &[
        ("k", "the least number of rows in a group; no requirement on sizes if absent"),
        ("alpha", "the largest share of a value in a group, above 0 and at most 1"),
        ("values", "the values protected by alpha; all if absent"),
        (
            "alphas",
            "shares of single values, such as [\"hiv=0.1\", \"cancer=0.3\"]; other values are free unless alpha is given",
        ),
        ("columns", "the columns protected; all sensitive ones if absent"),
        several::MODE,
    ],
    build,
};

/// No value has more than its share.
struct Shares {
    /// The share allowed to each value.
    allowed: Vec<Rational>,
    /// The shares as the verifier takes them, by value; all values have the first one where no value is named.
    named: Vec<(String, Rational)>,
    everyone: Option<Rational>,
    /// The share of each value in the original.
    original: Vec<Rational>,
    /// The codes of the named values, in their order.
    codes: Vec<u32>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    several::in_mode(ENTRY.name, parameters, context, separate, &["values", "alphas"])
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let alpha = parameters.positive("alpha", Some(Rational::ONE))?;
    let values = parameters.texts("values")?.unwrap_or_default();
    let mut named = Vec::new();
    for given in parameters.texts("alphas")?.unwrap_or_default() {
        let wrong = || {
            Error::config(format!(
                "alphas wants VALUE=SHARE with a share above 0 and at most 1, not '{given}'"
            ))
        };
        let (value, share) = given.rsplit_once('=').ok_or_else(wrong)?;
        let legal = |share: &Rational| *share > Rational::ZERO && *share <= Rational::ONE;
        let share = share.trim().parse().ok().filter(legal).ok_or_else(wrong)?;
        named.push((value.trim().to_owned(), share));
    }
    match alpha {
        Some(alpha) => named.extend(values.iter().map(|value| ((*value).to_owned(), alpha))),
        None if !values.is_empty() => {
            return Err(Error::config("model 'alpha_k': values needs alpha")
                .set(Setting::model("alpha").of_model(ENTRY.name).to(0.2), "give a value for alpha"));
        }
        None => {}
    }
    let everyone = alpha.filter(|_| values.is_empty());
    if named.is_empty() && everyone.is_none() {
        return Err(Error::config("model 'alpha_k' needs alpha, or alphas for some values")
            .set(Setting::model("alpha").of_model(ENTRY.name).to(0.5), "give a value for alpha")
            .set(
                Setting::model("alphas").of_model(ENTRY.name).to(vec!["hiv=0.1"]),
                "give shares for some values",
            ));
    }
    let mut models: Vec<Box<dyn Model>> = Vec::new();
    if let Some(k) = parameters.whole("k", 1)? {
        models.push(k_anonymity::part_of(ENTRY.name, k, context));
    }
    for (column, place) in protected_columns(ENTRY.name, context)? {
        let count = context.table.payloads().columns[place].values.len();
        let mut allowed = vec![everyone.unwrap_or(Rational::ONE); count];
        let mut known: Vec<(u32, Rational)> = Vec::new();
        for (value, share) in &named {
            let code = code_of(context, place, value, ENTRY.name)?;
            if known.iter().any(|(other, _)| *other == code) {
                return Err(Error::config(format!(
                    "model 'alpha_k': the value '{value}' of '{column}' is named twice"
                ))
                .advise("give each value one share"));
            }
            known.push((code, *share));
            allowed[code as usize] = *share;
        }
        // As the table writes them, whatever spelling was given.
        let text = |code: u32| context.table.payloads().columns[place].values.get(code).to_owned();
        let codes = known.iter().map(|(code, _)| *code).collect();
        let named = known.into_iter().map(|(code, share)| (text(code), share)).collect();
        let rows = original_rows(context, place);
        let all: u64 = rows.iter().sum();
        let share = |of_value: &u64| Rational::new(*of_value, all).unwrap_or(Rational::ZERO);
        let original = rows.iter().map(share).collect();
        let test = Shares { allowed, named, everyone, original, codes };
        models.push(Box::new(OfColumn::new(test, column, place, context)));
    }
    Ok(models)
}

impl Shares {
    /// One alpha for all values: the figure is a share. Several: it is a multiple of what each value is allowed.
    fn is_uniform(&self) -> bool {
        self.named.is_empty()
    }
}

impl ValueTest for Shares {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self, column: &str) -> String {
        match (self.everyone, self.named.as_slice()) {
            (Some(alpha), []) => format!("no value of {column} above a share of {alpha}"),
            (Some(_), _) => format!("no value of {column} above its share"),
            (None, _) => format!("no named value of {column} above its share"),
        }
    }
    fn unit(&self) -> &'static str {
        if self.is_uniform() { "alpha" } else { "multiple of its share" }
    }
    fn words(&self, column: &str) -> Words {
        let holds = if self.is_uniform() {
            format!("no value of {column} has more than a share of {} in a group", number(self.required()))
        } else {
            format!("no protected value of {column} has more than its share in a group")
        };
        let meaning = format!(
            "Among the rows that fit a person, {holds}: nobody who knows only these columns can be surer of it than that."
        );
        Words::new(format!("such that {holds}")).meaning(meaning).limits(
            "Values that are rare in the whole table: a share that is allowed may be many times what it was there. Nor against people who \
             can rule some values out.",
        )
    }
    fn largest_share(&self) -> Option<f64> {
        // Values that are not named are free.
        self.is_uniform().then(|| self.required())
    }
    fn claim(&self) -> Vec<(&'static str, Value)> {
        let share = |share: Rational| Value::from(share.to_string());
        let mut claim: Vec<(&'static str, Value)> =
            self.everyone.into_iter().map(|alpha| ("alpha", share(alpha))).collect();
        if !self.named.is_empty() {
            let pairs = self
                .named
                .iter()
                .map(|(value, alpha)| Value::from(vec![value.clone().into(), share(*alpha)]));
            claim.push(("alphas", Value::Array(pairs.collect())));
        }
        claim
    }
    fn required(&self) -> f64 {
        if self.is_uniform() { self.everyone.map_or(1.0, Rational::to_f64) } else { 1.0 }
    }
    fn larger_is_better(&self) -> bool {
        false
    }
    fn upward(&self) -> bool {
        false
    }
    fn counts(&self) -> Counts {
        Counts::Shares
    }
    fn passes(&self, size: u64, tally: &[(u32, u64)]) -> bool {
        tally.iter().all(|(value, rows)| self.allowed[*value as usize].cmp_ratio(*rows, size).is_ge())
    }
    fn attained(&self, size: u64, tally: &[(u32, u64)]) -> f64 {
        let figure = |(value, rows): &(u32, u64)| {
            let share = *rows as f64 / size as f64;
            if self.is_uniform() { share } else { share / self.allowed[*value as usize].to_f64() }
        };
        let is_protected =
            |(value, _): &&(u32, u64)| self.is_uniform() || self.allowed[*value as usize] < Rational::ONE;
        tally.iter().filter(is_protected).map(figure).fold(0.0, f64::max)
    }
    fn nearest(&self, attained: f64) -> String {
        if self.is_uniform() {
            return smallest("alpha", rounded(attained, true));
        }
        // Only values that somebody named in the plan may be named in a message.
        let told = |share: Rational| rounded(share.to_f64(), true);
        let too_frequent = |code: &u32| self.original[*code as usize] > self.allowed[*code as usize];
        let named = self.codes.iter().zip(&self.named).filter(|(code, _)| too_frequent(code));
        let mut least: Vec<String> = named
            .map(|(code, (value, _))| {
                format!("a share of {} for '{value}'", told(self.original[*code as usize]))
            })
            .collect();
        let others = (0..self.original.len() as u32).filter(|code| !self.codes.contains(code));
        let most = others.filter(too_frequent).map(|code| self.original[code as usize]).max();
        least.extend(most.map(|most| format!("an alpha of {} for the other values", told(most))));
        format!("allow {}, the smallest possible", least.join(" and "))
    }
}
