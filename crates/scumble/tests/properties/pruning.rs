//! Pruning honesty: on random tables no counterexample is found to what the models declare (models.md 0.5 and 1.19), between any two
//! combinations of levels of which one is coarser, nor to what searches conclude from it under a suppression budget.

use proptest::prelude::*;
use scumble::config::{Parameters, Rational, StarPolicy, Value};
use scumble::models::{Model, ModelContext, Verdict};
use scumble::problem::Problem;
use scumble::recoding::Step;
use scumble::recoding::published::Classes;
use scumble::registry::MODELS;
use scumble::search::lattice::{Checker, Lattice, Pruning};

use super::common::demand::{Demand, numeric_variants, variants};
use super::common::run::Ask;
use super::common::search::{prepared, problem};
use super::common::seeded;
use super::common::table::{Table, all_kinds, tables_of};

/// Every requirement that classes or the whole table decide.
#[derive(Debug, Clone, Copy)]
enum Asked {
    Class(Demand),
    /// A mean risk of at most this many hundredths.
    Mean(u64),
    /// At most this many hundredths of the records at a risk above the other.
    AtRisk(u64, u64),
}

fn all_asked() -> Vec<Asked> {
    let demands =
        variants("ill").into_iter().chain(numeric_variants("cost")).flat_map(|(_, demands)| demands);
    let of_table = [Asked::Mean(60), Asked::Mean(30), Asked::AtRisk(50, 10), Asked::AtRisk(30, 40)];
    demands.map(Asked::Class).chain(of_table).collect()
}

fn build(asked: Asked, problem: &Problem) -> Option<Box<dyn Model>> {
    let hundredths = |number: u64| Value::Text(format!("{number}/100"));
    let (name, parameters, columns): (&str, Parameters, Vec<String>) = match asked {
        Asked::Class(demand) => {
            let spec = demand.spec();
            (demand.model(), spec.parameters, spec.columns)
        }
        Asked::Mean(average) => {
            ("average_risk", [("average".to_owned(), hundredths(average))].into_iter().collect(), Vec::new())
        }
        Asked::AtRisk(highest, share) => {
            let pairs =
                [("highest".to_owned(), hundredths(highest)), ("at_risk".to_owned(), hundredths(share))];
            ("average_risk", pairs.into_iter().collect(), Vec::new())
        }
    };
    let context = ModelContext { table: &problem.table, trees: &|_| None, columns: &columns, sensitive: &[] };
    let mut built =
        scumble::models::build(MODELS.find(name).expect("registered"), &parameters, &context).ok()?;
    let part = match asked {
        Asked::Class(demand) => demand.parts().iter().position(|part| *part == demand)?,
        _ => 0,
    };
    Some(built.remove(part))
}

/// A table, all of whose rows remain, and its lattice.
fn searched(table: &Table) -> (Problem, Lattice) {
    let ask = Ask::new("optimal", &[Demand::K(1), Demand::Distinct("ill", 1), Demand::Distinct("cost", 1)]);
    let complete = table.reordered(&table.surviving(Some("label")));
    let plan = ask.plan(&complete);
    let problem = problem(prepared(&complete, &ask), &ask, &plan);
    let lattice = Lattice::new(&problem, "optimal").expect("trees");
    (problem, lattice)
}

fn classes_at(problem: &Problem, lattice: &Lattice, node: usize) -> Classes {
    let assignment = Step::Levels(lattice.levels(node)).apply(&problem.table, &problem.quasi);
    Classes::as_they_are(assignment, &problem.table, &problem.quasi, StarPolicy::Drop)
}

proptest! {
    #![proptest_config(seeded(41, 40))]

    #[test]
    fn no_model_declares_too_much(table in tables_of(all_kinds(true), true), dice in prop::collection::vec(any::<bool>(), 64)) {
        let (problem, lattice) = searched(&table);
        prop_assume!(lattice.nodes() <= 150);
        let payloads = problem.table.payloads();
        let published: Vec<Classes> =
            (0..lattice.nodes()).map(|node| classes_at(&problem, &lattice, node)).collect();
        for (number, asked) in all_asked().into_iter().enumerate() {
            let Some(model) = build(asked, &problem) else { continue };
            let declared = model.monotonicity();
            let judge = |classes: Classes| model.judge(&classes, payloads);
            let verdicts: Vec<Verdict> = published.iter().map(|published| model.judge(published, payloads)).collect();
            for (coarse, over) in verdicts.iter().enumerate() {
                for (fine, under) in verdicts.iter().enumerate().filter(|(fine, _)| lattice.below(*fine, coarse)) {
                    let at = || (lattice.levels(fine), lattice.levels(coarse));
                    prop_assert!(!declared.merging || !under.holds || over.holds, "{:?} is lost by merging, {:?}", asked, at());
                    prop_assert!(!declared.upward || over.failing_rows <= under.failing_rows, "{:?}: more rows fail, {:?}", asked, at());
                }
                // Some nodes for each model, others for others.
                if declared.dropping && over.holds && (coarse + number) % 5 == 0 {
                    let mut fewer = classes_at(&problem, &lattice, coarse);
                    let suppressed = (0..fewer.len()).map(|class| dice[(class + coarse) % 64]).collect();
                    fewer.suppress(suppressed, payloads.len());
                    prop_assert!(judge(fewer).holds, "{:?} is lost by dropping classes at {:?}", asked, lattice.levels(coarse));
                }
            }
        }
    }

    /// What a test of a node says about finer ones, and what may be concluded from it, holds under any budget and policy.
    #[test]
    fn no_search_concludes_too_much(
        table in tables_of(all_kinds(true), true),
        places in prop::collection::vec(any::<prop::sample::Index>(), 1..3),
        hundredths in prop::sample::select(vec![0, 0, 10, 40, 80]),
        policy in prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]),
    ) {
        let (mut problem, lattice) = searched(&table);
        prop_assume!(lattice.nodes() <= 150);
        let all = all_asked();
        let models: Vec<Box<dyn Model>> =
            places.iter().filter_map(|place| build(all[place.index(all.len())], &problem)).collect();
        problem.models = models;
        problem.suppression = Rational::new(hundredths, 100).expect("not over zero");
        problem.star_policy = policy;
        // Models of the whole table, and of some columns, are not for this search.
        prop_assume!(problem.tests().is_ok());
        let mut checker = Checker::new(&problem, &lattice).expect("decided by classes");
        let limit = checker.limit();
        let mut seen = Vec::new();
        for node in 0..lattice.nodes() {
            seen.push((checker.visit(node).expect("no budget"), checker.all_failing(node).expect("no budget")));
        }
        let pruning = Pruning::of(&problem);
        for (coarse, (over, _)) in seen.iter().enumerate() {
            for fine in (0..lattice.nodes()).filter(|fine| *fine != coarse && lattice.below(*fine, coarse)) {
                let (under, failing) = &seen[fine];
                let at = || (lattice.levels(fine), lattice.levels(coarse));
                prop_assert!(over.finer <= *failing, "{} rows fail at {:?}, not {}", failing, at(), over.finer);
                if let Some(outcome) = under.outcome {
                    prop_assert!(over.finer <= outcome.suppressed, "{:?}", at());
                }
                if pruning != Pruning::Nothing && over.failing > limit {
                    prop_assert!(*failing > limit, "{:?} was concluded from {:?}", pruning, at());
                }
            }
        }
    }
}

/// Every model is among those for which counterexamples are searched; those that compare with a population are in
/// tests/population.rs, those that need further columns in tests/persons.rs.
#[test]
fn every_model_is_searched_for_counterexamples() {
    let name = |asked: &Asked| match asked {
        Asked::Class(demand) => demand.model(),
        _ => "average_risk",
    };
    let elsewhere = ["k_map", "delta_presence", "personalised", "multirelational"];
    let searched: Vec<&str> = all_asked().iter().map(name).chain(elsewhere).collect();
    for model in &MODELS {
        assert!(searched.contains(&model.name), "{} is not searched for counterexamples", model.name);
    }
}

/// What average risk does not declare has a counterexample: classes of 1 and 9 rows have a mean risk of 0.2, the first alone 1.
#[test]
fn average_risk_is_lost_by_dropping() {
    use super::common::grid::Grid;
    let grid = Grid::new(&[vec!["flu"], vec!["flu"; 9]]);
    let context = ModelContext { table: &grid.table, trees: &|_| None, columns: &[], sensitive: &[] };
    let parameters: Parameters = [("average".to_owned(), Value::Text("0.2".into()))].into_iter().collect();
    let model = (MODELS.find("average_risk").expect("registered").build)(&parameters, &context)
        .expect("a threshold")
        .remove(0);
    let holds = |suppressed: &[bool]| {
        model.judge(&grid.published(suppressed, StarPolicy::Drop), grid.table.payloads()).holds
    };
    assert!(holds(&[false, false]) && !holds(&[false, true]) && !model.monotonicity().dropping);
}
