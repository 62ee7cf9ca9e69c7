//! Zayatz' estimator (1991): the probability that a sample unique is a population unique is the probability that its class has one person,
//! if the classes of the population are distributed like those of the sample.

use super::Sample;

/// The estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Zayatz {
    /// The probability that a row that is unique in the sample is unique in the population.
    pub(super) probability: f64,
    /// The people who are unique in the population.
    pub(super) uniques: f64,
}

/// The estimate; the sample has at least one unique row.
pub(super) fn estimate(sample: &Sample<'_>) -> Zayatz {
    let (n, population) = (sample.rows as f64, sample.population as f64);
    // h(i): the probability that a sample of n draws exactly one of a class of i; h(1) = n / N, and
    // h(i + 1) / h(i) = (i + 1) / i * (N - i - n + 1) / (N - i).
    let mut drawn = n / population;
    let first = drawn * sample.classes_of(1) as f64;
    let (mut all, mut size) = (0.0, 1_u64);
    for (wanted, classes) in sample.sizes {
        while size < *wanted && drawn > 0.0 {
            let i = size as f64;
            drawn *= (i + 1.0) / i * (population - i - n + 1.0).max(0.0) / (population - i).max(1.0);
            size += 1;
        }
        all += *classes as f64 * drawn;
    }
    let probability = first / all;
    let uniques = sample.classes_of(1) as f64 * probability / sample.fraction();
    Zayatz { probability, uniques }
}
