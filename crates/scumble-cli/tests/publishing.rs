//! The publishing step under faults: one system call after the other fails, and message, exit code and disk must agree.
//!
//! `strace` injects the faults into the real command. Only its first thread publishes, and only that one is traced, so its number
//! identifies a call. Some libraries open files with `open` and others with `openat`, so both are traced, here and elsewhere.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like the tests themselves")]

mod common;
#[path = "common/faults.rs"]
mod faults;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use common::{Desk, ROLES, Run, arguments, files_below, skip};
use faults::{call, can_inject, copied, for_each, publishing_calls, traced};

/// The files under public names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Disk(BTreeMap<PathBuf, Option<Vec<u8>>>);

impl Disk {
    fn of(desk: &Desk) -> Self {
        let ours = |path: &PathBuf| {
            !path.starts_with("tmp") && path != Path::new("trace.log") && path != Path::new("people.csv")
        };
        let files = files_below(desk.root()).into_iter().filter(ours);
        Self(files.map(|path| (path.clone(), std::fs::read(desk.root().join(&path)).ok())).collect())
    }

    fn bytes(&self, name: &str) -> Option<&Vec<u8>> {
        self.0.get(Path::new(name))?.as_ref()
    }

    /// Returns the disk without files that the next run removes.
    fn without_hidden(&self) -> Self {
        let hidden = |path: &Path| {
            path.components().any(|part| part.as_os_str().to_string_lossy().starts_with(".scumble-"))
        };
        Self(
            self.0
                .iter()
                .filter(|(path, _)| !hidden(path))
                .map(|(path, bytes)| (path.clone(), bytes.clone()))
                .collect(),
        )
    }
}

fn digest(bytes: &[u8]) -> String {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, bytes).unwrap();
    scumble_files::sha256(&mut file).unwrap()
}

/// One kind of release.
struct Case<'a> {
    flags: Vec<&'a str>,
    /// The file whose presence shows that the release is published; `None` for standard output.
    release: Option<&'a str>,
    /// Its datasheets.
    sheets: &'a [&'a str],
    /// The flags of an older release of ours that is there before, if any.
    older: Option<Vec<&'a str>>,
}

/// Fails every call of the publishing step once. Returns how many calls of each name failed.
fn inject_everywhere(case: &Case<'_>) -> BTreeMap<String, u32> {
    let first = Desk::with_people();
    if let Some(older) = &case.older {
        first.run(older).succeeds();
    }
    let before = Disk::of(&first);
    let desk = copied(&first);
    let sound = traced(&desk, &[], &case.flags).succeeds();
    let after = Disk::of(&desk);
    assert_ne!(before, after.without_hidden());
    if let Some(release) = case.release {
        let new = after.bytes(release).expect("a release");
        assert_ne!(before.bytes(release), Some(new), "the new release must be told from the old one");
    }
    let calls = publishing_calls(&desk.text("trace.log"));
    let failed = Mutex::new(BTreeMap::<String, u32>::new());
    for_each(&calls, |(name, number)| {
        let desk = copied(&first);
        let rule = format!("inject={name}:error=EIO:when={number}");
        let run = traced(&desk, std::slice::from_ref(&rule), &case.flags);
        let log = desk.text("trace.log");
        let Some(injected) = log.lines().find(|line| line.contains("(INJECTED)")) else {
            // How often system files are read depends on their length.
            assert_eq!(name, "read", "{rule}: no call failed");
            return;
        };
        *failed.lock().unwrap().entry(name.clone()).or_default() += 1;
        let what = format!("{rule}: exit {:?}\n{}\n{injected}", run.code, run.err);
        judge_run(case, &desk, &sound, [&before, &after], &run, &what);
        // Whatever happened, another run leaves nothing behind.
        let flags = arguments(&[&case.flags, &["--force"]]);
        let again = Run::of(common::scumble(desk.root()).args(flags));
        assert_eq!(again.code, Some(0), "{what}: again: {again:#?}");
        assert_eq!(
            Disk::of(&desk).0.keys().collect::<Vec<_>>(),
            after.0.keys().collect::<Vec<_>>(),
            "{what}"
        );
    });
    failed.into_inner().unwrap()
}

fn judge_run(case: &Case<'_>, desk: &Desk, sound: &Run, disks: [&Disk; 2], run: &Run, what: &str) {
    assert!(!run.err.contains("a bug in Scumble"), "{what}");
    let disk = Disk::of(desk);
    match case.release {
        Some(release) => judge(case, release, &disk, disks, run, what),
        None if run.code == Some(0) => assert_eq!(run.out, sound.out, "{what}"),
        None => {
            assert_eq!(run.code, Some(3), "{what}");
            match run.out.as_str() {
                "" => {
                    assert!(run.err.contains("nothing was published"), "{what}");
                    assert_eq!(*disks[0], disk.without_hidden(), "{what}");
                }
                whole if whole == sound.out => {
                    assert!(run.err.contains("the release was written to standard output, but"), "{what}");
                }
                _ => assert!(run.err.contains("only a part of the release was published"), "{what}"),
            }
        }
    }
}

/// Checks that message, exit code and disk agree for a release with a name.
fn judge(case: &Case<'_>, release: &str, disk: &Disk, [before, after]: [&Disk; 2], run: &Run, what: &str) {
    let published = disk.bytes(release) == after.bytes(release);
    if !published {
        assert_eq!(disk.bytes(release), before.bytes(release), "{what}: neither the old nor the new release");
    }
    for sheet in case.sheets {
        if let Some(text) = disk.bytes(sheet) {
            let beside = digest(disk.bytes(release).unwrap());
            assert!(
                String::from_utf8_lossy(text).contains(&beside),
                "{what}: {sheet} describes another release"
            );
        }
    }
    match run.code {
        Some(0) => {
            assert!(published, "{what}");
            assert_eq!(
                after.0.keys().collect::<Vec<_>>(),
                disk.without_hidden().0.keys().collect::<Vec<_>>(),
                "{what}"
            );
        }
        Some(3) if published => {
            assert!(run.err.contains("the release was published as"), "{what}");
            assert!(!run.err.contains("nothing was published"), "{what}");
        }
        Some(3) => {
            assert!(run.err.contains("nothing was published"), "{what}");
            assert_eq!(*before, disk.without_hidden(), "{what}: something changed");
        }
        code => panic!("exit code {code:?}: {what}"),
    }
}

fn covers(failed: &BTreeMap<String, u32>, groups: &[&[&str]]) {
    for group in groups {
        assert!(group.iter().any(|name| failed.contains_key(*name)), "no {group:?} failed: {failed:?}");
    }
}

/// Names of calls differ between systems; one of each group is used.
const NAMING: &[&[&str]] = &[
    &["open", "openat"],
    &["fsync", "fdatasync"],
    &["fchmod", "chmod", "fchmodat"],
    &["linkat", "link"],
    &["rename", "renameat", "renameat2"],
    &["close"],
];

#[test]
fn a_release_over_an_older_one() {
    if !can_inject() {
        return skip("a_release_over_an_older_one", "strace cannot inject faults here");
    }
    let flags = arguments(&[&["anonymize", "people.csv", "-o", "out.csv", "--report", ""], ROLES]);
    let older = older_flags(&arguments(&[&flags, &["--k", "6"]]));
    let failed = inject_everywhere(&Case {
        flags,
        release: Some("out.csv"),
        sheets: &["out.csv.datasheet.json", "out.csv.datasheet.md"],
        older: Some(older),
    });
    covers(&failed, NAMING);
    covers(&failed, &[&["write"], &["unlink", "unlinkat"]]);
}

/// Returns the flags of an older release. Of a flag that is given twice, only the second one counts.
fn older_flags<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let first = flags.iter().position(|flag| *flag == "--k").unwrap();
    let mut flags = flags.to_vec();
    flags.drain(first..first + 2);
    flags
}

#[test]
fn a_release_with_report_and_recoding() {
    if !can_inject() {
        return skip("a_release_with_report_and_recoding", "strace cannot inject faults here");
    }
    let more: &[&str] = &["--report", "private/report", "--recoding", "rule.json"];
    let failed = inject_everywhere(&Case {
        flags: arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], more, ROLES]),
        release: Some("out.csv"),
        sheets: &["out.csv.datasheet.json", "out.csv.datasheet.md"],
        older: None,
    });
    covers(&failed, NAMING);
    covers(&failed, &[&["write"], &["mkdir", "mkdirat"]]);
}

const SEVERAL: &[&str] = &[
    "anonymize",
    "people.csv",
    "-o",
    "out",
    "--algorithm",
    "anatomy",
    "--quasi",
    "age,sex,postcode",
    "--sensitive",
    "diagnosis",
    "--rest",
    "drop",
];

#[test]
fn a_folder_over_an_older_one() {
    if !can_inject() {
        return skip("a_folder_over_an_older_one", "strace cannot inject faults here");
    }
    let failed = inject_everywhere(&Case {
        flags: arguments(&[SEVERAL, &["--l", "2", "--report", "report", "--seed", "1"]]),
        release: Some("out/rows.csv"),
        sheets: &["out/datasheet.json", "out/datasheet.md"],
        older: Some(arguments(&[SEVERAL, &["--l", "3", "--report", "report", "--seed", "1"]])),
    });
    covers(&failed, NAMING);
    covers(&failed, &[&["write"], &["mkdir", "mkdirat"], &["unlinkat", "unlink"]]);
}

#[test]
fn standard_output_with_a_report() {
    if !can_inject() {
        return skip("standard_output_with_a_report", "strace cannot inject faults here");
    }
    let more: &[&str] = &["--report", "report", "--recoding", "rule.json"];
    let failed = inject_everywhere(&Case {
        flags: arguments(&[&["anonymize", "people.csv", "-o", "-"], more, ROLES]),
        release: None,
        sheets: &[],
        older: None,
    });
    covers(
        &failed,
        &[
            &["open", "openat"],
            &["write"],
            &["fsync"],
            &["linkat", "link"],
            &["rename", "renameat", "renameat2"],
        ],
    );
}

/// Kills the command at every one of these calls: there is never a datasheet next to a release that it does not describe.
#[test]
fn killed_at_every_call() {
    if !can_inject() {
        return skip("killed_at_every_call", "strace cannot inject faults here");
    }
    let flags = arguments(&[&["anonymize", "people.csv", "-o", "out.csv", "--report", ""], ROLES]);
    let older = older_flags(&arguments(&[&flags, &["--k", "6"]]));
    let first = Desk::with_people();
    first.run(&older).succeeds();
    let old = first.bytes("out.csv");
    let desk = copied(&first);
    traced(&desk, &[], &flags).succeeds();
    let naming = [
        "rename",
        "renameat",
        "renameat2",
        "unlink",
        "unlinkat",
        "link",
        "linkat",
        "fchmod",
        "fsync",
        "open",
        "openat",
    ];
    let mut calls = publishing_calls(&desk.text("trace.log"));
    calls.retain(|(name, _)| naming.contains(&name.as_str()));
    let states = Mutex::new(BTreeSet::new());
    for_each(&calls, |(name, number)| {
        let desk = copied(&first);
        let run = traced(&desk, &[format!("inject={name}:signal=KILL:when={number}")], &flags);
        assert_ne!(run.code, Some(0), "{name} {number}: it was not killed");
        let replaced = desk.bytes("out.csv") != old;
        let beside = digest(&desk.bytes("out.csv"));
        let mut sheets = 0;
        for sheet in ["out.csv.datasheet.json", "out.csv.datasheet.md"] {
            if desk.exists(sheet) {
                assert!(
                    desk.text(sheet).contains(&beside),
                    "{name} {number}: {sheet} describes another release"
                );
                sheets += 1;
            }
        }
        states.lock().unwrap().insert((replaced, sheets));
        desk.run(&arguments(&[&["check", "out.csv"], &ROLES[..4], &["--k", "3"]])).succeeds();
    });
    let states = states.into_inner().unwrap();
    for state in [(false, 2), (false, 0), (true, 0), (true, 2)] {
        assert!(states.contains(&state), "{state:?} was never seen: {states:?}");
    }
}

/// If the system cannot exchange two folders, the old one is moved in steps, and nothing is left of it.
#[test]
fn folders_that_cannot_be_exchanged() {
    if !can_inject() {
        return skip("folders_that_cannot_be_exchanged", "strace cannot inject faults here");
    }
    let first = arguments(&[SEVERAL, &["--l", "3", "--report", "", "--seed", "1"]]);
    let second = arguments(&[SEVERAL, &["--l", "2", "--report", "", "--seed", "1"]]);
    let missing = "inject=renameat2:error=EINVAL:when=1".to_owned();
    let desk = Desk::with_people();
    desk.run(&first).succeeds();
    let old = desk.bytes("out/rows.csv");
    let names = Disk::of(&desk).0.into_keys().collect::<Vec<_>>();
    traced(&desk, std::slice::from_ref(&missing), &second).succeeds();
    assert!(desk.text("trace.log").contains("(INJECTED)"), "the exchange was not asked for");
    let new = desk.bytes("out/rows.csv");
    assert_ne!(old, new);
    assert_eq!(Disk::of(&desk).0.into_keys().collect::<Vec<_>>(), names, "nothing is left of the old folder");
    // If the command is killed between the two steps, the old release is set aside. The next run first gives it its name again.
    let renames = desk.text("trace.log").lines().filter(|line| call(line) == "rename").count();
    assert!(renames >= 2, "{}", desk.text("trace.log"));
    let mut aside = 0;
    for number in 1..=renames {
        let desk = Desk::with_people();
        desk.run(&first).succeeds();
        traced(&desk, &[missing.clone(), format!("inject=rename:signal=KILL:when={number}")], &second);
        aside += u32::from(!desk.exists("out"));
        let infeasible = arguments(&[SEVERAL, &["--l", "9", "--report", ""]]);
        assert_ne!(desk.run(&infeasible).code, Some(0));
        let found = desk.bytes("out/rows.csv");
        assert!(found == old || found == new, "killed at rename {number}");
        assert_eq!(Disk::of(&desk).0.into_keys().collect::<Vec<_>>(), names, "killed at rename {number}");
    }
    assert!(aside > 0, "no run was killed between the steps");
}

/// Two runs publish under one name at the same time.
#[test]
fn two_writers_leave_a_pair_that_belongs_together() {
    let desk = Desk::with_people();
    let flags = |k: &'static str| {
        let first: &[&str] =
            &["anonymize", "people.csv", "-o", "out.csv", "--report", "", "--force", "--k", k];
        arguments(&[first, &["--quasi", "age,sex,postcode", "--rest", "drop"]])
    };
    for _ in 0..12 {
        let children: Vec<_> = ["2", "6"]
            .into_iter()
            .map(|k| {
                let mut command = common::scumble(desk.root());
                command.args(flags(k)).stderr(Stdio::piped()).spawn().expect("scumble runs")
            })
            .collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        }
        let sheet = desk.json("out.csv.datasheet.json");
        let digest = digest(&desk.bytes("out.csv"));
        assert_eq!(sheet["files"][0]["sha256"], digest.as_str());
        assert!(desk.text("out.csv.datasheet.md").contains(&digest));
    }
}

/// A message that cannot be written changes nothing about a release.
#[test]
fn nobody_listens() {
    let desk = Desk::with_people();
    let scumble = assert_cmd::cargo::cargo_bin("scumble");
    let line = arguments(&[&["anonymize", "people.csv", "-o", "out.csv", "-v"], ROLES]).join(" ");
    for redirected in ["2>/dev/full", "2>&-", "2>&1 | true; exit ${PIPESTATUS[0]}"] {
        for json in ["", "--json >/dev/null"] {
            if redirected.contains('|') && !json.is_empty() {
                continue;
            }
            let script = format!("'{}' {line} {json} {redirected}", scumble.display());
            let run = Run::of(Command::new("bash").args(["-c", &script]).current_dir(desk.root()));
            assert_eq!(run.code, Some(0), "{redirected} {json}: {}", run.err);
            assert!(desk.exists("out.csv.datasheet.json"));
            std::fs::remove_file(desk.path("out.csv")).unwrap();
        }
    }
    // The same holds for warnings.
    let several = SEVERAL.join(" ");
    for redirected in ["2>/dev/full", "2>&-"] {
        let script = format!("'{}' {several} --l 2 --seed 1 {redirected}", scumble.display());
        let run = Run::of(Command::new("bash").args(["-c", &script]).current_dir(desk.root()));
        assert_eq!(run.code, Some(0), "{redirected}: {}", run.err);
        assert!(desk.exists("out/datasheet.json"));
    }
    // If the figures cannot be printed, the command reports that.
    let script = format!("'{}' {line} --json >/dev/full", scumble.display());
    let run = Run::of(Command::new("bash").args(["-c", &script]).current_dir(desk.root()));
    run.fails(3, &["the release was published, but", "standard output"]);
    assert!(desk.exists("out.csv"));
    let script = format!("'{}' {line} --force --json | true; exit ${{PIPESTATUS[0]}}", scumble.display());
    let run = Run::of(Command::new("bash").args(["-c", &script]).current_dir(desk.root()));
    assert_eq!(run.code, Some(0), "{}", run.err);
}

#[test]
fn a_closed_standard_output_is_told_before_any_work() {
    let mut desk = Desk::with_people();
    desk.release("other.csv", &["--recoding", "rule.json"]);
    desk.table("broken.csv", "age\n\"1");
    let scumble = assert_cmd::cargo::cargo_bin("scumble");
    for line in [
        "anonymize broken.csv -o - --quasi age --k 2",
        "apply rule.json broken.csv -o -",
        "sample -o -",
        "init broken.csv -o -",
        "hierarchy build broken.csv age -o -",
    ] {
        let script = format!("'{}' {line} >&-", scumble.display());
        let run = Run::of(Command::new("bash").args(["-c", &script]).current_dir(desk.root()));
        run.fails(3, &["cannot write to standard output", "closed"]);
    }
    // Discarding the output is not the same as a closed output.
    let script = format!("'{}' sample -o - >/dev/null", scumble.display());
    Run::of(Command::new("bash").args(["-c", &script]).current_dir(desk.root())).succeeds();
}

#[test]
fn a_folder_in_the_way_of_the_spool_file() {
    let desk = Desk::with_people();
    // Earlier versions used a temporary file of this name.
    std::fs::create_dir_all(desk.path("tmp/scumble-release.csv")).unwrap();
    let flags = arguments(&[&["anonymize", "people.csv", "-o", "-"], ROLES]);
    let run = Run::of(common::scumble(desk.root()).args(&flags).env("TMPDIR", desk.path("tmp"))).succeeds();
    assert!(run.out.starts_with("age,sex,postcode"));
    let run = Run::of(common::scumble(desk.root()).args(&flags).env("TMPDIR", desk.path("none")));
    run.fails(3, &["a temporary file in", "none", "TMPDIR", "nothing was published"]);
}
