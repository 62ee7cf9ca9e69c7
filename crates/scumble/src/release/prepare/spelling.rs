//! Gives each value of the columns that models read one spelling. A spelling can identify a person like a fingerprint, and two spellings of one
//! value do not protect anybody.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Deref;

use scumble_files::table::{CodedColumn, CodedTable, Codes};

use crate::config::{Column, Equality, Plan, Role, Roles};
use crate::error::{Error, Result, Setting};
use crate::release::prepare::select;
use crate::table::kind::Kind;
use crate::table::normal::Form;

/// A table with one spelling for each value of the columns that models read. A column in which a value had several spellings is also kept as it
/// was read, because a verifier needs it to see whether a spelling is true.
#[derive(Debug, Clone)]
pub struct SpeltTable {
    table: CodedTable,
    respelt: Vec<Respelt>,
}

impl Deref for SpeltTable {
    type Target = CodedTable;

    fn deref(&self) -> &CodedTable {
        &self.table
    }
}

impl SpeltTable {
    /// Gives every value one spelling. Refuses a table in which it is unclear whether two texts are one value.
    pub fn of(mut table: CodedTable, plan: &Plan) -> Result<Self> {
        let mut respelt = Vec::new();
        for (place, column, of) in respelt_columns(&table, plan)? {
            table.columns[place] = column;
            respelt.push(of);
        }
        Ok(Self { table, respelt })
    }

    /// Does the same for another plan, whose models may read other columns, or for a part of the rows, which may show less of
    /// how texts are to be read.
    pub(crate) fn by(&self, plan: &Plan) -> Result<Cow<'_, Self>> {
        let mut spelt = Cow::Borrowed(self);
        for (place, column, of) in respelt_columns(self, plan)? {
            let spelt = spelt.to_mut();
            spelt.table.columns[place] = column;
            if !spelt.is_respelt(&of.original.name) {
                spelt.respelt.push(of);
            }
        }
        Ok(spelt)
    }

    /// The given rows, in that order.
    #[must_use]
    pub fn select(&self, rows: &[u32]) -> Self {
        let part = |of: &Respelt| Respelt {
            original: select::column(&of.original, rows),
            spellings: of.spellings.clone(),
        };
        Self { table: select::rows(self, rows), respelt: self.respelt.iter().map(part).collect() }
    }

    /// The table as it was read.
    pub(crate) fn as_read(&self) -> Cow<'_, CodedTable> {
        let mut original = Cow::Borrowed(&self.table);
        for of in &self.respelt {
            if let Some(place) = self.columns.iter().position(|column| column.name == of.original.name) {
                original.to_mut().columns[place] = of.original.clone();
            }
        }
        original
    }

    /// A column as it was read, if some value of it had several spellings.
    pub(crate) fn respelt(&self, name: &str) -> Option<&CodedColumn> {
        self.respelt.iter().map(|of| &of.original).find(|column| column.name == name)
    }

    /// Whether some value of a column had several spellings.
    pub(crate) fn is_respelt(&self, name: &str) -> bool {
        self.respelt(name).is_some()
    }

    /// Notes about the spellings, without values.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        self.respelt.iter().map(Respelt::note)
    }

    /// The spellings themselves, for the private report.
    pub(crate) fn listed(&self) -> impl Iterator<Item = String> {
        self.respelt.iter().map(Respelt::listed)
    }
}

/// A column in which some value had several spellings, as it was read.
#[derive(Debug, Clone)]
struct Respelt {
    /// The column as it was read.
    original: CodedColumn,
    /// The spellings of each such value, beginning with the one that is shown. Private: they are values.
    spellings: Vec<Vec<String>>,
}

impl Respelt {
    /// The note about the column, without values.
    fn note(&self) -> String {
        let values = self.spellings.len();
        let are = if values == 1 { "1 value is".to_owned() } else { format!("{values} values are") };
        format!(
            "column '{}': {are} written in several ways ({} spellings); each counts as one value, and the release shows one \
             spelling of it (equality = \"exact\" in the plan keeps them apart)",
            self.original.name,
            self.spellings.iter().map(Vec::len).sum::<usize>()
        )
    }

    /// The spellings themselves, for the private report.
    fn listed(&self) -> String {
        const MOST: usize = 20;
        let of_value =
            |texts: &Vec<String>| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        let shown: Vec<String> = self.spellings.iter().take(MOST).map(of_value).collect();
        let more = if self.spellings.len() > MOST { "; and others" } else { "" };
        format!("column '{}', spellings of one value: {}{more}", self.original.name, shown.join("; "))
    }
}

/// How the texts of a column are read, where spelling does not matter.
pub(super) fn form_of<'a>(
    column: &Column,
    missing: &[String],
    texts: impl Iterator<Item = &'a str> + Clone,
) -> Form {
    let texts = texts.filter(|text| !missing.iter().any(|marker| marker == text));
    // An undeclared kind is inferred from the texts, here and in the verifier.
    let kind = column.declared_kind().unwrap_or(Kind::Text);
    Form::of(kind, texts)
}

/// How a column is read, going by the texts that some row has.
fn form_of_rows(column: &CodedColumn, planned: &Column, missing: &[String]) -> Form {
    let mut has_rows = vec![false; column.values.len()];
    column.codes.iter().for_each(|code| has_rows[code as usize] = true);
    let present = column.values.iter().zip(&has_rows).filter(|(_, has_rows)| **has_rows);
    form_of(planned, missing, present.map(|(text, _)| text))
}

/// For each text of a column a number: texts have one number if they are spellings of one value, as the plan has it.
pub(crate) fn value_of_text(column: &CodedColumn, plan: &Plan) -> Vec<u32> {
    let planned = plan.column(&column.name).filter(|planned| planned.equality == Equality::Normal);
    let Some(planned) = planned else { return (0..column.values.len() as u32).collect() };
    let missing = planned.missing.as_ref().unwrap_or(&plan.read.missing);
    let form = form_of_rows(column, planned, missing);
    let mut numbers: HashMap<String, u32> = HashMap::new();
    let mut number = |text: &str| {
        let next = numbers.len() as u32;
        *numbers.entry(form.key(text)).or_insert(next)
    };
    column.values.iter().map(&mut number).collect()
}

/// Gives each value of a column one spelling; `None` if none has several.
fn respell(column: &CodedColumn, planned: &Column, missing: &[String]) -> Option<(CodedColumn, Respelt)> {
    let mut rows = vec![0_u64; column.values.len()];
    column.codes.iter().for_each(|code| rows[code as usize] += 1);
    let present = || (0_u32..).zip(column.values.iter()).filter(|(code, _)| rows[*code as usize] > 0);
    let form = form_of(planned, missing, present().map(|(_, text)| text));
    let markers: Vec<String> = missing.iter().map(|marker| form.key(marker)).collect();
    let mut by_value: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    let mut absent: Vec<u32> = Vec::new();
    for (code, text) in present() {
        let key = form.key(text);
        if markers.contains(&key) {
            absent.push(code);
        } else {
            by_value.entry(key).or_default().push(code);
        }
    }
    // The most frequent spelling first, then the shortest: `5` rather than `05`. Codes ascend with their texts.
    let first = |code: &u32| {
        (std::cmp::Reverse(rows[*code as usize]), column.values.get(*code).chars().count(), *code)
    };
    let mut values: Vec<Vec<u32>> = by_value.into_values().collect();
    values.iter_mut().chain([&mut absent]).for_each(|codes| codes.sort_by_key(first));
    keep_a_proof(&form, |texts| form_of(planned, missing, texts.iter().copied()), &mut values, column);
    // A missing value is shown by a text that is known to mean one.
    let is_marker = |text: &&str| missing.iter().any(|marker| marker == text);
    let told = absent.iter().map(|code| column.values.get(*code)).find(is_marker);
    let told = told.or(missing.first().map(String::as_str)).filter(|_| !absent.is_empty());
    let chosen = values.iter().map(|codes| (column.values.get(codes[0]), codes));
    let mut shown: Vec<Cow<'_, str>> = column.values.iter().map(Cow::Borrowed).collect();
    let mut spellings = Vec::new();
    for (chosen, codes) in chosen.chain(told.map(|told| (told, &absent))) {
        let others = codes.iter().map(|code| column.values.get(*code)).filter(|text| *text != chosen);
        let of_value: Vec<String> = std::iter::once(chosen).chain(others).map(str::to_owned).collect();
        if of_value.len() > 1 {
            spellings.push(of_value);
            codes.iter().for_each(|code| shown[*code as usize] = Cow::Owned(chosen.to_owned()));
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

/// Keeps a text that shows how a column is read (`13/04/2020`, `1,5`), if all such texts would be shown in another spelling. Readers of the
/// release then read the column as it was read from the original.
fn keep_a_proof(form: &Form, read: impl Fn(&[&str]) -> Form, values: &mut [Vec<u32>], column: &CodedColumn) {
    for mark in [',', '/'] {
        let shown: Vec<&str> = values.iter().map(|codes| column.values.get(codes[0])).collect();
        let is_clear = form.agrees(&Form::default(), mark) || read(&shown).agrees(form, mark);
        if is_clear || !shown.iter().any(|text| text.contains(mark)) {
            continue;
        }
        let proves = |code: &u32| read(&[column.values.get(*code)]).agrees(form, mark);
        let proof = values.iter_mut().find_map(|codes| Some((codes.iter().position(proves)?, codes)));
        if let Some((place, codes)) = proof {
            codes.swap(0, place);
        }
    }
}

/// Refuses a release in which it is unclear, even with its original, whether two texts of a column that models read are one value.
pub(crate) fn refuse_doubts(release: &CodedTable, original: &CodedTable, plan: &Plan) -> Result<()> {
    for (place, planned, missing) in counted_columns(release, plan) {
        let column = &release.columns[place];
        let known = original.column(&column.name).unwrap_or(column);
        let form = form_of_rows(known, &planned, missing);
        refuse_doubt(column, form, missing)
            .map_err(|error| error.reworded(|what| format!("in the release, {what}")))?;
    }
    Ok(())
}

/// Refuses a column in which it is unclear whether two texts are one value: a model would count them as two.
fn refuse_doubt(column: &CodedColumn, form: Form, missing: &[String]) -> Result<()> {
    let mut first_rows = vec![None; column.values.len()];
    for (row, code) in column.codes.iter().enumerate() {
        first_rows[code as usize].get_or_insert(row + 1);
    }
    let is_marker = |text: &str| missing.iter().any(|marker| marker == text);
    let present: Vec<(usize, &str)> = first_rows
        .iter()
        .zip(column.values.iter())
        .filter(|(_, text)| !is_marker(text))
        .filter_map(|(row, text)| Some(((*row)?, text)))
        .collect();
    let texts = || present.iter().map(|(_, text)| *text);
    let Some((one, other)) = form.doubt(texts()) else { return Ok(()) };
    Err(Error::config(format!(
        "it cannot be told whether the values of rows {} and {} are one value or two, since dates or numbers are written in more than \
         one way",
        present[one].0.min(present[other].0),
        present[one].0.max(present[other].0),
    ))
    .in_column(&column.name)
    .advise("write all dates and numbers in one way (2020-12-31, 1.5)")
    .weaken(Setting::column("equality").of(&[&column.name]).to("exact"), "let each spelling count as a value"))
}

/// The columns in which spelling does not matter: they are sensitive, say whom a row is about, or some model reads them.
pub(crate) fn counted_by_value(plan: &Plan) -> BTreeSet<&str> {
    let columns: BTreeMap<&str, &Column> =
        plan.columns.iter().rev().map(|(name, column)| (name.as_str(), column)).collect();
    let with_role = columns.iter().filter(|(_, column)| {
        [Role::Sensitive, Role::Subject, Role::Household].iter().any(|role| column.role.has(*role))
    });
    let named = plan.privacy.iter().flat_map(|spec| spec.columns.iter().map(String::as_str));
    let counts = |name: &&str| {
        columns
            .get(name)
            .is_none_or(|column| column.equality != Equality::Exact && !column.role.has(Role::Quasi))
    };
    with_role.map(|(name, _)| *name).chain(named).chain(plan.counted_columns()).filter(counts).collect()
}

/// Whether spelling does not matter in a column.
pub(crate) fn counts_values(name: &str, plan: &Plan) -> bool {
    counted_by_value(plan).contains(name)
}

/// The columns of a table in which spelling does not matter, by their places, with what the plan says about them.
fn counted_columns<'a>(table: &CodedTable, plan: &'a Plan) -> Vec<(usize, Cow<'a, Column>, &'a [String])> {
    let counted = counted_by_value(plan);
    let places =
        (0..table.columns.len()).filter(|place| counted.contains(table.columns[*place].name.as_str()));
    places
        .map(|place| {
            let planned = plan.column(&table.columns[place].name);
            let missing = planned.and_then(|column| column.missing.as_ref()).unwrap_or(&plan.read.missing);
            let unplanned = || Cow::Owned(Column::new(Roles::one(Role::Sensitive)));
            (place, planned.map_or_else(unplanned, Cow::Borrowed), missing.as_slice())
        })
        .collect()
}

/// The columns that models read and in which some value has several spellings: the place, the column in one spelling, and what was changed.
/// Refuses a table in which it is unclear whether two texts are one value.
fn respelt_columns(table: &CodedTable, plan: &Plan) -> Result<Vec<(usize, CodedColumn, Respelt)>> {
    let mut found = Vec::new();
    for (place, planned, missing) in counted_columns(table, plan) {
        let column = &table.columns[place];
        refuse_doubt(column, form_of_rows(column, &planned, missing), missing)?;
        found.extend(respell(column, &planned, missing).map(|(respelt, of)| (place, respelt, of)));
    }
    Ok(found)
}

/// Gives each value of the columns that models read one spelling, as a release shows them.
pub fn spelt_once<'a>(table: &'a CodedTable, plan: &Plan) -> Result<Cow<'a, CodedTable>> {
    let mut spelt = Cow::Borrowed(table);
    for (place, respelt, _) in respelt_columns(table, plan)? {
        spelt.to_mut().columns[place] = respelt;
    }
    Ok(spelt)
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
        let spelt = SpeltTable::of(read.clone(), &plan()).expect("no doubt");
        assert_eq!(texts(&spelt), ["HIV ", "HIV ", "HIV ", "Flu", "Flu", "?", "?", "?"]);
        assert_eq!(spelt.respelt.len(), 1);
        assert_eq!(spelt.respelt[0].spellings.len(), 3);
        assert!(spelt.notes().all(|note| !note.contains("HIV")));
        assert_eq!(texts(&spelt.as_read()), texts(&read));
        let part = spelt.select(&[4, 0]);
        assert_eq!(
            (texts(&part), texts(&part.as_read())),
            (vec!["Flu".into(), "HIV ".into()], vec!["Flu".into(), "hiv".into()])
        );
        assert!(matches!(part.by(&plan()), Ok(Cow::Borrowed(_))));
        assert_eq!(texts(&spelt_once(&read, &plan()).expect("no doubt")), texts(&spelt));
        let mut exact = plan();
        exact.columns[0].1.equality = Equality::Exact;
        let kept = SpeltTable::of(read.clone(), &exact).expect("no doubt");
        assert!(!kept.is_respelt("ill"));
        let later = kept.by(&plan()).expect("no doubt");
        assert_eq!((texts(&later), texts(&later.as_read())), (texts(&spelt), texts(&read)));
    }

    /// A trial compares the table with what was read, as a release does.
    #[test]
    fn a_trial_does_not_pass_with_a_false_spelling() {
        let plan = Plan::from_toml(
            "input = \"in.csv\"\noutput = \"out.csv\"\naccept_attribute_disclosure = true\n[columns]\ntown = { role = \"quasi\" }\n\
             ill = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n",
            "plan",
        )
        .expect("a plan");
        let column = |name, texts: [&str; 4]| CodedColumn::of_texts(name, texts.into_iter());
        let read = [column("town", ["a", "a", "b", "b"]), column("ill", ["HIV", "hiv", "flu", "HIV"])];
        let mut spelt =
            SpeltTable::of(CodedTable { columns: read.into(), rows: 4 }, &plan).expect("no doubt");
        let tried = |spelt: &SpeltTable| {
            let tried = crate::release::try_release(&plan, spelt, &Default::default(), Default::default());
            tried.map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(tried(&spelt), Ok(()));
        assert_eq!(tried(&spelt.select(&[3, 1, 0])), Ok(()));
        spelt.table.columns[1] = column("ill", ["HIV", "flu", "flu", "HIV"]);
        assert!(tried(&spelt).is_err_and(|error| error.contains("more than one spelling")));
    }

    #[test]
    fn a_missing_value_is_shown_as_one_that_is_known() {
        let blank = SpeltTable::of(table(&["flu", " ", "  ", "\u{200b}"]), &plan()).expect("no doubt");
        let shown = texts(&blank);
        assert!(plan().read.missing.contains(&shown[1]) && shown[1] == shown[2] && shown[2] == shown[3]);
    }

    #[test]
    fn what_nobody_can_tell_is_refused() {
        let refused =
            |texts: &[&str]| SpeltTable::of(table(texts), &plan()).expect_err("in doubt").to_string();
        let message = refused(&["flu", "2020-04-03", "03/04/2020", "03/04/2020"]);
        assert!(message.contains("column 'ill'") && message.contains("rows 2 and 3"), "{message}");
        assert!(!message.contains("03/04/2020"), "values stay private: {message}");
        assert!(refused(&["1,5", "2.5", "1.5"]).contains("rows 1 and 3"));
        let mut exact = plan();
        exact.columns[0].1.equality = Equality::Exact;
        assert!(!SpeltTable::of(table(&["1,5", "1.5"]), &exact).expect("exact").is_respelt("ill"));
        let two_formats = table(&["13/04/2020", "04/13/2020", "2020-04-13"]);
        let two_formats = SpeltTable::of(two_formats, &plan()).expect("each can be read in one way only");
        assert_eq!(texts(&two_formats), ["04/13/2020"; 3]);
    }

    #[test]
    fn what_tells_how_texts_are_read_stays() {
        let spelt = |read: &[&str]| texts(&SpeltTable::of(table(read), &plan()).expect("no doubt"));
        let dates = [
            "13/04/2020",
            "2020-04-13",
            "2020-04-13",
            "03/04/2020",
            "03/04/2020",
            "2020-04-03",
            "2020-03-04",
            "x",
        ];
        let shown = spelt(&dates);
        assert_eq!(shown[..3], ["13/04/2020"; 3]);
        assert_eq!(shown[3..6], ["03/04/2020"; 3]);
        assert_eq!(spelt(&["2", "3", "2", "2,0", "3,0", "2"])[0], "2", "no comma is left to be told about");
        assert_eq!(spelt(&["2", "1,500", "2", "2,0", "2", "2"])[0], "2,0");
        let both = [&dates[..], &["2", "2", "2,0", "1,500"]].concat();
        let shown = spelt(&both);
        assert_eq!((shown[0].as_str(), shown[8].as_str()), ("13/04/2020", "2,0"));
        assert_eq!(spelt(&["5", "5.0", "x"])[1], "5", "nothing is lost");
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(500))]
        /// The verifier has its own rule, and by it the spelling is true, no value has two spellings, and the number of values is the same.
        #[test]
        fn the_verifier_reads_the_same_values(
            texts in proptest::prop_oneof![
                proptest::collection::vec(
                    r"[aAbB\u{e9}\u{c9}]{1,2}|e\u{301}|[ \u{a0}\u{200b}]?[ab5]|\+?0?[0-3](\.0|,5|,50|e1)?|0?[1-3][./]0?[1-3][./]2020|2020[-/]0[1-3]-?/?[1-3]|1[3-5]/0[1-3]/2020|0[1-3]/1[3-5]/2020|\?|na|NA| |\u{df}|ss|SS|-9|\u{3c3}|\u{3c2}|\u{3a3}",
                    1..12,
                ),
                // Columns of nothing but numbers, and of nothing but dates.
                proptest::collection::vec(r"[0-3](\.0|,5|,50|,0|\.|e1)?|1,?500|1,?200(\.50?|\.5e3)?|1,2,3|1,234,567|[12],1?0", 1..10),
                proptest::collection::vec(r"0?[1-3]/0?[1-3]/2020|1[3-5]/0[1-3]/2020|0[1-3]/1[3-5]/2020|2020-0[1-3]-(0[1-3]|1[3-5])", 1..10),
            ],
        ) {
            use scumble_verify::{Drops, Truth, check_truth_with_map, further_spellings, in_normal_form};
            let read = table(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            let plan = plan();
            let sensitive = |table: &CodedTable| {
                let (values, _) = super::super::payload_of(&table.columns[0], &plan).expect("a column");
                crate::release::claim::sensitive_column(&values, &plan)
            };
            // An unclear column is refused by both.
            let Ok(spelt) = spelt_once(&read, &plan) else {
                proptest::prop_assert!(further_spellings(&read, &sensitive(&read), None, &scumble_files::Control::default()).expect("a column") > 0);
                return Ok(());
            };
            // A reader of the release alone reads it as the table was read.
            let column = sensitive(&spelt);
            proptest::prop_assert_eq!(further_spellings(&spelt, &column, None, &scumble_files::Control::default()).expect("a column"), 0);
            let rows: Vec<u32> = (0..read.rows as u32).collect();
            let truths = [("ill".to_owned(), Truth::Same(column.clone()))];
            let truth = check_truth_with_map(&spelt, &read, &rows, &truths, Drops::Forbidden, &scumble_files::Control::default()).expect("tables");
            proptest::prop_assert!(truth.holds);
            let plain = in_normal_form(&read, &[sensitive(&read)], None, &scumble_files::Control::default()).expect("a column");
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
