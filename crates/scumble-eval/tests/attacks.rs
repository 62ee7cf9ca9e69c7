//! Every attack has a page in the documentation.

use scumble_eval::attack::ATTACKS;

#[test]
fn every_attack_has_its_page_and_the_guide_names_it() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = |name: &str| {
        std::fs::read_to_string(docs.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let (summary, guide) = (text("SUMMARY.md"), text("guide/attack.md"));
    for attack in ATTACKS {
        let page = format!("attacks/{}.md", attack.name);
        assert!(text(&page).starts_with("# "), "{page}");
        assert!(summary.contains(&page) && guide.contains(&page), "{page} is linked");
        assert!(attack.about.ends_with('.') && !attack.paper.is_empty(), "{}", attack.name);
    }
    let pages = std::fs::read_dir(docs.join("attacks")).expect("a folder").count();
    assert_eq!(pages, ATTACKS.len(), "no page describes an attack that does not exist");
}
