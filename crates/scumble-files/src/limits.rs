//! How much memory a reader may take, and how much of the disk that holds temporary copies.
//!
//! A file can claim any size, and a compressed file can unpack to a thousand times its own. The limits are checked before memory
//! is allocated, because the system kills a process that asks for too much, and a killed process cannot say why.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result, Setting};

/// The bytes of memory that the process can still get, as far as the system reports: the least of what the machine has left, what
/// the process's control groups allow and what its own limit allows.
#[must_use]
pub fn memory_left() -> Option<u64> {
    [machine_left(), groups_left(), address_space_left()].into_iter().flatten().min()
}

/// Fails if the process cannot get that many bytes of memory.
///
/// `what` begins the message, as in "the frequency table".
pub fn enough_memory(bytes: u64, what: &str) -> Result<()> {
    match memory_left() {
        Some(left) if bytes > left => Err(Error::resources(format!(
            "{what} needs about {} of memory, and {} are left",
            size(bytes),
            size(left)
        ))
        .advise("use a machine with more memory")
        .advise("leave columns or rows out")),
        _ => Ok(()),
    }
}

/// What the machine has left, including swap space.
fn machine_left() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let field = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').trim().trim_end_matches("kB").trim().parse::<u64>().ok()
    };
    Some((field("MemAvailable")? + field("SwapFree").unwrap_or(0)) << 10)
}

/// What the control groups of the process, and the groups above them, have left.
fn groups_left() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut least: Option<u64> = None;
    for line in text.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else {
            continue;
        };
        let (root, limit, usage) = if controllers.is_empty() {
            ("/sys/fs/cgroup", "memory.max", "memory.current")
        } else if controllers.split(',').any(|name| name == "memory") {
            ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
        } else {
            continue;
        };
        let mut folder = PathBuf::from(root).join(path.trim_start_matches('/'));
        loop {
            if let (Some(limit), Some(usage)) =
                (number_in(&folder.join(limit)), number_in(&folder.join(usage)))
            {
                // Cached files count as used but are given up when memory is needed.
                let cached = cached_in(&folder.join("memory.stat"));
                let left = limit.saturating_sub(usage.saturating_sub(cached));
                least = Some(least.map_or(left, |least| least.min(left)));
            }
            if folder == Path::new(root) || !folder.pop() {
                break;
            }
        }
    }
    least
}

fn number_in(path: &Path) -> Option<u64> {
    // "max" means no limit, and does not parse.
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

fn cached_in(path: &Path) -> u64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let of = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    of("inactive_file ").or_else(|| of("total_inactive_file ")).unwrap_or(0)
}

/// What the process's own limit (`ulimit -v`) leaves.
#[cfg(unix)]
fn address_space_left() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let pages: u64 =
        std::fs::read_to_string("/proc/self/statm").ok()?.split_ascii_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(pages * rustix::param::page_size() as u64))
}

#[cfg(not(unix))]
fn address_space_left() -> Option<u64> {
    None
}

/// Reads a small file whole, such as a hierarchy or a plan. The file may take a quarter of the memory that is left, since it is
/// parsed in memory. Reading stops there, so a source without an end fails.
pub fn read_whole(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let most = memory_left().map_or(u64::MAX, |left| left / 4);
    let file = std::fs::File::open(path)?;
    let mut bytes = Vec::new();
    if let Ok(found) = file.metadata() {
        bytes.try_reserve_exact(usize::try_from(found.len().min(most)).unwrap_or(0))?;
    }
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(std::io::Error::other(format!(
            "it holds more than {}, a quarter of the memory that is left",
            size(most)
        )));
    }
    Ok(bytes)
}

/// The bytes that the disk of a folder has left.
#[cfg(unix)]
pub(crate) fn disk_left(folder: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(folder).ok()?;
    Some(found.f_bavail.saturating_mul(found.f_frsize))
}

#[cfg(not(unix))]
pub(crate) fn disk_left(_folder: &Path) -> Option<u64> {
    None
}

/// The most bytes of content that may be unpacked or copied.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowance {
    pub(crate) bytes: u64,
    /// Whether the user gave the limit. If not, it is what the disk has left.
    given: bool,
}

impl Allowance {
    /// Allows what was given, or nine tenths of what the disk of the temporary folder has left: a full disk would trouble others
    /// too.
    pub(crate) fn new(given: Option<u64>) -> Self {
        match given {
            Some(bytes) => Self { bytes, given: true },
            None => {
                let left = disk_left(&std::env::temp_dir()).map_or(u64::MAX, |left| left / 10 * 9);
                Self { bytes: left, given: false }
            }
        }
    }

    /// The error of content that is larger than allowed.
    pub(crate) fn passed(self, name: &str) -> Error {
        let limit = size(self.bytes);
        if self.given {
            Error::resources(format!("'{name}' holds more than {limit}, the limit that was given"))
                .set(Setting::read("max_size"), "raise the limit, if the table is meant to be that large")
        } else {
            let folder = std::env::temp_dir().display().to_string();
            Error::resources(format!(
                "'{name}' holds more than {limit}, which is what the disk of {folder} has left for it"
            ))
            .advise("free some space on the disk")
            .advise("use another folder for temporary files (TMPDIR)")
            .set(Setting::read("max_size"), "say how large the table may be")
        }
    }
}

/// A number of bytes as people read it.
#[must_use]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let (mut value, mut unit) = (bytes as f64 / 1000.0, 0);
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    let mut text = String::new();
    let digits = usize::from(value < 9.95);
    let _ = write!(text, "{value:.digits$} {}", UNITS[unit]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_the_unit_that_fits() {
        let told = [0, 999, 1_000, 1_949, 15_000_000, 999_600, 231_000_000_000].map(size);
        assert_eq!(told, ["0 bytes", "999 bytes", "1.0 KB", "1.9 KB", "15 MB", "1.0 MB", "231 GB"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_tells_what_is_left() {
        assert!(memory_left().is_some_and(|left| left > 1 << 20));
        assert!(disk_left(&std::env::temp_dir()).is_some_and(|left| left > 0));
        enough_memory(1, "nothing").unwrap();
        let message = enough_memory(u64::MAX, "this").unwrap_err().to_string();
        assert!(message.starts_with("this needs about 18447 PB of memory, and "), "{message}");
    }
}
