//! Reads and writes delimited text by RFC 4180. This is a second reader, so that a fault of the first cannot hide itself.

/// Reads all records.
pub(crate) fn read(text: &str, delimiter: char) -> Result<Vec<Vec<String>>, String> {
    let mut records = Vec::new();
    let (mut record, mut cell) = (Vec::new(), String::new());
    let mut characters = text.chars().peekable();
    let (mut quoted, mut any) = (false, false);
    while let Some(character) = characters.next() {
        any = true;
        if quoted {
            match (character, characters.peek()) {
                ('"', Some('"')) => {
                    cell.push('"');
                    characters.next();
                }
                ('"', _) => quoted = false,
                _ => cell.push(character),
            }
        } else if character == '"' && cell.is_empty() {
            quoted = true;
        } else if character == delimiter {
            record.push(std::mem::take(&mut cell));
        } else if character == '\n' {
            record.push(std::mem::take(&mut cell));
            records.push(std::mem::take(&mut record));
            any = false;
        } else if character == '\r' && characters.peek() == Some(&'\n') {
        } else {
            cell.push(character);
        }
    }
    if quoted {
        return Err("a quoted cell does not end".into());
    }
    if any {
        return Err("the last line does not end".into());
    }
    Ok(records)
}

/// Returns a cell as it is written.
pub(crate) fn cell(text: &str, delimiter: char) -> String {
    let special = |c: char| c == delimiter || c == '"' || c == '\n' || c == '\r';
    if text.contains(special) || text.starts_with(' ') || text.ends_with(' ') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Returns records as text.
pub(crate) fn write(records: impl Iterator<Item = Vec<String>>, delimiter: char) -> String {
    let mut text = String::new();
    for record in records {
        let cells: Vec<String> = record.iter().map(|text| cell(text, delimiter)).collect();
        // A single empty cell would be an empty line.
        text += if cells.len() == 1 && cells[0].is_empty() { "\"\"" } else { "" };
        text += &cells.join(&delimiter.to_string());
        text.push('\n');
    }
    text
}
