//! Compression, recognised by content.

use std::io::{self, Read};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compression {
    /// Uncompressed.
    #[default]
    None,
    /// gzip (`.gz`).
    Gzip,
    /// Zstandard (`.zst`).
    Zstd,
}

impl Compression {
    /// Recognises the compression by the first bytes of a file.
    pub(crate) fn recognise(first: &[u8]) -> Self {
        if first.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if first.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Self::Zstd
        } else {
            Self::None
        }
    }

    /// Returns a reader of the uncompressed content.
    pub(crate) fn decompress<'a>(
        self,
        source: Box<dyn Read + Send + 'a>,
    ) -> io::Result<Box<dyn Read + Send + 'a>> {
        Ok(match self {
            Self::None => source,
            Self::Gzip => {
                let buffered = io::BufReader::with_capacity(256 << 10, source);
                Box::new(flate2::bufread::MultiGzDecoder::new(buffered))
            }
            Self::Zstd => Box::new(zstd::Decoder::new(source)?),
        })
    }

    /// The name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "uncompressed",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}
