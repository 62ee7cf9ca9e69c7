//! Attacks, checks and risks that are stopped at any of their checks for a stop end as interrupted, whatever they are doing.

use scumble::arrow_schema::Schema;
use scumble::config::Plan;
use scumble::release::check::check;
use scumble::release::resources::Resources;
use scumble::release::{read_planned, try_release};
use scumble::risk::{RiskTable, assess};
use scumble::{ErrorKind, Result};
use scumble_eval::attack::{ATTACKS, Options, Pairs, Release, Target, find, simulate};
use scumble_eval::prelude::{
    AttackRequest, Column, EvaluationPlan, EvaluationTable, Experiment, Journal, RecordBatch, Role, Roles,
    Source,
};
use scumble_files::Control;

const PLAN: &str = "input = \"a.csv\"\noutput = \"b.csv\"\naccept_attribute_disclosure = true\n\
                    [columns]\nage = { role = \"quasi\" }\ntown = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n\
                    [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n";

fn people() -> String {
    let line = |row: usize| {
        let (age, town, ill) = (20 + row * 7 % 40, row % 5, ["flu", "gout", "hiv"][row * row % 3]);
        format!("{age},t{town},{ill}\n")
    };
    format!("age,town,ill\n{}", (0..90).map(line).collect::<String>())
}

/// Does some work again and again, stopped at another check each time: the first ones, the last ones and some between.
fn stop_everywhere(name: &str, work: &dyn Fn(&Control) -> Result<()>) {
    let whole = Control::of_looks(u64::MAX);
    work(&whole).unwrap_or_else(|error| panic!("{name}: {error}"));
    let all = whole.looks();
    assert!(all > 3, "{name} looked {all} times only");
    let mut at: Vec<u64> = (0..4).chain((1..6).map(|part| all * part / 6)).collect();
    at.extend((1..4).filter_map(|back| all.checked_sub(back)));
    at.sort_unstable();
    at.dedup();
    for look in at {
        let control = Control::of_looks(look);
        let ended = work(&control);
        // With several threads, one run may check less often than another.
        assert!(
            matches!(&ended, Err(error) if error.kind() == ErrorKind::Interrupted)
                || (ended.is_ok() && control.looks() <= look),
            "{name} at look {look} of {all}: {ended:?}"
        );
    }
}

#[test]
fn what_is_stopped_ends_as_interrupted() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.csv"), people()).expect("a table");
    let plan = Plan::from_toml(PLAN, "plan").expect("a plan");
    let resources = Resources::in_folder(folder.path());
    let (plan, table, _) = read_planned(&plan, &resources).expect("a table");
    let trial = try_release(&plan, &table, &resources, Control::default().into()).expect("a release");
    let release = trial.table().expect("one table").read().expect("it reads");
    for attack in ATTACKS {
        stop_everywhere(attack.name, &|control| {
            let target = Target {
                release: Release::Table(&release),
                others: std::slice::from_ref(&release),
                original: &table,
                outsiders: None,
                perturbed: &[],
                pairs: None,
                plan: &plan,
                method_known: true,
                resources: &Resources::default().watched_by(control),
            };
            simulate(&target, &[attack], &Options::default(), |_| {}).map(drop)
        });
    }
    let everybody: Vec<u32> = (0..table.rows as u32).collect();
    let pairs = Pairs { people: everybody.clone(), rows: everybody };
    stop_everywhere("record_linkage of a perturbed column", &|control| {
        let target = Target {
            release: Release::Table(&table),
            others: &[],
            original: &table,
            outsiders: None,
            perturbed: &["age".to_owned()],
            pairs: Some(&pairs),
            plan: &plan,
            method_known: true,
            resources: &Resources::default().watched_by(control),
        };
        let attack = find("record_linkage").expect("an attack");
        simulate(&target, &[attack], &Options::default(), |_| {}).map(drop)
    });
    stop_everywhere("check", &|control| {
        check(&release, Some(&table), None, &plan, &Resources::default().watched_by(control)).map(drop)
    });
    let bare = Plan { privacy: Vec::new(), ..plan.clone() };
    stop_everywhere("check without models", &|control| {
        check(&release, Some(&table), None, &bare, &Resources::default().watched_by(control)).map(drop)
    });
    let quasi = ["age".to_owned(), "town".to_owned()];
    let input = RiskTable { table: &table, quasi: &quasi, missing: &[], population: None, persons: None };
    stop_everywhere("risk", &|control| assess(&input, &plan.risk, control).map(drop));
}

/// Reading and preparing can be stopped as well: the tables that are attacked, and those of every cell of an evaluation.
#[test]
fn what_is_read_can_be_stopped() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.csv");
    std::fs::write(&file, people()).expect("a table");
    let mut plan = Plan::from_toml(PLAN, "plan").expect("a plan");
    let source = Source::open(&file).expect("a file");
    stop_everywhere("reading what is attacked", &|control| {
        let resources = Resources::default().watched_by(control);
        AttackRequest { resources, ..AttackRequest::of(&source, &source, &plan) }.read().map(drop)
    });
    plan.columns.push(("job".to_owned(), Column::new(Roles::one(Role::Class))));
    let people = people();
    let jobs = people.lines().enumerate().map(|(row, line)| match row {
        0 => format!("{line},job\n"),
        _ => format!("{line},j{}\n", row % 2),
    });
    std::fs::write(&file, jobs.collect::<String>()).expect("a table");
    let mut table = EvaluationTable::of("people", RecordBatch::new_empty(Schema::empty().into()), &plan);
    (table.plan, table.resources) = (plan, Resources::in_folder(folder.path()));
    let mut asked = EvaluationPlan::of(&["mondrian"], &["naive_bayes"]);
    asked.protocol.folds = Some(2);
    let read = |control: &Control| Experiment::of(asked.clone(), std::slice::from_ref(&table), control);
    stop_everywhere("reading what is evaluated", &|control| read(control).map(drop));
    let experiment = read(&Control::default()).expect("a table");
    stop_everywhere("evaluating", &|control| {
        experiment.run(Journal::default(), &control.clone().into(), &|_| {}).map(drop)
    });
}
