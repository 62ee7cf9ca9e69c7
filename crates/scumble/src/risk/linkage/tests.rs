//! The worked example and the vector of the specification, and laws.

use proptest::prelude::*;
use rand_chacha::rand_core::Rng;

use super::probabilistic::Odds;
use super::space::{Factor, moments};
use super::*;
use crate::error::ErrorKind;

fn some(values: &[f64]) -> Vec<Option<f64>> {
    values.iter().copied().map(Some).collect()
}

fn number<'a>(name: &'a str, known: &'a [Option<f64>], shown: &'a [Option<f64>]) -> NumberSide<'a> {
    NumberSide { name, known, shown, public: Public::Nothing, swapped: None }
}

const EVERYBODY: Options = Options { people: usize::MAX, seed: 1 };

fn measured(sides: &Sides<'_>) -> Linked {
    measure(sides, &EVERYBODY, &Control::default()).expect("a measurement")
}

fn right(linked: &Linked, attempt: Attempt) -> f64 {
    linked.of(attempt).expect("an attempt").value
}

fn near(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within, "{found} for {wanted}");
}

/// transforms.md 2.8.
#[test]
fn the_worked_example() {
    let known = [some(&[30.0, 31.0, 40.0, 45.0, 60.0, 62.0]), some(&[20.0, 24.0, 40.0, 42.0, 80.0, 60.0])];
    let shown = [some(&[31.0, 33.0, 43.0, 41.0, 58.0, 65.0]), some(&[22.0, 20.0, 43.0, 39.0, 74.0, 62.0])];
    let sides = Sides {
        numbers: vec![number("a", &known[0], &shown[0]), number("b", &known[1], &shown[1])],
        categories: Vec::new(),
        groups: &[0; 6],
    };
    let prepared = Prepared::new(&sides).unwrap();
    near(moments(&prepared.numbers[0].known).1, 13.851_594, 1e-6);
    near(moments(&prepared.numbers[1].known).1, 22.571_368, 1e-6);
    let linked = measured(&sides);
    near(right(&linked, Attempt::RowsToPeople), 2.0 / 6.0, 1e-12);
    near(right(&linked, Attempt::PeopleToRows), 3.0 / 6.0, 1e-12);
    near(right(&linked, Attempt::MatchedRowsToPeople), 4.0 / 6.0, 1e-12);
    near(right(&linked, Attempt::MatchedPeopleToRows), 5.0 / 6.0, 1e-12);
    let distances = linked.found.iter().filter(|found| found.attempt != Attempt::Probabilistic);
    near(distances.map(|found| found.right.value).fold(0.0, f64::max), 0.8333, 5e-5);
    near(linked.by_guessing, 1.0 / 6.0, 1e-12);
    near(linked.changes.loss_per_cell.unwrap(), 0.116_024, 5e-7);
    let whole: f64 = linked.changes.numbers.iter().filter_map(|number| number.loss_per_cell).sum();
    near(whole * 6.0, 1.392_283, 5e-7);
    let shares: Vec<f64> = linked.changes.near.iter().map(|(_, share)| *share).collect();
    assert_eq!(shares, [0.0, 1.0 / 6.0, 2.0 / 6.0]);
    assert!(linked.found.iter().all(|found| found.right.interval.is_none()));
}

#[test]
fn the_covariance_of_the_example_is_factored() {
    let factor = Factor::of(&[vec![191.866_666, 294.533_333], vec![294.533_333, 509.466_666]]);
    assert_eq!(factor.kept, [0, 1]);
    // A third column that is the sum of the others adds nothing.
    let third = [486.4, 804.0, 1290.4];
    let factor = Factor::of(&[
        vec![191.866_666, 294.533_334, third[0]],
        vec![294.533_334, 509.466_666, third[1]],
        third.to_vec(),
    ]);
    assert_eq!(factor.kept, [0, 1]);
}

/// transforms.md 2.8: a million pairs, by which of three columns agree.
#[test]
fn odds_are_found_in_the_pairs() {
    let counts = [713_543, 70_737, 97_417, 10_303, 79_549, 9_371, 11_891, 7_189];
    // The specification writes the first column first, and its bit is the first here.
    let turned = |pattern: u64| (pattern & 1) << 2 | pattern & 2 | pattern >> 2;
    let mut counts: Vec<(u64, u64)> = (0..8).map(turned).zip(counts).collect();
    counts.sort_unstable();
    let odds = Odds::estimate(&counts, 3, 1e-3, &Control::default()).unwrap();
    near(odds.own, 0.01, 1e-5);
    odds.of_own.iter().zip([0.9, 0.8, 0.85]).for_each(|(found, wanted)| near(*found, wanted, 1e-4));
    odds.of_others.iter().zip([0.1, 0.12, 0.09]).for_each(|(found, wanted)| near(*found, wanted, 1e-5));
    for (pattern, weight) in [(0b111, 9.146), (0b110, 3.306), (0b101, 4.272), (0b011, 2.807), (0b000, -7.907)]
    {
        near(odds.weight(turned(pattern)), weight, 1e-3);
    }
}

/// Agreement on both columns speaks most for a pair, so it is linked first; then what is left, shared among those who compete.
#[test]
fn agreements_link_one_to_one() {
    // Everybody agrees with the own row in both columns, but for two who are alike.
    let known = [vec![0, 1, 2, 3, 3], vec![0, 1, 2, 3, 3]];
    let sides = Sides {
        numbers: Vec::new(),
        categories: vec![
            CategorySide { name: "a", known: &known[0], shown: &known[0] },
            CategorySide { name: "b", known: &known[1], shown: &known[1] },
        ],
        groups: &[0; 5],
    };
    let linked = measured(&sides);
    near(right(&linked, Attempt::Probabilistic), (3.0 + 2.0 * 0.5) / 5.0, 1e-12);
    near(right(&linked, Attempt::RowsToPeople), (3.0 + 2.0 * 0.5) / 5.0, 1e-12);
    near(linked.by_all.value, 3.0 / 5.0, 1e-12);
    assert!(linked.found.iter().all(|found| (found.alone.value - 3.0 / 5.0).abs() < 1e-12));
    // Where people are alone among rows of their look, nothing else matters.
    let alone = measured(&Sides { groups: &[0, 1, 2, 3, 4], ..sides });
    assert!(alone.found.iter().all(|found| found.right.value == 1.0) && alone.by_guessing == 1.0);
}

/// Ten people with the values 0 to 9, of which neighbours were exchanged. With a span of one, ranks say that the row has one of three
/// values; a second column in another order says more.
#[test]
fn ranks_are_bounds() {
    let values: Vec<f64> = (0..10).map(f64::from).collect();
    let exchanged: Vec<f64> = (0..10_i32).map(|value| f64::from(value ^ 1)).collect();
    let (known, shown) = (some(&values), some(&exchanged));
    let spans = [Span { ranks: 1, bottom: 0, top: 0 }];
    let swapped = Some(Swapped { strata: None, spans: &spans });
    let one = NumberSide { swapped, ..number("a", &known, &shown) };
    let sides = Sides { numbers: vec![one.clone()], categories: Vec::new(), groups: &[0; 10] };
    // Two candidates for the first and the last, three for everybody else.
    near(right(&measured(&sides), Attempt::Window), (2.0 / 2.0 + 8.0 / 3.0) / 10.0, 1e-12);
    // The second column is 3 · value mod 10, exchanged in the same way: no two people are near in both.
    let second: Vec<f64> = (0..10_i32).map(|value| f64::from(value * 3 % 10)).collect();
    let second_shown: Vec<f64> = (0..10_i32).map(|value| f64::from((value * 3 % 10) ^ 1)).collect();
    let (known, shown) = (some(&second), some(&second_shown));
    let two = NumberSide { swapped, ..number("b", &known, &shown) };
    let sides = Sides { numbers: vec![one.clone(), two], ..sides };
    let found = right(&measured(&sides), Attempt::Window);
    let candidates = |person: usize| {
        let near = |row: &usize| {
            (values[person] - exchanged[*row]).abs() <= 1.0
                && (second[person] - second_shown[*row]).abs() <= 1.0
        };
        (0..10).filter(near).count()
    };
    near(found, (0..10).map(|person| 1.0 / candidates(person) as f64).sum::<f64>() / 10.0, 1e-12);
    // Within strata of odd and even people, ranks differ by one in each, and none was exchanged with the other.
    let strata = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1];
    let spans = [Span { ranks: 0, bottom: 0, top: 0 }; 2];
    let within = Some(Swapped { strata: Some(&strata), spans: &spans });
    let kept = some(&values);
    let sides = Sides {
        numbers: vec![NumberSide { swapped: within, ..number("a", &kept, &kept) }],
        categories: Vec::new(),
        groups: &[0; 10],
    };
    assert_eq!(right(&measured(&sides), Attempt::Window), 1.0);
}

/// Kim's noise of no size moves everything towards the mean by a map that anybody undoes.
#[test]
fn a_public_map_is_undone() {
    let values = some(&[0.0, 1.0, 2.0, 3.0, 14.0]);
    let shrunk: Vec<Option<f64>> = values.iter().map(|value| value.map(|value| value / 2.0 + 2.0)).collect();
    let public = Public::Kim { mean: 4.0, d: 3.0 };
    let side = NumberSide { public, ..number("a", &values, &shrunk) };
    let linked = measured(&Sides { numbers: vec![side], categories: Vec::new(), groups: &[0; 5] });
    assert_eq!(right(&linked, Attempt::MatchedRowsToPeople), 1.0);
    assert_eq!(right(&linked, Attempt::MatchedPeopleToRows), 1.0);
    assert!(right(&linked, Attempt::RowsToPeople) < 1.0);
}

/// Methods leave missing values missing, so whoever has none is not looked for among them; where a release has filled some in, a missing
/// value is one more category.
#[test]
fn missing_values_agree_with_missing_ones() {
    let known = [None, Some(1.0), Some(2.0)];
    let shown = [None, Some(2.0), Some(1.0)];
    let linked = measured(&Sides {
        numbers: vec![number("a", &known, &shown)],
        categories: Vec::new(),
        groups: &[0; 3],
    });
    near(right(&linked, Attempt::RowsToPeople), 1.0 / 3.0, 1e-12);
    near(linked.by_guessing, 2.0 / 3.0, 1e-12);
    let filled = [Some(1.5), Some(1.0), Some(2.0)];
    let linked = measured(&Sides {
        numbers: vec![number("a", &known, &filled)],
        categories: Vec::new(),
        groups: &[0; 3],
    });
    near(linked.by_guessing, 1.0 / 3.0, 1e-12);
    // The first person lies at the mean, half a unit from the others, and a missing value more costs 1: nearer than any other row.
    near(right(&linked, Attempt::PeopleToRows), 1.0, 1e-12);
}

#[test]
fn a_sample_has_an_interval() {
    let values: Vec<f64> = (0..100).map(f64::from).collect();
    let values = some(&values);
    let sides =
        Sides { numbers: vec![number("a", &values, &values)], categories: Vec::new(), groups: &[0; 100] };
    let options = Options { people: 10, seed: 3 };
    let linked = measure(&sides, &options, &Control::default()).unwrap();
    let share = linked.of(Attempt::RowsToPeople).unwrap();
    assert_eq!((share.people, share.value), (10, 1.0));
    // Wilson's interval of 10 of 10.
    let (low, high) = share.interval.unwrap();
    near(low, 0.722_467, 1e-6);
    near(high, 1.0, 0.0);
}

/// Of 6,000 people in one group, there are too many pairs for all. Some are compared with all rows, and say so.
#[test]
fn too_many_pairs_are_compared_for_some_people() {
    let values: Vec<f64> = (0..6_000).map(f64::from).collect();
    let known = some(&values);
    let turned = some(&values.iter().map(|value| value * 7.0 % 6_000.0).collect::<Vec<_>>());
    let groups = vec![0; 6_000];
    let sides = Sides {
        numbers: vec![number("a", &known, &known), number("b", &turned, &turned)],
        categories: Vec::new(),
        groups: &groups,
    };
    let linked = measure(&sides, &Options { people: 1_000, seed: 1 }, &Control::default()).unwrap();
    let share = linked.of(Attempt::Probabilistic).unwrap();
    assert!((200..=1_000).contains(&share.people) && share.interval.is_some(), "{share:?}");
    // A tenth of a standard deviation is 173. The second number moves by seven where the first moves by one, so about 49 rows agree in both.
    assert!((0.018..0.024).contains(&share.value), "{share:?}");
    assert_eq!(linked.of(Attempt::RowsToPeople).unwrap().value, 1.0);
}

#[test]
fn what_does_not_fit_is_refused_and_a_stop_stops() {
    let (one, two) = (some(&[1.0]), some(&[1.0, 2.0]));
    let sides = |groups| Sides { numbers: vec![number("a", &one, &two)], categories: Vec::new(), groups };
    let fails = |sides: &Sides<'_>| measure(sides, &EVERYBODY, &Control::default()).unwrap_err().kind();
    assert_eq!(fails(&sides(&[0, 0])), ErrorKind::Internal);
    assert_eq!(fails(&Sides::default()), ErrorKind::Internal);
    let sides = Sides { numbers: vec![number("a", &two, &two)], categories: Vec::new(), groups: &[0, 0] };
    let stopped = measure(&sides, &EVERYBODY, &Control::of_looks(1)).unwrap_err();
    assert_eq!(stopped.kind(), ErrorKind::Interrupted);
}

/// A table of a small grid, so that many are alike, with numbers, a category, groups and missing values.
#[derive(Debug, Clone)]
struct Drawn {
    numbers: [[Vec<Option<f64>>; 2]; 2],
    category: [Vec<u32>; 2],
    groups: Vec<u32>,
}

impl Drawn {
    fn of(rows: usize, seed: u64) -> Self {
        let mut chance = ChaCha20Rng::seed_from_u64(seed);
        let mut draw = |end: u32| chance.next_u32() % end;
        let mut numbers = || (0..rows).map(|_| Some(draw(8)).filter(|of| *of > 0).map(f64::from)).collect();
        let numbers = [[numbers(), numbers()], [numbers(), numbers()]];
        let mut codes = |end: u32| (0..rows).map(|_| draw(end)).collect();
        Self { numbers, category: [codes(3), codes(3)], groups: codes(2) }
    }

    fn in_order(&self, order: &[usize]) -> Self {
        let numbers = |values: &Vec<Option<f64>>| order.iter().map(|row| values[*row]).collect();
        let codes = |values: &Vec<u32>| order.iter().map(|row| values[*row]).collect();
        Self {
            numbers: self.numbers.each_ref().map(|sides| sides.each_ref().map(numbers)),
            category: self.category.each_ref().map(codes),
            groups: codes(&self.groups),
        }
    }

    fn sides(&self) -> Sides<'_> {
        let [[a, a_shown], [b, b_shown]] = &self.numbers;
        Sides {
            numbers: vec![number("a", a, a_shown), number("b", b, b_shown)],
            categories: vec![CategorySide { name: "c", known: &self.category[0], shown: &self.category[1] }],
            groups: &self.groups,
        }
    }
}

proptest! {
    #[test]
    fn neither_order_nor_threads_matter(rows in 1..60_usize, seed: u64, turn: usize) {
        let drawn = Drawn::of(rows, seed);
        let options = Options { people: 20, seed };
        let found = measure(&drawn.sides(), &options, &Control::default()).unwrap();
        let order: Vec<usize> = (0..rows).rev().map(|row| (row + turn % rows) % rows).collect();
        let control = Control::default().on_threads(3).unwrap();
        let turned = drawn.in_order(&order);
        let again = control.run(|| measure(&turned.sides(), &options, &control)).unwrap();
        prop_assert_eq!(found, again);
    }
}
