//! Checks one requirement on the equivalence classes of a release: by rows, by the parts into which other sensitive columns
//! divide a class, and by people.

use std::borrow::Cow;

use rayon::prelude::*;
use scumble_files::Control;
use scumble_files::table::{CodedColumn, CodedTable};

use super::original::Baseline;
use super::requirement::Requirement;
use super::scope::Scope;
use super::several::{divided, joint_column};
use super::t_closeness::Closeness;
use super::{Classes, Counted, Judgement, ModelOutcome, Reference, outcome};
use crate::columns::{RELEASE, column, part};
use crate::error::VerifyError;
use crate::group::{Groups, Histograms, Part, View, group};
use crate::normal::taken;
use crate::watch::check;

/// A requirement with the columns that it reads.
pub(super) struct Judging<'a> {
    requirement: &'a Requirement,
    /// The values to check: a column of the release, or the tuples of several columns.
    values: Option<Cow<'a, CodedColumn>>,
    /// The columns that divide each class further. Every part must satisfy the requirement.
    given: Vec<&'a CodedColumn>,
    /// The column of guarded nodes, for a requirement that has one.
    guarding: Option<&'a CodedColumn>,
    /// The column that says who each row is about, if people are counted.
    person: Option<&'a CodedColumn>,
    reference: Option<&'a Reference>,
    control: &'a Control,
    /// The checked columns with the code of their missing value, if a missing value does not count as a value.
    absent: Vec<(&'a CodedColumn, u32)>,
}

impl<'a> Judging<'a> {
    pub(super) fn new(
        requirement: &'a Requirement,
        scope: &'a Scope,
        release: &'a CodedTable,
        reference: Option<&'a Reference>,
        absent: &[(String, String)],
        control: &'a Control,
    ) -> Result<Self, VerifyError> {
        let find = |name: &'a String| column(release, RELEASE, name);
        let values = match (&scope.joint, requirement.column()) {
            (Some(names), _) => Some(Cow::Owned(joint_column(release, RELEASE, names)?)),
            (None, Some(name)) => Some(Cow::Borrowed(find(name)?)),
            (None, None) => None,
        };
        let guarding = match requirement {
            Requirement::Guarded { guarded, .. } => Some(find(&guarded.guarding)?),
            _ => None,
        };
        let given = scope.given.iter().map(find).collect::<Result<_, _>>()?;
        let judged: Vec<&'a String> = match (&scope.joint, requirement.column()) {
            (Some(names), _) => names.iter().collect(),
            (None, name) => name.into_iter().collect(),
        };
        let mut codes = Vec::new();
        for name in judged {
            let Some((_, text)) = absent.iter().find(|(of, _)| of == name) else { continue };
            let found = find(name)?;
            codes.extend(found.values.find_sorted(text).map(|code| (found, code)));
        }
        Ok(Self {
            absent: codes,
            requirement,
            values,
            given,
            guarding,
            person: scope.person.as_ref().map(find).transpose()?,
            reference,
            control,
        })
    }

    /// Checks every class that must satisfy the requirement.
    pub(super) fn judge(
        &self,
        name: &str,
        classes: &Classes,
        counted: &mut Counted,
    ) -> Result<ModelOutcome, VerifyError> {
        if let (Requirement::Relational(relational), Some(person)) = (self.requirement, self.person) {
            return relational.judge(name, self.requirement.label(), &[(classes, person)], self.control);
        }
        let size = &classes.groups.size;
        let judged: Vec<usize> = classes.judged().collect();
        let (judgements, note) = if self.absent.is_empty() {
            self.of_groups(&classes.groups, &judged, Some(counted))?
        } else {
            self.of_present(&classes.groups, &judged)?
        };
        let found: Vec<(u64, Judgement)> = judged.iter().map(|&class| size[class]).zip(judgements).collect();
        Ok(ModelOutcome { label: self.label(), ..outcome(self.requirement, name, &found, note) })
    }

    /// Checks groups by their rows that have a value: a row without one protects nobody. A group in which no row has a value
    /// fails.
    fn of_present(
        &self,
        groups: &Groups,
        judged: &[usize],
    ) -> Result<(Vec<Judgement>, Option<String>), VerifyError> {
        let rows = present_rows(groups.of_row.len(), &self.absent);
        let take = |column: &CodedColumn| taken(column, &rows);
        let given: Vec<CodedColumn> = self.given.iter().map(|column| take(column)).collect();
        let (guarding, person) = (self.guarding.map(take), self.person.map(take));
        let present = Judging {
            requirement: self.requirement,
            values: self.values.as_deref().map(|values| Cow::Owned(take(values))),
            given: given.iter().collect(),
            guarding: guarding.as_ref(),
            person: person.as_ref(),
            reference: self.reference,
            control: self.control,
            absent: Vec::new(),
        };
        let groups = groups.only(&rows);
        let some: Vec<usize> = judged.iter().copied().filter(|&group| groups.size[group] > 0).collect();
        let (of_some, note) = present.of_groups(&groups, &some, None)?;
        let nothing = if self.requirement.larger_is_better() { 0.0 } else { f64::INFINITY };
        let mut judgements = vec![Judgement { holds: false, attained: nothing }; judged.len()];
        let mut of_some = of_some.into_iter();
        for (judgement, &group) in judgements.iter_mut().zip(judged) {
            if groups.size[group] > 0
                && let Some(found) = of_some.next()
            {
                *judgement = found;
            }
        }
        Ok((judgements, note))
    }

    /// Checks groups by all their rows.
    fn of_groups(
        &self,
        groups: &Groups,
        judged: &[usize],
        counted: Option<&mut Counted>,
    ) -> Result<(Vec<Judgement>, Option<String>), VerifyError> {
        let found = if self.given.is_empty() {
            // A tuple of columns may have the same name as another column, so its counts are not kept.
            let keeps = !matches!(self.values, Some(Cow::Owned(_)));
            self.judgements(groups, judged, counted.filter(|_| keeps))?
        } else {
            let (finer, of) = divided(groups, &self.given);
            let mut place = vec![usize::MAX; groups.len()];
            judged.iter().enumerate().for_each(|(at, &class)| place[class] = at);
            let parts: Vec<usize> = (0..finer.len()).filter(|&part| place[of[part]] != usize::MAX).collect();
            let (of_parts, note) = self.judgements(&finer, &parts, None)?;
            let mut worst: Vec<Option<Judgement>> = vec![None; judged.len()];
            for (part, judgement) in parts.iter().zip(of_parts) {
                let class = &mut worst[place[of[*part]]];
                *class = Some(class.map_or(judgement, |other| self.worse(other, judgement)));
            }
            // Every class has rows, so every class has a part.
            (worst.into_iter().flatten().collect(), note)
        };
        Ok(found)
    }

    fn label(&self) -> String {
        let mut label = self.requirement.label();
        if !self.given.is_empty() {
            let names: Vec<&str> = self.given.iter().map(|column| column.name.as_str()).collect();
            label += &format!(" given {}", names.join(", "));
        }
        if self.person.is_some() {
            label += ", counting persons";
        }
        label
    }

    /// Combines two results: both must hold, and the worse figure counts.
    fn worse(&self, one: Judgement, other: Judgement) -> Judgement {
        let attained = if self.requirement.larger_is_better() {
            one.attained.min(other.attained)
        } else {
            one.attained.max(other.attained)
        };
        Judgement { holds: one.holds && other.holds, attained }
    }

    /// Checks some groups by their rows, and by their people if those are counted.
    fn judgements(
        &self,
        groups: &Groups,
        judged: &[usize],
        counted: Option<&mut Counted>,
    ) -> Result<(Vec<Judgement>, Option<String>), VerifyError> {
        check(self.control)?;
        let values = self.values.as_deref();
        if let (Requirement::Guarded { guarded, .. }, Some(values), Some(guarding)) =
            (self.requirement, values, self.guarding)
        {
            let judgements = guarded.judge(groups, judged, values, guarding, self.person)?;
            return Ok((judgements, None));
        }
        let own;
        let histograms = match (values, counted) {
            (None, _) => None,
            (Some(values), Some(counted)) => Some(counted.of(values, groups)),
            (Some(values), None) => {
                own = Histograms::count(groups, part(values));
                Some(&own)
            }
        };
        check(self.control)?;
        let (by_rows, note) =
            self.of_counts(&groups.size, histograms, judged, Baseline::new(self.reference, groups))?;
        let Some(person) = self.person else { return Ok((by_rows, note)) };
        let (persons, of_values) = persons(groups, person, values);
        let (by_persons, _) =
            self.of_counts(&persons, of_values.as_ref(), judged, Baseline::new(self.reference, groups))?;
        let both = by_rows.into_iter().zip(by_persons).map(|(rows, persons)| self.worse(rows, persons));
        Ok((both.collect(), note))
    }

    /// Checks classes one by one, on all threads.
    fn each(
        &self,
        judged: &[usize],
        judge: impl Fn(usize) -> Judgement + Sync,
    ) -> Result<Vec<Judgement>, VerifyError> {
        // One class may have thousands of values, so the check for stopping is frequent.
        let one = |(place, &class): (usize, &usize)| {
            if place.is_multiple_of(64) {
                check(self.control)?;
            }
            Ok(judge(class))
        };
        judged.par_iter().enumerate().map(one).collect()
    }

    /// Checks groups of these sizes with these values.
    fn of_counts(
        &self,
        size: &[u64],
        histograms: Option<&Histograms>,
        judged: &[usize],
        baseline: Baseline<'_>,
    ) -> Result<(Vec<Judgement>, Option<String>), VerifyError> {
        let mut note = None;
        let judgements = match (self.requirement, self.values.as_deref(), histograms) {
            (Requirement::KAnonymity { k }, ..) => judged
                .iter()
                .map(|&class| Judgement { holds: size[class] >= *k, attained: size[class] as f64 })
                .collect(),
            (Requirement::LDiversity { variant, .. }, _, Some(values)) => {
                self.each(judged, |class| variant.judge(size[class], values.of(class)))?
            }
            (Requirement::Confidence { c, .. }, _, Some(values)) => {
                let judge = |class: usize| {
                    let most = values.of(class).iter().map(|&(_, rows)| rows).max().unwrap_or(0);
                    Judgement {
                        holds: c.compare(most.into(), size[class].into()).is_ge(),
                        attained: most as f64 / size[class] as f64,
                    }
                };
                self.each(judged, judge)?
            }
            (Requirement::Values { test, .. }, Some(column), Some(values)) => {
                let (judge, remark) = test.prepare(column, baseline)?;
                note = remark;
                self.each(judged, |class| judge(size[class], values.of(class)))?
            }
            (Requirement::TCloseness { t, ground, .. }, Some(column), Some(values)) => {
                let (closeness, remark) = Closeness::new(column, ground, baseline)?;
                note = remark;
                self.each(judged, |class| closeness.judge(*t, size[class], values.of(class)))?
            }
            // A requirement on values always has a column.
            _ => return Err(VerifyError::NoSuchColumn { table: RELEASE, column: String::new() }),
        };
        Ok((judgements, note))
    }
}

/// Returns the rows in which none of these columns has the given code.
pub(super) fn present_rows(rows: usize, absent: &[(&CodedColumn, u32)]) -> Vec<u32> {
    let present = |row: &u32| absent.iter().all(|(column, code)| column.codes.get(*row as usize) != *code);
    (0..rows as u32).filter(present).collect()
}

/// Returns how many people each group has, and how many of them have each value in it.
fn persons(
    groups: &Groups,
    person: &CodedColumn,
    values: Option<&CodedColumn>,
) -> (Vec<u64>, Option<Histograms>) {
    let (each, of) = divided(groups, &[person]);
    let mut count = vec![0; groups.len()];
    of.iter().for_each(|&group| count[group] += 1);
    let histograms = values.map(|values| {
        // Each value of each person once, however many rows have it.
        let told = group(&[each.part(), part(values)], groups.of_row.len());
        let row = |&row: &u32| row as usize;
        let of_row: Vec<u32> = told.first_row.iter().map(|first| groups.of_row[row(first)]).collect();
        let codes: Vec<u32> = told.first_row.iter().map(|first| values.codes.get(row(first))).collect();
        let mut size = vec![0; groups.len()];
        of_row.iter().for_each(|group| size[*group as usize] += 1);
        let facts = Groups { of_row, first_row: groups.first_row.clone(), size, weights: None };
        Histograms::count(&facts, Part { codes: View::U32(&codes), bound: values.values.len() })
    });
    (count, histograms)
}
