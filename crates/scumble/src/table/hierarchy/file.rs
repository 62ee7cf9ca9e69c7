//! Hierarchy files in ARX's format: one line per leaf, `value;level 1;…;top`, no header.
//!
//! Lines may be of unequal length: the tree is then ragged.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::cells::Cells;
use super::listing::{Children, Listing, NO_PARENT};
use super::tree::MAX_HEIGHT;
use super::validate::{Findings, check_star, note_white_space};
use crate::error::{Error, Result};

/// Reads and checks the tree that a text lists.
pub(super) fn read(text: &str, file: &str) -> Result<Listing> {
    let mut reader = Reader::new(file);
    let mut cells = Cells::detect(text);
    let delimiter = cells.delimiter();
    let mut line = Vec::new();
    while let Some(number) = cells.next(&mut line, file)? {
        let written = line.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
        match (written, line.len()) {
            (0, _) => reader.blank.push(number),
            (written, all) if written < all => reader.trailing.push(number),
            _ => (),
        }
        let path: Vec<&str> = line[..written].iter().map(|cell| &*cell.text).collect();
        match line[..written].iter().position(super::cells::Cell::is_empty) {
            Some(empty) => reader.problems.at(number, format_args!("cell {} is empty", empty + 1)),
            None if written > 0 => reader.add(&path, number),
            None => (),
        }
    }
    reader.finish(delimiter)
}

/// The tree as far as it was read.
struct Reader {
    tree: Listing,
    /// Finds a node by its parent and label.
    index: HashTable<u32>,
    hasher: FixedState,
    /// Per node, the line on which it is the value; 0 if it is none.
    values: Vec<u32>,
    depths: Vec<u16>,
    /// Roots beyond the first, with their lines.
    other_roots: Vec<(String, u32)>,
    single_cells: u32,
    blank: Vec<u32>,
    trailing: Vec<u32>,
    problems: Findings,
    notes: Findings,
}

impl Reader {
    fn new(file: &str) -> Self {
        Self {
            tree: Listing { file: file.to_string(), ..Listing::default() },
            index: HashTable::new(),
            hasher: FixedState::default(),
            values: Vec::new(),
            depths: Vec::new(),
            other_roots: Vec::new(),
            single_cells: 0,
            blank: Vec::new(),
            trailing: Vec::new(),
            problems: Findings::about(file),
            notes: Findings::about(file),
        }
    }

    /// Adds one line: a value and its groups, bottom-up.
    fn add(&mut self, path: &[&str], line: u32) {
        let Some((root, below)) = path.split_last() else { return };
        if below.is_empty() {
            self.single_cells += 1;
            self.problems.at(line, format_args!("'{root}' has no parent; a line is 'value;group;…;root'"));
            return;
        }
        if path.len() > MAX_HEIGHT + 1 {
            self.problems
                .at(line, format_args!("{} levels; at most {} are possible", path.len(), MAX_HEIGHT + 1));
            return;
        }
        if self.tree.len() == 0 {
            self.push(root, NO_PARENT, line);
        } else if self.tree.label(0) != *root {
            if self.other_roots.iter().all(|(other, _)| other != root) {
                self.other_roots.push(((*root).to_string(), line));
            }
            return;
        }
        let mut node = 0;
        for label in below.iter().rev() {
            node = self.child(node, label, line);
        }
        match &mut self.values[node as usize] {
            value @ 0 => *value = line,
            first => {
                self.notes.at(line, format_args!("value '{}' appears in lines {first} and {line}", path[0]));
            }
        }
    }

    /// The child of a node with this label, which is added if it is new.
    fn child(&mut self, parent: u32, label: &str, line: u32) -> u32 {
        let hash = self.hasher.hash_one((parent, label));
        let tree = &self.tree;
        let same = |node: &u32| tree.parents[*node as usize] == parent && tree.label(*node) == label;
        if let Some(node) = self.index.find(hash, same) {
            return *node;
        }
        let node = self.push(label, parent, line);
        let (tree, hasher) = (&self.tree, &self.hasher);
        self.index.insert_unique(hash, node, |node| {
            hasher.hash_one((tree.parents[*node as usize], tree.label(*node)))
        });
        node
    }

    fn push(&mut self, label: &str, parent: u32, line: u32) -> u32 {
        let depth = if parent == NO_PARENT { 0 } else { self.depths[parent as usize] + 1 };
        self.depths.push(depth);
        self.values.push(0);
        self.tree.push(label, parent, line)
    }

    fn finish(mut self, delimiter: char) -> Result<Listing> {
        let file = self.tree.file.clone();
        if self.tree.len() == 0 {
            return Err(match (self.single_cells, self.problems.is_empty()) {
                (0, false) => Error::data(self.problems.into_notes().join("\n")),
                (0, true) => {
                    Error::data(format!("{file}: the file is empty; a line is 'value;group;…;root'"))
                }
                _ => Error::data(format!(
                    "{file}: only one level; every line needs a value and at least a root, such as 'value;*'"
                )),
            });
        }
        if !self.other_roots.is_empty() {
            let mut roots = format!("'{}' (line {})", self.tree.label(0), self.tree.lines[0]);
            for (root, line) in self.other_roots.iter().take(5) {
                roots.push_str(&format!(", '{root}' (line {line})"));
            }
            self.problems.whole(format_args!(
                "no single root: the last cells of the lines have {} values: {roots}; let every line end in the \
                 same root, such as '*'",
                self.other_roots.len() + 1
            ));
        }
        let children = self.tree.children();
        self.check_values_are_leaves(&children);
        self.check_labels(&children);
        check_star(&self.tree, &mut self.problems);
        self.problems.into_result()?;
        for (lines, what) in [(&self.blank, "blank line"), (&self.trailing, "trailing delimiter")] {
            if let Some(first) = lines.first() {
                self.notes.whole(format_args!(
                    "{} {what}{} ignored (first in line {first}{})",
                    lines.len(),
                    if lines.len() == 1 { "" } else { "s" },
                    if what == "trailing delimiter" { format!(": '{delimiter}'") } else { String::new() }
                ));
            }
        }
        note_white_space(&self.tree, &mut self.notes);
        self.tree.notes = self.notes.into_notes();
        Ok(self.tree)
    }

    /// A value with further values below it would be both a value and a group.
    fn check_values_are_leaves(&mut self, children: &Children) {
        for node in 0..self.tree.len() {
            let line = self.values[node as usize];
            if let (Some(child), true) = (children.of(node).first(), line > 0) {
                let group_line = self.tree.lines[*child as usize];
                self.problems.at(
                    line,
                    format_args!(
                        "'{}' is a value here and a group in line {group_line}",
                        self.tree.label(node)
                    ),
                );
            }
        }
    }

    /// Nodes that share a label must be one chain, each the only child of the one above.
    fn check_labels(&mut self, children: &Children) {
        let tree = &self.tree;
        let mut nodes: Vec<u32> = (0..tree.len()).collect();
        nodes.sort_unstable_by(|a, b| {
            let key = |node: u32| (tree.label(node), self.depths[node as usize], node);
            key(*a).cmp(&key(*b))
        });
        let is_chain = |upper: u32, lower: u32| {
            let mut top = lower;
            while top != upper && top != 0 && children.of(tree.parents[top as usize]).len() == 1 {
                top = tree.parents[top as usize];
            }
            top == upper
        };
        let same = |pair: &&[u32]| tree.label(pair[0]) == tree.label(pair[1]) && !is_chain(pair[0], pair[1]);
        for pair in nodes.windows(2).filter(same) {
            report_clash(tree, children, pair[0], pair[1], &mut self.problems);
        }
    }
}

/// Says what is wrong with two nodes of one label.
fn report_clash(tree: &Listing, children: &Children, upper: u32, lower: u32, problems: &mut Findings) {
    let (first, second) = if tree.lines[upper as usize] <= tree.lines[lower as usize] {
        (upper, lower)
    } else {
        (lower, upper)
    };
    let label = tree.label(first);
    let line = |node: u32| tree.lines[node as usize];
    let parent = |node: u32| {
        tree.parents
            .get(tree.parents[node as usize] as usize)
            .map(|_| tree.label(tree.parents[node as usize]))
    };
    match (children.is_leaf(first), children.is_leaf(second)) {
        // Groups of one name that are themselves parted are reported instead of what is below them.
        (true, true) | (false, false) if parent(first) == parent(second) => (),
        (true, true) => problems.at(
            line(second),
            format_args!(
                "value '{label}' appears in lines {} and {} with different groups",
                line(first),
                line(second)
            ),
        ),
        (false, false) => problems.at(
            line(second),
            format_args!(
                "not nested: '{label}' leads to '{}' (line {}) and to '{}' (line {})",
                parent(first).unwrap_or("nothing"),
                line(first),
                parent(second).unwrap_or("nothing"),
                line(second)
            ),
        ),
        _ => problems.at(
            line(second),
            format_args!(
                "'{label}' names both a value and a group that holds other values (lines {} and {}); a \
                     release could not tell them apart, so rename one",
                line(first),
                line(second)
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        read(text, "f.csv").unwrap_err().to_string()
    }

    fn notes(text: &str) -> Vec<String> {
        read(text, "f.csv").unwrap().notes
    }

    #[test]
    fn unequal_lengths_are_fine_and_a_parent_is_needed() {
        let tree = read("White;Any\nBlack;Colored;Any\n", "f.csv").unwrap();
        assert_eq!(tree.labels.iter().collect::<Vec<_>>(), ["Any", "White", "Colored", "Black"]);
        assert_eq!(tree.parents, [NO_PARENT, 0, 0, 2]);
        assert_eq!(tree.lines, [1, 1, 2, 2]);
        assert!(tree.notes.is_empty());
        assert_eq!(problem("a;*\nb\n"), "f.csv:2: 'b' has no parent; a line is 'value;group;…;root'");
    }

    #[test]
    fn duplicate_values() {
        assert!(
            problem("a;x;*\nb;x;*\na;y;*")
                .contains("f.csv:3: value 'a' appears in lines 1 and 3 with different")
        );
        assert_eq!(notes("a;x;*\nb;x;*\na;x;*"), ["f.csv:3: value 'a' appears in lines 1 and 3"]);
    }

    #[test]
    fn not_nested() {
        let message = problem("a;A;B;*\nb;A;C;*");
        assert_eq!(message, "f.csv:2: not nested: 'A' leads to 'B' (line 1) and to 'C' (line 2)");
        // Only the place where the paths part is reported, not everything below it.
        let message = problem("a;P;A;B;*\na;P;A;C;*");
        assert_eq!(message, "f.csv:2: not nested: 'A' leads to 'B' (line 1) and to 'C' (line 2)");
    }

    #[test]
    fn one_root() {
        let message = problem("a;x;*\nb;y\nc;z");
        assert!(message.contains("3 values: '*' (line 1), 'y' (line 2), 'z' (line 3)"), "{message}");
    }

    #[test]
    fn a_value_is_not_a_group_of_another_branch() {
        assert!(problem("x;A;*\nA;B;*").contains("f.csv:2: 'A' names both a value and a group"));
        assert!(problem("A;*\nx;A;*").contains("f.csv:1: 'A' is a value here and a group in line 2"));
        assert!(problem("Other;Other;*\nx;Other;*").contains("'Other' names both a value and a group"));
        assert!(problem("a;Any\n*;Any").contains("f.csv:2: '*' stands for a suppressed value"));
        let chain = read("17-24;17-24;*\n25-30;25-30;*", "f.csv").unwrap();
        assert_eq!(chain.len(), 5, "a chain of one label is allowed");
        assert!(problem("a;A;B;A;*\nb;B;A;*").contains("not nested: 'A' leads to"), "not a chain");
    }

    #[test]
    fn cells_and_lines() {
        assert_eq!(problem("a;;*\nb;x;*"), "f.csv:1: cell 2 is empty");
        assert_eq!(problem(";x;*\nb;x;*"), "f.csv:1: cell 1 is empty");
        assert_eq!(read("\"\";x;*\nb;x;*", "f.csv").unwrap().len(), 4, "a quoted cell may be empty");
        assert_eq!(
            notes("a;x;*;\n\nb;x;*;;\n\n"),
            [
                "f.csv: 2 blank lines ignored (first in line 2)",
                "f.csv: 2 trailing delimiters ignored (first in line 1: ';')"
            ]
        );
        assert!(problem("").contains("the file is empty"));
        assert!(problem("\n\n").contains("the file is empty"));
        assert!(problem("*\n").contains("only one level"));
        let deep = vec!["x"; 300].join(";");
        assert!(problem(&format!("a;*\n{deep}")).contains("300 levels; at most 256"));
    }

    #[test]
    fn white_space() {
        assert_eq!(
            notes("a b;*\na  b;*\nc;*"),
            ["f.csv:2: 'a  b' differs from 'a b' (line 1) only in spaces"]
        );
    }

    #[test]
    fn many_problems_are_reported_together() {
        let message = problem("a;x;*\nb\nc;;*\nd;y");
        assert_eq!((message.matches("f.csv").count(), message.lines().count()), (3, 1), "{message}");
    }
}
