//! Classes described by what they show; finds the one that fits a row best.

use super::covers;
use crate::recoding::ClassColumn;
use crate::table::quasi::{Quasi, Value};

/// A class by what it shows.
pub(super) struct Region {
    pub(super) class: u32,
    pub(super) values: Vec<Value>,
    loss: f64,
}

/// All classes that are not suppressed.
pub(super) struct Regions {
    /// By ascending loss.
    regions: Vec<Region>,
    index: Option<Index>,
}

/// For each code of one column, the classes that may cover it, so that a search need not search at all.
struct Index {
    column: usize,
    starts: Vec<usize>,
    places: Vec<u32>,
}

/// The most places of an index; a larger one would take more memory than the rows.
const MOST_PLACES: u64 = 1 << 26;

impl Regions {
    /// The classes that are not suppressed.
    pub(super) fn new(quasi: &[Quasi], columns: &[ClassColumn], suppressed: &[bool]) -> Self {
        let region = |(class, _): (u32, &bool)| {
            let values: Vec<Value> = columns.iter().map(|column| column.value(class as usize)).collect();
            let loss = quasi.iter().zip(&values).map(|(quasi, value)| quasi.loss(*value)).sum();
            Region { class, values, loss }
        };
        let shown = (0_u32..).zip(suppressed).filter(|(_, suppressed)| !**suppressed);
        let mut regions: Vec<Region> = shown.map(region).collect();
        regions.sort_by(|a, b| a.loss.total_cmp(&b.loss).then(a.class.cmp(&b.class)));
        let index = Index::new(quasi, &regions);
        Self { regions, index }
    }

    /// The class that covers a row in most columns; among ties the one with the least loss, then the first.
    pub(super) fn nearest(&self, quasi: &[Quasi], code: impl Fn(usize) -> u32) -> Option<&Region> {
        let outside = |region: &Region| {
            let columns = quasi.iter().zip(&region.values).enumerate();
            columns.filter(|(column, (quasi, value))| !covers(quasi, **value, code(*column))).count()
        };
        if let Some(index) = &self.index {
            let mut whole = index.places(&code).iter().map(|place| &self.regions[*place as usize]);
            if let Some(region) = whole.find(|region| outside(region) == 0) {
                return Some(region);
            }
        }
        let mut best: Option<(usize, &Region)> = None;
        for region in &self.regions {
            let outside = outside(region);
            if best.is_none_or(|(least, _)| outside < least) {
                best = Some((outside, region));
            }
            if outside == 0 {
                break;
            }
        }
        best.map(|(_, region)| region)
    }
}

impl Index {
    /// An index of the column whose codes are covered by the fewest classes each, among columns small enough for an index.
    fn new(quasi: &[Quasi], regions: &[Region]) -> Option<Self> {
        let places = |column: usize| {
            let width = |region: &Region| {
                let (low, high) = quasi[column].codes(region.values[column]);
                u64::from(high - low) + 1
            };
            regions.iter().map(width).sum::<u64>()
        };
        let columns = (0..quasi.len()).map(|column| (places(column), column));
        let small = columns.filter(|(all, _)| *all <= MOST_PLACES);
        let (all, column) =
            small.min_by_key(|(all, column)| all / u64::from(quasi[*column].size().max(1)))?;
        let range = |region: &Region| {
            let (low, high) = quasi[column].codes(region.values[column]);
            low as usize..=high as usize
        };
        let mut starts = vec![0; quasi[column].size() as usize + 1];
        regions.iter().flat_map(range).for_each(|code| starts[code + 1] += 1);
        for code in 1..starts.len() {
            starts[code] += starts[code - 1];
        }
        let mut next = starts.clone();
        let mut places = vec![0; all as usize];
        for (place, region) in (0..).zip(regions) {
            for code in range(region) {
                places[next[code]] = place;
                next[code] += 1;
            }
        }
        Some(Self { column, starts, places })
    }

    fn places(&self, code: impl Fn(usize) -> u32) -> &[u32] {
        let code = code(self.column) as usize;
        match self.starts.get(code..code + 2) {
            Some([from, to]) => &self.places[*from..*to],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::kind::{Kind, Measure};
    use crate::table::quasi::Shape;
    use proptest::prelude::*;

    fn letters(name: &str, count: u8) -> Quasi {
        let texts: Vec<String> = (0..count).map(|letter| char::from(b'a' + letter).to_string()).collect();
        let measure = Measure { kind: Kind::Text, scale: 0 };
        let shape = Shape::Set(texts.iter().map(String::as_str).collect());
        Quasi { name: name.into(), measure, shape, priority: 1.0, tight: false, sets: false }
    }

    proptest! {
        #[test]
        fn the_index_finds_what_looking_at_all_finds(
            classes in prop::collection::vec(((0..6_u32, 0..6_u32), (0..9_u32, 0..9_u32), 0..4_u8), 0..12),
            row in (0..6_u32, 0..9_u32),
        ) {
            let quasi = [letters("one", 6), letters("two", 9)];
            let value = |(a, b): (u32, u32)| Value::Span(a.min(b), a.max(b));
            let of = |shown: Vec<Value>| {
                let places: Vec<u32> = (0..shown.len() as u32).collect();
                ClassColumn::of_places(shown, &places)
            };
            let first = classes.iter().map(|(one, _, kind)| if *kind == 0 { Value::Star } else { value(*one) });
            let second = classes.iter().map(|(_, two, kind)| if *kind == 1 { Value::Subset(1 << two.0 | 1 << two.1) } else { value(*two) });
            let columns = [of(first.collect()), of(second.collect())];
            let suppressed: Vec<bool> = classes.iter().map(|(.., kind)| *kind == 3).collect();
            let regions = Regions::new(&quasi, &columns, &suppressed);
            prop_assert!(regions.index.is_some());
            let plain = Regions { index: None, regions: Regions::new(&quasi, &columns, &suppressed).regions };
            let code = |column: usize| [row.0, row.1][column];
            let class = |regions: &Regions| regions.nearest(&quasi, code).map(|region| region.class);
            prop_assert_eq!(class(&regions), class(&plain));
            // By the definition: fewest columns outside, then least loss, then the first.
            let rank = |class: &usize| {
                let values = columns.iter().map(|column| column.value(*class));
                let outside = values.clone().enumerate().filter(|(at, value)| !covers(&quasi[*at], *value, code(*at))).count();
                let loss: f64 = quasi.iter().zip(values).map(|(quasi, value)| quasi.loss(value)).sum();
                (outside, loss)
            };
            let shown = (0..classes.len()).filter(|class| !suppressed[*class]);
            let best = shown.min_by(|a, b| {
                let (a, b) = (rank(a), rank(b));
                a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
            });
            prop_assert_eq!(class(&plain).map(|class| class as usize), best);
        }
    }
}
