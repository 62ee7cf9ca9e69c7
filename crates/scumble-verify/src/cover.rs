//! Whether a released value is true of its original: how one column's texts are read.

use scumble_files::Control;
use scumble_files::table::Texts;

use crate::error::VerifyError;
use crate::value::ValueKind;
use crate::watch::Pace;

mod nodes;
mod reading;
#[cfg(test)]
mod tests;

pub use nodes::{Nodes, TreeTold};
pub(crate) use reading::{LabelIndex, Original, Range, Reading, Released};

/// How the released values of a coarsened column are read.
///
/// An original value is covered by
/// * `*`;
/// * the same text, or a number or date of the same value;
/// * a node's label, if the hierarchy has the original among the node's leaves. In number and date columns a leaf may be an
///   interval, and then every value inside it is below the leaf;
/// * an interval that contains its value;
/// * a set that names it, or a node above it.
///
/// In number columns an original may stand for many numbers itself: `>=90`, `<=18` or `[18,30)`, which steps have made. A released value
/// is true of it if it is true of all these numbers.
///
/// A node whose label is an interval or a set is true of what that interval or set says, and of nothing else. A missing original
/// is covered only by `*`, by a missing marker (also in a set) and by a node that has it among its leaves. A missing marker
/// covers nothing else.
#[derive(Debug, Clone)]
pub struct Cover {
    /// What the column's texts mean.
    pub kind: ValueKind,
    /// The column's hierarchy; empty if it has none.
    pub nodes: Nodes,
    /// The texts that stand for a missing value.
    pub missing: Vec<String>,
}

/// Returns, for each original text, the released texts that are true of it: their positions, ascending.
pub fn covering(
    cover: &Cover,
    released: &Texts,
    originals: &Texts,
    control: &Control,
) -> Result<Vec<Vec<u32>>, VerifyError> {
    covering_with(cover, released, originals, |found| found, control)
}

/// Returns the same in another form. `put` converts each list as soon as it is known, since all lists together may be large.
pub fn covering_with<T>(
    cover: &Cover,
    released: &Texts,
    originals: &Texts,
    put: impl Fn(Vec<u32>) -> T,
    control: &Control,
) -> Result<Vec<T>, VerifyError> {
    let mut pace = Pace::new(control);
    let reading = Reading::new(cover);
    let mut labels: Vec<Released> = Vec::with_capacity(released.len());
    for text in released.iter() {
        pace.tick(4)?;
        labels.push(reading.released(text));
    }
    let index = LabelIndex::new(&labels);
    let mut all = Vec::with_capacity(originals.len());
    for text in originals.iter() {
        let found = index.covering(&reading.original(text));
        // Every broad label is tried, including those that do not cover the text.
        pace.tick(4 + index.broad.len() / 4 + found.len())?;
        all.push(put(found));
    }
    Ok(all)
}
