//! Temporary timing.
use scumble::algorithms::nsvdist::*;
use scumble::config::Plan;
use scumble::problem::Progress;
use std::time::Instant;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let a: Vec<String> = std::env::args().collect();
    let quasi = &a[1];
    let cost = match a[2].as_str() {
        "lm" => Cost::Loss,
        "e" => Cost::Entropy,
        _ => Cost::MonotoneEntropy,
    };
    let prepartition = a[3].parse().ok().filter(|n| *n > 0);
    let mut text = String::from(
        "input = \"adult.csv\"\noutput = \"x.csv\"\nhierarchies = \"/work/shared/data/adult/taxonomy/pais\"\n[read]\nmissing_policy = \"drop-row\"\n[columns]\n",
    );
    for q in quasi.split(',') {
        text += &format!("{q} = {{ role = \"quasi\" }}\n");
    }
    text += "salary-class = { role = \"class\" }\n";
    let plan = Plan::from_toml(&text, "x.toml")?;
    let source = scumble_files::Source::open("/work/shared/data/adult/adult_train.csv")?;
    let mut o = scumble::release::read_options(&plan, 0)?;
    o.columns = Some(plan.columns.iter().map(|c| c.0.clone()).collect());
    let mut table = scumble_files::read_table(&source, &o)?.coded;
    scumble::prepare::drop_incomplete(&mut table, &plan)?;
    let p = scumble::prepare::prepare(&table, &plan, std::path::Path::new("/"), false)?;
    let totals = p.table.payload_totals();
    let totals: Vec<u64> = totals.iter().map(|c| u64::from(c.rows)).collect();
    println!("{} rows {} tuples {:?}", p.table.rows(), p.table.tuples(), totals);
    for kl in &a[4..] {
        let (k, l) = kl.split_once(',').unwrap();
        let d = Demand::new(k.parse()?, l.parse().unwrap(), &totals)?;
        let t = Instant::now();
        let f = masks(
            &p.table,
            &p.quasi,
            0,
            d,
            Options { cost, literal: false, prepartition },
            &Progress::default(),
        )?;
        let loss: f64 = f
            .iter()
            .map(|f| {
                f64::from(f.rows) * p.quasi.iter().zip(&f.shown).map(|(q, v)| q.loss(*v)).sum::<f64>()
                    / p.quasi.len() as f64
            })
            .sum::<f64>()
            / p.table.rows() as f64;
        println!(
            "k {k} l {l}: {:.2} s loss {loss:.5} peak {:?} MB",
            t.elapsed().as_secs_f64(),
            scumble::memory::peak().map(|b| b >> 20)
        );
    }
    Ok(())
}
