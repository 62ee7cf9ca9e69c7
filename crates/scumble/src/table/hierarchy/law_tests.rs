//! Laws that every hierarchy keeps, whatever it was made from.

use proptest::prelude::*;

use super::bind::{Unlisted, bind};
use super::domain::tests::{domain, weighted};
use super::tree::{Assembler, Hierarchy, Provenance};
use super::{Builder, Domain, Order, automatic, build, cells, file, parent_child, show, to_csv};
use crate::table::kind::{Kind, Measure};

/// A random tree: each number says how far to climb before the next leaf is added, and how deep to go.
fn random_tree(steps: &[(u8, u8)]) -> Hierarchy {
    let mut tree = Assembler::new("c");
    tree.open("root").unwrap();
    for (place, (climb, dive)) in steps.iter().enumerate() {
        for _ in 0..*climb {
            if tree.depth() > 1 {
                tree.close();
            }
        }
        for level in 0..*dive {
            tree.open(&format!("group {place} {level}")).unwrap();
        }
        tree.leaf(&format!("leaf {place}")).unwrap();
    }
    tree.finish(Provenance::Declared).unwrap()
}

fn keeps_the_laws(tree: &Hierarchy) {
    // Ranges: the children of a node part its range, in order.
    for node in 0..tree.node_count() {
        let (low, high) = tree.range(node);
        let mut next = low;
        for child in tree.children(node) {
            assert_eq!(tree.range(child).0, next);
            assert_eq!((tree.parent(child), tree.depth(child)), (Some(node), tree.depth(node) + 1));
            next = tree.range(child).1 + 1;
        }
        if tree.is_leaf(node) {
            assert_eq!((low, tree.leaf(low)), (high, node));
        } else {
            assert_eq!(next, high + 1);
        }
        assert_eq!(tree.at_level(low, tree.level_of(node)), node, "the level of a node gives the node");
        assert!(
            tree.level_of(node) == 0 || tree.at_level(low, tree.level_of(node) - 1) != node,
            "the lowest"
        );
    }
    // Levels: the map is the climb of each leaf, and each level is a coarsening of the one below.
    let sizes = tree.level_sizes();
    let mut finer = tree.level_map(0);
    for level in 0..=tree.height() {
        let map = tree.level_map(level);
        for code in 0..tree.leaf_count() {
            assert_eq!(map[code as usize], tree.at_level(code, level));
            let (low, high) = tree.range(map[code as usize]);
            let (below_low, below_high) = tree.range(finer[code as usize]);
            assert!(low <= below_low && below_high <= high);
        }
        let mut nodes = map.clone();
        nodes.dedup();
        assert_eq!(nodes.len(), sizes[level as usize] as usize);
        finer = map;
    }
    assert!(finer.iter().all(|node| *node == tree.root()));
    for code in 0..tree.leaf_count() {
        assert_eq!(tree.code_of(tree.leaf_label(code)), Some(code));
    }
    assert!(show(tree, &vec![1; tree.leaf_count() as usize], 20).lines().count() <= 20);
}

proptest! {
    #[test]
    fn random_trees_keep_the_laws(steps in prop::collection::vec((0_u8..4, 0_u8..3), 1..40)) {
        let tree = random_tree(&steps);
        keeps_the_laws(&tree);
        for low in 0..tree.leaf_count() {
            for high in low..tree.leaf_count() {
                let covers = |node: &u32| tree.range(*node).0 <= low && high <= tree.range(*node).1;
                let smallest = (0..tree.node_count()).filter(covers).max_by_key(|node| tree.depth(*node));
                prop_assert_eq!(Some(tree.lca_of_range(low, high)), smallest);
            }
        }
    }

    #[test]
    fn a_written_tree_is_read_back(steps in prop::collection::vec((0_u8..4, 0_u8..3), 1..40)) {
        let tree = random_tree(&steps);
        let listing = file::read(&to_csv(&tree), "f").unwrap();
        let again = bind(&listing, &domain(Kind::Text, &[]), Unlisted::Error).unwrap().hierarchy;
        prop_assert_eq!(tree, again);
    }

    #[test]
    fn builders_keep_the_laws_and_every_value(
        numbers in prop::collection::btree_map(-2000_i64..2000, 1_u64..50, 1..60),
        bins in 1_usize..20,
        fanout in 2_usize..5,
        missing: bool,
    ) {
        let texts: Vec<(String, u64)> = numbers.iter().map(|(n, rows)| (n.to_string(), *rows)).collect();
        let texts: Vec<(&str, u64)> = texts.iter().map(|(text, rows)| (text.as_str(), *rows)).collect();
        let classes: Vec<Vec<u64>> = numbers.iter().map(|(n, rows)| vec![*rows, u64::from(*n > 7) * 40]).collect();
        let mut domain = weighted(Kind::Integer, &texts);
        domain.missing = missing.then_some("?");
        domain.classes = Some(&classes);
        let builders = [
            Builder::EqualWidth { bins, fanout, min: None, max: None },
            Builder::EqualFrequency { bins, fanout },
            Builder::Mdlp {},
            Builder::OrderedMerging { fanout: Some(fanout) },
            Builder::OrderedMerging { fanout: None },
            Builder::Prefix { lengths: None, pad: Some('0') },
            Builder::Alphabetic { order: Order::Text },
            Builder::Alphabetic { order: Order::Numeric },
            Builder::Widths { widths: vec![super::Quantity::Whole(bins as i64)], origin: None },
            Builder::Flat {},
            automatic(&domain),
        ];
        for builder in builders {
            let built = build(&builder.clone().into(), &domain).unwrap();
            keeps_the_laws(&built.hierarchy);
            prop_assert_eq!(built.hierarchy.leaf_count() as usize, domain.values.len() + usize::from(missing));
            for (value, code) in domain.values.iter().zip(&built.codes) {
                prop_assert_eq!(built.hierarchy.label(built.hierarchy.leaf(*code)), *value);
            }
            if let Some(code) = built.missing {
                let leaf = built.hierarchy.leaf(code);
                prop_assert_eq!((&*built.hierarchy.label(leaf), built.hierarchy.depth(leaf)), ("?", 1));
            }
            check_intervals_are_true(&built.hierarchy, &domain);
        }
    }

    #[test]
    fn decimals_lie_in_their_intervals(numbers in prop::collection::btree_set(-5000_i64..5000, 1..40)) {
        let texts: Vec<String> =
            numbers.iter().map(|n| Measure { kind: Kind::Decimal, scale: 2 }.text(i128::from(*n))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let domain = domain(Kind::Decimal, &texts);
        for builder in [automatic(&domain), Builder::EqualFrequency { bins: 5, fanout: 2 }] {
            check_intervals_are_true(&build(&builder.into(), &domain).unwrap().hierarchy, &domain);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(text) = cells::decode(&bytes, "f") {
            let _ = file::read(text, "f");
            let _ = parent_child::read(text, "f");
        }
    }

    #[test]
    fn random_lines_never_panic(text in r#"([ab*"\[\](),;0-9.\t\r\n -]|;|\n|\[1,2\)){0,120}"#) {
        for kind in [Kind::Text, Kind::Integer, Kind::Decimal, Kind::DecimalComma] {
            for read in [file::read, parent_child::read] {
                for missing in [None, Some("a")] {
                    let Ok(listing) = read(&text, "f") else { continue };
                    let domain = Domain { missing, ..domain(kind, &["1", "2"]) };
                    if let Ok(built) = bind(&listing, &domain, Unlisted::AddUnderRoot) {
                        keeps_the_laws(&built.hierarchy);
                    }
                }
            }
        }
    }
}

/// Every group that is called an interval covers the numbers below it.
fn check_intervals_are_true(tree: &Hierarchy, domain: &Domain) {
    for (leaf, above) in tree.paths() {
        let Some(number) = domain.measure.number(&leaf) else { continue };
        for label in above {
            if let Some(named) =
                super::numeric::meaning(&domain.measure, &label).filter(|_| label.starts_with('['))
            {
                let range = named.range();
                assert!(range.low <= number && number <= range.high, "{leaf} is not in {label}");
            }
        }
    }
}

#[test]
fn a_million_leaves() {
    let texts: Vec<String> = (0..1_000_000).map(|value| format!("{value:06}")).collect();
    let values: Vec<&str> = texts.iter().map(String::as_str).collect();
    let rows = vec![1; values.len()];
    let domain = Domain {
        name: "code",
        measure: Measure { kind: Kind::Text, scale: 0 },
        values: &values,
        rows: &rows,
        first_rows: None,
        missing: Some("?"),
        classes: None,
        declared: None,
        form: None,
    };
    let flat = build(&Builder::Flat {}.into(), &domain).unwrap().hierarchy;
    assert_eq!((flat.leaf_count(), flat.height()), (1_000_001, 1));
    assert_eq!(flat.code_of("123456"), Some(123_456));
    let prefix = build(&automatic(&domain).into(), &domain).unwrap().hierarchy;
    assert_eq!((prefix.leaf_count(), prefix.node_count(), prefix.height()), (1_000_001, 1_111_112, 6));
    assert_eq!(prefix.label(prefix.at_level(123_456, 3)), "123***");
    assert_eq!(prefix.lca_of_range(123_400, 123_499), prefix.at_level(123_400, 2));
    assert_eq!(prefix.level_map(6), vec![0; 1_000_001]);
    let drawn = show(&prefix, &vec![1; 1_000_001], 40);
    assert!(drawn.starts_with("* ") && drawn.lines().count() <= 40, "{drawn}");
    let written = file::read(&to_csv(&prefix), "f").unwrap();
    assert_eq!(written.len(), prefix.node_count());
}
