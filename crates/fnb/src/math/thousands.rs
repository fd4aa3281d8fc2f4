//! Numbers as people read them.

/// A number with separators of thousands.
///
/// ```
/// assert_eq!(fnb::math::thousands(1_234_567_u64), "1,234,567");
/// ```
pub fn thousands(n: impl Into<u64>) -> String {
    let digits = n.into().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
