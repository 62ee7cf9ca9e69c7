//! A release for a program: tables in memory in, verified tables in memory out.

use std::collections::BTreeMap;
use std::io::Write;

use scumble_files::{Batches, Control, OutFormat, Source};

use super::apply::{applied_plan, recoded};
use super::datasheet::{self, Datasheet};
use super::pipeline::{Destination, Documents, Watched};
use super::row_map::RowMapFile;
use super::staged::Staging;
use super::targets::{Sink, written_for};
use super::{Input, Manifest, Stage, Summary, make};
use crate::config::Plan;
use crate::error::{Error, Result};
use crate::problem::Progress;
use crate::release::resources::Resources;
use crate::release::saved::SavedRecoding;
use crate::report::data::Report;

/// Which row of the original each row of a release came from. Private.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowMap {
    /// For each table and each row of the original, its row in the table, from 0; `None` where it was left out.
    pub tables: Vec<Vec<Option<u32>>>,
    /// For each row of the original its group, as the tables number them, if they do.
    pub groups: Option<Vec<Option<String>>>,
}

/// A verified release in memory. Like a release in files it was written, read back and checked by the independent verifier, and it is
/// handed out only if it passed.
///
/// The tables, the datasheet and the manifest may be published. Everything else is about the original, and private.
#[derive(Debug)]
pub struct Release {
    tables: Vec<(String, Batches)>,
    /// The figures. Private.
    pub summary: Summary,
    /// The report, unless the plan wants none. Private.
    pub report: Option<Report>,
    /// The rule that was applied, as JSON, if the plan asks for it or for a report. Private.
    pub recoding: Option<String>,
    /// Which row of the original each released row came from, if the plan asks for a row map. Private.
    pub row_map: Option<RowMap>,
    /// How several tables belong together.
    pub manifest: Option<Manifest>,
    sheet: Datasheet,
}

impl Release {
    /// Makes the release that a plan asks for. The input is `table` whatever the plan calls it, and nothing is written. A population, earlier
    /// tables and hierarchies that the plan names must be given; see [`Release::with`].
    pub fn of(table: impl Into<Batches>, plan: &Plan) -> Result<Self> {
        Self::with(
            &Source::from_batches(table.into(), "the table"),
            plan,
            &Resources::default(),
            &Control::default(),
            &|_| {},
        )
    }

    /// Does the same as [`Release::of`], with a table from anywhere and what else the plan names. The run can be stopped through `control`, and
    /// `stage` is called when a stage begins.
    pub fn with(
        table: &Source,
        plan: &Plan,
        resources: &Resources,
        control: &Control,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Self> {
        written_for(plan, OutFormat::ArrowIpc)?;
        let progress = Progress::from(control.clone());
        let resources = resources.for_a_run().watched_by(control);
        // File names mean nothing here; these read well in messages.
        let input = if plan.input.is_empty() { "the table" } else { &plan.input };
        let plan = &Plan {
            input: input.to_owned(),
            output: "the release.arrow".to_owned(),
            row_map: plan.row_map.as_ref().map(|_| "the row map".to_owned()),
            ..plan.clone()
        };
        let input = Input { plan, source: table, resources: &resources };
        let made =
            control.run(|| make(&input, &mut Memory { plan }, &Watched { progress: &progress, stage }))?;
        let sheet = made.sheet.ok_or_else(|| Error::internal("a release without a datasheet"))?;
        Ok(Self {
            tables: made.tables,
            summary: made.summary,
            report: made.report,
            recoding: made.recoding,
            row_map: made.row_map,
            manifest: made.manifest,
            sheet,
        })
    }

    /// The table; an error if the release has several.
    pub fn table(&self) -> Result<&Batches> {
        match &self.tables[..] {
            [(_, table)] => Ok(table),
            _ => Err(Error::refused(format!(
                "'{}' publishes several tables beside each other, not one",
                self.summary.algorithm
            ))
            .advise("take all tables of the release")),
        }
    }

    /// All tables with their names.
    pub fn tables(&self) -> impl Iterator<Item = (&str, &Batches)> {
        self.tables.iter().map(|(name, table)| (name.as_str(), table))
    }

    /// The datasheet that may be published with the tables, for programs.
    pub fn datasheet_json(&self) -> Result<String> {
        serde_json::to_string_pretty(&self.sheet).map_err(Error::internal)
    }

    /// The datasheet that may be published with the tables, for people.
    #[must_use]
    pub fn datasheet_markdown(&self) -> String {
        datasheet::markdown(&self.sheet)
    }

    /// The private report as a page, unless the plan wants none.
    pub fn report_html(&self) -> Result<Option<String>> {
        self.report.as_ref().map(crate::report::html).transpose()
    }
}

/// Rows in memory that were recoded by a saved recoding, as [`apply`](super::apply()) does it in files: a verified release of
/// their own, or every row in its recoded form for its owner.
#[derive(Debug)]
pub struct RecodedRows {
    table: Batches,
    /// The figures. Private.
    pub summary: Summary,
    /// By quasi-identifier, the number of rows that show `*` because nothing that the rule shows is true of them; quasi-identifiers without such
    /// rows are not listed. Private.
    pub unplaced: BTreeMap<String, u64>,
    /// Whether the rows are for their owner only.
    pub private: bool,
    sheet: Option<Datasheet>,
}

impl RecodedRows {
    /// Recodes the rows of a table. If `private`, every row stays, in its order, and no model is checked: that is for testing what was
    /// learnt from a release.
    pub fn of(saved: &SavedRecoding, table: impl Into<Batches>, private: bool) -> Result<Self> {
        let table = Source::from_batches(table.into(), "the table");
        let plan = saved.plan("the table", "the release.arrow");
        Self::with(saved, &table, &plan, private, &Control::default(), &|_| {})
    }

    /// Does the same as [`RecodedRows::of`], with a table from anywhere, and by the recoding's plan ([`SavedRecoding::plan`]) with any changes
    /// to it. The run can be stopped through `control`.
    pub fn with(
        saved: &SavedRecoding,
        table: &Source,
        plan: &Plan,
        private: bool,
        control: &Control,
        stage: &(dyn Fn(Stage) + Sync),
    ) -> Result<Self> {
        written_for(plan, OutFormat::ArrowIpc)?;
        let plan = &applied_plan(saved, plan, private)?;
        let progress = Progress::from(control.clone());
        let resources = Resources::default().watched_by(control);
        let input = Input { plan, source: table, resources: &resources };
        let watched = Watched { progress: &progress, stage };
        let (made, unplaced) =
            control.run(|| recoded(saved, &input, private, &mut Memory { plan }, &watched))?;
        let Kept { tables, summary, sheet, .. } = made;
        let [(_, table)] =
            <[_; 1]>::try_from(tables).map_err(|_| Error::internal("recoded rows are in several tables"))?;
        Ok(Self { table, summary, unplaced, private, sheet })
    }

    /// The rows.
    #[must_use]
    pub fn table(&self) -> &Batches {
        &self.table
    }

    /// The datasheet that may be published with the rows, for people; `None` if the rows are for their owner.
    #[must_use]
    pub fn datasheet_markdown(&self) -> Option<String> {
        self.sheet.as_ref().map(datasheet::markdown)
    }

    /// The datasheet that may be published with the rows, for programs.
    pub fn datasheet_json(&self) -> Result<Option<String>> {
        self.sheet.as_ref().map(serde_json::to_string_pretty).transpose().map_err(Error::internal)
    }
}

/// What a run has made in memory.
struct Kept {
    tables: Vec<(String, Batches)>,
    summary: Summary,
    report: Option<Report>,
    recoding: Option<String>,
    row_map: Option<RowMap>,
    manifest: Option<Manifest>,
    sheet: Option<Datasheet>,
}

/// The destination of a release in memory.
struct Memory<'a> {
    plan: &'a Plan,
}

impl Destination for Memory<'_> {
    type Made = Kept;

    fn sink(&self) -> Sink<'_> {
        Sink::Memory
    }

    fn title(&self) -> Option<String> {
        // The verdict rests on the report, as it does for files.
        Some("the release".to_owned())
    }

    fn take_over(
        &mut self,
        place: Staging,
        papers: Documents<'_>,
        summary: Summary,
        watched: &Watched<'_>,
    ) -> Result<Kept> {
        let Staging::Memory(mut tables) = place else {
            return Err(Error::internal("a release in memory has files"));
        };
        for (name, _) in tables.iter_mut().filter(|(name, _)| name.is_empty()) {
            "release".clone_into(name);
        }
        let written = |write: &dyn Fn(&mut dyn Write) -> serde_json::Result<()>| {
            let mut text = Vec::new();
            write(&mut text).map_err(Error::internal)?;
            String::from_utf8(text).map_err(Error::internal)
        };
        // The report was made for the verdict; a plan may still not want it.
        let report = papers.report.filter(|_| !self.plan.report.is_empty());
        let wants_rule = self.plan.recoding.is_some() || report.is_some();
        let recoding = wants_rule.then(|| written(papers.rule)).transpose()?;
        watched.last_look()?;
        Ok(Kept {
            tables,
            summary,
            report,
            recoding,
            row_map: papers.row_map.map(RowMapFile::in_memory),
            manifest: papers.manifest,
            sheet: papers.sheet,
        })
    }

    fn summary(made: &mut Kept) -> &mut Summary {
        &mut made.summary
    }
}
