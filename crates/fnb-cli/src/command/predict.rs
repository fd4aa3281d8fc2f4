//! `fnb predict`: the rows of a table, scored block by block.

use crate::args::{ScoreArgs, class_probability};
use crate::destination;
use crate::input;
use crate::output::{self, Output, thousands};
use crate::tables::{OtherTables, to_score};
use anyhow::Result;
use clap::Args;
use fnb::evaluate::predicted_class;
use fnb::model::Model;
use fnb::predict::{BoundScorer, Contrast, Explainer, Scorer, Unseen};
use fnb::{Code, Error};
use fnb_table::{Batch, OutputData, OutputKind, ReadOptions, TableWriter};
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where to write: .csv, .tsv or .parquet; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: String,
    /// Write the probability of every class
    #[arg(long)]
    proba: bool,
    /// Write the K variables that count most for the predicted class, with their contributions
    #[arg(
        long,
        value_name = "K",
        default_value_t = 0,
        allow_negative_numbers = true
    )]
    reasons: usize,
    /// Columns of the data to copy to the output
    #[arg(long, value_name = "COLUMN,...", value_delimiter = ',')]
    keep: Vec<String>,
    /// Class shares of the data to score, if they are not those of the training (repeatable)
    #[arg(long, value_name = "CLASS=SHARE", value_parser = class_probability)]
    prior: Vec<(String, f64)>,
    /// Put an apostrophe before texts that a spreadsheet would run as formulas, in CSV and TSV: those that
    /// begin with = + - @ or a tab, and are no numbers
    #[arg(long)]
    spreadsheet_safe: bool,
    /// Print a summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    score: ScoreArgs,
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let start = Instant::now();
    destination::check_alone(arguments.output.as_ref(), "predictions", arguments.json)?;
    fnb_table::TableWriter::check_name(&arguments.output)?;
    destination::check(arguments.output.as_ref(), &arguments.score.inputs()?)?;
    let model = input::read_model(&arguments.score.model)?;
    let mut scorer = Scorer::new(&model);
    if !arguments.prior.is_empty() {
        let given: Vec<(&str, f64)> = arguments
            .prior
            .iter()
            .map(|(c, p)| (c.as_str(), *p))
            .collect();
        scorer = scorer.with_prior(&scorer.prior_from(&given)?)?;
    }
    let layout = Layout::new(&model, arguments)?;
    let ScoreArgs { read, tables, .. } = &arguments.score;
    let others = OtherTables::new(&model, tables, read, output)?;
    let to_score = to_score(&model, read, output)?;
    let files = input::main_files(&arguments.score.data, read)?;
    let read = |path: &str, options: &ReadOptions| others.read(path, options);
    let (mut batches, notes) = to_score.batches(&files, &arguments.keep, read)?;
    output.tell(&notes);
    let columns: Vec<(&str, OutputKind)> = layout
        .columns
        .iter()
        .map(|(name, kind)| (name.as_str(), *kind))
        .collect();
    let mut writer = destination::table(&arguments.output, &columns, arguments.spreadsheet_safe)?;
    let explainer = Explainer::new(&model);
    let mut rows = 0;
    let mut unseen = Unseen::new(&scorer, output.verbose);
    for batch in batches.by_ref() {
        let batch = batch?;
        rows += batch.frame.rows() as u64;
        let bound = scorer.bind(&batch.frame)?;
        unseen.add(&bound);
        layout.write(&mut writer, &batch, &bound, &explainer)?;
        if writer.is_closed() {
            return Ok(());
        }
    }
    writer.finish()?;
    output.tell_data(&batches.warnings());
    output.tell_unseen(&unseen);
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
        Batch { kept, .. }: &Batch,
        bound: &BoundScorer,
        explainer: &Explainer,
    ) -> Result<()> {
        let classes = self.model.classes();
        let rows = bound.rows();
        let probabilities = bound.probabilities(0..rows);
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
        let reasons = self.reasons(bound, explainer, &probabilities);

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
        bound: &BoundScorer,
        explainer: &Explainer,
        probabilities: &[f64],
    ) -> Vec<(Vec<u32>, Vec<f64>)> {
        if self.reasons == 0 {
            return Vec::new();
        }
        let rows = probabilities.chunks_exact(self.model.classes().len());
        let contrasts: Vec<Contrast> = rows
            .map(|row| Contrast::new(predicted_class(row), row))
            .collect();
        let reasons = explainer.top_reasons(bound, 0..bound.rows(), &contrasts, self.reasons);
        let rank = |k: usize| {
            let reasons = reasons.iter().skip(k).step_by(self.reasons);
            reasons
                .map(|r| (self.reason_starts[r.term] + r.cell as u32, r.contribution))
                .unzip()
        };
        (0..self.reasons).map(rank).collect()
    }
}
