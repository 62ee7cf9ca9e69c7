//! The password file of PostgreSQL's programs: `host:port:database:user:password` lines.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use scumble_files::Error;

use super::settings::{Place, Settings};
use crate::Result;

/// The password for a connection; `None` if the file is not there or has none for it.
pub(super) fn find(file: &Path, settings: &Settings) -> Result<Option<String>> {
    let Ok(found) = std::fs::metadata(file) else { return Ok(None) };
    if !found.is_file() {
        return Ok(None);
    }
    let Ok(text) = std::fs::read_to_string(file) else { return Ok(None) };
    let password =
        text.lines().filter(|line| !line.starts_with('#')).find_map(|line| password_in(line, settings));
    if password.is_some() && found.mode() & 0o077 != 0 {
        return Err(Error::config(format!(
            "others may read the password file '{}', so it is not used",
            file.display()
        ))
        .advise(format!("chmod 600 {}", file.display())));
    }
    Ok(password)
}

/// The password of a line, if the line is about this connection.
fn password_in(line: &str, settings: &Settings) -> Option<String> {
    let fields = fields(line);
    let [host, port, database, user, password] = &fields[..] else { return None };
    let is = |field: &str, value: &str| field == "*" || field == value;
    let is_host = match &settings.place {
        Place::Host(name) => is(host, name),
        Place::Socket(folder) => is(host, "localhost") || is(host, &folder.to_string_lossy()),
    };
    let fits = is_host
        && is(port, &settings.port.to_string())
        && is(database, &settings.database)
        && is(user, &settings.user);
    fits.then(|| password.clone())
}

/// The five fields of a line. A backslash keeps the character behind it.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            _ => {}
        }
        let character = if character == '\\' { characters.next().unwrap_or('\\') } else { character };
        if let Some(last) = fields.last_mut() {
            last.push(character);
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::time::Duration;

    use super::*;

    fn settings(place: Place, user: &str) -> Settings {
        let (database, patience) = ("clinic".to_owned(), Duration::ZERO);
        Settings { place, port: 5432, user: user.to_owned(), database, patience, password: None }
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        std::fs::write(
            &file,
            "#*:*:*:*:no\nh:5433:*:*:a\nh:*:clinic:ann:b\\:c\\\\d\nlocalhost:*:*:bob:e:f\n",
        )
        .unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let find = |place, user| find(&file, &settings(place, user)).unwrap();
        assert_eq!(find(Place::Host("h".into()), "ann").as_deref(), Some("b:c\\d"));
        assert_eq!(find(Place::Host("h".into()), "bob"), None);
        assert_eq!(find(Place::Socket("/tmp".into()), "bob").as_deref(), Some("e:f"));
    }

    #[test]
    fn a_file_that_others_may_read_is_not_used() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pgpass");
        std::fs::write(&file, "*:*:*:*:hunter2\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let error = find(&file, &settings(Place::Host("h".into()), "ann")).unwrap_err().to_string();
        assert!(error.contains("chmod 600") && !error.contains("hunter2"), "{error}");
        assert!(
            find(&folder.path().join("none"), &settings(Place::Host("h".into()), "ann")).unwrap().is_none()
        );
    }
}
