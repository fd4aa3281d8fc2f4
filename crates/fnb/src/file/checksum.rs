//! A hash that tells whether a file was altered.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// Hash of the text without white space between tokens, the value of the last top-level key
/// `checksum` left empty. Keys are not reordered: their order is part of the format.
pub(super) fn checksum(bytes: &[u8]) -> String {
    let mut compact = Vec::with_capacity(bytes.len());
    for_each_byte(bytes, |byte, in_string| {
        if in_string || !byte.is_ascii_whitespace() {
            compact.push(byte);
        }
    });
    let key = b"\"checksum\":\"";
    let found = compact.windows(key.len()).rposition(|window| window == key);
    let (content, rest) = match found {
        Some(position) => compact.split_at(position + key.len()),
        None => (&compact[..], &[][..]),
    };
    let value = rest.iter().position(|&byte| byte == b'"').unwrap_or(0);
    let mut hash = Sha256::new();
    hash.update(content);
    hash.update(&rest[value..]);
    let mut text = String::from("sha256:");
    for byte in hash.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Visits every byte with whether it belongs to a string, quotes included.
pub(super) fn for_each_byte(bytes: &[u8], mut visit: impl FnMut(u8, bool)) {
    let (mut in_string, mut escaped) = (false, false);
    for &byte in bytes {
        if in_string {
            visit(byte, true);
            if escaped {
                escaped = false;
            } else if byte == b'\\' {
                escaped = true;
            } else if byte == b'"' {
                in_string = false;
            }
        } else {
            in_string = byte == b'"';
            visit(byte, in_string);
        }
    }
}
