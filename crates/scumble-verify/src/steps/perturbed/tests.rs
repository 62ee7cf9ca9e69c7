//! What the laws accept, and what they refuse.

use scumble_files::Control;
use scumble_files::table::CodedColumn;
use serde_json::{Value, json};

use super::super::{KnownOffsets, StepClaim, check_step};

/// Whether these columns may be what a step made of others. `NA` is missing; the columns that are read besides have names.
fn holds(rule: &str, parameters: &Value, read: &[(&str, &[&str])], made: &[&[&str]]) -> bool {
    within(rule, parameters, read, made, (None, None))
}

fn within(
    rule: &str,
    parameters: &Value,
    read: &[(&str, &[&str])],
    made: &[&[&str]],
    bounds: (Option<f64>, Option<f64>),
) -> bool {
    let column = |(name, texts): &(&str, &[&str])| CodedColumn::of_texts(name, texts.iter());
    let read: Vec<CodedColumn> = read.iter().map(column).collect();
    let made: Vec<CodedColumn> =
        read.iter().zip(made).map(|(of, texts)| column(&(of.name.as_str(), texts))).collect();
    let Value::Object(parameters) = parameters else { panic!("parameters have names") };
    let missing = ["NA".to_owned()];
    let claim = StepClaim {
        rule,
        parameters,
        read: &read.iter().collect::<Vec<_>>(),
        missing: &vec![&missing[..]; read.len()],
        bounds: &vec![bounds; read.len()],
        made: &made.iter().collect::<Vec<_>>(),
    };
    check_step(&claim, &mut KnownOffsets::default(), &Control::default()).expect("a check").holds
}

#[test]
fn noise_stays_in_its_column() {
    let read: &[(&str, &[&str])] = &[("x", &["0.0", "1.5", "NA", "3.2"])];
    let free = json!({});
    assert!(holds("noise", &free, read, &[&["0.4", "1.1", "NA", "-3"]]));
    for wrong in [
        ["0.4", "1.1", "2", "3"],
        ["0.4", "NA", "NA", "3"],
        ["0.4", "x", "NA", "3"],
        ["0.41", "1.1", "NA", "3"],
    ] {
        assert!(!holds("noise", &free, read, &[&wrong]), "{wrong:?}");
    }
    let keep = json!({"zeros": "keep"});
    assert!(holds("noise", &keep, read, &[&["0.0", "1.1", "NA", "3"]]));
    assert!(!holds("noise", &keep, read, &[&["0.1", "1.1", "NA", "3"]]));
    let bounds = (Some(0.0), Some(4.0));
    assert!(within("noise", &free, read, &[&["0.4", "1.1", "NA", "4"]], bounds));
    assert!(!within("noise", &free, read, &[&["0.4", "1.1", "NA", "4.1"]], bounds));
    assert!(!within("noise", &free, read, &[&["-0.1", "1.1", "NA", "4"]], bounds));
    assert!(within("noise", &json!({"bounds": "none"}), read, &[&["-9", "1.1", "NA", "9"]], bounds));
}

#[test]
fn exact_noise_keeps_means_and_covariances() {
    let exact = json!({"exact": true});
    let read: &[(&str, &[&str])] = &[("x", &["1", "2", "3", "4"]), ("y", &["10", "20", "20", "10"])];
    assert!(holds("noise", &exact, read, &[&["4", "3", "2", "1"], &["20", "10", "10", "20"]]));
    assert!(!holds("noise", &exact, read, &[&["4", "3", "2", "9"], &["20", "10", "10", "20"]]), "mean");
    assert!(!holds("noise", &exact, read, &[&["0", "2", "3", "5"], &["20", "10", "10", "20"]]), "variance");
    assert!(!holds("noise", &exact, read, &[&["4", "3", "2", "1"], &["10", "10", "20", "20"]]), "covariance");
}

#[test]
fn factors_keep_to_their_band() {
    let read: &[(&str, &[&str])] = &[("x", &["0", "100", "-100", "NA"])];
    let band = json!({"method": "band", "from": 0.05, "to": 0.15});
    assert!(holds("multiply", &band, read, &[&["0", "110", "-94", "NA"]]));
    for wrong in [
        ["1", "110", "-94", "NA"],
        ["0", "104", "-94", "NA"],
        ["0", "100", "-94", "NA"],
        ["0", "120", "-94", "NA"],
        ["0", "110", "94", "NA"],
        ["0", "110", "-94", "1"],
    ] {
        assert!(!holds("multiply", &band, read, &[&wrong]), "{wrong:?}");
    }
    let lognormal = json!({"sigma": 0.2});
    assert!(holds("multiply", &lognormal, read, &[&["0", "300", "-1", "NA"]]));
    assert!(!holds("multiply", &lognormal, read, &[&["0", "-3", "-1", "NA"]]));
}

#[test]
fn ranks_move_no_farther_than_their_span() {
    let values = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"];
    let read: &[(&str, &[&str])] = &[("x", &values)];
    let span = |percent: u32| json!({"p": percent, "top_percent": 0, "bottom_percent": 0});
    let swapped = |pairs: &[(usize, usize)]| {
        let mut made = values;
        pairs.iter().for_each(|(a, b)| made.swap(*a, *b));
        made
    };
    assert!(holds("rank_swap", &span(20), read, &[&swapped(&[(0, 2), (1, 3), (8, 9)])]));
    assert!(!holds("rank_swap", &span(20), read, &[&swapped(&[(0, 3)])]), "span + 1");
    assert!(holds("rank_swap", &span(30), read, &[&swapped(&[(0, 3)])]));
    let mut changed = values;
    changed[4] = "6";
    assert!(!holds("rank_swap", &span(20), read, &[&changed]), "a value twice");
    // The three least show their mean, and so do the three greatest.
    let tails = json!({"p": 50, "top_percent": 5, "bottom_percent": 5});
    assert!(holds("rank_swap", &tails, read, &[&["2", "2", "2", "6", "5", "4", "7", "9", "9", "9"]]));
    assert!(!holds("rank_swap", &tails, read, &[&["1", "2", "2", "6", "5", "4", "7", "9", "9", "9"]]));
    assert!(!holds("rank_swap", &tails, read, &[&["2", "2", "2", "9", "5", "4", "7", "6", "9", "9"]]));
    // Only rows of one group exchange.
    let groups: &[(&str, &[&str])] =
        &[("x", &values), ("g", &["a", "b", "a", "b", "a", "b", "a", "b", "a", "b"])];
    let in_groups = json!({"p": 100, "top_percent": 0, "bottom_percent": 0, "within": "g"});
    assert!(holds("rank_swap", &in_groups, groups, &[&swapped(&[(0, 8)])]));
    assert!(!holds("rank_swap", &in_groups, groups, &[&swapped(&[(0, 7)])]));
}

#[test]
fn shuffled_columns_are_the_same_as_a_whole() {
    let read: &[(&str, &[&str])] = &[("x", &["1", "2", "2", "NA"]), ("s", &["a", "b", "a", "b"])];
    let by = json!({"by": ["s"]});
    assert!(holds("shuffle", &by, read, &[&["2", "2", "1", "NA"]]));
    assert!(!holds("shuffle", &by, read, &[&["2", "1", "1", "NA"]]));
    assert!(!holds("shuffle", &by, read, &[&["2", "2", "NA", "1"]]));
}

#[test]
fn categories_come_from_the_data_or_the_plan() {
    let read: &[(&str, &[&str])] = &[("x", &["a", "b", "a", "NA"])];
    let plain = json!({"pd": 0.8});
    assert!(holds("pram", &plain, read, &[&["b", "a", "a", "NA"]]));
    assert!(!holds("pram", &plain, read, &[&["c", "a", "a", "NA"]]));
    assert!(!holds("pram", &plain, read, &[&["b", "a", "a", "a"]]));
    assert!(!holds("pram", &plain, read, &[&["b", "NA", "a", "NA"]]));
    assert!(holds("pram", &json!({"values": ["a", "b", "c"]}), read, &[&["c", "a", "a", "NA"]]));
    assert!(holds("pram", &json!({"missing": "value"}), read, &[&["NA", "a", "a", "b"]]));
    assert!(!holds("pram", &json!({"pd": 1}), read, &[&["b", "b", "a", "NA"]]), "nothing may change");
    let matrix = json!({"matrix": "m.csv", "known": ["a", "b"], "chances": ["1/2", "1/2", "0", "1"]});
    assert!(holds("pram", &matrix, read, &[&["b", "b", "a", "NA"]]));
    assert!(!holds("pram", &matrix, read, &[&["a", "a", "a", "NA"]]), "b never becomes a");
    let joint: &[(&str, &[&str])] = &[("x", &["a", "b"]), ("y", &["1", "2"])];
    let together = json!({"joint": true});
    assert!(holds("pram", &together, joint, &[&["b", "b"], &["2", "2"]]));
    assert!(!holds("pram", &together, joint, &[&["b", "b"], &["1", "2"]]), "an impossible pair");
}

#[test]
fn households_move_as_a_whole() {
    let read: &[(&str, &[&str])] = &[
        ("town", &["a", "a", "b", "b", "c"]),
        ("household", &["1", "1", "2", "2", "3"]),
        ("size", &["2", "2", "2", "2", "1"]),
    ];
    let similar = json!({"similar": ["size"], "household": "household"});
    assert!(holds("record_swap", &similar, read, &[&["b", "b", "a", "a", "c"]]));
    assert!(!holds("record_swap", &similar, read, &[&["b", "a", "a", "b", "c"]]), "a household apart");
    assert!(!holds("record_swap", &similar, read, &[&["b", "b", "b", "b", "c"]]), "a town emptied");
    assert!(!holds("record_swap", &similar, read, &[&["c", "c", "b", "b", "a"]]), "unlike households");
    let either = json!({"similar": [["size"], ["region"]]});
    assert!(holds("record_swap", &either, read, &[&["c", "c", "b", "b", "a"]]));
}
