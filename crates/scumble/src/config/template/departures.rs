//! Where a plan departs from its template.

use super::advice::{NEVER_PUBLISHED, Seen, protection};
use super::file::{Demands, Rule, Template};
use crate::config::profile::{ColumnProfile, Mark};
use crate::config::{
    AlgorithmSpec, ModelSpec, Plan, Rational, RiskSpec, Role, StarPolicy, TransformSpec, Value, Wp216Spec,
};
use crate::error::Result;

/// One departure of a plan from its template.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Departure {
    /// What is different, in a sentence without a point.
    pub what: String,
    /// Where the template has its rule from.
    pub paragraph: String,
    /// The column that it is about; `None` for what is about the whole table.
    pub column: Option<String>,
    /// Whether a plan with this departure makes no release.
    pub must: bool,
}

impl Departure {
    /// The departure in a sentence, with its paragraph.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} ({})", self.what, self.paragraph)
    }
}

impl Template {
    /// Where a plan asks for less than the template. Columns are judged by what is known of them: `profiles` of the table as it is after all steps, or
    /// names alone where there are none.
    pub fn departures(&self, plan: &Plan, profiles: &[ColumnProfile]) -> Result<Vec<Departure>> {
        let marks = |name: &str| {
            let profile = profiles.iter().find(|profile| profile.name == name);
            let mut marks = profile.map_or_else(|| Mark::by_name(name), |profile| profile.marks.clone());
            // What is sensitive and who is counted is for the plan to say, and what is published is no number of a person by its role.
            marks.retain(|mark| !matches!(mark, Mark::Sensitive | Mark::Subject | Mark::Household));
            let roles = [
                (Role::Sensitive, Mark::Sensitive),
                (Role::Subject, Mark::Subject),
                (Role::Household, Mark::Household),
            ];
            let has = |role| plan.column(name).is_some_and(|column| column.role.has(role));
            marks.extend(roles.into_iter().filter(|(role, _)| has(*role)).map(|(_, mark)| mark));
            marks
        };
        let columns: Vec<(&str, Vec<Mark>)> =
            plan.columns.iter().map(|(name, _)| (name.as_str(), marks(name))).collect();
        let seen = Seen::new(columns.iter().cloned());
        let mut found = Vec::new();
        for ((name, marks), (_, column)) in columns.iter().zip(&plan.columns) {
            if protection(&column.role) >= NEVER_PUBLISHED {
                continue;
            }
            if let Some(rule) = self.rule_for(name, marks, true, &seen) {
                found.extend(self.departure_of(name, name, rule, plan, &seen)?);
            }
            // What a column is made of is still about the same thing, even if it no longer looks like it.
            for origin in origins(plan, name) {
                let of_origin = columns.iter().find(|(of, _)| *of == origin).map(|(_, marks)| marks);
                if let Some(rule) = of_origin.and_then(|marks| self.rule_for(name, marks, true, &seen)) {
                    let departure = self.departure_of(name, origin, rule, plan, &seen)?;
                    found.extend(departure.filter(|new| !found.contains(new)));
                }
            }
        }
        self.of_the_table(plan, &seen, &mut found)?;
        Ok(found)
    }

    /// How a column that is published departs from a rule about the column that it is made of, or about itself.
    fn departure_of(
        &self,
        name: &str,
        origin: &str,
        rule: &Rule,
        plan: &Plan,
        seen: &Seen<'_>,
    ) -> Result<Option<Departure>> {
        let Some(column) = plan.column(name) else { return Ok(None) };
        let departure = |what: String| {
            Some(Departure {
                what,
                paragraph: rule.paragraph.clone(),
                column: Some(name.to_owned()),
                must: rule.must,
            })
        };
        let shown = crate::base::text::on_one_line(name);
        let carried_out = |text: &str| -> Result<bool> {
            let on = |name: &str| -> Result<bool> {
                let steps = steps_of(&seen.fill(self, Some(name), text))?;
                Ok(!steps.is_empty() && steps.iter().all(|step| is_carried_out(step, plan)))
            };
            Ok(on(name)? || on(origin)?)
        };
        // Whoever knew more than the table said has done what the template offers for that.
        for offer in &rule.offers {
            let made = |step: &TransformSpec| {
                step.into.is_some()
                    && plan
                        .transform
                        .iter()
                        .any(|given| given.transform == step.transform && given.into.as_deref() == Some(name))
            };
            if steps_of(&seen.fill(self, Some(origin), &offer.text))?.iter().any(made) {
                return Ok(None);
            }
            if column.role.has(Role::Quasi) && carried_out(&offer.text)? {
                return Ok(None);
            }
        }
        if let Some(roles) = rule.role.as_ref().filter(|roles| protection(&column.role) < protection(roles)) {
            let [has, given] = [&column.role, roles].map(|roles| roles.to_toml().replace('"', ""));
            return Ok(departure(format!("'{shown}' has the role {has}, and the template gives it {given}")));
        }
        if !rule.steps.is_empty() && !carried_out(&rule.steps)? {
            let steps = steps_of(&seen.fill(self, Some(name), &rule.steps))?;
            let missing = steps.iter().find(|step| !is_carried_out(step, plan));
            let missing = missing.map(in_words).unwrap_or_default();
            return Ok(departure(format!("'{shown}' lacks the step {missing}")));
        }
        Ok(None)
    }

    /// Departures that are about the whole table.
    fn of_the_table(&self, plan: &Plan, seen: &Seen<'_>, found: &mut Vec<Departure>) -> Result<()> {
        let mut add = |paragraph: &str, must: bool, what: Option<String>| {
            found.extend(what.map(|what| Departure {
                what,
                paragraph: paragraph.to_owned(),
                column: None,
                must,
            }));
        };
        if let Some(most) = &self.most_quasi {
            let quasi = plan.names_with(Role::Quasi).count();
            add(
                &most.paragraph,
                false,
                (quasi > most.most).then(|| {
                    format!("the plan has {quasi} quasi-identifiers, and the template at most {}", most.most)
                }),
            );
        }
        if plan.template_version.is_some_and(|version| version != self.version) {
            let version = plan.template_version.unwrap_or_default();
            add(
                &self.source,
                false,
                Some(format!(
                    "the plan was made from version {version} of the template, and this program has version {}",
                    self.version
                )),
            );
        }
        if plan.keep_order {
            add(
                "Scumble",
                false,
                Some("the release keeps the order of the rows, and the template has them sorted".to_owned()),
            );
        }
        for block in
            self.blocks().filter(|block| block.is_active(|need| !seen.that_are(self, need).is_empty()))
        {
            let demanded = Demands::of(&seen.fill(self, None, &block.text))?;
            for model in &demanded.privacy {
                add(&block.paragraph, block.must, model_departs(model, plan));
            }
            if let Some(risk) = &demanded.risk {
                add(&block.paragraph, block.must, risk_departs(risk, plan));
            }
            if let Some(algorithm) = &demanded.algorithm {
                add(&block.paragraph, block.must, search_departs(algorithm, plan));
            }
            if let Some(thresholds) = &demanded.wp216 {
                add(&block.paragraph, block.must, report_departs(thresholds, plan));
            }
        }
        Ok(())
    }
}

/// The columns that steps make a new column of, over all steps.
fn origins<'p>(plan: &'p Plan, name: &str) -> Vec<&'p str> {
    let mut found: Vec<&str> = Vec::new();
    let mut sought = vec![name];
    while let Some(name) = sought.pop() {
        let making = plan.transform.iter().filter(|step| step.into.as_deref() == Some(name));
        for of in making.flat_map(TransformSpec::changed) {
            if !found.contains(&of) {
                found.push(of);
                sought.push(of);
            }
        }
    }
    found
}

/// The steps among lines of a plan.
fn steps_of(text: &str) -> Result<Vec<TransformSpec>> {
    #[derive(serde::Deserialize)]
    struct Steps {
        #[serde(default)]
        transform: Vec<TransformSpec>,
    }
    let steps: Steps = toml::from_str(text).map_err(|error| {
        crate::Error::internal(format_args!("a template has steps that no plan has: {error}"))
    })?;
    Ok(steps.transform)
}

/// Whether a plan has such a step on the same columns. Texts in capitals stand for what the owner of the table fills in.
fn is_carried_out(step: &TransformSpec, plan: &Plan) -> bool {
    let is_blank = |value: &Value| match value {
        Value::Text(text) => {
            text.contains(char::is_uppercase)
                && text.chars().all(|sign| sign.is_uppercase() || " -0123456789".contains(sign))
        }
        _ => false,
    };
    let same = |given: &TransformSpec| {
        let mut parameters = step.parameters.iter().filter(|(_, value)| !is_blank(value));
        given.transform == step.transform
            && step.changed().all(|name| given.changed().any(|other| other == name))
            && parameters.all(|(name, value)| given.parameters.get(name) == Some(value))
    };
    plan.transform.iter().any(same)
}

/// A step in words: `top (limit = 90)`.
fn in_words(step: &TransformSpec) -> String {
    let parameters: Vec<String> =
        step.parameters.iter().map(|(name, value)| format!("{name} = {}", value.to_text())).collect();
    match parameters.is_empty() {
        true => step.transform.clone(),
        false => format!("{} ({})", step.transform, parameters.join(", ")),
    }
}

/// The figures of models of which a smaller one asks for more. Of all others a greater one does.
const SMALLER_IS_STRICTER: [&str; 4] = ["t", "c", "mean", "alpha"];

/// What is said if no model of the plan asks for as much as that of the template.
fn model_departs(demanded: &ModelSpec, plan: &Plan) -> Option<String> {
    let of_kind = || plan.privacy.iter().filter(|given| given.model == demanded.model);
    let covers = |given: &&ModelSpec| {
        let columns =
            given.columns.is_empty() || demanded.columns.iter().all(|name| given.columns.contains(name));
        let enough = demanded.parameters.iter().all(|(name, value)| match given.parameters.get(name) {
            Some(other) => is_enough(name, value, other),
            None => false,
        });
        columns && (given.quasi.is_none() || given.quasi == demanded.quasi) && enough
    };
    if of_kind().any(|given| covers(&given)) {
        return None;
    }
    let figures: Vec<String> =
        demanded.parameters.iter().map(|(name, value)| format!("{name} = {}", value.to_text())).collect();
    let what = format!("{} with {}", demanded.model, figures.join(", "));
    Some(match of_kind().next() {
        None => format!("the plan does not ask for {what}"),
        Some(_) => format!("the plan asks for less than {what}"),
    })
}

/// Whether a figure is at least as strict as the template's.
fn is_enough(name: &str, demanded: &Value, given: &Value) -> bool {
    let number = |value: &Value| value.to_text().parse::<Rational>().ok();
    match (number(demanded), number(given)) {
        (Some(demanded), Some(given)) if SMALLER_IS_STRICTER.contains(&name) => given <= demanded,
        (Some(demanded), Some(given)) => given >= demanded,
        _ => demanded == given,
    }
}

fn risk_departs(demanded: &RiskSpec, plan: &Plan) -> Option<String> {
    let (limit, given) = (demanded.exposed_above(), plan.risk.exposed_above());
    (given > limit).then(|| format!("a risk of {given} is accepted, and the template accepts {limit}"))
}

fn report_departs(demanded: &Wp216Spec, plan: &Plan) -> Option<String> {
    let Some(given) = &plan.wp216 else {
        return Some("the plan has no thresholds for the report ([wp216])".to_owned());
    };
    let (key, given, demanded) = given.above(demanded)?;
    Some(format!("the threshold {key} of the report is {given}, and that of the template {demanded}"))
}

fn search_departs(demanded: &AlgorithmSpec, plan: &Plan) -> Option<String> {
    if demanded.star_policy == StarPolicy::Strict && plan.algorithm.star_policy != StarPolicy::Strict {
        return Some("suppressed rows do not have to keep the models, and in the template they do (star_policy = strict)".to_owned());
    }
    let demanded = demanded.suppression?;
    // Without a limit of its own, a search may suppress as much as its kind does.
    (plan.algorithm.suppression.is_none_or(|given| given > demanded))
        .then(|| format!("more rows may be suppressed than the share of {demanded} that the template allows"))
}
