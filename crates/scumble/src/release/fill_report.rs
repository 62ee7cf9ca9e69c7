//! What the private report says, taken from a finished run.

use scumble_files::table::CodedTable;

use super::{Run, Seconds, Summary};
use crate::algorithms::iack::information_by_level;
use crate::config::{Rational, Role, StarPolicy};
use crate::frequency::FrequencyTable;
use crate::hierarchy::Provenance as Origin;
use crate::metrics::{Figure, information, loss};
use crate::pack::Packer;
use crate::prepare::Respelt;
use crate::quasi::{Quasi, Shape};
use crate::report::data::{
    AlgorithmNote, Amount, Better, ClassInformation, ClassSizes, Coarsening, ColumnChange, ColumnReport,
    ColumnRole, Distribution, HierarchyNote, Homogeneity, KeptColumn, KeptExactly, LevelCurve, MetricResult,
    ModelResult, Provenance, ReasonCount, Release, Report, Setting, Severity, SizeCount, Subgroup,
    SubgroupColumn, SuppressedAs, Suppression, Uniqueness, ValueCount, Warning,
};
use crate::risk::histogram;

/// Columns with more values than this make no readable subgroups.
const LARGEST_SUBGROUPS: usize = 40;

/// Everything that does not wait for the check of the written file.
pub(super) fn report(run: &Run<'_>, title: &str, figures: &[Figure]) -> Report {
    let source = std::path::Path::new(&run.plan.input).file_name();
    Report {
        title: title.to_owned(),
        source: source.map(|name| name.to_string_lossy().into_owned()),
        metrics: figures.iter().filter_map(metric).collect(),
        class_sizes: Some(class_sizes(run)),
        columns: columns(run),
        information: class_information(run),
        combinations: super::combinations::combinations(run),
        changes: changes(run),
        suppression: suppression(run),
        risk: Some(super::risk::risk(run)),
        kept: Some(kept(run)),
        ..Report::default()
    }
}

/// Adds what the check found and how it was run, which are known last.
pub(super) fn add_outcome(report: &mut Report, run: &Run<'_>, summary: &Summary, seconds: &Seconds) {
    report.release = release(run, summary);
    report.models = models(run, summary);
    report.warnings = warnings(summary, run.respelt);
    let entry = run.algorithm;
    let parameters = super::summary::parameters(run);
    let algorithm = (entry.name, entry.title, entry.paper, entry.standing);
    report.run = Some(run_note(algorithm, &parameters, &run.findings, seconds));
}

/// How a release was made: by which algorithm (name, title, paper, standing), with which parameters, and how long it took.
pub(super) fn run_note(
    (name, title, paper, standing): (&str, &str, &str, crate::registry::Standing),
    parameters: &serde_json::Map<String, serde_json::Value>,
    findings: &[crate::algorithms::Finding],
    seconds: &Seconds,
) -> crate::report::data::Run {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    crate::report::data::Run {
        algorithm: AlgorithmNote {
            name: name.into(),
            title: title.into(),
            paper: Some(paper.into()),
            standing: standing.name().into(),
            standing_reason: None,
        },
        parameters: parameters.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
        search: findings
            .iter()
            .map(|finding| {
                let value = finding.value.map_or("infinite".to_owned(), |value| format!("{value:.6}"));
                let name = match &finding.column {
                    Some(column) => format!("{} of {column}", finding.name),
                    None => finding.name.to_owned(),
                };
                (name, format!("{value} ({})", finding.meaning))
            })
            .collect(),
        seconds: [
            ("reading", seconds.read),
            ("searching", seconds.search),
            ("applying", seconds.apply),
            ("verifying", seconds.verify),
            ("writing", seconds.write),
        ]
        .map(|(name, seconds)| (name.to_owned(), seconds))
        .to_vec(),
        peak_memory_bytes: crate::memory::peak(),
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

fn release(run: &Run<'_>, summary: &Summary) -> Release {
    let dropped = run.problem.star_policy == StarPolicy::Drop;
    Release {
        rows: summary.rows,
        released: summary.released,
        suppressed: summary.suppressed,
        suppressed_as: if dropped { SuppressedAs::Dropped } else { SuppressedAs::Starred },
        classes: summary.classes,
        smallest_class: summary.smallest_class,
        loss: summary.metrics.get("loss").and_then(serde_json::Value::as_f64).into(),
        subject: run.plan.names_with(Role::Subject).next().map(str::to_owned),
        persons: run.plan.names_with(Role::Subject).next().map(|_| persons(run, summary)),
        checked: true,
        truthful: Some(true),
    }
}

/// How many persons the table is about: as many as rows, unless persons have several.
fn persons(run: &Run<'_>, summary: &Summary) -> u64 {
    let column = run.problem.table.payloads().person();
    column.map_or(summary.rows, |column| column.values.len() as u64)
}

fn models(run: &Run<'_>, summary: &Summary) -> Vec<ModelResult> {
    let on: Vec<String> = run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect();
    run.problem
        .models
        .iter()
        .zip(&summary.models)
        .map(|(model, found)| {
            let claim = model.claim();
            let names = [
                "k",
                "l",
                "c",
                "t",
                "p",
                "alpha",
                "e",
                "beta",
                "delta",
                "h",
                "p_breach",
                "delta_min",
                "delta_max",
                "average",
                "at_risk",
                "highest",
            ];
            let numbers = names.into_iter().filter_map(|name| {
                let value = claim.get(name)?;
                let exact = || Some(value.as_str()?.parse::<Rational>().ok()?.to_f64());
                Some(Setting::new(name, value.as_f64().or_else(exact)?))
            });
            // Shares that differ by value are measured as multiples of what each value may have.
            let required: Vec<Setting> = if claim.contains_key("alphas") {
                vec![Setting::new("multiple of its share", 1.0)]
            } else {
                numbers.collect()
            };
            // Recursive diversity attains a c; every other model attains its own first parameter.
            let unit = if claim.contains_key("c") {
                "c"
            } else {
                required.first().map_or("", |setting| &setting.name)
            };
            ModelResult {
                name: model.name().into(),
                title: model.title(),
                column: model.protects().or(model.reads().first().copied()).map(str::to_owned),
                on: model.on().map_or_else(|| on.clone(), <[String]>::to_vec),
                attained: Some(Setting::new(unit, found.attained)),
                required,
                holds: found.holds,
                meaning: None,
                limits: None,
            }
        })
        .chain(run.together.iter().map(|found| together(run, found)))
        .collect()
}

/// What holds together with tables that were published before.
fn together(run: &Run<'_>, found: &scumble_verify::ModelOutcome) -> ModelResult {
    ModelResult {
        name: found.name.clone(),
        title: format!("{}: at least {}", found.label, found.required),
        column: None,
        on: run.problem.quasi.iter().map(|quasi| quasi.name.clone()).collect(),
        attained: Some(Setting::new("k", found.attained)),
        required: vec![Setting::new("k", found.required)],
        holds: found.holds,
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

fn class_sizes(run: &Run<'_>) -> ClassSizes {
    let classes = &run.classes;
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

fn columns(run: &Run<'_>) -> Vec<ColumnReport> {
    use rayon::prelude::*;
    let losses = loss::by_column(&run.classes, &run.problem);
    run.problem
        .quasi
        .par_iter()
        .enumerate()
        .map(|(place, quasi)| column(run, place, quasi, losses[place]))
        .collect()
}

fn column(run: &Run<'_>, place: usize, quasi: &Quasi, loss: f64) -> ColumnReport {
    let classes = &run.classes;
    let shown = &classes.assignment.columns[place];
    let original = run.problem.table.marginal(place, quasi.size() as usize);
    let mut released = vec![0_u64; shown.values.len()];
    for (class, value) in shown.of_class.iter().enumerate() {
        if !classes.is_suppressed(class) {
            released[value as usize] += classes.size(class);
        }
    }
    let before: Vec<(u32, u64)> = (0..).zip(original).filter(|(_, rows)| *rows > 0).collect();
    let mut after: Vec<ValueCount> = shown
        .values
        .iter()
        .zip(&released)
        .filter(|(_, rows)| **rows > 0)
        .map(|(value, rows)| ValueCount { value: quasi.label(*value), rows: *rows })
        .collect();
    let distinct_after = after.len() as u64;
    if classes.suppressed_rows() > 0 && run.problem.star_policy != StarPolicy::Drop {
        // Single cells may be blank, too.
        match after.iter_mut().find(|shown| shown.value == crate::label::STAR) {
            Some(blank) => blank.rows += classes.suppressed_rows(),
            None => {
                after.push(ValueCount { value: crate::label::STAR.into(), rows: classes.suppressed_rows() });
            }
        }
    }
    let ordered = quasi.measure.kind.is_ordered();
    ColumnReport {
        name: quasi.name.clone(),
        role: ColumnRole::Quasi,
        coarsening: coarsening(run, place, quasi),
        hierarchy: Some(HierarchyNote { provenance: origin(quasi), description: None }),
        loss: loss.into(),
        distinct_before: before.len() as u64,
        distinct_after,
        before: Some(Distribution::of_codes(before, ordered, |code| quasi.text(code))),
        after: Some(Distribution::of(after, ordered)),
    }
}

fn coarsening(run: &Run<'_>, place: usize, quasi: &Quasi) -> Coarsening {
    match (&run.levels, &quasi.shape) {
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

pub(super) fn origin(quasi: &Quasi) -> Provenance {
    match &quasi.shape {
        Shape::Tree(tree) if tree.provenance() == Origin::Declared => Provenance::Declared,
        _ => Provenance::FromData,
    }
}

fn class_information(run: &Run<'_>) -> Option<ClassInformation> {
    let class = run.problem.class?;
    let chosen = |place: usize| run.levels.as_ref().map(|levels| levels[place]);
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

fn changes(run: &Run<'_>) -> Vec<ColumnChange> {
    if run.classes.suppressed_rows() == 0 {
        return Vec::new();
    }
    let class = run.problem.class;
    information::contingencies(&run.classes, &run.problem, class)
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
fn suppression(run: &Run<'_>) -> Option<Suppression> {
    let classes = &run.classes;
    if classes.suppressed_rows() == 0 {
        return None;
    }
    let payloads = run.problem.table.payloads();
    let mut reasons: Vec<ReasonCount> = run
        .problem
        .models
        .iter()
        .map(|model| ReasonCount { reason: format!("the class fails {}", model.title()), rows: 0 })
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

fn subgroups(run: &Run<'_>, table: &FrequencyTable, place: usize, quasi: &Quasi) -> Option<SubgroupColumn> {
    let classes = &run.classes;
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

fn kept(run: &Run<'_>) -> KeptExactly {
    let names: Vec<&str> = run.kept_columns().collect();
    KeptExactly { homogeneous: homogeneous(run), ..kept_columns(run.plan, run.source, &names) }
}

/// The columns that are published as they are, and how many rows are alone on them.
pub(super) fn kept_columns(plan: &crate::config::Plan, source: &CodedTable, names: &[&str]) -> KeptExactly {
    use rayon::prelude::*;
    let rows = source.rows as u64;
    let by_name = source.by_name();
    let planned: std::collections::BTreeMap<&str, &crate::config::Column> =
        plan.columns.iter().map(|(name, column)| (name.as_str(), column)).collect();
    let columns = names
        .iter()
        .filter_map(|name| {
            let column = by_name.get(name)?;
            let roles = &planned.get(name)?.role;
            let mut counts = vec![0_u64; column.values.len()];
            column.codes.iter().for_each(|code| counts[code as usize] += 1);
            let role = match (roles.has(Role::Class), roles.has(Role::Sensitive)) {
                (true, true) => ColumnRole::ClassAndSensitive,
                (true, false) => ColumnRole::Class,
                (false, true) => ColumnRole::Sensitive,
                (false, false) => ColumnRole::Other,
            };
            Some(KeptColumn { name: (*name).to_owned(), role, uniqueness: uniqueness(&counts, rows) })
        })
        .collect();
    let mut packer = Packer::new(source.rows);
    for column in names.iter().filter_map(|name| by_name.get(name)) {
        packer.push(column.values.len() as u32, |row| column.codes.get(row));
    }
    let mut keys = packer.finish();
    keys.par_sort_unstable();
    let counts: Vec<u64> = keys.chunk_by(|a, b| a == b).map(|same| same.len() as u64).collect();
    let together = (!names.is_empty()).then(|| uniqueness(&counts, rows));
    KeptExactly { columns, together, homogeneous: Vec::new() }
}

fn uniqueness(counts: &[u64], rows: u64) -> Uniqueness {
    Uniqueness {
        rows,
        distinct: counts.iter().filter(|count| **count > 0).count() as u64,
        unique_rows: counts.iter().filter(|count| **count == 1).count() as u64,
    }
}

fn homogeneous(run: &Run<'_>) -> Vec<Homogeneity> {
    let classes = &run.classes;
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

/// What the private report says besides its figures; spellings are values, and stand nowhere else.
pub(super) fn warnings(summary: &Summary, respelt: &[Respelt]) -> Vec<Warning> {
    let note = |text: String| Warning { severity: Severity::Note, text, advice: None };
    let notes = summary.notes.iter().cloned().map(note);
    let spelt = respelt.iter().map(Respelt::listed).map(note);
    summary.warnings.iter().cloned().map(Warning::from).chain(notes).chain(spelt).collect()
}
