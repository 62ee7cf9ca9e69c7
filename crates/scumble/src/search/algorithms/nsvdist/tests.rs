use proptest::prelude::*;
use scumble_files::table::Texts;

use super::*;
use crate::problem::Progress;
use crate::recoding::published::Record;
use crate::search::algorithms::made::{columns, problem, rows, tree_column};
use crate::table::frequency::FrequencyTable;
use crate::table::kind::{Kind, Measure};
use crate::table::payload::{PayloadColumn, Payloads};
use crate::table::quasi::Quasi;
use crate::table::quasi::{Line, Shape};

fn options(cost: Cost) -> Options {
    Options { cost, literal: false, prepartition: None }
}

/// The paper's Table 1(a): age as an interval, codes of places by a tree, diseases in the order A, D, F, M.
fn paper(zip: &str) -> (Vec<Quasi>, FrequencyTable) {
    let measure = Measure { kind: Kind::Integer, scale: 0 };
    let texts: Texts = ["21", "30", "47", "55"].into_iter().collect();
    let line = Line::new(&measure, vec![21, 30, 47, 55], texts, (21, 55), false);
    let age = Quasi {
        name: "age".into(),
        measure,
        shape: Shape::Line(line),
        priority: 1.0,
        tight: true,
        sets: false,
    };
    let zip = tree_column("zip", zip);
    let code = |text: &str| zip.tree().and_then(|tree| tree.code_of(text)).expect("a leaf");
    // Alice, Bob, Carol, David, Eve.
    let rows = [(1, "10055", 3), (0, "10055", 2), (0, "10023", 0), (3, "10165", 2), (2, "10224", 1)];
    let column = PayloadColumn {
        name: "disease".into(),
        values: ["A", "D", "F", "M"].into_iter().collect(),
        measure: Measure { kind: Kind::Text, scale: 0 },
        missing: Vec::new(),
        reading: Default::default(),
    };
    let (payloads, of_row) = Payloads::of_rows(vec![column], rows.len(), |_, row| rows[row].2);
    let codes: Vec<[u32; 2]> = rows.iter().map(|row| [row.0, code(row.1)]).collect();
    let sizes = [4, zip.size()];
    let (table, _) =
        FrequencyTable::count(&sizes, rows.len(), |column, row| codes[row][column], payloads, &of_row, |_| 1);
    (vec![age, zip], table)
}

const FOUR_CODES: &str = "10023;100**;10***\n10055;100**;10***\n10165;101**;10***\n10224;102**;10***\n";

/// Each row as `age zip counts loss`, by age and place; and the mean loss.
fn published(zip: &str, k: u64, l: &str) -> (Vec<String>, f64) {
    let (quasi, table) = paper(zip);
    let demand = Demand::new(k, l.parse().expect("a fraction"), &[1, 1, 2, 1]).expect("feasible");
    let found =
        masks(&table, &quasi, Some(0), demand, options(Cost::Loss), &Progress::default()).expect("masks");
    let loss = |found: &Record| {
        quasi.iter().zip(&found.shown).map(|(quasi, value)| quasi.loss(*value)).sum::<f64>()
            / quasi.len() as f64
    };
    let lines = found.iter().map(|found| {
        let shown: Vec<String> =
            quasi.iter().zip(&found.shown).map(|(quasi, value)| quasi.label(*value)).collect();
        format!("{} {:?} {:.6}", shown.join(" "), found.counts, loss(found))
    });
    (lines.collect(), found.iter().map(loss).sum::<f64>() / found.len() as f64)
}

/// In 0, 1, 2 and 3 both neighbours of 1 are a third of the domain away, and so are those of 2: the smaller one is taken. (If the ends were
/// rounded separately, [1,2] would seem longer than the other two.)
#[test]
fn equally_long_intervals_cost_the_same() {
    let measure = Measure { kind: Kind::Integer, scale: 0 };
    let texts: Texts = ["0", "1", "2", "3"].into_iter().collect();
    let line = Line::new(&measure, vec![0, 1, 2, 3], texts, (0, 3), false);
    let name = "q".to_owned();
    let quasi = [Quasi { name, measure, shape: Shape::Line(line), priority: 1.0, tight: true, sets: false }];
    let (payloads, of_row) = Payloads::of_rows(Vec::new(), 4, |_, _| 0);
    let (table, _) = FrequencyTable::count(&[4], 4, |_, row| row as u32, payloads, &of_row, |_| 1);
    let demand = Demand { size: 2, most: 2, cover: 2 };
    for literal in [false, true] {
        let options = Options { literal, ..options(Cost::Loss) };
        let found = masks(&table, &quasi, None, demand, options, &Progress::default()).expect("masks");
        let shown: Vec<String> = found.iter().map(|record| quasi[0].label(record.shown[0])).collect();
        assert_eq!(shown, ["[0,1]", "[0,1]", "[1,2]", "[2,3]"]);
    }
}

/// The worked numbers of algorithms.md A3: Carol, Bob, Alice, Eve, David; counts are of A, D, F, M.
#[test]
fn the_table_of_the_paper() {
    let (lines, mean) = published(FOUR_CODES, 2, "2");
    let expected = [
        "21 100** [1, 0, 1, 0] 0.166667",
        "[21,30] 10055 [0, 0, 1, 1] 0.132353",
        "[21,30] 10055 [0, 0, 1, 1] 0.132353",
        "[47,55] 10*** [0, 1, 1, 0] 0.617647",
        "[47,55] 10*** [0, 1, 1, 0] 0.617647",
    ];
    assert_eq!(lines, expected);
    assert!((mean - 0.333_333).abs() < 1e-6);
    let (lines, mean) = published(FOUR_CODES, 3, "1.5");
    let expected = [
        "[21,30] 100** [1, 0, 1, 1] 0.299020",
        "[21,30] 100** [1, 0, 1, 1] 0.299020",
        "[21,30] 100** [1, 0, 1, 1] 0.299020",
        "[30,55] 10*** [0, 1, 1, 1] 0.867647",
        "[30,55] 10*** [0, 1, 1, 1] 0.867647",
    ];
    assert_eq!(lines, expected);
    assert!((mean - 0.526_471).abs() < 1e-6);
}

/// With all thousand codes declared, a place is wider than a few years, so Bob is with Carol.
#[test]
fn what_is_declared_changes_who_is_near() {
    let codes: String = (10_000..11_000).map(|code| format!("{code};{}**;10***\n", code / 100)).collect();
    let (lines, mean) = published(&codes, 2, "2");
    let expected = ["21 100** [1, 0, 1, 0] 0.049550", "21 100** [1, 0, 1, 0] 0.049550"];
    assert_eq!(lines[..2], expected);
    assert!((mean - 0.293_349).abs() < 1e-6);
}

#[test]
fn one_row_masks_show_the_row() {
    let (lines, mean) = published(FOUR_CODES, 1, "1");
    assert_eq!(lines[0], "21 10023 [1, 0, 0, 0] 0.000000");
    assert_eq!(mean, 0.0);
}

fn covers(problem: &crate::problem::Problem, found: &Record, tuple: u32) -> bool {
    problem.quasi.iter().enumerate().all(|(column, quasi)| {
        let (low, high) = quasi.codes(found.shown[column]);
        (low..=high).contains(&problem.table.column(column).get(tuple as usize))
    })
}

/// Checks the properties of algorithms.md A4 on one table.
fn check(
    trees: bool,
    rows: &[crate::search::algorithms::made::Row],
    k: u64,
    l: &str,
    cost: Cost,
    parts: Option<u64>,
) {
    let problem = problem(columns(trees), rows, &[]);
    let totals = rows.iter().fold([0_u64; 3], |mut sum, row| {
        sum[row.2 as usize] += 1;
        sum
    });
    let Ok(demand) = Demand::new(k, l.parse().expect("a fraction"), &totals) else { return };
    let demand = Demand { cover: (demand.size * (1 + k % 2)).min(rows.len() as u64), ..demand };
    let run = |literal: bool| {
        let options = Options { cost, literal, prepartition: parts };
        masks(&problem.table, &problem.quasi, Some(1), demand, options, &Progress::default()).expect("masks")
    };
    let (fast, literal) = (run(false), run(true));
    assert_eq!(fast.iter().map(|found| u64::from(found.rows)).sum::<u64>(), rows.len() as u64);
    for (fast, literal) in fast.iter().zip(&literal) {
        assert_eq!((fast.tuple, fast.value, &fast.shown), (literal.tuple, literal.value, &literal.shown));
        for found in [fast, literal] {
            assert_eq!(found.counts.iter().sum::<u64>(), demand.size);
            assert!(found.counts.iter().all(|count| *count <= demand.most));
            assert!(found.counts[found.value as usize] >= 1);
            let whole: u64 = found.members.iter().map(|tuple| problem.table.weight(*tuple)).sum();
            assert_eq!(whole + u64::from(found.others), demand.size);
            let covered = (0..problem.table.tuples() as u32).filter(|tuple| covers(&problem, found, *tuple));
            let inside: Vec<u32> = covered.collect();
            assert!(found.members.iter().all(|tuple| inside.contains(tuple)));
            let rows: u64 = inside.iter().map(|tuple| problem.table.weight(*tuple)).sum();
            // Masks of a part stay within it, so their covers need not contain more rows than the part has.
            assert!(rows >= if parts.is_some() { demand.size } else { demand.cover });
        }
    }
    assert_eq!(fast.len(), literal.len());
}

proptest! {
    #[test]
    fn fast_masks_are_covered_as_literal_ones(
        rows in rows(&columns(false)), k in 1..12_u64, l in 0..4_usize, cost in 0..3_usize
    ) {
        let cost = [Cost::Loss, Cost::Entropy, Cost::MonotoneEntropy][cost];
        check(false, &rows, k, ["1", "1.11", "1.5", "2"][l], cost, None);
    }

    #[test]
    fn so_are_those_of_trees_and_of_parts(
        rows in rows(&columns(true)), k in 1..6_u64, l in 0..4_usize, cost in 0..3_usize, parts in 4..12_u64
    ) {
        let cost = [Cost::Loss, Cost::Entropy, Cost::MonotoneEntropy][cost];
        check(true, &rows, k, ["1", "1.11", "1.5", "2"][l], cost, Some(parts));
    }
}

/// An audit that leaves rows undecided does not prove that nothing follows. The release is refused, and the error says what helps.
#[test]
fn an_audit_that_is_not_complete_refuses() {
    let rows: Vec<crate::search::algorithms::made::Row> =
        (0..12).map(|row| (vec![row % 2, row % 3, row % 2], 0, row % 3)).collect();
    let problem = problem(columns(false), &rows, &[("k_anonymity", &[("k", "2")], None)]);
    for (adversary, words) in [
        ("cover", "quasi-identifiers of everyone, and"),
        ("mask", "which would pass ([algorithm] adversary=\"cover\")"),
    ] {
        let algorithm = NsvDist {
            column: None,
            options: options(Cost::Loss),
            min_cover: 1,
            require: true,
            adversary: if adversary == "cover" { Adversary::Cover } else { Adversary::Mask },
            format: Format::Columns,
            strict_k: false,
        };
        let asked = algorithm.asked(&problem).expect("it serves k");
        let demand = algorithm.demand(&asked, 2, 1).expect("feasible");
        let (records, found) = algorithm.records(&problem, &asked, demand).expect("records");
        let undecided = Disclosure { records: 0, certain: 0, unknown: 3 };
        let none = Disclosure { unknown: 0, ..undecided };
        let audit = match algorithm.adversary {
            Adversary::Cover => Audit { by_cover: undecided, by_mask: none, ..found },
            Adversary::Mask => Audit { by_cover: none, by_mask: undecided, ..found },
        };
        assert!(algorithm.must_refuse(&audit));
        let told = algorithm.refusal(&problem, &asked, &records, &audit).expect("a message");
        assert_eq!(told.kind(), crate::ErrorKind::Audit);
        let told = told.to_string().replace(" = ", "=");
        let all = [
            "could not decide",
            "3 of 12",
            "min_cover=2",
            "k=4",
            "([algorithm] audit=\"report\")",
            "use an algorithm that makes groups",
            words,
        ];
        assert!(all.iter().all(|word| told.contains(word)), "{told}");
        let complete = Audit { by_cover: none, by_mask: none, ..found };
        assert!(!algorithm.must_refuse(&complete));
    }
}
