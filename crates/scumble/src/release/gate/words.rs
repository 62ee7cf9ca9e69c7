//! The messages of the gate: columns, kinds, counts and row numbers, never a value.

use super::{Found, RowNumbers};
use crate::base::text::{counted, grouped, on_one_line};
use crate::error::{Error, Setting};
use crate::report::data::PersonalKindFound;
use crate::table::personal::GatedKind;

/// The error for columns that must not be published unchanged.
pub(super) fn refusal(refused: &[&Found<'_>], rows: RowNumbers<'_>) -> Error {
    let each: Vec<String> = refused.iter().map(|of| reasons(of, rows)).collect();
    let what = match refused.len() {
        1 => "a column that would be published holds personal data",
        _ => "columns that would be published hold personal data",
    };
    let names = |of: &dyn Fn(&Found<'_>) -> bool| -> Vec<String> {
        refused.iter().filter(|found| of(found)).map(|found| found.shown.name.to_owned()).collect()
    };
    let all = names(&|_| true);
    let personal = names(&|of| of.texts_refused() || of.names_refused());
    let called = names(&|of| of.names_refused() && !of.shown.labels);
    let text = names(&|of| of.text_refused());
    let it = if all.len() == 1 { "the column" } else { "the columns" };
    let mut error = Error::refused(format!("{what}: {}", each.join("; ")));
    if !personal.is_empty() {
        error = error.set(
            Setting::role("identifier").of(&personal),
            "give what names people the role identifier, so that it is not published",
        );
    }
    error = error.set(Setting::role("drop").of(&all), format!("leave {it} out of the release"));
    if !called.is_empty() {
        error = error.set(
            Setting::role("quasi").of(&called),
            "if the values are no names of people but places or firms, coarsen them by a hierarchy",
        );
    }
    if !personal.is_empty() {
        error = error.weaken(
            Setting::column("accept_pii").of(&personal),
            "accept the kinds that were found, with a reason, if such values may be published",
        );
    }
    if !text.is_empty() {
        error = error.weaken(
            Setting::column("accept_free_text").of(&text),
            "accept the free text in the plan, with a reason; never for the audience 'public'",
        );
    }
    error
}

/// Why one column is refused.
fn reasons(of: &Found<'_>, rows: RowNumbers<'_>) -> String {
    let labels = of.shown.labels;
    let mut reasons = Vec::new();
    let mut kinds = of.kinds(false, rows);
    // Few values of the other kinds do not stop the release.
    kinds.retain(|kind| kind.kind == GatedKind::PersonName.name() || of.texts_refused());
    if !kinds.is_empty() {
        reasons.push(some_look_like(&kinds, of.distinct(), labels));
    }
    if let Some(text) = of.free_text.as_ref().filter(|_| of.text_refused()) {
        let text = PersonalKindFound {
            kind: "free text".to_owned(),
            values: text.values,
            rows: rows.of(&text.rows),
        };
        let found = some_look_like(&[text], of.distinct(), labels);
        reasons.push(format!("{found}, which may say anything about anybody"));
    }
    format!("column '{}': {}", on_one_line(of.shown.name), reasons.join(", and "))
}

/// `312 of 400 distinct values look like e-mail addresses (first in rows 1, 2, 5)`.
fn some_look_like(kinds: &[PersonalKindFound], values: u64, labels: bool) -> String {
    let mut of = counted(values, "distinct value", "distinct values");
    if labels {
        of.push_str(" of the release");
    }
    let look = |(nth, kind): (usize, &PersonalKindFound)| {
        let of = if nth == 0 { format!(" of {of}") } else { String::new() };
        let look = if kind.values == 1 { "looks" } else { "look" };
        let words = many(&kind.kind);
        format!("{}{of} {look} like {words}{}", grouped(kind.values), in_rows(&kind.rows))
    };
    kinds.iter().enumerate().map(look).collect::<Vec<_>>().join(", ")
}

/// The plural of a kind, for people.
fn many(kind: &str) -> &str {
    match GatedKind::from_name(kind) {
        Ok(kind) => kind.many(),
        Err(_) => kind,
    }
}

fn in_rows(rows: &[u64]) -> String {
    let numbers: Vec<String> = rows.iter().map(ToString::to_string).collect();
    match &numbers[..] {
        [] => String::new(),
        [row] => format!(" (first in row {row})"),
        rows => format!(" (first in rows {})", rows.join(", ")),
    }
}

/// The warning about values that are too few to stop the release.
pub(super) fn noticed(column: &str, kinds: &[PersonalKindFound], values: u64) -> String {
    format!(
        "column '{}': {}. These are too few to stop the release; look at them before you publish it",
        on_one_line(column),
        some_look_like(kinds, values, false)
    )
}

/// The warning about what the plan accepts.
pub(super) fn accepted(column: &str, kinds: &[PersonalKindFound], values: u64) -> String {
    format!(
        "column '{}': {}. They are published, since the plan accepts them (accept_pii)",
        on_one_line(column),
        some_look_like(kinds, values, false)
    )
}

/// The warning about free text that the plan accepts.
pub(super) fn accepted_text(column: &str, values: u64) -> String {
    format!(
        "column '{}': free text is published, since the plan accepts it (accept_free_text). It has {}, and nothing was looked for in this \
         text but e-mail addresses, phone numbers, IBANs and payment cards; read it before you publish it",
        on_one_line(column),
        counted(values, "distinct value", "distinct values")
    )
}

/// The note about consent that is not needed.
pub(super) fn not_found(column: &str, kind: GatedKind) -> String {
    format!("column '{}': accept_pii accepts {}, and none were found", on_one_line(column), kind.many())
}
