//! The patients of the clinic: age, sex, home, family, work and insurance, each depending on the ones before.

use super::dice::{Dice, Wheel};
use super::tables::{
    ACTIVITIES, ACTIVITY_AGES, AGES, Activity, COUNTRIES, Cover, DELIVERY_AREAS, DISTRICTS, EDUCATION,
    FAMILY_NAMES, GIVEN_NAMES, INSURANCE, JOBS, MARITAL, MARITAL_AGES, PUBLIC_SERVICE, Path, REGIONS, Stage,
};

/// Sex as the clinic records it; the discriminant is the position in tables by sex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sex {
    Female = 0,
    Male = 1,
}

/// One patient at the time of admission. Days are counted from 1970-01-01.
pub(super) struct Person {
    pub(super) given_name: &'static str,
    pub(super) family_name: &'static str,
    pub(super) birth: i32,
    pub(super) admission: i32,
    /// Completed years at admission.
    pub(super) age: u32,
    pub(super) sex: Sex,
    pub(super) postcode: u32,
    pub(super) occupation: &'static Path,
    pub(super) education: &'static Path,
    /// The level of education: 0 none, 1 vocational, 2 university.
    pub(super) qualification: usize,
    pub(super) marital: &'static Path,
    pub(super) country: &'static Path,
    pub(super) insurance: &'static Path,
    pub(super) smoker: bool,
}

/// 2023-01-01, a Sunday; the table covers this year and the next.
const FIRST_DAY: i32 = 19_358;
const DAYS: i32 = 365 + 366;

/// 1970-01-01: people born from this day on have the younger generation's given names.
const YOUNGER_GENERATION: i32 = 0;

/// Returns the band of `age`, given the bands' inclusive upper ends. The last band has no limit.
pub(super) fn band(upper_ends: &[u32], age: u32) -> usize {
    upper_ends.partition_point(|&end| end < age)
}

/// The catchment area of the clinic: all wheels from which a person is drawn.
pub(super) struct Population {
    admission: Wheel,
    age: Wheel,
    region: Wheel,
    district: Wheel,
    delivery_area: Wheel,
    abroad: Wheel,
    /// By sex, then age band.
    activity: [Vec<Wheel>; 2],
    marital: [Vec<Wheel>; 2],
    /// By sex, then qualification.
    job: [Vec<Wheel>; 2],
    /// By [`Stage`] and by [`Cover`].
    education: Vec<Wheel>,
    insurance: Vec<Wheel>,
}

impl Population {
    pub(super) fn new() -> Self {
        let activity = [
            wheels(ACTIVITY_AGES.len(), |age| ACTIVITIES.iter().map(move |row| row.2[age])),
            wheels(ACTIVITY_AGES.len(), |age| ACTIVITIES.iter().map(move |row| row.3[age])),
        ];
        let marital = [
            wheels(MARITAL_AGES.len(), |age| MARITAL.iter().map(move |row| row.1[age])),
            wheels(MARITAL_AGES.len(), |age| MARITAL.iter().map(move |row| row.2[age])),
        ];
        let job = [
            wheels(3, |level| JOBS.iter().map(move |&(_, weights, women)| weights[level] * women)),
            wheels(3, |level| JOBS.iter().map(move |&(_, weights, women)| weights[level] * (100 - women))),
        ];
        Self {
            admission: Wheel::new((0..DAYS).map(admissions_on)),
            age: Wheel::new(AGES),
            region: Wheel::new(REGIONS.map(|region| region.1)),
            district: Wheel::new(DISTRICTS),
            delivery_area: Wheel::new(DELIVERY_AREAS),
            abroad: Wheel::new(COUNTRIES.map(|country| country.1)),
            activity,
            marital,
            job,
            education: wheels(10, |stage| EDUCATION.iter().map(move |row| row.2[stage])),
            insurance: wheels(6, |cover| INSURANCE.iter().map(move |row| row.1[cover])),
        }
    }

    pub(super) fn draw(&self, dice: &mut Dice) -> Person {
        let admission = FIRST_DAY + self.admission.spin(dice) as i32;
        let age = 5 * self.age.spin(dice) as u32 + dice.below(5);
        // At least one day and at most 364 days after the birthday, so that leap days never change the age.
        let birth = admission - (age * 1461 / 4) as i32 - 1 - dice.below(364) as i32;
        let sex = sex(age, dice);
        let (postcode, foreign_percent) = self.home(dice);
        let foreign = dice.chance(foreign_born(age) * foreign_percent / 100);
        let country = &COUNTRIES[if foreign { self.abroad.spin(dice) } else { 0 }].0;
        let activity_row = &ACTIVITIES[self.activity[sex as usize][band(&ACTIVITY_AGES, age)].spin(dice)];
        let activity = activity_row.0;
        let (education, qualification, _) =
            &EDUCATION[self.education[stage(activity, age) as usize].spin(dice)];
        let occupation = match activity {
            Activity::Working => &JOBS[self.job[sex as usize][*qualification].spin(dice)].0,
            _ => &activity_row.1,
        };
        let marital = &MARITAL[self.marital[sex as usize][band(&MARITAL_AGES, age)].spin(dice)].0;
        let cover = cover(activity, occupation, *qualification);
        let insurance = &INSURANCE[self.insurance[cover as usize].spin(dice)].0;
        let smoker = dice.chance(smokers(age, sex, *qualification));
        let generation = usize::from(birth >= YOUNGER_GENERATION);
        Person {
            given_name: dice.pick(&GIVEN_NAMES[generation][sex as usize]),
            family_name: dice.pick(FAMILY_NAMES[usize::from(foreign)]),
            birth,
            admission,
            age,
            sex,
            postcode,
            occupation,
            education,
            qualification: *qualification,
            marital,
            country,
            insurance,
            smoker,
        }
    }

    /// Draws a postcode, and the share of foreign-born people in its region as a percentage of the usual share.
    fn home(&self, dice: &mut Dice) -> (u32, u32) {
        let (prefix, _, foreign_percent) = REGIONS[self.region.spin(dice)];
        // The prefix is added so that not every region has its large districts at the same digit.
        let district = (self.district.spin(dice) as u32 + prefix) % 10;
        let area = self.delivery_area.spin(dice) as u32 * 8 + district + 1;
        (prefix * 1000 + district * 100 + area, foreign_percent)
    }
}

/// Makes one wheel for each column of a table of weights.
fn wheels<I: IntoIterator<Item = u32>>(columns: usize, column: impl Fn(usize) -> I) -> Vec<Wheel> {
    (0..columns).map(|i| Wheel::new(column(i))).collect()
}

/// Returns the weight of a day: fewer admissions at the weekend (day 0 is a Sunday) and in summer, more in winter.
fn admissions_on(day: i32) -> u32 {
    let week = if matches!(day % 7, 0 | 6) { 55 } else { 100 };
    let season = match day % 365 {
        0..=75 | 320.. => 112,
        180..=245 => 86,
        _ => 100,
    };
    week * season
}

/// Draws a sex: women are admitted more often in the years of childbirth, and outlive men.
fn sex(age: u32, dice: &mut Dice) -> Sex {
    let women = match age {
        0..=14 => 460,
        15..=19 => 540,
        20..=39 => 620,
        40..=79 => 480,
        _ => 600,
    };
    if dice.chance(women) { Sex::Female } else { Sex::Male }
}

/// Returns the number of foreign-born people per mille.
fn foreign_born(age: u32) -> u32 {
    match age {
        0..=14 => 40,
        15..=24 => 130,
        25..=44 => 200,
        45..=64 => 110,
        _ => 45,
    }
}

fn stage(activity: Activity, age: u32) -> Stage {
    match (activity, age) {
        (Activity::Preschool, _) => Stage::Preschool,
        (Activity::Pupil, ..=9) => Stage::PrimaryPupil,
        (Activity::Pupil, _) => Stage::SecondaryPupil,
        (Activity::Apprentice, _) => Stage::Apprentice,
        (Activity::Student, ..=21) => Stage::YoungStudent,
        (Activity::Student, _) => Stage::OlderStudent,
        // Those under 19 had no time for more than school.
        (_, ..=18) => Stage::Apprentice,
        (_, 19..=24) => Stage::Under25,
        (_, 25..=34) => Stage::Under35,
        (_, 35..=64) => Stage::Under65,
        _ => Stage::Older,
    }
}

fn cover(activity: Activity, occupation: &Path, qualification: usize) -> Cover {
    match activity {
        Activity::Preschool | Activity::Pupil | Activity::Student | Activity::Homemaker => Cover::Dependent,
        Activity::Unemployed | Activity::UnableToWork => Cover::OutOfWork,
        Activity::Working if occupation[1] == PUBLIC_SERVICE => Cover::PublicServant,
        Activity::Working | Activity::Retired if qualification == 2 => Cover::Graduate,
        Activity::Working | Activity::Apprentice => Cover::Employee,
        Activity::Retired => Cover::Pensioner,
    }
}

/// Returns the number of smokers per mille: more men, fewer graduates, none among children, few among the very old.
fn smokers(age: u32, sex: Sex, qualification: usize) -> u32 {
    let by_age = match age {
        0..=15 => 0,
        16..=24 => 280,
        25..=54 => 340,
        55..=69 => 250,
        _ => 110,
    };
    let sex_percent = if sex == Sex::Male { 115 } else { 85 };
    by_age * sex_percent * [130, 105, 55][qualification] / 10_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_end_inclusively() {
        let ends = [5, 15, u32::MAX];
        assert_eq!([0, 5, 6, 15, 16, 99].map(|age| band(&ends, age)), [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn the_clinic_is_quieter_at_weekends_and_in_summer() {
        // Day 0 is Sunday 1 January, day 2 a Tuesday; day 200 is a Thursday in July.
        assert_eq!(admissions_on(0), 55 * 112);
        assert_eq!(admissions_on(2), 100 * 112);
        assert_eq!(admissions_on(200), 100 * 86);
    }

    #[test]
    fn small_children_neither_smoke_nor_work() {
        let population = Population::new();
        let mut dice = Dice::new(5, 0);
        let children: Vec<Person> =
            (0..5000).map(|_| population.draw(&mut dice)).filter(|person| person.age < 6).collect();
        assert!(children.len() > 50);
        for child in children {
            assert!(!child.smoker);
            assert_eq!(child.occupation[0], "preschool child");
            assert_eq!(child.education[0], "not at school yet");
        }
    }
}
