//! How well people are linked on Abalone with seven perturbed columns, all known to the attacker: the tables of transforms.md 2.1 and 2.4, where
//! noise and partners are drawn here. Skipped, and says so, where the public tables are not there.

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use scumble::risk::linkage::{Attempt, Linked, NumberSide, Options, Public, Sides, Span, Swapped, measure};
use scumble_files::Control;

const COLUMNS: usize = 7;
const SEEDS: u64 = 2;

/// The seven measures of Abalone, row by row.
fn abalone() -> Option<Vec<[f64; COLUMNS]>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let shared = std::env::var_os("SCUMBLE_SHARED_DATA")
        .map_or_else(|| std::path::Path::new(root).join("../shared/data"), Into::into);
    let text = std::fs::read_to_string(shared.join("abalone/abalone.csv")).ok()?;
    let row = |line: &str| {
        let mut cells = line.split(',').skip(1).map(|cell| cell.parse().expect("a number"));
        std::array::from_fn(|_| cells.next().expect("a cell"))
    };
    Some(text.lines().skip(1).map(row).collect())
}

/// Draws from the standard normal distribution (Box and Muller).
struct Normal(ChaCha20Rng);

impl Normal {
    fn draw(&mut self) -> f64 {
        let mut uniform = || (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let (radius, angle) = (1.0 - uniform(), uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

fn means(rows: &[[f64; COLUMNS]]) -> [f64; COLUMNS] {
    std::array::from_fn(|column| rows.iter().map(|row| row[column]).sum::<f64>() / rows.len() as f64)
}

fn covariance(rows: &[[f64; COLUMNS]]) -> [[f64; COLUMNS]; COLUMNS] {
    let means = means(rows);
    let of = |left: usize, right: usize| {
        rows.iter().map(|row| (row[left] - means[left]) * (row[right] - means[right])).sum::<f64>()
            / (rows.len() - 1) as f64
    };
    std::array::from_fn(|left| std::array::from_fn(|right| of(left, right)))
}

fn cholesky(of: &[[f64; COLUMNS]; COLUMNS]) -> [[f64; COLUMNS]; COLUMNS] {
    let mut factor = [[0.0; COLUMNS]; COLUMNS];
    for row in 0..COLUMNS {
        for column in 0..=row {
            let known: f64 = (0..column).map(|at| factor[row][at] * factor[column][at]).sum();
            let left = of[row][column] - known;
            factor[row][column] = if row == column { left.sqrt() } else { left / factor[column][column] };
        }
    }
    factor
}

fn linked(
    rows: &[[f64; COLUMNS]],
    shown: &[[f64; COLUMNS]],
    public: &dyn Fn(usize) -> Public,
    spans: Option<&[Span]>,
) -> Linked {
    let column = |rows: &[[f64; COLUMNS]], column: usize| -> Vec<Option<f64>> {
        rows.iter().map(|row| Some(row[column])).collect()
    };
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let sides: Vec<_> =
        (0..COLUMNS).map(|at| (names[at], column(rows, at), column(shown, at), public(at))).collect();
    let numbers = sides.iter().map(|(name, known, shown, public)| NumberSide {
        name,
        known,
        shown,
        public: *public,
        swapped: spans.map(|spans| Swapped { strata: None, spans }),
    });
    let groups = vec![0; rows.len()];
    let sides = Sides { numbers: numbers.collect(), categories: Vec::new(), groups: &groups };
    measure(&sides, &Options { people: usize::MAX, seed: 1 }, &Control::default()).expect("a measurement")
}

/// The larger of both directions, by the usual and by the matched distance.
fn found(linked: &Linked) -> [f64; 2] {
    let of = |attempt| linked.of(attempt).expect("an attempt").value;
    [
        of(Attempt::RowsToPeople).max(of(Attempt::PeopleToRows)),
        of(Attempt::MatchedRowsToPeople).max(of(Attempt::MatchedPeopleToRows)),
    ]
}

fn near(what: &str, results: &[Linked], wanted: [f64; 2], correlation: f64) {
    for (at, wanted) in wanted.into_iter().enumerate() {
        let share = results.iter().map(|linked| found(linked)[at]).sum::<f64>() / results.len() as f64;
        assert!((share - wanted).abs() <= 0.02, "{what}: {share} for {wanted}");
    }
    let change = |linked: &Linked| {
        let most = linked.changes.correlation.as_ref().expect("a correlation");
        (most.after - most.before).abs()
    };
    let changed = results.iter().map(change).sum::<f64>() / results.len() as f64;
    assert!((changed - correlation).abs() <= 0.02, "{what}: correlations change by {changed}");
}

/// Exchanges values between ranks that are no further apart than the span; chance orders equal values.
fn swapped(rows: &[[f64; COLUMNS]], span: usize, chance: &mut ChaCha20Rng) -> Vec<[f64; COLUMNS]> {
    let mut shown = rows.to_vec();
    for column in 0..COLUMNS {
        let mut order: Vec<(f64, u64, usize)> =
            rows.iter().enumerate().map(|(row, of)| (of[column], chance.next_u64(), row)).collect();
        order.sort_by(|left, right| left.0.total_cmp(&right.0).then(left.1.cmp(&right.1)));
        let mut used = vec![false; rows.len()];
        for rank in 0..order.len() {
            let free: Vec<usize> =
                (rank + 1..=rank + span).filter(|other| used.get(*other) == Some(&false)).collect();
            if used[rank] || free.is_empty() {
                continue;
            }
            let other = free[(chance.next_u64() % free.len() as u64) as usize];
            (used[rank], used[other]) = (true, true);
            shown[order[rank].2][column] = order[other].0;
            shown[order[other].2][column] = order[rank].0;
        }
    }
    shown
}

#[test]
fn swapped_ranks_on_abalone_are_linked_as_often_as_specified() {
    let Some(rows) = abalone() else {
        eprintln!(
            "swapped_ranks_on_abalone_are_linked_as_often_as_specified: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA"
        );
        return;
    };
    for (percent, wanted, correlation, alone) in [
        (2, [0.775, 0.472], 0.015, 0.718),
        (5, [0.369, 0.098], 0.035, 0.197),
        (10, [0.081, 0.017], 0.084, 0.013),
    ] {
        let span = percent * rows.len() / 100;
        let spans = [Span { ranks: span as u64, bottom: 0, top: 0 }];
        let of_seed = |seed| {
            let shown = swapped(&rows, span, &mut ChaCha20Rng::seed_from_u64(seed));
            linked(&rows, &shown, &|_| Public::Nothing, Some(&spans))
        };
        let results: Vec<Linked> = (0..SEEDS).map(of_seed).collect();
        near(&format!("swapped ranks with P = {percent}"), &results, wanted, correlation);
        let window = |linked: &Linked| {
            let window = linked.found.iter().find(|found| found.attempt == Attempt::Window);
            window.expect("the window").alone.value
        };
        let share = results.iter().map(window).sum::<f64>() / results.len() as f64;
        assert!((share - alone).abs() <= 0.03, "P = {percent}: {share} for {alone}");
    }
}

#[test]
fn noise_on_abalone_is_linked_as_often_as_specified() {
    let Some(rows) = abalone() else {
        eprintln!(
            "noise_on_abalone_is_linked_as_often_as_specified: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA"
        );
        return;
    };
    let (means, covariance) = (means(&rows), covariance(&rows));
    let factor = cholesky(&covariance);
    let drawn = |seed: u64| Normal(ChaCha20Rng::seed_from_u64(seed));
    for (noise, wanted, correlation) in
        [(0.10, [0.515, 0.183], 0.011), (0.25, [0.118, 0.031], 0.059), (0.50, [0.029, 0.008], 0.199)]
    {
        let of_seed = |seed| {
            let mut normal = drawn(seed);
            let mut shown = rows.clone();
            for row in &mut shown {
                for (column, value) in row.iter_mut().enumerate() {
                    *value += noise * covariance[column][column].sqrt() * normal.draw();
                }
            }
            linked(&rows, &shown, &|_| Public::Nothing, None)
        };
        let results: Vec<Linked> = (0..SEEDS).map(of_seed).collect();
        near(&format!("noise {noise}"), &results, wanted, correlation);
    }
    for (d, wanted, correlation) in
        [(0.05_f64, [0.226, 0.622], 0.002), (0.25, [0.052, 0.194], 0.005), (1.0, [0.010, 0.050], 0.008)]
    {
        let of_seed = |seed| {
            let mut normal = drawn(seed);
            let shrunk = (1.0 + d).sqrt();
            let mut shown = rows.clone();
            for row in &mut shown {
                let independent: [f64; COLUMNS] = std::array::from_fn(|_| normal.draw());
                for (column, value) in row.iter_mut().enumerate() {
                    let noise: f64 =
                        factor[column].iter().zip(&independent).map(|(factor, noise)| factor * noise).sum();
                    *value = (*value + d.sqrt() * noise) / shrunk + (1.0 - 1.0 / shrunk) * means[column];
                }
            }
            linked(&rows, &shown, &|column| Public::Kim { mean: means[column], d }, None)
        };
        let results: Vec<Linked> = (0..SEEDS).map(of_seed).collect();
        near(&format!("Kim's noise with d = {d}"), &results, wanted, correlation);
    }
}
