//! `fnb compare`: several methods on the same folds, in one table.

mod plan;
mod results_file;
mod table;

use crate::args::{
    ConstructArgs, DataArgs, PresetName, SearchArgs, TextArgs, WeightArgs, fold_count,
};
use crate::destination;
use crate::input;
use crate::interrupt;
use crate::labelled;
use crate::output::{self, Output};
use crate::progress::Shown;
use anyhow::Result;
use clap::Args;
use fnb::evaluate::{fold_names, folds};
use fnb::{Code, Error, Figures, Fit, Labelled, Settings};
use plan::{Entry, Line, Named};
use std::path::Path;
use std::time::{Duration, Instant};

#[derive(Debug, Args)]
#[command(
    after_help = "A method is NAME, NAME:PRESET (as in fnb-khiops:khiops or fnb:paper: the settings of \
                  that preset), coordinate+ (with continuation), or all. The criterion is the one that all \
                  methods share; it can be compared at equal lambda."
)]
pub(crate) struct Arguments {
    /// The column to predict; a schema of several tables may name it
    #[arg(short, long, value_name = "COLUMN", required_unless_present = "schema")]
    target: Option<String>,
    /// What to compare: all, or names as for `train --method`, with a preset if wanted
    #[arg(
        long,
        value_name = "METHOD,...",
        value_delimiter = ',',
        value_parser = plan::entry,
        default_value = "fnb,fnb-ordered,coordinate,snb,sg.cf"
    )]
    methods: Vec<Entry>,
    /// The method that the others are measured against [default: the first one]
    #[arg(long, value_name = "METHOD", value_parser = plan::named)]
    reference: Option<Named>,
    /// Number of stratified folds [default: 10]
    #[arg(
        long,
        value_name = "K",
        value_parser = fold_count,
        allow_negative_numbers = true,
        conflicts_with = "folds"
    )]
    cv: Option<u32>,
    /// Given folds: a file with a column `fold` of integers, one per row
    #[arg(long, value_name = "FILE")]
    folds: Option<String>,
    /// Write every fold of every method as a table, fold by fold: .csv, .tsv or .parquet; `-` is
    /// standard output, at the end
    #[arg(short, long, value_name = "FILE")]
    output: Option<String>,
    /// Go on from what the output file of an interrupted run holds
    #[arg(long, requires = "output")]
    resume: bool,
    /// Print as JSON, with every fold
    #[arg(long)]
    json: bool,
    /// Settings to start from
    #[arg(long, value_enum, default_value_t = PresetName::Default, help_heading = "Learning")]
    preset: PresetName,
    /// Weights of the prior, each with every method [default: that of the preset]
    #[arg(
        long,
        value_name = "NUMBER,...",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Learning"
    )]
    lambda: Vec<f64>,
    #[command(flatten)]
    weights: WeightArgs,
    #[command(flatten)]
    search: SearchArgs,
    #[command(flatten)]
    construct: ConstructArgs,
    #[command(flatten)]
    texts: TextArgs,
    #[command(flatten)]
    data: DataArgs,
}

/// Time between two writes of the results while a fold is under way.
const WRITE_EVERY: Duration = Duration::from_secs(1);
/// Number of folds if none is given.
const FOLDS: u32 = 10;

/// What is compared, and what is known of it.
pub(crate) struct Comparison {
    target: String,
    rows: usize,
    /// Tells the data and the folds from others.
    fingerprint: String,
    folds: Vec<u32>,
    lines: Vec<Line>,
    /// Label of the lines that the others are measured against.
    reference: String,
    /// By fold, then line; absent while it is not finished.
    fits: Vec<Vec<Option<Figures>>>,
}

impl Comparison {
    /// Are all models of a fold there?
    fn is_finished(&self, fold: usize) -> bool {
        self.fits[fold].iter().all(Option::is_some)
    }

    /// The place of a fold.
    fn place_of(&self, fold: u32) -> usize {
        let place = self.folds.iter().position(|own| *own == fold);
        place.expect("a fold of the comparison")
    }

    /// The models that are there, by fold and line.
    fn known(&self) -> Vec<(u32, usize)> {
        let folds = self.folds.iter().zip(&self.fits);
        let known = folds.flat_map(|(&fold, fits)| {
            let lines = fits.iter().enumerate();
            lines.filter_map(move |(line, fit)| fit.map(|_| (fold, line)))
        });
        known.collect()
    }

    /// Number of these.
    fn done(&self) -> usize {
        self.fits.iter().flatten().flatten().count()
    }
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let Arguments { search, .. } = arguments;
    let mut lines = plan::lines(
        &arguments.methods,
        arguments.preset,
        &arguments.lambda,
        search,
    )?;
    for line in &mut lines {
        let settings = arguments.construct.over(line.settings.clone())?;
        line.settings = arguments.texts.over(settings);
    }
    let reference = plan::reference(&lines, arguments.reference.as_ref())?;
    check_output(arguments)?;
    if let Some(file) = &arguments.folds {
        input::check_readable(file)?;
    }
    let (target, weights) = (arguments.target.as_deref(), &arguments.weights);
    let data = labelled::read_labelled(&arguments.data, target, weights, output)?;
    let fold_of_row = match &arguments.folds {
        Some(file) => fnb_table::read_folds(file, data.target.rows())?,
        None => folds(&data.target, arguments.cv.unwrap_or(FOLDS))?,
    };
    let names = fold_names(&fold_of_row);
    let mut comparison = Comparison {
        target: data.target.name().to_owned(),
        rows: data.target.rows(),
        fingerprint: data.fingerprint(&fold_of_row),
        fits: names.iter().map(|_| vec![None; lines.len()]).collect(),
        folds: names,
        lines,
        reference,
    };
    if let (true, Some(path)) = (arguments.resume, &arguments.output)
        && Path::new(path).exists()
    {
        let taken = results_file::read(&mut comparison, path)?;
        output.note(format_args!("resuming: {taken} models found in {path}"));
    }
    let start = Instant::now();
    learn(&mut comparison, &data, &fold_of_row, arguments, output)?;
    interrupt::forget_last_words();
    let (models, folds) = (comparison.done(), comparison.folds.len());
    output.step(
        format_args!("compared {models} models in {folds} folds"),
        start.elapsed(),
    );
    warn(&comparison, &data, output);
    let path = arguments.output.as_deref().map(Path::new);
    if let (Some(path), true) = (&arguments.output, at_the_end(arguments)) {
        results_file::write(&comparison, path)?;
    }
    destination::print_beside(path, report(&comparison, arguments.json)?, output)
}

/// What cannot be replaced is written once.
fn at_the_end(arguments: &Arguments) -> bool {
    let path = arguments.output.as_deref().map(Path::new);
    path.is_some_and(fnb_table::is_written_directly)
}

/// The results so far, in the form that is wanted.
fn report(comparison: &Comparison, json: bool) -> Result<String> {
    if json {
        return table::json(comparison);
    }
    Ok(table::text(comparison))
}

/// What can be refused before anything is read.
fn check_output(arguments: &Arguments) -> Result<()> {
    let Some(path) = &arguments.output else {
        return Ok(());
    };
    destination::check_alone(path.as_ref(), "folds", arguments.json)?;
    if arguments.resume && fnb_table::is_written_directly(path.as_ref()) {
        let error = Error::new(Code::Usage, format!("{path} keeps nothing to go on from"));
        return Err(error.help("give -o a file, or leave out --resume").into());
    }
    fnb_table::TableWriter::check_name(path)?;
    let mut inputs = arguments.data.inputs()?;
    inputs.extend(arguments.folds.clone());
    destination::check(Path::new(path), &inputs)
}

/// Learns and tests what is not there yet, and keeps what is finished.
fn learn(
    comparison: &mut Comparison,
    data: &Labelled,
    fold_of_row: &[u32],
    arguments: &Arguments,
    output: &Output,
) -> Result<()> {
    let progress = Shown::new(output);
    let settings: Vec<Settings> = comparison
        .lines
        .iter()
        .map(|l| l.settings.clone())
        .collect();
    let known = comparison.known();
    let total = comparison.folds.len() * settings.len();
    let mut written = Instant::now();
    leave_last_words(comparison, &progress, arguments, output)?;
    let keep = |fit: Fit| {
        let fold = comparison.place_of(fit.fold);
        comparison.fits[fold][fit.settings] = Some(fit.figures);
        progress.show("comparing", comparison.done(), total);
        let is_finished = comparison.is_finished(fold);
        if is_finished || written.elapsed() > WRITE_EVERY {
            write(comparison, arguments)?;
            written = Instant::now();
        }
        if is_finished {
            leave_last_words(comparison, &progress, arguments, output)?;
        }
        anyhow::Ok(())
    };
    fnb::compare(data, fold_of_row, &settings, &known, &(), keep)?;
    progress.clear();
    Ok(())
}

fn write(comparison: &Comparison, arguments: &Arguments) -> Result<()> {
    match &arguments.output {
        Some(path) if !at_the_end(arguments) => results_file::write(comparison, path),
        _ => Ok(()),
    }
}

/// After Ctrl-C, the finished folds are shown.
fn leave_last_words(
    comparison: &Comparison,
    progress: &Shown,
    arguments: &Arguments,
    output: &Output,
) -> Result<()> {
    let folds = 0..comparison.folds.len();
    let finished = folds.filter(|&fold| comparison.is_finished(fold)).count();
    let text = (finished > 0).then(|| report(comparison, arguments.json));
    let text = text.transpose()?;
    let next = match &arguments.output {
        Some(_) => "; the same command with --resume goes on",
        None => "",
    };
    let note = format!(
        "interrupted: {finished} of {} folds are finished{next}",
        comparison.folds.len()
    );
    let (bar, output) = (progress.bar(), output.clone());
    interrupt::set_last_words(move || {
        bar.finish_and_clear();
        output.note(note);
        if let Some(text) = text {
            // Nobody is left to be told that it cannot be printed.
            let _ = output::print(text);
        }
    });
    Ok(())
}

/// What the user should know of the figures.
fn warn(comparison: &Comparison, data: &Labelled, output: &Output) {
    let mut fits = comparison.fits.iter().flatten().flatten();
    if let [class] = data.target.classes() {
        output.warn(format_args!("the target has a single class, {class:?}"));
    } else if fits.all(|figures| figures.informative == 0.0) {
        output.warn(
            "no variable tells anything about the target: every method predicts class shares",
        );
    }
}
