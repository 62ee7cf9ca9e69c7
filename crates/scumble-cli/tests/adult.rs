//! Compares releases of Adult with the figures of Li, Liu, Baig and Wong (2011), if the public data are present.

mod common;

use std::path::{Path, PathBuf};

use common::{Desk, arguments, skip};
use serde_json::Value;

/// Returns the folder of public tables: the one in `SCUMBLE_SHARED_DATA`, or `../shared/data` next to the workspace.
fn data() -> Option<PathBuf> {
    let given = std::env::var_os("SCUMBLE_SHARED_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    given.into_iter().chain([beside]).find(|folder| folder.join("adult/adult_train.csv").is_file())
}

/// Makes a desk with both parts of Adult as one table, and returns it with the folder of its hierarchies.
fn adult() -> Option<(Desk, String)> {
    let folder = data()?.join("adult").canonicalize().ok()?;
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a part of Adult");
    let (train, test) = (read("adult_train.csv"), read("adult_test.csv"));
    let (header, test_rows) = test.split_once('\n').expect("a header");
    assert_eq!(train.lines().next(), Some(header.trim_end()));
    let desk = Desk::new();
    desk.file("adult.csv", format!("{}\n{test_rows}", train.trim_end()));
    Some((desk, folder.join("taxonomy/pais").to_string_lossy().into_owned()))
}

const FLAGS: &[&str] = &[
    "--quasi",
    "age,workclass,education,marital-status,occupation,race,sex,native-country",
    "--class",
    "salary-class",
    "--rest",
    "drop",
    "--missing",
    "drop-row",
    "--algorithm",
    "iack",
];

fn iack(desk: &Desk, trees: &str, k: &str) -> Value {
    let first = [
        "anonymize",
        "adult.csv",
        "-o",
        "out.csv",
        "--json",
        "--star-policy",
        "paper",
        "--k",
        k,
        "--hierarchies",
        trees,
    ];
    desk.run(&arguments(&[&first, FLAGS])).succeeds().object()
}

#[test]
fn levels_and_classes_before_suppression() {
    let Some((desk, trees)) = adult() else {
        return skip("levels_and_classes_before_suppression", "no ../shared/data and no SCUMBLE_SHARED_DATA");
    };
    let object = iack(&desk, &trees, "1");
    assert_eq!(object["rows"], 45_222);
    assert_eq!(object["suppressed"], 0);
    assert_eq!(object["classes"], 2_435);
    // A class of one row is a unique row. The released file is what counts.
    let text = desk.text("out.csv");
    let mut tuples: Vec<&str> =
        text.lines().skip(1).map(|line| line.rsplit_once(',').expect("a class").0).collect();
    tuples.sort_unstable();
    assert_eq!(tuples.chunk_by(|a, b| a == b).filter(|class| class.len() == 1).count(), 959);
    // The paper counts levels from the root, which is level 1; here they are steps above the lowest level.
    let expected = [
        ("age", 3),
        ("workclass", 5),
        ("education", 2),
        ("marital-status", 3),
        ("occupation", 2),
        ("race", 3),
        ("sex", 2),
        ("native-country", 2),
    ];
    for (column, level) in expected {
        let file = Path::new(&trees).join(format!("{column}.csv"));
        let listed = std::fs::read_to_string(file).expect("a hierarchy");
        let longest = listed.lines().map(|line| line.split(';').count() as u64).max().expect("a line");
        // The file of ages lists intervals; the ages themselves are one level below.
        let height = longest - 1 + u64::from(column == "age");
        let steps = object["levels"][column].as_u64().expect("a level");
        assert_eq!(
            height + 1 - steps,
            level,
            "{column}: {steps} steps above the leaves of a tree of height {height}"
        );
    }
}

#[test]
fn suppressed_rows_as_in_the_paper() {
    let Some((desk, trees)) = adult() else {
        return skip("suppressed_rows_as_in_the_paper", "no ../shared/data and no SCUMBLE_SHARED_DATA");
    };
    for (k, suppressed) in [("5", 2_802), ("50", 12_166)] {
        let object = iack(&desk, &trees, k);
        assert_eq!((&object["rows"], &object["suppressed"]), (&45_222.into(), &suppressed.into()), "k = {k}");
        assert_eq!(
            desk.text("out.csv").lines().filter(|line| line.starts_with("*,*,*,*,*,*,*,*,")).count(),
            suppressed
        );
    }
}

/// The levels do not depend on k, and the independent check confirms the release, too.
#[test]
fn releases_of_adult_check() {
    let Some((desk, trees)) = adult() else {
        return skip("releases_of_adult_check", "no ../shared/data and no SCUMBLE_SHARED_DATA");
    };
    assert_eq!(iack(&desk, &trees, "2")["levels"], iack(&desk, &trees, "20")["levels"]);
    let roles = &FLAGS[..FLAGS.len() - 2];
    let check = [
        "check",
        "out.csv",
        "--original",
        "adult.csv",
        "--k",
        "20",
        "--ignore-suppressed",
        "--hierarchies",
        &trees,
    ];
    let run = desk.run(&arguments(&[&check, roles])).succeeds();
    assert!(run.out.contains("holds  true of the original"), "{}", run.out);
}
