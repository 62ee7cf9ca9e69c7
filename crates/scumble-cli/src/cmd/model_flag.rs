//! `--model NAME:key=value,key=[a,b]`: any model of the registry on the command line.

use scumble::config::{ModelSpec, Parameters, QuasiSet, Value};
use scumble::registry::MODELS;
use scumble::{Error, Result};

/// Reads one `--model`. Names and keys are checked here, values when the model is built.
pub(crate) fn parse(given: &str) -> Result<ModelSpec> {
    let wrong = |message: String| Error::config(format!("--model '{given}': {message}"));
    let (name, parameters) = given.split_once(':').unwrap_or((given, ""));
    let entry = MODELS.find(name.trim())?;
    let mut spec = ModelSpec {
        model: entry.name.to_owned(),
        columns: Vec::new(),
        quasi: None,
        parameters: Parameters::default(),
    };
    let mut keys: Vec<&str> = Vec::new();
    for pair in split(parameters).ok_or_else(|| wrong("a bracket is not closed".into()))? {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| wrong(format!("'{pair}' must be key=value")))?;
        let (key, value) = (key.trim(), value.trim());
        if keys.contains(&key) {
            return Err(wrong(format!("{key} is given twice")));
        }
        keys.push(key);
        let value = match list(value) {
            // Items of a list are texts; numbers in it are values of a column.
            Some(items) => Value::List(items.into_iter().map(Value::Text).collect()),
            None => Value::from_text(value),
        };
        match (key, value) {
            ("columns", value) => spec.columns = texts(value),
            ("quasi", Value::List(items)) => {
                spec.quasi = Some(QuasiSet::Columns(texts(Value::List(items))));
            }
            ("quasi", value) => spec.quasi = Some(QuasiSet::Named(value.to_text().into_owned())),
            (key, value) => spec.parameters.set(key, value),
        }
    }
    let known: Vec<&str> = entry.parameters.iter().map(|(name, _)| *name).chain(["quasi"]).collect();
    spec.parameters.allow_only(&known).map_err(|error| wrong(error.to_string()))?;
    Ok(spec)
}

pub(super) fn texts(value: Value) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().map(|item| item.to_text().into_owned()).collect(),
        value => vec![value.to_text().into_owned()],
    }
}

/// Splits a text at commas outside brackets; `None` if a bracket is not closed.
pub(super) fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, false);
    for (place, letter) in text.char_indices() {
        match letter {
            // A bracket begins a list only after '='; elsewhere it belongs to a value.
            '[' if text[..place].trim_end().ends_with('=') && !open => open = true,
            ']' => open = false,
            ',' if !open => {
                parts.push(text[start..place].trim());
                start = place + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    (!open).then_some(parts)
}

/// Returns the items of `[a, b]`.
pub(super) fn list(text: &str) -> Option<Vec<String>> {
    let items = text.strip_prefix('[')?.strip_suffix(']')?.split(',').map(str::trim);
    Some(items.filter(|item| !item.is_empty()).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_lists() {
        let spec = parse("alpha-k: k=3, alphas=[hiv=0.1, lung cancer=1/3],columns=ill").expect("a model");
        assert_eq!((spec.model.as_str(), &spec.columns[..]), ("alpha_k", &["ill".to_owned()][..]));
        assert_eq!(spec.parameters.get("k"), Some(&Value::Integer(3)));
        let alphas = ["hiv=0.1", "lung cancer=1/3"].map(|text| Value::Text(text.into()));
        assert_eq!(spec.parameters.get("alphas"), Some(&Value::List(alphas.to_vec())));
        let spec = parse("p_sensitive:p=2,categories=[1|2,3],quasi=[age,sex]").expect("a model");
        let categories = ["1|2", "3"].map(|text| Value::Text(text.into()));
        assert_eq!(spec.parameters.get("categories"), Some(&Value::List(categories.to_vec())));
        assert_eq!(spec.quasi, Some(QuasiSet::Columns(vec!["age".into(), "sex".into()])));
        assert_eq!(
            parse("lkc:l=2,k=5,quasi=press").expect("a model").quasi,
            Some(QuasiSet::Named("press".into()))
        );
        let spec = parse("delta_disclosure:delta=0.5").expect("a model");
        assert_eq!(spec.parameters.get("delta"), Some(&Value::Decimal("0.5".into())));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &str| parse(given).expect_err(given).to_string();
        assert!(message("alfa_k:k=3").contains("did you mean 'alpha_k'"));
        assert!(message("alpha_k:alhpa=0.5").contains("did you mean 'alpha'"));
        assert!(message("alpha_k:alpha").contains("'alpha' must be key=value"));
        assert!(message("alpha_k:alphas=[hiv=0.1").contains("a bracket is not closed"));
        assert!(message("k_e:k=2,k=3").contains("k is given twice"));
    }
}
