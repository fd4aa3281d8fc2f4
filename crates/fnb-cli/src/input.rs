//! Data and models as the commands need them.

use crate::args::{ReadArgs, WeightArgs};
use crate::output::{Output, thousands};
use anyhow::Result;
use fnb::columns::{ClassWeights, Column, ColumnData, Frame, Target};
use fnb::model::Model;
use fnb::prepare::VariableKind;
use fnb::{Code, Error};
use fnb_table::{ColumnType, Expected, ReadOptions, Table, TableInfo};
use std::borrow::Cow;
use std::path::Path;
use std::time::Instant;

/// A table to learn from.
pub(crate) struct Labelled {
    pub(crate) frame: Frame,
    /// With the weights of the rows.
    pub(crate) target: Target,
    /// Factors of these weights when learning.
    pub(crate) class_weights: Option<ClassWeights>,
}

impl Labelled {
    /// The table of the given rows.
    pub(crate) fn take(&self, rows: &[usize]) -> Self {
        Self {
            frame: self.frame.take(rows),
            target: self.target.take(rows),
            class_weights: self.class_weights.clone(),
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

/// Reads a table with its target, which is always a category.
pub(crate) fn read_labelled(
    data: &[String],
    target: &str,
    args: &ReadArgs,
    weights: &WeightArgs,
    output: &Output,
) -> Result<Labelled> {
    let class_weights = weights.classes()?;
    check_target_is_read(target, args)?;
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
    let mut target = Target::from_column(&column)?;
    if let Some(weight) = &weights.weight {
        target = with_weights(target, &mut frame, weight, output)?;
    }
    if let Some(weights) = &class_weights {
        // Names that are no class, before anything is learnt.
        target.clone().with_class_weights(weights)?;
    }
    Ok(Labelled {
        frame,
        target,
        class_weights,
    })
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

/// Takes the column of weights out of a table, for its target.
fn with_weights(
    target: Target,
    frame: &mut Frame,
    weight: &str,
    output: &Output,
) -> Result<Target> {
    let Some(ColumnData::Numeric(column)) = frame.remove(weight).map(|column| column.data) else {
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

fn take_target(frame: &mut Frame, target: &str) -> Result<Column> {
    Ok(frame.remove(target).ok_or_else(|| {
        Error::new(
            Code::UnknownColumn,
            format!("the target {target:?} was not read"),
        )
    })?)
}

/// Reads a table and says what was found.
pub(crate) fn read(data: &[String], options: &ReadOptions, output: &Output) -> Result<Table> {
    let start = Instant::now();
    let table = fnb_table::read(data, options)?;
    let (rows, columns) = (
        table.frame.rows() as u64,
        table.frame.columns().len() as u64,
    );
    let message = format!(
        "read {} rows x {} columns",
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
    let mut only: Vec<Expected> = model
        .variables()
        .iter()
        .map(|variable| Expected {
            name: variable.from.column.clone(),
            ty: match variable.kind {
                VariableKind::Numerical => ColumnType::Numerical,
                VariableKind::Categorical => ColumnType::Categorical,
            },
            required: true,
            must_parse: true,
        })
        .collect();
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

/// Reads data that a model is evaluated on, with its target.
pub(crate) fn read_for_evaluation(
    model: &Model,
    data: &[String],
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
    let Table { mut frame, .. } = read(data, &options, output)?;
    let column = take_target(&mut frame, &model.target().name)?;
    let mut target = Target::from_column(&column)?;
    if let Some(weight) = weight {
        if is_input || frame.position(weight).is_none() {
            return Err(no_weight_column(weight, is_input).into());
        }
        target = with_weights(target, &mut frame, weight, output)?;
    }
    Ok(Labelled {
        frame,
        target,
        class_weights: None,
    })
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
