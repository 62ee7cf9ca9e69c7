//! What a released cell says about an original one, only by the grammar of `docs/guide/values.md`.

use crate::fraction::Fraction;
use crate::scene::{Column, Hierarchy, Kind, MISSING};

/// Whether the released text is true of the raw value.
pub(crate) fn covers(column: &Column, released: &str, raw: &str) -> bool {
    if released == "*" {
        return true;
    }
    if let Some(exact) = released.strip_prefix('=') {
        return exact == raw;
    }
    if let Some(inside) = released.strip_prefix('{') {
        return inside.strip_suffix('}').is_some_and(|inside| members(inside).iter().any(|m| same(m, raw)));
    }
    // A node may look like an interval, so the tree comes first.
    if same(released, raw) && !must_be_marked(raw) || below(column, released, raw) {
        return true;
    }
    !MISSING.contains(&raw) && within(column.kind, released, raw) == Some(true)
}

/// Whether two texts are equal, with all texts for a missing value as one value.
fn same(left: &str, right: &str) -> bool {
    left == right || MISSING.contains(&left) && MISSING.contains(&right)
}

/// Whether a raw value may only be shown with a leading `=`.
fn must_be_marked(raw: &str) -> bool {
    raw == "*" || ["=", "[", "{", ">=", "<="].iter().any(|start| raw.starts_with(start))
}

/// Returns the members of a set, where a backslash comes before `|`, `}` and itself.
fn members(inside: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => found.last_mut().into_iter().for_each(|last| last.extend(characters.next())),
            '|' => found.push(String::new()),
            _ => found.last_mut().into_iter().for_each(|last| last.push(character)),
        }
    }
    found
}

/// Whether a number or a date is in an interval; `None` if the text is no interval.
fn within(kind: Kind, interval: &str, raw: &str) -> Option<bool> {
    let inside = interval.strip_prefix('[')?;
    let (inside, closed) = match inside.strip_suffix(']') {
        Some(inside) => (inside, true),
        None => (inside.strip_suffix(')')?, false),
    };
    let (low, high) = inside.split_once(',')?;
    if kind == Kind::Date {
        return Some(low <= raw && if closed { raw <= high } else { raw < high });
    }
    let (low, high, raw) = (Fraction::read(low)?, Fraction::read(high)?, Fraction::read(raw)?);
    Some(low.at_most(raw) && if closed { raw.at_most(high) } else { raw.below(high) })
}

/// Whether the value is below the node with that label.
fn below(column: &Column, label: &str, raw: &str) -> bool {
    match &column.hierarchy {
        Hierarchy::File(lines) => {
            let root = lines.first().and_then(|line| line.last());
            if root.is_some_and(|root| root == label) {
                return true;
            }
            let leaf = |text: &String| text == raw || within(column.kind, text, raw) == Some(true);
            lines.iter().any(|line| leaf(&line[0]) && line.iter().any(|node| node == label))
        }
        // Without a hierarchy in the plan, Scumble builds one that cuts codes in the same way.
        Hierarchy::Prefix(_) | Hierarchy::None if column.kind != Kind::Date => {
            let kept = label.trim_end_matches('*');
            kept.len() < label.len() && raw.starts_with(kept) && !MISSING.contains(&raw)
        }
        Hierarchy::Dates | Hierarchy::None => {
            let decade = label.strip_suffix("0s").filter(|kept| kept.len() == 3);
            let part = label.len() == 4 || label.len() == 7;
            decade.is_some_and(|kept| raw.starts_with(kept)) || part && raw.starts_with(&format!("{label}-"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Role;

    fn column(kind: Kind, hierarchy: Hierarchy) -> Column {
        Column {
            name: "c".into(),
            role: Role::Quasi,
            kind,
            hierarchy,
            label: None,
            range: None,
            cells: vec![],
        }
    }

    #[test]
    fn the_grammar() {
        let text = column(Kind::Text, Hierarchy::None);
        for (released, raw, is) in [
            ("*", "x", true),
            ("=*", "*", true),
            ("=*", "x", false),
            ("==x", "=x", true),
            ("{a|b}", "b", true),
            ("{a|b}", "c", false),
            ("{a\\|b|\\}}", "a|b", true),
            ("{a\\|b|\\}}", "}", true),
            ("[x", "[x", false),
            ("nurse", "nurse", true),
            ("nurse", "cook", false),
            ("?", "NA", true),
        ] {
            assert_eq!(covers(&text, released, raw), is, "{released} {raw}");
        }
        let number = column(Kind::Number, Hierarchy::None);
        for (released, raw, is) in [
            ("[2.5,5)", "2.5", true),
            ("[2.5,5)", "5", false),
            ("[30,39]", "39", true),
            ("[30,39]", "?", false),
        ] {
            assert_eq!(covers(&number, released, raw), is, "{released} {raw}");
        }
        let date = column(Kind::Date, Hierarchy::Dates);
        for (released, is) in
            [("1952-06", true), ("1952", true), ("1950s", true), ("1953", false), ("1960s", false)]
        {
            assert_eq!(covers(&date, released, "1952-06-26"), is, "{released}");
        }
    }

    #[test]
    fn nodes_of_a_file() {
        let line = |cells: &[&str]| cells.iter().map(ToString::to_string).collect::<Vec<_>>();
        let lines = vec![line(&["a", "ab", "Any"]), line(&["b", "ab", "Any"]), line(&["c", "Any"])];
        let text = column(Kind::Text, Hierarchy::File(lines));
        for (released, raw, is) in
            [("ab", "a", true), ("ab", "c", false), ("Any", "c", true), ("a", "b", false)]
        {
            assert_eq!(covers(&text, released, raw), is, "{released} {raw}");
        }
        let lines = vec![line(&["[0,5)", "low", "*"]), line(&["[5,9)", "high", "*"])];
        let number = column(Kind::Number, Hierarchy::File(lines));
        for (released, raw, is) in [("low", "4", true), ("low", "5", false), ("[5,9)", "8", true)] {
            assert_eq!(covers(&number, released, raw), is, "{released} {raw}");
        }
    }
}
