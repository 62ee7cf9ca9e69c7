//! Reads any bytes as an Arrow file: the result is an error or a table, never a panic, and memory stays limited.
#![no_main]

use libfuzzer_sys::fuzz_target;

mod columnar;

fuzz_target!(
    init: columnar::spare_decoders(),
    |bytes: &[u8]| columnar::read(b"ARROW1\0\0", bytes)
);
