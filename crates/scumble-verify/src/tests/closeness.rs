//! t-closeness on the worked examples of the definition.

use serde_json::{Value, json};

use super::table;
use crate::{
    Claim, ModelClaim, ModelOutcome, Reference, ReferenceColumn, StarRows, VerifyError, check_models,
};

/// Checks one class with these sensitive values against a reference.
fn judge(
    values: &[&str],
    reference: Option<ReferenceColumn>,
    model: &Value,
) -> Result<ModelOutcome, VerifyError> {
    let release = table(&[("q", &vec!["c"; values.len()]), ("s", values)]);
    let models = vec![ModelClaim::from_json(model)?];
    let claim = Claim { quasi: vec!["q".to_owned()], models, star: StarRows::Judged, values: Vec::new() };
    let reference = reference.map(|column| Reference { columns: vec![column] });
    Ok(check_models(&release, &claim, reference.as_ref())?.models.remove(0))
}

/// Each value once.
fn uniform(values: &[&str]) -> ReferenceColumn {
    let counts = values.iter().map(|&value| (value.to_owned(), 1)).collect();
    ReferenceColumn { name: "s".to_owned(), counts, order: None, tree: None }
}

const SALARIES: [&str; 9] = ["3", "4", "5", "6", "7", "8", "9", "10", "11"];

fn model(distance: &str, t: &str) -> Value {
    json!({"model": "t_closeness", "distance": distance, "t": t, "column": "s"})
}

/// Asserts that the claim holds at exactly this fraction and not just below it.
fn is_exactly(values: &[&str], reference: &ReferenceColumn, distance: &str, fraction: (u64, u64)) {
    let (a, b) = fraction;
    let at = |t: String| judge(values, Some(reference.clone()), &model(distance, &t)).expect("a check");
    let exact = at(format!("{a}/{b}"));
    assert!(exact.holds, "{values:?} {distance} {fraction:?}: {:?}", exact.attained);
    assert!((exact.attained.expect("a class") - a as f64 / b as f64).abs() < 1e-12);
    assert_eq!(exact.note, None);
    if a == 0 {
        return;
    }
    let below = at(format!("{}/{}", a * 1_000_000_000_000 - 1, b * 1_000_000_000_000));
    assert!(!below.holds, "{values:?} {distance} {fraction:?}");
    assert_eq!((below.failing_classes, below.failing_rows), (1, values.len() as u64));
}

#[test]
fn salaries_three_to_eleven() {
    let reference = uniform(&SALARIES);
    is_exactly(&["3", "4", "5"], &reference, "ordered", (3, 8));
    is_exactly(&["3", "4", "5"], &reference, "equal", (2, 3));
    is_exactly(&["6", "8", "11"], &reference, "ordered", (1, 6));
    is_exactly(&["6", "8", "11"], &reference, "equal", (2, 3));
    is_exactly(&["4", "7", "10"], &reference, "ordered", (1, 12));
    is_exactly(&["11"], &reference, "ordered", (1, 2));
    is_exactly(&["3", "11"], &reference, "ordered", (2, 9));
}

#[test]
fn a_tree_of_four_leaves() {
    let leaves = ["a1", "a2", "b1", "b2"];
    let mut reference = uniform(&leaves);
    let path = |leaf: &str| (leaf.to_owned(), vec![leaf[..1].to_owned(), "any".to_owned()]);
    reference.tree = Some(leaves.iter().map(|leaf| path(leaf)).collect());
    is_exactly(&["a1", "b1"], &reference, "hierarchical", (1, 4));
    is_exactly(&["a1", "b1"], &reference, "equal", (1, 2));
    is_exactly(&["a1", "a2"], &reference, "hierarchical", (1, 2));
    is_exactly(&["a1", "a2"], &reference, "equal", (1, 2));
    // One leaf: a quarter moves within a, a half across: 1/4 · 1/2 + 1/2 = 5/8.
    is_exactly(&["a1"], &reference, "hierarchical", (5, 8));
}

/// A ragged tree: a node's height is its longest way down, divided by the height of the whole tree.
#[test]
fn a_ragged_tree() {
    let mut reference = uniform(&["a1", "a2", "b"]);
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    reference.tree = Some(vec![
        ("a1".to_owned(), owned(&["a", "any"])),
        ("a2".to_owned(), owned(&["a", "any"])),
        ("b".to_owned(), owned(&["any"])),
    ]);
    // {a1}: 1/3 moves to a2 at height 1 of 2, 1/3 to b at height 2 of 2.
    is_exactly(&["a1"], &reference, "hierarchical", (1, 2));
    // {b}: 2/3 move to a at the full height.
    is_exactly(&["b"], &reference, "hierarchical", (2, 3));
}

#[test]
fn the_domain_counts_not_only_the_values_seen() {
    let mut reference = uniform(&["1", "2"]);
    is_exactly(&["1"], &reference, "ordered", (1, 2));
    // With 3 to 5 also in the domain, the same half step is a smaller part of the way.
    reference.order = Some(["1", "2", "3", "4", "5"].map(str::to_owned).to_vec());
    is_exactly(&["1"], &reference, "ordered", (1, 8));
    // The claim's own order takes precedence.
    let claim = json!({"model": "t_closeness", "distance": "ordered", "t": "1/4", "column": "s", "order": ["1", "2", "9"]});
    assert!(judge(&["1"], Some(reference.clone()), &claim).expect("a check").holds);
    let claim = json!({"model": "t_closeness", "distance": "ordered", "t": 0.2, "column": "s", "order": ["1", "2", "9"]});
    assert!(!judge(&["1"], Some(reference), &claim).expect("a check").holds);
}

/// The original is the reference, even if suppression changed the release's own shares.
#[test]
fn the_reference_is_the_original() {
    let mut original = uniform(&["x", "y"]);
    is_exactly(&["x", "y"], &original, "equal", (0, 1));
    original.counts[0].1 = 3;
    is_exactly(&["x", "y"], &original, "equal", (1, 4));
    let own = judge(&["x", "y"], None, &model("equal", "0")).expect("a check");
    assert!(own.holds && own.note.is_some_and(|note| note.contains("own distribution")));
    // All of a value that the original does not have is surplus.
    is_exactly(&["z"], &original, "equal", (1, 1));
}

#[test]
fn one_value_is_no_distance() {
    let mut one = uniform(&["x"]);
    one.order = Some(vec!["x".to_owned()]);
    one.tree = Some(vec![("x".to_owned(), Vec::new())]);
    for distance in ["equal", "ordered", "hierarchical"] {
        assert!(
            judge(&["x", "x"], Some(one.clone()), &model(distance, "0")).expect("a check").holds,
            "{distance}"
        );
    }
}

#[test]
fn domains_that_do_not_fit_are_errors() {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let fails = |change: &dyn Fn(&mut ReferenceColumn), distance: &str| {
        let mut reference = uniform(&["x", "y"]);
        change(&mut reference);
        let result = judge(&["x", "y"], Some(reference), &model(distance, "1"));
        assert!(matches!(result, Err(VerifyError::Domain { .. })), "{result:?}");
    };
    fails(&|r| r.name = "other".to_owned(), "equal");
    fails(&|r| r.counts.push(("x".to_owned(), 1)), "equal");
    fails(&|r| r.counts.iter_mut().for_each(|entry| entry.1 = 0), "equal");
    fails(&|r| r.counts[0].1 = u64::MAX, "equal");
    fails(&|_| (), "ordered");
    fails(&|r| r.order = Some(owned(&["x"])), "ordered");
    fails(&|r| r.order = Some(owned(&["x", "y", "x"])), "ordered");
    fails(
        &|r| {
            r.order = Some(owned(&["x", "y"]));
            r.counts.push(("z".to_owned(), 1));
        },
        "ordered",
    );
    fails(&|_| (), "hierarchical");
    let path = |leaf: &str, root: &str| (leaf.to_owned(), vec![root.to_owned()]);
    fails(&|r| r.tree = Some(vec![path("x", "r")]), "hierarchical");
    fails(&|r| r.tree = Some(vec![path("x", "r"), path("y", "q")]), "hierarchical");
    let deeper = || ("y".to_owned(), owned(&["q", "r"]));
    fails(&|r| r.tree = Some(vec![path("x", "r"), path("y", "r"), deeper()]), "hierarchical");
    fails(
        &|r| {
            r.tree = Some(vec![path("x", "r"), path("y", "r")]);
            r.counts.push(("z".to_owned(), 1));
        },
        "hierarchical",
    );
}
