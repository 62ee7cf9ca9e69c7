//! The reasons against publishing a release: one rule for each kind of evidence.

use super::{Point, attacks};
use crate::base::format::{capitalised, count, counted, list, percent, share};
use crate::config::Audience;
use crate::report::data::{
    ColumnRole, Households, KeptColumn, Learns, PersonalKindFound, Report, Severity, Uniqueness,
};
use crate::report::model_words::claim;
use crate::report::words::{self, chance};

/// A rule: the points that one kind of evidence gives rise to.
type Rule = fn(&Report) -> Vec<Point>;

/// All rules. Points of equal weight are listed in this order.
const RULES: &[Rule] = &[
    requirements,
    checks,
    personal_data,
    exact_columns,
    person_worst_off,
    sensitive_columns,
    inference,
    households,
    histories,
    perturbed,
    simulated_attacks,
    criteria,
    nothing_left,
    experimental,
    warnings,
];

/// All points about a release.
pub(super) fn points(report: &Report) -> Vec<Point> {
    RULES.iter().flat_map(|rule| rule(report)).collect()
}

/// The least share of unique rows at which columns that are published exactly single out nearly everybody.
const MOST: f64 = 0.5;

/// The share of unique rows, 1 of 200, that is put up with where outsiders would have to know more than what is published exactly, or a
/// sensitive value.
const FEW: f64 = 0.005;

/// All requirements must hold, and there must be one.
fn requirements(report: &Report) -> Vec<Point> {
    if report.models.is_empty() {
        return vec![Point::stop(
            "No privacy requirement was asked for, so none was checked.",
            "Do not publish this file. Say what is required, for example k-anonymity with k = 5, and run again.",
        )];
    }
    let failing = report.models.iter().filter(|model| !model.holds);
    let fails = |model| {
        Point::stop(
            format!("A requirement does not hold: {}.", claim(model)),
            "Do not publish this file. Allow more suppression or coarser levels, or ask for less, and run again.",
        )
    };
    failing.map(fails).collect()
}

/// The written file must have been read back and found true.
fn checks(report: &Report) -> Vec<Point> {
    let mut points = Vec::new();
    if !report.release.checked {
        points.push(Point::stop(
            "The written file was not read back and checked.",
            "Do not publish this file before it is checked.",
        ));
    }
    if report.release.truthful == Some(false) {
        points.push(Point::stop(
            "A released value is not true of its original.",
            "Do not publish this file. This is a fault of the program: please report it.",
        ));
    }
    points
}

/// Personal data that a plan accepts is published, so somebody has to answer for it; the verdict is never green.
fn personal_data(report: &Report) -> Vec<Point> {
    let kinds = |kinds: &[PersonalKindFound]| {
        let each: Vec<String> =
            kinds.iter().map(|of| format!("{} ({})", of.kind.replace('_', " "), count(of.values))).collect();
        list(&each, 4)
    };
    let accepted = report.personal.accepted.iter().map(|of| match of.free_text {
        true => {
            let says = format!(
                "{} is free text ({}) and is published, since the plan accepts it. Nothing was looked for in it.",
                of.column,
                counted(of.values, "different value", "different values")
            );
            let step = format!("Read all of {} before you publish it, or leave it out.", of.column);
            match report.audience {
                Audience::Public => Point::stop(says, format!("Do not publish this file: leave {} out.", of.column)),
                _ => Point::decide(says, step),
            }
        }
        false => Point::decide(
            format!(
                "{} holds personal data: {}. It is published, since the plan accepts it: {}",
                of.column,
                kinds(&of.kinds),
                with_full_stop(&of.reason)
            ),
            format!("Make sure that {} may be published, or leave it out.", of.column),
        ),
    });
    let noticed = report.personal.noticed.iter().map(|of| {
        Point::decide(
            format!(
                "{} holds what looks like personal data in few of its {} different values: {}.",
                of.column,
                count(of.values),
                kinds(&of.kinds)
            ),
            format!(
                "Look at these values of {} and remove them, if they are what they look like.",
                of.column
            ),
        )
    });
    accepted.chain(noticed).collect()
}

/// An attacker who knows one member of a household knows the others.
fn households(report: &Report) -> Vec<Point> {
    let Some(found) = &report.households else { return Vec::new() };
    let mut points = Vec::new();
    if !found.measured {
        points.push(Point::decide(
            format!("The households of {} were not looked at: rows of this kind of release do not show all quasi-identifiers together.", found.column),
            "Use an algorithm that makes groups, or decide that outsiders do not know whole households.",
        ));
    }
    if found.groups_below > 0 {
        points.push(Point::decide(
            format!(
                "{} with {} come from fewer than {} households: the persons of such a group may be one family.",
                counted(found.groups_below, "group", "groups"),
                counted(found.group_rows_below, "row", "rows"),
                count(found.required)
            ),
            found.advice(),
        ));
    }
    if found.households_below > 0 {
        points.push(Point::decide(
            format!(
                "An attacker who knows every member of a household finds fewer than {} matching households, for {} of {}. For the household worst off, the \
                 attacker finds {}.",
                count(found.required),
                count(found.households_below),
                counted(found.households, "household", "households"),
                count(found.household_k.unwrap_or(0)),
            ),
            "Find out whether anything in the release shows which rows are one household. If so, coarsen further, or publish one person of each household.",
        ));
    }
    points
}

/// A criterion of Opinion 05/2014 that is not met asks for an assessment of the remaining risk.
fn criteria(report: &Report) -> Vec<Point> {
    attacks::of_criteria(report.criteria.as_ref()).collect()
}

/// Nobody may be found by the intervals between their dates, or by their rows taken together, more often than the audience allows.
fn histories(report: &Report) -> Vec<Point> {
    let found = report.histories.iter().flat_map(|found| found.findings(report.audience));
    found.map(|(says, step)| Point::decide(says, step)).collect()
}

/// No model covers a perturbed quasi-identifier. Somebody has to decide about what attacks still find by it.
fn perturbed(report: &Report) -> Vec<Point> {
    let Some(found) = &report.perturbation else { return Vec::new() };
    if found.known.is_empty() {
        return Vec::new();
    }
    let names = list(&found.known, 4);
    vec![Point::decide(
        format!("{names}: perturbed, so no requirement covers it. {}", capitalised(&found.sentence())),
        format!(
            "Decide whether so many people may be found by {names}, which no requirement covers. If not, perturb it more strongly, or let the search \
             coarsen it instead."
        ),
    )]
}

/// Nobody may be found with a greater chance than the audience allows.
fn person_worst_off(report: &Report) -> Vec<Point> {
    let Some(risk) = &report.risk else {
        return vec![Point::decide(
            "The chance of finding the person worst off was not measured, because the rows of this kind of release are not in groups with the same quasi-identifiers.",
            "Simulate attacks on the release (scumble attack), or use an algorithm that coarsens the quasi-identifiers, such as mondrian.",
        )];
    };
    // A given population decides who could be meant; without one, the table itself does.
    let figures = risk.journalist_after.as_ref().unwrap_or(&risk.after);
    let (Some(highest), audience) = (figures.highest.finite(), report.audience) else { return Vec::new() };
    if figures.rows == 0 || highest <= audience.limit().to_f64() + 1e-9 {
        return Vec::new();
    }
    let enough = Audience::ALL.into_iter().find(|other| highest <= other.limit().to_f64() + 1e-9);
    let k = audience.least_k();
    let step = match enough {
        Some(other) => format!(
            "Ask for groups of at least {k}. If only {} will get the file, say so instead (audience = \"{}\").",
            words::readers(other),
            other.name()
        ),
        None => format!("Ask for groups of at least {k}."),
    };
    let says = format!(
        "The person worst off can be found with {} ({}). The limit for {} is {}.",
        chance(highest),
        percent(highest),
        words::readers(audience),
        percent(audience.limit().to_f64())
    );
    // The plan itself says that outsiders know these columns, so somebody is found for certain.
    vec![if highest >= 1.0 && audience == Audience::Public {
        Point::stop(says, format!("Do not publish this file. {step}"))
    } else {
        Point::decide(says, step)
    }]
}

/// Columns that are published unchanged must not single people out.
fn exact_columns(report: &Report) -> Vec<Point> {
    let Some(kept) = &report.kept else { return Vec::new() };
    let open: Vec<&KeptColumn> = kept.columns.iter().filter(|column| column.role.is_open()).collect();
    let part = |found: Uniqueness| found.unique_rows as f64 / found.rows.max(1) as f64;
    let most_telling = open.iter().max_by_key(|column| {
        let found = column.uniqueness;
        (found.unique_rows, found.few_rows, found.distinct)
    });
    let Some(most_telling) = most_telling else { return Vec::new() };
    let names: Vec<&str> = open.iter().map(|column| column.name.as_str()).collect();
    let names = list(&names, 4);
    if let Some(alone) = kept.open.filter(|alone| alone.unique_rows > 0) {
        let says = format!(
            "{} of {} ({}) are unique in the columns that are published exactly, sensitive ones aside: {names}. An attacker who knows these values of a \
             person finds the row.",
            count(alone.unique_rows),
            counted(alone.rows, "row", "rows"),
            share(alone.unique_rows, alone.rows),
        );
        let step =
            format!("round, coarsen or leave out {}, or make it a quasi-identifier.", most_telling.name);
        return vec![if part(alone) >= MOST && report.audience == Audience::Public {
            Point::stop(says, format!("Do not publish this file: {step}"))
        } else {
            Point::decide(
                says,
                format!("{} Publish it as it is only if no reader can know its values.", capitalised(&step)),
            )
        }];
    }
    // Those who know a value that few rows have find the person among these few, whatever k is.
    if let Some(few) = kept.open.filter(|few| few.few_rows as f64 > FEW * few.rows.max(1) as f64) {
        return vec![Point::decide(
            format!(
                "{} of {} ({}) share their values of the columns that are published exactly, sensitive ones aside, with fewer than {} rows: {names}.",
                count(few.few_rows),
                counted(few.rows, "row", "rows"),
                share(few.few_rows, few.rows),
                count(report.audience.least_k()),
            ),
            format!(
                "Decide whether readers can know {}. If they can, make {} a quasi-identifier, or leave it out.",
                most_telling.name,
                if open.len() > 1 { "every such column" } else { "it" },
            ),
        )];
    }
    let together = kept.open_with_quasi.filter(|together| part(*together) > FEW);
    together
        .map(|together| {
            Point::decide(
                format!(
                    "{} of {} ({}) are unique in the released quasi-identifiers together with the columns that are published exactly, sensitive ones aside: \
                     {names}.",
                    count(together.unique_rows),
                    counted(together.rows, "row", "rows"),
                    share(together.unique_rows, together.rows),
                ),
                format!(
                    "Decide whether readers can know {}. If they can, make {} a quasi-identifier, or leave it out.",
                    most_telling.name,
                    if open.len() > 1 { "every such column" } else { "it" },
                ),
            )
        })
        .into_iter()
        .collect()
}

/// A sensitive value, or a survey weight, that only one person has leads to that person.
fn sensitive_columns(report: &Report) -> Vec<Point> {
    let columns = report.kept.iter().flat_map(|kept| &kept.columns);
    let telling = columns.filter(|column| {
        (column.role.is_sensitive() || column.role == ColumnRole::Weight)
            && column.uniqueness.unique_rows as f64 > FEW * column.uniqueness.rows.max(1) as f64
    });
    telling
        .map(|column| {
            Point::decide(
                format!(
                    "{} is published exactly, and {} of {} have a value that no other row has.",
                    column.name,
                    count(column.uniqueness.unique_rows),
                    counted(column.uniqueness.rows, "row", "rows"),
                ),
                format!("Round or coarsen {}: whoever knows the exact value finds the row.", column.name),
            )
        })
        .collect()
}

/// What follows from the groups alone must not reveal much more about sensitive values than the whole table does.
fn inference(report: &Report) -> Vec<Point> {
    let limit = report.audience.limit().to_f64();
    let Some(kept) = &report.kept else { return Vec::new() };
    // What an attack already says about a column is not said twice.
    let said = |column: &str| {
        let mut found = report.attacks.iter().filter(|attack| attack.learns == Learns::Value);
        found.any(|attack| {
            attack.column.as_deref() == Some(column) && attacks::point(attack, report.audience).is_some()
        })
    };
    let certain = kept.homogeneous.iter().filter(|of| of.rows > 0 && !said(&of.column)).map(|of| {
        Point::decide(
            format!(
                "{} of {} are in groups in which everybody has the same {}: whoever finds the group knows the value.",
                count(of.rows),
                counted(of.rows_in_all, "row", "rows"),
                of.column
            ),
            protect(&of.column),
        )
    });
    let guessed = kept.guesses.iter().filter(|of| of.with() - of.without() > limit && !said(&of.column));
    let guessed = guessed.map(|of| {
        Point::decide(
            format!(
                "The most frequent {} of a group is right for {} of the rows, and that of the whole table for {}. The limit for {} is a \
                 difference of {}.",
                of.column,
                percent(of.with()),
                percent(of.without()),
                words::readers(report.audience),
                percent(limit)
            ),
            protect(&of.column),
        )
    });
    let nearly = kept.guesses.iter().filter_map(|of| Some((of, of.worst?)));
    let nearly = nearly.map(|(of, worst)| {
        Point::decide(
            format!(
                "{} of {} are in groups in which at least 9 in 10 have the same {}, and a value that is at most half as frequent in the whole table. In the \
                 group worst off {} of {} have it, in the whole table {} of {}.",
                count(of.nearly_certain),
                counted(of.rows, "row", "rows"),
                of.column,
                count(worst.right),
                count(worst.rows),
                count(worst.right_in_all),
                count(of.rows),
            ),
            protect(&of.column),
        )
    });
    certain.chain(guessed).chain(nearly).collect()
}

/// What to do where a sensitive value is learnt.
pub(super) fn protect(column: &str) -> String {
    format!(
        "Ask for more protection of {column} (a larger l, or t-closeness), or accept that this is learnt."
    )
}

fn simulated_attacks(report: &Report) -> Vec<Point> {
    attacks::points(&report.attacks, report.audience)
}

/// The share of the detail from which on a release shows nothing of the quasi-identifiers.
const ALL_LOST: f64 = 0.999;

/// A release that shows nothing is of no use.
fn nothing_left(report: &Report) -> Vec<Point> {
    let loss = words::loss(report).filter(|_| report.tables.is_empty());
    let says = if words::is_empty(report) {
        "Every row was suppressed, so there is little left to learn from.".to_owned()
    } else if report.release.classes == 1 && report.release.rows > 1 && report.tables.is_empty() {
        "All rows are in one group, so the quasi-identifiers say nothing that distinguishes them.".to_owned()
    } else if let Some(loss) = loss.filter(|loss| *loss >= ALL_LOST) {
        format!(
            "{} of the detail in the quasi-identifiers is gone, so they say nothing any more.",
            percent(loss)
        )
    } else {
        return Vec::new();
    };
    vec![Point::decide(
        says,
        "Use fewer quasi-identifiers, finer hierarchies, a weaker requirement or another algorithm, and run again.",
    )]
}

/// Methods whose protection is weaker than it looks.
fn experimental(report: &Report) -> Vec<Point> {
    let run = report.run.iter();
    run.filter(|run| run.algorithm.standing == "experimental")
        .map(|run| {
            Point::decide(
                format!("{} is experimental: its protection is weaker than it looks.", run.algorithm.title),
                format!("Read why (scumble explain {}), or use a recommended algorithm.", run.algorithm.name),
            )
        })
        .collect()
}

/// The warnings of the run itself.
fn warnings(report: &Report) -> Vec<Point> {
    // There is a rule for these.
    let has_rule = |text: &str| {
        let of_households = report.households.as_ref().is_some_and(|found| found.measured)
            && (text.contains(Households::FEW_IN_GROUP) || text.contains(Households::FEW_ALIKE));
        of_households || text.contains(" is experimental: ")
    };
    let warnings = report
        .warnings
        .iter()
        .filter(|warning| warning.severity == Severity::Warning && !has_rule(&warning.text));
    warnings
        .map(|warning| {
            let says = capitalised(&with_full_stop(&warning.text));
            let step = warning
                .advice
                .clone()
                .unwrap_or_else(|| format!("Decide whether you can accept this warning: {says}"));
            Point::decide(says, step)
        })
        .collect()
}

fn with_full_stop(text: &str) -> String {
    format!("{}.", text.trim_end_matches('.'))
}

impl ColumnRole {
    fn is_sensitive(self) -> bool {
        matches!(self, Self::Sensitive | Self::ClassAndSensitive)
    }

    /// Whether outsiders may know such a column of a person.
    fn is_open(self) -> bool {
        !self.is_sensitive() && ![Self::Code, Self::Perturbed, Self::Weight].contains(&self)
    }
}
