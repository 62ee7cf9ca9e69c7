//! Numbers dealt anew to the rows, so that their ranks depend on other columns as before.

use nalgebra::{Cholesky, DMatrix, SymmetricEigen};

use super::super::{BuildTransform, Facts, Given, Made, Transform};
use super::cells::Cells;
use super::draws::{Draws, normal};
use super::matrix::Moments;
use crate::base::chance::shuffle;
use crate::base::entry::{Entry, Standing};
use crate::base::text::counted;
use crate::config::Parameters;
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// The transform.
pub(in crate::transforms) const ENTRY: Entry<BuildTransform> = Entry {
    name: "shuffle",
    title: "Data shuffling",
    paper: "Muralidhar and Sarathy 2006",
    standing: Standing::Recommended,
    about: "Deals the numbers of the columns anew to the rows. Each column keeps exactly its values. How its ranks depend on the columns that by \
            names, and on each other, stays as it was; nothing else of a person's own value is left in the row.",
    parameters: &[(
        "by",
        "the columns on which the ranks depend, numbers or categories; they stay as they are",
    )],
    build: |parameters| Ok(Box::new(Shuffle::new(parameters)?)),
};

/// The fewest rows for each column from which correlations are taken.
const ROWS_PER_COLUMN: usize = 10;
/// The least eigenvalue of a matrix of correlations.
const LEAST_EIGENVALUE: f64 = 1e-9;

struct Shuffle {
    by: Vec<String>,
}

impl Shuffle {
    fn new(parameters: &Parameters) -> Result<Self> {
        let by: Vec<String> =
            parameters.texts("by")?.unwrap_or_default().into_iter().map(str::to_owned).collect();
        if by.is_empty() {
            return Err(Error::config("shuffling needs columns on which the numbers depend")
                .advise("name them: by = [\"age\", \"sex\"]"));
        }
        Ok(Self { by })
    }
}

/// The columns that stay as they are, as numbers: a category is a column of 0 and 1.
fn kept_columns(given: &Given<'_>) -> Result<Vec<Vec<Option<f64>>>> {
    let mut all = Vec::new();
    for column in given.also {
        if let Ok(cells) = Cells::of(given, column, None) {
            all.push((0..cells.rows()).map(|row| cells.get(row)).collect());
            continue;
        }
        let present = super::super::values::present(given, column);
        // The last category follows from the others.
        for (code, _) in &present[..present.len().saturating_sub(1)] {
            let of_row = |of: u32| {
                let is_missing = given.is_missing(column, column.values.get(of));
                (!is_missing).then_some(if of == *code { 1.0 } else { 0.0 })
            };
            all.push(column.codes.iter().map(of_row).collect());
        }
    }
    Ok(all)
}

/// The normal scores of numbers by their ranks.
fn normal_scores(numbers: &[f64]) -> Vec<f64> {
    let count = numbers.len() as f64;
    ranks(numbers).into_iter().map(|rank| normal((rank - 0.5) / count)).collect()
}

/// The ranks of numbers, from 1; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
    let mut ranks = vec![0.0; numbers.len()];
    let mut at = 0;
    while at < order.len() {
        let equal = order[at..].iter().take_while(|row| numbers[**row] == numbers[order[at]]).count();
        order[at..at + equal].iter().for_each(|row| ranks[*row] = at as f64 + (equal as f64 + 1.0) / 2.0);
        at += equal;
    }
    ranks
}

/// The correlations of normal variables that have the rank correlations of these columns, made positive definite.
fn normal_correlations(columns: &[Vec<f64>]) -> DMatrix<f64> {
    let count = columns.len();
    let of_ranks: Vec<Vec<f64>> = columns.iter().map(|column| ranks(column)).collect();
    let rows: Vec<f64> = (0..columns.first().map_or(0, Vec::len))
        .flat_map(|row| of_ranks.iter().map(move |column| column[row]))
        .collect();
    let covariance = Moments::of(count, rows.chunks(count.max(1))).covariance;
    let spearman = |a: usize, b: usize| {
        covariance[(a, b)] / (covariance[(a, a)] * covariance[(b, b)]).sqrt().max(f64::MIN_POSITIVE)
    };
    let correlations = DMatrix::from_fn(count, count, |a, b| {
        if a == b { 1.0 } else { 2.0 * (std::f64::consts::PI * spearman(a, b) / 6.0).sin() }
    });
    let mut eigen = SymmetricEigen::new(correlations);
    eigen.eigenvalues.iter_mut().for_each(|value| *value = value.max(LEAST_EIGENVALUE));
    let repaired = eigen.recompose();
    let scale: Vec<f64> = (0..count).map(|at| repaired[(at, at)].sqrt()).collect();
    DMatrix::from_fn(count, count, |a, b| repaired[(a, b)] / (scale[a] * scale[b]))
}

impl Transform for Shuffle {
    fn also_reads(&self) -> Vec<&str> {
        self.by.iter().map(String::as_str).collect()
    }

    fn facts(&self) -> Facts {
        Facts { needs_all_rows: true, ..Facts::PERTURBED }
    }

    fn words(&self) -> String {
        "perturbed: values were dealt anew to the rows, so they may not be those of the persons; the values as a whole are true, and how they \
         depend on the columns that the owner chose stays as it was, up to chance"
            .to_owned()
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let cells: Vec<Cells<'_>> =
            given.columns.iter().map(|column| Cells::of(given, column, None)).collect::<Result<_>>()?;
        let kept = kept_columns(given)?;
        let count = cells.first().map_or(0, Cells::rows);
        let is_whole = |row: &usize| {
            cells.iter().all(|cells| cells.get(*row).is_some())
                && kept.iter().all(|column| column[*row].is_some())
        };
        let whole: Vec<usize> = (0..count).filter(is_whole).collect();
        let (shuffled, all) = (cells.len(), cells.len() + kept.len());
        if whole.len() < ROWS_PER_COLUMN * all {
            return Err(Error::refused(format!(
                "only {} rows have all {all} columns (each category of a column in by counts as one), and shuffling needs {ROWS_PER_COLUMN} rows for each",
                whole.len()
            ))
            .advise("name fewer columns in by, or columns of fewer categories"));
        }
        let numbers: Vec<Vec<f64>> = cells
            .iter()
            .map(|cells| whole.iter().filter_map(|row| cells.get(*row)).collect())
            .chain(kept.iter().map(|column| whole.iter().filter_map(|row| column[*row]).collect()))
            .collect();
        given.control.check()?;
        let of_all = normal_correlations(&numbers);
        let block = |at: (usize, usize), size: (usize, usize)| of_all.view(at, size).into_owned();
        let (own, across, others) = (
            block((0, 0), (shuffled, shuffled)),
            block((shuffled, 0), (all - shuffled, shuffled)),
            block((shuffled, shuffled), (all - shuffled, all - shuffled)),
        );
        let singular = || Error::internal("a matrix that was made positive definite is singular");
        let slopes = Cholesky::new(others).ok_or_else(singular)?.solve(&across);
        let left = own - across.transpose() * &slopes;
        // What the other columns explain completely leaves nothing to draw.
        let left = SymmetricEigen::new(left);
        let root =
            &left.eigenvectors * DMatrix::from_diagonal(&left.eigenvalues.map(|value| value.max(0.0).sqrt()));
        let scores: Vec<Vec<f64>> = numbers[shuffled..].iter().map(|column| normal_scores(column)).collect();
        let mut draws = Draws::of(None, given)?;
        let drawn: Vec<Vec<f64>> =
            cells.iter().map(|cells| draws.of_rows(cells.column).into_iter().map(normal).collect()).collect();
        let mut columns = Vec::new();
        for (at, (cells, name)) in cells.iter().zip(given.into).enumerate() {
            given.control.check()?;
            let wanted = |place: usize| {
                let explained: f64 =
                    scores.iter().enumerate().map(|(by, scores)| slopes[(by, at)] * scores[place]).sum();
                explained + (0..shuffled).map(|of| root[(at, of)] * drawn[of][whole[place]]).sum::<f64>()
            };
            let wanted: Vec<f64> = (0..whole.len()).map(wanted).collect();
            let mut order: Vec<usize> = (0..whole.len()).collect();
            order.sort_by(|a, b| wanted[*a].total_cmp(&wanted[*b]));
            let mut values: Vec<Decimal> = whole.iter().filter_map(|row| cells.exact(*row)).collect();
            values.sort_unstable();
            let mut made: Vec<Option<Decimal>> = vec![None; count];
            order.into_iter().zip(values).for_each(|(place, value)| made[whole[place]] = Some(value));
            // Rows with a missing value elsewhere have no place in the order, and must not keep their own value either.
            let apart: Vec<usize> =
                (0..count).filter(|row| made[*row].is_none() && cells.exact(*row).is_some()).collect();
            let mut values: Vec<Option<Decimal>> = apart.iter().map(|row| cells.exact(*row)).collect();
            shuffle(&mut values, &mut draws.generator()?);
            apart.into_iter().zip(values).for_each(|(row, value)| made[row] = value);
            columns.push(cells.with_exact(name, made.into_iter()));
        }
        let mut made = Made::of_several(columns);
        let left_out = count - whole.len();
        if left_out > 0 {
            made.warnings.push(format!(
                "{} with a missing value in a column of the step were shuffled among themselves, whatever their other columns show",
                counted(left_out as u64, "row", "rows")
            ));
        }
        Ok(made)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::super::super::testing::{parameters, run, texts};
    use super::*;

    fn spearman(a: &[f64], b: &[f64]) -> f64 {
        let (a, b) = (ranks(a), ranks(b));
        let rows: Vec<f64> = a.iter().zip(&b).flat_map(|(a, b)| [*a, *b]).collect();
        let of = Moments::of(2, rows.chunks(2)).covariance;
        of[(0, 1)] / (of[(0, 0)] * of[(1, 1)]).sqrt()
    }

    /// The example of the specification (transforms.md 2.7): 20,000 rows, one column that stays and two that are shuffled.
    #[test]
    fn rank_correlations_stay_and_own_values_go() {
        let mut chance = ChaCha20Rng::seed_from_u64(11);
        let mut draw = || normal(((chance.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64);
        let rows: Vec<[f64; 3]> = (0..20_000)
            .map(|_| {
                let (kept, first, second) = (draw(), draw(), draw());
                [kept, 0.815 * kept + 0.579 * first, -0.38 * kept + 0.925 * second]
            })
            .collect();
        let column = |at: usize| rows.iter().map(|row| format!("{:.6}", row[at])).collect::<Vec<String>>();
        let (kept, first, second) = (column(0), column(1), column(2));
        let slices: Vec<Vec<&str>> =
            [&kept, &first, &second].iter().map(|texts| texts.iter().map(String::as_str).collect()).collect();
        let made =
            run(&ENTRY, &[("by", "[c]")], &[&slices[1], &slices[2]], &[&slices[0]], false).expect("shuffles");
        let numbers =
            |texts: &[String]| texts.iter().map(|text| text.parse().expect("a number")).collect::<Vec<f64>>();
        let (kept, before) = (numbers(&kept), [numbers(&first), numbers(&second)]);
        let after = [numbers(&texts(&made.columns[0])), numbers(&texts(&made.columns[1]))];
        for at in 0..2 {
            assert!((spearman(&kept, &before[at]) - spearman(&kept, &after[at])).abs() < 0.02);
            let (mut sorted, mut others) = (before[at].clone(), after[at].clone());
            sorted.sort_by(f64::total_cmp);
            others.sort_by(f64::total_cmp);
            assert_eq!(sorted, others);
            let own = before[at].iter().zip(&after[at]).filter(|(before, after)| before == after).count();
            assert!(own < 20, "{own} own values");
        }
        assert!((spearman(&before[0], &before[1]) - spearman(&after[0], &after[1])).abs() < 0.03);
        // What is left of the own value is what the kept column explains.
        for (at, expected) in [(0, 0.64), (1, 0.15)] {
            assert!(
                (spearman(&before[at], &after[at]) - expected).abs() < 0.04,
                "{}",
                spearman(&before[at], &after[at])
            );
        }
    }

    #[test]
    fn categories_and_missing_values() {
        let sex: Vec<&str> = (0..200).map(|row| ["f", "m"][row % 2]).collect();
        let income: Vec<String> = (0..200)
            .map(|row| if row < 4 { "NA".to_owned() } else { (1_000 * (row % 2) + row).to_string() })
            .collect();
        let income: Vec<&str> = income.iter().map(String::as_str).collect();
        let made = run(&ENTRY, &[("by", "[c]")], &[&income], &[&sex], false).expect("shuffles");
        let after = texts(&made.columns[0]);
        assert_eq!(after.iter().take(4).collect::<Vec<_>>(), ["NA"; 4]);
        let high =
            |of: &str| after.iter().zip(&sex).filter(|(after, sex)| **sex == of && after.len() == 4).count();
        assert!(high("m") > 80 && high("f") < 20, "{} {}", high("m"), high("f"));
        assert_eq!(made.warnings.len(), 1);
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(Shuffle::new(&parameters(&[])).err().expect("wrong").to_string().contains("by = "));
        let error =
            run(&ENTRY, &[("by", "[c]")], &[&["1", "2"]], &[&["a", "b"]], false).err().expect("wrong");
        assert!(error.to_string().contains("only 2 rows"), "{error}");
    }
}
