//! The cut of one column: the values that it shows at present, and how each of them can be refined.

use crate::search::algorithms::gain::Gains;
use crate::table::quasi::{Quasi, Shape, Value};

/// Stands for no part: the code is not below the value.
const NONE: u32 = u32::MAX;

/// One column on its way from its root to finer values.
#[derive(Clone)]
pub(super) struct Cut<'a> {
    quasi: &'a Quasi,
    gains: Gains,
    /// The value that each code shows, as its place in `values`.
    of_code: Vec<u32>,
    /// All values that are shown or were shown before.
    values: Vec<Refinable>,
    /// The values shown at present that can be refined, by their first code.
    open: Vec<u32>,
}

/// A value of a cut and its refinements.
#[derive(Clone)]
pub(super) struct Refinable {
    shown: Value,
    low: u32,
    /// For each code from `low` on, the part that it would be in.
    part_of: Vec<u32>,
    parts: u32,
    how: How,
    /// The information gain of each refinement.
    gains: Vec<f64>,
    /// Whether the rows below the value have different classes.
    mixed: bool,
}

/// The effect of refining a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// All parts become values of their own: the children of a node, the two sides of a threshold.
    Apart,
    /// One of the parts becomes a value of its own and the others stay together, so that one category is disclosed. There are as
    /// many refinements as parts.
    OneOut,
}

impl Refinable {
    /// The number of ways to refine the value.
    pub(super) fn refinements(&self) -> usize {
        match self.how {
            How::Apart => usize::from(self.parts > 0),
            How::OneOut => self.parts as usize,
        }
    }

    /// The number of parts, and the effect of refining.
    pub(super) fn parts(&self) -> (usize, How) {
        (self.parts as usize, self.how)
    }

    /// The part of a code that is below the value.
    pub(super) fn part_of(&self, code: u32) -> usize {
        self.part_of[(code - self.low) as usize] as usize
    }

    /// The information about the class column that a refinement gains.
    pub(super) fn gain(&self, refinement: usize) -> f64 {
        self.gains[refinement]
    }

    /// Whether the rows below the value have different classes, so that separating them can help a machine-learning model.
    pub(super) fn is_mixed(&self) -> bool {
        self.mixed
    }
}

impl<'a> Cut<'a> {
    /// The cut at the root.
    pub(super) fn at_root(quasi: &'a Quasi, gains: Gains) -> Self {
        let mut cut = Self { quasi, gains, of_code: Vec::new(), values: Vec::new(), open: Vec::new() };
        let size = quasi.size();
        let root = match &quasi.shape {
            _ if size == 0 => cut.leaf(0),
            Shape::Tree(tree) => cut.node(tree.root()),
            Shape::Line(line) => match line.missing() {
                // A missing value lies in no interval, so the first step separates it.
                Some(missing) if missing > 0 => {
                    let part_of = (0..size).map(|code| u32::from(code == missing)).collect();
                    cut.refinable(Value::Star, 0, part_of, 2, How::Apart)
                }
                _ => cut.interval(0, size - 1),
            },
            Shape::Set(_) => cut.undisclosed(&(0..size).collect::<Vec<_>>()),
        };
        cut.of_code = vec![0; size as usize];
        cut.open.extend((root.refinements() > 0).then_some(0));
        cut.values.push(root);
        cut
    }

    /// The values that can be refined, with their places, ordered by their first code.
    pub(super) fn open(&self) -> impl Iterator<Item = (u32, &Refinable)> {
        self.open.iter().map(|value| (*value, &self.values[*value as usize]))
    }

    /// A value by its place.
    pub(super) fn value(&self, value: u32) -> &Refinable {
        &self.values[value as usize]
    }

    /// The number of values, including refined ones.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The place of the value that each code shows.
    pub(super) fn of_code(&self) -> &[u32] {
        &self.of_code
    }

    /// What each code shows.
    pub(super) fn shown(&self) -> Vec<Value> {
        self.of_code.iter().map(|value| self.values[*value as usize].shown).collect()
    }

    /// Refines a value.
    pub(super) fn refine(&mut self, value: u32, refinement: usize) {
        let old = &self.values[value as usize];
        let codes_of = |wanted: &dyn Fn(u32) -> bool| -> Vec<u32> {
            let parts = (old.low..).zip(&old.part_of);
            parts.filter(|(_, part)| **part != NONE && wanted(**part)).map(|(code, _)| code).collect()
        };
        let groups: Vec<Vec<u32>> = match old.how {
            How::Apart => (0..old.parts).map(|part| codes_of(&|of| of == part)).collect(),
            How::OneOut => {
                let one = refinement as u32;
                vec![codes_of(&|of| of == one), codes_of(&|of| of != one)]
            }
        };
        let nodes: Vec<_> = match (&self.quasi.shape, old.shown) {
            (Shape::Tree(tree), Value::Node(node)) => tree.children(node).collect(),
            _ => Vec::new(),
        };
        for (place, codes) in groups.iter().enumerate().filter(|(_, codes)| !codes.is_empty()) {
            let (low, high) = (codes[0], codes[codes.len() - 1]);
            let finer = match &self.quasi.shape {
                Shape::Tree(_) => self.node(nodes[place]),
                Shape::Line(line) if Some(low) == line.missing() => self.leaf(low),
                Shape::Line(_) => self.interval(low, high),
                Shape::Set(_) if place == 0 => self.leaf(low),
                Shape::Set(_) => self.undisclosed(codes),
            };
            let number = self.values.len() as u32;
            codes.iter().for_each(|code| self.of_code[*code as usize] = number);
            if finer.refinements() > 0 {
                self.open.push(number);
            }
            self.values.push(finer);
        }
        self.open.retain(|open| *open != value);
        self.open.sort_by_key(|open| self.values[*open as usize].low);
    }

    fn refinable(&self, shown: Value, low: u32, part_of: Vec<u32>, parts: u32, how: How) -> Refinable {
        let codes = (low..).zip(part_of.iter().copied()).filter(|(_, part)| *part != NONE);
        let tally = self.gains.tally(codes, parts as usize);
        let gains = match how {
            How::Apart if parts > 0 => vec![tally.gain_of_all()],
            How::Apart => Vec::new(),
            How::OneOut => (0..parts as usize).map(|part| tally.gain_of_one(part)).collect(),
        };
        Refinable { shown, low, part_of, parts, how, gains, mixed: tally.is_mixed() }
    }

    /// A node of the column's tree, which can be refined into its children.
    fn node(&self, node: u32) -> Refinable {
        let Some(tree) = self.quasi.tree() else { return self.leaf(0) };
        let mut part_of = Vec::new();
        let mut parts = 0;
        for child in tree.children(node) {
            part_of.extend(std::iter::repeat_n(parts, tree.size(child) as usize));
            parts += 1;
        }
        self.refinable(Value::Node(node), tree.range(node).0, part_of, parts, How::Apart)
    }

    /// An interval of numbers, which can be refined at its best threshold.
    fn interval(&self, low: u32, high: u32) -> Refinable {
        let (part_of, parts) = match self.gains.threshold(low, high) {
            Some(last) => ((low..=high).map(|code| u32::from(code > last)).collect(), 2),
            None => (Vec::new(), 0),
        };
        self.refinable(Value::Span(low, high), low, part_of, parts, How::Apart)
    }

    /// Categories that are not distinguished, of which one can be disclosed. A single category is shown, because somebody who knows
    /// the others knows it too.
    fn undisclosed(&self, codes: &[u32]) -> Refinable {
        if let [code] = codes {
            return self.leaf(*code);
        }
        let (low, high) = (codes[0], codes[codes.len() - 1]);
        let mut part_of = vec![NONE; (high - low) as usize + 1];
        for (part, code) in (0..).zip(codes) {
            part_of[(code - low) as usize] = part;
        }
        self.refinable(Value::Star, low, part_of, codes.len() as u32, How::OneOut)
    }

    /// One code by itself.
    fn leaf(&self, code: u32) -> Refinable {
        self.refinable(Value::Span(code, code), code, Vec::new(), 0, How::Apart)
    }
}
