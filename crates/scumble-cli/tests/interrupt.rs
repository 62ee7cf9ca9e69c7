//! Runs that are ended at a random moment: the old release is whole or fully replaced, and nothing readable is left.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like the tests themselves")]

mod common;

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{Desk, ROLES, Run, arguments, cells, next_random, scumble};

const ROWS: &str = "200000";
const OLD: &str = "the old release\n";
const FLAGS: &[&str] = &[
    "--quasi",
    "birth_date,sex,postcode,occupation",
    "--class",
    "readmitted",
    "--rest",
    "drop",
    "--missing",
    "own-value",
];

/// A desk with a large table, the time that an undisturbed run takes on it, and its release.
struct Stage {
    desk: Desk,
    whole_run: Duration,
    release: Vec<u8>,
}

fn stage() -> Stage {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", ROWS, "-o", "people.csv"]).succeeds();
    let started = Instant::now();
    Run::of(&mut command(&desk, "5")).succeeds();
    let whole_run = started.elapsed();
    let release = desk.bytes("out/release.csv");
    std::fs::remove_dir_all(desk.path("out")).unwrap();
    Stage { desk, whole_run, release }
}

fn command(desk: &Desk, k: &str) -> Command {
    std::fs::create_dir_all(desk.path("out")).unwrap();
    std::fs::create_dir_all(desk.path("tmp")).unwrap();
    let mut command = scumble(desk.root());
    let first = ["anonymize", "people.csv", "-o", "out/release.csv", "--force", "--k", k];
    command.args(arguments(&[&first, FLAGS])).env("TMPDIR", desk.path("tmp"));
    command
}

/// Starts a run over an old release and ends it after a share of its time.
fn disturb(stage: &Stage, share: f64, end: impl FnOnce(&mut Child)) -> std::process::Output {
    stage.desk.file("out/release.csv", OLD);
    let mut child = command(&stage.desk, "5")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("scumble runs");
    std::thread::sleep(stage.whole_run.mul_f64(share));
    end(&mut child);
    child.wait_with_output().expect("it has ended")
}

/// Checks that the release is the old or the new one, and that all other files may be there.
fn inspect(stage: &Stage, what: &str) -> bool {
    let found = stage.desk.bytes("out/release.csv");
    let replaced = found == stage.release;
    assert!(replaced || found == OLD.as_bytes(), "{what}: the release is neither the old nor the new one");
    for path in stage.desk.listing().iter().filter(|path| path.starts_with("out") || path.starts_with("tmp"))
    {
        let name = path.to_string_lossy().into_owned();
        let full = stage.desk.path(&name);
        let mode = std::fs::metadata(&full).unwrap().permissions().mode() & 0o777;
        let public = [
            "out",
            "tmp",
            "out/release.csv",
            "out/release.csv.datasheet.json",
            "out/release.csv.datasheet.md",
        ];
        if public.contains(&name.as_str()) {
            // A public file is complete from its first moment on.
            match Path::new(&name).extension().and_then(|extension| extension.to_str()) {
                Some("json") => assert!(stage.desk.json(&name).is_object()),
                Some("md") => assert!(stage.desk.text(&name).contains("## What is not promised")),
                _ => {}
            }
        } else {
            assert_eq!(mode & 0o077, 0, "{what}: others can read {name}");
        }
    }
    replaced
}

fn clear(stage: &Stage) {
    std::fs::remove_dir_all(stage.desk.path("out")).unwrap();
    std::fs::remove_dir_all(stage.desk.path("tmp")).unwrap();
}

/// Returns random shares of the time of a run, spread over all of it.
fn moments(count: u64, seed: u64) -> impl Iterator<Item = f64> {
    let mut state = seed;
    (0..count).map(move |place| {
        state = next_random(state);
        (place as f64 + (state >> 40) as f64 / (1 << 24) as f64) / count as f64 * 1.1
    })
}

#[test]
fn killed_at_a_random_moment() {
    let stage = stage();
    let mut intact = 0;
    for share in moments(14, 1) {
        let output = disturb(&stage, share, |child| drop(child.kill()));
        let what = format!("killed at {share:.3}");
        let replaced = inspect(&stage, &what);
        assert!(output.status.signal() == Some(9) || output.status.success(), "{what}: {:?}", output.status);
        assert!(replaced || !output.status.success(), "{what}: a run that ended well has published");
        intact += u32::from(!replaced);
        clear(&stage);
    }
    assert!(intact > 0, "no run was killed in time");
}

#[test]
fn a_leftover_of_a_killed_run_is_swept() {
    let desk = Desk::with_people();
    // Process numbers are below 2^22, so this process is gone.
    desk.file(".scumble-4194999-abcdefgh.tmp", "half a release").file(".scumble-notes.tmp", "not ours");
    desk.release("out.csv", &[]);
    assert!(!desk.exists(".scumble-4194999-abcdefgh.tmp") && desk.exists(".scumble-notes.tmp"));
}

#[test]
fn interrupted_at_a_random_moment() {
    let stage = stage();
    let mut interrupted = 0;
    // In the first few milliseconds the process is not yet listening for signals.
    for share in moments(10, 2).map(|share| share.max(0.05)) {
        let output = disturb(&stage, share, |child| {
            let kill = format!("kill -INT {}", child.id());
            let _ = Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status();
        });
        let what = format!("interrupted at {share:.3}: {output:?}");
        let replaced = inspect(&stage, &what);
        match output.status.code() {
            Some(130) => {
                assert!(!replaced, "{what}: it said that nothing was released");
                let message = String::from_utf8_lossy(&output.stderr);
                assert!(message.contains("interrupted: nothing was released"), "{message}");
                let left: Vec<_> =
                    stage.desk.listing().into_iter().filter(|path| path.starts_with("out")).collect();
                assert_eq!(left, ["out", "out/release.csv"].map(std::path::PathBuf::from), "{what}");
                interrupted += 1;
            }
            // The signal came too late: the files were getting their names.
            Some(0) => assert!(replaced, "{what}"),
            other => panic!("exit code {other:?}: {what}"),
        }
        clear(&stage);
    }
    assert!(interrupted > 0, "no run was interrupted in time");
}

#[test]
fn terminated_like_interrupted() {
    let stage = stage();
    let mut codes = Vec::new();
    // The time of a run depends on what else runs, so a single moment may be too late.
    for share in [0.05, 0.1, 0.2] {
        let output = disturb(&stage, share, |child| {
            let _ = Command::new("sh").args(["-c", &format!("kill -TERM {}", child.id())]).status();
        });
        let replaced = inspect(&stage, "terminated");
        assert_eq!(replaced, output.status.code() == Some(0), "{output:?}");
        codes.push(output.status.code());
        clear(&stage);
    }
    assert!(codes.contains(&Some(130)), "{codes:?}");
}

/// While a release is being written, nothing of it is visible.
#[test]
fn nothing_unverified_is_ever_readable() {
    let stage = stage();
    stage.desk.file("out/release.csv", OLD);
    let mut child = command(&stage.desk, "5").stderr(Stdio::null()).spawn().expect("scumble runs");
    let mut looks = 0;
    while child.try_wait().expect("its state").is_none() {
        // A file may be renamed between listing the folder and reading its metadata.
        for entry in std::fs::read_dir(stage.desk.path("out")).unwrap().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(metadata) = entry.metadata() else { continue };
            if !name.starts_with("release") {
                assert_eq!(metadata.permissions().mode() & 0o077, 0, "others can read {name}");
            }
        }
        looks += 1;
    }
    assert!(looks > 1 && child.wait().unwrap().success());
    assert_eq!(stage.desk.bytes("out/release.csv"), stage.release);
    assert_eq!(cells(&stage.desk.path("out/release.csv")).len(), 200_001);
}

/// Starts a command that waits at a check for a stop, interrupts it there, and returns how it ended; `None` if it ended before that check.
fn interrupt_at(desk: &Desk, look: u64, arguments: &[&str]) -> Option<std::process::Output> {
    // The file that signals this moment is outside the folder that the test inspects.
    let signs = Desk::new();
    let sign = signs.path("reached");
    let mut command = scumble(desk.root());
    command.args(arguments).env("SCUMBLE_HOLD", format!("{look},{}", sign.display()));
    command.env("TMPDIR", desk.path("tmp")).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("scumble runs");
    while !sign.exists() {
        if child.try_wait().expect("its state").is_some() {
            let ended = child.wait_with_output().expect("it has ended");
            assert_eq!(ended.status.code(), Some(0), "{arguments:?} without an interrupt: {ended:?}");
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    let kill = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(kill.expect("a shell").success());
    // While files get their names an interrupt waits, and this file must not hold it up.
    std::thread::sleep(Duration::from_millis(50));
    let _ = std::fs::remove_file(&sign);
    Some(child.wait_with_output().expect("it has ended"))
}

/// Interrupts a command at its first checks for a stop, at its last ones, and at many between. It must end with 130 and leave everything as
/// before, unless the interrupt came too late and the work is done. `kept` are files that it may leave.
fn interrupt_everywhere(desk: &Desk, arguments: &[&str], outputs: &[&str], kept: &[&str]) {
    std::fs::create_dir_all(desk.path("tmp")).unwrap();
    let before = desk.listing();
    let clear = || {
        for path in desk.listing().difference(&before) {
            let full = desk.path(&path.to_string_lossy());
            let _ = if full.is_dir() { std::fs::remove_dir_all(&full) } else { std::fs::remove_file(&full) };
        }
    };
    let is_kept = |path: &Path| kept.iter().any(|name| path.starts_with(name));
    let mut interrupted = 0;
    // The step grows. Once it goes too far, half of it is tried, so that the last checks are reached, too.
    let (mut look, mut step) = (0_u64, 1_u64);
    while step > 0 {
        let Some(ended) = interrupt_at(desk, look, arguments) else {
            clear();
            look -= step;
            step /= 2;
            look += step;
            continue;
        };
        let what = format!("{arguments:?} at look {look}: {ended:?}");
        let message = String::from_utf8_lossy(&ended.stderr);
        let after = desk.listing();
        let left: Vec<_> = after.difference(&before).filter(|path| !is_kept(path)).collect();
        match ended.status.code() {
            Some(130) => {
                assert!(message.contains("error: interrupted: "), "{what}");
                assert!(left.is_empty(), "{what} left {left:?}");
                assert!(ended.stdout.is_empty(), "{what}");
                interrupted += 1;
            }
            Some(0) => assert!(outputs.iter().all(|name| desk.exists(name)), "{what} left {left:?}"),
            other => panic!("exit code {other:?}: {what}"),
        }
        clear();
        step = if look == 0 { 1 } else { step * 2 };
        look += step;
    }
    assert!(interrupted > 2, "{arguments:?} was interrupted {interrupted} times only");
}

/// The roles of the people in a release with classes of one row.
const AGAIN: &[&str] =
    &["--quasi", "age,sex,postcode", "--class", "readmitted", "--rest", "drop", "--k", "3"];

#[test]
fn interrupted_at_any_look_whatever_the_format() {
    for (input, output) in
        [("in.parquet", "out.parquet"), ("in.arrow", "out.arrow"), ("in.csv.gz", "out.csv.gz")]
    {
        let desk = Desk::with_people();
        let made = [
            "--quasi",
            "age,sex,postcode",
            "--class",
            "readmitted",
            "--rest",
            "drop",
            "--k",
            "1",
            "--report",
            "",
        ];
        desk.run(&arguments(&[&["anonymize", "people.csv", "-o", input], &made])).succeeds();
        let run = arguments(&[&["anonymize", input, "-o", output], AGAIN]);
        interrupt_everywhere(&desk, &run, &[output], &[]);
    }
}

#[test]
fn apply_interrupted_at_any_look() {
    let desk = Desk::with_people();
    desk.release("release.csv", &["--recoding", "recoding.json", "--report", ""]);
    interrupt_everywhere(
        &desk,
        &["apply", "recoding.json", "people.csv", "-o", "again.csv"],
        &["again.csv"],
        &[],
    );
}

#[test]
fn check_risk_and_attack_interrupted_at_any_look() {
    let desk = Desk::with_people();
    desk.release("release.csv", &["--report", ""]);
    let beside = ["release.csv", "--original", "people.csv"];
    interrupt_everywhere(&desk, &arguments(&[&["check"], &beside, ROLES]), &[], &[]);
    let risk =
        ["risk", "people.csv", "--quasi", "age,sex,postcode", "-o", "risk.html", "--records", "risks.csv"];
    interrupt_everywhere(&desk, &risk, &["risk.html", "risks.csv"], &[]);
    // The quick attacks, each stopped while it goes through people.
    let only = ["-o", "attack.html", "--only", "linkage,homogeneity,definetti,membership"];
    interrupt_everywhere(&desk, &arguments(&[&["attack"], &beside, ROLES, &only]), &["attack.html"], &[]);
}

#[test]
fn compare_and_evaluate_interrupted_at_any_look() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "60", "-o", "patients.csv"]).succeeds();
    let compare = [
        "compare",
        "patients.csv",
        "--quasi",
        "sex,occupation",
        "--class",
        "readmitted",
        "--rest",
        "drop",
        "--algorithm",
        "mondrian",
        "--k",
        "2",
        "--folds",
        "2",
        "--learner",
        "naive_bayes",
        "-o",
        "compare.html",
    ];
    interrupt_everywhere(&desk, &compare, &["compare.html"], &[]);
    let release = "input = \"patients.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nsex = { role = \"quasi\" }\n\
                   occupation = { role = \"quasi\" }\nreadmitted = { role = \"class\" }\n";
    let evaluation = "[protocol]\nfolds = 2\n[[data]]\nname = \"clinic\"\nplan = \"release.toml\"\n[[algorithm]]\nname = \"mondrian\"\n\
                      [vary]\nk = [2]\n[[learner]]\nname = \"naive_bayes\"\n";
    desk.file("release.toml", release).file("evaluation.toml", evaluation);
    // Finished results stay in the journal, and the same command continues from there.
    let folder = "evaluation.evaluation";
    let page = "evaluation.evaluation/results.csv";
    interrupt_everywhere(&desk, &["evaluate", "evaluation.toml"], &[page], &[folder]);
}
