//! The first section of the page: how useful the releases of each algorithm are.

use minijinja::{Value, context};

use super::{measures, percent};
use scumble::report::drawing::counted;

use crate::experiment::{Experiment, Results, Summary};

/// The accuracy of an algorithm's releases, averaged over everything.
struct Kept {
    name: String,
    /// The mean accuracy over tables, values and machine-learning models.
    accuracy: f64,
    /// The mean of half the 95 % interval of the accuracy: smaller differences mean nothing.
    margin: f64,
    /// The number of cases, and in how many of them every row was suppressed.
    cases: (u64, u64),
    /// The mean accuracy on original rows in the same cases.
    original: f64,
    /// The mean accuracy of guessing the majority class.
    majority: f64,
}

pub(super) fn opening(experiment: &Experiment, results: &Results) -> Value {
    let summaries = results.summaries();
    let algorithms = experiment.plan.algorithm.iter().map(|choice| choice.title());
    let mut kept: Vec<Kept> = algorithms.filter_map(|name| mean(experiment, &summaries, name)).collect();
    kept.sort_by(|a, b| b.accuracy.total_cmp(&a.accuracy));
    let failed = results.entries.iter().filter(|entry| entry.error.is_some()).count();
    let measured = measures::told(experiment, results).filter(|_| experiment.plan.learner.is_empty());
    let (good, heading, sentence) = match (&kept[..], measured) {
        (_, Some((heading, sentence))) => (failed == 0, heading, sentence),
        ([], None) => (
            false,
            "Nothing to compare".to_owned(),
            "Every algorithm failed somewhere; the reasons are below.".to_owned(),
        ),
        ([best, ..], None) if best.accuracy <= best.majority => (
            false,
            "No release beats guessing".to_owned(),
            format!(
                "Machine-learning models trained on releases predict no more test rows correctly than always guessing the most frequent class, \
                 which is right for {}. Trained on original rows they predict {}. {AVERAGES}",
                percent(best.majority),
                percent(best.original)
            ),
        ),
        ([best, rest @ ..], None) => {
            let next = rest.first();
            let heading = match next.filter(|next| best.accuracy - next.accuracy <= best.margin) {
                Some(next) => format!("No difference shown between {} and {}", best.name, next.name),
                None if next.is_none() => format!("What models learn from {}", best.name),
                None => format!("{} keeps most", best.name),
            };
            (failed == 0, heading, told(best, next))
        }
    };
    let one = |label: &str, value: usize, note: &str| context! { label, value, note };
    let splits = experiment.cells().iter().map(|cell| cell.split + 1).max().unwrap_or(0);
    let settings = |choice| experiment.plan.combinations(choice).len();
    let settings = experiment.plan.data.iter().map(settings).max().unwrap_or(0);
    let beside = if experiment.plan.learner.is_empty() { "compared" } else { "beside the original rows" };
    context! {
        heading,
        sentence,
        class => if good { "good" } else { "warn" },
        figures => vec![
            one("Tables", experiment.data.len(), "with a class column to predict"),
            one("Algorithms", experiment.plan.algorithm.len(), beside),
            one("Settings", settings, "combinations of what varies"),
            one("Models", experiment.plan.learner.len(), "that predict the class column"),
            one("Metrics", experiment.plan.measure.len(), "beside loss and time"),
            one("Splits", splits, "of each table"),
            one("Failed", failed, "results, with reasons below"),
        ],
    }
}

/// What all figures of the sentence are.
const AVERAGES: &str = "All figures are averages over all tables, settings and models.";

fn told(best: &Kept, next: Option<&Kept>) -> String {
    let by_next = next.map_or_else(String::new, |next| {
        format!("; trained on releases by {}, {}", next.name, percent(next.accuracy))
    });
    let nothing = |kept: &Kept| match kept.cases {
        (_, 0) => None,
        (all, cases) => Some(format!(
            " In {cases} of {} {} suppressed every row: the predictions there come from the columns that are published as they are.",
            counted(all, "case", "cases"),
            kept.name
        )),
    };
    let nothing: String = [Some(best), next].into_iter().flatten().filter_map(nothing).collect();
    format!(
        "Machine-learning models trained on releases by {} predict {} of the test rows correctly{by_next}; trained on original rows, {}. The most \
         frequent class alone is right for {}. {AVERAGES}{nothing}",
        best.name,
        percent(best.accuracy),
        percent(best.original),
        percent(best.majority)
    )
}

/// Returns the means of an algorithm; `None` if it failed somewhere, since means over fewer cases would flatter it.
fn mean(experiment: &Experiment, summaries: &[Summary], name: &str) -> Option<Kept> {
    let (mut accuracy, mut original, mut majority, mut count) = (0.0, 0.0, 0.0, 0.0);
    let (mut margin, mut cases) = (0.0, (0, 0));
    for own in summaries.iter().filter(|summary| summary.algorithm.as_deref() == Some(name)) {
        let same = |other: &&Summary| {
            other.algorithm.is_none() && (&other.data, &other.learner) == (&own.data, &own.learner)
        };
        let found = own.accuracy?;
        accuracy += found.estimate;
        margin += (found.high - found.low) / 2.0;
        cases = (cases.0 + 1, cases.1 + u64::from(own.suppressed >= 1.0));
        original += summaries.iter().find(same)?.accuracy?.estimate;
        majority += experiment.majority(experiment.data.iter().position(|data| data.name == own.data)?);
        count += 1.0;
    }
    let name = name.to_owned();
    (count > 0.0).then(|| Kept {
        name,
        accuracy: accuracy / count,
        margin: margin / count,
        cases,
        original: original / count,
        majority: majority / count,
    })
}
