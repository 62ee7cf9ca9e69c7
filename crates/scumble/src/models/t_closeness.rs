//! t-closeness (models.md 1.4): the sensitive values of every class are distributed nearly as in the
//! whole original table.
//!
//! Every distance here is a ratio of integers: with class counts `c`, class size `s`, original counts
//! `o` and size `n`, all differences are multiples of `1 / (s n)`, so the decision is exact.

use serde_json::{Map, Value};

use super::{ClassTest, Model, ModelContext, Monotonicity, Words, needs, protected_columns, several};
use crate::base::entry::{Entry, Standing};
use crate::base::text::number;
use crate::config::{Parameters, Rational};
use crate::error::{Error, Result, Setting};
use crate::recoding::published::ClassView;
use crate::table::frequency::Cell;
use crate::table::hierarchy::Hierarchy;
use crate::table::kind::Kind;

/// The registry entry.
pub(crate) const ENTRY: Entry<super::BuildModel> = Entry {
    name: "t_closeness",
    title: "t-closeness",
    paper: "Li, Li, Venkatasubramanian 2007",
    standing: Standing::Recommended,
    about: "In every group the sensitive values are distributed as in the whole original table, up to an earth \
            mover's distance of t: learning someone's group changes little about what is believed of them. Ground \
            distances: equal, ordered (by rank, not magnitude) and hierarchical (by the column's tree).",
    parameters: &[
        ("t", "the largest distance, from 0 to 1"),
        ("distance", "equal, ordered or hierarchical; ordered for numbers and dates, else equal, if absent"),
        ("columns", "the columns protected; all sensitive ones if absent"),
        several::MODE,
    ],
    build,
};

/// How far apart two sensitive values are.
enum Distance {
    /// Any two different values are 1 apart.
    Equal,
    /// By rank among the values of the original table.
    Ordered,
    /// By the height at which a tree joins them.
    Hierarchical(Tree),
}

/// A tree over the values, parents before their children.
struct Tree {
    /// For each value, the node of its leaf.
    leaf_of_value: Vec<usize>,
    nodes: Vec<TreeNode>,
    /// Leaf to root label paths, for the verifier.
    paths: Vec<(String, Vec<String>)>,
    height: u32,
}

struct TreeNode {
    /// Its parent; the root is its own.
    parent: usize,
    /// The height of its parent above the leaves (the longest path) minus its own.
    length: u32,
    /// The rows of the original table below it.
    original: u64,
}

struct TCloseness {
    t: Rational,
    distance: Distance,
    column: String,
    place: usize,
    /// Rows per value in the original table.
    original: Vec<u64>,
    /// Rows up to each value, the value included: `up_to[i + 1]` for value `i`.
    up_to: Vec<i128>,
    /// Sums of `up_to`: `sums[i + 1]` up to value `i`.
    sums: Vec<i128>,
    rows: u64,
    values: Vec<String>,
}

fn build(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    // Tuples of values have neither an order nor a tree.
    let by_value = if parameters.text("distance")?.is_none_or(|distance| distance == "equal") {
        &[][..]
    } else {
        &["distance"]
    };
    several::in_mode(ENTRY.name, parameters, context, separate, by_value)
}

fn separate(parameters: &Parameters, context: &ModelContext<'_>) -> Result<Vec<Box<dyn Model>>> {
    let t = parameters
        .rational("t", Rational::ZERO, Some(Rational::ONE))?
        .ok_or_else(|| needs(ENTRY.name, "t", 0.2))?;
    let distance = parameters.choice("distance", &["equal", "ordered", "hierarchical"])?;
    protected_columns(ENTRY.name, context)?
        .into_iter()
        .map(|(column, place)| {
            let payload = &context.table.payloads().columns[place];
            let mut original = vec![0_u64; payload.values.len()];
            for cell in context.table.payload_totals() {
                original[context.table.payloads().value(cell.payload, place) as usize] +=
                    u64::from(cell.rows);
            }
            // A missing value that is none is the last, and has no rank.
            let values = payload.absent().map_or(original.len(), |absent| absent as usize);
            original.truncate(values);
            let distance = match distance {
                Some("equal") => Distance::Equal,
                Some("ordered") => Distance::Ordered,
                Some(_) => {
                    let tree = (context.trees)(&column).ok_or_else(|| {
                        Error::config(format!("hierarchical t-closeness needs a hierarchy for '{column}'"))
                            .set(Setting::column("hierarchy").of(&[&column]), "give the column a hierarchy")
                            .set(Setting::root("hierarchies"), "give a folder that has the hierarchy")
                            .set(
                                Setting::model("distance").of_model("t_closeness").to("equal"),
                                "use a distance that needs no hierarchy",
                            )
                    })?;
                    Distance::Hierarchical(Tree::new(tree, payload.values.iter().take(values), &original)?)
                }
                None if payload.measure.kind == Kind::Text => Distance::Equal,
                None => Distance::Ordered,
            };
            let rows = original.iter().sum();
            let (mut up_to, mut sums) = (vec![0_i128], vec![0_i128]);
            for (place, rows) in original.iter().enumerate() {
                up_to.push(up_to[place] + i128::from(*rows));
                sums.push(sums[place] + up_to[place + 1]);
            }
            let values = payload.values.iter().take(values).map(str::to_owned).collect();
            Ok(Box::new(TCloseness { t, distance, column, place, original, up_to, sums, rows, values })
                as Box<dyn Model>)
        })
        .collect()
}

/// Leaf to root label paths as the verifier takes them.
pub(crate) fn owned_paths(tree: &Hierarchy) -> Vec<(String, Vec<String>)> {
    tree.paths()
        .map(|(leaf, above)| {
            (leaf.into_owned(), above.into_iter().map(std::borrow::Cow::into_owned).collect())
        })
        .collect()
}

impl Tree {
    fn new<'a>(tree: &Hierarchy, values: impl Iterator<Item = &'a str>, original: &[u64]) -> Result<Self> {
        let leaf_of_value = values
            .map(|value| tree.code_of(value).map(|code| tree.leaf(code) as usize))
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| Error::data("the hierarchy of a sensitive column misses one of its values"))?;
        let count = tree.node_count() as usize;
        let parent = |node: usize| tree.parent(node as u32).map_or(node, |parent| parent as usize);
        let (mut heights, mut rows) = (vec![0_u32; count], vec![0; count]);
        leaf_of_value.iter().zip(original).for_each(|(leaf, of_value)| rows[*leaf] += of_value);
        // Parents come before their children in preorder, so backwards every node is final when it is passed up.
        for node in (1..count).rev() {
            heights[parent(node)] = heights[parent(node)].max(heights[node] + 1);
            rows[parent(node)] += rows[node];
        }
        let node = |node: usize| TreeNode {
            parent: parent(node),
            length: heights[parent(node)] - heights[node],
            original: rows[node],
        };
        let nodes = (0..count).map(node).collect();
        Ok(Self { leaf_of_value, nodes, paths: owned_paths(tree), height: heights[0].max(1) })
    }

    /// The rows of a class below each node.
    fn rows_below(&self, class: &ClassView<'_>, place: usize) -> Vec<u64> {
        let mut rows = vec![0; self.nodes.len()];
        for cell in class.cells {
            rows[self.leaf_of_value[class.payloads.value(cell.payload, place) as usize]] +=
                u64::from(cell.rows);
        }
        for node in (1..rows.len()).rev() {
            rows[self.nodes[node].parent] += rows[node];
        }
        rows
    }
}

impl TCloseness {
    /// The distance of a class to the original as a fraction (numerator, denominator).
    fn distance(&self, class: &ClassView<'_>) -> (u128, u128) {
        let distance = match &self.distance {
            Distance::Hierarchical(tree) => self.hierarchical(tree, class),
            Distance::Equal => self.equal(class.size, &self.tally(class)),
            Distance::Ordered => self.ordered(class.size, &self.tally(class)),
        };
        (distance, self.scale() * u128::from(class.size) * u128::from(self.rows))
    }

    /// What distances are multiplied with, besides both sizes, to be whole numbers.
    fn scale(&self) -> u128 {
        match &self.distance {
            Distance::Equal => 2,
            Distance::Ordered => (self.original.len() as u128).saturating_sub(1).max(1),
            // Half the way between two leaves is the height at which they meet.
            Distance::Hierarchical(tree) => 2 * u128::from(tree.height),
        }
    }

    fn tally(&self, class: &ClassView<'_>) -> Vec<(u32, u64)> {
        let mut tally = Vec::new();
        class.tally(self.place, &mut tally);
        tally
    }

    /// How much one row can add to the distance of a class at most, in a linear function that is the distance for this class
    /// and at most the distance for any other; times the scale and the original rows.
    fn most_of_a_row(&self, class: &ClassView<'_>) -> i128 {
        let rows = i128::from(self.rows);
        match &self.distance {
            // A row of a value that is too frequent adds 1 minus the original share of such values.
            Distance::Equal => {
                let frequent = |(value, count): &&(u32, u64)| {
                    u128::from(*count) * u128::from(self.rows)
                        > u128::from(self.original[*value as usize]) * u128::from(class.size)
                };
                let of_value = |(value, _): &(u32, u64)| i128::from(self.original[*value as usize]);
                2 * (rows - self.tally(class).iter().filter(frequent).map(of_value).sum::<i128>())
            }
            // No row is further from the original than one with the first or the last value.
            Distance::Ordered => {
                let values = self.original.len();
                let last = self.sums[values] - rows;
                last.max(rows * values as i128 - self.sums[values])
            }
            // Every edge adds its length on the side that has too many rows, and takes it away on the other.
            Distance::Hierarchical(tree) => {
                let counts = tree.rows_below(class, self.place);
                let mut potential = vec![0_i128; tree.nodes.len()];
                let mut expected = 0;
                for (place, node) in tree.nodes.iter().enumerate().skip(1) {
                    let more = counts[place] * self.rows > node.original * class.size;
                    let length = if more { i128::from(node.length) } else { -i128::from(node.length) };
                    potential[place] = potential[node.parent] + length;
                    expected += length * i128::from(node.original);
                }
                let of_cell = |cell: &Cell| {
                    potential[tree.leaf_of_value[class.payloads.value(cell.payload, self.place) as usize]]
                };
                class.cells.iter().map(of_cell).max().unwrap_or(0) * rows - expected
            }
        }
    }

    /// Σ |c n − o s|. Values that are not in the class contribute o s each, and all o s together are n s.
    fn equal(&self, size: u64, tally: &[(u32, u64)]) -> u128 {
        let (size, rows) = (u128::from(size), u128::from(self.rows));
        let mut absent = size * rows;
        let mut moved = 0;
        for (value, count) in tally {
            let expected = u128::from(self.original[*value as usize]) * size;
            absent -= expected;
            moved += (u128::from(*count) * rows).abs_diff(expected);
        }
        moved + absent
    }

    /// Σ over values of |C n − O s|, C and O the counts up to the value. C only changes at values of the class; between two of
    /// them O grows, so the sign changes at most once and prefix sums give the rest: no step over values that are absent.
    fn ordered(&self, size: u64, tally: &[(u32, u64)]) -> u128 {
        let (size, rows) = (i128::from(size), i128::from(self.rows));
        let mut moved = 0_i128;
        let mut from = 0_usize;
        let mut counted = 0_i128;
        for (value, count) in
            tally.iter().map(|(value, count)| (*value as usize, *count)).chain([(self.original.len(), 0)])
        {
            let reached = counted * rows;
            // The values from..value have C = counted; up to `turn` O s is at most C n.
            let turn = from + self.up_to[from + 1..=value].partition_point(|up_to| up_to * size <= reached);
            let sum = |low: usize, high: usize| (self.sums[high] - self.sums[low]) * size;
            moved += reached * (turn - from) as i128 - sum(from, turn);
            moved += sum(turn, value) - reached * (value - turn) as i128;
            counted += i128::from(count);
            from = value;
        }
        moved.unsigned_abs()
    }

    /// Σ over edges of their length times |c n − o s|, c and o the rows below. It is the cost of the bottom-up matching of
    /// models.md 1.4: at a node, min(surplus, lack) is half of what its children have too much or too little together, less
    /// what it passes on.
    fn hierarchical(&self, tree: &Tree, class: &ClassView<'_>) -> u128 {
        let counts = tree.rows_below(class, self.place);
        // A table has fewer than 2^32 rows, so the products fit.
        let moved = |(node, count): (&TreeNode, &u64)| {
            u128::from(node.length) * u128::from((count * self.rows).abs_diff(node.original * class.size))
        };
        tree.nodes.iter().zip(&counts).skip(1).map(moved).sum()
    }
}

impl Model for TCloseness {
    fn name(&self) -> &'static str {
        ENTRY.name
    }
    fn title(&self) -> String {
        let distance = match self.distance {
            Distance::Equal => "equal",
            Distance::Ordered => "ordered",
            Distance::Hierarchical(_) => "hierarchical",
        };
        format!("{}-closeness of {} ({distance} distance)", self.t, self.column)
    }
    fn unit(&self) -> &'static str {
        "t"
    }
    fn words(&self) -> Words {
        let (t, column) = (number(self.t.to_f64()), &self.column);
        let meaning = format!(
            "Among the rows that fit a person, {column} is distributed almost as in the whole table: the distance is at most {t}, where 0 \
             is the same and 1 is as far as can be."
        );
        Words::new(format!("{t}-close for {column}")).meaning(meaning).limits(
            "Finding the row itself (that is what k-anonymity is for), and what can be concluded from the whole table's distribution.",
        )
    }
    fn claim(&self) -> Map<String, Value> {
        let mut claim = Map::from_iter([
            ("model".into(), ENTRY.name.into()),
            ("column".into(), self.column.clone().into()),
            ("t".into(), self.t.to_string().into()),
        ]);
        let distance = match &self.distance {
            Distance::Equal => "equal",
            Distance::Ordered => {
                claim.insert("order".into(), self.values.clone().into());
                "ordered"
            }
            Distance::Hierarchical(tree) => {
                let paths = tree.paths.iter().map(|(leaf, above)| {
                    Value::from(std::iter::once(leaf).chain(above).cloned().collect::<Vec<_>>())
                });
                claim.insert("tree".into(), paths.collect());
                "hierarchical"
            }
        };
        claim.insert("distance".into(), distance.into());
        claim
    }
    fn required(&self) -> f64 {
        self.t.to_f64()
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
        Monotonicity { merging: true, dropping: true, upward: false }
    }
    fn check_feasible(&self, _: &ClassView<'_>) -> Result<()> {
        // The whole table is at distance 0 from itself.
        Ok(())
    }
}

impl ClassTest for TCloseness {
    fn passes(&self, class: &ClassView<'_>) -> bool {
        let (distance, whole) = self.distance(class);
        // distance / whole <= t, by cross multiplication: whole is at most rows², far from overflowing 128 bits with a
        // denominator of 64 bits only for tables that no machine holds, and then the test fails closed.
        let (numerator, denominator) = (u128::from(self.t.numerator()), u128::from(self.t.denominator()));
        match (distance.checked_mul(denominator), whole.checked_mul(numerator)) {
            (Some(distance), Some(limit)) => distance <= limit,
            _ => (distance as f64 / whole as f64) < self.t.to_f64() * (1.0 - 1e-9),
        }
    }
    /// Passing classes make a passing one when merged, so at least as many rows fail as must go for the others to pass. The
    /// distance is the largest of many linear functions; by the one that is largest for this class, a row takes at most
    /// `most_of_a_row` of the excess away when it goes.
    fn failing_part(&self, class: &ClassView<'_>) -> u64 {
        let (distance, whole) = self.distance(class);
        let (t, of) = (i128::from(self.t.numerator()), i128::from(self.t.denominator()));
        let signed = |number: u128| i128::try_from(number).ok();
        let excess = |figure: i128, scale: i128| figure.checked_mul(of)?.checked_sub(scale.checked_mul(t)?);
        let part = || {
            let too_far = excess(signed(distance)?, signed(whole)?)?;
            let scale = signed(self.scale() * u128::from(self.rows))?;
            let by_a_row = excess(self.most_of_a_row(class), scale)?;
            let rows = (by_a_row > 0).then(|| (too_far + by_a_row - 1) / by_a_row)?;
            u64::try_from(rows).ok()
        };
        part().unwrap_or(1).clamp(1, class.size.max(1))
    }
    fn attained(&self, class: &ClassView<'_>) -> f64 {
        let (distance, whole) = self.distance(class);
        distance as f64 / whole as f64
    }
}
