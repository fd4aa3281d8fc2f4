//! A line per method and lambda: means over the finished folds, spreads, ratios to a reference.

use super::Comparison;
use super::fit::{Figure, Figures};
use super::plan::Line;
use crate::output::{Grid, thousands};
use anyhow::Result;
use fnb::Settings;
use fnb::evaluate::mean_and_spread;
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
    folds: Vec<Fold>,
}

/// Means as multiples of those of the reference.
#[derive(Serialize, Clone, Copy)]
struct Ratios {
    /// Absent if the reference has another lambda: these criteria do not compare.
    criterion: Option<f64>,
    variables: Option<f64>,
    seconds: Option<f64>,
}

#[derive(Serialize)]
struct Fold {
    fold: u32,
    #[serde(flatten)]
    figures: Figures,
}

impl<'a> Report<'a> {
    fn new(comparison: &'a Comparison) -> Self {
        let folds = 0..comparison.folds.len();
        let finished: Vec<usize> = folds.filter(|&fold| comparison.is_finished(fold)).collect();
        let folds_of = |line: usize| -> Vec<Fold> {
            let fold = |&fold: &usize| {
                let figures = comparison.fits[fold][line];
                figures.map(|figures| Fold {
                    fold: comparison.folds[fold],
                    figures,
                })
            };
            finished.iter().filter_map(fold).collect()
        };
        let means: Vec<(Figures, Figures, Vec<Fold>)> = (0..comparison.lines.len())
            .map(|line| {
                let folds = folds_of(line);
                let figures: Vec<_> = folds.iter().map(|fold| fold.figures.0).collect();
                let (mean, sd) = mean_and_spread(&figures);
                (Figures(mean), Figures(sd), folds)
            })
            .collect();
        let reference_of: Vec<usize> = comparison
            .lines
            .iter()
            .map(|line| reference_of(line, comparison))
            .collect();
        let ratios: Vec<Ratios> = (0..means.len())
            .map(|line| {
                let reference = reference_of[line];
                let lambda = |line: usize| comparison.lines[line].settings.learn.lambda;
                let ratio = |figure| ratio(means[line].0[figure], means[reference].0[figure]);
                let comparable = lambda(line) == lambda(reference);
                Ratios {
                    criterion: ratio(Figure::ContinuousCriterion).filter(|_| comparable),
                    variables: ratio(Figure::Selected),
                    seconds: ratio(Figure::WeightsSeconds),
                }
            })
            .collect();
        let lines = comparison.lines.iter().zip(means).zip(ratios);
        let methods = lines.map(|((line, (mean, sd, folds)), ratio)| Summary {
            method: &line.label,
            lambda: line.settings.learn.lambda,
            settings: &line.settings,
            mean,
            sd,
            ratio,
            folds,
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
            format!("{:.1}", mean[Figure::ContinuousCriterion]),
            multiple(ratio.criterion, 4),
            format!("{:.1}", mean[Figure::Selected]),
            multiple(ratio.variables, 2),
            format!("{:.3}", mean[Figure::WeightsSeconds]),
            multiple(ratio.seconds, 2),
        ];
        let figures = [
            Figure::Accuracy,
            Figure::Auc,
            Figure::Compression,
            Figure::LogLoss,
        ];
        cells.extend(figures.map(|figure| spread(mean[figure], sd[figure])));
        cells
    }
}

/// A mean and its spread, as short as possible: `0.9543±.019`.
fn spread(mean: f64, sd: f64) -> String {
    let sd = format!("{sd:.3}");
    format!("{mean:.4}±{}", sd.strip_prefix('0').unwrap_or(&sd))
}

/// Everything, for programs.
pub(crate) fn json(comparison: &Comparison) -> Result<String> {
    Ok(serde_json::to_string_pretty(&Report::new(comparison))?)
}
