//! The part of Thrift's compact protocol that is needed to check the lengths in a Parquet file before its reader does.

/// Why something cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Broken {
    /// The bytes end too early.
    Short,
    /// The bytes are no valid Thrift structure.
    Wrong,
}

/// Types of fields, as the compact protocol numbers them.
pub(super) const I32: u8 = 5;
pub(super) const LIST: u8 = 9;
pub(super) const STRUCT: u8 = 12;

/// The deepest nesting of structures.
const DEEPEST: usize = 64;

/// A reader of bytes.
pub(super) struct Thrift<'a> {
    bytes: &'a [u8],
    /// The number of bytes that have been read.
    pub(super) at: usize,
}

impl<'a> Thrift<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn byte(&mut self) -> Result<u8, Broken> {
        let byte = *self.bytes.get(self.at).ok_or(Broken::Short)?;
        self.at += 1;
        Ok(byte)
    }

    /// Reads a number of variable length.
    pub(super) fn varint(&mut self) -> Result<u64, Broken> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Broken::Wrong)
    }

    /// Reads a number that may be negative.
    pub(super) fn signed(&mut self) -> Result<i64, Broken> {
        let number = self.varint()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Reads the number and type of the next field of a structure; returns `None` at its end. `last` is the number of the
    /// previous field.
    pub(super) fn field(&mut self, last: &mut i64) -> Result<Option<(i64, u8)>, Broken> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        *last = match byte >> 4 {
            0 => self.signed()?,
            step => last.saturating_add(i64::from(step)),
        };
        Ok(Some((*last, byte & 0xf)))
    }

    /// Reads the length of a list and the type of its elements. Fails if there are more elements than bytes left.
    pub(super) fn list(&mut self) -> Result<(usize, u8), Broken> {
        let byte = self.byte()?;
        let length = match byte >> 4 {
            15 => usize::try_from(self.varint()?).map_err(|_| Broken::Wrong)?,
            length => usize::from(length),
        };
        if length > self.bytes.len() - self.at {
            return Err(Broken::Short);
        }
        Ok((length, byte & 0xf))
    }

    /// Skips a value.
    pub(super) fn skip(&mut self, kind: u8) -> Result<(), Broken> {
        self.skip_at(kind, 0)
    }

    fn skip_at(&mut self, kind: u8, depth: usize) -> Result<(), Broken> {
        if depth > DEEPEST {
            return Err(Broken::Wrong);
        }
        match kind {
            // The type of a boolean field is its value.
            1 | 2 => Ok(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(drop),
            7 => self.pass(8),
            8 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Broken::Wrong)?;
                self.pass(length)
            }
            LIST | 10 => {
                let (length, element) = self.list()?;
                self.skip_elements(length, element, depth)
            }
            11 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Broken::Wrong)?;
                if length == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                for _ in 0..length {
                    self.skip_elements(1, kinds >> 4, depth)?;
                    self.skip_elements(1, kinds & 0xf, depth)?;
                }
                Ok(())
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip_at(kind, depth + 1)?;
                }
                Ok(())
            }
            13 => self.pass(16),
            _ => Err(Broken::Wrong),
        }
    }

    fn skip_elements(&mut self, length: usize, element: u8, depth: usize) -> Result<(), Broken> {
        // Outside a field, a boolean is a byte.
        if matches!(element, 1..=3) {
            return self.pass(length);
        }
        (0..length).try_for_each(|_| self.skip_at(element, depth + 1))
    }

    fn pass(&mut self, length: usize) -> Result<(), Broken> {
        if length > self.bytes.len() - self.at {
            return Err(Broken::Short);
        }
        self.at += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(Thrift::new(&[0xac, 0x02]).varint(), Ok(300));
        assert_eq!(Thrift::new(&[0x01]).signed(), Ok(-1));
        assert_eq!(Thrift::new(&[0x80]).varint(), Err(Broken::Short));
        assert_eq!(Thrift::new(&[0xff; 11]).varint(), Err(Broken::Wrong));
    }

    #[test]
    fn structures_are_passed_over() {
        // {1: i32 5, 3: binary "ab", 4: list of two i32, 5: true}, then a byte that is not part of the structure.
        let bytes = [0x15, 10, 0x28, 2, b'a', b'b', 0x19, 0x25, 2, 4, 0x11, 0, 99];
        let mut thrift = Thrift::new(&bytes);
        assert_eq!(thrift.skip(STRUCT), Ok(()));
        assert_eq!(thrift.at, 12);
        for cut in 0..12 {
            assert_eq!(Thrift::new(&bytes[..cut]).skip(STRUCT), Err(Broken::Short), "{cut}");
        }
    }

    #[test]
    fn lists_are_no_longer_than_what_is_left_and_depth_is_limited() {
        // A list of two billion structures in a few bytes.
        let long = [0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x07, 0, 0, 0];
        assert_eq!(Thrift::new(&long).skip(STRUCT), Err(Broken::Short));
        let deep = vec![0x1c; 10_000];
        assert_eq!(Thrift::new(&deep).skip(STRUCT), Err(Broken::Wrong));
    }
}
