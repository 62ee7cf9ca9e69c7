//! Several tables about the same rows that are published side by side instead of one.

mod groups;
mod projections;

pub use groups::{GroupTables, GroupedOriginal, GroupsOutcome, Sums, check_groups};
pub use projections::{Joint, check_projections, projections_at_least};

use scumble_files::table::CodedTable;

/// Whether the rows of a table are sorted by their texts, column by column. This order reveals nothing beyond what the rows show.
/// In any other order, rows at the same position in two tables may be the same person's.
pub fn sorted_by_content(table: &CodedTable) -> bool {
    // Dictionaries are ascending, so codes are in the order of texts.
    let row = |row: usize| table.columns.iter().map(move |column| column.codes.get(row));
    (1..table.rows).all(|at| row(at - 1).le(row(at)))
}
