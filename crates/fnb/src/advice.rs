//! What to do about an error, as data: every front end words it with what its users can set.

use crate::kind::ColumnType;
use std::fmt;

/// The next step after an error.
///
/// It names no option and no parameter: the program and the Python package have their own, and put it into
/// words. [`Display`](fmt::Display) is for those who have none.
///
/// ```
/// use fnb::{Advice, Code, Error, columns::ColumnType};
/// let advice = Advice::ReadAs { column: "zip".into(), ty: ColumnType::Categorical };
/// assert_eq!(advice.to_string(), "read column \"zip\" as categories");
/// let error = Error::new(Code::UnsupportedType, "the target is a date column").help(advice.clone());
/// assert_eq!(error.advice(), Some(&advice));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Read a column with another type.
    ReadAs {
        /// The column.
        column: String,
        /// The type it should have.
        ty: ColumnType,
    },
    /// Say that these texts mean missing.
    DeclareMissing {
        /// The texts.
        texts: Vec<String>,
    },
    /// Look at the separators and quotes of a line; perhaps the separator was not the one that was found.
    Separator,
    /// Say that the first line of a file is a row, if it is one.
    NoHeader,
    /// Leave a column out.
    LeaveOut {
        /// The column.
        column: String,
    },
    /// Give the key of a table.
    GiveKey {
        /// The table; empty for the main one.
        table: String,
        /// The column that it may be.
        column: Option<String>,
    },
    /// Say which of its times counts for a table.
    GiveTime {
        /// The table.
        table: String,
        /// One of the columns that it may be.
        column: String,
    },
    /// Say that the records of a table have no time.
    Timeless {
        /// The table.
        table: String,
    },
    /// Write a schema file anew.
    WriteSchema {
        /// Is it one of several tables?
        several: bool,
    },
    /// Perhaps this name was meant.
    DidYouMean(String),
    /// Choose one of these.
    OneOf(Vec<String>),
    /// Train the model anew.
    TrainAgain,
    /// Take the preset of Khiops, or look for interactions as the default preset does.
    Interactions,
    /// The model is newer than the program.
    UseNewerVersion,
    /// Advice that names nothing of a front end.
    Text(String),
    /// One of several steps.
    AnyOf(Vec<Self>),
}

impl Advice {
    /// A text, or another step.
    ///
    /// ```
    /// use fnb::Advice;
    /// let advice = Advice::either("correct it", Advice::DeclareMissing { texts: vec!["n/a".into()] });
    /// assert_eq!(advice.to_string(), "correct it, or declare \"n/a\" missing");
    /// ```
    #[must_use]
    pub fn either(text: impl Into<String>, other: Self) -> Self {
        Self::AnyOf(vec![Self::Text(text.into()), other])
    }

    /// The name that was perhaps meant, or another step if there is none.
    ///
    /// ```
    /// use fnb::{Advice, math::nearest_name};
    /// let nearest = nearest_name("incme", ["age", "income"].into_iter());
    /// let advice = Advice::did_you_mean(nearest, "names are those of the header");
    /// assert_eq!(advice, Advice::DidYouMean("income".into()));
    /// ```
    #[must_use]
    pub fn did_you_mean(nearest: Option<&str>, otherwise: impl Into<Self>) -> Self {
        match nearest {
            Some(name) => Self::DidYouMean(name.to_owned()),
            None => otherwise.into(),
        }
    }

    /// The advice in the words of a front end: `special` words what it has an option for, and returns `None`
    /// for the rest; what it gives an empty text for is left out.
    pub fn worded(&self, special: &dyn Fn(&Self) -> Option<String>) -> String {
        match (special(self), self) {
            (Some(text), _) => text,
            (None, Self::AnyOf(steps)) => join(steps.iter().map(|step| step.worded(special))),
            (None, advice) => advice.to_string(),
        }
    }
}

/// Steps to choose from; one that says when it is to be taken stands apart.
fn join(steps: impl Iterator<Item = String>) -> String {
    let steps = steps.filter(|step| !step.is_empty());
    steps.fold(String::new(), |before, step| match before.as_str() {
        "" => step,
        before if step.starts_with("if ") => format!("{before}; {step}"),
        before => format!("{before}, or {step}"),
    })
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadAs { column, ty } => write!(f, "read column {column:?} as {}", ty.plural()),
            Self::DeclareMissing { texts } => {
                let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
                write!(f, "declare {} missing", texts.join(", "))
            }
            Self::Separator => f.write_str("check separators and quotes in that line"),
            Self::NoHeader => f.write_str("if its first line is a row, say so"),
            Self::LeaveOut { column } => write!(f, "leave column {column:?} out"),
            Self::GiveKey { table, column } => {
                let example = column.as_ref();
                let example = example.map_or(String::new(), |c| format!(", for instance {c:?}"));
                match table.as_str() {
                    "" => write!(f, "give the key of the main table{example}"),
                    table => write!(f, "give the key of table {table:?}{example}"),
                }
            }
            Self::GiveTime { table, column } => {
                write!(
                    f,
                    "say which counts for table {table:?}, for instance {column:?}"
                )
            }
            Self::Timeless { table } => {
                write!(
                    f,
                    "say that all records of table {table:?} may be seen at any time"
                )
            }
            Self::WriteSchema { .. } => f.write_str("write the schema file anew and edit that"),
            Self::DidYouMean(name) => write!(f, "did you mean {name:?}?"),
            Self::OneOf(choices) => write!(f, "one of {}", choices.join(", ")),
            Self::TrainAgain => f.write_str("train the model anew"),
            Self::Interactions => f.write_str(
                "take the preset of Khiops, or look for interactions with the default preset",
            ),
            Self::UseNewerVersion => f.write_str("use a newer version of this program"),
            Self::Text(text) => f.write_str(text),
            Self::AnyOf(steps) => f.write_str(&join(steps.iter().map(ToString::to_string))),
        }
    }
}

impl From<String> for Advice {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Advice {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    fn check(folder: &Path) {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                check(&path);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            for (number, line) in text.lines().enumerate() {
                let line = line.trim_start();
                // What follows the first quote of a line of code, or a line of a longer text.
                let is_comment = line.starts_with("//");
                let option = line
                    .match_indices("--")
                    .any(|(at, _)| line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()));
                let place = format!("{}:{}", path.display(), number + 1);
                assert!(is_comment || !option, "{place} names an option: {line}");
            }
        }
    }

    /// The libraries have users who type no options.
    #[test]
    fn no_text_of_a_library_names_an_option() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        check(&crates.join("fnb/src"));
        check(&crates.join("fnb-table/src"));
    }
}
