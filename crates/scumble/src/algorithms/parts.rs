//! Columns cut into parts of neighbouring codes, and what the parts show.

use crate::quasi::{Quasi, Shape, Value};

/// What each code of a column shows: the smallest value that covers its part. Parts are given by the first and last code
/// that occurs in them. A code in no part shows nothing, unless what a part shows covers it.
pub(super) fn shown(quasi: &Quasi, parts: impl Iterator<Item = (u32, u32)>) -> Vec<Value> {
    let mut map = vec![Value::Star; quasi.size() as usize];
    for (low, high) in parts {
        let value = quasi.cover(low, high);
        // A node may cover codes beside those that occur; a star says nothing about any other code.
        let (low, high) = if value == Value::Star { (low, high) } else { quasi.codes(value) };
        map[low as usize..=high as usize].fill(value);
    }
    map
}

/// Whether a value is written as a suppressed one is.
pub(super) fn is_star(quasi: &Quasi, value: Value) -> bool {
    match (value, &quasi.shape) {
        (Value::Star, _) => true,
        (Value::Node(node), Shape::Tree(tree)) => {
            !tree.is_leaf(node) && tree.label(node) == crate::label::STAR
        }
        _ => false,
    }
}
