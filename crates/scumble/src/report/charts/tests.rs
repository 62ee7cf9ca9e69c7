//! Every chart on degenerate data: coordinates stay finite, text stays text.

use super::bars::{Bar, BarChart, BarRow};
use super::columns::ColumnChart;
use super::line::LineChart;
use super::outline::{Outline, Part};
use super::step::StepChart;
use super::{Ink, Series};
use crate::report::data::Amount;

/// Checks all numbers of all attributes that place something.
fn assert_sound(svg: &str) {
    for word in ["NaN", "inf\"", "inf,", "=\"-inf"] {
        assert!(!svg.contains(word), "{word} in {svg}");
    }
    let placed =
        [" x=\"", " y=\"", " width=\"", " height=\"", " x1=\"", " y1=\"", " cx=\"", " cy=\"", "points=\""];
    let mut seen = 0;
    for attribute in placed {
        for part in svg.split(attribute).skip(1) {
            let value = part.split('"').next().unwrap_or("");
            for number in value.split([' ', ',']).filter(|n| !n.is_empty()) {
                let number: f64 = number.parse().expect("a coordinate is a number");
                assert!((-100.0..2000.0).contains(&number), "{number} lies off the page in {svg}");
                seen += 1;
            }
        }
    }
    // Even an empty chart has a frame, except bars without rows.
    assert!(seen > 0 || svg.contains("height:") || svg.contains("viewBox=\"0 0 440 20\""), "{svg}");
    assert!(svg.starts_with("<svg class=\"chart\" role=\"img\""));
    assert!(svg.contains("<title>") && svg.contains("<desc>"));
}

fn amounts() -> Vec<Vec<Amount>> {
    let f = Amount::Finite;
    vec![
        vec![],
        vec![f(0.0)],
        vec![f(0.3)],
        vec![f(0.2), f(0.2), f(0.2)],
        vec![f(0.0), f(0.0)],
        vec![f(0.1), Amount::Infinite, Amount::Undefined, f(0.4)],
        vec![f(1e-300), f(1e300)],
        vec![Amount::Undefined],
    ]
}

#[test]
fn lines_are_sound() {
    for values in amounts() {
        let points: Vec<_> = values.iter().enumerate().map(|(i, v)| (i.to_string(), *v)).collect();
        for marked in [None, Some(0), Some(7)] {
            assert_sound(&LineChart { title: "t", x_name: "level", points: &points, marked }.svg());
        }
    }
}

#[test]
fn a_line_breaks_where_there_is_no_number() {
    let values = [
        Amount::Finite(1.0),
        Amount::Finite(2.0),
        Amount::Undefined,
        Amount::Finite(1.0),
        Amount::Finite(3.0),
    ];
    let points: Vec<_> = values.iter().enumerate().map(|(i, v)| (i.to_string(), *v)).collect();
    let svg = LineChart { title: "t", x_name: "level", points: &points, marked: None }.svg();
    assert_eq!(svg.matches("<polyline").count(), 2);
    assert_eq!(svg.matches("<circle").count(), 4);
}

#[test]
fn steps_are_sound() {
    let cases: [&[(u64, f64)]; 4] = [&[], &[(1, 1.0)], &[(5, 0.5), (1_000_000_000, 1.0)], &[(0, f64::NAN)]];
    for steps in cases {
        for mark in [None, Some((5, "k = 5".to_owned(), 0.1)), Some((0, "k = 0".to_owned(), f64::NAN))] {
            assert_sound(&StepChart { title: "t", x_name: "size", steps, mark }.svg());
        }
    }
}

#[test]
fn columns_are_sound() {
    for values in [vec![], vec![0.0], vec![7.0, 7.0, 7.0], vec![f64::INFINITY, f64::NAN, 1.0], vec![1e15; 30]]
    {
        let groups: Vec<String> = (0..values.len()).map(|i| format!("group number {i}")).collect();
        let series = [
            Series { name: "a".into(), ink: Ink::Before, values: values.clone() },
            Series { name: "b".into(), ink: Ink::After, values: vec![] },
        ];
        let mark = Some((1, "k = 5".to_owned()));
        assert_sound(
            &ColumnChart { title: "t", x_name: "x", unit: "rows", groups: &groups, series: &series, mark }
                .svg(),
        );
    }
}

#[test]
fn outlines_are_sound() {
    for rows in
        [vec![], vec![0.0], vec![3.0], vec![4.0, 4.0], vec![1e19, f64::NAN, f64::INFINITY], vec![1.0; 500]]
    {
        let part = |rows: &f64| Part { name: "n".into(), before: *rows, after: rows / 3.0 };
        let parts: Vec<Part> = rows.iter().map(part).collect();
        assert_sound(&Outline { title: "t", parts: &parts }.svg());
    }
}

#[test]
fn bars_are_sound_and_infinity_is_seen() {
    for values in [
        vec![],
        vec![0.0],
        vec![2.0, 2.0],
        vec![f64::NAN],
        vec![f64::INFINITY],
        vec![f64::INFINITY, 0.1, -3.0],
    ] {
        let rows: Vec<BarRow> = values
            .iter()
            .map(|value| BarRow {
                name: "name".into(),
                bars: vec![Bar {
                    value: *value,
                    label: "label".into(),
                    hint: String::new(),
                    ink: Ink::After,
                }],
            })
            .collect();
        for reference in [None, Some((0.5, "average".to_owned())), Some((f64::INFINITY, "none".to_owned()))] {
            let svg = BarChart { title: "t", rows: &rows, reference }.svg();
            assert_sound(&svg);
            assert_eq!(svg.matches("\"endless\"").count(), values.iter().filter(|v| v.is_infinite()).count());
        }
    }
}

#[test]
fn a_bar_is_as_long_as_its_value_says() {
    let bar = |value| BarRow {
        name: "n".into(),
        bars: vec![Bar { value, label: String::new(), hint: String::new(), ink: Ink::After }],
    };
    let svg = BarChart { title: "t", rows: &[bar(1.0), bar(2.0)], reference: None }.svg();
    let widths: Vec<f64> = svg
        .split("class=\"after\"")
        .skip(1)
        .filter_map(|part| part.split("width=\"").nth(1)?.split('"').next()?.parse().ok())
        .collect();
    assert_eq!(widths.len(), 2);
    assert!((widths[1] - 2.0 * widths[0]).abs() < 0.3, "{widths:?}");
}

#[test]
fn text_cannot_become_markup() {
    let nasty = "<script>alert('x')</script>\"&\u{7}";
    let rows = [BarRow {
        name: nasty.into(),
        bars: vec![Bar { value: 1.0, label: nasty.into(), hint: nasty.into(), ink: Ink::Alert }],
    }];
    let svg = BarChart { title: nasty, rows: &rows, reference: Some((1.0, nasty.to_owned())) }.svg();
    assert!(!svg.contains("<script") && !svg.contains('\u{7}') && !svg.contains("'x'"));
    assert!(svg.contains("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&quot;&amp; "));
}
