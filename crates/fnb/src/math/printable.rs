//! Texts of others as people may safely see them.

use std::borrow::Cow;

/// The text with every character that would act on a terminal, instead of being shown by it, written out:
/// control characters (the escape sequences of terminals begin with one), ends of lines, and marks that
/// turn the direction of what follows.
///
/// Names of columns, values, classes and files come from anywhere; printed as they are, they could erase
/// lines, forge others, or show a text as another one.
///
/// ```
/// use fnb::math::printable;
/// assert_eq!(printable("age"), "age");
/// assert_eq!(printable("a\u{1b}[2Jb\n"), "a\\u{1b}[2Jb\\n");
/// assert_eq!(printable("\u{202e}txt.exe"), "\\u{202e}txt.exe");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    written_out(text, acts)
}

/// The same of a text of several lines: ends of lines and tabs stay.
///
/// ```
/// use fnb::math::printable_lines;
/// assert_eq!(printable_lines("a\tb\n\u{9b}c\r\n"), "a\tb\n\\u{9b}c\\r\n");
/// ```
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    written_out(text, |c| acts(c) && !matches!(c, '\n' | '\t'))
}

/// A JSON text in which such characters are written as JSON does, so that it means the same.
///
/// ```
/// use fnb::math::printable_json;
/// assert_eq!(printable_json("{\n  \"a\": \"\u{9b}\"}"), "{\n  \"a\": \"\\u009b\"}");
/// ```
pub fn printable_json(json: &str) -> Cow<'_, str> {
    // Outside of strings there are none but ends of lines; they are all of four digits.
    let escape = |c: char| format!("\\u{:04x}", u32::from(c));
    replaced(json, |c| acts(c) && c != '\n', escape)
}

/// Does a character act on a terminal?
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn written_out(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    replaced(text, acts, |c| c.escape_debug().to_string())
}

fn replaced(
    text: &str,
    acts: impl Fn(char) -> bool,
    escape: impl Fn(char) -> String,
) -> Cow<'_, str> {
    if !text.chars().any(&acts) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if acts(c) {
            shown.push_str(&escape(c));
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_acts_is_left() {
        let all: String = (0..0x11_0000).filter_map(char::from_u32).collect();
        assert!(!printable(&all).contains(acts));
        let lines = printable_lines(&all);
        assert!(lines.chars().filter(|c| acts(*c)).eq(['\t', '\n']));
        // Letters of any script stay, and so do the joiners that some of them need.
        let text = "naïve é ش क्‍ष 日本 👩‍🔬 ½ − €";
        assert_eq!(printable(text), text);
    }

    #[test]
    fn json_means_the_same() {
        let text: String = (0..0x3000).filter_map(char::from_u32).collect();
        let json = serde_json::to_string_pretty(&[&text]).expect("JSON");
        let shown = printable_json(&json);
        assert!(!shown.contains(|c: char| acts(c) && c != '\n'));
        assert_eq!(
            serde_json::from_str::<[String; 1]>(&shown).expect("JSON"),
            [text]
        );
    }
}
