//! Turns columns into features without coarsening. Kinds and dictionaries come from the rows that the encoder was fitted on.

use std::collections::HashMap;

use scumble::config::Plan;
use scumble::table::kind::{Inference, Kind, Measure};
use scumble::{Error, Result};
use scumble_files::table::{CodedColumn, CodedTable};
use scumble_learn::{Column, MISSING};

/// How the columns of a table become features.
#[derive(Debug)]
pub struct Encoder {
    columns: Vec<EncodedColumn>,
}

#[derive(Debug)]
struct EncodedColumn {
    name: String,
    missing: Vec<String>,
    coding: Coding,
}

#[derive(Debug)]
enum Coding {
    Numeric(Measure),
    Nominal(HashMap<String, u32>),
}

/// A cell as machine-learning models read it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Cell {
    Code(u32),
    Number(f64),
    Missing,
}

impl Encoder {
    /// Learns the kinds and values of these columns from a table.
    pub fn fit(table: &CodedTable, names: &[String], plan: &Plan) -> Result<Self> {
        let fit = |name: &String| {
            let column = table.column(name).ok_or_else(|| Error::internal("a feature was not read"))?;
            let planned = plan.column(name);
            let missing = planned.and_then(|column| column.missing.as_ref()).unwrap_or(&plan.read.missing);
            Ok(EncodedColumn {
                name: name.clone(),
                missing: missing.clone(),
                coding: coding(column, missing, planned.and_then(scumble::config::Column::declared_kind)),
            })
        };
        Ok(Self { columns: names.iter().map(fit).collect::<Result<_>>()? })
    }

    /// Returns the columns of a table as features, in the order in which `fit` named them.
    pub fn columns(&self, table: &CodedTable) -> Result<Vec<Column>> {
        let encode = |(place, encoded): (usize, &EncodedColumn)| {
            let column =
                table.column(&encoded.name).ok_or_else(|| Error::internal("a feature was not read"))?;
            let cells: Vec<Cell> = column.values.iter().map(|text| self.cell(place, text)).collect();
            Ok(self.column(place, column.codes.iter().map(|code| cells[code as usize])))
        };
        self.columns.iter().enumerate().map(encode).collect()
    }

    /// Returns a text as a cell of a column.
    pub(crate) fn cell(&self, place: usize, text: &str) -> Cell {
        let column = &self.columns[place];
        if column.missing.iter().any(|marker| marker == text) {
            return Cell::Missing;
        }
        match &column.coding {
            Coding::Nominal(codes) => codes.get(text).map_or(Cell::Missing, |code| Cell::Code(*code)),
            Coding::Numeric(measure) => number(measure, text).map_or(Cell::Missing, Cell::Number),
        }
    }

    /// Returns a column of such cells.
    pub(crate) fn column(&self, place: usize, cells: impl Iterator<Item = Cell>) -> Column {
        let column = &self.columns[place];
        match &column.coding {
            Coding::Nominal(codes) => nominal(&column.name, cells, codes.len()),
            Coding::Numeric(_) => numeric(&column.name, cells),
        }
    }
}

/// Makes a nominal column.
pub(super) fn nominal(name: &str, cells: impl Iterator<Item = Cell>, values: usize) -> Column {
    let code = |cell| if let Cell::Code(code) = cell { code } else { MISSING };
    Column::nominal(name, cells.map(code).collect(), values)
}

/// Makes a numeric column.
pub(super) fn numeric(name: &str, cells: impl Iterator<Item = Cell>) -> Column {
    let number = |cell| if let Cell::Number(number) = cell { number } else { f64::NAN };
    Column::numeric(name, cells.map(number).collect())
}

/// Returns the number that a text stands for, even if it has more decimal places than the column.
pub(super) fn number(measure: &Measure, text: &str) -> Option<f64> {
    let exact = measure.number(text).map(|number| measure.float(number));
    let plain = || text.parse::<f64>().ok().filter(|number| number.is_finite());
    let exact = exact.or_else(|| measure.middle(text));
    exact.or_else(|| (measure.kind.is_number() && !measure.kind.has_comma()).then(plain).flatten())
}

fn coding(column: &CodedColumn, missing: &[String], declared: Option<Kind>) -> Coding {
    let mut present = vec![false; column.values.len()];
    column.codes.iter().for_each(|code| present[code as usize] = true);
    let texts: Vec<&str> = column
        .values
        .iter()
        .zip(&present)
        .filter(|(text, present)| **present && !missing.iter().any(|marker| marker == text))
        .map(|(text, _)| text)
        .collect();
    let kind = declared.unwrap_or_else(|| match Kind::infer(texts.iter().copied()) {
        Inference::Clear(kind) => kind,
        Inference::AmbiguousDate => Kind::Text,
    });
    if kind.is_ordered() {
        return Coding::Numeric(Measure::of(kind, texts.iter().copied()));
    }
    Coding::Nominal(texts.into_iter().map(str::to_owned).zip(0..).collect())
}

#[cfg(test)]
mod tests {
    use scumble_learn::Cells;

    use super::*;

    fn table(texts: &[&str]) -> CodedTable {
        let mut values: Vec<&str> = texts.to_vec();
        values.sort_unstable();
        values.dedup();
        let codes: Vec<u32> =
            texts.iter().map(|text| values.partition_point(|value| value < text) as u32).collect();
        let codes = scumble_files::Codes::narrow(values.len(), &codes);
        let column = CodedColumn { name: "a".into(), values: values.into_iter().collect(), codes };
        CodedTable { rows: texts.len(), columns: vec![column] }
    }

    #[test]
    fn unseen_values_and_missing_ones_are_missing() {
        let plan = Plan::new("in.csv", "out.csv");
        let encoder = Encoder::fit(&table(&["x", "?", "z", "x"]), &["a".into()], &plan).expect("fits");
        let found = encoder.columns(&table(&["z", "y", "NA", "x"])).expect("encodes");
        assert_eq!(found[0].cells(), &Cells::Nominal { codes: vec![1, MISSING, MISSING, 0], values: 2 });
    }

    #[test]
    fn numbers_stay_numbers_even_if_the_test_rows_write_them_otherwise() {
        let plan = Plan::new("in.csv", "out.csv");
        let encoder = Encoder::fit(&table(&["1", "20", "3"]), &["a".into()], &plan).expect("fits");
        let found = encoder.columns(&table(&["2.5", "20", "?", "many"])).expect("encodes");
        let Cells::Numeric(numbers) = found[0].cells() else { panic!("numbers") };
        assert_eq!(numbers[..2], [2.5, 20.0]);
        assert!(numbers[2].is_nan() && numbers[3].is_nan());
    }
}
