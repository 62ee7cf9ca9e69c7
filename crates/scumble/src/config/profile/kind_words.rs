//! The kinds of personal texts that a column's name suggests. Such a name decides nothing by itself: it confirms what the values are.

use super::words::{fits, parts};
use crate::table::personal::{Kind, Kinds};

/// Words as in `words.rs`: in lower case without accents, `*` for any ending, several parts written as one.
const WORDS: &[(Kind, &str)] = &[
    (
        Kind::PaymentCard,
        "creditcard* debitcard* paymentcard* cardnumber cardno kreditkarte* pan cartebancaire tarjeta*",
    ),
    (Kind::Iban, "iban* bankaccount* accountnumber kontonummer bankverbindung*"),
    (Kind::Email, "email* mail emailaddress courriel correo*"),
    (Kind::Url, "url* website homepage link"),
    (Kind::IpAddress, "ip ipaddress ipaddr ipv"),
    (Kind::MacAddress, "mac macaddress macaddr"),
    (Kind::Uuid, "uuid guid"),
    (Kind::HexKey, "hash* sha md token* key"),
    (Kind::Phone, "phone* telephone* telefon* telefoon* cellphone mobile mobil* handy* fax* tel"),
    (Kind::UsSsn, "ssn socialsecurity*"),
    (Kind::UsNpi, "npi providerid* providernumber"),
    (Kind::UsDea, "dea deanumber"),
    (Kind::CaSin, "sin socialinsurance* nas"),
    (Kind::Imei, "imei*"),
    (Kind::SePersonnummer, "personnummer* personnr pnr"),
    (Kind::UkNhs, "nhs nhsnumber nhsno"),
    (Kind::UkNino, "nino nationalinsurance* ni"),
    (Kind::DeTaxId, "steuerid* steueridentifikation* steuernummer idnr taxid* tin"),
    (Kind::DeHealth, "krankenversicherung* krankenversichertennummer versichertennummer kvnr egk"),
    (Kind::AtInsurance, "svnr sozialversicherung* svnummer"),
    (Kind::ChAhv, "ahv* avs navs"),
    (Kind::NlBsn, "bsn burgerservicenummer sofi*"),
    (Kind::BeNational, "rijksregister* registrenational* nationalnumber niss insz rrn"),
    (Kind::FrNir, "nir securitesociale* numerosecu*"),
    (Kind::EsDni, "dni nie nif"),
    (Kind::ItTaxCode, "codicefiscale cf fiscalcode taxcode"),
    (Kind::PtNif, "nif contribuinte*"),
    (Kind::PlPesel, "pesel*"),
    (Kind::NoFodselsnummer, "fodselsnummer fodselsnr personnummer fnr"),
    (Kind::FiHetu, "hetu henkilotunnus"),
    (Kind::DkCpr, "cpr cprnummer cprnr"),
    (Kind::CzRodneCislo, "rodnecislo rc birthnumber"),
    (Kind::IePps, "pps ppsn ppsno"),
    (Kind::BrCpf, "cpf"),
    (Kind::CnId, "idcard* shenfenzheng* residentid* 身份证 身份证号 身份证号码"),
    (Kind::InAadhaar, "aadhaar* aadhar* uidai"),
    (Kind::AuTfn, "tfn taxfile*"),
    (Kind::AuMedicare, "medicare*"),
    (Kind::Vin, "vin fahrgestell* chassis* vehicleid* fin"),
    (Kind::Coordinates, "coordinate* coords gps* latlon latlng geo location position"),
];

/// All kinds that a column's name suggests.
pub(super) fn kinds_named(name: &str) -> Kinds {
    let parts = parts(name);
    let said = |words: &str| {
        (1..=parts.len()).any(|end| {
            (end.saturating_sub(3)..end)
                .any(|start| words.split_whitespace().any(|word| fits(word, &parts[start..end])))
        })
    };
    WORDS.iter().filter(|(_, words)| said(words)).map(|(kind, _)| *kind).collect()
}

/// A half of a place on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Latitude,
    Longitude,
}

impl Axis {
    /// The half that a column's name suggests.
    pub(super) fn named(name: &str) -> Option<Self> {
        parts(name).iter().find_map(|part| match part.as_str() {
            "lat" | "latitude" | "latitud" | "latitudine" | "breitengrad" => Some(Self::Latitude),
            "lon" | "lng" | "long" | "longitude" | "longitud" | "longitudine" | "langengrad" => {
                Some(Self::Longitude)
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Vec<Kind> {
        kinds_named(name).iter().collect()
    }

    #[test]
    fn names_speak_of_kinds() {
        assert_eq!(named("SSN"), [Kind::UsSsn]);
        assert_eq!(named("Social Security Number"), [Kind::UsSsn]);
        assert_eq!(named("patient_nhs_number"), [Kind::UkNhs]);
        assert_eq!(named("AHV-Nr."), [Kind::ChAhv]);
        assert_eq!(named("Rodné číslo"), [Kind::CzRodneCislo]);
        assert_eq!(named("fødselsnummer"), [Kind::NoFodselsnummer]);
        assert_eq!(named("NIF"), [Kind::EsDni, Kind::PtNif]);
        assert_eq!(named("e-mail"), [Kind::Email]);
        for name in ["", "age", "income", "nipple", "single", "x1"] {
            assert_eq!(named(name), [], "{name}");
        }
    }

    #[test]
    fn every_kind_has_words_that_can_be_found() {
        for &(kind, words) in WORDS {
            for word in words.split_whitespace() {
                let bare = word.trim_end_matches('*');
                assert_eq!(parts(bare).concat(), bare, "{kind:?}: {word} can never be found");
                assert!(kinds_named(bare).has(kind), "{kind:?}: {word}");
            }
        }
        assert_eq!(WORDS.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), Kind::ALL);
    }

    #[test]
    fn halves_of_a_place() {
        assert_eq!(Axis::named("home_lat"), Some(Axis::Latitude));
        assert_eq!(Axis::named("Längengrad"), Some(Axis::Longitude));
        assert_eq!(Axis::named("flat"), None);
    }
}
