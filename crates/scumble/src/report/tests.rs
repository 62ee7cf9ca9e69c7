//! The page as a whole: it renders, it is well-formed, it loads nothing, and data stays data.

use super::data::*;
use super::{fixture, html, json};
use crate::config::Audience;

/// Tags that are never closed.
const VOID: [&str; 5] = ["meta", "br", "link", "img", "hr"];

/// Walks over the markup and checks that every tag that opens is closed, in order. Returns the names of all
/// elements seen.
fn elements(page: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>') || open.last().is_some_and(|t| t == "style"),
            "a stray > in {}",
            &rest[..start]
        );
        rest = &rest[start + 1..];
        if let Some(after) = rest.strip_prefix("!doctype html>") {
            rest = after;
            continue;
        }
        let mut quoted = false;
        let end = rest
            .find(|c| {
                quoted ^= c == '"';
                c == '>' && !quoted
            })
            .expect("every tag ends");
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "closing tags match opening ones");
            continue;
        }
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).collect();
        assert!(!name.is_empty(), "a stray < before {}", tag.chars().take(40).collect::<String>());
        seen.push(name.clone());
        if !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    seen
}

fn rendered(report: &Report) -> String {
    html(report).expect("the report renders")
}

/// Set `SCUMBLE_REPORT_PREVIEW` to a folder to look at the pages in a browser.
fn preview(name: &str, page: &str) {
    if let Ok(folder) = std::env::var("SCUMBLE_REPORT_PREVIEW") {
        std::fs::write(std::path::Path::new(&folder).join(name), page)
            .expect("the preview folder is writable");
    }
}

#[test]
fn a_full_report_has_every_section_in_order() {
    let page = rendered(&fixture::full());
    preview("full.html", &page);
    let ids: Vec<&str> =
        page.split("<section id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(
        ids,
        [
            "columns",
            "points",
            "requirements",
            "risk",
            "attacks",
            "kept",
            "suppression",
            "class-sizes",
            "costs",
            "information",
            "combinations",
            "run",
            "glossary"
        ]
    );
    let seen = elements(&page);
    // 2 class sizes, 3 columns, 6 curves, 2 changes, 4 subgroups, 3 risk, 1 lattice, 1 in the banner.
    assert_eq!(seen.iter().filter(|name| *name == "svg").count(), 22);
    assert_eq!(page.matches("role=\"img\"").count(), 21);
    // Only what was done to the columns is unfolded.
    assert_eq!((page.matches("<details open>").count(), page.matches("<details>").count()), (1, 13));
    for text in [
        "5-anonymous on age, sex, postcode, occupation and 2 more; 2.5-diverse for diagnosis",
        "; checked.",
        "points to decide",
        "infinite",
    ] {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn the_summary_is_verdict_requirements_and_room_for_a_decision() {
    let page = super::summary_html(&fixture::full()).expect("a page");
    preview("summary.html", &page);
    elements(&page);
    let ids: Vec<&str> =
        page.split("<section id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(ids, ["requirements", "run", "decision"]);
    assert!(page.contains("points to decide") && page.contains("signature"));
    // The summary is to fit on one page: explanations and further points stand in the report.
    assert!(!page.contains("What it does not protect against") && !page.contains("under “Points to decide”"));
}

#[test]
fn what_is_absent_vanishes() {
    let page = rendered(&fixture::minimal());
    preview("minimal.html", &page);
    elements(&page);
    let ids: Vec<&str> =
        page.split("<section id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(ids, ["requirements", "glossary"]);
    assert!(!page.contains("role=\"img\""));
    assert!(page.contains("Released and checked"));
}

#[test]
fn an_empty_report_is_not_called_released() {
    let page = rendered(&Report::default());
    preview("empty.html", &page);
    elements(&page);
    assert!(page.contains("Not ready to publish"));
    assert!(!page.contains("Released and checked"));
}

#[test]
fn optional_parts_that_are_there_but_empty_vanish_too() {
    let report = Report {
        class_sizes: Some(ClassSizes::default()),
        information: Some(ClassInformation::default()),
        suppression: Some(Suppression::default()),
        kept: Some(KeptExactly::default()),
        ..fixture::minimal()
    };
    assert_eq!(elements(&rendered(&report)), elements(&rendered(&fixture::minimal())));
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    let page = rendered(&fixture::full());
    for forbidden in
        ["http://", "https://", "url(", "@import", "src=", "<script", "<link", "<iframe", "onload"]
    {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.contains("default-src 'none'"));
}

/// Replaces every text in a JSON value, so that a test need not know all fields.
fn spoil(value: &mut serde_json::Value, nasty: &str) {
    match value {
        // These are read back as enumerations or special numbers, not shown as they are.
        serde_json::Value::String(text)
            if [
                "infinite",
                "lower",
                "higher",
                "starred",
                "dropped",
                "quasi",
                "class",
                "sensitive",
                "other",
                "none",
                "level",
                "suppressed",
                "declared",
                "from-data",
                "warning",
                "note",
                "pitman",
                "public",
                "row",
                "value",
                "presence",
                "detail",
                "rows",
            ]
            .contains(&text.as_str()) => {}
        serde_json::Value::String(text) => *text = format!("{nasty}{text}"),
        serde_json::Value::Array(items) => items.iter_mut().for_each(|item| spoil(item, nasty)),
        serde_json::Value::Object(fields) => fields.iter_mut().for_each(|(_, field)| spoil(field, nasty)),
        _ => {}
    }
}

#[test]
fn no_text_of_the_data_can_become_markup() {
    let mut value = serde_json::to_value(fixture::full()).expect("JSON");
    spoil(&mut value, "<script>\"&'</title>");
    let report: Report = serde_json::from_value(value).expect("the same shape");
    assert!(report.columns[0].name.starts_with("<script>"));
    let page = rendered(&report);
    elements(&page);
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
}

#[test]
fn degenerate_data_gives_finite_charts() {
    let part = AxisPart { exact: f64::NAN, wider: f64::INFINITY, ..AxisPart::default() };
    let ordered = Axis { ordered: true, parts: vec![part.clone()], ..Axis::default() };
    let named = Axis { parts: vec![part.clone(), part], others: 3, hidden: u64::MAX, ..Axis::default() };
    let report = Report {
        class_sizes: Some(ClassSizes {
            before: vec![SizeCount { size: 0, classes: 0 }],
            after: vec![],
            k: Some(0),
        }),
        columns: [Axis::default(), ordered, named]
            .map(|axis| ColumnReport { axis: Some(axis), loss: Amount::Infinite, ..ColumnReport::default() })
            .to_vec(),
        information: Some(ClassInformation {
            class: "c".into(),
            curves: vec![LevelCurve {
                information: vec![Amount::Undefined, Amount::Infinite],
                chosen: Some(9),
                ..LevelCurve::default()
            }],
        }),
        changes: vec![ColumnChange {
            divergence: Amount::Undefined,
            information_change: Some(Amount::Infinite),
            ..ColumnChange::default()
        }],
        suppression: Some(Suppression {
            reasons: vec![ReasonCount::default()],
            subgroups: vec![SubgroupColumn { column: "c".into(), groups: vec![Subgroup::default()] }],
        }),
        risk: Some(Risk {
            before: None,
            after: RiskFigures {
                rows: 1,
                threshold: f64::NAN,
                bands: vec![RiskBand::default()],
                ..RiskFigures::default()
            },
            singling_before: Some(Singling { combinations: vec![Default::default()], ..Singling::default() }),
            population_after: Some(PopulationUniques::default()),
            ..Risk::default()
        }),
        metrics: vec![MetricResult {
            value: Amount::Infinite,
            range: Some((0.0, f64::INFINITY)),
            ..MetricResult::default()
        }],
        ..Report::default()
    };
    let page = rendered(&report);
    elements(&page);
    for bad in ["NaN", "\"inf\"", "\"-inf\"", "inf,", ",inf"] {
        assert!(!page.contains(bad), "{bad}");
    }
}

#[test]
fn the_json_twin_round_trips() {
    for report in [fixture::full(), fixture::minimal(), Report::default()] {
        let twin = json(&report).expect("JSON");
        assert_eq!(twin, serde_json::to_string_pretty(&report).expect("JSON"));
        assert!(serde_json::from_str::<Report>(&twin).expect("the twin reads back") == report);
    }
}

#[test]
fn an_older_twin_without_newer_fields_still_reads() {
    let report: Report =
        serde_json::from_str(r#"{"title": "old", "release": {"rows": 3}}"#).expect("defaults fill in");
    assert_eq!((report.title.as_str(), report.release.rows, report.release.checked), ("old", 3, false));
}

#[test]
fn the_same_report_gives_the_same_bytes() {
    assert_eq!(rendered(&fixture::full()), rendered(&fixture::full()));
}

#[test]
fn the_page_about_risk_is_well_formed_with_everything_and_with_little() {
    use crate::risk::uniques::{Sample, estimate};
    use crate::risk::{Assessment, HouseholdRisk, Uniques, WeightedRisk};
    let full = fixture::full();
    let risk = full.risk.expect("risk");
    let sizes = [(1, 90), (2, 18), (3, 7), (4, 4), (6, 2), (15, 1)];
    let figures = risk.before.expect("figures");
    let everything = Assessment {
        quasi: vec!["age".into(), "<b>sex</b>".into()],
        rows: figures.rows,
        classes: 28_000,
        smallest_class: Some(1),
        star_rows: 7,
        journalist: crate::risk::Journalist { upper_bound: false, risk: risk.after },
        uniques: Uniques {
            rows: 90,
            population: Some(estimate(&Sample { sizes: &sizes, rows: 190, population: 2_000 })),
            ..Uniques::default()
        },
        singling: risk.singling_before,
        weights: Some(WeightedRisk { risk: figures.clone(), ..WeightedRisk::default() }),
        households: Some(HouseholdRisk { of_rows: figures.clone(), ..HouseholdRisk::default() }),
        warnings: vec!["something".into()],
        prosecutor: figures,
        ..Assessment::default()
    };
    let page = super::risk_html(&everything, "people.csv").expect("a page");
    preview("risk.html", &page);
    // 2 attackers, 1 estimates, 3 what singles out, 1 weights, 1 households, 1 in the banner.
    assert_eq!(elements(&page).iter().filter(|name| *name == "svg").count(), 9);
    assert!(!page.contains("<b>sex</b>") && page.contains("&lt;b&gt;sex"));
    let little = super::risk_html(&Assessment::default(), "").expect("a page");
    let ids: Vec<&str> =
        little.split("<section id=\"").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert_eq!(ids, ["risk-attackers", "risk-uniques", "glossary"]);
    elements(&little);
}

#[test]
fn the_page_about_attacks_is_well_formed_with_everything_and_with_little() {
    let page =
        super::attacks_html(&fixture::full().attacks, None, Audience::Inside, "clinic <b>").expect("a page");
    preview("attacks.html", &page);
    elements(&page);
    assert!(page.contains("No simulated attack exceeds the limit") && page.contains("0.2\u{a0}%"));
    assert!(page.contains("infinite") && page.contains("Not run") && page.contains("clinic &lt;b&gt;"));
    let nothing = super::attacks_html(&[], None, Audience::Public, "").expect("a page");
    assert!(nothing.contains("No attack could be run"));
}
