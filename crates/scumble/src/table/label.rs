//! The grammar of released values.
//!
//! A leaf stands as in the input; a hierarchy node by its label; an interval as `[a,b]`; a set as
//! `{a|b|c}`; a suppressed value as `*`. A raw value that looks like one of these gets a leading `=`.
//! The verifier parses this grammar on its own.

/// A suppressed value.
pub const STAR: &str = "*";

/// A raw value: quoted with `=` if it could be taken for something else.
#[must_use]
pub fn raw(text: &str) -> String {
    let ambiguous = text == STAR || text.starts_with(['=', '[', '{']);
    if ambiguous { format!("={text}") } else { text.to_owned() }
}

/// A set of raw values.
pub fn set<'a>(members: impl Iterator<Item = &'a str>) -> String {
    let mut label = String::from("{");
    for (place, member) in members.enumerate() {
        if place > 0 {
            label.push('|');
        }
        for character in member.chars() {
            if matches!(character, '|' | '}' | '\\') {
                label.push('\\');
            }
            label.push(character);
        }
    }
    label.push('}');
    label
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_raw_values_are_quoted() {
        assert_eq!(raw("flu"), "flu");
        assert_eq!(raw("*"), "=*");
        assert_eq!(raw("[1,2]"), "=[1,2]");
        assert_eq!(raw("=x"), "==x");
        assert_eq!(raw("**"), "**");
    }

    #[test]
    fn sets_escape_their_marks() {
        assert_eq!(set(["a", "b|c", "d}", "\\"].into_iter()), "{a|b\\|c|d\\}|\\\\}");
    }
}
