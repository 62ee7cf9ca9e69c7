//! The files of the templates, and what is made of them.

use std::path::Path;

use super::file::Demands;
use super::*;
use crate::config::profile::{ColumnProfile, ColumnValues, PlanFiles, plan_toml_of, profile};
use crate::config::{Plan, Read, Role};

fn all() -> Vec<Template> {
    Template::names()
        .into_iter()
        .map(|name| Template::find(name).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect()
}

/// A column of texts that go round, in so many rows.
fn column<'a>(name: &'a str, texts: &'a [String], counts: u64) -> ColumnValues<'a> {
    let mut values: Vec<&str> = texts.iter().map(String::as_str).collect();
    values.sort_unstable();
    let rows = values.len() as u64 * counts;
    ColumnValues { name, counts: vec![counts; values.len()], values, missing: 0, rows, cells: None }
}

/// A table of 240 rows with something for most rules.
fn profiles() -> Vec<ColumnProfile> {
    let texts = |count: usize, text: &dyn Fn(usize) -> String| (0..count).map(text).collect::<Vec<_>>();
    let columns: Vec<(&str, Vec<String>)> = vec![
        ("first_dose", texts(120, &|at| format!("2024-{:02}-{:02}", 1 + at % 12, 1 + at / 12))),
        ("visit_date", texts(240, &|at| format!("2025-{:02}-{:02}", 1 + at % 12, 1 + at / 12))),
        ("born", texts(240, &|at| format!("{}-{:02}-07", 1920 + at % 90, 1 + at / 90))),
        ("age", texts(80, &|at| (20 + at).to_string())),
        ("zip", texts(60, &|at| format!("{:05}", 10_001 + at))),
        ("city", texts(12, &|at| format!("town {}", (b'a' + u8::try_from(at).unwrap_or_default()) as char))),
        ("country", texts(4, &|at| ["Peru", "Chad", "Cuba", "Iran"][at].to_owned())),
        ("income", texts(240, &|at| (1_000 + 37 * at).to_string())),
        ("diagnosis", texts(6, &|at| ["flu", "gout", "mumps", "cough", "acne", "croup"][at].to_owned())),
        ("mrn", texts(240, &|at| format!("M{}", 70_001 + 3 * at))),
        ("fnlwgt", texts(240, &|at| (100 + at).to_string())),
        ("sex", texts(2, &|at| ["f", "m"][at].to_owned())),
    ];
    let values: Vec<ColumnValues<'_>> =
        columns.iter().map(|(name, texts)| column(name, texts, 240 / texts.len() as u64)).collect();
    profile(&values)
}

fn plan_of(template: &Template, profiles: &[ColumnProfile]) -> (String, Plan) {
    let (text, _) = plan_toml_of(template, profiles, &PlanFiles::for_input("t.csv"), &Read::default(), true);
    let plan =
        Plan::from_toml(&text, "plan").unwrap_or_else(|error| panic!("{}: {error}\n{text}", template.name));
    (text, plan)
}

#[test]
fn every_template_is_read_and_says_what_it_is() {
    for (template, (name, _)) in all().iter().zip(TEMPLATES) {
        assert_eq!(template.name, name);
        assert!(!template.does_not.is_empty() && template.statement.ends_with('.'));
        for text in template.does_not.iter().chain([&template.statement, &template.about]) {
            assert!(!text.contains("compliant") && !text.contains("anonymous"), "{name}: {text}");
        }
        for block in template.blocks() {
            Demands::of(&block.text.replace("{sensitive}", "\"s\""))
                .unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(template.rules.iter().all(|rule| !rule.why.is_empty() && !rule.paragraph.is_empty()));
    }
    let unknown = Template::find("hippa").err().map(|error| error.to_string()).unwrap_or_default();
    assert!(unknown.contains("no template 'hippa'") && unknown.contains("hipaa_safe_harbor"), "{unknown}");
}

#[test]
fn plans_follow_their_templates_and_protect_no_less_than_the_guesses() {
    let profiles = profiles();
    for template in all() {
        let (text, plan) = plan_of(&template, &profiles);
        assert_eq!(plan.template.as_deref(), Some(template.name.as_str()));
        assert_eq!(template.departures(&plan, &profiles).unwrap(), [], "{}\n{text}", template.name);
        for profile in &profiles {
            let given = &plan.column(&profile.name).unwrap().role;
            assert!(
                advice::protection(given) >= advice::protection(&profile.roles),
                "{}: {}",
                template.name,
                profile.name
            );
        }
        // Every rule that acts on a column gives its reason.
        let acted = plan.transform.iter().flat_map(|step| step.changed());
        for name in acted {
            let section =
                text.split("\n\n").find(|part| part.contains(&format!("[columns.{name}]"))).unwrap();
            assert!(section.contains("# Template: "), "{section}");
        }
    }
}

#[test]
fn a_role_that_protects_less_is_never_given() {
    let text = "name = \"t\"\ntitle = \"T\"\nversion = 1\nsource = \"s\"\nabout = \"a\"\nstatement = \"s.\"\ndoes_not = [\"n\"]\n\
                [[rule]]\npublished = true\ncolumns = [\"number\"]\nrole = \"other\"\nwhy = \"w\"\nparagraph = \"p\"\n";
    let template = Template::from_toml(text).unwrap();
    let profiles = profiles();
    let advice = template.advise(&profiles);
    for (profile, column) in profiles.iter().zip(&advice.columns) {
        assert_eq!(column.roles, profile.roles, "{}", profile.name);
        assert!(!column.roles.is_confirmed());
    }
}

#[test]
fn columns_get_what_the_rules_say() {
    let profiles = profiles();
    let find = |name| Template::find(name).unwrap();
    let role = |plan: &Plan, name: &str| plan.column(name).unwrap().role.as_slice()[0];
    let steps = |plan: &Plan, name: &str| -> Vec<String> {
        let of = plan.transform.iter().filter(|step| step.changed().any(|column| column == name));
        of.map(|step| step.transform.clone()).collect()
    };
    let (_, hipaa) = plan_of(&find("hipaa_safe_harbor"), &profiles);
    for name in ["born", "city"] {
        assert_eq!(role(&hipaa, name), Role::Drop, "{name}");
    }
    assert_eq!((role(&hipaa, "mrn"), role(&hipaa, "country")), (Role::Identifier, Role::Quasi));
    assert_eq!(steps(&hipaa, "visit_date"), ["truncate"]);
    assert_eq!(steps(&hipaa, "zip"), ["zip3"]);
    assert_eq!(steps(&hipaa, "age"), ["top"]);
    // With a column for the first dose, dates are counted from it.
    let (_, ema) = plan_of(&find("ema_0070"), &profiles);
    assert_eq!(steps(&ema, "visit_date"), ["days_since"]);
    assert_eq!((role(&ema, "first_dose"), role(&ema, "visit_date")), (Role::Drop, Role::Quasi));
    let without: Vec<ColumnProfile> = profiles.iter().filter(|of| of.name != "first_dose").cloned().collect();
    let (text, ema) = plan_of(&find("ema_0070"), &without);
    assert_eq!(role(&ema, "visit_date"), Role::Drop);
    assert!(text.contains("# since_column = \"THE COLUMN OF THE FIRST DOSE\""), "{text}");
    let (_, public) = plan_of(&find("public_use"), &profiles);
    assert!(matches!(role(&public, "fnlwgt"), Role::Drop | Role::Identifier));
    if role(&public, "income") != Role::Drop {
        assert_eq!(steps(&public, "income"), ["top", "bottom", "round"]);
    }
    let (_, cms) = plan_of(&find("cms_cell_11"), &profiles);
    assert_eq!(role(&cms, "diagnosis"), Role::Quasi);
    let (_, puf) = plan_of(&find("cbs_puf"), &profiles);
    assert_eq!(role(&puf, "diagnosis"), Role::Drop);
}

/// Whatever is a comment can be read once its `#` are gone.
#[test]
fn lines_that_are_comments_are_lines_of_a_plan() {
    let profiles = profiles();
    for template in all() {
        let advice = template.advise(&profiles);
        for (profile, column) in profiles.iter().zip(&advice.columns) {
            for offer in &column.offers {
                let roles = column.roles.clone().accepted().to_toml();
                let text = format!(
                    "input = \"a\"\noutput = \"b\"\n[columns.{}]\nrole = {roles}\n{}",
                    profile.name, offer.text
                );
                assert!(text.parse::<toml::Table>().is_ok(), "{}: {text}", template.name);
            }
        }
    }
}

#[test]
fn every_template_has_a_page_that_says_what_it_says() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |name: &str| {
        std::fs::read_to_string(docs.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (index, summary) = (read("templates/index.md"), read("SUMMARY.md"));
    for template in all() {
        let page = format!("templates/{}.md", template.name);
        assert!(index.contains(&format!("({}.md)", template.name)) && summary.contains(&page), "{page}");
        let text = read(&page);
        let reasons = template.rules.iter().map(|rule| (&rule.why, &rule.paragraph));
        let blocks = template.blocks();
        for (why, paragraph) in reasons.chain(blocks.map(|block| (&block.why, &block.paragraph))) {
            assert!(text.contains(why.trim()) && text.contains(paragraph.as_str()), "{page}: {why}");
        }
        for line in template.does_not.iter().chain([&template.statement]) {
            assert!(text.contains(line.as_str()), "{page}: {line}");
        }
        assert!(text.contains(&format!("version {}", template.version)), "{page}");
    }
}
