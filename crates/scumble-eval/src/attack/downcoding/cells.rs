//! The labels of a release that could have been finer, and what the algorithm promises about them.

use scumble::Result;
use scumble::config::{Plan, Rational};
use scumble::registry::{Method, method};
use scumble::search::algorithms::{Fineness, Reach};
use scumble::table::quasi::{Quasi, Shape, Value};

use super::super::Case;
use super::super::finer::Finer;
use super::counts::Rule;

/// What the attacker concludes from how an algorithm chooses labels.
pub(super) struct Knowledge {
    pub reach: Reach,
    /// What a node, shown as a label, implies about the rows of its class.
    pub node: Rule,
    /// The least number of rows of a class.
    pub k: u64,
    /// The premise in words.
    pub premise: &'static str,
}

impl Knowledge {
    /// Derives it from a plan, or returns why nothing is known.
    pub(super) fn of(plan: &Plan) -> Result<std::result::Result<Self, &'static str>> {
        let algorithm = match method(&plan.algorithm.name)? {
            Method::Classes(entry) => (entry.build)(&plan.algorithm.parameters)?,
            Method::Records(_) => {
                return Ok(Err("rows are coarsened one by one, over groups of their own that nobody sees"));
            }
            Method::Tables(_) => {
                return Ok(Err("nothing that is known of people is coarsened group by group"));
            }
        };
        let only_sizes = !plan.privacy.is_empty()
            && plan
                .privacy
                .iter()
                .all(|spec| spec.is_size_alone() && !spec.counts_households() && spec.quasi.is_none());
        let k = plan
            .privacy
            .iter()
            .filter_map(|spec| spec.parameters.whole("k", 1).ok().flatten())
            .max()
            .unwrap_or(1);
        let tight = |node| Self {
            reach: Reach::Class,
            node,
            k,
            premise: match node {
                Rule::Several => {
                    "The attacker assumes that a value is the finest that is true of all rows of its group."
                }
                _ => {
                    "The attacker assumes that a value is the finest that is true of all rows of its group, and that no finer values divide its group into \
                     groups of k rows."
                }
            },
        };
        if plan.algorithm.flatten {
            return Ok(Err(
                "values were made coarser until each column had one domain, so no value is the finest possible",
            ));
        }
        if plan.algorithm.polish {
            return Ok(Ok(tight(Rule::Several)));
        }
        let fineness = algorithm.capabilities().fineness;
        Ok(match fineness {
            Fineness::Uncuttable { refuses_small_children: true } if only_sizes => {
                Ok(tight(Rule::SmallPart(k)))
            }
            Fineness::Uncuttable { .. } if only_sizes => Ok(tight(Rule::Unsplittable(k))),
            Fineness::Uncuttable { .. } | Fineness::TrueOfClass => Ok(tight(Rule::Several)),
            Fineness::OneStep | Fineness::OneTellingStep => {
                let reach = algorithm.capabilities().reach;
                let may_suppress = plan.algorithm.suppression.is_none_or(|share| share > Rational::ZERO);
                match only_sizes {
                    true => Ok(Self {
                        reach,
                        node: Rule::NoSmallPart(k),
                        k,
                        premise: match (reach, may_suppress) {
                            _ if fineness == Fineness::OneTellingStep => {
                                "A value is refined for all rows at once, and only if that helps to predict the class column. So this is a guess: some group that \
                                 shows it has fewer than k rows of one of its finer values."
                            }
                            (Reach::Label, _) => {
                                "A value is refined for all rows at once. So the attacker assumes only this: some group that shows it has fewer than k \
                                 rows of one of its finer values."
                            }
                            (_, false) => {
                                "A column has one level for all rows. So the attacker assumes only this: some group has fewer than k rows of a finer value."
                            }
                            (_, true) => {
                                "A column has one level for all rows. So the attacker assumes only this: some group has fewer than k rows of a finer \
                                 value. What the limit on suppression says besides is not used."
                            }
                        },
                    }),
                    false => Err(
                        "finer levels may have been refused because of sensitive values, which the minimality attack looks at, and not because of sizes",
                    ),
                }
            }
            Fineness::Unpromised => {
                Err("this algorithm does not promise that its values are as fine as they can be")
            }
        })
    }
}

/// A label of a class that could have been finer.
pub(super) struct Cell {
    pub class: u32,
    pub column: usize,
    /// The label, by number.
    pub label: u32,
    pub rule: Rule,
    /// The truth: the number of rows that have each finer value.
    pub spread: Vec<u64>,
    /// How frequent the attacker thinks each finer value is.
    pub prior: Vec<f64>,
}

impl Cell {
    pub(super) fn rows(&self) -> u64 {
        self.spread.iter().sum()
    }
}

/// Returns all such labels, by class and column.
pub(super) fn cells(case: &Case<'_>, finer: &Finer, knowledge: &Knowledge, looked_at: &[u32]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for column in 0..case.scene.known.len() {
        let people = finer.people_before(column);
        for class in looked_at.iter().copied().filter(|class| !finer.members[*class as usize].is_empty()) {
            if case.scene.is_stopped() {
                return cells;
            }
            let Some(label) = finer.label(class as usize, column) else { continue };
            let found = match finer.node(case.scene, class as usize, column) {
                Some((tree, node)) => {
                    let children: Vec<u32> = tree.children(node).collect();
                    let starts: Vec<u32> = children.iter().map(|child| tree.range(*child).0).collect();
                    let mut spread = vec![0; children.len()];
                    for code in finer.codes_of(class as usize, column) {
                        if let Some(child) = starts.partition_point(|start| *start <= code).checked_sub(1) {
                            spread[child] += 1;
                        }
                    }
                    let rows = |child: &u32| {
                        let (low, high) = tree.range(*child);
                        (people[high as usize + 1] - people[low as usize] + 1) as f64
                    };
                    let all: f64 = children.iter().map(rows).sum();
                    let prior = children.iter().map(|child| rows(child) / all).collect();
                    Some((knowledge.node, spread, prior))
                }
                None if knowledge.reach == Reach::Class => {
                    let shown = &case.scene.known[column].labels[label as usize];
                    span(&finer.quasi[column], shown, finer.codes_of(class as usize, column), &people)
                }
                None => None,
            };
            if let Some((rule, spread, prior)) = found.filter(|(_, spread, _)| spread.len() > 1) {
                cells.push(Cell { class, column, label, rule, spread, prior });
            }
        }
    }
    cells.sort_by_key(|cell| (cell.class, cell.column));
    cells
}

/// Reads a label that names the ends of the values in a class, or all of them.
fn span(
    quasi: &Quasi,
    shown: &str,
    codes: impl Iterator<Item = u32> + Clone,
    people: &[u64],
) -> Option<(Rule, Vec<u64>, Vec<f64>)> {
    let value = quasi.cover_codes(codes.clone());
    let (rule, options): (Rule, Vec<u32>) = match (value, &quasi.shape) {
        (Value::Subset(present), _) => {
            (Rule::All, (0..u64::BITS).filter(|code| present >> code & 1 == 1).collect())
        }
        (Value::Span(low, high), Shape::Set(_)) => (Rule::Ends, (low..=high).collect()),
        (Value::Span(low, high), Shape::Line(_)) if quasi.tight => (Rule::Ends, (low..=high).collect()),
        _ => return None,
    };
    // A label that is wider than the values in the class names none of them.
    if quasi.label(value) != shown {
        return None;
    }
    let mut spread = vec![0; options.len()];
    for code in codes {
        spread[options.partition_point(|option| *option < code)] += 1;
    }
    let rows = |code: &u32| (people[*code as usize + 1] - people[*code as usize] + 1) as f64;
    let all: f64 = options.iter().map(rows).sum();
    Some((rule, spread, options.iter().map(|code| rows(code) / all).collect()))
}
