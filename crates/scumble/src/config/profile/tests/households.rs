//! Households, and facts that outsiders know, which must not be kept unchanged.

use scumble_files::table::{CodedColumn, CodedTable};

use super::super::{ColumnProfile, column_values, profile};
use super::{Fixture, around, beside_sex};
use crate::config::Role;

/// Profiles of columns of texts, whose rows belong together.
fn of_rows(columns: &[(&str, Vec<String>)]) -> Vec<ColumnProfile> {
    let columns: Vec<CodedColumn> = columns
        .iter()
        .map(|(name, texts)| CodedColumn::of_texts(name, texts.iter().map(String::as_str)))
        .collect();
    let table = CodedTable { rows: columns[0].codes.len(), columns };
    profile(&column_values(&table, &["?".to_owned()]))
}

/// The homes of 300 people, three or four to a home.
fn homes(name: &str) -> (&str, Vec<String>) {
    (name, (0..300).map(|row| format!("{}", 7_000 + row * 2 / 7 * 13)).collect())
}

#[test]
fn a_household_is_proposed_by_its_name_and_its_values() {
    let sex = || ("sex", (0..300).map(|row| ["f", "m"][row % 2].to_owned()).collect());
    let region = || ("region", (0..300_usize).map(|row| format!("r{}", row * 2 / 7 % 9)).collect());
    for name in ["hhid", "HHID", "household_id", "hh_nr", "Haushaltsnummer", "household"] {
        let found = of_rows(&[homes(name), sex(), region()]);
        assert_eq!(found[0].roles.as_slice(), [Role::Household], "{name}: {}", found[0].reason);
        assert!(found[0].reason.contains("share the value of 1 other column"), "{}", found[0].reason);
        let alone = of_rows(&[homes(name), sex()]);
        assert_eq!(alone[0].roles.as_slice(), [Role::Household], "{name}: {}", alone[0].reason);
        assert!(alone[0].confidence < found[0].confidence);
    }
    // The values alone prove nothing, and the name alone neither.
    assert_ne!(of_rows(&[homes("reading"), sex(), region()])[0].roles.as_slice(), [Role::Household]);
    let few = ("hhid", (0..300).map(|row| format!("{}", row % 5)).collect());
    assert_eq!(of_rows(&[few, sex()])[0].roles.as_slice(), [Role::Identifier], "never other");
    let own = ("hhid", (0..300).map(|row| format!("{row}")).collect());
    assert_eq!(of_rows(&[own, sex()])[0].roles.as_slice(), [Role::Identifier]);
}

#[test]
fn what_outsiders_know_is_never_kept_as_it_is() {
    let numbers: &[&str] = &["1", "2", "3", "4"];
    for (name, texts, role) in [
        ("hhsize", numbers, Role::Quasi),
        ("household size", numbers, Role::Quasi),
        ("isced", numbers, Role::Quasi),
        ("isced_level", numbers, Role::Quasi),
        ("Gr\u{f6}\u{df}e_cm", &["171", "180.5", "165"], Role::Quasi),
        ("height", &["1.71", "1.80", "1.65"], Role::Quasi),
        ("wife_working", &["0", "1"], Role::Quasi),
        ("husband_employed", numbers, Role::Quasi),
        ("contraceptive_method", numbers, Role::Sensitive),
        ("smoker", &["0", "1", "2"], Role::Quasi),
        ("people_liable", &["1", "2"], Role::Quasi),
        ("persons", numbers, Role::Quasi),
        ("dependants", numbers, Role::Quasi),
        ("donated", &["0", "1"], Role::Sensitive),
        ("xq", &["0", "1"], Role::Quasi),
    ] {
        let found = beside_sex(around(name, 60, texts));
        assert_eq!(found.roles.as_slice(), [role], "{name}: {}", found.reason);
    }
    // Measures of things stay what they were.
    for name in ["temperature", "pressure", "clump_thickness", "recency_months"] {
        let found = beside_sex(around(name, 60, &["1", "2", "3"]));
        assert_eq!(found.roles.as_slice(), [Role::Other], "{name}: {}", found.reason);
    }
}

#[test]
fn reasons_say_what_the_name_is_about() {
    let reason = |name: &str, texts: &[&str]| {
        let found = beside_sex(around(name, 60, texts));
        (found.roles.as_slice().to_vec(), found.reason)
    };
    let (roles, died) = reason("Died in hospital", &["yes", "no"]);
    assert!(roles == [Role::Class] && died.contains("outcome") && !died.contains("place"), "{died}");
    let (roles, discharge) = reason("Entlassungsart", &["home", "other hospital", "dead"]);
    assert!(
        roles == [Role::Quasi] && !discharge.contains("time") && discharge.contains("a visit or a stay"),
        "{discharge}"
    );
    let moments = ["2024-01-02 10:15:00", "2024-02-03 11:00:00", "2024-02-04 09:30:00"];
    for name in ["last_login", "login"] {
        let (roles, login) = reason(name, &moments);
        assert!(roles == [Role::Quasi] && !login.contains("reach"), "{name}: {login}");
    }
    let (roles, account) = reason("login", &["anna77", "bert", "cleo_x"]);
    assert!(roles == [Role::Identifier] && account.contains("reach"), "{account}");
    let visits = Fixture::new("admission date", (0..60).map(|row| format!("2024-01-{:02}", 1 + row % 28)));
    assert!(beside_sex(visits).reason.contains("dates"));
}
