//! Checks the l-diversity of one equivalence class.

use super::Judgement;
use super::requirement::Variant;
use crate::exact::compare_products;

/// The relative amount by which entropy may fall short, since its logarithms are computed in floating point.
const TOLERANCE: f64 = 1e-9;

impl Variant {
    pub(super) fn judge(&self, size: u64, histogram: &[(u32, u64)]) -> Judgement {
        match *self {
            Self::Distinct { l } => {
                let distinct = histogram.len() as u64;
                Judgement { holds: distinct >= l, attained: distinct as f64 }
            }
            Self::Entropy { l } => {
                let attained = entropy_diversity(size, histogram);
                Judgement { holds: attained >= l.to_f64() * (1.0 - TOLERANCE), attained }
            }
            Self::Frequency { l } => {
                let most = most_frequent(histogram);
                let order = compare_products(most.into(), l.numerator, size.into(), l.denominator);
                Judgement { holds: order.is_le(), attained: frequency_diversity(size, histogram) }
            }
            Self::Recursive { l, c } => {
                let mut counts: Vec<u64> = histogram.iter().map(|&(_, count)| count).collect();
                counts.sort_unstable_by(|a, b| b.cmp(a));
                // The counts from the l-th on. If there are fewer values, the sum is 0, and nothing is less than 0.
                let tail: u64 = counts.iter().skip(usize::try_from(l - 1).unwrap_or(usize::MAX)).sum();
                let most = counts.first().copied().unwrap_or(0);
                let order = compare_products(most.into(), c.denominator, c.numerator, tail.into());
                let attained = if tail == 0 { f64::INFINITY } else { most as f64 / tail as f64 };
                Judgement { holds: order.is_lt(), attained }
            }
        }
    }
}

fn most_frequent(histogram: &[(u32, u64)]) -> u64 {
    histogram.iter().map(|&(_, count)| count).max().unwrap_or(0)
}

/// The largest l for which the class is frequency l-diverse.
pub(super) fn frequency_diversity(size: u64, histogram: &[(u32, u64)]) -> f64 {
    size as f64 / most_frequent(histogram) as f64
}

/// The largest l for which the class is entropy l-diverse: e to its entropy.
pub(super) fn entropy_diversity(size: u64, histogram: &[(u32, u64)]) -> f64 {
    let mut counts: Vec<u64> = histogram.iter().map(|&(_, count)| count).collect();
    // The sum has a fixed order, so that equal histograms give equal figures whatever codes their values have.
    counts.sort_unstable();
    let size = size as f64;
    let sum: f64 = counts.iter().map(|&count| count as f64 * (count as f64).ln()).sum();
    (size.ln() - sum / size).max(0.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::Rational;

    /// {flu, flu, cancer, hiv} and {flu, flu, flu, cancer, asthma}.
    const E1: (u64, &[(u32, u64)]) = (4, &[(0, 2), (1, 1), (2, 1)]);
    const E2: (u64, &[(u32, u64)]) = (5, &[(0, 1), (1, 1), (2, 3)]);

    fn real(text: &str) -> Rational {
        Rational::parse(text).expect("a number")
    }

    fn holds(variant: Variant, class: (u64, &[(u32, u64)])) -> bool {
        variant.judge(class.0, class.1).holds
    }

    #[test]
    fn distinct() {
        for class in [E1, E2] {
            assert_eq!(
                Variant::Distinct { l: 3 }.judge(class.0, class.1),
                Judgement { holds: true, attained: 3.0 }
            );
            assert!(!holds(Variant::Distinct { l: 4 }, class));
        }
    }

    #[test]
    fn entropy() {
        let attained = |class: (u64, &[(u32, u64)])| entropy_diversity(class.0, class.1);
        assert!((attained(E1) - 2.828427).abs() < 1e-6);
        assert!((attained(E2) - 2.586409).abs() < 1e-6);
        assert!(holds(Variant::Entropy { l: real("2.8284271") }, E1));
        assert!(!holds(Variant::Entropy { l: real("2.8284272") }, E1));
        assert!(
            holds(Variant::Entropy { l: real("2.5864") }, E2)
                && !holds(Variant::Entropy { l: real("2.5865") }, E2)
        );
        // Classes exactly as diverse as claimed hold, whatever the rounding of the logarithms.
        for values in 1..200u32 {
            let uniform: Vec<(u32, u64)> = (0..values).map(|value| (value, 7)).collect();
            let l = real(&values.to_string());
            assert!(holds(Variant::Entropy { l }, (u64::from(values) * 7, &uniform)), "{values}");
        }
        assert_eq!(entropy_diversity(3, &[(0, 3)]), 1.0);
    }

    #[test]
    fn recursive_is_strict() {
        let recursive = |l, c| Variant::Recursive { l, c: real(c) };
        assert!(!holds(recursive(2, "1"), E1) && holds(recursive(2, "1.0000001"), E1));
        assert!(!holds(recursive(3, "2"), E1) && holds(recursive(3, "2.0000001"), E1));
        assert!(!holds(recursive(2, "3/2"), E2) && holds(recursive(2, "1.5000001"), E2));
        assert!(!holds(recursive(3, "3"), E2) && holds(recursive(3, "3.0000001"), E2));
        // More values are claimed than there are, so the tail is empty.
        assert!(!holds(recursive(4, "1000000"), E1));
        assert_eq!(recursive(4, "1").judge(E1.0, E1.1).attained, f64::INFINITY);
        assert_eq!(recursive(2, "1").judge(E2.0, E2.1).attained, 1.5);
        assert_eq!(recursive(3, "1").judge(E1.0, E1.1).attained, 2.0);
    }

    #[test]
    fn frequency_is_exact() {
        let frequency = |l| Variant::Frequency { l: real(l) };
        assert!(holds(frequency("2"), E1) && !holds(frequency("2.000000000000000000001"), E1));
        assert!(holds(frequency("5/3"), E2) && !holds(frequency("1.6666666666666666666666666667"), E2));
        assert_eq!(frequency("1").judge(E2.0, E2.1).attained, 5.0 / 3.0);
    }

    #[test]
    fn one_is_always_attained() {
        let lonely: (u64, &[(u32, u64)]) = (3, &[(9, 3)]);
        for variant in [
            Variant::Distinct { l: 1 },
            Variant::Entropy { l: real("1") },
            Variant::Frequency { l: real("1") },
        ] {
            assert!(holds(variant, lonely), "{variant:?}");
        }
    }
}
