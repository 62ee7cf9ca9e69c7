//! The one visible place where every algorithm, model and metric is listed.
//!
//! Help, documentation, configuration errors and test loops all come from these lists.
//!
//! What of this is neither in [`crate::prelude`] nor in [`crate::extend`] is not promised: it may change from version to version.

use crate::base::entry::unknown;
pub use crate::base::entry::{Entry, Facts, Registry, Standing};
use crate::config::Parameters;
use crate::error::Result;
use crate::metrics::{self, Metric};
use crate::models::{self, BuildModel};
use crate::search::algorithms::tables::BuildTablesAlgorithm;
use crate::search::algorithms::{self, BuildAlgorithm, BuildRecordAlgorithm};
pub use crate::transforms::TRANSFORMS;

/// Every algorithm.
pub static ALGORITHMS: Registry<BuildAlgorithm> = Registry::new(
    "algorithm",
    &[
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
    ],
);

/// Every algorithm that publishes records which overlap, instead of classes.
pub static RECORD_ALGORITHMS: Registry<BuildRecordAlgorithm> = Registry::new(
    "algorithm",
    &[algorithms::nsvdist::ENTRY, algorithms::k_concealment::ENTRY, algorithms::nhaa::ENTRY],
);

/// Every algorithm that publishes several tables together.
pub static TABLES_ALGORITHMS: Registry<BuildTablesAlgorithm> = Registry::new(
    "algorithm",
    &[
        algorithms::reduct::ENTRY,
        algorithms::reduct_ensemble::ENTRY,
        algorithms::dmpd::ENTRY,
        algorithms::anatomy::ENTRY,
        algorithms::permutation::ENTRY,
    ],
);

/// An algorithm by the kind of release that it makes. Each kind has its own way through `release`.
pub enum Method {
    /// Equivalence classes.
    Classes(&'static Entry<BuildAlgorithm>),
    /// Records that overlap.
    Records(&'static Entry<BuildRecordAlgorithm>),
    /// Several tables.
    Tables(&'static Entry<BuildTablesAlgorithm>),
}

impl Method {
    /// What the algorithm needs, supports and promises with these parameters, in plain words, a sentence each.
    pub fn capabilities_in_words(&self, parameters: &Parameters) -> Result<Vec<String>> {
        Ok(match self {
            Self::Classes(entry) => (entry.build)(parameters)?.capabilities().words(),
            Self::Records(entry) => (entry.build)(parameters)?.capabilities().words(),
            Self::Tables(entry) => (entry.build)(parameters)?.capabilities().words(),
        })
    }
}

/// The algorithm of that name, of whatever kind.
pub fn method(name: &str) -> Result<Method> {
    let records = || RECORD_ALGORITHMS.get(name).map(Method::Records);
    let tables = || TABLES_ALGORITHMS.get(name).map(Method::Tables);
    let found = ALGORITHMS.get(name).map(Method::Classes).or_else(records).or_else(tables);
    found.ok_or_else(|| unknown("algorithm", name, &algorithm_names()))
}

/// The names of all algorithms.
#[must_use]
pub fn algorithm_names() -> Vec<&'static str> {
    ALGORITHMS.names().chain(RECORD_ALGORITHMS.names()).chain(TABLES_ALGORITHMS.names()).collect()
}

/// Every privacy model.
pub static MODELS: Registry<BuildModel> = Registry::new(
    "model",
    &[
        models::k_anonymity::ENTRY,
        models::l_diversity::ENTRY,
        models::t_closeness::ENTRY,
        models::lkc::ENTRY,
        models::threshold_rule::ENTRY,
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
    ],
);

/// Every metric.
pub static METRICS: Registry<&'static dyn Metric> = Registry::new(
    "metric",
    &[
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
    ],
);

/// Adds an algorithm that makes classes, for the rest of the program's life. What it finds is verified like any other release.
pub fn add_algorithm(entry: Entry<BuildAlgorithm>) -> Result<()> {
    ALGORITHMS.add(entry, |name| algorithm_names().contains(&name))
}

/// Adds a privacy model, for the rest of the program's life. The independent verifier does not know it: releases that keep it say
/// that this was not verified independently.
pub fn add_model(entry: Entry<BuildModel>) -> Result<()> {
    MODELS.add(entry, |name| MODELS.is_own(name))
}

/// Adds a metric, for the rest of the program's life.
pub fn add_metric(entry: Entry<&'static dyn Metric>) -> Result<()> {
    METRICS.add(entry, |name| METRICS.is_own(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<B>(registry: &Registry<B>) {
        let entries: Vec<&Entry<B>> = registry.iter().collect();
        for (place, entry) in entries.iter().enumerate() {
            assert!(entry.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
            assert!(entries[..place].iter().all(|other| other.name != entry.name), "{} twice", entry.name);
            assert!(!entry.about.is_empty() && !entry.paper.is_empty());
        }
    }

    #[test]
    fn names_are_unique_and_well_formed() {
        check(&ALGORITHMS);
        check(&RECORD_ALGORITHMS);
        check(&TABLES_ALGORITHMS);
        let mut names = algorithm_names();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        check(&MODELS);
        check(&METRICS);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = ALGORITHMS.find("mondrain").err().map(|e| e.to_string());
        assert!(error.is_some_and(|message| message.contains("did you mean 'mondrian'")));
        assert!(MODELS.find("k-anonymity").is_ok());
    }

    #[test]
    fn many_names_are_answered_with_a_few() {
        let error = method("lokal_supression").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(
            error.ends_with("; did you mean 'local_suppression'? 'scumble list' shows all 36"),
            "{error}"
        );
        assert!(error.len() < 250, "{error}");
    }

    #[test]
    fn names_of_other_programs_are_known() {
        use crate::base::elsewhere::{ELSEWHERE, name_here};
        let known = algorithm_names();
        for (given, here) in [
            ("Lightning", "optimal"),
            ("top-down", "tds"),
            ("localSuppression", "local_suppression"),
            ("pram", "permutation"),
            ("microaggregation", "mdav"),
        ] {
            assert_eq!(name_here("algorithm", given, &known), Some(here), "{given}");
        }
        assert_eq!(name_here("algorithm", "zebra", &known), None);
        assert_eq!(name_here("model", "pram", &known), None);
        let error = method("lightning").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("; do you mean 'optimal', or something like it? "), "{error}");
        for line in ELSEWHERE.lines().filter(|line| !line.is_empty()) {
            let mut words = line.split_whitespace();
            let (what, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            let is_there = match what {
                "algorithm" => known.contains(&name),
                "model" => MODELS.get(name).is_some(),
                _ => METRICS.get(name).is_some(),
            };
            assert!(is_there, "{line}");
        }
    }
}
