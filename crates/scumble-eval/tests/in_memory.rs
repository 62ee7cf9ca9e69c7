//! Programs compare and attack tables in memory, with the same results as the commands on files.

use std::path::Path;

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble_eval::prelude::*;
use scumble_files::{Cells, CodedColumn, ColumnType, OutColumn, ReadOptions, read_table, write_batches};

/// Writes a table in a folder, and returns the same in memory.
fn table(folder: &Path) -> Batches {
    let line = |row: usize| {
        let (age, town, ill) = (20 + row * 7 % 40, row % 3, ["flu", "cold", "gout", "hiv"][row * row % 4]);
        format!("{age},t{town},{ill},{}\n", ["x", "y"][usize::from(age > 38)])
    };
    let text = format!("age,town,ill,job\n{}", (0..120).map(line).collect::<String>());
    std::fs::write(folder.join("in.csv"), text).expect("a table");
    let file = Source::open(folder.join("in.csv")).expect("a table");
    let read = read_table(&file, &ReadOptions::default()).expect("a table").coded;
    let columns: Vec<OutColumn<'_>> = read
        .columns
        .iter()
        .map(|CodedColumn { name, values, codes }| OutColumn {
            name,
            texts: values,
            cells: Cells::Direct(codes),
            kind: ColumnType::Text,
        })
        .collect();
    write_batches(&columns, &(0..120).collect::<Vec<_>>(), 1, &Control::default()).expect("record batches")
}

fn plan() -> Plan {
    Plan::of_columns([
        ("age", Role::Quasi),
        ("town", Role::Quasi),
        ("ill", Role::Sensitive),
        ("job", Role::Class),
    ])
    .require(ModelSpec::new("k_anonymity").with("k", 4))
    .require(ModelSpec::new("l_diversity").with("l", 2))
}

#[test]
fn tables_in_memory_are_compared_like_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path());
    let mut of_memory = Request::of(rows, &plan());
    of_memory.algorithms = vec!["mondrian".to_owned(), "nsvdist".to_owned()];
    of_memory.ks = vec![4, 8];
    let of_file = Request {
        plan: Plan { input: "in.csv".to_owned(), ..plan() },
        resources: Resources::in_folder(folder.path()),
        ..of_memory.clone()
    };
    let found = |request: &Request| {
        let found = compare(request, &Progress::default(), &|_| {}).expect("a comparison");
        let told: Vec<_> = found
            .candidates
            .iter()
            .map(|of| (of.algorithm.clone(), of.k, of.loss, of.suppressed, format!("{:?}", of.risk)))
            .collect();
        (told, found.unserved.len())
    };
    let (candidates, unserved) = found(&of_memory);
    assert_eq!((candidates.clone(), unserved), found(&of_file));
    assert!(candidates.iter().any(|of| of.0 == "mondrian"), "{candidates:?}");
}

#[test]
fn tables_in_memory_are_attacked_like_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path());
    let release = Release::of(rows.clone(), &plan()).expect("a release");
    let release = Source::from_batches(release.table().expect("one table").clone(), "the release");
    let attacked = |original: &Source| {
        let found = attack(&AttackRequest::of(&release, original, &plan())).expect("findings");
        found.iter().map(|finding| format!("{finding:?}")).collect::<Vec<_>>()
    };
    let of_memory = attacked(&Source::from_batches(rows, "the original"));
    assert_eq!(of_memory, attacked(&Source::open(folder.path().join("in.csv")).expect("a table")));
    assert!(of_memory.len() >= ATTACKS.len(), "{of_memory:?}");
}

/// Several tables in memory get the same verdict and findings as the same tables in a folder. Swapped tables do not pass.
#[test]
fn several_tables_in_memory_are_judged_like_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path());
    let columns =
        [("age", Role::Quasi), ("town", Role::Quasi), ("ill", Role::Sensitive), ("job", Role::Drop)];
    let mut plan = Plan::of_columns(columns).require(ModelSpec::new("l_diversity").with("l", 2));
    plan.algorithm.name = "anatomy".to_owned();
    let release = Release::of(rows.clone(), &plan).expect("a release");
    let manifest = release.manifest.clone().expect("several tables have one");
    let mut sources: Vec<Source> =
        release.tables().map(|(name, table)| Source::from_batches(table.clone(), name)).collect();
    let control = Control::default();
    let in_memory =
        PublishedTables::of(manifest.clone(), &sources, &plan, &control).expect("tables in memory");

    plan.input = "in.csv".to_owned();
    plan.output = "out".to_owned();
    let options = &mut scumble::release::RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    scumble::release::anonymize(&plan, options).expect("a folder of tables");
    let in_folder =
        PublishedTables::in_folder(&folder.path().join("out"), &plan, &control).expect("tables in a folder");

    let (original, none) = (Source::from_batches(rows, "the original"), Resources::default());
    let judged = |published: &PublishedTables| {
        let checked = CheckedTables::of(published, Some(&original), &plan, &none).expect("a verdict");
        let found = attack(&AttackRequest::of(published, &original, &plan));
        let told = found.expect("findings").iter().map(|of| format!("{of:?}")).collect::<Vec<_>>();
        let truths: Vec<String> = checked.tables.iter().map(|table| format!("{:?}", table.truth)).collect();
        (checked.holds, format!("{:?}", checked.models), truths, told)
    };
    let of_memory = judged(&in_memory);
    assert_eq!(of_memory, judged(&in_folder));
    assert!(of_memory.0 && of_memory.3.len() >= ATTACKS.len(), "{of_memory:?}");

    let one = PublishedTables::of(manifest.clone(), &sources[..1], &plan, &control);
    let told = one.expect_err("one is missing").to_string();
    assert_eq!(told, "the number of tables given is 1, and the manifest names 2");
    sources.reverse();
    let swapped = PublishedTables::of(manifest, &sources, &plan, &control).expect("tables");
    let refused = CheckedTables::of(&swapped, Some(&original), &plan, &none);
    assert!(refused.is_err() || refused.is_ok_and(|checked| !checked.holds));
}

/// An evaluation of tables in memory has the same results as one of the same tables in files.
#[test]
fn tables_in_memory_are_evaluated_like_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path());
    let text = |input: &str| {
        Plan { input: input.to_owned(), output: "-".to_owned(), ..plan() }.to_toml().expect("a plan")
    };
    std::fs::write(folder.path().join("plan.toml"), text("in.csv")).expect("a plan");
    let mut asked = EvaluationPlan::of(&["mondrian"], &["naive_bayes"]).vary("k", [4, 8]);
    asked.protocol.folds = Some(3);
    let control = Control::default();
    let found = |experiment: Experiment| {
        let found = experiment.run(Journal::default(), &Progress::default(), &|_| {}).expect("results");
        let told = found.entries.iter().map(|of| (of.algorithm.clone(), of.accuracy, of.loss, of.rows));
        told.collect::<Vec<_>>()
    };
    let people = EvaluationTable::of("people", rows.clone(), &plan());
    let of_memory =
        found(Experiment::of(asked.clone(), std::slice::from_ref(&people), &control).expect("a table"));
    let files = format!("{}\n[[data]]\nname = \"people\"\nplan = \"plan.toml\"\n", {
        "[[algorithm]]\nname = \"mondrian\"\n[[learner]]\nname = \"naive_bayes\"\n[vary]\nk = [4, 8]\n[protocol]\nfolds = 3\n"
    });
    let files = EvaluationPlan::from_toml(&files, "evaluation").expect("a plan");
    let of_files = Experiment::read(files, folder.path(), &control).expect("a table");
    assert_eq!(of_memory, found(of_files));
    assert!(of_memory.len() == 9 && of_memory.iter().all(|of| of.1.is_some()), "{of_memory:?}");
    // Rows to score can be given, too.
    let scored = Experiment::of(asked.clone(), &[people.clone().scored_on(rows.clone())], &control);
    assert_eq!(scored.expect("two tables").cells().len(), 3);
    // A population belongs to the rows that are released, and the rows to score need none.
    let mut beside = people;
    beside.plan.population = Some("everybody".to_owned());
    beside.resources = beside.resources.with_table("everybody", rows.clone());
    let scored = Experiment::of(asked, &[beside.scored_on(rows)], &control).expect("three tables");
    assert_eq!(found(scored).len(), 3);
    let nothing = Experiment::of(EvaluationPlan::of(&["mondrian"], &["c45"]), &[], &control);
    assert!(nothing.is_err_and(|error| error.to_string().contains("there is nothing to evaluate")));
}

/// A program chooses attacks, and gives attackers what the command can give them: further releases and outsiders.
#[test]
fn attackers_have_what_a_program_gives_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path());
    let release = |k: i64| {
        let plan = Plan { privacy: vec![ModelSpec::new("k_anonymity").with("k", k)], ..plan() };
        let plan = Plan { accept_attribute_disclosure: true, ..plan };
        let release = Release::of(rows.clone(), &plan).expect("a release");
        Source::from_batches(release.table().expect("one table").clone(), "the release")
    };
    let (release, other) = (release(4), release(6));
    let original = Source::from_batches(rows.clone(), "the original");
    let mut request = AttackRequest::of(&release, &original, &plan());
    request.attacks = vec!["intersection".to_owned(), "membership".to_owned()];
    let run = |request: &AttackRequest<'_>| {
        let told = std::sync::Mutex::new(Vec::new());
        let tables = request.read().expect("tables");
        let found = tables.attack(&|attack, number, all| {
            told.lock().expect("not held").push((attack.name, number, all));
        });
        let names: Vec<_> =
            found.expect("findings").iter().map(|of| (of.attack, of.not_run.is_none())).collect();
        (names, told.into_inner().expect("not held"))
    };
    let (alone, told) = run(&request);
    assert_eq!(told, [("intersection", 1, 2), ("membership", 2, 2)]);
    assert!(alone.contains(&("intersection", false)), "there is one release only: {alone:?}");
    request.others = vec![(&other).into()];
    request.outsiders = Some(&original);
    let (both, _) = run(&request);
    assert!(both.contains(&("intersection", true)), "{both:?}");
    request.attacks = vec!["linkge".to_owned()];
    assert!(attack(&request).is_err_and(|error| error.to_string().contains("did you mean 'linkage'")));
}
