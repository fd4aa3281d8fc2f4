//! Numbers as integers that sort the same way.

/// Bits kept of a number: sign, exponent and the 40 high bits of the mantissa. Two numbers of 10
/// significant digits differ by more than 2⁻³⁴ of their size, so none are confused.
pub const KEY_BITS: u32 = 52;
const DROPPED_BITS: u32 = 64 - KEY_BITS;
const SIGN: u64 = 1 << 63;

/// Order-preserving key, in the [`KEY_BITS`] low bits, of a number of at most 10 significant
/// digits. NaN, the missing value, is 0: smaller than every number (docs/method.md §1.2).
///
/// ```
/// use fnb::math::order_key::key_of;
/// assert!(key_of(f64::NAN) < key_of(f64::NEG_INFINITY));
/// assert!(key_of(-1.5) < key_of(0.0) && key_of(0.0) < key_of(1e-300));
/// ```
#[inline]
pub fn key_of(value: f64) -> u64 {
    if value.is_nan() {
        return 0;
    }
    let bits = value.to_bits();
    // Round the mantissa instead of cutting it: both neighbours of a decimal then share its key.
    let bits = bits + (1 << (DROPPED_BITS - 1));
    let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
    ordered >> DROPPED_BITS
}

/// A number that has this key, exact to 2⁻⁴⁰ of its size; NaN for 0.
#[inline]
pub fn value_of(key: u64) -> f64 {
    if key == 0 {
        return f64::NAN;
    }
    let ordered = key << DROPPED_BITS;
    if ordered & SIGN == 0 {
        // The dropped bits of a negative number are all ones after the flip.
        f64::from_bits(!(ordered | ((1 << DROPPED_BITS) - 1)))
    } else {
        f64::from_bits(ordered & !SIGN)
    }
}
