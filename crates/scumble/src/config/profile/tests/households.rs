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
    // The name alone proves nothing.
    let few = ("hhid", (0..300).map(|row| format!("{}", row % 5)).collect());
    assert_eq!(of_rows(&[few, sex()])[0].roles.as_slice(), [Role::Identifier], "never other");
    let own = ("hhid", (0..300).map(|row| format!("{row}")).collect());
    assert_eq!(of_rows(&[own, sex()])[0].roles.as_slice(), [Role::Identifier]);
}

#[test]
fn a_household_is_proposed_by_its_values_alone() {
    let text = |write: &dyn Fn(usize) -> String| -> Vec<String> { (0..300).map(write).collect() };
    // Three or four people to a home, in no order of the homes.
    let home = |row: usize| row * 7 % 300 * 2 / 7;
    let ids = |name| (name, text(&|row| format!("{}", 7_000 + home(row) * 13)));
    let sex = || ("sex", text(&|row| ["f", "m"][row * 7 / 3 % 2].to_owned()));
    let tenure = || ("tenure", text(&|row| format!("t{}", home(row) * 5 % 3)));
    for name in ["hid", "x0", "dwelling", "foyer", "family_id", "serial", "dom_nr"] {
        let found = of_rows(&[ids(name), sex(), tenure()]);
        assert_eq!(found[0].roles.as_slice(), [Role::Household], "{name}: {}", found[0].reason);
        assert!(found[0].reason.contains("share the value of 1 other column far more often than by chance"));
    }
    // Without a fact that they share, these values are still never published: running numbers are left out, others are coarsened.
    let alone = of_rows(&[ids("hid"), sex()]);
    assert_eq!(alone[0].roles.as_slice(), [Role::Quasi], "{}", alone[0].reason);
    let many = |write: &dyn Fn(usize) -> String| -> Vec<String> {
        (0..900).map(|row| write(row * 7 % 900 / 3)).collect()
    };
    let sexes = || ("sex", (0..900).map(|row| ["f", "m"][row % 2].to_owned()).collect::<Vec<_>>());
    for ids in [many(&|home| format!("{}", 10_001 + home)), many(&|home| format!("H{}x", 7_000 + home * 13))]
    {
        let found = of_rows(&[("hid", ids), sexes()]);
        assert_eq!(found[0].roles.as_slice(), [Role::Identifier], "{}", found[0].reason);
    }
    // Where nothing tells that the rows are people, one column that agrees may be the place of a device.
    let device = of_rows(&[ids("device7"), ("city", text(&|row| format!("t{}", home(row) * 5 % 3)))]);
    assert_ne!(device[0].roles.as_slice(), [Role::Household], "{}", device[0].reason);
}

#[test]
fn ordinary_columns_are_no_households() {
    let text = |write: &dyn Fn(usize) -> String| -> Vec<String> { (0..300).map(write).collect() };
    let number = |row: usize| row * 71 % 300 / 3;
    let sex = || ("sex", text(&|row| ["f", "m"][row % 2].to_owned()));
    // A range of the same numbers, and the first sign of a code: these lie side by side.
    let band = || ("band", text(&|row| format!("b{}", number(row) / 20)));
    let cases = [
        ("amount", text(&|row| format!("{}", 1_500 + number(row) * 7))),
        ("x3", text(&|row| format!("{}", 1_900 + number(row)))),
        ("soc", text(&|row| format!("{}", 1_000 + number(row) * 60))),
    ];
    for (name, texts) in cases {
        let found = of_rows(&[(name, texts), sex(), band()]);
        assert_eq!(found[0].roles.as_slice(), [Role::Quasi], "{name}: {}", found[0].reason);
    }
    // The weight of a survey is the same for people who are alike in sex and tenure. Weights lie denser where they are small.
    let weight = text(&|row| format!("{}", 10_000 + number(row).pow(3)));
    let alike = |name, values: usize| (name, text(&|row| format!("v{}", number(row) * 37 % 11 % values)));
    let found = of_rows(&[("fnlwgt", weight), alike("sex", 2), alike("tenure", 3)]);
    assert_eq!(found[0].roles.as_slice(), [Role::Quasi], "{}", found[0].reason);
    // What the name says counts more.
    let homes = |name| (name, text(&|row| format!("{}", 7_000 + number(row) * 13)));
    let tenure = || ("tenure", text(&|row| format!("t{}", number(row) * 5 % 3)));
    for name in ["occupation", "zip", "year of birth", "town", "income"] {
        let found = of_rows(&[homes(name), sex(), tenure()]);
        assert!(!found[0].roles.has(Role::Household), "{name}: {}", found[0].reason);
    }
    // The visits of one person: they agree on the sex too.
    let person_sex = ("sex", text(&|row| ["f", "m"][number(row) * 5 % 3 % 2].to_owned()));
    let found = of_rows(&[homes("patient_id"), person_sex, tenure()]);
    assert_eq!(found[0].roles.as_slice(), [Role::Subject], "{}", found[0].reason);
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
    // In a table about people a name that says nothing is no reason to publish a column as it is.
    for name in ["edu_level", "eduyears", "cm", "stature", "ndep", "famsize", "nb_pers", "xq"] {
        for texts in [numbers, &["171", "180.5", "165"]] {
            let found = beside_sex(around(name, 60, texts));
            assert_eq!(found.roles.as_slice(), [Role::Quasi], "{name}: {}", found.reason);
            assert!(
                found.reason.contains("describes a person") || name == "famsize",
                "{name}: {}",
                found.reason
            );
        }
    }
    // Measures of things stay what they were.
    for name in ["temperature", "pressure", "clump_thickness", "recency_months"] {
        let beside_town = [around(name, 60, &["1", "2", "3"]), around("town", 60, &["a", "b"])];
        let found = super::profiles(&beside_town).remove(0);
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
