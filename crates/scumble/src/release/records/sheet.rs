//! The datasheet of a release of records, and the warnings to its owner before publishing.

use super::RecordRun;
use crate::release::Summary;
use crate::release::datasheet::{
    ColumnSheet, Datasheet, Guarantee, ONE_END, kept_sheet, limits_of_counting, provenance, value_kind,
};
use crate::release::requirements::disclosure_accepted;
use crate::search::algorithms::{Format, Linkage};
use crate::table::quasi::Quasi;

/// The promises about each record, in words.
pub(super) fn promises(run: &RecordRun<'_>) -> Vec<String> {
    let words = run.problem.models.iter().map(|model| {
        let required = model.required();
        match model.protects() {
            None => match run.found.solution.linkage {
                Linkage::Covers => format!("each record covers at least {required} of the original rows"),
                Linkage::Covered => format!("each original row is covered by at least {required} records"),
                Linkage::Both => {
                    format!("each record covers at least {required} of the original rows, and each of these at least so many records")
                }
                Linkage::Matches => format!(
                    "each original row has at least {required} records that may be its own, for someone who knows these columns of \
                     everyone"
                ),
            },
            Some(column) if run.exchanged().is_some() => format!(
                "each value of {column} is that of one of {required} original rows with different values, which the record covers and of \
                 which each was as likely to be drawn"
            ),
            Some(column) => format!("no frequency of {column} is above 1/{required}"),
        }
    });
    words.collect()
}

pub(super) fn datasheet(run: &RecordRun<'_>, summary: &Summary) -> Datasheet {
    let quasi = run.quasi_names();
    let promises = promises(run);
    let statement = if is_sampled(run) {
        format!(
            "Drawn from records, of which on {} {}; the records were checked one by one, and every row against its record.",
            quasi.join(", "),
            promises.join(" and ")
        )
    } else {
        format!(
            "On {}, {}; checked on the published file, record by record.",
            quasi.join(", "),
            promises.join(" and ")
        )
    };
    Datasheet {
        guarantees: promises.into_iter().map(|model| Guarantee { model, on: quasi.clone() }).collect(),
        columns: columns(run),
        reading: reading(run),
        limits: limits(run).into_iter().chain(limits_of_counting(run.plan)).collect(),
        ..Datasheet::of(run, statement, summary.released)
    }
}

/// Whether the published rows were drawn from the records.
fn is_sampled(run: &RecordRun<'_>) -> bool {
    matches!(run.found.solution.format, Format::Sampled { .. })
}

fn columns(run: &RecordRun<'_>) -> Vec<ColumnSheet> {
    let sheet = |(name, column): &(String, crate::config::Column)| {
        if let Some(place) = run.problem.quasi.iter().position(|quasi| quasi.name == *name) {
            let quasi = &run.problem.quasi[place];
            let records = run.found.solution.records.iter();
            let mut kinds: Vec<&str> = records.map(|record| value_kind(quasi, record.shown[place])).collect();
            kinds.sort_unstable();
            kinds.dedup();
            return Some(ColumnSheet {
                name: name.clone(),
                role: "quasi-identifier",
                how: if is_sampled(run) {
                    "drawn from the values that a record covers".into()
                } else {
                    "generalised record by record".into()
                },
                kinds: if is_sampled(run) { vec!["value"] } else { kinds },
                hierarchy: provenance(quasi),
            });
        }
        let mut kept = kept_sheet(name, &column.role, run.source, run.plan)?;
        if Some(name.as_str()) == run.distributed() {
            kept.how = if is_sampled(run) {
                format!(
                    "drawn from the frequencies among the {} rows that a record counts",
                    run.found.solution.size
                )
            } else {
                format!("as frequencies among the {} rows that a record counts", run.found.solution.size)
            };
        }
        if Some(name.as_str()) == run.exchanged() {
            kept.how =
                format!("exchanged at random among {} rows that a record covers", run.found.solution.size);
        }
        Some(kept)
    };
    run.plan.columns.iter().filter_map(sheet).collect()
}

fn reading(run: &RecordRun<'_>) -> Vec<&'static str> {
    if is_sampled(run) {
        return vec![
            "Every row was drawn at random: it is nobody's, and nothing in it is true of a person.",
            "The column sample says which of the drawn tables a row is in. Learn from each table alone, and average.",
            "Columns are drawn one by one, so what they have to do with each other beyond the records is lost.",
            "Rows are sorted by content; their order says nothing.",
        ];
    }
    let mut lines = vec![
        "A value stands for itself; a hierarchy node stands for any value below it; [a,b] for any value from a to b.",
        "{a|b|c} stands for one of a, b and c. * stands for any value. A leading = marks a value that would otherwise look like one of these.",
        "Records overlap: one original row may be covered by many of them, and equal records do not form a group.",
    ];
    if run.problem.quasi.iter().any(Quasi::has_stretches) {
        lines.push(ONE_END);
    }
    if run.distributed().is_some() {
        lines.push(
            "A frequency is that of a value among the rows that a record counts: its own row and others that it covers.",
        );
    }
    if run.exchanged().is_some() {
        lines.push(
            "The sensitive value beside a record is that of one of the rows that it covers, mostly not of its own; over the whole table \
             every value is there as often as in the original.",
        );
    }
    if !run.plan.keep_order {
        lines.push("Rows are sorted by content; their order says nothing.");
    }
    lines
}

/// What k and l do not promise here.
fn limits(run: &RecordRun<'_>) -> Vec<String> {
    let audit = &run.found.solution.audit;
    let mut lines = vec![
        "The promises hold for one record at a time. This is weaker than k-anonymity and l-diversity of groups, and must not be \
         called so."
            .to_owned(),
        format!(
            "Someone who knows the quasi-identifiers of everyone finds at least {} record(s) that may be a person's, and fewer than \
             k for {} rows. How likely each of them is, is not bounded.",
            audit.degrees.least_matching, audit.degrees.rows_below_k
        ),
    ];
    if let Some(name) = run.distributed() {
        lines.push(format!(
            "Frequencies of several records can be solved like equations, and {name} of some people may follow from them. Whoever made this \
             release had that audited, and has the result. The audit looks for values that are certain: values that become likely are not \
             looked for, nor is what someone could infer who knows how the records were chosen."
        ));
    }
    if let Some(name) = run.exchanged() {
        lines.push(format!(
            "That each of {} values of {name} is equally likely rests on a secret random draw, and holds for someone who knows nothing \
             about values. Someone who knows those of some people knows more about those next to them, and someone who could compute which \
             rows were put together for which values, too.",
            run.found.solution.size
        ));
    }
    lines.push("The quasi-identifiers are those named above; someone who knows another column of this table is not thought of.".into());
    lines.push("One row is taken for one person.".into());
    if is_seeded(run) {
        lines.push(
            "For tests, not for publication: draws were made from a seed, and whoever has it can undo them."
                .into(),
        );
    }
    lines
}

/// Whether anybody with the random seed could repeat draws that protect people.
fn is_seeded(run: &RecordRun<'_>) -> bool {
    (is_sampled(run) || run.exchanged().is_some()) && run.plan.algorithm.seed.is_some()
}

/// Warnings that call for a decision before publishing.
pub(super) fn warnings(run: &RecordRun<'_>) -> Vec<String> {
    let audit = &run.found.solution.audit;
    let mut warnings = run.found.solution.warnings.clone();
    warnings.push(format!(
        "'{}' is experimental: what it promises holds for one record at a time, and records put together tell more",
        run.algorithm.name
    ));
    if let Some(name) = run.distributed() {
        let whom = [
            (audit.by_cover, "someone who knows the quasi-identifiers of everyone"),
            (audit.by_mask, "someone who also knows which tuples every record counts"),
        ];
        for (found, who) in whom {
            let least = if found.unknown > 0 { "at least " } else { "" };
            if found.certain > 0 {
                warnings.push(format!(
                    "'{name}' of {least}{} rows follows with certainty for {who}",
                    found.certain
                ));
            }
            if found.unknown > 0 {
                warnings.push(format!(
                    "the audit could not decide for {} rows whether '{name}' follows with certainty for {who}",
                    found.unknown
                ));
            }
        }
    }
    if audit.degrees.rows_below_k > 0 {
        warnings.push(format!(
            "for {} rows fewer than {} records can be their own, for someone who knows the quasi-identifiers of everyone; the \
             fewest are {}",
            audit.degrees.rows_below_k,
            run.problem.k().unwrap_or(1),
            audit.degrees.least_matching
        ));
    }
    if run.plan.keep_order {
        warnings.push(
            "the rows keep the order of the original, which may identify people; do not publish it that way"
                .into(),
        );
    }
    warnings.extend(disclosure_accepted(run.plan, &run.problem));
    for quasi in run.problem.quasi.iter().filter(|quasi| quasi.tight) {
        warnings.push(format!(
            "column '{}': released ranges end at real values of people (label = \"tight\")",
            quasi.name
        ));
    }
    if is_seeded(run) {
        warnings.push(
            "a seed was given, and whoever knows it can undo the draws: this release is for tests, not for publication".into(),
        );
    }
    if run.plan.algorithm.steps.is_some() {
        warnings.push(format!(
            "'{}' runs to its end by itself; a number of steps changes nothing",
            run.algorithm.name
        ));
    }
    warnings
}
