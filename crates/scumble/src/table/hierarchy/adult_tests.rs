//! The public hierarchies for the Adult table load, with the heights that the papers print.

use std::path::{Path, PathBuf};

use super::domain::tests::{domain, level, path};
use super::{Builder, Built, Recipe, Unlisted, build};
use crate::table::kind::Kind;

/// The folder of public tables next to the workspace, where it exists.
fn data(folder: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let found = Some(root.join("../shared/data").join(folder)).filter(|path| path.is_dir());
    if found.is_none() {
        let test = std::thread::current().name().unwrap_or("a test").to_string();
        eprintln!("{test} is skipped: there is no folder ../shared/data/{folder}");
    }
    found
}

fn load(path: PathBuf, kind: Kind, values: &[&str]) -> Built {
    let recipe = Recipe::load(Builder::File { path, unlisted: Unlisted::Error }).unwrap();
    build(&recipe, &domain(kind, values)).unwrap()
}

#[test]
fn the_trees_of_the_pais_authors() {
    let Some(folder) = data("adult/taxonomy/pais") else { return };
    // Column, levels, leaves. Raw values are the lowest level.
    let columns = [
        ("workclass", 5, 8),
        ("education", 5, 16),
        ("marital-status", 4, 7),
        ("occupation", 3, 14),
        ("race", 3, 5),
        ("sex", 2, 2),
        ("native-country", 4, 41),
        ("relationship", 3, 6),
    ];
    for (column, levels, leaves) in columns {
        let tree = load(folder.join(format!("{column}.csv")), Kind::Text, &[]).hierarchy;
        assert_eq!((tree.height() + 1, tree.leaf_count()), (levels, leaves), "{column}");
        assert_eq!(tree.label(tree.root()), "Any");
    }
    let ages: Vec<String> = (17..=90).map(|age| age.to_string()).collect();
    let ages: Vec<&str> = ages.iter().map(String::as_str).collect();
    let tree = load(folder.join("age.csv"), Kind::Integer, &ages).hierarchy;
    // Five levels of intervals and the raw ages; every interval holds some age, so all leaves are ages.
    assert_eq!((tree.height() + 1, tree.leaf_count()), (6, 74));
    assert_eq!(path(&tree, "17"), "17;[15,20);[15,25);[15,35);[15,55);[15,95)");
    // Level 3 counted from the root, which the IACK paper's method chooses.
    assert_eq!(level(&tree, 3), ["[15,35)", "[35,55)", "[55,75)", "[75,95)"]);
    for column in ["fnlwgt", "capital-gain", "capital-loss", "education-num", "hours-per-week"] {
        let tree = load(folder.join(format!("{column}.csv")), Kind::Integer, &["4"]).hierarchy;
        assert!(tree.code_of("4").is_some(), "{column}");
    }
}

#[test]
fn the_trees_of_arx() {
    let Some(folder) = data("arx/adult") else { return };
    let columns = [
        ("education", 4, 16),
        ("marital-status", 3, 7),
        ("native-country", 3, 41),
        ("occupation", 3, 14),
        ("race", 2, 5),
        ("salary-class", 2, 2),
        ("sex", 2, 2),
        ("workclass", 3, 8),
    ];
    for (column, levels, leaves) in columns {
        let file = super::find_in_dir(&folder, column).unwrap().expect("a file");
        let tree = load(file, Kind::Text, &[]).hierarchy;
        assert_eq!((tree.height() + 1, tree.leaf_count()), (levels, leaves), "{column}");
    }
    let file = super::find_in_dir(&folder, "age").unwrap().expect("a file");
    let built = load(file, Kind::Integer, &["17", "90"]);
    assert_eq!((built.hierarchy.height() + 1, built.hierarchy.leaf_count()), (5, 100));
    assert_eq!(path(&built.hierarchy, "17"), "17;15-19;10-19;0-19;*");
    assert!(
        built.notes.iter().any(|note| note.contains("'0-19' holds values that lie outside of it")),
        "{:?}",
        built.notes
    );
}
