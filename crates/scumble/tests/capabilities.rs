//! What the registry says about algorithms is true of them.

mod common;

use std::collections::BTreeMap;

use common::memory::{batches, texts};
use common::served::{plan, rows};
use scumble::config::{Rational, Role, Roles};
use scumble::error::{Part, Value};
use scumble::prelude::*;
use scumble::registry::{ALGORITHMS, MODELS, RECORD_ALGORITHMS, TABLES_ALGORITHMS};
use scumble::search::algorithms::Labels;
use scumble::search::algorithms::tables::Target;
use scumble_files::Control;

/// Without a class column exactly those algorithms refuse that say they need one.
#[test]
fn whoever_needs_a_class_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("a table");
    let rows = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    for entry in &ALGORITHMS {
        let mut plan = plan(entry.name);
        let needs_class =
            (entry.build)(&plan.algorithm.parameters).expect("it can be built").capabilities().needs_class;
        for (_, column) in plan.columns.iter_mut().filter(|(_, column)| column.role.has(Role::Class)) {
            column.role = Roles::one(Role::Drop);
        }
        match Release::of(rows.clone(), &plan) {
            Ok(_) => assert!(!needs_class, "{}", entry.name),
            Err(error) => {
                assert!(needs_class && error.to_string().contains("class"), "{}: {error}", entry.name);
            }
        }
    }
}

/// Whoever says so suppresses no row, even where every row may be suppressed; and whoever does not minimise the metric refuses to be asked for
/// another.
#[test]
fn what_is_said_of_suppression_and_metrics_is_true() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("a table");
    let rows = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    for entry in &ALGORITHMS {
        let mut plan = plan(entry.name);
        let can = (entry.build)(&plan.algorithm.parameters).expect("it can be built").capabilities();
        plan.algorithm.suppression = Some(Rational::ONE);
        if let Ok(release) = Release::of(rows.clone(), &plan) {
            assert!(!can.never_suppresses || release.summary.suppressed == 0, "{}", entry.name);
        }
        plan.algorithm.metric = Some("distortion_height".to_owned());
        let refused = Release::of(rows.clone(), &plan)
            .err()
            .is_some_and(|error| error.to_string().contains("does not look at distortion_height"));
        assert!(can.minimises_metric || refused, "{}", entry.name);
    }
}

/// What records that overlap show is what they say of themselves.
#[test]
fn records_show_what_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("a table");
    let rows = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    for entry in &RECORD_ALGORITHMS {
        let mut plan = plan(entry.name);
        plan.algorithm.seed = Some(1);
        plan.keep_order = true;
        plan.row_map = Some("map".to_owned());
        let can = (entry.build)(&plan.algorithm.parameters).expect("it can be built").capabilities();
        let release = Release::of(rows.clone(), &plan).expect(entry.name);
        let shown = texts(release.table().expect("one table"));
        let ill = shown.header.iter().position(|name| name == "ill");
        assert_eq!(ill.is_none(), can.shows_frequencies, "{}", entry.name);
        let Some(ill) = ill else { continue };
        let original = texts(&rows);
        let map = release.row_map.expect("a row map");
        let same = |(row, released): (usize, &Option<u32>)| {
            original.cell(row, "ill") == shown.rows[released.expect("no row is left out") as usize][ill]
        };
        assert_eq!(map.tables[0].iter().enumerate().all(same), !can.exchanges, "{}", entry.name);
    }
}

/// So are several tables: which of them show values unchanged, and which can be stopped.
#[test]
fn several_tables_show_what_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("a table");
    let rows = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    let original = texts(&rows);
    for entry in &TABLES_ALGORITHMS {
        let mut plan = plan(entry.name);
        plan.algorithm.steps = Some(1);
        let can = (entry.build)(&plan.algorithm.parameters).expect("it can be built").capabilities();
        let release = Release::of(rows.clone(), &plan).expect(entry.name);
        let warned =
            release.summary.warnings.iter().any(|warning| warning.contains("takes no number of steps"));
        assert_eq!(warned, !can.takes_steps, "{}", entry.name);
        let tables: Vec<_> = release.tables().map(|(_, table)| texts(table)).collect();
        let by_group = tables.iter().all(|table| table.header.iter().any(|name| name == "group"));
        assert_eq!(by_group, can.target == Target::Sensitive, "{}", entry.name);
        let known =
            |name: &str, text: &str| (0..original.rows.len()).any(|row| original.cell(row, name) == text);
        let as_they_are = tables.iter().all(|table| {
            let quasi = ["age", "town"].into_iter().filter(|name| table.header.iter().any(|of| of == name));
            quasi.into_iter().all(|name| (0..table.rows.len()).all(|row| known(name, table.cell(row, name))))
        });
        assert!(as_they_are || can.labels == Labels::Coarser, "{}", entry.name);
    }
}

/// Plans that many algorithms refuse: what they lack is a class, a population that is kept track of, sets of columns, people, whole tables.
fn asking() -> Vec<(&'static str, String)> {
    let columns = |job: &str, shift: &str| {
        format!(
            "input = \"in.csv\"\noutput = \"out.csv\"\naccept_attribute_disclosure = true\npopulation = \"people.csv\"\n[columns]\n\
             age = {{ role = \"quasi\" }}\npay = {{ role = \"quasi\" }}\ntown = {{ role = \"quasi\" }}\nill = {{ role = \"sensitive\" }}\n\
             job = {{ role = \"{job}\" }}\nshift = {{ role = \"{shift}\" }}\n"
        )
    };
    let model = |text: &str| format!("[[privacy]]\n{}\n", text.replace("; ", "\n"));
    let plain = columns("drop", "drop").replace("population = \"people.csv\"\n", "");
    vec![
        ("no class", plain.clone() + &model("model = \"k_anonymity\"; k = 3")),
        ("a population", columns("drop", "drop") + &model("model = \"k_map\"; k = 2")),
        ("a rule", format!("recoding = \"rule.json\"\n{plain}") + &model("model = \"k_anonymity\"; k = 3")),
        ("sets", plain.clone() + &model("model = \"lkc\"; l = 1; k = 3; c = 0.9")),
        ("whole tables", plain.clone() + &model("model = \"average_risk\"; average = 0.3")),
        (
            "persons",
            plain.replace("shift = { role = \"drop\" }", "shift = { role = \"subject\" }")
                + &model("model = \"alpha_k\"; alpha = 0.9; k = 1"),
        ),
    ]
}

/// An algorithm that an error offers does not refuse the same plan in its turn.
#[test]
fn whoever_is_offered_serves() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), rows()).expect("a table");
    let rows = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    let mut offers = 0;
    for (what, text) in asking() {
        let none = scumble::release::resources::Resources::default();
        let resources =
            if what == "a population" { none.with_table("people.csv", rows.clone()) } else { none };
        let before = offers;
        let release = |algorithm: &str| {
            let plan = scumble::config::Plan::from_toml(
                &format!("{text}[algorithm]\nname = \"{algorithm}\"\nsuppression = 1\nbudget = \"1s\"\n"),
                what,
            )
            .expect("a plan");
            Release::with(
                &Source::from_batches(rows.clone(), "in"),
                &plan,
                &resources,
                &Control::default(),
                &|_| {},
            )
        };
        let errors: BTreeMap<&str, Error> = scumble::registry::algorithm_names()
            .into_iter()
            .filter_map(|algorithm| Some((algorithm, release(algorithm).err()?)))
            .collect();
        for (algorithm, error) in &errors {
            for remedy in error.remedies() {
                let Action::Set { setting, values } = &remedy.action else { continue };
                if setting.part != Part::Algorithm {
                    continue;
                }
                assert!(!values.is_empty(), "{what}, {algorithm}: {error}");
                for other in values {
                    offers += 1;
                    let Value::Text(other) = other else { panic!("{other:?}") };
                    let again = errors.get(other.as_str());
                    let refuses =
                        again.filter(|again| [ErrorKind::Refused, ErrorKind::Config].contains(&again.kind()));
                    assert!(refuses.is_none(), "{what}, {algorithm} offers {other}: {refuses:?}");
                }
            }
        }
        assert!(offers > before, "{what}: nobody is offered");
    }
}

/// No name of an algorithm or a model is compared with a text outside of its own file and the registry: what differs between them is
/// asked of them.
#[test]
fn nothing_is_decided_by_the_name_of_an_algorithm_or_a_model() {
    let names: Vec<&str> = scumble::registry::algorithm_names().into_iter().chain(MODELS.names()).collect();
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = Vec::new();
    // The verifier has every model a second time, by its name.
    for folder in ["scumble/src", "scumble-eval/src", "scumble-cli/src", "scumble-learn/src"] {
        for file in files(&root.join(folder)) {
            let shown = file.strip_prefix(&root).expect("below the root").display().to_string();
            // Tests name what they test. Short flags of the command line stand for models. What a plan asks of several tables is known
            // before there is a table on which a model could be built.
            let is_own = [
                "/models/asked.rs",
                "/algorithms/made.rs",
                "/cmd/anonymize.rs",
                "/cmd/compare.rs",
                "/synthetic.rs",
            ];
            if is_own.iter().any(|part| shown.contains(part))
                || shown.contains("test")
                || shown.contains("fixture")
            {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("a source file");
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            for (number, line) in (1..).zip(product.lines()) {
                let line = line.trim();
                // A parameter may be called as an algorithm is.
                let is_prose = line.starts_with("//") || line.contains("parameters.choice(");
                // The same by way of the entry. Who makes a model by its name compares nothing.
                let named = line.matches("ENTRY.name").count();
                let compares =
                    ["== ", "!= ", "contains(", "match ", "=>"].iter().any(|form| line.contains(form));
                if !is_prose && (named > 1 || named == 1 && compares) {
                    found.push(format!("{shown}:{number}: {line}"));
                }
                // Each knows its own name.
                let of_others = |name: &&&str| {
                    !shown.ends_with(&format!("/{name}.rs")) && !shown.contains(&format!("/{name}/"))
                };
                for name in names.iter().filter(of_others) {
                    // A pattern, a comparison, or a member of a list of names.
                    let quoted = format!("\"{name}\"");
                    let decides = [
                        format!("{quoted} =>"),
                        format!("{quoted} |"),
                        format!("| {quoted}"),
                        format!("== {quoted}"),
                        format!("!= {quoted}"),
                        format!("[{quoted}"),
                        format!(", {quoted}"),
                        format!("{quoted},"),
                        format!("{quoted} if "),
                    ];
                    if !is_prose && decides.iter().any(|form| line.contains(form)) {
                        found.push(format!("{shown}:{number}: {line}"));
                    }
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}
