//! The one place where panics inside the libraries that decode files become errors.
//!
//! On damaged files some decoders return errors and others panic. Lengths are checked before a decoder sees them, but a decoder has
//! far more ways to fail than can be checked from outside, so this is the last line of defence.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static DECODING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in a decoder whose panics are caught and turned into errors. A panic hook can then stay silent.
#[must_use]
pub fn is_decoding() -> bool {
    DECODING.get()
}

/// Runs a step of decoding. Returns `None` if it panicked.
pub(crate) fn caught<T>(step: impl FnOnce() -> T) -> Option<T> {
    DECODING.set(true);
    let decoded = catch_unwind(AssertUnwindSafe(step));
    DECODING.set(false);
    decoded.ok()
}
