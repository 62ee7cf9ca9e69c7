//! The weighted hierarchical distance with DBCA's priorities (Sun, Wang, Li 2009, Definitions 3 to 6; models.md 2.7).

use crate::config::{Parameters, Rational};
use crate::error::{self, Error, Result, Setting, did_you_mean};
use crate::metrics::distortion::{Distances, Weights};
use crate::metrics::{ByColumn, column_sums};
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::search::algorithms::Finding;
use crate::search::algorithms::clustering::finish::finding;
use crate::search::algorithms::clustering::space::{Axis, Space, fixed};
use crate::table::quasi::{Shape, Value};

/// How numbers without a hierarchy are generalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Numbers {
    /// By levels that are built from the data.
    Levels,
    /// In two steps: from the value to an interval of any width, then to nothing.
    Interval,
    /// The same, but a wider interval costs more.
    Scaled,
}

/// The cost of one step up a hierarchy in each column.
#[derive(Debug, Clone)]
pub(in crate::search::algorithms) struct Distortion {
    weights: Weights,
    numbers: Numbers,
    /// The columns from the most to the least important.
    order: Option<Vec<String>>,
    floor: f64,
}

impl Distortion {
    pub(in crate::search::algorithms) fn read(parameters: &Parameters) -> Result<Self> {
        let beta = parameters.rational("beta", Rational::ONE, Some(Rational::whole(64)))?;
        let weights = match parameters.choice("weights", &["uniform", "height"])? {
            Some("height") => Weights::Height { beta: beta.map_or(1.0, Rational::to_f64) },
            _ if beta.is_some() => {
                return Err(Error::config("beta is for weights = \"height\"")
                    .set(Setting::parameter("weights").to("height"), "weigh columns by their height")
                    .advise("leave beta out"));
            }
            _ => Weights::Uniform,
        };
        let numbers = match parameters.choice("numeric", &["levels", "interval", "scaled"])? {
            Some("interval") => Numbers::Interval,
            Some("scaled") => Numbers::Scaled,
            _ => Numbers::Levels,
        };
        let order = parameters.texts("priority_order")?;
        let floor = parameters.rational("priority_floor", Rational::ZERO, Some(Rational::ONE))?;
        Ok(Self {
            weights,
            numbers,
            order: order.map(|names| names.into_iter().map(str::to_owned).collect()),
            floor: floor.map_or(0.0, Rational::to_f64),
        })
    }

    /// Whether every column must have levels.
    pub(in crate::search::algorithms) fn needs_trees(&self) -> bool {
        self.numbers == Numbers::Levels
    }

    /// Returns an error if a column has no levels but needs them.
    fn check_levels(&self, problem: &Problem, algorithm: &str) -> Result<()> {
        if self.needs_trees() {
            return problem.check_trees(algorithm);
        }
        match problem.quasi.iter().find(|quasi| matches!(quasi.shape, Shape::Set(_))) {
            None => Ok(()),
            Some(quasi) => Err(Error::refused(format!(
                "'{algorithm}' takes numbers without a hierarchy as they are, but the texts of '{}' need one",
                quasi.name
            ))
            .set(
                Setting::column("hierarchy")
                    .of(&[&quasi.name])
                    .to(error::Value::Table(vec![("build", "flat".into())])),
                "give the column a hierarchy, at least a flat one",
            )
            .set(Setting::parameter("numeric").to("levels"), "go by levels in all columns")),
        }
    }

    /// Returns an error unless every column has what it needs and the order of priorities names every quasi-identifier once.
    pub(in crate::search::algorithms) fn check(&self, problem: &Problem, algorithm: &str) -> Result<()> {
        self.check_levels(problem, algorithm)?;
        let Some(order) = &self.order else { return Ok(()) };
        let quasi: Vec<&str> = problem.quasi.iter().map(|quasi| quasi.name.as_str()).collect();
        for (place, name) in order.iter().enumerate() {
            if !quasi.contains(&name.as_str()) {
                let near = did_you_mean(name, quasi.iter().copied());
                return Err(Error::config(format!(
                    "priority_order names '{name}', which is no quasi-identifier{near}"
                ))
                .set(
                    Setting::parameter("priority_order").to(quasi),
                    "list the quasi-identifiers from the most to the least important",
                ));
            }
            if order[..place].contains(name) {
                return Err(Error::config(format!("priority_order names '{name}' twice")));
            }
        }
        match quasi.iter().find(|name| !order.iter().any(|of| of == *name)) {
            None => Ok(()),
            Some(name) => Err(Error::config(format!(
                "priority_order must name every quasi-identifier, and '{name}' is not in it"
            ))
            .advise("put the column at its place in priority_order")
            .advise("leave priority_order out and give each column a priority")),
        }
    }

    /// The priority of each column: evenly spaced from 1 to 0 along the order; without an order, as the columns say.
    fn priorities(&self, problem: &Problem) -> Vec<f64> {
        let steps = problem.quasi.len().saturating_sub(1).max(1) as f64;
        let priority = |quasi: &crate::table::quasi::Quasi| {
            let place = self.order.as_ref().and_then(|order| order.iter().position(|of| *of == quasi.name));
            place.map_or(quasi.priority, |place| 1.0 - place as f64 / steps).max(self.floor)
        };
        problem.quasi.iter().map(priority).collect()
    }

    /// The table as a space in which covering a tuple costs its distortion.
    pub(in crate::search::algorithms) fn space<'p>(&self, problem: &'p Problem) -> Result<Space<'p>> {
        self.check_levels(problem, "dbca")?;
        let priorities = self.priorities(problem);
        Ok(Space::new(&problem.table, &problem.quasi, |column, quasi, codes| {
            let priority = priorities[column];
            match &quasi.shape {
                Shape::Tree(tree) => {
                    let levels = self.weights.levels(tree.height());
                    let cost = |node| fixed(priority * levels[tree.level_of(node) as usize]);
                    Axis::of_nodes(quasi, tree, codes, cost)
                }
                Shape::Line(line) => {
                    let step = priority * self.weights.levels(2)[1];
                    let scaled = self.numbers == Numbers::Scaled;
                    Axis::of_numbers(quasi, line, codes, (step, fixed(priority), scaled))
                }
                Shape::Set(_) => Axis::of_loss(quasi, codes),
            }
        }))
    }

    /// The distortion of a release (Definition 6), in total and by column. A suppressed row counts with its full priority in
    /// every column.
    pub(in crate::search::algorithms) fn findings(
        &self,
        problem: &Problem,
        classes: &Classes,
    ) -> Vec<Finding> {
        let distances = Distances::new(problem, self.weights);
        let sums = if self.numbers == Numbers::Scaled {
            column_sums(&Scaled { problem, distances, step: self.weights.levels(2)[1] }, classes)
        } else {
            column_sums(&distances, classes)
        };
        let weighed = sums.iter().zip(self.priorities(problem)).map(|(sum, priority)| sum * priority);
        let by_column: Vec<f64> = weighed.collect();
        let total = finding(
            "distortion",
            by_column.iter().sum(),
            "the sum over all rows and columns of priority times weighted hierarchical distance",
        );
        let of_column = |(quasi, value): (&crate::table::quasi::Quasi, f64)| Finding {
            name: "distortion",
            value: Some(value),
            meaning: "the part of the distortion that is in this column",
            column: Some(quasi.name.clone()),
        };
        [total].into_iter().chain(problem.quasi.iter().zip(by_column).map(of_column)).collect()
    }
}

/// Distances in which the cost of a range of numbers without a hierarchy is proportional to its width.
struct Scaled<'p> {
    problem: &'p Problem,
    distances: Distances<'p>,
    /// The cost of the whole range.
    step: f64,
}

impl ByColumn for Scaled<'_> {
    fn penalty(&self, column: usize, value: Value) -> f64 {
        let quasi = &self.problem.quasi[column];
        match quasi.shape {
            Shape::Line(_) if value != Value::Star => self.step * quasi.loss(value),
            _ => self.distances.penalty(column, value),
        }
    }

    fn figure(&self, means: &[f64]) -> Option<f64> {
        self.distances.figure(means)
    }
}
