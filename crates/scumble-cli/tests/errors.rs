//! Bad input and bad plans: every refusal has its exit code, says what to do, shows no cell, and leaves no file.

mod common;

use common::{Desk, PEOPLE, ROLES, arguments};

// ---- the table ----

#[test]
fn no_such_file() {
    Desk::new().refuses_people(3, &["cannot read 'people.csv'", "no such file"], ROLES);
}

#[test]
fn a_folder_is_no_table() {
    let desk = Desk::new();
    desk.file("people.csv/inner.csv", "a,b\n");
    desk.refuses_people(3, &["'people.csv'", "folder"], ROLES);
}

#[test]
fn an_empty_file() {
    Desk::with_table("").refuses_people(3, &["'people.csv' is empty"], ROLES);
}

#[test]
fn a_header_without_rows() {
    let header = "name,age,sex,postcode,diagnosis,readmitted\n";
    Desk::with_table(header).refuses_people(3, &["'people.csv'", "no rows"], ROLES);
}

#[test]
fn ragged_rows() {
    let text = PEOPLE.replace("Qbert,7032,", "Qbert,");
    Desk::with_table(&text).refuses_people(3, &["row 2", "5 fields", "the header has 6"], ROLES);
    let text = PEOPLE.replace("Qcleo,7033,", "Qcleo,7033,7777,");
    Desk::with_table(&text).refuses_people(3, &["row 3", "7 fields", "the header has 6"], ROLES);
}

#[test]
fn a_quote_never_closed() {
    let text = PEOPLE.replace("Qdora", "\"Qdora");
    Desk::with_table(&text).refuses_people(3, &["quote", "row 4", "never closed"], ROLES);
}

#[test]
fn undecodable_bytes() {
    let desk = Desk::new();
    let bytes = [PEOPLE.as_bytes(), b"Qmia,7053,womanq,8300\xfc,goutq,noq\n"].concat();
    desk.file("people.csv", bytes);
    let words = ["row 13", "column 'postcode'", "not UTF-8", "--encoding windows-1252"];
    desk.refuses_people(3, &words, ROLES);
}

#[test]
fn an_unknown_encoding() {
    let flags = arguments(&[ROLES, &["--encoding", "klingon"]]);
    Desk::with_people().refuses_people(2, &["unknown encoding 'klingon'", "utf-8"], &flags);
}

#[test]
fn a_column_named_twice() {
    let text = PEOPLE.replacen("sex", "age", 1);
    Desk::with_table(&text).refuses_people(3, &["columns 2 and 3 are both named 'age'"], ROLES);
}

#[test]
fn a_huge_field() {
    let text = PEOPLE.replacen("influenzaq", &"Q".repeat(3 << 20), 1);
    Desk::with_table(&text).refuses_people(3, &["row 1", "a field of more than 1048576 bytes"], ROLES);
}

#[test]
fn a_large_field_is_no_error() {
    let desk = Desk::new();
    desk.file("people.csv", PEOPLE.replacen("influenzaq", &"Q".repeat(1 << 19), 1));
    desk.release("out.csv", &[]);
}

#[test]
fn a_missing_value_where_none_may_be() {
    let text = PEOPLE.replace(",82003,", ",?,");
    let flags = arguments(&[ROLES, &["--missing", "error"]]);
    Desk::with_table(&text).refuses_people(3, &["column 'postcode'", "row 7", "missing"], &flags);
}

#[test]
fn no_row_without_a_missing_value() {
    let text = "age,city\n7001,?\n?,7002\n";
    let flags = ["--quasi", "age,city", "--k", "1", "--missing", "drop-row"];
    Desk::with_table(text).refuses_people(3, &["no row is left", "own-value"], &flags);
}

#[test]
fn a_date_that_is_none() {
    let text = "born,sex\n1970-01-31,womanq\n1970-02-30,manq\n1970-03-01,manq\n";
    let desk = Desk::with_table(text);
    let words = ["column 'born'", "row 2", "yyyy-mm-dd"];
    desk.refuses_people(3, &words, &["--quasi", "born,sex", "--k", "2", "--type", "born=yyyy-mm-dd"]);
    let words = ["column 'born'", "date", "dd/mm/yyyy"];
    desk.refuses_people(3, &words, &["--quasi", "born,sex", "--k", "2", "--type", "born=date"]);
}

#[test]
fn a_number_that_is_none() {
    let text = "age,sex\n7001,womanq\nseventy,manq\n";
    let words = ["column 'age'", "row 2", "whole number"];
    Desk::with_table(text).refuses_people(
        3,
        &words,
        &["--quasi", "age,sex", "--k", "2", "--type", "age=integer"],
    );
}

#[test]
fn day_and_month_that_cannot_be_told_apart() {
    let text = "born,sex\n01/02/1970,womanq\n03/04/1971,manq\n";
    let desk = Desk::with_table(text);
    let flags = ["--quasi", "born,sex", "--k", "2"];
    desk.refuses_people(2, &["column 'born'", "--type", "dd/mm/yyyy", "mm/dd/yyyy"], &flags);
    let told = ["anonymize", "people.csv", "-o", "out.csv", "--type", "born=dd/mm/yyyy"];
    desk.run(&arguments(&[&told, &flags])).succeeds();
}

#[test]
fn several_rows_of_one_person() {
    let text = "person,age,sex\nP0001,7001,womanq\nP0002,7002,manq\nP0001,7003,womanq\n";
    let flags = ["--subject", "person", "--quasi", "age,sex", "--k"];
    let words = ["k = 3 is more than the 2 persons of the table", "ask for the largest possible k (--k 2)"];
    Desk::with_table(text).refuses_people(1, &words, &arguments(&[&flags, &["3"]]));
    let text = "person,age,sex\nP0001,7001,womanq\n?,7002,manq\nP0001,7003,womanq\n";
    Desk::with_table(text).refuses_people(
        3,
        &["row 2, column 'person'", "no person is given"],
        &arguments(&[&flags, &["2"]]),
    );
}

#[test]
fn a_million_distinct_values() {
    use std::fmt::Write;
    let mut text = String::from("code,city\n");
    for row in 0..1_000_000_u32 {
        // The texts are neither numbers nor in order, so the dictionary is as large as possible.
        writeln!(text, "c{:07}x,{}", row.wrapping_mul(7_919) % 1_000_000, row % 3).unwrap();
    }
    let desk = Desk::new();
    desk.file("people.csv", &text);
    let run =
        desk.run(&["anonymize", "people.csv", "-o", "out.csv", "--quasi", "code,city", "--k", "5", "--json"]);
    let object = run.succeeds().object();
    assert_eq!(object["rows"], 1_000_000);
    assert_eq!(object["models"][0]["holds"], true);
}

// ---- the plan ----

#[test]
fn a_role_for_a_column_that_is_not_there() {
    let flags = ["--quasi", "age,sex,postcod", "--rest", "drop", "--k", "3"];
    let words = ["'postcod'", "did you mean 'postcode'?"];
    Desk::with_people().refuses_people(2, &words, &flags);
}

#[test]
fn an_unconfirmed_guess() {
    let desk = Desk::with_people();
    desk.run(&["init", "people.csv"]).succeeds();
    desk.refuses(2, &["only guessed", "age", "postcode", "remove the `?`"], &["anonymize", "release.toml"]);
}

#[test]
fn no_quasi_identifier() {
    let words = ["no column is a quasi-identifier", "age, sex and postcode (--quasi A,B)"];
    Desk::with_people().refuses_people(2, &words, &["--rest", "other", "--k", "3"]);
}

#[test]
fn a_column_without_a_role() {
    let words = ["no role is given for name, diagnosis, readmitted", "--rest"];
    Desk::with_people().refuses_people(2, &words, &["--quasi", "age,sex,postcode", "--k", "3"]);
}

#[test]
fn contradicting_roles() {
    let flags = ["--quasi", "age,sex", "--identifier", "age", "--rest", "drop", "--k", "3"];
    Desk::with_people().refuses_people(2, &["column 'age'", "identifier"], &flags);
}

#[test]
fn a_sensitive_column_without_a_model() {
    let flags = ["--quasi", "age,sex", "--sensitive", "diagnosis", "--rest", "drop", "--k", "3"];
    let desk = Desk::with_people();
    let words = ["sensitive column 'diagnosis'", "no model", "--l", "--accept-attribute-disclosure"];
    desk.refuses_people(2, &words, &flags);
    let accepted = ["anonymize", "people.csv", "-o", "out.csv", "--accept-attribute-disclosure"];
    let run = desk.run(&arguments(&[&accepted, &flags])).succeeds();
    assert!(run.err.contains("warning: attribute disclosure was accepted"), "{}", run.err);
}

#[test]
fn a_model_that_asks_for_nothing_protects_nothing() {
    for model in ["l_diversity:l=1", "t_closeness:t=1", "alpha_k:alpha=1", "p_sensitive:p=1"] {
        let flags = [
            "--quasi",
            "age,sex",
            "--sensitive",
            "diagnosis",
            "--rest",
            "drop",
            "--k",
            "3",
            "--model",
            model,
        ];
        let words = ["sensitive column 'diagnosis'", "asks for nothing", "--accept-attribute-disclosure"];
        Desk::with_people().refuses_people(2, &words, &flags);
    }
}

#[test]
fn a_sensitive_column_protected_on_some_columns_only() {
    let desk = Desk::with_people();
    let plan = "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nage = { role = \"quasi\" }\n\
         sex = { role = \"quasi\" }\ndiagnosis = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n\
         [[privacy]]\nmodel = \"l_diversity\"\nl = 2\nquasi = [\"sex\"]\n[algorithm]\nname = \"pais\"\n";
    std::fs::write(desk.root().join("release.toml"), plan).expect("the folder takes files");
    let words =
        ["'diagnosis' is not protected", "knows all quasi-identifiers", "(--accept-attribute-disclosure)"];
    desk.refuses(2, &words, &["anonymize", "release.toml"]);
}

#[test]
fn a_model_without_a_sensitive_column() {
    let flags = ["--quasi", "age,sex", "--rest", "drop", "--l", "2"];
    Desk::with_people().refuses_people(2, &["l_diversity", "--sensitive"], &flags);
}

#[test]
fn no_model_at_all() {
    let flags = ["--quasi", "age,sex", "--rest", "drop"];
    Desk::with_people().refuses_people(2, &["no privacy model", "--k 5"], &flags);
}

/// Refuses [`PEOPLE`] with these models.
fn refuses_models(code: i32, words: &[&str], models: &[&str]) {
    let roles = ["--quasi", "age,sex", "--sensitive", "diagnosis", "--rest", "drop"];
    Desk::with_people().refuses_people(code, words, &arguments(&[&roles, models]));
}

#[test]
fn k_that_makes_no_sense() {
    for k in ["0", "-1", "2.5", "many"] {
        let given = format!("--k={k}");
        refuses_models(2, &["k must be", "whole number of at least 1"], &[&given, "--l", "2"]);
    }
}

#[test]
fn k_larger_than_the_table() {
    refuses_models(
        1,
        &["k = 13", "12 rows", "ask for the largest possible k (--k 12)"],
        &["--k", "13", "--l", "2"],
    );
}

// `PEOPLE` has three diagnoses with four rows each, so its diversity is 3 by every measure.

#[test]
fn distinct_l_above_what_the_table_allows() {
    let words = ["distinct 4-diversity", "diagnosis", "ask for the largest possible l (--l 3)"];
    refuses_models(1, &words, &["--l", "4"]);
}

#[test]
fn entropy_l_above_what_the_table_allows() {
    let words = ["entropy 3.5-diversity", "ask for the largest possible l (--l 3)"];
    refuses_models(1, &words, &["--l", "3.5", "--l-variant", "entropy"]);
}

#[test]
fn frequency_l_above_what_the_table_allows() {
    let words = ["frequency 3.01-diversity", "ask for the largest possible l (--l 3)"];
    refuses_models(1, &words, &["--l", "3.01", "--l-variant", "frequency"]);
}

#[test]
fn recursive_l_above_what_the_table_allows() {
    // From the fourth value on no rows are left; from the third on there are 4 rows, and 4 < 2·4.
    let words = ["recursive (2,4)-diversity", "ask for the largest possible l (--l 3)"];
    refuses_models(1, &words, &["--l", "4", "--c", "2", "--l-variant", "recursive"]);
}

#[test]
fn recursive_c_below_what_the_table_allows() {
    // From the third value on there are 4 rows, and the most frequent value has 4, too: 4 < c·4 needs c above 1.
    let words = ["recursive (1,3)-diversity", "ask for a c above 1 (--c C)"];
    refuses_models(1, &words, &["--l", "3", "--c", "1", "--l-variant", "recursive"]);
}

#[test]
fn l_that_makes_no_sense() {
    refuses_models(2, &["l must be", "whole number"], &["--l", "2.5"]);
    refuses_models(2, &["l must be", "at least 1"], &["--l", "0.5", "--l-variant", "entropy"]);
    refuses_models(2, &["variant", "did you mean 'entropy'?"], &["--l", "2", "--l-variant", "entropie"]);
    refuses_models(2, &["needs c"], &["--l", "2", "--l-variant", "recursive"]);
}

#[test]
fn t_that_makes_no_sense() {
    for t in ["1.5", "-0.1", "close"] {
        refuses_models(2, &["t must be", "a number from 0 to 1"], &[&format!("--t={t}")]);
    }
    refuses_models(2, &["distance", "did you mean 'equal'?"], &["--t", "0.5", "--t-distance", "equl"]);
    refuses_models(2, &["hierarchy for 'diagnosis'"], &["--t", "0.5", "--t-distance", "hierarchical"]);
}

#[test]
fn unknown_names_are_answered_with_the_nearest() {
    let refuses = |words: &[&str], more: &[&str]| {
        Desk::with_people().refuses_people(2, words, &arguments(&[ROLES, more]));
    };
    refuses(&["no algorithm 'mondrain'", "did you mean 'mondrian'?"], &["--algorithm", "mondrain"]);
    refuses(&["no metric 'los'", "did you mean 'loss'?"], &["--metric", "los"]);
    let minimise =
        ["'mondrian' does not look at discernibility", "minimises discernibility (--algorithm optimal)"];
    refuses(&minimise, &["--metric", "discernibility"]);
    refuses(&["'iack' does not look at query_error"], &["--metric", "query_error", "--algorithm", "iack"]);
    refuses(&["unknown parameter 'cutt'", "did you mean 'cut'?"], &["--set", "cutt=literal"]);
    refuses(&["cut must be one of", "did you mean 'literal'?"], &["--set", "cut=litteral"]);
    refuses(&["--missing", "did you mean 'drop-row'?"], &["--missing", "drop-rows"]);
    refuses(&["--rest", "other or drop"], &["--rest", "keep"]);
    refuses(&["--set", "NAME=VALUE"], &["--set", "cut"]);
    refuses(&["--type", "'number' is no type", "integer"], &["--type", "age=number"]);
    refuses(&["--type", "did you mean 'age'?"], &["--type", "aged=integer"]);
    refuses(&["--delimiter must be one character"], &["--delimiter", "ab"]);
    refuses(&["--suppression", "from 0 to 1"], &["--suppression", "lots"]);
    refuses(&["suppression", "0 ", " 1"], &["--suppression", "1.5"]);
    refuses(&["--budget"], &["--budget", "5parsecs"]);
    Desk::with_people().refuses(
        2,
        &["nothing called 'mondrain'", "did you mean 'mondrian'?"],
        &["explain", "mondrain"],
    );
}

#[test]
fn an_unknown_star_policy() {
    let flags = arguments(&[ROLES, &["--star-policy", "strickt"]]);
    Desk::with_people().refuses_people(2, &["--star-policy", "did you mean 'strict'?"], &flags);
}

/// A plan for [`PEOPLE`] that works; tests break it in one place.
const PLAN: &str = r#"
input = "people.csv"
output = "out.csv"

[columns]
name = { role = "identifier" }
age = { role = "quasi" }
sex = { role = "quasi" }
postcode = { role = "drop" }
diagnosis = { role = "sensitive" }
readmitted = { role = "class" }

[[privacy]]
model = "k_anonymity"
k = 3

[[privacy]]
model = "l_diversity"
l = 2

[algorithm]
name = "mondrian"
"#;

#[test]
fn the_unspoilt_plan_works() {
    let desk = Desk::with_people();
    desk.file("release.toml", PLAN);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    assert!(desk.exists("out.csv") && desk.exists("report/report.html"));
}

#[test]
fn spoilt_plans() {
    let refuses = |words: &[&str], from: &str, to: &str| {
        assert!(PLAN.contains(from));
        let desk = Desk::with_people();
        desk.file("release.toml", PLAN.replacen(from, to, 1));
        desk.refuses(2, words, &["anonymize", "release.toml"]);
    };
    refuses(&["release.toml:3:1", "unknown key 'outptu'", "did you mean 'output'?"], "output", "outptu");
    refuses(&["release.toml:7:", "unknown key 'rol'", "did you mean 'role'?"], "age = { role", "age = { rol");
    refuses(
        &["release.toml:7:", "'quasy'", "did you mean 'quasi'?"],
        "age = { role = \"quasi\"",
        "age = { role = \"quasy\"",
    );
    refuses(&["no model 'k_anonymty'", "did you mean 'k_anonymity'?"], "\"k_anonymity\"", "\"k_anonymty\"");
    refuses(&["model 'k_anonymity'", "unknown parameter 'kk'", "did you mean 'k'?"], "k = 3", "kk = 3");
    refuses(&["no algorithm 'mondrean'", "did you mean 'mondrian'?"], "\"mondrian\"", "\"mondrean\"");
    refuses(
        &["unknown parameter 'cutt'", "did you mean 'cut'?"],
        "[algorithm]",
        "[algorithm]\ncutt = \"literal\"",
    );
    refuses(
        &["release.toml:2:1", "unknown key 'restt'", "did you mean 'rest'?"],
        "input",
        "restt = \"drop\"\ninput",
    );
    refuses(&["'ages'", "did you mean 'age'?"], "age = {", "ages = {");
    refuses(&["release.toml:3"], "output = \"out.csv\"", "output = out.csv");
    refuses(&["'input' is missing"], "input = \"people.csv\"", "");
    refuses(&["guessed", "sex"], "sex = { role = \"quasi\"", "sex = { role = \"?quasi\"");
    refuses(&["both have the role class"], "postcode = { role = \"drop\"", "postcode = { role = \"class\"");
    refuses(
        &["column 'name'", "hierarchy", "identifier"],
        "\"identifier\" }",
        "\"identifier\", hierarchy = { build = \"flat\" } }",
    );
}

#[test]
fn a_plan_that_is_not_there_or_no_text() {
    let desk = Desk::new();
    desk.refuses(3, &["cannot read the plan 'release.toml' (no such file)"], &["anonymize", "release.toml"]);
    desk.file("release.toml", b"input = \"\xff\"\n");
    desk.refuses(2, &["release.toml:1", "not UTF-8"], &["anonymize", "release.toml"]);
}

#[test]
fn iack_without_a_class() {
    let flags = ["--quasi", "age,sex", "--rest", "drop", "--k", "3", "--algorithm", "iack"];
    Desk::with_people().refuses_people(2, &["'iack' needs a class column", "--class", "mondrian"], &flags);
}

#[test]
fn more_suppression_than_is_allowed() {
    // All ages differ, and without generalisation every row is a class of its own.
    let text = "age,label\n7001,yesq\n7002,noq\n7003,yesq\n7004,noq\n";
    let flags = [
        "--quasi",
        "age",
        "--class",
        "label",
        "--k",
        "2",
        "--algorithm",
        "iack",
        "--suppression",
        "0.25",
        "--hierarchy",
        "age={ build = \"flat\" }",
    ];
    let words = ["4 of 4 rows", "suppression limit of 0.25", "--suppression"];
    Desk::with_table(text).refuses_people(1, &words, &flags);
}

#[test]
fn damage_that_the_limits_of_iacc_do_not_allow() {
    let text = "age,label\n7001,yesq\n7002,noq\n7003,yesq\n7004,noq\n7004,noq\n";
    let flags = [
        "--quasi",
        "age",
        "--class",
        "label",
        "--k",
        "2",
        "--algorithm",
        "iacc",
        "--set",
        "delta_d=0.01",
        "--hierarchy",
        "age={ build = \"flat\" }",
    ];
    Desk::with_table(text).refuses_people(1, &["afford k = 1", "raise delta_d and delta_c", "iack"], &flags);
}

// ---- the command line ----

#[test]
fn contradicting_flags() {
    let desk = Desk::with_people();
    let both = arguments(&[&["anonymize", "people.csv", "-o", "-", "--json"], ROLES]);
    desk.refuses(2, &["--json", "-o -", "standard output"], &both);
    desk.refuses_people(2, &["--threads must be at least 1"], &arguments(&[ROLES, &["--threads", "0"]]));
    desk.refuses_people(2, &["--quiet", "--verbose"], &arguments(&[ROLES, &["--quiet", "--verbose"]]));
    desk.refuses(2, &["-o FILE"], &arguments(&[&["anonymize", "people.csv"], ROLES]));
    desk.refuses_people(2, &["--frobnicate"], &["--frobnicate"]);
}

#[test]
fn a_subcommand_that_does_not_exist() {
    Desk::new().refuses(2, &["anonymise", "anonymize"], &["anonymise", "people.csv"]);
}
