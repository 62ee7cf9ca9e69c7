//! Regions exchanged between households that are alike (targeted record swapping).

use std::collections::BTreeMap;

use rand_chacha::ChaCha20Rng;
use scumble_files::table::{CodedColumn, Codes};

use super::super::values::{fault, recoded};
use super::super::{BuildTransform, Facts, Given, Made, Trace, Transform};
use super::draws::Draws;
use super::number_within;
use super::weights::Weights;
use crate::base::chance::{below, shuffle};
use crate::base::entry::{Entry, Standing};
use crate::base::text::counted;
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

/// The transform.
pub(in crate::transforms) const ENTRY: Entry<BuildTransform> = Entry {
    name: "record_swap",
    title: "Targeted record swapping",
    paper: "Dalenius and Reiss 1982; Shlomo, Tudor and Groom 2010; sdcMicro, recordSwap",
    standing: Standing::Classic,
    about: "Exchanges the regions of households that are alike otherwise, first of those that are rare where they live. Households stay \
            together, and every region keeps its counts of the columns in which households must be alike. Used by censuses.",
    parameters: &[
        (
            "household",
            "the column that says which rows are one household (the column with the role household)",
        ),
        (
            "similar",
            "the columns in which two households that exchange must be equal, such as the size; or a list of such lists, tried in order",
        ),
        ("swap_rate", "the share of households that exchange, above 0 and at most 1 (0.05)"),
        (
            "k",
            "households with a member whom fewer people of the region equal in the risk variables must exchange (3)",
        ),
        ("risk_variables", "the columns by which people are rare"),
        ("carry_along", "further columns that move with the region, such as a finer code of it"),
    ],
    build: |parameters| Ok(Box::new(RecordSwap::new(parameters)?)),
};

struct RecordSwap {
    household: Option<String>,
    /// Alternatives, each with the columns in which households must be equal.
    similar: Vec<Vec<String>>,
    swap_rate: f64,
    least: u64,
    risk_variables: Vec<String>,
    carry_along: Vec<String>,
}

impl RecordSwap {
    fn new(parameters: &Parameters) -> Result<Self> {
        let texts = |name: &str| -> Result<Vec<String>> {
            Ok(parameters.texts(name)?.unwrap_or_default().into_iter().map(str::to_owned).collect())
        };
        let profile = |value: &Value| match value {
            Value::List(items) => items.iter().map(|item| item.to_text().into_owned()).collect(),
            one => vec![one.to_text().into_owned()],
        };
        let similar: Vec<Vec<String>> = match parameters.get("similar") {
            Some(Value::List(items)) if items.iter().any(|item| matches!(item, Value::List(_))) => {
                items.iter().map(profile).collect()
            }
            Some(one) => vec![profile(one)],
            None => {
                return Err(Error::config(
                    "it is not said in which columns households that exchange must be equal",
                )
                .advise("name them: similar = [\"household_size\"]"));
            }
        };
        Ok(Self {
            household: parameters.text("household")?.map(str::to_owned),
            similar,
            swap_rate: number_within(parameters, "swap_rate", 0.0, 1.0)?.unwrap_or(0.05),
            least: parameters.whole("k", 1)?.unwrap_or(3),
            risk_variables: texts("risk_variables")?,
            carry_along: texts("carry_along")?,
        })
    }

    /// The columns in which households must be equal, each once.
    fn profile_columns(&self) -> Vec<&str> {
        let mut all: Vec<&str> = Vec::new();
        for name in self.similar.iter().flatten() {
            if !all.contains(&name.as_str()) {
                all.push(name);
            }
        }
        all
    }
}

/// The households of a table.
struct Households {
    /// The household of each row.
    of_row: Vec<u32>,
    /// For each household its first row.
    first: Vec<usize>,
}

impl Households {
    fn of(given: &Given<'_>, column: &CodedColumn) -> Result<Self> {
        let missing: Vec<bool> = column.values.iter().map(|text| given.is_missing(column, text)).collect();
        if column.codes.iter().any(|code| missing[code as usize]) {
            let rows = (0..column.codes.len()).filter(|row| missing[column.codes.get(*row) as usize]);
            return Err(fault(given, column, "is missing, so nobody can tell whose household it is", rows));
        }
        let mut place: Vec<Option<u32>> = vec![None; column.values.len()];
        let mut first = Vec::new();
        let mut of_code = |(row, code): (usize, u32)| {
            *place[code as usize].get_or_insert_with(|| {
                first.push(row);
                first.len() as u32 - 1
            })
        };
        let of_row = column.codes.iter().enumerate().map(&mut of_code).collect();
        Ok(Self { of_row, first })
    }

    fn len(&self) -> usize {
        self.first.len()
    }

    /// The code of each household in a column; an error if its rows differ.
    fn codes(&self, column: &CodedColumn) -> Result<Vec<u32>> {
        let codes: Vec<u32> = self.first.iter().map(|row| column.codes.get(*row)).collect();
        let mut differs = vec![false; self.len()];
        for (row, household) in self.of_row.iter().enumerate() {
            differs[*household as usize] |= column.codes.get(row) != codes[*household as usize];
        }
        match differs.iter().filter(|differs| **differs).count() {
            0 => Ok(codes),
            count => Err(Error::data(format!(
                "{} different values among the rows of one household, and the step needs a value that is the household's",
                counted(count as u64, "household has", "households have")
            ))
            .in_column(&column.name)
            .advise("choose columns that are the same for all members of a household")),
        }
    }
}

/// Numbers for texts of codes: equal texts have equal numbers, and the order is that of the codes.
fn numbered(keys: &[Vec<u32>]) -> (Vec<u32>, usize) {
    let mut known: BTreeMap<&[u32], u32> = keys.iter().map(|key| (key.as_slice(), 0)).collect();
    known.values_mut().zip(0..).for_each(|(number, place)| *number = place);
    (keys.iter().map(|key| known[key.as_slice()]).collect(), known.len())
}

/// A way in which households may be alike: for each group of equal households, these in the order of their regions.
struct Alike {
    group_of: Vec<u32>,
    place_in_group: Vec<u32>,
    members: Vec<Vec<u32>>,
}

impl Alike {
    fn of(keys: &[Vec<u32>], by_region: &[u32]) -> Self {
        let (group_of, groups) = numbered(keys);
        let mut members = vec![Vec::new(); groups];
        let mut place_in_group = vec![0; keys.len()];
        for household in by_region {
            let group: &mut Vec<u32> = &mut members[group_of[*household as usize] as usize];
            place_in_group[*household as usize] = group.len() as u32;
            group.push(*household);
        }
        Self { group_of, place_in_group, members }
    }
}

/// The search for partners at one level of the regions.
struct Level<'a> {
    /// For each household its region, in ascending order along `by_region`.
    area: &'a [u32],
    /// For each way to be alike and each of its groups the weights of households that have not exchanged.
    weights: Vec<Vec<Weights>>,
    alike: &'a [Alike],
}

impl<'a> Level<'a> {
    fn of(area: &'a [u32], alike: &'a [Alike], weight: &[u64], partner: &[Option<u32>]) -> Self {
        let left = |household: &u32| match partner[*household as usize] {
            None => weight[*household as usize],
            Some(_) => 0,
        };
        let of_group = |members: &Vec<u32>| Weights::new(members.iter().map(left).collect());
        let weights = alike.iter().map(|alike| alike.members.iter().map(of_group).collect()).collect();
        Self { area, weights, alike }
    }

    /// A household of another region that is alike, riskier ones with greater probability.
    fn partner(&self, household: u32, chance: &mut ChaCha20Rng) -> Option<u32> {
        self.alike.iter().zip(&self.weights).find_map(|(alike, weights)| {
            let group = alike.group_of[household as usize] as usize;
            let members = &alike.members[group];
            let area = self.area[household as usize];
            let start = members.partition_point(|other| self.area[*other as usize] < area);
            let end = members.partition_point(|other| self.area[*other as usize] <= area);
            weights[group].draw_outside(start..end, chance).map(|place| members[place])
        })
    }

    fn take(&mut self, household: u32) {
        for (alike, weights) in self.alike.iter().zip(&mut self.weights) {
            let group = alike.group_of[household as usize] as usize;
            weights[group].take(alike.place_in_group[household as usize] as usize);
        }
    }
}

/// What a household weighs whose rarest member is one of so many: the rarer, the more.
fn weight_of(count: u64) -> u64 {
    (1_u64 << 32) / count.max(1)
}

/// How many households to draw in each area: a share of each, rounded by chance so that the sum is right.
fn targets(sizes: &[u64], share: f64, chance: &mut ChaCha20Rng) -> Vec<u64> {
    let start = below(1 << 53, chance) as f64 / (1_u64 << 53) as f64;
    let mut sum = start;
    let of_area = |size: &u64| {
        let before = sum.floor();
        sum += share * *size as f64;
        (sum.floor() - before) as u64
    };
    sizes.iter().map(of_area).collect()
}

/// Who exchanges with whom.
struct Exchanges<'a> {
    /// For each household the one whose region it shows.
    partner: Vec<Option<u32>>,
    /// How many households each of the finest regions should still draw.
    left: Vec<u64>,
    finest: &'a [u32],
    /// How many households that must exchange found no partner.
    without_partner: u64,
}

impl Exchanges<'_> {
    /// Exchanges a household with one that is alike, if there is one.
    fn exchange(&mut self, household: u32, level: &mut Level<'_>, chance: &mut ChaCha20Rng) -> Option<u32> {
        let other = level.partner(household, chance)?;
        self.partner[household as usize] = Some(other);
        self.partner[other as usize] = Some(household);
        [household, other].into_iter().for_each(|one| level.take(one));
        let left = &mut self.left[self.finest[household as usize] as usize];
        *left = left.saturating_sub(1);
        Some(other)
    }

    fn is_open(&self, household: u32) -> bool {
        self.partner[household as usize].is_none()
    }
}

impl RecordSwap {
    /// For each household and level the number of people who equal its rarest member in the risk variables, in the region of that level.
    fn rarest(&self, given: &Given<'_>, households: &Households, areas: &[Vec<u32>]) -> Vec<Vec<u64>> {
        let variables = &given.also[1 + self.profile_columns().len()..];
        if variables.is_empty() {
            return vec![vec![self.least; households.len()]; areas.len()];
        }
        let tuple = |row: usize| variables.iter().map(|column| column.codes.get(row)).collect();
        let tuples: Vec<Vec<u32>> = (0..households.of_row.len()).map(tuple).collect();
        let (kind_of_row, _) = numbered(&tuples);
        let of_level = |area: &Vec<u32>| {
            let key = |row: usize| (area[households.of_row[row] as usize], kind_of_row[row]);
            let mut people: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            (0..kind_of_row.len()).for_each(|row| *people.entry(key(row)).or_default() += 1);
            let mut rarest = vec![u64::MAX; households.len()];
            for row in 0..kind_of_row.len() {
                let of = &mut rarest[households.of_row[row] as usize];
                *of = (*of).min(people[&key(row)]);
            }
            rarest
        };
        areas.iter().map(of_level).collect()
    }

    /// Decides who exchanges with whom. `areas` has the region of each household from the coarsest level to the finest.
    fn decide<'a>(
        &self,
        areas: &'a [Vec<u32>],
        by_region: &[u32],
        alike: &[Alike],
        rarest: &[Vec<u64>],
        chance: &mut ChaCha20Rng,
    ) -> Result<Exchanges<'a>> {
        let finest = areas.last().ok_or_else(|| Error::internal("there are no regions"))?;
        let mut sizes = vec![0; finest.iter().max().map_or(0, |last| *last as usize + 1)];
        finest.iter().for_each(|area| sizes[*area as usize] += 1);
        let left = targets(&sizes, self.swap_rate / 2.0, chance);
        let mut made = Exchanges { partner: vec![None; by_region.len()], left, finest, without_partner: 0 };
        // Whoever must exchange at a coarse level is done before finer ones are looked at.
        let mut is_due = vec![true; by_region.len()];
        for (at, (area, rarest)) in areas.iter().zip(rarest).enumerate() {
            let weight: Vec<u64> = rarest.iter().map(|count| weight_of(*count)).collect();
            let mut level = Level::of(area, alike, &weight, &made.partner);
            let must =
                |household: &u32| is_due[*household as usize] && rarest[*household as usize] < self.least;
            let mut due: Vec<u32> = by_region.iter().copied().filter(must).collect();
            // Region by region, the riskiest first; among equals chance decides.
            shuffle(&mut due, chance);
            due.sort_by_key(|household| (area[*household as usize], rarest[*household as usize]));
            for household in due {
                is_due[household as usize] = false;
                if made.is_open(household) && made.exchange(household, &mut level, chance).is_none() {
                    made.without_partner += 1;
                }
            }
            if at + 1 == areas.len() {
                Self::fill(&mut made, &mut level, (by_region, &sizes, &weight), chance);
            }
        }
        Ok(made)
    }

    /// Draws more households until every region has its share, riskier ones with greater probability.
    fn fill(
        made: &mut Exchanges<'_>,
        level: &mut Level<'_>,
        (by_region, sizes, weight): (&[u32], &[u64], &[u64]),
        chance: &mut ChaCha20Rng,
    ) {
        let open = |household: &u32| if made.is_open(*household) { weight[*household as usize] } else { 0 };
        let mut pool = Weights::new(by_region.iter().map(open).collect());
        let mut place = vec![0; by_region.len()];
        by_region.iter().enumerate().for_each(|(at, household)| place[*household as usize] = at);
        let mut start = 0;
        for (area, size) in sizes.iter().enumerate() {
            let end = start + *size as usize;
            while made.left[area] > 0 {
                let Some(at) = pool.draw_within(start..end, chance) else { break };
                pool.take(at);
                if let Some(other) = made.exchange(by_region[at], level, chance) {
                    pool.take(place[other as usize]);
                }
            }
            start = end;
        }
    }
}

impl Transform for RecordSwap {
    fn also_reads(&self) -> Vec<&str> {
        let household = self.household.as_deref();
        let others = self.profile_columns().into_iter().chain(self.risk_variables.iter().map(String::as_str));
        household.into_iter().chain(others).collect()
    }

    fn also_changes(&self) -> Vec<&str> {
        self.carry_along.iter().map(String::as_str).collect()
    }

    fn facts(&self) -> Facts {
        Facts { needs_all_rows: true, ..Facts::PERTURBED }
    }

    fn words(&self) -> String {
        "perturbed: some households exchanged their regions with others, so they may not be those of the persons; the numbers of households by \
         region are true"
            .to_owned()
    }

    fn trace(&self) -> Trace<'_> {
        Trace::Categories
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let regions = &given.columns[..given.columns.len() - self.carry_along.len()];
        let household = given.also.first().ok_or_else(|| Error::internal("swapping has no household"))?;
        let households = Households::of(given, household)?;
        let in_region: Vec<Vec<u32>> =
            regions.iter().map(|column| households.codes(column)).collect::<Result<_>>()?;
        let carried = &given.columns[regions.len()..];
        carried.iter().try_for_each(|column| households.codes(column).map(|_| ()))?;
        let profile = self.profile_columns();
        let of_profile: Vec<Vec<u32>> = given.also[1..=profile.len()]
            .iter()
            .map(|column| households.codes(column))
            .collect::<Result<_>>()?;
        given.control.check()?;
        // A region is known by the regions that it lies in.
        let key =
            |household: usize, depth: usize| in_region[..depth].iter().map(|of| of[household]).collect();
        let areas: Vec<Vec<u32>> = (1..=regions.len())
            .map(|depth| {
                numbered(&(0..households.len()).map(|at| key(at, depth)).collect::<Vec<Vec<u32>>>()).0
            })
            .collect();
        let finest = areas.last().ok_or_else(|| Error::internal("swapping has no regions"))?;
        let mut by_region: Vec<u32> = (0..households.len() as u32).collect();
        by_region.sort_by_key(|household| finest[*household as usize]);
        let alike_by = |names: &Vec<String>| {
            let places: Vec<usize> =
                names.iter().filter_map(|name| profile.iter().position(|of| of == name)).collect();
            let key = |household| places.iter().map(|place| of_profile[*place][household]).collect();
            Alike::of(&(0..households.len()).map(key).collect::<Vec<_>>(), &by_region)
        };
        let alike: Vec<Alike> = self.similar.iter().map(alike_by).collect();
        let rarest = self.rarest(given, &households, &areas);
        let mut chance = Draws::of(None, given)?.generator()?;
        let decided = self.decide(&areas, &by_region, &alike, &rarest, &mut chance)?;
        given.control.check()?;
        let shows = |row: usize| {
            let own = households.of_row[row] as usize;
            decided.partner[own].map_or(row, |other| households.first[other as usize])
        };
        let columns = given.columns.iter().zip(given.into).map(|(column, name)| {
            let codes: Vec<u32> = (0..column.codes.len()).map(|row| column.codes.get(shows(row))).collect();
            let texts: Vec<Option<String>> = column.values.iter().map(|text| Some(text.to_owned())).collect();
            recoded(name, &texts, &Codes::narrow(texts.len(), &codes))
        });
        let mut made = Made::of_several(columns.collect());
        let exchanged = decided.partner.iter().flatten().count() as u64;
        made.notes.push(format!(
            "{} exchanged their regions, of {}",
            counted(exchanged, "household", "households"),
            counted(households.len() as u64, "household", "households")
        ));
        if decided.without_partner > 0 {
            made.warnings.push(format!(
                "{} rare where they live, and no household in another region is alike, so they keep their region; name fewer columns in similar, or give a second list of columns",
                counted(decided.without_partner, "household is", "households are")
            ));
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{parameters, run, texts};
    use super::*;

    /// The households of the specification (transforms.md 2.5): number, county, town, origin, size.
    const EXAMPLE: [(&str, &str, &str, &str, &str); 12] = [
        ("1", "N", "a", "x", "2"),
        ("2", "N", "a", "x", "2"),
        ("3", "N", "b", "x", "2"),
        ("4", "N", "b", "y", "2"),
        ("5", "S", "c", "x", "2"),
        ("6", "S", "c", "x", "2"),
        ("7", "S", "d", "x", "2"),
        ("8", "S", "d", "y", "2"),
        ("9", "S", "d", "y", "2"),
        ("10", "N", "a", "x", "3"),
        ("11", "N", "b", "x", "3"),
        ("12", "S", "c", "x", "3"),
    ];

    fn swap(given: &[(&str, &str)], columns: &[&[&str]], also: &[&[&str]]) -> Result<Vec<Vec<String>>> {
        let all: Vec<(&str, &str)> =
            [("household", "c"), ("similar", "[size]")].into_iter().chain(given.iter().copied()).collect();
        run(&ENTRY, &all, columns, also, false).map(|made| made.columns.iter().map(texts).collect())
    }

    fn column(
        of: fn(&(&'static str, &'static str, &'static str, &'static str, &'static str)) -> &'static str,
    ) -> Vec<&'static str> {
        EXAMPLE.iter().map(of).collect()
    }

    /// 4 is alone in its county and 7 in its town with their origins; both find partners elsewhere, again and again.
    #[test]
    fn rare_households_exchange() {
        let (number, county, town) = (column(|of| of.0), column(|of| of.1), column(|of| of.2));
        let (origin, size) = (column(|of| of.3), column(|of| of.4));
        for _ in 0..20 {
            let given = [("swap_rate", "0.0001"), ("k", "2"), ("risk_variables", "[origin]")];
            let after = swap(&given, &[&county, &town], &[&number, &size, &origin]).expect("swaps");
            assert_eq!(after[0][3], "S", "4 leaves its county");
            assert_ne!(after[1][6], "d", "7 leaves its town");
            assert_eq!((after[1][9].as_str(), after[1][11].as_str()), ("a", "c"), "other sizes stay");
            for size_of in ["2", "3"] {
                let mut before: Vec<&str> =
                    (0..12).filter(|row| size[*row] == size_of).map(|row| town[row]).collect();
                let mut then: Vec<&str> =
                    (0..12).filter(|row| size[*row] == size_of).map(|row| after[1][row].as_str()).collect();
                before.sort_unstable();
                then.sort_unstable();
                assert_eq!(before, then);
            }
            // A town stays in its county.
            let county_of = |town: &str| EXAMPLE.iter().find(|of| of.2 == town).expect("a town").1;
            assert!((0..12).all(|row| county_of(&after[1][row]) == after[0][row]));
        }
    }

    #[test]
    fn the_share_of_households_is_right() {
        let number: Vec<String> = (0..2_000).map(|row| (row / 2).to_string()).collect();
        let region: Vec<String> = (0..2_000).map(|row| (row / 2 % 10).to_string()).collect();
        let (number, region): (Vec<&str>, Vec<&str>) =
            (number.iter().map(String::as_str).collect(), region.iter().map(String::as_str).collect());
        let size = vec!["2"; 2_000];
        let after = swap(&[("swap_rate", "0.2")], &[&region], &[&number, &size]).expect("swaps");
        let moved = (0..2_000).step_by(2).filter(|row| after[0][*row] != region[*row]).count();
        assert!((196..=204).contains(&moved), "{moved} of 1000 households");
        assert!(
            (0..2_000).step_by(2).all(|row| after[0][row] == after[0][row + 1]),
            "households stay together"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)]| RecordSwap::new(&parameters(given)).err().expect("wrong").to_string();
        assert!(message(&[]).contains("similar = "));
        assert!(message(&[("similar", "[a]"), ("swap_rate", "0")]).contains("above 0"));
        let number = ["1", "1", "2"];
        let error = |region: &[&str], size: &[&str]| {
            swap(&[], &[region], &[&number, size]).expect_err("differs").to_string()
        };
        assert!(error(&["a", "b", "a"], &["1", "1", "1"]).contains("1 household has different values"));
        assert!(error(&["a", "a", "a"], &["1", "2", "1"]).contains("1 household has different values"));
        let error = swap(&[], &[&["a", "b"]], &[&["NA", "1"], &["1", "1"]]).expect_err("missing").to_string();
        assert!(error.contains("whose household"), "{error}");
    }
}
