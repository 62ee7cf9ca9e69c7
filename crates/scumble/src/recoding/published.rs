//! What would be published, as models and metrics see it.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::config::StarPolicy;
use crate::recoding::people::People;
use crate::recoding::{Assignment, Share};
use crate::table::frequency::{Cell, FrequencyTable, cells_by_group, merged, total};
use crate::table::payload::Payloads;
use crate::table::quasi::{Quasi, Value};

/// What rows of one tuple and sensitive value are published as, where every record covers rows of its own choice and the
/// sets overlap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The tuple.
    pub tuple: u32,
    /// The sensitive value.
    pub value: u32,
    /// How many rows.
    pub rows: u32,
    /// What covers the mask, column by column.
    pub shown: Vec<Value>,
    /// The rows of the mask per sensitive value.
    pub counts: Vec<u64>,
    /// The tuples all of whose rows are in the mask, ascending. Private: nothing shows them.
    pub members: Vec<u32>,
    /// How many further rows are in the mask.
    pub others: u32,
}

/// The mean loss (LM) over all rows and columns, which weigh as their priorities say (models.md 2.1).
#[must_use]
pub fn record_loss(records: &[Record], quasi: &[Quasi]) -> f64 {
    let by_column = record_losses(records, quasi);
    let weights: f64 = quasi.iter().map(|quasi| quasi.priority).sum();
    by_column.iter().zip(quasi).map(|(loss, quasi)| loss * quasi.priority).sum::<f64>() / weights
}

/// The mean loss of each column over all rows.
#[must_use]
pub fn record_losses(records: &[Record], quasi: &[Quasi]) -> Vec<f64> {
    let rows: u64 = records.iter().map(|record| u64::from(record.rows)).sum();
    let of_column = |(column, quasi): (usize, &Quasi)| {
        let losses = records.iter().map(|record| f64::from(record.rows) * quasi.loss(record.shown[column]));
        losses.sum::<f64>() / rows.max(1) as f64
    };
    quasi.iter().enumerate().map(of_column).collect()
}

/// Equivalence classes with their rows per payload.
#[derive(Debug, Clone)]
pub struct Classes {
    /// Which tuple is in which class, and what classes show.
    pub assignment: Assignment,
    /// How suppressed rows are published.
    pub policy: StarPolicy,
    sizes: Vec<u64>,
    starts: Vec<u32>,
    cells: Vec<Cell>,
    star: Vec<Cell>,
    star_rows: u64,
    /// For each column which of its values a reader sees as `*`.
    seen_as_star: Vec<Vec<bool>>,
    /// Whether no search suppressed a class, and it shows `*` everywhere because its values were generalised so far.
    generalised_away: Vec<bool>,
    /// The people of each class, where there is a population and each of them can be in one class only.
    people: Option<People>,
}

/// What a reader can tell rows apart by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Look {
    /// They show these values, by number.
    Shown(u32),
    /// They show nothing, and are checked.
    Star,
    /// They show nothing, and nobody checks them.
    Unjudged,
}

/// Rows that show the same in some of the columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// How many rows.
    pub size: u64,
    /// The rows per payload, ascending by payload.
    pub cells: Vec<Cell>,
}

impl Group {
    /// The group, as models see it.
    #[must_use]
    pub fn view<'a>(&'a self, payloads: &'a Payloads) -> ClassView<'a> {
        ClassView { size: self.size, cells: &self.cells, payloads }
    }
}

/// One class as a model sees it.
#[derive(Clone, Copy)]
pub struct ClassView<'a> {
    /// Its rows.
    pub size: u64,
    /// Its rows per payload, ascending by payload.
    pub cells: &'a [Cell],
    /// What payloads mean.
    pub payloads: &'a Payloads,
}

impl ClassView<'_> {
    /// How many people it has: as many as rows, unless people have several.
    #[must_use]
    pub fn persons(&self) -> u64 {
        let Some(persons) = self.each_person() else { return self.size };
        persons.len() as u64
    }

    /// Its people, ascending, where people have several rows.
    fn each_person(&self) -> Option<Vec<u32>> {
        let mut persons: Vec<u32> =
            self.cells.iter().map(|cell| self.payloads.person_of(cell.payload)).collect::<Option<_>>()?;
        persons.sort_unstable();
        persons.dedup();
        Some(persons)
    }

    /// How many people have each value of a payload column, ascending by value, into `tally` (cleared first). Someone with several
    /// values counts for each of them.
    pub fn tally_persons(&self, column: usize, tally: &mut Vec<(u32, u64)>) {
        let person = |cell: &Cell| self.payloads.person_of(cell.payload);
        if self.cells.iter().any(|cell| person(cell).is_none()) {
            return self.tally(column, tally);
        }
        let value = |cell: &Cell| self.payloads.value(cell.payload, column);
        let mut facts: Vec<(u32, Option<u32>)> =
            self.cells.iter().map(|cell| (value(cell), person(cell))).collect();
        facts.sort_unstable();
        facts.dedup();
        tally.clear();
        tally.extend(facts.chunk_by(|a, b| a.0 == b.0).map(|of| (of[0].0, of.len() as u64)));
    }

    /// Some of its rows by themselves.
    #[must_use]
    pub(crate) fn of_cells<'a>(&'a self, size: u64, cells: &'a [Cell]) -> ClassView<'a> {
        let whole: ClassView<'a> = *self;
        ClassView { size, cells, ..whole }
    }

    /// Rows per value of a payload column, ascending by value, into `tally` (cleared first).
    pub fn tally(&self, column: usize, tally: &mut Vec<(u32, u64)>) {
        tally.clear();
        tally.extend(
            self.cells.iter().map(|cell| (self.payloads.value(cell.payload, column), u64::from(cell.rows))),
        );
        if self.payloads.columns.len() > 1 {
            tally.sort_unstable_by_key(|(value, _)| *value);
            tally.dedup_by(|next, kept| {
                let same = next.0 == kept.0;
                if same {
                    kept.1 += next.1;
                }
                same
            });
        }
    }
}

impl Classes {
    /// The classes of an assignment. A class that shows `*` everywhere joins the suppressed rows: where these stay, a reader
    /// cannot tell them apart, and where they are left out, so are rows that say as little.
    #[must_use]
    pub fn new(assignment: Assignment, table: &FrequencyTable, quasi: &[Quasi], policy: StarPolicy) -> Self {
        let mut classes = Self::as_they_are(assignment, table, quasi, policy);
        for class in 0..classes.len() {
            classes.assignment.suppressed[class] |= classes.generalised_away[class];
        }
        classes.count_star(table.payloads().len());
        classes
    }

    /// The classes of an assignment, of which only those are suppressed that it says.
    #[must_use]
    pub fn as_they_are(
        assignment: Assignment,
        table: &FrequencyTable,
        quasi: &[Quasi],
        policy: StarPolicy,
    ) -> Self {
        let seen_as_star: Vec<Vec<bool>> = quasi
            .iter()
            .zip(&assignment.columns)
            .map(|(quasi, column)| {
                column.values.iter().map(|v| quasi.label(*v) == crate::table::label::STAR).collect()
            })
            .collect();
        let shows_nothing = |class: usize| {
            let mut columns = assignment.columns.iter().zip(&seen_as_star);
            columns.all(|(column, star)| star[column.of_class.get(class) as usize])
        };
        // A class that was flagged here before, since it shows nothing, still has the nodes that it was generalised to.
        let was_shown = |class: usize| {
            !assignment.suppressed[class]
                || assignment.values(class).iter().any(|value| *value != Value::Star)
        };
        // With no quasi-identifier at all there is nothing to generalise.
        let generalised_away = (0..assignment.classes())
            .map(|class| !quasi.is_empty() && was_shown(class) && shows_nothing(class))
            .collect();
        let (starts, cells) = cells_by_group(assignment.classes(), || {
            let cell = |share: Share| (share.class, Cell { payload: share.payload, rows: share.rows });
            assignment.members.shares(table).map(cell)
        });
        let size = |class: usize| total(&cells[starts[class] as usize..starts[class + 1] as usize]);
        let sizes = (0..assignment.classes()).map(size).collect();
        let people = table.population().and_then(|people| People::count(people, &assignment, quasi));
        let (star, star_rows) = (Vec::new(), 0);
        let mut classes = Self {
            assignment,
            policy,
            sizes,
            starts,
            cells,
            star,
            star_rows,
            seen_as_star,
            generalised_away,
            people,
        };
        classes.count_star(table.payloads().len());
        classes
    }

    fn count_star(&mut self, payloads: usize) {
        let mut rows = vec![0_u32; payloads];
        for class in 0..self.len() {
            if self.assignment.suppressed[class] {
                for cell in self.class_cells(class) {
                    rows[cell.payload as usize] += cell.rows;
                }
            }
        }
        self.star_rows = rows.iter().map(|rows| u64::from(*rows)).sum();
        self.star = (0..)
            .zip(rows)
            .filter(|(_, rows)| *rows > 0)
            .map(|(payload, rows)| Cell { payload, rows })
            .collect();
    }

    /// Suppresses exactly these classes.
    pub fn suppress(&mut self, suppressed: Vec<bool>, payloads: usize) {
        self.assignment.suppressed = suppressed;
        self.count_star(payloads);
    }

    /// The number of classes, suppressed ones too.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Whether there is no group at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// The rows of a class.
    #[must_use]
    pub fn size(&self, class: usize) -> u64 {
        self.sizes[class]
    }

    /// The rows of a class per payload.
    #[must_use]
    pub fn class_cells(&self, class: usize) -> &[Cell] {
        &self.cells[self.starts[class] as usize..self.starts[class + 1] as usize]
    }

    /// Whether a class is suppressed.
    #[must_use]
    pub fn is_suppressed(&self, class: usize) -> bool {
        self.assignment.suppressed[class]
    }

    /// Whether a class shows `*` everywhere although no search suppressed it: its values were generalised until nothing was left.
    #[must_use]
    pub fn is_generalised_away(&self, class: usize) -> bool {
        self.generalised_away[class]
    }

    /// How many rows are suppressed.
    #[must_use]
    pub fn suppressed_rows(&self) -> u64 {
        self.star_rows
    }

    /// How many classes are not suppressed.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.assignment.suppressed.iter().filter(|suppressed| !**suppressed).count()
    }

    /// The people of each class, where there is a population and each of them can be in one class only.
    #[must_use]
    pub fn people(&self) -> Option<&People> {
        self.people.as_ref()
    }

    /// People who are in no class that is shown: the rows of them that are in the release, suppressed, and all such people, where
    /// there are some. `None` where these are not checked.
    pub fn rest(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let of_suppressed = |people: &People| {
            (0..self.len())
                .filter(|class| self.is_suppressed(*class))
                .map(|class| people.of_class[class])
                .sum::<u64>()
        };
        let people = self.people.as_ref().map_or(0, |people| people.outside + of_suppressed(people));
        let rows = if self.policy == StarPolicy::Drop { 0 } else { self.star_rows };
        let judged = self.policy != StarPolicy::Paper || rows == 0;
        (judged && rows + people > 0).then_some((rows, people)).into_iter()
    }

    /// A class, as models see it.
    #[must_use]
    pub fn view<'a>(&'a self, class: usize, payloads: &'a Payloads) -> ClassView<'a> {
        ClassView { size: self.sizes[class], cells: self.class_cells(class), payloads }
    }

    /// The suppressed rows as the class that they are for a reader.
    #[must_use]
    pub fn star<'a>(&'a self, payloads: &'a Payloads) -> ClassView<'a> {
        ClassView { size: self.star_rows, cells: &self.star, payloads }
    }

    /// Every class that must meet the models: the kept ones, and the suppressed rows under `Strict`.
    pub fn judged<'a>(
        &'a self,
        payloads: &'a Payloads,
    ) -> impl ParallelIterator<Item = (Option<usize>, ClassView<'a>)> + 'a {
        let star =
            (self.policy == StarPolicy::Strict && self.star_rows > 0).then(|| (None, self.star(payloads)));
        (0..self.len())
            .into_par_iter()
            .with_min_len(1 << 10)
            .filter(|class| !self.is_suppressed(*class))
            .map(|class| (Some(class), self.view(class, payloads)))
            .chain(star.into_par_iter())
    }

    /// The groups that must meet a model of these columns only. Suppressed rows are in the group that shows `*` in
    /// all of them, together with the rows that show it there for another reason; under `Paper` nobody checks that group,
    /// and under `Drop` the suppressed rows are not there.
    #[must_use]
    pub fn groups_on(&self, columns: &[usize]) -> Vec<Group> {
        let mut groups: BTreeMap<Vec<u32>, (Group, bool)> = BTreeMap::new();
        for class in 0..self.len() {
            let suppressed = self.is_suppressed(class);
            if suppressed && self.policy == StarPolicy::Drop {
                continue;
            }
            let shown = |column: &usize| {
                let place = self.assignment.columns[*column].of_class.get(class);
                let star = suppressed || self.seen_as_star[*column][place as usize];
                if star { 0 } else { place + 1 }
            };
            let empty = || (Group { size: 0, cells: Vec::new() }, false);
            let (group, unjudged) = groups.entry(columns.iter().map(shown).collect()).or_insert_with(empty);
            group.size += self.size(class);
            group.cells.extend_from_slice(self.class_cells(class));
            *unjudged |= suppressed && self.policy == StarPolicy::Paper;
        }
        let judged = groups.into_values().filter(|(_, unjudged)| !unjudged).map(|(group, _)| group);
        judged.map(|group| Group { cells: merged(group.cells), ..group }).collect()
    }

    /// What the rows of each class look like; nothing if they are left out. Classes that show the same look the same.
    #[must_use]
    pub fn looks(&self) -> Vec<Option<Look>> {
        let mut numbers: BTreeMap<Vec<u32>, u32> = BTreeMap::new();
        let look = |class: usize| match (self.is_suppressed(class), self.policy) {
            (true, StarPolicy::Drop) => None,
            (true, StarPolicy::Paper) => Some(Look::Unjudged),
            (true, StarPolicy::Strict) => Some(Look::Star),
            (false, _) => {
                let shown = self.assignment.columns.iter().map(|column| column.of_class.get(class)).collect();
                let next = numbers.len() as u32;
                Some(Look::Shown(*numbers.entry(shown).or_insert(next)))
            }
        };
        (0..self.len()).map(look).collect()
    }

    /// What a class shows in a column, `*` if it is suppressed.
    #[must_use]
    pub fn shown(&self, class: usize, column: usize) -> Value {
        if self.is_suppressed(class) { Value::Star } else { self.assignment.columns[column].value(class) }
    }
}
