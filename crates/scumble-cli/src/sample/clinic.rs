//! What happens to a patient in the clinic: diagnosis, length of stay, readmission.

use super::dice::{Dice, Wheel};
use super::people::{Person, Sex, band};
use super::tables::Path;

/// Upper ends of the age bands of [`DIAGNOSES`].
const DIAGNOSIS_AGES: [u32; 5] = [17, 44, 64, 79, u32::MAX];

/// A diagnosis, the reason for admission.
pub(super) struct Diagnosis {
    /// Code, block, chapter.
    pub(super) path: Path,
    /// Weight by age band.
    ages: [u32; 5],
    /// The number of women in a hundred patients of equal age; 0 or 100 if only one sex can have it.
    women: u32,
    /// Weight among smokers, in percent of the others'.
    smokers: u32,
    /// Readmissions per mille before age, smoking and education are counted.
    readmitted: u32,
    /// Mean length of stay in days.
    days: u32,
}

/// One admission.
pub(super) struct Stay {
    pub(super) diagnosis: &'static Diagnosis,
    pub(super) days: u32,
    pub(super) readmitted: bool,
}

/// The wheels of fortune for diagnoses, by age band, sex and smoking.
pub(super) struct Clinic {
    diagnoses: Vec<[[Wheel; 2]; 2]>,
}

impl Clinic {
    pub(super) fn new() -> Self {
        let wheel = |age: usize, sex: Sex, smoker: bool| {
            Wheel::new(DIAGNOSES.iter().map(|d| {
                let share = if sex == Sex::Female { d.women } else { 100 - d.women };
                d.ages[age] * share * if smoker { d.smokers } else { 100 }
            }))
        };
        let by_sex = |age, sex| [wheel(age, sex, false), wheel(age, sex, true)];
        let diagnoses =
            (0..DIAGNOSIS_AGES.len()).map(|age| [by_sex(age, Sex::Female), by_sex(age, Sex::Male)]).collect();
        Self { diagnoses }
    }

    pub(super) fn admit(&self, person: &Person, dice: &mut Dice) -> Stay {
        let wheels = &self.diagnoses[band(&DIAGNOSIS_AGES, person.age)];
        let wheel = &wheels[person.sex as usize][usize::from(person.smoker)];
        let diagnosis = &DIAGNOSES[wheel.spin(dice)];
        let days = days(diagnosis, person.age, dice);
        let readmitted = dice.chance(readmission(diagnosis, person));
        Stay { diagnosis, days, readmitted }
    }
}

/// Draws the days of a stay from the product of two uniform numbers: most stays are short, a few are very long. Old people stay longer.
fn days(diagnosis: &Diagnosis, age: u32, dice: &mut Dice) -> u32 {
    let mean = diagnosis.days * (80 + age / 2); // hundredths of a day
    let spread = dice.below(201) * dice.below(201); // mean 10,000
    1 + (mean.saturating_sub(100) * (spread / 100)).div_ceil(10_000)
}

/// Returns readmissions per mille: the diagnosis matters most; age and smoking add, education subtracts.
fn readmission(diagnosis: &Diagnosis, person: &Person) -> u32 {
    const BY_AGE: [i32; 5] = [-120, -90, -10, 110, 210];
    const BY_QUALIFICATION: [i32; 3] = [90, 0, -150];
    let points = diagnosis.readmitted as i32
        + BY_AGE[band(&DIAGNOSIS_AGES, person.age)]
        + BY_QUALIFICATION[person.qualification]
        + if person.smoker { 110 } else { 0 };
    points.clamp(10, 950) as u32
}

const fn icd(path: Path, ages: [u32; 5], women: u32, smokers: u32, stay: [u32; 2]) -> Diagnosis {
    Diagnosis { path, ages, women, smokers, readmitted: stay[0], days: stay[1] }
}

/// Diagnoses as code, block and chapter of ICD-10; weights by age; women in a hundred; smokers in percent;
/// readmissions per mille and mean days.
#[rustfmt::skip]
pub(super) static DIAGNOSES: [Diagnosis; 66] = [
    icd(["A09.9", "A00-A09", "infections"],                [130, 30, 20, 24, 30], 51, 100, [90, 4]),
    icd(["A41.9", "A30-A49", "infections"],                [4, 6, 18, 40, 60],    46, 110, [420, 14]),
    icd(["B34.9", "B25-B34", "infections"],                [70, 10, 4, 4, 4],     49, 100, [60, 3]),
    icd(["C18.7", "C15-C26", "neoplasms"],                 [0, 3, 26, 36, 28],    45, 120, [560, 12]),
    icd(["C25.0", "C15-C26", "neoplasms"],                 [0, 1, 12, 18, 12],    49, 160, [680, 13]),
    icd(["C34.1", "C30-C39", "neoplasms"],                 [0, 1, 34, 44, 14],    38, 700, [620, 9]),
    icd(["C50.4", "C50", "neoplasms"],                     [0, 14, 50, 40, 24],   99, 110, [430, 6]),
    icd(["C61", "C60-C63", "neoplasms"],                   [0, 0, 40, 66, 24],    0, 105,  [300, 7]),
    icd(["C67.9", "C64-C68", "neoplasms"],                 [0, 1, 18, 36, 28],    25, 300, [540, 6]),
    icd(["C83.3", "C81-C96", "neoplasms"],                 [4, 6, 12, 18, 12],    45, 100, [720, 10]),
    icd(["D12.6", "D10-D36", "neoplasms"],                 [0, 4, 30, 34, 12],    43, 120, [80, 3]),
    icd(["D25.9", "D10-D36", "neoplasms"],                 [0, 24, 40, 2, 0],     100, 90, [50, 4]),
    icd(["D50.9", "D50-D53", "blood"],                     [4, 10, 10, 18, 28],   62, 100, [320, 5]),
    icd(["D64.9", "D60-D64", "blood"],                     [2, 3, 6, 14, 22],     53, 105, [420, 5]),
    icd(["E10.9", "E10-E14", "metabolism"],                [26, 20, 8, 2, 1],     47, 100, [300, 7]),
    icd(["E11.5", "E10-E14", "metabolism"],                [0, 1, 26, 44, 28],    33, 190, [580, 13]),
    icd(["E11.9", "E10-E14", "metabolism"],                [0, 4, 26, 34, 26],    47, 120, [340, 7]),
    icd(["E86", "E70-E90", "metabolism"],                  [16, 3, 6, 26, 76],    62, 95,  [330, 5]),
    icd(["F10.0", "F10-F19", "mental disorders"],          [4, 46, 34, 6, 1],     28, 260, [340, 2]),
    icd(["F10.2", "F10-F19", "mental disorders"],          [0, 40, 60, 12, 1],    26, 320, [620, 11]),
    icd(["F20.0", "F20-F29", "mental disorders"],          [0, 34, 20, 5, 2],     44, 260, [540, 26]),
    icd(["F32.2", "F30-F39", "mental disorders"],          [6, 44, 40, 14, 8],    60, 140, [300, 28]),
    icd(["F33.1", "F30-F39", "mental disorders"],          [2, 34, 40, 12, 5],    66, 140, [380, 27]),
    icd(["F43.2", "F40-F48", "mental disorders"],          [14, 36, 20, 5, 3],    60, 130, [190, 12]),
    icd(["G20.1", "G20-G26", "nervous system"],            [0, 0, 8, 32, 26],     40, 60,  [430, 12]),
    icd(["G40.9", "G40-G47", "nervous system"],            [40, 24, 22, 22, 20],  45, 100, [340, 5]),
    icd(["G43.1", "G40-G47", "nervous system"],            [6, 22, 9, 2, 1],      70, 100, [130, 3]),
    icd(["G45.9", "G40-G47", "nervous system"],            [0, 2, 20, 36, 36],    49, 150, [220, 4]),
    icd(["H25.1", "H25-H28", "eye"],                       [0, 0, 9, 34, 34],     58, 120, [50, 2]),
    icd(["H66.9", "H65-H75", "ear"],                       [34, 5, 2, 1, 1],      47, 110, [70, 3]),
    icd(["I10.0", "I10-I15", "circulatory system"],        [0, 8, 34, 50, 66],    65, 110, [180, 4]),
    icd(["I20.0", "I20-I25", "circulatory system"],        [0, 3, 44, 58, 40],    36, 200, [390, 4]),
    icd(["I21.1", "I20-I25", "circulatory system"],        [0, 4, 34, 26, 16],    28, 320, [410, 7]),
    icd(["I21.4", "I20-I25", "circulatory system"],        [0, 3, 48, 64, 60],    35, 250, [440, 7]),
    icd(["I25.1", "I20-I25", "circulatory system"],        [0, 2, 54, 76, 34],    28, 210, [370, 4]),
    icd(["I48.0", "I30-I52", "circulatory system"],        [0, 5, 46, 78, 60],    45, 110, [360, 4]),
    icd(["I50.1", "I30-I52", "circulatory system"],        [1, 3, 42, 130, 210],  50, 150, [640, 10]),
    icd(["I63.5", "I60-I69", "circulatory system"],        [0, 4, 40, 74, 90],    48, 200, [310, 12]),
    icd(["I70.2", "I70-I79", "circulatory system"],        [0, 1, 40, 64, 30],    33, 480, [570, 9]),
    icd(["I83.9", "I80-I89", "circulatory system"],        [0, 14, 24, 12, 2],    66, 90,  [40, 2]),
    icd(["J06.9", "J00-J06", "respiratory system"],        [90, 12, 4, 5, 5],     48, 130, [60, 3]),
    icd(["J18.9", "J09-J18", "respiratory system"],        [50, 14, 30, 60, 100], 44, 170, [350, 9]),
    icd(["J20.9", "J20-J22", "respiratory system"],        [80, 6, 8, 14, 20],    46, 200, [140, 4]),
    icd(["J35.0", "J30-J39", "respiratory system"],        [80, 50, 6, 1, 0],     52, 130, [70, 5]),
    icd(["J44.1", "J40-J47", "respiratory system"],        [0, 2, 44, 90, 56],    45, 900, [590, 8]),
    icd(["J45.0", "J40-J47", "respiratory system"],        [30, 10, 6, 4, 2],     50, 150, [260, 4]),
    icd(["K21.0", "K20-K31", "digestive system"],          [6, 16, 24, 20, 14],   52, 130, [120, 3]),
    icd(["K35.8", "K35-K38", "digestive system"],          [60, 50, 14, 6, 3],    46, 100, [50, 4]),
    icd(["K40.9", "K40-K46", "digestive system"],          [24, 20, 44, 46, 18],  11, 110, [40, 2]),
    icd(["K56.7", "K55-K64", "digestive system"],          [4, 5, 12, 22, 26],    52, 110, [330, 7]),
    icd(["K57.3", "K55-K64", "digestive system"],          [0, 8, 36, 40, 32],    58, 120, [280, 6]),
    icd(["K70.3", "K70-K77", "digestive system"],          [0, 5, 40, 20, 3],     29, 230, [690, 10]),
    icd(["K80.2", "K80-K87", "digestive system"],          [2, 44, 60, 44, 26],   62, 110, [90, 5]),
    icd(["L03.1", "L00-L08", "skin"],                      [10, 16, 24, 28, 28],  42, 140, [240, 6]),
    icd(["M16.1", "M15-M19", "bones and muscles"],         [0, 2, 52, 78, 28],    57, 80,  [70, 9]),
    icd(["M17.1", "M15-M19", "bones and muscles"],         [0, 2, 56, 86, 20],    62, 75,  [70, 9]),
    icd(["M51.2", "M50-M54", "bones and muscles"],         [0, 34, 46, 20, 6],    46, 140, [180, 6]),
    icd(["M54.5", "M50-M54", "bones and muscles"],         [2, 22, 34, 28, 26],   57, 130, [210, 5]),
    icd(["N18.5", "N17-N19", "urinary and genital"],       [1, 5, 20, 34, 36],    43, 140, [740, 8]),
    icd(["N20.1", "N20-N23", "urinary and genital"],       [2, 36, 46, 24, 8],    31, 110, [290, 3]),
    icd(["N39.0", "N30-N39", "urinary and genital"],       [26, 14, 12, 30, 70],  68, 95,  [260, 6]),
    icd(["N40", "N40-N51", "urinary and genital"],         [0, 0, 34, 60, 30],    0, 90,   [130, 5]),
    icd(["O80", "O80-O84", "pregnancy and birth"],         [0, 260, 0, 0, 0],     100, 70, [30, 3]),
    icd(["O82", "O80-O84", "pregnancy and birth"],         [0, 110, 0, 0, 0],     100, 80, [60, 5]),
    icd(["S06.0", "S00-S09", "injuries"],                  [110, 40, 20, 20, 40], 46, 120, [70, 2]),
    icd(["S72.0", "S70-S79", "injuries"],                  [3, 2, 10, 40, 120],   70, 130, [270, 15]),
];
