//! Runs pieces of work side by side that are themselves parallel.
//!
//! A pool thread that waits for a part of its own work takes up other work of the pool. If whole releases were given to
//! the pool, one thread would start a release in the middle of another, while the other's time budget runs, and nest
//! them so deep that the stack overflows. So each piece has a thread of its own that waits for it, and only the parts
//! of a piece go to the pool.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use scumble::{Error, Result};
use scumble_files::Control;

/// Does a piece of work for each item, several at a time, and returns the results in the order of the items. No piece
/// starts after an error. If several fail, the error of the first item is returned.
pub(crate) fn abreast<I: Sync, T: Send>(
    items: &[I],
    control: &Control,
    work: impl Fn(&I) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let threads = control.run(rayon::current_num_threads).min(items.len());
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Vec<Mutex<Option<Result<T>>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let take = || {
        while !failed.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let (Some(item), Some(slot)) = (items.get(place), done.get(place)) else { return };
            let found = control.run(|| work(item));
            failed.fetch_or(found.is_err(), Ordering::Relaxed);
            if let Ok(mut slot) = slot.lock() {
                *slot = Some(found);
            }
        }
    };
    std::thread::scope(|scope| {
        // This thread is one of the workers. If no more threads can be started, fewer share the work.
        for number in 1..threads {
            let thread = std::thread::Builder::new().name(format!("release {number}"));
            if thread.spawn_scoped(scope, take).is_err() {
                break;
            }
        }
        take();
    });
    let mut found = Vec::with_capacity(items.len());
    let mut cut_short = false;
    for slot in done {
        match slot.into_inner().ok().flatten() {
            Some(result) => found.push(result?),
            None => cut_short = true,
        }
    }
    match cut_short {
        true => Err(Error::internal("a piece of work was not done, and nobody says why")),
        false => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work that divides itself, as releases do: sums up the numbers from 0 to the item in parallel.
    fn sum(to: &u64) -> Result<u64> {
        use rayon::prelude::*;
        Ok((0..=*to).into_par_iter().sum())
    }

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..200).collect();
        let wanted: Vec<u64> = items.iter().map(|to| to * (to + 1) / 2).collect();
        for threads in [1, 2, 5] {
            let control = Control::default().on_threads(threads).expect("threads");
            assert_eq!(abreast(&items, &control, sum).expect("sums"), wanted);
        }
        assert_eq!(abreast(&items, &Control::default(), sum).expect("sums"), wanted);
        assert_eq!(abreast(&[], &Control::default(), sum).expect("nothing"), [0; 0]);
    }

    #[test]
    fn nothing_is_begun_after_an_error() {
        let begun = AtomicUsize::new(0);
        let work = |item: &u64| {
            begun.fetch_add(1, Ordering::Relaxed);
            if *item >= 3 { Err(Error::config(format!("item {item}"))) } else { Ok(*item) }
        };
        let items: Vec<u64> = (0..1_000).collect();
        let control = Control::default().on_threads(1).expect("a thread");
        let error = abreast(&items, &control, work).expect_err("the fourth fails");
        assert_eq!((error.to_string().as_str(), begun.load(Ordering::Relaxed)), ("item 3", 4));
    }

    /// No thread starts a piece in the middle of another: there are never more pieces under way than threads.
    #[test]
    fn pieces_are_not_nested() {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = |to: &u64| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let found = sum(to);
            now.fetch_sub(1, Ordering::SeqCst);
            found
        };
        let items = vec![20_000_u64; 100];
        let threads = rayon::current_num_threads();
        abreast(&items, &Control::default(), work).expect("sums");
        assert!(most.load(Ordering::SeqCst) <= threads, "{} at a time", most.load(Ordering::SeqCst));
    }
}
