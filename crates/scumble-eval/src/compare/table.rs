//! The result of a comparison for programs: CSV and JSON.

use serde_json::{Value, json};

use super::advice::Advice;
use super::outcome::{Accuracy, Candidate, Comparison, Utility};

/// Writes one row for each release, in the order of algorithms and k.
#[must_use]
pub fn to_csv(comparison: &Comparison) -> String {
    let mut head: Vec<String> = [
        "algorithm",
        "standing",
        "k",
        "risk",
        "worst_off",
        "identity_risk",
        "attribute_risk",
        "attribute_column",
        "certain",
        "accuracy",
    ]
    .map(str::to_owned)
    .to_vec();
    let scored = comparison.baselines.as_ref().map_or(&[][..], |_| &comparison.learners[..]);
    head.extend(scored.iter().map(|learner| format!("accuracy_{learner}")));
    head.extend(
        ["loss", "suppressed", "attained_k", "not_beaten", "recommended", "below_plan", "seconds"]
            .map(str::to_owned),
    );
    let marks = comparison.not_beaten();
    let chosen = Advice::of(comparison).and_then(|advice| advice.recommended());
    let mut text = line(&head);
    for (place, candidate) in comparison.candidates.iter().enumerate() {
        let attribute = candidate.risk.attribute.as_ref();
        let accuracy = candidate.accuracy.as_ref();
        let mut cells = vec![
            candidate.algorithm.clone(),
            candidate.standing.name().to_owned(),
            candidate.k.to_string(),
            candidate.risk.worst().to_string(),
            candidate.risk.worst_off.to_string(),
            candidate.risk.identity.to_string(),
            attribute.map(|guess| guess.advantage.to_string()).unwrap_or_default(),
            attribute.map(|guess| guess.column.clone()).unwrap_or_default(),
            attribute.map(|guess| guess.certain.to_string()).unwrap_or_default(),
            accuracy.map(|accuracy| accuracy.mean.to_string()).unwrap_or_default(),
        ];
        let of_learner = |learner: usize| accuracy.map(|accuracy| accuracy.by_learner[learner].to_string());
        cells.extend((0..scored.len()).map(|learner| of_learner(learner).unwrap_or_default()));
        cells.extend([
            candidate.loss.to_string(),
            candidate.suppressed.to_string(),
            candidate.attained_k.map(|k| k.to_string()).unwrap_or_default(),
            marks[place].to_string(),
            (chosen == Some(place)).to_string(),
            candidate.below_plan.to_string(),
            format!("{:.3}", candidate.seconds),
        ]);
        text += &line(&cells);
    }
    text
}

/// Writes a line of CSV. Only names of columns and machine-learning models can need quotes.
fn line(cells: &[String]) -> String {
    let quoted = |cell: &String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.clone(),
    };
    cells.iter().map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Returns everything as one JSON object.
#[must_use]
pub fn to_json(comparison: &Comparison) -> Value {
    let advice = Advice::of(comparison);
    let not_beaten = comparison.not_beaten();
    let by_accuracy = comparison.on_frontier(Utility::Accuracy);
    let by_detail = comparison.on_frontier(Utility::Detail);
    let accuracy = |accuracy: &Accuracy| {
        let learners =
            comparison.learners.iter().cloned().zip(accuracy.by_learner.iter().map(|of| json!(of)));
        json!({ "mean": accuracy.mean, "by_learner": learners.collect::<serde_json::Map<_, _>>() })
    };
    let release = |(place, candidate): (usize, &Candidate)| {
        json!({
            "algorithm": candidate.algorithm,
            "standing": candidate.standing.name(),
            "k": candidate.k,
            "below_plan": candidate.below_plan,
            "warnings": candidate.warnings,
            "risk": candidate.risk.worst(),
            "attacks": candidate.risk,
            "accuracy": candidate.accuracy.as_ref().map(accuracy),
            "loss": candidate.loss,
            "metrics": candidate.metrics.iter().map(|(name, value)| ((*name).to_owned(), json!(value)))
                .collect::<serde_json::Map<_, _>>(),
            "suppressed": candidate.suppressed,
            "attained_k": candidate.attained_k,
            "not_beaten": not_beaten[place],
            "on_frontier": {
                "accuracy": candidate.accuracy.as_ref().map(|_| by_accuracy[place]),
                "loss": by_detail[place],
            },
            "seconds": candidate.seconds,
        })
    };
    let not_served = comparison.unserved.iter().map(|unserved| {
        json!({
            "algorithm": unserved.algorithm,
            "k": unserved.ks,
            "what": if unserved.released { "accuracy" } else { "release" },
            "reason": unserved.reason,
        })
    });
    let named = |place: usize| {
        let candidate = &comparison.candidates[place];
        json!({ "algorithm": candidate.algorithm, "k": candidate.k })
    };
    json!({
        "rows": comparison.rows,
        "quasi": comparison.quasi,
        "sensitive": comparison.sensitive,
        "class": comparison.class,
        "household": comparison.household,
        "models": comparison.models,
        "k": comparison.ks,
        "least_k": comparison.least_k,
        "learners": comparison.baselines.as_ref().map(|_| &comparison.learners),
        "folds": comparison.baselines.as_ref().map(|_| json!({ "scored": comparison.parts.0, "of": comparison.parts.1 })),
        "original": comparison.baselines.as_ref().map(|baselines| accuracy(&baselines.original)),
        "majority": comparison.baselines.as_ref().map(|baselines| baselines.majority),
        "audience": comparison.limits.audience.name(),
        "max_risk": comparison.limits.risk,
        "max_certain": comparison.limits.certain,
        "releases": comparison.candidates.iter().enumerate().map(release).collect::<Vec<_>>(),
        "not_served": not_served.collect::<Vec<_>>(),
        "recommendation": advice.map(|advice| json!({
            "algorithm": comparison.candidates[advice.chosen].algorithm,
            "k": comparison.candidates[advice.chosen].k,
            "within_max_risk": advice.within,
            "safer": advice.safer.map(named),
            "more_useful": advice.more_useful.map(named),
            "words": advice.sentences(comparison).join(" ").replace('\u{a0}', " "),
        })),
    })
}
