//! What the labels of a tree say, against what lies below them. A label that is written as a set or an interval says by itself what it
//! holds, and a reader of the release believes it.

use super::domain::Domain;
use super::tree::{Hierarchy, NodeId};
use crate::error::{Error, Result};
use crate::table::decimal::Decimal;
use crate::table::kind::{Kind, Measure};
use crate::table::normal::as_text;

/// An error if the label of some node is not true of all that lies below it, or would be read as something else.
pub(super) fn check(tree: &Hierarchy, domain: &Domain) -> Result<()> {
    let column = domain.name;
    for node in (0..tree.node_count()).filter(|node| !tree.is_leaf(*node)) {
        if let Some(why) = fault(tree, node, domain) {
            return Err(Error::data(format!(
                "the hierarchy of '{column}' has a group whose label {why}; it is {}",
                place(tree, node)
            ))
            .advise("give the group another label"));
        }
    }
    Ok(())
}

/// Where a node is, without its label: labels may be values.
fn place(tree: &Hierarchy, node: NodeId) -> String {
    let (low, high) = tree.range(node);
    let level = tree.level_of(node);
    format!("the one of the leaves {} to {} at level {level}", low + 1, high + 1)
}

/// What is wrong with the label of a group.
fn fault(tree: &Hierarchy, node: NodeId, domain: &Domain) -> Option<&'static str> {
    let measure = &domain.measure;
    // Where spellings do not count, they do not count in labels either.
    let spelt = |text: &str| domain.form.map_or_else(|| text.to_owned(), |_| as_text(text));
    let label = &*tree.label(node);
    if label.starts_with('=') {
        return Some("begins with '=', the mark of a value that is published as it is");
    }
    let (low, high) = tree.range(node);
    let mut leaves = (low..=high).map(|code| tree.leaf(code));
    if let Some(members) = members(label) {
        let named = |leaf: NodeId| {
            let number = Ends::number(measure, &tree.label(leaf));
            let same = |member: &String| {
                let above = std::iter::successors(Some(leaf), |of| tree.parent(*of).filter(|of| *of != node));
                above.into_iter().any(|of| spelt(&tree.label(of)) == spelt(member))
                    || (number.is_some() && Ends::number(measure, member) == number)
            };
            members.iter().any(same)
        };
        return (!leaves.all(named))
            .then_some("is written as a set, {…|…}, and something below it is not in that set");
    }
    if is_beginning(label) {
        let beginning = spelt(label.trim_end_matches('*'));
        let length = label.chars().count();
        let begins = |leaf: NodeId| {
            let leaf = tree.label(leaf);
            leaf.chars().count() != length || spelt(&leaf).starts_with(&beginning)
        };
        return (!leaves.all(begins))
            .then_some("is written as the beginning of values, and some value below it begins otherwise");
    }
    // Codes in a column of texts are numbers to readers of an interval of them; other texts are in no interval.
    let is_text = measure.kind == Kind::Text;
    if !measure.kind.is_number() && label.starts_with(['<', '>']) {
        return None;
    }
    let measure = if is_text { &NUMBERS } else { measure };
    let ends = Ends::read(measure, label)?;
    let inside = |leaf: NodeId| match Ends::number(measure, &tree.label(leaf)) {
        Some(number) => ends.contains(number),
        None => Ends::read(measure, &tree.label(leaf)).map_or(is_text, |within| ends.covers(&within)),
    };
    (!leaves.all(inside))
        .then_some("is written as an interval, and something below it is not in that interval")
}

/// How numbers are read in a column of texts.
const NUMBERS: Measure = Measure { kind: Kind::Decimal, scale: 0 };

/// Whether a label is written as `551**`. `Asia*` may be a name.
fn is_beginning(label: &str) -> bool {
    let beginning = label.trim_end_matches('*');
    let has_digit = beginning.bytes().any(|byte| byte.is_ascii_digit());
    beginning.len() < label.len() && has_digit && !beginning.contains('*')
}

/// The members of a label that is written as a set.
fn members(label: &str) -> Option<Vec<String>> {
    let mut members = vec![String::new()];
    let mut characters = label.strip_prefix('{')?.chars();
    loop {
        let character = match characters.next()? {
            '}' => return characters.next().is_none().then_some(members),
            '|' => {
                members.push(String::new());
                continue;
            }
            '\\' => characters.next().filter(|escaped| matches!(escaped, '\\' | '|' | '}'))?,
            other => other,
        };
        members.last_mut()?.push(character);
    }
}

/// The ends of an interval; `>=90` and `<=18` have one of them.
struct Ends {
    low: Option<Decimal>,
    high: Option<Decimal>,
    closed: bool,
}

impl Ends {
    /// A number or day, which may be finer than any that a column holds.
    fn number(measure: &Measure, text: &str) -> Option<Decimal> {
        let text = text.trim();
        if !measure.kind.is_number() {
            return measure.exact(text);
        }
        // A reader of a label does not mind zeros in front.
        let digits = text.trim_start_matches(['+', '-']);
        let zeros = digits.len() - digits.trim_start_matches('0').len();
        let spare = zeros
            - usize::from(zeros > 0 && !digits[zeros..].starts_with(|next: char| next.is_ascii_digit()));
        let sign = &text[..text.len() - digits.len()];
        measure.exact(&format!("{sign}{}", &digits[spare..]))
    }

    /// The interval that a label writes as `[a,b]` or `[a,b)`, or in a column of numbers as `>=a` or `<=b`.
    fn read(measure: &Measure, label: &str) -> Option<Self> {
        if let Some(low) = label.strip_prefix(">=") {
            return Some(Self { low: Some(Self::number(measure, low)?), high: None, closed: true });
        }
        if let Some(high) = label.strip_prefix("<=") {
            return Some(Self { low: None, high: Some(Self::number(measure, high)?), closed: true });
        }
        let inner = label.strip_prefix('[')?;
        let (inner, closed) = match inner.strip_suffix(']') {
            Some(inner) => (inner, true),
            None => (inner.strip_suffix(')')?, false),
        };
        let (low, high) = inner.split_once(measure.separator())?;
        let (low, high) = (Self::number(measure, low)?, Self::number(measure, high)?);
        Some(Self { low: Some(low), high: Some(high), closed })
    }

    fn contains(&self, number: Decimal) -> bool {
        self.covers(&Self { low: Some(number), high: Some(number), closed: true })
    }

    fn covers(&self, other: &Self) -> bool {
        let from = self.low.is_none_or(|low| other.low.is_some_and(|other| low <= other));
        let to = self.high.is_none_or(|high| {
            other.high.is_some_and(|end| end < high || (end == high && (self.closed || !other.closed)))
        });
        from && to
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Builder, Recipe, Unlisted, build};
    use super::*;
    use proptest::prelude::*;
    use scumble_files::table::Texts;
    use scumble_verify::{Cover, Nodes, covering};

    fn built(lines: &str, values: &[&str], kind: Kind) -> Result<Hierarchy> {
        built_by(lines, values, kind, None)
    }

    fn built_by(
        lines: &str,
        values: &[&str],
        kind: Kind,
        form: Option<crate::table::normal::Form>,
    ) -> Result<Hierarchy> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), lines).unwrap();
        let rows = vec![1; values.len()];
        let domain = Domain {
            name: "c",
            measure: Measure::of(kind, values.iter().copied()),
            values,
            rows: &rows,
            first_rows: None,
            missing: None,
            classes: None,
            declared: None,
            form,
        };
        let builder = Builder::File { path: file.path().to_owned(), unlisted: Unlisted::default() };
        build(&Recipe::load(builder)?, &domain).map(|built| built.hierarchy)
    }

    #[test]
    fn labels_must_hold_what_they_say() {
        for (lines, good) in [
            ("a;{a|b};*\nb;{a|b};*\n", true),
            ("a;{a|b|c};*\nb;{a|b|c};*\n", true),
            ("a;{a|d};*\nb;{a|d};*\n", false),
            ("a;=x;*\nb;=x;*\n", false),
            ("a;=;*\nb;=;*\n", false),
            ("a;{a;*\nb;{a;*\n", true),
            ("a;[1,2];*\nb;[1,2];*\n", true),
            ("a;a*;*\nb;a*;*\n", true),
        ] {
            let found = built(lines, &["a", "b"], Kind::Text);
            assert_eq!(found.is_ok(), good, "{lines} {:?}", found.err());
        }
        for (label, good) in [
            ("[1,29]", true),
            ("[1,20)", false),
            ("[21,29]", false),
            ("2*", true),
            ("1*", false),
            ("2**", true),
            ("x", true),
        ] {
            let found = built(&format!("20;{label};*\n25;{label};*\n"), &["20", "25"], Kind::Text);
            assert_eq!(found.is_ok(), good, "{label} {:?}", found.err());
        }
        for (lines, good) in [
            ("1;[1,2];*\n2;[1,2];*\n", true),
            ("1;[1,2);*\n2;[1,2);*\n", false),
            ("1;[1,2.0];*\n2;[1,2.0];*\n", true),
            ("1;{1.0|2};*\n2;{1.0|2};*\n", true),
            ("1;[3,9];*\n2;[3,9];*\n", false),
        ] {
            let found = built(lines, &["1", "2"], Kind::Integer);
            assert_eq!(found.is_ok(), good, "{lines} {:?}", found.err());
        }
    }

    #[test]
    fn labels_of_sensitive_columns_may_be_spelt_otherwise() {
        let form = Some(crate::table::normal::Form::default());
        for lines in ["B20;B2*;B**;*\nB24;B2*;B**;*\n", "B20;{B20|B24};*\nB24;{B20|B24};*\n"] {
            assert!(built_by(lines, &["b20", "b24"], Kind::Text, form).is_ok(), "{lines}");
        }
        assert!(built_by("B20;B3*;*\nB24;B3*;*\n", &["b20", "b24"], Kind::Text, form).is_err());
        assert!(built("Korea;Asia*;*\nChina;Asia*;*\n", &["China", "Korea"], Kind::Text).is_ok(), "a name");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        /// Whatever a hierarchy calls its groups: it is refused, or the verifier finds every label true of every leaf below it.
        #[test]
        fn what_is_not_refused_is_true(
            labels in proptest::collection::vec(r"[=\[{*abc1-4|,;)\]}\\. ]{1,6}|\{[abc]\|[abc]\}|\[[1-4],[1-4][\])]|\{[1-4]\|[1-4](\.0)?\}", 3),
            numbers in any::<bool>(),
        ) {
            let values: &[&str] = if numbers { &["1", "2", "3"] } else { &["a", "b", "c"] };
            let kind = if numbers { Kind::Integer } else { Kind::Text };
            let quote = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
            let lines: String = values
                .iter()
                .enumerate()
                .map(|(at, value)| format!("{value};{};{};*\n", quote(&labels[at / 2]), quote(&labels[2])))
                .collect();
            let Ok(tree) = built(&lines, values, kind) else { return Ok(()) };
            let kind = if numbers { scumble_verify::ValueKind::Number { comma: false } } else { scumble_verify::ValueKind::Text };
            let nodes = Nodes::from_paths(crate::models::t_closeness::owned_paths(&tree)).unwrap();
            let cover = Cover { kind, nodes, missing: Vec::new() };
            for (leaf, above) in tree.paths() {
                for label in above {
                    let (label_text, leaf_text) = (Texts::from_iter([&*label]), Texts::from_iter([&*leaf]));
                    let found = covering(&cover, &label_text, &leaf_text, &scumble_files::Control::default());
                    prop_assert_eq!(&found, &Ok(vec![vec![0]]), "{} {}", leaf, label);
                }
            }
        }
    }
}
