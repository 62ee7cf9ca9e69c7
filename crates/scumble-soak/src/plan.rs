//! A random plan for a random table.

use std::fmt::Write as _;

use crate::fraction::Fraction;
use crate::model::{Mode, Model, Released, Sensitive, judge};
use crate::random::Random;
use crate::scene::{Column, Hierarchy, Kind, Role, Scene, Wish};

/// What an algorithm publishes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Classes,
    Means,
    Frequencies,
    Concealment,
    Exchange,
    Projections,
    Anatomy,
    Permutation,
}

/// The algorithms, with what they publish and whether they need a class column.
pub(crate) const ALGORITHMS: [(&str, Shape, bool); 36] = [
    ("mondrian", Shape::Classes, false),
    ("cluster", Shape::Classes, false),
    ("seqa", Shape::Classes, false),
    ("iack", Shape::Classes, true),
    ("optimal", Shape::Classes, false),
    ("local_suppression", Shape::Classes, false),
    ("iacc", Shape::Classes, true),
    ("kactus", Shape::Classes, true),
    ("flash", Shape::Classes, false),
    ("ola", Shape::Classes, false),
    ("incognito", Shape::Classes, false),
    ("samarati", Shape::Classes, false),
    ("mingen", Shape::Classes, false),
    ("datafly", Shape::Classes, false),
    ("tds", Shape::Classes, true),
    ("tdr", Shape::Classes, true),
    ("pais", Shape::Classes, true),
    ("genetic", Shape::Classes, false),
    ("k_optimize", Shape::Classes, false),
    ("infogain_mondrian", Shape::Classes, true),
    ("single_dimensional_mondrian", Shape::Classes, false),
    ("mu_argus", Shape::Classes, false),
    ("dbca", Shape::Classes, false),
    ("dbca_cm", Shape::Classes, true),
    ("k_member", Shape::Classes, false),
    ("oka", Shape::Classes, false),
    ("mdav", Shape::Means, false),
    ("bottom_up", Shape::Classes, true),
    ("nsvdist", Shape::Frequencies, false),
    ("k_concealment", Shape::Concealment, false),
    ("nhaa", Shape::Exchange, false),
    ("reduct", Shape::Projections, true),
    ("reduct_ensemble", Shape::Projections, true),
    ("dmpd", Shape::Projections, true),
    ("anatomy", Shape::Anatomy, false),
    ("permutation", Shape::Permutation, false),
];

/// The models that a plan can draw, as the table of coverage names them.
pub(crate) const MODELS: [&str; 21] = [
    "k",
    "l distinct",
    "l entropy",
    "l frequency",
    "l recursive",
    "t equal",
    "t ordered",
    "t hierarchical",
    "alpha_k",
    "beta",
    "beta enhanced",
    "delta",
    "k_e",
    "p_sensitive",
    "p+ or (p,a)",
    "lkc",
    "average_risk",
    "xy_anonymity",
    "xy_linkability",
    "personalised",
    "k_map",
];

/// A requirement, its name in the table of coverage, and its quasi-identifiers.
pub(crate) struct Requirement {
    pub(crate) name: &'static str,
    pub(crate) model: Model,
    pub(crate) quasi: Vec<usize>,
}

/// A plan, and everything needed to check its release.
pub(crate) struct Plan {
    pub(crate) algorithm: &'static str,
    pub(crate) shape: Shape,
    pub(crate) policy: &'static str,
    pub(crate) requirements: Vec<Requirement>,
    /// The text of the plan without input and output.
    pub(crate) text: String,
    /// Whether every run must produce the same bytes.
    pub(crate) repeatable: bool,
    /// Whether the whole table as one class meets all requirements.
    pub(crate) one_class_holds: bool,
}

/// Returns a text in quotes.
fn quoted(text: &str) -> String {
    let escape = |c: char| match c {
        '"' => "\\\"".into(),
        '\\' => "\\\\".into(),
        '\n' => "\\n".into(),
        c => c.to_string(),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

fn list(texts: &[String]) -> String {
    format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
}

/// Draws a scene and a plan for it.
pub(crate) fn draw(random: &mut Random, small: bool) -> (Scene, Plan) {
    let (algorithm, shape, class) = *random.pick(&ALGORITHMS);
    let names = wanted(random, shape);
    let has = |name: &str| names.contains(&name);
    let needs_sensitive = |name: &&&str| !matches!(**name, "k" | "average_risk" | "k_map");
    let wish = Wish {
        class: class || algorithm == "nsvdist",
        numbers_only: shape == Shape::Means,
        plain_numbers: shape == Shape::Means,
        sensitive: names.iter().any(|name| needs_sensitive(&name))
            || random.percent(20) && shape == Shape::Classes,
        number_sensitive: has("k_e") || random.percent(15) && !has("personalised"),
        full_trees: random.percent(50) || has("k_map"),
        guarding: has("personalised"),
        population: has("k_map"),
        small: small || shape == Shape::Concealment,
    };
    let scene = Scene::of(random, wish);
    let mut plan = Plan {
        algorithm,
        shape,
        policy: "strict",
        requirements: Vec::new(),
        text: String::new(),
        repeatable: !matches!(shape, Shape::Exchange | Shape::Anatomy | Shape::Permutation),
        one_class_holds: true,
    };
    write_columns(&mut plan.text, &scene);
    let all: Vec<usize> = (0..scene.quasi().len()).collect();
    for name in names {
        // Requirements that no release could meet test little, so most of them are drawn again.
        for attempt in 0..6 {
            let (model, text) = draw_model(random, name, shape, &scene);
            let possible = judge(
                &model,
                &all,
                &Released::one_class(&scene),
                &(0..scene.rows).collect::<Vec<_>>(),
                &scene,
            );
            if possible.is_err() && attempt < 5 && random.percent(90) {
                continue;
            }
            plan.one_class_holds &= possible.is_ok();
            let mut quasi = all.clone();
            plan.text += &text;
            let some = matches!(algorithm, "tds" | "tdr" | "pais" | "bottom_up" | "mingen");
            if some
                && !matches!(name, "lkc" | "k_map" | "personalised" | "average_risk")
                && random.percent(30)
            {
                quasi.retain(|_| random.percent(70));
                if quasi.is_empty() {
                    quasi.clone_from(&all);
                }
                let names: Vec<String> = quasi.iter().map(|&at| scene.quasi()[at].name.clone()).collect();
                let _ = writeln!(plan.text, "quasi = {}", list(&names));
            }
            // Some models also require a size.
            if let (false, Some(k)) = (name == "k", size_in(&text)) {
                plan.one_class_holds &= k <= scene.rows;
                plan.requirements.push(Requirement { name, model: Model::Size { k }, quasi: quasi.clone() });
            }
            plan.requirements.push(Requirement { name, model, quasi });
            break;
        }
    }
    write_algorithm(random, &mut plan, &scene);
    (scene, plan)
}

/// Returns the k of (alpha,k)-anonymity and p-sensitive k-anonymity.
fn size_in(text: &str) -> Option<usize> {
    let sized = text.contains("\"alpha_k\"") || text.contains("\"p_sensitive\"");
    let line = text.lines().find_map(|line| line.strip_prefix("k = "))?;
    line.parse().ok().filter(|_| sized)
}

/// Draws the models to ask for.
fn wanted(random: &mut Random, shape: Shape) -> Vec<&'static str> {
    match shape {
        Shape::Frequencies if random.percent(50) => return vec!["k", "l frequency"],
        Shape::Exchange => return vec!["l frequency"],
        Shape::Anatomy => return vec![if random.percent(50) { "l distinct" } else { "l frequency" }],
        Shape::Permutation => return vec!["k_e"],
        Shape::Frequencies | Shape::Concealment | Shape::Projections => return vec!["k"],
        Shape::Classes | Shape::Means => {}
    }
    let mut names = Vec::new();
    if random.percent(75) {
        names.push("k");
    }
    let more = *random.pick(&[0, 1, 1, 1, 2]);
    for _ in 0..more {
        let name = *random.pick(&MODELS[1..]);
        let clash = |other: &str| {
            let pair = |a: &str, b: &str| name == a && other == b || name == b && other == a;
            other == name || pair("personalised", "k_e") || pair("personalised", "t ordered")
        };
        if !names.iter().any(|other| clash(other)) {
            names.push(name);
        }
    }
    names
}

fn write_columns(text: &mut String, scene: &Scene) {
    for (at, column) in scene.columns.iter().enumerate() {
        let role = match column.role {
            Role::Quasi => "quasi",
            Role::Sensitive => "sensitive",
            Role::Class => "class",
            Role::Other => "other",
            Role::Identifier => "identifier",
            Role::Drop => "drop",
            Role::Guarding => "guarding",
        };
        let _ = writeln!(text, "[columns.{}]\nrole = \"{role}\"", quoted(&column.name));
        if column.role == Role::Identifier || column.role == Role::Drop {
            continue;
        }
        let kind = match column.kind {
            Kind::Text | Kind::Code => Some("text"),
            Kind::Date => Some("date"),
            // The program must recognise numbers by itself.
            Kind::Number => None,
        };
        if let Some(kind) = kind {
            let _ = writeln!(text, "type = \"{kind}\"");
        }
        if let Some(label) = column.label {
            let _ = writeln!(text, "label = \"{label}\"");
        }
        if let Some((low, high)) = column.range {
            let _ = writeln!(text, "min = {low}\nmax = {high}");
        }
        let _ = match &column.hierarchy {
            Hierarchy::None => Ok(()),
            Hierarchy::Flat => writeln!(text, "hierarchy = {{ build = \"flat\" }}"),
            Hierarchy::Prefix(lengths) => {
                writeln!(text, "hierarchy = {{ build = \"prefix\", lengths = {lengths:?} }}")
            }
            Hierarchy::Widths(widths) => {
                writeln!(text, "hierarchy = {{ build = \"widths\", widths = {widths:?} }}")
            }
            Hierarchy::Dates => writeln!(text, "hierarchy = {{ build = \"dates\" }}"),
            Hierarchy::File(_) => {
                writeln!(text, "hierarchy = {{ build = \"file\", path = \"tree{at}.csv\" }}")
            }
        };
    }
}

fn fraction(text: &str) -> Fraction {
    Fraction::read(text).unwrap_or(Fraction::new(1, 1))
}

/// Draws a model with random parameters, and returns it with its text in a plan.
fn draw_model(random: &mut Random, name: &'static str, shape: Shape, scene: &Scene) -> (Model, String) {
    let sensitive: Vec<&Column> = scene.of_role(Role::Sensitive).collect();
    let mut columns = Vec::new();
    let pick = |random: &mut Random, choices: &[&str]| (*random.pick(choices)).to_owned();
    let k = random.between(1, 5).min(scene.rows).max(1);
    let number = sensitive.iter().find(|column| column.kind == Kind::Number);
    let text = sensitive.iter().find(|column| column.kind == Kind::Text);
    let (what, line): (Sensitive, String) = match name {
        "k" => {
            let k = k.max(2);
            return (Model::Size { k }, format!("[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n"));
        }
        "l distinct" => {
            let l = random.between(1, 4);
            let model = if shape == Shape::Classes && random.percent(15) {
                ("k_uncertainty", "k")
            } else {
                ("l_diversity", "l")
            };
            (Sensitive::Distinct(l), format!("model = \"{}\"\n{} = {l}", model.0, model.1))
        }
        "l entropy" => {
            let l = pick(random, &["1", "1.3", "1.5", "1.8", "2", "2.5"]);
            (
                Sensitive::Entropy(fraction(&l)),
                format!("model = \"l_diversity\"\nvariant = \"entropy\"\nl = {l}"),
            )
        }
        "l frequency" => {
            let whole = matches!(shape, Shape::Exchange);
            let l = if whole {
                pick(random, &["2", "2", "3"])
            } else {
                pick(random, &["1", "1.1", "1.25", "1.5", "2", "2.5"])
            };
            (
                Sensitive::Frequency(fraction(&l)),
                format!("model = \"l_diversity\"\nvariant = \"frequency\"\nl = {l}"),
            )
        }
        "l recursive" => {
            let (c, l) = (pick(random, &["0.5", "1", "2", "3.5", "6"]), random.between(2, 3));
            let what = Sensitive::Recursive { c: fraction(&c), l };
            (what, format!("model = \"l_diversity\"\nvariant = \"recursive\"\nc = {c}\nl = {l}"))
        }
        "t equal" | "t ordered" | "t hierarchical" => {
            let t = pick(random, &["0", "0.05", "0.1", "0.2", "0.3", "0.5", "0.7"]);
            let limit = fraction(&t);
            let tree = sensitive.iter().find(|column| matches!(column.hierarchy, Hierarchy::File(_)));
            match (name, number, tree) {
                ("t ordered", Some(column), _) => {
                    columns.push(column.name.clone());
                    (
                        Sensitive::Ordered(limit),
                        format!("model = \"t_closeness\"\ndistance = \"ordered\"\nt = {t}"),
                    )
                }
                ("t hierarchical", _, Some(column)) => {
                    columns.push(column.name.clone());
                    (
                        Sensitive::Hierarchical(limit),
                        format!("model = \"t_closeness\"\ndistance = \"hierarchical\"\nt = {t}"),
                    )
                }
                _ => (
                    Sensitive::Equal(limit),
                    format!("model = \"t_closeness\"\ndistance = \"equal\"\nt = {t}"),
                ),
            }
        }
        "alpha_k" => return draw_alpha(random, &sensitive, k),
        "beta" | "beta enhanced" => {
            let beta = pick(random, &["0.2", "0.5", "1", "2", "5"]);
            let enhanced = name == "beta enhanced";
            let variant = if enhanced { "enhanced" } else { "basic" };
            let what = Sensitive::Beta { beta: fraction(&beta), enhanced };
            (what, format!("model = \"beta_likeness\"\nvariant = \"{variant}\"\nbeta = {beta}"))
        }
        "delta" => {
            let delta = pick(random, &["0.3", "0.7", "1.2", "2", "3"]);
            (Sensitive::Delta(fraction(&delta)), format!("model = \"delta_disclosure\"\ndelta = {delta}"))
        }
        "k_e" => {
            if let Some(column) = number {
                columns.push(column.name.clone());
            }
            let (k, e, rows) =
                (random.between(1, 3), pick(random, &["0", "10", "50", "120.5", "300"]), random.percent(30));
            let count = if rows { "rows" } else { "distinct" };
            let rows = rows && shape != Shape::Permutation;
            let count = if rows { count } else { "distinct" };
            let what = Sensitive::Range { k, e: fraction(&e), rows };
            (what, format!("model = \"k_e\"\nk = {k}\ne = {e}\ncount = \"{count}\""))
        }
        "p_sensitive" => {
            let p = random.between(1, 3);
            let what =
                Sensitive::Categories { p, categories: vec![], values: false, alpha: None, over_rows: false };
            (what, format!("model = \"p_sensitive\"\np = {p}\nk = {p}"))
        }
        "p+ or (p,a)" => {
            let Some(column) = text else { return draw_model(random, "k", shape, scene) };
            columns.push(column.name.clone());
            return draw_categories(random, column);
        }
        "lkc" => {
            let (l, c) =
                (random.between(1, 3).min(scene.quasi().len()), pick(random, &["0.5", "0.7", "0.9", "1"]));
            let text = format!("[[privacy]]\nmodel = \"lkc\"\nl = {l}\nk = {k}\nc = {c}\n");
            return (Model::Lkc { l, k, c: fraction(&c) }, text);
        }
        "average_risk" => return draw_risk(random),
        "xy_anonymity" | "xy_linkability" => return draw_xy(random, name, &sensitive),
        "personalised" => {
            let p = pick(random, &["0.4", "0.6", "0.8", "1"]);
            let Some(column) = text else { return draw_model(random, "k", shape, scene) };
            let text = format!(
                "[[privacy]]\nmodel = \"personalised\"\np_breach = {p}\nguarding = \"guards\"\ncolumns = {}\n",
                list(std::slice::from_ref(&column.name))
            );
            return (Model::Personalised { p_breach: fraction(&p) }, text);
        }
        _ => {
            if random.percent(50) {
                let k = random.between(1, 6);
                return (Model::KMap { k }, format!("[[privacy]]\nmodel = \"k_map\"\nk = {k}\n"));
            }
            let (low, high) =
                (pick(random, &["0", "0", "0.1", "0.3"]), pick(random, &["0.5", "0.7", "0.9", "1"]));
            let text =
                format!("[[privacy]]\nmodel = \"delta_presence\"\ndelta_min = {low}\ndelta_max = {high}\n");
            return (Model::Presence { low: fraction(&low), high: fraction(&high) }, text);
        }
    };
    let several = matches!(what, Sensitive::Distinct(_) | Sensitive::Entropy(_) | Sensitive::Frequency(_));
    let mode = match random.below(6) {
        0 if sensitive.len() > 1 && several && !line.contains("uncertainty") => Mode::Conditional,
        1 if sensitive.len() > 1 && several && !line.contains("uncertainty") => Mode::Joint,
        _ => Mode::Separate,
    };
    let mut text = format!("[[privacy]]\n{line}\n");
    if !columns.is_empty() {
        let _ = writeln!(text, "columns = {}", list(&columns));
    } else if matches!(shape, Shape::Exchange | Shape::Anatomy | Shape::Frequencies) && mode == Mode::Separate
    {
        columns.extend(sensitive.first().map(|column| column.name.clone()));
        let _ = writeln!(text, "columns = {}", list(&columns));
    }
    match mode {
        Mode::Separate => {}
        Mode::Conditional => text += "mode = \"conditional\"\n",
        Mode::Joint => text += "mode = \"joint\"\n",
    }
    (Model::Of { what, columns, mode }, text)
}

fn draw_alpha(random: &mut Random, sensitive: &[&Column], k: usize) -> (Model, String) {
    let mut text = String::from("[[privacy]]\nmodel = \"alpha_k\"\n");
    let alpha = (*random.pick(&["0.4", "0.5", "0.6", "2/3", "0.8", "0.9"])).to_owned();
    let column = sensitive.first().map(|column| column.name.clone()).unwrap_or_default();
    let values = sensitive.first().map(|column| column.values()).unwrap_or_default();
    let limits = match random.below(3) {
        0 => {
            let _ = writeln!(text, "alpha = \"{alpha}\"");
            vec![(None, fraction(&alpha))]
        }
        1 => {
            let chosen: Vec<String> = values.into_iter().filter(|_| random.percent(50)).collect();
            let _ = writeln!(text, "alpha = \"{alpha}\"");
            if chosen.is_empty() {
                vec![(None, fraction(&alpha))]
            } else {
                let _ = writeln!(text, "values = {}", list(&chosen));
                chosen.into_iter().map(|value| (Some(value), fraction(&alpha))).collect()
            }
        }
        _ => {
            let value = random.pick(&values).clone();
            let _ = writeln!(text, "alphas = {}", list(&[format!("{value}={alpha}")]));
            vec![(Some(value), fraction(&alpha))]
        }
    };
    let _ = writeln!(text, "columns = {}", list(std::slice::from_ref(&column)));
    if random.percent(30) {
        let _ = writeln!(text, "k = {k}");
    }
    (Model::Of { what: Sensitive::Alpha(limits), columns: vec![column], mode: Mode::Separate }, text)
}

fn draw_categories(random: &mut Random, column: &Column) -> (Model, String) {
    let mut values = column.values();
    random.shuffle(&mut values);
    let count = random.between(1, values.len().min(3));
    let mut categories: Vec<Vec<String>> = vec![Vec::new(); count];
    for (at, value) in values.into_iter().enumerate() {
        categories[if at < count { at } else { random.below(count) }].push(value);
    }
    let p = random.between(1, 2);
    let by_values = random.percent(30);
    let alpha = random.percent(40).then(|| (*random.pick(&["0.5", "1", "1.5"])).to_owned());
    let over_rows = random.percent(40);
    let texts: Vec<String> = categories.iter().map(|list| list.join("|")).collect();
    let mut text =
        format!("[[privacy]]\nmodel = \"p_sensitive\"\np = {p}\nk = {p}\ncategories = {}\n", list(&texts));
    let _ = writeln!(text, "count = \"{}\"", if by_values { "values" } else { "categories" });
    if let Some(alpha) = &alpha {
        let _ = writeln!(
            text,
            "alpha = {alpha}\nweight_over = \"{}\"",
            if over_rows { "rows" } else { "distinct" }
        );
    }
    let _ = writeln!(text, "columns = {}", list(std::slice::from_ref(&column.name)));
    let alpha = alpha.as_deref().map(fraction);
    let what = Sensitive::Categories { p, categories, values: by_values, alpha, over_rows };
    (Model::Of { what, columns: vec![column.name.clone()], mode: Mode::Separate }, text)
}

fn draw_risk(random: &mut Random) -> (Model, String) {
    let average = random.percent(60).then(|| (*random.pick(&["0.1", "0.25", "1/3", "0.5"])).to_owned());
    let highest = (average.is_none() || random.percent(40)).then(|| {
        ((*random.pick(&["0.2", "0.3", "0.5"])).to_owned(), (*random.pick(&["0", "0.1", "0.3"])).to_owned())
    });
    let mut text = String::from("[[privacy]]\nmodel = \"average_risk\"\n");
    if let Some(average) = &average {
        let _ = writeln!(text, "average = \"{average}\"");
    }
    if let Some((highest, at_risk)) = &highest {
        let _ = writeln!(text, "highest = {highest}\nat_risk = {at_risk}");
    }
    let highest = highest.map(|(highest, share)| (fraction(&highest), fraction(&share)));
    (Model::AverageRisk { average: average.as_deref().map(fraction), highest }, text)
}

fn draw_xy(random: &mut Random, name: &str, sensitive: &[&Column]) -> (Model, String) {
    let mut y: Vec<String> = sensitive.iter().map(|column| column.name.clone()).collect();
    if y.len() > 1 && random.percent(50) {
        y.truncate(1);
    }
    if name == "xy_anonymity" {
        let k = random.between(1, 3);
        return (
            Model::XyAnonymity { k, y: y.clone() },
            format!("[[privacy]]\nmodel = \"xy_anonymity\"\nk = {k}\ny = {}\n", list(&y)),
        );
    }
    let h = (*random.pick(&["0.5", "0.7", "0.9"])).to_owned();
    let mut text = format!("[[privacy]]\nmodel = \"xy_linkability\"\nh = {h}\ny = {}\n", list(&y));
    let mut values = Vec::new();
    if y.len() == 1 && random.percent(40) {
        values = vec![random.pick(&sensitive[0].values()).clone()];
        let _ = writeln!(text, "values = {}", list(&values));
    }
    (Model::XyLinkability { h: fraction(&h), y, values }, text)
}

fn write_algorithm(random: &mut Random, plan: &mut Plan, scene: &Scene) {
    let name = plan.algorithm;
    let mut text = format!("[algorithm]\nname = \"{name}\"\n");
    if plan.shape == Shape::Classes && random.percent(55) {
        plan.policy = *random.pick(&["strict", "drop", "paper"]);
        let share = random.pick(&["0", "0.1", "0.3", "0.6", "1"]);
        let _ = writeln!(text, "star_policy = \"{}\"\nsuppression = {share}", plan.policy);
    }
    if plan.shape == Shape::Classes && random.percent(8) {
        text += "flatten = true\n";
    }
    if plan.shape == Shape::Classes && random.percent(6) {
        text += "polish = true\n";
    }
    match name {
        "genetic" => text += "population = 20\niterations = 300\nseed = 7\n",
        "dmpd" => text += "generations = 3\npopulation = 6\n",
        "iacc" => text += "delta_d = 0.9\ndelta_c = 0.9\n",
        "iack" if random.percent(40) => text += "leftover = \"generalize\"\n",
        "seqa" if random.percent(30) => text += "start = \"random\"\nseed = 3\n",
        "pais" if random.percent(40) => text += "score = \"discernibility\"\n",
        "dbca_cm" if random.percent(50) => text += "allow_homogeneous = true\n",
        "nsvdist" => {
            text += if random.percent(70) { "audit = \"report\"\n" } else { "" };
            let _ = writeln!(text, "min_cover = {}", random.between(1, 2));
            if let Some(column) = scene.of_role(Role::Sensitive).next() {
                let _ = writeln!(text, "column = {}", quoted(&column.name));
            }
        }
        "k_concealment" => {
            let _ =
                writeln!(text, "guarantee = \"{}\"", random.pick(&["matches", "both", "covered", "covers"]));
        }
        _ => {}
    }
    plan.text += &text;
    // Here, sensitive columns that no model protects are published on purpose.
    plan.text.insert_str(0, "accept_attribute_disclosure = true\nreport = \"report\"\n");
    if scene.population.is_some() {
        plan.text.insert_str(0, "population = \"people.csv\"\n");
    }
}
