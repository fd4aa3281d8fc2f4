//! What a user says beside a schema file of several tables: types, columns to leave out, the key of
//! the main table, tables of at most one record per row.

use crate::names;
use crate::options::Expected;
use crate::schema_of_tables::SchemaOfTables;
use fnb::columns::Role;
use fnb::relational::{Cardinality, Field, FieldKind, owner, place, place_of};
use fnb::{Error, Result};

impl SchemaOfTables {
    /// Changes what is said of columns, which are named like `orders.price`: their types, and which are
    /// left out. Names may be patterns; one that fits no column is an error (D10). A key that is left
    /// out still joins tables. Where several relations lead to an entity, it is changed for all of them.
    ///
    /// ```
    /// use fnb::columns::ColumnType;
    /// use fnb_table::{Expected, SchemaOfTables};
    /// let json = r#"{"root": "Customer", "entities": {"Customer": {"key": ["id"], "fields": [
    ///     {"name": "id", "type": "categorical"}, {"name": "zip", "type": "numerical"}]}}}"#;
    /// let mut file = SchemaOfTables::parse(json, "".as_ref())?;
    /// file.amend_columns(&[Expected::like("z*", ColumnType::Categorical)], &["id".to_owned()])?;
    /// let fields = &file.schema.entity("Customer").fields;
    /// assert!(fields[0].unused && fields[1].kind == fields[0].kind);
    /// assert!(file.amend_columns(&[], &["zap".to_owned()]).is_err());
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn amend_columns(&mut self, said: &[Expected], dropped: &[String]) -> Result<()> {
        for said in said {
            self.change(&said.name, |field| match (said.role, said.ty) {
                (Role::Ignored, _) => field.unused = true,
                (_, Some(ty)) => field.kind = FieldKind::Column { ty },
                (_, None) => {}
            })?;
        }
        for name in dropped {
            self.change(name, |field| field.unused = true)?;
        }
        self.schema.check()
    }

    /// Gives the main table another key.
    pub fn set_key(&mut self, key: &[String]) -> Result<()> {
        let root = self.schema.entities.get_mut(&self.schema.root);
        root.expect("a checked schema has a root").key = key.to_vec();
        self.schema.check()
    }

    /// Lets rows have at most one record of the table at a data path; false if no table is there.
    pub fn set_at_most_one(&mut self, path: &str) -> bool {
        let (of, name) = (owner(path), path.rsplit('/').next().unwrap_or_default());
        let owner = self.schema.entity_at(of).map(str::to_owned);
        let owner = owner.and_then(|owner| self.schema.entities.get_mut(&owner));
        let mut fields = owner.into_iter().flat_map(|owner| &mut owner.fields);
        match fields.find(|field| field.name == name).map(|f| &mut f.kind) {
            Some(FieldKind::Relation {
                relation, by: None, ..
            }) => {
                *relation = Cardinality::One;
                true
            }
            _ => false,
        }
    }

    /// Changes the columns of that name; without any, those whose names match it as a pattern.
    fn change(&mut self, name: &str, change: impl Fn(&mut Field)) -> Result<()> {
        let paths = self.schema.data_paths();
        let (path, name) = place_of(name, paths.iter().map(|table| table.path.as_str()));
        let entity = self.schema.entity_at(path).map(str::to_owned);
        let entity = entity.and_then(|entity| self.schema.entities.get_mut(&entity));
        let Some(entity) = entity else {
            return Err(unknown(path, name, &[]));
        };
        let fields = entity.fields.iter().enumerate();
        let columns = fields.filter(|(_, field)| matches!(field.kind, FieldKind::Column { .. }));
        let columns: Vec<(usize, &str)> = columns.map(|(i, f)| (i, f.name.as_str())).collect();
        let exact = columns.iter().filter(|(_, column)| *column == name);
        let mut found: Vec<usize> = exact.map(|(i, _)| *i).collect();
        if found.is_empty() {
            let like = columns.iter().filter(|(_, c)| names::matches(name, c));
            found.extend(like.map(|(i, _)| *i));
        }
        if found.is_empty() {
            let names: Vec<&str> = columns.iter().map(|(_, column)| *column).collect();
            return Err(unknown(path, name, &names));
        }
        for i in found {
            change(&mut entity.fields[i]);
        }
        Ok(())
    }
}

fn unknown(path: &str, name: &str, columns: &[&str]) -> Error {
    names::unknown(name, columns.iter().copied()).at(place(path))
}
