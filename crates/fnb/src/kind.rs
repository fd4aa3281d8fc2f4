//! What the values of a column are, and what is done with them.
//!
//! The one list of types: reader, schema files, construction, model file and program speak of it. What is
//! done with a column is its [`Role`], never a type.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::str::FromStr;

/// What the values of a column are.
///
/// It has one spelling, in lower case, wherever it is written. Two short words, and any capital letters,
/// are understood as well.
///
/// ```
/// use fnb::columns::ColumnType;
/// assert_eq!(ColumnType::TimestampTz.as_str(), "timestamptz");
/// for ty in ColumnType::ALL {
///     assert_eq!(ty.as_str().parse(), Ok(ty));
/// }
/// assert_eq!("num".parse(), Ok(ColumnType::Numerical));
/// assert_eq!("Categorical".parse(), Ok(ColumnType::Categorical));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "What the values of a column are.")]
pub enum ColumnType {
    /// Numbers.
    Numerical,
    /// Categories; missing is the empty text.
    Categorical,
    /// Dates.
    Date,
    /// Times of day.
    Time,
    /// Dates with a time of day.
    Timestamp,
    /// The same with a zone.
    TimestampTz,
    /// Long text.
    Text,
}

impl ColumnType {
    /// Every type, in the order of their declaration.
    pub const ALL: [Self; 7] = [
        Self::Numerical,
        Self::Categorical,
        Self::Date,
        Self::Time,
        Self::Timestamp,
        Self::TimestampTz,
        Self::Text,
    ];

    /// The type as it is written in files, options and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Numerical => "numerical",
            Self::Categorical => "categorical",
            Self::Date => "date",
            Self::Time => "time",
            Self::Timestamp => "timestamp",
            Self::TimestampTz => "timestamptz",
            Self::Text => "text",
        }
    }

    /// The shortest word for it.
    pub fn short(self) -> &'static str {
        match self {
            Self::Numerical => "num",
            Self::Categorical => "cat",
            other => other.as_str(),
        }
    }

    /// Its values in words: `numbers`, `dates`.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Numerical => "numbers",
            Self::Categorical => "categories",
            Self::Date => "dates",
            Self::Time => "times of day",
            Self::Timestamp => "timestamps",
            Self::TimestampTz => "timestamps with a zone",
            Self::Text => "texts",
        }
    }

    /// Every word that is understood, for messages.
    ///
    /// ```
    /// let words = fnb::columns::ColumnType::words();
    /// assert!(words.starts_with("numerical (num), categorical (cat), date, "));
    /// ```
    pub fn words() -> String {
        let word = |ty: Self| match ty.short() {
            short if short == ty.as_str() => short.to_owned(),
            short => format!("{ty} ({short})"),
        };
        Self::ALL.map(word).join(", ")
    }

    /// Which of the types of points in time it is, if it is one.
    pub fn temporal(self) -> Option<Temporal> {
        Temporal::ALL
            .into_iter()
            .find(|kind| Self::from(*kind) == self)
    }

    /// Is it an input as it is? Of other columns, variables are made.
    pub fn is_input(self) -> bool {
        matches!(self, Self::Numerical | Self::Categorical)
    }
}

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ColumnType {
    type Err = UnknownType;

    fn from_str(word: &str) -> Result<Self, UnknownType> {
        let lower = word.to_ascii_lowercase();
        let is_meant = |ty: &Self| ty.as_str() == lower || ty.short() == lower;
        let found = Self::ALL.into_iter().find(is_meant);
        found.ok_or_else(|| UnknownType(word.to_owned()))
    }
}

/// Capital letters are understood: schema files of several tables used to have them.
impl<'de> Deserialize<'de> for ColumnType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        word.parse().map_err(serde::de::Error::custom)
    }
}

/// A word that is no type.
///
/// ```
/// use fnb::columns::ColumnType;
/// let error = "dog".parse::<ColumnType>().expect_err("no type");
/// assert!(error.to_string().starts_with("\"dog\" is not a type: numerical (num), "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a type: {words}", words = ColumnType::words())]
pub struct UnknownType(String);

/// The types of points in time: those of a [`TemporalColumn`](crate::columns::TemporalColumn).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Temporal {
    /// Days since 1970-01-01.
    Date,
    /// Microseconds since midnight.
    Time,
    /// Microseconds since 1970-01-01 00:00:00, by the clock on the wall or by that of UTC.
    Timestamp,
    /// Moments, each with the offset of its zone: see
    /// [`TemporalColumn::zoned`](crate::columns::TemporalColumn::zoned).
    TimestampTz,
}

impl Temporal {
    /// Every one.
    pub const ALL: [Self; 4] = [Self::Date, Self::Time, Self::Timestamp, Self::TimestampTz];

    /// Does it tell the day, so that one may be before another?
    pub fn has_day(self) -> bool {
        self != Self::Time
    }

    /// Can its values be read as those of another type? A date is the timestamp of its midnight, a
    /// timestamp has a date and a time.
    pub fn can_be(self, other: Self) -> bool {
        match self {
            Self::Date => other.has_day(),
            Self::Time => other == Self::Time,
            Self::Timestamp | Self::TimestampTz => true,
        }
    }
}

impl From<Temporal> for ColumnType {
    fn from(kind: Temporal) -> Self {
        match kind {
            Temporal::Date => Self::Date,
            Temporal::Time => Self::Time,
            Temporal::Timestamp => Self::Timestamp,
            Temporal::TimestampTz => Self::TimestampTz,
        }
    }
}

/// The two kinds of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum VariableKind {
    /// Numbers, cut into intervals.
    Numerical,
    /// Categories, put into groups.
    Categorical,
}

impl VariableKind {
    /// The kind as it is written: that of its [`ColumnType`].
    pub fn as_str(self) -> &'static str {
        ColumnType::from(self).as_str()
    }
}

impl From<VariableKind> for ColumnType {
    fn from(kind: VariableKind) -> Self {
        match kind {
            VariableKind::Numerical => Self::Numerical,
            VariableKind::Categorical => Self::Categorical,
        }
    }
}

/// What is done with a column.
///
/// ```
/// use fnb::columns::{ColumnType, Role};
/// assert_eq!(Role::default(), Role::Input);
/// assert_eq!(Role::Key.or_type(Some(ColumnType::Categorical)), "key");
/// assert_eq!(Role::Input.or_type(Some(ColumnType::Categorical)), "categorical");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(description = "What is done with a column.")]
pub enum Role {
    /// It is a variable, or variables are made of it.
    #[default]
    Input,
    /// It is predicted.
    Target,
    /// It tells the rows that belong together in several tables.
    Key,
    /// Nothing: it was left out on demand, or its values cannot be read.
    Ignored,
}

impl Role {
    /// The role as it is written in files and messages.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Target => "target",
            Self::Key => "key",
            Self::Ignored => "ignored",
        }
    }

    /// Is it that of an input?
    pub fn is_input(&self) -> bool {
        *self == Self::Input
    }

    /// What is shown of a column: its role if it is not an input, and else its type.
    pub fn or_type(self, ty: Option<ColumnType>) -> &'static str {
        match (self, ty) {
            (Self::Input, Some(ty)) => ty.as_str(),
            (role, _) => role.as_str(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::{Path, PathBuf};

    #[test]
    fn one_spelling_and_those_of_old_files() {
        for ty in ColumnType::ALL {
            let json = format!("\"{ty}\"");
            assert_eq!(serde_json::to_string(&ty).ok(), Some(json.clone()));
            assert_eq!(serde_json::from_str::<ColumnType>(&json).ok(), Some(ty));
            let capitalised = match ty {
                ColumnType::TimestampTz => "\"TimestampTZ\"".to_owned(),
                ty => format!("\"{ty:?}\""),
            };
            assert_eq!(
                serde_json::from_str::<ColumnType>(&capitalised).ok(),
                Some(ty)
            );
        }
        let error = serde_json::from_str::<ColumnType>("\"key\"").expect_err("a role");
        for ty in ColumnType::ALL {
            assert!(error.to_string().contains(ty.as_str()), "{error}");
        }
    }

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in folder.read_dir().expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }

    /// Does the code of a file, tests and comments apart, tell types of points in time apart?
    fn tells_types_apart(text: &str) -> bool {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let code = code.collect::<Vec<_>>().join("\n");
        let names = |ty: &ColumnType| {
            let variants =
                ["ColumnType", "Temporal", "Family"].map(|list| format!("{list}::{ty:?}"));
            let is_named = |variant: &String| {
                let mut places = code.match_indices(variant.as_str());
                let next = |at: usize| code[at + variant.len()..].chars().next();
                places.any(|(at, _)| !next(at).is_some_and(char::is_alphanumeric))
            };
            variants.iter().any(is_named)
        };
        let temporal = ColumnType::ALL
            .into_iter()
            .filter(|ty| ty.temporal().is_some());
        temporal.filter(names).count() > 0
    }

    /// The files to touch for a new type are those that CONTRIBUTING.md lists.
    #[test]
    fn types_are_told_apart_in_few_files() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut files = Vec::new();
        for folder in ["fnb", "fnb-table", "fnb-cli", "fnb-python"] {
            sources(&crates.join(folder).join("src"), &mut files);
        }
        let is_test = |path: &Path| path.components().any(|part| part.as_os_str() == "tests");
        let mut found = BTreeSet::new();
        for path in files.iter().filter(|path| !is_test(path)) {
            if tells_types_apart(&std::fs::read_to_string(path).expect("a source")) {
                let path = path.strip_prefix(&crates).expect("a file of a crate");
                found.insert(path.display().to_string());
            }
        }
        let contributing = crates.join("../CONTRIBUTING.md");
        let contributing = std::fs::read_to_string(contributing).expect("CONTRIBUTING.md");
        let recipe = contributing
            .split("**Add a column type.**")
            .nth(1)
            .expect("a recipe");
        let recipe = recipe.split("\n**").next().unwrap_or_default();
        let listed: BTreeSet<String> = recipe
            .split('`')
            .filter(|word| word.contains("/src/"))
            .map(str::to_owned)
            .collect();
        assert!(listed.len() < 10, "{listed:?}");
        assert!(
            found.is_subset(&listed),
            "{found:?} is not among {listed:?}"
        );
    }
}
