//! Latitude and longitude as one cell of a grid.
//!
//! Written by hand: the crate `geohash` works on floats and brings a geometry library along, and the cell of a point must be exact, since the
//! verifier finds it a second time.

use super::numbers::{NOT_A_NUMBER, Numbers};
use super::values::{each_value, fault, of_rows};
use super::{BuildTransform, Facts, Given, Made, Takes, Transform, decimal};
use crate::base::entry::{Entry, Standing};
use crate::base::text::counted;
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "geo",
    title: "Grid cells of coordinates",
    paper: "Geohash, Niemeyer 2008",
    standing: Standing::Recommended,
    about: "Makes one column of latitude and longitude: the cell of a grid that a point lies in. A geohash of five characters is a cell of \
            about 5 km, of four about 20 by 39 km, and the first characters of a cell are a larger cell, so that a prefix hierarchy coarsens \
            it further. A grid of degrees shows the south-western corner of the cell.",
    parameters: &[
        ("grid", "geohash (default) or degrees"),
        ("precision", "the characters of a geohash, from 1 to 12 (5)"),
        ("step", "the width of a cell in degrees (0.1)"),
    ],
    build: |parameters| Ok(Box::new(Geo::new(parameters)?)),
};

enum Grid {
    Geohash(usize),
    Degrees(Decimal),
}

struct Geo {
    grid: Grid,
}

/// The decimal places with which coordinates are computed; a cell of twelve characters is 37 mm wide.
const PLACES: u32 = 20;
/// The characters of a geohash: five bits each.
const CHARACTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

impl Geo {
    fn new(parameters: &Parameters) -> Result<Self> {
        let grid = parameters.choice("grid", &["geohash", "degrees"])?.unwrap_or("geohash");
        let (precision, step) = (parameters.whole("precision", 1)?, decimal(parameters, "step")?);
        let other = |name: &str| {
            Err(parameters.placed(name, Error::config(format_args!("{name} is not for a grid of {grid}"))))
        };
        let grid = if grid == "geohash" {
            if step.is_some() {
                return other("step");
            }
            match precision.unwrap_or(5) {
                precision @ 1..=12 => Grid::Geohash(precision as usize),
                _ => {
                    return Err(
                        parameters.placed("precision", Error::config("precision must be from 1 to 12"))
                    );
                }
            }
        } else {
            if precision.is_some() {
                return other("precision");
            }
            let step = step.unwrap_or(Decimal::of(1, -1));
            let fits =
                !step.is_zero() && !step.is_negative() && step <= Decimal::of(90, 0) && step.places() <= 12;
            if !fits {
                return Err(
                    parameters.placed("step", Error::config("step must be above 0 and at most 90 degrees"))
                );
            }
            Grid::Degrees(step)
        };
        Ok(Self { grid })
    }

    /// The cell of a point in the unit of the computation.
    fn cell(&self, latitude: i128, longitude: i128) -> String {
        match self.grid {
            Grid::Geohash(precision) => geohash(latitude, longitude, precision),
            Grid::Degrees(step) => {
                let step = step.scaled(PLACES).unwrap_or(1);
                let corner = |of: i128| Decimal::of(of.div_euclid(step) * step, -(PLACES as i32)).text('.');
                format!("{}/{}", corner(latitude), corner(longitude))
            }
        }
    }
}

/// The geohash of a point: each bit says in which half of what is left the point lies, longitude first.
fn geohash(latitude: i128, longitude: i128, precision: usize) -> String {
    let degree = 10_i128.pow(PLACES);
    let mut ranges = [(-180 * degree, 180 * degree, longitude), (-90 * degree, 90 * degree, latitude)];
    let mut made = String::with_capacity(precision);
    let mut bits = 0_usize;
    for bit in 0..precision * 5 {
        let (low, high, point) = &mut ranges[bit % 2];
        let middle = (*low + *high) / 2;
        let upper = *point >= middle;
        *(if upper { low } else { high }) = middle;
        bits = bits * 2 + usize::from(upper);
        if bit % 5 == 4 {
            made.push(char::from(CHARACTERS[bits % 32]));
            bits = 0;
        }
    }
    made
}

impl Transform for Geo {
    fn facts(&self) -> Facts {
        Facts { takes: Takes::Several(2), ..Facts::DERIVED }
    }

    fn words(&self) -> String {
        match self.grid {
            Grid::Geohash(precision) => {
                format!(
                    "coordinates show their geohash of {}",
                    counted(precision as u64, "character", "characters")
                )
            }
            Grid::Degrees(step) => {
                format!("coordinates show the corner of their cell of {} degrees", step.text('.'))
            }
        }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let [latitudes, longitudes] = given.columns else {
            return Err(Error::internal("a grid needs two columns"));
        };
        let degrees = |limit: i128| {
            move |number: Decimal| {
                number.scaled(PLACES).filter(|degrees| degrees.abs() <= limit * 10_i128.pow(PLACES))
            }
        };
        let mut of_columns = Vec::new();
        for (column, limit, reason) in [
            (
                *latitudes,
                90,
                "is beyond 90 degrees (or has more than 20 decimal places), so it is no latitude; name the column of latitudes first",
            ),
            (
                *longitudes,
                180,
                "is beyond 180 degrees (or has more than 20 decimal places), so it is no longitude",
            ),
        ] {
            let numbers = Numbers::of(given, column)?;
            each_value(given, column, |text| {
                let number = numbers.read(text).ok_or(NOT_A_NUMBER)?;
                degrees(limit)(number).map(|_| String::new()).ok_or(reason)
            })?;
            let of_text = |text: &str| {
                if given.is_missing(column, text) {
                    None
                } else {
                    numbers.read(text).and_then(degrees(limit))
                }
            };
            of_columns.push(column.values.iter().map(of_text).collect::<Vec<Option<i128>>>());
        }
        let rows = || latitudes.codes.iter().zip(longitudes.codes.iter());
        let half: Vec<usize> = rows()
            .enumerate()
            .filter(|(_, (lat, lon))| {
                of_columns[0][*lat as usize].is_some() != of_columns[1][*lon as usize].is_some()
            })
            .map(|(row, _)| row)
            .collect();
        if !half.is_empty() {
            return Err(fault(
                given,
                latitudes,
                "or its longitude is missing, and the other is there",
                half.into_iter(),
            ));
        }
        let cells =
            rows().map(|(lat, lon)| match (of_columns[0][lat as usize], of_columns[1][lon as usize]) {
                (Some(latitude), Some(longitude)) => self.cell(latitude, longitude),
                _ => latitudes.values.get(lat).to_owned(),
            });
        Ok(Made::of(of_rows(given.makes(), cells)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{rows, run};
    use super::*;

    fn cells(
        given: &[(&str, &str)],
        latitudes: &[&str],
        longitudes: &[&str],
    ) -> std::result::Result<Vec<String>, String> {
        run(&ENTRY, given, &[latitudes, longitudes], &[], false)
            .map(|made| rows(&made))
            .map_err(|error| error.to_string())
    }

    /// The specification's point (transforms.md 1.11), and the corners of the world.
    #[test]
    fn geohashes() {
        assert_eq!(
            cells(&[("precision", "11")], &["57.64911"], &["10.40744"]).expect("cells"),
            ["u4pruydqqvj"]
        );
        assert_eq!(
            cells(&[("precision", "5")], &["57.64911", "NA"], &["10.40744", "NA"]).expect("cells"),
            ["u4pru", "NA"]
        );
        assert_eq!(
            cells(&[("precision", "1")], &["-90", "90"], &["-180", "180"]).expect("cells"),
            ["0", "z"]
        );
        assert_eq!(cells(&[("precision", "3")], &["57,64911"], &["10,40744"]).expect("cells"), ["u4p"]);
    }

    #[test]
    fn degrees_show_the_corner() {
        let step = [("grid", "degrees"), ("step", "0.5")];
        assert_eq!(
            cells(&step, &["50.74", "-0.1"], &["8.5", "-70.9"]).expect("cells"),
            ["50.5/8.5", "-0.5/-71"]
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &[(&str, &str)], latitude: &str, longitude: &str| {
            cells(given, &["1", latitude], &["1", longitude]).expect_err("wrong")
        };
        assert!(message(&[], "100", "50").contains("latitudes first"));
        assert!(message(&[], "10", "181").contains("row 2"));
        assert!(message(&[], "NA", "5").contains("missing"));
        assert!(message(&[], "x", "5").contains("not a number"));
        assert!(message(&[("precision", "13")], "1", "1").contains("from 1 to 12"));
        assert!(message(&[("step", "0.1")], "1", "1").contains("not for a grid of geohash"));
        assert!(message(&[("grid", "degrees"), ("step", "0")], "1", "1").contains("above 0"));
    }
}
