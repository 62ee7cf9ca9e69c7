//! The cost of sets of splits, and lower bounds for all sets between two sets.

use rayon::prelude::*;

use crate::error::{Error, ErrorKind, Result, Setting};
use crate::metrics::{ClassSum, classification};
use crate::models::ClassTest;
use crate::problem::Problem;
use crate::recoding::Step;
use crate::recoding::published::ClassView;
use crate::search::algorithms::splits::{Split, SplitSpace};
use crate::table::frequency::{Cell, cells_by_group};
use crate::table::pack::{Packer, group};

/// Rows that none of the sets under consideration separates: the classes of the finest of these sets.
pub(super) struct Atoms {
    /// One tuple of each atom.
    tuples: Vec<u32>,
    sizes: Vec<u64>,
    /// The rows per payload, if a test or the metric reads them.
    starts: Vec<u32>,
    cells: Vec<Cell>,
    /// A lower bound on the cost of each atom if it is not suppressed.
    least: Vec<u128>,
}

impl Atoms {
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    fn cells(&self, atom: usize) -> &[Cell] {
        match self.starts.get(atom..atom + 2) {
            Some(ends) => &self.cells[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }
}

/// What is known about making one more split.
#[derive(Clone, Copy)]
pub(super) struct Look {
    /// A lower bound on the cost of every set with this split.
    pub(super) bound: u128,
    /// The number of classes that it divides.
    pub(super) divides: usize,
}

/// Computes costs and bounds.
pub(super) struct Costs<'a> {
    problem: &'a Problem,
    space: &'a SplitSpace<'a>,
    sum: ClassSum,
    class: Option<usize>,
    tests: Vec<&'a dyn ClassTest>,
    /// The tests that no part of a failing class can pass.
    lasting: Vec<&'a dyn ClassTest>,
    /// The least rows of a class.
    k: u64,
    rows: u64,
    limit: u64,
    reads_payloads: bool,
}

/// The sum that is minimised, or an error if the metric cannot be.
pub(super) fn sum(problem: &Problem) -> Result<ClassSum> {
    let sum = problem.metric.class_sum().ok_or_else(|| {
        Error::refused(
            "'k_optimize' has bounds for discernibility, discernibility_normalised and classification only, and another metric \
             was asked for",
        )
        .set(Setting::search("metric").to("discernibility"), "choose a metric that k_optimize has bounds for")
        .another_that("use an algorithm that minimises the metric")
    })?;
    if sum == ClassSum::Minorities {
        crate::search::algorithms::iack::class_of(problem, "k_optimize")?;
    }
    Ok(sum)
}

impl<'a> Costs<'a> {
    pub(super) fn new(problem: &'a Problem, space: &'a SplitSpace<'a>) -> Result<Self> {
        let mut tests = problem.class_tests()?;
        tests.sort_by_key(|test| !test.only_size());
        let lasting = problem.models.iter().filter(|model| model.monotonicity().upward);
        let sum = sum(problem)?;
        Ok(Self {
            problem,
            space,
            sum,
            class: problem.class,
            lasting: lasting.filter_map(|model| model.class_test()).collect(),
            reads_payloads: sum == ClassSum::Minorities || tests.iter().any(|test| !test.only_size()),
            tests,
            k: problem.k().unwrap_or(1),
            rows: problem.table.rows(),
            limit: problem.suppression_limit(),
        })
    }

    /// All tuples of the table, each as an atom.
    pub(super) fn tuples(&self) -> Atoms {
        let table = &self.problem.table;
        let tuples: Vec<u32> = (0..table.tuples() as u32).collect();
        let sizes = tuples.iter().map(|tuple| table.weight(*tuple)).collect();
        let cells = |tuple: u32| table.cells(tuple).iter().map(move |cell| (tuple, *cell));
        self.atoms(tuples.clone(), sizes, || tuples.iter().flat_map(|tuple| cells(*tuple)))
    }

    fn atoms<P: Iterator<Item = (u32, Cell)>>(
        &self,
        tuples: Vec<u32>,
        sizes: Vec<u64>,
        pairs: impl Fn() -> P,
    ) -> Atoms {
        let (starts, cells) =
            if self.reads_payloads { cells_by_group(tuples.len(), pairs) } else { Default::default() };
        let mut atoms = Atoms { tuples, sizes, starts, cells, least: Vec::new() };
        atoms.least = (0..atoms.len()).map(|atom| self.least(atoms.sizes[atom], atoms.cells(atom))).collect();
        atoms
    }

    /// A lower bound on the cost of rows that stay together if they are shown, whatever else is in their class.
    fn least(&self, size: u64, cells: &[Cell]) -> u128 {
        match self.sum {
            ClassSum::Squares => u128::from(size) * u128::from(size.max(self.k)),
            ClassSum::Minorities => u128::from(self.minority(size, cells)),
        }
    }

    fn minority(&self, size: u64, cells: &[Cell]) -> u64 {
        let mut tally = Vec::new();
        self.view(size, cells).tally(self.class.unwrap_or(0), &mut tally);
        size - tally.iter().map(|(_, rows)| *rows).max().unwrap_or(0)
    }

    fn view<'c>(&'c self, size: u64, cells: &'c [Cell]) -> ClassView<'c> {
        ClassView { size, cells, payloads: self.problem.table.payloads() }
    }

    /// The cost of suppressed rows.
    fn suppressed(&self, rows: u64) -> u128 {
        match self.sum {
            ClassSum::Squares => u128::from(self.rows) * u128::from(rows),
            ClassSum::Minorities => u128::from(rows),
        }
    }

    fn code(&self, atoms: &Atoms, atom: usize, column: usize) -> u32 {
        self.problem.table.column(column).get(atoms.tuples[atom] as usize)
    }

    /// The atoms for a coarser finest set, and their classes, which are unions of atoms.
    pub(super) fn merge(
        &self,
        atoms: &Atoms,
        class_of_atom: &[u32],
        finest: &[bool],
    ) -> Result<(Atoms, Vec<u32>)> {
        let mut packer = Packer::new(atoms.len());
        for (column, starts) in self.space.starts(finest).iter().enumerate() {
            self.problem.progress.check()?;
            packer.push(starts.len() as u32, |atom| {
                starts.partition_point(|start| *start <= self.code(atoms, atom, column)) as u32 - 1
            });
        }
        let groups = group(packer.finish());
        let mut sizes = vec![0; groups.representative.len()];
        groups.group_of_row.iter().zip(&atoms.sizes).for_each(|(group, size)| sizes[*group as usize] += size);
        let of_first = |atom: &u32| atoms.tuples[*atom as usize];
        let merged = self.atoms(groups.representative.iter().map(of_first).collect(), sizes, || {
            let numbered = groups.group_of_row.iter().enumerate();
            numbered.flat_map(|(atom, group)| atoms.cells(atom).iter().map(move |cell| (*group, *cell)))
        });
        let classes = groups.representative.iter().map(|atom| class_of_atom[*atom as usize]).collect();
        Ok((merged, classes))
    }

    /// The classes after one more split: the class of each atom, and the number of classes.
    pub(super) fn divide(
        &self,
        atoms: &Atoms,
        class_of_atom: &[u32],
        classes: usize,
        split: &Split,
    ) -> Result<(Vec<u32>, usize)> {
        self.problem.progress.check()?;
        let keys = self.keys(atoms, class_of_atom, split);
        let mut number = vec![u32::MAX; classes * split.sides()];
        let mut count = 0;
        let class = |key: usize| {
            if number[key] == u32::MAX {
                number[key] = count;
                count += 1;
            }
            number[key]
        };
        let class_of_atom: Vec<u32> = keys.map(class).collect();
        Ok((class_of_atom, count as usize))
    }

    fn keys<'c>(
        &'c self,
        atoms: &'c Atoms,
        class_of_atom: &'c [u32],
        split: &'c Split,
    ) -> impl Iterator<Item = usize> + Clone + 'c {
        let codes = self.problem.table.column(split.column);
        class_of_atom
            .iter()
            .zip(&atoms.tuples)
            .map(|(class, tuple)| *class as usize * split.sides() + split.side(codes.get(*tuple as usize)))
    }

    /// The rows of some groups of atoms, and whether each group passes these tests. A group without rows does not.
    fn judged(
        &self,
        atoms: &Atoms,
        groups: usize,
        keys: &(impl Iterator<Item = usize> + Clone),
        tests: &[&dyn ClassTest],
    ) -> Result<Vec<(u64, bool)>> {
        self.problem.progress.check()?;
        let mut sizes = vec![0_u64; groups];
        keys.clone().zip(&atoms.sizes).for_each(|(key, size)| sizes[key] += size);
        let needs_cells = tests.iter().any(|test| !test.only_size());
        let (starts, cells) = if needs_cells {
            cells_by_group(groups, || {
                let numbered = keys.clone().enumerate();
                numbered.flat_map(|(atom, key)| atoms.cells(atom).iter().map(move |cell| (key as u32, *cell)))
            })
        } else {
            Default::default()
        };
        let cells_of = |group: usize| match starts.get(group..group + 2) {
            Some(ends) => &cells[ends[0] as usize..ends[1] as usize],
            None => &[],
        };
        let mut pace = self.problem.progress.pace();
        let passes = |group: usize, size: u64| {
            size > 0 && tests.iter().all(|test| test.passes(&self.view(size, cells_of(group))))
        };
        let judged = |(group, size)| pace.tick(1).map(|()| (size, passes(group, size)));
        sizes.into_iter().enumerate().map(judged).collect()
    }

    /// A lower bound on the cost of every set that divides these classes no further than into these atoms. A class
    /// that fails a lasting test is suppressed in all of these sets; any other atom is at best a class of its own.
    fn bound(&self, atoms: &Atoms, groups: usize, keys: impl Iterator<Item = usize> + Clone) -> Result<u128> {
        let judged = self.judged(atoms, groups, &keys, &self.lasting)?;
        let failing: u64 = judged.iter().filter(|(_, passes)| !passes).map(|(size, _)| size).sum();
        if failing > self.limit {
            return Ok(u128::MAX);
        }
        let shown = keys.zip(&atoms.least).filter(|(key, _)| judged[*key].1);
        Ok(self.suppressed(failing) + shown.map(|(_, least)| least).sum::<u128>())
    }

    /// A lower bound on the cost of every set between the set of these classes and that of these atoms.
    pub(super) fn bound_of(&self, atoms: &Atoms, class_of_atom: &[u32], classes: usize) -> Result<u128> {
        self.bound(atoms, classes, class_of_atom.iter().map(|class| *class as usize))
    }

    /// Finds out what is known about making each of some splits, in parallel.
    pub(super) fn look(
        &self,
        atoms: &Atoms,
        class_of_atom: &[u32],
        classes: usize,
        splits: &[usize],
    ) -> Result<Vec<Look>> {
        let look = |place: &usize| {
            let split = &self.space.splits[*place];
            let groups = classes * split.sides();
            let keys = self.keys(atoms, class_of_atom, split);
            let mut seen = vec![false; groups];
            keys.clone().for_each(|key| seen[key] = true);
            let divided =
                seen.chunks(split.sides()).filter(|sides| sides.iter().filter(|seen| **seen).count() > 1);
            Ok(Look { divides: divided.count(), bound: self.bound(atoms, groups, keys)? })
        };
        splits.par_iter().with_max_len(4).map(look).collect()
    }

    /// The cost of each of some splits from its classes alone, computed in parallel.
    pub(super) fn try_all(
        &self,
        atoms: &Atoms,
        class_of_atom: &[u32],
        classes: usize,
        splits: &[usize],
    ) -> Result<Vec<u128>> {
        let cost = |place: &usize| {
            let split = &self.space.splits[*place];
            let (class_of_atom, classes) = self.divide(atoms, class_of_atom, classes, split)?;
            Ok(self.cost(atoms, &class_of_atom, classes)?.0)
        };
        splits.par_iter().with_max_len(4).map(cost).collect()
    }

    /// The cost of these classes if exactly the failing ones are suppressed, and the number of rows in those.
    pub(super) fn cost(&self, atoms: &Atoms, class_of_atom: &[u32], classes: usize) -> Result<(u128, u64)> {
        let keys = class_of_atom.iter().map(|class| *class as usize);
        let judged = self.judged(atoms, classes, &keys, &self.tests)?;
        let failing = judged.iter().filter(|(_, passes)| !passes).map(|(size, _)| size).sum();
        let kept = judged.iter().filter(|(_, passes)| *passes).map(|(size, _)| u128::from(*size));
        let shown = match self.sum {
            ClassSum::Squares => kept.map(|size| size * size).sum::<u128>(),
            ClassSum::Minorities => {
                let (starts, cells) = cells_by_group(classes, || {
                    let numbered = class_of_atom.iter().enumerate();
                    numbered
                        .flat_map(|(atom, class)| atoms.cells(atom).iter().map(move |cell| (*class, *cell)))
                });
                let of = |class: usize| &cells[starts[class] as usize..starts[class + 1] as usize];
                let kept = judged.iter().enumerate().filter(|(_, (_, passes))| *passes);
                kept.map(|(class, (size, _))| u128::from(self.minority(*size, of(class)))).sum()
            }
        };
        Ok((shown + self.suppressed(failing), failing))
    }

    /// The cost of publishing a set, including what the star policy demands; `None` if it cannot be published.
    pub(super) fn published(&self, set: &[bool]) -> Result<Option<u128>> {
        let step = Step::Maps(self.space.maps(set));
        let classes =
            match self.problem.suppress_failing(step.apply(&self.problem.table, &self.problem.quasi)) {
                Ok(classes) => classes,
                Err(error) if error.kind() == ErrorKind::Infeasible => return Ok(None),
                Err(error) => return Err(error),
            };
        if self.sum == ClassSum::Minorities {
            return Ok(classification::penalties(&classes, self.problem).map(u128::from));
        }
        let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
        let squares: u128 = kept.map(|class| u128::from(classes.size(class)).pow(2)).sum();
        Ok(Some(squares + self.suppressed(classes.suppressed_rows())))
    }

    /// Whether this many failing rows may be suppressed.
    pub(super) fn allows(&self, failing: u64) -> bool {
        failing <= self.limit
    }
}
