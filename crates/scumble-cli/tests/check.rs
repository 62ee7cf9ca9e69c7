//! `scumble check`: any table against models, and against its original.

mod common;

use common::{Desk, ROLES, arguments, keys};

/// A table as another tool might make it: two classes of three and two rows, and one suppressed row.
const OTHER_TOOL: &str = "\
age;zip;disease
[20-30);130**;flu
[20-30);130**;cancer
[20-30);130**;flu
[30-40);148**;cancer
[30-40);148**;cancer
*;*;flu
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("other.csv", OTHER_TOOL);
    desk
}

const QUASI: &[&str] = &["check", "other.csv", "--quasi", "age,zip"];

#[test]
fn a_model_that_holds() {
    let run = desk().run(&arguments(&[QUASI, &["--k", "2", "--ignore-suppressed"]])).succeeds();
    assert!(run.out.contains("holds") && run.out.contains("required 2, attained 2"), "{}", run.out);
    assert!(run.out.contains("smallest groups: 1 of 2 rows, 1 of 3 rows"), "{}", run.out);
    assert!(run.out.contains("1 row that shows *"), "{}", run.out);
}

#[test]
fn a_model_that_fails() {
    let run = desk().run(&arguments(&[QUASI, &["--k", "3", "--ignore-suppressed"]]));
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("FAILS") && run.out.contains("required 3, attained 2"), "{}", run.out);
    assert!(run.out.contains("1 group with 2 rows fails"), "{}", run.out);
    assert_eq!(run.err, "", "a verdict is a result, not an error");
}

#[test]
fn starred_rows_are_judged_unless_told_otherwise() {
    let run = desk().run(&arguments(&[QUASI, &["--k", "2"]]));
    assert_eq!(run.code, Some(1), "the starred row is alone: {run:#?}");
}

#[test]
fn diversity_and_closeness() {
    // The second class has cancer only.
    let sensitive = ["--sensitive", "disease", "--ignore-suppressed"];
    let run = desk().run(&arguments(&[QUASI, &sensitive, &["--l", "2"]]));
    assert_eq!(run.code, Some(1), "{run:#?}");
    desk().run(&arguments(&[QUASI, &sensitive, &["--l", "1"]])).succeeds();
    // Three of six rows have flu: the class with only cancer is 1/2 away, the other 2/3 − 1/2.
    desk().run(&arguments(&[QUASI, &sensitive, &["--t", "0.5"]])).succeeds();
    let run = desk().run(&arguments(&[QUASI, &sensitive, &["--t", "0.49"]]));
    assert_eq!(run.code, Some(1), "{run:#?}");
}

#[test]
fn without_a_model_it_says_what_is_attained() {
    let flags = ["--sensitive", "disease", "--ignore-suppressed"];
    let run = desk().run(&arguments(&[QUASI, &flags])).succeeds();
    // Two groups with five rows in all, and all groups have fewer than twelve.
    assert!(run.out.contains("k = 2, mean risk = 0.4, share at a risk above 0.09 = 1\n"), "{}", run.out);
    assert!(
        run.out.contains(
            "disease: distinct l = 1, entropy l = 1, frequency l = 1, no c of (c,2)-diversity would do, t (equal distance) = \
             0.5, alpha = 1, beta = 1, enhanced beta = infinite, no delta would do;"
        ),
        "{}",
        run.out
    );
    assert!(run.out.contains("1 group has one value only"), "{}", run.out);
}

/// Classes of three, two and one rows: half of the rows are above 1/3, and one of six above 1/2.
#[test]
fn the_plan_says_which_risk_is_too_much() {
    let desk = desk();
    for (threshold, share) in [("\"1/3\"", "above 0.3333 = 0.5\n"), ("0.5", "above 0.5 = 0.1667\n")] {
        let plan = "input = \"-\"\noutput = \"-\"\n[columns]\nage = { role = \"quasi\" }\nzip = { role = \"quasi\" }\n";
        desk.file("release.toml", format!("{plan}[risk]\nthreshold = {threshold}\n"));
        let run = desk.run(&["check", "other.csv", "--plan", "release.toml"]).succeeds();
        assert!(run.out.contains(share), "{}", run.out);
    }
    let object = desk.run(&["check", "other.csv", "--plan", "release.toml", "--json"]).succeeds().object();
    assert_eq!(object["attained"]["risk_threshold"], 0.5);
}

/// A release and the people from whom its rows are taken: two of three, one of two, and one who is in no class.
#[test]
fn a_population() {
    let desk = Desk::new();
    desk.file("release.csv", "age,sex\n\"[20,30)\",f\n\"[20,30)\",f\n\"[30,40)\",m\n");
    desk.file("people.csv", "name;sex;age\nA;f;20\nB;f;25\nC;f;29\nD;m;30\nE;m;39\nF;m;50\n");
    let check = |more: &[&str]| {
        desk.run(&arguments(&[
            &["check", "release.csv", "--quasi", "age,sex", "--population", "people.csv"],
            more,
        ]))
    };
    let run = check(&[]).succeeds();
    assert!(
        run.out.contains("beside the population: k of k-map = 2, delta_min = 0, delta_max = 0.6667\n"),
        "{}",
        run.out
    );
    let run = check(&["--model", "k_map:k=2"]).succeeds();
    assert!(run.out.contains("holds  k-map: required 2, attained 2\n"), "{}", run.out);
    assert!(run.out.contains("1 of 6 people of the population are in no group"), "{}", run.out);
    assert_eq!(check(&["--model", "k_map:k=3"]).code, Some(1));
    check(&["--model", "delta_presence:delta_max=2/3"]).succeeds();
    assert_eq!(check(&["--model", "delta_presence:delta_min=0.1"]).code, Some(1));
    // Without a population there is nothing to compare with, and classes that overlap cannot be compared.
    let alone = ["check", "release.csv", "--quasi", "age,sex", "--model", "k_map:k=2"];
    desk.refuses(2, &["--population FILE"], &alone);
    desk.file("overlap.csv", "age,sex\n\"[20,30)\",f\n\"[25,40)\",f\n");
    let overlap =
        ["check", "overlap.csv", "--quasi", "age,sex", "--population", "people.csv", "--model", "k_map:k=1"];
    desk.refuses(2, &["its row 2 fits several classes"], &overlap);
    desk.file("few.csv", "sex\nf\n");
    let few =
        ["check", "release.csv", "--quasi", "age,sex", "--population", "few.csv", "--model", "k_map:k=1"];
    desk.refuses(2, &["the population", "has no column 'age'"], &few);
}

#[test]
fn any_model_by_name() {
    let sensitive = ["--sensitive", "disease", "--ignore-suppressed"];
    let check = |model: &str| desk().run(&arguments(&[QUASI, &sensitive, &["--model", model]]));
    // In the second class everybody has cancer, in the table a half: the share grows by 1.
    check("beta_likeness:beta=1").succeeds();
    let run = check("beta-likeness:beta=0.99");
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(
        run.out.contains("FAILS  basic beta-likeness of disease: required 0.99, attained 1"),
        "{}",
        run.out
    );
    check("alpha_k:k=2,alphas=[flu=2/3]").succeeds();
    let run = check("alpha_k:alphas=[cancer=0.5,flu=1]");
    assert!(run.out.contains("required 1, attained 2"), "{}", run.out);
    assert_eq!(check("p_sensitive:p=2,categories=[cancer,flu]").code, Some(1));
    assert_eq!(check("delta_disclosure:delta=100").code, Some(1));
}

#[test]
fn a_model_that_cannot_be_read() {
    let refuses = |model: &str, words: &[&str]| {
        desk().refuses(2, words, &arguments(&[QUASI, &["--sensitive", "disease", "--model", model]]));
    };
    refuses("beta:beta=1", &["there is no model 'beta'"]);
    refuses("alpha_k:alhpa=0.5", &["unknown parameter 'alhpa'", "did you mean 'alpha'"]);
    refuses("alpha_k:alphas=[cold=0.5]", &["no row has the value 'cold'"]);
    refuses("k_e:k=2,e=5", &["protects numbers"]);
    refuses("p_sensitive:p=2,categories=[flu]", &["in no category"]);
}

/// `1` and `1.0` are one value, whichever name is used, and so are all missing ones if they count as a value.
#[test]
fn spellings_of_one_value_are_one_value() {
    let desk = Desk::new();
    desk.file("wages.csv", "age,wage\na,1\na,1.0\na,2\na,NA\nb,1.0\nb,3\nb,?\nb,?\n");
    desk.file("part.csv", "age,wage\nb,1.0\nb,3\nb,?\nb,?\n");
    let flags = ["--quasi", "age", "--sensitive", "wage", "--missing-values", "?,NA"];
    let check = |table: &str, more: &[&str]| desk.run(&arguments(&[&["check", table], &flags, more]));
    let counted =
        |table: &str, more: &[&str]| check(table, &arguments(&[&["--missing-counts", "wage"], more]));
    for name in ["1", "1.0", "1.00"] {
        let model = |share: &str| format!("alpha_k:alphas=[{name}={share}]");
        // Two of the three rows of class a that have a value, and two of its four rows.
        for (run, less) in [
            (
                check("wages.csv", &["--model", &model("2/3")]),
                check("wages.csv", &["--model", &model("0.66")]),
            ),
            (
                counted("wages.csv", &["--model", &model("0.5")]),
                counted("wages.csv", &["--model", &model("0.49")]),
            ),
        ] {
            assert!(run.succeeds().out.contains("required 1, attained 1\n"), "{name}");
            assert_eq!(less.code, Some(1), "{name}");
        }
        // The release alone writes 1 as 1.0, the original as 1.
        check("part.csv", &["--original", "wages.csv", "--model", &model("0.5")]).succeeds();
        assert_eq!(check("part.csv", &["--original", "wages.csv", "--model", &model("0.49")]).code, Some(1));
        counted("part.csv", &["--original", "wages.csv", "--model", &model("0.25")]).succeeds();
    }
    counted("wages.csv", &["--model", "alpha_k:alphas=[NA=0.5]"]).succeeds();
    assert_eq!(counted("wages.csv", &["--model", "alpha_k:alphas=[NA=0.49]"]).code, Some(1));
    // In the original 3 of 8 are 1, 3 of 8 are missing, and 1 of 8 is 3, which has a share of 1/4 here.
    let original = ["--original", "wages.csv", "--model", "beta_likeness:beta=1"];
    let run = counted("part.csv", &original).succeeds();
    assert!(run.out.contains("attained 1\n"), "{}", run.out);
    // Of the five values three are 1, and here one of the two.
    assert_eq!(check("part.csv", &original).code, Some(1));
    let original = ["--original", "wages.csv", "--model", "beta_likeness:beta=1.5"];
    let run = check("part.csv", &original).succeeds();
    assert!(run.out.contains("attained 1.5\n"), "{}", run.out);
    // Without its missing value, class a has values of only one category.
    let model = ["--model", "p_sensitive:p=2,categories=[1.0|2,3|?]"];
    counted("wages.csv", &model).succeeds();
    assert_eq!(check("wages.csv", &model).code, Some(1));
    let run = check("wages.csv", &["--model", "p_sensitive:p=2,categories=[1.0|2,3|?|1]"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
}

#[test]
fn missing_markers_have_no_part_in_a_range() {
    let desk = Desk::new();
    desk.file("wages.csv", "age,wage\na,10\na,12\na,999\n");
    let with = |missing: &str, e: &str| {
        let model = format!("k_e:k=2,e={e}");
        let flags =
            ["check", "wages.csv", "--quasi", "age", "--sensitive", "wage", "--missing-values", missing];
        desk.run(&arguments(&[&flags, &["--model", &model]])).code
    };
    assert_eq!((with("?", "989"), with("999", "2"), with("999", "2.5")), (Some(0), Some(0), Some(1)));
}

#[test]
fn json_is_one_object() {
    let run = desk().run(&arguments(&[QUASI, &["--k", "3", "--ignore-suppressed", "--json"]]));
    assert_eq!(run.code, Some(1));
    let object = run.object();
    assert_eq!(object["holds"], false);
    assert!(keys(&object).contains("outcome"));
    let model = &object["outcome"]["models"][0];
    assert_eq!((&model["holds"], &model["attained"]), (&false.into(), &2.0.into()));
    let run = desk().run(&arguments(&[QUASI, &["--json"]])).succeeds();
    assert_eq!(run.object()["attained"]["k"], 1);
}

#[test]
fn columns_that_nobody_judged_are_named() {
    // No role is given for disease.
    let run = desk().run(&arguments(&[QUASI, &["--k", "2", "--ignore-suppressed"]])).succeeds();
    assert!(run.out.contains("Not checked: disease (no role is given"), "{}", run.out);
    let unjudged = |more: &[&str]| {
        let flags = ["--ignore-suppressed", "--json"];
        desk().run(&arguments(&[QUASI, &flags, more])).object()["unjudged"].clone()
    };
    let one = |reason: &str| serde_json::json!([{ "column": "disease", "reason": reason }]);
    assert_eq!(unjudged(&["--k", "2"]), one("no_role"));
    assert_eq!(unjudged(&["--k", "2", "--other", "disease"]), one("kept_as_it_is"));
    assert_eq!(unjudged(&["--k", "2", "--sensitive", "disease"]), one("no_model"));
    assert_eq!(unjudged(&["--k", "2", "--identifier", "disease"]), one("names_people"));
    for judged in [&["--l", "2"][..], &["--t", "0.5"], &["--model", "beta_likeness:beta=9"], &[]] {
        let asked = arguments(&[&["--sensitive", "disease"], judged]);
        assert_eq!(unjudged(&asked), serde_json::json!([]), "{judged:?}");
    }
}

/// For a class with a single value, no c and no delta is enough. A column of texts has no range at all.
#[test]
fn json_tells_infinite_figures_from_absent_ones() {
    let flags = ["--sensitive", "disease", "--ignore-suppressed", "--json"];
    let object = desk().run(&arguments(&[QUASI, &flags])).succeeds().object();
    let column = &object["attained"]["columns"][0];
    for figure in ["recursive_c", "enhanced_beta", "delta"] {
        assert_eq!(column[figure], "infinite", "{figure}");
    }
    assert!(column["e"].is_null() && column["ordered_t"].is_null(), "{column}");
    let run = desk().run(&arguments(&[QUASI, &["--model", "delta_disclosure:delta=9"], &flags]));
    let model = &run.object()["outcome"]["models"][0];
    assert_eq!(
        (&model["attained"], &model["worst"][0]["attained"]),
        (&"infinite".into(), &"infinite".into())
    );
}

#[test]
fn standard_input() {
    let flags = ["check", "-", "--quasi", "age,zip", "--k", "2", "--ignore-suppressed"];
    Desk::new().pipe(OTHER_TOOL.as_bytes(), &flags).succeeds();
}

#[test]
fn what_cannot_be_checked_is_refused() {
    let desk = desk();
    desk.refuses(2, &["--quasi"], &["check", "other.csv", "--k", "2"]);
    desk.refuses(2, &["--sensitive"], &arguments(&[QUASI, &["--l", "2"]]));
    desk.refuses(3, &["none.csv", "no such file"], &["check", "none.csv", "--quasi", "age", "--k", "2"]);
    desk.refuses(2, &["k_anonymity", "at least 1"], &arguments(&[QUASI, &["--k", "0"]]));
}

#[test]
fn a_column_that_is_not_there() {
    let flags = ["check", "other.csv", "--quasi", "agee", "--k", "2"];
    desk().refuses(2, &["'agee'", "did you mean 'age'?"], &flags);
}

/// The roles without models.
fn roles() -> Vec<&'static str> {
    ROLES[..ROLES.len() - 4].to_vec()
}

fn check_original(desk: &Desk, release: &str) -> common::Run {
    let first = ["check", release, "--original", "people.csv", "--k", "3", "--l", "2"];
    desk.run(&arguments(&[&first, &roles()]))
}

#[test]
fn a_release_is_true_of_its_original() {
    let desk = Desk::with_people();
    for output in ["out.csv", "out.parquet", "out.csv.gz"] {
        desk.release(output, &[]);
        let run = check_original(&desk, output).succeeds();
        assert!(run.out.contains("holds  true of the original"), "{}", run.out);
    }
}

#[test]
fn a_release_without_the_suppressed_rows_is_true_too() {
    for policy in ["strict", "paper", "drop"] {
        let desk = Desk::with_table("town,label\nA,yes\nA,yes\nA,yes\nB,no\nB,no\nB,no\nC,yes\nD,no\n");
        let roles =
            ["--quasi", "town", "--class", "label", "--k", "2", "--hierarchy", "town={ build = \"flat\" }"];
        let first =
            ["anonymize", "people.csv", "-o", "out.csv", "--algorithm", "iack", "--star-policy", policy];
        desk.run(&arguments(&[&first, &roles])).succeeds();
        let run =
            desk.run(&arguments(&[&["check", "out.csv", "--original", "people.csv"], &roles])).succeeds();
        assert_eq!(
            run.out.contains("2 original rows are not in the release"),
            policy == "drop",
            "{}",
            run.out
        );
    }
}

#[test]
fn one_falsified_value_is_found() {
    let desk = Desk::with_people();
    desk.release("out.csv", &[]);
    let text = desk.text("out.csv");
    for (from, to) in [("noq", "yesq"), ("goutq", "asthmaq"), ("[7030,7040]", "[7041,7060]")] {
        assert!(text.contains(from), "{text}");
        desk.file("false.csv", text.replacen(from, to, 1));
        let run = check_original(&desk, "false.csv");
        assert_eq!(run.code, Some(1), "{from} → {to}: {run:#?}");
        assert!(run.out.contains("FAILS  true of the original"), "{}", run.out);
    }
    // An additional row is true of nobody.
    let last = text.lines().last().unwrap();
    desk.file("more.csv", format!("{text}{last}\n"));
    assert_eq!(check_original(&desk, "more.csv").code, Some(1));
    // A missing row is one that was left out.
    desk.file("fewer.csv", &text[..text.len() - last.len() - 1]);
    let run = check_original(&desk, "fewer.csv");
    assert!(run.out.contains("holds  true of the original"), "{run:#?}");
    assert!(
        run.out.contains("1 original rows are not in the release")
            || run.out.contains("1 original row is not"),
        "{}",
        run.out
    );
}

#[test]
fn an_identifier_in_the_release_is_found() {
    let desk = Desk::with_people();
    desk.file("leaky.csv", common::PEOPLE);
    let run = check_original(&desk, "leaky.csv");
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("column 'name' must not be in the release"), "{}", run.out);
}

/// A private copy that still names the person of each row is true of its original if it names them on the right rows.
#[test]
fn a_private_copy_is_compared_in_its_private_columns_too() {
    let desk = Desk::new();
    desk.file("visits.csv", "job,who,guards,ill\na,p1,-,flu\nb,p1,flu,flu\na,p2,-,hiv\nb,p3,-,hiv\n");
    let check = |copy: &str| {
        desk.file("copy.csv", copy);
        let roles = ["--quasi", "job", "--subject", "who", "--guarding", "guards", "--sensitive", "ill"];
        desk.run(&arguments(&[&["check", "copy.csv", "--original", "visits.csv", "--k", "2"], &roles]))
    };
    let run = check("job,who,guards,ill\n*,p1,flu,flu\n*,p1,-,flu\n*,p2,-,hiv\n*,p3,-,hiv\n").succeeds();
    assert!(run.out.contains("holds  true of the original"), "{}", run.out);
    assert!(
        run.out.contains("still has the column 'who'") && run.out.contains("private copy"),
        "{}",
        run.out
    );
    let swapped = check("job,who,guards,ill\n*,p2,flu,flu\n*,p1,-,flu\n*,p1,-,hiv\n*,p3,-,hiv\n");
    assert_eq!(swapped.code, Some(1), "{swapped:#?}");
    assert!(swapped.out.contains("FAILS  true of the original: 2 of 4"), "{}", swapped.out);
    let guarded = check("job,who,guards,ill\n*,p1,-,flu\n*,p1,-,flu\n*,p2,flu,hiv\n*,p3,-,hiv\n");
    assert!(guarded.out.contains("FAILS  true of the original: 2 of 4"), "{}", guarded.out);
    // A model about guarded values cannot be checked if no column says what people guard.
    desk.file("job.csv", "flu;lung;*\nhiv;blood;*\n");
    desk.file("copy.csv", "job,ill\n*,flu\n*,flu\n*,hiv\n*,hiv\n");
    desk.refuses(
        2,
        &["no column 'guards'", "private copy"],
        &[
            "check",
            "copy.csv",
            "--quasi",
            "job",
            "--guarding",
            "guards",
            "--sensitive",
            "ill",
            "--hierarchy",
            "ill=job.csv",
            "--model",
            "personalised:p_breach=0.5,guarding=guards",
        ],
    );
    // The copy for publication has neither column.
    let run = check("job,ill\n*,flu\n*,flu\n*,hiv\n*,hiv\n").succeeds();
    assert!(run.out.contains("holds  true of the original") && !run.out.contains("private"), "{}", run.out);
}

#[test]
fn a_plan_says_what_to_check() {
    let desk = Desk::with_people();
    desk.file("sub/people.csv", common::PEOPLE);
    desk.file(
        "sub/release.toml",
        "input = \"people.csv\"\noutput = \"out.csv\"\nrest = \"drop\"\n[columns]\nsex = { role = \"quasi\" }\n\
         diagnosis = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n\
         [[privacy]]\nmodel = \"l_diversity\"\nl = 3\n",
    );
    desk.run(&["anonymize", "sub/release.toml"]).succeeds();
    let check = ["check", "sub/out.csv", "--plan", "sub/release.toml"];
    let run = desk.run(&check).succeeds();
    assert_eq!(run.out.matches("holds").count(), 3, "two models and the datasheet: {}", run.out);
    desk.run(&arguments(&[&check, &["--original", "sub/people.csv"]])).succeeds();
    assert_eq!(desk.run(&arguments(&[&check, &["--k", "6"]])).code, Some(1), "a flag replaces the plan's k");
}

#[test]
fn a_release_of_every_format_checks_alike() {
    let desk = Desk::with_people();
    let mut told = Vec::new();
    for output in ["out.csv", "out.tsv", "out.csv.gz", "out.csv.zst", "out.parquet", "out.arrow"] {
        desk.release(output, &[]);
        let flags = [
            "check",
            output,
            "--quasi",
            "age,sex,postcode",
            "--sensitive",
            "diagnosis",
            "--k",
            "3",
            "--l",
            "2",
        ];
        let out = desk.run(&flags).succeeds().out;
        // Each has a datasheet of its own, whose name shows the format.
        let sheet = format!("'{output}.datasheet.json'");
        assert!(out.contains(&sheet), "{out}");
        told.push(out.replace(&sheet, "the datasheet"));
    }
    assert!(told.windows(2).all(|pair| pair[0] == pair[1]), "{told:#?}");
}

#[test]
fn what_someone_who_knows_few_columns_finds() {
    // By age or postcode alone there are groups of three and two rows; in the smaller one all have cancer.
    let lkc = |given: &str| {
        let flags = ["--sensitive", "disease", "--lkc", given, "--ignore-suppressed"];
        desk().run(&arguments(&[QUASI, &flags]))
    };
    let run = lkc("1,2").succeeds();
    assert!(run.out.contains("any 1 columns known: required 2, attained 2"), "{}", run.out);
    let run = lkc("1,2,0.9");
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("largest share of one value of disease"), "{}", run.out);
    let run = lkc("1");
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("--lkc wants L,K or L,K,C"), "{}", run.err);
}

/// Three rows of two people: there are enough rows for k = 3, but not enough people.
#[test]
fn persons_are_counted_where_a_column_tells_them_apart() {
    let desk = Desk::new();
    desk.file("visits.csv", "job,who,ill\neng,p1,flu\neng,p1,hiv\neng,p2,flu\n");
    let check = |more: &[&str]| desk.run(&arguments(&[&["check", "visits.csv", "--quasi", "job"], more]));
    check(&["--k", "3"]).succeeds();
    let run = check(&["--k", "3", "--subject", "who"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.out.contains("FAILS  k-anonymity, counting persons: required 3, attained 2"), "{}", run.out);
    assert!(run.out.contains("rows with the same who are one person"), "{}", run.out);
    let run = check(&["--subject", "who", "--sensitive", "ill"]).succeeds();
    assert!(
        run.out.contains("k = 2\n") && run.out.contains("k, frequency l and alpha count persons"),
        "{}",
        run.out
    );
    let run = check(&["--k", "3", "--subject", "whoever"]).succeeds();
    assert!(run.out.contains("the table has no column 'whoever', so rows were counted"), "{}", run.out);
    let run = check(&["--subject", "who", "--model", "multirelational:k=2,count=set"]);
    assert!(run.out.contains("holds  multirelational k-anonymity"), "{}", run.out);
    desk.refuses(
        2,
        &["LKC-privacy", "alpha_k"],
        &[
            "check",
            "visits.csv",
            "--quasi",
            "job",
            "--subject",
            "who",
            "--sensitive",
            "ill",
            "--lkc",
            "1,2,0.5",
        ],
    );
}

/// Each column alone is diverse, but together with the other it is not, and the command reports that.
#[test]
fn several_sensitive_columns() {
    let desk = Desk::new();
    desk.file("pairs.csv", "job,ill,pay\neng,a,x\neng,a,x\neng,b,y\neng,b,y\n");
    let check = |model: &str| {
        desk.run(&["check", "pairs.csv", "--quasi", "job", "--sensitive", "ill,pay", "--model", model])
    };
    let run = check("l_diversity:l=2").succeeds();
    assert!(
        run.out.contains(
            "the distinct l of ill and pay is 2 and 2 in each column by itself, and 1 and 1 given the other column"
        ),
        "{}",
        run.out
    );
    let run = check("l_diversity:l=2,mode=conditional");
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(
        run.out.contains("FAILS  distinct l-diversity of ill given pay: required 2, attained 1"),
        "{}",
        run.out
    );
    check("l_diversity:l=2,mode=joint").succeeds();
    let refuses = |model: &str, words: &[&str]| {
        let flags = ["check", "pairs.csv", "--quasi", "job", "--sensitive", "ill,pay", "--model", model];
        desk.refuses(2, words, &flags);
    };
    refuses("alpha_k:alphas=[a=0.5],mode=joint", &["'alphas' is about the values of one column"]);
    refuses(
        "t_closeness:t=0.5,distance=ordered,mode=joint",
        &["'distance' is about the values of one column"],
    );
    refuses("l_diversity:l=2,mode=jointly", &["mode must be one of", "did you mean 'joint'"]);
}

/// models.md 1.7 over two tables: everybody shares an age with another person, but nobody shares age and wards.
#[test]
fn persons_over_several_tables() {
    let desk = Desk::new();
    desk.file("people.csv", "who,age\np1,30\np2,30\np3,40\np4,40\n");
    desk.file("visits.csv", "patient,ward\np1,A\np1,B\np2,B\np2,A\np3,A\np4,A\np4,A\n");
    let plan = |count: &str| {
        let plan = format!(
            "input = \"people.csv\"\noutput = \"out.csv\"\n[columns]\nwho = {{ role = \"subject\" }}\nage = {{ role = \"quasi\" }}\n\
             [[table]]\nfile = \"visits.csv\"\nsubject = \"patient\"\nquasi = [\"ward\"]\n\
             [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"multirelational\"\nk = 2\ncount = \"{count}\"\n"
        );
        desk.file("release.toml", &plan);
        desk.run(&["check", "people.csv", "--plan", "release.toml"])
    };
    let run = plan("multiset");
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(
        run.out.contains("FAILS  multirelational k-anonymity over 2 tables: required 2, attained 1"),
        "{}",
        run.out
    );
    assert!(run.out.contains("2 groups with 5 rows fail"), "{}", run.out);
    assert!(run.out.contains("holds  k-anonymity"), "{}", run.out);
    plan("set").succeeds();
    // A table that is checked like this can also be released with the visits, by an algorithm that checks whole tables.
    let release = ["anonymize", "release.toml", "--algorithm", "mingen"];
    desk.run(&release).succeeds();
    assert!(desk.exists("out.csv"));
    std::fs::remove_file(desk.path("out.csv")).expect("it was written");
    plan("multiset");
    let run = desk.run(&release);
    assert!(run.code != Some(0) && !desk.exists("out.csv"), "{run:#?}");
    assert!(run.err.contains("cannot be met beside the tables that were published before"), "{}", run.err);
    plan("set");
    let over = desk.text("release.toml").replace("out.csv", "visits.csv");
    desk.file("over.toml", &over);
    desk.run(&["anonymize", "over.toml"])
        .fails(2, &["'visits.csv' is the earlier table that this command reads"]);
    // A person without visits shows nothing there.
    desk.file("visits.csv", "patient,ward\np1,A\np2,A\np3,A\n");
    assert_eq!(plan("set").code, Some(1));
}

/// Two views, each with two values for the person, which leave one together (models.md 1.13).
#[test]
fn values_that_are_left_after_looking_into_several_tables() {
    let desk = Desk::new();
    desk.file("people.csv", "age,zip,disease\n30,z1,hiv\n30,z2,flu\n40,z1,cancer\n40,z2,flu\n");
    desk.file("by_age.csv", "age,disease\n30,flu\n30,hiv\n40,cancer\n40,flu\n");
    desk.file("by_zip.csv", "zip,disease\nz1,cancer\nz1,hiv\nz2,flu\nz2,flu\n");
    let plan = |k: u32| {
        format!(
            "input = \"people.csv\"\noutput = \"by_age.csv\"\n[columns]\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\" }}\n\
             disease = {{ role = \"sensitive\" }}\n[[table]]\nfile = \"by_zip.csv\"\nquasi = [\"zip\"]\n[[privacy]]\n\
             model = \"k_uncertainty\"\nk = {k}\n"
        )
    };
    desk.file("release.toml", plan(2));
    let together = ["check", "by_age.csv", "--plan", "release.toml", "--original", "people.csv"];
    let run = desk.run(&together);
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(
        run.out.contains("FAILS  k-uncertainty of disease over 2 tables: required 2, attained 1"),
        "{}",
        run.out
    );
    desk.file("release.toml", plan(1));
    desk.run(&together).succeeds();
    desk.refuses(2, &["--original"], &together[..4]);
    // A further column that both show is joined, too: nobody's value appears with the same doctor in both.
    desk.file("release.toml", plan(1).replace("[[table]]", "doctor = { role = \"other\" }\n[[table]]"));
    desk.file("people.csv", "age,zip,disease,doctor\n30,z1,flu,A\n30,z1,hiv,B\n");
    desk.file("by_age.csv", "age,disease,doctor\n30,flu,A\n30,hiv,B\n");
    desk.file("by_zip.csv", "zip,disease,doctor\nz1,flu,A\nz1,hiv,C\n");
    let json =
        |arguments: &[&str]| desk.run(&arguments.iter().copied().chain(["--json"]).collect::<Vec<_>>()).out;
    assert!(json(&together).contains("\"attained\":1.0"), "{}", json(&together));
    // By age alone everybody has two possible values.
    desk.run(&[
        "check",
        "by_age.csv",
        "--quasi",
        "age",
        "--sensitive",
        "disease",
        "--model",
        "k_uncertainty:k=2",
    ])
    .succeeds();
}

/// A table that shows what the plan keeps out of releases is none, whatever else holds.
#[test]
fn columns_that_must_not_be_published_fail() {
    let desk = Desk::new();
    desk.file("release.csv", "name,age,ward\nAnn,30,A\nBea,30,A\nCal,30,B\n");
    desk.file(
        "release.toml",
        "input = \"people.csv\"\noutput = \"release.csv\"\n[columns]\nname = { role = \"identifier\" }\nage = { role = \"quasi\" }\n\
         ward = { role = \"other\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n",
    );
    let run = desk.run(&["check", "release.csv", "--plan", "release.toml"]);
    assert_eq!(run.code, Some(1), "{}", run.out);
    assert!(
        run.out.starts_with("FAILS  columns: name is in the table (by its role, identifier or drop,"),
        "{}",
        run.out
    );
    let run = desk.run(&["check", "release.csv", "--plan", "release.toml", "--json"]);
    assert_eq!((run.code, run.object()["holds"].as_bool()), (Some(1), Some(false)));
    let flags = ["check", "release.csv", "--quasi", "age", "--k", "3"];
    let run = desk.run(&flags).succeeds();
    assert!(run.out.contains("Not checked: name, ward (no role is given)"), "{}", run.out);
    let run = desk.run(&arguments(&[&flags, &["--rest", "drop"]]));
    assert_eq!(run.code, Some(1));
    assert!(
        run.out.contains("FAILS  columns: name, ward are in the table (no role is given, and rest = drop"),
        "{}",
        run.out
    );
}
