//! Who watches a piece of work, and may end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Tells how far a stage of some work is, and whether it is to stop. Clones are one and the same.
///
/// Whoever works asks [`Control::check`] from time to time, at best every 50 ms. So work ends soon after somebody cancels it, or after its
/// deadline, with [`crate::ErrorKind::Interrupted`]; nothing that is half done is left behind.
#[derive(Debug, Clone, Default)]
pub struct Control(Arc<State>);

#[derive(Debug, Default)]
struct State {
    is_cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// What is done of the stage, and what there is in all; 0 if nobody knows.
    done: AtomicU64,
    all: AtomicU64,
    looks: Option<Looks>,
    gaps: Option<Gaps>,
}

/// Looks are counted only where somebody wants to know: on many threads that costs more than the look.
#[derive(Debug)]
struct Looks {
    most: u64,
    taken: AtomicU64,
}

/// The times between looks are measured only where somebody wants to know.
#[derive(Debug)]
struct Gaps {
    began: Instant,
    /// When somebody looked last, and the longest time between two looks, in nanoseconds.
    last: AtomicU64,
    longest: AtomicU64,
}

impl Gaps {
    fn look(&self) {
        let now = self.began.elapsed().as_nanos() as u64;
        let last = self.last.swap(now, Ordering::Relaxed);
        self.longest.fetch_max(now.saturating_sub(last), Ordering::Relaxed);
    }
}

impl Control {
    /// Work that ends after a point in time.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self(Arc::new(State { deadline: Some(deadline), ..State::default() }))
    }

    /// Work that ends once somebody has looked so often whether it is to end, for tests: no time is measured.
    #[must_use]
    pub fn of_looks(most: u64) -> Self {
        Self(Arc::new(State { looks: Some(Looks { most, taken: AtomicU64::new(0) }), ..State::default() }))
    }

    /// Work of which the longest time between two looks is measured, for benches.
    #[must_use]
    pub fn timed() -> Self {
        let gaps = Gaps { began: Instant::now(), last: AtomicU64::new(0), longest: AtomicU64::new(0) };
        Self(Arc::new(State { gaps: Some(gaps), ..State::default() }))
    }

    /// The longest time for which nobody looked, of all threads together, since this was last asked; that up to now included.
    #[must_use]
    pub fn longest_gap(&self) -> Duration {
        let Some(gaps) = &self.0.gaps else { return Duration::ZERO };
        gaps.look();
        Duration::from_nanos(gaps.longest.swap(0, Ordering::Relaxed))
    }

    /// How often somebody has looked, where looks are counted.
    #[must_use]
    pub fn looks(&self) -> u64 {
        self.0.looks.as_ref().map_or(0, |looks| looks.taken.load(Ordering::Relaxed))
    }

    /// Asks whoever works to stop.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether work is to stop. Once it is, it stays so.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let state = &*self.0;
        if let Some(gaps) = &state.gaps {
            gaps.look();
        }
        let is_over = state.is_cancelled.load(Ordering::Relaxed)
            || state.deadline.is_some_and(|deadline| Instant::now() >= deadline)
            || state
                .looks
                .as_ref()
                .is_some_and(|looks| looks.taken.fetch_add(1, Ordering::Relaxed) >= looks.most);
        if is_over {
            self.cancel();
        }
        is_over
    }

    /// An error if work is to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// A stage of so much work begins; `None` if nobody knows how much.
    pub fn begin(&self, all: Option<u64>) {
        self.0.done.store(0, Ordering::Relaxed);
        self.0.all.store(all.unwrap_or(0), Ordering::Relaxed);
    }

    /// So much more of the stage is done.
    pub fn advance(&self, work: u64) {
        self.0.done.fetch_add(work, Ordering::Relaxed);
    }

    /// What is done of the stage, and what there is in all, if that is known.
    #[must_use]
    pub fn done(&self) -> (u64, Option<u64>) {
        let all = self.0.all.load(Ordering::Relaxed);
        (self.0.done.load(Ordering::Relaxed), (all > 0).then_some(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_when_it_is_cancelled_and_stays_so() {
        let control = Control::default();
        assert!(control.check().is_ok());
        control.clone().cancel();
        assert!(matches!(control.check(), Err(error) if error.kind() == crate::ErrorKind::Interrupted));
        let over = Control::until(Instant::now());
        assert!(over.is_cancelled() && over.is_cancelled());
        assert!(!Control::until(Instant::now() + std::time::Duration::from_secs(3600)).is_cancelled());
    }

    #[test]
    fn looks_are_counted_where_they_matter() {
        let control = Control::of_looks(2);
        assert_eq!(
            [control.is_cancelled(), control.is_cancelled(), control.is_cancelled()],
            [false, false, true]
        );
        assert_eq!((control.looks(), Control::default().looks()), (3, 0));
    }

    #[test]
    fn gaps_are_measured_where_they_matter() {
        let control = Control::timed();
        std::thread::sleep(Duration::from_millis(2));
        assert!(!control.is_cancelled());
        assert!(control.longest_gap() >= Duration::from_millis(2));
        assert_eq!(Control::default().longest_gap(), Duration::ZERO);
    }

    #[test]
    fn a_stage_is_done_in_parts() {
        let control = Control::default();
        control.begin(Some(10));
        control.advance(4);
        assert_eq!(control.done(), (4, Some(10)));
        control.begin(None);
        assert_eq!(control.done(), (0, None));
    }
}
