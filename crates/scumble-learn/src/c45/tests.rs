//! Trees small enough to be grown by hand.

use super::*;
use crate::table::{Column, Features, MISSING};

fn table(columns: Vec<Column>, class: &[u32], weights: &[u32]) -> Table {
    let features = Features::new(columns, class.len()).unwrap();
    Table::weighted(features, class.to_vec(), 2, weights.to_vec()).unwrap()
}

/// Quinlan's fourteen days: outlook (sunny, overcast, rain), humidity, wind; class 0 means playing.
fn weather() -> Table {
    let outlook = vec![0, 0, 1, 2, 2, 2, 1, 0, 0, 2, 0, 1, 1, 2];
    let humidity = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91].map(f64::from).to_vec();
    let windy = vec![0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 1];
    let class = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1];
    let columns = vec![
        Column::nominal("outlook", outlook, 3),
        Column::numeric("humidity", humidity),
        Column::nominal("windy", windy, 2),
    ];
    table(columns, &class, &[1; 14])
}

/// The tree of Quinlan's book: humidity under sunny, wind under rain. The middle of 70 and 85 is 77.5; the threshold is 75, the
/// largest humidity in the table below that.
#[test]
fn the_weather_tree() {
    let tree = C45::default().grow(&weather()).unwrap();
    assert_eq!((tree.leaves(), tree.nodes().len()), (5, 8));
    let root = tree.root();
    assert_eq!(root.test, Some(Test::Values { column: 0, values: 3 }));
    let below = |branch: usize| tree.node(root.children[branch]);
    assert_eq!(below(0).test, Some(Test::Threshold { column: 1, at: 75.0 }));
    assert_eq!(below(1).counts, [4.0, 0.0]);
    assert_eq!(below(2).test, Some(Test::Values { column: 2, values: 2 }));
    let counts: Vec<&[f64]> = below(0).children.iter().map(|&child| &*tree.node(child).counts).collect();
    assert_eq!(counts, [[2.0, 0.0], [0.0, 3.0]]);
}

/// A day without outlook, humid and windy: 5/14 as if sunny (no), 4/14 as if overcast (yes), 5/14 as if rainy (no).
#[test]
fn a_missing_value_asks_every_branch() {
    let tree = C45::default().grow(&weather()).unwrap();
    let columns = vec![
        Column::nominal("outlook", vec![MISSING], 3),
        Column::numeric("humidity", vec![90.0]),
        Column::nominal("windy", vec![1], 2),
    ];
    let day = Features::new(columns, 1).unwrap();
    let mut found = [0.0; 2];
    tree.distribution(&day, 0, &mut found);
    assert!((found[0] - 4.0 / 14.0).abs() < 1e-12 && (found[1] - 10.0 / 14.0).abs() < 1e-12, "{found:?}");
    assert_eq!(tree.locate(&day, 0), 0, "the walk stops where the value is missing");
}

/// models.md 3.3: pure branches of 6, 9 and 1 rows are estimated to make 3.27 errors, one leaf of 16 rows with one error 2.48.
#[test]
fn a_subtree_worse_than_its_leaf_is_pruned() {
    let column = Column::nominal("a", vec![0, 1, 2], 3);
    let table = table(vec![column], &[0, 0, 1], &[6, 9, 1]);
    let kept = C45 { prune: false, ..C45::default() }.grow(&table).unwrap();
    assert_eq!(kept.leaves(), 3);
    let pruned = C45::default().grow(&table).unwrap();
    assert_eq!(pruned.nodes().len(), 1);
    assert_eq!(pruned.root().counts, [15.0, 1.0]);
}

/// No training row had this value: its leaf is empty, so the node above answers.
#[test]
fn an_empty_branch_answers_like_its_parent() {
    let table = table(vec![Column::nominal("a", vec![0, 1], 3)], &[0, 1], &[9, 3]);
    let tree = C45::default().grow(&table).unwrap();
    let unseen = Features::new(vec![Column::nominal("a", vec![2], 3)], 1).unwrap();
    let mut found = [0.0; 2];
    tree.distribution(&unseen, 0, &mut found);
    assert_eq!(found, [0.75, 0.25]);
}
