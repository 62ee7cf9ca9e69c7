//! Turns the bytes of a saved recoding into a rule that is consistent in itself.

use std::collections::BTreeSet;
use std::path::Path;

use scumble_files::table::Texts;
use serde::Deserialize;

use super::SavedRecoding;
use super::format::{QuasiFile, RecodingFile, RuleFile, ShapeFile, VERSION};
use crate::config::{AlgorithmSpec, Column, Plan, Read, RiskSpec, Role};
use crate::error::{Error, ErrorKind, Result, Setting};
use crate::recoding::{ClassColumn, CutTree, Step};
use crate::registry::ALGORITHMS;
use crate::table::hierarchy;
use crate::table::kind::Measure;
use crate::table::quasi::{LARGEST_SUBSET, Line, Quasi, Shape, Value};

/// The part that every version has.
#[derive(Deserialize)]
struct Version {
    scumble_recoding: u32,
}

/// Reads a recoding from the bytes of its file. `path` is for messages only.
pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<SavedRecoding> {
    let name = path.display();
    let wrong = |error: Error| {
        if !error.is(&[ErrorKind::Data, ErrorKind::Config, ErrorKind::Refused]) {
            return error;
        }
        Error::data(format!("the recoding {name} is damaged or was changed: {error}"))
            .set(Setting::root("recoding"), "make the recoding again, with the release")
    };
    let Version { scumble_recoding: version } =
        serde_json::from_slice(bytes).map_err(|error| not_one(path, &error))?;
    if version != VERSION {
        return Err(Error::data(format!(
            "the recoding {name} has version {version}, and this Scumble reads version {VERSION}"
        ))
        .advise("use the Scumble that wrote the recoding")
        .set(Setting::root("recoding"), "make the recoding again, with the release"));
    }
    let file: RecodingFile = serde_json::from_slice(bytes).map_err(|error| {
        wrong(Error::data(format!("line {}, column {} is not as it must be", error.line(), error.column())))
    })?;
    check(file, path).map_err(wrong)
}

/// The error for a file that does not even have a version. The parser's own message might quote the content.
fn not_one(path: &Path, error: &serde_json::Error) -> Error {
    let name = path.display();
    match error.classify() {
        serde_json::error::Category::Eof => {
            Error::data(format!("the recoding {name} ends too early, so it is not complete"))
                .advise("copy the recoding again")
                .set(Setting::root("recoding"), "make the recoding again, with the release")
        }
        serde_json::error::Category::Data => {
            Error::data(format!("{name} is no recoding that can be applied to rows")).set(
                Setting::root("recoding"),
                "give a file that was written with a release, by an algorithm that publishes groups",
            )
        }
        _ => Error::data(format!(
            "the recoding {name} is not JSON (line {}, column {})",
            error.line(),
            error.column()
        ))
        .set(Setting::root("recoding"), "give the file that was written with the release"),
    }
}

/// Checks everything that the rest of the program relies on.
fn check(file: RecodingFile, path: &Path) -> Result<SavedRecoding> {
    let algorithm = ALGORITHMS.find(&file.algorithm)?.name;
    let mut names = BTreeSet::new();
    if let Some((twice, _)) = file.columns.iter().find(|(name, _)| !names.insert(name.as_str())) {
        return Err(Error::data(format!("the column '{twice}' is there twice")));
    }
    let quasi_names: Vec<&str> = file.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
    let planned = file.columns.iter().filter(|(_, column)| column.role.has(Role::Quasi));
    if !planned.map(|(name, _)| name.as_str()).eq(quasi_names.iter().copied()) {
        return Err(Error::data("its quasi-identifiers are not those of its columns"));
    }
    if file.quasi.is_empty() {
        return Err(Error::data("it has no quasi-identifier"));
    }
    let classes = file.classes as usize;
    let quasi: Vec<Quasi> = file
        .quasi
        .iter()
        .map(|quasi| make_quasi(quasi, file.columns.iter().find(|(name, _)| *name == quasi.name)))
        .collect::<Result<_>>()?;
    let mut columns = Vec::with_capacity(quasi.len());
    for (of, quasi) in file.quasi.iter().zip(&quasi) {
        check_values(quasi, &of.values)?;
        if of.of_class.len() != classes || of.of_class.iter().any(|place| *place as usize >= of.values.len())
        {
            return Err(wrong(quasi, "does not say what each group shows"));
        }
        if of.typical >= quasi.size() {
            return Err(wrong(quasi, "has a typical value that there is not"));
        }
        columns.push(ClassColumn::of_places(of.values.to_vec(), &of.of_class));
    }
    let mut suppressed = vec![false; classes];
    for class in &file.suppressed {
        match suppressed.get_mut(*class as usize) {
            Some(suppressed) => *suppressed = true,
            None => return Err(Error::data("a group is suppressed that there is not")),
        }
    }
    let step = rule(file.rule, &quasi, &columns, file.classes)?;
    let payload_trees = file
        .hierarchies
        .iter()
        .map(|(name, outline)| Ok((name.clone(), outline.tree(name)?)))
        .collect::<Result<_>>()?;
    let plan = Plan {
        accept_attribute_disclosure: file.accept_attribute_disclosure,
        accept_linkable_rows: file.accept_linkable_rows,
        report: String::new(),
        read: Read { missing: file.missing, missing_policy: file.missing_policy, ..Read::default() },
        transform: file.transform,
        columns: file.columns,
        quasi_sets: file.quasi_sets,
        privacy: file.privacy,
        algorithm: AlgorithmSpec {
            name: algorithm.to_owned(),
            star_policy: file.star_policy,
            ..AlgorithmSpec::default()
        },
        risk: RiskSpec { audience: file.audience, ..RiskSpec::default() },
        ..Plan::new("rows", "release")
    };
    plan.ready()?;
    Ok(SavedRecoding {
        file: path.to_owned(),
        algorithm,
        plan,
        other_tables: file.other_tables,
        typical: file.quasi.iter().map(|quasi| quasi.typical).collect(),
        quasi,
        payload_trees,
        step,
        columns,
        suppressed,
    })
}

fn wrong(quasi: &Quasi, why: &str) -> Error {
    Error::data(format!("the column '{}' {why}", quasi.name))
}

/// Makes a quasi-identifier from its stored form.
fn make_quasi(file: &QuasiFile<'_>, column: Option<&(String, Column)>) -> Result<Quasi> {
    let damaged = |why: &str| Error::data(format!("the column '{}' {why}", file.name));
    let measure = file.measure;
    if !measure.is_sound() {
        return Err(damaged("has more decimal places than a number can have"));
    }
    let priority = column.and_then(|(_, column)| column.priority.as_ref());
    let shape = match &file.shape {
        ShapeFile::Tree(outline) => {
            Shape::Tree(hierarchy::reaching(outline.tree(&file.name)?, &measure, None))
        }
        ShapeFile::Line { texts, missing, from, to, declared } => {
            let line = line(&measure, texts, missing.as_deref(), (from, to), *declared);
            Shape::Line(line.ok_or_else(|| damaged("has numbers that are none, or not in ascending order"))?)
        }
        ShapeFile::Set(texts) => {
            let mut distinct = BTreeSet::new();
            if texts.is_empty() || !texts.iter().all(|text| distinct.insert(text)) {
                return Err(damaged("has no values, or one twice"));
            }
            Shape::Set(texts.iter().map(String::as_str).collect())
        }
    };
    let priority = priority.map_or(1.0, |priority| priority.to_f64());
    let quasi =
        Quasi { name: file.name.clone(), measure, shape, priority, tight: file.tight, sets: file.sets };
    if quasi.sets && quasi.size() > LARGEST_SUBSET {
        return Err(damaged("has too many values for sets of them"));
    }
    Ok(quasi)
}

/// A line of numbers in ascending order between two bounds; `None` if they are not.
fn line(
    measure: &Measure,
    texts: &[String],
    missing: Option<&str>,
    (from, to): (&str, &str),
    declared: bool,
) -> Option<Line> {
    let numbers: Vec<i128> = texts.iter().map(|text| measure.number(text)).collect::<Option<_>>()?;
    let bounds = (measure.number(from)?, measure.number(to)?);
    let ascending = numbers.is_sorted_by(|a, b| a < b);
    let inside = bounds.0 <= *numbers.first()? && *numbers.last()? <= bounds.1;
    let texts: Texts = texts.iter().map(String::as_str).chain(missing).collect();
    let computable = measure.holds(bounds.0, bounds.1);
    (ascending && inside && computable).then(|| Line::new(measure, numbers, texts, bounds, declared))
}

/// Returns an error if one of the values cannot be shown in the column.
fn check_values(quasi: &Quasi, values: &[Value]) -> Result<()> {
    let size = quasi.size();
    let fits = |value: &Value| match (*value, &quasi.shape) {
        (Value::Star, _) => true,
        (Value::Node(node), Shape::Tree(tree)) => node < tree.node_count(),
        (Value::Node(_), _) => false,
        (Value::Span(low, high), Shape::Line(line)) => {
            low <= high && high < size && (low == high || Some(high) != line.missing())
        }
        (Value::Span(low, high), _) => low <= high && high < size,
        (Value::Subset(codes), _) => codes != 0 && size <= LARGEST_SUBSET && codes.ilog2() < size,
        (Value::Mean { .. }, _) => false,
    };
    if values.iter().any(|value| matches!(value, Value::Mean { .. })) {
        return Err(Error::refused(format!(
            "the column '{}' shows means of groups, which are true of no new row",
            quasi.name
        )));
    }
    if values.iter().all(fits) { Ok(()) } else { Err(wrong(quasi, "shows a value that it cannot have")) }
}

/// The rule; `None` if a row belongs to the class that covers most of it. Returns an error if the rule does not fit these columns and
/// classes.
fn rule(file: RuleFile<'_>, quasi: &[Quasi], columns: &[ClassColumn], classes: u32) -> Result<Option<Step>> {
    let unfit = || Error::data("its rule does not fit its columns");
    Ok(Some(match file {
        RuleFile::Nearest => return Ok(None),
        RuleFile::Levels(levels) => {
            if levels.len() != quasi.len() || quasi.iter().any(|quasi| quasi.tree().is_none()) {
                return Err(unfit());
            }
            Step::Levels(levels)
        }
        RuleFile::Maps(maps) => {
            if maps.len() != quasi.len() {
                return Err(unfit());
            }
            for (quasi, map) in quasi.iter().zip(maps.iter()) {
                check_values(quasi, map)?;
                if map.len() != quasi.size() as usize {
                    return Err(unfit());
                }
            }
            Step::Maps(maps.into_owned())
        }
        RuleFile::Cuts(nodes) => {
            Step::Cuts(CutTree::of_nodes(nodes.into_owned(), columns.to_vec(), classes).ok_or_else(unfit)?)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::Kind;

    /// A set must have a value, and only values of its column; otherwise the file is damaged.
    #[test]
    fn sets_are_of_values_that_the_column_has() {
        let of = |size: u32| {
            let texts: Vec<String> = (0..size).map(|code| format!("v{code:02}")).collect();
            let measure = Measure { kind: Kind::Text, scale: 0 };
            let shape = Shape::Set(texts.iter().map(String::as_str).collect());
            Quasi { name: "q".into(), measure, shape, priority: 1.0, tight: false, sets: true }
        };
        let fits =
            |size: u32, codes: u64| check_values(&of(size), &[Value::Star, Value::Subset(codes)]).is_ok();
        assert!(fits(3, 0b101) && fits(3, 0b111) && fits(LARGEST_SUBSET, u64::MAX));
        assert!(!fits(3, 0) && !fits(3, 0b1000) && !fits(3, 0b1001));
        assert!(!fits(LARGEST_SUBSET + 1, 0b1), "a set has no room for so many");
    }
}
