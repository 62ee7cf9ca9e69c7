//! Tables that look like the real world: the guesses, warnings, verdict and recommendation that each must get.

mod common;
mod worlds;

use common::{Desk, Run, arguments};
use scumble::config::{Plan, Role};

/// Returns the plan that `init` guesses for a table.
fn plan(desk: &Desk, table: &str) -> Plan {
    desk.run(&["init", table, "--accept", "-o", "guess.toml", "--force"]).succeeds();
    Plan::load(&desk.path("guess.toml")).expect("the guess is a plan")
}

fn role_of(plan: &Plan, name: &str) -> String {
    let column = plan.column(name).unwrap_or_else(|| panic!("no column {name}"));
    let roles = Role::ALL.into_iter().filter(|role| column.role.has(*role));
    roles.map(Role::name).collect::<Vec<_>>().join("+")
}

/// Returns the colour of the verdict, and its steps in one text.
fn verdict(run: &Run) -> (String, String) {
    let verdict = &run.object()["verdict"];
    let steps = verdict["steps"].as_array().expect("steps").iter();
    let steps: Vec<&str> = steps.filter_map(|step| step.as_str()).collect();
    (verdict["colour"].as_str().expect("a colour").to_owned(), steps.join(" | "))
}

/// Anonymises a table and returns the run.
fn anonymize(desk: &Desk, table: &str, flags: &[&str]) -> Run {
    desk.run(&arguments(&[&["anonymize", table, "-o", "out.csv", "--json", "--force"], flags]))
}

#[test]
fn hospital_values_to_many_digits_are_never_green() {
    let desk = Desk::with_table(&worlds::hospital());
    let guess = plan(&desk, "people.csv");
    assert_eq!(role_of(&guess, "case_no"), "identifier");
    assert_eq!(role_of(&guess, "diagnosis"), "sensitive");
    for known in ["age", "sex", "district"] {
        assert_eq!(role_of(&guess, known), "quasi", "{known}");
    }
    const ROLES: &[&str] = &[
        "--quasi",
        "age,sex,district",
        "--sensitive",
        "diagnosis",
        "--identifier",
        "case_no",
        "--k",
        "12",
        "--l",
        "3",
    ];
    let exact = anonymize(
        &desk,
        "people.csv",
        &arguments(&[ROLES, &["--other", "ward,creatinine,haemoglobin,died_in_hospital"]]),
    );
    let (colour, steps) = verdict(&exact.succeeds());
    assert_eq!(colour, "red", "{steps}");
    assert!(
        steps.contains("Do not publish this file: round, coarsen or leave out")
            && steps.contains("creatinine")
            || steps.contains("haemoglobin"),
        "{steps}"
    );
    // Without them, a column that relatives know is left, and groups in which a diagnosis is easier to guess.
    let without = anonymize(
        &desk,
        "people.csv",
        &arguments(&[ROLES, &["--other", "died_in_hospital", "--drop", "ward,creatinine,haemoglobin"]]),
    );
    let (colour, steps) = verdict(&without.succeeds());
    assert_eq!(colour, "amber", "{steps}");
    assert!(steps.contains("died_in_hospital") && steps.contains("more protection of diagnosis"), "{steps}");
    // Nothing speaks against a release without that column in which a group reveals little about the diagnosis.
    const ALL_BUT_QUASI: &str = "ward,creatinine,haemoglobin,died_in_hospital";
    let sound =
        anonymize(&desk, "people.csv", &arguments(&[ROLES, &["--drop", ALL_BUT_QUASI, "--t", "0.15"]]));
    let (colour, steps) = verdict(&sound.succeeds());
    assert_eq!(colour, "green", "{steps}");
    assert!(desk.text("out.report/report.html").contains("Released and checked"));
    // k = 5 is enough for researchers, but not for the public.
    let five = |audience: &str| {
        let flags = &["--drop", ALL_BUT_QUASI, "--k", "5", "--for", audience];
        let roles: Vec<&str> = ROLES[..6].iter().copied().chain(["--l", "2"]).collect();
        // Closeness makes groups larger than k.
        let close: &[&str] = if audience == "researchers" { &["--t", "0.15"] } else { &[] };
        verdict(&anonymize(&desk, "people.csv", &arguments(&[&roles, flags, close])).succeeds())
    };
    assert_eq!(five("researchers").0, "green");
    let (colour, steps) = five("public");
    assert!(colour == "amber" && steps.contains("groups of at least 12"), "{colour}: {steps}");
}

#[test]
fn the_recommendation_for_the_hospital_keeps_the_limit_for_the_person_worst_off() {
    let desk = Desk::with_table(&worlds::hospital());
    let run = desk.run(&[
        "compare",
        "people.csv",
        "--quasi",
        "age,sex,district",
        "--identifier",
        "case_no",
        "--drop",
        "ward,diagnosis,creatinine,haemoglobin,died_in_hospital",
        "--algorithm",
        "mondrian,cluster",
        "--budget",
        "2s",
        "--json",
    ]);
    let found = run.succeeds().object();
    let recommended = &found["recommendation"];
    let k = recommended["k"].as_u64().expect("a recommendation");
    assert_eq!(recommended["within_max_risk"], true, "{recommended}");
    assert!((12..=14).contains(&k), "{recommended}");
}

#[test]
fn a_survey_knows_its_households() {
    let desk = Desk::with_table(&worlds::survey());
    let guess = plan(&desk, "people.csv");
    assert_eq!(role_of(&guess, "hhid"), "household");
    for known in ["hhsize", "region", "age", "sex", "isced", "working"] {
        assert_eq!(role_of(&guess, known), "quasi", "{known}");
    }
    let run = anonymize(
        &desk,
        "people.csv",
        &[
            "--household",
            "hhid",
            "--quasi",
            "hhsize,region,age,sex",
            "--sensitive",
            "income",
            "--drop",
            "person,isced,working",
            "--k",
            "12",
            "--l",
            "2",
        ],
    );
    let (colour, _) = verdict(&run.succeeds());
    assert_eq!(colour, "amber");
    let report = desk.json("out.report/report.json");
    assert!(report["households"]["households"].as_u64() > Some(400), "{}", report["households"]);
    assert!(desk.text("out.report/report.html").contains("every member of a household"));
}

#[test]
fn remarks_and_addresses_of_customers_stop_a_release() {
    let desk = Desk::with_table(&worlds::customers());
    let guess = plan(&desk, "people.csv");
    assert_eq!(role_of(&guess, "customer"), "identifier");
    assert!(["identifier", "drop"].contains(&role_of(&guess, "contact").as_str()));
    assert_eq!(role_of(&guess, "remark"), "drop");
    const ROLES: &[&str] = &[
        "anonymize",
        "people.csv",
        "-o",
        "out.csv",
        "--quasi",
        "birth_year,gender,zip",
        "--identifier",
        "customer",
        "--k",
        "12",
    ];
    desk.refuses(
        2,
        &["contact", "e-mail"],
        &arguments(&[ROLES, &["--drop", "remark", "--other", "segment,spend,contact"]]),
    );
    desk.refuses(
        2,
        &["remark", "text"],
        &arguments(&[ROLES, &["--drop", "contact", "--other", "segment,spend,remark"]]),
    );
    desk.run(&arguments(&[ROLES, &["--drop", "contact,remark", "--other", "segment,spend"]])).succeeds();
}

#[test]
fn a_german_export_is_read_as_it_is() {
    let desk = Desk::new();
    desk.file("entlassungen.csv", worlds::german());
    let run = desk.run(&["init", "entlassungen.csv", "--accept", "-o", "guess.toml"]).succeeds();
    assert!(run.err.contains("6 columns of 800 rows"), "{}", run.err);
    let guess = Plan::load(&desk.path("guess.toml")).expect("a plan");
    for known in ["Geburtsjahr", "Geschlecht", "Größe_cm"] {
        assert_eq!(role_of(&guess, known), "quasi", "{known}");
    }
    let text = desk.text("guess.toml");
    assert!(text.contains("k.A."), "what looks like a missing value is proposed: {text}");
    let run = desk.run(&[
        "anonymize",
        "entlassungen.csv",
        "-o",
        "out.csv",
        "--quasi",
        "Geburtsjahr,Geschlecht,Größe_cm",
        "--drop",
        "Gewicht_kg,Straße",
        "--sensitive",
        "Entlassungsart",
        "--k",
        "12",
        "--l",
        "2",
    ]);
    run.succeeds();
    assert!(desk.text("out.csv").contains("männlich"));
}

#[test]
fn time_stamps_of_sensors_are_coarsened_into_times() {
    let desk = Desk::with_table(&worlds::sensors());
    let guess = plan(&desk, "people.csv");
    assert_eq!(role_of(&guess, "recorded_at"), "quasi");
    let numeric = guess.column("skin_conductance").and_then(|column| column.value_type);
    assert!(numeric.is_none_or(|kind| kind.name() == "decimal"), "{numeric:?}");
    let run = anonymize(
        &desk,
        "people.csv",
        &[
            "--subject",
            "wearer",
            "--quasi",
            "recorded_at,age,sex",
            "--sensitive",
            "pulse",
            "--drop",
            "skin_conductance,resting",
            "--k",
            "5",
            "--l",
            "2",
            "--for",
            "researchers",
        ],
    );
    run.succeeds();
    let release = desk.text("out.csv");
    assert!(!release.contains("group "), "no label is a number");
    let as_ranges =
        release.lines().skip(1).all(|line| line.starts_with("\"[2024-") || line.starts_with("2024-"));
    let to_the_second =
        release.lines().skip(1).filter(|line| line.starts_with("2024-") && line.contains('T')).count();
    assert!(as_ranges && to_the_second == 0, "{to_the_second}: {}", release.lines().nth(1).unwrap_or(""));
}

#[test]
fn coordinates_to_a_metre_are_not_published_unseen() {
    let desk = Desk::with_table(&worlds::geodata());
    let guess = plan(&desk, "people.csv");
    for known in ["lat", "lon"] {
        assert_eq!(role_of(&guess, known), "quasi", "{known}");
    }
    let run = anonymize(
        &desk,
        "people.csv",
        &["--quasi", "hour,passengers", "--identifier", "trip", "--other", "lat,lon,paid_by", "--k", "12"],
    );
    let (colour, steps) = verdict(&run.succeeds());
    assert!(colour == "red" && (steps.contains("lat") || steps.contains("lon")), "{colour}: {steps}");
}

/// A table, and what a steward must be told about its release.
struct World {
    table: Vec<u8>,
    roles: &'static [&'static str],
    /// The requirements besides k = 12.
    asked: &'static [&'static str],
    colour: &'static str,
    /// What the steps say.
    steps: &'static [&'static str],
    /// What the warnings say: all of them, in order.
    warnings: &'static [&'static str],
    /// The k that is recommended.
    k: u64,
    /// What the recommendation says.
    words: &'static str,
}

fn worlds() -> [World; 6] {
    [
        World {
            table: worlds::hospital().into(),
            roles: &[
                "--quasi=age,sex,district",
                "--sensitive=diagnosis",
                "--identifier=case_no",
                "--drop=ward,creatinine,haemoglobin,died_in_hospital",
            ],
            asked: &["--l=3"],
            colour: "amber",
            steps: &["Ask for more protection of diagnosis"],
            warnings: &[],
            k: 19,
            words: "guesses diagnosis right for more people than without it",
        },
        World {
            table: worlds::survey().into(),
            roles: &[
                "--household=hhid",
                "--quasi=hhsize,region,age,sex",
                "--sensitive=income",
                "--drop=person,isced,working",
            ],
            asked: &["--l=2"],
            colour: "amber",
            steps: &["Make k count households"],
            warnings: &["come from fewer than 12 households", "knows every member of a household"],
            k: 120,
            words: "The persons of one household (hhid) count as one person.",
        },
        World {
            table: worlds::customers().into(),
            roles: &[
                "--quasi=birth_year,gender,zip",
                "--identifier=customer",
                "--drop=contact,remark",
                "--other=segment,spend",
            ],
            asked: &[],
            colour: "red",
            steps: &["Do not publish this file: round, coarsen or leave out spend"],
            warnings: &[],
            k: 12,
            words: "nobody may be found with a chance above 9",
        },
        World {
            table: worlds::german(),
            roles: &[
                "--quasi=Geburtsjahr,Geschlecht,Größe_cm",
                "--sensitive=Entlassungsart",
                "--drop=Gewicht_kg,Straße",
            ],
            asked: &["--l=2"],
            colour: "amber",
            steps: &["Ask for more protection of Entlassungsart"],
            warnings: &[],
            k: 22,
            words: "Entlassungsart becomes certain for nobody",
        },
        World {
            table: worlds::sensors().into(),
            roles: &[
                "--subject=wearer",
                "--quasi=recorded_at,age,sex",
                "--sensitive=pulse",
                "--drop=skin_conductance,resting",
            ],
            asked: &["--l=2"],
            colour: "amber",
            steps: &["Round or coarsen pulse"],
            warnings: &["the requirement on 'pulse' counts rows, not persons"],
            k: 12,
            words: "pulse becomes certain for nobody",
        },
        World {
            table: worlds::geodata().into(),
            roles: &["--quasi=hour,passengers,paid_by", "--identifier=trip", "--other=lat,lon"],
            asked: &[],
            colour: "red",
            steps: &["Do not publish this file: round, coarsen or leave out lon"],
            warnings: &[],
            k: 12,
            words: "nobody may be found with a chance above 9",
        },
    ]
}

#[test]
fn each_table_gets_its_verdict_warnings_and_recommendation() {
    for world in worlds() {
        let desk = Desk::new();
        desk.file("people.csv", &world.table);
        let run =
            anonymize(&desk, "people.csv", &arguments(&[world.roles, world.asked, &["--k=12"]])).succeeds();
        let (colour, steps) = verdict(&run);
        assert_eq!(colour, world.colour, "{:?}: {steps}", world.roles);
        world.steps.iter().for_each(|step| assert!(steps.contains(step), "{steps}"));
        let warnings = run.object()["warnings"].as_array().expect("warnings").clone();
        assert_eq!(warnings.len(), world.warnings.len(), "{warnings:?}");
        for (found, wanted) in warnings.iter().zip(world.warnings) {
            assert!(found.as_str().is_some_and(|found| found.contains(wanted)), "{found}");
        }
        let compare = ["compare", "people.csv", "--algorithm=mondrian", "--json"];
        let compared = desk.run(&arguments(&[&compare, world.roles, world.asked])).succeeds().object();
        let advice = &compared["recommendation"];
        assert_eq!(advice["within_max_risk"], true, "{advice}");
        assert_eq!(advice["k"], world.k, "{advice}");
        let words = advice["words"].as_str().expect("words").replace('\u{a0}', " ");
        assert!(words.contains("the person worst off") && words.contains(world.words), "{words}");
    }
}
