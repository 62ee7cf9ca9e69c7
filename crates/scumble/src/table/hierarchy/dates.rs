//! Dates by month, quarter, year, decade, century, and stages of life.

use scumble_files::table::Texts;
use serde::{Deserialize, Serialize};

use super::domain::{Built, Domain};
use super::intervals::nest;
use super::nested::Level;
use super::tree::Provenance;
use crate::error::{Error, Result, Setting};
use crate::table::date::Date;
use crate::table::kind::Kind;

/// A calendar period, from fine to coarse.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum DateLevel {
    /// `2024-03`
    Month,
    /// `2024-Q1`
    Quarter,
    /// `2024`
    Year,
    /// `2020s`
    Decade,
    /// `2000-2099`
    Century,
}

/// The coarsest grouping of birth dates: by age in completed years on a reference day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeStages {
    /// The day on which ages are taken, in the column's own date format. The last day of a year or
    /// decade makes the stages meet those periods.
    pub reference: String,
    /// The ages at which a new stage begins, ascending: `[18, 65]` makes three stages.
    pub cuts: Vec<u16>,
}

impl DateLevel {
    /// The period that a date lies in: a number that distinguishes it from its neighbours, and its name.
    pub(super) fn period(self, date: Date) -> (i64, String) {
        let Date { year, month, .. } = date;
        match self {
            Self::Month => (year * 12 + month, format!("{year:04}-{month:02}")),
            Self::Quarter => {
                let quarter = (month - 1) / 3 + 1;
                (year * 4 + quarter, format!("{year:04}-Q{quarter}"))
            }
            Self::Year => (year, format!("{year:04}")),
            Self::Decade => {
                let decade = year.div_euclid(10) * 10;
                (decade, format!("{decade:04}s"))
            }
            Self::Century => {
                let century = year.div_euclid(100) * 100;
                (century, format!("{century:04}-{:04}", century + 99))
            }
        }
    }
}

/// The tree of calendar periods, finest first, with stages of life on top if given.
pub(super) fn build(domain: &Domain, levels: &[DateLevel], stages: Option<&LifeStages>) -> Result<Built> {
    let Kind::Date(_) = domain.measure.kind else {
        return Err(Error::config("'dates' needs a column of dates")
            .in_column(domain.name)
            .set(Setting::column("format").of(&[domain.name]), "give the date format of the column")
            .set(Setting::column("hierarchy").of(&[domain.name]), "use another hierarchy"));
    };
    if !levels.is_sorted_by(|finer, coarser| finer < coarser) || levels.is_empty() && stages.is_none() {
        return Err(Error::config(
            "date levels go from fine to coarse: month, quarter, year, decade, century",
        )
        .in_column(domain.name));
    }
    let days: Vec<i64> = domain.numbers("dates")?.into_iter().map(|day| day as i64).collect();
    let mut groups: Vec<Level> =
        levels.iter().map(|level| level_by(&days, |day| level.period(Date::of(day)))).collect();
    if let Some(stages) = stages {
        let edges = stage_edges(domain, stages)?;
        if let Some(coarsest) = levels.last() {
            check_nesting(domain, *coarsest, &edges)?;
        }
        groups.push(level_by(&days, |day| stage(stages, &edges, day)));
    }
    nest(domain, groups, Provenance::Declared)
}

/// The level of neighbours that `group` gives the same key; the second part is the label.
fn level_by(days: &[i64], group: impl Fn(i64) -> (i64, String)) -> Level {
    let mut level = Level { starts: Vec::new(), labels: Texts::default() };
    let mut current = None;
    for (place, day) in days.iter().enumerate() {
        let (key, label) = group(*day);
        if current != Some(key) {
            current = Some(key);
            level.starts.push(place);
            level.labels.push(&label);
        }
    }
    level
}

/// Per cut, the first birth date that is too young for it: the day after the last birthday that counts.
fn stage_edges(domain: &Domain, stages: &LifeStages) -> Result<Vec<i64>> {
    let reference = domain.measure.number(&stages.reference).ok_or_else(|| {
        Error::config(format!("the reference '{}' is not a date in the column's format", stages.reference))
            .in_column(domain.name)
    })?;
    if stages.cuts.is_empty() || !stages.cuts.is_sorted_by(|a, b| a < b) {
        return Err(
            Error::config("the cuts of life stages must ascend, such as [18, 65]").in_column(domain.name)
        );
    }
    let Date { year, month, day } = Date::of(reference as i64);
    let edge = |age: &u16| {
        let year = year - i64::from(*age);
        let first = Date { year, month, day: 1 }.number();
        let next = Date { year: year + month / 12, month: month % 12 + 1, day: 1 }.number();
        // The 29th of February counts from the 28th where there is none.
        first + day.min(next - first)
    };
    Ok(stages.cuts.iter().map(edge).collect())
}

/// An error if a stage begins inside a period of the level below: the tree would not nest.
fn check_nesting(domain: &Domain, coarsest: DateLevel, edges: &[i64]) -> Result<()> {
    let period = |day: i64| coarsest.period(Date::of(day));
    match edges.iter().find(|edge| period(**edge).0 == period(**edge - 1).0) {
        None => Ok(()),
        Some(edge) => Err(Error::config(format!(
            "a stage of life ends inside {}, so the stages do not nest in the level below",
            period(*edge).1
        ))
        .in_column(domain.name)
        .advise("take the last day of a period as reference and cuts that fit it")
        .advise("leave the level below the stages out")),
    }
}

/// The stage of a birth date: its number and its name.
fn stage(stages: &LifeStages, edges: &[i64], day: i64) -> (i64, String) {
    // Edges descend as ages ascend: a birth date before an edge has reached that age.
    let reached = edges.iter().filter(|edge| day < **edge).count();
    let (cuts, on) = (&stages.cuts, &stages.reference);
    let name = match (reached, cuts.get(reached)) {
        (0, _) => format!("under {} on {on}", cuts[0]),
        (_, None) => format!("{} or older on {on}", cuts[reached - 1]),
        (_, Some(next)) => format!("{} to {} on {on}", cuts[reached - 1], next - 1),
    };
    (reached as i64, name)
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level, path};
    use super::*;
    use crate::table::date::DateFormat;

    const MONTH_YEAR_DECADE: [DateLevel; 3] = [DateLevel::Month, DateLevel::Year, DateLevel::Decade];

    fn dates(values: &[&str]) -> Domain<'static> {
        domain(Kind::Date(DateFormat::YearMonthDay), values)
    }

    #[test]
    fn six_levels_with_stages_of_life() {
        let births = dates(&["1949-12-31", "1950-01-01", "1999-12-31", "2000-01-01", "2012-03-09"]);
        let stages = LifeStages { reference: "2019-12-31".into(), cuts: vec![20, 70] };
        let built = build(&births, &MONTH_YEAR_DECADE, Some(&stages)).unwrap();
        let tree = &built.hierarchy;
        assert_eq!(tree.height(), 5, "6 levels");
        assert_eq!(path(tree, "1949-12-31"), "1949-12-31;1949-12;1949;1940s;70 or older on 2019-12-31;*");
        assert_eq!(
            level(tree, 4),
            ["70 or older on 2019-12-31", "20 to 69 on 2019-12-31", "under 20 on 2019-12-31"]
        );
        assert_eq!(level(tree, 3), ["1940s", "1950s", "1990s", "2000s", "2010s"]);
    }

    #[test]
    fn calendar_levels() {
        let days = dates(&["2024-01-31", "2024-03-01", "2024-04-01", "2030-01-01"]);
        let all =
            [DateLevel::Month, DateLevel::Quarter, DateLevel::Year, DateLevel::Decade, DateLevel::Century];
        let built = build(&days, &all, None).unwrap();
        assert_eq!(path(&built.hierarchy, "2024-03-01"), "2024-03-01;2024-03;2024-Q1;2024;2020s;2000-2099;*");
        assert_eq!(level(&built.hierarchy, 2), ["2024-Q1", "2024-Q2", "2030-Q1"]);
        assert_eq!(level(&built.hierarchy, 4), ["2020s", "2030s"]);
        let dots = domain(Kind::Date(DateFormat::DayMonthYearDot), &["09.03.2024"]);
        let built = build(&dots, &MONTH_YEAR_DECADE, None).unwrap();
        assert_eq!(path(&built.hierarchy, "09.03.2024"), "09.03.2024;2024-03;2024;2020s;*");
    }

    #[test]
    fn completed_years_decide_a_stage() {
        let births = dates(&["2000-02-28", "2000-02-29", "2000-03-01", "2002-02-28", "2002-03-01"]);
        let stages = LifeStages { reference: "2020-02-29".into(), cuts: vec![18, 20] };
        let built = build(&births, &[], Some(&stages)).unwrap();
        let stage_of = |birth| path(&built.hierarchy, birth).split(';').nth(1).unwrap().to_string();
        assert_eq!(stage_of("2000-02-29"), "20 or older on 2020-02-29");
        assert_eq!(stage_of("2000-03-01"), "18 to 19 on 2020-02-29");
        assert_eq!(stage_of("2002-02-28"), "18 to 19 on 2020-02-29");
        assert_eq!(stage_of("2002-03-01"), "under 18 on 2020-02-29");
    }

    #[test]
    fn wrong_requests_are_explained() {
        let days = dates(&["2024-01-31"]);
        let message = |levels: &[DateLevel], stages: Option<LifeStages>| {
            build(&days, levels, stages.as_ref()).unwrap_err().to_string()
        };
        let stages = |reference: &str, cuts: &[u16]| {
            Some(LifeStages { reference: reference.into(), cuts: cuts.to_vec() })
        };
        assert!(message(&[DateLevel::Year, DateLevel::Month], None).contains("fine to coarse"));
        assert!(message(&[], None).contains("fine to coarse"));
        assert!(message(&MONTH_YEAR_DECADE, stages("2019-12-31", &[18])).contains("ends inside 2000s"));
        assert!(message(&[], stages("31.12.2019", &[18])).contains("'31.12.2019' is not a date"));
        assert!(message(&[], stages("2019-12-31", &[65, 18])).contains("must ascend"));
        let text = domain(Kind::Text, &["x"]);
        assert!(
            build(&text, &MONTH_YEAR_DECADE, None)
                .unwrap_err()
                .to_string()
                .contains("needs a column of dates")
        );
    }
}
