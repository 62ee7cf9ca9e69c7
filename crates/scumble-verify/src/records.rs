//! Checks whether records that overlap keep what is claimed. There are no equivalence classes here: each record is checked by the
//! original rows that it covers, and by its own distribution of the sensitive column.

use rayon::prelude::*;
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};
use serde::Serialize;

use crate::columns::{ORIGINAL, RELEASE, check_size, column, part};
use crate::cover::{Cover, Original, Reading, Released};
use crate::distribution::Distributed;
use crate::error::VerifyError;
use crate::exact::Rational;
use crate::exchange::{Exchanged, choices, covered_values};
use crate::group::{Groups, group};
use crate::links::Links;
use crate::models::{ModelClaim, ModelOutcome};
use crate::watch::{Pace, check};

/// What a check of records found. It has figures only, no values.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordOutcome {
    /// The number of rows in the release.
    pub rows: u64,
    /// The fewest original rows that one record covers; `None` without the original.
    pub least_covered: Option<u64>,
    /// The mean number of original rows that a record covers.
    pub mean_covered: Option<f64>,
    /// Whether every model holds.
    pub holds: bool,
    /// The outcome of each model of the claim, in its order.
    pub models: Vec<ModelOutcome>,
}

/// The original rows, and how each quasi-identifier of a release covers them.
#[derive(Clone, Copy)]
pub struct Originals<'a> {
    /// The rows.
    pub table: &'a CodedTable,
    /// The quasi-identifiers, and how the values of each are read.
    pub quasi: &'a [(String, Cover)],
    /// The original row of each released one, if known.
    pub row_map: Option<&'a [u32]>,
    /// The column in which records have exchanged values, if there is one.
    pub exchanged: Option<Exchanged<'a>>,
}

/// Checks records. `k_anonymity` requires each record to cover at least `k` original rows, or what its parameter `links` says:
/// with `covered`, at least `k` records cover each original row; with `both`, both hold; with `matches`, at least `k` records may
/// be each original row's own. The frequency variant of `l_diversity` requires that no frequency is above 1/`l`; for a column
/// with exchanged values, that each record might have shown the values of `l` rows. No other claim is about records.
pub fn check_records(
    release: &CodedTable,
    distributions: &[(String, Distributed)],
    models: &[ModelClaim],
    originals: Option<Originals<'_>>,
    control: &Control,
) -> Result<RecordOutcome, VerifyError> {
    check_size(release, RELEASE)?;
    let covered = originals.map(|originals| covered_rows(release, originals, control)).transpose()?;
    let models = models
        .iter()
        .map(|model| match model.name.as_str() {
            "k_anonymity" => size(release, model, covered.as_deref(), originals, control),
            "l_diversity" => diversity(release, model, distributions, originals, control),
            _ => Err(parameter(model, "model", "it is about groups, and records that overlap form none")),
        })
        .collect::<Result<Vec<_>, _>>()?;
    let rows = release.rows as u64;
    Ok(RecordOutcome {
        rows,
        least_covered: covered.as_ref().and_then(|covered| covered.iter().copied().min()),
        mean_covered: covered.map(|covered| covered.iter().sum::<u64>() as f64 / rows.max(1) as f64),
        holds: models.iter().all(|model| model.holds),
        models,
    })
}

pub(crate) fn parameter(model: &ModelClaim, parameter: &str, why: &str) -> VerifyError {
    VerifyError::Parameter { model: model.name.clone(), parameter: parameter.to_owned(), why: why.to_owned() }
}

/// Reads a number of a claim, exactly.
fn number(model: &ModelClaim, name: &str) -> Result<Rational, VerifyError> {
    let value = model.parameters.get(name);
    let text = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    text.and_then(|text| Rational::parse(&text))
        .filter(|number| number.numerator >= number.denominator)
        .ok_or_else(|| parameter(model, name, "it must be a number of at least 1"))
}

fn size(
    release: &CodedTable,
    model: &ModelClaim,
    covered: Option<&[u64]>,
    originals: Option<Originals<'_>>,
    control: &Control,
) -> Result<ModelOutcome, VerifyError> {
    let k = number(model, "k")?
        .integer()
        .ok_or_else(|| parameter(model, "k", "it must be a whole number of at least 1"))?;
    let (Some(covered), Some(originals)) = (covered, originals) else {
        let why = "what a record covers is counted in the original table, which is not given";
        return Err(parameter(model, "k", why));
    };
    let of_records = covered.to_vec();
    let (label, figures) = match model.parameters.get("links").and_then(serde_json::Value::as_str) {
        None | Some("covers") => ("original rows that each record covers", of_records),
        Some("covered") => {
            ("records that cover each original row", Links::new(release, originals, control)?.covering())
        }
        Some("both") => {
            let covering = Links::new(release, originals, control)?.covering();
            ("rows that each record covers, and records that cover each row", [of_records, covering].concat())
        }
        Some("matches") => (
            "records that may be each original row's own",
            Links::new(release, originals, control)?.matching(originals, control)?,
        ),
        Some(_) => return Err(parameter(model, "links", "it must be covers, covered, both or matches")),
    };
    let failing = figures.iter().filter(|rows| u128::from(**rows) < k).count() as u64;
    Ok(outcome(model, label.into(), k as f64, figures.iter().map(|rows| *rows as f64), failing))
}

/// Returns an error if a claim has a parameter that is not checked here.
fn known(model: &ModelClaim, names: &[&str]) -> Result<(), VerifyError> {
    match model.parameters.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(parameter(model, name, "records that overlap are not judged by it")),
        None => Ok(()),
    }
}

fn diversity(
    release: &CodedTable,
    model: &ModelClaim,
    distributions: &[(String, Distributed)],
    originals: Option<Originals<'_>>,
    control: &Control,
) -> Result<ModelOutcome, VerifyError> {
    let l = number(model, "l")?;
    known(model, &["l", "variant", "column"])?;
    if model.parameters.get("variant").and_then(serde_json::Value::as_str) != Some("frequency") {
        return Err(parameter(
            model,
            "variant",
            "a distribution is judged by its frequencies; it must be frequency",
        ));
    }
    let name = model.parameters.get("column").and_then(serde_json::Value::as_str).unwrap_or_default();
    let exchanged = originals.and_then(|originals| Some((originals, originals.exchanged?)));
    if let Some((originals, exchanged)) = exchanged.filter(|(_, exchanged)| exchanged.column == name) {
        let (label, figures, note) = match exchanged.windows {
            Some(windows) => (
                format!("values of {name} that each record might have shown"),
                choices(release, originals, model, name, windows, control)?,
                None,
            ),
            None => (
                format!("different values of {name} among the rows that each record covers"),
                covered_values(release, originals, name, control)?,
                Some("that l of them were equally likely to be shown rests on a draw, which was checked when the release was made".into()),
            ),
        };
        let keeps = |rows: &&u64| u128::from(**rows) * l.denominator >= l.numerator;
        let failing = figures.iter().filter(|rows| !keeps(rows)).count() as u64;
        let judged = outcome(model, label, l.to_f64(), figures.iter().map(|rows| *rows as f64), failing);
        return Ok(ModelOutcome { note, ..judged });
    }
    let Some((_, found)) = distributions.iter().find(|(of, _)| of == name) else {
        return Err(parameter(model, "column", "it is neither published as frequencies nor exchanged"));
    };
    let attained: Vec<Rational> = (0..found.len()).map(|of| found.diversity(of)).collect();
    let keeps: Vec<bool> = attained.iter().map(|of| of.compare(l.numerator, l.denominator).is_ge()).collect();
    let failing = found.of_row().iter().filter(|of| !keeps[**of as usize]).count() as u64;
    let attained = found.of_row().iter().map(|of| attained[*of as usize].to_f64());
    Ok(outcome(
        model,
        format!("frequency l-diversity of each distribution of {name}"),
        l.to_f64(),
        attained,
        failing,
    ))
}

fn outcome(
    model: &ModelClaim,
    label: String,
    required: f64,
    attained: impl Iterator<Item = f64>,
    failing: u64,
) -> ModelOutcome {
    ModelOutcome {
        name: model.name.clone(),
        label,
        required,
        attained: attained.reduce(f64::min),
        holds: failing == 0,
        failing_classes: failing,
        failing_rows: failing,
        worst: Vec::new(),
        note: None,
    }
}

/// The most pairs of a label and a value that are remembered, at one bit each.
const MOST_PAIRS: usize = 1 << 32;

/// Returns, for each released row, the number of original rows of which all its quasi-identifiers are true.
fn covered_rows(
    release: &CodedTable,
    originals: Originals<'_>,
    control: &Control,
) -> Result<Vec<u64>, VerifyError> {
    let cover = Covering::new(release, originals, control)?;
    let count = |row: &u32| {
        // Each record may be compared with every tuple.
        check(control)?;
        Ok(cover.tuples_of(*row).map(|tuple| cover.tuples.size[tuple as usize]).sum())
    };
    let of_record: Vec<u64> =
        cover.records.first_row.par_iter().map(count).collect::<Result<_, VerifyError>>()?;
    Ok(cover.records.of_row.iter().map(|record| of_record[*record as usize]).collect())
}

/// The distinct records and the distinct original tuples, and which records cover which tuples.
pub(crate) struct Covering<'a> {
    released: Vec<&'a CodedColumn>,
    pub(crate) records: Groups,
    pub(crate) tuples: Groups,
    truths: Vec<Truths>,
}

impl<'a> Covering<'a> {
    pub(crate) fn new(
        release: &'a CodedTable,
        originals: Originals<'a>,
        control: &Control,
    ) -> Result<Self, VerifyError> {
        check_size(originals.table, ORIGINAL)?;
        if originals.quasi.is_empty() {
            return Err(VerifyError::NoQuasi);
        }
        let columns = |table: &'a CodedTable, which: &'static str| {
            let found = originals.quasi.iter().map(|(name, _)| column(table, which, name));
            found.collect::<Result<Vec<&'a CodedColumn>, VerifyError>>()
        };
        let (released, original) = (columns(release, RELEASE)?, columns(originals.table, ORIGINAL)?);
        let parts: Vec<_> = original.iter().map(|column| part(column)).collect();
        let tuples = group(&parts, originals.table.rows);
        let parts: Vec<_> = released.iter().map(|column| part(column)).collect();
        let records = group(&parts, release.rows);
        let truths: Vec<Truths> = originals
            .quasi
            .par_iter()
            .zip(released.par_iter().zip(&original))
            .map(|((_, cover), (released, original))| {
                Truths::new(cover, released, original, &tuples.first_row, control)
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { released, records, tuples, truths })
    }

    /// Returns the original tuples that a released row covers.
    pub(crate) fn tuples_of(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        let labels: Vec<u32> = self.released.iter().map(|column| column.codes.get(row as usize)).collect();
        let count = |column: usize| self.truths[column].tuples[labels[column] as usize].1;
        let narrowest = (0..self.truths.len()).min_by_key(|column| count(*column)).unwrap_or(0);
        let of_narrowest = &self.truths[narrowest];
        let values = &of_narrowest.tuples[labels[narrowest] as usize].0;
        let candidates = values.iter().flat_map(|code| &of_narrowest.of_code[*code as usize]).copied();
        candidates.filter(move |tuple| {
            self.truths.iter().zip(&labels).enumerate().all(|(column, (truth, label))| {
                column == narrowest || truth.holds(*label, truth.code_of_tuple[*tuple as usize])
            })
        })
    }
}

impl Covering<'_> {
    /// Whether a released row covers an original one.
    pub(crate) fn covers(&self, row: u32, original: u32) -> bool {
        let tuple = self.tuples.of_row[original as usize] as usize;
        self.truths.iter().zip(&self.released).all(|(truth, released)| {
            truth.holds(released.codes.get(row as usize), truth.code_of_tuple[tuple])
        })
    }
}

/// Which labels of a column are true of which original values.
struct Truths {
    values: usize,
    bits: Vec<u64>,
    /// For each label, the values that it is true of, and how many tuples have them.
    tuples: Vec<(Vec<u32>, u64)>,
    /// The value of each original tuple, and the tuples of each value.
    code_of_tuple: Vec<u32>,
    of_code: Vec<Vec<u32>>,
}

impl Truths {
    fn new(
        cover: &Cover,
        released: &CodedColumn,
        original: &CodedColumn,
        first_rows: &[u32],
        control: &Control,
    ) -> Result<Self, VerifyError> {
        let (labels, values) = (released.values.len(), original.values.len());
        if labels.saturating_mul(values) > MOST_PAIRS {
            let what = format!("column `{}` has too many different values", released.name);
            return Err(VerifyError::TooLarge { what, remedy: "use fewer or coarser values" });
        }
        let reading = Reading::new(cover);
        let mut pace = Pace::new(control);
        let originals: Vec<Original<'_>> =
            original.values.iter().map(|text| reading.original(text)).collect();
        check(control)?;
        let readings: Vec<Released> = released.values.iter().map(|text| reading.released(text)).collect();
        check(control)?;
        let code_of_tuple: Vec<u32> =
            first_rows.iter().map(|row| original.codes.get(*row as usize)).collect();
        let mut of_code = vec![Vec::new(); values];
        for (tuple, code) in (0..).zip(&code_of_tuple) {
            of_code[*code as usize].push(tuple);
        }
        let mut bits = vec![0; (labels * values).div_ceil(64)];
        let mut tuples = Vec::with_capacity(labels);
        for (label, reading) in readings.iter().enumerate() {
            pace.tick(1 + values / 16)?;
            let true_of: Vec<u32> =
                (0..values as u32).filter(|code| reading.covers(&originals[*code as usize])).collect();
            for code in &true_of {
                let bit = label * values + *code as usize;
                bits[bit / 64] |= 1 << (bit % 64);
            }
            let count = true_of.iter().map(|code| of_code[*code as usize].len() as u64).sum();
            tuples.push((true_of, count));
        }
        Ok(Self { values, bits, tuples, code_of_tuple, of_code })
    }

    fn holds(&self, label: u32, code: u32) -> bool {
        let bit = label as usize * self.values + code as usize;
        self.bits[bit / 64] >> (bit % 64) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::table;
    use crate::value::ValueKind;
    use crate::{Nodes, Truth, check_truth};

    fn claim(json: &str) -> ModelClaim {
        ModelClaim::from_json(&serde_json::from_str(json).expect("JSON")).expect("a claim")
    }

    fn covers() -> Vec<(String, Cover)> {
        let paths = ["10023 100** 10***", "10055 100** 10***", "10165 101** 10***", "10224 102** 10***"];
        let path = |line: &&str| {
            let mut words = line.split(' ').map(str::to_owned);
            (words.next().expect("a leaf"), words.collect())
        };
        let nodes = Nodes::from_paths(paths.iter().map(path)).expect("a hierarchy");
        let age =
            Cover { kind: ValueKind::Number { comma: false }, nodes: Nodes::default(), missing: Vec::new() };
        let zip = Cover { kind: ValueKind::Text, nodes, missing: Vec::new() };
        vec![("age".into(), age), ("zip".into(), zip)]
    }

    fn original() -> CodedTable {
        table(&[
            ("age", &["30", "21", "21", "55", "47"]),
            ("zip", &["10055", "10055", "10023", "10165", "10224"]),
            ("disease", &["M", "F", "A", "F", "D"]),
        ])
    }

    /// The paper's Table 2: rows cover 2, 2, 3, 2 and 2 people, and no frequency is above a half.
    #[test]
    fn the_table_of_the_paper() {
        let released = table(&[
            ("age", &["[21,30]", "21", "[21,30]", "[47,55]", "[47,55]"]),
            ("zip", &["10055", "100**", "100**", "10***", "10***"]),
            ("disease=A", &["0", "0.5", "0.5", "0", "0"]),
            ("disease=D", &["0", "0", "0", "0.5", "0.5"]),
            ("disease=F", &["0.5", "0.5", "0", "0.5", "0.5"]),
            ("disease=M", &["0.5", "0", "0.5", "0", "0"]),
        ]);
        let found = Distributed::read(&released, "disease").expect("well formed").expect("distributions");
        let (original, covers) = (original(), covers());
        let disease = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
        let mut truths: Vec<(String, Truth)> =
            covers.iter().map(|(name, cover)| (name.clone(), Truth::Covers(cover.clone()))).collect();
        truths.push(("disease".into(), Truth::Covers(disease)));
        let truth =
            check_truth(&found.supports, &original, &truths, crate::Drops::Forbidden, &Control::default())
                .expect("checked");
        assert!(truth.holds);
        let supports = found.supports.clone();
        let originals =
            Originals { table: &original, quasi: &covers, row_map: Some(&[0, 1, 2, 3, 4]), exchanged: None };
        let distributions = [("disease".to_owned(), found)];
        let check = |models: &[ModelClaim], with: bool| {
            check_records(&supports, &distributions, models, with.then_some(originals), &Control::default())
        };
        let k = |k: u64| claim(&format!("{{\"model\": \"k_anonymity\", \"k\": {k}}}"));
        let l = |l: &str| {
            claim(&format!(
                "{{\"model\": \"l_diversity\", \"variant\": \"frequency\", \"column\": \"disease\", \"l\": \"{l}\"}}"
            ))
        };
        let both = check(&[k(2), l("2")], true).expect("checked");
        assert!(both.holds);
        assert_eq!((both.least_covered, both.mean_covered), (Some(2), Some(2.2)));
        assert_eq!((both.models[0].attained, both.models[1].attained), (Some(2.0), Some(2.0)));
        // The records of Alice and Carol cover Alice, three records cover Bob, and those of Bob and Carol cover Carol.
        let linked = |links: &str, k: u64| {
            let json = format!("{{\"model\": \"k_anonymity\", \"k\": {k}, \"links\": \"{links}\"}}");
            check(&[claim(&json)], true).expect("checked").holds
        };
        assert!(linked("covered", 2) && linked("both", 2) && linked("matches", 2));
        assert!(!linked("covered", 3) && !linked("both", 3) && !linked("matches", 3));
        let three = check(&[k(3)], true).expect("checked");
        assert!(!three.holds && three.models[0].failing_rows == 4);
        assert!(!check(&[l("2.0000001")], false).expect("checked").holds);
        // Without the original nothing can be said about k, and nothing at all about classes.
        assert!(check(&[k(2)], false).is_err());
        assert!(check(&[claim("{\"model\": \"t_closeness\", \"t\": 0.5}")], true).is_err());
    }

    /// A record that gives the true value no positive frequency is not true of its row.
    #[test]
    fn a_value_with_no_frequency_is_false() {
        let disease = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
        let released = table(&[("disease", &["{\"F\":0.5,\"M\":0.5}", "{\"F\":0.5,\"M\":0.5}"])]);
        let found = Distributed::read(&released, "disease").expect("well formed").expect("distributions");
        let check = |original: &[&str]| {
            let truths = [("disease".to_owned(), Truth::Covers(disease.clone()))];
            let original = table(&[("disease", original)]);
            check_truth(&found.supports, &original, &truths, crate::Drops::Forbidden, &Control::default())
                .expect("checked")
                .holds
        };
        assert!(check(&["M", "M"]));
        assert!(!check(&["M", "A"]));
    }
}
