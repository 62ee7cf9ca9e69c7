//! A German export: a title above the header, semicolons, decimal commas, Windows-1252, and texts for missing values.

use super::Dice;

/// Returns the bytes of the file, which are not UTF-8.
pub(crate) fn german() -> Vec<u8> {
    let mut dice = Dice::new(47);
    let mut text = "Auswertung Entlassungen 2023;;;;;\r\nGeburtsjahr;Geschlecht;Größe_cm;Gewicht_kg;Entlassungsart;Straße\r\n".to_owned();
    for _ in 0..800 {
        let weight = match dice.below(25) {
            0 => "k.A.".to_owned(),
            _ => format!("{},{}", dice.bell(48, 120), dice.below(10)),
        };
        text += &format!(
            "{};{};{};{weight};{};{}\r\n",
            dice.bell(1930, 2004),
            dice.one_of(&["männlich", "weiblich"]),
            dice.bell(150, 200),
            dice.one_of(&["regulär", "verlegt", "gegen ärztlichen Rat", "verstorben"]),
            dice.one_of(&["Hauptstraße", "Gartenweg", "Mühlgasse", "Am Ring"]),
        );
    }
    // All these letters have the same code in Latin-1.
    text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("a letter of Latin-1")).collect()
}
