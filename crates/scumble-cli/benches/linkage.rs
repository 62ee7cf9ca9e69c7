//! How long it takes to measure record linkage on 50,000 rows with seven perturbed columns, everybody looked for. The goal is at most 10 seconds.
//!
//! `cargo bench --bench linkage [-- ROWS]`. Noise of two sizes, since little noise is found at once and much noise rules little out.

use std::time::Instant;

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use scumble::risk::linkage::{NumberSide, Options, Public, Sides, measure};
use scumble_files::Control;

const COLUMNS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let rows: usize = rows.as_deref().unwrap_or("50000").parse()?;
    let mut chance = ChaCha20Rng::seed_from_u64(1);
    // Sums of uniform draws are near enough to normal ones.
    let mut draw = || -> f64 {
        let uniform = |_| (chance.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        (0..12).map(uniform).sum::<f64>() - 6.0
    };
    let mut known = vec![Vec::new(); COLUMNS];
    for _ in 0..rows {
        // Columns hang together, as measures of one person do.
        let size = draw();
        known.iter_mut().for_each(|column| column.push(Some(2.0 * size + draw())));
    }
    println!("| noise | rows | seconds | linked by the best attempt |");
    println!("|---|---|---|---|");
    for noise in [0.1, 0.5, 1.5] {
        let with_noise = |column: &Vec<Option<f64>>, draw: &mut dyn FnMut() -> f64| -> Vec<Option<f64>> {
            column.iter().map(|value| value.map(|value| value + noise * 5.0_f64.sqrt() * draw())).collect()
        };
        let shown: Vec<Vec<Option<f64>>> = known.iter().map(|column| with_noise(column, &mut draw)).collect();
        let numbers = known.iter().zip(&shown).map(|(known, shown)| NumberSide {
            name: "number",
            known,
            shown,
            public: Public::Nothing,
            swapped: None,
        });
        let groups = vec![0; rows];
        let sides = Sides { numbers: numbers.collect(), categories: Vec::new(), groups: &groups };
        let began = Instant::now();
        let linked = measure(&sides, &Options { people: usize::MAX, seed: 1 }, &Control::default())?;
        let best = linked.best().map_or(0.0, |best| best.right.value);
        println!("| {noise} | {rows} | {:.1} | {best:.4} |", began.elapsed().as_secs_f64());
    }
    Ok(())
}
