//! Secret keys, and the steps that need one, from the command line.

mod common;

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{Desk, Run, arguments, cells, files_below, scumble};

/// Forty people with two visits each, all on the same two days, which are 35 days apart. Their numbers appear nowhere else.
fn desk() -> Desk {
    let mut desk = Desk::new();
    desk.table("people.csv", &format!("patient,sex,ward,visit,next\n{}", rows(0..40)));
    std::fs::create_dir(desk.path("keys")).expect("a folder");
    std::fs::create_dir(desk.path("out")).expect("a folder");
    desk.run(&["key", "new", "keys/clinic.key"]).succeeds();
    desk
}

fn rows(people: std::ops::Range<usize>) -> String {
    let row = |at: usize| {
        let person = at / 2;
        format!("CANARY{person:04},{},w{},2019-06-15,2019-07-20\n", ["f", "m"][person % 2], person % 3)
    };
    (2 * people.start..2 * people.end).map(row).collect()
}

const RUN: &[&str] =
    &["anonymize", "people.csv", "-o", "out/release.csv", "--k", "3", "--subject", "patient"];
const ROLES: &[&str] = &["--quasi", "sex,ward", "--other", "code,visit,next"];
const STEPS: &[&str] = &[
    "--transform",
    "pseudonym:column=patient,into=code,project=clinic",
    "--transform",
    "shift:columns=[visit,next],project=clinic,max=30",
];
const KEY: &[&str] = &["--key-file", "keys/clinic.key"];
const ACCEPT: &[&str] = &["--accept-linkable-rows"];

fn release(desk: &Desk, more: &[&str]) -> Run {
    desk.run(&arguments(&[RUN, ROLES, STEPS, KEY, ACCEPT, more])).succeeds()
}

/// The columns code, visit and next of a release, each different row once.
fn shown(desk: &Desk, file: &str) -> BTreeSet<Vec<String>> {
    let rows = cells(&desk.path(file));
    let place = |name: &str| rows[0].iter().position(|of| of == name).expect("a column");
    let places = ["code", "visit", "next"].map(place);
    rows[1..].iter().map(|row| places.iter().map(|place| row[*place].clone()).collect()).collect()
}

fn day(text: &str) -> u32 {
    let parts: Vec<u32> = text.split('-').map(|part| part.parse().expect("a number")).collect();
    // May to August of one year.
    [0, 0, 0, 0, 0, 0, 31, 61, 92][parts[1] as usize] + parts[2]
}

#[test]
fn a_new_key_is_private_and_never_replaced() {
    let desk = Desk::new();
    let made = desk.run(&["key", "new", "clinic.key"]).succeeds();
    assert!(made.out.contains("clinic.key (key-id "), "{}", made.out);
    let mode = std::fs::metadata(desk.path("clinic.key")).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let text = desk.text("clinic.key");
    assert!(text.trim().len() == 64 && !made.out.contains(text.trim()) && !made.err.contains(text.trim()));
    desk.refuses(2, &["'clinic.key' is already there", "never replaced"], &["key", "new", "clinic.key"]);
    assert_eq!(desk.text("clinic.key"), text);
    desk.refuses(3, &["cannot make the key file 'none/clinic.key'"], &["key", "new", "none/clinic.key"]);
    desk.file("repository/.git/HEAD", "");
    desk.refuses(2, &["would lie in the repository"], &["key", "new", "repository/sub/../clinic.key"]);
}

/// The key, the offsets and the originals of codes are in no public byte and in no message, and the key is in no private file either.
#[test]
fn nothing_of_a_key_gets_out() {
    let desk = desk();
    for ending in ["csv", "parquet", "arrow", "xlsx"] {
        let output = format!("out/release.{ending}");
        let flags = ["-o", &output, "--recoding", "recoding.json", "--report", "report", "--force"];
        let mut more = arguments(&[RUN, ROLES, STEPS, KEY, ACCEPT, &flags[2..]]);
        more[3] = &output;
        let run = desk.run(&more).succeeds();
        let released = shown(&desk, &output);
        assert_eq!(released.len(), 40, "a person has one code and one offset");
        for row in &released {
            let offset = i64::from(day(&row[1])) - i64::from(day("2019-06-15"));
            assert!(offset != 0 && offset.abs() <= 30, "{row:?}");
            assert_eq!(day(&row[2]) - day(&row[1]), 35, "the time between two dates stays");
            assert!(row[0].len() == 16 && row[0].bytes().all(|sign| sign.is_ascii_alphanumeric()), "{row:?}");
        }
        let key = desk.text("keys/clinic.key").trim().to_owned();
        let raw: Vec<u8> =
            (0..32).map(|at| u8::from_str_radix(&key[2 * at..2 * at + 2], 16).expect("digits")).collect();
        let has = |path: &Path, token: &[u8]| {
            let bytes = std::fs::read(path).expect("a file");
            bytes.windows(token.len()).any(|part| part == token)
        };
        for file in files_below(desk.root()).iter().filter(|file| !file.starts_with("keys")) {
            let path = desk.root().join(file);
            if path.is_dir() {
                continue;
            }
            assert!(!has(&path, key.as_bytes()) && !has(&path, &raw), "the key is in {}", file.display());
            if file.starts_with("out") {
                for token in ["CANARY", "2019-06-15", "2019-07-20", "clinic", "patient"] {
                    assert!(!has(&path, token.as_bytes()), "{token} is in {}", file.display());
                }
            }
        }
        for secret in ["CANARY", key.as_str()] {
            assert!(!run.err.contains(secret) && !run.out.contains(secret), "{}", run.err);
        }
    }
    let sheet = desk.text("out/release.csv.datasheet.md");
    for said in [
        "code: codes in place of values, made with a secret key; equal codes stand for equal values.",
        "| code | other | published as the steps made it: codes in place of values",
        "| visit | other | published as the steps made it: dates moved by a secret number of days",
        "visit: dates moved by a secret number of days",
        "whoever knows one true date of a person knows all of them",
        "Equal codes show which rows belong together",
    ] {
        assert!(sheet.contains(said), "{said}: {sheet}");
    }
    let of_dates = |line: &&str| line.contains("visit") || line.contains("moved");
    let of_dates: Vec<&str> = sheet.lines().filter(of_dates).collect();
    assert!(of_dates.len() > 1, "{sheet}");
    for line in of_dates {
        assert!(
            !line.contains("30") && !line.contains("max"),
            "how far dates were moved is not said: {line}"
        );
    }
    let report = desk.text("report/report.html");
    assert!(
        report.contains("key_id = ") && report.contains("release_id = "),
        "the report names the key and the release"
    );
}

#[test]
fn new_rows_need_the_key_of_the_release() {
    let desk = desk();
    release(&desk, &["--recoding", "recoding.json"]);
    desk.file("new.csv", format!("patient,sex,ward,visit,next\n{}", rows(20..60)));
    let apply = ["apply", "recoding.json", "new.csv", "-o", "out/new.csv"];
    desk.refuses(2, &["a secret key is needed", "name the key file (--key-file FILE)"], &apply);
    desk.run(&["key", "new", "keys/other.key"]).succeeds();
    let other = arguments(&[&apply, &["--key-file", "keys/other.key"]]);
    desk.refuses(2, &["has the id", "was begun with the key"], &other);
    let run = desk.run(&arguments(&[&apply, KEY])).succeeds();
    assert!(run.err.contains("join rows of both"), "{}", run.err);
    let (first, second) = (shown(&desk, "out/release.csv"), shown(&desk, "out/new.csv"));
    assert_eq!(first.intersection(&second).count(), 20, "people of both have one code and one offset");
    desk.run(&arguments(&[
        &["apply", "recoding.json", "new.csv", "-o", "out/private.csv", "--private"],
        KEY,
    ]))
    .succeeds();
    assert_eq!(shown(&desk, "out/private.csv"), second);
}

#[test]
fn keys_from_the_environment() {
    let desk = desk();
    let run = |variables: &[(&str, &str)], flags: &[&str]| {
        let mut command = scumble(desk.root());
        command.args(arguments(&[RUN, ROLES, STEPS, ACCEPT, flags, &["--force"]]));
        Run::of(command.envs(variables.iter().copied()))
    };
    let moved = |run: Run| {
        run.succeeds();
        shown(&desk, "out/release.csv").into_iter().map(|row| row[1].clone()).collect::<Vec<_>>()
    };
    let digits = desk.text("keys/clinic.key");
    let by_flag = moved(run(&[], KEY));
    assert_eq!(moved(run(&[("SCUMBLE_KEY_FILE", "keys/clinic.key")], &[])).len(), by_flag.len());
    run(&[("SCUMBLE_KEY", digits.trim()), ("SCUMBLE_KEY_FILE", "keys/clinic.key")], KEY).succeeds();
    run(&[("SCUMBLE_KEY", ""), ("SCUMBLE_KEY_FILE", "")], KEY).succeeds();
    let other = "c0ffee00".repeat(8);
    run(&[("SCUMBLE_KEY", &other)], KEY)
        .fails(2, &["two different keys", "by --key-file and by SCUMBLE_KEY"]);
    for (key, said) in [
        ("c0ffee", "is too short: it has 6 hexadecimal digits"),
        ("geheim", "not written in hexadecimal digits"),
    ] {
        let failed = run(&[("SCUMBLE_KEY", key)], &[]);
        failed.fails(2, &[said]);
        assert!(!failed.err.contains(key), "{}", failed.err);
    }
    // A variable that no step needs is nobody's business.
    let plain = [
        "anonymize",
        "people.csv",
        "-o",
        "out/plain.csv",
        "--k",
        "3",
        "--quasi",
        "sex,ward",
        "--rest",
        "drop",
    ];
    Run::of(scumble(desk.root()).args(plain).env("SCUMBLE_KEY", "c0ffee")).succeeds();
    desk.refuses(2, &["no step of this run needs a key"], &arguments(&[&plain, KEY, &["--force"]]));
}

#[test]
fn keys_in_plans() {
    let desk = desk();
    let plan = |keys: &str| {
        let text = format!(
            "input = \"../people.csv\"\noutput = \"../out/release.csv\"\nreport = \"../report\"\naccept_linkable_rows = true\n{keys}\n[[transform]]\ndo = \"pseudonym\"\n\
             column = \"patient\"\ninto = \"code\"\nproject = \"clinic\"\n[[transform]]\ndo = \"shift\"\ncolumns = [\"visit\", \"next\"]\nproject = \"clinic\"\nmax = 30\n\
             [columns]\npatient = {{ role = \"subject\" }}\ncode = {{ role = \"other\" }}\nsex = {{ role = \"quasi\" }}\nward = {{ role = \"quasi\" }}\n\
             visit = {{ role = \"other\" }}\nnext = {{ role = \"other\" }}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n"
        );
        desk.file("plans/release.toml", text);
    };
    let run = ["anonymize", "plans/release.toml"];
    plan("[keys]\nkey = \"c0ffee00\"");
    let refused =
        desk.refuses(2, &["release.toml:6:1", "a key does not belong in a plan", "[keys] file"], &run);
    assert!(!refused.err.contains("c0ffee"), "{}", refused.err);
    let step = "pseudonym:column=patient,into=code,project=clinic,key=c0ffee00";
    let refused =
        desk.refuses(2, &["a key does not belong"], &arguments(&[RUN, ROLES, &["--transform", step]]));
    assert!(!refused.err.contains("c0ffee"), "{}", refused.err);
    plan("");
    desk.refuses(
        2,
        &["a secret key is needed, and none was given", "scumble key new", "--key-file FILE"],
        &run,
    );
    plan("[keys]\nfile = \"../keys/clinic.key\"");
    desk.run(&run).succeeds();
    let first = shown(&desk, "out/release.csv");
    // Whoever compares the release with its original needs the key, and must say which release it is.
    let check = ["check", "out/release.csv", "--plan", "plans/release.toml", "--original", "people.csv"];
    desk.refuses(2, &["every release has codes of its own", "release_id"], &check);
    let report = desk.text("report/report.html");
    let id = report.split("release_id = ").nth(1).map(|rest| rest[..32].to_owned()).expect("an id");
    let text = desk
        .text("plans/release.toml")
        .replace("into = \"code\"", &format!("into = \"code\"\nrelease_id = \"{id}\""));
    desk.file("plans/release.toml", text);
    let checked = desk.run(&check).succeeds();
    assert!(checked.out.contains("holds  true of the original"), "{}", checked.out);
    desk.run(&["anonymize", "plans/release.toml", "--force"]).succeeds();
    assert_eq!(shown(&desk, "out/release.csv"), first, "the same release again");
    let key = desk.path("keys/clinic.key");
    std::fs::set_permissions(&key, Permissions::from_mode(0o644)).expect("a file");
    desk.refuses(2, &["others than its owner may read or change", "chmod 600"], &run);
    std::fs::set_permissions(&key, Permissions::from_mode(0o600)).expect("a file");
    desk.file("keys/.git", "gitdir: elsewhere");
    desk.refuses(2, &["lies in the repository"], &run);
    std::fs::copy(&key, desk.path("out/clinic.key")).expect("a copy");
    plan("[keys]\nfile = \"../out/clinic.key\"");
    desk.refuses(2, &["where this run writes"], &run);
}

#[test]
fn a_release_with_codes_can_be_attacked_at_once() {
    let desk = desk();
    let run = release(&desk, &["--attack"]);
    assert!(run.err.contains("verdict"), "{}", run.err);
    // Every person has a code of their own, which nobody can know of a person, so it singles nobody out.
    assert!(!run.err.contains("leave out code"), "{}", run.err);
    assert_eq!(desk.json("out/release.report/report.json")["kept"]["columns"][0]["role"], "code");
}

#[test]
fn mistakes_are_answered() {
    let desk = desk();
    let refuses = |code: i32, said: &[&str], roles: &[&str], steps: &[&str]| {
        let steps: Vec<&str> = steps.iter().flat_map(|step| ["--transform", step]).collect();
        desk.refuses(code, said, &arguments(&[&RUN[..6], roles, KEY, ACCEPT, &steps]));
    };
    let subject = arguments(&[ROLES, &["--subject", "patient"]]);
    let nobody = arguments(&[ROLES, &["--drop", "patient"]]);
    let dates = &["--quasi", "sex,ward", "--other", "visit,next", "--subject", "patient"][..];
    refuses(2, &["project = \"…\""], &subject, &["pseudonym:column=patient,into=code"]);
    refuses(
        2,
        &["whole number of at least 10"],
        &subject,
        &["pseudonym:column=patient,into=code,project=x,length=9"],
    );
    refuses(
        2,
        &["which column tells people apart (--subject COLUMN)"],
        &nobody[..],
        &["pseudonym:column=patient,into=code,project=x", "shift:column=visit,project=x"],
    );
    refuses(
        2,
        &["'visit' and 'next' are to be moved differently"],
        dates,
        &["shift:column=visit,project=x", "shift:column=next,project=x,max=30"],
    );
    refuses(
        3,
        &["row 1", "direction = \"past\""],
        dates,
        &["shift:column=visit,project=x,not_after=2018-01-01"],
    );
    refuses(2, &["the step needs dates"], dates, &["shift:column=ward,project=x"]);
    let strict = arguments(&[RUN, ROLES, STEPS, KEY]);
    desk.refuses(
        2,
        &["rows are one person's", "--model multirelational:k=5", "--accept-linkable-rows"],
        &strict,
    );
    let explain = desk.run(&["explain", "pseudonym"]).succeeds();
    assert!(explain.out.contains("linkable") && desk.run(&["list"]).out.contains("shift"), "{}", explain.out);
}

/// What other steps make of codes, or beside them, is looked at as well.
#[test]
fn codes_link_through_other_steps_too() {
    let mut desk = desk();
    const CODE: &str = "pseudonym:column=patient,into=code,project=clinic";
    let refused = |desk: &Desk, words: &str, other: &str, steps: &[&str], more: &[&str]| {
        let steps: Vec<&str> = steps.iter().flat_map(|step| ["--transform", *step]).collect();
        let roles = ["--quasi", "sex,ward", "--other", other, "--rest", "drop"];
        let key: &[&str] = if steps.iter().any(|step| step.starts_with("pseudonym")) { KEY } else { &[] };
        desk.refuses(2, &[words], &arguments(&[RUN, &roles, &steps, key, more]));
    };
    let masked = "mask:column=code,into=short,keep_left=14";
    let said = "the values in 'short', which are made of codes, show which rows are one person's";
    refused(&desk, said, "short", &[CODE, masked], &[]);
    let of_person = "mask:column=patient,into=short,keep_left=12";
    let linked = "show which rows are one person's";
    refused(&desk, linked, "short", &[of_person], &[]);
    let both = [CODE, of_person];
    refused(&desk, "'short' is to be published beside 'code'", "code,short", &both, ACCEPT);
    // Two people share one number, and all others have their own.
    let row = |at: usize| format!("P{:03},f,w{},N{:03}\n", at / 2, at % 2, (at / 2).max(1));
    desk.table("people.csv", &format!("patient,sex,ward,phone\n{}", (0..80).map(row).collect::<String>()));
    let phones = ["pseudonym:column=phone,into=code,project=clinic"];
    refused(&desk, "the codes in 'code' show which rows are one person's", "code", &phones, &[]);
}

/// A model of all rows of each person does not cover codes that show who lives together.
#[test]
fn codes_of_households_need_a_model_of_households() {
    let mut desk = desk();
    let row = |at: usize| format!("P{:03},H{:03},f,w{}\n", at / 2, at / 4, at % 2);
    desk.table("people.csv", &format!("patient,home,sex,ward\n{}", (0..80).map(row).collect::<String>()));
    let roles = ["--quasi", "sex,ward", "--household", "home", "--other", "code", "--rest", "drop"];
    let step = ["--transform", "pseudonym:column=home,into=code,project=clinic"];
    let model = ["--model", "multirelational:k=2", "--algorithm", "mingen"];
    let said = "which rows of several people belong together";
    desk.refuses(2, &[said], &arguments(&[RUN, &roles, &step, KEY, &model]));
    // Codes of persons are what the model is about.
    let of_person = ["--transform", "pseudonym:column=patient,into=code,project=clinic"];
    desk.run(&arguments(&[RUN, &roles, &of_person, KEY, &model])).succeeds();
}

#[test]
fn dates_are_moved_once() {
    let desk = desk();
    let steps = [
        "--transform",
        "shift:column=visit,project=a,max=1",
        "--transform",
        "shift:column=visit,project=b,max=1",
    ];
    let roles = ["--quasi", "sex,ward", "--other", "visit", "--rest", "drop"];
    desk.refuses(2, &["'visit' are to be moved twice"], &arguments(&[RUN, &roles, &steps, KEY]));
}

/// A key in the place of something else is refused before a message could quote it.
#[test]
fn a_key_in_a_wrong_place_is_not_shown() {
    let desk = desk();
    let key = desk.text("keys/clinic.key").trim().to_owned();
    let in_step = format!("pseudonym:column=patient,project=clinic,secret={key}");
    let wrong = [
        arguments(&[RUN, ROLES, STEPS, &["--key-file", &key]]),
        arguments(&[RUN, ROLES, &["--transform", &in_step], KEY]),
    ];
    for flags in wrong {
        let run = desk.run(&flags);
        assert!(run.code == Some(2) && run.err.contains("does not belong"), "{}", run.err);
        assert!(!run.err.contains(&key) && !run.out.contains(&key));
    }
    let beside = ["-o", "sqlite:keys/out.db?table=visits"];
    let flags = arguments(&[&["anonymize", "people.csv"], &beside, &RUN[4..], ROLES, STEPS, KEY, ACCEPT]);
    desk.refuses(2, &["where this run writes"], &flags);
}
