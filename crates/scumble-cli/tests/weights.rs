//! Survey weights: what a release shows of them, what is refused, and what the verifier and `check` say.

mod common;

use std::fmt::Write as _;

use common::{Desk, arguments};

/// Forty people of ten ages and two regions, with a weight each.
fn people(turned: bool) -> String {
    let mut lines: Vec<String> = (0..40)
        .map(|row| {
            let (age, sex, region) = (30 + row % 10, ["f", "m"][row / 10 % 2], ["north", "south"][row % 2]);
            format!("{age},{sex},{region},{}.{}\n", 1000 + 37 * row, row % 4)
        })
        .collect();
    if turned {
        lines.reverse();
    }
    lines.iter().fold("age,sex,region,w\n".to_owned(), |mut table, line| {
        write!(table, "{line}").expect("a text takes lines");
        table
    })
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.file("people.csv", people(false));
    desk
}

const FLAGS: &[&str] = &[
    "anonymize",
    "people.csv",
    "--for",
    "inside",
    "-o",
    "out.csv",
    "--quasi",
    "age,sex",
    "--k",
    "5",
    "--weight",
    "w",
];

/// The last column of every row.
fn weights(table: &str) -> Vec<String> {
    table.lines().skip(1).map(|line| line.rsplit(',').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn a_rule_must_be_chosen() {
    let desk = desk();
    desk.refuses(
        2,
        &[
            "column 'w' is a survey weight, and the plan does not say what the release shows of it",
            "--weights w=round",
        ],
        &arguments(&[FLAGS, &["--rest", "drop"]]),
    );
    desk.refuses(
        2,
        &["column 'region' is no survey weight, and weights is for weights", "--weight region"],
        &arguments(&[FLAGS, &["--other", "region", "--weights", "w=keep", "--weights", "region=keep"]]),
    );
    desk.refuses(
        2,
        &["the weights of 'w' are to be raised for rows that are left out, and with this star policy none is"],
        &arguments(&[FLAGS, &["--drop", "region", "--weights", "w=keep", "--stratum", "w=region"]]),
    );
    desk.refuses(
        2,
        &["calibrated within 'regio', which is no other column of the plan", "did you mean 'region'?"],
        &arguments(&[
            FLAGS,
            &["--drop", "region", "--weights", "w=keep", "--stratum", "w=regio", "--star-policy", "drop"],
        ]),
    );
    desk.refuses(
        2,
        &["within 'region', which is an identifier and is never read", "--drop region"],
        &arguments(&[
            FLAGS,
            &[
                "--identifier",
                "region",
                "--weights",
                "w=keep",
                "--stratum",
                "w=region",
                "--star-policy",
                "drop",
            ],
        ]),
    );
    desk.refuses(
        2,
        &["column 'w' is a survey weight, and values of the type text are no numbers"],
        &arguments(&[FLAGS, &["--rest", "drop", "--weights", "w=keep", "--type", "w=text"]]),
    );
}

#[test]
fn weights_are_rounded() {
    let desk = desk();
    let round = &["--rest", "drop", "--weights", "w=round", "--row-map", "map.csv", "--report", "report"];
    desk.run(&arguments(&[FLAGS, round])).succeeds();
    let out = desk.text("out.csv");
    let mut shown = weights(&out);
    shown.sort_unstable();
    shown.dedup();
    assert!(shown.iter().all(|weight| weight.ends_with("00")), "{shown:?}");
    let sheet = desk.text("out.csv.datasheet.md");
    assert!(sheet.contains("| w | survey weight | rounded to 2 significant digits |"), "{sheet}");
    assert!(sheet.contains("Survey weights are not covered by the guarantees"), "{sheet}");
    // Only a row map shows whose weight a row shows.
    let plan = "input = \"people.csv\"\noutput = \"again.csv\"\nrest = \"drop\"\n[columns]\nage.role = \"quasi\"\nsex.role = \
                \"quasi\"\nw = { role = \"weight\", weights = \"round\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n";
    desk.file("release.toml", plan);
    let check = &["check", "out.csv", "--plan", "release.toml", "--original", "people.csv"];
    let run = desk.run(check).succeeds();
    assert!((run.out + &run.err).contains("column 'w' shows means or weights that were changed"));
    desk.run(&arguments(&[check, &["--row-map", "map.csv"]])).succeeds();
    desk.file("forged.csv", out.replacen("00\n", "10\n", 1));
    let forged = &["check", "forged.csv", "--plan", "release.toml", "--original", "people.csv", "--row-map"];
    let run = desk.run(&arguments(&[forged, &["map.csv"]]));
    assert_ne!(run.code, Some(0), "{run:?}");
    // The order of rows changes nothing.
    desk.file("people.csv", people(true));
    desk.run(&arguments(&[FLAGS, &["--rest", "drop", "--weights", "w=round", "--force"]])).succeeds();
    assert_eq!(desk.text("out.csv"), out);
}

#[test]
fn a_group_shows_its_mean() {
    let desk = desk();
    desk.run(&arguments(&[FLAGS, &["--rest", "drop", "--weights", "w=class_mean"]])).succeeds();
    let out = desk.text("out.csv");
    let mut of_group = std::collections::BTreeMap::new();
    for line in out.lines().skip(1) {
        let (group, weight) = line.rsplit_once(',').expect("columns");
        assert_eq!(of_group.entry(group).or_insert(weight), &weight, "one mean for each group");
    }
    assert!(of_group.len() > 1);
    let total =
        |texts: Vec<String>| texts.iter().map(|text| text.parse::<f64>().expect("a number")).sum::<f64>();
    let (before, after) = (total(weights(&people(false))), total(weights(&out)));
    assert!((before - after).abs() < 1e-3, "{before} {after}");
}

#[test]
fn exact_weights_are_kept_with_a_warning() {
    let desk = desk();
    let run = desk
        .run(&arguments(&[FLAGS, &["--rest", "drop", "--weights", "w=keep", "--report", "report", "--json"]]))
        .succeeds();
    let warned = run.object()["warnings"].to_string();
    assert!(warned.contains("40 distinct values in 40 rows, and 40 no other row has"), "{warned}");
    let (mut shown, mut given) = (weights(&desk.text("out.csv")), weights(&people(false)));
    shown.sort_unstable();
    given.sort_unstable();
    assert_eq!(shown, given);
    let of_report = &desk.json("report/report.json")["kept"]["columns"][0];
    assert_eq!((&of_report["role"], &of_report["uniqueness"]["unique_rows"]), (&"weight".into(), &40.into()));
}

#[test]
fn weights_add_up_within_strata_that_nobody_sees() {
    let desk = desk();
    // Four people whom nobody is like are left out.
    let mut table = people(false);
    for row in 0..4 {
        writeln!(table, "{},x{row},{},500", 90 + 10 * row, ["north", "west"][row % 2])
            .expect("a text takes lines");
    }
    desk.file("people.csv", table);
    let quasi: Vec<&str> = FLAGS.iter().map(|flag| if *flag == "age,sex" { "sex" } else { *flag }).collect();
    let flags = &[
        "--drop",
        "region,age",
        "--weights",
        "w=keep",
        "--stratum",
        "w=region",
        "--star-policy",
        "drop",
        "--suppression",
        "0.2",
        "--algorithm",
        "datafly",
        "--json",
    ];
    let run = desk.run(&arguments(&[&quasi, flags])).succeeds();
    let out = desk.text("out.csv");
    assert!(!out.contains("north") && weights(&out).len() == 40, "some rows are left out");
    let total =
        |texts: Vec<String>| texts.iter().map(|text| text.parse::<f64>().expect("a number")).sum::<f64>();
    // 'west' is lost, and 'north' is raised for its two.
    let expected = total(weights(&people(false))) + 1000.0;
    assert!((total(weights(&out)) - expected).abs() < 1e-3, "{out}");
    let warned = run.object()["warnings"].to_string();
    assert!(warned.contains("1 stratum of 'region' has no weight left in the release"), "{warned}");
    assert!(warned.contains("too low by 1000"), "{warned}");
    assert!(!warned.contains("west"), "{warned}");
}

#[test]
fn what_is_no_weight_is_told_without_its_text() {
    let desk = desk();
    desk.file("people.csv", people(false) + "30,f,north,canary\n31,f,north,-5\n");
    let error = desk.refuses(
        3,
        &["row 41", "column 'w'", "2 rows have no weight of at least 0"],
        &arguments(&[FLAGS, &["--rest", "drop", "--weights", "w=round"]]),
    );
    assert!(!format!("{error:?}").contains("canary"));
}

#[test]
fn releases_without_groups_refuse_weights() {
    let desk = desk();
    for algorithm in ["nsvdist", "reduct"] {
        let flags = &[
            "--sensitive",
            "region",
            "--accept-attribute-disclosure",
            "--weights",
            "w=round",
            "--algorithm",
        ];
        let run = desk.run(&arguments(&[FLAGS, flags, &[algorithm]]));
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(
            run.err.contains("'w' is a survey weight, which is released with groups of rows only"),
            "{run:?}"
        );
    }
}

#[test]
fn new_rows_show_their_weights_alike() {
    let desk = desk();
    desk.run(&arguments(&[
        FLAGS,
        &["--rest", "drop", "--weights", "w=class_mean", "--recoding", "rule.json"],
    ]))
    .succeeds();
    desk.run(&["apply", "rule.json", "people.csv", "-o", "applied.csv"]).succeeds();
    assert_eq!(desk.text("applied.csv"), desk.text("out.csv"));
    desk.file("more.csv", people(false).replace("1000.0", "secret"));
    desk.refuses(
        3,
        &["1 row has no weight of at least 0"],
        &["apply", "rule.json", "more.csv", "-o", "more.out.csv"],
    );
}

#[test]
fn models_add_original_weights_up() {
    let desk = desk();
    let model = &[
        "--rest",
        "drop",
        "--weights",
        "w=round",
        "--model",
        "threshold_rule:size=1,least=4000,weight=w",
        "--algorithm",
        "pais",
    ];
    desk.run(&arguments(&[FLAGS, model])).succeeds();
    assert!(weights(&desk.text("out.csv")).iter().all(|weight| weight.ends_with("00")));
}
