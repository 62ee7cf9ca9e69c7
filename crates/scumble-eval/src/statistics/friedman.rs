//! Friedman's test of whether several methods differ over blocks.

use super::SAME;
use super::distributions::{chi_squared_above, f_above};

/// Friedman's test, and the sharper form by Iman and Davenport.
#[derive(Debug, Clone, PartialEq)]
pub struct Friedman {
    /// The mean rank of each method, 1 for the best; methods with equal scores share the mean of their ranks.
    pub mean_ranks: Vec<f64>,
    /// The number of blocks.
    pub blocks: usize,
    /// The statistic, corrected for ties. Everything below follows from it.
    pub chi_squared: f64,
    /// The probability of such a statistic if methods do not differ: chi-squared with methods − 1 degrees of freedom.
    pub p_value: f64,
    /// Iman and Davenport's F, computed from `chi_squared`.
    pub iman_davenport: f64,
    /// The probability of such an F if methods do not differ.
    pub iman_davenport_p: f64,
}

impl Friedman {
    /// Runs the test on scores, block by block, with one score for each method, higher being better. `None` if there are fewer than two
    /// methods or blocks, if blocks have different lengths, or if a score is not a number.
    #[must_use]
    pub fn of_scores(blocks: &[Vec<f64>]) -> Option<Self> {
        let (n, k) = (blocks.len(), blocks.first()?.len());
        let whole = |block: &Vec<f64>| block.len() == k && block.iter().all(|score| !score.is_nan());
        if n < 2 || k < 2 || !blocks.iter().all(whole) {
            return None;
        }
        let mut sums = vec![0.0; k];
        let mut tied = 0.0;
        for block in blocks {
            let ranks = ranks(block);
            sums.iter_mut().zip(&ranks).for_each(|(sum, rank)| *sum += rank);
            tied += ties(block);
        }
        let (n, k) = (n as f64, k as f64);
        let mean_ranks: Vec<f64> = sums.iter().map(|sum| sum / n).collect();
        let squares: f64 = mean_ranks.iter().map(|rank| rank * rank).sum();
        let uncorrected = (12.0 * n / (k * (k + 1.0)) * (squares - k * (k + 1.0).powi(2) / 4.0)).max(0.0);
        // If every block is one tie, there is no difference.
        let part = 1.0 - tied / (n * (k * k * k - k));
        let chi_squared = if part > SAME { uncorrected / part } else { 0.0 };
        let left = n * (k - 1.0) - chi_squared;
        let iman_davenport = if left > SAME { (n - 1.0) * chi_squared / left } else { f64::INFINITY };
        let freedom = blocks[0].len() - 1;
        Some(Self {
            p_value: chi_squared_above(chi_squared, freedom),
            iman_davenport_p: f_above(iman_davenport, (freedom, freedom * (blocks.len() - 1))),
            mean_ranks,
            blocks: blocks.len(),
            chi_squared,
            iman_davenport,
        })
    }

    /// Returns the standard error of a difference of two mean ranks.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        let k = self.mean_ranks.len() as f64;
        (k * (k + 1.0) / (6.0 * self.blocks as f64)).sqrt()
    }
}

/// Returns groups of equal scores from the best to the worst, each as the places of its methods.
fn groups(block: &[f64]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..block.len()).collect();
    order.sort_by(|a, b| block[*b].total_cmp(&block[*a]));
    let equal = |a: &usize, b: &usize| (block[*a] - block[*b]).abs() <= SAME;
    order.chunk_by(equal).map(<[usize]>::to_vec).collect()
}

fn ranks(block: &[f64]) -> Vec<f64> {
    let mut ranks = vec![0.0; block.len()];
    let mut before = 0;
    for group in groups(block) {
        let rank = before as f64 + (group.len() as f64 + 1.0) / 2.0;
        group.iter().for_each(|place| ranks[*place] = rank);
        before += group.len();
    }
    ranks
}

fn ties(block: &[f64]) -> f64 {
    groups(block).iter().map(|group| group.len() as f64).map(|t| t * t * t - t).sum()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Six blocks, four methods, one tie: the ranks of models.md 3.8, as scores.
    pub(in crate::statistics) fn script() -> Friedman {
        let ranks = [
            [4.0, 3.0, 1.5, 1.5],
            [4.0, 3.0, 2.0, 1.0],
            [4.0, 3.0, 2.0, 1.0],
            [4.0, 2.0, 3.0, 1.0],
            [4.0, 2.0, 3.0, 1.0],
            [3.0, 4.0, 2.0, 1.0],
        ];
        let scores: Vec<Vec<f64>> =
            ranks.iter().map(|block| block.iter().map(|rank| 1.0 - rank / 10.0).collect()).collect();
        Friedman::of_scores(&scores).expect("four methods, six blocks")
    }

    #[test]
    fn the_numbers_of_the_specification() {
        let found = script();
        let near = |found: f64, wanted: f64, places: f64| {
            assert!((found - wanted).abs() < places, "{found} for {wanted}");
        };
        for (rank, wanted) in found.mean_ranks.iter().zip([3.8333, 2.8333, 2.25, 1.0833]) {
            near(*rank, wanted, 5e-5);
        }
        near(found.chi_squared, 14.491_525, 5e-7);
        near(found.p_value, 0.002_307, 5e-7);
        // The specification also gives 14.25, without the correction. One pair is tied, so that is 1 - 6/(6 * 60) = 59/60 of this
        // statistic.
        let uncorrected = found.chi_squared * 59.0 / 60.0;
        near(uncorrected, 14.25, 1e-9);
        near(chi_squared_above(uncorrected, 3), 0.002_584, 5e-7);
        // The specification's F of 19.0 belongs to the uncorrected statistic: 5 * 14.25 / (18 - 14.25). The corrected statistic is 855/59,
        // and its F is 5 * 855 / (18 * 59 - 855) = 475/23.
        near(5.0 * uncorrected / (18.0 - uncorrected), 19.0, 1e-9);
        near(found.iman_davenport, 475.0 / 23.0, 1e-9);
        near(found.iman_davenport_p, f_above(475.0 / 23.0, (3, 15)), 1e-12);
        // k = 4, N = 6.
        near(found.standard_error(), 0.745_356, 5e-7);
    }

    #[test]
    fn equal_methods_do_not_differ_and_perfect_order_is_as_sure_as_can_be() {
        let equal = Friedman::of_scores(&[vec![0.5, 0.5], vec![0.7, 0.7]]).expect("two by two");
        assert_eq!((equal.chi_squared, equal.p_value, equal.mean_ranks), (0.0, 1.0, vec![1.5, 1.5]));
        assert_eq!((equal.iman_davenport, equal.iman_davenport_p), (0.0, 1.0));
        // A tie in every block does not hide a perfect order of the rest: the corrected statistic reaches its largest value.
        let tied = Friedman::of_scores(&[vec![0.9, 0.5, 0.5], vec![0.7, 0.2, 0.2]]).expect("three by two");
        assert!((tied.chi_squared - 4.0).abs() < 1e-9, "{}", tied.chi_squared);
        assert_eq!((tied.iman_davenport, tied.iman_davenport_p), (f64::INFINITY, 0.0));
        let sure = Friedman::of_scores(&[vec![0.9, 0.5], vec![0.7, 0.2]]).expect("two by two");
        assert_eq!((sure.iman_davenport, sure.iman_davenport_p), (f64::INFINITY, 0.0));
    }

    #[test]
    fn too_little_is_no_test() {
        assert_eq!(Friedman::of_scores(&[]), None);
        assert_eq!(Friedman::of_scores(&[vec![0.1, 0.2]]), None);
        assert_eq!(Friedman::of_scores(&[vec![0.1], vec![0.2]]), None);
        assert_eq!(Friedman::of_scores(&[vec![0.1, 0.2], vec![0.2]]), None);
        assert_eq!(Friedman::of_scores(&[vec![0.1, f64::NAN], vec![0.2, 0.1]]), None);
    }
}
