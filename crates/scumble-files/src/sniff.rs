//! Detects the dialect of a delimited text file: its delimiter, and whether it has a header.

/// The delimiters that are tried, the most common first.
pub(crate) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The number of records that are examined.
const RECORDS: usize = 100;

/// Returns the delimiter that cuts the sample most evenly, with as many records as possible having as many fields as the first.
/// Returns `None` if no delimiter cuts the first record. `is_whole` says that the sample is the whole file; if not, its last
/// record may be cut and does not count.
pub(crate) fn delimiter(sample: &[u8], is_whole: bool, quote: u8) -> Option<u8> {
    let mut best: Option<((usize, usize), u8)> = None;
    for delimiter in DELIMITERS.into_iter().filter(|&delimiter| delimiter != quote) {
        let counts = field_counts(sample, is_whole, delimiter, quote);
        let Some(&fields) = counts.first() else { continue };
        if fields < 2 {
            continue;
        }
        let agreeing = counts.iter().filter(|&&count| count == fields).count();
        // Evenness in percent counts first, then the number of fields.
        let score = (100 * agreeing / counts.len(), fields);
        if best.is_none_or(|(best, _)| score > best) {
            best = Some((score, delimiter));
        }
    }
    best.map(|(_, delimiter)| delimiter)
}

/// A delimiter in a message: `','`, `a tab`.
pub(crate) fn shown(delimiter: u8) -> String {
    match delimiter {
        b'\t' => "a tab".to_owned(),
        other => format!("'{}'", char::from(other)),
    }
}

/// The number of fields of each of the first records.
fn field_counts(sample: &[u8], is_whole: bool, delimiter: u8, quote: u8) -> Vec<usize> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quote(quote)
        .from_reader(sample);
    let mut record = csv::ByteRecord::new();
    let mut counts = Vec::new();
    // Reading from memory with flexible lengths cannot fail.
    while counts.len() <= RECORDS && reader.read_byte_record(&mut record).unwrap_or(false) {
        counts.push(record.len());
    }
    // The last record may be cut, or was read only to show that the one before it is whole.
    if counts.len() > RECORDS || (!is_whole && counts.len() > 1) {
        counts.pop();
    }
    counts
}

/// Whether these cells are a header: none of them is a number or a date.
pub(crate) fn is_header(cells: &[String]) -> bool {
    !cells.iter().any(|cell| is_number(cell.trim()) || is_date(cell.trim()))
}

/// Whether a text is a number, with a decimal point or comma.
pub(crate) fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = text.split_once(['e', 'E']).map_or((text, None), |(m, e)| (m, Some(e)));
    let (whole, fraction) = mantissa.split_once(['.', ',']).unwrap_or((mantissa, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let exponent_holds = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && all_digits(digits)
    });
    !(whole.is_empty() && fraction.is_empty()) && all_digits(whole) && all_digits(fraction) && exponent_holds
}

/// Whether a text is a date in digits: year, month and day in any order, perhaps followed by a time.
pub(crate) fn is_date(text: &str) -> bool {
    let date = text.split(['T', ' ']).next().unwrap_or(text);
    ['-', '/', '.'].into_iter().any(|separator| {
        let parts: Vec<&str> = date.split(separator).collect();
        parts.len() == 3
            && parts
                .iter()
                .all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(sample: &str) -> Option<u8> {
        delimiter(sample.as_bytes(), true, b'"')
    }

    #[test]
    fn finds_the_delimiter() {
        assert_eq!(whole("a,b\n1,2\n"), Some(b','));
        assert_eq!(whole("a;b;c\n1,5;2,5;3\n"), Some(b';'));
        assert_eq!(whole("a\tb\n1,2\t3\n"), Some(b'\t'));
        assert_eq!(whole("a|b\n1|2\n"), Some(b'|'));
        assert_eq!(whole("a\n1\n"), None);
        assert_eq!(whole(""), None);
    }

    #[test]
    fn quotes_and_raggedness_do_not_mislead() {
        assert_eq!(whole("a;b\n\"x,y,z\";1\n\"x,y\";2\n"), Some(b';'));
        assert_eq!(whole("a,b;c\n1,2;3\n1,2;3;4\n"), Some(b','));
        assert_eq!(whole("a;b;c\n1;2;3\n1;2\n1;2;3\n"), Some(b';'));
        // The last record of a partial sample may be cut, and does not count.
        assert_eq!(delimiter(b"a,b;c;d\n1,2;3;4\n5,6", false, b'"'), Some(b';'));
        assert_eq!(delimiter(b"a,b;c;d\n1,2;3;4\n5,6", true, b'"'), Some(b','));
    }

    #[test]
    fn headers_hold_no_numbers_and_no_dates() {
        let header = |cells: &[&str]| is_header(&cells.iter().map(|&c| c.to_owned()).collect::<Vec<_>>());
        assert!(header(&["age", "date of birth", "q1", "e5", "-", "a.b.c", ""]));
        for cell in ["39", " -1.5 ", "1,5", ".5", "1e5", "2.E-3", "2020-01-31", "31.1.2020", "1/31/20 10:00"]
        {
            assert!(!header(&["name", cell]), "{cell}");
        }
    }
}
