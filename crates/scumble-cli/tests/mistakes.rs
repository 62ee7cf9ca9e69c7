//! Mistakes that new users make: each message says what happened, where, why, and what to do next.

mod common;

use common::{Desk, ROLES, arguments};

const EVALUATION: &str =
    "[[data]]\nplan = \"release.toml\"\n[[algorithm]]\nname = \"mondrian\"\n[[learner]]\nname = \"c45\"\n";

fn plan(more: &str) -> String {
    format!(
        "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
         sex = {{ role = \"quasi\" }}\n{more}"
    )
}

fn planned(more: &str) -> Desk {
    let desk = Desk::with_people();
    desk.file("release.toml", plan(more));
    desk
}

#[test]
fn files_of_other_programs_are_named() {
    let desk = Desk::new();
    desk.file("people.xlsx", b"PK\x03\x04\x14\0\x06\0\x08\0[Content_Types].xml_rels/.relsxl/workbook.xml");
    let words = ["'people.xlsx' is a damaged Excel workbook", "copy or download the file again"];
    desk.refuses(3, &words, &["init", "people.xlsx"]);
    desk.refuses(3, &words, &["init", "people.xlsx", "--encoding", "windows-1252"]);
    desk.file("people.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0\0\0");
    desk.refuses(3, &["'people.xls' is a damaged Excel workbook of the old format"], &["init", "people.xls"]);
    desk.file("people.sav", b"$FL2@(#) SPSS DATA FILE");
    desk.refuses(3, &["'people.sav' is an SPSS data file", "with its value labels"], &["init", "people.sav"]);
}

#[test]
fn a_plan_for_another_command() {
    let desk = planned("[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n");
    let words = ["release.toml is a plan of a release", "scumble anonymize", "scumble compare"];
    desk.refuses(2, &words, &["evaluate", "release.toml"]);
    desk.file("study.toml", EVALUATION);
    let words = ["study.toml is a plan of an evaluation", "scumble evaluate"];
    desk.refuses(2, &words, &["anonymize", "study.toml"]);
    desk.refuses(2, &words, &["compare", "study.toml"]);
}

#[test]
fn a_wrong_delimiter() {
    let flags = arguments(&[ROLES, &["--delimiter", ";"]]);
    let words = [
        "'people.csv': there is no column",
        "the header is one column under this delimiter",
        "it looks as if ',' stood between fields",
        "(--delimiter)",
    ];
    let run = Desk::with_people().refuses_people(2, &words, &flags);
    assert!(!run.err.contains("the plan has"), "{}", run.err);
}

#[test]
fn a_column_that_is_not_there() {
    let desk = Desk::with_people();
    let flags = ["--quasi", "age,sexx", "--rest", "drop", "--k", "3"];
    let words = [
        "there is no column 'sexx'; did you mean 'sex'?",
        "(the columns are name, age, sex, postcode, diagnosis, readmitted)",
        "correct the name where the column is given a role (--quasi)",
    ];
    let run = desk.refuses_people(2, &words, &flags);
    assert!(!run.err.contains("the plan has"), "{}", run.err);
    desk.refuses_people(
        2,
        &["'zebra'; the columns are name, age"],
        &["--quasi", "age", "--drop", "zebra", "--k", "2"],
    );
    let desk = planned("sexx = { role = \"drop\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n");
    desk.refuses(
        2,
        &["no column 'sexx'", "([columns.sexx] role = \"drop\")"],
        &["anonymize", "release.toml", "--drop", "name"],
    );
    desk.refuses(
        2,
        &["no column 'aeg'; did you mean 'age'? (the columns are"],
        &["risk", "people.csv", "--quasi", "aeg"],
    );
    let hierarchy = ["hierarchy", "show", "people.csv", "aeg"];
    desk.refuses(2, &["no column 'aeg'; did you mean 'age'? (the columns are"], &hierarchy);
}

#[test]
fn numbers_below_the_range_are_no_flags() {
    let desk = Desk::with_people();
    let refuses = |flag: &str, value: &str, words: &[&str]| {
        let given = [
            "--quasi",
            "age,sex",
            "--sensitive",
            "diagnosis",
            "--rest",
            "drop",
            "--k",
            "3",
            "--l",
            "2",
            flag,
            value,
        ];
        let given: Vec<&str> =
            if flag == "--k" { [&given[..6], &given[8..]].concat() } else { given.to_vec() };
        let run = desk.refuses_people(2, words, &given);
        assert!(!run.err.contains("-- -"), "{}", run.err);
    };
    refuses("--k", "-1", &["k must be a whole number of at least 1, not -1"]);
    refuses("--t", "-0.5", &["t must be a number from 0 to 1, not -0.5"]);
    refuses("--suppression", "-0.1", &["--suppression is a share from 0 to 1, not '-0.1'"]);
    refuses("--steps", "-1", &["'--steps <N>'", "it must be a whole number of at least 0"]);
    refuses("--seed", "-7", &["'--seed <N>'", "it must be a whole number of at least 0"]);
    refuses("--threads", "-2", &["'--threads <N>'", "it must be a whole number"]);
    refuses("--lkc", "-1,3", &["l must be a whole number of at least 1, not -1"]);
    desk.refuses(
        2,
        &["'--k <K,K>'", "at least 1"],
        &["compare", "people.csv", "--quasi", "age", "--k", "-5"],
    );
    desk.refuses(
        2,
        &["'--population-size <N>'"],
        &["risk", "people.csv", "--quasi", "age", "--population-size", "-5"],
    );
}

#[test]
fn places_that_take_no_files() {
    let desk = Desk::with_people();
    let to = |output: &'static str| arguments(&[&["anonymize", "people.csv", "-o", output], ROLES]);
    if std::path::Path::new("/proc/self").exists() {
        let run = desk.refuses(
            3,
            &["cannot write '/proc/o.csv' (its folder takes no new files)", "another folder"],
            &to("/proc/o.csv"),
        );
        assert!(!run.err.contains("does not exist"), "{}", run.err);
    }
    desk.refuses(
        3,
        &["cannot write 'none/o.csv' (its folder does not exist)", "create the folder"],
        &to("none/o.csv"),
    );
}

#[test]
fn percents_are_no_shares() {
    let desk = Desk::with_people();
    for given in ["5", "5%", "5 %"] {
        let words = [&format!("--suppression is a share from 0 to 1, not '{given}'; for 5 % write 0.05")[..]];
        desk.refuses_people(2, &words, &arguments(&[ROLES, &["--suppression", given]]));
    }
    let desk = planned("[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[algorithm]\nsuppression = 5\n");
    desk.refuses(
        2,
        &["release.toml:11:1", "suppression", "for 5 % write 0.05"],
        &["anonymize", "release.toml"],
    );
}

#[test]
fn a_wrong_value_in_a_plan_has_its_line() {
    let refuses =
        |words: &[&str], more: &str| planned(more).refuses(2, words, &["anonymize", "release.toml"]);
    refuses(
        &["release.toml:9:1: ", "k must be a whole number"],
        "[[privacy]]\nmodel = \"k_anonymity\"\nk = \"five\"\n",
    );
    refuses(
        &["release.toml:10:1: ", "model 'k_anonymity': unknown parameter 'kk'"],
        "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\nkk = 3\n",
    );
    refuses(
        &["release.toml:8:1: ", "no model 'k_anonimity'"],
        "[[privacy]]\nmodel = \"k_anonimity\"\nk = 3\n",
    );
    let k = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[algorithm]\n";
    refuses(&["release.toml:11:1: ", "no algorithm 'mondrain'"], &format!("{k}name = \"mondrain\"\n"));
    refuses(&["release.toml:11:1: ", "no metric 'lost'"], &format!("{k}metric = \"lost\"\n"));
    refuses(&["release.toml:11:1: ", "cut must be one of"], &format!("{k}cut = \"litteral\"\n"));
    refuses(&["release.toml:11:8: a text must stand in quotes"], &format!("{k}name = mondrian\n"));
    // A value from a flag is not in the plan, so the message names no line.
    let desk = planned("[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n");
    let run = desk.refuses(2, &["k must be a whole number"], &["anonymize", "release.toml", "--k", "five"]);
    assert!(!run.err.contains("release.toml:"), "{}", run.err);
}

#[test]
fn names_that_nothing_has() {
    let desk = Desk::with_people();
    let refuses = |words: &[&str], more: &[&str]| desk.refuses_people(2, words, &arguments(&[ROLES, more]));
    let run = refuses(
        &["no algorithm 'mondrain'; did you mean 'mondrian'? 'scumble list' shows all 36"],
        &["--algorithm", "mondrain"],
    );
    assert!(run.err.len() < 300, "{}", run.err);
    refuses(
        &["no algorithm 'lightning'", "do you mean 'optimal', or something like it?"],
        &["--algorithm", "lightning"],
    );
    refuses(
        &["no algorithm 'localSupp'", "do you mean 'local_suppression', or something like it?"],
        &["--algorithm", "localSupp"],
    );
    refuses(
        &["no algorithm 'pram'", "do you mean 'permutation', or something like it?"],
        &["--algorithm", "pram"],
    );
    refuses(
        &["algorithm 'mondrian': unknown parameter 'foo'", "its parameters are", "cut"],
        &["--set", "foo=1"],
    );
    refuses(
        &["--hierarchy: unknown value 'prefx'; did you mean 'prefix'?"],
        &["--hierarchy", "postcode={ build = \"prefx\" }"],
    );
}

#[test]
fn files_that_are_not_there() {
    let desk = Desk::with_people();
    desk.refuses(
        3,
        &["cannot read the plan 'release.toml' (no such file)", "spelled"],
        &["anonymize", "release.toml"],
    );
    desk.refuses(3, &["cannot read the plan 'study.toml' (no such file)"], &["evaluate", "study.toml"]);
    let flags = arguments(&[ROLES, &["--hierarchy", "sex=sex.csv"]]);
    desk.refuses_people(3, &["cannot read the hierarchy 'sex.csv' (no such file)", "spelled"], &flags);
    desk.refuses(
        3,
        &["cannot read the recoding 'r.json' (no such file)"],
        &["apply", "r.json", "people.csv", "-o", "o.csv"],
    );
    desk.refuses(
        2,
        &["the original table is missing", "--original DATA"],
        &["attack", "people.csv", "--quasi", "age"],
    );
}

#[test]
fn lists_of_a_parameter_need_no_brackets() {
    let desk = Desk::with_people();
    for importance in ["importance=sex,age", "importance=[sex,age]", "importance=[\"sex\",\"age\"]"] {
        let flags = [
            "--quasi",
            "age,sex",
            "--rest",
            "drop",
            "--k",
            "3",
            "--algorithm",
            "local-suppression",
            "--set",
            importance,
        ];
        desk.run(&arguments(&[&["anonymize", "people.csv", "--force", "-o", "out.csv"], &flags])).succeeds();
    }
    let run = desk.run(&["anonymize", "--help"]).succeeds();
    assert!(run.out.contains("--set importance=sex,age"), "{}", run.out);
}

/// A table as Excel writes it in Germany.
const EXPORT: &str = "alter;geschlecht;plz;;\n39;m;81007;;\n38;m;81007;;\n50;w;81011;;\n51;w;81011;;\n";

const EXPORTED: &[&str] = &["--quasi", "alter,geschlecht,plz", "--k", "2", "--verbose"];

#[test]
fn what_excel_writes_is_read_with_a_note() {
    for (above, note) in [
        ("sep=;\r\n", "(sep=)"),
        ("Stand Mai 2024;;;;\r\n;;;;\r\n", "the first 2 rows were skipped"),
        ("", "the last 2 columns have no name and no values"),
    ] {
        let desk = Desk::new();
        desk.file("people.csv", format!("{above}{EXPORT}"));
        let run = desk
            .run(&arguments(&[&["anonymize", "people.csv", "-o", "out.csv", "--row-map", "map"], EXPORTED]))
            .succeeds();
        assert!(run.err.contains(note), "{}", run.err);
        assert!(desk.text("out.csv").starts_with("alter,geschlecht,plz\n"));
        let check = [
            "check",
            "out.csv",
            "--original",
            "people.csv",
            "--row-map",
            "map",
            "--quasi",
            "alter,geschlecht,plz",
            "--k",
            "2",
        ];
        desk.run(&check).succeeds();
        desk.run(&["init", "people.csv"]).succeeds();
    }
    let desk = Desk::new();
    desk.file("people.csv", format!("Stand:;Mai 2024;;;\n\n{EXPORT}"));
    let given = arguments(&[&["anonymize", "people.csv", "-o", "out.csv"], EXPORTED]);
    desk.run(&given).fails(2, &["there is no column 'alter'", "the columns are Stand:, Mai 2024"]);
    let words = ["row 1: column 3 of 5 has a value here, but no name in the header", "(--skip-rows N)"];
    desk.refuses(3, &words, &["init", "people.csv"]);
    desk.run(&arguments(&[&given, &["--skip-rows", "2"]])).succeeds();
    desk.run(&["init", "people.csv", "--skip-rows", "2"]).succeeds();
    assert!(desk.text("release.toml").contains("skip_rows = 2\n"));
    let check = ["check", "out.csv", "--original", "people.csv", "--plan", "release.toml"];
    assert!(desk.run(&check).out.contains("true of the original"));
    desk.run(&arguments(&[&given, &["--force", "--skip-rows", "99"]]))
        .fails(2, &["has only 7 lines, so 99 cannot be skipped"]);
}

#[test]
fn windows_texts_need_no_flag() {
    let desk = Desk::new();
    desk.file("people.csv", b"stadt,alter\nM\xfcnchen,39\nM\xfcnchen,39\nK\xf6ln,50\nK\xf6ln,50\n");
    let run = desk
        .run(&["anonymize", "people.csv", "-o", "out.csv", "--quasi", "stadt,alter", "--k", "2", "-v"])
        .succeeds();
    assert!(run.err.contains("read as Windows-1252"), "{}", run.err);
    let text = desk.text("out.csv");
    assert!(text.contains("München,") && text.contains("Köln,"), "{text}");
    let check = ["check", "out.csv", "--original", "people.csv", "--quasi", "stadt,alter", "--k", "2"];
    assert!(desk.run(&check).succeeds().out.contains("true of the original"));
    desk.file("people.csv", b"stadt,alter\nW\xb3adys\xb3aw,39\nK\xf6ln,50\n");
    desk.refuses(
        3,
        &["row 1, column 'stadt'", "not clear which encoding", "--encoding windows-1252"],
        &["init", "people.csv"],
    );
}

#[test]
fn blanks_around_numbers_do_not_make_them_texts() {
    let desk = Desk::new();
    desk.file("people.csv", "age,town\n 31 ,A\n 32 ,A\n33,A\n 41,A\n42 ,A\n 43 ,A\n");
    desk.run(&["init", "people.csv"]).succeeds();
    assert!(desk.text("release.toml").contains("[columns.age]\nrole = \"?quasi\"\ntype = \"integer\"\n"));
    desk.run(&["anonymize", "people.csv", "-o", "out.csv", "--quasi", "age,town", "--k", "3"]).succeeds();
    assert!(desk.text("out.csv").contains('['), "{}", desk.text("out.csv"));
    let check = [
        "check",
        "out.csv",
        "--original",
        "people.csv",
        "--quasi",
        "age,town",
        "--k",
        "3",
        "--type",
        "age=integer",
    ];
    assert!(desk.run(&check).succeeds().out.contains("true of the original"));
}

#[test]
fn texts_that_look_like_missing_values_are_proposed() {
    let desk = Desk::new();
    let rows: String =
        (0..60).map(|row| format!("{},{}\n", 20 + row % 40, ["m", "f", "n/a"][row % 3])).collect();
    desk.file("people.csv", format!("age,sex\n{rows}NULL,m\nNULL,f\n-,f\n"));
    desk.run(&["init", "people.csv"]).succeeds();
    let text = desk.text("release.toml");
    assert!(text.contains("type = \"integer\""), "{text}");
    assert!(text.contains("\nmissing = [\"?\", \"\", \"NA\", \"NaN\", \"nan\", \"n/a\"]\n"), "{text}");
    assert!(text.contains("\"NULL\"") && text.contains("\"n/a\""), "{text}");
}

#[test]
fn messages_say_what_is_missing_and_not_what_a_library_says() {
    let desk = planned("[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n");
    // It is the table of an evaluation that has no name.
    desk.file("study.toml", EVALUATION);
    desk.refuses(2, &["[[data]] 'release.toml' has no name"], &["evaluate", "study.toml"]);
    desk.file("release.toml", plan("[[privacy]]\nmodel = \"k_anonymity\"\nk = five\n"));
    desk.refuses(2, &["a number is written in digits"], &["anonymize", "release.toml"]);
    let once = "[privacy]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("release.toml", plan(&format!("{once}{once}")));
    desk.refuses(2, &["[[privacy]]"], &["anonymize", "release.toml"]);
    let flags =
        ["anonymize", "people.csv", "-o", "nowhere/out.csv", "--quasi", "age", "--rest", "drop", "--k", "3"];
    let run = desk.refuses(3, &["its folder does not exist"], &flags);
    assert!(!run.err.contains("entity not found"), "{}", run.err);
}

/// Where many values do not fit the type that was given, it is the type that is wrong.
#[test]
fn values_of_another_type_are_counted() {
    let desk = Desk::new();
    desk.file("people.csv", "dob\n19/09/1960\n01/02/1970\n03/04/1980\n25/12/1990\n");
    let flags = ["anonymize", "people.csv", "-o", "out.csv", "--quasi", "dob", "--k", "2"];
    let words = ["row 1, column 'dob'", "2 of 4 rows have such a value", "dd/mm/yyyy"];
    desk.refuses(3, &words, &arguments(&[&flags, &["--type", "dob=mm/dd/yyyy"]]));
}

/// Beside households, a weight is that of a survey.
#[test]
fn the_weight_of_a_survey_is_no_quasi_identifier() {
    let desk = Desk::new();
    let rows: String = (0..60)
        .map(|row| format!("h{},{},{},{}\n", row / 3, 20 + row % 40, row / 3 % 5, 50 + row * 7 % 200))
        .collect();
    desk.file("survey.csv", format!("household_id,age,rooms,weight\n{rows}"));
    desk.run(&["init", "survey.csv"]).succeeds();
    let plan = desk.text("release.toml");
    let weight = plan.split("[columns.weight]").nth(1).expect("the column");
    assert!(weight.trim_start().starts_with("role = \"?weight\"\n"), "{plan}");
    assert!(weight.contains("weights = \"round\""), "{plan}");
}
