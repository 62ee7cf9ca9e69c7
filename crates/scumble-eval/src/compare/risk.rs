//! What an attacker could still learn from a release, by those attacks of [`crate::attack`] that need only the release and what outsiders
//! know.

use scumble::config::{Plan, StarPolicy};
use scumble::models::k_anonymity;
use scumble::release::DISCLOSURE_ACCEPTED;
use scumble::release::check::{SideBySide, side_by_side};
use scumble::release::prepare::SpeltTable;
use scumble::release::resources::Resources;
use scumble::release::{Trial, TrialOutcome};
use scumble::{Error, Result};
use scumble_verify::{ModelClaim, Originals, check_records};

use crate::attack::definetti::{self, RIGHT_BY_LEARNING};
use crate::attack::homogeneity::{self, RIGHT_BY_GROUP, RIGHT_WITHOUT_GROUPS};
use crate::attack::linkage::{self, EVERYTHING, picked_right_by};
use crate::attack::{Case, Finding, Options, Scene, background};

/// What attackers achieve who know the quasi-identifiers of everybody in the table.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Risk {
    /// The greatest chance with which anybody's row is found: the chance for the person worst off.
    pub worst_off: f64,
    /// The share of people whose row the attackers find. If rows form classes, the attackers know everybody's class, as they can by
    /// matching all people with all rows, and take one of its rows. Otherwise they take one of the rows that may be a person's.
    pub identity: f64,
    /// The share of people whose row is found if attackers search for one person at a time and take any row that may be theirs.
    pub linkage: f64,
    /// The share of people for whom only one row is possible.
    pub singled_out: f64,
    /// What attackers learn about a sensitive value, in the column of which they learn most; `None` without a sensitive column.
    pub attribute: Option<Guess>,
    /// Of the sensitive columns that no model protects, the one in which most people's values are certain.
    pub unprotected: Option<Certain>,
    /// The sensitive column in which most people's values are nearly certain: 9 in 10 of their group have one value, and at most half as
    /// large a share of the whole table. `None` where no value is.
    pub nearly: Option<Certain>,
}

/// The share of people whose value in a column is certain.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Certain {
    /// The column.
    pub column: String,
    /// The share of people.
    pub share: f64,
}

/// What attackers learn about a sensitive column.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Guess {
    /// The column.
    pub column: String,
    /// The share of people whose value is guessed right by the better of two guesses, less the share that the most frequent value of the
    /// whole table gets right.
    pub advantage: f64,
    /// The same for guessing the most frequent value of a person's group.
    pub by_group: f64,
    /// The same for learning across groups which attributes go with which values (deFinetti), if values are reported by group.
    pub by_learning: Option<f64>,
    /// The share of people whose value is certain.
    pub certain: f64,
    /// The share of people whose value is certain to an attacker who can rule out one value.
    pub certain_with_background: f64,
}

impl Risk {
    /// Returns the figure that is limited: the greater of the chance with which the person worst off is found, and the share of people for
    /// whom guesses of a sensitive value are right because of the release. Attackers who can rule out values know more and are reported
    /// separately.
    #[must_use]
    pub fn worst(&self) -> f64 {
        self.attribute.as_ref().map_or(self.worst_off, |guess| guess.advantage.max(self.worst_off))
    }

    /// Returns the greatest share of people whose value is certain in a column that no model protects.
    #[must_use]
    pub fn certain(&self) -> f64 {
        self.unprotected.as_ref().map_or(0.0, |certain| certain.share)
    }

    /// Returns the greatest share of people whose value is nearly certain in a sensitive column.
    #[must_use]
    pub fn nearly_certain(&self) -> f64 {
        self.nearly.as_ref().map_or(0.0, |nearly| nearly.share)
    }
}

impl Risk {
    /// Returns the share of people whose sensitive value is certain, to be shown: in the column that the limit concerns or, if models
    /// protect all columns, in the one of which most is learnt. `None` without a sensitive column.
    #[must_use]
    pub fn certain_told(&self) -> Option<f64> {
        let of_limit = self.unprotected.as_ref().map(|certain| certain.share);
        of_limit.or(self.attribute.as_ref().map(|guess| guess.certain))
    }
}

/// Attacks a release in memory of these rows. Releases by algorithms that these attacks cannot handle are refused.
pub fn risk_of(
    trial: &Trial,
    rows: &SpeltTable,
    plan: &Plan,
    resources: &Resources,
    seed: u64,
) -> Result<Risk> {
    let release = trial.table().ok_or_else(|| {
        Error::refused(
            "publishes several tables beside each other, and the attacks that are simulated here know releases of one table only",
        )
    })?;
    let both = side_by_side(&release.read()?, rows, plan, resources)?;
    let mut scene = Scene::new(&both)?;
    // Means fit nobody, but here everybody's row is known.
    if matches!(trial.outcome, TrialOutcome::Classes { .. }) && !scene.stands() {
        scene.stand_for(&both.release, &release.about)?;
    }
    // The attackers know everything, and everybody is examined: a recommendation must not depend on a sample.
    let options = Options { seed, people: usize::MAX, known_columns: 0, ..Options::default() };
    let case = Case {
        scene: &scene,
        others: &[],
        release: &both.release,
        original: rows,
        outsiders: None,
        perturbed: &[],
        own_rows: None,
        plan,
        method_known: true,
        resources,
        options: &options,
    };
    let linkage = linkage::ATTACK.simulate(&case)?;
    let linkage = linkage.first().ok_or_else(|| Error::internal("linkage found nothing"))?;
    let (attribute, certain) = match scene.secrets.is_empty() {
        true => (None, None),
        false => {
            let [groups, learnt, ruled_out] = [homogeneity::ATTACK, definetti::ATTACK, background::ATTACK];
            let groups = groups.simulate(&case)?;
            let learnt = most_telling(&groups, &learnt.simulate(&case)?, &ruled_out.simulate(&case)?)?;
            (learnt, most_certain(&groups)?)
        }
    };
    let one_by_one = figure(linkage, &picked_right_by(EVERYTHING))?;
    // Rows that fit a person by accident, most of all suppressed ones, would make a release look less risky than its classes are.
    let by_class = match &trial.outcome {
        TrialOutcome::Classes { .. } => scene.looks.len() as f64 / scene.people.max(1) as f64,
        _ => 0.0,
    };
    let alone = linkage.worst.unwrap_or(1.0);
    let together = match &trial.outcome {
        TrialOutcome::Classes { .. } => attained_k(trial).map_or(0.0, |k| 1.0 / k.max(1) as f64),
        _ => matched(&both),
    };
    // The persons of a group who are one household hide each other no better than one person.
    let household = trial.households.as_ref().and_then(|found| found.fewest_in_group);
    let household = household.map_or(0.0, |fewest| 1.0 / fewest.max(1) as f64);
    // People who consented to be open have no model that bounds what can be inferred about them.
    let is_open = trial.warnings.iter().any(|warning| warning == DISCLOSURE_ACCEPTED);
    Ok(Risk {
        worst_off: alone.max(together).max(household),
        identity: one_by_one.max(by_class),
        linkage: one_by_one,
        singled_out: at_risk(linkage)?,
        attribute,
        unprotected: certain.filter(|_| is_open),
        nearly: most_nearly_certain(trial),
    })
}

/// Returns the chance with which the person worst off is found among records that overlap. Somebody who knows everybody can rule out
/// records that cover a person but cannot be theirs, because the others could then not all have records of their own. If this cannot be
/// counted, the chance is taken as 1.
fn matched(both: &SideBySide) -> f64 {
    let originals = Originals { table: &both.original, quasi: &both.quasi, row_map: None, exchanged: None };
    let claim = serde_json::json!({ "model": k_anonymity::ENTRY.name, "k": 1, "links": "matches" });
    let Ok(claim) = ModelClaim::from_json(&claim) else { return 1.0 };
    let found = check_records(&both.release, &[], &[claim], Some(originals), &both.control);
    let least = found.ok().and_then(|found| found.models.first()?.attained);
    least.filter(|least| *least >= 1.0).map_or(1.0, |least| 1.0 / least)
}

/// Returns the column in which most people's values are certain, the first among ties.
fn most_certain(homogeneity: &[Finding]) -> Result<Option<Certain>> {
    let mut most: Option<Certain> = None;
    for finding in homogeneity {
        let share = at_risk(finding)?;
        if most.as_ref().is_none_or(|most| share > most.share) {
            most = Some(Certain { column: finding.column.clone().unwrap_or_default(), share });
        }
    }
    Ok(most)
}

/// Returns the column in which most people's values are nearly certain, the first among ties.
fn most_nearly_certain(trial: &Trial) -> Option<Certain> {
    let mut most: Option<Certain> = None;
    for of in trial.guesses.iter().filter(|of| of.nearly_certain > 0) {
        let share = of.nearly_certain as f64 / of.rows.max(1) as f64;
        if most.as_ref().is_none_or(|most| share > most.share) {
            most = Some(Certain { column: of.column.clone(), share });
        }
    }
    most
}

/// Returns the column of which most is learnt, the first among ties.
fn most_telling(
    homogeneity: &[Finding],
    definetti: &[Finding],
    background: &[Finding],
) -> Result<Option<Guess>> {
    let mut most: Option<Guess> = None;
    for ((groups, learnt), ruled_out) in homogeneity.iter().zip(definetti).zip(background) {
        let without = figure(groups, RIGHT_WITHOUT_GROUPS)?;
        // If rows are left out, groups may show less than the whole table.
        let gained = |right: f64| (right - without).max(0.0);
        let by_group = gained(figure(groups, RIGHT_BY_GROUP)?);
        let by_learning = match learnt.not_run {
            Some(_) => None,
            None => Some(gained(figure(learnt, RIGHT_BY_LEARNING)?)),
        };
        let guess = Guess {
            column: groups.column.clone().unwrap_or_default(),
            advantage: by_group.max(by_learning.unwrap_or(0.0)),
            by_group,
            by_learning,
            certain: at_risk(groups)?,
            certain_with_background: at_risk(ruled_out)?,
        };
        if most.as_ref().is_none_or(|most| guess.advantage > most.advantage) {
            most = Some(guess);
        }
    }
    Ok(most)
}

fn figure(finding: &Finding, name: &str) -> Result<f64> {
    let found = finding.figures.iter().find(|figure| figure.name == name);
    let missing = || Error::internal(format!("the attack '{}' tells no '{name}'", finding.attack));
    found.map(|figure| figure.value).ok_or_else(missing)
}

fn at_risk(finding: &Finding) -> Result<f64> {
    let missing =
        || Error::internal(format!("the attack '{}' tells no share of people at risk", finding.attack));
    finding.at_risk.as_ref().map(|figure| figure.value).ok_or_else(missing)
}

/// Returns the smallest number of people who look the same; `None` if people are covered by records of their own.
#[must_use]
pub(super) fn attained_k(trial: &Trial) -> Option<u64> {
    let TrialOutcome::Classes { classes, .. } = &trial.outcome else { return None };
    let payloads = trial.problem.table.payloads();
    let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
    let starred =
        (classes.policy != StarPolicy::Drop && classes.suppressed_rows() > 0).then(|| classes.star(payloads));
    kept.map(|class| classes.view(class, payloads)).chain(starred).map(|class| class.persons()).min()
}

#[cfg(test)]
mod tests {
    use scumble::problem::Progress;
    use scumble::release::{read_planned, try_release};

    use super::*;

    /// Eight people, whom Mondrian with k = 4 divides into two halves by age. In one half all have flu.
    const PEOPLE: &str = "age,ill\n20,flu\n21,flu\n22,flu\n23,flu\n60,flu\n61,gout\n62,gout\n63,hiv\n";

    fn risk(people: &str, plan: &str) -> Risk {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.csv"), people).expect("written");
        let text =
            format!("input = \"a.csv\"\noutput = \"b.csv\"\naccept_attribute_disclosure = true\n{plan}");
        let plan = Plan::from_toml(&text, "plan").expect("a plan");
        let (plan, table, _) = read_planned(&plan, &Resources::in_folder(folder.path())).expect("a table");
        let trial =
            try_release(&plan, &table, &Resources::default(), Progress::default()).expect("a release");
        assert!(attained_k(&trial) >= Some(2));
        risk_of(&trial, &table, &plan, &Resources::default(), 1).expect("attacked")
    }

    fn by_age(k: u32) -> Risk {
        let roles = "[columns.age]\nrole = \"quasi\"\n[columns.ill]\nrole = \"sensitive\"\n";
        risk(PEOPLE, &format!("{roles}[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n"))
    }

    #[test]
    fn two_classes_by_hand() {
        // One in four is found. By group, 4 + 2 of 8 guesses are right; without groups, flu is right for 5. Ruling out one value makes
        // nobody else certain, since the second group has three values.
        let found = by_age(4);
        let guess = found.attribute.clone().expect("a sensitive column");
        assert_eq!((found.identity, found.linkage, found.singled_out), (0.25, 0.25, 0.0));
        // No model protects the column, and half of the people have flu for sure.
        assert_eq!((found.worst_off, found.certain()), (0.25, 0.5));
        assert_eq!((guess.column.as_str(), guess.certain, guess.certain_with_background), ("ill", 0.5, 0.5));
        assert!((guess.by_group - 0.125).abs() < 1e-12, "{}", guess.by_group);
        assert_eq!(Some(guess.advantage), guess.by_learning.map(|learnt| learnt.max(guess.by_group)));
        assert_eq!(found.worst(), guess.advantage.max(0.25));
    }

    #[test]
    fn starred_rows_hide_nobody_else() {
        // Three pairs and two suppressed people: four classes of two, so one in two is found. The same holds for an attacker who examines
        // one person at a time: rows that show nothing are taken only for people whom nothing else fits.
        let plan = "[columns.town]\nrole = \"quasi\"\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n\
                    [algorithm]\nname = \"optimal\"\nsuppression = 0.25\n";
        let found = risk("town\na\na\nb\nb\nc\nc\nd\ne\n", plan);
        assert_eq!((found.identity, found.linkage, found.attribute.clone()), (0.5, 0.5, None));
        assert_eq!((found.worst_off, found.certain()), (0.5, 0.0));
    }

    /// Five people in records that each cover two or three: the third person fits three of them, but only one can be theirs (models.md
    /// 1.15).
    #[test]
    fn records_that_cannot_be_a_persons_hide_nobody() {
        let table = |texts: [&str; 5]| {
            let column = scumble_files::table::CodedColumn::of_texts("age", texts.iter().copied());
            scumble_files::table::CodedTable { columns: vec![column], rows: 5 }
        };
        let plan =
            Plan::from_toml("input = \"a\"\noutput = \"b\"\n[columns.age]\nrole = \"quasi\"\n", "plan");
        let plan = plan.expect("a plan");
        let people = table(["1", "2", "3", "4", "5"]);
        let matched_in = |records: [&str; 5]| {
            let both = side_by_side(&table(records), &people, &plan, &Resources::default());
            matched(&both.expect("a release and its original"))
        };
        assert_eq!(matched_in(["[1,2]", "[1,2]", "[1,3]", "[3,5]", "[3,5]"]), 1.0);
        assert_eq!(matched_in(["[1,2]", "[1,2]", "[3,5]", "[3,5]", "[3,5]"]), 0.5);
        assert_eq!(
            matched_in(["[1,2]", "[1,2]", "[1,2]", "[3,5]", "[3,5]"]),
            1.0,
            "there is no assignment at all"
        );
    }

    #[test]
    fn one_class_tells_nothing() {
        let found = by_age(8);
        assert_eq!((found.identity, found.attribute.map(|guess| guess.by_group)), (0.125, Some(0.0)));
    }
}
