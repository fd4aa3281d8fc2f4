//! `fnb train`: learn a model, measure it, write it.

use crate::args::{DataArgs, LearnArgs, WeightArgs, fold_count};
use crate::command::cross_validate::CvSummary;
use crate::command::report;
use crate::destination;
use crate::findings;
use crate::input;
use crate::labelled;
use crate::output::{self, Output, thousands};
use crate::progress::Shown;
use crate::spill::MemoryArgs;
use crate::view::{variables_table, what_they_bring};
use anyhow::Result;
use clap::Args;
use fnb::columns::Target;
use fnb::evaluate::{Scores, folds, holdout};
use fnb::model::{Finding, InteractionFacts, Model, SizePoint};
use fnb::weights::{CriterionValue, Lowest, SearchCriterion, StageEffort};
use fnb::{Code, CrossValidated, Error, Labelled, Settings, Training};
use fnb_report::{Changed, NamedModel, Options};
use fnb_table::{Expected, ReadOptions};
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The column to predict; a schema of several tables may name it
    #[arg(short, long, value_name = "COLUMN", required_unless_present = "schema")]
    target: Option<String>,
    /// Where to write the model; `-` is standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write a page that shows the model: one HTML file, to look at and to pass on
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    /// Test on this share of the rows, learn on the others
    #[arg(
        long,
        value_name = "SHARE",
        allow_negative_numbers = true,
        conflicts_with_all = ["test", "folds"],
        help_heading = "Testing"
    )]
    holdout: Option<f64>,
    /// Test on other data (repeatable)
    #[arg(long, value_name = "DATA", help_heading = "Testing")]
    test: Vec<String>,
    /// Estimate quality by cross-validation in K stratified folds
    #[arg(
        long,
        value_name = "K",
        value_parser = fold_count,
        allow_negative_numbers = true,
        conflicts_with = "folds",
        help_heading = "Testing"
    )]
    cv: Option<u32>,
    /// The same with given folds: a file with a column `fold` of integers, one per row
    #[arg(long, value_name = "FILE", help_heading = "Testing")]
    folds: Option<String>,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    learn: LearnArgs,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    memory: MemoryArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let start = Instant::now();
    let settings = arguments.learn.settings()?;
    check(arguments)?;
    let limited = arguments.memory.start(&arguments.data.inputs()?, output)?;
    let (target, weights) = (arguments.target.as_deref(), &arguments.weights);
    let data = labelled::read_labelled(&arguments.data, target, weights, output)?;
    let read_seconds = start.elapsed().as_secs_f64();

    let (train, test) = split(arguments, data)?;
    let fold_of_row = fold_of_rows(arguments, &train.target)?;
    check_test(arguments, &train)?;
    let (train, (mut model, seconds)) = learn(train, fold_of_row.is_some(), &settings, output)?;
    let mut changed = Vec::new();
    if let Some(test) = test {
        model.evaluation_mut().test = Some(test.evaluate(&model)?);
    } else if !arguments.test.is_empty() {
        match evaluate_on_test(arguments, &model, output) {
            Ok((test, found)) => {
                model.evaluation_mut().test = Some(test);
                changed = found;
            }
            // What was learnt is not lost with it.
            Err(error) => {
                if let Some(path) = &arguments.output {
                    write_model(&model, path, output)?;
                }
                return Err(error);
            }
        }
    }
    let cv = match train.zip(fold_of_row) {
        Some((train, folds)) => Some(cross_validate(&train, &folds, &settings, output)?),
        None => None,
    };
    model.evaluation_mut().cv = cv.as_ref().map(Into::into);
    if let Some(line) = what_they_bring(&model) {
        output.step(line, Duration::from_secs_f64(seconds.interactions));
    }
    match &arguments.output {
        Some(path) => write_model(&model, path, output)?,
        None => output.note("model not saved; use -o FILE"),
    }
    if let Some(path) = &arguments.report {
        write_report(&model, &changed, arguments, path, output)?;
    }
    limited.tell(output);
    let seconds = Seconds {
        read: read_seconds,
        total: start.elapsed().as_secs_f64(),
        ..seconds
    };
    if arguments.json {
        let (path, cv) = (
            arguments.output.as_deref(),
            cv.as_ref().map(CvSummary::from),
        );
        output::print_json(&Summary::new(&model, path, cv, seconds))
    } else {
        let path = arguments.output.as_deref();
        destination::print_beside(path, variables_table(&model), output)?;
        destination::print_beside(path, quality(&model, cv.as_ref()), output)?;
        findings::tell(&model, output);
        Ok(())
    }
}

/// What can be refused before anything is read.
fn check(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.output {
        let mut inputs = arguments.data.inputs()?;
        inputs.extend(arguments.test.iter().chain(&arguments.folds).cloned());
        destination::check_alone(path, "model", arguments.json)?;
        destination::check(path, &inputs)?;
    }
    if let Some(path) = &arguments.report {
        check_report(path, arguments)?;
    }
    if let Some(share) = arguments
        .holdout
        .filter(|share| !(*share > 0.0 && *share < 1.0))
    {
        return Err(Error::new(Code::Usage, format!("--holdout is {share}"))
            .help("give a share between 0 and 1, for instance 0.3")
            .into());
    }
    for data in arguments.test.iter().chain(&arguments.folds) {
        input::check_readable(data)?;
    }
    Ok(())
}

/// The page has a place of its own.
fn check_report(path: &Path, arguments: &Arguments) -> Result<()> {
    let mut inputs = arguments.data.inputs()?;
    inputs.extend(arguments.test.iter().chain(&arguments.folds).cloned());
    let model = arguments.output.as_deref();
    let is_stdout = destination::is_stdout(path);
    if is_stdout && (arguments.json || model.is_none_or(destination::is_stdout)) {
        let message = "the report and what else is printed cannot both go to standard output";
        return Err(Error::new(Code::Usage, message)
            .help("name a file with --report FILE")
            .into());
    }
    if model.is_some_and(|model| model == path) && !is_stdout {
        let message = format!(
            "the model and the report are both to be written to {}",
            path.display()
        );
        return Err(Error::new(Code::Usage, message)
            .help("name another file with --report")
            .into());
    }
    destination::check_of("--report", path, &inputs)
}

/// The page of the model, which is called as its file is.
fn write_report(
    model: &Model,
    changed: &[Changed],
    arguments: &Arguments,
    path: &Path,
    output: &Output,
) -> Result<()> {
    let file = arguments.output.as_deref();
    let file = file.filter(|file| !destination::is_stdout(file));
    let name = file.and_then(Path::file_stem);
    let name = name.map_or(Cow::Borrowed("model"), OsStr::to_string_lossy);
    let named = NamedModel {
        name: &name,
        model,
        measured: None,
        changed,
    };
    report::write(&[named], &Options::default(), path, output)
}

/// The rows to learn on, and those to test on.
fn split(arguments: &Arguments, data: Labelled) -> Result<(Labelled, Option<Labelled>)> {
    let Some(share) = arguments.holdout else {
        return Ok((data, None));
    };
    let (train, test) = holdout(&data.target, share)?;
    Ok((data.take(&train), Some(data.take(&test))))
}

/// Refuses test data that lack what any model asks for, before time is spent on learning: the target, the
/// weight, the key and the time of a row, and any row at all.
fn check_test(arguments: &Arguments, train: &Labelled) -> Result<()> {
    let files = &arguments.test;
    // Standard input can be read only once.
    if files.is_empty() || files.iter().any(|file| file == "-") {
        return Ok(());
    }
    let mut needed = vec![Expected::target(train.target.name())];
    needed.extend(arguments.weights.weight.as_ref().map(Expected::key));
    let (schema, cutoff) = (train.database.schema(), train.database.cutoff());
    if train.database.tables().frames().count() > 1 {
        let key = &schema.entity(&schema.root).key;
        needed.extend(key.iter().map(Expected::key));
        needed.extend(cutoff.map(|cutoff| Expected::key(&cutoff.root)));
    }
    let options = ReadOptions {
        columns: needed,
        only: true,
        ..arguments.data.read.options()?
    };
    fnb_table::open(files, &options)?.names(&options)?;
    // The first block tells whether there is a row; types do not matter here.
    let target = ReadOptions {
        columns: vec![Expected::key(train.target.name())],
        ..options
    };
    let first = fnb_table::batches(files, &target)?.next().transpose()?;
    if first.is_none_or(|batch| batch.frame.rows() == 0) {
        // Says what is wrong with it.
        fnb_table::read(files, &target)?;
    }
    Ok(())
}

/// The figures of a model on other data.
fn evaluate_on_test(
    arguments: &Arguments,
    model: &Model,
    output: &Output,
) -> Result<(fnb::evaluate::Evaluation, Vec<Changed>)> {
    let DataArgs { tables, read, .. } = &arguments.data;
    let weight = arguments.weights.weight.as_deref();
    let data = &arguments.test;
    let test = labelled::read_for_evaluation(model, data, tables, weight, read, output)?;
    let evaluation = test.evaluate(model)?;
    output.warn_of_unseen_classes(&evaluation);
    let changed = match arguments.report {
        Some(_) => report::changed(model, &test)?,
        None => Vec::new(),
    };
    Ok((evaluation, changed))
}

/// Learns on all rows, and says how it went. Rows that are not wanted back are freed before weights
/// are learnt.
fn learn(
    data: Labelled,
    wanted: bool,
    settings: &Settings,
    output: &Output,
) -> Result<(Option<Labelled>, (Model, Seconds))> {
    let progress = Shown::new(output);
    let prepared = data.prepare(settings, &progress);
    let classes = data.target.classes().to_vec();
    let data = wanted.then_some(data);
    let training = prepared.and_then(|prepared| prepared.learn(&settings.learn, &progress));
    progress.clear();
    let Training {
        model,
        prepare,
        weights,
        interactions,
        evaluate,
        ..
    } = training?;
    let facts = model.training();
    let columns = thousands(facts.columns as u64);
    let informative = thousands(facts.informative as u64);
    output.step(
        format_args!("prepared {columns} variables, {informative} informative"),
        prepare,
    );
    let limit = settings
        .learn
        .max_selected
        .map_or_else(String::new, |limit| {
            format!(" (limit {})", thousands(limit as u64))
        });
    output.step(
        format_args!("selected {}{limit}", thousands(facts.selected as u64)),
        weights,
    );
    if output.verbose {
        output.note(stages_table(&facts.stages).to_string().trim_end());
    }
    if let [class] = classes.as_slice() {
        if class.is_empty() {
            output.warn("the target is missing in all rows");
        } else {
            output.warn(format_args!("the target has a single class, {class:?}"));
        }
    } else if facts.informative == 0 && facts.interactions.is_none() {
        output.warn("no variable tells anything about the target: the model predicts class shares");
    } else if model.terms().is_empty() {
        output.warn("no variable is worth its price: the model predicts class shares");
    }
    let seconds = Seconds {
        read: 0.0,
        prepare: prepare.as_secs_f64(),
        weights: weights.as_secs_f64(),
        interactions: interactions.as_secs_f64(),
        evaluate: evaluate.as_secs_f64(),
        total: 0.0,
    };
    Ok((data, (model, seconds)))
}

/// Learns and tests fold by fold.
fn cross_validate(
    data: &Labelled,
    fold_of_row: &[u32],
    settings: &Settings,
    output: &Output,
) -> Result<CrossValidated> {
    let start = Instant::now();
    let cv = fnb::cross_validate(data, fold_of_row, settings, &())?;
    let folds = cv.folds.len();
    output.step(
        format_args!("cross-validated in {folds} folds"),
        start.elapsed(),
    );
    Ok(cv)
}

/// The work of each stage of the method.
fn stages_table(stages: &[StageEffort]) -> output::Grid {
    let mut grid = output::Grid::new(&["stage", "iterations", "row passes"]);
    for stage in stages {
        grid.line(vec![
            stage.stage.clone(),
            thousands(stage.iterations as u64),
            thousands(stage.row_passes),
        ]);
    }
    grid
}

fn write_model(model: &Model, path: &Path, output: &Output) -> Result<()> {
    let json = model.to_json();
    destination::write(path, &json)?;
    if destination::is_stdout(path) {
        return Ok(());
    }
    output.wrote(path, json.len());
    Ok(())
}

/// The fold of every row, if there is to be a cross-validation.
fn fold_of_rows(arguments: &Arguments, target: &Target) -> Result<Option<Vec<u32>>> {
    match (&arguments.folds, arguments.cv) {
        (Some(file), _) => Ok(Some(fnb_table::read_folds(file, target.rows())?)),
        (None, Some(k)) => Ok(Some(folds(target, k)?)),
        (None, None) => Ok(None),
    }
}

/// Seconds per stage.
#[derive(Debug, Clone, Copy, Serialize)]
struct Seconds {
    read: f64,
    prepare: f64,
    weights: f64,
    interactions: f64,
    evaluate: f64,
    total: f64,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Summary<'a> {
    model: Option<&'a Path>,
    rows: u64,
    columns: usize,
    informative: usize,
    selected: usize,
    method: &'static str,
    params: &'a Settings,
    criterion: CriterionValue,
    null_criterion: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    search_criterion: Option<SearchCriterion>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lowest: Option<Lowest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interactions: Option<InteractionFacts>,
    stages: &'a [StageEffort],
    size_path: &'a [SizePoint],
    findings: &'a [Finding],
    variables: Vec<SummaryVariable<'a>>,
    evaluation: &'a fnb::model::Evaluations,
    #[serde(skip_serializing_if = "Option::is_none")]
    cv: Option<CvSummary>,
    seconds: Seconds,
}

#[derive(Serialize)]
struct SummaryVariable<'a> {
    name: &'a str,
    weight: f64,
    level: f64,
    importance: f64,
    parts: usize,
}

impl<'a> Summary<'a> {
    fn new(
        model: &'a Model,
        path: Option<&'a Path>,
        cv: Option<CvSummary>,
        seconds: Seconds,
    ) -> Self {
        let training = model.training();
        let variables = model.terms().iter().map(|term| SummaryVariable {
            name: &term.name,
            weight: term.weight,
            level: term.level,
            importance: term.importance,
            parts: term.cells(),
        });
        Self {
            model: path,
            rows: training.rows,
            columns: training.columns,
            informative: training.informative,
            selected: training.selected,
            method: training.params.learn.method.as_str(),
            params: &training.params,
            criterion: training.criterion,
            null_criterion: training.null_criterion,
            search_criterion: training.search_criterion,
            lowest: training.lowest,
            interactions: training.interactions,
            stages: &training.stages,
            size_path: &training.size_path,
            findings: &training.findings,
            variables: variables.collect(),
            evaluation: model.evaluation(),
            cv,
            seconds,
        }
    }
}

/// The figures of quality, a line per set of rows.
fn quality(model: &Model, cv: Option<&CrossValidated>) -> output::Grid {
    let mut grid = output::Grid::new(&["", "rows", "accuracy", "AUC", "compression", "log loss"]);
    let mut line = |name: String, rows: u64, figures: &Scores| {
        let Scores {
            accuracy,
            auc,
            compression,
            log_loss,
            ..
        } = *figures;
        let figures = [Some(accuracy), auc, Some(compression), Some(log_loss)];
        let figures = figures.map(output::figure_or_dash);
        grid.line([name, thousands(rows)].into_iter().chain(figures).collect());
    };
    let evaluations = model.evaluation();
    for (name, evaluation) in [("train", &evaluations.train), ("test", &evaluations.test)] {
        if let Some(e) = evaluation {
            line(name.into(), e.rows, &e.into());
        }
    }
    if let Some(CrossValidated {
        mean, sd, folds, ..
    }) = cv
    {
        let rows = model.training().rows;
        let name = format!("{} folds, mean", folds.len());
        line(name, rows, &mean.into());
        line("  spread".into(), rows, &sd.into());
    }
    grid
}
