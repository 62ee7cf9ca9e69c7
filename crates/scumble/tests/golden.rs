//! The docs are the tests: every example on every page under `docs/` is run, and must come out as printed.
//!
//! How a page writes its examples is explained for readers in `docs/guide/examples.md`.

use std::path::{Path, PathBuf};

use scumble::registry::{ALGORITHMS, METRICS, MODELS, RECORD_ALGORITHMS, TABLES_ALGORITHMS};

#[path = "golden/blocks.rs"]
mod blocks;
#[path = "golden/compare.rs"]
mod compare;
#[path = "golden/example.rs"]
mod example;
#[path = "golden/harness_tests.rs"]
mod harness_tests;
#[path = "golden/links.rs"]
mod links;

/// The folder of the book.
fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// A page of the book.
struct Page {
    /// Its path below `docs/`, with forward slashes.
    name: String,
    text: String,
}

/// Every page, by name.
fn pages() -> Vec<Page> {
    let (mut folders, mut pages) = (vec![docs()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for path in entries.map(|entry| entry.expect("a folder entry").path()) {
            // The built book lies next to its pages.
            if path.is_dir() && path != docs().join("book") {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                let name =
                    path.strip_prefix(docs()).expect("below docs").to_string_lossy().replace('\\', "/");
                let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
                pages.push(Page { name, text });
            }
        }
    }
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(!pages.is_empty(), "there are no pages in {}", docs().display());
    pages
}

#[test]
fn every_example_comes_out_as_printed() {
    let mut failures = Vec::new();
    for page in pages() {
        if let Err(failure) = example::run_page(&page.name, &page.text) {
            failures.extend(failure);
        }
    }
    assert!(failures.is_empty(), "{} examples failed\n\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn everything_in_the_registry_has_its_page() {
    let pages = pages();
    let algorithms = ALGORITHMS.iter().map(|entry| ("algorithms", entry.name, entry.parameters));
    let records = RECORD_ALGORITHMS.iter().map(|entry| ("algorithms", entry.name, entry.parameters));
    let tables = TABLES_ALGORITHMS.iter().map(|entry| ("algorithms", entry.name, entry.parameters));
    let models = MODELS.iter().map(|entry| ("models", entry.name, entry.parameters));
    let metrics = METRICS.iter().map(|entry| ("metrics", entry.name, entry.parameters));
    for (folder, name, parameters) in algorithms.chain(records).chain(tables).chain(models).chain(metrics) {
        let path = format!("{folder}/{name}.md");
        let page =
            pages.iter().find(|page| page.name == path).unwrap_or_else(|| panic!("docs/{path} is missing"));
        for (parameter, _) in parameters {
            assert!(
                page.text.contains(&format!("`{parameter}`")),
                "docs/{path} does not explain `{parameter}`"
            );
        }
        // Examples that fail are reported by the test of all examples.
        assert_ne!(example::run_page(&page.name, &page.text), Ok(0), "docs/{path} has no example");
    }
}

#[test]
fn no_page_is_about_something_that_does_not_exist() {
    let names = scumble::registry::algorithm_names().into_iter().map(|name| format!("algorithms/{name}.md"));
    let names = names.chain(MODELS.iter().map(|entry| format!("models/{}.md", entry.name)));
    let known: Vec<String> =
        names.chain(METRICS.iter().map(|entry| format!("metrics/{}.md", entry.name))).collect();
    for page in pages() {
        let (folder, file) = page.name.split_once('/').unwrap_or(("", &page.name));
        if ["algorithms", "models", "metrics"].contains(&folder) && file != "index.md" {
            assert!(known.contains(&page.name), "docs/{} describes nothing in the registry", page.name);
        }
    }
}

#[test]
fn links_lead_somewhere_and_every_page_is_in_the_summary() {
    let pages = pages();
    let failures: Vec<String> =
        pages.iter().flat_map(|page| links::broken(&docs(), &page.name, &page.text)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let summary = pages.iter().find(|page| page.name == "SUMMARY.md").expect("docs/SUMMARY.md");
    for page in pages.iter().filter(|page| page.name != "SUMMARY.md") {
        assert!(
            summary.text.contains(&format!("({})", page.name)),
            "docs/{} is not in the summary",
            page.name
        );
    }
}
