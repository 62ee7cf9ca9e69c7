//! A release as an attacker sees it who knows only some columns.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::{Labels, Scene};

/// A release as it looks in some columns, for an attacker who knows only these.
pub struct View<'a> {
    scene: &'a Scene,
    columns: Vec<usize>,
    /// What the groups show in these columns.
    shown: Vec<Vec<u32>>,
    rows: Vec<u64>,
    /// The number of rows of each group that show nothing in any column.
    starred: Vec<u64>,
    looks: Vec<Vec<u32>>,
    /// The group of each look.
    pub group_of_look: Vec<u32>,
    by_labels: HashMap<Vec<u32>, u32, FixedState>,
    /// For each column and label the groups that show it, in ascending order.
    showing: Vec<Vec<Vec<u32>>>,
}

/// Up to this many combinations of labels are looked up one by one. If there are more, all groups that share a label are checked.
const FEW: usize = 64;

impl<'a> View<'a> {
    /// Makes a view of these columns.
    #[must_use]
    pub fn new(scene: &'a Scene, columns: &[usize]) -> Self {
        let mut by_labels: HashMap<Vec<u32>, u32, FixedState> = HashMap::default();
        let (mut shown, mut rows, mut looks) = (Vec::new(), Vec::new(), Vec::<Vec<u32>>::new());
        let mut starred = Vec::new();
        let mut group_of_look = Vec::new();
        for (number, look) in (0..).zip(&scene.looks) {
            let labels: Vec<u32> = columns.iter().map(|column| look.labels[*column]).collect();
            let group = *by_labels.entry(labels.clone()).or_insert_with(|| {
                shown.push(labels);
                rows.push(0);
                starred.push(0);
                looks.push(Vec::new());
                rows.len() as u32 - 1
            });
            rows[group as usize] += look.rows;
            starred[group as usize] += if look.star { look.rows } else { 0 };
            looks[group as usize].push(number);
            group_of_look.push(group);
        }
        let showing = |(place, column): (usize, &usize)| {
            let mut groups = vec![Vec::new(); scene.known[*column].labels.len()];
            (0..)
                .zip(&shown)
                .for_each(|(group, shown): (u32, &Vec<u32>)| groups[shown[place] as usize].push(group));
            groups
        };
        let showing = columns.iter().enumerate().map(showing).collect();
        Self {
            scene,
            columns: columns.to_vec(),
            shown,
            rows,
            starred,
            looks,
            group_of_look,
            by_labels,
            showing,
        }
    }

    /// The number of groups of rows that look different.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The number of rows in a group.
    #[must_use]
    pub fn rows(&self, group: u32) -> u64 {
        self.rows[group as usize]
    }

    /// Returns the looks of a group.
    #[must_use]
    pub fn looks_of(&self, group: u32) -> &[u32] {
        &self.looks[group as usize]
    }

    /// Returns what is known of a person in these columns.
    #[must_use]
    pub fn key(&self, person: usize) -> Vec<u32> {
        self.columns.iter().map(|column| self.scene.known[*column].of_person[person]).collect()
    }

    /// Returns the groups whose rows may be a person's, in ascending order.
    #[must_use]
    pub fn groups_of(&self, person: usize) -> Vec<u32> {
        self.groups_with(&self.key(person))
    }

    /// Returns the groups whose rows may be those of a person with these values.
    #[must_use]
    pub fn groups_with(&self, values: &[u32]) -> Vec<u32> {
        // Everything that attacks do person by person comes through here, so this is where they stop.
        if self.scene.is_stopped() {
            return Vec::new();
        }
        let known = self.columns.iter().map(|column| &self.scene.known[*column]);
        let labels: Vec<&Labels> =
            known.zip(values).map(|(known, value)| &known.covering[*value as usize]).collect();
        let combinations = labels.iter().try_fold(1_usize, |all, labels| all.checked_mul(labels.len()));
        let mut found: Vec<u32> = if combinations.is_some_and(|many| many <= FEW.min(self.len())) {
            let mut shown = vec![Vec::with_capacity(labels.len())];
            for labels in labels {
                shown = shown
                    .iter()
                    .flat_map(|front: &Vec<u32>| labels.iter().map(|label| [&front[..], &[label]].concat()))
                    .collect();
            }
            shown.iter().filter_map(|shown| self.by_labels.get(shown).copied()).collect()
        } else {
            let fits =
                |shown: &Vec<u32>| shown.iter().zip(&labels).all(|(label, labels)| labels.contains(*label));
            // The column that is likely to leave the fewest groups proposes them, and the others filter.
            let proposed =
                |place: &usize| labels[*place].len() as f64 / self.showing[*place].len().max(1) as f64;
            let column = (0..labels.len()).min_by(|a, b| proposed(a).total_cmp(&proposed(b)));
            let groups = column.into_iter().flat_map(|place| {
                labels[place].iter().flat_map(move |label| &self.showing[place][label as usize])
            });
            groups.copied().filter(|group| fits(&self.shown[*group as usize])).collect()
        };
        found.sort_unstable();
        found
    }

    /// Returns the looks whose rows may be a person's, in ascending order: those that show something or, if none of these fits, those that
    /// show nothing.
    #[must_use]
    pub fn looks_fitting(&self, person: usize) -> Vec<u32> {
        let groups = self.groups_of(person);
        let mut looks: Vec<u32> = groups.iter().flat_map(|group| self.looks_of(*group)).copied().collect();
        looks.sort_unstable();
        let star = |look: &u32| self.scene.looks[*look as usize].star;
        if !looks.iter().all(star) {
            looks.retain(|look| !star(look));
        }
        looks
    }

    /// The number of rows in a group that show something in some column.
    #[must_use]
    pub fn telling_rows(&self, group: u32) -> u64 {
        self.rows[group as usize] - self.starred[group as usize]
    }

    /// The number of rows that may be a person's.
    #[must_use]
    pub fn candidates(&self, person: usize) -> u64 {
        self.groups_of(person).iter().map(|group| self.rows(*group)).sum()
    }
}
