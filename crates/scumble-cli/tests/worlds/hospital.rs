//! A hospital's stays, with laboratory values of many digits, which make each row unique.

use super::Dice;

pub(crate) fn hospital() -> String {
    let mut dice = Dice::new(11);
    let mut text =
        "case_no,age,sex,district,ward,diagnosis,creatinine,haemoglobin,died_in_hospital\n".to_owned();
    for row in 0..1_500 {
        let age = dice.bell(18, 96);
        let diagnosis = dice.one_of(&["I21", "J18", "E11", "C50", "K35", "S72", "F32", "N39"]);
        text += &format!(
            "C{:07},{age},{},{},{},{diagnosis},{}.{:05},{}.{:05},{}\n",
            1_000_003 + row * 37,
            dice.one_of(&["f", "m"]),
            dice.one_of(&["North", "South", "East", "West", "Centre"]),
            dice.one_of(&["A1", "A2", "B1", "B2", "C1", "ICU"]),
            dice.below(4),
            dice.below(100_000),
            dice.between(7, 17),
            dice.below(100_000),
            if dice.below(20) == 0 { "yes" } else { "no" },
        );
    }
    text
}
