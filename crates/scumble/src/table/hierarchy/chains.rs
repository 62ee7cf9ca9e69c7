//! The shape of a tree, in chains.
//!
//! Nodes are numbered in preorder, so a node with a single child is followed by it. Such nodes form chains: all nodes of one hold the
//! same leaves, and differ only in depth. A tree of codes that are masked character by character consists almost only of chains. So
//! everything is stored once for each chain, and one bit for each node says whether it begins a chain.

use super::tree::NodeId;

/// Stands for "no chain".
const NONE: u32 = u32::MAX;

/// Where the nodes of a tree are.
#[derive(Debug, Clone)]
pub(super) struct Chains {
    /// A bit for each node: whether it begins a chain.
    begins: Vec<u64>,
    /// The number of chains that begin before each word of bits.
    before: Vec<u32>,
    /// The first node of each chain; then the number of nodes.
    tops: Vec<NodeId>,
    /// The chain above each; [`NONE`] for the root's.
    above: Vec<u32>,
    /// The chain that follows the last one below each.
    ends: Vec<u32>,
    /// The first leaf code of each chain; then the number of leaves.
    lows: Vec<u32>,
    /// The depth of the first node of each chain.
    depths: Vec<u8>,
    /// The node of each leaf code.
    leaves: Vec<NodeId>,
}

impl Chains {
    /// The shape of a tree whose nodes have these depths, in preorder, and that has this many leaves.
    pub(super) fn of(depths: &[u8], leaf_count: usize) -> Self {
        let nodes = depths.len();
        // A node goes on with the chain of the one before it if it is the only child of that one. Children are counted from behind.
        let mut begins = vec![0_u64; nodes.div_ceil(64)];
        let mut children = [0_u8; 257];
        let mut chains = 0;
        for node in (0..nodes).rev() {
            let depth = usize::from(depths[node]);
            let single = children[depth + 1] == 1;
            if single {
                begins[(node + 1) / 64] &= !(1 << ((node + 1) % 64));
                chains -= 1;
            }
            children[depth + 1] = 0;
            children[depth] = (children[depth] + 1).min(2);
            begins[node / 64] |= 1 << (node % 64);
            chains += 1;
        }
        let mut before = Vec::with_capacity(begins.len());
        let mut sum = 0;
        for word in &begins {
            before.push(sum);
            sum += word.count_ones();
        }
        let mut made = Self {
            begins,
            before,
            tops: Vec::with_capacity(chains + 1),
            above: Vec::with_capacity(chains),
            ends: vec![0; chains],
            lows: Vec::with_capacity(chains + 1),
            depths: Vec::with_capacity(chains),
            leaves: Vec::with_capacity(leaf_count),
        };
        // The chains that hold the node, from the root's down.
        let mut open: Vec<u32> = Vec::new();
        for (node, depth) in (0..).zip(depths) {
            if made.begins[node as usize / 64] >> (node % 64) & 1 == 1 {
                let chain = made.tops.len() as u32;
                while open.last().is_some_and(|last| made.depths[*last as usize] >= *depth) {
                    open.pop().into_iter().for_each(|last| made.ends[last as usize] = chain);
                }
                made.above.push(open.last().copied().unwrap_or(NONE));
                made.tops.push(node);
                made.lows.push(made.leaves.len() as u32);
                made.depths.push(*depth);
                open.push(chain);
            }
            if depths.get(node as usize + 1).is_none_or(|next| next <= depth) {
                made.leaves.push(node);
            }
        }
        open.into_iter().for_each(|last| made.ends[last as usize] = chains as u32);
        made.tops.push(nodes as u32);
        made.lows.push(made.leaves.len() as u32);
        made
    }

    pub(super) fn node_count(&self) -> u32 {
        self.tops.last().copied().unwrap_or(0)
    }

    pub(super) fn leaf_count(&self) -> u32 {
        self.leaves.len() as u32
    }

    /// The node of a leaf code.
    pub(super) fn leaf(&self, code: u32) -> NodeId {
        self.leaves[code as usize]
    }

    /// The chain of a node.
    fn chain(&self, node: NodeId) -> usize {
        let (word, bit) = (node as usize / 64, node % 64);
        let up_to = self.begins[word] & (u64::MAX >> (63 - bit));
        (self.before[word] + up_to.count_ones()) as usize - 1
    }

    /// The last node of a chain.
    fn bottom(&self, chain: usize) -> NodeId {
        self.tops[chain + 1] - 1
    }

    /// The last leaf code of a chain.
    fn high(&self, chain: usize) -> u32 {
        self.lows[self.ends[chain] as usize] - 1
    }

    pub(super) fn parent(&self, node: NodeId) -> Option<NodeId> {
        let chain = self.chain(node);
        if node > self.tops[chain] {
            return Some(node - 1);
        }
        let above = self.above[chain];
        (above != NONE).then(|| self.bottom(above as usize))
    }

    /// The node after the last one below a node.
    pub(super) fn end(&self, node: NodeId) -> NodeId {
        self.tops[self.ends[self.chain(node)] as usize]
    }

    /// The first and the last leaf code below a node.
    pub(super) fn range(&self, node: NodeId) -> (u32, u32) {
        let chain = self.chain(node);
        (self.lows[chain], self.high(chain))
    }

    pub(super) fn depth(&self, node: NodeId) -> u32 {
        let chain = self.chain(node);
        u32::from(self.depths[chain]) + node - self.tops[chain]
    }

    /// The node at this depth above a leaf; the leaf itself where it is not so deep.
    pub(super) fn at_depth(&self, code: u32, depth: u32) -> NodeId {
        let mut chain = self.chain(self.leaf(code));
        while u32::from(self.depths[chain]) > depth {
            chain = self.above[chain] as usize;
        }
        self.in_chain(chain, depth)
    }

    /// The node of a chain at this depth, or its last one.
    fn in_chain(&self, chain: usize, depth: u32) -> NodeId {
        let down = depth - u32::from(self.depths[chain]);
        self.tops[chain].saturating_add(down).min(self.bottom(chain))
    }

    /// [`Self::at_depth`] for all leaf codes.
    pub(super) fn all_at_depth(&self, depth: u32) -> Vec<NodeId> {
        let mut map = vec![0; self.leaves.len()];
        let mut chain = 0;
        while chain < self.above.len() {
            let node = self.in_chain(chain, depth);
            let end = self.ends[chain] as usize;
            // A deeper part of the tree decides, unless there is none or this chain is deep enough.
            if self.depth(node) == depth || end == chain + 1 {
                map[self.lows[chain] as usize..=self.high(chain) as usize].fill(node);
                chain = end;
            } else {
                chain += 1;
            }
        }
        map
    }

    /// The smallest node that holds the leaf codes `low` to `high`.
    pub(super) fn lowest_above(&self, low: u32, high: u32) -> NodeId {
        let mut chain = self.chain(self.leaf(low));
        while self.high(chain) < high {
            chain = self.above[chain] as usize;
        }
        self.bottom(chain)
    }

    /// How many nodes have each depth, and how many of them are leaves.
    pub(super) fn count_depths(&self, height: u32) -> (Vec<u32>, Vec<u32>) {
        let (mut nodes, mut leaves) = (vec![0; height as usize + 1], vec![0; height as usize + 1]);
        for chain in 0..self.above.len() {
            let top = usize::from(self.depths[chain]);
            let last = top + (self.bottom(chain) - self.tops[chain]) as usize;
            nodes[top..=last].iter_mut().for_each(|count| *count += 1);
            leaves[last] += u32::from(self.ends[chain] as usize == chain + 1);
        }
        (nodes, leaves)
    }
}
