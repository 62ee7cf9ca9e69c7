//! The one visible place where every algorithm, model and metric is listed.
//!
//! Help, documentation, configuration errors and test loops all come from these three slices.

use crate::algorithms::tables::BuildTablesAlgorithm;
use crate::algorithms::{self, Algorithm, BuildAlgorithm, BuildRecordAlgorithm};
use crate::config::Parameters;
use crate::error::{Error, Result, did_you_mean};
use crate::metrics::{self, Metric};
use crate::models::{self, BuildModel};

/// How far a method is to be trusted, and whether a better one exists here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// A good choice today.
    Recommended,
    /// In a paper, superseded here; for comparison.
    Classic,
    /// Works, but its protection is weaker than it looks; its page says why.
    Experimental,
}

impl Standing {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Recommended => "recommended",
            Self::Classic => "classic",
            Self::Experimental => "experimental",
        }
    }
}

/// One thing that users can choose by name.
pub struct Entry<B: 'static> {
    /// The name in snake_case: also its file, its TOML and command-line name, and its page in the docs.
    pub name: &'static str,
    /// The name as people say it.
    pub title: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// How far it is to be trusted.
    pub standing: Standing,
    /// What it does and when to use it, in a few sentences.
    pub about: &'static str,
    /// Its parameters, each with a line that explains it.
    pub parameters: &'static [(&'static str, &'static str)],
    /// How it is made.
    pub build: B,
}

/// What people are told about an entry wherever its name stands.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// See [`Entry::name`].
    pub name: &'static str,
    /// See [`Entry::title`].
    pub title: &'static str,
    /// See [`Entry::paper`].
    pub paper: &'static str,
    /// See [`Entry::standing`].
    pub standing: Standing,
}

impl<B> Entry<B> {
    /// What people are told about it.
    #[must_use]
    pub fn facts(&self) -> Facts {
        Facts { name: self.name, title: self.title, paper: self.paper, standing: self.standing }
    }
}

/// Every algorithm.
pub const ALGORITHMS: &[Entry<BuildAlgorithm>] = &[
    algorithms::mondrian::ENTRY,
    algorithms::cluster::ENTRY,
    algorithms::seqa::ENTRY,
    algorithms::iack::ENTRY,
    algorithms::optimal::ENTRY,
    algorithms::local_suppression::ENTRY,
    algorithms::iacc::ENTRY,
    algorithms::kactus::ENTRY,
    algorithms::flash::ENTRY,
    algorithms::ola::ENTRY,
    algorithms::incognito::ENTRY,
    algorithms::samarati::ENTRY,
    algorithms::mingen::ENTRY,
    algorithms::datafly::ENTRY,
    algorithms::tds::ENTRY,
    algorithms::tdr::ENTRY,
    algorithms::pais::ENTRY,
    algorithms::genetic::ENTRY,
    algorithms::k_optimize::ENTRY,
    algorithms::infogain_mondrian::ENTRY,
    algorithms::single_dimensional_mondrian::ENTRY,
    algorithms::mu_argus::ENTRY,
    algorithms::dbca::ENTRY,
    algorithms::dbca_cm::ENTRY,
    algorithms::k_member::ENTRY,
    algorithms::oka::ENTRY,
    algorithms::mdav::ENTRY,
    algorithms::bottom_up::ENTRY,
];

/// Every algorithm that publishes records which overlap, instead of classes.
pub const RECORD_ALGORITHMS: &[Entry<BuildRecordAlgorithm>] =
    &[algorithms::nsvdist::ENTRY, algorithms::k_concealment::ENTRY, algorithms::nhaa::ENTRY];

/// Every algorithm that publishes several tables beside each other.
pub const TABLES_ALGORITHMS: &[Entry<BuildTablesAlgorithm>] = &[
    algorithms::reduct::ENTRY,
    algorithms::reduct_ensemble::ENTRY,
    algorithms::dmpd::ENTRY,
    algorithms::anatomy::ENTRY,
    algorithms::permutation::ENTRY,
];

/// An algorithm by the kind of release that it makes. Each kind has its own way through `release`.
pub enum Method {
    /// Equivalence classes.
    Classes(&'static Entry<BuildAlgorithm>),
    /// Records that overlap.
    Records(&'static Entry<BuildRecordAlgorithm>),
    /// Several tables.
    Tables(&'static Entry<BuildTablesAlgorithm>),
}

/// The algorithm of that name, of whatever kind.
pub fn method(name: &str) -> Result<Method> {
    let wanted = plain(name);
    if let Some(entry) = RECORD_ALGORITHMS.iter().find(|entry| entry.name == wanted) {
        return Ok(Method::Records(entry));
    }
    if let Some(entry) = TABLES_ALGORITHMS.iter().find(|entry| entry.name == wanted) {
        return Ok(Method::Tables(entry));
    }
    if let Some(entry) = ALGORITHMS.iter().find(|entry| entry.name == wanted) {
        return Ok(Method::Classes(entry));
    }
    Err(unknown("algorithm", name, &algorithm_names()))
}

/// The names of all algorithms.
#[must_use]
pub fn algorithm_names() -> Vec<&'static str> {
    let names = ALGORITHMS.iter().map(|entry| entry.name);
    let names = names.chain(RECORD_ALGORITHMS.iter().map(|entry| entry.name));
    names.chain(TABLES_ALGORITHMS.iter().map(|entry| entry.name)).collect()
}

/// Every privacy model.
pub const MODELS: &[Entry<BuildModel>] = &[
    models::k_anonymity::ENTRY,
    models::l_diversity::ENTRY,
    models::t_closeness::ENTRY,
    models::lkc::ENTRY,
    models::alpha_k::ENTRY,
    models::beta_likeness::ENTRY,
    models::delta_disclosure::ENTRY,
    models::k_e::ENTRY,
    models::p_sensitive::ENTRY,
    models::k_map::ENTRY,
    models::delta_presence::ENTRY,
    models::average_risk::ENTRY,
    models::xy_anonymity::ENTRY,
    models::xy_linkability::ENTRY,
    models::personalised::ENTRY,
    models::multirelational::ENTRY,
    models::k_uncertainty::ENTRY,
];

/// Every metric.
pub const METRICS: &[Entry<&'static dyn Metric>] = &[
    metrics::loss::ENTRY,
    metrics::loss::GEOMETRIC,
    metrics::discernibility::ENTRY,
    metrics::discernibility::NORMALISED,
    metrics::classification::ENTRY,
    metrics::classification::MINORITY,
    metrics::average_class::ENTRY,
    metrics::precision::ENTRY,
    metrics::information::DIVERGENCE,
    metrics::information::MUTUAL_INFORMATION,
    metrics::entropy::NON_UNIFORM,
    metrics::entropy::MONOTONE,
    metrics::entropy::ENTROPY,
    metrics::ncp_xu::ENTRY,
    metrics::distortion::UNIFORM,
    metrics::distortion::HEIGHT,
    metrics::trade_off::INFORMATION,
    metrics::trade_off::QUOTIENT,
    metrics::query_error::ENTRY,
    metrics::sensitive::SHARE,
    metrics::sensitive::BITS,
];

/// The entry of that name; hyphens are as good as underscores.
pub fn find<B>(what: &str, name: &str, entries: &'static [Entry<B>]) -> Result<&'static Entry<B>> {
    let wanted = plain(name);
    entries.iter().find(|entry| entry.name == wanted).ok_or_else(|| {
        let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
        unknown(what, name, &names)
    })
}

/// A name as the registry writes it.
fn plain(name: &str) -> String {
    name.replace('-', "_").to_lowercase()
}

fn unknown(what: &str, name: &str, names: &[&str]) -> Error {
    Error::config(format!(
        "there is no {what} '{name}'{}; there are {}",
        did_you_mean(&plain(name), names.iter().copied()),
        names.join(", ")
    ))
}

/// The names of the algorithms that serve models which judge only some of the quasi-identifiers.
#[must_use]
pub fn serving_projections() -> Vec<&'static str> {
    serving(|algorithm| algorithm.serves_projections())
}

/// The names of the algorithms that, with their defaults, serve what is asked.
#[must_use]
pub fn serving(serves: impl Fn(&dyn Algorithm) -> bool) -> Vec<&'static str> {
    let serves = |entry: &&Entry<BuildAlgorithm>| {
        (entry.build)(&Parameters::default()).is_ok_and(|algorithm| serves(&*algorithm))
    };
    ALGORITHMS.iter().filter(serves).map(|entry| entry.name).collect()
}

/// The names of the quickest algorithms, for those whose budget was too small.
#[must_use]
pub fn quick() -> Vec<&'static str> {
    serving(|algorithm| algorithm.is_quick())
}

/// The names of the algorithms that serve models which compare with a population.
#[must_use]
pub fn serving_population() -> Vec<&'static str> {
    serving(|algorithm| algorithm.serves_population())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B>(entries: &[Entry<B>]) {
        for (place, entry) in entries.iter().enumerate() {
            assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
            assert!(entries[..place].iter().all(|other| other.name != entry.name), "{} twice", entry.name);
            assert!(!entry.about.is_empty() && !entry.paper.is_empty());
        }
    }

    #[test]
    fn names_are_unique_and_well_formed() {
        check(ALGORITHMS);
        check(RECORD_ALGORITHMS);
        check(TABLES_ALGORITHMS);
        let mut names = algorithm_names();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALGORITHMS.len() + RECORD_ALGORITHMS.len() + TABLES_ALGORITHMS.len());
        check(MODELS);
        check(METRICS);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = find("algorithm", "mondrain", ALGORITHMS).err().map(|e| e.to_string());
        assert!(error.is_some_and(|message| message.contains("did you mean 'mondrian'")));
        assert!(find("model", "k-anonymity", MODELS).is_ok());
    }
}
