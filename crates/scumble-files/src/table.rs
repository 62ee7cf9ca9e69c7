//! A table as dictionary codes: the result of reading any file.

use std::collections::BTreeMap;

/// A table whose cells are codes into one sorted dictionary per column.
#[derive(Debug, Clone, Default)]
pub struct CodedTable {
    /// The columns that were read, in the order of the file.
    pub columns: Vec<CodedColumn>,
    /// The number of rows.
    pub rows: usize,
}

/// One column: its distinct texts, and a code for each row.
#[derive(Debug, Clone)]
pub struct CodedColumn {
    /// The column's name, as in the header.
    pub name: String,
    /// The distinct texts, in ascending byte order. The code of a text is its position here.
    pub values: Texts,
    /// One code for each row.
    pub codes: Codes,
}

/// Distinct texts in one buffer: even a dictionary of a million values takes only two allocations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    bytes: String,
    ends: Vec<u32>,
}

/// Row codes, in the narrowest integer that holds the dictionary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Codes {
    /// At most 256 values.
    U8(Vec<u8>),
    /// At most 65,536 values.
    U16(Vec<u16>),
    /// More.
    U32(Vec<u32>),
}

impl CodedTable {
    /// The column of that name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&CodedColumn> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Returns the columns by their names, for many lookups: a table may have a hundred thousand columns. Of columns with the
    /// same name, the first counts.
    #[must_use]
    pub fn by_name(&self) -> BTreeMap<&str, &CodedColumn> {
        self.columns.iter().rev().map(|column| (column.name.as_str(), column)).collect()
    }
}

impl CodedColumn {
    /// Creates a column with one text for each row.
    #[must_use]
    pub fn of_texts<T: Ord + AsRef<str>>(name: &str, texts: impl Iterator<Item = T>) -> Self {
        let mut number: BTreeMap<T, u32> = BTreeMap::new();
        let met: Vec<u32> = texts
            .map(|text| {
                let next = number.len() as u32;
                *number.entry(text).or_insert(next)
            })
            .collect();
        let mut place = vec![0; number.len()];
        (0..).zip(number.values()).for_each(|(at, met)| place[*met as usize] = at);
        let codes: Vec<u32> = met.iter().map(|met| place[*met as usize]).collect();
        Self {
            name: name.to_owned(),
            values: number.keys().map(AsRef::as_ref).collect(),
            codes: Codes::narrow(number.len(), &codes),
        }
    }
}

impl Texts {
    /// Appends a text and returns its position. Panics past 4 GiB of text, which readers check beforehand.
    pub fn push(&mut self, text: &str) -> u32 {
        self.bytes.push_str(text);
        self.ends.push(u32::try_from(self.bytes.len()).expect("a dictionary holds at most 4 GiB of text"));
        (self.ends.len() - 1) as u32
    }

    /// Reserves room for `texts` texts of `bytes` bytes in all.
    #[must_use]
    pub fn with_capacity(texts: usize, bytes: usize) -> Self {
        Self { bytes: String::with_capacity(bytes), ends: Vec::with_capacity(texts) }
    }

    /// All texts, one after another without a separator.
    #[must_use]
    pub fn bytes(&self) -> &str {
        &self.bytes
    }

    /// The text at a position.
    #[must_use]
    pub fn get(&self, place: u32) -> &str {
        let place = place as usize;
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        &self.bytes[start..self.ends[place] as usize]
    }

    /// The number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All texts, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.ends.len() as u32).map(|place| self.get(place))
    }

    /// Returns the position of a text in a dictionary that is sorted by bytes.
    #[must_use]
    pub fn find_sorted(&self, text: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.get(middle).cmp(text) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.push(text);
        }
        all
    }
}

impl Codes {
    /// Stores the codes in the narrowest width for a dictionary of `values` texts.
    #[must_use]
    pub fn narrow(values: usize, codes: &[u32]) -> Self {
        match values {
            0..=0x100 => Self::U8(codes.iter().map(|&code| code as u8).collect()),
            0x101..=0x1_0000 => Self::U16(codes.iter().map(|&code| code as u16).collect()),
            _ => Self::U32(codes.to_vec()),
        }
    }

    /// Appends, for each of the `local` codes, its code in `code_of_local`. The codes must fit the width chosen at the start.
    pub fn extend_mapped(&mut self, local: &Self, code_of_local: &[u32]) {
        fn extend<T>(target: &mut Vec<T>, local: &Codes, code_of_local: &[u32], narrow: impl Fn(u32) -> T) {
            match local {
                Codes::U8(codes) => target.extend(codes.iter().map(|&c| narrow(code_of_local[c as usize]))),
                Codes::U16(codes) => target.extend(codes.iter().map(|&c| narrow(code_of_local[c as usize]))),
                Codes::U32(codes) => target.extend(codes.iter().map(|&c| narrow(code_of_local[c as usize]))),
            }
        }
        match self {
            Self::U8(target) => extend(target, local, code_of_local, |code| code as u8),
            Self::U16(target) => extend(target, local, code_of_local, |code| code as u16),
            Self::U32(target) => extend(target, local, code_of_local, |code| code),
        }
    }

    /// Reserves room for `rows` codes of a dictionary of `values` texts.
    #[must_use]
    pub fn with_capacity(values: usize, rows: usize) -> Self {
        match values {
            0..=0x100 => Self::U8(Vec::with_capacity(rows)),
            0x101..=0x1_0000 => Self::U16(Vec::with_capacity(rows)),
            _ => Self::U32(Vec::with_capacity(rows)),
        }
    }

    /// Appends a code that fits the width chosen at the start.
    pub fn push(&mut self, code: u32) {
        match self {
            Self::U8(codes) => codes.push(code as u8),
            Self::U16(codes) => codes.push(code as u16),
            Self::U32(codes) => codes.push(code),
        }
    }

    /// The code of a row.
    #[must_use]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::U8(codes) => u32::from(codes[row]),
            Self::U16(codes) => u32::from(codes[row]),
            Self::U32(codes) => codes[row],
        }
    }

    /// The bytes of memory that the codes take.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => 2 * codes.len(),
            Self::U32(codes) => 4 * codes.len(),
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::U8(codes) => codes.len(),
            Self::U16(codes) => codes.len(),
            Self::U32(codes) => codes.len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All codes, in row order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.len()).map(|row| self.get(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_find_their_places() {
        let texts: Texts = ["", "a", "b\n", "é"].into_iter().collect();
        assert_eq!(texts.len(), 4);
        assert_eq!(texts.get(2), "b\n");
        assert_eq!(texts.find_sorted("é"), Some(3));
        assert_eq!(texts.find_sorted("aa"), None);
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "a", "b\n", "é"]);
    }

    #[test]
    fn a_column_of_texts_has_a_sorted_dictionary() {
        let column = CodedColumn::of_texts("a", ["y", "x", "y", "z"].into_iter());
        assert_eq!(column.values.iter().collect::<Vec<_>>(), ["x", "y", "z"]);
        assert_eq!(column.codes, Codes::U8(vec![1, 0, 1, 2]));
    }

    #[test]
    fn codes_are_as_narrow_as_the_dictionary_allows() {
        assert_eq!(Codes::narrow(256, &[255, 0]), Codes::U8(vec![255, 0]));
        assert_eq!(Codes::narrow(257, &[256, 0]), Codes::U16(vec![256, 0]));
        assert_eq!(Codes::narrow(65_537, &[65_536, 0]), Codes::U32(vec![65_536, 0]));
    }

    #[test]
    fn codes_are_mapped_between_widths() {
        let mut codes = Codes::with_capacity(300, 4);
        codes.extend_mapped(&Codes::U8(vec![1, 0]), &[7, 299]);
        codes.extend_mapped(&Codes::U32(vec![2, 2]), &[0, 0, 5]);
        assert_eq!(codes, Codes::U16(vec![299, 7, 5, 5]));
    }
}
