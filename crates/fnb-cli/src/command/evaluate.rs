//! `fnb evaluate`: how good the predictions of a model are on given data.

use crate::args::{ScoreArgs, class_position};
use crate::input;
use crate::labelled;
use crate::output::{self, Failure, Grid, Output, clip, percent, thousands};
use anyhow::Result;
use clap::Args;
use fnb::Labelled;
use fnb::evaluate::{Evaluation, LIFT_POINTS, actual_classes, lift_curve, weighted_lift_curve};
use fnb::model::Model;
use fnb::predict::{Scorer, Unseen, scoring_frame};
use serde::Serialize;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Print as JSON, with the lift curve of every class
    #[arg(long)]
    json: bool,
    /// The class whose lift is shown [default: the rarest]
    #[arg(long, value_name = "CLASS")]
    main_value: Option<String>,
    /// A column of numbers: how many rows each row stands for
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Fail with exit code 4 if the AUC is below, or not defined
    #[arg(long, value_name = "NUMBER", value_parser = bar)]
    min_auc: Option<f64>,
    #[command(flatten)]
    score: ScoreArgs,
}

/// Nothing is below NaN: it would let everything pass.
fn bar(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(bar) if !bar.is_nan() => Ok(bar),
        _ => Err("a number, for instance 0.8".into()),
    }
}

/// Curves of at most this many classes are made (docs/method.md §8).
const MAX_LIFT_CLASSES: usize = 100;

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let model = input::read_model(&arguments.score.model)?;
    let main = match &arguments.main_value {
        Some(name) => class_position(model.classes(), name)?,
        None => rarest(&model.target().counts),
    };
    let ScoreArgs {
        data, tables, read, ..
    } = &arguments.score;
    let weight = arguments.weight.as_deref();
    let data = labelled::read_for_evaluation(&model, data, tables, weight, read, output)?;
    let probabilities = probabilities(&model, &data, output)?;
    let actual = actual_classes(model.classes(), &data.target);
    let weights = data.target.weights();
    let evaluation = Evaluation::weighted(model.classes(), &probabilities, &actual, weights)?;
    let auc = evaluation.auc;
    output.warn_of_unseen_classes(&evaluation);
    let classes = model.classes().len();
    let curve = |class| match weights {
        None => lift_curve(&probabilities, classes, &actual, class),
        Some(weights) => weighted_lift_curve(&probabilities, classes, &actual, class, weights),
    };
    if arguments.json {
        let lift = (0..classes.min(MAX_LIFT_CLASSES)).map(|class| Lift {
            class: &model.classes()[class],
            curve: curve(class),
        });
        output::print_json(&Summary {
            evaluation,
            lift: lift.collect(),
        })?;
    } else {
        output::print(figures(&evaluation))?;
        if let Some(confusion) = &evaluation.confusion {
            output::print(confusion_table(confusion))?;
        }
        output::print(lift_table(&model.classes()[main], &curve(main)))?;
    }
    match arguments.min_auc {
        Some(bar) => Ok(judge(auc, bar)?),
        None => Ok(()),
    }
}

/// What the model predicts; tells of categories that it does not know.
fn probabilities(model: &Model, data: &Labelled, output: &Output) -> Result<Vec<f64>> {
    let frame = scoring_frame(model, &data.database)?;
    let scorer = Scorer::new(model);
    let bound = scorer.bind(&frame)?;
    let mut unseen = Unseen::new(&scorer, output.verbose);
    unseen.add(&bound);
    output.tell_unseen(&unseen);
    Ok(bound.probabilities(0..bound.rows()))
}

/// What cannot be judged does not pass.
fn judge(auc: Option<f64>, bar: f64) -> Result<(), Failure> {
    let message = match auc {
        Some(auc) if auc >= bar => return Ok(()),
        Some(auc) => format!("the AUC is {auc:.6}, below {bar}"),
        None => format!(
            "the AUC is not defined, so it does not reach {bar}: the rows are of one class, or of \
             classes that the model has not seen"
        ),
    };
    Err(Failure::Gate(message))
}

fn rarest(counts: &[u64]) -> usize {
    (0..counts.len())
        .min_by_key(|&class| counts[class])
        .expect("a model has classes")
}

#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    evaluation: Evaluation,
    lift: Vec<Lift<'a>>,
}

#[derive(Serialize)]
struct Lift<'a> {
    class: &'a str,
    curve: Vec<f64>,
}

fn figures(e: &Evaluation) -> Grid {
    let figures = [
        ("accuracy", Some(e.accuracy)),
        ("AUC", e.auc),
        ("compression", Some(e.compression)),
        ("log loss", Some(e.log_loss)),
        ("Brier", Some(e.brier)),
        ("calibration error", Some(e.calibration_error)),
    ];
    let names: Vec<&str> = ["rows"].into_iter().chain(figures.map(|f| f.0)).collect();
    let mut grid = Grid::new(&names);
    let figures = figures.map(|(_, figure)| output::figure_or_dash(figure));
    grid.line([thousands(e.rows)].into_iter().chain(figures).collect());
    grid
}

/// Beyond this many classes a confusion matrix is not readable on a terminal.
const MAX_SHOWN_CLASSES: usize = 12;

fn confusion_table(confusion: &fnb::evaluate::Confusion) -> String {
    if confusion.classes.len() > MAX_SHOWN_CLASSES {
        return format!(
            "  confusion of {} classes: see --json\n",
            confusion.classes.len()
        );
    }
    let width = |class: &String| clip(class, 12).chars().count().max(7);
    let mut text = format!("  {:<14}", "predicted as");
    for class in &confusion.classes {
        text.push_str(&format!("  {:>1$}", clip(class, 12), width(class)));
    }
    text.push_str("   (actual class)\n");
    for (class, line) in confusion.classes.iter().zip(&confusion.matrix) {
        text.push_str(&format!("  {:<14}", clip(class, 14)));
        for (actual, count) in confusion.classes.iter().zip(line) {
            text.push_str(&format!("  {:>1$}", count, width(actual)));
        }
        text.push('\n');
    }
    text
}

fn lift_table(class: &str, curve: &[f64]) -> String {
    let mut text = format!(
        "  share of {:?} found in the best-scored rows\n  ",
        clip(class, 40)
    );
    for share in [1, 5, 10, 20, 30, 50] {
        let point = curve[share * (LIFT_POINTS - 1) / 100];
        text.push_str(&format!("{share} %: {}   ", percent(point)));
    }
    text.trim_end().to_owned()
}
