//! Masking the ends of codes: `4350`, `435*`, `43**`, `4***`, `*`.

use std::borrow::Cow;

use super::domain::{Built, Domain};
use super::tree::{Assembler, Mask, Provenance};
use crate::error::{Error, Result, Setting};

/// The tree of prefixes. Without `lengths`, codes of equal length (or made so by padding on the left)
/// lose one character per level. With them, level 1 keeps the first `lengths[0]` characters, and so on;
/// a code that is shorter keeps itself there.
pub(super) fn build(domain: &Domain, lengths: Option<&[usize]>, pad: Option<char>) -> Result<Built> {
    let longest = domain.values.iter().map(|code| code.chars().count()).max().unwrap_or(0);
    // Equal lengths stay equal under the mask; with given lengths one star stands for any rest.
    let full_mask = lengths.is_none();
    let lengths: Vec<usize> = match lengths {
        Some(lengths) => {
            check_lengths(domain, lengths)?;
            lengths.to_vec()
        }
        None => {
            check_equal(domain, longest, pad)?;
            (1..longest).rev().collect()
        }
    };
    let stars = |kept: usize| if full_mask { longest - kept } else { 1 };
    // There may be millions of codes, so nothing is kept of them that they say themselves.
    let starred = domain.values.iter().copied().chain(domain.missing).any(|text| text.contains('*'));
    if pad.is_none() && !starred && !domain.values.is_empty() {
        let masks = std::iter::once(0).chain(lengths.iter().rev().copied());
        let masks = masks.map(|kept| Mask { kept, stars: if kept == 0 { 1 } else { stars(kept) } }).collect();
        return masked(domain, &lengths, masks);
    }
    let padded: Vec<Cow<'_, str>> = match pad {
        Some(pad) => domain.values.iter().map(|code| Cow::Owned(pad_left(code, pad, longest))).collect(),
        None => domain.values.iter().map(|code| Cow::Borrowed(*code)).collect(),
    };
    let mut places: Vec<u32> = (0..padded.len() as u32).collect();
    places.sort_unstable_by_key(|place| (&padded[*place as usize], domain.values[*place as usize]));

    let mut tree = Assembler::new(domain.name);
    tree.open("*")?;
    let mut codes = vec![0; places.len()];
    let mut open = Open::default();
    for place in places.into_iter().map(|place| place as usize) {
        let (closed, new) = open.go_to(&padded[place], &lengths);
        for _ in 0..closed {
            tree.close();
        }
        for prefix in new {
            tree.open(&format!("{prefix}{}", "*".repeat(stars(prefix.chars().count()))))?;
        }
        codes[place] = tree.leaf(domain.values[place])?;
    }
    domain.finish(tree, codes, Provenance::Declared, Vec::new())
}

/// The same tree of codes that have no stars and are not padded: its labels follow from the codes.
fn masked(domain: &Domain, lengths: &[usize], masks: Vec<Mask>) -> Result<Built> {
    let mut places: Vec<u32> = (0..domain.values.len() as u32).collect();
    places.sort_unstable_by_key(|place| domain.values[*place as usize]);
    let mut tree = Assembler::masking(domain.name, masks)?;
    let mut codes = vec![0; places.len()];
    let mut open = Open::default();
    for place in places.into_iter().map(|place| place as usize) {
        let (closed, new) = open.go_to(domain.values[place], lengths);
        for _ in 0..closed {
            tree.close();
        }
        new.iter().try_for_each(|_| tree.open_masked())?;
        codes[place] = tree.leaf(domain.values[place])?;
    }
    domain.finish(tree, codes, Provenance::Declared, Vec::new())
}

/// The prefixes of the nodes that are open below the root, coarsest first. Codes come in text order, in which all codes with one
/// prefix are neighbours.
#[derive(Default)]
struct Open<'a>(Vec<&'a str>);

impl<'a> Open<'a> {
    /// Goes on to the next code: how many nodes end before it, and the prefixes of those that begin.
    fn go_to(&mut self, code: &'a str, lengths: &[usize]) -> (usize, &[&'a str]) {
        let mut prefixes = lengths.iter().rev().map_while(|length| prefix(code, *length)).peekable();
        let mut shared = 0;
        while shared < self.0.len() && prefixes.next_if(|prefix| *prefix == self.0[shared]).is_some() {
            shared += 1;
        }
        let closed = self.0.len() - shared;
        self.0.truncate(shared);
        self.0.extend(prefixes);
        (closed, &self.0[shared..])
    }
}

/// The first `length` characters; `None` if there are fewer.
fn prefix(code: &str, length: usize) -> Option<&str> {
    let mut ends = code.char_indices().map(|(at, _)| at).chain([code.len()]);
    ends.nth(length).map(|end| &code[..end])
}

fn pad_left(code: &str, pad: char, length: usize) -> String {
    let lacking = length - code.chars().count();
    std::iter::repeat_n(pad, lacking).chain(code.chars()).collect()
}

fn check_lengths(domain: &Domain, lengths: &[usize]) -> Result<()> {
    let falling = lengths.windows(2).all(|pair| pair[0] > pair[1]);
    if lengths.is_empty() || !falling || lengths.contains(&0) {
        return Err(Error::config(
            "prefix lengths must fall from level to level and end above 0, such as [3, 1]",
        )
        .in_column(domain.name));
    }
    Ok(())
}

fn check_equal(domain: &Domain, longest: usize, pad: Option<char>) -> Result<()> {
    let shorter: Vec<usize> =
        (0..domain.values.len()).filter(|place| domain.values[*place].chars().count() < longest).collect();
    if shorter.is_empty() || pad.is_some() {
        return Ok(());
    }
    Err(Error::data(format!(
        "{} shorter than the others ({longest} characters), so it is not clear what a prefix means",
        domain.describe(shorter.into_iter())
    ))
    .in_column(domain.name)
    .set(Setting::hierarchy("lengths").of(&[domain.name]).to(vec![3, 1]), "say how long prefixes are")
    .set(Setting::hierarchy("pad").of(&[domain.name]).to("0"), "say which character fills up short values"))
}

#[cfg(test)]
mod tests {
    use super::super::domain::tests::{domain, level, path, weighted};
    use super::*;
    use crate::table::kind::Kind;

    #[test]
    fn codes_of_equal_length_lose_a_character_per_level() {
        let built = build(&domain(Kind::Text, &["4350", "4351", "4390", "5000"]), None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "4350"), "4350;435*;43**;4***;*");
        assert_eq!(level(&built.hierarchy, 2), ["43**", "50**"]);
        assert_eq!((built.hierarchy.height(), built.codes), (4, vec![0, 1, 2, 3]));
        let letters = build(&domain(Kind::Text, &["F", "M"]), None, None).unwrap();
        assert_eq!(path(&letters.hierarchy, "F"), "F;*");
    }

    #[test]
    fn mixed_lengths_need_lengths_or_a_pad() {
        let codes = weighted(Kind::Integer, &[("435", 2), ("4350", 1)]);
        let message = build(&codes, None, None).unwrap_err().to_string();
        assert!(message.contains("1 value (2 rows) is shorter than the others (4 characters)"), "{message}");
        let built = build(&codes, None, Some('0')).unwrap();
        assert_eq!(path(&built.hierarchy, "435"), "435;043*;04**;0***;*");
        let built = build(&domain(Kind::Integer, &["9", "10"]), None, Some('0')).unwrap();
        assert_eq!(built.codes, [0, 1]);
    }

    #[test]
    fn given_lengths_serve_codes_of_any_length() {
        let codes = domain(Kind::Text, &["I", "I2", "I21", "I219", "I214.1", "J45"]);
        let built = build(&codes, Some(&[3, 1]), None).unwrap();
        let tree = &built.hierarchy;
        assert_eq!(path(tree, "I219"), "I219;I21*;I*;*");
        assert_eq!(path(tree, "I21"), "I21;I21*;I*;*");
        assert_eq!(path(tree, "I2"), "I2;I*;*");
        assert_eq!(level(tree, 1), ["I", "I2", "I21*", "J45*"], "a shorter code keeps itself");
        assert_eq!(level(tree, 2), ["I*", "J*"]);
        for wrong in [&[][..], &[1, 3], &[3, 0], &[3, 3]] {
            assert!(build(&codes, Some(wrong), None).unwrap_err().to_string().contains("must fall"));
        }
    }

    #[test]
    fn characters_not_bytes() {
        let built = build(&domain(Kind::Text, &["ÄÖ1", "ÄÖ2", "Äß1"]), None, None).unwrap();
        assert_eq!(path(&built.hierarchy, "ÄÖ1"), "ÄÖ1;ÄÖ*;Ä**;*");
    }

    #[test]
    fn a_value_like_a_mask_is_refused() {
        let message = build(&domain(Kind::Text, &["12*", "123"]), None, None).unwrap_err().to_string();
        assert!(message.contains("same label"), "{message}");
    }
}
