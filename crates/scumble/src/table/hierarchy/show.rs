//! Writing a hierarchy as a file, and drawing it for the terminal.

use super::tree::{Hierarchy, NodeId};
use crate::base::text::grouped;

/// The hierarchy as a file that [`super::Builder::File`] reads: one line per leaf, up to the root.
#[must_use]
pub fn to_csv(tree: &Hierarchy) -> String {
    let mut csv = String::new();
    for (leaf, above) in tree.paths() {
        for (place, label) in std::iter::once(leaf).chain(above).enumerate() {
            if place > 0 {
                csv.push(';');
            }
            push_cell(&mut csv, &label);
        }
        csv.push('\n');
    }
    csv
}

fn push_cell(csv: &mut String, label: &str) {
    // A byte order mark at the start of a file would be taken for an encoding's.
    let plain =
        !label.is_empty() && !label.contains([';', '"', '\n', '\r']) && !label.starts_with('\u{feff}');
    if plain {
        csv.push_str(label);
    } else {
        csv.push('"');
        csv.push_str(&label.replace('"', "\"\""));
        csv.push('"');
    }
}

/// The longest label that is drawn in full.
const LONGEST_LABEL: usize = 60;

/// What is drawn: how many children of a node, and how deep.
#[derive(Debug, Clone, Copy)]
struct Limits {
    children: usize,
    depth: u32,
}

/// The tree drawn with lines, in at most about `max_lines` lines: long lists of siblings are folded to
/// `… 37 more`, then the deepest levels are left out. With rows per leaf code, each line ends with its
/// rows; an empty slice draws no numbers.
#[must_use]
pub fn show(tree: &Hierarchy, rows_per_leaf: &[u64], max_lines: usize) -> String {
    let mut rows_before = vec![0_u64];
    for rows in rows_per_leaf {
        rows_before.push(rows_before.last().copied().unwrap_or(0) + rows);
    }
    let count = |low: u32, high: u32| {
        let upto = |code: u32| rows_before[(code as usize).min(rows_before.len() - 1)];
        upto(high + 1) - upto(low)
    };
    let lines = choose(tree, max_lines);
    let width = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
    let numbers: Vec<String> = lines.iter().map(|line| grouped(count(line.low, line.high))).collect();
    let number_width = numbers.iter().map(String::len).max().unwrap_or(0);
    let mut drawn = String::new();
    for (line, number) in lines.iter().zip(&numbers) {
        drawn.push_str(&line.text);
        if !rows_per_leaf.is_empty() {
            let gap = width - line.text.chars().count() + 2 + number_width - number.len();
            drawn.push_str(&" ".repeat(gap));
            drawn.push_str(number);
        }
        drawn.push('\n');
    }
    drawn
}

/// One line of the drawing and the leaf codes it stands for.
struct Line {
    text: String,
    low: u32,
    high: u32,
}

/// The fullest drawing that fits.
fn choose(tree: &Hierarchy, max_lines: usize) -> Vec<Line> {
    let mut smallest = Vec::new();
    for depth in (1..=tree.height().max(1)).rev() {
        for children in [usize::MAX, 20, 12, 6, 3] {
            let (lines, fits) = draw(tree, Limits { children, depth }, max_lines);
            if fits {
                return lines;
            }
            smallest = lines;
        }
    }
    smallest
}

/// Draws until `max_lines` are exceeded; says whether they sufficed.
fn draw(tree: &Hierarchy, limits: Limits, max_lines: usize) -> (Vec<Line>, bool) {
    let mut lines = Vec::new();
    // What is still to be drawn, the next last: a node or a fold, with the lines to its left.
    let mut waiting = vec![(Item::Node(tree.root()), String::new(), String::new())];
    while let Some((item, lead, below)) = waiting.pop() {
        if lines.len() >= max_lines.max(1) {
            return (lines, false);
        }
        match item {
            Item::Fold { siblings, low, high } => {
                lines.push(Line { text: format!("{lead}… {siblings} more"), low, high });
            }
            Item::Node(node) => {
                let (low, high) = tree.range(node);
                let cut = tree.depth(node) >= limits.depth && !tree.is_leaf(node);
                let hint = if cut { format!(" … {} below", tree.size(node)) } else { String::new() };
                lines.push(Line { text: format!("{lead}{}{hint}", shortened(&tree.label(node))), low, high });
                if !cut {
                    waiting.extend(children(tree, node, limits, &below).into_iter().rev());
                }
            }
        }
    }
    (lines, true)
}

enum Item {
    Node(NodeId),
    Fold { siblings: usize, low: u32, high: u32 },
}

/// The children to draw, with the lines to the left of them and of what is below them.
fn children(tree: &Hierarchy, node: NodeId, limits: Limits, left: &str) -> Vec<(Item, String, String)> {
    let all = tree.children(node).count();
    // Folding a single sibling would save nothing.
    let shown = if all > limits.children.saturating_add(1) { limits.children } else { all };
    let mut items: Vec<Item> = tree.children(node).take(shown).map(Item::Node).collect();
    if let Some(first) = tree.children(node).nth(shown) {
        items.push(Item::Fold { siblings: all - shown, low: tree.range(first).0, high: tree.range(node).1 });
    }
    let last = items.len().saturating_sub(1);
    let with_lines = |(place, item)| match place == last {
        true => (item, format!("{left}└── "), format!("{left}    ")),
        false => (item, format!("{left}├── "), format!("{left}│   ")),
    };
    items.into_iter().enumerate().map(with_lines).collect()
}

/// A label fit for a terminal: no control characters, not too long.
fn shortened(label: &str) -> String {
    if label.is_empty() {
        // A missing value is often written as nothing at all.
        return "(empty)".to_owned();
    }
    let clean = label.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter });
    if label.chars().count() <= LONGEST_LABEL {
        return clean.collect();
    }
    clean.take(LONGEST_LABEL - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::domain;
    use super::super::{Builder, build, file};
    use super::*;
    use crate::table::kind::Kind;

    fn tree(values: &[&str], builder: &Builder) -> Hierarchy {
        build(&builder.clone().into(), &domain(Kind::Text, values)).unwrap().hierarchy
    }

    #[test]
    fn a_file_is_written_as_it_is_read() {
        let prefixes =
            tree(&["I2", "I211", "J\"x;"], &Builder::Prefix { lengths: Some(vec![3, 1]), pad: None });
        let csv = to_csv(&prefixes);
        assert_eq!(csv, "I2;I*;*\nI211;I21*;I*;*\n\"J\"\"x;\";\"J\"\"x*\";J*;*\n");
        let again = file::read(&csv, "f").unwrap();
        assert_eq!(again.len(), prefixes.node_count());
    }

    #[test]
    fn a_tree_is_drawn() {
        let codes = tree(&["10", "11", "20"], &Builder::Prefix { lengths: None, pad: None });
        assert_eq!(
            show(&codes, &[1000, 200, 34], 20),
            "\
*           1,234
├── 1*      1,200
│   ├── 10  1,000
│   └── 11    200
└── 2*         34
    └── 20     34
"
        );
        assert_eq!(show(&codes, &[], 20).lines().nth(1), Some("├── 1*"));
    }

    #[test]
    fn long_lists_are_folded() {
        let texts: Vec<String> = (10..60).map(|value| value.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let flat = tree(&texts, &Builder::Flat {});
        let drawn = show(&flat, &[2; 50], 15);
        assert_eq!(drawn.lines().count(), 14);
        assert_eq!(drawn.lines().last(), Some("└── … 38 more   76"));
        let drawn = show(&flat, &[2; 50], 3);
        assert!(drawn.lines().count() <= 3, "{drawn}");
        let codes = tree(&texts, &Builder::Prefix { lengths: None, pad: None });
        let drawn = show(&codes, &[], 6);
        assert_eq!(
            drawn,
            "*\n├── 1* … 10 below\n├── 2* … 10 below\n├── 3* … 10 below\n├── 4* … 10 below\n└── 5* … 10 below\n"
        );
    }

    #[test]
    fn labels_are_fit_for_a_terminal() {
        let long = "x".repeat(100);
        let odd = tree(&["a\u{1b}[31m", &long], &Builder::Flat {});
        let drawn = show(&odd, &[], 10);
        assert!(
            !drawn.contains('\u{1b}') && drawn.contains("a\u{fffd}[31m") && drawn.contains("x…"),
            "{drawn}"
        );
    }

    #[test]
    fn digits_are_grouped() {
        assert_eq!([0, 12, 999, 1000, 1_234_567].map(grouped), ["0", "12", "999", "1,000", "1,234,567"]);
    }
}
