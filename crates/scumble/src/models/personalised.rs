//! Personalised privacy (models.md 1.12): everybody says which node of the sensitive column's tree is nobody's business.

use serde_json::{Map, Value};

use super::t_closeness::owned_paths;
use super::values::{rounded, smallest};
use super::{ClassTest, Model, ModelContext, Monotonicity, Words, needs, protected_columns};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::recoding::published::ClassView;
use crate::table::hierarchy::Hierarchy;
use crate::table::normal;
use crate::table::payload::PayloadColumn;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "personalised",
    title: "personalised privacy",
    paper: "Xiao, Tao 2006",
    standing: Standing::Recommended,
    about: "Everybody names a node of the sensitive column's hierarchy, the guarding node, or none. In every group, and for every \
            guarding node of someone in it, at most a share of p_breach of the rows have a value below that node. So each \
            person is protected as far as they chose. It can break when groups are merged, so only searches that check every group as \
            it is published serve it.",
    parameters: &[
        ("p_breach", "the largest share, above 0 and at most 1"),
        ("guarding", "the column with the role 'guarding': a node of the hierarchy, or none, in every row"),
        ("columns", "the sensitive column; the only one if absent"),
    ],
    build,
};

/// Which values of the sensitive column a guarding node guards; nothing for none.
type Guarded = Option<Vec<bool>>;

struct Personalised {
    p: Rational,
    column: String,
    place: usize,
    guarding: String,
    guarding_place: usize,
    /// What each value of the guarding column guards.
    guards: Vec<Guarded>,
    /// What is written where nothing is guarded.
    none: Vec<String>,
    /// Leaf to root label paths, for the verifier.
    paths: Vec<(String, Vec<String>)>,
    person: Option<String>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let p = parameters
        .positive("p_breach", Some(Rational::ONE))?
        .ok_or_else(|| needs(ENTRY.name, "p_breach", 0.5))?;
    let guarding = parameters.text("guarding")?.ok_or_else(|| {
        Error::config("model 'personalised' needs guarding, the column of the guarding nodes")
            .set(Setting::model("guarding").of_model(ENTRY.name).to("guard"), "name the column")
    })?;
    let payloads = context.table.payloads();
    let guarding_place = payloads.position(guarding).ok_or_else(|| {
        Error::config(format!("model 'personalised': there is no column '{guarding}' with the role guarding"))
            .set(
                Setting::role("guarding").of(&[guarding]),
                "give the column the role guarding, so that it is read and not published",
            )
    })?;
    let columns = protected_columns(ENTRY.name, context)?;
    let [(column, place)] = &columns[..] else {
        return Err(Error::config(
            "model 'personalised' is about one sensitive column, whose nodes people name",
        )
        .advise("say which column the model protects (columns = [\"diagnosis\"])"));
    };
    let tree = (context.trees)(column).ok_or_else(|| {
        Error::config(format!(
            "personalised privacy needs a hierarchy for '{column}', whose nodes people name"
        ))
        .set(Setting::column("hierarchy").of(&[column]), "give the column a hierarchy")
        .set(Setting::root("hierarchies"), "give a folder that has the hierarchy")
    })?;
    let (guards, none) = guards(&payloads.columns[guarding_place], &payloads.columns[*place], tree)?;
    Ok(vec![Box::new(Personalised {
        p,
        column: column.clone(),
        place: *place,
        guarding: guarding.to_owned(),
        guarding_place,
        guards,
        none,
        paths: owned_paths(tree),
        person: context.person().map(str::to_owned),
    })])
}

/// Which values each guarding node guards, and what stands for no node. Of several nodes of one name the largest counts, which
/// guards most.
fn guards(
    guarding: &PayloadColumn,
    values: &PayloadColumn,
    tree: &Hierarchy,
) -> Result<(Vec<Guarded>, Vec<String>)> {
    let wrong = |why: &str| {
        Error::data(format!("column '{}': {why} in the hierarchy of '{}'", guarding.name, values.name))
    };
    let codes: Vec<Option<u32>> = values.values.iter().map(|value| tree.code_of(value)).collect();
    let (mut guards, mut none) = (Vec::new(), Vec::new());
    for (place, label) in (0..).zip(guarding.values.iter()) {
        if guarding.is_missing(place) || normal::as_text(label) == "none" {
            if (0..tree.node_count()).any(|node| tree.label(node) == label) {
                return Err(Error::config(format!(
                    "column '{}': '{label}' would guard nothing, and the hierarchy of '{}' has a node of that name",
                    guarding.name, values.name
                ))
                .advise("give the node or the missing value another name"));
            }
            none.push(label.to_owned());
            guards.push(None);
            continue;
        }
        let largest = |is_meant: &dyn Fn(&str) -> bool| {
            let nodes = (0..tree.node_count()).filter(|node| is_meant(&tree.label(*node)));
            nodes.max_by_key(|node| {
                let (low, high) = tree.range(*node);
                high - low
            })
        };
        // A node may be named in another spelling, as its values may.
        let mut node = largest(&|name| name == label);
        if node.is_none() && values.reading.form.is_some() {
            let folded = normal::as_text(label);
            let is_meant = |name: &str| normal::as_text(name) == folded;
            if (0..tree.node_count()).filter(|node| is_meant(&tree.label(*node))).count() > 1 {
                return Err(wrong(
                    "some guarding node is written otherwise than any node, and may be several of those",
                ));
            }
            node = largest(&is_meant);
        }
        let node = node.ok_or_else(|| {
            wrong("some guarding node is neither 'none' nor a label")
                .advise("correct the guarding nodes: each must be a label of the hierarchy, or 'none'")
        })?;
        let (low, high) = tree.range(node);
        // A node may hold every value without being the root; the verifier refuses both.
        let leaves = tree.leaf_count();
        if tree.parent(node).is_none() || leaves > 1 && high - low + 1 == leaves {
            return Err(wrong(
                "the probability is always 1 for some guarding node, since it has every value below it",
            )
            .advise("name a smaller node, or 'none'"));
        }
        guards.push(Some(
            codes.iter().map(|code| code.is_some_and(|code| low <= code && code <= high)).collect(),
        ));
    }
    Ok((guards, none))
}

impl Personalised {
    /// Each guarding node of somebody in a class, once: how many rows and how many people have a value below it.
    fn breaches(&self, class: &ClassView<'_>) -> Vec<(u64, u64)> {
        let value = |payload: u32, place: usize| class.payloads.value(payload, place) as usize;
        let mut named: Vec<usize> =
            class.cells.iter().map(|cell| value(cell.payload, self.guarding_place)).collect();
        named.sort_unstable();
        named.dedup();
        let below = |guarded: &Vec<bool>| {
            let cells = class.cells.iter().filter(|cell| guarded[value(cell.payload, self.place)]);
            let rows = cells.clone().map(|cell| u64::from(cell.rows)).sum();
            let mut persons: Vec<Option<u32>> =
                cells.map(|cell| class.payloads.person_of(cell.payload)).collect();
            persons.sort_unstable();
            persons.dedup();
            (rows, persons.len() as u64)
        };
        named.into_iter().filter_map(|guard| self.guards[guard].as_ref()).map(below).collect()
    }
}

impl Model for Personalised {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let counted = if self.person.is_some() { ", counting persons" } else { "" };
        format!("personalised privacy of {} (breach at most {}){counted}", self.column, self.p)
    }
    fn unit(&self) -> &'static str {
        "p_breach"
    }
    fn words(&self) -> Words {
        let meaning = format!(
            "Among the rows that fit a person, at most a share of {} have a value of {} that the person wants guarded.",
            number(self.p.to_f64()),
            self.column
        );
        Words::new(self.title())
            .meaning(meaning)
            .limits("Whoever guards nothing, and values that nobody among the rows that fit wants guarded.")
    }
    fn claim(&self) -> Map<String, Value> {
        let path = |(leaf, above): &(String, Vec<String>)| {
            Value::from(std::iter::once(leaf).chain(above).cloned().collect::<Vec<_>>())
        };
        let mut claim = Map::from_iter([
            ("model".into(), ENTRY.name.into()),
            ("column".into(), self.column.clone().into()),
            ("p_breach".into(), self.p.to_string().into()),
            ("guarding".into(), self.guarding.clone().into()),
            ("none".into(), self.none.clone().into()),
            ("tree".into(), self.paths.iter().map(path).collect()),
        ]);
        claim.extend(self.person.iter().map(|name| ("person".into(), name.clone().into())));
        claim
    }
    fn required(&self) -> f64 {
        self.p.to_f64()
    }
    fn larger_is_better(&self) -> bool {
        false
    }
    fn protects(&self) -> Option<&str> {
        Some(&self.column)
    }
    fn class_test(&self) -> Option<&dyn ClassTest> {
        Some(self)
    }
    fn monotonicity(&self) -> Monotonicity {
        // A class may bring values that somebody of the other guards (models.md 1.12).
        Monotonicity { merging: false, dropping: true, upward: false }
    }
    /// Everybody with a value below their own node is at least one row of a class with all rows that are not below it.
    fn check_feasible(&self, whole: &ClassView<'_>) -> Result<()> {
        let fewest = self.guards.iter().enumerate().filter_map(|(guard, guarded)| {
            let guarded = guarded.as_ref()?;
            let value = |payload: u32, place: usize| whole.payloads.value(payload, place) as usize;
            let below = || whole.cells.iter().filter(|cell| guarded[value(cell.payload, self.place)]);
            let own = below().any(|cell| value(cell.payload, self.guarding_place) == guard);
            own.then(|| 1 + whole.size - below().map(|cell| u64::from(cell.rows)).sum::<u64>())
        });
        let Some(fewest) = fewest.min().filter(|fewest| self.p.cmp_ratio(1, *fewest).is_lt()) else {
            return Ok(());
        };
        Err(Error::infeasible(format!(
            "{} cannot be met: somebody has a value below their own guarding node, and too few rows are not below it",
            self.title()
        ))
        .concede(smallest("p_breach", rounded(1.0 / fewest as f64, true))))
    }
}

impl ClassTest for Personalised {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        let bounded = |part: u64, of: u64| self.p.cmp_ratio(part, of).is_ge();
        let persons = class.persons();
        self.breaches(class).into_iter().all(|(rows, of_persons)| {
            bounded(rows, class.size) && (self.person.is_none() || bounded(of_persons, persons))
        })
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let persons = class.persons() as f64;
        let share = |(rows, of_persons): (u64, u64)| {
            let of_rows = rows as f64 / class.size as f64;
            if self.person.is_some() { of_rows.max(of_persons as f64 / persons) } else { of_rows }
        };
        self.breaches(class).into_iter().map(share).fold(0.0, f64::max)
    }
}
