//! One spelling for each value of the columns that models read: a spelling can be a fingerprint, and two spellings of one value
//! hide nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use scumble_files::table::{CodedColumn, CodedTable, Codes};

use crate::config::{Column, Equality, Plan, Role, Roles};
use crate::kind::{Inference, Kind};
use crate::normal::Form;

/// A column of which some value had several spellings, as it was read.
#[derive(Debug, Clone)]
pub(crate) struct Respelt {
    /// The column as it was read.
    pub(crate) original: CodedColumn,
    /// The spellings of each such value, the one that is shown first. Private: they are values.
    pub(crate) spellings: Vec<Vec<String>>,
}

impl Respelt {
    /// What somebody should know, without values.
    pub(crate) fn note(&self) -> String {
        let values = self.spellings.len();
        let are = if values == 1 { "1 value is".to_owned() } else { format!("{values} values are") };
        format!(
            "column '{}': {are} written in several ways ({} spellings); each counts as one value, and the release shows its most \
             frequent spelling (equality = \"exact\" in the plan keeps them apart)",
            self.original.name,
            self.spellings.iter().map(Vec::len).sum::<usize>()
        )
    }

    /// The spellings themselves, for the private report.
    pub(crate) fn listed(&self) -> String {
        const MOST: usize = 20;
        let of_value =
            |texts: &Vec<String>| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        let shown: Vec<String> = self.spellings.iter().take(MOST).map(of_value).collect();
        let more = if self.spellings.len() > MOST { "; and others" } else { "" };
        format!("column '{}', spellings of one value: {}{more}", self.original.name, shown.join("; "))
    }
}

/// How the texts of a column are read, where its spellings do not count.
pub(super) fn form_of<'a>(
    column: &Column,
    missing: &[String],
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Form {
    let texts = texts.filter(|text| !missing.iter().any(|marker| marker == text));
    let kind = column.declared_kind().unwrap_or_else(|| match Kind::infer(texts.clone()) {
        Inference::Clear(kind) => kind,
        Inference::AmbiguousDate => Kind::Text,
    });
    Form::of(kind, texts)
}

/// The values of a column in one spelling each, if some have several.
fn respell(column: &CodedColumn, planned: &Column, missing: &[String]) -> Option<(CodedColumn, Respelt)> {
    let mut rows = vec![0_u64; column.values.len()];
    column.codes.iter().for_each(|code| rows[code as usize] += 1);
    let present = || (0_u32..).zip(column.values.iter()).filter(|(code, _)| rows[*code as usize] > 0);
    let form = form_of(planned, missing, present().map(|(_, text)| text));
    let markers: Vec<String> = missing.iter().map(|marker| form.key(marker)).collect();
    let mut by_value: BTreeMap<Option<String>, Vec<u32>> = BTreeMap::new();
    for (code, text) in present() {
        let key = Some(form.key(text)).filter(|key| !markers.contains(key));
        by_value.entry(key).or_default().push(code);
    }
    let is_marker = |text: &str| missing.iter().any(|marker| marker == text);
    let mut shown: Vec<Cow<'_, str>> = column.values.iter().map(Cow::Borrowed).collect();
    let mut spellings = Vec::new();
    for (key, mut codes) in by_value {
        // The most frequent first; ties by content, and codes ascend with their texts.
        codes.sort_by_key(|code| (std::cmp::Reverse(rows[*code as usize]), *code));
        let texts = || codes.iter().map(|code| column.values.get(*code));
        // A missing value is told by a text that is known to mean one.
        let chosen = match key {
            Some(_) => texts().next(),
            None => texts().find(|text| is_marker(text)).or_else(|| missing.first().map(String::as_str)),
        };
        let Some(chosen) = chosen.filter(|chosen| texts().any(|text| text != *chosen)) else { continue };
        let others = texts().filter(|text| *text != chosen);
        spellings.push(std::iter::once(chosen).chain(others).map(str::to_owned).collect());
        for code in &codes {
            shown[*code as usize] = Cow::Owned(chosen.to_owned());
        }
    }
    if spellings.is_empty() {
        return None;
    }
    let mut sorted: Vec<&str> = present().map(|(code, _)| &*shown[code as usize]).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let place: HashMap<&str, u32> = sorted.iter().copied().zip(0..).collect();
    let codes: Vec<u32> = column.codes.iter().map(|code| place[&*shown[code as usize]]).collect();
    let respelt = CodedColumn {
        name: column.name.clone(),
        codes: Codes::narrow(sorted.len(), &codes),
        values: sorted.into_iter().collect(),
    };
    Some((respelt, Respelt { original: column.clone(), spellings }))
}

/// Whether the spellings of a column's values do not count: it is sensitive, says who a row is about, or some model reads it.
pub(crate) fn counts_values(name: &str, plan: &Plan) -> bool {
    let column = plan.column(name);
    let has = |role| column.is_some_and(|column| column.role.has(role));
    let named = plan.privacy.iter().any(|spec| spec.columns.iter().any(|of| of == name));
    column.is_none_or(|column| column.equality != Equality::Exact)
        && (has(Role::Sensitive) || has(Role::Subject) || named || plan.counted_columns().contains(&name))
        && !has(Role::Quasi)
}

/// Gives every value of the columns that models read one spelling. Returns those that had several.
pub(crate) fn spell_once(table: &mut CodedTable, plan: &Plan) -> Vec<Respelt> {
    let unplanned = Column::new(Roles::one(Role::Sensitive));
    let mut found = Vec::new();
    for column in table.columns.iter_mut().filter(|column| counts_values(&column.name, plan)) {
        let planned = plan.column(&column.name).unwrap_or(&unplanned);
        let missing = planned.missing.as_ref().unwrap_or(&plan.read.missing);
        if let Some((respelt, of)) = respell(column, planned, missing) {
            *column = respelt;
            found.push(of);
        }
    }
    found
}

/// The same table with one spelling for each value of the columns that models read, as a release shows them.
#[must_use]
pub fn spelt_once<'a>(table: &'a CodedTable, plan: &Plan) -> Cow<'a, CodedTable> {
    let unplanned = Column::new(Roles::one(Role::Sensitive));
    let mut spelt = Cow::Borrowed(table);
    for (place, column) in table.columns.iter().enumerate() {
        if !counts_values(&column.name, plan) {
            continue;
        }
        let planned = plan.column(&column.name).unwrap_or(&unplanned);
        let missing = planned.missing.as_ref().unwrap_or(&plan.read.missing);
        if let Some((respelt, _)) = respell(column, planned, missing) {
            spelt.to_mut().columns[place] = respelt;
        }
    }
    spelt
}

/// The table as it was read, from one with single spellings.
pub(crate) fn as_read<'a>(table: &'a CodedTable, respelt: &[Respelt]) -> Cow<'a, CodedTable> {
    let mut original = Cow::Borrowed(table);
    for of in respelt {
        if let Some(place) = table.columns.iter().position(|column| column.name == of.original.name) {
            original.to_mut().columns[place] = of.original.clone();
        }
    }
    original
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(texts: &[&str]) -> CodedTable {
        let column = CodedColumn::of_texts("ill", texts.iter().copied());
        CodedTable { columns: vec![column], rows: texts.len() }
    }

    fn plan() -> Plan {
        let mut plan = Plan::new("in.csv", "out.csv");
        plan.columns.push(("ill".to_owned(), Column::new(Roles::one(Role::Sensitive))));
        plan
    }

    fn texts(table: &CodedTable) -> Vec<String> {
        let column = &table.columns[0];
        column.codes.iter().map(|code| column.values.get(code).to_owned()).collect()
    }

    #[test]
    fn the_most_frequent_spelling_is_shown() {
        let read = table(&["hiv", "HIV ", "HIV ", "flu", "Flu", "na", "?", "?"]);
        let mut spelt = read.clone();
        let found = spell_once(&mut spelt, &plan());
        assert_eq!(texts(&spelt), ["HIV ", "HIV ", "HIV ", "Flu", "Flu", "?", "?", "?"]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].spellings.len(), 3);
        assert!(!found[0].note().contains("HIV"));
        assert_eq!(texts(&as_read(&spelt, &found)), texts(&read));
        assert_eq!(texts(&spelt_once(&read, &plan())), texts(&spelt));
        let mut exact = plan();
        exact.columns[0].1.equality = Equality::Exact;
        assert!(spell_once(&mut read.clone(), &exact).is_empty());
    }

    #[test]
    fn a_missing_value_is_shown_as_one_that_is_known() {
        let mut blank = table(&["flu", " ", "  ", "\u{200b}"]);
        spell_once(&mut blank, &plan());
        let shown = texts(&blank);
        assert!(plan().read.missing.contains(&shown[1]) && shown[1] == shown[2] && shown[2] == shown[3]);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(500))]
        /// The verifier has its own rule: it finds the spelling true, no value in two spellings, and as many values.
        #[test]
        fn the_verifier_reads_the_same_values(
            texts in proptest::collection::vec(
                r"[aAbB\u{e9}\u{c9}]{1,2}|e\u{301}|[ \u{a0}\u{200b}]?[ab5]|\+?0?[0-3](\.0|,5|,50|e1)?|0?[1-3][./]0?[1-3][./]2020|2020[-/]0[1-3]-?/?[1-3]|1[3-5]/0[1-3]/2020|\?|na|NA| |\u{df}|ss|SS|-9|\u{3c3}|\u{3c2}|\u{3a3}",
                1..12,
            ),
        ) {
            use scumble_verify::{Drops, Truth, check_truth_with_map, further_spellings, in_normal_form};
            let read = table(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let plan = plan();
            let spelt = spelt_once(&read, &plan);
            let (values, _) = super::super::payload_of(&spelt.columns[0], &plan).expect("a column");
            let column = crate::release::check::sensitive_column(&values, &plan);
            proptest::prop_assert_eq!(further_spellings(&spelt, &column).expect("a column"), 0);
            let rows: Vec<u32> = (0..read.rows as u32).collect();
            let truths = [("ill".to_owned(), Truth::Same(column.clone()))];
            let truth = check_truth_with_map(&spelt, &read, &rows, &truths, Drops::Forbidden).expect("tables");
            proptest::prop_assert!(truth.holds);
            let plain = in_normal_form(&read, &[column], None).expect("a column");
            let count = |table: &CodedTable| {
                let mut texts = texts_of(table);
                texts.sort_unstable();
                texts.dedup();
                texts.len()
            };
            proptest::prop_assert_eq!(count(&plain), count(&spelt));
        }
    }

    fn texts_of(table: &CodedTable) -> Vec<String> {
        texts(table)
    }
}
