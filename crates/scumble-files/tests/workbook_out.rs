//! Writing workbooks: what is written reads back as it was, nothing is a formula, and the bytes depend on the table alone.
#![allow(clippy::unwrap_used)]

mod common;

use std::fs::File;
use std::io::Read as _;

use calamine::{Data, Reader as _, Xlsx};
use common::cells;
use scumble_files::{
    Cells, CodedColumn, ColumnType, Control, Error, ErrorKind, OutColumn, OutFormat, ReadOptions, Source,
    TableWriter, WriteOptions, read_table, write_table,
};

fn options(control: &Control) -> WriteOptions<'_> {
    WriteOptions {
        format: OutFormat::Workbook,
        name: "release.xlsx",
        threads: 0,
        control,
        spreadsheet_safe: false,
        byte_order_mark: false,
    }
}

fn columns<'a>(coded: &'a [(CodedColumn, ColumnType)]) -> Vec<OutColumn<'a>> {
    let column = |(column, kind): &'a (CodedColumn, ColumnType)| OutColumn {
        name: &column.name,
        texts: &column.values,
        cells: Cells::Direct(&column.codes),
        kind: *kind,
    };
    coded.iter().map(column).collect()
}

fn coded(table: &[(&str, ColumnType, &[&str])]) -> Vec<(CodedColumn, ColumnType)> {
    table.iter().map(|(name, kind, texts)| (CodedColumn::of_texts(name, texts.iter()), *kind)).collect()
}

fn written(table: &[(&str, ColumnType, &[&str])]) -> Result<File, Error> {
    let (coded, control) = (coded(table), Control::default());
    let order: Vec<u32> = (0..table[0].2.len() as u32).collect();
    let mut file = tempfile::tempfile().unwrap();
    write_table(&mut file, &columns(&coded), &order, &options(&control))?;
    Ok(file)
}

fn read_back(file: File) -> Vec<Vec<String>> {
    let options = ReadOptions { header: Some(true), ..ReadOptions::default() };
    let table = read_table(&Source::from_file(file, "release.xlsx"), &options).unwrap();
    assert!(table.notes.is_empty(), "{:?}", table.notes);
    cells(&table.coded)
}

const TABLE: &[(&str, ColumnType, &[&str])] = &[
    ("n", ColumnType::Integer, &["12", "-3", "", "999999999999999"]),
    ("x", ColumnType::Float, &["0.30000000000000004", "2", "1e-7", "1e300"]),
    ("day", ColumnType::Date, &["2024-01-31", "1900-03-01", "9999-12-31", ""]),
    ("mixed", ColumnType::Integer, &["12", "[20,30)", "*", "007"]),
    ("old", ColumnType::Date, &["1899-12-31", "2024-01-31", "2024-01-31", "2024-01-31"]),
    ("text", ColumnType::Text, &["=1+1", "+49 170", "-x", "@SUM(A1)"]),
    ("odd", ColumnType::Text, &[" a ", "b\r\nc\u{1}\0", "_x0041_ <&>\"", "https://example.org/😀"]),
    ("digits", ColumnType::Text, &["1.50", "01067", "true", "2024-01-31"]),
];

#[test]
fn what_is_written_reads_back_as_it_was() {
    let rows = read_back(written(TABLE).unwrap());
    for (column, (name, _, texts)) in TABLE.iter().enumerate() {
        let back: Vec<&str> = rows.iter().map(|row| row[column].as_str()).collect();
        assert_eq!(back, *texts, "{name}");
    }
}

#[test]
fn texts_are_texts_and_numbers_are_numbers() {
    let mut book: Xlsx<_> = Xlsx::new(std::io::BufReader::new(written(TABLE).unwrap())).unwrap();
    assert_eq!(book.sheet_names(), ["release"]);
    assert_eq!(book.worksheet_formula("release").unwrap().used_cells().count(), 0);
    let range = book.worksheet_range("release").unwrap();
    let first: Vec<&Data> = range.rows().nth(1).unwrap().iter().collect();
    assert!(matches!(first[0], Data::Float(number) if *number == 12.0));
    assert!(matches!(first[1], Data::Float(_)) && matches!(first[2], Data::DateTime(_)), "{first:?}");
    for text in &first[3..] {
        assert!(matches!(text, Data::String(_)), "{text:?}");
    }
}

fn bytes(mut file: File) -> Vec<u8> {
    use std::io::Seek as _;
    let mut bytes = Vec::new();
    file.rewind().unwrap();
    file.read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn the_bytes_depend_on_the_table_alone() {
    let first = bytes(written(TABLE).unwrap());
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert!(first == bytes(written(TABLE).unwrap()));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(first)).unwrap();
    let mut core = String::new();
    archive.by_name("docProps/core.xml").unwrap().read_to_string(&mut core).unwrap();
    assert!(core.contains("2000-01-01T00:00:00Z") && core.contains("<dc:creator></dc:creator>"), "{core}");
}

#[test]
fn parts_give_the_same_rows_as_the_whole() {
    let (coded, control) = (coded(TABLE), Control::default());
    let columns = columns(&coded);
    let kinds: Vec<(&str, ColumnType)> = TABLE
        .iter()
        .map(|(name, kind, _)| {
            (*name, if ["mixed", "old"].contains(name) { ColumnType::Text } else { *kind })
        })
        .collect();
    let mut file = tempfile::tempfile().unwrap();
    let mut writer = TableWriter::begin(&mut file, &kinds, &options(&control)).unwrap();
    writer.write(&columns, &[0]).unwrap();
    writer.write(&columns, &[1, 2, 3]).unwrap();
    writer.finish().unwrap();
    assert!(bytes(file) == bytes(written(TABLE).unwrap()));
    let mut file = tempfile::tempfile().unwrap();
    let kinds: Vec<(&str, ColumnType)> = TABLE.iter().map(|(name, kind, _)| (*name, *kind)).collect();
    let mut writer = TableWriter::begin(&mut file, &kinds, &options(&control)).unwrap();
    let error = writer.write(&columns, &[0, 1]).unwrap_err().to_string();
    assert!(error.contains("column 'mixed'") && error.contains("as a whole number"), "{error}");
}

#[test]
fn what_a_workbook_cannot_hold_is_an_error_before_anything_is_written() {
    let refused = |table: &[(&str, ColumnType, &[&str])], words: &str| {
        let error = written(table).unwrap_err();
        assert!(error.kind() == ErrorKind::Data, "{error:?}");
        let message = error.to_string();
        assert!(message.contains(words) && message.contains("another ending"), "{message}");
    };
    let long = "x".repeat(32_768);
    refused(&[("a", ColumnType::Text, &[&long])], "at most 32767 characters");
    refused(&[(&long, ColumnType::Text, &["x"])], "at most 32767 characters");
    let fits = "x".repeat(32_767);
    assert_eq!(read_back(written(&[("a", ColumnType::Text, &[&fits])]).unwrap()), [[fits.clone()]]);
    // Characters are counted as spreadsheet programs do.
    refused(&[("a", ColumnType::Text, &[&"😀".repeat(16_384)])], "at most 32767 characters");
    refused(&[("a", ColumnType::Text, &["x", ""])], "a row without any value");
    let names: Vec<String> = (0..16_385).map(|column| format!("c{column}")).collect();
    let wide: Vec<(&str, ColumnType, &[&str])> =
        names.iter().map(|name| (name.as_str(), ColumnType::Text, &["x"][..])).collect();
    refused(&wide, "16385 columns do not fit");
    let coded = coded(&[("a", ColumnType::Text, &["x"])]);
    let (control, order) = (Control::default(), vec![0_u32; 1_048_576]);
    let mut file = tempfile::tempfile().unwrap();
    let error = write_table(&mut file, &columns(&coded), &order, &options(&control)).unwrap_err();
    assert!(error.to_string().contains("1048576 rows do not fit"), "{error}");
    assert_eq!(file.metadata().unwrap().len(), 0);
}
