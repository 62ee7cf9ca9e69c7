//! Places on the map: where somebody lives or was.

use super::{Kind, Kinds};

/// The fewest decimals of a coordinate that separate a house from a town: a thousandth of a degree is about a hundred metres.
const DECIMALS: usize = 3;

/// The greatest latitude, in degrees.
pub const LATITUDE: u32 = 90;
/// The greatest longitude.
pub const LONGITUDE: u32 = 180;

pub(super) fn add(text: &str, digits: usize, kinds: &mut Kinds) {
    if digits > 2 * DECIMALS && text.contains('.') {
        kinds.add_if(Kind::Coordinates, is_pair(text));
    }
}

/// Latitude and longitude in degrees, with a comma, a semicolon or blanks between them, perhaps in brackets.
fn is_pair(text: &str) -> bool {
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .or_else(|| text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')))
        .unwrap_or(text);
    let pair = inner.split_once([',', ';']).or_else(|| inner.trim().split_once(' '));
    pair.is_some_and(|(latitude, longitude)| {
        is_degrees(latitude.trim(), LATITUDE, DECIMALS) && is_degrees(longitude.trim(), LONGITUDE, DECIMALS)
    })
}

/// Degrees with this many decimals at least, not more than a limit on either side of zero.
#[must_use]
pub fn is_degrees(text: &str, most: u32, fewest_decimals: usize) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (degrees, decimals) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let digits = |part: &str| part.bytes().all(|sign| sign.is_ascii_digit());
    let whole =
        degrees.len() <= 3 && digits(degrees) && decimals.len() >= fewest_decimals && digits(decimals);
    let within = degrees.parse::<u32>().is_ok_and(|degrees| {
        degrees < most || degrees == most && decimals.bytes().all(|digit| digit == b'0')
    });
    whole && within
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, kinds_of};

    #[test]
    fn pairs_of_coordinates() {
        for text in [
            "48.8566,2.3522",
            "48.8566, 2.3522",
            "-33.8688 151.2093",
            "-33.8688;151.2093",
            "(40.7128, -74.0060)",
            "90.000,180.000",
        ] {
            assert!(kinds_of(text).has(Kind::Coordinates), "{text}");
        }
        for text in [
            "48.85,2.35",
            "90.001,0.000",
            "48.8566",
            "151.2093,-33.8688",
            "48.8566,2.3522,35.123",
            "1.234.567,89",
            "48.8566,2.3522m",
            "192.168.1.100",
        ] {
            assert!(!kinds_of(text).has(Kind::Coordinates), "{text}");
        }
    }
}
