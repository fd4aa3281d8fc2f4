//! Several tables, joined: records in the order of those that own them.

use super::arrange::{Arranged, Order, arrange};
use super::cutoff::{AsOf, Cutoff};
use super::join::{KeyIndex, Keys, NONE, Strangers};
use super::layout::Layout;
use super::path::place;
use super::sample::RootFile;
use super::schema::Schema;
use super::views::Times;
use crate::columns::{Column, Frame};
use crate::{Code, Error, Result};
use std::collections::BTreeMap;

/// Related tables, ready for evaluation.
///
/// Rows may come in any order. Owned records are put in the order of their owners, so that those of
/// one owner lie together; records without an owner, repeated records of a 0-1 relation and records
/// that a [`Cutoff`] hides from every row are left out and counted. The rows of the root and of look-up
/// tables stay where they are. Rows with the same key share its records, each at its own time.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame, NumericColumn};
/// use fnb::relational::{Schema, Tables};
/// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
///     "Customer": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"},
///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
///     "Order": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"}, {"name": "price", "type": "numerical"}]}}}"#)?;
/// let text = |name: &str, rows: &[&str]| Column {
///     name: name.into(),
///     data: ColumnData::Categorical(rows.iter().map(|row| Some(*row)).collect()),
/// };
/// let price = ColumnData::Numeric(NumericColumn::new(vec![3.0, 1.0, 2.0]));
/// let customers = Frame::new(2, vec![text("id", &["ann", "bob"])])?;
/// let orders = vec![text("id", &["bob", "ann", "eve"]), Column { name: "price".into(), data: price }];
/// let frames = [(String::new(), customers), ("Orders".into(), Frame::new(3, orders)?)];
/// let tables = Tables::new(&schema, frames.into(), None)?;
/// assert_eq!(tables.reports()[1].orphans, 1); // nobody is called eve
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tables {
    schema: Schema,
    pub(super) layout: Layout,
    /// In the order of the layout.
    pub(super) joined: Vec<Table>,
    reports: Vec<KeyReport>,
    /// The time of each root row, if it makes a difference between rows that share records.
    pub(super) now: Vec<i64>,
    pub(super) root_file: RootFile,
    /// The rows of the root as its file counts them, if these are not all of them.
    pub(super) root_lines: Option<Vec<u32>>,
}

/// The records at a data path.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) frame: Frame,
    /// Where its relations lead, in the order of the layout.
    pub(super) links: Vec<Link>,
    /// If several records have one key: the first that has the key of each, which stands for it.
    pub(super) keepers: Option<Vec<u32>>,
    /// If some of the rows that share its records see one that others do not.
    pub(super) times: Option<Times>,
}

/// Where a relation leads from each record.
#[derive(Debug, Clone)]
pub(super) enum Link {
    /// A record that stands for its key owns the records from `offsets[i]` to `offsets[i + 1]`. Of a 0-1
    /// relation the first of them that is seen counts.
    Many { offsets: Vec<u32> },
    /// The record it leads to, or [`NONE`].
    One { row_of: Vec<u32> },
}

impl Link {
    /// The link to a look-up table from the given rows.
    fn take_references(&self, rows: &[usize]) -> Self {
        let Self::One { row_of } = self else {
            unreachable!("a reference leads to one record")
        };
        Self::One {
            row_of: rows.iter().map(|&row| row_of[row]).collect(),
        }
    }

    /// The link from the taken rows to the records they own, and which records these are.
    fn take_owned(&self, taken: &Taken) -> (Self, Vec<usize>) {
        let mut owned = Vec::new();
        let link = match self {
            Self::Many { offsets } => {
                let mut ends = vec![0];
                for owner in &taken.owners {
                    if let &Some(row) = owner {
                        owned.extend(offsets[row] as usize..offsets[row + 1] as usize);
                    }
                    ends.push(owned.len() as u32);
                }
                Self::Many { offsets: ends }
            }
            Self::One { row_of } => {
                let place = |owner: &Option<usize>| {
                    let record = owner.map_or(NONE, |row| row_of[row]);
                    if record == NONE {
                        return NONE;
                    }
                    owned.push(record as usize);
                    owned.len() as u32 - 1
                };
                let mut row_of: Vec<u32> = taken.owners.iter().map(place).collect();
                if let Some(keepers) = &taken.keepers {
                    row_of = keepers.iter().map(|&row| row_of[row as usize]).collect();
                }
                Self::One { row_of }
            }
        };
        (link, owned)
    }
}

/// Rows that are taken of a table, as owners of records.
struct Taken {
    /// The row that has the records of each, unless an earlier one was taken with them.
    owners: Vec<Option<usize>>,
    /// As in [`Table`].
    keepers: Option<Vec<u32>>,
}

impl Taken {
    fn new(table: &Table, rows: &[usize]) -> Self {
        let mut places = vec![NONE; table.frame.rows()];
        let mut keepers = Vec::with_capacity(rows.len());
        let mut owners = Vec::with_capacity(rows.len());
        for (place, &row) in rows.iter().enumerate() {
            let keeper = table.keepers.as_ref().map_or(row, |k| k[row] as usize);
            let is_first = places[keeper] == NONE;
            if is_first {
                places[keeper] = place as u32;
            }
            owners.push(is_first.then_some(keeper));
            keepers.push(places[keeper]);
        }
        let is_shared = owners.iter().any(Option::is_none);
        Self {
            owners,
            keepers: is_shared.then_some(keepers),
        }
    }
}

/// What joining found in a table.
///
/// ```
/// let report = fnb::relational::KeyReport { rows: 10, orphans: 2, ..Default::default() };
/// assert_eq!((report.rows, report.orphans, report.repeated), (10, 2, 0));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyReport {
    /// The data path.
    pub path: String,
    /// Rows given.
    pub rows: usize,
    /// Rows without owner: left out.
    pub orphans: usize,
    /// Rows whose key an earlier one has, in a look-up table or under a 0-1 relation: left out.
    pub repeated: usize,
    /// Rows whose key an earlier one has, and that share its records.
    pub shared: usize,
    /// Rows that are not before the time of any root row with their key: left out.
    pub hidden: usize,
    /// By relation to a look-up table: rows whose key it does not have, or that have none.
    pub unmatched: BTreeMap<String, usize>,
    /// Set if none of its keys is one of its owners, or of a look-up table that it refers to.
    pub strangers: Option<Strangers>,
}

impl Tables {
    /// Joins tables given by data path: `""` for the root, `Orders`, `Orders/Items`, `/City`.
    pub fn new(
        schema: &Schema,
        frames: BTreeMap<String, Frame>,
        cutoff: Option<&Cutoff>,
    ) -> Result<Self> {
        schema.check()?;
        let layout = Layout::new(schema);
        let frames = in_order(&layout, frames)?;
        let mut reports: Vec<KeyReport> = (layout.tables.iter().zip(&frames))
            .map(|(table, frame)| KeyReport {
                path: table.path.clone(),
                rows: frame.rows(),
                ..KeyReport::default()
            })
            .collect();
        let joined = join(schema, &layout, &frames, &mut reports)?;
        let as_of = cutoff.map(|cutoff| AsOf::new(&layout, &frames, cutoff));
        let as_of = as_of.transpose()?;
        let arranged = arrange(&layout, &joined, as_of.as_ref(), &mut reports);
        let mut tables = Vec::with_capacity(frames.len());
        for ((frame, arranged), references) in
            frames.into_iter().zip(arranged).zip(joined.references)
        {
            let Arranged { order, links, .. } = arranged;
            let links = links.into_iter().zip(references);
            tables.push(Table {
                links: links
                    .map(|(owned, reference)| owned.unwrap_or_else(|| referring(reference, &order)))
                    .collect(),
                frame: match &order {
                    Some(order) => reordered(frame, order)?,
                    None => frame,
                },
                keepers: arranged.keepers,
                times: arranged.times,
            });
        }
        let varies = tables.iter().any(|table| table.times.is_some());
        Ok(Self {
            schema: schema.clone(),
            layout,
            joined: tables,
            reports,
            now: as_of
                .filter(|_| varies)
                .map_or_else(Vec::new, |as_of| as_of.now),
            root_file: RootFile::default(),
            root_lines: None,
        })
    }

    /// A table that has no others around it.
    pub(super) fn alone(frame: Frame) -> Self {
        let schema = Schema::of_one_table(&frame);
        Self {
            layout: Layout::new(&schema),
            schema,
            reports: vec![KeyReport {
                rows: frame.rows(),
                ..KeyReport::default()
            }],
            joined: vec![Table {
                frame,
                links: Vec::new(),
                keepers: None,
                times: None,
            }],
            now: Vec::new(),
            root_file: RootFile::default(),
            root_lines: None,
        }
    }

    /// The same tables, with the file that the rows of the root come from.
    #[must_use]
    pub fn with_root_file(self, root_file: RootFile) -> Self {
        Self { root_file, ..self }
    }

    /// How the tables are related.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What joining found, table by table, the root first.
    pub fn reports(&self) -> &[KeyReport] {
        &self.reports
    }

    /// Number of root rows.
    pub fn root_rows(&self) -> usize {
        self.joined[0].frame.rows()
    }

    /// The tables of some root rows, in the given order, with the records they own and all look-up
    /// tables: a fold, without joining again. The reports stay those of all rows.
    #[must_use]
    pub fn take(&self, roots: &[usize]) -> Self {
        let mut rows: Vec<Option<Vec<usize>>> = vec![None; self.joined.len()];
        let mut joined = Vec::with_capacity(self.joined.len());
        rows[0] = Some(roots.to_vec());
        // Owners come before what they own.
        for (t, table) in self.joined.iter().enumerate() {
            let Some(own) = rows[t].take() else {
                joined.push(table.clone());
                continue;
            };
            let layouts = self.layout.tables[t].links.iter();
            let owns = layouts.clone().any(|layout| layout.by.is_none());
            let taken = owns.then(|| Taken::new(table, &own));
            let links = table.links.iter().zip(layouts).map(|(link, layout)| {
                let Some(taken) = taken.as_ref().filter(|_| layout.by.is_none()) else {
                    return link.take_references(&own);
                };
                let (link, owned) = link.take_owned(taken);
                rows[layout.table] = Some(owned);
                link
            });
            let links: Vec<Link> = links.collect();
            let times = table.times.as_ref().map(|times| {
                let moments = own.iter().map(|&row| times.moments[row]).collect();
                Times::new(moments, self.offsets_to(t, &joined))
            });
            joined.push(Table {
                links,
                frame: table.frame.take(&own),
                keepers: taken.and_then(|taken| taken.keepers),
                times,
            });
        }
        let now = roots.iter().filter_map(|&row| self.now.get(row).copied());
        Self {
            schema: self.schema.clone(),
            layout: self.layout.clone(),
            joined,
            reports: self.reports.clone(),
            now: now.collect(),
            root_file: self.root_file,
            root_lines: Some(match &self.root_lines {
                Some(lines) => roots.iter().map(|&row| lines[row]).collect(),
                None => roots.iter().map(|&row| row as u32).collect(),
            }),
        }
    }

    /// Where the records of a table lie by their owner, which is one of the tables given.
    fn offsets_to<'a>(&self, table: usize, joined: &'a [Table]) -> &'a [u32] {
        let owner = self.layout.tables[table].owner.as_ref();
        let link = owner.map(|owner| &joined[owner.table].links[owner.link]);
        match link {
            Some(Link::Many { offsets }) => offsets,
            _ => &[],
        }
    }

    /// Rows of the root that own no record of a table; `None` if it is not one that they own.
    pub(crate) fn roots_without(&self, path: &str) -> Option<usize> {
        let table = self.layout.tables.iter().position(|t| t.path == path)?;
        let owner = self.layout.tables[table].owner.as_ref()?;
        if owner.table != 0 {
            return None;
        }
        let root = &self.joined[0];
        let rows = 0..self.root_rows();
        Some(match &root.links[owner.link] {
            Link::Many { offsets } => {
                let keepers = root.keepers.as_deref();
                let keeper = |row: usize| keepers.map_or(row, |keepers| keepers[row] as usize);
                let owns_none = |&row: &usize| offsets[keeper(row)] == offsets[keeper(row) + 1];
                rows.filter(owns_none).count()
            }
            Link::One { row_of } => row_of.iter().filter(|&&record| record == NONE).count(),
        })
    }

    /// The records at a data path, in the order they are joined in.
    pub fn frame(&self, path: &str) -> Option<&Frame> {
        let position = self.layout.tables.iter().position(|t| t.path == path)?;
        Some(&self.joined[position].frame)
    }

    /// All of them, by data path.
    pub fn frames(&self) -> impl Iterator<Item = (&str, &Frame)> {
        let paths = self.layout.tables.iter().map(|table| table.path.as_str());
        paths.zip(self.joined.iter().map(|table| &table.frame))
    }
}

/// The frames in the order of the layout.
fn in_order(layout: &Layout, mut frames: BTreeMap<String, Frame>) -> Result<Vec<Frame>> {
    let mut ordered = Vec::with_capacity(layout.tables.len());
    for table in &layout.tables {
        let Some(frame) = frames.remove(&table.path) else {
            let message = format!("there are no data for {}", place(&table.path));
            return Err(Error::new(Code::UnusableData, message)
                .help("give every table of the schema, or mark the relation unused"));
        };
        if frame.rows() >= NONE as usize {
            let message = format!("{} has more than 4 billion rows", place(&table.path));
            return Err(Error::new(Code::UnusableData, message).help("split the main table"));
        }
        ordered.push(frame);
    }
    if let Some((path, _)) = frames.pop_first() {
        let message = format!("{path:?} is not a table of the schema");
        let known: Vec<&str> = layout.tables[1..].iter().map(|t| t.path.as_str()).collect();
        return Err(Error::new(Code::InvalidSchema, message)
            .help(format!("its tables are: {}", known.join(", "))));
    }
    Ok(ordered)
}

/// What the keys say, all rows as they were given.
pub(super) struct Joined {
    /// Per table: the first row with the key of the owner of each row, or [`NONE`]; empty for root and
    /// look-up tables.
    pub(super) owners: Vec<Vec<u32>>,
    /// Per table that owns others, if rows have the same key: the first row with the key of each.
    pub(super) keepers: Vec<Option<Vec<u32>>>,
    /// Per table and relation: the row of the look-up table that each row refers to.
    references: Vec<Vec<Option<Vec<u32>>>>,
}

fn join(
    schema: &Schema,
    layout: &Layout,
    frames: &[Frame],
    reports: &mut [KeyReport],
) -> Result<Joined> {
    let mut joined = Joined {
        owners: vec![Vec::new(); frames.len()],
        keepers: vec![None; frames.len()],
        references: vec![Vec::new(); frames.len()],
    };
    for (t, table) in layout.tables.iter().enumerate() {
        joined.references[t].resize(table.links.len(), None);
    }
    for (t, table) in layout.tables.iter().enumerate() {
        let key = &schema.entity(&table.entity).key;
        let referring = layout.tables.iter().enumerate().flat_map(|(from, other)| {
            let links = other.links.iter().enumerate();
            links
                .filter(move |(_, link)| link.table == t && link.by.is_some())
                .map(move |(link, _)| (from, link))
        });
        let referring: Vec<(usize, usize)> = referring.collect();
        let owns = table.links.iter().any(|link| link.by.is_none());
        let is_owned = table.owner.is_some();
        if !owns && referring.is_empty() {
            continue;
        }
        let index = KeyIndex::new(Keys::new(&table.path, &frames[t], key)?);
        let is_look_up = t > 0 && !is_owned;
        if is_look_up {
            reports[t].repeated = index.repeated.len();
        } else if owns && !index.repeated.is_empty() {
            reports[t].shared = index.repeated.len();
            let mut keepers: Vec<u32> = (0..frames[t].rows() as u32).collect();
            for &(row, first) in &index.repeated {
                keepers[row as usize] = first;
            }
            joined.keepers[t] = Some(keepers);
        }
        for link in table.links.iter().filter(|link| link.by.is_none()) {
            let child = &layout.tables[link.table];
            let keys = &schema.entity(&child.entity).key;
            let keys = Keys::new(&child.path, &frames[link.table], keys)?.prefix(key.len());
            let mut owners = index.find(&keys)?;
            if owners.iter().all(|&row| row == NONE) {
                reports[link.table].strangers = index.strangers(&keys);
            }
            // What an orphan owns has no root row either.
            for owner in &mut owners {
                if joined.owners[t].get(*owner as usize) == Some(&NONE) {
                    *owner = NONE;
                }
            }
            reports[link.table].orphans = owners.iter().filter(|&&row| row == NONE).count();
            joined.owners[link.table] = owners;
        }
        for (from, link) in referring {
            let other = &layout.tables[from];
            let by = other.links[link].by.as_deref().expect("a reference");
            let keys = Keys::new(&other.path, &frames[from], by)?;
            let rows = index.find(&keys)?;
            let unmatched = rows.iter().filter(|&&row| row == NONE).count();
            if unmatched == rows.len() {
                reports[from].strangers = index.strangers(&keys);
            }
            let name = other.links[link].name.clone();
            reports[from].unmatched.insert(name, unmatched);
            joined.references[from][link] = Some(rows);
        }
    }
    Ok(joined)
}

/// The link to a look-up table of rows in a new order.
fn referring(reference: Option<Vec<u32>>, order: &Order) -> Link {
    let row_of = reference.expect("a relation is owned or a reference");
    Link::One {
        row_of: match order {
            Some(order) => order.iter().map(|&row| row_of[row]).collect(),
            None => row_of,
        },
    }
}

/// The rows of a frame in another order, one column after the other so that two copies of a table
/// never exist.
fn reordered(mut frame: Frame, order: &[usize]) -> Result<Frame> {
    let names: Vec<String> = (frame.columns().iter())
        .map(|column| column.name.clone())
        .collect();
    let mut columns = Vec::with_capacity(names.len());
    for name in names {
        let column = frame.remove(&name).expect("a column of the frame");
        let data = column.data.take(order);
        columns.push(Column { name, data });
    }
    Frame::new(order.len(), columns)
}
