//! The search of `local_suppression`: opens classes greedily, the cheapest patterns first, then moves rows between classes as long as
//! that saves blanks.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::patterns::Pattern;
use super::state::{Move, STAR, State};
use crate::error::Result;
use crate::problem::Problem;

/// The most rounds of improvement; few save anything after the third.
const ROUNDS: usize = 8;

/// The most places of units that are stored, four bytes each.
const KEPT: usize = 1 << 24;

/// A class that could be opened: its rows when they were counted, and its units. Larger classes come first, then cheaper and earlier
/// patterns, then smaller tuples.
type Candidate = (u64, Reverse<(usize, u128)>, Vec<u32>);

/// Opens classes for rows that show nothing yet, pattern by pattern. Of patterns with the same cost, the class with most rows
/// comes first, and is counted again after others have taken rows from it.
pub(super) fn build(state: &mut State<'_>, problem: &Problem) -> Result<()> {
    let patterns = state.patterns.all.clone();
    for level in patterns.chunk_by(|a, b| a.cost == b.cost) {
        problem.progress.check()?;
        problem.progress.advance(level.len() as u64);
        let rest: Vec<u32> =
            (0..state.units.len() as u32).filter(|unit| state.in_class(*unit, STAR) > 0).collect();
        if rest.is_empty() {
            break;
        }
        let found = level.par_iter().enumerate().with_max_len(1);
        let found: Result<Vec<Vec<Candidate>>> =
            found.map(|place| problem.progress.check().map(|()| candidates(state, &rest, place))).collect();
        let mut heap: BinaryHeap<Candidate> = found?.into_iter().flatten().collect();
        let mut pace = problem.progress.pace();
        while let Some((rows, Reverse((place, key)), units)) = heap.pop() {
            pace.tick(units.len())?;
            let left: u64 = units.iter().map(|unit| u64::from(state.in_class(*unit, STAR))).sum();
            let members = || units.iter().map(|unit| (*unit, state.in_class(*unit, STAR)));
            if left < rows {
                if left > 0 && state.pass_together(members()) {
                    heap.push((left, Reverse((place, key)), units));
                }
                continue;
            }
            let class = state.open(units[0], level[place]);
            for unit in units {
                let rows = state.in_class(unit, STAR);
                if rows > 0 {
                    state.shift(unit, STAR, class, rows);
                }
            }
        }
    }
    Ok(())
}

/// The classes of a pattern that rows among `rest` can form.
fn candidates(state: &State<'_>, rest: &[u32], (place, pattern): (usize, &Pattern)) -> Vec<Candidate> {
    let mut shown: Vec<(u128, u32)> =
        rest.iter().map(|unit| (pattern.shown(state.units[*unit as usize].key), *unit)).collect();
    shown.sort_unstable();
    shown
        .chunk_by(|a, b| a.0 == b.0)
        .filter_map(|group| {
            let members = || group.iter().map(|(_, unit)| (*unit, state.in_class(*unit, STAR)));
            let rows = members().map(|(_, rows)| u64::from(rows)).sum();
            let units = || group.iter().map(|(_, unit)| *unit).collect();
            state.pass_together(members()).then(|| (rows, Reverse((place, group[0].0)), units()))
        })
        .collect()
}

/// Moves rows as long as that saves blanks: first ignoring whether the rows that show nothing meet the models, then making them meet
/// them. A step handles the rows of one class. The state can be shown after each step, once the rows that show nothing are repaired.
pub(super) fn improve(state: &mut State<'_>, problem: &Problem) -> Result<()> {
    let mut steps = 0;
    rounds(state, problem, &mut steps)?;
    state.judge_star();
    if !state.holds(STAR) {
        mend_star(state);
        rounds(state, problem, &mut steps)?;
    }
    // The result is compared with blanking whole rows, however long that takes.
    problem.budget.settle();
    Ok(())
}

/// The units, sorted by what each pattern shows of them. The order is the same in every round, and sorting takes a large part of a
/// round, so it is stored if there is room.
struct Orders(Vec<Option<Vec<u32>>>);

impl Orders {
    fn new(state: &State<'_>) -> Self {
        let patterns = state.patterns.all.len();
        let fits = state.units.len().saturating_mul(patterns) <= KEPT;
        Self(vec![None; if fits { patterns } else { 0 }])
    }

    /// Returns what the pattern in that place shows, with the units that show it, in order.
    fn shown(&mut self, state: &State<'_>, place: usize, pattern: Pattern) -> Vec<(u128, u32)> {
        let of = |unit: u32| (pattern.shown(state.units[unit as usize].key), unit);
        if let Some(Some(order)) = self.0.get(place) {
            return order.iter().map(|unit| of(*unit)).collect();
        }
        let mut shown: Vec<(u128, u32)> = (0..state.units.len() as u32).map(of).collect();
        shown.par_sort_unstable();
        if let Some(kept) = self.0.get_mut(place) {
            *kept = Some(shown.iter().map(|(_, unit)| *unit).collect());
        }
        shown
    }
}

fn rounds(state: &mut State<'_>, problem: &Problem, steps: &mut u64) -> Result<()> {
    let mut orders = Orders::new(state);
    for _ in 0..ROUNDS {
        let mut saved = 0;
        for (place, pattern) in state.patterns.all.clone().into_iter().enumerate() {
            problem.progress.advance(1);
            let shown = |state: &State<'_>| orders.shown(state, place, pattern);
            let Some(more) = serve(state, pattern, shown, (problem, steps))? else { return Ok(()) };
            saved += more;
        }
        let Some(more) = dissolve_all(state, problem, steps)? else { return Ok(()) };
        if saved + more == 0 {
            break;
        }
    }
    Ok(())
}

/// Opens or fills the classes of a pattern where that saves blanks. Returns how much was saved; `None` if the budget is spent.
fn serve(
    state: &mut State<'_>,
    pattern: Pattern,
    shown: impl FnOnce(&State<'_>) -> Vec<(u128, u32)>,
    (problem, steps): (&Problem, &mut u64),
) -> Result<Option<u64>> {
    let costs_more =
        |state: &State<'_>, class: u32| state.classes[class as usize].pattern.cost > pattern.cost;
    if !problem.goes_on(*steps)? {
        return Ok(None);
    }
    *steps += 1;
    let shown = shown(state);
    let mut saved = 0;
    for group in shown.chunk_by(|a, b| a.0 == b.0) {
        if !problem.goes_on(*steps)? {
            return Ok(None);
        }
        *steps += 1;
        let gains = |(_, unit): &(u128, u32)| {
            state.places[*unit as usize].iter().any(|(class, _)| costs_more(state, *class))
        };
        if group.iter().any(gains) && !state.too_few(group) {
            let units: Vec<u32> = group.iter().map(|(_, unit)| *unit).collect();
            saved += serve_group(state, pattern, &units);
        }
    }
    Ok(Some(saved))
}

/// Rows that may move to a class: where they are, and the cost of each row there.
struct Holding {
    cost: u64,
    unit: u32,
    class: u32,
    rows: u32,
}

fn holdings(state: &State<'_>, units: &[u32]) -> Vec<Holding> {
    let of_unit = |unit: &u32| {
        let unit = *unit;
        let holding = move |(class, rows): &(u32, u32)| Holding {
            cost: state.classes[*class as usize].pattern.cost,
            unit,
            class: *class,
            rows: *rows,
        };
        state.places[unit as usize].iter().map(holding)
    };
    units.iter().flat_map(of_unit).collect()
}

/// Moves rows that now cost more into the class of a pattern. If they are too few for a class, other rows join them, as long as the
/// gain exceeds the loss of those others.
fn serve_group(state: &mut State<'_>, pattern: Pattern, units: &[u32]) -> u64 {
    let known = state.classes.len();
    let class = state.open(units[0], pattern);
    // A class that already has rows must meet the models after every step; a class that is being filled must meet them only at the end.
    let stands = state.classes[class as usize].rows > 0;
    let (mut gain, mut loss) = (0, 0);
    let mut moves: Vec<Move> = Vec::new();
    // By the class that the rows come from, the most expensive first.
    let mut donors = holdings(state, units);
    donors.retain(|holding| holding.class != class);
    donors.sort_by_key(|holding| (Reverse(holding.cost), holding.class));
    for donor in donors.chunk_by(|a, b| a.class == b.class) {
        if donor[0].cost <= pattern.cost && (loss >= gain || state.holds(class)) {
            break;
        }
        // Rows that lose by joining only come as far as they are needed.
        let company = donor[0].cost <= pattern.cost;
        let enough = |state: &State<'_>| company && state.holds(class);
        let mut taken = Vec::new();
        if is_all(state, donor) && !(company && spares(state, donor)) {
            for holding in donor {
                taken.push(state.shift(holding.unit, holding.class, class, holding.rows));
            }
        } else {
            for holding in donor {
                let chunk = if company { 1 } else { holding.rows };
                let mut left = holding.rows;
                while left > 0 && !enough(state) {
                    let rows = state.may_leave(holding.unit, holding.class, chunk.min(left));
                    if rows == 0 {
                        break;
                    }
                    left -= rows;
                    taken.push(state.shift(holding.unit, holding.class, class, rows));
                }
            }
        }
        if taken.is_empty() && state.is_small() && donor[0].class != STAR {
            let balance = gain as i64 - loss as i64;
            let least = if company { -balance } else { 0 };
            if let Some((mut broken, saved)) = break_up(state, donor, class, least) {
                if stands && !state.holds(class) {
                    state.undo(broken);
                    continue;
                }
                gain += u64::try_from(saved).unwrap_or(0);
                loss += u64::try_from(-saved).unwrap_or(0);
                moves.append(&mut broken);
            }
            continue;
        }
        if stands && !state.holds(class) {
            state.undo(taken);
            continue;
        }
        let rows: u64 = taken.iter().map(Move::rows).sum();
        gain += donor[0].cost.saturating_sub(pattern.cost) * rows;
        loss += pattern.cost.saturating_sub(donor[0].cost) * rows;
        moves.append(&mut taken);
    }
    if loss < gain && state.holds(class) {
        return gain - loss;
    }
    state.undo(moves);
    if class as usize == known {
        state.close_last(units[0]);
    }
    0
}

/// Whether these are all rows of their class, so that they can leave together.
fn is_all(state: &State<'_>, donor: &[Holding]) -> bool {
    let rows: u64 = donor.iter().map(|holding| u64::from(holding.rows)).sum();
    rows == state.classes[donor[0].class as usize].rows
}

/// Whether a class can spare one of these rows.
fn spares(state: &State<'_>, donor: &[Holding]) -> bool {
    donor.iter().any(|holding| state.may_leave(holding.unit, holding.class, 1) > 0)
}

/// Dissolves classes all of whose rows cost less elsewhere, the most expensive class first. Returns what was saved; `None` if the
/// budget is spent.
fn dissolve_all(state: &mut State<'_>, problem: &Problem, steps: &mut u64) -> Result<Option<u64>> {
    let mut order: Vec<u32> = (0..state.classes.len() as u32).collect();
    order.sort_by_key(|class| (Reverse(state.classes[*class as usize].pattern.cost), *class));
    let mut saved = 0;
    for class in order {
        if !problem.goes_on(*steps)? {
            return Ok(None);
        }
        *steps += 1;
        saved += dissolve(state, class);
    }
    Ok(Some(saved))
}

/// Moves all rows of a class elsewhere if that saves blanks; otherwise moves none.
fn dissolve(state: &mut State<'_>, class: u32) -> u64 {
    let now = state.classes[class as usize].rows * state.classes[class as usize].pattern.cost;
    let mut moves = Vec::new();
    match rehome(state, class, now, &mut moves) {
        Some(then) if then < now => now - then,
        _ => {
            state.undo(moves);
            0
        }
    }
}

/// Moves all rows of a class where they cost least, and returns what they cost there. Returns `None` if a row has no other place, or if
/// they would cost `limit` or more.
fn rehome(state: &mut State<'_>, class: u32, limit: u64, moves: &mut Vec<Move>) -> Option<u64> {
    let mut cost = 0;
    for unit in state.members(class) {
        let rows = state.in_class(unit, class);
        let elsewhere = |pattern: &Pattern| {
            let other = state.class_of(unit, *pattern)?;
            (other != class && state.may_join(unit, other, rows)).then_some(other)
        };
        let other = state.patterns.all.iter().find_map(elsewhere)?;
        cost += state.classes[other as usize].pattern.cost * u64::from(rows);
        moves.push(state.shift(unit, class, other, rows));
        if cost >= limit {
            return None;
        }
    }
    Some(cost)
}

/// Dissolves a class of which some rows go to the class `to`. The others go where they cost least. This must save more than `least`.
fn break_up(state: &mut State<'_>, donor: &[Holding], to: u32, least: i64) -> Option<(Vec<Move>, i64)> {
    let class = donor[0].class;
    let now = state.classes[class as usize].rows * donor[0].cost;
    let mut moves = Vec::new();
    let mut cost = 0;
    for holding in donor {
        moves.push(state.shift(holding.unit, class, to, holding.rows));
        cost += state.classes[to as usize].pattern.cost * u64::from(holding.rows);
    }
    // The other rows must cost less than this.
    let limit = u64::try_from(now as i64 - cost as i64 - least).unwrap_or(0);
    match rehome(state, class, limit, &mut moves) {
        Some(rest) if rest < limit => Some((moves, now as i64 - cost as i64 - rest as i64)),
        _ => {
            state.undo(moves);
            None
        }
    }
}

/// Turns the rows that show nothing into a class that meets the models. The rows of other classes that lose least join them, or whole
/// classes where none can spare a row.
fn mend_star(state: &mut State<'_>) {
    let all: Vec<u32> = (0..state.units.len() as u32).collect();
    if dissolve(state, STAR) > 0 {
        return;
    }
    let mut others = holdings(state, &all);
    others.retain(|holding| holding.class != STAR);
    others.sort_by_key(|holding| Reverse(holding.cost));
    for Holding { unit, class, rows, .. } in others {
        for _ in 0..rows {
            if state.holds(STAR) {
                return;
            }
            if state.may_leave(unit, class, 1) == 0 {
                break;
            }
            state.shift(unit, class, STAR, 1);
        }
    }
    let nothing = state.classes[STAR as usize].pattern.cost;
    while !state.holds(STAR) {
        let loss = |class: &u32| {
            let of = &state.classes[*class as usize];
            of.rows * (nothing - of.pattern.cost)
        };
        let shown = (1..state.classes.len() as u32).filter(|class| state.classes[*class as usize].rows > 0);
        let Some(class) = shown.min_by_key(|class| (loss(class), *class)) else { return };
        for unit in &all {
            let rows = state.in_class(*unit, class);
            if rows > 0 {
                state.shift(*unit, class, STAR, rows);
            }
        }
    }
}
