//! Which records may belong to whom, given the values of all rows.
//!
//! Everyone has one record, which covers them and counts their value. Records with the same cover and the same values are alike, so
//! they form one group. A world needs a way to hand out the records of all groups to all rows. If there is none, some rows have too
//! few records among them (Hall's theorem). That is again a bound on a sum of unknowns, and it holds in every world.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::covers::Covers;
use super::known::{Known, Lists, counted};
use crate::error::{Error, Result};
use crate::recoding::published::Record;

/// Records that may belong to the same rows.
#[derive(Debug)]
struct Group {
    /// The place of the records: the number of their cover, or of the tuple of their owners.
    place: u32,
    /// The values that they count, ascending.
    values: Vec<u32>,
    records: u32,
}

/// All records, by group.
#[derive(Debug, Default)]
pub(super) struct Owners {
    groups: Vec<Group>,
    /// The groups of each cover or tuple.
    of_place: Lists,
    /// The number of covers; `None` if places are tuples.
    covers: Option<u32>,
    group_of_record: Vec<u32>,
    /// For each unknown the group of its true records; `NO_GROUP` where there are none.
    own: Vec<u32>,
    /// For each group the unknowns whose true records are in it.
    owned: Lists,
}

const NO_GROUP: u32 = u32::MAX;

/// A record that changes hands: an unknown, a group, and how many more (or fewer) of the group's records the unknown has than in
/// truth.
pub(super) type Transfer = (u32, u32, i64);

/// The result of handing out records.
pub(super) enum Handed {
    /// The records can be handed out, with these changes.
    Out(Vec<Transfer>),
    /// They cannot: together, these unknowns can have at most this many records.
    Short(Vec<u32>, i64),
    /// The steps ran out.
    TooLong,
}

impl Owners {
    /// Groups records that may belong to any row that they cover.
    pub(super) fn by_cover(records: &[Record], covers: &Covers) -> Self {
        let place = |number: usize| covers.of_record[number];
        Self::new(records, place, covers.list.len(), Some(covers.list.len() as u32))
    }

    /// Groups records whose owners are known to be rows of a tuple.
    pub(super) fn by_tuple(records: &[Record], tuples: usize) -> Self {
        Self::new(records, |number| records[number].tuple, tuples, None)
    }

    fn new(records: &[Record], place: impl Fn(usize) -> u32, places: usize, covers: Option<u32>) -> Self {
        let mut numbers: BTreeMap<(u32, Vec<u32>), Vec<usize>> = BTreeMap::new();
        for (number, record) in records.iter().enumerate() {
            let values: Vec<u32> = counted(record).map(|(value, _)| value).collect();
            numbers.entry((place(number), values)).or_default().push(number);
        }
        let mut group_of_record = vec![NO_GROUP; records.len()];
        let mut groups = Vec::new();
        for ((place, values), numbers) in numbers {
            numbers.iter().for_each(|number| group_of_record[*number] = groups.len() as u32);
            let records = numbers.iter().map(|number| records[*number].rows).sum();
            groups.push(Group { place, values, records });
        }
        let of_place = Lists::new(places, |give| {
            (0..).zip(&groups).for_each(|(number, group)| give(group.place, number));
        });
        Self { groups, of_place, covers, group_of_record, own: Vec::new(), owned: Lists::default() }
    }

    /// The places of the groups from which rows of a tuple may have a record.
    fn places<'o>(&self, tuple: u32, of_tuple: &'o Lists) -> impl Iterator<Item = u32> + use<'o> {
        let (sums, covers) = match self.covers {
            Some(covers) => (of_tuple.of(tuple), covers),
            None => (&[][..], 0),
        };
        let alone = self.covers.is_none().then_some(tuple);
        // Covers are the first of the sums.
        sums.iter().map(|sum| sum / 2).filter(move |sum| *sum < covers).chain(alone)
    }

    /// The values listed by the records that may belong to a row of a tuple. `listed` must be all false, and is so again afterwards.
    pub(super) fn values(&self, tuple: u32, of_tuple: &Lists, listed: &mut [bool]) -> Vec<u32> {
        let mut values = Vec::new();
        'all: for place in self.places(tuple, of_tuple) {
            for group in self.of_place.of(place) {
                for value in &self.groups[*group as usize].values {
                    if !std::mem::replace(&mut listed[*value as usize], true) {
                        values.push(*value);
                    }
                }
                if values.len() == listed.len() {
                    break 'all;
                }
            }
        }
        values.iter().for_each(|value| listed[*value as usize] = false);
        values.sort_unstable();
        values
    }

    /// Notes whose records are whose in truth. Returns an error if somebody has none.
    pub(super) fn own(&mut self, records: &[Record], known: &Known<'_>) -> Result<()> {
        let wrong =
            || Error::internal("the audit was given records that are not those of the rows of the table");
        let mut missing: Vec<i64> = known.truth.iter().map(|rows| i64::from(*rows)).collect();
        self.own = vec![NO_GROUP; known.truth.len()];
        for (record, group) in records.iter().zip(&self.group_of_record) {
            let unknown = known.unknown(record.tuple, record.value).ok_or_else(wrong)?;
            let before = std::mem::replace(&mut self.own[unknown as usize], *group);
            let is_free = before == NO_GROUP || before == *group;
            if !is_free || !self.may_own(known, unknown, *group) {
                return Err(wrong());
            }
            missing[unknown as usize] -= i64::from(record.rows);
        }
        if missing.iter().any(|rows| *rows != 0) {
            return Err(wrong());
        }
        let own = &self.own;
        self.owned = Lists::new(self.groups.len(), |give| {
            let all = (0..).zip(own).filter(|(_, group)| **group != NO_GROUP);
            all.for_each(|(unknown, group)| give(*group, unknown));
        });
        Ok(())
    }

    /// Whether a row may have a record of a group.
    fn may_own(&self, known: &Known<'_>, unknown: u32, group: u32) -> bool {
        let (tuple, value) = (known.tuple[unknown as usize], known.value[unknown as usize]);
        let group = &self.groups[group as usize];
        let is_there = match self.covers {
            Some(_) => known.sums[group.place as usize].tuples.binary_search(&tuple).is_ok(),
            None => group.place == tuple,
        };
        is_there && group.values.binary_search(&value).is_ok()
    }

    /// The groups of which a row may have a record.
    fn groups_of<'o>(&'o self, known: &'o Known<'_>, unknown: u32) -> impl Iterator<Item = u32> + use<'o> {
        let (tuple, value) = (known.tuple[unknown as usize], known.value[unknown as usize]);
        let groups = self.places(tuple, &known.of_tuple).flat_map(|place| self.of_place.of(place));
        groups.copied().filter(move |group| {
            let values = &self.groups[*group as usize].values;
            values.binary_search(&value).is_ok()
        })
    }

    /// Hands out the records when some unknowns differ from the truth. `changes` lists these unknowns and by how much they differ.
    /// Takes at most `limit` steps, and subtracts those taken from it.
    pub(super) fn hand_out(&self, known: &Known<'_>, changes: &[(u32, i64)], limit: &mut u64) -> Handed {
        let mut places = Places { owners: self, free: BTreeMap::new(), held: BTreeMap::new() };
        for (unknown, by) in changes.iter().filter(|(_, by)| *by < 0) {
            places.give(*unknown, self.own[*unknown as usize], *by);
        }
        for (unknown, by) in changes {
            for _ in 0..(*by).max(0) {
                match places.find(known, *unknown, limit) {
                    Handed::Out(_) => {}
                    short => return short,
                }
            }
        }
        Handed::Out(places.transfers())
    }

    /// Checks that these transfers give every row a record after these changes. Starts from the true owners and uses nothing that the
    /// search kept.
    pub(super) fn holds(&self, known: &Known<'_>, changes: &[(u32, i64)], transfers: &[Transfer]) -> bool {
        let mut of_unknown: BTreeMap<u32, i64> = changes.iter().copied().collect();
        let mut of_group: BTreeMap<u32, i64> = BTreeMap::new();
        let mut of_both: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        for (unknown, group, by) in transfers {
            *of_unknown.entry(*unknown).or_default() -= by;
            *of_group.entry(*group).or_default() += by;
            *of_both.entry((*unknown, *group)).or_default() += by;
        }
        let possible = |((unknown, group), by): (&(u32, u32), &i64)| {
            let own = self.own[*unknown as usize] == *group;
            let before = if own { i64::from(known.truth[*unknown as usize]) } else { 0 };
            before + by >= 0 && self.may_own(known, *unknown, *group)
        };
        of_unknown.values().all(|by| *by == 0)
            && of_group.values().all(|by| *by == 0)
            && of_both.iter().all(possible)
    }
}

/// The state while records are handed out. Only differences from the truth are kept.
struct Places<'o> {
    owners: &'o Owners,
    /// The records of a group that nobody has.
    free: BTreeMap<u32, i64>,
    /// By group and unknown: how many more records of the group the unknown holds than in truth.
    held: BTreeMap<(u32, u32), i64>,
}

impl Places<'_> {
    fn give(&mut self, unknown: u32, group: u32, records: i64) {
        *self.free.entry(group).or_default() -= records;
        *self.held.entry((group, unknown)).or_default() += records;
    }

    fn transfers(&self) -> Vec<Transfer> {
        let changed = self.held.iter().filter(|(_, by)| **by != 0);
        changed.map(|((group, unknown), by)| (*unknown, *group, *by)).collect()
    }

    /// The unknowns that have records of a group.
    fn holders(&self, known: &Known<'_>, group: u32) -> Vec<u32> {
        let truly = self.owners.owned.of(group).iter().copied();
        let changed = self.held.range((group, 0)..=(group, u32::MAX)).map(|((_, unknown), _)| *unknown);
        let all: BTreeSet<u32> = truly.chain(changed).collect();
        let has = |unknown: &u32| {
            let own = self.owners.own[*unknown as usize] == group;
            let before = if own { i64::from(known.truth[*unknown as usize]) } else { 0 };
            before + self.held.get(&(group, *unknown)).copied().unwrap_or(0) > 0
        };
        all.into_iter().filter(has).collect()
    }

    /// Finds a record for one more row of an unknown; if need be, others exchange theirs.
    fn find(&mut self, known: &Known<'_>, unknown: u32, limit: &mut u64) -> Handed {
        // Usually a record that somebody has just given away fits.
        let free = self.free.iter().filter(|(_, records)| **records > 0).map(|(group, _)| *group);
        let near = free.take(16).find(|group| self.owners.may_own(known, unknown, *group));
        if let Some(group) = near {
            self.give(unknown, group, 1);
            return Handed::Out(Vec::new());
        }
        // For each group the unknown from which it was reached, and for each unknown the group.
        let mut reached: BTreeMap<u32, u32> = BTreeMap::new();
        let mut from: BTreeMap<u32, u32> = BTreeMap::from([(unknown, NO_GROUP)]);
        let mut queue = VecDeque::from([unknown]);
        while let Some(next) = queue.pop_front() {
            for group in self.owners.groups_of(known, next) {
                *limit = limit.saturating_sub(1);
                if *limit == 0 {
                    return Handed::TooLong;
                }
                if reached.contains_key(&group) {
                    continue;
                }
                reached.insert(group, next);
                if self.free.get(&group).is_some_and(|records| *records > 0) {
                    self.exchange(&reached, &from, group);
                    return Handed::Out(Vec::new());
                }
                *limit = limit.saturating_sub(self.owners.owned.of(group).len() as u64);
                for holder in self.holders(known, group) {
                    *limit = limit.saturating_sub(8);
                    if let std::collections::btree_map::Entry::Vacant(entry) = from.entry(holder) {
                        entry.insert(group);
                        queue.push_back(holder);
                    }
                }
            }
        }
        let most = reached.keys().map(|group| i64::from(self.owners.groups[*group as usize].records)).sum();
        self.add_others(known, &reached, &mut from, limit);
        Handed::Short(from.into_keys().collect(), most)
    }

    /// Gives a record of the last group on the path to the unknown before it, which gives up one of the group before, and so on.
    fn exchange(&mut self, reached: &BTreeMap<u32, u32>, from: &BTreeMap<u32, u32>, last: u32) {
        let mut group = last;
        loop {
            let unknown = reached[&group];
            self.give(unknown, group, 1);
            group = from[&unknown];
            if group == NO_GROUP {
                return;
            }
            self.give(unknown, group, -1);
        }
    }

    /// Adds the other unknowns that cannot have records outside the groups reached. That makes the bound stronger.
    fn add_others(
        &self,
        known: &Known<'_>,
        reached: &BTreeMap<u32, u32>,
        from: &mut BTreeMap<u32, u32>,
        limit: &mut u64,
    ) {
        for group in reached.keys() {
            let place = self.owners.groups[*group as usize].place;
            let alone = [place];
            let tuples = match self.owners.covers {
                Some(_) => &known.sums[place as usize].tuples[..],
                None => &alone[..],
            };
            for unknown in tuples.iter().flat_map(|tuple| known.unknowns(*tuple)) {
                if *limit < 1 << 10 {
                    return;
                }
                if from.contains_key(&unknown) {
                    continue;
                }
                let inside = |of: u32| {
                    *limit = limit.saturating_sub(1);
                    reached.contains_key(&of)
                };
                if self.owners.groups_of(known, unknown).all(inside) {
                    from.insert(unknown, NO_GROUP);
                }
            }
        }
    }
}
