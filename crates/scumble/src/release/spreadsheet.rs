//! Texts that spreadsheet programs run instead of showing them.

use super::Run;
use crate::text::{counted, on_one_line};

/// A warning where the release is delimited text and a program that opens it would take a name or a text for a formula.
pub(super) fn warning(run: &Run<'_>) -> Option<String> {
    let output = std::path::Path::new(&run.plan.output);
    let is_text = run.plan.output == "-"
        || matches!(scumble_files::format_for(output), Ok(scumble_files::OutFormat::Csv { .. }));
    if !is_text {
        return None;
    }
    let columns = run.source.by_name();
    let quasi = run.problem.quasi.iter().map(|quasi| quasi.name.as_str());
    let found: Vec<&str> = quasi
        .chain(run.kept_columns())
        .filter(|name| {
            let texts = columns.get(name).map(|column| &column.values);
            is_formula(name) || texts.is_some_and(|texts| texts.iter().any(is_formula))
        })
        .collect();
    let first = found.first()?;
    Some(format!(
        "{} texts that begin with =, +, - or @ (the first is '{}'): spreadsheet programs run these as formulas when they \
         open the file. Publish it as Parquet, or tell its readers to import the column as text",
        counted(found.len() as u64, "column has", "columns have"),
        on_one_line(first)
    ))
}

/// Whether a spreadsheet program would run a text. A number with a sign is a number.
fn is_formula(text: &str) -> bool {
    let mut characters = text.chars();
    match characters.next() {
        Some('+' | '-') => {
            let number = |character: char| character.is_ascii_digit() || matches!(character, '.' | ',');
            let rest = characters.as_str();
            rest.is_empty() || !rest.chars().all(number)
        }
        // Programs read the wide forms of East Asian keyboards as well, and pass over a tab or line end.
        Some('=' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠') => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_formula;

    #[test]
    fn formulas_and_numbers() {
        for text in ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "-", "＝1"] {
            assert!(is_formula(text), "{text}");
        }
        for text in ["", "-5", "+3.25", "-1,5", "a=b", "5-", "*", "[1,2]"] {
            assert!(!is_formula(text), "{text}");
        }
    }
}
