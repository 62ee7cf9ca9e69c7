//! What is said about the cells of a sheet besides their values.

use calamine::Dimensions;

use super::head::Head;
use super::rows::Blank;

/// What was met while a sheet was read.
#[derive(Debug, Default)]
pub(super) struct Met {
    /// Cells with an error.
    pub(super) failed: u64,
    /// The last row that held something, counted from 0.
    pub(super) last: Option<u32>,
    /// Rows that held nothing, with others below them.
    pub(super) empty_rows: u64,
    pub(super) blank: Blank,
}

impl Met {
    /// What the user should know about the cells.
    pub(super) fn notes(&self, name: &str, head: &Head, merged: &[Dimensions]) -> Vec<String> {
        let mut notes = Vec::new();
        if self.blank.is_met && self.blank.column >= head.right() {
            let more = counted(
                u64::from(self.blank.column - head.right() + 1),
                "empty column was",
                "empty columns were",
            );
            notes.push(format!("'{name}': {more} left out behind the last name"));
        }
        let below = self.last.map_or(0, |last| u64::from(self.blank.row.saturating_sub(last)));
        if self.empty_rows + below > 0 {
            let rows = counted(self.empty_rows + below, "empty row was", "empty rows were");
            notes.push(format!("'{name}': {rows} left out"));
        }
        if self.failed > 0 {
            let cells = counted(self.failed, "cell holds an error", "cells hold an error");
            notes.push(format!("'{name}': {cells} (such as #N/A), and counted as missing"));
        }
        notes.extend(merged_note(name, head, self.last, merged));
        notes
    }
}

/// Says how many cells of the table are merged with another that has the value.
fn merged_note(name: &str, head: &Head, last: Option<u32>, merged: &[Dimensions]) -> Option<String> {
    let (last, right) = (last?, head.right() - 1);
    let inside = merged.iter().map(|area| {
        let rows = u64::from((area.end.0.min(last) + 1).saturating_sub(area.start.0.max(head.first)));
        let columns = u64::from((area.end.1.min(right) + 1).saturating_sub(area.start.1.max(head.left)));
        let has_first = area.start.0 >= head.first && area.start.1 >= head.left;
        (rows * columns).saturating_sub(u64::from(has_first))
    });
    let cells: u64 = inside.sum();
    (cells > 0).then(|| {
        format!(
            "'{name}': {} merged with another cell, which alone has the value, and counted as missing",
            counted(cells, "cell is", "cells are")
        )
    })
}

/// A number with its noun.
fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
