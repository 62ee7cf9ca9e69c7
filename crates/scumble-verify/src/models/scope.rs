//! The scope of a requirement: the equivalence classes of all quasi-identifiers, of some of them, or of every set of a given
//! size.

use crate::error::VerifyError;

/// The equivalence classes that a requirement is about.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Scope {
    /// The quasi-identifiers; `None` for those of the claim.
    pub(super) quasi: Option<Vec<String>>,
    /// How many of them an attacker knows: the classes of every set of this many columns are checked. `None` for all.
    pub(super) known: Option<u64>,
    /// Further columns. Rows of a class that agree on them must satisfy the requirement by themselves.
    pub(super) given: Vec<String>,
    /// The columns whose tuples count as one value, if the requirement is about tuples.
    pub(super) joint: Option<Vec<String>>,
    /// The column that says who a row is about, if people are counted.
    pub(super) person: Option<String>,
}

/// The most sets of columns that are checked one after the other.
const MOST_SETS: u128 = 20_000;

impl Scope {
    /// Returns the sets of columns to check, or `None` for all columns of the claim together.
    pub(super) fn sets(&self, model: &str, all: &[String]) -> Result<Option<Vec<Vec<String>>>, VerifyError> {
        let error = |why: String| VerifyError::Parameter {
            model: model.to_owned(),
            parameter: "quasi".to_owned(),
            why,
        };
        let columns = self.quasi.as_deref().unwrap_or(all);
        if columns.is_empty() {
            return Err(error("it names no column".to_owned()));
        }
        if let Some(stranger) = columns.iter().find(|name| !all.contains(name)) {
            return Err(error(format!("`{stranger}` is not among the quasi-identifiers of the claim")));
        }
        if let Some(twice) = (1..columns.len()).find(|place| columns[..*place].contains(&columns[*place])) {
            return Err(error(format!("`{}` is named twice", columns[twice])));
        }
        let known = self.known.and_then(|known| usize::try_from(known).ok());
        let known = known.unwrap_or(columns.len()).min(columns.len());
        if known == all.len() {
            return Ok(None);
        }
        let count = (0..known as u128)
            .fold(1_u128, |count, taken| count.saturating_mul(columns.len() as u128 - taken) / (taken + 1));
        if count > MOST_SETS {
            return Err(VerifyError::TooLarge {
                what: format!("there are {count} sets of {known} columns"),
                remedy: "ask for a smaller l, or for l equal to the number of quasi-identifiers",
            });
        }
        // A set is a list of positions, ascending. The last position that can move on does, and those behind it follow it.
        let mut places: Vec<usize> = (0..known).collect();
        let mut sets = Vec::new();
        loop {
            sets.push(places.iter().map(|&place| columns[place].clone()).collect());
            let last = |place: usize| columns.len() - known + place;
            let Some(moving) = (0..known).rev().find(|&place| places[place] < last(place)) else { break };
            let next = places[moving] + 1;
            (moving..known).for_each(|place| places[place] = next + place - moving);
        }
        Ok(Some(sets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|&text| text.to_owned()).collect()
    }

    #[test]
    fn sets_of_columns() {
        let all = names(&["a", "b", "c"]);
        let sets = |quasi: Option<&[&str]>, known| {
            Scope { quasi: quasi.map(names), known, ..Scope::default() }
                .sets("lkc", &all)
                .expect("columns of the claim")
        };
        let some = |sets: &[&[&str]]| Some(sets.iter().map(|set| names(set)).collect::<Vec<_>>());
        assert_eq!(sets(None, None), None);
        assert_eq!(sets(None, Some(7)), None);
        assert_eq!(sets(Some(&["c", "b", "a"]), None), None);
        assert_eq!(sets(None, Some(2)), some(&[&["a", "b"], &["a", "c"], &["b", "c"]]));
        assert_eq!(sets(Some(&["c", "a"]), Some(1)), some(&[&["c"], &["a"]]));
        assert_eq!(sets(Some(&["b"]), Some(3)), some(&[&["b"]]));
        for wrong in [&["d"][..], &["a", "a"], &[]] {
            assert!(Scope { quasi: Some(names(wrong)), ..Scope::default() }.sets("lkc", &all).is_err());
        }
        let many: Vec<String> = (0..40).map(|place| place.to_string()).collect();
        assert!(Scope { known: Some(20), ..Scope::default() }.sets("lkc", &many).is_err());
    }
}
