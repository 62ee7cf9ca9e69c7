//! Parquet and Arrow IPC, read and written: every type as text, typed columns kept, damaged files reported.
#![allow(clippy::unwrap_used)]

mod common;

use std::io::{Read, Seek};
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::*;
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use common::{cells, names, read, read_default, source_of, table_of};
use parquet::arrow::ArrowWriter;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use scumble_files::{
    Batches, Cells, Codes, ColumnType, Control, ErrorKind, FileFormat, OutColumn, OutFormat, ReadOptions,
    Source, Texts, Tick, WriteOptions, read_header, read_table, write_batches, write_table,
};

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .unwrap()
}

fn parquet_bytes(batch: &RecordBatch) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), None).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
    bytes
}

fn file_bytes(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

fn stream_bytes(batches: &[RecordBatch]) -> Vec<u8> {
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batches[0].schema()).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.into_inner().unwrap()
}

/// The texts of a column in all three formats, which must agree.
fn texts(array: ArrayRef) -> Vec<String> {
    let batch = batch(vec![("x", array)]);
    let rows = |bytes: &[u8]| -> Vec<String> {
        cells(&read_default(bytes).coded).into_iter().map(|mut row| row.remove(0)).collect()
    };
    let file = rows(&file_bytes(std::slice::from_ref(&batch)));
    assert_eq!(rows(&stream_bytes(std::slice::from_ref(&batch))), file);
    file
}

#[test]
fn numbers_and_truth() {
    assert_eq!(texts(Arc::new(Int8Array::from(vec![Some(-128), None, Some(7)]))), ["-128", "", "7"]);
    assert_eq!(texts(Arc::new(UInt64Array::from(vec![u64::MAX]))), ["18446744073709551615"]);
    assert_eq!(texts(Arc::new(Int64Array::from(vec![i64::MIN]))), ["-9223372036854775808"]);
    assert_eq!(texts(Arc::new(BooleanArray::from(vec![true, false]))), ["true", "false"]);
    let floats = vec![1.0, 0.1, -0.0, 1e300, 1.5e-9, f64::NAN, f64::NEG_INFINITY, 123_456_789.125];
    assert_eq!(
        texts(Arc::new(Float64Array::from(floats))),
        ["1", "0.1", "-0", "1e300", "1.5e-9", "NaN", "-inf", "123456789.125"]
    );
    assert_eq!(texts(Arc::new(Float32Array::from(vec![0.1, 1e-10]))), ["0.1", "1e-10"]);
    let decimals = Decimal128Array::from(vec![Some(12_345), Some(-5), None]);
    let decimals = decimals.with_precision_and_scale(10, 2).unwrap();
    assert_eq!(texts(Arc::new(decimals)), ["123.45", "-0.05", ""]);
}

#[test]
fn texts_in_every_layout() {
    let words = vec![Some("b"), None, Some(""), Some("a long text, over twelve bytes")];
    let expected = ["b", "", "", "a long text, over twelve bytes"];
    assert_eq!(texts(Arc::new(StringArray::from(words.clone()))), expected);
    assert_eq!(texts(Arc::new(LargeStringArray::from(words.clone()))), expected);
    assert_eq!(texts(Arc::new(StringViewArray::from(words.clone()))), expected);
    let bytes: Vec<Option<&[u8]>> = words.iter().map(|word| word.map(str::as_bytes)).collect();
    assert_eq!(texts(Arc::new(BinaryArray::from(bytes.clone()))), expected);
    assert_eq!(texts(Arc::new(BinaryViewArray::from(bytes))), expected);
    assert_eq!(texts(Arc::new(words.into_iter().collect::<DictionaryArray<Int32Type>>())), expected);
    assert_eq!(texts(Arc::new(NullArray::new(2))), ["", ""]);
}

#[test]
fn unused_dictionary_entries_are_not_read() {
    let keys = UInt8Array::from(vec![Some(2), None, Some(2)]);
    let values = StringArray::from(vec!["unused", "too", "used"]);
    let array = DictionaryArray::new(keys, Arc::new(values));
    // `texts` checks that every text of the dictionary occurs.
    assert_eq!(texts(Arc::new(array)), ["used", "", "used"]);
    let numbers =
        DictionaryArray::new(Int8Array::from(vec![1, 0, 1]), Arc::new(Int64Array::from(vec![5, 6])));
    assert_eq!(texts(Arc::new(numbers)), ["6", "5", "6"]);
}

#[test]
fn dates_and_times_as_iso_8601_says() {
    assert_eq!(
        texts(Arc::new(Date32Array::from(vec![0, -1, 19_000]))),
        ["1970-01-01", "1969-12-31", "2022-01-08"]
    );
    assert_eq!(
        texts(Arc::new(Date64Array::from(vec![86_400_000, 1_500]))),
        ["1970-01-02", "1970-01-01T00:00:01.500"]
    );
    let seconds = TimestampSecondArray::from(vec![Some(951_827_696), None]);
    assert_eq!(texts(Arc::new(seconds)), ["2000-02-29T12:34:56", ""]);
    let zoned = TimestampMicrosecondArray::from(vec![1_500_000]).with_timezone("Europe/Paris");
    assert_eq!(texts(Arc::new(zoned)), ["1970-01-01T00:00:01.500Z"]);
    assert_eq!(texts(Arc::new(Time32SecondArray::from(vec![3_661]))), ["01:01:01"]);
}

#[test]
fn parquet_gives_the_same_texts() {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("whole", Arc::new(Int32Array::from(vec![Some(1), None, Some(-3)]))),
        ("real", Arc::new(Float64Array::from(vec![0.5, 2.0, 1e20]))),
        ("day", Arc::new(Date32Array::from(vec![0, 1, 2]))),
        ("word", Arc::new(StringArray::from(vec!["x", "", "a\nb"]))),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![0, 1, 2]))),
    ];
    let batch = batch(columns);
    let table = read_default(&parquet_bytes(&batch));
    assert_eq!(table.format, FileFormat::Parquet);
    assert_eq!(names(&table.coded), ["whole", "real", "day", "word", "time"]);
    let expected = [
        ["1", "0.5", "1970-01-01", "x", "1970-01-01T00:00:00"],
        ["", "2", "1970-01-02", "", "1970-01-01T00:00:00.001"],
        ["-3", "1e20", "1970-01-03", "a\nb", "1970-01-01T00:00:00.002"],
    ];
    assert_eq!(cells(&table.coded), expected);
    for bytes in [file_bytes(&[batch.clone(), batch.clone()]), stream_bytes(&[batch.clone(), batch])] {
        let table = read_default(&bytes);
        assert_eq!(table.format, FileFormat::ArrowIpc);
        assert_eq!(cells(&table.coded), [expected, expected].concat());
    }
}

/// Batches in memory give the same texts as a file of them, whatever their size and the number of threads.
#[test]
fn batches_in_memory_are_read_like_a_file() {
    let numbers: Vec<Option<i64>> = (0..100_000).map(|row| (row % 7 != 0).then_some(row % 1_000)).collect();
    let words: Vec<String> = (0..100_000).map(|row| format!("w{}", row % 301)).collect();
    let batch = batch(vec![
        ("number", Arc::new(Int64Array::from(numbers)) as ArrayRef),
        ("word", Arc::new(StringArray::from(words))),
    ]);
    let file = read_default(&file_bytes(&[batch.slice(0, 60_000), batch.slice(60_000, 40_000)])).coded;
    for batches in [vec![batch.clone()], vec![batch.slice(0, 1), batch.slice(1, 0), batch.slice(1, 99_999)]] {
        let table = Batches::new(batch.schema(), batches).expect("alike");
        let source = Source::from_batches(table, "memory");
        for threads in [1, 3] {
            let options = ReadOptions { threads, ..ReadOptions::default() };
            let table = read_table(&source, &options).expect("a table");
            assert_eq!((table.format, cells(&table.coded) == cells(&file)), (FileFormat::Batches, true));
            let options = ReadOptions { columns: Some(vec!["word".to_owned()]), ..options };
            assert_eq!(names(&read_table(&source, &options).expect("a table").coded), ["word"]);
        }
        assert_eq!(
            read_header(&source, &ReadOptions::default()).expect("a header").names,
            ["number", "word"]
        );
        assert!(source.sha256().expect_err("no file").to_string().contains("'memory' is in memory"));
    }
    let empty = Batches::new(batch.schema(), Vec::new()).expect("alike");
    let empty = Source::from_batches(empty, "memory");
    let told = read_table(&empty, &ReadOptions::default()).expect_err("no rows").to_string();
    assert_eq!(told, "'memory' has columns but no rows");
    // Columns are found by position, so no batch may have fewer columns, another order or other types.
    let swapped = batch.project(&[1, 0]).expect("both");
    let word = batch.project(&[1]).expect("one");
    let retyped = self::batch(vec![("number", word.column(0).clone()), ("word", word.column(0).clone())]);
    for other in [swapped, word, retyped] {
        let told =
            Batches::new(batch.schema(), vec![batch.clone(), other]).expect_err("not alike").to_string();
        assert!(told.starts_with("record batch 2 has other columns"), "{told}");
    }
}

/// A table that is written into memory reads back the same, in the given order.
#[test]
fn tables_are_written_into_memory() {
    let texts = |texts: &[&str]| texts.iter().copied().collect::<Texts>();
    let (numbers, words) = (texts(&["", "10", "9"]), texts(&["", "=x", "[1,2)"]));
    let codes = [Codes::narrow(3, &[2, 0, 1]), Codes::narrow(3, &[0, 1, 2])];
    let columns = [
        OutColumn { name: "n", texts: &numbers, cells: Cells::Direct(&codes[0]), kind: ColumnType::Integer },
        OutColumn { name: "w", texts: &words, cells: Cells::Direct(&codes[1]), kind: ColumnType::Text },
    ];
    let table = write_batches(&columns, &[2, 0, 1, 1], 1, &Control::default()).expect("a table");
    assert_eq!(table.schema().field(0).data_type(), &DataType::Int64);
    let read = read_table(&Source::from_batches(table, "memory"), &ReadOptions::default()).expect("a table");
    assert_eq!(cells(&read.coded), [["10", "[1,2)"], ["9", ""], ["", "=x"], ["", "=x"]]);
    assert!(write_batches(&[], &[0], 1, &Control::default()).is_err());
}

#[test]
fn columns_are_selected_and_nested_ones_refused() {
    let list = ListArray::from_iter_primitive::<Int32Type, _, _>(vec![Some(vec![Some(1)])]);
    let batch = batch(vec![
        ("a", Arc::new(Int32Array::from(vec![1])) as ArrayRef),
        ("many", Arc::new(list)),
        ("b", Arc::new(Int32Array::from(vec![2]))),
    ]);
    for bytes in [
        parquet_bytes(&batch),
        file_bytes(std::slice::from_ref(&batch)),
        stream_bytes(std::slice::from_ref(&batch)),
    ] {
        let error = read(&bytes, &ReadOptions::default()).unwrap_err();
        assert!(error.kind() == ErrorKind::Data);
        assert!(error.to_string().starts_with("'t.csv', column 'many' is of type List"), "{error}");
        let options = ReadOptions { columns: Some(vec!["b".into(), "a".into()]), ..Default::default() };
        let table = read(&bytes, &options).unwrap();
        assert_eq!(
            (names(&table.coded), cells(&table.coded)),
            (vec!["a", "b"], vec![vec!["1".into(), "2".into()]])
        );
        let header = read_header(&source_of(&bytes), &ReadOptions::default()).unwrap();
        assert_eq!(header.names, ["a", "many", "b"]);
        let unknown = ReadOptions { columns: Some(vec!["z".into()]), ..Default::default() };
        let message = read(&bytes, &unknown).unwrap_err().to_string();
        assert_eq!(message, "'t.csv' has no column 'z' (its columns are a, many, b)");
    }
}

#[test]
fn flaws_are_told_with_row_and_column() {
    let bytes: Vec<&[u8]> = vec![b"ok", b"ok", b"\xff"];
    let batch = batch(vec![
        ("a", Arc::new(Int32Array::from(vec![1, 2, 3])) as ArrayRef),
        ("b", Arc::new(BinaryArray::from(bytes))),
    ]);
    let message = read(&file_bytes(&[batch]), &ReadOptions::default()).unwrap_err().to_string();
    assert!(message.starts_with("'t.csv', row 3, column 'b': the bytes are not UTF-8"), "{message}");
    let far = TimestampSecondArray::from(vec![0, i64::MAX]);
    let far = RecordBatch::try_from_iter(vec![("t", Arc::new(far) as ArrayRef)]).unwrap();
    let message = read(&stream_bytes(&[far]), &ReadOptions::default()).unwrap_err().to_string();
    let expected = "'t.csv', row 2, column 't': the value is a date or time that no calendar has; correct the value or leave the column out";
    assert_eq!(message, expected);
}

#[test]
fn empty_doubled_and_damaged_files() {
    let none = batch(vec![("a", Arc::new(Int32Array::from(Vec::<i32>::new())) as ArrayRef)]);
    for bytes in [parquet_bytes(&none), file_bytes(std::slice::from_ref(&none)), stream_bytes(&[none])] {
        let message = read(&bytes, &ReadOptions::default()).unwrap_err().to_string();
        assert_eq!(message, "'t.csv' has columns but no rows");
    }
    let field = Field::new("a", DataType::Timestamp(TimeUnit::Second, None), true);
    let array: ArrayRef = Arc::new(TimestampSecondArray::from(vec![1]));
    let twice = Schema::new(vec![field.clone(), field]);
    let twice = RecordBatch::try_new(Arc::new(twice), vec![Arc::clone(&array), array]).unwrap();
    let message = read(&file_bytes(&[twice]), &ReadOptions::default()).unwrap_err().to_string();
    assert_eq!(message, "'t.csv': columns 1 and 2 are both named 'a'; rename one of the two columns");

    let one = batch(vec![("a", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef)]);
    for (bytes, what) in [(parquet_bytes(&one), "Parquet"), (file_bytes(std::slice::from_ref(&one)), "Arrow")]
    {
        let error = read(&bytes[..bytes.len() - 9], &ReadOptions::default()).unwrap_err();
        assert!(error.kind() == ErrorKind::Data);
        assert!(error.to_string().starts_with(&format!("'t.csv' is a damaged {what} file")), "{error}");
    }
}

#[test]
fn compressed_containers_are_unpacked() {
    let batch = batch(vec![("a", Arc::new(Int32Array::from(vec![1, 2])) as ArrayRef)]);
    for bytes in [parquet_bytes(&batch), file_bytes(std::slice::from_ref(&batch)), stream_bytes(&[batch])] {
        let packed = zstd::encode_all(&bytes[..], 3).unwrap();
        assert_eq!(cells(&read_default(&packed).coded), [["1"], ["2"]]);
    }
}

#[test]
fn many_rows_are_the_same_for_any_number_of_threads() {
    let numbers = Int64Array::from_iter_values((0..200_000).map(|n| n * 7919 % 1000));
    let bytes = parquet_bytes(&batch(vec![("a", Arc::new(numbers) as ArrayRef)]));
    let tables =
        [1, 2, 5].map(|threads| read(&bytes, &ReadOptions { threads, ..Default::default() }).unwrap());
    assert_eq!(tables[0].coded.rows, 200_000);
    assert_eq!(tables[0].coded.columns[0].values.get(tables[0].coded.columns[0].codes.get(3)), "757");
    for table in &tables[1..] {
        assert_eq!(table.coded.columns[0].values, tables[0].coded.columns[0].values);
        assert_eq!(table.coded.columns[0].codes, tables[0].coded.columns[0].codes);
    }
}

#[test]
fn kept_columns_stay_typed_and_parquet_tells_nothing_else() {
    let rows: Vec<Vec<String>> = [
        ["1", "0.5", "2020-02-29", "007", "x"],
        ["", "-3", "", "1", "[1,2)"],
        ["2", "4", "1970-01-01", "2", "nope"],
    ]
    .iter()
    .map(|row| row.iter().map(|&cell| cell.to_owned()).collect())
    .collect();
    let header = ["int", "real", "day", "code", "text"].map(str::to_owned);
    let table = table_of(&header, &rows);
    let kinds =
        [ColumnType::Integer, ColumnType::Float, ColumnType::Date, ColumnType::Integer, ColumnType::Integer];
    let columns: Vec<OutColumn<'_>> = table
        .columns
        .iter()
        .zip(kinds)
        .map(|(c, kind)| OutColumn { name: &c.name, texts: &c.values, cells: Cells::Direct(&c.codes), kind })
        .collect();
    let expected = [DataType::Int64, DataType::Float64, DataType::Date32, DataType::Utf8, DataType::Utf8];
    for format in [OutFormat::Parquet, OutFormat::ArrowIpc] {
        let mut file = tempfile::tempfile().unwrap();
        let options = WriteOptions {
            format,
            name: "out",
            threads: 0,
            spreadsheet_safe: false,
            byte_order_mark: false,
            control: &Control::default(),
        };
        write_table(&mut file, &columns, &[0, 1, 2], &options).unwrap();
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(cells(&read_default(&bytes).coded), rows);
        let types: Vec<DataType> = if format == OutFormat::Parquet {
            let reader = SerializedFileReader::new(file.try_clone().unwrap()).unwrap();
            let metadata = reader.metadata();
            assert_eq!(metadata.file_metadata().created_by(), Some("scumble"));
            assert!(metadata.file_metadata().key_value_metadata().is_none());
            for column in metadata.row_groups()[0].columns() {
                assert!(column.statistics().is_none());
                assert!(column.dictionary_page_offset().is_some());
            }
            let builder =
                parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            builder.schema().fields().iter().map(|field| field.data_type().clone()).collect()
        } else {
            let reader = arrow_ipc::reader::FileReader::try_new(file, None).unwrap();
            assert!(reader.schema().metadata().is_empty() && reader.custom_metadata().is_empty());
            reader.schema().fields().iter().map(|field| field.data_type().clone()).collect()
        };
        assert_eq!(types, expected);
    }
    // Only rows that are written decide: without the first row, no code has a leading zero.
    let mut file = tempfile::tempfile().unwrap();
    let options = WriteOptions {
        format: OutFormat::ArrowIpc,
        name: "out",
        threads: 0,
        spreadsheet_safe: false,
        byte_order_mark: false,
        control: &Control::default(),
    };
    write_table(&mut file, &columns, &[1, 2], &options).unwrap();
    let reader = arrow_ipc::reader::FileReader::try_new(file, None).unwrap();
    assert_eq!(reader.schema().field(3).data_type(), &DataType::Int64);
}

/// A column of texts in every format that has types: its type there, and that the texts come back.
fn typed(wish: ColumnType, texts: &[&str]) -> DataType {
    let rows: Vec<Vec<String>> = texts.iter().map(|text| vec![(*text).to_owned()]).collect();
    let table = table_of(&["a".to_owned()], &rows);
    let column = &table.columns[0];
    let columns =
        [OutColumn { name: "a", texts: &column.values, cells: Cells::Direct(&column.codes), kind: wish }];
    let order: Vec<u32> = (0..rows.len() as u32).collect();
    let control = Control::default();
    let memory = write_batches(&columns, &order, 0, &control).unwrap();
    let found = memory.schema().field(0).data_type().clone();
    let read = read_table(&Source::from_batches(memory, "memory"), &ReadOptions::default()).unwrap();
    assert_eq!(cells(&read.coded), rows, "{found}");
    for format in [OutFormat::Parquet, OutFormat::ArrowIpc] {
        let mut file = tempfile::tempfile().unwrap();
        let options = WriteOptions {
            format,
            name: "out",
            threads: 0,
            spreadsheet_safe: false,
            byte_order_mark: false,
            control: &control,
        };
        write_table(&mut file, &columns, &order, &options).unwrap();
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(cells(&read_default(&bytes).coded), rows, "{format:?}, {found}");
        let schema = if format == OutFormat::Parquet {
            let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file);
            Arc::clone(reader.unwrap().schema())
        } else {
            arrow_ipc::reader::FileReader::try_new(file, None).unwrap().schema()
        };
        assert_eq!(schema.field(0).data_type(), &found, "{format:?}");
    }
    found
}

#[test]
fn every_type_comes_back_as_the_same_texts() {
    let (micro, nano) = (TimeUnit::Microsecond, TimeUnit::Nanosecond);
    let plain = ColumnType::Timestamp { zone: false, unit: Tick::Micro };
    let zoned = ColumnType::Timestamp { zone: true, unit: Tick::Micro };
    let time = ColumnType::Time { unit: Tick::Micro };
    for (wish, texts, expected) in [
        (
            plain,
            &["2024-02-29T12:00:00", "", "1500-01-01T00:00:00.250"][..],
            DataType::Timestamp(micro, None),
        ),
        (plain, &["2024-02-29T12:00:00", "2024-01-01T00:00:00.123456789"], DataType::Timestamp(nano, None)),
        (plain, &["2024-02-29 12:00:00"], DataType::Utf8),
        (zoned, &["2024-02-29T12:00:00Z", ""], DataType::Timestamp(micro, Some("UTC".into()))),
        (zoned, &["2024-02-29T12:00:00.000000001Z"], DataType::Timestamp(nano, Some("UTC".into()))),
        (zoned, &["2024-02-29T12:00:00+01:00"], DataType::Utf8),
        (time, &["08:30:00", "23:59:59.500", ""], DataType::Time64(micro)),
        (time, &["08:30:00.000000001"], DataType::Time64(nano)),
        (time, &["08:30"], DataType::Utf8),
        (ColumnType::Boolean, &["true", "", "false"], DataType::Boolean),
        (ColumnType::Boolean, &["true", "False"], DataType::Utf8),
        (ColumnType::Float, &["2.50", "-0.05", ""], DataType::Decimal128(18, 2)),
        (ColumnType::Float, &["0.10000000000000000001"], DataType::Decimal128(38, 20)),
        (ColumnType::Float, &["2.5", "3"], DataType::Float64),
        (ColumnType::Float, &["2.50", "3"], DataType::Utf8),
        (ColumnType::Integer, &["9223372036854775808", "-1"], DataType::Decimal128(38, 0)),
        (ColumnType::Integer, &["007"], DataType::Utf8),
    ] {
        assert_eq!(typed(wish, texts), expected, "{wish:?} {texts:?}");
    }
}

/// Values with frequencies become lists where the format has lists, and read back as the same JSON objects.
#[test]
fn frequencies_are_lists_and_come_back_as_objects() {
    let rows =
        [r#"{"a":0.5,"b|\"c":0.5}"#, r#"{"a":1.0}"#, r#"{"d":0.3333333333333333,"e":0.6666666666666666}"#];
    let rows: Vec<Vec<String>> = rows.iter().map(|text| vec![(*text).to_owned()]).collect();
    let table = table_of(&["disease".to_owned()], &rows);
    let column = &table.columns[0];
    let columns = [OutColumn {
        name: &column.name,
        texts: &column.values,
        cells: Cells::Direct(&column.codes),
        kind: ColumnType::Frequencies,
    }];
    for format in [OutFormat::Parquet, OutFormat::ArrowIpc] {
        let mut file = tempfile::tempfile().unwrap();
        write_table(
            &mut file,
            &columns,
            &[0, 1, 2],
            &WriteOptions {
                format,
                name: "out",
                threads: 0,
                spreadsheet_safe: false,
                byte_order_mark: false,
                control: &Control::default(),
            },
        )
        .unwrap();
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(cells(&read_default(&bytes).coded), rows, "{format:?}");
        let schema = if format == OutFormat::Parquet {
            let builder =
                parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
            Arc::clone(builder.schema())
        } else {
            arrow_ipc::reader::FileReader::try_new(file, None).unwrap().schema()
        };
        assert!(matches!(schema.field(0).data_type(), DataType::List(_)), "{format:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_files_are_errors_or_tables(
        kind in 0usize..3,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let batch = batch(vec![
            ("a", Arc::new(Int32Array::from(vec![Some(1), None, Some(3)])) as ArrayRef),
            ("b", Arc::new(StringArray::from(vec!["x", "y", "a longer text"]))),
        ]);
        let mut bytes = match kind {
            0 => parquet_bytes(&batch),
            1 => file_bytes(&[batch]),
            _ => stream_bytes(&[batch]),
        };
        if changes.is_empty() {
            bytes.truncate(cut.index(bytes.len()));
        }
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        let _ = read(&bytes, &ReadOptions { threads: 1, ..Default::default() });
    }
}
