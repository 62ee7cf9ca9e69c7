//! The `scumble` command.

// Called by the demo and sample commands, which are not here yet.
#[allow(dead_code)]
mod sample;

fn main() {}
