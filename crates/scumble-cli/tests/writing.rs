//! Places where a release cannot or must not be written: refused with a reason, and the old files stay.

mod common;

use std::process::Command;

use common::{Desk, PEOPLE, ROLES, Run, arguments, skip};

fn refuses_target(desk: &Desk, code: i32, words: &[&str], output: &str) {
    desk.refuses(code, words, &arguments(&[&["anonymize", "people.csv", "-o", output], ROLES]));
}

#[test]
fn an_unknown_ending() {
    for output in ["out.xls", "out", "out.parquet.gz"] {
        refuses_target(&Desk::with_people(), 2, &[output, "extension", ".csv", ".parquet"], output);
    }
}

#[test]
fn a_folder_that_is_not_there() {
    refuses_target(&Desk::with_people(), 3, &["'none/out.csv'", "folder does not exist"], "none/out.csv");
}

#[test]
fn a_path_through_a_file() {
    refuses_target(&Desk::with_people(), 3, &["'people.csv/out.csv'", "is a file"], "people.csv/out.csv");
}

#[test]
fn a_folder_in_place_of_the_file() {
    let desk = Desk::with_people();
    desk.file("out.csv/inner", "");
    refuses_target(&desk, 3, &["'out.csv'", "it is a folder"], "out.csv");
}

#[test]
fn a_device_is_no_target() {
    let desk = Desk::with_people();
    std::os::unix::fs::symlink("/dev/full", desk.path("full.csv")).unwrap();
    refuses_target(&desk, 2, &["'full.csv'", "device"], "full.csv");
}

#[test]
fn a_report_that_cannot_be_written_keeps_the_release_back() {
    let desk = Desk::with_people();
    let flags = arguments(&[ROLES, &["--report", "people.csv/report"]]);
    desk.refuses_people(3, &["people.csv/report"], &flags);
}

#[test]
fn the_output_is_the_input() {
    let desk = Desk::with_people();
    std::fs::create_dir(desk.path("sub")).unwrap();
    std::os::unix::fs::symlink("people.csv", desk.path("link.csv")).unwrap();
    std::fs::hard_link(desk.path("people.csv"), desk.path("hard.csv")).unwrap();
    for output in ["people.csv", "./people.csv", "sub/../people.csv", "link.csv", "hard.csv"] {
        refuses_target(&desk, 2, &["that this command reads"], output);
        assert_eq!(desk.text("people.csv"), PEOPLE);
    }
}

#[test]
fn a_datasheet_or_report_over_the_input() {
    // The datasheet of `out.csv` is `out.csv.datasheet.json`, and an input of that name must not be overwritten.
    let mut desk = Desk::new();
    desk.table("out.csv.datasheet.json", PEOPLE);
    desk.refuses(
        2,
        &["out.csv.datasheet.json"],
        &arguments(&[&["anonymize", "out.csv.datasheet.json", "-o", "out.csv"], ROLES]),
    );
    assert_eq!(desk.text("out.csv.datasheet.json"), PEOPLE);
}

#[test]
fn the_output_of_a_plan_is_its_input() {
    let desk = Desk::with_people();
    desk.file(
        "release.toml",
        "input = \"people.csv\"\noutput = \"./people.csv\"\nrest = \"drop\"\n[columns]\nage = { role = \"quasi\" }\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n",
    );
    desk.refuses(2, &["that this command reads"], &["anonymize", "release.toml"]);
    assert_eq!(desk.text("people.csv"), PEOPLE);
}

#[test]
fn other_commands_do_not_overwrite_their_input() {
    let desk = Desk::with_people();
    desk.refuses(2, &["people.csv"], &["init", "people.csv", "-o", "people.csv", "--force"]);
    assert_eq!(desk.text("people.csv"), PEOPLE);
    desk.refuses(2, &["people.csv"], &["hierarchy", "build", "people.csv", "age", "-o", "people.csv"]);
    assert_eq!(desk.text("people.csv"), PEOPLE);
}

#[test]
fn init_does_not_overwrite_a_plan() {
    let desk = Desk::with_people();
    desk.file("release.toml", "mine");
    desk.refuses(2, &["release.toml", "--force", "another name"], &["init", "people.csv"]);
    assert_eq!(desk.text("release.toml"), "mine");
    desk.run(&["init", "people.csv", "--force"]).succeeds();
    assert!(desk.text("release.toml").contains("people.csv"));
}

#[test]
fn an_old_release_stays_when_the_new_one_fails() {
    let desk = Desk::with_people();
    desk.file("out.csv", "the old release\n");
    let flags = ["--quasi", "age,sex", "--rest", "drop", "--k", "13", "--force"];
    desk.refuses_people(1, &["ask for the largest possible k (--k 12)"], &flags);
    assert_eq!(desk.text("out.csv"), "the old release\n");
}

/// Runs a script in a mount namespace of its own, where it may mount anything. `None` if the system forbids that.
fn in_own_mounts(desk: &Desk, script: &str) -> Option<Run> {
    let possible = |flags: &[&str]| {
        let probe = "mkdir -p mounted && mount -t tmpfs -o size=64k none mounted";
        let status =
            Command::new("unshare").args(flags).args(["sh", "-c", probe]).current_dir(desk.root()).output();
        status.is_ok_and(|output| output.status.success())
    };
    let ways: [&[&str]; 2] = [&["--mount"], &["--map-root-user", "--mount"]];
    let way = ways.into_iter().find(|way| possible(way))?;
    let binary = assert_cmd::cargo::cargo_bin("scumble");
    let mut command = Command::new("unshare");
    command.args(way).args(["sh", "-c", script]).env("SCUMBLE", binary).current_dir(desk.root());
    Some(Run::of(&mut command))
}

#[test]
fn a_full_disk() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "3000", "-o", "people.csv"]).succeeds();
    let script = "mount -t tmpfs -o size=64k none mounted || exit 99
        echo old > mounted/out.csv
        \"$SCUMBLE\" anonymize people.csv -o mounted/out.csv --force --report '' --quasi sex,postcode --drop patient_id,name --rest other --k 3
        code=$?
        ls -A mounted; cat mounted/out.csv; exit $code";
    let Some(run) = in_own_mounts(&desk, script) else {
        return skip("a_full_disk", "no file system can be mounted here");
    };
    run.fails(3, &["'mounted/out.csv'", "the disk is full", "nothing was published"]);
    assert_eq!(run.out, "out.csv\nold\n", "the old release is whole, and nothing is beside it");
}

#[test]
fn a_disk_that_is_full_for_the_report_only() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "3000", "-o", "people.csv"]).succeeds();
    let script = "mount -t tmpfs -o size=64k none mounted || exit 99
        \"$SCUMBLE\" anonymize people.csv -o out.csv --report mounted/report --quasi sex,postcode --drop patient_id,name --rest other --k 3";
    let Some(run) = in_own_mounts(&desk, script) else {
        return skip("a_disk_that_is_full_for_the_report_only", "no file system can be mounted here");
    };
    run.fails(3, &["the disk is full", "mounted/report"]);
    assert!(
        !desk.exists("out.csv") && !desk.exists("out.csv.datasheet.json"),
        "nothing is published without its report"
    );
}

#[test]
fn a_read_only_disk() {
    let desk = Desk::with_people();
    let script = "mount -t tmpfs -o size=64k,ro none mounted || exit 99
        \"$SCUMBLE\" anonymize people.csv -o mounted/out.csv --quasi sex,age --rest drop --k 3";
    let Some(run) = in_own_mounts(&desk, script) else {
        return skip("a_read_only_disk", "no file system can be mounted here");
    };
    run.fails(3, &["'mounted/out.csv'", "read-only"]);
}

#[test]
fn standard_output_that_is_full() {
    let desk = Desk::with_people();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = common::scumble(desk.root());
    command.args(["anonymize", "people.csv", "-o", "-"]).args(ROLES).stdout(full);
    Run::of(&mut command).fails(3, &["standard output"]);
}

#[test]
fn a_reader_that_has_gone_away_is_no_bug() {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "20000", "-o", "people.csv"]).succeeds();
    let script = "\"$SCUMBLE\" anonymize people.csv -o - --quasi sex,postcode --drop patient_id,name --rest other --k 3 | head -n 1";
    let mut command = Command::new("sh");
    command
        .args(["-c", script])
        .env("SCUMBLE", assert_cmd::cargo::cargo_bin("scumble"))
        .current_dir(desk.root());
    let run = Run::of(&mut command).succeeds();
    assert!(!run.err.contains("panicked"), "{}", run.err);
}
