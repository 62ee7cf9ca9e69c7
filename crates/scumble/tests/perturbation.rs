//! Perturbed columns, from the plan to the release: the verifier agrees with every method, the limit on linkage decides, and nothing says that
//! such values are true.

mod common;

use std::path::Path;

use common::memory::{batches, texts};
use proptest::prelude::*;
use scumble::ErrorKind;
use scumble::prelude::*;

/// Releases a table with these steps, in memory.
fn released(text: &str, steps: &str, rest: &str) -> scumble::Result<Release> {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("in.csv"), text).expect("a table");
    let plan = Plan::from_toml(&format!("input = \"in.csv\"\noutput = \"out.csv\"\n{steps}{rest}"), "plan")?;
    let key = Key::read("c0ffee00".repeat(8).as_bytes(), "the key").expect("a key");
    let table = batches(&Source::open(folder.path().join("in.csv")).expect("a table"));
    Release::of(table, &plan.with_key(key))
}

fn shown(release: &Release, name: &str) -> Vec<String> {
    let table = texts(release.table().expect("one table"));
    let place = table.header.iter().position(|of| of == name).expect("a column");
    table.rows.iter().map(|row| row[place].clone()).collect()
}

const HEADER: &str = "who,house,town,size,sex,age,income,rent,job\n";

/// People of households of two, whose incomes, rents and jobs hang together.
fn people(count: usize, start: u64) -> String {
    let row = |at: usize| {
        let mixed = (at as u64 + start).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let draw = |shift: u32, of: u64| (mixed >> shift) % of;
        let age = 20 + draw(7, 50);
        let income = 900 + 30 * age + draw(19, 2_000);
        let rent = income / 4 + draw(31, 300);
        format!(
            "p{at},h{},t{},{},{},{age},{income},{rent}.{:02},{}\n",
            at / 2,
            at / 2 % 5,
            1 + at / 2 % 2,
            ["f", "m"][at % 2],
            draw(41, 100),
            ["cook", "nurse", "smith", "clerk"][draw(50, 4) as usize]
        )
    };
    HEADER.to_owned() + &(0..count).map(row).collect::<String>()
}

/// Roles under which the columns are perturbed, and a model on what is left.
fn roles(known: &str, limit: &str) -> String {
    let role = |name: &str| if known.contains(name) { "quasi" } else { "other" };
    format!(
        "[columns]\nwho = {{ role = \"subject\" }}\nhouse = {{ role = \"household\" }}\ntown = {{ role = \"{}\" }}\nsize = {{ role = \"other\" }}\n\
         sex = {{ role = \"quasi\" }}\nage = {{ role = \"quasi\" }}\nincome = {{ role = \"{}\" }}\nrent = {{ role = \"{}\" }}\njob = {{ role = \"{}\" }}\n\
         [[privacy]]\nmodel = \"k_anonymity\"\nk = 3\n{limit}",
        role("town"),
        role("income"),
        role("rent"),
        role("job")
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever the parameters, the verifier, which has laws of its own, agrees with what the step made.
    #[test]
    fn the_verifier_agrees_with_every_method(
        start in any::<u64>(),
        amount in 1_u32..400,
        (p, top) in (1_u32..100, 0_u32..20),
        pd in 1_u32..100,
    ) {
        let text = people(120, start);
        for step in [
            format!("do = \"noise\"\ncolumns = [\"income\", \"rent\"]\nnoise = {amount}"),
            format!("do = \"noise\"\ncolumns = [\"income\", \"rent\"]\nnoise = {amount}\nexact = true"),
            format!("do = \"noise\"\ncolumns = [\"income\", \"rent\"]\nmethod = \"additive\"\nnoise = {amount}\nzeros = \"keep\""),
            format!("do = \"noise\"\ncolumns = [\"rent\"]\nmethod = \"correlated\"\nnoise = {amount}\nconsistent = true\nproject = \"p\""),
            format!("do = \"multiply\"\ncolumns = [\"income\", \"rent\"]\nsigma = 0.{amount:03}\nsame = \"house\""),
            format!("do = \"multiply\"\ncolumn = \"rent\"\nmethod = \"band\"\nfrom = 0.01\nto = 0.{:02}", 2 + pd / 2),
            format!("do = \"rank_swap\"\ncolumns = [\"income\", \"rent\"]\np = {p}\ntop_percent = {top}\nbottom_percent = {top}"),
            "do = \"rank_swap\"\ncolumn = \"income\"\nr0 = 0.9\nwithin = \"sex\"".to_owned(),
            "do = \"rank_swap\"\ncolumn = \"income\"\nr0 = 0.4".to_owned(),
            format!("do = \"pram\"\ncolumns = [\"job\", \"sex\"]\npd = 0.{pd:02}"),
            format!("do = \"pram\"\ncolumn = \"job\"\nmethod = \"invariant\"\npd = 0.{pd:02}\nwithin = \"sex\""),
            "do = \"pram\"\ncolumns = [\"job\", \"size\"]\njoint = true".to_owned(),
            "do = \"shuffle\"\ncolumns = [\"income\", \"rent\"]\nby = [\"age\", \"sex\"]".to_owned(),
            format!("do = \"record_swap\"\ncolumns = [\"town\"]\nsimilar = [\"size\"]\nrisk_variables = [\"job\"]\nswap_rate = 0.{pd:02}"),
        ] {
            let rest = roles("", "").replace("sex = { role = \"quasi\" }", "sex = { role = \"other\" }");
            let made = released(&text, &format!("[[transform]]\n{step}\n"), &rest);
            prop_assert!(made.is_ok(), "{step}: {:?}", made.err().map(|error| error.to_string()));
        }
    }
}

const NOISE: &str = "[[transform]]\ndo = \"noise\"\ncolumns = [\"income\", \"rent\"]\nnoise = 400\n";

#[test]
fn a_perturbed_quasi_identifier_needs_a_limit_and_keeps_it() {
    let text = people(400, 7);
    let error = |steps: &str, rest: &str| released(&text, steps, rest).expect_err("an error");
    let without = error(NOISE, &roles("income", ""));
    assert!(without.is(&[ErrorKind::Config]), "{without}");
    assert!(without.to_string().contains("linkage_limit"), "{without}");
    let strict = error(NOISE, &roles("income,rent", "[risk]\nlinkage_limit = 0.0\n"));
    assert!(strict.is(&[ErrorKind::Infeasible]), "{strict}");
    assert!(strict.to_string().contains("too many people would be found by perturbed columns"), "{strict}");
    let weak = NOISE.replace("400", "0.001");
    let found = error(&weak, &roles("income,rent", "[risk]\nlinkage_limit = 0.5\n"));
    assert!(found.is(&[ErrorKind::Infeasible]), "{found}");
    let both = roles("income", "[risk]\nlinkage_limit = 1\n").replace(
        "income = { role = \"quasi\" }",
        "income = { role = \"quasi\", hierarchy = { build = \"prefix\" } }",
    );
    let refused = error(NOISE, &both);
    assert!(refused.to_string().contains("perturbed and generalised"), "{refused}");
    let apply =
        error(&format!("recoding = \"rule.json\"\n{NOISE}"), &roles("income", "[risk]\nlinkage_limit = 1\n"));
    assert!(apply.to_string().contains("no rule for new rows"), "{apply}");
    let range = error(NOISE, &roles("income", "[risk]\nlinkage_limit = 1.5\n"));
    assert!(range.to_string().contains("from 0 to 1"), "{range}");
}

#[test]
fn what_is_measured_is_in_summary_and_datasheet() {
    let release = released(&people(400, 7), NOISE, &roles("income,rent", "[risk]\nlinkage_limit = 0.9\n"))
        .expect("a release");
    let found = release.summary.perturbation.clone().expect("a measurement");
    assert_eq!(found.known, ["income", "rent"]);
    let linked = found.linked.expect("linkage");
    let best = linked.best().expect("an attack").right.value;
    assert!(best > linked.by_guessing && best < 0.9, "{best}");
    let sheet = release.datasheet_json().expect("a datasheet");
    assert!(
        sheet.contains(
            "Perturbed: income, rent. No model covers that: attacks that know the true values link"
        ),
        "{sheet}"
    );
    assert!(sheet.contains("perturbed: random noise was added"), "{sheet}");
    for secret in ["covariance\":", "\"noise\"", "noise = "] {
        assert!(!sheet.contains(secret), "{secret}: {sheet}");
    }
    // k-anonymity is promised on the other columns only.
    assert!(sheet.contains("on sex, age"), "{sheet}");
}

#[test]
fn the_rate_of_swapping_is_never_published() {
    let steps = "[[transform]]\ndo = \"rank_swap\"\ncolumns = [\"income\"]\np = 37\n[[transform]]\ndo = \"record_swap\"\ncolumns = [\"town\"]\n\
                 similar = [\"size\"]\nswap_rate = 0.43\n[[transform]]\ndo = \"multiply\"\ncolumn = \"rent\"\nsigma = 0.77\n";
    let release = released(&people(400, 3), steps, &roles("", "")).expect("a release");
    let sheet = release.datasheet_json().expect("a datasheet");
    assert!(
        sheet.contains("income: perturbed: values were exchanged")
            && sheet.contains("town: perturbed: some households"),
        "{sheet}"
    );
    for secret in ["37", "0.43", "43", "0.77", "77"] {
        assert!(!sheet.replace("2037", "").contains(&format!(" {secret}")), "{secret}: {sheet}");
    }
}

/// Rows in another order, and other people beside them: the same person and value get the same noise.
#[test]
fn consistent_noise_is_the_same_in_every_release() {
    let steps = NOISE
        .replace("noise = 400", "method = \"additive\"\nnoise = 50\nconsistent = true\nproject = \"clinic\"");
    let text = people(200, 5);
    let rest = roles("", "") + "[algorithm]\nname = \"mondrian\"\n";
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.reverse();
    let turned = format!("{HEADER}{}\n", lines.join("\n"));
    let pairs = |text: &str, steps: &str| {
        let release = released(text, steps, &rest).expect("a release");
        let mut pairs: Vec<(String, String)> =
            shown(&release, "income").into_iter().zip(shown(&release, "rent")).collect();
        pairs.sort();
        pairs
    };
    assert_eq!(pairs(&text, &steps), pairs(&turned, &steps));
    assert_ne!(pairs(&text, &steps), pairs(&text, &steps.replace("clinic", "other")));
    let fresh = NOISE.replace("noise = 400", "noise = 50");
    assert_ne!(pairs(&text, &fresh), pairs(&text, &fresh), "without it every release has other noise");
}

/// New rows get noise of the same size, and no statistics of their own.
#[test]
fn new_rows_are_perturbed_with_settled_parameters() {
    let folder = tempfile::tempdir().expect("a folder");
    let release = released(&people(400, 7), NOISE, &roles("", "")).expect("a release");
    let saved = SavedRecoding::from_json(release.recoding.as_ref().expect("a rule")).expect("a recoding");
    std::fs::write(folder.path().join("new.csv"), people(30, 99)).expect("a table");
    let table = batches(&Source::open(folder.path().join("new.csv")).expect("a table"));
    let rows = RecodedRows::of(&saved, table, true)
        .expect("thirty rows are too few for a variance, and none is needed");
    let new = texts(rows.table());
    let place = new.header.iter().position(|name| name == "income").expect("a column");
    let before = people(30, 99);
    let same = before
        .lines()
        .skip(1)
        .zip(&new.rows)
        .filter(|(line, row)| line.split(',').nth(6) == Some(row[place].as_str()));
    assert!(same.count() < 5);
    // Exchanged values need all rows at once.
    let swap = "[[transform]]\ndo = \"rank_swap\"\ncolumn = \"income\"\n";
    let error = released(&people(100, 7), &format!("recoding = \"rule.json\"\n{swap}"), &roles("", ""))
        .expect_err("an error");
    assert!(error.to_string().contains("needs all rows"), "{error}");
}

/// A release of perturbed columns compared with its original: what chance decided is not compared, and everything else is.
#[test]
fn comparing_leaves_perturbed_columns_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = people(200, 7);
    let plan = |folder: &Path| {
        std::fs::write(folder.join("in.csv"), &text).expect("a table");
        let plan = format!(
            "input = \"in.csv\"\noutput = \"out.csv\"\n{NOISE}[[transform]]\ndo = \"round\"\ncolumn = \"age\"\nbase = 5\nmode = \"random\"\n{}",
            roles("income,rent", "[risk]\nlinkage_limit = 0.9\n")
                .replace("age = { role = \"quasi\" }", "age = { role = \"other\" }")
        );
        Plan::from_toml(&plan, "plan").expect("a plan")
    };
    let plan = plan(folder.path());
    let mut options = scumble::release::RunOptions {
        folder: folder.path(),
        progress: scumble::problem::Progress::default(),
        stage: &|_| (),
        standard_output: None,
    };
    scumble::release::anonymize(&plan, &mut options).expect("a release");
    let resources = Resources::in_folder(folder.path());
    let check = |file: &str| {
        let source = Source::open(folder.path().join(file)).expect("a table");
        let original = Source::open(folder.path().join("in.csv")).expect("a table");
        Checked::of(&source, Some(&original), &plan, &resources).expect("a check")
    };
    let checked = check("out.csv");
    assert!(checked.holds(), "{checked:?}");
    assert!(
        checked.read.notes.iter().any(|note| note.contains("'income', 'rent', 'age' were not compared")),
        "{:?}",
        checked.read.notes
    );
    let release = std::fs::read_to_string(folder.path().join("out.csv")).expect("a release");
    let wrong = release.replacen("cook", "baker", 1);
    assert_ne!(release, wrong);
    std::fs::write(folder.path().join("wrong.csv"), wrong).expect("a table");
    assert!(!check("wrong.csv").holds(), "a column that is not perturbed is compared");
}

/// What models would count, what attacks would miss, and what somebody who reads the datasheet could undo.
#[test]
fn what_nobody_could_promise_anything_about_is_refused() {
    let text = people(120, 7);
    let step = |lines: &str| format!("[[transform]]\n{lines}\n");
    let known = |names: &str| roles(names, "[risk]\nlinkage_limit = 1\n");
    let round = step("do = \"round\"\ncolumn = \"income\"\nbase = 10");
    let cut = step("do = \"cut\"\ncolumn = \"income\"\ninto = \"band\"\nat = [0, 2000]");
    let band = known("").replace("[columns]\n", "[columns]\nband = { role = \"quasi\" }\n");
    let several = text.replace("p1,", "p0,");
    let dropped =
        known("income") + "[algorithm]\nstar_policy = \"drop\"\nsuppression = 1\nname = \"samarati\"\n";
    for (text, steps, rest, said) in [
        (&text, NOISE.to_owned() + &round, known("income"), "changed again after it was perturbed"),
        (&text, NOISE.to_owned() + NOISE, known("income"), "changed again after it was perturbed"),
        (&text, NOISE.to_owned() + &cut, band, "is made of a perturbed column"),
        (&text, step("do = \"pram\"\ncolumn = \"who\""), known(""), "people are counted by 'who'"),
        (&text, step("do = \"pram\"\ncolumn = \"house\""), known(""), "people are counted by 'house'"),
        (
            &text,
            step("do = \"multiply\"\ncolumns = [\"income\", \"rent\"]\nsigma = 2\nsame = \"who\""),
            known("income,rent"),
            "their ratios stay exact",
        ),
        (
            &text,
            step("do = \"rank_swap\"\ncolumn = \"income\"\nwithin = \"size\""),
            known("income").replace("size = { role = \"other\" }", "size = { role = \"drop\" }"),
            "which is not published",
        ),
        (
            &text,
            step("do = \"rank_swap\"\ncolumn = \"income\"\np = 40"),
            dropped,
            "rows are left out of the release",
        ),
        (&several, NOISE.to_owned(), known("income"), "people have several rows"),
        (
            &text,
            step("do = \"pram\"\ncolumn = \"job\"\npd = 0.2"),
            known("job"),
            "comes from another one more often",
        ),
    ] {
        let error = released(text, &steps, &rest).err().unwrap_or_else(|| panic!("{steps}")).to_string();
        assert!(error.contains(said), "{steps}: {error}");
    }
}

/// A column that outsiders do not know is perturbed without a limit, and a report is made of it.
#[test]
fn columns_that_nobody_knows_are_measured_and_reported() {
    let rest = roles("", "");
    let release =
        released(&people(200, 7), &format!("report = \"private\"\n{NOISE}"), &rest).expect("a release");
    let page = scumble::report::html(release.report.as_ref().expect("a report")).expect("a page");
    assert!(page.contains("What is left of the data"), "the section is there");
    let still = NOISE.replace("400", "0.000001");
    let release = released(&people(200, 7), &still, &rest).expect("a release");
    let warns = |of: &str| release.summary.warnings.iter().any(|warning| warning.contains(of));
    assert!(warns("most rows show the true value"), "{:?}", release.summary.warnings);
}
