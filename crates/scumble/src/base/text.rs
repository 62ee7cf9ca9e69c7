//! Numbers as people read them, and texts of a table as they may be shown.

pub use scumble_files::shown::{on_one_line, printable};

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

/// A noun with its article: `an algorithm`.
pub(crate) fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {noun}")
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

/// What stands where there is no number.
pub(crate) const NOTHING: &str = "–";

/// Four significant digits; whole numbers and thousands in full; very large and very small ones as powers.
#[must_use]
pub fn number(number: f64) -> String {
    if !number.is_finite() {
        return if number == f64::INFINITY { "infinite".to_owned() } else { NOTHING.to_owned() };
    }
    let size = number.abs();
    let sign = if number < 0.0 { "−" } else { "" };
    if size == 0.0 {
        return "0".to_owned();
    }
    if !(1e-4..1e15).contains(&size) {
        return format!("{sign}{}", scientific(size));
    }
    // Rounding may carry into a further digit (999.96 becomes 1000), so it comes before choosing the form.
    let rounded = significant(size, 4);
    if rounded >= 1000.0 || size.fract() == 0.0 {
        return format!("{sign}{}", grouped(size.round() as u64));
    }
    let decimals = (3 - rounded.log10().floor() as i32).clamp(0, 8) as usize;
    format!("{sign}{}", trim_zeros(&format!("{rounded:.decimals$}")))
}

pub(crate) fn significant(number: f64, digits: i32) -> f64 {
    if number == 0.0 {
        return 0.0;
    }
    let factor = 10f64.powi(digits - 1 - number.abs().log10().floor() as i32);
    (number * factor).round() / factor
}

pub(crate) fn trim_zeros(text: &str) -> String {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text.to_owned()
    }
}

pub(crate) fn scientific(size: f64) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let text = format!("{size:.3e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String =
        exponent.chars().map(|c| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize])).collect();
    format!("{} × 10{raised}", trim_zeros(mantissa))
}

/// A text as Markdown shows it, also in a cell of a table: nothing in it is formatting, HTML, a link or a new line.
#[must_use]
pub fn markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let text = on_one_line(text);
    let mut before = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // Inside a word an underscore is no mark.
        let inside = before.is_alphanumeric() && characters.peek().is_some_and(|next| next.is_alphanumeric());
        before = character;
        match character {
            '_' if inside => shown.push('_'),
            '&' => shown.push_str("&amp;"),
            '<' => shown.push_str("&lt;"),
            '>' => shown.push_str("&gt;"),
            '.' if shown.ends_with("www") => shown.push_str("\\."),
            ':' if characters.peek() == Some(&'/') => shown.push_str("\\:"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '@' | '$' => {
                shown.push('\\');
                shown.push(character);
            }
            _ => shown.push(character),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{grouped, markdown, rows};

    #[test]
    fn markdown_shows_a_text_as_it_is() {
        assert_eq!(markdown("a|b`c`\n<b>"), "a\\|b\\`c\\`\\\\u{a}&lt;b&gt;");
        assert_eq!(
            markdown("[x](http://y) *z* marital-status"),
            "\\[x\\](http\\://y) \\*z\\* marital-status"
        );
        assert_eq!(markdown("plain_name _b_"), "plain_name \\_b\\_");
        assert_eq!(markdown("www.a.org a@b $x$ k: 5"), "www\\.a.org a\\@b \\$x\\$ k: 5");
    }

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn one_row_is_no_rows() {
        assert_eq!([0, 1, 1_500].map(rows), ["0 rows", "1 row", "1,500 rows"]);
    }
}
