//! The independent checker of released tables.
