//! Estimates the number of people who are unique in the population, from the table that was drawn from it (models.md 4.2).
//!
//! Three models estimate the same number, and the share of the population that is in the table decides which one to believe
//! (Dankar and others 2012). All three use only the number of classes of each size.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod gamma;
mod pitman;
mod snb;
mod zayatz;

/// A table with one row for each person, drawn at random from a population.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample<'a> {
    /// The number of classes of each size, ascending by size.
    pub sizes: &'a [(u64, u64)],
    /// The rows of the table.
    pub rows: u64,
    /// The people of the population; at least as many.
    pub population: u64,
}

impl Sample<'_> {
    fn classes(&self) -> u64 {
        self.sizes.iter().map(|(_, classes)| classes).sum()
    }

    fn classes_of(&self, wanted: u64) -> u64 {
        self.sizes.iter().find(|(size, _)| *size == wanted).map_or(0, |(_, classes)| *classes)
    }

    fn fraction(&self) -> f64 {
        self.rows as f64 / self.population as f64
    }
}

/// The number of people in the population who are unique on the quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PopulationUniques {
    /// The people of the population.
    pub population: u64,
    /// The share of them that is in the table.
    pub sampling_fraction: f64,
    /// The number of unique people, by the chosen method.
    pub uniques: f64,
    /// The chosen method.
    pub method: Method,
    /// One sentence on why this method was chosen, and which did not work.
    pub reason: String,
    /// All estimates that were made.
    pub estimates: Vec<Estimate>,
}

/// How the number of population uniques was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Counted: the population is known.
    #[default]
    Counted,
    /// Nobody is unique in the table, so there is nothing to estimate from.
    NobodyUnique,
    /// Zayatz' estimator.
    Zayatz,
    /// Pitman's model.
    Pitman,
    /// The slide negative binomial model.
    Snb,
}

impl Method {
    /// The name as people write it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Counted => "counted",
            Self::NobodyUnique => "nobody unique",
            Self::Zayatz => "Zayatz",
            Self::Pitman => "Pitman",
            Self::Snb => "SNB",
        }
    }
}

/// The estimate of one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Estimate {
    /// The model.
    pub method: Method,
    /// People who are unique in the population; `None` if the model does not fit this table.
    pub uniques: Option<f64>,
    /// The parameters that the model chose, by name.
    pub parameters: BTreeMap<String, f64>,
}

/// Estimates the number of population uniques by the rule of Dankar and others. If at most a tenth of the population is in
/// the table, Pitman's model is used, or Zayatz' estimator where that does not fit; otherwise the smaller one of Zayatz and SNB.
#[must_use]
pub(crate) fn estimate(sample: &Sample<'_>) -> PopulationUniques {
    let found = |uniques: f64, method, reason: &str, estimates| PopulationUniques {
        population: sample.population,
        sampling_fraction: sample.fraction(),
        uniques: uniques.min(sample.population as f64),
        method,
        reason: reason.to_owned(),
        estimates,
    };
    let alone = sample.classes_of(1);
    if sample.population == sample.rows {
        return found(alone as f64, Method::Counted, "the table is the whole population", Vec::new());
    }
    if alone == 0 {
        return found(0.0, Method::NobodyUnique, "nobody is unique in the table", Vec::new());
    }
    let zayatz = zayatz::estimate(sample);
    let pitman = pitman::estimate(sample);
    let snb = snb::estimate(sample);
    let named =
        |pairs: &[(&str, f64)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let estimates = vec![
        Estimate {
            method: Method::Pitman,
            uniques: pitman.map(|found| found.limit),
            parameters: pitman.map_or_else(BTreeMap::new, |found| {
                named(&[("theta", found.theta), ("alpha", found.alpha), ("exact", found.exact)])
            }),
        },
        Estimate {
            method: Method::Zayatz,
            uniques: Some(zayatz.uniques),
            parameters: named(&[("probability", zayatz.probability)]),
        },
        Estimate {
            method: Method::Snb,
            uniques: snb.map(|found| found.uniques),
            parameters: snb.map_or_else(BTreeMap::new, |found| {
                named(&[("classes", found.classes), ("alpha", found.alpha), ("beta", found.beta)])
            }),
        },
    ];
    // pi <= 0.1, on whole numbers
    let few = u128::from(sample.rows) * 10 <= u128::from(sample.population);
    let (uniques, method, reason) = match (few, pitman, snb) {
        (true, Some(pitman), _) => (
            pitman.limit,
            Method::Pitman,
            "usually the best where at most a tenth of the population is in the table",
        ),
        (true, None, _) => (
            zayatz.uniques,
            Method::Zayatz,
            "Pitman's method, usually the best where at most a tenth of the population is in the table, gives no result for this table",
        ),
        (false, _, Some(snb)) if snb.uniques < zayatz.uniques => (
            snb.uniques,
            Method::Snb,
            "the smaller of the estimates by Zayatz's and SNB's methods, which is usually the best where more than a tenth of the population is in the table",
        ),
        (false, _, Some(_)) => (
            zayatz.uniques,
            Method::Zayatz,
            "the smaller of the estimates by Zayatz's and SNB's methods, which is usually the best where more than a tenth of the population is in the table",
        ),
        (false, _, None) => (
            zayatz.uniques,
            Method::Zayatz,
            "more than a tenth of the population is in the table, and SNB's method gives no result for this table",
        ),
    };
    found(uniques, method, reason, estimates)
}

/// The zero of a function that is negative at `low` and positive at `high`, to the last digits; `None` if the function is not
/// defined somewhere on the way.
fn bisect(mut low: f64, mut high: f64, value: impl Fn(f64) -> Option<f64>) -> Option<f64> {
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if middle <= low || middle >= high {
            break;
        }
        if value(middle)? < 0.0 { low = middle } else { high = middle }
    }
    Some(f64::midpoint(low, high))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The example of models.md 4.2.
    const SIZES: [(u64, u64); 6] = [(1, 90), (2, 18), (3, 7), (4, 4), (6, 2), (15, 1)];
    const SAMPLE: Sample<'_> = Sample { sizes: &SIZES, rows: 190, population: 2000 };

    fn near(found: f64, printed: f64, places: i32) {
        let half = 0.5 * 10_f64.powi(-places);
        assert!((found - printed).abs() <= half * 1.001, "{found} is not {printed}");
    }

    #[test]
    fn the_worked_example() {
        assert_eq!(SAMPLE.classes(), 122);
        let zayatz = zayatz::estimate(&SAMPLE);
        near(zayatz.probability, 0.553_154, 6);
        near(zayatz.uniques, 524.040_3, 4);
        let pitman = pitman::estimate(&SAMPLE).expect("it fits");
        near(pitman.theta, 49.818_139, 6);
        near(pitman.alpha, 0.525_806, 6);
        near(pitman.limit, 348.080_2, 4);
        near(pitman.exact, 344.101_5, 4);
        let snb = snb::estimate(&SAMPLE).expect("it fits");
        near(snb.classes, 594.705_9, 4);
        near(snb.alpha, 0.143_386, 6);
        near(snb.beta, 0.060_508, 6);
        near(snb.uniques, 397.768_5, 4);
    }

    #[test]
    fn the_likelihood_of_large_tables_is_flat_in_no_direction() {
        // Eight columns of the Adult data: at the maximum, sums by hand must balance.
        let sizes = [(1, 14_021), (2, 2_236), (3, 760), (4, 372), (5, 212), (8, 300), (15, 150), (40, 58)];
        let rows = sizes.iter().map(|(size, classes)| size * classes).sum();
        let sample = Sample { sizes: &sizes, rows, population: rows * 100 };
        let found = pitman::estimate(&sample).expect("it fits");
        assert!(found.alpha > 0.0 && found.alpha < 1.0);
        let sum = |to: u64, term: &dyn Fn(f64) -> f64| -> f64 { (1..to).map(|i| term(i as f64)).sum() };
        let (theta, alpha) = (found.theta, found.alpha);
        let of_classes = sum(sample.classes(), &|i| 1.0 / (theta + i * alpha));
        assert!((of_classes - sum(rows, &|i| 1.0 / (theta + i))).abs() < 1e-8);
        let rising = sum(sample.classes(), &|i| i / (theta + i * alpha));
        let falling: f64 =
            sizes.iter().map(|(size, classes)| *classes as f64 * sum(*size, &|t| 1.0 / (t - alpha))).sum();
        assert!((rising / falling - 1.0).abs() < 1e-9, "{rising} {falling}");
    }

    /// Nearly all rows of a large table are unique: theta is as large as the table, or larger.
    #[test]
    fn a_large_theta_is_found() {
        let sizes = [(1, 96_000), (2, 1_800), (3, 100), (4, 25)];
        let found = pitman::estimate(&Sample { sizes: &sizes, rows: 100_000, population: 10_000_000 });
        let found = found.expect("it fits");
        assert!((found.theta - 489_721.0).abs() < 50.0 && (found.alpha - 0.780_36).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn the_rule_chooses_by_the_sampling_fraction() {
        let few = estimate(&SAMPLE);
        assert_eq!(few.method, Method::Pitman);
        near(few.uniques, 348.080_2, 4);
        // 190 of 1,900 is exactly a tenth, 190 of 1,899 is more.
        assert_eq!(estimate(&Sample { population: 1900, ..SAMPLE }).method, Method::Pitman);
        let many = estimate(&Sample { population: 1899, ..SAMPLE });
        assert_eq!(many.method, Method::Snb);
        let smaller = many.estimates.iter().skip(1).filter_map(|e| e.uniques).fold(f64::INFINITY, f64::min);
        assert_eq!(many.uniques, smaller);
    }

    #[test]
    fn what_does_not_fit_falls_back_and_says_so() {
        // No class of two: neither Pitman (alpha would be 1) nor SNB fit.
        let sizes = [(1, 50)];
        let sample = Sample { sizes: &sizes, rows: 50, population: 1000 };
        let found = estimate(&sample);
        assert_eq!(found.method, Method::Zayatz);
        assert!(found.reason.contains("gives no result for this table"));
        assert_eq!(found.estimates[0].uniques, None);
        let found = estimate(&Sample { population: 100, ..sample });
        assert_eq!((found.method, found.estimates[2].uniques), (Method::Zayatz, None));
    }

    #[test]
    fn nothing_to_estimate() {
        let sizes = [(2, 5)];
        let none = estimate(&Sample { sizes: &sizes, rows: 10, population: 100 });
        assert_eq!((none.uniques, none.method), (0.0, Method::NobodyUnique));
        let whole = estimate(&Sample { population: 190, ..SAMPLE });
        assert_eq!((whole.uniques, whole.method), (90.0, Method::Counted));
    }

    proptest! {
        #[test]
        fn estimates_are_numbers_of_people(
            counts in prop::collection::vec(0_u64..40, 1..30), more in 0_u64..100_000,
        ) {
            let sizes: Vec<(u64, u64)> = (1..).zip(counts).filter(|(_, classes)| *classes > 0).collect();
            let rows: u64 = sizes.iter().map(|(size, classes)| size * classes).sum();
            prop_assume!(rows > 0);
            let found = estimate(&Sample { sizes: &sizes, rows, population: rows + more });
            prop_assert!(found.uniques >= 0.0 && found.uniques <= found.population as f64);
            for estimate in found.estimates {
                prop_assert!(estimate.uniques.is_none_or(|uniques| uniques.is_finite() && uniques >= 0.0));
            }
        }
    }
}
