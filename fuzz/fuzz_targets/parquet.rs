//! Reads any bytes as a Parquet file: the result is an error or a table, never a panic, and memory stays limited.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod columnar;

fuzz_target!(
    init: columnar::spare_decoders(),
    |bytes: &[u8]| columnar::read(b"PAR1\x15", bytes)
);
