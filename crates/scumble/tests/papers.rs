//! What reports, datasheets and warnings say in addition to the figures, by kind of release.

use std::path::Path;

use scumble::config::Plan;
use scumble::problem::Progress;
use scumble::release::resources::Resources;
use scumble::release::saved::SavedRecoding;
use scumble::release::{Released, RunOptions, anonymize, apply, read_planned, try_release};
use serde_json::Value;

/// Ages in pairs, two kinds of town, an illness.
const ROWS: &str =
    "age,town,ill\n30,a,flu\n31,a,cold\n32,a,flu\n33,a,cold\n40,b,flu\n41,b,cold\n42,b,gout\n43,b,flu\n";

fn anonymized(folder: &Path, plan: &str) -> Released {
    let plan = Plan::from_toml(plan, "plan").expect("a plan");
    anonymize(&plan, &mut options(folder)).expect("a release")
}

fn options(folder: &Path) -> RunOptions<'_> {
    RunOptions { folder, progress: Progress::default(), stage: &|_| {}, standard_output: None }
}

/// A release of the rows, with its datasheet and its report.
fn release(folder: &Path, rest: &str) -> (Released, Value, Value) {
    std::fs::write(folder.join("in.csv"), ROWS).expect("a table");
    let plan = format!(
        "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"report\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
         town = {{ role = \"quasi\" }}\nill = {{ role = \"sensitive\" }}\n{rest}"
    );
    let released = anonymized(folder, &plan);
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(folder.join(name)).expect("a file");
        serde_json::from_str(&text).expect("JSON")
    };
    (released, read("out.csv.datasheet.json"), read("report/report.json"))
}

const K_AND_L: &str =
    "[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n";

/// The names of the columns that a paper names.
fn names(paper: &Value) -> Vec<&str> {
    let columns = paper["columns"].as_array().expect("columns");
    columns.iter().filter_map(|column| column["name"].as_str()).collect()
}

#[test]
fn records_tell_of_every_column() {
    let folder = tempfile::tempdir().expect("a folder");
    let rest = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\nvariant = \"frequency\"\n\
                l = 1.2\n[algorithm]\nname = \"nsvdist\"\naudit = \"report\"\n";
    let (released, sheet, report) = release(folder.path(), rest);
    assert_eq!(names(&sheet), ["age", "town", "ill"]);
    let how = |column: usize| sheet["columns"][column]["how"].as_str().expect("a text");
    assert_eq!(how(0), "generalised record by record");
    assert!(how(2).starts_with("as frequencies among the "), "{}", how(2));
    assert_eq!(names(&report), ["age", "town"]);
    for column in report["columns"].as_array().expect("columns") {
        assert!(column["distinct_before"].as_u64() > Some(0) && column["axis"].is_object(), "{column}");
    }
    assert_eq!(report["kept"]["columns"].as_array().map(Vec::len), Some(0), "{}", report["kept"]);
    assert_eq!(report["models"][0]["name"], "record_coverage");
    assert_eq!(
        (&report["models"][1]["name"], &report["models"][1]["column"]),
        (&"record_diversity".into(), &"ill".into())
    );
    assert!(released.summary.warnings.iter().any(|text| text.contains("'nsvdist' is experimental")));
}

/// Each record is checked on all quasi-identifiers, also where a model names them all.
#[test]
fn records_are_judged_on_all_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let rest = "[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\nquasi = [\"age\", \"town\"]\n[[privacy]]\nmodel = \"l_diversity\"\n\
                variant = \"frequency\"\nl = 1.2\n[algorithm]\nname = \"nsvdist\"\naudit = \"report\"\n";
    let (released, ..) = release(folder.path(), rest);
    let models = &released.summary.models;
    assert!(models.len() == 2 && models.iter().all(|model| model.on.is_none()), "{models:?}");
}

/// A trial shows a record's frequencies in place of the value: of values that it counts and no others, and all of them together are the whole.
#[test]
fn a_trial_shows_the_frequencies_of_its_records() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), ROWS).expect("a table");
    let plan = "input = \"in.csv\"\noutput = \"out.csv\"\n[columns]\nage = { role = \"quasi\" }\ntown = { role = \"quasi\" }\n\
                ill = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\n\
                variant = \"frequency\"\nl = 1.2\n[algorithm]\nname = \"nsvdist\"\naudit = \"report\"\nformat = \"json\"\n";
    let plan = Plan::from_toml(plan, "plan").expect("a plan");
    let resources = Resources::in_folder(folder.path());
    let (plan, table, _) = read_planned(&plan, &resources).expect("a table");
    let trial = try_release(&plan, &table, &resources, Progress::default()).expect("a trial");
    let published = trial.table().expect("one table");
    let released = published.read().expect("what was written");
    let (shown, own) =
        (released.column("ill").expect("it is shown"), table.column("ill").expect("it was read"));
    assert_eq!(released.rows, table.rows);
    for row in 0..released.rows {
        let text = shown.values.get(shown.codes.get(row));
        let about = published.about[row] as usize;
        let shares: std::collections::BTreeMap<String, f64> = serde_json::from_str(text).expect("shares");
        assert!(shares.values().all(|share| *share > 0.0) && shares.len() > 1, "{text}");
        assert!((shares.values().sum::<f64>() - 1.0).abs() < 1e-12, "{text}");
        assert!(
            shares.contains_key(own.values.get(own.codes.get(about))),
            "a row is among those that its record counts"
        );
    }
}

#[test]
fn what_mu_argus_does_not_promise_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (released, ..) = release(folder.path(), &format!("{K_AND_L}[algorithm]\nname = \"mu_argus\"\n"));
    let warnings = &released.summary.warnings;
    let told =
        warnings.iter().find(|text| text.starts_with("'mu_argus' looks at combinations of a few columns"));
    assert!(told.is_some_and(|text| {
        text.ends_with("here it left no row in a group that fails a model on all quasi-identifiers")
    }));
}

/// One domain for each column costs what the loss grows by.
#[test]
fn flattening_costs_the_loss_that_it_adds() {
    let folder = tempfile::tempdir().expect("a folder");
    let loss = |released: &Released| released.summary.metrics["loss"].as_f64().expect("a figure");
    let mondrian = |more: &str| format!("{K_AND_L}[algorithm]\nname = \"mondrian\"\n{more}");
    let (plain, sheet, _) = release(folder.path(), &mondrian(""));
    assert_eq!(sheet["columns"][0]["kinds"], serde_json::json!(["interval"]));
    let (flat, _, report) = release(folder.path(), &mondrian("flatten = true\n"));
    let metrics = report["metrics"].as_array().expect("metrics");
    let range = |name: &str| metrics.iter().find(|of| of["name"] == name).map(|of| of["range"].clone());
    assert_eq!(
        (range("loss"), range("discernibility")),
        (Some(serde_json::json!([0.0, 1.0])), Some(Value::Null))
    );
    let cost =
        flat.summary.findings.iter().find(|finding| finding.name == "flatten_cost").expect("a finding");
    let (cost, added) = (cost.value.expect("a figure"), loss(&flat) - loss(&plain));
    assert!((cost - added).abs() < 1e-12 && added >= 0.0, "{cost} {added}");
}

/// The report says of every group of people how many rows were suppressed: here the two of town c, who are too few.
#[test]
fn suppressed_rows_are_told_by_group() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows =
        "age,town,ill\n30,a,flu\n30,a,flu\n30,a,cold\n40,b,flu\n40,b,cold\n40,b,cold\n50,c,flu\n50,c,cold\n";
    std::fs::write(folder.path().join("in.csv"), rows).expect("a table");
    let plan = "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"report\"\n[columns]\nage = { role = \"quasi\" }\n\
                town = { role = \"quasi\" }\nill = { role = \"other\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n\
                [algorithm]\nname = \"optimal\"\nsuppression = 0.5\nstar_policy = \"paper\"\n";
    let released = anonymized(folder.path(), plan);
    assert_eq!(released.summary.suppressed, 2, "{:?}", released.summary.levels);
    let report = std::fs::read_to_string(folder.path().join("report/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let columns = report["suppression"]["subgroups"].as_array().expect("columns");
    assert_eq!(columns.len(), 2, "{columns:?}");
    for (column, [one, last]) in columns.iter().zip([["30", "50"], ["a", "c"]]) {
        let groups = column["groups"].as_array().expect("groups");
        assert_eq!(groups.len(), 3, "{column}");
        assert_eq!((&groups[0]["value"], &groups[0]["suppressed"]), (&one.into(), &0.into()), "{column}");
        assert_eq!((&groups[2]["value"], &groups[2]["suppressed"]), (&last.into(), &2.into()), "{column}");
    }
}

/// Tables that were published before are asked about by a model, or the plan means something else.
#[test]
fn earlier_tables_without_a_model_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), ROWS).expect("a table");
    let plan = |algorithm: &str| {
        let text = format!(
            "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             town = {{ role = \"quasi\" }}\nill = {{ role = \"sensitive\" }}\n[[table]]\nfile = \"in.csv\"\nquasi = [\"age\"]\n\
             {K_AND_L}[algorithm]\nname = \"{algorithm}\"\n"
        );
        Plan::from_toml(&text, "plan").expect("a plan")
    };
    for (algorithm, wish) in
        [("mondrian", "no model is about several tables"), ("nsvdist", "'nsvdist' makes none")]
    {
        let told =
            anonymize(&plan(algorithm), &mut options(folder.path())).err().map(|error| error.to_string());
        assert!(told.as_ref().is_some_and(|told| told.contains(wish)), "{told:?}");
    }
}

#[test]
fn datasheets_tell_the_rows_of_every_table() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), ROWS).expect("a table");
    let plan = "input = \"in.csv\"\noutput = \"out\"\nreport = \"\"\n[columns]\nage = { role = \"quasi\" }\n\
                town = { role = \"quasi\" }\nill = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"l_diversity\"\nl = 2\n\
                [algorithm]\nname = \"anatomy\"\n";
    anonymized(folder.path(), plan);
    let sheet = std::fs::read_to_string(folder.path().join("out/datasheet.json")).expect("a datasheet");
    let sheet: Value = serde_json::from_str(&sheet).expect("JSON");
    let files = sheet["files"].as_array().expect("files");
    for of in files {
        let name = of["file"].as_str().expect("a name");
        let lines =
            std::fs::read_to_string(folder.path().join("out").join(name)).expect("a file").lines().count();
        let rows = name.ends_with(".csv").then_some(lines as u64 - 1);
        assert_eq!(of["rows"].as_u64(), rows, "{name}");
    }
    assert_eq!(files.len(), 3, "{files:?}");
}

/// The town decides the class, so the age is in no table and lost; the town is published unchanged.
#[test]
fn columns_in_no_table_are_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "age,town,ill\n30,a,flu\n31,a,flu\n32,a,flu\n30,b,cold\n31,b,cold\n32,b,cold\n";
    std::fs::write(folder.path().join("in.csv"), rows).expect("a table");
    let plan = "input = \"in.csv\"\noutput = \"out\"\nreport = \"report\"\n[columns]\nage = { role = \"quasi\" }\n\
                town = { role = \"quasi\" }\nill = { role = \"class\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n\
                [algorithm]\nname = \"reduct\"\n";
    let released = anonymized(folder.path(), plan);
    assert_eq!(released.summary.metrics["loss"], 0.5);
    let report = std::fs::read_to_string(folder.path().join("report/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(names(&report), ["town"]);
    assert_eq!(report["columns"][0]["loss"], 0.0);
}

/// The age decides the class and is shown in two ranges of four; what a steward calls other is reported as such.
#[test]
fn ranges_of_several_tables_cost_their_width() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |age: u32| {
        format!("{age},{},{}\n", if age < 24 { "x" } else { "y" }, if age < 24 { "flu" } else { "cold" })
    };
    let rows: String = (20..28).map(line).collect();
    std::fs::write(folder.path().join("in.csv"), format!("age,ward,ill\n{rows}")).expect("a table");
    let told = |of_ward: &str| {
        let plan = format!(
            "input = \"in.csv\"\noutput = \"out\"\nreport = \"report\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             ward = {{ role = \"{of_ward}\" }}\nill = {{ role = \"class\" }}\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 4\n\
             [algorithm]\nname = \"dmpd\"\nbins = 2\n"
        );
        let loss = anonymized(folder.path(), &plan).summary.metrics["loss"].as_f64();
        let report = std::fs::read_to_string(folder.path().join("report/report.json")).expect("a report");
        let mut report: Value = serde_json::from_str(&report).expect("JSON");
        (report["columns"][0].take(), loss)
    };
    let (ward, loss) = told("other");
    assert_eq!((&ward["name"], &ward["role"], loss), (&"ward".into(), &"other".into(), Some(0.5)), "{ward}");
    let (age, loss) = told("drop");
    assert_eq!(
        (&age["name"], &age["role"], &age["distinct_after"]),
        (&"age".into(), &"quasi".into(), &2.into()),
        "{age}"
    );
    // Each range is three of seven wide.
    assert!((loss.expect("a figure") - 3.0 / 7.0).abs() < 1e-12 && age["loss"].as_f64() == loss, "{age}");
}

/// Reports, recodings and row maps are about rows that were searched: new rows have none, whatever a plan says.
#[test]
fn new_rows_have_no_papers_but_a_datasheet() {
    let folder = tempfile::tempdir().expect("a folder");
    release(folder.path(), &format!("{K_AND_L}[algorithm]\nname = \"mondrian\"\n"));
    let saved = SavedRecoding::load(&folder.path().join("report/recoding.json")).expect("a recoding");
    let plan = Plan {
        report: "again".to_owned(),
        recoding: Some("again.json".to_owned()),
        row_map: Some("map.json".to_owned()),
        ..saved.plan("in.csv", "again.csv")
    };
    let applied = apply(&saved, &plan, false, &mut options(folder.path())).expect("recoded rows").released;
    assert!(applied.report.is_none() && applied.recoding.is_none() && applied.row_map.is_none());
    assert!(folder.path().join("again.csv.datasheet.json").exists());
    for absent in ["again", "again.json", "map.json"] {
        assert!(!folder.path().join(absent).exists(), "{absent}");
    }
}

/// Under the policy `paper` the rows that show * are not checked, and the datasheet excepts them; where there are none, nothing is
/// excepted.
#[test]
fn only_rows_that_were_not_judged_are_excepted() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |k: u32| {
        let rest = format!(
            "[[privacy]]\nmodel = \"k_anonymity\"\nk = {k}\n[algorithm]\nname = \"optimal\"\nsuppression = 0.5\n\
             star_policy = \"paper\"\n"
        );
        std::fs::write(folder.path().join("in.csv"), "town,ill\na,flu\na,flu\na,cold\nb,flu\nb,cold\n")
            .expect("a table");
        let plan = "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\ntown = { role = \"quasi\" }\n\
                    ill = { role = \"other\" }\n";
        let suppressed = anonymized(folder.path(), &format!("{plan}{rest}")).summary.suppressed;
        let sheet =
            std::fs::read_to_string(folder.path().join("out.csv.datasheet.json")).expect("a datasheet");
        (suppressed, sheet.contains("which were not judged"), sheet.contains("not covered by the guarantees"))
    };
    assert_eq!(told(3), (2, true, true));
    assert_eq!(told(2), (0, false, false));
}

/// What keeps its exact values is reported to the owner, alone and together, with how many rows have a value of their own. Of eight rows
/// one has gout, and mondrian leaves no class of two with one illness.
#[test]
fn the_report_tells_what_is_published_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let (.., report) = release(folder.path(), &format!("{K_AND_L}[algorithm]\nname = \"mondrian\"\n"));
    let kept = &report["kept"];
    let alone = serde_json::json!({ "rows": 8, "distinct": 3, "unique_rows": 1, "few_rows": 8 });
    assert_eq!((names(kept), &kept["columns"][0]["uniqueness"]), (vec!["ill"], &alone), "{kept}");
    assert_eq!(kept["together"], alone, "{kept}");
    let same = &kept["homogeneous"][0];
    assert_eq!(
        (&same["column"], &same["rows"], &same["rows_in_all"]),
        (&"ill".into(), &0.into(), &8.into()),
        "{same}"
    );
}

/// Where more than half of the rows show nothing, the release is of little use, and a warning names the columns that are to blame: on the
/// screen and in the report.
#[test]
fn a_release_that_says_little_is_warned_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let rest =
        "[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n[algorithm]\nname = \"optimal\"\nsuppression = 1\n";
    let rows = "town,ill\na,flu\na,flu\na,cold\nb,flu\nc,cold\nd,cold\ne,flu\n";
    std::fs::write(folder.path().join("in.csv"), rows).expect("a table");
    let plan = format!(
        "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"report\"\n[columns]\ntown = {{ role = \"quasi\" }}\n\
         ill = {{ role = \"other\" }}\n{rest}"
    );
    let told = anonymized(folder.path(), &plan).summary.warnings;
    let little = "4 of 7 rows are suppressed (their other columns are still published), so the release says little. The columns that tell rows apart most are town (5 values)";
    assert!(told.iter().any(|text| text.starts_with(little)), "{told:?}");
    let report = std::fs::read_to_string(folder.path().join("report/report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let texts: Vec<&str> = report["warnings"]
        .as_array()
        .expect("warnings")
        .iter()
        .filter_map(|of| of["text"].as_str())
        .collect();
    assert!(told.iter().all(|text| texts.contains(&text.as_str())), "{texts:?}");
}

/// What is not promised is said in whole sentences: also what the plan counts as different values, and only if it does.
#[test]
fn datasheets_say_what_is_counted_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let limits = |rest: &str| -> Vec<String> {
        std::fs::write(folder.path().join("in.csv"), ROWS).expect("a table");
        let plan = format!(
            "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\nage = {{ role = \"quasi\" }}\n\
             town = {{ role = \"quasi\" }}\nill = {{ role = \"sensitive\"{rest} }}\n{K_AND_L}"
        );
        anonymized(folder.path(), &plan);
        let sheet =
            std::fs::read_to_string(folder.path().join("out.csv.datasheet.json")).expect("a datasheet");
        let sheet: Value = serde_json::from_str(&sheet).expect("JSON");
        let limits: Vec<String> = serde_json::from_value(sheet["limits"].clone()).expect("texts");
        assert!(limits.iter().all(|line| line.len() > 1 && line.ends_with('.')), "{limits:?}");
        limits
    };
    let plain = limits("");
    let exact = limits(", equality = \"exact\"");
    let added: Vec<&String> = exact.iter().filter(|line| !plain.contains(line)).collect();
    assert_eq!(
        added,
        ["Each spelling of a value of 'ill' counts as a value of its own, as if HIV and hiv were two."]
    );
}

/// A limit for what is read holds for the table of a release: a larger one is not read, and the message says what to raise.
#[test]
fn a_table_above_the_limit_of_the_plan_is_not_read() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), format!("age,town,ill\n{}", "30,a,flu\n".repeat(2_000)))
        .expect("a table");
    let plan = |most: &str| {
        let text = format!(
            "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[read]\nmax_size = \"{most}\"\n[columns]\n\
             age = {{ role = \"quasi\" }}\ntown = {{ role = \"quasi\" }}\nill = {{ role = \"other\" }}\n[[privacy]]\n\
             model = \"k_anonymity\"\nk = 2\n"
        );
        Plan::from_toml(&text, "plan").expect("a plan")
    };
    let error = anonymize(&plan("10KB"), &mut options(folder.path())).err().map(|error| error.to_string());
    assert!(error.as_ref().is_some_and(|text| text.contains("the limit that was given")), "{error:?}");
    anonymize(&plan("1MB"), &mut options(folder.path())).expect("a release");
}

/// Where a search needs hierarchies and none is given, they are made of the data, and a note says of which kind.
#[test]
fn hierarchies_that_nobody_gave_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (released, ..) = release(folder.path(), &format!("{K_AND_L}[algorithm]\nname = \"optimal\"\n"));
    let notes = &released.summary.notes;
    let ways =
        [("age", "from the data (ranges of equal width)"), ("town", "by a fixed rule (the value or *)")];
    for (column, how) in ways {
        let told = format!("column '{column}' has no hierarchy; one was built {how}");
        assert!(notes.contains(&told), "{notes:?}");
    }
}
