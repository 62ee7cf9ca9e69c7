//! Numbers and lists as people write them.

use super::amount::Amount;
pub(crate) use crate::base::text::NOTHING;
pub use crate::base::text::{grouped as count, number};
use crate::base::text::{significant, trim_zeros};

/// A space that does not break, for between a number and its unit.
const NBSP: char = '\u{a0}';

/// `count` and a noun in the right number: `1 row`, `2,802 rows`.
#[must_use]
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{}{NBSP}{}", count(number), if number == 1 { one } else { many })
}

/// An amount; `infinite` and a dash where there is no number.
pub(crate) fn amount(amount: Amount) -> String {
    match amount {
        Amount::Finite(value) => number(value),
        Amount::Infinite => "infinite".to_owned(),
        Amount::Undefined => NOTHING.to_owned(),
    }
}

/// A share as a percentage with three significant digits. What is not exactly nothing or everything is
/// never shown as 0 % or 100 %: the difference is somebody's row.
#[must_use]
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return NOTHING.to_owned();
    }
    let percent = share * 100.0;
    let text = if percent > 0.0 && percent < 0.001 {
        "< 0.001".to_owned()
    } else if (99.95..100.0).contains(&percent) {
        "> 99.9".to_owned()
    } else if percent >= 10.0 {
        trim_zeros(&format!("{percent:.1}"))
    } else {
        let rounded = significant(percent, 3);
        trim_zeros(&format!("{rounded:.4}"))
    };
    format!("{text}{NBSP}%")
}

/// `part` of `whole` as a percentage; a dash of nothing.
#[must_use]
pub fn share(part: u64, whole: u64) -> String {
    ratio(part, whole).map_or_else(|| NOTHING.to_owned(), percent)
}

/// `part / whole`, unless there is no whole.
pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Memory in decimal units.
pub(crate) fn bytes(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => return counted(bytes, "byte", "bytes"),
        1_000..1_000_000 => (1e3, "kB"),
        1_000_000..1_000_000_000 => (1e6, "MB"),
        _ => (1e9, "GB"),
    };
    format!("{}{NBSP}{name}", trim_zeros(&format!("{:.1}", bytes as f64 / unit)))
}

/// A length of time.
pub(crate) fn seconds(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        NOTHING.to_owned()
    } else if seconds < 0.001 {
        format!("< 1{NBSP}ms")
    } else if seconds < 1.0 {
        format!("{:.0}{NBSP}ms", seconds * 1000.0)
    } else if seconds < 60.0 {
        format!("{}{NBSP}s", trim_zeros(&format!("{seconds:.1}")))
    } else {
        let whole = seconds.round() as u64;
        format!("{}{NBSP}min {}{NBSP}s", count(whole / 60), whole % 60)
    }
}

/// `a`, `a and b`, `a, b and c`; beyond `limit` names, `a, b and 4 more`.
#[must_use]
pub fn list<S: AsRef<str>>(names: &[S], limit: usize) -> String {
    let joined = |names: &[S]| names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        _ if names.len() > limit + 1 => {
            format!("{} and {} more", joined(&names[..limit]), names.len() - limit)
        }
        [most @ .., last] => format!("{} and {}", joined(most), last.as_ref()),
    }
}

/// The first letter as a capital.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// At most `limit` characters, the last of them an ellipsis if something was cut.
pub(crate) fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// Shortens a name, with an ellipsis in the middle.
#[must_use]
pub(crate) fn without_middle(text: &str, limit: usize) -> String {
    let signs: Vec<char> = text.chars().collect();
    if signs.len() <= limit {
        return text.to_owned();
    }
    let kept = limit.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    let (head, tail): (String, String) =
        (signs[..head].iter().collect(), signs[signs.len() - tail..].iter().collect());
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(super::without_middle("postcode", 8), "postcode");
        assert_eq!(super::without_middle("date_of_birth_of_the_mother", 9), "date…ther");
        assert_eq!(super::without_middle("größenänderung", 6), "grö…ng");
    }

    use super::*;

    /// With ordinary spaces, which are easier to type and to compare.
    fn plain(text: &str) -> String {
        text.replace(NBSP, " ")
    }

    #[test]
    fn counts_have_commas() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plain(&counted(1, "row", "rows")), "1 row");
        assert_eq!(plain(&counted(2802, "row", "rows")), "2,802 rows");
    }

    #[test]
    fn numbers_have_four_significant_digits() {
        assert_eq!(number(0.0), "0");
        assert_eq!(number(0.123_456), "0.1235");
        assert_eq!(number(12.3456), "12.35");
        assert_eq!(number(1.5), "1.5");
        assert_eq!(number(-0.25), "−0.25");
        assert_eq!(number(999.96), "1,000");
        assert_eq!(number(9.9999), "10");
        assert_eq!(number(51_234.7), "51,235");
        assert_eq!(number(2_045_222_884.0), "2,045,222,884");
        assert_eq!(number(1.5e18), "1.5 × 10¹⁸");
        assert_eq!(number(0.000_012_345), "1.234 × 10⁻⁵");
        assert_eq!(number(f64::INFINITY), "infinite");
        assert_eq!(number(f64::NAN), NOTHING);
    }

    #[test]
    fn a_share_is_nothing_or_everything_only_if_it_is() {
        assert_eq!(plain(&percent(0.0)), "0 %");
        assert_eq!(plain(&percent(1.0)), "100 %");
        assert_eq!(plain(&percent(0.123_45)), "12.3 %");
        assert_eq!(plain(&percent(0.0212)), "2.12 %");
        assert_eq!(plain(&percent(0.000_52)), "0.052 %");
        assert_eq!(plain(&percent(0.000_000_1)), "< 0.001 %");
        assert_eq!(plain(&percent(0.999_99)), "> 99.9 %");
        assert_eq!(plain(&percent(0.9994)), "99.9 %");
        assert_eq!(plain(&percent(0.9995)), "> 99.9 %");
        assert_eq!(share(1, 0), NOTHING);
    }

    #[test]
    fn units_fit_the_size() {
        assert_eq!(plain(&bytes(812)), "812 bytes");
        assert_eq!(plain(&bytes(1_300_000_000)), "1.3 GB");
        assert_eq!(plain(&seconds(0.0123)), "12 ms");
        assert_eq!(plain(&seconds(3.0)), "3 s");
        assert_eq!(plain(&seconds(192.4)), "3 min 12 s");
        assert_eq!(seconds(f64::NAN), NOTHING);
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(list::<&str>(&[], 3), "");
        assert_eq!(list(&["a"], 3), "a");
        assert_eq!(list(&["a", "b", "c"], 3), "a, b and c");
        // One name too many is spelt out: "and 1 more" would be as long.
        assert_eq!(list(&["a", "b", "c", "d"], 3), "a, b, c and d");
        assert_eq!(list(&["a", "b", "c", "d", "e"], 3), "a, b, c and 2 more");
        assert_eq!(shortened("Machine-op-inspct", 8), "Machine…");
        assert_eq!(capitalised("émile"), "Émile");
    }
}
