//! The 5-ary alphabetic tree of the NSVDist paper: values in order, five to a node. Numbers and dates in their own order get intervals;
//! groups of texts have numbers for names, so they are built only where a plan asks for them.

use scumble_files::table::Texts;
use serde::{Deserialize, Serialize};

use super::domain::{Built, Domain};
use super::intervals::{label_span, nest};
use super::nested::{Level, level_of_cuts};
use super::tree::{Assembler, Provenance};
use crate::error::Result;

/// How the values of an alphabetic tree are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Order {
    /// As texts, bytewise, as in the paper: `10` comes before `2`.
    #[default]
    Text,
    /// As numbers or dates.
    Numeric,
}

/// Children per node.
const FANOUT: usize = 5;

/// The left-packed 5-ary tree: the node of the i-th value after t steps is number `floor(i / 5^t)`.
pub(super) fn build(domain: &Domain, order: Order) -> Result<Built> {
    if order == Order::Numeric {
        let numbers = domain.numbers("alphabetic with order = \"numeric\"")?;
        let span = label_span(domain, &numbers)?;
        let level = |starts: Vec<usize>| level_of_cuts(&domain.measure, &numbers, span, starts);
        return packed(domain, &level, Provenance::FromData);
    }
    let packed = |domain: &Domain| packed(domain, &level_of_numbers, Provenance::Numbered);
    if domain.values.is_sorted() {
        return packed(domain);
    }
    let mut places: Vec<u32> = (0..domain.values.len() as u32).collect();
    places.sort_by_key(|place| domain.values[*place as usize]);
    let ordered: Vec<&str> = places.iter().map(|place| domain.values[*place as usize]).collect();
    let mut built = packed(&Domain { values: &ordered, ..*domain })?;
    let mut codes = vec![0; ordered.len()];
    for (place, code) in places.into_iter().zip(&built.codes) {
        codes[place as usize] = *code;
    }
    built.codes = codes;
    Ok(built)
}

/// The tree of values that are in order.
fn packed(domain: &Domain, level: &dyn Fn(Vec<usize>) -> Level, provenance: Provenance) -> Result<Built> {
    let count = domain.values.len();
    if let ([value], None) = (domain.values, domain.missing) {
        return lone_root(domain, value);
    }
    let mut levels = Vec::new();
    // The integer loop matters: the logarithm in floats is wrong for 125 and 15,625 values.
    let mut width = FANOUT;
    while width < count {
        levels.push(level((0..count).step_by(width).collect()));
        width *= FANOUT;
    }
    nest(domain, levels, provenance)
}

/// The paper's tree for a single value has height 0: the value itself.
fn lone_root(domain: &Domain, value: &str) -> Result<Built> {
    let mut tree = Assembler::new(domain.name);
    let code = tree.leaf(value)?;
    let hierarchy = tree.finish(Provenance::FromData)?;
    Ok(Built { hierarchy, codes: vec![code], missing: None, notes: Vec::new() })
}

/// Groups of neighbours, named by number. A name made of their values would publish values of people, also of people whose
/// rows are suppressed.
pub(super) fn level_of_numbers(starts: Vec<usize>) -> Level {
    let mut labels = Texts::default();
    for group in 1..=starts.len() {
        labels.push(&format!("group {group} of {}", starts.len()));
    }
    Level { starts, labels }
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level, path};
    use super::*;
    use crate::table::kind::Kind;

    fn numbered(count: usize) -> Domain<'static> {
        let texts: Vec<String> = (0..count).map(|value| value.to_string()).collect();
        domain(Kind::Integer, &texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn heights_of_the_paper() {
        let heights =
            [(1, 0), (5, 1), (6, 2), (25, 2), (26, 3), (125, 3), (336, 4), (1484, 5), (4177, 6), (15_625, 6)];
        for (values, height) in heights {
            let built = build(&numbered(values), Order::Text).unwrap();
            assert_eq!(built.hierarchy.height(), height, "{values} values");
            assert_eq!(built.hierarchy.leaf_count() as usize, values);
        }
    }

    #[test]
    fn text_order_puts_10_before_2() {
        let built = build(&numbered(14), Order::Text).unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["group 1 of 3", "group 2 of 3", "group 3 of 3"]);
        assert_eq!(path(&built.hierarchy, "11"), "11;group 1 of 3;*");
        let node = built.hierarchy.at_level(0, 1);
        let held: Vec<_> = built.hierarchy.children(node).map(|leaf| built.hierarchy.label(leaf)).collect();
        assert_eq!(held, ["0", "1", "10", "11", "12"]);
        for (place, code) in built.codes.iter().enumerate() {
            assert_eq!(built.hierarchy.label(built.hierarchy.leaf(*code)), place.to_string());
        }
        assert!(built.hierarchy.is_numbered(node) && !built.hierarchy.is_numbered(built.hierarchy.leaf(0)));
        let built = build(&numbered(14), Order::Numeric).unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["[0,4]", "[5,9]", "[10,13]"], "numbers have intervals");
        assert!(!built.hierarchy.is_numbered(built.hierarchy.at_level(0, 1)));
        assert!(build(&domain(Kind::Text, &["a"]), Order::Numeric).is_err());
    }

    #[test]
    fn a_single_value_with_missing_ones_has_a_root() {
        let mut one = numbered(1);
        one.missing = Some("?");
        let built = build(&one, Order::Text).unwrap();
        assert_eq!((built.hierarchy.height(), built.missing), (1, Some(1)));
        assert_eq!(build(&numbered(0), Order::Text).unwrap().hierarchy.height(), 0);
    }

    #[test]
    fn a_node_bears_no_value_not_even_its_only_one() {
        let built = build(&numbered(6), Order::Text).unwrap();
        assert_eq!(path(&built.hierarchy, "5"), "5;group 2 of 2;*");
    }
}
