//! A folder that nobody else can enter until it is published in one step.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::{Error, Result, writing};
use crate::folder;
use crate::private::{Named, folder_of, hidden_name, plain, public_mode, stands_at, trouble, unnamed};
use crate::sweep::aside_name;

/// The files of a folder that does not exist yet. Where the system allows that, they have no names, so that nothing is left
/// behind whatever happens. Elsewhere they lie in a hidden folder that only the owner can enter, removed on drop.
#[derive(Debug)]
pub struct PrivateFolder {
    target: PathBuf,
    files: Vec<(String, File)>,
    hidden: Option<TempDir>,
}

impl PrivateFolder {
    /// Creates an empty folder that can become `target`.
    pub fn create(target: impl Into<PathBuf>) -> Result<Self> {
        let target = target.into();
        let shown = target.display().to_string();
        if fs::symlink_metadata(&target).is_ok_and(|found| !found.is_dir()) {
            return Err(Error::config(format!("'{shown}' is not a folder, and several tables go into one"))
                .advise("choose another name")
                .advise("remove the file"));
        }
        Ok(Self { target, files: Vec::new(), hidden: None })
    }

    /// Creates a file in the folder, for writing and for reading back what was written.
    pub fn file(&mut self, name: &str) -> Result<File> {
        let shown = self.target.join(name).display().to_string();
        let file = match unnamed(folder_of(&self.target), 0o600) {
            Some(file) => file,
            None => {
                let folder = self.hidden().map_err(|error| writing(&shown, plain(&error)))?;
                let mut options = OpenOptions::new();
                options.read(true).write(true).create_new(true).mode(0o600);
                options.open(folder.join(name)).map_err(|error| writing(&shown, plain(&error)))?
            }
        };
        let handle = file.try_clone().map_err(|error| writing(&shown, error))?;
        self.files.push((name.to_owned(), file));
        Ok(handle)
    }

    /// The hidden folder, made when it is first needed.
    fn hidden(&mut self) -> io::Result<&Path> {
        let hidden = match self.hidden.take() {
            Some(hidden) => hidden,
            None => {
                let mut builder = hidden_name();
                builder.permissions(Permissions::from_mode(0o700));
                builder.tempdir_in(folder_of(&self.target))?
            }
        };
        Ok(self.hidden.insert(hidden).path())
    }

    /// The SHA-256 of each file, in the order in which they were made.
    pub fn digests(&mut self) -> Result<Vec<(String, String)>> {
        let folder = &self.target;
        let digest = |(name, file): &mut (String, File)| {
            let digest = crate::digest::sha256(file);
            let digest =
                digest.map_err(|error| writing(&folder.join(&*name).display().to_string(), error))?;
            Ok((name.clone(), digest))
        };
        self.files.iter_mut().map(digest).collect()
    }

    /// Gives the folder its name, replacing the folder that had it before, if any. Until that very step the old folder keeps the
    /// name. The caller holds a lock on the folder around it ([`FolderLock`](crate::FolderLock)). An error means that the old
    /// folder is still there and the new one is not, which is looked up on the disk.
    pub fn publish(mut self) -> Result<Named> {
        let target = self.target.clone();
        let shown = target.display().to_string();
        let (known, mode) = self.ready().map_err(|error| writing(&shown, plain(&error)))?;
        let hidden = self.hidden().map_err(|error| writing(&shown, plain(&error)))?;
        let placed = if fs::symlink_metadata(&target).is_ok() {
            // The old folder takes the hidden name, and is removed under it.
            exchange(hidden, &target)
        } else {
            fs::rename(hidden, &target)
        };
        if let Err(error) = placed
            && !stands_at(&Ok(known), &target)
        {
            return Err(writing(&shown, plain(&error)));
        }
        // Users who may read a file may enter its folder. The folder is opened to others last.
        let enter = mode | (mode & 0o444) >> 2;
        let allowed = fs::set_permissions(&target, Permissions::from_mode(enter));
        let kept = File::open(folder_of(&target)).and_then(|above| above.sync_all());
        Ok(Named { trouble: trouble(&shown, allowed, kept) })
    }

    /// Does everything that can fail before the folder gets its name. Returns the metadata by which to recognise the folder
    /// afterwards, and the mode of its files.
    fn ready(&mut self) -> io::Result<(fs::Metadata, u32)> {
        let mode = public_mode(folder_of(&self.target))?;
        let files = std::mem::take(&mut self.files);
        let hidden = self.hidden()?;
        for (name, file) in &files {
            let path = hidden.join(name);
            if !path.exists() {
                name_it(file, &path)?;
            }
            file.set_permissions(Permissions::from_mode(mode))?;
            file.sync_all()?;
        }
        let opened = File::open(hidden)?;
        opened.sync_all()?;
        Ok((opened.metadata()?, mode))
    }
}

impl Drop for PrivateFolder {
    fn drop(&mut self) {
        // If this fails, the next run removes the folder.
        if let Some(hidden) = self.hidden.take() {
            let _ = folder::remove(&hidden.keep());
        }
    }
}

/// Gives an unnamed file a name.
#[cfg(target_os = "linux")]
fn name_it(file: &File, path: &Path) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    Ok(linkat(CWD, own.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

#[cfg(not(target_os = "linux"))]
fn name_it(_: &File, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Puts a folder in the place of another, which takes the first one's name.
#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;
    match renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Some file systems, such as NFS, cannot do that.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => exchange_in_steps(one, other),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    exchange_in_steps(one, other)
}

/// Puts a folder in the place of another where the system cannot do it in one step. If the second step fails, the first is
/// undone. If the run is killed between them, the next run gives the old folder its name again.
fn exchange_in_steps(one: &Path, other: &Path) -> io::Result<()> {
    let aside = aside_name(other);
    fs::rename(other, &aside)?;
    if let Err(error) = fs::rename(one, other) {
        fs::rename(&aside, other)?;
        return Err(error);
    }
    // The new folder is in its place. If removing the old one fails, the next run removes it.
    let _ = folder::remove(&aside);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn write(folder: &mut PrivateFolder, name: &str, text: &str) {
        folder.file(name).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("release");
        let mut dropped = PrivateFolder::create(&target).unwrap();
        write(&mut dropped, "a.csv", "1");
        assert!(!target.exists());
        // A run that is killed now leaves nothing.
        #[cfg(target_os = "linux")]
        assert!(names(place.path()).is_empty());
        let mode = fs::metadata(dropped.hidden().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
        drop(dropped);
        assert!(names(place.path()).is_empty());

        let mut first = PrivateFolder::create(&target).unwrap();
        write(&mut first, "a.csv", "1");
        first.publish().unwrap().sound().unwrap();
        assert_eq!(names(&target), ["a.csv"]);
        // Users who may read the files may enter.
        let file = fs::metadata(target.join("a.csv")).unwrap().permissions().mode();
        let folder = fs::metadata(&target).unwrap().permissions().mode();
        assert_eq!(folder & 0o444, file & 0o444);
        assert_eq!((folder & 0o111) << 2, folder & 0o444);

        let mut second = PrivateFolder::create(&target).unwrap();
        write(&mut second, "b.csv", "2");
        assert_eq!(names(&target), ["a.csv"]);
        second.publish().unwrap().sound().unwrap();
        assert_eq!(names(&target), ["b.csv"]);
        assert_eq!(names(place.path()), ["release"]);
    }

    #[test]
    fn a_file_is_not_replaced_by_a_folder() {
        let place = tempfile::tempdir().unwrap();
        let target = place.path().join("release");
        fs::write(&target, "mine").unwrap();
        assert!(
            matches!(PrivateFolder::create(&target), Err(error) if error.kind() == crate::ErrorKind::Config)
        );
        assert_eq!(fs::read_to_string(&target).unwrap(), "mine");
    }

    #[test]
    fn folders_are_swapped_in_steps_too() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (place.path().join("one"), place.path().join("other"));
        for folder in [&one, &other] {
            fs::create_dir(folder).unwrap();
        }
        fs::write(one.join("new"), "").unwrap();
        fs::write(other.join("old"), "").unwrap();
        exchange_in_steps(&one, &other).unwrap();
        assert_eq!((names(&other), names(place.path())), (vec!["new".to_owned()], vec!["other".to_owned()]));
        // If the new folder cannot be put in place, the old one stays where it was.
        assert!(exchange_in_steps(&one, &other).is_err());
        assert_eq!((names(&other), names(place.path())), (vec!["new".to_owned()], vec!["other".to_owned()]));
    }
}
