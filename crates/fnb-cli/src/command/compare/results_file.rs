//! The results as a table, a line per fold and method, that a later run can go on from.

use super::Comparison;
use super::plan::Line;
use anyhow::Result;
use fnb::columns::{ColumnData, ColumnType, Frame};
use fnb::{Code, Error, Figures};
use fnb_table::{Expected, OutputData, OutputKind, ReadOptions, TableWriter};
use std::path::Path;

/// Columns before those of the figures.
const KEYS: [(&str, OutputKind); 7] = [
    ("target", OutputKind::Text),
    ("rows", OutputKind::Integer),
    ("folds", OutputKind::Integer),
    ("data", OutputKind::Text),
    ("fold", OutputKind::Integer),
    ("method", OutputKind::Text),
    ("lambda", OutputKind::Number),
];
/// The column after them.
const SETTINGS: &str = "settings";

/// Every column, in order.
fn columns() -> Vec<(&'static str, OutputKind)> {
    let figures = Figures::NAMES
        .iter()
        .map(|name| (*name, OutputKind::Number));
    let mut columns: Vec<_> = KEYS.into_iter().chain(figures).collect();
    columns.push((SETTINGS, OutputKind::Text));
    columns
}

/// The settings of a line in one text.
fn settings_text(line: &Line) -> String {
    let settings = serde_json::to_value(&line.settings).expect("settings are plain data");
    let pairs = settings.as_object().expect("settings have names").iter();
    let pairs: Vec<String> = pairs
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    // The cell needs no quotes.
    pairs.join(" ").replace('"', "").replace(',', "+")
}

/// Writes what is finished; the file is replaced at once.
pub(crate) fn write(comparison: &Comparison, path: &str) -> Result<()> {
    let Comparison { lines, folds, .. } = comparison;
    // A text column is a list of texts and the position of each line in it.
    let labels: Vec<String> = lines.iter().map(|line| line.label.clone()).collect();
    let settings: Vec<String> = lines.iter().map(settings_text).collect();
    let (mut line_of, mut fold_of, mut lambda_of) = (Vec::new(), Vec::new(), Vec::new());
    let mut figures_of = vec![Vec::new(); Figures::NAMES.len()];
    for (fold, fits) in folds.iter().zip(&comparison.fits) {
        for (i, figures) in fits.iter().enumerate() {
            let Some(figures) = figures else { continue };
            fold_of.push(i64::from(*fold));
            line_of.push(i as u32);
            lambda_of.push(lines[i].settings.learn.lambda);
            for (column, (_, figure)) in figures_of.iter_mut().zip(figures.iter()) {
                // Written as nothing where it is not defined.
                column.push(figure.unwrap_or(f64::NAN));
            }
        }
    }
    let n = line_of.len();
    let first = vec![0; n];
    let same = |text: &String| [text.clone()];
    let (target, data) = (same(&comparison.target), same(&comparison.fingerprint));
    let (rows, count) = (vec![comparison.rows as i64; n], vec![folds.len() as i64; n]);
    let labels_of = |labels, codes| OutputData::Labels { codes, labels };
    let mut values = vec![
        labels_of(&target[..], &first[..]),
        OutputData::Integers(&rows),
        OutputData::Integers(&count),
        labels_of(&data, &first),
        OutputData::Integers(&fold_of),
        labels_of(&labels, &line_of),
        OutputData::Numbers(&lambda_of),
    ];
    values.extend(figures_of.iter().map(|values| OutputData::Numbers(values)));
    values.push(labels_of(&settings, &line_of));
    let mut writer = TableWriter::create(path, &columns())?;
    writer.write(&values)?;
    writer.finish()?;
    Ok(())
}

/// Takes over what an earlier run of the same comparison has finished; returns how many models.
pub(crate) fn read(comparison: &mut Comparison, path: &str) -> Result<usize> {
    let frame = read_table(path)?;
    let other = |what: String| -> anyhow::Error {
        Error::new(
            Code::Usage,
            format!("{path} is of another comparison: {what}"),
        )
        .help("leave out --resume to start anew, or choose another file with -o")
        .into()
    };
    let column = |name: &str| {
        let column = frame.column(name);
        column.ok_or_else(|| other(format!("it has no column {name:?}")))
    };
    let text = |name: &str, row: usize| -> Result<&str> {
        Ok(match &column(name)?.data {
            ColumnData::Categorical(column) => column.get(row).unwrap_or_default(),
            _ => "",
        })
    };
    // Columns of numbers are rounded when they are read; these are needed to the last digit.
    let number = |name: &str, row: usize| -> Result<f64> {
        let text = text(name, row)?;
        let number = text.parse();
        number.map_err(|_| other(format!("{text:?} in column {name:?} is not a number")))
    };
    let settings: Vec<String> = comparison.lines.iter().map(settings_text).collect();
    let mut taken = 0;
    for row in 0..frame.rows() {
        let facts = [
            ("target", "target", comparison.target.clone()),
            ("rows", "number of rows", comparison.rows.to_string()),
            (
                "folds",
                "number of folds",
                comparison.folds.len().to_string(),
            ),
        ];
        for (name, what, here) in facts {
            let there = text(name, row)?;
            if there != here {
                return Err(other(format!("its {what} is {there}, not {here}")));
            }
        }
        if text("data", row)? != comparison.fingerprint {
            return Err(other("the data or the folds have changed".into()));
        }
        let (label, lambda) = (text("method", row)?, number("lambda", row)?);
        let (fold, set) = (number("fold", row)?, text(SETTINGS, row)?);
        let fold = comparison.folds.iter().position(|&f| f64::from(f) == fold);
        let fold = fold.ok_or_else(|| other("it has a fold that is not there".into()))?;
        let named = |i: &usize| {
            let line = &comparison.lines[*i];
            line.label == label && line.settings.learn.lambda == lambda
        };
        let Some(line) = (0..settings.len()).find(named) else {
            return Err(other(format!("it has {label} with lambda {lambda}")));
        };
        if set != settings[line] {
            let what = format!("{label} has other settings, {set}, not {}", settings[line]);
            return Err(other(what));
        }
        let figure = |name| match text(name, row)? {
            // Of all figures, the AUC alone may be not defined.
            "" if name == "auc" => Ok(None),
            _ => number(name, row).map(Some),
        };
        comparison.fits[fold][line] = Some(Figures::from_names(figure)?);
        taken += 1;
    }
    Ok(taken)
}

fn read_table(path: &str) -> Result<Frame> {
    let text = |name| Expected::welcome(name, ColumnType::Categorical);
    let expected = columns().into_iter().map(|(name, _)| text(name));
    let is_tsv = Path::new(path.trim_end_matches(".gz"))
        .extension()
        .is_some_and(|e| e == "tsv");
    let options = ReadOptions {
        separator: Some(if is_tsv { b'\t' } else { b',' }),
        header: Some(true),
        ..ReadOptions::only(expected.collect())
    };
    Ok(fnb_table::read(&[path.to_owned()], &options)?.frame)
}
