//! Small examples for the tests of attacks on more than one scene.

use scumble::config::Plan;
use scumble::release::check::side_by_side;
use scumble::release::prepare::SpeltTable;
use scumble::release::resources::Resources;
use scumble_files::table::{CodedColumn, CodedTable};

use super::{Attack, Case, Finding, Options, Scene};

/// Releases, people, and what is known of the people.
pub(super) struct Stage {
    pub(super) plan: Plan,
    pub(super) resources: Resources,
    pub(super) options: Options,
    pub(super) outsiders: Option<CodedTable>,
    names: Vec<String>,
    release: CodedTable,
    original: SpeltTable,
    scene: Scene,
    others: Vec<Scene>,
}

impl Stage {
    /// Makes a stage from columns with their roles, the rows of a release and those of its original.
    pub(super) fn new<T: AsRef<str>, U: AsRef<str>, const N: usize>(
        columns: &[(&str, &str)],
        release: &[[T; N]],
        original: &[[U; N]],
    ) -> Self {
        let mut plan = "input = \"in.csv\"\noutput = \"out.csv\"\n".to_owned();
        for (name, role) in columns {
            plan += &format!("[columns.{name}]\nrole = \"{role}\"\n");
        }
        let plan = Plan::from_toml(&plan, "test").expect("a plan");
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        let (release, original) = (table(&names, release), table(&names, original));
        let scene = scene(&release, &original, &plan);
        let original = SpeltTable::of(original, &plan).expect("no doubt");
        let options = Options::default();
        let resources = Resources::default();
        Self {
            plan,
            resources,
            options,
            outsiders: None,
            names,
            release,
            original,
            scene,
            others: Vec::new(),
        }
    }

    /// Adds a further release about the same people.
    pub(super) fn beside<T: AsRef<str>, const N: usize>(mut self, release: &[[T; N]]) -> Self {
        self.others.push(scene(&table(&self.names, release), &self.original, &self.plan));
        self
    }

    /// Sets the one model that the release must keep.
    pub(super) fn require(&mut self, model: &str, k: i64) {
        let text = format!("input = \"\"\noutput = \"\"\n[[privacy]]\nmodel = \"{model}\"\nk = {k}\n");
        self.plan.privacy = Plan::from_toml(&text, "test").expect("a model").privacy;
        self.plan.accept_attribute_disclosure = true;
    }

    pub(super) fn case(&self) -> Case<'_> {
        Case {
            scene: &self.scene,
            others: &self.others,
            release: &self.release,
            original: &self.original,
            outsiders: self.outsiders.as_ref(),
            perturbed: &[],
            own_rows: None,
            plan: &self.plan,
            method_known: true,
            resources: &self.resources,
            options: &self.options,
        }
    }

    pub(super) fn run(&self, attack: &Attack) -> Vec<Finding> {
        (attack.run)(&self.case()).expect("findings")
    }
}

/// Makes a table of texts.
pub(super) fn table<T: AsRef<str>, const N: usize>(names: &[String], rows: &[[T; N]]) -> CodedTable {
    let column = |(place, name): (usize, &String)| {
        CodedColumn::of_texts(name, rows.iter().map(|row| row[place].as_ref()))
    };
    CodedTable { columns: names.iter().enumerate().map(column).collect(), rows: rows.len() }
}

fn scene(release: &CodedTable, original: &CodedTable, plan: &Plan) -> Scene {
    Scene::new(
        &side_by_side(release, original, plan, &Resources::default()).expect("a release and its original"),
    )
    .expect("a scene")
}
