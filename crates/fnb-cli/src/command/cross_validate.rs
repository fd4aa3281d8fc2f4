//! Cross-validation: a model per fold, learnt without it, evaluated on it.

use crate::output::Output;
use anyhow::Result;
use fnb::evaluate::{Evaluation, mean_and_spread};
use fnb::{Labelled, Settings};
use serde::Serialize;
use std::time::Instant;

/// A model learnt without a fold, on that fold.
pub(crate) struct Fold {
    name: u32,
    pub(crate) evaluation: Evaluation,
    selected: usize,
    informative: usize,
    seconds: f64,
}

/// Learns and evaluates on every fold.
pub(crate) fn cross_validate(
    data: &Labelled,
    fold_of_row: &[u32],
    settings: &Settings,
    output: &Output,
) -> Result<Vec<Fold>> {
    let start = Instant::now();
    let names = fold_names(fold_of_row);
    let mut folds = Vec::with_capacity(names.len());
    for &fold in &names {
        let (train, test) = split(data, fold_of_row, fold);
        let start = Instant::now();
        let model = train.train(settings, &())?.model;
        let seconds = start.elapsed().as_secs_f64();
        let evaluation = test.evaluate(&model)?;
        let (selected, informative) = (model.training().selected, model.training().informative);
        folds.push(Fold {
            name: fold,
            evaluation,
            selected,
            informative,
            seconds,
        });
    }
    output.step(
        format_args!("cross-validated in {} folds", folds.len()),
        start.elapsed(),
    );
    Ok(folds)
}

/// The folds there are, in order.
pub(crate) fn fold_names(fold_of_row: &[u32]) -> Vec<u32> {
    let mut names = fold_of_row.to_vec();
    names.sort_unstable();
    names.dedup();
    names
}

/// The rows outside a fold, to learn on, and those inside it, to test on.
pub(crate) fn split(data: &Labelled, fold_of_row: &[u32], fold: u32) -> (Labelled, Labelled) {
    let (test, train): (Vec<usize>, Vec<usize>) =
        (0..fold_of_row.len()).partition(|&row| fold_of_row[row] == fold);
    (data.take(&train), data.take(&test))
}

/// Figures of a fold, or their mean or spread.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct FoldFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    fold: Option<u32>,
    pub(crate) accuracy: f64,
    pub(crate) auc: f64,
    pub(crate) compression: f64,
    pub(crate) log_loss: f64,
    brier: f64,
    selected: f64,
    informative: f64,
    seconds: f64,
}

impl FoldFigures {
    const COUNT: usize = 8;

    fn from_array(fold: Option<u32>, values: [f64; Self::COUNT]) -> Self {
        let [
            accuracy,
            auc,
            compression,
            log_loss,
            brier,
            selected,
            informative,
            seconds,
        ] = values;
        Self {
            fold,
            accuracy,
            auc,
            compression,
            log_loss,
            brier,
            selected,
            informative,
            seconds,
        }
    }
}

/// The result of a cross-validation: mean, standard deviation, every fold.
#[derive(Debug, Serialize)]
pub(crate) struct CvSummary {
    pub(crate) mean: FoldFigures,
    pub(crate) sd: FoldFigures,
    pub(crate) folds: Vec<FoldFigures>,
}

impl CvSummary {
    pub(crate) fn new(folds: &[Fold]) -> Self {
        let figures: Vec<[f64; FoldFigures::COUNT]> = folds
            .iter()
            .map(
                |Fold {
                     evaluation: e,
                     selected,
                     informative,
                     seconds,
                     ..
                 }| {
                    let counts = [*selected as f64, *informative as f64, *seconds];
                    let [selected, informative, seconds] = counts;
                    [
                        e.accuracy,
                        e.auc,
                        e.compression,
                        e.log_loss,
                        e.brier,
                        selected,
                        informative,
                        seconds,
                    ]
                },
            )
            .collect();
        let (mean, sd) = mean_and_spread(&figures);
        let named = folds.iter().zip(&figures);
        let named = named.map(|(fold, figures)| FoldFigures::from_array(Some(fold.name), *figures));
        Self {
            mean: FoldFigures::from_array(None, mean),
            sd: FoldFigures::from_array(None, sd),
            folds: named.collect(),
        }
    }
}
