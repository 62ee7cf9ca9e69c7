//! The command's interface: progress on a terminal, results, errors and exit codes.

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
pub(crate) use scumble::base::text::{counted, grouped as count, on_one_line, printable, rows as row_count};
use scumble::problem::Progress;
use scumble::release::Stage;
use scumble::{Error, ErrorKind, Result};
use scumble_files::{Control, Unit, limits};

/// Makes a line of a result: names in it cannot begin another line.
macro_rules! as_line {
    ($($words:tt)*) => { $crate::ui::on_one_line(&format!($($words)*)) + "\n" };
}
pub(crate) use as_line;

/// Options of every command.
#[derive(clap::Args)]
pub(crate) struct Shared {
    /// Say nothing but errors
    #[arg(long, short, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Also print notes
    #[arg(long, short, global = true)]
    verbose: bool,
    /// Threads to use; all cores if not given
    #[arg(long, global = true, value_name = "N", value_parser = crate::cmd::size)]
    threads: Option<usize>,
}

/// The most threads that can be asked for. Each takes memory, and thousands beyond the number of cores only wait.
const MOST_THREADS: usize = 1024;

/// The memory that must be free for the threads to start, and to print a message if more is needed.
const MEMORY_TO_START: u64 = 12 << 20;

/// How to talk to the user.
pub(crate) struct Interface {
    quiet: bool,
    verbose: bool,
    bar: ProgressBar,
}

/// Set while reports are written and files get their names: a first interrupt then waits. Usually this takes a moment. A large report, or
/// another run that publishes in the same folder, takes longer.
static PUBLISHING: AtomicBool = AtomicBool::new(false);

/// Set by the first interrupt. A second one never waits.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The control that the command's work checks while it runs.
static CONTROL: Mutex<Option<Control>> = Mutex::new(None);

/// The time when the stage on display began.
static BEGAN: Mutex<Option<Instant>> = Mutex::new(None);

/// The time limit of the search, if there is one, and whether the search is running now.
static LIMIT: Mutex<(Option<Duration>, bool)> = Mutex::new((None, false));

/// How long an interrupt waits for work that was told to stop.
const PATIENCE: Duration = Duration::from_secs(2);

/// Set while a command runs that can continue where it was stopped, if it is run again.
static GOES_ON: AtomicBool = AtomicBool::new(false);

/// Set once a release has its name, while a command continues with something else.
static RELEASED: AtomicBool = AtomicBool::new(false);

/// Set once files begin to get their names, and never cleared.
static MAY_BE_RELEASED: AtomicBool = AtomicBool::new(false);

/// Says what remains of a command's work if it stops before its end. This allocates no memory, since there may be none.
pub(crate) fn left_behind() -> &'static str {
    match (RELEASED.load(Ordering::SeqCst), GOES_ON.load(Ordering::SeqCst)) {
        (true, _) => "the release is made and verified, and stays; what came after it was not finished",
        (false, true) => "what is finished is kept; run the same command again to go on",
        (false, false) if MAY_BE_RELEASED.load(Ordering::SeqCst) => {
            "the release may be published already; see whether the file is there, and run scumble check on it"
        }
        (false, false) => "nothing was released",
    }
}

impl Interface {
    pub(crate) fn new(shared: &Shared) -> Result<Self> {
        if shared.threads == Some(0) {
            return Err(Error::config("--threads must be at least 1"));
        }
        if let Some(threads) = shared.threads.filter(|threads| *threads > MOST_THREADS) {
            return Err(Error::config(format!(
                "--threads {threads} is more than any machine can use; {MOST_THREADS} is the most. Without --threads as \
                 many are used as there are cores"
            )));
        }
        // With less, the C library aborts the program while its threads start, and nobody can say why.
        if let Some(left) = limits::memory_left().filter(|left| *left < MEMORY_TO_START) {
            return Err(Error::resources(format!(
                "starting takes {} of memory, and {} are left; raise the limit of memory, or use a machine with more",
                limits::size(MEMORY_TO_START),
                limits::size(left)
            )));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(shared.threads.unwrap_or(0)).build_global();
        pool.map_err(|error| {
            Error::resources(format!(
                "cannot start threads: {error}; use fewer (--threads), or raise the limit of memory"
            ))
        })?;
        let handler = ctrlc::set_handler(interrupt);
        handler.map_err(|error| {
            let why = "there may be too little memory for one more thread";
            Error::resources(format!("cannot listen for interrupts ({error}); {why}"))
        })?;
        let bar = if shared.quiet || !std::io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}{share} {elapsed}") {
                let share = |_: &ProgressState, out: &mut dyn std::fmt::Write| {
                    let _ = out.write_str(&share());
                };
                bar.set_style(style.with_key("share", share));
            }
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        };
        Ok(Self { quiet: shared.quiet, verbose: shared.verbose, bar })
    }

    /// Shows the current stage.
    pub(crate) fn stage(&self, stage: Stage) {
        PUBLISHING.store(stage == Stage::Publish, Ordering::SeqCst);
        // Nothing of this stage is done yet. An interrupt that came earlier is seen here, and a later one sees what was stored.
        if INTERRUPTED.load(Ordering::SeqCst) {
            PUBLISHING.store(false, Ordering::SeqCst);
            match &*lock(&CONTROL) {
                // Work with a control is told to stop, and leaves nothing behind.
                Some(control) => control.cancel(),
                None => leave_interrupted(),
            }
            return;
        }
        MAY_BE_RELEASED.fetch_or(stage == Stage::Publish, Ordering::SeqCst);
        *lock(&BEGAN) = Some(Instant::now());
        lock(&LIMIT).1 = stage == Stage::Search;
        self.bar.set_message(stage.name());
    }

    /// Sets how long the search may take, so that the remaining time can be shown.
    pub(crate) fn limit(&self, budget: Option<Duration>) {
        *lock(&LIMIT) = (budget, false);
    }

    /// Returns the progress for some work, with a control that an interrupt cancels from now on.
    pub(crate) fn progress(&self) -> Progress {
        let control = held().unwrap_or_default();
        *lock(&CONTROL) = Some(control.clone());
        Progress::from(control)
    }

    /// Returns the control that [`Interface::progress`] gave last, while its work runs.
    pub(crate) fn control(&self) -> Control {
        lock(&CONTROL).clone().unwrap_or_default()
    }

    /// Shows what is being done, in words of the command.
    pub(crate) fn step(&self, what: &str) {
        self.control().begin(None);
        *lock(&BEGAN) = Some(Instant::now());
        self.bar.set_message(on_one_line(&what.to_lowercase()));
    }

    /// Notes that the same command can continue after an interrupt, which then says so.
    pub(crate) fn goes_on(&self) {
        GOES_ON.store(true, Ordering::SeqCst);
    }

    /// Notes that a release was made, so that an interrupt no longer says that nothing was released.
    pub(crate) fn released(&self) {
        RELEASED.store(true, Ordering::SeqCst);
        *lock(&CONTROL) = None;
        if INTERRUPTED.load(Ordering::SeqCst) {
            leave_interrupted();
        }
    }

    /// Shows how many of some things are done, and how long the rest may take.
    pub(crate) fn count(&self, done: usize, all: usize, what: &str) {
        let left = match (done, self.bar.elapsed()) {
            (0, _) => String::new(),
            (done, elapsed) => {
                let seconds = elapsed.as_secs_f64() / done as f64 * all.saturating_sub(done) as f64;
                format!(", about {} left", indicatif::HumanDuration(Duration::from_secs_f64(seconds)))
            }
        };
        self.bar.set_message(format!("{done} of {all} {what}{left}, so far"));
    }

    /// Ends the progress display.
    pub(crate) fn done(&self) {
        PUBLISHING.store(false, Ordering::SeqCst);
        *lock(&CONTROL) = None;
        self.bar.finish_and_clear();
    }

    /// Prints a result that is not the output of the command: on standard error, so that pipes stay clean.
    pub(crate) fn say(&self, line: impl Display) {
        if !self.quiet {
            let line = on_one_line(&line.to_string());
            // Nobody may be reading this, but the work is done all the same.
            self.bar.suspend(|| {
                let _ = writeln!(std::io::stderr(), "{line}");
            });
        }
    }

    /// Prints a note.
    pub(crate) fn note(&self, line: impl Display) {
        if self.verbose {
            self.tell("note:", "36", &line);
        }
    }

    /// Whether the user wants more than most people need.
    pub(crate) fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// Prints a warning that somebody should consider.
    pub(crate) fn warn(&self, line: impl Display) {
        self.tell("warning:", "33", &line);
    }

    /// Prints a line after a word in colour.
    fn tell(&self, word: &str, colour: &str, line: &dyn Display) {
        if !self.quiet {
            let line = on_one_line(&line.to_string());
            // As above: a warning that cannot be written must not end a run that has published.
            self.bar.suspend(|| {
                let _ = writeln!(std::io::stderr(), "{} {line}", paint(word, colour));
            });
        }
    }
}

/// Reports a panic as a bug. Its text might contain a value of the table, so only its place is printed.
pub(crate) fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic| {
        // A panic in the decoder of a damaged file is reported as an error, not as a bug.
        if !scumble_files::is_decoding() {
            let place = panic
                .location()
                .map(|place| format!(" at {}:{}", place.file(), place.line()))
                .unwrap_or_default();
            let _ = writeln!(
                std::io::stderr(),
                "error: a bug in Scumble{place}; {}. Please report it",
                left_behind()
            );
        }
    }));
}

/// Handles an interrupt. Work with a control is told to stop, and has a moment to end by itself. Other work is abandoned: files that are
/// not verified have no name anywhere, so leaving at once leaves nothing behind.
fn interrupt() {
    if INTERRUPTED.swap(true, Ordering::SeqCst) {
        leave_interrupted();
    }
    if PUBLISHING.load(Ordering::SeqCst) {
        let _ = writeln!(
            std::io::stderr(),
            "\ninterrupted while the release is being put in place: leaving when that is done, or at once if interrupted again"
        );
        return;
    }
    let Some(control) = lock(&CONTROL).clone() else { leave_interrupted() };
    control.cancel();
    let _ = writeln!(std::io::stderr(), "\nstopping; interrupt again to leave at once");
    let watch = || {
        std::thread::sleep(PATIENCE);
        if !PUBLISHING.load(Ordering::SeqCst) {
            leave_interrupted();
        }
    };
    if std::thread::Builder::new().spawn(watch).is_err() {
        leave_interrupted();
    }
}

/// For tests: with `SCUMBLE_HOLD=LOOK,FILE` the work creates a file at the check with this number, and waits until it is told to stop or
/// the file is gone. So a test knows where an interrupt arrives.
fn held() -> Option<Control> {
    let told = std::env::var("SCUMBLE_HOLD").ok()?;
    let (look, file) = told.split_once(',')?;
    let file = std::path::PathBuf::from(file);
    let reached = AtomicBool::new(false);
    let holds = move || {
        if !reached.swap(true, Ordering::SeqCst) {
            return std::fs::write(&file, "").is_ok();
        }
        file.exists()
    };
    Some(Control::held_at(look.parse().ok()?, holds))
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says how much of a stage is done: a share and the remaining time if the total is known, else the speed.
fn share() -> String {
    let Some(control) = lock(&CONTROL).clone() else { return String::new() };
    // Without a stage, several runs share the control, and their counts mean nothing together.
    let Some(began) = *lock(&BEGAN) else { return String::new() };
    let elapsed = began.elapsed();
    let budget = match *lock(&LIMIT) {
        (Some(limit), true) => at_most(limit.saturating_sub(elapsed)),
        _ => String::new(),
    };
    match control.done() {
        (done, Some(all)) => {
            let left = if budget.is_empty() { left(done, all, elapsed) } else { budget };
            format!(" {} %{left}", (100 * done.min(all)) / all)
        }
        (0, None) => budget,
        (done, None) => {
            let rate = (done as f64 / elapsed.as_secs_f64().max(0.001)) as u64;
            let rate = match control.unit() {
                Unit::Bytes => format!(" {}/s", limits::size(rate)),
                Unit::Rows => format!(" {} rows/s", count(rate)),
                Unit::Steps => format!(" {} steps/s", count(rate)),
            };
            rate + &budget
        }
    }
}

/// Says how long a stage will still take at its current speed; empty in the first moments and up to the first hundredth, when this would be
/// a guess.
fn left(done: u64, all: u64, elapsed: Duration) -> String {
    if elapsed < Duration::from_secs(2) || done.saturating_mul(100) < all || done >= all {
        return String::new();
    }
    let seconds = elapsed.as_secs_f64() / done as f64 * (all - done) as f64;
    format!(", about {} left", indicatif::HumanDuration(Duration::from_secs_f64(seconds)))
}

/// Writes what is left of a budget.
fn at_most(left: Duration) -> String {
    format!(", at most {} left", indicatif::HumanDuration(left))
}

/// Ends the process after an interrupt.
fn leave_interrupted() -> ! {
    let _ = writeln!(std::io::stderr(), "\nerror: interrupted: {}", left_behind());
    leave(130)
}

/// Ends the process at once.
#[expect(clippy::exit, reason = "an interrupt leaves from another thread")]
fn leave(code: i32) -> ! {
    std::process::exit(code)
}

/// Prints to standard output; a reader that has gone away is no error.
pub(crate) fn print(text: impl Display) -> Result<()> {
    let mut out = std::io::stdout().lock();
    // A file or another program gets the text as it is. A terminal would obey control characters in it.
    let text = if out.is_terminal() { printable(&text.to_string()) } else { text.to_string() };
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::io("cannot write to standard output", error))
        }
        _ => Ok(()),
    }
}

/// Whether standard output was closed when the command began. Rust's runtime then puts the null device in its place, open for reading and
/// writing, so that no file gets its number. `>/dev/null` in a shell opens it for writing only.
fn standard_output_is_closed() -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let out = std::io::stdout();
    let Ok(flags) = rustix::fs::fcntl_getfl(&out) else { return true };
    let (Ok(there), Ok(null)) = (rustix::fs::fstat(&out), std::fs::metadata("/dev/null")) else {
        return false;
    };
    null.file_type().is_char_device()
        && there.st_rdev == null.rdev()
        && there.st_ino == null.ino()
        && flags.contains(rustix::fs::OFlags::RDWR)
}

/// Fails if a command is to write to standard output and it is closed.
pub(crate) fn check_standard_output(output: &std::path::Path) -> Result<()> {
    if output == std::path::Path::new("-") && standard_output_is_closed() {
        return Err(Error::io(
            "cannot write to standard output (it is closed, or the null device; open it, or give a file name); nothing was published",
            std::io::ErrorKind::BrokenPipe.into(),
        ));
    }
    Ok(())
}

/// Prints something about a release that is published. If printing fails, the release is still there.
pub(crate) fn print_after_publishing(text: impl Display) -> Result<()> {
    print(text).map_err(|error| {
        Error::new(
            ErrorKind::AfterPublishing,
            format!("the release was published, but its figures could not be printed: {error}"),
        )
    })
}

/// Reports an error and returns its exit code.
pub(crate) fn fail(error: &Error, message: &str) -> ExitCode {
    if error.kind() == ErrorKind::Interrupted {
        leave_interrupted();
    }
    let _ = writeln!(std::io::stderr(), "{} {}", paint("error:", "31"), on_one_line(message));
    ExitCode::from(exit_code(error.kind()))
}

/// Returns the exit code of a command that ends with an error.
fn exit_code(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Infeasible | ErrorKind::OutOfBudget => 1,
        ErrorKind::Config | ErrorKind::Refused => 2,
        ErrorKind::Data | ErrorKind::Resources | ErrorKind::Io | ErrorKind::AfterPublishing => 3,
        ErrorKind::Verification | ErrorKind::Audit => 4,
        ErrorKind::Interrupted => 130,
        _ => 101,
    }
}

/// Colours a word if colours are wanted.
pub(crate) fn paint(text: &str, colour: &str) -> String {
    let wanted =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    if wanted { format!("\u{1b}[{colour};1m{text}\u{1b}[0m") } else { text.to_owned() }
}

/// Breaks a text into lines of at most `width` characters, with `indent` before every line except the first. It never breaks at a no-break
/// space.
pub(crate) fn wrap(text: &str, width: usize, indent: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_ascii_whitespace() {
        let last = lines.len() - 1;
        if !lines[last].is_empty() && lines[last].chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !lines[last].is_empty() {
                lines[last].push(' ');
            }
            lines[last] += word;
        }
    }
    lines.join(&format!("\n{indent}"))
}

/// Writes a share as a percentage: `12.3 %`.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", part as f64 / whole.max(1) as f64 * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_percentages() {
        assert_eq!(percent(1, 8), "12.5 %");
    }

    #[test]
    fn the_time_left_is_said_once_it_is_no_guess() {
        let seconds = Duration::from_secs;
        assert_eq!(left(50, 100, seconds(30)), ", about 30 seconds left");
        assert_eq!(left(1, 4, seconds(60)), ", about 3 minutes left");
        for (done, all, elapsed) in
            [(50, 100, 1), (0, 100, 30), (1, 1_000, 30), (100, 100, 30), (101, 100, 30)]
        {
            assert_eq!(left(done, all, seconds(elapsed)), "", "{done} of {all} after {elapsed} s");
        }
        assert_eq!(at_most(seconds(12)), ", at most 12 seconds left");
    }

    #[test]
    fn texts_are_wrapped() {
        assert_eq!(wrap("one two three", 7, "  "), "one two\n  three");
        assert_eq!(wrap("", 7, ""), "");
        assert_eq!(wrap("one 5\u{a0}% of", 5, ""), "one\n5\u{a0}%\nof");
    }
}
