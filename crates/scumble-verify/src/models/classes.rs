//! The equivalence classes of a release, and how often values occur in them.

use scumble_files::table::{CodedColumn, CodedTable};

use super::StarRows;
use crate::columns::{RELEASE, check_distinct, check_size, column, part};
use crate::error::VerifyError;
use crate::group::{Groups, Histograms, Weights, group};
use crate::label::SUPPRESSED;

/// The equivalence classes of a release, and which of them are checked.
pub(super) struct Classes {
    pub(super) groups: Groups,
    /// The class of the suppressed rows, if there is one.
    pub(super) star: Option<usize>,
    pub(super) star_rule: StarRows,
}

impl Classes {
    pub(super) fn of(
        release: &CodedTable,
        quasi: &[String],
        star_rule: StarRows,
    ) -> Result<Self, VerifyError> {
        check_size(release, RELEASE)?;
        if quasi.is_empty() {
            return Err(VerifyError::NoQuasi);
        }
        check_distinct(quasi.iter().map(String::as_str), "list of quasi-identifiers")?;
        let columns =
            quasi.iter().map(|name| column(release, RELEASE, name)).collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<_> = columns.iter().map(|column| part(column)).collect();
        let groups = group(&parts, release.rows);
        let stars: Option<Vec<u32>> =
            columns.iter().map(|column| column.values.find_sorted(SUPPRESSED)).collect();
        let star = stars.and_then(|stars| {
            groups.first_row.iter().position(|&row| {
                columns.iter().zip(&stars).all(|(column, &star)| column.codes.get(row as usize) == star)
            })
        });
        Ok(Self { groups, star, star_rule })
    }

    /// Returns the same classes, with each row counting as often as `weights` says.
    pub(super) fn weighted(self, weights: Option<Weights>) -> Self {
        Self { groups: self.groups.weighted(weights), ..self }
    }

    /// Returns the classes that some of the columns form. Suppressed rows are in the class that shows `*` in all of these columns; if
    /// suppressed rows are not checked, that class is not checked.
    pub(super) fn on(&self, release: &CodedTable, columns: &[String]) -> Result<Self, VerifyError> {
        let mut classes = Self::of(release, columns, self.star_rule)?.weighted(self.groups.weights.clone());
        let star_row = self.star.map(|class| self.groups.first_row[class] as usize);
        classes.star = star_row.map(|row| classes.groups.of_row[row] as usize);
        Ok(classes)
    }

    /// The classes that must satisfy the models.
    pub(super) fn judged(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.groups.len()).filter(|&class| self.star_rule == StarRows::Judged || Some(class) != self.star)
    }

    /// The number of classes, without that of the suppressed rows.
    pub(super) fn count(&self) -> u64 {
        self.groups.len() as u64 - u64::from(self.star.is_some())
    }

    /// The size of the smallest class that is checked.
    pub(super) fn smallest(&self) -> Option<u64> {
        self.judged().map(|class| self.groups.size[class]).min()
    }

    pub(super) fn star_rows(&self) -> u64 {
        self.star.map_or(0, |class| self.groups.size[class])
    }

    /// The number of classes of each size, without the suppressed rows.
    pub(super) fn sizes(&self) -> Vec<(u64, u64)> {
        let mut sizes: Vec<u64> = (0..self.groups.len())
            .filter(|&class| Some(class) != self.star)
            .map(|class| self.groups.size[class])
            .collect();
        sizes.sort_unstable();
        sizes.chunk_by(|one, next| one == next).map(|run| (run[0], run.len() as u64)).collect()
    }

    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.groups.len() == 0 {
            notes.push("empty release".to_owned());
        }
        if self.star_rule == StarRows::Unjudged && self.star_rows() > 0 {
            notes.push(format!(
                "{} fully suppressed rows were not checked: whoever is in no other group is among them",
                self.star_rows()
            ));
        }
        notes
    }
}

/// The histograms of the sensitive columns. Each is counted once, however many models read it.
#[derive(Default)]
pub(super) struct Counted(Vec<(String, Histograms)>);

impl Counted {
    pub(super) fn of(&mut self, column: &CodedColumn, groups: &Groups) -> &Histograms {
        let place = self.0.iter().position(|(name, _)| *name == column.name).unwrap_or_else(|| {
            self.0.push((column.name.clone(), Histograms::count(groups, part(column))));
            self.0.len() - 1
        });
        &self.0[place].1
    }
}
