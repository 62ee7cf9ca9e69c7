//! Damaged Parquet and Arrow files, and workbooks: the result is an error or a table, never a panic, and never takes more memory than there is.
//!
//! The test process is limited to two gigabytes: a reader that believed a wild length would ask for more and be killed.
#![allow(clippy::unwrap_used)]

#[path = "common/books.rs"]
mod books;
#[path = "common/broken.rs"]
mod broken;
mod common;

use std::sync::{Arc, Once};

use arrow_array::{ArrayRef, LargeStringArray, RecordBatch};
use broken::{Dice, arrow, damage, files};
use common::{error_of, read};
use parquet::arrow::ArrowWriter;
use scumble_files::{ErrorKind, ReadOptions};

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
                Err(error) if error.is(&[ErrorKind::Data, ErrorKind::Resources, ErrorKind::Config]) => {
                    errors += 1;
                }
                Err(other) => panic!("{what}: {other}"),
            }
        }
    }
    assert!(errors > 1000 && tables > 100, "{errors} errors, {tables} tables");
}

/// Returns the first position of some bytes.
fn find(bytes: &[u8], wanted: &[u8]) -> usize {
    bytes.windows(wanted.len()).position(|window| window == wanted).unwrap()
}

#[test]
fn a_compressed_column_cannot_claim_any_length() {
    guard();
    for codec in [arrow_ipc::CompressionType::LZ4_FRAME, arrow_ipc::CompressionType::ZSTD] {
        let mut bytes = arrow(Some(codec), false);
        // The numbers of 500 rows: their length stands before the compressed column.
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
    // A footer that contains only a list of two billion row groups.
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
        assert!(error.kind() == ErrorKind::Resources, "{error}");
        assert_eq!(
            error.to_string(),
            "'t.csv' holds more than 1.0 MB, the limit that was given; raise the limit, if the table is meant to be that large ([read] max_size)"
        );
    }
}

#[test]
fn reading_ends_before_the_memory_does() {
    guard();
    let mut table = b"a,b\n".to_vec();
    table.extend(b"1,2\n".repeat(1 << 20));
    let error = read(&table, &ReadOptions { memory: Some(1 << 20), ..ReadOptions::default() }).unwrap_err();
    assert!(error.kind() == ErrorKind::Resources, "{error}");
    assert!(error.to_string().contains("needs more memory than the 1.0 MB that are left"), "{error}");
}

/// A long text that every row has is stored once in the file, and must not be copied in memory once for every row.
#[test]
fn long_texts_of_dictionaries_are_not_copied_for_every_row() {
    guard();
    let long = "x".repeat(300_000);
    let texts: Vec<&str> = (0..20_000).map(|row| if row % 2 == 0 { long.as_str() } else { "y" }).collect();
    let column: ArrayRef = Arc::new(LargeStringArray::from_iter_values(texts.iter().copied().take(2)));
    let schema = RecordBatch::try_from_iter([("a", column)]).unwrap().schema();
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema.clone(), None).unwrap();
    for some in texts.chunks(500) {
        let column: ArrayRef = Arc::new(LargeStringArray::from_iter_values(some.iter().copied()));
        writer.write(&RecordBatch::try_new(schema.clone(), vec![column]).unwrap()).unwrap();
    }
    writer.close().unwrap();
    assert!(bytes.len() < 2_000_000, "{}", bytes.len());
    let table = read(&bytes, &ReadOptions::default()).unwrap().coded;
    assert_eq!((table.rows, table.columns[0].values.len()), (20_000, 2));
    // The same with hardly any memory.
    let little = ReadOptions { memory: Some(100 << 20), ..ReadOptions::default() };
    assert_eq!(read(&bytes, &little).unwrap().coded.rows, 20_000);
}

/// A damaged workbook ends as other damaged files do. The parts inside are damaged, since the checksums of an archive find most of
/// what is done to it from outside.
#[test]
fn damaged_workbooks_are_errors_or_tables() {
    use books::{Old, bare_xlsx, ods, ods_cell, ods_row, ods_text, xls, xlsx};
    guard();
    let mut dice = Dice(16);
    let cell = |address: &str, text: &str| format!("<c r=\"{address}\" t=\"s\" s=\"0\"><v>{text}</v></c>");
    let row = |row: u32| {
        format!("<row r=\"{row}\">{}{}</row>", cell(&format!("A{row}"), "1"), cell(&format!("B{row}"), "2"))
    };
    let merged = "<mergeCells count=\"1\"><mergeCell ref=\"A3:B4\"/></mergeCells>";
    let sheet = format!(
        "<dimension ref=\"A1:B20\"/><sheetData>{}</sheetData>{merged}",
        (1..20).map(row).collect::<String>()
    );
    let shared =
        "<sst count=\"3\" uniqueCount=\"3\"><si><t>a</t></si><si><t>b</t></si><si><t>c</t></si></sst>";
    let float =
        ods_cell("office:value-type=\"float\" office:value=\"39\" table:number-columns-repeated=\"2\"", "39");
    let table = [ods_row(&[ods_text("a"), ods_text("b")]), ods_row(&[float])].concat();
    let old = || {
        (0..40)
            .map(|row| vec![Old::Text("a text"), Old::Number(f64::from(row)), Old::Date(45_000.5), Old::True])
    };
    let whole = xlsx(|sheet| books::fill(sheet, 0, books::PEOPLE));
    let old = xls(&old().collect::<Vec<_>>(), false);
    let mut damaged = |bytes: &[u8]| {
        let mut bytes = bytes.to_vec();
        damage(&mut bytes, &mut dice);
        bytes
    };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let (mut errors, mut tables) = (0, 0);
    for _ in 0..300 {
        let files = [
            damaged(&whole),
            bare_xlsx(&text(damaged(sheet.as_bytes())), shared),
            bare_xlsx(&sheet, &text(damaged(shared.as_bytes()))),
            ods(&text(damaged(table.as_bytes())), ""),
            damaged(&old),
        ];
        for (kind, bytes) in files.iter().enumerate() {
            let options = ReadOptions { threads: 1, memory: Some(256 << 20), ..ReadOptions::default() };
            match read(bytes, &options) {
                Ok(_) => tables += 1,
                Err(error) if error.is(&[ErrorKind::Data, ErrorKind::Resources, ErrorKind::Config]) => {
                    errors += 1;
                }
                Err(other) => panic!("{kind}: {other}"),
            }
        }
    }
    assert!(errors > 300 && tables > 100, "{errors} errors, {tables} tables");
}
