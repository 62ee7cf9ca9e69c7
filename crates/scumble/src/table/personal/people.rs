//! Names of people and free text, by what many values of a column have in common.

use super::column::Sample;

/// The fewest rows from which the values alone say something about uniqueness.
pub const FEW_ROWS: u64 = 20;
/// The fewest distinct values of a column of names: a few values may be such words by chance.
const FEW_NAMES: u64 = 10;

/// Of so many values that look like first and last names, in any case, it is enough that few rows share one.
const MANY_NAMES: u64 = 100;
/// The fewest sentences that are no answers to choose from.
const FEW_SENTENCES: u64 = 20;

/// Whether values are names of people: three of ten hold a common first name, or nearly all look like a first and a last name and few rows share
/// one. `present` counts the rows with a value. `in_any_case` is for columns whose name does not say that they hold something else: names in capitals
/// or small letters look like any few words.
#[must_use]
pub fn are_names(sample: &Sample<'_>, distinct: u64, present: u64, in_any_case: bool) -> bool {
    let varied = present >= FEW_ROWS && 2 * distinct >= present;
    let many = distinct >= MANY_NAMES && 5 * distinct >= present;
    distinct >= FEW_NAMES && sample.at_least((3, 10), has_first_name)
        || (varied || many) && sample.at_least((9, 10), looks_like_full_name)
        || in_any_case && many && sample.at_least((9, 10), looks_like_name_in_any_case)
}

/// As [`are_names`], in a column whose name suggests something else that is called like people: places, schools and firms. There most values
/// must hold a common first name.
#[must_use]
pub fn are_names_of_people_only(sample: &Sample<'_>, distinct: u64) -> bool {
    distinct >= FEW_NAMES && sample.at_least((3, 5), has_first_name)
}

/// As [`are_names`], in a column whose name says that it holds names of people. Values that could be names are enough, but two values may also be the
/// answer to a question.
#[must_use]
pub fn are_names_as_the_column_says(sample: &Sample<'_>, distinct: u64) -> bool {
    distinct > 2 && sample.at_least((4, 5), could_be_name)
}

/// Whether a value of a column of names is one of them.
#[must_use]
pub fn is_name(value: &str) -> bool {
    has_first_name(value) || looks_like_full_name(value) || looks_like_name_in_any_case(value)
}

/// Whether a value could be a name of a person, if its column says so: up to five words of letters.
#[must_use]
pub fn could_be_name(value: &str) -> bool {
    let mut words = value.split([' ', ',']).filter(|word| !word.is_empty());
    let few = words.clone().count() <= 5;
    let is_word = |word: &str| {
        word.starts_with(char::is_alphabetic)
            && word.chars().all(|letter| letter.is_alphabetic() || "-'’.".contains(letter))
    };
    few && words.clone().next().is_some() && words.all(is_word)
}

/// Whether values are free text. Three in ten of the values are long, and few rows share one: the short ones beside them, such as `ok`, do not
/// count. Or the values are sentences about somebody, however many rows share them. In a column whose name suggests notes less is enough.
#[must_use]
pub fn are_free_text(sample: &Sample<'_>, distinct: u64, present: u64, named: bool) -> bool {
    if named {
        return sample.at_least((3, 10), |value| is_sentence(value, true));
    }
    let is_long = |value: &str| is_sentence(value, false);
    let (long, rows_of_long) = sample.fitting(is_long);
    let shared_by_few = long >= FEW_SENTENCES && 3 * long >= rows_of_long;
    3 * distinct >= present && sample.at_least((1, 2), is_long)
        || shared_by_few && sample.at_least((3, 10), is_long)
        || sample.fitting(is_about_somebody).0 >= FEW_SENTENCES && sample.at_least((3, 10), is_about_somebody)
}

/// Whether a value has as many words as a sentence: five, or three where the column's name suggests notes.
#[must_use]
pub fn is_sentence(value: &str, named: bool) -> bool {
    value.split_whitespace().nth(if named { 2 } else { 4 }).is_some()
}

/// Words that stand for a person in a sentence, in lower case. The names of categories have none, however long they are.
const SOMEBODY: &str = "
    he she his her him hers himself herself mr mrs ms my herr frau fräulein ihm ihn seine seinen seiner ihre ihren ihrem mein meine elle lui mme
    monsieur madame señor señora signor signora zij haar hij mevrouw meneer pan pani jej jego
";

/// A sentence with a word that stands for a person: `Mrs Roth says that she …`.
fn is_about_somebody(value: &str) -> bool {
    let is_word = |word: &str| {
        let word = word.trim_matches(|sign: char| !sign.is_alphanumeric()).to_lowercase();
        SOMEBODY.split_whitespace().any(|known| known == word)
    };
    is_sentence(value, false) && value.split_whitespace().any(is_word)
}

fn has_first_name(value: &str) -> bool {
    let mut words = value.split([' ', ',']).filter(|word| !word.is_empty());
    let few_words = words.clone().count() <= 4;
    few_words && words.any(is_first_name)
}

/// Two to four words that begin with a capital and are made of letters, or initials and such a word: also many places, so that only a column
/// with mostly different values is one of names.
fn looks_like_full_name(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let name_like = |word: &&str| {
        word.starts_with(char::is_uppercase)
            && word.chars().all(|letter| letter.is_alphabetic() || "-'’.".contains(letter))
            && (is_initial(word) || word.contains(char::is_lowercase))
    };
    (2..=4).contains(&words.len())
        && words.iter().all(name_like)
        && !words.iter().all(|word| is_initial(word))
}

/// One letter, with a dot or without.
fn is_initial(word: &str) -> bool {
    word.strip_suffix('.').unwrap_or(word).chars().count() == 1
}

/// Two or three words of letters that are all in capitals or all in small letters, or initials and such a word.
fn looks_like_name_in_any_case(value: &str) -> bool {
    let words = value.split([' ', ',']).filter(|word| !word.is_empty());
    let letters = || value.chars().filter(|letter| letter.is_alphabetic());
    let one_case =
        letters().all(|letter| !letter.is_lowercase()) || letters().all(|letter| !letter.is_uppercase());
    (2..=3).contains(&words.clone().count())
        && one_case
        && could_be_name(value)
        && !words.clone().all(is_initial)
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
        let distinct = texts.len() as u64;
        // The rows are shared as evenly as they can be.
        let counts: Vec<u64> =
            (0..distinct).map(|place| present / distinct + u64::from(place < present % distinct)).collect();
        let sample = Sample::of(&texts, &counts);
        (are_names(&sample, distinct, present, true), are_free_text(&sample, distinct, present, named))
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
    #[test]
    fn names_in_any_case_and_with_initials() {
        // Three letters for each number, so that all differ.
        let word = |row: u64| -> String {
            [row % 20, row / 20 % 20, row / 400]
                .iter()
                .map(|part| char::from(b'a' + *part as u8))
                .collect::<String>()
                + "mann"
        };
        type Write = fn(&str, &str) -> String;
        let cases: [(&str, Write); 4] = [
            ("in capitals", |first, last| format!("{first} {last}").to_uppercase()),
            ("in small letters", |first, last| format!("{first} {last}")),
            ("with initials", |first, last| format!("{}. K{last}", first[..1].to_uppercase())),
            ("turned round", |first, last| format!("{last}, {first}")),
        ];
        for (case, write) in cases {
            let names = numbered(600, |row| write("xaver", &word(row)));
            assert!(judged(&names, 3_000, false).0, "{case}");
            assert!(!judged(&names, 3_001, false).0, "{case}: many rows share each");
        }
        assert!(
            !judged(&numbered(99, |row| format!("xaver {}", word(row))), 99, false).0,
            "few words of any kind"
        );
        assert!(!judged(&numbered(600, |row| format!("{} A", row)), 600, false).0);
        let texts: Vec<String> = numbered(600, |row| format!("acute {}", word(row)));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert!(
            !are_names(&Sample::of(&texts, &[1; 600]), 600, 600, false),
            "the column's name says what they are"
        );
    }

    #[test]
    fn sentences_among_short_answers_and_sentences_that_many_share() {
        let sentence = |row: u64| format!("came in with pain for {row} days");
        let judge = |texts: &[String], counts: &[u64]| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            are_free_text(&Sample::of(&texts, counts), texts.len() as u64, counts.iter().sum(), false)
        };
        let mut texts = numbered(30, sentence);
        texts.extend(["ok", "done", "open"].map(str::to_owned));
        let counts = |of_each: u64| [vec![of_each; 30], vec![900; 3]].concat();
        assert!(judge(&texts, &counts(1)) && judge(&texts, &counts(3)));
        assert!(!judge(&texts, &counts(4)), "sentences to choose from");
        let told = numbered(30, |row| format!("Mrs Roth told us that she is ill since {row}"));
        assert!(judge(&told, &[100; 30]), "about somebody, whoever shares them");
        assert!(!judge(
            &numbered(30, |row| format!("Injury of muscle and tendon at level {row}")),
            &[100; 30]
        ));
    }
}
