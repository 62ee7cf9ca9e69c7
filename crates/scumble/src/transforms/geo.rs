//! Latitude and longitude as one cell of a grid.
//!
//! Written by hand: the crate `geohash` works on floats and brings a geometry library along, and the cell of a point must be exact, since the
//! verifier finds it a second time.

use rayon::prelude::*;

use super::numbers::ReadNumbers;
use super::values::{fault, of_rows};
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

    /// The place of a coordinate among the cells of its axis.
    fn place(&self, coordinate: i128, axis: usize) -> i64 {
        match self.grid {
            Grid::Geohash(precision) => halves(coordinate, AXES[axis].1, bits_of(precision)[axis]),
            // A step is at least 10^-12 degrees, so the quotient fits.
            Grid::Degrees(step) => coordinate.div_euclid(step.scaled(PLACES).unwrap_or(1)) as i64,
        }
    }

    /// What the cell at these places is called.
    fn name(&self, places: [i64; 2]) -> String {
        match self.grid {
            Grid::Geohash(precision) => geohash(places, precision),
            Grid::Degrees(step) => {
                let step = step.scaled(PLACES).unwrap_or(1);
                let corner = |place: i64| Decimal::of(i128::from(place) * step, -(PLACES as i32)).text('.');
                format!("{}/{}", corner(places[0]), corner(places[1]))
            }
        }
    }
}

/// How many halvings of latitude and of longitude a geohash shows: bits alternate, longitude first.
fn bits_of(precision: usize) -> [u32; 2] {
    let bits = precision as u32 * 5;
    [bits / 2, bits - bits / 2]
}

/// In which of the 2 to the power of `bits` equal parts of an axis a coordinate lies. The last part includes the end.
fn halves(coordinate: i128, limit: i128, bits: u32) -> i64 {
    let degree = 10_i128.pow(PLACES);
    let (mut low, mut high, mut place) = (-limit * degree, limit * degree, 0);
    for _ in 0..bits {
        let middle = (low + high) / 2;
        let upper = coordinate >= middle;
        *(if upper { &mut low } else { &mut high }) = middle;
        place = place * 2 + i64::from(upper);
    }
    place
}

/// The geohash of a cell: the bits of both places in turn, longitude first, five to a character.
fn geohash(places: [i64; 2], precision: usize) -> String {
    let mut left = bits_of(precision);
    let mut bits = 0_usize;
    let mut made = String::with_capacity(precision);
    for bit in 0..precision * 5 {
        let axis = (bit + 1) % 2;
        left[axis] -= 1;
        bits = bits * 2 + (places[axis] >> left[axis] & 1) as usize;
        if bit % 5 == 4 {
            made.push(char::from(CHARACTERS[bits % 32]));
            bits = 0;
        }
    }
    made
}

/// Why a coordinate cannot be used, and how many degrees its axis has on each side; latitude first.
const AXES: [(&str, i128); 2] = [
    (
        "is beyond 90 degrees (or has more than 20 decimal places), so it is no latitude; name the column of latitudes first",
        90,
    ),
    ("is beyond 180 degrees (or has more than 20 decimal places), so it is no longitude", 180),
];

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
        let mut of_columns = Vec::new();
        for (axis, (column, (reason, limit))) in [latitudes, longitudes].into_iter().zip(AXES).enumerate() {
            let read = ReadNumbers::all(given, column)?;
            let place = |number: &Option<Decimal>| {
                let degrees = number.as_ref()?.scaled(PLACES)?;
                (degrees.abs() <= limit * 10_i128.pow(PLACES)).then(|| self.place(degrees, axis))
            };
            let places: Vec<Option<i64>> = read.of_code.par_iter().with_min_len(1 << 10).map(place).collect();
            read.refuse(given, reason, |code| places[code].is_none())?;
            of_columns.push(places);
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
        // A cell, or the code of a missing latitude.
        let cells =
            rows().map(|(lat, lon)| match (of_columns[0][lat as usize], of_columns[1][lon as usize]) {
                (Some(latitude), Some(longitude)) => Ok([latitude, longitude]),
                _ => Err(lat),
            });
        let text = |cell: std::result::Result<[i64; 2], u32>| match cell {
            Ok(places) => self.name(places),
            Err(missing) => latitudes.values.get(missing).to_owned(),
        };
        Ok(Made::of(of_rows(given.makes(), cells, text)))
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
