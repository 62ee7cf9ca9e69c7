//! Several files that get their names together: all of them, or none.
//!
//! A file system has no step that names several files. So each file that is there already is kept under a hidden name as well, until all new ones
//! have theirs. If one cannot be named, those before it give their names back.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::error::{Error, ErrorKind, Result, writing};
use crate::private::{Audience, Named, PrivateFile, SetAside, folder_of, hidden_name, is_absent, plain};

/// Gives files their names, one after the other. An error means that every name is as it was before, unless it is of the kind
/// [`ErrorKind::AfterPublishing`]: then it says what could not be taken back. The caller holds the locks of the folders.
pub fn publish_together(files: Vec<(PrivateFile, PathBuf)>, audience: Audience) -> Result<Vec<Named>> {
    let mut named = Vec::new();
    let mut before = Vec::new();
    for (file, target) in files {
        let old = match Before::of(&target) {
            Ok(old) => old,
            Err(error) => return Err(take_back(before, error)),
        };
        match file.publish(audience) {
            Ok(new) => {
                before.push(old);
                named.push(new);
            }
            Err(error) => {
                // The name itself is as it was, unless the old file had to go aside.
                before.extend(old.is_aside().then_some(old));
                return Err(take_back(before, error));
            }
        }
    }
    Ok(named)
}

/// Takes files back that got their names before another one failed.
fn take_back(before: Vec<Before>, failed: Error) -> Error {
    let lost: Vec<Error> = before.into_iter().rev().filter_map(|old| old.restore().err()).collect();
    let [first, ..] = &lost[..] else { return failed };
    Error::new(
        ErrorKind::AfterPublishing,
        format!("{failed}; and what was published before it could not be taken back: {first}"),
    )
    .advise("remove the published files, mend what failed and run it again")
}

/// What stood under a name.
enum Before {
    /// Nothing.
    Nothing(PathBuf),
    /// A file, which also has a hidden name.
    Linked(TempPath, PathBuf),
    /// A file that has only a hidden name, where the system does not let a file have two.
    Aside(SetAside),
}

impl Before {
    fn of(name: &Path) -> Result<Self> {
        if is_absent(name) {
            return Ok(Self::Nothing(name.to_owned()));
        }
        // A folder is no file that a release may replace.
        if fs::symlink_metadata(name).is_ok_and(|found| found.is_dir()) {
            return Err(writing(&name.display().to_string(), std::io::ErrorKind::IsADirectory.into()));
        }
        let linked = hidden_name().make_in(folder_of(name), |hidden| fs::hard_link(name, hidden));
        match linked {
            Ok(linked) => Ok(Self::Linked(linked.into_temp_path(), name.to_owned())),
            Err(_) => Ok(match SetAside::take(name)? {
                Some(aside) => Self::Aside(aside),
                None => Self::Nothing(name.to_owned()),
            }),
        }
    }

    fn is_aside(&self) -> bool {
        matches!(self, Self::Aside(_))
    }

    /// Gives the name back to what stood under it.
    fn restore(self) -> Result<()> {
        match self {
            Self::Nothing(name) => match fs::remove_file(&name) {
                Err(error) if !is_absent(&name) => {
                    Err(Error::io(format!("cannot remove '{}'", name.display()), plain(&error)))
                }
                _ => Ok(()),
            },
            Self::Linked(hidden, name) => {
                let shown = name.display().to_string();
                hidden.persist(&name).map_err(|failed| writing(&shown, plain(&failed.error)))
            }
            Self::Aside(aside) => aside.put_back(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(target: &Path, text: &str) -> (PrivateFile, PathBuf) {
        let mut file = PrivateFile::create(target).expect("a file");
        file.file().write_all(text.as_bytes()).expect("written");
        (file, target.to_owned())
    }

    #[test]
    fn all_files_get_their_names_or_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, new, last] = ["old", "new", "last"].map(|name| folder.path().join(name));
        fs::write(&old, "before").expect("written");
        let all = || vec![file(&old, "1"), file(&new, "2"), file(&last, "3")];
        let given = all();
        // Nothing can take the name of a folder that is not empty.
        fs::create_dir_all(last.join("in it")).expect("a folder");
        assert!(publish_together(given, Audience::Public).is_err());
        assert_eq!(fs::read_to_string(&old).expect("it is there"), "before");
        assert!(!new.exists());
        fs::remove_dir_all(&last).expect("removed");
        for named in publish_together(all(), Audience::Public).expect("named") {
            named.sound().expect("on the disk");
        }
        let text = |path: &Path| fs::read_to_string(path).expect("it is there");
        assert_eq!([text(&old), text(&new), text(&last)], ["1", "2", "3"]);
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3, "no hidden name is left");
    }
}
