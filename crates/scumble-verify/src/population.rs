//! The people of a population, put into the classes of a release by nothing but what its labels say.

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
    /// One row a person; the quasi-identifiers are columns of the same names as in the release.
    pub table: &'a CodedTable,
    /// How the release's labels of each quasi-identifier are to be read.
    pub covers: Vec<(String, Cover)>,
}

/// How many people belong to each class.
pub(crate) struct People {
    pub(crate) of_class: Vec<u64>,
    /// Those whom no class covers but, if it is there, that of the star rows.
    pub(crate) outside: u64,
}

/// Up to so many combinations of labels are looked up one by one; where there are more, the classes are.
const FEW: usize = 64;

/// Where the people of a population belong.
pub(crate) struct Placed {
    /// The different people, by what is known of them.
    pub(crate) tuples: Groups,
    /// For each of them the classes that cover them, without that of the star rows.
    pub(crate) classes: Vec<Vec<usize>>,
}

impl Population<'_> {
    /// Counts the people of each class. Whoever is in none of them but would be among the star rows is outside.
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

    /// Looks everybody up in the classes of a release.
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
        // What the classes show, without that of the star rows.
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

/// The classes that show one of the labels in every column, ascending; and how many were tried.
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
