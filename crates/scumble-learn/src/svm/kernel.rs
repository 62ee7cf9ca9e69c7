//! Radial kernels between points, row by row, with a store of rows that were needed before.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::encode::Sparse;

/// Stored kernel rows take at most so many bytes.
const STORE: usize = 200_000_000;

/// Points as sparse vectors.
#[derive(Debug)]
pub(super) struct Points {
    rows: Vec<Sparse>,
    /// The squared length of each.
    squares: Vec<f64>,
    width: usize,
}

impl Points {
    pub(super) fn new(rows: Vec<Sparse>, width: usize) -> Self {
        let squares = rows.iter().map(square).collect();
        Self { rows, squares, width }
    }

    pub(super) fn select(&self, places: &[usize]) -> Self {
        Self::new(places.iter().map(|&place| self.rows[place].clone()).collect(), self.width)
    }

    /// exp(-gamma * squared distance) of a point to each of these.
    pub(super) fn nearness(&self, point: &Sparse, gamma: f64) -> Vec<f64> {
        // Written out in full once, a point's product with a sparse one is a walk over the sparse one.
        let mut full = vec![0.0; self.width];
        for &(place, number) in point {
            full[place as usize] = number;
        }
        let own = square(point);
        let near = |(row, square): (&Sparse, &f64)| {
            let product: f64 = row.iter().map(|&(place, number)| number * full[place as usize]).sum();
            (-gamma * (own + square - 2.0 * product).max(0.0)).exp()
        };
        self.rows.iter().zip(&self.squares).map(near).collect()
    }
}

fn square(row: &Sparse) -> f64 {
    row.iter().map(|(_, number)| number * number).sum()
}

/// The kernel matrix of points, computed where it is asked for.
pub(super) struct Kernel {
    points: Points,
    gamma: f64,
    stored: Vec<Option<Rc<[f32]>>>,
    /// Stored rows, oldest first.
    ages: VecDeque<usize>,
}

impl Kernel {
    pub(super) fn new(points: Points, gamma: f64) -> Self {
        let stored = vec![None; points.rows.len()];
        Self { points, gamma, stored, ages: VecDeque::new() }
    }

    pub(super) fn points(&self) -> &Points {
        &self.points
    }

    /// The number of points.
    pub(super) fn len(&self) -> usize {
        self.stored.len()
    }

    /// One row of the matrix.
    pub(super) fn row(&mut self, place: usize) -> Rc<[f32]> {
        if let Some(row) = &self.stored[place] {
            return Rc::clone(row);
        }
        let nearness = self.points.nearness(&self.points.rows[place], self.gamma);
        let row: Rc<[f32]> = nearness.into_iter().map(|near| near as f32).collect();
        let most = (STORE / (4 * self.len())).max(2);
        if self.ages.len() >= most
            && let Some(oldest) = self.ages.pop_front()
        {
            self.stored[oldest] = None;
        }
        self.stored[place] = Some(Rc::clone(&row));
        self.ages.push_back(place);
        row
    }
}
