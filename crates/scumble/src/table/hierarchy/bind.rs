//! Joining the tree of a file with the values of a column.
//!
//! The file is the declared domain: its leaves stay, whether they occur or not. In a column of numbers
//! or dates a leaf may be an interval; the values then lie one level below it.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::domain::{Built, Domain};
use super::listing::{Children, Listing};
use super::numeric::{Meaning, Range, meaning};
use super::tree::{Assembler, Provenance};
use super::validate::{Findings, squeezed};
use crate::error::{Error, Result, Setting};

/// What to do with a value of the data that the hierarchy file does not list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Unlisted {
    /// Refuse.
    #[default]
    Error,
    /// Make it a leaf directly under the root.
    AddUnderRoot,
    /// Treat it as a missing value.
    TreatAsMissing,
}

/// Which values of the domain a leaf of the file stands for.
enum Held {
    /// The leaf is not in the data.
    Nothing,
    /// The values take the leaf's place: the leaf itself, or the same number in other spellings.
    Instead(std::ops::Range<usize>),
    /// The values lie below the leaf, an interval.
    Below(std::ops::Range<usize>),
    /// The leaf is the text for missing values.
    Missing,
    /// The leaf is a further spelling of a leaf next to it.
    Again,
}

/// What the data says about the leaves of a file.
struct Match {
    /// Per node; `Nothing` for groups.
    held: Vec<Held>,
    /// The values that no leaf stands for.
    unlisted: Vec<usize>,
    /// Whether the root is an interval, which cannot hold missing or foreign values.
    root_is_interval: bool,
}

/// The hierarchy of a column by a file.
pub(super) fn bind(listing: &Listing, domain: &Domain, policy: Unlisted) -> Result<Built> {
    let mut notes = listing.notes.clone();
    let mut children = listing.children();
    let found = if domain.measure.kind.is_ordered() {
        match_numbers(listing, &mut children, domain, &mut notes)?
    } else {
        match_texts(listing, &children, domain)?
    };
    let added: &[usize] = match policy {
        _ if found.unlisted.is_empty() => &[],
        Unlisted::Error => return Err(unlisted_error(listing, &children, domain, &found.unlisted)),
        Unlisted::AddUnderRoot => &found.unlisted,
        Unlisted::TreatAsMissing => &[],
    };
    if !found.unlisted.is_empty() {
        let done = if added.is_empty() { "treated as missing" } else { "put under the root" };
        notes.push(format!(
            "column '{}': {} not in {}; {done}",
            domain.name,
            domain.describe(found.unlisted.iter().copied()),
            listing.file
        ));
    }

    let missing_listed = found.held.iter().any(|held| matches!(held, Held::Missing));
    let adds = !added.is_empty() || (domain.missing.is_some() && !missing_listed);
    let mut tree = Assembler::new(domain.name);
    if found.root_is_interval && adds {
        tree.open("*")?;
        notes.push(format!(
            "column '{}': a root '*' was put above '{}', since that interval cannot hold missing or other values",
            domain.name,
            listing.label(0)
        ));
    }
    let mut codes = vec![u32::MAX; domain.values.len()];
    let mut missing = plant(&mut tree, listing, &children, domain, &found, &mut codes)?;
    for place in added {
        codes[*place] = tree.leaf(domain.values[*place])?;
    }
    if let (None, Some(text)) = (missing, domain.missing) {
        missing = Some(tree.leaf(text)?);
    }
    for place in found.unlisted.iter().filter(|_| added.is_empty()) {
        codes[*place] = missing.ok_or_else(|| {
            Error::config(format!(
                "values that are not in {} cannot be treated as missing, since missing values have no leaf here",
                listing.file
            ))
            .in_column(domain.name)
            .set(Setting::read("missing_policy").to("own-value"), "let what is missing be a value of its own")
            .set(Setting::hierarchy("unlisted").of(&[domain.name]).to("add_under_root"), "put values that are not listed under the root")
        })?;
    }
    Ok(Built { hierarchy: tree.finish(Provenance::Declared)?, codes, missing, notes })
}

/// Puts the file's tree into the assembler, with the data's values at their leaves, and leaves the root
/// open. Returns the code of the leaf for missing values, if the file has one.
fn plant(
    tree: &mut Assembler,
    listing: &Listing,
    children: &Children,
    domain: &Domain,
    found: &Match,
    codes: &mut [u32],
) -> Result<Option<u32>> {
    let base = tree.depth();
    let mut missing = None;
    // Nodes still to come, each with its depth; the next one is last.
    let mut waiting = vec![(0_u32, base)];
    while let Some((node, depth)) = waiting.pop() {
        while tree.depth() > depth {
            tree.close();
        }
        match &found.held[node as usize] {
            Held::Instead(places) => {
                for place in places.clone() {
                    codes[place] = tree.leaf(domain.values[place])?;
                }
                continue;
            }
            Held::Missing => {
                missing = Some(tree.leaf(listing.label(node))?);
                continue;
            }
            Held::Again => continue,
            Held::Nothing => tree.open(listing.label(node))?,
            Held::Below(places) => {
                tree.open(listing.label(node))?;
                for place in places.clone() {
                    codes[place] = tree.leaf(domain.values[place])?;
                }
            }
        }
        waiting.extend(children.of(node).iter().rev().map(|child| (*child, depth + 1)));
    }
    // Further leaves go under the file's root, or under the `*` above it.
    while tree.depth() > 1 {
        tree.close();
    }
    Ok(missing)
}

/// Texts are found as they are, or by their normal forms where spellings do not count.
fn match_texts(listing: &Listing, children: &Children, domain: &Domain) -> Result<Match> {
    let key = |text: &str| domain.form.map_or_else(|| text.to_owned(), |form| form.key(text));
    let places: HashMap<String, usize> = domain.values.iter().map(|text| key(text)).zip(0..).collect();
    let missing = domain.missing.map(key);
    let mut listed = vec![false; domain.values.len()];
    let mut held: Vec<Held> = Vec::with_capacity(listing.len() as usize);
    let mut problems = Findings::about(&listing.file);
    let mut first_of: HashMap<String, u32> = HashMap::new();
    for node in 0..listing.len() {
        if !children.is_leaf(node) {
            held.push(Held::Nothing);
            continue;
        }
        let (label, line) = (listing.label(node), listing.lines[node as usize]);
        let first = match domain.form {
            Some(form) => *first_of.entry(form.key(label)).or_insert(node),
            None => node,
        };
        held.push(match places.get(&key(label)) {
            _ if first != node => {
                if listing.parents[first as usize] != listing.parents[node as usize] {
                    let (other, at) = (listing.label(first), listing.lines[first as usize]);
                    problems.at(
                        line,
                        format_args!(
                            "'{label}' and '{other}' (line {at}) are two spellings of one value, so they need the same groups"
                        ),
                    );
                }
                Held::Again
            }
            Some(place) => {
                listed[*place] = true;
                Held::Instead(*place..place + 1)
            }
            None if missing == Some(key(label)) => Held::Missing,
            None => Held::Nothing,
        });
    }
    problems.into_result().map_err(|error| {
        error.advise("correct one of the lines").weaken(
            Setting::column("equality").of(&[domain.name]).to("exact"),
            "let each spelling count as a value",
        )
    })?;
    let unlisted = (0..listed.len()).filter(|place| !listed[*place]).collect();
    Ok(Match { held, unlisted, root_is_interval: false })
}

/// Numbers and dates are found by value, in points or in intervals; siblings are put in ascending order.
fn match_numbers(
    listing: &Listing,
    children: &mut Children,
    domain: &Domain,
    notes: &mut Vec<String>,
) -> Result<Match> {
    let numbers = domain.numbers("a hierarchy file")?;
    let mut problems = Findings::about(&listing.file);
    let mut oddities = Vec::new();
    let mut held: Vec<Held> = (0..listing.len()).map(|_| Held::Nothing).collect();
    let mut leaves: Vec<(Range, u32, Meaning)> = Vec::new();
    for node in (0..listing.len()).filter(|node| children.is_leaf(*node)) {
        let (label, line) = (listing.label(node), listing.lines[node as usize]);
        match meaning(&domain.measure, label) {
            _ if domain.missing == Some(label) => held[node as usize] = Held::Missing,
            Some(meaning) => leaves.push((meaning.range(), node, meaning)),
            None => problems.at(
                line,
                format_args!(
                    "'{label}' is neither a number or date of column '{}' nor an interval such as {}; mend it, or set \
                     the column's type to text",
                    domain.name,
                    domain.measure.interval(0, 9)
                ),
            ),
        }
    }
    leaves.sort_unstable_by_key(|(range, node, _)| (*range, *node));
    check_neighbours(listing, &leaves, &mut problems);
    let covered = hulls(listing, &leaves);
    check_groups(listing, children, domain, &covered, &mut problems, &mut oddities);
    problems.into_result()?;
    if let Some(first) = oddities.first() {
        let more = match oddities.len() - 1 {
            0 => String::new(),
            1 => "; so does 1 other group".to_string(),
            more => format!("; so do {more} other groups"),
        };
        notes.push(format!("{}:{first}{more}", listing.file));
    }

    let mut unlisted = Vec::new();
    let mut place = 0;
    for (range, node, meaning) in &leaves {
        while place < numbers.len() && numbers[place] < range.low {
            unlisted.push(place);
            place += 1;
        }
        let first = place;
        place += numbers[first..].partition_point(|number| *number <= range.high);
        held[*node as usize] = match meaning {
            _ if first == place => Held::Nothing,
            Meaning::Point(_) => Held::Instead(first..place),
            Meaning::Interval(_) | Meaning::Dash(_) => Held::Below(first..place),
        };
    }
    unlisted.extend(place..numbers.len());
    for node in 0..listing.len() {
        // What is no number (missing values) comes last.
        children.of_mut(node).sort_by_key(|child| match covered[*child as usize] {
            Some(range) => (0, range.low),
            None => (1, 0),
        });
    }
    let root_is_interval =
        meaning(&domain.measure, listing.label(0)).is_some_and(|root| matches!(root, Meaning::Interval(_)));
    Ok(Match { held, unlisted, root_is_interval })
}

/// Leaves must not overlap, and intervals must leave no gap.
fn check_neighbours(listing: &Listing, leaves: &[(Range, u32, Meaning)], problems: &mut Findings) {
    for pair in leaves.windows(2) {
        let ((before, first, first_meaning), (after, second, second_meaning)) = (pair[0], pair[1]);
        let (first_line, second_line) = (listing.lines[first as usize], listing.lines[second as usize]);
        let (first, second) = (listing.label(first), listing.label(second));
        let points = matches!((first_meaning, second_meaning), (Meaning::Point(_), Meaning::Point(_)));
        if after.low <= before.high {
            problems.at(second_line, format_args!("'{second}' overlaps '{first}' (line {first_line})"));
        } else if !points && before.high.checked_add(1).is_some_and(|next| next < after.low) {
            problems.at(
                second_line,
                format_args!(
                    "a gap between '{first}' (line {first_line}) and '{second}': values there have no leaf"
                ),
            );
        }
    }
}

/// Per node, the smallest range that covers the leaves below it.
fn hulls(listing: &Listing, leaves: &[(Range, u32, Meaning)]) -> Vec<Option<Range>> {
    let mut hulls: Vec<Option<Range>> = vec![None; listing.len() as usize];
    for (range, node, _) in leaves {
        hulls[*node as usize] = Some(*range);
    }
    // Parents come before their children, so a backward walk finds every child done.
    for node in (1..hulls.len()).rev() {
        if let Some(below) = hulls[node] {
            let hull = hulls[listing.parents[node] as usize].get_or_insert(below);
            *hull = Range { low: hull.low.min(below.low), high: hull.high.max(below.high) };
        }
    }
    hulls
}

/// A group that is called an interval must cover what it holds. `15-19` is only noted: ARX's own file for
/// Adult puts 20 there.
fn check_groups(
    listing: &Listing,
    children: &Children,
    domain: &Domain,
    covered: &[Option<Range>],
    problems: &mut Findings,
    oddities: &mut Vec<String>,
) {
    for node in (0..listing.len()).filter(|node| !children.is_leaf(*node)) {
        let label = listing.label(node);
        let (Some(named), Some(hull)) = (meaning(&domain.measure, label), covered[node as usize]) else {
            continue;
        };
        let range = named.range();
        if range.low <= hull.low && hull.high <= range.high {
            continue;
        }
        let message = format!("'{label}' holds values that lie outside of it");
        let line = listing.lines[node as usize];
        match named {
            Meaning::Dash(_) => oddities.push(format!("{line}: {message}")),
            Meaning::Point(_) | Meaning::Interval(_) => problems.at(line, message),
        }
    }
}

/// Values that the file does not list, counted and located but not shown, with what may be the reason.
fn unlisted_error(listing: &Listing, children: &Children, domain: &Domain, unlisted: &[usize]) -> Error {
    let labels = |leaves: bool| {
        (0..listing.len())
            .filter(move |node| children.is_leaf(*node) == leaves)
            .map(|node| listing.label(node))
    };
    let leaves: BTreeSet<String> = labels(true).map(squeezed).collect();
    let groups: BTreeSet<&str> = labels(false).collect();
    let spaced = unlisted.iter().filter(|place| leaves.contains(&squeezed(domain.values[**place]))).count();
    let grouped = unlisted.iter().filter(|place| groups.contains(domain.values[**place])).count();
    let mut hints = String::new();
    if spaced > 0 {
        hints.push_str(&format!("; {spaced} of them would be found without their spaces"));
    }
    if grouped > 0 {
        hints.push_str(&format!("; {grouped} of them bear the name of a group"));
    }
    Error::data(format!("{} not in {}{hints}", domain.describe(unlisted.iter().copied()), listing.file))
        .in_column(domain.name)
        .advise("add lines for those values")
        .set(
            Setting::hierarchy("unlisted").of(&[domain.name]).to("add_under_root"),
            "put values that are not listed under the root",
        )
        .set(
            Setting::hierarchy("unlisted").of(&[domain.name]).to("treat_as_missing"),
            "treat values that are not listed as missing",
        )
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level, path, weighted};
    use super::super::file;
    use super::*;
    use crate::table::kind::Kind;

    const AGES: &str = "[15,20);[15,25);[15,35)\n[20,25);[15,25);[15,35)\n[25,35);[25,35);[15,35)\n";

    fn bound(text: &str, domain: &Domain, policy: Unlisted) -> Result<Built> {
        bind(&file::read(text, "f.csv")?, domain, policy)
    }

    fn problem(text: &str, domain: &Domain) -> String {
        bound(text, domain, Unlisted::Error).unwrap_err().to_string()
    }

    #[test]
    fn declared_leaves_stay() {
        let built = bound("b;x;*\na;x;*\nc;*", &domain(Kind::Text, &["a", "c"]), Unlisted::Error).unwrap();
        assert_eq!(level(&built.hierarchy, 0), ["b", "a", "c"]);
        assert_eq!(built.codes, [1, 2]);
        assert_eq!(built.hierarchy.provenance(), Provenance::Declared);
    }

    #[test]
    fn unlisted_values() {
        let mut values = weighted(Kind::Text, &[("a", 1), ("secret", 16), ("x", 1)]);
        values.first_rows = Some(&[1, 7, 3]);
        let message = problem("a;x;*\nb;x;*", &values);
        assert!(message.contains("2 values (17 rows; first in rows 3, 7) are not in f.csv"), "{message}");
        assert!(
            message.contains("1 of them bear the name of a group") && !message.contains("secret"),
            "{message}"
        );
        assert!(
            problem("a ;*\nb;*", &domain(Kind::Text, &["a"])).contains("1 of them would be found without")
        );

        let values = domain(Kind::Text, &["a", "z"]);
        let built = bound("a;x;*\nb;x;*", &values, Unlisted::AddUnderRoot).unwrap();
        assert_eq!(path(&built.hierarchy, "z"), "z;*");
        assert_eq!(built.codes, [0, 2]);
        assert_eq!(built.notes, ["column 'c': 1 value (1 row) is not in f.csv; put under the root"]);
        let message = bound("a;x;*\nb;x;*", &values, Unlisted::TreatAsMissing).unwrap_err().to_string();
        assert!(message.contains("cannot be treated as missing"), "{message}");
        let with_missing = Domain { missing: Some("?"), ..values };
        let built = bound("a;x;*\nb;x;*", &with_missing, Unlisted::TreatAsMissing).unwrap();
        assert_eq!((built.codes, built.missing), (vec![0, 2], Some(2)));
    }

    #[test]
    fn spellings_of_a_sensitive_value_are_one_leaf() {
        let values = domain(Kind::Text, &["HIV", "flu"]);
        let spelt = Domain { form: Some(crate::table::normal::Form::default()), ..values };
        assert!(problem("hiv;x;*\nflu;y;*", &values).contains("is not in f.csv"));
        let built = bound("hiv;x;*\nflu;y;*", &spelt, Unlisted::Error).unwrap();
        assert_eq!(level(&built.hierarchy, 0), ["HIV", "flu"], "the data's spelling");
        let twice = "hiv;x;*\nHIV ;x;*\nFlu;y;*\n cold;y;*\nCold;y;*";
        let built = bound(twice, &spelt, Unlisted::Error).unwrap();
        assert_eq!(level(&built.hierarchy, 0), ["HIV", "flu", " cold"]);
        assert_eq!(built.codes, [0, 1]);
        let message = problem("hiv;x;*\nflu;y;*\nHIV;y;*", &spelt);
        assert!(
            message.starts_with("f.csv:3: 'HIV' and 'hiv' (line 1) are two spellings of one value"),
            "{message}"
        );
        let missing = Domain { missing: Some("NA"), ..spelt };
        let built = bound("hiv;x;*\nflu;y;*\nna;*", &missing, Unlisted::Error).unwrap();
        assert_eq!((built.missing, built.hierarchy.leaf_count()), (Some(2), 3));
    }

    #[test]
    fn a_value_named_like_a_group_cannot_be_added() {
        let message = bound("a;x;*", &domain(Kind::Text, &["a", "x"]), Unlisted::AddUnderRoot);
        assert!(message.unwrap_err().to_string().contains("same label"));
    }

    #[test]
    fn missing_values_have_the_file_s_leaf_or_one_under_the_root() {
        let values = Domain { missing: Some("?"), ..domain(Kind::Text, &["a"]) };
        let built = bound("?;x;*\na;x;*", &values, Unlisted::Error).unwrap();
        assert_eq!((built.missing, built.hierarchy.leaf_count()), (Some(0), 2));
        let built = bound("a;x;*\nb;*", &values, Unlisted::Error).unwrap();
        assert_eq!((built.missing, path(&built.hierarchy, "?")), (Some(2), "?;*".to_string()));
    }

    #[test]
    fn numbers_lie_below_interval_leaves() {
        let built = bound(AGES, &domain(Kind::Integer, &["17", "19", "34"]), Unlisted::Error).unwrap();
        assert_eq!(path(&built.hierarchy, "17"), "17;[15,20);[15,25);[15,35)");
        assert_eq!(level(&built.hierarchy, 0), ["17", "19", "[20,25)", "34"], "an empty interval is a leaf");
        assert_eq!((built.hierarchy.height(), built.codes), (3, vec![0, 1, 3]));
        let message = problem(AGES, &domain(Kind::Integer, &["14", "17", "35"]));
        assert!(message.contains("2 values (2 rows) are not in f.csv"), "{message}");
    }

    #[test]
    fn an_interval_root_does_not_hold_missing_values() {
        let values = Domain { missing: Some("?"), ..domain(Kind::Integer, &["17", "34", "99"]) };
        let built = bound(AGES, &values, Unlisted::AddUnderRoot).unwrap();
        assert_eq!(path(&built.hierarchy, "17"), "17;[15,20);[15,25);[15,35);*");
        assert_eq!(path(&built.hierarchy, "99"), "99;*");
        assert_eq!(path(&built.hierarchy, "?"), "?;*");
        assert!(built.notes.iter().any(|note| note.contains("a root '*' was put above '[15,35)'")));
    }

    #[test]
    fn numbers_are_matched_by_value_and_sorted() {
        let built = bound(
            "29;[20,30[;*\n5;[0,10];*\n22;[20,30[;*",
            &domain(Kind::Decimal, &["5", "22.0"]),
            Unlisted::Error,
        );
        let built = built.unwrap();
        assert_eq!(level(&built.hierarchy, 0), ["5", "22.0", "29"], "the data's spelling, ascending");
        assert_eq!(built.codes, [0, 1]);
    }

    #[test]
    fn interval_leaves_are_checked() {
        let ages = domain(Kind::Integer, &["17"]);
        assert_eq!(
            problem("[10,20);*\n[25,30);*", &ages),
            "f.csv:2: a gap between '[10,20)' (line 1) and '[25,30)': values there have no leaf"
        );
        assert_eq!(problem("[10,20);*\n[15,30);*", &ages), "f.csv:2: '[15,30)' overlaps '[10,20)' (line 1)");
        assert!(problem("[10,20);*\n19;*", &ages).contains("'19' overlaps '[10,20)'"));
        assert!(problem("young;*\n17;*", &ages).contains("f.csv:1: 'young' is neither a number"));
        assert!(problem("17;[20,30);*", &ages).contains("'[20,30)' holds values that lie outside of it"));
        let built = bound("17;20-30;*", &ages, Unlisted::Error).unwrap();
        assert!(built.notes[0].contains("'20-30' holds values that lie outside of it"), "{:?}", built.notes);
        assert!(bound("0-9;*\n10-19;*", &ages, Unlisted::Error).is_ok(), "no gap between whole numbers");
        assert!(problem("0-9;*\n10-19;*", &domain(Kind::Decimal, &["9.5"])).contains("a gap"));
        assert!(bound("1;*\n17;*", &ages, Unlisted::Error).is_ok(), "single numbers may lie apart");
    }
}
