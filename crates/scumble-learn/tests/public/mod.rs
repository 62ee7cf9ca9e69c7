//! Public tables for tests and benchmarks, where their folder exists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use scumble_learn::{Column, Features, MISSING, Table};

/// The folder of public tables: the one that `SCUMBLE_SHARED_DATA` names, or `../shared/data` next to the workspace.
fn folder() -> Option<PathBuf> {
    let named = std::env::var_os("SCUMBLE_SHARED_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    named.into_iter().chain([beside]).find(|path| path.is_dir())
}

/// Adult's own split into training and test rows. Rows with a missing value are left out unless they are wanted.
pub(crate) fn adult(keep_missing: bool) -> Option<[Table; 2]> {
    let folder = folder()?.join("adult");
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    Some(split(&[text("adult_train.csv")?, text("adult_test.csv")?], keep_missing))
}

/// Reads tables with a common coding from texts with a header and the class in the last column. These files have no quotes.
fn split<const N: usize>(texts: &[String; N], keep_missing: bool) -> [Table; N] {
    let parse = |text: &String| -> Vec<Vec<String>> {
        text.lines()
            .skip(1)
            .map(|line| line.split(',').map(str::to_owned).collect())
            .filter(|row: &Vec<String>| keep_missing || !row.contains(&"?".to_owned()))
            .collect()
    };
    let files: Vec<Vec<Vec<String>>> = texts.iter().map(parse).collect();
    let names: Vec<&str> = texts[0].lines().next().expect("a header").split(',').collect();
    let dictionary = |place: usize| -> Vec<&str> {
        let all = files.iter().flatten().map(|row| row[place].as_str()).filter(|text| *text != "?");
        all.collect::<BTreeSet<&str>>().into_iter().collect()
    };
    let dictionaries: Vec<Vec<&str>> = (0..names.len()).map(dictionary).collect();
    let table = |file: usize| {
        let rows = &files[file];
        let codes = |place: usize| -> Vec<u32> {
            let code = |row: &Vec<String>| {
                dictionaries[place].binary_search(&row[place].as_str()).map_or(MISSING, |code| code as u32)
            };
            rows.iter().map(code).collect()
        };
        let class = names.len() - 1;
        let columns = (0..class).map(|place| {
            let values = &dictionaries[place];
            if values.iter().all(|text| text.parse::<f64>().is_ok()) {
                let numbers = rows.iter().map(|row| row[place].parse().unwrap_or(f64::NAN)).collect();
                Column::numeric(names[place], numbers)
            } else {
                Column::nominal(names[place], codes(place), values.len())
            }
        });
        let features = Features::new(columns.collect(), rows.len()).expect("sound columns");
        Table::new(features, codes(class), dictionaries[class].len()).expect("a sound table")
    };
    std::array::from_fn(table)
}
