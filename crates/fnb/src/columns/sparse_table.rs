//! Tables of (row, feature, value): a sparse column per feature.

use super::{
    CategoricalColumn, Column, ColumnData, ColumnType, Frame, NumericColumn, Role, SparseColumn,
};
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use hashbrown::HashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where sparse columns come from: a table with a line per value that is not 0.
///
/// The column of a feature is named after the table and the feature, as in `words.graphics`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SparseTable {
    /// Its name, without dot.
    pub name: String,
    /// The column that tells the row: of that name here and in the main table.
    pub key: String,
    /// The column that tells the feature.
    pub feature: String,
    /// The column of the values; without it they are all 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Number of features, those without any value included: each is a variable that could have
    /// been chosen.
    pub features: usize,
}

impl SparseTable {
    /// The name of the column of a feature.
    ///
    /// ```
    /// use fnb::columns::SparseTable;
    /// # let [key, feature] = ["doc".to_owned(), "word".to_owned()];
    /// let words = SparseTable { name: "words".into(), key, feature, value: None, features: 9 };
    /// assert_eq!(words.column_of("v1.2"), "words.v1.2");
    /// assert_eq!(words.feature_of("words.v1.2"), Some("v1.2"));
    /// assert_eq!(words.feature_of("wordsmith"), None);
    /// ```
    pub fn column_of(&self, feature: &str) -> String {
        format!("{}.{feature}", self.name)
    }

    /// The feature of a column, if it is one of this table.
    pub fn feature_of<'a>(&self, column: &'a str) -> Option<&'a str> {
        column.strip_prefix(&self.name)?.strip_prefix('.')
    }
}

/// The content of a [`SparseTable`], by key.
#[derive(Debug, Clone)]
pub struct SparseEntries {
    table: SparseTable,
    /// In byte order.
    features: Vec<String>,
    code_of_key: HashMap<String, u32>,
    /// The entries of key `i` are `entries[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    /// Positions of features, increasing for each key, and their values.
    entries: Vec<(u32, f64)>,
}

/// How the lines of a sparse table met the rows of the main one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SparseMatch {
    /// Features that became columns.
    pub features: usize,
    /// Lines of the sparse table.
    pub entries: usize,
    /// Lines whose key no row has; they are ignored.
    pub orphans: usize,
    /// Rows without any line: all their features are 0.
    pub empty_rows: usize,
}

impl SparseEntries {
    /// The lines of a sparse table, in any order: key, feature and value of each. `only` leaves out
    /// other features, and makes columns of just these, found or not.
    ///
    /// A key or feature that is missing and a feature that a key has twice are errors; a missing
    /// value is one.
    pub fn new(
        mut table: SparseTable,
        keys: &CategoricalColumn,
        features: &CategoricalColumn,
        values: Option<&NumericColumn>,
        only: Option<&[String]>,
    ) -> Result<Self> {
        check_name(&table.name)?;
        let names = names(features, only);
        let position_of_code = positions(features, &names);
        let mut code_of_key = HashMap::with_capacity(keys.values().len());
        for (code, key) in keys.values().iter().enumerate() {
            code_of_key.extend(key.map(|key| (key.to_owned(), code as u32)));
        }
        let absent = |column: &str, line: usize| {
            let message = format!("{column} is missing in row {}", line + 1);
            Error::new(Code::UnusableData, message)
                .help("every row of a sparse table needs its key and its feature")
        };
        let mut starts = vec![0; keys.values().len() + 1];
        for (line, (&key, &feature)) in keys.codes().iter().zip(features.codes()).enumerate() {
            if keys.values().missing() == Some(key) {
                return Err(absent(&table.key, line));
            }
            if features.values().missing() == Some(feature) {
                return Err(absent(&table.feature, line));
            }
            starts[key as usize + 1] += usize::from(position_of_code[feature as usize].is_some());
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        let mut next = starts.clone();
        let mut entries = vec![(0, 1.0); starts[starts.len() - 1]];
        for (line, (&key, &feature)) in keys.codes().iter().zip(features.codes()).enumerate() {
            if let Some(position) = position_of_code[feature as usize] {
                let value = values.map_or(1.0, |values| values.values()[line]);
                entries[next[key as usize]] = (position, value);
                next[key as usize] += 1;
            }
        }
        for (key, &[start, end]) in starts.array_windows().enumerate() {
            let own = &mut entries[start..end];
            own.sort_unstable_by_key(|&(feature, _)| feature);
            if let Some([(twice, _), _]) = own.array_windows().find(|[a, b]| a.0 == b.0) {
                let key = keys.values().get(key as u32).unwrap_or_default();
                return Err(told_twice(&table, key, &names[*twice as usize]));
            }
        }
        table.features = names.len();
        Ok(Self {
            table,
            features: names,
            code_of_key,
            starts,
            entries,
        })
    }

    /// Says how many features there are, those without any value included.
    pub fn set_features(&mut self, features: usize) -> Result<()> {
        let known = self.features.len();
        if features < known {
            let name = &self.table.name;
            let message = format!("{name} has {known} features, more than {features}");
            return Err(Error::new(Code::Usage, message).help("count all of them"));
        }
        self.table.features = features;
        Ok(())
    }

    /// The table.
    pub fn table(&self) -> &SparseTable {
        &self.table
    }

    /// The features, in the order of their columns.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    fn of_key(&self, key: Option<&str>) -> &[(u32, f64)] {
        match key.and_then(|key| self.code_of_key.get(key)) {
            Some(&code) => {
                &self.entries[self.starts[code as usize]..self.starts[code as usize + 1]]
            }
            None => &[],
        }
    }

    /// A column per feature for rows that have these keys, and what did not match. Rows of the same
    /// key have the same values.
    ///
    /// ```
    /// use fnb::columns::{CategoricalColumn, ColumnData, SparseEntries, SparseTable};
    /// let table = SparseTable {
    ///     name: "words".into(),
    ///     key: "doc".into(),
    ///     feature: "word".into(),
    ///     value: None,
    ///     features: 0,
    /// };
    /// let docs: CategoricalColumn = ["b", "a", "b"].map(Some).into_iter().collect();
    /// let words: CategoricalColumn = ["up", "up", "down"].map(Some).into_iter().collect();
    /// let entries = SparseEntries::new(table, &docs, &words, None, None)?;
    /// let keys: CategoricalColumn = ["a", "c", "b"].map(Some).into_iter().collect();
    /// let (columns, found) = entries.columns(&keys);
    /// assert_eq!(columns[0].name, "words.down");
    /// let ColumnData::Sparse(down) = &columns[0].data else { unreachable!() };
    /// assert_eq!(down.entries().collect::<Vec<_>>(), [(2, 1.0)]);
    /// assert_eq!((found.features, found.empty_rows), (2, 1));
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn columns(&self, keys: &CategoricalColumn) -> (Vec<Column>, SparseMatch) {
        let of_code: Vec<&[(u32, f64)]> =
            keys.values().iter().map(|key| self.of_key(key)).collect();
        let mut by_feature: Vec<Vec<(u32, f64)>> = vec![Vec::new(); self.features.len()];
        let mut empty_rows = 0;
        for (row, &code) in keys.codes().iter().enumerate() {
            let own = of_code[code as usize];
            empty_rows += usize::from(own.is_empty());
            for &(feature, value) in own {
                by_feature[feature as usize].push((row as u32, value));
            }
        }
        let matched: usize = of_code.iter().map(|own| own.len()).sum();
        let columns = self.features.iter().zip(by_feature);
        let columns = columns.map(|(feature, entries)| Column {
            name: self.table.column_of(feature),
            data: ColumnData::Sparse(SparseColumn::from_sorted(keys.len(), entries)),
        });
        let found = SparseMatch {
            features: self.features.len(),
            entries: self.entries.len(),
            orphans: self.entries.len() - matched,
            empty_rows,
        };
        (columns.collect(), found)
    }
}

impl Frame {
    /// The frame with the columns of sparse tables besides its own. The keys are not inputs any
    /// more.
    pub fn with_sparse_tables(self, tables: &[SparseEntries]) -> Result<(Self, Vec<SparseMatch>)> {
        self.with_sparse_tables_beside(tables, &[])
    }

    /// The same where some keys also join other tables: those stay columns as they are.
    pub fn with_sparse_tables_beside(
        self,
        tables: &[SparseEntries],
        kept: &[&str],
    ) -> Result<(Self, Vec<SparseMatch>)> {
        let rows = self.rows;
        let mut found = Vec::with_capacity(tables.len());
        let mut added = Vec::new();
        for entries in tables {
            let table = &entries.table;
            if let Some(column) = self
                .columns
                .iter()
                .find(|column| could_be_feature(table, column))
            {
                let name = &table.name;
                let message = format!("column {:?} could be a feature of {name:?}", column.name);
                return Err(Error::new(Code::DuplicateColumn, message)
                    .help("give the sparse table another name"));
            }
            let (columns, matched) = entries.columns(self.key_column(&table.key)?);
            added.extend(columns);
            found.push(matched);
        }
        let mut columns = self.columns;
        for column in &mut columns {
            let is_key = tables.iter().any(|t| t.table.key == column.name);
            if is_key && !kept.contains(&column.name.as_str()) {
                column.data = ColumnData::Unused(Role::Key);
            }
        }
        columns.extend(added);
        let mut frame = Self::new(rows, columns)?;
        frame.sparse_tables = tables.iter().map(|t| t.table.clone()).collect();
        Ok((frame, found))
    }

    fn key_column(&self, key: &str) -> Result<&CategoricalColumn> {
        match self.column(key).map(|column| &column.data) {
            Some(ColumnData::Categorical(keys)) => Ok(keys),
            Some(_) => {
                let message = format!("the key {key:?} is not read as categories");
                Err(
                    Error::new(Code::UnsupportedType, message).help(Advice::ReadAs {
                        column: key.to_owned(),
                        ty: ColumnType::Categorical,
                    }),
                )
            }
            None => {
                let message = format!("the key {key:?} is no column of the main table");
                let names = self.columns.iter().map(|column| column.name.as_str());
                let help = match nearest_name(key, names) {
                    Some(name) => format!("is it {name:?}? the key has one name in both tables"),
                    None => "the key has one name in both tables".into(),
                };
                Err(Error::new(Code::UnknownColumn, message).help(help))
            }
        }
    }
}

/// May a column, or a variable made of it, such as `words.WeekDay`, have the name of a feature?
fn could_be_feature(table: &SparseTable, column: &Column) -> bool {
    let makes_variables = matches!(column.data, ColumnData::Temporal(_) | ColumnData::Text(_));
    makes_variables && column.name == table.name || table.feature_of(&column.name).is_some()
}

/// A dot would make `a.b.c` a feature of `a` and of `a.b`.
fn check_name(name: &str) -> Result<()> {
    if name.is_empty() || name.contains('.') {
        let message = format!("{name:?} cannot be the name of a sparse table");
        return Err(Error::new(Code::Usage, message).help("choose one without dot, as words"));
    }
    Ok(())
}

fn told_twice(table: &SparseTable, key: &str, feature: &str) -> Error {
    let SparseTable {
        key: key_column,
        feature: feature_column,
        ..
    } = table;
    let message =
        format!("two rows have {key_column} = {key:?} and {feature_column} = {feature:?}");
    Error::new(Code::UnusableData, message)
        .help("list each feature of a key once; add up values that are counts")
}

/// The features in byte order, whatever their order in the table.
fn names(features: &CategoricalColumn, only: Option<&[String]>) -> Vec<String> {
    let found = || features.values().iter().flatten().map(str::to_owned);
    let mut names: Vec<String> = only.map_or_else(|| found().collect(), <[String]>::to_vec);
    names.sort_unstable();
    names.dedup();
    names
}

/// The position of each distinct feature among the names, unless it is left out.
fn positions(features: &CategoricalColumn, names: &[String]) -> Vec<Option<u32>> {
    let position = |feature: Option<&str>| {
        let feature = feature?;
        let found = names.binary_search_by(|name| name.as_str().cmp(feature));
        found.ok().map(|position| position as u32)
    };
    features.values().iter().map(position).collect()
}
