//! A shop's customers, with typed remarks that contain names, addresses and numbers.

use super::Dice;

const FIRST: &[&str] =
    &["Anna", "Ben", "Carla", "David", "Elena", "Frank", "Greta", "Henry", "Irene", "Jonas"];
const LAST: &[&str] =
    &["Miller", "Schmidt", "Rossi", "Dubois", "Novak", "Larsen", "Costa", "Murphy", "Weber"];

pub(crate) fn customers() -> String {
    let mut dice = Dice::new(31);
    let mut text = "customer,birth_year,gender,zip,segment,spend,contact,remark\n".to_owned();
    for row in 0..900 {
        let (first, last) = (dice.one_of(FIRST), dice.one_of(LAST));
        let remark = match dice.below(6) {
            0 => format!("Called on Monday and asked {first} {last} to pay within two weeks"),
            1 => format!(
                "Please write to {}.{}@mail.example before delivery",
                first.to_lowercase(),
                last.to_lowercase()
            ),
            2 => "Wants the blue one, and only if it comes with the long cable".to_owned(),
            3 => format!("Moved to {last} Street {}, new lease since spring", dice.between(1, 99)),
            4 => "Complained about the driver who left the parcel in the rain".to_owned(),
            _ => String::new(),
        };
        text += &format!(
            "K{:05},{},{},{},{},{},{}{row}@mail.example,\"{remark}\"\n",
            row + 1,
            dice.bell(1940, 2005),
            dice.one_of(&["f", "m", "d"]),
            10_000 + 100 * dice.below(40) + dice.below(20),
            dice.one_of(&["gold", "silver", "basic"]),
            dice.bell(5, 900),
            first.to_lowercase(),
        );
    }
    text
}
