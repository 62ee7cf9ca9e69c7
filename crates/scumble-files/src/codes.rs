//! Puts together what each worker read: merges and sorts their dictionaries, and rewrites the codes.

use rayon::prelude::*;

use crate::dictionary::Dictionary;
use crate::names::Selection;
use crate::table::{CodedColumn, CodedTable, Codes, Texts};

/// The codes of some consecutive rows, in the dictionaries of one worker.
pub(crate) struct Piece {
    /// The worker whose dictionaries the codes refer to.
    pub(crate) worker: usize,
    /// The number of rows.
    pub(crate) rows: usize,
    /// One list of codes for each column.
    pub(crate) columns: Vec<Codes>,
}

/// Everything that was read, before it is put together into one table.
pub(crate) struct Pieces {
    /// The dictionaries of the columns, for each worker.
    pub(crate) dictionaries: Vec<Vec<Dictionary>>,
    /// The pieces, in the order of the file.
    pub(crate) pieces: Vec<Piece>,
}

impl Pieces {
    /// The number of rows read.
    pub(crate) fn rows(&self) -> usize {
        self.pieces.iter().map(|piece| piece.rows).sum()
    }

    /// Merges the pieces into one table with sorted dictionaries. The table is the same for any number of workers and any cut
    /// into pieces. Fails with the column of the file whose texts exceed the limit.
    pub(crate) fn merge(self, selection: &Selection, limit: usize) -> Result<CodedTable, usize> {
        let names = &selection.names;
        let rows = self.rows();
        let mut texts: Vec<Vec<Texts>> = names.iter().map(|_| Vec::new()).collect();
        for worker in self.dictionaries {
            for (column, dictionary) in texts.iter_mut().zip(worker) {
                column.push(dictionary.into_texts());
            }
        }
        let mut codes: Vec<Vec<(usize, Codes)>> = names.iter().map(|_| Vec::new()).collect();
        for piece in self.pieces {
            for (column, local) in codes.iter_mut().zip(piece.columns) {
                column.push((piece.worker, local));
            }
        }
        let columns: Result<Vec<CodedColumn>, usize> = names
            .par_iter()
            .zip(texts)
            .zip(codes)
            .enumerate()
            .map(|(place, ((name, texts), pieces))| {
                let (values, codes_of_locals) =
                    merge_texts(&texts, limit).ok_or_else(|| selection.column_of(place))?;
                let mut codes = Codes::with_capacity(values.len(), rows);
                for (worker, local) in pieces {
                    codes.extend_mapped(&local, &codes_of_locals[worker]);
                }
                Ok(CodedColumn { name: name.clone(), values, codes })
            })
            .collect();
        Ok(CodedTable { columns: columns?, rows })
    }
}

/// A text of one worker's dictionary. Most comparisons need only the prefix, not the text itself.
struct Entry {
    prefix: u64,
    worker: u32,
    local: u32,
}

/// Returns the distinct texts of all dictionaries, sorted, and for each dictionary the new code of each old one. Returns `None`
/// if the texts exceed the limit.
fn merge_texts(sources: &[Texts], limit: usize) -> Option<(Texts, Vec<Vec<u32>>)> {
    let mut entries: Vec<Entry> = Vec::with_capacity(sources.iter().map(|texts| texts.len()).sum());
    for (worker, texts) in sources.iter().enumerate() {
        entries.extend(texts.iter().enumerate().map(|(local, text)| Entry {
            prefix: prefix(text.as_bytes()),
            worker: worker as u32,
            local: local as u32,
        }));
    }
    let text_of = |entry: &Entry| sources[entry.worker as usize].get(entry.local);
    entries.par_sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| text_of(a).cmp(text_of(b))));

    let longest = sources.iter().map(|texts| texts.bytes().len()).max().unwrap_or(0);
    let most = sources.iter().map(|texts| texts.len()).max().unwrap_or(0);
    let mut merged = Texts::with_capacity(most, longest);
    let mut code_of: Vec<Vec<u32>> = sources.iter().map(|texts| vec![0; texts.len()]).collect();
    let mut last: Option<&str> = None;
    for entry in &entries {
        let text = text_of(entry);
        if last != Some(text) {
            if merged.bytes().len() + text.len() > limit.min(u32::MAX as usize) {
                return None;
            }
            merged.push(text);
            last = Some(text);
        }
        code_of[entry.worker as usize][entry.local as usize] = (merged.len() - 1) as u32;
    }
    Some((merged, code_of))
}

/// The first eight bytes as a number that sorts as the bytes do.
fn prefix(text: &[u8]) -> u64 {
    let mut first = [0; 8];
    let length = text.len().min(8);
    first[..length].copy_from_slice(&text[..length]);
    u64::from_be_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(texts: &[&str]) -> Texts {
        texts.iter().copied().collect()
    }

    #[test]
    fn merges_and_sorts_bytewise() {
        let first = texts(&["b", "longer than eight B", "", "a\0"]);
        let second = texts(&["longer than eight A", "a", "b", "é", "Z"]);
        let (merged, codes) = merge_texts(&[first, second], usize::MAX).unwrap();
        let sorted = ["", "Z", "a", "a\0", "b", "longer than eight A", "longer than eight B", "é"];
        assert_eq!(merged.iter().collect::<Vec<_>>(), sorted);
        assert_eq!(codes, [vec![4, 6, 0, 3], vec![5, 2, 4, 7, 1]]);
    }

    #[test]
    fn refuses_too_much_text() {
        assert!(merge_texts(&[texts(&["abc"]), texts(&["def"])], 5).is_none());
        assert!(merge_texts(&[texts(&["abc"]), texts(&["abc"])], 5).is_some());
    }
}
