//! Puts the people of a population into the equivalence classes of a release, by nothing but the release's labels.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use scumble_files::Control;
use scumble_files::table::CodedTable;

use crate::columns::{POPULATION, RELEASE, check_size, column, part};
use crate::cover::{Cover, LabelIndex, Reading, Released};
use crate::error::VerifyError;
use crate::group::{Groups, group};
use crate::watch::{Pace, check};

/// A table of people, of whom some are in the release.
#[derive(Debug, Clone)]
pub struct Population<'a> {
    /// One row for each person. The quasi-identifiers are columns with the same names as in the release.
    pub table: &'a CodedTable,
    /// How the release's labels of each quasi-identifier are read.
    pub covers: Vec<(String, Cover)>,
}

/// The number of people who belong to each class.
pub(crate) struct People {
    pub(crate) of_class: Vec<u64>,
    /// The number of people whom no class covers except, if there is one, that of the suppressed rows.
    pub(crate) outside: u64,
}

/// Up to this many combinations of labels are looked up one by one. With more, all classes are gone through instead.
const FEW: usize = 64;

/// The classes that the people of a population belong to.
pub(crate) struct Placed {
    /// The distinct people, by what is known of them.
    pub(crate) tuples: Groups,
    /// For each of these, the classes that cover them, without that of the suppressed rows.
    pub(crate) classes: Vec<Vec<usize>>,
}

impl Population<'_> {
    /// Counts the people of each class. People who are in none of them, and so would be among the suppressed rows, count as outside.
    pub(crate) fn people(
        &self,
        release: &CodedTable,
        names: &[String],
        groups: &Groups,
        star: Option<usize>,
        control: &Control,
    ) -> Result<People, VerifyError> {
        let placed = self.placed(release, names, groups, star, control)?;
        let mut counted = People { of_class: vec![0; groups.len()], outside: 0 };
        let tuples = placed.tuples.first_row.iter().zip(&placed.tuples.size);
        for ((row, size), classes) in tuples.zip(&placed.classes) {
            match classes[..] {
                [] => counted.outside += size,
                [class] => counted.of_class[class] += size,
                _ => {
                    return Err(VerifyError::Population {
                        why: format!(
                            "its row {} fits several classes of the release, so it cannot be told in which that person would be; \
                             models that compare with a population need labels that do not overlap in any column",
                            row + 1
                        ),
                    });
                }
            }
        }
        Ok(counted)
    }

    /// Finds the classes of a release that each person fits.
    pub(crate) fn placed(
        &self,
        release: &CodedTable,
        names: &[String],
        groups: &Groups,
        star: Option<usize>,
        control: &Control,
    ) -> Result<Placed, VerifyError> {
        check_size(self.table, POPULATION)?;
        let released =
            names.iter().map(|name| column(release, RELEASE, name)).collect::<Result<Vec<_>, _>>()?;
        let people =
            names.iter().map(|name| column(self.table, POPULATION, name)).collect::<Result<Vec<_>, _>>()?;
        // The codes that each class shows, without that of the suppressed rows.
        let mut classes: HashMap<Vec<u32>, usize, FixedState> = HashMap::default();
        for (class, &row) in groups.first_row.iter().enumerate().filter(|(class, _)| Some(*class) != star) {
            classes.insert(released.iter().map(|column| column.codes.get(row as usize)).collect(), class);
        }
        let mut pace = Pace::new(control);
        let mut covering: Vec<Vec<Vec<u32>>> = Vec::new();
        for (place, name) in names.iter().enumerate() {
            let Some((_, cover)) = self.covers.iter().find(|(of, _)| of == name) else {
                return Err(VerifyError::Population {
                    why: format!("nobody says how the labels of `{name}` are to be read"),
                });
            };
            let mut shown: Vec<u32> = classes.keys().map(|codes| codes[place]).collect();
            shown.sort_unstable();
            shown.dedup();
            let reading = Reading::new(cover);
            let labels: Vec<Released> =
                shown.iter().map(|&code| reading.released(released[place].values.get(code))).collect();
            let index = LabelIndex::new(&labels);
            let of_text = |text| {
                let found = index.covering(&reading.original(text));
                // Every broad label is tried.
                pace.tick(4 + found.len().max(labels.len() / 4))?;
                Ok(found.into_iter().map(|at| shown[at as usize]).collect())
            };
            covering.push(people[place].values.iter().map(of_text).collect::<Result<_, VerifyError>>()?);
        }
        let parts: Vec<_> = people.iter().map(|column| part(column)).collect();
        let tuples = group(&parts, self.table.rows);
        check(control)?;
        let of_tuple = |&row: &u32| {
            let labels: Vec<&[u32]> = people
                .iter()
                .zip(&covering)
                .map(|(column, covering)| &covering[column.codes.get(row as usize) as usize][..])
                .collect();
            let (found, tried) = classes_of(&labels, &classes);
            pace.tick(1 + tried)?;
            Ok(found)
        };
        let classes = tuples.first_row.iter().map(of_tuple).collect::<Result<_, VerifyError>>()?;
        Ok(Placed { tuples, classes })
    }
}

/// Returns the classes that show one of the labels in every column, ascending, and a measure of how many were tried.
fn classes_of(labels: &[&[u32]], classes: &HashMap<Vec<u32>, usize, FixedState>) -> (Vec<usize>, usize) {
    let combinations = labels.iter().try_fold(1_usize, |all, labels| all.checked_mul(labels.len()));
    if combinations.is_some_and(|combinations| combinations <= FEW) {
        let mut shown = vec![Vec::new()];
        for labels in labels {
            shown = shown
                .iter()
                .flat_map(|front: &Vec<u32>| labels.iter().map(|label| [&front[..], &[*label]].concat()))
                .collect();
        }
        let mut found: Vec<usize> = shown.iter().filter_map(|shown| classes.get(shown).copied()).collect();
        found.sort_unstable();
        return (found, shown.len());
    }
    let fits = |shown: &Vec<u32>| shown.iter().zip(labels).all(|(label, labels)| labels.contains(label));
    let mut found: Vec<usize> =
        classes.iter().filter(|(shown, _)| fits(shown)).map(|(_, class)| *class).collect();
    found.sort_unstable();
    (found, classes.len() / 4)
}
