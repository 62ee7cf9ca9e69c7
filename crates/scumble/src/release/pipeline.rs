//! From what a search found to a release with its name, one way for all kinds: the rows are arranged and written where nobody can
//! read them, what was written is read back and verified, and only then it is published, with its papers.

use std::io::Write;
use std::time::Instant;

use scumble_verify::ModelOutcome;

use super::datasheet::Datasheet;
use super::publish::{Papers, publish, unpublished};
use super::staged::Staged;
use super::tables::manifest::Manifest;
use super::{Begun, Released, RunOptions, Seconds, Stage, Summary};
use crate::error::{Error, Result};
use crate::report::data::Report;

/// What each kind of release does in a way of its own.
pub(super) trait Kind {
    /// Whether it is several tables, not one.
    const IS_SEVERAL: bool = false;

    /// What is worth knowing, and what somebody should decide about, from before the search.
    fn add(&mut self, notes: Vec<String>, warnings: Vec<String>);

    /// Puts the rows into the order in which they are written.
    fn arrange(&mut self) -> Result<()>;

    /// Writes the rows.
    fn write(&self, staged: &mut Staged<'_>) -> Result<()>;

    /// Reads back what was written and checks it; an error if anything does not hold.
    fn verify(&mut self, staged: &mut Staged<'_>) -> Result<Verdict>;

    /// The figures, and the private report if it is asked for by its title.
    fn figures(&self, title: Option<&str>, seconds: &Seconds) -> Result<(Summary, Option<Report>)>;

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

/// What the verifier says about a release that keeps what it promises by itself.
pub(super) enum Verdict {
    /// It may be published.
    Publish,
    /// It does not keep this beside tables that were published before.
    NotBesideOthers(Box<ModelOutcome>),
}

/// How a run ended.
pub(super) enum Ended {
    /// Its release was published.
    Released(Box<Released>),
    /// It was not, since it does not keep this beside tables that were published before.
    NotBesideOthers(Box<ModelOutcome>),
}

impl Ended {
    /// The release of a run that is not put beside other tables.
    pub(super) fn alone(self) -> Result<Released> {
        match self {
            Self::Released(released) => Ok(*released),
            Self::NotBesideOthers(_) => Err(Error::internal("a release was put beside other tables")),
        }
    }
}

/// Arranges, writes, verifies and publishes what was found.
pub(super) fn complete<K: Kind>(
    mut found: K,
    begun: Begun<'_>,
    options: &mut RunOptions<'_>,
) -> Result<Ended> {
    let Begun { plan, original, targets, notes, first_warnings, mut seconds, started, .. } = begun;
    found.add(notes, first_warnings);
    options.progress.check()?;

    (options.stage)(Stage::Write);
    let clock = Instant::now();
    found.arrange()?;
    seconds.apply += clock.elapsed().as_secs_f64();
    let clock = Instant::now();
    let mut staged = Staged::new(plan, &targets, K::IS_SEVERAL).map_err(unpublished)?;
    found.write(&mut staged).map_err(unpublished)?;
    seconds.write = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Verify);
    let clock = Instant::now();
    if let Verdict::NotBesideOthers(failing) = found.verify(&mut staged).map_err(unpublished)? {
        return Ok(Ended::NotBesideOthers(failing));
    }
    seconds.verify = clock.elapsed().as_secs_f64();
    options.progress.check()?;

    (options.stage)(Stage::Publish);
    let title = targets.report.is_some().then(|| targets.name());
    let (summary, report) = found.figures(title.as_deref(), &seconds)?;
    let (orders, groups) = found.row_map();
    let row_map = targets.row_map.as_ref().map(|_| original.row_map(&orders, groups)).transpose()?;
    let sheet = found.sheet(&summary);
    let manifest = sheet.as_ref().and_then(|sheet| found.manifest(sheet));
    let papers = Papers { report, rule: &|out| found.write_rule(out), row_map, sheet, manifest };
    let clock = Instant::now();
    let mut released = publish(staged.place, &targets, papers, summary, options)?;
    seconds.write += clock.elapsed().as_secs_f64();
    seconds.total = started.elapsed().as_secs_f64();
    released.summary.seconds = seconds.rounded();
    released.summary.peak_memory_bytes = crate::memory::peak();
    Ok(Ended::Released(Box::new(released)))
}
