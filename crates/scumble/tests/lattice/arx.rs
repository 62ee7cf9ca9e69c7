//! The optima that ARX 3.9.2 finds on the Adult table, where the public data are at hand.

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::release::{Released, RunOptions, anonymize};

use super::made::shared_data;

/// The quasi-identifiers of "adult8"; "adult9" has the occupation too.
const COLUMNS: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];

fn release(
    columns: usize,
    privacy: &str,
    suppression: &str,
    algorithm: &str,
    threads: usize,
) -> Option<Released> {
    let file = shared_data("arx/adult/adult.csv")?.canonicalize().ok()?;
    let folder = tempfile::tempdir().expect("a folder");
    let hierarchies = file.parent().expect("a folder");
    let mut text = format!(
        "input = {file:?}\noutput = \"out.csv\"\nreport = \"\"\nhierarchies = {hierarchies:?}\n\
         accept_attribute_disclosure = true\n{privacy}\n\
         [algorithm]\nname = \"{algorithm}\"\nmetric = \"loss_geometric\"\nstar_policy = \"paper\"\n\
         suppression = {suppression}\n"
    );
    for column in COLUMNS {
        let role = if columns == 8 && column == "occupation" { "sensitive" } else { "quasi" };
        text.push_str(&format!("[columns.{column}]\nrole = \"{role}\"\n"));
    }
    let plan = Plan::from_toml(&text, "release.toml").expect("a plan");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
    let released = pool.install(|| {
        let mut options = RunOptions {
            folder: folder.path(),
            progress: Progress::default(),
            stage: &|_| {},
            standard_output: None,
        };
        anonymize(&plan, &mut options)
    });
    Some(released.expect("a release"))
}

const K5: &str = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n";
const L3: &str = "[[privacy]]\nmodel = \"l_diversity\"\nl = 3\n";
const RECURSIVE: &str = "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"recursive\"\nc = 4\nl = 3\n";
const T: &str = "[[privacy]]\nmodel = \"t_closeness\"\nt = 0.2\ndistance = \"hierarchical\"\n";

fn skip(name: &str) {
    eprintln!("{name}: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
}

#[test]
fn optima_on_adult_are_those_of_arx() {
    let both = format!("{K5}{T}");
    let cases = [
        (8, K5, "0.0", 0.542_211, 0),
        (8, K5, "0.02", 0.246_477, 506),
        (8, K5, "0.05", 0.170_123, 1_346),
        (8, K5, "1.0", 0.162_133, 2_184),
        (9, K5, "0.0", 0.573_151, 0),
        (9, K5, "0.05", 0.241_932, 1_346),
        (8, L3, "0.0", 0.542_211, 0),
        (8, L3, "0.05", 0.162_929, 1_102),
        (8, RECURSIVE, "0.05", 0.172_142, 1_417),
        (8, T, "0.0", 0.759_176, 0),
        (8, T, "0.05", 0.612_806, 1_384),
        (8, &both, "0.05", 0.612_806, 1_384),
    ];
    for (columns, privacy, suppression, loss, suppressed) in cases {
        let Some(released) = release(columns, privacy, suppression, "optimal", 2) else {
            return skip("optima_on_adult_are_those_of_arx");
        };
        let summary = &released.summary;
        let reached = summary.metrics["loss_geometric"].as_f64().expect("a loss");
        assert!(
            (reached - loss).abs() < 1e-6,
            "adult{columns}, {privacy:?}, {suppression}: {reached}, not {loss}"
        );
        assert_eq!(summary.suppressed, suppressed, "adult{columns}, {privacy:?}, {suppression}");
    }
}

#[test]
fn one_thread_finds_what_two_do() {
    for (privacy, suppression) in [(K5, "0.02"), (T, "0.0")] {
        let run = |threads| release(8, privacy, suppression, "optimal", threads);
        let (Some(one), Some(two)) = (run(1), run(2)) else {
            return skip("one_thread_finds_what_two_do");
        };
        assert_eq!(one.summary.levels, two.summary.levels);
        assert_eq!(one.summary.findings, two.summary.findings);
        assert_eq!(one.summary.suppressed, two.summary.suppressed);
    }
}
