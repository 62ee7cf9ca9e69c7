//! Counts what is done.

use std::sync::Mutex;

use super::run::Told;

/// Counts what is done, and says so.
pub(super) struct Steps<'a> {
    told: Mutex<Told>,
    tell: &'a (dyn Fn(Told) + Sync),
}

impl<'a> Steps<'a> {
    /// With so many steps to do.
    pub(super) fn new(all: usize, tell: &'a (dyn Fn(Told) + Sync)) -> Self {
        let steps = Self { told: Mutex::new(Told { done: 0, all }), tell };
        steps.add(0);
        steps
    }

    /// More steps are done.
    pub(super) fn add(&self, more: usize) {
        self.change(|told| told.done += more);
    }

    /// More steps are to be done than were known.
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
