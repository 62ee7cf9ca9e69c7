//! The key of a run: where it was given, and where a key file may not lie.

use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use scumble_files::database::Address;
use scumble_files::folder_of;
use zeroize::Zeroizing;

use super::outputs::real;
use crate::base::key::Key;
use crate::config::{KeySource, Plan, key_does_not_belong_here, shows_key};
use crate::error::{Error, Result, Setting};

/// The longest text that can be a key: 64 digits and some space around them.
const LONGEST: u64 = 256;

/// What marks a folder as a repository.
const REPOSITORIES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];

/// The key of a plan, which was given in one place or, the same, in several. `folder` is where the plan's file names start.
pub(super) fn key_of(plan: &Plan, folder: Option<&Path>) -> Result<Key> {
    let mut given: Vec<(&str, Key)> = Vec::new();
    if let Some(file) = &plan.keys.file {
        let folder = folder.ok_or_else(|| {
            Error::config("the plan names a key file, and no files are read here")
                .advise("give the key with the plan (Plan::with_key), and leave [keys] out of it")
        })?;
        given.push(("[keys] of the plan", read(&folder.join(file), plan, Some(folder))?));
    }
    for offered in plan.keys.offered() {
        let key = match &offered.source {
            KeySource::Key(key) => key.clone(),
            KeySource::File(path) => read(path, plan, folder)?,
        };
        given.push((&offered.by, key));
    }
    let Some((first, key)) = given.first() else {
        return Err(Error::config("a secret key is needed, and none was given")
            .advise("make a key with 'scumble key new FILE', once for all releases that belong together")
            .set(Setting::root("key_file"), "name the key file"));
    };
    match given.iter().find(|(_, other)| other != key) {
        None => Ok(key.clone()),
        Some((other, _)) => {
            Err(Error::config(format_args!("two different keys were given, by {first} and by {other}"))
                .advise("leave one of them out"))
        }
    }
}

/// Reads a key file; an error if others may read it, or if it lies where others will find it.
fn read(path: &Path, plan: &Plan, folder: Option<&Path>) -> Result<Key> {
    // Somebody gave the key in place of the name of its file.
    if path.file_name().is_some_and(|name| shows_key(&name.to_string_lossy())) {
        return Err(key_does_not_belong_here());
    }
    let shown = path.display();
    let cannot = |source: io::Error| scumble_files::cannot_read("the key file", path, source);
    // Opening a pipe would otherwise wait for somebody who writes into it.
    let waiting = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file = OpenOptions::new().read(true).custom_flags(waiting).open(path).map_err(cannot)?;
    // What is asked of is what was opened, whatever happens to its name meanwhile.
    let found = file.metadata().map_err(cannot)?;
    if !found.is_file() {
        return Err(Error::config(format_args!("the key file '{shown}' is no ordinary file"))
            .advise("give a file that 'scumble key new FILE' made"));
    }
    if found.mode() & 0o077 != 0 {
        return Err(Error::config(format_args!(
            "others than its owner may read or change the key file '{shown}', so the key is no secret"
        ))
        .advise("make a new key with 'scumble key new FILE', if somebody may have read this one")
        .advise("take their permissions away: chmod 600 FILE"));
    }
    check_place(path, &published_folders(plan, folder), "lies")?;
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST as usize + 1));
    (&mut file).take(LONGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    Key::read(&bytes, &format!("the key file '{shown}'"))
}

/// The folders that a run writes to, which may be passed on as a whole.
fn published_folders(plan: &Plan, folder: Option<&Path>) -> Vec<PathBuf> {
    let Some(folder) = folder else { return Vec::new() };
    let release = (plan.output != "-").then(|| match Address::recognise(&plan.output) {
        // The datasheet of a table in a database is a file.
        Some(Ok(address)) => folder_of(&address.seen_from(folder).documents(folder)).to_owned(),
        _ => folder_of(&folder.join(&plan.output)).to_owned(),
    });
    let report = (!plan.report.is_empty()).then(|| folder.join(&plan.report));
    release.into_iter().chain(report).collect()
}

/// Returns an error if a key file `lies`, or `would lie`, in one of these folders or in a repository.
fn check_place(path: &Path, published: &[PathBuf], lies: &str) -> Result<()> {
    let (shown, place) = (path.display(), real(path));
    let elsewhere = |what: String| {
        Err(Error::config(what)
            .advise("keep the key in a folder of its own, such as one in your home folder"))
    };
    if let Some(folder) = published.iter().find(|folder| place.starts_with(real(folder))) {
        return elsewhere(format!(
            "the key file '{shown}' {lies} in '{}', where this run writes: whoever gets that folder would get the key",
            if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.display()
        ));
    }
    let is_repository = |folder: &&Path| REPOSITORIES.iter().any(|mark| folder.join(mark).exists());
    match place.ancestors().skip(1).find(is_repository) {
        None => Ok(()),
        Some(folder) => elsewhere(format!(
            "the key file '{shown}' {lies} in the repository '{}', with which it would be passed on",
            folder.display()
        )),
    }
}

/// Writes a new key to a file that is not there yet and that only its owner can read. Returns the key's id.
pub fn new_key_file(path: &Path) -> Result<String> {
    let shown = path.display();
    check_place(path, &[], "would lie")?;
    let key = Key::new()?;
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Err(Error::config(format_args!(
                "'{shown}' is already there, and a key is never replaced: codes that were made with it could not be made again"
            ))
            .advise("choose another name"));
        }
        Err(source) => return Err(Error::io(format_args!("cannot make the key file '{shown}'"), source)),
    };
    let mut text = key.to_hex();
    text.push('\n');
    let written = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    if let Err(source) = written {
        // Half a key is of no use to anybody.
        let _ = std::fs::remove_file(path);
        return Err(Error::io(format_args!("cannot write the key file '{shown}'"), source));
    }
    key.id()
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// A folder for keys beside one for releases.
    fn folders() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let (keys, work) = (folder.path().join("keys"), folder.path().join("work"));
        std::fs::create_dir(&keys).expect("a folder");
        std::fs::create_dir(&work).expect("a folder");
        (folder, keys, work)
    }

    fn plan(file: &str) -> Plan {
        let mut plan = Plan::new("in.csv", "out/release.csv");
        plan.keys.file = Some(file.to_owned());
        plan
    }

    #[test]
    fn a_new_key_is_private_and_never_replaced() {
        let (_folder, keys, work) = folders();
        let path = keys.join("a.key");
        let id = new_key_file(&path).expect("a key");
        assert_eq!(std::fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(text.len() == 65 && text.ends_with('\n'));
        let error = new_key_file(&path).expect_err("it is there").to_string();
        assert!(error.contains("already there") && error.contains("never replaced"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), text);
        assert_eq!(key_of(&plan("../keys/a.key"), Some(&work)).expect("a key").id().expect("an id"), id);
    }

    #[test]
    fn keys_that_others_may_have_are_refused() {
        let (_folder, keys, work) = folders();
        let path = keys.join("a.key");
        new_key_file(&path).expect("a key");
        let refused = |file: &str, words: &str| {
            let error = key_of(&plan(file), Some(&work)).expect_err(words).to_string();
            assert!(error.contains(words), "{error}");
        };
        for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
            std::fs::set_permissions(&path, Permissions::from_mode(mode)).expect("a file");
            refused("../keys/a.key", "others than its owner may read or change the key file");
        }
        std::fs::set_permissions(&path, Permissions::from_mode(0o400)).expect("a file");
        key_of(&plan("../keys/a.key"), Some(&work)).expect("a key");
        // Beside the release, below it, with the report, and by a link.
        for place in ["out", "out/keys", "report"] {
            std::fs::create_dir_all(work.join(place)).expect("a folder");
            let file = work.join(place).join("a.key");
            std::fs::copy(&path, &file).expect("a copy");
            refused(&format!("{place}/a.key"), "where this run writes");
        }
        std::os::unix::fs::symlink(work.join("out/a.key"), keys.join("link.key")).expect("a link");
        refused("../keys/link.key", "where this run writes");
        refused("../keys/none.key", "cannot read the key file");
        refused("../keys", "no ordinary file");
        refused("/dev/zero", "no ordinary file");
        let pipe = std::process::Command::new("mkfifo").arg(keys.join("pipe")).status().expect("mkfifo");
        assert!(pipe.success());
        refused("../keys/pipe", "no ordinary file");
        std::fs::create_dir(keys.join(".git")).expect("a folder");
        refused("../keys/a.key", "lies in the repository");
        let error = new_key_file(&keys.join("b.key")).expect_err("a repository").to_string();
        assert!(error.contains("would lie in the repository") && !keys.join("b.key").exists(), "{error}");
    }

    #[test]
    fn keys_from_several_places_are_the_same() {
        let (_folder, keys, work) = folders();
        for name in ["a.key", "b.key"] {
            new_key_file(&keys.join(name)).expect("a key");
        }
        let mut plan = plan("../keys/a.key");
        plan.offer_key("--key-file", KeySource::File(keys.join("a.key")));
        let key = key_of(&plan, Some(&work)).expect("a key");
        let plan = plan.with_key(key.clone());
        assert_eq!(key_of(&plan, Some(&work)).expect("a key"), key);
        let mut other = plan.clone();
        other.offer_key("SCUMBLE_KEY_FILE", KeySource::File(keys.join("b.key")));
        let error = key_of(&other, Some(&work)).expect_err("two keys").to_string();
        assert!(error.contains("by [keys] of the plan and by SCUMBLE_KEY_FILE"), "{error}");
        let error = key_of(&Plan::new("in.csv", "out.csv"), None).expect_err("no key").to_string();
        assert!(error.contains("none was given") && error.contains("scumble key new"), "{error}");
        assert!(key_of(&plan, None).expect_err("no files").to_string().contains("Plan::with_key"));
    }
}
