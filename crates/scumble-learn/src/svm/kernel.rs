//! Radial kernels between points, computed row by row and stored in case they are needed again.

use std::collections::VecDeque;
use std::rc::Rc;

use crate::encode::Sparse;

/// The most bytes that stored kernel rows take.
const STORE: usize = 200_000_000;

/// A kernel below exp(-60) is negligible. Most are, if columns are not scaled.
const FAR: f64 = 60.0;

/// Points as sparse vectors, one after another.
#[derive(Debug)]
pub(super) struct Points {
    numbers: Sparse,
    /// The end of each point's numbers, and its squared length.
    points: Vec<(usize, f64)>,
    width: usize,
}

impl Points {
    pub(super) fn new(rows: &[Sparse], width: usize) -> Self {
        let mut numbers = Sparse::new();
        let mut points = Vec::with_capacity(rows.len());
        for row in rows {
            numbers.extend_from_slice(row);
            points.push((numbers.len(), square(row)));
        }
        Self { numbers, points, width }
    }

    pub(super) fn select(&self, places: &[usize]) -> Self {
        let rows: Vec<Sparse> = places.iter().map(|&place| self.point(place).to_vec()).collect();
        Self::new(&rows, self.width)
    }

    fn point(&self, place: usize) -> &[(u32, f64)] {
        let start = place.checked_sub(1).map_or(0, |before| self.points[before].0);
        &self.numbers[start..self.points[place].0]
    }

    /// Returns exp(-gamma * squared distance) from a point to each of these.
    pub(super) fn nearness(&self, point: &[(u32, f64)], gamma: f64) -> Vec<f64> {
        // Once a point is written out in full, its product with a sparse point is one pass over the sparse one.
        let mut full = vec![0.0; self.width];
        for &(place, number) in point {
            full[place as usize] = number;
        }
        let own = square(point);
        let mut start = 0;
        let near = |&(end, square): &(usize, f64)| {
            let row = &self.numbers[start..end];
            start = end;
            let product: f64 = row.iter().map(|&(place, number)| number * full[place as usize]).sum();
            let distance = gamma * (own + square - 2.0 * product).max(0.0);
            if distance < FAR { (-distance).exp() } else { 0.0 }
        };
        self.points.iter().map(near).collect()
    }
}

fn square(row: &[(u32, f64)]) -> f64 {
    row.iter().map(|(_, number)| number * number).sum()
}

/// The kernel matrix of points. Its rows are computed when they are needed.
pub(super) struct Kernel {
    points: Points,
    gamma: f64,
    stored: Vec<Option<Rc<[f32]>>>,
    /// The stored rows, oldest first.
    ages: VecDeque<usize>,
}

impl Kernel {
    pub(super) fn new(points: Points, gamma: f64) -> Self {
        let stored = vec![None; points.points.len()];
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
        let nearness = self.points.nearness(self.points.point(place), self.gamma);
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
