//! Data from wrist bands: a time stamp to the second for every reading, and numbers of many digits.

use super::Dice;

pub(crate) fn sensors() -> String {
    let mut dice = Dice::new(59);
    let mut text = "wearer,recorded_at,age,sex,pulse,skin_conductance,resting\n".to_owned();
    for row in 0..1_200 {
        let wearer = row % 120;
        text += &format!(
            "W{wearer:03},2024-{:02}-{:02}T{:02}:{:02}:{:02}Z,{},{},{},0.00{}{:06},{}\n",
            dice.between(1, 12),
            dice.between(1, 28),
            dice.below(24),
            dice.below(60),
            dice.below(60),
            20 + (wearer * 7) % 50,
            if wearer % 2 == 0 { "f" } else { "m" },
            dice.bell(48, 150),
            dice.below(9) + 1,
            dice.below(1_000_000),
            dice.one_of(&["true", "false"]),
        );
    }
    text
}
