//! Searches for the least k with which an algorithm keeps the limits.
//!
//! A larger k costs detail, so of an algorithm's releases the one with the least k within the limits is the one to take. The limit on the
//! person worst off gives the first k; what can be inferred may need a larger one. Algorithms are heuristics, so a larger k does not always
//! reveal less: the search finds a k within the limits next to one that is not.

use scumble::config::Plan;

use super::limits::Limits;
use super::request::least_k;

/// A release needs at least two groups to show anything.
const GROUPS: u64 = 2;

/// How often k is doubled beyond the ladder if no k on it keeps the limits.
const DOUBLINGS: u32 = 4;

/// Returns the values of k that are tried first unless the request names others: the least that can keep the limits and the plan, two
/// smaller ones that show what more risk would buy, and two larger ones that show what less risk costs. None is below the plan.
#[must_use]
pub fn ladder(plan: &Plan, limits: &Limits, rows: u64) -> Vec<u64> {
    let own = least_k(plan);
    let base = base(plan, limits);
    let floor = own.unwrap_or(2);
    // A step that is close to the plan's own k shows nothing new.
    let is_apart = |k: &u64| own.is_none_or(|own| *k == own || 2 * *k >= 3 * own);
    let steps = [base / 4, base / 2, base, base.saturating_mul(2), base.saturating_mul(4)];
    let mut ks: Vec<u64> = steps
        .into_iter()
        .filter(is_apart)
        .filter(|k| *k >= floor && k.saturating_mul(GROUPS) <= rows)
        .chain(own)
        .collect();
    if ks.is_empty() {
        ks.push(floor);
    }
    ks.sort_unstable();
    ks.dedup();
    ks
}

/// Returns the least k that can keep the limits and the plan.
fn base(plan: &Plan, limits: &Limits) -> u64 {
    limits.least_k().unwrap_or(u64::MAX).max(least_k(plan).unwrap_or(2)).max(2)
}

/// A release by one algorithm with one k.
#[derive(Debug, Clone, Copy)]
pub(super) struct Attempt {
    pub(super) k: u64,
    /// Whether the limits are kept.
    pub(super) kept: bool,
    pub(super) loss: f64,
}

/// The range in which k is searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    /// No smaller k can keep the limits and the plan.
    least: u64,
    /// No larger k is tried.
    most: u64,
}

impl Range {
    pub(super) fn of(plan: &Plan, limits: &Limits, rows: u64) -> Self {
        let least = base(plan, limits);
        let top = least.saturating_mul(4).saturating_mul(1 << DOUBLINGS);
        Self { least, most: top.min(rows / GROUPS) }
    }

    /// Returns the k to try next for an algorithm, given its attempts so far; `best` is the least known loss within the limits of any
    /// algorithm.
    pub(super) fn next(self, made: &[Attempt], best: Option<f64>) -> Option<u64> {
        let pass = made.iter().filter(|of| of.kept).min_by_key(|of| of.k);
        let below = |of: &&Attempt| pass.is_none_or(|pass| of.k < pass.k);
        let fail = made.iter().filter(|of| !of.kept).filter(below).max_by_key(|of| of.k)?;
        // A larger k loses no less, so it cannot win. And a release that shows nothing cannot lose more.
        if fail.loss >= best.unwrap_or(1.0) {
            return None;
        }
        let low = fail.k.max(self.least.saturating_sub(1));
        match pass {
            None => Some(fail.k.saturating_mul(2).max(self.least)).filter(|k| *k <= self.most),
            Some(pass) if pass.k - low.min(pass.k) <= 1 => None,
            Some(pass) => Some(low + (pass.k - low) / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &str) -> Plan {
        let text = format!("input = \"a.csv\"\noutput = \"b.csv\"\n[columns.age]\nrole = \"quasi\"\n{more}");
        Plan::from_toml(&text, "plan").expect("a plan")
    }

    #[test]
    fn the_ladder_stands_on_the_limit_and_the_plan() {
        let at = |risk: f64| Limits { risk, ..Limits::default() };
        let free = plan("");
        assert_eq!(ladder(&free, &Limits::default(), 1_000), [3, 6, 12, 24, 48]);
        assert_eq!(ladder(&free, &at(0.2), 1_000), [2, 5, 10, 20]);
        assert_eq!(ladder(&free, &at(1.0 / 3.0), 1_000), [3, 6, 12]);
        assert_eq!(ladder(&free, &at(0.09), 30), [3, 6, 12], "two groups must fit");
        assert_eq!(ladder(&free, &at(0.0), 30), [2], "no k is enough");
        let own = |k: u64| plan(&format!("[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n"));
        assert_eq!(ladder(&own(5), &at(0.09), 1_000), [5, 12, 24, 48]);
        assert_eq!(ladder(&own(2), &at(0.09), 1_000), [2, 3, 6, 12, 24, 48]);
        assert_eq!(ladder(&own(20), &at(0.09), 1_000), [20, 40, 80], "nothing below the plan");
    }

    /// Searches for an algorithm that keeps the limits from `enough` on and has a loss of k/1000. Returns the values of k tried after the
    /// ladder.
    fn searched(enough: u64, made: &[u64], rows: u64, best: Option<f64>) -> Vec<u64> {
        let range = Range::of(&plan(""), &Limits::default(), rows);
        let attempt = |k: &u64| Attempt { k: *k, kept: *k >= enough, loss: *k as f64 / 1e3 };
        let mut made: Vec<Attempt> = made.iter().map(attempt).collect();
        let before = made.len();
        while let Some(k) = range.next(&made, best) {
            made.push(attempt(&k));
        }
        made[before..].iter().map(|of| of.k).collect()
    }

    #[test]
    fn the_least_k_is_found_by_bisection() {
        const LADDER: [u64; 5] = [3, 6, 12, 24, 48];
        assert_eq!(searched(12, &LADDER, 1_000, None), [0; 0], "the limit alone needs 12");
        assert_eq!(searched(17, &LADDER, 1_000, None), [18, 15, 16, 17]);
        assert_eq!(searched(5, &LADDER, 1_000, None), [0; 0], "groups turned out larger than was asked for");
        // Beyond the ladder k is doubled, then bisected.
        let far = searched(130, &LADDER, 1_000, None);
        assert_eq!(&far[..2], [96, 192]);
        assert_eq!(far.last(), Some(&130));
        assert_eq!(searched(600, &LADDER, 1_000, None), [96, 192, 384], "two groups must fit");
        assert_eq!(searched(1 << 40, &LADDER, 1 << 50, None), [96, 192, 384, 768], "not for ever");
    }

    #[test]
    fn what_cannot_win_is_not_searched() {
        assert_eq!(searched(17, &[12, 24], 1_000, Some(0.011)), [0; 0]);
        assert_eq!(searched(17, &[12, 24], 1_000, Some(0.020)), [18, 15, 16, 17]);
    }
}
