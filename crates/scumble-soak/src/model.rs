//! Privacy models, checked by their definitions (`docs/models/`), one class at a time and as simply as possible.

use std::collections::{BTreeMap, BTreeSet};

use crate::fraction::Fraction;
use crate::label::covers;
use crate::scene::{Column, Hierarchy, Kind, Role, Scene};

/// Rounded figures (logarithms) only count as wrong if the error is larger than this.
const ROUNDING: f64 = 1e-9;

/// A model of one sensitive column.
#[derive(Clone, Debug)]
pub(crate) enum Sensitive {
    Distinct(usize),
    Entropy(Fraction),
    Frequency(Fraction),
    Recursive {
        c: Fraction,
        l: usize,
    },
    Equal(Fraction),
    Ordered(Fraction),
    Hierarchical(Fraction),
    /// Values and their largest shares; `None` stands for every other value.
    Alpha(Vec<(Option<String>, Fraction)>),
    Beta {
        beta: Fraction,
        enhanced: bool,
    },
    Delta(Fraction),
    Range {
        k: usize,
        e: Fraction,
        rows: bool,
    },
    Categories {
        p: usize,
        categories: Vec<Vec<String>>,
        values: bool,
        alpha: Option<Fraction>,
        over_rows: bool,
    },
}

/// How several sensitive columns are checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mode {
    Separate,
    Conditional,
    Joint,
}

/// A requirement of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Model {
    Size { k: usize },
    Of { what: Sensitive, columns: Vec<String>, mode: Mode },
    Lkc { l: usize, k: usize, c: Fraction },
    AverageRisk { average: Option<Fraction>, highest: Option<(Fraction, Fraction)> },
    XyAnonymity { k: usize, y: Vec<String> },
    XyLinkability { h: Fraction, y: Vec<String>, values: Vec<String> },
    Personalised { p_breach: Fraction },
    KMap { k: usize },
    Presence { low: Fraction, high: Fraction },
}

/// A released table, column by column, as texts.
pub(crate) struct Released {
    pub(crate) rows: usize,
    /// The quasi-identifiers in the order of the original's.
    pub(crate) quasi: Vec<Vec<String>>,
    /// The other columns by name.
    pub(crate) exact: BTreeMap<String, Vec<String>>,
}

impl Released {
    /// Returns the whole original as one class, which is the best release for models that larger classes can only help.
    pub(crate) fn one_class(scene: &Scene) -> Self {
        let quasi = scene.quasi().iter().map(|_| vec!["*".to_owned(); scene.rows]).collect();
        let kept =
            scene.columns.iter().filter(|c| matches!(c.role, Role::Sensitive | Role::Class | Role::Other));
        let exact = kept.map(|column| (column.name.clone(), column.cells.clone())).collect();
        Self { rows: scene.rows, quasi, exact }
    }

    /// Whether a row shows `*` in all quasi-identifiers.
    pub(crate) fn starred(&self, row: usize) -> bool {
        self.quasi.iter().all(|column| column[row] == "*")
    }

    /// Returns groups of rows that show the same in these quasi-identifiers.
    pub(crate) fn groups(&self, rows: &[usize], columns: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
        for &row in rows {
            let key = columns.iter().map(|&column| self.quasi[column][row].as_str()).collect();
            groups.entry(key).or_default().push(row);
        }
        groups.into_values().collect()
    }

    fn tuple(&self, names: &[String], row: usize) -> Vec<&str> {
        names.iter().map(|name| self.exact[name][row].as_str()).collect()
    }
}

/// Counts of values.
type Counts = BTreeMap<String, i128>;

fn counts<'a>(values: impl Iterator<Item = &'a str>) -> Counts {
    let mut counts = Counts::new();
    for value in values {
        *counts.entry(value.to_owned()).or_default() += 1;
    }
    counts
}

/// Joins several values in one text.
fn joined(values: &[&str]) -> String {
    values.join("\u{1f}")
}

/// Checks the requirement on the rows to check, and returns why it fails. `quasi` are its quasi-identifiers.
pub(crate) fn judge(
    model: &Model,
    quasi: &[usize],
    released: &Released,
    judged: &[usize],
    scene: &Scene,
) -> Result<(), String> {
    let classes = released.groups(judged, quasi);
    let fail =
        |class: &[usize], why: String| Err(format!("{model:?}: a class of {} rows: {why}", class.len()));
    match model {
        Model::Size { k } => match classes.iter().find(|class| class.len() < *k) {
            Some(class) => fail(class, "too small".into()),
            None => Ok(()),
        },
        Model::Of { what, columns, mode } => {
            for part in parts(columns, *mode, scene) {
                let reference = reference(&part.value, scene);
                let column = (part.value.len() == 1).then(|| scene.column(&part.value[0])).flatten();
                for class in &classes {
                    for rows in released_by(released, class, &part.given) {
                        let values = rows
                            .iter()
                            .map(|&row| joined(&released.tuple(&part.value, row)))
                            .collect::<Vec<_>>();
                        let counts = counts(values.iter().map(String::as_str));
                        if let Err(why) = class_holds(what, &counts, &reference, column) {
                            return fail(&rows, why);
                        }
                    }
                }
            }
            Ok(())
        }
        Model::Lkc { l, k, c } => {
            for chosen in choices(quasi, *l) {
                for class in released.groups(judged, &chosen) {
                    if class.len() < *k {
                        return fail(&class, format!("too small by {} columns", chosen.len()));
                    }
                    for column in scene.of_role(Role::Sensitive) {
                        let counts =
                            counts(class.iter().map(|&row| released.exact[&column.name][row].as_str()));
                        let most = counts.values().copied().max().unwrap_or(0);
                        if !Fraction::new(most, class.len() as i128).at_most(*c) {
                            return fail(&class, "a value has too large a share".into());
                        }
                    }
                }
            }
            Ok(())
        }
        Model::AverageRisk { average, highest } => {
            let rows = judged.len().max(1) as i128;
            if average.is_some_and(|limit| !Fraction::new(classes.len() as i128, rows).at_most(limit)) {
                return Err(format!("{model:?}: {} classes of {rows} rows", classes.len()));
            }
            if let Some((highest, share)) = highest {
                let exposed = |class: &&Vec<usize>| highest.below(Fraction::new(1, class.len() as i128));
                let at_risk: usize = classes.iter().filter(exposed).map(Vec::len).sum();
                if !Fraction::new(at_risk as i128, rows).at_most(*share) {
                    return Err(format!("{model:?}: {at_risk} of {rows} rows are at risk"));
                }
            }
            Ok(())
        }
        Model::XyAnonymity { k, y } => {
            for class in &classes {
                let values: BTreeSet<_> = class.iter().map(|&row| released.tuple(y, row)).collect();
                if values.len() < *k {
                    return fail(class, format!("{} values of y", values.len()));
                }
            }
            Ok(())
        }
        Model::XyLinkability { h, y, values } => {
            for class in &classes {
                let tuples: Vec<String> = class.iter().map(|&row| joined(&released.tuple(y, row))).collect();
                for (value, count) in counts(tuples.iter().map(String::as_str)) {
                    let protected = values.is_empty() || values.contains(&value);
                    if protected && !Fraction::new(count, class.len() as i128).at_most(*h) {
                        return fail(class, "a value of y has too large a share".into());
                    }
                }
            }
            Ok(())
        }
        Model::Personalised { p_breach } => personalised(*p_breach, released, &classes, scene),
        Model::KMap { k } => {
            let (people, outside) = people_of(released, &classes, scene);
            let starred = |class: &Vec<usize>| class.iter().all(|&row| released.starred(row));
            for (class, people) in classes.iter().zip(people) {
                let people = if starred(class) { outside } else { people };
                if people < *k {
                    return fail(class, format!("{people} people"));
                }
            }
            Ok(())
        }
        Model::Presence { low, high } => {
            let (people, outside) = people_of(released, &classes, scene);
            // Suppressed rows stand for these people, even if the policy `paper` leaves the rows unchecked.
            let stars = (0..released.rows).any(|row| released.starred(row));
            for (class, people) in classes.iter().zip(people) {
                let starred = class.iter().all(|&row| released.starred(row));
                let people = if starred { outside } else { people };
                let share = Fraction::new(class.len() as i128, people.max(1) as i128);
                if people == 0 || !low.at_most(share) || !share.at_most(*high) {
                    return fail(class, format!("{people} people"));
                }
            }
            if low.over > 0 && !stars && outside > 0 {
                return Err(format!("{model:?}: no class stands for {outside} people"));
            }
            Ok(())
        }
    }
}

/// The columns that form one value, and the columns that are known besides the class.
struct Part {
    value: Vec<String>,
    given: Vec<String>,
}

fn parts(columns: &[String], mode: Mode, scene: &Scene) -> Vec<Part> {
    let all: Vec<String> = scene.of_role(Role::Sensitive).map(|column| column.name.clone()).collect();
    let columns = if columns.is_empty() { all.clone() } else { columns.to_vec() };
    if mode == Mode::Joint {
        return vec![Part { value: columns, given: Vec::new() }];
    }
    let mut parts: Vec<Part> =
        columns.iter().map(|name| Part { value: vec![name.clone()], given: Vec::new() }).collect();
    if mode == Mode::Conditional {
        parts.extend(columns.iter().map(|name| Part {
            value: vec![name.clone()],
            given: all.iter().filter(|other| *other != name).cloned().collect(),
        }));
    }
    parts
}

/// Returns groups of rows of a class that agree on the given columns.
fn released_by(released: &Released, class: &[usize], given: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Vec<&str>, Vec<usize>> = BTreeMap::new();
    for &row in class {
        groups.entry(released.tuple(given, row)).or_default().push(row);
    }
    groups.into_values().collect()
}

/// Counts the values of the whole original.
fn reference(value: &[String], scene: &Scene) -> Counts {
    let columns: Vec<&Column> = value.iter().filter_map(|name| scene.column(name)).collect();
    let texts: Vec<String> = (0..scene.rows)
        .map(|row| joined(&columns.iter().map(|column| column.cells[row].as_str()).collect::<Vec<_>>()))
        .collect();
    counts(texts.iter().map(String::as_str))
}

/// Checks whether one class keeps the model.
fn class_holds(
    what: &Sensitive,
    class: &Counts,
    whole: &Counts,
    column: Option<&Column>,
) -> Result<(), String> {
    let size: i128 = class.values().sum();
    let all: i128 = whole.values().sum();
    let mut sorted: Vec<i128> = class.values().copied().collect();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let most = sorted.first().copied().unwrap_or(0);
    let need = |holds: bool, why: &str| if holds { Ok(()) } else { Err(why.to_owned()) };
    match what {
        Sensitive::Distinct(l) => need(class.len() >= *l, "too few values"),
        Sensitive::Entropy(l) => {
            let entropy: f64 =
                sorted.iter().map(|&count| count as f64 / size as f64).map(|share| -share * share.ln()).sum();
            need(entropy.exp() >= l.float() - ROUNDING, "too little entropy")
        }
        Sensitive::Frequency(l) => need(most * l.over <= size * l.under, "a value is too frequent"),
        Sensitive::Recursive { c, l } => {
            let tail: i128 = sorted.iter().skip(l - 1).sum();
            need(most * c.under < c.over * tail, "the tail is too small")
        }
        Sensitive::Equal(t) => {
            let moved: i128 =
                whole.iter().map(|(value, q)| (class.get(value).unwrap_or(&0) * all - q * size).abs()).sum();
            need(Fraction::new(moved, 2 * size * all).at_most(*t), "too far from the whole table")
        }
        Sensitive::Ordered(t) => {
            let mut ranks: Vec<&String> = whole.keys().collect();
            if column.is_some_and(|column| column.kind == Kind::Number) {
                ranks.sort_by_key(|text| text.parse::<i64>().unwrap_or(0));
            }
            let (mut moved, mut carried) = (0, 0);
            for value in &ranks[..ranks.len() - 1] {
                carried += class.get(*value).unwrap_or(&0) * all - whole[*value] * size;
                moved += carried.abs();
            }
            let steps = (ranks.len() as i128 - 1).max(1);
            need(Fraction::new(moved, steps * size * all).at_most(*t), "too far from the whole table")
        }
        Sensitive::Hierarchical(t) => {
            let Some(Hierarchy::File(lines)) = column.map(|column| &column.hierarchy) else {
                return Err("there is no tree".into());
            };
            let height = lines.iter().map(|line| line.len() - 1).max().unwrap_or(1) as i128;
            // Goes from the leaves up: mass that cannot be moved within a node is moved at the node above it.
            let mut extra: BTreeMap<Vec<String>, i128> = BTreeMap::new();
            for line in lines {
                let path: Vec<String> = line.iter().rev().cloned().collect();
                let value = &line[0];
                let here = class.get(value).unwrap_or(&0) * all - whole.get(value).unwrap_or(&0) * size;
                *extra.entry(path).or_default() += here;
            }
            let mut moved = 0;
            for depth in (1..=height as usize).rev() {
                let mut above: BTreeMap<Vec<String>, Vec<i128>> = BTreeMap::new();
                let mut rest = BTreeMap::new();
                for (path, here) in extra {
                    if path.len() == depth + 1 {
                        above.entry(path[..depth].to_vec()).or_default().push(here);
                    } else {
                        rest.insert(path, here);
                    }
                }
                for (path, parts) in above {
                    let more: i128 = parts.iter().filter(|part| **part > 0).sum();
                    let less: i128 = -parts.iter().filter(|part| **part < 0).sum::<i128>();
                    // Trees of sensitive columns have even depth here, so a node's depth gives its height.
                    moved += (height - (depth as i128 - 1)) * more.min(less);
                    *rest.entry(path).or_default() += more - less;
                }
                extra = rest;
            }
            need(Fraction::new(moved, height * size * all).at_most(*t), "too far from the whole table")
        }
        Sensitive::Alpha(limits) => {
            for (value, &count) in class {
                let own = limits.iter().find(|(name, _)| name.as_ref() == Some(value));
                let limit = own.or_else(|| limits.iter().find(|(name, _)| name.is_none()));
                if let Some((_, alpha)) = limit {
                    need(Fraction::new(count, size).at_most(*alpha), "a value has too large a share")?;
                }
            }
            Ok(())
        }
        Sensitive::Beta { beta, enhanced } => {
            for (value, &count) in class {
                let p = whole.get(value).copied().unwrap_or(0);
                // (q − p) / p with q = count / size and p = p / all.
                let growth = Fraction::new(count * all - p * size, p * size);
                if growth.over > 0 {
                    need(growth.at_most(*beta), "belief in a value grows too much")?;
                    let bound = -(p as f64 / all as f64).ln();
                    need(!enhanced || growth.float() <= bound + ROUNDING, "belief grows beyond −ln p")?;
                }
            }
            Ok(())
        }
        Sensitive::Delta(delta) => {
            for (value, &p) in whole {
                let q = class.get(value).copied().unwrap_or(0);
                let change = (q as f64 * all as f64 / (size as f64 * p as f64)).ln().abs();
                need(q > 0 && change < delta.float() + ROUNDING, "belief in a value moves too much")?;
            }
            Ok(())
        }
        Sensitive::Range { k, e, rows } => {
            let numbers: Vec<i128> = class.keys().filter_map(|text| text.parse().ok()).collect();
            let span = numbers.iter().max().unwrap_or(&0) - numbers.iter().min().unwrap_or(&0);
            let count = if *rows { size as usize } else { class.len() };
            need(count >= *k && e.at_most(Fraction::new(span, 1)), "too few numbers, or too near each other")
        }
        Sensitive::Categories { p, categories, values, alpha, over_rows } => {
            let rank = |value: &String| categories.iter().position(|list| list.contains(value));
            let different: BTreeSet<usize> = class.keys().filter_map(rank).collect();
            let found = if *values || categories.is_empty() { class.len() } else { different.len() };
            need(found >= *p, "too few values or categories")?;
            let steps = categories.len() as i128 - 1;
            let weigh = |value: &String| if steps <= 0 { 1 } else { rank(value).unwrap_or(0) as i128 };
            let total: i128 =
                class.iter().map(|(v, &count)| weigh(v) * if *over_rows { count } else { 1 }).sum();
            let weight = Fraction::new(total, steps.max(1));
            need(alpha.is_none_or(|alpha| alpha.at_most(weight)), "the values weigh too little")
        }
    }
}

/// Returns all sets of this many columns.
fn choices(columns: &[usize], count: usize) -> Vec<Vec<usize>> {
    let count = count.min(columns.len());
    let all = 1_u32 << columns.len();
    (0..all)
        .filter(|set| set.count_ones() as usize == count)
        .map(|set| (0..columns.len()).filter(|at| set >> at & 1 == 1).map(|at| columns[at]).collect())
        .collect()
}

/// Returns the number of people in the population that each class covers, and the number that no class covers which shows something.
fn people_of(released: &Released, classes: &[Vec<usize>], scene: &Scene) -> (Vec<usize>, usize) {
    let quasi = scene.quasi();
    let people = scene.population.as_deref().unwrap_or(&[]);
    let shows = |class: &[usize], person: &[String]| {
        !released.starred(class[0])
            && (0..quasi.len()).all(|at| covers(quasi[at], &released.quasi[at][class[0]], &person[at]))
    };
    let counts =
        classes.iter().map(|class| people.iter().filter(|person| shows(class, person)).count()).collect();
    let outside = people.iter().filter(|person| !classes.iter().any(|class| shows(class, person))).count();
    (counts, outside)
}

/// Checks personalised privacy. Guarding nodes are not published, so this is only checked if each person's class is certain.
fn personalised(
    p: Fraction,
    released: &Released,
    classes: &[Vec<usize>],
    scene: &Scene,
) -> Result<(), String> {
    let quasi = scene.quasi();
    let sensitive: Vec<&Column> = scene.of_role(Role::Sensitive).collect();
    let guards: Vec<&Column> = scene.of_role(Role::Guarding).collect();
    let ([sensitive], [guards]) = (&sensitive[..], &guards[..]) else { return Ok(()) };
    let Hierarchy::File(lines) = &sensitive.hierarchy else { return Ok(()) };
    for person in 0..scene.rows {
        let node = &guards.cells[person];
        let covering = |class: &&Vec<usize>| {
            (0..quasi.len())
                .all(|at| covers(quasi[at], &released.quasi[at][class[0]], &quasi[at].cells[person]))
        };
        let mut found = classes.iter().filter(covering);
        let (Some(class), None) = (found.next(), found.next()) else { continue };
        if node == "none" {
            continue;
        }
        let under = |value: &String| lines.iter().any(|line| &line[0] == value && line.contains(node));
        let hits = class.iter().filter(|&&row| under(&released.exact[&sensitive.name][row])).count();
        if !Fraction::new(hits as i128, class.len() as i128).at_most(p) {
            return Err(format!("personalised: {hits} of {} rows are below somebody's node", class.len()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[(&str, i128)]) -> Counts {
        values.iter().map(|(value, count)| ((*value).to_owned(), *count)).collect()
    }

    fn holds(what: &Sensitive, class: &Counts, whole: &Counts) -> bool {
        class_holds(what, class, whole, None).is_ok()
    }

    /// The running example of the specification: E1 = {flu, flu, cancer, hiv}, E2 = {flu ×3, cancer, asthma}.
    #[test]
    fn worked_numbers() {
        let e1 = of(&[("flu", 2), ("cancer", 1), ("hiv", 1)]);
        let whole = of(&[("flu", 5), ("cancer", 2), ("hiv", 1), ("asthma", 1)]);
        let f = |text| Fraction::read(text).expect("a number");
        assert!(holds(&Sensitive::Distinct(3), &e1, &whole) && !holds(&Sensitive::Distinct(4), &e1, &whole));
        assert!(holds(&Sensitive::Entropy(f("2.8284")), &e1, &whole));
        assert!(!holds(&Sensitive::Entropy(f("2.8285")), &e1, &whole));
        assert!(holds(&Sensitive::Frequency(f("2")), &e1, &whole));
        assert!(!holds(&Sensitive::Frequency(f("2.01")), &e1, &whole));
        // r₁ = 2 < c · 2 asks for c > 1.
        assert!(!holds(&Sensitive::Recursive { c: f("1"), l: 2 }, &e1, &whole));
        assert!(holds(&Sensitive::Recursive { c: f("1.01"), l: 2 }, &e1, &whole));
        assert!(holds(&Sensitive::Beta { beta: f("1.25"), enhanced: true }, &e1, &whole));
        assert!(!holds(&Sensitive::Beta { beta: f("1.24"), enhanced: false }, &e1, &whole));
        assert!(holds(&Sensitive::Alpha(vec![(None, f("0.5"))]), &e1, &whole));
        assert!(!holds(&Sensitive::Alpha(vec![(Some("hiv".into()), f("0.2"))]), &e1, &whole));
        assert!(!holds(&Sensitive::Delta(f("9")), &e1, &whole), "asthma is missing");
    }

    /// Values 3 to 11, uniform: {3,4,5} is at 3/8 by rank and at 2/3 by equal distance.
    #[test]
    fn closeness() {
        let number = |value: i128| (value.to_string(), 1);
        let whole: Counts = (3..12).map(number).collect();
        let class: Counts = (3..6).map(number).collect();
        let column = Column {
            name: "s".into(),
            role: Role::Sensitive,
            kind: Kind::Number,
            hierarchy: Hierarchy::None,
            label: None,
            range: None,
            cells: vec![],
        };
        let ordered = |over, under| {
            class_holds(&Sensitive::Ordered(Fraction::new(over, under)), &class, &whole, Some(&column))
                .is_ok()
        };
        assert!(ordered(3, 8) && !ordered(37, 100));
        assert!(holds(&Sensitive::Equal(Fraction::new(2, 3)), &class, &whole));
        assert!(!holds(&Sensitive::Equal(Fraction::new(66, 100)), &class, &whole));
        // The tree {{a1,a2},{b1,b2}}, uniform: {a1,b1} is at 1/4, {a1,a2} at 1/2.
        let line = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let lines = [["a1", "a", "*"], ["a2", "a", "*"], ["b1", "b", "*"], ["b2", "b", "*"]].map(line);
        let tree = Column { hierarchy: Hierarchy::File(lines.to_vec()), ..column };
        let whole = of(&[("a1", 1), ("a2", 1), ("b1", 1), ("b2", 1)]);
        let at = |class: &Counts, over, under| {
            class_holds(&Sensitive::Hierarchical(Fraction::new(over, under)), class, &whole, Some(&tree))
                .is_ok()
        };
        let (split, alike) = (of(&[("a1", 1), ("b1", 1)]), of(&[("a1", 1), ("a2", 1)]));
        assert!(at(&split, 1, 4) && !at(&split, 24, 100));
        assert!(at(&alike, 1, 2) && !at(&alike, 49, 100));
    }

    #[test]
    fn weights_of_categories() {
        let class = of(&[("hiv", 1), ("cancer", 1), ("flu", 1)]);
        let categories: Vec<Vec<String>> = [vec!["hiv", "cancer"], vec!["x"], vec!["flu"], vec!["cold"]]
            .map(|l| l.into_iter().map(str::to_owned).collect())
            .to_vec();
        let at = |p, values, alpha: &str| {
            let alpha = Fraction::read(alpha);
            let what =
                Sensitive::Categories { p, categories: categories.clone(), values, alpha, over_rows: false };
            holds(&what, &class, &class)
        };
        assert!(at(2, false, "2/3") && !at(3, false, "2/3") && at(3, true, "2/3") && !at(2, false, "0.67"));
    }
}
