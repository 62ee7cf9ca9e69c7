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
            respondent* household* encounter* case fall insured* versicherte*
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
            burgerlijkestaat householdsize haushaltsgrosse family familie parity
        ",
    ),
    (
        Topic::Work,
        Special,
        "
            occupation* job* profession* beruf* workclass employer* arbeitgeber employment* industry
            branche company firma department abteilung position jobtitle metier emploi ocupacion
            profesion trabajo professione lavoro profissao ocupacao beroep zawod rank
        ",
    ),
    (
        Topic::Education,
        Special,
        "
            education* educ schoolyears degree qualification* bildung* ausbildung* schulabschluss
            abschluss diplome niveauetude educacion estudios istruzione titolodistudio escolaridade
            educacao opleiding wyksztalcenie university college grade
        ",
    ),
    (
        Topic::Date,
        General,
        "
            date* datum day tag month monat year jahr time timestamp zeit fecha dag jour annee ano
            anno admission* discharge* aufnahme* entlassung* visit* deathdate dateofdeath todesdatum
            hiredate entrydate registered
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
            depress* cancer* tumor* tumour* diabet* gene genetic* genotype* bloodtype blutgruppe lab
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
/// The word that says most wins; among equals the later one, since the last word of a name is usually the
/// thing itself (`patient_age`, `income_class`); then the longer one.
pub(super) fn topic_of(name: &str) -> Option<Topic> {
    let parts = parts(name);
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
    parts
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
