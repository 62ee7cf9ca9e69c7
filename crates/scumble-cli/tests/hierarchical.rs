//! Several tables that stay joined: households and the people in them, released in one call.
//!
//! `SCUMBLE_BLESS=1` writes the real output into the guide.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Desk, Run, cells, files_below};

const CALL: &[&str] = &["anonymize", "household.toml", "person.toml"];

/// Forty households in two regions, with two people each. Their numbers appear nowhere else.
fn desk() -> Desk {
    let mut desk = Desk::new();
    let households = (0..40).map(household);
    desk.table(
        "household.csv",
        &format!("household,region,since,income\n{}", households.collect::<String>()),
    );
    let people = (0..40).flat_map(|home| [person(home, 0), person(home, 1)]);
    desk.table("person.csv", &format!("person,household,sex,age,visit\n{}", people.collect::<String>()));
    ["keys", "out"].iter().for_each(|name| std::fs::create_dir(desk.path(name)).expect("a folder"));
    desk.run(&["key", "new", "keys/study.key"]).succeeds();
    plans(&desk, "", "");
    desk
}

fn household(home: usize) -> String {
    let region = ["north", "south"][home % 2];
    format!("CANARYH{home:04},{region},2019-06-15,{}\n", ["low", "high"][home / 2 % 2])
}

fn person(home: usize, place: usize) -> String {
    let age = 20 + (home * 7 + place * 3) % 40;
    format!("CANARYP{home:04}{place},CANARYH{home:04},{},{age},2019-07-20\n", ["f", "m"][place])
}

/// The plans, each with more lines before its tables.
fn plans(desk: &Desk, of_household: &str, of_person: &str) {
    desk.file("household.toml", HOUSEHOLD.replace("# more", of_household));
    desk.file("person.toml", PERSON.replace("# more", of_person));
}

const HOUSEHOLD: &str = r#"
input = "household.csv"
output = "out/household.csv"
report = "report/household"
# more

[keys]
file = "keys/study.key"

[[transform]]
do = "pseudonym"
column = "household"
into = "home"
project = "study"

[[transform]]
do = "shift"
columns = ["since"]
project = "study"
max = 30

[columns]
household = { role = "subject" }
home = { role = "other" }
region = { role = "quasi" }
since = { role = "other" }
income = { role = "sensitive" }

[[privacy]]
model = "k_anonymity"
k = 3

[[privacy]]
model = "l_diversity"
l = 2
"#;

const PERSON: &str = r#"
input = "person.csv"
output = "out/person.csv"
report = "report/person"
accept_linkable_rows = true
# more

[keys]
file = "keys/study.key"

[[transform]]
do = "pseudonym"
column = "household"
into = "home"
project = "study"

[[transform]]
do = "pseudonym"
column = "person"
into = "code"
project = "study"

[[transform]]
do = "shift"
columns = ["visit"]
project = "study"
max = 30

[columns]
person = { role = "drop" }
household = { role = "subject" }
home = { role = "other" }
code = { role = "other" }
sex = { role = "quasi" }
age = { role = "quasi" }
visit = { role = "other" }

[[privacy]]
model = "k_anonymity"
k = 3
"#;

/// The call must fail with this code and these words, and leave nothing: no release, no datasheet, no report, no hidden file.
fn refuses(desk: &Desk, code: i32, words: &[&str]) -> Run {
    desk.refuses(code, words, CALL)
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let place = rows[0].iter().position(|of| of == name).expect("a column");
    rows[1..].iter().map(|row| row[place].clone()).collect()
}

#[test]
fn tables_stay_joined_and_dates_move_together() {
    let desk = desk();
    let run = desk.run(&[CALL, &["--json"]].concat()).succeeds();
    let told: serde_json::Value = serde_json::from_str(&run.out).expect("one object");
    assert_eq!(run.out.trim_end().lines().count(), 1);
    assert_eq!(told["releases"].as_array().map(Vec::len), Some(2));
    assert_eq!(told["joined"]["parent"], "household.csv");
    let [homes, people] = ["household", "person"].map(|name| cells(&desk.path(&format!("out/{name}.csv"))));
    let [codes, of_people] = [&homes, &people].map(|rows| column(rows, "home"));
    let distinct: BTreeSet<&String> = codes.iter().collect();
    assert_eq!((codes.len(), distinct.len(), of_people.len()), (40, 40, 80));
    assert!(of_people.iter().all(|code| distinct.contains(code)));
    // Dates of a household moved by one number of days, which is one for each household: the true ones are 35 days apart.
    let since: BTreeMap<&String, String> = codes.iter().zip(column(&homes, "since")).collect();
    for (code, visit) in of_people.iter().zip(column(&people, "visit")) {
        assert_eq!(day(&visit), day(&since[code]) + 35);
    }
    // Whoever joins them finds at least three households that look alike.
    let regions: BTreeMap<&String, String> = codes.iter().zip(column(&homes, "region")).collect();
    let mut alike: BTreeMap<Vec<String>, BTreeSet<&String>> = BTreeMap::new();
    for ((code, sex), age) in of_people.iter().zip(column(&people, "sex")).zip(column(&people, "age")) {
        alike.entry(vec![sex, age, regions[code].clone()]).or_default().insert(code);
    }
    let smallest = alike.values().map(BTreeSet::len).min().expect("groups");
    assert!(smallest >= 3, "{alike:?}");
    assert!(told["joined"]["smallest"].as_u64().expect("a number") <= smallest as u64);
    for name in ["household", "person"] {
        let sheet = desk.text(&format!("out/{name}.csv.datasheet.md"));
        assert!(sheet.contains("Equal codes join the rows of this table"), "{sheet}");
        assert!(desk.exists(&format!("report/{name}/summary.html")));
    }
    assert!(desk.text("out/person.csv.datasheet.md").contains("whoever knows several rows"));
    // No original number is in any byte of what may be published or was printed.
    for file in files_below(&desk.path("out")) {
        let bytes = desk.bytes(&format!("out/{}", file.display()));
        assert!(!bytes.windows(6).any(|part| part == b"CANARY"), "{}", file.display());
    }
    assert!(!run.err.contains("CANARY") && !run.out.contains("CANARY"));
    // The same call again replaces both.
    let told = desk.run(CALL).succeeds();
    assert!(told.err.contains("every row belongs to a row of household.csv"), "{}", told.err);
    assert!(!files_below(desk.root()).iter().any(|file| file.to_string_lossy().contains(".scumble")));
}

fn day(text: &str) -> u32 {
    let parts: Vec<u32> = text.split('-').map(|part| part.parse().expect("a number")).collect();
    // May to August of one year.
    [0, 0, 0, 0, 0, 0, 31, 61, 92][parts[1] as usize] + parts[2]
}

#[test]
fn all_rows_of_households_are_judged_together() {
    let desk = desk();
    // Without accepting it, a model of all rows of a household is needed.
    desk.file("person.toml", PERSON.replace("accept_linkable_rows = true", ""));
    refuses(&desk, 2, &["person.toml", "multirelational", "accept_linkable_rows = true"]);
    let mingen = "[algorithm]\nname = \"mingen\"\n[keys]";
    let person = PERSON
        .replace("accept_linkable_rows = true", "")
        .replace("model = \"k_anonymity\"", "model = \"multirelational\"")
        .replace("[keys]", mingen)
        .replace("age = { role = \"quasi\" }", "age = { role = \"drop\" }");
    desk.file("person.toml", person);
    let run = desk.run(&[CALL, &["--json"]].concat()).succeeds();
    let told: serde_json::Value = serde_json::from_str(&run.out).expect("one object");
    let models = told["joined"]["models"].as_array().expect("models");
    assert!(
        models.iter().any(|of| of["model"] == "multirelational k-anonymity over 2 tables"
            && of["attained"].as_f64() >= Some(3.0)),
        "{models:?}"
    );
}

/// Fails after the first table was made, and publishes neither.
#[test]
fn nothing_is_published_unless_everything_is() {
    let desk = desk();
    plans(&desk, "", "");
    desk.file("person.toml", PERSON.replace("k = 3", "k = 100"));
    refuses(&desk, 1, &["person.toml: k = 100 is more than"]);
    desk.file("person.toml", PERSON);
    desk.file("out/person.csv", "somebody's");
    refuses(&desk, 2, &["person.csv' is already there", "--force"]);
    std::fs::remove_file(desk.path("out/person.csv")).expect("removed");
    desk.file("person.toml", PERSON.replace("out/person.csv", "out/household.csv"));
    refuses(&desk, 2, &["two outputs have the same name"]);
    desk.file("person.toml", PERSON.replace("out/person.csv", "household.csv"));
    refuses(&desk, 2, &["household.csv' is the input"]);
    desk.file("person.toml", PERSON.replace("out/person.csv", "-"));
    refuses(&desk, 2, &["releases that are published together go into files"]);
}

#[test]
fn plans_must_make_the_same_codes() {
    let desk = desk();
    let person = |from: &str, to: &str| desk.file("person.toml", PERSON.replacen(from, to, 1));
    person("project = \"study\"", "project = \"other\"");
    refuses(&desk, 2, &["household.toml and person.toml", "'household'", "project: 'study' and 'other'"]);
    person("project = \"study\"", "project = \"study\"\nlength = 20");
    refuses(&desk, 2, &["length: '16' and '20'"]);
    person("project = \"study\"", "project = \"study\"\nnormalise = \"lower\"");
    refuses(&desk, 2, &["normalise: 'trim' and 'lower'"]);
    person("project = \"study\"", "project = \"study\"\ndomain = \"home\"");
    refuses(&desk, 2, &["no published codes join the table of person.toml with that of household.toml"]);
    person("home = { role = \"other\" }", "home = { role = \"drop\" }");
    refuses(&desk, 2, &["no published codes join"]);
    person("home = { role = \"other\" }", "home = { role = \"sensitive\" }");
    refuses(&desk, 2, &["'home' has the role other"]);
    desk.run(&["key", "new", "keys/other.key"]).succeeds();
    person("keys/study.key", "keys/other.key");
    refuses(&desk, 2, &["household.toml and person.toml name different keys"]);
}

#[test]
fn every_row_has_a_parent() {
    let mut desk = desk();
    let people = desk.text("person.csv");
    desk.table("person.csv", &format!("{people}{}{}", person(77, 0), person(77, 1)));
    refuses(&desk, 3, &["2 rows of 'person.csv' have no parent", "'household.csv'"]);
    desk.table("person.csv", &people);
    // A household without a like is left out by its release, and its people are not.
    let homes = desk.text("household.csv");
    desk.table("household.csv", &format!("{homes}CANARYH9999,west,2019-06-15,low\n"));
    desk.table("person.csv", &format!("{people}CANARYP9999,CANARYH9999,f,30,2019-07-20\n"));
    let search = "[algorithm]\nname = \"optimal\"\nsuppression = 0.1\nstar_policy = \"drop\"\n[keys]";
    desk.file("household.toml", HOUSEHOLD.replace("[keys]", search));
    refuses(&desk, 1, &["leaves rows out to which 1 row of person.csv belong", "star_policy = \"strict\""]);
    // Nobody is the parent if no table has each code once.
    let rows = homes.split_once('\n').expect("a head").1;
    desk.table("household.csv", &format!("{homes}{rows}"));
    desk.table("person.csv", &people);
    desk.file("household.toml", HOUSEHOLD.replace("# more", "accept_linkable_rows = true"));
    refuses(&desk, 2, &["no table has each code of the domain 'household' in one row only"]);
}

/// Each table holds, and nothing that the searches can do makes the joined rows hold.
#[test]
fn joined_rows_that_are_alone_are_refused() {
    let mut desk = desk();
    // Four households with one person in each: two are alike in each table, and none once they are joined.
    let homes = "household,region,since,income\nCANARYH1,a,2019-06-15,low\nCANARYH2,a,2019-06-15,high\n\
                 CANARYH3,b,2019-06-15,low\nCANARYH4,b,2019-06-15,high\n";
    desk.table("household.csv", homes);
    let people = "person,household,sex,age,visit\nCANARYP1,CANARYH1,f,20,2019-07-20\nCANARYP2,CANARYH2,m,20,2019-07-20\n\
                  CANARYP3,CANARYH3,f,20,2019-07-20\nCANARYP4,CANARYH4,m,20,2019-07-20\n";
    desk.table("person.csv", people);
    desk.file("household.toml", HOUSEHOLD.replace("k = 3", "k = 2"));
    desk.file("person.toml", PERSON.replace("k = 3", "k = 2"));
    // Groups of four are enough: both tables are asked for them.
    let run = desk.run(&[CALL, &["--json"]].concat()).succeeds();
    let told: serde_json::Value = serde_json::from_str(&run.out).expect("one object");
    assert_eq!((&told["joined"]["smallest"], &told["joined"]["doublings"]), (&4.into(), &1.into()));
    // Nobody is known of the fourth household, so joined rows are those of three.
    let three = people.rsplit_once("CANARYP4").expect("four people").0;
    desk.table("person.csv", &format!("{three}CANARYP5,CANARYH1,m,20,2019-07-20\n"));
    desk.file("household.toml", HOUSEHOLD.replace("k = 3", "k = 4").replace("out/", "new/"));
    desk.file("person.toml", PERSON.replace("k = 3", "k = 2").replace("out/", "new/"));
    std::fs::create_dir(desk.path("new")).expect("a folder");
    let words = ["once codes join them with household.csv: required 4, attained 2", "Nothing was published"];
    desk.refuses(1, &words, &[CALL, &["--force"]].concat());
}

#[test]
fn flags_about_one_table_are_refused() {
    let desk = desk();
    for (flag, value) in [("--quasi", "region"), ("-o", "out/x.csv"), ("--k", "3"), ("--seed", "1")] {
        let words = ["is about one table, and several plans are given"];
        desk.refuses(2, &words, &[CALL, &[flag, value]].concat());
    }
    desk.refuses(2, &["--attack is about one table"], &[CALL, &["--attack"]].concat());
    desk.refuses(2, &["'person.csv' is no plan"], &["anonymize", "household.toml", "person.csv"]);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let desk = desk();
    let seed = "[algorithm]\nseed = 5\n[keys]";
    desk.file("household.toml", HOUSEHOLD.replace("[keys]", seed));
    desk.file("person.toml", PERSON.replace("[keys]", seed));
    let published = |threads: &str, order: &[&str]| {
        desk.run(&[&["anonymize", "--threads", threads], order].concat()).succeeds();
        ["household", "person"].map(|name| desk.text(&format!("out/{name}.csv")))
    };
    let first = published("1", &["household.toml", "person.toml"]);
    assert_eq!(published("3", &["household.toml", "person.toml"]), first);
    // Nor does it matter which plan is named first.
    assert_eq!(published("2", &["person.toml", "household.toml"]), first);
}

/// The example of the guide prints what it shows.
#[test]
fn the_guide_prints_what_it_shows() {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/hierarchical-files.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let blocks = |word: &str| -> Vec<String> {
        let fence = format!("```{word}\n");
        page.split(&fence).skip(1).map(|rest| rest.split("```").next().expect("a block").to_owned()).collect()
    };
    let desk = Desk::new();
    let (tables, plans) = (blocks("csv"), blocks("toml"));
    desk.file("household.csv", &tables[0]).file("person.csv", &tables[1]);
    desk.file("household.toml", &plans[0]).file("person.toml", &plans[1]);
    ["keys", "out"].iter().for_each(|name| std::fs::create_dir(desk.path(name)).expect("a folder"));
    desk.run(&["key", "new", "keys/study.key"]).succeeds();
    let shown = blocks("console").pop().expect("the call");
    let mut real = String::new();
    for line in shown.lines().filter_map(|line| line.strip_prefix("$ scumble ")) {
        let run = desk.run(&line.split(' ').collect::<Vec<_>>()).succeeds();
        real += &format!("$ scumble {line}\n{}{}", run.out, run.err);
    }
    if std::env::var_os("SCUMBLE_BLESS").is_some() {
        std::fs::write(&path, page.replace(&shown, &real)).expect("the page is written");
    } else {
        assert_eq!(shown, real, "docs/guide/hierarchical-files.md");
    }
}
