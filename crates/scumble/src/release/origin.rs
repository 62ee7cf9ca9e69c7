//! Which table a release was made from, so that no run replaces the release of another table unasked.
//!
//! The datasheet is public and names no input, so the private report does. A report is looked for where this run writes its own, and where
//! runs put theirs by default.

use std::path::{Path, PathBuf};

use scumble_files::database::Address;

use super::outputs::real;
use super::targets::stem_of;
use crate::config::Plan;
use crate::error::{Error, Result, Setting};
use crate::report::data::Made;

/// The files that a run reads and writes, for its report; `None` if one of them is a stream.
pub(super) fn made(plan: &Plan, folder: &Path, release: Option<&Path>) -> Option<Made> {
    let release = release?;
    if plan.input == "-" {
        return None;
    }
    let text = |path: &Path| real(path).to_string_lossy().into_owned();
    // A table in a database has no path.
    let from =
        Address::recognise(&plan.input).and_then(Result::ok).map(|address| address.seen_from(folder).text());
    Some(Made { from: from.unwrap_or_else(|| text(&folder.join(&plan.input))), to: text(release) })
}

/// Returns an error if the release or the report that stands under the names of this run was made from another table.
pub(super) fn check(made: Option<&Made>, report: Option<&Path>, force: bool) -> Result<()> {
    let Some(made) = made.filter(|_| !force) else { return Ok(()) };
    let release = Path::new(&made.to);
    let beside = |name: String| release.with_file_name(name);
    let usual = [beside(format!("{}.report", stem_of(release))), beside("report".to_owned())];
    let others = usual.into_iter().map(|folder| (folder, false));
    for (folder, is_own) in report.map(|folder| (folder.to_owned(), true)).into_iter().chain(others) {
        let Some(there) = made_of(&folder) else { continue };
        let stands = Path::new(&there.to) == release && release.exists();
        if (!is_own && !stands) || is_same(&there, made) {
            continue;
        }
        let what = match stands {
            true => format!("'{}' is already there, and was made", release.display()),
            false => format!("the private report in '{}' is of a release that was made", folder.display()),
        };
        // A query may hold values.
        let from = match Address::recognise(&there.from) {
            Some(Ok(address)) => address.name(),
            _ => there.from.clone(),
        };
        return Err(Error::config(format!("{what} from another table, '{from}'"))
            .set(Setting::root("force"), "replace what is there")
            .advise("choose other names for the output and the report, to keep what is there"));
    }
    Ok(())
}

/// Whether two releases were made from the same table. A table and its release that were moved or copied together are still the same, as is a
/// table that is no longer where it was and has its old name.
fn is_same(there: &Made, own: &Made) -> bool {
    let (from, own_from) = (Path::new(&there.from), Path::new(&own.from));
    let seen_from = |made: &Made| {
        let folder = Path::new(&made.to).parent()?;
        Path::new(&made.from).strip_prefix(folder).ok().map(Path::to_owned)
    };
    let moved = there.to != own.to && seen_from(there).is_some() && seen_from(there) == seen_from(own);
    from == own_from || moved || (!from.exists() && from.file_name() == own_from.file_name())
}

/// What the report in a folder says about where its release comes from.
fn made_of(folder: &Path) -> Option<Made> {
    #[derive(serde::Deserialize)]
    struct Found {
        made: Option<Made>,
    }
    let path: PathBuf = folder.join("report.json");
    if !path.is_file() {
        return None;
    }
    let found: Found = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    found.made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_of_another_table_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| real(&folder.path().join(name));
        let of = |input: &str| {
            let plan = Plan::new(input, "out.csv");
            made(&plan, folder.path(), Some(&path("out.csv")))
        };
        for name in ["a.csv", "b.csv", "out.csv"] {
            std::fs::write(path(name), "x\n1\n").expect("a file");
        }
        let report = path("report");
        assert!(check(of("b.csv").as_ref(), Some(&report), false).is_ok(), "there is no report yet");
        std::fs::create_dir(&report).expect("a folder");
        let text = serde_json::json!({ "made": of("a.csv"), "models": [] }).to_string();
        std::fs::write(report.join("report.json"), text).expect("a report");
        assert!(check(of("a.csv").as_ref(), Some(&report), false).is_ok());
        let error = check(of("b.csv").as_ref(), Some(&report), false).unwrap_err().to_string();
        assert!(error.contains("from another table") && error.contains("a.csv"), "{error}");
        assert!(check(of("b.csv").as_ref(), Some(&report), true).is_ok());
        // A report elsewhere does not help: the usual places are looked at.
        assert!(check(of("b.csv").as_ref(), Some(&path("elsewhere")), false).is_err());
        assert!(check(of("-").as_ref(), Some(&report), false).is_ok(), "a stream has no name");
        // A copy of the folder, with the table in the same place beside the release.
        let copy = |name: &str| Made { to: format!("/elsewhere/{name}"), from: format!("/elsewhere/{name}") };
        let table_of = |from: &str, to: &str| Made { from: copy(from).from, to: copy(to).to };
        let here = of("a.csv").expect("files");
        assert!(is_same(&table_of("a.csv", "out.csv"), &here));
        assert!(!is_same(&table_of("b.csv", "out.csv"), &here));
        // The table was moved with its release.
        std::fs::remove_file(path("a.csv")).expect("it is there");
        assert!(check(of("sub/a.csv").as_ref(), Some(&report), false).is_ok());
    }
}
