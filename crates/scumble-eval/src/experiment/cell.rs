//! One unit of work: a release of one split, and the machine-learning models that learn from it.

use scumble::config::Value;

use crate::protocol::Part;

/// What a cell learns from.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// The original training rows.
    Original,
    /// The rows that an algorithm makes of them.
    Released {
        /// The place of the algorithm in the plan.
        algorithm: usize,
        /// The values of the varying parameters.
        values: Vec<(String, Value)>,
    },
}

/// One unit of work.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The place of the table in the plan.
    pub data: usize,
    /// What is learnt from.
    pub setting: Setting,
    /// The number of the split among those of the table.
    pub split: usize,
    /// The position of that split in the protocol.
    pub part: Part,
    /// The key of each machine-learning model's result in the journal, in their order.
    pub keys: Vec<String>,
}

/// Computes a fingerprint: 128 bits of FNV-1a, as hexadecimal digits.
pub(super) fn fingerprint(text: &[u8]) -> String {
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in text {
        hash ^= u128::from(*byte);
        hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
    }
    format!("{hash:032x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_fingerprints() {
        assert_eq!(fingerprint(b""), "6c62272e07bb014262b821756295c58d");
        assert_eq!(fingerprint(b"foobar"), "343e1662793c64bf6f0d3597ba446f18");
    }
}
