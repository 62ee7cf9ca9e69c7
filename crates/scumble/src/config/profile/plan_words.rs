//! Names and texts as a plan writes them.

use std::fmt::Write;

/// A key of TOML: bare if it can be.
pub(crate) fn key(name: &str) -> String {
    let bare = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { quoted(name) }
}

/// A text of TOML on one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_a_key() {
        for name in
            ["age", "", "date of birth", "a.b", "say \"hi\"", "back\\slash", "new\nline\t", "\u{7f}", "größe"]
        {
            let text = format!("[{}]\n", key(name));
            let table: toml::Table = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(table.keys().collect::<Vec<_>>(), [name]);
        }
    }
}
