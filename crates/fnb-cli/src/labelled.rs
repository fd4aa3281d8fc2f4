//! Reading rows with their classes: one table or several.

use crate::args::{ReadArgs, WeightArgs};
use crate::input::{main_files, read, take_target};
use crate::output::{Output, thousands};
use crate::sparse;
use crate::tables::{OtherTables, ScoreTableArgs, TableArgs, read_several, to_score};
use anyhow::Result;
use fnb::columns::{Column, ColumnData, ColumnType, Target};
use fnb::model::Model;
use fnb::{Code, Error, Labelled};
use fnb_table::{Expected, Table};

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
        let labelled = Labelled {
            database: joined.database,
            target: weigh(target, joined.weight, weights, output)?,
            class_weights,
        };
        return Ok(labelled.once());
    }
    let mut options = args.options()?;
    check_alone(data, tables)?;
    let target = target.ok_or_else(no_target)?;
    if let Some(weight) = &weights.weight {
        check_weight_is_read(weight, target, args)?;
        options
            .columns
            .push(Expected::typed(weight, ColumnType::Numerical));
    }
    options.columns.push(Expected::target(target));
    options.columns.extend(args.sparse.keys());
    let Table { mut frame, .. } = read(data, &options, output)?;
    let sparse_tables = args.sparse.read(args, output)?;
    let column = take_target(&mut frame, target)?;
    let weight = weights.weight.as_ref().and_then(|name| frame.remove(name));
    let target = weigh(Target::from_column(&column)?, weight, weights, output)?;
    Ok(Labelled {
        database: sparse::add(frame, &sparse_tables, output)?.into(),
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
    let typed = |said: &Expected| said.name == weight && said.ty != Some(ColumnType::Numerical);
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
    let sum = target
        .weights()
        .map_or(target.rows() as f64, fnb::columns::RowWeights::sum);
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
    let typed = |said: &Expected| said.name == target && said.ty != Some(ColumnType::Categorical);
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

/// Reads data that a model is evaluated on, with its target.
pub(crate) fn read_for_evaluation(
    model: &Model,
    data: &[String],
    tables: &ScoreTableArgs,
    weight: Option<&str>,
    args: &ReadArgs,
    output: &Output,
) -> Result<Labelled> {
    let others = OtherTables::new(model, tables, args, output)?;
    let to_score = to_score(model, args, output)?;
    let options = to_score.main_options(Vec::new());
    let target_name = &model.target().name;
    let used = options.columns.iter().map(|column| &column.name);
    let mut used = used.chain([target_name]);
    let is_used = weight.is_some_and(|weight| used.any(|name| name == weight));
    let mut also = vec![Expected::target(target_name)];
    also.extend(weight.map(|weight| Expected::welcome(weight, ColumnType::Numerical)));
    let options = to_score.main_options(also);
    let Table { mut frame, .. } = read(&main_files(data, args)?, &options, output)?;
    let column = take_target(&mut frame, target_name)?;
    let mut target = Target::from_column(&column)?;
    if let Some(weight) = weight {
        if is_used || frame.position(weight).is_none() {
            return Err(no_weight_column(weight, is_used).into());
        }
        target = with_weights(target, frame.remove(weight), weight, output)?;
    }
    let database = others.join(&to_score, frame)?;
    Ok(Labelled::new(database, target).once())
}

fn no_weight_column(weight: &str, is_input: bool) -> Error {
    if is_input {
        let message = format!("the weight {weight:?} is a variable or the target of the model");
        return Error::new(Code::Usage, message).help("weigh rows by another column");
    }
    let message = format!("the weight {weight:?} is no column of the data");
    Error::new(Code::UnknownColumn, message).help("names are those of the header")
}
