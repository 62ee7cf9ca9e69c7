//! From what a search found to a release with its name, one way for all kinds: the rows are arranged and written where nobody can
//! read them, what was written is read back and verified, and only then it is published, with its papers.

use std::io::Write;
use std::time::Instant;

use scumble_verify::ModelOutcome;

use super::datasheet::Datasheet;
use super::publish::{Papers, publish, unpublished};
use super::run::Run;
use super::search::Task;
use super::staged::Staged;
use super::tables::manifest::Manifest;
use super::targets::Sink;
use super::{Begun, Released, RunOptions, Seconds, Stage, Summary};
use crate::error::{Error, Result};
use crate::problem::Progress;
use crate::report::data::Report;

/// What each kind of release does in a way of its own.
pub(super) trait Releasable {
    /// Whether it is several tables, not one.
    const IS_SEVERAL: bool = false;

    /// What the verifier found in what was written.
    type Verified;

    /// Puts the rows into the order in which they are written.
    fn arrange(&mut self) -> Result<()>;

    /// Writes the rows.
    fn write(&self, staged: &mut Staged<'_>) -> Result<()>;

    /// Reads back what was written and checks it; an error if anything does not hold.
    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<Self::Verified>;

    /// Forgets what only writing and verifying need; the row map stays.
    fn forget_rows(&mut self);

    /// What it does not keep beside tables that were published before.
    fn failing_beside_others(&self) -> Option<&ModelOutcome> {
        None
    }

    /// The figures, and the private report if it is asked for by its title.
    fn figures(
        &self,
        verified: &Self::Verified,
        title: Option<&str>,
        seconds: &Seconds,
    ) -> (Summary, Option<Report>);

    /// What may be said in public; nothing of rows that are not for the public.
    fn sheet(&self, summary: &Summary) -> Option<Datasheet>;

    /// How several tables belong together.
    fn manifest(&self, _sheet: &Datasheet) -> Option<Manifest> {
        None
    }

    /// Writes the rule that was applied, as JSON. Private.
    fn write_rule(&self, out: &mut dyn Write) -> serde_json::Result<()>;

    /// By table, for each row the row of the original; and the group of each row of the original, if it has one. Private.
    fn row_map(&self) -> (Vec<&[u32]>, Option<&[u32]>);
}

/// How a run ended.
pub(super) enum Ended<Made> {
    /// With what was to be made.
    Made(Box<Made>),
    /// With nothing, since what was found does not keep this beside tables that were published before.
    NotBesideOthers(Box<ModelOutcome>),
}

impl<Made> Ended<Made> {
    /// What a run made that is not put beside other tables.
    pub(super) fn alone(self) -> Result<Made> {
        match self {
            Self::Made(made) => Ok(*made),
            Self::NotBesideOthers(_) => Err(Error::internal("a release was put beside other tables")),
        }
    }
}

/// Searches, and releases what is found.
pub(super) fn release<'a, Found>(
    mut begun: Begun<'a>,
    search: impl FnOnce(&Task<'a>) -> Result<Run<'a, Found>>,
    options: &mut RunOptions<'_>,
) -> Result<Ended<Released>>
where
    Run<'a, Found>: Releasable,
{
    (options.stage)(Stage::Search);
    let clock = Instant::now();
    options.progress.control().begin(None);
    let run = search(&begun.task(&options.progress))?;
    begun.seconds.search = clock.elapsed().as_secs_f64();
    complete(run, begun, options)
}

/// Who is told how far a run is, and may end it.
pub(super) struct Watched<'a> {
    pub(super) progress: &'a Progress,
    pub(super) stage: &'a (dyn Fn(Stage) + Sync),
}

/// Arranges what was found, writes it where nobody can read it, reads it back and verifies it. Whoever goes on asks first what fails
/// beside other tables.
pub(super) fn write_verified<'a, 's, Found>(
    run: &mut Run<'a, Found>,
    sink: &'s Sink<'s>,
    watched: &Watched<'s>,
    seconds: &mut Seconds,
) -> Result<(Staged<'s>, <Run<'a, Found> as Releasable>::Verified)>
where
    Run<'a, Found>: Releasable,
    'a: 's,
{
    watched.progress.check()?;
    watched.progress.control().begin(None);
    (watched.stage)(Stage::Write);
    let clock = Instant::now();
    run.arrange()?;
    seconds.apply += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let control = watched.progress.control();
    let staged = Staged::new(run.plan, sink, control, <Run<'_, Found>>::IS_SEVERAL);
    let mut staged = staged.map_err(unpublished)?;
    run.write(&mut staged).map_err(unpublished)?;
    seconds.write = clock.elapsed().as_secs_f64();
    watched.progress.check()?;

    watched.progress.control().begin(None);
    (watched.stage)(Stage::Verify);
    let clock = Instant::now();
    let verified = run.verify(&mut staged).map_err(unpublished)?;
    seconds.verify = clock.elapsed().as_secs_f64();
    watched.progress.check()?;
    Ok((staged, verified))
}

/// Arranges, writes, verifies and publishes what was found.
pub(super) fn complete<'a, Found>(
    mut run: Run<'a, Found>,
    begun: Begun<'_>,
    options: &mut RunOptions<'_>,
) -> Result<Ended<Released>>
where
    Run<'a, Found>: Releasable,
{
    let Begun { original, targets, notes, first_warnings, mut seconds, started, .. } = begun;
    run.notes.extend(notes);
    run.warnings.extend(first_warnings);
    let sink = Sink::Files(&targets);
    let watched = Watched { progress: &options.progress, stage: options.stage };
    let (staged, verified) = write_verified(&mut run, &sink, &watched, &mut seconds)?;
    if let Some(failing) = run.failing_beside_others() {
        return Ok(Ended::NotBesideOthers(Box::new(failing.clone())));
    }
    run.forget_rows();

    let title = targets.report.is_some().then(|| targets.name());
    let (summary, report) = run.figures(&verified, title.as_deref(), &seconds);
    let (orders, groups) = run.row_map();
    let row_map = targets.row_map.as_ref().map(|_| original.row_map(&orders, groups)).transpose()?;
    let sheet = run.sheet(&summary);
    let manifest = sheet.as_ref().and_then(|sheet| run.manifest(sheet));
    let papers = Papers { report, rule: &|out| run.write_rule(out), row_map, sheet, manifest };
    // From here on a run cannot be cancelled: what has begun to be published is published as a whole.
    options.progress.check()?;
    options.progress.control().begin(None);
    (options.stage)(Stage::Publish);
    let clock = Instant::now();
    let mut released = publish(staged.place, &targets, papers, summary, options)?;
    seconds.write += clock.elapsed().as_secs_f64();
    seconds.total = started.elapsed().as_secs_f64();
    released.summary.seconds = seconds.rounded();
    released.summary.peak_memory_bytes = crate::memory::peak();
    Ok(Ended::Made(Box::new(released)))
}
