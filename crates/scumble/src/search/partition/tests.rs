//! Checks that what clusters update while rows move equals a recount.

use proptest::prelude::*;

use super::testing::{numbers, problem, words};
use super::*;
use crate::table::quasi::Value;

/// B4, by hand: the column 1, 2, 10, 11, 12.
#[test]
fn the_hand_computed_move_costs_what_it_should() {
    let rows: Vec<(Vec<u32>, u32)> = (0..5).map(|code| (vec![code], 0)).collect();
    let problem = problem(vec![numbers(&[1, 2, 10, 11, 12])], &rows, 2, 1);
    let penalty = |column: usize, value: Value| problem.quasi[column].loss(value);
    let space = Space::new(&problem, &penalty).expect("class tests");
    let of = |kinds: std::ops::Range<u32>| {
        Cluster::new(&space, kinds.map(|kind| Member { kind, rows: 1 }).collect())
    };
    let mut partition = Partition::new(vec![of(0..3), of(3..5)]);
    assert_eq!(partition.cost(), u128::from(3 * fixed(9.0 / 11.0) + 2 * fixed(1.0 / 11.0)));
    assert_eq!(partition.clusters()[0].cost_of_change(&space, Some(2), None), fixed(1.0 / 11.0));
    assert_eq!(partition.clusters()[1].cost_of_change(&space, None, Some(2)), fixed(2.0 / 11.0));
    assert_eq!(partition.clusters()[0].cost_of_change(&space, Some(0), Some(3)), fixed(9.0 / 11.0));
    partition.shift(&space, 2, 0, 1);
    assert_eq!(partition.cost(), u128::from(2 * fixed(1.0 / 11.0) + 3 * fixed(2.0 / 11.0)));
    let shown = partition.assignment(&space, &[]);
    assert_eq!((shown.values(0), shown.values(1)), (vec![Value::Span(0, 1)], vec![Value::Span(2, 4)]));
}

fn rows() -> impl Strategy<Value = Vec<(Vec<u32>, u32)>> {
    prop::collection::vec(((0..9_u32, 0..5_u32).prop_map(|(a, b)| vec![a, b]), 0..4_u32), 6..40)
}

proptest! {
    #[test]
    fn what_is_kept_is_what_counting_anew_gives(
        rows in rows(),
        moves in prop::collection::vec((any::<u16>(), any::<u8>(), any::<u8>()), 1..60),
        l in 1..3_i128,
    ) {
        let problem = problem(vec![numbers(&[1, 2, 3, 5, 8, 13, 21, 34, 55]), words(5)], &rows, 2, l);
        let penalty = |column: usize, value: Value| problem.quasi[column].loss(value);
        let space = Space::new(&problem, &penalty).expect("class tests");
        // All rows in the first of four clusters.
        let all: Vec<Member> =
            (0..).zip(space.kinds()).map(|(kind, of)| Member { kind, rows: of.rows }).collect();
        let mut partition =
            Partition::new([all, vec![], vec![], vec![]].into_iter().map(|m| Cluster::new(&space, m)).collect());
        for (row, from, to) in moves {
            let (from, to) = (usize::from(from % 4), usize::from(to % 4));
            let members = partition.clusters()[from].members();
            if members.is_empty() || from == to {
                continue;
            }
            let out = members[usize::from(row) % members.len()].kind;
            let other = partition.clusters()[to].members().first().map(|member| member.kind);
            let told = [
                partition.clusters()[from].cost_of_change(&space, Some(out), other),
                partition.clusters()[from].cost_of_change(&space, Some(out), None),
                partition.clusters()[to].cost_of_change(&space, None, Some(out)),
            ];
            let passes = partition.clusters()[to].passes_changed(&space, None, Some(out));
            let mut exchanged = partition.clusters()[from].clone();
            partition.shift(&space, out, from, to);
            prop_assert_eq!(told[1], partition.clusters()[from].cost());
            prop_assert_eq!(told[2], partition.clusters()[to].cost());
            prop_assert_eq!(passes, space.passes(partition.clusters()[to].members()));
            exchanged.remove(&space, out, 1);
            other.iter().for_each(|kind| exchanged.add(&space, *kind, 1));
            prop_assert_eq!(told[0], exchanged.cost());
            let anew = partition.clusters().iter().map(|c| Cluster::new(&space, c.members().to_vec()));
            prop_assert_eq!(partition.cost(), Partition::new(anew.collect()).cost());
            for cluster in partition.clusters().iter().filter(|cluster| cluster.size() > 0) {
                let naive: u64 = (0..2)
                    .map(|column| {
                        let codes = cluster.members().iter().map(|m| space.codes(m.kind)[column]);
                        let (low, high) = (codes.clone().min().unwrap_or(0), codes.max().unwrap_or(0));
                        fixed(problem.quasi[column].loss(problem.quasi[column].cover(low, high)))
                    })
                    .sum();
                prop_assert_eq!(cluster.cost(), naive);
            }
        }
        // Converting to an assignment and back keeps the rows. The cost stays the same, or falls where equal
        // closures became one class.
        let shown = partition.assignment(&space, &[]);
        let rows_shown: u64 = shown.members.shares(&problem.table).map(|share| u64::from(share.rows)).sum();
        prop_assert_eq!(rows_shown, problem.table.rows());
        let (back, suppressed) = Partition::of_assignment(&space, &shown);
        prop_assert!(suppressed.is_empty());
        prop_assert_eq!(back.cost(), partition.cost());
    }
}
