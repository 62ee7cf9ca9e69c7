//! Random small tables, as strings.

use proptest::prelude::*;
use scumble::config::{MissingPolicy, Role, Roles};

use super::column::{Content, Kind, MISSING, Shape, is_missing};
use super::demand::ILLNESSES;

/// A random table: quasi-identifiers of random kinds, and always the columns below.
#[derive(Clone)]
pub(crate) struct Table {
    /// The quasi-identifiers; their names are `q0`, `q1`, ….
    pub(crate) kinds: Vec<Kind>,
    /// All columns by name, in the order of the file.
    pub(crate) columns: Vec<(String, Vec<String>)>,
    pub(crate) rows: usize,
    pub(crate) policy: MissingPolicy,
}

/// A row of dice: one for each quasi-identifier, then for `ill`, `cost`, `label` and `note`.
type Dice = [u8; 8];

const QUASI: usize = 4;

/// Every kind of quasi-identifier. With `trees` those that can have levels.
pub(crate) fn all_kinds(trees: bool) -> Vec<Kind> {
    let shapes = |content: &Content| content.shapes(trees).iter();
    let kinds = |content: Content| shapes(&content).map(move |shape| Kind { content, shape: *shape });
    Content::ALL.into_iter().flat_map(kinds).collect()
}

/// Of some kinds, those that an algorithm takes: one that shows means takes numbers without a hierarchy.
pub(crate) fn kinds_for(algorithm: &str, kinds: Vec<Kind>) -> Vec<Kind> {
    let number = |content| matches!(content, Content::Whole | Content::Decimal | Content::Comma);
    let plain = |kind: &Kind| number(kind.content) && matches!(kind.shape, Shape::Nothing | Shape::Bounded);
    kinds.into_iter().filter(|kind| algorithm != "mdav" || plain(kind)).collect()
}

/// A random table of 1 to 60 rows and 1 to 4 quasi-identifiers of any kind.
pub(crate) fn tables(trees: bool) -> impl Strategy<Value = Table> {
    tables_of(all_kinds(trees), true)
}

/// A random table of 1 to 60 rows and 1 to 4 quasi-identifiers of the given kinds, with or without missing values.
pub(crate) fn tables_of(kinds: Vec<Kind>, missing: bool) -> impl Strategy<Value = Table> {
    let kind = (prop::sample::select(kinds), 1..13_usize, 0..if missing { 3_u8 } else { 1 });
    let rows = prop_oneof![1 => 1..4_usize, 3 => 4..25_usize, 3 => 25..61_usize]
        .prop_flat_map(|rows| prop::collection::vec(any::<Dice>(), rows));
    let policies = if missing {
        vec![MissingPolicy::OwnValue, MissingPolicy::OwnValue, MissingPolicy::DropRow]
    } else {
        vec![MissingPolicy::OwnValue]
    };
    (prop::collection::vec(kind, 1..=QUASI), rows, prop::sample::select(policies), any::<[bool; 2]>())
        .prop_map(move |(kinds, rows, policy, [sparse, skewed])| {
            make(&kinds, &rows, policy, sparse && missing, skewed)
        })
}

fn make(
    kinds: &[(Kind, usize, u8)],
    dice: &[Dice],
    policy: MissingPolicy,
    sparse: bool,
    skewed: bool,
) -> Table {
    let mut columns: Vec<(String, Vec<String>)> = Vec::new();
    // The first row is complete, so that every column has a value and some row always remains.
    let all = |value: &dyn Fn(usize, &Dice) -> String| {
        dice.iter().enumerate().map(|(row, dice)| value(row, dice)).collect()
    };
    columns.push(("name".into(), all(&|row, _| format!("person-{row}-canary"))));
    for (place, (kind, variety, missing)) in kinds.iter().enumerate() {
        let value = |row: usize, dice: &Dice| {
            let dice = dice[place];
            if row > 0 && dice < 12 * missing {
                return MISSING[dice as usize % MISSING.len()].to_owned();
            }
            kind.content.text(dice, *variety)
        };
        columns.push((format!("q{place}"), all(&value)));
    }
    let ill = |row: usize, dice: &Dice| match dice[QUASI] {
        0..8 if sparse && row > 0 => "?".to_owned(),
        dice if skewed && dice > 90 => ILLNESSES[0].0.to_owned(),
        dice => ILLNESSES[dice as usize % (ILLNESSES.len() - 1)].0.to_owned(),
    };
    columns.push(("ill".into(), all(&ill)));
    let cost = |row: usize, dice: &Dice| match dice[QUASI + 1] {
        0..8 if sparse && row > 0 => MISSING[dice[QUASI + 1] as usize % 2].to_owned(),
        dice => (u32::from(dice % 7) * 25).to_string(),
    };
    columns.push(("cost".into(), all(&cost)));
    let label = |row: usize, dice: &Dice| match dice[QUASI + 2] {
        0..10 if sparse && row > 0 => "?".to_owned(),
        dice => ["yes", "no", "no"][dice as usize % 3].to_owned(),
    };
    columns.push(("label".into(), all(&label)));
    columns.push(("note".into(), all(&|_, dice| Content::Word.text(dice[QUASI + 3], 14))));
    columns.push(("gone".into(), all(&|row, _| format!("gone-{row}-canary"))));
    columns.push(("serial".into(), all(&|row, _| row.to_string())));
    Table { kinds: kinds.iter().map(|kind| kind.0).collect(), columns, rows: dice.len(), policy }
}

/// A failure shows the table as a table.
impl std::fmt::Debug for Table {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(formatter, "{:?}, missing values: {:?}", self.kinds, self.policy)?;
        let shown = |name: &str| name != "name" && name != "gone";
        let columns: Vec<_> = self.columns.iter().filter(|(name, _)| shown(name)).collect();
        writeln!(formatter, "{:?}", columns.iter().map(|(name, _)| name).collect::<Vec<_>>())?;
        for row in 0..self.rows {
            writeln!(formatter, "{:?}", columns.iter().map(|(_, cells)| &cells[row]).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

impl Table {
    pub(crate) fn column(&self, name: &str) -> &[String] {
        &self.columns.iter().find(|(of, _)| of == name).expect("a column of the table").1
    }

    /// The names of the quasi-identifiers.
    pub(crate) fn quasi(&self) -> Vec<String> {
        (0..self.kinds.len()).map(|place| format!("q{place}")).collect()
    }

    /// The rows that remain when missing values are dealt with as the plan says. A missing class label always drops its
    /// row; identifiers and dropped columns are not read.
    pub(crate) fn surviving(&self, class: Option<&str>) -> Vec<usize> {
        let read = self.columns.iter().filter(|(name, _)| name != "name" && name != "gone");
        let drops = |name: &str| self.policy == MissingPolicy::DropRow || Some(name) == class;
        (0..self.rows)
            .filter(|row| read.clone().all(|(name, cells)| !drops(name) || !is_missing(&cells[*row])))
            .collect()
    }

    /// The values of a column in some rows.
    pub(crate) fn values(&self, name: &str, rows: &[usize]) -> Vec<&str> {
        let cells = self.column(name);
        rows.iter().map(|row| cells[*row].as_str()).collect()
    }

    /// The table with its rows in another order.
    pub(crate) fn reordered(&self, order: &[usize]) -> Self {
        let pick = |cells: &Vec<String>| order.iter().map(|row| cells[*row].clone()).collect();
        let columns = self.columns.iter().map(|(name, cells)| (name.clone(), pick(cells))).collect();
        Self { columns, rows: order.len(), ..self.clone() }
    }

    /// The role of a column; `sensitive` are those that a model protects, `class` the label.
    pub(crate) fn role(name: &str, sensitive: &[&str], class: Option<&str>) -> Roles {
        let role = match name {
            "name" => Role::Identifier,
            "gone" => Role::Drop,
            name if name.starts_with('q') => Role::Quasi,
            name if class == Some(name) && sensitive.contains(&name) => {
                return Roles::new(&[Role::Class, Role::Sensitive]).expect("class and sensitive go together");
            }
            name if class == Some(name) => Role::Class,
            name if sensitive.contains(&name) => Role::Sensitive,
            _ => Role::Other,
        };
        Roles::one(role)
    }
}
