//! Algorithms that blank single cells: what they say they blanked is what a reader sees.

use proptest::prelude::*;
use scumble::config::StarPolicy;

use crate::common::demand::Demand;
use crate::common::naive::{Strings, is_star};
use crate::common::run::{Ask, Written, release};
use crate::common::seeded;
use crate::common::table::{all_kinds, tables_of};

fn finding(written: &Written, name: &str) -> u64 {
    let finding = written.summary.findings.iter().find(|finding| finding.name == name);
    finding.and_then(|finding| finding.value).expect("a figure") as u64
}

proptest! {
    #![proptest_config(seeded(7, 120))]

    #[test]
    fn blanks_are_counted_right_and_are_values_of_their_own(
        table in tables_of(all_kinds(false), true),
        k in 1..6_usize,
        strict in any::<bool>(),
    ) {
        let policy = if strict { StarPolicy::Strict } else { StarPolicy::Paper };
        let ask = Ask { policy, ..Ask::new("local_suppression", &[Demand::K(k as i128)]) };
        let Ok(written) = release(&table, &ask) else { return Ok(()) };
        let strings = Strings::parse(&written.text);
        let (mut cells, mut rows) = (0, 0);
        for (shown, members) in strings.classes(&table.quasi()) {
            let blanks = shown.iter().filter(|text| **text == "*").count();
            cells += blanks * members.len();
            rows += usize::from(blanks > 0) * members.len();
            prop_assert!(members.len() >= k || (is_star(&shown) && !strict), "{} rows show {:?}", members.len(), shown);
        }
        prop_assert_eq!(finding(&written, "blanked_cells"), cells as u64);
        prop_assert_eq!(finding(&written, "rows_with_blanks"), rows as u64);
    }

    #[test]
    fn mu_argus_needs_no_help_where_whole_rows_are_combinations(
        table in tables_of(all_kinds(true), true),
        k in 1..6_i128,
    ) {
        prop_assume!(table.kinds.len() <= 3);
        let ask = Ask { parameters: vec![("threshold", "0.5")], ..Ask::new("mu_argus", &[Demand::K(k)]) };
        if let Ok(written) = release(&table, &ask) {
            prop_assert_eq!(finding(&written, "left_rare"), 0);
        }
    }
}
