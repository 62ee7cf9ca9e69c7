//! The payloads of rows: what models read besides the quasi-identifiers.

use super::repeated_persons;
use super::values::{Planned, payload_column};
use crate::config::{Plan, Role};
use crate::error::Result;
use crate::table::payload::{PayloadColumn, Payloads};

/// The payloads of all rows.
pub(super) struct PayloadRows {
    pub(super) payloads: Payloads,
    /// The payload of each row; private.
    pub(super) of_row: Vec<u32>,
    /// The payload column of the class label.
    pub(super) class: Option<usize>,
}

/// The column that says whom a row is about, where models count people.
pub(super) fn persons<'a>(planned: &[Planned<'a>], plan: &Plan) -> Result<Option<&'a str>> {
    let mut persons = None;
    let counted_by = plan.counted_by();
    for subject in planned.iter().filter(|column| Some(column.name) == counted_by) {
        let asked = plan.counts_households() || plan.privacy.iter().any(|spec| spec.is_about_persons());
        persons = (repeated_persons(subject)? || asked).then_some(subject.name);
    }
    Ok(persons)
}

/// One code for all columns that some model reads, for each row.
pub(super) fn payload_rows(
    planned: &[Planned<'_>],
    persons: Option<&str>,
    plan: &Plan,
    rows: usize,
) -> Result<PayloadRows> {
    let counted = plan.counted_columns();
    let columns: Vec<&Planned<'_>> = planned
        .iter()
        .filter(|column| {
            let role = &column.plan.role;
            let read = [Role::Class, Role::Sensitive, Role::Guarding].iter().any(|of| role.has(*of));
            read || persons == Some(column.name) || counted.contains(&column.name)
        })
        .collect();
    let made: Vec<(PayloadColumn, Vec<u32>)> =
        columns.iter().map(|column| payload_column(column)).collect::<Result<_>>()?;
    let class = columns.iter().position(|column| column.plan.role.has(Role::Class));
    let person = columns.iter().position(|column| persons == Some(column.name));
    let (values, maps): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let (payloads, of_row) = Payloads::of_rows(values, rows, |place, row| {
        maps[place][columns[place].coded.codes.get(row) as usize]
    });
    Ok(PayloadRows { payloads: payloads.with_person(person), of_row, class })
}
