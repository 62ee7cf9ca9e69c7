//! Tests whether a difference means anything: between two methods or several, with intervals and a diagram.
//!
//! * Two methods on one table: [`combined_f_test`] on five times two-fold cross-validation.
//! * Several methods on several blocks (tables, or values of k): [`Friedman`], and then each method against a control, corrected for the
//!   number of comparisons ([`compare_with_control`]).
//! * Two shares of different people: [`larger_share_test`] and [`difference_interval`]. A score that separates two groups:
//!   [`area_under_curve`].
//! * One figure: [`mean_interval`] over repetitions, [`wilson_interval`] of a share.
//!
//! ```
//! use scumble_eval::statistics::{Correction, Friedman, compare_with_control};
//!
//! // Accuracies of three methods on five tables: the first is always best.
//! let blocks: Vec<Vec<f64>> = (0..5).map(|_| vec![0.9, 0.8, 0.7]).collect();
//! let friedman = Friedman::of_scores(&blocks).expect("at least two methods and two blocks");
//! assert_eq!(friedman.mean_ranks, [1.0, 2.0, 3.0]);
//! assert!(friedman.p_value < 0.01);
//! let against_first = compare_with_control(&friedman, 0, Correction::Holm);
//! // In the order of the methods: the third is worse than the first, and five tables do not tell whether the second is.
//! assert!(against_first[2].adjusted < 0.01 && against_first[1].adjusted > 0.05);
//! ```
//!
//! Items here that are not in [`crate::prelude`] may change from version to version.

mod area;
mod diagram;
mod distributions;
mod five_by_two;
mod friedman;
mod interval;
mod posthoc;
mod two_shares;

pub use area::area_under_curve;
pub use diagram::difference_diagram;
pub use five_by_two::{FTest, combined_f_test};
pub use friedman::Friedman;
pub use interval::{Interval, mean_interval, wilson_interval};
pub use posthoc::{Comparison, Correction, Reach, compare_with_control, reach};
pub use two_shares::{SharesTest, difference_interval, larger_share_test};

/// Scores this close are equal: smaller differences are rounding and must not decide a rank.
const SAME: f64 = 1e-9;
