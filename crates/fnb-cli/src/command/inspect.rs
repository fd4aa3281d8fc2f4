//! `fnb inspect`: a model in words.

use crate::command::size_path;
use crate::heat_map::heat_maps;
use crate::input;
use crate::output::{
    self, Grid, clip, figure, figure_or_dash, percent, printable, small_figure, thousands,
};
use crate::view::{parts_table, variables_table, what_they_bring};
use anyhow::Result;
use clap::Args;
use fnb::model::{Model, TrainingFacts};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The model file
    model: PathBuf,
    /// Show the variables left out of the model, too
    #[arg(long)]
    dropped: bool,
    /// Show how quality grows with the number of variables, instead of the model
    #[arg(long, conflicts_with = "dropped")]
    path: bool,
    /// Print the model, or its size path, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let model = input::read_model(&arguments.model)?;
    if arguments.path {
        return size_path::show(&model, arguments.json);
    }
    if arguments.json {
        return output::write_stdout(&model.to_json());
    }
    output::print(headline(&model))?;
    output::print(variables_table(&model))?;
    for term in model.terms() {
        let name = printable(&term.name);
        let mut title = if term.only_corrects() {
            format!("{name} (table)")
        } else if term.own_counts().len() < term.cells() {
            let (weight, cells) = (small_figure(term.weight), term.cells());
            format!("{name} (weight {weight}, and a curve over {cells} intervals)")
        } else {
            format!("{name} (weight {})", small_figure(term.weight))
        };
        if let Some(meaning) = term.describe() {
            title.push_str(&format!("\n  {}", printable(&meaning)));
        }
        if term.only_corrects() {
            let maps = heat_maps(term, model.classes());
            output::print(format!("{title}\n{maps}"))?;
            continue;
        }
        let own = term.uncorrected(term.weight);
        let labels = (0..own.cells()).map(|cell| own.label(cell));
        output::print(parts_table(&title, labels, &own.counts, model.classes()))?;
    }
    if arguments.dropped {
        let mut grid = Grid::new(&["dropped", "reason", "level"]);
        for dropped in model.dropped() {
            let level = small_figure(dropped.level);
            grid.line(vec![clip(&dropped.name, 40), dropped.reason.clone(), level]);
        }
        output::print(grid)?;
    }
    Ok(())
}

/// The model of the lowest criterion that was found, if it has more variables (docs/method.md §7.12).
fn what_more_would_bring(training: &TrainingFacts) -> Option<String> {
    let lowest = training.lowest?;
    let share = 1.0 - lowest.criterion.total / training.criterion.total;
    Some(format!(
        "{} variables would lower the criterion by {}",
        lowest.selected,
        percent(share)
    ))
}

fn headline(model: &Model) -> String {
    let (target, training) = (model.target(), model.training());
    let classes: Vec<String> = target
        .classes
        .iter()
        .zip(&target.counts)
        .take(8)
        .map(|(class, count)| format!("{} ({})", clip(class, 30), thousands(*count)))
        .collect();
    let more = target.classes.len().saturating_sub(classes.len());
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let mut text = format!(
        "predicts {}: {}{more}\n",
        printable(&target.name),
        classes.join(", ")
    );
    text.push_str(&format!(
        "{} rows, {} variables, {} informative, {} selected\n",
        thousands(training.rows),
        thousands(training.columns as u64),
        thousands(training.informative as u64),
        thousands(training.selected as u64),
    ));
    if let Some(line) = what_they_bring(model) {
        text.push_str(&format!("{line}\n"));
    }
    if let Some(more) = what_more_would_bring(training) {
        text.push_str(&format!("{more}\n"));
    }
    let evaluations = model.evaluation();
    for (name, evaluation) in [("train", &evaluations.train), ("test", &evaluations.test)] {
        if let Some(e) = evaluation {
            text.push_str(&format!(
                "{name}: accuracy {}, AUC {}, compression {}\n",
                figure(e.accuracy),
                figure_or_dash(e.auc),
                figure(e.compression)
            ));
        }
    }
    text
}
