//! Numbers multiplied by random factors, so that large numbers move more than small ones.

use rayon::prelude::*;

use super::super::{BuildTransform, Facts, Given, Made, Transform};
use super::cells::Cells;
use super::draws::{CONSISTENT, Consistent, Draws, normal};
use super::{floats, number_within, settled};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};

/// The transform.
pub(in crate::transforms) const ENTRY: Entry<BuildTransform> = Entry {
    name: "multiply",
    title: "Multiplying by random factors",
    paper: "Kim and Winkler 2003; Evans, Zayatz and Slanta 1998",
    standing: Standing::Classic,
    about: "Multiplies each number by a random factor around 1: amounts of money move in proportion. Means stay as they are on average, and \
            zeros stay zeros. method = \"band\" moves every value by at least a share that is given.",
    parameters: &[
        ("method", "lognormal (default), or band: a factor of 1 plus or minus a share"),
        ("sigma", "with lognormal: the standard deviation of the factor's logarithm, such as 0.2"),
        ("from", "with band: the least share by which a value moves, such as 0.05"),
        ("to", "with band: the greatest share by which a value moves, such as 0.15"),
        (
            "same",
            "a column that says which rows get one factor for all of their columns, such as the person or the household; ratios then stay",
        ),
        CONSISTENT[0],
        CONSISTENT[1],
        CONSISTENT[2],
        CONSISTENT[3],
        ("places", "saved recodings: the decimal places of the columns"),
    ],
    build: |parameters| Ok(Box::new(Multiply::new(parameters)?)),
};

#[derive(Debug, Clone, Copy)]
enum Method {
    Lognormal { sigma: f64 },
    Band { from: f64, to: f64 },
}

struct Multiply {
    method: Method,
    same: Option<String>,
    consistent: Option<Consistent>,
    places: Option<Vec<u32>>,
}

impl Multiply {
    fn new(parameters: &Parameters) -> Result<Self> {
        let sigma = number_within(parameters, "sigma", 0.0, 5.0)?;
        let from = number_within(parameters, "from", 0.0, 1.0)?;
        let to = number_within(parameters, "to", 0.0, 1.0)?;
        let is_band = parameters.choice("method", &["lognormal", "band"])? == Some("band");
        let stray = if is_band { "sigma" } else { "from" };
        if (is_band && sigma.is_some()) || (!is_band && (from.is_some() || to.is_some())) {
            let error =
                Error::config("sigma is for method = \"lognormal\", from and to are for method = \"band\"");
            return Err(parameters.placed(stray, error));
        }
        let method = match (is_band, sigma, from, to) {
            (false, Some(sigma), ..) => Method::Lognormal { sigma },
            (false, None, ..) => {
                return Err(Error::config("sigma is missing").advise("give sigma = 0.2, for instance"));
            }
            (true, _, Some(from), Some(to)) if from < to => Method::Band { from, to },
            (true, _, Some(_), Some(_)) => {
                return Err(parameters.placed("from", Error::config("from must be less than to")));
            }
            (true, ..) => {
                return Err(Error::config("from and to are missing")
                    .advise("give from = 0.05 and to = 0.15, for instance"));
            }
        };
        let places = floats(parameters, "places")?
            .map(|places| places.into_iter().map(|places| places as u32).collect());
        let same = parameters.text("same")?.map(str::to_owned);
        let consistent = Consistent::of(parameters)?;
        Ok(Self { method, same, consistent, places })
    }

    /// The factor that belongs to two numbers between 0 and 1.
    fn factor(&self, number: f64) -> f64 {
        match self.method {
            Method::Lognormal { sigma } => (sigma * normal(number) - sigma * sigma / 2.0).exp(),
            Method::Band { from, to } => {
                // One number decides the direction, and what is left of it the distance.
                let (up, left) = (number >= 0.5, (2.0 * number).fract());
                let share = to - (to - from) * (1.0 - left).sqrt();
                if up { 1.0 + share } else { 1.0 - share }
            }
        }
    }

    /// The number that takes the place of another, in units of its column.
    fn moved(&self, cells: &Cells<'_>, number: f64, factor: f64) -> Option<f64> {
        let other = |factor: f64| {
            let exact = cells.in_units(number * factor);
            match self.method {
                Method::Lognormal { .. } => cells.in_units(cells.reflected(number * factor)).round(),
                // Away from the original, so that every value moves by at least the least share.
                Method::Band { .. } if (factor > 1.0) == (number > 0.0) => exact.ceil(),
                Method::Band { .. } => exact.floor(),
            }
        };
        let allowed = |units: &f64| cells.allows(units * cells.unit());
        let first = other(factor);
        match self.method {
            Method::Lognormal { .. } => Some(first),
            Method::Band { .. } => {
                Some(first).filter(allowed).or_else(|| Some(other(2.0 - factor)).filter(allowed))
            }
        }
    }
}

impl Transform for Multiply {
    fn also_reads(&self) -> Vec<&str> {
        let subject = self.consistent.iter().filter_map(Consistent::subject);
        subject.chain(self.same.as_deref()).collect()
    }

    fn facts(&self) -> Facts {
        let is_consistent = self.consistent.is_some();
        Facts { needs_key: is_consistent, needs_chance: !is_consistent, ..Facts::PERTURBED }
    }

    fn keeps_ratios(&self) -> bool {
        self.same.is_some()
    }

    fn words(&self) -> String {
        let least = match self.method {
            Method::Lognormal { .. } => "",
            Method::Band { .. } => "; no value but zero is published as it was",
        };
        let ratios =
            if self.same.is_some() { "; the ratios of amounts that belong together stay" } else { "" };
        format!(
            "perturbed: values were multiplied by random factors, so they may not be those of the persons; means stay as they are, up to chance, \
             and a zero stays zero{least}{ratios}"
        )
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let mut draws = Draws::of(self.consistent.as_ref(), given)?;
        let same = self.same.as_ref().and(given.also.last());
        let of_group = same.map(|groups| draws.of_groups(groups));
        let mut columns = Vec::new();
        let mut all_places = Vec::new();
        for (at, (column, name)) in given.columns.iter().zip(given.into).enumerate() {
            given.control.check()?;
            let places = self.places.as_ref().and_then(|places| places.get(at).copied());
            let cells = Cells::of(given, column, places)?;
            let drawn = of_group.clone().unwrap_or_else(|| draws.of_rows(column));
            let of_row = |(row, number): (usize, &f64)| match cells.get(row) {
                None => Ok(None),
                Some(0.0) => Ok(None),
                Some(original) => self.moved(&cells, original, self.factor(*number)).map(Some).ok_or(row),
            };
            let moved: Vec<Result<Option<f64>, usize>> =
                drawn.par_iter().enumerate().with_min_len(1 << 12).map(of_row).collect();
            if moved.iter().any(Result::is_err) {
                let rows = moved.iter().filter_map(|moved| moved.err());
                let error = super::super::values::fault(
                    given,
                    column,
                    "lies too near to min and max to be moved by the least share",
                    rows,
                );
                return Err(error.advise("declare wider bounds, or give a smaller share (from)"));
            }
            columns.push(cells.with(name, moved.into_iter().map(Result::unwrap_or_default))?);
            all_places.push(f64::from(cells.places));
        }
        let mut made = Made::of_several(columns);
        if self.places.is_none() {
            made.settled = vec![("places", settled(&all_places))];
        }
        made.settled.extend(draws.settled());
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{made, parameters, run, texts};
    use super::*;

    /// The specification's formulas (transforms.md 2.3), with five standard deviations of room.
    #[test]
    fn factors_have_the_right_moments() {
        let of = |given: &[(&str, &str)]| {
            let multiply = Multiply::new(&parameters(given)).expect("a step");
            let numbers: Vec<f64> = (0..100_000).map(|at| (f64::from(at) + 0.5) / 100_000.0).collect();
            numbers.into_iter().map(|number| multiply.factor(number)).collect::<Vec<f64>>()
        };
        let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
        let lognormal = of(&[("sigma", "0.2")]);
        assert!((mean(&lognormal) - 1.0).abs() < 1e-4);
        // For a mean of 10 and a variance of 4: 8.244.
        let squares = mean(&lognormal.iter().map(|factor| factor * factor).collect::<Vec<_>>());
        assert!((squares * 104.0 - 100.0 - 8.244).abs() < 0.01, "{squares}");
        let band = of(&[("method", "band"), ("from", "0.05"), ("to", "0.15")]);
        let shares: Vec<f64> = band.iter().map(|factor| (factor - 1.0).abs()).collect();
        assert!(shares.iter().all(|share| (0.05 - 1e-12..=0.15).contains(share)));
        assert!((mean(&band) - 1.0).abs() < 1e-6 && (mean(&shares) - 0.083_333).abs() < 1e-5);
        let squares = mean(&shares.iter().map(|share| share * share).collect::<Vec<_>>());
        assert!((squares - 0.0075).abs() < 1e-5, "{squares}");
    }

    #[test]
    fn a_band_moves_every_value_but_zero() {
        let column: Vec<String> = (-50..50).map(|number| number.to_string()).collect();
        let column: Vec<&str> = column.iter().map(String::as_str).chain(["NA"]).collect();
        let after =
            made(&ENTRY, &[("method", "band"), ("from", "0.05"), ("to", "0.15")], &column).expect("moves");
        for (before, after) in column.iter().zip(&after) {
            assert_eq!(before == after, ["0", "NA"].contains(before), "{before} {after}");
        }
    }

    #[test]
    fn one_factor_for_a_person() {
        let people = ["a", "a", "b", "b", "c"];
        let (first, second) = (["1000000"; 5], ["2000000"; 5]);
        let given = [("sigma", "0.3"), ("same", "c")];
        let made = run(&ENTRY, &given, &[&first, &second], &[&people], false).expect("moves");
        let [one, two] = [texts(&made.columns[0]), texts(&made.columns[1])];
        assert!(one[0] == one[1] && one[2] == one[3] && one[0] != one[2] && one[2] != one[4]);
        for (one, two) in one.iter().zip(&two) {
            let [one, two]: [f64; 2] = [one, two].map(|text| text.parse().expect("a number"));
            assert!((two / one - 2.0).abs() < 1e-5, "{one} {two}");
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)]| Multiply::new(&parameters(given)).err().expect("wrong").to_string();
        assert!(message(&[]).contains("sigma is missing"));
        assert!(message(&[("sigma", "-1")]).contains("above 0"));
        assert!(message(&[("method", "band"), ("sigma", "1")]).contains("sigma is for"));
        assert!(message(&[("method", "band"), ("from", "0.2"), ("to", "0.1")]).contains("less than to"));
        assert!(message(&[("method", "band")]).contains("from and to are missing"));
    }
}
