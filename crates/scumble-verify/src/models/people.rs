//! Models that compare the rows of a class with the people of a population who would be in that class (section 1.10).

use scumble_files::table::CodedTable;

use super::requirement::Requirement;
use super::{Classes, Judgement, Known, ModelOutcome, StarRows, outcome};
use crate::error::VerifyError;
use crate::exact::Rational;

/// One requirement on rows and people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PeopleTest {
    /// At least k people (k-map).
    Many { k: u64 },
    /// At least this share of the people has a row (delta-presence).
    Least { delta: Rational },
    /// At most this share of the people has a row (delta-presence).
    Most { delta: Rational },
}

impl PeopleTest {
    fn judge(self, rows: u64, people: u64) -> Judgement {
        // Compared as products, so that rows without people are above every share.
        let share = |delta: Rational| delta.compare(rows.into(), people.into());
        let (holds, attained) = match self {
            Self::Many { k } => (people >= k, people as f64),
            // With more rows than people somebody is not in the population, although both bounds assume that everybody is.
            Self::Least { delta } => (rows <= people && share(delta).is_le(), rows as f64 / people as f64),
            Self::Most { delta } => (rows <= people && share(delta).is_ge(), rows as f64 / people as f64),
        };
        Judgement { holds, attained }
    }

    pub(super) fn larger_is_better(self) -> bool {
        !matches!(self, Self::Most { .. })
    }

    pub(super) fn required(self) -> f64 {
        match self {
            Self::Many { k } => k as f64,
            Self::Least { delta } | Self::Most { delta } => delta.to_f64(),
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Many { .. } => "k-map",
            Self::Least { .. } => "delta-presence, least share of present people",
            Self::Most { .. } => "delta-presence, largest share of present people",
        }
    }
}

/// Checks every class with its people. The suppressed rows stand for everybody whom no other class covers. If there are no suppressed rows,
/// these people are known to be absent, which violates only a least share.
pub(super) fn judge(
    test: PeopleTest,
    name: &str,
    release: &CodedTable,
    classes: &Classes,
    known: &Known<'_>,
) -> Result<ModelOutcome, VerifyError> {
    let Some(population) = known.population else {
        let why = format!("`{name}` needs one, and none was given");
        return Err(VerifyError::Population { why });
    };
    let people = population.people(release, known.quasi, &classes.groups, classes.star, known.control)?;
    let mut found: Vec<(u64, Judgement)> = Vec::new();
    for (class, &rows) in classes.groups.size.iter().enumerate() {
        if Some(class) == classes.star {
            if classes.star_rule == StarRows::Judged {
                found.push((rows, test.judge(rows, people.outside)));
            }
        } else {
            found.push((rows, test.judge(rows, people.of_class[class])));
        }
    }
    if classes.star.is_none() && people.outside > 0 && matches!(test, PeopleTest::Least { .. }) {
        found.push((0, test.judge(0, people.outside)));
    }
    let persons: u64 = people.of_class.iter().sum::<u64>() + people.outside;
    let note =
        format!("{} of {persons} people of the population are in no group that is shown", people.outside);
    Ok(outcome(&Requirement::People(test), name, &found, Some(note)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Section 1.10: 2/5, 4/4, 0/3; merging the first two: 2/3.
    #[test]
    fn shares_are_compared_exactly() {
        let at = |rows, people| {
            let least = |delta| {
                PeopleTest::Least { delta: Rational::parse(delta).expect("a number") }
                    .judge(rows, people)
                    .holds
            };
            let most = |delta| {
                PeopleTest::Most { delta: Rational::parse(delta).expect("a number") }
                    .judge(rows, people)
                    .holds
            };
            (
                ["0", "2/5", "0.4000001", "2/3", "1"].map(least),
                ["0", "0.3999999", "2/5", "2/3", "1"].map(most),
            )
        };
        assert_eq!(at(2, 5), ([true, true, false, false, false], [false, false, true, true, true]));
        assert_eq!(at(4, 4), ([true; 5], [false, false, false, false, true]));
        assert_eq!(at(0, 3), ([true, false, false, false, false], [true; 5]));
        assert_eq!(at(6, 9), ([true, true, true, true, false], [false, false, false, true, true]));
        // More rows than people, which no share allows.
        assert_eq!(at(3, 2), ([false; 5], [false; 5]));
        assert_eq!(at(1, 0), ([false; 5], [false; 5]));
    }

    #[test]
    fn k_map_counts_people_and_not_rows() {
        let holds = |k, people| PeopleTest::Many { k }.judge(1, people).holds;
        assert!(holds(3, 3) && holds(3, 4) && !holds(3, 2));
    }
}
