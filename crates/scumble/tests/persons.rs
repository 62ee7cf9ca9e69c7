//! Models that count people and of what people guard, with every algorithm on random tables: what is released keeps what was asked for, by
//! its definition on the released strings and the private columns of their rows; what an algorithm does not support it refuses.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::demand::{ILLNESSES, illness_file};
use common::naive::{Strings, is_star};
use common::seeded;
use common::served::serving;
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use scumble::config::{Plan, StarPolicy, Value};
use scumble::problem::Progress;
use scumble::registry::ALGORITHMS;
use scumble::release::{RunOptions, anonymize};
use scumble::{Error, ErrorKind};

/// Two numbers, who, an illness, what they guard, and a label.
type Row = (u32, u32, usize, usize, usize, bool);

const WHO: [&str; 7] =
    ["canary-ann", "canary-bea", "canary-cid", "canary-dan", "canary-eva", "canary-fay", "canary-gil"];
const GUARDS: [&str; 6] = ["none", "none", "lung", "gut", "virus", "hiv"];

/// Whether it holds, by the rows of the classes that are checked, and by those of all classes.
type Definition = fn(&[Vec<&Row>], &[Vec<&Row>]) -> bool;

/// Searches that conclude from one recoding to coarser ones: while rows may be suppressed, a class that keeps a model must still do so
/// when it is merged with any other (models.md 0.5).
const PRUNING: [&str; 4] = ["samarati", "incognito", "ola", "flash"];

/// What is asked for: its part of the plan, which algorithms support it, and its definition.
struct Asked {
    name: &'static str,
    privacy: &'static str,
    serves: fn(&str) -> bool,
    holds: Definition,
}

fn everybody(_: &str) -> bool {
    true
}

fn unmergeable(algorithm: &str) -> bool {
    serving(|algorithm| algorithm.capabilities().serves_unmergeable).contains(&algorithm)
}

fn whole(algorithm: &str) -> bool {
    serving(|algorithm| algorithm.capabilities().serves_whole_tables).contains(&algorithm)
}

fn persons(rows: &[&Row]) -> usize {
    rows.iter().map(|row| row.2).collect::<BTreeSet<_>>().len()
}

/// The share of rows and the share of people for whom `has` is true are both at most one half, or two thirds.
fn bounded(class: &[&Row], has: impl Fn(&Row) -> bool, (part, of): (usize, usize)) -> bool {
    let having: Vec<&Row> = class.iter().filter(|row| has(row)).copied().collect();
    having.len() * of <= class.len() * part && persons(&having) * of <= persons(class) * part
}

/// Whether an illness lies under a node.
fn under(ill: usize, node: &str) -> bool {
    let (leaf, above) = ILLNESSES[ill];
    leaf == node || above.contains(&node)
}

fn asked() -> Vec<Asked> {
    vec![
        Asked {
            name: "k persons",
            privacy: "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n",
            serves: everybody,
            holds: |classes, _| classes.iter().all(|class| persons(class) >= 3),
        },
        Asked {
            name: "k persons and values",
            privacy: "[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\ncolumns = [\"ill\"]\n",
            serves: everybody,
            holds: |classes, _| {
                let values = |class: &Vec<&Row>| class.iter().map(|row| row.3).collect::<BTreeSet<_>>().len();
                classes.iter().all(|class| persons(class) >= 2 && values(class) >= 2)
            },
        },
        Asked {
            name: "shares of persons",
            privacy: "[[privacy]]\nmodel = \"alpha_k\"\nk = 2\nalpha = \"2/3\"\ncolumns = [\"ill\"]\n",
            serves: unmergeable,
            holds: |classes, _| {
                let all = |class: &Vec<&Row>| (0..5).all(|ill| bounded(class, |row| row.3 == ill, (2, 3)));
                classes.iter().all(|class| persons(class) >= 2 && all(class))
            },
        },
        Asked {
            name: "different persons and illnesses",
            privacy: "[[privacy]]\nmodel = \"xy_anonymity\"\nk = 3\ny = [\"who\", \"ill\"]\n",
            serves: everybody,
            holds: |classes, _| {
                let tuples =
                    |class: &Vec<&Row>| class.iter().map(|row| (row.2, row.3)).collect::<BTreeSet<_>>();
                classes.iter().all(|class| tuples(class).len() >= 3)
            },
        },
        Asked {
            name: "linkability",
            privacy: "[[privacy]]\nmodel = \"xy_linkability\"\nh = \"2/3\"\ny = \"ill\"\n",
            serves: unmergeable,
            holds: |classes, _| {
                let all = |class: &Vec<&Row>| (0..5).all(|ill| bounded(class, |row| row.3 == ill, (2, 3)));
                classes.iter().all(all)
            },
        },
        Asked {
            name: "personalised",
            privacy: "[[privacy]]\nmodel = \"personalised\"\np_breach = \"2/3\"\nguarding = \"guard\"\ncolumns = [\"ill\"]\n",
            serves: unmergeable,
            holds: |classes, _| {
                let kept = |class: &Vec<&Row>| {
                    let guards = class.iter().map(|row| GUARDS[row.4]).filter(|guard| *guard != "none");
                    guards
                        .collect::<BTreeSet<_>>()
                        .into_iter()
                        .all(|node| bounded(class, |row| under(row.3, node), (2, 3)))
                };
                classes.iter().all(kept)
            },
        },
        Asked {
            name: "illnesses given the label",
            privacy: "[[privacy]]\nmodel = \"l_diversity\"\nl = 2\nmode = \"conditional\"\ncolumns = [\"ill\"]\n",
            serves: everybody,
            holds: |classes, _| {
                let values = |class: &Vec<&Row>, label: bool| {
                    let given = class.iter().filter(|row| row.5 == label);
                    given.map(|row| row.3).collect::<BTreeSet<_>>().len()
                };
                classes.iter().all(|class| values(class, true) != 1 && values(class, false) != 1)
            },
        },
        Asked {
            name: "illnesses and labels together",
            privacy: "[[privacy]]\nmodel = \"l_diversity\"\nl = 3\nmode = \"joint\"\ncolumns = [\"ill\", \"label\"]\n",
            // Its clusters have one label each.
            serves: |algorithm| algorithm != "dbca_cm",
            holds: |classes, _| {
                let tuples =
                    |class: &Vec<&Row>| class.iter().map(|row| (row.3, row.5)).collect::<BTreeSet<_>>();
                classes.iter().all(|class| tuples(class).len() >= 3)
            },
        },
        Asked {
            name: "multirelational",
            privacy: "[[privacy]]\nmodel = \"multirelational\"\nk = 2\ncount = \"set\"\n",
            serves: whole,
            holds: |_, all| alike(all, true) >= 2,
        },
        Asked {
            name: "multirelational with numbers of rows",
            privacy: "[[privacy]]\nmodel = \"multirelational\"\nk = 2\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n",
            serves: whole,
            holds: |classes, all| alike(all, false) >= 2 && classes.iter().all(|class| persons(class) >= 2),
        },
    ]
}

/// The fewest people whose rows look alike together.
fn alike(classes: &[Vec<&Row>], set: bool) -> usize {
    let mut looks: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, class) in classes.iter().enumerate() {
        class.iter().for_each(|row| looks.entry(row.2).or_default().push(number));
    }
    let mut groups: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
    for mut look in looks.into_values() {
        look.sort_unstable();
        if set {
            look.dedup();
        }
        *groups.entry(look).or_default() += 1;
    }
    groups.into_values().min().unwrap_or(usize::MAX)
}

fn tables() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..5_u32, 0..3_u32, 0..7_usize, 0..5_usize, 0..6_usize, any::<bool>());
    // People mostly have the same number of rows, so that there is something to find.
    (prop::collection::vec(row, 8..28), any::<bool>()).prop_map(|(mut rows, even)| {
        rows.iter_mut().enumerate().filter(|_| even).for_each(|(place, row)| row.2 = place % 7);
        rows
    })
}

fn run(rows: &[Row], algorithm: &str, asked: &Asked, policy: StarPolicy) -> Result<String, Error> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "age,weight,who,ill,guard,label,serial\n".to_owned();
    for (serial, row) in rows.iter().enumerate() {
        let label = if row.5 { "yes" } else { "no" };
        let cells = [WHO[row.2], ILLNESSES[row.3].0, GUARDS[row.4], label];
        text += &format!("{},{},{},{serial}\n", row.0 * 10, row.1 * 7, cells.join(","));
    }
    std::fs::write(folder.path().join("input.csv"), text).expect("the folder takes files");
    std::fs::write(folder.path().join("ill.csv"), illness_file()).expect("the folder takes files");
    let plan = format!(
        "input = \"input.csv\"\noutput = \"release.csv\"\nreport = \"\"\naccept_attribute_disclosure = true\n\
         [columns]\nage = {{ role = \"quasi\" }}\nweight = {{ role = \"quasi\" }}\nwho = {{ role = \"subject\" }}\n\
         ill = {{ role = \"sensitive\", hierarchy = {{ build = \"file\", path = \"ill.csv\" }} }}\n\
         guard = {{ role = \"guarding\" }}\nlabel = {{ role = [\"class\", \"sensitive\"] }}\nserial = {{ role = \"other\" }}\n{}",
        asked.privacy
    );
    let mut plan = Plan::from_toml(&plan, "release.toml").expect("a plan");
    plan.algorithm.name = algorithm.to_owned();
    plan.algorithm.star_policy = policy;
    match algorithm {
        "genetic" => {
            plan.algorithm.parameters.set("population", Value::from_text("10"));
            plan.algorithm.parameters.set("iterations", Value::from_text("50"));
        }
        "k_optimize" => plan.algorithm.steps = Some(100),
        // It may do any damage here.
        "iacc" => {
            plan.algorithm.parameters.set("delta_d", Value::from_text("1000"));
            plan.algorithm.parameters.set("delta_c", Value::from_text("1000"));
        }
        _ => {}
    }
    let options = &mut RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    anonymize(&plan, options)?;
    for name in ["release.csv", "release.csv.datasheet.json", "release.csv.datasheet.md"] {
        let written = std::fs::read_to_string(folder.path().join(name)).expect("it was announced");
        assert!(!written.contains("canary"), "a person is in {name}");
        assert!(name != "release.csv" || !written.contains("none"), "what somebody guards is in {name}");
    }
    Ok(std::fs::read_to_string(folder.path().join("release.csv")).expect("the release was announced"))
}

/// Whether a release came out; panics if it, or the refusal, is not in order.
fn conforms(rows: &[Row], algorithm: &str, asked: &Asked, policy: StarPolicy) -> bool {
    match run(rows, algorithm, asked, policy) {
        Ok(text) => {
            assert!((asked.serves)(algorithm), "it was to be refused");
            let strings = Strings::parse(&text);
            assert_eq!(strings.header, ["age", "weight", "ill", "label", "serial"]);
            let original =
                |row: &usize| &rows[strings.cell(*row, "serial").parse::<usize>().expect("a number")];
            let quasi = ["age".to_owned(), "weight".to_owned()];
            let classes = strings.classes(&quasi);
            let all: Vec<Vec<&Row>> = classes.values().map(|of| of.iter().map(original).collect()).collect();
            let judged = classes.iter().filter(|(shown, _)| policy != StarPolicy::Paper || !is_star(shown));
            let judged: Vec<Vec<&Row>> = judged.map(|(_, of)| of.iter().map(original).collect()).collect();
            assert!((asked.holds)(&judged, &all), "it does not hold: {text}");
            true
        }
        Err(error) if error.kind() == ErrorKind::Infeasible => false,
        Err(error) if error.kind() == ErrorKind::Refused => {
            let message = error.to_string();
            // Divisions start from the whole; conclusions to coarser recodings need what is kept by merging with anything.
            let prunes = PRUNING.contains(&algorithm) && asked.name == "illnesses given the label";
            let whole = message.contains("the whole table as one group fails");
            let may = !(asked.serves)(algorithm) || whole || prunes;
            assert!(may, "refused without need: {message}");
            let own_reason = algorithm == "dbca_cm";
            let named = message.contains("use an algorithm that can serve");
            assert!((asked.serves)(algorithm) || named || own_reason, "{message}");
            false
        }
        Err(other) => panic!("neither released nor refused: {other:?}"),
    }
}

#[test]
fn every_algorithm_serves_persons_or_says_who_does() {
    for (place, algorithm) in ALGORITHMS.iter().enumerate() {
        for (number, asked) in asked().iter().enumerate() {
            let releases = std::cell::Cell::new(0);
            let cases = (tables(), prop::sample::select(vec![StarPolicy::Strict, StarPolicy::Drop]));
            for round in 0..8 {
                let seed = 500 * place as u64 + 10 * number as u64 + round;
                let outcome = TestRunner::new(seeded(seed, 6)).run(&cases, |(rows, policy)| {
                    releases
                        .set(releases.get() + usize::from(conforms(&rows, algorithm.name, asked, policy)));
                    Ok::<_, TestCaseError>(())
                });
                outcome.unwrap_or_else(|error| panic!("{} with {}: {error}", algorithm.name, asked.name));
                if releases.get() >= 3 || !(asked.serves)(algorithm.name) {
                    break;
                }
            }
            let served = (asked.serves)(algorithm.name);
            assert!(
                releases.get() > 0 || !served,
                "{} with {}: nothing was released",
                algorithm.name,
                asked.name
            );
        }
    }
}

/// A missing node guards nothing, however the table writes that it is missing: the verifier is given one spelling of it.
#[test]
fn what_guards_nothing_may_be_written_in_several_ways() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "age,ill,guard\n30,flu,\n31,hiv,hiv\n32,flu,?\n33,gout,\n34,flu,NA\n35,hiv,\n";
    std::fs::write(folder.path().join("in.csv"), rows).expect("a file");
    std::fs::write(folder.path().join("ill.csv"), "flu;mild;any\ngout;mild;any\nhiv;grave;any\n")
        .expect("a file");
    let plan = "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[read]\nmissing = [\"\", \"NA\", \"?\"]\n[columns]\n\
                age = { role = \"quasi\" }\nill = { role = \"sensitive\", hierarchy = { build = \"file\", path = \"ill.csv\" } }\nguard = { role = \"guarding\" }\n\
                [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n\
                [[privacy]]\nmodel = \"personalised\"\np_breach = \"2/3\"\nguarding = \"guard\"\ncolumns = [\"ill\"]\n\
                [algorithm]\nname = \"mondrian\"\n";
    let plan = Plan::from_toml(plan, "the plan").expect("a plan");
    let mut options = RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: None,
    };
    let released = anonymize(&plan, &mut options).expect("one person guards something, and is one of two");
    assert!(released.summary.models.iter().all(|model| model.holds));
}

/// k counts people, and the report says how many a class needs.
#[test]
fn a_report_that_counts_persons_says_how_many_are_required() {
    use scumble::prelude::{Release, Source};
    let folder = tempfile::tempdir().expect("a folder");
    let rows: String = (0..24).map(|row| format!("{},p{}\n", 20 + row % 4, row / 2)).collect();
    std::fs::write(folder.path().join("in.csv"), format!("age,who\n{rows}")).expect("a table");
    let table = common::memory::batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    let text = "input = \"in.csv\"\noutput = \"out.csv\"\n[columns]\nage = { role = \"quasi\" }\nwho = { role = \"subject\" }\n\
                [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";
    let release = Release::of(table, &Plan::from_toml(text, "plan").expect("a plan")).expect("a release");
    let report = release.report_html().expect("a page").expect("a report");
    assert!(report.replace("\u{a0}", " ").contains("at least 3 persons required"));
}
