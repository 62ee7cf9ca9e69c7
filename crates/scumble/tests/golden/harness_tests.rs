//! That the examples are really run: a page with a fault must fail.

use super::example::run_page;
use super::{docs, links};

const PAGE: &str = r#"
```csv input
age,sex
30,f
31,f
50,m
52,m
```
```toml plan
input = "input.csv"
output = "release.csv"
[columns]
age = { role = "quasi", label = "tight" }
sex = { role = "quasi" }
[[privacy]]
model = "k_anonymity"
k = 2
```
```csv release
age,sex
"[30,31]",f
"[30,31]",f
"[50,52]",m
"[50,52]",m
```
```json figures
{ "classes": 2, "metrics": { "loss": 0.03, "c_avg": 1.0 } }
```
```toml change
[[privacy]]
model = "k_anonymity"
k = 5
```
```text error
k = 5 is more than
the 4 rows
```
```csv table
age,sex
30,f
30,f
```
```toml check
input = "original.csv"
output = "table.csv"
[columns]
age = { role = "quasi" }
sex = { role = "quasi" }
```
```json verdict
{ "holds": true, "attained": { "k": 2, "class_sizes": [[2, 1]] } }
```
```toml fragment
[read]
delimiter = ";"
```
"#;

#[test]
fn a_sound_page_passes() {
    assert_eq!(run_page("sound.md", PAGE), Ok(3));
}

#[test]
fn a_fault_on_a_page_is_found() {
    for (sound, faulty, message) in [
        ("\"[50,52]\",m", "\"[50,53]\",m", "line 4: printed"),
        ("\"classes\": 2", "\"classes\": 3", "classes: printed 3, found 2"),
        ("0.03,", "0.04,", "metrics.loss: printed 0.04, found 0.0340"),
        ("0.03,", "0.030,", "metrics.loss: printed 0.030"),
        ("\"loss\"", "\"lost\"", "metrics.lost: printed, but not there"),
        ("the 4 rows", "the 3 rows", "it failed with: k = 5 is more than the 4 rows"),
        ("[[2, 1]]", "[[2, 1], [3, 1]]", "attained.class_sizes: printed 2 items, found 1"),
        ("\"holds\": true", "\"holds\": false", "holds: printed false, found true"),
        ("toml plan", "toml plna", "no kind of example block 'toml plna'"),
        ("k = 2", "k = 9", "the run failed: k = 9"),
        ("delimiter", "delimeter", "did you mean"),
        ("```toml fragment", "```toml change\n```\n```toml fragment", "has no outcome printed"),
        ("delimiter = \";\"\n```", "delimiter = \";\"\n", "line 53: the block is never closed"),
    ] {
        let page = PAGE.replacen(sound, faulty, 1);
        let failures = run_page("faulty.md", &page).expect_err(message).join("\n");
        assert!(failures.contains(message), "{message}: {failures}");
    }
}

#[test]
fn links_to_nothing_are_found() {
    let text = "# A title, here\n[a](nowhere.md) [b](#a-title-here) [c](#other) [d](https://example.org/x)\n```\n[e](no.md)\n```\n";
    let broken = links::broken(&docs(), "SUMMARY.md", "[a](nowhere.md)");
    assert_eq!(broken, ["docs/SUMMARY.md: the link to nowhere.md leads nowhere"]);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("page.md"), text).expect("a page");
    let broken = links::broken(folder.path(), "page.md", text);
    assert_eq!(
        broken,
        [
            "docs/page.md: the link to nowhere.md leads nowhere",
            "docs/page.md: the link to #other leads to no heading"
        ]
    );
}
