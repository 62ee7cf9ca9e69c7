//! Fresh numbers of households, by what their rows show: the smallest first. Neither the original numbers nor the original order of rows
//! decides them; among households whose rows show the same, nobody can see which got which number.

use scumble_files::table::{CodedColumn, Codes, Texts};

use super::households::household_of_row;
use crate::config::Plan;
use crate::error::Result;
use crate::release::prepare::SpeltTable;

/// The column of fresh numbers, with a code for every row of the table, and the released rows sorted by content and number; `None` where the
/// plan asks for none. `sorted` has the released rows sorted by content, and `content` for each of them a number that is equal for equal content
/// and ascends. Rows that are not released have the number of some released row.
pub(super) fn fresh_numbers(
    plan: &Plan,
    table: &SpeltTable,
    sorted: &[u32],
    content: &[u32],
) -> Result<Option<(CodedColumn, Vec<u32>)>> {
    let Some(name) = plan.renumbered() else { return Ok(None) };
    let Some(household) = household_of_row(plan, table, name)? else { return Ok(None) };
    let mut shown: Vec<(u32, u32)> =
        sorted.iter().zip(content).map(|(row, content)| (household[*row as usize], *content)).collect();
    shown.sort_unstable();
    let mut households: Vec<(Vec<u32>, u32)> = shown
        .chunk_by(|a, b| a.0 == b.0)
        .map(|rows| (rows.iter().map(|(_, content)| *content).collect(), rows[0].0))
        .collect();
    households.sort_unstable();
    let most = household.iter().copied().max().unwrap_or(0) as usize;
    let mut number = vec![0_u32; most + 1];
    (0..).zip(&households).for_each(|(place, (_, household))| number[*household as usize] = place);
    let of_row = |row: u32| number[household[row as usize] as usize];
    let mut order: Vec<(u32, u32, u32)> =
        sorted.iter().zip(content).map(|(row, content)| (*content, of_row(*row), *row)).collect();
    order.sort_unstable();

    let mut texts: Vec<(String, u32)> =
        (0..households.len() as u32).map(|place| ((place + 1).to_string(), place)).collect();
    texts.sort_unstable();
    let mut code = vec![0_u32; texts.len()];
    (0..).zip(&texts).for_each(|(at, (_, place))| code[*place as usize] = at);
    let codes: Vec<u32> =
        (0..household.len() as u32).map(|row| code.get(of_row(row) as usize).copied().unwrap_or(0)).collect();
    let column = CodedColumn {
        name: name.to_owned(),
        codes: Codes::narrow(texts.len(), &codes),
        values: texts.iter().map(|(text, _)| text.as_str()).collect::<Texts>(),
    };
    Ok(Some((column, order.into_iter().map(|(.., row)| row).collect())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Column, ModelSpec, Role};
    use scumble_files::table::CodedTable;

    /// Two households of one and one of two; the last row is left out.
    #[test]
    fn numbers_follow_content_and_nothing_else() {
        let household = Column { renumber: true, ..Column::from(Role::Household) };
        let plan = Plan::of_columns([("age", Role::Quasi)])
            .with_column("home", household)
            .require(ModelSpec::new("multirelational").with("k", 1));
        let numbers = |homes: [&str; 5]| {
            let homes = CodedColumn::of_texts("home", homes.into_iter());
            let table = SpeltTable::of(CodedTable { columns: vec![homes], rows: 5 }, &plan).expect("a table");
            let found = fresh_numbers(&plan, &table, &[2, 0, 1, 3], &[0, 1, 1, 1]).expect("numbers");
            let (column, order) = found.expect("they are asked for");
            let text = |row: u32| column.values.get(column.codes.get(row as usize)).to_owned();
            (order.iter().map(|row| text(*row)).collect::<Vec<_>>(), order)
        };
        let (found, order) = numbers(["b", "z", "z", "a", "q"]);
        assert_eq!(
            found,
            ["1", "1", "2", "3"],
            "the household that begins with the least content is the first"
        );
        assert_eq!((order[0], order[1]), (2, 1));
        // Other numbers and another order of equal rows show the same.
        assert_eq!(numbers(["9", "x", "x", "1", "q"]).0, found);
    }
}
