//! The chart of risk against utility: risk to the right, utility upwards, a shape and a colour for each algorithm.

use scumble::report::drawing::{Anchor, Scale, Svg, text_width};

use super::frontier::Spot;
use super::words::{limit, share};
use crate::page::chart::{COLOURS, colour, enclosing};

/// One release on the chart.
pub(super) struct Mark<'a> {
    pub(super) algorithm: &'a str,
    pub(super) k: u64,
    pub(super) spot: Spot,
    /// Whether the release is on the frontier of this chart.
    pub(super) on_frontier: bool,
    /// Whether no other release is better in everything.
    pub(super) not_beaten: bool,
    pub(super) recommended: bool,
    /// Whether the plan asks for a greater k: the release is shown but not offered.
    pub(super) below_plan: bool,
}

/// The chart.
pub(super) struct FrontierChart<'a> {
    pub(super) title: &'a str,
    /// The name of the utility.
    pub(super) y_name: &'a str,
    /// The algorithms, in the order of their shapes.
    pub(super) algorithms: &'a [&'a str],
    pub(super) marks: &'a [Mark<'a>],
    /// Name and height of each reference.
    pub(super) references: &'a [(&'a str, f64)],
    /// The greatest risk that a recommended release may have.
    pub(super) max_risk: f64,
    pub(super) size: Size,
}

const LEFT: f64 = 62.0;
/// The axis has its title at the top, and below it the name of the limit.
const TOP: f64 = 42.0;
const BOTTOM: f64 = 54.0;
const RADIUS: f64 = 5.5;

/// How large a chart is drawn. A wide chart made small could not be read on a phone, so a page has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Size {
    Wide,
    Narrow,
}

impl Size {
    fn width(self) -> f64 {
        if self == Self::Wide { 960.0 } else { 360.0 }
    }

    fn height(self) -> f64 {
        if self == Self::Wide { 470.0 } else { 380.0 }
    }

    /// The room at the right. A wide chart names its references there, a narrow one above their lines.
    fn right(self) -> f64 {
        if self == Self::Wide { 104.0 } else { 12.0 }
    }

    /// The least distance between the names of two risks.
    fn tick_distance(self) -> f64 {
        if self == Self::Wide { 0.0 } else { 46.0 }
    }

    fn risk_axis(self) -> &'static str {
        match self {
            Self::Wide => "risk: worst off or guessed, whichever is greater (left is safer)",
            Self::Narrow => "risk (left is safer)",
        }
    }
}

/// Risks have a logarithmic scale, because they are mostly 1 in k. Smaller risks than this are drawn here.
const LEAST_RISK: f64 = 1e-5;

/// A place on the image.
type At = (f64, f64);

/// Returns the corners of an algorithm's shape around a place.
fn shape(number: usize, (x, y): At) -> Vec<At> {
    let around = |corners: usize, turn: f64, radius: f64| -> Vec<At> {
        let corner = |at: usize| {
            let angle = (at as f64 / corners as f64 + turn) * std::f64::consts::TAU;
            (x + radius * angle.sin(), y - radius * angle.cos())
        };
        (0..corners).map(corner).collect()
    };
    let star = |points: usize| -> Vec<At> {
        let (outer, inner) =
            (around(points, 0.0, 1.3 * RADIUS), around(points, 0.5 / points as f64, 0.55 * RADIUS));
        outer.into_iter().zip(inner).flat_map(|(outer, inner)| [outer, inner]).collect()
    };
    match number % 8 {
        0 => around(24, 0.0, RADIUS),
        1 => around(4, 0.125, 1.25 * RADIUS),
        2 => around(3, 0.0, 1.3 * RADIUS),
        3 => around(4, 0.0, 1.3 * RADIUS),
        4 => around(3, 0.5, 1.3 * RADIUS),
        5 => star(5),
        6 => around(6, 0.0, 1.15 * RADIUS),
        _ => star(4),
    }
}

/// Two algorithms share a shape only if they differ in colour.
fn paint(number: usize) -> String {
    colour((number + number / 8) % COLOURS)
}

/// Draws an algorithm's sign, for the legend.
pub(super) fn sign(number: usize) -> String {
    let mut svg = Svg::new(16.0, 16.0, "", "");
    svg.polygon(&format!("spot {}", paint(number)), &shape(number, (8.0, 8.0)));
    svg.finish().replacen("<title></title><desc></desc>", "", 1).replacen(
        "role=\"img\"",
        "aria-hidden=\"true\"",
        1,
    )
}

impl FrontierChart<'_> {
    pub(super) fn svg(&self) -> String {
        let (width, height) = (self.size.width(), self.size.height());
        let mut svg = Svg::new(width, height, self.title, &self.in_words());
        let (floor, right) = (height - BOTTOM, width - self.size.right());
        let risks = self.risk_ticks();
        let heights = self.height_ticks();
        let ends =
            |ticks: &[f64]| (ticks.first().copied().unwrap_or(0.0), ticks.last().copied().unwrap_or(1.0));
        let (low, high) = ends(&risks);
        // The logarithmic scale begins at 1.
        let scale = Scale::logarithmic((low / LEAST_RISK, high / LEAST_RISK), (LEFT + 14.0, right - 14.0));
        let x = |risk: f64| scale.at(risk.max(LEAST_RISK) / LEAST_RISK);
        let y = Scale::linear(ends(&heights), (floor, TOP));
        for height in &heights {
            svg.line("grid", (LEFT, y.at(*height)), (right, y.at(*height)));
            svg.text("tick", (LEFT - 7.0, y.at(*height) + 4.0), Anchor::End, &crate::page::percent(*height));
        }
        let mut last_tick = f64::NEG_INFINITY;
        for risk in &risks {
            svg.line("grid", (x(*risk), floor), (x(*risk), TOP));
            if x(*risk) - last_tick >= self.size.tick_distance() {
                svg.text("tick", (x(*risk), floor + 18.0), Anchor::Middle, &plain(*risk));
                last_tick = x(*risk);
            }
        }
        let middle = f64::midpoint(LEFT, right);
        svg.text("axis", (middle, height - 10.0), Anchor::Middle, self.size.risk_axis());
        svg.text(
            "axis",
            (LEFT - 50.0, 12.0),
            Anchor::Start,
            &format!("{} (higher is more useful)", self.y_name),
        );
        self.limit(&mut svg, low, high, &x, floor);
        self.references(&mut svg, right, &y);
        let at = |spot: Spot| (x(spot.risk), y.at(spot.utility));
        let mut frontier: Vec<At> = self.frontier().map(|mark| at(mark.spot)).collect();
        frontier.sort_by(|a, b| a.0.total_cmp(&b.0));
        svg.polyline("frontier", &frontier);
        // Beaten releases are drawn below the others.
        let layer = |mark: &&Mark<'_>| (mark.not_beaten, mark.recommended);
        let mut marks: Vec<&Mark<'_>> = self.marks.iter().collect();
        marks.sort_by_key(layer);
        for mark in marks {
            self.mark(&mut svg, mark, at(mark.spot));
        }
        self.labels(&mut svg, &at, &y);
        svg.finish()
    }

    fn frontier(&self) -> impl Iterator<Item = &Mark<'_>> {
        self.marks.iter().filter(|mark| mark.on_frontier)
    }

    fn number(&self, mark: &Mark<'_>) -> usize {
        self.algorithms.iter().position(|name| *name == mark.algorithm).unwrap_or(0)
    }

    fn mark(&self, svg: &mut Svg, mark: &Mark<'_>, at: At) {
        let number = self.number(mark);
        if mark.recommended {
            svg.dot("halo", at, 15.0, None);
        }
        let kind = if mark.not_beaten && !mark.below_plan { "spot" } else { "spot beaten" };
        svg.polygon(&format!("{kind} {}", paint(number)), &shape(number, at));
        // Polygons have no tooltips of their own.
        let standing = match (mark.recommended, mark.not_beaten) {
            _ if mark.below_plan => "; below the plan",
            (true, _) => "; recommended",
            (_, true) => "; no other release beats it",
            _ => "; another release is at least as good",
        };
        let hint = format!(
            "{} with k = {}: risk {}, {} {}{standing}",
            mark.algorithm,
            mark.k,
            share(mark.spot.risk),
            self.y_name,
            share(mark.spot.utility)
        );
        svg.dot("hit", at, RADIUS + 3.0, Some(&hint));
    }

    /// Names the releases on the frontier, as far as there is room.
    fn labels(&self, svg: &mut Svg, at: &impl Fn(Spot) -> At, y: &Scale) {
        let mut taken: Vec<(At, At)> = self.written(y);
        let named = |mark: &&Mark<'_>| mark.recommended || (mark.on_frontier && mark.not_beaten);
        let mut marks: Vec<&Mark<'_>> = self.marks.iter().filter(named).collect();
        // The recommended release is always named.
        marks.sort_by_key(|mark| !mark.recommended);
        let spots: Vec<At> = self.marks.iter().map(|mark| at(mark.spot)).collect();
        let (right, floor) = (self.size.width() - self.size.right(), self.size.height() - BOTTOM);
        for mark in marks {
            let text = format!("{}, k = {}", mark.algorithm, mark.k);
            let (x, y) = at(mark.spot);
            // The recommended one is bold.
            let wide = text_width(&text) * if mark.recommended { 1.1 } else { 1.0 };
            let room = |(left, top): At| ((left, top - 10.0), (left + wide, top + 3.0));
            let around = |away: f64| {
                [
                    (x - wide - 10.0 - away, y - 8.0 - away),
                    (x + 10.0 + away, y + 16.0 + away),
                    (x - wide / 2.0, y - 12.0 - away),
                    (x - wide / 2.0, y + 22.0 + away),
                    (x + 10.0 + away, y - 8.0 - away),
                    (x - wide - 10.0 - away, y + 16.0 + away),
                ]
            };
            let inside =
                |(left, top): &At| *left > LEFT && left + wide < right && *top > TOP + 10.0 && *top < floor;
            // How much lies where the name would be.
            let covered = |place: &At| {
                let (from, to) = room(*place);
                let apart = |(a, b): &(At, At)| b.0 < from.0 || to.0 < a.0 || b.1 < from.1 || to.1 < a.1;
                let clear = |(x, y): &At| {
                    *x < from.0 - 6.0 || *x > to.0 + 6.0 || *y < from.1 - 5.0 || *y > to.1 + 5.0
                };
                let names = taken.iter().filter(|other| !apart(other)).count();
                names + spots.iter().filter(|spot| !clear(spot)).count()
            };
            // The recommended release is always named, farther away if need be.
            let rings: &[f64] = if mark.recommended { &[0.0, 12.0, 26.0, 42.0, 60.0] } else { &[0.0] };
            let places: Vec<At> =
                rings.iter().flat_map(|away| around(*away)).filter(|place| inside(place)).collect();
            let place = match mark.recommended {
                true => places.into_iter().min_by_key(covered),
                false => places.into_iter().find(|place| covered(place) == 0),
            };
            if let Some(place) = place {
                taken.push(room(place));
                svg.text(if mark.recommended { "chosen-name" } else { "name" }, place, Anchor::Start, &text);
            }
        }
    }

    /// Where a narrow chart names its references.
    fn written(&self, y: &Scale) -> Vec<(At, At)> {
        if self.size == Size::Wide {
            return Vec::new();
        }
        let right = self.size.width() - self.size.right() - 4.0;
        let of = |(name, height): &(&str, f64)| {
            let at = y.at(*height) - 4.0;
            ((right - text_width(name), at - 10.0), (right, at + 3.0))
        };
        self.references.iter().map(of).collect()
    }

    /// Draws the greatest risk that a recommended release may have.
    fn limit(&self, svg: &mut Svg, low: f64, high: f64, x: &impl Fn(f64) -> f64, floor: f64) {
        if (low..=high).contains(&self.max_risk) {
            let at = x(self.max_risk);
            svg.line("mark", (at, floor), (at, TOP));
            svg.text("callout", (at, TOP - 8.0), Anchor::Middle, &format!("limit {}", limit(self.max_risk)));
        }
    }

    fn references(&self, svg: &mut Svg, right: f64, y: &Scale) {
        let mut named: Vec<(f64, &str)> =
            self.references.iter().map(|(name, height)| (y.at(*height), *name)).collect();
        named.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut taken = f64::NEG_INFINITY;
        for (at, name) in named {
            svg.line("reference", (LEFT, at), (right, at));
            if self.size == Size::Narrow {
                svg.text("axis", (right - 4.0, at - 4.0), Anchor::End, name);
                continue;
            }
            // Names are placed from top to bottom, and one that is too close to the last moves down.
            let text = at.max(taken + 13.0);
            svg.text("axis", (right + 6.0, text + 4.0), Anchor::Start, name);
            taken = text;
        }
    }

    /// Returns 1, 2 and 5 times powers of ten that enclose all risks.
    fn risk_ticks(&self) -> Vec<f64> {
        let risks = self.marks.iter().map(|mark| mark.spot.risk.clamp(LEAST_RISK, 1.0));
        let least = risks.clone().fold(1.0, f64::min);
        let most = risks.fold(LEAST_RISK, f64::max);
        let all: Vec<f64> =
            (-5..=0).flat_map(|power| [1.0, 2.0, 5.0].map(|factor| factor * 10_f64.powi(power))).collect();
        let near = |risk: f64| risk * (1.0 + 1e-9);
        let first = all.iter().rposition(|tick| *tick <= near(least)).unwrap_or(0);
        let last = all.iter().position(|tick| near(*tick) >= most && *tick <= 1.0).unwrap_or(all.len() - 3);
        all[first..=last.max(first + 1)].to_vec()
    }

    fn height_ticks(&self) -> Vec<f64> {
        let heights = self.marks.iter().map(|mark| mark.spot.utility);
        let heights = heights.chain(self.references.iter().map(|(_, height)| *height));
        let least = heights.clone().fold(f64::INFINITY, f64::min);
        let most = heights.fold(f64::NEG_INFINITY, f64::max);
        if least > most { vec![0.0, 1.0] } else { enclosing(least, most) }
    }

    fn in_words(&self) -> String {
        let marks = self.frontier().map(|mark| {
            let recommended = match mark.recommended {
                true => " (recommended)",
                false if mark.below_plan => " (below the plan)",
                false => "",
            };
            format!(
                "{} with k = {}{recommended}: risk {}, {} {}",
                mark.algorithm,
                mark.k,
                share(mark.spot.risk),
                self.y_name,
                share(mark.spot.utility)
            )
        });
        let references = self.references.iter().map(|(name, height)| format!("{name}: {}", share(*height)));
        let told: Vec<String> = marks.chain(references).collect();
        format!("{} releases. On the frontier: {}.", self.marks.len(), told.join("; "))
    }
}

/// Writes a percentage without needless zeros.
fn plain(share: f64) -> String {
    format!("{}\u{a0}%", (share * 100.0 * 1e6).round() / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(algorithm: &str, risk: f64, utility: f64, best: bool) -> Mark<'_> {
        Mark {
            algorithm,
            k: 5,
            spot: Spot { risk, utility },
            on_frontier: best,
            not_beaten: best,
            recommended: false,
            below_plan: false,
        }
    }

    fn chart<'a>(marks: &'a [Mark<'a>]) -> FrontierChart<'a> {
        chart_of(marks, Size::Wide)
    }

    fn chart_of<'a>(marks: &'a [Mark<'a>], size: Size) -> FrontierChart<'a> {
        FrontierChart {
            title: "t",
            y_name: "accuracy",
            algorithms: &["<a>", "b"],
            marks,
            references: &[("original rows", 0.9)],
            max_risk: 0.09,
            size,
        }
    }

    #[test]
    fn ticks_enclose_the_risks() {
        let marks = [mark("b", 0.03, 0.8, true), mark("b", 0.3, 0.85, true)];
        assert_eq!(chart(&marks).risk_ticks(), [0.02, 0.05, 0.1, 0.2, 0.5]);
        let one = [mark("b", 1.0, 0.8, true)];
        assert_eq!(chart(&one).risk_ticks(), [1.0, 2.0]);
        let none = [mark("b", 0.0, 0.8, true)];
        assert!((chart(&none).risk_ticks()[0] - 1e-5).abs() < 1e-12);
    }

    #[test]
    fn the_frontier_is_a_line_and_everything_on_it_is_told_in_words() {
        let marks = [mark("<a>", 0.03, 0.8, true), mark("b", 0.3, 0.85, true), mark("b", 0.3, 0.7, false)];
        let svg = chart(&marks).svg();
        assert!(
            svg.contains("&lt;a&gt; with k = 5: risk 3.0\u{a0}%, accuracy 80.0\u{a0}%; b with k = 5"),
            "{svg}"
        );
        assert_eq!(svg.matches("class=\"frontier\"").count(), 1);
        assert_eq!(svg.matches("spot beaten").count(), 1);
        assert!(svg.contains("limit 9\u{a0}%"));
        assert!(!svg.contains("NaN") && !chart(&[]).svg().contains("NaN"));
    }

    #[test]
    fn names_of_risks_have_room_on_a_narrow_chart() {
        let marks = [mark("b", 1e-5, 0.8, true), mark("b", 0.9, 0.85, true)];
        let ticks = |size| chart_of(&marks, size).svg().matches("class=\"tick\"").count();
        let (wide, narrow) = (ticks(Size::Wide), ticks(Size::Narrow));
        assert!(narrow + 4 < wide, "{narrow} of {wide}");
    }

    #[test]
    fn no_two_algorithms_look_the_same() {
        let mut looks: Vec<(usize, String)> = (0..40).map(|number| (number % 8, paint(number))).collect();
        looks.sort();
        looks.dedup();
        assert_eq!(looks.len(), 40);
    }
}
