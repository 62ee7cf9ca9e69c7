//! Laws of models on classes made by hand: what they declare, and that the independent verifier checks alike.

use proptest::prelude::*;
use scumble::config::StarPolicy;
use scumble::models::ClassTest;
use scumble::recoding::published::ClassView;
use scumble_verify::{Claim, ModelClaim, Reference, ReferenceColumn, StarRows, check_models};

use super::common::demand::{Demand, Ground, numeric_variants, variants};
use super::common::grid::Grid;
use super::common::seeded;

/// Some classes of up to 12 rows, with skewed and with missing values.
fn classes(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<&'static str>>> {
    let ill = prop::sample::select(vec!["flu", "flu", "flu", "corona", "asthma", "ulcer", "hiv", "?"]);
    let few = prop::sample::select(vec!["flu", "hiv"]);
    let class = prop_oneof![prop::collection::vec(ill, 1..13), prop::collection::vec(few, 1..8)];
    prop::collection::vec(class, count)
}

/// Some classes of up to 12 rows: of illnesses, or of numbers.
fn classes_of_any(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<&'static str>>> {
    let number = prop::sample::select(vec!["0", "25", "25", "50", "125", "-40", "?"]);
    let class = prop::collection::vec(number, 1..13);
    prop_oneof![2 => classes(count.clone()), 1 => prop::collection::vec(class, count)]
}

/// The requirements that can be asked of these values.
fn all_variants(values: &[&str]) -> Vec<Demand> {
    let is_number = |text: &&str| text.parse::<i64>().is_ok();
    let illness = !values.iter().any(is_number);
    let numbers = values.iter().all(|text| is_number(text) || *text == "?") && !illness;
    let about_illness = |demand: &Demand| matches!(demand, Demand::Several(_, _, true) | Demand::Weight(..));
    let tree = |demand: &Demand| matches!(demand, Demand::Close(_, _, Ground::Hierarchical));
    let all = variants("ill").into_iter().chain(numeric_variants("ill").into_iter().filter(|_| numbers));
    all.flat_map(|(_, demands)| demands)
        .filter(|demand| demand.fits(values))
        .filter(|demand| illness || !about_illness(demand) && !tree(demand))
        .collect()
}

fn passes(grid: &Grid, test: &dyn ClassTest, classes: &[usize]) -> bool {
    let (size, cells) = grid.union(classes);
    test.passes(&ClassView { size, cells: &cells, payloads: grid.table.payloads() })
}

proptest! {
    #![proptest_config(seeded(3, 300))]

    #[test]
    fn declared_monotonicity_holds(classes in classes_of_any(3..5)) {
        let grid = Grid::new(&classes);
        for demand in all_variants(&classes.concat()) {
            let model = grid.model(demand);
            let declared = model.monotonicity();
            let test = model.class_test().expect("one class decides");
            let (first, second) = (passes(&grid, test, &[0]), passes(&grid, test, &[1]));
            let merged = passes(&grid, test, &[0, 1]);
            prop_assert!(!(declared.merging && first && second) || merged, "{:?} is lost by merging", demand);
            prop_assert!(!(declared.upward && first) || merged, "{:?} is lost upward", demand);
            let whole = vec![false; classes.len()];
            let mut without = whole.clone();
            without[2] = true;
            let holds = |suppressed: &[bool]| model.judge(&grid.published(suppressed, StarPolicy::Drop), grid.table.payloads()).holds;
            prop_assert!(!declared.dropping || !holds(&whole) || holds(&without), "{:?} is lost by dropping a class", demand);
        }
    }

    #[test]
    fn judging_agrees_with_the_verifier_and_with_the_definition(
        classes in classes_of_any(1..7),
        dice in any::<[bool; 6]>(),
        policy in prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]),
    ) {
        let grid = Grid::new(&classes);
        let suppressed = &dice[..classes.len()];
        let original: Vec<&str> = classes.concat();
        let coded = grid.coded(suppressed, policy);
        prop_assume!(coded.rows > 0);
        let counts = |value: &&str| ((*value).to_owned(), original.iter().filter(|other| *other == value).count() as u64);
        let mut values = original.clone();
        values.sort_unstable();
        values.dedup();
        let column = ReferenceColumn { name: "ill".into(), counts: values.iter().map(counts).collect(), order: None, tree: None };
        let reference = Reference { columns: vec![column] };
        let star = if policy == StarPolicy::Paper { StarRows::Unjudged } else { StarRows::Judged };
        // What must be checked: each class that is kept, and all suppressed rows as one where they are checked.
        let mut judged: Vec<Vec<&str>> =
            classes.iter().zip(suppressed).filter(|(_, suppressed)| !**suppressed).map(|(class, _)| class.clone()).collect();
        let starred: Vec<&str> =
            classes.iter().zip(suppressed).filter(|(_, suppressed)| **suppressed).flat_map(|(class, _)| class.clone()).collect();
        if policy == StarPolicy::Strict && !starred.is_empty() {
            judged.push(starred);
        }
        for demand in all_variants(&original) {
            let verdict = grid.model(demand).judge(&grid.published(suppressed, policy), grid.table.payloads());
            let failing: Vec<&Vec<&str>> = judged.iter().filter(|class| !demand.holds_of_all(class, &original)).collect();
            prop_assert_eq!(verdict.holds, failing.is_empty(), "{:?}", demand);
            prop_assert_eq!(verdict.failing_classes, failing.len(), "{:?}", demand);
            prop_assert_eq!(verdict.failing_rows, failing.iter().map(|class| class.len() as u64).sum::<u64>());

            let claim = Claim {
                quasi: vec!["q".into()],
                models: vec![ModelClaim::from_json(&demand.claim(&original)).expect("a model")],
                star, values: Vec::new() };
            let outcome = check_models(&coded, &claim, Some(&reference)).expect("a claim that can be read");
            let found = &outcome.models[0];
            prop_assert_eq!(verdict.holds, found.holds, "{:?}", demand);
            prop_assert_eq!(verdict.failing_classes as u64, found.failing_classes, "{:?}", demand);
            prop_assert_eq!(verdict.failing_rows, found.failing_rows, "{:?}", demand);
            // The model's own claim says the same as the one written here.
            let mut own = grid.model(demand).claim();
            own.shift_remove("model");
            let own = ModelClaim { name: demand.model().into(), parameters: own };
            let own = check_models(&coded, &Claim { models: vec![own], ..claim }, Some(&reference)).expect("a claim that can be read");
            prop_assert_eq!(&own.models[0], found);
            let Some(attained) = found.attained else {
                prop_assert!(judged.is_empty() && verdict.attained.is_infinite());
                continue;
            };
            let same = |a: f64, b: f64| a == b || (a - b).abs() < 1e-9;
            prop_assert!(same(verdict.attained, attained), "{:?}: {} or {}?", demand, verdict.attained, attained);
            let naive = judged.iter().map(|class| demand.attained_of_all(class, &original));
            let naive = if demand.larger_is_better() { naive.fold(f64::INFINITY, f64::min) } else { naive.fold(f64::NEG_INFINITY, f64::max) };
            prop_assert!(same(naive, attained), "{:?}: {} or {}?", demand, naive, attained);
        }
    }

    #[test]
    fn suppressing_more_judges_no_more_classes(classes in classes(1..7), dice in any::<[bool; 6]>(), more in 0..6_usize) {
        use rayon::iter::ParallelIterator;
        let grid = Grid::new(&classes);
        let before = &dice[..classes.len()];
        let mut after = before.to_vec();
        after[more % classes.len()] = true;
        let judged = |suppressed: &[bool], policy| {
            let classes = grid.published(suppressed, policy);
            let kept = classes.judged(grid.table.payloads()).filter(|(class, _)| class.is_some()).count();
            (kept, classes.judged(grid.table.payloads()).map(|(_, view)| view.size).sum::<u64>())
        };
        for policy in [StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop] {
            let ((few, rows_after), (many, rows_before)) = (judged(&after, policy), judged(before, policy));
            prop_assert!(few <= many);
            prop_assert!(rows_after <= rows_before);
            if policy == StarPolicy::Strict {
                // Rows that are suppressed are checked all the same, as a class of their own.
                prop_assert_eq!(rows_after, grid.table.rows());
            }
        }
    }
}

/// models.md 0.5: {a,b} and {a,a,a,a,a} under frequency l = 2 have 5 failing rows before merging and 7 after; under
/// distinct l = 2, 5 and 0.
#[test]
fn what_is_not_upward_has_a_counterexample() {
    let fives = vec!["flu"; 5];
    let grid = Grid::new(&[vec!["flu", "hiv"], fives, vec!["hiv"; 3]]);
    let failing_rows = |demand: Demand, merged: bool| {
        let model = grid.model(demand);
        let test = model.class_test().expect("one class decides");
        let groups: &[&[usize]] = if merged { &[&[0, 1]] } else { &[&[0], &[1]] };
        groups
            .iter()
            .filter(|group| !passes(&grid, test, group))
            .map(|group| grid.union(group).0)
            .sum::<u64>()
    };
    let frequency = Demand::Frequency("ill", (2, 1));
    assert_eq!((failing_rows(frequency, false), failing_rows(frequency, true)), (5, 7));
    let distinct = Demand::Distinct("ill", 2);
    assert_eq!((failing_rows(distinct, false), failing_rows(distinct, true)), (5, 0));

    // Q is 6 flu and 4 hiv. The first class is 1/10 away from it, the second 2/5, both together 9/35.
    use super::common::demand::Ground::{Equal, Hierarchical, Ordered};
    let closeness = [Equal, Ordered, Hierarchical].map(|ground| Demand::Close("ill", (1, 5), ground));
    let others = [Demand::Entropy("ill", (19, 10)), Demand::Recursive("ill", (2, 1), 2), frequency];
    for demand in closeness.into_iter().chain(others) {
        assert!(!grid.model(demand).monotonicity().upward, "{demand:?}");
        assert_eq!((failing_rows(demand, false), failing_rows(demand, true)), (5, 7), "{demand:?}");
    }
    assert!(grid.model(Demand::K(3)).monotonicity().upward && grid.model(distinct).monotonicity().upward);
    // The first class is half flu, and hiv's share grows there by 1/4; both together are 6/7 flu, which grows by 3/7.
    let shares = [
        Demand::Shares("ill", Some((1, 2)), &[]),
        Demand::Shares("ill", None, &[("flu", (1, 2))]),
        Demand::Growth("ill", (1, 4), false),
        Demand::Growth("ill", (1, 4), true),
        Demand::Change("ill", (1, 4)),
    ];
    for demand in shares {
        assert!(!grid.model(demand).monotonicity().upward, "{demand:?}");
        assert_eq!((failing_rows(demand, false), failing_rows(demand, true)), (5, 7), "{demand:?}");
    }
    for demand in [Demand::Several("ill", 2, true), Demand::Weight("ill", (1, 1), false)] {
        assert!(grid.model(demand).monotonicity().upward, "{demand:?}");
    }
}
