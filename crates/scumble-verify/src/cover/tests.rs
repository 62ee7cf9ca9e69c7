use super::*;
use crate::value::DateFormat;
use proptest::prelude::*;

fn cover(kind: ValueKind, paths: &[&[&str]], missing: &[&str]) -> Cover {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let paths = paths.iter().map(|path| (path[0].to_owned(), owned(&path[1..])));
    Cover { kind, nodes: Nodes::from_paths(paths).expect("a hierarchy"), missing: owned(missing) }
}

fn covers(cover: &Cover, original: &str, released: &str) -> bool {
    let reading = Reading::new(cover);
    reading.released(released).covers(&reading.original(original))
}

const NUMBER: ValueKind = ValueKind::Number { comma: false };

#[test]
fn numbers() {
    let age = cover(NUMBER, &[], &["?"]);
    for (original, released, expected) in [
        ("25", "*", true),
        ("25", "25", true),
        ("25", "25.0", true),
        ("25", "26", false),
        ("25", "=25", true),
        ("20", "[20,30)", true),
        ("19.999", "[20,30)", false),
        ("30", "[20,30)", false),
        ("29.99", "[20,30)", true),
        ("30", "[20,30]", true),
        ("30.01", "[20,30]", false),
        ("20", "[20,20]", true),
        ("20", "[20,20)", false),
        ("25", "[30,20]", false),
        ("-5", "[-10,-1]", true),
        ("25", "[20;30]", false),
        ("25", "=[20,30]", false),
        ("25", "{24|25.0}", true),
        ("25", "{24|26}", false),
        ("?", "?", true),
        ("?", "*", true),
        ("?", "{25|?}", true),
        ("?", "{25}", false),
        ("?", "[0,99]", false),
        ("25", "?", false),
        ("abc", "[0,99]", false),
        ("abc", "abc", true),
        ("abc", "abd", false),
        ("25", "young", false),
    ] {
        assert_eq!(covers(&age, original, released), expected, "{original} {released}");
    }
}

/// Values that stand for many numbers, which steps have made (transforms.md 1.1 and 1.3).
#[test]
fn coded_values_and_bands() {
    let age = cover(NUMBER, &[], &["?"]);
    for (original, released, expected) in [
        (">=90", ">=90", true),
        (">=90", ">=80", true),
        (">=90", ">=90.0", true),
        (">=90", ">=91", false),
        (">=90", "[80,120]", false),
        (">=90", "<=90", false),
        (">=90", "90", false),
        (">=90", "=>=90", true),
        (">=90", "*", true),
        ("<=18", "<=20", true),
        ("<=18", "<=17", false),
        ("<=18", "[0,18]", false),
        ("[18,30)", "[18,30)", true),
        ("[18,30)", "[18,45)", true),
        ("[18,30)", "[18,30]", true),
        ("[18,30)", "[18,29]", false),
        ("[18,30)", "[19,45)", false),
        ("[18,30)", ">=18", true),
        ("[18,30)", ">=19", false),
        ("[18,30]", "[18,30)", false),
        ("[18,30)", "<=30", true),
        ("[18,30)", "25", false),
        ("[30,18)", "[0,99]", false),
        ("95", ">=90", true),
        ("89.9", ">=90", false),
        ("18", "<=18", true),
        ("?", ">=0", false),
        ("abc", ">=0", false),
    ] {
        assert_eq!(covers(&age, original, released), expected, "{original} {released}");
    }
    // A node that is called an interval is true of what it says, and not of what somebody has put below it.
    let paths = [&["[18,30)", ">=18"][..], &[">=90", ">=18"], &["<=10", ">=18"], &["[0,18)", "[0,30)"]];
    let bands = cover(NUMBER, &paths, &[]);
    assert!(covers(&bands, "[18,30)", ">=18") && covers(&bands, ">=90", ">=18"));
    assert!(!covers(&bands, "<=10", ">=18"));
    // In columns of texts these are texts.
    let word = cover(ValueKind::Text, &[&[">=50K", "rich"]], &[]);
    assert!(covers(&word, ">=50K", ">=50K") && covers(&word, ">=50K", "=>=50K"));
    assert!(covers(&word, ">=50K", "rich") && !covers(&word, ">=60K", ">=50K"));
    let comma = cover(ValueKind::Number { comma: true }, &[], &[]);
    assert!(covers(&comma, ">=1,5", ">=1,0") && !covers(&comma, ">=1,5", ">=1.0"));
}

#[test]
fn decimal_commas_and_dates() {
    let price = cover(ValueKind::Number { comma: true }, &[], &[]);
    assert!(covers(&price, "1,5", "[1,5;2,5]") && covers(&price, "2,5", "[1,5;2,5]"));
    assert!(!covers(&price, "1,49", "[1,5;2,5]") && !covers(&price, "2,51", "[1,5;2,5]"));
    assert!(!covers(&price, "3", "[1,5]"));
    let day = cover(ValueKind::Date { format: DateFormat::DayMonthYearDot }, &[], &[]);
    assert!(covers(&day, "02.01.2020", "[31.12.2019,01.02.2020)"));
    assert!(!covers(&day, "01.02.2020", "[31.12.2019,01.02.2020)"));
    assert!(covers(&day, "1.2.2020", "01.02.2020"));
    assert!(!covers(&day, "30.02.2020", "[01.01.2020,31.12.2020]"));
}

#[test]
fn missing_markers_that_look_like_values() {
    let coded = cover(NUMBER, &[], &["-9", ""]);
    assert!(covers(&coded, "-9", "") && covers(&coded, "", "-9"));
    assert!(!covers(&coded, "-9", "[-10,0]"));
    assert!(!covers(&coded, "-9.0", "-9"));
    assert!(!covers(&coded, "-9", "-9.0"));
    assert!(covers(&coded, "-8", "[-10,0]"));
    // A node whose leaf is an interval around the marker does not cover it either, unless the marker itself is a leaf.
    let coded = cover(NUMBER, &[&["[-10,0)", "negative"], &["", "negative"]], &["-9", ""]);
    assert!(covers(&coded, "-8", "negative") && !covers(&coded, "-9", "negative"));
    assert!(covers(&coded, "", "negative"));
}

#[test]
fn hierarchies() {
    let job = cover(
        ValueKind::Text,
        &[&["nurse", "health", "any"], &["doctor", "health", "any"], &["cook", "food", "any"], &["?", "any"]],
        &["?"],
    );
    for (original, released, expected) in [
        ("nurse", "health", true),
        ("nurse", "any", true),
        ("nurse", "food", false),
        ("nurse", "nurse", true),
        ("nurse", "doctor", false),
        ("nurse", "=health", false),
        ("nurse", "{cook|nurse}", true),
        ("nurse", "{food|health}", true),
        ("nurse", "{cook|food}", false),
        ("?", "any", true),
        ("?", "health", false),
        ("nurse", "?", false),
        ("baker", "food", false),
        ("baker", "baker", true),
    ] {
        assert_eq!(covers(&job, original, released), expected, "{original} {released}");
    }
}

#[test]
fn quoted_values_are_raw() {
    let odd = cover(ValueKind::Text, &[], &[]);
    assert!(covers(&odd, "*", "=*") && !covers(&odd, "x", "=*"));
    assert!(covers(&odd, "=x", "==x") && !covers(&odd, "=x", "=x"));
    assert!(covers(&odd, "{a|b}", "={a|b}") && !covers(&odd, "a", "={a|b}"));
    assert!(covers(&odd, "a|b", r"{a\|b|c}") && !covers(&odd, "a", r"{a\|b|c}"));
}

#[test]
fn intervals_as_leaves() {
    let age = cover(
        NUMBER,
        &[&["[0,18)", "minor", "any"], &["[18,99]", "adult", "any"], &["100", "old", "any"]],
        &[],
    );
    assert!(covers(&age, "17", "minor") && covers(&age, "17", "[0,18)") && covers(&age, "17", "any"));
    assert!(covers(&age, "18", "adult") && !covers(&age, "18", "minor"));
    assert!(covers(&age, "100.0", "old") && !covers(&age, "101", "any"));
}

#[test]
fn a_node_that_is_written_as_an_interval_or_a_set_is_one() {
    let age = cover(NUMBER, &[&["30", "[20,30)"]], &[]);
    assert!(!covers(&age, "30", "[20,30)") && covers(&age, "25", "[20,30)"));
    let text = cover(ValueKind::Text, &[&["b", "{a|d}"], &["a", "{a|d}"], &["c", "[1,2]"]], &[]);
    assert!(!covers(&text, "b", "{a|d}") && covers(&text, "a", "{a|d}"));
    assert!(covers(&text, "c", "[1,2]"), "no interval in a column of texts");
}

#[test]
fn texts_that_are_no_leaves_lie_below_nodes_that_say_so() {
    let path = |labels: &[&str]| {
        let mut labels = labels.iter().map(|&label| label.to_owned());
        (labels.next().expect("a label"), labels.collect::<Vec<_>>())
    };
    let mut age = cover(NUMBER, &[&["25", "[20,30)", "young", "any"], &["31", "young", "any"]], &["?"]);
    assert!(!covers(&age, "26", "young"));
    age.nodes = age.nodes.with_named([path(&["[20,30)", "young", "any"]), path(&["young", "any"])]);
    for (original, released, expected) in [
        ("26", "[20,30)", true),
        ("26", "young", true),
        ("26", "any", true),
        ("30", "young", false),
        ("31", "[20,30)", false),
        ("?", "young", false),
        ("x", "young", false),
    ] {
        assert_eq!(covers(&age, original, released), expected, "{original} {released}");
    }
    let mut zip = cover(ValueKind::Text, &[&["4350", "435*", "43**", "north"]], &[]);
    zip.nodes = zip.nodes.with_named([path(&["435*", "43**", "north"]), path(&["43**", "north"])]);
    assert!(covers(&zip, "4399", "43**") && covers(&zip, "4399", "north"));
    assert!(!covers(&zip, "4399", "435*") && !covers(&zip, "4400", "north"));
}

#[test]
fn a_leaf_with_two_parents_is_refused() {
    let path = |leaf: &str, parent: &str| (leaf.to_owned(), vec![parent.to_owned()]);
    assert!(Nodes::from_paths([path("a", "x"), path("a", "x")]).is_ok());
    assert!(Nodes::from_paths([path("a", "x"), path("a", "y")]).is_err());
}

proptest! {
    #[test]
    fn the_index_finds_what_trying_all_finds(
        originals in proptest::collection::vec(r"[?!ab]|[0-6](\.0)?|\[1,3\)", 1..8),
        labels in proptest::collection::vec(r"\*|[?!]|=?[ab]|=\[1,3\)|[0-6](\.0)?|\[[0-3],[3-6][\])]|\{[0-6?a]\|[0-6n]\}|n|m", 1..12),
    ) {
        let cover = cover(NUMBER, &[&["a", "n", "r"], &["1", "n", "r"], &["?", "m"], &["[2,4)", "m"], &["5.0", "{1|n}"]], &["?", "!"]);
        let reading = Reading::new(&cover);
        let released: Vec<Released> = labels.iter().map(|label| reading.released(label)).collect();
        let index = LabelIndex::new(&released);
        for text in &originals {
            let original = reading.original(text);
            let tried: Vec<u32> =
                (0..released.len() as u32).filter(|&code| released[code as usize].covers(&original)).collect();
            prop_assert_eq!(index.covering(&original), tried);
        }
    }
}
