//! `--set KEY=VALUE`: a parameter of the algorithm on the command line.

use scumble::config::Value;

/// Reads the value of a parameter: `0.5`, `strict`, or a list such as `sex,age` or `[sex,age]`. Anything in quotes is a text, including
/// commas.
pub(crate) fn parse(text: &str) -> Value {
    let text = text.trim();
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let items = split(inner.unwrap_or(text));
    match (&items[..], inner) {
        ([_], None) => one(text),
        _ => Value::List(items.iter().filter(|item| !item.is_empty()).map(|item| one(item)).collect()),
    }
}

/// Reads one item, which is a text if it is in quotes.
fn one(item: &str) -> Value {
    let quoted = ['"', '\''].into_iter().find_map(|quote| item.strip_prefix(quote)?.strip_suffix(quote));
    quoted.map_or_else(|| Value::from_text(item), |text| Value::Text(text.to_owned()))
}

/// Splits a text at commas outside quotes.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, None);
    for (place, letter) in text.char_indices() {
        let begins = text[start..place].trim().is_empty();
        match (letter, open) {
            // Inside a word a quote is a letter: O'Neill.
            ('"' | '\'', None) if begins => open = Some(letter),
            (quote, Some(opened)) if quote == opened => open = None,
            (',', None) => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_need_no_brackets_and_take_quotes() {
        let texts =
            |items: &[&str]| Value::List(items.iter().map(|item| Value::Text((*item).into())).collect());
        for text in ["sex,age", "[sex,age]", "\"sex\",\"age\"", "['sex', 'age']", " sex , age "] {
            assert_eq!(parse(text), texts(&["sex", "age"]), "{text}");
        }
        assert_eq!(parse("'a, b',c"), texts(&["a, b", "c"]));
        assert_eq!(parse("[sex]"), texts(&["sex"]));
        assert_eq!(parse("\"a,b\""), Value::Text("a,b".into()));
        assert_eq!(parse("O'Neill,c"), texts(&["O'Neill", "c"]));
        assert_eq!(parse("3,1"), Value::List(vec![Value::Integer(3), Value::Integer(1)]));
        assert_eq!(parse("0.5"), Value::Decimal("0.5".into()));
        assert_eq!(parse("true"), Value::Boolean(true));
        assert_eq!(parse("strict"), Value::Text("strict".into()));
    }
}
