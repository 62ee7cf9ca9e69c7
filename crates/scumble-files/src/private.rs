//! Files that nobody else can read until they are published, and are then published in one step.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::error::{FileError, Result, writing};

/// For whom a published file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Everyone whom the user's umask lets read new files.
    Public,
    /// The owner only.
    Owner,
}

/// A file in the folder of its target that only the owner can read. It has no name where the system
/// allows that, so that nothing remains of it whatever happens; elsewhere a hidden one, removed on drop.
#[derive(Debug)]
pub struct PrivateFile {
    file: File,
    /// The hidden name, where the file needs one.
    name: Option<TempPath>,
    target: PathBuf,
}

impl PrivateFile {
    /// An empty file that can become `target`.
    pub fn create(target: impl Into<PathBuf>) -> Result<Self> {
        let target = target.into();
        let shown = target.display().to_string();
        let folder = folder_of(&target);
        check_target(&target)?;
        if let Some(file) = unnamed(folder, 0o600) {
            return Ok(Self { file, name: None, target });
        }
        let named = hidden_name().tempfile_in(folder).map_err(|error| writing(&shown, plain(&error)))?;
        let (file, name) = named.into_parts();
        Ok(Self { file, name: Some(name), target })
    }

    /// The open file, for writing and for reading back what was written.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// A second handle of the same open file.
    pub fn reopen(&self) -> Result<File> {
        self.file.try_clone().map_err(|error| writing(&self.target.display().to_string(), error))
    }

    /// Gives the file its name, in place of the file that had it before, if any. Until the very step
    /// the old file is what stands under the name; on failure it stays, and nothing else remains.
    pub fn publish(self, audience: Audience) -> Result<()> {
        let shown = self.target.display().to_string();
        self.publish_as_system_says(audience).map_err(|error| writing(&shown, plain(&error)))
    }

    fn publish_as_system_says(self, audience: Audience) -> io::Result<()> {
        let folder = folder_of(&self.target);
        let mode = match audience {
            Audience::Public => public_mode(folder)?,
            Audience::Owner => 0o600,
        };
        self.file.sync_all()?;
        let name = match self.name {
            Some(name) => name,
            None => link(&self.file, folder)?,
        };
        // Owner-only until it has its name: a leftover of a crash in between cannot be read by others.
        name.persist(&self.target).map_err(|error| error.error)?;
        self.file.set_permissions(Permissions::from_mode(mode))?;
        self.file.sync_all()?;
        File::open(folder)?.sync_all()
    }
}

/// The folder that a file is in.
pub(crate) fn folder_of(target: &Path) -> &Path {
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
        Ok(metadata) if !metadata.is_file() => Err(FileError::Config(format!(
            "'{}' is a device or pipe, not a file; give a file name, or - for standard output",
            target.display()
        ))),
        _ => Ok(()),
    }
}

/// The error without the temporary path that some errors carry: the target is what the user knows.
pub(crate) fn plain(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => io::Error::from(error.kind()),
    }
}

const PREFIX: &str = ".scumble-";
const SUFFIX: &str = ".tmp";

/// Makes hidden names that tell whose they are.
pub(crate) fn hidden_name() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    // One process has one prefix for its whole life.
    static OWN_PREFIX: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("{PREFIX}{}-", std::process::id()));
    builder.prefix(OWN_PREFIX.as_str()).suffix(SUFFIX).rand_bytes(8);
    builder
}

/// A file without a name, if the system has such and can name it later.
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

/// The mode that the system gives a new file in the folder. It is asked by making an empty one: the
/// umask itself cannot be read without changing it for all threads.
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

/// Removes hidden files and folders in the folder that processes left behind which are gone. Returns how many.
pub fn sweep(folder: &Path) -> Result<usize> {
    let explain = |error| writing(&folder.display().to_string(), error);
    if !Path::new("/proc/self").exists() {
        return Ok(0); // It cannot be told which processes are gone.
    }
    let mut removed = 0;
    for entry in fs::read_dir(folder).map_err(explain)? {
        let entry = entry.map_err(explain)?;
        let name = entry.file_name();
        let Ok(kind) = entry.file_type() else { continue };
        let ours = kind.is_file() || kind.is_dir();
        let Some(process) = name.to_str().and_then(process_of).filter(|_| ours) else { continue };
        if process == std::process::id() || Path::new(&format!("/proc/{process}")).exists() {
            continue;
        }
        let gone =
            if kind.is_dir() { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
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

/// The process that made a hidden name.
fn process_of(name: &str) -> Option<u32> {
    let inner = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let (process, random) = inner.split_once('-')?;
    (!random.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit())).then(|| process.parse().ok())?
}

/// Creates a folder that only the owner can enter, with the folders above it. A folder that exists
/// stays as it is.
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
