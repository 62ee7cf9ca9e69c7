//! `scumble check --row-map`: the private row map of a release.

use std::path::Path;

use scumble::release::check::cannot_check;
use scumble::{Error, Result};
use scumble_files::Source;
use scumble_verify::{Drops, Mapped, RowMap};

use super::super::beside::Original;
use crate::ui::Interface;

/// Reads a row map; an error if it is about another original than this file.
pub(super) fn read(path: &Path, original: &Source) -> Result<RowMap> {
    let text = std::fs::read(path)
        .map_err(|source| Error::io(format!("the row map '{}' cannot be read", path.display()), source))?;
    let map = RowMap::read(&text).map_err(cannot_check)?;
    map.check_original(&original.sha256()?).map_err(cannot_check)?;
    Ok(map)
}

/// For each row of a released table its original row.
pub(super) fn sources(
    path: &Path,
    original: &Original,
    release: &Source,
    rows: usize,
    interface: &Interface,
) -> Result<Vec<u32>> {
    let map = read(path, &original.source)?;
    let table = map.only_table().map_err(cannot_check)?;
    if !table.is_of(&release.sha256()?) {
        tell_other_files(interface);
    }
    let drops = if rows < original.table.rows { Drops::Allowed } else { Drops::Forbidden };
    let mapped = Mapped { map: &map, kept: &original.kept };
    mapped.sources(table, rows, drops).map_err(cannot_check)
}

/// What is to be known before anybody is accused.
pub(super) fn tell_other_files(interface: &Interface) {
    interface.warn(
        "the row map was written together with other files than these: they were changed since, or it belongs to another release",
    );
}
