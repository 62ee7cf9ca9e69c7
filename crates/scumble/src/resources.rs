//! What a plan names besides its table: hierarchies, a population, tables that were published before.
//!
//! Whoever prepares, searches or checks asks for them here and knows no path. They are files beside the plan, or a program gives them.
//! Each is read when it is first needed, and then kept: a comparison of a hundred releases reads a hierarchy once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use scumble_files::table::CodedTable;
use scumble_files::{Batches, Control, Source};

use crate::config::{Column, Plan};
use crate::error::{Error, Result, did_you_mean};
use crate::hierarchy::{self, Builder, Layout, Listing, Recipe, Unlisted};

/// Hierarchies, a population and earlier tables. Clones share what was read.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// The folder that a plan's file names are relative to; `None` where there are no files.
    folder: Option<PathBuf>,
    /// By column, what a program gave.
    hierarchies: HashMap<String, Arc<Listing>>,
    /// By the name that a plan calls them, what a program gave.
    tables: HashMap<String, Batches>,
    control: Control,
    kept: Arc<Kept>,
}

/// What was read already.
#[derive(Debug, Default)]
struct Kept {
    listings: Mutex<HashMap<PathBuf, Arc<Listing>>>,
    tables: Mutex<HashMap<String, Arc<CodedTable>>>,
}

impl Resources {
    /// The files of a folder, such as the one that a plan is in.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..Self::default() }
    }

    /// With a hierarchy for a column, as the text of a hierarchy file: a line for each value, `value;level 1;…;top`.
    pub fn with_hierarchy(mut self, column: &str, lines: &str) -> Result<Self> {
        let listing = Listing::parse(lines, &format!("the hierarchy of '{column}'"), Layout::Leaves)?;
        self.hierarchies.insert(column.to_owned(), Arc::new(listing));
        Ok(self)
    }

    /// With a table that a plan names: its input, its population, or one that was published before.
    #[must_use]
    pub fn with_table(mut self, name: &str, table: Batches) -> Self {
        self.tables.insert(name.to_owned(), table);
        self
    }

    /// The same, read under the eyes of somebody who may end it.
    #[must_use]
    pub fn watched_by(self, control: &Control) -> Self {
        Self { control: control.clone(), ..self }
    }

    /// Who watches what is read.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// How the hierarchy of a column is to be built: as the plan says, from what was given, or from a file in the plan's folder of
    /// hierarchies. `None` if nobody says anything.
    pub(crate) fn recipe(&self, name: &str, column: &Column, plan: &Plan) -> Result<Option<Recipe>> {
        if let Some(builder) = &column.hierarchy {
            let listing = builder.file().map(|(path, layout)| self.listing(path, layout)).transpose()?;
            return Ok(Some(Recipe { builder: builder.clone(), listing }));
        }
        let of_file = |path: PathBuf| Builder::File { path, unlisted: Unlisted::Error };
        if let Some(listing) = self.hierarchies.get(name) {
            return Ok(Some(Recipe { builder: of_file(name.into()), listing: Some(listing.clone()) }));
        }
        let Some(folder) = self.hierarchy_folder(plan)? else { return Ok(None) };
        let Some(path) = hierarchy::find_in_dir(&folder, name)? else { return Ok(None) };
        let listing = self.listing(&path, Layout::Leaves)?;
        Ok(Some(Recipe { builder: of_file(path), listing: Some(listing) }))
    }

    /// An error if the plan's folder of hierarchies is not there.
    pub(crate) fn check_hierarchy_folder(&self, plan: &Plan) -> Result<()> {
        match self.hierarchy_folder(plan)? {
            Some(folder) if !folder.is_dir() => {
                Err(Error::config(format!("the hierarchy folder '{}' does not exist", folder.display())))
            }
            _ => Ok(()),
        }
    }

    /// A warning for each hierarchy that is called nearly, but not quite, like a column.
    pub(crate) fn misspelt_hierarchies(&self, plan: &Plan) -> Result<Vec<String>> {
        let names: Vec<&str> = plan.columns.iter().map(|(name, _)| name.as_str()).collect();
        let warning = |what: &str, column: &str| {
            let near = did_you_mean(column, names.iter().copied());
            let fits = names.contains(&column) || near.is_empty();
            (!fits).then(|| format!("{what} fits no column, so it is not used{near}"))
        };
        let mut given: Vec<&String> = self.hierarchies.keys().collect();
        given.sort();
        let mut warnings: Vec<String> =
            given.iter().filter_map(|name| warning(&format!("the hierarchy of '{name}'"), name)).collect();
        let Some(folder) = self.hierarchy_folder(plan)? else { return Ok(warnings) };
        let entries = std::fs::read_dir(&folder).map_err(|source| Error::Io {
            what: format!("cannot look into '{}'", folder.display()),
            source,
        })?;
        let mut files: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        files.sort();
        warnings.extend(files.iter().filter_map(|file| {
            let stem = file.strip_suffix(".csv")?;
            let column = stem.rsplit_once("_hierarchy_").map_or(stem, |(_, column)| column);
            warning(&format!("'{file}' in '{}'", folder.display()), column)
        }));
        Ok(warnings)
    }

    /// A table that a plan names: its input, its population, or one that was published before. `-` is standard input.
    pub fn source(&self, name: &str) -> Result<Source> {
        match (self.tables.get(name), name) {
            (Some(table), _) => Ok(Source::from_batches(table.clone(), name)),
            (None, "-") if self.folder.is_some() => Ok(Source::open(name)?),
            (None, _) => Ok(Source::open(self.path(Path::new(name), "table")?)?),
        }
    }

    /// The folder that a plan's file names are relative to, where there are files.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Whether the datasheet beside a table says that it is written in the form that no spreadsheet program runs.
    pub(crate) fn is_spreadsheet_safe(&self, name: &str) -> bool {
        let path = self.folder.as_ref().filter(|_| !self.tables.contains_key(name));
        path.is_some_and(|folder| crate::release::is_spreadsheet_safe(&folder.join(name)))
    }

    /// A table that was read before, or is read now.
    pub(crate) fn kept_table(
        &self,
        name: &str,
        read: impl FnOnce() -> Result<CodedTable>,
    ) -> Result<Arc<CodedTable>> {
        let kept = || self.kept.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = kept().get(name) {
            return Ok(table.clone());
        }
        let table = Arc::new(read()?);
        kept().insert(name.to_owned(), table.clone());
        Ok(table)
    }

    /// The tree that a file lists.
    fn listing(&self, path: &Path, layout: Layout) -> Result<Arc<Listing>> {
        let path = self.path(path, "hierarchy")?;
        let kept = || self.kept.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = kept().get(&path) {
            return Ok(listing.clone());
        }
        let listing = Arc::new(Listing::load(&path, layout)?);
        kept().insert(path, listing.clone());
        Ok(listing)
    }

    fn hierarchy_folder(&self, plan: &Plan) -> Result<Option<PathBuf>> {
        plan.hierarchies.as_ref().map(|name| self.path(Path::new(name), "folder of hierarchies")).transpose()
    }

    /// Where a file is that a plan names.
    fn path(&self, name: &Path, what: &str) -> Result<PathBuf> {
        let folder = self.folder.as_ref().ok_or_else(|| {
            Error::config(format!(
                "the plan names the {what} '{}', and no files are read here; give it to the run by this name",
                name.display()
            ))
        })?;
        Ok(folder.join(name))
    }
}
