//! The `scumble` command.
fn main() {}
