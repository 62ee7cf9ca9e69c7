//! A household survey: several people in each household, with columns that all of its members share.

use super::Dice;

pub(crate) fn survey() -> String {
    let mut dice = Dice::new(23);
    let mut text = "hhid,person,hhsize,region,age,sex,isced,working,income\n".to_owned();
    for household in 0..450 {
        let size = dice.bell(1, 6);
        let region = dice.one_of(&["N", "E", "S", "W"]);
        for person in 1..=size {
            let age = if person <= 2 { dice.bell(20, 80) } else { dice.between(0, 19) };
            text += &format!(
                "{},{person},{size},{region},{age},{},{},{},{}\n",
                20_011 + household * 7,
                dice.one_of(&["female", "male"]),
                if age < 16 { 0 } else { dice.between(1, 8) },
                if age < 16 { "no" } else { dice.one_of(&["yes", "yes", "no"]) },
                if age < 16 { 0 } else { 500 * dice.bell(1, 14) },
            );
        }
    }
    text
}
