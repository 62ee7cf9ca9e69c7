//! The grammar of released values.
//!
//! A leaf stands as in the input; a hierarchy node by its label; an interval as `[a,b]`; a set as
//! `{a|b|c}`; a number or any above it as `>=90`, or any below it as `<=18`; a suppressed value as `*`. A raw value that looks like one of these gets a leading `=`.
//! The verifier parses this grammar on its own.

/// A suppressed value.
pub const STAR: &str = "*";

/// A raw value: quoted with `=` if it could be taken for something else.
#[must_use]
pub fn raw(text: &str) -> String {
    let ambiguous = text == STAR || ["=", "[", "{", ">=", "<="].iter().any(|start| text.starts_with(start));
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

/// The members of a set, as [`set`] writes it; nothing for other labels.
#[must_use]
pub fn members(label: &str) -> Option<Vec<String>> {
    let inside = label.strip_prefix('{')?.strip_suffix('}')?;
    let mut members = vec![String::new()];
    let mut signs = inside.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '|' => members.push(String::new()),
            sign => {
                let meant = if sign == '\\' { signs.next()? } else { sign };
                members.last_mut()?.push(meant);
            }
        }
    }
    Some(members)
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
        assert_eq!(raw(">=50K"), "=>=50K");
        assert_eq!(raw("<5"), "<5");
        assert_eq!(raw("**"), "**");
    }

    #[test]
    fn sets_escape_their_marks() {
        assert_eq!(set(["a", "b|c", "d}", "\\"].into_iter()), "{a|b\\|c|d\\}|\\\\}");
    }

    #[test]
    fn sets_are_read_back() {
        for texts in [&["a"][..], &["a", "b|c", "d}", "\\"], &["", "{x}"], &["DE89 3704", "+49 30"]] {
            assert_eq!(
                members(&set(texts.iter().copied())).as_deref(),
                Some(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()[..])
            );
        }
        for label in ["a", "[1,2]", "={a|b}", "{a", "{a\\}"] {
            assert_eq!(members(label), None, "{label}");
        }
    }
}
