//! `scumble list`: lists templates, algorithms, transforms, models, metrics and attacks.

use std::process::ExitCode;

use scumble::Result;
use scumble::config::template::Template;
use scumble::registry::{
    ALGORITHMS, METRICS, MODELS, RECORD_ALGORITHMS, Registry, Standing, TABLES_ALGORITHMS, TRANSFORMS,
};
use scumble_eval::attack::ATTACKS;
use scumble_learn::registry::LEARNERS;

use crate::ui::{print, wrap};

/// List the templates, algorithms, transforms, privacy models, metrics, machine-learning models and attacks
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only these: templates
    what: Option<What>,
    /// Also show superseded and experimental entries
    #[arg(long)]
    all: bool,
}

/// What can be listed by itself.
#[derive(Clone, Copy, clap::ValueEnum)]
enum What {
    /// Starting points for plans
    Templates,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut text = String::new();
    templates(&mut text)?;
    if arguments.what.is_some() {
        print(
            text + "`scumble explain NAME` says more about each; `scumble init DATA --template NAME` follows it.\n",
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    section(&mut text, "Algorithms", &ALGORITHMS, arguments.all);
    section(&mut text, "Algorithms whose records overlap", &RECORD_ALGORITHMS, arguments.all);
    section(&mut text, "Algorithms that publish several tables", &TABLES_ALGORITHMS, arguments.all);
    section(&mut text, "Transforms, for columns before the search", &TRANSFORMS, arguments.all);
    section(&mut text, "Privacy models", &MODELS, arguments.all);
    section(&mut text, "Metrics", &METRICS, arguments.all);
    plain(
        &mut text,
        "Machine-learning models, for scumble evaluate",
        LEARNERS.iter().map(|entry| (entry.name, entry.title)),
    );
    plain(&mut text, "Attacks, for scumble attack", ATTACKS.iter().map(|attack| (attack.name, attack.title)));
    text += "`scumble explain NAME` says more about each";
    text += if arguments.all { ".\n" } else { "; --all shows the rest.\n" };
    print(text)?;
    Ok(ExitCode::SUCCESS)
}

fn templates(text: &mut String) -> Result<()> {
    let found = Template::names().into_iter().map(Template::find).collect::<Result<Vec<_>>>()?;
    plain(text, "Templates, for scumble init", found.iter().map(|of| (of.name.as_str(), of.title.as_str())));
    Ok(())
}

fn section<B>(text: &mut String, title: &str, entries: &Registry<B>, all: bool) {
    if !all && entries.iter().all(|entry| entry.standing != Standing::Recommended) {
        return;
    }
    *text += &format!("{title}\n");
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    for standing in [Standing::Recommended, Standing::Classic, Standing::Experimental] {
        if standing != Standing::Recommended && !all {
            continue;
        }
        for entry in entries.iter().filter(|entry| entry.standing == standing) {
            let mark = if standing == Standing::Recommended {
                String::new()
            } else {
                format!(" ({})", standing.name())
            };
            // The first sentence says when to use it.
            let about = entry.about.split(". ").next().unwrap_or(entry.about).trim_end_matches('.');
            *text += &format!("  {:width$}  {}{mark}\n", entry.name, entry.title);
            let indent = " ".repeat(width + 4);
            *text += &format!("{indent}{}.\n", wrap(about, 96 - indent.len(), &indent));
        }
    }
    text.push('\n');
}

fn plain<'a>(text: &mut String, title: &str, entries: impl Iterator<Item = (&'a str, &'a str)> + Clone) {
    let width = entries.clone().map(|(name, _)| name.len()).max().unwrap_or(0);
    *text += &format!("{title}\n");
    for (name, title) in entries {
        *text += &format!("  {name:width$}  {title}\n");
    }
    text.push('\n');
}
