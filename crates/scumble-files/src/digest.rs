//! The SHA-256 of a file, by which anybody can check that a file is the one that is meant.

use std::fs::File;
use std::io::{self, Read, Seek};

use sha2::{Digest, Sha256};

/// The SHA-256 of everything in an open file, in hexadecimal digits. The file is read from its start.
pub fn sha256(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_digests_of_the_standard() {
        let known = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ];
        for (text, digest) in known {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            assert_eq!(sha256(&mut file).unwrap(), digest);
            assert_eq!(sha256(&mut file).unwrap(), digest, "it does not depend on where the file stands");
        }
    }
}
