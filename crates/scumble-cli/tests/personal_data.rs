//! Personal data in published columns stops every way to a release, unless a plan accepts it.

mod common;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use common::{Desk, arguments, skip};

/// Returns sixty people in sixteen combinations of age and sex, with contacts from the caller.
fn people(contact: impl Fn(usize) -> String) -> String {
    let mut table = "age,sex,ward,contact\n".to_owned();
    for row in 0..60 {
        let (sex, ward) = (["f", "m"][row % 2], ["a", "b", "c"][row % 3]);
        writeln!(table, "{},{sex},{ward},{}", 20 + row / 4, contact(row)).expect("a text takes lines");
    }
    table
}

fn mail(row: usize) -> String {
    format!("person{row:02}@mail.example")
}

/// Returns a plan with these lines about the contacts.
fn plan(lines: &str, risk: &str) -> String {
    format!(
        "input = \"people.csv\"\noutput = \"out.csv\"\nrecoding = \"rule.json\"\n{risk}\n[columns.age]\nrole = \"quasi\"\n\
         [columns.sex]\nrole = \"quasi\"\n[columns.ward]\nrole = \"other\"\n[columns.contact]\n{lines}\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n"
    )
}

fn desk(contact: impl Fn(usize) -> String, lines: &str, risk: &str) -> Desk {
    let desk = Desk::with_table(&people(contact));
    desk.file("release.toml", plan(lines, risk));
    desk
}

const OTHER: &str = "role = \"other\"";
const FOUND: &str =
    "column 'contact': 60 of 60 distinct values look like e-mail addresses (first in rows 1, 2, 3, 4, 5)";

#[test]
fn addresses_stop_a_release_from_a_plan_and_from_flags() {
    let desk = desk(mail, OTHER, "");
    desk.refuses(2, &[FOUND, "[columns.contact] accept_pii"], &["anonymize", "release.toml"]);
    desk.refuses_people(
        2,
        &[FOUND, "--identifier contact", "--drop contact"],
        &["--quasi", "age,sex", "--other", "ward,contact", "--k", "3"],
    );
    // An address is found in quotes, with a display name, or in the middle of a text.
    for contact in ["\"Ann <ann@mail.example>\"", "\"mail: ann@mail.example\"", "mailto:ann@mail.example"] {
        let desk = self::desk(|row| contact.replace("ann", &format!("ann{row}")), OTHER, "");
        desk.refuses(2, &["look like e-mail addresses"], &["anonymize", "release.toml"]);
    }
}

#[test]
fn compare_and_evaluate_stop_before_they_try_anything() {
    let desk = desk(mail, OTHER, "");
    desk.file(
        "evaluation.toml",
        "title = \"t\"\nseed = 1\n[[data]]\nname = \"people\"\nplan = \"release.toml\"\n[[algorithm]]\nname = \"mondrian\"\n\
         [vary]\nk = [3]\n[measure]\nmetrics = [\"loss\"]\n",
    );
    desk.refuses(2, &[FOUND], &["compare", "release.toml", "--k", "3", "--folds", "1"]);
    let run = desk.run(&["evaluate", "evaluation.toml"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(!run.err.contains("mail.example") && !run.out.contains("mail.example"), "{run:?}");
}

#[test]
fn consent_is_warned_of_and_reported() {
    let consent = "role = \"other\"\naccept_pii = { kinds = [\"email\"], reason = \"a public register\" }";
    let desk = desk(mail, consent, "");
    let run = desk.run(&["anonymize", "release.toml", "--json"]).succeeds();
    let found = run.object();
    let accepted = &found["personal"]["accepted"][0];
    assert_eq!(accepted["column"], "contact");
    assert_eq!(
        (&accepted["kinds"][0]["kind"], &accepted["kinds"][0]["values"]),
        (&"email".into(), &60.into())
    );
    assert_eq!(accepted["reason"], "a public register");
    let warned = found["warnings"].to_string();
    assert!(warned.contains("60 of 60 distinct values look like e-mail addresses"), "{warned}");
    assert_eq!(&desk.json("report/report.json")["personal"]["accepted"][0], accepted);
    // Readers of the release do not see the reason.
    assert!(!desk.text("out.csv.datasheet.json").contains("register"));
    // Personal data of another kind make the consent invalid.
    let mixed = |row: usize| if row < 3 { format!("+49 30 5550{row:03}") } else { mail(row) };
    let desk = self::desk(mixed, consent, "");
    let run =
        desk.refuses(2, &["3 of 60 distinct values look like phone numbers"], &["anonymize", "release.toml"]);
    assert!(!run.err.contains("e-mail"), "{}", run.err);
}

#[test]
fn free_text_is_never_for_the_public() {
    let remark = |row: usize| format!("she came back with strong pain after {row} days");
    let consent = "role = \"other\"\naccept_free_text = { reason = \"two people have read it\" }";
    let run = desk(remark, OTHER, "").refuses(
        2,
        &["distinct values look like free text", "never for the audience 'public'"],
        &["anonymize", "release.toml"],
    );
    assert!(!run.err.contains("pain"));
    desk(remark, consent, "").refuses(
        2,
        &["release.toml:", "free text is never published for the audience 'public'", "--drop contact"],
        &["anonymize", "release.toml"],
    );
    let desk = desk(remark, consent, "[risk]\naudience = \"researchers\"\n");
    let run = desk.run(&["anonymize", "release.toml", "--json"]).succeeds();
    let found = run.object();
    let accepted = &found["personal"]["accepted"][0];
    assert_eq!((&accepted["free_text"], &accepted["values"]), (&true.into(), &60.into()));
    assert!(found["warnings"].to_string().contains("nothing was looked for in this text"), "{found}");
    // The recoding records the audience.
    desk.run(&["apply", "rule.json", "people.csv", "-o", "again.csv"]).succeeds();
}

#[test]
fn a_quasi_identifier_that_still_shows_addresses_gets_no_name() {
    // Six people share each address, so no search has to coarsen it.
    let desk = desk(|row| mail(row / 6), "role = \"quasi\"", "");
    desk.refuses_people(
        2,
        &[
            "column 'contact': 10 of 10 distinct values of the release look like e-mail addresses",
            "--drop contact",
        ],
        &["--quasi", "contact", "--other", "age,sex,ward", "--k", "3"],
    );
}

#[test]
fn new_rows_pass_the_same_gate() {
    let desk = desk(|row| ["yes", "no"][row % 2].to_owned(), OTHER, "");
    desk.run(&["anonymize", "release.toml"]).succeeds();
    desk.file("new.csv", people(mail));
    let apply = ["apply", "rule.json", "new.csv", "-o", "new_out.csv"];
    let run = desk.refuses(2, &[FOUND, "make a release of the new rows by themselves"], &apply);
    assert!(!run.err.contains("mail.example"), "{}", run.err);
    // Private rows, which nobody else sees, are not checked for personal data.
    desk.run(&arguments(&[&apply, &["--private"]])).succeeds();
}

#[test]
fn the_consent_goes_with_the_recoding() {
    let consent = "role = \"other\"\naccept_pii = { kinds = [\"email\"], reason = \"a public register\" }";
    let desk = desk(mail, consent, "");
    desk.run(&["anonymize", "release.toml"]).succeeds();
    desk.file("new.csv", people(|row| mail(row + 60)));
    let run = desk.run(&["apply", "rule.json", "new.csv", "-o", "new_out.csv", "--json"]).succeeds();
    assert_eq!(run.object()["personal"]["accepted"][0]["kinds"][0]["values"], 60);
    desk.file("other.csv", people(|row| format!("+49 30 5550{row:03}")));
    desk.refuses(
        2,
        &["look like phone numbers"],
        &["apply", "rule.json", "other.csv", "-o", "other_out.csv"],
    );
}

#[test]
fn few_hits_are_warned_of_with_their_rows() {
    let mut table = "age,sex,contact\n".to_owned();
    for row in 0..400 {
        let contact =
            if [2, 6].contains(&row) { format!("+49 30 5550{row:03}") } else { format!("value {row}") };
        writeln!(table, "{},{},{contact}", 20 + row / 20, ["f", "m"][row % 2]).expect("a text takes lines");
    }
    let desk = Desk::with_table(&table);
    let flags =
        ["anonymize", "people.csv", "-o", "out.csv", "--quasi", "age,sex", "--other", "contact", "--k", "3"];
    let run = desk.run(&flags).succeeds();
    assert!(
        run.err.contains("2 of 400 distinct values look like phone numbers (first in rows 3, 7)"),
        "{}",
        run.err
    );
}

/// Returns the folder of public tables: the one in `SCUMBLE_SHARED_DATA`, or `../shared/data` next to the workspace.
fn data() -> Option<PathBuf> {
    let given = std::env::var_os("SCUMBLE_SHARED_DATA").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    given.into_iter().chain([beside]).find(|folder| folder.join("adult/adult_train.csv").is_file())
}

/// These tables contain nothing that is personal data by itself: no column may be refused, whatever its role.
#[test]
fn ordinary_public_tables_pass() {
    let Some(folder) = data() else {
        skip("ordinary_public_tables_pass", "no ../shared/data and no SCUMBLE_SHARED_DATA");
        return;
    };
    for name in
        ["adult/adult_test", "german_credit/german_credit", "cmc/cmc", "mammographic_mass/mammographic_mass"]
    {
        let path = folder.join(format!("{name}.csv")).canonicalize().expect("a public table");
        let text = std::fs::read_to_string(&path).expect("a public table");
        let header = text.lines().next().expect("a header");
        let delimiter = if header.contains(';') { ';' } else { ',' };
        let columns: Vec<&str> = header.split(delimiter).map(|name| name.trim_matches('"')).collect();
        let desk = Desk::new();
        let (first, others) = (columns[0], columns[1..].join(","));
        let table = path.to_string_lossy();
        let flags = [
            "anonymize",
            &table,
            "-o",
            "out.csv",
            "--report",
            "",
            "--quasi",
            first,
            "--other",
            &others,
            "--k",
            "2",
        ];
        let run = desk.run(&flags);
        assert!(!run.err.contains("look like") && !run.err.contains("free text"), "{name}: {}", run.err);
        assert_eq!(run.code, Some(0), "{name}: {}", run.err);
    }
}
