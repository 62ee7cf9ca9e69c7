use scumble_files::table::{CodedColumn, CodedTable};

use super::*;
use crate::config::{AcceptFreeText, AcceptPii, Audience};

fn coded(columns: &[(&str, Vec<String>)]) -> CodedTable {
    CodedTable {
        rows: columns.first().map_or(0, |(_, texts)| texts.len()),
        columns: columns
            .iter()
            .map(|(name, texts)| CodedColumn::of_texts(name, texts.iter().map(String::as_str)))
            .collect(),
    }
}

fn plan(column: &str, role: Role) -> Plan {
    Plan::of_columns([(column, role)])
}

fn consenting(column: &str, kinds: &[&str]) -> Plan {
    let mut plan = plan(column, Role::Other);
    let kinds = kinds.iter().map(|name| GatedKind::from_name(name).expect("a kind")).collect();
    plan.columns[0].1.accept_pii = Some(AcceptPii { kinds, reason: "a public register".to_owned() });
    plan
}

fn of_exact(plan: &Plan, name: &str, texts: &[String]) -> Result<Passed> {
    let kept = vec![true; texts.len()];
    exact(plan, &coded(&[(name, texts.to_vec())]), RowNumbers::Kept(&kept))
}

fn numbered(count: usize, text: impl Fn(usize) -> String) -> Vec<String> {
    (0..count).map(text).collect()
}

fn refused(passed: Result<Passed>) -> String {
    let error = passed.expect_err("refused");
    assert_eq!(error.kind(), crate::ErrorKind::Refused);
    error.to_string()
}

#[test]
fn personal_texts_stop_every_exact_role() {
    let texts = numbered(400, |row| match row % 100 {
        7 => format!("anna{row}@mail.example"),
        _ => format!("value {row}"),
    });
    for role in Role::EXACT {
        let message = refused(of_exact(&plan("contact", role), "contact", &texts));
        assert!(
            message.contains("column 'contact': 4 of 400 distinct values look like e-mail addresses (first in rows 8, 108, 208, 308)"),
            "{message}"
        );
        assert!(!message.contains("anna") && !message.contains("mail.example"), "{message}");
    }
    for role in [Role::Identifier, Role::Drop, Role::Subject] {
        assert!(of_exact(&plan("contact", role), "contact", &texts).is_ok(), "not published");
    }
}

#[test]
fn rows_are_those_of_the_file() {
    // Rows 1, 2 and 5 of the file were left out.
    let kept = [false, false, true, true, false, true, true];
    let texts = ["a", "x@mail.example", "b", "y@mail.example"].map(str::to_owned).to_vec();
    let table = coded(&[("c", texts)]);
    let message = refused(exact(&plan("c", Role::Other), &table, RowNumbers::Kept(&kept)));
    assert!(message.contains("(first in rows 4, 7)"), "{message}");
    let message = refused(exact(&plan("c", Role::Other), &table, RowNumbers::Unknown));
    assert!(message.contains("2 of 4 distinct values look like e-mail addresses; "), "{message}");
}

#[test]
fn few_hits_are_a_warning() {
    let texts = |phones: usize| {
        numbered(400, |row| if row < phones { format!("+49 30 555{row:04}") } else { format!("value {row}") })
    };
    let passed = of_exact(&plan("c", Role::Other), "c", &texts(2)).expect("half a percent");
    let noticed = &passed.personal.noticed[0];
    assert_eq!((noticed.values, noticed.kinds[0].values, &noticed.kinds[0].rows[..]), (400, 2, &[1, 2][..]));
    assert_eq!(
        warnings(&passed.personal),
        [
            "column 'c': 2 of 400 distinct values look like phone numbers (first in rows 1, 2). These are too few to stop the release; \
          look at them before you publish it"
        ]
    );
    assert!(of_exact(&plan("c", Role::Other), "c", &texts(3)).is_err());
    assert!(of_exact(&plan("c", Role::Other), "c", &texts(0)).expect("nothing").personal.is_empty());
}

#[test]
fn consent_is_for_kinds() {
    let mails = numbered(50, |row| format!("a{row}@mail.example"));
    let passed = of_exact(&consenting("c", &["email", "iban"]), "c", &mails).expect("accepted");
    let accepted = &passed.personal.accepted[0];
    assert_eq!((accepted.kinds[0].kind.as_str(), accepted.kinds[0].values), ("email", 50));
    assert_eq!((accepted.reason.as_str(), accepted.free_text), ("a public register", false));
    assert!(warnings(&passed.personal)[0].contains("50 of 50 distinct values look like e-mail addresses"));
    assert_eq!(passed.notes, ["column 'c': accept_pii accepts IBANs, and none were found"]);
    // A new kind voids the consent, and only it is named.
    let mut mixed = mails;
    mixed.extend(numbered(3, |row| format!("+49 30 555{row:04}")));
    let message = refused(of_exact(&consenting("c", &["email"]), "c", &mixed));
    assert!(message.contains("phone numbers") && !message.contains("e-mail"), "{message}");
    assert!(of_exact(&consenting("c", &["email", "phone"]), "c", &mixed).is_ok());
}

#[test]
fn names_of_people_are_a_kind() {
    let first = ["Anna", "Otto", "Emma", "Laura", "Peter", "Lukas", "Maria", "Paul", "Nina", "Karin", "Jan"];
    let names =
        numbered(44, |row| format!("{} {}", first[row % 11], ["Roth", "Ames", "Beck", "Kurz"][row / 11]));
    let message = refused(of_exact(&plan("who", Role::Sensitive), "who", &names));
    assert!(
        message.contains(
            "column 'who': 44 of 44 distinct values look like names of people (first in rows 1, 2, 3, 4, 5)"
        ),
        "{message}"
    );
    assert!(!message.contains("Anna") && !message.contains("Beck"));
    assert!(refused(of_exact(&consenting("who", &["email"]), "who", &names)).contains("names of people"));
    let passed = of_exact(&consenting("who", &["person_name"]), "who", &names).expect("accepted");
    assert_eq!(passed.personal.accepted[0].kinds[0].kind, "person_name");
    // Schools and places are often named after people; the name of the column says what they are.
    let schools = numbered(40, |row| format!("Xa{} School", "o".repeat(row + 1)));
    assert!(of_exact(&plan("x", Role::Other), "x", &schools).is_err());
    assert!(of_exact(&plan("school", Role::Other), "school", &schools).is_ok());
    assert!(
        of_exact(&plan("school", Role::Other), "school", &names).is_err(),
        "these are people all the same"
    );
}

#[test]
fn free_text_needs_its_own_consent() {
    let texts = numbered(30, |row| format!("came in with strong pain for {row} days"));
    let message = refused(of_exact(&plan("c", Role::Other), "c", &texts));
    assert!(
        message.contains(
            "column 'c': 30 of 30 distinct values look like free text (first in rows 1, 2, 3, 4, 5)"
        ) && !message.contains("pain"),
        "{message}"
    );
    assert!(
        message.contains("never for the audience 'public'") && !message.contains("accept_pii"),
        "{message}"
    );
    assert!(of_exact(&consenting("c", &["person_name"]), "c", &texts).is_err());
    let mut accepting = plan("c", Role::Other);
    accepting.columns[0].1.accept_free_text =
        Some(AcceptFreeText { reason: "read by two people".to_owned() });
    accepting.risk.audience = Audience::Researchers;
    let passed = of_exact(&accepting, "c", &texts).expect("accepted");
    let accepted = &passed.personal.accepted[0];
    assert!(accepted.free_text && accepted.kinds.is_empty() && accepted.values == 30);
    assert!(warnings(&passed.personal)[0].contains("nothing was looked for in this text"));
    // An address in it needs consent of its own.
    let mut with_mails = texts;
    with_mails.extend(numbered(3, |row| format!("please write to a{row}@mail.example about it")));
    assert!(refused(of_exact(&accepting, "c", &with_mails)).contains("e-mail addresses"));
}

#[test]
fn labels_that_are_still_addresses_are_refused() {
    let mails =
        numbered(400, |row| if row < 5 { "office@mail.example".to_owned() } else { format!("{}", row % 40) });
    let source = coded(&[("c", mails)]);
    let kept = vec![true; 400];
    let of_labels = |labels: &[&str]| {
        let written: Vec<String> = (0..400).map(|row| labels[row % labels.len()].to_owned()).collect();
        labels_of(&plan("c", Role::Quasi), &coded(&[("c", written)]), &source, &kept)
    };
    let message = refused(of_labels(&["office@mail.example", "[0,40)"]));
    assert!(
        message
            .contains("1 of 2 distinct values of the release looks like e-mail addresses (first in row 1)"),
        "{message}"
    );
    assert!(refused(of_labels(&["{1|office@mail.example}", "2"])).contains("e-mail"), "in a set");
    assert!(refused(of_labels(&["=office@mail.example", "2"])).contains("e-mail"), "quoted");
    let many: Vec<String> = (0..399).map(|label| format!("group {label}")).collect();
    let mut many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(of_labels(&many).is_ok());
    many.push("office@mail.example");
    assert!(refused(of_labels(&many)).contains("1 of 400"), "one label stands for several rows");
    assert!(of_labels(&["*", "[0,40)", "{1|2}"]).expect("coarse").personal.is_empty());
}

/// The releases of a table in which every text of `members` has rows of its own, and which shows them in sets of 20.
fn in_sets(members: &[String]) -> Result<Passed> {
    let rows = members.len() * 2;
    let source = coded(&[("doc", numbered(rows, |row| members[row / 2].clone()))]);
    let sets: Vec<String> =
        members.chunks(20).map(|of| crate::table::label::set(of.iter().map(String::as_str))).collect();
    let written = coded(&[("doc", numbered(rows, |row| sets[row / 40].clone()))]);
    labels_of(&plan("doc", Role::Quasi), &written, &source, &vec![true; rows])
}

#[test]
fn the_members_of_a_set_are_looked_at_one_by_one() {
    let iban = "DE89370400440532013000";
    let mut texts = numbered(60, |row| format!("value {row:03}"));
    texts[30] = iban.to_owned();
    let message = refused(in_sets(&texts));
    assert!(
        message.contains("1 of 60 distinct values of the release looks like IBANs (first in row 61)"),
        "{message}"
    );
    assert!(!message.contains(iban), "{message}");
    let phones = numbered(60, |row| format!("+49 30 55501{row:02}"));
    assert!(
        refused(in_sets(&phones)).contains("60 of 60 distinct values of the release look like phone numbers")
    );
    let names = numbered(60, |row| format!("Xa{} Beck", "o".repeat(row)));
    assert!(
        refused(in_sets(&names))
            .contains("60 of 60 distinct values of the release look like names of people")
    );
    let text = numbered(60, |row| format!("came in with | strong pain for {row} days"));
    assert!(refused(in_sets(&text)).contains("60 of 60 distinct values of the release look like free text"));
    assert!(in_sets(&numbered(60, |row| format!("value {row:03}"))).expect("words").personal.is_empty());
}

#[test]
fn a_column_that_is_called_name_needs_no_other_proof() {
    let surnames = numbered(60, |row| ["Okafor", "Nguyen", "Yilmaz-Roth", "de Vries"][row % 4].to_owned());
    let message = refused(of_exact(&plan("last_name", Role::Other), "last_name", &surnames));
    assert!(
        message.contains("4 of 4 distinct values look like names of people (first in rows 1, 2, 3, 4)"),
        "{message}"
    );
    assert!(of_exact(&plan("x", Role::Other), "x", &surnames).is_ok(), "words like any others");
    // Coarser values in such a column are no names.
    let source = coded(&[("last_name", surnames)]);
    let coarse =
        coded(&[("last_name", numbered(60, |row| ["Africa", "Asia", "Europe"][row % 3].to_owned()))]);
    assert!(labels_of(&plan("last_name", Role::Quasi), &coarse, &source, &[true; 60]).is_ok());
    for (name, texts) in [("name_known", ["yes", "no"]), ("name_length", ["7", "12"])] {
        let answers = numbered(60, |row| texts[row % 2].to_owned());
        assert!(of_exact(&plan(name, Role::Other), name, &answers).is_ok(), "{name}");
    }
}

#[test]
fn the_rows_of_names_and_text_are_those_that_have_them() {
    let first = ["Anna", "Otto", "Emma", "Laura", "Peter", "Lukas", "Maria", "Paul", "Nina", "Karin"];
    let mixed = numbered(100, |row| match row {
        50..60 => format!("{} Beck {row}", first[row - 50]),
        _ => "flu".to_owned(),
    });
    let message = refused(of_exact(&plan("c", Role::Other), "c", &mixed));
    assert!(
        message.contains(
            "10 of 11 distinct values look like names of people (first in rows 51, 52, 53, 54, 55)"
        ),
        "{message}"
    );
    let mixed = numbered(100, |row| match row {
        50..80 => format!("came in with strong pain for {row} days"),
        _ => "ok".to_owned(),
    });
    let message = refused(of_exact(&plan("c", Role::Other), "c", &mixed));
    assert!(
        message.contains("30 of 31 distinct values look like free text (first in rows 51, 52, 53, 54, 55)"),
        "{message}"
    );
}

#[test]
fn numbers_inside_texts_count_and_masks_do_not() {
    for text in
        ["Tel.: +49 30 5550123", "IBAN: DE89370400440532013000", "paid 4111111111111111", "(030) 555012"]
    {
        let texts =
            numbered(
                100,
                |row| if row % 20 == 0 { format!("{text} / {row}") } else { format!("value {row}") },
            );
        assert!(of_exact(&plan("c", Role::Other), "c", &texts).is_err(), "{text}");
    }
    let masked = numbered(60, |row| format!("{}@xxxx.xxxxxxx", "x".repeat(row + 1)));
    assert!(of_exact(&plan("c", Role::Other), "c", &masked).expect("masked").personal.is_empty());
}

fn labels_of(plan: &Plan, written: &CodedTable, source: &CodedTable, kept: &[bool]) -> Result<Passed> {
    labels(plan, std::slice::from_ref(written), source, RowNumbers::Kept(kept))
}

#[test]
fn missing_values_and_unused_texts_are_not_looked_at() {
    let mut table = coded(&[("c", numbered(5, |row| ["?", "a@b.org", "x", "y", "z"][row].to_owned()))]);
    // The row of the address was left out; its text is still in the dictionary.
    let codes: Vec<u32> = table.columns[0].codes.iter().collect();
    let left: Vec<u32> =
        codes.iter().enumerate().filter(|(row, _)| *row != 1).map(|(_, code)| *code).collect();
    table.columns[0].codes = scumble_files::table::Codes::narrow(5, &left);
    table.rows = 4;
    let kept = [true, false, true, true, true];
    let passed = exact(&plan("c", Role::Other), &table, RowNumbers::Kept(&kept)).expect("no address is left");
    assert!(passed.personal.is_empty());
}
