//! A schema from tables as people describe them: a name, key columns, and where they belong.

use super::database::fields_of;
use super::path::{owner, place};
use super::schema::{Cardinality, Entity, Field, FieldKind, Schema};
use crate::columns::Frame;
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use std::collections::BTreeMap;

/// Name of the entity of the main table.
const MAIN: &str = "main";

/// A table beside the main one.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame};
/// use fnb::relational::{Schema, TableKind, TableSpec};
/// let frame = |names: &[&str]| {
///     let column = |name: &&str| Column {
///         name: (*name).into(),
///         data: ColumnData::Categorical([Some("1")].into_iter().collect()),
///     };
///     Frame::new(1, names.iter().map(column).collect())
/// };
/// let orders = TableSpec {
///     path: "orders".into(),
///     kind: TableKind::Many,
///     key: vec!["customer".into()],
/// };
/// let items = TableSpec {
///     path: "orders/items".into(),
///     kind: TableKind::Many,
///     key: vec!["customer".into(), "order".into()],
/// };
/// let frames = [
///     (String::new(), frame(&["customer", "city"])?),
///     ("orders".into(), frame(&["customer", "order", "day"])?),
///     ("orders/items".into(), frame(&["customer", "order", "product"])?),
/// ];
/// let schema = Schema::assemble(&[], &[orders, items], &frames.into())?;
/// assert_eq!(schema.entity("main").key, ["customer"]);
/// assert_eq!(schema.entity("orders").key, ["customer", "order"]);
/// # Ok::<(), fnb::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableSpec {
    /// Where it is: `orders`, `orders/items`; `/city` for a look-up table.
    pub path: String,
    /// How its records belong to others.
    pub kind: TableKind,
    /// The columns that name the owner of a record, and those that name the record itself if it owns
    /// others; of a look-up table, those that name a record.
    pub key: Vec<String>,
}

/// How the records of a table belong to others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableKind {
    /// Any number of records per owner.
    Many,
    /// At most one record per owner.
    One,
    /// Records that others refer to: which tables, by which of their columns.
    LookUp(Vec<Reference>),
}

/// Columns that hold the key of a look-up table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The table that has them, `""` for the main one.
    pub path: String,
    /// The columns.
    pub by: Vec<String>,
}

impl TableSpec {
    /// The table that owns the records: `""` for the main one.
    fn owner(&self) -> &str {
        owner(&self.path)
    }

    /// Name of the relation, or of a look-up table.
    fn name(&self) -> &str {
        self.path
            .rsplit_once('/')
            .map_or(&self.path, |(_, name)| name)
    }

    fn is_look_up(&self) -> bool {
        matches!(self.kind, TableKind::LookUp(_))
    }
}

impl Schema {
    /// The schema of the main table, whose key may be given, and the tables around it. The key of a
    /// table that owns others is completed by the key columns of those that it has.
    pub fn assemble(
        key: &[String],
        specs: &[TableSpec],
        frames: &BTreeMap<String, Frame>,
    ) -> Result<Self> {
        let mut entities = BTreeMap::new();
        let main = Entity {
            key: full_key("", key, specs, frames)?,
            fields: fields_of(frame(frames, "")?),
        };
        entities.insert(MAIN.to_owned(), main);
        for spec in specs {
            let name = entity_name(&spec.path);
            let entity = Entity {
                key: full_key(&spec.path, &spec.key, specs, frames)?,
                fields: fields_of(frame(frames, &spec.path)?),
            };
            if entities.insert(name.clone(), entity).is_some() {
                let message = format!("two tables are named {name:?}");
                return Err(Error::new(Code::InvalidSchema, message).help("rename one of them"));
            }
        }
        for spec in specs {
            relate(spec, &mut entities)?;
        }
        let schema = Self {
            root: MAIN.into(),
            entities,
        };
        schema.check()?;
        Ok(schema)
    }
}

/// The entity of a data path.
fn entity_name(path: &str) -> String {
    match path {
        "" => MAIN.to_owned(),
        _ => path.trim_start_matches('/').to_owned(),
    }
}

fn frame<'a>(frames: &'a BTreeMap<String, Frame>, path: &str) -> Result<&'a Frame> {
    frames.get(path).ok_or_else(|| {
        let message = format!("there are no data for table {path:?}");
        Error::new(Code::InvalidSchema, message).help("give a file for it")
    })
}

/// The given key, completed by the key columns of owned tables as far as the table has them.
fn full_key(
    path: &str,
    given: &[String],
    specs: &[TableSpec],
    frames: &BTreeMap<String, Frame>,
) -> Result<Vec<String>> {
    let frame = frame(frames, path)?;
    let mut key = given.to_vec();
    let owned = specs
        .iter()
        .filter(|spec| !spec.is_look_up() && spec.owner() == path);
    for spec in owned {
        // Keys are matched by position: further columns of an owned table may be its own.
        let more = spec.key.iter().skip(key.len());
        key.extend(
            more.take_while(|name| frame.position(name).is_some())
                .cloned(),
        );
        if key.is_empty() {
            return Err(no_key(spec, frame));
        }
    }
    Ok(key)
}

fn no_key(spec: &TableSpec, frame: &Frame) -> Error {
    let Some(column) = spec.key.first() else {
        let message = format!("table {:?} has no key", spec.path);
        return Error::new(Code::InvalidSchema, message)
            .help("name the columns that tell to whom its rows belong");
    };
    let owner = place(spec.owner());
    let message = format!(
        "{owner} has no column {column:?}, the key of table {:?}",
        spec.path
    );
    let names = frame.columns().iter().map(|column| column.name.as_str());
    Error::new(Code::UnknownColumn, message).help(Advice::GiveKey {
        table: spec.owner().to_owned(),
        column: nearest_name(column, names).map(str::to_owned),
    })
}

/// Adds the relations that lead to a table.
fn relate(spec: &TableSpec, entities: &mut BTreeMap<String, Entity>) -> Result<()> {
    let related = entity_name(&spec.path);
    match &spec.kind {
        TableKind::Many | TableKind::One => {
            let relation = match spec.kind {
                TableKind::One => Cardinality::One,
                _ => Cardinality::Many,
            };
            let kind = FieldKind::Relation {
                relation,
                entity: related,
                by: None,
            };
            add(spec, spec.owner(), spec.name().to_owned(), kind, entities)
        }
        TableKind::LookUp(references) => {
            for Reference { path, by } in references {
                let kind = FieldKind::Relation {
                    relation: Cardinality::One,
                    entity: related.clone(),
                    by: Some(by.clone()),
                };
                let taken = |name: &str| {
                    let entity = entities.get(&entity_name(path));
                    entity.is_some_and(|entity| entity.field(name).is_some())
                };
                let mut name = spec.name().to_owned();
                if taken(&name) {
                    name = format!("{name}_{}", by.join("_"));
                }
                add(spec, path, name, kind, entities)?;
            }
            Ok(())
        }
    }
}

/// Adds a relation to the table at a data path.
fn add(
    spec: &TableSpec,
    path: &str,
    name: String,
    kind: FieldKind,
    entities: &mut BTreeMap<String, Entity>,
) -> Result<()> {
    let known: Vec<String> = entities.keys().cloned().collect();
    let Some(entity) = entities.get_mut(&entity_name(path)) else {
        let message = format!(
            "table {:?} belongs to {path:?}, which is not given",
            spec.path
        );
        let names = known.iter().map(String::as_str);
        let otherwise = format!("give that table too, before {:?}", spec.path);
        let help = Advice::did_you_mean(nearest_name(path, names), otherwise);
        return Err(Error::new(Code::InvalidSchema, message).help(help));
    };
    entity.fields.push(Field {
        name,
        kind,
        unused: false,
    });
    Ok(())
}
