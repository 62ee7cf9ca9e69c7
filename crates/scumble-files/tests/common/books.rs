//! Workbooks made for tests: `.xlsx` by the crate that writes them, `.ods` and `.xls` by hand.
#![allow(dead_code, clippy::unwrap_used)]

use std::io::{Cursor, Write as _};

use rust_xlsxwriter::{Workbook, Worksheet};
use zip::write::SimpleFileOptions;

/// An `.xlsx` file with one sheet.
pub(crate) fn xlsx(fill: impl FnOnce(&mut Worksheet)) -> Vec<u8> {
    let mut book = Workbook::new();
    fill(book.add_worksheet());
    book.save_to_buffer().unwrap()
}

/// Writes rows of texts; what looks like a number is written as one.
pub(crate) fn fill(sheet: &mut Worksheet, from: u32, rows: &[&[&str]]) {
    for (row, cells) in (from..).zip(rows) {
        for (column, cell) in (0..).zip(*cells) {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write_number(row, column, number).unwrap(),
                Err(_) => sheet.write_string(row, column, *cell).unwrap(),
            };
        }
    }
}

/// A table of three columns.
pub(crate) const PEOPLE: &[&[&str]] =
    &[&["age", "sex", "zip"], &["39", "m", "01067x"], &["50", "f", "08001x"], &["39", "f", "01069x"]];

/// Returns a ZIP archive of these parts.
pub(crate) fn zipped(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// An `.xlsx` file written by hand, with this sheet and list of shared texts.
pub(crate) fn bare_xlsx(sheet: &str, shared: &str) -> Vec<u8> {
    let relations = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">";
    let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    let root = format!(
        "{relations}<Relationship Id=\"rId1\" Type=\"{office}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
    );
    let of_book = format!(
        "{relations}<Relationship Id=\"rId1\" Type=\"{office}/worksheet\" Target=\"worksheets/sheet1.xml\"/></Relationships>"
    );
    let book = format!(
        "<workbook xmlns:r=\"{office}\"><sheets><sheet name=\"S\" sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
    );
    let sheet = format!("<worksheet>{sheet}</worksheet>");
    zipped(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("_rels/.rels", root.as_bytes()),
        ("xl/workbook.xml", book.as_bytes()),
        ("xl/_rels/workbook.xml.rels", of_book.as_bytes()),
        ("xl/sharedStrings.xml", shared.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ])
}

/// An `.ods` file; `table` is the inside of its one sheet, `manifest` that of its list of files.
pub(crate) fn ods(table: &str, manifest: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet><table:table table:name=\"People\">{table}</table:table>\
         </office:spreadsheet></office:body></office:document-content>"
    );
    let manifest = format!("<manifest:manifest>{manifest}</manifest:manifest>");
    zipped(&[
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
        ("META-INF/manifest.xml", manifest.as_bytes()),
        ("content.xml", content.as_bytes()),
    ])
}

/// A cell of an `.ods` file.
pub(crate) fn ods_cell(attributes: &str, text: &str) -> String {
    format!("<table:table-cell {attributes}><text:p>{text}</text:p></table:table-cell>")
}

/// A row of texts of an `.ods` file.
pub(crate) fn ods_row(cells: &[String]) -> String {
    format!("<table:table-row>{}</table:table-row>", cells.concat())
}

pub(crate) fn ods_text(text: &str) -> String {
    ods_cell("office:value-type=\"string\"", text)
}

/// A cell of an `.xls` file.
pub(crate) enum Old<'a> {
    Text(&'a str),
    Number(f64),
    /// A number with the date format.
    Date(f64),
    True,
    NotAvailable,
}

fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &(data.len() as u16).to_le_bytes(), data].concat()
}

/// An `.xls` file (BIFF8) with one sheet.
pub(crate) fn xls(rows: &[Vec<Old<'_>>], from_1904: bool) -> Vec<u8> {
    old_container("Workbook", &xls_records(rows, from_1904))
}

/// The records of a workbook with one sheet.
pub(crate) fn xls_records(rows: &[Vec<Old<'_>>], from_1904: bool) -> Vec<u8> {
    let begin = |what: u16| record(0x0809, &[&[0, 6][..], &what.to_le_bytes(), &[0; 12]].concat());
    let format = |number: u16| record(0x00e0, &[&[0, 0][..], &number.to_le_bytes(), &[0; 16]].concat());
    let end = record(0x000a, &[]);
    let mut head = begin(5);
    head.extend(record(0x0022, &[u8::from(from_1904), 0]));
    head.extend(format(0));
    head.extend(format(14));
    let sheet_length = 4 + 8 + 6;
    let start = (head.len() + sheet_length + end.len()) as u32;
    let name = [&start.to_le_bytes()[..], &[0, 0, 6, 0], b"People"].concat();
    head.extend(record(0x0085, &name));
    head.extend(&end);
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0) as u16;
    let mut sheet = begin(0x10);
    let size = [0_u32.to_le_bytes(), (rows.len() as u32).to_le_bytes()].concat();
    sheet.extend(record(0x0200, &[&size[..], &[0, 0], &columns.to_le_bytes(), &[0, 0]].concat()));
    for (row, cells) in (0_u16..).zip(rows) {
        for (column, cell) in (0_u16..).zip(cells) {
            let place = |style: u16| [row, column, style].map(u16::to_le_bytes).concat();
            sheet.extend(match cell {
                Old::Text(text) => {
                    let data = [&place(0)[..], &(text.len() as u16).to_le_bytes(), &[0], text.as_bytes()];
                    record(0x0204, &data.concat())
                }
                Old::Number(number) => record(0x0203, &[&place(0)[..], &number.to_le_bytes()].concat()),
                Old::Date(number) => record(0x0203, &[&place(1)[..], &number.to_le_bytes()].concat()),
                Old::True => record(0x0205, &[&place(0)[..], &[1, 0]].concat()),
                Old::NotAvailable => record(0x0205, &[&place(0)[..], &[0x2a, 1]].concat()),
            });
        }
    }
    sheet.extend(&end);
    [head, sheet].concat()
}

/// The container of old Office files, with one stream. Its sectors of 512 bytes: the chains, the folder, the stream.
pub(crate) fn old_container(name: &str, stream: &[u8]) -> Vec<u8> {
    const FREE: u32 = u32::MAX;
    const END: u32 = 0xffff_fffe;
    let mut stream = stream.to_vec();
    // Shorter streams would stand in small sectors.
    stream.resize(stream.len().max(4096).next_multiple_of(512), 0);
    let sectors = stream.len() / 512;
    let mut chains = vec![0xffff_fffd, END];
    chains.extend((0..sectors as u32).map(|at| if at + 1 == sectors as u32 { END } else { at + 3 }));
    chains.resize(128, FREE);
    let mut header = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    header.resize(24, 0);
    header.extend([0x3e, 0, 3, 0, 0xfe, 0xff, 9, 0, 6, 0]);
    header.resize(44, 0);
    // One sector of chains; the folder begins in sector 1; no small sectors, no further lists of chains.
    for number in [1, 1, 0, 4096, END, 0, END, 0, 0] {
        header.extend(u32::to_le_bytes(number));
    }
    for _ in 1..109 {
        header.extend(FREE.to_le_bytes());
    }
    let entry = |name: &str, kind: u8, start: u32, length: usize| {
        let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let named = entry.len() as u16 + 2;
        entry.resize(64, 0);
        entry.extend(named.to_le_bytes());
        entry.extend([kind, 1]);
        entry.resize(116, 0xff);
        entry.extend(start.to_le_bytes());
        entry.extend((length as u64).to_le_bytes());
        entry
    };
    let mut folder = [entry("Root Entry", 5, END, 0), entry(name, 2, 2, stream.len())].concat();
    folder.resize(512, 0);
    let chains: Vec<u8> = chains.into_iter().flat_map(u32::to_le_bytes).collect();
    [header, chains, folder, stream].concat()
}
