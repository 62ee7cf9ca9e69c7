//! The private report of a release of classes.

use super::ClassRun;
use crate::config::{Plan, Role, StarPolicy};
use crate::error::Result;
use crate::metrics::{Figure, information, loss};
use crate::models::Demand;
use crate::models::Model;
use crate::problem::Problem;
use crate::recoding::published::Classes;
use crate::release::axis::axis;
use crate::release::claim::{promise, unverified};
use crate::release::report::{beginning, kept_columns, origin};
use crate::release::{Seconds, Summary};
use crate::report::data::{
    Amount, Better, ClassInformation, ClassSizes, Coarsening, ColumnChange, ColumnReport, ColumnRole,
    GuessByClass, HierarchyNote, Homogeneity, KeptColumn, KeptExactly, LevelCurve, MetricResult, ModelResult,
    ReasonCount, Release, Report, Setting, SizeCount, Subgroup, SubgroupColumn, SuppressedAs, Suppression,
    Telling,
};
use crate::risk::histogram;
use crate::search::algorithms::iack::information_by_level;
use crate::table::frequency::FrequencyTable;
use crate::table::quasi::{Quasi, Shape, Value};

/// The most values of a column by which the report shows subgroups; more would be unreadable.
const LARGEST_SUBGROUPS: usize = 40;

/// The private report.
pub(super) fn report(
    run: &ClassRun<'_>,
    summary: &Summary,
    figures: &[Figure],
    title: &str,
    seconds: &Seconds,
) -> Result<Report> {
    // The slow steps come first, each followed by a check whether to stop.
    let look = || run.problem.progress.control().check();
    let class_sizes = Some(class_sizes(run));
    look()?;
    let information = class_information(run);
    look()?;
    let combinations = super::combinations::combinations(run);
    look()?;
    let suppression = suppression(run);
    look()?;
    let risk = Some(super::risk::risk(run)?);
    look()?;
    let kept = Some(kept(run));
    look()?;
    Ok(Report {
        release: release(run, summary),
        models: models(run, summary),
        metrics: figures.iter().filter_map(metric).collect(),
        class_sizes,
        columns: columns(run),
        information,
        combinations,
        changes: changes(run),
        suppression,
        risk,
        kept,
        ..beginning(run, summary, title, seconds)
    })
}

fn release(run: &ClassRun<'_>, summary: &Summary) -> Release {
    let dropped = run.problem.star_policy == StarPolicy::Drop;
    Release {
        rows: summary.rows,
        released: summary.released,
        suppressed: summary.suppressed,
        suppressed_as: if dropped { SuppressedAs::Dropped } else { SuppressedAs::Starred },
        classes: summary.classes,
        smallest_class: summary.smallest_class,
        required_class: required_class(run),
        loss: summary.metrics.get("loss").and_then(serde_json::Value::as_f64).into(),
        subject: run.plan.names_with(Role::Subject).next().map(str::to_owned),
        persons: run.plan.names_with(Role::Subject).next().map(|_| persons(run, summary)),
        checked: true,
        truthful: Some(true),
    }
}

/// The rows, or people, that every class must have, if a model asks for a minimum.
fn required_class(run: &ClassRun<'_>) -> Option<u64> {
    let about_all = run.problem.models.iter().filter(|model| run.problem.is_about_all(&***model));
    let of_persons = |model: &dyn Model| (model.demand() == Demand::Size).then(|| model.required() as u64);
    about_all.filter_map(|model| model.class_test()?.least_size().or_else(|| of_persons(&**model))).max()
}

/// The number of people in the table: the rows, unless people have several.
fn persons(run: &ClassRun<'_>, summary: &Summary) -> u64 {
    let column = run.problem.table.payloads().person();
    column.map_or(summary.rows, |column| column.values.len() as u64)
}

fn models(run: &ClassRun<'_>, summary: &Summary) -> Vec<ModelResult> {
    let on: Vec<String> = run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect();
    run.problem
        .models
        .iter()
        .zip(&summary.models)
        .map(|(model, found)| {
            let on = model.on().map_or_else(|| on.clone(), <[String]>::to_vec);
            let words = model.words();
            let columns = if words.names_columns { crate::report::on_columns(&on) } else { String::new() };
            ModelResult {
                name: model.name().into(),
                title: promise(&**model),
                column: model.protects().or(model.reads().first().copied()).map(str::to_owned),
                on,
                attained: Some(Setting::new(model.unit(), found.attained)),
                required: model
                    .settings()
                    .into_iter()
                    .map(|(name, value)| Setting::new(name, value))
                    .collect(),
                holds: found.holds,
                claim: Some(words.claim + &columns + unverified(&**model)),
                meaning: words.meaning,
                limits: words.limits.map(str::to_owned),
            }
        })
        .chain(run.found.together.iter().map(|found| together(run, found)))
        .collect()
}

/// The result of a model that holds together with tables that were published before.
fn together(run: &ClassRun<'_>, found: &scumble_verify::ModelOutcome) -> ModelResult {
    ModelResult {
        name: found.name.clone(),
        title: format!("{}: at least {}", found.label, found.required),
        column: None,
        on: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        attained: Some(Setting::new("k", found.attained)),
        required: vec![Setting::new("k", found.required)],
        holds: found.holds,
        claim: None,
        meaning: Some(
            "It holds for someone who also has the tables that the plan names as published before.".into(),
        ),
        limits: Some("Tables that the plan does not name.".into()),
    }
}

fn metric((entry, figure): &Figure) -> Option<MetricResult> {
    Some(MetricResult {
        name: entry.name.into(),
        title: entry.title.into(),
        value: figure.value?.into(),
        normalised: None,
        better: if entry.build.lower_is_better() { Better::Lower } else { Better::Higher },
        range: entry.build.range(),
        details: figure.details.iter().map(|(name, value)| Setting::new(*name, *value)).collect(),
        explanation: Some(entry.about.into()),
    })
}

fn class_sizes(run: &ClassRun<'_>) -> ClassSizes {
    let classes = &run.found.classes;
    let counts = |of: &dyn Fn(usize) -> bool| {
        let sizes = (0..classes.len()).filter(|class| of(*class)).map(|class| classes.size(class));
        histogram(sizes).into_iter().map(|(size, classes)| SizeCount { size, classes }).collect()
    };
    ClassSizes {
        before: counts(&|_| true),
        after: counts(&|class| !classes.is_suppressed(class)),
        k: run.problem.k(),
    }
}

fn columns(run: &ClassRun<'_>) -> Vec<ColumnReport> {
    use rayon::prelude::*;
    let losses = loss::by_column(&run.found.classes, &run.problem);
    run.problem
        .quasi
        .par_iter()
        .enumerate()
        .map(|(place, quasi)| column(run, place, quasi, losses[place]))
        .collect()
}

fn column(run: &ClassRun<'_>, place: usize, quasi: &Quasi, loss: f64) -> ColumnReport {
    let classes = &run.found.classes;
    let shown = &classes.assignment.columns[place];
    let original = run.problem.table.marginal(place, quasi.size() as usize);
    let mut released = vec![0_u64; shown.values.len()];
    for (class, value) in shown.of_class.iter().enumerate() {
        if !classes.is_suppressed(class) {
            released[value as usize] += classes.size(class);
        }
    }
    let starred = (
        Value::Star,
        if run.problem.star_policy == StarPolicy::Drop { 0 } else { classes.suppressed_rows() },
    );
    let on_axis: Vec<(Value, u64)> = shown
        .values
        .iter()
        .copied()
        .zip(released.iter().copied())
        .chain([starred])
        .filter(|(_, rows)| *rows > 0)
        .collect();
    // A class may show `*` in a column without being suppressed.
    let distinct_after = on_axis.iter().filter(|(value, _)| *value != Value::Star).count() as u64;
    ColumnReport {
        name: quasi.name.clone(),
        role: ColumnRole::Quasi,
        coarsening: coarsening(run, place, quasi),
        hierarchy: Some(HierarchyNote { provenance: origin(quasi), description: None }),
        loss: loss.into(),
        distinct_before: original.iter().filter(|rows| **rows > 0).count() as u64,
        distinct_after,
        axis: Some(axis(quasi, &original, &on_axis)),
    }
}

fn coarsening(run: &ClassRun<'_>, place: usize, quasi: &Quasi) -> Coarsening {
    match (&run.found.levels, &quasi.shape) {
        (Some(levels), Shape::Tree(tree)) => match levels[place] {
            0 => Coarsening::None,
            level if level == tree.height() => Coarsening::Suppressed,
            level => Coarsening::Level { level, of: tree.height() },
        },
        (_, Shape::Tree(_)) => Coarsening::Nodes,
        (_, Shape::Line(_)) => Coarsening::Ranges,
        (_, Shape::Set(_)) => Coarsening::Sets,
    }
}

fn class_information(run: &ClassRun<'_>) -> Option<ClassInformation> {
    let class = run.problem.class?;
    let chosen = |place: usize| run.found.levels.as_ref().map(|levels| levels[place]);
    let curves: Vec<LevelCurve> = run
        .problem
        .quasi
        .iter()
        .enumerate()
        .map(|(place, quasi)| LevelCurve {
            column: quasi.name.clone(),
            information: information_by_level(&run.problem, place, class)
                .into_iter()
                .map(Amount::from)
                .collect(),
            chosen: chosen(place),
        })
        .filter(|curve| !curve.information.is_empty())
        .collect();
    let class = run.problem.table.payloads().columns[class].name.clone();
    (!curves.is_empty()).then_some(ClassInformation { class, curves })
}

fn changes(run: &ClassRun<'_>) -> Vec<ColumnChange> {
    if run.found.classes.suppressed_rows() == 0 {
        return Vec::new();
    }
    let class = run.problem.class;
    information::contingencies(&run.found.classes, &run.problem, class)
        .iter()
        .zip(&run.problem.quasi)
        .map(|((before, after), quasi)| {
            let divergence = before.divergence_to(after);
            ColumnChange {
                column: quasi.name.clone(),
                divergence: divergence.into(),
                finite_divergence: divergence
                    .is_infinite()
                    .then(|| before.finite_divergence_to(after).into()),
                lost_values: before.vanished(after) as u64,
                information_change: class.map(|_| before.information_change(after).into()),
            }
        })
        .collect()
}

/// Why rows were suppressed, and which groups of people lost most.
fn suppression(run: &ClassRun<'_>) -> Option<Suppression> {
    let classes = &run.found.classes;
    if classes.suppressed_rows() == 0 {
        return None;
    }
    let payloads = run.problem.table.payloads();
    let mut reasons: Vec<ReasonCount> = run
        .problem
        .models
        .iter()
        .map(|model| ReasonCount { reason: format!("the group fails {}", model.title()), rows: 0 })
        .collect();
    let mut others = 0;
    for class in (0..classes.len()).filter(|class| classes.is_suppressed(*class)) {
        let view = classes.view(class, payloads);
        let failed = run.problem.models.iter().position(|model| {
            let people = classes.people().map_or(0, |people| people.of_class[class]);
            run.problem.is_about_all(&**model)
                && (model.class_test().is_some_and(|test| !test.passes(&view))
                    || model.population_test().is_some_and(|test| !test.passes(view.size, people)))
        });
        match failed {
            Some(place) => reasons[place].rows += view.size,
            None => others += view.size,
        }
    }
    reasons.push(ReasonCount {
        reason: "taken along so that the suppressed rows meet the models themselves, or nothing of them was left to show".into(),
        rows: others,
    });
    reasons.retain(|reason| reason.rows > 0);
    let subgroups = run
        .problem
        .quasi
        .iter()
        .enumerate()
        .filter_map(|(place, quasi)| subgroups(run, &run.problem.table, place, quasi))
        .collect();
    Some(Suppression { reasons, subgroups })
}

fn subgroups(
    run: &ClassRun<'_>,
    table: &FrequencyTable,
    place: usize,
    quasi: &Quasi,
) -> Option<SubgroupColumn> {
    let classes = &run.found.classes;
    let size = quasi.size() as usize;
    let rows = table.marginal(place, size);
    if rows.iter().filter(|rows| **rows > 0).count() > LARGEST_SUBGROUPS {
        return None;
    }
    let mut suppressed = vec![0; size];
    for share in classes.assignment.members.shares(table) {
        if classes.is_suppressed(share.class as usize) {
            suppressed[table.column(place).get(share.tuple as usize) as usize] += u64::from(share.rows);
        }
    }
    let group = |(code, (rows, suppressed)): (u32, (&u64, &u64))| Subgroup {
        value: quasi.text(code).to_owned(),
        rows: *rows,
        suppressed: *suppressed,
    };
    let groups =
        (0..).zip(rows.iter().zip(&suppressed)).filter(|(_, (rows, _))| **rows > 0).map(group).collect();
    Some(SubgroupColumn { column: quasi.name.clone(), groups })
}

fn kept(run: &ClassRun<'_>) -> KeptExactly {
    let names: Vec<&str> = run.untouched_columns().collect();
    let exact = kept_columns(run.plan, run.source, &names);
    let weights = run.found.rows.unique_on_weights.iter().map(|(name, uniqueness)| KeptColumn {
        name: name.clone(),
        role: ColumnRole::Weight,
        uniqueness: *uniqueness,
    });
    KeptExactly {
        columns: exact.columns.into_iter().chain(weights).collect(),
        homogeneous: homogeneous(run),
        guesses: guesses(run.plan, &run.problem, &run.found.classes),
        open_with_quasi: run.found.rows.unique_with_quasi,
        together: exact.together,
        open: exact.open,
    }
}

/// For each sensitive column, the rows that have the most frequent value of what readers see as one class. Suppressed rows are one.
pub(in crate::release) fn guesses(plan: &Plan, problem: &Problem, classes: &Classes) -> Vec<GuessByClass> {
    let payloads = problem.table.payloads();
    let starred = problem.star_policy != StarPolicy::Drop && classes.suppressed_rows() > 0;
    let guess = |name: &str| {
        let place = payloads.position(name)?;
        let mut found = GuessByClass { column: name.to_owned(), ..GuessByClass::default() };
        let mut of_value = vec![0_u64; payloads.columns[place].values.len()];
        let mut tally = Vec::new();
        let mut most_frequent: Vec<(u32, Telling)> = Vec::new();
        let kept = (0..classes.len()).filter(|class| !classes.is_suppressed(*class));
        let views = kept.map(|class| classes.view(class, payloads));
        for view in views.chain(starred.then(|| classes.star(payloads))) {
            view.tally(place, &mut tally);
            found.rows += view.size;
            if let Some((value, right)) = tally.iter().max_by_key(|(value, rows)| (*rows, *value)) {
                found.right += *right;
                most_frequent.push((*value, Telling { rows: view.size, right: *right, right_in_all: 0 }));
            }
            tally.iter().for_each(|(value, rows)| of_value[*value as usize] += *rows);
        }
        for (value, of) in most_frequent {
            let of = Telling { right_in_all: of_value[value as usize], ..of };
            if of.is_nearly_certain(found.rows) {
                found.nearly_certain += of.rows;
                let lift = |of: &Telling| of.right as f64 / (of.rows * of.right_in_all.max(1)) as f64;
                found.worst = found.worst.filter(|worst| lift(worst) >= lift(&of)).or(Some(of));
            }
        }
        found.right_without = of_value.into_iter().max().unwrap_or(0);
        Some(found)
    };
    plan.names_with(Role::Sensitive).filter_map(guess).collect()
}

fn homogeneous(run: &ClassRun<'_>) -> Vec<Homogeneity> {
    let classes = &run.found.classes;
    let payloads = run.problem.table.payloads();
    run.plan
        .names_with(Role::Sensitive)
        .filter_map(|name| {
            let place = payloads.position(name)?;
            let mut found = Homogeneity { column: name.to_owned(), ..Homogeneity::default() };
            let mut tally = Vec::new();
            for class in (0..classes.len()).filter(|class| !classes.is_suppressed(*class)) {
                let view = classes.view(class, payloads);
                view.tally(place, &mut tally);
                found.classes_in_all += 1;
                found.rows_in_all += view.size;
                if tally.len() == 1 {
                    found.classes += 1;
                    found.rows += view.size;
                }
            }
            Some(found)
        })
        .collect()
}
