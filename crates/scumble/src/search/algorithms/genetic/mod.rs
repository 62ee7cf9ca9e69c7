//! Iyengar's genetic algorithm (2002; algorithms.md B13): breeds good cuts of all columns from random cuts.

use hashbrown::HashMap;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use super::splits::SplitSpace;
use super::{Algorithm, Capabilities, Finding, Reach, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;
use crate::recoding::Step;

mod fitness;
mod genes;

use fitness::{Evaluator, Fitness};
use genes::Chromosome;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "genetic",
    title: "genetic search for subtree and interval recoding",
    paper: "Iyengar 2002",
    standing: Standing::Classic,
    about: "Cuts every column into nodes of its hierarchy or into intervals, the same for all rows, and breeds ever better cuts: \
            least loss or, with the metric 'classification', fewest rows in the minority of their group. Suppresses groups that \
            fail a model. Slow, finds good cuts without proof; the same seed gives the same release.",
    parameters: &[
        ("population", "how many cuts are kept, at least 2 (default 200)"),
        ("iterations", "how many are bred at most (default 20000)"),
        ("mutation", "the chance of each cut to change, from 0 to 1 (default 0.002)"),
        ("idle", "stop after so many that were no better than the best (default 5000)"),
    ],
    build,
};

struct Genetic {
    population: usize,
    iterations: u64,
    /// The number of draws, out of 2^32, that flip a bit.
    mutation: u64,
    idle: u64,
}

/// The number of children bred from the same population and evaluated together. It is fixed, so that the number of threads
/// changes nothing.
const BATCH: u64 = 16;

/// The most bits that the remembered chromosomes may have together, at one byte each.
const REMEMBERED: usize = 1 << 26;

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let whole = |name, least, default| {
        parameters.whole(name, least).map(|given: Option<u64>| given.unwrap_or(default))
    };
    let mutation = parameters.rational("mutation", Rational::ZERO, Some(Rational::ONE))?;
    Ok(Box::new(Genetic {
        population: whole("population", 2, 200)? as usize,
        iterations: whole("iterations", 0, 20_000)?,
        mutation: mutation.or(Rational::new(1, 500)).map_or(0, |rate| rate.floor_of(1 << 32)),
        idle: whole("idle", 1, 5_000)?,
    }))
}

impl Algorithm for Genetic {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            reach: Reach::Label,
            default_suppression: Rational::ONE,
            takes_steps: true,
            minimises_metric: true,
            ..Capabilities::USUAL
        }
    }

    fn minimises(&self, problem: &Problem) -> bool {
        fitness::is_served(problem)
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        fitness::check(problem)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let space = SplitSpace::new(problem);
        let evaluator = Evaluator::new(problem, &space)?;
        let mut breed = Breed {
            problem,
            chance: Chance(ChaCha8Rng::seed_from_u64(problem.seed)),
            evaluator: &evaluator,
            space: &space,
            known: HashMap::default(),
            living: Vec::new(),
            evaluated: 0,
        };
        breed.found(self.population)?;
        let bred = breed.evolve(self)?;
        problem.budget.settle();
        let findings = vec![
            Finding::new("bred", Some(bred as f64), "how many cuts of the columns were bred"),
            Finding::new(
                "evaluated",
                Some(breed.evaluated as f64),
                "how many different ones were evaluated, the first ones included",
            ),
        ];
        let best = &breed.living[0].1;
        Solution::of_step(problem, Step::Maps(space.maps(best)), findings)
    }
}

/// A population, and the state of its evolution.
struct Breed<'a> {
    problem: &'a Problem,
    chance: Chance,
    evaluator: &'a Evaluator<'a>,
    space: &'a SplitSpace<'a>,
    known: HashMap<Chromosome, Fitness, foldhash::fast::FixedState>,
    /// From the best to the worst, all different.
    living: Vec<(Fitness, Chromosome)>,
    evaluated: u64,
}

impl Breed<'_> {
    /// Makes the first population: no cuts, all cuts, and random cuts of random densities.
    fn found(&mut self, size: usize) -> Result<()> {
        let bits = self.space.splits.len();
        let mut first: Vec<Chromosome> = vec![vec![false; bits].into(), vec![true; bits].into()];
        while first.len() < size {
            let density = self.chance.below_two_to_32();
            let mut random: Vec<bool> = (0..bits).map(|_| self.chance.below_two_to_32() < density).collect();
            genes::repair(self.space, &mut random);
            first.push(random.into());
        }
        let fitness = self.evaluate(&first)?;
        self.living = fitness.into_iter().zip(first).collect();
        self.living.sort();
        self.living.dedup();
        Ok(())
    }

    /// Breeds until there are enough children, the best has not changed for long, or the budget is spent. Returns the number
    /// of children.
    fn evolve(&mut self, settings: &Genetic) -> Result<u64> {
        let (mut bred, mut idle) = (0, 0);
        while bred < settings.iterations && idle < settings.idle && !self.space.splits.is_empty() {
            // Having something to publish is more important than keeping to the budget.
            if self.living[0].0.excess == 0 && self.problem.budget.is_spent(bred) {
                break;
            }
            let young: Vec<Chromosome> =
                (0..BATCH.min(settings.iterations - bred)).map(|_| self.child(settings.mutation)).collect();
            let fitness = match self.evaluate(&young) {
                Ok(fitness) => fitness,
                // The population is as it was before.
                Err(error) if self.living[0].0.excess == 0 => {
                    self.problem.budget.end_at(bred, error)?;
                    break;
                }
                Err(error) => return Err(error),
            };
            for one in fitness.into_iter().zip(young) {
                bred += 1;
                idle = if one.0 < self.living[0].0 { 0 } else { idle + 1 };
                self.settle(one, settings.population);
            }
        }
        Ok(bred)
    }

    /// A child of two parents: the front of one, the back of the other, and some bits flipped.
    fn child(&mut self, mutation: u64) -> Chromosome {
        let (front, back) = (self.parent(), self.parent());
        let point = self.chance.below(self.space.splits.len() as u64 + 1) as usize;
        let mut bits: Vec<bool> = [&self.living[front].1[..point], &self.living[back].1[point..]].concat();
        genes::repair(self.space, &mut bits);
        for place in 0..bits.len() {
            if self.chance.below_two_to_32() < mutation {
                genes::flip(self.space, &mut bits, place);
            }
        }
        bits.into()
    }

    /// Draws a parent. The probability is linear in the rank, and the best is drawn 1.5 times as often as the one in the
    /// middle.
    fn parent(&mut self) -> usize {
        const BIAS: f64 = 1.5;
        let chance = self.chance.below_two_to_32() as f64 / 4_294_967_296.0;
        let share = (BIAS - (BIAS * BIAS - 4.0 * (BIAS - 1.0) * chance).sqrt()) / (2.0 * (BIAS - 1.0));
        ((self.living.len() as f64 * share) as usize).min(self.living.len() - 1)
    }

    /// Adds a chromosome to the population in place of the worst, if it is better and not already there.
    fn settle(&mut self, one: (Fitness, Chromosome), size: usize) {
        let Err(place) = self.living.binary_search(&one) else { return };
        if self.living.len() < size {
            self.living.insert(place, one);
        } else if place < self.living.len() {
            self.living.pop();
            self.living.insert(place, one);
        }
    }

    /// The fitness of each chromosome, computed in parallel. Known ones are not evaluated again.
    fn evaluate(&mut self, all: &[Chromosome]) -> Result<Vec<Fitness>> {
        self.problem.progress.check()?;
        let known: Vec<Option<Fitness>> = all.iter().map(|one| self.known.get(one).copied()).collect();
        let found: Vec<Fitness> = all
            .par_iter()
            .zip(known)
            .with_max_len(1)
            .map(|(one, known)| known.map_or_else(|| self.evaluator.fitness(one), Ok))
            .collect::<Result<_>>()?;
        for (one, fitness) in all.iter().zip(&found) {
            if !self.known.contains_key(one) {
                self.evaluated += 1;
                if self.known.len() * self.space.splits.len() < REMEMBERED {
                    self.known.insert(one.clone(), *fitness);
                }
            }
        }
        self.problem.progress.advance(all.len() as u64);
        Ok(found)
    }
}

/// Reproducible random numbers: ChaCha with 8 rounds, seeded with the problem's random seed.
struct Chance(ChaCha8Rng);

impl Chance {
    fn below_two_to_32(&mut self) -> u64 {
        u64::from(self.0.next_u32())
    }

    /// A number below `end`, as good as uniform if `end` is small compared with 2^64.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }
}
