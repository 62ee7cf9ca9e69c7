//! The two sides in an order that depends on nothing but their contents, so that neither sums nor samples depend on the order of rows.

use std::cmp::Ordering;

use super::{Public, Sides, Span};
use crate::error::{Error, Result};

/// The two sides, in the order of their contents.
pub(super) struct Prepared {
    pub(super) rows: usize,
    pub(super) numbers: Vec<Number>,
    pub(super) categories: Vec<Category>,
    /// Whether a value is missing, for each column of numbers where the release has not kept that: to a distance, that is a category.
    pub(super) gaps: Vec<Category>,
    /// Rows that are candidates for each other's people, in ascending order.
    pub(super) groups: Vec<Vec<u32>>,
    /// The group of each row.
    pub(super) group_of: Vec<u32>,
}

/// A perturbed column of numbers; a missing value is not a number.
pub(super) struct Number {
    pub(super) name: String,
    pub(super) known: Vec<f64>,
    pub(super) shown: Vec<f64>,
    /// What is shown, after whatever is public of the method was undone.
    pub(super) undone: Vec<f64>,
    pub(super) swapped: Option<(Vec<u32>, Vec<Span>)>,
}

/// A perturbed column of categories.
pub(super) struct Category {
    pub(super) name: String,
    pub(super) known: Vec<u32>,
    pub(super) shown: Vec<u32>,
}

impl Prepared {
    pub(super) fn new(sides: &Sides<'_>) -> Result<Self> {
        let rows = sides.groups.len();
        check(sides, rows)?;
        let order = in_order(sides);
        let put = |values: &[Option<f64>]| -> Vec<f64> {
            order.iter().map(|row| number(values[*row as usize])).collect()
        };
        let put_codes =
            |codes: &[u32]| -> Vec<u32> { order.iter().map(|row| codes[*row as usize]).collect() };
        let numbers: Vec<Number> = sides
            .numbers
            .iter()
            .map(|side| {
                let shown = put(side.shown);
                Number {
                    name: side.name.to_owned(),
                    known: put(side.known),
                    undone: shown.iter().map(|shown| undo(*shown, side.public)).collect(),
                    shown,
                    swapped: side.swapped.map(|swapped| {
                        let strata = swapped.strata.map_or_else(|| vec![0; rows], put_codes);
                        (strata, swapped.spans.to_vec())
                    }),
                }
            })
            .collect();
        let categories = sides.categories.iter().map(|side| Category {
            name: side.name.to_owned(),
            known: put_codes(side.known),
            shown: put_codes(side.shown),
        });
        let mut group_of = put_codes(sides.groups);
        let mut gaps = Vec::new();
        for number in &numbers {
            let missing = |values: &[f64]| -> Vec<u32> {
                values.iter().map(|value| u32::from(value.is_nan())).collect()
            };
            let (known, shown) = (missing(&number.known), missing(&number.shown));
            if known == shown {
                // Where a value is missing was not perturbed, so the attacker knows that it is true.
                group_of = refined(&group_of, &known);
            } else {
                gaps.push(Category { name: number.name.clone(), known, shown });
            }
        }
        let (groups, group_of) = members(&group_of);
        Ok(Self { rows, categories: categories.collect(), numbers, gaps, groups, group_of })
    }
}

fn check(sides: &Sides<'_>, rows: usize) -> Result<()> {
    let fits = |length: usize| length == rows;
    let stratified = |swapped: &super::Swapped<'_>| match swapped.strata {
        Some(strata) => {
            fits(strata.len()) && strata.iter().all(|stratum| (*stratum as usize) < swapped.spans.len())
        }
        None => swapped.spans.len() == 1,
    };
    let all_fit = sides.numbers.iter().all(|side| {
        fits(side.known.len())
            && fits(side.shown.len())
            && side.swapped.as_ref().is_none_or(stratified)
            && match side.public {
                Public::Nothing => true,
                Public::Kim { mean, d } => mean.is_finite() && d.is_finite() && d >= 0.0,
            }
    }) && sides.categories.iter().all(|side| fits(side.known.len()) && fits(side.shown.len()));
    if !all_fit || rows > u32::MAX as usize {
        return Err(Error::internal("the columns of a linkage do not fit each other"));
    }
    if rows == 0 || (sides.numbers.is_empty() && sides.categories.is_empty()) {
        return Err(Error::internal("there is nothing to link"));
    }
    Ok(())
}

/// A number, or not a number: an infinite one has no distance.
fn number(value: Option<f64>) -> f64 {
    // Zero has one sign, so that equal numbers are equal to the bit.
    value.filter(|value| value.is_finite()).map_or(f64::NAN, |value| value + 0.0)
}

fn undo(shown: f64, public: Public) -> f64 {
    match public {
        Public::Nothing => shown,
        Public::Kim { mean, d } => {
            let shrunk = (1.0 + d).sqrt();
            (shown - (1.0 - 1.0 / shrunk) * mean) * shrunk
        }
    }
}

/// The rows in the order of their contents. Rows of equal contents are exchangeable.
fn in_order(sides: &Sides<'_>) -> Vec<u32> {
    let mut order: Vec<u32> = (0..sides.groups.len() as u32).collect();
    let compare = |left: &u32, right: &u32| -> Ordering {
        let (left, right) = (*left as usize, *right as usize);
        let of_numbers = sides.numbers.iter().map(|side| {
            let of = |values: &[Option<f64>]| number(values[left]).total_cmp(&number(values[right]));
            of(side.known).then_with(|| of(side.shown))
        });
        let of_categories = sides.categories.iter().map(|side| {
            side.known[left].cmp(&side.known[right]).then_with(|| side.shown[left].cmp(&side.shown[right]))
        });
        let mut all = of_numbers.chain(of_categories);
        let by_contents = all.find(|ordering| ordering.is_ne()).unwrap_or(Ordering::Equal);
        by_contents.then_with(|| sides.groups[left].cmp(&sides.groups[right]))
    };
    order.sort_unstable_by(compare);
    order
}

/// Numbers each pair of codes.
pub(super) fn refined(codes: &[u32], by: &[u32]) -> Vec<u32> {
    let pairs: Vec<(u32, u32)> = codes.iter().copied().zip(by.iter().copied()).collect();
    let mut all = pairs.clone();
    all.sort_unstable();
    all.dedup();
    pairs.iter().map(|pair| all.binary_search(pair).unwrap_or_default() as u32).collect()
}

/// The rows of each code, in the order of codes, and the place of each row's code among them.
pub(super) fn members(codes: &[u32]) -> (Vec<Vec<u32>>, Vec<u32>) {
    let mut all = codes.to_vec();
    all.sort_unstable();
    all.dedup();
    let mut groups = vec![Vec::new(); all.len()];
    let place = |code: &u32| all.binary_search(code).unwrap_or_default() as u32;
    let group_of: Vec<u32> = codes.iter().map(place).collect();
    group_of.iter().enumerate().for_each(|(row, group)| groups[*group as usize].push(row as u32));
    (groups, group_of)
}
