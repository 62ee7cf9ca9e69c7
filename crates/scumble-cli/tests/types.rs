//! The types of values: numbers of any size, and labels of texts that people can read.

mod common;

use common::{Desk, cells};

/// Twelve rows: a small number in several notations, and numbers of very different sizes, one of them missing.
fn doubles() -> String {
    let effects = ["0.0019336161475366333", "1.9336e-3", "2.5E-05", "0.1", "0.30000000000000004", "12"];
    let chances = ["0", "3.2e-300", "4.9406564584124654e-324", "2.25e-12", "NaN", "0.97"];
    let mut table = String::from("effect,chance,group\n");
    for (effect, chance) in effects.iter().zip(chances) {
        for group in ["a", "b"] {
            table.push_str(&format!("{effect},{chance},{group}\n"));
        }
    }
    table
}

const QUASI: [&str; 4] = ["--quasi", "effect,chance", "--class", "group"];

#[test]
fn doubles_of_all_sizes_are_numbers() {
    let desk = Desk::with_table(&doubles());
    for algorithm in ["mondrian", "cluster", "tds"] {
        let out = format!("{algorithm}.csv");
        let run = desk.run(
            &[
                &[
                    "anonymize",
                    "people.csv",
                    "-o",
                    &out,
                    "--k",
                    "4",
                    "--algorithm",
                    algorithm,
                    "--suppression",
                    "0.5",
                ],
                &QUASI[..],
            ]
            .concat(),
        );
        let told = run.succeeds();
        assert!(!told.err.contains("group 1"), "{}", told.err);
        let shown = cells(&desk.path(&out));
        for row in &shown[1..] {
            for cell in &row[..2] {
                let number = cell.parse::<f64>().is_ok();
                assert!(number || cell == "*" || cell.starts_with('['), "{algorithm}: {cell}");
            }
        }
        desk.run(&[&["check", &out, "--original", "people.csv", "--k", "4"], &QUASI[..]].concat()).succeeds();
    }
    let shown = desk.text("mondrian.csv");
    assert!(shown.contains('['), "intervals of numbers: {shown}");
    assert!(shown.lines().skip(1).all(|line| line.len() < 70), "ends are round: {shown}");
}

#[test]
fn new_rows_find_their_intervals_among_numbers_of_all_sizes() {
    let mut desk = Desk::with_table(&doubles());
    desk.run(
        &[&["anonymize", "people.csv", "-o", "out.csv", "--k", "4", "--report", "report"], &QUASI[..]]
            .concat(),
    )
    .succeeds();
    desk.table("new.csv", "effect,chance,group\n0.0021,1e-200,a\n0.31,1e-5,b\n");
    let applied = desk.run(&["apply", "report/recoding.json", "new.csv", "-o", "more.csv"]);
    assert!(applied.code == Some(0) || applied.err.contains("k"), "{}", applied.err);
}

#[test]
fn parquet_brings_doubles_as_numbers() {
    let desk = Desk::with_table(&doubles().replace("NaN", "0.5"));
    // Columns that are kept unchanged are written as doubles.
    let kept = ["--quasi", "group", "--other", "effect,chance", "--k", "2"];
    desk.run(&[&["anonymize", "people.csv", "-o", "doubles.parquet"], &kept[..]].concat()).succeeds();
    let told = desk
        .run(&[&["anonymize", "doubles.parquet", "-o", "out.csv", "--k", "4"], &QUASI[..]].concat())
        .succeeds();
    assert!(!told.err.contains("group 1"), "{}", told.err);
    assert!(desk.text("out.csv").contains('['), "{}", desk.text("out.csv"));
}

#[test]
fn infinity_among_numbers_is_a_data_error() {
    let desk = Desk::with_table("x,y\n1.5,a\ninf,b\n2,a\n2,b\n");
    let anonymize = ["anonymize", "people.csv", "-o", "out.csv", "--quasi", "x", "--other", "y", "--k", "2"];
    desk.refuses(3, &["infinite", "row 2", "column 'x'"], &anonymize);
    desk.run(&[&anonymize[..], &["--missing-values", "inf"]].concat()).succeeds();
}

/// Returns a table of 260 people with a column of many different texts.
fn many(text: impl Fn(u32) -> String) -> String {
    let rows = (0..260).map(|row| format!("{},{},{}\n", text(row), row % 7, row % 2));
    format!("name,age,group\n{}", rows.collect::<String>())
}

const NAMED: [&str; 4] = ["--quasi", "name,age", "--class", "group"];

#[test]
fn labels_of_many_texts_can_be_read() {
    let letters = |row: u32| {
        let (first, second) = (b'A' + (row % 26) as u8, b'a' + (row / 26) as u8);
        format!("{}{}", char::from(first), char::from(second))
    };
    let desk = Desk::with_table(&many(letters));
    for algorithm in ["mondrian", "samarati"] {
        let out = format!("{algorithm}.csv");
        let anonymize = ["-v", "anonymize", "people.csv", "-o", &out, "--k", "20", "--algorithm", algorithm];
        let told = desk.run(&[&anonymize[..], &NAMED[..]].concat()).succeeds();
        assert!(told.err.contains("ranges of the alphabet"), "{}", told.err);
        let shown = cells(&desk.path(&out));
        let readable = |name: &str| {
            name == "*" || name.ends_with('…') || name.chars().nth(1) == Some('–') || name.len() == 2
        };
        assert!(shown[1..].iter().all(|row| readable(&row[0])), "{shown:?}");
        assert!(
            shown[1..].iter().any(|row| row[0].contains('–') || row[0].contains('…')),
            "{algorithm}: {shown:?}"
        );
    }
    // Texts of another script are shown or hidden, and no label is invented.
    let script = |row: u32| format!("{}x", char::from_u32(0x4e00 + row).expect("a character"));
    let desk = Desk::with_table(&many(script));
    let told = desk
        .run(&[&["-v", "anonymize", "people.csv", "-o", "out.csv", "--k", "20"], &NAMED[..]].concat())
        .succeeds();
    assert!(told.err.contains("groups of its values would not be readable"), "{}", told.err);
    assert!(cells(&desk.path("out.csv"))[1..].iter().all(|row| row[0] == "*"));
}

#[test]
fn numbered_groups_are_published_only_when_a_plan_asks_and_count_as_lost() {
    let desk = Desk::with_table(&many(|row| format!("{}{}", char::from(b'A' + (row % 26) as u8), row)));
    let asked = ["--k", "20", "--hierarchy", "name={ build = \"alphabetic\" }"];
    let told = desk
        .run(&[&["-v", "anonymize", "people.csv", "-o", "out.csv"], &NAMED[..], &asked[..]].concat())
        .succeeds();
    let names: Vec<String> =
        cells(&desk.path("out.csv")).into_iter().skip(1).map(|row| row[0].clone()).collect();
    assert!(names.iter().any(|name| name.starts_with("group ")), "{names:?}");
    assert!(told.err.contains("cannot tell"), "{}", told.err);
    let told = desk
        .run(&[&["anonymize", "people.csv", "-o", "again.csv", "--json"], &NAMED[..], &asked[..]].concat())
        .succeeds();
    let lost = told.object()["metrics"]["loss"].as_f64().expect("a loss");
    assert!(lost >= 0.5, "nobody can read the names: {lost}");
    assert!(desk.text("out.csv.datasheet.json").contains("what they hold is not published"));
}

/// Returns visits of 48 people, in two zones: every other row writes its instant with another offset.
fn visits() -> String {
    let mut table = String::from("visit,local,clock,smoker,ill\n");
    for row in 0..48 {
        let (day, hour) = (1 + row % 12, 8 + row % 4);
        let zone =
            if row % 2 == 0 { format!("T{hour:02}:15:00Z") } else { format!("T{:02}:15:00+02:00", hour + 2) };
        table.push_str(&format!(
            "2024-03-{day:02}{zone},2024-04-{day:02} {hour:02}:30,{hour:02}:45,{},{}\n",
            row % 3 == 0,
            ["flu", "cold", "none"][row % 3]
        ));
    }
    table
}

#[test]
fn timestamps_and_times_have_hierarchies_and_ranges_of_their_own() {
    let desk = Desk::with_table(&visits());
    let roles = ["--quasi", "visit,local,clock,smoker", "--class", "ill"];
    for (algorithm, periods) in [("samarati", true), ("mondrian", false), ("cluster", false)] {
        let out = format!("{algorithm}.csv");
        let anonymize = ["anonymize", "people.csv", "-o", &out, "--k", "4", "--algorithm", algorithm];
        desk.run(&[&anonymize[..], &roles[..]].concat()).succeeds();
        let shown = cells(&desk.path(&out));
        let text = desk.text(&out);
        assert!(!text.contains("group "), "{algorithm}: {text}");
        assert!(
            shown[1..].iter().all(|row| row[0] == "*" || row[0].contains("2024")),
            "{algorithm}: {shown:?}"
        );
        assert_eq!(text.contains("[2024-03-"), !periods, "{algorithm}: {text}");
        desk.run(&[&["check", &out, "--original", "people.csv", "--k", "4"], &roles[..]].concat());
    }
    // One instant in three offsets is one value, so nothing is hidden.
    let desk = Desk::with_table(
        "place,visit\nx,2024-03-09T10:00:00Z\nx,2024-03-09T11:00:00+01:00\nx,2024-03-09T12:00:00+02:00\n",
    );
    let told = desk.run(&["check", "people.csv", "--quasi", "place", "--sensitive", "visit", "--l", "2"]);
    assert_eq!(told.code, Some(1), "{}", told.out);
    assert!(told.out.contains("attained 1"), "{}", told.out);
}

#[test]
fn types_that_do_not_fit_are_data_errors() {
    let desk = Desk::with_table(&visits());
    let anonymize = [
        "anonymize",
        "people.csv",
        "-o",
        "out.csv",
        "--k",
        "4",
        "--quasi",
        "visit,clock,smoker,ill",
        "--other",
        "local",
    ];
    for (kind, words) in [
        ("ill=boolean", "not a boolean"),
        ("clock=timestamp", "declared a timestamp"),
        ("ill=time", "not a time of day"),
    ] {
        desk.refuses(3, &[words], &[&anonymize[..], &["--type", kind]].concat());
    }
    desk.run(
        &[&anonymize[..], &["--type", "smoker=boolean", "--type", "clock=time", "--type", "visit=timestamp"]]
            .concat(),
    )
    .succeeds();
}

#[test]
fn init_recognises_timestamps_times_and_booleans() {
    let desk = Desk::with_table(&visits());
    desk.run(&["init", "people.csv"]).succeeds();
    let plan = desk.text("release.toml");
    for line in [
        "type = \"timestamp\"",
        "type = \"time\"",
        "type = \"boolean\"",
        "build = \"timestamps\"",
        "build = \"times\"",
    ] {
        assert!(plan.contains(line), "{line}: {plan}");
    }
}

/// The types of the columns of a Parquet file.
fn parquet_types(desk: &Desk, name: &str) -> Vec<String> {
    let file = std::fs::File::open(desk.path(name)).expect("a file");
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
    let schema = reader.expect("a Parquet file").schema().clone();
    schema.fields().iter().map(|field| field.data_type().to_string()).collect()
}

#[test]
fn what_is_not_coarsened_keeps_its_type() {
    let desk = Desk::new();
    let table = "\
born,seen,at,paid,price,age
1970-01-01,2024-02-29T12:00:00,08:30:00,true,2.50,30
1970-01-01,2024-02-29T12:00:00.250,08:31:00,false,3.00,31
1971-05-06,2024-03-01T00:00:00,23:59:59,true,0.05,50
1971-05-06,,00:00:00,false,19.99,58
";
    desk.file("data.csv", table);
    let roles =
        ["--quasi", "born", "--other", "seen,at,paid,price,age", "--k", "2", "--algorithm", "optimal"];
    let anonymize = |output| {
        desk.run(&[&["anonymize", "data.csv", "-o", output], &roles[..]].concat()).succeeds();
    };
    anonymize("out.parquet");
    anonymize("out.csv");
    let types = parquet_types(&desk, "out.parquet");
    assert_eq!(types[0], "Date32", "a quasi-identifier that was not coarsened");
    assert!(types[1].starts_with("Timestamp(") && types[2].starts_with("Time64("), "{types:?}");
    assert_eq!(types[3..], ["Boolean", "Decimal128(18, 2)", "Int64"]);
    // The texts are those of delimited text.
    let flags = ["check", "out.parquet", "--original", "data.csv"];
    desk.run(&[&flags[..], &roles[..6]].concat()).succeeds();
    let same = [
        "check",
        "out.parquet",
        "--original",
        "out.csv",
        "--quasi",
        "born",
        "--other",
        "seen,at,paid,price,age",
    ];
    desk.run(&same).succeeds();
}
