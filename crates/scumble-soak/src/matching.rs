//! Perfect matchings by augmenting paths (Kuhn), slow and short.

/// Returns the right place of each left place, if every left place can have one of its own.
/// `fits[left]` lists the right places that fit.
pub(crate) fn perfect(fits: &[Vec<usize>], rights: usize) -> Option<Vec<usize>> {
    let mut owner: Vec<Option<usize>> = vec![None; rights];
    for left in 0..fits.len() {
        let mut seen = vec![false; rights];
        if !augment(left, fits, &mut owner, &mut seen) {
            return None;
        }
    }
    let mut matched = vec![0; fits.len()];
    for (right, left) in owner.iter().enumerate() {
        if let Some(left) = left {
            matched[*left] = right;
        }
    }
    Some(matched)
}

fn augment(left: usize, fits: &[Vec<usize>], owner: &mut [Option<usize>], seen: &mut [bool]) -> bool {
    for &right in &fits[left] {
        if std::mem::replace(&mut seen[right], true) {
            continue;
        }
        if owner[right].is_none_or(|other| augment(other, fits, owner, seen)) {
            owner[right] = Some(left);
            return true;
        }
    }
    false
}

/// Returns for each left place the number of right places that it has in some perfect matching. It tries every edge, by definition.
pub(crate) fn possible(fits: &[Vec<usize>], rights: usize) -> Vec<usize> {
    (0..fits.len())
        .map(|left| {
            let may = |right: &&usize| {
                let rest: Vec<Vec<usize>> = fits
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != left)
                    .map(|(_, list)| list.iter().copied().filter(|other| other != *right).collect())
                    .collect();
                perfect(&rest, rights).is_some()
            };
            fits[left].iter().filter(may).count()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matching_is_found_where_there_is_one() {
        assert_eq!(perfect(&[vec![0, 1], vec![0]], 2), Some(vec![1, 0]));
        assert_eq!(perfect(&[vec![0], vec![0]], 2), None);
    }

    /// The specification's example: 1..5 published as {1,2},{1,2},{1,2,3},{3,4,5},{3,4,5}. Of the three records that cover the third row,
    /// one may be its own.
    #[test]
    fn possible_records_of_the_worked_example() {
        let fits = [vec![0, 1, 2], vec![0, 1, 2], vec![2, 3, 4], vec![3, 4], vec![3, 4]];
        assert_eq!(possible(&fits, 5), [2, 2, 1, 2, 2]);
    }
}
