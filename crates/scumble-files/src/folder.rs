//! Lists and removes folders.
//!
//! The standard library panics if a folder that was listed cannot be closed. Here such a failure changes nothing, since
//! everything has been read by then. This matters once a release has its name: a panic would claim that nothing was published.

use std::ffi::{CString, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, Mode, OFlags};
use rustix::io::Errno;

/// Opens a folder itself, never the target of a link.
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Returns the names of everything in a folder. A link to a folder is followed.
pub(crate) fn list(folder: &Path) -> io::Result<Vec<OsString>> {
    let opened = rustix::fs::open(folder, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
    Ok(names(opened)?.into_iter().map(|name| OsString::from_vec(name.into_bytes())).collect())
}

fn names(folder: OwnedFd) -> io::Result<Vec<CString>> {
    let mut names = Vec::new();
    for entry in Dir::new(folder)? {
        let entry = entry?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(entry.file_name().to_owned());
        }
    }
    Ok(names)
}

/// Removes a folder with everything in it. Links are removed, and what they point to stays.
pub(crate) fn remove(folder: &Path) -> io::Result<()> {
    clear(&rustix::fs::open(folder, FOLDER, Mode::empty())?)?;
    std::fs::remove_dir(folder)
}

fn clear(folder: &OwnedFd) -> io::Result<()> {
    for name in names(folder.try_clone()?)? {
        match rustix::fs::unlinkat(folder, &name, AtFlags::empty()) {
            // Another process was quicker.
            Ok(()) | Err(Errno::NOENT) => {}
            // Systems answer so for a folder.
            Err(Errno::ISDIR | Errno::PERM) => {
                clear(&rustix::fs::openat(folder, &name, FOLDER, Mode::empty())?)?;
                rustix::fs::unlinkat(folder, &name, AtFlags::REMOVEDIR)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_go_with_what_is_in_them_and_links_alone() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        std::fs::create_dir_all(at("old/inner/deep")).unwrap();
        std::fs::create_dir(at("kept")).unwrap();
        for name in ["old/a", "old/inner/deep/b", "kept/c"] {
            std::fs::write(at(name), "1").unwrap();
        }
        std::os::unix::fs::symlink(at("kept"), at("old/inner/link")).unwrap();
        std::os::unix::fs::symlink(at("kept"), at("way")).unwrap();
        assert_eq!(list(&at("way")).unwrap(), ["c"]);
        assert!(remove(&at("way")).is_err(), "a link is no folder");
        remove(&at("old")).unwrap();
        let mut left = list(place.path()).unwrap();
        left.sort();
        assert_eq!(left, ["kept", "way"]);
        assert_eq!(list(&at("kept")).unwrap(), ["c"]);
        assert!(list(&at("old")).is_err());
    }
}
