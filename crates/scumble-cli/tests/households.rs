//! The role household: its figures, k that counts households, and when `init` proposes it.

mod common;

use std::fmt::Write as _;

use common::{Desk, arguments};

/// Forty-eight people: pairs and families of four, each household in one region and of one age.
fn people() -> String {
    let mut table = "home,age,sex,region,size\n".to_owned();
    let mut home = 0;
    for (homes, members) in [(12, 2), (6, 4)] {
        for _ in 0..homes {
            home += 1;
            for member in 0..members {
                let (age, sex, region) = (30 + home % 3, ["f", "m"][member % 2], home % 2);
                writeln!(table, "home{home:03},{age},{sex},r{region},{members}").expect("a text takes lines");
            }
        }
    }
    table
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("people.csv", people());
    desk
}

const FLAGS: &[&str] = &[
    "anonymize",
    "people.csv",
    "--for",
    "inside",
    "-o",
    "out.csv",
    "--household",
    "home",
    "--quasi",
    "age,sex,region",
    "--other",
    "size",
];

#[test]
fn the_column_is_not_published_and_the_release_is_measured_by_it() {
    let desk = desk();
    let run = desk.run(&arguments(&[FLAGS, &["--k", "4", "--report", "report", "--json"]])).succeeds();
    assert!(!desk.text("out.csv").contains("home"), "it is not published");
    assert!(!desk.text("out.csv.datasheet.json").contains("home0"));
    // Rows are counted here, and the datasheet says whom k counts where households are.
    assert!(desk.text("out.csv.datasheet.md").contains("One row is taken for one person"));
    let unit = &["--model", "k_anonymity:k=2,unit=household", "-o", "homes.csv"];
    let flags: Vec<&str> = FLAGS.iter().copied().filter(|flag| !["-o", "out.csv"].contains(flag)).collect();
    desk.run(&arguments(&[&flags, unit])).succeeds();
    let sheet = desk.text("homes.csv.datasheet.md");
    assert!(
        sheet.contains("Households with several rows were counted once") && !sheet.contains("Persons with"),
        "{sheet}"
    );
    let (all, warned) = (run.object(), run.object()["warnings"].to_string());
    let found = &all["households"];
    assert_eq!((&found["column"], &found["measured"]), (&"home".into(), &true.into()));
    assert_eq!(
        (&found["households"], &found["largest"], &found["required"]),
        (&18.into(), &4.into(), &4.into())
    );
    assert_eq!(found["constant_columns"], serde_json::json!(["age", "region", "size"]));
    assert!(warned.contains("all members of a household have the same value of size"), "{warned}");
    assert_eq!(&desk.json("report/report.json")["households"], found);
    // The women of one age and region are two from pairs and two from one family: four rows from three homes.
    let below = found["groups_below"].as_u64().expect("a number");
    assert!(below > 0 && warned.contains("come from fewer than 4 households"), "{found} {warned}");
    assert!(!run.err.contains("home0") && !run.out.contains("home0"), "{run:?}");
}

#[test]
fn k_counts_households() {
    let desk = desk();
    let model = &["--model", "k_anonymity:k=4,unit=household", "--json"];
    let found = desk.run(&arguments(&[FLAGS, model])).succeeds().object();
    assert_eq!(found["households"]["groups_below"], 0);
    assert!(found["households"]["fewest_in_group"].as_u64() >= Some(4));
    assert_eq!(found["models"][0]["title"], "4-anonymity, counting households");
    // A flag for k keeps the unit that k counts.
    let plan = "input = \"people.csv\"\noutput = \"planned.csv\"\nrest = \"drop\"\n[columns]\nhome = { role = \"household\" }\n\
                age = { role = \"quasi\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\nunit = \"household\"\n";
    desk.file("release.toml", plan);
    let found = desk.run(&["anonymize", "release.toml", "--k", "5", "--json"]).succeeds().object();
    assert_eq!(found["models"][0]["title"], "5-anonymity, counting households");
    // The release has no households, so `check` says what was counted instead.
    let check = ["check", "out.csv", "--quasi", "age,sex,region", "--household", "home"];
    let run = desk.run(&arguments(&[&check, &model[..2]])).succeeds();
    assert!((run.out + &run.err).contains("households are counted where the release is made"));
    let flags = ["anonymize", "people.csv", "-o", "new.csv", "--quasi", "age,sex", "--rest", "drop"];
    desk.refuses(
        2,
        &["k is to count households, and no column of the table tells households apart", "--household"],
        &arguments(&[&flags, &["--model", "k_anonymity:k=4,unit=household"]]),
    );
    desk.refuses(
        2,
        &["k_anonymity is to count households, and the column 'region' has persons counted"],
        &arguments(&[
            &flags,
            &["--household", "home", "--subject", "region", "--model", "k_anonymity:k=4,unit=household"],
        ]),
    );
}

#[test]
fn other_kinds_of_release_are_measured_too_or_say_that_they_are_not() {
    let desk = desk();
    let flags =
        ["anonymize", "people.csv", "-o", "out", "--household", "home", "--quasi", "age,sex,region,size"];
    let flags = arguments(&[&flags, &["--rest", "drop", "--k", "4", "--algorithm", "projections", "--json"]]);
    let run = desk.run(&flags);
    if run.code == Some(0) {
        assert_eq!(run.object()["households"]["measured"], false);
        assert!(run.object()["warnings"].to_string().contains("were not looked at"), "{run:?}");
    }
    let flags =
        ["anonymize", "people.csv", "-o", "r.csv", "--household", "home", "--quasi", "age,sex,region,size"];
    let records = ["--rest", "drop", "--k", "4", "--algorithm", "k_concealment", "--json"];
    let run = desk.run(&arguments(&[&flags, &records])).succeeds();
    assert_eq!(run.object()["households"]["households"], 18);
}

#[test]
fn risk_takes_the_role_of_the_plan() {
    let desk = desk();
    desk.file(
        "release.toml",
        "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns.home]\nrole = \"household\"\n\
         [columns.age]\nrole = \"quasi\"\n[columns.sex]\nrole = \"quasi\"\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 4\n",
    );
    let found = desk.run(&["risk", "people.csv", "--plan", "release.toml", "--json"]).succeeds().object();
    assert_eq!(found["households"]["households"], 18);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    let run = desk.run(&["risk", "out.csv", "--plan", "release.toml"]).succeeds();
    assert!((run.out + &run.err).contains("no column 'home', so nothing is said about households"));
}

#[test]
fn init_proposes_the_role() {
    let desk = desk();
    desk.file("survey.csv", people().replacen("home,", "hhid,", 1));
    desk.run(&["init", "survey.csv", "-o", "release.toml"]).succeeds();
    let plan = desk.text("release.toml");
    let column = plan.split("hhid").nth(1).expect("the column");
    assert!(column.split("role = ").nth(1).is_some_and(|role| role.starts_with("\"?household\"")), "{plan}");
    assert!(plan.contains("share the value of 3 other columns"), "{plan}");
}

const NUMBERED: &[&str] = &[
    "anonymize",
    "people.csv",
    "--for",
    "inside",
    "--household",
    "home",
    "--renumber",
    "--quasi",
    "age,region",
    "--rest",
    "drop",
    "--algorithm",
    "mingen",
];

const ALL_ROWS: &[&str] = &["--model", "multirelational:k=2"];

#[test]
fn fresh_numbers_show_households_and_nothing_of_the_old_ones() {
    let desk = desk();
    let flags = arguments(&[NUMBERED, ALL_ROWS, &["-o", "out.csv", "--row-map", "map.csv"]]);
    desk.run(&flags).succeeds();
    let out = desk.text("out.csv");
    let mut sizes = std::collections::BTreeMap::new();
    for line in out.lines().skip(1) {
        let number: u32 = line.split(',').next().and_then(|text| text.parse().ok()).expect("a fresh number");
        *sizes.entry(number).or_insert(0) += 1;
    }
    assert_eq!(sizes.keys().copied().collect::<Vec<u32>>(), (1..=18).collect::<Vec<u32>>());
    assert_eq!(sizes.values().filter(|rows| **rows == 4).count(), 6, "{out}");
    let sheet = desk.text("out.csv.datasheet.md");
    assert!(sheet.contains("| home | household | fresh numbers by what rows show"), "{sheet}");
    // Other numbers in another order of rows become the same release.
    let people = people();
    let (head, rows) = people.split_once('\n').expect("a header");
    let turned: Vec<String> =
        rows.lines().rev().map(|row| format!("x{}", row.replacen("home", "", 1))).collect();
    desk.file("people.csv", format!("{head}\n{}\n", turned.join("\n")));
    desk.run(&arguments(&[NUMBERED, ALL_ROWS, &["-o", "turned.csv"]])).succeeds();
    assert_eq!(desk.text("turned.csv"), out);
    // The check finds numbers that stand for other households.
    desk.file("people.csv", people);
    let plan = "input = \"people.csv\"\noutput = \"again.csv\"\nrest = \"drop\"\n[columns]\nhome = { role = \"household\", renumber = \
                true }\nage.role = \"quasi\"\nregion.role = \"quasi\"\n[[privacy]]\nmodel = \"multirelational\"\nk = 2\n[algorithm]\nname = \
                \"mingen\"\n";
    desk.file("release.toml", plan);
    let check = ["--plan", "release.toml", "--original", "people.csv", "--row-map", "map.csv"];
    desk.run(&arguments(&[&["check", "out.csv"], &check])).succeeds();
    let swapped: Vec<String> = out
        .lines()
        .map(|line| match line.split_once(',') {
            Some(("1", rest)) => format!("18,{rest}"),
            Some(("18", rest)) => format!("1,{rest}"),
            _ => line.to_owned(),
        })
        .collect();
    desk.file("swapped.csv", swapped.join("\n") + "\n");
    let run = desk.run(&arguments(&[&["check", "swapped.csv"], &check]));
    assert_ne!(run.code, Some(0), "{run:?}");
}

#[test]
fn fresh_numbers_need_a_model_of_all_rows_of_a_household() {
    let desk = desk();
    let out = &["-o", "out.csv"];
    desk.refuses(
        2,
        &["fresh numbers in 'home' show which rows are one household", "--model multirelational:k=5"],
        &arguments(&[NUMBERED, out, &["--model", "k_anonymity:k=2,unit=household"]]),
    );
    desk.refuses(
        2,
        &["fresh numbers in 'home' make models count households, and k_anonymity is to count persons"],
        &arguments(&[NUMBERED, out, ALL_ROWS, &["--k", "2"]]),
    );
    desk.refuses(
        2,
        &["fresh numbers in 'home' make models count households, and the column 'size' has persons counted"],
        &arguments(&[NUMBERED, out, ALL_ROWS, &["--subject", "size"]]),
    );
    let flags = [
        "anonymize",
        "people.csv",
        "-o",
        "out.csv",
        "--quasi",
        "age",
        "--rest",
        "drop",
        "--k",
        "2",
        "--renumber",
    ];
    desk.refuses(2, &["no column tells households apart", "--household"], &flags);
    let flags: Vec<&str> =
        NUMBERED.iter().map(|flag| if *flag == "mingen" { "nsvdist" } else { *flag }).collect();
    desk.refuses(
        2,
        &["the households of 'home' are to be renumbered, which is done for groups of rows only"],
        &arguments(&[&flags, out, ALL_ROWS]),
    );
}
