//! Budgets: wherever the time of a search ends, it ends with something that keeps every model, or says that it has nothing; and
//! the steps that it reports repeat what it found. Looks at the clock are counted in place of time, so nothing here depends on how
//! fast the machine is.

use std::path::Path;

use scumble::ErrorKind;
use scumble::config::Plan;
use scumble::problem::{Budget, Progress};
use scumble::registry::algorithm_names;
use scumble::release::prepare::SpeltTable;
use scumble::release::resources::Resources;
use scumble::release::{Trial, TrialOutcome, read_planned, try_within};

/// Rows with columns that can be coarsened, a class label, an illness and a number.
fn table(rows: usize) -> String {
    let mut text = String::from("age,zip,school,ill,pay,label\n");
    let mut chance = 12_345_u64;
    let mut draw = |end: u64| {
        chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (chance >> 33) % end
    };
    for _ in 0..rows {
        let (age, zip, school) = (20 + draw(40), draw(30), draw(6));
        let label = if age + 3 * school + draw(20) > 55 { "y" } else { "n" };
        text += &format!("{age},z{zip:02},s{school},i{},{},{label}\n", draw(5), 100 * draw(40));
    }
    text
}

/// A plan that the algorithm supports.
fn plan(algorithm: &str, more: &str) -> Plan {
    let (ill, pay, label) = match algorithm {
        "anatomy" | "nsvdist" | "nhaa" => ("sensitive", "drop", "drop"),
        "permutation" => ("drop", "sensitive", "drop"),
        _ => ("drop", "drop", "class"),
    };
    let model = match algorithm {
        "anatomy" => "model = \"l_diversity\"\nl = 2",
        "nhaa" => "model = \"l_diversity\"\nl = 2\nvariant = \"frequency\"",
        "nsvdist" => {
            "model = \"k_anonymity\"\nk = 4\n[[privacy]]\nmodel = \"l_diversity\"\nl = 1.5\nvariant = \"frequency\""
        }
        "permutation" => "model = \"k_e\"\nk = 3\ne = 5",
        _ => "model = \"k_anonymity\"\nk = 4",
    };
    // Means need numbers; sets of splits are exponential in the values; IACc's limits afford large classes of few values only.
    let (age, zip, school) = match algorithm {
        "mdav" => ("quasi", "drop", "drop"),
        "k_optimize" | "iacc" => ("drop", "drop", "quasi"),
        _ => ("quasi", "quasi", "quasi"),
    };
    let plan = format!(
        "input = \"people.csv\"\noutput = \"out.csv\"\n[columns]\nage = {{ role = \"{age}\" }}\nzip = {{ role = \"{zip}\" }}\n\
         school = {{ role = \"{school}\" }}\nill = {{ role = \"{ill}\" }}\npay = {{ role = \"{pay}\" }}\n\
         label = {{ role = \"{label}\" }}\n[[privacy]]\n{model}\n[algorithm]\nname = \"{algorithm}\"\n{more}"
    );
    Plan::from_toml(&plan, "plan").expect("a plan")
}

/// The plan with a role for every column, and the table.
fn read(folder: &Path, plan: &Plan) -> (Plan, SpeltTable) {
    let (plan, table, _) = read_planned(plan, &Resources::in_folder(folder)).expect("a table");
    (plan, table)
}

/// Further lines of the plan that keep a search short.
fn short(algorithm: &str) -> &'static str {
    match algorithm {
        "genetic" => "population = 20\niterations = 200",
        "iacc" => "delta_d = 100\ndelta_c = 100",
        "dmpd" => "population = 10\ngenerations = 5",
        // The test is about time. On so few rows some values follow from the records.
        "nsvdist" => "audit = \"report\"",
        _ => "",
    }
}

/// What a search shows, so that two can be compared.
fn shown(trial: &Trial) -> String {
    match &trial.outcome {
        TrialOutcome::Classes { classes, .. } => {
            let payloads = trial.problem.table.payloads();
            let values: Vec<_> = (0..classes.len()).map(|class| classes.assignment.values(class)).collect();
            let text =
                format!("{:?} {values:?} {:?}", classes.assignment.members, classes.assignment.suppressed);
            for model in &trial.problem.models {
                assert!(model.judge(classes, payloads).holds, "{} does not hold", model.title());
            }
            text
        }
        TrialOutcome::Records { records, .. } => {
            records.iter().map(|record| format!("{:?}", record.shown)).collect()
        }
        TrialOutcome::Projections { tables, .. } => format!("{tables:?}"),
        TrialOutcome::Groups => {
            trial.tables.iter().map(|table| format!("{:?}", table.read().expect("a table"))).collect()
        }
    }
}

#[test]
fn a_search_whose_time_ends_shows_what_holds_or_says_that_it_has_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("people.csv"), table(240)).expect("it takes text");
    let mut stopped_early = Vec::new();
    for algorithm in algorithm_names() {
        for more in ["", "polish = true\n"] {
            let (plan, table) = read(folder, &plan(algorithm, &format!("{more}{}", short(algorithm))));
            let run = |budget: &Budget| {
                try_within(
                    &plan,
                    &table,
                    &Resources::in_folder(folder),
                    (budget.clone(), Progress::default()),
                )
            };
            let endless = Budget::of_looks(u64::MAX);
            let whole = run(&endless);
            if !more.is_empty()
                && matches!(&whole, Err(error) if error.is(&[ErrorKind::Refused, ErrorKind::Config]))
            {
                continue;
            }
            assert!(whole.is_ok(), "{algorithm} {more}: {:?}", whole.err());
            let looks = endless.looks();
            assert!(looks > 0, "{algorithm} never looked at the clock");
            for look in [0, 1, 2, looks / 8, looks / 4, looks / 2, looks * 3 / 4, looks - 1] {
                let budget = Budget::of_looks(look);
                match run(&budget) {
                    Ok(trial) => {
                        let found = shown(&trial);
                        let Some(steps) = budget.spent_after() else { continue };
                        stopped_early.push(algorithm);
                        let again = run(&Budget::new(Some(steps), None));
                        let again =
                            again.unwrap_or_else(|error| panic!("{algorithm}, {steps} steps: {error}"));
                        assert_eq!(shown(&again), found, "{algorithm} {more}: {look} looks, {steps} steps");
                    }
                    Err(error) if error.kind() == ErrorKind::OutOfBudget => {
                        let message = error.to_string();
                        assert!(
                            message.contains("give the search more time ([algorithm] budget), or give the search more steps ([algorithm] steps)"),
                            "{algorithm}: {message}"
                        );
                    }
                    Err(error) => panic!("{algorithm} {more}, {look} of {looks} looks: {error:?}"),
                }
            }
        }
    }
    stopped_early.dedup();
    for expected in ["cluster", "seqa", "optimal", "local_suppression", "genetic", "k_optimize", "mondrian"] {
        assert!(
            stopped_early.contains(&expected),
            "{expected} never stopped with something to show: {stopped_early:?}"
        );
    }
}

/// Every search looks at the clock at least once for every 8,192 cells, each of which it must read at least once.
#[test]
fn every_search_looks_at_the_clock_often_enough() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let rows = 2_000;
    std::fs::write(folder.join("people.csv"), table(rows)).expect("it takes text");
    for algorithm in algorithm_names() {
        let (plan, table) = read(folder, &plan(algorithm, short(algorithm)));
        let budget = Budget::of_looks(u64::MAX);
        let found =
            try_within(&plan, &table, &Resources::in_folder(folder), (budget.clone(), Progress::default()));
        assert!(found.is_ok(), "{algorithm}: {:?}", found.err());
        let least = (rows * 3).div_ceil(8_192) as u64 + 1;
        assert!(budget.looks() >= least, "{algorithm} looked {} times", budget.looks());
    }
}

/// Cancelling is seen at the same places.
#[test]
fn every_search_can_be_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("people.csv"), table(240)).expect("it takes text");
    for algorithm in algorithm_names() {
        let (plan, table) = read(folder, &plan(algorithm, short(algorithm)));
        let progress = Progress::default();
        progress.cancel();
        let found = try_within(&plan, &table, &Resources::in_folder(folder), (Budget::default(), progress));
        assert!(
            matches!(&found, Err(error) if error.kind() == ErrorKind::Interrupted),
            "{algorithm} went on: {:?}",
            found.err()
        );
    }
}
