//! People in a release and people like them who are not in it, for attacks that measure what being in it costs.
//!
//! Outsiders are given. Otherwise, if the plan says how the release was made, half of the people are released again in
//! memory, and the other half are the outsiders. The figures are then about the method, and not about the file at hand.

use scumble::config::{Plan, Role};
use scumble::problem::Progress;
use scumble::release::check::side_by_side;
use scumble::release::try_release;
use scumble::{Error, ErrorKind, Result};
use scumble_files::table::{CodedColumn, CodedTable};

use super::{Case, Scene};
use crate::protocol::{refuse_parts, stratified_folds};

/// People on both sides of a release.
pub(super) struct Sides {
    /// What an attacker sees and knows. First come the people whom the release is about, including those without a row,
    /// then the outsiders.
    pub(super) scene: Scene,
    /// The original values of these people, in that order.
    pub(super) people: CodedTable,
    /// The number of people the release is about.
    pub(super) inside: usize,
    /// Whether the release was made here from half of the people.
    pub(super) halves: bool,
}

/// With fewer people on a side, figures mean nothing.
const FEWEST: usize = 4;

/// With more people than this in a half, smaller parts are released again.
const MOST_OF_A_HALF: usize = 25_000;

/// What stands below figures about halves.
const ABOUT_HALVES: &str = "No outsiders were given, so half of the people, 25,000 at most, was released once more in memory by the same plan, and as \
     many others are the outsiders: the figures are about the method on these people, and not about this very file.";

impl Sides {
    /// Returns the people on both sides of a case's release, or the reason why there are none.
    pub(super) fn of(case: &Case<'_>) -> Result<std::result::Result<Self, String>> {
        let found = match case.outsiders {
            Some(outsiders) => given(case, outsiders)?,
            None => halves(case)?,
        };
        Ok(found.and_then(|sides| {
            let outside = sides.scene.people - sides.inside;
            if sides.inside < FEWEST || outside < FEWEST {
                return Err(format!(
                    "There are {} people in the release and {outside} outside, and fewer than {FEWEST} on a side say nothing; give more \
                     (outsiders).",
                    sides.inside
                ));
            }
            Ok(sides)
        }))
    }

    /// Returns what the figures do not say because of where the outsiders come from.
    pub(super) fn limits(&self) -> Vec<String> {
        let given = "The outsiders must be people like those in the release: where they differ otherwise, the difference is taken for \
                     the release's doing.";
        vec![if self.halves { ABOUT_HALVES.to_owned() } else { given.to_owned() }]
    }
}

fn given(case: &Case<'_>, outsiders: &CodedTable) -> Result<std::result::Result<Sides, String>> {
    for known in &case.scene.known {
        if outsiders.column(&known.name).is_none() {
            return Ok(Err(format!("The table of outsiders has no column '{}'; add it.", known.name)));
        }
    }
    // All people of the original count, including those whom no row fits: without them, the others would look easier to
    // find.
    let people = joined(case.original, outsiders);
    let scene = Scene::new(&side_by_side(case.release, &people, case.plan, case.resources)?)?;
    if scene.looks.len() != case.scene.looks.len() {
        let why = "The release is in several tables, and people outside are compared with releases of one table only.";
        return Ok(Err(why.to_owned()));
    }
    Ok(Ok(Sides { scene, people, inside: case.original.rows, halves: false }))
}

fn halves(case: &Case<'_>) -> Result<std::result::Result<Sides, String>> {
    if case.plan.privacy.is_empty() || !case.method_known {
        let why = "This attack compares people in the release with people who are not in it. Give a table of such people (outsiders), or the plan by \
                   which the release was made.";
        return Ok(Err(why.to_owned()));
    }
    let strata = case.plan.names_with(Role::Sensitive).find_map(|name| case.original.column(name));
    let strata = strata.map_or_else(|| vec![0; case.original.rows], |column| column.codes.iter().collect());
    if let Err(error) = refuse_parts(case.plan) {
        return Ok(Err(format!(
            "Half of the people cannot stand for all of them: {}. Give a table of people who are not in the release (outsiders).",
            error.what()
        )));
    }
    // With very many people, two smaller parts are enough and bound the work.
    let parts = (case.original.rows.div_ceil(MOST_OF_A_HALF)).max(2);
    let mut splits = stratified_folds(&strata, parts, case.options.seed).into_iter();
    let (Some(one), Some(other)) = (splits.next(), splits.next()) else {
        return Err(Error::internal("people could not be divided"));
    };
    let half = case.original.select(&one.test);
    let trial = match try_release(
        &plan_of_half(case.plan),
        &half,
        case.resources,
        Progress::from(case.scene.control.clone()),
    ) {
        Ok(trial) => trial,
        Err(error)
            if error.is(&[
                ErrorKind::Infeasible,
                ErrorKind::OutOfBudget,
                ErrorKind::Refused,
                ErrorKind::Config,
            ]) =>
        {
            return Ok(Err(format!(
                "Half of the people could not be released by the plan ({error}). Give a table of people who are not in the release \
                 (outsiders)."
            )));
        }
        Err(error) => return Err(error),
    };
    let Some(shown) = trial.table() else {
        let why = "The plan releases several tables, and people outside are compared with releases of one table only.";
        return Ok(Err(why.to_owned()));
    };
    let people = joined(&half, &case.original.select(&other.test));
    let scene = Scene::new(&side_by_side(&shown.read()?, &people, case.plan, case.resources)?)?;
    Ok(Ok(Sides { scene, people, inside: half.rows, halves: true }))
}

/// Joins the rows of both tables in the columns that both have.
fn joined(first: &CodedTable, second: &CodedTable) -> CodedTable {
    let texts = |column: &CodedColumn| {
        column.codes.iter().map(|code| column.values.get(code).to_owned()).collect::<Vec<String>>()
    };
    let both = |column: &CodedColumn| {
        let other = second.column(&column.name)?;
        Some(CodedColumn::of_texts(&column.name, texts(column).into_iter().chain(texts(other))))
    };
    CodedTable { columns: first.columns.iter().filter_map(both).collect(), rows: first.rows + second.rows }
}

/// Returns the plan for releasing a half. Tables that were published before are for the intersection attack. They stay in
/// the plan only if some model is about several tables.
fn plan_of_half(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    if !plan.privacy.iter().any(|spec| spec.over_tables().is_some()) {
        plan.table.clear();
    }
    plan
}

#[cfg(test)]
mod tests {
    use super::super::staged::{Stage, table};
    use super::*;

    const COLUMNS: &[(&str, &str)] = &[("age", "quasi"), ("disease", "sensitive")];

    fn people(from: usize, to: usize) -> Vec<[String; 2]> {
        (from..to).map(|person| [person.to_string(), format!("v{}", person % 2)]).collect()
    }

    #[test]
    fn outsiders_are_those_given_and_insiders_everybody_else() {
        let mut stage = Stage::new(COLUMNS, &people(0, 8), &people(0, 10));
        assert_eq!((stage.case().scene.unplaced(), stage.case().scene.without_row), (2, 2));
        stage.outsiders = Some(table(
            &["disease".into(), "age".into()],
            &[["v0", "8"], ["v1", "77"], ["v1", "3"], ["v0", "9"]],
        ));
        let sides = Sides::of(&stage.case()).expect("no error").expect("two sides");
        // Two of the ten have no row, but the release is still about them.
        assert_eq!((sides.inside, sides.scene.people, sides.halves), (10, 14, false));
        let ages: Vec<&str> = (0..14)
            .map(|person| &sides.scene.known[0].values[sides.scene.known[0].of_person[person] as usize][..])
            .collect();
        assert_eq!(ages, ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "8", "77", "3", "9"]);
    }

    #[test]
    fn halves_are_released_once_more() {
        let mut stage = Stage::new(COLUMNS, &people(0, 40), &people(0, 40));
        let why = Sides::of(&stage.case()).expect("no error").err().expect("no plan");
        assert!(why.contains("(outsiders)") && why.contains("the plan"), "{why}");
        stage.require("k_anonymity", 4);
        let sides = Sides::of(&stage.case()).expect("no error").expect("two sides");
        assert_eq!((sides.inside, sides.scene.people, sides.scene.rows(), sides.halves), (20, 40, 20, true));
        assert!(sides.scene.looks.iter().all(|look| look.rows >= 4));
        // Each half has as many people with either value.
        let ill = |range: std::ops::Range<usize>| {
            range.filter(|person| sides.scene.secrets[0].of_person[*person] == 0).count()
        };
        assert_eq!((ill(0..20), ill(20..40)), (10, 10));
        assert!(sides.limits()[0].contains("not about this very file"));
        stage.require("k_anonymity", 21);
        let why = Sides::of(&stage.case()).expect("no error").err().expect("half is too few");
        assert!(why.contains("could not be released"), "{why}");
    }

    /// Half of the people are still people of the population, but fewer of them.
    #[test]
    fn halves_are_released_beside_the_population() {
        let mut stage = Stage::new(COLUMNS, &people(0, 40), &people(0, 40));
        let folder = tempfile::tempdir().expect("a folder");
        let population: String = (0..80).map(|person| format!("{person}\n")).collect();
        std::fs::write(folder.path().join("people.csv"), format!("age\n{population}")).expect("written");
        stage.resources = scumble::release::resources::Resources::in_folder(folder.path());
        stage.require("k_map", 10);
        stage.plan.population = Some("people.csv".to_owned());
        stage.plan.algorithm.name = "optimal".to_owned();
        let sides = Sides::of(&stage.case()).expect("no error").expect("two sides");
        assert!(
            sides.halves && sides.scene.looks.iter().all(|look| look.rows >= 3),
            "10 people are about 5 rows"
        );
        stage.plan.privacy[0].model = "delta_presence".to_owned();
        let why = Sides::of(&stage.case()).expect("no error").err().expect("a part has fewer");
        assert!(why.contains("fewer of them") && why.contains("(outsiders)"), "{why}");
    }

    #[test]
    fn what_is_missing_is_said() {
        let mut stage = Stage::new(COLUMNS, &people(0, 8), &people(0, 8));
        stage.outsiders = Some(table(&["disease".into()], &[["v0"]]));
        assert!(
            Sides::of(&stage.case()).expect("no error").is_err_and(|why| why.contains("no column 'age'"))
        );
        stage.outsiders = Some(table(&["age".into()], &[["9"]]));
        assert!(Sides::of(&stage.case()).expect("no error").is_err_and(|why| why.contains("fewer than 4")));
    }
}
