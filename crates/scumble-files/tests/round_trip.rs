//! A table that is written reads back the same.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::{Read, Seek};

use common::{cells, names, table_of};
use proptest::prelude::*;
use scumble_files::{
    Cells, CodedTable, ColumnType, Compression, Control, Encoding, ErrorKind, OutColumn, OutFormat,
    ReadOptions, Source, TableWriter, WriteOptions, read_table, write_table,
};

const CSV: OutFormat = OutFormat::Csv { delimiter: b',', compression: Compression::None };

fn out_columns(table: &CodedTable, kind: ColumnType) -> Vec<OutColumn<'_>> {
    table
        .columns
        .iter()
        .map(|column| OutColumn {
            name: &column.name,
            texts: &column.values,
            cells: Cells::Direct(&column.codes),
            kind,
        })
        .collect()
}

fn write(columns: &[OutColumn<'_>], order: &[u32], format: OutFormat, threads: usize) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    write_table(
        &mut file,
        columns,
        order,
        &WriteOptions {
            format,
            name: "out",
            threads,
            spreadsheet_safe: false,
            byte_order_mark: false,
            control: &Control::default(),
        },
    )
    .unwrap();
    file
}

/// Writes the same table part by part; each part has a dictionary of its own.
fn write_in_parts(
    table: &CodedTable,
    kind: ColumnType,
    order: &[u32],
    ends: &[usize],
    format: OutFormat,
) -> Result<std::fs::File, scumble_files::Error> {
    let mut file = tempfile::tempfile().unwrap();
    let control = Control::default();
    let options = WriteOptions {
        format,
        name: "out",
        threads: 0,
        spreadsheet_safe: false,
        byte_order_mark: false,
        control: &control,
    };
    let columns: Vec<(&str, ColumnType)> = table.columns.iter().map(|of| (of.name.as_str(), kind)).collect();
    let mut writer = TableWriter::begin(&mut file, &columns, &options)?;
    let mut start = 0;
    for &end in ends {
        let rows: Vec<Vec<String>> = {
            let all = cells(table);
            order[start..end].iter().map(|&row| all[row as usize].clone()).collect()
        };
        let header: Vec<String> = names(table).into_iter().map(str::to_owned).collect();
        let part = table_of(&header, &rows);
        let order: Vec<u32> = (0..rows.len() as u32).collect();
        writer.write(&out_columns(&part, ColumnType::Text), &order)?;
        start = end;
    }
    writer.finish()?;
    Ok(file)
}

fn content(mut file: std::fs::File) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

fn read_back(file: std::fs::File, format: OutFormat) -> CodedTable {
    let delimiter = match format {
        OutFormat::Csv { delimiter, .. } => Some(delimiter),
        _ => None,
    };
    let options =
        ReadOptions { header: Some(true), delimiter, encoding: Some(Encoding::Utf8), ..Default::default() };
    read_table(&Source::from_file(file, "out"), &options).unwrap().coded
}

fn strings(rows: &[&[&str]]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect()
}

#[test]
fn bytes_of_a_small_file() {
    let rows = strings(&[&["[1,2)", "", " x"], &["*", "a\"b", "x"]]);
    let table = table_of(&["a,b".into(), "c".into(), "d".into()], &rows);
    let file = write(&out_columns(&table, ColumnType::Text), &[1, 0, 1], CSV, 0);
    let expected = "\"a,b\",c,d\n*,\"a\"\"b\",x\n\"[1,2)\",,\" x\"\n*,\"a\"\"b\",x\n";
    assert_eq!(String::from_utf8(content(file)).unwrap(), expected);
}

#[test]
fn classes_give_the_codes() {
    let texts = ["*", "[0,9]", "[10,19]"].into_iter().collect();
    let column = OutColumn {
        name: "age",
        texts: &texts,
        cells: Cells::Via { class_of_row: &[2, 0, 1, 0], code_of_class: &[1, 0, 2] },
        kind: ColumnType::Text,
    };
    let file = write(&[column], &[0, 1, 2, 3], CSV, 0);
    assert_eq!(String::from_utf8(content(file)).unwrap(), "age\n\"[10,19]\"\n\"[0,9]\"\n*\n\"[0,9]\"\n");
}

#[test]
fn nothing_unused_is_written() {
    let rows = strings(&[&["kept", "1"], &["CANARY", "777777"]]);
    let table = table_of(&["a".into(), "b".into()], &rows);
    for format in [CSV, OutFormat::Parquet, OutFormat::ArrowIpc] {
        for kind in [ColumnType::Text, ColumnType::Integer] {
            let bytes = content(write(&out_columns(&table, kind), &[0], format, 0));
            assert!(bytes.windows(4).any(|window| window == b"kept"));
            assert!(!bytes.windows(6).any(|window| window == b"CANARY" || window == b"777777"));
            assert!(!bytes.windows(8).any(|window| window == 777_777_u64.to_le_bytes()));
        }
    }
}

#[test]
fn no_column_is_refused() {
    let mut file = tempfile::tempfile().unwrap();
    let options = WriteOptions {
        format: CSV,
        name: "out.csv",
        threads: 0,
        spreadsheet_safe: false,
        byte_order_mark: false,
        control: &Control::default(),
    };
    let error = write_table(&mut file, &[], &[], &options).unwrap_err();
    assert!(error.kind() == ErrorKind::Config);
    assert_eq!(error.to_string(), "'out.csv': there is no column to write");
}

#[test]
fn a_full_disk_is_told_with_the_target() {
    let rows = strings(&[&["x", "1"]]);
    let table = table_of(&["a".into(), "b".into()], &rows);
    let Ok(mut full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        println!("skipped: a_full_disk_is_told_with_the_target needs /dev/full");
        return;
    };
    for format in [CSV, OutFormat::Parquet, OutFormat::ArrowIpc] {
        let options = WriteOptions {
            format,
            name: "out.csv",
            threads: 0,
            spreadsheet_safe: false,
            byte_order_mark: false,
            control: &Control::default(),
        };
        let columns = out_columns(&table, ColumnType::Text);
        let error = write_table(&mut full, &columns, &[0], &options).unwrap_err();
        // Only the caller knows which files have their names, so the message does not say whether anything was published.
        let start = "cannot write 'out.csv' (the disk is full): ";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}

#[test]
fn large_tables_are_the_same_for_any_number_of_threads() {
    let rows: Vec<Vec<String>> = (0..70_000_u32)
        .map(|n| vec![n.to_string(), (n * 7919 % 300).to_string(), format!("text, {}", n % 3)])
        .collect();
    let table = table_of(&["a".into(), "b".into(), "c".into()], &rows);
    let order: Vec<u32> = (0..70_000).rev().collect();
    let reversed: Vec<Vec<String>> = rows.into_iter().rev().collect();
    let mut first: Option<Vec<u8>> = None;
    for threads in [1, 2, 5] {
        let file = write(&out_columns(&table, ColumnType::Text), &order, CSV, threads);
        assert_eq!(cells(&read_back(file.try_clone().unwrap(), CSV)), reversed);
        let bytes = content(file);
        assert_eq!(first.get_or_insert_with(|| bytes.clone()), &bytes);
    }
}

/// Every part but the last has a multiple of the rows that are written at a time.
#[test]
fn parts_of_even_length_are_the_same_bytes() {
    let all = 2 * TableWriter::ROWS + 1000;
    let rows: Vec<Vec<String>> =
        (0..all).map(|n| vec![(n * 7919 % 300).to_string(), format!("{}", n % 3)]).collect();
    let table = table_of(&["a".into(), "b".into()], &rows);
    let order: Vec<u32> = (0..all as u32).rev().collect();
    for (format, kind) in [
        (CSV, ColumnType::Text),
        (OutFormat::Parquet, ColumnType::Integer),
        (OutFormat::Parquet, ColumnType::Text),
        (OutFormat::ArrowIpc, ColumnType::Integer),
    ] {
        let whole = content(write(&out_columns(&table, kind), &order, format, 0));
        let parts = write_in_parts(&table, kind, &order, &[TableWriter::ROWS, all], format);
        assert!(content(parts.unwrap()) == whole, "{format:?} {kind:?}");
    }
}

#[test]
fn later_parts_keep_to_what_the_first_was_written_as() {
    let table = table_of(&["a".into()], &strings(&[&["1"], &["x"], &[""]]));
    let write = |kind, format| write_in_parts(&table, kind, &[0, 2, 1], &[2, 3], format);
    assert!(write(ColumnType::Text, OutFormat::Parquet).is_ok() && write(ColumnType::Integer, CSV).is_ok());
    let error = write(ColumnType::Integer, OutFormat::Parquet).unwrap_err();
    assert_eq!((error.kind(), error.place().column.as_deref()), (ErrorKind::Data, Some("a")));
    assert!(error.to_string().contains("cannot be written as a whole number"), "{error}");

    let mut file = tempfile::tempfile().unwrap();
    let control = Control::default();
    let options = WriteOptions {
        format: CSV,
        name: "out",
        threads: 0,
        spreadsheet_safe: false,
        byte_order_mark: false,
        control: &control,
    };
    let mut writer = TableWriter::begin(&mut file, &[("b", ColumnType::Text)], &options).unwrap();
    let error = writer.write(&out_columns(&table, ColumnType::Text), &[0]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Internal);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), "[a\", \r\n;\té😀\u{feff}]{0,5}", any::<String>(), "[0-9]{1,3}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_format_reads_back_what_was_written(
        rows in (1usize..4).prop_flat_map(|width| {
            prop::collection::vec(prop::collection::vec(any_text(), width), 1..20)
        }),
        first_name in "[a\", \r\né\u{feff}]{1,3}",
        kind in prop::sample::select(vec![ColumnType::Text, ColumnType::Integer, ColumnType::Float]),
        format in prop::sample::select(vec![
            CSV,
            OutFormat::Csv { delimiter: b'\t', compression: Compression::None },
            OutFormat::Csv { delimiter: b';', compression: Compression::Gzip },
            OutFormat::Csv { delimiter: b',', compression: Compression::Zstd },
            OutFormat::Parquet,
            OutFormat::ArrowIpc,
        ]),
    ) {
        prop_assume!(!first_name.trim().is_empty());
        let mut header = vec![first_name];
        header.extend((1..rows[0].len()).map(|index| format!("c{index}")));
        let table = table_of(&header, &rows);
        let order: Vec<u32> = (0..rows.len() as u32).collect();
        let back = read_back(write(&out_columns(&table, kind), &order, format, 0), format);
        prop_assert_eq!(names(&back), header);
        prop_assert_eq!(cells(&back), rows);
    }

    #[test]
    fn parts_are_written_as_the_whole(
        rows in prop::collection::vec(prop::collection::vec(any_text(), 2), 1..20),
        cuts in prop::collection::vec(0..20_usize, 2),
        format in prop::sample::select(vec![
            CSV,
            OutFormat::Csv { delimiter: b';', compression: Compression::Gzip },
            OutFormat::Csv { delimiter: b',', compression: Compression::Zstd },
            OutFormat::Parquet,
            OutFormat::ArrowIpc,
        ]),
    ) {
        let table = table_of(&["a".into(), "b".into()], &rows);
        let order: Vec<u32> = (0..rows.len() as u32).rev().collect();
        let mut ends: Vec<usize> = cuts.iter().map(|cut| *cut.min(&rows.len())).collect();
        ends.push(rows.len());
        ends.sort_unstable();
        let whole = write(&out_columns(&table, ColumnType::Text), &order, format, 0);
        let parts = write_in_parts(&table, ColumnType::Text, &order, &ends, format).unwrap();
        prop_assert_eq!(cells(&read_back(parts.try_clone().unwrap(), format)), cells(&read_back(whole.try_clone().unwrap(), format)));
        if format == CSV {
            prop_assert_eq!(content(parts), content(whole));
        }
    }
}
