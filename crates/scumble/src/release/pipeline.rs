//! Turns what a search found into a release with its name, in the same way for all kinds. The rows are arranged and written where nobody can
//! read them; what was written is read back and verified; only then does the destination take the release over, with its documents.

use std::io::Write;
use std::time::Instant;

use scumble_files::table::Texts;
use scumble_verify::ModelOutcome;

use super::datasheet::Datasheet;
use super::form::Form;
use super::gate::{self, RowNumbers};
use super::histories;
use super::households;
use super::joined::Told;
use super::perturbation;
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
use crate::report::data::{Households, Perturbation, Report};

/// The steps that differ between kinds of release.
pub(super) trait Releasable {
    /// Whether the release is several tables instead of one.
    const IS_SEVERAL: bool = false;

    /// The findings of the verifier.
    type Verified;

    /// Puts the rows into the order in which they are written.
    fn arrange(&mut self) -> Result<()>;

    /// Writes the rows.
    fn write(&self, staged: &mut Staged<'_>) -> Result<()>;

    /// Whether only the owner of the rows will see them.
    fn is_for_owner(&self) -> bool {
        false
    }

    /// Reads back what was written and checks it. Returns an error if anything does not hold.
    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<Self::Verified>;

    /// For each row of the table, a number that stands for everything that the row shows in the quasi-identifiers together, or
    /// [`households::LEFT_OUT`] if the row is not in the release. Returns `None` where no row shows them together. Called before
    /// `forget_rows`.
    fn looks(&self) -> Option<Vec<u32>>;

    /// What each row of the table shows in a column, where rows of the release are rows of the table. Called before `forget_rows`.
    fn shows(&self, _column: &str) -> Option<ShownColumn> {
        None
    }

    /// Forgets what only writing and verifying need. The row map stays.
    fn forget_rows(&mut self);

    /// The model that the release breaks together with tables that were published before.
    fn failing_beside_others(&self) -> Option<&ModelOutcome> {
        None
    }

    /// The figures, and the private report if a `title` asks for it.
    fn figures(
        &self,
        verified: &Self::Verified,
        title: Option<&str>,
        seconds: &Seconds,
    ) -> Result<(Summary, Option<Report>)>;

    /// The datasheet, which may be published; `None` for rows that are not for the public.
    fn sheet(&self, summary: &Summary) -> Option<Datasheet>;

    /// The manifest, which says how several tables belong together.
    fn manifest(&self, _sheet: &Datasheet) -> Option<Manifest> {
        None
    }

    /// Writes the rule that was applied, as JSON. Private.
    fn write_rule(&self, out: &mut dyn Write) -> serde_json::Result<()>;

    /// For each row of each table its row of the original; and for each row of the original its group, if it has one. Private.
    fn row_map(&self) -> (Vec<&[u32]>, Option<&[u32]>);
}

/// What a column shows.
pub(super) struct ShownColumn {
    /// Its texts.
    pub(super) texts: Texts,
    /// The text of each row of the table.
    pub(super) of_row: Vec<u32>,
}

/// How a run ended.
pub(super) enum Ended<Made> {
    /// The run made its release.
    Made(Box<Made>),
    /// The run made nothing, because the release breaks this model together with tables that were published before.
    NotBesideOthers(Box<ModelOutcome>),
}

impl<Made> Ended<Made> {
    /// Returns what a run made that is not compared with other tables.
    pub(super) fn alone(self) -> Result<Made> {
        match self {
            Self::Made(made) => Ok(*made),
            Self::NotBesideOthers(_) => Err(Error::internal("a release was put beside other tables")),
        }
    }
}

/// Where a verified release goes.
pub(super) trait Destination {
    /// What the caller gets.
    type Made;

    /// Where its tables are written.
    fn sink(&self) -> Sink<'_>;

    /// The title of the private report, if there is to be one.
    fn title(&self) -> Option<String>;

    /// The columns of codes by which the release is joined with others of the same call, if it is. Then [`Destination::told`] follows.
    fn keys(&self) -> Option<Vec<String>> {
        None
    }

    /// Gets what the verifier needs to judge the joined tables. Called before `take_over`.
    fn told(&mut self, _told: Told) {}

    /// Takes over a verified release. This is the last step, and the release can be read only after it. Calls [`Watched::last_look`]
    /// when it is too late to stop.
    fn take_over(
        &mut self,
        place: Staging,
        papers: Documents<'_>,
        summary: Summary,
        watched: &Watched<'_>,
    ) -> Result<Self::Made>;

    /// The summary of what was made.
    fn summary(made: &mut Self::Made) -> &mut Summary;
}

/// The documents that go with a verified release.
pub(super) struct Documents<'r> {
    /// The private report, complete.
    pub(super) report: Option<Report>,
    /// Writes the rule that was applied, as JSON. Private. The rule may be as large as the table, so it is never held as one text.
    pub(super) rule: &'r dyn Fn(&mut dyn Write) -> serde_json::Result<()>,
    /// The row map, if the plan asks for it. Private.
    pub(super) row_map: Option<RowMapFile>,
    /// The datasheet, which may be published, if there is one.
    pub(super) sheet: Option<Datasheet>,
    /// The manifest, which says how several tables belong together.
    pub(super) manifest: Option<Manifest>,
}

/// Searches, and releases what the search finds.
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

/// Receives the progress of a run, and can stop it.
pub(super) struct Watched<'a> {
    pub(super) progress: &'a Progress,
    pub(super) stage: &'a (dyn Fn(Stage) + Sync),
}

impl Watched<'_> {
    /// Begins a stage. The callback can still read how far the stage before it came.
    pub(super) fn enter(&self, stage: Stage) {
        (self.stage)(stage);
        self.progress.control().begin(None);
    }

    /// Returns an error if the run is to stop.
    pub(super) fn check(&self) -> Result<()> {
        self.progress.check()
    }

    /// Checks for the last time whether the run is to stop. Publishing is never stopped halfway.
    pub(super) fn last_look(&self) -> Result<()> {
        // A request to stop that comes after this call is too late. The check sees one that came before it.
        self.enter(Stage::Publish);
        self.check()
    }
}

/// Arranges what was found, writes it where nobody can read it, reads it back and verifies it. The caller checks
/// `failing_beside_others` before it goes on.
pub(super) fn write_verified<'a, 's, Found>(
    run: &mut Run<'a, Found>,
    (sink, rows, keys): (&'s Sink<'s>, RowNumbers<'s>, Option<Vec<String>>),
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
    // Only rows that others will see pass the gate.
    let gated = (!run.is_for_owner()).then_some(Gated { source: run.source, rows });
    let form = Form::of(run, sink);
    let staged = Staged::new((run.plan, form), sink, control, gated, <Run<'_, Found>>::IS_SEVERAL);
    let mut staged = staged.map_err(unpublished)?;
    staged.keys = keys;
    run.write(&mut staged).map_err(unpublished)?;
    seconds.write = clock.elapsed().as_secs_f64();
    watched.check()?;

    watched.enter(Stage::Verify);
    let clock = Instant::now();
    let verified = run.verify(&mut staged).map_err(unpublished)?;
    seconds.verify = clock.elapsed().as_secs_f64();
    run.notes.append(&mut staged.passed.notes);
    if let Staging::Table(stage) = &staged.place {
        run.warnings.extend(stage.notes());
    }
    run.written.clone_from(&staged.form.written);
    watched.check()?;
    Ok((staged, verified))
}

/// Measures what the release shows of households, and returns the warnings about it.
pub(super) fn measure_households<'a, Found>(run: &Run<'a, Found>) -> Result<(Option<Households>, Vec<String>)>
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
    let ReadTable { original, notes, first_warnings, mut personal, mut seconds, started, perturbed, .. } =
        read;
    run.notes.extend(notes);
    run.warnings.extend(first_warnings);
    let (place, verified, told) = {
        let (sink, keys) = (destination.sink(), destination.keys());
        let rows = RowNumbers::Kept(original.kept);
        let (staged, verified) = write_verified(&mut run, (&sink, rows, keys), watched, &mut seconds)?;
        personal.extend(staged.passed.personal);
        (staged.place, verified, staged.told)
    };
    told.into_iter().for_each(|told| destination.told(told));
    if let Some(failing) = run.failing_beside_others() {
        return Ok(Ended::NotBesideOthers(Box::new(failing.clone())));
    }
    watched.enter(Stage::Measure);
    let clock = Instant::now();
    let (households, of_households) = measure_households(&run)?;
    let (histories, of_histories) = histories::measure(&run)?.unzip();
    let perturbation = perturbation::measure(&run, perturbed, watched.progress.control())?;
    run.forget_rows();
    let (mut summary, mut report) = run.figures(&verified, destination.title().as_deref(), &seconds)?;
    if let Some(report) = &mut report {
        report.personal = personal.clone();
        report.households = households.clone();
        report.histories.clone_from(&histories);
        report.perturbation.clone_from(&perturbation);
    }
    // The report has its own rules for these.
    summary.warnings.extend(perturbation.iter().flat_map(Perturbation::warnings));
    let of_rows = of_households.into_iter().chain(of_histories.unwrap_or_default());
    summary.warnings.extend(gate::warnings(&personal).into_iter().chain(of_rows));
    summary.households = households;
    summary.histories = histories;
    summary.perturbation = perturbation;
    summary.personal = personal;
    summary.verdict = report.as_ref().map(Conclusion::of);
    watched.check()?;
    let (orders, groups) = run.row_map();
    let row_map = run.plan.row_map.as_ref().map(|_| original.row_map(&orders, groups)).transpose()?;
    let sheet = run.sheet(&summary).map(|sheet| sheet.with_perturbation(summary.perturbation.as_ref()));
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
