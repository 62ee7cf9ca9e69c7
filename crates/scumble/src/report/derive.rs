//! Figures that follow from plain counts: distributions of bounded size.

use super::data::{Distribution, ValueCount};

/// Values of an unordered column that are listed by name; the rest are counted together.
const LISTED: usize = 40;

/// Bars of an ordered column; with more values, neighbours share a bar.
const BARS: usize = 100;

impl Distribution {
    /// A distribution of bounded size. Ordered values keep the given order and, if there are very many,
    /// neighbours are merged; of unordered values the most frequent are listed (ties by name).
    #[must_use]
    pub fn of(mut values: Vec<ValueCount>, ordered: bool) -> Self {
        if ordered {
            return Self { ordered, values: merge_neighbours(values, BARS), ..Self::default() };
        }
        values.sort_by(|a, b| b.rows.cmp(&a.rows).then_with(|| a.value.cmp(&b.value)));
        let rest = values.split_off(values.len().min(LISTED));
        let other_rows = rest.iter().map(|v| v.rows).sum();
        Self { ordered, values, other_values: rest.len() as u64, other_rows }
    }

    /// The same of codes, whose texts are only copied where they are listed: there may be millions.
    #[must_use]
    pub(crate) fn of_codes<'a>(
        mut counts: Vec<(u32, u64)>,
        ordered: bool,
        text: impl Fn(u32) -> &'a str,
    ) -> Self {
        let named = |(code, rows): &(u32, u64)| ValueCount { value: text(*code).to_owned(), rows: *rows };
        if ordered || counts.len() <= LISTED {
            return Self::of(counts.iter().map(named).collect(), ordered);
        }
        let order = |a: &(u32, u64), b: &(u32, u64)| b.1.cmp(&a.1).then_with(|| text(a.0).cmp(text(b.0)));
        counts.select_nth_unstable_by(LISTED, order);
        let (listed, rest) = counts.split_at_mut(LISTED);
        listed.sort_unstable_by(order);
        Self {
            ordered,
            values: listed.iter().map(named).collect(),
            other_values: rest.len() as u64,
            other_rows: rest.iter().map(|(_, rows)| rows).sum(),
        }
    }

    /// All rows of the distribution.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.values.iter().map(|v| v.rows).sum::<u64>() + self.other_rows
    }
}

/// At most `limit` bars, each made of the same number of neighbouring values (the last may have fewer).
pub(super) fn merge_neighbours(values: Vec<ValueCount>, limit: usize) -> Vec<ValueCount> {
    if values.len() <= limit {
        return values;
    }
    values
        .chunks(values.len().div_ceil(limit))
        .map(|run| match run {
            [first, .., last] => ValueCount {
                value: format!("{} to {}", first.value, last.value),
                rows: run.iter().map(|v| v.rows).sum(),
            },
            _ => run[0].clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: &str, rows: u64) -> ValueCount {
        ValueCount { value: value.to_owned(), rows }
    }

    #[test]
    fn codes_give_what_their_texts_give() {
        let texts: Vec<String> = (0..300).map(|i| format!("v{:03}", i * 7 % 300)).collect();
        let counts: Vec<(u32, u64)> = (0..300).map(|i| (i, u64::from(i % 5))).collect();
        for length in [3, 40, 41, 300] {
            let counts = counts[..length].to_vec();
            let values: Vec<ValueCount> =
                counts.iter().map(|(code, rows)| value(&texts[*code as usize], *rows)).collect();
            for ordered in [false, true] {
                let of_codes = Distribution::of_codes(counts.clone(), ordered, |code| &texts[code as usize]);
                let of_texts = Distribution::of(Vec::clone(&values), ordered);
                assert_eq!(format!("{of_codes:?}"), format!("{of_texts:?}"));
            }
        }
    }

    #[test]
    fn rare_values_are_counted_together() {
        let values: Vec<ValueCount> = (0..50).map(|i| value(&format!("v{i:02}"), i + 1)).collect();
        let distribution = Distribution::of(values, false);
        assert_eq!(distribution.values[0], value("v49", 50));
        assert_eq!(distribution.values.len(), 40);
        // The ten rarest have 1 + 2 + … + 10 rows.
        assert_eq!((distribution.other_values, distribution.other_rows), (10, 55));
        assert_eq!(distribution.rows(), 50 * 51 / 2);
    }

    #[test]
    fn neighbours_share_a_bar_when_there_are_many() {
        let values: Vec<ValueCount> = (0..201).map(|i| value(&i.to_string(), 1)).collect();
        let distribution = Distribution::of(values, true);
        // 201 values in at most 100 bars: three a bar.
        assert_eq!(distribution.values.len(), 67);
        assert_eq!(distribution.values[0], value("0 to 2", 3));
        assert_eq!(distribution.rows(), 201);
    }
}
