//! Ranges as two columns: what is written, that it is typed, and that every command reads it.

mod common;

use common::{Desk, Run, arguments, cells};

/// Whole numbers, decimals with a missing value, dates and times.
const TABLE: &str = "\
age,weight,born,at,ill
31,60.5,1990-01-05,08:00:00,flu
33,62.5,1990-03-05,08:30:00,gout
35,?,1991-02-07,09:00:00,flu
52,81.25,1970-05-01,17:00:00,gout
54,83.5,1971-06-02,18:30:00,flu
58,?,1972-07-03,19:00:00,gout
";

const ROLES: &[&str] = &["--quasi", "age,weight,born,at", "--sensitive", "ill", "--k", "3", "--l", "2"];

const TWO: &[&str] = &[
    "--range",
    "age=two-columns",
    "--range",
    "weight=two-columns",
    "--range",
    "born=two-columns",
    "--range",
    "at=two-columns",
];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("data.csv", TABLE);
    desk
}

fn anonymize(desk: &Desk, output: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["anonymize", "data.csv", "-o", output], ROLES, more]))
}

fn check(desk: &Desk, table: &str, more: &[&str]) -> Run {
    desk.run(&arguments(&[&["check", table, "--original", "data.csv"], ROLES, more]))
}

#[test]
fn ranges_are_two_columns() {
    let desk = desk();
    anonymize(&desk, "out.csv", &arguments(&[TWO, &["--row-map", "map.json"]])).succeeds();
    let table = cells(&desk.path("out.csv"));
    let names = [
        "age_low",
        "age_high",
        "weight_low",
        "weight_high",
        "born_low",
        "born_high",
        "at_low",
        "at_high",
        "ill",
    ];
    assert_eq!(table[0], names);
    assert_eq!(table.len(), 7);
    for row in &table[1..] {
        let [low, high] = [0, 1].map(|place| row[place].parse::<u32>().expect("a number"));
        assert!(low < high && high < 70, "{row:?}");
        assert!(row[2].is_empty() && row[3].is_empty(), "a group with a missing value says nothing: {row:?}");
        assert!(row[4] < row[5] && row[6] < row[7], "{row:?}");
    }
    assert_eq!(
        desk.json("out.csv.datasheet.json")["ranges"],
        serde_json::json!(["age", "weight", "born", "at"])
    );
    let told = desk.text("out.csv.datasheet.md");
    assert!(told.contains("the value lies from age_low to age_high, both included"), "{told}");
    check(&desk, "out.csv", &["--row-map", "map.json"]).succeeds();
    // The same classes as with labels, and rows in an order that says nothing more.
    anonymize(&desk, "labels.csv", &[]).succeeds();
    let labels = cells(&desk.path("labels.csv"));
    let label = |row: &Vec<String>| format!("[{},{}]", row[0], row[1]);
    assert_eq!(
        table[1..].iter().map(label).collect::<Vec<_>>(),
        labels[1..].iter().map(|row| row[0].clone()).collect::<Vec<_>>()
    );
}

#[test]
fn every_command_reads_them() {
    let desk = desk();
    anonymize(&desk, "out.csv", TWO).succeeds();
    let read = |table: &str, by_hand: &[&str]| {
        check(&desk, table, by_hand).succeeds();
        desk.run(&arguments(&[&["risk", table, "--quasi", "age,born"], by_hand])).succeeds();
        let attack = ["attack", table, "--original", "data.csv"];
        desk.run(&arguments(&[&attack, &ROLES[..4], by_hand])).succeeds();
    };
    read("out.csv", &[]);
    desk.file("moved.csv", desk.text("out.csv"));
    check(&desk, "moved.csv", &[]).fails(2, &["no column 'age'"]);
    check(&desk, "moved.csv", TWO).succeeds();
    desk.run(&arguments(&[&["risk", "moved.csv", "--quasi", "age"], &TWO[..2]])).succeeds();
    // Faults of the two columns are found.
    let low = cells(&desk.path("out.csv"))[1][0].clone();
    let faulty = |with: &str| desk.text("out.csv").replacen(&format!("\n{low},"), with, 1);
    desk.file("moved.csv", faulty("\n99,"));
    check(&desk, "moved.csv", TWO).fails(2, &["row 1", "`age_low`", "above the high end"]);
    desk.file("moved.csv", faulty("\n,"));
    check(&desk, "moved.csv", TWO).fails(2, &["row 1", "only one end"]);
    desk.file("moved.csv", faulty("\n34,"));
    assert_eq!(check(&desk, "moved.csv", TWO).code, Some(1), "a range that is not true of every row");
}

#[test]
fn plans_parquet_and_dialects() {
    let desk = desk();
    let plan = "input = \"data.csv\"\noutput = \"out.parquet\"\nrest = \"drop\"\n\
                [columns]\nage = { role = \"quasi\", range = \"two-columns\" }\nborn = { role = \"quasi\", range = \"two-columns\" }\n\
                weight = { role = \"quasi\", range = \"two-columns\" }\nill = { role = \"sensitive\" }\n\
                [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n";
    desk.file("release.toml", plan);
    desk.run(&["anonymize", "release.toml", "--attack"]).succeeds();
    let file = std::fs::File::open(desk.path("out.parquet")).expect("a file");
    let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
    let schema = reader.expect("a Parquet file").schema().clone();
    let types: Vec<String> = schema.fields().iter().map(|field| field.data_type().to_string()).collect();
    assert_eq!(types[..2], ["Int64", "Int64"], "{types:?}");
    assert_eq!(types[4..6], ["Date32", "Date32"], "{types:?}");
    desk.run(&["check", "out.parquet", "--plan", "release.toml", "--original", "data.csv"]).succeeds();
    // Moved away from its datasheet, the plan alone says which columns are ranges.
    std::fs::copy(desk.path("out.parquet"), desk.path("moved.parquet")).expect("a copy");
    desk.run(&["check", "moved.parquet", "--plan", "release.toml", "--original", "data.csv"]).succeeds();
    desk.run(&["risk", "moved.parquet", "--plan", "release.toml"]).succeeds();
    desk.run(&["risk", "--plan", "release.toml"]).succeeds();
    let all = arguments(&[TWO, &["--output-dialect", "excel-de", "--spreadsheet-safe", "--k", "2"]]);
    let run = ["anonymize", "data.csv", "-o", "german.csv"];
    desk.run(&arguments(&[&run, &ROLES[..4], &all, &["--l", "2"]])).succeeds();
    let told = desk.json("german.csv.datasheet.json");
    assert_eq!(
        told["decimal_comma"],
        serde_json::json!(["age_low", "age_high", "weight_low", "weight_high"])
    );
    assert!(
        desk.text("german.csv").starts_with("\u{feff}age_low;age_high;weight_low"),
        "{}",
        desk.text("german.csv")
    );
    let flags = ["check", "german.csv", "--original", "data.csv", "--k", "2", "--l", "2"];
    desk.run(&arguments(&[&flags, &ROLES[..4]])).succeeds();
}

/// Trials are written into memory, where the dialect of a plan means nothing and ranges are two columns as well.
#[test]
fn releases_are_compared_with_them() {
    let desk = Desk::new();
    let rows: String =
        (0..120).map(|row| format!("{},{},{}\n", 20 + row * 7 % 60, row % 3, row % 2)).collect();
    desk.file("data.csv", format!("age,ill,group\n{rows}"));
    let plan = "input = \"data.csv\"\noutput = \"out.csv\"\noutput_dialect = \"excel-de\"\n\
                [columns]\nage = { role = \"quasi\", range = \"two-columns\" }\nill = { role = \"sensitive\" }\ngroup = { role = \"class\" }\n\
                [[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n";
    desk.file("release.toml", plan);
    let told = desk
        .run(&[
            "compare",
            "release.toml",
            "--algorithm",
            "mondrian",
            "--k",
            "5",
            "--folds",
            "2",
            "--learner",
            "majority",
        ])
        .succeeds();
    assert!(told.out.contains("mondrian"), "{}", told.out);
}

#[test]
fn records_and_recoded_rows_have_them() {
    let desk = desk();
    let flags = ["--quasi", "age", "--sensitive", "ill", "--rest", "drop"];
    let records = ["--algorithm", "nsvdist", "--l", "2", "--l-variant", "frequency"];
    let run = ["anonymize", "data.csv", "-o", "records.csv"];
    desk.run(&arguments(&[&run, &flags, &records, &TWO[..2]])).succeeds();
    assert!(desk.text("records.csv").starts_with("age_low,age_high,"), "{}", desk.text("records.csv"));
    let check = ["check", "records.csv", "--original", "data.csv", "--l", "2", "--l-variant", "frequency"];
    desk.run(&arguments(&[&check, &flags])).succeeds();
    anonymize(&desk, "out.csv", &arguments(&[TWO, &["--recoding", "rule.json"]])).succeeds();
    desk.run(&["apply", "rule.json", "data.csv", "-o", "more.csv"]).succeeds();
    assert_eq!(desk.text("more.csv"), desk.text("out.csv"));
}

#[test]
fn hierarchies_of_ranges_can_be_written_so() {
    let desk = desk();
    desk.file(
        "trees/age.csv",
        "31;[30,40);*\n33;[30,40);*\n35;[30,40);*\n52;[50,60);*\n54;[50,60);*\n58;[50,60);*\n",
    );
    let run = [
        "anonymize",
        "data.csv",
        "-o",
        "out.csv",
        "--quasi",
        "age",
        "--rest",
        "drop",
        "--k",
        "3",
        "--algorithm",
        "optimal",
    ];
    let tree = ["--hierarchies", "trees"];
    desk.run(&arguments(&[&run, &tree, &TWO[..2]])).succeeds();
    assert_eq!(desk.text("out.csv"), "age_low,age_high\n30,40\n30,40\n30,40\n50,60\n50,60\n50,60\n");
    let check =
        ["check", "out.csv", "--original", "data.csv", "--quasi", "age", "--k", "3", "--rest", "drop"];
    desk.run(&arguments(&[&check, &tree])).succeeds();
}

#[test]
fn what_is_no_range_is_refused() {
    let desk = desk();
    let run = |more: &[&str]| desk.run(&arguments(&[&["anonymize", "data.csv", "-o", "out.csv"], more]));
    let quasi = ["--quasi", "age,ill", "--rest", "drop", "--k", "2"];
    run(&arguments(&[&quasi, &["--range", "ill=two-columns"]])).fails(2, &["'ill'", "no order", "--range"]);
    run(&arguments(&[&quasi, &["--range", "age=three"]])).fails(2, &["two-columns"]);
    run(&arguments(&[&quasi, &["--range", "agee=two-columns"]])).fails(2, &["did you mean"]);
    run(&["--quasi", "age", "--other", "ill", "--k", "2", "--rest", "drop", "--range", "ill=two-columns"])
        .fails(2, &["never coarsened"]);
    run(&arguments(&[&quasi, &["--type", "age=text", "--range", "age=two-columns"]]))
        .fails(2, &["have no order"]);
    desk.file("trees/age.csv", "31;young;*\n33;young;*\n35;young;*\n52;old;*\n54;old;*\n58;old;*\n");
    let nodes =
        ["--quasi", "age", "--rest", "drop", "--k", "3", "--hierarchies", "trees", "--algorithm", "optimal"];
    run(&arguments(&[&nodes, &["--range", "age=two-columns"]]))
        .fails(2, &["'age'", "labels that are no ranges"]);
    let several =
        ["--quasi", "age", "--sensitive", "ill", "--rest", "drop", "--algorithm", "anatomy", "--l", "2"];
    run(&arguments(&[&several, &["--range", "age=two-columns"]])).fails(2, &["several tables", "--range"]);
    let means = ["--quasi", "age", "--rest", "drop", "--k", "3", "--algorithm", "mdav"];
    run(&arguments(&[&means, &["--range", "age=two-columns"]])).fails(2, &["means"]);
    desk.file("clash.csv", TABLE.replace("ill", "age_low"));
    desk.run(&[
        "anonymize",
        "clash.csv",
        "-o",
        "out.csv",
        "--quasi",
        "age",
        "--rest",
        "other",
        "--k",
        "2",
        "--range",
        "age=two-columns",
    ])
    .fails(2, &["a column 'age_low' that is published"]);
    assert!(!desk.exists("out.csv"));
}
