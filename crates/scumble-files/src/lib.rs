//! Tables in and out of files.
pub mod table;
