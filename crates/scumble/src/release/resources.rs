//! What a plan names besides its table: hierarchies, a population, tables that were published before.
//!
//! Preparation, search and checks ask for them here and know no paths. They are files beside the plan, or a program gives them.
//! Each is read when it is first needed, and kept for the run: a comparison of a hundred releases reads it once, and the next run
//! sees what has changed since.

use std::collections::HashMap;
use std::hash::Hash;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use scumble_files::database::located;
use scumble_files::table::CodedTable;
use scumble_files::{Batches, Control, Source};
use scumble_verify::WrittenForm;

use crate::base::key::Key;
use crate::config::{Column, Plan};
use crate::error::{Error, Result, Setting, did_you_mean};
use crate::release::key_file::key_of;
use crate::release::prepare::population::PopulationTable;
use crate::table::hierarchy::{self, Builder, Layout, Listing, Recipe, Unlisted};

/// Hierarchies, a population and earlier tables. Clones share what was read.
#[derive(Debug, Clone, Default)]
pub struct Resources {
    /// The folder that a plan's file names are relative to; `None` where there are no files.
    folder: Option<PathBuf>,
    /// The hierarchies that a program gave, by column.
    hierarchies: HashMap<String, Arc<Listing>>,
    /// The tables that a program gave, by their name in the plan.
    tables: HashMap<String, Batches>,
    control: Control,
    kept: Arc<Kept>,
}

type KeptBy<K, V> = Mutex<HashMap<K, Arc<V>>>;

/// Everything that was read already.
#[derive(Debug, Default)]
struct Kept {
    listings: KeptBy<(PathBuf, Layout), Listing>,
    tables: KeptBy<String, CodedTable>,
    /// By name and columns.
    populations: KeptBy<(String, String), PopulationTable>,
}

/// Returns what was read before, or reads it now.
fn kept<K: Eq + Hash, V>(kept: &KeptBy<K, V>, key: K, read: impl FnOnce(&K) -> Result<V>) -> Result<Arc<V>> {
    let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&key) {
        return Ok(known.clone());
    }
    let found = Arc::new(read(&key)?);
    lock().insert(key, found.clone());
    Ok(found)
}

impl Resources {
    /// The files of a folder, such as the one that a plan is in.
    pub fn in_folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), ..Self::default() }
    }

    /// Adds a hierarchy for a column, as the text of a hierarchy file: a line for each value, `value;level 1;…;top`. It takes the place of
    /// a file that the plan names for the column.
    pub fn with_hierarchy(self, column: &str, lines: &str) -> Result<Self> {
        let listing = Listing::parse(lines, &format!("the hierarchy of '{column}'"), Layout::Leaves)?;
        Ok(self.with_listing(column, listing))
    }

    /// Adds a hierarchy that was read already, in any layout.
    #[must_use]
    pub fn with_listing(mut self, column: &str, listing: Listing) -> Self {
        self.hierarchies.insert(column.to_owned(), Arc::new(listing));
        self.for_a_run()
    }

    /// Adds a table that a plan names: its input, its population, or one that was published before.
    #[must_use]
    pub fn with_table(mut self, name: &str, table: impl Into<Batches>) -> Self {
        self.tables.insert(name.to_owned(), table.into());
        self.for_a_run()
    }

    /// Returns the same resources with nothing read yet.
    #[must_use]
    pub fn for_a_run(&self) -> Self {
        Self { kept: Arc::default(), ..self.clone() }
    }

    /// Reads under a control, through which somebody may stop the run.
    #[must_use]
    pub fn watched_by(self, control: &Control) -> Self {
        Self { control: control.clone(), ..self }
    }

    /// The control of the run.
    #[must_use]
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// How the hierarchy of a column is to be built: as the plan says, from what was given, or from a file in the plan's folder of
    /// hierarchies. `None` if there is none of these.
    pub(crate) fn recipe(&self, name: &str, column: &Column, plan: &Plan) -> Result<Option<Recipe>> {
        let of_file = |path: PathBuf| Builder::File { path, unlisted: Unlisted::Error };
        let given = self.hierarchies.get(name).cloned();
        match (&column.hierarchy, given) {
            (Some(builder), Some(_)) if builder.file().is_none() => {
                return Err(Error::config(format!(
                    "a hierarchy was given for column '{name}', and the plan builds one"
                ))
                .unset(Setting::column("hierarchy").of(&[name]), "leave the plan's hierarchy out")
                .advise("leave the given hierarchy out"));
            }
            (Some(builder), given) => {
                let file = builder.file().filter(|_| given.is_none());
                let read = file.map(|(path, layout)| self.listing(self.path(path, "hierarchy")?, layout));
                let read = read.transpose()?;
                return Ok(Some(Recipe { builder: builder.clone(), listing: given.or(read) }));
            }
            (None, Some(given)) => {
                return Ok(Some(Recipe { builder: of_file(name.into()), listing: Some(given) }));
            }
            (None, None) => {}
        }
        let Some(folder) = self.hierarchy_folder(plan)? else { return Ok(None) };
        let Some(path) = hierarchy::find_in_dir(&folder, name)? else { return Ok(None) };
        let listing = self.listing(path.clone(), Layout::Leaves)?;
        Ok(Some(Recipe { builder: of_file(path), listing: Some(listing) }))
    }

    /// Returns an error if the plan's folder of hierarchies is not there.
    pub(crate) fn check_hierarchy_folder(&self, plan: &Plan) -> Result<()> {
        match self.hierarchy_folder(plan)? {
            Some(folder) if !folder.is_dir() => {
                Err(Error::config(format!("the hierarchy folder '{}' does not exist", folder.display())))
            }
            _ => Ok(()),
        }
    }

    /// A warning for each file in the folder of hierarchies that is called nearly, but not quite, like a column.
    pub(crate) fn misspelt_hierarchies(&self, plan: &Plan) -> Result<Vec<String>> {
        let Some(folder) = self.hierarchy_folder(plan)? else { return Ok(Vec::new()) };
        let entries = std::fs::read_dir(&folder)
            .map_err(|source| Error::io(format!("cannot look into '{}'", folder.display()), source))?;
        let mut files: Vec<String> =
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        files.sort();
        let names: Vec<&str> = plan.columns.iter().map(|(name, _)| name.as_str()).collect();
        let warning = |file: &String| {
            let stem = file.strip_suffix(".csv")?;
            let column = stem.rsplit_once("_hierarchy_").map_or(stem, |(_, column)| column);
            let near = did_you_mean(column, names.iter().copied());
            let fits = names.contains(&column) || near.is_empty();
            (!fits).then(|| {
                format!("'{file}' in '{}' fits no column, so it is not used{near}", folder.display())
            })
        };
        Ok(files.iter().filter_map(warning).collect())
    }

    /// Returns an error if something was given that the plan has no use for: a column would be protected in another way than somebody thinks.
    /// The plan must have every column.
    pub(crate) fn check_used(&self, plan: &Plan) -> Result<()> {
        let names = plan.columns.iter().map(|(name, _)| name.as_str());
        let mut columns: Vec<&String> = self.hierarchies.keys().collect();
        columns.sort();
        for name in columns {
            match plan.column(name) {
                Some(column) if column.uses_hierarchy() => {}
                Some(column) => {
                    return Err(Error::config(format!(
                        "a hierarchy was given for column '{name}', but in the role {} it is never generalised",
                        column.role.to_toml()
                    ))
                    .advise("leave the hierarchy out")
                    .advise("change the role of the column"));
                }
                None => {
                    let near = did_you_mean(name, names);
                    return Err(Error::config(format!(
                        "a hierarchy was given for column '{name}', and there is no such column{near}"
                    )));
                }
            }
        }
        let named = || {
            let others = plan.table.iter().map(|table| table.file.as_str());
            others.chain(plan.population.as_deref()).chain([plan.input.as_str()])
        };
        let mut tables: Vec<&String> = self.tables.keys().collect();
        tables.sort();
        match tables.into_iter().find(|table| named().all(|name| name != *table)) {
            None => Ok(()),
            Some(table) => Err(Error::config(format!(
                "a table '{table}' was given, and the plan does not name it{}",
                did_you_mean(table, named())
            ))),
        }
    }

    /// The table of a plan; `-` is standard input.
    pub fn input(&self, plan: &Plan) -> Result<Source> {
        match plan.input.as_str() {
            "-" if self.folder.is_some() => Ok(Source::open("-")?),
            name => self.source(name),
        }
    }

    /// Another table that a plan names: its population, or one that was published before.
    pub fn source(&self, name: &str) -> Result<Source> {
        match self.tables.get(name) {
            Some(table) => Ok(Source::from_batches(table.clone(), name)),
            None => Ok(Source::open(self.path(Path::new(name), "table")?)?),
        }
    }

    /// The text of a file that a plan names.
    pub(crate) fn text(&self, name: &str) -> Result<String> {
        let path = self.path(Path::new(name), "file")?;
        let bytes = scumble_files::limits::read_whole(&path)
            .map_err(|source| scumble_files::cannot_read("the file", &path, source))?;
        String::from_utf8(bytes)
            .map_err(|_| Error::data("the file is not UTF-8 text").in_file(name).advise("save it as UTF-8"))
    }

    /// The secret key of a plan.
    pub(crate) fn key(&self, plan: &Plan) -> Result<Key> {
        key_of(plan, self.folder())
    }

    /// The folder that a plan's file names are relative to, if there are files.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// How a table is written, as the datasheet beside it says.
    pub(crate) fn written_form(&self, name: &str) -> WrittenForm {
        let folder = self.folder.as_ref().filter(|_| !self.tables.contains_key(name));
        folder.map(|folder| crate::release::written_form(&folder.join(name))).unwrap_or_default()
    }

    /// The hierarchies that a program gave, as text, so that a caller can tell whether they have changed.
    #[must_use]
    pub fn given_hierarchies(&self) -> String {
        let mut given: Vec<_> = self.hierarchies.iter().collect();
        given.sort_by_key(|(name, _)| *name);
        if given.is_empty() { String::new() } else { format!("{given:?}") }
    }

    /// Returns a table that was read before, or reads it now.
    pub(crate) fn kept_table(
        &self,
        name: &str,
        read: impl FnOnce() -> Result<CodedTable>,
    ) -> Result<Arc<CodedTable>> {
        kept(&self.kept.tables, name.to_owned(), |_| read())
    }

    /// Returns a population that was read before, or reads it now.
    pub(crate) fn kept_population(
        &self,
        key: (String, String),
        read: impl FnOnce() -> Result<PopulationTable>,
    ) -> Result<Arc<PopulationTable>> {
        kept(&self.kept.populations, key, |_| read())
    }

    /// The tree that a file lists.
    fn listing(&self, path: PathBuf, layout: Layout) -> Result<Arc<Listing>> {
        kept(&self.kept.listings, (path, layout), |(path, layout)| Listing::load(path, *layout))
    }

    fn hierarchy_folder(&self, plan: &Plan) -> Result<Option<PathBuf>> {
        plan.hierarchies.as_ref().map(|name| self.path(Path::new(name), "folder of hierarchies")).transpose()
    }

    /// Where a file is that a plan names.
    fn path(&self, name: &Path, what: &str) -> Result<PathBuf> {
        let folder = self.folder.as_ref().ok_or_else(|| {
            Error::config(format!(
                "the plan names the {what} '{}', and no files are read here",
                name.display()
            ))
            .advise("give the table by the name that the plan has for it, or the hierarchy by its column")
            .advise("leave what is not given out of the plan")
        })?;
        Ok(name.to_str().map_or_else(|| folder.join(name), |name| located(folder, name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Role, Roles};

    /// Paths in a plan are resolved against its folder once, not twice, even where the folder itself is relative.
    #[test]
    fn files_are_beside_the_plan() {
        let here = std::env::current_dir().expect("a folder");
        let folder = tempfile::tempdir_in(&here).expect("a folder");
        std::fs::create_dir(folder.path().join("trees")).expect("a folder");
        std::fs::write(folder.path().join("trees/town.csv"), "a;*\nb;*\n").expect("a file");
        let relative = folder.path().strip_prefix(&here).expect("it is below");
        let resources = Resources::in_folder(relative);
        let mut plan = Plan::new("in.csv", "out.csv");
        let mut column = Column::new(Roles::one(Role::Quasi));
        assert!(resources.recipe("town", &column, &plan).expect("nothing is asked").is_none());
        plan.hierarchies = Some("trees".to_owned());
        assert!(resources.recipe("town", &column, &plan).expect("a file").is_some());
        assert!(resources.recipe("job", &column, &plan).expect("no file").is_none());
        column.hierarchy = Some(Builder::File { path: "trees/town.csv".into(), unlisted: Unlisted::Error });
        let own = resources.recipe("job", &column, &plan).expect("a file").expect("a recipe");
        assert!(own.listing.is_some());
        plan.hierarchies = Some("gone".to_owned());
        let error = resources.check_hierarchy_folder(&plan).expect_err("no folder").to_string();
        assert!(error.contains("does not exist"), "{error}");
    }

    /// A run reads a file once; the next one reads it anew.
    #[test]
    fn what_was_read_is_kept_for_a_run() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |text: &str| std::fs::write(folder.path().join("tree.csv"), text).expect("a file");
        write("a;*\n");
        let resources = Resources::in_folder(folder.path());
        let leaves = |resources: &Resources| {
            let path = resources.path(Path::new("tree.csv"), "hierarchy").expect("a path");
            resources.listing(path, Layout::Leaves).expect("a listing").len()
        };
        assert_eq!(leaves(&resources), 2);
        write("a;*\nb;*\n");
        assert_eq!((leaves(&resources), leaves(&resources.clone())), (2, 2));
        assert_eq!(leaves(&resources.for_a_run()), 3);
    }

    /// A hierarchy can only be given for a column that is generalised; another column would be protected in another way than somebody
    /// thinks.
    #[test]
    fn what_is_given_must_be_of_use() {
        let mut plan = Plan::new("in.csv", "out.csv");
        plan.columns.push(("town".to_owned(), Column::new(Roles::one(Role::Quasi))));
        plan.columns.push(("note".to_owned(), Column::new(Roles::one(Role::Other))));
        let given = |column: &str| {
            let resources = Resources::default().with_hierarchy(column, "a;*\nb;*\n").expect("a hierarchy");
            resources.check_used(&plan).map_err(|error| error.to_string())
        };
        assert_eq!(given("town"), Ok(()));
        assert!(given("note").is_err_and(|text| text.contains("it is never generalised")));
        assert!(
            given("twon")
                .is_err_and(|text| text.contains("there is no such column") && text.contains("town"))
        );
    }
}
