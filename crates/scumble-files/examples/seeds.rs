//! Writes the files that the fuzzers of Parquet and Arrow start from, whole and damaged: `cargo run --example seeds FOLDER`.

#[path = "../tests/common/broken.rs"]
#[allow(clippy::unwrap_used)]
mod broken;

use std::path::PathBuf;

use broken::{Dice, damage, files};

fn main() -> std::io::Result<()> {
    let Some(seeds) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: seeds FOLDER");
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    let mut dice = Dice(16);
    for (what, whole) in files() {
        let (format, _) = what.split_once(' ').unwrap_or((what, ""));
        let folder = seeds.join(if format == "stream" { "arrow" } else { format });
        std::fs::create_dir_all(&folder)?;
        let name = what.replace(' ', "-");
        std::fs::write(folder.join(&name), &whole)?;
        for number in 0..3 {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut dice);
            std::fs::write(folder.join(format!("{name}-damaged-{number}")), &bytes)?;
        }
    }
    Ok(())
}
