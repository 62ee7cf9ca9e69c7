//! One tree of a round, grown best leaf first on histograms of slopes.

use super::BoostedTrees;
use super::bins::{Binning, Bins};
use crate::error::Result;
use crate::learner::{GoesOn, check};

/// Added to the curvature of a leaf, so that a leaf of few rows corrects less.
const RIDGE: f64 = 1.0;
/// Added to the curvature of a nominal value when values are ordered by their effect, so that a rare one comes near the middle.
const SMOOTHING: f64 = 10.0;
/// Gains and differences between gains below this are rounding errors.
const SMALL: f64 = 1e-7;

/// A grown tree.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone)]
enum Node {
    Leaf {
        value: f64,
    },
    /// Rows whose bin is marked in `left` go to the node `children[0]`, others to `children[1]`.
    Split {
        column: usize,
        left: Vec<bool>,
        children: [usize; 2],
    },
}

impl Tree {
    /// The correction for a row.
    pub(super) fn value(&self, bins: &[u32]) -> f64 {
        let mut here = 0;
        loop {
            match &self.nodes[here] {
                Node::Leaf { value } => return *value,
                Node::Split { column, left, children } => {
                    here = children[usize::from(!left[bins[*column] as usize])];
                }
            }
        }
    }
}

/// What all trees of one training share.
pub(super) struct Grower<'a> {
    settings: &'a BoostedTrees,
    bins: &'a Bins,
    binned: &'a [Vec<u32>],
    weights: &'a [f64],
    /// Where each column's bins start in a histogram.
    starts: Vec<usize>,
    size: usize,
    /// The factor of a leaf's correction.
    factor: f64,
}

/// The sums of slope, curvature and weight over the rows in a bin or in a leaf.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    slope: f64,
    curvature: f64,
    weight: f64,
}

impl Sums {
    fn plus(self, other: Self) -> Self {
        Self {
            slope: self.slope + other.slope,
            curvature: self.curvature + other.curvature,
            weight: self.weight + other.weight,
        }
    }

    fn minus(self, other: Self) -> Self {
        Self {
            slope: self.slope - other.slope,
            curvature: self.curvature - other.curvature,
            weight: self.weight - other.weight,
        }
    }

    /// Twice the gain of a leaf with these rows.
    fn score(self) -> f64 {
        self.slope * self.slope / (self.curvature + RIDGE)
    }
}

/// A leaf that may still be split.
struct Open {
    node: usize,
    rows: Vec<u32>,
    histogram: Vec<Sums>,
    split: Option<Split>,
}

struct Split {
    gain: f64,
    column: usize,
    left: Vec<bool>,
}

impl<'a> Grower<'a> {
    pub(super) fn new(
        settings: &'a BoostedTrees,
        bins: &'a Bins,
        binned: &'a [Vec<u32>],
        weights: &'a [f64],
        classes: usize,
    ) -> Self {
        let mut size = 0;
        let mut starts = Vec::with_capacity(bins.columns.len());
        for column in &bins.columns {
            starts.push(size);
            size += column.count();
        }
        // Friedman's factor for several classes.
        let factor = settings.rate * (classes.max(2) - 1) as f64 / classes.max(2) as f64;
        Self { settings, bins, binned, weights, starts, size, factor }
    }

    /// Grows a tree for these slopes and curvatures, and adds its corrections to the scores.
    pub(super) fn grow(&self, slopes: &[[f64; 2]], scores: &mut [f64], goes_on: &GoesOn<'_>) -> Result<Tree> {
        let rows: Vec<u32> = (0..slopes.len() as u32).collect();
        let mut nodes = vec![Node::Leaf { value: 0.0 }];
        let histogram = self.histogram(&rows, slopes);
        let mut open = vec![self.open(0, rows, histogram, slopes)];
        while open.len() < self.settings.leaves {
            check(goes_on)?;
            let mut best: Option<(usize, f64)> = None;
            for (place, leaf) in open.iter().enumerate() {
                if let Some(split) = &leaf.split
                    && split.gain > best.map_or(0.0, |(_, gain)| gain) * (1.0 + SMALL)
                {
                    best = Some((place, split.gain));
                }
            }
            let Some((place, _)) = best else { break };
            let Open { node, rows, histogram, split } = open.swap_remove(place);
            let Some(Split { column, left, .. }) = split else { break };
            let goes_left = |row: &u32| left[self.binned[column][*row as usize] as usize];
            let (first, second): (Vec<u32>, Vec<u32>) = rows.iter().partition(|row| goes_left(row));
            // The smaller side is summed; the larger is the difference.
            let first_is_smaller = first.len() <= second.len();
            let small = self.histogram(if first_is_smaller { &first } else { &second }, slopes);
            let large = histogram.iter().zip(&small).map(|(all, part)| all.minus(*part)).collect();
            let [of_first, of_second] = if first_is_smaller { [small, large] } else { [large, small] };
            let children = [nodes.len(), nodes.len() + 1];
            nodes[node] = Node::Split { column, left, children };
            nodes.extend([Node::Leaf { value: 0.0 }, Node::Leaf { value: 0.0 }]);
            open.push(self.open(children[0], first, of_first, slopes));
            open.push(self.open(children[1], second, of_second, slopes));
        }
        for leaf in open {
            let sums = self.sum(&leaf.rows, slopes);
            let value = -self.factor * sums.slope / (sums.curvature + RIDGE);
            nodes[leaf.node] = Node::Leaf { value };
            leaf.rows.iter().for_each(|&row| scores[row as usize] += value);
        }
        Ok(Tree { nodes })
    }

    fn row(&self, row: u32, slopes: &[[f64; 2]]) -> Sums {
        let [slope, curvature] = slopes[row as usize];
        Sums { slope, curvature, weight: self.weights[row as usize] }
    }

    fn sum(&self, rows: &[u32], slopes: &[[f64; 2]]) -> Sums {
        rows.iter().fold(Sums::default(), |sum, &row| sum.plus(self.row(row, slopes)))
    }

    fn histogram(&self, rows: &[u32], slopes: &[[f64; 2]]) -> Vec<Sums> {
        let mut histogram = vec![Sums::default(); self.size];
        for (start, binned) in self.starts.iter().zip(self.binned) {
            for &row in rows {
                let sums = &mut histogram[start + binned[row as usize] as usize];
                *sums = sums.plus(self.row(row, slopes));
            }
        }
        histogram
    }

    fn open(&self, node: usize, rows: Vec<u32>, histogram: Vec<Sums>, slopes: &[[f64; 2]]) -> Open {
        let total = self.sum(&rows, slopes);
        let split = (total.weight >= 2.0 * self.settings.min_weight).then(|| self.split(&histogram, total));
        Open { node, rows, histogram, split: split.flatten() }
    }

    /// Returns the best split of a leaf. The first column wins ties.
    fn split(&self, histogram: &[Sums], total: Sums) -> Option<Split> {
        let mut best: Option<Split> = None;
        for (column, binning) in self.bins.columns.iter().enumerate() {
            let start = self.starts[column];
            let bins = &histogram[start..start + binning.count()];
            for order in orders(binning, bins) {
                self.cut(column, bins, &order, total, &mut best);
            }
        }
        best
    }

    /// Tries each prefix of an order of bins as the left side.
    fn cut(&self, column: usize, bins: &[Sums], order: &[usize], total: Sums, best: &mut Option<Split>) {
        let mut left = Sums::default();
        for (place, &bin) in order.iter().enumerate() {
            left = left.plus(bins[bin]);
            let right = total.minus(left);
            // Weights are whole numbers, so the weight of an empty bin is exactly 0.
            let least = self.settings.min_weight;
            if left.weight < least || right.weight < least || bins[bin].weight == 0.0 {
                continue;
            }
            let gain = left.score() + right.score() - total.score();
            if gain > best.as_ref().map_or(SMALL, |best| best.gain * (1.0 + SMALL)) {
                let mut chosen = vec![false; bins.len()];
                order[..=place].iter().for_each(|&bin| chosen[bin] = true);
                *best = Some(Split { gain, column, left: chosen });
            }
        }
    }
}

/// Returns the orders of bins in which cuts are searched: numbers ascending, with missing values first or last; nominal values by
/// their effect, with missing as one of them.
fn orders(binning: &Binning, bins: &[Sums]) -> Vec<Vec<usize>> {
    match binning {
        Binning::Numeric { .. } => {
            let first: Vec<usize> = (0..bins.len()).collect();
            if bins[0].weight == 0.0 {
                return vec![first];
            }
            vec![first, (1..bins.len()).chain([0]).collect()]
        }
        Binning::Nominal { .. } => {
            // Effects that differ only by rounding are equal, and then the order of the values decides. Adding 0 removes the sign
            // of a zero.
            let effect =
                |bin: &usize| (bins[*bin].slope / (bins[*bin].curvature + SMOOTHING) / SMALL).round() + 0.0;
            let mut order: Vec<usize> = (0..bins.len()).filter(|&bin| bins[bin].weight > 0.0).collect();
            order.sort_by(|a, b| effect(a).total_cmp(&effect(b)));
            vec![order]
        }
    }
}
