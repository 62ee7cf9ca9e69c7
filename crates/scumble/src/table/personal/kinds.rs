//! The kinds that are looked for, with all that is said of each in one place.

/// What makes a text one of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evidence {
    /// The way it is written. Few other texts are written so.
    Shape,
    /// Check digits. One of ten to one of a hundred random numbers has the right ones.
    CheckDigits,
    /// Only a date within a number. Many numbers have one.
    Weak,
}

/// What is said of a kind.
struct About {
    name: &'static str,
    one: &'static str,
    many: &'static str,
    evidence: Evidence,
}

/// Each kind with its name in a plan, its words for one and for many, and its evidence.
macro_rules! kinds {
    ($($kind:ident $name:literal $one:literal $many:literal $evidence:ident;)*) => {
        /// What a text may be. The order is that of the specification, and the order in which kinds are named.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind {
            $(#[doc = concat!("One of the ", $many, ".")] $kind,)*
        }

        impl Kind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            fn about(self) -> About {
                match self {
                    $(Self::$kind => About {
                        name: $name, one: $one, many: $many, evidence: Evidence::$evidence,
                    },)*
                }
            }
        }
    };
}

kinds! {
    PaymentCard "payment_card" "payment card number" "payment card numbers" CheckDigits;
    Iban "iban" "IBAN" "IBANs" CheckDigits;
    Email "email" "e-mail address" "e-mail addresses" Shape;
    Url "url" "web address" "web addresses" Shape;
    IpAddress "ip_address" "network address" "network addresses" Shape;
    MacAddress "mac_address" "MAC address of a device" "MAC addresses of devices" Shape;
    Uuid "uuid" "UUID" "UUIDs" Shape;
    HexKey "hex_key" "long hexadecimal key" "long hexadecimal keys" Shape;
    Phone "phone" "phone number" "phone numbers" Shape;
    UsSsn "us_ssn" "US social security number" "US social security numbers" Shape;
    UsNpi "us_npi" "US provider number (NPI)" "US provider numbers (NPI)" CheckDigits;
    UsDea "us_dea" "US prescriber number (DEA)" "US prescriber numbers (DEA)" CheckDigits;
    CaSin "ca_sin" "Canadian social insurance number" "Canadian social insurance numbers" CheckDigits;
    Imei "imei" "phone's serial number (IMEI)" "phones' serial numbers (IMEI)" CheckDigits;
    SePersonnummer "se_personnummer" "Swedish personal number" "Swedish personal numbers" CheckDigits;
    UkNhs "uk_nhs" "UK NHS number" "UK NHS numbers" CheckDigits;
    UkNino "uk_nino" "UK national insurance number" "UK national insurance numbers" Shape;
    DeTaxId "de_tax_id" "German tax number" "German tax numbers" CheckDigits;
    DeHealth "de_health" "German health insurance number" "German health insurance numbers" CheckDigits;
    AtInsurance "at_insurance" "Austrian social insurance number" "Austrian social insurance numbers" CheckDigits;
    ChAhv "ch_ahv" "Swiss AHV number" "Swiss AHV numbers" CheckDigits;
    NlBsn "nl_bsn" "Dutch citizen service number (BSN)" "Dutch citizen service numbers (BSN)" CheckDigits;
    BeNational "be_national" "Belgian national number" "Belgian national numbers" CheckDigits;
    FrNir "fr_nir" "French social security number" "French social security numbers" CheckDigits;
    EsDni "es_dni" "Spanish identity number (DNI, NIE)" "Spanish identity numbers (DNI, NIE)" CheckDigits;
    ItTaxCode "it_tax_code" "Italian tax code" "Italian tax codes" CheckDigits;
    PtNif "pt_nif" "Portuguese tax number (NIF)" "Portuguese tax numbers (NIF)" CheckDigits;
    PlPesel "pl_pesel" "Polish personal number (PESEL)" "Polish personal numbers (PESEL)" CheckDigits;
    NoFodselsnummer "no_fodselsnummer" "Norwegian identity number" "Norwegian identity numbers" CheckDigits;
    FiHetu "fi_hetu" "Finnish personal identity code" "Finnish personal identity codes" CheckDigits;
    DkCpr "dk_cpr" "Danish CPR number" "Danish CPR numbers" Weak;
    CzRodneCislo "cz_rodne_cislo" "Czech or Slovak birth number" "Czech or Slovak birth numbers" CheckDigits;
    IePps "ie_pps" "Irish PPS number" "Irish PPS numbers" CheckDigits;
    BrCpf "br_cpf" "Brazilian taxpayer number (CPF)" "Brazilian taxpayer numbers (CPF)" CheckDigits;
    CnId "cn_id" "Chinese identity number" "Chinese identity numbers" CheckDigits;
    InAadhaar "in_aadhaar" "Indian Aadhaar number" "Indian Aadhaar numbers" CheckDigits;
    AuTfn "au_tfn" "Australian tax file number" "Australian tax file numbers" CheckDigits;
    AuMedicare "au_medicare" "Australian Medicare number" "Australian Medicare numbers" CheckDigits;
    Vin "vin" "vehicle identification number" "vehicle identification numbers" CheckDigits;
    Coordinates "coordinates" "coordinates of a place" "coordinates of places" Shape;
}

impl Kind {
    /// Its name in plans and in messages to programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.about().name
    }

    /// The kind of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// One of them, in words for people: `e-mail address`.
    #[must_use]
    pub fn one(self) -> &'static str {
        self.about().one
    }

    /// Several of them, in words for people: `e-mail addresses`.
    #[must_use]
    pub fn many(self) -> &'static str {
        self.about().many
    }

    /// What makes a text one of this kind.
    #[must_use]
    pub fn evidence(self) -> Evidence {
        self.about().evidence
    }

    /// Whether the last look before a release is named is for this kind.
    #[must_use]
    pub fn is_gated(self) -> bool {
        matches!(self, Self::PaymentCard | Self::Iban | Self::Email | Self::Phone | Self::UsSsn)
    }

    /// Whether three values of a column suffice to stop a release, however many values it has.
    #[must_use]
    pub fn three_suffice(self) -> bool {
        matches!(self, Self::PaymentCard | Self::Iban | Self::Email)
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Kinds(u64);

impl Kinds {
    /// No kind.
    pub const NONE: Self = Self(0);

    /// Whether there is no kind in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a kind is in it.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    /// Adds a kind.
    pub fn add(&mut self, kind: Kind) {
        self.0 |= Self::bit(kind);
    }

    /// Adds a kind that was found.
    pub(super) fn add_if(&mut self, kind: Kind, found: bool) {
        if found {
            self.add(kind);
        }
    }

    /// Takes a kind out.
    pub fn remove(&mut self, kind: Kind) {
        self.0 &= !Self::bit(kind);
    }

    /// The kinds that are in both.
    #[must_use]
    pub fn both(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// How many kinds are in it.
    #[must_use]
    pub fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Its kinds, in the order of [`Kind`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.iter().copied().filter(move |kind| self.has(*kind))
    }

    fn bit(kind: Kind) -> u64 {
        1 << kind as u32
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::NONE, |mut all, kind| {
            all.add(kind);
            all
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart_and_found_again() {
        assert!(Kind::ALL.len() <= 64, "a set has 64 places");
        for kind in Kind::ALL {
            assert_eq!(Kind::from_name(kind.name()), Some(*kind));
            assert!(kind.name().chars().all(|sign| sign.is_ascii_lowercase() || sign == '_'));
            assert!(kind.is_gated() || !kind.three_suffice(), "{kind:?}");
        }
        let mut names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Kind::ALL.len());
        assert_eq!(Kind::from_name("colour"), None);
    }

    #[test]
    fn sets_of_kinds() {
        let mut kinds: Kinds = [Kind::Vin, Kind::Iban].into_iter().collect();
        assert_eq!(kinds.iter().collect::<Vec<_>>(), [Kind::Iban, Kind::Vin]);
        kinds.remove(Kind::Vin);
        kinds.add_if(Kind::Email, false);
        assert!(kinds.has(Kind::Iban) && !kinds.has(Kind::Vin) && !kinds.has(Kind::Email));
        kinds.remove(Kind::Iban);
        assert!(kinds.is_empty());
    }
}
