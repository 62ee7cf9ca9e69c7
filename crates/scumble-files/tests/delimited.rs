//! Delimited text in: encodings, dialects, every error with its message, and the `csv` crate as an oracle.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::Write;

use common::{cells, error_of, names, read, read_default, source_of};
use proptest::prelude::*;
use scumble_files::{
    Compression, Dialect, Encoding, ErrorKind, FileFormat, ReadOptions, Source, read_header, read_table,
};

fn dialect(bytes: &[u8]) -> Dialect {
    match read_default(bytes).format {
        FileFormat::Csv(dialect) => dialect,
        other => panic!("{other:?}"),
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn utf16le(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn reads_a_plain_table() {
    let table = read_default(b"name,age\nBo,39\nAda,50\nBo,50\n");
    assert_eq!(names(&table.coded), ["name", "age"]);
    assert_eq!(cells(&table.coded), [["Bo", "39"], ["Ada", "50"], ["Bo", "50"]]);
    assert!(table.notes.is_empty());
    let expected = Dialect {
        delimiter: b',',
        quote: b'"',
        header: true,
        encoding: Encoding::Utf8,
        compression: Compression::None,
    };
    assert_eq!(table.format, FileFormat::Csv(expected));
}

#[test]
fn line_ends_quotes_and_blank_lines_at_the_end() {
    let expected = [["1", "a\r\nb"], ["2", "say \"hi\", ok"]];
    for text in [
        "x,y\n1,\"a\r\nb\"\n2,\"say \"\"hi\"\", ok\"\n",
        "x,y\r\n1,\"a\r\nb\"\r\n2,\"say \"\"hi\"\", ok\"\r\n\r\n\r\n",
        "x,y\r1,\"a\r\nb\"\r2,\"say \"\"hi\"\", ok\"",
        "\u{feff}x,y\n1,\"a\r\nb\"\n2,\"say \"\"hi\"\", ok\"\n\n\n",
    ] {
        let table = read(text.as_bytes(), &ReadOptions { header: Some(true), ..Default::default() }).unwrap();
        assert_eq!(names(&table.coded), ["x", "y"]);
        assert_eq!(cells(&table.coded), expected);
    }
}

#[test]
fn delimiters_and_quotes_are_detected_or_given() {
    assert_eq!(dialect(b"a;b\n1,5;2\n").delimiter, b';');
    assert_eq!(dialect(b"a\tb\n1\t2\n").delimiter, b'\t');
    assert_eq!(dialect(b"a|b\n1|2\n").delimiter, b'|');
    let given = ReadOptions { delimiter: Some(b':'), quote: Some(b'\''), ..Default::default() };
    assert_eq!(cells(&read(b"a:b\n'1:2':\"x\n", &given).unwrap().coded), [["1:2", "\"x"]]);
    let one = read_default(b"only\nx\n\"\"\ny\n");
    assert_eq!(cells(&one.coded), [["x"], [""], ["y"]]);
    assert_eq!(one.notes.len(), 1);
    for (delimiter, quote, message) in [
        (Some(b'"'), None, "the delimiter and the quote must differ"),
        (Some(b'\n'), None, "the delimiter must be one ASCII character and no line end"),
        (None, Some(200), "the quote must be one ASCII character and no line end"),
    ] {
        let error = read(b"a,b\n1,2\n", &ReadOptions { delimiter, quote, ..Default::default() }).unwrap_err();
        assert!(error.kind() == ErrorKind::Config);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn headers_are_detected_or_given() {
    let table = read_default(b"Ada,36\nBo,40\n");
    assert_eq!(names(&table.coded), ["column_1", "column_2"]);
    assert_eq!(table.coded.rows, 2);
    assert_eq!(
        table.notes,
        [
            "'t.csv': the first row holds a number or a date, so it was read as data and the columns are called \
          column_1 to column_2; if it is a header, say so"
        ]
    );
    let with = |header| read(b"Ada,36\nBo,40\n", &ReadOptions { header, ..Default::default() }).unwrap();
    assert_eq!(names(&with(Some(true)).coded), ["Ada", "36"]);
    assert!(with(Some(false)).notes.is_empty());
    assert_eq!(with(Some(false)).coded.rows, 2);
}

#[test]
fn encodings() {
    let text = "name,city\nZoë,Köln\n😀,Łódź\n";
    let expected = [["Zoë", "Köln"], ["😀", "Łódź"]];
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (bytes, encoding) in [
        (text.as_bytes().to_vec(), Encoding::Utf8),
        (utf16le(text), Encoding::Utf16Le),
        (utf16le(&format!("\u{feff}{text}")), Encoding::Utf16Le),
        (big, Encoding::Utf16Be),
    ] {
        assert_eq!(cells(&read_default(&bytes).coded), expected);
        assert_eq!(dialect(&bytes).encoding, encoding);
    }
    let given = ReadOptions { encoding: Some(Encoding::Windows1252), ..Default::default() };
    assert_eq!(cells(&read(b"a,b\n\xe9,\x80\n", &given).unwrap().coded), [["é", "€"]]);
}

#[test]
fn compressed_files_are_recognised_by_content() {
    let text = b"a,b\nx,1\ny,2\n";
    let zstd = zstd::encode_all(&text[..], 3).unwrap();
    let two_members = [gzip(b"a,b\nx,"), gzip(b"1\ny,2\n")].concat();
    for (bytes, compression) in
        [(gzip(text), Compression::Gzip), (zstd, Compression::Zstd), (two_members, Compression::Gzip)]
    {
        assert_eq!(cells(&read_default(&bytes).coded), [["x", "1"], ["y", "2"]]);
        assert_eq!(dialect(&bytes).compression, compression);
    }
    let wide = gzip(&utf16le("\u{feff}a,b\nx,é\n"));
    assert_eq!(cells(&read_default(&wide).coded), [["x", "é"]]);
}

#[test]
fn selected_columns_only() {
    let options = ReadOptions { columns: Some(vec!["c".into(), "a".into()]), ..Default::default() };
    // Columns that are not selected are not even decoded.
    let table = read(b"a,b,c\n1,\xff,3\n4,\"x,\ny\",6\n", &options).unwrap();
    assert_eq!(names(&table.coded), ["a", "c"]);
    assert_eq!(cells(&table.coded), [["1", "3"], ["4", "6"]]);
    let unknown = ReadOptions { columns: Some(vec!["d".into()]), ..Default::default() };
    let error = read(b"a,b\n1,2\n", &unknown).unwrap_err();
    assert!(error.kind() == ErrorKind::Config);
    assert_eq!(error.to_string(), "'t.csv' has no column 'd' (its columns are a, b)");
}

#[test]
fn the_header_alone() {
    let source = source_of(b"a;b\nx;\"never closed");
    let header = read_header(&source, &ReadOptions::default()).unwrap();
    assert_eq!(header.names, ["a", "b"]);
    assert!(matches!(header.format, FileFormat::Csv(Dialect { delimiter: b';', .. })));
    assert_eq!(read_header(&source_of(b"a,b\n"), &ReadOptions::default()).unwrap().names, ["a", "b"]);
}

#[test]
fn a_source_is_read_again_from_its_start() {
    let source = source_of(b"a,b\nx,1\n");
    for _ in 0..2 {
        assert_eq!(read_table(&source, &ReadOptions::default()).unwrap().coded.rows, 1);
    }
}

#[test]
fn files_that_are_no_tables() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.csv");
    let error = Source::open(&missing).unwrap_err();
    assert!(error.kind() == ErrorKind::Io);
    let shown = missing.display();
    let start = format!("cannot read '{shown}' (no such file): ");
    assert!(error.to_string().starts_with(&start), "{error}");
    let error = Source::open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("(it is a folder)"), "{error}");

    for empty in [&b""[..], b"\n\r\n\n", b"\xef\xbb\xbf"] {
        let error = error_of(empty);
        assert!(error.kind() == ErrorKind::Data);
        assert_eq!(error.to_string(), "'t.csv' is empty: a table needs a header and at least one row");
    }
    let message = "'t.csv' has columns but no rows";
    assert_eq!(error_of(b"a,b\n").to_string(), message);
    assert_eq!(error_of(b"a,b").to_string(), message);
}

#[test]
fn names_twice_or_missing() {
    assert_eq!(
        error_of(b"a,b,a\n1,2,3\n").to_string(),
        "'t.csv': columns 1 and 3 are both named 'a'; rename one of the two columns"
    );
    assert_eq!(
        error_of(b"a,,c\n1,2,3\n").to_string(),
        "'t.csv': column 2 of 3 has no name; give the column a name in the header, or skip the rows above the header, if there are \
         any ([read] skip_rows)"
    );
}

#[test]
fn ragged_rows() {
    let message = "'t.csv', row 2: there is 1 field where the header has 3: is a delimiter, quote or line end in its \
                   text not quoted?";
    assert_eq!(error_of(b"a,b,c\n1,2,3\nsecret\n1,2,3\n").to_string(), message);
    let error = error_of(b"a,b,c\n1,2,3\n1,2,3\n1,2,3,4\n").to_string();
    assert!(error.starts_with("'t.csv', row 3: there are 4 fields where the header has 3"), "{error}");
    let options = ReadOptions { header: Some(false), delimiter: Some(b','), ..Default::default() };
    let error = read(b"1,2\n3\n", &options).unwrap_err().to_string();
    assert!(error.starts_with("'t.csv', row 2: there is 1 field where the first row has 2"), "{error}");
}

#[test]
fn row_numbers_do_not_depend_on_blocks_and_threads() {
    let mut text = String::from("a,b\n");
    for row in 1..500 {
        text.push_str(if row % 7 == 0 { "\"x\ny\",1\n\n" } else { "x,1\n" });
    }
    text.push_str("x\n");
    text.push_str(&"\"x,\"y\n".repeat(100));
    for threads in [1, 2, 5] {
        for block_size in [1, 7, 64, 1 << 20] {
            let options = ReadOptions { threads, block_size, ..Default::default() };
            let error = read(text.as_bytes(), &options).unwrap_err().to_string();
            assert!(
                error.starts_with("'t.csv', row 500: there is 1 field where the header has 2"),
                "{error}"
            );
        }
    }
}

#[test]
fn quotes_that_never_close_and_fields_that_never_end() {
    let message = "'t.csv', row 2: a quote that opens here is never closed; close the quote, or double it if it is text";
    assert_eq!(error_of(b"a,b\n1,2\n3,\"4\n5,6\n").to_string(), message);
    let error = error_of(b"a,\"b\n1,2\n").to_string();
    assert!(
        error.starts_with("'t.csv': in the first row, a quote that opens here is never closed"),
        "{error}"
    );

    for (block_size, rest) in [(16, "x\n".repeat(2000)), (1 << 20, "x\n".repeat(2000))] {
        let options = ReadOptions { block_size, field_limit: 1000, ..Default::default() };
        let quoted = format!("a,b\n1,2\n3,\"{rest}");
        let error = read(quoted.as_bytes(), &options).unwrap_err().to_string();
        assert_eq!(
            error,
            "'t.csv', row 2: there is a field of more than 1000 bytes: is a quote never closed?"
        );
    }
    let options = ReadOptions { field_limit: 1000, ..Default::default() };
    let long = format!("a,b\n1,2\n3,4\n5,{}\n", "x".repeat(1001));
    let error = read(long.as_bytes(), &options).unwrap_err().to_string();
    assert_eq!(
        error,
        "'t.csv', row 3, column 'b': there is a field of more than 1000 bytes: is a quote never closed?"
    );
    let fits = format!("a,b\n5,{}\n", "x".repeat(1000));
    assert!(read(fits.as_bytes(), &options).is_ok());

    let options = ReadOptions { field_limit: 1000, block_size: 100, ..Default::default() };
    let endless = format!("a,b\n1,2\n{}", "x".repeat(100_000));
    let error = read(endless.as_bytes(), &options).unwrap_err().to_string();
    assert!(
        error.starts_with("'t.csv', row 2: there is more text than fields of at most 1000 bytes can hold"),
        "{error}"
    );
}

#[test]
fn undecodable_bytes() {
    assert_eq!(
        error_of(b"a,b\n1,2\n3,\x81\n").to_string(),
        "'t.csv', row 2, column 'b': the bytes are not UTF-8, and it is not clear which encoding it is; save the file as UTF-8, or say \
         that the file was made on Windows in western Europe or America, if it was ([read] encoding = \"windows-1252\")"
    );
    let error = error_of(b"a,\x81\n1,2\n").to_string();
    assert!(error.starts_with("'t.csv': in the first row, column 2: the bytes are not UTF-8"), "{error}");
    let mut bytes = utf16le("a,b\n1,2\n3,");
    bytes.extend([0x00, 0xdc, b'\n', 0]);
    assert_eq!(
        error_of(&bytes).to_string(),
        "'t.csv', row 2: the bytes are not utf-16le: is the encoding right, or is the file cut off?"
    );
}

#[test]
fn damaged_compression() {
    let text: String = (0..20_000).map(|n| format!("{n},{}\n", n * 7919 % 10_007)).collect();
    let whole = gzip(format!("a,b\n{text}").as_bytes());
    let error = error_of(&whole[..whole.len() / 2]);
    assert!(error.kind() == ErrorKind::Data);
    assert_eq!(
        error.to_string(),
        "'t.csv' is cut off: its gzip data end too early; copy or download the file again"
    );
    let whole = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let error = error_of(&whole[..whole.len() / 2]).to_string();
    assert_eq!(error, "'t.csv' is cut off: its zstd data end too early; copy or download the file again");
    let mut damaged = gzip(format!("a,b\n{text}").as_bytes());
    let middle = damaged.len() / 2;
    damaged[middle..middle + 100].fill(0xff);
    let error = error_of(&damaged).to_string();
    assert!(error.starts_with("'t.csv' is damaged: its gzip data cannot be unpacked"), "{error}");
}

#[test]
fn a_dictionary_over_its_limit() {
    let text: String = (0..1000).map(|n| format!("x,{n:04}\n")).collect();
    for threads in [1, 2] {
        let options = ReadOptions { threads, text_limit: 3999, block_size: 128, ..Default::default() };
        let error = read(format!("a,b\n{text}").as_bytes(), &options).unwrap_err();
        assert!(error.kind() == ErrorKind::Resources);
        assert_eq!(
            error.to_string(),
            "'t.csv', column 'b': its distinct texts take more than 4 GiB; leave the column out"
        );
        let options = ReadOptions { text_limit: 4000, ..options };
        assert!(read(format!("a,b\n{text}").as_bytes(), &options).is_ok());
    }
}

/// The records of the `csv` crate.
fn oracle(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes);
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// Whether the text ends inside a quoted field, by the rules, byte for byte.
fn ends_in_quotes(bytes: &[u8]) -> bool {
    let (mut inside, mut field_starts, mut index) = (false, true, 0);
    while index < bytes.len() {
        let byte = bytes[index];
        if inside && byte == b'"' && bytes.get(index + 1) == Some(&b'"') {
            index += 1;
        } else if inside && byte == b'"' {
            inside = false;
        } else if !inside {
            inside = field_starts && byte == b'"';
            field_starts = matches!(byte, b',' | b'\r' | b'\n');
        }
        index += 1;
    }
    inside
}

fn check_against_oracle(bytes: &[u8], threads: usize, block_size: usize) {
    let records = oracle(bytes);
    let options = ReadOptions {
        delimiter: Some(b','),
        header: Some(false),
        encoding: Some(Encoding::Utf8),
        threads,
        block_size,
        ..Default::default()
    };
    let result = read(bytes, &options);
    let Some(first) = records.first() else {
        assert!(result.unwrap_err().to_string().contains("is empty"));
        return;
    };
    let ragged = records.iter().position(|record| record.len() != first.len());
    let open = ends_in_quotes(bytes).then(|| records.len() - 1);
    match (ragged, open) {
        (ragged, Some(open)) if ragged.is_none_or(|ragged| open <= ragged) => {
            let row =
                if open == 0 { ": in the first row,".to_owned() } else { format!(", row {}:", open + 1) };
            let message = result.unwrap_err().to_string();
            assert!(
                message.contains(&format!("'t.csv'{row} a quote that opens here is never closed")),
                "{message}"
            );
        }
        (Some(ragged), _) => {
            let (fields, message) = (records[ragged].len(), result.unwrap_err().to_string());
            let are = if fields == 1 { "is" } else { "are" };
            assert!(
                message.contains(&format!("row {}: there {are} {fields} field", ragged + 1)),
                "{message}"
            );
        }
        _ => assert_eq!(cells(&result.unwrap().coded), records),
    }
}

/// A field as it may occur in a file: plain, with stray quotes, quoted, or quoted with something behind it.
fn raw_field() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab é\0]{0,3}",
        "[ab😀]{12,20}",
        "[ab][\"ab]{0,3}",
        "\"([ab,\r\né]|\"\"){0,6}\"",
        "\"([ab,\n]|\"\"){0,30}\"[ab][\"ab]{0,3}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn tables_read_as_the_csv_crate_reads_them(
        rows in (1usize..4).prop_flat_map(|width| prop::collection::vec(
            (prop::collection::vec(raw_field(), width), prop::sample::select(vec!["\n", "\r\n", "\r", "\n\n"])),
            1..12,
        )),
        ends in any::<bool>(),
        block_size in 1usize..60,
    ) {
        let mut text = String::new();
        for (fields, end) in &rows {
            text.push_str(&fields.join(","));
            text.push_str(end);
        }
        if !ends {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        for threads in [1, 2, 5] {
            check_against_oracle(text.as_bytes(), threads, block_size);
        }
        check_against_oracle(text.as_bytes(), 2, 1 << 20);
    }

    #[test]
    fn any_text_reads_as_the_csv_crate_reads_it(text in "[ab,\"\"\r\n]{0,40}", block_size in 1usize..50) {
        for threads in [1, 2, 5] {
            check_against_oracle(text.as_bytes(), threads, block_size);
        }
    }

    #[test]
    fn any_single_column_reads_as_the_csv_crate_reads_it(text in "[a\"\r\n]{0,20}", block_size in 1usize..20) {
        check_against_oracle(text.as_bytes(), 1, block_size);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn no_bytes_make_reading_panic(
        magic in prop::sample::select(vec![
            &b""[..], b"a,b\n", b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"PAR1\x15", b"ARROW1\0\0",
            b"\xff\xff\xff\xff", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\"",
        ]),
        bytes in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..200),
            prop::collection::vec(prop::sample::select(b"a1,;\t|\"\r\n\0\xe9".to_vec()), 0..200),
        ],
        block_size in 1usize..100,
        encoding in prop::sample::select(vec![
            None, Some(Encoding::Utf8), Some(Encoding::Utf16Le), Some(Encoding::Windows1252),
        ]),
    ) {
        let all = [magic, &bytes].concat();
        let options = ReadOptions { block_size, threads: 2, encoding, ..Default::default() };
        let whole = read(&all, &options);
        let again = read(&all, &ReadOptions { block_size: 1 << 16, threads: 1, ..options.clone() });
        let _ = read_header(&source_of(&all), &options);
        match (whole, again) {
            (Ok(a), Ok(b)) => prop_assert_eq!(cells(&a.coded), cells(&b.coded)),
            (Err(a), Err(b)) => prop_assert_eq!(a.to_string(), b.to_string()),
            (a, b) => prop_assert!(false, "{:?} and {:?}", a.is_ok(), b.is_ok()),
        }
    }
}

#[test]
fn what_stands_above_the_header_is_skipped_with_a_note() {
    let expected = [["39", "m"], ["50", "f"], ["41", "f"]];
    let table = "age;sex\n39;m\n50;f\n41;f\n";
    for above in ["sep=;\r\n", "Patients 2024;\n", "Patients 2024;\n;\n\n", "sep=;\nPatients;\n"] {
        for block_size in [1, 7, 1 << 20] {
            let options = ReadOptions { block_size, ..Default::default() };
            let read = read(format!("{above}{table}").as_bytes(), &options).unwrap();
            assert_eq!(names(&read.coded), ["age", "sex"], "{above}");
            assert_eq!(cells(&read.coded), expected, "{above}");
            assert!(!read.notes.is_empty());
        }
        let header = read_header(&source_of(format!("{above}{table}").as_bytes()), &ReadOptions::default());
        assert_eq!(header.unwrap().names, ["age", "sex"]);
    }
    let options = ReadOptions { skip_rows: Some(2), ..Default::default() };
    let read = read(format!("Stand:;31.12.2024\n\n{table}").as_bytes(), &options).unwrap();
    assert_eq!(cells(&read.coded), expected);
}

#[test]
fn empty_columns_at_the_end_are_left_out_and_filled_ones_are_not() {
    let table = read_default(b"age,sex,,\n39,m,,\n50,f,,\n");
    assert_eq!((names(&table.coded), table.notes.len()), (vec!["age", "sex"], 1));
    assert_eq!(cells(&table.coded), [["39", "m"], ["50", "f"]]);
    let error = error_of(b"age,sex,,\n39,m,,\n50,f,,secret\n").to_string();
    assert!(error.contains("row 2: column 4 of 4 has a value here, but no name in the header"), "{error}");
    assert!(!error.contains("secret"));
    let error = error_of(b"age,,sex\n39,,m\n50,,f\n").to_string();
    assert!(error.contains("column 2 of 3 has no name"), "{error}");
    let error = error_of(b"age,sex,\n39,m\n").to_string();
    assert!(error.contains("there are 2 fields where the header has 3"), "{error}");
}

#[test]
fn windows_1252_is_recognised_where_it_is_clear() {
    let text = b"stadt,alter\nUlm,39\nM\xfcnchen,50\n";
    for block_size in [1, 5, 1 << 20] {
        let table = read(text, &ReadOptions { block_size, ..Default::default() }).unwrap();
        assert_eq!(cells(&table.coded), [["Ulm", "39"], ["München", "50"]]);
        assert!(table.notes[0].contains("Windows-1252"), "{:?}", table.notes);
    }
    let header = b"gr\xf6\xdfe,alter\n1,39\n2,50\n";
    assert_eq!(names(&read_default(header).coded), ["größe", "alter"]);
    assert_eq!(read_header(&source_of(header), &ReadOptions::default()).unwrap().names, ["größe", "alter"]);
    assert_eq!(cells(&read_default(&gzip(text)).coded)[1], ["München", "50"]);
    for doubtful in [&b"stadt\nUlm\nW\xb3adys\xb3aw\n"[..], b"stadt\nUlm\n\xcc\xee\xf1\xea\xe2\xe0\n"] {
        let error = error_of(doubtful).to_string();
        assert!(error.contains("row 2, column 'stadt': the bytes are not UTF-8"), "{error}");
        assert!(error.contains("windows-1252"), "{error}");
    }
    let given = ReadOptions { encoding: Some(Encoding::Utf8), ..Default::default() };
    assert!(read(text, &given).is_err());
}
