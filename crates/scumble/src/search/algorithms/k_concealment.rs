//! k-concealment and its weaker relatives (Gionis, Mazza, Tassa 2008; Tassa, Mazza, Gionis 2012; algorithms.md B11). There are
//! no classes: records are widened one by one until every row has k records that may be its own.

use rayon::prelude::*;

use super::clustering::space::{Extent, Space};
use super::nsvdist::{Cost, Demand, Options, masks};
use super::{Finding, Format, Linkage, RecordAlgorithm, RecordCapabilities, RecordSolution};
use crate::base::entry::{Entry, Standing};
use crate::config::Parameters;
use crate::error::{Error, Result, Wish};
use crate::problem::Problem;
use crate::recoding::published::Record;
use crate::search::audit::{Coverage, audit, links};

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildRecordAlgorithm> = Entry {
    name: "k_concealment",
    title: "k-concealment, overlapping records",
    paper: "Gionis, Mazza, Tassa 2008; Tassa, Mazza, Gionis 2012",
    standing: Standing::Experimental,
    about: "Widens each row's record by itself until every row has k records that may be its own, even for someone who knows the \
            quasi-identifiers of everyone. Loses less than groups of k. Experimental: how likely each of the k is, is not \
            bounded, and sensitive values are published as they are.",
    parameters: &[(
        "guarantee",
        "matches (default): k-concealment, every row has k records that may be its own; both: (k,k), every record covers k rows \
         and every row is covered by k records; covered: (1,k), the second alone; covers: (k,1), the first alone, which is weak",
    )],
    build,
};

struct KConcealment {
    linkage: Linkage,
}

fn build(parameters: &Parameters) -> Result<Box<dyn RecordAlgorithm>> {
    let linkage = match parameters.choice("guarantee", &["matches", "both", "covered", "covers"])? {
        None | Some("matches") => Linkage::Matches,
        Some("both") => Linkage::Both,
        Some("covered") => Linkage::Covered,
        Some(_) => Linkage::Covers,
    };
    Ok(Box::new(KConcealment { linkage }))
}

impl RecordAlgorithm for KConcealment {
    fn capabilities(&self) -> RecordCapabilities {
        RecordCapabilities::of(self.linkage)
    }

    fn check(&self, problem: &Problem) -> Result<()> {
        let serves = |model: &dyn crate::models::Model| {
            model.demand() == crate::models::Demand::Size && problem.is_about_all(model)
        };
        if let Some(model) = problem.models.iter().find(|model| !serves(&***model)) {
            return Err(Error::refused(format!(
                "k_concealment cannot keep '{}': this requirement is checked in each group, and the rows of k_concealment are not in groups",
                model.title()
            ))
            .another(Wish::Serving)
            .concede("ask for k-anonymity on all quasi-identifiers and for nothing else"));
        }
        match problem.quasi.iter().find(|quasi| quasi.sets) {
            Some(quasi) => Err(Error::refused(format!(
                "column '{}': label = \"set\" is for groups; the records of k_concealment show nodes and ranges",
                quasi.name
            ))),
            None => Ok(()),
        }
    }

    fn run(&self, problem: &Problem) -> Result<RecordSolution> {
        let k = problem.k().unwrap_or(1);
        let mut widening = Widening::new(problem, k, self.linkage != Linkage::Covered)?;
        if self.linkage != Linkage::Covers {
            widening.cover_every_row()?;
        }
        let fixes = if self.linkage == Linkage::Matches { widening.match_every_row()? } else { 0 };
        let records = widening.records();
        let audit = audit(&problem.table, &problem.quasi, 0, &records, k, &problem.progress)?;
        let findings = vec![Finding::new(
            "fixes",
            Some(fixes as f64),
            "how often a record was widened only so that a further record may be its row's own",
        )];
        Ok(RecordSolution {
            records,
            column: None,
            linkage: self.linkage,
            size: k,
            format: Format::Columns,
            rings: None,
            audit,
            findings,
            warnings: Vec::new(),
        })
    }
}

/// The records of a table, one per tuple, while they are widened.
struct Widening<'p> {
    problem: &'p Problem,
    k: u64,
    space: Space<'p>,
    /// What each record covers: in each column, all ranks from the first to the last.
    extents: Vec<Extent>,
    /// The number of records that cover each tuple.
    covering: Vec<u64>,
}

impl<'p> Widening<'p> {
    /// Records that cover k rows each, the nearest ones (algorithms.md A4 without diversity), or only their own row.
    fn new(problem: &'p Problem, k: u64, covers: bool) -> Result<Self> {
        let (table, quasi) = (&problem.table, &problem.quasi);
        let space = Space::of_loss(table, quasi);
        let size = if covers { k } else { 1 };
        let demand = Demand { size, most: size, cover: size };
        let options = Options { cost: Cost::Loss, literal: false, prepartition: None };
        let records = masks(table, quasi, None, demand, options, &problem.progress)?;
        let extents: Vec<Extent> = records
            .iter()
            .map(|record| {
                let columns = space.axes.iter().zip(quasi).zip(&record.shown);
                columns.map(|((axis, quasi), value)| axis.ranks_of(quasi.codes(*value))).collect()
            })
            .collect();
        let mut widening = Self { problem, k, space, extents, covering: vec![0; table.tuples()] };
        for record in 0..widening.extents.len() as u32 {
            problem.progress.check()?;
            let rows = table.weight(record);
            for tuple in
                (0..table.tuples() as u32).filter(|tuple| widening.covers(record, *tuple)).collect::<Vec<_>>()
            {
                widening.covering[tuple as usize] += rows;
            }
        }
        Ok(widening)
    }

    fn covers(&self, record: u32, tuple: u32) -> bool {
        let extent = self.extents[record as usize].iter();
        extent.zip(self.space.ranks(tuple)).all(|((low, high), rank)| low <= rank && rank <= high)
    }

    /// The cost of a record if it also covers a tuple.
    fn cost_with(&self, record: u32, tuple: u32) -> u64 {
        let point = self.space.ranks(tuple).iter().map(|rank| (*rank, *rank));
        self.space.joint_cost(&self.extents[record as usize], point)
    }

    /// Makes a record cover a tuple.
    fn widen(&mut self, record: u32, tuple: u32) {
        let mut wider = self.extents[record as usize].clone();
        self.space.widen(&mut wider, tuple);
        for (axis, ends) in self.space.axes.iter().zip(&mut wider) {
            *ends = axis.closed(*ends);
        }
        let old = std::mem::replace(&mut self.extents[record as usize], wider);
        let rows = self.problem.table.weight(record);
        for other in 0..self.covering.len() as u32 {
            let ranks = self.space.ranks(other);
            let was = old.iter().zip(ranks).all(|((low, high), rank)| low <= rank && rank <= high);
            if !was && self.covers(record, other) {
                self.covering[other as usize] += rows;
            }
        }
    }

    /// (1,k): widens the records for which that costs least, until k of them cover every row. The added cost of one record does
    /// not depend on the others, so one pass over all of them is enough.
    fn cover_every_row(&mut self) -> Result<()> {
        let tuples = self.covering.len() as u32;
        for tuple in 0..tuples {
            self.problem.progress.check()?;
            if self.covering[tuple as usize] >= self.k {
                continue;
            }
            let mut others: Vec<(u64, u32)> = (0..tuples)
                .into_par_iter()
                .filter(|record| !self.covers(*record, tuple))
                .map(|record| {
                    let now = self.space.cost(&self.extents[record as usize]);
                    (self.cost_with(record, tuple) - now, record)
                })
                .collect();
            others.par_sort_unstable();
            for (_, record) in others {
                if self.covering[tuple as usize] >= self.k {
                    break;
                }
                self.problem.progress.check()?;
                self.widen(record, tuple);
            }
        }
        Ok(())
    }

    /// Widens the records of rows with fewer than k matches. Then a record that covers the row, but could not belong to it, can:
    /// the two rows may exchange their records. Returns how often this was done.
    fn match_every_row(&mut self) -> Result<u64> {
        let table = &self.problem.table;
        let coverage = Coverage::new(table, &self.problem.quasi);
        let mut fixes = 0;
        loop {
            let found = links(&coverage, &self.records(), &self.problem.progress)?;
            let lacking: Vec<u32> = (0..)
                .zip(&found.counts)
                .filter(|(_, count)| count.1 < self.k)
                .map(|(tuple, _)| tuple)
                .collect();
            if lacking.is_empty() {
                return Ok(fixes);
            }
            // Components that grow together in this round. Others that join them are found in the next round.
            let mut component = found.component;
            for tuple in lacking {
                self.problem.progress.check()?;
                let neighbours: Vec<u32> =
                    (0..component.len() as u32).filter(|record| self.covers(*record, tuple)).collect();
                let matches = |component: &[u32]| -> u64 {
                    let own = component[tuple as usize];
                    let same = neighbours.iter().filter(|record| component[**record as usize] == own);
                    same.map(|record| table.weight(*record)).sum()
                };
                let mut others: Vec<(u64, u32)> = neighbours
                    .iter()
                    .filter(|record| component[**record as usize] != component[tuple as usize])
                    .map(|record| (self.cost_with(tuple, *record), *record))
                    .collect();
                others.sort_unstable();
                for (_, other) in others {
                    if matches(&component) >= self.k {
                        break;
                    }
                    self.problem.progress.check()?;
                    self.widen(tuple, other);
                    fixes += 1;
                    let (own, joined) = (component[tuple as usize], component[other as usize]);
                    component.iter_mut().filter(|of| **of == joined).for_each(|of| *of = own);
                }
            }
        }
    }

    fn records(&self) -> Vec<Record> {
        let record = |(tuple, extent): (u32, &Extent)| Record {
            tuple,
            value: 0,
            rows: self.problem.table.weight(tuple) as u32,
            shown: self.space.values(extent),
            counts: Vec::new(),
            members: Vec::new(),
            others: 0,
        };
        (0..).zip(&self.extents).map(record).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::search::algorithms::made::{columns, problem, rows};

    fn run(
        guarantee: &str,
        rows: &[crate::search::algorithms::made::Row],
        k: &str,
        trees: bool,
    ) -> Option<RecordSolution> {
        let problem = problem(columns(trees), rows, &[("k_anonymity", &[("k", k)], None)]);
        problem.check_feasible().ok()?;
        let mut parameters = Parameters::default();
        parameters.set("guarantee", crate::config::Value::from_text(guarantee));
        let algorithm = build(&parameters).expect("a guarantee");
        algorithm.check(&problem).expect("it serves k");
        Some(algorithm.run(&problem).expect("records"))
    }

    proptest! {
        /// Each guarantee holds, and a stronger one loses more.
        #[test]
        fn every_guarantee_holds(rows in rows(&columns(false)), k in 1..6_u64, trees in any::<bool>()) {
            // The columns of the two kinds have different codes, so reduce the codes to what all have.
            let rows: Vec<_> = rows
                .into_iter()
                .map(|(codes, class, ill)| (codes.iter().map(|code| code % 2).collect::<Vec<u32>>(), class, ill))
                .collect();
            let text = k.to_string();
            let find = |guarantee: &str| run(guarantee, &rows, &text, trees);
            if let (Some(covers), Some(covered), Some(both), Some(matches)) =
                (find("covers"), find("covered"), find("both"), find("matches"))
            {
                prop_assert!(covers.audit.least_covered >= k);
                prop_assert!(covered.audit.degrees.least_covering >= k);
                prop_assert!(both.audit.least_covered >= k && both.audit.degrees.least_covering >= k);
                prop_assert!(matches.audit.least_covered >= k && matches.audit.degrees.least_matching >= k);
            }
        }
    }
}
