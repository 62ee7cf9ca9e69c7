//! Measures how long overlapping records take, what they lose, and what the audit finds in them.
//!
//! `cargo bench --bench nonhomogeneous [-- most [rows]]`. It uses Adult (`../shared/data/adult`; skipped with a message if absent) with the
//! trees of the PAIS authors. `nsvdist`: all 14 quasi-identifiers and 8 of them at k = 50 and 500 with l = 1 and 1.11; then growth with the
//! number of rows (5,000 to 45,000) and with k (2 to 800). `nhaa`: seven quasi-identifiers, occupations exchanged, l from 2 to 6. Only k up
//! to `most` is run (800 by default), on at most `rows` rows (all by default): `-- 50 1000` is a trial of a few seconds. `search` is the
//! search with its audit. Every run is a process of its own, and its release is written and verified.

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
    let mut numbers = std::env::args().skip(1).filter_map(|argument| argument.parse::<u64>().ok());
    let most = numbers.next().unwrap_or(800);
    let rows = numbers.next().map_or(usize::MAX, |rows| rows as usize);
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

    let both: Vec<String> = train.iter().chain(&test).cloned().collect();
    let train = part(&train, rows);
    println!(
        "| quasi-identifiers | rows | k | l | loss | read s | search s | verify s | total s | memory MB | certain by cover | by mask | unknown by mask | matches, least |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for quasi in [ALL, EIGHT] {
        for k in [50, 500].into_iter().filter(|k| *k <= most) {
            for l in ["1", "1.11"] {
                bench.nsvdist(&train, quasi, k, l)?;
            }
        }
    }
    println!("\nGrowth with the rows (14 quasi-identifiers, k = 50, l = 1.11), then with k.\n");
    for count in [5_000, 10_000, 20_000, 45_000].into_iter().filter(|count| *count <= rows) {
        bench.nsvdist(&part(&both, count), ALL, 50, "1.11")?;
    }
    for k in [2, 10, 50, 200, 800].into_iter().filter(|k| *k <= most) {
        bench.nsvdist(&train, ALL, k, "1.11")?;
    }
    println!("\nRings (occupation exchanged).\n");
    let seven: Vec<&str> = EIGHT.iter().copied().filter(|name| *name != "occupation").collect();
    for l in ["2", "3", "4", "6"] {
        bench.run(&train, &seven, ("occupation", "sensitive"), (None, l), "nhaa", "")?;
    }
    Ok(())
}

/// Takes this many rows at even distances, so that a part looks like the whole.
fn part(rows: &[String], count: usize) -> Vec<String> {
    let count = count.min(rows.len());
    (0..count).map(|row| rows[row * rows.len() / count].clone()).collect()
}

struct Bench {
    folder: PathBuf,
    trees: PathBuf,
    header: String,
}

impl Bench {
    fn nsvdist(&self, rows: &[String], quasi: &[&str], k: u64, l: &str) -> Outcome<()> {
        let class = ("salary-class", "class\", \"sensitive");
        self.run(rows, quasi, class, (Some(k), l), "nsvdist", "audit = \"report\"\n")
    }

    fn run(
        &self,
        rows: &[String],
        quasi: &[&str],
        (sensitive, roles): (&str, &str),
        (k, l): (Option<u64>, &str),
        algorithm: &str,
        more: &str,
    ) -> Outcome<()> {
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
        writeln!(plan, "{sensitive} = {{ role = [\"{roles}\"] }}")?;
        if let Some(k) = k {
            write!(plan, "[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n")?;
        }
        write!(plan, "[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"frequency\"\nl = {l}\n")?;
        write!(plan, "[algorithm]\nname = \"{algorithm}\"\n{more}")?;
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
            "| {} | {} | {} | {l} | {:.4} | {:.2} | {:.2} | {:.2} | {:.2} | {} | {} | {} | {} | {} |",
            quasi.len(),
            found["rows"],
            k.map_or_else(|| "–".to_owned(), |k| k.to_string()),
            found["metrics"]["loss"].as_f64().unwrap_or(f64::NAN),
            second("read"),
            second("search"),
            second("verify"),
            second("total"),
            found["peak_memory_bytes"].as_u64().unwrap_or(0) >> 20,
            found["audit"]["by_cover"]["certain"],
            found["audit"]["by_mask"]["certain"],
            found["audit"]["by_mask"]["unknown"],
            found["audit"]["degrees"]["least_matching"],
        );
        Ok(())
    }
}
