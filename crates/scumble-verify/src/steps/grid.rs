//! Cells of a grid.

use super::numbers::has_comma;
use super::{Rule, StepClaim, by_code};
use crate::error::VerifyError;
use crate::value::Decimal;

/// Whether a point lies in the cell that is shown: the cell is taken apart, and its four sides are compared with the point.
pub(super) fn cell<'a>(claim: &StepClaim<'a>) -> Result<Rule<'a>, VerifyError> {
    if claim.read.len() != 2 {
        return Err(claim.wrong("a cell needs latitude and longitude"));
    }
    let coordinates = |place: usize| {
        let comma = has_comma(&claim.present(place));
        by_code(claim.read[place], |text| Decimal::read(text, comma)?.scaled(PLACES))
    };
    let points = [coordinates(0), coordinates(1)];
    let point = move |codes: &[u32]| Some([points[0][codes[0] as usize]?, points[1][codes[1] as usize]?]);
    match claim.text("grid").unwrap_or("geohash") {
        "geohash" => {
            let precision = claim.whole("precision").unwrap_or(5);
            let sides =
                by_code(claim.made(), |cell| (cell.len() == precision).then(|| sides(cell)).flatten());
            Ok(Rule::codes(move |codes, made| {
                point(codes).zip(sides[made as usize]).is_some_and(|(point, sides)| is_inside(point, sides))
            }))
        }
        "degrees" => {
            let step = claim.plain("step").unwrap_or_else(|| "0.1".to_owned());
            let step = Decimal::read(&step, false).and_then(|step| step.scaled(PLACES));
            let step =
                step.filter(|step| *step > 0).ok_or_else(|| claim.wrong("the step is no number above 0"))?;
            // A corner is a multiple of the step, and on the globe.
            let corner = |text: &str| {
                let corner = Decimal::read(text, false)?.scaled(PLACES)?;
                let is_on_globe = corner.unsigned_abs() <= 180 * 10_u128.pow(20);
                (is_on_globe && corner.rem_euclid(step) == 0).then_some(corner)
            };
            let corners = by_code(claim.made(), |cell| {
                let (latitude, longitude) = cell.split_once('/')?;
                Some([corner(latitude)?, corner(longitude)?])
            });
            Ok(Rule::codes(move |codes, made| {
                // A point is less than a step above its corner.
                point(codes).zip(corners[made as usize]).is_some_and(|(point, corner)| {
                    (0..2).all(|axis| (corner[axis]..corner[axis] + step).contains(&point[axis]))
                })
            }))
        }
        _ => Err(claim.wrong("the grid is not known")),
    }
}

/// The decimal places of degrees with which coordinates are compared.
const PLACES: i64 = 20;

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
fn is_inside(point: [i128; 2], sides: [(u64, u64); 2]) -> bool {
    [90_i128, 180].into_iter().zip(point).zip(sides).all(|((half, degrees), (low, high))| {
        // degrees = -half + side / 2^30 * 2 * half, in whole numbers of 10^-20 degrees times 2^30.
        let half = half * 10_i128.pow(20);
        if degrees.abs() > half {
            return false;
        }
        let from_edge = (degrees + half) << 30;
        let side = |side: u64| i128::from(side) * 2 * half;
        side(low) <= from_edge && (from_edge < side(high) || high == 1 << 30 && from_edge == side(high))
    })
}
