//! The critical-difference diagram of Demšar: mean ranks on a line, and how far they must be from the control's to differ.

use scumble::report::drawing::{Anchor, Scale, Svg, tick_label};

use super::{Comparison, Correction, Friedman, Reach, compare_with_control, reach};

const WIDTH: f64 = 640.0;
/// Where the line of ranks begins and ends; the names are outside.
const LEFT: f64 = 200.0;
const RIGHT: f64 = 440.0;
const LINE: f64 = 64.0;
/// The height of a name.
const STEP: f64 = 22.0;

/// Draws the mean ranks of methods, the best at the left, with a bar over the ranks that do not differ from the control's. Methods outside
/// the bar differ from the control at 5 %, with the same correction as in the comparisons.
#[must_use]
pub fn difference_diagram(
    friedman: &Friedman,
    names: &[String],
    control: usize,
    correction: Correction,
) -> String {
    let ranks = &friedman.mean_ranks;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|a, b| ranks[*a].total_cmp(&ranks[*b]).then(a.cmp(b)));
    let left_half = order.len().div_ceil(2);
    let height = LINE + 34.0 + STEP * left_half as f64;
    let found = compare_with_control(friedman, control, correction);
    let far = reach(friedman, control, correction);
    let mut svg = Svg::new(
        WIDTH,
        height,
        "Mean ranks and the critical difference",
        &in_words(friedman, names, control, &order, &found),
    );
    let x = Scale::linear((1.0, ranks.len() as f64), (LEFT, RIGHT));
    svg.line("base", (LEFT, LINE), (RIGHT, LINE));
    for rank in 1..=ranks.len() {
        let at = x.at(rank as f64);
        svg.line("base", (at, LINE - 5.0), (at, LINE));
        svg.text("tick", (at, LINE - 10.0), Anchor::Middle, &tick_label(rank as f64));
    }
    let better = far.better.map_or(1.0, |better| ranks[control] - better);
    let (from, to) = (x.at(better), x.at(ranks[control] + far.worse));
    svg.rect("before", (from, LINE - 3.0), (to - from, 6.0), None);
    svg.text(
        "axis",
        (f64::midpoint(LEFT, RIGHT), 18.0),
        Anchor::Middle,
        &caption(far, &names[control], correction),
    );
    for (place, method) in order.iter().enumerate() {
        let at_left = place < left_half;
        // The outermost names are highest, so that no two leader lines cross.
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

fn caption(far: Reach, control: &str, correction: Correction) -> String {
    match correction {
        Correction::BonferroniDunn => format!("critical difference {:.2} around {control}", far.worse),
        Correction::Holm => {
            format!("critical difference {:.2} around {control}, where Holm's steps end", far.worse)
        }
        Correction::NsvdistRawOneSided => {
            format!("worse than {control} by {:.2} or more: one-sided, uncorrected", far.worse)
        }
    }
}

fn in_words(
    friedman: &Friedman,
    names: &[String],
    control: usize,
    order: &[usize],
    found: &[Comparison],
) -> String {
    let each = order.iter().map(|method| {
        let verdict = match *method == control {
            true => "the control",
            false if found[*method].differs() => "differs from the control",
            false => "does not differ from the control",
        };
        format!("{} has mean rank {:.2} ({verdict})", names[*method], friedman.mean_ranks[*method])
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
        let svg = difference_diagram(&script(), &names, 0, Correction::BonferroniDunn);
        // Only d is further than 1.784 from a's 3.83.
        assert!(svg.contains(
            "&lt;d&gt; has mean rank 1.08 (differs from the control); c has mean rank 2.25 (does not"
        ));
        assert!(svg.contains("critical difference 1.78 around a"));
        assert_eq!(svg.matches("<circle").count(), 4);
    }

    /// Reads from the drawing where the bar begins and ends, and where each method's dot is.
    fn drawn(svg: &str) -> ((f64, f64), Vec<(String, f64)>) {
        let number = |of: &str, name: &str| -> f64 {
            let from = of.find(&format!(" {name}=\"")).expect("an attribute") + name.len() + 3;
            of[from..].split('"').next().expect("a number").parse().expect("a number")
        };
        let bar = svg.split("<rect").find(|part| part.contains("class=\"before\"")).expect("a bar");
        let start = number(bar, "x");
        let dot = |part: &str| {
            let title = part.split("<title>").nth(1).expect("a title").split(':').next().expect("a name");
            (title.to_owned(), number(part, "cx"))
        };
        ((start, start + number(bar, "width")), svg.split("<circle").skip(1).map(dot).collect())
    }

    /// The same mean ranks on more and more blocks: at some point Holm separates methods that Bonferroni-Dunn does not, and its bar must
    /// then be shorter.
    #[test]
    fn bar_and_comparisons_agree_under_every_correction() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let mut differ = Vec::new();
        for correction in [Correction::BonferroniDunn, Correction::Holm, Correction::NsvdistRawOneSided] {
            for blocks in 2..40 {
                let friedman = Friedman { blocks, ..script() };
                for control in 0..4 {
                    let found = compare_with_control(&friedman, control, correction);
                    let svg = difference_diagram(&friedman, &names, control, correction);
                    let ((from, to), dots) = drawn(&svg);
                    for (name, at) in dots {
                        let method = names.iter().position(|of| *of == name).expect("a method");
                        let inside = from <= at && at <= to;
                        assert_eq!(
                            inside,
                            !found[method].differs(),
                            "{correction:?} {blocks} {control} {name}: {svg}"
                        );
                        let said =
                            format!("{name} has mean rank {:.2} (differs", friedman.mean_ranks[method]);
                        assert_eq!(svg.contains(&said), found[method].differs());
                    }
                    differ.push((
                        correction,
                        blocks,
                        control,
                        found.iter().filter(|of| of.differs()).count(),
                    ));
                }
            }
        }
        let count = |correction: Correction| -> usize {
            differ.iter().filter(|of| of.0 == correction).map(|of| of.3).sum()
        };
        assert!(count(Correction::Holm) > count(Correction::BonferroniDunn), "Holm finds more somewhere");
    }
}
