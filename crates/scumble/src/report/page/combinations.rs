//! The lattice of all combinations of levels, if it is small enough to be drawn.

use super::figure;
use crate::base::format::{count, counted};
use crate::report::charts::lattice::{LatticeChart, ink};
use crate::report::charts::{Ink, Series};
use crate::report::data::Report;
use minijinja::{Value, context};

pub(super) fn section(report: &Report) -> Option<Value> {
    let combinations = report.combinations.as_ref().filter(|combinations| !combinations.nodes.is_empty())?;
    let all = combinations.nodes.len() as u64;
    let passing = combinations.nodes.iter().filter(|node| node.suppressed.is_some()).count() as u64;
    let looked = combinations.checked.map_or_else(String::new, |checked| {
        format!(" The search took {} to find the one released.", counted(checked, "look", "looks"))
    });
    let summary = format!(
        "Of {}, {} can be published within the suppression limit.{looked}",
        counted(all, "combination of levels", "combinations of levels"),
        count(passing)
    );
    let named = [
        (Ink::Alert, "released"),
        (Ink::After, "could be published too"),
        (Ink::Before, "suppresses too many rows"),
    ];
    let legend: Vec<Series> = named
        .into_iter()
        .filter(|(colour, _)| combinations.nodes.iter().any(|node| ink(node) == *colour))
        .map(|(ink, name)| Series { name: name.into(), ink, values: Vec::new() })
        .collect();
    let title = "All combinations of levels, by height";
    let svg = LatticeChart { title, description: &summary, combinations }.svg();
    let remark = "Each dot is one combination, one row up is one step coarser in one column; rest the pointer on a dot to see its levels.";
    Some(context! { summary => &summary, figure => figure(svg, "", remark, &legend) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::data::{Combination, Combinations};

    #[test]
    fn what_can_be_published_is_counted() {
        let node =
            |levels: [u32; 2], suppressed, chosen| Combination { levels: levels.into(), suppressed, chosen };
        let combinations = Combinations {
            columns: vec!["sex".into(), "age".into()],
            nodes: vec![node([0, 0], None, false), node([0, 1], Some(1), true), node([1, 1], Some(0), false)],
            checked: Some(2),
        };
        let report = Report { combinations: Some(combinations), ..Report::default() };
        let section = section(&report).expect("a section");
        let summary = section.get_attr("summary").expect("a summary").to_string().replace('\u{a0}', " ");
        assert_eq!(
            summary,
            "Of 3 combinations of levels, 2 can be published within the suppression limit. The search took 2 looks to find \
             the one released."
        );
        let svg = section
            .get_attr("figure")
            .and_then(|figure| figure.get_attr("svg"))
            .expect("a drawing")
            .to_string();
        assert_eq!(svg.matches("<circle").count(), 3);
        assert!(svg.contains("chosen: sex 0, age 1: suppresses 1"), "{svg}");
    }
}
