//! Endless input, far too many threads, and names that would control a terminal.

mod common;

use std::process::{Command, Stdio};

use common::{Desk, scumble};

/// Runs a command in a folder, and returns its exit code and messages.
fn run(desk: &Desk, arguments: &[&str], stdin: Stdio) -> (Option<i32>, String) {
    let output = scumble(desk.root()).args(arguments).stdin(stdin).output().expect("it runs");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn input_without_an_end_stops_at_the_limit() {
    let desk = Desk::new();
    for command in ["init", "risk"] {
        let arguments = [command, "/dev/zero", "--max-size", "3MB"];
        let arguments =
            if command == "risk" { [&arguments[..], &["--quasi", "a"]].concat() } else { arguments.to_vec() };
        let (code, said) = run(&desk, &arguments, Stdio::null());
        assert_eq!(code, Some(3), "{command}: {said}");
        assert!(said.contains("'/dev/zero' holds more than 3.0 MB"), "{said}");
    }
    let mut yes = Command::new("yes").arg("1,2").stdout(Stdio::piped()).spawn().expect("yes runs");
    let pipe = yes.stdout.take().expect("it was piped");
    let arguments = [
        "anonymize",
        "-",
        "--quasi",
        "column_1",
        "--rest",
        "drop",
        "--k",
        "2",
        "--max-size",
        "3MB",
        "-o",
        "-",
    ];
    let (code, said) = run(&desk, &arguments, pipe.into());
    yes.wait().expect("it ends with its pipe");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("'standard input' holds more than 3.0 MB"), "{said}");
}

#[test]
fn compressed_bombs_stop_at_the_limit() {
    let desk = Desk::new();
    let table = [b"a,b\n".to_vec(), b"1,2\n".repeat(2 << 20)].concat();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &table).expect("memory");
    let bombs = [
        ("bomb.csv.gz", gzip.finish().expect("memory")),
        ("bomb.csv.zst", zstd::encode_all(&table[..], 3).expect("memory")),
    ];
    for (name, bytes) in bombs {
        assert!(bytes.len() < 100_000);
        std::fs::write(desk.root().join(name), bytes).expect("room");
        let arguments = [
            "anonymize",
            name,
            "--quasi",
            "a",
            "--rest",
            "drop",
            "--k",
            "2",
            "--max-size",
            "1MB",
            "-o",
            "r.csv",
        ];
        let (code, said) = run(&desk, &arguments, Stdio::null());
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("holds more than 1.0 MB, the limit that was given"), "{said}");
        assert!(!desk.root().join("r.csv").exists());
    }
    // The plan can set the limit as well.
    let plan = "input = \"bomb.csv.gz\"\noutput = \"r.csv\"\nrest = \"drop\"\n[read]\nmax_size = \"1MB\"\n[columns]\n\
                a = { role = \"quasi\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n";
    std::fs::write(desk.root().join("release.toml"), plan).expect("room");
    let (code, said) = run(&desk, &["anonymize", "release.toml"], Stdio::null());
    assert_eq!(code, Some(3), "{said}");
}

/// However little memory there is, a run gives a release and success, or a sentence and exit code 3, and never a part of a release.
#[cfg(target_os = "linux")]
#[test]
fn without_memory_a_run_ends_with_a_sentence() {
    use std::fmt::Write as _;
    let mut table = "code,age,answer\n".to_owned();
    for row in 0..60_000_u64 {
        let _ = writeln!(table, "p{:08},{},{}", row * 7_919 % 60_000, 20 + row % 60, row % 3);
    }
    let desk = Desk::with_table(&table);
    let binary = env!("CARGO_BIN_EXE_scumble");
    let mut codes = Vec::new();
    for megabytes in [20, 44, 46, 48, 60, 80, 100, 120, 140, 170, 200, 240, 300, 400, 4_000] {
        let command = format!(
            "ulimit -v {} && exec '{binary}' anonymize people.csv --quasi code,age --other answer --k 5 -o r.csv --threads 2",
            megabytes * 1_000
        );
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(desk.root())
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr);
        let there = desk.root().join("r.csv").exists();
        match output.status.code() {
            Some(0) => {
                assert!(there, "{megabytes} MB: {said}");
                std::fs::remove_file(desk.root().join("r.csv")).expect("it is there");
            }
            Some(3) => {
                assert!(said.contains("error: ") && said.contains("memory"), "{megabytes} MB: {said}");
                assert!(!there || said.contains("published"), "{megabytes} MB: {said}");
            }
            // Below some size, not even the program itself can be loaded.
            Some(127) if megabytes <= 46 => {
                assert!(!there && said.contains("shared libraries"), "{megabytes} MB: {said}");
            }
            _ if megabytes <= 20 => assert!(!there),
            code => panic!("{megabytes} MB: {code:?} {said}"),
        }
        codes.push(output.status.code());
    }
    assert!(codes.contains(&Some(3)) && codes.last() == Some(&Some(0)), "{codes:?}");
}

#[test]
fn the_limit_holds_for_every_table_that_is_read() {
    let desk = Desk::with_table("a,s\n1,x\n1,y\n2,x\n2,y\n");
    std::fs::write(desk.root().join("earlier.csv"), "a,s\n".to_owned() + &"1,x\n".repeat(20_000))
        .expect("room");
    let plan = "input = \"people.csv\"\noutput = \"r.csv\"\n[read]\nmax_size = \"10KB\"\n[columns]\na = { role = \"quasi\" }\n\
                s = { role = \"sensitive\" }\n[[privacy]]\nmodel = \"k_anonymity\"\nk = 2\n[[privacy]]\nmodel = \"l_diversity\"\n\
                l = 2\n[[privacy]]\nmodel = \"k_uncertainty\"\nk = 2\n[[table]]\nfile = \"earlier.csv\"\nquasi = [\"a\"]\n";
    std::fs::write(desk.root().join("release.toml"), plan).expect("room");
    let (code, said) = run(&desk, &["anonymize", "release.toml"], Stdio::null());
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("earlier.csv' holds more than 10 KB, the limit that was given"), "{said}");
    assert!(!desk.root().join("r.csv").exists());
}

#[test]
fn threads_without_number_are_refused() {
    let desk = Desk::with_people();
    let (code, said) = run(&desk, &["init", "people.csv", "--threads", "1000000"], Stdio::null());
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("--threads 1000000 is more than any machine can use; 1024 is the most"), "{said}");
}

#[test]
fn names_are_not_obeyed_by_terminals_and_markdown() {
    let name = "evil\u{1b}[2J|<b>`x`\u{202e}";
    let mut table = format!("{name},b\n");
    table.extend((0..8).map(|row| format!("{},{}\n", row / 4, row % 2)));
    let desk = Desk::with_table(&table);
    // The message names the wrong column together with the one that was perhaps meant.
    let wrong = "evil\u{1b}[2J|<b>`x`";
    let (code, said) =
        run(&desk, &["anonymize", "people.csv", "--quasi", wrong, "--k", "2", "-o", "r.csv"], Stdio::null());
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("evil\\u{1b}[2J"), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
    let arguments =
        ["anonymize", "people.csv", "--quasi", name, "--other", "b", "--k", "2", "-o", "r.csv", "--verbose"];
    let (code, said) = run(&desk, &arguments, Stdio::null());
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
    let sheet = std::fs::read_to_string(desk.root().join("r.csv.datasheet.md")).expect("a datasheet");
    assert!(sheet.contains("| evil\\\\u{1b}\\[2J\\|&lt;b&gt;\\`x\\`\\\\u{202e} |"), "{sheet}");
    assert!(!sheet.contains("<b>") && !sheet.contains('\u{1b}'), "{sheet}");
}

#[test]
fn texts_that_spreadsheets_run_are_warned_about() {
    let desk = Desk::with_table("a,b,c\n1,=1+1,-5\n1,x,-6\n2,y,7\n2,z,8\n");
    let arguments = ["anonymize", "people.csv", "--quasi", "a", "--other", "b,c", "--k", "2", "-o", "r.csv"];
    let (code, said) = run(&desk, &arguments, Stdio::null());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 column has texts that begin with =, +, - or @ (the first is 'b')"), "{said}");
    let arguments =
        ["anonymize", "people.csv", "--quasi", "a", "--other", "b,c", "--k", "2", "-o", "r.parquet"];
    let (_, said) = run(&desk, &arguments, Stdio::null());
    assert!(!said.contains("begin with ="), "{said}");
}
