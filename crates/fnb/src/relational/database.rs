//! Tables with their schema, to learn from or to score.

use super::construct::{
    Allocation, Construction, ConstructionSettings, choices, construct, unique_name,
};
use super::cutoff::Cutoff;
use super::evaluate::{Arithmetic, Evaluator, Plan};
use super::expression::Expression;
use super::path::place;
use super::report::JoinNote;
use super::sample::RootFile;
use super::schema::{DataPath, Entity, Field, FieldKind, Schema};
use super::settings::ConstructSettings;
use super::tables::{KeyReport, Tables};
use super::text::{ConstructedText, TextSettings, construct_texts, reaches_text};
use crate::columns::{Column, ColumnData, ColumnType, Frame};
use crate::math::nearest_name;
use crate::{Advice, Code, Error, Result};
use hashbrown::HashSet;
use std::collections::BTreeMap;

/// Related tables: a schema, and the rows of every table of it.
///
/// ```
/// use fnb::columns::{Column, ColumnData, Frame};
/// use fnb::relational::{Database, Schema};
/// let schema: Schema = serde_json::from_str(r#"{"root": "Customer", "entities": {
///     "Customer": {"key": ["id"], "fields": [
///         {"name": "id", "type": "categorical"},
///         {"name": "Orders", "relation": "many", "entity": "Order"}]},
///     "Order": {"key": ["id"], "fields": [{"name": "id", "type": "categorical"}]}}}"#)?;
/// let ids = |rows: &[&str]| Column {
///     name: "id".into(),
///     data: ColumnData::Categorical(rows.iter().map(|row| Some(*row)).collect()),
/// };
/// let customers = Frame::new(2, vec![ids(&["ann", "bob"])])?;
/// let orders = Frame::new(3, vec![ids(&["bob", "ann", "bob"])])?;
/// let frames = [(String::new(), customers), ("Orders".into(), orders)];
/// let database = Database::new(&schema, None, frames.into(), None)?;
/// let count = serde_json::from_str(r#"{"rule": "TableCount", "args": ["Orders"]}"#)?;
/// let values = database.values(&[count], Default::default())?;
/// assert!(matches!(&values[0], ColumnData::Numeric(n) if n.values() == [1.0, 2.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Database {
    /// A field of the root that the tables are without.
    target: Option<String>,
    cutoff: Option<Cutoff>,
    /// Features of sparse tables: no fields of the schema, but choices like any others.
    sparse_inputs: usize,
    tables: Tables,
}

impl Database {
    /// Joins tables given by data path, `""` for the root. The root table is without the target,
    /// which may be a field of the schema.
    pub fn new(
        schema: &Schema,
        target: Option<&str>,
        frames: BTreeMap<String, Frame>,
        cutoff: Option<Cutoff>,
    ) -> Result<Self> {
        schema.check()?;
        for DataPath { path, entity } in schema.data_paths() {
            if let Some(frame) = frames.get(&path) {
                let absent = target.filter(|_| path.is_empty());
                check_columns(&path, schema.entity(&entity), frame, absent)?;
            }
        }
        let root = schema.entity(&schema.root);
        let target = target.filter(|target| root.field(target).is_some());
        let sparse_inputs = (frames.get("")).map_or(0, Frame::number_of_sparse_inputs);
        Ok(Self {
            target: target.map(str::to_owned),
            sparse_inputs,
            tables: Tables::new(schema, frames, cutoff.as_ref())?,
            cutoff,
        })
    }

    /// The same, with the file that the rows of the root come from: preset `khiops` asks for it.
    #[must_use]
    pub fn with_root_file(self, file: RootFile) -> Self {
        Self {
            tables: self.tables.with_root_file(file),
            ..self
        }
    }

    /// How the tables are related.
    pub fn schema(&self) -> &Schema {
        self.tables.schema()
    }

    /// The field of the root that is to be predicted, if the schema has it.
    pub fn target(&self) -> Option<&str> {
        self.target.as_deref()
    }

    /// Which records are seen; `None` for all.
    pub fn cutoff(&self) -> Option<&Cutoff> {
        self.cutoff.as_ref()
    }

    /// The joined tables.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }

    /// The root table.
    pub fn root(&self) -> &Frame {
        self.tables.frame("").expect("a schema has a root")
    }

    /// The columns of the root table that are inputs as they are; the schema may leave some out.
    pub fn inputs(&self) -> Vec<&Column> {
        let fields = &self.schema().entity(&self.schema().root).fields;
        let unused = fields.iter().filter(|field| field.unused);
        let unused: HashSet<&str> = unused.map(|field| field.name.as_str()).collect();
        let inputs = self.root().inputs();
        inputs
            .filter(|column| !unused.contains(column.name.as_str()))
            .collect()
    }

    /// What joining found, table by table.
    pub fn reports(&self) -> &[KeyReport] {
        self.tables.reports()
    }

    /// Fails if no key of a table is one of those it should belong to: nothing could be learnt from it.
    pub fn check_keys(&self) -> Result<()> {
        let mut strangers = self.reports().iter().filter_map(|r| r.strangers.as_ref());
        strangers
            .next()
            .map_or(Ok(()), |strangers| Err(strangers.error()))
    }

    /// The same in words, as far as there is anything to say.
    pub fn notes(&self) -> Vec<JoinNote> {
        self.reports().iter().flat_map(JoinNote::of_keys).collect()
    }

    /// The given root rows with the records they own.
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        Self {
            target: self.target.clone(),
            cutoff: self.cutoff.clone(),
            sparse_inputs: self.sparse_inputs,
            tables: self.tables.take(rows),
        }
    }

    /// The variables to construct, each with its cost. None has the name of a column of the root.
    /// `families` is the number of other families of variables that they share the prior with.
    pub fn construct(&self, settings: &ConstructSettings, families: usize) -> Result<Construction> {
        let other_choices = self.text_families(settings) + self.sparse_inputs + families;
        if !self.has_operands() {
            let choices = choices(self.schema(), self.target(), other_choices);
            return Ok(Construction::new(choices, Vec::new()));
        }
        let asked = ConstructionSettings {
            features: settings.features,
            rules: (settings.rules.clone()).with_rare_calendar(settings.rare_calendar),
            other_choices,
            allocation: Allocation::Diverse,
            sampled: settings.sampled,
        };
        let operands = self.tables.operands(settings.arithmetic);
        construct(self.schema(), self.target(), &asked, &operands)
    }

    /// Are texts a family of variables: 1 or 0?
    pub(crate) fn text_families(&self, settings: &ConstructSettings) -> usize {
        usize::from(settings.text_features > 0 && reaches_text(self.schema()))
    }

    /// Is there anything that rules apply to: other tables, dates or times?
    pub fn has_operands(&self) -> bool {
        let fields = self.schema().entity(&self.schema().root).fields.iter();
        let mut kinds = fields.map(|field| &field.kind);
        kinds.any(|kind| match kind {
            FieldKind::Column { ty } => !matches!(
                ty,
                ColumnType::Numerical | ColumnType::Categorical | ColumnType::Text
            ),
            FieldKind::Relation { .. } => true,
        })
    }

    /// The variables to make of texts besides those of a construction, each with its cost. None has the
    /// name of another variable or of a column of the root.
    pub fn construct_texts(
        &self,
        settings: &ConstructSettings,
        construction: &Construction,
    ) -> Result<Vec<ConstructedText>> {
        if settings.text_features == 0 {
            return Ok(Vec::new());
        }
        let asked = TextSettings {
            features: settings.text_features,
            tokeniser: settings.tokeniser,
        };
        let price = construction.selection_cost;
        let mut texts = construct_texts(self.schema(), &self.tables, &asked, price)?;
        let fields = &self.schema().entity(&self.schema().root).fields;
        let fields = fields.iter().map(|field| field.name.as_str());
        let columns = self.root().columns().iter().map(|c| c.name.as_str());
        let constructed = construction.variables.iter().map(|v| v.name.as_str());
        let taken = fields.chain(columns).chain(constructed);
        let mut taken: HashSet<String> = taken.map(str::to_owned).collect();
        for text in &mut texts {
            text.name = unique_name(&text.name, &mut taken);
        }
        Ok(texts)
    }

    /// The values of expressions in every root row.
    pub fn values(
        &self,
        expressions: &[Expression],
        arithmetic: Arithmetic,
    ) -> Result<Vec<ColumnData>> {
        let plan = Plan::new(self.schema(), expressions)?;
        let all: Vec<usize> = (0..expressions.len()).collect();
        Evaluator::new(&plan, &self.tables, arithmetic)?.columns(&all)
    }
}

/// One table is a database of one table.
impl From<Frame> for Database {
    fn from(frame: Frame) -> Self {
        Self {
            target: None,
            cutoff: None,
            sparse_inputs: frame.number_of_sparse_inputs(),
            tables: Tables::alone(frame),
        }
    }
}

impl Schema {
    /// The schema of a table alone. Columns that are ignored are no part of it.
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame, NumericColumn};
    /// let age = ColumnData::Numeric(NumericColumn::new(vec![31.0]));
    /// let frame = Frame::new(1, vec![Column { name: "age".into(), data: age }])?;
    /// let schema = fnb::relational::Schema::of_one_table(&frame);
    /// assert_eq!(schema.entity("main").fields[0].name, "age");
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn of_one_table(frame: &Frame) -> Self {
        let entity = Entity {
            key: Vec::new(),
            fields: fields_of(frame),
        };
        Self {
            root: "main".into(),
            entities: [("main".to_owned(), entity)].into(),
        }
    }
}

/// The columns of a table as fields.
pub(crate) fn fields_of(frame: &Frame) -> Vec<Field> {
    let field = |column: &Column| {
        Some(Field {
            name: column.name.clone(),
            kind: FieldKind::Column {
                ty: type_of(&column.data)?,
            },
            unused: false,
        })
    };
    frame.columns().iter().filter_map(field).collect()
}

/// The type of a column as a field; `None` if it is none.
fn type_of(data: &ColumnData) -> Option<ColumnType> {
    match data {
        // A feature among very many: counted, but no field.
        ColumnData::Sparse(_) | ColumnData::Unused(_) => None,
        data => data.column_type(),
    }
}

/// Every column of the schema is there, with its type.
fn check_columns(path: &str, entity: &Entity, frame: &Frame, absent: Option<&str>) -> Result<()> {
    for field in entity.fields.iter().filter(|field| !field.unused) {
        let FieldKind::Column { ty } = field.kind else {
            continue;
        };
        let name = &field.name;
        let Some(column) = frame.column(name) else {
            if absent == Some(name.as_str()) {
                continue;
            }
            let names = frame.columns().iter().map(|column| column.name.as_str());
            let otherwise = "add it, or take it out of the schema";
            let help = Advice::did_you_mean(nearest_name(name, names), otherwise);
            let message = format!("{} has no column {name:?}", place(path));
            return Err(Error::new(Code::MissingColumn, message).help(help));
        };
        if type_of(&column.data) != Some(ty) {
            let message = format!("column {name:?} of {} is not {ty}", place(path));
            return Err(Error::new(Code::UnsupportedType, message)
                .help("read it with the type that the schema gives it"));
        }
    }
    Ok(())
}
