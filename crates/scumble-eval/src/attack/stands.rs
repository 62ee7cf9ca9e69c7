//! Whether the rows of a release stand for the people of the original. They do in everything that this project publishes. They do not in
//! tables that were synthesised, perturbed, or made from other people.
//!
//! Attacks may count rows as people only if every row stands for a person of its own.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use rayon::prelude::*;
use scumble::Result;
use scumble::release::check::SideBySide;
use scumble::report::drawing::count;
use scumble_files::table::{CodedColumn, CodedTable};
use scumble_verify::assign;

use super::scene::column_of;
use super::{Attack, Scene, View};

impl Scene {
    /// Whether every row stands for a person of its own, whose known attributes and sensitive values it fits. Then the people of a class
    /// have the values of its rows, whoever they are.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.rows_of_nobody == 0 && self.values_kept
    }

    /// The number of people without a row of their own.
    #[must_use]
    pub fn unplaced(&self) -> u64 {
        self.look_of_person.iter().filter(|look| look.is_none()).count() as u64
    }

    /// Assigns people to the rows that were made from them, when this is known: a release in memory stands for people even if its labels,
    /// such as means, fit nobody.
    pub(crate) fn stand_for(&mut self, release: &CodedTable, person_of_row: &[u32]) -> Result<()> {
        let columns: Vec<&CodedColumn> =
            self.known.iter().map(|known| column_of(release, &known.name)).collect::<Result<_>>()?;
        let looks: HashMap<&[u32], u32, FixedState> =
            (0..).zip(&self.looks).map(|(number, look)| (&look.labels[..], number)).collect();
        let mut look_of_person = vec![None; self.people];
        for (row, person) in person_of_row.iter().enumerate() {
            let labels: Vec<u32> = columns.iter().map(|column| column.codes.get(row)).collect();
            look_of_person[*person as usize] = looks.get(&labels[..]).copied();
        }
        self.look_of_person = look_of_person;
        let class = |look: &Option<u32>| look.map(|look| self.looks[look as usize].class);
        self.class_of_person = self.look_of_person.iter().map(class).collect();
        (self.rows_of_nobody, self.values_kept) =
            (self.rows() - (self.people as u64 - self.unplaced()), true);
        Ok(())
    }

    /// Says why attacks that deal the rows of a class to its people do not apply; `None` if they do.
    pub(super) fn does_not_stand(&self) -> Option<String> {
        if self.rows_of_nobody > 0 {
            return Some(format!(
                "the attack does not apply: {} of the {} rows of the table can be nobody's of the original, so its rows were not made from these \
                 people one by one",
                count(self.rows_of_nobody),
                count(self.rows())
            ));
        }
        (!self.values_kept).then(|| {
            "the attack does not apply: some rows show a sensitive value that nobody has whom they fit, so values were exchanged or changed"
                .to_owned()
        })
    }

    /// Says what readers of an attack's figures must know about people without a row, and rows without a person.
    pub(super) fn coverage(&self, attack: &Attack) -> Vec<String> {
        let mut told = Vec::new();
        let unplaced = self.unplaced();
        if unplaced > 0 {
            let none = match self.without_row {
                0 => String::new(),
                some => format!(", and {} of them fit no row at all", count(some)),
            };
            told.push(format!(
                "{} of {} people have no row of their own in the release{none}. Figures are about all people: {}",
                count(unplaced),
                count(self.people as u64),
                attack.without_row
            ));
        }
        if self.rows_of_nobody > 0 {
            told.push(format!(
                "{} of {} rows of the release can be nobody's of the original, so its rows do not stand for these people one by one: it may be \
                 synthetic, perturbed, or about other people. What rows say was compared with the truth, person by person.",
                count(self.rows_of_nobody),
                count(self.rows())
            ));
        } else if !self.values_kept {
            told.push(
                "Some rows show a sensitive value that nobody has whom they fit, so values were exchanged or changed. What rows say was compared \
                 with the truth, person by person."
                    .to_owned(),
            );
        }
        told
    }
}

/// Whether people can be assigned to rows so that every row has a person of its own whom it fits and whose sensitive values it shows.
pub(super) fn values_are_kept(scene: &Scene, both: &SideBySide, look_of_row: &[u32]) -> Result<bool> {
    if scene.rows_of_nobody > 0 {
        return Ok(false);
    }
    if scene.secrets.is_empty() {
        return Ok(true);
    }
    let mut shown: Vec<Vec<u32>> = vec![Vec::new(); look_of_row.len()];
    for secret in &scene.secrets {
        let column = column_of(&both.release, &secret.column.name)?;
        let spellings = secret.column.spellings();
        let value: Vec<Option<u32>> = column.values.iter().map(|text| spellings.find(text)).collect();
        for (shown, code) in shown.iter_mut().zip(column.codes.iter()) {
            // Nobody has this value.
            let Some(value) = value[code as usize] else { return Ok(false) };
            shown.push(value);
        }
    }
    let of_person =
        |person: usize| -> Vec<u32> { scene.secrets.iter().map(|secret| secret.of_person[person]).collect() };
    let mut amounts: HashMap<Vec<u32>, i64, FixedState> = HashMap::default();
    (0..scene.people).for_each(|person| *amounts.entry(of_person(person)).or_default() += 1);
    shown.iter().for_each(|values| *amounts.entry(values.clone()).or_default() -= 1);
    if amounts.values().any(|left| *left < 0) {
        return Ok(false);
    }
    let all: Vec<usize> = (0..scene.known.len()).collect();
    let view = View::new(scene, &all);
    let mut places: BTreeMap<(u32, Vec<u32>), u64> = BTreeMap::new();
    for (values, look) in shown.into_iter().zip(look_of_row) {
        *places.entry((view.group_of_look[*look as usize], values)).or_default() += 1;
    }
    let number: HashMap<(u32, &[u32]), u32, FixedState> =
        (0..).zip(places.keys()).map(|(number, (group, values))| ((*group, &values[..]), number)).collect();
    let mut kinds: BTreeMap<(Vec<u32>, Vec<u32>), u64> = BTreeMap::new();
    for person in 0..scene.people {
        *kinds.entry((view.key(person), of_person(person))).or_default() += 1;
    }
    let (kinds, people): (Vec<_>, Vec<u64>) = kinds.into_iter().unzip();
    let fitting = |(key, values): &(Vec<u32>, Vec<u32>)| -> Box<[u32]> {
        view.groups_with(key)
            .into_iter()
            .filter_map(|group| number.get(&(group, &values[..])).copied())
            .collect()
    };
    let fits: Vec<Box<[u32]>> = kinds.par_iter().map(fitting).collect();
    let rows: Vec<u64> = places.values().copied().collect();
    scene.control.check()?;
    let placed: u64 =
        assign(&people, &rows, &fits, &scene.control)?.iter().map(|(_, _, amount)| amount).sum();
    Ok(placed == rows.iter().sum::<u64>())
}
