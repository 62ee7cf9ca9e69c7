//! Cells of a grid.

use super::numbers::has_comma;
use super::{Rule, StepClaim};
use crate::error::VerifyError;
use crate::value::Decimal;

/// Whether a point lies in the cell that is shown: the cell is taken apart, and its four sides are compared with the point.
pub(super) fn cell<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    if claim.read.len() != 2 {
        return Err(claim.wrong("a cell needs latitude and longitude"));
    }
    let commas = [has_comma(&claim.present(0)), has_comma(&claim.present(1))];
    let point = move |texts: &[&str]| {
        Some([Decimal::read(texts[0], commas[0])?, Decimal::read(texts.get(1)?, commas[1])?])
    };
    match claim.text("grid").unwrap_or("geohash") {
        "geohash" => {
            let precision = claim.whole("precision").unwrap_or(5);
            Ok(Box::new(move |texts, made| {
                made.len() == precision
                    && point(texts).zip(sides(made)).is_some_and(|(point, sides)| is_inside(point, sides))
            }))
        }
        "degrees" => {
            let step = claim.plain("step").unwrap_or_else(|| "0.1".to_owned());
            let step = Decimal::read(&step, false).ok_or_else(|| claim.wrong("the step is no number"))?;
            Ok(Box::new(move |texts, made| {
                let corner = |text: &str| Decimal::read(text, false);
                let Some(corners) = made.split_once('/').and_then(|(a, b)| Some([corner(a)?, corner(b)?]))
                else {
                    return false;
                };
                point(texts)
                    .is_some_and(|point| (0..2).all(|axis| is_in_cell(point[axis], corners[axis], step)))
            }))
        }
        _ => Err(claim.wrong("the grid is not known")),
    }
}

/// Whether a corner is a multiple of the step, and a coordinate lies less than a step above it.
fn is_in_cell(coordinate: Decimal, corner: Decimal, step: Decimal) -> bool {
    let places = coordinate.places().max(corner.places()).max(step.places());
    let scaled = |number: Decimal| number.scaled(places);
    let Some(((coordinate, corner), step)) = scaled(coordinate).zip(scaled(corner)).zip(scaled(step)) else {
        return false;
    };
    step > 0 && corner.rem_euclid(step) == 0 && corner <= coordinate && coordinate - corner < step
}

/// The sides of a geohash's cell in units of 2 to the power of -30 of the whole: south and north, west and east.
fn sides(cell: &str) -> Option<[(u64, u64); 2]> {
    let mut bits = [(0_u64, 0_u32); 2];
    let mut turn = 1;
    for character in cell.chars() {
        let place = "0123456789bcdefghjkmnpqrstuvwxyz".find(character)?;
        for bit in (0..5).rev() {
            let (value, count) = &mut bits[turn];
            *value = *value * 2 + (place as u64 >> bit & 1);
            *count += 1;
            turn = 1 - turn;
        }
    }
    let ends = |(value, count): (u64, u32)| {
        (count <= 30).then(|| (value << (30 - count), (value + 1) << (30 - count)))
    };
    Some([ends(bits[0])?, ends(bits[1])?])
}

/// Whether a point lies between the sides; a side in the south or west belongs to the cell, and so do the north pole and the last meridian.
fn is_inside(point: [Decimal; 2], sides: [(u64, u64); 2]) -> bool {
    [90_i128, 180].into_iter().zip(point).zip(sides).all(|((half, coordinate), (low, high))| {
        // coordinate = -half + side / 2^30 * 2 * half, in whole numbers of 10^-20 degrees times 2^30.
        let Some(degrees) = coordinate.scaled(20) else { return false };
        let from_edge = (degrees + half * 10_i128.pow(20)) << 30;
        let side = |side: u64| i128::from(side) * 2 * half * 10_i128.pow(20);
        side(low) <= from_edge && (from_edge < side(high) || high == 1 << 30 && from_edge == side(high))
    })
}
