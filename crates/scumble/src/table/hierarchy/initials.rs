//! Texts by their first letters: `M…`, `M–O`, `M–R`, `M–Z`. Such groups are fixed by the alphabet, and everybody can read them.

use scumble_files::table::Texts;
use unicode_normalization::UnicodeNormalization;

use super::domain::{Built, Domain};
use super::intervals::nest;
use super::nested::Level;
use super::tree::Provenance;
use crate::error::Result;

/// Where a text stands: by its first letter or digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Initial {
    /// A Latin letter, counted from 0, without marks: `É` is E.
    Letter(u8),
    Digit,
    Other,
}

/// The first letters of the groups of each level, finest first; each level's groups are unions of those before.
const STARTS: [&[u8]; 4] = [b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"ADGJMPSV", b"AGMS", b"AM"];

/// Letters with a stroke or of two, which have no base letter in Unicode.
const LETTERS: [(char, u8); 8] =
    [('ø', b'o'), ('ł', b'l'), ('đ', b'd'), ('ð', b'd'), ('þ', b't'), ('æ', b'a'), ('œ', b'o'), ('ß', b's')];

fn initial(text: &str) -> Initial {
    let first = text.chars().find(|character| character.is_alphanumeric());
    let Some(first) = first else { return Initial::Other };
    let base = first.to_lowercase().nfd().next().unwrap_or(first);
    let known = LETTERS.iter().find(|(letter, _)| *letter == base).map(|(_, latin)| *latin);
    match known.or(u8::try_from(base).ok()) {
        Some(latin @ b'a'..=b'z') => Initial::Letter(latin - b'a'),
        Some(b'0'..=b'9') => Initial::Digit,
        _ => Initial::Other,
    }
}

/// Whether nearly all texts begin with a Latin letter or a digit, and not all with the same.
pub(super) fn fits(values: &[&str]) -> bool {
    let initials = || values.iter().map(|value| initial(value));
    let others = initials().filter(|initial| *initial == Initial::Other).count();
    others * 10 <= values.len() && initials().min() != initials().max()
}

/// The group of an initial at a level: its place, and its name.
fn group(initial: Initial, starts: &[u8]) -> (usize, String) {
    let Initial::Letter(letter) = initial else {
        let (place, name) = if initial == Initial::Digit { (0, "0–9") } else { (1, "other beginnings") };
        return (starts.len() + place, name.to_owned());
    };
    let place = starts.partition_point(|start| *start <= letter + b'A') - 1;
    let (first, last) = (starts[place], starts.get(place + 1).map_or(b'Z', |next| next - 1));
    let name = match first == last {
        true => format!("{}…", char::from(first)),
        false => format!("{}–{}", char::from(first), char::from(last)),
    };
    (place, name)
}

/// The tree of texts by their first letters.
pub(super) fn build(domain: &Domain) -> Result<Built> {
    let mut places: Vec<(Initial, &str, u32)> =
        (0_u32..).zip(domain.values).map(|(place, value)| (initial(value), *value, place)).collect();
    places.sort_unstable();
    let mut levels: Vec<Level> = Vec::new();
    for starts in STARTS {
        let mut level = Level { starts: Vec::new(), labels: Texts::default() };
        let mut last = None;
        for (at, (initial, ..)) in places.iter().enumerate() {
            let (place, name) = group(*initial, starts);
            if last != Some(place) {
                last = Some(place);
                level.starts.push(at);
                level.labels.push(&name);
            }
        }
        // A level that joins nothing, or everything, would say no more than its neighbour.
        let same = levels.last().is_some_and(|finer| finer.starts == level.starts);
        if !same && level.starts.len() > 1 {
            levels.push(level);
        }
    }
    let ordered: Vec<&str> = places.iter().map(|(_, value, _)| *value).collect();
    let mut built = nest(&Domain { values: &ordered, ..*domain }, levels, Provenance::Declared)?;
    let mut codes = vec![0; ordered.len()];
    for ((.., place), code) in places.iter().zip(&built.codes) {
        codes[*place as usize] = *code;
    }
    built.codes = codes;
    Ok(built)
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, path};
    use super::*;
    use crate::table::kind::Kind;

    #[test]
    fn groups_are_ranges_of_the_alphabet() {
        let values = ["9 to 5", "Ada", "Zoë", "bob", "Élodie", "mary", "Ørsted", "ł", "(Carol)", "Ωmega"];
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let built = build(&domain(Kind::Text, &sorted)).unwrap();
        let tree = &built.hierarchy;
        assert_eq!(path(tree, "Ada"), "Ada;A…;A–C;A–F;A–L;*");
        assert_eq!(path(tree, "Élodie"), "Élodie;E…;D–F;A–F;A–L;*");
        assert_eq!(path(tree, "(Carol)"), "(Carol);C…;A–C;A–F;A–L;*");
        assert_eq!(path(tree, "Ørsted"), "Ørsted;O…;M–O;M–R;M–Z;*");
        assert_eq!(path(tree, "ł"), "ł;L…;J–L;G–L;A–L;*");
        assert_eq!(path(tree, "9 to 5"), "9 to 5;0–9;0–9;0–9;0–9;*");
        assert_eq!(
            path(tree, "Ωmega"),
            "Ωmega;other beginnings;other beginnings;other beginnings;other beginnings;*"
        );
        for (value, code) in sorted.iter().zip(&built.codes) {
            assert_eq!(tree.label(tree.leaf(*code)), *value);
        }
        assert_eq!(tree.provenance(), Provenance::Declared);
    }

    #[test]
    fn what_fits_the_alphabet() {
        assert!(fits(&["Ada", "Bob"]));
        assert!(!fits(&["Ada", "anna"]), "all begin with the same letter");
        assert!(!fits(&["東京", "大阪", "Kyoto"]));
    }

    /// Levels that join nothing are left out, so that no step up is idle.
    #[test]
    fn no_level_is_idle() {
        let tree = build(&domain(Kind::Text, &["Ada", "Mary"])).unwrap().hierarchy;
        assert_eq!(path(&tree, "Ada"), "Ada;A…;*");
    }
}
