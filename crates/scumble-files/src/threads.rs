//! The number of threads that work.

use crate::error::{Error, Result};

/// The number of threads to use: 0 means as many as the current thread pool has.
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
    if rayon::current_thread_index().is_none() {
        return Ok(pool.install(work));
    }
    // A thread of one pool that waits for another pool meanwhile takes up other work of its own pool, on top of its stack, and
    // that work may wait again. With many releases at a time the stack overflowed. So a thread outside all pools does the
    // waiting.
    let done = std::thread::scope(|scope| scope.spawn(|| pool.install(work)).join());
    Ok(done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use rayon::prelude::*;

    use super::*;

    thread_local! {
        static DEPTH: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn whoever_waits_takes_up_no_other_work() {
        let deepest = AtomicUsize::new(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let task = |_: usize| {
            let depth = DEPTH.get() + 1;
            DEPTH.set(depth);
            deepest.fetch_max(depth, Ordering::Relaxed);
            let nap = || std::thread::sleep(std::time::Duration::from_millis(2));
            run(1, nap).expect("one thread");
            DEPTH.set(depth - 1);
        };
        pool.install(|| (0..40).into_par_iter().for_each(task));
        assert_eq!(deepest.into_inner(), 1);
    }

    #[test]
    fn a_panic_comes_through() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
        let fails = || pool.install(|| run(1, || -> u8 { panic!("here") }));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(fails)).is_err());
    }
}
