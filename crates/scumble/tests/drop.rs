//! Rows that show nothing under the policy `drop`, and searches on very many columns.

mod common;

use common::served::serving;
use std::fmt::Write as _;
use std::path::Path;

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::registry::ALGORITHMS;
use scumble::release::resources::Resources;
use scumble::release::{Released, RunOptions, anonymize, read_planned, try_release};
use scumble::{Error, ErrorKind};

fn release(folder: &Path, plan: &str) -> Result<Released, Error> {
    let plan = Plan::from_toml(plan, "plan").expect("a plan");
    let mut options =
        RunOptions { folder, progress: Progress::default(), stage: &|_| {}, standard_output: None };
    anonymize(&plan, &mut options)
}

/// Two columns of four values below two nodes each, and what is asked.
fn plan(algorithm: &str, policy: &str, k: u32) -> String {
    format!(
        "input = \"in.csv\"\noutput = \"out-{algorithm}-{policy}.csv\"\nreport = \"\"\nhierarchies = \"trees\"\n[columns]\n\
         a = {{ role = \"quasi\" }}\nb = {{ role = \"quasi\" }}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n\
         [algorithm]\nname = \"{algorithm}\"\nsuppression = 1\nstar_policy = \"{policy}\"\n"
    )
}

fn write(folder: &Path, rows: &str) {
    let trees = folder.join("trees");
    std::fs::create_dir_all(&trees).expect("a folder");
    for column in ["a", "b"] {
        std::fs::write(trees.join(format!("{column}.csv")), "1;x;*\n2;x;*\n3;y;*\n4;y;*\n").expect("a tree");
    }
    std::fs::write(folder.join("in.csv"), rows).expect("a table");
}

/// Every row is unique, so that the finest combination of levels leaves all rows out; coarser ones can be published.
#[test]
fn full_domain_searches_go_on_where_a_combination_would_leave_every_row_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "a,b\n1,1\n1,2\n2,1\n2,2\n3,3\n3,4\n4,3\n4,4\n");
    let of_levels = serving(|algorithm| algorithm.capabilities().serves_population);
    let searches = ["samarati", "ola", "flash", "incognito", "optimal", "mingen", "datafly"];
    assert!(searches.iter().all(|name| of_levels.contains(name)), "{of_levels:?}");
    for algorithm in searches {
        let released = release(folder, &plan(algorithm, "drop", 2));
        let summary = released.unwrap_or_else(|error| panic!("{algorithm}: {error}")).summary;
        assert!(summary.released > 0, "{algorithm}");
        assert_eq!(summary.released + summary.suppressed, summary.rows, "{algorithm}");
    }
}

/// All eight rows together are the only class of eight, and it shows nothing: where suppressed rows stay, all of them count as
/// suppressed; where they are left out, nothing is left.
#[test]
fn rows_that_show_nothing_are_suppressed_under_every_policy() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    write(folder, "a,b\n1,1\n1,2\n2,1\n2,2\n3,3\n3,4\n4,3\n4,4\n");
    for entry in ALGORITHMS.iter().filter(|entry| ["mondrian", "samarati", "datafly"].contains(&entry.name)) {
        let kept = release(folder, &plan(entry.name, "strict", 8)).expect("it shows nothing");
        assert_eq!((kept.summary.released, kept.summary.suppressed, kept.summary.classes), (8, 8, 0));
        match release(folder, &plan(entry.name, "drop", 8)) {
            Err(error) if error.kind() == ErrorKind::Infeasible => {}
            other => panic!("{}: {:?}", entry.name, other.map(|released| released.summary.released)),
        }
    }
}

/// The levels of 300 columns combine to more vectors than can be numbered.
#[test]
fn hundreds_of_columns_are_served_or_the_error_names_who_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let columns = 300;
    let mut text = (0..columns).map(|column| format!("c{column}")).collect::<Vec<_>>().join(",") + ",label\n";
    for row in 0..24_usize {
        let cells: Vec<String> =
            (0..columns).map(|column| format!("v{}", (row * (column + 3)) % 4)).collect();
        let _ = writeln!(text, "{},{}", cells.join(","), if row % 3 == 0 { "y" } else { "n" });
    }
    std::fs::write(folder.join("in.csv"), text).expect("a table");
    let tried = |algorithm: &str| {
        let mut plan = String::from("input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\n");
        for column in 0..columns {
            let _ = writeln!(plan, "c{column} = {{ role = \"quasi\" }}");
        }
        let _ = write!(
            plan,
            "label = {{ role = \"class\" }}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[algorithm]\nname = \"{algorithm}\"\nsteps = 50\n"
        );
        let plan = Plan::from_toml(&plan, "plan").expect("a plan");
        let (plan, table, _) = read_planned(&plan, &Resources::in_folder(folder)).expect("a table");
        try_release(&plan, &table, &Resources::in_folder(folder), Progress::default())
            .map(|trial| trial.suppressed)
    };
    let suppressed = tried("datafly").expect("its page recommends it here");
    assert!(suppressed < 24);
    for algorithm in ["samarati", "ola", "flash", "incognito", "optimal", "mingen", "local_suppression"] {
        match tried(algorithm) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::Refused => {
                let message = error.to_string();
                let named = ["mondrian", "datafly", "iack"].iter().filter(|name| message.contains(**name));
                let named: Vec<_> = named.collect();
                assert!(!named.is_empty(), "{algorithm}: {message}");
                assert!(named.iter().all(|name| tried(name).is_ok()), "{algorithm}: {message}");
            }
            Err(error) => panic!("{algorithm}: {error}"),
        }
    }
}
