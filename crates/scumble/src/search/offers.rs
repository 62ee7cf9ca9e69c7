//! Which algorithms fit the wish of an error.
//!
//! A search does not know which other algorithms exist, so its errors only say what is wanted ([`Error::another`](crate::Error::another)). The
//! release knows the registry and the plan, and names the algorithms that fit the wish and the plan.

use crate::error::Wish;
use crate::search::algorithms::{Algorithm, Reach};

/// Whether an algorithm that makes classes fits a wish.
pub(crate) fn fits(wish: Wish, algorithm: &dyn Algorithm) -> bool {
    let can = algorithm.capabilities();
    match wish {
        Wish::Serving | Wish::Classes => true,
        Wish::Quick => can.is_quick,
        Wish::WithoutLevels => !can.needs_trees,
        Wish::OneDomain => can.reach != Reach::Class,
        Wish::WithoutMeans => !can.shows_means,
    }
}
