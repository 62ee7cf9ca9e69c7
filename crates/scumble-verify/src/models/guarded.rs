//! Personalised privacy (models.md 1.12): for everybody in a class, at most a share `p` of its rows has a value below the node
//! that this person guards.
//!
//! A released value may be a node itself. Its row then counts for the share of its leaves that lie below the guarded node. These
//! shares are multiples of one over a common number of leaves, so the comparison is exact.

use hashbrown::HashMap;
use scumble_files::table::CodedColumn;

use super::Judgement;
use super::original::fault;
use super::requirement::{Parameters, paths, texts};
use crate::columns::part;
use crate::error::VerifyError;
use crate::exact::Rational;
use crate::group::{Groups, group};
use crate::normal::as_name;

/// The requirement, without its column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Guarded {
    pub(super) p: Rational,
    /// The column of the guarded nodes.
    pub(super) guarding: String,
    /// The texts that stand for guarding nothing.
    none: Vec<String>,
    /// The ancestors of each leaf, up to the root.
    tree: Vec<(String, Vec<String>)>,
}

/// The largest common number of leaves that is computed with.
const MOST_LEAVES: u64 = 1 << 40;

impl Guarded {
    pub(super) fn read(parameters: &mut Parameters<'_>) -> Result<Self, VerifyError> {
        let p = parameters.positive("p_breach")?;
        if p.compare(1, 1).is_gt() {
            return Err(parameters.error("p_breach", "it must be at most 1"));
        }
        let missing = |parameters: &Parameters<'_>, name: &str| parameters.error(name, "it is missing");
        let tree = parameters.optional("tree", "it must be a list of paths of texts", paths)?;
        let tree = tree.ok_or_else(|| missing(parameters, "tree"))?;
        let none = parameters.optional("none", super::LIST, texts)?.unwrap_or_default();
        Ok(Self { p, guarding: parameters.text("guarding")?, none, tree })
    }

    /// Returns the leaves below each label, ascending. If two nodes have the same label, both count. Leaves are numbered as in
    /// the tree.
    fn leaves(&self) -> HashMap<&str, Vec<usize>, foldhash::fast::FixedState> {
        let mut leaves: HashMap<&str, Vec<usize>, _> = HashMap::default();
        for (number, (leaf, above)) in self.tree.iter().enumerate() {
            let mut names: Vec<&str> = std::iter::once(leaf).chain(above).map(String::as_str).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().for_each(|name| leaves.entry(name).or_default().push(number));
        }
        leaves
    }

    /// Checks some groups of rows.
    pub(super) fn judge(
        &self,
        groups: &Groups,
        judged: &[usize],
        values: &CodedColumn,
        guarding: &CodedColumn,
        person: Option<&CodedColumn>,
    ) -> Result<Vec<Judgement>, VerifyError> {
        let leaves = self.leaves();
        // A node may be named in another spelling.
        let mut respelt: HashMap<String, Vec<usize>, foldhash::fast::FixedState> = HashMap::default();
        for (name, under) in &leaves {
            respelt.entry(as_name(name)).or_default().extend(under);
        }
        for under in respelt.values_mut() {
            under.sort_unstable();
            under.dedup();
        }
        let nodes: Vec<Option<&[usize]>> = guarding
            .values
            .iter()
            .map(|label| match leaves.get(label).or_else(|| respelt.get(&as_name(label))) {
                _ if self.none.iter().any(|none| none == label) => Ok(None),
                Some(under) if under.len() == self.tree.len() && self.tree.len() > 1 => Err(fault(
                    "guarding node",
                    guarding,
                    "the root guards every value, so its probability is always 1",
                )),
                Some(under) => Ok(Some(&under[..])),
                None => Err(fault("guarding node", guarding, "it is no node of the tree")),
            })
            .collect::<Result<_, _>>()?;
        let shown: Vec<&[usize]> = values
            .values
            .iter()
            .map(|label| leaves.get(label).map(|under| &under[..]))
            .collect::<Option<_>>()
            .ok_or_else(|| fault("tree", values, "it lacks a value of the column"))?;
        let whole = shown.iter().try_fold(1_u64, |whole, under| {
            let all = whole / divisor(whole, under.len() as u64) * under.len() as u64;
            (all <= MOST_LEAVES).then_some(all)
        });
        let whole =
            whole.ok_or_else(|| fault("tree", values, "its nodes have too many leaves to compare"))?;
        // How much a row of each value counts for each node, in units of 1/`whole`.
        let weight = |node: &[usize], value: u32| {
            let under = shown[value as usize];
            let common = under.iter().filter(|leaf| node.binary_search(leaf).is_ok()).count() as u64;
            common * (whole / under.len() as u64)
        };

        // For each group, the distinct pairs of a person (or row, where rows count) and a value.
        let mut facts: Vec<Vec<(u32, u32)>> = vec![Vec::new(); groups.len()];
        let mut named: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
        let rows = groups.of_row.len();
        for row in 0..rows {
            let of = groups.of_row[row] as usize;
            facts[of].push((row as u32, values.codes.get(row)));
            named[of].push(guarding.codes.get(row));
        }
        let persons: Option<Vec<u32>> = person.map(|person| group(&[part(person)], rows).of_row);
        let judge = |&of: &usize| {
            let mut guards = named[of].clone();
            guards.sort_unstable();
            guards.dedup();
            let mut judgement = Judgement { holds: true, attained: 0.0 };
            for node in guards.into_iter().filter_map(|guard| nodes[guard as usize]) {
                let fact = |&(row, value): &(u32, u32)| {
                    u128::from(weight(node, value)) * u128::from(groups.weight(row as usize))
                };
                let by_row: u128 = facts[of].iter().map(fact).sum();
                let mut shares = vec![(by_row, groups.size[of])];
                if let Some(persons) = &persons {
                    // A person counts with the value that counts most.
                    let mut most: HashMap<u32, u64, foldhash::fast::FixedState> = HashMap::default();
                    for &(row, value) in &facts[of] {
                        let so_far = most.entry(persons[row as usize]).or_default();
                        *so_far = (*so_far).max(weight(node, value));
                    }
                    shares.push((most.values().map(|&weight| u128::from(weight)).sum(), most.len() as u64));
                }
                for (share, count) in shares {
                    let all = u128::from(count) * u128::from(whole);
                    judgement.holds &= self.p.compare(share, all).is_ge();
                    judgement.attained = judgement.attained.max(share as f64 / all as f64);
                }
            }
            judgement
        };
        Ok(judged.iter().map(judge).collect())
    }
}

/// The greatest common divisor.
fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
