//! What the attacker knows of people, as kinds that several people share: numbers and rare texts are put into bins.

use std::collections::BTreeMap;

use scumble::config::Plan;

use super::super::Known;

/// Numbers with more different values than this are put into this many bins.
const BINS: usize = 10;
/// If there are more texts than this, the rarest share one bin.
const VALUES: usize = 100;

/// A known column, in bins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binned {
    /// The bin of each original value.
    pub of_value: Vec<u32>,
    /// The number of bins.
    pub bins: usize,
}

impl Binned {
    /// Puts numbers with many values into bins of about equally many people, with a bin of its own for a missing
    /// number. Everything else keeps its values.
    pub(super) fn new(known: &Known, plan: &Plan) -> Self {
        let own = plan.column(&known.name).and_then(|column| column.missing.as_ref());
        let missing = own.unwrap_or(&plan.read.missing);
        let is_missing = |text: &str| missing.iter().any(|marker| marker == text);
        let number = |text: &String| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
        let numbers: Vec<Option<f64>> =
            known.values.iter().map(|text| if is_missing(text) { None } else { number(text) }).collect();
        let is_text =
            known.values.iter().zip(&numbers).any(|(text, number)| number.is_none() && !is_missing(text));
        let mut people = vec![0_u64; known.values.len()];
        known.of_person.iter().for_each(|value| people[*value as usize] += 1);
        if is_text || numbers.iter().flatten().count() <= BINS {
            return Self::frequent(&people);
        }
        let mut order: Vec<(f64, usize)> =
            numbers.iter().enumerate().filter_map(|(value, number)| Some(((*number)?, value))).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let all: u64 = order.iter().map(|(_, value)| people[*value]).sum();
        let mut of_value = vec![BINS as u32; known.values.len()];
        let mut before = 0;
        for (_, value) in order {
            // The middle of a value's people decides, so a frequent value goes to the bin in which most of them lie.
            of_value[value] =
                ((before * 2 + people[value]) * BINS as u64 / (all * 2).max(1)).min(BINS as u64 - 1) as u32;
            before += people[value];
        }
        Self { of_value, bins: BINS + 1 }
    }

    /// Gives every value a bin of its own. If there are too many, the rarest share the last bin.
    fn frequent(people: &[u64]) -> Self {
        let mut order: Vec<usize> = (0..people.len()).collect();
        if order.len() > VALUES {
            order.sort_by_key(|value| (std::cmp::Reverse(people[*value]), *value));
        }
        let mut of_value = vec![0; people.len()];
        order
            .iter()
            .zip(0..)
            .for_each(|(value, bin)| of_value[*value] = std::cmp::min(bin, VALUES as u32 - 1));
        Self { of_value, bins: people.len().min(VALUES) }
    }
}

/// The different combinations of bins, and which person has which.
pub(super) struct Kinds {
    /// The bins of each kind, column by column.
    pub bins: Vec<Vec<u32>>,
    /// The kind of each person.
    pub of_person: Vec<u32>,
}

impl Kinds {
    /// Groups people by their bins.
    pub(super) fn new(known: &[Known], columns: &[Binned], people: usize) -> Self {
        let key = |person: usize| -> Vec<u32> {
            let of_column =
                |(known, binned): (&Known, &Binned)| binned.of_value[known.of_person[person] as usize];
            known.iter().zip(columns).map(of_column).collect()
        };
        let keys: Vec<Vec<u32>> = (0..people).map(key).collect();
        let mut numbers: BTreeMap<&[u32], u32> = keys.iter().map(|key| (&key[..], 0)).collect();
        numbers.values_mut().zip(0..).for_each(|(number, next)| *number = next);
        let of_person = keys.iter().map(|key| numbers[&key[..]]).collect();
        Self { bins: numbers.into_keys().map(<[u32]>::to_vec).collect(), of_person }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(values: &[&str], of_person: &[u32]) -> Known {
        Known {
            name: "age".into(),
            labels: Vec::new(),
            values: values.iter().map(|text| (*text).to_owned()).collect(),
            covering: Vec::new(),
            of_person: of_person.to_vec(),
        }
    }

    #[test]
    fn many_numbers_share_bins_and_a_missing_one_has_its_own() {
        let texts: Vec<String> = (0..20).map(|age| age.to_string()).chain(["?".into()]).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let binned = Binned::new(&known(&texts, &(0..21).collect::<Vec<_>>()), &Plan::new("a", "b"));
        let wanted: Vec<u32> = (0..20).map(|age| age / 2).chain([10]).collect();
        assert_eq!((binned.of_value, binned.bins), (wanted, 11));
    }

    #[test]
    fn texts_and_few_numbers_stay_as_they_are() {
        let plan = Plan::new("a", "b");
        assert_eq!(Binned::new(&known(&["1", "2", "?"], &[0, 1, 2]), &plan).of_value, [0, 1, 2]);
        let texts: Vec<String> = (0..20).map(|text| format!("v{text}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(Binned::new(&known(&texts, &[0]), &plan).bins, 20);
        // Of 102 texts the one that somebody has comes first. The last three of the others share a bin.
        let texts: Vec<String> = (0..102).map(|text| format!("v{text:03}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let binned = Binned::new(&known(&texts, &[101]), &plan);
        assert_eq!((binned.of_value[101], binned.of_value[0], binned.bins), (0, 1, 100));
        assert_eq!(binned.of_value[97..101], [98, 99, 99, 99]);
    }

    #[test]
    fn people_who_are_known_alike_are_one_kind() {
        let columns = [known(&["a", "b"], &[1, 0, 1]), known(&["x"], &[0, 0, 0])];
        let binned: Vec<Binned> =
            columns.iter().map(|known| Binned::new(known, &Plan::new("a", "b"))).collect();
        let kinds = Kinds::new(&columns, &binned, 3);
        assert_eq!((kinds.bins, kinds.of_person), (vec![vec![0, 0], vec![1, 0]], vec![1, 0, 1]));
    }
}
