//! A lock on a folder, so that only one run at a time gives names to files there.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::control::Control;
use crate::error::{Error, Result};

/// How long a run waits for another one. Giving names takes milliseconds, so a run that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A lock on a folder, released on drop. It is a lock on the folder itself, so no lock file is left behind, and the system
/// releases it when a process is killed. Some network file systems have no such locks: there nothing is locked, and only the
/// digest in a datasheet shows whether the datasheet belongs to the release next to it.
#[derive(Debug)]
pub struct FolderLock {
    _held: Option<File>,
}

impl FolderLock {
    /// Waits until no other run holds the lock of the folder. Fails if this run is cancelled while it waits.
    pub fn exclusive(folder: &Path, control: &Control) -> Result<Self> {
        let Ok(file) = File::open(folder) else { return Ok(Self { _held: None }) };
        let began = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _held: Some(file) }),
                Err(TryLockError::Error(_)) => return Ok(Self { _held: None }),
                Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                    return Err(Error::resources(format!(
                        "another run has been giving names to files in '{}' for {} seconds, so nothing was published",
                        folder.display(),
                        PATIENCE.as_secs()
                    ))
                    .advise("try again when that run has ended"));
                }
                Err(TryLockError::WouldBlock) => {
                    control.check()?;
                    std::thread::sleep(Duration::from_millis(10));
                }
            }
        }
    }

    /// Waits until no other run gives names to files in the folder. Several readers do not disturb each other. If the lock cannot
    /// be had in time, the reader goes on without it: it has the digests to check what it reads.
    #[must_use]
    pub fn shared(folder: &Path) -> Self {
        let Ok(file) = File::open(folder) else { return Self { _held: None } };
        let began = Instant::now();
        loop {
            match file.try_lock_shared() {
                Ok(()) => return Self { _held: Some(file) },
                Err(TryLockError::WouldBlock) if began.elapsed() <= PATIENCE => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                Err(_) => return Self { _held: None },
            }
        }
    }

    /// Takes the lock if no other run has it.
    pub(crate) fn at_once(folder: &Path) -> Option<Self> {
        let Ok(file) = File::open(folder) else { return Some(Self { _held: None }) };
        match file.try_lock() {
            Ok(()) => Some(Self { _held: Some(file) }),
            Err(TryLockError::Error(_)) => Some(Self { _held: None }),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_exclude_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let first = FolderLock::exclusive(folder.path(), &Control::default()).unwrap();
        assert!(FolderLock::at_once(folder.path()).is_none());
        drop(first);
        let readers = [FolderLock::shared(folder.path()), FolderLock::shared(folder.path())];
        assert!(FolderLock::at_once(folder.path()).is_none());
        drop(readers);
        assert!(FolderLock::at_once(folder.path()).is_some());
        assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "no lock file");
    }
}
