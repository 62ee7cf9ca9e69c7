//! How long each machine-learning model trains on Adult's 30,162 training rows with 14 attributes.
//!
//! `cargo bench -p scumble-learn --bench learn [-- NAME ...]`. It runs on one thread and reports the fastest of three rounds (of
//! one round if that takes more than five seconds), since timings are noisy.

#[path = "../tests/public/mod.rs"]
mod public;

use std::time::Instant;

use scumble_learn::{Settings, registry};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let Some([train, test]) = public::adult(false) else {
        println!("learn: skipped, no ../shared/data and no SCUMBLE_SHARED_DATA");
        return Ok(());
    };
    println!("| learner | seconds to train | seconds to predict {} rows | accuracy |", test.rows());
    println!("|---|---|---|---|");
    for entry in registry::LEARNERS {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == entry.name) {
            continue;
        }
        let learner = registry::build(entry.name, &Settings::default())?;
        let mut fastest = [f64::INFINITY; 2];
        let mut accuracy = 0.0;
        for _ in 0..3 {
            let started = Instant::now();
            let classifier = learner.train(&train, 1)?;
            fastest[0] = started.elapsed().as_secs_f64().min(fastest[0]);
            let started = Instant::now();
            accuracy = classifier.accuracy(&test);
            fastest[1] = started.elapsed().as_secs_f64().min(fastest[1]);
            if fastest[0] > 5.0 {
                break;
            }
        }
        println!("| {} | {:.3} | {:.3} | {accuracy:.4} |", entry.name, fastest[0], fastest[1]);
    }
    Ok(())
}
