//! Maximum flow between two sides of a bipartite graph with capacities on the nodes, by Dinic's algorithm.

use scumble_files::Control;

use crate::error::VerifyError;
use crate::watch::Pace;

/// Suppliers on the left, demands on the right, and the edges between them.
pub(crate) struct Network<'a> {
    /// What each supplier can give.
    pub(crate) supply: &'a [u64],
    /// What each demand needs.
    pub(crate) demand: &'a [u64],
    /// The demands that each supplier can serve, without repetition.
    pub(crate) serves: &'a [Box<[u32]>],
}

/// Returns the largest total demand that can be served at once.
pub(crate) fn most_served(network: &Network<'_>, control: &Control) -> Result<u64, VerifyError> {
    let mut dinic = Dinic::new(network, control);
    let mut served = 0;
    while dinic.layer()? {
        served += dinic.block()?;
    }
    Ok(served)
}

/// A supplier, a demand that it serves, and how much it gives.
type Served = (u32, u32, u64);

/// Returns who serves whom in a largest flow, and how much.
pub(crate) fn served_by(network: &Network<'_>, control: &Control) -> Result<Vec<Served>, VerifyError> {
    let mut dinic = Dinic::new(network, control);
    while dinic.layer()? {
        dinic.block()?;
    }
    let mut pairs = Vec::new();
    for (supplier, demands) in (0..).zip(network.serves) {
        let flows = &dinic.flow[dinic.start[supplier as usize]..];
        let used = demands.iter().zip(flows).filter(|(_, flow)| **flow > 0);
        pairs.extend(used.map(|(demand, flow)| (supplier, *demand, *flow)));
    }
    Ok(pairs)
}

/// Assigns people to places that may be theirs, so that as many as possible get one. Returns triples of people, place and number.
/// `people` and `places` give the number of each kind; `fits` lists, without repetition, the places that each kind of people may
/// be in.
pub fn assign(
    people: &[u64],
    places: &[u64],
    fits: &[Box<[u32]>],
    control: &Control,
) -> Result<Vec<Served>, VerifyError> {
    served_by(&Network { supply: people, demand: places, serves: fits }, control)
}

const NOWHERE: u32 = u32::MAX;

/// The state of the algorithm. The residual graph is implicit: it leads from a supplier to each of its demands, and from a demand
/// back to where its flow came from.
struct Dinic<'a> {
    serves: &'a [Box<[u32]>],
    /// What each supplier has left, and what each demand still needs.
    supply: Vec<u64>,
    demand: Vec<u64>,
    /// The position of each supplier's first edge in `flow`.
    start: Vec<usize>,
    flow: Vec<u64>,
    /// The edges into each demand, as (supplier, edge).
    into: Vec<Vec<(u32, usize)>>,
    /// The number of steps from the nearest supplier with something left, in the current phase.
    supplier_level: Vec<u32>,
    demand_level: Vec<u32>,
    /// For each supplier, and below for each demand, the first edge that is not used up in the current phase.
    supplier_next: Vec<usize>,
    demand_next: Vec<usize>,
    /// Counts the work, to check once in a while whether to stop.
    pace: Pace<'a>,
}

impl<'a> Dinic<'a> {
    fn new(network: &Network<'a>, control: &'a Control) -> Self {
        let mut start = vec![0];
        let mut into = vec![Vec::new(); network.demand.len()];
        for (supplier, demands) in network.serves.iter().enumerate() {
            let first = start[supplier];
            for (place, &demand) in demands.iter().enumerate() {
                into[demand as usize].push((supplier as u32, first + place));
            }
            start.push(first + demands.len());
        }
        Self {
            serves: network.serves,
            supply: network.supply.to_vec(),
            demand: network.demand.to_vec(),
            flow: vec![0; start[network.serves.len()]],
            start,
            into,
            supplier_level: Vec::new(),
            demand_level: Vec::new(),
            supplier_next: Vec::new(),
            demand_next: Vec::new(),
            pace: Pace::new(control),
        }
    }

    /// Computes the breadth-first levels. Returns whether a demand that needs more can be reached.
    fn layer(&mut self) -> Result<bool, VerifyError> {
        self.supplier_level = self.supply.iter().map(|&left| if left > 0 { 0 } else { NOWHERE }).collect();
        self.demand_level = vec![NOWHERE; self.demand.len()];
        self.supplier_next = vec![0; self.supply.len()];
        self.demand_next = vec![0; self.demand.len()];
        let mut suppliers: Vec<u32> =
            (0..self.supply.len() as u32).filter(|&supplier| self.supply[supplier as usize] > 0).collect();
        let mut level = 0;
        let mut reached = false;
        while !suppliers.is_empty() && !reached {
            let mut demands = Vec::new();
            for &supplier in &suppliers {
                self.pace.tick(1 + self.serves[supplier as usize].len())?;
                for &demand in &self.serves[supplier as usize] {
                    if self.demand_level[demand as usize] == NOWHERE {
                        self.demand_level[demand as usize] = level + 1;
                        reached |= self.demand[demand as usize] > 0;
                        demands.push(demand);
                    }
                }
            }
            suppliers.clear();
            for &demand in &demands {
                self.pace.tick(1 + self.into[demand as usize].len())?;
                for &(supplier, edge) in &self.into[demand as usize] {
                    if self.flow[edge] > 0 && self.supplier_level[supplier as usize] == NOWHERE {
                        self.supplier_level[supplier as usize] = level + 2;
                        suppliers.push(supplier);
                    }
                }
            }
            level += 2;
        }
        Ok(reached)
    }

    /// Sends flow along the current levels until no path is left.
    fn block(&mut self) -> Result<u64, VerifyError> {
        let mut served = 0;
        for supplier in 0..self.supply.len() {
            while self.supply[supplier] > 0 {
                let sent = self.augment(supplier)?;
                if sent == 0 {
                    break;
                }
                served += sent;
            }
        }
        Ok(served)
    }

    /// Sends flow along one path from a supplier. The stack is explicit since paths can be long.
    fn augment(&mut self, source: usize) -> Result<u64, VerifyError> {
        // The edges of the path: (supplier, position of its edge) and, going back, (demand, position in `into`).
        let mut forward: Vec<(usize, usize)> = Vec::new();
        let mut back: Vec<(usize, usize)> = Vec::new();
        let mut supplier = source;
        loop {
            self.pace.tick(1)?;
            // Goes from a supplier to a demand one level on.
            let place = self.supplier_next[supplier];
            if place == self.serves[supplier].len() {
                // A dead end: goes back over the demand that led here.
                let Some((demand, _)) = back.pop() else { return Ok(0) };
                self.demand_next[demand] += 1;
                let (previous, _) = forward[forward.len() - 1];
                if !self.advance_from_demand(demand, &mut back, &mut supplier) {
                    forward.pop();
                    self.supplier_next[previous] += 1;
                    supplier = previous;
                }
                continue;
            }
            let demand = self.serves[supplier][place] as usize;
            if self.demand_level[demand] != self.supplier_level[supplier].wrapping_add(1) {
                self.supplier_next[supplier] += 1;
                continue;
            }
            forward.push((supplier, place));
            if self.demand[demand] > 0 {
                return Ok(self.send(source, demand, &forward, &back));
            }
            if !self.advance_from_demand(demand, &mut back, &mut supplier) {
                forward.pop();
                self.supplier_next[supplier] += 1;
            }
        }
    }

    /// Goes from a demand back to a supplier one level on that serves it.
    fn advance_from_demand(
        &mut self,
        demand: usize,
        back: &mut Vec<(usize, usize)>,
        supplier: &mut usize,
    ) -> bool {
        while let Some(&(next, edge)) = self.into[demand].get(self.demand_next[demand]) {
            if self.flow[edge] > 0 && self.supplier_level[next as usize] == self.demand_level[demand] + 1 {
                back.push((demand, self.demand_next[demand]));
                *supplier = next as usize;
                return true;
            }
            self.demand_next[demand] += 1;
        }
        false
    }

    fn send(
        &mut self,
        source: usize,
        sink: usize,
        forward: &[(usize, usize)],
        back: &[(usize, usize)],
    ) -> u64 {
        let returned = |&(demand, place): &(usize, usize)| self.into[demand][place].1;
        let edges: Vec<usize> = back.iter().map(returned).collect();
        let narrowest = edges.iter().map(|&edge| self.flow[edge]).min().unwrap_or(u64::MAX);
        let amount = narrowest.min(self.supply[source]).min(self.demand[sink]);
        for &(supplier, place) in forward {
            self.flow[self.start[supplier] + place] += amount;
        }
        for edge in edges {
            self.flow[edge] -= amount;
        }
        self.supply[source] -= amount;
        self.demand[sink] -= amount;
        amount
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn served(supply: &[u64], demand: &[u64], serves: &[&[u32]]) -> u64 {
        let serves: Vec<Box<[u32]>> = serves.iter().map(|&demands| demands.into()).collect();
        most_served(&Network { supply, demand, serves: &serves }, &Control::default())
            .expect("nobody stops it")
    }

    #[test]
    fn a_choice_must_be_taken_back() {
        // The first supplier takes demand 0 first, but the second can serve nothing else.
        assert_eq!(served(&[1, 1], &[1, 1], &[&[0, 1], &[0]]), 2);
        // A chain of three such conflicts.
        assert_eq!(served(&[1, 1, 1, 1], &[1, 1, 1, 1], &[&[0, 1], &[1, 2], &[2, 3], &[0]]), 4);
        assert_eq!(served(&[5, 2], &[3, 3], &[&[0], &[0, 1]]), 5);
        assert_eq!(served(&[5, 0], &[3, 3], &[&[0], &[1]]), 3);
        assert_eq!(served(&[], &[3], &[]), 0);
        assert_eq!(served(&[3], &[], &[&[]]), 0);
    }

    /// Computes the largest flow by Hall's condition: the least, over sets of demands, of what their suppliers have plus the
    /// other demands.
    fn by_cuts(supply: &[u64], demand: &[u64], serves: &[Vec<u32>]) -> u64 {
        (0u32..1 << demand.len())
            .map(|set| {
                let outside: u64 = (0..demand.len()).filter(|d| set >> d & 1 == 0).map(|d| demand[d]).sum();
                let reach = |s: &usize| serves[*s].iter().any(|&d| set >> d & 1 == 1);
                outside + (0..supply.len()).filter(reach).map(|s| supply[s]).sum::<u64>()
            })
            .min()
            .unwrap_or(0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn flow_equals_the_smallest_cut(
            demand in proptest::collection::vec(0u64..6, 0..7),
            sides in proptest::collection::vec((0u64..6, 0u32..128), 0..8),
        ) {
            let supply: Vec<u64> = sides.iter().map(|&(supply, _)| supply).collect();
            let serves: Vec<Vec<u32>> = sides
                .iter()
                .map(|&(_, mask)| (0..demand.len() as u32).filter(|d| mask >> d & 1 == 1).collect())
                .collect();
            let borrowed: Vec<&[u32]> = serves.iter().map(Vec::as_slice).collect();
            let most = by_cuts(&supply, &demand, &serves);
            prop_assert_eq!(served(&supply, &demand, &borrowed), most);
            let boxed: Vec<Box<[u32]>> = borrowed.iter().map(|&demands| demands.into()).collect();
            let network = Network { supply: &supply, demand: &demand, serves: &boxed };
            let pairs = served_by(&network, &Control::default()).expect("nobody stops it");
            prop_assert_eq!(pairs.iter().map(|(.., amount)| amount).sum::<u64>(), most);
            for (supplier, served, _) in &pairs {
                prop_assert!(serves[*supplier as usize].contains(served));
                let given: u64 = pairs.iter().filter(|of| of.0 == *supplier).map(|of| of.2).sum();
                let taken: u64 = pairs.iter().filter(|of| of.1 == *served).map(|of| of.2).sum();
                prop_assert!(given <= supply[*supplier as usize] && taken <= demand[*served as usize]);
            }
        }
    }
}
