//! The `scumble` command: every subcommand is a file in `cmd/`.

use std::process::ExitCode;

use clap::Parser;

mod cmd;
mod sample;
mod ui;

/// Without memory a command ends with a sentence, not with an abort.
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
    let arguments = Arguments::parse();
    let interface = match ui::Interface::new(&arguments.shared) {
        Ok(interface) => interface,
        Err(error) => return ui::fail(&error),
    };
    match arguments.command.run(&interface) {
        Ok(code) => code,
        Err(error) => ui::fail(&error),
    }
}
