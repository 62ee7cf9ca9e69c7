//! Description lengths in bits: of the exceptions to rules, and of the rules themselves.

/// What rules cover, and where they are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Coverage {
    pub(super) covered: f64,
    pub(super) uncovered: f64,
    pub(super) false_positive: f64,
    pub(super) false_negative: f64,
}

/// The bits needed to say which `k` of `t` things are meant, if each was expected with probability `p`.
fn subset(t: f64, k: f64, p: f64) -> f64 {
    let times_log = |count: f64, p: f64| if count > 0.0 { -count * p.log2() } else { 0.0 };
    (if p > 0.0 { times_log(k, p) } else { 0.0 }) + times_log(t - k, 1.0 - p)
}

/// The bits needed to name the exceptions. `expected` is the expected share of false positives among errors.
pub(super) fn data(expected: f64, coverage: &Coverage) -> f64 {
    let Coverage { covered, uncovered, false_positive, false_negative } = *coverage;
    let errors = false_positive + false_negative;
    let [covered_bits, uncovered_bits] = if covered > uncovered {
        let rest =
            if uncovered > 0.0 { subset(uncovered, false_negative, false_negative / uncovered) } else { 0.0 };
        [subset(covered, false_positive, expected * errors / covered), rest]
    } else {
        let first =
            if covered > 0.0 { subset(covered, false_positive, false_positive / covered) } else { 0.0 };
        [first, subset(uncovered, false_negative, (1.0 - expected) * errors / uncovered)]
    };
    (covered + uncovered + 1.0).log2() + covered_bits + uncovered_bits
}

/// The bits needed to state a rule of `conditions` out of `possible` ones, halved since conditions overlap.
pub(super) fn theory(conditions: usize, possible: f64) -> f64 {
    if conditions == 0 {
        return 0.0;
    }
    let k = conditions as f64;
    let number = k.log2() + if conditions > 1 { 2.0 * k.log2().log2() } else { 0.0 };
    0.5 * (number + subset(possible, k, k / possible))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// models.md 3.5: 100 rows, 30 of them positive; first no rule, then one with 20 true and 5 false positives.
    #[test]
    fn worked_lengths() {
        let none = Coverage { uncovered: 100.0, false_negative: 30.0, ..Coverage::default() };
        assert!((data(0.3, &none) - 98.009_655).abs() < 5e-7);
        let one = Coverage { covered: 25.0, uncovered: 75.0, false_positive: 5.0, false_negative: 10.0 };
        assert!((data(0.3, &one) - 67.214_870).abs() < 5e-7);
        assert!((theory(2, 40.0) - 6.227_939).abs() < 5e-7);
        assert!((data(0.3, &one) + theory(2, 40.0) - 73.442_809).abs() < 1e-6);
    }
}
