//! A table of cases: evidence, and the verdict that it must lead to.

use super::{Colour, Verdict};
use crate::config::Audience;
use crate::report::data::*;
use crate::risk::{Journalist, RiskFigures};

fn k_anonymity(k: u64) -> ModelResult {
    ModelResult {
        name: "k_anonymity".into(),
        title: format!("{k}-anonymity"),
        required: vec![Setting::new("k", k)],
        claim: Some(format!("{k}-anonymous on age and sex")),
        holds: true,
        ..ModelResult::default()
    }
}

fn risk(highest: f64) -> RiskFigures {
    RiskFigures { rows: 1_000, highest: highest.into(), average: highest.into(), ..RiskFigures::default() }
}

/// A release to the public with k = 12 and no other evidence.
fn sound() -> Report {
    Report {
        release: Release {
            rows: 1_000,
            released: 1_000,
            classes: 60,
            checked: true,
            truthful: Some(true),
            ..Release::default()
        },
        models: vec![k_anonymity(12)],
        risk: Some(Risk { after: risk(1.0 / 12.0), ..Risk::default() }),
        ..Report::default()
    }
}

fn k_of_5(audience: Audience) -> Report {
    Report {
        audience,
        models: vec![k_anonymity(5)],
        risk: Some(Risk { after: risk(0.2), ..Risk::default() }),
        ..sound()
    }
}

fn found_for_certain(audience: Audience) -> Report {
    Report {
        audience,
        models: vec![k_anonymity(1)],
        risk: Some(Risk { after: risk(1.0), ..Risk::default() }),
        ..sound()
    }
}

fn uniqueness(unique_rows: u64) -> Uniqueness {
    Uniqueness { rows: 1_000, distinct: 990, unique_rows, ..Uniqueness::default() }
}

fn column(name: &str, role: ColumnRole, unique_rows: u64) -> KeptColumn {
    KeptColumn { name: name.into(), role, uniqueness: uniqueness(unique_rows) }
}

/// A release with a column published exactly. `alone` of 1,000 rows are unique on it, and `with_quasi` together with the quasi-identifiers.
fn with_exact(alone: u64, with_quasi: u64) -> Report {
    let kept = KeptExactly {
        columns: vec![column("weight", ColumnRole::Other, alone), column("ward", ColumnRole::Other, 0)],
        together: Some(uniqueness(alone)),
        open: Some(uniqueness(alone)),
        open_with_quasi: Some(uniqueness(with_quasi)),
        ..KeptExactly::default()
    };
    Report { kept: Some(kept), ..sound() }
}

fn with_sensitive(unique_rows: u64) -> Report {
    let columns = vec![column("income", ColumnRole::Sensitive, unique_rows)];
    Report { kept: Some(KeptExactly { columns, ..KeptExactly::default() }), ..sound() }
}

/// A release of 1,000 rows: `same` of them are in groups with one value, and taking the most frequent value of a group is right for
/// `right` of them, that of the table for `without`.
fn with_guesses(same: u64, right: u64, without: u64) -> Report {
    let column = "illness".to_owned();
    let kept = KeptExactly {
        homogeneous: vec![Homogeneity {
            column: column.clone(),
            classes: same / 10,
            classes_in_all: 60,
            rows: same,
            rows_in_all: 1_000,
        }],
        guesses: vec![GuessByClass {
            column,
            rows: 1_000,
            right,
            right_without: without,
            ..GuessByClass::default()
        }],
        ..KeptExactly::default()
    };
    Report { kept: Some(kept), ..sound() }
}

/// A release with a column published exactly, whose values `few` of 1,000 rows share with fewer than 12 rows.
fn in_small_groups(few: u64) -> Report {
    let mut report = with_exact(0, 0);
    let kept = report.kept.as_mut().expect("a column is kept");
    kept.open = Some(Uniqueness { few_rows: few, ..uniqueness(0) });
    report
}

/// A group of 40 with 39 times the same value, which nobody else has.
fn with_telling_group() -> Report {
    let mut report = with_guesses(0, 500, 480);
    let kept = report.kept.as_mut().expect("a column is kept");
    let worst = Telling { rows: 40, right: 39, right_in_all: 39 };
    assert!(worst.is_nearly_certain(1_000));
    assert!(!Telling { right_in_all: 600, ..worst }.is_nearly_certain(1_000), "it is frequent everywhere");
    assert!(!Telling { right: 35, ..worst }.is_nearly_certain(1_000), "less than 9 in 10");
    assert!(!Telling { right: 40, ..worst }.is_nearly_certain(1_000), "certain is another matter");
    (kept.guesses[0].nearly_certain, kept.guesses[0].worst) = (40, Some(worst));
    report
}

fn share(value: f64, interval: Option<(f64, f64)>) -> Option<AttackFigure> {
    Some(AttackFigure { name: "people".into(), value: value.into(), share: true, interval })
}

fn attack(learns: Learns, right: f64, without: f64) -> AttackResult {
    AttackResult {
        title: "An attack".into(),
        sentence: "It found something.".into(),
        learns,
        gain: Some(AttackGain { right, without }),
        at_risk: share(0.0, None),
        worst: Some(0.5),
        run: true,
        ..AttackResult::default()
    }
}

fn attacked(attack: AttackResult) -> Report {
    Report { attacks: vec![attack], ..sound() }
}

fn singled_out(share_of_people: f64, up_to: f64) -> AttackResult {
    AttackResult { at_risk: share(share_of_people, Some((0.0, up_to))), ..attack(Learns::Row, 0.05, 0.001) }
}

fn with_personal(free_text: bool, audience: Audience) -> Report {
    let kinds = vec![PersonalKindFound { kind: "email".into(), values: 40, rows: vec![3] }];
    let accepted = AcceptedPersonalData {
        column: "contact".into(),
        kinds: if free_text { Vec::new() } else { kinds },
        free_text,
        values: 900,
        reason: "public offices".into(),
    };
    Report {
        audience,
        personal: PersonalData { accepted: vec![accepted], ..PersonalData::default() },
        ..sound()
    }
}

fn noticed() -> Report {
    let kinds = vec![PersonalKindFound { kind: "phone".into(), values: 2, rows: vec![3, 7] }];
    let noticed = NoticedPersonalData { column: "notes".into(), kinds, values: 900 };
    Report { personal: PersonalData { noticed: vec![noticed], ..PersonalData::default() }, ..sound() }
}

fn with_households(change: fn(&mut Households)) -> Report {
    let mut found = Households {
        column: "hh".into(),
        measured: true,
        required: 12,
        households: 400,
        ..Households::default()
    };
    change(&mut found);
    Report { households: Some(found), ..sound() }
}

fn with_loss(loss: f64) -> Report {
    let metric = MetricResult { name: "loss".into(), value: loss.into(), ..MetricResult::default() };
    Report { metrics: vec![metric], ..sound() }
}

fn warned(severity: Severity) -> Report {
    Report {
        warnings: vec![Warning { severity, ..Warning::from("something was noticed".to_owned()) }],
        ..sound()
    }
}

#[test]
fn every_kind_of_evidence_gets_the_verdict_it_deserves() {
    use Colour::{Amber, Green, Red};
    let without = |change: fn(&mut Report)| {
        let mut report = sound();
        change(&mut report);
        report
    };
    let experimental = |standing: &str| {
        let algorithm =
            AlgorithmNote { title: "NHAA".into(), standing: standing.into(), ..AlgorithmNote::default() };
        Report { run: Some(Run { algorithm, ..Run::default() }), ..sound() }
    };
    let population = Report {
        risk: Some(Risk { journalist_after: Some(risk(0.01)), after: risk(0.5), ..Risk::default() }),
        ..sound()
    };
    let certain =
        AttackResult { at_risk: share(0.02, None), worst: Some(1.0), ..attack(Learns::Value, 0.1, 0.1) };
    let cases: Vec<(&str, Report, Colour, &str)> = vec![
        ("nothing speaks against it", sound(), Green, "Simulate attacks"),
        (
            "attacks were run and found little",
            attacked(attack(Learns::Value, 0.2, 0.15)),
            Green,
            "Publish the release",
        ),
        // Requirements and checks.
        (
            "nothing was asked",
            without(|report| report.models.clear()),
            Red,
            "Do not publish this file. Say what is required",
        ),
        (
            "a requirement fails",
            without(|report| report.models[0].holds = false),
            Red,
            "Allow more suppression",
        ),
        ("it was not checked", without(|report| report.release.checked = false), Red, "before it is checked"),
        (
            "a value is untrue",
            without(|report| report.release.truthful = Some(false)),
            Red,
            "fault of the program",
        ),
        ("nobody looked for truth", without(|report| report.release.truthful = None), Green, "Simulate"),
        // The person worst off.
        ("k = 5 for the public", k_of_5(Audience::Public), Amber, "at least 12"),
        ("k = 5 for researchers", k_of_5(Audience::Researchers), Green, "Simulate"),
        ("k = 5 inside", k_of_5(Audience::Inside), Green, "Simulate"),
        ("a population hides everybody", population, Green, "Simulate"),
        (
            "somebody is found for certain, for the public",
            found_for_certain(Audience::Public),
            Red,
            "Do not publish this file. Ask for groups of at least 12",
        ),
        (
            "somebody is found for certain, for researchers",
            found_for_certain(Audience::Researchers),
            Amber,
            "groups of",
        ),
        ("nobody measured the risk", without(|report| report.risk = None), Amber, "Simulate attacks"),
        // Columns that are published exactly.
        ("all rows are alone on exact columns", with_exact(1_000, 1_000), Red, "leave out weight"),
        ("half of them", with_exact(500, 1_000), Red, "leave out weight"),
        ("a tenth of them", with_exact(100, 1_000), Amber, "Round, coarsen or leave out weight"),
        (
            "none of them, most with the quasi-identifiers",
            with_exact(0, 800),
            Amber,
            "make every such column",
        ),
        ("one row is alone on exact columns", with_exact(1, 1), Amber, "leave out weight"),
        ("few of them, and only together with the quasi-identifiers", with_exact(0, 5), Green, "Simulate"),
        (
            "six of a thousand, together with the quasi-identifiers",
            with_exact(0, 6),
            Amber,
            "make every such column",
        ),
        (
            "all rows are alone, but researchers read it",
            Report { audience: Audience::Researchers, ..with_exact(1_000, 1_000) },
            Amber,
            "only if no reader can know",
        ),
        ("incomes that nobody shares", with_sensitive(900), Amber, "Round or coarsen income"),
        ("incomes that nearly all share", with_sensitive(5), Green, "Simulate"),
        ("incomes of which some are shared by nobody", with_sensitive(100), Amber, "Round or coarsen income"),
        // What groups alone give away.
        (
            "groups in which all have the same value",
            with_guesses(30, 300, 250),
            Amber,
            "more protection of illness",
        ),
        ("groups that make guessing easier", with_guesses(0, 400, 250), Amber, "more protection of illness"),
        ("groups that make guessing a little easier", with_guesses(0, 300, 250), Green, "Simulate"),
        (
            "an attack that finds less than follows from the groups",
            Report {
                attacks: vec![AttackResult {
                    column: Some("illness".into()),
                    ..attack(Learns::Value, 0.2, 0.2)
                }],
                ..with_guesses(30, 400, 250)
            },
            Amber,
            "more protection of illness",
        ),
        // Personal data and households.
        (
            "addresses that the plan accepts",
            with_personal(false, Audience::Public),
            Amber,
            "contact may be published",
        ),
        (
            "free text that the plan accepts",
            with_personal(true, Audience::Researchers),
            Amber,
            "Read all of contact",
        ),
        ("free text for the public", with_personal(true, Audience::Public), Red, "leave contact out"),
        ("two numbers among 900 values", noticed(), Amber, "Look at these values of notes"),
        ("households that hide each other", with_households(|_| ()), Green, "Simulate"),
        (
            "households that stand out",
            with_households(|found| found.households_below = 7),
            Amber,
            "one person of each",
        ),
        ("groups of one family", with_households(|found| found.groups_below = 2), Amber, "unit = "),
        (
            "groups of few families, though k counts households",
            with_households(|found| (found.groups_below, found.k_of_households) = (2, Some(5))),
            Amber,
            "Raise k to 12: k counts households, and is 5.",
        ),
        (
            "households that nobody looked at",
            with_households(|found| found.measured = false),
            Amber,
            "algorithm that makes groups",
        ),
        // Simulated attacks.
        (
            "membership is guessed right in 88.8 %",
            attacked(attack(Learns::Presence, 0.888, 0.5)),
            Amber,
            "a secret by itself",
        ),
        ("a coin does nearly as well", attacked(attack(Learns::Presence, 0.55, 0.5)), Green, "Publish"),
        ("nobody is unique, but pairs share a code", in_small_groups(1_000), Amber, "make every such column"),
        ("hardly anybody is in a small group", in_small_groups(5), Green, "Simulate"),
        (
            "a group makes a rare value nearly certain",
            with_telling_group(),
            Amber,
            "more protection of illness",
        ),
        ("a value is learnt", attacked(attack(Learns::Value, 0.6, 0.2)), Amber, "more protection"),
        ("a value is certain for a few", attacked(certain), Amber, "more protection"),
        ("a third is singled out", attacked(singled_out(0.3, 0.35)), Red, "larger groups"),
        ("nobody is, but the estimate is unsure", attacked(singled_out(0.02, 0.2)), Amber, "larger groups"),
        ("nobody is, and that is sure", attacked(singled_out(0.0, 0.01)), Green, "Publish"),
        (
            "an attack that was not run says nothing",
            attacked(AttackResult { run: false, ..attack(Learns::Row, 1.0, 0.0) }),
            Green,
            "Simulate",
        ),
        // The run's own warnings.
        (
            "a warning",
            warned(Severity::Warning),
            Amber,
            "Decide whether you can accept this warning: Something was noticed.",
        ),
        ("a note", warned(Severity::Note), Green, "Simulate"),
        ("an experimental algorithm", experimental("experimental"), Amber, "recommended algorithm"),
        ("a classic algorithm", experimental("classic"), Green, "Simulate"),
        (
            "nothing but stars",
            without(|report| (report.release.classes, report.release.suppressed) = (0, 1_000)),
            Amber,
            "fewer quasi-identifiers",
        ),
        (
            "one group of all rows",
            without(|report| report.release.classes = 1),
            Amber,
            "a weaker requirement",
        ),
        ("all detail is gone", with_loss(1.0), Amber, "a weaker requirement"),
        ("nearly all detail is gone", with_loss(0.9995), Amber, "a weaker requirement"),
        ("most detail is gone", with_loss(0.9), Green, "Simulate"),
    ];
    for (what, report, colour, step) in cases {
        let verdict = Verdict::of_release(&report);
        assert_eq!(verdict.colour, colour, "{what}: {verdict:?}");
        assert!(verdict.steps.iter().any(|found| found.todo.contains(step)), "{what}: {verdict:?}");
        assert!((1..=3).contains(&verdict.steps.len()), "{what}: {verdict:?}");
        assert_eq!(verdict.points.is_empty(), colour == Green, "{what}");
        let publishes = verdict.steps.iter().any(|found| found.todo.contains("ublish the release"));
        assert!(colour != Red || !publishes, "{what}: {verdict:?}");
    }
}

#[test]
fn more_evidence_never_makes_a_verdict_better() {
    let rank = |report: &Report| match Verdict::of_release(report).colour {
        Colour::Green => 0,
        Colour::Amber => 1,
        Colour::Red => 2,
    };
    let mut report = k_of_5(Audience::Public);
    let mut before = rank(&report);
    let steps: [fn(&mut Report); 5] = [
        |report| report.attacks.push(attack(Learns::Value, 0.1, 0.1)),
        |report| report.warnings.push(Warning::from("one".to_owned())),
        |report| report.kept = with_exact(10, 10).kept,
        |report| report.kept = with_exact(900, 950).kept,
        |report| report.attacks.push(singled_out(0.9, 1.0)),
    ];
    for step in steps {
        step(&mut report);
        let after = rank(&report);
        assert!(after >= before);
        before = after;
    }
    assert_eq!(before, 2);
}

#[test]
fn stops_come_before_decisions_and_three_steps_are_shown() {
    let mut report = with_exact(1_000, 1_000);
    report.models[0].holds = false;
    report.warnings = ["a", "b", "c"].map(|text| Warning::from(text.to_owned())).to_vec();
    let verdict = Verdict::of_release(&report);
    assert_eq!((verdict.points.len(), verdict.steps.len()), (5, 3));
    assert!(verdict.steps[0].todo.starts_with("Do not publish this file. Allow"));
    assert!(verdict.steps[1].todo.starts_with("Do not publish this file: round"));
    assert_eq!(verdict.heading, "Not ready to publish");
    report.models[0].holds = true;
    report.kept = None;
    assert_eq!(Verdict::of_release(&report).heading, "Checked, with 3\u{a0}points to decide");
}

#[test]
fn attacks_alone_are_judged_by_the_same_rules() {
    let all = |attack: AttackResult| Verdict::of_attacks(&[attack], None, Audience::Public).colour;
    assert_eq!(all(attack(Learns::Value, 0.2, 0.15)), Colour::Green);
    assert_eq!(all(attack(Learns::Presence, 0.888, 0.5)), Colour::Amber);
    assert_eq!(all(singled_out(0.3, 0.35)), Colour::Red);
    assert_eq!(Verdict::of_attacks(&[], None, Audience::Public).colour, Colour::Amber);
    let severe = [attack(Learns::Value, 0.3, 0.2), singled_out(0.9, 1.0), attack(Learns::Presence, 0.9, 0.5)];
    let order: Vec<Learns> = super::by_severity(&severe).iter().map(|found| found.learns).collect();
    assert_eq!(order, [Learns::Row, Learns::Presence, Learns::Value]);
}

#[test]
fn a_table_at_risk_is_never_green() {
    use crate::risk::Assessment;
    let table = |rows_above| {
        let risk = RiskFigures { rows: 10, rows_above, threshold: 0.2, ..risk(0.5) };
        let found = Assessment {
            prosecutor: risk.clone(),
            journalist: Journalist { upper_bound: true, risk },
            ..Assessment::default()
        };
        Verdict::of_table(&found).colour
    };
    assert_eq!((table(0), table(1)), (Colour::Green, Colour::Amber));
}
