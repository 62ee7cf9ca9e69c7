//! Tests of the bounds: no possible choice of numbers is lost, no single sum could narrow them further, the guess is as near to the truth as
//! possible, and everything can be undone. The tests compute all of this again, from the definition only.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::super::coverage::Coverage;
use super::super::covers::Covers;
use super::super::tests::table;
use super::*;
use crate::problem::Progress;
use crate::search::algorithms::nsvdist::{Cost, Demand, Options, masks};

/// A sum of unknowns, each added or subtracted, with the least and the greatest value allowed.
struct Total {
    terms: Vec<(usize, bool)>,
    from: i64,
    to: i64,
}

impl Total {
    fn of(&self, numbers: &[u32]) -> i64 {
        self.terms.iter().map(|(at, plus)| if *plus { 1 } else { -1 } * i64::from(numbers[*at])).sum()
    }

    /// The least and the greatest value that the sum can have, ignoring all other sums.
    fn ends(&self, bounds: &Bounds<'_>) -> (i64, i64) {
        let (mut low, mut high) = (0, 0);
        for (at, plus) in &self.terms {
            let (least, most) = (i64::from(bounds.least[*at]), i64::from(bounds.most[*at]));
            low += if *plus { least } else { -most };
            high += if *plus { most } else { -least };
        }
        (low, high)
    }
}

/// Every known sum, in the order of the bounds: first those of records, then cuts.
fn totals(known: &Known<'_>, cuts: &[(Vec<u32>, i64)]) -> Vec<Total> {
    let mut found = Vec::new();
    for sum in &known.sums {
        for (value, from, to) in &sum.bounds {
            let sides = [(true, &sum.tuples[..]), (false, &sum.minus[..])];
            let terms = sides.iter().flat_map(|(plus, tuples)| {
                tuples.iter().filter_map(|tuple| Some((known.unknown(*tuple, *value)? as usize, *plus)))
            });
            found.push(Total { terms: terms.collect(), from: *from, to: *to });
        }
    }
    found.extend(cuts.iter().map(|(unknowns, most)| Total {
        terms: unknowns.iter().map(|unknown| (*unknown as usize, true)).collect(),
        from: i64::MIN,
        to: *most,
    }));
    found
}

/// The rows of each tuple as a sum.
fn tuples(known: &Known<'_>) -> Vec<Total> {
    let rows = (0..).zip(&known.rows).map(|(tuple, rows)| Total {
        terms: known.unknowns(tuple).map(|unknown| (unknown as usize, true)).collect(),
        from: i64::from(*rows),
        to: i64::from(*rows),
    });
    rows.collect()
}

/// All choices of numbers that keep to every sum.
fn choices(known: &Known<'_>) -> Vec<Vec<u32>> {
    let mut found = vec![Vec::new()];
    for (tuple, rows) in (0..).zip(&known.rows) {
        for _ in known.unknowns(tuple) {
            found = found
                .iter()
                .flat_map(|of: &Vec<u32>| (0..=*rows).map(|next| [&of[..], &[next]].concat()))
                .collect();
        }
        let all =
            Total { terms: known.unknowns(tuple).map(|of| (of as usize, true)).collect(), from: 0, to: 0 };
        found.retain(|of| all.of(of) == i64::from(*rows));
    }
    let totals = totals(known, &[]);
    found.retain(|of| totals.iter().all(|total| (total.from..=total.to).contains(&total.of(of))));
    found
}

fn is_within(choice: &[u32], bounds: &Bounds<'_>) -> bool {
    choice
        .iter()
        .zip(bounds.least.iter().zip(&bounds.most))
        .all(|(of, (least, most))| (least..=most).contains(&of))
}

/// The stored figures of every sum are what they should be.
fn is_up_to_date(bounds: &Bounds<'_>, cuts: &[(Vec<u32>, i64)]) {
    for (at, total) in totals(bounds.known, cuts).iter().enumerate() {
        assert_eq!((bounds.low[at], bounds.high[at]), total.ends(bounds), "the ends of sum {at}");
        assert_eq!(bounds.now[at], total.of(&bounds.guess), "the guess at sum {at}");
    }
}

/// No sum alone can narrow any unknown further.
fn is_at_rest(bounds: &Bounds<'_>, cuts: &[(Vec<u32>, i64)]) {
    for total in totals(bounds.known, cuts).iter().chain(&tuples(bounds.known)) {
        let (low, high) = total.ends(bounds);
        for (at, _) in &total.terms {
            let width = i64::from(bounds.most[*at]) - i64::from(bounds.least[*at]);
            assert!(low + width <= total.to && high - width >= total.from, "unknown {at} can be narrowed");
        }
    }
}

/// The guess covers all rows of each tuple, is within the bounds, and differs from the truth in no more rows than necessary.
fn is_near_the_truth(bounds: &Bounds<'_>) {
    assert!(is_within(&bounds.guess, bounds), "the guess is outside of its own bounds");
    for (tuple, total) in (0..).zip(tuples(bounds.known)) {
        assert_eq!(total.of(&bounds.guess), total.to, "tuple {tuple} has other rows");
        let sum = |of: &dyn Fn(usize) -> u32| -> u32 {
            bounds.known.unknowns(tuple).map(|at| of(at as usize)).sum()
        };
        let truth = &bounds.known.truth;
        let gained = sum(&|at| bounds.least[at].saturating_sub(truth[at]));
        let lost = sum(&|at| truth[at].saturating_sub(bounds.most[at]));
        assert_eq!(sum(&|at| bounds.guess[at].abs_diff(truth[at])), 2 * gained.max(lost), "tuple {tuple}");
    }
}

/// Narrows random unknowns one after the other, then undoes it. Returns how many were narrowed and how many contradictions there were.
fn narrow_and_undo(known: &Known<'_>, chance: &mut ChaCha8Rng) -> (u32, u32) {
    let mut below = |end: usize| (chance.next_u64() % end as u64) as usize;
    let all = choices(known);
    let mut bounds = Bounds::new(known);
    assert!(bounds.propagate(), "the truth is possible");
    let (mut cuts, mut marks, mut found) = (Vec::new(), Vec::new(), (0, 0));
    // The choices that bounds and cuts still allow.
    let possible = |bounds: &Bounds<'_>, cuts: &[(Vec<u32>, i64)]| -> Vec<&Vec<u32>> {
        let totals = totals(known, cuts);
        all.iter()
            .filter(|of| is_within(of, bounds) && totals.iter().all(|total| total.of(of) <= total.to))
            .collect()
    };
    for _ in 0..4 {
        is_up_to_date(&bounds, &cuts);
        is_at_rest(&bounds, &cuts);
        is_near_the_truth(&bounds);
        let before = (bounds.mark(), bounds.least.clone(), bounds.most.clone(), bounds.guess.clone());
        let unknown = below(known.truth.len());
        let (least, most) = (bounds.least[unknown], bounds.most[unknown]);
        let one = least + below((most - least + 1) as usize) as u32;
        let other = least + below((most - least + 1) as usize) as u32;
        let mut is_possible = bounds.narrow(unknown as u32, one.min(other), one.max(other));
        let left = possible(&bounds, &cuts);
        is_possible = is_possible && bounds.propagate();
        found.0 += 1;
        if !is_possible {
            assert!(left.is_empty(), "{left:?} were possible");
            bounds.forget();
            bounds.undo(before.0);
            found.1 += 1;
            assert_eq!((&bounds.least, &bounds.most, &bounds.guess), (&before.1, &before.2, &before.3));
            continue;
        }
        assert!(left.iter().all(|of| is_within(of, &bounds)), "a possible choice was lost");
        marks.push(before);
        if below(3) == 0 {
            let unknowns: Vec<u32> = (0..known.truth.len() as u32).filter(|_| below(2) == 0).collect();
            let most =
                unknowns.iter().map(|of| i64::from(known.truth[*of as usize])).sum::<i64>() + below(2) as i64;
            bounds.add_cut(unknowns.clone(), most);
            cuts.push((unknowns, most));
            let left = possible(&bounds, &cuts);
            if bounds.propagate() {
                assert!(left.iter().all(|of| is_within(of, &bounds)), "a cut lost a possible choice");
            } else {
                assert!(left.is_empty(), "{left:?} were possible with a cut");
                break;
            }
        }
    }
    for (mark, least, most, guess) in marks.into_iter().rev() {
        bounds.forget();
        bounds.undo(mark);
        assert_eq!((&bounds.least, &bounds.most, &bounds.guess), (&least, &most, &guess));
        is_up_to_date(&bounds, &cuts);
    }
    found
}

#[test]
fn random_bounds_lose_nothing_and_leave_nothing_to_narrow() {
    let mut chance = ChaCha8Rng::seed_from_u64(16);
    let (mut tables, mut found) = (0, (0, 0));
    while tables < 400 {
        let mut below = |end: u64| (chance.next_u64() % end) as u32;
        let (length, kinds) = (3 + below(4), 2 + below(2));
        let sizes = [3, 2];
        let rows: Vec<(Vec<u32>, u32)> = (0..length)
            .map(|_| (sizes.iter().map(|size| below(u64::from(*size))).collect(), below(u64::from(kinds))))
            .collect();
        let mut per_value = vec![0; kinds as usize];
        rows.iter().for_each(|row| per_value[row.1 as usize] += 1);
        let l = ["1", "1.5", "2"][below(3) as usize].parse().expect("a fraction");
        let Ok(demand) = Demand::new(u64::from(1 + below(3)), l, &per_value) else { continue };
        let demand =
            Demand { cover: (demand.size * u64::from(1 + below(2))).min(u64::from(length)), ..demand };
        let (quasi, table) = table(&sizes, &rows, kinds as usize);
        let options = Options { cost: Cost::Loss, literal: false, prepartition: None };
        let progress = Progress::default();
        let Ok(records) = masks(&table, &quasi, Some(0), demand, options, &progress) else { continue };
        let covers = Covers::new(&Coverage::new(&table, &quasi), &records, &progress).expect("covers");
        let known = [
            Known::by_cover(&table, 0, &records, &covers, &progress),
            Known::by_mask(&table, 0, &records, &covers, &progress),
        ];
        for known in known {
            let known = known.expect("true").expect("few unknowns");
            let (narrowed, contradictions) = narrow_and_undo(&known, &mut chance);
            found = (found.0 + narrowed, found.1 + contradictions);
        }
        tables += 1;
    }
    // Propagation is thorough, so later steps meet few contradictions.
    assert!(found.0 > 1_000 && found.1 > 0, "{found:?}");
}
