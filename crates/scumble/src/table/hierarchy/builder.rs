//! What users can ask for, and what is chosen when they ask for nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::alphabetic::{self, Order};
use super::bind::{Unlisted, bind};
use super::dates::{self, DateLevel, LifeStages};
use super::domain::{Built, Domain};
use super::listing::{Layout, Listing};
use super::moments::{self, TimeLevel, TimestampLevel};
use super::validate::idle_levels;
use super::{initials, intervals, labels, mdlp, merging, prefix};
use crate::error::{Error, Result};
use crate::table::kind::{Kind, Measure};

/// A way to make the hierarchy of a column, as written in the configuration: `build = "equal_width"`
/// and what belongs to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "build", rename_all = "snake_case", deny_unknown_fields)]
pub enum Builder {
    /// Intervals of equal width over the given or declared range, or with round edges without one.
    EqualWidth {
        /// How many intervals the finest level has; at most, where edges are rounded.
        bins: usize,
        /// How many neighbours are merged from level to level.
        #[serde(default = "two")]
        fanout: usize,
        /// The smallest value that can occur.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<Quantity>,
        /// The largest value that can occur.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<Quantity>,
    },
    /// Intervals that hold about equally many rows.
    EqualFrequency {
        /// How many intervals the finest level has, at most.
        bins: usize,
        /// How many neighbours are merged from level to level.
        #[serde(default = "two")]
        fanout: usize,
    },
    /// Intervals that separate the class labels (minimum description length); needs a class column.
    Mdlp {},
    /// Neighbours are merged level by level.
    OrderedMerging {
        /// How many are merged; without it the pairs with the fewest rows are, until half are left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fanout: Option<usize>,
    },
    /// Codes are masked from the end: `435*`, `43**`.
    Prefix {
        /// How many characters each level keeps, from fine to coarse; without it one less each.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lengths: Option<Vec<usize>>,
        /// The character that short codes are padded with on the left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pad: Option<char>,
    },
    /// Dates by calendar periods.
    Dates {
        /// The periods, from fine to coarse.
        #[serde(default = "month_year_decade")]
        levels: Vec<DateLevel>,
        /// A coarsest level by age on a day.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        life_stages: Option<LifeStages>,
    },
    /// Timestamps by periods, in UTC where they have a zone.
    Timestamps {
        /// The periods, from fine to coarse.
        #[serde(default = "hour_day_month_year")]
        levels: Vec<TimestampLevel>,
    },
    /// Times of day by hour and part of the day.
    Times {
        /// The periods, from fine to coarse.
        #[serde(default = "hour_part")]
        levels: Vec<TimeLevel>,
    },
    /// Texts by their first letters: `M…`, `M–O`, `M–R`, `M–Z`.
    Initials {},
    /// Values in order, five to a node; the groups of texts are named by numbers, which nobody can read.
    Alphabetic {
        /// What order.
        #[serde(default)]
        order: Order,
    },
    /// Intervals of the given widths.
    Widths {
        /// The widths from fine to coarse, each a multiple of the one before; days for dates.
        widths: Vec<Quantity>,
        /// Where counting starts; 0, or 1970-01-01 for dates, if not given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Quantity>,
    },
    /// Only the value and `*`.
    Flat {},
    /// A file with a line per leaf: `value;level 1;…;top`.
    File {
        /// Where it is.
        path: PathBuf,
        /// What to do with values that it does not list.
        #[serde(default)]
        unlisted: Unlisted,
    },
    /// A file with lines `child;parent`.
    ParentChild {
        /// Where it is.
        path: PathBuf,
        /// What to do with values that it does not list.
        #[serde(default)]
        unlisted: Unlisted,
    },
}

/// A number or date as users write it: `5`, `0.5`, `"2024-01-01"`, `"0,5"`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Quantity {
    /// A whole number.
    Whole(i64),
    /// A number with a fraction.
    Fraction(f64),
    /// Anything else, in the column's own format.
    Text(String),
}

impl Quantity {
    /// The integer of the column's measure.
    pub(super) fn number(&self, domain: &Domain) -> Result<i128> {
        self.number_in(domain.name, &domain.measure)
    }

    /// The integer of a measure.
    pub(super) fn number_in(&self, column: &str, measure: &Measure) -> Result<i128> {
        let text = match self {
            Self::Whole(number) => number.to_string(),
            Self::Fraction(number) if measure.kind.has_comma() => number.to_string().replace('.', ","),
            Self::Fraction(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        };
        measure.number(&text).filter(|number| measure.holds(*number, *number)).ok_or_else(|| {
            Error::config(format!(
                "'{text}' is not a value that the column can have (its type or precision differs)"
            ))
            .in_column(column)
        })
    }
}

fn two() -> usize {
    2
}

fn hour_day_month_year() -> Vec<TimestampLevel> {
    vec![TimestampLevel::Hour, TimestampLevel::Day, TimestampLevel::Month, TimestampLevel::Year]
}

fn hour_part() -> Vec<TimeLevel> {
    vec![TimeLevel::Hour, TimeLevel::PartOfDay]
}

fn month_year_decade() -> Vec<DateLevel> {
    vec![DateLevel::Month, DateLevel::Year, DateLevel::Decade]
}

impl Builder {
    /// The file that it reads, if it reads one.
    #[must_use]
    pub fn file(&self) -> Option<(&Path, Layout)> {
        match self {
            Self::File { path, .. } => Some((path, Layout::Leaves)),
            Self::ParentChild { path, .. } => Some((path, Layout::ParentChild)),
            _ => None,
        }
    }
}

/// A builder, with the tree that its file lists, if it needs one.
#[derive(Debug, Clone)]
pub struct Recipe {
    /// The builder.
    pub builder: Builder,
    /// What its file lists.
    pub listing: Option<Arc<Listing>>,
}

impl Recipe {
    /// A builder whose file, if it has one, is read now.
    pub fn load(builder: Builder) -> Result<Self> {
        let listing = builder.file().map(|(path, layout)| Listing::load(path, layout)).transpose()?;
        Ok(Self { listing: listing.map(Arc::new), builder })
    }
}

impl From<Builder> for Recipe {
    fn from(builder: Builder) -> Self {
        Self { builder, listing: None }
    }
}

/// The hierarchy of a column.
pub fn build(recipe: &Recipe, domain: &Domain) -> Result<Built> {
    domain.check()?;
    let listed = |unlisted: Unlisted| {
        let listing = recipe.listing.as_ref();
        bind(listing.ok_or_else(|| Error::internal("a hierarchy's file was not read"))?, domain, unlisted)
    };
    let mut built = match &recipe.builder {
        Builder::EqualWidth { bins, fanout, min, max } => {
            intervals::equal_width(domain, *bins, *fanout, min.as_ref(), max.as_ref())
        }
        Builder::EqualFrequency { bins, fanout } => intervals::equal_frequency(domain, *bins, *fanout),
        Builder::Mdlp {} => mdlp::build(domain),
        Builder::OrderedMerging { fanout } => merging::build(domain, *fanout),
        Builder::Prefix { lengths, pad } => prefix::build(domain, lengths.as_deref(), *pad),
        Builder::Dates { levels, life_stages } => dates::build(domain, levels, life_stages.as_ref()),
        Builder::Timestamps { levels } => moments::timestamps(domain, levels),
        Builder::Times { levels } => moments::times(domain, levels),
        Builder::Initials {} => initials::build(domain),
        Builder::Alphabetic { order } => alphabetic::build(domain, *order),
        Builder::Widths { widths, origin } => intervals::widths(domain, widths, origin.as_ref()),
        Builder::Flat {} => intervals::flat(domain),
        Builder::File { unlisted, .. } | Builder::ParentChild { unlisted, .. } => listed(*unlisted),
    }?;
    labels::check(&built.hierarchy, domain)?;
    built.notes.extend(idle_levels(&built.hierarchy, domain.name));
    Ok(built)
}

/// The most texts that are simply put under one root.
const FLAT_TEXTS: usize = 100;
/// Bins of the finest level: with halving, four levels of intervals.
const BINS: usize = 16;
/// The longest code that is masked character by character.
const LONGEST_CODE: usize = 16;

/// The builder for a column for which the user gave none.
#[must_use]
pub fn automatic(domain: &Domain) -> Builder {
    match domain.measure.kind {
        Kind::Integer | Kind::Decimal | Kind::DecimalComma | Kind::Wide { .. } => {
            Builder::EqualWidth { bins: BINS, fanout: 2, min: None, max: None }
        }
        Kind::Date(_) => Builder::Dates { levels: month_year_decade(), life_stages: None },
        Kind::Timestamp { .. } => Builder::Timestamps { levels: hour_day_month_year() },
        Kind::Time => Builder::Times { levels: hour_part() },
        Kind::Text if are_codes(domain.values) => Builder::Prefix { lengths: None, pad: None },
        Kind::Text if domain.values.len() <= FLAT_TEXTS => Builder::Flat {},
        Kind::Text if has_code_signs(domain.values) => {
            let longest = domain.values.iter().map(|code| code.len()).max().unwrap_or(0);
            Builder::Prefix { lengths: Some((1..longest).rev().collect()), pad: None }
        }
        Kind::Text if initials::fits(domain.values) => Builder::Initials {},
        // Nothing between a value and `*` could be read.
        Kind::Text => Builder::Flat {},
    }
}

/// Whether all texts look like codes of any length up to the longest: letters and digits, with a digit in each.
fn has_code_signs(values: &[&str]) -> bool {
    values.iter().any(|code| code.len() > 1)
        && values.iter().all(|code| {
            code.len() <= LONGEST_CODE
                && code.bytes().any(|byte| byte.is_ascii_digit())
                && code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -./".contains(&byte))
        })
}

/// Whether all texts look like codes of one length: letters and digits, with a digit in each.
fn are_codes(values: &[&str]) -> bool {
    let length = values.first().map_or(0, |code| code.len());
    (2..=LONGEST_CODE).contains(&length)
        && values.iter().all(|code| code.len() == length)
        && has_code_signs(values)
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, path};
    use super::*;
    use crate::table::date::DateFormat;

    #[test]
    fn builders_are_written_in_toml() {
        let parse = |text: &str| toml::from_str::<Builder>(text);
        assert_eq!(
            parse("build = 'equal_width'\nbins = 4\nmax = 0.5").unwrap(),
            Builder::EqualWidth { bins: 4, fanout: 2, min: None, max: Some(Quantity::Fraction(0.5)) }
        );
        assert_eq!(parse("build = 'flat'").unwrap(), Builder::Flat {});
        assert_eq!(parse("build = 'mdlp'").unwrap(), Builder::Mdlp {});
        assert_eq!(parse("build = 'ordered_merging'").unwrap(), Builder::OrderedMerging { fanout: None });
        assert_eq!(
            parse("build = 'prefix'\nlengths = [3, 1]").unwrap(),
            Builder::Prefix { lengths: Some(vec![3, 1]), pad: None }
        );
        assert_eq!(
            parse("build = 'dates'").unwrap(),
            Builder::Dates { levels: month_year_decade(), life_stages: None }
        );
        assert_eq!(
            parse(
                "build = 'dates'\nlevels = ['year']\nlife_stages = { reference = '2019-12-31', cuts = [18] }"
            )
            .unwrap(),
            Builder::Dates {
                levels: vec![DateLevel::Year],
                life_stages: Some(LifeStages { reference: "2019-12-31".into(), cuts: vec![18] })
            }
        );
        assert_eq!(
            parse("build = 'file'\npath = 'a.csv'\nunlisted = 'add_under_root'").unwrap(),
            Builder::File { path: "a.csv".into(), unlisted: Unlisted::AddUnderRoot }
        );
        assert!(parse("build = 'widths'\nwidths = [5, 10]\norigin = 1").is_ok());
        assert!(parse("build = 'flat'\nbins = 3").unwrap_err().to_string().contains("unknown field"));
        assert!(parse("build = 'prefix'\nlenghts = [3]").unwrap_err().to_string().contains("unknown field"));
        assert!(parse("build = 'nonsense'").is_err());
        for builder in [automatic(&domain(Kind::Integer, &[])), Builder::Mdlp {}] {
            assert_eq!(parse(&toml::to_string(&builder).unwrap()).unwrap(), builder);
        }
        let schema = serde_json::to_string(&schemars::schema_for!(Builder)).unwrap();
        assert!(schema.contains("equal_frequency") && schema.contains("life_stages"));
    }

    #[test]
    fn the_choice_without_a_wish() {
        let chosen = |kind, values: &[&str]| automatic(&domain(kind, values));
        assert!(matches!(chosen(Kind::Integer, &["1"]), Builder::EqualWidth { bins: 16, fanout: 2, .. }));
        assert!(matches!(chosen(Kind::Date(DateFormat::YearMonthDay), &[]), Builder::Dates { .. }));
        assert!(matches!(chosen(Kind::Text, &["01067", "10115"]), Builder::Prefix { lengths: None, .. }));
        assert_eq!(chosen(Kind::Text, &["F", "M"]), Builder::Flat {});
        assert_eq!(chosen(Kind::Text, &["No", "Si"]), Builder::Flat {});
        assert_eq!(chosen(Kind::Text, &[]), Builder::Flat {});
        let many: Vec<String> = (0..101).map(|value| format!("v{value}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(chosen(Kind::Text, &many), Builder::Prefix { lengths: Some(vec![3, 2, 1]), pad: None });
        // No label is ever invented: what has no readable groups is shown or hidden.
        let names = |first: &dyn Fn(u32) -> char| -> Vec<String> {
            (0..101).map(|place| format!("{}{}", first(place), "x".repeat(place as usize))).collect()
        };
        let chosen_for = |names: Vec<String>| {
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            names.sort_unstable();
            chosen(Kind::Text, &names)
        };
        let letter = |place: u32| char::from(b'a' + (place % 26) as u8);
        assert_eq!(chosen_for(names(&letter)), Builder::Initials {});
        assert_eq!(chosen_for(names(&|_| 'q')), Builder::Flat {}, "all begin with the same letter");
        assert_eq!(chosen_for(names(&|place| char::from_u32(0x4e00 + place).unwrap())), Builder::Flat {});
    }

    #[test]
    fn files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("race.csv");
        let values = domain(Kind::Text, &["Black", "White"]);
        let read = |builder: Builder| build(&Recipe::load(builder)?, &values);
        std::fs::write(&file, "White;Any\nBlack;Colored;Any\n").unwrap();
        let built = read(Builder::File { path: file.clone(), unlisted: Unlisted::Error }).unwrap();
        assert_eq!(path(&built.hierarchy, "Black"), "Black;Colored;Any");
        assert!(
            built.notes[0].contains("level 1 of its hierarchy groups the same values"),
            "{:?}",
            built.notes
        );
        std::fs::write(&file, "White;Any\nBlack;Colored\nColored;Any\n").unwrap();
        let built = read(Builder::ParentChild { path: file, unlisted: Unlisted::Error }).unwrap();
        assert_eq!(path(&built.hierarchy, "Black"), "Black;Colored;Any");
        let gone = Builder::File { path: folder.path().join("gone.csv"), unlisted: Unlisted::Error };
        let error = read(gone).unwrap_err();
        assert!(
            error.to_string().contains("cannot read the hierarchy") && error.kind() == crate::ErrorKind::Io
        );
    }

    #[test]
    fn quantities_fit_the_column() {
        let comma = domain(Kind::DecimalComma, &["1,5"]);
        assert_eq!(Quantity::Fraction(0.5).number(&comma).unwrap(), 5);
        assert_eq!(Quantity::Text("0,5".into()).number(&comma).unwrap(), 5);
        assert_eq!(Quantity::Whole(2).number(&comma).unwrap(), 20);
        let message = Quantity::Fraction(0.25).number(&comma).unwrap_err().to_string();
        assert!(message.contains("'0,25' is not a value"), "{message}");
        let date = domain(Kind::Date(DateFormat::YearMonthDay), &["1970-01-03"]);
        assert_eq!(Quantity::Text("1970-01-02".into()).number(&date).unwrap(), 1);
    }

    #[test]
    fn an_empty_column_has_a_hierarchy() {
        for kind in [Kind::Integer, Kind::Date(DateFormat::YearMonthDay), Kind::Text] {
            let empty = domain(kind, &[]);
            let recipe = Recipe::from(automatic(&empty));
            assert_eq!(build(&recipe, &empty).unwrap().hierarchy.node_count(), 1);
            let all_missing = Domain { missing: Some("?"), ..empty };
            assert_eq!(build(&recipe, &all_missing).unwrap().missing, Some(0));
        }
    }
}
