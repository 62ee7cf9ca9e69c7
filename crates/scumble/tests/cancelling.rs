//! A run that is stopped at any of its looks ends as interrupted and leaves nothing behind, whatever its algorithm and its stage.

mod common;

use std::path::Path;

use common::served::{plan, rows};
use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::registry::algorithm_names;
use scumble::release::{RunOptions, Stage, anonymize};
use scumble::{ErrorKind, Result};
use scumble_files::Control;

/// A run that ends after this many looks; the looks that were taken, and the stage that it was in.
fn run(folder: &Path, plan: &Plan, looks: u64) -> (Result<()>, u64, Option<Stage>) {
    let control = Control::of_looks(looks);
    let reached = std::sync::Mutex::new(None);
    let mut options = RunOptions {
        folder,
        progress: Progress::from(control.clone()),
        stage: &|stage| *reached.lock().expect("one thread") = Some(stage),
        standard_output: None,
    };
    let ended = anonymize(plan, &mut options).map(drop);
    let stage = *reached.lock().expect("one thread");
    (ended, control.looks(), stage)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A watcher sees that something is done, whatever the algorithm and the stage.
#[test]
fn every_stage_says_how_far_it_is() {
    for algorithm in algorithm_names() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("in.csv"), rows()).expect("a table");
        let control = Control::default();
        let ended = std::sync::Mutex::new(Vec::new());
        let running = std::sync::Mutex::new(None);
        let mut options = RunOptions {
            folder: folder.path(),
            progress: Progress::from(control.clone()),
            stage: &|stage| {
                let before = running.lock().expect("one thread").replace(stage);
                ended
                    .lock()
                    .expect("one thread")
                    .extend(before.map(|before: Stage| (before, control.done().0)));
            },
            standard_output: None,
        };
        anonymize(&plan(algorithm), &mut options).unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        let ended = ended.into_inner().expect("one thread");
        for stage in [Stage::Read, Stage::Search, Stage::Write, Stage::Verify] {
            let done = ended.iter().find(|(ended, _)| *ended == stage).map(|(_, done)| *done);
            assert!(done > Some(0), "{algorithm} while {}: {done:?}", stage.name());
        }
    }
}

#[test]
fn a_run_that_is_stopped_leaves_nothing() {
    let mut stages = Vec::new();
    for algorithm in algorithm_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        std::fs::write(folder.join("in.csv"), rows()).expect("a table");
        let plan = plan(algorithm);
        let whole = tempfile::tempdir().expect("a folder");
        std::fs::write(whole.path().join("in.csv"), rows()).expect("a table");
        let (ended, looks, _) = run(whole.path(), &plan, u64::MAX);
        ended.unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        // The first, the last, and some between them.
        let mut at: Vec<u64> = (0..8).chain((1..8).map(|part| looks * part / 8)).collect();
        at.extend((1..=8).filter_map(|back| looks.checked_sub(back)));
        at.sort_unstable();
        at.dedup();
        for look in at.into_iter().filter(|look| *look < looks) {
            let (ended, _, stage) = run(folder, &plan, look);
            assert!(
                matches!(&ended, Err(error) if error.kind() == ErrorKind::Interrupted),
                "{algorithm} at look {look} of {looks}: {ended:?}"
            );
            assert_eq!(names(folder), ["in.csv"], "{algorithm} at look {look} of {looks}");
            // The last look is taken just before files get their names; none is taken while they do.
            assert!(
                stage != Some(Stage::Publish) || look + 1 == looks,
                "{algorithm} at look {look} of {looks}"
            );
            stages.extend(stage);
        }
    }
    for stage in [Stage::Read, Stage::Search, Stage::Write, Stage::Verify, Stage::Measure, Stage::Publish] {
        assert!(stages.contains(&stage), "nothing was stopped while {}", stage.name());
    }
}
