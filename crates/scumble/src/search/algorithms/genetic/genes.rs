//! Chromosomes: one bit for each way to divide a part of a column, and the changes that keep them valid divisions of the
//! columns' trees.
//!
//! The paper has one bit for each boundary between neighbouring leaves. The boundaries between the children of one node must
//! agree, so here they share a bit.

use crate::search::algorithms::splits::SplitSpace;

/// For each split of a space, whether it is made.
pub(super) type Chromosome = Box<[bool]>;

/// Undoes splits of nodes below a node that is not divided: of overlapping nodes, the higher one stays (algorithms.md B13).
pub(super) fn repair(space: &SplitSpace<'_>, bits: &mut [bool]) {
    // The split above a split comes before it.
    for (place, split) in space.splits.iter().enumerate() {
        bits[place] &= split.above.is_none_or(|above| bits[above]);
    }
}

/// Flips a bit. If a node becomes whole, all nodes below it become whole too. A node below a whole one cannot be divided, so
/// the whole one is divided instead: a small step in that direction.
pub(super) fn flip(space: &SplitSpace<'_>, bits: &mut [bool], place: usize) {
    if bits[place] {
        bits[place..space.splits[place].end].fill(false);
        return;
    }
    let mut divided = place;
    while let Some(above) = space.splits[divided].above.filter(|above| !bits[*above]) {
        divided = above;
    }
    bits[divided] = true;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Rational, StarPolicy};
    use crate::problem::{Budget, Problem, Progress};
    use crate::table::frequency::FrequencyTable;
    use crate::table::hierarchy::{Builder, Domain, build};
    use crate::table::kind::{Kind, Measure};
    use crate::table::payload::Payloads;
    use crate::table::quasi::{Quasi, Shape, Value};

    /// A column with the tree ((111 112) (121 122)) ((211)) below `*`, and one of the texts x, y, z; every value occurs.
    fn problem() -> Problem {
        let measure = Measure { kind: Kind::Text, scale: 0 };
        let domain = Domain {
            name: "column",
            measure,
            values: &["111", "112", "121", "122", "211"],
            rows: &[1; 5],
            first_rows: None,
            missing: None,
            classes: None,
            declared: None,
            form: None,
        };
        let tree = build(&Builder::Prefix { lengths: None, pad: None }.into(), &domain).unwrap().hierarchy;
        let quasi =
            |shape| Quasi { name: "column".into(), measure, shape, priority: 1.0, tight: false, sets: false };
        let (payloads, of_row) = Payloads::of_rows(Vec::new(), 5, |_, _| 0);
        let code = |column: usize, row: usize| if column == 0 { row as u32 } else { row as u32 % 3 };
        Problem {
            table: FrequencyTable::count(&[5, 3], 5, code, payloads, &of_row, |_| 1).0,
            quasi: vec![quasi(Shape::Tree(tree)), quasi(Shape::Set(["x", "y", "z"].into_iter().collect()))],
            models: Vec::new(),
            metric: crate::metrics::loss::ENTRY.build,
            class: None,
            suppression: Rational::ONE,
            star_policy: StarPolicy::Drop,
            budget: Budget::default(),
            seed: 0,
            progress: Progress::default(),
        }
    }

    fn bits(text: &str) -> Vec<bool> {
        text.chars().filter(|digit| *digit != ' ').map(|digit| digit == '1').collect()
    }

    #[test]
    fn splits_follow_the_tree() {
        let problem = problem();
        let space = SplitSpace::new(&problem);
        // The splits are those of the root, 1**, 11* and 12*, then those before y and before z. 2** has one child and is
        // never divided.
        assert_eq!(space.splits.len(), 6);
        let ends: Vec<usize> = space.splits.iter().map(|split| split.end).collect();
        assert_eq!(ends, [4, 4, 3, 4, 5, 6]);
        let shown = |text: &str| {
            let maps = space.maps(&bits(text));
            let label = |(column, map): (usize, &Vec<Value>)| {
                map.iter().map(|value| problem.quasi[column].label(*value)).collect::<Vec<_>>().join(" ")
            };
            maps.iter().enumerate().map(label).collect::<Vec<_>>()
        };
        assert_eq!(shown("0000 00"), ["* * * * *", "{x|y|z} {x|y|z} {x|y|z}"]);
        assert_eq!(shown("1101 01"), ["11* 11* 121 122 211", "{x|y} {x|y} z"]);
    }

    #[test]
    fn what_is_below_a_whole_node_is_not_divided() {
        let problem = problem();
        let space = SplitSpace::new(&problem);
        for (from, to) in [("1111 11", "1111 11"), ("0111 01", "0000 01"), ("1011 10", "1000 10")] {
            let mut repaired = bits(from);
            repair(&space, &mut repaired);
            assert_eq!(repaired, bits(to), "{from}");
        }
        for (from, place, to) in [
            ("0000 00", 2, "1000 00"),
            ("1000 00", 2, "1100 00"),
            ("1100 00", 2, "1110 00"),
            ("1111 00", 1, "1000 00"),
            ("1111 00", 0, "0000 00"),
            ("1000 10", 5, "1000 11"),
            ("1000 10", 4, "1000 00"),
        ] {
            let mut flipped = bits(from);
            flip(&space, &mut flipped, place);
            assert_eq!(flipped, bits(to), "{from} at {place}");
        }
    }
}
