//! Files that nobody else can read until they are published in one step.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::error::{Error, Result, writing};

/// The people that a published file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Everyone whom the user's umask lets read new files.
    Public,
    /// The owner only.
    Owner,
}

/// A file that was published under its name. A later step may have failed; the file is there all the same.
#[derive(Debug)]
#[must_use = "what failed after the file got its name must be told"]
pub struct Named {
    /// What failed after the file got its name.
    pub trouble: Option<Error>,
}

impl Named {
    /// Returns an error if something failed after the file got its name.
    pub fn sound(self) -> Result<()> {
        self.trouble.map_or(Ok(()), Err)
    }
}

/// A file in the folder of its target that only the owner can read. Where the system allows that, it has no name, so that nothing
/// is left behind whatever happens. Elsewhere it has a hidden name, and is removed on drop.
#[derive(Debug)]
pub struct PrivateFile {
    file: File,
    /// The hidden name, where the file needs one.
    name: Option<TempPath>,
    /// The name that it will get; `None` for a temporary file that is never published.
    target: Option<PathBuf>,
    /// Whether everything is done that can fail before it gets its name.
    is_ready: bool,
}

impl PrivateFile {
    /// Creates an empty file that can become `target`.
    pub fn create(target: impl Into<PathBuf>) -> Result<Self> {
        let target = target.into();
        let shown = target.display().to_string();
        let folder = folder_of(&target);
        check_target(&target)?;
        if let Some(file) = unnamed(folder, 0o600) {
            return Ok(Self { file, name: None, target: Some(target), is_ready: false });
        }
        let named = hidden_name().tempfile_in(folder).map_err(|error| writing(&shown, plain(&error)))?;
        let (file, name) = named.into_parts();
        Ok(Self { file, name: Some(name), target: Some(target), is_ready: false })
    }

    /// Creates an empty file that never gets a name, in the system's folder of temporary files.
    pub fn spool() -> Result<Self> {
        let file = tempfile::tempfile().map_err(|error| {
            let folder = std::env::temp_dir().display().to_string();
            writing(&format!("a temporary file in {folder}; TMPDIR moves it"), plain(&error))
        })?;
        Ok(Self { file, name: None, target: None, is_ready: false })
    }

    /// The open file, for writing and for reading back what was written.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Returns a second handle of the same open file.
    pub fn reopen(&self) -> Result<File> {
        self.file.try_clone().map_err(|error| writing(&self.shown(), error))
    }

    /// The SHA-256 of what was written.
    pub fn sha256(&mut self) -> Result<String> {
        let shown = self.shown();
        crate::digest::sha256(&mut self.file).map_err(|error| writing(&shown, error))
    }

    /// The name in messages.
    fn shown(&self) -> String {
        self.target
            .as_ref()
            .map_or_else(|| "a temporary file".to_owned(), |target| target.display().to_string())
    }

    /// Does everything that can fail before the file gets its name: what was written is put on the disk, under a hidden name that
    /// only the owner can read. Several files that belong together are all made ready before the first of them gets its name.
    pub fn ready(&mut self) -> Result<()> {
        let shown = self.shown();
        let Some(target) = self.target.as_ref().filter(|_| !self.is_ready) else { return Ok(()) };
        let refuse = |error: io::Error| writing(&shown, plain(&error));
        self.file.sync_all().map_err(refuse)?;
        if self.name.is_none() {
            self.name = Some(link(&self.file, folder_of(target)).map_err(refuse)?);
        }
        self.is_ready = true;
        Ok(())
    }

    /// Gives the file its name, replacing the file that had it before, if any. Until that very step the old file keeps the name.
    /// An error means that the old file is still there and the new one is not. Whether the file has its name is looked up on the
    /// disk, since a system call may fail after it has done its work.
    pub fn publish(mut self, audience: Audience) -> Result<Named> {
        let shown = self.shown();
        let refuse = |error: &io::Error| writing(&shown, plain(error));
        let Some(target) = self.target.clone() else {
            return Err(refuse(&io::ErrorKind::Unsupported.into()));
        };
        let folder = folder_of(&target);
        let mode = match audience {
            Audience::Public => Some(public_mode(folder).map_err(|error| refuse(&error))?),
            Audience::Owner => None,
        };
        self.ready()?;
        let Some(name) = self.name.take() else { return Err(refuse(&io::ErrorKind::Unsupported.into())) };
        // The file is owner-only until it has its name. So others cannot read what a crash in between leaves behind.
        if let Err(failed) = name.persist(&target)
            && !stands_at(&self.file.metadata(), &target)
        {
            return Err(refuse(&failed.error));
        }
        let allowed = mode.map_or(Ok(()), |mode| self.file.set_permissions(Permissions::from_mode(mode)));
        let kept = self.file.sync_all().and_then(|()| File::open(folder)?.sync_all());
        Ok(Named { trouble: trouble(&shown, allowed, kept) })
    }
}

/// Whether the file or folder with this metadata has this name. Returns true if the system cannot say: then it may have the name,
/// and no message may say otherwise.
pub(crate) fn stands_at(known: &io::Result<fs::Metadata>, target: &Path) -> bool {
    match (known, fs::symlink_metadata(target)) {
        (Ok(known), Ok(there)) => (known.dev(), known.ino()) == (there.dev(), there.ino()),
        (_, Err(error)) if error.kind() == io::ErrorKind::NotFound => false,
        _ => true,
    }
}

/// Whether it is certain that nothing has this name.
pub(crate) fn is_absent(name: &Path) -> bool {
    fs::symlink_metadata(name).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// The error to report for a file or folder that has its name, if a later step failed.
pub(crate) fn trouble(shown: &str, allowed: io::Result<()>, kept: io::Result<()>) -> Option<Error> {
    let after = |what: &str, source: io::Error| {
        Error::io(format!("'{shown}' is in its place, but {what}"), plain(&source))
    };
    match (allowed, kept) {
        (Err(error), _) => Some(after("only you can read it, since its permissions could not be set", error)),
        (_, Err(error)) => Some(after(
            "the system could not confirm that it is on the disk, so it may be gone after a power failure",
            error,
        )),
        (Ok(()), Ok(())) => None,
    }
}

/// A file that was moved from its name to a hidden one. It is removed on drop unless it is put back.
#[derive(Debug)]
pub struct SetAside {
    hidden: TempPath,
    name: PathBuf,
}

impl SetAside {
    /// Moves a file from its name to a hidden one. Returns `None` if there is no such file.
    pub fn take(name: &Path) -> Result<Option<Self>> {
        let moved = hidden_name().make_in(folder_of(name), |hidden| fs::rename(name, hidden));
        match moved {
            Ok(moved) => Ok(Some(Self { hidden: moved.into_temp_path(), name: name.to_owned() })),
            Err(_) if is_absent(name) => Ok(None),
            Err(error) => Err(Error::io(format!("cannot remove '{}'", name.display()), plain(&error))),
        }
    }

    /// Gives the file its name again.
    pub fn put_back(self) -> Result<()> {
        let Self { hidden, name } = self;
        let shown = name.display().to_string();
        hidden.persist(&name).map_err(|failed| writing(&shown, plain(&failed.error)))
    }
}

/// The folder that a file is in.
#[must_use]
pub fn folder_of(target: &Path) -> &Path {
    match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Refuses targets that a rename would break, such as devices.
fn check_target(target: &Path) -> Result<()> {
    match fs::metadata(target) {
        Ok(metadata) if metadata.is_dir() => {
            Err(writing(&target.display().to_string(), io::ErrorKind::IsADirectory.into()))
        }
        Ok(metadata) if !metadata.is_file() => {
            Err(Error::config(format!("'{}' is a device or pipe, not a file", target.display()))
                .advise("give a file name, or - for standard output"))
        }
        _ => Ok(()),
    }
}

/// Returns the error without the temporary path that some errors carry: the user knows only the target.
pub(crate) fn plain(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::from(error.kind()),
    }
}

pub(crate) const PREFIX: &str = ".scumble-";
pub(crate) const SUFFIX: &str = ".tmp";

/// Makes hidden names that show which process made them.
pub(crate) fn hidden_name() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    // A process has one prefix for its whole life.
    static OWN_PREFIX: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("{PREFIX}{}-", crate::sweep::own_process()));
    builder.prefix(OWN_PREFIX.as_str()).suffix(SUFFIX).rand_bytes(8);
    builder
}

/// Opens a file without a name, if the system has such files and can name them later.
#[cfg(target_os = "linux")]
pub(crate) fn unnamed(folder: &Path, mode: u32) -> Option<File> {
    use rustix::fs::{Mode, OFlags};
    if !Path::new("/proc/self/fd").exists() {
        return None;
    }
    let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
    rustix::fs::open(folder, flags, Mode::from_raw_mode(mode)).ok().map(File::from)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn unnamed(_: &Path, _: u32) -> Option<File> {
    None
}

/// Gives an unnamed file a hidden name.
#[cfg(target_os = "linux")]
fn link(file: &File, folder: &Path) -> io::Result<TempPath> {
    use std::os::fd::AsRawFd;

    use rustix::fs::{AtFlags, CWD, linkat};
    let own = format!("/proc/self/fd/{}", file.as_raw_fd());
    let linked = hidden_name()
        .make_in(folder, |path| Ok(linkat(CWD, own.as_str(), CWD, path, AtFlags::SYMLINK_FOLLOW)?))?;
    Ok(linked.into_temp_path())
}

#[cfg(not(target_os = "linux"))]
fn link(_: &File, _: &Path) -> io::Result<TempPath> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The mode that the system gives a new file in the folder. It is found out by making an empty file: the umask itself cannot be
/// read without changing it for all threads.
pub(crate) fn public_mode(folder: &Path) -> io::Result<u32> {
    let probe = match unnamed(folder, 0o666) {
        Some(probe) => probe,
        None => {
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true).mode(0o666);
            hidden_name().make_in(folder, |path| options.open(path))?.into_file()
        }
    };
    Ok(probe.metadata()?.mode() & 0o666)
}

/// Creates a folder that only the owner can enter, and the folders above it. A folder that exists stays unchanged.
pub fn create_private_dir(path: &Path) -> Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| writing(&path.display().to_string(), error))
}

/// Whether two paths lead to the same file. Paths that lead nowhere do not.
#[must_use]
pub fn same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        _ => false,
    }
}
