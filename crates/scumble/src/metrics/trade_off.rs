//! Information about the class that is lost, and what it buys (Wang, Yu, Chakraborty 2004; models.md 2.9). Bottom-up
//! generalisation chooses its merges by this; here it is the figure of a whole release against its original.

use super::Metric;
use crate::base::entry::{Entry, Standing};
use crate::config::StarPolicy;
use crate::metrics::contingency::{TIE, entropy};
use crate::problem::Problem;
use crate::recoding::published::{ClassView, Classes};

/// What is lost.
pub(crate) const INFORMATION: Entry<&'static dyn Metric> = Entry {
    name: "information_loss",
    title: "information about the class label that is lost",
    paper: "Wang, Yu, Chakraborty 2004",
    standing: Standing::Classic,
    about: "How many bits of information about the class label are gone: its mean entropy within the released groups, minus that within \
            groups of rows that were equal in the original. Needs a class column.",
    parameters: &[],
    build: &TradeOff { quotient: false },
};

/// What is lost for each row that the smallest class has grown by.
pub(crate) const QUOTIENT: Entry<&'static dyn Metric> = Entry {
    name: "information_trade_off",
    title: "information lost per anonymity gained (IP)",
    paper: "Wang, Yu, Chakraborty 2004",
    standing: Standing::Classic,
    about: "The information about the class column that is lost, over the rows by which the smallest group has grown. Infinite where \
            information was lost and the smallest group has not grown. Needs a class column.",
    parameters: &[],
    build: &TradeOff { quotient: true },
};

struct TradeOff {
    quotient: bool,
}

impl Metric for TradeOff {
    fn measure(&self, classes: &Classes, problem: &Problem) -> Option<f64> {
        let lost = lost(classes, problem, problem.class?);
        if self.quotient { Some(quotient(lost, gained(classes, problem)?)) } else { Some(lost) }
    }

    fn details(&self, classes: &Classes, problem: &Problem) -> Vec<(&'static str, f64)> {
        let Some((class, gained)) = problem.class.zip(gained(classes, problem)).filter(|_| self.quotient)
        else {
            return Vec::new();
        };
        vec![("information", lost(classes, problem, class)), ("anonymity", gained as f64)]
    }

    /// Merging rows never reveals more about their labels, and suppressed rows are one more class. A quotient may fall while both
    /// its parts grow.
    fn worsens(&self) -> bool {
        !self.quotient
    }
}

/// I / P. Nothing lost costs nothing; a loss that buys nothing is infinitely dear.
fn quotient(lost: f64, gained: i64) -> f64 {
    match gained {
        1.. => lost / gained as f64,
        _ if lost <= TIE => 0.0,
        _ => f64::INFINITY,
    }
}

/// The mean entropy of the label within what a row shows, less that within its original values. Suppressed rows show the same.
fn lost(classes: &Classes, problem: &Problem, class: usize) -> f64 {
    let (table, payloads) = (&problem.table, problem.table.payloads());
    let mut tally = Vec::new();
    let mut bits = |view: &ClassView<'_>| {
        view.tally(class, &mut tally);
        view.size as f64 * entropy(tally.iter().map(|(_, rows)| *rows))
    };
    let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
    let mut after: f64 = kept.map(|class| bits(&classes.view(class, payloads))).sum();
    after += bits(&classes.star(payloads));
    let before: f64 = (0..table.tuples() as u32)
        .map(|tuple| bits(&ClassView { size: table.weight(tuple), cells: table.cells(tuple), payloads }))
        .sum();
    ((after - before) / table.rows().max(1) as f64).max(0.0)
}

/// The rows by which the smallest class has grown; suppressed rows that stay are a class. `None` without any class.
fn gained(classes: &Classes, problem: &Problem) -> Option<i64> {
    let table = &problem.table;
    let kept =
        (0..classes.len()).filter(|class| !classes.is_suppressed(*class)).map(|class| classes.size(class));
    let star = Some(classes.suppressed_rows()).filter(|rows| *rows > 0 && classes.policy != StarPolicy::Drop);
    let after = kept.chain(star).min()?;
    let before = (0..table.tuples() as u32).map(|tuple| table.weight(tuple)).min()?;
    Some(after as i64 - before as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quotient_of_the_specification() {
        // Three yes and one no, one yes and three no: 0.188722 bits lost; the smallest class grows from 2 to 5.
        let lost = 1.0 - entropy([3, 1].into_iter());
        assert!((lost - 0.188722).abs() < 1e-6);
        assert!((quotient(lost, 3) - 0.062907).abs() < 1e-6);
        // The difference of bits and rows, which the page warns of.
        assert!((lost - 3.0 + 2.811278).abs() < 1e-6);
        assert_eq!(quotient(lost, 0), f64::INFINITY);
        assert_eq!(quotient(lost, -1), f64::INFINITY);
        assert_eq!(quotient(0.0, 0), 0.0);
    }
}
