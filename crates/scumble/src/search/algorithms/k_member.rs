//! Greedy k-member clustering (Byun, Kamra, Bertino, Li 2007): each cluster grows around a row far from the last one, and
//! always takes the row that adds least to its loss.

use super::clustering::boxes::{Boxes, Keys, Query};
use super::clustering::finish::{add_leftovers, gather, solution, tuples_alone};
use super::clustering::space::Space;
use super::clustering::stock::{Cluster, Stock, Which};
use super::clustering::{LabelCost, check_models, cluster_size, label_weight};
use super::iack::class_of;
use super::{Algorithm, Capabilities, Fineness, Solution};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Rational};
use crate::error::Result;
use crate::problem::Problem;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildAlgorithm> = Entry {
    name: "k_member",
    title: "k-member clustering, greedy",
    paper: "Byun, Kamra, Bertino, Li 2007",
    standing: Standing::Classic,
    about: "Builds clusters of k rows one by one: begins with the row furthest from the last one taken, then takes the row that \
            raises the cluster's loss least. Loses little, suppresses nothing, needs no hierarchies; slower than mondrian.",
    parameters: &[(
        "class_weight",
        "what a row costs, as loss, whose label is not the most frequent one of the cluster: 0 (default): labels are not \
         looked at; \"infinity\": labels first",
    )],
    build,
};

struct KMember {
    class_weight: u64,
}

fn build(parameters: &Parameters) -> Result<Box<dyn Algorithm>> {
    Ok(Box::new(KMember { class_weight: label_weight(parameters, "class_weight", Rational::ZERO)? }))
}

impl Algorithm for KMember {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            fineness: Fineness::TrueOfClass,
            default_suppression: Rational::ZERO,
            never_suppresses: true,
            ..Capabilities::USUAL
        }
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        if self.class_weight > 0 {
            class_of(problem, ENTRY.name)?;
        }
        check_models(problem, ENTRY.name)
    }

    fn run(&self, problem: &Problem) -> Result<Solution> {
        let space = Space::of_loss(&problem.table, &problem.quasi);
        let labels = problem.class.filter(|_| self.class_weight > 0);
        let labels = labels.map(|column| LabelCost { column, cost: self.class_weight });
        let mut stock = Stock::new(&problem.table, labels.map(|labels| labels.column));
        let k = cluster_size(problem);
        let clusters = if k > 1 {
            clusters(problem, &space, &mut stock, k, labels)?
        } else {
            tuples_alone(problem, &space, &mut stock)
        };
        solution(problem, &space, clusters)
    }
}

fn clusters(
    problem: &Problem,
    space: &Space<'_>,
    stock: &mut Stock<'_>,
    k: u64,
    labels: Option<LabelCost>,
) -> Result<Vec<Cluster>> {
    let tuples = problem.table.tuples() as u32;
    let mut boxes = Boxes::new(space, stock, tuples, &problem.progress)?;
    let mut clusters = Vec::new();
    let mut query = Query::default();
    // The paper begins at a random row. Here it is the first tuple, so that only the content decides.
    let mut last = 0;
    while stock.rows >= k {
        problem.progress.check()?;
        boxes.ask(space, &space.point(last), &mut query);
        let Some(seed) = boxes.furthest(&query) else { break };
        last = seed;
        let mut cluster = Cluster::around(space, seed);
        gather(space, stock, &mut boxes, &mut cluster, (seed, 1, Which::Any));
        boxes.ask(space, &cluster.extent, &mut query);
        while cluster.size < k {
            problem.progress.check()?;
            let label = labels
                .and_then(|labels| Some((cluster.majority(|payload| stock.label(payload))?, labels.cost)));
            // Without labels only the cost of the cover matters, since every candidate leads to the same size.
            let factor = if label.is_some() { cluster.size + 1 } else { 1 };
            let Some(found) = boxes.nearest(&query, Keys { factor, label }, 1).into_iter().next() else {
                break;
            };
            let which = match (label, found.other) {
                (None, _) => Which::Any,
                (Some((label, _)), false) => Which::Of(label),
                (Some((label, _)), true) => Which::NotOf(label),
            };
            let covered = cluster.extent.clone();
            let is_covered = space
                .point(found.tuple)
                .iter()
                .zip(&covered)
                .all(|(of, extent)| extent.0 <= of.0 && of.0 <= extent.1);
            // All rows of a tuple that is already covered come before those of the next one.
            let most = if is_covered && label.is_none() { k - cluster.size } else { 1 };
            gather(space, stock, &mut boxes, &mut cluster, (found.tuple, most, which));
            if cluster.extent != covered {
                boxes.ask(space, &cluster.extent, &mut query);
            }
            last = found.tuple;
        }
        problem.progress.advance(cluster.size);
        clusters.push(cluster);
    }
    add_leftovers(space, stock, tuples, labels, &mut clusters);
    Ok(clusters)
}
