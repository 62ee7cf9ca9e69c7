//! DMPD (Matatov, Rokach, Maimon 2010; algorithms.md B12): divides the columns into tables. A genetic search looks for the
//! division from which the class label is learnt best, and which hides everyone among k rows of each table even with all tables
//! at hand.

use std::sync::Arc;

use hashbrown::HashMap;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use super::projections::{Prepared, STR_ON_ALL, Shared};
use super::tables::{BuildTablesAlgorithm, Shown, TablesAlgorithm, TablesProblem, TablesSolution, Target};
use super::{Finding, Labels, TablesCapabilities};
use crate::base::chance::below;
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Setting};
use crate::search::rough::discretise::{BINS, DISCRETISE};
use crate::search::rough::{TupleClasses, Wish, greedy, joint_anonymity};
use crate::table::quasi::Shape;

mod accuracy;
mod genes;

use accuracy::{FeatureKind, Judge, Learnt};
use genes::{Genes, tables};

/// The registry entry.
pub(crate) const ENTRY: Entry<BuildTablesAlgorithm> = Entry {
    name: "dmpd",
    title: "DMPD: the columns divided into tables",
    paper: "Matatov, Rokach, Maimon 2010",
    standing: Standing::Experimental,
    about: "Divides the columns into tables that share none, each published with the class column, and leaves out what does not fit: a \
            genetic search for the division from which classifiers, one a table, predict it best, while everyone shares k \
            rows of each table with all tables at hand. Slow. Experimental: somebody who matches all people with all rows at once \
            may find out more.",
    parameters: &[
        ("population", "how many divisions are kept, at least 4 (default 50)"),
        ("generations", "how often new ones are bred (default 100)"),
        ("idle", "stop after so many generations without a better one (default 20)"),
        ("learner", "what is trained to compare divisions: c45 (default) or naive_bayes"),
        ("folds", "into how many parts the rows are divided for that, at least 2 (default 5)"),
        STR_ON_ALL,
        DISCRETISE,
        BINS,
    ],
    build,
};

/// The number of best divisions that survive unchanged.
const ELITE: usize = 2;
/// The number of divisions drawn, of which the best becomes a parent.
const TOURNAMENT: usize = 3;
/// With this many columns, twice as many tables still have numbers.
const MOST_COLUMNS: usize = 10_000;
/// The most bytes that the remembered classifiers may occupy together.
const REMEMBERED: usize = 1 << 28;

struct Dmpd {
    shared: Shared,
    population: usize,
    generations: u64,
    idle: u64,
    learner: &'static str,
    folds: usize,
}

fn build(parameters: &Parameters) -> Result<Box<dyn TablesAlgorithm>> {
    let whole = |name, least, default| {
        parameters.whole(name, least).map(|given: Option<u64>| given.unwrap_or(default))
    };
    Ok(Box::new(Dmpd {
        shared: Shared::read(parameters)?,
        population: whole("population", 4, 50)? as usize,
        generations: whole("generations", 0, 100)?,
        idle: whole("idle", 1, 20)?,
        learner: parameters.choice("learner", &["c45", "naive_bayes"])?.unwrap_or("c45"),
        folds: whole("folds", 2, 5)? as usize,
    }))
}

impl TablesAlgorithm for Dmpd {
    fn capabilities(&self) -> TablesCapabilities {
        TablesCapabilities { target: Target::Decision, labels: Labels::Coarser, takes_steps: true }
    }

    fn check(&self, problem: &TablesProblem) -> Result<()> {
        let columns = problem.problem.quasi.len();
        if columns > MOST_COLUMNS {
            return Err(Error::refused(format!("{columns} columns are too many for dmpd"))
                .set(Setting::role("drop"), "leave some columns out"));
        }
        self.shared.check(problem, ENTRY.name)
    }

    fn run(&self, problem: &TablesProblem) -> Result<TablesSolution> {
        let prepared = self.shared.prepare(problem);
        let learner = scumble_learn::registry::build(self.learner, &scumble_learn::Settings::default())
            .map_err(|error| Error::internal(format!("no learner: {error}")))?;
        let seed = problem.problem.seed;
        let judge = Judge::new(&prepared.table, kinds(problem, &prepared), learner, self.folds, seed);
        let mut breed = Breed {
            problem,
            prepared: &prepared,
            judge: &judge,
            chance: ChaCha20Rng::seed_from_u64(seed),
            known: HashMap::default(),
            learnt: HashMap::default(),
            bytes: 0,
            living: Vec::new(),
        };
        breed.found(self.population)?;
        let generations = breed.evolve(self)?;
        problem.problem.budget.settle();
        let (fitness, best) = &breed.living[0];
        if !fitness.feasible {
            return Err(Error::infeasible(format!(
                "no columns were found that can be published for k = {}: even alone they single out fewer rows",
                prepared.k
            ))
            .set(Setting::parameter("bins").to(4), "use fewer intervals for numbers")
            .advise("use hierarchies with coarser leaves")
            .another_that("use an algorithm that generalises the table")
            .weaken(Setting::model("k"), "lower k"));
        }
        let projections = tables(best);
        let together: Vec<usize> = (0..best.len()).filter(|column| best[*column] > 0).collect();
        let rows = prepared.table.rows() as f64;
        let mut findings = vec![
            Finding::new("generations", Some(generations as f64), "how often new divisions were bred"),
            Finding::new(
                "evaluated",
                Some(breed.known.len() as f64),
                "how many different divisions were judged",
            ),
            Finding::new("tables", Some(projections.len() as f64), "the tables that are published"),
            Finding::new("columns", Some(together.len() as f64), "the columns that are in one of them"),
            Finding::new(
                "accuracy",
                Some(fitness.score as f64 / rows),
                "the share of rows whose class label the tables together predict, by cross-validation on the original rows",
            ),
            Finding::new(
                "majority",
                Some(judge.right(&[]) as f64 / rows),
                "the same without any table: the most frequent class label",
            ),
        ];
        findings.extend(prepared.told(&together));
        prepared.publish(problem, projections, findings)
    }
}

/// The columns as features, in the form in which they will be published.
fn kinds(problem: &TablesProblem, prepared: &Prepared) -> Vec<FeatureKind> {
    let kind = |(quasi, shown): (&crate::table::quasi::Quasi, &Shown)| match (&quasi.shape, shown) {
        (Shape::Line(line), Shown::AsItIs) => {
            let number = |code: usize| line.numbers.get(code).map_or(f64::NAN, |number| *number as f64);
            FeatureKind::Numeric((0..line.texts.len()).map(number).collect())
        }
        _ => FeatureKind::Nominal,
    };
    problem.problem.quasi.iter().zip(&prepared.shown).map(kind).collect()
}

/// The quality of a division; greater is better. Divisions that keep k come first, then those with more correctly predicted
/// rows, then those with a higher level of anonymity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Fitness {
    feasible: bool,
    /// The number of rows whose label is predicted correctly; 0 if k is not kept.
    score: u64,
    /// The level of anonymity. If one table alone is below k, its smallest class.
    level: u64,
}

/// A population, and what is known about divisions.
struct Breed<'a> {
    problem: &'a TablesProblem,
    prepared: &'a Prepared,
    judge: &'a Judge<'a>,
    chance: ChaCha20Rng,
    known: HashMap<Genes, Fitness, foldhash::fast::FixedState>,
    learnt: HashMap<Vec<usize>, Arc<Learnt>, foldhash::fast::FixedState>,
    /// The memory of the remembered classifiers, in bytes.
    bytes: usize,
    /// From the best to the worst.
    living: Vec<(Fitness, Genes)>,
}

impl Breed<'_> {
    /// Makes the first population: a reduct, single columns, every column in a table of its own, and random divisions.
    fn found(&mut self, size: usize) -> Result<()> {
        let Prepared { table, known, k, all, .. } = self.prepared;
        let progress = &self.problem.problem.progress;
        let reduct = greedy(table, all, Wish { known, k: *k, progress })?.columns;
        let width = all.len();
        let of = |columns: &[usize]| all.iter().map(|column| u16::from(columns.contains(column))).collect();
        let mut first: Vec<Genes> = vec![of(&reduct), (1..=width as u16).collect()];
        first.extend((0..width).map(|column| of(&[column])));
        first.truncate(size / 2);
        while first.len() < size {
            first.push(genes::random(width, &mut self.chance));
        }
        self.settle(first, 0)
    }

    /// Breeds generation after generation. Returns the number of generations.
    fn evolve(&mut self, settings: &Dmpd) -> Result<u64> {
        let (mut bred, mut idle) = (0, 0);
        while bred < settings.generations && idle < settings.idle {
            // Having something to publish is more important than keeping to the budget.
            if self.living[0].0.feasible && self.problem.problem.budget.is_spent(bred) {
                break;
            }
            let best = self.living[0].clone();
            let young = (ELITE..settings.population).map(|_| self.child()).collect();
            if let Err(error) = self.settle(young, ELITE) {
                // The population is as it was before.
                if !best.0.feasible {
                    return Err(error);
                }
                self.problem.problem.budget.end_at(bred, error)?;
                break;
            }
            bred += 1;
            idle = if self.living[0] == best { idle + 1 } else { 0 };
        }
        Ok(bred)
    }

    fn child(&mut self) -> Genes {
        let (one, other) = (self.parent(), self.parent());
        let child = genes::cross(&self.living[one].1, &self.living[other].1, &mut self.chance);
        genes::mutate(&child, &mut self.chance)
    }

    /// The best of a few that are drawn. The population is sorted, so that is the one with the least place.
    fn parent(&mut self) -> usize {
        let living = self.living.len() as u64;
        let drawn = (0..TOURNAMENT).map(|_| below(living, &mut self.chance) as usize);
        drawn.min().unwrap_or(0)
    }

    /// Forms the next population from the best of the present one and these.
    fn settle(&mut self, young: Vec<Genes>, elite: usize) -> Result<()> {
        self.judge(&young)?;
        self.living.truncate(elite);
        self.living.extend(young.into_iter().map(|genes| (self.known[&genes], genes)));
        self.living.sort_by(|(one, genes), (other, theirs)| other.cmp(one).then_with(|| genes.cmp(theirs)));
        Ok(())
    }

    /// Computes the fitness of these divisions, in parallel.
    fn judge(&mut self, all: &[Genes]) -> Result<()> {
        let progress = &self.problem.problem.progress;
        progress.check()?;
        let mut fresh: Vec<&Genes> = all.iter().filter(|genes| !self.known.contains_key(*genes)).collect();
        fresh.sort_unstable();
        fresh.dedup();
        let levels = fresh.par_iter().map(|genes| self.level(genes)).collect::<Result<Vec<u64>>>()?;
        let keeps =
            |level: u64, genes: &Genes| level >= self.prepared.k && genes.iter().any(|table| *table > 0);
        let good = || {
            fresh.iter().zip(&levels).filter(|(genes, level)| keeps(**level, genes)).map(|(genes, _)| *genes)
        };
        let mut wanted: Vec<Vec<usize>> = good().flat_map(|genes| tables(genes)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        if self.bytes > REMEMBERED {
            self.learnt.clear();
            self.bytes = 0;
        }
        wanted.retain(|columns| !self.learnt.contains_key(columns));
        let seed = self.problem.problem.seed;
        let learnt: Vec<Learnt> = wanted
            .par_iter()
            .with_max_len(1)
            .map(|columns| progress.check().and_then(|()| self.judge.learn(columns, seed, progress)))
            .collect::<Result<_>>()?;
        for (columns, learnt) in wanted.into_iter().zip(learnt) {
            self.bytes += learnt.bytes();
            self.learnt.insert(columns, Arc::new(learnt));
        }
        let score = |genes: &Genes| {
            let of = tables(genes);
            let of: Vec<&Learnt> =
                of.iter().filter_map(|columns| self.learnt.get(columns).map(AsRef::as_ref)).collect();
            self.judge.right(&of)
        };
        let fitness = fresh.par_iter().zip(&levels).map(|(genes, level)| {
            let feasible = keeps(*level, genes);
            Fitness { feasible, score: if feasible { score(genes) } else { 0 }, level: *level }
        });
        let fitness: Vec<Fitness> = fitness.collect();
        progress.advance(fresh.len() as u64);
        let found: Vec<(Genes, Fitness)> = fresh.into_iter().cloned().zip(fitness).collect();
        self.known.extend(found);
        Ok(())
    }

    /// The level of a division. If one table alone is below k, its smallest class is enough.
    fn level(&self, genes: &Genes) -> Result<u64> {
        let Prepared { table, known, k, .. } = self.prepared;
        let projections = tables(genes);
        let smallest = |columns: &Vec<usize>| {
            let told: Vec<usize> = columns.iter().copied().filter(|column| known[*column]).collect();
            TupleClasses::of(table, &told).smallest(table)
        };
        match projections.iter().map(smallest).min() {
            Some(smallest) if smallest < *k => Ok(smallest),
            _ => Ok(joint_anonymity(table, known, &projections, &self.problem.problem.progress)?.level),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::made::{problem, set_column};
    use super::super::tables::Tables;
    use super::*;
    use crate::config::Value;

    /// algorithms.md A7, second example, repeated five times: a decides, b does not.
    fn twenty(k: &'static [(&'static str, &'static str)], decisions: [u32; 4]) -> TablesProblem {
        let codes = [[0, 0], [0, 1], [1, 0], [1, 1]];
        let rows: Vec<_> = (0..20).map(|row| (codes[row % 4].to_vec(), decisions[row % 4], 0)).collect();
        let quasi = vec![set_column("a", 2), set_column("b", 2)];
        TablesProblem {
            problem: problem(quasi, &rows, &[("k_anonymity", k, None)]),
            known: vec![true; 2],
            target: 0,
            seed: None,
        }
    }

    fn solved(problem: &TablesProblem, parameters: &[(&str, &str)]) -> Result<TablesSolution> {
        let pairs = parameters.iter().map(|(name, value)| ((*name).to_owned(), Value::from_text(value)));
        let algorithm = build(&pairs.collect())?;
        algorithm.check(problem).and_then(|()| algorithm.run(problem))
    }

    fn figure(solution: &TablesSolution, name: &str) -> f64 {
        let found = solution.findings.iter().find(|finding| finding.name == name);
        found.and_then(|finding| finding.value).expect("a figure")
    }

    #[test]
    fn what_decides_is_published_as_far_as_k_allows() {
        // Together the two columns leave 5 rows; each alone leaves 10.
        let solution = solved(&twenty(&[("k", "6")], [1, 1, 0, 0]), &[]).expect("a division");
        assert_eq!(solution.tables, Tables::Projections(vec![vec![0]]));
        assert_eq!(
            ["accuracy", "majority", "joint_level"].map(|name| figure(&solution, name)),
            [1.0, 0.5, 10.0]
        );
        assert!(figure(&solution, "generations") >= 20.0, "it goes on while it may get better");
    }

    #[test]
    fn the_level_decides_between_divisions_that_are_equally_good() {
        let parity = [1, 0, 0, 1];
        let solution = solved(&twenty(&[("k", "5")], parity), &[("learner", "c45")]).expect("a division");
        assert_eq!(figure(&solution, "tables"), 1.0);
        // Parity: C4.5 looks one test ahead and sees no gain in either column, so nothing can be learnt from any division.
        assert_eq!(figure(&solution, "joint_level"), 10.0);
        let none = solved(&twenty(&[("k", "11")], parity), &[]).err().expect("nothing keeps 11 rows");
        assert!(
            none.to_string().contains("no columns were found that can be published for k = 11"),
            "{none}"
        );
    }

    #[test]
    fn a_budget_ends_the_search_with_the_best_so_far() {
        let mut problem = twenty(&[("k", "6")], [1, 1, 0, 0]);
        problem.problem.budget = crate::problem::Budget::new(Some(3), None);
        assert_eq!(figure(&solved(&problem, &[]).expect("a division"), "generations"), 3.0);
    }
}
