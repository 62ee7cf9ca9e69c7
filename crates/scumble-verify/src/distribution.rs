//! Reads a column that is published as frequencies, and turns it into the values that each row may have.
//!
//! The frequencies of `disease` stand in columns named `disease=flu`, or in one column of JSON objects,
//! `{"flu":0.5,"measles":0.5}`.

use scumble_files::table::{CodedColumn, CodedTable, Codes, Texts};

use crate::columns::{RELEASE, check_distinct, column, part};
use crate::error::VerifyError;
use crate::exact::Rational;
use crate::group::group;

/// A release with a column of frequencies.
#[derive(Debug)]
pub struct Distributed {
    /// The release, with the column showing the set of values that have a positive frequency.
    pub supports: CodedTable,
    /// The largest frequency of each distinct distribution.
    greatest: Vec<Rational>,
    /// The values with a positive frequency of each distinct distribution, with their frequencies.
    frequencies: Vec<Vec<(String, f64)>>,
    /// The distribution of each row.
    of_row: Vec<u32>,
}

/// Rounded frequencies of a row may miss a sum of 1 by this much.
const ROUNDING: f64 = 1e-6;

impl Distributed {
    /// Reads the frequencies of a column. Returns `None` if the release shows the column in another way.
    pub fn read(release: &CodedTable, name: &str) -> Result<Option<Self>, VerifyError> {
        let prefix = format!("{name}=");
        let wide: Vec<&CodedColumn> =
            release.columns.iter().filter(|column| column.name.starts_with(&prefix)).collect();
        check_distinct(wide.iter().map(|column| column.name.as_str()), RELEASE)?;
        let (of_row, rows): (Vec<u32>, Vec<Vec<(String, Rational)>>) = if wide.is_empty() {
            let Some(found) = release.column(name) else { return Ok(None) };
            let found = column(release, RELEASE, &found.name)?;
            let Some(objects) = found.values.iter().map(object).collect::<Option<Vec<_>>>() else {
                return Ok(None);
            };
            (found.codes.iter().collect(), objects)
        } else {
            let wide =
                wide.iter().map(|of| column(release, RELEASE, &of.name)).collect::<Result<Vec<_>, _>>()?;
            let parts: Vec<_> = wide.iter().map(|column| part(column)).collect();
            let groups = group(&parts, release.rows);
            let read = |row: &u32| {
                let cell = |column: &&CodedColumn| {
                    let text = column.values.get(column.codes.get(*row as usize));
                    let number = Rational::parse(text).ok_or_else(|| not_a_distribution(name, *row))?;
                    Ok((column.name[prefix.len()..].to_owned(), number))
                };
                wide.iter().map(cell).collect::<Result<Vec<_>, VerifyError>>()
            };
            (groups.of_row.clone(), groups.first_row.iter().map(read).collect::<Result<_, _>>()?)
        };
        let mut first_row = vec![u32::MAX; rows.len()];
        for (row, of) in (0..).zip(&of_row) {
            first_row[*of as usize] = first_row[*of as usize].min(row);
        }
        let (mut greatest, mut sets, mut all) = (Vec::new(), Vec::new(), Vec::new());
        for (frequencies, row) in rows.into_iter().zip(first_row) {
            let sum: f64 = frequencies.iter().map(|(_, number)| number.to_f64()).sum();
            let simple = frequencies.iter().map(|(_, number)| simplest(*number));
            let most =
                simple.reduce(|a, b| if a.compare(b.numerator, b.denominator).is_ge() { a } else { b });
            match most {
                Some(most) if (sum - 1.0).abs() <= ROUNDING => greatest.push(most),
                _ if row == u32::MAX => greatest.push(Rational { numerator: 1, denominator: 1 }),
                _ => return Err(not_a_distribution(name, row)),
            }
            let positive = frequencies.iter().filter(|(_, number)| number.numerator > 0);
            sets.push(set(positive.clone().map(|(value, _)| value.as_str())));
            all.push(positive.map(|(value, number)| (value.clone(), number.to_f64())).collect());
        }
        let mut supports = release.clone();
        supports.columns.retain(|column| column.name != name && !column.name.starts_with(&prefix));
        supports.columns.push(coded(name, &sets, &of_row));
        Ok(Some(Self { supports, greatest, frequencies: all, of_row }))
    }

    /// The largest l for which no frequency of a distribution is above 1/l.
    pub(crate) fn diversity(&self, distribution: usize) -> Rational {
        let most = self.greatest[distribution];
        Rational { numerator: most.denominator, denominator: most.numerator.max(1) }
    }

    /// The values of a row that have a positive frequency, with their frequencies.
    #[must_use]
    pub fn frequencies(&self, row: usize) -> &[(String, f64)] {
        &self.frequencies[self.of_row[row] as usize]
    }

    /// The number of distinct distributions.
    pub(crate) fn len(&self) -> usize {
        self.greatest.len()
    }

    /// The number of each row's distribution.
    #[must_use]
    pub fn of_row(&self) -> &[u32] {
        &self.of_row
    }
}

fn not_a_distribution(column: &str, row: u32) -> VerifyError {
    VerifyError::Domain {
        what: "distribution",
        column: column.to_owned(),
        why: format!("in row {} of the release its frequencies are not numbers that add up to 1", row + 1),
    }
}

/// Reads the frequencies of a JSON object.
fn object(text: &str) -> Option<Vec<(String, Rational)>> {
    let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let number = |value: &serde_json::Value| Rational::parse(&value.as_number()?.to_string());
    object.iter().map(|(name, value)| Some((name.clone(), number(value)?))).collect()
}

/// Returns the fraction with the smallest denominator that is written as this number: 0.3333333333333333 is 1/3.
fn simplest(number: Rational) -> Rational {
    // Goes through the convergents of the continued fraction, until one is as near as the digits show.
    let near = |p: u128, q: u128| -> Option<bool> {
        let difference = p.checked_mul(number.denominator)?.abs_diff(number.numerator.checked_mul(q)?);
        // A number that was written out is exact to sixteen digits.
        Some(difference.checked_mul(1_000_000_000_000_000)? <= q.checked_mul(number.numerator)?)
    };
    let (mut rest, mut below) = (number.numerator, number.denominator);
    let ((mut p, mut q), (mut last_p, mut last_q)) = ((1_u128, 0_u128), (0_u128, 1_u128));
    while below > 0 {
        let whole = rest / below;
        (rest, below) = (below, rest % below);
        let next = |now: u128, last: u128| whole.checked_mul(now)?.checked_add(last);
        let (Some(next_p), Some(next_q)) = (next(p, last_p), next(q, last_q)) else { return number };
        (last_p, last_q, p, q) = (p, q, next_p, next_q);
        if near(p, q) == Some(true) {
            return Rational { numerator: p, denominator: q };
        }
    }
    number
}

/// Writes a set in the grammar of released values.
fn set<'a>(members: impl Iterator<Item = &'a str>) -> String {
    let escaped = |member: &str| member.replace('\\', "\\\\").replace('|', "\\|").replace('}', "\\}");
    format!("{{{}}}", members.map(escaped).collect::<Vec<_>>().join("|"))
}

/// Builds a column of texts, one for each distribution.
fn coded(name: &str, texts: &[String], of_row: &[u32]) -> CodedColumn {
    let mut sorted: Vec<&str> = texts.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place: Vec<u32> =
        texts.iter().map(|text| sorted.partition_point(|of| *of < text.as_str()) as u32).collect();
    let codes: Vec<u32> = of_row.iter().map(|of| place[*of as usize]).collect();
    CodedColumn {
        name: name.to_owned(),
        codes: Codes::narrow(sorted.len(), &codes),
        values: sorted.into_iter().collect::<Texts>(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;

    fn fraction(text: &str) -> (u128, u128) {
        let simple = simplest(Rational::parse(text).expect("a number"));
        (simple.numerator, simple.denominator)
    }

    #[test]
    fn decimals_are_the_fractions_they_round() {
        let cases = [
            ("0.3333333333333333", (1, 3)),
            ("0.5", (1, 2)),
            ("0", (0, 1)),
            ("1", (1, 1)),
            ("0.33", (33, 100)),
        ];
        for (text, expected) in cases {
            assert_eq!(fraction(text), expected, "{text}");
        }
        for (count, of) in [(17_u32, 50_u32), (499, 801), (29_999, 30_162), (1, 1_000_003)] {
            let text = (f64::from(count) / f64::from(of)).to_string();
            assert_eq!(fraction(&text), (u128::from(count), u128::from(of)), "{text}");
        }
    }

    #[test]
    fn columns_and_objects_say_the_same() {
        let wide = table(&[("a", &["x", "y"]), ("s=f}", &["0.5", "1"]), ("s=m|n", &["0.5", "0"])]);
        let objects = table(&[("a", &["x", "y"]), ("s", &["{\"f}\":0.5,\"m|n\":0.5}", "{\"f}\":1}"])]);
        for release in [wide, objects] {
            let found = Distributed::read(&release, "s").expect("well formed").expect("distributions");
            let column = found.supports.column("s").expect("the column");
            let shown: Vec<&str> = column.codes.iter().map(|code| column.values.get(code)).collect();
            assert_eq!(shown, ["{f\\}|m\\|n}", "{f\\}}"]);
            assert_eq!(found.supports.columns.len(), 2);
            let diversities: Vec<f64> =
                found.of_row.iter().map(|of| found.diversity(*of as usize).to_f64()).collect();
            assert_eq!(diversities, [2.0, 1.0]);
        }
    }

    #[test]
    fn what_adds_up_to_something_else_is_refused() {
        let bad = |columns: &[(&str, &[&str])]| Distributed::read(&table(columns), "s").is_err();
        assert!(bad(&[("s=f", &["0.5"]), ("s=m", &["0.4"])]));
        assert!(bad(&[("s=f", &["half"]), ("s=m", &["0.5"])]));
        assert!(bad(&[("s", &["{\"f\":0.5}"])]));
        assert!(Distributed::read(&table(&[("s", &["flu"])]), "s").expect("a table").is_none());
    }
}
