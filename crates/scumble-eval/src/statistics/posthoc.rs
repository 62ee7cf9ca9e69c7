//! After Friedman's test: compares each method with a control, corrected for the number of comparisons.

use super::Friedman;
use super::distributions::{normal_above, normal_quantile};

/// How p-values are corrected for the number of comparisons.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// Every p-value times the number of comparisons.
    #[default]
    BonferroniDunn,
    /// Holm's step-down procedure: never less powerful than Bonferroni-Dunn, under the same assumptions.
    Holm,
    /// One-sided p-values without any correction, as in the tables of the NSVDist paper. Only for comparing with that paper: among so many
    /// comparisons some p-values are small by accident.
    NsvdistRawOneSided,
}

/// Differences with a p-value up to this count as shown.
const LEVEL: f64 = 0.05;

/// A method compared with the control.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// The difference of mean ranks, control minus method, in standard errors: above 0 if the method is better.
    pub z: f64,
    /// The p-value without correction: two-sided, or one-sided if the correction says so.
    pub raw: f64,
    /// The corrected p-value.
    pub adjusted: f64,
}

impl Comparison {
    /// Whether the method and the control differ at 5 %. Tables and diagrams both use this.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.adjusted <= LEVEL
    }
}

/// How far mean ranks may be from the control's before a difference is shown, under one correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Towards better methods; `None` if no method can be shown to be better, since only the other side is tested.
    pub better: Option<f64>,
    /// Towards worse methods.
    pub worse: f64,
}

/// Compares every method with the control, in the order of the methods. The control itself has z = 0 and p = 1.
#[must_use]
pub fn compare_with_control(friedman: &Friedman, control: usize, correction: Correction) -> Vec<Comparison> {
    let ranks = &friedman.mean_ranks;
    let error = friedman.standard_error();
    let questions = (ranks.len() - 1) as f64;
    let mut found: Vec<Comparison> = ranks
        .iter()
        .map(|rank| {
            let z = (ranks[control] - rank) / error;
            let raw = match correction {
                // The chance that the control is really no worse than it looks.
                Correction::NsvdistRawOneSided => normal_above(-z),
                _ => (2.0 * normal_above(z.abs())).min(1.0),
            };
            let adjusted = match correction {
                Correction::BonferroniDunn => (raw * questions).min(1.0),
                _ => raw,
            };
            Comparison { z, raw, adjusted }
        })
        .collect();
    found[control] = Comparison { z: 0.0, raw: 1.0, adjusted: 1.0 };
    if correction == Correction::Holm {
        let mut order: Vec<usize> = (0..ranks.len()).filter(|method| *method != control).collect();
        order.sort_by(|a, b| found[*a].raw.total_cmp(&found[*b].raw));
        let mut largest: f64 = 0.0;
        for (place, method) in order.into_iter().enumerate() {
            largest = largest.max((found[method].raw * (questions - place as f64)).min(1.0));
            found[method].adjusted = largest;
        }
    }
    found
}

/// Returns how far the control reaches: mean ranks outside differ from it at 5 %.
///
/// Holm goes step by step, so its reach depends on how many methods it found different. Those had p-values below stricter limits, so the
/// limit of the step at which it stopped divides all methods as the steps do.
#[must_use]
pub fn reach(friedman: &Friedman, control: usize, correction: Correction) -> Reach {
    let questions = friedman.mean_ranks.len() - 1;
    let two_sided = |questions: usize| {
        let far = normal_quantile(1.0 - LEVEL / (2.0 * questions.max(1) as f64)) * friedman.standard_error();
        Reach { better: Some(far), worse: far }
    };
    match correction {
        Correction::BonferroniDunn => two_sided(questions),
        Correction::Holm => {
            let found = compare_with_control(friedman, control, correction);
            two_sided(questions - found.iter().filter(|comparison| comparison.differs()).count())
        }
        Correction::NsvdistRawOneSided => {
            Reach { better: None, worse: normal_quantile(1.0 - LEVEL) * friedman.standard_error() }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::friedman::tests::script;
    use super::*;

    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-6, "{found} for {wanted}");
    }

    #[test]
    fn bonferroni_dunn_gives_the_numbers_of_the_specification() {
        let found = compare_with_control(&script(), 0, Correction::BonferroniDunn);
        for (comparison, z) in found[1..].iter().zip([1.341_641, 2.124_265, 3.689_512]) {
            near(comparison.z, z);
        }
        for (comparison, p) in found[1..].iter().zip([0.539_137, 0.100_944, 0.000_674]) {
            near(comparison.adjusted, p);
        }
        let far = reach(&script(), 0, Correction::BonferroniDunn);
        near(far.worse, 1.784_367);
        assert_eq!(far.better, Some(far.worse));
    }

    #[test]
    fn quantiles_of_the_table_of_bonferroni_dunn() {
        for (k, q) in (2..).zip([1.960, 2.241, 2.394, 2.498, 2.576, 2.638, 2.690, 2.734, 2.773]) {
            let found = normal_quantile(1.0 - 0.05 / (2.0 * f64::from(k - 1)));
            assert!((found - q).abs() < 6e-4, "{found} for {q}");
        }
    }

    #[test]
    fn holm_multiplies_by_what_is_left_to_ask() {
        // The raw p-values .179712, .033648 and .000225, times 1, 2 and 3.
        let found = compare_with_control(&script(), 0, Correction::Holm);
        for (comparison, p) in found[1..].iter().zip([0.179_712, 0.067_296, 0.000_674]) {
            near(comparison.adjusted, p);
        }
        // A later p-value is never below an earlier one.
        let close = Friedman { mean_ranks: vec![1.0, 2.5, 2.5], ..script() };
        let found = compare_with_control(&close, 0, Correction::Holm);
        assert_eq!(found[1].adjusted, found[2].adjusted);
    }

    #[test]
    fn the_papers_p_values_are_one_sided() {
        let found = compare_with_control(&script(), 3, Correction::NsvdistRawOneSided);
        // The control ranks best, so its opponents' p-values are small: half the two-sided ones.
        near(found[0].adjusted, 0.000_674 / 6.0);
    }

    proptest! {
        /// A mean rank is within reach of the control exactly if the comparison shows no difference, whatever the correction.
        #[test]
        fn reach_and_comparisons_agree(
            blocks in (2..9_usize, 2..25_usize).prop_flat_map(|(methods, blocks)| {
                prop::collection::vec(prop::collection::vec(0..12_u8, methods), blocks)
            }),
            tilt in 0..3_u8,
        ) {
            // Later methods are better in proportion to the tilt, so that there is something to find.
            let score = |(place, score): (usize, &u8)| f64::from(*score) + place as f64 * f64::from(tilt);
            let blocks: Vec<Vec<f64>> =
                blocks.iter().map(|block| block.iter().enumerate().map(score).collect()).collect();
            let friedman = Friedman::of_scores(&blocks).expect("methods and blocks");
            for correction in [Correction::BonferroniDunn, Correction::Holm, Correction::NsvdistRawOneSided] {
                for control in 0..friedman.mean_ranks.len() {
                    let far = reach(&friedman, control, correction);
                    let found = compare_with_control(&friedman, control, correction);
                    for (method, comparison) in found.iter().enumerate() {
                        let apart = friedman.mean_ranks[method] - friedman.mean_ranks[control];
                        let within = apart < far.worse && far.better.is_none_or(|better| -apart < better);
                        prop_assert_eq!(within, !comparison.differs(), "{:?} {} {}", correction, control, method);
                    }
                }
            }
        }
    }
}
