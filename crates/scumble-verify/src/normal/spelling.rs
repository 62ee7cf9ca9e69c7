//! Rewrites tables and claims so that every value has one spelling.

use std::borrow::Cow;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashSet};
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable, Codes};
use serde_json::Value as Json;

use super::{Key, Sense};
use crate::columns::{ORIGINAL, RELEASE, column};
use crate::error::VerifyError;
use crate::models::{ModelClaim, Reference, ReferenceColumn, SensitiveColumn};
use crate::watch::{Pace, check};

/// One spelling for each value of a column: the first that was added.
struct Spelling<'a> {
    sense: Sense<'a>,
    by_key: HashMap<Key, String, FixedState>,
}

impl<'a> Spelling<'a> {
    /// Creates the spellings. `known` are the texts that the column is known by, ascending; other texts keep the spelling in
    /// which they first occur.
    fn new<'t>(
        column: &'a SensitiveColumn,
        known: impl Iterator<Item = &'t str> + Clone,
        control: &Control,
    ) -> Result<Self, VerifyError> {
        let sense = Sense::new(column, known.clone());
        let mut spelling = Self { sense, by_key: HashMap::default() };
        spelling.add_all(known, control)?;
        Ok(spelling)
    }

    fn add_all<'t>(
        &mut self,
        texts: impl Iterator<Item = &'t str>,
        control: &Control,
    ) -> Result<(), VerifyError> {
        check(control)?;
        let mut pace = Pace::new(control);
        for text in texts {
            pace.tick(1)?;
            self.add(text);
        }
        Ok(())
    }

    fn add(&mut self, text: &str) {
        self.by_key.entry(self.sense.key(text)).or_insert_with(|| text.to_owned());
    }

    fn of<'t>(&'t self, text: &'t str) -> &'t str {
        self.by_key.get(&self.sense.key(text)).map_or(text, String::as_str)
    }

    /// The spelling of the missing value, if it does not count as a value.
    fn absent(&self) -> Option<&String> {
        if self.sense.column.missing_counts { None } else { self.by_key.get(&Key::Missing) }
    }

    /// Returns the column in these spellings, or `None` if it has them already.
    fn respell(&self, column: &CodedColumn, control: &Control) -> Result<Option<CodedColumn>, VerifyError> {
        let mut pace = Pace::new(control);
        let mut texts: Vec<&str> = Vec::with_capacity(column.values.len());
        for text in column.values.iter() {
            pace.tick(1)?;
            texts.push(self.of(text));
        }
        if column.values.iter().zip(&texts).all(|(text, spelt)| text == *spelt) {
            return Ok(None);
        }
        let mut sorted = texts.clone();
        sorted.sort_unstable();
        sorted.dedup();
        let place: Vec<u32> =
            texts.iter().map(|text| sorted.partition_point(|other| other < text) as u32).collect();
        let codes: Vec<u32> = column.codes.iter().map(|code| place[code as usize]).collect();
        let codes = Codes::narrow(sorted.len(), &codes);
        Ok(Some(CodedColumn { name: column.name.clone(), values: sorted.into_iter().collect(), codes }))
    }
}

/// Returns a table in which every value of these columns has one spelling. The spellings come from `known`, since the release may
/// have lost some; without it, from the table's own texts.
pub fn in_normal_form<'a>(
    table: &'a CodedTable,
    columns: &[SensitiveColumn],
    known: Option<&CodedTable>,
    control: &Control,
) -> Result<Cow<'a, CodedTable>, VerifyError> {
    let mut changed = Cow::Borrowed(table);
    for values in columns {
        let Some(place) = table.columns.iter().position(|column| column.name == values.name) else {
            continue;
        };
        let own = column(table, RELEASE, &values.name)?;
        let by = match known.filter(|known| known.column(&values.name).is_some()) {
            Some(known) => column(known, ORIGINAL, &values.name)?,
            None => own,
        };
        let mut spelling = Spelling::new(values, of_rows(by), control)?;
        spelling.add_all(own.values.iter(), control)?;
        if let Some(respelt) = spelling.respell(own, control)? {
            changed.to_mut().columns[place] = respelt;
        }
    }
    Ok(changed)
}

/// Returns the texts of a column that some row has, ascending.
pub(crate) fn of_rows(column: &CodedColumn) -> impl Iterator<Item = &str> + Clone {
    let mut has_rows = vec![false; column.values.len()];
    column.codes.iter().for_each(|code| has_rows[code as usize] = true);
    let present: Vec<u32> =
        (0..).zip(has_rows).filter(|(_, has_rows)| *has_rows).map(|(code, _)| code).collect();
    present.into_iter().map(|code| column.values.get(code))
}

/// Returns how many texts of a column are, or may be, further spellings of values that another text already has. Texts that no
/// row has do not count. `known` is the table that shows how texts are read, where the column itself may have lost that; without
/// it, the column itself shows it.
pub fn further_spellings(
    table: &CodedTable,
    values: &SensitiveColumn,
    known: Option<&CodedTable>,
    control: &Control,
) -> Result<u64, VerifyError> {
    let own = column(table, RELEASE, &values.name)?;
    let texts = || of_rows(own);
    check(control)?;
    let sense = match known {
        Some(known) => Sense::new(values, of_rows(column(known, ORIGINAL, &values.name)?)),
        None => Sense::new(values, of_rows(own)),
    };
    let mut keys: HashSet<Key, FixedState> = HashSet::default();
    let mut pace = Pace::new(control);
    let mut further = 0_u64;
    for text in texts() {
        pace.tick(1)?;
        further += u64::from(!keys.insert(sense.key(text)));
    }
    // Only these characters leave a text in doubt.
    let may_doubt = !values.exact && texts().any(|text| text.contains([',', '/']));
    let doubts = if may_doubt { sense.doubts(texts()) } else { 0 };
    Ok(further + doubts)
}

/// A claim and the tables that it is about, with one spelling for each value.
pub(crate) struct Plain<'a> {
    pub(crate) release: Cow<'a, CodedTable>,
    pub(crate) models: Vec<ModelClaim>,
    pub(crate) reference: Option<Reference>,
    /// The spelling of each column's missing value, if it does not count as a value.
    pub(crate) absent: Vec<(String, String)>,
}

impl<'a> Plain<'a> {
    pub(crate) fn of(
        release: &'a CodedTable,
        models: &[ModelClaim],
        columns: &[SensitiveColumn],
        reference: Option<&Reference>,
        control: &Control,
    ) -> Result<Self, VerifyError> {
        let mut plain = Self {
            release: Cow::Borrowed(release),
            models: models.to_vec(),
            reference: reference.cloned(),
            absent: Vec::new(),
        };
        for values in columns {
            let Some(place) = release.columns.iter().position(|column| column.name == values.name) else {
                continue;
            };
            let own = column(release, RELEASE, &values.name)?;
            let of_column = |reference: &&mut ReferenceColumn| reference.name == values.name;
            let described =
                plain.reference.as_mut().and_then(|reference| reference.columns.iter_mut().find(of_column));
            let mut known: Vec<&str> = match &described {
                Some(described) => described.counts.iter().map(|(text, _)| text.as_str()).collect(),
                None => own.values.iter().collect(),
            };
            known.sort_unstable();
            let mut spelling = Spelling::new(values, known.into_iter(), control)?;
            let about = |model: &&mut ModelClaim| {
                model.parameters.get("column").and_then(Json::as_str) == Some(&values.name)
            };
            for model in plain.models.iter_mut().filter(about) {
                each_value(model, &mut |text| spelling.add(text));
            }
            spelling.add_all(own.values.iter(), control)?;
            for model in plain.models.iter_mut().filter(about) {
                each_value(model, &mut |text| *text = spelling.of(text).to_owned());
            }
            if let Some(respelt) = spelling.respell(own, control)? {
                plain.release.to_mut().columns[place] = respelt;
            }
            if let Some(described) = described {
                respell_reference(described, &spelling);
            }
            plain.absent.extend(spelling.absent().map(|text| (values.name.clone(), text.clone())));
        }
        Ok(plain)
    }
}

fn respell_reference(described: &mut ReferenceColumn, spelling: &Spelling<'_>) {
    let absent = spelling.absent();
    let mut counts: Vec<(String, u64)> = Vec::new();
    let mut respelt: Vec<(String, u64)> =
        described.counts.drain(..).map(|(text, rows)| (spelling.of(&text).to_owned(), rows)).collect();
    respelt.sort_unstable();
    for (text, rows) in respelt.into_iter().filter(|(text, _)| Some(text) != absent) {
        match counts.last_mut() {
            // Counts that are too large are noticed where they are added up.
            Some((last, sum)) if *last == text => *sum = sum.saturating_add(rows),
            _ => counts.push((text, rows)),
        }
    }
    described.counts = counts;
    if let Some(order) = &mut described.order {
        order.iter_mut().for_each(|text| *text = spelling.of(text).to_owned());
        order.retain(|text| Some(text) != absent);
    }
    for (leaf, _) in described.tree.iter_mut().flatten() {
        *leaf = spelling.of(leaf).to_owned();
    }
}

/// Calls a function with every value of the checked column that a claim names.
fn each_value(model: &mut ModelClaim, call: &mut dyn FnMut(&mut String)) {
    let personalised = model.name == "personalised";
    let mut text = |value: &mut Json| {
        if let Json::String(text) = value {
            call(text);
        }
    };
    for (name, value) in &mut model.parameters {
        let Json::Array(values) = value else { continue };
        match name.as_str() {
            "values" | "order" | "missing" => values.iter_mut().for_each(&mut text),
            "categories" => {
                for list in values.iter_mut().filter_map(Json::as_array_mut) {
                    list.iter_mut().for_each(&mut text);
                }
            }
            "alphas" | "tree" => {
                for list in values.iter_mut().filter_map(Json::as_array_mut) {
                    let before = list.first().cloned();
                    list.iter_mut().take(1).for_each(&mut text);
                    // A person may guard a value by the name that the tree has for it.
                    if personalised && before.as_ref() != list.first() {
                        list.splice(1..1, before);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns some rows of a column, with a dictionary of only the values that they have.
pub(crate) fn taken(column: &CodedColumn, rows: &[u32]) -> CodedColumn {
    let mut used = vec![false; column.values.len()];
    rows.iter().for_each(|&row| used[column.codes.get(row as usize) as usize] = true);
    let mut place = vec![0_u32; used.len()];
    let mut next = 0;
    for (place, used) in place.iter_mut().zip(&used) {
        *place = next;
        next += u32::from(*used);
    }
    let codes: Vec<u32> = rows.iter().map(|&row| place[column.codes.get(row as usize) as usize]).collect();
    CodedColumn {
        name: column.name.clone(),
        values: column.values.iter().zip(&used).filter(|(_, used)| **used).map(|(text, _)| text).collect(),
        codes: Codes::narrow(next as usize, &codes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that a claim names are respelt as in the table, and what stands next to them stays. A person may guard a value by
    /// the name that the tree has for it, so that name stays in the tree as a node above the value.
    #[test]
    fn claims_are_respelt_and_keep_what_people_guard() {
        let respelt = |name: &str, parameter: &str, list: Json| -> Json {
            let parameters = serde_json::Map::from_iter([(parameter.to_owned(), list)]);
            let mut model = ModelClaim { name: name.to_owned(), parameters };
            each_value(&mut model, &mut |text| *text = text.to_lowercase());
            model.parameters[parameter].take()
        };
        let json = |text: &str| -> Json { serde_json::from_str(text).unwrap() };
        let alphas = respelt("alpha_k", "alphas", json(r#"[["HIV", 0.5], ["flu", 0.2]]"#));
        assert_eq!(alphas, json(r#"[["hiv", 0.5], ["flu", 0.2]]"#));
        let tree = r#"[["HIV", "Grave"], ["flu", "Light"]]"#;
        assert_eq!(
            respelt("t_closeness", "tree", json(tree)),
            json(r#"[["hiv", "Grave"], ["flu", "Light"]]"#)
        );
        let guarded = respelt("personalised", "tree", json(tree));
        assert_eq!(guarded, json(r#"[["hiv", "HIV", "Grave"], ["flu", "Light"]]"#));
        let categories = respelt("p_sensitive", "categories", json(r#"[["HIV", "cancer"], ["Flu"]]"#));
        assert_eq!(categories, json(r#"[["hiv", "cancer"], ["flu"]]"#));
    }
}
