//! Exchanges values between records: draws whose value each record shows, and lists whose it might have shown.

use super::RecordRun;
use super::rows::Arranged;
use crate::base::chance;
use crate::error::Result;
use crate::search::algorithms::{Finding, RecordSolution, nhaa};

/// Draws whose value each record shows, where records exchange values. Returns the place of the other record for each.
pub(super) fn draw(solution: &mut RecordSolution, seed: Option<u64>) -> Result<Option<Vec<u32>>> {
    let Some(rings) = &solution.rings else { return Ok(None) };
    let mut chance = chance::secret_unless(seed)?;
    let mut taken = vec![0; solution.records.len()];
    let mut turned = 0_u64;
    for ring in &rings.rings {
        let values: Vec<u32> = ring.iter().map(|record| solution.records[*record as usize].value).collect();
        let drawn = nhaa::draw(&values, solution.size as u32, rings.exchange, &mut chance);
        turned += u64::from(drawn.turned);
        for ((place, record), ahead) in ring.iter().enumerate().zip(&drawn.ahead) {
            taken[*record as usize] = ring[(place + *ahead as usize) % ring.len()];
        }
    }
    solution.findings.push(Finding::new(
        "turned_rings",
        Some(turned as f64),
        "the rings whose records all take the value from equally far ahead, so that one known link gives all of them away",
    ));
    Ok(Some(taken))
}

/// For each released row, the original rows whose value it might have shown, its own first; `None` where records exchange nothing.
pub(super) fn windows(run: &RecordRun<'_>, rows: &Arranged) -> Option<Vec<Vec<u32>>> {
    let rings = run.found.solution.rings.as_ref()?;
    let mut row_of_record = vec![0; run.found.solution.records.len()];
    rows.order.iter().for_each(|row| row_of_record[rows.record_of_row(*row)] = *row);
    let mut of_record = vec![Vec::new(); run.found.solution.records.len()];
    for ring in &rings.rings {
        for (place, record) in ring.iter().enumerate() {
            let window = (0..run.found.solution.size as usize).map(|step| ring[(place + step) % ring.len()]);
            of_record[*record as usize] = window.map(|other| row_of_record[other as usize]).collect();
        }
    }
    Some(rows.order.iter().map(|row| of_record[rows.record_of_row(*row)].clone()).collect())
}
