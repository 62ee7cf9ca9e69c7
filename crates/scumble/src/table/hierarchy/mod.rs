//! Generalisation hierarchies: trees over the values of a column, and the ways to make them.
//!
//! A column is first described as a [`Domain`] (its distinct values and how often they occur). A
//! [`Builder`], written by the user or chosen by [`automatic`], then turns it into a [`Hierarchy`]
//! whose leaves are the column's values. Hierarchies can be read from files ([`Builder::File`],
//! [`Builder::ParentChild`]), written ([`to_csv`]) and drawn ([`show`]).
//!
//! | file | idea |
//! |---|---|
//! | `tree.rs` `chains.rs` | the tree itself: nodes as contiguous ranges of leaf codes |
//! | `domain.rs` | what a builder receives about a column |
//! | `builder.rs` | what users can ask for, and the choice when they ask for nothing |
//! | `nested.rs` | trees of nested groups of ordered values, and the round edges between them |
//! | `intervals.rs` `mdlp.rs` `merging.rs` `alphabetic.rs` `initials.rs` `prefix.rs` `dates.rs` `moments.rs` | one way to build each |
//! | `cells.rs` `listing.rs` `file.rs` `parent_child.rs` | reading the two file formats |
//! | `bind.rs` `numeric.rs` `validate.rs` `labels.rs` | joining a file's tree with the data, and its checks |
//! | `find.rs` `show.rs` `outline.rs` | finding, drawing, and writing for people and programs |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod alphabetic;
mod bind;
mod builder;
mod cells;
mod chains;
mod dates;
mod domain;
mod file;
mod find;
mod initials;
mod intervals;
mod labels;
mod listing;
mod mdlp;
mod merging;
mod moments;
mod nested;
mod numeric;
mod outline;
mod parent_child;
mod prefix;
mod show;
mod stretches;
mod tree;
mod validate;

#[cfg(test)]
mod adult_tests;
#[cfg(test)]
mod law_tests;

pub use alphabetic::Order;
pub use bind::Unlisted;
pub use builder::{Builder, Quantity, Recipe, automatic, build};
pub use dates::{DateLevel, LifeStages};
pub use domain::{Built, Domain};
pub use find::find_in_dir;
pub(crate) use intervals::frequency_starts;
pub use listing::{Layout, Listing};
pub(crate) use mdlp::class_aware_starts;
pub use moments::{TimeLevel, TimestampLevel};
pub(crate) use outline::Outline;
pub use show::{show, to_csv};
pub(crate) use stretches::{reaching, stretches};
pub use tree::{Hierarchy, NodeId, Provenance};
