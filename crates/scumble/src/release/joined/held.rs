//! Releases that are written and verified, and wait for those that codes join them with. They get their names together.

use std::path::PathBuf;

use scumble_files::{Audience, FolderLock, PrivateFile, SetAside, folder_of, publish_together};

use super::{Joined, LastFirst, Table, Told};
use crate::base::format::capitalised;
use crate::config::Plan;
use crate::error::{Error, ErrorKind, Result};
use crate::release::datasheet::Datasheet;
use crate::release::described::{datasheets_of, older_datasheets_of};
use crate::release::linkable::ROWS_ARE_LINKED;
use crate::release::pipeline::{Destination, Documents, Watched};
use crate::release::publish::{
    MadeFolders, after, is_about, staged_report, staged_rules, staged_sheets, sync, trouble, unpublished,
};
use crate::release::staged::Staging;
use crate::release::targets::{Sink, Targets};
use crate::release::{Released, Summary};
use crate::report::Conclusion;
use crate::report::data::{Report, Severity, Warning};

/// The destination of a release that waits for others.
pub(super) struct Holding<'a> {
    targets: &'a Targets,
    keys: Vec<String>,
    told: Option<Told>,
}

/// A verified release without a name, and its documents.
pub(super) struct Made {
    file: PrivateFile,
    released: Released,
    report: Option<Report>,
    sheet: Option<Datasheet>,
    folders: MadeFolders,
    private: Vec<PrivateFile>,
}

/// The same, with what the verifier needs to judge it together with others.
pub(super) struct Held {
    made: Made,
    pub(super) told: Told,
}

impl<'a> Holding<'a> {
    pub(super) fn new(targets: &'a Targets, keys: Vec<String>) -> Self {
        Self { targets, keys, told: None }
    }

    pub(super) fn hold(self, made: Made) -> Result<Held> {
        let told = self.told.ok_or_else(|| Error::internal("a table was not verified before it was held"))?;
        Ok(Held { made, told })
    }
}

impl Destination for Holding<'_> {
    type Made = Made;

    fn sink(&self) -> Sink<'_> {
        Sink::Files(self.targets)
    }

    fn title(&self) -> Option<String> {
        Some(self.targets.name())
    }

    fn keys(&self) -> Option<Vec<String>> {
        Some(self.keys.clone())
    }

    fn told(&mut self, told: Told) {
        self.told = Some(told);
    }

    fn take_over(
        &mut self,
        place: Staging,
        mut papers: Documents<'_>,
        summary: Summary,
        watched: &Watched<'_>,
    ) -> Result<Made> {
        let Staging::File(mut file) = place else {
            return Err(Error::internal("one of several joined tables is not in a file"));
        };
        let mut released = Released::of(summary);
        if let Some(report) = &mut papers.report {
            report.made.clone_from(&self.targets.made);
        }
        is_about(self.targets, &mut papers, &file.sha256().map_err(unpublished)?, &released);
        let mut folders = MadeFolders::default();
        // The rule is written now, since it rests on the search. The others say what was checked of the joined tables.
        let private =
            staged_rules(self.targets, &papers, &mut folders, &mut released, watched).map_err(unpublished)?;
        Ok(Made { file, released, report: papers.report, sheet: papers.sheet, folders, private })
    }

    fn summary(made: &mut Made) -> &mut Summary {
        &mut made.released.summary
    }
}

impl Held {
    /// Adds a note for the owner.
    pub(super) fn say(&mut self, note: &str) {
        self.made.released.summary.notes.push(note.to_owned());
        if let Some(report) = &mut self.made.report {
            report.warnings.push(Warning { severity: Severity::Note, text: note.to_owned(), advice: None });
        }
    }

    /// Adds something that the owner has to decide about.
    fn warn(&mut self, text: &str) {
        let known = |of: &Warning| of.text == text;
        let summary = &mut self.made.released.summary;
        if !summary.warnings.iter().any(|of| of == text) {
            summary.warnings.push(text.to_owned());
        }
        if let Some(report) = self.made.report.as_mut().filter(|report| !report.warnings.iter().any(known)) {
            report.warnings.push(Warning::from(text.to_owned()));
        }
    }

    /// Says in datasheet, report and summary what the table shows together with the others.
    fn describe(&mut self, table: &Table<'_>, others: &[String], joined: &Joined) {
        let others = others.join(" and ");
        let own = table.targets.name();
        let here = |name: &String| *name == own;
        let models: Vec<String> = joined
            .models
            .iter()
            .filter(|of| here(&of.rows_of) || here(&of.asked_by))
            .map(|of| format!("{} (rows of {}): {}", of.model, of.rows_of, of.required))
            .collect();
        if let Some(sheet) = &mut self.made.sheet {
            if !models.is_empty() {
                sheet.statement += &format!(
                    " Joined with {others} by equal codes, on the quasi-identifiers of all joined rows: {}; checked on the published files.",
                    models.join("; ")
                );
            }
            sheet.limits.push(format!(
                "Equal codes join the rows of this table with those of {others}. What is promised of joined rows is promised to someone who knows \
                 the quasi-identifiers of the joined rows and no other column."
            ));
            let linked = format!("{}.", capitalised(ROWS_ARE_LINKED));
            if is_accepted(&table.plan) && !sheet.limits.contains(&linked) {
                sheet.limits.push(linked);
            }
        }
        if is_accepted(&table.plan) {
            self.warn(ROWS_ARE_LINKED);
        }
        let smallest = joined.smallest.unwrap_or(0);
        self.say(&format!(
            "the figures of this report are about this table by itself; joined with {others}, the smallest group has {smallest}"
        ));
        let limit = table.plan.risk.exposed_above();
        if smallest == 0 || limit.cmp_ratio(1, smallest).is_lt() {
            self.warn(&format!(
                "joined with {others}, the smallest group has {smallest}, so the person worst off is found with a chance of 1 in {smallest}, \
                 which is above the limit of {limit}"
            ));
        }
        self.made.released.summary.verdict = self.made.report.as_ref().map(Conclusion::of);
    }
}

/// Whether the owner accepts that rows can be linked.
fn is_accepted(plan: &Plan) -> bool {
    plan.accept_linkable_rows
}

/// Publishes releases that hold together: all of them, or none.
pub(super) fn publish(
    tables: &[Table<'_>],
    mut held: LastFirst<Held>,
    joined: &Joined,
    watched: &Watched<'_>,
) -> Result<Vec<Released>> {
    let names: Vec<String> = tables.iter().map(|table| table.targets.name()).collect();
    let mut files = Vec::new();
    let (mut papers, mut sheets, mut all) = (Vec::new(), Vec::new(), Vec::new());
    let mut folders = LastFirst(Vec::new());
    for (place, (table, held)) in tables.iter().zip(&mut held.0).enumerate() {
        let others: Vec<String> =
            names.iter().enumerate().filter(|(of, _)| *of != place).map(|(_, name)| name.clone()).collect();
        held.describe(table, &others, joined);
    }
    for (table, Held { made, .. }) in tables.iter().zip(std::mem::take(&mut held.0)) {
        let Made { mut file, mut released, report, sheet, folders: mut new, mut private } = made;
        let targets = &table.targets;
        let target =
            targets.release.clone().ok_or_else(|| Error::internal("a joined release without a file"))?;
        private.extend(
            staged_report(targets, report.as_ref(), &mut new, &mut released, watched).map_err(unpublished)?,
        );
        let mut public = staged_sheets(targets, sheet.as_ref(), &mut released)?;
        for file in std::iter::once(&mut file).chain(&mut public).chain(&mut private) {
            watched.check()?;
            file.ready().map_err(unpublished)?;
        }
        released.release = Some(target.clone());
        files.push((file, target));
        sheets.extend(public);
        papers.extend(private);
        folders.0.push(new);
        all.push(released);
    }
    // In one order, whatever the order of the plans, so that two runs never wait for each other.
    let mut around: Vec<PathBuf> = files
        .iter()
        .map(|(_, target)| folder_of(target).canonicalize().unwrap_or_else(|_| folder_of(target).to_owned()))
        .collect();
    around.sort_unstable();
    around.dedup();
    let control = watched.progress.control();
    let locks =
        around.iter().map(|folder| FolderLock::exclusive(folder, control)).collect::<Result<Vec<_>>>()?;
    watched.last_look()?;
    tables.iter().try_for_each(|table| table.targets.confirm())?;
    let mut troubles = name_all(files)?;
    sheets.into_iter().for_each(|sheet| troubles.extend(trouble(sheet.publish(Audience::Public))));
    drop(locks);
    std::mem::take(&mut folders.0).into_iter().for_each(MadeFolders::keep);
    papers.into_iter().for_each(|paper| troubles.extend(trouble(paper.publish(Audience::Owner))));
    if let Some(first) = all.first() {
        after(first, &troubles)?;
    }
    Ok(all)
}

/// Gives the releases their names, after the datasheets of what stands there have lost theirs. Returns what failed after that point. An error means
/// that everything is as it was before.
fn name_all(files: Vec<(PrivateFile, PathBuf)>) -> Result<Vec<Error>> {
    let mut aside = Vec::new();
    let old = files.iter().flat_map(|(_, target)| {
        let [json, markdown] = datasheets_of(target);
        [markdown, json].into_iter().chain(older_datasheets_of(target))
    });
    let mut taken = old.map(|sheet| SetAside::take(&sheet)).try_for_each(|sheet| -> Result<()> {
        aside.extend(sheet?);
        Ok(())
    });
    if taken.is_ok() && !aside.is_empty() {
        taken = files.iter().try_for_each(|(_, target)| sync(folder_of(target)));
    }
    match taken.and_then(|()| publish_together(files, Audience::Public)) {
        Ok(named) => Ok(named.into_iter().filter_map(|named| named.trouble).collect()),
        Err(error) => {
            let restored: Vec<_> = aside.into_iter().rev().map(SetAside::put_back).collect();
            let error = unpublished(error);
            Err(match restored.into_iter().find_map(Result::err) {
                Some(_) if error.kind() == ErrorKind::Io => error
                    .reworded(|what| what + ", but a datasheet of the releases that are there was removed"),
                _ => error,
            })
        }
    }
}
