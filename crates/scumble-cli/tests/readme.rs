//! The README's example is what the command really does.

mod common;

use common::Desk;

/// The commands of the README's console block, with the lines that follow each.
fn transcript() -> Vec<(Vec<String>, Vec<String>)> {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).expect("a README");
    let start = readme.find("$ scumble sample").expect("the example");
    let block = &readme[start..start + readme[start..].find("```").expect("its end")];
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

#[test]
fn the_example_of_the_readme_prints_what_it_shows() {
    let desk = Desk::new();
    let steps = transcript();
    assert_eq!(steps.len(), 4, "{steps:#?}");
    for (command, shown) in steps {
        let printed: Vec<String> = match command[0].as_str() {
            "scumble" => {
                let arguments: Vec<&str> = command[1..].iter().map(String::as_str).collect();
                let run = desk.run(&arguments).succeeds();
                run.err.lines().chain(run.out.lines()).map(str::to_owned).collect()
            }
            "head" => desk.text("release.csv").lines().take(4).map(str::to_owned).collect(),
            other => panic!("the README runs '{other}', which this test does not know"),
        };
        assert_eq!(printed, shown, "{command:?}");
    }
}
