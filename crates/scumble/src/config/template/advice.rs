//! What a template makes of the guesses about a table.

use std::collections::BTreeSet;

use super::file::{Block, Rule, Template};
use crate::base::text::on_one_line;
use crate::config::profile::plan_words::{key, quoted};
use crate::config::profile::{ColumnProfile, Mark, speaks_of};
use crate::config::{Role, Roles};

/// What a template says about a table.
pub(crate) struct Advice<'t> {
    pub(crate) template: &'t Template,
    /// For each column, in its order.
    pub(crate) columns: Vec<ColumnAdvice>,
    /// The blocks for `[[privacy]]`; none if those of `init` stay.
    pub(crate) models: Vec<Lines>,
    pub(crate) risk: Option<Lines>,
    pub(crate) search: Option<Lines>,
    pub(crate) report: Option<Lines>,
}

/// What a template says about a column.
pub(crate) struct ColumnAdvice {
    pub(crate) roles: Roles,
    /// The reason with its paragraph; `None` if no rule fits.
    pub(crate) why: Option<String>,
    /// The lines about the column in place of type and hierarchy.
    pub(crate) after: Option<String>,
    /// Steps, as lines of a plan.
    pub(crate) steps: String,
    pub(crate) offers: Vec<Offer>,
}

/// Lines that are written as comments.
pub(crate) struct Offer {
    /// What is missing, if something is.
    pub(crate) lacks: Option<String>,
    /// What to do with them.
    pub(crate) how: Option<String>,
    pub(crate) text: String,
}

/// Lines about the whole table.
pub(crate) struct Lines {
    pub(crate) why: String,
    pub(crate) text: LinesText,
}

/// Lines that count, or comments.
pub(crate) enum LinesText {
    Active(String),
    Comment(Offer),
}

/// The columns of a table as rules see them: the names and what is known of each.
pub(super) struct Seen<'a> {
    columns: Vec<(&'a str, Vec<Mark>)>,
}

impl<'a> Seen<'a> {
    pub(super) fn new(columns: impl IntoIterator<Item = (&'a str, Vec<Mark>)>) -> Self {
        Self { columns: columns.into_iter().collect() }
    }

    fn of(profiles: &'a [ColumnProfile]) -> Self {
        Self::new(profiles.iter().map(|profile| (profile.name.as_str(), profile.marks.clone())))
    }

    /// The names of the columns that a rule needs: those with a mark of that name, or those that the template finds by its words.
    pub(super) fn that_are(&self, template: &Template, need: &str) -> Vec<&'a str> {
        let has = |name: &str, marks: &[Mark]| match template.find.get(need) {
            Some(words) => speaks_of(name, words),
            None => marks.iter().any(|mark| mark.is_called(need)),
        };
        self.columns.iter().filter(|(name, marks)| has(name, marks)).map(|(name, _)| *name).collect()
    }

    /// The lines of a template with the names of this table in them.
    pub(super) fn fill(&self, template: &Template, column: Option<&str>, text: &str) -> String {
        let mut filled = text.trim().to_owned();
        if let Some(name) = column {
            filled = filled.replace("{column}", &quoted(name)).replace("{key}", &key(name));
        }
        let taken: BTreeSet<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let mut age = "age".to_owned();
        while taken.contains(age.as_str()) {
            age.push('_');
        }
        filled = filled.replace("{age}", &quoted(&age)).replace("{age_key}", &key(&age));
        for need in template.find.keys().map(String::as_str).chain(["weight", "household", "subject"]) {
            let found = self.that_are(template, need).first().map_or_else(
                || format!("\"THE COLUMN OF THE {}\"", need.replace('_', " ").to_uppercase()),
                |name| quoted(name),
            );
            filled = filled.replace(&format!("{{{need}}}"), &found);
        }
        let sensitive: Vec<String> = self.that_are(template, "sensitive").into_iter().map(quoted).collect();
        filled.replace("{sensitive}", &sensitive.join(", "))
    }
}

impl Template {
    /// What the template makes of the guesses about a table.
    pub(crate) fn advise(&self, profiles: &[ColumnProfile]) -> Advice<'_> {
        let seen = Seen::of(profiles);
        let columns: Vec<ColumnAdvice> =
            profiles.iter().map(|profile| self.advise_column(profile, &seen)).collect();
        // Rules may have changed which columns are sensitive.
        let after = Seen::new(profiles.iter().zip(&columns).map(|(profile, advice)| {
            let mut marks = profile.marks.clone();
            marks.retain(|mark| *mark != Mark::Sensitive || advice.roles.has(Role::Sensitive));
            (profile.name.as_str(), marks)
        }));
        let lines = |block: &Block| self.lines(block, &after);
        Advice {
            template: self,
            models: self.models.iter().map(lines).collect(),
            risk: self.risk.as_ref().map(lines),
            search: self.search.as_ref().map(lines),
            report: self.report.as_ref().map(lines),
            columns,
        }
    }

    fn advise_column(&self, profile: &ColumnProfile, seen: &Seen<'_>) -> ColumnAdvice {
        let unchanged = || ColumnAdvice {
            roles: profile.roles.clone(),
            why: None,
            after: None,
            steps: String::new(),
            offers: Vec::new(),
        };
        let published = protection(&profile.roles) < NEVER_PUBLISHED;
        let Some(rule) = self.rule_for(&profile.name, &profile.marks, published, seen) else {
            return unchanged();
        };
        let roles = match &rule.role {
            Some(roles) if protection(roles) > protection(&profile.roles) => roles.clone(),
            _ => profile.roles.clone(),
        };
        let stays = protection(&roles) < NEVER_PUBLISHED;
        let fill = |text: &str| seen.fill(self, Some(&profile.name), text);
        let offers = rule.offers.iter().map(|offer| Offer {
            lacks: offer.lacks.clone(),
            how: offer.how.clone(),
            text: fill(&offer.text),
        });
        ColumnAdvice {
            why: Some(reason(&rule.why, &rule.paragraph)),
            after: rule.after.as_deref().filter(|_| stays).map(fill),
            steps: if stays { fill(&rule.steps) } else { String::new() },
            offers: offers.collect(),
            roles,
        }
    }

    /// The first rule that fits a column.
    pub(super) fn rule_for(
        &self,
        name: &str,
        marks: &[Mark],
        published: bool,
        seen: &Seen<'_>,
    ) -> Option<&Rule> {
        self.rules.iter().find(|rule| {
            let fits = rule.columns.iter().any(|mark| marks.contains(mark))
                || speaks_of(name, &rule.words)
                || rule.published && published;
            fits && !speaks_of(name, &rule.except)
                && rule.needs.iter().all(|need| !seen.that_are(self, need).is_empty())
        })
    }

    fn lines(&self, block: &Block, seen: &Seen<'_>) -> Lines {
        let is_active = block.is_active(|need| !seen.that_are(self, need).is_empty());
        let text = seen.fill(self, None, &block.text);
        Lines {
            why: reason(&block.why, &block.paragraph),
            text: match is_active {
                true => LinesText::Active(text),
                false => {
                    LinesText::Comment(Offer { lacks: block.lacks.clone(), how: block.how.clone(), text })
                }
            },
        }
    }
}

impl Advice<'_> {
    /// Whether some of its models count in this table. Comments alone do not stand for what `init` asks of every table.
    pub(crate) fn replaces_models(&self) -> bool {
        self.models.iter().any(|lines| matches!(lines.text, LinesText::Active(_)))
    }

    /// What is written as a comment because the table lacks something: a sentence for each such thing, with the columns that it is about.
    pub(crate) fn notes(&self, profiles: &[ColumnProfile]) -> Vec<String> {
        let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
        for (profile, column) in profiles.iter().zip(&self.columns) {
            for lacks in column.offers.iter().filter_map(|offer| offer.lacks.as_deref()) {
                match found.iter_mut().find(|(other, _)| *other == lacks) {
                    Some((_, names)) => names.push(&profile.name),
                    None => found.push((lacks, vec![&profile.name])),
                }
            }
        }
        for lines in self.models.iter().chain(&self.risk).chain(&self.search).chain(&self.report) {
            if let LinesText::Comment(Offer { lacks: Some(lacks), .. }) = &lines.text {
                found.push((lacks, Vec::new()));
            }
        }
        let sentence = |(lacks, names): (&str, Vec<&str>)| {
            let names: Vec<String> = names.into_iter().map(on_one_line).collect();
            let about = if names.is_empty() { String::new() } else { format!(" about {}", names.join(", ")) };
            format!("lines of the plan{about} are comments, because they need {lacks}")
        };
        found.into_iter().map(sentence).collect()
    }
}

/// A reason with its paragraph.
pub(super) fn reason(why: &str, paragraph: &str) -> String {
    format!("{} ({paragraph})", why.trim())
}

/// The protection of columns that are never published.
pub(super) const NEVER_PUBLISHED: u8 = 4;

/// How well roles protect a column, for comparison. A quasi-identifier is generalised; a sensitive value is shown, though in a group.
pub(super) fn protection(roles: &Roles) -> u8 {
    let of = |role: &Role| match role {
        Role::Other => 0,
        Role::Class | Role::Weight => 1,
        Role::Sensitive => 2,
        Role::Quasi => 3,
        Role::Identifier | Role::Subject | Role::Household | Role::Guarding | Role::Drop => NEVER_PUBLISHED,
    };
    roles.as_slice().iter().map(of).max().unwrap_or_default()
}
