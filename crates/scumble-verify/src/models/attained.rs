//! Measures what a release attains, where nothing is claimed.

use rayon::prelude::*;
use scumble_files::Control;
use scumble_files::table::CodedTable;
use serde::Serialize;

use super::judging::present_rows;
use super::l_diversity::{entropy_diversity, frequency_diversity};
use super::original::{Baseline, Original, described};
use super::people::{self, PeopleTest};
use super::risk::RiskTest;
use super::several::least_given_others;
use super::t_closeness::{Closeness, Ground};
use super::values::{Numbers, largest_change, largest_enhanced_growth, largest_growth};
use super::{Classes, Known, Reference, StarRows};
use crate::columns::{RELEASE, column, part};
use crate::error::VerifyError;
use crate::exact::Rational;
use crate::figure;
use crate::group::Histograms;
use crate::normal::{Plain, taken};
use crate::population::Population;
use crate::value::ValueKind;
use crate::watch::check;

/// How the values of a sensitive column are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveColumn {
    /// Its name.
    pub name: String,
    /// What its texts mean; numbers have a range.
    pub kind: ValueKind,
    /// Texts that stand for a missing value, which is not a number.
    pub missing: Vec<String>,
    /// Whether texts are compared character by character. Numbers and dates of such a column are still compared by value.
    pub exact: bool,
    /// Whether a missing value counts as a value like any other.
    pub missing_counts: bool,
}

impl SensitiveColumn {
    /// Returns a column of texts in which nothing is missing and spelling does not count.
    #[must_use]
    pub fn texts(name: &str) -> Self {
        let name = name.to_owned();
        Self { name, kind: ValueKind::Text, missing: Vec::new(), exact: false, missing_counts: false }
    }
}

/// What a release attains: the figures of its worst class, or `None` if no class was checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attained {
    /// The number of rows in the release.
    pub rows: u64,
    /// The number of rows with `*` in every quasi-identifier.
    pub star_rows: u64,
    /// The number of classes, without that of the suppressed rows.
    pub classes: u64,
    /// The largest k for which the release is k-anonymous: the size of its smallest class.
    pub k: Option<u64>,
    /// The mean risk of a record, which in a class of k rows is 1/k: the smallest threshold of average risk that holds.
    pub average_risk: Option<f64>,
    /// The share of records whose risk is above `risk_threshold`.
    pub at_risk: Option<f64>,
    /// The risk above which a record is at risk.
    pub risk_threshold: f64,
    /// The largest k of k-map; `None` without a population.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub k_map: Option<f64>,
    /// The largest delta_min of delta-presence; `None` without a population.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "figure::optional")]
    pub delta_min: Option<f64>,
    /// The smallest delta_max of delta-presence; `None` without a population, infinite if a class has rows but no people of the
    /// population.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "figure::optional")]
    pub delta_max: Option<f64>,
    /// The figures of each sensitive column, in the order asked for.
    pub columns: Vec<AttainedColumn>,
    /// For each sensitive column, the distinct l among the rows of a class that agree on the other sensitive columns; `None` if
    /// there is only one column.
    #[serde(skip)]
    pub given_others: Option<Vec<u64>>,
    /// Class sizes, ascending, with the number of classes of each size, without the suppressed rows.
    pub class_sizes: Vec<(u64, u64)>,
    /// Remarks that a reader must know.
    pub notes: Vec<String>,
}

/// What a release attains for one sensitive column.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttainedColumn {
    /// The column.
    pub column: String,
    /// The largest l of distinct l-diversity.
    pub distinct_l: Option<u64>,
    /// The largest l of entropy l-diversity.
    pub entropy_l: Option<f64>,
    /// The largest l of frequency l-diversity.
    pub frequency_l: Option<f64>,
    /// The value that c of recursive (c,2)-diversity must exceed; infinite if a class has only one value.
    #[serde(serialize_with = "figure::optional")]
    pub recursive_c: Option<f64>,
    /// The smallest t of t-closeness with equal distances.
    pub equal_t: Option<f64>,
    /// The smallest t of t-closeness with ordered distances; `None` if not all values are numbers.
    pub ordered_t: Option<f64>,
    /// The smallest alpha of (alpha,k)-anonymity: the largest share of a value; infinite if nobody in some class has a value.
    #[serde(serialize_with = "figure::optional")]
    pub alpha: Option<f64>,
    /// The smallest beta of basic beta-likeness; infinite if a value is not in the original.
    #[serde(serialize_with = "figure::optional")]
    pub beta: Option<f64>,
    /// The smallest beta of enhanced beta-likeness; infinite if no beta would do.
    #[serde(serialize_with = "figure::optional")]
    pub enhanced_beta: Option<f64>,
    /// The value that delta of delta-disclosure privacy must exceed; infinite if a class lacks a value.
    #[serde(serialize_with = "figure::optional")]
    pub delta: Option<f64>,
    /// The largest e of (k,e)-anonymity; `None` if the column does not contain numbers.
    pub e: Option<f64>,
    /// The number of classes in which every row has the same value.
    pub homogeneous_classes: u64,
    /// A remark that a reader of these figures must know.
    pub note: Option<String>,
}

/// What a release is measured against.
#[derive(Clone, Copy)]
pub struct Beside<'a> {
    /// The distributions of the original table.
    pub reference: Option<&'a Reference>,
    /// The population that its rows are taken from.
    pub population: Option<&'a Population<'a>>,
    /// The risk above which a record is at risk, as written: `0.2`, `1/3`.
    pub risk_threshold: &'a str,
}

impl Default for Beside<'_> {
    /// No reference and no population, and the usual threshold (section 4.1).
    fn default() -> Self {
        Self { reference: None, population: None, risk_threshold: "0.2" }
    }
}

impl Beside<'_> {
    fn threshold(&self) -> Result<Rational, VerifyError> {
        let found = Rational::parse(self.risk_threshold).filter(|highest| highest.compare(1, 1).is_le());
        found.ok_or_else(|| VerifyError::Parameter {
            model: "average_risk".to_owned(),
            parameter: "highest".to_owned(),
            why: "the risk threshold must be a number from 0 to 1".to_owned(),
        })
    }
}

/// The figures of the worst of some classes.
#[derive(Clone, Copy)]
struct Worst {
    distinct_l: u64,
    entropy_l: f64,
    frequency_l: f64,
    recursive_c: f64,
    equal_t: f64,
    ordered_t: f64,
    beta: f64,
    enhanced_beta: f64,
    delta: f64,
    range: u128,
    homogeneous: u64,
}

impl Worst {
    /// The figures of no class.
    const NONE: Self = Self {
        distinct_l: u64::MAX,
        entropy_l: f64::INFINITY,
        frequency_l: f64::INFINITY,
        recursive_c: 0.0,
        equal_t: 0.0,
        ordered_t: 0.0,
        beta: 0.0,
        enhanced_beta: 0.0,
        delta: 0.0,
        range: u128::MAX,
        homogeneous: 0,
    };

    /// The figures of a class in which nobody has a value.
    const NOBODY: Self = Self {
        distinct_l: 0,
        entropy_l: 0.0,
        frequency_l: 0.0,
        recursive_c: f64::INFINITY,
        equal_t: 1.0,
        ordered_t: 1.0,
        beta: f64::INFINITY,
        enhanced_beta: f64::INFINITY,
        delta: f64::INFINITY,
        range: 0,
        homogeneous: 0,
    };

    /// Combines the figures of two sets of classes. The order does not matter.
    fn and(self, other: Self) -> Self {
        Self {
            distinct_l: self.distinct_l.min(other.distinct_l),
            entropy_l: self.entropy_l.min(other.entropy_l),
            frequency_l: self.frequency_l.min(other.frequency_l),
            recursive_c: self.recursive_c.max(other.recursive_c),
            equal_t: self.equal_t.max(other.equal_t),
            ordered_t: self.ordered_t.max(other.ordered_t),
            beta: self.beta.max(other.beta),
            enhanced_beta: self.enhanced_beta.max(other.enhanced_beta),
            delta: self.delta.max(other.delta),
            range: self.range.min(other.range),
            homogeneous: self.homogeneous + other.homogeneous,
        }
    }
}

/// Measures a release: the k of its classes, and the diversity and closeness of each sensitive column.
pub fn attained(
    release: &CodedTable,
    quasi: &[String],
    sensitive: &[SensitiveColumn],
    star: StarRows,
    reference: Option<&Reference>,
) -> Result<Attained, VerifyError> {
    let beside = Beside { reference, ..Beside::default() };
    attained_with(release, quasi, sensitive, star, beside, &Control::default())
}

/// Measures the same, also against a population and a threshold of risk. `control` can stop the measurement.
pub fn attained_with(
    release: &CodedTable,
    quasi: &[String],
    sensitive: &[SensitiveColumn],
    star: StarRows,
    beside: Beside<'_>,
    control: &Control,
) -> Result<Attained, VerifyError> {
    let Beside { reference, population, .. } = beside;
    let highest = beside.threshold()?;
    let Plain { release, reference, absent, .. } = Plain::of(release, &[], sensitive, reference, control)?;
    let (release, reference) = (&*release, reference.as_ref());
    check(control)?;
    let classes = Classes::of(release, quasi, star)?;
    check(control)?;
    let risk = |test: RiskTest| test.judge("average_risk", &classes).attained;
    let known = Known { population, quasi, control };
    let people = |test: PeopleTest| match population {
        Some(_) => {
            Ok::<_, VerifyError>(people::judge(test, "population", release, &classes, &known)?.attained)
        }
        None => Ok(None),
    };
    let [nothing, everything] = [0, 1].map(|numerator| Rational { numerator, denominator: 1 });
    Ok(Attained {
        rows: release.rows as u64,
        star_rows: classes.star_rows(),
        classes: classes.count(),
        k: classes.smallest(),
        average_risk: risk(RiskTest::Mean { average: everything }),
        at_risk: risk(RiskTest::Share { highest, at_risk: everything }),
        risk_threshold: highest.to_f64(),
        k_map: people(PeopleTest::Many { k: 1 })?,
        delta_min: people(PeopleTest::Least { delta: nothing })?,
        delta_max: people(PeopleTest::Most { delta: everything })?,
        columns: sensitive
            .par_iter()
            .map(|sensitive| {
                let absent = absent.iter().find(|(name, _)| *name == sensitive.name);
                let absent = absent.map(|(_, text)| text.as_str());
                measure(release, &classes, sensitive, absent, reference, control)
            })
            .collect::<Result<_, VerifyError>>()?,
        given_others: given_others(release, &classes, sensitive, control)?,
        class_sizes: classes.sizes(),
        notes: classes.notes().into_iter().chain(star_is_smallest(&classes)).collect(),
    })
}

/// Returns the distinct l of each column given the others, if there are several columns and some class is checked.
fn given_others(
    release: &CodedTable,
    classes: &Classes,
    sensitive: &[SensitiveColumn],
    control: &Control,
) -> Result<Option<Vec<u64>>, VerifyError> {
    if sensitive.len() < 2 || classes.judged().next().is_none() {
        return Ok(None);
    }
    let find = |sensitive: &SensitiveColumn| column(release, RELEASE, &sensitive.name);
    let columns = sensitive.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    least_given_others(classes, &columns, control).map(Some)
}

/// Returns a remark on the rows that k comes from, if every listed class is larger.
fn star_is_smallest(classes: &Classes) -> Option<String> {
    let smallest = classes.sizes().first().map_or(u64::MAX, |(size, _)| *size);
    let star = classes.star_rows();
    let judged = classes.star_rule == StarRows::Judged;
    (judged && star > 0 && star < smallest)
        .then(|| format!("k is that of the {star} rows that show * in every quasi-identifier"))
}

/// Computes all figures of one column in one pass over the classes.
fn measure(
    release: &CodedTable,
    classes: &Classes,
    sensitive: &SensitiveColumn,
    absent: Option<&str>,
    reference: Option<&Reference>,
    control: &Control,
) -> Result<AttainedColumn, VerifyError> {
    let column = column(release, RELEASE, &sensitive.name)?;
    // A row without a value protects nobody, so such rows are not counted.
    let absent = absent.and_then(|text| column.values.find_sorted(text));
    let kept = absent.map(|code| present_rows(release.rows, &[(column, code)]));
    let filtered = kept.map(|rows| (taken(column, &rows), classes.groups.only(&rows)));
    let (column, groups) =
        filtered.as_ref().map_or((column, &classes.groups), |(column, groups)| (column, groups));
    let baseline = Baseline::new(reference, groups);
    let (closeness, note) = Closeness::new(column, &Ground::Equal, baseline)?;
    let (described, _) = described(column, baseline)?;
    let (original, _) = Original::new(column, &described)?;
    let (numbers, ordered) = match sensitive.kind {
        ValueKind::Number { comma } => (
            Some(Numbers::read(column, comma, &sensitive.missing)?),
            // If something is not a number, there is no order to measure by.
            Closeness::new(column, &Ground::Ordered { order: None }, baseline).ok(),
        ),
        ValueKind::Date { .. } | ValueKind::Timestamp { .. } | ValueKind::Time | ValueKind::Text => {
            (None, None)
        }
    };
    let histograms = Histograms::count(groups, part(column));
    let fraction = |(numerator, denominator): (u128, u128)| numerator as f64 / denominator as f64;
    check(control)?;
    let of_class = |class: usize| {
        let (size, histogram) = (groups.size[class], histograms.of(class));
        if size == 0 {
            return Worst::NOBODY;
        }
        let most = histogram.iter().map(|&(_, rows)| rows).max().unwrap_or(0);
        let ordered = ordered.as_ref().map(|(closeness, _)| fraction(closeness.distance(size, histogram)));
        Worst {
            distinct_l: histogram.len() as u64,
            entropy_l: entropy_diversity(size, histogram),
            frequency_l: frequency_diversity(size, histogram),
            recursive_c: most as f64 / (size - most) as f64,
            equal_t: fraction(closeness.distance(size, histogram)),
            ordered_t: ordered.unwrap_or(0.0),
            beta: largest_growth(&original, size, histogram),
            enhanced_beta: largest_enhanced_growth(&original, size, histogram),
            delta: largest_change(&original, size, histogram),
            range: numbers.as_ref().map_or(0, |numbers| numbers.range(histogram)),
            homogeneous: u64::from(histogram.len() == 1),
        }
    };
    let judged: Vec<usize> = classes.judged().collect();
    let worst = judged
        .par_iter()
        .enumerate()
        .with_min_len(1 << 10)
        .map(|(place, &class)| {
            if place.is_multiple_of(64) {
                check(control)?;
            }
            Ok(of_class(class))
        })
        .try_reduce(|| Worst::NONE, |one, other| Ok(one.and(other)))?;
    let some = |figure: f64| (!judged.is_empty()).then_some(figure);
    Ok(AttainedColumn {
        column: sensitive.name.clone(),
        distinct_l: (!judged.is_empty()).then_some(worst.distinct_l),
        entropy_l: some(worst.entropy_l),
        frequency_l: some(worst.frequency_l),
        recursive_c: some(worst.recursive_c),
        equal_t: some(worst.equal_t),
        ordered_t: some(worst.ordered_t).filter(|_| ordered.is_some()),
        alpha: some(1.0 / worst.frequency_l),
        beta: some(worst.beta),
        enhanced_beta: some(worst.enhanced_beta),
        delta: some(worst.delta),
        e: numbers.filter(|_| !judged.is_empty()).map(|numbers| numbers.figure(worst.range)),
        homogeneous_classes: worst.homogeneous,
        note,
    })
}
