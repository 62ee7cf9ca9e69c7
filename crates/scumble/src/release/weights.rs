//! What a release shows of survey weights: rounded, the mean of a group, or as they are; and raised for rows that were left out.
//!
//! Everything is computed with whole numbers. Means and raised weights are rounded to [`FURTHER_PLACES`] decimal places more than the
//! column has, halves to the even digit, so a total is off by at most half a unit of that place for each row.

use std::collections::BTreeMap;

use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

use super::gate::RowNumbers;
use crate::base::text::{counted, grouped, rows};
use crate::config::{Column, Plan, Weights};
use crate::error::{Error, Result, Setting};
use crate::table::decimal::Decimal;
use crate::table::kind::{Inference, Kind};

/// The decimal places of means and raised weights beyond those of the column.
const FURTHER_PLACES: u32 = 6;

/// The significant digits of rounded weights.
const DIGITS: u32 = 2;

/// The weights of a column as whole numbers.
struct Exact {
    /// The number of each value, as a multiple of `10^-scale`; zero for values that no row has.
    of_code: Vec<i128>,
    scale: u32,
    /// The decimal mark.
    mark: char,
}

/// What a column of weights shows.
pub(super) struct ShownWeights {
    /// A code for every row of the table. Rows that are not released show what some released row shows.
    pub(super) column: CodedColumn,
    /// Whether its weights are those of the table, neither rounded nor averaged.
    pub(super) is_kept: bool,
}

/// Returns an error if a column of weights cannot be released as the plan asks.
pub(super) fn check(plan: &Plan, table: &CodedTable, numbers: RowNumbers<'_>) -> Result<()> {
    for (name, column, _) in plan.weights() {
        read(plan, name, column, table, numbers)?;
        stratum_of(column, table)?;
    }
    Ok(())
}

/// Whether the numbers of a column of weights have a decimal comma.
pub(super) fn has_comma(plan: &Plan, name: &str, table: &CodedTable) -> bool {
    let (Some(column), Some(coded)) = (plan.column(name), table.column(name)) else { return false };
    mark_of(column, markers(plan, column), coded) == ','
}

fn markers<'a>(plan: &'a Plan, column: &'a Column) -> &'a [String] {
    column.missing.as_deref().unwrap_or(&plan.read.missing)
}

fn mark_of(column: &Column, markers: &[String], coded: &CodedColumn) -> char {
    let texts = coded.values.iter().filter(|text| !markers.iter().any(|marker| marker == text));
    let kind = match (column.declared_kind(), Kind::infer(texts)) {
        (Some(kind), _) | (None, Inference::Clear(kind)) => kind,
        (None, Inference::AmbiguousDate) => Kind::Text,
    };
    if kind.is_number() && kind.has_comma() { ',' } else { '.' }
}

/// The column within which weights are calibrated, as it was read.
fn stratum_of<'a>(column: &Column, table: &'a CodedTable) -> Result<Option<&'a CodedColumn>> {
    let Some(name) = &column.stratum else { return Ok(None) };
    let found = table.column(name).ok_or_else(|| {
        let shown = crate::base::text::on_one_line(name);
        Error::config(format!("weights are to be calibrated within '{shown}', which was not read"))
            .set(Setting::column("stratum"), "name a column of the table")
    })?;
    Ok(Some(found))
}

/// Reads the weights of a column.
fn read(
    plan: &Plan,
    name: &str,
    column: &Column,
    table: &CodedTable,
    numbers: RowNumbers<'_>,
) -> Result<Exact> {
    let coded = table.column(name).ok_or_else(|| Error::internal("a column of weights was not read"))?;
    let markers = markers(plan, column);
    let mark = mark_of(column, markers, coded);
    let mut is_used = vec![false; coded.values.len()];
    coded.codes.iter().for_each(|code| is_used[code as usize] = true);
    let number = |(text, used): (&str, &bool)| {
        let number = Decimal::read(text.trim(), mark as u8).map(|(number, _)| number);
        if *used { number.filter(|number| !number.is_negative()) } else { Some(Decimal::ZERO) }
    };
    let found: Vec<Option<Decimal>> = coded.values.iter().zip(&is_used).map(number).collect();
    let wrong = |row: &u32| found[coded.codes.get(*row as usize) as usize].is_none();
    let faulty: Vec<u64> = (0..table.rows as u32).filter(wrong).map(u64::from).collect();
    if let Some(first) = faulty.first() {
        let row = numbers.of(&[*first]).first().copied().unwrap_or(first + 1);
        return Err(Error::data(format!(
            "{} no weight of at least 0",
            if faulty.len() == 1 {
                "1 row has".to_owned()
            } else {
                format!("{} rows have", grouped(faulty.len() as u64))
            }
        ))
        .in_row(row)
        .in_column(name)
        .advise("fill the weights in, as numbers of one decimal mark")
        .set(Setting::read("missing_policy").to("drop-row"), "leave out rows that have no value")
        .set(Setting::role("drop").of(&[name]), "leave the column out"));
    }
    let places = found.iter().flatten().map(|number| number.places()).max().unwrap_or(0);
    let scale = places + FURTHER_PLACES;
    let of_code: Option<Vec<i128>> = found.into_iter().map(|number| number?.scaled(scale)).collect();
    Ok(Exact { of_code: of_code.ok_or_else(|| too_long(name))?, scale, mark })
}

/// The error of weights whose sums do not fit the exact computation.
fn too_long(name: &str) -> Error {
    Error::data("the weights have too many digits to be computed with exactly")
        .in_column(name)
        .advise("round them first, with a step: do = \"round\", digits = 6")
        .set(Setting::role("drop").of(&[name]), "leave the column out")
}

/// The nearest whole number to a fraction of numbers that are not negative; halves go to the even one.
fn nearest(over: i128, under: i128) -> i128 {
    over / under + nearest_rest(over % under, under, over / under)
}

/// A number with [`DIGITS`] significant digits.
fn rounded(number: i128) -> i128 {
    let length = number.checked_ilog10().map_or(0, |last| last + 1);
    let unit = 10_i128.pow(length.saturating_sub(DIGITS));
    nearest(number, unit) * unit
}

/// The whole number nearest to `weight · all / kept`. The product may need more than 128 bits, so it is divided bit by bit.
fn raised(weight: i128, all: i128, kept: i128) -> Option<i128> {
    const MOST: i128 = 1 << 120;
    if [weight, all, kept].iter().any(|number| *number >= MOST) {
        return None;
    }
    let (mut whole, mut rest) = (0_i128, 0_i128);
    for bit in (0..120).rev() {
        let (more, left) = if weight >> bit & 1 == 1 { (all / kept, all % kept) } else { (0, 0) };
        rest = 2 * rest + left;
        whole = whole.checked_mul(2)?.checked_add(more)?.checked_add(rest / kept)?;
        rest %= kept;
    }
    (whole < MOST - 1).then(|| whole + nearest_rest(rest, kept, whole))
}

/// What is added to a whole number so that it is the nearest one, if a fraction is left.
fn nearest_rest(rest: i128, under: i128, whole: i128) -> i128 {
    match rest.cmp(&(under - rest)) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => whole % 2,
        std::cmp::Ordering::Greater => 1,
    }
}

/// What every column of weights shows, with warnings. `group_of_row` has equal numbers for rows that show the same in the quasi-identifiers;
/// `released` has the rows that are in the release.
pub(super) fn shown(
    plan: &Plan,
    table: &CodedTable,
    as_read: &CodedTable,
    group_of_row: &dyn Fn(u32) -> u32,
    released: &[u32],
) -> Result<(Vec<ShownWeights>, Vec<String>)> {
    let (mut columns, mut warnings) = (Vec::new(), Vec::new());
    for (name, column, weights) in plan.weights() {
        let stratum = stratum_of(column, as_read)?;
        let exact = read(plan, name, column, table, RowNumbers::Unknown)?;
        let coded = table.column(name).ok_or_else(|| Error::internal("a column of weights was not read"))?;
        warnings.extend((weights == Weights::Keep).then(|| kept_warning(name, coded, released)));
        if weights == Weights::Keep && stratum.is_none() {
            columns.push(ShownWeights { column: coded.clone(), is_kept: true });
            continue;
        }
        let mut of_row: Vec<i128> = coded.codes.iter().map(|code| exact.of_code[code as usize]).collect();
        if let Some(stratum) = stratum {
            let lost = calibrate(&mut of_row, stratum, released).ok_or_else(|| too_long(name))?;
            warnings.extend(lost_warning(name, &stratum.name, &lost, exact.scale));
        }
        match weights {
            Weights::Keep => {}
            Weights::Round => of_row.iter_mut().for_each(|weight| *weight = rounded(*weight)),
            Weights::ClassMean => {
                let alone = means(&mut of_row, group_of_row, released).ok_or_else(|| too_long(name))?;
                warnings.extend((alone > 0).then(|| {
                    format!(
                        "{} of one row, whose mean of '{name}' is the weight of that row",
                        counted(alone, "group consists", "groups consist")
                    )
                }));
            }
        }
        // Nothing of a row that is left out may stand in the column.
        if let Some(first) = released.first() {
            let shown = of_row[*first as usize];
            let mut is_released = vec![false; of_row.len()];
            released.iter().for_each(|row| is_released[*row as usize] = true);
            of_row.iter_mut().zip(is_released).filter(|(_, is)| !is).for_each(|(weight, _)| *weight = shown);
        }
        let column = written(name, &of_row, exact.scale, exact.mark);
        columns.push(ShownWeights { column, is_kept: weights == Weights::Keep });
    }
    Ok((columns, warnings))
}

/// Raises the weights of released rows so that they add up to the total of all rows of their stratum, and returns the total of each stratum
/// that has no released weight. `None` where numbers get too long.
fn calibrate(of_row: &mut [i128], stratum: &CodedColumn, released: &[u32]) -> Option<Vec<i128>> {
    let mut all = vec![0_i128; stratum.values.len()];
    let mut kept = all.clone();
    for (weight, code) in of_row.iter().zip(stratum.codes.iter()) {
        all[code as usize] = all[code as usize].checked_add(*weight)?;
    }
    for row in released {
        let place = &mut kept[stratum.codes.get(*row as usize) as usize];
        *place = place.checked_add(of_row[*row as usize])?;
    }
    for row in released {
        let code = stratum.codes.get(*row as usize) as usize;
        if kept[code] > 0 {
            let weight = &mut of_row[*row as usize];
            *weight = raised(*weight, all[code], kept[code])?;
        }
    }
    Some(all.into_iter().zip(kept).filter(|(all, kept)| *all > 0 && *kept == 0).map(|(all, _)| all).collect())
}

/// Gives every released row the mean weight of its group, and returns the number of groups of one row. `None` where numbers get too long.
fn means(of_row: &mut [i128], group_of_row: &dyn Fn(u32) -> u32, released: &[u32]) -> Option<u64> {
    let mut sums: BTreeMap<u32, (i128, i128)> = BTreeMap::new();
    for row in released {
        let (sum, size) = sums.entry(group_of_row(*row)).or_default();
        *sum = sum.checked_add(of_row[*row as usize])?;
        *size += 1;
    }
    for row in released {
        let (sum, size) = sums[&group_of_row(*row)];
        of_row[*row as usize] = nearest(sum, size);
    }
    Some(sums.values().filter(|(_, size)| *size == 1).count() as u64)
}

/// A column of these numbers, in units of `10^-scale`.
fn written(name: &str, of_row: &[i128], scale: u32, mark: char) -> CodedColumn {
    let mut numbers = of_row.to_vec();
    numbers.sort_unstable();
    numbers.dedup();
    let text = |number: &i128| Decimal::of(*number, -(scale as i32)).text(mark);
    let mut texts: Vec<(String, usize)> = numbers.iter().map(text).zip(0..).collect();
    texts.sort_unstable();
    let mut code_of_place = vec![0_u32; numbers.len()];
    (0..).zip(&texts).for_each(|(code, (_, place))| code_of_place[*place] = code);
    let place = |number: &i128| numbers.binary_search(number).unwrap_or_default();
    let codes: Vec<u32> = of_row.iter().map(|number| code_of_place[place(number)]).collect();
    CodedColumn {
        name: name.to_owned(),
        codes: Codes::narrow(texts.len(), &codes),
        values: texts.iter().map(|(text, _)| text.as_str()).collect::<Texts>(),
    }
}

fn kept_warning(name: &str, coded: &CodedColumn, released: &[u32]) -> String {
    let mut seen = vec![0_u64; coded.values.len()];
    released.iter().for_each(|row| seen[coded.codes.get(*row as usize) as usize] += 1);
    let distinct = seen.iter().filter(|rows| **rows > 0).count() as u64;
    let alone = seen.iter().filter(|rows| **rows == 1).count() as u64;
    format!(
        "the weights in '{name}' are published as they are: {} in {}, and {} no other row has. Exact weights tell strata and rare designs. To prevent \
         this set weights = \"round\" or \"class_mean\"",
        counted(distinct, "distinct value", "distinct values"),
        rows(released.len() as u64),
        grouped(alone),
    )
}

fn lost_warning(name: &str, stratum: &str, lost: &[i128], scale: u32) -> Option<String> {
    let total = lost.iter().try_fold(0_i128, |sum, of| sum.checked_add(*of))?;
    (!lost.is_empty()).then(|| {
        format!(
            "{} of '{stratum}' {} no weight left in the release, so the total of '{name}' is too low by {}",
            counted(lost.len() as u64, "stratum", "strata"),
            if lost.len() == 1 { "has" } else { "have" },
            Decimal::of(total, -(scale as i32)).text('.'),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ModelSpec, Role};

    fn column(name: &str, texts: &[&str]) -> CodedColumn {
        CodedColumn::of_texts(name, texts.iter().map(|text| (*text).to_owned()))
    }

    fn plan(weights: Weights, stratum: Option<&str>) -> Plan {
        let weight =
            Column { stratum: stratum.map(str::to_owned), ..Column::from(Role::Weight).showing(weights) };
        Plan::of_columns([("age", Role::Quasi), ("region", Role::Drop)])
            .with_column("w", weight)
            .require(ModelSpec::new("k_anonymity").with("k", 2))
    }

    /// What released rows show, by row, with the warnings.
    fn shows(plan: &Plan, weights: &[&str], groups: &[u32], released: &[u32]) -> (Vec<String>, Vec<String>) {
        let regions = vec!["r"; weights.len()];
        let table = CodedTable {
            columns: vec![column("w", weights), column("region", &regions)],
            rows: weights.len(),
        };
        let (shown, warnings) =
            shown(plan, &table, &table, &|row| groups[row as usize], released).expect("weights");
        let column = &shown[0].column;
        let text = |row: &u32| column.values.get(column.codes.get(*row as usize)).to_owned();
        (released.iter().map(text).collect(), warnings)
    }

    #[test]
    fn two_digits_halves_to_the_even_one() {
        let given = ["12345", "0.0456", "9.95", "1.25", "135", "7", "0", "99.6", "1050"];
        let all: Vec<u32> = (0..given.len() as u32).collect();
        let (found, _) = shows(&plan(Weights::Round, None), &given, &[0; 9], &all);
        assert_eq!(found, ["12000", "0.046", "10", "1.2", "140", "7", "0", "100", "1000"]);
    }

    #[test]
    fn a_group_shows_its_mean() {
        let of = |given: &[&str], groups: &[u32]| {
            shows(
                &plan(Weights::ClassMean, None),
                given,
                groups,
                &(0..given.len() as u32).collect::<Vec<_>>(),
            )
        };
        assert_eq!(of(&["10", "20", "1.5", "2"], &[0, 0, 1, 1]).0, ["15", "15", "1.75", "1.75"]);
        // Seven decimal places: six more than the column has.
        assert_eq!(of(&["1.1", "1.1", "1"], &[0, 0, 0]).0[0], "1.0666667");
        let (found, warnings) = of(&["1", "5"], &[0, 1]);
        assert_eq!(found, ["1", "5"]);
        assert!(warnings[0].starts_with("2 groups consist of one row"), "{warnings:?}");
    }

    /// The specification's example (transforms.md 4.2).
    #[test]
    fn weights_add_up_after_rows_were_left_out() {
        let given = ["10", "20", "30", "40"];
        let keep = plan(Weights::Keep, Some("region"));
        let (found, _) = shows(&keep, &given, &[0; 4], &[0, 2, 3]);
        assert_eq!(found, ["12.5", "37.5", "50"]);
        assert_eq!(
            shows(&plan(Weights::Round, Some("region")), &given, &[0; 4], &[0, 2, 3]).0,
            ["12", "38", "50"]
        );
        let means = shows(&plan(Weights::ClassMean, Some("region")), &given, &[0; 4], &[0, 2, 3]);
        assert_eq!(means.0, ["33.333333"; 3]);
        let (_, warnings) = shows(&keep, &["5", "0"], &[0; 2], &[1]);
        assert!(warnings[1].starts_with("1 stratum of 'region' has no weight left"), "{warnings:?}");
        assert!(warnings[1].ends_with("too low by 5"), "{warnings:?}");
    }

    #[test]
    fn exact_weights_are_told() {
        let (found, warnings) =
            shows(&plan(Weights::Keep, None), &["1.50", "1.50", "3"], &[0; 3], &[0, 1, 2]);
        assert_eq!(found, ["1.50", "1.50", "3"]);
        assert!(warnings[0].contains("2 distinct values in 3 rows, and 1 no other row has"), "{warnings:?}");
    }

    #[test]
    fn what_is_no_weight_is_told_without_its_text() {
        for (text, given) in
            [("secret", "no number"), ("-3", "below 0"), ("?", "missing"), ("1,5", "another mark")]
        {
            let table = CodedTable { columns: vec![column("w", &["1.5", text, text])], rows: 3 };
            let error = check(&plan(Weights::Round, None), &table, RowNumbers::Unknown).expect_err(given);
            let message = error.to_string();
            assert!(
                message.starts_with("row 2, column 'w': 2 rows have no weight of at least 0"),
                "{message}"
            );
            assert!(!message.contains(text) || text == "?", "{message}");
        }
        let long = ["1e300", "1"];
        let table = CodedTable { columns: vec![column("w", &long)], rows: 2 };
        let error = check(&plan(Weights::Round, None), &table, RowNumbers::Unknown).expect_err("too long");
        assert!(error.to_string().contains("too many digits"), "{error}");
    }
}
