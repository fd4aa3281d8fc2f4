//! `fnb explain`: why a row gets its prediction.

use crate::args::{ScoreArgs, class_position};
use crate::input;
use crate::output::{self, Output, bar, clip, percent, printable};
use crate::tables::{OtherTables, to_score};
use anyhow::Result;
use clap::Args;
use fnb::columns::{Column, ColumnData, ColumnType, Frame};
use fnb::evaluate::predicted_class;
use fnb::predict::{Explainer, Explanation, Scorer, Unseen};
use fnb::{Code, Error};
use fnb_table::{Expected, ReadOptions};
use serde::Serialize;
use std::borrow::Cow;

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The row to explain, the first one being 1
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "where_",
        allow_negative_numbers = true
    )]
    row: Option<usize>,
    /// The first row where a column has this value
    #[arg(long = "where", value_name = "COLUMN=VALUE", conflicts_with = "row", value_parser = condition)]
    where_: Option<(String, String)>,
    /// The class to explain [default: the predicted one]
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    score: ScoreArgs,
}

fn condition(text: &str) -> Result<(String, String), String> {
    let condition = text
        .split_once('=')
        .ok_or("COLUMN=VALUE, for instance id=C0042")?;
    Ok((condition.0.to_owned(), condition.1.to_owned()))
}

pub(crate) fn run(arguments: &Arguments, output: &Output) -> Result<()> {
    let model = input::read_model(&arguments.score.model)?;
    let class = arguments
        .class
        .as_deref()
        .map(|name| class_position(model.classes(), name));
    let class = class.transpose()?;
    // Its own type decides if the model uses the column.
    let also = arguments.where_.iter();
    let also = also.map(|(name, _)| Expected::welcome(name, ColumnType::Categorical));
    let ScoreArgs {
        data, tables, read, ..
    } = &arguments.score;
    let others = OtherTables::new(&model, tables, read, output)?;
    let to_score = to_score(&model, read, output)?;
    let options = to_score.main_options(also.collect());
    let main = input::read(&input::main_files(data, read)?, &options, output)?.frame;
    let row = match (&arguments.where_, arguments.row) {
        (Some((name, value)), _) => row_where(&main, name, &as_read(&options, name, value))?,
        (None, row) => row_number(&main, row.unwrap_or(1))?,
    };
    let database = others.join(&to_score, main)?;
    let frame = to_score.frame(&database)?;
    let scorer = Scorer::new(&model);
    let bound = scorer.bind(&frame)?;
    let mut unseen = Unseen::new(&scorer, output.verbose);
    unseen.add(&bound);
    output.tell_unseen(&unseen);
    let probabilities = bound.probabilities(row..row + 1);
    let predicted = predicted_class(&probabilities);
    let explanation = Explainer::new(&model).explain(&bound, row, class.unwrap_or(predicted));
    if arguments.json {
        let prediction = &model.classes()[predicted];
        output::print_json(&Summary {
            row: row + 1,
            prediction,
            explanation,
        })
    } else {
        output::print(in_words(row, &model.classes()[predicted], &explanation))
    }
}

#[derive(Serialize)]
struct Summary<'a> {
    row: usize,
    prediction: &'a str,
    #[serde(flatten)]
    explanation: Explanation,
}

fn row_number(frame: &Frame, row: usize) -> Result<usize> {
    if (1..=frame.rows()).contains(&row) {
        return Ok(row - 1);
    }
    let message = format!("there is no row {row}");
    let help = format!("rows go from 1 to {}", frame.rows());
    Err(Error::new(Code::UnusableData, message).help(help).into())
}

/// A value as it is read in a column.
fn as_read<'a>(options: &ReadOptions, name: &str, value: &'a str) -> Cow<'a, str> {
    let column = options.columns.iter().find(|column| column.name == name);
    let spelling = column.and_then(|column| column.spelling);
    let spelt = spelling.and_then(|spelling| spelling.spell(value));
    spelt.unwrap_or(Cow::Borrowed(value))
}

fn row_where(frame: &Frame, name: &str, value: &str) -> Result<usize> {
    let Some(Column { data, .. }) = frame.column(name) else {
        let names = frame.columns().iter().map(|column| column.name.as_str());
        return Err(input::unknown_column(name, names).into());
    };
    let found = match data {
        ColumnData::Categorical(column) => {
            let wanted = if value.is_empty() { None } else { Some(value) };
            (0..column.len()).find(|&row| column.get(row) == wanted)
        }
        ColumnData::Numeric(column) => {
            let wanted: Option<f64> = value.parse().ok();
            column
                .values()
                .iter()
                .position(|number| Some(*number) == wanted)
        }
        _ => None,
    };
    let error = || Error::new(Code::UnusableData, format!("no row has {name} = {value:?}"));
    Ok(found.ok_or_else(|| error().help("values are compared exactly"))?)
}

fn in_words(row: usize, prediction: &str, explanation: &Explanation) -> String {
    let Explanation {
        class,
        probability,
        against,
        shares,
        start,
        terms,
        log_odds,
    } = explanation;
    let (prediction, class) = (printable(prediction), printable(class));
    let mut text = format!("row {}: predicted {prediction}\n", row + 1);
    text.push_str(&format!(
        "probability of {class}: {}\n",
        percent(*probability)
    ));
    let Some(against) = against else {
        text.push_str("there is no other class");
        return text;
    };
    let against = printable(against);
    text.push_str(&format!("log odds of {class} against {against}:\n"));
    let [share, other] = shares.map(percent);
    let mut cells = vec![[
        "class shares".to_owned(),
        format!("{share} {class}, {other} {against}"),
    ]];
    cells.extend(terms.iter().map(|term| {
        [
            format!("{} = {}", printable(&term.variable), clip(&term.value, 24)),
            clip(&term.part, 32),
        ]
    }));
    let width = |i: usize| {
        cells
            .iter()
            .map(|line| line[i].chars().count())
            .max()
            .unwrap_or(0)
    };
    let (first, second) = (width(0), width(1));
    let line = |cells: &[String; 2], value: f64| {
        format!("  {:first$}  {:second$}  {value:+.3}", cells[0], cells[1])
    };
    text.push_str(&line(&cells[0], *start));
    text.push('\n');
    let largest = terms
        .iter()
        .map(|term| term.contribution.abs())
        .fold(f64::MIN_POSITIVE, f64::max);
    for (cells, term) in cells[1..].iter().zip(terms) {
        let bar = bar(term.contribution.abs() / largest, 12);
        text.push_str(&format!("{}  {bar}\n", line(cells, term.contribution)));
        if let Some(meaning) = &term.meaning {
            text.push_str(&format!("    {}\n", printable(meaning)));
        }
    }
    text.push_str(&line(&["sum".to_owned(), String::new()], *log_odds));
    text
}
