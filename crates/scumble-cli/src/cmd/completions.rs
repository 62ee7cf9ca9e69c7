//! `scumble completions SHELL`: completions for a shell.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use scumble::Result;

use crate::ui::print;

/// Completions for your shell, e.g. scumble completions bash > ~/.local/share/bash-completion/completions/scumble
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// bash, zsh, fish, elvish or powershell
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::Arguments::command(), "scumble", &mut script);
    print(String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
