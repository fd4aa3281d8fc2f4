//! `fnb report`: models as a page, one HTML file to look at.

use crate::args::{ReadArgs, class_position};
use crate::destination;
use crate::input;
use crate::labelled;
use crate::output::Output;
use crate::tables::TableArgs;
use anyhow::Result;
use clap::Args;
use fnb::evaluate::Evaluation;
use fnb::model::Model;
use fnb::predict::scoring_frame;
use fnb::{Code, Error, Labelled};
use fnb_report::{Changed, NamedModel, Options};
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The model files; several are compared side by side
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<PathBuf>,
    /// Where to write the page; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Measure the models on these data, which have the target, in the place of the test of the training
    /// (repeatable)
    #[arg(long, value_name = "DATA")]
    data: Vec<String>,
    /// A column of the data: how many rows each row stands for
    #[arg(long, value_name = "COLUMN", requires = "data")]
    weight: Option<String>,
    /// What is written above the page [default: the question that the model answers]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// The class that the page speaks of [default: the second of two]
    #[arg(long, value_name = "CLASS")]
    main_value: Option<String>,
    #[command(flatten)]
    tables: TableArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    check(arguments)?;
    let names = names(&arguments.models);
    let mut models: Vec<(Model, Option<Evaluation>, Vec<Changed>)> = Vec::new();
    for (path, name) in arguments.models.iter().zip(&names) {
        let model = input::read_model(path)?;
        if let Some(class) = &arguments.main_value {
            class_position(model.classes(), class)?;
        }
        let (measured, changed) = match arguments.data.as_slice() {
            [] => (None, Vec::new()),
            _ => measure(&model, arguments, output).map(|(m, changed)| (Some(m), changed))?,
        };
        check_is_measured(&model, name, measured.is_some())?;
        models.push((model, measured, changed));
    }
    let named = models.iter().zip(&names);
    let named: Vec<NamedModel> = named
        .map(|((model, measured, changed), name)| NamedModel {
            name,
            model,
            measured: measured.as_ref(),
            changed,
        })
        .collect();
    let options = Options {
        title: arguments.title.clone(),
        main_class: arguments.main_value.clone(),
    };
    write(&named, &options, &arguments.output, output)
}

/// Writes the page of some models.
pub(crate) fn write(
    models: &[NamedModel],
    options: &Options,
    path: &Path,
    output: &Output,
) -> Result<()> {
    let page = fnb_report::page(models, options)?;
    destination::write(path, &page)?;
    if !destination::is_stdout(path) {
        output.wrote(path, page.len());
    }
    Ok(())
}

/// What can be refused before anything is read.
fn check(arguments: &Arguments) -> Result<()> {
    let mut inputs = arguments.read.inputs(&arguments.data)?;
    inputs.extend(arguments.tables.files().cloned());
    let models = arguments.models.iter();
    inputs.extend(models.map(|model| model.to_string_lossy().into_owned()));
    destination::check(&arguments.output, &inputs)?;
    if arguments.data.is_empty() && arguments.tables.files().next().is_some() {
        let message = "tables are given without the data that they belong to";
        return Err(Error::new(Code::Usage, message)
            .help("name those of the main table with --data, or leave the tables out")
            .into());
    }
    if arguments.models.len() > 1 && arguments.data.iter().any(|data| data == "-") {
        let message = "standard input can be read for one model only";
        return Err(Error::new(Code::Usage, message)
            .help("write the data to a file, and name it with --data")
            .into());
    }
    for data in &arguments.data {
        input::check_readable(data)?;
    }
    Ok(())
}

fn measure(
    model: &Model,
    arguments: &Arguments,
    output: &Output,
) -> Result<(Evaluation, Vec<Changed>)> {
    let Arguments {
        data, tables, read, ..
    } = arguments;
    let weight = arguments.weight.as_deref();
    let data = labelled::read_for_evaluation(model, data, tables, weight, read, output)?;
    let evaluation = data.evaluate(model)?;
    output.warn_of_unseen_classes(&evaluation);
    Ok((evaluation, changed(model, &data)?))
}

/// The variables that lie otherwise in some rows than in the training rows.
pub(crate) fn changed(model: &Model, data: &Labelled) -> Result<Vec<Changed>> {
    let frame = scoring_frame(model, &data.database)?;
    Ok(fnb_report::changed(model, &frame)?)
}

/// A page that says nothing of the quality of a model would be taken for praise.
fn check_is_measured(model: &Model, name: &str, is_measured: bool) -> Result<()> {
    let known = model.evaluation();
    if is_measured || known.train.is_some() || known.test.is_some() {
        return Ok(());
    }
    let message =
        format!("the model {name} was never evaluated: a page could not say how good it is");
    Err(Error::new(Code::Usage, message)
        .help("give data that have the target with --data")
        .into())
}

/// What models are called: their files without ending, or with all that tells them apart.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let stem = |path: &PathBuf| {
        let stem = path.file_stem().unwrap_or(path.as_os_str());
        stem.to_string_lossy().into_owned()
    };
    let stems: Vec<String> = paths.iter().map(stem).collect();
    let told_apart = |(path, stem): (&PathBuf, &String)| {
        if stems.iter().filter(|other| *other == stem).count() > 1 {
            path.display().to_string()
        } else {
            stem.clone()
        }
    };
    paths.iter().zip(&stems).map(told_apart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_of_one_name_are_told_apart() {
        let paths = ["a/model.json", "b/model.json", "other.json"].map(PathBuf::from);
        assert_eq!(names(&paths), ["a/model.json", "b/model.json", "other"]);
    }
}
