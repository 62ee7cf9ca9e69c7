//! The advice in words.

use scumble::base::text::grouped;
use scumble::config::Audience;
use scumble::registry::Standing;

use super::advice::Advice;
use super::limits::Limits;
use super::outcome::{Candidate, Comparison, Utility};
use super::risk::{Certain, Guess, Risk};

impl Advice {
    /// Writes the advice in a few sentences: what to take, what an attacker could still learn, what it costs, the next steps, and what was
    /// measured. No-break spaces hold numbers and their units together.
    #[must_use]
    pub fn sentences(&self, comparison: &Comparison) -> Vec<String> {
        let chosen = &comparison.candidates[self.chosen];
        let mut told = vec![self.choice(comparison)];
        told.extend(inference(comparison, chosen));
        if self.within {
            told.push(self.why(comparison));
        }
        told.push(cost(comparison, chosen));
        told.push(self.next_steps(comparison));
        if chosen.standing == Standing::Experimental {
            told.push(format!(
                "Beware: {} is experimental. Its protection is weaker than these figures show; its page says why.",
                chosen.algorithm
            ));
        }
        let warned = |text: &String| format!("A warning comes with it: {}.", text.trim_end_matches('.'));
        told.extend(chosen.warnings.iter().map(warned));
        told.push(premises(comparison));
        told
    }

    /// Says why nothing is recommended when there is no advice.
    #[must_use]
    pub fn none(comparison: &Comparison) -> String {
        let below = comparison.candidates.iter().any(|candidate| candidate.below_plan);
        match comparison.least_k.filter(|_| below) {
            Some(least) => format!(
                "Nothing is recommended: no release that could be measured keeps the plan's models, which ask for k\u{a0}=\u{a0}{least} or more. Try larger values of k, \
                 or change the plan."
            ),
            None => "Nothing is recommended: no release could be measured.".to_owned(),
        }
    }

    /// Names the release to take, with the chances of the person worst off and of the average person, and the limit.
    fn choice(&self, comparison: &Comparison) -> String {
        let chosen = &comparison.candidates[self.chosen];
        let name = name(chosen);
        let found = format!(
            "the person worst off is found with a chance of {}, the average person with {}",
            share(chosen.risk.worst_off),
            share(chosen.risk.identity)
        );
        match self.within {
            true => format!("Take {name}: {found}. {}.", capital(&limit_in_words(&comparison.limits))),
            false => {
                let (missed, hint) = missed(&comparison.limits, &chosen.risk);
                format!(
                    "No release keeps the limits, so none is recommended: {missed}. The least risky is {name}: {found}; {hint}."
                )
            }
        }
    }

    /// Says why this release, of those that keep the limits.
    fn why(&self, comparison: &Comparison) -> String {
        let limits = &comparison.limits;
        let bound = match comparison.sensitive[..] {
            [] => format!("keep the limit of {}", limit(limits.risk)),
            _ => "keep all limits".to_owned(),
        };
        // Releases in which nobody is found too easily, and yet too much can be guessed.
        let guessed = comparison.candidates.iter().filter(|candidate| !candidate.below_plan);
        let guessed = guessed
            .filter(|candidate| candidate.risk.worst_off <= limits.risk && !limits.kept_by(&candidate.risk))
            .count();
        let others = match guessed {
            0 => String::new(),
            1 => " In 1 other nobody is found too easily, but too much can be guessed.".to_owned(),
            many => format!(" In {many} others nobody is found too easily, but too much can be guessed."),
        };
        match (self.eligible, comparison.utility()) {
            (1, _) => format!(
                "Of the releases that may be recommended, only this one {}.{others}",
                bound.replacen("keep", "keeps", 1)
            ),
            (many, Utility::Detail) => format!(
                "{many} releases that may be recommended {bound}; this one keeps the most detail of them.{others}"
            ),
            (many, Utility::Accuracy) => format!(
                "{many} releases that may be recommended {bound}. None of them gives measurably better predictions, and of those that predict as well \
                 this one keeps the most detail.{others}"
            ),
        }
    }

    fn next_steps(&self, comparison: &Comparison) -> String {
        let step = |candidate: &Candidate| {
            let right = candidate.accuracy.as_ref();
            let right = right.map(|accuracy| format!("{} predicted correctly, ", share(accuracy.mean)));
            format!(
                "{} ({}, {}{} of the detail lost)",
                name(candidate),
                risk_in_words(&candidate.risk),
                right.unwrap_or_default(),
                share(candidate.loss)
            )
        };
        let at = |place: usize| &comparison.candidates[place];
        let chosen = at(self.chosen);
        let own = match &chosen.risk.attribute {
            Some(_) => format!("{}, the greater of worst off and guessed", share(chosen.risk.worst())),
            None => share(chosen.risk.worst()),
        };
        let safer = match self.safer.map(at) {
            Some(safer) => format!("To halve the risk ({own}) choose {}.", step(safer)),
            None => format!("No release has half the risk ({own})."),
        };
        let Some(other) = self.more_useful.map(at) else {
            return format!("{safer} No release is more useful.");
        };
        let right = |candidate| comparison.accuracy_of(candidate).unwrap_or(0.0);
        let what = match right(other) > right(chosen) + comparison.margin(right(chosen)) {
            true => "better predictions",
            false => "more detail",
        };
        let useful = match (comparison.limits.kept_by(&other.risk), self.within) {
            (true, _) => format!("For {what} at higher risk choose {}.", step(other)),
            (false, true) if other.risk.worst() <= comparison.limits.risk => {
                let column = other.risk.nearly.as_ref().or(other.risk.unprotected.as_ref());
                let column = column.map_or("a sensitive value", |certain| certain.column.as_str());
                format!(
                    "For {what} you would have to accept that {column} becomes certain, or nearly, for more people than your limit allows: {}.",
                    step(other)
                )
            }
            (false, true) => {
                format!("For {what} you would have to allow a risk above your limit: {}.", step(other))
            }
            (false, false) => format!("For {what} the risk is higher still: {}.", step(other)),
        };
        format!("{safer} {useful}")
    }
}

/// Writes the risk of a release, and where guesses count what it is the greater of: `risk 3.4 %: worst off 2.0 %, guessed 3.4 %`.
fn risk_in_words(risk: &Risk) -> String {
    match &risk.attribute {
        None => format!("risk {}", share(risk.worst())),
        Some(guess) => format!(
            "risk {}: worst off {}, guessed {}",
            share(risk.worst()),
            share(risk.worst_off),
            share(guess.advantage)
        ),
    }
}

/// Writes the limit on being found: `in a public release nobody may be found with a chance above 9 %`.
pub(super) fn limit_in_words(limits: &Limits) -> String {
    let who = match limits.audience {
        Audience::Public => "in a public release",
        Audience::Researchers => "in a release for researchers",
        Audience::Inside => "in a release inside your organisation",
    };
    let given = limits.risk != Limits::of(limits.audience).risk;
    let who = if given { "by the limit you gave" } else { who };
    format!("{who} nobody may be found with a chance above {}", limit(limits.risk))
}

/// Returns the limit that a release does not keep, and what may help.
fn missed(limits: &Limits, risk: &Risk) -> (String, String) {
    let model = |column: &str| {
        format!("a model that protects {column} may lower the risk, such as l-diversity or t-closeness")
    };
    match (&risk.attribute, &risk.unprotected) {
        _ if risk.worst_off > limits.risk => {
            (limit_in_words(limits), "a larger k or fewer quasi-identifiers may lower the risk".to_owned())
        }
        (Some(guess), _) if guess.advantage > limits.risk => (
            format!(
                "with the release, the share of people whose {} is guessed right may grow by at most {} percentage points",
                guess.column,
                points(limits.risk)
            ),
            model(&guess.column),
        ),
        (_, Some(certain)) if certain.share > limits.certain => {
            (format!("{} may become certain {}", certain.column, certain_for(limits)), model(&certain.column))
        }
        _ if risk.nearly_certain() > limits.certain => {
            let column = risk.nearly.as_ref().map_or("a value", |nearly| nearly.column.as_str());
            (
                format!(
                    "{column} may become nearly certain {} (9 in 10 of a group have one value, twice the share of the whole table or more)",
                    certain_for(limits)
                ),
                model(column),
            )
        }
        _ => (limit_in_words(limits), "a larger k may lower the risk".to_owned()),
    }
}

/// Writes `for nobody` or `for at most 1 % of the people`.
pub(super) fn certain_for(limits: &Limits) -> String {
    match limits.certain {
        0.0 => "for nobody".to_owned(),
        some => format!("for at most {} of the people", limit(some)),
    }
}

fn limit_on_certain(limits: &Limits) -> String {
    match limits.certain {
        0.0 => "limit: nobody".to_owned(),
        some => format!("limit: {}", limit(some)),
    }
}

/// Says what can be inferred about sensitive columns, and the limits on it.
fn inference(comparison: &Comparison, chosen: &Candidate) -> Vec<String> {
    let limits = &comparison.limits;
    let mut told = Vec::new();
    if let Some(Guess { column, advantage, .. }) = &chosen.risk.attribute {
        told.push(format!(
            "With the release an attacker guesses {column} right for more people than without it: the share grows by {} percentage points (limit: {}).",
            share(*advantage).trim_end_matches("\u{a0}%"),
            points(limits.risk)
        ));
    }
    let certain = match (&chosen.risk.unprotected, &chosen.risk.attribute) {
        (Some(certain), _) => Some((&certain.column, certain.share, limit_on_certain(limits))),
        (None, Some(guess)) => {
            Some((&guess.column, guess.certain, "bounded by the plan's models".to_owned()))
        }
        (None, None) => None,
    };
    told.extend(certain.map(|(column, of, bound)| match of {
        0.0 => format!("{column} becomes certain for nobody ({bound})."),
        some => format!("{column} becomes certain for {} of the people ({bound}).", share(some)),
    }));
    if let Some(Certain { column, share: of }) = &chosen.risk.nearly {
        told.push(format!(
            "{column} becomes nearly certain for {} of the people: at least 9 in 10 of their group have one value, twice the share of the whole table or \
             more ({}).",
            share(*of),
            limit_on_certain(limits)
        ));
    }
    told
}

fn cost(comparison: &Comparison, chosen: &Candidate) -> String {
    let suppressed = match chosen.suppressed {
        0 => String::new(),
        rows => format!(" and suppresses {} of the rows", share(rows as f64 / comparison.rows.max(1) as f64)),
    };
    let lost = share(chosen.loss);
    let (Some(baselines), Some(accuracy)) = (&comparison.baselines, &chosen.accuracy) else {
        return format!("It loses {lost} of the detail{suppressed}.");
    };
    let guessing = if accuracy.mean <= baselines.majority + comparison.margin(accuracy.mean) {
        " (hardly better than guessing)"
    } else {
        ""
    };
    format!(
        "Machine-learning models trained on it predict {} of new cases correctly{guessing}; trained on the original rows they predict {}, and the most \
         frequent value alone is right for {}. The release loses {lost} of the detail{suppressed}.",
        share(accuracy.mean),
        share(baselines.original.mean),
        share(baselines.majority)
    )
}

/// Says what the measurement was made on, and against which attackers.
fn premises(comparison: &Comparison) -> String {
    let known = match &comparison.quasi[..] {
        names if names.len() > 4 => format!("all {} quasi-identifiers", names.len()),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => "nothing".to_owned(),
    };
    let attackers = match comparison.sensitive[..] {
        [] => "an attacker who knows",
        _ => "attackers who know",
    };
    let persons = match &comparison.household {
        Some(column) => format!(" The persons of one household ({column}) count as one person."),
        None => String::new(),
    };
    format!(
        "All of this was measured on these {} rows against {attackers} {known} of everybody in the table; whoever knows more may find out more.{persons}",
        grouped(comparison.rows)
    )
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Returns the size of the smallest group; `None` if there are no groups, or if every row is suppressed.
#[must_use]
pub fn attained(candidate: &Candidate, rows: u64) -> Option<u64> {
    candidate.attained_k.filter(|_| candidate.suppressed < rows)
}

/// Writes `mondrian with k = 10`.
pub(super) fn name(candidate: &Candidate) -> String {
    format!("{} with k\u{a0}=\u{a0}{}", candidate.algorithm, candidate.k)
}

/// Writes a share as a percentage. A small share is not written as 0.
pub(super) fn share(share: f64) -> String {
    match share * 100.0 {
        small if small > 0.0 && small < 0.05 => "less than 0.1\u{a0}%".to_owned(),
        percent => format!("{percent:.1}\u{a0}%"),
    }
}

/// Writes a share into a cell of a table, where there is little room.
pub(super) fn cell(of: f64) -> String {
    share(of).replacen("less than ", "<\u{a0}", 1)
}

/// Writes a limit on a difference of shares, in percentage points without a unit.
pub(super) fn points(share: f64) -> String {
    limit(share).trim_end_matches("\u{a0}%").to_owned()
}

/// Writes a limit as people do: `9 %`, `33.3 %`. It is never rounded up.
pub(super) fn limit(share: f64) -> String {
    let percent = share * 100.0;
    let tenths = (percent * 10.0 + 1e-6).floor() / 10.0;
    if percent > 0.0 && tenths == 0.0 {
        return format!("{percent:.1e}\u{a0}%");
    }
    format!("{tenths}\u{a0}%")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_briefly() {
        let told = [0.09, 0.2, 1.0 / 3.0, 1.0, 0.0, 0.0001].map(limit);
        assert_eq!(
            told.map(|text| text.replace('\u{a0}', " ")),
            ["9 %", "20 %", "33.3 %", "100 %", "0 %", "1.0e-2 %"]
        );
    }
}
