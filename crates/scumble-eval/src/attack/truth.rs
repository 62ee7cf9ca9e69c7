//! Finds the true class of each person as far as possible: people who are known alike can be exchanged, and the sensitive values in the
//! rows show which exchanges are right.
//!
//! Attackers see no difference, since each class keeps its number of people of each kind. It matters when guesses are compared with the
//! truth.

use std::collections::BTreeMap;

use super::{Scene, Tally};

/// Returns the class of each person. People who are known alike exchange their places so that as many as possible are in a class with their
/// value.
pub(super) fn true_classes(scene: &Scene, secret: usize) -> Vec<Option<u32>> {
    let mut classes = scene.class_of_person.clone();
    let values = &scene.secrets[secret].of_person;
    // The frequencies of overlapping groups are no amounts that could be used up.
    let counts = |of: &Tally, rows: u64| of.total == rows;
    if !scene.classes.iter().all(|class| counts(&class.secrets[secret], class.rows)) {
        return classes;
    }
    let mut left: Vec<BTreeMap<u32, u64>> =
        scene.classes.iter().map(|class| class.secrets[secret].of_value.iter().copied().collect()).collect();
    let mut kinds: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for person in (0..scene.people).filter(|person| classes[*person].is_some()) {
        let key = scene.known.iter().map(|known| known.of_person[person]).collect();
        kinds.entry(key).or_default().push(person);
    }
    let different = |people: &[usize]| {
        let mut places: Vec<Option<u32>> =
            people.iter().map(|person| scene.class_of_person[*person]).collect();
        places.sort_unstable();
        places.dedup();
        places.len()
    };
    // Kinds of people with the fewest classes come first.
    let mut kinds: Vec<(usize, Vec<usize>)> =
        kinds.into_values().map(|people| (different(&people), people)).collect();
    kinds.sort_by_key(|(places, _)| *places);
    for (_, people) in kinds {
        let mut places: BTreeMap<u32, u64> = BTreeMap::new();
        people
            .iter()
            .filter_map(|person| scene.class_of_person[*person])
            .for_each(|class| *places.entry(class).or_default() += 1);
        let mut of_value: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        people.iter().for_each(|person| of_value.entry(values[*person]).or_default().push(*person));
        let room = |value: u32, places: &BTreeMap<u32, u64>, left: &[BTreeMap<u32, u64>]| -> u64 {
            let of_class = |(class, slots): (&u32, &u64)| {
                left[*class as usize].get(&value).map_or(0, |rows| *rows.min(slots))
            };
            places.iter().map(of_class).sum()
        };
        // Values with the least room come first, equal ones in their order.
        let mut order: Vec<(i128, u32)> = of_value
            .iter()
            .map(|(value, people)| (i128::from(room(*value, &places, &left)) - people.len() as i128, *value))
            .collect();
        order.sort_unstable();
        let mut homeless = Vec::new();
        for (_, value) in order {
            for person in &of_value[&value] {
                let fits = |class: &u32| left[*class as usize].get(&value).copied().unwrap_or(0);
                // The class with most of the value left is best, so that others find some, too.
                let best = places
                    .keys()
                    .copied()
                    .filter(|class| fits(class) > 0)
                    .max_by_key(|class| (fits(class), std::cmp::Reverse(*class)));
                let Some(class) = best else {
                    homeless.push(*person);
                    continue;
                };
                take(&mut places, class);
                take(&mut left[class as usize], value);
                classes[*person] = Some(class);
            }
        }
        for person in homeless {
            if let Some(class) = places.keys().next().copied() {
                take(&mut places, class);
                classes[person] = Some(class);
            }
        }
    }
    classes
}

/// Takes one away, and removes what is used up.
fn take(amounts: &mut BTreeMap<u32, u64>, of: u32) {
    if let Some(amount) = amounts.get_mut(&of) {
        *amount -= 1;
        if *amount == 0 {
            amounts.remove(&of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::planned::Staged;
    use super::*;

    const PLAN: &str = r#"
        input = "a.csv"
        output = "b.csv"
        [columns.age]
        role = "quasi"
        [columns.illness]
        role = "sensitive"
    "#;

    #[test]
    fn people_who_are_known_alike_take_the_rows_that_have_their_value() {
        // Both people are 30 and fit both rows. Only their values show who is where, whatever the order of rows.
        for original in ["age,illness\n30,flu\n30,cold", "age,illness\n30,cold\n30,flu"] {
            let staged = Staged::written(PLAN, original, "age,illness\n{20|30},cold\n30,flu");
            let scene = &staged.scene;
            assert_eq!(scene.ambiguous, 2);
            for (person, class) in true_classes(scene, 0).iter().enumerate() {
                let class = &scene.classes[class.expect("a place") as usize];
                assert_eq!(class.secrets[0].of(scene.secrets[0].of_person[person]), 1);
            }
        }
    }

    #[test]
    fn classes_keep_their_kinds_and_nobody_loses_a_place() {
        // Nobody of the release has gout, so a person who has it takes the row that is left over.
        let staged = Staged::written(
            PLAN,
            "age,illness\n30,flu\n30,gout\n40,flu",
            "age,illness\n{30|40},flu\n30,flu\n{30|40},flu",
        );
        let scene = &staged.scene;
        let sorted = |classes: Vec<Option<u32>>| {
            let mut places: Vec<(u32, Option<u32>)> =
                scene.known[0].of_person.iter().copied().zip(classes).collect();
            places.sort_unstable();
            places
        };
        assert_eq!(sorted(true_classes(scene, 0)), sorted(scene.class_of_person.clone()));
        assert!(scene.class_of_person.iter().all(Option::is_some));
    }
}
