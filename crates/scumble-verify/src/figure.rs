//! Writes figures in JSON, which has no infinity; `null` stands for a figure that is not there.

use serde::{Serialize, Serializer};

/// The text for a figure that is larger than any number.
const INFINITE: &str = "infinite";

/// Writes a number, or `"infinite"`.
pub(crate) fn number<S: Serializer>(figure: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if *figure == f64::INFINITY { INFINITE.serialize(serializer) } else { figure.serialize(serializer) }
}

/// Writes a number, `"infinite"`, or `null` if there is no number.
pub(crate) fn optional<S: Serializer>(figure: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match figure {
        Some(figure) => number(figure, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Figures {
        #[serde(serialize_with = "number")]
        one: f64,
        #[serde(serialize_with = "optional")]
        other: Option<f64>,
    }

    #[test]
    fn infinite_is_not_absent() {
        let written = |one, other| serde_json::to_string(&Figures { one, other }).expect("figures");
        assert_eq!(written(f64::INFINITY, None), r#"{"one":"infinite","other":null}"#);
        assert_eq!(written(0.5, Some(f64::INFINITY)), r#"{"one":0.5,"other":"infinite"}"#);
        assert_eq!(written(2.0, Some(3.25)), r#"{"one":2.0,"other":3.25}"#);
    }
}
