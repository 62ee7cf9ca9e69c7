//! Checks how many values a delta-encoded page claims to hold, since the reader believes the claim.

use parquet::basic::Encoding;

use super::thrift::{Broken, Thrift};

/// Whether the encoding with this number writes values as differences.
pub(super) fn is_delta(encoding: i64) -> bool {
    [Encoding::DELTA_BINARY_PACKED, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY]
        .iter()
        .any(|delta| *delta as i64 == encoding)
}

/// Returns where the values of a page begin: behind the levels that say which rows have a value.
pub(super) fn start_of_values(
    page: &[u8],
    most: [i16; 2],
    encodings: [Encoding; 2],
    values: u32,
) -> Option<usize> {
    let mut start = 0_usize;
    for (most, encoding) in most.into_iter().zip(encodings) {
        if most <= 0 {
            continue;
        }
        #[expect(deprecated, reason = "old files are written so")]
        let length = if encoding == Encoding::BIT_PACKED {
            let bits = u64::from(16 - most.leading_zeros());
            usize::try_from((u64::from(values) * bits).div_ceil(8)).ok()?
        } else {
            let (length, _) = page.get(start..)?.split_first_chunk()?;
            (u32::from_le_bytes(*length) as usize).checked_add(4)?
        };
        start = start.checked_add(length)?;
    }
    Some(start)
}

/// Checks one run of differences, or two in sequence: none may claim more than `values` numbers.
pub(super) fn check(bytes: &[u8], runs: usize, values: u32) -> Result<(), Broken> {
    let mut rest = bytes;
    for run in 0..runs {
        let mut reader = Thrift::new(rest);
        let block = reader.varint()?;
        let parts = reader.varint()?;
        let count = reader.varint()?;
        reader.signed()?;
        let is_possible = parts > 0 && block <= MOST_OF_A_BLOCK && block % parts == 0 && block / parts > 0;
        if !is_possible || count > u64::from(values) {
            return Err(Broken::Wrong);
        }
        if run + 1 < runs {
            rest = behind(rest, reader.at, block, parts, count).ok_or(Broken::Short)?;
        }
    }
    Ok(())
}

/// The most values in a block. Writers use 128 or 256.
const MOST_OF_A_BLOCK: u64 = 1 << 20;

/// Returns what lies behind the blocks of a run.
fn behind(bytes: &[u8], mut at: usize, block: u64, parts: u64, count: u64) -> Option<&[u8]> {
    // The first value stands before the blocks.
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let mut reader = Thrift::new(bytes.get(at..)?);
        reader.signed().ok()?;
        at += reader.at;
        let widths = bytes.get(at..at.checked_add(parts as usize)?)?;
        at += widths.len();
        for &width in widths {
            // Parts behind the last value are not written.
            if left == 0 {
                break;
            }
            at = at.checked_add((u64::from(width) * (block / parts)).div_ceil(8) as usize)?;
            left = left.saturating_sub(block / parts);
        }
    }
    bytes.get(at..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_compared_with_the_page() {
        // 128 values in a block, 4 parts, a count, the first value.
        let run = |count: u8| vec![0x80, 1, 4, count, 0];
        assert_eq!(check(&run(1), 1, 1), Ok(()));
        assert_eq!(check(&run(5), 1, 1), Err(Broken::Wrong));
        // Two runs: five values in one block of width 3, then a run that claims two.
        let mut two = run(5);
        two.extend([0, 3, 0, 0, 0]);
        two.extend([0; 12]);
        two.extend(run(2));
        assert_eq!(check(&two, 2, 5), Ok(()));
        let last = two.len() - 2;
        two[last] = 6;
        assert_eq!(check(&two, 2, 5), Err(Broken::Wrong));
        assert_eq!(check(&two[..8], 2, 5), Err(Broken::Short));
    }

    #[test]
    fn levels_are_passed_over() {
        let rle = [Encoding::RLE; 2];
        assert_eq!(start_of_values(&[3, 0, 0, 0, 9, 9, 9, 7], [0, 1], rle, 5), Some(7));
        assert_eq!(start_of_values(&[7], [0, 0], rle, 5), Some(0));
        assert_eq!(start_of_values(&[3, 0], [0, 1], rle, 5), None);
    }
}
