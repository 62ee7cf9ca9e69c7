//! Plans from text: what reads, what is refused and in which words.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;
use crate::table::date::DateFormat;

const FULL: &str = r#"
input = "patients.csv"
output = "release.parquet"
report = "private"
template = "public_use"
template_version = 1
recoding = "recoding.json"
row_map = "rows.json"
spreadsheet_safe = true
output_dialect = "excel-de"
hierarchies = "trees"
population = "people.csv"
rest = "drop"
accept_attribute_disclosure = true
accept_linkable_rows = true
keep_order = true

[keys]
file = "../keys/clinic.key"

[read]
delimiter = ";"
quote = "'"
header = true
encoding = "windows-1252"
missing = ["-", ""]
missing_policy = "drop-row"
max_size = "2 GB"
skip_rows = 2
sheet = "People"

[columns.zip]
role = "quasi"
type = "text"
hierarchy = { build = "prefix", lengths = [3, 1] }

[columns.age]
role = "?quasi"
type = "integer"
min = 0
max = 120.5
label = "tight"
range = "two-columns"
priority = 0.25
missing = ["-9"]
missing_policy = "error"

[columns."date of birth"]
role = "quasi"
type = "date"
format = "dd/mm/yyyy"
min = "01/01/1900"

[columns.diagnosis]
role = ["class", "sensitive"]
equality = "exact"
missing_counts = true
accept_pii = { kinds = ["email"], reason = "public office addresses" }
accept_free_text = { reason = "read by two people" }

[columns.home]
role = "household"
renumber = true

[columns.weight]
role = "weight"
weights = "class_mean"
stratum = "zip"

[quasi_sets]
neighbours = ["zip", "age"]

[[privacy]]
model = "k_anonymity"
k = 5
unit = "household"

[[privacy]]
model = "l_diversity"
columns = ["diagnosis"]
variant = "recursive"
l = 2
c = 1.31
strict = true

[[privacy]]
model = "multirelational"
k = 5

[[transform]]
do = "Round"
column = "age"
base = 0.5

[[table]]
file = "visits.csv"
subject = "patient"
quasi = ["ward"]

[algorithm]
name = "iack"
metric = "loss"
suppression = 0.05
star_policy = "drop"
seed = 7
steps = 1000
budget = "90s"
alpha = "1/3"
order = ["zip", "age"]

[risk]
threshold = 0.1
audience = "inside"
combination_size = 2
weight = "zip"
household = "home"
linkage_limit = 0.05

[wp216]
risk = 0.1
linked = 0.02
posterior = 0.6
advantage = 0.01
"#;

const HEAD: &str = "input = \"in.csv\"\noutput = \"out.csv\"\n";

fn plan(text: &str) -> Plan {
    Plan::from_toml(text, "release.toml").unwrap_or_else(|error| panic!("{error}"))
}

fn message(text: &str) -> String {
    match Plan::from_toml(text, "release.toml") {
        Err(error) if error.kind() == ErrorKind::Config => error.to_string(),
        other => panic!("expected a configuration error, got {other:?}"),
    }
}

/// The message for a plan that is well but for these lines, which start at line 3.
fn message_after_head(lines: &str) -> String {
    message(&format!("{HEAD}{lines}"))
}

#[test]
fn a_full_plan_is_read() {
    let plan = plan(FULL);
    assert_eq!((plan.input.as_str(), plan.output.as_str()), ("patients.csv", "release.parquet"));
    assert_eq!((plan.report.as_str(), plan.hierarchies.as_deref()), ("private", Some("trees")));
    assert_eq!(plan.population.as_deref(), Some("people.csv"));
    assert_eq!(
        (plan.rest, plan.accept_attribute_disclosure, plan.keep_order),
        (Some(Rest::Drop), true, true)
    );
    assert_eq!((plan.read.delimiter, plan.read.quote, plan.read.header), (Some(';'), Some('\''), Some(true)));
    assert_eq!((plan.accept_linkable_rows, plan.keys.file.as_deref()), (true, Some("../keys/clinic.key")));
    assert_eq!(plan.read.missing, ["-", ""]);
    assert_eq!(plan.read.missing_policy, MissingPolicy::DropRow);
    let names: Vec<&str> = plan.columns.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["zip", "age", "date of birth", "diagnosis", "home", "weight"],
        "the order of the file"
    );
    let age = plan.column("age").expect("there");
    assert!(age.role.has(Role::Quasi) && !age.role.is_confirmed());
    assert_eq!(
        (age.min.clone(), age.max.clone()),
        (Some(Value::Integer(0)), Some(Value::Decimal("120.5".into())))
    );
    assert_eq!((age.label, age.priority), (Some(Label::Tight), Rational::new(1, 4)));
    assert_eq!(plan.column("date of birth").and_then(|column| column.format), Some(DateFormat::DayMonthYear));
    assert_eq!(plan.names_with(Role::Sensitive).collect::<Vec<_>>(), ["diagnosis"]);
    let zip = plan.column("zip").and_then(|column| column.hierarchy.as_ref()).expect("there");
    assert!(matches!(zip, crate::table::hierarchy::Builder::Prefix { .. }));
    let step = TransformSpec::new("round", "age").with("base", Value::Decimal("0.5".into()));
    assert_eq!(plan.transform, [step]);
    let diversity = &plan.privacy[1];
    assert_eq!(
        (diversity.model.as_str(), &diversity.columns[..]),
        ("l_diversity", &["diagnosis".to_owned()][..])
    );
    assert_eq!(
        diversity.parameters.rational("c", Rational::ZERO, None).expect("fits"),
        Rational::new(131, 100)
    );
    assert_eq!(diversity.parameters.boolean("strict").expect("fits"), Some(true));
    let order: Vec<&str> = diversity.parameters.iter().map(|(name, _)| name).collect();
    assert_eq!(order, ["variant", "l", "c", "strict"]);
    let algorithm = &plan.algorithm;
    assert_eq!((algorithm.name.as_str(), algorithm.suppression), ("iack", Rational::new(1, 20)));
    assert_eq!(
        (algorithm.star_policy, algorithm.seed, algorithm.steps),
        (StarPolicy::Drop, Some(7), Some(1000))
    );
    assert_eq!(algorithm.budget.map(|budget| budget.duration().as_secs()), Some(90));
    assert_eq!(
        algorithm.parameters.rational("alpha", Rational::ZERO, None).expect("fits"),
        Rational::new(1, 3)
    );
    assert_eq!(algorithm.parameters.texts("order").expect("fits"), Some(vec!["zip", "age"]));
}

#[test]
fn plans_round_trip() {
    for text in [FULL, HEAD] {
        let first = plan(text);
        let written = first.to_toml().expect("writes");
        assert_eq!(plan(&written), first, "{written}");
        assert_eq!(plan(&written).to_toml().expect("writes"), written);
    }
}

#[test]
fn what_is_not_said_has_a_default() {
    let plan = plan(HEAD);
    assert_eq!(plan, Plan::new("in.csv", "out.csv"));
    assert_eq!(plan.read.missing, ["?", "", "NA", "NaN", "nan"]);
    assert_eq!(plan.algorithm.name, "mondrian");
    assert_eq!(plan.report, "report");
}

#[test]
fn unknown_keys_are_errors_with_their_place() {
    assert!(message("input = \"a\"\nouput = \"b\"\n").starts_with(
        "release.toml:2:1: unknown key 'ouput'; did you mean 'output'? (keys here are input, output,"
    ));
    assert!(
        message_after_head("[columns.age]\nrole = \"quasi\"\n  hierachy = {}\n")
            .starts_with("release.toml:5:3: unknown key 'hierachy'; did you mean 'hierarchy'?")
    );
    assert!(message_after_head("[read]\ndelimeter = \";\"").contains("did you mean 'delimiter'?"));
    assert!(
        message_after_head("[reed]\n")
            .starts_with("release.toml:3:2: unknown key 'reed'; did you mean 'read'?")
    );
    assert!(message_after_head("zzzzzzzz = 1").contains("unknown key 'zzzzzzzz'; keys here are input,"));
}

#[test]
fn sets_of_quasi_identifiers_are_checked() {
    let text = |sets: &str, quasi: &str| {
        format!(
            "input = \"a.csv\"\noutput = \"b.csv\"\n[columns]\nage = {{ role = \"quasi\" }}\nsex = {{ role = \"quasi\" }}\n\
             ill = {{ role = \"sensitive\" }}\n[quasi_sets]\n{sets}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\nquasi = {quasi}"
        )
    };
    let read = |sets: &str, quasi: &str| Plan::from_toml(&text(sets, quasi), "release.toml");
    let plan = read("who = [\"age\", \"sex\"]", "\"who\"").expect("a plan");
    let set = plan.privacy[0].quasi.as_ref().expect("a set");
    assert_eq!(plan.columns_of(set).expect("a known set"), ["age", "sex"]);
    let again = Plan::from_toml(&plan.to_toml().expect("it can be written"), "again.toml").expect("a plan");
    assert_eq!(again, plan);
    assert!(read("", "[\"age\"]").is_ok());
    let message = |sets: &str, quasi: &str| read(sets, quasi).expect_err("an error").to_string();
    for (sets, quasi, words) in [
        ("who = [\"age\"]", "\"whoo\"", "there is no 'whoo' in [quasi_sets]; did you mean 'who'?"),
        ("", "\"age\"", "for one column alone write quasi = [\"age\"]"),
        ("", "[\"agee\"]", "did you mean 'age'?"),
        ("", "[\"ill\"]", "'ill' is in a set of quasi-identifiers, but it is none"),
        ("", "[]", "needs at least one column"),
        ("who = [\"age\", \"age\"]", "\"who\"", "the column 'age' is in the set twice"),
        ("other = [\"zip\"]", "[\"age\"]", "'zip' is in a set"),
    ] {
        let found = message(sets, quasi);
        assert!(found.starts_with("release.toml:") && found.contains(words), "{found}");
    }
}

#[test]
fn unknown_values_are_errors_with_their_place() {
    assert_eq!(
        message_after_head("rest = \"othr\""),
        "release.toml:3:8: unknown value 'othr'; did you mean 'other'? (values here are other, drop)"
    );
    assert!(message_after_head("[read]\nmissing_policy = \"drop_row\"").contains("did you mean 'drop-row'?"));
    assert!(
        message_after_head("[columns.a]\nrole = \"quazi\"")
            .starts_with("release.toml:4:8: unknown role 'quazi'; did you mean 'quasi'?")
    );
    assert!(
        message_after_head("[columns.a]\nrole = \"quasi\"\ntype = \"int\"").contains("unknown value 'int'")
    );
}

#[test]
fn wrong_types_are_errors_with_their_place() {
    for (lines, start) in [
        ("keep_order = \"yes\"", "release.toml:3:14: invalid type: string \"yes\", expected a boolean"),
        ("[columns]\nage = 5", "release.toml:4:7: invalid type: integer `5`, expected struct Column"),
        ("[columns.age]\nmin = 3", "release.toml:3:1: the key 'role' is missing"),
        ("[[privacy]]\nk = 5", "release.toml:3:1: the key 'model' is missing"),
        ("[algorithm]\nseed = -1", "release.toml:4:8: invalid value: integer `-1`, expected u64"),
        ("[algorithm]\nbudget = \"soon\"", "release.toml:4:10: expected a time such as \"30s\""),
        ("[algorithm]\nbudget = 30", "release.toml:4:10: invalid type: integer `30`, expected a string"),
        ("[algorithm]\nsuppression = -0.5", "release.toml:4:15: expected a number that is not negative"),
        ("[algorithm]\nsuppression = nan", "release.toml:4:15: expected a finite number"),
        ("[risk]\nthreshold = 1.01", "release.toml:4:1: the risk threshold is a chance"),
        ("[wp216]\nlinked = 1.5", "release.toml:4:1: the thresholds of [wp216] are chances and shares"),
        ("[risk]\nsampling_fraction = 0", "release.toml:4:1: the sampling fraction is the share"),
        ("[algorithm]\nsuppression = 1.01", "release.toml:4:1: suppression is the share of rows"),
        (
            "[read]\ndelimiter = \";;\"",
            "release.toml:4:13: invalid value: string \";;\", expected a character",
        ),
        ("[read]\nquote = \"é\"", "release.toml:4:1: quote must be one ASCII character"),
        ("[read]\nquote = \";\"\ndelimiter = \";\"", "release.toml:4:1: quote and delimiter are the same"),
    ] {
        let message = message_after_head(lines);
        assert!(message.starts_with(start), "{lines}\n{message}");
    }
    assert_eq!(message("output = \"b\""), "release.toml:1:1: the key 'input' is missing");
}

#[test]
fn decimals_that_a_float_would_round_must_be_quoted() {
    let l = |text: &str| format!("{HEAD}[[privacy]]\nmodel = \"l_diversity\"\nl = {text}\n");
    assert_eq!(
        message(&l("1.0000000000000001")),
        "release.toml:5:5: the number has more than 15 digits, which would be rounded; write it in quotes to keep it \
         exactly"
    );
    let quoted = plan(&l("\"1.0000000000000001\""));
    let number = quoted.privacy[0].parameters.rational("l", Rational::ONE, None).expect("fits");
    assert_eq!(number, Rational::new(10_000_000_000_000_001, 10_000_000_000_000_000));
    // Every decimal of three places is exactly what it says.
    for thousandths in 1..3000 {
        let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let number = plan(&l(&text)).privacy[0].parameters.rational("l", Rational::ZERO, None);
        assert_eq!(number.expect("fits"), Rational::new(thousandths, 1000), "{text}");
    }
}

#[test]
fn bare_dates_are_asked_for_in_quotes() {
    assert!(
        message_after_head("[columns.a]\nrole = \"quasi\"\nmin = 1970-12-31")
            .starts_with("release.toml:5:7: write dates in quotes")
    );
}

#[test]
fn contradictions_are_errors_with_their_place() {
    for (lines, start) in [
        (
            "[columns.a]\nrole = \"class\"\n[columns.b]\nrole = \"class\"",
            "release.toml:6:1: 'a' and 'b' both have the role class, and only one column can",
        ),
        (
            "[columns.a]\nrole = \"subject\"\n[columns.b]\nrole = \"?subject\"",
            "release.toml:6:1: 'a' and 'b' both have the role subject",
        ),
        (
            "[columns.a]\nrole = [\"quasi\", \"sensitive\"]",
            "release.toml:4:8: a column cannot be both quasi and sensitive",
        ),
        (
            "[columns.a]\nrole = \"quasi\"\ntype = \"text\"\nformat = \"dd/mm/yyyy\"",
            "release.toml:6:1: format is for dates",
        ),
        ("[columns.a]\nrole = \"quasi\"\npriority = 1.5", "release.toml:5:1: priority is at most 1"),
        (
            "[columns.a]\nrole = \"quasi\"\ntype = \"text\"\nmax = 5",
            "release.toml:6:1: min and max need an order",
        ),
        (
            "[columns.disease]\nrole = \"sensitive\"\n[[privacy]]\nmodel = \"k_anonymity\"\n[[privacy]]\n\
             model = \"t_closeness\"\ncolumns = [\"diseas\"]",
            "release.toml:9:1: the model t_closeness names the column 'diseas', which has no [columns] entry; did you \
             mean 'disease'?",
        ),
    ] {
        let message = message_after_head(lines);
        assert!(message.starts_with(start), "{lines}\n{message}");
    }
}

#[test]
fn text_that_is_no_toml() {
    for text in ["input = ", "[columns", "a = 1\na = 2", "\u{0}", "age,sex\n30,m\n"] {
        assert!(message(text).starts_with("release.toml:"), "{}", message(text));
    }
    assert!(message("\u{feff}input = 5").starts_with("release.toml:1:9: "), "a byte order mark is skipped");
}

#[test]
fn a_plan_file_is_loaded_or_the_reason_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("release.toml");
    let absent = Plan::load(&file).expect_err("not there");
    assert!(absent.kind() == ErrorKind::Io);
    assert!(absent.to_string().starts_with("cannot read the plan "));
    std::fs::write(&file, b"input = \"a\"\n\xff\xfe").expect("writes");
    let binary = Plan::load(&file).expect_err("no text").to_string();
    assert!(binary.contains("release.toml:2: the plan is not UTF-8 text"), "{binary}");
    std::fs::write(&file, HEAD).expect("writes");
    assert_eq!(Plan::load(&file).expect("loads"), Plan::new("in.csv", "out.csv"));
    assert_eq!(Plan::beside(&file, "in.csv"), folder.path().join("in.csv"));
    assert_eq!(Plan::beside(&file, "-"), std::path::Path::new("-"));
}

#[test]
fn a_plan_is_ready_or_says_what_is_missing() {
    let ready = |lines: &str| plan(&format!("{HEAD}{lines}")).ready().map_err(|error| error.to_string());
    let model = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 5\n";
    assert_eq!(ready(&format!("[columns.a]\nrole = \"quasi\"\n{model}")), Ok(()));
    assert_eq!(
        ready(&format!(
            "[columns.a]\nrole = \"?quasi\"\n[columns.b]\nrole = [\"?class\", \"?sensitive\"]\n{model}"
        )),
        Err("2 roles are only guessed: a (?quasi), b ([?class, ?sensitive]); look at each role, and remove \
             the `?` to confirm it, or change it"
            .to_owned())
    );
    let message = |lines: &str| ready(lines).expect_err("not ready");
    assert!(
        message(&format!("[columns.a]\nrole = \"other\"\n{model}"))
            .starts_with("no column is a quasi-identifier")
    );
    assert_eq!(
        ready("[columns.a]\nrole = \"quasi\"\n"),
        Ok(()),
        "whether a model is needed is for the algorithm to say"
    );
    let same = plan(&format!("input = \"x\"\noutput = \"x\"\n[columns.a]\nrole = \"quasi\"\n{model}"));
    assert!(same.ready().expect_err("same").to_string().contains("is the input that this command reads"));
}

#[test]
fn a_plan_meets_a_header() {
    let lines = "[columns.b]\nrole = \"quasi\"\n[columns.a]\nrole = \"class\"\n";
    let of = |top: &str, header: &[&str]| {
        let columns = plan(&format!("{HEAD}{top}{lines}")).columns_for(header);
        columns.map_err(|error| error.to_string()).map(|columns| {
            columns.iter().map(|column| column.role.as_slice()[0].name()).collect::<Vec<_>>().join(" ")
        })
    };
    assert_eq!(of("", &["a", "b"]), Ok("class quasi".to_owned()));
    assert_eq!(of("rest = \"drop\"\n", &["a", "x", "b"]), Ok("class drop quasi".to_owned()));
    assert_eq!(of("rest = \"other\"\n", &["a", "x", "b"]), Ok("class other quasi".to_owned()));
    let unspoken = of("", &["a", "x", "b", "y"]).expect_err("x and y");
    assert!(unspoken.starts_with("no role is given for x, y; give each of these columns a role"));
    let lines = "[columns.occupation]\nrole = \"quasi\"\n";
    let absent = plan(&format!("{HEAD}{lines}")).columns_for(&["age", "ocupation"]).expect_err("not there");
    assert_eq!(
        absent.to_string(),
        "there is no column 'occupation'; did you mean 'ocupation'? (the columns are age, ocupation); correct the name where the \
         column is given a role ([columns.occupation] role = \"quasi\")"
    );
    let one = plan(&format!("{HEAD}{lines}")).columns_for(&["age;occupation;sex"]).expect_err("one field");
    assert!(one.to_string().contains("it looks as if ';' stood between fields"), "{one}");
}

#[test]
fn misspelt_parameters_of_an_algorithm_are_compared_with_all_keys() {
    let plan = plan(&format!("{HEAD}[algorithm]\nsupression = 0.1\nalpha = 1\n"));
    let error = plan.algorithm.allow_only(&["alpha"]).expect_err("misspelt").to_string();
    assert!(
        error.starts_with("release.toml:4:1: unknown parameter 'supression'; did you mean 'suppression'?"),
        "{error}"
    );
}

/// The schema of a key, references followed.
fn at<'a>(schema: &'a serde_json::Value, part: &'a serde_json::Value) -> &'a serde_json::Value {
    let inner = part.get("anyOf").map_or(part, |options| &options[0]);
    match inner.get("$ref").and_then(serde_json::Value::as_str) {
        Some(reference) => {
            schema.pointer(reference.trim_start_matches('#')).expect("the reference leads somewhere")
        }
        None => inner,
    }
}

#[test]
fn the_schema_has_every_key_of_a_full_plan_and_no_other() {
    let schema = json_schema();
    let keys = |part: &serde_json::Value| -> BTreeSet<String> {
        part["properties"].as_object().expect("an object").keys().cloned().collect()
    };
    let full: toml::Table = FULL.parse().expect("TOML");
    let written = |value: &toml::Value| -> BTreeSet<String> {
        value.as_table().expect("a table").keys().cloned().collect()
    };
    assert_eq!(keys(&schema), full.keys().cloned().collect());
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], serde_json::json!(["input", "output"]));
    assert_eq!(keys(at(&schema, &schema["properties"]["read"])), written(&full["read"]));
    assert_eq!(keys(at(&schema, &schema["properties"]["keys"])), written(&full["keys"]));
    let column = at(&schema, &schema["properties"]["columns"]["additionalProperties"]);
    let columns = full["columns"].as_table().expect("a table");
    assert_eq!(keys(column), columns.values().flat_map(written).collect());
    assert_eq!(column["required"], serde_json::json!(["role"]));
    let model = at(&schema, &schema["properties"]["privacy"]["items"]);
    assert_eq!(keys(model), ["columns", "model", "quasi"].map(str::to_owned).into());
    assert_ne!(model["additionalProperties"], false, "models have parameters of their own");
    // Two keys say how large the population is, which contradicts its table.
    let given = written(&full["risk"]).into_iter();
    let all: BTreeSet<String> =
        given.chain(["population_size", "sampling_fraction"].map(str::to_owned)).collect();
    assert_eq!(keys(at(&schema, &schema["properties"]["risk"])), all);
    let thresholds = at(&schema, &schema["properties"]["wp216"]["anyOf"][0]);
    assert_eq!(keys(thresholds), written(&full["wp216"]));
    let algorithm = at(&schema, &schema["properties"]["algorithm"]);
    assert_eq!(keys(algorithm), AlgorithmSpec::KEYS.map(str::to_owned).into());
    // Each can be set by its name, and none is taken for a parameter of the algorithm.
    for (key, text) in AlgorithmSpec::KEYS
        .into_iter()
        .zip(["optimal", "entropy", "0.125", "drop", "true", "true", "7", "50", "30s"])
    {
        let mut set = AlgorithmSpec::default();
        set.set(key, Value::from_text(text)).expect("a fitting value");
        let written = toml::Table::try_from(&set).expect("it can be written");
        assert_ne!(set, AlgorithmSpec::default(), "{key}");
        assert!(set.parameters.get(key).is_none() && written[key].to_string().contains(text), "{key}");
        let error = AlgorithmSpec::default().set(key, Value::List(Vec::new())).expect_err("a list");
        assert!(error.to_string().starts_with(&format!("[algorithm] {key}: ")), "{error}");
    }
    assert_ne!(algorithm["additionalProperties"], false);
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC*") {
        let _ = Plan::from_toml(&text, "release.toml");
    }

    #[test]
    fn no_nearly_right_text_panics(
        lines in proptest::collection::vec(0..FULL.lines().count(), 0..30),
        cut in 0..200_usize,
        noise in "[\\[\\]={}\"'.,\\n\\\\a-z0-9é?-]{0,6}",
    ) {
        let all: Vec<&str> = FULL.lines().collect();
        let mut text: String = lines.iter().map(|line| format!("{}\n", all[*line])).collect();
        let place = text.char_indices().map(|(place, _)| place).nth(cut).unwrap_or(0);
        text.insert_str(place, &noise);
        if let Ok(plan) = Plan::from_toml(&text, "release.toml") {
            let written = plan.to_toml().expect("what was read can be written");
            prop_assert_eq!(Plan::from_toml(&written, "again").expect("and read again"), plan);
        }
    }
}
