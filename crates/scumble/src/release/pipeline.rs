//! From what a search found to a release with its name, one way for all kinds: the rows are arranged and written where nobody can
//! read them, what was written is read back and verified, and only then its destination takes it over, with its papers.

use std::io::Write;
use std::time::Instant;

use scumble_verify::ModelOutcome;

use super::datasheet::Datasheet;
use super::gate::{self, RowNumbers};
use super::households;
use super::publish::unpublished;
use super::row_map::RowMapFile;
use super::run::Run;
use super::search::Task;
use super::staged::{Gated, Staged, Staging};
use super::tables::manifest::Manifest;
use super::targets::Sink;
use super::{ReadTable, Seconds, Stage, Summary};
use crate::config::Role;
use crate::error::{Error, Result};
use crate::problem::Progress;
use crate::report::Conclusion;
use crate::report::data::{Households, Report};

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

    /// Whether only the owner of the rows will see them.
    fn is_for_owner(&self) -> bool {
        false
    }

    /// Reads back what was written and checks it; an error if anything does not hold.
    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<Self::Verified>;

    /// For each row of the table a number for all that it shows in the quasi-identifiers together ([`households::LEFT_OUT`] if it is not
    /// in the release); nothing where no row shows them together. It is asked before the rows are forgotten.
    fn looks(&self) -> Option<Vec<u32>>;

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
    ) -> Result<(Summary, Option<Report>)>;

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

/// Where a verified release goes.
pub(super) trait Destination {
    /// What its maker gets.
    type Made;

    /// Where its tables are written.
    fn sink(&self) -> Sink<'_>;

    /// How the private report calls the release, if there is to be one.
    fn title(&self) -> Option<String>;

    /// Takes over a verified release: the last step, and the only one after which it can be read. Says by [`Watched::last_look`] when it is
    /// too late to stop.
    fn take_over(
        &mut self,
        place: Staging,
        papers: Documents<'_>,
        summary: Summary,
        watched: &Watched<'_>,
    ) -> Result<Self::Made>;

    /// The figures of what was made.
    fn summary(made: &mut Self::Made) -> &mut Summary;
}

/// What is known besides the release once it is verified.
pub(super) struct Documents<'r> {
    /// The private report, complete.
    pub(super) report: Option<Report>,
    /// Writes the rule that was applied, as JSON. Private. It may be as large as the table, so it is never held as a text.
    pub(super) rule: &'r dyn Fn(&mut dyn Write) -> serde_json::Result<()>,
    /// Which row is whose, if somebody wants to know. Private.
    pub(super) row_map: Option<RowMapFile>,
    /// What may be said in public, if anything.
    pub(super) sheet: Option<Datasheet>,
    /// How several tables belong together.
    pub(super) manifest: Option<Manifest>,
}

/// Searches, and releases what is found.
pub(super) fn release<'a, Found, D: Destination>(
    mut read: ReadTable<'a>,
    search: impl FnOnce(&Task<'a>) -> Result<Run<'a, Found>>,
    destination: &mut D,
    watched: &Watched<'_>,
) -> Result<Ended<D::Made>>
where
    Run<'a, Found>: Releasable,
{
    watched.enter(Stage::Search);
    let clock = Instant::now();
    let run = search(&read.task(watched.progress))?;
    read.seconds.search = clock.elapsed().as_secs_f64();
    complete(run, read, destination, watched)
}

/// Who is told how far a run is, and may end it.
pub(super) struct Watched<'a> {
    pub(super) progress: &'a Progress,
    pub(super) stage: &'a (dyn Fn(Stage) + Sync),
}

impl Watched<'_> {
    /// A stage begins. Whoever is told of it can still see how far the one before came.
    pub(super) fn enter(&self, stage: Stage) {
        (self.stage)(stage);
        self.progress.control().begin(None);
    }

    /// An error if the run is to stop.
    pub(super) fn check(&self) -> Result<()> {
        self.progress.check()
    }

    /// Asks for the last time whether the run is to stop: what has begun to be published is published as a whole.
    pub(super) fn last_look(&self) -> Result<()> {
        // A request to stop that comes after this call is too late; one that came before it is seen by the check.
        self.enter(Stage::Publish);
        self.check()
    }
}

/// Arranges what was found, writes it where nobody can read it, reads it back and verifies it. Whoever goes on asks first what fails
/// beside other tables.
pub(super) fn write_verified<'a, 's, Found>(
    run: &mut Run<'a, Found>,
    (sink, rows): (&'s Sink<'s>, RowNumbers<'s>),
    watched: &Watched<'s>,
    seconds: &mut Seconds,
) -> Result<(Staged<'s>, <Run<'a, Found> as Releasable>::Verified)>
where
    Run<'a, Found>: Releasable,
    'a: 's,
{
    watched.check()?;
    watched.enter(Stage::Write);
    let clock = Instant::now();
    run.arrange()?;
    seconds.apply += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let control = watched.progress.control();
    // What nobody else will see passes no gate.
    let gated = (!run.is_for_owner()).then_some(Gated { source: run.source, rows });
    let staged = Staged::new(run.plan, sink, control, gated, <Run<'_, Found>>::IS_SEVERAL);
    let mut staged = staged.map_err(unpublished)?;
    run.write(&mut staged).map_err(unpublished)?;
    seconds.write = clock.elapsed().as_secs_f64();
    watched.check()?;

    watched.enter(Stage::Verify);
    let clock = Instant::now();
    let verified = run.verify(&mut staged).map_err(unpublished)?;
    seconds.verify = clock.elapsed().as_secs_f64();
    run.notes.append(&mut staged.passed.notes);
    watched.check()?;
    Ok((staged, verified))
}

/// What the release shows of households, with its warnings.
fn measure_households<'a, Found>(run: &Run<'a, Found>) -> Result<(Option<Households>, Vec<String>)>
where
    Run<'a, Found>: Releasable,
{
    if run.is_for_owner() || run.plan.names_with(Role::Household).next().is_none() {
        return Ok((None, Vec::new()));
    }
    let found = households::measure(run.plan, run.source, run.looks().as_deref())?;
    let (found, warnings) = found.unzip();
    Ok((found, warnings.unwrap_or_default()))
}

/// Arranges, writes, verifies and hands over what was found.
pub(super) fn complete<'a, Found, D: Destination>(
    mut run: Run<'a, Found>,
    read: ReadTable<'_>,
    destination: &mut D,
    watched: &Watched<'_>,
) -> Result<Ended<D::Made>>
where
    Run<'a, Found>: Releasable,
{
    let ReadTable { original, notes, first_warnings, mut personal, mut seconds, started, .. } = read;
    run.notes.extend(notes);
    run.warnings.extend(first_warnings);
    let (place, verified) = {
        let sink = destination.sink();
        let rows = RowNumbers::Kept(original.kept);
        let (staged, verified) = write_verified(&mut run, (&sink, rows), watched, &mut seconds)?;
        personal.extend(staged.passed.personal);
        (staged.place, verified)
    };
    if let Some(failing) = run.failing_beside_others() {
        return Ok(Ended::NotBesideOthers(Box::new(failing.clone())));
    }
    watched.enter(Stage::Measure);
    let clock = Instant::now();
    let (households, of_households) = measure_households(&run)?;
    run.forget_rows();
    let (mut summary, mut report) = run.figures(&verified, destination.title().as_deref(), &seconds)?;
    if let Some(report) = &mut report {
        report.personal = personal.clone();
        report.households = households.clone();
    }
    // The report has rules of its own for these.
    summary.warnings.extend(gate::warnings(&personal).into_iter().chain(of_households));
    summary.households = households;
    summary.personal = personal;
    summary.verdict = report.as_ref().map(Conclusion::of);
    watched.check()?;
    let (orders, groups) = run.row_map();
    let row_map = run.plan.row_map.as_ref().map(|_| original.row_map(&orders, groups)).transpose()?;
    let sheet = run.sheet(&summary);
    let manifest = sheet.as_ref().and_then(|sheet| run.manifest(sheet));
    seconds.measure = clock.elapsed().as_secs_f64();
    let papers = Documents { report, rule: &|out| run.write_rule(out), row_map, sheet, manifest };
    let clock = Instant::now();
    let mut made = destination.take_over(place, papers, summary, watched)?;
    seconds.write += clock.elapsed().as_secs_f64();
    seconds.total = started.elapsed().as_secs_f64();
    let summary = D::summary(&mut made);
    summary.seconds = seconds.rounded();
    summary.peak_memory_bytes = crate::base::memory::peak();
    Ok(Ended::Made(Box::new(made)))
}
