//! Mondrian again, written down as the specification has it (algorithms.md B1): on rows of strings, slowly.

use proptest::prelude::*;
use scumble::config::MissingPolicy;

use super::common::column::{Content, JOBS, Kind, Shape};
use super::common::demand::{Demand, Ground};
use super::common::naive::Strings;
use super::common::run::{Ask, release};
use super::common::seeded;
use super::common::table::{Table, tables_of};

/// How Mondrian is asked to cut.
#[derive(Debug, Clone, Copy)]
struct Asked {
    /// Only at the median.
    literal: bool,
    /// Children that fail alone stay together.
    together: bool,
}

/// A column as the specification sees it.
enum Axis {
    /// The number of each row, and the width of the whole column.
    Line(Vec<i128>, i128),
    /// The path of each row's value from the root down, and of every leaf of the domain.
    Tree(Vec<Vec<String>>, Vec<Vec<String>>),
}

impl Axis {
    fn new(kind: Kind, values: &[&str]) -> Self {
        let mut domain: Vec<&str> = values.to_vec();
        domain.sort_unstable();
        domain.dedup();
        let path = |value: &&str| -> Vec<String> {
            let above = kind.ancestors(value).unwrap_or_else(|| vec!["*"]);
            above.into_iter().rev().chain([*value]).map(str::to_owned).collect()
        };
        match (kind.content, kind.shape) {
            (_, Shape::Flat) => {
                Self::Tree(values.iter().map(path).collect(), domain.iter().map(path).collect())
            }
            (_, Shape::File) => {
                let leaves: Vec<&str> = JOBS.iter().map(|(job, _)| *job).collect();
                Self::Tree(values.iter().map(path).collect(), leaves.iter().map(path).collect())
            }
            // Texts without a tree are ranks among the values that occur.
            (Content::Letter, _) => {
                let rank = |value: &&str| domain.binary_search(value).expect("it occurs") as i128;
                Self::Line(values.iter().map(rank).collect(), domain.len() as i128 - 1)
            }
            _ => {
                let numbers: Vec<i128> =
                    values.iter().map(|value| kind.content.number(value).expect("a number")).collect();
                let width = numbers.iter().max().expect("a row") - numbers.iter().min().expect("a row");
                Self::Line(numbers, width)
            }
        }
    }

    /// The deepest node above all rows of a part.
    fn common(paths: &[Vec<String>], part: &[usize]) -> Vec<String> {
        let first = &paths[part[0]];
        let shared = |length: &usize| part.iter().all(|row| paths[*row].starts_with(&first[..*length]));
        first[..(1..=first.len()).rev().find(shared).expect("the root is shared")].to_vec()
    }

    fn width(&self, part: &[usize]) -> f64 {
        match self {
            Self::Line(numbers, whole) => {
                let part = part.iter().map(|row| numbers[*row]);
                let width = part.clone().max().expect("a row") - part.min().expect("a row");
                if width == 0 { 0.0 } else { width as f64 / *whole as f64 }
            }
            Self::Tree(paths, leaves) => {
                let node = Self::common(paths, part);
                let below = leaves.iter().filter(|leaf| leaf.starts_with(&node)).count();
                if below <= 1 { 0.0 } else { (below - 1) as f64 / (leaves.len() - 1) as f64 }
            }
        }
    }

    /// The cut of a part, if one is allowed: `allowed` says so of each piece.
    fn cut(
        &self,
        part: &[usize],
        Asked { literal, together }: Asked,
        allowed: &dyn Fn(&[usize]) -> bool,
    ) -> Option<Vec<Vec<usize>>> {
        match self {
            Self::Line(numbers, _) => {
                let mut points: Vec<i128> = part.iter().map(|row| numbers[*row]).collect();
                points.sort_unstable();
                points.dedup();
                let sides = |x: &i128| -> (Vec<usize>, Vec<usize>) {
                    part.iter().partition(|row| numbers[**row] <= *x)
                };
                if literal {
                    points =
                        points.into_iter().filter(|x| 2 * sides(x).0.len() >= part.len()).take(1).collect();
                }
                let allowable = points.into_iter().filter(|x| {
                    let (left, right) = sides(x);
                    !left.is_empty() && !right.is_empty() && allowed(&left) && allowed(&right)
                });
                let x = allowable.min_by_key(|x| (sides(x).0.len().abs_diff(sides(x).1.len()), *x))?;
                let (left, right) = sides(&x);
                Some(vec![left, right])
            }
            Self::Tree(paths, leaves) => {
                let depth = Self::common(paths, part).len();
                let mut pieces = std::collections::BTreeMap::<&str, Vec<usize>>::new();
                for row in part {
                    pieces.entry(paths[*row].get(depth)?).or_default().push(*row);
                }
                // In the order of the tree.
                let first = |label: &str| {
                    leaves.iter().position(|leaf| leaf.get(depth).is_some_and(|of| of == label))
                };
                let mut pieces: Vec<(&str, Vec<usize>)> = pieces.into_iter().collect();
                pieces.sort_by_key(|(label, _)| first(label));
                let pieces = pieces.into_iter().map(|(_, piece)| piece);
                let (mut pieces, small): (Vec<_>, Vec<_>) = pieces.partition(|piece| allowed(piece));
                if !small.is_empty() {
                    let mut rest = small.concat();
                    while together && !allowed(&rest) {
                        let least = (0..pieces.len()).min_by_key(|piece| pieces[*piece].len())?;
                        rest.extend(pieces.remove(least));
                    }
                    pieces = if together { pieces.into_iter().chain([rest]).collect() } else { Vec::new() };
                }
                (pieces.len() > 1).then_some(pieces)
            }
        }
    }
}

fn split(
    axes: &[Axis],
    part: Vec<usize>,
    asked: Asked,
    allowed: &dyn Fn(&[usize]) -> bool,
    classes: &mut Vec<Vec<usize>>,
) {
    let mut order: Vec<(f64, &Axis)> =
        axes.iter().map(|axis| (axis.width(&part), axis)).filter(|(width, _)| *width > 0.0).collect();
    // Stable: equal widths stay in the order of the columns.
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    match order.iter().find_map(|(_, axis)| axis.cut(&part, asked, allowed)) {
        Some(pieces) => pieces.into_iter().for_each(|piece| split(axes, piece, asked, allowed, classes)),
        None => classes.push(part),
    }
}

/// The classes of the specification, each with its rows ascending.
fn naive_classes(table: &Table, demands: &[Demand], asked: Asked) -> Vec<Vec<usize>> {
    let rows: Vec<usize> = (0..table.rows).collect();
    let axes: Vec<Axis> = table
        .kinds
        .iter()
        .zip(table.quasi())
        .map(|(kind, name)| Axis::new(*kind, &table.values(&name, &rows)))
        .collect();
    let allowed = |part: &[usize]| {
        demands.iter().all(|demand| {
            let column = demand.column().unwrap_or("ill");
            demand.holds(&table.values(column, part), &table.values(column, &rows))
        })
    };
    let mut classes = Vec::new();
    split(&axes, rows.clone(), asked, &allowed, &mut classes);
    classes.sort();
    classes
}

fn released_classes(
    table: &Table,
    demands: &[Demand],
    Asked { literal, together }: Asked,
) -> Option<Vec<Vec<usize>>> {
    let cut = if literal { "literal" } else { "nearest" };
    let small = if together { "together" } else { "refuse" };
    let ask = Ask {
        keep_order: true,
        class: None,
        parameters: vec![("cut", cut), ("small_children", small)],
        ..Ask::new("mondrian", demands)
    };
    let written = release(table, &ask).ok()?;
    let strings = Strings::parse(&written.text);
    let mut classes: Vec<Vec<usize>> = strings.classes(&table.quasi()).into_values().collect();
    classes.sort();
    Some(classes)
}

proptest! {
    #![proptest_config(seeded(5, 250))]

    #[test]
    fn mondrian_is_what_the_specification_says(
        table in tables_of(vec![
            Kind { content: Content::Whole, shape: Shape::Tight },
            Kind { content: Content::Whole, shape: Shape::Nothing },
            Kind { content: Content::Decimal, shape: Shape::Tight },
            Kind { content: Content::Letter, shape: Shape::Nothing },
            Kind { content: Content::Letter, shape: Shape::Flat },
            Kind { content: Content::Job, shape: Shape::File },
        ], false),
        demands in prop::sample::select(vec![
            vec![Demand::K(2)],
            vec![Demand::K(3)],
            vec![Demand::Distinct("ill", 2)],
            vec![Demand::Frequency("ill", (131, 100)), Demand::K(2)],
            vec![Demand::Recursive("ill", (2, 1), 2)],
            vec![Demand::Close("ill", (1, 3), Ground::Equal)],
            vec![Demand::Close("cost", (1, 4), Ground::Ordered), Demand::K(2)],
        ]),
        [literal, together] in any::<[bool; 2]>(),
    ) {
        let asked = Asked { literal, together };
        if let Some(classes) = released_classes(&table, &demands, asked) {
            let mut expected = naive_classes(&table, &demands, asked);
            expected.iter_mut().for_each(|class| class.sort_unstable());
            expected.sort();
            prop_assert_eq!(classes, expected);
        }
    }
}

/// A table of one column of numbers.
fn numbers(values: &[&str]) -> Table {
    let cells = |value: &dyn Fn(usize) -> String| (0..values.len()).map(value).collect::<Vec<_>>();
    Table {
        kinds: vec![Kind { content: Content::Whole, shape: Shape::Tight }],
        columns: vec![
            ("name".into(), cells(&|row| row.to_string())),
            ("q0".into(), cells(&|row| values[row].to_owned())),
            ("ill".into(), cells(&|_| "flu".to_owned())),
            ("serial".into(), cells(&|row| row.to_string())),
        ],
        rows: values.len(),
        policy: MissingPolicy::OwnValue,
    }
}

/// The examples that B1 works out by hand.
#[test]
fn literal_and_nearest_cuts_of_the_specification() {
    let sizes = |values: &[&str], literal| {
        let asked = Asked { literal, together: true };
        let classes =
            released_classes(&numbers(values), &[Demand::K(3)], asked).expect("three rows are there");
        classes.iter().map(Vec::len).collect::<Vec<_>>()
    };
    assert_eq!(
        sizes(&["1", "1", "1", "1", "2", "3"], false),
        [6],
        "strict: no cut leaves three on both sides"
    );
    let skewed = ["1", "1", "1", "2", "2", "2", "2", "2", "2", "2", "2", "2"];
    assert_eq!(sizes(&skewed, true), [12], "the median is the maximum");
    assert_eq!(sizes(&skewed, false), [3, 9]);
}
