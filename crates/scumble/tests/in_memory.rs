//! Releases for programs: tables in memory in, the same tables out that would stand in files, with the same papers.

mod common;

use std::path::Path;
use std::sync::Mutex;

use common::memory::{batches, texts, texts_of};
use common::served::{EARLIER, PEOPLE, plan, plan_beside, rows};
use scumble::ErrorKind;
use scumble::arrow_array::{RecordBatchIterator, RecordBatchReader};
use scumble::arrow_schema::ArrowError;
use scumble::prelude::*;
use scumble::problem::Progress;
use scumble::registry::algorithm_names;
use scumble::release::{Released, RunOptions, anonymize};
use serde_json::Value as Json;

/// A folder with a table, and the table in memory.
fn table(folder: &Path, text: &str) -> Batches {
    std::fs::write(folder.join("in.csv"), text).expect("a table");
    batches(&Source::open(folder.join("in.csv")).expect("a table"))
}

fn into_files(plan: &Plan, folder: &Path) -> scumble::Result<Released> {
    let (progress, stage) = (Progress::default(), &|_| {});
    anonymize(plan, &mut RunOptions { folder, progress, stage, standard_output: None })
}

fn json(text: &str) -> Json {
    serde_json::from_str(text).expect("JSON")
}

/// The same message where there are no files.
fn without_files(told: &Json) -> Json {
    json(&told.to_string().replace("map.json", "the row map").replace(".csv\"", "\""))
}

/// The same without what differs from run to run.
fn lasting(summary: &Summary) -> Json {
    let mut summary = serde_json::to_value(summary).expect("JSON");
    summary["seconds"].take();
    summary["peak_memory_bytes"].take();
    without_files(&summary)
}

#[test]
fn everything_in_the_registry_is_the_same_in_memory() {
    for algorithm in algorithm_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        let rows = table(folder, &rows());
        let mut plan = plan(algorithm);
        // What is drawn is drawn alike.
        plan.algorithm.seed = Some(1);
        plan.row_map = Some("map.json".to_owned());
        let files = into_files(&plan, folder).unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        let memory = Release::of(rows, &plan).unwrap_or_else(|error| panic!("{algorithm}: {error}"));

        let sheet = json(&memory.datasheet_json().expect("a datasheet"));
        let (written, map) = if let Some(manifest) = &memory.manifest {
            let folder = files.release.expect("a folder");
            for (name, table) in memory.tables() {
                let file = Source::open(folder.join(format!("{name}.csv"))).expect("a table");
                assert_eq!(texts(table), texts_of(&file), "{algorithm}, {name}");
            }
            let written = json(&std::fs::read_to_string(folder.join("manifest.json")).expect("a manifest"));
            assert_eq!(serde_json::to_value(manifest).expect("JSON"), without_files(&written), "{algorithm}");
            assert_eq!(lasting(&memory.summary), lasting(&files.summary), "{algorithm}");
            let is_one = memory.tables().count() == 1;
            assert_eq!(memory.table().is_ok(), is_one, "{algorithm}");
            (folder.join("datasheet.json"), files.row_map)
        } else {
            let file = Source::open(folder.join("out.csv")).expect("a table");
            assert_eq!(texts(memory.table().expect("one table")), texts_of(&file), "{algorithm}");
            assert_eq!(lasting(&memory.summary), lasting(&files.summary), "{algorithm}");
            (folder.join("out.csv.datasheet.json"), files.row_map)
        };
        // A datasheet names the files that it is about; in memory there are none.
        let mut of_file = json(&std::fs::read_to_string(&written).expect("a datasheet"));
        assert!(!of_file["files"].as_array().expect("files").is_empty(), "{algorithm}");
        of_file["files"] = Json::Array(Vec::new());
        assert_eq!(sheet, of_file, "{algorithm}");
        let map = json(&std::fs::read_to_string(map.expect("a map")).expect("a map"));
        let of_memory = memory.row_map.expect("a map");
        let tables: Vec<Vec<Option<u64>>> = map["tables"]
            .as_array()
            .expect("tables")
            .iter()
            .map(|table| {
                let rows = table["released_row"].as_array().expect("rows").iter();
                rows.map(|row| row.as_u64().map(|row| row - 1)).collect()
            })
            .collect();
        assert_eq!(
            json(&serde_json::to_string(&of_memory.tables).expect("JSON")),
            serde_json::json!(tables),
            "{algorithm}"
        );
        assert_eq!(
            json(&serde_json::to_string(&of_memory.groups).expect("JSON")),
            map["groups"],
            "{algorithm}"
        );
        let rule = json(&std::fs::read_to_string(folder.join("report/recoding.json")).expect("a rule"));
        assert_eq!(json(&memory.recoding.expect("a rule")), without_files(&rule), "{algorithm}");
        assert!(memory.report.is_some_and(|report| !report.columns.is_empty()), "{algorithm}");
    }
}

#[test]
fn the_rule_is_handed_out_where_the_plan_asks_for_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), &rows());
    let mut plan = Plan { report: String::new(), ..plan("mondrian") };
    let without = Release::of(rows.clone(), &plan).expect("a release");
    assert!(without.recoding.is_none() && without.report.is_none() && without.row_map.is_none());
    let names: Vec<&str> = without.tables().map(|(name, _)| name).collect();
    assert_eq!(names, ["release"]);
    plan.recoding = Some("rule.json".to_owned());
    let with = Release::of(rows, &plan).expect("a release");
    into_files(&plan, folder.path()).expect("a release");
    let written = std::fs::read_to_string(folder.path().join("rule.json")).expect("a rule");
    assert_eq!(json(&with.recoding.expect("a rule")), json(&written));
}

/// Hierarchies, a population and earlier tables can be given by a program, and do what files do.
#[test]
fn what_a_plan_names_can_be_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let towns = "t0;north;*\nt1;north;*\nt2;south;*\n";
    // Too few people in t0 and in t1, and enough in the north and in the south.
    let people: String = (0..300).map(|row| format!("t{}\n", [0, 1, 2, 2, 2][row % 5])).collect();
    let people = format!("town\n{people}");
    std::fs::create_dir(folder.join("trees")).expect("a folder");
    std::fs::write(folder.join("trees/town.csv"), towns).expect("a file");
    std::fs::write(folder.join("people.csv"), &people).expect("a file");
    let rows = table(folder, &rows());
    let mut plan = Plan::of_columns([
        ("age", Role::Drop),
        ("pay", Role::Drop),
        ("town", Role::Quasi),
        ("ill", Role::Sensitive),
        ("job", Role::Drop),
        ("shift", Role::Drop),
    ])
    .require(ModelSpec::new("k_map").with("k", 100))
    .require(ModelSpec::new("l_diversity").with("l", 2))
    .with_algorithm("optimal");
    plan.population = Some("people.csv".to_owned());
    let in_folder = Plan {
        input: "in.csv".into(),
        output: "out.csv".into(),
        hierarchies: Some("trees".into()),
        ..plan.clone()
    };
    into_files(&in_folder, folder).expect("a release");
    let resources = Resources::default()
        .with_table("people.csv", batches(&Source::open(folder.join("people.csv")).expect("people")))
        .with_hierarchy("town", towns)
        .expect("a hierarchy");
    let with = |resources: &Resources| {
        let rows = Source::from_batches(rows.clone(), "it");
        Release::with(&rows, &plan, resources, &Control::default(), &|_| {})
    };
    let memory = with(&resources).expect("a release");
    assert_eq!(
        texts(memory.table().expect("one table")),
        texts_of(&Source::open(folder.join("out.csv")).expect("a release"))
    );
    assert!(
        texts(memory.table().expect("one table")).rows.iter().any(|row| row.contains(&"north".to_owned())),
        "the hierarchy was not used"
    );
    // What nobody uses.
    let refused = |resources: Resources, words: &[&str]| {
        let error = with(&resources).expect_err("it is not used").to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    };
    let tree = |column: &str| resources.clone().with_hierarchy(column, towns).expect("a hierarchy");
    refused(tree("towm"), &["'towm'", "did you mean 'town'"]);
    refused(tree("age"), &["'age'", "never generalised"]);
    refused(
        resources.clone().with_table("poeple.csv", rows.clone()),
        &["'poeple.csv'", "did you mean 'people.csv'"],
    );
    // What nobody gave.
    refused(Resources::default(), &["the plan names the table 'people.csv'"]);
    // A table that was given anew is examined anew.
    let few = batches(&Source::open(folder.join("in.csv")).expect("a table"));
    refused(resources.with_table("people.csv", few), &["k-map"]);
    let Err(error) = Resources::default().with_hierarchy("town", "t0\n") else { panic!("no hierarchy") };
    assert!(error.to_string().contains("the hierarchy of 'town'"), "{error}");
}

#[test]
fn earlier_tables_can_be_in_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("earlier.csv"), EARLIER).expect("a file");
    let (rows, plan) = (table(folder.path(), PEOPLE), plan_beside(2));
    let files = into_files(&plan, folder.path()).expect("a release");
    let earlier = batches(&Source::open(folder.path().join("earlier.csv")).expect("a table"));
    let resources = Resources::default().with_table("earlier.csv", earlier);
    let memory =
        Release::with(&Source::from_batches(rows, "it"), &plan, &resources, &Control::default(), &|_| {})
            .expect("a release");
    assert_eq!(lasting(&memory.summary), lasting(&files.summary));
    // Larger groups were needed, so the earlier table was examined.
    assert!(memory.summary.smallest_class >= Some(4), "{:?}", memory.summary.smallest_class);
    assert!(memory.summary.notes.iter().any(|note| note.contains("larger groups than asked for")));
}

#[test]
fn a_release_in_memory_can_be_stopped_at_any_look() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("earlier.csv"), EARLIER).expect("a file");
    let earlier = batches(&Source::open(folder.path().join("earlier.csv")).expect("a table"));
    let beside = Resources::default().with_table("earlier.csv", earlier);
    let people = table(folder.path(), PEOPLE);
    let rows = table(folder.path(), &rows());
    let none = Resources::default();
    for (name, rows, plan, resources) in [
        ("classes", &rows, plan("mondrian"), &none),
        ("records", &rows, plan("nsvdist"), &none),
        ("tables", &rows, plan("anatomy"), &none),
        ("beside others", &people, plan_beside(2), &beside),
    ] {
        let run = |looks: u64| {
            let (control, stages) = (Control::of_looks(looks), Mutex::new(Vec::new()));
            let source = Source::from_batches(rows.clone(), "it");
            let note = |stage| stages.lock().expect("one thread").push(stage);
            let ended = Release::with(&source, &plan, resources, &control, &note).map(drop);
            (ended, control.looks(), stages.into_inner().expect("one thread"))
        };
        let (ended, looks, stages) = run(u64::MAX);
        ended.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((stages[0], stages.last()), (Stage::Read, Some(&Stage::Publish)), "{name}");
        for look in 0..looks {
            let (ended, ..) = run(look);
            assert!(
                matches!(&ended, Err(error) if error.kind() == ErrorKind::Interrupted),
                "{name}, look {look} of {looks}: {ended:?}"
            );
        }
    }
}

/// A hierarchy file that lists leaves for one column and parents for another is read in both ways.
#[test]
fn a_file_in_two_layouts_is_two_hierarchies() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    std::fs::write(folder.join("tree.csv"), "a;n\nb;n\nc;m\nn;m\n").expect("a file");
    std::fs::write(folder.join("in.csv"), "x,y\na,a\nb,b\nc,c\na,a\n").expect("a table");
    for _ in 0..20 {
        let text = "input = \"in.csv\"\noutput = \"out.csv\"\nreport = \"\"\n[columns]\n\
                    x = { role = \"quasi\", hierarchy = { build = \"parent_child\", path = \"tree.csv\" } }\n\
                    y = { role = \"quasi\", hierarchy = { build = \"file\", path = \"tree.csv\" } }\n\
                    [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n";
        let error = into_files(&Plan::from_toml(text, "plan").expect("a plan"), folder)
            .map(drop)
            .expect_err("two roots");
        assert!(error.to_string().contains("no single root"), "{error}");
    }
}

#[test]
fn a_column_that_is_named_twice_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), &rows());
    let plan = Plan::of_columns([("age", Role::Quasi), ("town", Role::Quasi), ("age", Role::Other)]);
    let error = Release::of(rows, &plan).expect_err("two roles").to_string();
    assert!(error.contains("column 'age' is named twice"), "{error}");
}

/// Standard output is lent to a run, not given away.
#[test]
fn options_serve_a_second_run() {
    let folder = tempfile::tempdir().expect("a folder");
    table(folder.path(), &rows());
    let plan = Plan { output: "-".to_owned(), ..plan("mondrian") };
    let mut out = Vec::new();
    let mut options = RunOptions {
        folder: folder.path(),
        progress: Progress::default(),
        stage: &|_| {},
        standard_output: Some(&mut out),
    };
    anonymize(&plan, &mut options).expect("a release");
    anonymize(&plan, &mut options).expect("the same again");
    assert_eq!(out.len() % 2, 0);
    assert!(!out.is_empty() && out[..out.len() / 2] == out[out.len() / 2..]);
}

#[test]
fn a_stream_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), &rows());
    let plan = plan("mondrian");
    let parts: Vec<_> =
        (0..60).step_by(7).map(|from| rows.batches()[0].slice(from, 7.min(60 - from))).collect();
    let stream = |parts: Vec<RecordBatch>| -> Box<dyn RecordBatchReader + Send> {
        let schema = rows.schema().clone();
        Box::new(RecordBatchIterator::new(parts.into_iter().map(Ok), schema))
    };
    let with =
        |source: &Source| Release::with(source, &plan, &Resources::default(), &Control::default(), &|_| {});
    let source = Source::from_stream(stream(parts.clone()), "the stream");
    let streamed = with(&source).expect("a release");
    let whole = Release::of(rows.clone(), &plan).expect("a release");
    assert_eq!(texts(streamed.table().expect("one table")), texts(whole.table().expect("one table")));
    let error = with(&source).expect_err("nothing is left of it");
    assert!(
        error.to_string().contains("'the stream' is a stream of record batches, and was read already"),
        "{error}"
    );
    // A batch of other columns.
    let other = parts[0].project(&[0, 1]).expect("two columns");
    let wrong = Source::from_stream(stream([parts.clone(), vec![other]].concat()), "the stream");
    let error = with(&wrong).expect_err("other columns");
    assert!(error.to_string().contains("a batch has other columns than the stream"), "{error}");
    // A reader that fails; what it says may be a value of somebody.
    let failing = vec![Ok(parts[0].clone()), Err(ArrowError::ParseError("Ann is ill".to_owned()))];
    let failing: Box<dyn RecordBatchReader + Send> =
        Box::new(RecordBatchIterator::new(failing, rows.schema().clone()));
    let error = with(&Source::from_stream(failing, "the stream")).expect_err("it fails");
    assert!(error.kind() == ErrorKind::Data && error.to_string().contains("its reader failed"), "{error}");
    assert!(!error.to_string().contains("Ann"), "{error}");
}

#[test]
fn what_files_alone_have_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), &rows());
    let plan = Plan { spreadsheet_safe: true, ..plan("mondrian") };
    let Err(error) = Release::of(rows, &plan) else { panic!("no spreadsheet opens it") };
    assert!(error.to_string().contains("the spreadsheet-safe form is for delimited text"), "{error}");
    let rows = table(folder.path(), "a\n1\n");
    let plan = Plan { output_dialect: Some(OutputDialect::ExcelDe), spreadsheet_safe: false, ..plan };
    let Err(error) = Release::of(rows, &plan) else { panic!("there are no decimal marks") };
    assert!(error.to_string().contains("a dialect is for delimited text"), "{error}");
}

/// Ranges are two typed columns in memory too, and a plan is enough to read them.
#[test]
fn ranges_in_memory_are_two_columns() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), "born,ill\n1990-01-05,a\n1990-06-05,b\n,a\n,b\n");
    let mut born = Column::new(Roles::one(Role::Quasi));
    born.range = Range::TwoColumns;
    let plan = Plan::of_columns([("born", born), ("ill", Role::Other.into())])
        .require(ModelSpec::new("k_anonymity").with("k", 2));
    let release = Release::of(rows.clone(), &plan).expect("a release");
    let table = release.table().expect("one table");
    let types: Vec<String> = table.schema().fields().iter().map(|of| of.data_type().to_string()).collect();
    assert_eq!(types, ["Date32", "Date32", "Utf8"]);
    assert_eq!(table.schema().field(1).name(), "born_high");
    assert!(release.datasheet_markdown().contains("born is written as two columns"));
    let (table, original) =
        (Source::from_batches(table.clone(), "the release"), Source::from_batches(rows, "the original"));
    let checked = Checked::of(&table, Some(&original), &plan, &Resources::default()).expect("checked");
    assert!(checked.holds() && checked.truth.is_some());
}

/// Programs ask about tables in memory what the commands ask about files.
#[test]
fn releases_in_memory_are_checked_and_assessed() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), &rows());
    let plan = plan("mondrian");
    let release = Release::of(rows.clone(), &plan).expect("a release");
    let release = Source::from_batches(release.table().expect("one table").clone(), "the release");
    let original = Source::from_batches(rows, "the original");
    let none = Resources::default();
    let checked = Checked::of(&release, Some(&original), &plan, &none).expect("checked");
    assert!(checked.holds() && checked.truth.is_some_and(|truth| truth.holds));
    let stricter = Plan { privacy: vec![ModelSpec::new("k_anonymity").with("k", 40)], ..plan.clone() };
    assert!(!Checked::of(&release, None, &stricter, &none).expect("checked").holds());
    let risk =
        |source: &Source| Assessment::of(source, &plan, &none).expect("assessed").prosecutor.highest.finite();
    assert!(risk(&release) <= Some(1.0 / 3.0) && risk(&original) > risk(&release));
    let other = Plan::of_columns([("aeg", Role::Quasi)]);
    let Err(error) = Checked::of(&release, None, &other, &none) else { panic!("there is no such column") };
    assert!(error.to_string().contains("did you mean 'age'"), "{error}");
    let Err(error) = Assessment::of(&release, &other, &none) else { panic!("there is no such column") };
    assert!(error.to_string().contains("did you mean 'age'"), "{error}");
}

/// A recoding shows rows in memory as it shows the same rows in a file, published or private.
#[test]
fn new_rows_in_memory_are_recoded_like_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let old = table(folder, &rows());
    let mut plan = plan("mondrian");
    plan.recoding = Some("rule.json".to_owned());
    let release = Release::of(old.clone(), &plan).expect("a release");
    let saved = SavedRecoding::from_json(&release.recoding.expect("a rule")).expect("a recoding");
    for private in [false, true] {
        let in_memory = RecodedRows::of(&saved, old.clone(), private).expect("rows");
        let (progress, stage) = (Progress::default(), &|_| {});
        let options = &mut RunOptions { folder, progress, stage, standard_output: None };
        let output = format!("new-{private}.csv");
        let files = scumble::release::apply(&saved, &saved.plan("in.csv", &output), private, options);
        let files = files.expect("a file");
        let written = batches(&Source::open(folder.join(&output)).expect("a table"));
        assert_eq!(texts(in_memory.table()), texts(&written), "private: {private}");
        assert_eq!(lasting(&in_memory.summary)["rows"], lasting(&files.released.summary)["rows"]);
        assert_eq!((&in_memory.unplaced, in_memory.private), (&files.unplaced, private));
        let sheet = in_memory.datasheet_markdown();
        assert_eq!(sheet.is_none(), private, "rows for their owner have no datasheet");
        assert_eq!(in_memory.datasheet_json().expect("JSON").is_none(), private);
    }
    let damaged =
        SavedRecoding::from_json("{\"scumble_recoding\":1}").err().expect("not complete").to_string();
    assert!(damaged.starts_with("the recoding in memory is damaged or was changed"), "{damaged}");
    // A cancelled run hands nothing out.
    let control = Control::default();
    control.cancel();
    let source = Source::from_batches(old, "rows");
    let plan = saved.plan("rows", "recoded.arrow");
    let stopped = RecodedRows::with(&saved, &source, &plan, false, &control, &|_| {});
    assert_eq!(stopped.err().map(|error| error.kind()), Some(ErrorKind::Interrupted));
}

/// What the command undoes and reports, programs get too: the spreadsheet-safe form, rows that are left out, the risk of every row.
#[test]
fn files_are_asked_about_as_the_command_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let lines = ["30,=flu", "30,gout", "31,=flu", "31,gout", ",gout"];
    std::fs::write(folder.join("in.csv"), format!("age,ill\n{}\n", lines.join("\n"))).expect("a table");
    let mut plan = Plan::of_columns([("age", Role::Quasi), ("ill", Role::Sensitive)])
        .require(ModelSpec::new("k_anonymity").with("k", 2))
        .require(ModelSpec::new("l_diversity").with("l", 2));
    plan.input = "in.csv".to_owned();
    plan.output = "out.csv".to_owned();
    plan.read.missing_policy = MissingPolicy::DropRow;
    plan.spreadsheet_safe = true;
    into_files(&plan, folder).expect("a release");
    let [release, original] =
        ["out.csv", "in.csv"].map(|name| Source::open(folder.join(name)).expect("a file"));
    let none = Resources::default();
    let checked = Checked::of(&release, Some(&original), &plan, &none).expect("checked");
    assert!(checked.holds() && checked.truth.is_some_and(|truth| truth.holds));
    assert_eq!((checked.read.rows, &checked.read.quasi), (4, &vec!["age".to_owned()]));
    assert!(checked.read.notes.iter().any(|note| note.contains("1 row")), "{:?}", checked.read.notes);
    let told = Assessment::with(&(&original).into(), &plan, &none, &|_| {}).expect("assessed");
    assert!(told.read.warnings.iter().any(|note| note.contains("1 row")), "{:?}", told.read.warnings);
    assert_eq!((told.found.rows, told.records.to_csv().lines().count()), (4, 5));
}

/// A program checks with the row map that it was given with the release.
#[test]
fn row_maps_in_memory_are_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = table(folder.path(), &rows());
    let plan = Plan { row_map: Some("map".to_owned()), ..plan("mondrian") };
    let release = Release::of(rows.clone(), &plan).expect("a release");
    let table = Source::from_batches(release.table().expect("one table").clone(), "the release");
    let original = Source::from_batches(rows, "the original");
    let map = release.row_map.expect("asked for");
    let checked = |map: &RowMap| {
        let map = SavedRowMap::from(map.clone());
        let beside = Beside { original: &original, row_map: Some(&map) };
        Checked::with(&(&table).into(), Some(beside), &plan, &Resources::default(), &|_| {})
    };
    assert!(checked(&map).expect("checked").holds());
    let mut shifted = map;
    shifted.tables[0].rotate_left(1);
    assert!(!checked(&shifted).is_ok_and(|checked| checked.holds()), "every row is somebody else's");
}

/// A run may have threads of its own; their number decides nothing.
#[test]
fn a_release_is_the_same_on_one_thread_and_on_three() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Source::from_batches(table(folder.path(), &rows()), "rows");
    let on = |threads: usize| {
        let control = Control::default().on_threads(threads).expect("threads");
        let mut seen = Mutex::new(0);
        let none = Resources::default();
        let stage = |_| *seen.lock().expect("not held") = rayon::current_num_threads();
        let release = Release::with(&source, &plan("mondrian"), &none, &control, &stage).expect("a release");
        assert_eq!(*seen.get_mut().expect("not held"), threads, "it works on these threads");
        (texts(release.table().expect("one table")), release.datasheet_markdown())
    };
    assert_eq!(on(1), on(3));
}

#[test]
fn personal_data_stops_a_release_in_memory_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "age,contact\n".to_owned();
    (0..40).for_each(|row| text += &format!("{},someone{row}@mail.example\n", 30 + row % 4));
    let rows = || table(folder.path(), &text);
    let plan = |contact: Column| {
        let plan = Plan::of_columns([("age", Role::Quasi)]).with_column("contact", contact);
        plan.require(ModelSpec::new("k_anonymity").with("k", 2))
    };
    let error = Release::of(rows(), &plan(Role::Other.into())).expect_err("addresses");
    assert_eq!(error.kind(), ErrorKind::Refused);
    let told = error.to_string();
    assert!(
        told.contains("40 of 40 distinct values look like e-mail addresses") && !told.contains('@'),
        "{told}"
    );
    let mut accepting = Column::from(Role::Other);
    accepting.accept_pii = Some(AcceptPii {
        kinds: vec![GatedKind::from_name("email").expect("a kind")],
        reason: "a public register".to_owned(),
    });
    let release = Release::of(rows(), &plan(accepting)).expect("accepted");
    assert_eq!(release.summary.personal.accepted[0].kinds[0].values, 40);
    assert_eq!(release.report.expect("a report").personal, release.summary.personal);
}
