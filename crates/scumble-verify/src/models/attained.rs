//! What a release attains, where nothing is claimed.

use scumble_files::table::CodedTable;
use serde::Serialize;

use super::l_diversity::{entropy_diversity, frequency_diversity};
use super::original::{Original, described};
use super::t_closeness::{Closeness, Ground};
use super::values::{Numbers, largest_change, largest_growth};
use super::{Classes, Reference, StarRows};
use crate::columns::{RELEASE, column, part};
use crate::error::VerifyError;
use crate::group::Histograms;
use crate::value::ValueKind;

/// A sensitive column to be measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SensitiveColumn {
    /// Its name.
    pub name: String,
    /// What its texts mean; numbers have a range.
    pub kind: ValueKind,
    /// Texts that stand for a missing value, which is no number.
    pub missing: Vec<String>,
}

/// What a release attains. Figures of the worst class; none where no class was judged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Attained {
    /// The rows of the release.
    pub rows: u64,
    /// The rows with `*` in every quasi-identifier.
    pub star_rows: u64,
    /// The classes without that of the star rows.
    pub classes: u64,
    /// The largest k for which the release is k-anonymous: its smallest class.
    pub k: Option<u64>,
    /// Each sensitive column, in the order asked.
    pub columns: Vec<AttainedColumn>,
    /// How many classes there are of each size, ascending by size, without the star rows.
    pub class_sizes: Vec<(u64, u64)>,
    /// What a reader must know.
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
    /// The smallest t of t-closeness with equal distances.
    pub equal_t: Option<f64>,
    /// The smallest alpha of (alpha,k)-anonymity: the largest share of a value.
    pub alpha: Option<f64>,
    /// The smallest beta of basic beta-likeness.
    pub beta: Option<f64>,
    /// What the delta of delta-disclosure privacy must exceed; infinite where a class lacks a value.
    pub delta: Option<f64>,
    /// The largest e of (k,e)-anonymity; none where the column does not hold numbers.
    pub e: Option<f64>,
    /// Classes in which every row has the same value.
    pub homogeneous_classes: u64,
    /// What a reader must know about these figures.
    pub note: Option<String>,
}

/// A figure of one class, from its size and its rows per value.
type Figure<'a> = dyn Fn(u64, &[(u32, u64)]) -> f64 + 'a;

/// Measures a release: k of its classes and the diversity and closeness of each sensitive column.
pub fn attained(
    release: &CodedTable,
    quasi: &[String],
    sensitive: &[SensitiveColumn],
    star: StarRows,
    reference: Option<&Reference>,
) -> Result<Attained, VerifyError> {
    let classes = Classes::of(release, quasi, star)?;
    let size = &classes.groups.size;
    let measure = |sensitive: &SensitiveColumn| {
        let column = column(release, RELEASE, &sensitive.name)?;
        let (closeness, note) = Closeness::new(column, &Ground::Equal, reference)?;
        let (described, _) = described(column, reference)?;
        let (original, _) = Original::new(column, &described)?;
        let numbers = match sensitive.kind {
            ValueKind::Number { comma } => Some(Numbers::read(column, comma, &sensitive.missing)?),
            ValueKind::Date { .. } | ValueKind::Text => None,
        };
        let histograms = Histograms::count(&classes.groups, part(column));
        let least = |figure: fn(u64, &[(u32, u64)]) -> f64| {
            classes.judged().map(|class| figure(size[class], histograms.of(class))).min_by(f64::total_cmp)
        };
        let most = |figure: &Figure<'_>| {
            classes.judged().map(|class| figure(size[class], histograms.of(class))).max_by(f64::total_cmp)
        };
        let distance = |class: usize| {
            let (numerator, denominator) = closeness.distance(size[class], histograms.of(class));
            numerator as f64 / denominator as f64
        };
        Ok(AttainedColumn {
            column: sensitive.name.clone(),
            distinct_l: classes.judged().map(|class| histograms.of(class).len() as u64).min(),
            entropy_l: least(entropy_diversity),
            frequency_l: least(frequency_diversity),
            equal_t: classes.judged().map(distance).max_by(f64::total_cmp),
            alpha: most(&|size, histogram| 1.0 / frequency_diversity(size, histogram)),
            beta: most(&|size, histogram| largest_growth(&original, size, histogram)),
            delta: most(&|size, histogram| largest_change(&original, size, histogram)),
            e: numbers.and_then(|numbers| {
                let range = classes.judged().map(|class| numbers.range(histograms.of(class))).min();
                range.map(|range| numbers.figure(range))
            }),
            homogeneous_classes: classes.judged().filter(|&class| histograms.of(class).len() == 1).count()
                as u64,
            note,
        })
    };
    Ok(Attained {
        rows: release.rows as u64,
        star_rows: classes.star_rows(),
        classes: classes.count(),
        k: classes.smallest(),
        columns: sensitive.iter().map(measure).collect::<Result<_, VerifyError>>()?,
        class_sizes: classes.sizes(),
        notes: classes.notes(),
    })
}
