//! One random quasi-identifier: its texts, how it is coarsened, and what a released text says about an original one.

use scumble::config::{Column as Plan, Label, Role, Roles, Value, ValueType};
use scumble::table::hierarchy::{Builder, DateLevel, Quantity, Unlisted};

/// The texts that mean a missing value.
pub(crate) const MISSING: [&str; 3] = ["?", "NA", ""];

pub(crate) fn is_missing(text: &str) -> bool {
    MISSING.contains(&text)
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    Whole,
    /// With equal numbers in different spellings.
    Decimal,
    Comma,
    Date,
    DottedDate,
    /// Texts of four digits.
    Code,
    /// Leaves of [`JOBS`].
    Job,
    /// Texts that look like released values, or trouble a CSV reader.
    Word,
    /// Tame texts.
    Letter,
    Constant,
}

/// How a column is coarsened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Nothing,
    Tight,
    /// Nothing, with declared bounds.
    Bounded,
    Flat,
    /// Nothing, labelled by the set of the values present.
    Sets,
    File,
    /// The same, labelled by the set of the values present.
    FileSets,
    /// The same tree as a list of children and parents, with a root that has a name.
    ParentChild,
    Prefix,
    /// Prefixes of the lengths 3 and 1.
    Prefixes,
    Dates,
    EqualWidth,
    EqualFrequency,
    Widths,
    Merging,
    Alphabetic,
}

const DECIMALS: &[&str] = &["1.5", "1.50", "2", "2.0", ".5", "10.25", "-3.1", "+2", "7.75", "100"];
const COMMAS: &[&str] = &["1,5", "2", "0,25", "-3,1", "10,75", "1,50", "12", "7,7"];
const DATES: &[&str] = &[
    "1979-12-31",
    "1980-01-01",
    "1980-02-29",
    "1980-02-01",
    "1985-07-15",
    "1999-12-31",
    "2000-01-01",
    "2004-02-29",
];
const DOTTED: &[&str] = &["31.12.1979", "01.01.1980", "29.02.1980", "15.07.1985", "01.02.2003"];
const CODES: &[&str] = &["0435", "0436", "0440", "1200", "1201", "1299", "9000", "9001", "9999", "0001"];
const WORDS: &[&str] =
    &["*", "=", "==x", "[1,2]", "{a|b}", "a|b", "a}b", "\\", " b", "b", "\"q\"", "x,y", "l\nm", "ä"];
const LETTERS: &[&str] = &["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];

/// A ragged tree: each leaf with its ancestors below the root.
pub(crate) const JOBS: &[(&str, &[&str])] = &[
    ("nurse", &["care", "health"]),
    ("medic", &["care", "health"]),
    ("dentist", &["health"]),
    ("cook", &[]),
    ("waiter", &["service"]),
    ("porter", &["service"]),
    ("smith", &["craft"]),
    // Declared, and in no row.
    ("pilot", &["craft"]),
];
pub(crate) const NAMED_ROOT: &str = "anyone";

impl Content {
    pub(crate) const ALL: [Self; 10] = [
        Self::Whole,
        Self::Decimal,
        Self::Comma,
        Self::Date,
        Self::DottedDate,
        Self::Code,
        Self::Job,
        Self::Word,
        Self::Letter,
        Self::Constant,
    ];

    fn texts(self) -> &'static [&'static str] {
        match self {
            Self::Decimal => DECIMALS,
            Self::Comma => COMMAS,
            Self::Date => DATES,
            Self::DottedDate => DOTTED,
            Self::Code => CODES,
            Self::Word => WORDS,
            Self::Letter => LETTERS,
            Self::Whole | Self::Job | Self::Constant => &[],
        }
    }

    /// A text of this kind, of at most `variety` different ones.
    pub(crate) fn text(self, dice: u8, variety: usize) -> String {
        let place = |most: usize| dice as usize % variety.clamp(1, most);
        match self {
            Self::Whole => (20 + 3 * place(12)).to_string(),
            Self::Job => JOBS[place(JOBS.len() - 1)].0.to_owned(),
            Self::Constant => "same".to_owned(),
            _ => self.texts()[place(self.texts().len())].to_owned(),
        }
    }

    /// The ways in which such a column can be coarsened. With `trees` every column must have levels, and there a raw `*`
    /// would be taken for the root.
    pub(crate) fn shapes(self, trees: bool) -> &'static [Shape] {
        use Shape::{
            Alphabetic, Bounded, Dates, EqualFrequency, EqualWidth, File, FileSets, Flat, Merging, Nothing,
            ParentChild, Prefix, Prefixes, Sets, Tight, Widths,
        };
        match self {
            Self::Whole => &[Nothing, Tight, Bounded, Flat, EqualWidth, EqualFrequency, Widths, Merging],
            Self::Decimal | Self::Comma => &[Nothing, Tight, Flat, EqualWidth, EqualFrequency],
            Self::Date => &[Nothing, Tight, Flat, Dates],
            Self::DottedDate => &[Nothing, Tight, Flat],
            Self::Code => &[Nothing, Flat, Prefix, Prefixes, Alphabetic],
            Self::Job => &[File, FileSets, ParentChild, Nothing, Flat],
            Self::Word if trees => &[],
            Self::Word => &[Nothing, Sets],
            Self::Letter => &[Nothing, Sets, Flat, Alphabetic],
            Self::Constant => &[Nothing, Flat],
        }
    }

    /// The place of a value on its line, in thousandths or as year, month and day.
    pub(crate) fn number(self, text: &str) -> Option<i128> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let thousandths = |mark: char| -> Option<i128> {
            let (whole, places) = digits.split_once(mark).unwrap_or((digits, ""));
            let number: i128 = format!("0{whole}{places:0<3}").parse().ok()?;
            (places.len() <= 3).then_some(sign * number)
        };
        match self {
            Self::Whole | Self::Decimal => thousandths('.'),
            Self::Comma => thousandths(','),
            Self::Date => text.replace('-', "").parse().ok(),
            Self::DottedDate => {
                let parts: Vec<&str> = text.split('.').collect();
                parts.iter().rev().copied().collect::<String>().parse().ok()
            }
            _ => None,
        }
    }

    fn separator(self) -> char {
        if self == Self::Comma { ';' } else { ',' }
    }
}

/// A quasi-identifier without its rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    pub(crate) content: Content,
    pub(crate) shape: Shape,
}

impl Kind {
    /// What the plan says about the column.
    pub(crate) fn plan(self, name: &str) -> Plan {
        let mut plan = Plan::new(Roles::one(Role::Quasi));
        let whole = Value::Integer;
        match self.content {
            Content::Code | Content::Word | Content::Letter | Content::Job | Content::Constant => {
                plan.value_type = Some(ValueType::Text);
            }
            Content::Decimal => plan.value_type = Some(ValueType::Decimal),
            Content::Comma => plan.value_type = Some(ValueType::DecimalComma),
            Content::Whole | Content::Date | Content::DottedDate => {}
        }
        match self.shape {
            Shape::Tight => plan.label = Some(Label::Tight),
            Shape::Sets | Shape::FileSets => plan.label = Some(Label::Set),
            Shape::Bounded => (plan.min, plan.max) = (Some(whole(0)), Some(whole(150))),
            _ => {}
        }
        let path = std::path::PathBuf::from(format!("{name}.tree"));
        plan.hierarchy = match self.shape {
            Shape::Nothing | Shape::Tight | Shape::Bounded | Shape::Sets => None,
            Shape::Flat => Some(Builder::Flat {}),
            Shape::File | Shape::FileSets => Some(Builder::File { path, unlisted: Unlisted::Error }),
            Shape::ParentChild => Some(Builder::ParentChild { path, unlisted: Unlisted::Error }),
            Shape::Prefix => Some(Builder::Prefix { lengths: None, pad: None }),
            Shape::Prefixes => Some(Builder::Prefix { lengths: Some(vec![3, 1]), pad: None }),
            Shape::Dates => Some(Builder::Dates {
                levels: vec![DateLevel::Month, DateLevel::Year, DateLevel::Decade],
                life_stages: None,
            }),
            Shape::EqualWidth => Some(Builder::EqualWidth { bins: 4, fanout: 2, min: None, max: None }),
            Shape::EqualFrequency => Some(Builder::EqualFrequency { bins: 4, fanout: 2 }),
            Shape::Widths => {
                Some(Builder::Widths { widths: [5, 10, 20].map(Quantity::Whole).to_vec(), origin: None })
            }
            Shape::Merging => Some(Builder::OrderedMerging { fanout: Some(2) }),
            Shape::Alphabetic => Some(Builder::Alphabetic { order: Default::default() }),
        };
        plan
    }

    /// The hierarchy file that the plan names, if it names one.
    pub(crate) fn tree_file(self) -> Option<String> {
        let path = |leaf: &str, above: &[&str]| {
            format!("{leaf};{}*\n", above.iter().map(|node| format!("{node};")).collect::<String>())
        };
        match self.shape {
            Shape::File | Shape::FileSets => {
                Some(JOBS.iter().map(|(leaf, above)| path(leaf, above)).collect())
            }
            Shape::ParentChild => {
                let mut edges: Vec<String> = JOBS
                    .iter()
                    .flat_map(|(leaf, above)| {
                        let chain: Vec<&str> =
                            [*leaf].into_iter().chain(above.iter().copied()).chain([NAMED_ROOT]).collect();
                        chain.windows(2).map(|pair| format!("{};{}\n", pair[0], pair[1])).collect::<Vec<_>>()
                    })
                    .collect();
                edges.sort();
                edges.dedup();
                Some(edges.concat())
            }
            _ => None,
        }
    }

    /// The ancestors of a value in a tree from a file, from its parent to the root.
    pub(crate) fn ancestors(self, leaf: &str) -> Option<Vec<&'static str>> {
        let root = match self.shape {
            Shape::File | Shape::FileSets => "*",
            Shape::ParentChild => NAMED_ROOT,
            _ => return None,
        };
        let above = JOBS.iter().find(|(job, _)| *job == leaf).map_or(&[][..], |(_, above)| above);
        Some(above.iter().copied().chain([root]).collect())
    }

    /// Whether two texts are the same value.
    pub(crate) fn same(self, a: &str, b: &str) -> bool {
        if is_missing(a) || is_missing(b) {
            return is_missing(a) && is_missing(b);
        }
        a == b || (self.content.number(a).is_some() && self.content.number(a) == self.content.number(b))
    }

    /// The ends of a released interval `[a,b]` or `[a,b)`, and whether it is closed.
    pub(crate) fn interval(self, released: &str) -> Option<(i128, i128, bool)> {
        let (inner, closed) = match released.strip_prefix('[')?.strip_suffix(']') {
            Some(inner) => (inner, true),
            None => (released.strip_prefix('[')?.strip_suffix(')')?, false),
        };
        let (low, high) = inner.split_once(self.content.separator())?;
        Some((self.content.number(low)?, self.content.number(high)?, closed))
    }

    /// Whether a released text is true of an original one.
    pub(crate) fn covers(self, original: &str, released: &str) -> bool {
        if released == "*" {
            return true;
        }
        if let Some(raw) = released.strip_prefix('=') {
            return self.same(original, raw);
        }
        if let Some(set) = released.strip_prefix('{').filter(|set| set.ends_with('}')) {
            let members = split_set(&set[..set.len() - 1]);
            // Neighbours in alphabetic order may be labelled by all of them.
            return members.iter().any(|member| self.same(original, member));
        }
        if released.starts_with('[') {
            let number = if is_missing(original) { None } else { self.content.number(original) };
            return self.interval(released).zip(number).is_some_and(|((low, high, closed), number)| {
                low <= number && (number < high || closed && number == high)
            });
        }
        self.same(original, released) || self.node_covers(original, released)
    }

    /// Whether a label of a node, as this test knows the tree, stands above a value.
    fn node_covers(self, original: &str, label: &str) -> bool {
        if is_missing(original) {
            // A missing value is a leaf of its own, directly under the root.
            return self.ancestors(original).is_some_and(|above| above.contains(&label));
        }
        // Where nothing is asked for and levels are needed, dates get periods and codes are masked.
        let shape = match (self.shape, self.content) {
            (Shape::Nothing | Shape::Tight, Content::Date | Content::DottedDate) => Shape::Dates,
            (Shape::Nothing, Content::Code) => Shape::Prefix,
            (shape, _) => shape,
        };
        match shape {
            Shape::File | Shape::FileSets | Shape::ParentChild => {
                self.ancestors(original).is_some_and(|above| above.contains(&label))
            }
            Shape::Prefix => {
                let kept = label.trim_end_matches('*');
                label.len() == original.len() && kept.len() < label.len() && original.starts_with(kept)
            }
            Shape::Prefixes => label
                .strip_suffix('*')
                .is_some_and(|kept| [3, 1].contains(&kept.len()) && original.starts_with(kept)),
            Shape::Dates => {
                let day = format!("{:08}", self.content.number(original).unwrap_or(0));
                let (year, month) = (&day[..4], &day[4..6]);
                label == format!("{year}-{month}") || label == year || label == format!("{}0s", &year[..3])
            }
            // A number says nothing about its members, on purpose; whether the value is one needs all values (naive.rs).
            Shape::Alphabetic => label
                .strip_prefix("group ")
                .and_then(|rest| rest.split_once(" of "))
                .and_then(|(group, groups)| {
                    Some((group.parse::<usize>().ok()?, groups.parse::<usize>().ok()?))
                })
                .is_some_and(|(group, groups)| (1..=groups).contains(&group)),
            _ => false,
        }
    }
}

/// The members of a set, without the marks that protect `|`, `}` and `\`.
pub(crate) fn split_set(text: &str) -> Vec<String> {
    let mut members = vec![String::new()];
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '|' => members.push(String::new()),
            '\\' => members.last_mut().expect("one at least").extend(characters.next()),
            other => members.last_mut().expect("one at least").push(other),
        }
    }
    members
}
