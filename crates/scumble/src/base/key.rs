//! A secret key, and what is derived from it: nobody who does not have the key can repeat or undo that.

use std::fmt;

use hkdf::Hkdf;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::{Zeroize, Zeroizing};

use super::chance::secret;
use super::text::counted;
use crate::error::{Error, Result};

/// The bytes of a key.
pub(crate) const LENGTH: usize = 32;

/// A secret key. It is wiped from memory when it is no longer needed, and nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Key([u8; LENGTH]);

impl Drop for Key {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(secret)")
    }
}

impl Key {
    /// A new key of the system's secret numbers.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self(*Zeroizing::new(secret()?)))
    }

    /// The key that bytes write: as 64 hexadecimal digits with or without a line end, or as 32 raw bytes. `what` names the bytes in an error,
    /// which never shows them.
    pub fn read(bytes: &[u8], what: &str) -> Result<Self> {
        let digits = bytes.trim_ascii();
        let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
        let wrong = |why: String| {
            Err(Error::config(format_args!("{what} {why}"))
                .advise("make a new key with 'scumble key new FILE'")
                .advise("give 32 bytes, as 64 hexadecimal digits or raw"))
        };
        let mut key = Self([0; LENGTH]);
        // 32 digits are also 32 bytes, and only half a key.
        if is_hex && digits.len() == 2 * LENGTH {
            for (byte, pair) in key.0.iter_mut().zip(digits.chunks_exact(2)) {
                *byte = digit(pair[0]) << 4 | digit(pair[1]);
            }
        } else if is_hex && digits.len() < 2 * LENGTH {
            return wrong(format!(
                "is too short: it has {}, and a key has 64",
                counted(digits.len() as u64, "hexadecimal digit", "hexadecimal digits")
            ));
        } else if bytes.len() < LENGTH {
            return wrong(format!(
                "is too short: it has {}, and a key has 32",
                counted(bytes.len() as u64, "byte", "bytes")
            ));
        } else if bytes.len() == LENGTH {
            key.0.copy_from_slice(bytes);
        } else {
            return wrong("is no key: it is neither 64 hexadecimal digits nor 32 bytes".to_owned());
        }
        if key.0.iter().all(|byte| *byte == key.0[0]) {
            return wrong("is no key: all of its bytes are equal".to_owned());
        }
        Ok(key)
    }

    /// The key as 64 hexadecimal digits.
    pub(crate) fn to_hex(&self) -> Zeroizing<String> {
        // The room is reserved, so that no shorter copy stays behind in memory.
        let mut text = Zeroizing::new(String::with_capacity(2 * LENGTH));
        let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or_default();
        self.0.iter().for_each(|byte| text.extend([digit(byte >> 4), digit(byte & 15)]));
        text
    }

    /// A key of its own for one purpose (`salt`) and one use (`info`). It tells nothing about this key or about those of other uses.
    pub(crate) fn derive(&self, salt: &str, info: &[u8]) -> Result<Self> {
        let mut derived = Self([0; LENGTH]);
        Hkdf::<Sha256>::new(Some(salt.as_bytes()), &self.0)
            .expand(info, &mut derived.0)
            .map_err(Error::internal)?;
        Ok(derived)
    }

    /// A function from texts to numbers that only this key computes.
    pub(crate) fn function(&self) -> Result<Keyed> {
        Hmac::new_from_slice(&self.0).map(Keyed).map_err(Error::internal)
    }

    /// A name for the key that tells nothing about it: eight bytes in hexadecimal digits.
    pub fn id(&self) -> Result<String> {
        let name = self.derive("scumble/pseudonym/1", b"key-id")?.function()?.of(&[]);
        Ok(name[..8].iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

/// A function that only the holder of a key computes: HMAC-SHA-256.
#[derive(Clone)]
pub(crate) struct Keyed(Hmac<Sha256>);

impl Keyed {
    /// The value for these parts, one after another.
    pub(crate) fn of(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.0.clone();
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    }
}

/// The value of a hexadecimal digit.
fn digit(sign: u8) -> u8 {
    char::from(sign).to_digit(16).unwrap_or_default() as u8
}

/// The key `00 01 02 … 1f`, with which the specification's examples are computed.
#[cfg(test)]
pub(crate) fn example() -> Key {
    Key::read(&std::array::from_fn::<u8, LENGTH, _>(|place| place as u8), "the key").expect("a key")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn keys_are_hexadecimal_or_raw() {
        let text = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F";
        for written in [text.to_owned(), format!("{text}\n"), format!("{text}\r\n")] {
            assert_eq!(Key::read(written.as_bytes(), "it").expect("a key"), example());
        }
        assert_eq!(*example().to_hex(), text.to_lowercase());
        assert_eq!(Key::read(example().to_hex().as_bytes(), "it").expect("a key"), example());
    }

    #[test]
    fn what_is_no_key_is_refused_and_not_shown() {
        let refused = |bytes: &[u8], words: &str| {
            let error = Key::read(bytes, "the key file").expect_err(words).to_string();
            assert!(error.starts_with("the key file ") && error.contains(words), "{error}");
            assert!(!error.contains("c0ffee"), "{error}");
        };
        refused(b"", "too short: it has 0 bytes");
        refused(b"c0ffee", "too short: it has 6 hexadecimal digits, and a key has 64");
        refused("c0ffee00".repeat(4).as_bytes(), "too short: it has 32 hexadecimal digits");
        refused(&[7, 200, 3], "too short: it has 3 bytes, and a key has 32");
        refused(&[200; 40], "neither 64 hexadecimal digits nor 32 bytes");
        refused("c0ffee00".repeat(9).as_bytes(), "neither");
        refused(&[200; 32], "all of its bytes are equal");
        refused("ab".repeat(32).as_bytes(), "all of its bytes are equal");
    }

    #[test]
    fn a_key_is_never_printed() {
        assert_eq!(format!("{:?}", example()), "Key(secret)");
    }

    /// The project key of the specification (transforms.md 1.9).
    #[test]
    fn derived_keys() {
        let project = example().derive("scumble/pseudonym/1", b"clinic-2026").expect("a key");
        assert_eq!(*project.to_hex(), "75972edaac36980e08f1ff5283c2bac20fb4a6267b8bad200a5ccbc6e3f8d5e3");
        let id = example().id().expect("an id");
        assert_eq!((id.len(), &id), (16, &example().id().expect("an id")));
        assert_ne!(id, project.id().expect("an id"));
    }

    /// The function is HMAC-SHA-256: RFC 4231, test case 1, whose key of 20 bytes is padded with zeros anyway.
    #[test]
    fn the_function_is_hmac() {
        let mut key = [0; LENGTH];
        key[..20].fill(0x0b);
        let value = Key(key).function().expect("a function").of(&[b"Hi ", b"There"]);
        assert_eq!(hex(&value), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[test]
    fn every_new_key_is_another() {
        assert_ne!(Key::new().expect("a key"), Key::new().expect("a key"));
    }
}
