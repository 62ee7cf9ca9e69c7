//! Intervals of equal width, of given widths, and of equal frequency.

use super::builder::Quantity;
use super::domain::{Built, Domain};
use super::nested::{Level, Span, assemble, level_of_bins, level_of_cuts, outer_span, round_edges};
use super::tree::Provenance;
use crate::error::{Error, Result, Setting};
use crate::table::kind::{Kind, Measure};

/// The most bins that make sense; more are a typing error.
const MOST_BINS: usize = 1_000_000;

/// The greatest width and origin, in units of the column, so that counting from there never overflows.
const MOST_UNITS: u128 = 10_u128.pow(37);

/// The longest interval of dates: 10,000 years.
const MOST_DAYS: i128 = 3_652_425;

/// `bins` intervals of equal width, nested by merging `fanout` neighbours at a time.
pub(super) fn equal_width(
    domain: &Domain,
    bins: usize,
    fanout: usize,
    min: Option<&Quantity>,
    max: Option<&Quantity>,
) -> Result<Built> {
    check_bins(domain, bins, fanout)?;
    let numbers = domain.numbers("equal_width")?;
    let measure = &domain.measure;
    let given = |bound: Option<&Quantity>| bound.map(|bound| bound.number(domain)).transpose();
    let (low, high) = (given(min)?, given(max)?);
    let low = low.or(domain.declared.map(|range| range.0));
    let high = high.or(domain.declared.map(|range| range.1));
    let (Some(first), Some(last)) = (numbers.first().copied(), numbers.last().copied()) else {
        return flat(domain);
    };
    let (edges, span) = match (low, high) {
        (None, None) => {
            let edges = round_edges(measure, first, last, bins);
            (edges.clone(), Span { low: edges[0], end: edges[edges.len() - 1], declared: false })
        }
        _ => {
            // An end that was not given is rounded outward, never taken from the data as it is.
            let rounded = outer_span(measure, &numbers, None);
            let range = (low.unwrap_or(rounded.low), high.unwrap_or(rounded.end - 1));
            inside(domain, &numbers, range)?;
            (edges_within(measure, range, bins), outer_span(measure, &numbers, Some(range)))
        }
    };
    let mut levels = Vec::new();
    let mut width = 1;
    while width < edges.len() - 1 {
        levels.push(level_of_bins(measure, &numbers, Some(span), |number| {
            let bin = edges.partition_point(|edge| *edge <= number).max(1) - 1;
            let group = bin.min(edges.len() - 2) / width;
            (edges[group * width], edges[((group + 1) * width).min(edges.len() - 1)])
        }));
        width *= fanout;
    }
    let fixed = low.is_some() && high.is_some();
    nest(domain, levels, if fixed { Provenance::Declared } else { Provenance::FromData })
}

/// The edges of intervals of a given range: of equal width, or as many powers of ten for numbers of very different sizes.
fn edges_within(measure: &Measure, (low, high): (i128, i128), bins: usize) -> Vec<i128> {
    if measure.kind.has_unit() || !measure.kind.is_number() {
        return equal_edges(low, high, bins);
    }
    let mut edges = round_edges(measure, low, high, bins);
    edges.retain(|edge| low < *edge && *edge <= high);
    std::iter::once(low).chain(edges).chain([high + 1]).collect()
}

/// The edges of `bins` equal parts of a closed range, as the first values of each part on the grid:
/// a value belongs to the same part as with exact fractional edges. The last edge is past the end.
fn equal_edges(low: i128, high: i128, bins: usize) -> Vec<i128> {
    let (span, bins) = (high - low, bins as i128);
    let part = |bin: i128| low + bin * (span / bins) + (bin * (span % bins) + bins - 1) / bins;
    (0..bins).map(part).chain([high + 1]).collect()
}

/// Intervals of the given widths, each a multiple of the one before, counted from `origin`.
pub(super) fn widths(domain: &Domain, widths: &[Quantity], origin: Option<&Quantity>) -> Result<Built> {
    let numbers = domain.numbers("widths")?;
    if domain.measure.kind.is_number() && !domain.measure.kind.has_unit() {
        return Err(Error::config(
            "the sizes of the numbers differ too much for intervals of given widths",
        )
        .in_column(domain.name)
        .set(
            Setting::column("hierarchy").of(&[domain.name]),
            "build the hierarchy by equal_width, whose intervals are powers of ten there, or by equal_frequency",
        ));
    }
    let origin = origin.map(|origin| origin.number(domain)).transpose()?.unwrap_or(0);
    // A width is a length, not a place: for dates it is a number of days.
    let length = match domain.measure.kind {
        Kind::Date(_) => Measure { kind: Kind::Integer, scale: 0 },
        // Seconds.
        Kind::Timestamp { .. } | Kind::Time => Measure { kind: Kind::Decimal, ..domain.measure },
        _ => domain.measure,
    };
    let widths =
        widths.iter().map(|width| width.number_in(domain.name, &length)).collect::<Result<Vec<_>>>()?;
    let nested = widths.windows(2).all(|pair| pair[0] > 0 && pair[1] > pair[0] && pair[1] % pair[0] == 0);
    if widths.first().is_none_or(|width| *width <= 0) || !nested {
        return Err(Error::config(
            "widths must be positive and each a multiple of the one before, such as [5, 10, 20], so that the intervals nest",
        )
        .in_column(domain.name));
    }
    let days = matches!(domain.measure.kind, Kind::Date(_));
    if widths.iter().chain([&origin]).any(|number| number.unsigned_abs() > MOST_UNITS) {
        return Err(
            Error::config("a width, or where counting starts, has too many digits").in_column(domain.name)
        );
    }
    if days && widths.iter().any(|width| *width > MOST_DAYS) {
        return Err(Error::config("widths of dates are days").in_column(domain.name));
    }
    let level = |width: &i128| {
        level_of_bins(&domain.measure, &numbers, None, |number| {
            let low = origin + (number - origin).div_euclid(*width) * width;
            (low, low + width)
        })
    };
    nest(domain, widths.iter().map(level).collect(), Provenance::Declared)
}

/// About `bins` intervals with about equally many rows, nested by merging `fanout` neighbours.
pub(super) fn equal_frequency(domain: &Domain, bins: usize, fanout: usize) -> Result<Built> {
    check_bins(domain, bins, fanout)?;
    let numbers = domain.numbers("equal_frequency")?;
    let span = label_span(domain, &numbers)?;
    let mut starts = frequency_starts(&numbers, domain.rows, bins);
    let mut levels = Vec::new();
    while starts.len() > 1 {
        let coarser = starts.iter().copied().step_by(fanout).collect();
        levels.push(level_of_cuts(&domain.measure, &numbers, span, starts));
        starts = coarser;
    }
    nest(domain, levels, Provenance::FromData)
}

/// Where groups of about equally many rows start: a cut at rank `i·n/bins` goes to the nearer boundary
/// between different numbers (the lower one when both are as near); equal cuts are one.
pub(crate) fn frequency_starts(numbers: &[i128], rows: &[u64], bins: usize) -> Vec<usize> {
    let total: u128 = rows.iter().map(|rows| u128::from(*rows)).sum();
    let bins = bins as u128;
    // Boundaries as (place, rows before it), from the start to the end of the data.
    let mut boundaries = vec![(0_usize, 0_u128)];
    let mut before = 0_u128;
    for place in 1..=numbers.len() {
        before += u128::from(rows[place - 1]);
        if place == numbers.len() || numbers[place - 1] != numbers[place] {
            boundaries.push((place, before));
        }
    }
    let mut starts = vec![0];
    let mut at = 0;
    for cut in 1..bins {
        // Ranks and row counts are compared as multiples of 1/bins, in integers.
        let rank = cut * total;
        while at + 1 < boundaries.len() && boundaries[at + 1].1 * bins <= rank {
            at += 1;
        }
        let (lower, upper) = (boundaries[at], boundaries[(at + 1).min(boundaries.len() - 1)]);
        let nearer =
            if rank - lower.1 * bins <= (upper.1 * bins).saturating_sub(rank) { lower } else { upper };
        if nearer.0 < numbers.len() && starts.last().is_some_and(|last| *last < nearer.0) {
            starts.push(nearer.0);
        }
    }
    starts
}

/// `value → *` for every value.
pub(super) fn flat(domain: &Domain) -> Result<Built> {
    nest(domain, Vec::new(), Provenance::Declared)
}

/// The tree of the levels, finest first.
pub(super) fn nest(domain: &Domain, mut levels: Vec<Level>, provenance: Provenance) -> Result<Built> {
    levels.reverse();
    let (tree, codes) = assemble(domain.name, domain.values, &levels)?;
    domain.finish(tree, codes, provenance, Vec::new())
}

fn check_bins(domain: &Domain, bins: usize, fanout: usize) -> Result<()> {
    if !(1..=MOST_BINS).contains(&bins) || fanout < 2 {
        return Err(Error::config(format!("bins must be between 1 and {MOST_BINS} and fanout at least 2"))
            .in_column(domain.name));
    }
    Ok(())
}

/// The range that outer labels name, which holds all values.
pub(super) fn label_span(domain: &Domain, numbers: &[i128]) -> Result<Span> {
    if let Some(range) = domain.declared {
        inside(domain, numbers, range)?;
    }
    Ok(outer_span(&domain.measure, numbers, domain.declared))
}

/// An error if the range is empty or some values lie outside it.
fn inside(domain: &Domain, numbers: &[i128], range: (i128, i128)) -> Result<()> {
    let (low, high) = range;
    if low >= high {
        return Err(Error::config("min must be smaller than max").in_column(domain.name));
    }
    if !domain.measure.holds(low, high) {
        return Err(Error::config("min and max are too far apart").in_column(domain.name));
    }
    let outside: Vec<usize> =
        (0..numbers.len()).filter(|place| numbers[*place] < low || numbers[*place] > high).collect();
    if !outside.is_empty() {
        return Err(Error::data(format!(
            "{} outside the declared range from {} to {}",
            domain.describe(outside.into_iter()),
            domain.measure.text(low),
            domain.measure.text(high)
        ))
        .in_column(domain.name)
        .advise("widen the declared range")
        .advise("correct the data"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level, path, weighted};
    use super::*;

    fn integers(values: std::ops::RangeInclusive<i64>) -> Domain<'static> {
        let texts: Vec<String> = values.map(|value| value.to_string()).collect();
        domain(Kind::Integer, &texts.iter().map(String::as_str).collect::<Vec<_>>())
    }

    #[test]
    fn three_bins_of_17_to_90() {
        // Exact edges 17, 41.333…, 65.666…, 90: the first thousandths at or after them.
        assert_eq!(equal_edges(17_000, 90_000, 3), [17_000, 41_334, 65_667, 90_001]);
        assert_eq!(equal_edges(17, 90, 3), [17, 42, 66, 91]);
        let mut ages = integers(17..=90);
        ages.declared = Some((17, 90));
        let built = equal_width(&ages, 3, 2, None, None).unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["[17,41]", "[42,65]", "[66,90]"]);
        assert_eq!(level(&built.hierarchy, 2), ["[17,65]", "[66,90]"]);
        assert_eq!(level(&built.hierarchy, 3), ["*"]);
        assert_eq!(built.hierarchy.provenance(), Provenance::Declared);
        let decimals = domain(Kind::Decimal, &["17.0", "41.3", "41.4", "90"]);
        let bounds = (Quantity::Whole(17), Quantity::Text("90".into()));
        let built = equal_width(&decimals, 3, 2, Some(&bounds.0), Some(&bounds.1)).unwrap();
        assert_eq!(path(&built.hierarchy, "41.3"), "41.3;[17,41.4);[17,65.7);*");
        assert_eq!(path(&built.hierarchy, "41.4"), "41.4;[41.4,65.7);[17,65.7);*");
        assert_eq!(path(&built.hierarchy, "90"), "90;[65.7,90];[65.7,90];*", "the last bin is closed");
    }

    #[test]
    fn without_a_range_edges_are_round() {
        let built = equal_width(&integers(17..=90), 16, 2, None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "17"), "17;[15,19];[15,24];[15,34];[15,54];*");
        assert_eq!(path(&built.hierarchy, "90"), "90;[90,94];[85,94];[75,94];[55,94];*");
        assert_eq!(built.hierarchy.height(), 5);
        assert_eq!(built.hierarchy.provenance(), Provenance::FromData);
        let built = equal_width(&integers(0..=3), 16, 2, None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "3"), "3;[2,3];*", "no level of single values");
        let built = equal_width(&integers(17..=20), 16, 2, None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "20"), "20;[20,21];[20,21];*", "not [19,20]: 20 is the largest");
        let built = equal_width(&integers(7..=7), 16, 2, None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "7"), "7;*");
    }

    #[test]
    fn missing_is_a_leaf_under_the_root() {
        let mut ages = integers(17..=90);
        ages.missing = Some("?");
        let built = equal_width(&ages, 16, 2, None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "?"), "?;*");
        assert_eq!(built.missing, Some(74));
        assert_eq!(built.codes, (0..74).collect::<Vec<_>>());
    }

    #[test]
    fn given_widths() {
        let quantities = |widths: &[i64]| widths.iter().map(|w| Quantity::Whole(*w)).collect::<Vec<_>>();
        let built = widths(&integers(-3..=44), &quantities(&[5, 10, 20]), None).unwrap();
        assert_eq!(path(&built.hierarchy, "17"), "17;[15,19];[10,19];[0,19];*");
        assert_eq!(path(&built.hierarchy, "-3"), "-3;[-5,-1];[-10,-1];[-20,-1];*");
        let built = widths(&integers(1..=9), &quantities(&[5]), Some(&Quantity::Whole(1))).unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["[1,5]", "[6,10]"]);
        for wrong in [&[][..], &[0], &[5, 12], &[10, 5], &[5, 5]] {
            let message = widths(&integers(1..=9), &quantities(wrong), None).unwrap_err().to_string();
            assert!(message.contains("each a multiple of the one before"), "{message}");
        }
    }

    #[test]
    fn equal_frequency_never_splits_a_value() {
        // 10 rows; cuts wanted after 3.33 and 6.67 rows; boundaries after 1, 7, 8, 10.
        assert_eq!(frequency_starts(&[1, 2, 3, 4], &[1, 6, 1, 2], 3), [0, 1, 2]);
        // Wanted after 5; boundaries after 2 and 8 are as near: the lower one.
        assert_eq!(frequency_starts(&[1, 2, 3], &[2, 6, 2], 2), [0, 1]);
        // One value holds nearly everything: empty bins are dropped.
        assert_eq!(frequency_starts(&[1, 2], &[1, 99], 4), [0, 1]);
        assert_eq!(frequency_starts(&[1, 2], &[1, 99], 1), [0]);
        // "1" and "1.0" are one value.
        assert_eq!(frequency_starts(&[10, 10, 20], &[1, 1, 1], 2), [0, 2]);
        assert_eq!(frequency_starts(&[], &[], 3), [0]);
        let built =
            equal_frequency(&weighted(Kind::Integer, &[("3", 5), ("18", 5), ("24", 5), ("61", 5)]), 4, 2)
                .unwrap();
        assert_eq!(level(&built.hierarchy, 1), ["[0,9]", "[10,19]", "[20,49]", "[50,69]"]);
        assert_eq!(level(&built.hierarchy, 2), ["[0,19]", "[20,69]"]);
    }

    #[test]
    fn wrong_requests_are_explained() {
        let ages = integers(17..=90);
        let message = |result: Result<Built>| result.unwrap_err().to_string();
        assert!(message(equal_width(&ages, 0, 2, None, None)).contains("bins must be between"));
        assert!(message(equal_width(&ages, 4, 1, None, None)).contains("fanout at least 2"));
        let (low, high) = (Quantity::Whole(20), Quantity::Whole(85));
        assert!(
            message(equal_width(&ages, 4, 2, Some(&low), Some(&high)))
                .contains("8 values (8 rows) are outside the declared range from 20 to 85")
        );
        assert!(message(equal_width(&ages, 4, 2, Some(&high), Some(&low))).contains("min must be smaller"));
        let declared = Domain { declared: Some((20, 85)), ..ages };
        assert!(message(equal_frequency(&declared, 4, 2)).contains("8 values (8 rows) are outside"));
        let dates = domain(Kind::Date(crate::table::date::DateFormat::YearMonthDay), &["2024-01-01"]);
        assert!(message(widths(&dates, &[Quantity::Whole(i64::MAX)], None)).contains("are days"));
        let built =
            widths(&dates, &[Quantity::Whole(7)], Some(&Quantity::Text("2024-01-01".into()))).unwrap();
        assert_eq!(path(&built.hierarchy, "2024-01-01"), "2024-01-01;[2024-01-01,2024-01-07];*");
        assert!(message(equal_width(&domain(Kind::Text, &["a"]), 4, 2, None, None)).contains("is text"));
    }
}
