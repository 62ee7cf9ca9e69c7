//! The grammar of released values.
//!
//! ```text
//! released  = "*"                                  suppressed: nothing is said
//!           | "=" raw                              exactly this raw value, whatever it looks like
//!           | "[" low "," high ( "]" | ")" )       a closed or half-open interval of numbers or dates
//!           | "[" low ";" high ( "]" | ")" )       the same where the comma is the decimal mark
//!           | ">=" low                            this number or any above it
//!           | "<=" high                           this number or any below it
//!           | "{" member ( "|" member )* "}"       one of these raw values
//!           | text                                 a raw value as in the input, or a hierarchy node's label
//! member    = any characters, with "\" before "|", "}" and "\"
//! raw, text = any characters
//! ```
//!
//! A raw value that starts with `=`, `[`, `{`, `>=` or `<=`, or is `*`, is written with a leading `=`; so `=*` is the raw value `*` and
//! `==x` is the raw value `=x`. A text that starts like an interval or a set but is not well formed is a plain text.
//! The column's hierarchy decides whether a plain text is a raw value or a node (see [`crate::Cover`]).

use std::fmt;

/// The text of a suppressed value.
pub const SUPPRESSED: &str = "*";

/// A parsed released text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Label {
    /// `*`.
    Suppressed,
    /// A raw value written as it is, or the label of a hierarchy node.
    Plain(String),
    /// A raw value that was written with a leading `=`, here without the `=`.
    Quoted(String),
    /// An interval.
    Interval(Interval),
    /// Everything from an end on, which is included.
    AtLeast(String),
    /// Everything up to an end, which is included.
    AtMost(String),
    /// A set of raw values, unescaped.
    Set(Vec<String>),
}

/// An interval as it is written. Its ends are texts; the column's kind says how to read them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The lower end, always included.
    pub low: String,
    /// The upper end.
    pub high: String,
    /// Whether the upper end is included: `]` if so, `)` if not.
    pub closed: bool,
    /// The character between the ends.
    pub separator: Separator,
}

/// The character between the ends of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Separator {
    /// `,` where the decimal mark is a point, and for dates.
    Comma,
    /// `;` where the decimal mark is a comma.
    Semicolon,
}

/// Parses a released text. Every text is some label, and [`Label`]'s `Display` gives the text back.
#[must_use]
pub fn parse(text: &str) -> Label {
    if text == SUPPRESSED {
        return Label::Suppressed;
    }
    if let Some(raw) = text.strip_prefix('=') {
        return Label::Quoted(raw.to_owned());
    }
    if let Some(low) = text.strip_prefix(">=") {
        return Label::AtLeast(low.to_owned());
    }
    if let Some(high) = text.strip_prefix("<=") {
        return Label::AtMost(high.to_owned());
    }
    let special = if text.starts_with('[') {
        interval(text).map(Label::Interval)
    } else if text.starts_with('{') {
        members(text).map(Label::Set)
    } else {
        None
    };
    special.unwrap_or_else(|| Label::Plain(text.to_owned()))
}

/// Writes a raw value: as it is, or with a leading `=` where it would be taken for something else.
#[must_use]
pub fn quote(raw: &str) -> String {
    let is_special =
        raw == SUPPRESSED || ["=", "[", "{", ">=", "<="].iter().any(|start| raw.starts_with(start));
    if is_special { format!("={raw}") } else { raw.to_owned() }
}

fn interval(text: &str) -> Option<Interval> {
    let body = text.strip_prefix('[')?;
    let (body, closed) = match body.strip_suffix(']') {
        Some(body) => (body, true),
        None => (body.strip_suffix(')')?, false),
    };
    // A semicolon decides, since with decimal commas the ends contain commas too.
    let (separator, mark) =
        if body.contains(';') { (Separator::Semicolon, ';') } else { (Separator::Comma, ',') };
    let (low, high) = body.split_once(mark)?;
    if high.contains(mark) {
        return None;
    }
    Some(Interval { low: low.to_owned(), high: high.to_owned(), closed, separator })
}

fn members(text: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    let mut member = String::new();
    let mut characters = text.strip_prefix('{')?.chars();
    loop {
        match characters.next()? {
            '\\' => match characters.next()? {
                escaped @ ('\\' | '|' | '}') => member.push(escaped),
                _ => return None,
            },
            '|' => all.push(std::mem::take(&mut member)),
            '}' => {
                all.push(member);
                return characters.next().is_none().then_some(all);
            }
            other => member.push(other),
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Suppressed => f.write_str(SUPPRESSED),
            Self::Plain(text) => f.write_str(text),
            Self::Quoted(raw) => write!(f, "={raw}"),
            Self::AtLeast(low) => write!(f, ">={low}"),
            Self::AtMost(high) => write!(f, "<={high}"),
            Self::Interval(Interval { low, high, closed, separator }) => {
                let mark = if *separator == Separator::Comma { ',' } else { ';' };
                write!(f, "[{low}{mark}{high}{}", if *closed { ']' } else { ')' })
            }
            Self::Set(members) => {
                f.write_str("{")?;
                for (place, member) in members.iter().enumerate() {
                    if place > 0 {
                        f.write_str("|")?;
                    }
                    for character in member.chars() {
                        if matches!(character, '\\' | '|' | '}') {
                            f.write_str("\\")?;
                        }
                        write!(f, "{character}")?;
                    }
                }
                f.write_str("}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn set(members: &[&str]) -> Label {
        Label::Set(members.iter().map(|&member| member.to_owned()).collect())
    }

    fn between(low: &str, high: &str, closed: bool, separator: Separator) -> Label {
        Label::Interval(Interval { low: low.into(), high: high.into(), closed, separator })
    }

    #[test]
    fn each_kind_of_label() {
        assert_eq!(parse("*"), Label::Suppressed);
        assert_eq!(parse("**"), Label::Plain("**".into()));
        assert_eq!(parse(""), Label::Plain(String::new()));
        assert_eq!(parse("Private"), Label::Plain("Private".into()));
        assert_eq!(parse("=*"), Label::Quoted("*".into()));
        assert_eq!(parse("==x"), Label::Quoted("=x".into()));
        assert_eq!(parse("="), Label::Quoted(String::new()));
        assert_eq!(parse(">=90"), Label::AtLeast("90".into()));
        assert_eq!(parse("<=-1.5"), Label::AtMost("-1.5".into()));
        assert_eq!(parse("=>=90"), Label::Quoted(">=90".into()));
        assert_eq!(parse(">90"), Label::Plain(">90".into()));
        assert_eq!(parse("[20,30)"), between("20", "30", false, Separator::Comma));
        assert_eq!(parse("[-2.5,3]"), between("-2.5", "3", true, Separator::Comma));
        assert_eq!(parse("[1,5;2,5]"), between("1,5", "2,5", true, Separator::Semicolon));
        assert_eq!(parse("{a|b|c}"), set(&["a", "b", "c"]));
        assert_eq!(parse(r"{a\|b|c\}|d\\}"), set(&["a|b", "c}", r"d\"]));
        assert_eq!(parse("{}"), set(&[""]));
    }

    #[test]
    fn malformed_intervals_and_sets_are_plain_texts() {
        for text in
            ["[20", "[20]", "[1,2,3]", "[1;2;3]", "(1,2]", "[", "{a", "{a}b", r"{a\b}", r"{a\", "{", "[1,2}"]
        {
            assert_eq!(parse(text), Label::Plain(text.into()), "{text}");
        }
    }

    #[test]
    fn raw_values_that_look_special_are_quoted() {
        for (raw, written) in [
            ("*", "=*"),
            ("=x", "==x"),
            ("[1", "=[1"),
            ("{", "={"),
            ("**", "**"),
            ("a=b", "a=b"),
            (">=9", "=>=9"),
            (">9", ">9"),
        ] {
            assert_eq!(quote(raw), written);
        }
    }

    proptest! {
        #[test]
        fn a_label_written_again_is_the_same_text(text in r"[\[\]{}()|,;=<>*\\a1]{0,9}") {
            prop_assert_eq!(parse(&text).to_string(), text);
        }

        #[test]
        fn a_quoted_raw_value_comes_back(raw in r"[\[\]{}()|,;=<>*\\a1]{0,9}") {
            let back = match parse(&quote(&raw)) {
                Label::Plain(text) | Label::Quoted(text) => text,
                other => return Err(TestCaseError::fail(format!("{other:?}"))),
            };
            prop_assert_eq!(back, raw);
        }

        #[test]
        fn a_set_comes_back(members in proptest::collection::vec(r"[{}|\\ab]{0,4}", 1..5)) {
            let label = Label::Set(members);
            prop_assert_eq!(parse(&label.to_string()), label);
        }
    }
}
