//! Steps before the search: every transform on random columns, with its result checked by the verifier, which has rules of its own.

mod common;

use std::path::Path;

use common::memory::{batches, texts};
use proptest::prelude::*;
use scumble::prelude::*;
use scumble::release::read_original;
use scumble_files::table::CodedTable;

/// Carries out one step on a table of delimited text. An error of the verifier would be a bug.
fn stepped(text: &str, step: &str, roles: &[(&str, Role)]) -> scumble::Result<CodedTable> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), text).expect("a table");
    let mut plan = Plan::from_toml(
        &format!("input = \"in.csv\"\noutput = \"out.csv\"\n[[transform]]\n{step}\n"),
        "plan",
    )?;
    plan.columns = roles.iter().map(|(name, role)| ((*name).to_owned(), (*role).into())).collect();
    let plan = plan.with_key(key());
    let source = Source::open(folder.path().join("in.csv"))?;
    let read = read_original(&plan, &source, &Resources::in_folder(folder.path()))?;
    Ok(read.table)
}

fn key() -> Key {
    Key::read("c0ffee00".repeat(8).as_bytes(), "the key").expect("a key")
}

fn column(table: &CodedTable, name: &str) -> Vec<String> {
    let column = table.column(name).expect("a column");
    column.codes.iter().map(|code| column.values.get(code).to_owned()).collect()
}

/// The texts of a column of a table in memory.
fn shown(table: &Batches, name: &str) -> Vec<String> {
    let table = texts(table);
    let place = table.header.iter().position(|of| of == name).expect("a column");
    table.rows.iter().map(|row| row[place].clone()).collect()
}

fn csv(header: &str, rows: &[String]) -> String {
    format!("{header}\n{}\n", rows.join("\n"))
}

/// What a step may say of a table; it may not be a fault of the step itself.
fn is_fair(result: &scumble::Result<CodedTable>) -> bool {
    match result {
        Ok(_) => true,
        Err(error) => !error.is(&[scumble::ErrorKind::Verification, scumble::ErrorKind::Internal]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn numbers_agree_with_the_verifier(
        cents in proptest::collection::vec(-500_000_i64..500_000, 1..60),
        places in 0_u32..3,
        base in 1_u32..2_000,
        mode in 0_usize..3,
        comma in any::<bool>(),
    ) {
        let unit = 10_i64.pow(places);
        let mark = if comma && places > 0 { "," } else { "." };
        let write = |number: &i64| {
            let (sign, number) = (if *number < 0 { "-" } else { "" }, number.abs());
            if places == 0 { format!("{sign}{number}") } else {
                format!("{sign}{}{mark}{:0width$}", number / unit, number % unit, width = places as usize)
            }
        };
        let rows: Vec<String> = cents.iter().map(|number| format!("\"{}\"", write(number))).collect();
        let text = csv("x", &rows);
        let mode = ["half_even", "random", "controlled"][mode];
        for step in [
            format!("do = \"round\"\ncolumn = \"x\"\nbase = {base}\nmode = \"{mode}\""),
            "do = \"round\"\ncolumn = \"x\"\ndigits = 2".to_owned(),
            format!("do = \"top\"\ncolumn = \"x\"\nlimit = {base}\nwrite = \"label\""),
            "do = \"top\"\ncolumn = \"x\"\nshare = 0.2\nleast = 1\nwrite = \"mean\"".to_owned(),
            "do = \"bottom\"\ncolumn = \"x\"\nshare = 0.1\nleast = 2\nwrite = \"median\"".to_owned(),
            format!("do = \"bottom\"\ncolumn = \"x\"\nlimit = -{base}"),
            format!("do = \"cut\"\ncolumn = \"x\"\nat = [-5000, 0, {base}]"),
            "do = \"cut\"\ncolumn = \"x\"\nmethod = \"equal_amount\"\nbins = 4".to_owned(),
            "do = \"cut\"\ncolumn = \"x\"\nmethod = \"equidistant\"\nbins = 3".to_owned(),
        ] {
            let result = stepped(&text, &step, &[("x", Role::Other)]);
            prop_assert!(is_fair(&result), "{step}: {result:?}");
        }
        // Rounding what is rounded changes nothing, and the other sign is rounded in the same way.
        let half_even = format!("do = \"round\"\ncolumn = \"x\"\nbase = {base}");
        let once = column(&stepped(&text, &half_even, &[("x", Role::Other)]).expect("rounds"), "x");
        let quoted: Vec<String> = once.iter().map(|text| format!("\"{text}\"")).collect();
        let twice = column(&stepped(&csv("x", &quoted), &half_even, &[("x", Role::Other)]).expect("rounds"), "x");
        prop_assert_eq!(&once, &twice);
        let negated: Vec<String> = cents.iter().map(|number| format!("\"{}\"", write(&-number))).collect();
        let other = column(&stepped(&csv("x", &negated), &half_even, &[("x", Role::Other)]).expect("rounds"), "x");
        let mirrored = |text: &String| match text.strip_prefix('-') {
            Some(number) => number.to_owned(),
            None if text == "0" => text.clone(),
            None => format!("-{text}"),
        };
        prop_assert_eq!(other, once.iter().map(mirrored).collect::<Vec<String>>());
    }

    #[test]
    fn texts_agree_with_the_verifier(
        texts in proptest::collection::vec("[a-cé]{0,2}[-. /]?[0-9]{0,3}", 1..80),
        least in 1_u32..12,
        (left, right) in (0_usize..4, 0_usize..4),
        fixed in any::<bool>(),
    ) {
        let rows: Vec<String> = texts.iter().map(|text| format!("\"{text}\"")).collect();
        let text = csv("x", &rows);
        let lump = format!("do = \"lump\"\ncolumn = \"x\"\nleast = {least}");
        let result = stepped(&text, &lump, &[("x", Role::Other)]);
        prop_assert!(is_fair(&result), "{lump}: {result:?}");
        // Unless everything is lumped, no lump is smaller than asked for.
        let shown = column(&result.expect("lumps"), "x");
        let lumped = shown.iter().filter(|text| *text == "other").count();
        let others = shown.iter().any(|text| text != "other" && !text.is_empty());
        prop_assert!(lumped == 0 || lumped >= least as usize || !others, "{lumped} of {shown:?}");
        let mask = format!("do = \"mask\"\ncolumn = \"x\"\nkeep_left = {left}\nkeep_right = {right}\nfixed_length = {fixed}");
        let result = stepped(&text, &mask, &[("x", Role::Other)]);
        prop_assert!(is_fair(&result), "{mask}: {result:?}");
    }

    #[test]
    fn dates_and_cells_agree_with_the_verifier(
        days in proptest::collection::vec((1900_i32..2030, 1_u32..13, 1_u32..29, 0_u32..24, 0_u32..60), 1..40),
        unit in 0_usize..8,
        (offset, utc) in (-12_i32..13, any::<bool>()),
        points in proptest::collection::vec((-9_000_i32..=9_000, -18_000_i32..=18_000), 1..20),
        precision in 1_usize..=12,
    ) {
        let unit = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"][unit];
        let sign = if offset < 0 { '-' } else { '+' };
        let zoned: Vec<String> = days
            .iter()
            .map(|(y, m, d, hour, minute)| format!("{y}-{m:02}-{d:02}T{hour:02}:{minute:02}:07{sign}{:02}:30", offset.abs()))
            .collect();
        let step = format!("do = \"truncate\"\ncolumn = \"x\"\nunit = \"{unit}\"\nutc = {utc}");
        let result = stepped(&csv("x", &zoned), &step, &[("x", Role::Other)]);
        prop_assert!(result.is_ok(), "{step}: {result:?}");
        let dates: Vec<String> = days.iter().map(|(y, m, d, ..)| format!("{d:02}.{m:02}.{y},{y}-{m:02}-{d:02}")).collect();
        for step in [
            "do = \"age\"\ncolumn = \"a\"\ninto = \"made\"\nat = \"2030-06-30\"\nmax = 200",
            "do = \"age\"\ncolumn = \"a\"\ninto = \"made\"\nat = \"2030-02-28\"\nmax = 200\nunit = \"months\"",
            "do = \"age\"\ncolumn = \"a\"\ninto = \"made\"\nat_column = \"b\"",
            "do = \"days_since\"\ncolumn = \"a\"\ninto = \"made\"\nsince = \"1999-12-31\"",
            "do = \"days_since\"\ncolumn = \"a\"\ninto = \"made\"\nsince_column = \"b\"",
        ] {
            let roles = [("a", Role::Drop), ("b", Role::Drop), ("made", Role::Other)];
            let result = stepped(&csv("a,b", &dates), step, &roles);
            prop_assert!(result.is_ok(), "{step}: {result:?}");
        }
        let points: Vec<String> = points.iter().map(|(lat, lon)| format!("{},{}", f64::from(*lat) / 100.0, f64::from(*lon) / 100.0)).collect();
        for how in [format!("precision = {precision}"), "grid = \"degrees\"\nstep = 0.25".to_owned()] {
            let step = format!("do = \"geo\"\ncolumns = [\"lat\", \"lon\"]\ninto = \"cell\"\n{how}");
            let roles = [("lat", Role::Drop), ("lon", Role::Drop), ("cell", Role::Other)];
            let result = stepped(&csv("lat,lon", &points), &step, &roles);
            prop_assert!(result.is_ok(), "{step}: {result:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn codes_and_moved_dates_agree_with_the_verifier(
        rows in proptest::collection::vec(("[a-c ]{0,2}[0-9]{0,2}", 0_usize..6, 1990_i32..2030, 1_u32..13, 1_u32..29), 1..60),
        normalise in 0_usize..4,
        (max, unit, past) in (1_u32..400, 1_u32..8, any::<bool>()),
        time in any::<bool>(),
    ) {
        let normalise = ["\"trim\"", "[]", "[\"trim\", \"lower\"]", "\"lower\""][normalise];
        let clock = if time { "T23:59:59+02:00" } else { "" };
        let lines: Vec<String> = rows
            .iter()
            .map(|(code, person, y, m, d)| format!("\"v{code}\",p{person},{y}-{m:02}-{d:02}{clock},{}-{m:02}-{d:02}{clock}", y + 1))
            .collect();
        let text = csv("code,person,from,to", &lines);
        let roles = [("code", Role::Other), ("person", Role::Subject), ("from", Role::Other), ("to", Role::Other)];
        let codes = format!("do = \"pseudonym\"\ncolumn = \"code\"\nproject = \"x\"\nlinkable = \"project\"\nnormalise = {normalise}");
        let result = stepped(&text, &codes, &roles);
        prop_assert!(result.is_ok(), "{codes}: {result:?}");
        let direction = if past { "past" } else { "both" };
        let unit = unit.min(max);
        let shift = format!(
            "do = \"shift\"\ncolumns = [\"from\", \"to\"]\nproject = \"x\"\nmax = {max}\nunit = {unit}\ndirection = \"{direction}\""
        );
        let moved = stepped(&text, &shift, &roles);
        prop_assert!(moved.is_ok(), "{shift}: {moved:?}");
        // The order of the rows plays no part.
        let (moved, mut turned) = (moved.expect("moves"), lines.clone());
        turned.reverse();
        let mut other = column(&stepped(&csv("code,person,from,to", &turned), &shift, &roles).expect("moves"), "from");
        other.reverse();
        prop_assert_eq!(column(&moved, "from"), other);
    }
}

#[test]
fn every_transform_has_a_page_that_names_its_parameters() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |name: &str| {
        std::fs::read_to_string(docs.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (index, summary) = (read("transforms/index.md"), read("SUMMARY.md"));
    for entry in &TRANSFORMS {
        let page = format!("transforms/{}.md", entry.name);
        assert!(index.contains(&format!("({}.md)", entry.name)) && summary.contains(&page), "{page}");
        // Bottom coding has the parameters of top coding.
        let text = read(if entry.name == "bottom" { "transforms/top.md" } else { &page });
        for (parameter, _) in entry.parameters {
            assert!(text.contains(&format!("`{parameter}`")), "{page}: {parameter}");
        }
    }
}

/// A release in memory with steps: the verifier compares it with the changed table, the datasheet says what was done, and new rows go the
/// same way, with the limits of the first table.
#[test]
fn releases_keep_their_steps_for_new_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let row =
        |at: usize| format!("p{at},{}-05-01,{},{}", 1940 + at % 60, 1_000 + 37 * at, ["a", "b"][at % 2]);
    let table = |rows: std::ops::Range<usize>| {
        std::fs::write(
            folder.path().join("in.csv"),
            csv("who,born,income,ill", &rows.map(row).collect::<Vec<_>>()),
        )
        .expect("a table");
        batches(&Source::open(folder.path().join("in.csv")).expect("a table"))
    };
    let plan = Plan::from_toml(
        "input = \"in.csv\"\noutput = \"out.csv\"\n[[transform]]\ndo = \"age\"\ncolumn = \"born\"\ninto = \"age\"\nat = \"2024-01-01\"\n\
         [[transform]]\ndo = \"top\"\ncolumn = \"income\"\nshare = 0.1\n[columns]\nwho = { role = \"identifier\" }\nborn = { role = \"drop\" }\n\
         age = { role = \"quasi\" }\nincome = { role = \"other\" }\nill = { role = \"other\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n",
        "plan",
    )
    .expect("a plan");
    let release = Release::of(table(0..200), &plan).expect("a release");
    let incomes = shown(release.table().expect("one table"), "income");
    // The 20th largest of 200 incomes is 1000 + 37 * 180 = 7660, and the limit 7600 is that rounded down.
    assert!(incomes.iter().any(|income| income == "7600"));
    assert!(incomes.iter().all(|income| income.parse::<u64>().expect("a number") <= 7600));
    let sheet = release.datasheet_json().expect("a datasheet");
    assert!(sheet.contains("age: age in completed years on 2024-01-01."), "{sheet}");
    assert!(sheet.contains("income: values from 7600 on show 7600, as found in the data."), "{sheet}");
    assert!(!sheet.contains("born") && !sheet.contains("\"who\""), "{sheet}");
    let saved = SavedRecoding::from_json(&release.recoding.expect("a rule")).expect("a recoding");
    let new = RecodedRows::of(&saved, table(190..260), false).expect("new rows");
    assert!(
        shown(new.table(), "income").iter().all(|income| income.parse::<u64>().expect("a number") <= 7600)
    );
}

/// Whether a released age is true of a person of this age: 18 and below, and 90 and above, are coded.
fn is_true_of(label: &str, age: u32) -> bool {
    let number = |text: &str| text.parse::<u32>().unwrap_or_else(|_| panic!("{text}: no number"));
    let coded = |age: u32| {
        if age >= 90 {
            90..=u32::MAX
        } else if age <= 18 {
            0..=18
        } else {
            age..=age
        }
    };
    let own = coded(age);
    let shown = match (label.strip_prefix(">="), label.strip_prefix("<=")) {
        (Some(low), _) => number(low)..=u32::MAX,
        (_, Some(high)) => 0..=number(high),
        _ => match label.strip_prefix('[') {
            Some(rest) => {
                let (low, high) = rest[..rest.len() - 1].split_once(',').expect("two ends");
                number(low)..=number(high) - u32::from(rest.ends_with(')'))
            }
            None if label == "*" => 0..=u32::MAX,
            None => number(label)..=number(label),
        },
    };
    shown.start() <= own.start() && own.end() <= shown.end()
}

/// Values that stand for many numbers are leaves of a quasi-identifier, whatever the search (transforms.md 1.1 and 1.3).
#[test]
fn coded_values_and_bands_are_leaves_of_quasi_identifiers() {
    let folder = tempfile::tempdir().expect("a folder");
    let age = |at: usize| 10 + (at * 7 % 90) as u32;
    let row = |at: usize| format!("{},{},{},{}", age(at), 300 * (at % 40), at, ["a", "b"][at % 2]);
    let table = |rows: std::ops::Range<usize>| {
        let rows: Vec<String> = rows.map(row).collect();
        std::fs::write(folder.path().join("in.csv"), csv("age,income,id,ill", &rows)).expect("a table");
        batches(&Source::open(folder.path().join("in.csv")).expect("a table"))
    };
    let plan = |more: &str| {
        let text = format!(
            "input = \"in.csv\"\noutput = \"out.csv\"\nkeep_order = true\n[[transform]]\ndo = \"top\"\ncolumn = \"age\"\nlimit = 90\n\
             [[transform]]\ndo = \"bottom\"\ncolumn = \"age\"\nlimit = 18\n\
             [[transform]]\ndo = \"cut\"\ncolumn = \"income\"\nat = [0, 1000, 4000, 9000]\n\
             [columns]\nage = {{ role = \"quasi\" }}\nincome = {{ role = \"quasi\" }}\nid = {{ role = \"drop\" }}\nill = {{ role = \"class\" }}\n\
             [[privacy]]\nmodel = \"k_anonymity\"\nk = 4\n{more}"
        );
        Plan::from_toml(&text, "plan").expect("a plan")
    };
    let bands = ["[0,1000)", "[1000,4000)", "[4000,9000)", ">=9000", "[0,4000)", ">=4000", "*"];
    for algorithm in [
        "mondrian",
        "optimal",
        "datafly",
        "incognito",
        "tds",
        "cluster",
        "k_member",
        "seqa",
        "local_suppression",
    ] {
        let plan = plan(&format!("[algorithm]\nname = \"{algorithm}\"\nsuppression = 0.1\n"));
        let release =
            Release::of(table(0..360), &plan).unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        let released = release.table().expect("one table");
        let ages = shown(released, "age");
        assert!(ages.iter().any(|label| label.starts_with(">=")), "{algorithm}: {ages:?}");
        // The verifier has compared every row; what it reads is read here once more.
        if ages.len() == 360 {
            for (at, label) in ages.iter().enumerate() {
                assert!(is_true_of(label, age(at)), "{algorithm}: {label} for {}", age(at));
            }
        }
        for label in shown(released, "income") {
            assert!(bands.contains(&label.as_str()), "{algorithm}: {label}");
        }
        let Some(rule) = release.recoding else { continue };
        let saved = SavedRecoding::from_json(&rule).expect("a recoding");
        let new = RecodedRows::of(&saved, table(300..420), true)
            .unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        for (at, label) in shown(new.table(), "age").iter().enumerate() {
            assert!(is_true_of(label, age(300 + at)), "{algorithm}: {label} for {}", age(300 + at));
        }
    }
    let refused = |plan: &Plan| Release::of(table(0..360), plan).expect_err("refused").to_string();
    let mut with_tree = plan("");
    let column = with_tree.columns.iter_mut().find(|(name, _)| name == "age").expect("a column");
    column.1.hierarchy = Plan::from_toml(
        "input = \"a\"\noutput = \"b\"\n[columns]\nage = { role = \"quasi\", hierarchy = { build = \"widths\", widths = [5] } }\n",
        "plan",
    )
    .expect("a plan")
    .columns[0]
        .1
        .hierarchy
        .clone();
    let error = refused(&with_tree);
    assert!(error.contains("stand for many numbers") && error.contains("leave the hierarchy out"), "{error}");
    // Whoever wants single numbers gets them.
    let mut numbers = plan("");
    numbers.transform[0].parameters.set("write", "limit".into());
    numbers.transform[1].parameters.set("write", "limit".into());
    let release = Release::of(table(0..360), &numbers).expect("a release");
    assert!(
        !shown(release.table().expect("one table"), "age").iter().any(|label| label.starts_with(['<', '>']))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever is coded and wherever bands begin, a release is made that the verifier believes, or the plan is refused.
    #[test]
    fn releases_of_coded_columns_are_true(
        numbers in proptest::collection::vec(-300_i64..900, 8..60),
        (places, comma) in (0_u32..2, any::<bool>()),
        (bottom, middle, top) in (-300_i64..200, 0_i64..300, 200_i64..900),
        (both, bands) in (any::<bool>(), any::<bool>()),
        (algorithm, declared) in (0_usize..4, any::<bool>()),
    ) {
        let mark = if comma { "," } else { "." };
        let write = |number: i64, mark: &str| {
            let sign = if number < 0 { "-" } else { "" };
            if places == 0 { number.to_string() } else { format!("{sign}{}{mark}{}", number.abs() / 10, number.abs() % 10) }
        };
        let plain = |number: i64| write(number, ".");
        let rows: Vec<String> =
            numbers.iter().enumerate().map(|(at, number)| format!("\"{}\",{},x", write(*number, mark), at % 2)).collect();
        let steps = if bands {
            let mut edges = vec![-400, bottom, bottom + middle, top];
            edges.sort_unstable();
            edges.dedup();
            let edges: Vec<String> = edges.into_iter().map(plain).collect();
            format!("[[transform]]\ndo = \"cut\"\ncolumn = \"n\"\nat = [{}]\n", edges.join(", "))
        } else {
            let lower = format!("[[transform]]\ndo = \"bottom\"\ncolumn = \"n\"\nlimit = {}\n", plain(bottom));
            let upper = format!("[[transform]]\ndo = \"top\"\ncolumn = \"n\"\nlimit = {}\n", plain(top));
            if both { lower + &upper } else { upper }
        };
        let range = if declared { ", min = -1000, max = 1000" } else { "" };
        let algorithm = ["mondrian", "optimal", "cluster", "datafly"][algorithm];
        let plan = Plan::from_toml(
            &format!(
                "input = \"in.csv\"\noutput = \"out.csv\"\n{steps}[columns]\nn = {{ role = \"quasi\"{range} }}\ns = {{ role = \"quasi\" }}\nx = {{ role = \"other\" }}\n\
                 [[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[algorithm]\nname = \"{algorithm}\"\nsuppression = 0.2\n"
            ),
            "plan",
        )
        .expect("a plan");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("in.csv"), csv("n,s,x", &rows)).expect("a table");
        let table = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
        match Release::of(table, &plan) {
            Ok(release) => {
                let labels = shown(release.table().expect("one table"), "n");
                prop_assert!(labels.iter().all(|label| !label.starts_with("=")), "{labels:?}");
            }
            Err(error) => {
                use scumble::ErrorKind::{Audit, Internal, Verification};
                prop_assert!(!error.is(&[Verification, Internal, Audit]), "{error}");
                prop_assert!(error.is(&[scumble::ErrorKind::Infeasible]), "{error}");
            }
        }
    }
}

/// Visits of forty people, two of each, whose dates are all the same.
fn visits(folder: &Path, people: std::ops::Range<usize>) -> Batches {
    let row = |at: usize| {
        let (person, sex) = (at / 2, ["f", "m"][at / 2 % 2]);
        format!("patient{person},{sex},{},2019-06-15,2019-07-20,s{}", 30 + person % 5, person % 3)
    };
    let rows: Vec<String> = (2 * people.start..2 * people.end).map(row).collect();
    std::fs::write(folder.join("in.csv"), csv("patient,sex,age,visit,next,site", &rows)).expect("a table");
    batches(&Source::open(folder.join("in.csv")).expect("a table"))
}

const VISITS: &str = "input = \"in.csv\"\noutput = \"out.csv\"\naccept_linkable_rows = true\n\
    [[transform]]\ndo = \"pseudonym\"\ncolumn = \"patient\"\ninto = \"code\"\nproject = \"clinic\"\n\
    [[transform]]\ndo = \"shift\"\ncolumns = [\"visit\", \"next\"]\nproject = \"clinic\"\nmax = 30\n\
    [columns]\nsite = { role = \"drop\" }\npatient = { role = \"subject\" }\ncode = { role = \"other\" }\nsex = { role = \"quasi\" }\nage = { role = \"quasi\" }\n\
    visit = { role = \"other\" }\nnext = { role = \"other\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n";

/// New rows get the codes and dates of the release, with the same key and no other.
#[test]
fn codes_and_moved_dates_are_the_same_for_new_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    let plan = Plan::from_toml(VISITS, "plan").expect("a plan").with_key(key());
    let release = Release::of(visits(folder.path(), 0..40), &plan).expect("a release");
    let pairs = |table: &Batches| {
        let mut pairs: Vec<(String, String, String)> = shown(table, "code")
            .into_iter()
            .zip(shown(table, "visit"))
            .zip(shown(table, "next"))
            .map(|((a, b), c)| (a, b, c))
            .collect();
        pairs.sort();
        pairs.dedup();
        pairs
    };
    let first = pairs(release.table().expect("one table"));
    assert_eq!(first.len(), 40, "a person has one code and one offset");
    assert!(first.iter().all(|(_, visit, next)| visit != "2019-06-15" && next != "2019-07-20"));
    let again = pairs(
        Release::of(visits(folder.path(), 0..40), &plan).expect("a release").table().expect("one table"),
    );
    assert!(
        again.iter().all(|(code, ..)| first.iter().all(|(other, ..)| code != other)),
        "another release has other codes"
    );
    assert_eq!(
        again.iter().map(|(_, visit, _)| visit).collect::<std::collections::BTreeSet<_>>(),
        first.iter().map(|(_, visit, _)| visit).collect()
    );
    let saved = SavedRecoding::from_json(&release.recoding.expect("a rule")).expect("a recoding");
    let new = visits(folder.path(), 20..60);
    let error = RecodedRows::of(&saved, new.clone(), false).expect_err("no key").to_string();
    assert!(error.contains("a secret key is needed, and none was given"), "{error}");
    let recoded = |key: Key| {
        let plan = saved.plan("the table", "the release.arrow").with_key(key);
        RecodedRows::with(
            &saved,
            &Source::from_batches(new.clone(), "the table"),
            &plan,
            false,
            &Control::default(),
            &|_| {},
        )
    };
    let error = recoded(Key::read("c0ffee01".repeat(8).as_bytes(), "it").expect("a key"))
        .expect_err("another key")
        .to_string();
    assert!(error.contains("was begun with the key"), "{error}");
    let rows = recoded(key()).expect("new rows");
    let second = pairs(rows.table());
    assert_eq!(
        second.iter().filter(|row| first.contains(row)).count(),
        20,
        "people of both have one code and one offset"
    );
    assert!(rows.summary.warnings.iter().any(|warning| warning.contains("join rows of both")));
}

/// Codes that link the rows of a person need a model of all rows of a person, or the owner's consent.
#[test]
fn codes_that_link_rows_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = visits(folder.path(), 0..40);
    let made = |text: &str| {
        Release::of(table.clone(), &Plan::from_toml(text, "plan").expect("a plan").with_key(key()))
    };
    let linked = "equal codes show which rows belong together";
    let release = made(VISITS).expect("it is accepted");
    assert!(release.summary.warnings.iter().any(|warning| warning.contains(linked)));
    assert!(release.datasheet_markdown().contains("Equal codes show which rows belong together"));
    let strict = VISITS.replace("accept_linkable_rows = true\n", "");
    let error = made(&strict).expect_err("it is not accepted").to_string();
    assert!(
        error.contains("'code'")
            && error.contains("multirelational")
            && error.contains("accept_linkable_rows = true"),
        "{error}"
    );
    // Nobody says whose rows they are.
    let unknown =
        strict.replace("column = \"patient\"\ninto = \"code\"", "column = \"site\"\ninto = \"code\"");
    let unknown = unknown
        .replace("role = \"subject\"", "role = \"drop\"")
        .replace("max = 30", "max = 30\nsubject = \"patient\"");
    let error = made(&unknown).expect_err("nobody says").to_string();
    assert!(error.contains("no column says whose rows they are"), "{error}");
    // Codes of many people link nobody's rows.
    let of_site = strict.replace("column = \"patient\"\ninto", "column = \"site\"\ninto");
    let release = made(&of_site).expect("they say nothing about one person");
    assert!(!release.datasheet_markdown().contains("belong together"));
    // The consent counts for what is there, and new rows do not inherit more.
    let consent = of_site.replace(
        "[[transform]]\ndo = \"pseudonym\"",
        "accept_linkable_rows = true\n[[transform]]\ndo = \"pseudonym\"",
    );
    let release = made(&consent).expect("a release");
    assert!(
        !release.datasheet_markdown().contains("belong together")
            && !release.recoding.expect("a rule").contains("accept_linkable_rows")
    );
    // A model of all rows of a person.
    let whole = strict.replace("model = \"k_anonymity\"", "model = \"multirelational\"")
        + "[algorithm]\nname = \"mingen\"\n";
    let release = made(&whole).expect("a release");
    assert!(!release.datasheet_markdown().contains("belong together"));
}

/// Who sees a value beside its code, or a date beside the moved one, needs no key.
#[test]
fn originals_do_not_stand_beside_what_a_key_made_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = visits(folder.path(), 0..40);
    let made = |text: &str| {
        Release::of(table.clone(), &Plan::from_toml(text, "plan").expect("a plan").with_key(key()))
            .map_err(|error| error.to_string())
    };
    let beside = |column: &str, into: &str| {
        let moved = "columns = [\"visit\", \"next\"]\nproject";
        let text = VISITS.replace(moved, &format!("column = \"{column}\"\ninto = \"{into}\"\nproject"));
        text.replace("sex = {", &format!("{into} = {{ role = \"other\" }}\nsex = {{"))
    };
    let text = beside("visit", "moved");
    let error = made(&text).expect_err("both are published");
    assert!(error.contains("'visit' is to be published beside 'moved'"), "{error}");
    assert!(made(&text.replace("visit = { role = \"other\" }", "visit = { role = \"drop\" }")).is_ok());
    let codes = VISITS.replace("column = \"patient\"\ninto", "column = \"sex\"\ninto");
    let error = made(&codes).expect_err("both are published");
    assert!(error.contains("'sex' is to be published beside 'code'"), "{error}");
}

/// A seed makes the codes of a release again, for tests only.
#[test]
fn a_seed_makes_codes_for_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = visits(folder.path(), 0..40);
    let seeded =
        Plan::from_toml(&format!("{VISITS}[algorithm]\nseed = 7\n"), "plan").expect("a plan").with_key(key());
    let (one, two) = (
        Release::of(table.clone(), &seeded).expect("a release"),
        Release::of(table, &seeded).expect("a release"),
    );
    assert_eq!(
        shown(one.table().expect("one table"), "code"),
        shown(two.table().expect("one table"), "code")
    );
    assert!(one.datasheet_markdown().contains("For tests, not for publication"));
    assert!(one.summary.warnings.iter().any(|warning| warning.contains("for tests, not for publication")));
}

#[test]
fn dates_of_one_person_are_moved_in_one_way() {
    let roles = [("p", Role::Subject), ("a", Role::Other), ("b", Role::Other)];
    let text = csv("p,a,b", &["P1,2019-06-15,2019-07-20".to_owned(), "p1,2019-06-15,2019-07-20".to_owned()]);
    let shift =
        |column: &str, more: &str| format!("do = \"shift\"\ncolumn = \"{column}\"\nproject = \"x\"\n{more}");
    let error =
        |steps: &str, roles: &[(&str, Role)]| stepped(&text, steps, roles).expect_err("wrong").to_string();
    let two = format!("{}\n[[transform]]\n{}", shift("a", ""), shift("b", "max = 30"));
    assert!(error(&two, &roles).contains("the same max, unit and direction"), "{}", error(&two, &roles));
    assert!(error(&shift("a", ""), &roles).contains("row 2"), "two spellings of one person");
    let nobody = [("p", Role::Drop), ("a", Role::Other), ("b", Role::Other)];
    assert!(error(&shift("a", ""), &nobody).contains("which column tells people apart"));
    assert!(
        stepped(&text, &shift("a", "subject = \"p\""), &nobody).is_err(),
        "the spelling of p counts, too"
    );
    let one = csv("p,a,b", &["p1,2019-06-15,2019-07-20".to_owned(), "p1,2019-06-16,2019-07-21".to_owned()]);
    assert!(stepped(&one, &shift("a", "subject = \"p\""), &nobody).is_ok());
    let release = "do = \"pseudonym\"\ncolumn = \"p\"\nproject = \"x\"\ninto = \"code\"";
    let roles = [("p", Role::Subject), ("a", Role::Other), ("b", Role::Other), ("code", Role::Other)];
    let error = error(release, &roles);
    assert!(error.contains("nobody says which release this is") && error.contains("release_id"), "{error}");
}
