//! Kills, faults and races, and what may be on disk afterwards.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::Output;
use std::time::{Duration, Instant};

use crate::judge::Files;
use crate::random::Random;
use crate::stage::{Ending, Stage};

/// What an undisturbed run publishes, and what was there before.
pub(crate) struct Expected<'a> {
    pub(crate) new: &'a Files,
    pub(crate) old: &'a Files,
    pub(crate) takes: Duration,
}

/// The system calls that decide what is on disk.
const CALLS: [&str; 21] = [
    "open",
    "openat",
    "read",
    "write",
    "close",
    "fsync",
    "fdatasync",
    "rename",
    "renameat",
    "renameat2",
    "linkat",
    "unlink",
    "unlinkat",
    "fchmod",
    "ftruncate",
    "mkdir",
    "rmdir",
    "statx",
    "lseek",
    "flock",
    "getdents64",
];
const ERRORS: [&str; 4] = ["EIO", "ENOSPC", "EACCES", "EINTR"];

/// Returns the file that decides which version is on disk. For a folder, all files decide together.
fn main_file(files: &Files) -> Option<&String> {
    files.keys().find(|name| name.as_str() == "release.csv")
}

/// Says which version is on disk: the release must be one of the versions as a whole, and all files next to it must belong to the same one.
fn state(now: &Files, expected: &Expected<'_>) -> Result<&'static str, String> {
    let versions = [("new", expected.new), ("old", expected.old)];
    let single = main_file(expected.new).is_some();
    if now.is_empty() {
        return if expected.old.is_empty() { Ok("none") } else { Err("the old release is gone".into()) };
    }
    for (name, version) in versions {
        let whole =
            if single { now.get("release.csv") == version.get("release.csv") } else { now == version };
        let beside = now.iter().all(|(file, bytes)| version.get(file) == Some(bytes));
        if !version.is_empty() && whole && beside {
            return Ok(name);
        }
    }
    let main = now.get("release.csv");
    let known = |version: &Files| main.is_some() && main == version.get("release.csv");
    Err(match (single, main) {
        (true, None) => "there is a datasheet without a release".into(),
        (true, Some(_)) if known(expected.new) => {
            "the new release has a datasheet that is not its own".into()
        }
        (true, Some(_)) if known(expected.old) => {
            "the old release has a datasheet that is not its own".into()
        }
        _ => format!(
            "what is published is neither the old nor the new release: {:?}",
            now.keys().collect::<Vec<_>>()
        ),
    })
}

/// Inspects the disk after a disturbance, then runs once more undisturbed.
fn inspect(
    stage: &Stage<'_>,
    expected: &Expected<'_>,
    what: &str,
) -> io::Result<Result<&'static str, String>> {
    let (now, private) = stage.look()?;
    // The old datasheet may be set aside with its permissions, since it was public before.
    let was_public = |name: &str| {
        let left = std::fs::read(stage.folder.join("out").join(name));
        left.is_ok_and(|bytes| expected.old.values().any(|old| *old == bytes))
    };
    let open = private.iter().filter_map(|name| name.strip_prefix(crate::stage::OPEN));
    if let Some(open) = open.into_iter().find(|name| !was_public(name)) {
        return Ok(Err(format!("{what}: {}{open}", crate::stage::OPEN)));
    }
    let found = match state(&now, expected) {
        Ok(found) => found,
        Err(why) => return Ok(Err(format!("{what}: {why}"))),
    };
    Ok(Ok(found))
}

/// Runs again, which must publish the new release and remove what is left.
fn again(stage: &Stage<'_>, expected: &Expected<'_>, what: &str) -> io::Result<Result<(), String>> {
    let mut ending = stage.run("plan.toml")?;
    // On a busy machine a run may take longer than the time limit.
    for _ in 0..5 {
        if ending.code.is_none() {
            ending = stage.run("plan.toml")?;
        }
    }
    // A release whose datasheet never got its name looks like any file of the user.
    let alone = !stage.look()?.0.contains_key("release.csv.datasheet.json");
    if ending.code == Some(2) && alone && ending.said.contains("no datasheet beside it describes it") {
        ending = stage.run_with("plan.toml", &["--force"])?;
    }
    let (now, private) = stage.look()?;
    let left = stage.leftovers()?;
    Ok(if ending.code != Some(0) {
        Err(format!("{what}: the next run ends with {:?}: {}", ending.code, ending.said))
    } else if now != *expected.new {
        Err(format!("{what}: the next run does not leave what an undisturbed one does: {:?}", now.keys()))
    } else if !private.is_empty() || !left.is_empty() {
        Err(format!("{what}: the next run leaves {private:?} and {left:?} behind"))
    } else {
        Ok(())
    })
}

/// A system call of the main thread: its name and its number among those of the same name.
type Call = (String, usize);

/// Returns the calls of an undisturbed run from the first file without a name on, where publishing begins.
fn publishing_calls(stage: &Stage<'_>, expected: &Expected<'_>) -> io::Result<Vec<Call>> {
    stage.reset(expected.old)?;
    let trace = stage.folder.join("trace");
    let under =
        ["strace", "-qq", "-o", &trace.to_string_lossy(), "-e", &format!("trace={}", CALLS.join(","))]
            .map(str::to_owned);
    stage.start("plan.toml", &under)?.wait_with_output()?;
    let text = std::fs::read_to_string(&trace)?;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut found, mut begun) = (Vec::new(), false);
    for line in text.lines() {
        let name = line.split('(').next().unwrap_or_default();
        let Some(name) = CALLS.iter().find(|call| **call == name) else { continue };
        let number = seen.entry(name).or_default();
        *number += 1;
        begun |= line.contains("O_TMPFILE");
        if begun {
            found.push(((*name).to_owned(), *number));
        }
    }
    Ok(found)
}

/// Runs with one call disturbed; `None` if the run never reached that call.
fn disturbed(stage: &Stage<'_>, (call, number): &Call, how: &str) -> io::Result<Option<Output>> {
    let trace = stage.folder.join("trace");
    let rules = [format!("trace={call}"), format!("inject={call}:{how}:when={number}")];
    let under = ["strace", "-qq", "-o", &trace.to_string_lossy(), "-e", &rules[0], "-e", &rules[1]]
        .map(str::to_owned);
    let output = stage.start("plan.toml", &under)?.wait_with_output()?;
    let text = std::fs::read_to_string(&trace)?;
    let reached = output.status.signal() == Some(9) || text.contains("(INJECTED)");
    Ok(reached.then_some(output))
}

/// Kills a run after a random time, or at a random call of publishing.
pub(crate) fn kill(
    stage: &Stage<'_>,
    expected: &Expected<'_>,
    random: &mut Random,
    strace: bool,
) -> io::Result<Result<&'static str, String>> {
    let (what, killed);
    let calls = if strace && random.percent(60) { publishing_calls(stage, expected)? } else { Vec::new() };
    stage.reset(expected.old)?;
    if calls.is_empty() {
        let share = random.below(1000);
        let pause = expected.takes * u32::try_from(share).unwrap_or(0) / 1000;
        what = format!("killed after {share} thousandths of {:?}", expected.takes);
        let started = Instant::now();
        let mut child = stage.start("plan.toml", &[])?;
        std::thread::sleep(pause.saturating_sub(started.elapsed()));
        let _ = child.kill();
        killed = child.wait_with_output()?.status.signal() == Some(9);
    } else {
        let call = random.pick(&calls).clone();
        what = format!("killed at {} number {}", call.0, call.1);
        killed = disturbed(stage, &call, "signal=SIGKILL")?.is_some();
    }
    let found = inspect(stage, expected, &what)?;
    Ok(match found {
        Ok(found) => again(stage, expected, &what)?.map(|()| if killed { found } else { "missed" }),
        Err(why) => Err(why),
    })
}

/// Makes one system call of publishing fail.
pub(crate) fn fault(
    stage: &Stage<'_>,
    expected: &Expected<'_>,
    random: &mut Random,
) -> io::Result<Result<&'static str, String>> {
    let calls = publishing_calls(stage, expected)?;
    if calls.is_empty() {
        return Ok(Ok("missed"));
    }
    stage.reset(expected.old)?;
    let (call, error) = (random.pick(&calls).clone(), *random.pick(&ERRORS));
    let what = format!("{error} at {} number {}", call.0, call.1);
    let Some(output) = disturbed(stage, &call, &format!("error={error}"))? else { return Ok(Ok("missed")) };
    let ending = Ending::of(&output);
    let found = match inspect(stage, expected, &what)? {
        Ok(found) => found,
        Err(why) => return Ok(Err(format!("{why} (exit {:?}: {})", ending.code, ending.said))),
    };
    let said = &ending.said;
    let denies = ["nothing was", "not published", "no release"].iter().any(|words| said.contains(words));
    let problem = if ending.signal.is_some() || matches!(ending.code, Some(101 | 134)) {
        Some("the program crashed")
    } else if ending.code == Some(0) && found != "new" {
        Some("exit code 0, and the release is not there")
    } else if ending.code == Some(0) && stage.look()?.0 != *expected.new {
        Some("exit code 0, and not all that belongs to the release is there")
    } else if ending.code == Some(4) {
        Some("a fault of the disk is called a failed verification")
    } else if ending.code != Some(0) && found == "new" && expected.new != expected.old && denies {
        Some("the message says that nothing was published, and it was")
    } else if ending.code != Some(0) && ending.code != Some(127) && said.trim().is_empty() {
        Some("it failed without a word")
    } else {
        None
    };
    if let Some(problem) = problem {
        return Ok(Err(format!(
            "{what}: {problem} (exit {:?}, signal {:?}: {said})",
            ending.code, ending.signal
        )));
    }
    Ok(again(stage, expected, &what)?.map(|()| if ending.code == Some(0) { "survived" } else { "failed" }))
}

/// Runs two writers to one name at the same time.
pub(crate) fn race(
    stage: &Stage<'_>,
    expected: &Expected<'_>,
    random: &mut Random,
) -> io::Result<Result<&'static str, String>> {
    stage.reset(&Files::new())?;
    let first = stage.start("plan.toml", &[])?;
    let pause = expected.takes * u32::try_from(random.below(40)).unwrap_or(0) / 100;
    std::thread::sleep(pause);
    let second = stage.start("old.toml", &[])?;
    let endings = [Ending::of(&first.wait_with_output()?), Ending::of(&second.wait_with_output()?)];
    let what = format!("two writers, the second {pause:?} later");
    let found = inspect(stage, expected, &what)?;
    if let Some(ending) = endings.iter().find(|ending| !matches!(ending.code, Some(0..=3))) {
        return Ok(Err(format!("{what}: one ended with {:?}: {}", ending.code, ending.said)));
    }
    let ended_well = endings.iter().any(|ending| ending.code == Some(0));
    let now = stage.look()?.0;
    Ok(match found {
        Ok(_) if ended_well && now != *expected.new && now != *expected.old => {
            Err(format!("{what}: one said that it published, and its datasheet is missing: {:?}", now.keys()))
        }
        Ok("none") if ended_well => Err(format!("{what}: one said that it published, and nothing is there")),
        Ok(found) => again(stage, expected, &what)?.map(|()| found),
        Err(why) => Err(why),
    })
}
