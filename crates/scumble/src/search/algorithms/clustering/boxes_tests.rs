//! Compares searches by boxes with searches through all rows.

use proptest::prelude::*;

use super::*;
use crate::search::algorithms::clustering::stock::Which;
use crate::table::frequency::FrequencyTable;
use crate::table::hierarchy::{Builder, Domain, build};
use crate::table::kind::{Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads};
use crate::table::quasi::{Line, Quasi, Shape};

const TEXT: Measure = Measure { kind: Kind::Text, scale: 0 };
const WHOLE: Measure = Measure { kind: Kind::Integer, scale: 0 };

fn quasi(name: &str, measure: Measure, shape: Shape) -> Quasi {
    Quasi { name: name.into(), measure, shape, priority: 1.0, tight: false, sets: false }
}

/// A column of each kind: 64 codes in a tree of three levels, 20 numbers and a missing value, 10 texts.
fn columns() -> Vec<Quasi> {
    let codes: Vec<String> =
        (0..64).map(|code| format!("{}{}{}", code / 16, code / 4 % 4, code % 4)).collect();
    let values: Vec<&str> = codes.iter().map(String::as_str).collect();
    let domain = Domain {
        name: "code",
        measure: TEXT,
        values: &values,
        rows: &[1; 64],
        first_rows: None,
        missing: None,
        classes: None,
        declared: None,
        form: None,
    };
    let built = build(&Builder::Prefix { lengths: None, pad: None }.into(), &domain).expect("a tree");
    let numbers: Vec<i128> = (0..20).map(|number| number * number).collect();
    let texts: Vec<String> = numbers.iter().map(i128::to_string).chain(["?".to_owned()]).collect();
    let texts = texts.iter().map(String::as_str).collect();
    let line = Line::new(&WHOLE, numbers, texts, (0, 400), true);
    let letters = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].into_iter().collect();
    vec![
        quasi("code", TEXT, Shape::Tree(built.hierarchy)),
        quasi("number", WHOLE, Shape::Line(line)),
        quasi("letter", TEXT, Shape::Set(letters)),
    ]
}

fn table(rows: &[([u32; 3], u32)]) -> FrequencyTable {
    let values = ["x", "y", "z"].into_iter().collect();
    let label = PayloadColumn {
        name: "label".into(),
        values,
        measure: TEXT,
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![label], rows.len(), |_, row| rows[row].1);
    FrequencyTable::count(&[64, 21, 10], rows.len(), |c, r| rows[r].0[c], payloads, &of_row, |_| 1).0
}

/// Every tuple with rows left, by key and tuple, until `need` rows are reached.
fn naive(
    space: &Space<'_>,
    stock: &Stock<'_>,
    extent: &[(u32, u32)],
    keys: Keys,
    tuples: u32,
    need: u64,
) -> Vec<Found> {
    let mut all = Vec::new();
    for tuple in 0..tuples {
        let point = space.ranks(tuple).iter().map(|rank| (*rank, *rank));
        let key = keys.factor * space.joint_cost(extent, point);
        let rows = |other: bool| {
            let fits =
                |payload: u32| keys.label.is_none_or(|(label, _)| (stock.label(payload) != label) == other);
            stock.cells(tuple).filter(|(payload, _)| fits(*payload)).map(|(_, rows)| rows).sum()
        };
        all.push(Found { key, tuple, other: false, rows: rows(false) });
        if let Some((_, more)) = keys.label {
            all.push(Found { key: key + more, tuple, other: true, rows: rows(true) });
        }
    }
    all.retain(|found| found.rows > 0);
    all.sort();
    let mut left = need;
    all.retain(|found| {
        let wanted = left > 0;
        left = left.saturating_sub(u64::from(found.rows));
        wanted
    });
    all
}

fn rows() -> impl Strategy<Value = Vec<([u32; 3], u32)>> {
    // Some values are frequent, so that there are ties and tuples of several rows.
    let codes = [0..64_u32, 0..21_u32, 0..10_u32];
    let codes =
        (codes.clone(), codes).prop_map(|(one, two)| [0, 1, 2].map(|column| one[column].min(two[column])));
    // A column with one code costs the same for all rows and is left out of keys, so every column gets two
    // codes.
    prop::collection::vec((codes, 0..3_u32), 0..400).prop_map(|mut rows| {
        rows.extend([([0, 0, 0], 0), ([1, 1, 1], 1)]);
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn searches_find_what_looking_at_everything_finds(
        rows in rows(),
        steps in prop::collection::vec((any::<u32>(), any::<u32>(), 1..40_u64, 0..4_u32, 0..3_u64), 1..30),
    ) {
        let (columns, table) = (columns(), table(&rows));
        let space = Space::of_loss(&table, &columns);
        let tuples = table.tuples() as u32;
        let mut stock = Stock::new(&table, Some(0));
        let mut boxes = Boxes::new(&space, &stock, tuples, &Progress::default()).expect("nobody stops it");
        let mut query = Query::default();
        for (one, two, need, label, more) in steps {
            let mut extent = space.point(one % tuples);
            if two % 2 == 0 {
                space.widen(&mut extent, two % tuples);
            }
            boxes.ask(&space, &extent, &mut query);
            // A label that no row has means no label.
            let label = (label < stock.labels() as u32).then_some((label, more << 31));
            let keys = Keys { factor: 1 + more, label };
            let found = boxes.nearest(&query, keys, need);
            prop_assert_eq!(&found, &naive(&space, &stock, &extent, keys, tuples, need));
            let plain = Keys { factor: 1, label: None };
            let all = naive(&space, &stock, &extent, plain, tuples, u64::MAX);
            let furthest = all.iter().max_by_key(|found| (found.key, std::cmp::Reverse(found.tuple)));
            prop_assert_eq!(boxes.furthest(&query), furthest.map(|found| found.tuple));
            // Remove some of what was found.
            for found in found.iter().step_by(2) {
                for part in stock.take(found.tuple, 2, Which::Any) {
                    boxes.remove(&part, stock.label(part.payload));
                }
            }
        }
    }
}
