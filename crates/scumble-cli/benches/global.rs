//! Measures what the optimal full-domain search costs, compared with "read + encode + group" of the same file in the same process.
//!
//! `cargo bench --bench global [-- PART…]`, parts: `adult` (compared with ARX's figures; skipped if the public tables are absent), `scale`
//! (1.2 million rows), `growth` (10^4 to 10^6 rows), `ten-million`, `large` (85 million nodes within 30 seconds; skipped in the same case).
//! Without a part: adult, scale, growth. Every line is measured in a process of its own, so that it has its own peak memory. CPU time is
//! that of all threads together.

mod common;

use std::fmt::Write as _;
use std::path::Path;

use common::{CLINIC, Outcome, clinic, measure, shared_data};

fn main() -> Outcome<()> {
    let parts = common::parts(&["adult", "scale", "growth"])?;
    let folder = tempfile::tempdir()?;
    for part in parts {
        match &part[..] {
            "adult" => adult(folder.path())?,
            "scale" => scale(folder.path())?,
            "growth" => growth(folder.path(), &[10_000, 100_000, 1_000_000])?,
            "ten-million" => growth(folder.path(), &[10_000_000])?,
            "large" => large(folder.path())?,
            other => return Err(format!("there is no part '{other}'").into()),
        }
    }
    Ok(())
}

fn plan(
    input: &Path,
    hierarchies: &Path,
    quasi: &[&str],
    sensitive: &str,
    typed: &str,
    rest: &str,
) -> String {
    let mut text = format!(
        "input = {input:?}\noutput = \"out.csv\"\nrest = \"drop\"\nhierarchies = {hierarchies:?}\naccept_attribute_disclosure = true\n{rest}\n"
    );
    for column in quasi {
        let _ = writeln!(text, "[columns.{column}]\nrole = \"quasi\"{typed}");
    }
    if !sensitive.is_empty() {
        let _ = writeln!(text, "[columns.{sensitive}]\nrole = \"sensitive\"");
    }
    text
}

fn algorithm(metric: &str, suppression: &str) -> String {
    format!(
        "[algorithm]\nname = \"optimal\"\nmetric = \"{metric}\"\nstar_policy = \"paper\"\nsuppression = {suppression}\n"
    )
}

const K5: &str = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n";
const L3: &str = "[[privacy]]\nmodel = \"l_diversity\"\nl = 3\n";
const RECURSIVE: &str = "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"recursive\"\nc = 4\nl = 3\n";
const T: &str = "[[privacy]]\nmodel = \"t_closeness\"\nt = 0.2\ndistance = \"hierarchical\"\n";

/// The cases that ARX 3.9.2 was measured on: name, quasi-identifiers, models, suppression limit, its CPU milliseconds and checks.
fn adult(folder: &Path) -> Outcome<()> {
    let Some(table) = shared_data("arx/adult/adult.csv") else {
        println!("adult: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return Ok(());
    };
    let both = format!("{K5}{T}");
    let cases = [
        ("k=5", 8, K5, "0.0", 54, 122),
        ("k=5", 8, K5, "0.02", 350, 538),
        ("k=5", 8, K5, "0.05", 369, 447),
        ("k=5", 8, K5, "1.0", 596, 1_006),
        ("k=5", 9, K5, "0.0", 52, 181),
        ("k=5", 9, K5, "0.05", 1_186, 1_217),
        ("distinct 3-diversity", 8, L3, "0.0", 70, 129),
        ("distinct 3-diversity", 8, L3, "0.05", 574, 497),
        ("recursive (4,3)-diversity", 8, RECURSIVE, "0.05", 784, 665),
        ("t=0.2", 8, T, "0.0", 38, 33),
        ("t=0.2", 8, T, "0.05", 2_849, 4_291),
        ("k=5 and t=0.2", 8, &both, "0.05", 1_808, 3_022),
    ];
    println!(
        "| Adult | model | limit | loss | suppressed | checked (ARX) | ARX CPU ms | CPU ms | wall ms | ARX / CPU |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, columns, privacy, limit, arx, checks) in cases {
        let mut quasi =
            vec!["sex", "age", "race", "marital-status", "education", "native-country", "workclass"];
        quasi.extend(if columns == 9 { &["occupation", "salary-class"][..] } else { &["salary-class"] });
        let sensitive = if columns == 8 { "occupation" } else { "" };
        let rest = format!("{privacy}{}", algorithm("loss_geometric", limit));
        let text = plan(&table, table.parent().ok_or("a folder")?, &quasi, sensitive, "", &rest);
        let found = measure(folder, &text, 7)?;
        let cpu = found["search"]["cpu"].as_f64().unwrap_or(f64::NAN);
        println!(
            "| adult{columns} | {name} | {limit} | {:.6} | {} | {} ({checks}) | {arx} | {cpu:.1} | {:.1} | {:.1} |",
            found["loss"].as_f64().unwrap_or(f64::NAN),
            found["suppressed"],
            found["checked"],
            found["search"]["wall"].as_f64().unwrap_or(f64::NAN),
            f64::from(arx) / cpu,
        );
    }
    Ok(())
}

/// The columns without the day of admission, so that figures can be compared with earlier ones.
const EIGHT: usize = 8;

fn clinic_heading() {
    println!(
        "| rows | tuples | limit | nodes | checked | loss | read + encode + group: wall ms, CPU ms | search: wall ms, CPU ms | \
         ratio: wall, CPU | peak MB, of the search too |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
}

fn clinic_line(folder: &Path, table: &Path, hierarchies: &Path, limit: &str) -> Outcome<()> {
    let rest = format!("{K5}{}", algorithm("loss", limit));
    let found = measure(folder, &plan(table, hierarchies, &CLINIC[..EIGHT], "", "", &rest), 1)?;
    let figure = |part: &str, name: &str| found[part][name].as_f64().unwrap_or(f64::NAN);
    println!(
        "| {} | {} | {limit} | {} | {} | {:.4} | {:.0}, {:.0} | {:.0}, {:.0} | {:.2}, {:.2} | {:.0}, {:.0} |",
        found["rows"],
        found["tuples"],
        found["nodes"],
        found["checked"],
        found["loss"].as_f64().unwrap_or(f64::NAN),
        figure("floor", "wall"),
        figure("floor", "cpu"),
        figure("search", "wall"),
        figure("search", "cpu"),
        figure("search", "wall") / figure("floor", "wall"),
        figure("search", "cpu") / figure("floor", "cpu"),
        figure("floor", "bytes") / 1e6,
        figure("search", "bytes") / 1e6,
    );
    Ok(())
}

fn scale(folder: &Path) -> Outcome<()> {
    let (table, hierarchies) = clinic(folder, 1_200_000)?;
    clinic_heading();
    for limit in ["0.0", "0.02", "0.05"] {
        clinic_line(folder, &table, &hierarchies, limit)?;
    }
    Ok(std::fs::remove_file(table)?)
}

fn growth(folder: &Path, sizes: &[u64]) -> Outcome<()> {
    clinic_heading();
    for rows in sizes {
        let (table, hierarchies) = clinic(folder, *rows)?;
        clinic_line(folder, &table, &hierarchies, "0.02")?;
        std::fs::remove_file(table)?;
    }
    Ok(())
}

/// Sixteen columns, 85 million nodes: the best result within a time limit, and how far it can be from the optimum.
fn large(folder: &Path) -> Outcome<()> {
    let Some(table) = shared_data("arx/int/mach2019_int.csv") else {
        println!("large: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return Ok(());
    };
    let header = std::fs::read_to_string(&table)?;
    let quasi: Vec<&str> = header.lines().next().ok_or("a header")?.split(';').collect();
    // The folder contains the hierarchies of several tables.
    let hierarchies = folder.join("mach2019");
    std::fs::create_dir_all(&hierarchies)?;
    for file in std::fs::read_dir(table.parent().ok_or("a folder")?.join("hierarchies"))? {
        let name = file?.file_name().to_string_lossy().into_owned();
        if let Some(column) = name.strip_prefix("mach2019_int_hierarchy_") {
            let from = table.parent().ok_or("a folder")?.join("hierarchies").join(&name);
            std::fs::copy(from, hierarchies.join(column))?;
        }
    }
    println!("| limit | nodes | checked | loss | gap | suppressed | wall ms | CPU ms | peak MB |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for limit in ["0.0", "0.02", "0.05", "1.0"] {
        let rest = format!("{K5}{}budget = \"30s\"\n", algorithm("loss_geometric", limit));
        let found = measure(folder, &plan(&table, &hierarchies, &quasi, "", "\ntype = \"text\"", &rest), 1)?;
        let figure = |part: &str, name: &str| found[part][name].as_f64().unwrap_or(f64::NAN);
        println!(
            "| {limit} | {} | {} | {} | {} | {} | {:.0} | {:.0} | {:.0} |",
            found["nodes"],
            found["checked"],
            found["loss"],
            found["gap"],
            found["suppressed"],
            figure("search", "wall"),
            figure("search", "cpu"),
            figure("search", "bytes") / 1e6,
        );
    }
    Ok(())
}
