//! Linkage by distance: what is nearest is taken for the person's, in both directions and by two distances.

use rayon::prelude::*;
use scumble_files::Control;

use super::Attempt;
use super::prepare::Prepared;
use super::space::{euclidean, matched};
use super::tree::{Points, Tree, distance};
use crate::error::Result;

/// People between two checks whether to stop.
const STRIDE: usize = 64;

/// For each attempt, the chance that each person who is looked for is linked right.
pub(super) fn attempts(
    prepared: &Prepared,
    people: &[u32],
    control: &Control,
) -> Result<Vec<(Attempt, Vec<f64>)>> {
    let mut found = Vec::with_capacity(4);
    let spaces = [
        (euclidean(prepared), Attempt::RowsToPeople, Attempt::PeopleToRows),
        (matched(prepared), Attempt::MatchedRowsToPeople, Attempt::MatchedPeopleToRows),
    ];
    for (space, rows_to_people, people_to_rows) in spaces {
        let columns = || prepared.categories.iter().chain(&prepared.gaps);
        let known: Vec<&[u32]> = columns().map(|column| column.known.as_slice()).collect();
        let shown: Vec<&[u32]> = columns().map(|column| column.shown.as_slice()).collect();
        let known = Points { width: space.width, numbers: &space.known, categories: &known };
        let shown = Points { width: space.width, numbers: &space.shown, categories: &shown };
        found.push((rows_to_people, linked(prepared, &shown, &known, people, control)?));
        found.push((people_to_rows, linked(prepared, &known, &shown, people, control)?));
    }
    Ok(found)
}

/// The chance that a pick among the nearest of the candidates is the own one. Point `i` of one side belongs to point `i` of the other.
fn linked(
    prepared: &Prepared,
    from: &Points<'_>,
    to: &Points<'_>,
    people: &[u32],
    control: &Control,
) -> Result<Vec<f64>> {
    let mut wanted = vec![false; prepared.groups.len()];
    people.iter().for_each(|person| wanted[prepared.group_of[*person as usize] as usize] = true);
    let tree = |(group, wanted): (&Vec<u32>, &bool)| {
        control.check()?;
        Ok(wanted.then(|| Tree::of(to, group.clone())))
    };
    let trees: Vec<Option<Tree>> =
        prepared.groups.par_iter().zip(&wanted).map(tree).collect::<Result<_>>()?;
    let of_some = |people: &[u32]| {
        control.check()?;
        Ok(people.iter().map(|person| linked_right(prepared, &trees, from, to, *person)).collect())
    };
    let found: Vec<Vec<f64>> = people.par_chunks(STRIDE).map(of_some).collect::<Result<_>>()?;
    Ok(found.concat())
}

fn linked_right(
    prepared: &Prepared,
    trees: &[Option<Tree>],
    from: &Points<'_>,
    to: &Points<'_>,
    person: u32,
) -> f64 {
    let at = |points: &Points<'_>| {
        let codes: Vec<u32> = points.categories.iter().map(|codes| codes[person as usize]).collect();
        (person as usize * points.width, codes)
    };
    let ((start, codes), (start_of_own, codes_of_own)) = (at(from), at(to));
    let numbers = &from.numbers[start..start + from.width];
    let own = &to.numbers[start_of_own..start_of_own + to.width];
    let own = distance(own, &codes_of_own, numbers, &codes);
    let tree = trees[prepared.group_of[person as usize] as usize].as_ref();
    tree.and_then(|tree| tree.as_near(numbers, &codes, own)).map_or(0.0, |equal| 1.0 / equal.max(1) as f64)
}
