//! Every algorithm with every model on random tables: what is released keeps what was asked for, by a naive check of the
//! released strings and by the independent verifier; what is not released could not be.

mod common;

use common::column::{Content, JOBS, Kind, MISSING, Shape, is_missing};
use common::demand::{Demand, Ground, numeric_variants, variants};
use common::naive::{Strings, check, is_star, limit, whole_holds};
use common::run::{Ask, Written, release};
use common::seeded;
use common::table::{Table, all_kinds, kinds_for, tables_of};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use scumble::ErrorKind;
use scumble::config::{Column, MissingPolicy, Parameters, Plan, Role, Roles, StarPolicy};
use scumble::problem::Progress;
use scumble::registry::{ALGORITHMS, MODELS};
use scumble::release::{RunOptions, anonymize};
use scumble_files::{ReadOptions, Source, read_table};
use scumble_verify::{
    Claim, Cover, Drops, ModelClaim, Nodes, Reference, ReferenceColumn, SensitiveColumn, StarRows, Truth,
    ValueKind,
};

/// The algorithms that cut and never suppress.
const MONDRIANS: [&str; 3] = ["mondrian", "infogain_mondrian", "single_dimensional_mondrian"];

/// Tables for each algorithm, model variant and star policy.
const TABLES: u32 = 8;

/// Algorithms that put every row into some cluster.
const CLUSTERINGS: [&str; 5] = ["dbca", "dbca_cm", "k_member", "mdav", "oka"];

/// The requirements that are tried: each variant alone, and several at once.
fn demand_sets() -> Vec<(&'static str, Vec<Vec<Demand>>)> {
    let mut sets: Vec<(&str, Vec<Vec<Demand>>)> = variants("ill")
        .into_iter()
        .chain(numeric_variants("cost"))
        .map(|(name, demands)| (name, demands.into_iter().map(|demand| vec![demand]).collect()))
        .collect();
    let several = vec![
        vec![Demand::K(2), Demand::Distinct("ill", 2), Demand::Close("cost", (1, 2), Ground::Ordered)],
        vec![Demand::K(3), Demand::Frequency("ill", (131, 100)), Demand::Entropy("cost", (3, 2))],
        vec![Demand::Distinct("label", 2), Demand::Close("label", (1, 3), Ground::Equal), Demand::K(2)],
        vec![Demand::Recursive("ill", (3, 1), 2), Demand::Close("ill", (2, 5), Ground::Hierarchical)],
        vec![Demand::Close("label", (1, 4), Ground::Ordered), Demand::K(1)],
        vec![Demand::Range("cost", (50, 1)), Demand::Growth("ill", (5, 1), false), Demand::K(2)],
        vec![Demand::Shares("label", Some((3, 4)), &[]), Demand::Several("ill", 2, true)],
    ];
    sets.push(("several at once", several));
    sets
}

#[derive(Debug, Clone)]
struct Case {
    table: Table,
    ask: Ask,
}

fn cases(
    algorithm: &'static str,
    demands: Vec<Vec<Demand>>,
    policy: StarPolicy,
) -> impl Strategy<Value = Case> {
    let trees = algorithm_needs_trees(algorithm);
    let limits =
        [None, None, None, Some("0"), Some("0.05"), Some("0.29"), Some("0.57"), Some("1"), Some("1")];
    let parameters: Vec<Vec<(&str, &str)>> = match algorithm {
        "iack" => vec![vec![], vec![("leftover", "generalize")], vec![("polish", "true")]],
        "genetic" => vec![vec![], vec![("mutation", "0.1")]],
        "mondrian" => vec![
            vec![],
            vec![("cut", "literal")],
            vec![("small_children", "refuse")],
            vec![("mode", "relaxed")],
            vec![("mode", "relaxed"), ("cut", "literal")],
        ],
        "seqa" => vec![vec![], vec![("cost", "entropy")], vec![("start", "random")]],
        "optimal" => vec![vec![], vec![("polish", "true")]],
        "infogain_mondrian" => {
            vec![vec![], vec![("min_gain", "0.01")], vec![("small_children", "refuse")]]
        }
        "iacc" => vec![
            vec![],
            vec![("delta_d", "0"), ("delta_c", "0")],
            vec![("delta_d", "1000"), ("delta_c", "1000")],
            vec![("delta_d", "0.5"), ("delta_c", "0.5"), ("limits", "fraction")],
        ],
        "pais" => vec![vec![], vec![("score", "discernibility")]],
        "mu_argus" => {
            vec![vec![], vec![("combination", "2"), ("threshold", "1")], vec![("threshold", "0.5")]]
        }
        "local_suppression" => vec![vec![], vec![], vec![("importance", "[q0]")]],
        "kactus" => vec![vec![], vec![("prune", "true")], vec![("min_objects", "1")]],
        "dbca" => vec![
            vec![],
            vec![("weights", "height"), ("beta", "2")],
            vec![("all_centres", "true")],
            vec![("dynamic", "true"), ("exclude_self", "true")],
        ],
        "dbca_cm" => vec![vec![], vec![("lambda", "infinity")], vec![("allow_homogeneous", "true")]],
        "k_member" => vec![vec![], vec![("class_weight", "1")]],
        _ => vec![vec![]],
    };
    // They go by what values reveal about the class label.
    let needs_class = trees || ["tdr", "infogain_mondrian", "kactus"].contains(&algorithm);
    (
        // Missing values have no mean.
        tables_of(kinds_for(algorithm, all_kinds(trees)), algorithm != "mdav"),
        prop::sample::select(demands),
        prop::sample::select(limits.to_vec()),
        prop::sample::select(parameters),
        any::<[bool; 6]>(),
    )
        .prop_map(
            move |(
                table,
                demands,
                suppression,
                parameters,
                [keep_order, serial, class, flatten, one, other],
            )| {
                // Texts are ordered by their spellings.
                let by_order =
                    demands.iter().any(|demand| matches!(demand, Demand::Close("ill", _, Ground::Ordered)));
                let ask = Ask {
                    policy,
                    suppression,
                    class: (needs_class
                        || class
                        || parameters.iter().any(|(name, _)| *name == "class_weight")
                        || demands.iter().any(|demand| demand.column() == Some("label")))
                    .then_some("label"),
                    keep_order,
                    serial,
                    flatten,
                    respell: one && other && !by_order,
                    parameters,
                    ..Ask::new(algorithm, &demands)
                };
                Case { table, ask }
            },
        )
}

fn algorithm_needs_trees(name: &str) -> bool {
    let entry = ALGORITHMS.iter().find(|entry| entry.name == name).expect("a registered algorithm");
    (entry.build)(&Parameters::default()).expect("defaults are fine").capabilities().needs_trees
}

/// Runs every algorithm with every set of requirements under one star policy.
fn conform(policy: StarPolicy) {
    for (place, algorithm) in ALGORITHMS.iter().enumerate() {
        for (number, (name, demands)) in demand_sets().into_iter().enumerate() {
            let one_set = demands.first().cloned().unwrap_or_default();
            let strategy = cases(algorithm.name, demands, policy);
            let refused = may_refuse(&Ask::new(algorithm.name, &one_set));
            let releases = std::cell::Cell::new(0);
            // Some combinations are rarely feasible: further rounds until some tables were released.
            for round in 0..10 {
                let seed = 1000 * place as u64 + 10 * number as u64 + round;
                let outcome = TestRunner::new(seeded(seed, TABLES)).run(&strategy, |case| {
                    releases.set(releases.get() + usize::from(conforms(&case)));
                    Ok::<_, TestCaseError>(())
                });
                outcome.unwrap_or_else(|error| panic!("{} with {name}, {policy:?}: {error}", algorithm.name));
                if releases.get() >= 4 || refused {
                    break;
                }
            }
            assert!(
                releases.get() > 0 || refused,
                "{} with {name}, {policy:?}: nothing was ever released",
                algorithm.name
            );
        }
    }
}

#[test]
fn every_algorithm_keeps_every_model_under_the_strict_policy() {
    conform(StarPolicy::Strict);
}

#[test]
fn every_algorithm_keeps_every_model_under_the_paper_policy() {
    conform(StarPolicy::Paper);
}

#[test]
fn every_algorithm_keeps_every_model_under_the_drop_policy() {
    conform(StarPolicy::Drop);
}

#[test]
fn every_model_of_the_registry_is_tried() {
    let tried: Vec<&str> =
        demand_sets().iter().flat_map(|(_, sets)| sets.concat()).map(Demand::model).collect();
    // Those that compare with a population are tried in tests/population.rs, those about whole tables in tests/risk.rs, those that
    // need further columns in tests/persons.rs.
    let elsewhere = ["k_map", "delta_presence", "average_risk", "personalised", "multirelational"];
    for model in MODELS.iter().filter(|model| !elsewhere.contains(&model.name)) {
        assert!(tried.contains(&model.name), "{} is in no set of requirements: add its variants", model.name);
    }
}

/// Whether a release came out; panics if it, or the refusal, is not in order.
fn conforms(case: &Case) -> bool {
    let Case { table, ask } = case;
    let surviving = table.surviving(ask.class);
    let fits = |demand: &Demand| demand.fits(&table.values(demand.column().unwrap_or("ill"), &surviving));
    if !ask.demands.iter().all(fits) {
        assert!(
            matches!(release(table, ask), Err(error) if error.kind() == ErrorKind::Config),
            "a value is named that no row has"
        );
        return false;
    }
    match release(table, ask) {
        Ok(written) => {
            assert!(whole_holds(table, ask) || ask.policy == StarPolicy::Paper, "released what cannot be");
            check(table, ask, &written);
            check_domains(table, ask, &written);
            check_limits(table, ask, &written);
            verifier_agrees(table, ask, &written);
            true
        }
        Err(error) if error.is(&[ErrorKind::Infeasible, ErrorKind::OutOfBudget]) => {
            let message = error.to_string();
            assert!(justified(table, ask, &message), "infeasible without need: {message}");
            false
        }
        Err(error) if error.kind() == ErrorKind::Refused => {
            let message = error.to_string();
            // Entropies of sets are not defined there.
            let shows_sets =
                table.kinds.iter().any(|kind| matches!(kind.shape, Shape::Sets | Shape::FileSets));
            let sets = ask.algorithm == "seqa" && shows_sets && message.contains("shows sets");
            assert!(may_refuse(ask) || sets, "refused without need: {message}");
            false
        }
        Err(other) => panic!("neither released nor infeasible: {other:?}"),
    }
}

/// Searches that conclude from one recoding to coarser ones do not support models of shares while rows may be
/// suppressed (models.md 0.5).
fn may_refuse(ask: &Ask) -> bool {
    // Models that check some of the columns are for searches that support them; the others refuse them.
    let serves = (ALGORITHMS.find(ask.algorithm).expect("an algorithm").build)(&Parameters::default())
        .expect("it can be built")
        .capabilities()
        .serves_projections;
    if !serves && ask.demands.iter().any(|demand| demand.known().is_some()) {
        return true;
    }
    let upward = |demand: &Demand| {
        matches!(
            demand,
            Demand::K(_)
                | Demand::Distinct(..)
                | Demand::Known(..)
                | Demand::Threshold(..)
                | Demand::Values(..)
                | Demand::Range(..)
                | Demand::Several(..)
                | Demand::Different(..)
                | Demand::Weight(..)
        )
    };
    // kACTUS makes classes of uniform labels.
    let diverse_label = |demand: &Demand| demand.model() == "l_diversity" && demand.column() == Some("label");
    if ask.algorithm == "kactus" && ask.demands.iter().any(diverse_label) {
        return true;
    }
    // Clusters of one label are refused where the label is to be protected.
    if ask.algorithm == "dbca_cm" && !ask.parameters.contains(&("allow_homogeneous", "true")) {
        return ask.sensitive().contains(&"label");
    }
    ["samarati", "incognito", "ola", "flash"].contains(&ask.algorithm) && !ask.demands.iter().all(upward)
}

/// Searches that go from value to value of the hierarchies; the roots are always a release.
const GREEDY: [&str; 4] = ["tds", "tdr", "pais", "bottom_up"];

/// Where one domain for each column was asked for, no number and no member of a set is in two released values of a column.
fn check_domains(table: &Table, ask: &Ask, written: &Written) {
    if !ask.flatten {
        return;
    }
    let strings = Strings::parse(&written.text);
    for (kind, name) in table.kinds.iter().zip(table.quasi()) {
        let mut shown: Vec<&str> = (0..strings.rows.len())
            .filter(|row| {
                !is_star(&table.quasi().iter().map(|name| strings.cell(*row, name)).collect::<Vec<_>>())
            })
            .map(|row| strings.cell(row, &name))
            .collect();
        shown.sort_unstable();
        shown.dedup();
        for original in table.column(&name) {
            // Where released values stand for nodes or periods, an original is below several names of the same node.
            let sets_or_ranges =
                matches!(kind.shape, Shape::Nothing | Shape::Tight | Shape::Bounded | Shape::Sets)
                    && !algorithm_needs_trees(ask.algorithm);
            let covering = shown.iter().filter(|shown| kind.covers(original, shown)).count();
            assert!(!sets_or_ranges || covering <= 1, "{name} has no common domain: {shown:?}");
        }
    }
}

/// The share that was suppressed, and the damage that IACc was allowed.
fn check_limits(table: &Table, ask: &Ask, written: &Written) {
    let summary = &written.summary;
    if ["cluster", "seqa"].contains(&ask.algorithm) {
        // They suppress nothing either, but rows that have nothing in common may make a class that shows only roots.
        return;
    }
    if MONDRIANS.contains(&ask.algorithm) {
        // They suppress nothing. A table of which no cut is allowed may show only roots, in every row; and rows without a
        // value may keep a few others company in a class that shows nothing. So may children that are too small alone.
        let lacks = |name: &String| table.column(name).iter().any(|cell| is_missing(cell));
        let nothing_lacks = !table.quasi().iter().any(lacks);
        let no_small = ask.algorithm == "single_dimensional_mondrian"
            || ask.parameters.contains(&("small_children", "refuse"));
        if no_small && nothing_lacks {
            assert!(summary.suppressed == 0 || summary.suppressed == summary.rows);
        }
        // What shows nothing is a class like any other, also where the policy would leave it unchecked.
        let strings = Strings::parse(&written.text);
        let surviving = table.surviving(ask.class);
        for (_, rows) in strings.classes(&table.quasi()).into_iter().filter(|(shown, _)| is_star(shown)) {
            for demand in &ask.demands {
                let column = demand.column().unwrap_or("ill");
                let class: Vec<&str> = rows.iter().map(|row| strings.cell(*row, column)).collect();
                assert!(demand.holds(&class, &table.values(column, &surviving)), "{demand:?}");
            }
        }
        return;
    }
    if ["tdr", "pais"].contains(&ask.algorithm) {
        // They suppress nothing; rows of which no value is disclosed show as little as suppressed ones.
        return;
    }
    if summary.suppressed == summary.rows && GREEDY.contains(&ask.algorithm) {
        // Every column may stay at its root, in every row; that is no suppression.
        return;
    }
    if ask.algorithm == "tds" {
        assert_eq!(summary.suppressed, 0, "it suppresses nothing");
    }
    if CLUSTERINGS.contains(&ask.algorithm) {
        // They suppress nothing; but rows that have no value in common can be in a cluster that shows only roots.
        return;
    }
    if let Some(share) = ask.suppression {
        let limit = limit(share, summary.rows);
        assert!(summary.suppressed <= limit, "{} rows suppressed, {limit} allowed", summary.suppressed);
    }
    let parameter = |name: &str| ask.parameters.iter().find(|(of, _)| *of == name).map(|(_, value)| *value);
    if ask.algorithm == "iacc" && parameter("limits").is_none() {
        for (metric, limit) in [("kl_divergence", "delta_d"), ("mutual_information_change", "delta_c")] {
            let limit: f64 = parameter(limit).unwrap_or("0.1").parse().expect("a number");
            let damage = summary.metrics[metric].as_f64().expect("finite damage");
            assert!(damage <= limit + 1e-9, "{metric} is {damage}, {limit} allowed");
        }
    }
}

/// Whether nothing could be released, as far as that can be known without repeating the search.
fn justified(table: &Table, ask: &Ask, message: &str) -> bool {
    if !whole_holds(table, ask) {
        return true;
    }
    if message.contains("flatten leaves nothing") {
        // Some value of every column overlaps with all others; without a common domain there is a release.
        let without = Ask { flatten: false, ..ask.clone() };
        return ask.flatten
            && match release(table, &without) {
                Ok(_) => true,
                // There is none either where rows that show nothing are left out, and no other row was there before.
                Err(error) if error.kind() == ErrorKind::Infeasible => {
                    justified(table, &without, &error.to_string())
                }
                Err(_) => false,
            };
    }
    if ask.policy == StarPolicy::Drop && message.contains("left out, so there is nothing to release") {
        // Rows that show nothing go with the suppressed ones; where those may stay, nothing else is to be seen.
        // What polishing would show again had to be suppressed all the same.
        let parameters = ask.parameters.iter().filter(|(name, _)| *name != "polish").copied().collect();
        // Where levels are searched, the exact search finds something if there is anything to find.
        let by_levels = ["samarati", "incognito", "ola", "flash", "mingen"].contains(&ask.algorithm)
            && ask.suppression.is_some()
            && !ask.flatten;
        return shows_nothing_else(table, &Ask { parameters, ..ask.clone() })
            && (!by_levels || release(table, &Ask { algorithm: "optimal", ..ask.clone() }).is_err());
    }
    if MONDRIANS.contains(&ask.algorithm)
        || GREEDY.contains(&ask.algorithm)
        || CLUSTERINGS.contains(&ask.algorithm)
    {
        // The whole table is one class that keeps everything, so there is always a release.
        return false;
    }
    if message.contains("delta_d") {
        return ask.algorithm == "iacc";
    }
    if message.contains("--steps") {
        // Stopped before it found anything, and says so.
        return ask.algorithm == "k_optimize";
    }
    let entry = scumble::registry::ALGORITHMS.find(ask.algorithm).expect("registered");
    let algorithm = (entry.build)(&scumble::config::Parameters::default()).expect("it has defaults");
    let default = algorithm.capabilities().default_suppression.to_string();
    let limit_of = |rows| limit(ask.suppression.unwrap_or(&default), rows);
    // What polishing shows again, or a common domain hides, had to be suppressed all the same.
    let parameters = ask.parameters.iter().filter(|(name, _)| *name != "polish").copied().collect();
    let bare = Ask { suppression: Some("1"), parameters, flatten: false, ..ask.clone() };
    match release(table, &bare) {
        // More rows must be suppressed than are allowed.
        Ok(written) => written.summary.suppressed > limit_of(written.summary.rows),
        Err(error) if error.kind() == ErrorKind::Infeasible && error.to_string().contains("delta_d") => {
            ask.algorithm == "iacc"
        }
        // Nothing would be left: every row is suppressed where suppressed rows may stay.
        Err(error) if error.kind() == ErrorKind::Infeasible && ask.policy == StarPolicy::Drop => {
            shows_nothing_else(table, &bare)
        }
        // What may be suppressed is refused; the exact search then says whether there is anything to find.
        Err(error) if error.kind() == ErrorKind::Refused && may_refuse(ask) => {
            release(table, &Ask { algorithm: "optimal", ..ask.clone() }).is_err()
        }
        Err(error) => panic!("the suppression limit alone was in the way, and now: {error}"),
    }
}

/// Whether nothing is to be seen where suppressed rows stay.
fn shows_nothing_else(table: &Table, ask: &Ask) -> bool {
    match release(table, &Ask { policy: StarPolicy::Paper, ..ask.clone() }) {
        Ok(written) => all_star(table, &written),
        // To suppress all of them damages too much.
        Err(error) if error.kind() == ErrorKind::Infeasible => {
            ask.algorithm == "iacc" && error.to_string().contains("delta_d")
        }
        Err(_) => false,
    }
}

fn all_star(table: &Table, written: &Written) -> bool {
    Strings::parse(&written.text).classes(&table.quasi()).keys().all(|shown| is_star(shown))
}

/// The independent verifier on the release as it was written, with claims that this test wrote itself.
fn verifier_agrees(table: &Table, ask: &Ask, written: &Written) {
    let surviving = table.surviving(ask.class);
    let read = |text: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("table.csv");
        std::fs::write(&path, text).expect("the folder takes files");
        let options = ReadOptions { header: Some(true), delimiter: Some(b','), ..ReadOptions::default() };
        read_table(&Source::open(&path).expect("a file"), &options).expect("a table").coded
    };
    let coded = read(&written.text);
    let quasi = table.quasi();
    let models = ask.demands.iter().map(|demand| {
        // A missing value is no value, so it has no place in an order either.
        let mut original = table.values(demand.column().unwrap_or("ill"), &surviving);
        original.retain(|value| !is_missing(value));
        ModelClaim::from_json(&demand.claim(&original)).expect("a model")
    });
    let star = if ask.policy == StarPolicy::Paper { StarRows::Unjudged } else { StarRows::Judged };
    let values = ask.sensitive().into_iter().map(|name| SensitiveColumn {
        kind: if name == "cost" { ValueKind::Number { comma: false } } else { ValueKind::Text },
        missing: MISSING.map(str::to_owned).to_vec(),
        ..SensitiveColumn::texts(name)
    });
    let claim = Claim { quasi: quasi.clone(), models: models.collect(), star, values: values.collect() };
    let reference = Reference {
        columns: ask
            .sensitive()
            .into_iter()
            .map(|name| {
                let mut counts = std::collections::BTreeMap::<&str, u64>::new();
                table
                    .values(name, &surviving)
                    .into_iter()
                    .for_each(|value| *counts.entry(value).or_default() += 1);
                let counts = counts.into_iter().map(|(value, rows)| (value.to_owned(), rows)).collect();
                ReferenceColumn { name: name.to_owned(), counts, order: None, tree: None }
            })
            .collect(),
    };
    let outcome =
        scumble_verify::check_models(&coded, &claim, Some(&reference)).expect("a claim that can be read");
    assert!(outcome.holds, "the verifier does not accept: {outcome:?}");

    // Truth without the row map: an assignment of released to original rows must exist.
    let covers: Option<Vec<Cover>> = table.kinds.iter().map(|kind| cover(*kind, ask.algorithm)).collect();
    if let Some(covers) = covers {
        let mut original = String::new();
        let published = ask.published(table);
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        original += &(published.join(",") + "\n");
        for row in &surviving {
            let cells = published.iter().map(|name| quoted(&table.column(name)[*row]));
            original += &(cells.collect::<Vec<_>>().join(",") + "\n");
        }
        let truth = |name: &&str| match quasi.iter().position(|of| of == name) {
            Some(place) if ask.algorithm == "mdav" => {
                let comma = table.kinds[place].content == Content::Comma;
                ((*name).to_owned(), Truth::Aggregate { comma })
            }
            Some(place) => ((*name).to_owned(), Truth::Covers(covers[place].clone())),
            None => match claim.values.iter().find(|values| values.name == **name) {
                Some(values) => ((*name).to_owned(), Truth::Same(values.clone())),
                None => ((*name).to_owned(), Truth::Exact),
            },
        };
        let truths: Vec<(String, Truth)> = published.iter().map(truth).collect();
        let drops = if ask.policy == StarPolicy::Drop { Drops::Allowed } else { Drops::Forbidden };
        let outcome = scumble_verify::check_truth(
            &coded,
            &read(&original),
            &truths,
            drops,
            &scumble_files::Control::default(),
        )
        .expect("columns that match");
        assert!(outcome.holds, "no assignment of rows is true: {outcome:?}");
        assert_eq!(outcome.unchecked.len(), if ask.algorithm == "mdav" { quasi.len() } else { 0 });
    }
}

/// How the verifier is to read a column whose tree this test knows.
fn cover(kind: Kind, algorithm: &str) -> Option<Cover> {
    let nodes = match kind.shape {
        Shape::Flat | Shape::Sets => Nodes::default(),
        // Levels that were chosen for the column are not known here.
        Shape::Nothing | Shape::Tight | Shape::Bounded if algorithm_needs_trees(algorithm) => return None,
        Shape::Nothing | Shape::Tight | Shape::Bounded => Nodes::default(),
        Shape::File | Shape::FileSets | Shape::ParentChild => {
            let leaves = JOBS.iter().map(|(leaf, _)| *leaf).chain(MISSING);
            let path = |leaf: &str| {
                let above = kind.ancestors(leaf).unwrap_or_default();
                (leaf.to_owned(), above.into_iter().map(str::to_owned).collect())
            };
            Nodes::from_paths(leaves.map(path)).expect("a tree")
        }
        _ => return None,
    };
    let kind = match kind.content {
        Content::Whole | Content::Decimal => ValueKind::Number { comma: false },
        Content::Comma => ValueKind::Number { comma: true },
        Content::Date => ValueKind::Date { format: scumble_verify::DateFormat::YearMonthDayDash },
        Content::DottedDate => ValueKind::Date { format: scumble_verify::DateFormat::DayMonthYearDot },
        _ => ValueKind::Text,
    };
    Some(Cover { kind, nodes, missing: MISSING.map(str::to_owned).to_vec() })
}

/// Means are for numbers that are all there; an error says what to do about others.
#[test]
fn means_of_what_has_none_are_refused() {
    let whole = |shape| Kind { content: Content::Whole, shape };
    let dates = Kind { content: Content::Date, shape: Shape::Nothing };
    for (kind, cells, advice) in [
        (LETTERS, ["a", "b"], "([algorithm] name = \"mondrian\", \"cluster\""),
        (whole(Shape::Flat), ["1", "2"], "leave the hierarchy out"),
        (whole(Shape::Tight), ["1", "2"], "leave the label out"),
        (dates, ["1980-01-01", "1980-02-01"], "([algorithm] name = \"mondrian\", \"cluster\""),
        (whole(Shape::Nothing), ["1", "?"], "drop-row"),
        (whole(Shape::Nothing), ["1", "123456789012345678"], "round the numbers"),
    ] {
        let ask = Ask { class: None, ..Ask::new("mdav", &[Demand::K(2)]) };
        match release(&small(kind, &cells, &["flu", "flu"]), &ask) {
            Err(error) if error.kind() == ErrorKind::Refused => {
                let message = error.to_string();
                assert!(message.contains(advice) && message.contains("'q0'"), "{message}");
            }
            other => panic!("not refused: {other:?}"),
        }
    }
    // Without the rows that lack a number there are means.
    let mut table = small(whole(Shape::Nothing), &["1", "?", "2"], &["flu"; 3]);
    table.policy = MissingPolicy::DropRow;
    let ask = Ask { class: None, ..Ask::new("mdav", &[Demand::K(2)]) };
    let written = release(&table, &ask).expect("two numbers");
    assert_eq!(Strings::parse(&written.text).cell(1, "q0"), "1.50");
    check(&table, &ask, &written);
}

/// A table with these quasi-identifiers of one kind and these sensitive values, labels all `yes`.
fn small(kind: Kind, quasi: &[&str], ill: &[&str]) -> Table {
    let rows = quasi.len();
    let cells = |value: &dyn Fn(usize) -> String| (0..rows).map(value).collect::<Vec<_>>();
    Table {
        kinds: vec![kind],
        columns: vec![
            ("name".into(), cells(&|row| format!("person-{row}-canary"))),
            ("q0".into(), cells(&|row| quasi[row].to_owned())),
            ("ill".into(), cells(&|row| ill[row].to_owned())),
            ("label".into(), cells(&|_| "yes".to_owned())),
            ("note".into(), cells(&|row| format!("note {row}"))),
            ("serial".into(), cells(&|row| row.to_string())),
        ],
        rows,
        policy: MissingPolicy::OwnValue,
    }
}

const LETTERS: Kind = Kind { content: Content::Letter, shape: Shape::Flat };

/// Rows that were left out for a missing value may have been the only ones with some sensitive value.
#[test]
fn values_of_rows_that_were_left_out_are_no_matter() {
    for ground in [Ground::Equal, Ground::Ordered, Ground::Hierarchical] {
        let demand = Demand::Close("ill", (1, 1), ground);
        let mut table = small(LETTERS, &["a", "b", "?"], &["flu", "asthma", "hiv"]);
        table.policy = MissingPolicy::DropRow;
        assert!(conforms(&Case { table, ask: Ask { class: None, ..Ask::new("mondrian", &[demand]) } }));
        // A missing class label always drops its row.
        let mut table = small(LETTERS, &["a", "b", "c"], &["flu", "asthma", "hiv"]);
        table.columns[3].1[2] = "?".into();
        assert!(conforms(&Case { table, ask: Ask::new("iack", &[demand]) }));
    }
    let mut table = small(LETTERS, &["a", "b", "c"], &["flu", "asthma", "hiv"]);
    table.columns[3].1[2] = "?".into();
    let label = Demand::Close("label", (1, 1), Ground::Ordered);
    assert!(conforms(&Case { table, ask: Ask::new("mondrian", &[label]) }));
}

/// A column may write missing values in several ways; all of them are below the root, whatever its name.
#[test]
fn every_way_to_write_a_missing_value_is_below_a_named_root() {
    let kind = Kind { content: Content::Job, shape: Shape::ParentChild };
    let table = small(kind, &["nurse", "?", "NA", ""], &["flu"; 4]);
    for algorithm in ["mondrian", "iack"] {
        assert!(conforms(&Case { table: table.clone(), ask: Ask::new(algorithm, &[Demand::K(4)]) }));
    }
}

/// A release of one column, some of whose cells are empty.
#[test]
fn a_lone_column_with_empty_cells_is_released_in_full() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("input.csv"), "q\n\"\"\na\n\"\"\na\n").expect("the folder takes files");
    let mut plan = Plan::new("input.csv", "release.csv");
    plan.report = String::new();
    plan.read.header = Some(true);
    plan.columns = vec![("q".into(), Column::new(Roles::one(Role::Quasi)))];
    plan.privacy = vec![Demand::K(2).spec()];
    let options = &mut RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    let released = anonymize(&plan, options).expect("two rows of each value");
    assert_eq!((released.summary.released, released.summary.classes), (4, 2));
    let text = std::fs::read_to_string(folder.path().join("release.csv")).expect("the release was announced");
    assert_eq!(Strings::parse(&text).rows, [[""], [""], ["a"], ["a"]]);
}

/// The naive check is worth something: whatever is changed in a good release, it notices.
#[test]
fn the_naive_check_notices_tampering() {
    let table =
        small(LETTERS, &["a", "a", "b", "b", "c", "c"], &["flu", "hiv", "flu", "hiv", "flu", "asthma"]);
    let demands = [Demand::K(2), Demand::Distinct("ill", 2)];
    let ask = Ask { serial: true, ..Ask::new("mondrian", &demands) };
    let good = release(&table, &ask).expect("pairs with two illnesses each");
    check(&table, &ask, &good);
    assert_eq!(good.text.lines().count(), 7);
    let notices = |text: String| {
        let summary = good.summary.clone();
        let written = Written { text, datasheet: good.datasheet.clone(), summary };
        std::panic::catch_unwind(|| check(&table, &ask, &written)).is_err()
    };
    assert!(!notices(good.text.clone()));
    for (from, to) in [
        ("\na,flu", "\nb,flu"),        // not true of its original
        ("\na,flu", "\n*,flu"),        // true, and alone
        ("\nb,hiv", "\nb,flu"),        // not the value of its row
        ("yes,note 4", "no,note 4"),   // nor this
        ("note 4", "person-4-canary"), // an identifier
        ("q0,ill", "ill,q0"),          // columns mixed up
        ("note 0,0", "note 0,1"),      // a row twice
    ] {
        assert!(good.text.contains(from), "{from} is not in {}", good.text);
        assert!(notices(good.text.replacen(from, to, 1)), "{from} became {to}");
    }
    let without_last = good.text.lines().take(6).map(|line| format!("{line}\n")).collect();
    assert!(notices(without_last), "a row is gone");
    let mut turned: Vec<&str> = good.text.lines().collect();
    turned[1..].reverse();
    assert!(notices(turned.iter().map(|line| format!("{line}\n")).collect()), "rows are not sorted");
}
