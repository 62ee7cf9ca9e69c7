//! What to compare.

use scumble::config::{AlgorithmSpec, Budget, Parameters, Plan, Role, Value};
use scumble::error::Setting;
use scumble::registry::{self, Method, Standing};
use scumble::release::resources::Resources;
use scumble::search::algorithms::Algorithm;
use scumble::{Error, Result};
use scumble_files::Batches;

use scumble_learn::{Learner, Settings};

use super::limits::Limits;
use crate::experiment::set_parameter;
use crate::protocol::{Numbers, Protocol, TestRows, learning};

/// What to compare, on which table, and how.
#[derive(Debug, Clone)]
pub struct Request {
    /// The table, the roles of its columns, hierarchies, and the models that every release must keep besides its k.
    pub plan: Plan,
    /// The table itself, and other inputs that the plan names.
    pub resources: Resources,
    /// The algorithms, by name; those that suit the plan if none is named.
    pub algorithms: Vec<String>,
    /// The values of k, ascending. If there are none, those of [`ladder`](super::ladder) are tried, and for each algorithm the least that
    /// keeps the limits.
    pub ks: Vec<u64>,
    /// The machine-learning models that learn from the releases, by name, if the plan has a class column.
    pub learners: Vec<String>,
    /// The number of stratified folds; with 1 a third of the rows is scored once.
    pub folds: u32,
    /// Which rows are scored.
    pub test: TestRows,
    /// The random seed.
    pub seed: u64,
    /// The time that each release may take.
    pub budget: Option<Budget>,
    /// The limits on a release that may be recommended.
    pub limits: Limits,
}

/// The machine-learning models that are used unless the request names others.
pub const LEARNERS: [&str; 2] = ["c45", "naive_bayes"];

/// The number of folds unless the request gives another.
pub const FOLDS: u32 = 3;

/// The time for each release unless the request gives another. With the default grid and three folds, Adult with eight quasi-identifiers takes
/// less than a minute on two cores.
pub const BUDGET: &str = "3s";

/// The number of parts that the rows are divided into if only one of them is scored.
const PARTS: u32 = 3;

/// Returns the algorithms that are tried unless the request names others: the recommended ones that suit the plan, and the plan's own.
#[must_use]
pub fn default_algorithms(plan: &Plan) -> Vec<String> {
    let has_class = plan.names_with(Role::Class).next().is_some();
    let own = registry::method(&plan.algorithm.name).ok().map(|method| about(&method).0);
    let wanted = |name: &&str| {
        let Ok(method) = registry::method(name) else { return false };
        let built = match &method {
            Method::Classes(entry) => (entry.build)(&Parameters::default()).ok(),
            Method::Records(_) | Method::Tables(_) => None,
        };
        let is = |of: fn(&dyn Algorithm) -> bool| built.as_deref().is_some_and(of);
        let worth_trying = about(&method).1 == Standing::Recommended
            || is(|algorithm| algorithm.capabilities().is_for_learners);
        let usable = has_class || !is(|algorithm| algorithm.capabilities().needs_class);
        (worth_trying && usable) || own == Some(*name)
    };
    registry::algorithm_names().into_iter().filter(wanted).map(str::to_owned).collect()
}

/// Returns the least k that keeps every model of the plan with a k; `None` if no model has one. A release with a smaller k is below the
/// plan.
pub(super) fn least_k(plan: &Plan) -> Option<u64> {
    plan.privacy.iter().filter_map(|spec| spec.parameters.whole("k", 1).ok().flatten()).max()
}

/// Returns the name of a method in the registry, and its standing.
pub(super) fn about(method: &Method) -> (&'static str, Standing) {
    match method {
        Method::Classes(entry) => (entry.name, entry.standing),
        Method::Records(entry) => (entry.name, entry.standing),
        Method::Tables(entry) => (entry.name, entry.standing),
    }
}

impl Request {
    /// Requests a comparison for a table in memory, with the defaults of `scumble compare`.
    #[must_use]
    pub fn of(table: impl Into<Batches>, plan: &Plan) -> Self {
        const TABLE: &str = "the table";
        Self {
            plan: Plan { input: TABLE.to_owned(), ..plan.clone() },
            resources: Resources::default().with_table(TABLE, table.into()),
            algorithms: Vec::new(),
            ks: Vec::new(),
            learners: LEARNERS.map(str::to_owned).to_vec(),
            folds: FOLDS,
            test: TestRows::Mapped,
            seed: 1,
            budget: BUDGET.parse().ok(),
            limits: Limits::of(plan.risk.audience),
        }
    }

    /// Fails if the request is wrong in itself. This reads no table.
    pub fn check(&self) -> Result<()> {
        for name in &self.algorithms {
            registry::method(name)?;
        }
        if self.ks.contains(&0) {
            return Err(Error::config("k must be at least 1"));
        }
        if self.folds == 0 {
            return Err(Error::config(
                "folds must be at least 1: with 1, a third of the rows is scored once; with more, every row is",
            ));
        }
        let shares = [
            ("max_risk is a chance", self.limits.risk),
            ("max_certain is a share of the people", self.limits.certain),
        ];
        if let Some((what, given)) = shares.into_iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            let percent = if given <= 100.0 && given > 1.0 {
                format!("; {given} % is written {}", given / 100.0)
            } else {
                String::new()
            };
            return Err(Error::config(format!("{what} between 0 and 1{percent}")));
        }
        if self.learners.is_empty() {
            let known: Vec<&str> = scumble_learn::registry::LEARNERS.iter().map(|entry| entry.name).collect();
            let words = format!("name at least one of {}", known.join(", "));
            return Err(
                Error::config("no machine-learning model is named").set(Setting::root("learner"), words)
            );
        }
        self.built_learners().map(drop)
    }

    /// Returns the plan by which one algorithm makes one release.
    pub(super) fn release_plan(&self, base: &Plan, algorithm: &str, k: u64) -> Result<Plan> {
        let mut plan = base.clone();
        let own = registry::method(&base.algorithm.name).ok().map(|method| about(&method).0);
        if own != Some(algorithm) {
            // Parameters belong to the plan's own algorithm, but the treatment of suppressed rows holds for all.
            let star_policy = base.algorithm.star_policy;
            plan.algorithm =
                AlgorithmSpec { name: algorithm.to_owned(), star_policy, ..AlgorithmSpec::default() };
        }
        plan.algorithm.seed.get_or_insert(self.seed);
        plan.algorithm.budget = plan.algorithm.budget.or(self.budget);
        // Nothing is published here, and the risk of disclosure is measured.
        plan.accept_attribute_disclosure = true;
        let k = i64::try_from(k).map_err(|_| Error::config("k is too large"))?;
        set_parameter(&mut plan, "k", &Value::Integer(k))?;
        Ok(plan)
    }

    /// Builds the machine-learning models.
    pub(super) fn built_learners(&self) -> Result<Vec<Box<dyn Learner>>> {
        let build =
            |name: &String| scumble_learn::registry::build(name, &Settings::default()).map_err(learning);
        self.learners.iter().map(build).collect()
    }

    /// Returns how releases are scored.
    pub(super) fn protocol(&self) -> Protocol {
        // Models read a range of ages as a number.
        Protocol { test: self.test, samples: 1, numbers: Numbers::Midpoint, seed: self.seed }
    }

    /// Returns the number of parts that the rows are divided into, and how many of them are scored.
    pub(super) fn parts(&self) -> (usize, usize) {
        match self.folds {
            1 => (PARTS as usize, 1),
            folds => (folds as usize, folds as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(more: &str) -> Plan {
        let text = format!("input = \"a.csv\"\noutput = \"b.csv\"\n[columns.age]\nrole = \"quasi\"\n{more}");
        Plan::from_toml(&text, "plan").expect("a plan")
    }

    #[test]
    fn the_plans_own_algorithm_is_tried_too() {
        let own = plan("[[privacy]]\nmodel = \"k_anonymity\"\nk = 7\n[algorithm]\nname = \"seqa\"\n");
        assert_eq!(least_k(&own), Some(7));
        let names = default_algorithms(&own);
        assert!(names.contains(&"seqa".to_owned()) && names.contains(&"mondrian".to_owned()));
        assert!(!names.contains(&"datafly".to_owned()), "superseded");
        let class = default_algorithms(&plan("[columns.ill]\nrole = \"class\"\n"));
        for name in ["iack", "tds", "tdr", "infogain_mondrian"] {
            assert!(!names.contains(&name.to_owned()), "there is nothing to predict for {name}");
            assert!(class.contains(&name.to_owned()), "{name}");
        }
        assert_eq!(class.len(), names.len() - 1 + 4, "{class:?}, {names:?}");
    }

    #[test]
    fn parameters_stay_with_the_plans_own_algorithm() {
        let own =
            plan("[algorithm]\nname = \"mondrian\"\nmode = \"relaxed\"\nstar_policy = \"drop\"\nseed = 9\n");
        let request = Request {
            plan: own.clone(),
            resources: Resources::default(),
            algorithms: Vec::new(),
            ks: Vec::new(),
            learners: Vec::new(),
            folds: 1,
            test: TestRows::Mapped,
            seed: 1,
            budget: None,
            limits: Limits::default(),
        };
        let same = request.release_plan(&own, "mondrian", 5).expect("a plan");
        assert!(same.algorithm.parameters.get("mode").is_some());
        assert_eq!(same.algorithm.seed, Some(9));
        let other = request.release_plan(&own, "optimal", 5).expect("a plan");
        assert!(other.algorithm.parameters.get("mode").is_none());
        assert_eq!(other.algorithm.star_policy, own.algorithm.star_policy);
        assert_eq!(other.algorithm.seed, Some(1));
        assert_eq!(other.privacy[0].parameters.whole("k", 1).expect("a number"), Some(5));
        assert_eq!(request.parts(), (3, 1));
    }
}
