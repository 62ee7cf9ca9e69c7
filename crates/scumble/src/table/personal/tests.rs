//! The table of the specification, and what holds for all detectors.

use proptest::prelude::*;

use super::*;

/// Texts of digits, drawn by a fixed rule (the generator of Knuth's MMIX).
pub(super) fn random_digits(length: usize) -> impl Iterator<Item = String> {
    let mut state = 0x5EED_u64 + length as u64;
    std::iter::repeat_with(move || {
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'0' + ((state >> 33) % 10) as u8)
        };
        (0..length).map(|_| draw()).collect()
    })
}

/// The examples of the specification: valid ones, and such as are not.
const EXAMPLES: &[(Kind, &[&str], &[&str])] = &[
    (Kind::PaymentCard, &["4111111111111111"], &["4111111111111112"]),
    (Kind::Iban, &["DE89370400440532013000"], &["DE89370400440532013001"]),
    (Kind::Email, &["anna@mail.example"], &["anna@mail"]),
    (Kind::Url, &["https://people.example/anna"], &["people.example"]),
    (Kind::IpAddress, &["192.0.2.1", "2001:db8::1"], &["192.0.2.256"]),
    (Kind::MacAddress, &["00:1B:44:11:3A:B7"], &["00:1B:44:11:3A"]),
    (Kind::Uuid, &["123e4567-e89b-12d3-a456-426614174000"], &["123e4567-e89b-12d3-a456-42661417400"]),
    (Kind::Phone, &["+49 30 5550123", "555-010-0123"], &["2024-01-02", "1.234.567"]),
    (Kind::UsSsn, &["536-90-4399"], &["666-12-3456", "536904399"]),
    (Kind::UsNpi, &["1234567893"], &["1234567894"]),
    (Kind::UsDea, &["AB1234563"], &["AB1234564"]),
    (Kind::CaSin, &["123456782"], &["123456783"]),
    (Kind::Imei, &["490154203237518"], &["490154203237519"]),
    (Kind::SePersonnummer, &["8803200016"], &["8803200017"]),
    (Kind::UkNhs, &["9434765870"], &["9434765871"]),
    (Kind::UkNino, &["AB123456C"], &["GB123456C", "QB123456C"]),
    (Kind::DeTaxId, &["36574261809"], &["36574261890"]),
    (Kind::DeHealth, &["A123456780"], &["A123456781"]),
    (Kind::AtInsurance, &["1237010180"], &["1238010180"]),
    (Kind::ChAhv, &["7569217076985"], &["7569217076984"]),
    (Kind::NlBsn, &["123456782"], &["123456789"]),
    (Kind::BeNational, &["85073003328"], &["85073003329"]),
    (Kind::FrNir, &["295109912611193"], &["295109912611194"]),
    (Kind::EsDni, &["54362315K", "X2482300W"], &["54362315Z"]),
    (Kind::ItTaxCode, &["RCCMNL83S18D969H"], &["RCCMNL83S18D969I"]),
    (Kind::PtNif, &["501964843"], &["501964842"]),
    (Kind::PlPesel, &["44051401359"], &["44051401358"]),
    (Kind::NoFodselsnummer, &["15108695088"], &["15108695089"]),
    (Kind::FiHetu, &["131052-308T"], &["131052-308U"]),
    (Kind::DkCpr, &["0101901234"], &["3102901234"]),
    (Kind::CzRodneCislo, &["7103192745"], &["7103192746"]),
    (Kind::IePps, &["6433435F"], &["6433435E"]),
    (Kind::BrCpf, &["39053344705"], &["39053344706"]),
    (Kind::CnId, &["360426199101010071"], &["360426199101010072"]),
    (Kind::InAadhaar, &["234123412346"], &["234123412347"]),
    (Kind::AuTfn, &["123456782"], &["123456783"]),
    (Kind::AuMedicare, &["2123456701"], &["2123456711"]),
    (Kind::Vin, &["1M8GDM9AXKP042788"], &["1M8GDM9A1KP042788"]),
    (Kind::Coordinates, &["48.8566,2.3522"], &["48.85,2.35"]),
];

#[test]
fn every_row_of_the_specification() {
    for (kind, valid, invalid) in EXAMPLES {
        valid.iter().for_each(|text| assert!(kinds_of(text).has(*kind), "{kind:?}: {text}"));
        invalid.iter().for_each(|text| assert!(!kinds_of(text).has(*kind), "{kind:?}: {text}"));
    }
    let untested: Vec<&Kind> =
        Kind::ALL.iter().filter(|kind| EXAMPLES.iter().all(|(tested, ..)| tested != *kind)).collect();
    assert_eq!(untested, [&Kind::HexKey], "which the specification does not name");
}

#[test]
fn several_kinds_share_nine_digits() {
    let kinds: Vec<Kind> = kinds_of("123456782").iter().collect();
    assert_eq!(kinds, [Kind::CaSin, Kind::NlBsn, Kind::AuTfn]);
}

#[test]
fn ordinary_texts_are_nothing() {
    for text in [
        "",
        " ",
        "red",
        "Never-married",
        "42",
        "3.14",
        "-7",
        "1e3",
        "2024-01-02",
        "02.01.2024",
        "2024-01-02T10:00:00Z",
        "12:30",
        "I10",
        "E11.9",
        "10115",
        "SW1A 1AA",
        "0.0019336161475366333",
        "4.1111111111111111",
        "10 %",
        "A-1",
        "New York",
        "ja/nein",
        "000012345678",
        "01-02-2024",
        "13.2.2024 10",
        "20240102-1030",
        "1,234,567.89",
        "00000000000",
        "999999999",
        "ICD-10: E11.9",
        "n/a",
        "@",
        ":",
        "–",
        "年龄",
    ] {
        assert_eq!(kinds_of(text), Kinds::NONE, "{text}");
    }
    assert_eq!(kinds_of(&"9".repeat(100_000)), Kinds::NONE);
    assert_eq!(kinds_of(&format!("https://{}", "x".repeat(100_000))), Kinds::NONE);
}

/// The kinds whose check digits find every single wrong digit. DEA, CPF and NIF have two digits for one remainder, the Belgian number
/// has two right keys, and the last digit of a Medicare number is not checked.
#[test]
fn a_changed_digit_is_found() {
    use Kind::{BeNational, BrCpf, PtNif, UsDea};
    for (kind, valid, _) in EXAMPLES {
        if kind.evidence() != Evidence::CheckDigits || [BeNational, BrCpf, PtNif, UsDea].contains(kind) {
            continue;
        }
        for text in *valid {
            let checked = if *kind == Kind::AuMedicare { text.len() - 1 } else { text.len() };
            for place in (0..checked).filter(|place| text.as_bytes()[*place].is_ascii_digit()) {
                for digit in (b'0'..=b'9').filter(|digit| *digit != text.as_bytes()[place]) {
                    let mut changed = text.as_bytes().to_vec();
                    changed[place] = digit;
                    let changed = String::from_utf8(changed).expect("digits");
                    assert!(!kinds_of(&changed).has(*kind), "{kind:?}: {changed}");
                }
            }
        }
    }
}

/// Of random digits at most one of nine passes any rule, so that four of five values never do.
#[test]
fn random_digits_rarely_pass() {
    const DRAWN: usize = 5_000;
    for length in 7..=20 {
        let mut hits = [0_usize; Kind::ALL.len()];
        for text in random_digits(length).take(DRAWN) {
            kinds_of(&text).iter().for_each(|kind| hits[kind as usize] += 1);
            // A number without marks is no number of these kinds, whatever its digits.
            assert!(!kinds_of(&text).has(Kind::UsSsn) && !kinds_of(&text).has(Kind::IpAddress));
        }
        for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Phone) {
            let passed = hits[*kind as usize];
            assert!(9 * passed <= DRAWN + DRAWN / 10, "{kind:?}: {passed} of {DRAWN} with {length} digits");
            assert!(!kind.is_gated() || 30 * passed <= DRAWN, "{kind:?}: {passed} of {DRAWN}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_looked_at(text in "\\PC{0,60}", numbered in "[0-9A-Za-zÄ .\\-/+@:,(){}]{0,45}", bytes in ".*") {
        for text in [&text, &numbered, &bytes] {
            let kinds = kinds_of(text);
            prop_assert_eq!(kinds, kinds_of(&format!("  {text}\t")), "blanks around it do not count");
            let all: Kinds = Kind::ALL.iter().copied().collect();
            kinds.iter().for_each(|kind| assert!(kinds_of_named(text, all).has(kind)));
            prop_assert_eq!(column::gate([(text.as_str(), 1)], all, Kinds::NONE).values, 1);
        }
    }

    #[test]
    fn separators_and_case_do_not_count(place in 1_usize..20, separator in "[ \\-./]", row in 0..EXAMPLES.len()) {
        let (kind, valid, _) = EXAMPLES[row];
        // A Danish number has its groups, and a card number its own; a dot alone makes a decimal number of digits.
        let set = kind.evidence() == Evidence::CheckDigits && kind != Kind::FiHetu && kind != Kind::PaymentCard;
        for text in valid.iter().filter(|text| set && place < text.len()) {
            prop_assert!(kinds_of(&text.to_lowercase()).has(kind));
            let marked = format!("{}{separator}{}", &text[..place], &text[place..]);
            let decimal = separator == "." && text.bytes().all(|sign| sign.is_ascii_digit());
            prop_assert_eq!(kinds_of(&marked).has(kind), !decimal, "{}", marked);
        }
    }
}
