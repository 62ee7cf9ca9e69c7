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
    Advice, BUDGET, FOLDS, LEARNERS, Limits, Request, compare, html, to_csv, to_json,
};
use scumble_eval::protocol::TestRows;
use scumble_files::{Audience, PrivateFile, cannot_write};

use super::anonymize::RoleFlags;
use super::audience::AudienceFlag;
use super::beside::title_of;
use super::model_flag;
use super::reading::Reading;
use crate::ui::{Interface, print};

mod text;

/// Compare releases of a table: what attackers could still learn from each, how useful it still is, and which one to take
///
/// Releases are made in memory by several algorithms and k; nothing is published. If a class column is named, machine-learning models learn
/// from releases of training rows and are scored on others.
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
    /// Also write a private table of all figures
    #[arg(long, value_name = "FILE.csv")]
    csv: Option<PathBuf>,
    /// Print exactly one JSON object (private: it is about the original)
    #[arg(long)]
    json: bool,
    /// Replace existing files, even those that Scumble does not recognise as its own
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    tried: Tried,
    #[command(flatten)]
    audience: AudienceFlag,
    #[command(flatten)]
    roles: RoleFlags,
    #[command(flatten)]
    reading: Reading,
}

/// What is tried, and how it is measured.
#[derive(clap::Args)]
#[command(next_help_heading = "What is tried")]
struct Tried {
    /// The values of k. If not given: for each algorithm the least that keeps the limits, found by search, some around it, and the plan's
    #[arg(long, value_name = "K,K", value_delimiter = ',', value_parser = super::from_one)]
    k: Vec<u64>,
    /// The algorithms; the recommended ones if not given
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', conflicts_with = "all")]
    algorithm: Vec<String>,
    /// All algorithms
    #[arg(long)]
    all: bool,
    /// l-diversity of the sensitive columns, which every release must keep besides k
    #[arg(long, value_name = "L")]
    l: Option<String>,
    /// t-closeness of the sensitive columns, which every release must keep besides k
    #[arg(long, value_name = "T")]
    t: Option<String>,
    /// Any model of 'scumble list', as for anonymize; repeatable
    #[arg(long, value_name = "NAME:KEY=VALUE,…")]
    model: Vec<String>,
    /// Machine-learning models to train on the releases, if a class column is named
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',', default_values = LEARNERS)]
    learner: Vec<String>,
    /// The number of parts that the rows are divided into, each scored once; with 1, one of three parts is scored
    #[arg(long, value_name = "N", default_value_t = FOLDS, value_parser = super::short)]
    folds: u32,
    /// The rows that are scored: mapped (recoded as the training rows were) or original
    #[arg(long, value_name = "ROWS", default_value = "mapped")]
    test: String,
    /// The time that each release may take
    #[arg(long, value_name = "TIME", default_value = BUDGET)]
    budget: String,
    /// The greatest chance with which anybody may be found in a recommended release, from 0 to 1; set by --for if not given
    #[arg(long, value_name = "SHARE")]
    max_risk: Option<String>,
    /// The greatest share of people whose sensitive value may become certain in columns that no model protects; set by --for if not given
    /// (public: 0, researchers: 0.01, inside: 0.05)
    #[arg(long, value_name = "SHARE")]
    max_certain: Option<String>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = super::whole)]
    seed: u64,
}

pub(crate) fn run(arguments: &Arguments, interface: &Interface) -> Result<ExitCode> {
    let request = request(arguments)?;
    request.check()?;
    let folder = request.resources.folder().unwrap_or(Path::new(""));
    let table = Plan::beside(&folder.join("plan"), &request.plan.input);
    // Outputs are claimed before the work, so that a missing folder is reported at once.
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
    // Learners do not check for a stop themselves.
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
    let title = title_of(&table, "the table");
    if arguments.json {
        print(to_json(&found).to_string() + "\n")?;
    } else {
        print(text::tell(&found, &title, interface.is_verbose()))?;
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
            "Next: scumble anonymize with the same columns and requirements, and --algorithm {} --k {}{}",
            chosen.algorithm,
            chosen.k,
            arguments.audience.given().map_or_else(String::new, |who| format!(" --for {}", who.name()))
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the named plan and the named table.
fn inputs(arguments: &Arguments) -> (Option<&Path>, Option<&Path>) {
    let is_plan = |path: &Path| path.extension().is_some_and(|extension| extension == "toml");
    match (arguments.plan.as_deref(), arguments.data.as_deref()) {
        (None, Some(data)) if is_plan(data) => (Some(data), None),
        both => both,
    }
}

/// Builds the request from the arguments.
fn request(arguments: &Arguments) -> Result<Request> {
    let (plan_file, data) = inputs(arguments);
    let absolute = |name: &Path| -> Result<String> {
        let path = scumble_files::database::from_here(name)
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
            // Nothing is published here, so columns that are not mentioned are left out.
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
    arguments.audience.apply(&mut plan);
    let of_audience = Limits::of(plan.risk.audience);
    let limits = Limits {
        risk: share("--max-risk", tried.max_risk.as_deref(), of_audience.risk)?,
        certain: share("--max-certain", tried.max_certain.as_deref(), of_audience.certain)?,
        ..of_audience
    };
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
        limits,
    })
}

/// Returns the share that a flag gives, or the default.
fn share(flag: &str, given: Option<&str>, otherwise: f64) -> Result<f64> {
    let parse =
        |text: &str| text.parse::<Rational>().map_err(|error| Error::config(format!("{flag}: {error}")));
    given.map_or(Ok(otherwise), |text| Ok(parse(text)?.to_f64()))
}

impl Tried {
    /// Adds the models of the flags to the plan's. The plan's own requirements stay, so that no release is below the plan.
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

/// Creates a private file that will get this name.
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
