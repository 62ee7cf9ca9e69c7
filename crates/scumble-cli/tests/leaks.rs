//! The canary test: tokens are planted where nothing may get out, and every byte of every public output is searched for them.
#![expect(clippy::unwrap_used, reason = "helpers of tests may panic like the tests themselves")]

mod common;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{Desk, Run, arguments, cells, files_below, keys, scumble, shuffled};
use parquet::file::reader::{FileReader, SerializedFileReader};

/// The beginning of every planted text.
const CANARY: &str = "CANARY";
/// The folder of the original.
const FOLDER: &str = "CANARYfolder";

/// Sixty people of the north and the south, eight who work where the others live, and five of an island. Every person has a city, a job and
/// an income of their own, and only the hierarchies group them. The label depends on the groups, so that IACK keeps them. At k = 7 the
/// eight and the five must be merged with others or suppressed.
struct Aviary {
    table: String,
    city: String,
    job: String,
    incomes: Vec<u32>,
}

fn aviary() -> Aviary {
    let mut aviary = Aviary {
        table: "id,name,city,job,income,ward,label,remark\n".into(),
        city: String::new(),
        job: String::new(),
        incomes: Vec::new(),
    };
    for row in 0..73 {
        let (group, trade, base, label) = match row {
            0..30 => ("north;north", "office;office", 1_000_000, "yes"),
            30..60 => ("mainsouth;south", "mainworkshop;workshop", 2_000_000, "no"),
            60..64 => ("north;north", "mainworkshop;workshop", 1_500_000, "yes"),
            64..68 => ("mainsouth;south", "office;office", 2_500_000, "no"),
            _ => ("CANARYisland;south", "CANARYlighthouse;workshop", 2_500_000, "yes"),
        };
        // A few labels are reversed: the groups say much about the label, but not everything.
        let label = if row % 10 == 7 { if label == "yes" { "no" } else { "yes" } } else { label };
        let ward = if row < 60 { format!("ward{}", row % 3) } else { format!("CANARYward{row}") };
        let income = base + 13_577 * (row % 30) + 1_234;
        let (city, job) = (format!("CANARYcity{row:02}"), format!("CANARYjob{row:02}"));
        writeln!(
            aviary.table,
            "CANARYid{row:02},\"CANARYname, {row:02}\",{city},{job},{income},{ward},{label},CANARYremark{row:02}"
        )
        .unwrap();
        writeln!(aviary.city, "{city};{group};*").unwrap();
        writeln!(aviary.job, "{job};{trade};*").unwrap();
        aviary.incomes.push(income);
    }
    // Leaves that no person has.
    aviary.city += "CANARYghosttown;north;north;*\n";
    aviary.job += "CANARYghosttrade;office;office;*\n";
    aviary
}

/// Returns the aviary without the island: IACc never gives up the last rows with some value, so it would keep the island's name.
fn mainland() -> String {
    aviary().table.lines().take(69).map(|line| format!("{line}\n")).collect()
}

/// Returns the table that an algorithm anonymises.
fn table_for(algorithm: &[&str]) -> String {
    if algorithm[1] == "iacc" { mainland() } else { aviary().table }
}

/// The roles of the aviary, except for the wards.
const ROLES: &[&str] = &[
    "--identifier",
    "id,name",
    "--quasi",
    "city,job,income",
    "--class",
    "label",
    "--drop",
    "remark",
    "--hierarchies",
    "trees",
    "--hierarchy",
    "income={ build = \"widths\", widths = [1000000, 4000000] }",
];

const ALGORITHMS: [&[&str]; 3] = [
    &["--algorithm", "mondrian", "--k", "7"],
    &["--algorithm", "iack", "--k", "7"],
    &["--algorithm", "iacc", "--k", "7", "--set", "delta_d=0.5", "--set", "delta_c=1"],
];
const FORMATS: [&str; 5] = ["csv", "csv.gz", "csv.zst", "parquet", "arrow"];

/// Makes a desk with the aviary in a folder of its own, an empty folder for the release and one for temporary files.
fn desk_with(table: &str) -> Desk {
    let (desk, aviary) = (Desk::new(), aviary());
    desk.file(&format!("{FOLDER}/people.csv"), table);
    desk.file("trees/city.csv", aviary.city).file("trees/job.csv", aviary.job);
    std::fs::create_dir(desk.path("out")).unwrap();
    std::fs::create_dir(desk.path("tmp")).unwrap();
    desk
}

fn run(desk: &Desk, arguments: &[&str]) -> Run {
    Run::of(scumble(desk.root()).args(arguments).env("TMPDIR", desk.path("tmp")))
}

/// Anonymises the aviary. `wards` is the flag for the wards, `--other` or `--drop`.
fn anonymize(desk: &Desk, output: &str, wards: &str, more: &[&[&str]]) -> Run {
    let input = format!("{FOLDER}/people.csv");
    let first = ["anonymize", &input, "-o", output, wards, "ward"];
    run(desk, &arguments(&[&[&first, ROLES], more].concat()))
}

/// Panics if the bytes contain the token.
#[track_caller]
fn search(place: &str, bytes: &[u8], token: &str) {
    if let Some(at) = bytes.windows(token.len()).position(|window| window == token.as_bytes()) {
        let end = (at + 40).min(bytes.len());
        panic!("{place} holds {token}: {}", String::from_utf8_lossy(&bytes[at.saturating_sub(20)..end]));
    }
}

/// Returns a file as it is, and unpacked: the text of a compressed one, the pages and the metadata of Parquet.
fn layers(path: &Path) -> Vec<Vec<u8>> {
    let raw = std::fs::read(path).unwrap();
    let mut unpacked = Vec::new();
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("gz") => {
            flate2::read::MultiGzDecoder::new(&raw[..]).read_to_end(&mut unpacked).unwrap();
        }
        Some("zst") => unpacked = zstd::decode_all(&raw[..]).unwrap(),
        Some("parquet") => {
            let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
            unpacked.extend(format!("{:?}", reader.metadata()).into_bytes());
            for group in 0..reader.num_row_groups() {
                let group = reader.get_row_group(group).unwrap();
                for column in 0..group.num_columns() {
                    assert!(
                        group.metadata().column(column).statistics().is_none(),
                        "statistics repeat extremes"
                    );
                    let mut pages = group.get_column_page_reader(column).unwrap();
                    while let Some(page) = pages.get_next_page().unwrap() {
                        unpacked.extend_from_slice(page.buffer());
                    }
                }
            }
        }
        _ => {}
    }
    // The cells as a reader of the format sees them, whatever their encoding.
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let seen =
        if name.contains("datasheet") { Vec::new() } else { format!("{:?}", cells(path)).into_bytes() };
    vec![raw, unpacked, seen]
}

/// Searches the folder of a release: only the private report may contain canaries, and only its owner may read it.
fn search_outputs(desk: &Desk, extension: &str, what: &str) {
    let release = format!("release.{extension}");
    let sheets = ["json", "md"].map(|end| format!("{release}.datasheet.{end}"));
    let expected: BTreeSet<_> = [
        release.as_str(),
        sheets[0].as_str(),
        sheets[1].as_str(),
        "release.report",
        "release.report/recoding.json",
        "release.report/report.html",
        "release.report/report.json",
        "release.report/summary.html",
    ]
    .map(Into::into)
    .into();
    assert_eq!(files_below(&desk.path("out")), expected, "{what}");
    assert_eq!(files_below(&desk.path("tmp")), BTreeSet::new(), "temporary files are left behind by {what}");
    for file in [&release, &sheets[0], &sheets[1]] {
        for layer in layers(&desk.path(&format!("out/{file}"))) {
            search(&format!("{file} of {what}"), &layer, CANARY);
            for income in aviary().incomes {
                search(&format!("{file} of {what}"), &layer, &income.to_string());
            }
        }
    }
    let mode =
        |name: &Path| std::fs::metadata(desk.path("out").join(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("release.report".as_ref()), 0o700);
    for file in expected.iter().filter(|file| file.components().count() == 2) {
        assert_eq!(mode(file), 0o600, "{}", file.display());
    }
}

/// Messages may name the folder, since the user named it, but no cell.
fn search_messages(run: &Run, what: &str) {
    for text in [&run.out, &run.err] {
        search(&format!("a message of {what}"), text.replace(FOLDER, "").as_bytes(), CANARY);
        for income in aviary().incomes {
            search(&format!("a message of {what}"), text.as_bytes(), &income.to_string());
        }
    }
}

/// Runs every algorithm and format with a star policy that suits it, on one desk after the other.
fn search_policy(policy: &str) {
    for algorithm in &ALGORITHMS {
        let desk = desk_with(&table_for(algorithm));
        for extension in FORMATS {
            let what = format!("{} --star-policy {policy} to {extension}", algorithm.join(" "));
            let output = format!("out/release.{extension}");
            let chatty = if extension == "csv" { "--verbose" } else { "--json" };
            // The wards are published unchanged. If the islanders are left out, so are their wards.
            let wards = if policy == "drop" && algorithm[1] != "mondrian" { "--other" } else { "--drop" };
            let run = anonymize(&desk, &output, wards, &[algorithm, &["--star-policy", policy, chatty]]);
            assert_eq!(run.code, Some(0), "{what}: {}", run.err);
            search_messages(&run, &what);
            search_outputs(&desk, extension, &what);
            std::fs::remove_dir_all(desk.path("out")).unwrap();
            std::fs::create_dir(desk.path("out")).unwrap();
        }
    }
}

#[test]
fn nothing_gets_out_of_strict_releases() {
    search_policy("strict");
}

#[test]
fn nothing_gets_out_of_releases_as_in_the_papers() {
    search_policy("paper");
}

#[test]
fn nothing_gets_out_of_releases_without_the_suppressed_rows() {
    search_policy("drop");
}

/// Guards the test above, which could not fail otherwise: the algorithms must have something to hide, and not hide everything.
#[test]
fn the_aviary_is_generalised_and_suppressed() {
    for algorithm in &ALGORITHMS {
        let desk = desk_with(&table_for(algorithm));
        let object =
            anonymize(&desk, "out/release.csv", "--other", &[algorithm, &["--json"]]).succeeds().object();
        let suppressed = object["suppressed"].as_u64().unwrap();
        assert!(object["classes"].as_u64().unwrap() >= 2, "{object}");
        assert!(object["metrics"]["loss"].as_f64().unwrap() > 0.0, "{object}");
        if algorithm[1] != "mondrian" {
            assert!((8..20).contains(&suppressed), "{object}");
        }
        let report = String::from_utf8(desk.bytes("out/release.report/report.json")).unwrap();
        assert!(report.contains(CANARY), "the private report of {} speaks of the original", algorithm[1]);
    }
}

/// Guards the tests above, too: published texts are found in every format.
#[test]
fn the_search_finds_what_is_published() {
    let (desk, input) = (desk_with(&aviary().table), format!("{FOLDER}/people.csv"));
    for extension in FORMATS {
        let output = format!("out/release.{extension}");
        let flags = ["--quasi", "income", "--other", "city", "--rest", "drop", "--k", "7"];
        run(&desk, &arguments(&[&["anonymize", &input, "-o", &output], &flags])).succeeds();
        let holds = |layer: &Vec<u8>| layer.windows(CANARY.len()).any(|window| window == CANARY.as_bytes());
        let [raw, unpacked, seen] = &layers(&desk.path(&output))[..] else { panic!("three layers") };
        let found = if ["csv", "arrow"].contains(&extension) { raw } else { unpacked };
        assert!(holds(found) && holds(seen), "{extension}");
    }
}

#[test]
fn standard_output_and_input_leak_nothing() {
    let desk = desk_with(&aviary().table);
    let mut command = assert_cmd::Command::from_std(scumble(desk.root()));
    command.env("TMPDIR", desk.path("tmp")).args([
        "anonymize",
        "-",
        "-o",
        "-",
        "--k",
        "7",
        "--drop",
        "ward",
        "--verbose",
    ]);
    command.args(ROLES);
    let run = Run::from(command.write_stdin(aviary().table).output().unwrap()).succeeds();
    search_messages(&run, "a pipe");
    assert_eq!(run.out.lines().count(), aviary().table.lines().count());
    assert_eq!(files_below(&desk.path("tmp")), BTreeSet::new());
}

/// Failures of every stage, with all their messages.
#[test]
fn failing_runs_leak_nothing() {
    let fails = |spoil: &dyn Fn(&Desk), more: &[&str], code: i32| {
        let desk = desk_with(&aviary().table);
        spoil(&desk);
        let wards = if more.contains(&"--subject") { "--subject" } else { "--other" };
        let more: Vec<&str> =
            more.iter().copied().filter(|flag| !["--subject", "ward"].contains(flag)).collect();
        let more = &more[..];
        let run = anonymize(&desk, "out/release.csv", wards, &[more, &["--verbose"]]);
        assert_eq!(run.code, Some(code), "{run:?}");
        search_messages(&run, &more.join(" "));
        assert_eq!(files_below(&desk.path("out")), BTreeSet::new());
        assert_eq!(files_below(&desk.path("tmp")), BTreeSet::new());
    };
    let table = |text: &str| {
        let text = text.to_owned();
        move |desk: &Desk| {
            desk.file(&format!("{FOLDER}/people.csv"), &text);
        }
    };
    let nothing = |_: &Desk| {};
    let original = aviary().table;
    fails(&nothing, &["--k", "74"], 1);
    fails(&nothing, &["--k", "20", "--algorithm", "iack", "--suppression", "0.01"], 1);
    fails(&nothing, &["--k", "5", "--type", "city=integer"], 3);
    fails(&nothing, &["--k", "5", "--type", "city=dd/mm/yyyy"], 3);
    fails(&nothing, &["--k", "73", "--subject", "ward"], 1);
    fails(&table(&original.replace("CANARYcity05", "CANARYmisspelt")), &["--k", "5"], 3);
    fails(&table(&original.replace("CANARYcity05", "\"CANARYcity05")), &["--k", "5"], 3);
    fails(&table(&original.replace(",CANARYcity05", "")), &["--k", "5"], 3);
    fails(&table(&original.replace("CANARYcity05", "?")), &["--k", "5", "--missing", "error"], 3);
    fails(&table(&original.replace("CANARYid00", &"CANARY".repeat(1 << 20))), &["--k", "74"], 1);
    let undecodable = |desk: &Desk| {
        let text = aviary().table.into_bytes();
        let at = text.windows(12).position(|window| window == b"CANARYcity05").unwrap();
        let text = [&text[..at], &b"\xff\xfe"[..], &text[at..]].concat();
        desk.file(&format!("{FOLDER}/people.csv"), text);
    };
    fails(&undecodable, &["--k", "5"], 3);
}

#[test]
fn other_commands_do_not_show_cells_in_messages() {
    let desk = desk_with(&aviary().table);
    let input = format!("{FOLDER}/people.csv");
    let init = run(&desk, &["init", &input, "--verbose"]).succeeds();
    search_messages(&init, "init");
    let mode = std::fs::metadata(desk.path("release.toml")).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "a plan describes the original");
    desk.file("half.csv", "CANARYcity00;north;*\n");
    let check = run(&desk, &["hierarchy", "check", &input, "city", "-H", "half.csv", "--verbose"]);
    check.fails(3, &["72 values"]);
    search_messages(&check, "hierarchy check");
    let check = run(&desk, &["check", &input, "--quasi", "city,job", "--k", "5", "--verbose"]);
    assert_eq!(check.code, Some(1));
    search_messages(&check, "check");
}

#[test]
fn the_order_of_the_rows_leaves_no_trace() {
    for algorithm in &ALGORITHMS {
        let original = table_for(algorithm);
        for extension in FORMATS {
            let release = |table: &str| {
                let desk = desk_with(table);
                anonymize(&desk, &format!("out/release.{extension}"), "--other", &[algorithm]).succeeds();
                ["", ".datasheet.json", ".datasheet.md"]
                    .map(|end| desk.bytes(&format!("out/release.{extension}{end}")))
            };
            let first = release(&original);
            for seed in [1, 2] {
                assert!(first == release(&shuffled(&original, seed)), "{} to {extension}", algorithm[1]);
            }
        }
    }
}

#[test]
fn released_rows_are_sorted_by_content() {
    let desk = desk_with(&shuffled(&aviary().table, 7));
    anonymize(&desk, "out/release.csv", "--other", &[ALGORITHMS[1]]).succeeds();
    let text = desk.text("out/release.csv");
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert!(rows.is_sorted(), "{text}");
}

/// No bound of a released interval is a person's own number, unless the user asked for tight labels.
#[test]
fn intervals_do_not_end_at_numbers_of_people() {
    let desk = desk_with(&aviary().table);
    let input = format!("{FOLDER}/people.csv");
    let flags = ["--quasi", "income", "--rest", "drop", "--k", "7"];
    run(&desk, &arguments(&[&["anonymize", &input, "-o", "out/release.csv"], &flags])).succeeds();
    let released = desk.text("out/release.csv");
    let bounds: BTreeSet<u32> = released
        .split(|letter: char| !letter.is_ascii_digit())
        .filter_map(|number| number.parse().ok())
        .collect();
    assert!(bounds.len() > 5, "there are intervals: {released}");
    for income in aviary().incomes {
        assert!(!bounds.contains(&income), "an interval ends at a person's income");
        assert!(!bounds.contains(&(income + 1)), "an interval begins right above a person's income");
    }
}

#[test]
fn the_schema_of_the_datasheet_is_closed() {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    for algorithm in &ALGORITHMS {
        for policy in ["strict", "paper", "drop"] {
            let desk = desk_with(&table_for(algorithm));
            anonymize(
                &desk,
                "out/release.csv",
                "--other",
                &[algorithm, &["--star-policy", policy, "--seed", "4711"]],
            )
            .succeeds();
            let sheet = desk.json("out/release.csv.datasheet.json");
            let top = [
                "statement",
                "made_with",
                "algorithm",
                "rows",
                "files",
                "guarantees",
                "columns",
                "reading",
                "limits",
            ];
            assert_eq!(keys(&sheet), set(&top));
            assert_eq!(sheet["files"].as_array().unwrap().len(), 1);
            assert_eq!(keys(&sheet["files"][0]), set(&["file", "rows", "sha256"]));
            for guarantee in sheet["guarantees"].as_array().unwrap() {
                assert_eq!(keys(guarantee), set(&["model", "on"]));
            }
            for column in sheet["columns"].as_array().unwrap() {
                let allowed = set(&["name", "role", "how", "kinds", "hierarchy"]);
                assert!(keys(column).is_subset(&allowed), "{column}");
                assert!(
                    ["city", "job", "income", "ward", "label"].contains(&column["name"].as_str().unwrap())
                );
            }
            let released = desk.text("out/release.csv").lines().count() - 1;
            assert_eq!(sheet["rows"], released, "it counts the rows that everybody sees");
            for name in ["out/release.csv.datasheet.json", "out/release.csv.datasheet.md"] {
                // The digits of a digest can contain any number.
                let text = desk.text(name).replace(sheet["files"][0]["sha256"].as_str().unwrap(), "");
                assert!(
                    !text.contains("4711") && !text.contains("people") && !text.contains("trees"),
                    "{text}"
                );
                for word in ["anonymous data", "safe", "is anonymous"] {
                    assert!(!text.contains(word), "{text}");
                }
            }
        }
    }
}
