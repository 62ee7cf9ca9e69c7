//! Small tables that look like the real world, made by code.

mod customers;
mod geodata;
mod german;
mod hospital;
mod sensors;
mod survey;

pub(crate) use customers::customers;
pub(crate) use geodata::geodata;
pub(crate) use german::german;
pub(crate) use hospital::hospital;
pub(crate) use sensors::sensors;
pub(crate) use survey::survey;

/// Repeatable random numbers; good enough for a test.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// From 0 to below a bound.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = crate::common::next_random(self.0);
        (self.0 >> 33) % bound
    }

    /// From the first to the last, both included.
    pub(crate) fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// Roughly bell-shaped, from the first to the last.
    pub(crate) fn bell(&mut self, first: u64, last: u64) -> u64 {
        let third = (last - first) / 3;
        first + self.below(third + 1) + self.below(third + 1) + self.below(last - first - 2 * third + 1)
    }

    pub(crate) fn one_of<'a>(&mut self, values: &[&'a str]) -> &'a str {
        values[self.below(values.len() as u64) as usize]
    }
}
