//! Private files: who can read them, when they get their name, and that nothing is left behind.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use scumble_files::{Audience, ErrorKind, PrivateFile, create_private_dir, same_file, sweep};

fn entries(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn nothing_is_there_before_it_is_published() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    fs::write(&target, "old").unwrap();
    let mut private = PrivateFile::create(&target).unwrap();
    private.file().write_all(b"new").unwrap();
    assert_eq!(private.file().metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&target).unwrap(), "old");

    // What was written can be read back before it is published.
    let mut again = private.reopen().unwrap();
    let mut text = String::new();
    again.rewind().unwrap();
    again.read_to_string(&mut text).unwrap();
    assert_eq!(text, "new");

    private.publish(Audience::Public).unwrap().sound().unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    assert_eq!(entries(folder.path()), ["out.csv"]);
}

#[test]
fn modes_follow_the_audience() {
    let folder = tempfile::tempdir().unwrap();
    // A public file must have the mode that the system gives a new file.
    let ordinary = folder.path().join("ordinary");
    fs::write(&ordinary, "").unwrap();
    for (name, audience, expected) in
        [("public", Audience::Public, mode(&ordinary)), ("owner", Audience::Owner, 0o600)]
    {
        let target = folder.path().join(name);
        PrivateFile::create(&target).unwrap().publish(audience).unwrap().sound().unwrap();
        assert_eq!(mode(&target), expected);
    }
    assert_eq!(entries(folder.path()), ["ordinary", "owner", "public"]);
}

#[test]
fn a_dropped_file_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let mut private = PrivateFile::create(&target).unwrap();
    private.file().write_all(b"secret").unwrap();
    drop(private);
    assert!(entries(folder.path()).is_empty());
}

#[test]
fn a_failed_publication_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out.csv");
    let private = PrivateFile::create(&target).unwrap();
    // Meanwhile somebody makes a folder of that name.
    fs::create_dir(&target).unwrap();
    fs::write(target.join("x"), "").unwrap();
    let error = private.publish(Audience::Public).unwrap_err();
    let start = format!("cannot write '{}'", target.display());
    assert!(error.to_string().starts_with(&start), "{error}");
    assert_eq!(entries(folder.path()), ["out.csv"]);
    assert_eq!(entries(&target), ["x"]);
}

#[test]
fn targets_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("missing").join("out.csv");
    let error = PrivateFile::create(&inside).unwrap_err().to_string();
    let start = format!("cannot write '{}' (its folder does not exist)", inside.display());
    assert!(error.starts_with(&start), "{error}");
    assert!(!error.contains(".scumble-"), "{error}");
    let error = PrivateFile::create(folder.path()).unwrap_err().to_string();
    assert!(error.contains("(it is a folder)"), "{error}");
    let error = PrivateFile::create("/dev/null").unwrap_err();
    assert!(error.kind() == ErrorKind::Config);
    let message = "'/dev/null' is a device or pipe, not a file; give a file name, or - for standard output";
    assert_eq!(error.to_string(), message);
}

#[test]
fn an_unwritable_folder() {
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    if fs::write(folder.path().join("probe"), "").is_ok() {
        println!("skipped: an_unwritable_folder means nothing to this user, who may write everywhere");
        return;
    }
    let error = PrivateFile::create(folder.path().join("out.csv")).unwrap_err().to_string();
    assert!(error.contains("(you may not write there)"), "{error}");
}

#[test]
fn the_sweep_takes_only_what_the_gone_left() {
    let folder = tempfile::tempdir().unwrap();
    // No process has a number this high.
    let gone = ".scumble-4294967290-abcdefgh.tmp";
    let own = format!(".scumble-{}-abcdefgh.tmp", std::process::id());
    let living = ".scumble-1-abcdefgh.tmp";
    let kept =
        [own.as_str(), living, ".scumble-x-abc.tmp", ".scumble-4294967290-.tmp", "a.tmp", "scumble.csv"];
    for name in kept.iter().chain([&gone]) {
        fs::write(folder.path().join(name), "").unwrap();
    }
    // A folder of several tables that was never published.
    let unpublished = folder.path().join(".scumble-4294967291-abcdefgh.tmp");
    fs::create_dir(&unpublished).unwrap();
    fs::write(unpublished.join("table-1.csv"), "private").unwrap();
    assert_eq!(sweep(folder.path()).unwrap(), 2);
    let mut expected: Vec<&str> = kept.to_vec();
    expected.sort_unstable();
    assert_eq!(entries(folder.path()), expected);
}

#[test]
fn private_folders() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report/inner");
    create_private_dir(&path).unwrap();
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o700, 0o700));
    create_private_dir(&path).unwrap();
    fs::write(path.join("file"), "").unwrap();
    assert!(create_private_dir(&path.join("file")).is_err());
}

#[test]
fn the_same_file_by_any_path() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b, link, hard) = ("a", "b", "link", "hard");
    let path = |name: &str| folder.path().join(name);
    fs::write(path(a), "").unwrap();
    fs::write(path(b), "").unwrap();
    std::os::unix::fs::symlink(path(a), path(link)).unwrap();
    fs::hard_link(path(a), path(hard)).unwrap();
    assert!(same_file(&path(a), &path(a)));
    assert!(same_file(&path(a), &path(link)));
    assert!(same_file(&path(a), &path(hard)));
    assert!(!same_file(&path(a), &path(b)));
    assert!(!same_file(&path("none"), &path("none")));
}
