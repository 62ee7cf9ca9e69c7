//! Text encodings: recognises them and converts to UTF-8 while reading.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use encoding_rs::{Decoder, DecoderResult};

use crate::error::Error;

/// How the characters of a delimited text file are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[default]
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// Windows-1252, also called ANSI or (nearly) Latin-1. Detected only where it is clear that a text which is not UTF-8 is in
    /// this encoding.
    Windows1252,
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Windows1252 => "windows-1252",
        })
    }
}

impl FromStr for Encoding {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name.to_ascii_lowercase().as_str() {
            "utf-8" | "utf8" | "ascii" => Ok(Self::Utf8),
            "utf-16" | "utf16" | "utf-16le" | "utf16le" => Ok(Self::Utf16Le),
            "utf-16be" | "utf16be" => Ok(Self::Utf16Be),
            "windows-1252" | "cp1252" | "ansi" | "latin1" | "latin-1" | "iso-8859-1" => Ok(Self::Windows1252),
            _ => Err(Error::config(format!(
                "unknown encoding '{name}': known are utf-8, utf-16le, utf-16be and windows-1252"
            ))),
        }
    }
}

impl Encoding {
    /// Recognises the encoding by the first bytes of a file: by a byte order mark, or by the zero bytes that UTF-16 puts next to
    /// every ASCII character.
    pub(crate) fn recognise(first: &[u8]) -> Self {
        if first.starts_with(&[0xff, 0xfe]) {
            return Self::Utf16Le;
        }
        if first.starts_with(&[0xfe, 0xff]) {
            return Self::Utf16Be;
        }
        let first = &first[..first.len().min(1024)];
        let zeros = |parity: usize| first.iter().skip(parity).step_by(2).filter(|byte| **byte == 0).count();
        let pairs = first.len() / 2;
        // Other characters may have a zero byte on the other side, but less often.
        let most = |zeros: usize, others: usize| zeros > 0 && zeros * 2 >= pairs && others * 4 <= zeros;
        if most(zeros(1), zeros(0)) {
            Self::Utf16Le
        } else if most(zeros(0), zeros(1)) {
            Self::Utf16Be
        } else {
            Self::Utf8
        }
    }

    /// Returns a reader of the same text in UTF-8, without a byte order mark.
    pub(crate) fn to_utf8<'a>(
        self,
        source: Box<dyn Read + Send + 'a>,
    ) -> io::Result<Box<dyn Read + Send + 'a>> {
        let encoding = match self {
            Self::Utf8 => return without_mark(source),
            Self::Utf16Le => encoding_rs::UTF_16LE,
            Self::Utf16Be => encoding_rs::UTF_16BE,
            Self::Windows1252 => encoding_rs::WINDOWS_1252,
        };
        let decoder = encoding.new_decoder_with_bom_removal();
        let input = vec![0; 64 << 10].into_boxed_slice();
        Ok(Box::new(Transcoder { source, decoder, input, output: Vec::new(), given: 0, ended: None }))
    }
}

fn without_mark<'a>(mut source: Box<dyn Read + Send + 'a>) -> io::Result<Box<dyn Read + Send + 'a>> {
    let mut first = Vec::with_capacity(3);
    source.by_ref().take(3).read_to_end(&mut first)?;
    if first == [0xef, 0xbb, 0xbf] {
        first.clear();
    }
    Ok(Box::new(io::Cursor::new(first).chain(source)))
}

/// The error of bytes that mean nothing in the file's encoding.
#[derive(Debug, thiserror::Error)]
#[error("undecodable bytes")]
pub(crate) struct Undecodable;

/// Reads text in another encoding as UTF-8. What cannot be decoded is an error, never a replacement character.
struct Transcoder<R> {
    source: R,
    decoder: Decoder,
    input: Box<[u8]>,
    /// The decoded text, and how much of it has been read.
    output: Vec<u8>,
    given: usize,
    /// Set at the end of the source, or at bytes that cannot be decoded.
    ended: Option<Result<(), Undecodable>>,
}

impl<R: Read> Transcoder<R> {
    /// Decodes the next block of the source.
    fn decode(&mut self) -> io::Result<()> {
        let count = self.source.read(&mut self.input)?;
        let is_last = count == 0;
        let room = self.decoder.max_utf8_buffer_length_without_replacement(count);
        self.output.resize(room.unwrap_or(4 * count + 16), 0);
        let (result, _, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.input[..count], &mut self.output, is_last);
        self.output.truncate(written);
        self.given = 0;
        // The buffer is large enough that the decoder never stops because it is full.
        if result != DecoderResult::InputEmpty {
            self.ended = Some(Err(Undecodable));
        } else if is_last {
            self.ended = Some(Ok(()));
        }
        Ok(())
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        while self.given == self.output.len() {
            match self.ended {
                Some(Ok(())) => return Ok(0),
                Some(Err(Undecodable)) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, Undecodable));
                }
                None => self.decode()?,
            }
        }
        let count = (&self.output[self.given..]).read(target)?;
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(encoding: Encoding, bytes: &[u8]) -> io::Result<String> {
        let mut text = String::new();
        encoding.to_utf8(Box::new(bytes))?.read_to_string(&mut text)?;
        Ok(text)
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn recognises_marks_and_zero_bytes() {
        for text in ["name,é\n1,2\n", "\u{feff}名前\n"] {
            assert_eq!(Encoding::recognise(&utf16(text, u16::to_le_bytes)), Encoding::Utf16Le);
            assert_eq!(Encoding::recognise(&utf16(text, u16::to_be_bytes)), Encoding::Utf16Be);
            assert_eq!(Encoding::recognise(text.as_bytes()), Encoding::Utf8);
        }
        assert_eq!(Encoding::recognise(b""), Encoding::Utf8);
        assert_eq!(Encoding::recognise(b"a\0b,c\n1,2\n3,4\n"), Encoding::Utf8);
    }

    #[test]
    fn decodes_and_drops_marks() {
        let text = "é,😀\n";
        for marked in [text.to_owned(), format!("\u{feff}{text}")] {
            assert_eq!(decode(Encoding::Utf8, marked.as_bytes()).unwrap(), text);
            assert_eq!(decode(Encoding::Utf16Le, &utf16(&marked, u16::to_le_bytes)).unwrap(), text);
            assert_eq!(decode(Encoding::Utf16Be, &utf16(&marked, u16::to_be_bytes)).unwrap(), text);
        }
        assert_eq!(decode(Encoding::Windows1252, b"\xe9\x80").unwrap(), "é€");
    }

    #[test]
    fn long_texts_are_decoded_across_blocks() {
        let text = "aé名😀".repeat(20_000);
        assert_eq!(decode(Encoding::Utf16Le, &utf16(&text, u16::to_le_bytes)).unwrap(), text);
    }

    #[test]
    fn half_a_pair_is_an_error_behind_what_was_good() {
        let mut bytes = utf16("ab", u16::to_le_bytes);
        bytes.extend([0x00, 0xd8, b'c', 0]);
        let mut reader = Encoding::Utf16Le.to_utf8(Box::new(bytes.as_slice())).unwrap();
        let mut first = [0; 2];
        reader.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"ab");
        assert!(reader.read(&mut first).unwrap_err().get_ref().unwrap().is::<Undecodable>());
        assert!(decode(Encoding::Utf16Le, b"a\0b").is_err());
    }

    #[test]
    fn names() {
        assert_eq!("CP1252".parse::<Encoding>().unwrap(), Encoding::Windows1252);
        let message = "klingon".parse::<Encoding>().unwrap_err().to_string();
        assert_eq!(
            message,
            "unknown encoding 'klingon': known are utf-8, utf-16le, utf-16be and windows-1252"
        );
    }
}
