//! What follows from equations by contradiction.
//!
//! A row has its value for certain if it cannot have another. So for each tuple whose rows all have one value it is assumed that one of
//! them has not, bounds are passed on, and if some equation then cannot hold, the assumption is refuted. That sees what equations imply
//! together with the fact that numbers of rows are whole and not negative, which elimination does not use, and goes through equations that
//! are too many to be eliminated. Only what follows for true values can be certain, so one assumption a tuple is enough.

use super::equations::{State, Undo, settle};
use crate::error::Result;
use crate::problem::Progress;

/// So many bounds are looked at in all; tuples that are not reached are reported.
const MOST_LOOKS: u64 = 1 << 30;

/// Finds further tuples whose rows have their value for certain. `partly` is set for those that there was no time for.
pub(super) fn probe(state: &mut State<'_>, partly: &mut [bool], progress: &Progress) -> Result<()> {
    let last = state.looks.saturating_add(MOST_LOOKS);
    let open: Vec<(u32, u32)> = (0..state.unknown.len() as u32)
        .filter(|tuple| !state.is_certain(*tuple))
        .filter_map(|tuple| Some((tuple, only_value(state, tuple)?)))
        .collect();
    loop {
        let mut found = false;
        for (tuple, value) in &open {
            if state.is_certain(*tuple) {
                continue;
            }
            if state.looks > last {
                partly[*tuple as usize] = true;
                continue;
            }
            found |= refute_others(state, *tuple, *value, progress)?;
        }
        if !found {
            return Ok(());
        }
    }
}

/// The value of all rows of a tuple, if they have the same.
fn only_value(state: &State<'_>, tuple: u32) -> Option<u32> {
    let all = state.table.weight(tuple) as u32;
    let mut values = state.unknown[tuple as usize].iter().map(|bounds| bounds.value);
    values.find(|value| state.true_rows(tuple, *value) == all)
}

/// Whether it leads to a contradiction that a row of a tuple has not this value; if so, all rows have it from now on.
fn refute_others(state: &mut State<'_>, tuple: u32, value: u32, progress: &Progress) -> Result<bool> {
    let all = state.table.weight(tuple) as u32;
    let mut undo: Undo = vec![(tuple, state.unknown[tuple as usize].clone())];
    let bounds = &mut state.unknown[tuple as usize];
    bounds.iter_mut().filter(|of| of.value == value).for_each(|of| of.most = of.most.min(all - 1));
    let possible = settle(bounds, all)
        && state.propagate(state.of_tuple[tuple as usize].clone(), &mut undo, progress)?;
    for (tuple, bounds) in undo.into_iter().rev() {
        state.unknown[tuple as usize] = bounds;
    }
    if possible {
        return Ok(false);
    }
    for of in &mut state.unknown[tuple as usize] {
        (of.least, of.most) = if of.value == value { (all, all) } else { (0, 0) };
    }
    state.propagate(state.of_tuple[tuple as usize].clone(), &mut Undo::new(), progress)?;
    Ok(true)
}
