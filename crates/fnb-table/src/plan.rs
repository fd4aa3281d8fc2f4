//! From the names of the columns and the wishes of the caller to what is done with each column.

use crate::header::Header;
use crate::names;
use crate::options::{DayOrder, Expected, ReadOptions, SaidBy};
use fnb::columns::{ColumnType, Role, Spelling, Temporal};
use fnb::{Advice, Code, Error, Result};
use hashbrown::HashMap;

/// What to do with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Find out what it is.
    Detect,
    /// Read numbers; a field that is none is missing, or an error.
    Number { must_parse: bool },
    /// Read categories, and spell those that mean the same as they were spelt.
    Category { spelling: Option<Spelling> },
    /// Read dates, times or timestamps; anything else is missing.
    Temporal { kind: Temporal, order: DayOrder },
    /// Read long text.
    Text,
    /// Do not look at it.
    Unused(Role),
}

/// The one place where types and roles become work.
impl From<&Expected> for Want {
    fn from(said: &Expected) -> Self {
        if said.role == Role::Ignored {
            return Want::Unused(said.role);
        }
        let Some(ty) = said.effective_type() else {
            return Want::Detect;
        };
        match (ty, ty.temporal()) {
            (_, Some(kind)) => Want::Temporal {
                kind,
                order: said.order,
            },
            (ColumnType::Numerical, _) => Want::Number {
                must_parse: said.must_parse,
            },
            (ColumnType::Text, _) => Want::Text,
            (_, None) => Want::Category {
                spelling: said.spelling,
            },
        }
    }
}

impl Want {
    /// What is to be said of a column so that this is done with it.
    pub(crate) fn expected(self, name: String) -> Expected {
        let mut said = Expected::input(name);
        said.ty = self.column_type();
        match self {
            Want::Number { must_parse } => said.must_parse = must_parse,
            Want::Category { spelling } => said.spelling = spelling,
            Want::Temporal { order, .. } => said.order = order,
            Want::Unused(role) => said.role = role,
            Want::Detect | Want::Text => {}
        }
        said
    }

    /// The type of what is read; none of a column that is not looked at, or not yet.
    pub(crate) fn column_type(self) -> Option<ColumnType> {
        match self {
            Want::Number { .. } => Some(ColumnType::Numerical),
            Want::Category { .. } => Some(ColumnType::Categorical),
            Want::Temporal { kind, .. } => Some(kind.into()),
            Want::Text => Some(ColumnType::Text),
            Want::Detect | Want::Unused(_) => None,
        }
    }
}

/// A column of the frame to come.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) name: String,
    pub(crate) want: Want,
    /// Its place in the source.
    pub(crate) source: usize,
}

/// What is read from a source.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// The columns of the frame, in its order.
    pub(crate) columns: Vec<Planned>,
    /// Name and place of the columns that are kept verbatim.
    pub(crate) keep: Vec<(String, usize)>,
    /// Every column of the source.
    header: Header,
    /// The columns that are not read because they are the index of a pandas frame.
    pub(crate) left_out: Vec<String>,
    /// Must other files have exactly these columns?
    strict: bool,
    /// Is a table without rows fine?
    pub(crate) may_be_empty: bool,
}

impl Plan {
    /// Fails on duplicate names (D09), on wishes about unknown columns (D10) and when a needed column
    /// is absent (D12).
    pub(crate) fn new(header: impl Into<Header>, options: &ReadOptions) -> Result<Self> {
        let header: Header = header.into();
        let names = &header.names;
        let places = places(names)?;
        let (columns, left_out) = if options.only {
            (just_these(names, &places, &options.columns)?, Vec::new())
        } else {
            all_columns(&header, &places, options)?
        };
        let keep = options
            .keep
            .iter()
            .map(|name| match places.get(name.as_str()) {
                Some(&source) => Ok((name.clone(), source)),
                None => Err(names::unknown(name, names.iter().map(String::as_str))),
            });
        let keep = keep.collect::<Result<_>>()?;
        drop(places);
        Ok(Self {
            columns,
            keep,
            strict: !options.only,
            may_be_empty: options.may_be_empty,
            header,
            left_out,
        })
    }

    /// The same plan for another file of the same table, whose columns may be in another order.
    /// Fails when the columns differ (D15).
    pub(crate) fn for_file(&self, header: impl Into<Header>, first_file: &str) -> Result<Self> {
        let header: Header = header.into();
        if header == self.header {
            return Ok(self.clone());
        }
        let differ = |what: &str, name: &str| {
            let message = format!("column {name:?} {what} {first_file}");
            Error::new(Code::FilesDiffer, message)
                .help("files of one table must have the same columns; read them apart")
        };
        let own = places(&header.names)?;
        if self.strict {
            let first = places(&self.header.names)?;
            // Some frames have an index that pandas writes, and others of the same columns have not.
            let index = header.index();
            let mut names = header.names.iter().filter(|name| !index.contains(name));
            if let Some(name) = names.find(|name| !first.contains_key(name.as_str())) {
                return Err(differ("is not in", name));
            }
            let names = self.header.names.iter();
            let mut names = names.filter(|name| !self.left_out.contains(name));
            if let Some(name) = names.find(|name| !own.contains_key(name.as_str())) {
                return Err(differ("is absent, but it is in", name));
            }
        }
        let place = |name: &str| {
            own.get(name)
                .copied()
                .ok_or_else(|| differ("is absent, but it is in", name))
        };
        let mut plan = self.clone();
        for column in &mut plan.columns {
            column.source = place(&column.name)?;
        }
        for (name, source) in &mut plan.keep {
            *source = place(name)?;
        }
        drop(own);
        plan.header = header;
        Ok(plan)
    }

    /// Number of columns of the source.
    pub(crate) fn width(&self) -> usize {
        self.header.names.len()
    }
}

/// Where each name is; D09 when a name is there twice.
fn places(names: &[String]) -> Result<HashMap<&str, usize>> {
    let mut places = HashMap::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        if let Some(first) = places.insert(name.as_str(), i) {
            let message = format!(
                "columns {} and {} are both named {name:?}",
                first + 1,
                i + 1
            );
            return Err(Error::new(Code::DuplicateColumn, message)
                .help(Advice::either("rename one of them", Advice::NoHeader)));
        }
    }
    Ok(places)
}

fn check_none_absent<'a>(absent: impl Iterator<Item = &'a str>, names: &[String]) -> Result<()> {
    let absent: Vec<&str> = absent.collect();
    let Some(&first) = absent.first() else {
        return Ok(());
    };
    let list = names::list(absent.iter().copied());
    let message = if absent.len() == 1 {
        format!("column {list} is absent, the model needs it")
    } else {
        format!(
            "{} columns that the model needs are absent: {list}",
            absent.len()
        )
    };
    let error = Error::new(Code::MissingColumn, message);
    Err(
        match fnb::math::nearest_name(first, names.iter().map(String::as_str)) {
            Some(name) => error.help(format!("is {first:?} now called {name:?}? rename it back")),
            None => error.help("score data that has the columns the model was trained on"),
        },
    )
}

/// The columns that are asked for, as far as they are there; D12 if one that is required is not.
fn just_these(
    names: &[String],
    places: &HashMap<&str, usize>,
    expected: &[Expected],
) -> Result<Vec<Planned>> {
    let is_absent = |e: &&Expected| e.required && !places.contains_key(e.name.as_str());
    let absent = expected.iter().filter(is_absent);
    check_none_absent(absent.map(|e| e.name.as_str()), names)?;
    let found = expected.iter().filter_map(|e| {
        Some(Planned {
            name: e.name.clone(),
            want: e.into(),
            source: *places.get(e.name.as_str())?,
        })
    });
    Ok(found.collect())
}

/// Every column that is not dropped, with what the strongest says of it; and those that are left out
/// because nobody asks for the index of a pandas frame by name.
fn all_columns(
    header: &Header,
    places: &HashMap<&str, usize>,
    options: &ReadOptions,
) -> Result<(Vec<Planned>, Vec<String>)> {
    let names = &header.names[..];
    let all = || names.iter().map(String::as_str);
    let mut said: Vec<Option<&Expected>> = vec![None; names.len()];
    for expected in options.by_strength() {
        let found = match expected.by {
            SaidBy::Pattern => named_like(&expected.name, names, places),
            SaidBy::Caller | SaidBy::Schema => places
                .get(expected.name.as_str())
                .copied()
                .into_iter()
                .collect(),
        };
        if found.is_empty() && expected.required {
            let unknown = names::unknown(&expected.name, all());
            return Err(match expected.by {
                SaidBy::Schema => unknown.at("schema"),
                SaidBy::Caller | SaidBy::Pattern => unknown,
            });
        }
        for place in found {
            said[place] = Some(expected);
        }
    }
    let mut dropped = vec![false; names.len()];
    for wanted in &options.drop {
        let found = named_like(wanted, names, places);
        if found.is_empty() {
            return Err(names::unknown(wanted, all()));
        }
        for place in found {
            dropped[place] = !said[place].is_some_and(Expected::is_strong);
        }
    }
    let is_named = |name: &&String| options.columns.iter().any(|said| said.name == **name);
    let mut left_out = header.index();
    left_out.retain(|name| !is_named(&name));
    for name in &left_out {
        dropped[places[name.as_str()]] = true;
    }
    let left = (0..names.len()).filter(|&place| !dropped[place]);
    let planned = left.map(|source| Planned {
        name: names[source].clone(),
        want: said[source].map_or(Want::Detect, Want::from),
        source,
    });
    Ok((planned.collect(), left_out))
}

/// The column of that name; without one, those whose names match it as a pattern.
fn named_like(wanted: &str, names: &[String], places: &HashMap<&str, usize>) -> Vec<usize> {
    if let Some(&place) = places.get(wanted) {
        return vec![place];
    }
    let all = 0..names.len();
    all.filter(|&i| names::matches(wanted, &names[i])).collect()
}
