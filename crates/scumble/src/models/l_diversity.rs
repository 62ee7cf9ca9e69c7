//! l-diversity (models.md 1.2) in its four forms.

use serde_json::{Map, Value};

use super::values::rounded;
use super::{ClassTest, Demand, Model, ModelContext, Monotonicity, Words, needs, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::recoding::published::ClassView;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "l_diversity",
    title: "l-diversity",
    paper: "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    standing: Standing::Recommended,
    about: "Every group holds sufficiently many sensitive values, so that knowing someone's group does not give the \
            value away. Variants: distinct (at least l values), entropy (exp of the entropy at least l), recursive \
            (the most frequent value is rarer than c times the values from the l-th on), frequency (no value has \
            more than a share of 1/l). It does not look at how close the values are in meaning.",
    parameters: &[
        ("variant", "distinct (default), entropy, recursive or frequency"),
        ("l", "the diversity asked for; a whole number for distinct and recursive"),
        ("c", "recursive only: the factor c"),
        ("columns", "the columns protected; all sensitive ones if absent"),
        several::MODE,
    ],
    build,
};

/// How far an entropy may fall short by rounding alone.
const TOLERANCE: f64 = 1e-9;

#[derive(Debug, Clone, Copy)]
enum Variant {
    Distinct { l: u64 },
    Entropy { l: Rational },
    Recursive { c: Rational, l: u64 },
    Frequency { l: Rational },
}

struct LDiversity {
    variant: Variant,
    column: String,
    place: usize,
    /// The column that says who a row is about, where people have several rows and the variant is about shares.
    person: Option<String>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    several::in_mode(ENTRY.name, parameters, context, separate, &[])
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let variant = parameters.choice("variant", &["distinct", "entropy", "recursive", "frequency"])?;
    let needs_l = || needs(ENTRY.name, "l", 2);
    let whole = |least: u64| parameters.whole("l", least)?.ok_or_else(needs_l);
    let real = || parameters.rational("l", Rational::ONE, None)?.ok_or_else(needs_l);
    let variant = match variant {
        None | Some("distinct") => Variant::Distinct { l: whole(1)? },
        Some("entropy") => Variant::Entropy { l: real()? },
        Some("frequency") => Variant::Frequency { l: real()? },
        Some(_) => {
            let c = parameters.positive("c", None)?.ok_or_else(|| {
                Error::config("recursive l-diversity needs c, and a larger c is weaker")
                    .set(Setting::model("c").of_model(ENTRY.name).to(4), "give a value for c")
            })?;
            Variant::Recursive { c, l: whole(2)? }
        }
    };
    let columns = protected_columns(ENTRY.name, context)?;
    let shares = matches!(variant, Variant::Frequency { .. });
    let person = context.person().filter(|_| shares).map(str::to_owned);
    Ok(columns
        .into_iter()
        .map(|(column, place)| {
            Box::new(LDiversity { variant, column, place, person: person.clone() }) as Box<dyn Model>
        })
        .collect())
}

/// The rows per value of one class, largest first.
fn descending(class: &ClassView<'_>, place: usize) -> Vec<u64> {
    let mut tally = Vec::new();
    class.tally(place, &mut tally);
    let mut rows: Vec<u64> = tally.into_iter().map(|(_, rows)| rows).collect();
    rows.sort_unstable_by(|a, b| b.cmp(a));
    rows
}

/// Whether the most frequent value is rarer than c times the values from the l-th on; strictly (models.md 1.2). Fewer than
/// l values leave an empty tail, which fails.
fn recursive(rows: &[u64], c: Rational, l: u64) -> bool {
    let tail: u64 = rows.iter().skip(l as usize - 1).sum();
    rarer(rows.first().copied().unwrap_or(0), tail, c)
}

fn rarer(most: u64, tail: u64, c: Rational) -> bool {
    tail > 0 && c.cmp_ratio(most, tail) == std::cmp::Ordering::Greater
}

/// Values that are looked for without sorting all of them.
const FEW: usize = 8;

/// The rows of the most frequent value, and those of all values from the l-th most frequent on.
fn most_and_tail(class: &ClassView<'_>, place: usize, l: u64) -> (u64, u64) {
    let before = l as usize - 1;
    if class.payloads.columns.len() > 1 || before > FEW {
        let rows = descending(class, place);
        return (rows.first().copied().unwrap_or(0), rows.iter().skip(before).sum());
    }
    // One cell a value: the largest few are kept in order.
    let mut largest = [0; FEW];
    for cell in class.cells {
        let mut rows = cell.rows;
        for kept in &mut largest[..before] {
            if rows > *kept {
                std::mem::swap(&mut rows, kept);
            }
        }
    }
    let head: u64 = largest[..before].iter().map(|rows| u64::from(*rows)).sum();
    (u64::from(largest[0]), class.size - head)
}

/// How many different values a class has.
fn distinct(class: &ClassView<'_>, place: usize) -> u64 {
    if class.payloads.columns.len() == 1 {
        return class.cells.len() as u64;
    }
    let mut tally = Vec::new();
    class.tally(place, &mut tally);
    tally.len() as u64
}

/// The rows of the most frequent value.
fn most(class: &ClassView<'_>, place: usize) -> u64 {
    most_and_tail(class, place, 2).0
}

/// exp of the entropy: the number of equally frequent values that would be as uncertain.
fn effective_values(rows: &[u64], size: u64) -> f64 {
    let entropy: f64 = rows
        .iter()
        .map(|rows| *rows as f64 / size as f64)
        .map(|share| if share > 0.0 { -share * share.ln() } else { 0.0 })
        .sum();
    entropy.exp()
}

impl LDiversity {
    /// The people of the value that most of them have.
    fn most_persons(&self, class: &ClassView<'_>) -> u64 {
        let mut tally = Vec::new();
        class.tally_persons(self.place, &mut tally);
        tally.into_iter().map(|(_, persons)| persons).max().unwrap_or(0)
    }
}

impl Model for LDiversity {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn demand(&self) -> Demand {
        Demand::Diversity
    }
    fn title(&self) -> String {
        let column = &self.column;
        match self.variant {
            Variant::Distinct { l } => format!("distinct {l}-diversity of {column}"),
            Variant::Entropy { l } => format!("entropy {l}-diversity of {column}"),
            Variant::Recursive { c, l } => format!("recursive ({c},{l})-diversity of {column}"),
            Variant::Frequency { l } if self.person.is_some() => {
                format!("frequency {l}-diversity of {column}, counting persons")
            }
            Variant::Frequency { l } => format!("frequency {l}-diversity of {column}"),
        }
    }
    fn unit(&self) -> &'static str {
        if matches!(self.variant, Variant::Recursive { .. }) { "c" } else { "l" }
    }
    fn settings(&self) -> Vec<(&'static str, f64)> {
        match self.variant {
            Variant::Recursive { c, l } => vec![("l", l as f64), ("c", c.to_f64())],
            _ => vec![("l", self.required())],
        }
    }
    fn words(&self) -> Words {
        let column = &self.column;
        let (claim, l) = match self.variant {
            Variant::Recursive { c, l } => (format!("recursively ({c},{l})-diverse for {column}"), l as f64),
            _ => {
                let l = self.required();
                (format!("{}-diverse for {column} ({})", number(l), self.title()), l)
            }
        };
        let l = number(l);
        let meaning = match self.variant {
            Variant::Distinct { .. } => format!(
                "Among the rows that fit a person there are at least {l} different values of {column}. One of them can still be far \
                 more common than the others."
            ),
            Variant::Entropy { .. } => format!(
                "Among the rows that fit a person the values of {column} are as varied as {l} values that are equally common would be, \
                 measured by their entropy. One of them can still be more common than the others."
            ),
            Variant::Frequency { .. } => format!(
                "Among the rows that fit a person, no value of {column} has more than one in {l} of the rows."
            ),
            Variant::Recursive { c, .. } => format!(
                "Among the rows that fit a person, the most common value of {column} has fewer than {c} times as many rows as all values \
                 together from the one in place {l} on."
            ),
        };
        Words::new(claim).meaning(meaning).limits(
            "Values that differ in name but mean much the same, values that are much more likely here than elsewhere, and people who can \
             rule some of them out.",
        )
    }
    fn largest_share(&self) -> Option<f64> {
        match self.variant {
            // Two different values may be 99 rows and 1.
            Variant::Frequency { l } => Some(1.0 / l.to_f64()),
            _ => None,
        }
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = Map::from_iter([
            ("model".into(), ENTRY.name.into()),
            ("column".into(), self.column.clone().into()),
        ]);
        let mut set = |name: &str, value: Value| claim.insert(name.into(), value);
        match self.variant {
            Variant::Distinct { l } => {
                set("variant", "distinct".into());
                set("l", l.into());
            }
            Variant::Entropy { l } => {
                set("variant", "entropy".into());
                set("l", l.to_string().into());
            }
            Variant::Recursive { c, l } => {
                set("variant", "recursive".into());
                set("l", l.into());
                set("c", c.to_string().into());
            }
            Variant::Frequency { l } => {
                set("variant", "frequency".into());
                set("l", l.to_string().into());
                self.person.iter().for_each(|name| drop(set("person", name.clone().into())));
            }
        }
        claim
    }
    fn required(&self) -> f64 {
        match self.variant {
            Variant::Distinct { l } => l as f64,
            Variant::Entropy { l } | Variant::Frequency { l } => l.to_f64(),
            Variant::Recursive { c, .. } => c.to_f64(),
        }
    }
    fn larger_is_better(&self) -> bool {
        !matches!(self.variant, Variant::Recursive { .. })
    }
    fn protects(&self) -> Option<&str> {
        Some(&self.column)
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        let upward = matches!(self.variant, Variant::Distinct { .. });
        // One person's rows may be in two classes: half of the people of each have a value, and all of both together.
        Monotonicity { merging: self.person.is_none(), dropping: true, upward }
    }
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        if self.person.is_some() {
            // Shares of people may be smaller in every class than in the whole table; those of rows may not.
            let by_rows = Self { column: self.column.clone(), person: None, ..*self };
            return by_rows.check_feasible(whole);
        }
        if self.passes(whole) {
            return Ok(());
        }
        let attained = self.attained(whole);
        let error = several::not_even_the_whole(self);
        let words = "ask for the largest possible l";
        let [l, c] = ["l", "c"].map(|key| Setting::model(key).of_model(ENTRY.name));
        Err(match self.variant {
            Variant::Recursive { c: factor, .. } if attained.is_infinite() => {
                let rows = descending(whole, self.place);
                let most = rows.first().copied().unwrap_or(0);
                match (2..).take_while(|l| recursive(&rows, factor, *l)).last() {
                    Some(largest) => error.weaken(l.to(largest), words),
                    None if whole.size > most => {
                        let least = rounded(most as f64 / (whole.size - most) as f64, true);
                        let error = error.reworded(|what| what + ", and no l is possible with this c");
                        error.weaken(c, format!("ask for l = 2 with a c above {least}"))
                    }
                    None => error
                        .reworded(|what| what + "; no l and c are possible, since all rows have one value"),
                }
            }
            Variant::Recursive { .. } => {
                error.weaken(c, format!("ask for a c above {}", rounded(attained, true)))
            }
            Variant::Distinct { .. } => error.weaken(l.to(attained), words),
            Variant::Entropy { .. } | Variant::Frequency { .. } => {
                // Rounded down, so that the figure given is itself possible.
                let largest = ((attained + TOLERANCE) * 1e4).floor() / 1e4;
                error.weaken(l.to(largest), words)
            }
        })
    }
}

impl ClassTest for LDiversity {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        match self.variant {
            Variant::Distinct { l } => distinct(class, self.place) >= l,
            Variant::Entropy { l } => {
                effective_values(&descending(class, self.place), class.size) >= l.to_f64() - TOLERANCE
            }
            Variant::Recursive { c, l } => {
                let (most, tail) = most_and_tail(class, self.place, l);
                rarer(most, tail, c)
            }
            Variant::Frequency { l } => {
                let bounded = |size: u64, most: u64| l.cmp_ratio(size, most) != std::cmp::Ordering::Greater;
                bounded(class.size, most(class, self.place))
                    && (self.person.is_none() || bounded(class.persons(), self.most_persons(class)))
            }
        }
    }

    /// Passing classes make a passing one when merged, so at least as many rows fail as must go for the others to pass.
    fn failing_part(&self, class: &ClassView<'_>) -> u64 {
        match self.variant {
            Variant::Distinct { .. } => class.size,
            // With too few values no entropy suffices.
            Variant::Entropy { l } if (distinct(class, self.place) as f64) < l.to_f64() - TOLERANCE => {
                class.size
            }
            Variant::Entropy { .. } => 1,
            Variant::Recursive { c, l } => match most_and_tail(class, self.place, l) {
                (_, 0) => class.size,
                // Without f rows the most frequent value has at least most − f, and the tail is no longer than it was; so
                // most − f < c · tail.
                (most, tail) => {
                    let allowed = u128::from(c.numerator()) * u128::from(tail) / u128::from(c.denominator());
                    let exact =
                        u128::from(c.numerator()) * u128::from(tail) % u128::from(c.denominator()) == 0;
                    let above = u128::from(most).saturating_sub(allowed) + u128::from(exact);
                    u64::try_from(above).map_or(class.size, |rows| rows.clamp(1, class.size))
                }
            },
            // Without f rows the most frequent value still has most − f of size − f: l (most − f) <= size − f.
            Variant::Frequency { l } => {
                let (p, q) = (u128::from(l.numerator()), u128::from(l.denominator()));
                let above =
                    (p * u128::from(most(class, self.place))).saturating_sub(q * u128::from(class.size));
                let rows = above.div_ceil(p.saturating_sub(q).max(1));
                u64::try_from(rows).map_or(class.size, |rows| rows.clamp(1, class.size))
            }
        }
    }

    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let rows = descending(class, self.place);
        let most = rows.first().copied().unwrap_or(0) as f64;
        match self.variant {
            Variant::Distinct { .. } => rows.len() as f64,
            Variant::Entropy { .. } => effective_values(&rows, class.size),
            Variant::Recursive { l, .. } => most / rows.iter().skip(l as usize - 1).sum::<u64>() as f64,
            Variant::Frequency { .. } if self.person.is_some() => {
                let of_persons = class.persons() as f64 / self.most_persons(class) as f64;
                of_persons.min(class.size as f64 / most)
            }
            Variant::Frequency { .. } => class.size as f64 / most,
        }
    }
}
