//! The three criteria of Opinion 05/2014, as attacks and risks measured them.

use minijinja::{Value, context};

use crate::base::format::percent;
use crate::report::data::{Criteria, Criterion, Measure};

fn of_measure(measure: &Measure) -> Value {
    context! {
        name => measure.named(),
        value => measure.shown(),
        limit => measure.limit.map_or_else(|| "–".to_owned(), percent),
        above => measure.above,
        missing => &measure.missing,
    }
}

fn of_criterion(criterion: &Criterion) -> Value {
    context! {
        title => &criterion.title,
        answer => criterion.answer.words(),
        is_met => criterion.answer == crate::report::data::Answer::Met,
        sentence => &criterion.sentence,
        measures => criterion.measures.iter().map(of_measure).collect::<Vec<_>>(),
    }
}

pub(super) fn section(found: Option<&Criteria>) -> Option<Value> {
    let found = found?;
    Some(context! {
        criteria => found.criteria.iter().map(of_criterion).collect::<Vec<_>>(),
        remarks => &found.remarks,
    })
}
