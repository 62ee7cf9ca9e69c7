//! Places where a taxi picked people up: coordinates with five decimals, which is about a metre.

use super::Dice;

pub(crate) fn geodata() -> String {
    let mut dice = Dice::new(67);
    let mut text = "trip,lat,lon,hour,passengers,paid_by\n".to_owned();
    for row in 0..1_000 {
        text += &format!(
            "{},{}.{:05},{}.{:05},{},{},{}\n",
            row + 1,
            52,
            dice.bell(38_000, 66_000),
            13,
            dice.bell(9_000, 76_000),
            dice.below(24),
            dice.between(1, 4),
            dice.one_of(&["card", "cash", "account"]),
        );
    }
    text
}
