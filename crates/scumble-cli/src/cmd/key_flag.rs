//! `--key-file`, and the variables of the environment that give a key.

use std::ffi::OsString;
use std::path::PathBuf;

use scumble::config::{KeySource, Plan};
use scumble::prelude::Key;
use scumble::transforms::need_key;
use scumble::{Error, Result};

/// The variable with the name of a key file.
const FILE: &str = "SCUMBLE_KEY_FILE";
/// The variable with a key.
const KEY: &str = "SCUMBLE_KEY";

/// Where the secret key is.
#[derive(clap::Args)]
pub(super) struct KeyFlag {
    /// The file with the secret key that steps need (scumble key new); also SCUMBLE_KEY_FILE, or SCUMBLE_KEY with the key itself
    #[arg(long, value_name = "FILE")]
    key_file: Option<PathBuf>,
}

impl KeyFlag {
    /// Gives a plan with all of its steps the keys of the command and its environment, if a step needs one.
    pub(super) fn apply(&self, plan: &mut Plan) -> Result<()> {
        if !need_key(&plan.transform) {
            return match &self.key_file {
                None => Ok(()),
                Some(_) => Err(Error::config("--key-file: no step of this run needs a key")
                    .advise("leave the key file out")
                    .advise("name a step that needs one, such as pseudonym or shift (--transform)")),
            };
        }
        // A variable that is set to nothing is not set.
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let files = [("--key-file", self.key_file.clone()), (FILE, variable(FILE).map(PathBuf::from))];
        for (by, file) in files {
            let Some(file) = file else { continue };
            let file = std::path::absolute(&file)
                .map_err(|source| Error::io(format!("cannot use '{}'", file.display()), source))?;
            plan.offer_key(by, KeySource::File(file));
        }
        if let Some(key) = variable(KEY) {
            plan.offer_key(KEY, KeySource::Key(read(&key)?));
        }
        Ok(())
    }
}

/// The key that the variable writes in hexadecimal digits; raw bytes are for files.
fn read(key: &OsString) -> Result<Key> {
    match key.to_str().filter(|text| text.trim().bytes().all(|sign| sign.is_ascii_hexdigit())) {
        Some(text) => Key::read(text.as_bytes(), "the key in SCUMBLE_KEY"),
        None => Err(Error::config("the key in SCUMBLE_KEY is not written in hexadecimal digits")
            .advise("give 64 hexadecimal digits, as 'scumble key new FILE' writes them")
            .advise("name the file of the key in SCUMBLE_KEY_FILE")),
    }
}
