//! Damaged Parquet and Arrow files: an error or a table, never a panic, and never more memory than there is.
//!
//! The test process may take two gigabytes: a reader that believed a wild length would ask for more and be ended.
#![allow(clippy::unwrap_used)]

mod common;

use std::sync::{Arc, Once};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use common::{error_of, read};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use scumble_files::{FileError, ReadOptions};

/// Limits the memory of the process and silences panics that become errors.
fn guard() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages: u64 = statm.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or(0);
        let most = pages * 4096 + (2 << 30);
        let maximum = getrlimit(Resource::As).maximum;
        setrlimit(Resource::As, Rlimit { current: Some(most), maximum }).unwrap();
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !scumble_files::is_decoding() {
                told(panic);
            }
        }));
    });
}

fn batch() -> RecordBatch {
    let names: Vec<String> = (0..500).map(|row| format!("name {}", row % 7)).collect();
    let ages: Vec<Option<i64>> = (0..500).map(|row| (row % 11 > 0).then_some(20 + row % 50)).collect();
    let columns: [(&str, ArrayRef); 2] =
        [("name", Arc::new(StringArray::from(names))), ("age", Arc::new(Int64Array::from(ages)))];
    RecordBatch::try_from_iter(columns).unwrap()
}

fn arrow(compression: Option<arrow_ipc::CompressionType>, is_stream: bool) -> Vec<u8> {
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

fn parquet(compression: Compression, version: WriterVersion, encoding: Option<Encoding>) -> Vec<u8> {
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

fn files() -> Vec<(&'static str, Vec<u8>)> {
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

/// Numbers from a fixed seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most.max(1)
    }
}

/// One to four changes: other bytes, wild numbers, pieces left out, put twice or cut off.
fn damage(bytes: &mut Vec<u8>, dice: &mut Dice) {
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

#[test]
fn whole_files_are_read() {
    guard();
    for (what, bytes) in files() {
        let table = read(&bytes, &ReadOptions::default()).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((table.coded.rows, table.coded.columns.len()), (500, 2), "{what}");
        assert_eq!(table.coded.columns[0].values.len(), 7, "{what}");
    }
}

#[test]
fn damaged_files_are_errors_or_tables() {
    guard();
    let mut dice = Dice(15);
    let (mut errors, mut tables) = (0, 0);
    for (what, whole) in files() {
        for _ in 0..600 {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut dice);
            let options = ReadOptions { threads: 1, memory: Some(256 << 20), ..ReadOptions::default() };
            match read(&bytes, &options) {
                Ok(_) => tables += 1,
                Err(FileError::Data(_) | FileError::Resources(_) | FileError::Config(_)) => errors += 1,
                Err(other) => panic!("{what}: {other}"),
            }
        }
    }
    assert!(errors > 1000 && tables > 100, "{errors} errors, {tables} tables");
}

/// The first place of some bytes.
fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap()
}

#[test]
fn a_compressed_column_cannot_claim_any_length() {
    guard();
    for codec in [arrow_ipc::CompressionType::LZ4_FRAME, arrow_ipc::CompressionType::ZSTD] {
        let mut bytes = arrow(Some(codec), false);
        // The numbers of 500 rows, as the length before a compressed column tells them.
        let at = find(&bytes, &4000_i64.to_le_bytes());
        bytes[at..at + 8].copy_from_slice(&231_000_000_000_i64.to_le_bytes());
        let message = error_of(&bytes).to_string();
        assert!(message.contains("damaged Arrow file"), "{message}");
        assert!(message.contains("claims more than it can hold"), "{message}");
    }
}

#[test]
fn a_message_cannot_claim_any_length() {
    guard();
    // A stream whose schema claims a body of many gigabytes that is not there.
    let mut bytes = arrow(None, true);
    let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
    bytes.truncate(8 + length);
    bytes.extend([0xff, 0xff, 0xff, 0xff, 0xf8, 0xff, 0xff, 0x0f]);
    let message = error_of(&bytes).to_string();
    assert!(message.contains("in the middle of a message"), "{message}");
}

#[test]
fn a_list_of_row_groups_cannot_claim_any_length() {
    guard();
    // A footer with nothing but a list of two billion row groups.
    let mut bytes = b"PAR1".to_vec();
    let footer = [0x15, 2, 0x39, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0];
    bytes.extend([0x15, 0, 0, 0]);
    bytes.extend(footer);
    bytes.extend((footer.len() as u32).to_le_bytes());
    bytes.extend(b"PAR1");
    let message = error_of(&bytes).to_string();
    assert!(message.contains("its footer cannot be parsed"), "{message}");
}

#[test]
fn unpacked_content_has_a_limit() {
    guard();
    let mut table = b"a,b\n".to_vec();
    table.extend(b"1,2\n".repeat(1 << 20));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &table).unwrap();
    let bombs = [gzip.finish().unwrap(), zstd::encode_all(table.as_slice(), 3).unwrap(), table];
    for bytes in bombs {
        let read =
            |max_size| read(&bytes, &ReadOptions { max_size: Some(max_size), ..ReadOptions::default() });
        assert_eq!(read(5 << 20).unwrap().coded.rows, 1 << 20);
        let error = read(1_000_000).unwrap_err();
        assert!(matches!(error, FileError::Resources(_)), "{error}");
        assert!(
            error.to_string().contains("holds more than 1.0 MB, the limit that was given with --max-size"),
            "{error}"
        );
    }
}

#[test]
fn reading_ends_before_the_memory_does() {
    guard();
    let mut table = b"a,b\n".to_vec();
    table.extend(b"1,2\n".repeat(1 << 20));
    let error = read(&table, &ReadOptions { memory: Some(1 << 20), ..ReadOptions::default() }).unwrap_err();
    assert!(matches!(error, FileError::Resources(_)), "{error}");
    assert!(error.to_string().contains("needs more memory than the 1.0 MB that are left"), "{error}");
}

/// Writes whole and damaged files to where the fuzzer starts from.
#[test]
#[ignore = "writes fuzz/seeds"]
fn seeds() {
    let mut dice = Dice(16);
    for (what, whole) in files() {
        let (format, _) = what.split_once(' ').unwrap_or((what, ""));
        let format = if format == "stream" { "arrow" } else { format };
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(format);
        std::fs::create_dir_all(&folder).unwrap();
        let name = what.replace(' ', "-");
        std::fs::write(folder.join(&name), &whole).unwrap();
        for number in 0..3 {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut dice);
            std::fs::write(folder.join(format!("{name}-damaged-{number}")), &bytes).unwrap();
        }
    }
}
