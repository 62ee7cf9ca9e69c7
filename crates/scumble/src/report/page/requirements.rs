//! The table of models and the table of metrics.

use crate::base::format::{amount, counted, list};
use crate::report::data::{Better, MetricResult, ModelResult, Report, Setting, SuppressedAs};
use crate::report::{model_words, words};
use minijinja::{Value, context};

pub(super) fn models(report: &Report) -> Option<Value> {
    if report.models.is_empty() {
        return None;
    }
    let rows: Vec<Value> = report.models.iter().map(model).collect();
    Some(context! { rows, checks => checks(report) })
}

fn model(model: &ModelResult) -> Value {
    context! {
        title => &model.title,
        about => about(model),
        required => model_words::settings(&model.required),
        attained => model.attained.as_ref().map_or_else(
            || "–".to_owned(),
            |attained| model_words::settings(std::slice::from_ref(attained)),
        ),
        holds => model.holds,
        meaning => &model.meaning,
        limits => &model.limits,
    }
}

fn about(model: &ModelResult) -> Option<String> {
    match (&model.column, model.on.as_slice()) {
        (None, []) => None,
        (None, on) => Some(format!("on {}", list(on, 12))),
        (Some(column), _) => Some(format!("for {column}")),
    }
}

/// The checks after writing.
fn checks(report: &Report) -> Vec<Value> {
    let release = &report.release;
    let check = |done: bool, text: String| context! { done, text };
    let mut checks = vec![if release.checked {
        check(
            true,
            format!(
                "After writing, the release ({}) was read back and checked by independent code, which shares nothing \
                 with the search.",
                counted(release.released, "row", "rows")
            ),
        )
    } else {
        check(false, "The written release was not checked.".to_owned())
    }];
    if let Some(truthful) = release.truthful {
        let text = if truthful {
            "Every released value was found true of its original."
        } else {
            "A released value is not true of its original."
        };
        checks.push(check(truthful, text.to_owned()));
    }
    if release.suppressed > 0 && release.suppressed_as == SuppressedAs::Starred {
        checks.push(check(
            true,
            format!(
                "{} with * in every quasi-identifier stay in the release, with their other columns.",
                counted(release.suppressed, "suppressed row", "suppressed rows")
            ),
        ));
    }
    checks
}

pub(super) fn costs(report: &Report) -> Option<Value> {
    if report.metrics.is_empty() {
        return None;
    }
    let rows: Vec<Value> = report.metrics.iter().map(metric).collect();
    Some(context! { rows })
}

fn metric(metric: &MetricResult) -> Value {
    let known = words::metric_explanation(&metric.name);
    let explanation = [known.or(metric.explanation.as_deref()).map(str::to_owned), details(metric)];
    let explanation: Vec<String> = explanation.into_iter().flatten().collect();
    context! {
        title => &metric.title,
        value => amount(metric.value),
        normalised => metric.normalised.map(|n| format!("{} normalised", amount(n))),
        better => match metric.better { Better::Lower => "lower is better", Better::Higher => "higher is better" },
        meter => meter(metric),
        explanation => explanation.join(" "),
    }
}

/// The further figures of a metric, in a sentence.
fn details(metric: &MetricResult) -> Option<String> {
    let detail = |detail: &Setting| format!("{} {}", detail.name.replace('_', " "), amount(detail.value));
    let details: Vec<String> = metric.details.iter().map(detail).collect();
    (!details.is_empty()).then(|| format!("({})", details.join(", ")))
}

/// The small bar next to the value: where it lies between its best (0) and its worst (100).
fn meter(metric: &MetricResult) -> Option<Value> {
    let (value, (low, high)) = match (metric.range, metric.normalised) {
        (Some(range), _) => (metric.value.finite()?, range),
        (None, Some(normalised)) => (normalised.finite()?, (0.0, 1.0)),
        (None, None) => return None,
    };
    if !(high - low > 0.0 && (high - low).is_finite()) {
        return None;
    }
    let part = ((value - low) / (high - low)).clamp(0.0, 1.0);
    let worse = match metric.better {
        Better::Lower => part,
        Better::Higher => 1.0 - part,
    };
    let class = if worse < 0.34 {
        "mild"
    } else if worse < 0.67 {
        "middling"
    } else {
        "heavy"
    };
    Some(context! { percent => format!("{:.1}", part * 100.0), class })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_meter_knows_which_end_is_bad() {
        let class = |value: f64, better| {
            let metric = MetricResult {
                value: value.into(),
                range: Some((0.0, 1.0)),
                better,
                ..MetricResult::default()
            };
            meter(&metric).map(|m| m.get_attr("class").expect("a class").to_string())
        };
        assert_eq!(class(0.1, Better::Lower).as_deref(), Some("mild"));
        assert_eq!(class(0.1, Better::Higher).as_deref(), Some("heavy"));
        assert_eq!(class(f64::INFINITY, Better::Lower), None);
        let no_range = MetricResult { value: 3.0.into(), range: Some((1.0, 1.0)), ..MetricResult::default() };
        assert!(meter(&no_range).is_none());
    }
}
