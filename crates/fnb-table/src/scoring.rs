//! A model and tables → rows to score: what is read, how it is joined, what the model scores of it.

use crate::concat::concat;
use crate::options::{Expected, ReadOptions};
use crate::text::file::no_rows;
use crate::to_score::columns_to_score;
use crate::{Batch, Batches, Warning, batches};
use fnb::columns::{Frame, SparseEntries};
use fnb::model::Model;
use fnb::predict::{InputPlan, database_to_score};
use fnb::relational::{Database, JoinNote};
use fnb::{Error, Result};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a model needs of the tables that it scores, from wherever they come.
///
/// ```
/// use fnb::columns::Target;
/// use fnb_table::{ReadOptions, ToScore, read};
/// let path = std::env::temp_dir().join("fnb_to_score_example.csv");
/// std::fs::write(&path, "age,left\n".to_owned() + &"20,yes\n60,no\n".repeat(50))?;
/// let files = [path.display().to_string()];
/// let mut frame = read(&files, &ReadOptions::default())?.frame;
/// let target = Target::from_column(&frame.remove("left").expect("a column"))?;
/// let model = fnb::train(frame, &target, &fnb::Settings::default(), &())?.model;
///
/// let to_score = ToScore::new(&model, ReadOptions::default(), Vec::new())?;
/// let main = read(&files, &to_score.main_options(Vec::new()))?.frame;
/// let (database, _) = to_score.join(main, |path, options| {
///     Ok::<_, fnb::Error>(read(&[format!("{path}.csv")], options)?.frame)
/// })?;
/// let probabilities = fnb::predict::Scorer::new(&model).probabilities(&*to_score.frame(&database)?)?;
/// assert_eq!(probabilities.len(), 200);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ToScore<'m> {
    model: &'m Model,
    inputs: Option<InputPlan<'m>>,
    how: ReadOptions,
    sparse: Vec<SparseEntries>,
}

impl<'m> ToScore<'m> {
    /// The needs of a model, how files are written, and the sparse tables that go beside the main one.
    pub fn new(model: &'m Model, how: ReadOptions, sparse: Vec<SparseEntries>) -> Result<Self> {
        let inputs = model.schema().map(|schema| InputPlan::new(model, schema));
        Ok(Self {
            model,
            inputs: inputs.transpose()?,
            how,
            sparse,
        })
    }

    /// Does it take other tables than the main one?
    pub fn needs_tables(&self) -> bool {
        self.model.tables().len() > 1
    }

    /// How the main table is read: just the columns that the model uses, with the types they had, and
    /// others besides. A column that the model uses has the type of the model.
    pub fn main_options(&self, also: Vec<Expected>) -> ReadOptions {
        let mut only = columns_to_score(self.model);
        for column in also {
            if only.iter().all(|known| known.name != column.name) {
                only.push(column);
            }
        }
        ReadOptions {
            columns: only,
            only: true,
            ..self.how.clone()
        }
    }

    /// Joins the main table to those that the model needs, which `read` gives by data path with the
    /// columns that the options ask for; and what was found.
    pub fn join<E: From<Error>>(
        &self,
        main: Frame,
        mut read: impl FnMut(&str, &ReadOptions) -> Result<Frame, E>,
    ) -> Result<(Database, Vec<JoinNote>), E> {
        let schema = self.model.schema();
        let fields = schema.map(|schema| schema.entity(&schema.root).fields.iter());
        let fields = fields.into_iter().flatten();
        let kept: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
        let (main, mut notes) = main.beside_sparse_tables(&self.sparse, &kept)?;
        let mut frames = BTreeMap::from([(String::new(), main)]);
        for table in &self.model.tables()[1..] {
            let options = ReadOptions {
                columns: table.columns.iter().map(Expected::from).collect(),
                only: true,
                may_be_empty: true,
                ..self.how.clone()
            };
            frames.insert(table.name.clone(), read(&table.name, &options)?);
        }
        let database = database_to_score(self.model, frames)?;
        if self.needs_tables() {
            notes.extend(database.notes());
        }
        Ok((database, notes))
    }

    /// What the model scores of joined tables.
    pub fn frame<'a>(&self, database: &'a Database) -> Result<Cow<'a, Frame>> {
        match &self.inputs {
            Some(inputs) => inputs.frame(database),
            None => Ok(Cow::Borrowed(database.root())),
        }
    }

    fn scored(&self, rest: Rest) -> ScoringBatches<'_> {
        let to_score = self;
        ScoringBatches { to_score, rest }
    }

    /// What the model scores of a table that has no others around it.
    fn of_one_table(&self, main: Frame) -> Result<Frame> {
        if self.inputs.is_none() {
            return Ok(main.beside_sparse_tables(&self.sparse, &[])?.0);
        }
        let no_other = |_: &str, _: &ReadOptions| Frame::new(0, Vec::new());
        let (database, _) = self.join(main, no_other)?;
        self.frame(&database).map(Cow::into_owned)
    }

    /// The rows of files to score, with columns to keep as they are written: block by block, or, with
    /// other tables, whose records may be anywhere, all at once. Every file is read once, so that
    /// standard input will do.
    pub fn batches<'a, E: From<Error>>(
        &'a self,
        files: &[String],
        keep: &[String],
        read: impl FnMut(&str, &ReadOptions) -> Result<Frame, E>,
    ) -> Result<(ScoringBatches<'a>, Vec<JoinNote>), E> {
        let options = ReadOptions {
            keep: keep.to_vec(),
            ..self.main_options(Vec::new())
        };
        let mut stream = batches(files, &options)?;
        if !self.needs_tables() {
            return Ok((self.scored(Rest::Stream(Box::new(stream))), Vec::new()));
        }
        let whole = concat(stream.by_ref())?;
        let mut whole = whole.ok_or_else(|| no_rows(&files.join(", ")))?;
        let (database, notes) = self.join(whole.frame, read)?;
        whole.frame = self.frame(&database)?.into_owned();
        let rest = Rest::Whole {
            batch: Some(whole),
            warnings: stream.warnings(),
        };
        Ok((self.scored(rest), notes))
    }
}

/// Blocks of rows as a model scores them.
pub struct ScoringBatches<'a> {
    to_score: &'a ToScore<'a>,
    rest: Rest,
}

/// What is to come.
enum Rest {
    /// One table, as it is read.
    Stream(Box<Batches>),
    /// All rows at once, once.
    Whole {
        batch: Option<Batch>,
        warnings: Vec<Warning>,
    },
}

impl ScoringBatches<'_> {
    /// What is to be told of the blocks so far.
    pub fn warnings(&self) -> Vec<Warning> {
        match &self.rest {
            Rest::Stream(stream) => stream.warnings(),
            Rest::Whole { warnings, .. } => warnings.clone(),
        }
    }
}

impl Iterator for ScoringBatches<'_> {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.rest {
            Rest::Stream(stream) => Some(stream.next()?.and_then(|batch| {
                let frame = self.to_score.of_one_table(batch.frame)?;
                Ok(Batch { frame, ..batch })
            })),
            Rest::Whole { batch, .. } => batch.take().map(Ok),
        }
    }
}
