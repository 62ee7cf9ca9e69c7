//! Names of people and free text, by what many values of a column have in common.

use super::column::Sample;

/// The fewest rows from which the values alone say something about uniqueness.
pub const FEW_ROWS: u64 = 20;
/// The fewest distinct values of a column of names: a few values may be such words by chance.
const FEW_NAMES: u64 = 10;

/// Whether values are names of people: three of ten hold a common first name, or nearly all look like a first and a last name and most rows
/// have a value of their own. `present` counts the rows with a value.
#[must_use]
pub fn are_names(sample: &Sample<'_>, distinct: u64, present: u64) -> bool {
    let varied = present >= FEW_ROWS && 2 * distinct >= present;
    distinct >= FEW_NAMES && sample.at_least((3, 10), has_first_name)
        || varied && sample.at_least((9, 10), looks_like_full_name)
}

/// As [`are_names`], in a column whose name suggests something else that is called like people: places, schools and firms. There most values
/// must hold a common first name.
#[must_use]
pub fn are_names_of_people_only(sample: &Sample<'_>, distinct: u64) -> bool {
    distinct >= FEW_NAMES && sample.at_least((3, 5), has_first_name)
}

/// Whether values are free text: half of them have five words, and few rows share one. In a column whose name suggests notes less is
/// enough.
#[must_use]
pub fn are_free_text(sample: &Sample<'_>, distinct: u64, present: u64, named: bool) -> bool {
    let words = |fewest: usize| move |value: &str| value.split_whitespace().nth(fewest - 1).is_some();
    match named {
        true => sample.at_least((3, 10), words(3)),
        false => 3 * distinct >= present && sample.at_least((1, 2), words(5)),
    }
}

fn has_first_name(value: &str) -> bool {
    let mut words = value.split([' ', ',']).filter(|word| !word.is_empty());
    let few_words = words.clone().count() <= 4;
    few_words && words.any(is_first_name)
}

/// Two to four words that begin with a capital and are made of letters: also many places, so that only a column
/// with mostly different values is one of names.
fn looks_like_full_name(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let name_like = |word: &&str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|letter| letter.is_alphabetic() || "-'’.".contains(letter))
            && (word.chars().count() < 2 || word.contains(char::is_lowercase))
    };
    (2..=4).contains(&words.len()) && words.iter().all(name_like)
}

/// Whether a word is a common first name.
fn is_first_name(word: &str) -> bool {
    let mut folded = String::new();
    for letter in word.chars() {
        push_folded(letter, &mut folded);
    }
    FIRST_NAMES.split_whitespace().any(|name| name == folded)
}

/// Appends a letter in lower case and without accent, as the lists here are written.
pub fn push_folded(letter: char, text: &mut String) {
    for lower in letter.to_lowercase() {
        match plain(lower) {
            Some(plain) => text.push_str(plain),
            None => text.push(lower),
        }
    }
}

/// A letter without its accent.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' => "a",
        'ç' | 'ć' | 'č' => "c",
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' => "e",
        'ì' | 'í' | 'î' | 'ï' => "i",
        'ł' => "l",
        'ñ' | 'ń' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' => "o",
        'ř' => "r",
        'ś' | 'š' => "s",
        'ß' => "ss",
        'ù' | 'ú' | 'û' | 'ü' | 'ů' => "u",
        'ý' => "y",
        'ź' | 'ż' | 'ž' => "z",
        _ => return None,
    })
}

/// Common first names, in lower case: enough of them in a column show that it holds people's names.
const FIRST_NAMES: &str = "
    adam ahmed aisha alejandro alexander ali alice amelia amy ana andrea andreas andrew angela anja
    anna anne antonio barbara ben brian camille carlos carmen carol catherine charles charlotte
    chiara chloe christian christine claire claudia daniel david deborah diego dieter donna dorothy
    edward elena elizabeth ella emily emma eric erik eva fatima felix fernando francesca francesco
    frank frida gabriel george giulia giuseppe grace hana hans hassan heike helen helga henry hugo
    ines ingrid isabel jacob james jan jana jane jean jennifer jessica johanna john jonas jorge jose
    joseph juan julia julie jurgen karen karin katarzyna katharina kevin klaus lars laura lea lena
    leon lina linda lisa louis lucas lucia luis lukas manuel marco margaret maria marie mario mark
    martha martin mary matteo matthew max mia michael miguel mohamed mohammed monika nancy nicole
    nina noah olga oliver olivia omar oscar otto pablo patricia paul paula paulo pedro peter petra
    philip pierre rachel richard robert rosa ruth sabine samuel sandra sara sarah simon sofia sophie
    stefan stephen steven susan susanne svetlana thomas tim tom ursula victor walter wei werner
    william yusuf zoe
";

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(texts: &[String], present: u64, named: bool) -> (bool, bool) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let (sample, distinct) = (Sample::of(&texts), texts.len() as u64);
        (are_names(&sample, distinct, present), are_free_text(&sample, distinct, present, named))
    }

    fn numbered(count: u64, text: impl Fn(u64) -> String) -> Vec<String> {
        (0..count).map(text).collect()
    }

    #[test]
    fn names_of_people() {
        let first = ["Anna", "José", "Otto", "Emma", "Laura", "Peter"];
        let some = |count| {
            numbered(count, |row| format!("{} {}", first[row as usize % 6], "x".repeat(row as usize)))
        };
        assert!(judged(&some(10), 500, false).0, "common first names");
        assert!(!judged(&some(9), 500, false).0, "too few");
        let other = numbered(30, |row| format!("Xa{} Yb", "o".repeat(row as usize)));
        assert!(judged(&other, 30, false).0, "two words with capitals, in every row others");
        assert!(!judged(&other, 100, false).0, "places have as many");
        assert!(!judged(&numbered(30, |row| format!("value {row}")), 30, false).0);
        assert!(!judged(&[], 0, false).0);
    }

    #[test]
    fn free_text() {
        let long = numbered(30, |row| format!("came in with pain for {row} days"));
        assert!(judged(&long, 90, false).1);
        assert!(!judged(&long, 91, false).1, "sentences to choose from");
        let short = numbered(30, |row| format!("well after {row}"));
        assert!(judged(&short, 90, true).1 && !judged(&short, 90, false).1);
        assert!(!judged(&[], 0, true).1);
    }
}
