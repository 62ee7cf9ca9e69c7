//! What a release cost, recomputed row by row from the released strings (models.md 2.1 to 2.7, 2.9, 2.11).

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
    let shares: Vec<f64> = (0..columns.len())
        .map(|column| match ask.algorithm {
            "mdav" => losses[column],
            _ => mean(&|column, shown| column.share(shown), column),
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
    let rows_of = Rows::new(table, ask, strings, &columns);
    let mut figures = rows_of.figures();
    figures.extend(labels(table, ask, strings, &columns));
    figures.extend([
        ("loss", Some(losses.iter().sum::<f64>() / count)),
        ("ncp_xu", Some(shares.iter().sum::<f64>() / count)),
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
    ]);
    figures
}

/// Every original row with what it shows, for figures that compare the two.
struct Rows<'a> {
    columns: &'a [Column<'a>],
    /// Column by column the original texts.
    original: Vec<Vec<&'a str>>,
    /// Row by row which original rows each cell stands for, and how many levels it was lifted of how many.
    cells: Vec<Vec<Cell>>,
}

/// One released cell.
struct Cell {
    /// Places of the rows whose original value is covered.
    covered: Vec<usize>,
    level: u32,
}

impl<'a> Rows<'a> {
    fn new(table: &'a Table, ask: &Ask, strings: &Strings, columns: &'a [Column<'a>]) -> Self {
        let (quasi, surviving) = (table.quasi(), table.surviving(ask.class));
        let original: Vec<Vec<&str>> = quasi.iter().map(|name| table.values(name, &surviving)).collect();
        let serial = |row: usize| strings.cell(row, "serial").parse::<usize>().expect("a row number");
        let released: BTreeMap<usize, usize> =
            (0..strings.rows.len()).map(|row| (serial(row), row)).collect();
        let classes = strings.classes(&quasi);
        let all: Vec<usize> = (0..surviving.len()).collect();
        let cell = |place: usize, column: usize| {
            let (values, of) = (&original[column], &columns[column]);
            let Some(row) = released.get(&surviving[place]) else {
                return Cell { covered: all.clone(), level: of.levels() };
            };
            if ask.algorithm == "mdav" {
                // A mean stands for all between the extremes of its class.
                let shown: Vec<&str> = quasi.iter().map(|name| strings.cell(*row, name)).collect();
                let number = |place: &usize| of.kind.content.number(values[*place]).expect("a number");
                let members = classes[&shown]
                    .iter()
                    .map(|row| surviving.iter().position(|of| *of == serial(*row)).expect("a surviving row"));
                let numbers: Vec<i128> = members.map(|place| number(&place)).collect();
                let (low, high) = (numbers.iter().min().copied(), numbers.iter().max().copied());
                let covered =
                    all.iter().filter(|place| low <= Some(number(place)) && Some(number(place)) <= high);
                return Cell { covered: covered.copied().collect(), level: u32::from(low != high) };
            }
            let shown = strings.cell(*row, &quasi[column]);
            let covered = all.iter().filter(|place| of.kind.covers(values[**place], shown));
            Cell { covered: covered.copied().collect(), level: of.level(values[place], shown) }
        };
        let cells =
            all.iter().map(|place| (0..columns.len()).map(|column| cell(*place, column)).collect()).collect();
        Self { columns, original, cells }
    }

    /// The share of rows that have the value of a row, among some rows.
    fn share(&self, column: usize, row: usize, among: &[usize]) -> f64 {
        let values = &self.original[column];
        let same = |other: &&usize| self.columns[column].kind.same(values[row], values[**other]);
        among.iter().filter(same).count() as f64 / among.len() as f64
    }

    /// The entropy of a column among some rows: the mean of what its rows lack.
    fn bits(&self, column: usize, among: &[usize]) -> f64 {
        let lacking = among.iter().map(|row| -self.share(column, *row, among).log2());
        lacking.sum::<f64>() / among.len() as f64
    }

    fn figures(&self) -> Vec<(&'static str, Option<f64>)> {
        let rows = self.cells.len() as f64;
        let all: Vec<usize> = (0..self.cells.len()).collect();
        let columns = 0..self.columns.len();
        let most: f64 = columns.clone().map(|column| self.bits(column, &all)).sum();
        let over_cells = |cost: &dyn Fn(usize, usize, &Cell) -> f64| {
            let row = |(row, cells): (usize, &Vec<Cell>)| {
                cells.iter().enumerate().map(|(column, cell)| cost(row, column, cell)).sum::<f64>()
            };
            self.cells.iter().enumerate().map(row).sum::<f64>() / rows
        };
        let of_bits = |sum: f64| Some(if most > 1e-9 { sum / most } else { 0.0 });
        let plain = over_cells(&|_, column, cell| self.bits(column, &cell.covered));
        let monotone = over_cells(&|_, column, cell| {
            cell.covered.len() as f64 / rows * self.bits(column, &cell.covered)
        });
        let non_uniform = over_cells(&|row, column, cell| -self.share(column, row, &cell.covered).log2());
        // Columns without steps to take are left out.
        let with_steps = self.columns.iter().filter(|column| column.levels() > 0).count().max(1) as f64;
        // A step that ends at the level j, counted from the leaves, is the (height - j + 1)th from the root.
        let lifted = |weight: &dyn Fn(u32) -> f64| {
            over_cells(&|_, column, cell| {
                let height = self.columns[column].levels();
                let steps = |to: u32| (1..=to).map(|level| weight(height - level + 1)).sum::<f64>();
                if cell.level == 0 { 0.0 } else { steps(cell.level) / steps(height) }
            }) / with_steps
        };
        vec![
            ("entropy", of_bits(plain)),
            ("monotone_entropy", of_bits(monotone)),
            ("non_uniform_entropy", of_bits(non_uniform)),
            ("distortion", Some(lifted(&|_| 1.0))),
            ("distortion_height", Some(lifted(&|from_root| 1.0 / f64::from(from_root)))),
        ]
    }
}

/// What classes reveal about labels and sensitive values.
fn labels(
    table: &Table,
    ask: &Ask,
    strings: &Strings,
    columns: &[Column<'_>],
) -> Vec<(&'static str, Option<f64>)> {
    let (quasi, surviving) = (table.quasi(), table.surviving(ask.class));
    let rows = surviving.len() as f64;
    // The rows of each class, by place among the surviving ones; dropped rows are the last.
    let place = |row: &usize| {
        let serial = strings.cell(*row, "serial").parse::<usize>().expect("a row number");
        surviving.iter().position(|of| *of == serial).expect("a surviving row")
    };
    let classes: Vec<Vec<usize>> =
        strings.classes(&quasi).values().map(|rows| rows.iter().map(place).collect()).collect();
    let dropped: Vec<usize> =
        (0..surviving.len()).filter(|place| classes.iter().all(|class| !class.contains(place))).collect();
    let text = |name: &str, place: usize| {
        let text = table.column(name)[surviving[place]].as_str();
        if is_missing(text) { "?" } else { text }
    };
    // The mean over the rows of a class of a function of the share of their value in it, summed over its rows.
    let sum = |name: &str, class: &[usize], loss: &dyn Fn(f64) -> f64| -> f64 {
        let share = |place: &usize| {
            let same = class.iter().filter(|other| text(name, **other) == text(name, *place)).count();
            same as f64 / class.len() as f64
        };
        class.iter().map(|place| loss(share(place))).sum()
    };
    let bits = |share: f64| -share.log2();
    // Rows that were equal.
    let mut tuples: Vec<Vec<usize>> = Vec::new();
    for place in 0..surviving.len() {
        let same = |tuple: &&mut Vec<usize>| {
            columns.iter().zip(&quasi).all(|(column, name)| {
                let texts = table.column(name);
                column.kind.same(&texts[surviving[place]], &texts[surviving[tuple[0]]])
            })
        };
        match tuples.iter_mut().find(same) {
            Some(tuple) => tuple.push(place),
            None => tuples.push(vec![place]),
        }
    }
    let information = ask.class.map(|name| {
        let of = |groups: &[Vec<usize>]| groups.iter().map(|class| sum(name, class, &bits)).sum::<f64>();
        ((of(&classes) + sum(name, &dropped, &bits) - of(&tuples)) / rows).max(0.0)
    });
    let smallest = |groups: &[Vec<usize>]| groups.iter().map(Vec::len).min();
    let gained =
        smallest(&classes).zip(smallest(&tuples)).map(|(after, before)| after as f64 - before as f64);
    let trade_off = information.zip(gained).and_then(|(lost, gained)| match gained {
        gained if gained > 0.0 => Some(lost / gained),
        _ if lost < 1e-9 => Some(0.0),
        // Infinite, which JSON does not have.
        _ => None,
    });
    let mut protected: Vec<&str> = ask.sensitive();
    protected.sort_unstable();
    protected.dedup();
    let sensitive = |loss: &dyn Fn(f64) -> f64| {
        let of_column = |name: &&str| {
            let mut values: Vec<&str> = (0..surviving.len()).map(|place| text(name, place)).collect();
            values.sort_unstable();
            values.dedup();
            let known: f64 = classes.iter().map(|class| sum(name, class, loss)).sum();
            (known + dropped.len() as f64 * loss(1.0 / values.len() as f64)) / rows
        };
        let sum: f64 = protected.iter().map(of_column).sum();
        (!protected.is_empty()).then(|| sum / protected.len() as f64)
    };
    vec![
        ("information_loss", information),
        ("information_trade_off", trade_off),
        ("sensitive_loss", sensitive(&|share| 1.0 - share)),
        ("sensitive_bits", sensitive(&bits)),
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
        // Where everybody has one value there is nothing to lose, whatever range is declared.
        if self.domain.len() <= 1 {
            return 0.0;
        }
        if let (Some((first, last)), Some((low, high, closed))) = (self.range, self.kind.interval(shown)) {
            assert!(closed);
            if first == last {
                return 0.0;
            }
            return (high.min(last) - low.max(first)) as f64 / (last - first) as f64;
        }
        // What nobody can read is lost.
        if self.kind.shape == Shape::Alphabetic && shown.starts_with("group ") {
            return 1.0;
        }
        let covered = self.domain.iter().filter(|value| self.kind.covers(value, shown)).count();
        (covered - 1) as f64 / (self.domain.len() - 1) as f64
    }

    /// The share of the domain that a released text stands for; 0 for a value of its own.
    fn share(&self, shown: &str) -> f64 {
        if self.range.is_some() && shown != "*" {
            return self.loss(shown);
        }
        // What nobody can read is lost.
        if self.kind.shape == Shape::Alphabetic && shown.starts_with("group ") {
            return 1.0;
        }
        let covered = self.domain.iter().filter(|value| self.kind.covers(value, shown)).count();
        if covered <= 1 { 0.0 } else { covered as f64 / self.domain.len() as f64 }
    }

    /// The levels above the values: those of the tree; without one a range or set, and nothing.
    fn levels(&self) -> u32 {
        match self.height() {
            _ if self.kind.shape == Shape::Flat => 1,
            0 if self.domain.len() <= 1 => 0,
            0 => 2,
            height => height,
        }
    }

    /// The level of a released text.
    fn level(&self, original: &str, shown: &str) -> u32 {
        match (self.levels(), self.height()) {
            (levels, _) if shown == "*" => levels,
            (_, 0) if self.domain.len() <= 1 => 0,
            (_, 0) => u32::from(!self.kind.same(original, shown.strip_prefix('=').unwrap_or(shown))),
            _ => self.steps(shown),
        }
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
