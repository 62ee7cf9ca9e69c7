//! Several published tables whose rows are joined by codes, such as households and the people in them.
//!
//! Whoever has all tables has them joined. So a row of a table also shows what the row of every other table shows to which its codes lead, and
//! that row's quasi-identifiers are known of it, too. The models of every table are checked on such joined rows.

use std::collections::{BTreeMap, BTreeSet};

use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable, Codes};

use super::requirement::Requirement;
use super::{Claim, ModelOutcome, Reference, Relation, StarRows, check_models_with, check_relations};
use crate::columns::{RELEASE, check_size, column, part};
use crate::error::VerifyError;
use crate::group::{Part, View, group};
use crate::normal::taken;
use crate::watch::{Pace, check};

/// What a row shows in the columns of a table in which it has no row. No file can hold it.
const NOWHERE: &str = "\u{0}";

/// A row that does not exist.
const NONE: u32 = u32::MAX;

/// A column of codes that other tables may have, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinKey {
    /// The column.
    pub column: String,
    /// What its codes stand for. Columns of one domain have equal codes for equal things.
    pub domain: String,
}

/// One of several tables that are joined by codes.
#[derive(Debug, Clone, Copy)]
pub struct JoinedTable<'a> {
    /// Its name, for labels.
    pub name: &'a str,
    /// The table as it was written, with the unpublished columns that its models read.
    pub table: &'a CodedTable,
    /// Its columns of codes, at most one for each domain.
    pub keys: &'a [JoinKey],
    /// What is claimed of it.
    pub claim: &'a Claim,
    /// The original's distributions, for models that compare with them.
    pub reference: &'a Reference,
    /// The column that says who a row is about, where it is no row of its own.
    pub person: Option<&'a str>,
}

/// Rows of a table whose code is in no row of the table that has each code once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphans {
    /// The table of the rows.
    pub child: usize,
    /// The table that should have their codes.
    pub parent: usize,
    /// The domain of the codes.
    pub domain: String,
    /// The number of rows.
    pub rows: u64,
    /// The codes.
    pub codes: Vec<String>,
}

/// What a check found about the models of one table on the joined rows of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedOutcome {
    /// The table whose rows were joined with others.
    pub rows_of: usize,
    /// The table whose models were checked, and whose rows or persons were counted.
    pub models_of: usize,
    /// The tables whose quasi-identifiers the joined rows show, ascending.
    pub shows: Vec<usize>,
    /// The models, in the order of the claim; those about all rows of a person only where they are of the table's own rows.
    pub models: Vec<ModelOutcome>,
    /// The fewest rows of the table of the models that look the same.
    pub smallest: Option<u64>,
}

/// The row of another table to which each row of a table leads.
type Leads = Vec<u32>;

/// The tables of a release, joined.
pub struct Joins<'a> {
    tables: &'a [JoinedTable<'a>],
    /// The domains that several tables have, with the table that has each code once and the most of them.
    parents: BTreeMap<&'a str, Option<usize>>,
    /// By table and domain: the rows to which the codes of the table lead in other tables that have each code once.
    leads: Vec<Vec<(usize, Leads)>>,
    orphans: Vec<Orphans>,
    /// The tables in which a code that another table has once stands in several rows.
    repeats: BTreeSet<usize>,
    /// By table: the rows of all tables to which its rows lead, over others too.
    reached: Vec<BTreeMap<usize, Leads>>,
    /// By table: how many of its rows lead to different rows of one table by different ways.
    contradictions: Vec<u64>,
}

impl<'a> Joins<'a> {
    /// Joins tables.
    pub fn of(tables: &'a [JoinedTable<'a>], control: &Control) -> Result<Self, VerifyError> {
        let mut of_domain: BTreeMap<&str, Vec<(usize, &CodedColumn)>> = BTreeMap::new();
        for (number, table) in tables.iter().enumerate() {
            check_size(table.table, RELEASE)?;
            let mut met = BTreeSet::new();
            for key in table.keys {
                if !met.insert(key.domain.as_str()) {
                    let place = "list of codes of one domain";
                    return Err(VerifyError::Repeated { place, column: key.column.clone() });
                }
                let codes = column(table.table, RELEASE, &key.column)?;
                of_domain.entry(&key.domain).or_default().push((number, codes));
            }
        }
        of_domain.retain(|_, columns| columns.len() > 1);
        let mut joins = Self {
            tables,
            parents: BTreeMap::new(),
            leads: vec![Vec::new(); tables.len()],
            orphans: Vec::new(),
            repeats: BTreeSet::new(),
            reached: Vec::new(),
            contradictions: vec![0; tables.len()],
        };
        for (domain, columns) in of_domain {
            check(control)?;
            joins.add(domain, &columns);
        }
        for table in 0..tables.len() {
            check(control)?;
            joins.reach(table);
        }
        Ok(joins)
    }

    /// Adds what the columns of one domain join.
    fn add(&mut self, domain: &'a str, columns: &[(usize, &CodedColumn)]) {
        let rows_of: Vec<Option<Vec<u32>>> = columns.iter().map(|(_, codes)| row_of_code(codes)).collect();
        let most = |(_, codes): &(usize, &CodedColumn)| codes.codes.len();
        // Of tables with as many codes, the first counts.
        let unique = columns.iter().zip(&rows_of).filter(|(_, rows)| rows.is_some()).map(|(of, _)| of);
        let parent = unique.rev().max_by_key(|of| most(of)).map(|(number, _)| *number);
        self.parents.insert(domain, parent);
        for ((child, codes), own) in columns.iter().zip(&rows_of) {
            if own.is_none() {
                self.repeats.insert(*child);
            }
            for ((other, known), rows) in columns.iter().zip(&rows_of) {
                let Some(rows) = rows.as_ref().filter(|_| child != other) else { continue };
                let of_code: Vec<u32> = codes
                    .values
                    .iter()
                    .map(|text| known.values.find_sorted(text).map_or(NONE, |code| rows[code as usize]))
                    .collect();
                let leads: Leads = codes.codes.iter().map(|code| of_code[code as usize]).collect();
                if parent == Some(*other) {
                    self.count_orphans(domain, (*child, codes), *other, &leads);
                }
                self.leads[*child].push((*other, leads));
            }
        }
    }

    fn count_orphans(
        &mut self,
        domain: &str,
        (child, codes): (usize, &CodedColumn),
        parent: usize,
        leads: &[u32],
    ) {
        let alone: Vec<u32> =
            codes.codes.iter().zip(leads).filter(|(_, row)| **row == NONE).map(|(code, _)| code).collect();
        if alone.is_empty() {
            return;
        }
        let distinct: BTreeSet<u32> = alone.iter().copied().collect();
        self.orphans.push(Orphans {
            child,
            parent,
            domain: domain.to_owned(),
            rows: alone.len() as u64,
            codes: distinct.into_iter().map(|code| codes.values.get(code).to_owned()).collect(),
        });
    }

    /// Follows the codes of a table to all others. Leads of every table are known.
    fn reach(&mut self, from: usize) {
        let own: Leads = (0..self.tables[from].table.rows as u32).collect();
        let mut reached = BTreeMap::from([(from, own)]);
        let mut contradictory: BTreeSet<usize> = BTreeSet::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for (to, leads) in &self.leads[at] {
                let here = &reached[&at];
                let over = |row: &u32| if *row == NONE { NONE } else { leads[*row as usize] };
                let found: Leads = here.iter().map(over).collect();
                match reached.get_mut(to) {
                    None => {
                        reached.insert(*to, found);
                        open.push(*to);
                    }
                    Some(known) => {
                        let mut is_more = false;
                        for (row, (known, found)) in known.iter_mut().zip(found).enumerate() {
                            if *known == NONE && found != NONE {
                                (*known, is_more) = (found, true);
                            } else if found != NONE && found != *known {
                                contradictory.insert(row);
                            }
                        }
                        // These rows may lead further.
                        if is_more {
                            open.push(*to);
                        }
                    }
                }
            }
        }
        self.contradictions[from] = contradictory.len() as u64;
        self.reached.push(reached);
    }

    /// The domains that several tables have and in which every table has some code in several rows.
    pub fn without_parent(&self) -> Vec<&str> {
        self.parents.iter().filter(|(_, parent)| parent.is_none()).map(|(domain, _)| *domain).collect()
    }

    /// The rows whose codes lead nowhere.
    pub fn orphans(&self) -> &[Orphans] {
        &self.orphans
    }

    /// The tables that belong to no other one.
    pub fn roots(&self) -> Vec<usize> {
        let is_child = |table: usize| {
            self.tables[table]
                .keys
                .iter()
                .any(|key| matches!(self.parents.get(key.domain.as_str()), Some(Some(of)) if *of != table))
        };
        (0..self.tables.len()).filter(|table| !is_child(*table)).collect()
    }

    /// Whether every row of every table leads to a row of this one.
    pub fn is_reached(&self, root: usize) -> bool {
        self.reached.iter().all(|reached| reached.get(&root).is_some_and(|rows| !rows.contains(&NONE)))
    }

    /// The tables in which a code stands in several rows, so that these are linked.
    pub fn repeats(&self) -> impl Iterator<Item = usize> + '_ {
        self.repeats.iter().copied()
    }

    /// The tables of which some rows lead to different rows of one table, by their number of such rows.
    pub fn contradictions(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.contradictions.iter().copied().enumerate().filter(|(_, rows)| *rows > 0)
    }

    /// Checks the models of all tables on all joined rows.
    pub fn judge(&self, control: &Control) -> Result<Vec<JoinedOutcome>, VerifyError> {
        let mut found = Vec::new();
        for (rows_of, reached) in self.reached.iter().enumerate() {
            for models_of in reached.keys().copied() {
                check(control)?;
                found.push(self.judge_one(rows_of, models_of, control)?);
            }
        }
        Ok(found)
    }

    /// Checks the models of one table on the joined rows of a table. Of that table every row counts once in a group, however many of the joined
    /// rows lead to it.
    fn judge_one(
        &self,
        rows_of: usize,
        models_of: usize,
        control: &Control,
    ) -> Result<JoinedOutcome, VerifyError> {
        let JoinedTable { claim, reference, .. } = self.tables[models_of];
        let (table, added) = self.view(rows_of, models_of)?;
        let quasi: Vec<String> = claim.quasi.iter().chain(&added).cloned().collect();
        let mut models = Vec::new();
        for model in &claim.models {
            let (requirement, _) = Requirement::read(model)?;
            if models_of != rows_of && matches!(requirement, Requirement::Relational(_)) {
                continue;
            }
            let mut model = model.clone();
            // Whoever knows the columns that a model is about also knows those of the other tables.
            if let Some(serde_json::Value::Array(set)) = model.parameters.get_mut("quasi") {
                set.extend(added.iter().cloned().map(serde_json::Value::from));
            }
            models.push(model);
        }
        // Rows that are suppressed here may show something there.
        let claim = Claim { quasi, models, star: StarRows::Judged, values: claim.values.clone() };
        let outcome = check_models_with(&table, &claim, Some(reference), None, control)?;
        Ok(JoinedOutcome {
            rows_of,
            models_of,
            shows: self.reached[rows_of].keys().copied().collect(),
            models: outcome.models,
            smallest: outcome.smallest_class,
        })
    }

    /// Checks that at least `k` persons, or whatever the rows of the first table are, share all rows of all tables that lead to them.
    pub fn judge_persons(
        &self,
        root: usize,
        k: u64,
        set: bool,
        control: &Control,
    ) -> Result<ModelOutcome, VerifyError> {
        let of_root = self.tables[root];
        let person = of_root.person.map(|name| column(of_root.table, RELEASE, name)).transpose()?;
        let mut views = Vec::new();
        let mut pace = Pace::new(control);
        for (number, reached) in self.reached.iter().enumerate() {
            let rows = reached.get(&root).ok_or_else(|| lost(self.tables[number].name))?;
            pace.tick(rows.len())?;
            let (mut view, added) = self.view(number, number)?;
            let who = |row: &u32| match person {
                Some(person) => person.values.get(person.codes.get(*row as usize)).to_owned(),
                None => row.to_string(),
            };
            let name = free_name(&view, "person");
            view.columns.push(CodedColumn::of_texts(&name, rows.iter().map(who)));
            let quasi: Vec<String> = self.tables[number].claim.quasi.iter().chain(&added).cloned().collect();
            views.push((view, quasi, name));
        }
        let relations: Vec<Relation<'_>> =
            views.iter().map(|(table, quasi, person)| Relation { table, quasi, person }).collect();
        check_relations(&relations, k, set, StarRows::Judged, control)
    }

    /// The joined rows of a table as the models of another see them: all columns of the table of the models, and the quasi-identifiers of the
    /// others, which are returned. A row of the table of the models is there once for each look.
    fn view(&self, rows_of: usize, models_of: usize) -> Result<(CodedTable, Vec<String>), VerifyError> {
        let reached = &self.reached[rows_of];
        let own = &reached[&models_of];
        let kept: Vec<u32> = (0..own.len() as u32).filter(|row| own[*row as usize] != NONE).collect();
        let mut known: Vec<(String, CodedColumn)> = Vec::new();
        for (other, leads) in reached.iter().filter(|(other, _)| **other != models_of) {
            let JoinedTable { name, table, claim, .. } = self.tables[*other];
            for quasi in &claim.quasi {
                let rows: Vec<u32> = kept.iter().map(|row| leads[*row as usize]).collect();
                known.push((format!("{quasi} of {name}"), shown(column(table, RELEASE, quasi)?, &rows)));
            }
        }
        let mut rows: Vec<u32> = kept.iter().map(|row| own[*row as usize]).collect();
        if rows_of != models_of {
            let bound = self.tables[models_of].table.rows;
            let mut parts = vec![Part { codes: View::U32(&rows), bound }];
            parts.extend(known.iter().map(|(_, column)| part(column)));
            let first = group(&parts, rows.len()).first_row;
            for (_, column) in &mut known {
                *column = taken(column, &first);
            }
            rows = first.iter().map(|row| rows[*row as usize]).collect();
        }
        let columns = self.tables[models_of].table.columns.iter().map(|column| taken(column, &rows));
        let mut view = CodedTable { columns: columns.collect(), rows: rows.len() };
        let mut added = Vec::new();
        for (name, column) in known {
            let name = free_name(&view, &name);
            added.push(name.clone());
            view.columns.push(CodedColumn { name, ..column });
        }
        Ok((view, added))
    }
}

/// The row of each code, if no code stands in two rows.
fn row_of_code(codes: &CodedColumn) -> Option<Vec<u32>> {
    let mut rows = vec![NONE; codes.values.len()];
    for (row, code) in (0..).zip(codes.codes.iter()) {
        if std::mem::replace(&mut rows[code as usize], row) != NONE {
            return None;
        }
    }
    Some(rows)
}

/// What some rows of a column show; rows that do not exist show that.
fn shown(column: &CodedColumn, rows: &[u32]) -> CodedColumn {
    if !rows.contains(&NONE) {
        return taken(column, rows);
    }
    // The text comes before all others but the empty one.
    let empty = column.values.find_sorted("").is_some();
    let place = u32::from(empty);
    let values: Vec<&str> = column.values.iter().collect();
    let (before, after) = values.split_at(place as usize);
    let code = |row: &u32| match *row {
        NONE => place,
        row => match column.codes.get(row as usize) {
            code if code < place => code,
            code => code + 1,
        },
    };
    let codes: Vec<u32> = rows.iter().map(code).collect();
    CodedColumn {
        name: column.name.clone(),
        codes: Codes::narrow(values.len() + 1, &codes),
        values: before.iter().chain(&[NOWHERE]).chain(after).copied().collect(),
    }
}

/// A name that no column of a table has.
fn free_name(table: &CodedTable, name: &str) -> String {
    let mut name = name.to_owned();
    while table.column(&name).is_some() {
        name.push('\'');
    }
    name
}

fn lost(name: &str) -> VerifyError {
    VerifyError::Joined { why: format!("the rows of `{name}` do not lead to the first table") }
}

#[cfg(test)]
mod tests;
