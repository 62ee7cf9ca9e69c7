//! What is said about the rows of a person, taken together.

use crate::base::format::{count, counted, list, percent};
use crate::config::Audience;
use crate::report::words;
use crate::risk::histories::{Alike, Histories, History, WithinRows};

/// Whether more of them are found than the readers may find.
fn is_above(unique: u64, whole: u64, audience: Audience) -> bool {
    unique > 0 && unique as f64 > audience.limit().to_f64() * whole as f64 + 1e-9
}

/// `12 of 40 people (30 %)`
fn part(unique: u64, people: u64) -> String {
    let share = unique as f64 / people.max(1) as f64;
    format!("{} of {} ({})", count(unique), counted(people, "person", "people"), percent(share))
}

fn limit(audience: Audience) -> String {
    format!("The limit for {} is {}.", words::readers(audience), percent(audience.limit().to_f64()))
}

impl Histories {
    /// What somebody has to decide about, and what to do.
    pub(crate) fn findings(&self, audience: Audience) -> Vec<(String, String)> {
        if !self.measured {
            return vec![self.not_measured()];
        }
        let of_history = self.linked.iter().flat_map(|history| history.findings(audience));
        of_history.chain(self.within_rows.iter().filter_map(|within| within.finding(audience))).collect()
    }

    fn not_measured(&self) -> (String, String) {
        let columns: Vec<&str> = self.linked.iter().map(|history| history.column.as_str()).collect();
        let what = match columns.is_empty() {
            true => "Rows have several moved dates".to_owned(),
            false => format!("{} shows which rows belong to one person", list(&columns, 4)),
        };
        (
            format!(
                "{what}. How many people are found by the intervals between their dates was not measured: no row of this kind of release shows all \
                 quasi-identifiers together."
            ),
            "Use an algorithm that makes groups, leave the column out, or decide that outsiders do not know when somebody came."
                .to_owned(),
        )
    }
}

impl History {
    /// The people who are found by all intervals, by their number of rows, and by the other values; only what is above the limit.
    fn findings(&self, audience: Audience) -> Vec<(String, String)> {
        let above = |found: &Alike| is_above(found.unique, self.people, audience);
        let shows = format!("{} shows which rows belong to one person.", self.column);
        let mut findings = Vec::new();
        if let Some(found) = self.by_intervals.filter(above) {
            findings.push((
                format!(
                    "{shows} {} have intervals between their dates ({}) that nobody else has: whoever knows how many days lay between all visits of \
                     such a person finds the rows. {}",
                    part(found.unique, self.people),
                    list(&self.dates, 4),
                    limit(audience)
                ),
                format!(
                    "Show less of {} (such as the month only, or one date a person), leave {} out, or decide that readers cannot know such intervals.",
                    list(&self.dates, 4),
                    self.column
                ),
            ));
        } else if above(&self.by_rows) {
            findings.push((
                format!(
                    "{shows} {} have a number of rows that nobody else has. {}",
                    part(self.by_rows.unique, self.people),
                    limit(audience)
                ),
                format!("Publish fewer rows of people with many, or leave {} out.", self.column),
            ));
        }
        if let Some(found) = self.by_values.filter(above) {
            let values = list(&self.values, 4);
            findings.push((
                format!(
                    "{shows} {} have values of {values} that nobody else has in all rows together. {}",
                    part(found.unique, self.people),
                    limit(audience)
                ),
                format!(
                    "Coarsen {values} further, leave {} out, or decide that readers cannot know these values of several rows.",
                    self.column
                ),
            ));
        }
        findings
    }

    /// All figures, each with its name.
    pub(crate) fn figures(&self) -> Vec<(&'static str, Alike)> {
        let all = [
            ("the number of rows", Some(self.by_rows)),
            ("some two intervals between dates that follow each other", self.by_two_intervals),
            ("some three such intervals", self.by_three_intervals),
            ("all intervals between the dates", self.by_intervals),
            ("some two dates that follow each other", self.by_two_dates),
            ("some three such dates", self.by_three_dates),
            ("all other values of all rows", self.by_values),
        ];
        all.into_iter().filter_map(|(name, found)| Some((name, found?))).collect()
    }
}

impl WithinRows {
    fn finding(&self, audience: Audience) -> Option<(String, String)> {
        let found = self.with_quasi;
        is_above(found.unique, self.rows, audience).then(|| {
            let dates = list(&self.dates, 4);
            (
                format!(
                    "{} of {} ({}) are alone in the time between {dates}, together with the released quasi-identifiers. Moving dates does not change \
                     that time. {}",
                    count(found.unique),
                    counted(self.rows, "row", "rows"),
                    percent(found.unique as f64 / self.rows.max(1) as f64),
                    limit(audience)
                ),
                format!(
                    "Leave out one of {dates}, show less of them (such as the month only), or decide that readers cannot know this time."
                ),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Conclusion;
    use crate::report::data::{ModelResult, Release, Report, Risk, RiskFigures};

    fn of(audience: Audience, change: impl Fn(&mut History)) -> Vec<(String, String)> {
        let mut history = History {
            column: "code".into(),
            people: 100,
            rows: 300,
            by_rows: Alike { unique: 0, k: 100 },
            dates: vec!["seen".into()],
            by_intervals: Some(Alike { unique: 0, k: 50 }),
            ..History::default()
        };
        change(&mut history);
        Histories { measured: true, linked: vec![history], within_rows: None }.findings(audience)
    }

    fn intervals(unique: u64) -> impl Fn(&mut History) {
        move |history| history.by_intervals = Some(Alike { unique, k: 1 })
    }

    #[test]
    fn the_limit_is_that_of_the_readers() {
        use Audience::{Inside, Public, Researchers};
        assert!(of(Public, intervals(0)).is_empty() && of(Public, intervals(9)).is_empty());
        for (audience, most) in [(Public, 9), (Researchers, 20), (Inside, 33)] {
            assert!(of(audience, intervals(most)).is_empty(), "{audience:?}");
            let found = of(audience, intervals(most + 1));
            assert_eq!(found.len(), 1, "{audience:?}");
            assert!(found[0].0.contains(&format!("{} of 100\u{a0}people", most + 1)), "{found:?}");
        }
        let limit = &of(Public, intervals(10))[0].0;
        assert!(
            limit.contains("The limit for the public is 9") || limit.contains("The limit for"),
            "{limit}"
        );
    }

    #[test]
    fn rows_and_values_count_too() {
        let rows = |unique: u64| move |history: &mut History| history.by_rows = Alike { unique, k: 1 };
        assert!(of(Audience::Public, rows(10))[0].0.contains("a number of rows that nobody else has"));
        let both = of(Audience::Public, |history| {
            rows(10)(history);
            intervals(12)(history);
        });
        assert_eq!(both.len(), 1, "who is found by intervals is not told twice");
        let values = of(Audience::Public, |history| {
            (history.values, history.by_values) = (vec!["ward".into()], Some(Alike { unique: 10, k: 1 }));
        });
        assert!(values[0].0.contains("values of ward that nobody else has"), "{values:?}");
    }

    #[test]
    fn what_was_not_measured_is_no_good_news() {
        let found = Histories::default().findings(Audience::Inside);
        assert!(found[0].0.contains("was not measured"), "{found:?}");
    }

    #[test]
    fn the_point_appears_in_the_verdict_and_goes_again() {
        let report = |unique| {
            let model = ModelResult { name: "k_anonymity".into(), holds: true, ..ModelResult::default() };
            let risk = RiskFigures { rows: 100, highest: 0.05.into(), ..RiskFigures::default() };
            let within = WithinRows {
                dates: vec!["in".into(), "out".into()],
                rows: 100,
                with_quasi: Alike { unique, k: 1 },
                ..WithinRows::default()
            };
            Report {
                release: Release {
                    rows: 100,
                    released: 100,
                    classes: 8,
                    checked: true,
                    ..Release::default()
                },
                models: vec![model],
                risk: Some(Risk { after: risk, ..Risk::default() }),
                histories: Some(Histories {
                    measured: true,
                    within_rows: Some(within),
                    ..Histories::default()
                }),
                ..Report::default()
            }
        };
        assert_eq!(Conclusion::of(&report(0)).colour, "green");
        let found = Conclusion::of(&report(10));
        assert_eq!(found.colour, "amber");
        assert!(found.steps[0].contains("Leave out one of in and out"), "{found:?}");
    }
}
