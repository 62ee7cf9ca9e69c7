//! Class-aware cuts by the minimum description length principle (Fayyad and Irani 1993).
//!
//! The best cut of a range of values is the one that leaves the least class entropy. It is kept if the
//! gain pays for describing it, and both sides are then cut in turn. The cuts of the first `d` rounds
//! form one level, so the tree grows from the most telling cut downward.

use super::domain::{Built, Domain};
use super::intervals::{flat, label_span, nest};
use super::nested::level_of_cuts;
use super::tree::Provenance;
use crate::error::{Error, Result, Setting};

/// Scores that differ by less are equal; the lower cut then wins.
const TIE: f64 = 1e-12;

/// A cut of a range of values: what it gains, and what it must gain to be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cut {
    place: usize,
    gain: f64,
    threshold: f64,
}

/// The class-aware hierarchy of a column of numbers or dates.
pub(super) fn build(domain: &Domain) -> Result<Built> {
    let numbers = domain.numbers("mdlp")?;
    let classes = domain.classes.ok_or_else(|| {
        Error::config("'mdlp' chooses cuts that separate the classes, and no column has the role class")
            .in_column(domain.name)
            .set(Setting::role("class"), "name the class column")
            .set(
                Setting::column("hierarchy").of(&[domain.name]),
                "build the hierarchy by equal_width or equal_frequency",
            )
    })?;
    let cuts = accepted_cuts(&numbers, classes);
    let Some(rounds) = cuts.iter().map(|(round, _)| round + 1).max() else {
        let mut built = flat(domain)?;
        built.notes.push(format!(
            "column '{}': no cut tells the classes apart well enough for 'mdlp', so its hierarchy is only \
             value and '*'",
            domain.name
        ));
        return Ok(built);
    };
    let span = label_span(domain, &numbers)?;
    let level = |round: usize| {
        let kept = cuts.iter().filter(|cut| cut.0 <= round).map(|cut| cut.1);
        let mut starts: Vec<usize> = std::iter::once(0).chain(kept).collect();
        starts.sort_unstable();
        level_of_cuts(&domain.measure, &numbers, span, starts)
    };
    nest(domain, (0..rounds).rev().map(level).collect(), Provenance::FromData)
}

/// The first value of each interval that the cuts that pay leave, ascending.
pub(crate) fn class_aware_starts(numbers: &[i128], classes: &[Vec<u64>]) -> Vec<usize> {
    let cuts = accepted_cuts(numbers, classes).into_iter().map(|(_, place)| place);
    let mut starts: Vec<usize> = std::iter::once(0).chain(cuts).collect();
    starts.sort_unstable();
    starts
}

/// The cuts that pay, as (round of cutting, place of the first value after the cut).
fn accepted_cuts(numbers: &[i128], classes: &[Vec<u64>]) -> Vec<(usize, usize)> {
    let mut cuts = Vec::new();
    let mut waiting = vec![(0, 0, numbers.len())];
    while let Some((round, from, to)) = waiting.pop() {
        if let Some(cut) = best_cut(numbers, classes, from, to).filter(|cut| cut.gain > cut.threshold) {
            cuts.push((round, cut.place));
            waiting.push((round + 1, from, cut.place));
            waiting.push((round + 1, cut.place, to));
        }
    }
    cuts
}

/// The cut between different numbers in `from..to` that leaves the least class entropy.
fn best_cut(numbers: &[i128], classes: &[Vec<u64>], from: usize, to: usize) -> Option<Cut> {
    let width = classes.iter().map(Vec::len).max().unwrap_or(0);
    let mut right = vec![0_u64; width];
    for counts in &classes[from..to] {
        add(&mut right, counts);
    }
    let whole = Side::of(&right);
    let mut left = vec![0_u64; width];
    let mut best: Option<(f64, usize, Side, Side)> = None;
    for place in from + 1..to {
        add(&mut left, &classes[place - 1]);
        for (rest, moved) in right.iter_mut().zip(&classes[place - 1]) {
            *rest -= moved;
        }
        if numbers[place - 1] == numbers[place] {
            continue;
        }
        let (before, after) = (Side::of(&left), Side::of(&right));
        let remaining = (before.rows * before.entropy + after.rows * after.entropy) / whole.rows;
        if best.is_none_or(|(least, ..)| remaining < least - TIE) {
            best = Some((remaining, place, before, after));
        }
    }
    let (remaining, place, before, after) = best?;
    let lost =
        whole.classes * whole.entropy - before.classes * before.entropy - after.classes * after.entropy;
    let description = (3_f64.powf(whole.classes) - 2.0).log2() - lost;
    let threshold = ((whole.rows - 1.0).log2() + description) / whole.rows;
    Some(Cut { place, gain: whole.entropy - remaining, threshold })
}

/// Rows, classes that occur, and class entropy in bits of one side of a cut.
#[derive(Debug, Clone, Copy)]
struct Side {
    rows: f64,
    classes: f64,
    entropy: f64,
}

impl Side {
    fn of(counts: &[u64]) -> Self {
        let present = || counts.iter().filter(|count| **count > 0).map(|count| *count as f64);
        let rows: f64 = present().sum();
        let entropy = present().map(|count| -(count / rows) * (count / rows).log2()).sum();
        Self { rows, classes: present().count() as f64, entropy }
    }
}

fn add(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level};
    use super::*;
    use crate::table::kind::Kind;

    /// One value per letter, each with one row of class `n` or `y`.
    fn letters(letters: &str) -> (Vec<i128>, Vec<Vec<u64>>) {
        let classes = letters.chars().map(|letter| if letter == 'n' { vec![1, 0] } else { vec![0, 1] });
        ((1..=letters.len() as i128).collect(), classes.collect())
    }

    #[test]
    fn the_worked_example() {
        let (numbers, classes) = letters("nnnnyyyyyn");
        let cut = best_cut(&numbers, &classes, 0, 10).unwrap();
        assert_eq!(cut.place, 4);
        assert!((cut.gain - 0.609_987).abs() < 5e-7, "{}", cut.gain);
        assert!((cut.threshold - 0.527_732).abs() < 5e-7, "{}", cut.threshold);
        // The right part, yyyyyn: gain .650022 > (log2 5 + log2 7 − 2·.650022)/6 = .638206, so it is cut too.
        let cut = best_cut(&numbers, &classes, 4, 10).unwrap();
        assert_eq!(cut.place, 9);
        assert!((cut.gain - 0.650_022).abs() < 5e-7, "{}", cut.gain);
        assert!((cut.threshold - 0.638_206).abs() < 5e-7, "{}", cut.threshold);
        assert_eq!(accepted_cuts(&numbers, &classes), [(0, 4), (1, 9)]);
    }

    #[test]
    fn a_column_is_cut_and_labelled() {
        let mut ten = domain(Kind::Integer, &["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
        let (_, classes) = letters("nnnnyyyyyn");
        ten.classes = Some(Box::leak(classes.into_boxed_slice()));
        let built = build(&ten).unwrap();
        // Range 1 to 10 rounded outward in steps of 2: 0 to 11.
        assert_eq!(level(&built.hierarchy, 1), ["[0,4]", "[5,9]", "[10,11]"]);
        assert_eq!(level(&built.hierarchy, 2), ["[0,4]", "[5,11]"]);
        assert_eq!(built.hierarchy.height(), 3);
        assert_eq!(built.hierarchy.provenance(), Provenance::FromData);
    }

    #[test]
    fn rounds_of_cuts_are_levels() {
        let (numbers, classes) = letters(&["n".repeat(20), "y".repeat(20), "n".repeat(20)].concat());
        let mut cuts = accepted_cuts(&numbers, &classes);
        cuts.sort_unstable();
        assert_eq!(cuts, [(0, 20), (1, 40)]);
    }

    #[test]
    fn no_cut_gives_value_and_star_with_a_note() {
        let mut four = domain(Kind::Integer, &["1", "2", "3", "4"]);
        let (_, classes) = letters("nyny");
        four.classes = Some(Box::leak(classes.into_boxed_slice()));
        let built = build(&four).unwrap();
        assert_eq!(built.hierarchy.height(), 1);
        assert!(built.notes[0].contains("no cut tells the classes apart"), "{:?}", built.notes);
        assert!(best_cut(&[5], &[vec![1, 0]], 0, 1).is_none());
        assert!(best_cut(&[5, 5], &[vec![1, 0], vec![0, 1]], 0, 2).is_none(), "equal numbers stay together");
    }

    #[test]
    fn a_class_column_is_needed() {
        let message = build(&domain(Kind::Integer, &["1"])).unwrap_err().to_string();
        assert!(message.contains("no column has the role class"), "{message}");
    }
}
