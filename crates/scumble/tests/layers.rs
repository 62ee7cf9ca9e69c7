//! The folders of the library know only those below them.

use std::path::{Path, PathBuf};

/// From the ground up. What a program sees (`prelude`, `extend`, `program`) stands on everything.
const LAYERS: [&str; 17] = [
    "error",
    "base",
    "table",
    "config",
    "transforms",
    "recoding",
    "models",
    "problem",
    "metrics",
    "search",
    "registry",
    "risk",
    "report",
    "release",
    "program",
    "extend",
    "prelude",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

/// The source without comments. What follows `//` in a text is cut off as well, which hides no path.
fn code(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// What stands first in a path.
fn first(path: &str) -> &str {
    path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// The first parts of what a path goes on with: one, or those of a group in braces, over as many lines as it takes.
fn beginnings(rest: &str) -> Vec<&str> {
    let Some(group) = rest.strip_prefix('{') else { return vec![first(rest)] };
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (place, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => {
                found.push(first(group[start..place].trim_start()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(first(group[start..place].trim_start()));
                start = place + 1;
            }
            _ => {}
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// The folders at the top that paths of a source name, each with the line: those that begin with `crate::`, and those that climb
/// from a module this many steps below the top.
fn named(code: &str, below_top: usize) -> Vec<(usize, &str)> {
    let line = |place: usize| code[..place].matches('\n').count() + 1;
    let mut found = Vec::new();
    for (place, path) in code.match_indices("crate::") {
        found.extend(beginnings(&code[place + path.len()..]).into_iter().map(|name| (line(place), name)));
    }
    for (place, path) in code.match_indices("super::") {
        // A climb is examined from its first step.
        if code[..place].ends_with("super::") {
            continue;
        }
        let mut rest = &code[place..];
        let mut steps = 0;
        while let Some(further) = rest.strip_prefix(path) {
            (rest, steps) = (further, steps + 1);
        }
        if steps >= below_top {
            found.extend(beginnings(rest).into_iter().map(|name| (line(place), name)));
        }
    }
    found
}

#[test]
fn no_folder_knows_one_above_it() {
    let several = code(
        "use crate::{\n    table::kind::{Kind, Measure},\n    release::Plan, // crate::risk\n};\nuse super::super::search;",
    );
    assert_eq!(named(&several, 2), [(1, "table"), (1, "release"), (5, "search")]);
    assert_eq!(named(&several, 3), [(1, "table"), (1, "release")]);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let layer = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut upward = Vec::new();
    let mut edges = 0;
    for file in sources(&root) {
        let inside = file.strip_prefix(&root).expect("below the root");
        let top =
            inside.iter().next().and_then(|part| part.to_str()).expect("a name").trim_end_matches(".rs");
        // Tests may use what they like, and lib.rs names everything.
        let is_test = inside.iter().any(|part| {
            ["tests", "tests.rs", "made.rs", "testing.rs", "fixture.rs"].iter().any(|name| part == *name)
        }) || inside.to_string_lossy().ends_with("_tests.rs");
        if top == "lib" || is_test {
            continue;
        }
        let own = layer(top).unwrap_or_else(|| panic!("{top} is in no layer; say in this test which it is"));
        let text = std::fs::read_to_string(&file).expect("a source file");
        let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        // `table/mod.rs` and `error.rs` are one step below the top, `table/kind.rs` is two.
        let parts = inside.iter().count();
        let below_top = if inside.ends_with("mod.rs") { parts - 1 } else { parts };
        let product = code(product);
        for (number, name) in named(&product, below_top) {
            // What the crate root shows again, such as `crate::Error`, is of the lowest layer.
            let Some(other) = layer(name) else { continue };
            edges += 1;
            if other > own {
                upward.push(format!("{}:{number}: {name}", inside.display()));
            }
        }
    }
    assert!(edges > 500, "{edges}");
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}
