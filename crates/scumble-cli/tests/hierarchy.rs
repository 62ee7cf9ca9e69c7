//! `scumble hierarchy`, and hierarchies that are wrong.

mod common;

use common::{Desk, arguments};

const TOWNS: &str = "town,label\nAachen,yes\nAugsburg,no\nBremen,yes\nBerlin,no\nBonn,yes\nBonn,no\n";
const TREE: &str = "Aachen;west;*\nBonn;west;*\nAugsburg;south;*\nBremen;north;*\nBerlin;north;*\n";
const FLAGS: &[&str] = &["--quasi", "town", "--other", "label", "--k", "2"];

fn desk() -> Desk {
    Desk::with_table(TOWNS)
}

#[test]
fn a_built_hierarchy_can_be_edited_and_used() {
    let desk = desk();
    let printed = desk.run(&["hierarchy", "build", "people.csv", "town"]).succeeds().out;
    let run = desk.run(&["hierarchy", "build", "people.csv", "town", "-o", "town.csv"]).succeeds();
    assert_eq!(desk.text("town.csv"), printed);
    assert!(run.err.contains("private"), "its labels are values of the data: {}", run.err);
    let run = desk.run(&["hierarchy", "check", "people.csv", "town", "-H", "town.csv"]).succeeds();
    assert!(
        run.out.contains("The hierarchy of 'town' holds: 5 values") && run.out.contains("all 6 rows"),
        "{}",
        run.out
    );
    let first = ["anonymize", "people.csv", "-o", "out.csv", "--hierarchy", "town=town.csv"];
    desk.run(&arguments(&[&first, FLAGS])).succeeds();
}

#[test]
fn builders_by_name() {
    let desk =
        Desk::with_table("code,born,age\nE11.9,1970-01-31,31\nE11.2,1971-02-01,47\nI10.0,1985-12-24,52\n");
    let build = |column: &str, builder: &str| {
        let run = desk.run(&["hierarchy", "build", "people.csv", column, "-H", builder]).succeeds();
        run.out.lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(build("code", "{ build = \"prefix\", lengths = [3, 1] }"), "E11.2;E11*;E*;*");
    assert_eq!(
        build("born", "{ build = \"dates\", levels = [\"month\", \"year\"] }"),
        "1970-01-31;1970-01;1970;*"
    );
    assert_eq!(build("age", "{ build = \"widths\", widths = [5, 10] }"), "31;[30,34];[30,39];*");
    assert_eq!(build("code", "{ build = \"flat\" }"), "E11.2;*");
    for builder in [
        "{ build = \"equal_width\", bins = 4 }",
        "{ build = \"equal_frequency\", bins = 2 }",
        "{ build = \"ordered_merging\" }",
    ] {
        assert!(build("age", builder).starts_with("31;"), "{builder}");
    }
}

#[test]
fn a_tree_is_drawn_with_its_rows() {
    let desk = desk();
    desk.file("tree.csv", TREE);
    let run = desk.run(&["hierarchy", "show", "people.csv", "town", "-H", "tree.csv"]).succeeds();
    let line = |label: &str| {
        run.out.lines().find(|line| line.contains(label)).unwrap_or_else(|| panic!("{}", run.out))
    };
    for (label, rows) in [("west", "3"), ("Bonn", "2"), ("north", "2"), ("Augsburg", "1")] {
        assert!(line(label).contains(rows), "{}", run.out);
    }
    let short =
        desk.run(&["hierarchy", "show", "people.csv", "town", "-H", "tree.csv", "--lines", "3"]).succeeds();
    assert!(short.out.lines().count() < run.out.lines().count(), "{}", short.out);
}

#[test]
fn both_names_of_a_file_are_found_in_a_folder() {
    for name in ["trees/town.csv", "trees/my_hierarchy_town.csv"] {
        let desk = desk();
        desk.file(name, TREE);
        let first = ["anonymize", "people.csv", "-o", "out.csv", "--hierarchies", "trees"];
        desk.run(&arguments(&[&first, FLAGS])).succeeds();
        assert!(
            desk.text("out.csv").contains("north") || desk.text("out.csv").contains('*'),
            "{}",
            desk.text("out.csv")
        );
    }
    let desk = desk();
    desk.file("trees/town.csv", TREE).file("trees/my_hierarchy_town.csv", TREE);
    desk.refuses_people(
        2,
        &["two hierarchies for column 'town'"],
        &arguments(&[FLAGS, &["--hierarchies", "trees"]]),
    );
    desk.refuses_people(
        2,
        &["hierarchy folder 'none' does not exist"],
        &arguments(&[FLAGS, &["--hierarchies", "none"]]),
    );
}

/// Both `anonymize` and `hierarchy check` refuse a wrong hierarchy in the same words. Messages may show labels that only the file has, but
/// no values of the table, so the files name other towns.
fn refuses(words: &[&str], builder: &str, tree: &str) {
    let desk = desk();
    desk.file("tree.csv", tree);
    let given = format!("town={builder}");
    desk.refuses_people(3, words, &arguments(&[FLAGS, &["--hierarchy", &given]]));
    desk.refuses(3, words, &["hierarchy", "check", "people.csv", "town", "-H", builder]);
}

const PARENT_CHILD: &str = "{ build = \"parent_child\", path = \"tree.csv\" }";

#[test]
fn a_hierarchy_that_misses_a_value() {
    let words = ["column 'town'", "2 values (3 rows; first in rows 3, 5)", "not in tree.csv", "unlisted"];
    refuses(&words, "tree.csv", &TREE.replace("Bonn;west;*\n", "").replace("Bremen;north;*\n", ""));
}

#[test]
fn values_that_a_hierarchy_misses_can_be_put_under_the_root() {
    let desk = desk();
    desk.file("tree.csv", TREE.replace("Bonn;west;*\n", ""));
    let builder = "town={ build = \"file\", path = \"tree.csv\", unlisted = \"add_under_root\" }";
    let first = ["anonymize", "people.csv", "-o", "out.csv", "--hierarchy", builder];
    desk.run(&arguments(&[&first, FLAGS])).succeeds();
}

#[test]
fn two_parents_for_one() {
    refuses(
        &["tree.csv:2", "'west'", "'Elbe'", "'Rhine'"],
        "tree.csv",
        "Ulm;west;Elbe;*\nTrier;west;Rhine;*\n",
    );
    refuses(&["tree.csv:2", "Ulm"], "tree.csv", "Ulm;west;*\nUlm;north;*\n");
    let words = ["tree.csv:2", "'Ulm' has two parents", "'west' (line 1)", "'north' (line 2)"];
    refuses(&words, PARENT_CHILD, "Ulm;west\nUlm;north\nwest;*\nnorth;*\n");
}

#[test]
fn two_roots() {
    let words = ["tree.csv", "no single root", "'top' (line 1)", "'peak' (line 2)"];
    refuses(&words, "tree.csv", "Ulm;west;top\nTrier;north;peak\n");
    refuses(&["tree.csv", "no single root", "'west'", "'north'"], PARENT_CHILD, "Ulm;west\nTrier;north\n");
}

#[test]
fn a_cycle() {
    let words = ["tree.csv:3", "a cycle", "'west' → 'north' → 'west'"];
    refuses(&words, PARENT_CHILD, "Ulm;*\nwest;north\nnorth;west\n");
}

#[test]
fn other_faults_of_hierarchy_files() {
    refuses(&["tree.csv:1", "cell 2 is empty"], "tree.csv", "Ulm;;*\n");
    refuses(&["tree.csv", "only one level"], "tree.csv", "Ulm\nTrier\n");
    refuses(&["tree.csv", "empty"], "tree.csv", "");
}

#[test]
fn a_hierarchy_file_that_is_not_there() {
    let flags = arguments(&[FLAGS, &["--hierarchy", "town=none.csv"]]);
    desk().refuses_people(3, &["none.csv"], &flags);
}

#[test]
fn a_hierarchy_for_a_column_that_does_not_exist() {
    let desk = desk();
    desk.file("tree.csv", TREE);
    let flags = arguments(&[FLAGS, &["--hierarchy", "twon=tree.csv"]]);
    desk.refuses_people(2, &["'twon'", "did you mean 'town'?"], &flags);
    desk.refuses(
        2,
        &["'twon'", "did you mean 'town'?"],
        &["hierarchy", "check", "people.csv", "twon", "-H", "tree.csv"],
    );
    desk.file(
        "release.toml",
        "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"other\"\n[columns]\ntown = { role = \"quasi\" }\n\
         twon = { role = \"quasi\", hierarchy = { build = \"flat\" } }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n",
    );
    desk.refuses(2, &["'twon'", "did you mean 'town'?"], &["anonymize", "release.toml"]);
}

/// Without this message, a misspelt file name would leave the column with a hierarchy that nobody chose.
#[test]
fn a_file_in_the_folder_that_fits_no_column_is_told() {
    let desk = desk();
    desk.file("trees/twon.csv", TREE);
    let first = ["anonymize", "people.csv", "-o", "out.csv", "--hierarchies", "trees"];
    let run = desk.run(&arguments(&[&first, FLAGS]));
    assert!(run.err.contains("twon.csv"), "{run:#?}");
}

#[test]
fn a_builder_that_is_none() {
    let refuses = |words: &[&str], builder: &str| {
        let given = format!("town={builder}");
        desk().refuses_people(2, words, &arguments(&[FLAGS, &["--hierarchy", &given]]));
    };
    refuses(&["--hierarchy", "prefixx", "prefix"], "{ build = \"prefixx\" }");
    refuses(&["--hierarchy", "length"], "{ build = \"prefix\", length = [3] }");
    refuses(&["--hierarchy"], "{ build = ");
}
