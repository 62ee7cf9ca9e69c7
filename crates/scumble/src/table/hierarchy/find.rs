//! Finding the hierarchy file of a column in a folder.

use std::path::{Path, PathBuf};

use crate::error::{Error, Result, Setting};

/// The file `<column>.csv` or `*_hierarchy_<column>.csv` in a folder; two of them are an error.
pub fn find_in_dir(dir: &Path, column: &str) -> Result<Option<PathBuf>> {
    let io = |source| Error::io(format!("cannot look for hierarchies in {}", dir.display()), source);
    let (plain, suffix) = (format!("{column}.csv"), format!("_hierarchy_{column}.csv"));
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name == plain || name.ends_with(&suffix)) && path.is_file() {
            found.push(path);
        }
    }
    found.sort();
    match &found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        several => Err(Error::config(format!(
            "two hierarchies for column '{column}' in {}: {}",
            dir.display(),
            several
                .iter()
                .filter_map(|path| path.file_name())
                .map(|name| name.to_string_lossy())
                .collect::<Vec<_>>()
                .join(" and ")
        ))
        .advise("remove one of the files")
        .set(Setting::column("hierarchy").of(&[column]), "say which file is the column's hierarchy")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_names_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            std::fs::write(folder.path().join(name), "a;*").unwrap();
            folder.path().join(name)
        };
        let age = file("age.csv");
        let sex = file("adult_hierarchy_sex.csv");
        assert_eq!(find_in_dir(folder.path(), "age").unwrap(), Some(age));
        assert_eq!(find_in_dir(folder.path(), "sex").unwrap(), Some(sex));
        assert_eq!(find_in_dir(folder.path(), "ge").unwrap(), None);
        assert_eq!(find_in_dir(folder.path(), "hierarchy_sex").unwrap(), None);
        file("adult_hierarchy_age.csv");
        let message = find_in_dir(folder.path(), "age").unwrap_err().to_string();
        assert!(message.contains("adult_hierarchy_age.csv and age.csv"), "{message}");
        assert!(find_in_dir(&folder.path().join("none"), "age").is_err());
    }
}
