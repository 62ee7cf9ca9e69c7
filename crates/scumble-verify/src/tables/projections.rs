//! The joint anonymity of projections (algorithms.md A7): how many rows of each table may be a person's, for an attacker who
//! knows everything about the person that outsiders may know and puts the tables side by side.
//!
//! A person's rows in all tables come from one original row, so they agree on every column that two tables share. A row that
//! agrees with no rows of the other tables is not the person's. The possible combinations are found by listing them all, which is
//! slower than semi-joins but right whatever the tables share.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use scumble_files::Control;
use scumble_files::table::CodedTable;

use crate::columns::{POPULATION, RELEASE, check_size, column, part};
use crate::error::VerifyError;
use crate::group::{Groups, group};
use crate::models::{ModelOutcome, View, WORST, WorstClass};
use crate::population::Population;
use crate::watch::{Pace, check};

/// What an attacker finds who puts the tables side by side.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Joint {
    /// The outcome of the claim that for everybody at least k rows of every table are possible.
    pub outcome: ModelOutcome,
    /// For each table, the least number of rows that may be a person's, for an attacker who has only this table.
    pub alone: Vec<u64>,
}

/// The most combinations of shared values that are listed for one person.
const MOST_COMBINATIONS: usize = 1_000_000;

/// Marks a shared column that none of the tables so far has.
const UNSAID: u32 = u32::MAX;

/// The values of the shared columns, with one position for each column that tables share.
type Shared = Vec<u32>;

/// A table, grouped by what outsiders know.
struct Side {
    groups: Groups,
    /// Which of the shared columns it has.
    has: Vec<bool>,
    /// For each class, how many rows show which values in the shared columns.
    of_class: Vec<BTreeMap<Shared, u64>>,
}

/// Checks the projections of one table: for each of `people`, at least `k` rows of each table must be possible, with all tables
/// at hand.
pub fn check_projections(
    views: &[View<'_>],
    people: &Population<'_>,
    k: u64,
    control: &Control,
) -> Result<Joint, VerifyError> {
    let shared = shared_columns(views);
    let sides = views.iter().map(|view| Side::of(view, &shared, control)).collect::<Result<Vec<_>, _>>()?;
    let everybody = everybody(views, people)?;
    // For each table: which of its distinct people each row of the population is, and the classes of these people.
    let mut placed: Vec<(Vec<u32>, Vec<Vec<usize>>)> = Vec::new();
    for (number, (view, side)) in views.iter().zip(&sides).enumerate() {
        if view.quasi.is_empty() {
            placed.push((vec![0; people.table.rows], vec![vec![0]]));
            continue;
        }
        let found = people.placed(view.table, view.quasi, &side.groups, None, control)?;
        if let Some(of) = found.classes.iter().position(Vec::is_empty) {
            let why = format!(
                "its row {} is in no group of table {}, so it cannot be looked up in all of them",
                found.tuples.first_row[of] + 1,
                number + 1
            );
            return Err(VerifyError::Population { why });
        }
        placed.push((found.tuples.of_row, found.classes));
    }
    // People who are in the same classes everywhere have the same result.
    let mut known: HashMap<Vec<u32>, u64> = HashMap::new();
    let mut worst: Vec<WorstClass> = Vec::new();
    let mut pace = Pace::new(control);
    for (&row, &size) in everybody.first_row.iter().zip(&everybody.size) {
        let of: Vec<u32> = placed.iter().map(|(of_row, _)| of_row[row as usize]).collect();
        let level = match known.get(&of) {
            Some(level) => *level,
            None => {
                let classes = of.iter().zip(&placed).map(|(of, (_, classes))| &classes[*of as usize][..]);
                let level = candidates(&sides, &classes.collect::<Vec<_>>(), shared.len(), &mut pace)?;
                known.insert(of, level);
                level
            }
        };
        worst.push(WorstClass { size, attained: level as f64 });
    }
    let alone: Vec<u64> =
        sides.iter().map(|side| side.groups.size.iter().min().copied().unwrap_or_default()).collect();
    let failing = || worst.iter().filter(|of| of.attained < k as f64);
    let (failing_classes, failing_rows) = (failing().count() as u64, failing().map(|of| of.size).sum());
    worst.sort_unstable_by(|a, b| a.worse_first(b, true));
    worst.truncate(WORST);
    let outcome = ModelOutcome {
        attained: worst.first().map(|of| of.attained),
        holds: failing_classes == 0 && !worst.is_empty(),
        failing_classes,
        failing_rows,
        worst,
        ..unjudged(views.len(), k)
    };
    Ok(Joint { outcome, alone })
}

/// Returns what can be said of projections without the people. At least this many rows of each table are possible for everybody,
/// since the rows that show what the person's own row shows always remain. The true figure may be larger.
pub fn projections_at_least(views: &[View<'_>], k: u64, control: &Control) -> Result<Joint, VerifyError> {
    let shared = shared_columns(views);
    let sides = views.iter().map(|view| Side::of(view, &shared, control)).collect::<Result<Vec<_>, _>>()?;
    let alone: Vec<u64> =
        sides.iter().map(|side| side.groups.size.iter().min().copied().unwrap_or_default()).collect();
    let rows = sides.iter().flat_map(|side| side.of_class.iter().flat_map(BTreeMap::values)).copied();
    let least = rows.min().unwrap_or_default();
    let outcome = ModelOutcome {
        attained: Some(least as f64),
        holds: least >= k && k > 0,
        note: (least < k).then(|| {
            format!(
                "without the original it is only known that k lies between {least} and {}; give it to have it told exactly",
                alone.iter().min().copied().unwrap_or_default()
            )
        }),
        ..unjudged(views.len(), k)
    };
    Ok(Joint { outcome, alone })
}

fn unjudged(tables: usize, k: u64) -> ModelOutcome {
    ModelOutcome {
        name: "k_anonymity".to_owned(),
        label: match tables {
            1 => "k-anonymity".to_owned(),
            tables => format!("k-anonymity of {tables} tables side by side"),
        },
        required: k as f64,
        attained: None,
        holds: false,
        failing_classes: 0,
        failing_rows: 0,
        worst: Vec::new(),
        note: None,
    }
}

/// Returns the columns that several tables have and outsiders do not know, each with all of its texts.
fn shared_columns<'a>(views: &[View<'a>]) -> Vec<(&'a str, BTreeMap<&'a str, u32>)> {
    let mut shared: Vec<(&str, BTreeMap<&str, u32>)> = Vec::new();
    for column in views.iter().flat_map(|view| &view.table.columns) {
        let name = column.name.as_str();
        let having = views.iter().filter(|view| view.table.column(name).is_some()).count();
        let known = views.iter().any(|view| view.quasi.iter().any(|quasi| quasi == name));
        if having < 2 || known || shared.iter().any(|(of, _)| *of == name) {
            continue;
        }
        let columns = views.iter().filter_map(|view| view.table.column(name));
        let texts: BTreeSet<&str> = columns.flat_map(|column| column.values.iter()).collect();
        shared.push((name, texts.into_iter().zip(0..).collect()));
    }
    shared
}

impl Side {
    fn of(
        view: &View<'_>,
        shared: &[(&str, BTreeMap<&str, u32>)],
        control: &Control,
    ) -> Result<Self, VerifyError> {
        check(control)?;
        let mut pace = Pace::new(control);
        check_size(view.table, RELEASE)?;
        let groups = groups_on(view.table, RELEASE, view.quasi)?;
        let mut columns = Vec::new();
        for (place, (name, numbers)) in shared.iter().enumerate() {
            if view.table.column(name).is_some() {
                let column = column(view.table, RELEASE, name)?;
                let number: Vec<u32> = column.values.iter().map(|text| numbers[text]).collect();
                columns.push((place, column, number));
            }
        }
        let parts: Vec<_> =
            columns.iter().map(|(_, column, _)| part(column)).chain([groups.part()]).collect();
        let same = group(&parts, view.table.rows);
        let mut of_class = vec![BTreeMap::new(); groups.len()];
        for (&row, &size) in same.first_row.iter().zip(&same.size) {
            pace.tick(1)?;
            let mut shown = vec![UNSAID; shared.len()];
            for (place, column, number) in &columns {
                shown[*place] = number[column.codes.get(row as usize) as usize];
            }
            of_class[groups.of_row[row as usize] as usize].insert(shown, size);
        }
        let has = (0..shared.len()).map(|place| columns.iter().any(|(of, ..)| *of == place)).collect();
        Ok(Self { groups, has, of_class })
    }
}

/// Groups rows that agree on some columns. Without columns, all rows are one group.
fn groups_on(table: &CodedTable, which: &'static str, names: &[String]) -> Result<Groups, VerifyError> {
    let columns = names.iter().map(|name| column(table, which, name)).collect::<Result<Vec<_>, _>>()?;
    let parts: Vec<_> = columns.iter().map(|column| part(column)).collect();
    Ok(group(&parts, table.rows))
}

/// Returns the distinct people, by everything that is known of them.
fn everybody(views: &[View<'_>], people: &Population<'_>) -> Result<Groups, VerifyError> {
    check_size(people.table, POPULATION)?;
    let known: BTreeSet<&String> = views.iter().flat_map(|view| view.quasi).collect();
    let known: Vec<String> = known.into_iter().cloned().collect();
    groups_on(people.table, POPULATION, &known)
}

/// Returns how many rows may be those of a person who is in these classes, in the table with the fewest.
fn candidates(
    sides: &[Side],
    classes: &[&[usize]],
    width: usize,
    pace: &mut Pace<'_>,
) -> Result<u64, VerifyError> {
    // What is possible in all tables so far together, and the columns that it covers.
    let mut possible: BTreeSet<Shared> = BTreeSet::from([vec![UNSAID; width]]);
    let mut said = vec![false; width];
    for (side, classes) in sides.iter().zip(classes) {
        let both: Vec<bool> = said.iter().zip(&side.has).map(|(a, b)| *a && *b).collect();
        let mut rows: HashMap<Shared, BTreeSet<&Shared>> = HashMap::new();
        for shown in classes.iter().flat_map(|class| side.of_class[*class].keys()) {
            pace.tick(1)?;
            rows.entry(only(shown, &both)).or_default().insert(shown);
        }
        let mut next = BTreeSet::new();
        for front in &possible {
            let before = next.len();
            let fitting = rows.get(&only(front, &both)).into_iter().flatten();
            next.extend(fitting.map(|row| joined(front, row)));
            pace.tick(1 + next.len() - before)?;
            if next.len() > MOST_COMBINATIONS {
                return Err(VerifyError::TooLarge {
                    what: "the tables share columns whose values can be combined in more than a million ways for one person"
                        .to_owned(),
                    remedy: "publish fewer tables that share columns",
                });
            }
        }
        possible = next;
        said.iter_mut().zip(&side.has).for_each(|(said, has)| *said |= *has);
    }
    pace.tick(possible.len())?;
    let left = |(side, classes): (&Side, &&[usize])| {
        let fits: HashSet<Shared> = possible.iter().map(|whole| only(whole, &side.has)).collect();
        let rows = classes.iter().flat_map(|class| &side.of_class[*class]);
        rows.filter(|(shown, _)| fits.contains(*shown)).map(|(_, size)| size).sum()
    };
    Ok(sides.iter().zip(classes).map(left).min().unwrap_or_default())
}

/// Keeps the values of some columns only.
fn only(shown: &Shared, columns: &[bool]) -> Shared {
    shown.iter().zip(columns).map(|(said, kept)| if *kept { *said } else { UNSAID }).collect()
}

/// Joins two descriptions of one row that agree.
fn joined(one: &Shared, other: &Shared) -> Shared {
    one.iter().zip(other).map(|(a, b)| if *a == UNSAID { *b } else { *a }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Nodes;
    use crate::cover::Cover;
    use crate::tests::table;
    use crate::value::ValueKind;

    fn level(people: &CodedTable, tables: &[(&CodedTable, &[&str])]) -> (u64, Vec<u64>, u64) {
        let quasi: Vec<Vec<String>> =
            tables.iter().map(|(_, quasi)| quasi.iter().map(|name| (*name).to_owned()).collect()).collect();
        let views: Vec<View<'_>> =
            tables.iter().zip(&quasi).map(|((table, _), quasi)| View { table, quasi }).collect();
        let cover = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
        let names: BTreeSet<&String> = quasi.iter().flatten().collect();
        let covers = names.into_iter().map(|name| (name.clone(), cover.clone())).collect();
        let joint =
            check_projections(&views, &Population { table: people, covers }, 2, &Control::default()).unwrap();
        let least = projections_at_least(&views, 2, &Control::default()).unwrap();
        assert_eq!(joint.alone, least.alone);
        let attained = least.outcome.attained.unwrap();
        assert_eq!((least.outcome.holds, least.outcome.note.is_none()), (attained >= 2.0, attained >= 2.0));
        (joint.outcome.attained.unwrap() as u64, joint.alone, least.outcome.attained.unwrap() as u64)
    }

    /// The worked examples of algorithms.md A7.
    #[test]
    fn the_decision_tells_rows_apart() {
        let people = table(&[("a", &["1", "1", "2", "2"]), ("b", &["1", "2", "1", "2"])]);
        let (a, b) = (&["1", "1", "2", "2"], &["1", "2", "1", "2"]);
        let crossed: &[&str] = &["y", "n", "n", "y"];
        let first = table(&[("a", a), ("d", crossed)]);
        let second = table(&[("b", b), ("d", crossed)]);
        assert_eq!(level(&people, &[(&first, &["a"]), (&second, &["b"])]), (2, vec![2, 2], 1));
        let straight: &[&str] = &["y", "y", "n", "n"];
        let first = table(&[("a", a), ("d", straight)]);
        let second = table(&[("b", b), ("d", straight)]);
        assert_eq!(level(&people, &[(&first, &["a"]), (&second, &["b"])]), (1, vec![2, 2], 1));
        let (z, same): (&[&str], &[&str]) = (&["1", "2", "2", "1"], &["y"; 4]);
        let first = table(&[("a", a), ("d", same), ("z", z)]);
        let second = table(&[("b", b), ("d", same), ("z", z)]);
        assert_eq!(level(&people, &[(&first, &["a"]), (&second, &["b"])]), (2, vec![2, 2], 1));
    }

    /// If two rows of each table show the same, both may be the person's, so two is guaranteed without the people. With k = 0
    /// nothing is.
    #[test]
    fn rows_that_show_the_same_hide_each_other_for_everybody() {
        let people = table(&[("a", &["1", "1", "2", "2"]), ("b", &["1", "1", "2", "2"])]);
        let (a, b, class): (&[&str], &[&str], &[&str]) =
            (&["1", "1", "2", "2"], &["1", "1", "2", "2"], &["y", "y", "n", "n"]);
        let first = table(&[("a", a), ("d", class)]);
        let second = table(&[("b", b), ("d", class)]);
        assert_eq!(level(&people, &[(&first, &["a"]), (&second, &["b"])]), (2, vec![2, 2], 2));
        let quasi = vec!["a".to_owned()];
        let nothing =
            projections_at_least(&[View { table: &first, quasi: &quasi }], 0, &Control::default()).unwrap();
        assert!(!nothing.outcome.holds);
    }

    /// Three tables that share a column pairwise: comparing pairs alone leaves more rows than really remain.
    #[test]
    fn a_ring_of_shared_columns_is_joined_as_a_whole() {
        let people = table(&[("a", &["1"; 4])]);
        let x: &[&str] = &["0", "1"];
        let equal = table(&[("x", x), ("y", x)]);
        let also = table(&[("y", x), ("z", x)]);
        let crossed = table(&[("x", x), ("z", &["1", "0"])]);
        let quasi: Vec<String> = Vec::new();
        let view = |table| View { table, quasi: &quasi };
        let people = Population { table: &people, covers: Vec::new() };
        let joint =
            check_projections(&[view(&equal), view(&also), view(&crossed)], &people, 1, &Control::default())
                .unwrap();
        assert_eq!((joint.outcome.attained, joint.outcome.holds), (Some(0.0), false));
        let joint = check_projections(&[view(&equal), view(&also)], &people, 2, &Control::default()).unwrap();
        assert_eq!((joint.outcome.attained, joint.outcome.holds), (Some(2.0), true));
    }

    #[test]
    fn somebody_who_is_in_no_class_is_an_error() {
        let people = table(&[("a", &["1", "3"])]);
        let released = table(&[("a", &["1", "2"])]);
        let quasi = vec!["a".to_owned()];
        let cover = Cover { kind: ValueKind::Text, nodes: Nodes::default(), missing: Vec::new() };
        let people = Population { table: &people, covers: vec![("a".to_owned(), cover)] };
        let found =
            check_projections(&[View { table: &released, quasi: &quasi }], &people, 1, &Control::default());
        assert!(matches!(found, Err(VerifyError::Population { .. })));
    }
}
