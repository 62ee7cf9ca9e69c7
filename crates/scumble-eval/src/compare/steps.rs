//! Counts and reports the steps that are done.

use std::sync::Mutex;

use super::run::Told;

/// Counts the steps that are done and reports them.
pub(super) struct Steps<'a> {
    told: Mutex<Told>,
    tell: &'a (dyn Fn(Told) + Sync),
}

impl<'a> Steps<'a> {
    /// Starts with this many steps to do.
    pub(super) fn new(all: usize, tell: &'a (dyn Fn(Told) + Sync)) -> Self {
        let steps = Self { told: Mutex::new(Told { done: 0, all }), tell };
        steps.add(0);
        steps
    }

    /// Counts more steps as done.
    pub(super) fn add(&self, more: usize) {
        self.change(|told| told.done += more);
    }

    /// Adds steps that were not known before.
    pub(super) fn expect(&self, more: usize) {
        self.change(|told| told.all += more);
    }

    fn change(&self, change: impl FnOnce(&mut Told)) {
        if let Ok(mut told) = self.told.lock() {
            change(&mut told);
            (self.tell)(*told);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_found_on_the_way_counts_too() {
        let seen = Mutex::new(Vec::new());
        let tell = |told: Told| seen.lock().expect("nobody panics").push((told.done, told.all));
        let steps = Steps::new(3, &tell);
        steps.add(2);
        steps.expect(4);
        assert_eq!(*seen.lock().expect("nobody panics"), [(0, 3), (2, 3), (2, 7)]);
    }
}
