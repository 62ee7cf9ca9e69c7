//! Every rule accepts what it makes and nothing else.

use serde_json::json;

use super::*;

/// Whether these texts, row by row, may be what a step made of others. `NA` is missing.
fn holds(rule: &str, parameters: Value, read: &[&[&str]], made: &[&str]) -> bool {
    outcome(rule, parameters, read, made).expect("a check").holds
}

fn outcome(
    rule: &str,
    parameters: Value,
    read: &[&[&str]],
    made: &[&str],
) -> Result<StepOutcome, VerifyError> {
    let read: Vec<CodedColumn> = read.iter().map(|texts| CodedColumn::of_texts("c", texts.iter())).collect();
    let Value::Object(parameters) = parameters else { panic!("parameters have names") };
    let missing = ["NA".to_owned()];
    let claim = StepClaim {
        rule,
        parameters: &parameters,
        read: &read.iter().collect::<Vec<_>>(),
        missing: &vec![&missing[..]; read.len()],
        bounds: &vec![(None, None); read.len()],
        made: &[&CodedColumn::of_texts("c", made.iter())],
    };
    check_step(&claim, &mut KnownOffsets::default(), &Control::default())
}

/// What a step makes is accepted, and refused once any one of its values is another.
#[expect(clippy::needless_pass_by_value, reason = "the parameters are written where they are used")]
fn only(rule: &str, parameters: Value, read: &[&[&str]], made: &[&str], wrong: &[(usize, &str)]) {
    assert!(holds(rule, parameters.clone(), read, made), "{rule}: {made:?}");
    for (row, text) in wrong {
        let mut changed = made.to_vec();
        changed[*row] = text;
        let found = outcome(rule, parameters.clone(), read, &changed).expect("a check");
        assert_eq!(found, StepOutcome { holds: false, first_false: Some(*row) }, "{rule}: {changed:?}");
    }
}

#[test]
fn coded_numbers() {
    let values: &[&str] = &["17", "90", "97", "NA"];
    let wrong = [(0, ">=90"), (0, "18"), (1, "90"), (2, "97"), (2, ">=91"), (3, ""), (3, ">=90")];
    only("top", json!({"limit": 90, "write": "label"}), &[values], &["17", ">=90", ">=90", "NA"], &wrong);
    only("top", json!({"limit": 90, "write": "limit"}), &[values], &["17", "90", "90", "NA"], &[(2, "91")]);
    only("top", json!({"limit": 90, "write": 93.5}), &[values], &["17", "93.5", "93.5", "NA"], &[(2, "93")]);
    let wrong = [(0, "17"), (1, "<=18")];
    only("bottom", json!({"limit": 18, "write": "label"}), &[&["17", "18,5"]], &["<=18", "18,5"], &wrong);
    assert!(outcome("top", json!({"write": "label"}), &[values], values).is_err());
    assert!(outcome("top", json!({"limit": 90, "write": "mean"}), &[values], values).is_err());
}

#[test]
fn rounded_numbers() {
    let values: &[&str] = &["12.5", "7.5", "-2.6", "NA"];
    let wrong = [(0, "15"), (0, "12.5"), (1, "5"), (2, "0"), (3, "0")];
    only("round", json!({"base": 5}), &[values], &["10", "10", "-5", "NA"], &wrong);
    let drawn = json!({"base": 5, "mode": "random"});
    only(
        "round",
        drawn.clone(),
        &[&["12.5", "10"]],
        &["15", "10"],
        &[(0, "5"), (0, "20"), (0, "12"), (1, "15"), (1, "5")],
    );
    // A draw may go either way for equal values.
    assert!(holds("round", drawn, &[&["12.5", "12.5", "12.5"]], &["15", "10", "15"]));
    only(
        "round",
        json!({"digits": 2}),
        &[&["12345", "0.0456", "99.6", "0"]],
        &["12000", "0.046", "100", "0"],
        &[(0, "12300"), (3, "1")],
    );
    assert!(outcome("round", json!({}), &[values], values).is_err());
    assert!(outcome("round", json!({"base": 5, "mode": "up"}), &[values], values).is_err());
}

#[test]
fn bands() {
    let wrong = [(0, "[18,30)"), (1, "[0,18)"), (1, "[18,30]"), (2, ">=18"), (2, "[30,99)"), (3, ">=30")];
    only(
        "cut",
        json!({"at": [0, 18, 30]}),
        &[&["17", "18", "99", "NA"]],
        &["[0,18)", "[18,30)", ">=30", "NA"],
        &wrong,
    );
    only("cut", json!({"at": [0, 1.5]}), &[&["0,5", "1,5"]], &["[0;1,5)", ">=1,5"], &[(0, "[0,1.5)")]);
    only(
        "cut",
        json!({"at": [0, 18], "labels": ["child", "adult"]}),
        &[&["17", "18"]],
        &["child", "adult"],
        &[(0, "adult")],
    );
    assert!(!holds("cut", json!({"at": [0, 18]}), &[&["-1"]], &["[0,18)"]));
    only(
        "cut",
        json!({"at": [0, 18, 30], "closed": "right"}),
        &[&["17", "18", "30", "31", "NA"]],
        &["(0,18]", "(0,18]", "(18,30]", ">30", "NA"],
        &[(0, "[0,18)"), (1, "(18,30]"), (2, ">30"), (3, ">=30"), (3, "(18,30]")],
    );
    assert!(!holds("cut", json!({"at": [0, 18], "closed": "right"}), &[&["0"]], &["(0,18]"]));
    assert!(outcome("cut", json!({"at": [0], "closed": "up"}), &[&["1"]], &[">0"]).is_err());
    assert!(outcome("cut", json!({"at": [18, 0]}), &[&["1"]], &["1"]).is_err());
}

#[test]
fn lumped_and_masked_texts() {
    only(
        "lump",
        json!({"keep": ["a", 1]}),
        &[&["a", "1", "b", "NA"]],
        &["a", "1", "other", "NA"],
        &[(0, "other"), (2, "b")],
    );
    let wrong = [(0, "+49 170 xxxxxxx"), (0, "+4x xxx xxxxxxx"), (0, "+49 xxx xxxxxx")];
    only("mask", json!({"keep_left": 3}), &[&["+49 170 1234567"]], &["+49 xxx xxxxxxx"], &wrong);
    let fixed = json!({"fixed_length": true, "length": 5, "keep_left": 1, "keep_right": 1});
    only(
        "mask",
        fixed,
        &[&["ab", "abcdef", "a"]],
        &["axxxb", "axxxxf", "axxxx"],
        &[(0, "ab"), (1, "abcdef")],
    );
    assert!(outcome("mask", json!({"fixed_length": true}), &[&["a"]], &["x"]).is_err());
}

#[test]
fn zip_codes() {
    let small = json!({"small": ["036"]});
    only(
        "zip3",
        small.clone(),
        &[&["90210-1234", "03601", "NA"]],
        &["902", "000", "NA"],
        &[(0, "000"), (0, "90"), (1, "036")],
    );
    assert!(
        !holds("zip3", small.clone(), &[&["2134"]], &["213"])
            && !holds("zip3", small, &[&["9021o"]], &["902"])
    );
    only("zip3", json!({"small": [], "pad": true}), &[&["2134"]], &["021"], &[(0, "213")]);
}

#[test]
fn ages_and_days() {
    let at = json!({"at": "2023-02-28"});
    only(
        "age",
        at.clone(),
        &[&["2000-02-29", "1933-02-28", "NA"]],
        &["22", "90", "NA"],
        &[(0, "23"), (1, "89"), (2, "0")],
    );
    assert!(!holds("age", at, &[&["2023-03-01"]], &["0"]), "born later");
    let born: &[&str] = &["15.06.2000", "NA", "01.01.1990"];
    let days: &[&str] = &["2020-06-14", "2020-01-01", "NA"];
    only("age", json!({"at_column": "d"}), &[born, days], &["19", "NA", "NA"], &[(0, "20"), (1, "20")]);
    only("age", json!({"at": "2024-03-30", "unit": "months"}), &[&["2024-01-31"]], &["1"], &[(0, "2")]);
    only("age", json!({"at": "2024-03-01", "unit": "days"}), &[&["2024-02-28"]], &["2"], &[(0, "1")]);
    only(
        "days_since",
        json!({"since": "2024-02-28"}),
        &[&["2024-03-01", "2023-12-31"]],
        &["2", "-59"],
        &[(0, "-2")],
    );
    assert!(
        outcome("age", json!({"at": "2024-01-01"}), &[&["01/02/2000"]], &["23"]).is_err(),
        "day or month first"
    );
    assert!(holds("age", json!({"at": "2024-01-01", "format": "dd/mm/yyyy"}), &[&["01/02/2000"]], &["23"]));
    assert!(outcome("age", json!({}), &[&["2000-01-01"]], &["23"]).is_err());
}

#[test]
fn periods() {
    for (unit, period) in [
        ("second", "2024-05-06T14:30:05"),
        ("minute", "2024-05-06T14:30"),
        ("hour", "2024-05-06T14"),
        ("day", "2024-05-06"),
        ("week", "2024-W19"),
        ("month", "2024-05"),
        ("quarter", "2024-Q2"),
        ("year", "2024"),
    ] {
        only("truncate", json!({"unit": unit}), &[&["2024-05-06T14:30:05"]], &[period], &[(0, "2025")]);
    }
    for (day, week) in [
        ("2021-01-03", "2020-W53"),
        ("2018-12-31", "2019-W01"),
        ("2024-12-29", "2024-W52"),
        ("1970-01-01", "1970-W01"),
    ] {
        only("truncate", json!({"unit": "week"}), &[&[day]], &[week], &[(0, "2020-W01")]);
    }
    let late = "2023-12-31T23:30:00-05:00";
    only("truncate", json!({"unit": "year"}), &[&[late]], &["2023"], &[(0, "2024")]);
    only("truncate", json!({"unit": "day", "utc": true}), &[&[late]], &["2024-01-01"], &[(0, "2023-12-31")]);
    assert!(outcome("truncate", json!({}), &[&["2024-01-01"]], &["2024"]).is_err());
}

#[test]
fn cells() {
    let cell = |precision: u64, latitude, longitude, cell| {
        holds("geo", json!({"precision": precision}), &[&[latitude], &[longitude]], &[cell])
    };
    assert!(cell(11, "57.64911", "10.40744", "u4pruydqqvj") && cell(5, "57.64911", "10.40744", "u4pru"));
    assert!(!cell(11, "57.64911", "10.40744", "u4pruydqqvk") && !cell(5, "57.64911", "10.40744", "u4prv"));
    assert!(!cell(5, "57.64911", "10.40744", "u4prua") && !cell(5, "57.64911", "10.40744", "u4pr"));
    assert!(cell(1, "90", "180", "z") && cell(1, "-90", "-180", "0") && !cell(1, "90", "180", "0"));
    let degrees = json!({"grid": "degrees", "step": 0.5});
    let point: &[&[&str]] = &[&["50.74"], &["-70.9"]];
    only(
        "geo",
        degrees,
        point,
        &["50.5/-71"],
        &[(0, "50.5/-70.5"), (0, "50/-71"), (0, "50.6/-71"), (0, "50.5")],
    );
}

#[test]
fn codes_of_values() {
    let values: &[&str] = &["p-1", "p-2", "p-1 ", "NA", "p-2"];
    let codes: &[&str] = &["0123456789", "abcdefghjk", "0123456789", "NA", "abcdefghjk"];
    let wrong = [
        // One code for two values, and two codes for one.
        (1, "0123456789"),
        (2, "9876543210"),
        (4, "0123456789"),
        // A sign that no code has, another length, a value, a missing value.
        (0, "012345678i"),
        (0, "01234567"),
        (0, "0123456789a"),
        (1, "p-2"),
        (3, "0123456789"),
        (0, "NA"),
    ];
    let changed = |row: usize, text: &'static str| {
        let mut made = codes.to_vec();
        made[row] = text;
        outcome("pseudonym", json!({"length": 10}), &[values], &made).expect("a check").holds
    };
    assert!(holds("pseudonym", json!({"length": 10}), &[values], codes));
    for (row, text) in wrong {
        assert!(!changed(row, text), "{row}: {text}");
    }
    // Texts that are made alike in another way are other values.
    assert!(!holds("pseudonym", json!({"length": 10, "normalise": []}), &[values], codes));
    let lower: &[&[&str]] = &[&["a", "A"]];
    assert!(holds("pseudonym", json!({"length": 10, "normalise": "lower"}), lower, &["0123456789"; 2]));
    assert!(!holds("pseudonym", json!({"length": 10}), lower, &["0123456789"; 2]));
    // A code that is somebody's value.
    assert!(!holds(
        "pseudonym",
        json!({"length": 10}),
        &[&["a", "0123456789"]],
        &["0123456789", "abcdefghjk"]
    ));
    assert!(outcome("pseudonym", json!({"normalise": "upper"}), lower, &["0123456789abcdef"; 2]).is_err());
}

#[test]
fn dates_of_people() {
    let dates: &[&str] = &["2024-01-10", "2024-03-01", "NA", "2024-01-10", "2024-05-05"];
    let people: &[&str] = &["a", "a ", "a", "b", "c"];
    let moved: &[&str] = &["2024-01-17", "2024-03-08", "NA", "2024-01-03", "2024-05-19"];
    let how = json!({"project": "x", "max": 14, "unit": 7});
    let wrong = [
        // Another offset of a person, none, one that is no multiple, one that is too far.
        (1, "2024-03-15"),
        (3, "2024-01-10"),
        (3, "2024-01-04"),
        (4, "2024-05-26"),
        (4, "NA"),
        (2, "2024-01-01"),
        (4, "2024-05"),
    ];
    only("shift", how.clone(), &[dates, people], moved, &wrong);
    // A later date of a person shows that the first was moved otherwise.
    let mut first = moved.to_vec();
    first[0] = "2024-01-03";
    assert!(!holds("shift", how, &[dates, people], &first));
    let past = json!({"project": "x", "max": 14, "direction": "past"});
    only(
        "shift",
        past,
        &[&dates[3..4], &people[3..4]],
        &moved[3..4],
        &[(0, "2024-01-17"), (0, "2024-01-10")],
    );
    let last = json!({"project": "x", "not_after": "2024-05-19"});
    only("shift", last, &[&dates[4..], &people[4..]], &moved[4..], &[(0, "2024-05-20")]);
    let times: &[&[&str]] = &[&["2024-01-10T23:30:00-05:00"], &["a"]];
    let time = [
        (0, "2024-01-11T23:31:00-05:00"),
        (0, "2024-01-11T23:30:00-04:00"),
        (0, "2024-01-10T23:30:00-05:00"),
    ];
    only("shift", json!({"project": "x"}), times, &["2024-01-11T23:30:00-05:00"], &time);
    assert!(
        !holds("shift", json!({"project": "x"}), &[&["2024-01-10"], &["NA"]], &["2024-01-11"]),
        "nobody's date"
    );
    assert!(outcome("shift", json!({}), &[&["2024-01-10"], &["a"]], &["2024-01-11"]).is_err());
}

/// The dates of a person in two columns are moved by the same days.
#[test]
fn offsets_hold_in_all_columns() {
    let mut offsets = KnownOffsets::default();
    let mut calls = 0;
    let mut moved = |project: &str, made: &str| {
        calls += 1;
        let name = format!("visit {calls}");
        let column = |text: &str| CodedColumn::of_texts(&name, [text].iter());
        let parameters = json!({ "project": project });
        let claim = StepClaim {
            rule: "shift",
            parameters: parameters.as_object().expect("parameters"),
            read: &[&column("2024-01-10"), &column("a")],
            missing: &[&[], &[]],
            bounds: &[(None, None); 2],
            made: &[&column(made)],
        };
        check_step(&claim, &mut offsets, &Control::default()).expect("a check").holds
    };
    assert!(moved("x", "2024-01-12") && moved("x", "2024-01-12"));
    assert!(!moved("x", "2024-01-13") && moved("y", "2024-01-13"));
}

/// What a number is rounded with may be missing; both dates of a difference must be there.
#[test]
fn missing_values_pass_through_rules_that_make_something_of_them() {
    let groups: &[&str] = &["a", "NA", "NA"];
    let controlled = json!({ "base": 5, "mode": "controlled", "within": "g" });
    only(
        "round",
        controlled,
        &[&["7", "7", "NA"], groups],
        &["10", "5", "NA"],
        &[(1, "NA"), (1, "0"), (2, "5")],
    );
    let days: [&[&str]; 2] = [&["2024-01-03", "2024-01-03", "NA"], &["2024-01-01", "NA", "2024-01-01"]];
    only(
        "days_since",
        json!({ "since_column": "d" }),
        &days,
        &["2", "NA", "NA"],
        &[(1, "2"), (2, "0"), (0, "02")],
    );
}

#[test]
fn what_is_not_known_is_not_passed() {
    assert!(outcome("encrypt", json!({}), &[&["1"]], &["1"]).is_err());
    assert!(outcome("lump", json!({}), &[&["1"]], &["1"]).is_err());
    let read = CodedColumn::of_texts("c", ["1", "2"].iter());
    let made = CodedColumn::of_texts("c", ["1"].iter());
    let parameters = Map::new();
    let claim = StepClaim {
        rule: "round",
        parameters: &parameters,
        read: &[&read],
        missing: &[&[]],
        bounds: &[(None, None)],
        made: &[&made],
    };
    assert!(
        check_step(&claim, &mut KnownOffsets::default(), &Control::default()).is_err(),
        "rows are missing"
    );
}

/// What one end has coded stays when the other end is coded.
#[test]
fn both_ends_are_coded() {
    let bottom = json!({"limit": 18, "write": "label"});
    only(
        "bottom",
        bottom.clone(),
        &[&[">=90", "20", "3"]],
        &[">=90", "20", "<=18"],
        &[(0, "<=18"), (0, ">=91"), (2, ">=90")],
    );
    assert!(!holds("bottom", bottom, &[&[">=18", "20"]], &[">=18", "20"]), "18 is coded");
    let top = json!({"limit": 90, "write": "label"});
    only("top", top.clone(), &[&["<=18", "20", "95"]], &["<=18", "20", ">=90"], &[(0, ">=90"), (2, "95")]);
    assert!(!holds("top", top, &[&["x>=3", "20"]], &["x>=3", "20"]));
}

/// Two moves may cancel each other out.
#[test]
fn dates_are_moved_once() {
    let column =
        |name: &str, texts: &[&str]| CodedColumn::of_texts(name, texts.iter().map(|text| (*text).to_owned()));
    let (people, first) = (column("who", &["a", "b"]), column("visit", &["2024-03-01", "2024-03-02"]));
    let second = column("visit", &["2024-03-04", "2024-03-05"]);
    let month = column("later", &["2024-03-04", "2024-03-05"]);
    let parameters = json!({"project": "x", "max": 5});
    let parameters = parameters.as_object().expect("a table");
    let mut known = KnownOffsets::default();
    let mut moved = |rule: &str, read: &[&CodedColumn], made: &CodedColumn| {
        let missing: Vec<&[String]> = vec![&[]; read.len()];
        let claim = StepClaim {
            rule,
            parameters,
            read,
            missing: &missing,
            bounds: &vec![(None, None); read.len()],
            made: &[made],
        };
        check_step(&claim, &mut known, &Control::default()).map(|outcome| outcome.holds)
    };
    assert!(moved("shift", &[&first, &people], &second).expect("it is checked"));
    let twice = moved("shift", &[&second, &people], &first).expect_err("moved twice").to_string();
    assert!(twice.contains("moved before"), "{twice}");
    // Nor is what was made of moved dates.
    let _ = moved("truncate", &[&second], &month);
    assert!(moved("shift", &[&month, &people], &first).is_err());
}
