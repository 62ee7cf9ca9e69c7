//! Which algorithms are what an error wishes for.
//!
//! A search does not know which other algorithms there are. So an error says only what is wanted ([`Error::another`](crate::Error::another)); the
//! release knows the registry and the plan, and names the algorithms that serve both.

use crate::error::Wish;
use crate::search::algorithms::{Algorithm, Reach};

/// Whether an algorithm that makes classes is what is wished for.
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
