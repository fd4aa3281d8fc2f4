//! Data and models as the commands need them.

use crate::args::{ReadArgs, WeightArgs};
use crate::output::{Output, thousands};
use crate::tables::{ScoreTableArgs, TableArgs, read_several, read_to_score};
use anyhow::Result;
use fnb::columns::{ClassWeights, Column, ColumnData, Frame, Target, Temporal};
use fnb::model::{self, Model, Origin, TableColumn};
use fnb::predict::{scoring_frame, scoring_frame_of_table};
use fnb::relational::{Database, FieldKind};
use fnb::{Code, Error, Prepared, Progress, Settings, Training};
use fnb_table::{ColumnType, Expected, ReadOptions, Table, TableInfo};
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// Rows to learn from, or to evaluate on.
pub(crate) struct Labelled {
    pub(crate) data: Data,
    /// With the weights of the rows.
    pub(crate) target: Target,
    /// Factors of these weights when learning.
    pub(crate) class_weights: Option<ClassWeights>,
}

/// One table, or several that hang together.
pub(crate) enum Data {
    One(Frame),
    Several(Box<Database>),
}

impl Labelled {
    /// The main table.
    pub(crate) fn frame(&self) -> &Frame {
        match &self.data {
            Data::One(frame) => frame,
            Data::Several(database) => database.root(),
        }
    }

    /// The given rows; records of other tables follow theirs.
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        Self {
            data: match &self.data {
                Data::One(frame) => Data::One(frame.take(rows)),
                Data::Several(database) => Data::Several(Box::new(database.take(rows))),
            },
            target: self.target.take(rows),
            class_weights: self.class_weights.clone(),
        }
    }

    /// Prepares all variables, those to construct too, for the target to learn.
    pub(crate) fn prepare<'a>(
        &'a self,
        target: &'a Target,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> fnb::Result<Prepared<'a>> {
        match &self.data {
            Data::One(frame) => Prepared::with_dates(frame, target, settings, progress),
            Data::Several(database) => {
                Prepared::from_database(database, target, settings, progress)
            }
        }
    }

    /// Learns a model.
    pub(crate) fn train(
        &self,
        settings: &Settings,
        progress: &dyn Progress,
    ) -> fnb::Result<Training> {
        settings.check()?;
        let target = self.target_to_learn()?;
        self.prepare(&target, settings, progress)?
            .learn(settings, progress)
    }

    /// The columns that a model scores.
    pub(crate) fn scoring_frame(&self, model: &Model) -> fnb::Result<Cow<'_, Frame>> {
        match &self.data {
            Data::One(frame) => scoring_frame_of_table(model, frame),
            Data::Several(database) => {
                scoring_frame(model, database.root(), database).map(Cow::Owned)
            }
        }
    }

    /// The target to learn from: class weights are for learning, not for measuring.
    pub(crate) fn target_to_learn(&self) -> fnb::Result<Cow<'_, Target>> {
        let weights = match &self.class_weights {
            None => return Ok(Cow::Borrowed(&self.target)),
            Some(ClassWeights::Balanced) => ClassWeights::Balanced,
            // A class may have no row in a part of the table.
            Some(ClassWeights::Given(given)) => {
                let is_present =
                    |(class, _): &&(String, f64)| self.target.classes().contains(class);
                ClassWeights::Given(given.iter().filter(is_present).cloned().collect())
            }
        };
        Ok(Cow::Owned(
            self.target.clone().with_class_weights(&weights)?,
        ))
    }
}

/// Reads a table, or several, with the target, which is always a category.
pub(crate) fn read_labelled(
    data: &[String],
    target: Option<&str>,
    tables: &TableArgs,
    args: &ReadArgs,
    weights: &WeightArgs,
    output: &Output,
) -> Result<Labelled> {
    let class_weights = weights.classes()?;
    if let Some(target) = target {
        check_target_is_read(target, args)?;
        if let Some(weight) = &weights.weight {
            check_weight_is_read(weight, target, args)?;
        }
    }
    let several = !tables.is_empty() || args.schema_of_tables()?.is_some();
    if several {
        let mut several = read_several(data, target, tables, args, output)?;
        several.take_weight(weights.weight.as_deref())?;
        let joined = several.join(output)?;
        let target = Target::from_column(&joined.target.ok_or_else(no_target)?)?;
        return Ok(Labelled {
            data: Data::Several(Box::new(joined.database)),
            target: weigh(target, joined.weight, weights, output)?,
            class_weights,
        });
    }
    check_alone(data, tables)?;
    let target = target.ok_or_else(no_target)?;
    let mut options = ReadOptions {
        categorical: vec![target.to_owned()],
        ..args.options()?
    };
    if let Some(weight) = &weights.weight {
        check_weight_is_read(weight, target, args)?;
        options.types.push((weight.clone(), ColumnType::Numerical));
    }
    let Table { mut frame, .. } = read(data, &options, output)?;
    let column = take_target(&mut frame, target)?;
    let weight = weights.weight.as_ref().and_then(|name| frame.remove(name));
    let target = weigh(Target::from_column(&column)?, weight, weights, output)?;
    Ok(Labelled {
        data: Data::One(frame),
        target,
        class_weights,
    })
}

fn no_target() -> Error {
    Error::new(Code::Usage, "the column to predict is not given").help("name it with -t COLUMN")
}

/// A single table needs data, and has no use for options about others.
pub(crate) fn check_alone(data: &[String], tables: &TableArgs) -> Result<()> {
    let (message, help) = if data.is_empty() {
        ("no data are given", "name files, or a --schema that does")
    } else if tables.cutoff.is_some() || !tables.time.is_empty() || !tables.one.is_empty() {
        (
            "--cutoff, --time and --one speak of other tables, but none is given",
            "give them with --table NAME=FILE:KEY",
        )
    } else {
        return Ok(());
    };
    Err(Error::new(Code::Usage, message).help(help).into())
}

fn check_weight_is_read(weight: &str, target: &str, args: &ReadArgs) -> Result<()> {
    let typed = |(name, ty): &(String, ColumnType)| name == weight && *ty != ColumnType::Numerical;
    let message = if weight == target {
        format!("{weight:?} is both the target and the weight")
    } else if args.drop.iter().any(|name| name == weight) {
        format!("the weight {weight:?} is among the columns to drop")
    } else if args.types.iter().any(typed) {
        format!("the weight {weight:?} is always read as numbers")
    } else {
        return Ok(());
    };
    Err(Error::new(Code::Usage, message)
        .help("name a column of numbers with --weight, and leave it out of --drop and --type")
        .into())
}

/// Below this mean weight, weights are hardly meant as numbers of rows.
const SMALL_MEAN_WEIGHT: f64 = 0.1;

/// The target with the weights of its rows, if there are any.
fn weigh(
    target: Target,
    weight: Option<Column>,
    weights: &WeightArgs,
    output: &Output,
) -> Result<Target> {
    let target = match &weights.weight {
        Some(name) => with_weights(target, weight, name, output)?,
        None => target,
    };
    if let Some(weights) = &weights.classes()? {
        // Names that are no class, before anything is learnt.
        target.clone().with_class_weights(weights)?;
    }
    Ok(target)
}

/// The target with the weights that a column holds.
fn with_weights(
    target: Target,
    column: Option<Column>,
    weight: &str,
    output: &Output,
) -> Result<Target> {
    let Some(ColumnData::Numeric(column)) = column.map(|column| column.data) else {
        let message = format!("the weight {weight:?} is not a column of numbers");
        return Err(Error::new(Code::UnsupportedType, message)
            .help("name a column that says how many rows each row stands for")
            .into());
    };
    let place = format!("weight {weight:?}");
    let target = target.with_weights(column.values());
    let target = target.map_err(|error| error.at(place))?;
    let sum = target.weights().map_or(target.rows() as f64, |w| w.sum());
    if sum < SMALL_MEAN_WEIGHT * target.rows() as f64 {
        output.warn(format_args!(
            "the weights of {} rows sum to {sum}: they are taken as so many rows; multiply them \
             if they are shares",
            thousands(target.rows() as u64)
        ));
    }
    Ok(target)
}

/// The target is read whatever the other options say, so they must not say otherwise.
fn check_target_is_read(target: &str, args: &ReadArgs) -> Result<()> {
    let typed =
        |(name, ty): &(String, ColumnType)| name == target && *ty != ColumnType::Categorical;
    let message = if args.drop.iter().any(|name| name == target) {
        format!("the target {target:?} is among the columns to drop")
    } else if args.types.iter().any(typed) {
        format!("the target {target:?} is always read as categories")
    } else {
        return Ok(());
    };
    Err(Error::new(Code::Usage, message)
        .help("leave it out of --drop and --type")
        .into())
}

pub(crate) fn take_target(frame: &mut Frame, target: &str) -> Result<Column> {
    Ok(frame.remove(target).ok_or_else(|| {
        Error::new(
            Code::UnknownColumn,
            format!("the target {target:?} was not read"),
        )
    })?)
}

/// Reads a table and says what was found.
pub(crate) fn read(data: &[String], options: &ReadOptions, output: &Output) -> Result<Table> {
    read_named("", data, options, output)
}

/// The same for one of several tables; the main one has no name.
pub(crate) fn read_named(
    name: &str,
    data: &[String],
    options: &ReadOptions,
    output: &Output,
) -> Result<Table> {
    let start = Instant::now();
    let table = fnb_table::read(data, options)?;
    let (rows, columns) = (
        table.frame.rows() as u64,
        table.frame.columns().len() as u64,
    );
    let of = if name.is_empty() { "" } else { " of " };
    let message = format!(
        "read {} rows x {} columns{of}{name}",
        thousands(rows),
        thousands(columns)
    );
    output.step(message, start.elapsed());
    notes(&table.info, output);
    Ok(table)
}

/// What was detected, and what the user should know.
fn notes(info: &TableInfo, output: &Output) {
    if output.verbose || info.separator.is_some() {
        output.note(format_args!("  {info}"));
    }
    for warning in &info.warnings {
        output.warn(warning);
    }
    for column in &info.columns {
        if let Some(note) = &column.note {
            output.note(format_args!(
                "  column {:?} is not used: {note}",
                column.name
            ));
        }
    }
}

/// Reads a model file.
pub(crate) fn read_model(path: &Path) -> Result<Model> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        Error::new(
            Code::FileNotFound,
            format!("cannot read the model {shown}: {error}"),
        )
        .help("train one with: fnb train DATA -t TARGET -o model.json")
    })?;
    Ok(Model::from_json(&bytes).map_err(|error| error.at(shown))?)
}

/// Options to read data that a model scores: just the columns it uses, with the types they had,
/// and its target if it is wanted.
pub(crate) fn scoring_options(
    model: &Model,
    with_target: bool,
    args: &ReadArgs,
) -> Result<ReadOptions> {
    let mut names: Vec<&str> = Vec::new();
    for variable in model.variables() {
        if let Origin::Column(name) = &variable.from {
            names.push(name);
        }
    }
    if let Some(schema) = model.schema() {
        let fields = schema.entity(&schema.root).fields.iter();
        let columns = fields.filter(|field| matches!(field.kind, FieldKind::Column { .. }));
        names.extend(columns.map(|field| field.name.as_str()));
    }
    let mut only: Vec<Expected> = Vec::with_capacity(names.len());
    for name in names {
        let column = model.columns().iter().find(|column| column.name == name);
        if only.iter().all(|expected| expected.name != name) {
            only.push(Expected {
                name: name.to_owned(),
                ty: column.map_or(ColumnType::Categorical, column_type),
                required: true,
                must_parse: true,
            });
        }
    }
    if with_target {
        only.push(Expected {
            name: model.target().name.clone(),
            ty: ColumnType::Categorical,
            required: true,
            must_parse: true,
        });
    }
    Ok(ReadOptions {
        only: Some(only),
        ..args.options()?
    })
}

/// How a column of a model is read.
pub(crate) fn column_type(column: &TableColumn) -> ColumnType {
    let temporal = |kind| ColumnType::Temporal {
        kind,
        month_first: Some(column.month_first),
    };
    match column.kind {
        model::ColumnType::Numerical => ColumnType::Numerical,
        model::ColumnType::Categorical => ColumnType::Categorical,
        model::ColumnType::Date => temporal(Temporal::Date),
        model::ColumnType::Time => temporal(Temporal::Time),
        model::ColumnType::Timestamp => temporal(Temporal::Timestamp),
        model::ColumnType::Text => ColumnType::Text,
        model::ColumnType::Ignored => ColumnType::Ignored,
    }
}

/// Does a model need other tables than the main one?
pub(crate) fn needs_tables(model: &Model) -> bool {
    model.tables().len() > 1
}

/// The files of the main table: those given, or those of a schema file.
pub(crate) fn main_files(data: &[String], args: &ReadArgs) -> Result<Vec<String>> {
    if !data.is_empty() {
        return Ok(data.to_vec());
    }
    let file = args.schema_of_tables()?;
    match file.and_then(|file| file.files.get("").cloned()) {
        Some(file) => Ok(vec![file]),
        None => Err(Error::new(Code::Usage, "no data are given")
            .help("name files, or a --schema that does")
            .into()),
    }
}

/// Reads data that a model is evaluated on, with its target.
pub(crate) fn read_for_evaluation(
    model: &Model,
    data: &[String],
    tables: &ScoreTableArgs,
    weight: Option<&str>,
    args: &ReadArgs,
    output: &Output,
) -> Result<Labelled> {
    let mut options = scoring_options(model, true, args)?;
    let only = options.only.get_or_insert_default();
    let is_input = weight.is_some_and(|weight| only.iter().any(|column| column.name == weight));
    if let (Some(weight), false) = (weight, is_input) {
        only.push(Expected {
            name: weight.to_owned(),
            ty: ColumnType::Numerical,
            required: false,
            must_parse: true,
        });
    }
    let Table { mut frame, .. } = read(&main_files(data, args)?, &options, output)?;
    let column = take_target(&mut frame, &model.target().name)?;
    let mut target = Target::from_column(&column)?;
    if let Some(weight) = weight {
        if is_input || frame.position(weight).is_none() {
            return Err(no_weight_column(weight, is_input).into());
        }
        target = with_weights(target, frame.remove(weight), weight, output)?;
    }
    let labelled = |data, target| Labelled {
        data,
        target,
        class_weights: None,
    };
    if !needs_tables(model) {
        return Ok(labelled(Data::One(frame), target));
    }
    let database = read_to_score(model, frame, tables, args, output)?;
    let rows = rows_once(&database);
    let labelled = labelled(Data::Several(Box::new(database)), target);
    Ok(match rows {
        Some(rows) => labelled.take(&rows),
        None => labelled,
    })
}

/// The rows of the main table that do not repeat a key; `None` for all.
pub(crate) fn rows_once(database: &Database) -> Option<Vec<usize>> {
    let repeated = database.tables().repeated_roots();
    let rows = 0..database.root().rows();
    let once = || rows.filter(|row| repeated.binary_search(row).is_err());
    (!repeated.is_empty()).then(|| once().collect())
}

fn no_weight_column(weight: &str, is_input: bool) -> Error {
    if is_input {
        let message = format!("the weight {weight:?} is a variable or the target of the model");
        return Error::new(Code::Usage, message).help("weigh rows by another column");
    }
    let message = format!("the weight {weight:?} is no column of the data");
    Error::new(Code::UnknownColumn, message).help("names are those of the header")
}

/// Writes a file that appears under its name only once it is complete.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    Ok(fnb_table::write_atomically(path, bytes)?)
}

/// Refuses an output that cannot be written before hours are spent on its content.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let problem = if path.is_dir() {
        Some(format!("{} is a directory", path.display()))
    } else if !folder.is_dir() {
        Some(format!("the folder {} does not exist", folder.display()))
    } else {
        let probe = tempfile::tempfile_in(folder);
        probe
            .err()
            .map(|e| format!("cannot write into {}: {e}", folder.display()))
    };
    match problem {
        Some(message) => Err(Error::new(Code::Output, message)
            .help("choose another place with -o")
            .into()),
        None => Ok(()),
    }
}

/// Refuses the name of a table that promises a format we do not write.
pub(crate) fn check_table_format(output: &str) -> Result<()> {
    let lower = output.to_ascii_lowercase();
    let plain = lower.strip_suffix(".gz");
    let extension = Path::new(plain.unwrap_or(&lower)).extension();
    let known = match extension.and_then(|extension| extension.to_str()) {
        None | Some("csv" | "tsv" | "txt") => true,
        Some("parquet") => plain.is_none(),
        Some(_) => false,
    };
    if known {
        return Ok(());
    }
    let message = format!("{output} is in no format that can be written");
    Err(Error::new(Code::Usage, message)
        .help("name it .csv, .tsv, .csv.gz, .tsv.gz or .parquet")
        .into())
}

/// Refuses a plain file name that does not exist, before time is spent on other data.
pub(crate) fn check_readable(data: &str) -> Result<()> {
    let is_pattern = data.contains(['*', '?', '[']);
    if data == "-" || is_pattern || Path::new(data).exists() {
        return Ok(());
    }
    let error = Error::new(Code::FileNotFound, format!("{data} does not exist"));
    Err(error
        .help("check the name; relative names start from the current folder")
        .into())
}

/// Reads the fold of every row: an integer column `fold` in a file of as many rows.
pub(crate) fn read_folds(file: &str, rows: usize) -> Result<Vec<u32>> {
    let invalid = |message: String| {
        Error::new(Code::InvalidFolds, format!("{file}: {message}"))
            .help("give a column named fold with a whole number per row of the data")
    };
    let expected = Expected {
        name: "fold".into(),
        ty: ColumnType::Numerical,
        required: false,
        must_parse: true,
    };
    let options = ReadOptions {
        only: Some(vec![expected]),
        ..ReadOptions::default()
    };
    let table = fnb_table::read(&[file.to_owned()], &options)?;
    let Some(Column {
        data: ColumnData::Numeric(column),
        ..
    }) = table.frame.columns().first()
    else {
        return Err(invalid("there is no column of numbers named fold".into()).into());
    };
    if column.len() != rows {
        return Err(invalid(format!("{} folds for {rows} rows", column.len())).into());
    }
    let fold = |(row, &value): (usize, &f64)| {
        let whole = value >= 0.0 && value <= f64::from(u32::MAX) && value.fract() == 0.0;
        whole
            .then_some(value as u32)
            .ok_or_else(|| invalid(format!("row {} has fold {value}", row + 1)))
    };
    let folds: Vec<u32> = column
        .values()
        .iter()
        .enumerate()
        .map(fold)
        .collect::<fnb::Result<_>>()?;
    if folds.iter().all(|fold| *fold == folds[0]) {
        return Err(invalid("all rows are in the same fold".into()).into());
    }
    Ok(folds)
}
