//! A release of several tables, from a prepared table to its name.

use super::{Begun, Released, RunOptions};
use crate::algorithms::tables::BuildTablesAlgorithm;
use crate::error::{Error, Result};
use crate::registry::Entry;

/// Searches, writes, verifies and publishes.
pub(super) fn release(
    _begun: Begun<'_>,
    _entry: &'static Entry<BuildTablesAlgorithm>,
    _options: &mut RunOptions<'_>,
) -> Result<Released> {
    Err(Error::internal("there is no algorithm for several tables yet"))
}
