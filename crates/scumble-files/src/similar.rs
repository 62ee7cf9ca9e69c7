//! Which known name somebody may have meant.

/// `; did you mean 'x'?` for the nearest of `known` names, or nothing if none is near.
#[must_use]
pub fn did_you_mean<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let given = given.to_lowercase();
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&given, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 3)
        .min()
        .map(|(_, name)| format!("; did you mean '{}'?", crate::shown::on_one_line(name)))
        .unwrap_or_default()
}
