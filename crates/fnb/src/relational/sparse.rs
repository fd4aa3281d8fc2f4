//! Sparse tables beside several others: their features are columns of the main table.

use super::report::JoinNote;
use super::schema::{Entity, FieldKind, Schema};
use crate::columns::{ColumnType, Frame, SparseEntries};
use crate::{Code, Error, Result};

impl Schema {
    /// Puts the features of sparse tables beside the columns of the main table. Their keys are columns
    /// still if other tables are joined by them, and no fields of the schema otherwise.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame, SparseEntries, SparseTable};
    /// use fnb::relational::Schema;
    /// let texts = |rows: &[&str]| rows.iter().map(|row| Some(*row)).collect();
    /// let column = |rows| Column { name: "id".into(), data: ColumnData::Categorical(texts(rows)) };
    /// let main = Frame::new(2, vec![column(&["a", "b"])])?;
    /// # let [name, key, feature] = ["words", "id", "word"].map(String::from);
    /// let table = SparseTable { name, key, feature, value: None, features: 0 };
    /// let words = SparseEntries::new(table, &texts(&["b"]), &texts(&["up"]), None, None)?;
    /// let mut schema = Schema::of_one_table(&main);
    /// let (main, notes) = schema.add_sparse_tables(main, &[words])?;
    /// assert_eq!(main.columns()[1].name, "words.up");
    /// assert_eq!(notes[0].to_string(), "words: 1 feature");
    /// assert!(schema.entity("main").fields.is_empty());
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn add_sparse_tables(
        &mut self,
        main: Frame,
        tables: &[SparseEntries],
    ) -> Result<(Frame, Vec<JoinNote>)> {
        let entity = self.entity(&self.root);
        for table in tables.iter().map(SparseEntries::table) {
            check_name(&table.name, entity)?;
            check_key(&table.key, entity)?;
        }
        let joining: Vec<String> = entity.joining_columns().map(str::to_owned).collect();
        let kept: Vec<&str> = joining.iter().map(String::as_str).collect();
        let is_key = |name: &str| tables.iter().any(|entries| entries.table().key == name);
        if let Some(entity) = self.entities.get_mut(&self.root) {
            let stays = |name: &str| kept.contains(&name) || !is_key(name);
            entity.fields.retain(|field| stays(&field.name));
        }
        main.beside_sparse_tables(tables, &kept)
    }
}

impl Frame {
    /// The frame with the columns of sparse tables, whose keys stay columns if they are among those
    /// `kept`; and what was found.
    pub fn beside_sparse_tables(
        self,
        tables: &[SparseEntries],
        kept: &[&str],
    ) -> Result<(Self, Vec<JoinNote>)> {
        if tables.is_empty() {
            return Ok((self, Vec::new()));
        }
        let (frame, found) = self.with_sparse_tables_beside(tables, kept)?;
        let notes = tables.iter().zip(found).flat_map(|(entries, found)| {
            let table = entries.table();
            JoinNote::of_sparse_table(table, &found)
        });
        Ok((frame, notes.collect()))
    }
}

/// Variables of a table `words` are named `words.count`, as the feature `count` of a sparse table would
/// be.
fn check_name(name: &str, root: &Entity) -> Result<()> {
    if root.relations().all(|(field, ..)| field.name != name) {
        return Ok(());
    }
    let message = format!("both a table and a sparse table are named {name:?}");
    Err(Error::new(Code::Usage, message).help("give the sparse table another name"))
}

/// Sparse tables compare keys as texts; so must whatever else is joined by them.
fn check_key(key: &str, root: &Entity) -> Result<()> {
    let joins = root.joining_columns().any(|column| column == key);
    match root.field(key).map(|field| &field.kind) {
        Some(FieldKind::Column { ty }) if joins && *ty != ColumnType::Categorical => {
            let message = format!(
                "the schema says that {key:?} is {ty}, but it is the key of a sparse table"
            );
            Err(Error::new(Code::UnsupportedType, message)
                .help("keys of sparse tables are texts: make it categorical in every table"))
        }
        _ => Ok(()),
    }
}
