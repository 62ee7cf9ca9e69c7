//! Several tables that were published together, as a reader who has them all reads them.

use std::path::{Path, PathBuf};

use scumble_files::table::CodedTable;
use scumble_files::{Control, ReadOptions, Source, read_table};

use super::manifest::Manifest;
use crate::config::Plan;
use crate::error::{Error, Result};
use crate::release::written::in_form;

/// Several tables and what they say about themselves.
#[derive(Debug)]
pub struct PublishedTables {
    /// The manifest, which says how the tables belong together.
    pub manifest: Manifest,
    /// The tables that the manifest names, in its order, as they are meant.
    pub tables: Vec<CodedTable>,
    /// Files next to them that the manifest does not name, and that are not checked.
    pub unnamed: Vec<String>,
    /// The folder that they were read from, if there is one.
    pub(crate) folder: Option<PathBuf>,
}

impl PublishedTables {
    /// Reads a folder. The plan says how tables are written.
    pub fn in_folder(folder: &Path, plan: &Plan, control: &Control) -> Result<Self> {
        let manifest = Manifest::load(folder)?;
        let sources = manifest.tables.iter().map(|table| Source::open(folder.join(&table.file)));
        let sources: Vec<Source> = sources.collect::<Result<_>>()?;
        let unnamed = unnamed(folder, &manifest)?;
        Ok(Self { unnamed, folder: Some(folder.to_owned()), ..Self::of(manifest, &sources, plan, control)? })
    }

    /// Reads tables wherever they are, in the order in which the manifest names them.
    pub fn of(manifest: Manifest, sources: &[Source], plan: &Plan, control: &Control) -> Result<Self> {
        if manifest.tables.len() != sources.len() {
            return Err(Error::config(format!(
                "the number of tables given is {}, and the manifest names {}",
                sources.len(),
                manifest.tables.len()
            )));
        }
        let form = &manifest.written;
        let options = ReadOptions {
            header: Some(true),
            control: control.clone(),
            ..in_form(form, crate::release::other_options(plan))
        };
        let read = |source: &Source| {
            form.meaning(read_table(source, &options)?.coded).map_err(crate::release::check::cannot_check)
        };
        let tables = sources.iter().map(read).collect::<Result<_>>()?;
        Ok(Self { manifest, tables, unnamed: Vec::new(), folder: None })
    }
}

fn unnamed(folder: &Path, manifest: &Manifest) -> Result<Vec<String>> {
    let unreadable = |source| Error::io(format!("the folder '{}' cannot be read", folder.display()), source);
    let mut unnamed = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        if !manifest.files().contains(&name.as_str()) {
            unnamed.push(name);
        }
    }
    unnamed.sort_unstable();
    Ok(unnamed)
}
