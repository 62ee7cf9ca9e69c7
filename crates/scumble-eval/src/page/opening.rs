//! The first section of the page: how useful the releases of each algorithm are.

use minijinja::{Value, context};

use super::{measures, percent};
use crate::experiment::{Experiment, Results, Summary};

/// The accuracy of an algorithm's releases, averaged over everything.
struct Kept {
    name: String,
    /// The mean accuracy over tables, values and machine-learning models.
    accuracy: f64,
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
                "In the mean over all tables, settings and learners, no algorithm's releases let learners do better than guessing the \
                 majority class, which gets {} right; from original rows they get {}.",
                percent(best.majority),
                percent(best.original)
            ),
        ),
        ([best, rest @ ..], None) => {
            let follows = |next: &Kept| format!(" {} follows with {}.", next.name, percent(next.accuracy));
            let next = rest.first().map(follows).unwrap_or_default();
            (failed == 0, format!("{} keeps most", best.name), told(best) + &next)
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
            one("Tables", experiment.data.len(), "with a class to predict"),
            one("Algorithms", experiment.plan.algorithm.len(), beside),
            one("Settings", settings, "combinations of what varies"),
            one("Learners", experiment.plan.learner.len(), "that predict the class"),
            one("Metrics", experiment.plan.measure.len(), "beside loss and time"),
            one("Splits", splits, "of each table"),
            one("Failed", failed, "results, with reasons below"),
        ],
    }
}

fn told(kept: &Kept) -> String {
    format!(
        "In the mean over all tables, settings and learners, what is learnt from releases of {} gets {} of test rows right. From \
         original rows it would be {}, and guessing the majority class gets {}.",
        kept.name,
        percent(kept.accuracy),
        percent(kept.original),
        percent(kept.majority)
    )
}

/// Returns the means of an algorithm; `None` if it failed somewhere, since means over fewer cases would flatter it.
fn mean(experiment: &Experiment, summaries: &[Summary], name: &str) -> Option<Kept> {
    let (mut accuracy, mut original, mut majority, mut count) = (0.0, 0.0, 0.0, 0.0);
    for own in summaries.iter().filter(|summary| summary.algorithm.as_deref() == Some(name)) {
        let same = |other: &&Summary| {
            other.algorithm.is_none() && (&other.data, &other.learner) == (&own.data, &own.learner)
        };
        accuracy += own.accuracy?.estimate;
        original += summaries.iter().find(same)?.accuracy?.estimate;
        majority += experiment.majority(experiment.data.iter().position(|data| data.name == own.data)?);
        count += 1.0;
    }
    let name = name.to_owned();
    (count > 0.0).then(|| Kept {
        name,
        accuracy: accuracy / count,
        original: original / count,
        majority: majority / count,
    })
}
