//! Parent–child lists: lines `child;parent`, in any order.

use std::collections::BTreeMap;

use super::cells::Cells;
use super::listing::{Listing, NO_PARENT};
use super::validate::{Findings, check_star, note_white_space};
use crate::error::{Error, Result};

/// The tree as named in the file: nodes in order of appearance.
#[derive(Default)]
struct Names {
    labels: Vec<String>,
    /// The line that first names a node.
    lines: Vec<u32>,
    /// The parent and the line that says so.
    parents: Vec<Option<(usize, u32)>>,
    index: BTreeMap<String, usize>,
}

impl Names {
    fn node(&mut self, label: &str, line: u32) -> usize {
        if let Some(node) = self.index.get(label) {
            return *node;
        }
        self.index.insert(label.to_string(), self.labels.len());
        self.labels.push(label.to_string());
        self.lines.push(line);
        self.parents.push(None);
        self.labels.len() - 1
    }
}

/// Reads and checks the tree that a text lists.
pub(super) fn read(text: &str, file: &str) -> Result<Listing> {
    let mut names = Names::default();
    let (mut problems, mut notes) = (Findings::about(file), Findings::about(file));
    let mut cells = Cells::detect(text);
    let mut line = Vec::new();
    while let Some(number) = cells.next(&mut line, file)? {
        while line.last().is_some_and(super::cells::Cell::is_empty) {
            line.pop();
        }
        match &line[..] {
            [] => (),
            cells if cells.iter().any(super::cells::Cell::is_empty) => problems.at(number, "a cell is empty"),
            // A line with the root alone says that it has no parent.
            [root] => {
                names.node(&root.text, number);
            }
            [child, parent] => {
                let (child, parent) = (names.node(&child.text, number), names.node(&parent.text, number));
                let label = &names.labels[child];
                match names.parents[child] {
                    None => names.parents[child] = Some((parent, number)),
                    Some((same, first)) if same == parent => {
                        notes.at(
                            number,
                            format_args!("'{label}' has its parent in lines {first} and {number}"),
                        );
                    }
                    Some((other, first)) => problems.at(
                        number,
                        format_args!(
                            "'{label}' has two parents: '{}' (line {first}) and '{}' (line {number})",
                            names.labels[other], names.labels[parent]
                        ),
                    ),
                }
            }
            more => problems.at(number, format_args!("{} cells; a line is 'child;parent'", more.len())),
        }
    }
    check_cycles(&names, &mut problems);
    let root = find_root(&names, &mut problems);
    problems.into_result()?;
    let root =
        root.ok_or_else(|| Error::data(format!("{file}: the file is empty; a line is 'child;parent'")))?;
    let mut tree = from_root(&names, root, file);
    if tree.len() == 1 {
        return Err(Error::data(format!("{file}: only one level; the root needs children: 'child;parent'")));
    }
    let mut problems = Findings::about(file);
    check_star(&tree, &mut problems);
    problems.into_result()?;
    note_white_space(&tree, &mut notes);
    tree.notes = notes.into_notes();
    Ok(tree)
}

/// Reports each cycle once, with its labels in order.
fn check_cycles(names: &Names, problems: &mut Findings) {
    // 0: not visited; otherwise the number of the walk that came by first.
    let mut visited = vec![0_usize; names.labels.len()];
    for start in 0..names.labels.len() {
        let mut node = start;
        while visited[node] == 0 {
            visited[node] = start + 1;
            let Some((parent, _)) = names.parents[node] else { break };
            node = parent;
        }
        // Meeting one's own trail at a node that has a parent is a cycle.
        if visited[node] != start + 1 || names.parents[node].is_none() {
            continue;
        }
        let (mut labels, mut next, mut line) = (vec![format!("'{}'", names.labels[node])], node, 0);
        while let Some((parent, at)) = names.parents[next] {
            line = line.max(at);
            next = parent;
            if labels.len() < 10 || next == node {
                labels.push(format!("'{}'", names.labels[next]));
            }
            if next == node {
                break;
            }
        }
        problems.at(line, format_args!("a cycle: {}; nothing can be its own ancestor", labels.join(" → ")));
    }
}

/// The only node without a parent.
fn find_root(names: &Names, problems: &mut Findings) -> Option<usize> {
    let roots: Vec<usize> = (0..names.labels.len()).filter(|node| names.parents[*node].is_none()).collect();
    if roots.len() > 1 {
        let shown = roots
            .iter()
            .take(5)
            .map(|root| format!("'{}' (line {})", names.labels[*root], names.lines[*root]));
        problems.whole(format_args!(
            "no single root: {} labels have no parent: {}; let all but one have a line 'child;parent'",
            roots.len(),
            shown.collect::<Vec<_>>().join(", ")
        ));
    }
    roots.first().copied()
}

/// The nodes below the root, parents before children, siblings in the order of the file.
fn from_root(names: &Names, root: usize, file: &str) -> Listing {
    let mut children = vec![Vec::new(); names.labels.len()];
    for (node, parent) in names.parents.iter().enumerate() {
        if let Some((parent, _)) = parent {
            children[*parent].push(node);
        }
    }
    let mut tree = Listing { file: file.to_string(), ..Listing::default() };
    let mut order = vec![(root, NO_PARENT)];
    let mut at = 0;
    while let Some((node, parent)) = order.get(at).copied() {
        let place = tree.push(&names.labels[node], parent, names.lines[node]);
        order.extend(children[node].iter().map(|child| (*child, place)));
        at += 1;
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        read(text, "p.csv").unwrap_err().to_string()
    }

    #[test]
    fn any_order() {
        let tree = read("Black;Colored\n\nWhite;Any\nColored;Any\nAsian;Colored;\n", "p.csv").unwrap();
        assert_eq!(tree.labels.iter().collect::<Vec<_>>(), ["Any", "Colored", "White", "Black", "Asian"]);
        assert_eq!(tree.parents, [NO_PARENT, 0, 0, 1, 1]);
        let with_root = read("Any;\na;Any\n", "p.csv").unwrap();
        assert_eq!(with_root.len(), 2);
        let again = read("a;Any\na;Any", "p.csv").unwrap();
        assert_eq!(again.notes, ["p.csv:2: 'a' has its parent in lines 1 and 2"]);
    }

    #[test]
    fn cycles_two_parents_two_roots() {
        assert_eq!(
            problem("x;*\na;b\nb;c\nc;a"),
            "p.csv:4: a cycle: 'a' → 'b' → 'c' → 'a'; nothing can be its own ancestor"
        );
        assert!(problem("x;*\nd;a\na;b\nb;a").contains("a cycle: 'a' → 'b' → 'a'"), "entered from outside");
        assert!(problem("a;a").contains("a cycle: 'a' → 'a'"));
        assert!(
            problem("a;A\nb;*\nA;*\na;b")
                .contains("p.csv:4: 'a' has two parents: 'A' (line 1) and 'b' (line 4)")
        );
        assert!(problem("a;A\nb;B").contains("2 labels have no parent: 'A' (line 1), 'B' (line 2)"));
        assert!(problem("a;b;c").contains("p.csv:1: 3 cells"));
        assert!(problem(";b").contains("p.csv:1: a cell is empty"));
        assert!(problem("").contains("the file is empty"));
        assert!(problem("*;").contains("only one level"));
        assert!(problem("*;Any\na;Any").contains("p.csv:1: '*' stands for a suppressed value"));
    }
}
