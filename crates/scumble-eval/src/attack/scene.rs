//! What an attacker sees: a release as it reads, and the people it is about as outsiders know them.
//!
//! A *look* is what some rows show; rows of one look cannot be told apart. A *class* is a set of rows whose sensitive
//! values are reported together. If values are coarsened, the rows of one look are a class. If sensitive values stand
//! in a table of their own (anatomy), a class has many looks. If rows show frequencies, every look has a class of its
//! own.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::FixedState;
use rayon::prelude::*;
use scumble::release::check::SideBySide;
use scumble::table::label::STAR;
use scumble::table::payload::PayloadColumn;
use scumble::{Error, Result};
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};
use scumble_verify::{assign, covering_with};

use super::stands::values_are_kept;
use super::{Labels, View};

/// A release and the people it is about.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The number of people that the release is about: the rows of the original.
    pub people: usize,
    /// The quasi-identifiers: what outsiders know of people.
    pub known: Vec<Known>,
    /// The sensitive columns: what attackers want to know.
    pub secrets: Vec<Secret>,
    /// What rows show, in the order of their labels.
    pub looks: Vec<Look>,
    /// What the release reports about sensitive values.
    pub classes: Vec<Class>,
    /// The class of each person: the only one that fits, or one in an assignment of all people to rows that fit them. `None` for people who
    /// are not in the release.
    pub class_of_person: Vec<Option<u32>>,
    /// The look of each person in that assignment.
    pub look_of_person: Vec<Option<u32>>,
    /// The number of people who fit several classes, so that their class above is one of several possible.
    pub ambiguous: u64,
    /// The number of people whom no row fits.
    pub without_row: u64,
    /// The number of rows left over when as many people as possible have a row of their own: these rows are nobody's.
    pub rows_of_nobody: u64,
    /// Whether people can have rows of their own that also show their sensitive values. This is assumed if values are
    /// reported by group or as frequencies.
    pub values_kept: bool,
    /// Stops work on the scene when it is cancelled.
    pub control: Control,
}

/// A quasi-identifier: what the release shows, and what outsiders know.
#[derive(Debug, Clone)]
pub struct Known {
    /// The column.
    pub name: String,
    /// The released texts.
    pub labels: Vec<String>,
    /// The original texts.
    pub values: Vec<String>,
    /// For each original text the labels that may stand for it.
    pub covering: Vec<Labels>,
    /// The original text of each person, by place.
    pub of_person: Vec<u32>,
}

/// A sensitive column.
#[derive(Debug, Clone)]
pub struct Secret {
    /// The column with its distinct values, in the order of their kind.
    pub column: PayloadColumn,
    /// The true value of each person.
    pub of_person: Vec<u32>,
    /// For each value the label one step up in its hierarchy, if the column has one.
    pub categories: Option<Vec<String>>,
}

/// What rows of the same look show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Their labels, column by column.
    pub labels: Vec<u32>,
    /// The number of rows.
    pub rows: u64,
    /// The class they belong to.
    pub class: u32,
    /// Whether they show `*` everywhere.
    pub star: bool,
}

/// Rows whose sensitive values are reported together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// The number of rows.
    pub rows: u64,
    /// For each sensitive column the amounts that are reported.
    pub secrets: Vec<Tally>,
}

/// Amounts of values.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Values with a positive amount, ascending.
    pub of_value: Vec<(u32, u64)>,
    /// The sum: the rows of a class, or what frequencies were scaled to.
    pub total: u64,
}

impl Tally {
    /// Adds up amounts of values, in any order.
    #[must_use]
    pub fn new(amounts: impl IntoIterator<Item = (u32, u64)>) -> Self {
        let mut by_value: BTreeMap<u32, u64> = BTreeMap::new();
        amounts.into_iter().for_each(|(value, amount)| *by_value.entry(value).or_default() += amount);
        by_value.retain(|_, amount| *amount > 0);
        Self { total: by_value.values().sum(), of_value: by_value.into_iter().collect() }
    }

    /// Returns the amount of a value.
    #[must_use]
    pub fn of(&self, value: u32) -> u64 {
        self.of_value.binary_search_by_key(&value, |(value, _)| *value).map_or(0, |at| self.of_value[at].1)
    }

    /// Returns the share of a value, or 0 if the tally is empty.
    #[must_use]
    pub fn share(&self, value: u32) -> f64 {
        self.share_of(self.of(value))
    }

    fn share_of(&self, amount: u64) -> f64 {
        if self.total == 0 { 0.0 } else { amount as f64 / self.total as f64 }
    }

    /// Returns the most frequent value and its amount, the first among ties.
    #[must_use]
    pub fn most(&self) -> Option<(u32, u64)> {
        self.of_value.iter().copied().max_by_key(|(value, amount)| (*amount, std::cmp::Reverse(*value)))
    }
}

/// Frequencies are scaled to this total, to be counted like rows.
const FREQUENCY: f64 = 1e9;

/// Groups of rows whose sensitive values are reported by group and not by look: the group of each row, and the amounts
/// of each group.
pub(super) struct Groups {
    pub(super) of_row: Vec<u32>,
    pub(super) secrets: Vec<(PayloadColumn, Vec<Tally>)>,
}

impl Scene {
    /// Builds a scene from a release with its original. Rows of the same look are a class.
    pub fn new(both: &SideBySide) -> Result<Self> {
        Self::build(both, None)
    }

    /// Builds a scene from rows whose sensitive values are reported by group.
    pub(super) fn of_groups(both: &SideBySide, groups: Groups) -> Result<Self> {
        Self::build(both, Some(groups))
    }

    fn build(both: &SideBySide, groups: Option<Groups>) -> Result<Self> {
        let rows = both.release.rows;
        let mut keys: Vec<Vec<u32>> = vec![Vec::new(); rows];
        let quasi: Vec<&CodedColumn> =
            both.quasi.iter().map(|(name, _)| column_of(&both.release, name)).collect::<Result<_>>()?;
        for column in &quasi {
            keys.iter_mut().zip(column.codes.iter()).for_each(|(key, code)| key.push(code));
        }
        let apart = both.frequencies.iter().map(|(_, read)| read.of_row());
        for of_row in apart.chain(groups.iter().map(|groups| &groups.of_row[..])) {
            keys.iter_mut().zip(of_row).for_each(|(key, of)| key.push(*of));
        }
        let (mut looks, look_of_row, first_row) = looks(&keys, quasi.len());
        let by_row = groups.is_none() && both.frequencies.is_empty();
        let told = match groups {
            Some(groups) => {
                for (look, row) in looks.iter_mut().zip(&first_row) {
                    look.class = groups.of_row[*row];
                }
                groups.secrets
            }
            None => told(both, &look_of_row, &first_row)?,
        };
        let classes = looks.iter().map(|look| look.class as usize + 1).max().unwrap_or(0);
        let mut classes = vec![Class { rows: 0, secrets: Vec::new() }; classes];
        looks.iter().for_each(|look| classes[look.class as usize].rows += look.rows);
        let mut secrets = Vec::new();
        for (column, tallies) in told {
            classes.iter_mut().zip(tallies).for_each(|(class, tally)| class.secrets.push(tally));
            secrets.push(secret(&column, both)?);
        }
        let known: Vec<Known> = both
            .quasi
            .iter()
            .zip(&quasi)
            .map(|((name, cover), shown)| {
                let original = column_of(&both.original, name)?;
                Ok(Known {
                    name: name.clone(),
                    labels: shown.values.iter().map(str::to_owned).collect(),
                    values: original.values.iter().map(str::to_owned).collect(),
                    covering: covering_with(
                        cover,
                        &shown.values,
                        &original.values,
                        |found| Labels::new(found, shown.values.len()),
                        &both.control,
                    )?,
                    of_person: original.codes.iter().collect(),
                })
            })
            .collect::<Result<_>>()?;
        let mut scene =
            Self::placed(known, secrets, looks, classes, both.original.rows, both.control.clone())?;
        if by_row {
            scene.values_kept = values_are_kept(&scene, both, &look_of_row)?;
        }
        Ok(scene)
    }

    /// Builds the scene and assigns every person to a place that fits.
    fn placed(
        known: Vec<Known>,
        secrets: Vec<Secret>,
        mut looks: Vec<Look>,
        classes: Vec<Class>,
        people: usize,
        control: Control,
    ) -> Result<Self> {
        for look in &mut looks {
            look.star =
                known.iter().zip(&look.labels).all(|(known, label)| known.labels[*label as usize] == STAR);
        }
        let mut scene = Self {
            people,
            known,
            secrets,
            looks,
            classes,
            class_of_person: Vec::new(),
            look_of_person: Vec::new(),
            ambiguous: 0,
            without_row: 0,
            rows_of_nobody: 0,
            values_kept: true,
            control,
        };
        (scene.look_of_person, scene.ambiguous, scene.without_row) = scene.places()?;
        scene.rows_of_nobody = scene.rows() - (scene.people as u64 - scene.unplaced());
        let class = |look: &Option<u32>| look.map(|look| scene.looks[look as usize].class);
        scene.class_of_person = scene.look_of_person.iter().map(class).collect();
        Ok(scene)
    }

    /// Assigns people to rows that fit them, as many as possible to rows that show something, the others to rows that
    /// show nothing. Returns the look of each person, the number of people who fit several classes, and the number who
    /// fit none.
    fn places(&self) -> Result<(Vec<Option<u32>>, u64, u64)> {
        let all: Vec<usize> = (0..self.known.len()).collect();
        let view = View::new(self, &all);
        let star = self.looks.iter().position(|look| look.star).map(|look| view.group_of_look[look]);
        // People who are known alike are placed together.
        let mut kinds: HashMap<Vec<u32>, u32, FixedState> = HashMap::default();
        let (mut people, mut keys, mut kind_of) = (Vec::new(), Vec::new(), Vec::new());
        for person in 0..self.people {
            let key = view.key(person);
            let kind = *kinds.entry(key).or_insert_with_key(|key| {
                people.push(0);
                keys.push(key.clone());
                people.len() as u32 - 1
            });
            people[kind as usize] += 1_u64;
            kind_of.push(kind);
        }
        let telling =
            |key: &Vec<u32>| view.groups_with(key).into_iter().filter(|group| Some(*group) != star).collect();
        let fits: Vec<Box<[u32]>> = keys.par_iter().map(telling).collect();
        self.control.check()?;
        let class = |group: &u32| self.looks[view.looks_of(*group)[0] as usize].class;
        let classes = |group: &u32| view.looks_of(*group).iter().map(|look| self.looks[*look as usize].class);
        let several = fits
            .iter()
            .zip(&people)
            .filter(|(fits, _)| fits.iter().flat_map(classes).any(|other| other != class(&fits[0])));
        let ambiguous = several.map(|(_, people)| people).sum();
        let without_row = match star {
            Some(_) => 0,
            None => {
                fits.iter().zip(&people).filter(|(fits, _)| fits.is_empty()).map(|(_, people)| people).sum()
            }
        };
        let rows: Vec<u64> = (0..view.len() as u32).map(|group| view.rows(group)).collect();
        let mut groups: Vec<Dealt> = vec![Dealt::default(); people.len()];
        for (kind, group, amount) in assign(&people, &rows, &fits, &self.control)? {
            groups[kind as usize].0.push((group, amount));
        }
        let mut looks: Vec<Dealt> = vec![Dealt::default(); view.len()];
        for (look, group) in (0..).zip(&view.group_of_look) {
            looks[*group as usize].0.push((look, self.looks[look as usize].rows));
        }
        let mut place = |kind: &u32| {
            let group = groups[*kind as usize].next().or(star)?;
            looks[group as usize].next()
        };
        Ok((kind_of.iter().map(&mut place).collect(), ambiguous, without_row))
    }

    /// Begins work in so many parts, so that the share done can be shown.
    pub(super) fn begin(&self, parts: usize) {
        self.control.begin(Some(parts as u64));
    }

    /// Notes that one more part is done.
    pub(super) fn advance(&self) {
        self.control.advance(1);
    }

    /// Whether the work was cancelled. Attacks may then return anything: [`Attack::simulate`](super::Attack::simulate)
    /// checks once more.
    pub(super) fn is_stopped(&self) -> bool {
        self.control.is_cancelled()
    }

    /// Returns the number of rows of the release.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.looks.iter().map(|look| look.rows).sum()
    }

    /// Returns what all rows of the release show of a sensitive column. Rows that show frequencies count as one each.
    #[must_use]
    pub fn shown(&self, secret: usize) -> Tally {
        let whole = self.classes.iter().all(|class| class.secrets[secret].total <= class.rows);
        let of_class = |class: &Class| -> Vec<(u32, u64)> {
            let tally = &class.secrets[secret];
            let amount = |amount: u64| match whole {
                true => amount,
                false => (tally.share_of(amount) * class.rows as f64 * FREQUENCY).round() as u64,
            };
            tally.of_value.iter().map(|(value, of)| (*value, amount(*of))).collect()
        };
        Tally::new(self.classes.iter().flat_map(of_class))
    }

    /// Returns the true values of all people in a sensitive column.
    #[must_use]
    pub fn overall(&self, secret: usize) -> Tally {
        let values = &self.secrets[secret].of_person;
        Tally::new(values.iter().map(|value| (*value, 1)))
    }
}

/// Places with the number left of each, dealt one after the other.
#[derive(Clone, Default)]
struct Dealt(Vec<(u32, u64)>);

impl Dealt {
    fn next(&mut self) -> Option<u32> {
        let (place, left) = self.0.last_mut()?;
        let place = *place;
        *left -= 1;
        if *left == 0 {
            self.0.pop();
        }
        Some(place)
    }
}

/// Groups rows by what they show. Returns the looks in ascending order, the look of each row, and each look's first
/// row. The first `width` entries of every key are labels.
fn looks(keys: &[Vec<u32>], width: usize) -> (Vec<Look>, Vec<u32>, Vec<usize>) {
    let mut order: Vec<u32> = (0..keys.len() as u32).collect();
    order.sort_unstable_by(|a, b| keys[*a as usize].cmp(&keys[*b as usize]).then(a.cmp(b)));
    let (mut looks, mut of_row, mut first_row) =
        (Vec::<Look>::new(), vec![0; keys.len()], Vec::<usize>::new());
    for row in order {
        let key = &keys[row as usize];
        match first_row.last().zip(looks.last_mut()) {
            Some((first, look)) if keys[*first] == *key => look.rows += 1,
            _ => {
                let class = looks.len() as u32;
                looks.push(Look { labels: key[..width].to_vec(), rows: 1, class, star: false });
                first_row.push(row as usize);
            }
        }
        of_row[row as usize] = looks.len() as u32 - 1;
    }
    (looks, of_row, first_row)
}

/// Returns what the rows of each look show of each sensitive column.
fn told(
    both: &SideBySide,
    look_of_row: &[u32],
    first_row: &[usize],
) -> Result<Vec<(PayloadColumn, Vec<Tally>)>> {
    let of_column = |column: &PayloadColumn| {
        let tallies = match both.frequencies.iter().find(|(name, _)| *name == column.name) {
            Some((_, read)) => {
                let spellings = column.spellings();
                let tally = |row: &usize| {
                    let shares = read.frequencies(*row).iter();
                    Tally::new(shares.filter_map(|(text, share)| {
                        Some((spellings.find(text)?, (share * FREQUENCY).round() as u64))
                    }))
                };
                first_row.iter().map(tally).collect()
            }
            None => tally_rows(&both.release, column, look_of_row, first_row.len())?,
        };
        Ok((column.clone(), tallies))
    };
    both.sensitive.iter().map(of_column).collect()
}

/// Counts a sensitive column of the release by look, or by another division of its rows.
pub(super) fn tally_rows(
    release: &CodedTable,
    values: &PayloadColumn,
    look_of_row: &[u32],
    looks: usize,
) -> Result<Vec<Tally>> {
    let shown = column_of(release, &values.name)?;
    let spellings = values.spellings();
    let value: Vec<Option<u32>> = shown.values.iter().map(|text| spellings.find(text)).collect();
    let mut pairs: Vec<Vec<(u32, u64)>> = vec![Vec::new(); looks];
    for (row, look) in look_of_row.iter().enumerate() {
        if let Some(value) = value[shown.codes.get(row) as usize] {
            pairs[*look as usize].push((value, 1));
        }
    }
    Ok(pairs.into_iter().map(Tally::new).collect())
}

/// Returns a sensitive column with the true value of each person.
fn secret(column: &PayloadColumn, both: &SideBySide) -> Result<Secret> {
    let texts = column_of(&both.original, &column.name)?;
    let spellings = column.spellings();
    // If all rows with a text were left out, the text is no value.
    let value: Vec<Option<u32>> = texts.values.iter().map(|text| spellings.find(text)).collect();
    let known = |code: u32| {
        value[code as usize].ok_or_else(|| Error::internal("a value of the original is not among its values"))
    };
    let of_person = texts.codes.iter().map(known).collect::<Result<_>>()?;
    let tree = both.trees.iter().find(|(name, _)| *name == column.name).map(|(_, tree)| tree);
    let categories = tree.map(|tree| {
        let above = |text: &str| {
            let parent = tree.parent(tree.leaf(tree.code_of(text)?))?;
            Some(tree.label(parent).into_owned())
        };
        column.values.iter().map(|text| above(text).unwrap_or_else(|| text.to_owned())).collect()
    });
    Ok(Secret { column: column.clone(), of_person, categories })
}

pub(super) fn column_of<'a>(table: &'a CodedTable, name: &str) -> Result<&'a CodedColumn> {
    table.column(name).ok_or_else(|| Error::internal("a column was not read"))
}

#[cfg(test)]
pub(super) mod tests {
    use scumble::release::resources::Resources;

    use scumble::config::{Column, Plan, Role, Roles};
    use scumble::release::check::side_by_side;

    use super::*;

    /// Makes a table with these columns; the last is the sensitive one, called `s`, if there is one.
    pub(in crate::attack) fn table<const N: usize>(
        names: &[&str],
        rows: &[[&str; N]],
        secret: &[&str],
    ) -> CodedTable {
        let column =
            |(place, name): (usize, &&str)| CodedColumn::of_texts(name, rows.iter().map(|row| row[place]));
        let mut columns: Vec<CodedColumn> = names.iter().enumerate().map(column).collect();
        if !secret.is_empty() {
            columns.push(CodedColumn::of_texts("s", secret.iter().copied()));
        }
        CodedTable { columns, rows: rows.len() }
    }

    /// Returns the scene of an attacker who sees the released rows and knows the original ones.
    pub(in crate::attack) fn scene<const N: usize>(
        names: &[&str],
        released: &[[&str; N]],
        original: &[[&str; N]],
        secret: &[&str],
    ) -> Scene {
        let mut plan = Plan::new("", "-");
        plan.columns =
            names.iter().map(|name| ((*name).to_owned(), Column::new(Roles::one(Role::Quasi)))).collect();
        plan.columns.push(("s".to_owned(), Column::new(Roles::one(Role::Sensitive))));
        let (released, original) = (table(names, released, secret), table(names, original, secret));
        let both = side_by_side(&released, &original, &plan, &Resources::default())
            .expect("a release and its original");
        Scene::new(&both).expect("a scene")
    }

    #[test]
    fn everybody_has_a_place_that_fits() {
        let original = [["20", "f"], ["25", "m"], ["30", "f"], ["35", "m"], ["90", "f"]];
        let released = [["[20,30)", "*"], ["[20,30)", "*"], ["[30,40)", "*"], ["[30,40)", "*"], ["*", "*"]];
        let scene = scene(&["age", "sex"], &released, &original, &["a", "b", "a", "c", "c"]);
        assert_eq!((scene.people, scene.rows(), scene.looks.len(), scene.ambiguous), (5, 5, 3, 0));
        let class = |person: usize| scene.class_of_person[person].expect("a place") as usize;
        assert_eq!(class(0), class(1));
        assert_eq!(class(2), class(3));
        assert!(scene.looks.iter().filter(|look| look.star).count() == 1);
        assert_eq!(scene.classes[class(4)].rows, 1, "who fits nothing else is among those that show nothing");
        assert_eq!(scene.classes[class(0)].secrets[0], Tally::new([(0, 1), (1, 1)]));
        let view = View::new(&scene, &[0]);
        // Rows that show nothing may be anybody's.
        assert_eq!((view.candidates(0), view.candidates(4)), (3, 1));
    }

    #[test]
    fn places_are_a_matter_of_all_people_together() {
        // The first person fits both rows, the second only the wide one, so the first has the narrow one.
        let scene = scene(&["age"], &[["[20,40]"], ["[20,25]"]], &[["20"], ["30"]], &["a", "b"]);
        let label = |person: usize| {
            let look = scene.look_of_person[person].expect("a place");
            scene.known[0].labels[scene.looks[look as usize].labels[0] as usize].clone()
        };
        assert_eq!((label(0), label(1)), ("[20,25]".to_owned(), "[20,40]".to_owned()));
        assert_eq!(scene.ambiguous, 1);
    }

    #[test]
    fn rows_with_frequencies_have_classes_of_their_own() {
        let mut plan = Plan::new("", "-");
        plan.columns = vec![
            ("a".to_owned(), Column::new(Roles::one(Role::Quasi))),
            ("s".to_owned(), Column::new(Roles::one(Role::Sensitive))),
        ];
        let release = table(&["a"], &[["*"], ["*"]], &["{\"flu\":0.5,\"hiv\":0.5}", "{\"flu\":1}"]);
        let original = table(&["a"], &[["x"], ["y"]], &["flu", "hiv"]);
        let both = side_by_side(&release, &original, &plan, &Resources::default()).expect("a release");
        let scene = Scene::new(&both).expect("a scene");
        assert_eq!(scene.classes.len(), 2);
        let mut shares: Vec<f64> = scene.classes.iter().map(|class| class.secrets[0].share(0)).collect();
        shares.sort_by(f64::total_cmp);
        assert_eq!(shares, [0.5, 1.0]);
    }
}
