//! Finds a mask for every row of a table.

use rayon::prelude::*;

use super::arena::Arena;
use super::fast::{self, Searcher};
use super::feasible::Demand;
use super::ruler::{Cost, Reach, Ruler, Sight};
use super::{literal, parts};
use crate::error::Result;
use crate::problem::Progress;
use crate::recoding::published::Record;
use crate::table::frequency::FrequencyTable;
use crate::table::quasi::Quasi;

/// The options of the search for masks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// The cost that is minimised.
    pub cost: Cost,
    /// Whether every row is examined for every place, as the paper prints it.
    pub literal: bool,
    /// If given, masks stay within parts of about this many rows.
    pub prepartition: Option<u64>,
}

/// The columns, and the kind of cost.
pub(super) struct Rules<'p> {
    pub(super) rulers: Vec<Ruler<'p>>,
    pub(super) cost: Cost,
}

impl Rules<'_> {
    /// How far a cover reaches if it also contains a row of these ranks.
    pub(super) fn join(&self, sights: &[Sight], reach: &[Reach], ranks: &[u32]) -> Vec<Reach> {
        let columns = self.rulers.iter().zip(sights).zip(reach).zip(ranks);
        columns
            .map(|(((ruler, sight), reach), rank)| fast::joint(*reach, ruler.reach(sight, *rank)))
            .collect()
    }
}

/// The number of tuples that one thread searches one after the other, so that neighbours can share results.
const BLOCK: usize = 64;

/// Finds a mask for each tuple and value of the payload column `sensitive` (without such a column, for each tuple), ordered by tuple, then
/// value. The result does not depend on the number of threads.
pub(crate) fn masks(
    table: &FrequencyTable,
    quasi: &[Quasi],
    sensitive: Option<usize>,
    demand: Demand,
    options: Options,
    progress: &Progress,
) -> Result<Vec<Record>> {
    let rulers = quasi.iter().enumerate();
    let rules = Rules {
        rulers: rulers.map(|(column, quasi)| Ruler::new(quasi, column, table, options.cost)).collect(),
        cost: options.cost,
    };
    let whole = Arena::new(table, sensitive, &rules.rulers, (0..table.tuples() as u32).collect());
    let Some(most) = options.prepartition else {
        return search(&rules, &whole, demand, options.literal, progress);
    };
    let parts = parts::divide(&rules, &whole, demand, most);
    let mut found = Vec::new();
    for part in parts {
        let mut tuples: Vec<u32> = part.iter().map(|place| whole.tuples[*place]).collect();
        tuples.sort_unstable();
        let arena = Arena::new(table, sensitive, &rules.rulers, tuples);
        found.extend(search(&rules, &arena, demand, options.literal, progress)?);
    }
    found.sort_by_key(|found| (found.tuple, found.value));
    Ok(found)
}

fn search(
    rules: &Rules<'_>,
    arena: &Arena,
    demand: Demand,
    literal: bool,
    progress: &Progress,
) -> Result<Vec<Record>> {
    let places: Vec<usize> = (0..arena.len()).collect();
    let of_block = |block: &[usize]| -> Result<Vec<Record>> {
        let mut searcher = Searcher::new(rules, arena, demand);
        let mut found = Vec::new();
        for place in block {
            progress.check()?;
            found.extend(if literal {
                literal::search(rules, arena, demand, *place)
            } else {
                searcher.search(*place)
            });
            progress.advance(1);
        }
        Ok(found)
    };
    let blocks: Vec<Vec<Record>> = places.par_chunks(BLOCK).map(of_block).collect::<Result<_>>()?;
    Ok(blocks.into_iter().flatten().collect())
}
