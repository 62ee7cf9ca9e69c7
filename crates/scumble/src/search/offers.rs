//! What another algorithm must be like, where one cannot serve.
//!
//! A search does not know which other algorithms there are. So an error says only what is wanted ([`Error::another`](crate::Error::another)); the
//! release knows the registry and the plan, and names the algorithms that serve both. A wish that not every algorithm which serves the
//! plan fulfils is known by its words, which are these.

use crate::search::algorithms::{Algorithm, Reach};

/// Whatever serves the plan.
pub(crate) const SERVING: &str = "use an algorithm that can serve this model";
/// Classes, where records that overlap or several tables do not do.
pub(crate) const CLASSES: &str = "use an algorithm that makes classes";
/// Fewer looks at the rows.
pub(crate) const QUICK: &str = "use a quicker algorithm";
/// Classes that no column's levels decide.
pub(crate) const WITHOUT_LEVELS: &str = "use an algorithm that does not go by levels";
/// One domain for each column without flattening.
pub(crate) const ONE_DOMAIN: &str = "use an algorithm that searches with one domain for each column";
/// Labels that cover the rows of their class.
pub(crate) const WITHOUT_MEANS: &str = "use an algorithm that shows no means";

const ALL: [&str; 5] = [CLASSES, QUICK, WITHOUT_LEVELS, ONE_DOMAIN, WITHOUT_MEANS];

/// Whether an algorithm that makes classes is what these words ask for.
pub(crate) fn fits(words: &str, algorithm: &dyn Algorithm) -> bool {
    match words {
        QUICK => algorithm.capabilities().is_quick,
        WITHOUT_LEVELS => !algorithm.capabilities().needs_trees,
        ONE_DOMAIN => algorithm.capabilities().reach != Reach::Class,
        WITHOUT_MEANS => !algorithm.capabilities().shows_means,
        _ => true,
    }
}

/// Whether records that overlap may be what these words ask for.
pub(crate) fn takes_records(words: &str) -> bool {
    !ALL.contains(&words)
}
