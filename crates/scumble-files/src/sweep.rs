//! Removes what killed runs have left behind.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use sha2::{Digest, Sha256};

use crate::error::{Result, writing};
use crate::folder;
use crate::folder_lock::FolderLock;
use crate::private::{PREFIX, SUFFIX, folder_of};

/// Marks the hidden name of a folder that was moved aside, between the process and the folder's old name. Random names have no
/// `-`.
const ASIDE: &str = "aside-";

/// How long a hidden file of another machine or container must have stayed unchanged before it counts as left behind. This
/// machine cannot see whether its process still runs.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The name of this process in hidden names: its number, and the place where that number is valid.
pub(crate) fn own_process() -> &'static str {
    static NAME: LazyLock<String> = LazyLock::new(|| format!("{}.{}", std::process::id(), *PLACE));
    &NAME
}

/// The place where this process's number is valid: this machine, and on it this container.
static PLACE: LazyLock<String> = LazyLock::new(|| {
    let read = |path: &str| fs::read(path).unwrap_or_default();
    let numbers = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let all = [&read("/etc/machine-id"), &read("/proc/sys/kernel/hostname"), numbers.as_os_str().as_bytes()]
        .concat();
    Sha256::digest(all).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
});

/// The hidden name of a folder while another one takes its place in steps.
pub(crate) fn aside_name(target: &Path) -> PathBuf {
    let mut name = OsString::from(format!("{PREFIX}{}-{ASIDE}", own_process()));
    name.push(target.file_name().unwrap_or_default());
    name.push(SUFFIX);
    folder_of(target).join(name)
}

/// What a hidden name says.
#[derive(Debug, PartialEq, Eq)]
struct Hidden {
    /// The process that made it.
    process: u32,
    /// The place where the process ran; if the name does not say, it is this one.
    place: Option<String>,
    /// The original name of a folder that was moved aside.
    was: Option<OsString>,
}

/// Parses a hidden name that Scumble made. Returns `None` for other names.
fn hidden(name: &OsStr) -> Option<Hidden> {
    let inner = name.as_bytes().strip_prefix(PREFIX.as_bytes())?.strip_suffix(SUFFIX.as_bytes())?;
    let dash = inner.iter().position(|byte| *byte == b'-')?;
    let (process, rest) = (&inner[..dash], &inner[dash + 1..]);
    let process = std::str::from_utf8(process).ok()?;
    let (process, place) =
        process.split_once('.').map_or((process, None), |(process, place)| (process, Some(place)));
    if rest.is_empty() || !process.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let was = rest.strip_prefix(ASIDE.as_bytes()).filter(|was| !was.is_empty());
    Some(Hidden {
        process: process.parse().ok()?,
        place: place.map(str::to_owned),
        was: was.map(|was| OsString::from_vec(was.to_vec())),
    })
}

impl Hidden {
    /// Whether no process uses the file any more.
    fn is_left_behind(&self, file: &fs::Metadata) -> bool {
        if self.place.as_ref().is_some_and(|place| *place != *PLACE) {
            return file.modified().is_ok_and(|then| then.elapsed().is_ok_and(|age| age > A_DAY));
        }
        self.process != std::process::id() && !Path::new(&format!("/proc/{}", self.process)).exists()
    }
}

/// Removes the hidden files and folders that ended processes left behind in a folder. A folder that one of them had moved aside
/// gets its name back, if nothing has taken that name. Returns how many were dealt with.
pub fn sweep(folder: &Path) -> Result<usize> {
    let explain = |error| writing(&folder.display().to_string(), error);
    if !Path::new("/proc/self").exists() {
        return Ok(0); // Without /proc nobody can say which processes have ended.
    }
    let mut removed = 0;
    for name in folder::list(folder).map_err(explain)? {
        let Some(found) = hidden(&name) else { continue };
        let path = folder.join(&name);
        let Ok(file) = fs::symlink_metadata(&path) else { continue };
        let kind = file.file_type();
        if !(kind.is_file() || kind.is_dir()) || !found.is_left_behind(&file) {
            continue;
        }
        let gone = match found.was.map(|was| folder.join(was)) {
            Some(was) => match FolderLock::at_once(folder) {
                Some(_lock) if fs::symlink_metadata(&was).is_err() => fs::rename(&path, was),
                Some(_) => folder::remove(&path),
                // Another run is naming files here at this moment; the next run will look again.
                None => continue,
            },
            None if kind.is_dir() => folder::remove(&path),
            None => fs::remove_file(&path),
        };
        match gone {
            Ok(()) => removed += 1,
            // Another process was quicker, or the file belongs to somebody else: neither is for this run to fix.
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
        assert_eq!(told(".scumble-12-abcdefgh.tmp"), Some(Hidden { process: 12, place: None, was: None }));
        let elsewhere = Hidden { process: 12, place: Some("0a1b2c3d".into()), was: None };
        assert_eq!(told(".scumble-12.0a1b2c3d-abcdefgh.tmp"), Some(elsewhere));
        let aside = Hidden { process: 12, place: None, was: Some("my-release".into()) };
        assert_eq!(told(".scumble-12-aside-my-release.tmp"), Some(aside));
        for other in [".scumble-12-.tmp", ".scumble-x-abc.tmp", ".scumble-notes.tmp", "scumble-12-abc.tmp"] {
            assert_eq!(told(other), None, "{other}");
        }
        let made = aside_name(Path::new("some/where/release"));
        assert_eq!(made.parent(), Some(Path::new("some/where")));
        let found = hidden(made.file_name().unwrap()).unwrap();
        assert_eq!((found.process, found.was), (std::process::id(), Some("release".into())));
        assert_eq!(found.place.as_ref(), Some(&*PLACE));
    }

    /// A process number of another container means nothing here. A file of another container that is older than a day belongs to
    /// nobody.
    #[test]
    fn files_of_other_machines_stay_for_a_day() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".scumble-4194999.00000000-abcdefgh.tmp");
        fs::write(&path, "half a release").unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 0);
        let two_days_ago = std::time::SystemTime::now() - 2 * A_DAY;
        fs::File::options().write(true).open(&path).unwrap().set_modified(two_days_ago).unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 1);
        fs::write(folder.path().join(format!(".scumble-4194999.{}-abcdefgh.tmp", *PLACE)), "ours").unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 1);
    }

    #[test]
    fn a_folder_that_was_moved_aside_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        // Process numbers are below 2^22, so this process does not exist.
        let aside = folder.path().join(".scumble-4194999-aside-release.tmp");
        fs::create_dir(&aside).unwrap();
        fs::write(aside.join("rows.csv"), "old").unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 1);
        let release = folder.path().join("release");
        assert_eq!(fs::read_to_string(release.join("rows.csv")).unwrap(), "old");
        // If the new folder has taken the name, the old one is removed.
        fs::create_dir(&aside).unwrap();
        assert_eq!(sweep(folder.path()).unwrap(), 1);
        assert!(!aside.exists() && release.join("rows.csv").exists());
    }
}
