//! Tables in every dialect, encoding and format give the same release.

mod common;

use std::io::Write;

use common::{Desk, Run, arguments, cells};

/// Names with letters beyond ASCII, a code with leading zeros, a delimiter, a quote and a line end in cells.
const TABLE: &str = "\
stadt,plz,notiz\n\
München,01067,\"a, b\"\n\
München,01067,\"say \"\"hi\"\"\"\n\
Zürich,08001,\"two\nlines\"\n\
Zürich,08001,plain\n";

const FLAGS: &[&str] = &["--quasi", "stadt,plz", "--other", "notiz", "--k", "2"];

fn release(desk: &Desk, input: &str, output: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["anonymize", input, "-o", output], FLAGS, more]))
}

/// Returns the release of the plain table.
fn expected() -> String {
    let desk = Desk::new();
    desk.file("plain.csv", TABLE);
    release(&desk, "plain.csv", "out.csv", &[]).succeeds();
    let text = desk.text("out.csv");
    assert!(text.contains("München,01067,\"a, b\"\n") && text.contains("08001,\"two\nlines\"\n"), "{text}");
    text
}

#[track_caller]
fn reads(bytes: impl AsRef<[u8]>, more: &[&str]) {
    let desk = Desk::new();
    desk.file("table", bytes);
    release(&desk, "table", "out.csv", more).succeeds();
    assert_eq!(desk.text("out.csv"), expected());
}

/// Returns the table with another delimiter. The comma in a cell stays.
fn delimited_by(delimiter: &str) -> String {
    TABLE.replace(',', delimiter).replace(&format!("a{delimiter} b"), "a, b")
}

fn utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes_of).collect()
}

#[test]
fn delimiters_are_detected_or_given() {
    for (delimiter, name) in [(";", ";"), ("\t", "tab"), ("|", "|")] {
        reads(delimited_by(delimiter), &[]);
        reads(delimited_by(delimiter), &["--delimiter", name]);
    }
    reads(delimited_by("~"), &["--delimiter", "~"]);
}

#[test]
fn quotes_and_line_ends() {
    reads(TABLE.replace('\n', "\r\n").replace("two\r\nlines", "two\nlines"), &[]);
    let other_quote = TABLE.replace("\"\"", "§").replace('"', "'").replace('§', "\"");
    reads(other_quote, &["--quote", "'"]);
    reads(TABLE.trim_end(), &[]);
}

#[test]
fn encodings() {
    reads(format!("\u{feff}{TABLE}"), &[]);
    reads(utf_16(&format!("\u{feff}{TABLE}"), u16::to_le_bytes), &[]);
    reads(utf_16(&format!("\u{feff}{TABLE}"), u16::to_be_bytes), &[]);
    reads(utf_16(TABLE, u16::to_le_bytes), &["--encoding", "utf-16le"]);
    let latin: Vec<u8> = TABLE.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    reads(latin, &["--encoding", "windows-1252"]);
}

#[test]
fn compressed_texts() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(TABLE.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    reads(&gzip, &[]);
    // Two members one after the other are one text, as gzip itself reads them.
    let mut halves = Vec::new();
    for half in [&TABLE.as_bytes()[..30], &TABLE.as_bytes()[30..]] {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        gzip.write_all(half).unwrap();
        halves.extend(gzip.finish().unwrap());
    }
    reads(halves, &[]);
    reads(zstd::encode_all(TABLE.as_bytes(), 3).unwrap(), &[]);
    let desk = Desk::new();
    desk.file("cut.csv.gz", &gzip[..gzip.len() - 12]);
    desk.refuses(
        3,
        &["'cut.csv.gz'", "cut off", "gzip"],
        &arguments(&[&["anonymize", "cut.csv.gz", "-o", "out.csv"], FLAGS]),
    );
}

#[test]
fn a_table_without_a_header() {
    let desk = Desk::new();
    desk.file("table.csv", TABLE.split_once('\n').unwrap().1);
    let flags = ["--no-header", "--quasi", "column_1,column_2", "--other", "column_3", "--k", "2"];
    desk.run(&arguments(&[&["anonymize", "table.csv", "-o", "out.csv"], &flags])).succeeds();
    assert_eq!(desk.text("out.csv"), expected().replace("stadt,plz,notiz", "column_1,column_2,column_3"));
}

#[test]
fn round_trips_through_every_format() {
    let desk = Desk::new();
    desk.file("plain.csv", TABLE);
    let outputs = ["r.parquet", "r.arrow", "r.feather", "r.tsv", "r.csv.gz", "r.csv.zst", "r.tsv.gz"];
    for output in outputs {
        // Every class of the plain table already has two rows, so this release is the sorted table.
        release(&desk, "plain.csv", output, &[]).succeeds();
        release(&desk, output, "back.csv", &["--force"]).succeeds();
        assert_eq!(desk.text("back.csv"), expected(), "{output}");
    }
}

#[test]
fn types_survive_parquet_and_arrow() {
    let desk = Desk::new();
    let table = "town,whole,decimal,day,code\nA,1,0.50,2024-02-29,007\nA,-2,1.25,2023-12-31,08\nA,3,,,9\n";
    desk.file("plain.csv", table);
    let flags = ["--quasi", "town", "--rest", "other", "--k", "3"];
    for output in ["r.parquet", "r.arrow"] {
        desk.run(&arguments(&[&["anonymize", "plain.csv", "-o", output], &flags])).succeeds();
        let mut rows = cells(&desk.path(output));
        rows[1..].sort();
        let numbers: Vec<f64> = rows[1..].iter().filter_map(|row| row[2].parse().ok()).collect();
        assert_eq!(numbers, [1.25, 0.5], "{rows:?}");
        let others: Vec<(&str, &str, &str)> =
            rows[1..].iter().map(|row| (row[1].as_str(), row[3].as_str(), row[4].as_str())).collect();
        assert_eq!(
            others,
            [("-2", "2023-12-31", "08"), ("1", "2024-02-29", "007"), ("3", "", "9")],
            "{output}"
        );
    }
}

#[test]
fn damaged_files_are_refused() {
    let desk = Desk::new();
    desk.file("plain.csv", TABLE);
    for output in ["r.parquet", "r.arrow"] {
        release(&desk, "plain.csv", output, &[]).succeeds();
        let whole = desk.bytes(output);
        let name = format!("cut-{output}");
        desk.file(&name, &whole[..whole.len() * 2 / 3]);
        desk.refuses(3, &[&name], &arguments(&[&["anonymize", &name, "-o", "out.csv"], FLAGS]));
    }
}

#[test]
fn decimal_commas_and_dates() {
    let desk = Desk::new();
    desk.file("t.csv", "income;born\n1,5;31.12.1970\n2,25;01.01.1971\n3,75;15.06.1980\n4;16.06.1980\n");
    let flags = ["--quasi", "income,born", "--k", "2", "--json"];
    let object =
        desk.run(&arguments(&[&["anonymize", "t.csv", "-o", "out.csv"], &flags])).succeeds().object();
    assert_eq!(
        object["classes"], 2,
        "numbers and dates have an order, so the table can be cut in the middle"
    );
    assert!(desk.text("out.csv").contains('['), "{}", desk.text("out.csv"));
}

#[test]
fn a_named_pipe_is_read_once_and_kept() {
    let desk = Desk::new();
    desk.file("plain.csv", TABLE);
    let script = "mkfifo pipe && (cat plain.csv > pipe &) && \"$SCUMBLE\" anonymize pipe -o out.csv \
                  --quasi stadt,plz --other notiz --k 2";
    let mut command = std::process::Command::new("sh");
    command
        .args(["-c", script])
        .env("SCUMBLE", assert_cmd::cargo::cargo_bin("scumble"))
        .current_dir(desk.root());
    Run::of(&mut command).succeeds();
    assert_eq!(desk.text("out.csv"), expected());
}

#[test]
fn what_a_plan_says_about_its_input_does_not_hold_for_the_release() {
    let desk = Desk::new();
    // The last column has another quote than the release uses, and contains a delimiter.
    desk.file(
        "table.csv",
        b"M\xfcnchen;01067;'a;b'\nM\xfcnchen;01067;'a;b'\nZ\xfcrich;08001;c\nZ\xfcrich;08001;c\n",
    );
    desk.file(
        "release.toml",
        "input = \"table.csv\"\noutput = \"out.csv\"\n\
         [read]\ndelimiter = \";\"\nquote = \"'\"\nheader = false\nencoding = \"windows-1252\"\n\
         [columns]\ncolumn_1 = { role = \"quasi\" }\ncolumn_2 = { role = \"quasi\" }\ncolumn_3 = { role = \"other\" }\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n",
    );
    desk.run(&["anonymize", "release.toml"]).succeeds();
    assert!(desk.text("out.csv").starts_with("column_1,column_2,column_3\nMünchen,01067,a;b\n"));
    let of_both = ["out.csv", "--plan", "release.toml", "--original", "table.csv"];
    let run = desk.run(&arguments(&[&["check"], &of_both])).succeeds();
    assert!(run.out.contains("true of the original"), "{}", run.out);
    desk.run(&arguments(&[&["attack"], &of_both])).succeeds();
    let classes = |table: &[&str]| {
        let run = desk.run(&arguments(&[&["risk"], table, &["--plan", "release.toml", "--json"]])).succeeds();
        run.object()["prosecutor"]["highest"].clone()
    };
    assert_eq!(classes(&["out.csv"]), classes(&["table.csv"]));
    assert_eq!(classes(&["out.csv"]), classes(&[]));
    // Flags of the command line also apply to the release.
    let run = desk.run(&["check", "out.csv", "--plan", "release.toml", "--delimiter", ";"]);
    run.fails(2, &["there is no column", "column_1"]);
}
