//! Numbers in bands: `[18,30)`.

use rayon::prelude::*;

use super::numbers::{NOT_A_NUMBER, Numbers, ReadNumbers};
use super::values::each_occurring;
use super::{BuildTransform, Facts, Given, Made, Transform, decimals, settled};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "cut",
    title: "Cutting into bands",
    paper: "Hundepool et al. 2012, section 3.3 (global recoding)",
    standing: Standing::Recommended,
    about: "Shows the band that a number lies in, such as [18,30), in place of the number; the last band is open (>=65). The edges are \
            given, or taken from the data: equally wide bands, bands with about as many rows, or edges at powers of ten.",
    parameters: &[
        ("at", "the edges, ascending; a band begins with its edge: [0, 18, 30, 45, 65]"),
        ("labels", "a name for each band, in place of [18,30)"),
        (
            "closed",
            "which end of a band is included: left (default), or right: (18,30], for columns that are no quasi-identifiers, or with labels",
        ),
        ("method", "in place of at: equidistant, equal_amount or log, with bins"),
        ("bins", "how many bands the method makes, at most"),
    ],
    build: |parameters| Ok(Box::new(Cut::new(parameters)?)),
};

/// How edges are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Method {
    Equidistant,
    EqualAmount,
    Log,
}

enum Edges {
    At(Vec<Decimal>),
    Of(Method, usize),
}

struct Cut {
    edges: Edges,
    labels: Option<Vec<String>>,
    /// Whether a band has its upper edge, and not its lower one.
    right: bool,
}

impl Cut {
    fn new(parameters: &Parameters) -> Result<Self> {
        let labels: Option<Vec<String>> =
            parameters.texts("labels")?.map(|labels| labels.into_iter().map(str::to_owned).collect());
        let method = match parameters.choice("method", &["equidistant", "equal_amount", "log"])? {
            Some("equidistant") => Some(Method::Equidistant),
            Some("equal_amount") => Some(Method::EqualAmount),
            Some(_) => Some(Method::Log),
            None => None,
        };
        let bins = parameters.whole("bins", 2)?;
        let edges = match (decimals(parameters, "at")?, method, bins) {
            (Some(at), ..) => Edges::At(at),
            (None, Some(method), Some(bins)) => {
                Edges::Of(method, usize::try_from(bins).unwrap_or(usize::MAX))
            }
            (None, Some(_), None) => {
                return Err(parameters.placed(
                    "method",
                    Error::config("the method needs a number of bands")
                        .advise("give bins = 10, for instance"),
                ));
            }
            (None, None, _) => {
                return Err(Error::config("cutting needs edges")
                    .advise("give the edges: at = [0, 18, 30, 45, 65]")
                    .advise("give a method with a number of bands: method = \"equal_amount\", bins = 10"));
            }
        };
        if let Edges::At(at) = &edges {
            if at.is_empty() || !at.is_sorted_by(|a, b| a < b) {
                return Err(parameters
                    .placed("at", Error::config("the edges must ascend, and there must be one at least")));
            }
            if let Some(labels) = labels.as_ref().filter(|labels| labels.len() != at.len()) {
                return Err(parameters.placed(
                    "labels",
                    Error::config(format!(
                        "there are {} bands and {} labels; every edge begins a band",
                        at.len(),
                        labels.len()
                    )),
                ));
            }
        } else if labels.is_some() {
            return Err(parameters.placed("labels", Error::config("labels need edges that are given (at)")));
        }
        let right = parameters.choice("closed", &["left", "right"])? == Some("right");
        if right && !matches!(edges, Edges::At(_)) {
            return Err(parameters
                .placed("closed", Error::config("closed = \"right\" needs edges that are given (at)")));
        }
        Ok(Self { edges, labels, right })
    }
}

/// Edges of these numbers, one for each row, ascending; round, so that they are nobody's own value.
fn edges_of(numbers: &[Decimal], method: Method, bins: usize) -> Vec<Decimal> {
    let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else {
        return Vec::new();
    };
    let (low, high) = (first.float(), last.float());
    let wishes: Vec<f64> = match method {
        Method::Equidistant => (0..bins).map(|bin| low + (high - low) * bin as f64 / bins as f64).collect(),
        Method::EqualAmount => (0..bins).map(|bin| numbers[bin * numbers.len() / bins].float()).collect(),
        Method::Log if low > 0.0 => {
            let (low, high) = (low.log10(), high.log10());
            (0..bins).map(|bin| 10_f64.powf(low + (high - low) * bin as f64 / bins as f64)).collect()
        }
        Method::Log => vec![low],
    };
    // Edges keep two digits of the width of a band; those of logarithms, of the edge itself.
    let width = (high - low) / bins as f64;
    let place = |wish: f64| {
        let size = if method == Method::Log { wish.abs() } else { width };
        if size > 0.0 { size.log10().floor() as i32 - 1 } else { 0 }
    };
    let mut edges: Vec<Decimal> = wishes.into_iter().filter_map(|wish| floor_to(wish, place(wish))).collect();
    // The first edge must not be above the least value.
    if let Some(edge) = edges.first_mut() {
        while *edge > first {
            let Some((number, unit, scale)) = super::numbers::in_one_unit(*edge, Decimal::of(1, place(low)))
            else {
                break;
            };
            *edge = Decimal::of(number - unit, -(scale as i32));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// A float rounded down to a multiple of a power of ten.
fn floor_to(number: f64, place: i32) -> Option<Decimal> {
    let multiple = (number / 10_f64.powi(place)).floor();
    (multiple.abs() < 1e18).then(|| Decimal::of(multiple as i128, place))
}

impl Transform for Cut {
    fn facts(&self) -> Facts {
        Facts { makes_stretches: self.labels.is_none() && !self.right, ..Facts::DERIVED }
    }

    fn words(&self) -> String {
        match &self.edges {
            Edges::At(at) => {
                let edges: Vec<String> = at.iter().map(|edge| edge.text('.')).collect();
                let begin = if self.right { "bands begin above" } else { "bands begin at" };
                format!("shown by the band that a number lies in; {begin} {}", edges.join(", "))
            }
            Edges::Of(..) => "shown by the band that a number lies in".to_owned(),
        }
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        if given.for_quasi && self.labels.is_none() && self.right {
            return Err(Error::refused(
                "bands of a quasi-identifier include their lower edge, so that they can be coarsened further",
            )
            .in_column(given.makes())
            .advise("leave closed out, and give edges that fit, such as 19 for numbers above 18")
            .advise("give each band a name (labels)"));
        }
        let read = ReadNumbers::all(given, column)?;
        let numbers = read.numbers;
        let (edges, settled_as) = match &self.edges {
            Edges::At(at) => (at.clone(), Vec::new()),
            Edges::Of(method, bins) => {
                let mut of_rows: Vec<Decimal> = read.of_rows().flatten().collect();
                of_rows.par_sort_unstable();
                if *method == Method::Log
                    && of_rows.first().is_some_and(|least| least.is_negative() || least.is_zero())
                {
                    return Err(
                        Error::config("method = \"log\" needs numbers above 0").in_column(&column.name)
                    );
                }
                let edges = edges_of(&of_rows, *method, *bins);
                let list = edges.iter().map(|edge| settled(*edge)).collect();
                (edges, vec![("at", Value::List(list))])
            }
        };
        let labels: Vec<String> = match &self.labels {
            Some(labels) => labels.clone(),
            None => (0..edges.len()).map(|band| label(&edges, band, numbers, self.right)).collect(),
        };
        let made = each_occurring(given, column, |code, _| {
            let number = read.of_code[code as usize].ok_or(NOT_A_NUMBER)?;
            let above =
                edges.partition_point(|edge| if self.right { *edge < number } else { *edge <= number });
            let outside =
                if self.right { "is not above the first edge" } else { "lies below the first edge" };
            above.checked_sub(1).map(|band| labels[band].clone()).ok_or(outside)
        })?;
        let from_data = !settled_as.is_empty();
        Ok(Made { settled: settled_as, from_data, ..Made::of(made) })
    }
}

/// What a band is called: `[18,30)`, and `>=65` for the last; `(18,30]` and `>65` with the upper edge in place of the lower one.
fn label(edges: &[Decimal], band: usize, numbers: Numbers, right: bool) -> String {
    let low = numbers.write(edges[band]);
    match edges.get(band + 1).map(|high| numbers.write(*high)) {
        Some(high) if right => numbers.interval_above(&low, &high),
        Some(high) => numbers.interval(&low, &high),
        None if right => format!(">{low}"),
        None => format!(">={low}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{made, rows, run};
    use super::*;

    #[test]
    fn bands_begin_with_their_edges() {
        let at = [("at", "[0, 18, 30, 65]")];
        let texts = made(&ENTRY, &at, &["0", "17.5", "18", "64", "65", "99", "NA"]).expect("cuts");
        assert_eq!(texts, ["[0,18)", "[0,18)", "[18,30)", "[30,65)", ">=65", ">=65", "NA"]);
        let named =
            made(&ENTRY, &[("at", "[0, 18]"), ("labels", "[child, adult]")], &["3", "40"]).expect("cuts");
        assert_eq!(named, ["child", "adult"]);
        assert_eq!(
            made(&ENTRY, &[("at", "[0, 1.5]")], &["0,5", "2,25"]).expect("cuts"),
            ["[0;1,5)", ">=1,5"]
        );
    }

    #[test]
    fn bands_may_end_with_their_edges() {
        let right = [("at", "[0, 18, 30]"), ("closed", "right")];
        let texts = made(&ENTRY, &right, &["0.5", "18", "18.5", "30", "31", "NA"]).expect("cuts");
        assert_eq!(texts, ["(0,18]", "(0,18]", "(18,30]", "(18,30]", ">30", "NA"]);
        assert!(made(&ENTRY, &right, &["0"]).expect_err("on the first edge").contains("first edge"));
        let error =
            run(&ENTRY, &right, &[&["5"]], &[], true).err().expect("no interval of the grammar").to_string();
        assert!(error.contains("include their lower edge"), "{error}");
        let from_data = [("method", "log"), ("bins", "3"), ("closed", "right")];
        assert!(made(&ENTRY, &from_data, &["5"]).expect_err("no edges").contains("edges that are given"));
    }

    #[test]
    fn edges_from_the_data_are_round_and_cover_it() {
        let values: Vec<String> = (0..1000).map(|number| format!("{}", 17 + number * 13)).collect();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        for method in ["equidistant", "equal_amount", "log"] {
            let made =
                run(&ENTRY, &[("method", method), ("bins", "5")], &[&values], &[], false).expect("cuts");
            let Value::List(edges) = &made.settled[0].1 else { panic!("no edges") };
            assert!((2..=5).contains(&edges.len()), "{method}: {edges:?}");
            // The settled edges give the same bands.
            let at = Value::List(edges.clone()).to_text().into_owned();
            assert_eq!(
                super::super::testing::made(&ENTRY, &[("at", &at)], &values).expect("cuts"),
                rows(&made)
            );
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &[(&str, &str)], texts: &[&str]| made(&ENTRY, given, texts).expect_err("wrong");
        assert!(message(&[], &["1"]).contains("needs edges"));
        assert!(message(&[("at", "[5, 3]")], &["1"]).contains("must ascend"));
        assert!(message(&[("at", "[0, 3]"), ("labels", "[a]")], &["1"]).contains("2 bands and 1 labels"));
        assert!(message(&[("at", "[0, 3]")], &["-1"]).contains("row 1"));
        assert!(message(&[("method", "log"), ("bins", "3")], &["0", "5"]).contains("above 0"));
        assert!(message(&[("method", "log")], &["5"]).contains("number of bands"));
        let quasi = run(&ENTRY, &[("at", "[0, 3]")], &[&["1"]], &[], true).expect("a quasi-identifier");
        assert_eq!(rows(&quasi), ["[0,3)"]);
    }
}
