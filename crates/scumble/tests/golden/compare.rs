//! Whether what came out is what the page prints.

use serde_json::Value;

/// Marks a number of a page, which is kept as it is printed.
const NUMBER: char = '#';

/// What of the printed JSON did not come out. Objects may leave keys out; lists may not leave items out; a number with
/// decimal places must be the rounded figure.
pub(crate) fn differences(printed: &str, found: &Value) -> Result<Vec<String>, String> {
    let expected: Value = serde_json::from_str(&numbers_as_texts(printed))
        .map_err(|error| format!("the block is no JSON: {error}"))?;
    let mut differences = Vec::new();
    compare("", &expected, found, &mut differences);
    Ok(differences)
}

/// The JSON with every number as the text `#…`, so that its printed precision is not lost.
fn numbers_as_texts(json: &str) -> String {
    let mut out = String::new();
    let (mut in_text, mut escaped, mut in_number) = (false, false, false);
    for character in json.chars() {
        let of_number = !in_text
            && (character.is_ascii_digit() || (in_number && ".eE+-".contains(character)) || character == '-');
        if of_number != in_number {
            out.push_str(if of_number { "\"#" } else { "\"" });
            in_number = of_number;
        }
        out.push(character);
        if character == '"' && !escaped {
            in_text = !in_text;
        }
        escaped = in_text && character == '\\' && !escaped;
    }
    out
}

fn compare(path: &str, expected: &Value, found: &Value, differences: &mut Vec<String>) {
    let mut differ = |what: String| differences.push(format!("{path}: {what}"));
    match (expected, found) {
        (Value::Object(keys), Value::Object(of)) => {
            for (key, value) in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match of.get(key) {
                    Some(found) => compare(&path, value, found, differences),
                    None => differences.push(format!("{path}: printed, but not there")),
                }
            }
        }
        (Value::Array(items), Value::Array(of)) if items.len() == of.len() => {
            for (place, (item, found)) in items.iter().zip(of).enumerate() {
                compare(&format!("{path}[{place}]"), item, found, differences);
            }
        }
        (Value::Array(items), Value::Array(of)) => {
            differ(format!("printed {} items, found {}", items.len(), of.len()));
        }
        (Value::String(text), found) if text.starts_with(NUMBER) => {
            let printed = &text[NUMBER.len_utf8()..];
            let same = found.as_f64().zip(printed.parse().ok()).is_some_and(|(found, number): (f64, f64)| {
                let places = printed.split_once('.').map_or(0, |(_, places)| places.len());
                let slack = if places == 0 { 0.0 } else { 0.5 * 10_f64.powi(-(places as i32)) + 1e-12 };
                (found - number).abs() <= slack
            });
            if !same {
                differ(format!("printed {printed}, found {found}"));
            }
        }
        (expected, found) if expected == found => {}
        (expected, found) => differ(format!("printed {expected}, found {found}")),
    }
}

/// Why two texts differ: the first line that does.
pub(crate) fn first_difference(printed: &str, found: &str) -> Option<String> {
    let (printed, found): (Vec<&str>, Vec<&str>) =
        (printed.trim().lines().collect(), found.trim().lines().collect());
    let place = (0..printed.len().max(found.len())).find(|place| printed.get(*place) != found.get(*place))?;
    let show = |lines: &[&str]| lines.get(place).map_or("nothing".to_owned(), |line| format!("'{line}'"));
    Some(format!(
        "line {}: printed {}, found {}\nfound in all:\n{}",
        place + 1,
        show(&printed),
        show(&found),
        found.join("\n")
    ))
}
