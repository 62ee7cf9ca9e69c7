//! Plans that are made from templates.

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::{Desk, files_below};
use scumble::config::Plan;
use scumble::config::template::Template;

fn clinic() -> Desk {
    let desk = Desk::new();
    desk.run(&["sample", "--rows", "1500", "-o", "clinic.csv"]).succeeds();
    desk
}

/// The sample, a plan from a template with its guesses accepted, and its release.
fn released(template: &str) -> Desk {
    let desk = clinic();
    desk.run(&["init", "clinic.csv", "--template", template, "--accept"]).succeeds();
    desk.run(&["anonymize", "release.toml"]).succeeds();
    desk
}

#[test]
fn each_plan_of_the_sample_makes_a_release_that_says_where_it_comes_from() {
    for name in Template::names() {
        let desk = released(name);
        let run = desk.run(&["check", "release.toml"]).succeeds();
        assert!(run.out.contains(&format!("made from {name}, version 1")), "{}", run.out);
        assert!(run.out.contains("no departure"), "{}", run.out);
        desk.run(&["check", "clinic.release.csv", "--plan", "release.toml", "--original", "clinic.csv"])
            .succeeds();
        let sheet = desk.text("clinic.release.csv.datasheet.md").replace('\\', "");
        let template = Template::find(name).unwrap();
        assert!(sheet.contains(&format!("Made from the template {name}, version 1.")), "{sheet}");
        let report = desk.text("clinic.report/report.html");
        assert!(report.contains(&format!("Made from the template {name}, version 1.")), "{name}");
        for text in [&sheet, &report, &desk.text("release.toml")] {
            assert!(!text.to_lowercase().contains("compliant"), "{name}");
        }
        assert_eq!(
            desk.json("clinic.release.csv.datasheet.json")["template"],
            format!("Made from the template {name}, version 1. {}", template.statement)
        );
    }
}

#[test]
fn a_template_confirms_no_guess() {
    let desk = clinic();
    let run = desk.run(&["init", "clinic.csv", "--template", "hipaa-safe-harbor"]).succeeds();
    // The table lacks the year of the data: the lines are comments, and a note says so.
    assert!(run.err.contains("lines of the plan about birth_date are comments"), "{}", run.err);
    let plan = desk.text("release.toml");
    assert!(plan.contains("template = \"hipaa_safe_harbor\"\ntemplate_version = 1\n"), "{plan}");
    assert!(plan.contains("# limit = \"YEAR OF THE DATA - 90\"\n"), "{plan}");
    assert!(!plan.lines().any(|line| line.starts_with("role = \"") && !line.contains("\"?")), "{plan}");
    desk.refuses(2, &["only guessed", "birth_date (?drop)"], &["anonymize", "release.toml"]);
}

#[test]
fn an_unknown_template_is_answered_with_the_nearest() {
    let desk = clinic();
    for arguments in
        [&["init", "clinic.csv", "--template", "hippa_safe_harbour"][..], &["explain", "hippa_safe_harbour"]]
    {
        desk.refuses(2, &["'hippa_safe_harbour'", "did you mean 'hipaa_safe_harbor'"], arguments);
    }
    desk.refuses(2, &["no template 'x'", "public_use"], &["init", "clinic.csv", "--template", "x"]);
    desk.file(
        "plan.toml",
        "input = \"clinic.csv\"\noutput = \"o.csv\"\ntemplate = \"cms\"\n[columns.sex]\nrole = \"quasi\"\n",
    );
    desk.refuses(2, &["plan.toml:3", "no template 'cms'"], &["anonymize", "plan.toml"]);
}

#[test]
fn templates_are_listed_and_explained() {
    let desk = Desk::new();
    let list = desk.run(&["list", "templates"]).succeeds().out;
    assert!(!list.contains("Metrics"), "{list}");
    for name in Template::names() {
        assert!(list.contains(name), "{list}");
        let text = desk.run(&["explain", name]).succeeds().out;
        assert!(text.contains("What it does not do") && text.contains("version 1"), "{text}");
    }
}

/// A table in which each of the 18 kinds stands as a token that nothing else has.
fn planted() -> (String, Vec<String>) {
    let kinds: [(&str, &dyn Fn(usize) -> String); 18] = [
        ("patient_name", &|row| format!("Qanna{row} Qbert")),
        ("street_address", &|row| format!("{} Qstreet", 7100 + row)),
        ("county", &|row| format!("Qcounty{}", row % 9)),
        ("discharge_date", &|row| format!("2023-{:02}-{:02}", 1 + row % 12, 11 + row % 17)),
        ("phone", &|row| format!("+1 201 555 {:04}", 7000 + row)),
        ("fax", &|row| format!("+1 202 555 {:04}", 7000 + row)),
        ("email", &|row| format!("qmail{row}@example.org")),
        ("ssn", &|row| format!("536-{:02}-{:04}", 10 + row % 80, 4000 + row)),
        ("mrn", &|row| format!("QMR{}", 70_000 + row)),
        ("health_plan_number", &|row| format!("QHP{}", 70_000 + row)),
        ("account", &|row| format!("QAC{}", 70_000 + row)),
        ("license_number", &|row| format!("QLI{}", 70_000 + row)),
        ("license_plate", &|row| format!("QPL{}", 70_000 + row)),
        ("device_serial", &|row| format!("QDV{}", 70_000 + row)),
        ("website", &|row| format!("https://example.org/qweb{row}")),
        ("ip", &|row| format!("10.77.{}.{}", row / 250, 1 + row % 250)),
        ("fingerprint", &|row| format!("QFP{}", row % 40)),
        ("photo", &|row| format!("QPH{}.jpg", row % 40)),
    ];
    let mut text = String::from("age,sex,zip,disease,other_code");
    kinds.iter().for_each(|(name, _)| write!(text, ",{name}").expect("a text"));
    text.push('\n');
    let mut tokens = Vec::new();
    for row in 0..400 {
        let illness = ["flu", "gout", "asthma"][row % 3];
        let code = format!("QOC{}", 80_000 + row);
        let zip = if row % 2 == 0 { 10_001 + row % 7 } else { 3_601 + row % 3 };
        write!(text, "{},{},{zip:05},{illness},{code}", 20 + row % 80, ["m", "f"][row % 2]).expect("a text");
        tokens.push(code);
        for (_, value) in &kinds {
            let value = value(row);
            write!(text, ",{value}").expect("a text");
            tokens.push(value);
        }
        text.push('\n');
    }
    tokens.extend((3_601..3_604).map(|zip| format!("{zip:05}")));
    tokens.extend(["91", "93", "95", "97", "99"].map(|age| format!("\n{age},")));
    (text, tokens)
}

#[test]
fn nothing_of_the_18_kinds_of_hipaa_is_in_a_public_byte() {
    let (table, tokens) = planted();
    let desk = Desk::new();
    desk.file("plant.csv", &table);
    desk.run(&["init", "plant.csv", "--template", "hipaa_safe_harbor", "--accept"]).succeeds();
    let run = desk.run(&["anonymize", "release.toml"]).succeeds();
    let mut public = vec![run.out, run.err];
    for file in files_below(desk.root()) {
        let name = file.to_string_lossy().into_owned();
        if name.starts_with("plant.release.csv") {
            public.push(desk.text(&name));
        }
    }
    assert!(public.len() >= 5, "a release and two datasheets");
    for token in &tokens {
        assert!(!public.iter().any(|text| text.contains(token)), "{token}");
    }
    let release = desk.text("plant.release.csv");
    assert!(
        release.starts_with("age,sex,zip,disease,discharge_date\n") || release.contains("discharge_date"),
        "{release}"
    );
    // A plan that publishes one of them makes no release, also when steps have changed nothing about it.
    let plan = desk.text("release.toml");
    for name in ["mrn", "email", "photo", "county", "other_code"] {
        let at = plan.find(&format!("[columns.{name}]")).unwrap();
        let (before, after) = plan.split_at(at);
        let role = after.find("role = \"").unwrap();
        let line = after[role..].lines().next().unwrap();
        desk.file("open.toml", format!("{before}{}", after.replacen(line, "role = \"quasi\"", 1)));
        desk.refuses(
            2,
            &["departs from it", &format!("'{name}' has the role quasi")],
            &["anonymize", "open.toml", "-o", "o.csv"],
        );
        assert_eq!(desk.run(&["check", "open.toml"]).code, Some(1), "{name}");
    }
    desk.file(
        "dates.toml",
        plan.replacen("unit = \"year\"", "unit = \"month\"", 1).replacen(
            "type = \"integer\"\n[[transform]]\ndo = \"truncate\"",
            "[[transform]]\ndo = \"truncate\"",
            1,
        ),
    );
    let run = desk.run(&["check", "dates.toml"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(
        run.out.contains("'discharge_date' lacks the step truncate (unit = year) (164.514(b)(2)(i)(C))"),
        "{}",
        run.out
    );
}

#[test]
fn no_cell_of_a_release_by_the_rule_of_cms_counts_1_to_10() {
    let desk = released("cms_cell_11");
    let release = desk.text("clinic.release.csv");
    let rows: Vec<Vec<&str>> = release.lines().skip(1).map(cells).collect();
    let width = rows[0].len();
    // By each column, each pair and all together.
    let pairs = (0..width).flat_map(|one| (one..width).map(move |two| vec![one, two]));
    for columns in pairs.chain([(0..width).collect()]) {
        let mut counts: BTreeMap<Vec<&str>, u64> = BTreeMap::new();
        for row in &rows {
            *counts.entry(columns.iter().map(|column| row[*column]).collect()).or_default() += 1;
        }
        assert!(counts.values().all(|count| *count >= 11), "{columns:?}");
    }
    let sheet = desk.json("clinic.release.csv.datasheet.json");
    let mut numbers = Vec::new();
    all_numbers(&sheet, &mut numbers);
    assert!(!numbers.is_empty() && numbers.iter().all(|number| !(1..=10).contains(number)), "{numbers:?}");
    // A column that is kept, a smaller k or another way with suppressed rows makes no release.
    let plan = desk.text("release.toml");
    let kept = plan.replacen("[columns.sex]\nrole = \"quasi\"", "[columns.sex]\nrole = \"other\"", 1);
    for (other, words) in [
        (kept, "'sex' has the role other, and the template gives it quasi"),
        (plan.replace("k = 11", "k = 10"), "asks for less than k_anonymity with k = 11"),
        (plan.replace("star_policy = \"strict\"", "star_policy = \"drop\""), "star_policy = strict"),
    ] {
        desk.file("other.toml", other);
        desk.refuses(2, &["departs from it", words], &["anonymize", "other.toml", "-o", "o.csv"]);
        let run = desk.run(&["check", "clinic.release.csv", "--plan", "other.toml"]);
        assert_eq!(run.code, Some(1), "{}", run.out);
        assert!(
            run.out.contains("FAILS  it departs from the template") && run.out.contains(words),
            "{}",
            run.out
        );
    }
}

fn all_numbers(value: &serde_json::Value, found: &mut Vec<u64>) {
    match value {
        serde_json::Value::Number(number) => found.extend(number.as_u64()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| all_numbers(item, found)),
        serde_json::Value::Object(items) => items.values().for_each(|item| all_numbers(item, found)),
        _ => {}
    }
}

/// The cells of a line, in which only ranges are quoted.
fn cells(line: &str) -> Vec<&str> {
    let (mut cells, mut start, mut quoted) = (Vec::new(), 0, false);
    for (at, sign) in line.char_indices() {
        match sign {
            '"' => quoted = !quoted,
            ',' if !quoted => {
                cells.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(&line[start..]);
    cells
}

#[test]
fn departures_that_may_be_are_warnings() {
    let desk = clinic();
    desk.run(&["init", "clinic.csv", "--template", "public_use", "--accept"]).succeeds();
    let plan = desk.text("release.toml");
    let weaker = plan
        .replace("t = 0.3", "t = 0.4")
        .replace("k = 12", "k = 5")
        .replace("suppression = 0.05", "suppression = 0.1");
    desk.file("release.toml", weaker);
    let check = desk.run(&["check", "release.toml"]).succeeds();
    for words in ["less than k_anonymity with k = 12", "less than t_closeness", "share of 0.05"] {
        assert!(check.out.contains(words), "{}", check.out);
    }
    let run = desk.run(&["anonymize", "release.toml"]).succeeds();
    assert!(run.err.contains("the plan departs from its template public_use"), "{}", run.err);
    let sheet = desk.text("clinic.release.csv.datasheet.md");
    assert!(sheet.contains("version 1, and changed since."), "{sheet}");
    // What asks for more is no departure.
    desk.file("release.toml", plan.replace("t = 0.3", "t = 0.2").replace("k = 12", "k = 20"));
    let check = desk.run(&["check", "release.toml"]).succeeds();
    assert!(check.out.contains("no departure"), "{}", check.out);
    // A plan without a template has nothing to be compared with.
    desk.run(&["init", "clinic.csv", "-o", "plain.toml"]).succeeds();
    desk.refuses(2, &["it was not made from a template"], &["check", "plain.toml"]);
}

/// A step can make a column look like something else, and it is still about the same thing.
#[test]
fn steps_do_not_hide_what_a_rule_is_about() {
    let desk = clinic();
    desk.run(&["init", "clinic.csv", "--template", "hipaa_safe_harbor", "--accept"]).succeeds();
    let plan = desk.text("release.toml");
    let (truncate, year) = ("\ndo = \"truncate\"", "\nunit = \"year\"");
    assert!(plan.contains(truncate) && plan.contains(year), "{plan}");
    desk.file("months.toml", plan.replacen(year, "\nunit = \"month\"", 1));
    desk.refuses(2, &["lacks the step truncate (unit = year)"], &["anonymize", "months.toml", "-o", "m.csv"]);
    let days = plan.replacen(truncate, "\ndo = \"days_since\"\nsince = \"2020-01-01\"", 1);
    desk.file("days.toml", days.replacen(year, "", 1));
    desk.refuses(2, &["lacks the step truncate (unit = year)"], &["anonymize", "days.toml", "-o", "d.csv"]);
}

/// What the lines that are comments promise: once the blanks are filled in, they work, and are no departure.
#[test]
fn lines_that_are_comments_work_when_their_blanks_are_filled_in() {
    let desk = clinic();
    desk.run(&["init", "clinic.csv", "--template", "hipaa_safe_harbor", "--accept"]).succeeds();
    let plan = desk.text("release.toml");
    let commented = "# [[transform]]\n# do = \"truncate\"\n# column = \"birth_date\"\n# unit = \"year\"\n# [[transform]]\n# do = \"bottom\"\n# column = \"birth_date\"\n# limit = \"YEAR OF THE DATA - 90\"\n";
    assert!(plan.contains(commented), "{plan}");
    let lines = commented.replace("# ", "").replace("\"YEAR OF THE DATA - 90\"", "1934");
    let filled = plan.replace(commented, &lines).replacen(
        "[columns.birth_date]\nrole = \"drop\"\ntype = \"date\"\nformat = \"yyyy-mm-dd\"\n",
        "[columns.birth_date]\nrole = \"quasi\"\ntype = \"integer\"\n",
        1,
    );
    desk.file("release.toml", &filled);
    assert!(Plan::load(&desk.path("release.toml")).unwrap().transform.len() > 2);
    let check = desk.run(&["check", "release.toml"]).succeeds();
    assert!(check.out.contains("no departure"), "{}", check.out);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    // The years alone, without the limit for the oldest, are not enough.
    desk.file(
        "open.toml",
        filled.replacen("[[transform]]\ndo = \"bottom\"\ncolumn = \"birth_date\"\nlimit = 1934\n", "", 1),
    );
    desk.refuses(2, &["'birth_date' has the role quasi"], &["anonymize", "open.toml", "-o", "o.csv"]);
}
