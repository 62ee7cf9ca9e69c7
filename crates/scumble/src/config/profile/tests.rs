//! Profiles of synthetic columns, and the plans made from them.

mod households;
mod kinds;

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::config::{MissingPolicy, Plan, Read, Role};
use crate::table::date::DateFormat;
use crate::table::personal::Kind as PersonalKind;

/// A column of one text per row; empty texts are missing.
struct Fixture {
    name: String,
    counts: BTreeMap<String, u64>,
    missing: u64,
    rows: u64,
}

impl Fixture {
    fn new(name: &str, rows: impl IntoIterator<Item = String>) -> Self {
        let mut fixture = Self { name: name.to_owned(), counts: BTreeMap::new(), missing: 0, rows: 0 };
        for value in rows {
            fixture.rows += 1;
            if value.is_empty() {
                fixture.missing += 1;
            } else {
                *fixture.counts.entry(value).or_default() += 1;
            }
        }
        fixture
    }

    fn values(&self) -> ColumnValues<'_> {
        ColumnValues {
            name: &self.name,
            values: self.counts.keys().map(String::as_str).collect(),
            counts: self.counts.values().copied().collect(),
            missing: self.missing,
            rows: self.rows,
            cells: None,
        }
    }
}

/// A column whose rows go round the given texts.
fn around(name: &str, rows: usize, texts: &[&str]) -> Fixture {
    Fixture::new(name, (0..rows).map(|row| texts[row % texts.len()].to_owned()))
}

fn profiles(fixtures: &[Fixture]) -> Vec<ColumnProfile> {
    let columns: Vec<ColumnValues<'_>> = fixtures.iter().map(Fixture::values).collect();
    profile(&columns)
}

fn alone(fixture: Fixture) -> ColumnProfile {
    profiles(&[fixture]).remove(0)
}

/// A column without a telling name that is not alone: a column of sexes stands next to it.
fn beside_sex(fixture: Fixture) -> ColumnProfile {
    let sex = around("sex", fixture.rows as usize, &["f", "m"]);
    profiles(&[fixture, sex]).remove(0)
}

fn clinic() -> Vec<Fixture> {
    let text = |row: usize, texts: &[&str]| texts[row * 7 / 3 % texts.len()].to_owned();
    vec![
        Fixture::new("id", (0..40).map(|row| (1000 + row).to_string())),
        Fixture::new("Name", (0..40).map(|row| format!("Person{row} Sample{row}"))),
        Fixture::new("birth date", (0..40).map(|row| format!("{}-03-{:02}", 1940 + row * 2, 1 + row % 28))),
        Fixture::new(
            "age",
            (0..40).map(|row| if row == 5 { String::new() } else { (84 - row * 2).to_string() }),
        ),
        Fixture::new("plz", (0..40).map(|row| format!("{:05}", 1067 + 997 * (row % 13)))),
        Fixture::new("visit", (0..40).map(|row| format!("0{}/0{}/2024", 1 + row % 9, 1 + row % 7))),
        Fixture::new("diagnosis", (0..40).map(|row| text(row, &["E11.9", "I10", "J45.0", "K35"]))),
        Fixture::new("notes", (0..40).map(|row| format!("seen on day {row} and sent home again"))),
        Fixture::new("readmitted", (0..40).map(|row| text(row, &["no", "yes", "no"]))),
    ]
}

#[test]
fn every_sign_has_values_that_show_it() {
    let numbered = |format: &dyn Fn(usize) -> String| Fixture::new("c1", (0..50).map(format));
    let names =
        ["Anna Muster", "José Exemplo", "Example, Peter", "Laura Probe", "Otto Normal", "Emma Sample"];
    for (sign, fixture) in [
        (Sign::Personal(PersonalKind::Email), numbered(&|row| format!("someone{row}@mail.example"))),
        (Sign::Personal(PersonalKind::Phone), numbered(&|row| format!("+49 30 5550{row:03}"))),
        (Sign::Personal(PersonalKind::Phone), numbered(&|row| format!("(555) 010-{row:04}"))),
        (Sign::Personal(PersonalKind::Phone), numbered(&|row| format!("0305550{row:03}"))),
        (Sign::PersonName, numbered(&|row| format!("{}{}", names[row % 6], "a".repeat(row / 6)))),
        (Sign::PersonName, numbered(&|row| format!("Xa{} Yb{}", "o".repeat(row / 7), "u".repeat(row % 7)))),
        (Sign::FreeText, numbered(&|row| format!("came in with pain for {row} days"))),
        (Sign::Personal(PersonalKind::Url), numbered(&|row| format!("https://people.example/{row}"))),
        (Sign::Personal(PersonalKind::IpAddress), numbered(&|row| format!("192.0.2.{row}"))),
        (Sign::Personal(PersonalKind::UsSsn), numbered(&|row| format!("536-{:02}-1234", row + 1))),
        (Sign::IdNumber, numbered(&|row| format!("900-{row:02}-1234"))),
        (
            Sign::Personal(PersonalKind::Uuid),
            numbered(&|row| format!("00000000-0000-4000-8000-0000000000{row:02}")),
        ),
        (Sign::Postcode, numbered(&|row| format!("0{}", 1067 + 997 * (row % 9)))),
        (Sign::Postcode, numbered(&|row| format!("AB{} {}CD", row % 9, row % 5))),
        (Sign::Icd, numbered(&|row| format!("E{:02}.{}", row % 20, row % 10))),
        (Sign::BirthDate, numbered(&|row| format!("{}-01-02", 1930 + row))),
        (Sign::SequentialId, numbered(&|row| format!("P{:05}", row + 1))),
        (Sign::SequentialId, numbered(&|row| (row + 70_000).to_string())),
    ] {
        let first = fixture.counts.keys().next().cloned();
        assert_eq!(alone(fixture).signs.first(), Some(&sign), "{first:?}");
    }
    assert_eq!(alone(kinds::ibans("c1")).signs.first(), Some(&Sign::Personal(PersonalKind::Iban)));
    // 4 · 2 + 0 … + 2: the card numbers 400000000000000n with the digit that completes the sum to ten.
    let card = |row: u64| {
        format!("4000 0000 0000 00{row}{}", (12 - [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][row as usize]) % 10)
    };
    let fixture = Fixture::new("c1", (0..10).map(card));
    assert_eq!(alone(fixture).signs.first(), Some(&Sign::Personal(PersonalKind::PaymentCard)));
    // No issuer of cards has these, but the last digit is Luhn's.
    let serials = (90_000_000_000_000_u64..).map(|number| number.to_string());
    let fixture = Fixture::new(
        "c1",
        serials.filter(|text| crate::table::personal::has_common_check_digits(text)).take(50),
    );
    assert_eq!(alone(fixture).signs.first(), Some(&Sign::IdNumber));
}

#[test]
fn values_that_show_no_sign() {
    let numbered = |format: &dyn Fn(usize) -> String| alone(Fixture::new("c1", (0..50).map(format))).signs;
    assert_eq!(numbered(&|row| format!("{}", 20_000 + row * 311)), [], "five digits are not a postcode");
    assert_eq!(numbered(&|row| format!("2024-01-{:02}", 1 + row % 28)), [], "dates are no phone numbers");
    assert_eq!(numbered(&|row| format!("1.{:03}.567", row)), [], "nor are thousands");
    assert_eq!(numbered(&|row| format!("{}.5", 1_000_000 + row)), [], "nor decimals");
    assert_eq!(numbered(&|row| format!("B{:02}", row % 9)), [], "seats are no diseases");
    assert_eq!(numbered(&|row| ["New York", "United States", "Never Married"][row % 3].to_owned()), []);
    assert_eq!(numbered(&|row| ["Max", "Min"][row % 2].to_owned()), []);
    assert_eq!(numbered(&|row| format!("a@b{}", row * row)), []);
    assert_eq!(numbered(&|_| String::new()), []);
}

#[test]
fn roles_by_name_and_values() {
    let cases: Vec<(Fixture, &[Role])> = vec![
        (around("sex", 60, &["0", "1"]), &[Role::Quasi]),
        (around("marital-status", 60, &["single", "married", "widowed"]), &[Role::Quasi]),
        (around("Einkommen", 60, &["10", "20", "30"]), &[Role::Sensitive]),
        (around("hiv", 60, &["pos", "neg"]), &[Role::Sensitive]),
        (around("religion", 60, &["a", "b", "c"]), &[Role::Sensitive]),
        (around("outcome", 60, &["good", "bad"]), &[Role::Class]),
        (around("colour", 60, &["red", "green"]), &[Role::Quasi]),
        (around("weight", 60, &["60.5", "72.1", "80"]), &[Role::Quasi]),
        (around("pressure", 60, &["60.5", "72.1", "80"]), &[Role::Quasi]),
        (around("version", 60, &["1"]), &[Role::Other]),
        (around("empty", 60, &[""]), &[Role::Drop]),
        (around("city", 60, &["Anna", "Emma", "Otto"]), &[Role::Quasi]),
        (around("telephone", 60, &["yes", "no"]), &[Role::Quasi]),
        (around("first name", 60, &["Anna", "Emma", "Otto"]), &[Role::Identifier]),
        (around("admission date", 60, &["2024-01-02", "2024-02-03"]), &[Role::Quasi]),
        (around("diagnosis date", 60, &["2024-01-02", "2024-02-03"]), &[Role::Quasi]),
        (Fixture::new("age", (0..60).map(|row| (20 + row).to_string())), &[Role::Quasi]),
        (Fixture::new("patient_id", (0..60).map(|row| (row * 77).to_string())), &[Role::Identifier]),
        (Fixture::new("token", (0..60).map(|row| format!("x{}y", row * 77))), &[Role::Identifier]),
        (Fixture::new("comment", (0..60).map(|row| format!("number {row} is well"))), &[Role::Drop]),
        (
            Fixture::new("employer", (0..60).map(|row| format!("someone{row}@work.example"))),
            &[Role::Identifier],
        ),
        (Fixture::new("patient_id", (0..300).map(|row| format!("p{}", row / 3 * 91))), &[Role::Subject]),
    ];
    for (fixture, roles) in cases {
        let name = fixture.name.clone();
        let profile = beside_sex(fixture);
        assert_eq!(profile.roles.as_slice(), roles, "{name}: {}", profile.reason);
        assert!(!profile.roles.is_confirmed());
        assert!(profile.reason.ends_with('.'), "{}", profile.reason);
    }
}

#[test]
fn at_most_one_class_and_one_subject() {
    let roles = |fixtures: &[Fixture]| -> Vec<Vec<Role>> {
        profiles(fixtures).iter().map(|profile| profile.roles.as_slice().to_vec()).collect()
    };
    let sex = || around("sex", 60, &["f", "m"]);
    let two = [around("label", 60, &["a", "b"]), sex(), around("target", 60, &["x", "y", "z"])];
    assert_eq!(roles(&two), [[Role::Quasi], [Role::Quasi], [Role::Class]], "the last one");
    let income = [sex(), around("income", 60, &["<=50K", ">50K"])];
    assert_eq!(roles(&income), [vec![Role::Quasi], vec![Role::Class, Role::Sensitive]]);
    let not_last = [around("income", 60, &["<=50K", ">50K"]), sex()];
    assert_eq!(roles(&not_last), [[Role::Sensitive], [Role::Quasi]]);
    let people = [
        Fixture::new("household_id", (0..400).map(|row| format!("h{}", row / 5 * 91))),
        Fixture::new("person_id", (0..400).map(|row| format!("p{}", row / 2 * 91))),
    ];
    assert_eq!(roles(&people), [[Role::Household], [Role::Subject]]);
}

#[test]
fn a_table_without_telling_names_gets_careful_guesses() {
    let fixtures =
        [around("c1", 60, &["1", "2", "3"]), around("c2", 60, &["1.5", "2"]), around("c3", 60, &["7"])];
    let profiles = profiles(&fixtures);
    let roles: Vec<&[Role]> = profiles.iter().map(|profile| profile.roles.as_slice()).collect();
    assert_eq!(roles, [&[Role::Quasi], &[Role::Quasi], &[Role::Other]]);
    assert_eq!(profiles[0].confidence, Confidence::Low);
    assert_eq!(profile(&[]), []);
}

#[test]
fn counts_types_and_hierarchies() {
    let all = profiles(&clinic());
    let of = |name: &str| all.iter().find(|profile| profile.name == name).expect("there");
    let age = of("age");
    assert_eq!((age.rows, age.missing, age.distinct, age.unique_rows), (40, 1, 39, 39));
    assert_eq!((age.value_type, age.domain), (ValueType::Integer, Some((0, 120))));
    assert_eq!(
        age.hierarchy.as_ref().map(|guess| guess.toml.as_str()),
        Some("{ build = \"widths\", widths = [5, 10, 20, 40] }")
    );
    let birth = of("birth date");
    assert_eq!(birth.kind, Inference::Clear(Kind::Date(DateFormat::YearMonthDay)));
    assert_eq!(birth.signs, [Sign::BirthDate]);
    let postcode = of("plz");
    assert_eq!((postcode.distinct, postcode.unique_rows, postcode.value_type), (13, 0, ValueType::Text));
    assert_eq!(
        postcode.hierarchy.as_ref().map(|guess| guess.toml.as_str()),
        Some("{ build = \"prefix\", lengths = [3, 1] }")
    );
    assert_eq!((of("visit").kind, of("visit").value_type), (Inference::AmbiguousDate, ValueType::Date));
    assert_eq!(of("diagnosis").hierarchy, None, "only quasi-identifiers are generalised");
    let american = beside_sex(Fixture::new("zip", (0..50).map(|row| (90_001 + row % 9).to_string())));
    assert_eq!(american.value_type, ValueType::Text, "a postcode is a code");
    let old = beside_sex(Fixture::new("age", (0..50).map(|row| (row * 9).to_string())));
    assert_eq!(old.domain, None, "not years of people");
}

#[test]
fn guessed_plans_read_back() {
    let all = profiles(&clinic());
    let files = PlanFiles::for_input("clinic.csv");
    let guessed =
        Plan::from_toml(&plan_toml(&all, &files, &Read::default(), false), "release.toml").expect("reads");
    let names: Vec<&str> = guessed.columns.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, all.iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>());
    for (profile, (_, column)) in all.iter().zip(&guessed.columns) {
        assert_eq!(column.role, profile.roles);
    }
    let error = guessed.ready().expect_err("guesses").to_string();
    assert!(error.starts_with("9 roles are only guessed: id (?identifier), Name (?identifier), "), "{error}");
    let accepted =
        Plan::from_toml(&plan_toml(&all, &files, &Read::default(), true), "release.toml").expect("reads");
    accepted.ready().expect("can be carried out");
    let visit = accepted.column("visit").expect("there");
    assert_eq!(visit.declared_kind(), Some(Kind::Text), "usable although day and month cannot be told apart");
    assert_eq!(accepted.privacy[1].columns, ["diagnosis"]);
}

#[test]
fn a_plan_reads_the_table_as_it_was_read() {
    let read = Read {
        delimiter: Some('\t'),
        quote: Some('"'),
        missing: vec!["-9".to_owned(), "\"".to_owned()],
        missing_policy: MissingPolicy::DropRow,
        ..Read::default()
    };
    let text = plan_toml(&profiles(&clinic()), &PlanFiles::for_input("clinic.tsv"), &read, true);
    assert_eq!(Plan::from_toml(&text, "release.toml").expect("reads").read, read);
}

#[test]
fn no_value_of_the_table_is_written() {
    let fixtures = clinic();
    let text = plan_toml(&profiles(&fixtures), &PlanFiles::for_input("clinic.csv"), &Read::default(), false);
    for value in fixtures.iter().flat_map(|fixture| fixture.counts.keys()).filter(|value| value.len() > 3) {
        assert!(!text.contains(value.as_str()), "{value}");
    }
}

#[test]
fn places_on_the_map_get_a_grid() {
    let half = |name: &str, whole: u32| {
        Fixture::new(name, (0..40).map(move |row| format!("{whole}.{:04}", 1_000 + row * 31)))
    };
    let columns = [half("home lat", 48), half("lng", 2), around("cell", 40, &["a", "b"])];
    let written = |columns: &[Fixture]| {
        plan_toml(&profiles(columns), &PlanFiles::for_input("x.csv"), &Read::default(), true)
    };
    let text = written(&columns);
    assert!(
        text.contains("# do = \"geo\"\n# columns = [\"home lat\", \"lng\"]\n# into = \"cell_\"\n"),
        "{text}"
    );
    // With the marks of a comment removed, it is a plan.
    let (before, rest) = text.split_once("# [[transform]]").expect("there");
    let (step, after) = rest.split_once("\n\n").expect("there");
    let before = before.replacen("role = \"quasi\"", "role = \"drop\"", 2);
    let used = format!("{before}[[transform]]{}\n\n{after}", step.replace("\n# ", "\n"));
    let plan = Plan::from_toml(&used, "release.toml").unwrap_or_else(|error| panic!("{error}\n{used}"));
    assert!(plan.column("cell_").is_some_and(|column| column.role.has(Role::Quasi)));
    assert!(!written(&columns[..1]).contains("do = \"geo\""));
}

#[test]
fn spellings_of_sensitive_values_are_named() {
    let reason = |texts: &[&str], rows| alone(around("diagnosis", rows, texts)).reason;
    let told = reason(&["HIV", "hiv", "flu", "\"HIV\n"], 40);
    assert!(
        told.ends_with("1 value is written in several ways, which count as one value: \"HIV\", \"hiv\"."),
        "{told}"
    );
    let told = reason(&["HIV", "hiv", "flu", "Flu", "cold"], 5);
    assert!(told.ends_with("2 values are written in several ways, which count as one value each."), "{told}");
    assert!(!reason(&["HIV", "flu"], 20).contains("several ways"));
    assert!(!alone(around("town", 40, &["Bonn", "bonn"])).reason.contains("several ways"));
}

#[test]
fn a_small_plan_word_for_word() {
    let fixtures = [
        Fixture::new("mail", (0..30).map(|row| format!("p{row}@mail.example"))),
        Fixture::new(
            "Age (years)",
            (0..30).map(|row| if row == 0 { String::new() } else { (30 + row % 9).to_string() }),
        ),
        around("disease", 30, &["flu", "gout", "measles"]),
        around("outcome", 30, &["good", "bad"]),
    ];
    let text = plan_toml(&profiles(&fixtures), &PlanFiles::for_input("people.csv"), &Read::default(), false);
    let expected = include_str!("small_plan.toml");
    assert_eq!(text, expected, "\n{text}");
}

proptest! {
    #[test]
    fn any_columns_give_a_plan_that_reads_back(
        names in proptest::collection::btree_set("\\PC{0,12}|[a-z_ ]{1,12}|age|income|id|notes|zip|label|patient", 0..6),
        rows in proptest::collection::vec(proptest::collection::vec("[0-9./-]{0,8}|\\PC{0,12}|[A-Z]?[a-z ]{0,20}", 6), 0..30),
        accept: bool,
    ) {
        let fixtures: Vec<Fixture> = names
            .iter()
            .enumerate()
            .map(|(place, name)| Fixture::new(name, rows.iter().map(|row| row[place].clone())))
            .collect();
        let all = profiles(&fixtures);
        let text = plan_toml(&all, &PlanFiles::for_input("x.csv"), &Read::default(), accept);
        let plan = Plan::from_toml(&text, "release.toml").unwrap_or_else(|error| panic!("{error}\n{text}"));
        prop_assert_eq!(plan.columns.len(), fixtures.len());
        for ((name, column), profile) in plan.columns.iter().zip(&all) {
            prop_assert_eq!(name, &profile.name);
            prop_assert_eq!(column.role.as_slice(), profile.roles.as_slice());
            prop_assert_eq!(column.role.is_confirmed(), accept);
            prop_assert!(!profile.reason.is_empty());
        }
        if accept && plan.names_with(Role::Quasi).next().is_some() {
            prop_assert!(plan.ready().is_ok());
        }
    }
}
