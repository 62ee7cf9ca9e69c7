//! How long a search may take, and the one place where it looks whether it is to stop.
//!
//! A search calls [`Progress::check`] at least every 50 ms of work, on every thread: that reports cancellation and the end
//! of the budget. What is released must be a function of the steps alone, so that `--steps` repeats what `--budget` ended. A
//! search that can show something before its end therefore works in steps: it asks [`Budget::is_spent`] before each, and where
//! a check fails within a step, it goes back to where it was before ([`Budget::end_at`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use scumble_files::Control;

use crate::error::{Error, ErrorKind, Result, Setting};

/// How long a search may go on: a number of steps, a time, or both. Clones share one clock.
#[derive(Debug, Clone, Default)]
pub struct Budget(Arc<Clock>);

#[derive(Debug, Default)]
struct Clock {
    steps: Option<u64>,
    limit: Limit,
    /// Whether a search has stopped with something to show; what is left to do is not cut off.
    settled: AtomicBool,
    /// The steps that searches before this one took.
    before: AtomicU64,
    /// The steps taken when it was spent, plus one; 0 while it is not.
    spent: AtomicU64,
    /// The most steps that a search has reported.
    asked: AtomicU64,
}

/// What ends a search besides its steps.
#[derive(Debug, Default)]
enum Limit {
    #[default]
    None,
    Time(Stopwatch),
    /// This many looks at the clock, in place of a time: tests must not depend on one.
    Looks {
        most: u64,
        looked: AtomicU64,
    },
}

/// A clock that stands still while something else than the search is done. All times are nanoseconds.
#[derive(Debug)]
struct Stopwatch {
    epoch: Instant,
    allowed: u64,
    /// What earlier stretches took.
    used: AtomicU64,
    /// When this stretch began, since the epoch; `STOPPED` while it stands still.
    since: AtomicU64,
    /// What the search needs at its end to show what it found.
    reserved: AtomicU64,
}

const STOPPED: u64 = u64::MAX;

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX - 1)
}

impl Stopwatch {
    fn now(&self) -> u64 {
        nanoseconds(self.epoch.elapsed())
    }

    fn is_over(&self) -> bool {
        let since = self.since.load(Ordering::Relaxed);
        if since == STOPPED {
            return false;
        }
        let used = self.used.load(Ordering::Relaxed).saturating_add(self.now().saturating_sub(since));
        used.saturating_add(self.reserved.load(Ordering::Relaxed)) >= self.allowed
    }
}

impl Clock {
    /// Whether the time is over. Once it is, it stays so until the search settles with what it has.
    fn is_over(&self) -> bool {
        match &self.limit {
            Limit::None => false,
            _ if self.settled.load(Ordering::Relaxed) => false,
            Limit::Time(watch) => watch.is_over(),
            Limit::Looks { most, looked } => looked.fetch_add(1, Ordering::Relaxed) >= *most,
        }
    }

    fn spend(&self, steps: u64) {
        let _ = self.spent.compare_exchange(0, steps + 1, Ordering::Relaxed, Ordering::Relaxed);
        self.settled.store(true, Ordering::Relaxed);
    }
}

impl Budget {
    /// A budget of steps and of a time from now on.
    #[must_use]
    pub fn new(steps: Option<u64>, time: Option<Duration>) -> Self {
        let limit = time.map_or(Limit::None, |time| {
            Limit::Time(Stopwatch {
                epoch: Instant::now(),
                allowed: nanoseconds(time),
                used: AtomicU64::new(0),
                since: AtomicU64::new(0),
                reserved: AtomicU64::new(0),
            })
        });
        Self(Arc::new(Clock { steps, limit, ..Clock::default() }))
    }

    /// A budget that ends after this many looks at the clock, for tests: no time is measured.
    #[must_use]
    pub fn of_looks(most: u64) -> Self {
        let limit = Limit::Looks { most, looked: AtomicU64::new(0) };
        Self(Arc::new(Clock { limit, ..Clock::default() }))
    }

    /// How often a search has looked at the clock, where looks are counted.
    #[must_use]
    pub fn looks(&self) -> u64 {
        match &self.0.limit {
            Limit::Looks { looked, .. } => looked.load(Ordering::Relaxed),
            _ => 0,
        }
    }

    /// Stops the clock: what follows is not a search.
    pub fn pause(&self) {
        if let Limit::Time(watch) = &self.0.limit {
            let since = watch.since.swap(STOPPED, Ordering::Relaxed);
            if since != STOPPED {
                watch.used.fetch_add(watch.now().saturating_sub(since), Ordering::Relaxed);
            }
        }
    }

    /// What searches have taken so far, where there is a limit of time.
    #[must_use]
    pub fn used(&self) -> Duration {
        let Limit::Time(watch) = &self.0.limit else { return Duration::ZERO };
        let since = watch.since.load(Ordering::Relaxed);
        let stretch = if since == STOPPED { 0 } else { watch.now().saturating_sub(since) };
        Duration::from_nanos(watch.used.load(Ordering::Relaxed).saturating_add(stretch))
    }

    /// Lets the clock go on for a search that follows another one: its steps are counted on. An error if the budget is spent.
    pub fn go_on(&self) -> Result<()> {
        if self.spent_after().is_some() {
            return Err(out_of_budget());
        }
        self.0.settled.store(false, Ordering::Relaxed);
        self.0.before.store(self.0.asked.load(Ordering::Relaxed), Ordering::Relaxed);
        if let Limit::Time(watch) = &self.0.limit {
            let now = watch.now();
            let _ = watch.since.compare_exchange(STOPPED, now, Ordering::Relaxed, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Keeps back the time that a search needs at its end to show what it found. The longest that was asked for counts.
    pub fn reserve(&self, time: Duration) {
        if let Limit::Time(watch) = &self.0.limit {
            watch.reserved.fetch_max(nanoseconds(time), Ordering::Relaxed);
        }
    }

    /// Whether it ends at all.
    #[must_use]
    pub fn is_limited(&self) -> bool {
        self.0.steps.is_some() || self.is_timed()
    }

    /// Whether it may end within a step, so that a search must be able to go back to where it was before.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        !matches!(self.0.limit, Limit::None)
    }

    /// Whether a search that has taken this many steps, and could show what it has, is to stop. Asked at the same steps in every
    /// run, so that a run stopped by its time is repeated by a budget of the steps that it had taken.
    pub fn is_spent(&self, steps: u64) -> bool {
        let clock = &self.0;
        let steps = self.count(steps);
        let over = clock.spent.load(Ordering::Relaxed) > 0
            || clock.steps.is_some_and(|most| steps >= most)
            || clock.is_over();
        if over {
            clock.spend(steps);
        }
        over
    }

    /// The same for a search that has nothing to show yet, and so is not stopped by time here.
    pub fn has_taken(&self, steps: u64) -> bool {
        let steps = self.count(steps);
        let taken = self.0.steps.is_some_and(|most| steps >= most);
        if taken {
            self.0.spend(steps);
        }
        taken
    }

    fn count(&self, steps: u64) -> u64 {
        let steps = self.0.before.load(Ordering::Relaxed) + steps;
        self.0.asked.fetch_max(steps, Ordering::Relaxed);
        steps
    }

    /// Reports that the search is over: what is left is to show what it found, which is not cut off.
    pub fn settle(&self) {
        self.0.settled.store(true, Ordering::Relaxed);
    }

    /// Ends a search that ran out of time within a step, and has gone back to where it was after this many steps. Any other
    /// error stays one.
    pub fn end_at(&self, steps: u64, error: Error) -> Result<()> {
        if error.kind() != ErrorKind::OutOfBudget {
            return Err(error);
        }
        self.0.spend(self.count(steps));
        Ok(())
    }

    /// The most steps that this search has reported: a local search that follows it counts on from here.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.0.asked.load(Ordering::Relaxed) - self.0.before.load(Ordering::Relaxed)
    }

    /// The steps that had been taken when the budget was spent, if it was.
    #[must_use]
    pub fn spent_after(&self) -> Option<u64> {
        self.0.spent.load(Ordering::Relaxed).checked_sub(1)
    }
}

/// Progress of a search, shared with the code that watches it.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    control: Control,
    /// The budget that ends the search, if one does.
    budget: Option<Budget>,
}

impl From<Control> for Progress {
    fn from(control: Control) -> Self {
        Self { control, budget: None }
    }
}

impl Progress {
    /// Who watches the whole run.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// Reports that `steps` more are done.
    pub fn advance(&self, steps: u64) {
        self.control.advance(steps);
    }

    /// Asks the search to stop.
    pub fn cancel(&self) {
        self.control.cancel();
    }

    /// The same, for a search that stops when this budget is over.
    #[must_use]
    pub fn within(self, budget: &Budget) -> Self {
        Self { budget: budget.is_timed().then(|| budget.clone()), ..self }
    }

    /// An error if the search was asked to stop, or its time is over. Costs some 30 ns.
    pub fn check(&self) -> Result<()> {
        self.control.check()?;
        match &self.budget {
            Some(budget) if budget.0.is_over() => Err(out_of_budget()),
            _ => Ok(()),
        }
    }

    /// Checks from time to time in a loop over little work.
    #[must_use]
    pub fn pace(&self) -> Pace<'_> {
        Pace { progress: self, left: STRIDE }
    }
}

/// So much work is done between two checks; a unit of it takes up to a microsecond.
const STRIDE: usize = 1 << 13;

/// Counts work, and checks the progress once in a while.
#[derive(Debug)]
pub struct Pace<'a> {
    progress: &'a Progress,
    left: usize,
}

impl Pace<'_> {
    /// Reports that this much work was done; an error as of [`Progress::check`].
    #[inline]
    pub fn tick(&mut self, work: usize) -> Result<()> {
        if self.left > work {
            self.left -= work;
            return Ok(());
        }
        self.left = STRIDE;
        self.progress.check()
    }
}

/// The error of a search that had nothing to publish when its budget was spent.
pub(crate) fn out_of_budget() -> Error {
    Error::new(
        ErrorKind::OutOfBudget,
        "the budget was spent before the search had found anything that could be published, so nothing was released",
    )
    .set(Setting::search("budget"), "give the search more time")
    .set(Setting::search("steps"), "give the search more steps")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_with_nothing_to_show_gives_up() {
        let hour = Budget::new(None, Some(Duration::from_secs(3600)));
        assert!(Progress::default().within(&hour).check().is_ok());
        let none = Budget::new(None, Some(Duration::ZERO));
        let over = Progress::default().within(&none).check();
        assert!(
            matches!(&over, Err(error) if error.kind() == ErrorKind::OutOfBudget && error.to_string().contains("([algorithm] budget)"))
        );
    }

    #[test]
    fn a_budget_of_time_tells_the_steps_that_repeat_it() {
        let none = Budget::default();
        assert!(!none.is_spent(u64::MAX - 1));
        assert_eq!(none.spent_after(), None);
        let timed = Budget::new(None, Some(Duration::ZERO));
        assert!(timed.is_spent(7) && timed.is_spent(9));
        assert_eq!(timed.spent_after(), Some(7));
        let again = Budget::new(timed.spent_after(), None);
        assert!(!again.is_spent(6) && again.is_spent(7));
    }

    #[test]
    fn what_is_left_to_do_is_not_cut_off() {
        let budget = Budget::of_looks(2);
        let progress = Progress::default().within(&budget);
        assert!(progress.check().is_ok() && !budget.is_spent(0));
        let over = progress.check().expect_err("two looks");
        assert!(progress.check().is_err(), "it stays over");
        budget.end_at(5, over).expect("something to show");
        assert_eq!(budget.spent_after(), Some(5));
        assert!(progress.check().is_ok());
        assert!(budget.is_spent(6), "no further step");
        assert!(budget.go_on().is_err(), "no further search");
        assert!(budget.end_at(5, Error::interrupted()).is_err());
    }

    #[test]
    fn a_cancelled_search_stops_at_every_check() {
        let progress = Progress::default();
        let mut pace = progress.pace();
        progress.cancel();
        assert!(matches!(progress.check(), Err(error) if error.kind() == ErrorKind::Interrupted));
        assert!((0..=STRIDE).any(|_| pace.tick(1).is_err()));
    }

    /// A second search counts on: its 3 steps after 10 are 13, and 13 end it there, not in the first.
    #[test]
    fn searches_that_follow_each_other_share_one_budget() {
        let run = |budget: &Budget| {
            let first = (0..=10).find(|steps| budget.is_spent(*steps));
            if first.is_some() {
                return (first, None);
            }
            budget.go_on().expect("something is left");
            (None, (0..=10).find(|steps| budget.is_spent(*steps)))
        };
        let timed = Budget::of_looks(11 + 3);
        assert_eq!(run(&timed), (None, Some(3)));
        assert_eq!(timed.spent_after(), Some(13));
        assert_eq!(run(&Budget::new(Some(13), None)), (None, Some(3)));
    }

    #[test]
    fn a_clock_that_stands_still_ends_nothing() {
        let budget = Budget::new(None, Some(Duration::from_secs(3600)));
        budget.reserve(Duration::from_secs(3600));
        budget.pause();
        assert!(!budget.is_spent(0));
        budget.go_on().expect("not spent");
        assert!(budget.is_spent(1));
    }
}
