//! Columns whose values point to people by themselves.

use super::super::{Confidence, Sign};
use super::{Fixture, beside_sex, profiles};
use crate::config::Role;
use crate::table::personal::Kind as PersonalKind;

/// Account numbers of Germany: DE is 1314, and the check digits are 98 − (bank number · 10⁶ + 131400) modulo 97.
pub(super) fn ibans(name: &str) -> Fixture {
    let iban = |row: u64| {
        let bank = 370_400_440_532_013_000 + row;
        format!("DE{:02}{bank}", 98 - (u128::from(bank) * 1_000_000 + 131_400) % 97)
    };
    Fixture::new(name, (0..50).map(iban))
}

/// Numbers of nine digits that are right in Canada, the Netherlands and Australia at once, or in Canada alone.
fn nine_digits(name: &str, everywhere: bool) -> Fixture {
    use PersonalKind::{AuTfn, CaSin, NlBsn, PtNif};
    let fits = |text: &String| {
        let kinds = crate::table::personal::kinds_of(text);
        kinds.has(CaSin)
            && kinds.has(NlBsn) == everywhere
            && kinds.has(AuTfn) == everywhere
            && !kinds.has(PtNif)
    };
    Fixture::new(name, (100_000_000_u64..).step_by(7).map(|number| number.to_string()).filter(fits).take(40))
}

#[test]
fn kinds_of_values_name_people() {
    let told = |fixture: Fixture| {
        let profile = beside_sex(fixture);
        (profile.roles.as_slice().to_vec(), profile.confidence, profile.reason)
    };
    let identifier = |confidence, reason: &str| (vec![Role::Identifier], confidence, reason.to_owned());
    assert_eq!(told(ibans("c1")), identifier(Confidence::High, "All values are valid IBANs."));
    assert_eq!(
        told(ibans("city")),
        identifier(Confidence::High, "All values are valid IBANs."),
        "whatever the name says"
    );
    assert_eq!(
        told(ibans("iban")),
        identifier(Confidence::High, "All values are valid IBANs, and the column's name agrees.")
    );
    assert_eq!(
        told(nine_digits("c1", false)),
        identifier(Confidence::High, "All values are valid Canadian social insurance numbers.")
    );
    assert_eq!(
        told(nine_digits("c1", true)),
        identifier(
            Confidence::Medium,
            "All values are valid as Canadian social insurance numbers, as Dutch citizen service numbers (BSN) and as \
             Australian tax file numbers. The values alone do not tell which of these they are."
        )
    );
    assert_eq!(
        told(nine_digits("TFN", true)),
        identifier(
            Confidence::High,
            "All values are valid Australian tax file numbers, and the column's name agrees."
        )
    );
    let danish = |name: &str| {
        Fixture::new(name, (0..40).map(|row| format!("{:02}0190-{}", 1 + row % 28, 2_000 + row)))
    };
    assert_eq!(
        told(danish("c1")),
        identifier(Confidence::Low, "All values could be Danish CPR numbers: they begin with a date.")
    );
    assert_eq!(told(danish("cpr")).1, Confidence::High);
    assert_eq!(told(danish("city")).0, [Role::Quasi], "a date within a number does not outweigh a name");
}

#[test]
fn rows_that_share_a_number_belong_to_one_person() {
    let mut fixture = nine_digits("patient_id", false);
    fixture.rows *= 3;
    fixture.counts.values_mut().for_each(|rows| *rows = 3);
    let mut more = nine_digits("patient_id", true);
    fixture.rows += 3 * more.rows;
    fixture.counts.extend(std::mem::take(&mut more.counts).into_keys().map(|text| (text, 3)));
    let profile = beside_sex(fixture);
    assert_eq!(profile.roles.as_slice(), [Role::Subject], "{}", profile.reason);
    assert!(profile.reason.starts_with("All values are valid Canadian social insurance numbers. "));
}

#[test]
fn coordinates_tell_where_people_are() {
    let pair = Fixture::new("c1", (0..40).map(|row| format!("48.{:04},2.{:04}", 1_000 + row, 3_000 + row)));
    let profile = beside_sex(pair);
    assert_eq!(profile.roles.as_slice(), [Role::Drop], "no hierarchy makes sense of two numbers in one text");
    assert!(profile.reason.starts_with("All values are coordinates of places. "), "{}", profile.reason);
    let half = |name: &str, whole: u32| {
        Fixture::new(name, (0..40).map(move |row| format!("{whole}.{:04}", 1_000 + row * 31)))
    };
    let both = profiles(&[half("home_lat", 48), half("home_lon", 2)]);
    for profile in &both {
        assert_eq!(profile.roles.as_slice(), [Role::Quasi], "{}", profile.reason);
        assert_eq!(profile.signs.first(), Some(&Sign::Personal(PersonalKind::Coordinates)));
    }
    // One of them alone says less, and numbers beyond the poles are no latitudes.
    assert_eq!(beside_sex(half("home_lat", 48)).roles.as_slice(), [Role::Identifier]);
    let wrong = profiles(&[half("lat", 120), half("lon", 2)]);
    assert_eq!(wrong[0].roles.as_slice(), [Role::Identifier]);
}
