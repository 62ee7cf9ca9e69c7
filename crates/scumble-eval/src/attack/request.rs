//! Requests for attacks. Programs and the command use the same ones, and tables may be files or in memory.

use scumble::config::{Plan, Rest, RiskSpec, Role, Wp216Spec};
use scumble::release::resources::Resources;
use scumble::release::{Original, PublishedTables, WrittenTable, columns_that_link, read_original};
use scumble::report::data::Criteria;
use scumble::risk::{RiskTable, assess};
use scumble::{Error, Result};
use scumble_files::Source;
use scumble_files::table::CodedTable;

use super::simulate::{Release, Target, simulate};
use super::whose::{Pairs, Whose};
use super::{ATTACKS, Attack, Finding, Options, add_roles, find, record_linkage, wp216};

/// What to attack, and what the attackers have at hand. [`AttackRequest::of`] fills in the defaults of the command.
#[derive(Debug, Clone)]
pub struct AttackRequest<'a> {
    /// The release.
    pub release: Attacked<'a>,
    /// The people it is about.
    pub original: &'a Source,
    /// The roles of the columns, their hierarchies, and how the release was made. The plan may name tables that were
    /// published before: these are further releases about the same people.
    pub plan: Plan,
    /// Whether the plan describes how the release was made. If not, only its roles of columns count.
    pub method_known: bool,
    /// Further releases about the same people, in addition to those of the plan.
    pub others: Vec<WrittenTable<'a>>,
    /// People like those of the original who are not in it.
    pub outsiders: Option<&'a Source>,
    /// The columns whose values were perturbed, if another program did that.
    pub perturbed: Vec<String>,
    /// What is known of whose each row of the release is.
    pub whose: Whose,
    /// The names of the attacks; all if empty.
    pub attacks: Vec<String>,
    /// How attacks are simulated.
    pub options: Options,
    /// Other inputs that the plan names, and the run's control.
    pub resources: Resources,
}

/// A release in one table, or in several.
#[derive(Debug, Clone)]
pub enum Attacked<'a> {
    /// One table.
    Table(WrittenTable<'a>),
    /// Several tables with their manifest.
    Several(&'a PublishedTables),
}

impl<'a> From<&'a Source> for Attacked<'a> {
    fn from(table: &'a Source) -> Self {
        Self::Table(table.into())
    }
}

impl<'a> From<WrittenTable<'a>> for Attacked<'a> {
    fn from(table: WrittenTable<'a>) -> Self {
        Self::Table(table)
    }
}

impl<'a> From<&'a PublishedTables> for Attacked<'a> {
    fn from(tables: &'a PublishedTables) -> Self {
        Self::Several(tables)
    }
}

impl<'a> AttackRequest<'a> {
    /// Requests every attack on a release, by an attacker who knows the plan that made it.
    pub fn of(release: impl Into<Attacked<'a>>, original: &'a Source, plan: &Plan) -> Self {
        Self {
            release: release.into(),
            original,
            plan: plan.clone(),
            method_known: true,
            others: Vec::new(),
            outsiders: None,
            perturbed: Vec::new(),
            whose: Whose::Unknown,
            attacks: Vec::new(),
            options: Options::default(),
            resources: Resources::default(),
        }
    }

    /// Returns the attacks that are asked for.
    pub fn attacks(&self) -> Result<Vec<&'static Attack>> {
        if self.attacks.is_empty() {
            return Ok(ATTACKS.iter().collect());
        }
        self.attacks.iter().map(|name| find(name)).collect()
    }

    /// Reads all tables.
    pub fn read(&self) -> Result<AttackTables<'a>> {
        self.resources.control().run(|| self.read_here())
    }

    fn read_here(&self) -> Result<AttackTables<'a>> {
        let attacks = self.attacks()?;
        let resources = self.resources.for_a_run();
        let control = resources.control();
        let mut plan = self.plan.clone();
        // Columns that the plan does not mention play no part here.
        plan.rest = plan.rest.or(Some(Rest::Drop));
        if let Attacked::Several(published) = self.release {
            add_roles(&mut plan, &published.manifest);
        }
        let Original { mut plan, table: original, kept, mut notes, left_out, .. } =
            read_original(&plan, self.original, &resources)?;
        notes.extend(left_out);
        // The plan's settings for reading its input do not hold for releases.
        let how = match &self.release {
            Attacked::Table(WrittenTable { read: Some(read), .. }) => read.clone(),
            _ => plan.read.of_release(),
        };
        let of_plan = plan.clone();
        let mut whole = |table: &WrittenTable<'_>| {
            let read = table.read_whole(&of_plan, &how, control)?;
            notes.extend(read.notes);
            Ok::<CodedTable, Error>(read.coded)
        };
        let release = match &self.release {
            Attacked::Table(table) => Ok(whole(table)?),
            Attacked::Several(published) => Err(*published),
        };
        let perturbed = record_linkage::perturbed(&plan, &self.perturbed);
        let pairs = match &release {
            Ok(table) => self.whose.pairs(self.original, &kept, table.rows)?,
            Err(_) if self.perturbed.is_empty() && matches!(self.whose, Whose::Unknown) => None,
            Err(_) => {
                return Err(Error::config(
                    "perturbed columns, row maps and the order of rows are about a release of one table, and this release has several",
                ));
            }
        };
        let warnings = match (&release, &self.release) {
            (Ok(table), Attacked::Table(written)) => {
                let address =
                    written.source.address().map(|address| std::path::PathBuf::from(address.text()));
                let release = written.source.path().or(address.as_deref());
                let sheet = release.and_then(scumble::release::promised_by_datasheet);
                super::kept::keep(&mut plan, table, sheet.as_deref(), &perturbed)?
            }
            _ => Vec::new(),
        };
        let mut others = Vec::new();
        for table in &plan.table {
            others.push(whole(&(&resources.source(&table.file)?).into())?);
        }
        for table in &self.others {
            others.push(whole(table)?);
        }
        let outsiders = self.outsiders.map(|source| read_original(&plan, source, &resources)).transpose()?;
        notes.extend(outsiders.iter().flat_map(|read| [&read.notes[..], &read.left_out].concat()));
        Ok(AttackTables {
            release,
            others,
            original,
            outsiders: outsiders.map(|read| read.table),
            perturbed,
            pairs,
            plan,
            notes,
            warnings,
            resources,
            attacks,
            method_known: self.method_known,
            options: self.options.clone(),
        })
    }
}

/// The tables of a request, read.
pub struct AttackTables<'a> {
    /// The release in one table, or in several.
    release: std::result::Result<CodedTable, &'a PublishedTables>,
    others: Vec<CodedTable>,
    /// The people whom the release is about.
    pub original: CodedTable,
    outsiders: Option<CodedTable>,
    perturbed: Vec<String>,
    pairs: Option<Pairs>,
    /// The plan with a role for every column of the original.
    pub plan: Plan,
    /// Notes: how tables were read, and which rows were left out.
    pub notes: Vec<String>,
    /// Warnings that the user should consider.
    pub warnings: Vec<String>,
    resources: Resources,
    attacks: Vec<&'static Attack>,
    method_known: bool,
    options: Options,
}

impl AttackTables<'_> {
    /// What findings say about the three criteria of Opinion 05/2014, by these thresholds.
    pub fn criteria(&self, found: &[Finding], thresholds: &Wp216Spec) -> Result<Criteria> {
        let risk = match &self.release {
            Ok(table) => {
                let names = self.plan.names_with(Role::Quasi);
                let quasi: Vec<String> =
                    names.filter(|name| table.column(name).is_some()).map(str::to_owned).collect();
                let input = RiskTable { table, quasi: &quasi, missing: &[], population: None, persons: None };
                // The release has no weights and no households, and combinations of columns are for the page about risk.
                let spec =
                    RiskSpec { weight: None, household: None, combination_size: 0, ..self.plan.risk.clone() };
                Some(assess(&input, &spec, self.resources.control())?.0)
            }
            Err(_) => None,
        };
        let release = wp216::Release {
            risk,
            linking: columns_that_link(&self.plan, &self.original)?,
            perturbed: &self.perturbed,
            others: self.others.len(),
        };
        wp216::judge(found, &release, thresholds)
    }

    /// Simulates the attacks. `begins` is called before each attack with its number from 1 and the number of attacks.
    pub fn attack(&self, begins: &(dyn Fn(&Attack, usize, usize) + Sync)) -> Result<Vec<Finding>> {
        let target = Target {
            release: match &self.release {
                Ok(table) => Release::Table(table),
                Err(published) => Release::Several(published),
            },
            others: &self.others,
            original: &self.original,
            outsiders: self.outsiders.as_ref(),
            perturbed: &self.perturbed,
            pairs: self.pairs.as_ref(),
            plan: &self.plan,
            method_known: self.method_known,
            resources: &self.resources,
        };
        let place = |attack: &Attack| self.attacks.iter().position(|other| other.name == attack.name);
        let begins =
            |attack: &Attack| begins(attack, place(attack).map_or(0, |place| place + 1), self.attacks.len());
        self.resources.control().run(|| simulate(&target, &self.attacks, &self.options, begins))
    }
}

/// Reads the tables of a request and simulates its attacks.
pub fn attack(request: &AttackRequest<'_>) -> Result<Vec<Finding>> {
    request.read()?.attack(&|_, _, _| {})
}
