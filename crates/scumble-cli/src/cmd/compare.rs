//! `scumble compare`: which release of a table to take.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use scumble::config::{Plan, Rational, Rest, Role};
use scumble::registry::algorithm_names;
use scumble::release::outputs::{Outputs, Own};
use scumble::release::resources::Resources;
use scumble::{Error, Result};
use scumble_eval::compare::{
    Advice, BUDGET, Comparison, FOLDS, LEARNERS, MAX_RISK, Request, Unserved, compare, html, to_csv, to_json,
};
use scumble_eval::protocol::TestRows;
use scumble_files::{Audience, PrivateFile, cannot_write};

use super::anonymize::RoleFlags;
use super::model_flag;
use super::reading::Reading;
use crate::ui::{Interface, count, counted, print, wrap};

/// Say which release of a table to take: what attackers could still learn from each, what it is still good for, and a recommendation
///
/// Releases are made in memory by several algorithms and k; nothing is published. Where a class column is named, learners learn from
/// releases of training rows and are scored on others.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The table, or a plan (release.toml); - is standard input. Without it, the input of --plan
    data: Option<PathBuf>,
    /// A plan with the roles, hierarchies and models
    #[arg(long, value_name = "release.toml")]
    plan: Option<PathBuf>,
    /// The private page to write, with the risk-utility chart
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// A private table of all figures to write
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Print exactly one JSON object (private: it is about the original)
    #[arg(long)]
    json: bool,
    /// Replace files that are already there, also those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    tried: Tried,
    #[command(flatten)]
    roles: RoleFlags,
    #[command(flatten)]
    reading: Reading,
}

/// What is tried, and how it is measured.
#[derive(clap::Args)]
#[command(next_help_heading = "What is tried")]
struct Tried {
    /// The values of k; 2,5,10,25,50 and the plan's if not given
    #[arg(long, value_name = "K,K", value_delimiter = ',', value_parser = super::from_one)]
    k: Vec<u64>,
    /// The algorithms; the recommended ones if not given
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', conflicts_with = "all")]
    algorithm: Vec<String>,
    /// All algorithms
    #[arg(long)]
    all: bool,
    /// What every release must keep besides k: l-diversity of the sensitive columns
    #[arg(long, value_name = "L")]
    l: Option<String>,
    /// t-closeness of the sensitive columns
    #[arg(long, value_name = "T")]
    t: Option<String>,
    /// Any model of 'scumble list', as for anonymize; repeatable
    #[arg(long, value_name = "NAME:KEY=VALUE,…")]
    model: Vec<String>,
    /// Who learns from the releases, where a class is named
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', default_values = LEARNERS)]
    learner: Vec<String>,
    /// Parts that the rows are divided into, each scored once; with 1, one of three parts is scored
    #[arg(long, value_name = "N", default_value_t = FOLDS, value_parser = super::short)]
    folds: u32,
    /// The rows that are scored: mapped (recoded as the training rows were) or original
    #[arg(long, value_name = "ROWS", default_value = "mapped")]
    test: String,
    /// The time that each release may take
    #[arg(long, value_name = "TIME", default_value = BUDGET)]
    budget: String,
    /// The risk that a release may have to be recommended, from 0 to 1; 0.09 if not given
    #[arg(long, value_name = "SHARE")]
    max_risk: Option<String>,
    /// Where all chance begins
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::whole)]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let request = request(arguments)?;
    request.check()?;
    let folder = request.resources.folder().unwrap_or(Path::new(""));
    let table = Plan::beside(&folder.join("plan"), &request.plan.input);
    // Made before the work, so that a folder that is not there is told at once.
    let mut outputs = Outputs::new(arguments.force);
    outputs.read_plan(&request.plan, folder);
    inputs(arguments).0.into_iter().for_each(|plan| outputs.read("plan", plan));
    let page = arguments.output.as_deref();
    let page = page.map(|target| private(&mut outputs, target, Own::Page)).transpose()?;
    let csv = arguments.csv.as_deref();
    let csv =
        csv.map(|target| private(&mut outputs, target, Own::Table("algorithm,standing,k,"))).transpose()?;
    let progress = interface.progress();
    let found = compare(&request, &progress, &|told| interface.count(told.done, told.all, "releases"));
    // Learners do not ask whether they are to stop.
    let found = found.and_then(|found| progress.check().map(|()| found));
    interface.done();
    let found = found?;
    found.notes.iter().for_each(|note| interface.note(note));
    if inputs(arguments).0.is_none() && !found.left_out.is_empty() {
        interface.say(format_args!(
            "Left out: {}; --rest other keeps columns without a role as they are",
            found.left_out.join(", ")
        ));
    }
    let title = table.file_name().map_or("the table".into(), |name| name.to_string_lossy());
    if arguments.json {
        print(to_json(&found).to_string() + "\n")?;
    } else {
        print(tell(&found, &title, interface.is_verbose()))?;
    }
    outputs.confirm()?;
    if let Some((file, target)) = csv {
        publish(file, target, &to_csv(&found))?;
        interface.say(format_args!("Wrote {}  (one row for each release; private)", target.display()));
    }
    if let Some((file, target)) = page {
        publish(file, target, &html(&found, &title)?)?;
        interface.say(format_args!(
            "Wrote {}  (private: open it in a browser, do not publish it)",
            target.display()
        ));
    }
    if let Some(chosen) = Advice::of(&found).and_then(|advice| advice.recommended()) {
        let chosen = &found.candidates[chosen];
        interface.say(format_args!(
            "Next: scumble anonymize with the same columns and --algorithm {} --k {}",
            chosen.algorithm, chosen.k
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// The plan and the table that are named.
fn inputs(arguments: &Arguments) -> (Option<&Path>, Option<&Path>) {
    let is_plan = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    match (arguments.plan.as_deref(), arguments.data.as_deref()) {
        (None, Some(data)) if is_plan(data) => (Some(data), None),
        both => both,
    }
}

/// What the arguments ask for.
fn request(arguments: &Arguments) -> Result<Request> {
    let (plan_file, data) = inputs(arguments);
    let absolute = |name: &Path| -> Result<String> {
        let path = std::path::absolute(name)
            .map_err(|source| Error::io(format!("cannot use '{}'", name.display()), source))?;
        Ok(path.to_string_lossy().into_owned())
    };
    let (mut plan, folder) = match (plan_file, data) {
        (Some(path), data) => {
            let mut plan = Plan::load(path)?;
            match data {
                Some(data) if data == Path::new("-") => plan.input = "-".to_owned(),
                Some(data) => plan.input = absolute(data)?,
                None => {}
            }
            (plan, path.parent().map(Path::to_owned).unwrap_or_default())
        }
        (None, Some(data)) => {
            let mut plan = Plan::new(data.to_string_lossy(), "-");
            // Nothing is published here, so what nobody has spoken about is left out.
            plan.rest = Some(Rest::Drop);
            (plan, PathBuf::new())
        }
        (None, None) => {
            return Err(Error::config(
                "say which table: scumble compare TABLE --quasi a,b, or --plan release.toml",
            ));
        }
    };
    // File names on the command line are relative to where the command runs, not to the plan.
    let here = |name: &String| if plan_file.is_some() { absolute(Path::new(name)) } else { Ok(name.clone()) };
    arguments.roles.apply(&mut plan, here)?;
    arguments.reading.apply(&mut plan.read)?;
    // The release is never written.
    plan.output = "-".to_owned();
    if plan.names_with(Role::Quasi).next().is_none() {
        let table = data.map_or("TABLE".into(), |data| data.to_string_lossy());
        return Err(Error::config(format!(
            "say which columns outsiders may know: --quasi a,b. If you are not sure, 'scumble init {table}' looks at every column and writes a \
             plan with roles; then: scumble compare release.toml"
        )));
    }
    let tried = &arguments.tried;
    tried.add_models(&mut plan)?;
    let mut ks = tried.k.clone();
    ks.sort_unstable();
    ks.dedup();
    Ok(Request {
        plan,
        resources: Resources::in_folder(folder),
        algorithms: match tried.all {
            true => algorithm_names().into_iter().map(str::to_owned).collect(),
            false => tried.algorithm.clone(),
        },
        ks,
        learners: tried.learner.clone(),
        folds: tried.folds,
        test: match tried.test.as_str() {
            "mapped" => TestRows::Mapped,
            "original" => TestRows::Original,
            other => {
                let near = scumble::error::did_you_mean(other, ["mapped", "original"]);
                return Err(Error::config(format!("--test is mapped or original, not '{other}'{near}")));
            }
        },
        seed: tried.seed,
        budget: Some(tried.budget.parse().map_err(|error| Error::config(format!("--budget: {error}")))?),
        max_risk: match &tried.max_risk {
            None => MAX_RISK,
            Some(text) => {
                let share: Rational =
                    text.parse().map_err(|error| Error::config(format!("--max-risk: {error}")))?;
                share.to_f64()
            }
        },
    })
}

impl Tried {
    /// Adds the models of the flags to the plan's. What the plan asks for stays, so that no release is below it.
    fn add_models(&self, plan: &mut Plan) -> Result<()> {
        let short = |name: &str, key: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{name}:{key}={value}"))
        };
        let flags = [short("l_diversity", "l", &self.l), short("t_closeness", "t", &self.t)];
        for given in flags.into_iter().flatten().chain(self.model.iter().cloned()) {
            let spec = model_flag::parse(&given)?;
            if !plan.privacy.contains(&spec) {
                plan.privacy.push(spec);
            }
        }
        Ok(())
    }
}

/// A private file that is to get this name.
fn private<'a>(outputs: &mut Outputs, target: &'a Path, own: Own) -> Result<(PrivateFile, &'a Path)> {
    if target == Path::new("-") {
        return Err(Error::config("the page and the table of figures are private files; give them names"));
    }
    outputs.write(target, own)?;
    Ok((PrivateFile::create(target)?, target))
}

fn publish(mut file: PrivateFile, target: &Path, text: &str) -> Result<()> {
    file.file().write_all(text.as_bytes()).map_err(|error| cannot_write(target, error))?;
    file.publish(Audience::Owner)?.sound()
}

/// The figures of the releases, the recommendation, and what could not be done. Releases that others beat are only told if all are
/// asked for.
fn tell(found: &Comparison, title: &str, all: bool) -> String {
    let advice = Advice::of(found);
    let marks = found.not_beaten();
    let mut text = format!(
        "{} of {title} ({} rows), the least risky first\n",
        counted(found.candidates.len() as u64, "release", "releases"),
        count(found.rows)
    );
    let (guessed, scored) = (!found.sensitive.is_empty(), found.baselines.is_some());
    let width = found.candidates.iter().map(|candidate| candidate.algorithm.len()).max().unwrap_or(0).max(14);
    let mut line = |mark: &str, name: &str, cells: &[Option<String>]| {
        let cells: String = cells.iter().flatten().map(|cell| format!("  {cell:>10}")).collect();
        text += format!("  {mark} {name:width$}{cells}").trim_end();
        text += "\n";
    };
    let head = |name: &str| Some(name.to_owned());
    line(
        " ",
        "algorithm",
        &[
            head("k"),
            head("risk"),
            guessed.then(|| "found".into()),
            guessed.then(|| "guessed".into()),
            scored.then(|| "accuracy".into()),
            head("loss"),
            head("suppressed"),
            head("attained k"),
        ],
    );
    let chosen = advice.map(|advice| advice.chosen);
    let told = found.by_risk().into_iter().filter(|place| all || marks[*place] || chosen == Some(*place));
    for place in told {
        let candidate = &found.candidates[place];
        let mark = match (chosen == Some(place), marks[place]) {
            _ if candidate.below_plan => "-",
            (true, _) => "→",
            (_, true) if all => "*",
            _ => " ",
        };
        let attribute = candidate.risk.attribute.as_ref().map(|guess| percent(guess.advantage));
        let accuracy = candidate.accuracy.as_ref().map(|accuracy| percent(accuracy.mean));
        let dash = || "-".to_owned();
        line(
            mark,
            &candidate.algorithm,
            &[
                Some(candidate.k.to_string()),
                Some(percent(candidate.risk.worst())),
                guessed.then(|| percent(candidate.risk.identity)),
                guessed.then(|| attribute.unwrap_or_else(dash)),
                scored.then(|| accuracy.unwrap_or_else(dash)),
                Some(percent(candidate.loss)),
                Some(percent(candidate.suppressed as f64 / found.rows.max(1) as f64)),
                Some(candidate.attained_k.map_or_else(dash, count)),
            ],
        );
    }
    if let Some(baselines) = &found.baselines {
        let before = if guessed { 4 } else { 2 };
        for (name, share) in
            [("original rows", baselines.original.mean), ("majority class", baselines.majority)]
        {
            let mut cells = vec![Some(String::new()); before];
            cells.push(Some(percent(share)));
            line(" ", name, &cells);
        }
    }
    text += &key(found, marks.iter().filter(|mark| !**mark).count() as u64, all);
    if let Some(advice) = advice {
        text += "\n";
        for sentence in advice.sentences(found) {
            text += &(wrap(&sentence, 112, "") + "\n");
        }
    } else {
        text += &format!("\n{}\n", wrap(&Advice::none(found), 112, ""));
    }
    if !found.unserved.is_empty() {
        text += "\nWhat could not be done\n";
        text += &found.unserved.iter().map(tell_unserved).collect::<String>();
    }
    text.replace('\u{a0}', " ")
}

/// What the marks and columns mean.
fn key(found: &Comparison, beaten: u64, all: bool) -> String {
    let within = Advice::of(found).is_some_and(|advice| advice.within);
    let mut told = match Advice::of(found) {
        None => "nothing is recommended".to_owned(),
        Some(_) if within => "→ recommended".to_owned(),
        Some(_) => "→ the least risky that shows something".to_owned(),
    };
    if let Some(least) = found.least_k.filter(|_| found.candidates.iter().any(|of| of.below_plan)) {
        told += &format!("; - below the plan, which asks for k = {least} or more: never recommended");
    }
    if all {
        told += "; * no other release is at least as good in everything that was measured";
    } else if beaten > 0 {
        let others = counted(beaten, "further release is", "further releases are");
        told += &format!("; {others} better in nothing that was measured than one of these (-v shows all)");
    }
    if !found.sensitive.is_empty() {
        told += "; found: people whose row is picked right; guessed: people whose sensitive value is guessed right beyond the most \
                 frequent one; risk: the greater of the two";
    }
    format!("  {}\n", wrap(&told, 110, "  "))
}

fn tell_unserved(unserved: &Unserved) -> String {
    let ks: Vec<String> = unserved.ks.iter().map(u64::to_string).collect();
    let what = if unserved.released { "has no accuracy: " } else { "" };
    let told = format!("{}, k = {}: {what}{}", unserved.algorithm, ks.join(", "), unserved.reason);
    format!("  {}\n", wrap(&told, 110, "    "))
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
