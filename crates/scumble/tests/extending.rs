//! Methods from another crate: what they make is verified as far as it can be, and what cannot be is said.

use scumble::extend::{
    Algorithm, BuildAlgorithm, BuildModel, Capabilities, ClassTest, ClassView, Entry, Model, Monotonicity,
    Problem, Reach, Solution, Standing, Step, add_algorithm, add_metric, add_model,
};
use scumble::prelude::*;
use scumble::recoding::Recoding;
use scumble::registry::{ALGORITHMS, METRICS, MODELS};
use scumble::{ErrorKind, metrics, models};

#[path = "../examples/own_methods.rs"]
#[expect(dead_code, reason = "its main function is for those who run it")]
mod own_methods;

/// An algorithm that publishes all rows unchanged, whatever was asked for.
struct Careless;

const CARELESS: Entry<BuildAlgorithm> = Entry {
    name: "careless",
    title: "Careless",
    paper: "none",
    standing: Standing::Experimental,
    about: "Publishes everything.",
    parameters: &[],
    build: |_| Ok(Box::new(Careless)),
};

impl Algorithm for Careless {
    fn capabilities(&self) -> Capabilities {
        Capabilities { needs_trees: true, reach: Reach::Column, ..Capabilities::USUAL }
    }

    fn check(&self, _: &Problem) -> Result<()> {
        Ok(())
    }
    fn run(&self, problem: &Problem) -> Result<Solution> {
        let step = Step::Levels(vec![0; problem.quasi.len()]);
        let assignment = step.apply(&problem.table, &problem.quasi);
        Ok(Solution { recoding: Recoding { step, shown: None }, assignment, findings: Vec::new() })
    }
}

/// A model that calls itself k-anonymity and claims what everything keeps.
struct Forged;

const FORGED: Entry<BuildModel> = Entry {
    name: "forged",
    title: "Forged",
    paper: "none",
    standing: Standing::Experimental,
    about: "Calls itself by another name.",
    parameters: &[],
    build: |_, _| Ok(vec![Box::new(Forged)]),
};

impl Model for Forged {
    fn name(&self) -> &'static str {
        "k_anonymity"
    }
    fn title(&self) -> String {
        "100-anonymity".to_owned()
    }
    fn claim(&self) -> serde_json::Map<String, serde_json::Value> {
        serde_json::Map::from_iter([("model".to_owned(), "k_anonymity".into()), ("k".to_owned(), 1.into())])
    }
    fn required(&self) -> f64 {
        100.0
    }
    fn larger_is_better(&self) -> bool {
        true
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        Monotonicity { merging: true, dropping: true, upward: true }
    }
    fn check_feasible(&self, _: &ClassView<'_>) -> Result<()> {
        Ok(())
    }
}

impl ClassTest for Forged {
    fn passes(&self, _: &ClassView<'_>) -> bool {
        true
    }
    fn attained(&self, _: &ClassView<'_>) -> f64 {
        100.0
    }
}

fn plan_with(algorithm: &str, model: ModelSpec) -> Plan {
    let columns = [("postcode", Role::Quasi), ("diagnosis", Role::Sensitive)];
    let plan = Plan::of_columns(columns).require(model).with_algorithm(algorithm);
    Plan { accept_attribute_disclosure: true, ..plan }
}

/// All in one test: what is added stays for the life of the program.
#[test]
fn methods_from_outside() {
    let release = own_methods::release().expect("the example");
    let [k, certainty] = &release.summary.models[..] else { panic!("two models") };
    assert!(k.holds && k.independently_verified && certainty.holds && !certainty.independently_verified);
    let said = "no certainty about diagnosis (not independently verified)";
    assert_eq!((k.title.as_str(), certainty.title.as_str()), ("3-anonymity", said));
    let told = serde_json::to_value(&release.summary).expect("JSON");
    assert_eq!(told["models"][0].get("independently_verified"), None);
    assert_eq!(told["models"][1]["independently_verified"], false);
    assert_eq!(told["metrics"]["silence"], 0.0);
    assert!(release.datasheet_markdown().contains(said));
    let page = release.report_html().expect("a page").expect("a report");
    assert!(page.contains("uncertain about diagnosis (not independently verified)"));
    assert!(page.contains("at least two values of diagnosis") && page.contains("right almost always"));
    assert_eq!(release.table().expect("one table").batches()[0].num_rows(), 6);

    let clusters = own_methods::clustered().expect("the example").summary;
    assert_eq!((clusters.classes, clusters.smallest_class), (2, Some(3)));

    // An algorithm that breaks what was asked for publishes nothing, whoever notices it.
    add_algorithm(CARELESS).expect("a new name");
    let asked = [
        (ModelSpec::new("k_anonymity").with("k", 3), "added by a program"),
        (ModelSpec::new("no_certainty"), "added by a program"),
    ];
    for (model, whose) in asked {
        let error = Release::of(own_methods::patients().expect("rows"), &plan_with("careless", model))
            .expect_err("nothing is released");
        assert_eq!(error.kind(), ErrorKind::Verification);
        assert!(error.to_string().contains(whose) && error.to_string().contains("not published"), "{error}");
    }

    assert!(
        release.summary.warnings.iter().any(|warning| warning.contains("no independent code has checked"))
    );

    // A model cannot pass for one of Scumble's own by saying its name, or by claiming less than it asks for.
    add_model(FORGED).expect("a new name");
    let made =
        Release::of(own_methods::patients().expect("rows"), &plan_with("mondrian", ModelSpec::new("forged")));
    let summary = made.expect("a release").summary;
    assert_eq!((summary.models[0].name, summary.models[0].independently_verified), ("forged", false));
    assert!(summary.models[0].title.ends_with("(not independently verified)"), "{}", summary.models[0].title);
    for algorithm in ["k_concealment", "anatomy"] {
        let plan = plan_with(algorithm, ModelSpec::new("forged"));
        let made = Release::of(own_methods::patients().expect("rows"), &plan);
        let Err(error) = made else { panic!("{algorithm} does not refuse") };
        assert!(
            error.kind() == ErrorKind::Refused && error.to_string().contains("added by a program"),
            "{error}"
        );
    }

    // Independent code cannot check what it does not know.
    let table = release.table().expect("one table").clone();
    let columns = [("postcode", Role::Quasi), ("diagnosis", Role::Sensitive)];
    let asked = Plan::of_columns(columns).require(ModelSpec::new("no_certainty"));
    let error = Checked::of(&Source::from_batches(table, "release"), None, &asked, &Resources::default())
        .expect_err("it cannot be checked");
    assert!(
        error.kind() == ErrorKind::Refused && error.to_string().contains("Scumble's own models only"),
        "{error}"
    );

    // Names are taken once, and for good.
    for (outcome, word) in [
        (add_algorithm(CARELESS), "already"),
        (add_algorithm(Entry { name: "mondrian", ..CARELESS }), "there is an algorithm 'mondrian' already"),
        (add_algorithm(Entry { name: "anatomy", ..CARELESS }), "already"),
        (add_algorithm(Entry { name: "Care-less", ..CARELESS }), "not a valid name for an algorithm"),
        (add_model(models::k_anonymity::ENTRY), "there is a model 'k_anonymity' already"),
        (add_model(Entry { name: "no_certainty", ..models::k_anonymity::ENTRY }), "already"),
        (add_metric(metrics::loss::ENTRY), "already"),
    ] {
        let error = outcome.expect_err("it is refused");
        assert!(error.to_string().contains(word), "{error}");
    }
    assert_eq!(ALGORITHMS.iter().last().map(|entry| entry.name), Some("careless"));
    assert!(MODELS.find("no-certainty").is_ok() && METRICS.get("silence").is_some());
    assert!(!MODELS.is_own("no_certainty") && MODELS.is_own("k_anonymity"));
}
