//! Checks and selects columns by their names.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{Error, Result, Setting};
use crate::shown::{listed, on_one_line};

/// The columns of a file that are read.
#[derive(Debug)]
pub(crate) struct Selection {
    /// The names of the selected columns, in the order of the file.
    pub(crate) names: Vec<String>,
    /// For each column of the file, its position among the selected ones.
    pub(crate) places: Vec<Option<usize>>,
}

/// Checks the names of a file's columns: each must have a name, and no two the same.
pub(crate) fn check(file: &str, names: &[String]) -> Result<()> {
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, name) in names.iter().enumerate() {
        let position = index + 1;
        if name.trim().is_empty() {
            let what = format!("'{file}': column {position} of {} has no name", names.len());
            return Err(Error::data(what)
                .advise("give the column a name in the header")
                .set(Setting::read("skip_rows"), "skip the rows above the header, if there are any"));
        }
        if let Some(earlier) = first.insert(name, position) {
            let name = on_one_line(name);
            let what = format!("'{file}': columns {earlier} and {position} are both named '{name}'");
            return Err(Error::data(what).advise("rename one of the two columns"));
        }
    }
    Ok(())
}

impl Selection {
    /// Selects the wanted columns of a file, or all of them.
    pub(crate) fn new(file: &str, names: Vec<String>, wanted: Option<&[String]>) -> Result<Self> {
        let Some(wanted) = wanted else {
            let places = (0..names.len()).map(Some).collect();
            return Ok(Self { names, places });
        };
        let there: BTreeSet<&String> = names.iter().collect();
        if let Some(missing) = wanted.iter().find(|name| !there.contains(name)) {
            let all: Vec<&str> = names.iter().map(String::as_str).collect();
            return Err(Error::config(format!(
                "'{file}' has no column '{}' (its columns are {})",
                on_one_line(missing),
                listed(&all)
            )));
        }
        let wanted: BTreeSet<&String> = wanted.iter().collect();
        let mut selected = Vec::with_capacity(wanted.len());
        let mut places = Vec::with_capacity(names.len());
        for name in names {
            places.push(wanted.contains(&name).then_some(selected.len()));
            if wanted.contains(&name) {
                selected.push(name);
            }
        }
        Ok(Self { names: selected, places })
    }

    /// The column of the file that has that position among the selected ones.
    pub(crate) fn column_of(&self, place: usize) -> usize {
        self.places.iter().position(|found| *found == Some(place)).unwrap_or(place)
    }

    /// The selected columns of the file.
    pub(crate) fn columns(&self) -> Vec<usize> {
        (0..self.places.len()).filter(|&column| self.places[column].is_some()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn names_must_be_there_and_differ() {
        assert!(check("t.csv", &strings(&["a", "b", "A"])).is_ok());
        let message = check("t.csv", &strings(&["a", "b", "a"])).unwrap_err().to_string();
        assert_eq!(message, "'t.csv': columns 1 and 3 are both named 'a'; rename one of the two columns");
        let message = check("t.csv", &strings(&["a", " "])).unwrap_err().to_string();
        assert_eq!(
            message,
            "'t.csv': column 2 of 2 has no name; give the column a name in the header, or skip the rows above the header, if there are any \
             ([read] skip_rows)"
        );
    }

    #[test]
    fn a_selection_keeps_the_order_of_the_file() {
        let names = strings(&["a", "b", "c"]);
        let selection = Selection::new("t", names.clone(), Some(&strings(&["c", "a", "c"]))).unwrap();
        assert_eq!(selection.names, ["a", "c"]);
        assert_eq!(selection.places, [Some(0), None, Some(1)]);
        let message = Selection::new("t", names, Some(&strings(&["d"]))).unwrap_err().to_string();
        assert_eq!(message, "'t' has no column 'd' (its columns are a, b, c)");
    }
}
