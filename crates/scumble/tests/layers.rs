//! The folders of the library know only those below them.

use std::path::{Path, PathBuf};

/// From the ground up. What a program sees (`prelude`, `extend`, `program`) stands on everything.
const LAYERS: [&str; 16] = [
    "error", "base", "table", "config", "recoding", "models", "problem", "metrics", "search", "registry",
    "risk", "report", "release", "program", "extend", "prelude",
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

/// The first part of every path that begins with `crate::` in a line.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let code = line.split("//").next().unwrap_or_default();
    code.split("crate::")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
}

#[test]
fn no_folder_knows_one_above_it() {
    assert!(named("use crate::table::kind::Kind; // crate::release").eq(["table"]));
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
        for (number, line) in (1..).zip(product.lines()) {
            for name in named(line) {
                // What the crate root shows again, such as `crate::Error`, is of the lowest layer.
                let Some(other) = layer(name) else { continue };
                edges += 1;
                if other > own {
                    upward.push(format!("{}:{number}: {}", inside.display(), line.trim()));
                }
            }
        }
    }
    assert!(edges > 500, "{edges}");
    assert!(upward.is_empty(), "{}", upward.join("\n"));
}
