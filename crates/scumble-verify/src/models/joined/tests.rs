use serde_json::json;

use super::*;
use crate::ModelClaim;

fn column(name: &str, texts: &[&str]) -> CodedColumn {
    CodedColumn::of_texts(name, texts.iter())
}

fn table(columns: &[(&str, &[&str])]) -> CodedTable {
    CodedTable {
        rows: columns[0].1.len(),
        columns: columns.iter().map(|(name, texts)| column(name, texts)).collect(),
    }
}

fn key(name: &str) -> Vec<JoinKey> {
    vec![JoinKey { column: name.to_owned(), domain: name.to_owned() }]
}

fn claim(quasi: &[&str], models: &[serde_json::Value]) -> Claim {
    Claim {
        quasi: quasi.iter().map(|name| (*name).to_owned()).collect(),
        models: models.iter().map(|model| ModelClaim::from_json(model).unwrap()).collect(),
        star: StarRows::Judged,
        values: Vec::new(),
    }
}

/// Four households in two regions, and six people: h1 has three of them.
fn households() -> CodedTable {
    table(&[
        ("home", &["h1", "h2", "h3", "h4"]),
        ("region", &["north", "north", "south", "south"]),
        ("income", &["low", "high", "low", "low"]),
    ])
}

fn people() -> CodedTable {
    table(&[
        ("home", &["h1", "h1", "h1", "h2", "h3", "h4"]),
        ("sex", &["f", "f", "m", "f", "m", "m"]),
        ("region", &["x", "x", "x", "x", "x", "x"]),
    ])
}

struct Case {
    tables: Vec<(&'static str, CodedTable, Vec<JoinKey>, Claim)>,
}

impl Case {
    fn joined<T>(&self, then: impl FnOnce(Joins<'_>) -> T) -> T {
        let reference = Reference::default();
        let tables: Vec<JoinedTable<'_>> = self
            .tables
            .iter()
            .map(|(name, table, keys, claim)| JoinedTable {
                name,
                table,
                keys,
                claim,
                reference: &reference,
                person: None,
            })
            .collect();
        then(Joins::of(&tables, &Control::default()).unwrap())
    }
}

fn case(of_people: CodedTable, models: [&[serde_json::Value]; 2]) -> Case {
    Case {
        tables: vec![
            ("household", households(), key("home"), claim(&["region"], models[0])),
            ("person", of_people, key("home"), claim(&["sex"], models[1])),
        ],
    }
}

/// Two households look alike in each region, and three people in each sex. Joined, one man is alone in the north.
#[test]
fn rows_are_judged_with_what_their_parent_shows() {
    let k = json!({"model": "k_anonymity", "k": 2});
    case(people(), [std::slice::from_ref(&k), std::slice::from_ref(&k)]).joined(|joins| {
        assert_eq!(joins.roots(), [0]);
        assert!(joins.is_reached(0) && joins.orphans().is_empty());
        assert_eq!(joins.repeats().collect::<Vec<_>>(), [1]);
        let found = joins.judge(&Control::default()).unwrap();
        let figures: Vec<_> = found
            .iter()
            .map(|of| (of.rows_of, of.models_of, of.models[0].attained, of.models[0].holds))
            .collect();
        let expected = [
            (0, 0, Some(2.0), true),
            // Of the three in the north, m is one household; f are two households with three persons.
            (1, 0, Some(1.0), false),
            (1, 1, Some(1.0), false),
        ];
        assert_eq!(figures, expected);
    });
}

/// Everybody shows the same: all of the north's rows are those of two households, however many people these have.
#[test]
fn a_household_counts_once_in_a_group() {
    let all =
        table(&[("home", &["h1", "h1", "h1", "h2", "h3", "h4"]), ("sex", &["*", "*", "*", "*", "m", "m"])]);
    let k = json!({"model": "k_anonymity", "k": 2});
    let l = json!({"model": "l_diversity", "variant": "distinct", "l": 2, "column": "income"});
    case(all, [&[k.clone(), l], &[k]]).joined(|joins| {
        let found = joins.judge(&Control::default()).unwrap();
        let of_households = &found[1];
        assert_eq!((of_households.rows_of, of_households.models_of, of_households.smallest), (1, 0, Some(2)));
        assert_eq!(of_households.models[0].attained, Some(2.0));
        // Both households of the south have a low income.
        assert!(!of_households.models[1].holds && !found[0].models[1].holds);
        assert_eq!(found[2].models[0].attained, Some(2.0));
    });
}

#[test]
fn all_rows_of_a_household_count_together() {
    case(people(), [&[], &[]]).joined(|joins| {
        let all = |set| joins.judge_persons(0, 2, set, &Control::default()).unwrap();
        // h3 and h4 show the same; h1 and h2 do not.
        assert!(!all(false).holds && !all(true).holds);
        assert_eq!(all(false).failing_classes, 2);
    });
    let alike = table(&[("home", &["h1", "h1", "h2", "h3", "h4"]), ("sex", &["f", "f", "f", "m", "m"])]);
    case(alike, [&[], &[]]).joined(|joins| {
        let all = |set| joins.judge_persons(0, 2, set, &Control::default()).unwrap();
        // Only the number of rows tells h1 from h2.
        assert!(!all(false).holds && all(true).holds);
    });
}

#[test]
fn codes_without_a_parent_are_counted() {
    let with_others = table(&[("home", &["h1", "h9", "h9", "h8"]), ("sex", &["f", "f", "m", "m"])]);
    case(with_others, [&[], &[]]).joined(|joins| {
        let [orphans] = joins.orphans() else { panic!("one pair of tables") };
        assert_eq!((orphans.child, orphans.parent, orphans.rows, orphans.codes.len()), (1, 0, 3, 2));
        assert!(!joins.is_reached(0));
    });
    // No table has each code once.
    let mut twice = case(people(), [&[], &[]]);
    twice.tables[0].1 = people();
    twice.tables[0].3 = claim(&["sex"], &[]);
    twice.joined(|joins| assert_eq!(joins.without_parent(), ["home"]));
}

/// Visits lead to people and over them to households. Codes of both that do not fit are counted.
#[test]
fn rows_lead_over_other_tables() {
    let mut three = case(people(), [&[], &[json!({"model": "k_anonymity", "k": 1})]]);
    let people = &mut three.tables[1];
    people.1.columns.push(column("person", &["p1", "p2", "p3", "p4", "p5", "p6"]));
    people.2.extend(key("person"));
    let visits = table(&[("person", &["p1", "p1", "p6"]), ("year", &["1", "2", "1"])]);
    three.tables.push(("visit", visits.clone(), key("person"), claim(&["year"], &[])));
    three.joined(|joins| {
        assert_eq!(joins.roots(), [0]);
        assert!(joins.is_reached(0));
        let found = joins.judge(&Control::default()).unwrap();
        let visits = found.iter().find(|of| (of.rows_of, of.models_of) == (2, 1)).unwrap();
        assert_eq!((visits.shows.as_slice(), visits.smallest), ([0, 1, 2].as_slice(), Some(1)));
    });
    let mut wrong = visits;
    wrong.columns.push(column("home", &["h1", "h1", "h1"]));
    three.tables[2] = ("visit", wrong, [key("person"), key("home")].concat(), claim(&["year"], &[]));
    three.joined(|joins| assert_eq!(joins.contradictions().collect::<Vec<_>>(), [(2, 1)]));
}

/// Where each code stands once in both tables, each shows what the other does, and so does a row without a partner.
#[test]
fn tables_with_one_row_each_show_each_other() {
    let some = table(&[("home", &["h1", "h3", "h4"]), ("sex", &["f", "m", "m"])]);
    case(some, [&[json!({"model": "k_anonymity", "k": 2})], &[]]).joined(|joins| {
        assert_eq!(joins.roots(), [0]);
        assert_eq!(joins.repeats().count(), 0);
        let found = joins.judge(&Control::default()).unwrap();
        // h2 is known to have no row.
        assert_eq!(found[0].models[0].attained, Some(1.0));
        assert_eq!(found[0].models[0].failing_classes, 2);
    });
}
