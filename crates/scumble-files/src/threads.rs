//! How many threads work.

use crate::error::{Error, Result};

/// The number of threads that is meant: 0 means as many as the current thread pool has.
pub(crate) fn count(threads: usize) -> usize {
    if threads == 0 { rayon::current_num_threads() } else { threads }
}

/// Runs parallel work on that many threads.
pub(crate) fn run<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    if threads == 0 || threads == rayon::current_num_threads() {
        return Ok(work());
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| Error::resources(format!("cannot start {threads} threads: {error}")))?;
    Ok(pool.install(work))
}
