//! From the names of the columns and the wishes of the caller to what is done with each column.

use crate::names;
use crate::options::{ColumnType, ReadOptions};
use fnb::columns::{Temporal, Unused};
use fnb::{Code, Error, Result};
use hashbrown::HashMap;

/// What to do with a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Want {
    /// Find out what it is.
    Detect,
    /// Read numbers; a field that is none is missing, or an error.
    Number { must_parse: bool },
    /// Read categories.
    Category,
    /// Read dates, times or timestamps; anything else is missing.
    Temporal {
        kind: Temporal,
        month_first: Option<bool>,
    },
    /// Read long text.
    Text,
    /// Do not look at it.
    Unused(Unused),
}

impl From<ColumnType> for Want {
    fn from(ty: ColumnType) -> Self {
        match ty {
            ColumnType::Numerical => Want::Number { must_parse: false },
            ColumnType::Categorical => Want::Category,
            ColumnType::Temporal { kind, month_first } => Want::Temporal { kind, month_first },
            ColumnType::Text => Want::Text,
            ColumnType::Ignored => Want::Unused(Unused::Ignored),
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
    names: Vec<String>,
    /// Must other files have exactly these columns?
    strict: bool,
    /// Is a table without rows fine?
    pub(crate) may_be_empty: bool,
}

impl Plan {
    /// Fails on duplicate names (D09), on wishes about unknown columns (D10) and when a needed column
    /// is absent (D12).
    pub(crate) fn new(names: Vec<String>, options: &ReadOptions) -> Result<Self> {
        let places = places(&names)?;
        let columns = match &options.only {
            None => all_columns(&names, &places, options)?,
            Some(expected) => {
                let absent = expected
                    .iter()
                    .filter(|e| e.required && !places.contains_key(e.name.as_str()));
                check_none_absent(absent.map(|e| e.name.as_str()), &names)?;
                let found = expected.iter().filter_map(|e| {
                    let want = match e.ty {
                        ColumnType::Numerical => Want::Number {
                            must_parse: e.must_parse,
                        },
                        other => other.into(),
                    };
                    let source = *places.get(e.name.as_str())?;
                    Some(Planned {
                        name: e.name.clone(),
                        want,
                        source,
                    })
                });
                found.collect()
            }
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
            strict: options.only.is_none(),
            may_be_empty: options.may_be_empty,
            names,
        })
    }

    /// The same plan for another file of the same table, whose columns may be in another order.
    /// Fails when the columns differ (D15).
    pub(crate) fn for_file(&self, names: &[String], first_file: &str) -> Result<Self> {
        if names == self.names {
            return Ok(self.clone());
        }
        let differ = |what: &str, name: &str| {
            let message = format!("column {name:?} {what} {first_file}");
            Error::new(Code::FilesDiffer, message)
                .help("files of one table must have the same columns; read them apart")
        };
        let own = places(names)?;
        if self.strict {
            let first = places(&self.names)?;
            if let Some(name) = names.iter().find(|name| !first.contains_key(name.as_str())) {
                return Err(differ("is not in", name));
            }
            if let Some(name) = self
                .names
                .iter()
                .find(|name| !own.contains_key(name.as_str()))
            {
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
        plan.names = names.to_vec();
        Ok(plan)
    }

    /// Number of columns of the source.
    pub(crate) fn width(&self) -> usize {
        self.names.len()
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
                .help("rename one of them; if the file has no header, say so with --no-header"));
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

/// Every column that is not dropped, with the last type given to it.
fn all_columns(
    names: &[String],
    places: &HashMap<&str, usize>,
    options: &ReadOptions,
) -> Result<Vec<Planned>> {
    let select = |wanted: &str| -> Result<Vec<usize>> {
        if let Some(&place) = places.get(wanted) {
            return Ok(vec![place]);
        }
        let matching = |(_, name): &(usize, &String)| names::matches(wanted, name);
        let found: Vec<usize> = names
            .iter()
            .enumerate()
            .filter(matching)
            .map(|(i, _)| i)
            .collect();
        if found.is_empty() {
            return Err(names::unknown(wanted, names.iter().map(String::as_str)));
        }
        Ok(found)
    };
    let mut wants = vec![Some(Want::Detect); names.len()];
    for column in options.schema.iter().flat_map(|schema| &schema.columns) {
        let place = *places.get(column.name.as_str()).ok_or_else(|| {
            names::unknown(&column.name, names.iter().map(String::as_str)).at("schema")
        })?;
        wants[place] = Some(ColumnType::from(column.ty).into());
    }
    for (wanted, ty) in &options.types {
        for place in select(wanted)? {
            wants[place] = Some((*ty).into());
        }
    }
    for wanted in &options.drop {
        for place in select(wanted)? {
            wants[place] = None;
        }
    }
    for place in options
        .keys
        .iter()
        .filter_map(|name| places.get(name.as_str()))
    {
        wants[*place] = Some(Want::Category);
    }
    for name in &options.categorical {
        match places.get(name.as_str()) {
            Some(&place) => wants[place] = Some(Want::Category),
            None => return Err(names::unknown(name, names.iter().map(String::as_str))),
        }
    }
    let planned = names
        .iter()
        .zip(wants)
        .enumerate()
        .filter_map(|(source, (name, want))| {
            Some(Planned {
                name: name.clone(),
                want: want?,
                source,
            })
        });
    Ok(planned.collect())
}
