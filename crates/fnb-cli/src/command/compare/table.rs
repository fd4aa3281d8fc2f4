//! A line per method and lambda: means over the finished folds, spreads, ratios to a reference.

use super::Comparison;
use super::plan::Line;
use crate::output::{Grid, figure, thousands, to_json};
use anyhow::Result;
use fnb::{CrossValidated, Figures, FoldFigures, Settings};
use serde::Serialize;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    target: &'a str,
    rows: usize,
    /// Number of folds, and of those that all methods have finished.
    folds: usize,
    finished_folds: usize,
    reference: &'a str,
    methods: Vec<Summary<'a>>,
}

/// A method at a lambda.
#[derive(Serialize)]
struct Summary<'a> {
    method: &'a str,
    lambda: f64,
    settings: &'a Settings,
    mean: Figures,
    sd: Figures,
    ratio: Ratios,
    folds: Vec<FoldFigures>,
}

/// Means as multiples of those of the reference.
#[derive(Serialize, Clone, Copy)]
struct Ratios {
    /// Absent if the reference has another lambda: these criteria do not compare.
    criterion: Option<f64>,
    variables: Option<f64>,
    seconds: Option<f64>,
}

impl<'a> Report<'a> {
    fn new(comparison: &'a Comparison) -> Self {
        let folds = 0..comparison.folds.len();
        let finished: Vec<usize> = folds.filter(|&fold| comparison.is_finished(fold)).collect();
        let of_line = |line: usize| {
            let fold = |&fold: &usize| {
                let figures = comparison.fits[fold][line]?;
                let fold = comparison.folds[fold];
                let plain = None;
                Some(FoldFigures {
                    fold,
                    figures,
                    plain,
                })
            };
            CrossValidated::new(finished.iter().filter_map(fold).collect())
        };
        let means: Vec<CrossValidated> = (0..comparison.lines.len()).map(of_line).collect();
        let reference_of: Vec<usize> = comparison
            .lines
            .iter()
            .map(|line| reference_of(line, comparison))
            .collect();
        let ratios: Vec<Ratios> = (0..means.len())
            .map(|line| {
                let reference = reference_of[line];
                // A criterion is only worth comparing with one of the same prior.
                let prior = |line: usize| {
                    let learn = &comparison.lines[line].settings.learn;
                    (learn.lambda, learn.p, learn.price)
                };
                let ratio = |figure: fn(&Figures) -> f64| {
                    ratio(figure(&means[line].mean), figure(&means[reference].mean))
                };
                let comparable = prior(line) == prior(reference);
                Ratios {
                    criterion: ratio(|f| f.criterion).filter(|_| comparable),
                    variables: ratio(|f| f.selected),
                    seconds: ratio(|f| f.weights_seconds),
                }
            })
            .collect();
        let lines = comparison.lines.iter().zip(means).zip(ratios);
        let methods = lines.map(|((line, cv), ratio)| Summary {
            method: &line.label,
            lambda: line.settings.learn.lambda,
            settings: &line.settings,
            mean: cv.mean,
            sd: cv.sd,
            ratio,
            folds: cv.folds,
        });
        Self {
            target: &comparison.target,
            rows: comparison.rows,
            folds: comparison.folds.len(),
            finished_folds: finished.len(),
            reference: &comparison.reference,
            methods: methods.collect(),
        }
    }
}

/// The line of the reference method at the same lambda, or else its first one.
fn reference_of(line: &Line, comparison: &Comparison) -> usize {
    let references = || {
        let lines = comparison.lines.iter().enumerate();
        lines.filter(|(_, other)| other.label == comparison.reference)
    };
    let same =
        references().find(|(_, other)| other.settings.learn.lambda == line.settings.learn.lambda);
    let found = same.or_else(|| references().next());
    found.expect("the reference is among the methods").0
}

fn ratio(value: f64, reference: f64) -> Option<f64> {
    (reference != 0.0).then(|| value / reference)
}

/// The table for people.
pub(crate) fn text(comparison: &Comparison) -> String {
    let report = Report::new(comparison);
    let folds = if report.finished_folds == report.folds {
        report.folds.to_string()
    } else {
        format!("{} of {}", report.finished_folds, report.folds)
    };
    let first = report.methods[0].lambda;
    let one_lambda = report.methods.iter().all(|line| line.lambda == first);
    let lambda = if one_lambda {
        format!("lambda {first}")
    } else {
        "at the same lambda".into()
    };
    let mut text = format!(
        "{} rows, mean ±spread over {folds} folds; ratios to {}, {lambda}\n",
        thousands(report.rows as u64),
        report.reference
    );
    let mut header = vec!["method"];
    if !one_lambda {
        header.push("lambda");
    }
    header.extend(["criterion", "ratio", "vars", "ratio", "time s", "ratio"]);
    header.extend(["accuracy", "AUC", "compression", "log loss"]);
    let mut grid = Grid::new(&header);
    for line in &report.methods {
        let mut cells = vec![line.method.to_owned()];
        if !one_lambda {
            cells.push(line.lambda.to_string());
        }
        cells.extend(line.cells());
        grid.line(cells);
    }
    text.push_str(&grid.to_string());
    text
}

impl Summary<'_> {
    /// The cells of the figures.
    fn cells(&self) -> Vec<String> {
        let Self {
            mean, sd, ratio, ..
        } = self;
        let multiple = |ratio: Option<f64>, digits: usize| {
            ratio.map_or_else(|| "-".into(), |ratio| format!("{ratio:.digits$}"))
        };
        let mut cells = vec![
            format!("{:.1}", mean.criterion),
            multiple(ratio.criterion, 4),
            format!("{:.1}", mean.selected),
            multiple(ratio.variables, 2),
            format!("{:.3}", mean.weights_seconds),
            multiple(ratio.seconds, 2),
        ];
        cells.extend([
            spread(mean.accuracy, sd.accuracy),
            mean.auc
                .zip(sd.auc)
                .map_or_else(|| "-".into(), |(mean, sd)| spread(mean, sd)),
            spread(mean.compression, sd.compression),
            spread(mean.log_loss, sd.log_loss),
        ]);
        cells
    }
}

/// A mean and its spread, as short as possible: `0.954±.019`.
fn spread(mean: f64, sd: f64) -> String {
    let sd = format!("{sd:.3}");
    format!("{}±{}", figure(mean), sd.strip_prefix('0').unwrap_or(&sd))
}

/// Everything, for programs.
pub(crate) fn json(comparison: &Comparison) -> Result<String> {
    to_json(&Report::new(comparison))
}
