//! Counting queries: the specification's numbers, and every count again by hand.

use scumble_files::table::Codes;

use super::*;
use crate::recoding::{Assignment, ClassColumn, Members};
use crate::search::partition::testing::{numbers, problem, words};

/// The release in which each tuple is in the class `of_tuple` says, and some classes are suppressed.
fn release(problem: &Problem, of_tuple: &[u32], suppressed: &[bool], policy: StarPolicy) -> Classes {
    let column = |place: usize| {
        let codes = problem.table.column(place);
        let shown: Vec<Value> = (0..suppressed.len() as u32)
            .map(|class| {
                let members = (0..of_tuple.len()).filter(|tuple| of_tuple[*tuple] == class);
                problem.quasi[place].cover_codes(members.map(|tuple| codes.get(tuple)))
            })
            .collect();
        let mut values = shown.clone();
        values.sort_unstable();
        values.dedup();
        let of_class: Vec<u32> =
            shown.iter().map(|value| values.binary_search(value).expect("it is there") as u32).collect();
        ClassColumn { of_class: Codes::narrow(values.len(), &of_class), values }
    };
    let assignment = Assignment {
        members: Members::Tuples(of_tuple.to_vec()),
        columns: (0..problem.quasi.len()).map(column).collect(),
        suppressed: suppressed.to_vec(),
    };
    Classes::new(assignment, &problem.table, &problem.quasi, policy)
}

/// models.md 2.10: ten rows in [20,39], asked for 20 to 29.
#[test]
fn half_of_a_range_is_expected_to_hold_half_of_its_rows() {
    let ages: Vec<i128> = (20..40).collect();
    let age = numbers(&ages);
    let whole = Value::Span(0, 19);
    assert_eq!(share(&Wanted::Run(20.0, 29.0), &Open::new(&age, whole)), 0.5);
    assert_eq!(share(&Wanted::Run(0.0, 19.0), &Open::new(&age, whole)), 0.0);
    assert_eq!(share(&Wanted::Run(0.0, 99.0), &Open::new(&age, whole)), 1.0);
    // One of four leaves: ten rows give 10 / 20 of 1 / 4 of 10 rows, 5/4.
    let job = words(4);
    let one = Wanted::Codes(vec![0, 0, 1, 1, 1]);
    assert_eq!(share(&one, &Open::new(&job, Value::Star)), 0.25);
    assert_eq!(share(&one, &Open::new(&job, Value::Span(0, 1))), 0.5);
    assert_eq!(share(&one, &Open::new(&job, Value::Subset(0b1010))), 0.5);
    assert_eq!(share(&one, &Open::new(&job, Value::Span(2, 3))), 0.0);
    // Eight rows are 20 to 27, two are 30: 8 true, 5 expected.
    let rows: Vec<(Vec<u32>, u32)> = (0..8).chain([10, 10]).map(|code| (vec![code], 0)).collect();
    let problem = problem(vec![age], &rows, 1, 1);
    let mut classes = release(&problem, &[0; 9], &[false], StarPolicy::Strict);
    classes.assignment.columns[0].values[0] = whole;
    let query =
        Query { columns: vec![0], wanted: vec![Wanted::Run(20.0, 29.0)], kept: Wanted::Run(0.0, 0.0) };
    let error = Counts::new(&classes, &problem, &[0], None).errors(&[&query])[0];
    assert!((error - 3.0 / 8.0).abs() < 1e-12);
}

/// models.md 2.10: in a table of 10,000 rows errors are relative to at least 10.
#[test]
fn a_small_count_is_compared_with_the_bound() {
    let age = numbers(&(20..41).collect::<Vec<i128>>());
    // Ten rows show [20,39], of which eight are 20 to 27; the others are 40.
    let group = (0..8).chain([10, 10]).map(|code| (vec![code], 0));
    let rows: Vec<(Vec<u32>, u32)> = group.chain((10..10_000).map(|_| (vec![20], 0))).collect();
    let problem = problem(vec![age], &rows, 1, 1);
    assert_eq!(bound(&problem), 10.0);
    let of_tuple: Vec<u32> = (0..problem.table.tuples())
        .map(|tuple| u32::from(problem.table.column(0).get(tuple) == 20))
        .collect();
    let mut classes = release(&problem, &of_tuple, &[false; 2], StarPolicy::Strict);
    let shown = classes.assignment.columns[0].of_class.get(0) as usize;
    classes.assignment.columns[0].values[shown] = Value::Span(0, 19);
    let query =
        Query { columns: vec![0], wanted: vec![Wanted::Run(20.0, 29.0)], kept: Wanted::Run(0.0, 0.0) };
    let error = Counts::new(&classes, &problem, &[0], None).errors(&[&query])[0];
    assert!((error - 3.0 / 10.0).abs() < 1e-12, "{error}");
}

/// models.md 2.10: ten rows show 20 ages and four jobs; half of the ages and one job are asked for, and 5/4 rows expected.
#[test]
fn shares_of_two_columns_are_multiplied() {
    let ages: Vec<i128> = (20..40).collect();
    // Nobody has the job that is asked for, so that the error is the expected count over the bound of 1.
    let rows: Vec<(Vec<u32>, u32)> = (0..10).map(|row| (vec![2 * row, 1 + row % 3], 0)).collect();
    let problem = problem(vec![numbers(&ages), words(4)], &rows, 1, 1);
    let tuples = problem.table.tuples();
    let mut classes = release(&problem, &vec![0; tuples], &[false], StarPolicy::Strict);
    classes.assignment.columns[0].values[0] = Value::Span(0, 19);
    classes.assignment.columns[1].values[0] = Value::Star;
    let query = Query {
        columns: vec![0, 1],
        wanted: vec![Wanted::Run(20.0, 29.0), Wanted::Codes(vec![0, 1, 1, 1, 1])],
        kept: Wanted::Run(0.0, 0.0),
    };
    let error = Counts::new(&classes, &problem, &[0, 1], None).errors(&[&query])[0];
    assert!((error - 5.0 / 4.0).abs() < 1e-12, "{error}");
}

/// A mean is where it is; no question about numbers is about missing ones.
#[test]
fn means_and_missing_values() {
    let mut age = numbers(&[10, 20, 30]);
    let mean = |mean| Value::Mean { low: 0, high: 2, mean };
    assert_eq!(share(&Wanted::Run(20.0, 25.0), &Open::new(&age, mean(2000))), 1.0);
    assert_eq!(share(&Wanted::Run(20.0, 25.0), &Open::new(&age, mean(1999))), 0.0);
    if let Shape::Line(line) = &mut age.shape {
        line.texts = ["10", "20", "30", "?"].into_iter().collect();
    }
    assert_eq!(share(&Wanted::Run(0.0, 100.0), &Open::new(&age, Value::Span(3, 3))), 0.0);
    assert_eq!([0, 3].map(|code| place(&age, code)), [Some(10.0), None]);
}

#[test]
fn what_is_not_touched_has_no_error() {
    let rows: Vec<(Vec<u32>, u32)> = (0..40).map(|row| (vec![row % 7, row % 5], row % 3)).collect();
    let problem = problem(vec![numbers(&[1, 2, 3, 5, 8, 13, 21]), words(5)], &rows, 1, 2);
    let tuples = problem.table.tuples();
    let of_tuple: Vec<u32> = (0..tuples as u32).collect();
    let exact = release(&problem, &of_tuple, &vec![false; tuples], StarPolicy::Drop);
    let Measured { value, details } = QueryError.measure_fully(&exact, &problem);
    assert_eq!(value, Some(0.0));
    assert_eq!(details[..3], [("lower", 0.0), ("upper", 0.0), ("median", 0.0)]);
    assert_eq!(details[3..], [("queries", 1000.0), ("bound", 1.0)]);
    // Without its rows every count is 0: all of the truth is missing, where there is any.
    let none = release(&problem, &of_tuple, &vec![true; tuples], StarPolicy::Drop);
    let error = QueryError.measure(&none, &problem);
    assert!(error.is_some_and(|error| 0.5 < error && error <= 1.0), "{error:?}");
    assert_eq!(
        QueryError.measure(&none, &Problem { seed: 0, ..problem }),
        error,
        "the same seed asks the same"
    );
}

/// Of 1,000 errors the 500th and the 501st are in the middle. The interval reaches 1.96 standard errors to both sides. 999 times the variance is the sum
/// of the squares less 1,000 times the square of the mean.
#[test]
fn the_middle_and_the_interval() {
    let numbers = || numbers(&(0..997).collect::<Vec<i128>>());
    let rows: Vec<(Vec<u32>, u32)> =
        (0..400).map(|row| (vec![row * 7 % 997, row * row % 997], row % 3)).collect();
    let problem = problem(vec![numbers(), numbers()], &rows, 1, 2);
    let tuples = problem.table.tuples() as u32;
    let of_tuple: Vec<u32> = (0..tuples).map(|tuple| tuple * 8 / tuples).collect();
    let classes = &release(&problem, &of_tuple, &[false; 8], StarPolicy::Strict);
    let mut errors = errors(classes, &problem);
    errors.sort_unstable_by(f64::total_cmp);
    assert_eq!(errors.len(), 1000);
    assert!(errors[498] < errors[499] && errors[499] < errors[500] && errors[500] < errors[501]);
    let Measured { value, details } = QueryError.measure_fully(classes, &problem);
    assert_eq!(QueryError.details(classes, &problem), details);
    let mean = value.expect("there are rows");
    assert!((mean - errors.iter().sum::<f64>() / 1000.0).abs() < 1e-12);
    let [("lower", lower), ("upper", upper), ("median", median), ..] = details[..] else {
        panic!("{details:?}")
    };
    assert!((median - errors[499] - (errors[500] - errors[499]) / 2.0).abs() < 1e-12);
    assert!(lower > 0.0 && (mean - lower - (upper - mean)).abs() < 1e-12);
    let variance = 1000.0 * ((upper - mean) / 1.96).powi(2);
    let squares = errors.iter().map(|error| error * error).sum::<f64>();
    assert!((999.0 * variance - (squares - 1000.0 * mean * mean)).abs() < 1e-9);
}

/// Every count by hand: rows one by one, and the values that each cell stands for one by one.
#[test]
fn counts_equal_those_of_single_rows() {
    let (ages, jobs) = (numbers(&[1, 2, 3, 5, 8, 13, 21]), words(5));
    let mut chance = Chance(ChaCha8Rng::seed_from_u64(1));
    for round in 0..40 {
        let mut below = |end: u64| chance.below(end) as u32;
        let rows: Vec<(Vec<u32>, u32)> =
            (0..30).map(|_| (vec![below(7), below(5), below(7)], below(4))).collect();
        let mut problem = problem(vec![ages.clone(), jobs.clone(), ages.clone()], &rows, 1, 2);
        problem.seed = round;
        let of_tuple: Vec<u32> = (0..problem.table.tuples()).map(|_| below(4)).collect();
        let suppressed: Vec<bool> = (0..4).map(|_| below(4) == 0).collect();
        let policy = if round % 2 == 0 { StarPolicy::Drop } else { StarPolicy::Strict };
        let classes = &release(&problem, &of_tuple, &suppressed, policy);
        let values = |quasi: &Quasi, value: Value| -> Vec<i128> {
            match (&quasi.shape, value) {
                (Shape::Line(_), Value::Star) => (1..=21).collect(),
                (Shape::Line(line), _) => {
                    let (low, high) = quasi.codes(value);
                    (line.numbers[low as usize]..=line.numbers[high as usize]).collect()
                }
                _ => (i128::from(quasi.codes(value).0)..=i128::from(quasi.codes(value).1)).collect(),
            }
        };
        let asked = |wanted: &Wanted, value: i128| match wanted {
            Wanted::Run(from, to) => (*from..=*to).contains(&(value as f64)),
            Wanted::Codes(before) => before[value as usize] < before[value as usize + 1],
        };
        let naive = |query: &Query| {
            let (mut truth, mut expected) = (0.0, 0.0);
            for tuple in 0..problem.table.tuples() as u32 {
                let class = of_tuple[tuple as usize] as usize;
                let (mut inside, mut share) = (true, 1.0);
                for (column, wanted) in query.columns.iter().zip(&query.wanted) {
                    let quasi = &problem.quasi[*column];
                    let code = problem.table.column(*column).get(tuple as usize);
                    inside &= asked(wanted, values(quasi, Value::Span(code, code))[0]);
                    let open = values(quasi, classes.shown(class, *column));
                    let met = open.iter().filter(|value| asked(wanted, **value)).count();
                    share *= met as f64 / open.len() as f64;
                }
                for cell in problem.table.cells(tuple) {
                    if asked(&query.kept, i128::from(problem.table.payloads().value(cell.payload, 0))) {
                        truth += if inside { f64::from(cell.rows) } else { 0.0 };
                        let gone = classes.is_suppressed(class) && policy == StarPolicy::Drop;
                        expected += if gone { 0.0 } else { share * f64::from(cell.rows) };
                    }
                }
            }
            (truth - expected).abs() / f64::max(truth, 1.0)
        };
        let found = errors(classes, &problem);
        for (query, error) in queries(&problem, Some(0)).iter().zip(found) {
            assert_eq!(query.columns.len(), 2);
            assert!((naive(query) - error).abs() < 1e-9, "{} and {error}", naive(query));
        }
    }
}

#[test]
fn questions_are_as_wide_as_they_should_be() {
    let rows: Vec<(Vec<u32>, u32)> = (0..8).map(|row| (vec![row, row], row % 4)).collect();
    let problem = problem(vec![numbers(&[0, 10, 20, 30, 40, 50, 60, 99]), words(8)], &rows, 1, 2);
    // The cube root of 0.05 is 0.368: 37 of 100 years, 3 of 8 words, 2 of 4 illnesses.
    for query in queries(&problem, Some(0)) {
        assert_eq!(query.columns, [0, 1]);
        assert!(
            matches!(&query.wanted[0], Wanted::Run(from, to) if to - from == 36.0 && *from >= 0.0 && *to <= 99.0)
        );
        assert!(matches!(&query.wanted[1], Wanted::Codes(before) if before[8] == 3));
        assert!(matches!(&query.kept, Wanted::Codes(before) if before[4] == 2));
    }
}
