//! Links from page to page.

use std::path::Path;

/// The links of a page that lead nowhere: files that are not there, headings that do not exist.
pub(crate) fn broken(docs: &Path, page: &str, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let folder = Path::new(page).parent().unwrap_or(Path::new(""));
    for target in targets(text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, heading) =
            target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
        let file = if path.is_empty() { docs.join(page) } else { docs.join(folder).join(path) };
        match (std::fs::read_to_string(&file), heading) {
            (Err(_), _) => broken.push(format!("docs/{page}: the link to {target} leads nowhere")),
            (Ok(text), Some(heading)) if !headings(&text).any(|of| of == heading) => {
                broken.push(format!("docs/{page}: the link to {target} leads to no heading"));
            }
            _ => {}
        }
    }
    broken
}

/// The lines of a page outside of fenced blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// What stands in the brackets of `[…](target)`.
fn targets(text: &str) -> impl Iterator<Item = &str> {
    prose(text)
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// The headings as mdBook names them in addresses: lower case, letters, digits and hyphens.
fn headings(text: &str) -> impl Iterator<Item = String> {
    prose(text)
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')))
        .map(|heading| {
            let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
        })
}
