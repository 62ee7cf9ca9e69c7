//! What algorithms need, support and promise, as data: one struct for each kind of algorithm. The structs are made from an algorithm's
//! parameters, because these may make a difference.

use super::Linkage;
use super::tables::Target;
use crate::config::Rational;

/// The classes in which a finer label would have had to meet the requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only the class itself: every class is coarsened separately.
    Class,
    /// Every class that shows the same label: a label is refined for all rows.
    Label,
    /// All classes: a column has one level.
    Column,
}

/// How fine the labels are certain to be, for somebody who knows the algorithm. Simulated attacks build on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fineness {
    /// Labels are not guaranteed to be as fine as possible.
    Unpromised,
    /// A label is the finest that holds for all rows of its class.
    TrueOfClass,
    /// The same. In addition, where only sizes are asked for, no column can cut a class into classes that are large enough.
    Uncuttable {
        /// Whether a cut is not made if one child of a node would be too small.
        refuses_small_children: bool,
    },
    /// Making a label one step finer, in all classes of the reach, would break the requirements.
    OneStep,
    /// The same, or the finer label would say nothing about the class column.
    OneTellingStep,
}

/// What a search needs, supports and promises, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Whether every quasi-identifier must have levels.
    pub needs_trees: bool,
    /// Whether it does not support a table without a class column.
    pub needs_class: bool,
    /// Whether the algorithm is worth trying for what it keeps for machine-learning models, whatever it loses otherwise.
    pub is_for_learners: bool,
    /// The classes in which a finer label would have had to meet the requirements.
    pub reach: Reach,
    /// How fine the labels are certain to be.
    pub fineness: Fineness,
    /// Whether the sensitive values of single classes decide how coarse a label is. A coarse label may then reveal them.
    pub is_led_by_sensitive: bool,
    /// Whether a run without any model makes no sense.
    pub needs_model: bool,
    /// The suppression limit where the user gives none.
    pub default_suppression: Rational,
    /// Whether no run suppresses a row.
    pub never_suppresses: bool,
    /// The metric that is minimised where the user names none.
    pub default_metric: &'static str,
    /// Whether the search minimises that metric. Others decide by something of their own, and a metric only measures what they find.
    pub minimises_metric: bool,
    /// Whether the search can stop after a number of steps with the best it has found.
    pub takes_steps: bool,
    /// Whether the search is among the quickest: it goes through the rows only a few times, however many values and columns there are.
    pub is_quick: bool,
    /// Whether it supports models that apply to only some of the quasi-identifiers.
    pub serves_projections: bool,
    /// Whether models that compare classes with the people of a population are supported.
    pub serves_population: bool,
    /// Whether it supports models that may break when classes that meet them are merged. Every published class must then have been
    /// checked exactly as it is published.
    pub serves_unmergeable: bool,
    /// Whether it supports models that apply to the whole table and cannot be checked class by class.
    pub serves_whole_tables: bool,
    /// Whether quasi-identifiers show the means of their classes, which cover no original value.
    pub shows_means: bool,
}

impl Capabilities {
    /// The values that most searches share.
    pub const USUAL: Self = Self {
        needs_trees: false,
        needs_class: false,
        is_for_learners: false,
        reach: Reach::Class,
        fineness: Fineness::Unpromised,
        is_led_by_sensitive: true,
        needs_model: true,
        default_suppression: Rational::TWENTIETH,
        never_suppresses: false,
        default_metric: "loss",
        minimises_metric: false,
        takes_steps: false,
        is_quick: false,
        serves_projections: false,
        serves_population: false,
        serves_unmergeable: false,
        serves_whole_tables: false,
        shows_means: false,
    };
}

/// How quasi-identifiers are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Labels {
    /// As they are.
    AsTheyAre,
    /// By values that are coarser.
    Coarser,
}

/// What a search for overlapping records does, as data. Such a search needs neither levels nor a class column, suppresses nothing, and
/// always runs to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecordCapabilities {
    /// What k refers to.
    pub linkage: Linkage,
    /// Whether a column is published as frequencies.
    pub shows_frequencies: bool,
    /// Whether the published rows are drawn from the records, so that none of them belongs to a person.
    pub draws_rows: bool,
    /// Whether records exchange the values of a column.
    pub exchanges: bool,
}

impl RecordCapabilities {
    /// Records that show every row's values unchanged.
    #[must_use]
    pub const fn of(linkage: Linkage) -> Self {
        Self { linkage, shows_frequencies: false, draws_rows: false, exchanges: false }
    }
}

/// What a search for several tables does, as data. Such a search needs no levels and suppresses nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TablesCapabilities {
    /// The column that the tables are about.
    pub target: Target,
    /// How columns are shown.
    pub labels: Labels,
    /// Whether the search can stop after a number of steps with the best it has found.
    pub takes_steps: bool,
}

impl Capabilities {
    /// The same in plain words, one sentence each.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![match self.shows_means {
            true => "Publishes groups of rows that show their means.".to_owned(),
            false => "Publishes groups of rows that show the same coarser values.".to_owned(),
        }];
        let mut say = |is: bool, sentence: &str| words.extend(is.then(|| sentence.to_owned()));
        say(self.reach == Reach::Column, "Every column has one level for all rows.");
        say(self.reach == Reach::Label, "A value is coarsened in the same way in all rows.");
        say(
            self.needs_trees,
            "Needs levels for every quasi-identifier; where no hierarchy is given, one is built.",
        );
        say(self.needs_class, "Needs a class column.");
        say(!self.needs_model, "Runs without any privacy model, too.");
        say(self.is_quick, "Is among the quickest.");
        say(
            self.takes_steps,
            "Can be stopped after a time or a number of steps with the best that it has found.",
        );
        say(
            self.serves_projections,
            "Can be used with LKC-privacy and other models of some of the quasi-identifiers.",
        );
        say(self.serves_population, "Can be used with models that compare groups with a population.");
        say(
            self.serves_unmergeable,
            "Can be used with personalised privacy and other models that a merge of two groups can break.",
        );
        say(self.serves_whole_tables, "Can be used with models of the whole table.");
        say(
            self.is_led_by_sensitive,
            "Sensitive values may decide how coarse a group is, which the attack 'minimality' builds on.",
        );
        say(
            self.fineness != Fineness::Unpromised,
            "Values are as fine as its method allows, which the attack 'downcoding' builds on.",
        );
        words.extend(self.minimises_metric.then(|| {
            format!("Minimises the metric {}, unless another is asked for (metric).", self.default_metric)
        }));
        let share = 100.0 * self.default_suppression.to_f64();
        words.push(match share {
            _ if self.never_suppresses => "Suppresses no row.".to_owned(),
            0.0 => "Suppresses no row unless a limit is given (suppression).".to_owned(),
            100.0 => "May suppress any number of rows, unless a limit is given (suppression).".to_owned(),
            share => format!(
                "May suppress {share:.0} % of the rows at most, unless another limit is given (suppression)."
            ),
        });
        words
    }
}

impl RecordCapabilities {
    /// The same in plain words, one sentence each.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let k = match self.linkage {
            Linkage::Covers => "k is about records: each covers k rows.",
            Linkage::Covered => "k is about rows: each is covered by k records.",
            Linkage::Both => {
                "k is about records and rows: each record covers k rows, and each row is covered by k records."
            }
            Linkage::Matches => "k is about rows: each has k records that may be its own.",
        };
        let mut words = vec!["Publishes records of coarser values that overlap and form no groups.", k];
        let mut say = |is: bool, sentence| words.extend(is.then_some(sentence));
        say(self.shows_frequencies, "The sensitive column is published as frequencies.");
        say(self.draws_rows, "What is published is drawn from the records, so no row of it is anybody's.");
        say(self.exchanges, "Records exchange the values of the sensitive column at random.");
        words.push("What records give away together is audited. Nothing is suppressed.");
        words.push("Serves neither persons with several rows nor models that compare with a population.");
        words.into_iter().map(str::to_owned).collect()
    }
}

impl TablesCapabilities {
    /// The same in plain words, one sentence each.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let mut words = vec![
            match self.labels {
                Labels::AsTheyAre => {
                    "Publishes several tables beside each other, with all values as they are."
                }
                Labels::Coarser => {
                    "Publishes several tables beside each other, with some of the columns each."
                }
            },
            match self.target {
                Target::Decision => "Needs a class column, or one sensitive column in its place.",
                Target::Sensitive => "Needs exactly one sensitive column.",
            },
        ];
        let mut say = |is: bool, sentence| words.extend(is.then_some(sentence));
        say(
            self.takes_steps,
            "Can be stopped after a time or a number of steps with the best that it has found.",
        );
        say(
            self.target == Target::Sensitive,
            "Sensitive values are told by group, which the attack 'definetti' builds on.",
        );
        words.push("Nothing is suppressed.");
        words.push("Serves neither persons with several rows nor models that compare with a population.");
        words.into_iter().map(str::to_owned).collect()
    }
}
