//! Numbers as people read them.

/// A count with its thousands apart: `1,234,567`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun in the right number: `1 row`, `2,802 rows`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}

/// A number of rows: `1 row`, `2,802 rows`.
#[must_use]
pub fn rows(number: u64) -> String {
    counted(number, "row", "rows")
}

#[cfg(test)]
mod tests {
    use super::{grouped, rows};

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn one_row_is_no_rows() {
        assert_eq!([0, 1, 1_500].map(rows), ["0 rows", "1 row", "1,500 rows"]);
    }
}
