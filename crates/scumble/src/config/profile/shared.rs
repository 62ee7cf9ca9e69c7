//! What rows that share a value of one column also share in others. The members of a household live in one region and in one flat, whatever the
//! column of households is called.

use scumble_files::table::Codes;

use super::Facts;

/// Groups are of so many rows.
const FEWEST_ROWS: usize = 2;
const MOST_ROWS: usize = 12;
/// The fewest groups that say something, and the most that are looked at.
const FEWEST: usize = 10;
const MOST: usize = 20_000;

/// Small groups of rows that share a value of a column, in the order of the values.
pub(super) struct Groups {
    groups: Vec<Vec<usize>>,
    rows: usize,
}

impl Groups {
    pub(super) fn of(cells: &Codes) -> Self {
        let values = cells.iter().max().map_or(0, |code| code as usize + 1);
        let mut sizes = vec![0_usize; values];
        cells.iter().for_each(|code| sizes[code as usize] += 1);
        let small: Vec<usize> =
            (0..values).filter(|value| (FEWEST_ROWS..=MOST_ROWS).contains(&sizes[*value])).collect();
        let step = small.len().div_ceil(MOST).max(1);
        let mut place = vec![None; values];
        small.iter().step_by(step).enumerate().for_each(|(nth, value)| place[*value] = Some(nth));
        let mut groups = vec![Vec::new(); small.len().div_ceil(step)];
        for (row, code) in cells.iter().enumerate() {
            if let Some(nth) = place[code as usize] {
                groups[nth].push(row);
            }
        }
        Self { groups, rows: cells.len() }
    }

    /// Whether a column has a single value in nearly every group, far more often than chance would have it. Values that lie side by side must not share
    /// it as well: a range of incomes is the same for equal incomes, but for incomes close to them too. That one region's households are numbered one
    /// after another is no reason to doubt the other columns.
    pub(super) fn share(&self, other: &Facts<'_>) -> bool {
        let Some(cells) = self.cells(other) else { return false };
        let of_group = |group: &Vec<usize>| {
            let first = cells.get(group[0]);
            group.iter().all(|row| cells.get(*row) == first).then_some(first)
        };
        let values: Vec<Option<u32>> = self.groups.iter().map(of_group).collect();
        let all = values.len() as f64;
        let same = values.iter().flatten().count() as f64;
        let alike = chances(cells);
        let by_chance: f64 = self.groups.iter().map(|group| alike[group.len()]).sum();
        let differ = |pair: &[Option<u32>]| pair[0] != pair[1];
        let pairs = values.windows(2).filter(|pair| pair.iter().all(Option::is_some));
        let (near, differing) = pairs.fold((0.0, 0.0), |(near, differing), pair| {
            (near + 1.0, differing + f64::from(u8::from(differ(pair))))
        });
        10.0 * same >= 9.0 * all
            // Not even a quarter of the groups differ that would by chance.
            && 4.0 * (all - same) <= all - by_chance
            && by_chance < 0.9 * all
            // Neighbours differ at least half as often as any two rows.
            && 2.0 * differing >= near * (1.0 - alike[2])
    }

    /// Whether the rows of at least one in four groups have different values of a column: they are not about one person, if people have one value.
    pub(super) fn differ(&self, other: &Facts<'_>) -> bool {
        let Some(cells) = self.cells(other) else { return false };
        let differs = |group: &&Vec<usize>| group.iter().any(|row| cells.get(*row) != cells.get(group[0]));
        4 * self.groups.iter().filter(differs).count() >= self.groups.len()
    }

    /// The cells of another column, if there is enough to compare.
    fn cells<'a>(&self, other: &Facts<'a>) -> Option<&'a Codes> {
        let cells = other.column.cells?;
        (self.groups.len() >= FEWEST && cells.len() == self.rows && other.distinct > 1).then_some(cells)
    }
}

/// The chance that so many rows have one value, for each number of rows.
fn chances(cells: &Codes) -> [f64; MOST_ROWS + 1] {
    let mut counts = vec![0_u64; cells.iter().max().map_or(0, |code| code as usize + 1)];
    cells.iter().for_each(|code| counts[code as usize] += 1);
    let mut chances = [0.0; MOST_ROWS + 1];
    for count in counts {
        let share = count as f64 / cells.len() as f64;
        let mut chance = 1.0;
        for of in &mut chances {
            *of += chance;
            chance *= share;
        }
    }
    chances
}
