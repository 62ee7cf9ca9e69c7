//! What is lost: figures on what would be published.

use crate::problem::Problem;
use crate::published::Published;

pub mod average_class;
pub mod classification;
pub mod discernibility;
pub mod information;
pub mod loss;
pub mod precision;

/// A figure on a release.
pub trait Metric: Send + Sync {
    /// The figure; `None` where it is not defined (no class column, no class left, no levels).
    fn measure(&self, published: &Published, problem: &Problem) -> Option<f64>;
    /// Whether less is better.
    fn lower_is_better(&self) -> bool {
        true
    }
}
