//! Measures a release from a table of PostgreSQL to a verified table in it, as a multiple of its parts: `COPY` out, the release of the same table
//! as a file, and `COPY` in. The goal is at most 1.5.
//!
//! `cargo bench --bench databases [-- ROWS]`. It starts a server of its own, and says so where PostgreSQL is not installed.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/server/mod.rs"]
mod server;

use std::time::Instant;

use common::{Desk, Run, scumble};
use server::server;

const DATABASE: &str = "speed";

fn main() {
    let rows = std::env::args().skip(1).find(|argument| !argument.starts_with("--"));
    let rows = rows.as_deref().unwrap_or("1200000");
    let Some(server) = server() else {
        println!("skipped: PostgreSQL is not installed");
        return;
    };
    let desk = Desk::new();
    let run = |arguments: &[&str]| {
        let mut command = scumble(desk.root());
        Run::of(command.args(arguments).env("PGUSER", "boss")).succeeds()
    };
    let table = |name: &str| server.address(DATABASE, &format!("table={name}"));
    let columns_of = |file: &str| {
        let text = desk.text(file);
        let names = text.lines().next().unwrap_or_default().split(',');
        names.map(|name| format!("{name} text")).collect::<Vec<_>>().join(", ")
    };
    let timed = |work: &dyn Fn()| {
        let began = Instant::now();
        work();
        began.elapsed().as_secs_f64()
    };
    server.database(DATABASE);
    run(&["sample", "--rows", rows, "-o", "big.csv"]);
    server.sql(DATABASE, &format!("CREATE TABLE big ({})", columns_of("big.csv")));
    server.fill(DATABASE, "big", &desk.path("big.csv"));
    server.sql(DATABASE, "ANALYZE big");
    run(&["init", "big.csv", "--accept", "-o", "file.toml"]);
    let plan =
        desk.text("file.toml").replace("input = \"big.csv\"", &format!("input = \"{}\"", table("big")));
    desk.file("table.toml", plan);
    let out = timed(&|| server.unload(DATABASE, "SELECT * FROM big", &desk.path("out.csv")));
    let file = timed(&|| drop(run(&["anonymize", "file.toml", "-o", "file.csv"])));
    server.sql(DATABASE, &format!("CREATE TABLE copy ({})", columns_of("file.csv")));
    let into = timed(&|| server.fill(DATABASE, "copy", &desk.path("file.csv")));
    let all = timed(&|| drop(run(&["anonymize", "table.toml", "-o", &table("verified")])));
    let count = |table: &str| server.sql(DATABASE, &format!("SELECT count(*) FROM {table}"));
    assert_eq!(count("verified"), count("copy"), "both releases have the same rows");
    println!(
        "COPY out {out:.2} s, release of the file {file:.2} s, COPY in {into:.2} s; from table to table {all:.2} s: {:.2} times its parts",
        all / (out + file + into)
    );
}
