//! The examples of the README and of the guide print what the command really prints.
//!
//! `SCUMBLE_BLESS=1 cargo test -p scumble-cli --test readme` writes the real output into the pages. Read the difference before you commit it.

mod common;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use common::Desk;

/// The commands of one fenced block, and where they stand in the page's lines.
struct Block {
    /// The first line after the fence.
    start: usize,
    /// The line of the closing fence.
    end: usize,
    steps: Vec<Step>,
}

struct Step {
    /// The lines of the command as the page shows them.
    shown: Vec<String>,
    /// The words of the command.
    words: Vec<String>,
    /// The output as the page shows it.
    output: Vec<String>,
}

/// Returns every fenced block of a page whose first line is a command.
fn blocks(page: &str) -> Vec<Block> {
    let lines: Vec<&str> = page.lines().collect();
    let mut blocks = Vec::new();
    let mut fence = None;
    for (number, line) in lines.iter().enumerate() {
        if !line.starts_with("```") {
            continue;
        }
        match fence.take() {
            None => fence = Some(number),
            Some(open) if lines[open + 1].starts_with("$ ") => {
                let steps = steps(&lines[open + 1..number]);
                blocks.push(Block { start: open + 1, end: number, steps });
            }
            Some(_) => {}
        }
    }
    blocks
}

fn steps(lines: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut continued = false;
    for line in lines {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step { shown: vec![(*line).to_owned()], words: words(command), output: Vec::new() });
        } else {
            let step = steps.last_mut().expect("a command before");
            if continued {
                step.shown.push((*line).to_owned());
                step.words.extend(words(line));
            } else {
                step.output.push((*line).to_owned());
            }
        }
        continued = line.ends_with('\\');
    }
    steps
}

/// Divides a line into words as a shell does; text in single quotes is one word.
fn words(line: &str) -> Vec<String> {
    let line = line.strip_suffix('\\').unwrap_or(line);
    let mut words = Vec::new();
    for (part, text) in line.split('\'').enumerate() {
        if part % 2 == 1 {
            words.push(text.to_owned());
        } else {
            words.extend(text.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Runs a command in a folder, and returns its exit code and what it prints on both outputs, in order.
fn run(folder: &Path, command: &[String]) -> (i32, Vec<String>) {
    let printed = folder.parent().expect("a folder above").join("printed.txt");
    let file = File::create(&printed).expect("a file for the output");
    let both = || Stdio::from(file.try_clone().expect("a second handle"));
    let status =
        common::scumble(folder).args(command).stdout(both()).stderr(both()).status().expect("scumble runs");
    let text = std::fs::read_to_string(&printed).expect("the output is UTF-8");
    (status.code().expect("an exit code"), text.lines().map(str::to_owned).collect())
}

/// Runs all commands of a page, after those of `prepare`, in a fresh folder or in `folder` within it. Their output must match the page.
fn prints_what_it_shows(page: &str, prepare: &[&str], folder: &str, commands: usize) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(&path).expect("a page");
    let desk = Desk::new();
    let work = desk.path("work");
    std::fs::create_dir(&work).expect("a folder");
    for command in prepare {
        let (code, printed) = run(&work, &words(command));
        assert_eq!(code, 0, "{printed:#?}");
    }
    let work = work.join(folder);
    let blocks = blocks(&text);
    let found: usize = blocks.iter().map(|block| block.steps.len()).sum();
    assert_eq!(found, commands, "the number of commands on {page}");
    let mut code = 0;
    let mut differences = Vec::new();
    let mut real = Vec::new();
    for block in &blocks {
        let mut lines = Vec::new();
        for step in &block.steps {
            let printed = match step.words[0].as_str() {
                "scumble" => {
                    confirm_roles(&work, &step.words);
                    let ended = run(&work, &step.words[1..]);
                    code = ended.0;
                    ended.1
                }
                "head" => head(&work, &step.words),
                "echo" => vec![code.to_string()],
                other => panic!("{page} runs '{other}', which this test does not know"),
            };
            if printed != step.output {
                differences.push(format!("{}\n{}", step.shown.join("\n"), printed.join("\n")));
            }
            lines.extend(step.shown.iter().cloned());
            lines.extend(printed);
        }
        real.push(lines);
    }
    if std::env::var_os("SCUMBLE_BLESS").is_some() {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (block, real) in blocks.iter().zip(real).rev() {
            lines.splice(block.start..block.end, real);
        }
        std::fs::write(&path, lines.join("\n") + "\n").expect("the page is written");
    } else {
        assert!(
            differences.is_empty(),
            "{page} does not show what is printed:\n{}",
            differences.join("\n\n")
        );
    }
}

/// Confirms every guessed role of a plan that is to be released, as its reader does by hand.
fn confirm_roles(folder: &Path, command: &[String]) {
    if command[1] == "anonymize" && command[2].ends_with(".toml") {
        let path = folder.join(&command[2]);
        let plan = std::fs::read_to_string(&path).expect("a plan");
        std::fs::write(&path, plan.replace("\"?", "\"")).expect("the plan is written");
    }
}

/// Returns the first lines of a file, as `head -N FILE` does.
fn head(folder: &Path, command: &[String]) -> Vec<String> {
    let count: usize = command[1].trim_start_matches('-').parse().expect("a number of lines");
    let text = std::fs::read_to_string(folder.join(&command[2])).expect("a file");
    text.lines().take(count).map(str::to_owned).collect()
}

#[test]
fn the_example_of_the_readme_prints_what_it_shows() {
    prints_what_it_shows("README.md", &[], "", 4);
}

#[test]
fn the_first_release_prints_what_it_shows() {
    prints_what_it_shows("docs/guide/first-release.md", &[], "", 6);
}

#[test]
fn the_walk_through_risk_prints_what_it_shows() {
    prints_what_it_shows("docs/guide/risk.md", &[], "", 4);
}

#[test]
fn the_checks_print_what_they_show() {
    prints_what_it_shows("docs/guide/checking.md", &["demo"], "scumble-demo", 4);
}

#[test]
fn the_hierarchies_that_are_shown_are_printed() {
    prints_what_it_shows("docs/guide/hierarchies.md", &["sample --rows 2000 -o patients.csv"], "", 2);
}

#[test]
fn the_error_that_is_shown_is_printed() {
    prints_what_it_shows("docs/guide/exit-codes.md", &["sample --rows 2000 -o patients.csv"], "", 2);
}
