//! The `scumble` command: every subcommand is a file in `cmd/`.

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser};
use scumble::config::{key_does_not_belong_here, shows_key};
use scumble_files::database::{has_password, password_refused};

mod cmd;
mod flags;
mod sample;
mod ui;

/// Without memory, a command ends with a sentence and not with an abort.
#[global_allocator]
static MEMORY: scumble_alloc::OrLeave = scumble_alloc::OrLeave::saying(ui::left_behind);

/// Publishes tables about people without publishing the people.
///
/// Start with `scumble demo`, or `scumble init DATA` on a table of your own.
#[derive(Parser)]
#[command(name = "scumble", version, propagate_version = true, arg_required_else_help = true)]
struct Arguments {
    #[command(flatten)]
    shared: ui::Shared,
    #[command(subcommand)]
    command: cmd::Command,
}

fn main() -> ExitCode {
    scumble_alloc::give_back();
    ui::quiet_panics();
    scumble_sql::install();
    // Before anything else looks at the arguments: messages may quote them.
    if std::env::args_os().any(|given| has_password(&given.to_string_lossy())) {
        let error = password_refused();
        return ui::fail(&error, &error.to_string());
    }
    if std::env::args_os().any(|given| shows_key(&given.to_string_lossy())) {
        let error = key_does_not_belong_here();
        return ui::fail(&error, &error.to_string());
    }
    let mut all = taking_negatives(Arguments::command());
    let matches = all.get_matches_mut();
    let arguments = match Arguments::from_arg_matches(&matches) {
        Ok(arguments) => arguments,
        Err(error) => error.format(&mut all).exit(),
    };
    let (command, given) = flags::given(&all, &matches);
    if let Err(error) = flags::check_several(command, given) {
        return ui::fail(&error, &flags::worded(&error, command, Some(given)));
    }
    let ended = ui::Interface::new(&arguments.shared).and_then(|interface| arguments.command.run(&interface));
    ended.unwrap_or_else(|error| {
        let (command, given) = flags::given(&all, &matches);
        ui::fail(&error, &flags::worded(&error, command, Some(given)))
    })
}

/// Lets flags take `-1` as a value and not as a flag, so that the error comes from the code that reads the value.
fn taking_negatives(command: clap::Command) -> clap::Command {
    let takes = |argument: &clap::Arg| !argument.is_positional() && argument.get_action().takes_values();
    let command = command.mut_args(|argument| match takes(&argument) {
        true => argument.allow_negative_numbers(true),
        false => argument,
    });
    command.mut_subcommands(taking_negatives)
}
