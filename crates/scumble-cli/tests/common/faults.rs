//! Makes system calls of the real command fail with `strace`.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{Desk, Run};

/// The system calls that publishing uses.
const CALLS: &[&str] = &[
    "open",
    "openat",
    "fcntl",
    "getcwd",
    "getdents64",
    "ftruncate",
    "write",
    "read",
    "lseek",
    "fsync",
    "fdatasync",
    "fchmod",
    "chmod",
    "fchmodat",
    "linkat",
    "link",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "flock",
    "close",
    "fstat",
    "statx",
    "newfstatat",
];

/// Whether system calls can be made to fail here.
pub(crate) fn can_inject() -> bool {
    let mut probe = Command::new("strace");
    probe.args(["-o", "/dev/null", "-e", "trace=close", "-e", "inject=close:error=EIO:when=60000", "true"]);
    probe.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Runs a command under `strace`, with its trace in a file.
pub(crate) fn traced(desk: &Desk, inject: &[String], flags: &[&str]) -> Run {
    let mut command = Command::new("strace");
    command.args(["-qq", "-o", "trace.log", "-e"]).arg(format!("trace={}", CALLS.join(",")));
    for rule in inject {
        command.args(["-e", rule]);
    }
    command.arg(assert_cmd::cargo::cargo_bin("scumble")).args(flags).args(["--threads", "1"]);
    command.current_dir(desk.root()).env("NO_COLOR", "1");
    // Temporary files are kept apart, so that they can be distinguished from what is published.
    std::fs::create_dir_all(desk.path("tmp")).unwrap();
    Run::of(command.env("TMPDIR", desk.path("tmp")))
}

/// Returns the name of the call in a line of a trace.
pub(crate) fn call(line: &str) -> &str {
    line.split('(').next().unwrap_or_default()
}

/// Returns the file that a call is about, by its first argument if that is a descriptor.
fn descriptor(line: &str) -> Option<&str> {
    let first = line.split_once('(')?.1.split([',', ')']).next()?;
    first.bytes().all(|byte| byte.is_ascii_digit()).then_some(first)
}

/// Returns the calls of the last part of a trace, from the first file without a name on, each with its number among those of the same name.
/// Reading facts about the system (such as its memory) is not part of publishing.
pub(crate) fn publishing_calls(trace: &str) -> Vec<(String, u32)> {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    let mut of_the_system = BTreeSet::new();
    let mut found = Vec::new();
    let mut begun = false;
    for line in trace.lines() {
        let name = call(line);
        if !CALLS.contains(&name) {
            continue;
        }
        let number = seen.entry(name).or_default();
        *number += 1;
        begun |= line.contains("O_TMPFILE");
        let mut is_ours = true;
        if name == "open" || name == "openat" {
            is_ours = !["\"/proc/", "\"/sys/"].iter().any(|start| line.contains(start));
            if let Some((_, opened)) = line.rsplit_once(" = ").filter(|_| !is_ours) {
                of_the_system.insert(opened);
            }
        } else if let Some(file) = descriptor(line) {
            let system =
                if name == "close" { of_the_system.remove(file) } else { of_the_system.contains(file) };
            is_ours = !system;
        }
        if begun && is_ours {
            found.push((name.to_owned(), *number));
        }
    }
    assert!(begun, "no file without a name was made: {trace}");
    found
}

/// Copies a desk.
pub(crate) fn copied(desk: &Desk) -> Desk {
    let copy = Desk::new();
    for path in desk.listing() {
        let (from, to) = (desk.root().join(&path), copy.root().join(&path));
        if from.is_dir() {
            std::fs::create_dir_all(&to).unwrap();
            std::fs::set_permissions(&to, std::fs::metadata(&from).unwrap().permissions()).unwrap();
        } else {
            std::fs::copy(from, to).unwrap();
        }
    }
    copy
}

/// Does something for each item, a few at a time, because the runs mostly wait for the disk. Every failure is reported.
pub(crate) fn for_each<T: Sync>(items: &[T], act: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let failed = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if catch_unwind(AssertUnwindSafe(|| act(item))).is_err() {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(failed.into_inner(), 0, "of {} runs", items.len());
}
