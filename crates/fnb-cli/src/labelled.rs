//! Reading rows with their classes: one table or several.

use crate::args::{DataArgs, ReadArgs, WeightArgs};
use crate::input::{main_files, read, take_target};
use crate::output::Output;
use crate::tables::{OtherTables, TableArgs, read_data, to_score};
use anyhow::Result;
use fnb::columns::{Column, ColumnData, ColumnType, Target};
use fnb::model::Model;
use fnb::{Code, Error, Labelled};
use fnb_table::{Expected, Table};

/// Reads a table, or several, with the target, which is always a category.
pub(crate) fn read_labelled(
    data: &DataArgs,
    target: Option<&str>,
    weights: &WeightArgs,
    output: &Output,
) -> Result<Labelled> {
    let schema = data.read.schema_of_tables()?;
    let in_schema = schema.and_then(|schema| schema.target.as_deref());
    let target = target.or(in_schema).ok_or_else(no_target)?;
    let (weight, class_weights) = (weights.weight.as_deref(), weights.classes()?);
    check_is_read("target", target, ColumnType::Categorical, &data.read)?;
    if let Some(weight) = weight {
        check_is_read("weight", weight, ColumnType::Numerical, &data.read)?;
        if weight == target {
            let message = format!("{weight:?} is both the target and the weight");
            return Err(Error::new(Code::Usage, message)
                .help("name another column with --weight")
                .into());
        }
    }
    let read = read_data(data, Some(target), weight, output)?;
    let mut target = Target::from_column(&read.target.ok_or_else(no_target)?)?;
    if let Some(weight) = weight {
        target = with_weights(target, read.weight, weight)?;
    }
    if let Some(weights) = &class_weights {
        // Names that are no class, before anything is learnt.
        target.clone().with_class_weights(weights)?;
    }
    read.database.check_target_is_apart(&target)?;
    Ok(Labelled {
        database: read.database,
        target,
        class_weights,
    })
}

fn no_target() -> Error {
    Error::new(Code::Usage, "the column to predict is not given").help("name it with -t COLUMN")
}

/// The target and the weight are read whatever the other options say, so they must not say otherwise.
fn check_is_read(what: &str, name: &str, ty: ColumnType, args: &ReadArgs) -> fnb::Result<()> {
    let typed = |said: &Expected| said.name == name && said.ty != Some(ty);
    let message = if args.drop.iter().any(|dropped| dropped == name) {
        format!("the {what} {name:?} is among the columns to drop")
    } else if args.types.iter().any(typed) {
        format!("the {what} {name:?} is always read as {}", ty.plural())
    } else {
        return Ok(());
    };
    Err(Error::new(Code::Usage, message).help("leave it out of --drop and --type"))
}

/// The target with the weights that a column holds.
fn with_weights(target: Target, column: Option<Column>, weight: &str) -> Result<Target> {
    let Some(ColumnData::Numeric(column)) = column.map(|column| column.data) else {
        let message = format!("the weight {weight:?} is not a column of numbers");
        return Err(Error::new(Code::UnsupportedType, message)
            .help("name a column that says how many rows each row stands for")
            .into());
    };
    let target = target.with_weights(column.values());
    Ok(target.map_err(|error| error.at(format!("weight {weight:?}")))?)
}

/// Reads data that a model is evaluated on, with its target.
pub(crate) fn read_for_evaluation(
    model: &Model,
    data: &[String],
    tables: &TableArgs,
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
        target = with_weights(target, frame.remove(weight), weight)?;
    }
    let database = others.join(&to_score, frame)?;
    Ok(Labelled::new(database, target))
}

fn no_weight_column(weight: &str, is_input: bool) -> Error {
    if is_input {
        let message = format!("the weight {weight:?} is a variable or the target of the model");
        return Error::new(Code::Usage, message).help("weigh rows by another column");
    }
    let message = format!("the weight {weight:?} is no column of the data");
    Error::new(Code::UnknownColumn, message).help("names are those of the header")
}
