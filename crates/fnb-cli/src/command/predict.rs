//! `fnb predict`: the rows of a table, scored block by block.

use crate::args::{ReadArgs, class_probability};
use crate::input;
use crate::output::{self, Output, thousands};
use crate::tables::{ScoreTableArgs, read_to_score};
use anyhow::Result;
use clap::Args;
use fnb::columns::{CategoricalColumn, CategoricalColumnBuilder, Frame, SparseEntries};
use fnb::evaluate::predicted_class;
use fnb::model::Model;
use fnb::predict::{Explainer, Scorer, database_to_score, scoring_frame};
use fnb::{Code, Error};
use fnb_table::{Batch, OutputData, OutputKind, ReadOptions, TableWriter};
use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The model file
    model: PathBuf,
    /// Files, patterns or a directory; `-` is standard input
    #[arg(required_unless_present = "schema", value_name = "DATA")]
    data: Vec<String>,
    /// Where to write: .csv, .tsv or .parquet; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: String,
    /// Write the probability of every class
    #[arg(long)]
    proba: bool,
    /// Write the K variables that count most for the predicted class, with their contributions
    #[arg(long, value_name = "K", default_value_t = 0)]
    reasons: usize,
    /// Columns of the data to copy to the output
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    keep: Vec<String>,
    /// Class shares of the data to score, if they are not those of the training (repeatable)
    #[arg(long, value_name = "CLASS=SHARE", value_parser = class_probability)]
    prior: Vec<(String, f64)>,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    tables: ScoreTableArgs,
    #[command(flatten)]
    read: ReadArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let start = Instant::now();
    if arguments.json && arguments.output == "-" {
        let message = "the summary and the predictions cannot both go to standard output";
        return Err(Error::new(Code::Usage, message)
            .help("write the predictions with -o FILE")
            .into());
    }
    input::check_table_format(&arguments.output)?;
    let model = input::read_model(&arguments.model)?;
    let mut scorer = Scorer::new(&model);
    if !arguments.prior.is_empty() {
        let given: Vec<(&str, f64)> = arguments
            .prior
            .iter()
            .map(|(c, p)| (c.as_str(), *p))
            .collect();
        scorer = scorer.with_prior(&scorer.prior_from(&given)?)?;
    }
    let options = ReadOptions {
        keep: arguments.keep.clone(),
        ..input::scoring_options(&model, false, &arguments.read)?
    };
    let layout = Layout::new(&model, arguments)?;
    let read = &arguments.read;
    let sparse_tables = read.sparse.read_for(&model, read, output)?;
    let batches = batches(&model, &sparse_tables, options, arguments, output)?;
    let columns: Vec<(&str, OutputKind)> = layout
        .columns
        .iter()
        .map(|(name, kind)| (name.as_str(), *kind))
        .collect();
    let mut writer = TableWriter::create(&arguments.output, &columns)?;
    let explainer = Explainer::new(&model);
    let mut rows = 0;
    for batch in batches {
        let batch = batch?;
        rows += batch.frame.rows() as u64;
        layout.write(&mut writer, &batch, &scorer, &explainer)?;
        if writer.is_closed() {
            return Ok(());
        }
    }
    writer.finish()?;
    if arguments.json {
        let seconds = start.elapsed().as_secs_f64();
        output::print_json(
            &serde_json::json!({ "rows": rows, "output": arguments.output, "seconds": seconds }),
        )
    } else {
        output.step(
            format_args!("scored {} rows", thousands(rows)),
            start.elapsed(),
        );
        Ok(())
    }
}

/// The rows to score, block by block; with other tables, whose records may be anywhere, all at once.
fn batches<'a>(
    model: &'a Model,
    sparse_tables: &'a [SparseEntries],
    options: ReadOptions,
    arguments: &Arguments,
    output: &Output,
) -> Result<Box<dyn Iterator<Item = fnb::Result<Batch>> + 'a>> {
    let Arguments { read, tables, .. } = arguments;
    let files = input::main_files(&arguments.data, read)?;
    if !input::needs_tables(model) {
        let batches = fnb_table::batches(&files, &options)?;
        return Ok(Box::new(batches.map(|batch| {
            let Batch { frame, kept } = batch?;
            let frame = of_one_table(model, frame, sparse_tables)?;
            Ok(Batch { frame, kept })
        })));
    }
    if files.iter().any(|file| file == "-") && !options.keep.is_empty() {
        let message = "with several tables, columns to keep cannot come from standard input";
        return Err(Error::new(Code::Usage, message)
            .help("write the main table to a file first")
            .into());
    }
    let main = input::read(&files, &options, output)?.frame;
    let database = read_to_score(model, main, sparse_tables, tables, read, output)?;
    let mut frame = scoring_frame(model, &database)?.into_owned();
    let mut kept = kept(&files, options)?;
    if let Some(rows) = database.rows_once() {
        frame = frame.take(&rows);
        kept = kept.iter().map(|column| column.take(&rows)).collect();
    }
    Ok(Box::new(std::iter::once(Ok(Batch { frame, kept }))))
}

/// The columns to keep, of all rows.
fn kept(files: &[String], options: ReadOptions) -> Result<Vec<CategoricalColumn>> {
    if options.keep.is_empty() {
        return Ok(Vec::new());
    }
    let mut columns = vec![CategoricalColumnBuilder::default(); options.keep.len()];
    let options = ReadOptions {
        columns: Vec::new(),
        only: true,
        ..options
    };
    for batch in fnb_table::batches(files, &options)? {
        for (column, kept) in columns.iter_mut().zip(&batch?.kept) {
            column.append(kept);
        }
    }
    let columns = columns.into_iter().map(CategoricalColumnBuilder::finish);
    Ok(columns.collect())
}

/// With the columns of sparse tables, and the variables that are constructed from the dates and texts of
/// the table itself.
fn of_one_table(
    model: &Model,
    mut frame: Frame,
    sparse_tables: &[SparseEntries],
) -> fnb::Result<Frame> {
    if !sparse_tables.is_empty() {
        frame = frame.with_sparse_tables(sparse_tables)?.0;
    }
    if model.schema().is_none() {
        return Ok(frame);
    }
    let database = database_to_score(model, [(String::new(), frame)].into())?;
    scoring_frame(model, &database).map(Cow::into_owned)
}

/// What is written for every row.
struct Layout<'a> {
    model: &'a Model,
    proba: bool,
    reasons: usize,
    columns: Vec<(String, OutputKind)>,
    /// `term = cell`, for every term and cell, when reasons are wanted.
    reason_texts: Vec<String>,
    /// Where the cells of each term start in these.
    reason_starts: Vec<u32>,
}

impl<'a> Layout<'a> {
    fn new(model: &'a Model, arguments: &Arguments) -> Result<Self> {
        let reasons = arguments.reasons.min(model.terms().len());
        let kept = arguments
            .keep
            .iter()
            .map(|name| (name.clone(), OutputKind::Text));
        let mut columns: Vec<(String, OutputKind)> = kept.collect();
        columns.push(("prediction".into(), OutputKind::Text));
        if arguments.proba {
            let proba = |class: &String| (format!("proba_{class}"), OutputKind::Number);
            columns.extend(model.classes().iter().map(proba));
        }
        for k in 1..=reasons {
            columns.push((format!("reason_{k}"), OutputKind::Text));
            columns.push((format!("contribution_{k}"), OutputKind::Number));
        }
        if let Some(i) =
            (1..columns.len()).find(|&i| columns[..i].iter().any(|c| c.0 == columns[i].0))
        {
            let message = format!("the output would have two columns named {:?}", columns[i].0);
            return Err(Error::new(Code::DuplicateColumn, message)
                .help("leave it out of --keep, or rename it in the data")
                .into());
        }
        let (mut reason_texts, mut reason_starts) = (Vec::new(), Vec::new());
        for term in model.terms().iter().filter(|_| reasons > 0) {
            reason_starts.push(reason_texts.len() as u32);
            let reason = |cell| format!("{} {}", term.name, term.label(cell));
            reason_texts.extend((0..term.cells()).map(reason));
        }
        let proba = arguments.proba;
        Ok(Self {
            model,
            proba,
            reasons,
            columns,
            reason_texts,
            reason_starts,
        })
    }

    fn write(
        &self,
        writer: &mut TableWriter,
        Batch { frame, kept }: &Batch,
        scorer: &Scorer,
        explainer: &Explainer,
    ) -> Result<()> {
        let classes = self.model.classes();
        let rows = frame.rows();
        let probabilities = scorer.probabilities(frame)?;
        let predicted: Vec<u32> = probabilities
            .chunks_exact(classes.len())
            .map(|row| predicted_class(row) as u32)
            .collect();
        let column_of = |class| {
            probabilities
                .iter()
                .skip(class)
                .step_by(classes.len())
                .copied()
        };
        let by_class: Vec<Vec<f64>> = (0..classes.len())
            .filter(|_| self.proba)
            .map(|class| column_of(class).collect())
            .collect();
        let reasons = self.reasons(frame, scorer, explainer, &predicted)?;

        let mut columns: Vec<OutputData> = kept.iter().map(OutputData::Categories).collect();
        columns.push(OutputData::Labels {
            codes: &predicted,
            labels: classes,
        });
        columns.extend(by_class.iter().map(|column| OutputData::Numbers(column)));
        for (codes, contributions) in &reasons {
            columns.push(OutputData::Labels {
                codes,
                labels: &self.reason_texts,
            });
            columns.push(OutputData::Numbers(contributions));
        }
        debug_assert!(rows == predicted.len());
        Ok(writer.write(&columns)?)
    }

    /// The reasons, most important first: their text and contribution for every row.
    fn reasons(
        &self,
        frame: &Frame,
        scorer: &Scorer,
        explainer: &Explainer,
        predicted: &[u32],
    ) -> Result<Vec<(Vec<u32>, Vec<f64>)>> {
        if self.reasons == 0 {
            return Ok(Vec::new());
        }
        let bound = scorer.bind(frame)?;
        let reasons = explainer.top_reasons(&bound, 0..frame.rows(), predicted, self.reasons);
        let rank = |k: usize| {
            let reasons = reasons.iter().skip(k).step_by(self.reasons);
            reasons
                .map(|r| (self.reason_starts[r.term] + r.cell as u32, r.contribution))
                .unzip()
        };
        Ok((0..self.reasons).map(rank).collect())
    }
}
