//! Reads any bytes as a hierarchy file, in both formats for texts and for numbers: the result is an error, or a tree that has every value
//! and stays the same when it is written and read back.
#![no_main]

use std::io::Write;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use scumble::table::hierarchy::{Builder, Domain, Recipe, Unlisted, build, to_csv};
use scumble::table::kind::{Kind, Measure};

fn file_with(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for it");
    file
}

/// Returns the lines in ascending order: if leaves were put under the root, reading them again may sort them.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn domain<'a>(kind: Kind, values: &'a [&'a str], rows: &'a [u64]) -> Domain<'a> {
    let measure = Measure { kind, scale: 0 };
    Domain {
        name: "column",
        measure,
        values,
        rows,
        first_rows: None,
        missing: Some("?"),
        classes: None,
        declared: None,
        form: None,
    }
}

fuzz_target!(|bytes: &[u8]| {
    let file = file_with(bytes);
    let path = || -> PathBuf { file.path().to_owned() };
    let domains = [domain(Kind::Text, &["a", "b"], &[1, 2]), domain(Kind::Integer, &["7", "19"], &[1, 2])];
    for domain in &domains {
        for unlisted in [Unlisted::Error, Unlisted::AddUnderRoot, Unlisted::TreatAsMissing] {
            let builders =
                [Builder::File { path: path(), unlisted }, Builder::ParentChild { path: path(), unlisted }];
            for builder in builders {
                let Ok(recipe) = Recipe::load(builder) else { continue };
                let Ok(built) = build(&recipe, domain) else { continue };
                assert_eq!(built.codes.len(), domain.values.len());
                assert!(built.codes.iter().all(|code| *code < built.hierarchy.leaf_count()));
                let written = to_csv(&built.hierarchy);
                let copy = file_with(written.as_bytes());
                let again = Builder::File { path: copy.path().to_owned(), unlisted: Unlisted::Error };
                if let Ok(again) = Recipe::load(again).and_then(|again| build(&again, domain)) {
                    assert_eq!(lines(&to_csv(&again.hierarchy)), lines(&written));
                }
            }
        }
    }
});
