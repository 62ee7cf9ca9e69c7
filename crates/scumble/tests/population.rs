//! Models that compare with a population: every algorithm supports or refuses them, what is released keeps them by a naive check of
//! the released strings, the library checks as the verifier does, and searches conclude no more than is true.

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use common::grid::coded_column;
use common::seeded;
use common::served::serving;
use proptest::prelude::*;
use scumble::config::{Column, Parameters, Plan, Rational, Role, Roles, StarPolicy, Value};
use scumble::models::{Model, ModelContext};
use scumble::problem::{Budget, Problem, Progress};
use scumble::recoding::Step;
use scumble::recoding::published::Classes;
use scumble::registry::{ALGORITHMS, METRICS, MODELS};
use scumble::release::prepare::population::prepare_with_population;
use scumble::release::resources::Resources;
use scumble::release::{RunOptions, anonymize};
use scumble::search::lattice::{Checker, Lattice};
use scumble::{Error, ErrorKind};
use scumble_files::table::CodedTable;
use scumble_verify::{Claim, Cover, ModelClaim, Nodes, Population, StarRows, ValueKind, check_models_with};

/// Each value with what it becomes; towns have a ragged tree.
const TOWNS: &[&[&str]] = &[
    &["a", "north", "land", "*"],
    &["b", "north", "land", "*"],
    &["c", "south", "land", "*"],
    &["d", "south", "land", "*"],
    &["e", "isle", "*"],
];
const JOBS: &[&[&str]] = &[&["x", "xy", "*"], &["y", "xy", "*"], &["z", "zz", "*"]];

/// Places among the towns and jobs, and whether the person is in the table.
type Person = (usize, usize, bool);

/// What is asked of people: k of k-map, or the bounds of delta-presence in hundredths.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Map(u64),
    Presence(u64, u64),
}

#[derive(Debug, Clone)]
struct Case {
    people: Vec<Person>,
    asked: Asked,
    k: Option<i64>,
    policy: StarPolicy,
    /// In hundredths.
    suppression: u64,
}

fn cases() -> impl Strategy<Value = Case> {
    let asked = prop_oneof![
        (1..7_u64).prop_map(Asked::Map),
        prop::sample::select(vec![(0, 50), (0, 80), (10, 100), (20, 70), (30, 60), (40, 90), (1, 99)])
            .prop_map(|(least, most)| Asked::Presence(least, most)),
    ];
    (
        prop::collection::vec((0..TOWNS.len(), 0..JOBS.len(), prop::bool::weighted(0.5)), 4..50),
        asked,
        prop::sample::select(vec![None, None, Some(1), Some(2), Some(3)]),
        prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]),
        prop::sample::select(vec![0, 0, 10, 30, 60, 100]),
    )
        .prop_filter("somebody is in the table", |(people, ..)| people.iter().any(|person| person.2))
        .prop_map(|(people, asked, k, policy, suppression)| Case {
            people,
            asked,
            k,
            policy,
            suppression,
        })
}

fn ratio(hundredths: u64) -> Rational {
    Rational::new(hundredths, 100).expect("not over zero")
}

impl Case {
    fn plan(&self, algorithm: &str) -> Plan {
        let mut plan = Plan::new("input.csv", "release.csv");
        plan.report = String::new();
        plan.hierarchies = Some("trees".into());
        plan.population = Some("people.csv".into());
        for (name, role) in [("town", Role::Quasi), ("job", Role::Quasi), ("label", Role::Class)] {
            plan.columns.push((name.into(), Column::new(Roles::one(role))));
        }
        let spec = |model: &str, parameters: Vec<(&str, Value)>| scumble::config::ModelSpec {
            model: model.into(),
            columns: Vec::new(),
            quasi: None,
            parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        };
        let text = |hundredths| Value::Text(ratio(hundredths).to_string());
        plan.privacy.push(match self.asked {
            Asked::Map(k) => spec("k_map", vec![("k", Value::Integer(k as i64))]),
            Asked::Presence(least, most) => {
                spec("delta_presence", vec![("delta_min", text(least)), ("delta_max", text(most))])
            }
        });
        plan.privacy.extend(self.k.map(|k| spec("k_anonymity", vec![("k", Value::Integer(k))])));
        plan.algorithm.name = algorithm.into();
        plan.algorithm.star_policy = self.policy;
        plan.algorithm.suppression = Some(ratio(self.suppression));
        plan
    }

    fn table(&self, everybody: bool) -> CodedTable {
        let people: Vec<&Person> = self.people.iter().filter(|person| everybody || person.2).collect();
        let towns: Vec<&str> = people.iter().map(|person| TOWNS[person.0][0]).collect();
        let jobs: Vec<&str> = people.iter().map(|person| JOBS[person.1][0]).collect();
        let labels: Vec<&str> = people.iter().map(|person| if person.1 > 0 { "yes" } else { "no" }).collect();
        let mut columns = vec![coded_column("town", &towns), coded_column("job", &jobs)];
        if !everybody {
            columns.push(coded_column("label", &labels));
        }
        CodedTable { columns, rows: people.len() }
    }

    fn write(&self, folder: &Path) {
        let write = |name: &str, text: String| {
            std::fs::write(folder.join(name), text).expect("the folder takes files");
        };
        std::fs::create_dir(folder.join("trees")).expect("a folder of trees");
        for (name, tree) in [("town", TOWNS), ("job", JOBS)] {
            write(&format!("trees/{name}.csv"), tree.iter().map(|path| path.join(";") + "\n").collect());
        }
        let line = |person: &Person| {
            format!(
                "{},{},{}\n",
                TOWNS[person.0][0],
                JOBS[person.1][0],
                if person.1 > 0 { "yes" } else { "no" }
            )
        };
        let all = |everybody: bool| -> String {
            self.people.iter().filter(|person| everybody || person.2).map(line).collect()
        };
        write("input.csv", "town,job,label\n".to_owned() + &all(false));
        write("people.csv", "town,job,name\n".to_owned() + &all(true));
    }

    /// Whether a class with these numbers of rows and people keeps what is asked of people.
    fn allows(&self, rows: u64, people: u64) -> bool {
        match self.asked {
            Asked::Map(k) => people >= k,
            Asked::Presence(least, most) => 100 * rows >= least * people && 100 * rows <= most * people,
        }
    }

    /// The rows and people of each class that must keep it, by the strings of a release alone.
    fn judged(&self, release: &[(String, String)]) -> Vec<(u64, u64)> {
        let mut classes: BTreeMap<(&str, &str), (u64, u64)> = BTreeMap::new();
        release.iter().for_each(|(town, job)| classes.entry((town, job)).or_default().0 += 1);
        let star = classes.remove(&("*", "*")).map_or(0, |(rows, _)| rows);
        let mut outside = 0;
        for (town, job, _) in &self.people {
            let mut fitting = classes
                .iter_mut()
                .filter(|((shown, work), _)| TOWNS[*town].contains(shown) && JOBS[*job].contains(work));
            match fitting.next() {
                Some((_, (_, people))) => *people += 1,
                None => outside += 1,
            }
            assert!(fitting.next().is_none(), "a person fits two classes");
        }
        let mut judged: Vec<(u64, u64)> = classes.into_values().collect();
        let least = matches!(self.asked, Asked::Presence(least, _) if least > 0);
        if star > 0 && self.policy != StarPolicy::Paper || star == 0 && outside > 0 && least {
            judged.push((star, outside));
        }
        judged
    }

    fn problem(&self, folder: &Path) -> Problem {
        let plan = self.plan("optimal");
        let (table, people) = (self.table(false), self.table(true));
        let prepared = prepare_with_population(&table, &people, &plan, &Resources::in_folder(folder), true)
            .expect("both fit the trees");
        let models: Vec<Box<dyn Model>> = plan
            .privacy
            .iter()
            .flat_map(|spec| {
                let context =
                    ModelContext { table: &prepared.table, trees: &|_| None, columns: &[], sensitive: &[] };
                let entry = MODELS.find(&spec.model).expect("registered");
                (entry.build)(&spec.parameters, &context).expect("fitting parameters")
            })
            .collect();
        Problem {
            table: prepared.table,
            quasi: prepared.quasi,
            models,
            metric: METRICS.find("loss").expect("registered").build,
            class: prepared.class,
            suppression: ratio(self.suppression),
            star_policy: self.policy,
            budget: Budget::default(),
            seed: 0,
            progress: Progress::default(),
        }
    }
}

/// Runs an algorithm: the released quasi-identifiers and the loss.
fn released(case: &Case, algorithm: &str) -> Result<(Vec<(String, String)>, f64), Error> {
    let folder = tempfile::tempdir().expect("a folder");
    case.write(folder.path());
    let options = &mut RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    let summary = anonymize(&case.plan(algorithm), options)?.summary;
    let text = std::fs::read_to_string(folder.path().join("release.csv")).expect("a release");
    let row = |line: &str| {
        let mut cells = line.split(',').map(str::to_owned);
        (cells.next().expect("a town"), cells.next().expect("a job"))
    };
    Ok((text.lines().skip(1).map(row).collect(), summary.metrics["loss"].as_f64().expect("a loss")))
}

proptest! {
    #![proptest_config(seeded(31, 24))]

    #[test]
    fn who_serves_a_model_keeps_it(case in cases()) {
        let least = released(&case, "optimal").map(|(_, loss)| loss);
        for entry in ALGORITHMS.iter().filter(|entry| serving_population().contains(&entry.name)) {
            match released(&case, entry.name) {
                Ok((rows, loss)) => {
                    for (rows, people) in case.judged(&rows) {
                        prop_assert!(case.allows(rows, people), "{}: {} rows of {} people", entry.name, rows, people);
                    }
                    let least = least.as_ref().expect("what others find, the exact search finds");
                    prop_assert!(*least <= loss + 1e-9, "{} loses {}, optimal {}", entry.name, loss, least);
                }
                Err(error) if error.kind() == ErrorKind::Refused => {
 let message = error.to_string();
                    let prunes = case.suppression > 0 && matches!(case.asked, Asked::Presence(..));
                    prop_assert!(prunes && message.contains("([algorithm] suppression = 0)"), "{}: {}", entry.name, message);
                }
                Err(error) if error.kind() == ErrorKind::Infeasible => {
                    // Searches that test all that may pass find what the exact one finds.
                    if ["flash", "incognito", "mingen", "ola"].contains(&entry.name) {
                        prop_assert!(least.is_err(), "{} found nothing, optimal did", entry.name);
                    }
                }
                Err(other) => prop_assert!(false, "{}: {:?}", entry.name, other),
            }
        }
    }

}

proptest! {
    #![proptest_config(seeded(32, 60))]

    /// A test of a node says what the long way says, and concludes nothing about finer nodes that is not so.
    #[test]
    fn looks_at_nodes_are_right(case in cases()) {
        let folder = tempfile::tempdir().expect("a folder");
        case.write(folder.path());
        let problem = case.problem(folder.path());
        let lattice = Lattice::new(&problem, "optimal").expect("trees");
        let mut checker = Checker::new(&problem, &lattice).expect("can be served");
        let mut visits = Vec::new();
        for node in 0..lattice.nodes() {
            let visit = checker.visit(node).expect("no budget");
            let step = Step::Levels(lattice.levels(node));
            let long = problem.suppress_failing(step.apply(&problem.table, &problem.quasi));
            prop_assert_eq!(visit.outcome.map(|outcome| outcome.suppressed), long.ok().map(|classes| classes.suppressed_rows()), "{:?}", lattice.levels(node));
            visits.push(visit);
        }
        for (coarse, visit) in visits.iter().enumerate() {
            for fine in (0..lattice.nodes()).filter(|fine| *fine != coarse && lattice.below(*fine, coarse)) {
                if let Some(outcome) = visits[fine].outcome {
                    prop_assert!(outcome.suppressed >= visit.finer, "{:?} below {:?}", lattice.levels(fine), lattice.levels(coarse));
                }
            }
        }
    }

    /// Classes at any levels, some of them suppressed: the library, the verifier and the definition agree.
    #[test]
    fn judging_agrees_with_the_verifier_and_with_the_definition(case in cases(), levels in (0..4_u32, 0..3_u32), dice in any::<[bool; 16]>()) {
        let folder = tempfile::tempdir().expect("a folder");
        case.write(folder.path());
        let problem = case.problem(folder.path());
        let step = Step::Levels(vec![levels.0, levels.1]);
        let mut classes = Classes::new(step.apply(&problem.table, &problem.quasi), &problem.table, &problem.quasi, case.policy);
        let suppressed: Vec<bool> = (0..classes.len()).map(|class| classes.is_suppressed(class) || dice[class % 16]).collect();
        classes.suppress(suppressed, problem.table.payloads().len());
        let mut rows: Vec<(String, String)> = Vec::new();
        for class in (0..classes.len()).filter(|class| case.policy != StarPolicy::Drop || !classes.is_suppressed(*class)) {
            let shown = |column: usize| problem.quasi[column].label(classes.shown(class, column));
            rows.extend((0..classes.size(class)).map(|_| (shown(0), shown(1))));
        }
        prop_assume!(!rows.is_empty());
        let column = |name: &str, text: fn(&(String, String)) -> &str| coded_column(name, &rows.iter().map(text).collect::<Vec<_>>());
        let coded = CodedTable { columns: vec![column("town", |row| &row.0), column("job", |row| &row.1)], rows: rows.len() };
        let cover = |tree: &[&[&str]]| {
            let path = |path: &&[&str]| (path[0].to_owned(), path[1..].iter().map(|label| (*label).to_owned()).collect());
            Cover { kind: ValueKind::Text, nodes: Nodes::from_paths(tree.iter().map(path)).expect("a tree"), missing: Vec::new() }
        };
        let people = case.table(true);
        let covers = vec![("town".to_owned(), cover(TOWNS)), ("job".to_owned(), cover(JOBS))];
        let population = Population { table: &people, covers };
        let star = if case.policy == StarPolicy::Paper { StarRows::Unjudged } else { StarRows::Judged };
        let published = classes;
        let mut failing = 0;
        for model in problem.models.iter().filter(|model| model.population_test().is_some()) {
            let mut parameters = model.claim();
            parameters.shift_remove("model");
            let claim = Claim {
                quasi: vec!["town".into(), "job".into()],
                models: vec![ModelClaim { name: model.name().into(), parameters }],
                star, values: Vec::new() };
            let found = check_models_with(&coded, &claim, None, Some(&population), &scumble_files::Control::default()).expect("labels that do not overlap");
            let found = &found.models[0];
            let verdict = model.judge(&published, problem.table.payloads());
            prop_assert_eq!(verdict.holds, found.holds, "{}", model.title());
            prop_assert_eq!(verdict.failing_classes as u64, found.failing_classes);
            prop_assert_eq!(verdict.failing_rows, found.failing_rows);
            prop_assert_eq!(found.attained.unwrap_or(verdict.attained), verdict.attained);
            failing += verdict.failing_classes;
        }
        prop_assert_eq!(failing, case.judged(&rows).into_iter().filter(|(rows, people)| !case.allows(*rows, *people)).count());
    }

    /// What the models declare about merging and dropping (models.md 0.5, 1.10).
    #[test]
    fn declared_monotonicity_holds(case in cases(), a in (1..9_u64, 0..9_u64), b in (1..9_u64, 0..9_u64), dice in any::<[bool; 16]>()) {
        let folder = tempfile::tempdir().expect("a folder");
        case.write(folder.path());
        let problem = case.problem(folder.path());
        for model in &problem.models {
            let Some(test) = model.population_test() else { continue };
            let passes = |(rows, more): (u64, u64)| test.passes(rows, rows + more);
            let declared = model.monotonicity();
            let merged = passes((a.0 + b.0, a.1 + b.1));
            prop_assert!(!(declared.merging && passes(a) && passes(b)) || merged, "{} is lost by merging", model.title());
            prop_assert!(!(declared.upward && passes(a)) || merged, "{} is lost upward", model.title());
            let classes = || Classes::as_they_are(Step::Levels(vec![1, 1]).apply(&problem.table, &problem.quasi), &problem.table, &problem.quasi, StarPolicy::Drop);
            let holds = |classes: Classes| model.judge(&classes, problem.table.payloads()).holds;
            let mut fewer = classes();
            let suppressed = (0..fewer.len()).map(|class| dice[class]).collect();
            fewer.suppress(suppressed, problem.table.payloads().len());
            prop_assert!(!declared.dropping || !holds(classes()) || holds(fewer), "{} is lost by dropping", model.title());
        }
    }
}

/// Algorithms that do not keep track of people refuse before any work, and name those that do.
#[test]
fn the_others_refuse() {
    let case = Case {
        people: vec![(0, 0, true), (1, 1, true), (4, 2, false)],
        asked: Asked::Map(1),
        k: Some(1),
        policy: StarPolicy::Strict,
        suppression: 100,
    };
    let serving = serving_population();
    let quoted = |name: &str| format!("\"{name}\"");
    assert!(serving.contains(&"optimal") && serving.len() < ALGORITHMS.iter().count());
    for entry in ALGORITHMS.iter().filter(|entry| !serving.contains(&entry.name)) {
        match released(&case, entry.name) {
            Err(error) if error.kind() == ErrorKind::Refused => {
                assert!(error.to_string().contains("a population"), "{}: {error}", entry.name);
            }
            other => panic!("{} does not refuse: {other:?}", entry.name),
        }
        // The error names the algorithms that would do.
        let told = refusal_of_a_release(entry.name);
        let offered: Vec<&str> = ALGORITHMS.names().filter(|name| told.contains(&quoted(name))).collect();
        assert!(!offered.is_empty(), "{}: {told}", entry.name);
        assert!(offered.iter().all(|name| serving.contains(name)), "{}: {told}", entry.name);
    }
}

/// The algorithms that say they keep track of a population.
fn serving_population() -> Vec<&'static str> {
    serving(|algorithm| algorithm.capabilities().serves_population)
}

/// Why no release with a population is made by this algorithm.
fn refusal_of_a_release(algorithm: &str) -> String {
    use scumble::arrow_array::{ArrayRef, Int64Array, StringArray};
    use scumble::prelude::*;
    let ages: ArrayRef = std::sync::Arc::new(Int64Array::from(vec![30, 30, 40, 40]));
    let ill: ArrayRef = std::sync::Arc::new(StringArray::from(vec!["a", "b", "a", "b"]));
    let rows = RecordBatch::try_from_iter([("age", ages.clone()), ("ill", ill)]).expect("rows");
    let people = RecordBatch::try_from_iter([("age", ages)]).expect("people");
    let plan = Plan::of_columns([("age", Role::Quasi), ("ill", Role::Class)])
        .require(ModelSpec::new("k_map").with("k", 1))
        .with_algorithm(algorithm);
    let plan = Plan { population: Some("people".into()), ..plan };
    let resources = Resources::default().with_table("people", people);
    let source = Source::from_batches(rows, "rows");
    match Release::with(&source, &plan, &resources, &Control::default(), &|_| {}) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{algorithm} does not refuse"),
    }
}

/// What is not declared has a counterexample: 2/5 passes and 4/4 does not, nor do both together; dropping 2/5 leaves its people.
#[test]
fn what_is_not_declared_has_a_counterexample() {
    let people =
        |town: usize, present: usize, all: usize| (0..all).map(move |person| (town, 0, person < present));
    let case = Case {
        people: people(0, 2, 5).chain(people(4, 4, 4)).collect(),
        asked: Asked::Presence(30, 60),
        k: None,
        policy: StarPolicy::Drop,
        suppression: 0,
    };
    let folder = tempfile::tempdir().expect("a folder");
    case.write(folder.path());
    let problem = case.problem(folder.path());
    let [least, most] = &problem.models[..] else { panic!("two bounds") };
    let test = most.population_test().expect("it compares");
    assert!(test.passes(2, 5) && !test.passes(4, 4) && !test.passes(6, 9) && !most.monotonicity().upward);
    let test = least.population_test().expect("it compares");
    assert!(test.passes(2, 5) && !test.passes(0, 3) && !test.passes(2, 8) && !least.monotonicity().upward);
    let classes = || {
        let assignment = Step::Levels(vec![0, 0]).apply(&problem.table, &problem.quasi);
        Classes::as_they_are(assignment, &problem.table, &problem.quasi, StarPolicy::Drop)
    };
    let holds = |classes| least.judge(&classes, problem.table.payloads()).holds;
    let mut fewer = classes();
    fewer.suppress(vec![true, false], problem.table.payloads().len());
    assert!(holds(classes()) && !holds(fewer) && !least.monotonicity().dropping);
}

/// Rows that are not in the population: delta-presence refuses them, k-map warns; both say how many.
#[test]
fn rows_beyond_the_population_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut case = Case {
        people: vec![(0, 0, true), (0, 0, true), (1, 0, true), (4, 2, false)],
        asked: Asked::Presence(0, 100),
        k: None,
        policy: StarPolicy::Strict,
        suppression: 0,
    };
    case.write(folder.path());
    std::fs::write(folder.path().join("people.csv"), "job,town\nx,a\nz,e\n").expect("the folder takes files");
    let run = |case: &Case, algorithm: &str| {
        let options = &mut RunOptions {
            folder: folder.path(),
            progress: Progress::default(),
            stage: &|_| {},
            standard_output: None,
        };
        anonymize(&case.plan(algorithm), options).map(|released| released.summary.warnings)
    };
    let message = run(&case, "optimal").err().map(|error| error.to_string()).expect("refused");
    assert!(message.starts_with("2 of the 3 rows are not in the population"), "{message}");
    case.asked = Asked::Map(1);
    let warnings = run(&case, "optimal").expect("one person is enough");
    assert!(
        warnings.iter().any(|warning| warning.starts_with("2 of the 3 rows are not in the population")),
        "{warnings:?}"
    );
    std::fs::write(folder.path().join("people.csv"), "jobb,town\nx,a\n").expect("the folder takes files");
    let message = run(&case, "optimal").err().map(|error| error.to_string()).expect("no such column");
    assert!(message.contains("has no column 'job'") && message.contains("did you mean 'jobb'"), "{message}");
    let serving = (ALGORITHMS.find("optimal").expect("registered").build)(&Parameters::default());
    assert!(serving.expect("no parameters").capabilities().serves_population);
}
