//! SeqA, sequential clustering (Goldberger, Tassa 2010; Last, Tassa, Zhmudyak, Shmueli 2014; algorithms.md B4): pass after pass,
//! rows move one by one to the cluster where they cost least.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Algorithm, Capabilities, Finding, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::metrics::contingency::ColumnEntropy;
use crate::problem::Problem;
use crate::recoding::{Recoding, Step};
use crate::search::partition::{Cluster, FIXED_ONE, Member, Partition, Space};
use crate::table::quasi::Value;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "seqa",
    title: "SeqA, sequential clustering",
    paper: "Goldberger, Tassa 2010, as in Last, Tassa, Zhmudyak, Shmueli 2014",
    standing: Standing::Classic,
    about: "Begins with Mondrian's groups (or with random clusters, as the original) and moves one row at a time into the group where the loss falls most, until no move helps. Loses less than Mondrian; rows with equal quasi-identifiers may \
            end up in different groups. `cluster` loses less still.",
    parameters: &[
        (
            "start",
            "mondrian (default), single_dimensional (single-dimensional Mondrian, as the 2014 paper has it), or random (the \
             original)",
        ),
        ("cost", "loss (default), or entropy: of the original column within what a group shows"),
        ("alpha", "start = \"random\": the size of the first clusters as a share of k; default 0.5"),
        (
            "omega",
            "start = \"random\": clusters of more than omega times k are halved after a pass; default 1.5",
        ),
    ],
    build,
};

/// The most passes over the table.
const PASSES: u32 = 100;
/// Progress is reported once in this many steps.
const STRIDE: u64 = 256;

/// The clusters to begin with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    Mondrian,
    SingleDimensional,
    Random,
}

struct SeqA {
    start: Start,
    entropy: bool,
    alpha: Rational,
    omega: Rational,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    let factor = |name: &str, numerator: u64| -> Result<Rational> {
        let given = parameters.rational(name, Rational::ZERO, None)?;
        Ok(given.or(Rational::new(numerator, 2)).unwrap_or(Rational::ONE))
    };
    Ok(Box::new(SeqA {
        start: match parameters.choice("start", &["mondrian", "single_dimensional", "random"])? {
            Some("single_dimensional") => Start::SingleDimensional,
            Some("random") => Start::Random,
            _ => Start::Mondrian,
        },
        entropy: parameters.choice("cost", &["loss", "entropy"])? == Some("entropy"),
        alpha: factor("alpha", 1)?,
        omega: factor("omega", 3)?,
    }))
}

impl Algorithm for SeqA {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fineness: Fineness::TrueOfClass,
            takes_steps: true,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        if let Some(quasi) = problem.quasi.iter().find(|quasi| self.entropy && quasi.sets) {
            return Err(Error::refused(format!(
                "'{}' shows sets, whose entropies seqa cannot weigh",
                quasi.name
            ))
            .set(Setting::parameter("cost").to("loss"), "weigh the loss")
            .set(Setting::column("label").of(&[&quasi.name]).to("node"), "label the column by nodes"));
        }
        problem.class_tests()?;
        problem.check_feasible()
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let entropies: Vec<ColumnEntropy> = (0..problem.quasi.len())
            .filter(|_| self.entropy)
            .map(|column| ColumnEntropy::new(problem, column))
            .collect();
        let penalty = |column: usize, value: Value| match self.entropy {
            true => entropies[column].bits(&problem.quasi[column], value) * problem.quasi[column].priority,
            false => problem.quasi[column].loss(value) * problem.quasi[column].priority,
        };
        let space = Space::new(problem, &penalty)?;
        let mut search =
            SequentialSearch { space: &space, entropy: self.entropy, steps: 0, moves: 0, passes: 0 };
        let of = |entry: &Entry<super::BuildAlgorithm>| -> Result<Partition> {
            let solution = (entry.build)(&Parameters::default())?.run(problem)?;
            Ok(Partition::of_assignment(&space, &solution.assignment).0)
        };
        let mut partition = match self.start {
            Start::Mondrian => of(&super::mondrian::ENTRY)?,
            Start::SingleDimensional => of(&super::single_dimensional_mondrian::ENTRY)?,
            Start::Random => self.random_clusters(&space, problem),
        };
        let before = partition.cost();
        if self.start == Start::Random {
            self.search_at_random(&mut search, &mut partition, problem)?;
        } else {
            while search.pass(&mut partition, true)? && search.passes < PASSES {}
        }
        let rows = problem.table.rows().max(1) as f64;
        let mean = |cost: u128| Some(cost as f64 / FIXED_ONE / rows / problem.quasi.len().max(1) as f64);
        let findings = vec![
            Finding::new("cost_before", mean(before), "the mean cost of a cell in the clusters at the start"),
            Finding::new(
                "cost_after",
                mean(partition.cost()),
                "the mean cost of a cell in the clusters at the end",
            ),
            Finding::new("passes", Some(f64::from(search.passes)), "how often all rows were looked at"),
            Finding::new("moves", Some(search.moves as f64), "how many rows moved"),
        ];
        let assignment = partition.assignment(&space, &[]);
        let recoding = Recoding { step: Step::Regions(Box::new(assignment.clone())), shown: None };
        Ok(Solution { recoding, assignment, findings })
    }
}

/// The state of a search besides the clusters.
struct SequentialSearch<'a> {
    space: &'a Space<'a>,
    entropy: bool,
    steps: u64,
    moves: u64,
    passes: u32,
}

impl SequentialSearch<'_> {
    /// Makes one pass over all rows. Returns whether some moved and there is budget left. A step compares all clusters for one
    /// row. With `strict` no cluster ever fails a model, so that the clusters can be shown after every step.
    fn pass(&mut self, partition: &mut Partition, strict: bool) -> Result<bool> {
        let problem = self.space.problem();
        self.passes += 1;
        let moved = self.moves;
        let mut places: Vec<(u32, u32, u32)> = Vec::new();
        for (place, cluster) in (0..).zip(partition.clusters()) {
            places.extend(cluster.members().iter().map(|member| (member.kind, place, member.rows)));
        }
        places.sort_unstable();
        for (kind, from, rows) in places {
            // Rows of one kind in one cluster are alike: if the first one stays, they all stay.
            for _ in 0..rows {
                let goes_on = match strict {
                    true => problem.goes_on(self.steps)?,
                    // There is nothing to show yet.
                    false => problem.progress.check().map(|()| !problem.budget.has_taken(self.steps))?,
                };
                if !goes_on {
                    return Ok(false);
                }
                if self.steps.is_multiple_of(STRIDE) {
                    problem.progress.advance(STRIDE);
                }
                self.steps += 1;
                let Some(to) = self.best(partition, kind, from as usize, strict) else { break };
                partition.shift(self.space, kind, from as usize, to);
                self.moves += 1;
            }
        }
        Ok(self.moves > moved)
    }

    /// Returns the cluster where a row costs least, if that is less than where it is now.
    fn best(&self, partition: &Partition, kind: u32, from: usize, strict: bool) -> Option<usize> {
        let space = self.space;
        let clusters = partition.clusters();
        let source = &clusters[from];
        let without = (source.size() - 1) * source.cost_of_change(space, Some(kind), None);
        // With entropies, one more row may make a cluster cheaper, so gains are signed.
        let gain = source.total() as i128 - without as i128;
        if (!self.entropy && gain == 0) || (strict && !source.passes_changed(space, Some(kind), None)) {
            return None;
        }
        let mut best = None;
        let mut least = gain;
        for (place, cluster) in clusters.iter().enumerate() {
            // One more row costs at least as much as each row of the cluster does already, unless costs are entropies.
            if place == from || cluster.size() == 0 || (!self.entropy && i128::from(cluster.cost()) >= least)
            {
                continue;
            }
            let with = (cluster.size() + 1) * cluster.cost_of_change(space, None, Some(kind));
            let added = i128::from(with) - i128::from(cluster.total());
            if added < least && (!strict || cluster.passes_changed(space, None, Some(kind))) {
                least = added;
                best = Some(place);
            }
        }
        best
    }

    /// Merges clusters that fail a model with the nearest, smallest first, until all pass.
    fn merge_failing(&self, partition: &mut Partition) -> Result<()> {
        let space = self.space;
        let clusters = partition.clusters_mut();
        loop {
            space.problem().progress.check()?;
            let failing: Vec<usize> = (0..clusters.len())
                .filter(|place| clusters[*place].size() > 0 && !space.passes(clusters[*place].members()))
                .collect();
            let Some(small) = failing.iter().copied().min_by_key(|place| (clusters[*place].size(), *place))
            else {
                return Ok(());
            };
            // Merge with another failing cluster, if there is one, so that few clusters are lost.
            let others: Vec<usize> = match failing.len() {
                1 => (0..clusters.len())
                    .filter(|place| clusters[*place].size() > 0 && *place != small)
                    .collect(),
                _ => failing.into_iter().filter(|place| *place != small).collect(),
            };
            let added = |place: &usize| {
                let (a, b) = (&clusters[small], &clusters[*place]);
                let together = i128::from((a.size() + b.size()) * a.cost_with(space, b));
                (together - i128::from(a.total()) - i128::from(b.total()), *place)
            };
            let Some(near) = others.into_iter().min_by_key(added) else {
                return Err(Error::internal("not even all rows together meet the models"));
            };
            let taken = std::mem::replace(&mut clusters[small], Cluster::new(space, Vec::new()));
            for member in taken.members() {
                clusters[near].add(space, member.kind, member.rows);
            }
        }
    }
}

impl SeqA {
    /// The original algorithm: random clusters, passes that may leave clusters too small, and merging at the end.
    fn search_at_random(
        &self,
        search: &mut SequentialSearch<'_>,
        partition: &mut Partition,
        problem: &Problem,
    ) -> Result<()> {
        let mut random = ChaCha8Rng::seed_from_u64(problem.seed.wrapping_add(1));
        let most = self.omega.floor_of(search.space.least()).max(1);
        while search.passes < PASSES {
            let moved = search.pass(partition, false)?;
            let mut halves = Vec::new();
            for cluster in partition.clusters_mut().iter_mut().filter(|cluster| cluster.size() > most) {
                let mut rows = single_rows(cluster.members());
                shuffle(&mut rows, &mut random);
                let right = rows.split_off(rows.len() / 2);
                *cluster = of_rows(search.space, rows);
                halves.push(of_rows(search.space, right));
            }
            let halved = !halves.is_empty();
            partition.clusters_mut().retain(|cluster| cluster.size() > 0);
            partition.clusters_mut().extend(halves);
            if !moved || (problem.budget.spent_after().is_some() && !halved) {
                break;
            }
        }
        search.merge_failing(partition)
    }

    /// Puts all rows into random clusters of about alpha times k rows.
    fn random_clusters(&self, space: &Space<'_>, problem: &Problem) -> Partition {
        let all: Vec<Member> =
            (0..).zip(space.kinds()).map(|(kind, of)| Member { kind, rows: of.rows }).collect();
        let mut rows = single_rows(&all);
        shuffle(&mut rows, &mut ChaCha8Rng::seed_from_u64(problem.seed));
        let size = self.alpha.floor_of(space.least()).max(1) as usize;
        Partition::new(rows.chunks(size).map(|rows| of_rows(space, rows.to_vec())).collect())
    }
}

/// The kind of each row.
fn single_rows(members: &[Member]) -> Vec<u32> {
    members.iter().flat_map(|member| std::iter::repeat_n(member.kind, member.rows as usize)).collect()
}

/// A cluster of rows of these kinds.
fn of_rows(space: &Space<'_>, mut kinds: Vec<u32>) -> Cluster {
    kinds.sort_unstable();
    let member = |same: &[u32]| Member { kind: same[0], rows: same.len() as u32 };
    Cluster::new(space, kinds.chunk_by(|a, b| a == b).map(member).collect())
}

/// Fisher-Yates.
fn shuffle(rows: &mut [u32], random: &mut ChaCha8Rng) {
    for last in (1..rows.len()).rev() {
        rows.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::partition::testing::{numbers, problem};

    fn solve(problem: &Problem, settings: &[(&str, &str)]) -> Solution {
        let mut parameters = Parameters::default();
        settings
            .iter()
            .for_each(|(name, value)| parameters.set(name, crate::config::Value::from_text(value)));
        let algorithm = build(&parameters).expect("fitting parameters");
        algorithm.run(problem).expect("a solution")
    }

    /// algorithms.md B4, by hand: mean loss .527273 before and .145455 after.
    #[test]
    fn the_row_that_belongs_elsewhere_moves() {
        let rows: Vec<(Vec<u32>, u32)> = (0..5).map(|code| (vec![code], 0)).collect();
        let problem = problem(vec![numbers(&[1, 2, 10, 11, 12])], &rows, 2, 1);
        let penalty = |column: usize, value: Value| problem.quasi[column].loss(value);
        let space = Space::new(&problem, &penalty).expect("class tests");
        let mut partition = Partition::new(vec![of_rows(&space, vec![0, 1, 2]), of_rows(&space, vec![3, 4])]);
        let mean = |partition: &Partition| partition.cost() as f64 / FIXED_ONE / 5.0;
        assert!((mean(&partition) - 0.527_273).abs() < 1e-6);
        let mut search = SequentialSearch { space: &space, entropy: false, steps: 0, moves: 0, passes: 0 };
        assert!(search.pass(&mut partition, true).expect("not interrupted"));
        assert!(!search.pass(&mut partition, true).expect("not interrupted"));
        assert!((mean(&partition) - 0.145_455).abs() < 1e-6);
        assert_eq!(search.moves, 1);
    }

    /// algorithms.md 0.8: frequencies 1, 1, 98; the first two cost 1 bit, all three 0.1614.
    #[test]
    fn entropies_are_those_of_the_original_column() {
        let rows: Vec<(Vec<u32>, u32)> = (0..100_u32).map(|row| (vec![row.min(2)], 0)).collect();
        let problem = problem(vec![numbers(&[1, 2, 3])], &rows, 2, 1);
        let entropy = ColumnEntropy::new(&problem, 0);
        assert!((entropy.bits(&problem.quasi[0], Value::Span(0, 1)) - 1.0).abs() < 1e-12);
        assert!((entropy.bits(&problem.quasi[0], Value::Span(0, 2)) - 0.1614).abs() < 5e-5);
        assert!(entropy.bits(&problem.quasi[0], Value::Span(2, 2)).abs() < 1e-12);
    }

    #[test]
    fn random_clusters_end_with_every_model_met_and_follow_the_seed() {
        let rows: Vec<(Vec<u32>, u32)> = (0..60).map(|row| (vec![row * 7 % 9], row % 4)).collect();
        let mut problem = problem(vec![numbers(&[1, 2, 3, 5, 8, 13, 21, 34, 55])], &rows, 4, 2);
        for cost in ["loss", "entropy"] {
            let settings = [("start", "random"), ("cost", cost)];
            let once = solve(&problem, &settings);
            let again = solve(&problem, &settings);
            assert_eq!(once.assignment.members, again.assignment.members);
            let classes = problem.suppress_failing(once.assignment).expect("nothing to suppress");
            assert_eq!(classes.suppressed_rows(), 0);
        }
        problem.seed = 1;
        assert_eq!(solve(&problem, &[("start", "random")]).findings.len(), 4);
    }

    /// For the first four rows both columns can be cut, but for all rows only the first: (2, 2) would stand alone.
    #[test]
    fn a_single_dimensional_start_is_one_for_all_rows() {
        let pairs = [(0, 0), (0, 0), (0, 1), (0, 1), (1, 0), (1, 0), (1, 0), (1, 1)];
        let rows: Vec<(Vec<u32>, u32)> = pairs.iter().map(|(a, b)| (vec![*a, *b], 0)).collect();
        let problem = problem(vec![numbers(&[1, 2]), numbers(&[1, 2])], &rows, 2, 1);
        let before = |start: &str| solve(&problem, &[("start", start)]).findings[0].value;
        assert_eq!(before("mondrian"), Some(0.25));
        assert_eq!(before("single_dimensional"), Some(0.5));
    }
}
