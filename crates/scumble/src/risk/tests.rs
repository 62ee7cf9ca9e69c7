//! The assessment of whole tables.

use proptest::prelude::*;
use scumble_files::table::CodedTable;

use super::classes::tests::table;
use super::uniques::Method;
use super::*;
use crate::base::amount::Amount;
use crate::config::{Audience, Rational};

fn assessed(
    table: &CodedTable,
    quasi: &[&str],
    population: Option<&CodedTable>,
    spec: &RiskSpec,
) -> Result<Assessment> {
    let quasi: Vec<String> = quasi.iter().map(|name| (*name).to_owned()).collect();
    let missing = ["?".to_owned()];
    assess(
        &RiskTable { table, quasi: &quasi, missing: &missing, population, persons: None },
        spec,
        &scumble_files::Control::default(),
    )
    .map(|(found, _)| found)
}

/// Classes of these sizes, named a, b, c …
fn classes(sizes: &[usize]) -> CodedTable {
    const NAMES: [&str; 4] = ["a", "b", "c", "d"];
    let rows: Vec<[&str; 1]> = sizes.iter().zip(NAMES).flat_map(|(size, name)| vec![[name]; *size]).collect();
    let rows: Vec<&[&str]> = rows.iter().map(<[&str; 1]>::as_slice).collect();
    table(&["q"], &rows)
}

#[test]
fn the_worked_example_of_the_three_attackers() {
    let spec = RiskSpec { audience: Audience::Researchers, ..RiskSpec::default() };
    let sample = classes(&[1, 2, 2, 5]);
    let found = assessed(&sample, &["q"], None, &spec).expect("figures");
    assert_eq!(
        (found.prosecutor.highest, found.prosecutor.average),
        (Amount::Finite(1.0), Amount::Finite(0.4))
    );
    assert_eq!((found.prosecutor.rows_above, found.prosecutor.rows_at_highest), (5, 1));
    assert_eq!((found.marketer.share, found.marketer.expected), (0.4, 4.0));
    assert!(found.journalist.upper_bound && found.journalist.risk == found.prosecutor);
    assert_eq!((found.uniques.rows, found.uniques.population), (1, None));

    let people = classes(&[4, 2, 10, 20]);
    let found = assessed(&sample, &["q"], Some(&people), &spec).expect("figures");
    let near = |value: f64| assert!((value - 0.17).abs() < 1e-15, "{value}");
    assert_eq!(found.journalist.risk.highest, Amount::Finite(0.5));
    near(found.journalist.risk.average.finite().expect("a mean"));
    near(found.marketer.share);
    assert!(!found.journalist.upper_bound && found.warnings.is_empty());
    let alone = found.uniques.population.expect("it was counted");
    assert_eq!((alone.population, alone.uniques, alone.method), (36, 0.0, Method::Counted));
    assert_eq!(found.uniques.rows_alone_in_population, Some(0));
}

#[test]
fn a_population_that_does_not_hold_the_table() {
    let found = assessed(&classes(&[1, 2, 2, 5]), &["q"], Some(&classes(&[4, 1, 10])), &RiskSpec::default());
    let found = found.expect("figures");
    // Classes b and d are smaller there, so they count as in the table: 1/4 + 2/2 + 2/10 + 5/5.
    assert!((found.journalist.risk.expected.finite().expect("a sum") - 2.45).abs() < 1e-12);
    // A person who is missing in the population is not unique there.
    assert_eq!((found.uniques.rows, found.uniques.rows_alone_in_population), (1, Some(0)));
    let absent = assessed(&classes(&[1, 1]), &["q"], Some(&classes(&[1])), &RiskSpec::default());
    assert_eq!(absent.expect("figures").uniques.rows_alone_in_population, Some(1));
    assert!(found.warnings[0].starts_with("7 rows are in classes that have fewer rows"));
    let other = table(&["q"], &[&["x"]]);
    let message = assessed(&classes(&[1]), &["q"], Some(&other), &RiskSpec::default()).expect_err("unlike");
    assert!(message.to_string().contains("no row of the table has its like"));
}

#[test]
fn a_table_without_rows_is_an_error() {
    let message = assessed(&table(&["q"], &[]), &["q"], None, &RiskSpec::default()).expect_err("no rows");
    assert!(message.to_string().contains("no rows"));
}

#[test]
fn without_quasi_identifiers_there_is_nothing_to_assess() {
    let message = assessed(&classes(&[1]), &[], None, &RiskSpec::default()).expect_err("no columns");
    assert!(message.to_string().contains("no column is named"));
}

#[test]
fn persons_are_counted_where_they_have_several_rows() {
    let sample = classes(&[3, 2]);
    let quasi = ["q".to_owned()];
    let spec = RiskSpec {
        population_size: Some(100),
        weight: Some("w".into()),
        household: Some("h".into()),
        ..RiskSpec::default()
    };
    // Person 0 has three rows, two of them in the first class.
    let persons = [0, 0, 1, 0, 2];
    let people = classes(&[4, 1]);
    let mut input =
        RiskTable { table: &sample, quasi: &quasi, missing: &[], population: None, persons: Some(&persons) };
    let (found, records) = assess(&input, &spec, &scumble_files::Control::default()).expect("figures");
    assert_eq!((found.unit, found.rows, found.persons), (Unit::Persons, 5, Some(3)));
    assert_eq!((found.smallest_class, found.prosecutor.rows), (Some(2), 3));
    assert_eq!((found.prosecutor.highest, found.uniques.rows), (Amount::Finite(0.5), 0));
    assert_eq!(records.classes.sizes, [2, 2]);
    // Everything that assumes one row for each person is left out, with a warning.
    assert_eq!((&found.uniques.population, &found.weights, &found.households), (&None, &None, &None));
    assert_eq!(found.singling.and_then(|singling| singling.dis), None);
    assert_eq!(
        found.warnings,
        [
            "some persons have several rows, so these are left out, which take a row for a person: estimates for the population, \
          survey weights and households"
        ]
    );
    // The population has one row for each person, so the journalist's risk is as always. Person 0 counts once, in the smaller class: 1/2 +
    // 1/4 + 1/2.
    input.population = Some(&people);
    let (found, _) =
        assess(&input, &RiskSpec::default(), &scumble_files::Control::default()).expect("figures");
    assert_eq!((found.journalist.risk.rows, found.journalist.risk.expected), (3, Amount::Finite(1.25)));
    assert_eq!(found.journalist.risk.bands.iter().map(|band| band.rows).sum::<u64>(), 3);
    assert_eq!(
        found.uniques.population.map(|found| (found.uniques, found.sampling_fraction)),
        Some((1.0, 0.6))
    );
    assert_eq!(found.singling.and_then(|singling| singling.dis), None);
    assert!(found.warnings[0].starts_with("2 persons are in classes that have fewer persons"));
}

/// Each row is found among those that look like it: in the table, and in the population that it was drawn from.
#[test]
fn the_risk_of_a_row_is_one_over_those_who_look_like_it() {
    let (sample, people) = (classes(&[1, 2]), classes(&[4, 5]));
    let quasi = ["q".to_owned()];
    let input =
        RiskTable { table: &sample, quasi: &quasi, missing: &[], population: Some(&people), persons: None };
    let (found, records) =
        assess(&input, &RiskSpec::default(), &scumble_files::Control::default()).expect("figures");
    assert_eq!((records.prosecutor, records.journalist), (vec![1.0, 0.5], vec![0.25, 0.2]));
    assert_eq!((found.uniques.rows, found.uniques.share), (1, 1.0 / 3.0));
    assert_eq!(found.uniques.population.map(|found| found.sampling_fraction), Some(3.0 / 9.0));
}

#[test]
fn too_many_combinations_are_refused_and_the_message_says_how_many_fit() {
    let names: Vec<String> = (0..64).map(|column| format!("c{column}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let spec = RiskSpec { combination_size: 10, ..RiskSpec::default() };
    let row = |text| vec![text; 64];
    let message = assessed(&table(&names, &[&row("a"), &row("b")]), &names, None, &spec).expect_err("many");
    // 64 columns have 679,120 sets of at most four, and 8,303,632 of at most five.
    let told = "look at no more than 4 columns together ([risk] combination_size = 4)";
    assert!(message.to_string().contains(told), "{message}");
    // If nobody is unique, there is nothing to search.
    let found = assessed(&table(&names, &[&row("a"), &row("a")]), &names, None, &spec).expect("figures");
    assert_eq!(found.singling.expect("it was asked for").rows, 0);
}

#[test]
fn weights_say_how_large_the_population_is() {
    let rows: [&[&str]; 3] = [&["a", "10"], &["b", "4"], &["b", "6"]];
    let spec = RiskSpec { weight: Some("w".into()), ..RiskSpec::default() };
    let found = assessed(&table(&["q", "w"], &rows), &["q"], None, &spec).expect("figures");
    let weights = found.weights.expect("weights");
    assert_eq!((weights.people, weights.smallest_class), (20.0, 10.0));
    // p = 1/10: ln 10 / 9, and p = 1/5 twice: 1/4 - ln 5 / 16.
    let (one, two) = (10_f64.ln() / 9.0, 0.25 - 5_f64.ln() / 16.0);
    assert!((weights.risk.expected.finite().expect("a sum") - one - 2.0 * two).abs() < 1e-12);
    assert_eq!(found.uniques.population.expect("an estimate").population, 20);
}

proptest! {
    #[test]
    fn the_order_of_rows_is_irrelevant_and_risks_are_chances(
        rows in prop::collection::vec((0_u8..4, 0_u8..3, 1_u8..5, 0_u8..6), 1..40), turn in 0_usize..40,
    ) {
        let texts: Vec<[String; 4]> = rows
            .iter()
            .map(|(age, sex, weight, home)| [age.to_string(), sex.to_string(), format!("{weight}.3"), home.to_string()])
            .collect();
        let made = |texts: &[[String; 4]]| {
            let rows: Vec<Vec<&str>> = texts.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
            let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
            table(&["age", "sex", "weight", "home"], &rows)
        };
        let spec = RiskSpec {
            weight: Some("weight".into()),
            household: Some("home".into()),
            threshold: Some(Rational::new(1, 3).expect("a fraction")),
            ..RiskSpec::default()
        };
        let mut turned = texts.clone();
        turned.rotate_left(turn % rows.len());
        turned.reverse();
        let here = assessed(&made(&texts), &["age", "sex"], None, &spec).expect("figures");
        prop_assert_eq!(&here, &assessed(&made(&turned), &["age", "sex"], None, &spec).expect("figures"));
        prop_assert!(here.uniques.rows <= here.rows && here.classes <= here.rows);
        let weights = here.weights.expect("weights").risk;
        let households = here.households.expect("households").of_rows;
        for risk in [&here.prosecutor, &weights, &households] {
            prop_assert!(risk.highest.finite().is_some_and(|highest| highest > 0.0 && highest <= 1.0));
            prop_assert!(risk.rows_above <= risk.rows);
            prop_assert_eq!(risk.bands.iter().map(|band| band.rows).sum::<u64>(), risk.rows);
        }
        // Not knowing whether a person is in the table only lowers the risk; a household only raises it.
        prop_assert!(weights.expected.finite() <= here.prosecutor.expected.finite().map(|e| e + 1e-9));
        prop_assert!(households.expected.finite() >= weights.expected.finite().map(|e| e - 1e-9));
    }
}
