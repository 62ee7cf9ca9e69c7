//! The critical-difference diagram of Demšar: mean ranks on a line, and how far the control reaches.

use scumble::report::drawing::{Anchor, Scale, Svg, tick_label};

use super::{Friedman, critical_difference};

const WIDTH: f64 = 640.0;
/// Where the line of ranks begins and ends; the names stand outside.
const LEFT: f64 = 200.0;
const RIGHT: f64 = 440.0;
const LINE: f64 = 64.0;
/// The height of a name.
const STEP: f64 = 22.0;

/// Draws the mean ranks of methods, best at the left, with the critical difference of Bonferroni-Dunn on either side of
/// the control: what lies outside the bar differs from the control at 5 %.
#[must_use]
pub fn difference_diagram(friedman: &Friedman, names: &[String], control: usize) -> String {
    let ranks = &friedman.mean_ranks;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|a, b| ranks[*a].total_cmp(&ranks[*b]).then(a.cmp(b)));
    let left_half = order.len().div_ceil(2);
    let height = LINE + 34.0 + STEP * left_half as f64;
    let difference = critical_difference(friedman);
    let mut svg = Svg::new(
        WIDTH,
        height,
        "Mean ranks and the critical difference",
        &in_words(friedman, names, control, &order),
    );
    let x = Scale::linear((1.0, ranks.len() as f64), (LEFT, RIGHT));
    svg.line("base", (LEFT, LINE), (RIGHT, LINE));
    for rank in 1..=ranks.len() {
        let at = x.at(rank as f64);
        svg.line("base", (at, LINE - 5.0), (at, LINE));
        svg.text("tick", (at, LINE - 10.0), Anchor::Middle, &tick_label(rank as f64));
    }
    let (from, to) = (x.at(ranks[control] - difference), x.at(ranks[control] + difference));
    svg.rect("before", (from, LINE - 3.0), (to - from, 6.0), None);
    let reach = format!("critical difference {difference:.2} around {}", names[control]);
    svg.text("axis", (f64::midpoint(LEFT, RIGHT), 18.0), Anchor::Middle, &reach);
    for (place, method) in order.iter().enumerate() {
        let at_left = place < left_half;
        // The outermost names stand highest, so that no two leads cross.
        let row = if at_left { place } else { order.len() - 1 - place };
        let (at, y) = (x.at(ranks[*method]), LINE + 24.0 + STEP * row as f64);
        let (end, anchor) = if at_left { (LEFT - 14.0, Anchor::End) } else { (RIGHT + 14.0, Anchor::Start) };
        svg.polyline("lead", &[(at, LINE), (at, y), (end, y)]);
        let hint = format!("{}: mean rank {:.3}", names[*method], ranks[*method]);
        let class = if *method == control { "chosen" } else { "after" };
        svg.dot(class, (at, LINE), 4.0, Some(&hint));
        let name = format!("{} {:.2}", names[*method], ranks[*method]);
        let at = if at_left { end - 4.0 } else { end + 4.0 };
        let class = if *method == control { "callout" } else { "name" };
        svg.text(class, (at, y + 4.0), anchor, &name);
    }
    svg.finish()
}

fn in_words(friedman: &Friedman, names: &[String], control: usize, order: &[usize]) -> String {
    let ranks = &friedman.mean_ranks;
    let difference = critical_difference(friedman);
    let each = order.iter().map(|method| {
        let apart = (ranks[*method] - ranks[control]).abs() >= difference;
        let verdict = match *method == control {
            true => "the control",
            false if apart => "differs from the control",
            false => "does not differ from the control",
        };
        format!("{} has mean rank {:.2} ({verdict})", names[*method], ranks[*method])
    });
    each.collect::<Vec<_>>().join("; ") + "."
}

#[cfg(test)]
mod tests {
    use super::super::friedman::tests::script;
    use super::*;

    #[test]
    fn the_diagram_says_who_differs_in_words_too() {
        let names: Vec<String> = ["a", "b", "c", "<d>"].map(str::to_owned).to_vec();
        let svg = difference_diagram(&script(), &names, 0);
        // Only d is further than 1.784 from a's 3.83.
        assert!(svg.contains(
            "&lt;d&gt; has mean rank 1.08 (differs from the control); c has mean rank 2.25 (does not"
        ));
        assert!(svg.contains("critical difference 1.78 around a"));
        assert_eq!(svg.matches("<circle").count(), 4);
    }
}
