//! Keys and relations that nobody gave, guessed from columns of the same name. Uniqueness decides: a
//! column that names every row of one table and repeats in another leads from the other to the one.

use super::assemble::{Reference, TableKind, TableSpec};
use super::join::{KeyIndex, Keys, NONE};
use super::path::owner;
use crate::Error;
use crate::columns::Frame;
use hashbrown::HashSet;
use std::collections::BTreeMap;

/// Gives a key to the tables that have none, where it can be guessed from columns of the same name, and
/// returns which. The names of the columns are given by data path; `read` gives some columns of the table
/// at a data path, read as keys, once per table.
///
/// A table that is named below another, or said to have one record per row, stays there. Of any other:
/// - the key of the main table, or its first column that names every row there, owns the records of a
///   table that repeats it; a table that does not has at most one record per row;
/// - a column that names every row of the table only makes it a look-up table, for every table that has
///   the column;
/// - records whose key goes on by a column that names the records of another table, all of which are
///   there, belong to these.
///
/// The path of a table changes with its place.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame};
/// use fnb::relational::{Reference, TableKind, TableSpec, guess_keys};
/// let column = |name: &str, rows: &str| Column {
///     name: name.into(),
///     data: ColumnData::Categorical(rows.split(' ').map(Some).collect()),
/// };
/// let frame = |path: &str| match path {
///     "" => Frame::new(3, vec![column("customer", "a b c"), column("city", "x y y")]),
///     "orders" => Frame::new(4, vec![column("customer", "a a b d")]),
///     _ => Frame::new(2, vec![column("city", "x y")]),
/// };
/// let names = |path: &str| -> fnb::Result<_> {
///     let names = frame(path)?.columns().iter().map(|column| column.name.clone()).collect();
///     Ok((path.to_owned(), names))
/// };
/// let columns = ["", "orders", "cities"].map(names).into_iter().collect::<fnb::Result<_>>()?;
/// let table = |path: &str| TableSpec { path: path.into(), kind: TableKind::Many, key: vec![] };
/// let mut specs = [table("orders"), table("cities")];
/// guess_keys(&[], &mut specs, &columns, |path, _| frame(path))?;
/// assert_eq!((&*specs[0].path, &specs[0].key[..]), ("orders", &["customer".to_owned()][..]));
/// let by = vec!["city".to_owned()];
/// assert_eq!(specs[1].kind, TableKind::LookUp(vec![Reference { path: "".into(), by }]));
/// assert_eq!(specs[1].path, "/cities");
/// # Ok::<(), fnb::Error>(())
/// ```
pub fn guess_keys<E: From<Error>>(
    key: &[String],
    specs: &mut [TableSpec],
    columns: &BTreeMap<String, Vec<String>>,
    read: impl FnMut(&str, &[String]) -> Result<Frame, E>,
) -> Result<Vec<usize>, E> {
    let mut guess = Guess {
        key,
        given: specs.iter().map(|spec| spec.path.clone()).collect(),
        columns,
        read,
        frames: BTreeMap::new(),
    };
    let unknown = (0..specs.len()).filter(|&i| specs[i].key.is_empty());
    let unknown: Vec<usize> = unknown.collect();
    let is_free = |spec: &TableSpec| !spec.path.contains('/') && spec.kind == TableKind::Many;
    let (free, fixed): (Vec<usize>, Vec<usize>) =
        unknown.iter().partition(|&&i| is_free(&specs[i]));
    for &i in &free {
        guess.beside_main(i, specs)?;
    }
    for &i in &fixed {
        guess.below_owner(i, specs)?;
    }
    guess.nest(&free, specs)?;
    for &i in &free {
        guess.refer(i, specs)?;
    }
    Ok(unknown
        .into_iter()
        .filter(|&i| !specs[i].key.is_empty())
        .collect())
}

/// The share of rows that must find a key which was not given.
const MOST: f64 = 0.5;

struct Guess<'a, R> {
    /// The key of the main table, if it is given.
    key: &'a [String],
    /// The data paths of the tables as they were given.
    given: Vec<String>,
    columns: &'a BTreeMap<String, Vec<String>>,
    read: R,
    /// The columns that a table shares with others, by the data path that was given.
    frames: BTreeMap<String, Frame>,
}

impl<E: From<Error>, R: FnMut(&str, &[String]) -> Result<Frame, E>> Guess<'_, R> {
    fn columns_of(&self, path: &str) -> &[String] {
        self.columns.get(path).map_or(&[], Vec::as_slice)
    }

    /// The columns of a table that another has, too.
    fn shared(&self, path: &str, other: &str) -> Vec<String> {
        let others = self.columns_of(other);
        let names = self.columns_of(path).iter();
        names
            .filter(|name| others.contains(name))
            .cloned()
            .collect()
    }

    /// The columns that a table shares with any other.
    fn frame(&mut self, path: &str) -> Result<&Frame, E> {
        if !self.frames.contains_key(path) {
            let others = self.columns.iter().filter(|(other, _)| *other != path);
            let others: HashSet<&String> = others.flat_map(|(_, names)| names).collect();
            let names = self.columns_of(path).iter();
            let names: Vec<String> = names.filter(|n| others.contains(n)).cloned().collect();
            let frame = (self.read)(path, &names)?;
            self.frames.insert(path.to_owned(), frame);
        }
        Ok(&self.frames[path])
    }

    /// Do some columns name every row of a table?
    fn is_unique(&mut self, path: &str, names: &[String]) -> Result<bool, E> {
        let frame = self.frame(path)?;
        let index = KeyIndex::new(Keys::new(path, frame, names)?);
        let found = index.find(&Keys::new(path, frame, names)?)?;
        Ok((0..).zip(found).all(|(row, found)| found == row))
    }

    /// Which share of the rows of a table has a key that another has, too?
    fn share_within(&mut self, path: &str, other: &str, names: &[String]) -> Result<f64, E> {
        self.frame(path)?;
        self.frame(other)?;
        let keys = |path| Keys::new(path, &self.frames[path], names);
        let found = KeyIndex::new(keys(other)?).find(&keys(path)?)?;
        let matched = found.iter().filter(|&&row| row != NONE).count();
        Ok(matched as f64 / found.len().max(1) as f64)
    }

    /// The first of some columns that names every row of a table.
    fn first_unique(&mut self, path: &str, names: &[String]) -> Result<Option<Vec<String>>, E> {
        for name in names {
            let name = std::slice::from_ref(name);
            if self.is_unique(path, name)? {
                return Ok(Some(name.to_vec()));
            }
        }
        Ok(None)
    }

    /// A table beside the main one: records of its rows, or what they refer to.
    fn beside_main(&mut self, i: usize, specs: &mut [TableSpec]) -> Result<(), E> {
        let path = self.given[i].clone();
        let shared = self.shared(&path, "");
        if shared.is_empty() {
            return Ok(());
        }
        let of_main = if self.key.is_empty() {
            self.first_unique("", &shared)?
        } else {
            let has_all = self.key.iter().all(|name| shared.contains(name));
            has_all.then(|| self.key.to_vec())
        };
        let key = if let Some(key) = of_main {
            key
        } else if let Some(key) = self.looked_up("", &path)? {
            specs[i].become_look_up(key);
            return Ok(());
        } else {
            // Rows with the same key have the same records.
            self.shared_key(&path, shared)?
        };
        if self.is_unique(&path, &key)? {
            specs[i].kind = TableKind::One;
        }
        specs[i].key = key;
        Ok(())
    }

    /// The columns of a table by which another looks it up: one that names its rows, or all together. Most
    /// rows of the other have a key that is there: what is unique by chance leads hardly anywhere.
    fn looked_up(&mut self, other: &str, path: &str) -> Result<Option<Vec<String>>, E> {
        let shared = self.shared(path, other);
        let single = shared.iter().map(|name| vec![name.clone()]);
        let mut keys: Vec<Vec<String>> = single.collect();
        if shared.len() > 1 && !self.is_unique(other, &shared)? {
            keys.push(shared);
        }
        for key in keys {
            if self.is_unique(path, &key)? && self.share_within(other, path, &key)? >= MOST {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The columns that a table shares with the main one, if they lead most records there; otherwise the
    /// one that leads most.
    fn shared_key(&mut self, path: &str, shared: Vec<String>) -> Result<Vec<String>, E> {
        if shared.len() == 1 || self.share_within(path, "", &shared)? >= MOST {
            return Ok(shared);
        }
        let (mut best, mut most) = (Vec::new(), -1.0);
        for name in shared {
            let key = vec![name];
            let share = self.share_within(path, "", &key)?;
            if share > most {
                (best, most) = (key, share);
            }
        }
        Ok(best)
    }

    /// The key of a table whose owner is said: that of the owner, and what tells its records apart.
    fn below_owner(&mut self, i: usize, specs: &mut [TableSpec]) -> Result<(), E> {
        let path = self.given[i].clone();
        let owner = owner(&path);
        let shared = self.shared(&path, owner);
        let known = specs.iter().find(|spec| spec.path == owner);
        let known = known.map_or(self.key, |spec| &spec.key).to_vec();
        specs[i].key = if known.is_empty() {
            self.first_unique(owner, &shared)?.unwrap_or(shared)
        } else if known.iter().all(|name| shared.contains(name)) {
            // Records of records: the next column that both have completes the key.
            let next = shared.iter().find(|name| !known.contains(name));
            known.iter().chain(next).cloned().collect()
        } else {
            shared
        };
        Ok(())
    }

    /// Puts tables below others as long as their keys go on.
    fn nest(&mut self, free: &[usize], specs: &mut [TableSpec]) -> Result<(), E> {
        let mut moved = true;
        while moved {
            moved = false;
            for &i in free {
                for other in 0..specs.len() {
                    if let Some(key) = self.goes_on(i, other, specs)? {
                        let name = &self.given[i];
                        specs[i].path = format!("{}/{name}", specs[other].path);
                        specs[i].key = key;
                        moved = true;
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// The key of a table that goes on by a column which tells the records of another apart.
    fn goes_on(
        &mut self,
        i: usize,
        other: usize,
        specs: &[TableSpec],
    ) -> Result<Option<Vec<String>>, E> {
        let (spec, parent) = (&specs[i], &specs[other]);
        let are_many = |spec: &TableSpec| spec.kind == TableKind::Many && !spec.key.is_empty();
        let are_beside = i != other && owner(&spec.path) == owner(&parent.path);
        if !are_beside || !are_many(spec) || !are_many(parent) || spec.key != parent.key {
            return Ok(None);
        }
        let (path, other) = (self.given[i].clone(), self.given[other].clone());
        for name in self.shared(&path, &other) {
            if spec.key.contains(&name) {
                continue;
            }
            let mut key = spec.key.clone();
            key.push(name);
            if self.is_unique(&other, &key)?
                && !self.is_unique(&path, &key)?
                && self.share_within(&path, &other, &key)? == 1.0
            {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// The tables that refer to a look-up table: all that have its key. One that shares nothing with the
    /// main table may be looked up by others.
    fn refer(&mut self, i: usize, specs: &mut [TableSpec]) -> Result<(), E> {
        let path = self.given[i].clone();
        if specs[i].key.is_empty() {
            let others = specs.iter().zip(&self.given);
            let placed = others.filter(|(spec, _)| !spec.key.is_empty());
            let placed: Vec<String> = placed.map(|(_, given)| given.clone()).collect();
            for other in placed {
                if let Some(key) = self.looked_up(&other, &path)? {
                    specs[i].become_look_up(key);
                    break;
                }
            }
        }
        let (key, kind) = (specs[i].key.clone(), specs[i].kind.clone());
        if !matches!(kind, TableKind::LookUp(_)) {
            return Ok(());
        }
        let has_key = |given: &str| {
            let columns = self.columns_of(given);
            key.iter().all(|name| columns.contains(name))
        };
        let mut references = Vec::new();
        for (place, given) in [("", "")].into_iter().chain(
            specs
                .iter()
                .zip(&self.given)
                .map(|(s, given)| (s.path.as_str(), given.as_str())),
        ) {
            if given != path && has_key(given) {
                references.push(Reference {
                    path: place.to_owned(),
                    by: key.clone(),
                });
            }
        }
        specs[i].kind = TableKind::LookUp(references);
        Ok(())
    }
}

impl TableSpec {
    /// A table of records of the main one becomes one that others look up.
    fn become_look_up(&mut self, key: Vec<String>) {
        self.path.insert(0, '/');
        self.kind = TableKind::LookUp(Vec::new());
        self.key = key;
    }
}
