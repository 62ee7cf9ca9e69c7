//! `scumble risk`: figures, files, plans, and commands that are refused.

mod common;

use std::os::unix::fs::PermissionsExt;

use common::{Desk, arguments};
use serde_json::Value;

/// Classes of 1, 2, 2 and 5 rows, with weights and households.
const TABLE: &str = "\
age,sex,weight,home
3000,female,10,h1
3001,female,4,h1
3001,female,6,h2
3001,male,4,h3
3001,male,6,h3
3002,male,2,h4
3002,male,2,h5
3002,male,2,h6
3002,male,2,?
3002,male,2,?
";

/// Returns classes of 4, 2, 10 and 20 people, and one person who is not in the table.
fn population() -> String {
    let people =
        [(3000, "female", 4), (3001, "female", 2), (3001, "male", 10), (3002, "male", 20), (3009, "male", 1)];
    let rows = people.iter().map(|(age, sex, people)| format!("{age},{sex}\n").repeat(*people));
    format!("age,sex\n{}", rows.collect::<String>())
}

fn desk() -> Desk {
    let mut desk = Desk::with_table(TABLE);
    desk.table("population.csv", &population());
    desk
}

fn json(desk: &Desk, more: &[&str]) -> Value {
    let run = desk
        .run(&arguments(&[
            &["risk", "people.csv", "--quasi", "age,sex", "--for", "researchers", "--json"],
            more,
        ]))
        .succeeds();
    assert_eq!(run.out.lines().count(), 1, "one object and nothing else: {}", run.out);
    serde_json::from_str(&run.out).expect("JSON")
}

#[test]
fn the_worked_example() {
    let desk = desk();
    let found = json(&desk, &[]);
    assert_eq!((&found["rows"], &found["classes"]), (&10.into(), &4.into()));
    let prosecutor = &found["prosecutor"];
    assert_eq!((&prosecutor["highest"], &prosecutor["average"]), (&1.0.into(), &0.4.into()));
    assert_eq!((&prosecutor["rows_above"], &prosecutor["rows_at_highest"]), (&5.into(), &1.into()));
    assert_eq!(found["journalist"]["upper_bound"], Value::Bool(true));
    assert_eq!(found["uniques"]["population"], Value::Null);

    let found = json(&desk, &["--population", "population.csv", "--threshold", "1/2"]);
    assert_eq!(found["journalist"]["highest"], 0.5);
    assert!((found["marketer"]["share"].as_f64().expect("a share") - 0.17).abs() < 1e-12);
    assert_eq!(found["journalist"]["rows_above"], 0, "a half is not above a half");
    // In the population only the person of 3009 is alone.
    assert_eq!(found["uniques"]["population"]["uniques"], 1.0);
    assert_eq!(found["uniques"]["rows_alone_in_population"], 0);
}

#[test]
fn people_read_sentences() {
    let run =
        desk().run(&["risk", "people.csv", "--quasi", "age,sex", "--population-size", "100"]).succeeds();
    for sentence in [
        "10 rows in 4 groups on age and sex; the smallest has 1 row.",
        "finds 1 of 10 rows for certain; the average chance is 40 %.",
        "10 of 10 rows (100 %) have a risk above 9 %.",
        "so the chance is at most that of the attacker above",
        "1 of 10 rows (10 %) shares these values with nobody in the table.",
        "of 100 people of the population share their values with nobody (",
        "Knowing age singles out 1 person.",
        "One row is taken for one person.",
    ] {
        assert!(run.out.replace("\n  ", " ").contains(sentence), "{sentence} is not in\n{}", run.out);
    }
}

/// Two classes of three rows and of two; person p1 has three rows, two of them in the first class.
const VISITS: &str = "patient,age\np1,30\np1,30\np2,30\np1,40\np3,40\n";

#[test]
fn persons_are_counted_where_they_have_several_rows() {
    let mut desk = Desk::new();
    desk.table("visits.csv", VISITS);
    let assessed = |flags: &[&str]| -> Value {
        let run =
            desk.run(&arguments(&[&["risk", "visits.csv", "--quasi", "age", "--json"], flags])).succeeds();
        serde_json::from_str(&run.out).expect("JSON")
    };
    let rows = assessed(&[]);
    assert_eq!((&rows["unit"], &rows["persons"]), (&"rows".into(), &Value::Null));
    assert_eq!((&rows["smallest_class"], &rows["prosecutor"]["rows"]), (&2.into(), &5.into()));
    let persons = assessed(&["--subject", "patient", "--population-size", "3"]);
    assert_eq!(
        (&persons["unit"], &persons["rows"], &persons["persons"]),
        (&"persons".into(), &5.into(), &3.into())
    );
    assert_eq!((&persons["prosecutor"]["rows"], &persons["prosecutor"]["average"]), (&3.into(), &0.5.into()));
    assert_eq!(
        (&persons["uniques"]["population"], &persons["singling"]["dis"]),
        (&Value::Null, &Value::Null)
    );
    let run = desk
        .run(&["risk", "visits.csv", "--quasi", "age", "--subject", "patient", "-o", "r.html"])
        .succeeds();
    for sentence in [
        "5 rows of 3 persons in 2 groups on age; the smallest has 2 persons.",
        "finds the right person with a chance of at most 50 %; the average chance is",
        "3 of 3 persons (100 %) have a risk above 9 %.",
        "was not estimated: the methods take each row for a person, and some persons have several rows.",
        "A person counts once, by the row where they are found most easily,",
    ] {
        assert!(
            run.out.replace("\n  ", " ").replace('\n', " ").contains(sentence),
            "{sentence} is not in\n{}",
            run.out
        );
    }
    assert!(desk.text("r.html").contains("Persons by risk") && !desk.text("r.html").contains("Rows by risk"));
    // The plan can name the column as well, but a release has no such column.
    let plan = "input = \"visits.csv\"\noutput = \"out.csv\"\n[columns]\npatient = { role = \"subject\" }\n\
                age = { role = \"quasi\" }\n";
    desk.file("release.toml", plan);
    let found: Value =
        serde_json::from_str(&desk.run(&["risk", "--plan", "release.toml", "--json"]).succeeds().out)
            .expect("JSON");
    assert_eq!((&found["unit"], &found["persons"]), (&"persons".into(), &3.into()));
    desk.file("out.csv", "age\n30\n30\n");
    let run = desk.run(&["risk", "out.csv", "--plan", "release.toml"]).succeeds();
    assert!(run.err.contains("no column 'patient', so rows are counted"), "{}", run.err);
    desk.refuses(
        2,
        &["no column 'patent'"],
        &["risk", "visits.csv", "--quasi", "age", "--subject", "patent"],
    );
    desk.refuses(2, &["tells persons apart"], &["risk", "visits.csv", "--quasi", "age", "--subject", "age"]);
}

#[test]
fn star_rows_are_a_class() {
    let mut desk = Desk::new();
    desk.table("people.csv", "age,sex\n*,*\n*,*\n*,*\n30,*\n30,*\n");
    let found = json(&desk, &[]);
    assert_eq!((&found["star_rows"], &found["classes"]), (&3.into(), &2.into()));
    assert_eq!(
        (&found["prosecutor"]["highest"], &found["prosecutor"]["average"]),
        (&0.5.into(), &0.4.into())
    );
    let run = desk.run(&["risk", "people.csv", "--quasi", "age,sex"]).succeeds();
    assert!(run.out.contains("3 rows show * in every one of these columns"), "{}", run.out);
}

#[test]
fn weights_and_households() {
    let found = json(&desk(), &["--weight", "weight", "--household", "home"]);
    assert_eq!(
        (&found["weights"]["people"], &found["weights"]["smallest_class"]),
        (&40.0.into(), &10.0.into())
    );
    let households = &found["households"];
    assert_eq!(households["based_on"], "weights");
    assert_eq!(
        (&households["households"], &households["largest"], &households["without"]),
        (&8.into(), &2.into(), &2.into())
    );
    // The risk of h1: 1 - (1 - ln 10 / 9)(1 - (1/4 - ln 5 / 16)).
    let (one, two) = (10_f64.ln() / 9.0, 0.25 - 5_f64.ln() / 16.0);
    let highest = households["of_rows"]["highest"].as_f64().expect("a risk");
    assert!((highest - (1.0 - (1.0 - one) * (1.0 - two))).abs() < 1e-12, "{highest}");
}

/// The risk of households is compared with that of the same attacker without them.
#[test]
fn households_say_whose_risk_rises() {
    let run = desk()
        .run(&["risk", "people.csv", "--quasi", "age,sex", "--weight", "weight", "--household", "home"])
        .succeeds();
    let told = run.out.replace("\n  ", " ");
    for words in [
        "If finding one member of a household means finding all of them, the average chance of being found by the survey weights rises from ",
        "An attacker who knows that the person is in this table does better than that.",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
}

#[test]
fn the_order_of_rows_is_irrelevant() {
    let flags = ["--weight", "weight", "--household", "home", "--population", "population.csv"];
    let desk = desk();
    let here = json(&desk, &flags);
    let mut lines: Vec<&str> = TABLE.lines().collect();
    lines[1..].reverse();
    desk.file("people.csv", lines.join("\n") + "\n");
    assert_eq!(here, json(&desk, &flags));
}

#[test]
fn files_are_for_the_owner_only() {
    let desk = desk();
    let flags =
        ["-o", "risk.html", "--records", "records.csv", "--sampling-fraction", "0.1", "--household", "home"];
    json(&desk, &flags);
    for name in ["risk.html", "records.csv"] {
        let mode = std::fs::metadata(desk.path(name)).expect("the file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert!(desk.text("risk.html").contains("Who might find people"));
    let records = desk.text("records.csv");
    let lines: Vec<&str> = records.lines().collect();
    assert_eq!(lines[0], "row,class_size,prosecutor,suda_score,dis_suda,minimal_uniques,household");
    assert_eq!(lines.len(), 11);
    assert!(lines[1].starts_with("1,1,1,") && lines[10].starts_with("10,5,0.2,0,0,0,"), "{records}");
}

#[test]
fn a_plan_says_what_to_look_at() {
    let desk = desk();
    let plan = "input = \"people.csv\"\noutput = \"out.csv\"\npopulation = \"population.csv\"\nrest = \"drop\"\n[columns]\nage = { role = \"quasi\" }\n\
                sex = { role = \"quasi\" }\n[risk]\nthreshold = 0.5\nweight = \"weight\"\n";
    desk.file(
        "plans/release.toml",
        plan.replace("\"people.csv\"", "\"../people.csv\"")
            .replace("\"population.csv\"", "\"../population.csv\""),
    );
    let run = desk.run(&["risk", "--plan", "plans/release.toml", "--json"]).succeeds();
    let found: Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(
        (&found["prosecutor"]["rows_above"], &found["journalist"]["highest"]),
        (&1.into(), &0.5.into())
    );
    assert_eq!(found["weights"]["people"], 40.0);
    // Flags override the plan: other columns, and a size instead of the table of people.
    let flags =
        ["risk", "--plan", "plans/release.toml", "--quasi", "sex", "--population-size", "400", "--json"];
    let found: Value = serde_json::from_str(&desk.run(&flags).succeeds().out).expect("JSON");
    assert_eq!(found["quasi"], serde_json::json!(["sex"]));
    assert_eq!(found["journalist"]["upper_bound"], Value::Bool(true));
    desk.file("wrong.toml", plan.replace("0.5", "5"));
    desk.refuses(2, &["wrong.toml:9", "from 0 to 1"], &["risk", "--plan", "wrong.toml"]);
}

#[test]
fn rows_with_missing_values_can_be_left_out() {
    let mut desk = Desk::new();
    desk.table("people.csv", "age,sex\n30,f\n30,?\n31,f\n");
    assert_eq!(json(&desk, &[])["rows"], 3);
    assert_eq!(json(&desk, &["--missing", "drop-row"])["rows"], 2);
}

#[test]
fn what_is_refused() {
    let mut desk = desk();
    let refuses = |desk: &Desk, code: i32, words: &[&str], flags: &[&str]| {
        desk.refuses(code, words, &arguments(&[&["risk", "people.csv"], flags]));
    };
    let quasi = ["--quasi", "age,sex"];
    desk.refuses(2, &["say which table"], &["risk"]);
    refuses(&desk, 2, &["say which columns outsiders may know"], &[]);
    refuses(&desk, 2, &["there is no column 'agee'; did you mean 'age'?"], &["--quasi", "agee"]);
    let with = |more: &[&'static str]| arguments(&[&quasi, more]);
    refuses(&desk, 2, &["no column 'wait'"], &with(&["--weight", "wait"]));
    refuses(&desk, 2, &["no column 'house'"], &with(&["--household", "house"]));
    refuses(&desk, 3, &["row 1, column 'sex'", "not a number above 0"], &with(&["--weight", "sex"]));
    for share in ["0", "1.5"] {
        refuses(&desk, 2, &["above 0 and at most 1"], &with(&["--sampling-fraction", share]));
    }
    refuses(&desk, 2, &["--sampling-fraction", "expected a number"], &with(&["--sampling-fraction", "few"]));
    refuses(&desk, 2, &["9 people", "already has 10 rows"], &with(&["--population-size", "9"]));
    refuses(&desk, 2, &["from 0 to 1"], &with(&["--threshold", "2"]));
    refuses(&desk, 2, &["give one of"], &with(&["--population-size", "99", "--sampling-fraction", "0.5"]));
    refuses(
        &desk,
        2,
        &["'people.csv' is the input that this command reads"],
        &with(&["--records", "people.csv"]),
    );
    refuses(&desk, 2, &["private files"], &with(&["-o", "-"]));
    refuses(&desk, 3, &["elsewhere.csv"], &with(&["--population", "elsewhere.csv"]));
    desk.table("population.csv", "age,sex\n[30-40],person\n");
    refuses(&desk, 3, &["no row of the table has its like"], &with(&["--population", "population.csv"]));
    desk.table("population.csv", "age\n3000\n");
    refuses(&desk, 2, &["no column 'sex'"], &with(&["--population", "population.csv"]));
}

#[test]
fn the_report_tells_the_risk_before_and_after() {
    let desk = desk();
    let plan = "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nage = { role = \"quasi\" }\n\
                sex = { role = \"quasi\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[risk]\naudience = \"researchers\"\npopulation_size = 100\n";
    desk.file("release.toml", plan);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    let risk = &desk.json("report/report.json")["risk"];
    assert_eq!((&risk["before"]["highest"], &risk["before"]["rows_above"]), (&1.0.into(), &5.into()));
    assert!(risk["after"]["highest"].as_f64().is_some_and(|highest| highest <= 1.0 / 3.0));
    assert_eq!((&risk["singling_before"]["rows"], &risk["singling_after"]["rows"]), (&1.into(), &0.into()));
    assert_eq!(risk["population_after"]["method"], "nobody_unique");
    assert_eq!((&risk["unit"], &risk["journalist_before"]), (&"rows".into(), &Value::Null));
    assert!(desk.text("report/report.html").contains("Knowing age singles out"));
    let with_people = plan
        .replace("population_size = 100\n", "")
        .replace("rest =", "population = \"population.csv\"\nrest =");
    desk.file("release.toml", &with_people);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    let risk = &desk.json("report/report.json")["risk"];
    // 1/4 + 2/2 + 2/10 + 5/20, the same as in `scumble risk`.
    assert_eq!(risk["journalist_before"]["expected"], 1.7);
    assert!(risk["journalist_after"]["highest"].as_f64() <= risk["after"]["highest"].as_f64());
    assert!(
        desk.text("report/report.html")
            .contains("In the original: An attacker who knows only that someone is in the population")
    );
    desk.file("release.toml", plan.replace("100", "9"));
    let run = desk.run(&["anonymize", "release.toml"]);
    run.fails(2, &["9 people", "already has 10 rows"]);
}
