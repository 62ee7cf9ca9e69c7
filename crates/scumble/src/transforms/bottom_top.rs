//! Top and bottom coding: values beyond a limit are shown as beyond it.

use scumble_files::table::CodedColumn;

use super::numbers::{NOT_A_NUMBER, Numbers, ReadNumbers};
use super::values::each_occurring;
use super::{BuildTransform, Facts, Given, Made, StepTruth, Transform, decimal, settled};
use crate::base::entry::{Entry, Standing};
use crate::base::text::counted;
use crate::config::{Parameters, Rational, Value};
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// Top coding.
pub(super) const TOP: Entry<BuildTransform> = Entry {
    name: "top",
    title: "Top coding",
    paper: "Hundepool et al. 2012, section 3.3; topBotCoding of sdcMicro",
    standing: Standing::Recommended,
    about: "Shows every value from a limit on as that limit, so that the largest values do not stand out. The limit is given, or taken from \
            the data so that a share of the rows is beyond it; then it is a round number and nobody's own value.",
    parameters: PARAMETERS,
    build: |parameters| Ok(Box::new(Coding::new(parameters, End::Top)?)),
};

/// Bottom coding.
pub(super) const BOTTOM: Entry<BuildTransform> = Entry {
    name: "bottom",
    title: "Bottom coding",
    about: "Shows every value up to a limit as that limit, so that the smallest values do not stand out. The limit is given, or taken from \
            the data so that a share of the rows is beyond it; then it is a round number and nobody's own value.",
    build: |parameters| Ok(Box::new(Coding::new(parameters, End::Bottom)?)),
    ..TOP
};

const PARAMETERS: &[(&str, &str)] = &[
    ("limit", "the limit; values from it on are coded"),
    ("share", "in place of a limit: the share of rows to be coded, such as 0.005"),
    ("least", "with share, mean or median: the fewest rows that are coded (10)"),
    (
        "write",
        "what coded values show: label (>=90 or <=90; default for quasi-identifiers), limit (default for other columns), mean or median of the \
         coded rows, or a number",
    ),
];

/// How many significant digits a limit from the data keeps.
const LIMIT_DIGITS: u32 = 2;

/// At which end values are coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Top,
    Bottom,
}

/// Where values are coded.
#[derive(Debug, Clone, Copy)]
enum Limit {
    Given(Decimal),
    Share(Rational),
}

/// What coded values show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Write {
    Label,
    Limit,
    Mean,
    Median,
    Number(Decimal),
}

struct Coding {
    end: End,
    limit: Limit,
    least: u64,
    write: Option<Write>,
}

impl Coding {
    fn new(parameters: &Parameters, end: End) -> Result<Self> {
        let share = parameters.positive("share", Some(Rational::ONE))?;
        let limit = match (decimal(parameters, "limit")?, share) {
            // A limit that was once taken from the data stays.
            (Some(limit), _) => Limit::Given(limit),
            (None, Some(share)) if share < Rational::ONE => Limit::Share(share),
            (None, Some(_)) => {
                return Err(parameters.placed("share", Error::config("share must be above 0 and below 1")));
            }
            (None, None) => {
                return Err(Error::config("the step needs a limit or a share")
                    .advise("give the limit, such as limit = 90")
                    .advise("give the share of rows to be coded, such as share = 0.005"));
            }
        };
        let write = match parameters.get("write") {
            Some(Value::Text(_)) => {
                match parameters.choice("write", &["label", "limit", "mean", "median"])? {
                    Some("label") => Some(Write::Label),
                    Some("mean") => Some(Write::Mean),
                    Some("median") => Some(Write::Median),
                    _ => Some(Write::Limit),
                }
            }
            _ => decimal(parameters, "write")?.map(Write::Number),
        };
        let least = parameters.whole("least", 1)?.unwrap_or(10);
        Ok(Self { end, limit, least, write })
    }

    /// Whether a number is at the limit or beyond it.
    fn is_coded(&self, number: Decimal, limit: Decimal) -> bool {
        match self.end {
            End::Top => number >= limit,
            End::Bottom => number <= limit,
        }
    }

    /// The limit of a value that the step at the other end has coded; such values stay.
    fn coded_before(&self, numbers: Numbers, text: &str) -> Option<Decimal> {
        let sign = if self.end == End::Top { "<=" } else { ">=" };
        numbers.read(text.strip_prefix(sign)?)
    }

    /// The limit beyond which a share of the rows lies, rounded so that it is nobody's value.
    fn limit_of(&self, given: &Given<'_>, share: Rational, numbers: &[Option<Decimal>]) -> Result<Decimal> {
        // Where rows are not people, a person counts with the value furthest out.
        let mut of_people: Vec<Decimal> = match given.persons {
            None => numbers.iter().flatten().copied().collect(),
            Some(persons) => {
                let people = persons.iter().max().map_or(0, |last| *last as usize + 1);
                let mut furthest: Vec<Option<Decimal>> = vec![None; people];
                for (person, number) in persons.iter().zip(numbers) {
                    let best = &mut furthest[*person as usize];
                    *best = match (*best, *number) {
                        (Some(a), Some(b)) if self.end == End::Top => Some(a.max(b)),
                        (Some(a), Some(b)) => Some(a.min(b)),
                        (a, b) => a.or(b),
                    };
                }
                furthest.into_iter().flatten().collect()
            }
        };
        let all = of_people.len() as u64;
        let share = share.floor_of(all) + u64::from(!is_whole(share, all));
        let needed = self.least.max(share);
        let Some(place) = usize::try_from(needed - 1).ok().filter(|place| *place < of_people.len()) else {
            return Err(Error::infeasible(format!(
                "{} must be coded, and there are only {all}",
                counted(needed, "value", "values")
            ))
            .in_column(&given.column()?.name)
            .concede("lower least"));
        };
        of_people.sort_unstable();
        let furthest = match self.end {
            End::Top => of_people[of_people.len() - 1 - place],
            End::Bottom => of_people[place],
        };
        Ok(inward(furthest, self.end))
    }

    /// The mean or the median of the coded rows.
    fn typical(&self, write: Write, mut coded: Vec<Decimal>, column: &CodedColumn) -> Result<Decimal> {
        if (coded.len() as u64) < self.least {
            return Err(Error::infeasible(format!(
                "the {} of {} would be shown, and at least {} are asked for",
                if write == Write::Mean { "mean" } else { "median" },
                counted(coded.len() as u64, "coded row", "coded rows"),
                self.least
            ))
            .in_column(&column.name)
            .advise("move the limit inward, or raise the share")
            .concede("lower least")
            .advise("show the limit in place of the mean (write = \"limit\")"));
        }
        coded.sort_unstable();
        if write == Write::Median {
            coded = coded[(coded.len() - 1) / 2..=coded.len() / 2].to_vec();
        }
        mean(&coded)
            .ok_or_else(|| Error::config("the coded values are too large for a mean").in_column(&column.name))
    }
}

/// Whether a share of a count is a whole number.
fn is_whole(share: Rational, count: u64) -> bool {
    share.cmp_ratio(share.floor_of(count), count.max(1)).is_eq()
}

/// A number rounded towards the inside of the distribution, to two significant digits: `98765` becomes 98000 at the top.
fn inward(number: Decimal, end: End) -> Decimal {
    let nearer_zero = number.truncated(LIMIT_DIGITS);
    let is_inward = match end {
        End::Top => nearer_zero <= number,
        End::Bottom => nearer_zero >= number,
    };
    if is_inward {
        return nearer_zero;
    }
    let step = Decimal::of(
        if number.is_negative() { -1 } else { 1 },
        number.first_place() + 1 - LIMIT_DIGITS as i32,
    );
    sum(nearer_zero, step).unwrap_or(nearer_zero)
}

fn sum(a: Decimal, b: Decimal) -> Option<Decimal> {
    let (a, b, scale) = super::numbers::in_one_unit(a, b)?;
    Some(Decimal::of(a.checked_add(b)?, -(scale as i32)))
}

/// The mean of numbers, with two decimal places more than they have, halves to even.
fn mean(numbers: &[Decimal]) -> Option<Decimal> {
    let scale = numbers.iter().map(|number| number.places()).max()? + 2;
    let total = numbers.iter().try_fold(0_i128, |sum, number| sum.checked_add(number.scaled(scale)?))?;
    let count = numbers.len() as i128;
    let (down, rest) = (total.div_euclid(count), total.rem_euclid(count));
    let up = match (2 * rest).cmp(&count) {
        std::cmp::Ordering::Equal => down.rem_euclid(2) == 1,
        order => order.is_gt(),
    };
    Some(Decimal::of(down + i128::from(up), -(scale as i32)))
}

impl Transform for Coding {
    fn facts(&self) -> Facts {
        Facts {
            truth: StepTruth::Censored,
            makes_stretches: self.write == Some(Write::Label),
            ..Facts::DERIVED
        }
    }

    fn words(&self) -> String {
        let values = if self.end == End::Top { "values from a limit on" } else { "values up to a limit" };
        match self.limit {
            Limit::Given(limit) => {
                let reach = if self.end == End::Top { "from" } else { "up to" };
                let reach = format!("values {reach} {}", limit.text('.'));
                let on = if self.end == End::Top { " on" } else { "" };
                let shown = match self.write {
                    Some(Write::Label) => "that they are beyond it".to_owned(),
                    Some(Write::Number(number)) => number.text('.'),
                    _ => limit.text('.'),
                };
                format!("{reach}{on} show {shown}")
            }
            Limit::Share(_) => format!("{values} show that limit"),
        }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let read = ReadNumbers::of(given, column)?;
        let numbers = read.numbers;
        // Reports texts that are no numbers, before anything is counted.
        read.refuse(given, NOT_A_NUMBER, |code| {
            let text = || column.values.get(code as u32);
            read.of_code[code].is_none() && self.coded_before(numbers, text()).is_none()
        })?;
        let of_row: Vec<Option<Decimal>> = read.of_rows().collect();
        let limit = match self.limit {
            Limit::Given(limit) => limit,
            Limit::Share(share) => self.limit_of(given, share, &of_row)?,
        };
        let coded: Vec<Decimal> =
            of_row.iter().flatten().copied().filter(|n| self.is_coded(*n, limit)).collect();
        // A number that stands for all beyond it would look like somebody's, and be in intervals that are not true of them.
        let write = self.write.unwrap_or(if given.for_quasi { Write::Label } else { Write::Limit });
        let reaches_over =
            |text: &str| self.coded_before(numbers, text).is_some_and(|number| self.is_coded(number, limit));
        if read.texts().any(reaches_over) {
            return Err(Error::config("the limits of the steps top and bottom reach over each other")
                .in_column(&column.name)
                .advise("give the bottom a lower limit, or the top a higher one"));
        }
        let mut settled_as = Vec::new();
        if let Limit::Share(_) = self.limit {
            settled_as.push(("limit", settled(limit)));
        }
        let shown = match write {
            Write::Label => {
                let sign = if self.end == End::Top { ">=" } else { "<=" };
                format!("{sign}{}", numbers.write(limit))
            }
            Write::Limit => numbers.write(limit),
            Write::Number(number) => numbers.write(number),
            Write::Mean | Write::Median => {
                let number = self.typical(write, coded.clone(), column)?;
                settled_as.push(("write", settled(number)));
                numbers.write(number)
            }
        };
        if self.write.is_none() {
            let write = if write == Write::Label { "label" } else { "limit" };
            settled_as.push(("write", Value::Text(write.to_owned())));
        }
        let made = each_occurring(given, column, |code, text| {
            let is_coded = read.of_code[code as usize].is_some_and(|number| self.is_coded(number, limit));
            Ok(if is_coded { shown.clone() } else { text.to_owned() })
        })?;
        let mut notes = Vec::new();
        let inside = of_row.iter().flatten().filter(|number| !self.is_coded(**number, limit)).count() as u64;
        if coded.is_empty() {
            notes.push(format!("no value of '{}' is beyond the limit, so none is coded", column.name));
        } else if inside < self.least {
            notes.push(format!(
                "only {} of '{}' are inside the limit",
                counted(inside, "row", "rows"),
                column.name
            ));
        }
        let from_data = matches!(self.limit, Limit::Share(_)) || matches!(write, Write::Mean | Write::Median);
        Ok(Made { settled: settled_as, from_data, notes, ..Made::of(made) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    fn number(text: &str) -> Decimal {
        Decimal::read(text, b'.').expect(text).0
    }

    /// The limit that a share gives, and how many rows are coded.
    fn by_share(texts: &[&str], share: &str, least: &str) -> (String, usize) {
        let wished = [("share", share), ("least", least), ("write", "label")];
        let made = run(&TOP, &wished, &[texts], &[], false).expect("a limit");
        let limit =
            made.settled.iter().find(|(name, _)| *name == "limit").expect("a limit").1.to_text().into_owned();
        let coded = rows(&made).iter().filter(|text| text.starts_with(">=")).count();
        (limit, coded)
    }

    /// The specification's examples (transforms.md 1.1).
    #[test]
    fn limits_from_shares() {
        let twenty: Vec<String> = (1..=20).map(|number| number.to_string()).collect();
        let twenty: Vec<&str> = twenty.iter().map(String::as_str).collect();
        assert_eq!(by_share(&twenty, "0.1", "1"), ("19".to_owned(), 2));
        assert_eq!(by_share(&twenty, "0.05", "3"), ("18".to_owned(), 3));
        assert_eq!(by_share(&["5", "5", "5", "5", "9", "9", "9", "10"], "0.2", "2"), ("9".to_owned(), 4));
        for (value, top, bottom) in [
            ("1234", "1200", "1300"),
            ("98765", "98000", "99000"),
            ("7.31", "7.3", "7.4"),
            ("0.0456", "0.045", "0.046"),
            ("-1234", "-1300", "-1200"),
            ("19", "19", "19"),
            ("99.9", "99", "100"),
        ] {
            assert_eq!(inward(number(value), End::Top), number(top), "{value}");
            assert_eq!(inward(number(value), End::Bottom), number(bottom), "{value}");
        }
    }

    /// The specification's incomes (transforms.md 1.1).
    #[test]
    fn means_of_coded_rows() {
        let incomes =
            ["12000", "18500", "21000", "23500", "30000", "31000", "45000", "52000", "98765", "250000"];
        let coded = |write: &str| {
            made(&TOP, &[("share", "0.1"), ("least", "2"), ("write", write)], &incomes).expect("codes")[8..]
                .to_vec()
        };
        assert_eq!(coded("mean"), ["174382.5"; 2]);
        assert_eq!(coded("limit"), ["98000"; 2]);
        assert_eq!(coded("label"), [">=98000"; 2]);
        assert_eq!(coded("100000"), ["100000"; 2]);
        let few = made(&TOP, &[("limit", "98000"), ("least", "3"), ("write", "mean")], &incomes)
            .expect_err("too few");
        assert!(few.contains("2 coded rows"), "{few}");
    }

    #[test]
    fn limits_are_coded_too_and_missing_values_stay() {
        assert_eq!(
            made(&TOP, &[("limit", "90")], &["89", "90", "97", "NA"]).expect("codes"),
            ["89", "90", "90", "NA"]
        );
        let labels = [("limit", "18"), ("write", "label")];
        let bottom = run(&BOTTOM, &labels, &[&["17", "18", "18.5"]], &[], false).expect("codes");
        assert_eq!(rows(&bottom), ["<=18", "<=18", "18.5"]);
        // Of a quasi-identifier it is the default.
        let quasi =
            |limit: &str| run(&BOTTOM, &[("limit", limit)], &[&["17", "18.5"]], &[], true).expect("codes");
        assert_eq!(rows(&quasi("18")), ["<=18", "18.5"]);
        assert_eq!(quasi("18").settled, [("write", Value::Text("label".to_owned()))]);
        let other = run(&BOTTOM, &[("limit", "18")], &[&["17", "18.5"]], &[], false).expect("codes");
        assert_eq!(rows(&other), ["18", "18.5"]);
    }

    #[test]
    fn both_ends_are_coded_one_after_the_other() {
        let labels = [("limit", "18"), ("write", "label")];
        assert_eq!(made(&BOTTOM, &labels, &[">=90", "20", "3"]).expect("codes"), [">=90", "20", "<=18"]);
        assert_eq!(made(&BOTTOM, &labels, &[">=90,5", "20,5"]).expect("codes"), [">=90,5", "20,5"]);
        let over = made(&BOTTOM, &labels, &[">=15", "3"]).expect_err("the ends meet");
        assert!(over.contains("reach over each other"), "{over}");
        assert!(
            made(&TOP, &[("limit", "90")], &[">=90", "3"])
                .expect_err("coded before")
                .contains("not a number")
        );
    }

    /// Of a person with several rows only the furthest counts: two of three people, not two of four rows.
    #[test]
    fn people_count_once() {
        let numbers: Vec<Option<Decimal>> =
            ["9", "8", "5", "1"].iter().map(|text| Some(number(text))).collect();
        let coding =
            Coding::new(&super::super::testing::parameters(&[("share", "0.5"), ("least", "2")]), End::Top);
        let coding = coding.expect("a coding");
        let column = CodedColumn::of_texts("c", ["9", "8", "5", "1"].iter());
        let limit = |persons: Option<&[u32]>| {
            let given = Given {
                columns: &[&column],
                also: &[],
                into: &["c"],
                for_quasi: false,
                bounds: &|_| (None, None),
                missing: &|_| &[],
                number: &|row| row as u64,
                persons,
                file: &|_| Err(Error::config("no file")),
                seed: None,
                key: &|| Err(Error::config("no key")),
                release: &|| Err(Error::config("no release")),
                control: &scumble_files::Control::default(),
            };
            coding.limit_of(&given, Rational::new(1, 2).expect("a half"), &numbers).expect("a limit")
        };
        assert_eq!(limit(None), number("8"));
        assert_eq!(limit(Some(&[0, 0, 1, 2])), number("5"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &[(&str, &str)], texts: &[&str]| made(&TOP, given, texts).expect_err("wrong");
        assert!(message(&[], &["1"]).contains("needs a limit or a share"));
        assert!(message(&[("share", "1")], &["1"]).contains("below 1"));
        assert!(
            message(&[("share", "0.1")], &["1", "2"])
                .contains("10 values must be coded, and there are only 2")
        );
        assert!(message(&[("limit", "5")], &["a", "b"]).contains("needs numbers"));
        assert!(message(&[("limit", "x")], &["1"]).contains("limit must be a number"));
    }
}
