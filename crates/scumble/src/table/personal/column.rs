//! What the texts of a column are, taken together: for a first guess, and for the last look before a release is named.

use super::{Evidence, Kind, Kinds, contact, inside, kinds_of_named};

/// The most distinct texts that a guess reads; evenly spaced over the sorted ones.
const MOST: usize = 2_000;
/// The fewest distinct texts from which right check digits are no chance, unless the column's name says what they are. Sixteen of twenty
/// random numbers pass Luhn in one of 3 · 10¹² columns.
const FEWEST: usize = 20;
/// A kind fits a column if it fits at least this share of the texts: the first number of the second.
const SHARE: (usize, usize) = (4, 5);
/// Most and almost all of the texts, as shares: the first number of the second.
const ALMOST_ALL: (usize, usize) = (19, 20);
/// How many row numbers are named for each kind.
const ROWS: usize = 5;
/// Up to one value in this many may be of a kind that is looked for, by chance or by mistake: half a percent.
const ONE_OF: u64 = 200;

/// Some of a column's distinct texts, without blanks around them: all if they are few.
#[derive(Debug, Clone)]
pub struct Sample<'a> {
    texts: Vec<&'a str>,
    /// How many rows have each text.
    rows: Vec<u64>,
    all: bool,
}

impl<'a> Sample<'a> {
    /// A sample of distinct texts, each with the number of its rows. The same texts in the same order give the same sample.
    #[must_use]
    pub fn of(values: &[&'a str], counts: &[u64]) -> Self {
        let step = values.len().div_ceil(MOST).max(1);
        Self {
            texts: values.iter().step_by(step).map(|value| value.trim()).collect(),
            rows: counts.iter().step_by(step).copied().collect(),
            all: step == 1,
        }
    }

    /// Its texts.
    #[must_use]
    pub fn texts(&self) -> &[&'a str] {
        &self.texts
    }

    /// How many texts fit, and how many rows have one of these.
    #[must_use]
    pub fn fitting(&self, fits: impl Fn(&str) -> bool) -> (u64, u64) {
        let fitting = self.texts.iter().zip(&self.rows).filter(|(text, _)| fits(text));
        fitting.fold((0, 0), |(texts, all), (_, rows)| (texts + 1, all + rows))
    }

    /// Whether at least this share of the texts fits: the first number of the second. No text fits nothing.
    #[must_use]
    pub fn at_least(&self, (parts, of): (usize, usize), fits: impl Fn(&str) -> bool) -> bool {
        let fitting = self.texts.iter().filter(|text| fits(text)).count();
        !self.texts.is_empty() && of * fitting >= parts * self.texts.len()
    }
}

/// How many of a column's values are of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HowMany {
    /// Four of five at least.
    Most,
    /// Nineteen of twenty at least, or all of those that were examined.
    AlmostAll,
    /// Every value.
    All,
}

/// The kinds that a column's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InColumn {
    /// All that fit. Of numbers with check digits several may, and only one of them can be meant.
    pub kinds: Kinds,
    /// How many values each of them fits at least.
    pub how_many: HowMany,
}

/// What the values of a column are, for a guess. `named` are the kinds that the column's name suggests.
///
/// At least four of five distinct texts fit. Where check digits or a date are all the evidence, there must be twenty texts, or the name must
/// agree.
#[must_use]
pub fn kinds_in(sample: &Sample<'_>, named: Kinds) -> InColumn {
    let looked = sample.texts.len();
    let mut hits = [0_usize; Kind::ALL.len()];
    for text in &sample.texts {
        kinds_of_named(text, named).iter().for_each(|kind| hits[kind as usize] += 1);
    }
    let share = |kind: Kind, (parts, of): (usize, usize)| of * hits[kind as usize] >= parts * looked;
    let enough = |kind: Kind| {
        looked >= FEWEST || kind.three_suffice() || kind.evidence() == Evidence::Shape || named.has(kind)
    };
    let fits = |kind: &Kind| hits[*kind as usize] > 0 && share(*kind, SHARE) && enough(*kind);
    let mut kinds: Kinds = Kind::ALL.iter().copied().filter(fits).collect();
    // What is set in groups looks like a phone number. Right check digits say better what it is.
    if kinds.iter().any(|kind| kind.evidence() == Evidence::CheckDigits) {
        kinds.remove(Kind::Phone);
    }
    let how_many = |kind: Kind| match hits[kind as usize] {
        hit if hit == looked && sample.all => HowMany::All,
        _ if share(kind, ALMOST_ALL) => HowMany::AlmostAll,
        _ => HowMany::Most,
    };
    InColumn { kinds, how_many: kinds.iter().map(how_many).min().unwrap_or(HowMany::Most) }
}

/// What was found of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hits {
    /// The kind.
    pub kind: Kind,
    /// How many distinct values are of it.
    pub values: u64,
    /// The first rows that have such values, ascending: at most five.
    pub rows: Vec<u64>,
}

/// What the last test of a column found. It holds counts and row numbers, never a value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Gate {
    /// How many distinct values were examined.
    pub values: u64,
    /// How many of them are of some kind that is looked for and not accepted.
    pub values_hit: u64,
    /// What was found, in the order of [`Kind`].
    pub hits: Vec<Hits>,
    /// The kinds that are accepted. They are counted and stop nothing.
    pub accepted: Kinds,
}

impl Gate {
    /// Whether the column must not be released without consent: more than half a percent of its values are of kinds that are looked for,
    /// or three values are payment card numbers, IBANs or e-mail addresses.
    #[must_use]
    pub fn refuses(&self) -> bool {
        let three = |hits: &&Hits| hits.kind.three_suffice() && !self.accepted.has(hits.kind);
        let three = self.hits.iter().filter(three).map(|hits| hits.values).sum::<u64>();
        three >= 3 || u128::from(self.values_hit) * u128::from(ONE_OF) > u128::from(self.values)
    }

    fn add(&mut self, kind: Kind, row: u64) {
        let place = self.hits.partition_point(|hits| hits.kind < kind);
        if self.hits.get(place).is_none_or(|hits| hits.kind != kind) {
            self.hits.insert(place, Hits { kind, values: 0, rows: Vec::with_capacity(ROWS + 1) });
        }
        let hits = &mut self.hits[place];
        hits.values += 1;
        add_row(row, &mut hits.rows);
    }
}

/// Adds a row number to the first ones, ascending: at most five.
pub fn add_row(row: u64, rows: &mut Vec<u64>) {
    let before = rows.partition_point(|other| *other < row);
    if rows.get(before) != Some(&row) {
        rows.insert(before, row);
        rows.truncate(ROWS);
    }
}

/// Whether a text shows nothing: each of its letters and digits is the same sign, as a mask leaves them (`xxxx@xxxx.xxx`).
fn is_masked(text: &str) -> bool {
    let mut signs = text.chars().filter(|sign| sign.is_alphanumeric());
    let first = signs.next();
    signs.all(|sign| Some(sign) == first)
}

/// Looks for kinds that are not to be released ([`Kind::is_gated`]) among the distinct texts of a column, each given with the number of the
/// first row that has it. `named` are the kinds that the column's name suggests.
///
/// It is stricter than a guess in two ways. An e-mail address, an IBAN, a card and a marked phone number count wherever they stand in a text.
/// And of phone numbers only those count that are marked as such, since any number in groups looks like one, unless the column's name suggests
/// phone numbers. Kinds that are `accepted` are counted and stop nothing.
pub fn gate<'a>(texts: impl IntoIterator<Item = (&'a str, u64)>, named: Kinds, accepted: Kinds) -> Gate {
    let mut gate = Gate { accepted, ..Gate::default() };
    for (text, row) in texts {
        gate.values += 1;
        let text = text.trim();
        if is_masked(text) {
            continue;
        }
        let mut kinds = kinds_of_named(text, named);
        if contact::holds_email(text) {
            kinds.add(Kind::Email);
        }
        if kinds.has(Kind::Phone) && !named.has(Kind::Phone) && !contact::is_marked_phone(text) {
            kinds.remove(Kind::Phone);
        }
        inside::kinds_inside(text).iter().for_each(|kind| kinds.add(kind));
        let mut hit = false;
        for kind in kinds.iter().filter(|kind| kind.is_gated()) {
            gate.add(kind, row);
            hit |= !accepted.has(kind);
        }
        gate.values_hit += u64::from(hit);
    }
    gate
}

#[cfg(test)]
mod tests {
    use super::super::tests::random_digits;
    use super::*;

    fn found(texts: &[String], named: &[Kind]) -> (Vec<Kind>, HowMany) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let found = kinds_in(&Sample::of(&texts, &vec![1; texts.len()]), named.iter().copied().collect());
        (found.kinds.iter().collect(), found.how_many)
    }

    /// Numbers of nine digits with the check digit of Luhn.
    fn luhn(count: u32) -> Vec<String> {
        let number = |of: u32| {
            let text = |check: u32| format!("{}", (10_000_019 + of * 7_919) * 10 + check);
            (0..10).map(text).find(|text| super::super::kinds_of(text).has(Kind::CaSin))
        };
        (0..count).filter_map(number).collect()
    }

    #[test]
    fn enough_values_or_the_name_must_agree() {
        assert_eq!(found(&luhn(20), &[]), (vec![Kind::CaSin], HowMany::All));
        assert_eq!(found(&luhn(19), &[]).0, []);
        assert_eq!(found(&luhn(3), &[Kind::CaSin]).0, [Kind::CaSin]);
        assert_eq!(found(&luhn(3), &[Kind::NlBsn]).0, []);
        let two = ["a@b.org".to_owned(), "c@d.org".to_owned()];
        assert_eq!(found(&two, &[]), (vec![Kind::Email], HowMany::All));
        assert_eq!(found(&[], &[Kind::Email]).0, []);
    }

    #[test]
    fn four_of_five_must_fit() {
        let with_words = |words: usize| {
            let mut texts = luhn(80);
            texts.extend((0..words).map(|word| format!("unknown {word}")));
            found(&texts, &[])
        };
        assert_eq!(with_words(4), (vec![Kind::CaSin], HowMany::AlmostAll));
        assert_eq!(with_words(20), (vec![Kind::CaSin], HowMany::Most));
        assert_eq!(with_words(21).0, []);
    }

    #[test]
    fn a_large_column_is_sampled() {
        let (kinds, how_many) = found(&luhn(5_000), &[]);
        assert_eq!((kinds, how_many), (vec![Kind::CaSin], HowMany::AlmostAll));
        let texts = vec!["x"; 4_001];
        assert_eq!(Sample::of(&texts, &vec![1; texts.len()]).texts().len(), 1_334);
        assert!(!Sample::of(&[], &[]).at_least((0, 1), |_| true));
    }

    #[test]
    fn random_numbers_are_nothing() {
        for length in 7..=20 {
            let texts: Vec<String> = random_digits(length).take(500).collect();
            let (kinds, _) = found(&texts, &[]);
            assert!(kinds.is_empty(), "{length}: {kinds:?}");
        }
    }

    #[test]
    fn check_digits_outweigh_the_shape_of_a_phone_number() {
        let spaced: Vec<String> =
            luhn(30).iter().map(|of| format!("{} {} {}", &of[..3], &of[3..5], &of[5..])).collect();
        assert_eq!(found(&spaced, &[]).0, [Kind::CaSin]);
    }

    fn rows<'a>(texts: &'a [&'a str]) -> impl Iterator<Item = (&'a str, u64)> {
        texts.iter().zip(1..).map(|(text, row)| (*text, row))
    }

    #[test]
    fn the_gate_tells_kinds_counts_and_rows() {
        let texts =
            ["a@b.org", "red", "DE89370400440532013000", "Anna <c@d.org>", "536-90-4399", "192.0.2.1"];
        let gate = gate(rows(&texts), Kinds::NONE, Kinds::NONE);
        assert_eq!((gate.values, gate.values_hit), (6, 4));
        assert_eq!(
            gate.hits,
            [
                Hits { kind: Kind::Iban, values: 1, rows: vec![3] },
                Hits { kind: Kind::Email, values: 2, rows: vec![1, 4] },
                Hits { kind: Kind::UsSsn, values: 1, rows: vec![5] },
            ]
        );
        assert!(gate.refuses());
        assert_eq!(super::gate([], Kinds::NONE, Kinds::NONE), Gate::default());
        assert!(!Gate::default().refuses());
    }

    #[test]
    fn half_a_percent_is_borne_and_no_more() {
        let column = |values: u64, phones: u64| {
            let texts: Vec<String> = (0..values)
                .map(|row| if row < phones { format!("+49 30 555{row:04}") } else { format!("value {row}") })
                .collect();
            gate(texts.iter().map(String::as_str).zip(1..), Kinds::NONE, Kinds::NONE)
        };
        assert!(!column(400, 2).refuses());
        assert!(column(399, 2).refuses());
        assert!(column(400, 3).refuses());
        assert!(!column(400, 0).refuses());
        assert_eq!(column(2_000, 9).hits[0].rows, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn accepted_kinds_are_counted_and_stop_nothing() {
        let mails = ["a@b.org", "c@d.org", "e@f.org"];
        let accepted = Kinds::from_iter([Kind::Email]);
        let of_mails = gate(rows(&mails), Kinds::NONE, accepted);
        assert_eq!((of_mails.values_hit, of_mails.hits[0].values), (0, 3));
        assert!(!of_mails.refuses());
        let with_phone = ["a@b.org", "c@d.org", "+49 30 5550000"];
        assert!(gate(rows(&with_phone), Kinds::NONE, accepted).refuses(), "another kind");
    }

    #[test]
    fn a_phone_number_counts_where_it_is_marked_or_the_name_agrees() {
        let texts = ["555-123-4567"];
        assert!(!gate(rows(&texts), Kinds::NONE, Kinds::NONE).refuses());
        assert!(gate(rows(&texts), Kinds::from_iter([Kind::Phone]), Kinds::NONE).refuses());
    }

    #[test]
    fn three_addresses_suffice_in_any_column() {
        let column = |mails: u64| {
            let texts: Vec<String> = (0..100_000_u64)
                .map(|row| if row < mails { format!("p{row}@mail.example") } else { format!("value {row}") })
                .collect();
            gate(texts.iter().rev().map(String::as_str).zip((1..=100_000).rev()), Kinds::NONE, Kinds::NONE)
        };
        assert!(!column(2).refuses());
        let gate = column(3);
        assert!(gate.refuses());
        assert_eq!(gate.hits, [Hits { kind: Kind::Email, values: 3, rows: vec![1, 2, 3] }]);
    }

    #[test]
    fn the_gate_leaves_ordinary_columns_alone() {
        let texts: Vec<String> = (0..3_000_u64)
            .flat_map(|row| {
                [
                    format!("{row}"),
                    format!("2024-{:02}-{:02}", 1 + row % 12, 1 + row % 28),
                    format!("2024-01-{:02} 10:{:02}", 1 + row % 28, row % 60),
                    format!("{}", 1_700_000_000_000 + row * 977),
                    format!("0.{:016}", row * 999_331),
                    format!("4.{:015}", row * 7_777_777_777),
                    format!("-{}.5", 1_000_000 + row),
                    format!("{}", 100_000_000 + row * 7_919),
                    format!("12-345-{row:03}"),
                    format!("4{}.123456 11.1{row:05}", row % 10),
                    format!("{:05}-{:04}", row, row),
                    format!("v1.{}.{}", row % 7, row),
                    format!("1.{:03}.{:03}", row % 1_000, row / 3 % 1_000),
                ]
            })
            .collect();
        let gate = gate(texts.iter().map(String::as_str).zip(1..), Kinds::NONE, Kinds::NONE);
        assert_eq!(gate.hits, []);
    }

    #[test]
    fn a_name_tells_what_nine_digits_are() {
        let texts = ["536904399", "536904398"];
        assert!(!gate(rows(&texts), Kinds::NONE, Kinds::NONE).refuses());
        assert!(gate(rows(&texts), Kinds::from_iter([Kind::UsSsn]), Kinds::NONE).refuses());
    }
}
