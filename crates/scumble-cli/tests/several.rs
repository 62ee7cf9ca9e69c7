//! Releases of several tables: the folder, what it replaces, and that `scumble check FOLDER` notices changes.

mod common;

use common::{Desk, arguments};

const TABLE: &str = "\
sex,edu,age,class,disease,salary
M,9th,30,n,flu,10
M,9th,32,n,flu,12
M,10th,36,n,ang,14
F,10th,34,n,flu,20
F,9th,31,n,dia,22
F,Bach,40,y,flu,24
M,Bach,44,y,ang,30
M,Mast,46,y,flu,34
F,Mast,42,y,mea,36
F,Bach,48,n,ang,40
M,Mast,50,y,dia,44
F,10th,38,y,mea,50
";

const ANATOMY: &[&str] = &[
    "anonymize",
    "data.csv",
    "--quasi",
    "sex,edu,age",
    "--sensitive",
    "disease",
    "--class",
    "class",
    "--drop",
    "salary",
    "--algorithm",
    "anatomy",
    "--l",
    "2",
];

/// Column a determines d; column b determines some of it.
const DECIDED: &str = "a,b,d\n1,1,y\n1,1,y\n1,2,y\n1,2,y\n2,1,n\n2,1,n\n2,3,n\n2,3,n\n";

const REDUCTS: &[&str] = &[
    "anonymize",
    "decided.csv",
    "--quasi",
    "a,b",
    "--class",
    "d",
    "--algorithm",
    "reduct-ensemble",
    "--k",
    "2",
    "--set",
    "discretise=none",
    "--set",
    "l=1",
];

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("data.csv", TABLE);
    desk.file("decided.csv", DECIDED);
    desk
}

fn names(desk: &Desk, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(desk.path(folder)).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_folder_with_everything_that_belongs_to_it() {
    let desk = desk();
    desk.run(&arguments(&[ANATOMY, &["-o", "release"]])).succeeds();
    assert_eq!(
        names(&desk, "release"),
        ["datasheet.json", "datasheet.md", "groups.csv", "manifest.json", "rows.csv"]
    );
    assert_eq!(names(&desk, "."), ["data.csv", "decided.csv", "release", "release.report"]);
    // Nothing of the sensitive column is in the table of rows.
    assert!(desk.text("release/rows.csv").starts_with("sex,edu,age,class,group\n"));
    let check = desk.run(&["check", "release", "--original", "data.csv"]).succeeds();
    assert!(
        check.out.contains("holds  distinct l-diversity of disease: required 2, attained 2"),
        "{}",
        check.out
    );
    // An earlier release is replaced, and nothing is left of it.
    desk.run(&arguments(&[ANATOMY, &["-o", "release.parquet"]])).succeeds();
    assert_eq!(
        names(&desk, "release"),
        ["datasheet.json", "datasheet.md", "groups.parquet", "manifest.json", "rows.parquet"]
    );
    desk.run(&["check", "release", "--original", "data.csv"]).succeeds();
}

#[test]
fn draws_are_secret_unless_a_seed_is_given() {
    let desk = desk();
    let drawn = |flags: &[&str]| {
        let run = desk.run(&arguments(&[ANATOMY, &["-o", "release"], flags])).succeeds();
        (desk.text("release/rows.csv"), run.err)
    };
    let (seeded, warned) = (drawn(&["--seed", "1"]), "this release is for tests");
    assert!(seeded.1.contains(warned), "{}", seeded.1);
    assert_eq!(seeded.0, drawn(&["--seed", "1"]).0);
    let secret: Vec<(String, String)> = (0..6).map(|_| drawn(&[])).collect();
    assert!(secret.iter().any(|(rows, _)| *rows != secret[0].0), "six draws are the same");
    assert!(secret.iter().all(|(_, err)| !err.contains(warned)));
}

#[test]
fn other_things_are_never_replaced() {
    let desk = desk();
    std::fs::create_dir(desk.path("mine")).expect("it is there");
    desk.file("mine/thesis.txt", "years of work");
    desk.run(&arguments(&[ANATOMY, &["-o", "mine"]])).fails(2, &["'mine' holds other things"]);
    assert_eq!(names(&desk, "mine"), ["thesis.txt"]);
    // A file that was added to a release is not lost, either.
    desk.run(&arguments(&[ANATOMY, &["-o", "release"]])).succeeds();
    desk.file("release/notes.txt", "mine");
    desk.run(&arguments(&[ANATOMY, &["-o", "release"]]))
        .fails(2, &["move the other things out of the folder"]);
    assert_eq!(desk.text("release/notes.txt"), "mine");
    desk.run(&arguments(&[ANATOMY, &["-o", "-"]])).fails(2, &["go into a folder"]);
    let run = desk.run(&arguments(&[ANATOMY, &["-o", "data"]])).succeeds();
    assert!(run.err.contains("Released 12 rows to data"), "{}", run.err);
}

#[test]
fn what_was_changed_is_noticed() {
    let desk = desk();
    desk.run(&arguments(&[ANATOMY, &["-o", "release", "--seed", "1"]])).succeeds();
    let groups = desk.text("release/groups.csv");
    let check = |expected: Option<i32>, why: &str| {
        let run = desk.run(&["check", "release", "--original", "data.csv"]);
        assert_eq!(run.code, expected, "{why}: {} {}", run.out, run.err);
        run.out + &run.err
    };
    // The number of rows with a value in a group is too high.
    let line = groups.lines().nth(1).expect("it is there");
    desk.file("release/groups.csv", groups.replacen(line, &line.replace(",1", ",2"), 1));
    assert!(check(Some(2), "more rows than there are").contains("more rows than there are"));
    // A value that nobody has.
    desk.file("release/groups.csv", groups.replacen("flu", "gout", 1));
    assert!(check(Some(1), "another value").contains("FAILS  the values of disease"));
    desk.file("release/groups.csv", &groups);
    check(Some(0), "as it was");
    // A row that is not in the original.
    let rows = desk.text("release/rows.csv");
    desk.file("release/rows.csv", rows.replacen("F,10th", "F,11th", 1));
    assert!(check(Some(1), "another row").contains("stand for no original row"));
    desk.file("release/rows.csv", &rows);
    // A manifest that points to another folder.
    let manifest = desk.text("release/manifest.json");
    desk.file("release/manifest.json", manifest.replace("rows.csv", "../data.csv"));
    assert!(check(Some(3), "another folder").contains("not a file of the same folder"));
    std::fs::remove_file(desk.path("release/manifest.json")).expect("it is there");
    check(Some(3), "no manifest");
}

#[test]
fn projections_are_put_side_by_side() {
    let desk = desk();
    let run = desk.run(&arguments(&[REDUCTS, &["-o", "release", "--json"]])).succeeds();
    let figures = run.object();
    let tables = figures["tables"].as_array().expect("it is there");
    assert!(tables.len() > 1, "{figures:#?}");
    assert_eq!(figures["models"][0]["holds"], true);
    let check = desk.run(&["check", "release", "--original", "decided.csv", "--json"]).succeeds().object();
    assert_eq!(check["holds"], true);
    assert_eq!(check["models"][0]["attained"], figures["models"][0]["attained"]);
    // The required k is higher than what holds.
    let run = desk.run(&["check", "release", "--original", "decided.csv", "--k", "3"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    // Without the original only bounds are known, which is not enough to pass.
    let run = desk.run(&["check", "release", "--k", "3"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(run.out.contains("without the original it is only known that k lies between"), "{}", run.out);
    // If tables show more about a person than the manifest says, the manifest is not believed.
    let first = tables[0]["file"].as_str().expect("it is there");
    let text = desk.text(&format!("release/{first}"));
    let wider: Vec<String> = text
        .lines()
        .enumerate()
        .map(|(row, line)| if row == 0 { format!("{line},id") } else { format!("{line},{row}") })
        .collect();
    desk.file(&format!("release/{first}"), &(wider.join("\n") + "\n"));
    let run = desk.run(&["check", "release", "--original", "decided.csv"]);
    assert_eq!(run.code, Some(1), "{} {}", run.out, run.err);
    assert!(run.out.contains("has other columns than the manifest says"), "{}", run.out);
}

#[test]
fn what_several_tables_cannot_be_asked_for() {
    let desk = desk();
    let refused = |flags: &[&str], why: &str| {
        let base: Vec<&str> = ANATOMY[..ANATOMY.len() - 2].to_vec();
        let run = desk.run(&arguments(&[&base, flags, &["-o", "release"]]));
        assert!(run.code != Some(0) && run.err.contains(why), "{flags:?}: {}", run.err);
        assert!(!desk.path("release").exists() && !desk.path("release.report").exists());
    };
    refused(&["--k", "2", "--l", "2"], "ask for l-diversity alone (--l 2)");
    refused(&["--l", "3"], "ask for the largest possible l (--l 2)");
    refused(&["--l", "2", "--flatten"], "publishes several tables");
    refused(&["--l", "2", "--keep-order"], "put the tables together again");
    refused(&["--l", "2", "--suppression", "0.1"], "missing from every table");
    refused(&["--l", "2", "--set", "rows=last"], "rows");
    let run = desk.run(&[
        "anonymize",
        "data.csv",
        "--quasi",
        "sex,age",
        "--sensitive",
        "disease",
        "--rest",
        "drop",
        "--algorithm",
        "permutation",
        "--model",
        "k_e:k=2,e=1",
        "-o",
        "release",
    ]);
    assert!(run.code != Some(0) && run.err.contains("numbers"), "{}", run.err);
}

/// Properties of groups say nothing about rows, which can be told apart.
#[test]
fn k_anonymity_of_exact_rows_is_not_judged_on_groups() {
    let desk = desk();
    desk.run(&arguments(&[ANATOMY, &["-o", "release"]])).succeeds();
    desk.run(&["check", "release", "--k", "2"]).fails(2, &["rows in groups are published as they are"]);
    let manifest = desk.text("release/manifest.json");
    let nothing = manifest.replace("\"models\": [", "\"models\": [], \"left_out\": [");
    desk.file("release/manifest.json", nothing);
    assert_ne!(desk.run(&["check", "release"]).code, Some(0), "an unknown key");
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    manifest["models"] = serde_json::json!([]);
    desk.file("release/manifest.json", manifest.to_string());
    desk.run(&["check", "release"]).fails(2, &["promises nothing", "--l 2"]);
}

#[test]
fn a_sensitive_column_beside_the_rows_is_noticed() {
    let desk = desk();
    desk.run(&arguments(&[ANATOMY, &["-o", "release"]])).succeeds();
    let rows = desk.text("release/rows.csv");
    let wider = rows.lines().enumerate().map(|(row, line)| match row {
        0 => format!("{line},disease\n"),
        _ => format!("{line},flu\n"),
    });
    desk.file("release/rows.csv", wider.collect::<String>());
    let manifest = desk.text("release/manifest.json");
    desk.file(
        "release/manifest.json",
        manifest.replacen("\"group\"\n", "\"group\",\n        \"disease\"\n", 1),
    );
    let run = desk.run(&["check", "release"]);
    assert_eq!(run.code, Some(1), "{} {}", run.out, run.err);
    assert!(run.out.contains("the rows show disease, which is to be told of groups only"), "{}", run.out);
}

#[test]
fn the_order_of_rows_and_other_files_are_faults() {
    let desk = desk();
    desk.run(&arguments(&[REDUCTS, &["-o", "release"]])).succeeds();
    let text = desk.text("release/table-1.csv");
    let mut lines: Vec<&str> = text.lines().collect();
    lines[1..].reverse();
    desk.file("release/table-1.csv", lines.join("\n") + "\n");
    let run = desk.run(&["check", "release", "--original", "decided.csv"]);
    assert_eq!(run.code, Some(1), "{} {}", run.out, run.err);
    assert!(run.out.contains("'table-1.csv' is not sorted by its content"), "{}", run.out);
    desk.file("release/table-1.csv", &text);
    desk.run(&["check", "release", "--original", "decided.csv"]).succeeds();
    desk.file("release/original.csv", DECIDED);
    let run = desk.run(&["check", "release", "--original", "decided.csv"]);
    assert_eq!(run.code, Some(1), "{} {}", run.out, run.err);
    assert!(run.out.contains("'original.csv' is in the folder"), "{}", run.out);
}

#[test]
fn outsiders_may_know_more_than_the_manifest_says() {
    let desk = desk();
    desk.run(&arguments(&[REDUCTS, &["-o", "release"]])).succeeds();
    let mut manifest: serde_json::Value =
        serde_json::from_str(&desk.text("release/manifest.json")).expect("JSON");
    manifest["quasi"] = serde_json::json!(["a"]);
    desk.file("release/manifest.json", manifest.to_string());
    let check = ["check", "release", "--original", "decided.csv", "--k", "3"];
    // The datasheet has the manifest's digest, so an edited manifest does not pass with it.
    let run = desk.run(&check);
    assert_eq!(run.code, Some(1), "{} {}", run.out, run.err);
    assert!(
        run.out.contains("manifest.json: its SHA-256 differs from the one in the datasheet"),
        "{}",
        run.out
    );
    for sheet in ["release/datasheet.json", "release/datasheet.md"] {
        std::fs::remove_file(desk.path(sheet)).expect("a datasheet");
    }
    desk.run(&check).succeeds();
    let run = desk.run(&arguments(&[&check, &["--quasi", "b"]]));
    assert_eq!(run.code, Some(1), "{} {}", run.out, run.err);
}

#[test]
fn nothing_that_is_read_or_private_lies_in_the_folder() {
    let desk = desk();
    std::fs::create_dir(desk.path("release")).expect("a folder");
    std::fs::copy(desk.path("decided.csv"), desk.path("in.csv")).expect("a copy");
    desk.run(&arguments(&[REDUCTS, &["-o", "release", "--report", "release/private"]]))
        .fails(2, &["'release/private' is in the folder 'release'"]);
    desk.run(&arguments(&[REDUCTS, &["-o", "release"]])).succeeds();
    // A table of an earlier release is the input.
    let table = desk.text("release/table-1.csv");
    let again: Vec<&str> = REDUCTS
        .iter()
        .map(|word| match *word {
            "decided.csv" => "release/table-1.csv",
            "a,b" => "a",
            word => word,
        })
        .collect();
    desk.run(&arguments(&[&again, &["-o", "release"]])).fails(2, &["is replaced as a whole"]);
    assert_eq!(desk.text("release/table-1.csv"), table);
    desk.run(&arguments(&[REDUCTS, &["-o", "."]])).fails(2, &["not the name of a new folder"]);
}

/// Rows that are left out because of a column that is not published are left out of the original, too.
#[test]
fn rows_without_values_are_left_out_on_both_sides() {
    let desk = desk();
    let table = format!("{DECIDED}1,?,y\n?,1,n\n");
    desk.file("decided.csv", &table);
    let flags = ["--missing", "drop-row"];
    desk.run(&arguments(&[REDUCTS, &["-o", "release"], &flags])).succeeds();
    desk.run(&arguments(&[&["check", "release", "--original", "decided.csv"], &flags, &["--quasi", "a,b"]]))
        .succeeds();
}

#[test]
fn permutation_counts_different_numbers() {
    let desk = desk();
    let flags =
        ["--quasi", "sex,age", "--sensitive", "salary", "--rest", "drop", "--algorithm", "permutation"];
    let run = |model: &str| {
        desk.run(&arguments(&[&["anonymize", "data.csv"], &flags, &["--model", model, "-o", "release"]]))
    };
    run("k_e:k=3,e=10").succeeds();
    run("k_e:k=3,e=10,count=rows").fails(2, &["counts different numbers"]);
    // Several people of one age have the same wage, and the sum counts all of them.
    desk.file("few.csv", "age,wage\n30,10\n30,10\n30,10\n30,20\n30,30\n40,10\n40,50\n");
    let few = [
        "anonymize",
        "few.csv",
        "-o",
        "few",
        "--quasi",
        "age",
        "--sensitive",
        "wage",
        "--algorithm",
        "permutation",
    ];
    desk.run(&arguments(&[&few, &["--model", "k_e:k=2,e=5", "--accept-attribute-disclosure"]])).succeeds();
    assert_eq!(desk.text("few/groups.csv"), "group,rows,least,greatest,sum\n1,5,10,20,60\n2,2,30,50,80\n");
}

/// Identifiers, dropped columns, left-out rows and names of folders appear in no public file.
#[test]
fn nothing_private_is_in_the_folder() {
    let desk = desk();
    let mut table = String::from("id,remark,a,b,d,pay\n");
    for row in 0..24 {
        let cells = [row % 2 + 1, row % 3 + 1, row % 2, 10 + row];
        table +=
            &format!("CANARY{row},CANARYremark{row},{},{},{},{}\n", cells[0], cells[1], cells[2], cells[3]);
    }
    // A row that is left out and has a value of its own.
    table += "CANARYgone,CANARYgone,CANARYvalue,?,1,77777\n";
    desk.file("CANARYfolder/in.csv", &table);
    let common =
        ["anonymize", "CANARYfolder/in.csv", "--identifier", "id", "--drop", "remark", "--quasi", "a,b"];
    let asked: [&[&str]; 3] = [
        &["--class", "d", "--drop", "pay", "--k", "2", "--algorithm", "reduct-ensemble", "--set", "l=1"],
        &["--sensitive", "d", "--drop", "pay", "--l", "2", "--algorithm", "anatomy"],
        &["--sensitive", "pay", "--drop", "d", "--model", "k_e:k=3,e=2", "--algorithm", "permutation"],
    ];
    for asked in asked {
        for output in ["release", "release.arrow"] {
            let run = desk.run(&arguments(&[&common, asked, &["--missing", "drop-row", "-o", output]]));
            run.succeeds();
            for name in names(&desk, "release") {
                let bytes = desk.bytes(&format!("release/{name}"));
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains("CANARY") && !text.contains("77777"), "{asked:?} {output}: {name}");
            }
        }
    }
}
