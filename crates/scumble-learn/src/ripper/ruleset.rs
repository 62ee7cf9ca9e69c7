//! The rules for one class against all classes that are left: built one after another, then optimised.

use super::Ripper;
use super::data::{Data, RuleSearch};
use super::grow::{self, Worth};
use super::length::{self, Coverage};
use super::rule::Rule;
use crate::learner::GoesOn;
use crate::random::Random;
use crate::table::Table;

/// Building stops when the description is this many bits longer than the shortest so far.
const SURPLUS: f64 = 64.0;

/// The weight that a rule covers and no earlier rule does, and the part of it that is of the class.
#[derive(Debug, Clone, Copy)]
struct Hits {
    covered: f64,
    positive: f64,
}

/// The task of separating one class from the rest.
pub(super) struct OneClass<'a> {
    learner: &'a Ripper,
    table: &'a Table,
    search: &'a RuleSearch<'a>,
    /// All classes, rarest first: the order in which rows are held out.
    order: &'a [u32],
    class: u32,
    /// The expected share of false positives among errors.
    expected: f64,
    possible_conditions: f64,
    data: &'a Data,
    /// Whether to go on; if not, the rules so far are returned, and the caller drops them.
    goes_on: &'a GoesOn<'a>,
    /// The weight of all rows, and of those of the class.
    all: Hits,
}

impl<'a> OneClass<'a> {
    #[expect(clippy::too_many_arguments, reason = "what one class is told from, each with a name of its own")]
    pub(super) fn new(
        learner: &'a Ripper,
        table: &'a Table,
        search: &'a RuleSearch<'a>,
        order: &'a [u32],
        class: u32,
        expected: f64,
        data: &'a Data,
        goes_on: &'a GoesOn<'a>,
    ) -> Self {
        let all = Hits { covered: data.weight(), positive: data.of_class(table, class) };
        let possible_conditions = search.possible_conditions();
        Self { learner, table, search, order, class, expected, possible_conditions, data, goes_on, all }
    }

    /// The rules, in order.
    pub(super) fn learn(&self, random: &mut Random) -> Vec<Rule> {
        let mut rules = Vec::new();
        self.extend(&mut rules, &mut Vec::new(), self.data.clone(), random);
        for _ in 0..self.learner.optimizations {
            rules = self.optimise(rules, random);
        }
        rules
    }

    /// Adds rules for what is not covered until none pays. `hits` are those of the rules so far, `rest` what these rules leave.
    fn extend(&self, rules: &mut Vec<Rule>, hits: &mut Vec<Hits>, mut rest: Data, random: &mut Random) {
        // Lengths start at the description without any rule. Rules that were optimised are not counted again.
        let mut length = self.data_length(&[]);
        let mut shortest = length;
        while rest.of_class(self.table, self.class) > 0.0 && (self.goes_on)() {
            let (growing, pruning) = self.hold_out(&rest, random);
            let mut rule = self.grown(Vec::new(), growing);
            grow::prune(&mut rule, self.table, &pruning, Worth::Precision);
            let (found, left) = self.hit(&rule, &rest);
            length +=
                length::theory(rule.conditions.len(), self.possible_conditions) - self.data_length(hits);
            hits.push(found);
            length += self.data_length(hits);
            let too_long = length > shortest + SURPLUS;
            if too_long || found.positive <= 0.0 || 2.0 * (found.covered - found.positive) >= found.covered {
                hits.pop();
                return;
            }
            rules.push(rule);
            shortest = shortest.min(length);
            rest = left;
        }
    }

    /// Does one round: compares each rule with a replacement and a revision, adds rules for what is left, and removes rules that
    /// only lengthen the description.
    fn optimise(&self, mut rules: Vec<Rule>, random: &mut Random) -> Vec<Rule> {
        let mut rest = self.data.clone();
        let mut hits: Vec<Hits> = Vec::new();
        let count = rules.len();
        for place in 0..count {
            if !(self.goes_on)() {
                return rules;
            }
            let (found, _) = self.hit(&rules[place], &rest);
            let positives_left = rest.of_class(self.table, self.class) > 0.0;
            if found.covered > 0.0 && positives_left {
                rules[place] = self.best_variant(&rules, place, &hits, &rest, random);
            }
            let (found, left) = self.hit(&rules[place], &rest);
            hits.push(found);
            rest = left;
        }
        self.extend(&mut rules, &mut hits, rest, random);
        self.reduce(rules)
    }

    /// Returns the rule at a position, its replacement or its revision, whichever gives the shortest description. In a tie the
    /// old rule wins, then the revision.
    fn best_variant(
        &self,
        rules: &[Rule],
        place: usize,
        hits: &[Hits],
        rest: &Data,
        random: &mut Random,
    ) -> Rule {
        let (growing, mut pruning) = self.hold_out(rest, random);
        let later = &rules[place + 1..];
        let features = self.table.features();
        pruning.rows.retain(|(row, _)| !later.iter().any(|rule| rule.covers(features, *row as usize)));

        let old = &rules[place];
        let (covered, _) = growing.split(self.table, old);
        let mut revision = self.grown(old.conditions.clone(), covered);
        grow::prune(&mut revision, self.table, &pruning, Worth::Accuracy);
        let mut replacement = self.grown(Vec::new(), growing);
        grow::prune(&mut replacement, self.table, &pruning, Worth::Accuracy);

        let mut best = old.clone();
        let mut shortest = self.relative_length(&best, later, hits, rest);
        for variant in [revision, replacement] {
            let length = self.relative_length(&variant, later, hits, rest);
            if length < shortest {
                shortest = length;
                best = variant;
            }
        }
        best
    }

    /// How much a rule lengthens the description. Later rules that no longer pay are left out, with the rule and without it.
    fn relative_length(&self, rule: &Rule, later: &[Rule], before: &[Hits], rest: &Data) -> f64 {
        let least = |with: Option<&Rule>| {
            let mut hits = before.to_vec();
            let mut rest = rest.clone();
            for rule in with.into_iter().chain(later) {
                if !(self.goes_on)() {
                    return 0.0;
                }
                let (found, left) = self.hit(rule, &rest);
                hits.push(found);
                rest = left;
            }
            let mut coverage = self.coverage(&hits);
            let saved: f64 = later
                .iter()
                .zip(&hits[hits.len() - later.len()..])
                .filter_map(|(rule, hits)| self.delete_if_it_saves(&mut coverage, rule, *hits))
                .sum();
            length::data(self.expected, &coverage) - saved
        };
        least(Some(rule)) + self.theory(rule) - least(None)
    }

    /// Drops rules, from the last to the first, if the description does not become longer.
    fn reduce(&self, mut rules: Vec<Rule>) -> Vec<Rule> {
        let mut hits = self.count(&rules);
        let mut coverage = self.coverage(&hits);
        for place in (0..rules.len()).rev() {
            if !(self.goes_on)() {
                return rules;
            }
            if self.delete_if_it_saves(&mut coverage, &rules[place], hits[place]).is_some() {
                rules.remove(place);
                hits = self.count(&rules);
            }
        }
        rules
    }

    /// Takes a rule out of the coverage if the description does not become longer, or if the rule is wrong for half of what it
    /// covers. Returns the bits saved.
    fn delete_if_it_saves(&self, coverage: &mut Coverage, rule: &Rule, hits: Hits) -> Option<f64> {
        let wrong = hits.covered - hits.positive;
        let without = Coverage {
            covered: coverage.covered - hits.covered,
            uncovered: coverage.uncovered + hits.covered,
            false_positive: coverage.false_positive - wrong,
            false_negative: coverage.false_negative + hits.positive,
        };
        let saved =
            length::data(self.expected, coverage) + self.theory(rule) - length::data(self.expected, &without);
        let errs = hits.covered > 0.0 && 2.0 * wrong >= hits.covered;
        (saved >= 0.0 || errs).then(|| {
            *coverage = without;
            saved
        })
    }

    fn count(&self, rules: &[Rule]) -> Vec<Hits> {
        let mut rest = self.data.clone();
        let mut count = |rule: &Rule| {
            if !(self.goes_on)() {
                return Hits { covered: 0.0, positive: 0.0 };
            }
            let (found, left) = self.hit(rule, &rest);
            rest = left;
            found
        };
        rules.iter().map(&mut count).collect()
    }

    fn hit(&self, rule: &Rule, rest: &Data) -> (Hits, Data) {
        let (covered, left) = rest.split(self.table, rule);
        (Hits { covered: covered.weight(), positive: covered.of_class(self.table, self.class) }, left)
    }

    fn coverage(&self, hits: &[Hits]) -> Coverage {
        let covered: f64 = hits.iter().map(|hits| hits.covered).sum();
        let positive: f64 = hits.iter().map(|hits| hits.positive).sum();
        Coverage {
            covered,
            uncovered: self.all.covered - covered,
            false_positive: covered - positive,
            false_negative: self.all.positive - positive,
        }
    }

    fn data_length(&self, hits: &[Hits]) -> f64 {
        length::data(self.expected, &self.coverage(hits))
    }

    fn theory(&self, rule: &Rule) -> f64 {
        length::theory(rule.conditions.len(), self.possible_conditions)
    }

    fn hold_out(&self, data: &Data, random: &mut Random) -> (Data, Data) {
        data.hold_out(self.table, self.order, self.learner.folds, random)
    }

    fn grown(&self, conditions: Vec<super::Condition>, data: Data) -> Rule {
        let mut rule = Rule { class: self.class, conditions };
        grow::grow(&mut rule, self.table, self.search, data, self.learner.min_weight, self.goes_on);
        rule
    }
}
