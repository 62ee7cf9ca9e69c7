//! Curves over the values of a parameter, with horizontal references.

use scumble::report::drawing::{Anchor, Scale, Svg};

/// A point with its interval; `None` for a gap.
pub(super) type Point = Option<(f64, f64, f64)>;

/// The number of colours that the template has for curves.
pub(crate) const COLOURS: usize = 8;

/// A chart of curves.
pub(super) struct CurveChart<'a> {
    pub(super) title: &'a str,
    pub(super) x_name: &'a str,
    /// The values of the parameter, in order.
    pub(super) places: &'a [String],
    /// Name and points of each curve.
    pub(super) curves: &'a [(String, Vec<Point>)],
    /// Name and height of each reference.
    pub(super) references: &'a [(String, f64)],
    /// How heights are written.
    pub(super) label: fn(f64) -> String,
    /// Whether the axis begins at 0.
    pub(super) from_zero: bool,
}

const WIDTH: f64 = 430.0;
const HEIGHT: f64 = 290.0;
const LEFT: f64 = 58.0;
/// References are named here, next to their lines, to the right of all curves.
const RIGHT: f64 = 92.0;
const TOP: f64 = 18.0;
const BOTTOM: f64 = 48.0;

/// Returns the CSS class of a curve's colour.
pub(crate) fn colour(place: usize) -> String {
    format!("c{}", place % COLOURS)
}

impl CurveChart<'_> {
    pub(super) fn svg(&self) -> String {
        let mut svg = Svg::new(WIDTH, HEIGHT, self.title, &self.in_words());
        let (floor, ceiling) = (HEIGHT - BOTTOM, TOP);
        let ticks = self.ticks();
        let range = (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(1.0));
        let y = Scale::linear(range, (floor, ceiling));
        let last = self.places.len().saturating_sub(1) as f64;
        let x_range = if last < 1.0 { (-1.0, 1.0) } else { (0.0, last) };
        let x = Scale::linear(x_range, (LEFT + 16.0, WIDTH - RIGHT - 12.0));
        for tick in ticks {
            svg.line("grid", (LEFT, y.at(tick)), (WIDTH - RIGHT, y.at(tick)));
            svg.text("tick", (LEFT - 6.0, y.at(tick) + 4.0), Anchor::End, &(self.label)(tick));
        }
        let every = self.places.len().div_ceil(12).max(1);
        for (place, text) in self.places.iter().enumerate().filter(|(place, _)| place % every == 0) {
            svg.text("tick", (x.at(place as f64), floor + 18.0), Anchor::Middle, text);
        }
        svg.text("axis", (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 8.0), Anchor::Middle, self.x_name);
        for (_, height) in self.references {
            svg.line("reference", (LEFT, y.at(*height)), (WIDTH - RIGHT, y.at(*height)));
        }
        for (number, (name, points)) in self.curves.iter().enumerate() {
            // Curves are shifted a little, so that intervals at one place do not hide each other.
            let apart = if self.places.len() < 2 { 36.0 } else { 3.0 };
            let aside = apart * (number as f64 - (self.curves.len() as f64 - 1.0) / 2.0);
            self.curve(&mut svg, &colour(number), name, points, |place, height| {
                (x.at(place as f64) + aside, y.at(height))
            });
        }
        let mut taken: Option<f64> = None;
        let mut named: Vec<(f64, &str)> =
            self.references.iter().map(|(name, height)| (y.at(*height), name.as_str())).collect();
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (at, name) in named {
            // Names are placed from top to bottom, and one that is too close to the last moves down.
            let at = taken.map_or(at, |last| at.max(last + 13.0));
            svg.text("axis", (WIDTH - RIGHT + 6.0, at + 4.0), Anchor::Start, name);
            taken = Some(at);
        }
        svg.finish()
    }

    fn curve(
        &self,
        svg: &mut Svg,
        colour: &str,
        name: &str,
        points: &[Point],
        at: impl Fn(usize, f64) -> (f64, f64),
    ) {
        let numbered: Vec<(usize, Point)> = points.iter().copied().enumerate().collect();
        for run in numbered.chunk_by(|a, b| a.1.is_some() && b.1.is_some()) {
            let line: Vec<_> = run
                .iter()
                .filter_map(|(place, point)| point.map(|(height, ..)| at(*place, height)))
                .collect();
            svg.polyline(&format!("curve {colour}"), &line);
        }
        for (place, point) in numbered {
            let Some((height, low, high)) = point else { continue };
            if high > low {
                svg.line(&format!("whisker {colour}"), at(place, low), at(place, high));
            }
            let of = &self.places[place];
            let of = if of.is_empty() { String::new() } else { format!(" at {} {of}", self.x_name) };
            let hint = format!("{name}{of}: {}", (self.label)(height));
            svg.dot(&format!("point {colour}"), at(place, height), 3.2, Some(&hint));
        }
    }

    /// Returns round heights that enclose all points and references.
    fn ticks(&self) -> Vec<f64> {
        let points = self.curves.iter().flat_map(|(_, points)| points.iter().flatten());
        let heights = points.flat_map(|(height, low, high)| [*height, *low, *high]);
        let heights = heights.chain(self.references.iter().map(|(_, height)| *height));
        let heights: Vec<f64> = heights.filter(|height| height.is_finite()).collect();
        let least = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let most = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if least > most {
            return vec![0.0, 1.0];
        }
        let least = if self.from_zero { 0.0 } else { least };
        enclosing(least, most)
    }

    fn in_words(&self) -> String {
        let references =
            self.references.iter().map(|(name, height)| format!("{name}: {}", (self.label)(*height)));
        let curves = self.curves.iter().map(|(name, points)| {
            let told = self.places.iter().zip(points).map(|(place, point)| {
                let height = point.map_or_else(|| "none".to_owned(), |(height, ..)| (self.label)(height));
                if place.is_empty() { height } else { format!("{place}: {height}") }
            });
            format!("{name} by {}: {}", self.x_name, told.collect::<Vec<_>>().join(", "))
        });
        references.chain(curves).collect::<Vec<_>>().join("; ") + "."
    }
}

/// Returns round numbers from at most `least` to at least `most`, about six of them.
pub(crate) fn enclosing(least: f64, most: f64) -> Vec<f64> {
    let rough = ((most - least) / 5.0).max(most.abs() * 1e-3).max(1e-6);
    let power = 10_f64.powf(rough.log10().floor());
    let step =
        [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((least / step + 1e-9).floor(), (most / step - 1e-9).ceil());
    let count = (last - first).max(1.0) as usize;
    (0..=count).map(|number| (first + number as f64) * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart<'a>(curves: &'a [(String, Vec<Point>)], places: &'a [String]) -> CurveChart<'a> {
        CurveChart {
            title: "t",
            x_name: "k",
            places,
            curves,
            references: &[],
            label: super::super::percent,
            from_zero: false,
        }
    }

    #[test]
    fn ticks_enclose_the_points() {
        let places = ["2".to_owned(), "5".to_owned()];
        let curves = [("a".to_owned(), vec![Some((0.813, 0.80, 0.82)), Some((0.794, 0.78, 0.81))])];
        let ticks = chart(&curves, &places).ticks();
        assert!(ticks[0] <= 0.78 && ticks[0] > 0.76, "{ticks:?}");
        assert!(*ticks.last().expect("ticks") >= 0.82);
        assert!((4..=8).contains(&ticks.len()), "{ticks:?}");
        // The axis runs from 0 to a number that is a tick itself, and no further.
        let whole = [("a".to_owned(), vec![Some((1.0, 1.0, 1.0)), Some((0.5, 0.5, 0.5))])];
        let ticks = CurveChart { from_zero: true, ..chart(&whole, &places) }.ticks();
        assert_eq!((ticks.first(), ticks.last()), (Some(&0.0), Some(&1.0)));
    }

    #[test]
    fn a_gap_breaks_the_line_and_everything_is_told_in_words() {
        let places = ["2", "5", "9"].map(str::to_owned);
        let curves = [("<a>".to_owned(), vec![Some((0.8, 0.8, 0.8)), None, Some((0.7, 0.7, 0.7))])];
        let svg = chart(&curves, &places).svg();
        assert!(svg.contains("&lt;a&gt; by k: 2: 80.0\u{a0}%, 5: none, 9: 70.0\u{a0}%."), "{svg}");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polyline").count()), (2, 0));
        let none = chart(&[], &[]).svg();
        assert!(!none.contains("NaN"));
    }
}
