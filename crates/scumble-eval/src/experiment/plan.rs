//! The plan of an evaluation, which `scumble evaluate` reads.

use std::collections::BTreeMap;
use std::path::Path;

use scumble::config::{AlgorithmSpec, Plan, Value, has_any_key, read_toml};
use scumble::error::did_you_mean;
use scumble::registry;
use scumble::{Error, ErrorKind, Result};
use serde::{Deserialize, Serialize};

use super::choice::{AlgorithmChoice, DataChoice, LearnerChoice, MeasureChoice};
use crate::protocol::{Numbers, Protocol, TestRows};
use crate::statistics::Correction;

/// The plan of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EvaluationPlan {
    /// The heading of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The folder of the results; `<plan>.evaluation` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The random seed: of splits, drawn tables, machine-learning models and searches.
    #[serde(default = "first_seed")]
    pub seed: u64,
    /// How releases are scored.
    #[serde(default)]
    pub protocol: ProtocolSpec,
    /// The tables.
    pub data: Vec<DataChoice>,
    /// The algorithms.
    pub algorithm: Vec<AlgorithmChoice>,
    /// Parameters of models, each with its values; every combination is run.
    #[serde(default)]
    pub vary: BTreeMap<String, Vec<Value>>,
    /// The machine-learning models; none if releases are only measured.
    #[serde(default)]
    pub learner: Vec<LearnerChoice>,
    /// The metrics that releases are measured by, besides loss, suppression and time.
    #[serde(default)]
    pub measure: Vec<MeasureChoice>,
    /// How algorithms are compared.
    #[serde(default)]
    pub statistics: StatisticsSpec,
}

/// How releases are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProtocolSpec {
    /// How rows are divided.
    pub split: SplitKind,
    /// The number of folds; 10 unless given.
    pub folds: Option<u32>,
    /// Which rows are scored.
    pub test: TestRows,
    /// The number of tables drawn from a release, if original rows are scored; 1 unless given.
    pub samples: Option<u32>,
    /// How machine-learning models read a range of numbers, if mapped rows are scored.
    pub numbers: Numbers,
}

/// How rows are divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SplitKind {
    /// Stratified folds: each is scored once, the others are learnt from. A table that names test rows is scored on these.
    #[default]
    Folds,
    /// Five times two stratified halves.
    FiveByTwo,
    /// The test tables that the data name.
    Given,
    /// Rows are not divided: the whole table is released and measured, and nothing is learnt.
    Whole,
}

/// How algorithms are compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StatisticsSpec {
    /// The algorithm that the others are compared with, by its name on the page; the first unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<String>,
    /// How p-values are corrected.
    pub correction: Correction,
}

fn first_seed() -> u64 {
    1
}

impl EvaluationPlan {
    /// Reads a plan and checks it. No table is read.
    pub fn from_toml(text: &str, file: &str) -> Result<Self> {
        // An evaluation has none of these keys, and a release has all of them.
        if !has_any_key(text, &["data"]) && has_any_key(text, &["input", "columns", "privacy"]) {
            return Err(Error::config(format!("{file} is a plan of a release, and no plan of an evaluation"))
                .advise("use 'scumble anonymize' with this plan to make the release, or 'scumble compare' to compare releases")
                .advise("write an evaluation plan that names this one: [[data]] plan = \"FILE\""));
        }
        let plan: Self = read_toml(text, file)?;
        plan.check().map_err(|error| match error.kind() {
            ErrorKind::Config => error.reworded(|what| format!("{file}: {what}")),
            _ => error,
        })?;
        Ok(plan)
    }

    /// Makes a plan in code: these machine-learning models learn from releases by these algorithms, in folds. The tables come with
    /// [`super::Experiment::of`].
    #[must_use]
    pub fn of(algorithms: &[&str], learners: &[&str]) -> Self {
        let algorithm = |name: &&str| AlgorithmChoice {
            title: None,
            spec: AlgorithmSpec { name: (*name).to_owned(), ..AlgorithmSpec::default() },
        };
        let learner =
            |name: &&str| LearnerChoice { name: (*name).to_owned(), title: None, settings: BTreeMap::new() };
        Self {
            title: None,
            output: None,
            seed: first_seed(),
            protocol: ProtocolSpec::default(),
            data: Vec::new(),
            algorithm: algorithms.iter().map(algorithm).collect(),
            vary: BTreeMap::new(),
            learner: learners.iter().map(learner).collect(),
            measure: Vec::new(),
            statistics: StatisticsSpec::default(),
        }
    }

    /// Adds values of a model's parameter, all of which are tried.
    #[must_use]
    pub fn vary(mut self, name: &str, values: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        self.vary.insert(name.to_owned(), values.into_iter().map(Into::into).collect());
        self
    }

    /// Reads a plan file.
    pub fn load(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|source| scumble_files::cannot_read("the plan", path, source))?;
        Self::from_toml(&text, &name)
    }

    /// Returns the protocol with its defaults.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        Protocol {
            test: self.protocol.test,
            samples: u64::from(self.protocol.samples.unwrap_or(1)),
            numbers: self.protocol.numbers,
            seed: self.seed,
        }
    }

    /// The number of folds.
    #[must_use]
    pub fn folds(&self) -> usize {
        self.protocol.folds.unwrap_or(10) as usize
    }

    /// Returns the place of the control among the algorithms.
    #[must_use]
    pub fn control(&self) -> usize {
        let named = self.statistics.control.as_ref();
        named.and_then(|name| self.algorithm.iter().position(|choice| choice.title() == name)).unwrap_or(0)
    }

    /// Returns the names of the parameters that vary, for all tables or for one.
    #[must_use]
    pub fn varying(&self) -> Vec<&str> {
        let own = self.data.iter().flat_map(|data| data.vary.keys());
        let mut names: Vec<&str> = self.vary.keys().chain(own).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns every combination of the values that vary for a table.
    #[must_use]
    pub fn combinations(&self, data: &DataChoice) -> Vec<Vec<(String, Value)>> {
        let mut vary: BTreeMap<&String, &Vec<Value>> = self.vary.iter().collect();
        vary.extend(&data.vary);
        let mut all = vec![Vec::new()];
        for (name, values) in vary {
            let with = |before: &Vec<(String, Value)>| {
                let more = |value: &Value| {
                    before.iter().cloned().chain([(name.clone(), value.clone())]).collect::<Vec<_>>()
                };
                values.iter().map(more).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    /// Returns the release plan of a table for one algorithm and one combination of values.
    pub fn release_plan(
        &self,
        base: &Plan,
        choice: &AlgorithmChoice,
        values: &[(String, Value)],
    ) -> Result<Plan> {
        let mut plan = base.clone();
        plan.algorithm = choice.spec.clone();
        // A fixed random seed, so that two runs give the same results.
        plan.algorithm.seed.get_or_insert(self.seed);
        for (name, value) in values {
            set_parameter(&mut plan, name, value)?;
        }
        Ok(plan)
    }

    pub(super) fn check(&self) -> Result<()> {
        for (what, empty) in [
            ("[[data]]: a name and a release plan", self.data.is_empty()),
            ("[[algorithm]]: its name", self.algorithm.is_empty()),
            ("[[learner]] or [[measure]]: its name", self.learner.is_empty() && self.measure.is_empty()),
        ] {
            if empty {
                return Err(
                    Error::config("there is nothing to evaluate").advise(format!("give at least one {what}"))
                );
            }
        }
        if let Some(place) = self.data.iter().position(|data| data.name.is_empty()) {
            return Err(Error::config(format!(
                "[[data]] '{}' has no name; add a line below [[data]], e.g. name = \"people\"",
                self.data[place].plan
            )));
        }
        unique("[[data]]", "name", self.data.iter().map(|data| data.name.as_str()))?;
        unique("[[algorithm]]", "title", self.algorithm.iter().map(AlgorithmChoice::title))?;
        unique("[[learner]]", "title", self.learner.iter().map(LearnerChoice::title))?;
        unique("[[measure]]", "title", self.measure.iter().map(MeasureChoice::title))?;
        self.algorithm.iter().try_for_each(AlgorithmChoice::check)?;
        for learner in &self.learner {
            learner.build()?;
        }
        for measure in &self.measure {
            measure.entry()?;
        }
        let mut vary = self.vary.iter().chain(self.data.iter().flat_map(|data| &data.vary));
        if let Some((name, _)) = vary.find(|(_, values)| values.is_empty()) {
            return Err(Error::config(format!("[vary] {name} has no values"))
                .advise("list some values")
                .advise(format!("leave {name} out")));
        }
        self.check_protocol()?;
        let names = || self.algorithm.iter().map(AlgorithmChoice::title);
        match &self.statistics.control {
            Some(control) if !names().any(|name| name == control) => Err(Error::config(format!(
                "[statistics] control names '{control}', which is no algorithm of this plan{}",
                did_you_mean(control, names())
            ))),
            _ => Ok(()),
        }
    }

    fn check_protocol(&self) -> Result<()> {
        let protocol = &self.protocol;
        if protocol.folds.is_some() && protocol.split != SplitKind::Folds {
            return Err(
                Error::config("[protocol] folds goes with split = \"folds\" only").advise("leave folds out")
            );
        }
        if self.folds() < 2 {
            return Err(Error::config(
                "[protocol] folds must be at least 2: one part to learn from, one to score",
            ));
        }
        if protocol.samples == Some(0) {
            return Err(Error::config("[protocol] samples must be at least 1"));
        }
        if protocol.samples.is_some() && protocol.test == TestRows::Mapped {
            return Err(Error::config("[protocol] samples are drawn to score original rows")
                .advise("score original rows (test = \"original\")")
                .advise("leave samples out"));
        }
        if protocol.numbers == Numbers::Midpoint && protocol.test == TestRows::Original {
            return Err(Error::config(
                "[protocol] numbers is about mapped rows; where original rows are scored, numbers are drawn from ranges",
            ));
        }
        if protocol.split == SplitKind::Whole && !self.learner.is_empty() {
            return Err(Error::config("[protocol] split = \"whole\" leaves no rows to score")
                .advise("leave [[learner]] out")
                .advise("split the rows into folds (split = \"folds\")"));
        }
        for data in &self.data {
            let given = protocol.split == SplitKind::Given;
            if given && data.test.is_none() {
                return Err(Error::config(format!(
                    "[[data]] '{}' names no test table, and split = \"given\" needs one",
                    data.name
                ))
                .advise("name a test table (test = \"FILE\")")
                .advise("split the rows into folds (split = \"folds\")"));
            }
            if !matches!(protocol.split, SplitKind::Given | SplitKind::Folds) && data.test.is_some() {
                return Err(Error::config(format!(
                    "[[data]] '{}' names a test table, which goes with split = \"given\" or \"folds\" only",
                    data.name
                ))
                .advise("leave test out"));
            }
        }
        Ok(())
    }
}

fn unique<'a>(what: &str, key: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Err(Error::config(format!("two {what} are called '{name}'"))
                .advise(format!("give each of the two its own {key}")));
        }
        seen.push(name);
    }
    Ok(())
}

/// Sets a parameter of the plan's models. If the parameter is k and no model has one, k-anonymity is added.
pub(crate) fn set_parameter(plan: &mut Plan, name: &str, value: &Value) -> Result<()> {
    let has = |model: &str| {
        let entry = registry::MODELS.find(model);
        entry.is_ok_and(|entry| entry.parameters.iter().any(|(known, _)| *known == name))
    };
    let mut found = false;
    for spec in plan.privacy.iter_mut().filter(|spec| has(&spec.model)) {
        spec.parameters.set(name, value.clone());
        found = true;
    }
    if found {
        return Ok(());
    }
    if name != "k" {
        return Err(Error::config(format!(
            "[vary] {name}: no model of the release plan {} has such a parameter",
            plan.input
        ))
        .advise("add a model that has the parameter to the [[privacy]] of the release plan"));
    }
    let k = Plan::from_toml(
        "input = \"a\"\noutput = \"b\"\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n",
        "plan",
    )?;
    plan.privacy.extend(k.privacy);
    set_parameter(plan, name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"
        [[data]]
        name = "clinic"
        plan = "release.toml"
        [[algorithm]]
        name = "mondrian"
        [[learner]]
        name = "c45"
    "#;

    fn fault(more: &str) -> String {
        let text = if more.starts_with('[') { format!("{PLAN}{more}") } else { format!("{more}{PLAN}") };
        EvaluationPlan::from_toml(&text, "plan.toml").expect_err("a fault").to_string()
    }

    #[test]
    fn every_fault_says_what_to_do() {
        assert!(EvaluationPlan::from_toml(PLAN, "plan.toml").is_ok());
        assert_eq!(
            fault("sead = 3\n"),
            "plan.toml:1:1: unknown key 'sead'; did you mean 'seed'? (keys here are title, output, seed, protocol, data, \
             algorithm, vary, learner, measure, statistics)"
        );
        assert_eq!(
            fault("[[algorithm]]\nname = \"mondrian\"\n"),
            "plan.toml: two [[algorithm]] are called 'mondrian'; give each of the two its own title"
        );
        assert!(fault("[[algorithm]]\nname = \"mondrain\"\n").contains("did you mean 'mondrian'?"));
        assert!(
            fault("[[algorithm]]\nname = \"iack\"\nlevel = 3\n")
                .contains("[[algorithm]] 'iack': unknown parameter 'level'")
        );
        assert!(
            fault("[[learner]]\nname = \"c46\"\n")
                .contains("[[learner]] 'c46': unknown machine-learning model")
        );
        assert!(
            fault("[[learner]]\nname = \"svm\"\nconfidence = 1\n").contains("unknown setting 'confidence'")
        );
        assert!(fault("[vary]\nk = []\n").contains("[vary] k has no values"));
        assert!(fault("[protocol]\nfolds = 1\n").contains("at least 2"));
        assert!(fault("[protocol]\nsplit = \"given\"\n").contains("'clinic' names no test table"));
        assert!(fault("[protocol]\nsamples = 3\n").contains("test = \"original\""));
        assert!(fault("[protocol]\nsplit = \"five_by_two\"\nfolds = 3\n").contains("leave folds out"));
        assert!(
            fault("[protocol]\ntest = \"original\"\nnumbers = \"midpoint\"\n").contains("about mapped rows")
        );
        assert!(fault("[statistics]\ncontrol = \"mondrain\"\n").contains("did you mean 'mondrian'?"));
        assert!(fault("[[measure]]\nmetric = \"distorsion\"\n").contains("did you mean 'distortion'?"));
        assert!(fault("[protocol]\nsplit = \"whole\"\n").contains("leaves no rows to score"));
        assert!(EvaluationPlan::from_toml("data = []\nalgorithm = []\nlearner = []\n", "plan.toml").is_err());
    }

    #[test]
    fn every_combination_of_what_varies_reaches_the_models() {
        let text = format!("{PLAN}[vary]\nk = [2, 5]\nl = [1.5, 2, 3]\n");
        let plan = EvaluationPlan::from_toml(&text, "plan.toml").expect("a plan");
        let all = plan.combinations(&plan.data[0]);
        assert_eq!(all.len(), 6);
        assert_eq!(all[5], [("k".to_owned(), Value::Integer(5)), ("l".to_owned(), Value::Integer(3))]);
        let base = Plan::from_toml(
            "input = \"a\"\noutput = \"b\"\n[columns.s]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \"l_diversity\"\nl = 9\n",
            "release.toml",
        )
        .expect("a plan");
        let made = plan.release_plan(&base, &plan.algorithm[0], &all[0]).expect("a release plan");
        let told: Vec<String> = made
            .privacy
            .iter()
            .flat_map(|spec| {
                spec.parameters.iter().map(|(name, value)| format!("{name}={}", value.to_text()))
            })
            .collect();
        assert_eq!(told, ["l=1.5", "k=2"]);
        assert_eq!(made.algorithm.seed, Some(1));
        let none = plan.release_plan(&base, &plan.algorithm[0], &[("t".to_owned(), Value::Integer(1))]);
        assert!(none.is_err_and(|error| error.to_string().contains("[vary] t: no model")));
    }

    #[test]
    fn a_table_can_have_values_of_its_own() {
        let text =
            PLAN.replace("plan = \"release.toml\"", "plan = \"release.toml\"\nvary = { l = [1.5, 3] }");
        let text =
            format!("{text}[[data]]\nname = \"ward\"\nplan = \"ward.toml\"\n[vary]\nk = [2]\nl = [1]\n");
        let plan = EvaluationPlan::from_toml(&text, "plan.toml").expect("a plan");
        assert_eq!(plan.varying(), ["k", "l"]);
        let told = |data: usize| -> Vec<String> {
            let each = plan.combinations(&plan.data[data]).into_iter().flatten();
            each.map(|(name, value)| format!("{name}={}", value.to_text())).collect()
        };
        assert_eq!(told(0), ["k=2", "l=1.5", "k=2", "l=3"]);
        assert_eq!(told(1), ["k=2", "l=1"]);
    }

    #[test]
    fn a_plan_may_measure_and_not_learn() {
        let text =
            PLAN.replace("[[learner]]", "[[measure]]").replace("name = \"c45\"", "metric = \"distortion\"");
        let plan = EvaluationPlan::from_toml(&text, "plan.toml").expect("a plan");
        assert_eq!(plan.measure[0].title(), "distortion");
        let neither = PLAN.replace("[[learner]]\n        name = \"c45\"", "");
        let error = EvaluationPlan::from_toml(&neither, "plan.toml").expect_err("nothing to do").to_string();
        assert!(error.contains("at least one [[learner]] or [[measure]]"), "{error}");
    }
}
