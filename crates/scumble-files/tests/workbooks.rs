//! Reading workbooks: what is in the cells, where the table is, and what is wrong with a file.
#![allow(clippy::unwrap_used)]

#[path = "common/books.rs"]
mod books;
mod common;

use books::{
    Old, PEOPLE, bare_xlsx, fill, ods, ods_cell, ods_row, ods_text, old_container, xls, xls_records, xlsx,
    zipped,
};
use common::{cells, error_of, names, read, read_default, source_of};
use rust_xlsxwriter::{DocProperties, Format, Formula, Workbook};
use scumble_files::{ErrorKind, FileFormat, ReadOptions, read_header};

fn rows_of(bytes: &[u8]) -> Vec<Vec<String>> {
    cells(&read_default(bytes).coded)
}

/// Fails unless reading ends with an error of the data whose words hold all of these.
fn refuses(bytes: &[u8], words: &[&str]) {
    let error = error_of(bytes);
    let message = error.to_string();
    assert!(error.kind() == ErrorKind::Data, "{error:?}");
    for word in words {
        assert!(message.contains(word), "{message}\nlacks: {word}");
    }
}

#[test]
fn a_sheet_is_a_table() {
    let bytes = xlsx(|sheet| fill(sheet, 0, PEOPLE));
    let table = read_default(&bytes);
    assert_eq!(table.format, FileFormat::Workbook);
    assert_eq!(names(&table.coded), ["age", "sex", "zip"]);
    assert_eq!(cells(&table.coded)[0], ["39", "m", "01067x"]);
    assert!(table.notes.is_empty(), "{:?}", table.notes);
    let header = read_header(&source_of(&bytes), &ReadOptions::default()).unwrap();
    assert_eq!((header.names.len(), header.format), (3, FileFormat::Workbook));
}

#[test]
fn the_result_depends_on_no_thread_and_columns_can_be_chosen() {
    let bytes = xlsx(|sheet| {
        fill(sheet, 0, &[&["a", "b", "c"]]);
        for row in 1..30_000 {
            sheet.write_number(row, 0, f64::from(row % 977)).unwrap();
            sheet.write_string(row, 1, format!("text {}", row % 31)).unwrap();
            sheet.write_number(row, 2, f64::from(row) / 8.0).unwrap();
        }
    });
    let with = |threads, columns: Option<Vec<String>>| {
        read(&bytes, &ReadOptions { threads, columns, ..ReadOptions::default() }).unwrap().coded
    };
    let one = with(1, None);
    assert_eq!(one.rows, 29_999);
    for threads in [2, 5] {
        let other = with(threads, None);
        for (a, b) in one.columns.iter().zip(&other.columns) {
            assert!(a.values == b.values && a.codes == b.codes);
        }
    }
    assert_eq!(names(&with(2, Some(vec!["c".to_owned()]))), ["c"]);
}

#[test]
fn cells_have_the_text_of_their_type() {
    let bytes = xlsx(|sheet| {
        let format = |code: &str| Format::new().set_num_format(code);
        fill(sheet, 0, &[&["whole", "float", "is", "day", "moment", "time", "length", "digits"]]);
        sheet.write_number(1, 0, 12.0).unwrap();
        sheet.write_number(1, 1, 0.1 + 0.2).unwrap();
        sheet.write_boolean(1, 2, true).unwrap();
        sheet.write_number_with_format(1, 3, 45_322.0, &format("dd.mm.yyyy")).unwrap();
        sheet.write_number_with_format(1, 4, 45_322.0, &format("yyyy-mm-dd hh:mm")).unwrap();
        sheet.write_number_with_format(1, 5, 0.437_5, &format("hh:mm")).unwrap();
        sheet.write_number_with_format(1, 6, 1.5, &format("[h]:mm:ss")).unwrap();
        sheet.write_string(1, 7, "00120").unwrap();
        // A column may mix types: every cell keeps its own text.
        sheet.write_string(2, 0, "twelve").unwrap();
        sheet.write_boolean(2, 1, false).unwrap();
        sheet.write_number_with_format(2, 4, 45_322.437_5, &format("yyyy-mm-dd hh:mm")).unwrap();
    });
    let rows = rows_of(&bytes);
    let time = ["2024-01-31T00:00:00", "10:30:00", "36:00:00", "00120"];
    assert_eq!(rows[0], [&["12", "0.30000000000000004", "true", "2024-01-31"], &time[..]].concat());
    assert_eq!(rows[1], ["twelve", "false", "", "", "2024-01-31T10:30:00", "", "", ""]);
}

#[test]
fn dates_are_right_in_both_epochs() {
    let sheet = "<sheetData><row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is><t>day</t></is></c></row>\
                 <row r=\"2\"><c r=\"A2\" t=\"d\"><v>2024-01-31</v></c></row></sheetData>";
    assert_eq!(rows_of(&bare_xlsx(sheet, "<sst/>")), [["2024-01-31"]]);
    let rows =
        |first: f64| vec![vec![Old::Text("day")], vec![Old::Date(first)], vec![Old::Date(first + 0.5)]];
    assert_eq!(rows_of(&xls(&rows(45_322.0), false)), [["2024-01-31"], ["2024-01-31T12:00:00"]]);
    assert_eq!(rows_of(&xls(&rows(43_860.0), true)), [["2024-01-31"], ["2024-01-31T12:00:00"]]);
    // 29 February 1900 never was.
    refuses(&xls(&rows(60.0), false), &["sheet 'People'", "cell A2", "that no calendar has"]);
}

#[test]
fn errors_and_formulas() {
    let bytes = xlsx(|sheet| {
        fill(sheet, 0, &[&["a", "b"], &["1"], &["2"]]);
        sheet.write_formula(1, 1, Formula::new("=A2*2").set_result("2")).unwrap();
        sheet.write_formula(2, 1, Formula::new("=A3/0").set_result("#DIV/0!")).unwrap();
    });
    let table = read_default(&bytes);
    assert_eq!(cells(&table.coded), [["1", "2"], ["2", ""]]);
    assert_eq!(table.notes, ["'t.csv': 1 cell holds an error (such as #N/A), and counted as missing"]);

    let cell = |address: &str, inside: &str| format!("<c r=\"{address}\">{inside}</c>");
    let sheet = format!(
        "<sheetData><row r=\"1\">{}{}</row><row r=\"2\">{}{}</row></sheetData>",
        "<c r=\"A1\" t=\"inlineStr\"><is><t>a</t></is></c>",
        "<c r=\"B1\" t=\"inlineStr\"><is><t>b</t></is></c>",
        cell("A2", "<v>1</v>"),
        cell("B2", "<f>A2*2</f>")
    );
    let bytes = bare_xlsx(&sheet, "<sst/>");
    refuses(&bytes, &["sheet 'S'", "cell B2 is a formula without a stored value", "and save it"]);
    let without = ReadOptions { columns: Some(vec!["a".to_owned()]), ..ReadOptions::default() };
    assert_eq!(cells(&read(&bytes, &without).unwrap().coded), [["1"]]);
}

#[test]
fn titles_are_skipped_and_empty_rows_and_columns_are_told() {
    let bytes = xlsx(|sheet| {
        sheet.write_string(0, 0, "Patients 2024").unwrap();
        for (row, cells) in [(3, PEOPLE[0]), (4, PEOPLE[1]), (6, PEOPLE[2]), (7, PEOPLE[3])] {
            for (column, cell) in (1..).zip(cells) {
                match cell.parse::<f64>() {
                    Ok(number) => sheet.write_number(row, column, number).unwrap(),
                    Err(_) => sheet.write_string(row, column, *cell).unwrap(),
                };
            }
        }
        sheet.write_blank(8, 5, &Format::new().set_bold()).unwrap();
    });
    let table = read_default(&bytes);
    assert_eq!(names(&table.coded), ["age", "sex", "zip"]);
    assert_eq!(table.coded.rows, 3);
    let notes = table.notes.join("\n");
    assert!(notes.contains("the first 3 rows were skipped"), "{notes}");
    assert!(notes.contains("2 empty rows were left out"), "{notes}");
    assert!(notes.contains("2 empty columns were left out behind the last name"), "{notes}");
    let given = ReadOptions { skip_rows: Some(3), ..ReadOptions::default() };
    assert_eq!(names(&read(&bytes, &given).unwrap().coded), ["age", "sex", "zip"]);
    let beyond = ReadOptions { skip_rows: Some(100), ..ReadOptions::default() };
    let error = read(&bytes, &beyond).unwrap_err();
    assert!(
        error.kind() == ErrorKind::Config && error.to_string().contains("below the first 100 rows"),
        "{error}"
    );
}

#[test]
fn two_header_rows_are_an_error_that_says_how_to_go_on() {
    let rows: &[&[&str]] =
        &[&["age", "sex"], &["in years", "at birth"], &["39", "m"], &["50", "f"], &["39", "f"]];
    let bytes = xlsx(|sheet| fill(sheet, 0, rows));
    refuses(
        &bytes,
        &["rows 1 and 2 both look like a header", "[read] skip_rows = 1", "[read] header = true"],
    );
    let second = ReadOptions { skip_rows: Some(1), ..ReadOptions::default() };
    assert_eq!(names(&read(&bytes, &second).unwrap().coded), ["in years", "at birth"]);
    let data = ReadOptions { header: Some(true), ..ReadOptions::default() };
    assert_eq!(read(&bytes, &data).unwrap().coded.rows, 4);
    // A missing value or a suppressed one in the first row is no header.
    for first in ["NA", "*", "n/a", ""] {
        let rows: &[&[&str]] = &[&["age", "sex"], &[first, "m"], &["39", "m"], &["50", "f"], &["39", "f"]];
        assert_eq!(read_default(&xlsx(|sheet| fill(sheet, 0, rows))).coded.rows, 4);
    }
}

#[test]
fn merged_cells() {
    let bytes = xlsx(|sheet| {
        fill(sheet, 0, PEOPLE);
        sheet.merge_range(1, 1, 3, 1, "m", &Format::new()).unwrap();
    });
    let table = read_default(&bytes);
    assert_eq!(cells(&table.coded)[1], ["50", "", "08001x"]);
    assert_eq!(
        table.notes,
        ["'t.csv': 2 cells are merged with another cell, which alone has the value, and counted as missing"]
    );
    let bytes = xlsx(|sheet| {
        fill(sheet, 0, PEOPLE);
        sheet.merge_range(0, 1, 0, 2, "address", &Format::new()).unwrap();
    });
    refuses(&bytes, &["the header in row 1 has merged cells (B1 to C1)", "unmerge", "[read] skip_rows"]);
}

fn book(sheets: &[(&str, &[&[&str]])]) -> Workbook {
    let mut book = Workbook::new();
    for (name, rows) in sheets {
        fill(book.add_worksheet().set_name(*name).unwrap(), 0, rows);
    }
    book
}

#[test]
fn a_sheet_is_chosen_by_name_or_number_or_because_it_alone_holds_a_table() {
    let remarks: &[&[&str]] = &[&["About these data"], &["Made in 2024"]];
    let mut mixed = book(&[("Read me", remarks), ("People", PEOPLE), ("Empty", &[])]);
    let bytes = mixed.save_to_buffer().unwrap();
    let table = read_default(&bytes);
    assert_eq!(names(&table.coded), ["age", "sex", "zip"]);
    assert!(table.notes[0].contains("the sheet 'People' was read"), "{:?}", table.notes);
    let sheet = |bytes: &[u8], sheet: &str| {
        let options = ReadOptions { sheet: Some(sheet.to_owned()), ..ReadOptions::default() };
        read(bytes, &options).map(|table| names(&table.coded).join(","))
    };
    assert_eq!(sheet(&bytes, "People").unwrap(), "age,sex,zip");
    assert_eq!(sheet(&bytes, "2").unwrap(), "age,sex,zip");
    let error = sheet(&bytes, "4").unwrap_err();
    assert!(
        error.to_string().contains("has no sheet '4' (its sheets are Read me, People, Empty)"),
        "{error}"
    );
    assert!(sheet(&bytes, "Empty").unwrap_err().to_string().contains("no cell holds anything"));

    let other: &[&[&str]] = &[&["x", "y"], &["1", "2"]];
    let mut several = book(&[("A", PEOPLE), ("B", other), ("1", other)]);
    let bytes = several.save_to_buffer().unwrap();
    let error = error_of(&bytes);
    assert!(error.kind() == ErrorKind::Config, "{error}");
    assert!(error.to_string().contains("has 3 sheets that hold a table (its sheets are A, B, 1)"), "{error}");
    assert!(error.to_string().contains("[read] sheet"), "{error}");
    // A sheet that is called by a number is meant before the sheet with that number.
    assert_eq!(sheet(&bytes, "1").unwrap(), "x,y");

    let mut hidden = book(&[("A", PEOPLE), ("B", other)]);
    hidden.worksheet_from_index(1).unwrap().set_hidden(true);
    assert_eq!(names(&read_default(&hidden.save_to_buffer().unwrap()).coded), ["age", "sex", "zip"]);
    let mut none = book(&[("A", &[]), ("B", &[&["x"]])]);
    let error = error_of(&none.save_to_buffer().unwrap());
    assert!(error.to_string().contains("no visible sheet of 't.csv' holds a table"), "{error}");
}

#[test]
fn names_are_checked_and_values_without_a_name_are_an_error() {
    let twice: &[&[&str]] = &[&["a", "b", "a"], &["1", "2", "3"]];
    refuses(&xlsx(|sheet| fill(sheet, 0, twice)), &["columns 1 and 3 are both named 'a'"]);
    let gap: &[&[&str]] = &[&["a", "", "c"], &["1", "2", "3"]];
    refuses(&xlsx(|sheet| fill(sheet, 0, gap)), &["column 2 of 3 has no name"]);
    let more: &[&[&str]] = &[&["a", "b"], &["1", "2"], &["1", "2", "3"]];
    refuses(&xlsx(|sheet| fill(sheet, 0, more)), &["cell C3 has a value, but its column has no name"]);
    let only: &[&[&str]] = &[&["a", "b"]];
    refuses(&xlsx(|sheet| fill(sheet, 0, only)), &["has columns but no rows"]);
    refuses(&xlsx(|_| {}), &["sheet 'Sheet1': no cell holds anything"]);
}

#[test]
fn as_many_columns_as_a_sheet_has() {
    let bytes = xlsx(|sheet| {
        for column in 0..16_384 {
            sheet.write_string(0, column, format!("c{column}")).unwrap();
            sheet.write_number(1, column, f64::from(column % 7)).unwrap();
        }
    });
    let table = read_default(&bytes).coded;
    assert_eq!((table.rows, table.columns.len()), (1, 16_384));
}

#[test]
fn without_a_header_columns_have_numbers() {
    let rows: &[&[&str]] = &[&["39", "m"], &["50", "f"]];
    let table = read_default(&xlsx(|sheet| fill(sheet, 0, rows)));
    assert_eq!((names(&table.coded), table.coded.rows), (vec!["column_1", "column_2"], 2));
    assert!(table.notes[0].contains("was read as data"), "{:?}", table.notes);
}

#[test]
fn opendocument() {
    let float =
        |number: &str| ods_cell(&format!("office:value-type=\"float\" office:value=\"{number}\""), number);
    let date = ods_cell("office:value-type=\"date\" office:date-value=\"2024-01-31\"", "31.01.24");
    let time = ods_cell("office:value-type=\"time\" office:time-value=\"PT10H30M00S\"", "10:30");
    let failed = ods_cell(
        "table:formula=\"of:=1/0\" office:value-type=\"string\" office:string-value=\"\" calcext:value-type=\"error\"",
        "#DIV/0!",
    );
    let header: Vec<String> = ["age", "born", "came", "is", "text"].into_iter().map(ods_text).collect();
    let is = ods_cell("office:value-type=\"boolean\" office:boolean-value=\"true\"", "TRUE");
    let rows = [
        ods_row(&header),
        ods_row(&[float("39"), date, time, is, ods_text("x &amp; y")]),
        ods_row(&[float("0.5"), failed]),
    ];
    let bytes = ods(&rows.concat(), "");
    let table = read_default(&bytes);
    assert_eq!(names(&table.coded), ["age", "born", "came", "is", "text"]);
    assert_eq!(cells(&table.coded)[0], ["39", "2024-01-31", "10:30:00", "true", "x & y"]);
    assert_eq!(cells(&table.coded)[1], ["0.5", "", "", "", ""]);
    assert!(table.notes[0].contains("1 cell holds an error"), "{:?}", table.notes);
    let locked = "<manifest:file-entry manifest:full-path=\"content.xml\"><manifest:encryption-data/></manifest:file-entry>";
    refuses(&ods(&rows.concat(), locked), &["'t.csv' is protected by a password"]);
}

#[test]
fn repeated_cells_cannot_take_any_memory() {
    // A row of 16,384 filled cells, a million times, in some hundred bytes.
    let cell = "<table:table-cell table:number-columns-repeated=\"16384\" office:value-type=\"float\" office:value=\"1\"/>";
    let table = format!("<table:table-row table:number-rows-repeated=\"1048576\">{cell}</table:table-row>");
    let error =
        read(&ods(&table, ""), &ReadOptions { memory: Some(1 << 30), ..ReadOptions::default() }).unwrap_err();
    assert!(error.kind() == ErrorKind::Resources, "{error}");
    assert!(error.to_string().contains("needs more memory than the 1.1 GB that are left"), "{error}");
}

#[test]
fn workbooks_of_the_old_format() {
    let rows = vec![
        vec![Old::Text("age"), Old::Text("is"), Old::Text("born")],
        vec![Old::Number(39.0), Old::True, Old::Date(45_322.0)],
        vec![Old::Number(0.5), Old::NotAvailable, Old::Text("unknown")],
    ];
    let bytes = xls(&rows, false);
    let table = read_default(&bytes);
    assert_eq!(cells(&table.coded), [["39", "true", "2024-01-31"], ["0.5", "", "unknown"]]);
    assert_eq!(table.notes, ["'t.csv': 1 cell holds an error (such as #N/A), and counted as missing"]);
    // A chain that leads back into itself would be followed forever.
    let mut circle = bytes.clone();
    circle[512 + 4..512 + 8].copy_from_slice(&1_u32.to_le_bytes());
    refuses(&circle, &["is a damaged Excel workbook of the old format"]);
    refuses(&bytes[..600], &["is a damaged Excel workbook of the old format"]);
    // A record of the beginning of a password.
    let mut records = xls_records(&rows, false);
    records.splice(20..20, [0x2f, 0, 4, 0, 1, 0, 0, 0]);
    refuses(&old_container("Workbook", &records), &["is protected by a password"]);
    refuses(&old_container("EncryptedPackage", b"x"), &["is protected by a password"]);
    refuses(
        &old_container("WordDocument", b"x"),
        &["is a document of an old Office program, but no workbook"],
    );
}

#[test]
fn broken_workbooks() {
    let whole = xlsx(|sheet| fill(sheet, 0, PEOPLE));
    refuses(&whole[..whole.len() / 2], &["is a damaged Excel workbook", "copy or download the file again"]);
    refuses(&whole[..whole.len() - 30], &["is a damaged Excel workbook"]);
    refuses(&zipped(&[("people.csv", b"a,b\n1,2\n")]), &["is a ZIP archive", "unpack it"]);
    refuses(&zipped(&[("xl/workbook.bin", b"")]), &["is a binary Excel workbook (.xlsb)"]);
    refuses(&zipped(&[("xl/workbook.xml", b"<workbook>")]), &["'t.csv' is a damaged Excel workbook"]);
    // Cells out of order, and beyond the last row of any sheet.
    let cell = |address: &str| format!("<row><c r=\"{address}\"><v>1</v></c></row>");
    for (cells, what) in
        [(["A2", "A1"], "do not stand in order"), (["A1", "A1048577"], "outside of every sheet")]
    {
        let sheet = format!("<sheetData>{}{}</sheetData>", cell(cells[0]), cell(cells[1]));
        refuses(&bare_xlsx(&sheet, "<sst/>"), &[what]);
    }
    // A list that claims to hold more texts than memory could.
    let sheet = "<sheetData><row><c t=\"s\"><v>0</v></c></row></sheetData>";
    let wild = "<sst uniqueCount=\"99999999999\"><si><t>a</t></si></sst>";
    refuses(&bare_xlsx(sheet, wild), &["holds something else than it declares"]);
}

#[test]
fn unpacked_content_has_a_limit() {
    let bytes = xlsx(|sheet| {
        fill(sheet, 0, &[&["a", "b"]]);
        for row in 1..20_000 {
            sheet.write_number(row, 0, 1).unwrap();
        }
    });
    assert!(bytes.len() < 200_000);
    let error = read(&bytes, &ReadOptions { max_size: Some(300_000), ..ReadOptions::default() }).unwrap_err();
    assert!(error.kind() == ErrorKind::Resources, "{error}");
    assert!(error.to_string().contains("holds more than 300 KB, the limit that was given"), "{error}");
    let little = ReadOptions { memory: Some(10_000), ..ReadOptions::default() };
    assert!(read(&bytes, &little).unwrap_err().kind() == ErrorKind::Resources);
    // More is there than the list of parts declares.
    let mut lying = bytes.clone();
    let declared = 20_000_u32;
    let directory = lying.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    let at = lying[..directory].windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    for at in [directory, at] {
        lying[at + 24..at + 28].copy_from_slice(&declared.to_le_bytes());
    }
    assert!(read(&lying, &ReadOptions::default()).unwrap_err().kind() == ErrorKind::Data);
}

#[test]
fn a_workbook_may_be_compressed_again_and_have_any_name() {
    let bytes = xlsx(|sheet| fill(sheet, 0, PEOPLE));
    let packed = zstd::encode_all(bytes.as_slice(), 3).unwrap();
    assert_eq!(rows_of(&packed), rows_of(&bytes));
}

#[test]
fn properties_of_the_author_do_not_matter() {
    let mut book = book(&[("People", PEOPLE)]);
    book.set_properties(&DocProperties::new().set_author("Ada"));
    assert_eq!(read_default(&book.save_to_buffer().unwrap()).coded.rows, 3);
}
