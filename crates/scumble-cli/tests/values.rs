//! When two texts are one value, what a missing value is, what labels mean, and what `check` compares.

mod common;

use common::{Desk, cells};

const SPELT: &str = "age,ill\n30,HIV\n30,hiv\n30,\"HIV \"\n40,HIV\n40,flu\n40,?\n";
const ROLES: [&str; 4] = ["--quasi", "age", "--sensitive", "ill"];

fn with<'a>(first: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    first.iter().chain(more).copied().collect()
}

#[test]
fn spellings_of_one_value_are_one_value() {
    let desk = Desk::with_table(SPELT);
    let check = with(&["check", "people.csv", "--l", "2"], &ROLES);
    let told = desk.run(&check);
    assert_eq!(told.code, Some(1), "{}", told.out);
    assert!(told.out.contains("attained 1"), "{}", told.out);
    assert!(told.out.contains("written in several ways in 'ill'"), "{}", told.out);
    desk.run(&with(&check, &["--equality", "ill=exact"])).succeeds();
    // Without a model, `check` reports what is attained, by the same rule.
    let told = desk.run(&with(&["check", "people.csv", "--json"], &ROLES)).succeeds();
    assert_eq!(told.object()["attained"]["columns"][0]["distinct_l"], 1);
}

#[test]
fn a_release_shows_one_spelling_of_a_value() {
    let desk = Desk::with_table(SPELT);
    let released =
        desk.run(&with(&["-v", "anonymize", "people.csv", "-o", "out.csv", "--l", "2"], &ROLES)).succeeds();
    assert!(
        released.err.contains("column 'ill': 1 value is written in several ways (3 spellings)"),
        "{}",
        released.err
    );
    let mut shown: Vec<String> =
        cells(&desk.path("out.csv")).into_iter().skip(1).map(|row| row[1].clone()).collect();
    shown.sort();
    assert_eq!(shown, ["?", "HIV", "HIV", "HIV", "HIV", "flu"]);
    desk.run(&with(&["check", "out.csv", "--original", "people.csv", "--l", "2"], &ROLES)).succeeds();
    // Three spellings in one class, and nobody there has another value: there are not two values.
    let all = ["anonymize", "people.csv", "-o", "all.csv", "--l", "2", "--equality", "ill=exact"];
    desk.run(&with(&all, &ROLES)).succeeds();
    assert!(desk.text("all.csv").contains("hiv"));
    // A setting that weakens a promise is mentioned with the promise.
    let weaker = "spelling of a value of 'ill' counts as a value of its own";
    assert!(desk.text("all.csv.datasheet.md").contains(weaker), "{}", desk.text("all.csv.datasheet.md"));
    assert!(
        desk.text("out.csv.datasheet.md").contains("one spelling of each value"),
        "{}",
        desk.text("out.csv.datasheet.md")
    );
    let told = desk.run(&with(&with(&all, &ROLES), &["--missing-counts", "ill"])).succeeds();
    assert!(told.err.contains(weaker), "{}", told.err);
    assert!(
        desk.text("all.csv.datasheet.json")
            .contains("A missing value of 'ill' counts as a value like any other.")
    );
}

#[test]
fn what_may_be_one_value_is_refused() {
    let desk = Desk::with_table("age,born\n30,2020-04-03\n30,03/04/2020\n40,2020-04-03\n40,x\n");
    let roles = ["--quasi", "age", "--sensitive", "born"];
    let anonymize = with(&["anonymize", "people.csv", "-o", "out.csv", "--l", "2"], &roles);
    let check = with(&["check", "people.csv", "--l", "2"], &roles);
    for command in [&anonymize, &check] {
        desk.refuses(2, &["column 'born'", "rows 1 and 2", "(--equality born=exact)"], command);
        desk.run(&with(command, &["--equality", "born=exact"])).succeeds();
    }
    // Dates that can be read in only one way are read in that way, whatever the others are.
    let desk =
        Desk::with_table("age,born\n30,13/04/2020\n30,04/13/2020\n30,2020-04-13\n40,flu\n40,13.4.2020\n");
    let told = desk.run(&check);
    assert_eq!(told.code, Some(1), "{}", told.out);
    assert!(told.out.contains("attained 1"), "{}", told.out);
}

fn with_column(texts: &[&str]) -> String {
    let row = |(at, text): (usize, &&str)| format!("{},\"{text}\"\n", 20 + 2 * (at / 2));
    "age,ill\n".to_owned() + &texts.iter().enumerate().map(row).collect::<String>()
}

/// The text that decides how a column is read may be a rare spelling, which must not get lost.
#[test]
fn rare_texts_tell_how_a_column_is_read() {
    let check = with(&["check", "people.csv", "--l", "2"], &ROLES);
    let anonymize = with(&["anonymize", "people.csv", "-o", "out.csv", "--l", "2"], &ROLES);
    let checks_out = with(&["check", "out.csv", "--original", "people.csv", "--l", "2"], &ROLES);
    // 2 and 2,0 are one number, in one class.
    let desk = Desk::with_table(&with_column(&["2", "2,0", "3", "2", "3,0", "2", "3", "2"]));
    assert_eq!(desk.run(&check).code, Some(1));
    // With points and commas it is unclear what commas mean, but 2.0 and 2 are one number.
    let conflict = ["2.0", "2", "1,5", "2", "1,5", "2", "3,5", "2"];
    let desk = Desk::with_table(&with_column(&conflict));
    assert_eq!(desk.run(&check).code, Some(1));
    // Two formats that contradict each other, and a date that fits both.
    let mixed = ["03/04/2020", "2020-04-03", "13/04/2020", "x", "04/13/2020", "y", "04/13/2020", "z"];
    let desk = Desk::with_table(&with_column(&mixed));
    for command in [&check, &anonymize] {
        desk.refuses(2, &["column 'ill'", "rows 1 and 2"], command);
    }
    for texts in [
        &["2", "3", "2", "3", "2,0", "3,0", "2", "3"][..],
        &[
            "13/04/2020",
            "2020-04-13",
            "2020-04-13",
            "03/04/2020",
            "03/04/2020",
            "2020-04-03",
            "2020-03-04",
            "x",
        ],
        &["1,200", "1,200.50", "1,200.5", "1200.50", "1,200.00", "900", "900", "1"],
        &["1,2", "1,20", "2,10", "2,1", "1,2,3", "12", "3", "4"],
        &conflict,
        &["1,200.5e3", "1200500", "1,200.5e3", "7", "8", "9"],
        &[
            "1,5",
            "7,5",
            "13/04/2020",
            "2020-04-13",
            "2020-04-13",
            "03/04/2020",
            "03/04/2020",
            "2020-03-04",
            "2",
            "3",
        ],
    ] {
        let desk = Desk::with_table(&with_column(texts));
        desk.run(&anonymize).succeeds();
        desk.run(&checks_out).succeeds();
        // The release alone shows how it must be read.
        desk.run(&with(&["check", "out.csv", "--l", "2"], &ROLES)).succeeds();
    }
    // Rows that are left out do not decide how the others are read.
    let desk = Desk::with_table(
        "age,ill\n20,\"2,0\"\n20,2\n22,x\n22,3\n24,2\n24,y\n?,1.5\n?,1.5\n?,13/04/2020\n20,04/13/2020\n22,2020-04-13\n",
    );
    let drop = ["--missing", "drop-row"];
    desk.run(&with(&anonymize, &drop)).succeeds();
    desk.run(&with(&checks_out, &drop)).succeeds();
    let desk = Desk::with_table("age,ill\n?,1\n20,2\n20,3\n22,2\n22,3\n24,2\n24,3\n");
    let ordered = ["--t", "0.9", "--t-distance", "ordered", "--missing", "drop-row"];
    desk.run(&with(&anonymize, &ordered)).succeeds();
    desk.run(&with(&checks_out, &ordered)).succeeds();
}

/// A hierarchy may list other spellings of the values than the table has.
#[test]
fn hierarchies_of_sensitive_columns_know_spellings() {
    let people = "age,ill,guard\n30,HIV,hiv\n30,hiv,none\n30,flu,NONE\n30,cold,Lung\n40,Flu,None \n40,cold,None \n40,HIV,none\n40,flu,none\n";
    let desk = Desk::with_table(people);
    let tree = |text: &str| {
        std::fs::create_dir_all(desk.path("h")).unwrap();
        std::fs::write(desk.path("h/ill.csv"), text).unwrap();
    };
    let roles = with(&ROLES, &["--hierarchies", "h"]);
    let near = with(
        &[
            "anonymize",
            "people.csv",
            "-o",
            "out.csv",
            "--model",
            "t_closeness:t=0.3,distance=hierarchical",
            "--drop",
            "guard",
        ],
        &roles,
    );
    let guarded = with(
        &[
            "anonymize",
            "people.csv",
            "-o",
            "out.csv",
            "--guarding",
            "guard",
            "--model",
            "personalised:p_breach=0.75,guarding=guard",
            "--algorithm",
            "optimal",
        ],
        &roles,
    );
    for listed in [
        "hiv;blood;*\nFLU;lung;*\ncold;lung;*\n",
        "hiv;blood;*\nHIV ;blood;*\nflu;lung;*\nFlu;lung;*\ncold;lung;*\n",
    ] {
        tree(listed);
        desk.run(&with(&near, &["--force"])).succeeds();
        desk.run(&with(&guarded, &["--force"])).succeeds();
    }
    // The text for guarding nothing may have several spellings, including markers of missing values.
    desk.file("people.csv", people.replace("none", "NA").replacen("NA", "?", 1));
    desk.run(&with(&guarded, &["--force"])).succeeds();
    desk.file("people.csv", people);
    // A guard whose spelling fits two nodes.
    tree("hiv;Lung;*\nflu;LUNG;*\ncold;LUNG;*\n");
    desk.file("people.csv", people.replace(",Lung", ",lung"));
    desk.refuses(3, &["may be several of those"], &with(&guarded, &["--force"]));
    desk.file("people.csv", people);
    tree("hiv;blood;*\nHIV;lung;*\nflu;lung;*\ncold;lung;*\n");
    desk.refuses(3, &["ill.csv:2", "two spellings of one value", "line 1"], &near);
}

#[test]
fn a_missing_value_is_no_value() {
    let desk = Desk::with_table("age,ill\n30,hiv\n30,?\n40,hiv\n40,flu\n");
    let check = with(&["check", "people.csv", "--l", "2"], &ROLES);
    assert_eq!(desk.run(&check).code, Some(1));
    desk.run(&with(&check, &["--missing-counts", "ill"])).succeeds();
    let anatomy =
        with(&["anonymize", "people.csv", "-o", "out", "--algorithm", "anatomy", "--l", "2"], &ROLES);
    desk.refuses(2, &["anatomy", "(--missing-counts ill)"], &anatomy);
}

/// Every way to build a hierarchy: a release is true of its original if the plan says how its labels were made, and is never called untrue
/// without that plan.
#[test]
fn releases_are_compared_by_the_hierarchies_of_their_plan() {
    let desk = Desk::new();
    let mut table = String::from("x,day,zip,team,ill\n");
    for row in 0..24 {
        let (year, month, day) = (1990 + row % 4, 1 + row % 12, 1 + row % 27);
        let name = char::from(b'a' + (row % 12) as u8);
        table += &format!(
            "{},{year}-{month:02}-{day:02},{},{name}nn,{}\n",
            20 + row,
            1200 + row * 37 % 90,
            // MDLP cuts where the class changes.
            row / 8
        );
    }
    desk.file("data.csv", &table);
    desk.file(
        "team.csv",
        (b'a'..b'm')
            .map(|c| format!("{0}nn;{1};*\n", char::from(c), if c < b'f' { "low" } else { "high" }))
            .collect::<String>(),
    );
    desk.file(
        "parents.csv",
        (b'a'..b'm')
            .map(|c| format!("{0}nn;{1}\n", char::from(c), if c < b'f' { "low" } else { "high" }))
            .chain(["low;*\n", "high;*\n"].map(str::to_owned))
            .collect::<String>(),
    );
    let builders = [
        ("x", "{ build = \"equal_width\", bins = 4 }"),
        ("x", "{ build = \"equal_frequency\", bins = 4 }"),
        ("x", "{ build = \"ordered_merging\" }"),
        ("x", "{ build = \"widths\", widths = [5, 10] }"),
        ("x", "{ build = \"mdlp\" }"),
        ("day", "{ build = \"dates\", levels = [\"month\", \"year\"] }"),
        ("zip", "{ build = \"prefix\" }"),
        ("team", "{ build = \"alphabetic\" }"),
        ("team", "{ build = \"initials\" }"),
        ("team", "{ build = \"flat\" }"),
        ("team", "{ build = \"file\", path = \"team.csv\" }"),
        ("team", "{ build = \"parent_child\", path = \"parents.csv\" }"),
        ("x", ""),
        ("day", ""),
        ("zip", ""),
        ("team", ""),
    ];
    for (column, builder) in builders {
        let hierarchy = if builder.is_empty() { String::new() } else { format!("hierarchy = {builder}\n") };
        let kind = if column == "zip" { "type = \"text\"\n" } else { "" };
        let class = if builder.contains("mdlp") { "class" } else { "sensitive" };
        let others: String = ["x", "day", "zip", "team"]
            .iter()
            .filter(|other| **other != column)
            .map(|other| format!("[columns.{other}]\nrole = \"drop\"\n"))
            .collect();
        for algorithm in ["samarati", "mondrian"] {
            let plan = format!(
                "input = \"data.csv\"\noutput = \"out.csv\"\naccept_attribute_disclosure = true\n[algorithm]\nname = \"{algorithm}\"\n\
                 [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[columns.{column}]\nrole = \"quasi\"\n{kind}{hierarchy}\
                 [columns.ill]\nrole = \"{class}\"\n{others}"
            );
            desk.file("release.toml", &plan);
            let made = desk.run(&["anonymize", "release.toml"]);
            assert_eq!(made.code, Some(0), "{column} {builder} {algorithm}: {}", made.err);
            let told = desk.run(&["check", "out.csv", "--plan", "release.toml", "--original", "data.csv"]);
            assert_eq!(told.code, Some(0), "{column} {builder} {algorithm}: {}{}", told.out, told.err);
            // Without the plan, either the labels are enough, or the command says what is missing.
            let bare = [
                "check",
                "out.csv",
                "--original",
                "data.csv",
                "--quasi",
                column,
                "--k",
                "2",
                "--rest",
                "drop",
            ];
            let role = if class == "class" { "--class" } else { "--sensitive" };
            let told = desk.run(&with(&bare, &[role, "ill"]));
            let said = told.code == Some(2)
                && told.err.contains("needs its hierarchy")
                && told.err.contains("--plan");
            assert!(told.code == Some(0) || said, "{column} {builder} {algorithm}: {}{}", told.out, told.err);
        }
    }
}

#[test]
fn labels_of_hierarchies_hold_what_they_say() {
    let desk = Desk::new();
    desk.file("data.csv", "job,ill\na,x\nb,y\na,y\nb,x\n");
    for (label, words) in [("{a|d}", "set"), ("=a", "begins with '='"), ("=", "begins with '='")] {
        desk.file("job.csv", format!("a;{label};*\nb;{label};*\n"));
        let run = [
            "anonymize",
            "data.csv",
            "-o",
            "out.csv",
            "--quasi",
            "job",
            "--sensitive",
            "ill",
            "--k",
            "2",
            "--l",
            "2",
        ];
        desk.refuses(3, &["hierarchy of 'job'", words], &with(&run, &["--hierarchies", "."]));
    }
}

#[test]
fn what_is_not_compared_is_said() {
    let desk = Desk::new();
    desk.file("data.csv", "age,ill\n20,a\n21,b\n30,c\n31,d\n40,a\n41,b\n50,c\n51,d\n");
    let anatomy = ["anonymize", "data.csv", "-o", "out", "--algorithm", "anatomy", "--l", "2", "--seed", "1"];
    desk.run(&with(&anatomy, &ROLES)).succeeds();
    // Everybody moves to another group, but the values as a whole are the same.
    let rows = desk.text("out/rows.csv");
    let mut lines: Vec<String> = rows.lines().map(str::to_owned).collect();
    let groups: Vec<String> =
        lines[1..].iter().map(|line| line.rsplit(',').next().expect("a group").to_owned()).collect();
    let mut other = groups.clone();
    other.rotate_left(1);
    for (line, group) in lines[1..].iter_mut().zip(&other) {
        let kept = line.rsplit_once(',').expect("a group").0.to_owned();
        *line = format!("{kept},{group}");
    }
    lines[1..].sort();
    desk.file("out/rows.csv", lines.join("\n") + "\n");
    let told = desk.run(&["check", "out", "--original", "data.csv"]);
    assert!(told.out.contains("Not compared: whether each row is in the group"), "{}", told.out);
}
