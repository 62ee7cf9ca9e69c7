//! The values of the sample table, with their weights and their places in the hierarchies.
//!
//! Every categorical value is written as its path to the root: the value, its group, the group of that
//! group. The generator writes the first part, [`super::hierarchies`] the whole path, so the two always
//! agree. Weights are relative within their column of the table, unless a comment says otherwise.

/// A value and its ancestors, without the root `*`.
pub(super) type Path = [&'static str; 3];

/// What a person does all day, which decides the possible education and occupations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Activity {
    Working,
    Preschool,
    Pupil,
    Apprentice,
    Student,
    Unemployed,
    Homemaker,
    UnableToWork,
    Retired,
}

/// Upper ends of the age bands of [`ACTIVITIES`].
pub(super) const ACTIVITY_AGES: [u32; 10] = [5, 15, 18, 24, 29, 55, 59, 62, 66, u32::MAX];

/// Activity, path of the occupation (unused for working people), weights by age band for women and men.
#[rustfmt::skip]
pub(super) static ACTIVITIES: [(Activity, Path, [u32; 10], [u32; 10]); 9] = [
    (Activity::Working,      ["", "", ""],                                                   [0, 0, 4, 52, 68, 76, 74, 56, 27, 2], [0, 0, 5, 56, 76, 85, 80, 62, 32, 4]),
    (Activity::Preschool,    ["preschool child", "in education", "not employed"],            [1, 0, 0, 0, 0, 0, 0, 0, 0, 0],       [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    (Activity::Pupil,        ["pupil", "in education", "not employed"],                      [0, 1, 58, 2, 0, 0, 0, 0, 0, 0],      [0, 1, 55, 2, 0, 0, 0, 0, 0, 0]),
    (Activity::Apprentice,   ["apprentice", "in education", "not employed"],                 [0, 0, 32, 12, 1, 0, 0, 0, 0, 0],     [0, 0, 36, 15, 1, 0, 0, 0, 0, 0]),
    (Activity::Student,      ["university student", "in education", "not employed"],         [0, 0, 2, 26, 9, 0, 0, 0, 0, 0],      [0, 0, 1, 22, 10, 0, 0, 0, 0, 0]),
    (Activity::Unemployed,   ["unemployed", "out of work", "not employed"],                  [0, 0, 4, 5, 6, 6, 7, 7, 4, 0],       [0, 0, 5, 8, 8, 7, 8, 8, 5, 0]),
    (Activity::Homemaker,    ["homemaker", "out of work", "not employed"],                   [0, 0, 1, 4, 11, 13, 9, 9, 5, 3],     [0, 0, 0, 0, 1, 1, 1, 1, 1, 0]),
    (Activity::UnableToWork, ["unable to work", "retired or unable to work", "not employed"], [0, 0, 1, 1, 1, 4, 7, 8, 5, 0],      [0, 0, 1, 1, 1, 4, 8, 9, 6, 0]),
    (Activity::Retired,      ["retired", "retired or unable to work", "not employed"],       [0, 0, 0, 0, 0, 0, 3, 20, 58, 95],    [0, 0, 0, 0, 0, 0, 3, 20, 56, 96]),
];

/// The group whose members are insured as public servants.
pub(super) const PUBLIC_SERVICE: &str = "public service";

/// Path, weights by qualification (none, vocational, university), women in a hundred.
#[rustfmt::skip]
pub(super) static JOBS: [(Path, [u32; 3], u32); 38] = [
    (["nurse", "health care", "services"],                           [2, 70, 10], 83),
    (["care assistant", "health care", "services"],                  [60, 40, 0], 84),
    (["physician", "health care", "services"],                       [0, 0, 60],  49),
    (["physiotherapist", "health care", "services"],                 [0, 20, 8],  70),
    (["teacher", PUBLIC_SERVICE, "services"],                        [0, 2, 110], 73),
    (["childcare worker", PUBLIC_SERVICE, "services"],               [4, 45, 10], 92),
    (["police officer", PUBLIC_SERVICE, "services"],                 [0, 22, 10], 29),
    (["civil servant", PUBLIC_SERVICE, "services"],                  [2, 40, 60], 57),
    (["social worker", PUBLIC_SERVICE, "services"],                  [0, 8, 45],  75),
    (["shop assistant", "trade", "services"],                        [90, 90, 4], 74),
    (["sales representative", "trade", "services"],                  [8, 40, 22], 34),
    (["cook", "hospitality", "services"],                            [28, 26, 0], 46),
    (["waiter", "hospitality", "services"],                          [36, 14, 3], 63),
    (["hairdresser", "personal services", "services"],               [4, 22, 0],  87),
    (["cleaner", "personal services", "services"],                   [110, 18, 1], 80),
    (["security guard", "personal services", "services"],            [24, 12, 1], 25),
    (["office clerk", "office work", "business"],                    [30, 150, 40], 73),
    (["accountant", "office work", "business"],                      [0, 40, 40], 67),
    (["bank clerk", "office work", "business"],                      [0, 36, 26], 56),
    (["insurance agent", "office work", "business"],                 [3, 20, 12], 42),
    (["manager", "management and law", "business"],                  [4, 22, 80], 29),
    (["lawyer", "management and law", "business"],                   [0, 0, 34],  45),
    (["engineer", "science and technology", "business"],             [0, 6, 110], 19),
    (["software developer", "science and technology", "business"],   [2, 22, 80], 18),
    (["scientist", "science and technology", "business"],            [0, 0, 42],  42),
    (["laboratory technician", "science and technology", "business"], [0, 26, 10], 61),
    (["journalist", "media and arts", "business"],                   [1, 5, 20],  50),
    (["musician", "media and arts", "business"],                     [1, 4, 14],  41),
    (["electrician", "crafts", "production"],                        [4, 62, 2],  5),
    (["plumber", "crafts", "production"],                            [6, 38, 0],  3),
    (["carpenter", "crafts", "production"],                          [6, 34, 1],  6),
    (["car mechanic", "crafts", "production"],                       [8, 48, 1],  5),
    (["bricklayer", "construction", "production"],                   [20, 30, 0], 2),
    (["machine operator", "manufacturing", "production"],            [60, 62, 2], 24),
    (["metal worker", "manufacturing", "production"],                [18, 66, 1], 8),
    (["farmer", "agriculture", "production"],                        [10, 20, 6], 30),
    (["lorry driver", "transport", "production"],                    [40, 46, 1], 5),
    (["warehouse worker", "transport", "production"],                [90, 36, 1], 28),
];

/// Columns of [`EDUCATION`]: the stages of life, which limit a person's education.
#[derive(Clone, Copy)]
pub(super) enum Stage {
    Preschool,
    PrimaryPupil,
    SecondaryPupil,
    Apprentice,
    YoungStudent,
    OlderStudent,
    Under25,
    Under35,
    Under65,
    Older,
}

/// Path, qualification (0 none, 1 vocational, 2 university), weights by [`Stage`].
#[rustfmt::skip]
pub(super) static EDUCATION: [(Path, usize, [u32; 10]); 12] = [
    (["not at school yet", "still at school", "no vocational qualification"],                   0, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
    (["at primary school", "still at school", "no vocational qualification"],                   0, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
    (["at secondary school", "still at school", "no vocational qualification"],                 0, [0, 0, 1, 0, 0, 0, 0, 0, 0, 0]),
    (["no certificate", "school certificate at most", "no vocational qualification"],           0, [0, 0, 0, 2, 0, 0, 10, 5, 4, 5]),
    (["lower secondary", "school certificate at most", "no vocational qualification"],          0, [0, 0, 0, 22, 0, 0, 20, 6, 9, 24]),
    (["intermediate secondary", "school certificate at most", "no vocational qualification"],   0, [0, 0, 0, 56, 0, 0, 26, 6, 6, 6]),
    (["upper secondary", "school certificate at most", "no vocational qualification"],          0, [0, 0, 0, 20, 1, 6, 20, 7, 4, 2]),
    (["vocational training", "vocational qualification", "vocational qualification or degree"], 1, [0, 0, 0, 0, 0, 0, 24, 44, 51, 45]),
    (["master craftsman", "vocational qualification", "vocational qualification or degree"],    1, [0, 0, 0, 0, 0, 0, 0, 5, 8, 7]),
    (["bachelor", "university degree", "vocational qualification or degree"],                   2, [0, 0, 0, 0, 0, 4, 0, 14, 4, 1]),
    (["master", "university degree", "vocational qualification or degree"],                     2, [0, 0, 0, 0, 0, 0, 0, 14, 14, 9]),
    (["doctorate", "university degree", "vocational qualification or degree"],                  2, [0, 0, 0, 0, 0, 0, 0, 1, 2, 1]),
];

/// Upper ends of the age bands of [`MARITAL`].
pub(super) static MARITAL_AGES: [u32; 7] = [17, 24, 34, 49, 64, 79, u32::MAX];

/// Path, weights by age band for women and men. Nobody under 18 is anything but single.
#[rustfmt::skip]
pub(super) static MARITAL: [(Path, [u32; 7], [u32; 7]); 6] = [
    (["single", "never married", "without spouse"],       [1, 94, 52, 22, 11, 6, 5],   [1, 97, 66, 31, 16, 8, 4]),
    (["married", "in a couple", "with spouse"],           [0, 5, 43, 61, 63, 56, 24],  [0, 3, 31, 56, 64, 73, 65]),
    (["civil partnership", "in a couple", "with spouse"], [0, 0, 1, 1, 1, 0, 0],       [0, 0, 1, 1, 1, 0, 0]),
    (["separated", "formerly married", "without spouse"], [0, 1, 2, 4, 3, 1, 0],       [0, 0, 1, 3, 3, 1, 1]),
    (["divorced", "formerly married", "without spouse"],  [0, 0, 2, 11, 17, 13, 7],    [0, 0, 1, 9, 14, 10, 5]),
    (["widowed", "formerly married", "without spouse"],   [0, 0, 0, 1, 5, 24, 64],     [0, 0, 0, 0, 2, 8, 25]),
];

/// Columns of [`INSURANCE`]: how a person is insured.
#[derive(Clone, Copy)]
pub(super) enum Cover {
    Dependent,
    Employee,
    Graduate,
    PublicServant,
    OutOfWork,
    Pensioner,
}

/// Path, weights by [`Cover`].
#[rustfmt::skip]
pub(super) static INSURANCE: [(Path, [u32; 6]); 6] = [
    (["statutory", "statutory member", "statutory scheme"],                 [8, 84, 58, 44, 62, 82]),
    (["statutory with supplement", "statutory member", "statutory scheme"], [2, 11, 16, 10, 1, 8]),
    (["statutory family", "family member", "statutory scheme"],             [80, 1, 0, 0, 9, 2]),
    (["private", "privately insured", "other scheme"],                      [8, 3, 24, 4, 1, 6]),
    (["public servants' scheme", "privately insured", "other scheme"],      [1, 0, 1, 42, 0, 1]),
    (["social welfare", "welfare", "other scheme"],                         [1, 1, 1, 0, 27, 1]),
];

/// Path and weight. The first is the home country, whose weight is unused (see `people::foreign_born`).
#[rustfmt::skip]
pub(super) static COUNTRIES: [(Path, u32); 36] = [
    (["Germany", "Western Europe", "Europe"], 0),
    (["Austria", "Western Europe", "Europe"], 22),
    (["France", "Western Europe", "Europe"], 12),
    (["Netherlands", "Western Europe", "Europe"], 9),
    (["Switzerland", "Western Europe", "Europe"], 6),
    (["United Kingdom", "Northern Europe", "Europe"], 9),
    (["Sweden", "Northern Europe", "Europe"], 4),
    (["Lithuania", "Northern Europe", "Europe"], 5),
    (["Poland", "Eastern Europe", "Europe"], 160),
    (["Czechia", "Eastern Europe", "Europe"], 90),
    (["Ukraine", "Eastern Europe", "Europe"], 95),
    (["Russia", "Eastern Europe", "Europe"], 85),
    (["Romania", "Eastern Europe", "Europe"], 60),
    (["Hungary", "Eastern Europe", "Europe"], 26),
    (["Bulgaria", "Eastern Europe", "Europe"], 25),
    (["Slovakia", "Eastern Europe", "Europe"], 20),
    (["Italy", "Southern Europe", "Europe"], 34),
    (["Greece", "Southern Europe", "Europe"], 20),
    (["Spain", "Southern Europe", "Europe"], 12),
    (["Croatia", "Southern Europe", "Europe"], 18),
    (["Serbia", "Southern Europe", "Europe"], 16),
    (["Turkey", "Western Asia", "Asia"], 80),
    (["Syria", "Western Asia", "Asia"], 90),
    (["Iraq", "Western Asia", "Asia"], 28),
    (["Afghanistan", "Southern Asia", "Asia"], 34),
    (["Iran", "Southern Asia", "Asia"], 18),
    (["India", "Southern Asia", "Asia"], 20),
    (["Vietnam", "Eastern Asia", "Asia"], 60),
    (["China", "Eastern Asia", "Asia"], 14),
    (["Kazakhstan", "Central Asia", "Asia"], 40),
    (["Tunisia", "Northern Africa", "Africa"], 12),
    (["Morocco", "Northern Africa", "Africa"], 8),
    (["Eritrea", "Sub-Saharan Africa", "Africa"], 12),
    (["Nigeria", "Sub-Saharan Africa", "Africa"], 8),
    (["United States", "Northern America", "Americas"], 8),
    (["Brazil", "Latin America", "Americas"], 7),
];

/// First two digits of the postcode, weight, and foreign-born inhabitants as a percentage of the usual share.
pub(super) const REGIONS: [(u32, u32, u32); 7] =
    [(1, 640, 120), (2, 150, 60), (4, 80, 110), (9, 70, 75), (3, 40, 60), (6, 12, 80), (10, 8, 180)];

/// Weights of the ten districts (third digit) of a region, and of the delivery areas of a district.
pub(super) const DISTRICTS: [u32; 10] = [36, 20, 13, 9, 7, 5, 4, 3, 2, 1];
pub(super) const DELIVERY_AREAS: [u32; 12] = [20, 15, 12, 10, 9, 8, 7, 6, 5, 4, 2, 2];

/// Patients per five years of age: many newborns, few schoolchildren, then more and more up to 80.
pub(super) const AGES: [u32; 20] =
    [40, 15, 14, 25, 34, 42, 46, 44, 42, 46, 62, 76, 84, 88, 90, 92, 80, 45, 17, 4];

/// Given names of women and men born up to 1969, and of those born later.
#[rustfmt::skip]
pub(super) static GIVEN_NAMES: [[[&str; 14]; 2]; 2] = [
    [["Ursula", "Renate", "Monika", "Helga", "Karin", "Ingrid", "Brigitte", "Gisela", "Christa", "Erika", "Petra", "Sabine", "Elke", "Käthe"],
     ["Peter", "Klaus", "Wolfgang", "Jürgen", "Dieter", "Manfred", "Bernd", "Günter", "Horst", "Uwe", "Frank", "Rainer", "Gerhard", "Jörg"]],
    [["Anna", "Julia", "Sarah", "Katharina", "Lena", "Nicole", "Stefanie", "Laura", "Emma", "Mia", "Sophie", "Zoë", "Nadine", "Franziska"],
     ["Thomas", "Stefan", "Christian", "Daniel", "Jan", "Lukas", "Felix", "Tobias", "Paul", "Max", "Jonas", "Björn", "Marcel", "Florian"]],
];

/// Family names common among people born in the home country, and among others.
#[rustfmt::skip]
pub(super) static FAMILY_NAMES: [&[&str]; 2] = [
    &["Müller", "Schmidt", "Schneider", "Fischer", "Weber", "Meyer", "Wagner", "Becker", "Schulz", "Hoffmann", "Schäfer", "Koch",
      "Bauer", "Richter", "Klein", "Wolf", "Schröder", "Neumann", "Schwarz", "Zimmermann", "Braun", "Krüger", "Hofmann", "Hartmann",
      "Lange", "Schmitt", "Werner", "Krause", "Meier", "Lehmann", "Böhme", "Großmann"],
    &["Nowak", "Kowalski", "Wójcik", "Novák", "Svoboda", "Horváth", "Ivanova", "Petrov", "Shevchenko", "Popescu", "Dimitrov",
      "Kovačević", "Rossi", "Papadopoulos", "Yılmaz", "Demir", "Haddad", "Al-Sayed", "Rahimi", "Nguyen", "Tran", "Wang", "Singh",
      "Ben Ali", "O'Brien", "Silva"],
];
