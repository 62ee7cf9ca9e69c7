//! Steps before the search, from the command line.

mod common;

use common::{Desk, arguments};

/// Sixty people with a date of birth, an income and an occupation, of which two are rare.
fn desk() -> Desk {
    let desk = Desk::new();
    let row = |at: usize| {
        let job = match at {
            0 => "astronaut",
            1 => "falconer",
            _ => ["baker", "clerk", "nurse"][at % 3],
        };
        format!(
            "CANARY{at},{}-03-{:02},{},{job},{}\n",
            1940 + at,
            at % 28 + 1,
            20_011 + 613 * at,
            ["f", "m"][at % 2]
        )
    };
    desk.file("people.csv", format!("id,born,income,job,sex\n{}", (0..60).map(row).collect::<String>()));
    desk
}

const ROLES: &[&str] = &[
    "anonymize",
    "people.csv",
    "-o",
    "out.csv",
    "--k",
    "3",
    "--identifier",
    "id",
    "--drop",
    "born",
    "--quasi",
    "sex,age",
];
const AGE: &[&str] = &["--transform", "age:column=born,into=age,at=2024-01-01"];

#[test]
fn steps_on_the_command_line() {
    let desk = desk();
    let steps = ["--transform", "round:column=income,base=1000", "--transform", "lump:column=job,least=5"];
    let run = desk.run(&arguments(&[ROLES, AGE, &steps, &["--other", "income,job"]])).succeeds();
    let released = desk.text("out.csv");
    let header = released.lines().next().expect("a header");
    assert_eq!(header, "age,income,job,sex", "the new column stands where its origin stood");
    assert!(
        !released.contains("CANARY") && !released.contains("astronaut") && !released.contains("falconer")
    );
    // The lump of two takes the rarest of the others along.
    assert!(released.contains(",other,"), "{released}");
    assert!(released.lines().skip(1).all(|line| line.contains("000,")), "{released}");
    let sheet = desk.text("out.csv.datasheet.md");
    for said in [
        "## What was done to columns first",
        "age: age in completed years on 2024-01-01",
        "income: rounded to multiples of 1000",
        "as found in the data",
    ] {
        assert!(sheet.contains(said), "{said}: {sheet}");
    }
    assert!(!sheet.contains("born") && !sheet.contains("id:"), "{sheet}");
    let report = desk.text("out.report/report.html");
    assert!(report.contains("step 1") && report.contains("age of born into age"), "{}", run.err);
    // Values are true of their originals once the steps are carried out on these, too.
    let plan = "input = \"people.csv\"\noutput = \"again.csv\"\n[[transform]]\ndo = \"age\"\ncolumn = \"born\"\ninto = \"age\"\nat = \"2024-01-01\"\n\
                [[transform]]\ndo = \"round\"\ncolumn = \"income\"\nbase = 1000\n[[transform]]\ndo = \"lump\"\ncolumn = \"job\"\nleast = 5\n\
                [columns]\nid = { role = \"identifier\" }\nborn = { role = \"drop\" }\nage = { role = \"quasi\" }\nsex = { role = \"quasi\" }\n\
                income = { role = \"other\" }\njob = { role = \"other\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    desk.file("release.toml", plan);
    desk.run(&["anonymize", "release.toml"]).succeeds();
    assert_eq!(desk.text("again.csv"), released, "plan and flags make the same release");
    let check =
        desk.run(&["check", "out.csv", "--plan", "release.toml", "--original", "people.csv"]).succeeds();
    assert!(!check.out.contains("fails"), "{}", check.out);
    desk.file("out2.csv", released.replacen("000,", "111,", 1));
    let check = desk.run(&["check", "out2.csv", "--plan", "release.toml", "--original", "people.csv"]);
    assert_eq!(check.code, Some(1), "{}", check.out);
}

/// Every command knows values that stand for many numbers.
#[test]
fn coded_values_go_through_every_command() {
    let desk = desk();
    let steps = [
        "--transform",
        "top:column=age,limit=70",
        "--transform",
        "cut:column=income,at=[0,30000,40000,50000]",
        "--transform",
        "lump:column=job,least=5",
    ];
    let roles = ["--other", "job", "--quasi", "sex,age,income"];
    let with_income = |output: &str, more: &[&str]| {
        let flags = arguments(&[
            &["anonymize", "people.csv", "-o", output, "--k", "3", "--identifier", "id", "--drop", "born"],
            AGE,
            &steps,
            &roles,
            more,
        ]);
        desk.run(&flags)
    };
    let run = with_income("out.csv", &["--recoding", "rule.json", "--attack"]).succeeds();
    assert!(!run.err.contains("formulas"), "a coded value is no formula: {}", run.err);
    let released = desk.text("out.csv");
    assert!(released.contains(",>=") || released.starts_with(">="), "{released}");
    assert!(!released.contains("=>=") && !released.contains("=["), "{released}");
    let plan = |more: &str| {
        format!(
            "input = \"people.csv\"\noutput = \"again.csv\"\n[[transform]]\ndo = \"age\"\ncolumn = \"born\"\ninto = \"age\"\nat = \"2024-01-01\"\n\
         [[transform]]\ndo = \"top\"\ncolumn = \"age\"\nlimit = 70\n[[transform]]\ndo = \"cut\"\ncolumn = \"income\"\nat = [0, 30000, 40000, 50000]\n\
         [[transform]]\ndo = \"lump\"\ncolumn = \"job\"\nleast = 5\n\
         [columns]\nid = {{ role = \"identifier\" }}\nborn = {{ role = \"drop\" }}\nage = {{ role = \"quasi\"{more} }}\nincome = {{ role = \"quasi\" }}\n\
         sex = {{ role = \"quasi\" }}\njob = {{ role = \"other\" }}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n"
        )
    };
    desk.file("release.toml", plan(""));
    let check =
        |table: &str| desk.run(&["check", table, "--plan", "release.toml", "--original", "people.csv"]);
    check("out.csv").succeeds();
    // One label that is true of nobody there.
    let line =
        released.lines().position(|line| line.starts_with('[') || line.starts_with('"')).expect("a range");
    let changed: Vec<String> = released
        .lines()
        .enumerate()
        .map(|(at, text)| {
            if at == line {
                text.replacen(text.split("\",").next().expect("a cell"), "\">=999", 1)
            } else {
                text.to_owned()
            }
        })
        .collect();
    desk.file("false.csv", changed.join("\n") + "\n");
    assert_ne!(check("false.csv").code, Some(0));
    desk.run(&["apply", "rule.json", "people.csv", "-o", "new.csv"]).succeeds();
    desk.run(&["attack", "out.csv", "--plan", "release.toml", "--original", "people.csv"]).succeeds();
    desk.run(&[
        "compare",
        "release.toml",
        "--class",
        "job",
        "--k",
        "3",
        "--algorithm",
        "mondrian",
        "-o",
        "compare.html",
    ])
    .succeeds();
    with_income("small.parquet", &[]).succeeds();
    with_income("small.xlsx", &[]).succeeds();
    desk.file("two.toml", plan(", range = \"two-columns\""));
    desk.refuses(
        2,
        &["values that have only one end, such as >=90", "write = \"limit\""],
        &["anonymize", "two.toml"],
    );
}

#[test]
fn mistakes_are_answered() {
    let desk = desk();
    let refuses = |code: i32, said: &[&str], step: &str| {
        desk.refuses(code, said, &arguments(&[ROLES, AGE, &["--other", "income,job", "--transform", step]]));
    };
    refuses(2, &["rond", "did you mean 'round'"], "rond:column=income,base=5");
    refuses(2, &["incme", "did you mean 'income'"], "round:column=incme,base=5");
    refuses(2, &["base must be a number above 0"], "round:column=income,base=0");
    refuses(2, &["needs numbers", "job"], "round:column=job,base=5");
    refuses(2, &["there is a column 'sex' already"], "round:column=income,base=5,into=sex");
    refuses(2, &["say which column it changes", "column=NAME"], "round:base=5");
    refuses(2, &["share must be above 0 and below 1"], "top:column=income,share=1");
    refuses(
        2,
        &["bands of a quasi-identifier include their lower edge"],
        "cut:column=age,at=[0,40],closed=right",
    );
    refuses(1, &["lower least"], "top:column=income,limit=56000,write=mean,least=50");
    refuses(3, &["row 1", "not a US ZIP code"], "zip3:column=job");
    desk.refuses(
        2,
        &["no role is given for age"],
        &arguments(&[&ROLES[..ROLES.len() - 1], &["sex", "--other", "income,job"], AGE]),
    );
    assert!(!desk.path("out.csv").exists(), "nothing is published");
}

#[test]
fn a_step_that_needs_all_rows_leaves_no_recoding() {
    let desk = desk();
    let flags = [
        "--other",
        "income,job",
        "--transform",
        "round:column=income,base=500,mode=controlled",
        "--recoding",
        "rule.json",
    ];
    desk.refuses(
        2,
        &["needs all rows of a table at once", "leave the recoding out"],
        &arguments(&[ROLES, AGE, &flags]),
    );
    desk.run(&arguments(&[ROLES, AGE, &flags[..4]])).succeeds();
}

#[test]
fn transforms_are_listed_and_explained() {
    let desk = Desk::new();
    let list = desk.run(&["list"]).succeeds();
    assert!(
        list.out.contains("Transforms, for columns before the search") && list.out.contains("days_since"),
        "{}",
        list.out
    );
    let explain = desk.run(&["explain", "days-since"]).succeeds();
    assert!(explain.out.contains("transform ·") && explain.out.contains("since_column"), "{}", explain.out);
}
