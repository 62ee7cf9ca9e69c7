//! `scumble key`: makes secret keys.

use std::path::PathBuf;
use std::process::ExitCode;

use scumble::Result;
use scumble::release::new_key_file;

use crate::ui::{Interface, print};

/// Make secret keys, for pseudonyms and moved dates
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Write a new key to a file that only you can read
    New {
        /// The file to write, outside of repositories and of folders with releases; an existing file is never replaced
        file: PathBuf,
    },
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let Action::New { file } = &arguments.action;
    let id = new_key_file(file)?;
    print(format_args!("Wrote a new key to {} (key-id {id}). Only you can read it.\n", file.display()))?;
    interface.note("keep a copy in another safe place: without this key, nobody can make the same codes and offsets again");
    interface.note(
        "whoever has the key can find out whose codes these are, so it never goes where a release goes",
    );
    Ok(ExitCode::SUCCESS)
}
