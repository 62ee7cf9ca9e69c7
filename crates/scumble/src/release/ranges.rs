//! Quasi-identifiers whose coarser values are written as two columns, with the low and the high end of a range, for people who compute
//! with them.

use super::run::Run;
use crate::config::{Plan, Range};
use crate::error::{Error, Result, Setting};
use crate::table::kind::Measure;
use crate::table::label::STAR;
use crate::table::quasi::{Quasi, Value};

/// A quasi-identifier that is written as two columns.
#[derive(Clone)]
pub(super) struct RangeColumn {
    pub(super) name: String,
    measure: Measure,
    /// The texts that mean a missing value.
    missing: Vec<String>,
    /// Whether a model may break where groups become one that did not look the same before.
    is_apart: bool,
}

impl RangeColumn {
    /// The column, if the plan asks for two.
    pub(super) fn of<Found>(run: &Run<'_, Found>, quasi: &Quasi) -> Option<Self> {
        run.plan.column(&quasi.name).filter(|column| column.range == Range::TwoColumns)?;
        Some(Self {
            name: quasi.name.clone(),
            measure: quasi.measure,
            missing: run.markers(&quasi.name),
            is_apart: run.problem.models.iter().any(|model| !model.monotonicity().merging),
        })
    }

    /// The label that readers of the two columns take a value for: missing values are empty there, like suppressed ones, and both ends of a
    /// range are included. Rows are sorted by this label, so that their order does not tell apart what looks the same.
    pub(super) fn label(&self, quasi: &Quasi, value: Value) -> Result<String> {
        if let Value::Mean { .. } = value {
            return Err(self.refused("shows means of groups, and a mean is no range"));
        }
        let label = quasi.label(value);
        if value != Value::Star && self.missing.contains(&label) {
            if self.is_apart {
                let why = "has missing values, which look like suppressed ones there, and a model of the plan may break where groups become one";
                let policy = Setting::read("missing_policy").to("drop-row");
                return Err(self.refused(why).set(policy, "leave out rows that have no value"));
            }
            return Ok(STAR.to_owned());
        }
        match self.ends(&label)? {
            None => Ok(STAR.to_owned()),
            Some((low, high)) if low == high => Ok(low.to_owned()),
            Some((low, high)) => Ok(format!("[{low},{high}]")),
        }
    }

    /// The ends of the range that a label says; `None` if it says nothing.
    pub(super) fn ends<'t>(&self, label: &'t str) -> Result<Option<(&'t str, &'t str)>> {
        if label == STAR {
            return Ok(None);
        }
        let is_value = |text: &str| self.measure.exact(text).is_some();
        if is_value(label) {
            return Ok(Some((label, label)));
        }
        let inside = label.strip_prefix('[').and_then(|rest| rest.strip_suffix([']', ')']));
        let ends = inside.and_then(|inside| inside.split_once(self.measure.separator()));
        match ends {
            Some((low, high)) if is_value(low) && is_value(high) => Ok(Some((low, high))),
            _ if label.starts_with(['>', '<']) => Err(self
                .refused("shows values that have only one end, such as >=90")
                .advise("have the step show the limit itself (write = \"limit\")")),
            _ => Err(self
                .refused("shows labels that are no ranges, such as nodes of its hierarchy")
                .set(
                    Setting::column("hierarchy").of(&[&self.name]),
                    "build its hierarchy of ranges (equal_width, widths), or leave it out with an algorithm that needs none",
                )),
        }
    }

    fn refused(&self, why: &str) -> Error {
        let name = &self.name;
        Error::refused(format!("column '{name}' is to be written as a range in two columns, and it {why}"))
            .unset(Setting::column("range").of(&[name]), "write the column in one, with labels")
    }
}

/// Returns an error if a column is to be written as two and cannot be: its values have no order, or the name of one of the two is taken. The
/// plan has every column.
pub(super) fn check(plan: &Plan, quasi: &[Quasi]) -> Result<()> {
    for (name, column) in &plan.columns {
        if let Some(error) = plan.range_fault(name, column) {
            return Err(error);
        }
    }
    let asked = quasi
        .iter()
        .filter(|quasi| plan.column(&quasi.name).is_some_and(|column| column.range == Range::TwoColumns));
    for quasi in asked {
        let range = RangeColumn {
            name: quasi.name.clone(),
            measure: quasi.measure,
            missing: Vec::new(),
            is_apart: false,
        };
        if !quasi.measure.kind.is_ordered() {
            return Err(range
                .refused("has texts, which have no order")
                .advise("say which texts mean a missing value, if the others are numbers"));
        }
        if quasi.measure.kind.has_comma() {
            return Err(range
                .refused("has numbers with a decimal comma, which people who compute cannot use")
                .advise(
                    "write its numbers with a decimal point; a dialect of the output can turn them back",
                ));
        }
    }
    Ok(())
}

/// Returns an error if a plan asks for two columns where the kind of release has none.
pub(super) fn refuse(plan: &Plan, why: &str) -> Result<()> {
    let asked = plan.columns.iter().find(|(_, column)| column.range == Range::TwoColumns);
    asked.map_or(Ok(()), |(name, _)| {
        Err(Error::refused(format!("column '{name}' is to be written as a range in two columns, and {why}"))
            .unset(Setting::column("range").of(&[name]), "write the column in one"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::Kind;
    use crate::table::quasi::{Line, Shape};

    fn column(kind: Kind, scale: u32) -> RangeColumn {
        RangeColumn {
            name: "a".into(),
            measure: Measure { kind, scale },
            missing: vec!["?".into(), "-9".into()],
            is_apart: false,
        }
    }

    #[test]
    fn labels_have_two_ends() {
        let column = column(Kind::Decimal, 1);
        assert_eq!(column.ends("[2.5,5)").unwrap(), Some(("2.5", "5")));
        assert_eq!(column.ends("7").unwrap(), Some(("7", "7")));
        assert_eq!(column.ends("*").unwrap(), None);
        for label in ["high", "{1|2}", "[a,b]", "[1;2]", "[1,2", "=1"] {
            let error = column.ends(label).unwrap_err().to_string();
            assert!(error.contains("'a'") && !error.contains(label), "{error}");
        }
    }

    #[test]
    fn missing_values_look_suppressed() {
        let measure = Measure { kind: Kind::Integer, scale: 0 };
        let texts = ["10", "20", "-9"].into_iter().collect();
        let line = Line::new(&measure, vec![10, 20], texts, (0, 30), false);
        let shape = Shape::Line(line);
        let quasi = Quasi { name: "a".into(), measure, shape, priority: 1.0, tight: true, sets: false };
        let column = column(Kind::Integer, 0);
        let label = |value| column.label(&quasi, value).unwrap();
        assert_eq!(label(Value::Span(0, 1)), "[10,20]");
        assert_eq!(label(Value::Span(1, 1)), "20");
        assert_eq!((label(Value::Span(2, 2)), label(Value::Star)), ("*".to_owned(), "*".to_owned()));
        assert!(column.label(&quasi, Value::Mean { low: 0, high: 1, mean: 1500 }).is_err());
    }
}
