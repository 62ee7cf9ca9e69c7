//! Parquet and Arrow files of every kind, and ways to damage them: for tests and as seeds of the fuzzers.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};

pub(crate) fn batch() -> RecordBatch {
    let names: Vec<String> = (0..500).map(|row| format!("name {}", row % 7)).collect();
    let ages: Vec<Option<i64>> = (0..500).map(|row| (row % 11 > 0).then_some(20 + row % 50)).collect();
    let columns: [(&str, ArrayRef); 2] =
        [("name", Arc::new(StringArray::from(names))), ("age", Arc::new(Int64Array::from(ages)))];
    RecordBatch::try_from_iter(columns).unwrap()
}

pub(crate) fn arrow(compression: Option<arrow_ipc::CompressionType>, is_stream: bool) -> Vec<u8> {
    let batch = batch();
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut bytes = Vec::new();
    if is_stream {
        let mut writer = StreamWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    } else {
        let mut writer = FileWriter::try_new_with_options(&mut bytes, &batch.schema(), options).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    bytes
}

pub(crate) fn parquet(
    compression: Compression,
    version: WriterVersion,
    encoding: Option<Encoding>,
) -> Vec<u8> {
    let batch = batch();
    let mut properties = WriterProperties::builder().set_compression(compression).set_writer_version(version);
    if let Some(encoding) = encoding {
        properties = properties.set_dictionary_enabled(false).set_column_encoding("name".into(), encoding);
    }
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(properties.build())).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    bytes
}

pub(crate) fn files() -> Vec<(&'static str, Vec<u8>)> {
    use arrow_ipc::CompressionType as Ipc;
    let (one, two) = (WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0);
    let zstd = Compression::ZSTD(ZstdLevel::default());
    vec![
        ("arrow", arrow(None, false)),
        ("arrow lz4", arrow(Some(Ipc::LZ4_FRAME), false)),
        ("arrow zstd", arrow(Some(Ipc::ZSTD), false)),
        ("stream zstd", arrow(Some(Ipc::ZSTD), true)),
        ("parquet", parquet(Compression::UNCOMPRESSED, one, None)),
        ("parquet snappy", parquet(Compression::SNAPPY, one, None)),
        ("parquet gzip", parquet(Compression::GZIP(GzipLevel::default()), two, None)),
        ("parquet zstd", parquet(zstd, two, None)),
        ("parquet delta", parquet(zstd, two, Some(Encoding::DELTA_BYTE_ARRAY))),
        ("parquet lengths", parquet(Compression::UNCOMPRESSED, one, Some(Encoding::DELTA_LENGTH_BYTE_ARRAY))),
    ]
}

/// Random numbers from a fixed seed.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }
}

/// Makes one to four changes: other bytes, wild numbers, or pieces left out, repeated or cut off.
pub(crate) fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
    const WILD: [i64; 7] = [231_000_000_000, i64::MAX, -1, i64::MIN, 1 << 40, i32::MAX as i64, 1 << 31];
    for _ in 0..=dice.below(4) {
        let at = dice.below(bytes.len());
        match dice.below(10) {
            0..5 => bytes[at] = dice.below(256) as u8,
            5 => bytes[at] ^= 1 << dice.below(8),
            6 | 7 => {
                let wild = WILD[dice.below(WILD.len())].to_le_bytes();
                let wide = [4, 8][dice.below(2)].min(bytes.len() - at);
                bytes[at..at + wide].copy_from_slice(&wild[..wide]);
            }
            8 => {
                let end = (at + 1 + dice.below(40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let end = (at + 1 + dice.below(40)).min(bytes.len());
                let twice = bytes[at..end].to_vec();
                bytes.splice(at..at, twice);
            }
        }
        if bytes.is_empty() {
            bytes.push(0);
        }
    }
}
