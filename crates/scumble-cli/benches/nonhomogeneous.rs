//! How long records that overlap take, what they lose, and what the audit finds in them.
//!
//! `cargo bench --bench nonhomogeneous [-- most]`. Adult (`../shared/data/adult`, skipped by name where it is absent) with the
//! trees of the PAIS authors: all 14 quasi-identifiers and 8 of them at k = 50 and 500 with l = 1 and 1.11; then growth with the
//! number of rows and with k (up to `most`, 800 unless given). `search` is the search with its audit; every run is a process of
//! its own, and its release is written and verified.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const ALL: &[&str] = &[
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
];
const EIGHT: &[&str] =
    &["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"];

fn main() -> Outcome<()> {
    let most = std::env::args().skip(1).find_map(|argument| argument.parse::<u64>().ok()).unwrap_or(800);
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/adult");
    if !data.join("adult_train.csv").exists() {
        println!("Adult: skipped, there is no ../shared/data/adult");
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let read = |name: &str| std::fs::read_to_string(data.join(name));
    let complete = |text: &str| -> Vec<String> {
        text.lines().skip(1).filter(|line| !line.contains('?')).map(str::to_owned).collect()
    };
    let (train, test) = (read("adult_train.csv")?, read("adult_test.csv")?);
    let header = train.lines().next().ok_or("no header")?.to_owned();
    let (train, test) = (complete(&train), complete(&test));
    let bench = Bench { folder: folder.path().to_owned(), trees: data.join("taxonomy/pais"), header };

    println!(
        "| quasi-identifiers | rows | k | l | loss | read s | search s | verify s | total s | memory MB | certain by cover | by mask | matches, least |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for quasi in [ALL, EIGHT] {
        for k in [50, 500] {
            for l in ["1", "1.11"] {
                bench.run(&train, quasi, k, l)?;
            }
        }
    }
    println!("\nGrowth with the rows (14 quasi-identifiers, k = 50, l = 1.11), then with k.\n");
    let both: Vec<String> = train.iter().chain(&test).cloned().collect();
    for rows in [5_000, 10_000, 20_000, 45_000] {
        // Every so many rows, so that a part looks like the whole.
        let part: Vec<String> = (0..rows).map(|row| both[row * both.len() / rows].clone()).collect();
        bench.run(&part, ALL, 50, "1.11")?;
    }
    for k in [2, 10, 50, 200, 800].into_iter().filter(|k| *k <= most) {
        bench.run(&train, ALL, k, "1.11")?;
    }
    Ok(())
}

struct Bench {
    folder: PathBuf,
    trees: PathBuf,
    header: String,
}

impl Bench {
    fn run(&self, rows: &[String], quasi: &[&str], k: u64, l: &str) -> Outcome<()> {
        let mut table = format!("{}\n", self.header);
        rows.iter().for_each(|row| table += &format!("{row}\n"));
        std::fs::write(self.folder.join("adult.csv"), table)?;
        let trees = std::path::absolute(&self.trees)?.display().to_string();
        let mut plan = format!(
            "input = \"adult.csv\"\noutput = \"release.csv\"\nreport = \"\"\nrest = \"drop\"\naccept_attribute_disclosure = true\nhierarchies = {trees:?}\n[columns]\n"
        );
        for name in quasi {
            writeln!(plan, "{name:?} = {{ role = \"quasi\" }}")?;
        }
        plan += "salary-class = { role = [\"class\", \"sensitive\"] }\n";
        write!(
            plan,
            "[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"frequency\"\n"
        )?;
        write!(plan, "l = {l}\n[algorithm]\nname = \"nsvdist\"\naudit = \"report\"\n")?;
        std::fs::write(self.folder.join("release.toml"), plan)?;
        let result = Command::new(env!("CARGO_BIN_EXE_scumble"))
            .arg("anonymize")
            .arg(self.folder.join("release.toml"))
            .args(["--json", "--quiet"])
            .output()?;
        if !result.status.success() {
            return Err(String::from_utf8_lossy(&result.stderr).into_owned().into());
        }
        let found: serde_json::Value = serde_json::from_slice(&result.stdout)?;
        let second = |stage: &str| found["seconds"][stage].as_f64().unwrap_or(f64::NAN);
        println!(
            "| {} | {} | {k} | {l} | {:.4} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {} | {} | {} |",
            quasi.len(),
            found["rows"],
            found["metrics"]["loss"].as_f64().unwrap_or(f64::NAN),
            second("read"),
            second("search"),
            second("verify"),
            second("total"),
            found["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20,
            found["audit"]["by_cover"]["certain"],
            found["audit"]["by_mask"]["certain"],
            found["audit"]["degrees"]["least_matching"],
        );
        Ok(())
    }
}
