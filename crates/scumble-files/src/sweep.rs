//! What runs that were killed have left behind.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::error::{Result, writing};
use crate::folder;
use crate::folder_lock::FolderLock;
use crate::private::{PREFIX, SUFFIX, folder_of};

/// Between the process and the name of a folder that was moved aside. Random names have no `-`.
const ASIDE: &str = "aside-";

/// The hidden name that a folder has while another takes its place in steps.
pub(crate) fn aside_name(target: &Path) -> PathBuf {
    let mut name = OsString::from(format!("{PREFIX}{}-{ASIDE}", std::process::id()));
    name.push(target.file_name().unwrap_or_default());
    name.push(SUFFIX);
    folder_of(target).join(name)
}

/// What a hidden name tells.
#[derive(Debug, PartialEq, Eq)]
struct Hidden {
    /// The process that made it.
    process: u32,
    /// The name that a folder had which was moved aside.
    was: Option<OsString>,
}

/// What a hidden name of ours tells; none for other names.
fn hidden(name: &OsStr) -> Option<Hidden> {
    let inner = name.as_bytes().strip_prefix(PREFIX.as_bytes())?.strip_suffix(SUFFIX.as_bytes())?;
    let dash = inner.iter().position(|byte| *byte == b'-')?;
    let (process, rest) = (&inner[..dash], &inner[dash + 1..]);
    if rest.is_empty() || !process.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let was = rest.strip_prefix(ASIDE.as_bytes()).filter(|was| !was.is_empty());
    let process = std::str::from_utf8(process).ok()?.parse().ok()?;
    Some(Hidden { process, was: was.map(|was| OsString::from_vec(was.to_vec())) })
}

/// Removes hidden files and folders in the folder that processes left behind which are gone; a folder that one of them had moved
/// aside gets its name again, if nothing has taken it. Returns how many.
pub fn sweep(folder: &Path) -> Result<usize> {
    let explain = |error| writing(&folder.display().to_string(), error);
    if !Path::new("/proc/self").exists() {
        return Ok(0); // It cannot be told which processes are gone.
    }
    let mut removed = 0;
    for name in folder::list(folder).map_err(explain)? {
        let Some(found) = hidden(&name) else { continue };
        let path = folder.join(&name);
        let Ok(kind) = fs::symlink_metadata(&path).map(|found| found.file_type()) else { continue };
        if !kind.is_file() && !kind.is_dir() {
            continue;
        }
        if found.process == std::process::id() || Path::new(&format!("/proc/{}", found.process)).exists() {
            continue;
        }
        let gone = match found.was.map(|was| folder.join(was)) {
            Some(was) => match FolderLock::at_once(folder) {
                Some(_lock) if fs::symlink_metadata(&was).is_err() => fs::rename(&path, was),
                Some(_) => folder::remove(&path),
                // Somebody is giving names here at this moment; the next run will see.
                None => continue,
            },
            None if kind.is_dir() => folder::remove(&path),
            None => fs::remove_file(&path),
        };
        match gone {
            Ok(()) => removed += 1,
            // Somebody else was quicker, or it is somebody else's: neither is ours to mend.
            Err(error)
                if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {}
            Err(error) => return Err(explain(error)),
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_names_tell_whose_they_are() {
        let told = |name: &str| hidden(OsStr::new(name));
        assert_eq!(told(".scumble-12-abcdefgh.tmp"), Some(Hidden { process: 12, was: None }));
        let aside = Hidden { process: 12, was: Some("my-release".into()) };
        assert_eq!(told(".scumble-12-aside-my-release.tmp"), Some(aside));
        for other in [".scumble-12-.tmp", ".scumble-x-abc.tmp", ".scumble-notes.tmp", "scumble-12-abc.tmp"] {
            assert_eq!(told(other), None, "{other}");
        }
        let made = aside_name(Path::new("some/where/release"));
        assert_eq!(made.parent(), Some(Path::new("some/where")));
        let found = hidden(made.file_name().unwrap()).unwrap();
        assert_eq!((found.process, found.was), (std::process::id(), Some("release".into())));
    }

    #[test]
    fn a_folder_that_was_moved_aside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        // Process numbers are below 2^22, so this process is gone.
        let aside = folder.path().join(".scumble-4194999-aside-release.tmp");
        fs::create_dir(&aside).unwrap();
        fs::write(aside.join("rows.csv"), "old").unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 1);
        let release = folder.path().join("release");
        assert_eq!(fs::read_to_string(release.join("rows.csv")).unwrap(), "old");
        // Where the new one has taken its place, the old one goes.
        fs::create_dir(&aside).unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 1);
        assert!(!aside.exists() && release.join("rows.csv").exists());
    }
}
