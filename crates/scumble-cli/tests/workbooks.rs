//! Workbooks from end to end: `init`, `anonymize`, `check` and the other commands on `.xlsx`, and a release as `.xlsx`.

mod common;

use std::io::{Cursor, Read as _};

use common::{Desk, PEOPLE, ROLES, arguments, cells};
use rust_xlsxwriter::{Format, Workbook, Worksheet};

/// Writes a comma-separated table into a sheet. Whole numbers are written as such.
fn fill(sheet: &mut Worksheet, from: u32, table: &str) {
    for (row, line) in (from..).zip(table.lines()) {
        for (column, cell) in (0..).zip(line.split(',')) {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write_number(row, column, number),
                Err(_) => sheet.write_string(row, column, cell),
            }
            .expect("it fits");
        }
    }
}

/// A workbook of these sheets.
fn book(sheets: &[(&str, &str)]) -> Vec<u8> {
    let mut book = Workbook::new();
    for (name, table) in sheets {
        fill(book.add_worksheet().set_name(*name).expect("a name"), 0, table);
    }
    book.save_to_buffer().expect("memory")
}

/// A desk with [`PEOPLE`] in a workbook, below a title, beside a sheet of remarks, and in `people.csv`.
fn desk() -> Desk {
    let desk = Desk::with_people();
    let mut book = Workbook::new();
    let remarks = book.add_worksheet().set_name("Read me").expect("a name");
    fill(remarks, 0, "These are people\nMade up for a test");
    let sheet = book.add_worksheet().set_name("People").expect("a name");
    sheet.merge_range(0, 0, 0, 5, "People of 2024", &Format::new()).expect("it fits");
    fill(sheet, 2, PEOPLE);
    desk.file("people.xlsx", book.save_to_buffer().expect("memory"));
    desk
}

#[test]
fn a_workbook_gives_the_release_of_the_same_csv() {
    let desk = desk();
    desk.release("plain.csv", &[]);
    let run = desk.run(&arguments(&[&["anonymize", "people.xlsx", "-o", "out.csv", "-v"], ROLES]));
    let run = run.succeeds();
    assert_eq!(desk.text("out.csv"), desk.text("plain.csv"));
    assert!(run.err.contains("the sheet 'People' was read"), "{}", run.err);
    assert!(run.err.contains("the first 2 rows were skipped"), "{}", run.err);
    // The same from standard input, and under a name that says something else.
    let bytes = desk.bytes("people.xlsx");
    desk.pipe(&bytes, &arguments(&[&["anonymize", "-", "-o", "piped.csv"], ROLES])).succeeds();
    desk.file("people.dat", &bytes);
    desk.run(&arguments(&[&["anonymize", "people.dat", "-o", "named.csv"], ROLES])).succeeds();
    for other in ["piped.csv", "named.csv"] {
        assert_eq!(desk.text(other), desk.text("plain.csv"), "{other}");
    }
}

#[test]
fn init_writes_a_plan_for_a_sheet_and_anonymize_a_verified_workbook() {
    let desk = desk();
    desk.run(&["init", "people.xlsx", "--sheet", "People"]).succeeds();
    let plan = desk.text("release.toml");
    assert!(plan.contains("input = \"people.xlsx\"") && plan.contains("sheet = \"People\""), "{plan}");
    let flags = arguments(&[&["anonymize", "people.xlsx", "--sheet", "2", "-o", "release.xlsx"], ROLES]);
    let run = desk.run(&flags).succeeds();
    assert!(run.out.contains("3-anonymity") || run.err.contains("3-anonymity"), "{run:?}");
    assert!(!run.err.contains("formulas"), "{}", run.err);
    desk.run(&arguments(&[&["check", "release.xlsx", "--original", "people.csv"], ROLES])).succeeds();
    // The sheet is one of the original: a release has one sheet.
    let original = ["check", "release.xlsx", "--original", "people.xlsx", "--sheet", "People"];
    let run = desk.run(&arguments(&[&original, ROLES])).succeeds();
    assert!(run.out.contains("true of the original"), "{}", run.out);
    desk.run(&arguments(&[&["check", "release.xlsx"], ROLES])).succeeds();
    desk.run(&["risk", "release.xlsx", "--quasi", "age,sex,postcode"]).succeeds();
    // The released workbook is the released table, and its bytes depend on nothing else.
    desk.release("plain.csv", &[]);
    assert_eq!(cells(&desk.path("release.xlsx")), cells(&desk.path("plain.csv")));
    let first = desk.bytes("release.xlsx");
    desk.run(&arguments(&[&flags, &["--force"]])).succeeds();
    assert!(first == desk.bytes("release.xlsx"));
}

#[test]
fn a_workbook_holds_the_release_and_nothing_else() {
    let desk = desk();
    desk.run(&arguments(&[&["anonymize", "people.xlsx", "-o", "release.xlsx"], ROLES])).succeeds();
    let mut archive = zip::ZipArchive::new(Cursor::new(desk.bytes("release.xlsx"))).expect("a workbook");
    let mut all = String::new();
    for number in 0..archive.len() {
        archive.by_index(number).expect("a part").read_to_string(&mut all).expect("XML");
    }
    assert!(all.contains("influenzaq") && all.contains("readmitted"));
    for line in PEOPLE.lines().skip(1) {
        let name = line.split(',').next().expect("a name");
        assert!(!all.contains(name), "{name}");
        assert!(!all.contains("People of 2024") && !all.contains("people.xlsx"));
    }
}

#[test]
fn sheets_are_asked_for() {
    let desk = Desk::new();
    desk.file("two.xlsx", book(&[("Mai", PEOPLE), ("June", PEOPLE)]));
    let words = ["'two.xlsx' has 2 sheets that hold a table (its sheets are Mai, June)", "(--sheet SHEET)"];
    desk.refuses(2, &words, &["init", "two.xlsx"]);
    desk.refuses(
        2,
        &["has no sheet 'July'", "Mai, June", "(--sheet SHEET)"],
        &["init", "two.xlsx", "--sheet", "July"],
    );
    desk.file("none.xlsx", book(&[("A", ""), ("B", "")]));
    desk.refuses(2, &["no visible sheet of 'none.xlsx' holds a table"], &["init", "none.xlsx"]);
    desk.run(&["init", "two.xlsx", "--sheet", "June"]).succeeds();
}

#[test]
fn what_is_wrong_with_a_workbook_is_told() {
    let mut desk = Desk::with_people();
    desk.table("secrets.csv", PEOPLE);
    let whole = book(&[("People", PEOPLE)]);
    desk.file("cut.xlsx", &whole[..whole.len() / 2]);
    desk.refuses(3, &["'cut.xlsx' is a damaged Excel workbook", "copy or download"], &["init", "cut.xlsx"]);
    let header = PEOPLE.lines().next().expect("a header");
    let rows: String = PEOPLE.lines().skip(1).map(|line| format!("{line}\n")).collect();
    let two = format!("{header}\nfull name,in years,at birth,at home,ICD,yes or no\n{rows}");
    desk.file("two.xlsx", book(&[("People", &two)]));
    let words =
        ["rows 1 and 2 both look like a header", "take the names from row 2 (--skip-rows 1)", "(--header)"];
    desk.refuses(3, &words, &["init", "two.xlsx"]);
    desk.run(&["init", "two.xlsx", "--skip-rows", "1"]).succeeds();
    // The words of a refusal show no cell.
    desk.file("more.xlsx", book(&[("People", &format!("{PEOPLE}Qmore,7001,manq,81001,fluq,noq,secretq\n"))]));
    let run = desk.refuses(
        3,
        &["sheet 'People': cell G14 has a value, but its column has no name"],
        &arguments(&[&["anonymize", "more.xlsx", "-o", "out.csv"], ROLES]),
    );
    assert!(!run.err.contains("secretq"));
    desk.refuses(
        2,
        &["the spreadsheet-safe form is for delimited text"],
        &arguments(&[&["anonymize", "people.csv", "-o", "out.xlsx", "--spreadsheet-safe"], ROLES]),
    );
    desk.refuses(2, &[".xlsx"], &arguments(&[&["anonymize", "people.csv", "-o", "out.xls"], ROLES]));
}

#[test]
fn new_rows_of_a_workbook_are_recoded() {
    let desk = desk();
    desk.release("out.csv", &["--recoding", "rule.json"]);
    let rows = ["apply", "rule.json", "people.xlsx", "-o", "again.xlsx"];
    desk.run(&rows).succeeds();
    let quasi = ["--quasi", "age,sex,postcode", "--k", "3"];
    desk.run(&arguments(&[&["check", "again.xlsx"], &quasi])).succeeds();
}
