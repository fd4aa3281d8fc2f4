//! What the header of a Parquet page claims, before the crate believes it.

use parquet::errors::ParquetError;

/// The most bytes that a compressed one can hold: a block of 128 KiB in four bytes of Zstandard.
const MOST_TIMES: i64 = 1 << 15;

/// Bytes that any page may unpack to.
const FREE: i64 = 1 << 17;

/// A field that follows the one before it and holds a 32-bit number, in the compact protocol of Thrift.
const NEXT_I32: u8 = 0x15;

/// Refuses a page that claims to unpack to more than its bytes can hold: the crate allocates the claim.
/// `bytes` start with the header. What is no header is left to the crate.
pub(crate) fn check_page(mut bytes: &[u8]) -> Result<(), ParquetError> {
    let bytes = &mut bytes;
    // Kind, size, compressed size: the first three fields, always there.
    let sizes = next(bytes).and_then(|_kind| Some((next(bytes)?, next(bytes)?)));
    let Some((size, packed)) = sizes else {
        return Ok(());
    };
    if size < 0 || packed < 0 || size > packed * MOST_TIMES + FREE {
        let message = format!("a page of {packed} bytes is said to hold {size}");
        return Err(ParquetError::General(message));
    }
    Ok(())
}

/// The number in the next field.
fn next(bytes: &mut &[u8]) -> Option<i64> {
    *bytes = bytes.strip_prefix(&[NEXT_I32])?;
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            // Signs are in the lowest bit.
            return Some((number >> 1) as i64 ^ -((number & 1) as i64));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_claim_too_much_are_refused() {
        // 0, 40 and 44: a sound page.
        assert!(check_page(&[0x15, 0, 0x15, 80, 0x15, 88, 0x4c]).is_ok());
        // 2^31 − 1 bytes in 44; −1 bytes.
        let claim = [0x15, 0, 0x15, 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x15, 88];
        let error = check_page(&claim).expect_err("too much").to_string();
        assert!(error.ends_with("a page of 44 bytes is said to hold 2147483647"));
        assert!(check_page(&[0x15, 0, 0x15, 1, 0x15, 88]).is_err());
        // No header, or not all of it.
        assert!(check_page(b"PAR1").is_ok());
        assert!(check_page(&[0x15, 0, 0x15, 0xff]).is_ok());
    }
}
