use super::*;

fn read(text: &str) -> Address {
    Address::recognise(text).expect("an address").expect("a good one")
}

fn refused(text: &str) -> String {
    Address::recognise(text).expect("an address").unwrap_err().to_string()
}

#[test]
fn addresses_are_read_and_written() {
    let address = read("postgresql://ann@db.example:5433/clinic?sslmode=disable&table=care.visits");
    let Server::Postgres(settings) = address.server() else { panic!("a server") };
    let settings: Vec<(&str, &str)> = settings.iter().map(|(key, value)| (*key, value.as_str())).collect();
    let expected = [
        ("dbname", "clinic"),
        ("host", "db.example"),
        ("port", "5433"),
        ("sslmode", "disable"),
        ("user", "ann"),
    ];
    assert_eq!(settings, expected);
    assert_eq!((address.table(), address.stem().as_str()), (Some("care.visits"), "visits"));
    assert_eq!(address.name(), "postgres://ann@db.example:5433/clinic?table=care.visits");
    let socket = read("postgres:///clinic?host=/var/run/pg&table=v");
    assert_eq!(socket.text(), "postgres://%2Fvar%2Frun%2Fpg/clinic?table=v");
    for text in [
        "postgres://ann@db.example:5433/clinic?table=care.visits",
        "postgres:///?query=SELECT a FROM b WHERE c = '1&2' AND d LIKE 'x%25'",
        "sqlite:a/b.db?table=x%26y",
        "postgres://%2Fvar%2Frun/clinic?service=s&table=v",
    ] {
        assert_eq!(read(text).text(), text);
        assert_eq!(read(&read(text).text()), read(text));
    }
    let bracketed = read("postgres://[::1]:5432/x?table=y");
    assert_eq!(read(&bracketed.text()), bracketed);
}

#[test]
fn a_query_takes_what_stands_behind_it_and_is_not_shown() {
    let address = read("sqlite:p.db?query=SELECT * FROM t WHERE a = 1 & b ? 2");
    assert_eq!(address.wanted(), Some(&Wanted::Query("SELECT * FROM t WHERE a = 1 & b ? 2".to_owned())));
    assert_eq!(address.name(), "sqlite:p.db?query=…");
}

#[test]
fn files_are_no_addresses() {
    for name in ["people.csv", "-", "people.db", "a?table=b", "x.csv?table=y", "postgres.csv", "http://x/y"] {
        assert!(Address::recognise(name).is_none(), "{name}");
    }
    assert_eq!(read("sub/people.SQLite?table=a").file(), Some(Path::new("sub/people.SQLite")));
}

#[test]
fn a_misspelt_setting_is_no_part_of_a_file_name() {
    for text in ["people.db?tabel=visits", "sqlite:people.db?tabel=visits", "postgres:///x?tabel=visits"] {
        let error = refused(text);
        assert!(error.contains("no setting 'tabel'; did you mean 'table'? Known are"), "{error}");
    }
    assert!(Address::recognise("people.db?").is_none());
    assert!(Address::recognise("what?.db").is_none());
}

#[test]
fn a_password_is_refused_and_never_shown() {
    for text in [
        "postgres://ann:hunter2@h/db?table=t",
        "POSTGRES://ann:hun/ter2@h/db",
        "postgresql://h/db?password=hunter2&table=t",
        "postgres://h/db?p%61ssword=hunter2",
        "postgres://ann:@h/db",
    ] {
        let message = refused(text);
        assert!(message.contains("holds a password") && message.contains("~/.pgpass"), "{message}");
        assert!(!message.contains("hunter2") && !message.contains("ann"), "{message}");
        assert!(has_password(&format!("input = \"{text}\"\n")), "{text}");
    }
    for text in [
        "postgres://ann:hun?ter2@h/db?table=t",
        "postgre://ann:hunter2@h/db?table=t",
        "postgresql+psycopg2://ann:hunter2@h/db",
        "host=h dbname=d password=hunter2",
    ] {
        assert!(has_password(text), "{text}");
    }
    for text in [
        "postgres://[::1]:5432/db?table=t",
        "https://example.org/a:b/people.csv",
        "postgres://ann@h:5432/db?table=t",
        "postgres://h/db?query=SELECT a, ':x@' FROM t WHERE b = 'password=1'",
        "see postgres: it's good",
    ] {
        assert!(!has_password(text), "{text}");
    }
}

#[test]
fn what_is_wrong_with_an_address_is_said() {
    assert!(refused("postgres://h/db?tabel=x").contains("did you mean 'table'"));
    assert!(refused("postgres://h/db?table=").contains("ends where the table"));
    assert!(refused("sqlite:p.db?table=a&table=b").contains("more than one table"));
    assert!(refused("sqlite:p.db?table=a&host=b").contains("no setting 'host'"));
    assert!(refused("postgres://a,b/db?table=x").contains("several hosts"));
    assert!(refused("sqlite:?table=x").contains("names no file"));
}

#[test]
fn files_of_databases_are_beside_the_plan() {
    let place = |name: &str| located(Path::new("/plans"), name).to_string_lossy().into_owned();
    assert_eq!(place("people.csv"), "/plans/people.csv");
    assert_eq!(place("sqlite:sub/p.db?table=t"), "sqlite:/plans/sub/p.db?table=t");
    assert_eq!(place("sqlite:/abs/p.db?table=t"), "sqlite:/abs/p.db?table=t");
    assert_eq!(place("postgres://h/db?table=t"), "postgres://h/db?table=t");
}
