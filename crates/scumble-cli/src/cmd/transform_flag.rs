//! `--transform NAME:key=value,key=[a,b]`: any transform of the registry on the command line.

use scumble::config::{TransformSpec, Value, key_does_not_belong_here};
use scumble::registry::TRANSFORMS;
use scumble::{Error, Result};

use super::model_flag::{list, split, texts};

/// Reads one `--transform`. Names and keys are checked here, values when the step is built.
pub(super) fn parse(given: &str) -> Result<TransformSpec> {
    let wrong = |message: String| Error::config(format!("--transform '{given}': {message}"));
    let (name, parameters) = given.split_once(':').unwrap_or((given, ""));
    let entry = TRANSFORMS.find(name.trim())?;
    let mut spec = TransformSpec { column: None, ..TransformSpec::new(entry.name, "") };
    let mut keys: Vec<&str> = Vec::new();
    for pair in split(parameters).ok_or_else(|| wrong("a bracket is not closed".into()))? {
        let (key, value) =
            pair.split_once('=').ok_or_else(|| wrong(format!("'{pair}' must be key=value")))?;
        let (key, value) = (key.trim(), value.trim());
        if key == "key" {
            return Err(key_does_not_belong_here());
        }
        if keys.contains(&key) {
            return Err(wrong(format!("{key} is given twice")));
        }
        keys.push(key);
        let value = match list(value) {
            Some(items) => Value::List(items.into_iter().map(Value::Text).collect()),
            None => Value::from_text(value),
        };
        match key {
            "column" => spec.column = Some(value.to_text().into_owned()),
            "columns" => spec.columns = texts(value),
            "into" => spec.into = Some(value.to_text().into_owned()),
            key => spec.parameters.set(key, value),
        }
    }
    let known: Vec<&str> =
        entry.parameters.iter().map(|(name, _)| *name).chain(["column", "columns", "into"]).collect();
    spec.parameters.allow_only(&known).map_err(|error| wrong(error.to_string()))?;
    if spec.changed().next().is_none() {
        return Err(wrong("say which column it changes: column=NAME".to_owned()));
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_parameters() {
        let spec = parse("top:columns=[income,assets],share=0.005").expect("a step");
        assert_eq!(
            (spec.transform.as_str(), &spec.columns[..]),
            ("top", &["income".to_owned(), "assets".to_owned()][..])
        );
        assert_eq!(spec.parameters.get("share"), Some(&Value::Decimal("0.005".into())));
        let spec = parse("days-since: column=visit, since=2024-01-01, into=day").expect("a step");
        assert_eq!((spec.transform.as_str(), spec.into.as_deref()), ("days_since", Some("day")));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |given: &str| parse(given).expect_err(given).to_string();
        assert!(message("rond:column=a,base=5").contains("did you mean 'round'"));
        assert!(message("round:column=a,bas=5").contains("did you mean 'base'"));
        assert!(message("round:base=5").contains("column=NAME"));
        let of_key = message("pseudonym:column=a,key=c0ffee");
        assert!(of_key.contains("a key does not belong") && !of_key.contains("c0ffee"), "{of_key}");
        assert!(message("round:column=a,base").contains("'base' must be key=value"));
        assert!(message("round:column=a,column=b").contains("given twice"));
    }
}
