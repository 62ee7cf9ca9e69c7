//! Cases for tests: a plan and a table, released in memory, or with a release written by hand.

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::release::check::{SideBySide, side_by_side};
use scumble::release::prepare::{SpeltTable, select};
use scumble::release::resources::Resources;
use scumble::release::try_release;
use scumble_files::table::{CodedColumn, CodedTable};

use super::{Case, Known, Options, Scene};

/// Everything that a case borrows.
pub(super) struct Staged {
    pub(super) scene: Scene,
    both: SideBySide,
    original: SpeltTable,
    plan: Plan,
    resources: Resources,
    pub(super) options: Options,
}

/// Reads a table: a line of names, then rows, with cells separated by commas.
pub(super) fn table(text: &str) -> CodedTable {
    let mut lines = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a line of names");
    let rows: Vec<Vec<&str>> = lines.collect();
    let column = |(place, name): (usize, &&str)| {
        CodedColumn::of_texts(name, rows.iter().map(|row| row[place].to_owned()))
    };
    CodedTable { columns: names.iter().enumerate().map(column).collect(), rows: rows.len() }
}

impl Staged {
    /// Releases a table by a plan.
    pub(super) fn released(plan: &str, original: &str) -> Self {
        Self::tried(plan, original).expect("a release of one table")
    }

    /// Does the same if the algorithm accepts the table; `None` otherwise.
    pub(super) fn tried(plan: &str, original: &str) -> Option<Self> {
        let plan = Plan::from_toml(plan, "plan.toml").expect("a plan");
        let original = SpeltTable::of(table(original), &plan).expect("no doubt");
        let trial = try_release(&plan, &original, &Resources::default(), Progress::default()).ok()?;
        let released = trial.table()?;
        // Rows are put in the order of the people who have one.
        let mut rows: Vec<u32> = (0..released.about.len() as u32).collect();
        rows.sort_by_key(|row| released.about[*row as usize]);
        Some(Self::of(plan, &original, &select::rows(&released.read().expect("a table"), &rows)))
    }

    /// Assigns each person to the class of their own row: rows of such a release are in the order of people.
    pub(super) fn at_their_places(mut self) -> Self {
        let place = |row: usize| {
            let label = |known: &Known| {
                let column = self.both.release.column(&known.name)?;
                let text = column.values.get(column.codes.get(row));
                known.labels.iter().position(|label| label == text).map(|label| label as u32)
            };
            let labels = self.scene.known.iter().map(label).collect::<Option<Vec<u32>>>()?;
            self.scene.looks.iter().position(|look| look.labels == labels).map(|look| look as u32)
        };
        let places: Vec<Option<u32>> = (0..self.scene.people).map(place).collect();
        let class = |look: &Option<u32>| look.map(|look| self.scene.looks[look as usize].class);
        self.scene.class_of_person = places.iter().map(class).collect();
        self.scene.look_of_person = places;
        self.scene.ambiguous = 0;
        self
    }

    /// Takes a release that is written by hand, with its original.
    pub(super) fn written(plan: &str, original: &str, release: &str) -> Self {
        Self::of(Plan::from_toml(plan, "plan.toml").expect("a plan"), &table(original), &table(release))
    }

    fn of(plan: Plan, original: &CodedTable, release: &CodedTable) -> Self {
        let both =
            side_by_side(release, original, &plan, &Resources::default()).expect("two tables that fit");
        let scene = Scene::new(&both).expect("a scene");
        let original = SpeltTable::of(both.original.clone(), &plan).expect("no doubt");
        Self { scene, both, original, plan, resources: Resources::default(), options: Options::default() }
    }

    pub(super) fn case(&self) -> Case<'_> {
        Case {
            scene: &self.scene,
            others: &[],
            release: &self.both.release,
            original: &self.original,
            outsiders: None,
            perturbed: &[],
            own_rows: None,
            plan: &self.plan,
            method_known: true,
            resources: &self.resources,
            options: &self.options,
        }
    }
}
