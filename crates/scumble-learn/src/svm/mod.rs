//! Support vector classification (C-SVC) with radial kernels (models.md 3.6).
//!
//! There is one machine for each pair of classes; the class with most votes wins. Training time grows with the square of the
//! rows, so at most `sample` of them are used: drawn by the seed, class by class in proportion. A row of weight 3 has three times
//! the cost of one row, which is the same as three rows.

mod kernel;
mod sample;
mod smo;

use kernel::{Kernel, Points};
use rayon::prelude::*;

use crate::encode::{Encoder, Sparse};
use crate::error::Result;
use crate::learner::{Classifier, GoesOn, Learner, check};
use crate::registry::Entry;
use crate::settings::{Settings, wrong};
use crate::table::{Features, Table};

/// Support vector machines in the registry.
pub const ENTRY: Entry = Entry {
    name: "svm",
    title: "Support vector machine (C-SVC, rbf)",
    paper: "Cortes & Vapnik, Support-vector networks, 1995; Fan, Chen & Lin, Working set selection, 2005; as in libsvm",
    about: "Radial kernels, one machine for each pair of classes; nominal columns made binary, nothing scaled unless asked \
            for. Trains on a sample where there are more rows than it can take.",
    parameters: &[
        ("c", "cost of an error (default 1)"),
        (
            "gamma",
            "width of the kernel: auto_attributes (1 / numbers a row, the default), auto_rows (1 / rows, what \
             RapidMiner does for 0) or a number",
        ),
        ("scale", "whether numeric columns are given mean 0 and deviation 1 first (default false)"),
        ("sample", "rows to train on at most (default 8000)"),
    ],
    build: |settings| Ok(Box::new(Svm::from_settings(settings)?)),
};

/// The width of the kernel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Gamma {
    /// 1 / the number of numbers that a row becomes.
    Attributes,
    /// 1 / the number of training rows.
    Rows,
    /// This value.
    Value(f64),
}

/// The machine-learning model and its settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Svm {
    /// The cost of an error; positive.
    pub c: f64,
    /// The width of the kernel.
    pub gamma: Gamma,
    /// Whether numeric columns are standardised.
    pub scale: bool,
    /// The most rows to train on.
    pub sample: usize,
}

impl Default for Svm {
    fn default() -> Self {
        Self { c: 1.0, gamma: Gamma::Attributes, scale: false, sample: 8000 }
    }
}

impl Svm {
    fn from_settings(settings: &Settings) -> Result<Self> {
        let default = Self::default();
        let wish = "auto_attributes, auto_rows or a positive number";
        let gamma = match settings.get("gamma") {
            None | Some("auto_attributes" | "auto-attributes") => Gamma::Attributes,
            Some("auto_rows" | "auto-rows") => Gamma::Rows,
            Some(text) => match text.parse() {
                Ok(value) if value > 0.0 && value < f64::INFINITY => Gamma::Value(value),
                _ => return Err(wrong("gamma", wish, text)),
            },
        };
        Ok(Self {
            c: settings.number("c", default.c, 1e-9, 1e9)?,
            gamma,
            scale: settings.flag("scale", default.scale)?,
            sample: settings.whole("sample", default.sample, 2, 1_000_000)?,
        })
    }
}

impl Learner for Svm {
    fn train_while(&self, table: &Table, seed: u64, goes_on: &GoesOn<'_>) -> Result<Box<dyn Classifier>> {
        check(goes_on)?;
        let table = sample::draw(&table.canonical()?, self.sample, seed)?;
        let encoder = Encoder::new(&table, self.scale);
        let gamma = match self.gamma {
            Gamma::Attributes => 1.0 / encoder.width().max(1) as f64,
            Gamma::Rows => 1.0 / table.weight(),
            Gamma::Value(value) => value,
        };
        // From the rarest class on, so that the result does not depend on the classes' names.
        let present = sample::by_frequency(&table);
        let pairs: Vec<[u32; 2]> = (0..present.len())
            .flat_map(|second| (0..second).map(move |first| (first, second)))
            .map(|(first, second)| [present[first], present[second]])
            .collect();
        let machine = |&pair: &[u32; 2]| self.machine(&table, &encoder, gamma, pair, goes_on);
        let machines = pairs.par_iter().map(machine).collect::<Result<_>>()?;
        Ok(Box::new(Machines { encoder, classes: table.classes(), alone: present[0], machines }))
    }
}

impl Svm {
    fn machine(
        &self,
        table: &Table,
        encoder: &Encoder,
        gamma: f64,
        pair: [u32; 2],
        goes_on: &GoesOn<'_>,
    ) -> Result<Machine> {
        let of_class = |class: u32| (0..table.rows()).filter(move |&row| table.class()[row] == class);
        let rows: Vec<usize> = of_class(pair[0]).chain(of_class(pair[1])).collect();
        let signs: Vec<f64> =
            rows.iter().map(|&row| if table.class()[row] == pair[0] { 1.0 } else { -1.0 }).collect();
        let costs: Vec<f64> = rows.iter().map(|&row| self.c * f64::from(table.weights()[row])).collect();
        let sparse: Vec<Sparse> = rows.iter().map(|&row| encoder.encode(table.features(), row)).collect();
        let mut kernel = Kernel::new(Points::new(&sparse, encoder.width()), gamma);
        let solution = smo::solve(&mut kernel, &signs, &costs, goes_on)?;
        let support: Vec<usize> = (0..rows.len()).filter(|&row| solution.alpha[row] > 0.0).collect();
        let factors = support.iter().map(|&row| solution.alpha[row] * signs[row]).collect();
        Ok(Machine {
            pair,
            points: kernel.points().select(&support),
            factors,
            threshold: solution.threshold,
            gamma,
        })
    }
}

/// The machine for a pair of classes.
#[derive(Debug)]
struct Machine {
    pair: [u32; 2],
    points: Points,
    /// The weight of each support vector, with its sign.
    factors: Vec<f64>,
    threshold: f64,
    gamma: f64,
}

/// The trained model.
#[derive(Debug)]
pub struct Machines {
    encoder: Encoder,
    classes: usize,
    /// The class that wins if there is no pair.
    alone: u32,
    machines: Vec<Machine>,
}

impl Classifier for Machines {
    fn classes(&self) -> usize {
        self.classes
    }

    /// Writes the share of votes for each class.
    fn distribution(&self, features: &Features, row: usize, out: &mut [f64]) {
        out.fill(0.0);
        if self.machines.is_empty() {
            out[self.alone as usize] = 1.0;
            return;
        }
        let point = self.encoder.encode(features, row);
        for machine in &self.machines {
            let nearness = machine.points.nearness(&point, machine.gamma);
            let sum: f64 = nearness.iter().zip(&machine.factors).map(|(near, factor)| near * factor).sum();
            let winner = machine.pair[usize::from(sum <= machine.threshold)];
            out[winner as usize] += 1.0 / self.machines.len() as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Column;

    /// A class inside a ring, which no line can separate.
    #[test]
    fn a_ring_is_learnt() {
        let grid: Vec<(f64, f64)> =
            (-3..=3).flat_map(|x| (-3..=3).map(move |y| (f64::from(x), f64::from(y)))).collect();
        let class = grid.iter().map(|(x, y)| u32::from(x * x + y * y < 5.0)).collect();
        let columns = vec![
            Column::numeric("x", grid.iter().map(|point| point.0).collect()),
            Column::numeric("y", grid.iter().map(|point| point.1).collect()),
        ];
        let table = Table::new(Features::new(columns, grid.len()).unwrap(), class, 2).unwrap();
        let machine = Svm { c: 10.0, ..Svm::default() }.train(&table, 1).unwrap();
        assert_eq!(machine.accuracy(&table), 1.0);
    }

    #[test]
    fn settings() {
        let gamma = |text: &str| Svm::from_settings(&Settings::new([("gamma", text)])).map(|svm| svm.gamma);
        assert_eq!(gamma("auto-rows"), Ok(Gamma::Rows));
        assert_eq!(gamma("0.5"), Ok(Gamma::Value(0.5)));
        let message = gamma("0").unwrap_err().to_string();
        assert_eq!(message, "gamma must be auto_attributes, auto_rows or a positive number, not '0'");
    }
}
