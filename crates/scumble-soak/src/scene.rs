//! A random table: its columns, their roles and hierarchies, all as plain text.

use crate::csv;
use crate::random::Random;

/// The role of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    Quasi,
    Sensitive,
    Class,
    Other,
    Identifier,
    Drop,
    Guarding,
}

/// The kind of a column's cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Text,
    Code,
    Number,
    Date,
}

/// How a column's values become coarser.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Hierarchy {
    None,
    Flat,
    Prefix(Vec<usize>),
    Widths(Vec<u64>),
    Dates,
    /// The lines of a file, from the value (or an interval) to the root.
    File(Vec<Vec<String>>),
}

/// A column of the original.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) role: Role,
    pub(crate) kind: Kind,
    pub(crate) hierarchy: Hierarchy,
    /// `tight` or `set`, if the plan asks for it.
    pub(crate) label: Option<&'static str>,
    pub(crate) range: Option<(i64, i64)>,
    pub(crate) cells: Vec<String>,
}

impl Column {
    /// Returns the different values, in order.
    pub(crate) fn values(&self) -> Vec<String> {
        let mut values = self.cells.clone();
        values.sort();
        values.dedup();
        values
    }
}

/// What an algorithm needs in a table.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wish {
    pub(crate) class: bool,
    pub(crate) numbers_only: bool,
    pub(crate) number_sensitive: bool,
    pub(crate) sensitive: bool,
    pub(crate) plain_numbers: bool,
    pub(crate) full_trees: bool,
    pub(crate) guarding: bool,
    pub(crate) population: bool,
    pub(crate) small: bool,
}

/// A table with everything that belongs to it.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: usize,
    /// The people from whom the rows are taken: tuples of quasi-identifiers, in their order.
    pub(crate) population: Option<Vec<Vec<String>>>,
    pub(crate) delimiter: char,
}

/// The texts that mean a missing value.
pub(crate) const MISSING: [&str; 5] = ["?", "", "NA", "NaN", "nan"];
const SPICE: [&str; 14] = [
    "*",
    "=",
    "=x1",
    "==",
    "[3,4]",
    "[a",
    "{a|b}",
    "{",
    "a|b}c\\d",
    "two words",
    "co,mma",
    "quo\"te",
    "semi;colon",
    "grün µ",
];

impl Scene {
    pub(crate) fn of(random: &mut Random, wish: Wish) -> Self {
        let rows = match random.below(20) {
            _ if wish.small => random.between(3, 14),
            0 => random.between(2, 5),
            1 => random.between(60, 150),
            _ => random.between(6, 40),
        };
        let quasi = if random.percent(5) { random.between(6, 9) } else { random.between(1, 4) };
        let mut columns: Vec<Column> = (0..quasi).map(|at| quasi_column(random, wish, at)).collect();
        let sensitive =
            usize::from(wish.sensitive) * if random.percent(20) && !wish.guarding { 2 } else { 1 };
        for at in 0..sensitive {
            columns.push(sensitive_column(random, wish, at));
        }
        if wish.class || random.percent(40) {
            columns.push(plain(random, "class", Role::Class, 3));
        }
        if random.percent(30) {
            columns.push(plain(random, "kept", Role::Other, 4));
        }
        if random.percent(60) {
            columns.push(unique(random, "name", Role::Identifier, rows));
        }
        if random.percent(40) {
            columns.push(unique(random, "remark", Role::Drop, rows));
        }
        fill(random, &mut columns, rows);
        if wish.guarding {
            columns.push(guarding(random, &columns, rows));
        }
        random.shuffle(&mut columns);
        let delimiter = *random.pick(&[',', ',', ',', ';', '\t']);
        let mut scene = Self { columns, rows, population: None, delimiter };
        if wish.population {
            scene.population = Some(population(random, &scene));
        }
        scene
    }

    pub(crate) fn of_role(&self, role: Role) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(move |column| column.role == role)
    }

    pub(crate) fn quasi(&self) -> Vec<&Column> {
        self.of_role(Role::Quasi).collect()
    }

    pub(crate) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the table as the text of a file.
    pub(crate) fn text(&self) -> String {
        let header = self.columns.iter().map(|column| column.name.clone()).collect();
        let rows =
            (0..self.rows).map(|row| self.columns.iter().map(|column| column.cells[row].clone()).collect());
        csv::write(std::iter::once(header).chain(rows), self.delimiter)
    }

    /// Returns the population as the text of a file.
    pub(crate) fn population_text(&self) -> Option<String> {
        let header = self.quasi().iter().map(|column| column.name.clone()).collect();
        let people = self.population.as_ref()?;
        Some(csv::write(std::iter::once(header).chain(people.iter().cloned()), ','))
    }

    /// Returns texts that no public byte may contain unless a released cell shows them, each with the column that may show it.
    pub(crate) fn canaries(&self) -> Vec<(&Column, String)> {
        let telling = |column: &&Column| matches!(column.kind, Kind::Text) && column.role != Role::Guarding;
        let of = |column| Column::values(column).into_iter().map(move |value| (column, value));
        let all = self.columns.iter().filter(telling).flat_map(of);
        all.filter(|(_, value)| value.starts_with("tk")).collect()
    }
}

fn letters(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| char::from(b'a' + u8::try_from(random.below(26)).unwrap_or(0))).collect()
}

/// Makes a value that appears nowhere else, so that any file can be searched for it.
fn token(random: &mut Random, column: &str, at: usize) -> String {
    format!("tk{column}{}{at}", letters(random, 4))
}

fn column(name: String, role: Role, kind: Kind) -> Column {
    Column { name, role, kind, hierarchy: Hierarchy::None, label: None, range: None, cells: Vec::new() }
}

fn quasi_column(random: &mut Random, wish: Wish, at: usize) -> Column {
    let name = if random.percent(4) { format!("a, {at} \"b\"") } else { format!("q{at}") };
    let draw = if wish.numbers_only { 9 } else { random.below(11) };
    let tree = wish.full_trees || random.percent(60);
    match draw {
        0..6 => text_column(random, name, at, tree),
        6 => {
            let mut made = column(name, Role::Quasi, Kind::Code);
            made.cells = (0..random.between(2, 9)).map(|_| format!("{:04}", random.below(40) * 37)).collect();
            if tree {
                made.hierarchy =
                    Hierarchy::Prefix(random.pick(&[vec![2], vec![3, 1], vec![3, 2, 1]]).clone());
            }
            made
        }
        7 => {
            let mut made = column(name, Role::Quasi, Kind::Date);
            made.cells = (0..random.between(2, 9))
                .map(|_| {
                    let (year, month, day) =
                        (random.between(1961, 1999), random.between(1, 12), random.between(1, 28));
                    format!("{year}-{month:02}-{day:02}")
                })
                .collect();
            if tree {
                made.hierarchy = Hierarchy::Dates;
            }
            made
        }
        _ => number_column(random, wish, name, tree),
    }
}

/// Makes a column of texts, with or without a tree. `cells` are the values to choose from, until the rows are filled.
fn text_column(random: &mut Random, name: String, at: usize, tree: bool) -> Column {
    let mut made = column(name, Role::Quasi, Kind::Text);
    let count = random.between(2, 8);
    made.cells = (0..count).map(|value| token(random, &format!("q{at}"), value)).collect();
    if tree && random.percent(75) {
        made.hierarchy = Hierarchy::File(tree_of(random, &made.cells, &format!("n{at}"), true));
    } else {
        if tree {
            made.hierarchy = Hierarchy::Flat;
        } else if random.percent(15) {
            made.label = Some("set");
        }
        if random.percent(12) {
            let spice = random.between(1, 3);
            made.cells.extend((0..spice).map(|_| (*random.pick(&SPICE)).to_owned()));
        }
    }
    if random.percent(12) {
        made.cells.push((*random.pick(&MISSING)).to_owned());
    }
    made
}

fn number_column(random: &mut Random, wish: Wish, name: String, tree: bool) -> Column {
    let mut made = column(name, Role::Quasi, Kind::Number);
    let decimals = !wish.plain_numbers && random.percent(15);
    let span = *random.pick(&[12, 60, 60, 3000]);
    let count = random.between(2, 12);
    made.cells = (0..count)
        .map(|_| {
            let whole = random.below(span);
            if decimals { format!("{whole}.{}", random.between(1, 9)) } else { whole.to_string() }
        })
        .collect();
    if wish.numbers_only {
        return made;
    }
    if tree && !decimals {
        if random.percent(50) {
            let first = *random.pick(&[2, 5, 10]);
            made.hierarchy = Hierarchy::Widths(vec![first, first * 2, first * 4]);
        } else {
            let step = span.div_ceil(4);
            let leaf = |part: usize| format!("[{},{})", part * step, (part + 1) * step);
            let half = |part: usize| if part < 2 { "lower" } else { "upper" }.to_owned();
            let root = root_label(random);
            let lines = (0..4).map(|part| vec![leaf(part), half(part), root.clone()]);
            made.hierarchy = Hierarchy::File(lines.collect());
        }
    } else if random.percent(15) {
        made.label = Some("tight");
    } else if random.percent(40) {
        made.range = Some((0, i64::try_from(span).unwrap_or(0)));
    }
    if random.percent(8) {
        made.cells.push((*random.pick(&MISSING)).to_owned());
    }
    made
}

fn root_label(random: &mut Random) -> String {
    if random.percent(30) { "Any" } else { "*" }.to_owned()
}

/// Makes a random tree over the values, as lines from the value to the root. In a ragged tree, lines differ in length.
fn tree_of(random: &mut Random, values: &[String], prefix: &str, ragged: bool) -> Vec<Vec<String>> {
    let root = root_label(random);
    let groups = random.between(1, values.len().div_ceil(2).max(1));
    let halves = random.percent(40);
    let short: Vec<bool> = (0..groups).map(|_| ragged && random.percent(15)).collect();
    let mut lines: Vec<Vec<String>> = values
        .iter()
        .enumerate()
        .map(|(at, value)| {
            let group = at * groups / values.len();
            let mut line = vec![value.clone()];
            if !short[group] {
                line.push(format!("{prefix}grp{group}"));
                if halves {
                    line.push(format!("{prefix}top{}", group * 2 / groups));
                }
            }
            line.push(root.clone());
            line
        })
        .collect();
    // A value of the domain that no row has.
    if random.percent(20) {
        let mut line = lines[0].clone();
        line[0] = format!("{prefix}nobody");
        lines.push(line);
    }
    lines
}

fn sensitive_column(random: &mut Random, wish: Wish, at: usize) -> Column {
    let name = format!("s{at}");
    if wish.number_sensitive && at == 0 {
        let mut made = column(name, Role::Sensitive, Kind::Number);
        made.cells = (0..random.between(3, 9)).map(|_| (10 * random.below(90)).to_string()).collect();
        return made;
    }
    let mut made = column(name.clone(), Role::Sensitive, Kind::Text);
    made.cells = (0..random.between(2, 6)).map(|value| token(random, &name, value)).collect();
    if wish.guarding || random.percent(30) {
        made.hierarchy = Hierarchy::File(tree_of(random, &made.cells, "s", false));
    }
    made
}

fn plain(random: &mut Random, name: &str, role: Role, most: usize) -> Column {
    let mut made = column(name.into(), role, Kind::Text);
    made.cells = (0..random.between(2, most)).map(|value| token(random, name, value)).collect();
    if role == Role::Other && random.percent(20) {
        made.cells
            .push((*random.pick(&["co,mma", "quo\"te", "two words", "line\nbreak", "grün µ"])).to_owned());
    }
    made
}

fn unique(random: &mut Random, name: &str, role: Role, rows: usize) -> Column {
    let mut made = column(name.into(), role, Kind::Text);
    made.cells = (0..rows).map(|row| token(random, name, row)).collect();
    made
}

fn guarding(random: &mut Random, columns: &[Column], rows: usize) -> Column {
    let mut made = column("guards".into(), Role::Guarding, Kind::Text);
    let sensitive = columns.iter().find(|column| column.role == Role::Sensitive);
    let Some(Hierarchy::File(lines)) = sensitive.map(|column| &column.hierarchy) else { return made };
    // A node above all values is refused, as the root is.
    let is_smaller = |node: &&String| lines.len() == 1 || !lines.iter().all(|line| line.contains(node));
    let nodes: Vec<&String> =
        lines.iter().flat_map(|line| &line[..line.len() - 1]).filter(is_smaller).collect();
    made.cells = (0..rows)
        .map(|_| if random.percent(60) { "none".into() } else { (*random.pick(&nodes)).clone() })
        .collect();
    made
}

/// Fills in rows that resemble each other: copies of a few, with some cells changed.
fn fill(random: &mut Random, columns: &mut [Column], rows: usize) {
    let models = random.between(1, (rows / 3).max(1));
    let change = *random.pick(&[0, 5, 15, 40, 100]);
    let skew = random.percent(50);
    let which: Vec<usize> = (0..rows).map(|_| random.below(models)).collect();
    for column in columns.iter_mut() {
        if matches!(column.role, Role::Identifier | Role::Drop) {
            continue;
        }
        let domain = std::mem::take(&mut column.cells);
        let draw = |random: &mut Random| {
            let at = random.below(domain.len());
            let at = if skew { at.min(random.below(domain.len())) } else { at };
            domain[at].clone()
        };
        let shape: Vec<String> = (0..models).map(|_| draw(random)).collect();
        // Sensitive values and classes depend only loosely on the rest.
        let change = if column.role == Role::Quasi { change } else { 60 };
        let cells = which
            .iter()
            .map(|&model| if random.percent(change) { draw(random) } else { shape[model].clone() });
        column.cells = cells.collect();
    }
}

/// Returns the people of all rows, and others who are like them.
fn population(random: &mut Random, scene: &Scene) -> Vec<Vec<String>> {
    let quasi = scene.quasi();
    let tuple = |row: usize| quasi.iter().map(|column| column.cells[row].clone()).collect::<Vec<_>>();
    let mut people: Vec<Vec<String>> = (0..scene.rows).map(tuple).collect();
    for _ in 0..random.between(0, 2 * scene.rows) {
        let like = random.below(scene.rows);
        let mut person = tuple(like);
        if random.percent(30) {
            let at = random.below(person.len());
            person[at] = quasi[at].cells[random.below(scene.rows)].clone();
        }
        people.push(person);
    }
    random.shuffle(&mut people);
    people
}
