//! Trees small enough to be grown by hand.
