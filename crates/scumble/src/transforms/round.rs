//! Rounding to multiples of a base, or to a number of significant digits.

use scumble_files::table::CodedColumn;

use super::numbers::{NOT_A_NUMBER, ReadNumbers, in_one_unit};
use super::perturb::draws::{CONSISTENT, Consistent, Draws};
use super::values::{each_occurring, of_rows};
use super::{BuildTransform, Facts, Given, Made, StepTruth, Transform};
use crate::base::chance::{below, secret_unless, shuffle};
use crate::base::entry::{Entry, Standing};
use crate::base::text::counted;
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "round",
    title: "Rounding",
    paper: "Willenborg, de Waal 2001, section 5; controlled rounding: Cox, Ernst 1982",
    standing: Standing::Recommended,
    about: "Rounds numbers, for amounts that are too telling to the last digit. By default a value becomes the nearest multiple of the \
            base, halves the even one. mode = \"random\" rounds up or down so that means stay right on average; mode = \"controlled\" also \
            keeps every running total within one base.",
    parameters: &[
        ("base", "round to multiples of this number, such as 500 or 0.01"),
        ("digits", "in place of base: keep so many significant digits"),
        ("mode", "half_even (default), random or controlled"),
        ("within", "with mode = \"controlled\": a column; totals are kept in each of its groups"),
        CONSISTENT[0],
        CONSISTENT[1],
        CONSISTENT[2],
        CONSISTENT[3],
    ],
    build: |parameters| Ok(Box::new(Round::new(parameters)?)),
};

/// Which multiple a number becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    HalfEven,
    Random,
    Controlled,
}

/// The distance of multiples.
#[derive(Debug, Clone, Copy)]
enum Grid {
    Base(Decimal),
    Digits(u32),
}

struct Round {
    grid: Grid,
    mode: Mode,
    within: Option<String>,
    consistent: Option<Consistent>,
}

impl Round {
    fn new(parameters: &Parameters) -> Result<Self> {
        let mode = match parameters.choice("mode", &["half_even", "random", "controlled"])? {
            Some("random") => Mode::Random,
            Some("controlled") => Mode::Controlled,
            _ => Mode::HalfEven,
        };
        let base = super::decimal(parameters, "base")?;
        let digits = parameters.whole("digits", 1)?;
        let grid = match (base, digits) {
            (Some(_), Some(_)) => {
                return Err(parameters
                    .placed("digits", Error::config("base and digits are both given, and one decides")));
            }
            (None, None) => {
                return Err(Error::config("rounding needs a base or a number of digits")
                    .advise("give base = 500, for instance"));
            }
            (Some(base), None) if base.is_zero() || base.is_negative() => {
                return Err(parameters.placed("base", Error::config("base must be a number above 0")));
            }
            (Some(base), None) => Grid::Base(base),
            (None, Some(digits)) => Grid::Digits(u32::try_from(digits).unwrap_or(u32::MAX)),
        };
        if mode != Mode::HalfEven && matches!(grid, Grid::Digits(_)) {
            return Err(
                parameters.placed("mode", Error::config("random and controlled rounding need a base"))
            );
        }
        let within = parameters.text("within")?.map(str::to_owned);
        if within.is_some() && mode != Mode::Controlled {
            return Err(parameters.placed("within", Error::config("within is for mode = \"controlled\"")));
        }
        let consistent = Consistent::of(parameters)?;
        if consistent.is_some() && mode != Mode::Random {
            return Err(parameters.placed("consistent", Error::config("consistent is for mode = \"random\"")));
        }
        Ok(Self { grid, mode, within, consistent })
    }

    /// The distance of multiples around a number.
    fn base_for(&self, number: Decimal) -> Decimal {
        match self.grid {
            Grid::Base(base) => base,
            Grid::Digits(_) if number.is_zero() => Decimal::of(1, 0),
            Grid::Digits(digits) => Decimal::of(1, number.first_place() + 1 - digits.min(1_000) as i32),
        }
    }
}

/// Why a number cannot be rounded.
const TOO_FAR: &str = "is too large or too small to be rounded to this base";

/// The nearest multiple of the base; halves go to the even multiple.
fn half_even(number: Decimal, base: Decimal) -> Option<Decimal> {
    let (number, base, scale) = in_one_unit(number, base)?;
    let (down, rest) = (number.div_euclid(base), number.rem_euclid(base));
    let up = match (rest - (base - rest)).signum() {
        0 => down.rem_euclid(2) == 1,
        sign => sign > 0,
    };
    Some(Decimal::of((down + i128::from(up)).checked_mul(base)?, -(scale as i32)))
}

impl Transform for Round {
    fn also_reads(&self) -> Vec<&str> {
        self.within
            .as_deref()
            .into_iter()
            .chain(self.consistent.iter().filter_map(Consistent::subject))
            .collect()
    }

    fn facts(&self) -> Facts {
        match self.mode {
            Mode::HalfEven => Facts::DERIVED,
            Mode::Random => Facts {
                truth: StepTruth::Within,
                needs_chance: self.consistent.is_none(),
                needs_key: self.consistent.is_some(),
                ..Facts::DERIVED
            },
            Mode::Controlled => {
                Facts { truth: StepTruth::Within, needs_chance: true, needs_all_rows: true, ..Facts::DERIVED }
            }
        }
    }

    fn words(&self) -> String {
        let grid = match self.grid {
            Grid::Base(base) => format!("multiples of {}", base.text('.')),
            Grid::Digits(digits) => counted(digits.into(), "significant digit", "significant digits"),
        };
        match self.mode {
            Mode::HalfEven => format!("rounded to {grid}"),
            Mode::Random | Mode::Controlled => format!("rounded up or down by chance to {grid}"),
        }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let read = ReadNumbers::all(given, column)?;
        if self.mode != Mode::HalfEven {
            return self.drawn(given, &read);
        }
        let rounded = each_occurring(given, column, |code, _| {
            let number = read.of_code[code as usize].ok_or(NOT_A_NUMBER)?;
            half_even(number, self.base_for(number)).map(|number| read.numbers.write(number)).ok_or(TOO_FAR)
        })?;
        Ok(Made::of(rounded))
    }
}

impl Round {
    /// Rounds row by row, by chance.
    fn drawn(&self, given: &Given<'_>, read: &ReadNumbers<'_>) -> Result<Made> {
        let column = given.column()?;
        let Grid::Base(base) = self.grid else {
            return Err(Error::internal("rounding by chance has no base"));
        };
        // The decimal places with which all numbers, and the base, are whole.
        let places = read.of_code.iter().flatten().map(|number| number.places());
        let scale = places.chain([base.places()]).max().unwrap_or(0);
        let unit = base.scaled(scale).ok_or_else(|| Error::config("the base is too large"))?;
        // The number of each value, as a multiple of the unit; missing values have none.
        let of_code: Vec<Option<i128>> =
            read.of_code.iter().map(|number| number.and_then(|number| number.scaled(scale))).collect();
        read.refuse(given, TOO_FAR, |code| of_code[code].is_none())?;
        let of_row: Vec<Option<i128>> = column.codes.iter().map(|code| of_code[code as usize]).collect();
        let mut settled = Vec::new();
        let ups = match self.mode {
            Mode::Controlled => controlled(&of_row, unit, given.also.first().copied(), given.seed)?,
            _ if self.consistent.is_some() => {
                let mut draws = Draws::of(self.consistent.as_ref(), given)?;
                settled.extend(draws.settled());
                let goes_up = |(number, drawn): (&Option<i128>, f64)| {
                    number.is_some_and(|number| drawn * (unit as f64) < number.rem_euclid(unit) as f64)
                };
                of_row.iter().zip(draws.of_rows(column)).map(goes_up).collect()
            }
            _ => random(&of_row, unit, given.seed)?,
        };
        // A number of units, or the code of a missing value.
        let rounded = of_row.iter().zip(column.codes.iter()).zip(ups).map(|((number, code), up)| {
            number.map(|number| number.div_euclid(unit) + i128::from(up)).ok_or(code)
        });
        let text = |rounded: std::result::Result<i128, u32>| match rounded {
            Ok(units) => read.numbers.write(Decimal::of(units * unit, -(scale as i32))),
            Err(code) => column.values.get(code).to_owned(),
        };
        Ok(Made { settled, ..Made::of(of_rows(given.makes(), rounded, text)) })
    }
}

/// A draw below `end`, all equally likely.
fn draw(end: i128, chance: &mut impl rand_chacha::rand_core::Rng) -> Result<i128> {
    let end = u64::try_from(end)
        .map_err(|_| Error::config("the base has too many digits for rounding by chance"))?;
    Ok(i128::from(below(end, chance)))
}

/// For each row whether it goes up: with a probability that makes the mean right. Multiples stay.
fn random(numbers: &[Option<i128>], unit: i128, seed: Option<u64>) -> Result<Vec<bool>> {
    let mut chance = secret_unless(seed)?;
    let one = |number: &Option<i128>| match number.map(|number| number.rem_euclid(unit)) {
        None | Some(0) => Ok(false),
        Some(rest) => Ok(draw(unit, &mut chance)? < rest),
    };
    numbers.iter().map(one).collect()
}

/// For each row whether it goes up, so that in a secret order every running total is less than one base away.
fn controlled(
    numbers: &[Option<i128>],
    unit: i128,
    within: Option<&CodedColumn>,
    seed: Option<u64>,
) -> Result<Vec<bool>> {
    let mut chance = secret_unless(seed)?;
    let mut order: Vec<u32> = (0..numbers.len() as u32).collect();
    shuffle(&mut order, &mut chance);
    if let Some(groups) = within {
        order.sort_by_key(|row| groups.codes.get(*row as usize));
    }
    let start = draw(unit, &mut chance)?;
    let mut ups = vec![false; numbers.len()];
    let rests: Vec<i128> =
        order.iter().map(|row| numbers[*row as usize].map_or(0, |number| number.rem_euclid(unit))).collect();
    for (row, up) in order.iter().zip(in_order(&rests, unit, start)) {
        ups[*row as usize] = up;
    }
    Ok(ups)
}

/// For each rest in turn whether its number goes up: where the sum of rests passes a multiple of the base, begun at `start`.
fn in_order(rests: &[i128], unit: i128, start: i128) -> Vec<bool> {
    let mut sum = start;
    let one = |rest: &i128| {
        sum += rest;
        let up = sum >= unit;
        sum -= if up { unit } else { 0 };
        up
    };
    rests.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, parameters, rows, run};
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::read(text, b'.').expect(text).0
    }

    /// The specification's examples (transforms.md 1.2).
    #[test]
    fn halves_go_to_the_even_multiple() {
        for (value, base, rounded) in [
            ("12.5", "5", "10"),
            ("7.5", "5", "10"),
            ("17.5", "5", "20"),
            ("2.5", "1", "2"),
            ("3.5", "1", "4"),
            ("-2.5", "1", "-2"),
            ("0.125", "0.01", "0.12"),
            ("0.375", "0.01", "0.38"),
            ("1250", "500", "1000"),
            ("1750", "500", "2000"),
            ("-7", "5", "-5"),
            ("0", "5", "0"),
        ] {
            assert_eq!(half_even(number(value), number(base)), Some(number(rounded)), "{value} by {base}");
        }
    }

    #[test]
    fn significant_digits() {
        let round = |text| made(&ENTRY, &[("digits", "2")], &[text, "NA"]).expect("rounds");
        assert_eq!(round("12345"), ["12000", "NA"]);
        assert_eq!(round("0.0456789"), ["0.046", "NA"]);
        assert_eq!(round("0"), ["0", "NA"]);
    }

    #[test]
    fn decimal_commas_stay() {
        assert_eq!(
            made(&ENTRY, &[("base", "0.5")], &["1,26", "2,8", "3"]).expect("rounds"),
            ["1,5", "3", "3"]
        );
    }

    /// The specification's table of all starts (transforms.md 1.2).
    #[test]
    fn controlled_rounding_keeps_running_totals() {
        let values = [1_i128, 4, 7, 3, 11, 2];
        let rests: Vec<i128> = values.iter().map(|value| value % 5).collect();
        let expected: [[i128; 6]; 5] = [
            [0, 5, 5, 5, 10, 0],
            [0, 5, 5, 5, 10, 0],
            [0, 5, 5, 5, 10, 5],
            [0, 5, 10, 0, 10, 5],
            [5, 0, 10, 0, 15, 0],
        ];
        let mut sums = [0; 6];
        for (start, expected) in (0..).zip(expected) {
            let ups = in_order(&rests, 5, start);
            let rounded: Vec<i128> =
                values.iter().zip(&ups).map(|(value, up)| (value / 5 + i128::from(*up)) * 5).collect();
            assert_eq!(rounded, expected, "{start}");
            sums.iter_mut().zip(&rounded).for_each(|(sum, value)| *sum += value);
        }
        assert_eq!(sums.map(|sum| sum / 5), values, "the mean over all starts is the original");
    }

    /// The specification's example (transforms.md 1.2): both people's numbers are below 0.6.
    #[test]
    fn consistent_rounding_is_the_same_in_every_release() {
        let given = [
            ("base", "500"),
            ("mode", "random"),
            ("consistent", "true"),
            ("project", "clinic-2026"),
            ("subject", "c"),
        ];
        let people: &[&str] = &["p-001", "p-002", "p-001", "p-003"];
        let made = run(&ENTRY, &given, &[&["52300", "52300", "52300", "NA"]], &[people], false);
        let made = made.expect("rounds");
        assert_eq!(rows(&made), ["52500", "52500", "52500", "NA"]);
        assert!(made.settled.iter().any(|(name, _)| *name == "key_id"), "a saved recoding names the key");
        let without = [("base", "5"), ("consistent", "true"), ("project", "p")];
        let error = Round::new(&parameters(&without)).err().expect("not by chance").to_string();
        assert!(error.contains("mode = \"random\""), "{error}");
    }

    #[test]
    fn random_rounding_is_unbiased_and_leaves_multiples() {
        let numbers = vec![Some(3); 20_000];
        let ups = random(&numbers, 10, Some(5)).expect("draws");
        // 6,000 are expected; five standard deviations are 324.
        let up = ups.iter().filter(|up| **up).count();
        assert!((5_676..=6_324).contains(&up), "{up}");
        assert_eq!(random(&[Some(20), Some(-10), None], 10, Some(5)).expect("draws"), [false; 3]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)]| Round::new(&parameters(given)).err().expect("wrong").to_string();
        assert!(message(&[]).contains("needs a base"));
        assert!(message(&[("base", "0")]).contains("above 0"));
        assert!(message(&[("base", "-5")]).contains("above 0"));
        assert!(message(&[("base", "5"), ("digits", "2")]).contains("both"));
        assert!(message(&[("digits", "0")]).contains("at least 1"));
        assert!(message(&[("digits", "2"), ("mode", "random")]).contains("need a base"));
        let error = made(&ENTRY, &[("base", "5")], &["1", "q7q", "q7q", "7"]).expect_err("no number");
        assert!(
            error.contains("row 2") && error.contains("1 further row") && !error.contains("q7q"),
            "{error}"
        );
    }
}
