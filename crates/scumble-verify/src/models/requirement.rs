//! Reads claims into requirements. Whatever is not understood is an error.

use serde_json::{Map, Value};

use super::guarded::Guarded;
use super::people::PeopleTest;
use super::relational::Relational;
use super::risk::RiskTest;
use super::scope::Scope;
use super::several::joint_name;
use super::t_closeness::Ground;
use super::values::Test;
use super::{LIST, ModelClaim};
use crate::error::VerifyError;
use crate::exact::Rational;

/// One model, parsed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Requirement {
    KAnonymity {
        k: u64,
    },
    LDiversity {
        column: String,
        variant: Variant,
    },
    TCloseness {
        column: String,
        t: Rational,
        ground: Ground,
    },
    /// At most a share `c` of a class has the same value.
    Confidence {
        column: String,
        c: Rational,
    },
    /// All rows of a person together look like those of other people.
    Relational(Relational),
    /// For nobody is the share of values below their guarded node too large.
    Guarded {
        column: String,
        guarded: Guarded,
    },
    /// A test of the number of rows of each value.
    Values {
        column: String,
        test: Test,
    },
    /// A test of the numbers of rows and people.
    People(PeopleTest),
    /// A test of all classes together.
    Risk(RiskTest),
}

/// The four meanings of "l-diversity".
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Variant {
    Distinct { l: u64 },
    Entropy { l: Rational },
    Recursive { l: u64, c: Rational },
    Frequency { l: Rational },
}

impl Requirement {
    pub(super) fn read(claim: &ModelClaim) -> Result<(Self, Scope), VerifyError> {
        let mut parameters = Parameters { model: &claim.name, rest: claim.parameters.clone() };
        let mut scope = Scope { quasi: parameters.optional("quasi", LIST, texts)?, ..Scope::default() };
        let requirement = match claim.name.as_str() {
            "k_anonymity" => Self::KAnonymity { k: parameters.integer("k", 1)? },
            "l_diversity" => {
                let variant =
                    parameters.choice("variant", &["distinct", "entropy", "recursive", "frequency"])?;
                let variant = match variant {
                    "distinct" => Variant::Distinct { l: parameters.integer("l", 1)? },
                    "entropy" => Variant::Entropy { l: parameters.at_least_one("l")? },
                    "frequency" => Variant::Frequency { l: parameters.at_least_one("l")? },
                    _ => Variant::Recursive { l: parameters.integer("l", 2)?, c: parameters.positive("c")? },
                };
                Self::LDiversity { column: parameters.values(&mut scope)?, variant }
            }
            "t_closeness" => {
                let ground = match parameters.choice("distance", &["equal", "ordered", "hierarchical"])? {
                    "equal" => Ground::Equal,
                    "ordered" => Ground::Ordered { order: parameters.optional("order", LIST, texts)? },
                    _ => Ground::Hierarchical {
                        tree: parameters.optional("tree", "it must be a list of paths of texts", paths)?,
                    },
                };
                Self::TCloseness { column: parameters.values(&mut scope)?, t: parameters.share("t")?, ground }
            }
            // A claim is either about the sizes (k) or about the shares of one column (c), so that each has its own figure.
            "lkc" => {
                if parameters.has("l") {
                    scope.known = Some(parameters.integer("l", 1)?);
                }
                if parameters.has("column") {
                    let c = parameters.positive("c")?;
                    if c.compare(1, 1).is_gt() {
                        return Err(parameters.error("c", "it must be at most 1"));
                    }
                    Self::Confidence { column: parameters.values(&mut scope)?, c }
                } else {
                    Self::KAnonymity { k: parameters.integer("k", 1)? }
                }
            }
            // Every set of `size` columns: rows are counted, or the weights in a column added up.
            "threshold_rule" => {
                scope.known = Some(parameters.integer("size", 1)?);
                if parameters.has("column") {
                    let test = Test::read(&mut parameters)?;
                    let test =
                        test.ok_or_else(|| parameters.error("column", "this model adds nothing up"))?;
                    Self::Values { column: parameters.text("column")?, test }
                } else {
                    Self::KAnonymity { k: parameters.integer("least", 1)? }
                }
            }
            "k_map" => Self::People(PeopleTest::Many { k: parameters.integer("k", 1)? }),
            "average_risk" => Self::Risk(if parameters.has("average") {
                RiskTest::Mean { average: parameters.positive_share("average")? }
            } else {
                RiskTest::Share {
                    highest: parameters.positive_share("highest")?,
                    at_risk: parameters.share("at_risk")?,
                }
            }),
            // A claim is about one of the two bounds, so that each has its own figure.
            "delta_presence" if parameters.has("delta_min") => {
                Self::People(PeopleTest::Least { delta: parameters.share("delta_min")? })
            }
            "delta_presence" => Self::People(PeopleTest::Most { delta: parameters.share("delta_max")? }),
            "multirelational" => {
                let set = parameters.choice("count", &["multiset", "set"])? == "set";
                if !parameters.has("person") {
                    return Err(parameters.error("person", "it is missing"));
                }
                Self::Relational(Relational { k: parameters.integer("k", 1)?, set })
            }
            "personalised" => {
                let guarded = Guarded::read(&mut parameters)?;
                Self::Guarded { column: parameters.text("column")?, guarded }
            }
            _ => match Test::read(&mut parameters)? {
                Some(test) => Self::Values { column: parameters.values(&mut scope)?, test },
                None => return Err(VerifyError::UnknownModel { name: claim.name.clone() }),
            },
        };
        if requirement.counts_persons() && parameters.has("person") {
            scope.person = Some(parameters.text("person")?);
        }
        parameters.none_left()?;
        Ok((requirement, scope))
    }
}

/// Parameters that are taken one by one. What is left at the end is an error.
pub(super) struct Parameters<'a> {
    pub(super) model: &'a str,
    rest: Map<String, Value>,
}

impl Parameters<'_> {
    pub(super) fn error(&self, parameter: &str, why: &str) -> VerifyError {
        VerifyError::Parameter {
            model: self.model.to_owned(),
            parameter: parameter.to_owned(),
            why: why.to_owned(),
        }
    }

    /// Whether the parameter is there and not taken yet.
    pub(super) fn has(&self, parameter: &str) -> bool {
        self.rest.contains_key(parameter)
    }

    fn take(&mut self, parameter: &str) -> Result<Value, VerifyError> {
        self.rest.shift_remove(parameter).ok_or_else(|| self.error(parameter, "it is missing"))
    }

    pub(super) fn text(&mut self, parameter: &str) -> Result<String, VerifyError> {
        match self.take(parameter)? {
            Value::String(text) => Ok(text),
            _ => Err(self.error(parameter, "it must be a text")),
        }
    }

    pub(super) fn choice(
        &mut self,
        parameter: &str,
        known: &[&'static str],
    ) -> Result<&'static str, VerifyError> {
        let given = self.text(parameter)?;
        let choice = known.iter().find(|&&name| name == given);
        choice
            .copied()
            .ok_or_else(|| self.error(parameter, &format!("it must be one of {}", known.join(", "))))
    }

    /// Takes the column whose values are checked, or the columns whose tuples are, and the columns that divide classes further.
    fn values(&mut self, scope: &mut Scope) -> Result<String, VerifyError> {
        scope.given = self.optional("given", LIST, texts)?.unwrap_or_default();
        let name = match self.optional("columns", LIST, texts)? {
            Some(names) if names.len() < 2 => return Err(self.error("columns", "one column is no tuple")),
            Some(names) => {
                let name = joint_name(&names);
                scope.joint = Some(names);
                name
            }
            None => self.text("column")?,
        };
        let judged = scope.joint.as_deref().unwrap_or(std::slice::from_ref(&name));
        let mut all: Vec<&String> = judged.iter().chain(&scope.given).collect();
        all.sort_unstable();
        match all.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(self.error("given", &format!("`{}` is named twice", pair[0]))),
            None => Ok(name),
        }
    }

    pub(super) fn boolean(&mut self, parameter: &str) -> Result<bool, VerifyError> {
        self.take(parameter)?.as_bool().ok_or_else(|| self.error(parameter, "it must be true or false"))
    }

    pub(super) fn optional<T>(
        &mut self,
        parameter: &str,
        wish: &str,
        read: fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, VerifyError> {
        let Some(value) = self.rest.shift_remove(parameter) else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some(read)),
            None => Err(self.error(parameter, wish)),
        }
    }

    /// Takes a number that is not negative, from its written form: JSON writes the shortest decimal, so 0.2 is 1/5.
    pub(super) fn number(&mut self, parameter: &str) -> Result<Rational, VerifyError> {
        let read = match self.take(parameter)? {
            Value::Number(number) => Rational::parse(&number.to_string()),
            Value::String(text) => Rational::parse(&text),
            _ => None,
        };
        read.ok_or_else(|| {
            self.error(parameter, "it must be a number that is not negative, with at most 30 digits")
        })
    }

    pub(super) fn integer(&mut self, parameter: &str, least: u64) -> Result<u64, VerifyError> {
        let integer = self.number(parameter)?.integer().and_then(|integer| u64::try_from(integer).ok());
        integer
            .filter(|&integer| integer >= least)
            .ok_or_else(|| self.error(parameter, &format!("it must be an integer of at least {least}")))
    }

    fn at_least_one(&mut self, parameter: &str) -> Result<Rational, VerifyError> {
        let number = self.number(parameter)?;
        if number.compare(1, 1).is_lt() {
            return Err(self.error(parameter, "it must be at least 1"));
        }
        Ok(number)
    }

    pub(super) fn positive(&mut self, parameter: &str) -> Result<Rational, VerifyError> {
        let number = self.number(parameter)?;
        if number.numerator == 0 {
            return Err(self.error(parameter, "it must be greater than 0"));
        }
        Ok(number)
    }

    fn positive_share(&mut self, parameter: &str) -> Result<Rational, VerifyError> {
        let number = self.share(parameter)?;
        if number.numerator == 0 {
            return Err(self.error(parameter, "it must be greater than 0"));
        }
        Ok(number)
    }

    fn share(&mut self, parameter: &str) -> Result<Rational, VerifyError> {
        let number = self.number(parameter)?;
        if number.compare(1, 1).is_gt() {
            return Err(self.error(parameter, "it must be between 0 and 1"));
        }
        Ok(number)
    }

    fn none_left(&self) -> Result<(), VerifyError> {
        match self.rest.keys().next() {
            Some(unknown) => Err(self.error(unknown, "this model has no such parameter here")),
            None => Ok(()),
        }
    }
}

pub(super) fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned)).collect()
}

pub(super) fn paths(value: &Value) -> Option<Vec<(String, Vec<String>)>> {
    let path = |value: &Value| {
        let mut path = texts(value)?.into_iter();
        Some((path.next()?, path.collect()))
    };
    value.as_array()?.iter().map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(claim: &Value) -> Result<Requirement, VerifyError> {
        Requirement::read(&ModelClaim::from_json(claim)?).map(|(requirement, _)| requirement)
    }

    #[test]
    fn numbers_are_kept_exactly() {
        let l = |written: Value| match read(
            &json!({"model": "l_diversity", "variant": "frequency", "l": written, "column": "s"}),
        ) {
            Ok(Requirement::LDiversity { variant: Variant::Frequency { l }, .. }) => {
                (l.numerator, l.denominator)
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(l(json!(2.5)), (5, 2));
        assert_eq!(l(json!("2.5")), (5, 2));
        assert_eq!(l(json!("5/3")), (5, 3));
        assert_eq!(l(json!(1)), (1, 1));
        assert_eq!(l(json!(1.1)), (11, 10));
    }

    #[test]
    fn legal_claims_at_the_edge_of_their_ranges() {
        for claim in [
            json!({"model": "k_anonymity", "k": 1}),
            json!({"model": "k_anonymity", "k": "5"}),
            json!({"model": "l_diversity", "variant": "distinct", "l": 1, "column": "s"}),
            json!({"model": "l_diversity", "variant": "entropy", "l": 1.0, "column": "s"}),
            json!({"model": "l_diversity", "variant": "recursive", "l": 2, "c": 0.0001, "column": "s"}),
            json!({"model": "t_closeness", "distance": "equal", "t": 0, "column": "s"}),
            json!({"model": "t_closeness", "distance": "equal", "t": 1, "column": "s"}),
            json!({"model": "t_closeness", "distance": "ordered", "t": 0.1, "column": "s", "order": ["a", "b"]}),
            json!({"model": "t_closeness", "distance": "hierarchical", "t": 0.1, "column": "s", "tree": [["a", "r"], ["b", "r"]]}),
            json!({"model": "alpha_k", "alpha": "1", "column": "s"}),
            json!({"model": "alpha_k", "alphas": [["a", "1/5"]], "column": "s"}),
            json!({"model": "alpha_k", "alpha": "1/2", "alphas": [["a", "1/5"], ["b", "1"]], "column": "s", "quasi": ["q"]}),
            json!({"model": "k_e", "k": 1, "count": "rows", "column": "s"}),
            json!({"model": "k_e", "e": "0", "comma": false, "column": "s"}),
            json!({"model": "k_e", "e": "0.5", "comma": true, "missing": ["9"], "column": "s"}),
            json!({"model": "p_sensitive", "p": 1, "column": "s"}),
            json!({"model": "p_sensitive", "p": 2, "categories": [["a"], [], ["b", "c"]], "column": "s"}),
            json!({"model": "p_sensitive", "alpha": "0", "categories": [["a"]], "weight_over": "rows", "column": "s"}),
            json!({"model": "beta_likeness", "beta": "1e-9", "variant": "enhanced", "column": "s"}),
            json!({"model": "delta_disclosure", "delta": 0.5, "column": "s"}),
            json!({"model": "threshold_rule", "size": 1, "least": 1}),
            json!({"model": "threshold_rule", "size": 2, "least": "0.5", "column": "w", "comma": false}),
            json!({"model": "k_map", "k": 1}),
            json!({"model": "average_risk", "average": 1}),
            json!({"model": "average_risk", "highest": "0.2", "at_risk": 0}),
            json!({"model": "delta_presence", "delta_min": 0}),
            json!({"model": "delta_presence", "delta_max": "1"}),
        ] {
            assert!(read(&claim).is_ok(), "{claim}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error() {
        for claim in
            [json!({"model": "k-anonymity", "k": 5}), json!({"model": "presence"}), json!({"k": 5}), json!(5)]
        {
            assert!(matches!(read(&claim), Err(VerifyError::UnknownModel { .. })), "{claim}");
        }
        for claim in [
            json!({"model": "k_anonymity"}),
            json!({"model": "k_anonymity", "k": 0}),
            json!({"model": "k_anonymity", "k": 2.5}),
            json!({"model": "k_anonymity", "k": -3}),
            json!({"model": "k_anonymity", "k": true}),
            json!({"model": "k_anonymity", "k": 5, "column": "s"}),
            json!({"model": "l_diversity", "l": 2, "column": "s"}),
            json!({"model": "l_diversity", "variant": "strong", "l": 2, "column": "s"}),
            json!({"model": "l_diversity", "variant": "distinct", "l": 2}),
            json!({"model": "l_diversity", "variant": "distinct", "l": 0, "column": "s"}),
            json!({"model": "l_diversity", "variant": "distinct", "l": 2.5, "column": "s"}),
            json!({"model": "l_diversity", "variant": "entropy", "l": 0.99, "column": "s"}),
            json!({"model": "l_diversity", "variant": "frequency", "l": 0.99, "column": "s"}),
            json!({"model": "l_diversity", "variant": "frequency", "l": 2, "c": 1, "column": "s"}),
            json!({"model": "l_diversity", "variant": "recursive", "l": 1, "c": 1, "column": "s"}),
            json!({"model": "l_diversity", "variant": "recursive", "l": 2, "c": 0, "column": "s"}),
            json!({"model": "l_diversity", "variant": "recursive", "l": 2, "column": "s"}),
            json!({"model": "t_closeness", "t": 0.1, "column": "s"}),
            json!({"model": "t_closeness", "distance": "equal", "t": 1.0001, "column": "s"}),
            json!({"model": "t_closeness", "distance": "equal", "t": -0.1, "column": "s"}),
            json!({"model": "t_closeness", "distance": "equal", "t": 0.1, "column": "s", "order": ["a"]}),
            json!({"model": "t_closeness", "distance": "ordered", "t": 0.1, "column": "s", "order": "a"}),
            json!({"model": "t_closeness", "distance": "hierarchical", "t": 0.1, "column": "s", "tree": [[]]}),
            json!({"model": "alpha_k", "column": "s"}),
            json!({"model": "alpha_k", "alpha": "1/2"}),
            json!({"model": "alpha_k", "alpha": "0", "column": "s"}),
            json!({"model": "alpha_k", "alpha": "1.01", "column": "s"}),
            json!({"model": "alpha_k", "alphas": [], "column": "s"}),
            json!({"model": "alpha_k", "alphas": [["a", "0"]], "column": "s"}),
            json!({"model": "alpha_k", "alphas": [["a", "2"]], "column": "s"}),
            json!({"model": "alpha_k", "alphas": [["a", "1/2"], ["a", "1/3"]], "column": "s"}),
            json!({"model": "alpha_k", "alphas": ["a=1/2"], "column": "s"}),
            json!({"model": "alpha_k", "k": 2, "alpha": "1/2", "column": "s"}),
            json!({"model": "k_e", "column": "s"}),
            json!({"model": "k_e", "k": 0, "count": "distinct", "column": "s"}),
            json!({"model": "k_e", "k": 2, "column": "s"}),
            json!({"model": "k_e", "k": 2, "count": "distinct", "e": "2", "comma": false, "column": "s"}),
            json!({"model": "k_e", "e": "-1", "comma": false, "column": "s"}),
            json!({"model": "k_e", "e": "2", "column": "s"}),
            json!({"model": "k_e", "e": "2", "comma": "no", "column": "s"}),
            json!({"model": "p_sensitive", "p": 0, "column": "s"}),
            json!({"model": "p_sensitive", "column": "s"}),
            json!({"model": "p_sensitive", "p": 2, "categories": [], "column": "s"}),
            json!({"model": "p_sensitive", "p": 2, "categories": ["a"], "column": "s"}),
            json!({"model": "p_sensitive", "p": 2, "categories": [["a"], ["a"]], "column": "s"}),
            json!({"model": "p_sensitive", "alpha": "1", "categories": [["a"]], "column": "s"}),
            json!({"model": "p_sensitive", "alpha": "1", "weight_over": "rows", "column": "s"}),
            json!({"model": "p_sensitive", "p": 2, "alpha": "1", "categories": [["a"]], "weight_over": "rows", "column": "s"}),
            json!({"model": "beta_likeness", "beta": "0", "variant": "basic", "column": "s"}),
            json!({"model": "beta_likeness", "beta": "1", "column": "s"}),
            json!({"model": "delta_disclosure", "delta": "0", "column": "s"}),
            json!({"model": "delta_disclosure", "delta": "1", "variant": "basic", "column": "s"}),
            json!({"model": "threshold_rule", "size": 0, "least": 1}),
            json!({"model": "threshold_rule", "least": 1}),
            json!({"model": "threshold_rule", "size": 1, "least": "0.5"}),
            json!({"model": "threshold_rule", "size": 1, "least": 0, "column": "w", "comma": false}),
            json!({"model": "k_map", "k": 0}),
            json!({"model": "average_risk"}),
            json!({"model": "average_risk", "average": 0}),
            json!({"model": "average_risk", "average": "1.01"}),
            json!({"model": "average_risk", "highest": "0.2"}),
            json!({"model": "average_risk", "highest": 0, "at_risk": 0}),
            json!({"model": "average_risk", "average": "0.1", "highest": "0.2", "at_risk": 0}),
            json!({"model": "k_map", "k": 2, "column": "s"}),
            json!({"model": "delta_presence"}),
            json!({"model": "delta_presence", "delta_min": "1.01"}),
            json!({"model": "delta_presence", "delta_max": "-1"}),
            json!({"model": "delta_presence", "delta_min": "0.1", "delta_max": "0.5"}),
        ] {
            assert!(matches!(read(&claim), Err(VerifyError::Parameter { .. })), "{claim}");
        }
    }
}
