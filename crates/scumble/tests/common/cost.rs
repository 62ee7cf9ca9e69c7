//! What a release cost, recomputed row by row from the released strings (models.md 2.1 to 2.5).

use std::collections::BTreeMap;

use scumble::config::StarPolicy;

use super::column::{Content, JOBS, Kind, Shape, is_missing};
use super::demand::Demand;
use super::naive::{Strings, is_star};
use super::run::Ask;
use super::table::Table;

/// The naive figures by the names of the registry; `None` where one is not defined.
pub(crate) fn figures(table: &Table, ask: &Ask, strings: &Strings) -> Vec<(&'static str, Option<f64>)> {
    let quasi = table.quasi();
    let surviving = table.surviving(ask.class);
    let rows = surviving.len() as f64;
    let classes = strings.classes(&quasi);
    // What was suppressed: dropped rows, or all that show nothing where suppressed rows stay.
    let dropped = surviving.len() - strings.rows.len();
    let kept: Vec<&Vec<usize>> = classes
        .iter()
        .filter(|(shown, _)| ask.policy == StarPolicy::Drop || !is_star(shown))
        .map(|(_, rows)| rows)
        .collect();
    let kept_rows: usize = kept.iter().map(|rows| rows.len()).sum();
    let suppressed = (surviving.len() - kept_rows) as f64;

    let columns: Vec<Column<'_>> = table
        .kinds
        .iter()
        .zip(&quasi)
        .map(|(kind, name)| Column::new(*kind, &table.values(name, &surviving)))
        .collect();
    let mean = |cost: &dyn Fn(&Column<'_>, &str) -> f64, column: usize| {
        let shown =
            strings.rows.iter().map(|row| cost(&columns[column], &row[strings.place(&quasi[column])]));
        (shown.sum::<f64>() + dropped as f64 * cost(&columns[column], "*")) / rows
    };
    let losses: Vec<f64> = (0..columns.len())
        .map(|column| {
            if ask.algorithm == "mdav" {
                mean_loss(table, strings, &quasi[column], &columns[column])
            } else {
                mean(&|column, shown| column.loss(shown), column)
            }
        })
        .collect();
    let with_tree: Vec<usize> = (0..columns.len()).filter(|column| columns[*column].height() > 0).collect();
    let steps: f64 = with_tree
        .iter()
        .map(|column| {
            mean(&|column, shown| f64::from(column.steps(shown)) / f64::from(column.height()), *column)
        })
        .sum();

    let squares: usize = kept.iter().map(|rows| rows.len() * rows.len()).sum();
    let discernibility = squares as f64 + rows * suppressed;
    let minority: f64 = kept
        .iter()
        .map(|rows| {
            let mut labels: BTreeMap<&str, usize> = BTreeMap::new();
            rows.iter().for_each(|row| *labels.entry(strings.cell(*row, "label")).or_default() += 1);
            (rows.len() - labels.values().max().expect("a class has rows")) as f64
        })
        .sum();
    let k =
        ask.demands.iter().filter_map(|demand| if let Demand::K(k) = demand { Some(*k) } else { None }).max();
    let count = columns.len() as f64;
    vec![
        ("loss", Some(losses.iter().sum::<f64>() / count)),
        (
            "loss_geometric",
            Some(
                losses.iter().map(|loss| (loss + 1.0).ln()).sum::<f64>().mul_add(1.0 / count, 0.0).exp()
                    - 1.0,
            ),
        ),
        ("discernibility", Some(discernibility)),
        ("discernibility_normalised", Some(discernibility / rows / rows)),
        ("classification", ask.class.map(|_| (suppressed + minority) / rows)),
        ("c_avg", k.filter(|_| !kept.is_empty()).map(|k| kept_rows as f64 / kept.len() as f64 / k as f64)),
        ("precision", (!with_tree.is_empty()).then(|| 1.0 - steps / with_tree.len() as f64)),
    ]
}

/// The loss of a column of means: each row leaves open the range of the original numbers of its class.
fn mean_loss(table: &Table, strings: &Strings, name: &str, column: &Column<'_>) -> f64 {
    let (first, last) = column.range.expect("numbers");
    let serial = |row: &usize| strings.cell(*row, "serial").parse::<usize>().expect("a row number");
    let number =
        |row: &usize| column.kind.content.number(&table.column(name)[serial(row)]).expect("a number");
    let classes = strings.classes(&table.quasi());
    let open = classes.values().map(|rows| {
        let (low, high) = (rows.iter().map(number).min(), rows.iter().map(number).max());
        let range = high.zip(low).map_or(0, |(high, low)| high - low);
        rows.len() as f64 * range as f64 / ((last - first) as f64).max(1.0)
    });
    open.sum::<f64>() / strings.rows.len() as f64
}

/// A column's domain, as strings.
struct Column<'a> {
    kind: Kind,
    /// The values of the domain: those declared by a tree, else those present; one for missing values, if there are some.
    domain: Vec<&'a str>,
    /// The least and greatest number of the domain.
    range: Option<(i128, i128)>,
}

impl<'a> Column<'a> {
    fn new(kind: Kind, values: &[&'a str]) -> Self {
        let mut domain: Vec<&str> = Vec::new();
        if kind.ancestors("").is_some() {
            domain.extend(JOBS.iter().map(|(job, _)| *job));
        }
        for value in values {
            if !domain.iter().any(|known| kind.same(known, value)) {
                domain.push(value);
            }
        }
        let on_a_line = matches!(kind.shape, Shape::Nothing | Shape::Tight | Shape::Bounded);
        let numbers =
            domain.iter().filter(|value| !is_missing(value)).filter_map(|value| kind.content.number(value));
        let range = match kind.shape {
            Shape::Bounded => Some((0, 150_000)),
            _ => numbers.clone().min().zip(numbers.max()).filter(|_| on_a_line),
        };
        Self { kind, domain, range }
    }

    /// How much of the domain a released text leaves open.
    fn loss(&self, shown: &str) -> f64 {
        if let (Some((first, last)), Some((low, high, closed))) = (self.range, self.kind.interval(shown)) {
            assert!(closed);
            if first == last {
                return 0.0;
            }
            return (high.min(last) - low.max(first)) as f64 / (last - first) as f64;
        }
        if self.domain.len() <= 1 {
            return 0.0;
        }
        let covered = self.domain.iter().filter(|value| self.kind.covers(value, shown)).count();
        (covered - 1) as f64 / (self.domain.len() - 1) as f64
    }

    /// The steps from the leaves to the root; 0 without a tree.
    fn height(&self) -> u32 {
        match self.kind.shape {
            Shape::Flat => 1,
            Shape::File | Shape::ParentChild => 3,
            Shape::Prefix => 4,
            Shape::Nothing | Shape::Tight | Shape::Bounded => 0,
            other => unreachable!("{other:?} has no naive figure"),
        }
    }

    /// The steps from the leaves to a released text.
    fn steps(&self, shown: &str) -> u32 {
        match (shown, self.kind.shape) {
            ("*", _) => self.height(),
            (_, Shape::Prefix) => {
                shown.chars().rev().take_while(|character| *character == '*').count() as u32
            }
            (_, Shape::File | Shape::ParentChild) => {
                // The longest path has three nodes above its leaf; a node lies as many steps up as it is away from there.
                let paths = JOBS.iter().filter_map(|(job, _)| self.kind.ancestors(job));
                let below_root =
                    paths.filter_map(|path| path.iter().rev().position(|node| *node == shown)).max();
                below_root.map_or(0, |depth| 3 - depth as u32)
            }
            _ => 0,
        }
    }
}

/// The kinds of columns for which the figures above are defined. Without `trees` also numbers without levels.
pub(crate) fn kinds(trees: bool) -> Vec<Kind> {
    use Content::{Code, Comma, Decimal, Job, Letter, Whole, Word};
    let levels = [
        (Letter, Shape::Flat),
        (Job, Shape::File),
        (Job, Shape::ParentChild),
        (Code, Shape::Prefix),
        (Whole, Shape::Flat),
    ];
    let none = [
        (Whole, Shape::Nothing),
        (Whole, Shape::Tight),
        (Whole, Shape::Bounded),
        (Decimal, Shape::Nothing),
        (Comma, Shape::Tight),
        (Word, Shape::Nothing),
        (Job, Shape::Nothing),
    ];
    let pair = |(content, shape)| Kind { content, shape };
    levels.into_iter().chain(none.into_iter().filter(|_| !trees)).map(pair).collect()
}
