//! Ranges above values that stand for many numbers: `>=90`, `<=18`, `[18,30)`.

use super::domain::{Built, Domain};
use super::intervals::nest;
use super::nested::{Level, interval, round_edges};
use super::tree::{Hierarchy, Provenance};
use crate::error::Result;
use crate::table::kind::Measure;
use crate::table::label::STAR;
use crate::table::stretch::Stretch;

/// The most ranges of the finest level, where there are numbers beside such values.
const BINS: usize = 16;

/// Ranges of two, four, eight … neighbours. Their edges are those of bands where all values are bands, else round numbers. A range that reaches
/// up to a value without an end has none either.
pub(crate) fn stretches(domain: &Domain, values: &[Stretch]) -> Result<Built> {
    let measure = &domain.measure;
    let Some((first, last)) = values.first().zip(values.last()) else {
        return nest(domain, Vec::new(), Provenance::FromData);
    };
    let are_bands = domain.values.iter().any(|text| text.starts_with('['));
    let edges: Vec<i128> = if are_bands {
        let beyond = values.iter().filter_map(|value| value.end).max().unwrap_or(i128::MIN);
        values.iter().map(|value| value.place()).chain([beyond.max(last.place() + 1)]).collect()
    } else {
        round_edges(measure, first.place(), last.place(), BINS)
    };
    let bins = edges.len() - 1;
    let mut levels = Vec::new();
    let mut width = if are_bands { 2 } else { 1 };
    while width < bins {
        let group = |value: &Stretch| {
            (edges.partition_point(|edge| *edge <= value.place()).max(1) - 1).min(bins - 1) / width
        };
        let mut level = Level { starts: Vec::new(), labels: scumble_files::table::Texts::default() };
        let mut start = 0;
        for together in values.chunk_by(|one, next| group(one) == group(next)) {
            let at = group(&together[0]);
            let (low, end) = (edges[at * width], edges[((at + 1) * width).min(bins)]);
            let opens = together[0].low.is_none();
            let ends = together[together.len() - 1].end;
            let label = match (opens, ends) {
                (true, None) => STAR.to_owned(),
                (true, Some(_)) => format!("<={}", measure.text(end - 1)),
                (false, None) => format!(">={}", measure.text(low)),
                // A band ends where the next one begins, or earlier if that one has no rows.
                (false, Some(end)) if are_bands => {
                    format!("[{}{}{})", measure.text(low), measure.separator(), measure.text(end))
                }
                (false, Some(_)) => interval(measure, low, end, None),
            };
            level.starts.push(start);
            level.labels.push(&label);
            start += together.len();
        }
        levels.push(level);
        width *= 2;
    }
    let built = nest(domain, levels, Provenance::FromData)?;
    Ok(Built { hierarchy: reaching(built.hierarchy, measure, domain.declared), ..built })
}

/// A tree that knows which numbers its leaves stand for, if some stand for many. One without an end reaches up to the declared end of the
/// column, else it counts as its limit.
pub(crate) fn reaching(tree: Hierarchy, measure: &Measure, declared: Option<(i128, i128)>) -> Hierarchy {
    let reach = |text: &str| match (measure.number(text), Stretch::read(measure, text)) {
        (Some(number), _) => Some((number, number)),
        (None, None) => None,
        (None, Some(Stretch { low: Some(low), end: Some(end) })) => Some((low, end)),
        (None, Some(Stretch { low: Some(low), end: None })) => {
            Some((low, declared.map_or(low, |of| of.1.max(low))))
        }
        (None, Some(Stretch { low: None, end })) => {
            let limit = end? - 1;
            Some((declared.map_or(limit, |of| of.0.min(limit)), limit))
        }
    };
    let texts = || (0..tree.leaf_count()).map(|code| tree.leaf_label(code));
    if !texts().any(|text| Stretch::read(measure, text).is_some()) {
        return tree;
    }
    let reaches = texts().map_while(reach).collect();
    tree.reaching(reaches)
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level, path};
    use super::*;
    use crate::table::stretch::measure_of;

    fn built(values: &[&str]) -> Built {
        let measure = measure_of(values.iter().copied()).expect("a measure");
        let read = |text: &&str| {
            measure.number(text).map(Stretch::of).or_else(|| Stretch::read(&measure, text)).expect(text)
        };
        let of: Vec<Stretch> = values.iter().map(read).collect();
        stretches(&Domain { measure, ..domain(measure.kind, values) }, &of).expect("a tree")
    }

    #[test]
    fn bands_are_merged_with_their_neighbours() {
        let tree = built(&["[0,18)", "[18,30)", "[30,45)", "[45,65)", ">=65"]).hierarchy;
        assert_eq!(path(&tree, "[18,30)"), "[18,30);[0,30);[0,65);*");
        assert_eq!(path(&tree, ">=65"), ">=65;>=65;>=65;*");
        assert_eq!(level(&tree, 1), ["[0,30)", "[30,65)", ">=65"]);
        // A band without rows lies inside the range around it.
        let gap = built(&["[0,18)", "[30,45)", "[45,65)"]).hierarchy;
        assert_eq!(level(&gap, 1), ["[0,45)", "[45,65)"]);
    }

    #[test]
    fn what_a_value_leaves_open_is_counted_in_numbers() {
        let tree = built(&["[0,18)", "[18,30)", "[30,45)", "[45,65)", ">=65"]).hierarchy;
        let open = |label: &str| {
            let node = (0..tree.node_count()).find(|node| tree.label(*node) == label).expect(label);
            tree.openness(node).expect("it is known")
        };
        assert_eq!((open("[0,18)"), open("[0,30)"), open("*")), (18.0 / 65.0, 30.0 / 65.0, 1.0));
        assert_eq!(open(">=65"), 0.0, "nobody has said how far it reaches");
        let measure = Measure { kind: crate::table::kind::Kind::Integer, scale: 0 };
        let declared = reaching(tree.clone(), &measure, Some((0, 120)));
        let last = declared.leaf(4);
        assert_eq!(declared.openness(last), Some(55.0 / 120.0));
        assert_eq!(declared.openness(0), Some(1.0));
    }

    #[test]
    fn numbers_beside_coded_values_lie_in_round_ranges() {
        let mut values = vec!["<=18".to_owned()];
        values.extend((19..90).map(|age: u32| age.to_string()));
        values.push(">=90".to_owned());
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        let tree = built(&values).hierarchy;
        assert_eq!(path(&tree, "19"), "19;<=19;<=24;<=34;<=54;*");
        assert_eq!(path(&tree, "<=18"), "<=18;<=19;<=24;<=34;<=54;*");
        assert_eq!(path(&tree, "42"), "42;[40,44];[35,44];[35,54];<=54;*");
        assert_eq!(path(&tree, ">=90"), ">=90;>=90;>=85;>=75;>=55;*");
    }
}
