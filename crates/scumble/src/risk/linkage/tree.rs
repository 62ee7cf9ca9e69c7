//! A tree of boxes around points of numbers and categories (a k-d tree). With many columns its boxes say little, and a look-up becomes a
//! walk through blocks of points that stops as soon as the answer is known.
//!
//! By hand: an answer here is how many points are as near as the own one, not which are nearest, and points have categories.

/// The most points of a leaf.
const LEAF: usize = 16;
/// Squared distances that differ by no more than this part are equal: values were scaled and rounded before.
const EQUAL: f64 = 1e-8;

/// Points with the same number of coordinates and codes each.
pub(super) struct Points<'a> {
    pub(super) width: usize,
    /// The coordinates, point after point.
    pub(super) numbers: &'a [f64],
    /// The columns of codes.
    pub(super) categories: &'a [&'a [u32]],
}

impl Points<'_> {
    fn numbers(&self, point: u32) -> &[f64] {
        &self.numbers[point as usize * self.width..][..self.width]
    }
}

/// A box: its points, the ranges of what they have, and its halves.
struct Node {
    start: u32,
    end: u32,
    /// The places of the halves, unless this is a leaf.
    halves: Option<[u32; 2]>,
    /// Whether all points are alike, however many they are.
    uniform: bool,
}

/// A tree of some of the points.
pub(super) struct Tree {
    width: usize,
    codes_each: usize,
    nodes: Vec<Node>,
    /// The least and the greatest coordinates of each node, and its codes.
    least: Vec<f64>,
    greatest: Vec<f64>,
    first: Vec<u32>,
    last: Vec<u32>,
    /// The points, in the order of leaves.
    numbers: Vec<f64>,
    codes: Vec<u32>,
    /// How far coordinates may be wrong by rounding, squared and for all of them.
    slack: f64,
}

impl Tree {
    /// Makes a tree of these points.
    pub(super) fn of(points: &Points<'_>, mut members: Vec<u32>) -> Self {
        let mut tree = Self {
            width: points.width,
            codes_each: points.categories.len(),
            nodes: Vec::new(),
            least: Vec::new(),
            greatest: Vec::new(),
            first: Vec::new(),
            last: Vec::new(),
            numbers: Vec::with_capacity(members.len() * points.width),
            codes: Vec::with_capacity(members.len() * points.categories.len()),
            slack: 0.0,
        };
        if !members.is_empty() {
            tree.grow(points, &mut members, 0);
        }
        let largest = members
            .iter()
            .flat_map(|member| points.numbers(*member))
            .fold(0.0_f64, |most, value| most.max(value.abs()));
        tree.slack = points.width as f64 * (1e-14 * largest).powi(2);
        for member in members {
            tree.numbers.extend(points.numbers(member));
            tree.codes.extend(points.categories.iter().map(|codes| codes[member as usize]));
        }
        tree
    }

    /// Adds a node of these points, and all below it. Returns its place.
    fn grow(&mut self, points: &Points<'_>, members: &mut [u32], start: u32) -> u32 {
        let place = self.nodes.len() as u32;
        let end = start + members.len() as u32;
        let (at, at_codes) = (self.least.len(), self.first.len());
        for column in 0..self.width {
            let values = members.iter().map(|member| points.numbers(*member)[column]);
            let (least, greatest) = values
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| {
                    (least.min(value), most.max(value))
                });
            self.least.push(least);
            self.greatest.push(greatest);
        }
        for codes in points.categories {
            let values = members.iter().map(|member| codes[*member as usize]);
            let (first, last) =
                values.fold((u32::MAX, 0), |(first, last), code| (first.min(code), last.max(code)));
            self.first.push(first);
            self.last.push(last);
        }
        // The widest column is halved; a category that varies is as wide as the difference that it makes.
        let of_numbers = (0..self.width).map(|column| self.greatest[at + column] - self.least[at + column]);
        let of_codes = (0..self.codes_each)
            .map(|column| f64::from(u8::from(self.first[at_codes + column] < self.last[at_codes + column])));
        let widest = of_numbers.chain(of_codes).enumerate().fold((0, 0.0), |widest, (column, width)| {
            if width > widest.1 { (column, width) } else { widest }
        });
        let uniform = widest.1 == 0.0;
        self.nodes.push(Node { start, end, halves: None, uniform });
        if uniform || members.len() <= LEAF {
            return place;
        }
        let middle = members.len() / 2;
        if widest.0 < self.width {
            let value = |member: &u32| points.numbers(*member)[widest.0];
            members.select_nth_unstable_by(middle, |left, right| value(left).total_cmp(&value(right)));
        } else {
            let codes = points.categories[widest.0 - self.width];
            members.select_nth_unstable_by_key(middle, |member| codes[*member as usize]);
        }
        let (left, right) = members.split_at_mut(middle);
        let halves = [self.grow(points, left, start), self.grow(points, right, start + middle as u32)];
        self.nodes[place as usize].halves = Some(halves);
        place
    }

    /// The least squared distance that a point of a node may have.
    fn least_distance(&self, node: u32, numbers: &[f64], codes: &[u32]) -> f64 {
        let (at, at_codes) = (node as usize * self.width, node as usize * self.codes_each);
        let mut sum = 0.0;
        for (column, value) in numbers.iter().enumerate() {
            let outside = (self.least[at + column] - value).max(value - self.greatest[at + column]).max(0.0);
            sum += outside * outside;
        }
        for (column, code) in codes.iter().enumerate() {
            let inside = (self.first[at_codes + column]..=self.last[at_codes + column]).contains(code);
            sum += if inside { 0.0 } else { 1.0 };
        }
        sum
    }

    fn distance(&self, point: u32, numbers: &[f64], codes: &[u32]) -> f64 {
        let own = &self.numbers[point as usize * self.width..][..self.width];
        let own_codes = &self.codes[point as usize * self.codes_each..][..self.codes_each];
        distance(own, own_codes, numbers, codes)
    }

    /// How many points are as near to a place as a point at this squared distance from it; `None` if some are nearer.
    pub(super) fn as_near(&self, numbers: &[f64], codes: &[u32], own: f64) -> Option<u64> {
        let (nearer, within) = (own * (1.0 - EQUAL) - self.slack, own * (1.0 + EQUAL) + self.slack);
        let mut found = 0;
        let mut open = vec![(self.least_distance(0, numbers, codes), 0)];
        while let Some((least, place)) = open.pop() {
            if least > within {
                continue;
            }
            let node = &self.nodes[place as usize];
            if let Some(halves) = node.halves {
                let [left, right] = halves.map(|half| (self.least_distance(half, numbers, codes), half));
                // The nearer half is opened first: if a nearer point is in it, that ends the search.
                let (near, far) = if right.0 < left.0 { (right, left) } else { (left, right) };
                open.extend([far, near]);
                continue;
            }
            let (points, each) = if node.uniform {
                (node.start..node.start + 1, node.end - node.start)
            } else {
                (node.start..node.end, 1)
            };
            for point in points {
                let distance = self.distance(point, numbers, codes);
                if distance < nearer {
                    return None;
                }
                found += if distance <= within { u64::from(each) } else { 0 };
            }
        }
        Some(found)
    }

    /// How many points have every coordinate within its limits.
    pub(super) fn within(&self, limits: &[(f64, f64)]) -> u64 {
        let inside =
            |at: &[f64]| at.iter().zip(limits).all(|(value, (low, high))| low <= value && value <= high);
        let mut found = 0;
        let mut open = vec![0_u32];
        while let Some(place) = open.pop() {
            let at = place as usize * self.width;
            let (least, greatest) = (&self.least[at..at + self.width], &self.greatest[at..at + self.width]);
            let apart = least
                .iter()
                .zip(greatest)
                .zip(limits)
                .any(|((least, greatest), (low, high))| least > high || greatest < low);
            let node = &self.nodes[place as usize];
            if apart {
                continue;
            }
            if inside(least) && inside(greatest) {
                found += u64::from(node.end - node.start);
            } else if let Some(halves) = node.halves {
                open.extend(halves);
            } else {
                let points = self.numbers[node.start as usize * self.width..node.end as usize * self.width]
                    .chunks_exact(self.width);
                found += points.filter(|point| inside(point)).count() as u64;
            }
        }
        found
    }
}

/// The squared distance of two points: a category that differs counts 1.
pub(super) fn distance(numbers: &[f64], codes: &[u32], of: &[f64], of_codes: &[u32]) -> f64 {
    let of_numbers: f64 = numbers.iter().zip(of).map(|(left, right)| (left - right) * (left - right)).sum();
    let of_codes = codes.iter().zip(of_codes).filter(|(left, right)| left != right).count();
    of_numbers + of_codes as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Points with coordinates of a small grid, so that many are as near as each other.
    fn points() -> impl Strategy<Value = (Vec<[f64; 3]>, Vec<[u32; 2]>)> {
        let point = (
            proptest::array::uniform3(0..9_i32).prop_map(|of| of.map(|value| f64::from(value) * 0.1)),
            proptest::array::uniform2(0..4_u32),
        );
        proptest::collection::vec(point, 1..120).prop_map(|points| points.into_iter().unzip())
    }

    proptest! {
        #[test]
        fn a_tree_finds_what_looking_at_every_point_finds((numbers, codes) in points(), own in 0..120_usize) {
            let own = own % numbers.len();
            let flat: Vec<f64> = numbers.iter().flatten().copied().collect();
            let columns: Vec<Vec<u32>> = (0..2).map(|column| codes.iter().map(|of| of[column]).collect()).collect();
            let columns: Vec<&[u32]> = columns.iter().map(Vec::as_slice).collect();
            let points = Points { width: 3, numbers: &flat, categories: &columns };
            let tree = Tree::of(&points, (0..numbers.len() as u32).collect());
            // From a place that is nobody's, to each person as the own one.
            let (place, place_codes) = ([0.35, 0.4, 0.05], [1, 2]);
            let far = |point: usize| distance(&numbers[point], &codes[point], &place, &place_codes);
            let near = (0..numbers.len()).filter(|point| far(*point) < far(own) - 1e-9).count();
            let equal = (0..numbers.len()).filter(|point| (far(*point) - far(own)).abs() <= 1e-9).count() as u64;
            prop_assert_eq!(tree.as_near(&place, &place_codes, far(own)), (near == 0).then_some(equal));
            // And from each person's own place: all who are alike are as near.
            let alike = (0..numbers.len()).filter(|point| (numbers[*point], codes[*point]) == (numbers[own], codes[own])).count();
            prop_assert_eq!(tree.as_near(&numbers[own], &codes[own], 0.0), Some(alike as u64));
            let limits = [(0.15, 0.55), (0.0, 0.35), (0.25, numbers[own][2])];
            let inside = |point: &&[f64; 3]| point.iter().zip(limits).all(|(value, (low, high))| low <= *value && *value <= high);
            prop_assert_eq!(tree.within(&limits), numbers.iter().filter(inside).count() as u64);
        }
    }
}
