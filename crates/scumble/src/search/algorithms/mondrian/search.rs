//! The search: cuts parts until no cut is allowed.

use super::part::{Code, Division, Extent, Part};
use super::units::Units;
use crate::config::Parameters;
use crate::error::Result;
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::{Assignment, Cut, CutTree, Members, Recoding, Share, Step};
use crate::search::algorithms::Solution;
use crate::table::quasi::{Quasi, Shape, Value};

/// How cuts are chosen and made.
#[derive(Debug, Clone, Copy)]
pub(in crate::search::algorithms) struct Settings {
    /// The cut that is taken.
    pub(in crate::search::algorithms) rule: Rule,
    /// Whether rows with equal values may go to both sides of a cut.
    pub(in crate::search::algorithms) relaxed: bool,
    /// How children that are too small alone are handled.
    pub(in crate::search::algorithms) small_children: SmallChildren,
}

/// The rule that chooses among the allowable cuts.
#[derive(Debug, Clone, Copy)]
pub(in crate::search::algorithms) enum Rule {
    /// The most balanced cut of the widest column that has one; if literal, only a cut at the median.
    Widest {
        /// Whether only the median itself is tried.
        literal: bool,
    },
    /// The cut, over all columns, that says most about the class column.
    Information {
        /// The class, a payload column.
        class: usize,
        /// The least gain, in bits, for which a part is cut.
        min_gain: f64,
    },
}

/// How a node's children that fail a model alone are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::search::algorithms) enum SmallChildren {
    /// They stay together in one part, which shows the node.
    Together,
    /// They forbid the cut.
    Refuse,
}

impl SmallChildren {
    /// Reads the parameter `small_children`.
    pub(in crate::search::algorithms) fn read(parameters: &Parameters) -> Result<Self> {
        let refuse = parameters.choice("small_children", &["together", "refuse"])? == Some("refuse");
        Ok(if refuse { Self::Refuse } else { Self::Together })
    }
}

/// Parts smaller than this are cut on one thread.
const PARALLEL_ROWS: u64 = 1 << 12;

/// The data that all parts share.
pub(super) struct MondrianSearch<'a> {
    pub(super) problem: &'a Problem,
    pub(super) units: Units<'a>,
    pub(super) tests: Vec<&'a dyn ClassTest>,
    /// The least rows of a part, by the models that only check the size.
    pub(super) least: u64,
    /// Whether some model reads payloads.
    pub(super) reads_payloads: bool,
    /// Whether some column publishes sets of values.
    sets: bool,
    pub(super) settings: Settings,
}

/// Cuts the whole table.
pub(in crate::search::algorithms) fn run(problem: &Problem, settings: Settings) -> Result<Solution> {
    let tests = problem.class_tests()?;
    let table = &problem.table;
    let search = MondrianSearch {
        problem,
        units: if settings.relaxed { Units::rows(table) } else { Units::tuples(table) },
        least: problem.k().unwrap_or(1),
        reads_payloads: tests.iter().any(|test| !test.only_size()),
        tests,
        sets: problem.quasi.iter().any(|quasi| quasi.sets),
        settings,
    };
    let mut ids: Vec<u32> = (0..search.units.len() as u32).collect();
    let narrow = problem.quasi.iter().all(|quasi| quasi.size() <= 1 << 16);
    // A part that is cut no further settles its rows.
    problem.progress.control().begin(Some(table.rows()));
    let root = if narrow { search.start::<u16>(&mut ids)? } else { search.start::<u32>(&mut ids)? };
    let (recoding, assignment) =
        if settings.relaxed { search.regions(&root, &ids) } else { search.tree(root, &ids) };
    Ok(Solution { recoding, assignment, findings: Vec::new() })
}

/// The values and the number of units of each class, in the order of the tree.
fn classes<'c>(cut: &'c Cut, found: &mut Vec<(&'c [Value], usize)>) {
    match cut {
        Cut::Class(values, units) => found.push((values, *units)),
        Cut::Parts { parts, .. } => parts.iter().for_each(|part| classes(part, found)),
    }
}

impl MondrianSearch<'_> {
    /// Makes a rule from the tree of cuts. Parts were cut in place, so the tuples of the first class come first,
    /// and so on.
    fn tree(&self, root: Cut, ids: &[u32]) -> (Recoding, Assignment) {
        let mut class_of_tuple = vec![0; ids.len()];
        let mut found = Vec::new();
        classes(&root, &mut found);
        let mut next = ids;
        for (class, (_, units)) in (0..).zip(found) {
            let (own, others) = next.split_at(units);
            own.iter().for_each(|tuple| class_of_tuple[*tuple as usize] = class);
            next = others;
        }
        let tree = CutTree::new(self.problem.quasi.len(), root);
        let assignment = tree.assignment(class_of_tuple);
        (Recoding { step: Step::Cuts(tree), shown: None }, assignment)
    }

    /// Makes a rule that lists the classes, for rows of one tuple that may be in several classes.
    fn regions(&self, root: &Cut, ids: &[u32]) -> (Recoding, Assignment) {
        let mut found = Vec::new();
        classes(root, &mut found);
        let mut shares = Vec::with_capacity(ids.len());
        let mut next = ids;
        for (class, (_, units)) in (0..).zip(&found) {
            let (own, others) = next.split_at(*units);
            let share = |unit: &u32| {
                let cells = self.units.cells(*unit).iter();
                let tuple = self.units.tuple(*unit);
                cells.map(move |cell| Share { tuple, payload: cell.payload, class, rows: cell.rows })
            };
            shares.extend(own.iter().flat_map(share));
            next = others;
        }
        let values: Vec<Vec<Value>> = found.iter().map(|(values, _)| values.to_vec()).collect();
        let assignment = Assignment::of_regions(Members::of_shares(shares), &values);
        (Recoding { step: Step::Regions(Box::new(assignment.clone())), shown: None }, assignment)
    }

    /// Cuts everything. Afterwards the units in `ids` are in the order of the classes.
    fn start<C: Code>(&self, ids: &mut [u32]) -> Result<Cut> {
        let (table, width) = (&self.problem.table, self.problem.quasi.len());
        let mut codes = vec![C::default(); ids.len() * width];
        for column in 0..width {
            let of_tuple = table.column(column);
            for (place, unit) in ids.iter().enumerate() {
                let code = of_tuple.get(self.units.tuple(*unit) as usize);
                codes[place * width + column] = C::from_code(code);
            }
        }
        let region = self.problem.quasi.iter().map(|quasi| (0, quasi.size().saturating_sub(1))).collect();
        self.split(Part { ids, codes: &mut codes, width, rows: table.rows(), region })
    }

    fn split<C: Code>(&self, part: Part<'_, C>) -> Result<Cut> {
        self.problem.progress.check()?;
        let extents = self.extents(&part);
        if part.rows >= 2 * self.least
            && let Some((column, division)) = self.choose(&part, &extents)
        {
            return self.divide(part, column, &division);
        }
        self.problem.progress.advance(part.rows);
        Ok(Cut::Class(self.values(&part.region, &extents), part.ids.len()))
    }

    /// Chooses a cut of a part, if one is allowed.
    fn choose<C: Code>(&self, part: &Part<'_, C>, extents: &[Extent]) -> Option<(usize, Division)> {
        let mut widths: Vec<(f64, usize)> = self
            .problem
            .quasi
            .iter()
            .zip(extents)
            .enumerate()
            .map(|(column, (quasi, extent))| (width(quasi, extent), column))
            .filter(|(width, _)| *width > 0.0)
            .collect();
        match self.settings.rule {
            Rule::Widest { .. } => {
                // The widest column comes first; equal widths are in the order of the columns.
                widths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                widths.into_iter().find_map(|(_, column)| {
                    let division = self.cut(part, column, &extents[column])?;
                    Some((column, division))
                })
            }
            Rule::Information { class, min_gain } => {
                let columns = widths.into_iter().map(|(_, column)| column);
                self.most_informative(part, columns, extents, class, min_gain)
            }
        }
    }

    /// The least and greatest code of each column in a part, and all codes if the column publishes sets.
    fn extents<C: Code>(&self, part: &Part<'_, C>) -> Vec<Extent> {
        let first = part.codes.get(..part.width).unwrap_or_default();
        let (mut low, mut high) = (first.to_vec(), first.to_vec());
        for unit in part.codes.chunks_exact(part.width.max(1)) {
            for ((low, high), code) in low.iter_mut().zip(&mut high).zip(unit) {
                *low = (*low).min(*code);
                *high = (*high).max(*code);
            }
        }
        let ends = low.into_iter().zip(high);
        let mut extents: Vec<Extent> =
            ends.map(|(low, high)| Extent { low: low.into(), high: high.into(), present: 0 }).collect();
        if self.sets {
            for (column, quasi) in self.problem.quasi.iter().enumerate().filter(|(_, quasi)| quasi.sets) {
                extents[column].present = quasi.present(part.column(column).map(|(_, code)| code));
            }
        }
        extents
    }

    /// The values that a finished part shows: nodes and sets as small as its values allow; intervals as wide as its
    /// region, unless the column asks for tight ones.
    fn values(&self, region: &[(u32, u32)], extents: &[Extent]) -> Box<[Value]> {
        let value = |quasi: &Quasi, region: &(u32, u32), extent: &Extent| match &quasi.shape {
            _ if quasi.sets => Value::Subset(extent.present),
            Shape::Line(line) if !quasi.tight && Some(extent.high) != line.missing() => {
                // The region of numbers ends before the missing value's code.
                Value::Span(region.0, region.1.min(line.numbers.len() as u32 - 1))
            }
            _ => quasi.cover(extent.low, extent.high),
        };
        let columns = self.problem.quasi.iter().zip(region).zip(extents);
        columns.map(|((quasi, region), extent)| value(quasi, region, extent)).collect()
    }

    /// Cuts a part and goes on with the pieces.
    fn divide<C: Code>(&self, part: Part<'_, C>, column: usize, division: &Division) -> Result<Cut> {
        let (rows, region) = (part.rows, part.region[column]);
        let mut pieces = part.divide(column, division, |unit| self.units.weight(unit));
        let uppers = match division {
            Division::Ranges(uppers) => {
                if matches!(self.problem.quasi[column].shape, Shape::Line(_)) {
                    // Neighbouring regions leave no gap, so every new row falls into one.
                    let mut low = region.0;
                    for ((upper, _), piece) in uppers.iter().zip(&mut pieces) {
                        piece.region[column] = (low, *upper);
                        low = upper + 1;
                    }
                    if let Some(last) = pieces.last_mut() {
                        last.region[column].1 = last.region[column].1.max(region.1);
                    }
                }
                uppers.clone()
            }
            Division::Half(last, _) => {
                let right = pieces[1].column(column).map(|(_, code)| code).min().unwrap_or(*last);
                pieces[0].region[column] = (region.0, *last);
                pieces[1].region[column] = (right.min(last + 1), region.1);
                vec![(*last, 0), (region.1, 1)]
            }
        };
        let parts: Result<Vec<Cut>> = if rows >= PARALLEL_ROWS {
            use rayon::prelude::*;
            pieces.into_par_iter().map(|piece| self.split(piece)).collect()
        } else {
            pieces.into_iter().map(|piece| self.split(piece)).collect()
        };
        Ok(Cut::Parts { column: column as u32, uppers, parts: parts? })
    }
}

/// The width of a part in a column, from 0 to 1 (B1, "Definitions").
fn width(quasi: &Quasi, extent: &Extent) -> f64 {
    let (low, high) = (extent.low, extent.high);
    if low == high {
        return 0.0;
    }
    match &quasi.shape {
        _ if quasi.sets => quasi.loss(Value::Subset(extent.present)),
        Shape::Line(line) if Some(high) == line.missing() => 1.0,
        Shape::Line(line) => {
            let (first, last) = line.extremes(0, line.numbers.len() as u32 - 1);
            let (from, to) = line.extremes(low, high);
            (to - from) as f64 / (last - first) as f64
        }
        Shape::Tree(_) | Shape::Set(_) => quasi.loss(quasi.cover(low, high)),
    }
}
