//! Texts → tokens (docs/method.md §10.8).

use crate::{Advice, Code, Error};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a text is cut into tokens. Upper and lower case are different.
///
/// ```
/// use fnb::relational::Tokeniser;
/// let mut words = Vec::new();
/// Tokeniser::Words.each("Well... no; it's 3.5", |token| words.push(token.to_owned()));
/// assert_eq!(words, ["Well", "...", "no", ";", "it", "'", "s", "3", ".", "5"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tokeniser {
    /// Runs of ASCII punctuation and runs of anything else, cut at blanks.
    Words,
    /// Whatever is between blanks.
    Tokens,
    /// Every run of 1 to 8 bytes that starts and ends between characters, blanks included.
    Ngrams,
}

/// Bytes of the longest n-gram.
const LONGEST_NGRAM: usize = 8;

impl Tokeniser {
    /// Every tokeniser.
    pub const ALL: [Self; 3] = [Self::Words, Self::Tokens, Self::Ngrams];

    /// Its name in models and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Tokens => "tokens",
            Self::Ngrams => "ngrams",
        }
    }

    /// Calls `f` with every token of a text, in order.
    pub fn each<'t>(self, text: &'t str, f: impl FnMut(&'t str)) {
        match self {
            Self::Words => text
                .split_whitespace()
                .flat_map(|run| Words { rest: run })
                .for_each(f),
            Self::Tokens => text.split_whitespace().for_each(f),
            Self::Ngrams => each_ngram(text, f),
        }
    }

    /// What stands between the name of a text and a token in the name of a variable.
    pub(super) fn infix(self, token: &str) -> String {
        match self {
            Self::Words | Self::Tokens => String::new(),
            Self::Ngrams => format!(".{}gram", token.len()),
        }
    }
}

impl fmt::Display for Tokeniser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Tokeniser {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|t| t.as_str() == name);
        found.ok_or_else(|| {
            Error::new(Code::Usage, format!("{name:?} is no way to cut texts")).help(Advice::OneOf(
                Self::ALL.map(|t| t.as_str().to_owned()).into(),
            ))
        })
    }
}

/// Runs of punctuation and of other characters, of a text without blanks.
struct Words<'t> {
    rest: &'t str,
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let first = self.rest.chars().next()?.is_ascii_punctuation();
        let other = |c: char| c.is_ascii_punctuation() != first;
        let end = self.rest.find(other).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

fn each_ngram<'t>(text: &'t str, mut f: impl FnMut(&'t str)) {
    for start in 0..text.len() {
        for end in start + 1..=text.len().min(start + LONGEST_NGRAM) {
            // Nothing unless both are between characters.
            if let Some(ngram) = text.get(start..end) {
                f(ngram);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(tokeniser: Tokeniser, text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        tokeniser.each(text, |token| tokens.push(token));
        tokens
    }

    #[test]
    fn words_by_hand() {
        let cases: [(&str, &[&str]); 8] = [
            ("", &[]),
            (" \t\n\u{a0}\u{3000} ", &[]),
            ("one", &["one"]),
            ("Hello, world!!", &["Hello", ",", "world", "!!"]),
            ("a-b_c", &["a", "-", "b", "_", "c"]),
            ("?!\u{a0}...x", &["?!", "...", "x"]),
            ("The the THE", &["The", "the", "THE"]),
            // Only ASCII punctuation is set apart.
            ("«été»: 日本。ok", &["«été»", ":", "日本。ok"]),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(Tokeniser::Words, text), expected, "{text:?}");
        }
    }

    #[test]
    fn tokens_by_hand() {
        let text = " Hello, world!!\r\n#42\u{2003}x ";
        assert_eq!(
            tokens(Tokeniser::Tokens, text),
            ["Hello,", "world!!", "#42", "x"]
        );
    }

    #[test]
    fn ngrams_by_hand() {
        assert_eq!(tokens(Tokeniser::Ngrams, "ab c").len(), 4 + 3 + 2 + 1);
        assert_eq!(tokens(Tokeniser::Ngrams, "ab"), ["a", "ab", "b"]);
        // A character of two bytes is never cut.
        assert_eq!(tokens(Tokeniser::Ngrams, "éa"), ["é", "éa", "a"]);
        let long = tokens(Tokeniser::Ngrams, "0123456789");
        assert_eq!(long.iter().map(|ngram| ngram.len()).max(), Some(8));
        assert_eq!(long.iter().filter(|ngram| ngram.len() == 8).count(), 3);
    }

    #[test]
    fn names_are_read_back() {
        for tokeniser in Tokeniser::ALL {
            assert_eq!(tokeniser.as_str().parse::<Tokeniser>(), Ok(tokeniser));
        }
        assert!("letters".parse::<Tokeniser>().is_err());
    }
}
