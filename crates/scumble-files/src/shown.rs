//! Names and texts of a table, made fit to be shown.

/// Returns a text that is safe to show on a terminal. Names and texts of a table can contain anything: characters that move the
/// cursor, change colours or turn the direction of writing are shown as escapes (`\u{1b}`). Line ends and tabs stay; see
/// [`on_one_line`].
#[must_use]
pub fn printable(text: &str) -> String {
    escaped(text, |character| matches!(character, '\n' | '\t'))
}

/// Returns the same for a name inside a line, where line ends and tabs are shown as escapes too.
#[must_use]
pub fn on_one_line(text: &str) -> String {
    escaped(text, |_| false)
}

/// Lists names; if there are very many, only the first ones and the number of the others.
#[must_use]
pub fn listed(names: &[&str]) -> String {
    const MOST: usize = 50;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| on_one_line(name)).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_obeyed(character) && !stays(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Whether a terminal or a viewer obeys a character instead of showing it: control characters, line and paragraph separators, and
/// those that turn the direction of writing.
fn is_obeyed(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::{on_one_line, printable};

    #[test]
    fn terminals_obey_nothing_of_a_text() {
        assert_eq!(
            printable("age\u{1b}[2J\u{202e}x\u{9b}31m\nb\tc"),
            "age\\u{1b}[2J\\u{202e}x\\u{9b}31m\nb\tc"
        );
        assert_eq!(on_one_line("a\nwarning: b\r"), "a\\u{a}warning: b\\u{d}");
        assert_eq!(printable("Größe 名前 😀"), "Größe 名前 😀");
    }
}
