//! `scumble explain NAME`: what one template, algorithm, transform, privacy model, metric, machine-learning model or attack does.

use std::process::ExitCode;

use scumble::config::Parameters;
use scumble::config::template::Template;
use scumble::error::did_you_mean;
use scumble::registry::{
    ALGORITHMS, METRICS, MODELS, RECORD_ALGORITHMS, Registry, TABLES_ALGORITHMS, TRANSFORMS, algorithm_names,
    method,
};
use scumble::{Error, Result};
use scumble_eval::attack::ATTACKS;
use scumble_learn::registry::LEARNERS;

use crate::ui::{print, wrap};

/// What one template, algorithm, transform, privacy model, metric, machine-learning model or attack does, with its paper and parameters
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A name from `scumble list`
    name: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let wanted = arguments.name.replace('-', "_").to_lowercase();
    let what_it_can = what_it_can(&wanted);
    let algorithm = |text: String| text + &what_it_can;
    let found = explain("algorithm", &ALGORITHMS, &wanted)
        .or_else(|| explain("algorithm", &RECORD_ALGORITHMS, &wanted))
        .or_else(|| explain("algorithm", &TABLES_ALGORITHMS, &wanted))
        .map(algorithm)
        .or_else(|| explain("transform", &TRANSFORMS, &wanted))
        .or_else(|| explain("privacy model", &MODELS, &wanted))
        .or_else(|| explain("metric", &METRICS, &wanted))
        .or_else(|| learner(&wanted))
        .or_else(|| attack(&wanted))
        .or_else(|| template(&wanted));
    let Some(text) = found else {
        let names = algorithm_names().into_iter();
        let names = names.chain(TRANSFORMS.names()).chain(MODELS.names()).chain(METRICS.names());
        let names = names.chain(LEARNERS.iter().map(|entry| entry.name));
        let names = names.chain(ATTACKS.iter().map(|attack| attack.name));
        let names = names.chain(Template::names());
        let near = did_you_mean(&wanted, names);
        return Err(Error::config(format!(
            "there is nothing called '{}'{near} (see scumble list --all)",
            arguments.name
        )));
    };
    print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn explain<B>(kind: &str, entries: &Registry<B>, name: &str) -> Option<String> {
    let entry = entries.get(name)?;
    let head = format!("{}\n{} · {} · {}\n\n", entry.title, kind, entry.standing.name(), entry.paper);
    Some(head + &body(entry.about, entry.parameters))
}

/// Says what an algorithm needs, supports and promises with its defaults.
fn what_it_can(name: &str) -> String {
    let words = method(name).and_then(|method| method.capabilities_in_words(&Parameters::default()));
    // The library names settings, and the command its flags.
    let flags = [("(metric)", "(--metric)"), ("(suppression)", "(--suppression)")];
    let with_flags =
        |sentence: String| flags.iter().fold(sentence, |text, (name, flag)| text.replace(name, flag));
    let lines = words.unwrap_or_default().into_iter().map(with_flags);
    let lines: String = lines.map(|sentence| format!("  {}\n", wrap(&sentence, 88, "    "))).collect();
    if lines.is_empty() { lines } else { format!("\nWhat it needs and serves, with its defaults\n{lines}") }
}

fn learner(name: &str) -> Option<String> {
    let entry = LEARNERS.iter().find(|entry| entry.name == name)?;
    let head = format!("{}\nmachine-learning model, for scumble evaluate · {}\n\n", entry.title, entry.paper);
    Some(head + &body(entry.about, entry.parameters))
}

fn attack(name: &str) -> Option<String> {
    let attack = ATTACKS.iter().find(|attack| attack.name == name)?;
    let head = format!("{}\nattack, for scumble attack · {}\n\n", attack.title, attack.paper);
    Some(head + &body(attack.about, &[]))
}

fn template(name: &str) -> Option<String> {
    let template = Template::find(name).ok()?;
    let head = format!(
        "{}\ntemplate, for scumble init · version {} · {}\n\n",
        template.title, template.version, template.source
    );
    let sets = template.rules_in_words().into_iter().map(|line| format!("  {}\n", wrap(&line, 88, "    ")));
    let does_not = template.does_not.iter().map(|line| format!("  {}\n", wrap(line, 88, "    ")));
    Some(
        head + &body(template.about.trim(), &[])
            + "\nWhat it sets, by the first rule that fits a column\n"
            + &sets.collect::<String>()
            + "\nWhat it does not do\n"
            + &does_not.collect::<String>(),
    )
}

fn body(about: &str, parameters: &[(&str, &str)]) -> String {
    let mut text = wrap(about, 90, "");
    text.push('\n');
    if !parameters.is_empty() {
        text += "\nParameters\n";
        let width = parameters.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, meaning) in parameters {
            text += &format!("  {name:width$}  {meaning}\n");
        }
    }
    text
}
