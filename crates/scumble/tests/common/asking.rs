//! Random plans over the whole registry: every algorithm with every model, and all that a plan can ask for besides.

use scumble::config::{MissingPolicy, Plan, Role, Roles, StarPolicy, TableSpec};
use scumble::registry::MODELS;

use super::served;

/// A row: age, pay, town, illness, job, shift, whose, and what is guarded.
pub(crate) type Row = [u8; 8];

/// What is drawn for a plan besides its models.
pub(crate) type Dice = [u8; 13];

/// A table with all that a plan may name, and the plan.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) plan: Plan,
    /// The files, by name.
    pub(crate) files: Vec<(&'static str, String)>,
}

/// What a plan may ask for besides an algorithm and models.
pub(crate) const BESIDES: [&str; 9] = [
    "persons with several rows",
    "a population",
    "tables that were published before",
    "several sensitive columns",
    "polish",
    "flatten",
    "stars that are not judged",
    "rows that are left out",
    "several spellings",
];

impl Asked {
    /// The names of its models, and what it asks for besides.
    pub(crate) fn asks_for(&self) -> Vec<String> {
        let plan = &self.plan;
        let asked = [
            plan.names_with(Role::Subject).next().is_some() && self.files[1].1.matches(",p1,").count() > 1,
            plan.population.is_some(),
            !plan.table.is_empty(),
            plan.names_with(Role::Sensitive).count() > 1,
            plan.algorithm.polish,
            plan.algorithm.flatten,
            plan.algorithm.star_policy == StarPolicy::Paper,
            plan.algorithm.star_policy == StarPolicy::Drop,
            plan.names_with(Role::Sensitive).any(|name| name == "ill") && self.files[1].1.contains("HIV"),
        ];
        let besides =
            BESIDES.iter().zip(asked).filter(|(_, asked)| *asked).map(|(name, _)| (*name).to_owned());
        plan.privacy.iter().map(|spec| spec.model.clone()).chain(besides).collect()
    }
}

/// Parameters for every model, as lines of a plan. A model that is new to the registry needs an entry.
fn parameters(model: &str) -> &'static [&'static str] {
    match model {
        "k_anonymity" => &["k = 2", "k = 3"],
        "l_diversity" => &[
            "l = 2",
            "l = 2; columns = [\"ill\"]",
            "variant = \"frequency\"; l = 2",
            "variant = \"entropy\"; l = 1.5; columns = [\"ill\"]",
            "variant = \"recursive\"; l = 2; c = 3",
            "l = 2; mode = \"joint\"",
            "l = 2; mode = \"conditional\"",
        ],
        "t_closeness" => &[
            "t = 0.5",
            "t = 0.4; columns = [\"ill\"]; distance = \"hierarchical\"",
            "t = 0.6; distance = \"equal\"",
        ],
        "lkc" => &["l = 1; k = 2", "l = 2; k = 2; c = 0.8; columns = [\"ill\"]"],
        "threshold_rule" => &["size = 2; least = 2", "size = 1; least = 20; weight = \"pay\""],
        "alpha_k" => &["alpha = \"2/3\"; k = 2", "alphas = [\"hiv=0.5\"]; columns = [\"ill\"]"],
        "beta_likeness" => &["beta = 3", "beta = 4; variant = \"enhanced\"; columns = [\"ill\"]"],
        "delta_disclosure" => &["delta = 3; columns = [\"ill\"]", "delta = 2"],
        "k_e" => &["k = 2; e = 5; columns = [\"pay\"]", "k = 2; e = 10"],
        "p_sensitive" => &[
            "p = 2; k = 2; columns = [\"ill\"]",
            "p = 2; categories = [\"hiv|gout\", \"flu|cold\"]; columns = [\"ill\"]",
        ],
        "k_map" => &["k = 2", "k = 4"],
        "delta_presence" => &["delta_max = 0.9", "delta_min = 0.1; delta_max = 0.8"],
        "average_risk" => &["average = 0.4", "highest = 0.5; at_risk = 0.2"],
        "xy_anonymity" => &["k = 2; y = \"ill\"", "k = 3; y = [\"who\", \"ill\"]"],
        "xy_linkability" => &["h = \"2/3\"; y = \"ill\"", "h = 0.8; y = \"job\""],
        "personalised" => &["p_breach = \"2/3\"; guarding = \"guard\"; columns = [\"ill\"]"],
        "multirelational" => &["k = 2; count = \"set\"", "k = 2"],
        "k_uncertainty" => &["k = 2", "k = 2; columns = [\"ill\"]"],
        other => panic!("model '{other}' has no parameters in tests/common/asking.rs"),
    }
}

/// The places of a model and of its parameters, whatever numbers are drawn.
pub(crate) fn specs(drawn: &[(usize, usize)]) -> String {
    let names: Vec<&str> = MODELS.names().collect();
    let spec = |(model, variant): &(usize, usize)| {
        let name = names[model % names.len()];
        let variants = parameters(name);
        let lines = variants[variant % variants.len()].replace("; ", "\n");
        format!("[[privacy]]\nmodel = \"{name}\"\n{lines}\n")
    };
    drawn.iter().map(spec).collect()
}

const ILL: [&str; 6] = ["flu", "cold", "gout", "hiv", "Flu ", "HIV"];

/// How many rows people have.
#[derive(Clone, Copy)]
enum Persons {
    Single,
    Any,
    /// All of them as many.
    Even,
}

/// The table. Some values are missing if it is `sparse`, and illnesses have several spellings if they are `mixed`.
fn table(rows: &[Row], [sparse, mixed]: [bool; 2], persons: Persons) -> String {
    let line = |(place, row): (usize, &Row)| {
        let [age, pay, town, ill, job, shift, who, guard] = *row;
        let is_missing = |dice: u8| sparse && place > 0 && dice > 235;
        let or_missing = |dice: u8, text: String| if is_missing(dice) { "?".to_owned() } else { text };
        let ill = or_missing(ill, ILL[ill as usize % if mixed { 6 } else { 4 }].to_owned());
        let who = match persons {
            Persons::Single => place,
            Persons::Any => who as usize % 9,
            Persons::Even => place % 6,
        };
        format!(
            "{},{},{},{ill},{},{},p{who},{},n{place}\n",
            20 + u32::from(age % 6) * 7,
            or_missing(pay, (u32::from(pay % 7) * 10).to_string()),
            or_missing(town, format!("t{}", town % 4)),
            ["x", "y"][job as usize % 2],
            ["a", "b"][shift as usize % 2],
            ["none", "none", "hiv", "mild"][guard as usize % 4],
        )
    };
    let lines = rows.iter().enumerate().map(line);
    format!("age,pay,town,ill,job,shift,who,guard,note\n{}", lines.collect::<String>())
}

/// What models may name.
const COLUMNS: &str = "ill = { role = \"sensitive\" }\npay = { role = \"sensitive\" }\njob = { role = \"class\" }\nwho = { role = \"subject\" }\n\
                       guard = { role = \"guarding\" }";

/// One of some things.
fn one<T: Clone>(dice: u8, of: &[T]) -> T {
    of[dice as usize % of.len()].clone()
}

/// A plan for an algorithm: one that it supports, with few things changed, or anything.
pub(crate) fn asked(algorithm: &str, rows: &[Row], models: &[(usize, usize)], dice: &Dice) -> Asked {
    let [own, subject, people, policy, limit, switch, order, secret, class, beside, kind, metric, accept] =
        *dice;
    // What an algorithm supports; a model that is drawn; or anything.
    let is_own = own % 4 < 2;
    // The first two are changed in few places, so that something is left to publish.
    let changed = |dice: u8| own % 4 == 3 || dice < 24;
    let models = if own % 4 == 2 { &models[..1] } else { models };
    let mut plan = served::plan(algorithm);
    plan.report = String::new();
    plan.algorithm.seed = Some(7);
    let kinds = [kind % 4 == 0 && changed(kind), kind % 8 > 3];
    if !is_own || own % 16 == 1 {
        let text =
            format!("input = \"in.csv\"\noutput = \"out.csv\"\n[columns]\n{COLUMNS}\n{}", specs(models));
        let drawn = Plan::from_toml(&text, "models").expect("models");
        if !is_own {
            plan.privacy.clear();
        }
        plan.privacy.extend(drawn.privacy);
    }
    let mut role = |name: &str, roles: &[Role]| {
        let roles = Roles::new(roles).expect("roles that go together");
        match plan.columns.iter_mut().find(|(of, _)| of == name) {
            Some((_, column)) => column.role = roles,
            None => plan.columns.push((name.to_owned(), scumble::config::Column::new(roles))),
        }
    };
    let asks = |part: &str| plan.privacy.iter().any(|spec| format!("{spec:?}").contains(part));
    let (guards, of_persons) = (asks("guard"), asks("multirelational"));
    let of_people = asks("k_map") || asks("delta_presence");
    let over_tables = plan.privacy.iter().any(|spec| spec.over_tables().is_some());
    let has_pay = asks("\"pay\"") || asks("k_e");
    let is_person = of_persons || asks("\"who\"") || changed(subject) && subject % 2 == 0;
    role("who", &[if is_person { Role::Subject } else { Role::Drop }]);
    role("guard", &[if guards { Role::Guarding } else { Role::Drop }]);
    role("note", &[if changed(order) && order % 5 == 0 { Role::Other } else { Role::Drop }]);
    if !is_own {
        let secrets = [Role::Sensitive, Role::Quasi];
        role("pay", &[if has_pay { Role::Sensitive } else { one(secret, &secrets) }]);
        role("ill", &[Role::Sensitive]);
        role("town", &[Role::Quasi]);
        match class % 4 {
            0 => role("job", &[Role::Drop]),
            1 => role("job", &[Role::Class, Role::Sensitive]),
            _ => role("job", &[Role::Class]),
        }
        role("shift", &[one(class, &[Role::Drop, Role::Other, Role::Quasi])]);
    }
    let with_tree = asks("hierarchical") || asks("guard");
    for (_, column) in plan.columns.iter_mut().filter(|(name, _)| name == "ill" && with_tree) {
        let tree = "input = \"a\"\noutput = \"b\"\n[columns]\nill = { role = \"sensitive\", hierarchy = { build = \"file\", path = \"ill.tree\" } }\n";
        column.hierarchy = Plan::from_toml(tree, "tree").expect("a tree").columns[0].1.hierarchy.clone();
    }
    plan.population = (of_people || changed(people) && people % 6 == 0).then(|| "people.csv".to_owned());
    if over_tables && beside % 2 == 0 || changed(beside) && beside % 12 == 0 {
        plan.table.push(TableSpec {
            file: "earlier.csv".into(),
            subject: of_persons.then(|| "who".to_owned()),
            quasi: vec!["town".into()],
        });
    }
    if changed(policy) {
        plan.algorithm.star_policy = one(policy, &[StarPolicy::Strict, StarPolicy::Paper, StarPolicy::Drop]);
    }
    if changed(limit) {
        plan.algorithm.suppression = one(limit, &[None, Some("0.3"), Some("1"), Some("0")])
            .map(|share| share.parse().expect("a share"));
    }
    if changed(switch) {
        (plan.algorithm.polish, plan.algorithm.flatten) =
            one(switch, &[(false, false), (true, false), (false, true), (true, true), (false, false)]);
    }
    plan.keep_order = changed(order) && order % 4 == 1;
    plan.row_map = (order % 3 == 0).then(|| "map.json".to_owned());
    plan.accept_attribute_disclosure = !changed(accept) || accept % 3 > 0;
    if changed(metric) && metric % 4 == 0 {
        plan.algorithm.metric = Some("discernibility".to_owned());
    }
    if changed(accept) && accept % 5 == 0 {
        plan.read.missing_policy = MissingPolicy::DropRow;
    }
    let persons = match subject % 3 {
        _ if of_persons => Persons::Even,
        0 => Persons::Any,
        1 => Persons::Even,
        _ => Persons::Single,
    };
    let text = table(rows, kinds, persons);
    // Everybody of the table, and as many people again with other towns, or some of all.
    let shifted: Vec<Row> = rows
        .iter()
        .map(|row| {
            let mut row = *row;
            row[2] = row[2].wrapping_add(1);
            row
        })
        .collect();
    let others = table(&shifted, kinds, persons);
    let people: String = text
        .lines()
        .chain(others.lines().skip(1 + usize::from(people % 5)).step_by(1 + usize::from(people % 2)))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let tree = "flu;mild;any\ncold;mild;any\ngout;grave;any\nhiv;grave;any\n?;any\n".to_owned();
    Asked {
        plan,
        files: vec![
            ("earlier.csv", text.clone()),
            ("in.csv", text),
            ("people.csv", people),
            ("ill.tree", tree),
        ],
    }
}
