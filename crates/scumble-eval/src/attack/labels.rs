//! The labels of a column that may stand for a value: a list if there are few, one bit for each label if there are
//! many.

/// A set of labels, by their places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels(Form);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// Ascending.
    List(Box<[u32]>),
    Bits {
        words: Box<[u64]>,
        count: usize,
    },
}

impl Labels {
    /// Makes a set from an ascending list; `labels` is the number of labels that the column has.
    #[must_use]
    pub fn new(list: Vec<u32>, labels: usize) -> Self {
        if list.len() * 32 <= labels {
            return Self(Form::List(list.into()));
        }
        let mut words = vec![0_u64; labels.div_ceil(64)];
        list.iter().for_each(|label| words[*label as usize / 64] |= 1 << (label % 64));
        Self(Form::Bits { words: words.into(), count: list.len() })
    }

    /// The number of labels in the set.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.0 {
            Form::List(list) => list.len(),
            Form::Bits { count, .. } => *count,
        }
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a label is in the set.
    #[must_use]
    pub fn contains(&self, label: u32) -> bool {
        match &self.0 {
            Form::List(list) => list.binary_search(&label).is_ok(),
            Form::Bits { words, .. } => words[label as usize / 64] >> (label % 64) & 1 == 1,
        }
    }

    /// Goes through all labels, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let (list, words): (&[u32], &[u64]) = match &self.0 {
            Form::List(list) => (list, &[]),
            Form::Bits { words, .. } => (&[], words),
        };
        let of_word = |(place, word): (u32, &u64)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(place * 64 + bit)
            })
        };
        list.iter().copied().chain((0..).zip(words).flat_map(of_word))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn both_forms_are_the_same_set(list in prop::collection::btree_set(0..300_u32, 0..80), more in 0..5_000_usize) {
            let list: Vec<u32> = list.into_iter().collect();
            let labels = Labels::new(list.clone(), 300 + more);
            prop_assert_eq!(labels.iter().collect::<Vec<_>>(), list.clone());
            prop_assert_eq!((labels.len(), labels.is_empty()), (list.len(), list.is_empty()));
            prop_assert!((0..300).all(|label| labels.contains(label) == list.contains(&label)));
        }
    }
}
