//! NSVDist (Last, Tassa, Zhmudyak, Shmueli 2014): publishes, for every row, the values that cover it and its k − 1 nearest
//! rows, and how often each sensitive value occurs among them. These sets of rows are called masks here, and may overlap.

use super::{Finding, Format, Linkage, RecordAlgorithm, RecordCapabilities, RecordSolution};
use crate::base::entry::{Entry, Standing};
use crate::base::text::{grouped, rows};
use crate::config::{Parameters, Rational};
use crate::error::{Error, ErrorKind, Result, Setting, Wish};
use crate::problem::Problem;
use crate::recoding::published::{Record, record_loss};
use crate::search::audit::{Audit, Disclosure, audit};

mod arena;
mod fast;
mod feasible;
mod literal;
mod masks;
mod parts;
mod ruler;
#[cfg(test)]
mod tests;

pub(crate) use feasible::Demand;
pub(crate) use masks::{Options, masks};
pub(crate) use ruler::Cost;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildRecordAlgorithm> = Entry {
    name: "nsvdist",
    title: "NSVDist, overlapping records with distributions",
    paper: "Last, Tassa, Zhmudyak, Shmueli 2014",
    standing: Standing::Experimental,
    about: "Publishes every row as what covers it and its k - 1 nearest rows, and the sensitive column as its frequencies among \
            them. Keeps more for machine-learning models than groups do. Experimental: k and l hold for one record at a time, and records put \
            together can give values away; an audit looks for that before anything is published.",
    parameters: &[
        (
            "column",
            "the column published as frequencies; default: the one that l-diversity protects, else the sensitive one, else the class column",
        ),
        ("cost", "what covers are chosen by: loss (default), entropy or monotone_entropy"),
        ("min_cover", "each record covers at least this many times the rows that it counts; default 1"),
        (
            "audit",
            "require (default): refuse a release unless it is proved that no value follows with certainty; report: publish it in any case, and \
             tell the one who runs it",
        ),
        (
            "adversary",
            "whom the audit must satisfy: cover (default), who knows all quasi-identifiers, or mask, who also knows which tuples each record counts",
        ),
        (
            "format",
            "columns (default): a column for each value, such as disease=flu; json: one column of objects",
        ),
        ("tables", "how many tables format = sampled draws; default 10"),
        (
            "prepartition",
            "look for near rows only within parts of about so many rows; default: in the whole table",
        ),
        (
            "strict_k",
            "true: an error if no masks of exactly k rows are diverse enough; false (default): take the next larger size",
        ),
        ("search", "fast (default), or literal: look at every row for every place, as the paper prints it"),
    ],
    build,
};

struct NsvDist {
    column: Option<String>,
    options: Options,
    min_cover: u64,
    require: bool,
    adversary: Adversary,
    format: Format,
    strict_k: bool,
}

/// The attacker against whom the audit must find nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Adversary {
    Cover,
    Mask,
}

impl Adversary {
    fn disclosure(self, audit: &Audit) -> Disclosure {
        match self {
            Self::Cover => audit.by_cover,
            Self::Mask => audit.by_mask,
        }
    }
}

fn build(parameters: &Parameters) -> Result<Box<dyn RecordAlgorithm>> {
    let choice = |name: &str, choices: &[&'static str]| {
        Ok::<_, Error>(parameters.choice(name, choices)?.unwrap_or(choices[0]))
    };
    let cost = match choice("cost", &["loss", "entropy", "monotone_entropy"])? {
        "loss" => Cost::Loss,
        "entropy" => Cost::Entropy,
        _ => Cost::MonotoneEntropy,
    };
    Ok(Box::new(NsvDist {
        column: parameters.text("column")?.map(str::to_owned),
        options: Options {
            cost,
            literal: choice("search", &["fast", "literal"])? == "literal",
            prepartition: parameters.whole("prepartition", 1)?,
        },
        min_cover: parameters.whole("min_cover", 1)?.unwrap_or(1),
        require: choice("audit", &["require", "report"])? == "require",
        adversary: match choice("adversary", &["cover", "mask"])? {
            "cover" => Adversary::Cover,
            _ => Adversary::Mask,
        },
        format: match choice("format", &["columns", "json", "sampled"])? {
            "columns" => Format::Columns,
            "json" => Format::Json,
            _ => Format::Sampled { tables: parameters.whole("tables", 1)?.unwrap_or(10) },
        },
        strict_k: parameters.boolean("strict_k")?.unwrap_or(false),
    }))
}

/// The requirements of the records.
struct Asked {
    /// The payload column that is published as frequencies.
    column: usize,
    k: u64,
    l: Rational,
    /// The number of rows with each value of that column.
    rows_per_value: Vec<u64>,
}

impl NsvDist {
    /// Reads the requirements of the models. Models of classes are refused by name.
    fn asked(&self, problem: &Problem) -> Result<Asked> {
        let payloads = problem.table.payloads();
        let frequency = problem.models.iter().filter_map(|model| Some((model, frequency_l(&**model)?)));
        let frequency: Vec<_> = frequency.filter(|(model, _)| problem.is_about_all(&***model)).collect();
        let named = |name: &str| {
            payloads.position(name).ok_or_else(|| {
                Error::config(format!(
                    "'column' of nsvdist names '{name}', which is neither a sensitive column nor the class{}",
                    crate::error::did_you_mean(
                        name,
                        payloads.columns.iter().map(|column| column.name.as_str())
                    )
                ))
            })
        };
        let others = || (0..payloads.columns.len()).filter(|place| Some(*place) != problem.class);
        let column = match (&self.column, frequency.first().and_then(|(model, _)| model.protects())) {
            (Some(name), _) => named(name)?,
            (None, Some(protected)) => named(protected)?,
            (None, None) => others().next().or(problem.class).ok_or_else(|| {
                Error::refused(
                    "nsvdist publishes a sensitive column or the class as frequencies, and the table has neither",
                )
                .set(Setting::role("sensitive"), "name a sensitive column")
                .set(Setting::role("class"), "name the class column")
                .another_that("use an algorithm that needs no sensitive column and no class column")
            })?,
        };
        let name = &payloads.columns[column].name;
        for model in &problem.models {
            let size = model.demand() == crate::models::Demand::Size;
            let shares = frequency.iter().any(|(of, _)| of.title() == model.title())
                && model.protects() == Some(name.as_str());
            if !problem.is_about_all(&**model) || !(size || shares) {
                return Err(Error::refused(format!(
                    "nsvdist cannot keep '{}': this requirement is checked in each group, and the rows of nsvdist are not in groups",
                    model.title()
                ))
                .another(Wish::Serving)
                .concede(format!(
                    "ask for k-anonymity on all quasi-identifiers and frequency l-diversity of '{name}', and for nothing else"
                )));
            }
        }
        if let Some(quasi) = problem.quasi.iter().find(|quasi| quasi.sets) {
            return Err(Error::refused(format!(
                "column '{}': label = \"set\" is for groups; the records of nsvdist show nodes and ranges",
                quasi.name
            )));
        }
        let mut rows_per_value = vec![0; payloads.columns[column].values.len()];
        for cell in problem.table.payload_totals() {
            rows_per_value[payloads.value(cell.payload, column) as usize] += u64::from(cell.rows);
        }
        let l = frequency.iter().map(|(_, l)| *l).max().unwrap_or(Rational::ONE);
        Ok(Asked { column, k: problem.k().unwrap_or(1), l, rows_per_value })
    }

    fn demand(&self, asked: &Asked, k: u64, min_cover: u64) -> Result<Demand> {
        let demand = Demand::new(k, asked.l, &asked.rows_per_value)?;
        let all: u64 = asked.rows_per_value.iter().sum();
        Ok(Demand { cover: demand.size.saturating_mul(min_cover).min(all), ..demand })
    }

    fn records(&self, problem: &Problem, asked: &Asked, demand: Demand) -> Result<(Vec<Record>, Audit)> {
        let (table, quasi) = (&problem.table, &problem.quasi);
        let records = masks(table, quasi, Some(asked.column), demand, self.options, &problem.progress)?;
        let audit = audit(table, quasi, asked.column, &records, asked.k, &problem.progress)?;
        Ok((records, audit))
    }

    /// Whether nothing may be published: a value is certain, or there is no proof that none is.
    fn must_refuse(&self, found: &Audit) -> bool {
        self.require && !self.adversary.disclosure(found).is_none()
    }

    /// The error that says why nothing is published, and what could be.
    fn refusal(&self, problem: &Problem, asked: &Asked, records: &[Record], found: &Audit) -> Result<Error> {
        let disclosure = self.adversary.disclosure(found);
        let who = match self.adversary {
            Adversary::Cover => "the quasi-identifiers of everyone",
            Adversary::Mask => "the quasi-identifiers of everyone and which tuples each record counts",
        };
        let name = &problem.table.payloads().columns[asked.column].name;
        let before = record_loss(records, &problem.quasi);
        let rows = rows(problem.table.rows());
        let (certain, unknown) = (grouped(disclosure.certain), grouped(disclosure.unknown));
        let what = match (disclosure.certain, disclosure.unknown) {
            (0, _) => format!(
                "the audit could not decide for {unknown} of {rows} whether '{name}' follows with certainty for someone who knows \
                 {who}, and found no value that does"
            ),
            (_, 0) => format!(
                "the audit found that for {certain} of {rows} '{name}' follows with certainty for someone who knows {who}"
            ),
            _ => format!(
                "the audit found that for at least {certain} of {rows} '{name}' follows with certainty for someone who knows \
                 {who}, and could not decide about {unknown} others"
            ),
        };
        let mut error = Error::new(
            ErrorKind::Audit,
            format_args!("{what}: records that overlap can be solved like equations. Nothing was published"),
        );
        // Find out what would pass, and at what cost: wider covers, then masks that are twice as large.
        let min_cover = self.min_cover + 1;
        let wider = ("wider covers", Setting::parameter("min_cover"), min_cover, asked.k, min_cover);
        let larger = ("larger masks", Setting::model("k"), 2 * asked.k, 2 * asked.k, self.min_cover);
        for (what, setting, value, k, min_cover) in [wider, larger] {
            let Ok(demand) = self.demand(asked, k, min_cover) else { continue };
            let (records, audit) = self.records(problem, asked, demand)?;
            let loss = record_loss(&records, &problem.quasi);
            let left = self.adversary.disclosure(&audit);
            let still = match (left.certain, left.unknown) {
                (0, 0) => {
                    let cost = format!("with a loss of {loss:.4} instead of {before:.4}");
                    let words = format!("ask for {what}, which would pass, {cost}");
                    error = error.set(setting.to(value), words);
                    continue;
                }
                (0, unknown) => format!("leave {unknown} undecided"),
                (certain, 0) => format!("give {certain} away"),
                (certain, _) => format!("give at least {certain} away"),
            };
            error =
                error.reworded(|what| format!("{what}, and {} = {value} would still {still}", setting.key));
        }
        error = error.another(Wish::Classes);
        if self.adversary == Adversary::Mask && found.by_cover.is_none() {
            let words = "defend only against someone who does not know which tuples each record counts, which would pass";
            error = error.weaken(Setting::parameter("adversary").to("cover"), words);
        }
        let words = "publish it nevertheless, with the figures in the private report and the summary";
        Ok(error.weaken(Setting::parameter("audit").to("report"), words))
    }
}

/// The l of a model of frequencies.
pub(super) fn frequency_l(model: &dyn crate::models::Model) -> Option<Rational> {
    let claim = model.claim();
    let text = |name: &str| claim.get(name)?.as_str();
    // Conditions on other columns, on several columns together, or on people are more than one record shows.
    let plain = ["given", "columns", "person"].iter().all(|name| !claim.contains_key(*name));
    let diverse = model.demand() == crate::models::Demand::Diversity;
    (plain && diverse && text("variant")? == "frequency").then(|| text("l")?.parse().ok())?
}

impl RecordAlgorithm for NsvDist {
    fn capabilities(&self) -> RecordCapabilities {
        RecordCapabilities {
            shows_frequencies: true,
            draws_rows: matches!(self.format, Format::Sampled { .. }),
            ..RecordCapabilities::of(Linkage::Covers)
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let asked = self.asked(problem)?;
        let demand = self.demand(&asked, asked.k, self.min_cover)?;
        if self.strict_k && demand.size != asked.k {
            return Err(Error::infeasible(format!(
                "k = {} with l = {} allows each value {} time(s) in a mask, so no mask of {} rows is diverse enough",
                asked.k, asked.l, demand.most, asked.k
            ))
            .set(Setting::model("k").to(demand.size), "ask for the next possible k")
            .set(Setting::parameter("strict_k").to(false), "let masks be larger")
            .weaken(Setting::model("l"), "lower l"));
        }
        Ok(())
    }

    fn run(&self, problem: &Problem) -> Result<RecordSolution> {
        let asked = self.asked(problem)?;
        let demand = self.demand(&asked, asked.k, self.min_cover)?;
        let (records, audit) = self.records(problem, &asked, demand)?;
        if self.must_refuse(&audit) {
            return Err(self.refusal(problem, &asked, &records, &audit)?);
        }
        let mut warnings = Vec::new();
        if demand.size != asked.k {
            warnings.push(format!(
                "k = {} with l = {} cannot be kept by masks of exactly that size; each record counts {} rows",
                asked.k, asked.l, demand.size
            ));
        }
        let mean = |of: &dyn Fn(&Record) -> f64| {
            let sum: f64 = records.iter().map(|record| f64::from(record.rows) * of(record)).sum();
            Some(sum / problem.table.rows().max(1) as f64)
        };
        let share = |record: &Record| record.counts[record.value as usize] as f64 / demand.size as f64;
        let findings = vec![
            Finding::new("mask_rows", Some(demand.size as f64), "the rows that each record counts"),
            Finding::new(
                "most_of_a_value",
                Some(demand.most as f64),
                "how many of them may have the same value",
            ),
            Finding::new(
                "true_frequency",
                mean(&share),
                "the mean frequency that a record gives to the true value",
            ),
        ];
        Ok(RecordSolution {
            records,
            column: Some(asked.column),
            linkage: self.capabilities().linkage,
            size: demand.size,
            format: self.format,
            rings: None,
            audit,
            findings,
            warnings,
        })
    }
}
