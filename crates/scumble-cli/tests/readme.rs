//! The examples of the README and of the guide match what the command really does.

mod common;

use common::Desk;

/// Returns the commands of a page's block that begins with `scumble sample`, each with the lines that follow it.
fn transcript(page: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let page = std::fs::read_to_string(path).expect("a page");
    let start = page.find("$ scumble sample").expect("the example");
    let block = &page[start..start + page[start..].find("```").expect("its end")];
    let mut steps: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    let mut continued = false;
    for line in block.lines() {
        let words = |text: &str| {
            text.trim_end_matches('\\').split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push((words(command), Vec::new()));
        } else if continued {
            steps.last_mut().expect("a command before").0.extend(words(line));
        } else {
            steps.last_mut().expect("a command before").1.push(line.to_owned());
        }
        continued = line.ends_with('\\');
    }
    steps
}

/// Runs the commands, whose output must match the page.
fn prints_what_it_shows(page: &str, commands: usize) {
    let desk = Desk::new();
    let steps = transcript(page);
    assert_eq!(steps.len(), commands, "{steps:#?}");
    for (command, shown) in steps {
        let printed: Vec<String> = match command[0].as_str() {
            "scumble" => {
                let arguments: Vec<&str> = command[1..].iter().map(String::as_str).collect();
                let run = desk.run(&arguments).succeeds();
                run.err.lines().chain(run.out.lines()).map(str::to_owned).collect()
            }
            "head" => desk.text("release.csv").lines().take(4).map(str::to_owned).collect(),
            other => panic!("{page} runs '{other}', which this test does not know"),
        };
        assert_eq!(printed, shown, "{page}: {command:?}");
    }
}

#[test]
fn the_example_of_the_readme_prints_what_it_shows() {
    prints_what_it_shows("README.md", 4);
}

#[test]
fn the_walk_through_risk_prints_what_it_shows() {
    prints_what_it_shows("docs/guide/risk.md", 4);
}
