//! What the caller may say about the data.

use crate::names;
use crate::schema::TableSchema;
use fnb::columns::{ColumnType, Role, Spelling};

/// What is said of a column: by a user, a schema file or a model.
///
/// ```
/// use fnb::columns::ColumnType;
/// use fnb_table::Expected;
/// let age = Expected::needed("age", ColumnType::Numerical);
/// assert!(age.required && age.must_parse);
/// let zips = Expected::like("zip*", ColumnType::Categorical);
/// assert!(zips.required && !zips.must_parse);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// Its name.
    pub name: String,
    /// Its type; found out if it is not said.
    pub ty: Option<ColumnType>,
    /// What is done with it. Keys and targets are read as they are written, whatever their type.
    pub role: Role,
    /// The order of day and month where the year is last.
    pub order: DayOrder,
    /// How categories are to be spelt that mean the same: truth values and whole numbers.
    pub spelling: Option<Spelling>,
    /// Is its absence an error? Otherwise the frame is without it.
    pub required: bool,
    /// Is a field that is not a number an error (D07)? Otherwise it is missing.
    pub must_parse: bool,
    /// Who says so.
    pub by: SaidBy,
}

/// The order of day and month in dates whose year is last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DayOrder {
    /// Found out over all rows. A stream of blocks does not see them all: there it is not known.
    #[default]
    Detect,
    /// `31/12/2024`.
    DayFirst,
    /// `12/31/2024`.
    MonthFirst,
    /// The training data had no such dates: one that may be read in two ways is an error (D19).
    Unknown,
}

impl DayOrder {
    /// What a model knows of it.
    pub(crate) fn known(month_first: Option<bool>) -> Self {
        match month_first {
            Some(false) => Self::DayFirst,
            Some(true) => Self::MonthFirst,
            None => Self::Unknown,
        }
    }
}

/// Who says something of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SaidBy {
    /// The caller: the name is exact.
    Caller,
    /// A user: a name that is no column may be a pattern with `*` and `?`.
    Pattern,
    /// A schema file: the name is exact, and messages tell that it is there.
    Schema,
}

impl Expected {
    fn new(name: impl Into<String>, ty: Option<ColumnType>, role: Role, by: SaidBy) -> Self {
        Self {
            name: name.into(),
            ty,
            role,
            order: DayOrder::Detect,
            spelling: None,
            required: true,
            must_parse: false,
            by,
        }
    }

    /// A column of that very name, of which nothing is said.
    pub(crate) fn input(name: impl Into<String>) -> Self {
        Self::new(name, None, Role::Input, SaidBy::Caller)
    }

    /// A column that a model needs: absence and texts among its numbers are errors.
    pub fn needed(name: impl Into<String>, ty: ColumnType) -> Self {
        Self {
            must_parse: true,
            ..Self::new(name, Some(ty), Role::Input, SaidBy::Caller)
        }
    }

    /// The same of a column that may be absent.
    pub fn welcome(name: impl Into<String>, ty: ColumnType) -> Self {
        Self {
            required: false,
            ..Self::needed(name, ty)
        }
    }

    /// A column that must be there, with a type: what does not fit the type is missing.
    pub fn typed(name: impl Into<String>, ty: ColumnType) -> Self {
        Self::new(name, Some(ty), Role::Input, SaidBy::Caller)
    }

    /// The same of every column whose name matches a pattern.
    pub fn like(pattern: impl Into<String>, ty: ColumnType) -> Self {
        Self::new(pattern, Some(ty), Role::Input, SaidBy::Pattern)
    }

    /// Columns that are kept out of the analysis.
    pub fn ignored(pattern: impl Into<String>) -> Self {
        Self::new(pattern, None, Role::Ignored, SaidBy::Pattern)
    }

    /// The column to predict, which must be there.
    pub fn target(name: impl Into<String>) -> Self {
        Self::new(name, None, Role::Target, SaidBy::Caller)
    }

    /// A key, which must be there.
    pub fn key(name: impl Into<String>) -> Self {
        Self::new(name, None, Role::Key, SaidBy::Caller)
    }

    /// A key, if there is a column of that name.
    pub fn key_if_any(name: impl Into<String>) -> Self {
        Self {
            required: false,
            ..Self::key(name)
        }
    }

    /// What a schema file says.
    pub(crate) fn in_schema(name: &str, ty: Option<ColumnType>, role: Role) -> Self {
        Self::new(name, ty, role, SaidBy::Schema)
    }

    /// What a user says by a word: a type, or `ignore`. Fails with what the words are.
    ///
    /// ```
    /// use fnb::columns::{ColumnType, Role};
    /// use fnb_table::Expected;
    /// assert_eq!(Expected::in_a_word("zip", "cat"), Ok(Expected::like("zip", ColumnType::Categorical)));
    /// assert_eq!(Expected::in_a_word("zip", "ignore"), Ok(Expected::ignored("zip")));
    /// assert!(Expected::in_a_word("zip", "dog").is_err_and(|message| message.ends_with(", text or ignore")));
    /// ```
    pub fn in_a_word(name: &str, word: &str) -> Result<Self, String> {
        if is_ignore(word) {
            return Ok(Self::ignored(name));
        }
        match word.parse() {
            Ok(ty) => Ok(Self::like(name, ty)),
            Err(_) => Err(format!("{word:?} is not a type: {}", type_words())),
        }
    }

    /// Is it right whatever else is said of the column?
    pub(crate) fn is_strong(&self) -> bool {
        matches!(self.role, Role::Key | Role::Target)
    }

    /// Its type when it has its role: keys and targets are categories.
    pub fn effective_type(&self) -> Option<ColumnType> {
        match self.role {
            Role::Key | Role::Target => Some(ColumnType::Categorical),
            Role::Input => self.ty,
            Role::Ignored => None,
        }
    }
}

/// The word for a column that is kept out, where words for types are given.
pub(crate) fn is_ignore(word: &str) -> bool {
    matches!(word, "ignore" | "ignored")
}

/// Every word that may follow the name of a column, for help and messages.
///
/// ```
/// let words = fnb_table::type_words();
/// assert!(words.contains("timestamptz") && words.ends_with("text or ignore"));
/// ```
pub fn type_words() -> String {
    format!("{} or ignore", ColumnType::words())
}

/// How to read a table; everything is detected by default.
///
/// A name that must be there and is no column is an error (D10) that suggests the nearest name.
#[derive(Debug, Clone, Default)]
pub struct ReadOptions {
    /// The separator of text files.
    pub separator: Option<u8>,
    /// Is the first line of text files a header?
    pub header: Option<bool>,
    /// Texts that mean missing, besides the empty field.
    pub na: Vec<String>,
    /// What is said of columns: see [`by_strength`](Self::by_strength).
    pub columns: Vec<Expected>,
    /// For scoring: read just `columns`, in that order, instead of all.
    pub only: bool,
    /// Columns that are not read at all, unless they are keys or the target; names may be patterns.
    pub drop: Vec<String>,
    /// Is a table without rows a table? Otherwise it is an error (D04).
    pub may_be_empty: bool,
    /// Columns that [`batches`](crate::batches) hands over verbatim besides the frame.
    pub keep: Vec<String>,
}

impl ReadOptions {
    /// Options that read just these columns.
    ///
    /// ```
    /// use fnb::columns::ColumnType;
    /// use fnb_table::{Expected, ReadOptions};
    /// let options = ReadOptions::only(vec![Expected::needed("age", ColumnType::Numerical)]);
    /// assert!(options.only);
    /// ```
    pub fn only(columns: Vec<Expected>) -> Self {
        Self {
            columns,
            only: true,
            ..Self::default()
        }
    }

    /// The same for some columns alone, none of which is a key or the target: as they would be read
    /// otherwise.
    ///
    /// ```
    /// use fnb::columns::ColumnType;
    /// use fnb_table::{Expected, ReadOptions};
    /// let columns = vec![Expected::like("z*", ColumnType::Categorical), Expected::key("at")];
    /// let options = ReadOptions { columns, ..ReadOptions::default() };
    /// let alone = options.just(&["at".to_owned(), "zip".to_owned()]);
    /// let types: Vec<_> = alone.columns.iter().map(|column| column.ty).collect();
    /// assert_eq!(types, [None, Some(ColumnType::Categorical)]);
    /// ```
    #[must_use]
    pub fn just(&self, columns: &[String]) -> Self {
        let column = |name: &String| {
            let weak = self.columns.iter().filter(|said| !said.is_strong());
            let mut about = weak.filter(|said| match said.by {
                SaidBy::Pattern => names::matches(&said.name, name),
                SaidBy::Caller | SaidBy::Schema => said.name == *name,
            });
            let said = about.next_back().filter(|said| said.role == Role::Input);
            Expected {
                ty: said.and_then(|said| said.ty),
                order: said.map_or(DayOrder::Detect, |said| said.order),
                role: Role::Input,
                ..Expected::key(name)
            }
        };
        Self {
            columns: columns.iter().map(column).collect(),
            only: true,
            drop: Vec::new(),
            keep: Vec::new(),
            ..self.clone()
        }
    }

    /// The same with what a schema file says, as far as nothing else is said already.
    #[must_use]
    pub fn with_schema(mut self, schema: &TableSchema) -> Self {
        self.separator = self.separator.or(schema.separator.map(|c| c as u8));
        self.header = self.header.or(schema.header);
        self.columns.splice(0..0, schema.expected());
        self
    }

    /// Is a column to be left out?
    ///
    /// ```
    /// let options = fnb_table::ReadOptions { drop: vec!["id*".to_owned()], ..Default::default() };
    /// assert!(options.drops("id_2") && !options.drops("paid"));
    /// ```
    pub fn drops(&self, column: &str) -> bool {
        let named = |wanted: &String| wanted == column || names::matches(wanted, column);
        self.drop.iter().any(named)
    }

    /// What is said of columns, in the order in which it is to be taken: the last that speaks of a column
    /// is right. Keys and the target come last, the others in the order of [`columns`](Self::columns).
    pub fn by_strength(&self) -> impl Iterator<Item = &Expected> {
        let weak = self.columns.iter().filter(|said| !said.is_strong());
        weak.chain(self.columns.iter().filter(|said| said.is_strong()))
    }
}
