//! What a column's name says, in the words of several languages.

use crate::table::personal::people::push_folded;

/// What a column is about, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    PersonName,
    Contact,
    Address,
    RecordNumber,
    /// Whom a row is about; a number of that person, if the values agree.
    Person,
    /// The household of a person; a number of it, if name and values agree.
    Household,
    BirthDate,
    Age,
    Sex,
    Postcode,
    Place,
    Origin,
    Family,
    Work,
    Education,
    Date,
    /// Something that happens to a person, of which others may know: a stay, a visit.
    Event,
    /// Measures of a body that others can see.
    Body,
    /// Habits that others can see.
    Habit,
    Health,
    Money,
    Intimate,
    Target,
    FreeText,
}

/// How much a word says: `city_name` is about a city, `patient_name` about a name, `patient` about a patient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// Whom a row is about.
    Owner,
    /// What many things have: a name, a number, a date.
    General,
    /// One thing.
    Special,
}

use Weight::{General, Owner, Special};

/// Words in lower case without accents. `*` at an end stands for anything. Words of several parts are written
/// as one: `zipcode` is also found in `zip_code`. Spaces stand between words.
const WORDS: &[(Topic, Weight, &str)] = &[
    (
        Topic::PersonName,
        Special,
        "
            firstname lastname fullname givenname middlename familyname forename surname maidenname
            vorname* nachname* familienname* zuname geburtsname prenom* nomdefamille apellido*
            primerapellido cognome sobrenome apelido voornaam achternaam imie nazwisko fornamn
            efternamn etunimi sukunimi jmeno prijmeni nachnamen patientname patientenname kundenname
            nickname* spitzname* surnom* apodo*
        ",
    ),
    (
        Topic::PersonName,
        General,
        "
            name names namen nom nombre nome naam nazwa namn nimi
        ",
    ),
    (
        Topic::Contact,
        Special,
        "
            email* mail emailaddress phone* telephone* telefon* telefoon* cellphone mobile mobil*
            handy* fax* tel contact kontakt correo* courriel website homepage url username userid
            login twitter instagram ip ipaddress device*
        ",
    ),
    (
        Topic::Address,
        Special,
        "
            address* adress* anschrift street* strasse* rue calle indirizzo direccion endereco adres
            straat ulica housenumber hausnummer latitude longitude lat lon lng gps* coordinate*
        ",
    ),
    (
        Topic::RecordNumber,
        Special,
        "
            ssn socialsecurity* sozialversicherung* svnr ahv* nir dni nie nif curp cpf bsn pesel
            personnummer personalnummer mrn medicalrecord* krankenversicherungsnummer
            versichertennummer versicherungsnummer insurancenumber passport* reisepass* iban*
            accountnumber kontonummer creditcard* cardnumber license* licence* fuhrerschein*
            kennzeichen plate uuid guid codicefiscale taxid steuernummer matrikelnummer aktenzeichen
            fallnummer patientennummer kundennummer serial*
        ",
    ),
    (
        Topic::RecordNumber,
        General,
        "
            id ids identifier ident number nr no num nummer numero numer key index rowid recordid
            seq sequence
        ",
    ),
    (
        Topic::Person,
        Owner,
        "
            patient* person* people subject* participant* proband* customer* client* cliente* kunde*
            user* member* mitglied* employee* mitarbeiter* student* schuler* paciente* paziente*
            respondent* encounter* case fall insured* versicherte*
        ",
    ),
    (
        Topic::Household,
        Owner,
        "
            hh household* haushalt* hogar* menage* nucleofamiliar* huishoud* gospodarstw* hushall*
        ",
    ),
    (
        Topic::Family,
        Owner,
        "
            wife* husband* ehefrau* ehemann* partner* mother* father* mutter* vater* parent* eltern* child
            sibling* spouse*
        ",
    ),
    (
        Topic::BirthDate,
        Special,
        "
            dob birth* dateofbirth birthdate yearofbirth yob born geburt* geb gebdat* naissance*
            nacimiento* fechanacimiento nascita* nascimento* geboorte* urodzenia fodelse* fodsel*
            narozeni
        ",
    ),
    (
        Topic::Age,
        Special,
        "
            age ages agegroup alter altersgruppe edad eta idade leeftijd wiek alder
        ",
    ),
    (
        Topic::Sex,
        Special,
        "
            sex gender* geschlecht* sexe sexo sesso genero genre geslacht plec
        ",
    ),
    (
        Topic::Postcode,
        Special,
        "
            zip* zipcode plz* postcode* postalcode* postleitzahl* codepostal* codigopostal* cep
            postnummer kodpocztowy psc
        ",
    ),
    (
        Topic::Place,
        Special,
        "
            city* town* village municipality commune county district* region* state province* canton
            kanton country* area location* residence wohnort* ort stadt* gemeinde* kreis landkreis
            bundesland land ville pays departement ciudad pais provincia comune citta cidade estado
            municipio stad gemeente miasto nuts* neighbourhood neighborhood borough ward hospital*
            clinic klinik* school schule branch filiale
        ",
    ),
    (
        Topic::Origin,
        Special,
        "
            race* ethnic* nationality nationalitat* staatsangehorigkeit staatsburgerschaft
            nationalite nacionalidad* nacionalidade nazionalita citizenship nativecountry birthplace
            placeofbirth countryofbirth geburtsort geburtsland language* sprache* muttersprache
            langue idioma lingua taal raza raca herkunft migration* tribe caste
        ",
    ),
    (
        Topic::Family,
        Special,
        "
            marital* married marriage civilstatus familienstand relationship spouse children kinder*
            kids numberofchildren etatcivil situationfamiliale estadocivil statocivile
            burgerlijkestaat householdsize haushaltsgrosse family familie parity dependent* dependant*
            unterhalt* liable* personasacargo
        ",
    ),
    (
        Topic::Work,
        Special,
        "
            occupation* job* profession* beruf* workclass employer* arbeitgeber employment* industry
            branche company firma department abteilung position jobtitle metier emploi ocupacion
            profesion trabajo professione lavoro profissao ocupacao beroep zawod rank working works worker*
            employed unemployed* selfemployed erwerb* berufstatig* arbeitslos* labourforce laborforce isco
        ",
    ),
    (
        Topic::Education,
        Special,
        "
            education* educ schoolyears degree qualification* bildung* ausbildung* schulabschluss
            abschluss diplome niveauetude educacion estudios istruzione titolodistudio escolaridade
            educacao opleiding wyksztalcenie university college grade schooling literacy isced* eqf nqf
        ",
    ),
    (
        Topic::Date,
        General,
        "
            date* datum day tag month monat year jahr time timestamp zeit fecha dag jour annee ano
            anno deathdate dateofdeath todesdatum hiredate entrydate registered moment
        ",
    ),
    (
        Topic::Event,
        General,
        "
            admission* admitted discharge* aufnahme* entlassung* visit* besuch* arrival* departure*
            checkin checkout
        ",
    ),
    (
        Topic::Body,
        Special,
        "
            height bodyheight weight bodyweight bmi bodymassindex waist* grosse korpergrosse gewicht
            korpergewicht taille talla estatura statura altezza peso poids shoesize schuhgrosse
        ",
    ),
    (
        Topic::Habit,
        Special,
        "
            smok* smoker* rauch* raucher* tobacco* tabak* tabac* alcohol* alkohol* drinking fumador* fumeur*
        ",
    ),
    (
        Topic::Health,
        Special,
        "
            diagnos* icd* disease* illness* sickness krankheit* erkrankung* maladie* enfermedad*
            malattia* doenca* ziekte* choroba hiv* aids condition* comorbid* symptom* medication*
            medikament* medicine* drug* prescription* treatment* behandlung* therap* procedure*
            prozedur* surgery operation* allerg* pregnan* schwanger* disab* behinderung* mental*
            contracept* verhut* anticoncep* fertility transfus* donat* donor* blutspende* depress* cancer*
            tumor* tumour* diabet* gene genetic* genotype* bloodtype blutgruppe lab
            labor* testresult causeofdeath todesursache addiction* overdose vaccin* covid* drg atc
        ",
    ),
    (
        Topic::Money,
        Special,
        "
            salary* salaries income* wage* earning* pay gehalt* einkommen* lohn* verdienst salaire*
            revenu revenus salario* ingreso* sueldo stipendio reddito* renda inkomen salaris dochod
            debt* schulden loan* kredit* credit* balance kontostand wealth vermogen* capitalgain
            capitalloss pension rente benefit* charges cost kosten
        ",
    ),
    (
        Topic::Intimate,
        Special,
        "
            religion* religio* konfession church faith politic* party partei vote union
            gewerkschaft* sexualorientation orientation crime* criminal* offence* offense*
            conviction* straftat* arrest* violence abuse victim*
        ",
    ),
    (
        Topic::Target,
        Special,
        "
            class classes klasse clase classe label* target* ziel* zielvariable outcome* ergebnis
            result resultado readmi* churn* survived survival died deceased mortality y response
            default defaulted fraud approved decision prediction severity recidivism relapse success
        ",
    ),
    (
        Topic::FreeText,
        Special,
        "
            comment* note notes remark* bemerkung* anmerkung* kommentar* notiz* freitext* freetext
            text description* beschreibung* narrative* summary observaciones observation*
            commentaire* remarque* comentario* nota notas osservazioni opmerking* uwagi message*
            feedback review anamnese* befund* history report bericht letter
        ",
    ),
];

/// What a column's name is about, if its words are known.
///
/// The word that says most wins; among ties the later one, since the last word of a name is usually the
/// thing itself (`patient_age`, `income_class`); then the longer one.
///
/// What stands behind a preposition says where or when, and not what: `died in hospital` is about dying.
pub(super) fn topic_of(name: &str) -> Option<Topic> {
    let parts = parts(name);
    let head = parts.iter().position(|part| PREPOSITIONS.contains(&part.as_str())).unwrap_or(parts.len());
    let topic = topic_of_parts(&parts[..head]).or_else(|| topic_of_parts(&parts))?;
    // The last time that somebody used an account is a time, and no account.
    let is_latest = parts.first().is_some_and(|first| LATEST.contains(&first.as_str()));
    Some(if is_latest && topic == Topic::Contact { Topic::Date } else { topic })
}

/// Words behind which a place or a time stands.
const PREPOSITIONS: [&str; 12] =
    ["in", "at", "during", "within", "im", "bei", "beim", "wahrend", "dans", "pendant", "durante", "en"];
/// Words for the last or the first time of something.
const LATEST: [&str; 10] =
    ["last", "latest", "previous", "first", "letzter", "letzte", "letztes", "erster", "dernier", "ultimo"];
/// Words that mean a household at the beginning of another word.
const HOUSEHOLD_STEMS: [&str; 7] =
    ["hh", "household", "haushalts", "haushalt", "huishoud", "menage", "hogar"];

/// Whether a name suggests a household.
pub(super) fn speaks_of_household(name: &str) -> bool {
    let words = WORDS
        .iter()
        .filter(|(topic, ..)| *topic == Topic::Household)
        .flat_map(|(.., words)| words.split_whitespace());
    let words: Vec<&str> = words.collect();
    parts(name).iter().any(|part| words.iter().any(|word| fits(word, std::slice::from_ref(part))))
}

/// A word whose first piece means a household, in its two pieces, if the second is a word too or says how much: `hhid`, `hhsize`.
fn split_household(part: &str) -> Option<(&str, &str)> {
    const MEASURES: [&str; 8] = ["size", "grosse", "members", "persons", "personen", "type", "typ", "head"];
    let known = |rest: &str| {
        let rest = rest.to_owned();
        MEASURES.contains(&rest.as_str())
            || WORDS.iter().any(|(.., words)| {
                words.split_whitespace().any(|word| fits(word, std::slice::from_ref(&rest)))
            })
    };
    let split = |stem: &&str| {
        part.strip_prefix(*stem).filter(|rest| known(rest)).map(|rest| (&part[..stem.len()], rest))
    };
    HOUSEHOLD_STEMS.iter().find_map(split)
}

fn topic_of_parts(parts: &[String]) -> Option<Topic> {
    let mut best: Option<((Weight, usize, usize), Topic)> = None;
    for end in 1..=parts.len() {
        for start in end.saturating_sub(3)..end {
            let joined = &parts[start..end];
            for &(topic, weight, words) in WORDS {
                let fitting = words.split_whitespace().filter(|word| fits(word, joined));
                let longest = fitting.map(str::len).max();
                let Some(length) = longest else { continue };
                let rank = (weight, end, length);
                if best.is_none_or(|(known, _)| rank > known) {
                    best = Some((rank, topic));
                }
            }
        }
    }
    best.map(|(_, topic)| topic)
}

/// Whether a word of the list is made of these parts of a name. `income*` fits `incomes`, but it leaves `class` alone
/// in `income_class`: a word must need each part that it takes.
pub(super) fn fits(word: &str, parts: &[String]) -> bool {
    let text = parts.concat();
    match word.strip_suffix('*') {
        Some(start) => {
            let last = parts.last().map_or(0, String::len);
            text.starts_with(start) && start.len() > text.len() - last
        }
        None => text == word,
    }
}

/// The words of a name: split where signs, digits or capitals begin, in lower case, without accents.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        let begins =
            letter.is_uppercase() && before.is_lowercase() || letter.is_numeric() != before.is_numeric();
        if (begins || !letter.is_alphanumeric()) && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| letter.is_alphanumeric()) {
            push_folded(letter, part);
        }
        before = letter;
    }
    parts.retain(|part| !part.is_empty());
    let pieces = |part: String| match split_household(&part) {
        Some((household, rest)) => vec![household.to_owned(), rest.to_owned()],
        None => vec![part],
    };
    parts.into_iter().flat_map(pieces).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(parts("Date of Birth"), ["date", "of", "birth"]);
        assert_eq!(parts("patientID"), ["patient", "id"]);
        assert_eq!(parts("ICD10_code"), ["icd", "10", "code"]);
        assert_eq!(parts("Straße-Nr."), ["strasse", "nr"]);
        assert_eq!(parts("Nationalität"), ["nationalitat"]);
        assert_eq!(parts("__"), Vec::<String>::new());
        assert_eq!(parts("年龄"), ["年龄"]);
    }

    #[test]
    fn topics_in_many_languages() {
        for (name, topic) in [
            ("patient_id", Topic::RecordNumber),
            ("PatientID", Topic::RecordNumber),
            ("SSN", Topic::RecordNumber),
            ("patient", Topic::Person),
            ("patient_age", Topic::Age),
            ("First Name", Topic::PersonName),
            ("Vorname", Topic::PersonName),
            ("patient_name", Topic::PersonName),
            ("city_name", Topic::Place),
            ("e-mail", Topic::Contact),
            ("Telefonnummer", Topic::Contact),
            ("Straße", Topic::Address),
            ("Geburtsdatum", Topic::BirthDate),
            ("date_of_birth", Topic::BirthDate),
            ("fecha nacimiento", Topic::BirthDate),
            ("Alter", Topic::Age),
            ("geschlecht", Topic::Sex),
            ("zip code", Topic::Postcode),
            ("PLZ", Topic::Postcode),
            ("code postal", Topic::Postcode),
            ("native-country", Topic::Origin),
            ("Staatsangehörigkeit", Topic::Origin),
            ("marital-status", Topic::Family),
            ("workclass", Topic::Work),
            ("Beruf", Topic::Work),
            ("education-num", Topic::Education),
            ("admission_date", Topic::Date),
            ("ICD10", Topic::Health),
            ("HIV", Topic::Health),
            ("diagnosis_code", Topic::Health),
            ("annual income", Topic::Money),
            ("Gehalt", Topic::Money),
            ("religion", Topic::Intimate),
            ("income_class", Topic::Target),
            ("readmitted", Topic::Target),
            ("Bemerkungen", Topic::FreeText),
            ("hh_id", Topic::RecordNumber),
            ("hhsize", Topic::Household),
            ("Haushaltsnummer", Topic::RecordNumber),
            ("Haushaltseinkommen", Topic::Money),
            ("hogar", Topic::Household),
            ("household income", Topic::Money),
            ("Died in hospital", Topic::Target),
            ("year in country", Topic::Date),
            ("Entlassungsart", Topic::Event),
            ("discharge_date", Topic::Date),
            ("last_login", Topic::Date),
            ("login", Topic::Contact),
            ("last name", Topic::PersonName),
            ("Größe_cm", Topic::Body),
            ("husband_age", Topic::Age),
            ("is_working", Topic::Work),
            ("number of dependants", Topic::Family),
            ("smoker", Topic::Habit),
        ] {
            assert_eq!(topic_of(name), Some(topic), "{name}");
        }
        for name in ["", "x1", "hours-per-week", "fnlwgt", "temperature", "42"] {
            assert_eq!(topic_of(name), None, "{name}");
        }
    }

    #[test]
    fn words_are_written_as_names_are_read() {
        for &(topic, _, words) in WORDS {
            for word in words.split_whitespace() {
                let bare = word.trim_end_matches('*');
                let read = parts(bare).concat();
                assert_eq!(read, bare.replace('_', ""), "{topic:?}: {word} can never be found");
                assert!(!bare.contains('_'), "{topic:?}: {word} can never be found");
            }
        }
    }
}
