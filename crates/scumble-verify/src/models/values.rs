//! Models about the number of rows of each value of one column, in each equivalence class.
//!
//! | model | claim | what must hold in every class |
//! |---|---|---|
//! | `alpha_k` | [`Shares`] | no value has more than its share |
//! | `k_e` | [`Test::Count`], [`Span`] | enough values or rows; the numbers span enough |
//! | `xy_anonymity`, `xy_linkability` | [`Test::Different`], [`Link`] | enough values of Y; none has more than its share |
//! | `k_uncertainty` | [`Test::Different`] | enough sensitive values |
//! | `threshold_rule` with weights | [`Sum`] | the weights add up to enough |
//! | `p_sensitive` | [`Test::Several`], [`Weight`] | enough values or categories; they weigh enough |
//! | `beta_likeness`, `delta_disclosure` | [`Growth`], [`Change`] | shares are close to those of the original table |

mod categories;
mod change;
mod link;
mod shares;
mod span;
mod sum;

use scumble_files::table::CodedColumn;

use super::Judgement;
use super::original::Baseline;
use super::requirement::Parameters;
use crate::error::VerifyError;
use crate::exact::Rational;
use categories::{Categories, Weight};
use change::{Change, Growth};
pub(super) use change::{largest_change, largest_enhanced_growth, largest_growth};
use link::Link;
use shares::Shares;
pub(super) use span::Numbers;
use span::Span;
use sum::Sum;

/// One requirement on the values of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Test {
    Shares(Shares),
    /// At least this many different values, or rows.
    Count {
        k: u64,
        rows: bool,
    },
    Span(Span),
    Sum(Sum),
    /// At least this many different values, or categories if there are some.
    Several {
        p: u64,
        categories: Option<Categories>,
    },
    Weight(Weight),
    /// At least this many different values, of Y or of a sensitive column.
    Different {
        k: u64,
        y: bool,
    },
    Link(Link),
    Growth(Growth),
    Change(Change),
}

/// A test that is prepared for the codes of one column. It takes the size of a class and the number of rows of each value.
pub(super) type Judge<'a> = Box<dyn Fn(u64, &[(u32, u64)]) -> Judgement + Send + Sync + 'a>;

impl Test {
    /// Reads the parameters of a model; returns `None` if the model is not one of those in this file.
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Option<Self>, VerifyError> {
        Ok(Some(match parameters.model {
            "alpha_k" => Self::Shares(Shares::read(parameters)?),
            // A claim is about one of the two parts of the model, so that each has its own figure.
            "k_e" if parameters.has("e") => Self::Span(Span::read(parameters)?),
            "k_e" => {
                let rows = parameters.choice("count", &["distinct", "rows"])? == "rows";
                Self::Count { k: parameters.integer("k", 1)?, rows }
            }
            "threshold_rule" => Self::Sum(Sum::read(parameters)?),
            "p_sensitive" if parameters.has("alpha") => Self::Weight(Weight::read(parameters)?),
            "p_sensitive" => {
                let categories =
                    parameters.has("categories").then(|| Categories::read(parameters)).transpose()?;
                Self::Several { p: parameters.integer("p", 1)?, categories }
            }
            "xy_anonymity" => Self::Different { k: parameters.integer("k", 1)?, y: true },
            "k_uncertainty" => Self::Different { k: parameters.integer("k", 1)?, y: false },
            "xy_linkability" => Self::Link(Link::read(parameters)?),
            "beta_likeness" => {
                let enhanced = parameters.choice("variant", &["basic", "enhanced"])? == "enhanced";
                Self::Growth(Growth { beta: parameters.positive("beta")?, enhanced })
            }
            "delta_disclosure" => Self::Change(Change { delta: parameters.positive("delta")? }),
            _ => return Ok(None),
        }))
    }

    /// Prepares the test for a column of the release. The remark says what a reader must know.
    pub(super) fn prepare<'a>(
        &'a self,
        column: &CodedColumn,
        baseline: Baseline<'_>,
    ) -> Result<(Judge<'a>, Option<String>), VerifyError> {
        let count = |number: u64, least: u64| Judgement { holds: number >= least, attained: number as f64 };
        Ok(match self {
            Self::Shares(shares) => (shares.prepare(column), None),
            Self::Count { k, rows: true } => (Box::new(move |size, _| count(size, *k)), None),
            Self::Link(link) => (link.prepare(column), None),
            Self::Different { k, .. }
            | Self::Count { k, rows: false }
            | Self::Several { p: k, categories: None } => {
                (Box::new(move |_, histogram| count(histogram.len() as u64, *k)), None)
            }
            Self::Span(span) => (span.prepare(column)?, None),
            Self::Sum(sum) => (sum.prepare(column)?, None),
            Self::Several { p, categories: Some(categories) } => {
                let of_code = categories.of_codes(column)?;
                let judge = move |_, histogram: &[(u32, u64)]| {
                    let mut found: Vec<u64> =
                        histogram.iter().map(|&(code, _)| of_code[code as usize]).collect();
                    found.sort_unstable();
                    found.dedup();
                    count(found.len() as u64, *p)
                };
                (Box::new(judge), None)
            }
            Self::Weight(weight) => (weight.prepare(column)?, None),
            Self::Growth(growth) => growth.prepare(column, baseline)?,
            Self::Change(change) => change.prepare(column, baseline)?,
        })
    }

    /// The claimed parameter, in the unit of the figure.
    pub(super) fn required(&self) -> f64 {
        match self {
            Self::Shares(shares) => shares.required(),
            Self::Count { k: least, .. }
            | Self::Several { p: least, .. }
            | Self::Different { k: least, .. } => *least as f64,
            Self::Link(link) => link.h.to_f64(),
            Self::Span(Span { e: bound, .. })
            | Self::Sum(Sum { least: bound, .. })
            | Self::Weight(Weight { alpha: bound, .. })
            | Self::Growth(Growth { beta: bound, .. })
            | Self::Change(Change { delta: bound }) => bound.to_f64(),
        }
    }

    /// Whether people are counted if they may have several rows.
    pub(super) fn counts_persons(&self) -> bool {
        matches!(self, Self::Shares(_) | Self::Link(_) | Self::Count { rows: true, .. })
    }

    pub(super) fn larger_is_better(&self) -> bool {
        !matches!(self, Self::Shares(_) | Self::Link(_) | Self::Growth(_) | Self::Change(_))
    }

    /// The test in words.
    pub(super) fn label(&self, column: &str) -> String {
        match self {
            Self::Shares(shares) if shares.uniform() => format!("largest share of one value of {column}"),
            Self::Shares(_) => {
                format!("shares of protected values of {column}, as multiples of what each may have")
            }
            Self::Count { rows: true, .. } => format!("(k,e)-anonymity of {column}, rows"),
            Self::Count { rows: false, .. } => format!("(k,e)-anonymity of {column}, different values"),
            Self::Span(_) => format!("(k,e)-anonymity of {column}, range"),
            Self::Sum(_) => format!("threshold rule, sum of {column}"),
            Self::Several { categories: None, .. } => format!("p-sensitivity of {column}, different values"),
            Self::Several { categories: Some(_), .. } => format!("p-sensitivity of {column}, categories"),
            Self::Different { y: true, .. } => format!("(X,Y)-anonymity, different values of {column}"),
            Self::Different { y: false, .. } => format!("k-uncertainty of {column}"),
            Self::Link(_) => format!("(X,Y)-linkability, largest share of one value of {column}"),
            Self::Weight(_) => format!("(p,alpha)-sensitivity of {column}, weight"),
            Self::Growth(Growth { enhanced: false, .. }) => format!("basic beta-likeness of {column}"),
            Self::Growth(Growth { enhanced: true, .. }) => format!("enhanced beta-likeness of {column}"),
            Self::Change(_) => format!("delta-disclosure privacy of {column}"),
        }
    }
}

/// A share above 0 and at most 1.
fn is_share(share: Rational) -> bool {
    share.numerator > 0 && share.compare(1, 1).is_le()
}
