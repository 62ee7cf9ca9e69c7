//! Is a released value true of its original? The reading of one column's texts.

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

/// How the released values of a coarsened column are to be read.
///
/// An original value is covered by
/// * `*`;
/// * the same text, or a number or date of the same value;
/// * a node's label, if the hierarchy has the original among the node's leaves. In number and date columns a leaf may be an
///   interval, and then has every value inside it below it;
/// * an interval that contains its value;
/// * a set that names it, or a node above it.
///
/// A node that is called as an interval or a set is true of what the interval or the set says, and of nothing else. A missing original is covered only by `*`,
/// a missing marker (also in a set) and a node that has it among its leaves; a missing marker covers nothing else.
#[derive(Debug, Clone)]
pub struct Cover {
    /// What the column's texts mean.
    pub kind: ValueKind,
    /// The column's hierarchy; empty if there is none.
    pub nodes: Nodes,
    /// The texts that stand for a missing value.
    pub missing: Vec<String>,
}

/// For each original text the released texts that are true of it, by their places, ascending.
pub fn covering(
    cover: &Cover,
    released: &Texts,
    originals: &Texts,
    control: &Control,
) -> Result<Vec<Vec<u32>>, VerifyError> {
    covering_with(cover, released, originals, |found| found, control)
}

/// The same in another form, into which each list is put as soon as it is known: together they may be large.
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
        // Every broad label is tried, also those that do not cover it.
        pace.tick(4 + index.broad.len() / 4 + found.len())?;
        all.push(put(found));
    }
    Ok(all)
}
