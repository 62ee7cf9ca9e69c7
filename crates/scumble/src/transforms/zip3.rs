//! US ZIP codes to three digits, with sparsely populated areas as `000`.

use super::values::each_value;
use super::{BuildTransform, Facts, Given, Made, Transform};
use crate::base::entry::{Entry, Standing};
use crate::config::{Parameters, Value};
use crate::error::{Error, Result};

/// The transform.
pub(super) const ENTRY: Entry<BuildTransform> = Entry {
    name: "zip3",
    title: "Three-digit ZIP codes",
    paper: "HIPAA, 45 CFR 164.514(b)(2)(i)(B)",
    standing: Standing::Recommended,
    about: "Shows the first three digits of US ZIP codes, and 000 where all ZIP codes with these digits together have 20,000 people or fewer. \
            Without a table of people, the areas are those of the Census of 2000 that HHS names; the rule asks for newer public figures where \
            there are any.",
    parameters: &[
        ("population", "a file with the people of each area: prefix;people"),
        ("small", "in place of a file: the areas that become 000"),
        ("pad", "four digits have lost their leading zero (false)"),
    ],
    build: |parameters| Ok(Box::new(Zip3::new(parameters)?)),
};

/// The areas of 20,000 people or fewer by the Census of 2000, as the guidance of HHS of 26 November 2012 lists them.
const SMALL_IN_2000: [&str; 17] = [
    "036", "059", "063", "102", "203", "556", "692", "790", "821", "823", "830", "831", "878", "879", "884",
    "890", "893",
];

/// An area needs more people than this.
const PEOPLE: u64 = 20_000;

struct Zip3 {
    population: Option<String>,
    small: Option<Vec<String>>,
    pad: bool,
}

impl Zip3 {
    fn new(parameters: &Parameters) -> Result<Self> {
        let small = match parameters.get("small") {
            None => None,
            Some(Value::List(items)) => {
                Some(items.iter().map(|item| item.to_text().into_owned()).collect::<Vec<_>>())
            }
            Some(one) => Some(vec![one.to_text().into_owned()]),
        };
        let is_area = |area: &String| area.len() == 3 && area.bytes().all(|byte| byte.is_ascii_digit());
        if small.iter().flatten().any(|area| !is_area(area)) {
            return Err(parameters
                .placed("small", Error::config("small must be a list of areas such as \"036\", in quotes")));
        }
        let population = parameters.text("population")?.map(str::to_owned);
        Ok(Self { population, small, pad: parameters.boolean("pad")?.unwrap_or(false) })
    }

    /// The areas that become 000.
    fn small_areas(&self, given: &Given<'_>) -> Result<Vec<String>> {
        match (&self.small, &self.population) {
            (Some(small), _) => Ok(small.clone()),
            (None, Some(file)) => read_areas(&(given.file)(file)?, file),
            (None, None) => Ok(SMALL_IN_2000.map(str::to_owned).to_vec()),
        }
    }

    /// The three digits of a code.
    fn area(&self, text: &str) -> Result<String, &'static str> {
        let text = text.trim();
        let (code, four) = text.split_once('-').unwrap_or((text, "0000"));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(code) || !digits(four) || four.len() != 4 {
            return Err("is not a US ZIP code; codes of other countries are coarsened by a prefix hierarchy");
        }
        match (code.len(), self.pad) {
            (5, _) => Ok(code[..3].to_owned()),
            (4, true) => Ok(format!("0{}", &code[..2])),
            (4, false) => {
                Err("is a ZIP code of four digits, which may have lost its leading zero (pad = true adds it)")
            }
            _ => Err("is not a US ZIP code; codes of other countries are coarsened by a prefix hierarchy"),
        }
    }
}

/// The areas of too few people in a table `prefix;people`.
fn read_areas(text: &str, file: &str) -> Result<Vec<String>> {
    let mut areas = Vec::new();
    for (line, number) in text.lines().map(|line| line.trim_end_matches('\r')).zip(1_u64..) {
        if line.is_empty() {
            continue;
        }
        let parts = line.split_once([';', ',', '\t']);
        let area = parts
            .map(|(area, _)| area.trim())
            .filter(|area| area.len() == 3 && area.bytes().all(|b| b.is_ascii_digit()));
        let people = parts.and_then(|(_, people)| people.trim().parse::<u64>().ok());
        match (area, people) {
            (Some(area), Some(people)) => areas.extend((people <= PEOPLE).then(|| area.to_owned())),
            // The first line may name the columns.
            _ if number == 1 => {}
            _ => {
                return Err(Error::data("a line must be an area of three digits and its people: 036;1234")
                    .in_file(file)
                    .in_row(number));
            }
        }
    }
    Ok(areas)
}

impl Transform for Zip3 {
    fn facts(&self) -> Facts {
        Facts::DERIVED
    }

    fn words(&self) -> String {
        "the first three digits of ZIP codes; 000 for areas of few people".to_owned()
    }

    fn run(&self, given: &Given<'_>) -> Result<Made> {
        let column = given.column()?;
        let small = self.small_areas(given)?;
        let made = each_value(given, column, |text| {
            let area = self.area(text)?;
            Ok(if small.contains(&area) { "000".to_owned() } else { area })
        })?;
        let mut settled = Vec::new();
        let mut notes = Vec::new();
        if self.small.is_none() {
            settled
                .push(("small", Value::List(small.iter().map(|area| Value::from(area.as_str())).collect())));
        }
        if self.small.is_none() && self.population.is_none() {
            notes.push(format!(
                "the sparsely populated areas of '{}' are those of the Census of 2000; HIPAA asks for newer public figures where there are any \
                 (population)",
                column.name
            ));
        }
        Ok(Made { settled, notes, ..Made::of(made) })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::made;
    use super::*;

    #[test]
    fn three_digits_and_sparse_areas() {
        let codes =
            made(&ENTRY, &[], &["90210", "03601", "10110-1234", "10210", "00501", "NA"]).expect("areas");
        assert_eq!(codes, ["902", "000", "101", "000", "005", "NA"]);
        assert_eq!(made(&ENTRY, &[("pad", "true")], &["2134", "02134"]).expect("areas"), ["021", "021"]);
        assert_eq!(made(&ENTRY, &[("small", "[902]")], &["90210", "03601"]).expect("areas"), ["000", "036"]);
        assert!(made(&ENTRY, &[("small", "[36]")], &["03601"]).expect_err("a number").contains("in quotes"));
        assert_eq!(read_areas("prefix;people\n036;20000\n902;20001\n\n", "f").expect("areas"), ["036"]);
        assert!(read_areas("036;20000\n36;5\n", "f").is_err_and(|error| error.place().row == Some(2)));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message =
            |given: &[(&str, &str)], text: &str| made(&ENTRY, given, &["90210", text]).expect_err("wrong");
        assert!(message(&[], "2134").contains("leading zero"));
        assert!(message(&[], "SW1A 1AA").contains("prefix hierarchy"));
        assert!(message(&[], "902101").contains("not a US ZIP code"));
        assert!(message(&[], "90210-12").contains("row 2"));
    }
}
