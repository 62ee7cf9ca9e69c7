//! Progress and cancellation of a piece of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, Result};

/// Shows how far a stage of some work is and whether the work is to stop. Clones share one state.
///
/// Working code calls [`Control::check`] from time to time, ideally every 50 ms. So the work ends soon after somebody cancels it
/// or after its deadline, with [`crate::ErrorKind::Interrupted`]; nothing half done is left behind.
#[derive(Debug, Clone, Default)]
pub struct Control {
    state: Arc<State>,
    /// The threads to work on; if there are none, the thread pool of the caller.
    pool: Option<Arc<rayon::ThreadPool>>,
}

#[derive(Debug, Default)]
struct State {
    is_cancelled: AtomicBool,
    deadline: Option<Instant>,
    /// How much of the stage is done, and how much there is in all; 0 if nobody knows.
    done: AtomicU64,
    all: AtomicU64,
    unit: AtomicU8,
    looks: Option<Looks>,
    held: Option<Held>,
    gaps: Option<Gaps>,
}

/// The unit in which work is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Steps of a search or of any other step-by-step work.
    Steps = 0,
    /// Rows of a table.
    Rows = 1,
    /// Bytes of a file, as stored on the disk.
    Bytes = 2,
}

/// Counts the checks, only where somebody wants to know: on many threads, counting costs more than the check.
#[derive(Debug)]
struct Looks {
    most: u64,
    taken: AtomicU64,
}

/// Holds the work at one of its checks. Only tests do that.
struct Held {
    at: u64,
    taken: AtomicU64,
    holds: Box<dyn Fn() -> bool + Send + Sync>,
}

impl std::fmt::Debug for Held {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Held").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Held {
    fn look(&self, is_cancelled: &AtomicBool) {
        if self.taken.fetch_add(1, Ordering::Relaxed) == self.at {
            while !is_cancelled.load(Ordering::Relaxed) && (self.holds)() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

/// Measures the times between checks, only where somebody wants to know.
#[derive(Debug)]
struct Gaps {
    began: Instant,
    /// The time of the last check, and the longest time between two checks, in nanoseconds.
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
    fn of(state: State) -> Self {
        Self { state: Arc::new(state), pool: None }
    }

    /// Returns a control whose work ends at a deadline.
    #[must_use]
    pub fn until(deadline: Instant) -> Self {
        Self::of(State { deadline: Some(deadline), ..State::default() })
    }

    /// Returns a control whose work ends after this many checks, for tests: no time is measured.
    #[must_use]
    pub fn of_looks(most: u64) -> Self {
        Self::of(State { looks: Some(Looks { most, taken: AtomicU64::new(0) }), ..State::default() })
    }

    /// Returns a control whose work waits at one check, counted from 0, until somebody cancels it or `holds` returns false. It is
    /// for tests of cancellation.
    #[must_use]
    pub fn held_at(look: u64, holds: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        let held = Held { at: look, taken: AtomicU64::new(0), holds: Box::new(holds) };
        Self::of(State { held: Some(held), ..State::default() })
    }

    /// Returns a control that measures the longest time between two checks, for benchmarks.
    #[must_use]
    pub fn timed() -> Self {
        let gaps = Gaps { began: Instant::now(), last: AtomicU64::new(0), longest: AtomicU64::new(0) };
        Self::of(State { gaps: Some(gaps), ..State::default() })
    }

    /// Returns the longest time in which no thread checked, since this was last called. The time from the last check until now
    /// counts too.
    #[must_use]
    pub fn longest_gap(&self) -> Duration {
        let Some(gaps) = &self.state.gaps else { return Duration::ZERO };
        gaps.look();
        Duration::from_nanos(gaps.longest.swap(0, Ordering::Relaxed))
    }

    /// The number of checks so far, where they are counted.
    #[must_use]
    pub fn looks(&self) -> u64 {
        self.state.looks.as_ref().map_or(0, |looks| looks.taken.load(Ordering::Relaxed))
    }

    /// Gives the work this many threads of its own. No result depends on their number.
    pub fn on_threads(self, threads: usize) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| {
            Error::resources(format!("cannot start {threads} threads: {error}")).advise("use fewer threads")
        })?;
        Ok(Self { pool: Some(Arc::new(pool)), ..self })
    }

    /// Runs work on the threads of this control.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Asks the work to stop.
    pub fn cancel(&self) {
        self.state.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work is to stop. Once true, this stays true.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        let state = &*self.state;
        if let Some(gaps) = &state.gaps {
            gaps.look();
        }
        if let Some(held) = &state.held {
            held.look(&state.is_cancelled);
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

    /// Returns an error if the work is to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(Error::interrupted()) } else { Ok(()) }
    }

    /// Returns a counter that checks from time to time, for a loop whose rounds are short.
    #[must_use]
    pub fn pace(&self) -> Pace<'_> {
        Pace { control: self, left: STRIDE }
    }

    /// Begins a stage of this many steps; `None` if nobody knows how many.
    pub fn begin(&self, all: Option<u64>) {
        self.begin_in(all, Unit::Steps);
    }

    /// Begins a stage of this much work; `None` if nobody knows how much.
    pub fn begin_in(&self, all: Option<u64>, unit: Unit) {
        self.state.done.store(0, Ordering::Relaxed);
        self.state.all.store(all.unwrap_or(0), Ordering::Relaxed);
        self.state.unit.store(unit as u8, Ordering::Relaxed);
    }

    /// The unit in which the work of the stage is counted.
    #[must_use]
    pub fn unit(&self) -> Unit {
        match self.state.unit.load(Ordering::Relaxed) {
            1 => Unit::Rows,
            2 => Unit::Bytes,
            _ => Unit::Steps,
        }
    }

    /// Adds to the work of the stage that is done.
    pub fn advance(&self, work: u64) {
        self.state.done.fetch_add(work, Ordering::Relaxed);
    }

    /// How much of the stage is done, and how much there is in all, if that is known.
    #[must_use]
    pub fn done(&self) -> (u64, Option<u64>) {
        let all = self.state.all.load(Ordering::Relaxed);
        (self.state.done.load(Ordering::Relaxed), (all > 0).then_some(all))
    }
}

/// The work done between two checks. One unit of it takes up to a few microseconds.
const STRIDE: usize = 1 << 12;

/// Counts work, and checks once in a while whether to stop.
#[derive(Debug)]
pub struct Pace<'a> {
    control: &'a Control,
    left: usize,
}

impl Pace<'_> {
    /// Adds this much work. Returns an error as [`Control::check`] does.
    #[inline]
    pub fn tick(&mut self, work: usize) -> Result<()> {
        if self.left > work {
            self.left -= work;
            return Ok(());
        }
        self.left = STRIDE;
        self.control.check()
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
    fn little_work_is_looked_at_once_in_a_while() {
        let control = Control::of_looks(1);
        let mut pace = control.pace();
        assert!((0..2 * STRIDE - 1).all(|_| pace.tick(1).is_ok()));
        assert!(pace.tick(1).is_err());
        assert!(Control::of_looks(0).pace().tick(STRIDE).is_err(), "much work at once");
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
    fn work_is_held_at_a_look_until_it_is_cancelled_or_let_go() {
        let control = Control::held_at(1, || true);
        let other = control.clone();
        let looks = std::thread::spawn(move || [other.is_cancelled(), other.is_cancelled()]);
        control.cancel();
        // The first check may come before the cancellation; the second waits for it.
        assert!(looks.join().expect("two looks")[1]);
        let control = Control::held_at(0, || false);
        assert!(!control.is_cancelled() && !control.is_cancelled());
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
    fn work_has_threads_of_its_own() {
        let control = Control::until(Instant::now()).on_threads(3).expect("threads");
        assert_eq!(control.run(rayon::current_num_threads), 3);
        assert!(control.is_cancelled(), "the deadline stays");
        let outside = rayon::current_num_threads();
        assert_eq!(Control::default().run(rayon::current_num_threads), outside);
    }

    #[test]
    fn a_stage_is_done_in_parts() {
        let control = Control::default();
        control.begin(Some(10));
        control.advance(4);
        assert_eq!(control.done(), (4, Some(10)));
        control.begin_in(None, Unit::Rows);
        assert_eq!((control.done(), control.unit()), ((0, None), Unit::Rows));
        control.begin(None);
        assert_eq!(control.unit(), Unit::Steps);
    }
}
