//! What a program needs to make, check, judge, compare and attack releases.

pub use scumble::prelude::*;

pub use crate::attack::{
    ATTACKS, Attack, AttackRequest, AttackTables, Attacked, Finding, Options as AttackOptions, attack,
};
pub use crate::compare::{Advice, Candidate, Comparison, Request, Told, compare};
