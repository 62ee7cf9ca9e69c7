//! Random noise on numbers, in which sums over many people disappear.

use nalgebra::{Cholesky, DMatrix};
use rayon::prelude::*;

use super::super::{BuildTransform, Facts, Given, Made, Trace, Transform};
use super::cells::Cells;
use super::draws::{CONSISTENT, Consistent, Draws, normal};
use super::matrix::{Moments, flat};
use super::{floats, number_within, settled};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result};

/// The transform.
pub(in crate::transforms) const ENTRY: Entry<BuildTransform> = Entry {
    name: "noise",
    title: "Adding noise",
    paper: "Kim 1986; Brand 2002; sdcMicro, addNoise",
    standing: Standing::Recommended,
    about: "Adds random noise to numbers. Kim's method keeps means, variances and correlations. No value is that of its person any more. How \
            well people can still be found is measured, since noise promises nothing by itself.",
    parameters: &[
        (
            "method",
            "kim (default): means, variances and covariances stay; correlated: means and correlations stay; additive: each column by itself",
        ),
        (
            "noise",
            "how much, in percent: for additive of the standard deviation, for kim and correlated of the variance",
        ),
        (
            "d",
            "with kim and correlated, in place of noise: the share of the variance that is added, so d = 1 is noise = 100",
        ),
        ("exact", "with kim, true: means and covariances of the table come out exactly (false)"),
        ("bounds", "what happens beyond min and max of the column: reflect (default), clip or none"),
        ("zeros", "keep: zeros stay zeros, and are true (noise is added to them, too)"),
        CONSISTENT[0],
        CONSISTENT[1],
        CONSISTENT[2],
        CONSISTENT[3],
        ("means", "saved recodings: the means of the columns"),
        ("covariance", "saved recodings: the covariances of the columns, row by row"),
        ("places", "saved recodings: the decimal places of the columns"),
    ],
    build: |parameters| Ok(Box::new(Noise::new(parameters)?)),
};

/// The fewest rows for each column from which variances are taken.
const ROWS_PER_COLUMN: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Kim,
    Correlated,
    Additive,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beyond {
    Reflect,
    Clip,
    Nothing,
}

struct Noise {
    method: Method,
    /// For additive noise the share of the standard deviation, else of the variance.
    amount: f64,
    exact: bool,
    beyond: Beyond,
    keeps_zeros: bool,
    consistent: Option<Consistent>,
    settled: Option<Settled>,
}

/// What an earlier table has settled.
struct Settled {
    means: Vec<f64>,
    covariance: Vec<f64>,
    places: Vec<u32>,
}

impl Settled {
    fn of(parameters: &Parameters) -> Result<Option<Self>> {
        let found =
            (floats(parameters, "means")?, floats(parameters, "covariance")?, floats(parameters, "places")?);
        match found {
            (None, None, None) => Ok(None),
            (Some(means), Some(covariance), Some(places))
                if covariance.len() == means.len().pow(2) && places.len() == means.len() =>
            {
                let places = places.into_iter().map(|places| places as u32).collect();
                Ok(Some(Self { means, covariance, places }))
            }
            _ => Err(parameters.placed(
                "means",
                Error::config("means, covariance and places belong together: one mean and one number of places for each column"),
            )),
        }
    }
}

impl Noise {
    fn new(parameters: &Parameters) -> Result<Self> {
        let method = match parameters.choice("method", &["kim", "correlated", "additive"])? {
            Some("correlated") => Method::Correlated,
            Some("additive") => Method::Additive,
            _ => Method::Kim,
        };
        let percent = number_within(parameters, "noise", 0.0, 100_000.0)?;
        let share = number_within(parameters, "d", 0.0, 1_000.0)?;
        let amount = match (percent, share) {
            (Some(_), Some(_)) => {
                return Err(
                    parameters.placed("d", Error::config("noise and d are both given, and one decides"))
                );
            }
            (None, None) => {
                return Err(Error::config("it is not said how much noise")
                    .advise("give noise = 25, for instance: a quarter of the variance"));
            }
            (None, Some(_)) if method == Method::Additive => {
                let error = Error::config("d is for the methods kim and correlated");
                return Err(
                    parameters.placed("d", error.advise("give noise, in percent of the standard deviation"))
                );
            }
            (None, Some(share)) => share,
            (Some(percent), None) => percent / 100.0,
        };
        let exact = parameters.boolean("exact")?.unwrap_or(false);
        if exact && method != Method::Kim {
            return Err(parameters.placed("exact", Error::config("exact is for method = \"kim\"")));
        }
        let beyond = match parameters.choice("bounds", &["reflect", "clip", "none"])? {
            Some("clip") => Beyond::Clip,
            Some("none") => Beyond::Nothing,
            None if exact => Beyond::Nothing,
            _ => Beyond::Reflect,
        };
        if exact && beyond != Beyond::Nothing {
            let error = Error::config("exact means and covariances leave no room for bounds");
            return Err(parameters.placed("bounds", error.advise("leave out bounds, or exact")));
        }
        let consistent = Consistent::of(parameters)?;
        if exact && consistent.is_some() {
            let error = Error::config(
                "consistent noise depends on the person only, and exact means and covariances on the whole table",
            );
            return Err(
                parameters.placed("exact", error.advise("leave out exact, or give consistent = false"))
            );
        }
        let keeps_zeros = parameters.choice("zeros", &["keep"])?.is_some();
        let settled = Settled::of(parameters)?;
        Ok(Self { method, amount, exact, beyond, keeps_zeros, consistent, settled })
    }

    /// Whether a number of the column is left as it is.
    fn stays(&self, number: f64) -> bool {
        self.keeps_zeros && number == 0.0
    }

    /// The moments of the rows in which all columns are changed.
    fn moments(&self, cells: &[Cells<'_>]) -> Result<Moments> {
        let columns = cells.len();
        if let Some(settled) = &self.settled {
            if settled.means.len() != columns {
                return Err(Error::config(
                    "means, covariance and places have numbers for others than these columns",
                ));
            }
            let covariance = DMatrix::from_row_slice(columns, columns, &settled.covariance);
            return Ok(Moments { means: settled.means.clone(), covariance });
        }
        let rows = self.whole_rows(cells, |at, row| cells[at].get(row));
        let count = rows.len() / columns.max(1);
        if count < ROWS_PER_COLUMN * columns {
            return Err(Error::refused(format!(
                "only {count} rows have a number to change in each of the {columns} columns, and variances need {} rows for each column",
                ROWS_PER_COLUMN
            ))
            .advise("give fewer columns to the step, or declare the missing values"));
        }
        Ok(Moments::of(columns, rows.chunks(columns)))
    }

    /// The rows in which every column has a number that is changed, one after the other, as `number` gives them.
    fn whole_rows(&self, cells: &[Cells<'_>], number: impl Fn(usize, usize) -> Option<f64>) -> Vec<f64> {
        let mut numbers = Vec::new();
        for row in 0..cells.first().map_or(0, Cells::rows) {
            let is_changed = |cells: &Cells<'_>| cells.get(row).is_some_and(|number| !self.stays(number));
            if cells.iter().all(is_changed) {
                numbers.extend((0..cells.len()).filter_map(|at| number(at, row)));
            }
        }
        numbers
    }

    /// Column by column the numbers with noise.
    fn noisy(&self, cells: &[Cells<'_>], moments: &Moments, draws: &mut Draws<'_>) -> Result<Vec<Vec<f64>>> {
        let root = match self.method {
            Method::Additive => {
                let deviations = moments.covariance.diagonal().map(f64::sqrt);
                DMatrix::from_diagonal(&deviations) * self.amount
            }
            Method::Kim | Method::Correlated => moments.root(cells)? * self.amount.sqrt(),
        };
        let drawn: Vec<Vec<f64>> = cells
            .iter()
            .map(|cells| {
                let mut numbers = draws.of_rows(cells.column);
                numbers.par_iter_mut().for_each(|number| *number = normal(*number));
                numbers
            })
            .collect();
        let shrink = match self.method {
            Method::Kim => 1.0 / (1.0 + self.amount).sqrt(),
            Method::Correlated | Method::Additive => 1.0,
        };
        let of_column = |(at, cells): (usize, &Cells<'_>)| {
            let mean = moments.means[at];
            let of_row = |row: usize| {
                let Some(number) = cells.get(row) else { return f64::NAN };
                let noise: f64 = (0..=at).map(|other| root[(at, other)] * drawn[other][row]).sum();
                (number + noise) * shrink + (1.0 - shrink) * mean
            };
            (0..cells.rows()).into_par_iter().with_min_len(1 << 12).map(of_row).collect()
        };
        Ok(cells.iter().enumerate().map(of_column).collect())
    }

    /// Changes rows linearly, so that they have these means and covariances to the last digit.
    fn made_exact(&self, cells: &[Cells<'_>], moments: &Moments, noisy: &mut [Vec<f64>]) -> Result<()> {
        let columns = cells.len();
        let rows = self.whole_rows(cells, |at, row| Some(noisy[at][row]));
        let came_out = Moments::of(columns, rows.chunks(columns));
        let wanted = moments.root(cells)?;
        let is =
            Cholesky::new(came_out.covariance).ok_or_else(|| Error::internal("noise has no covariance"))?.l();
        let inverse = is.try_inverse().ok_or_else(|| Error::internal("noise has no covariance"))?;
        let map = wanted * inverse;
        let is_noisy =
            |row: &usize| cells.iter().all(|cells| cells.get(*row).is_some_and(|number| !self.stays(number)));
        for row in (0..cells.first().map_or(0, Cells::rows)).filter(is_noisy) {
            let away: Vec<f64> = (0..columns).map(|at| noisy[at][row] - came_out.means[at]).collect();
            for at in 0..columns {
                noisy[at][row] =
                    moments.means[at] + (0..columns).map(|other| map[(at, other)] * away[other]).sum::<f64>();
            }
        }
        Ok(())
    }
}

impl Transform for Noise {
    fn also_reads(&self) -> Vec<&str> {
        self.consistent.iter().filter_map(Consistent::subject).collect()
    }

    fn facts(&self) -> Facts {
        let is_consistent = self.consistent.is_some();
        Facts {
            needs_all_rows: self.exact,
            needs_key: is_consistent,
            needs_chance: !is_consistent,
            ..Facts::PERTURBED
        }
    }

    fn words(&self) -> String {
        let kept = match self.method {
            Method::Kim if self.exact => {
                "means, variances and covariances of the table are those of the true values".to_owned()
            }
            Method::Kim => "means, variances and covariances stay as they are, up to chance".to_owned(),
            Method::Correlated => format!(
                "means and correlations stay as they are, up to chance, and variances are {} times the true ones",
                1.0 + self.amount
            ),
            Method::Additive => {
                "means stay as they are, up to chance, and correlations become weaker".to_owned()
            }
        };
        let zeros = if self.keeps_zeros { "; a zero stays zero" } else { "" };
        format!("perturbed: random noise was added, so values may not be those of the persons; {kept}{zeros}")
    }

    fn trace(&self) -> Trace<'_> {
        if self.method == Method::Kim { Trace::Kim { d: self.amount } } else { Trace::Numbers }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let places = |at: usize| self.settled.as_ref().and_then(|settled| settled.places.get(at).copied());
        let read = given.columns.iter().enumerate();
        let cells: Vec<Cells<'_>> =
            read.map(|(at, column)| Cells::of(given, column, places(at))).collect::<Result<_>>()?;
        given.control.check()?;
        let moments = self.moments(&cells)?;
        let mut draws = Draws::of(self.consistent.as_ref(), given)?;
        let mut noisy = self.noisy(&cells, &moments, &mut draws)?;
        given.control.check()?;
        if self.exact {
            self.made_exact(&cells, &moments, &mut noisy)?;
        }
        let columns = cells.iter().zip(&noisy).zip(given.into).map(|((cells, noisy), name)| {
            let of_row = |(row, number): (usize, &f64)| {
                cells.get(row).filter(|original| !self.stays(*original)).map(|_| {
                    let number = match self.beyond {
                        Beyond::Reflect => cells.reflected(*number),
                        Beyond::Clip => cells.clipped(*number),
                        Beyond::Nothing => *number,
                    };
                    cells.in_units(number).round()
                })
            };
            cells.with(name, noisy.iter().enumerate().map(of_row))
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let mut made = Made::of_several(columns);
        if self.settled.is_none() && !self.exact {
            let places: Vec<f64> = cells.iter().map(|cells| cells.places.into()).collect();
            made.settled = vec![
                ("means", settled(&moments.means)),
                ("covariance", settled(&flat(&moments.covariance))),
                ("places", settled(&places)),
            ];
            made.from_data = true;
        }
        made.settled.extend(draws.settled());
        if self.method != Method::Additive && cells.len() == 1 {
            made.notes.push(format!(
                "noise on '{}' alone keeps its mean and variance, and no correlation; give all columns that belong together to one step",
                cells[0].column.name
            ));
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{parameters, run, texts};
    use super::*;

    fn numbers(column: &scumble_files::table::CodedColumn) -> Vec<f64> {
        texts(column).iter().map(|text| text.parse().expect("a number")).collect()
    }

    fn moments(columns: &[Vec<f64>]) -> Moments {
        let rows: Vec<f64> =
            (0..columns[0].len()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
        Moments::of(columns.len(), rows.chunks(columns.len()))
    }

    /// Two columns with a correlation near one half.
    fn table(rows: usize) -> [Vec<String>; 2] {
        let first = |row: usize| ((row * 7919) % 1009) as f64;
        let second = |row: usize| 0.5 * first(row) + 0.866 * ((row * 104_729) % 1013) as f64;
        [
            (0..rows).map(|row| format!("{:.3}", first(row))).collect(),
            (0..rows).map(|row| format!("{:.3}", second(row))).collect(),
        ]
    }

    fn noisy(given: &[(&str, &str)], rows: usize) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
        let table = table(rows);
        let columns: Vec<Vec<&str>> =
            table.iter().map(|column| column.iter().map(String::as_str).collect()).collect();
        let slices: Vec<&[&str]> = columns.iter().map(Vec::as_slice).collect();
        let made = run(&ENTRY, given, &slices, &[], false).expect("noise");
        let before =
            table.iter().map(|column| column.iter().map(|text| text.parse().expect("a number")).collect());
        (before.collect(), made.columns.iter().map(numbers).collect())
    }

    fn correlation(moments: &Moments) -> f64 {
        let of = &moments.covariance;
        of[(0, 1)] / (of[(0, 0)] * of[(1, 1)]).sqrt()
    }

    /// The formulas of the specification (transforms.md 2.2), with five standard deviations of room.
    #[test]
    fn what_each_method_keeps() {
        let rows = 20_000;
        let room = 5.0 / (rows as f64).sqrt();
        for (method, amount, variance, ratio) in [
            ("additive", "50", 1.25, 1.25),
            ("correlated", "50", 1.5, 1.0),
            ("kim", "50", 1.0, 1.0),
            ("kim", "400", 1.0, 1.0),
        ] {
            let (before, after) = noisy(&[("method", method), ("noise", amount)], rows);
            let (before, after) = (moments(&before), moments(&after));
            for at in 0..2 {
                let deviation = before.covariance[(at, at)].sqrt();
                assert!(
                    (before.means[at] - after.means[at]).abs() < 3.0 * room * deviation,
                    "{method}: mean"
                );
                let grown = after.covariance[(at, at)] / before.covariance[(at, at)];
                assert!((grown / variance - 1.0).abs() < 3.0 * room, "{method}: variance {grown}");
            }
            let weaker = correlation(&before) / correlation(&after);
            assert!((weaker / ratio - 1.0).abs() < 4.0 * room, "{method}: correlation {weaker}");
        }
    }

    #[test]
    fn exact_moments() {
        let (before, after) = noisy(&[("noise", "100"), ("exact", "true")], 500);
        let changed = before[0].iter().zip(&after[0]).filter(|(before, after)| before != after).count();
        assert!(changed > 490, "{changed}");
        let (before, after) = (moments(&before), moments(&after));
        for at in 0..2 {
            assert!((before.means[at] - after.means[at]).abs() < 0.0005);
            for other in 0..2 {
                let off = (before.covariance[(at, other)] - after.covariance[(at, other)]).abs();
                assert!(off < 0.001 * before.covariance[(at, at)].sqrt(), "{off}");
            }
        }
    }

    #[test]
    fn zeros_missing_values_and_bounds() {
        let texts_of = |row: usize| ["0", "NA", "3", "9", "5", "1"][row % 6];
        let column: Vec<&str> = (0..300).map(texts_of).collect();
        let made =
            run(&ENTRY, &[("noise", "100"), ("zeros", "keep")], &[&column], &[], false).expect("noise");
        let after = texts(&made.columns[0]);
        let (mut kept, mut moved) = (0, 0);
        for (before, after) in column.iter().zip(&after) {
            match *before {
                "0" | "NA" => assert_eq!(before, after),
                _ if before == after => kept += 1,
                _ => moved += 1,
            }
            assert!(!after.contains('.'), "whole numbers stay whole: {after}");
        }
        assert!(moved > kept, "{moved} {kept}");
    }

    #[test]
    fn other_rows_get_noise_of_the_same_size() {
        let table = table(400);
        let first: Vec<&str> = table[0].iter().map(String::as_str).collect();
        let made = run(&ENTRY, &[("noise", "25")], &[&first], &[], false).expect("noise");
        let mut given = parameters(&[("noise", "25")]);
        made.settled.into_iter().for_each(|(name, value)| given.set(name, value));
        let again = Noise::new(&given).expect("settled");
        let settled = again.settled.as_ref().expect("settled");
        let direct = moments(&[table[0].iter().map(|text| text.parse().expect("a number")).collect()]);
        assert_eq!((settled.means.clone(), settled.places.clone()), (direct.means.clone(), vec![3]));
        assert_eq!(settled.covariance, flat(&direct.covariance));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)]| Noise::new(&parameters(given)).err().expect("wrong").to_string();
        assert!(message(&[]).contains("how much noise"));
        assert!(message(&[("noise", "0")]).contains("above 0"));
        assert!(message(&[("noise", "5"), ("d", "0.1")]).contains("both"));
        assert!(message(&[("d", "0.1"), ("method", "additive")]).contains("kim and correlated"));
        assert!(message(&[("noise", "5"), ("exact", "true"), ("bounds", "clip")]).contains("no room"));
        assert!(message(&[("noise", "5"), ("means", "[1]")]).contains("belong together"));
        let column: Vec<String> = (0..50).map(|row| row.to_string()).collect();
        let twice: Vec<String> = (0..50).map(|row| (2 * row).to_string()).collect();
        let texts = |column: &'static [String]| column.iter().map(String::as_str).collect::<Vec<_>>();
        let (column, twice) = (texts(column.leak()), texts(twice.leak()));
        let error =
            |columns: &[&[&str]]| run(&ENTRY, &[("noise", "5")], columns, &[], false).err().expect("wrong");
        assert!(error(&[&column, &twice]).to_string().contains("is determined by c"));
        assert!(error(&[&["a", "b"]]).to_string().contains("no value of the column is one"));
        assert!(error(&[&column[..5]]).to_string().contains("only 5 rows"));
        assert!(error(&[&["4"; 30]]).to_string().contains("one value only"));
    }
}
