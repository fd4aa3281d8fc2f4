//! What the script needs, as JSON in the page: counts, not rows.

use crate::known_values::KnownValues;
use crate::sections::{data, left_out};
use crate::svg::spark;
use crate::text::shown;
use crate::view::{TermView, View};
use fnb::math::printable_json;
use fnb::terms::{Axis, Correction, MissingNumbers, Parts, Term, smoothing};
use serde_json::{Value, json};

/// The JSON of a model. No character of it ends the script block that it is in.
pub(crate) fn json(view: &View) -> String {
    let inputs = view.model.inputs();
    let position = |name: &str| inputs.iter().position(|axis| axis.name == name);
    let known = KnownValues::of(view.model);
    let terms: Vec<Value> = view
        .terms
        .iter()
        .map(|term| term_of(view, term, &position, &known))
        .collect();
    let classes: Vec<&str> = (0..view.classes()).map(|class| view.class(class)).collect();
    let value = json!({
        "classes": classes,
        "counts": view.model.target().counts,
        "main": view.contrast.map(|c| [c.class, c.against]),
        "eps": smoothing(view.model.training().rows),
        "inputs": inputs.iter().map(|axis| shown(&axis.name)).collect::<Vec<_>>(),
        "terms": terms,
        "scores": scores(view),
        "tests": self_tests(view),
        "left": left(view),
        "cols": columns(view),
    });
    // Neither ends a script nor turns the direction of a line.
    printable_json(&value.to_string().replace('<', "\\u003c")).into_owned()
}

fn term_of(
    view: &View,
    view_of: &TermView,
    position: &dyn Fn(&str) -> Option<usize>,
    known: &KnownValues,
) -> Value {
    let term = view_of.term;
    let axes: Vec<Value> = term
        .axes
        .iter()
        .map(|axis| {
            let whole = view.is_whole(&axis.name);
            let labels: Vec<String> = (0..axis.parts.len())
                .map(|part| crate::labels::plain(&axis.parts, part, whole))
                .collect();
            let input = position(&axis.name);
            match &axis.parts {
                Parts::Intervals { missing, cuts } => json!({
                    "i": input, "own": *missing == MissingNumbers::Own, "cuts": cuts, "l": labels,
                    "whole": whole,
                }),
                Parts::Groups { default, .. } => {
                    json!({"i": input, "g": known.groups(axis), "d": default, "l": labels})
                }
            }
        })
        .collect();
    let mut value = json!({
        "id": view_of.id,
        "name": shown(&term.name),
        "w": term.weight,
        "imp": round(term.importance, 6),
        "axes": axes,
    });
    match &term.correction {
        None => value["n"] = json!(term.counts),
        Some(Correction::Cells { .. }) => value["s"] = json!(evidence(view, view_of)),
        Some(Correction::Surface { coefficients }) => {
            value["c"] = json!(coefficients);
            value["r"] = json!(rows_by_part(term));
        }
    }
    if term.correction.is_some() && term.axes.len() == 1 {
        value["n"] = json!(term.counts);
    }
    value
}

/// Training rows of every part of every axis.
fn rows_by_part(term: &Term) -> Vec<Vec<u64>> {
    let mut after = term.cells();
    let axis = |axis: &Axis| {
        let parts = axis.parts.len();
        after /= parts;
        let mut rows = vec![0; parts];
        for cell in 0..term.cells() {
            rows[cell / after % parts] += term.rows_of(cell);
        }
        rows
    };
    term.axes.iter().map(axis).collect()
}

/// What each cell adds to the score of each class beyond what it adds to that of the last one.
fn evidence(view: &View, view_of: &TermView) -> Vec<Vec<f64>> {
    let cell = |cell: usize| {
        let line = view.scorer.evidence(view_of.index, cell);
        let last = line[line.len() - 1];
        line.iter()
            .take(line.len() - 1)
            .map(|score| round(score - last, 12))
            .collect()
    };
    (0..view_of.term.cells()).map(cell).collect()
}

/// The score blocks of every class: `[lowest, positives, negatives, sum]`.
fn scores(view: &View) -> Value {
    let Some(shown) = view.quality.shown else {
        return Value::Null;
    };
    let wanted = |class: usize| view.contrast.is_none_or(|c| c.class == class);
    let of_class = |(class, scores): (usize, &fnb::evaluate::ClassScores)| {
        if !wanted(class) {
            return Value::Null;
        }
        let blocks: Vec<[f64; 4]> = scores
            .blocks
            .iter()
            .map(|b| [below(b.lowest), b.positives, b.negatives, round(b.sum, 4)])
            .collect();
        json!({"auc": scores.auc.map(|auc| round(auc, 6)), "b": blocks.iter().map(numbers).collect::<Vec<_>>()})
    };
    Value::Array(shown.scores.iter().enumerate().map(of_class).collect())
}

/// Whole numbers without a decimal point.
fn numbers(block: &[f64; 4]) -> Value {
    let number = |x: &f64| {
        if x.fract() == 0.0 && x.abs() < 1e15 {
            json!(*x as i64)
        } else {
            json!(x)
        }
    };
    Value::Array(block.iter().map(number).collect())
}

/// Six decimals of a probability, never above it and never below a whole per cent that it reaches.
fn below(probability: f64) -> f64 {
    let millionths = (probability * 1e6).round();
    let rounded = millionths / 1e6;
    if rounded <= probability {
        rounded
    } else {
        (millionths - 1.0) / 1e6
    }
}

fn round(number: f64, decimals: i32) -> f64 {
    let factor = 10_f64.powi(decimals);
    let rounded = (number * factor).round() / factor;
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// The self-test of the model: rows in the order of the inputs, and their probabilities.
fn self_tests(view: &View) -> Value {
    let inputs = view.model.inputs();
    let tests = view.model.self_test().iter().map(|test| {
        let row: Vec<Value> = inputs
            .iter()
            .map(|axis| json!(test.row.get(&axis.name).and_then(Option::as_ref)))
            .collect();
        json!({"row": row, "p": test.proba})
    });
    Value::Array(tests.collect())
}

/// Variables left out that are not in the HTML, and the names of all for the search.
fn left(view: &View) -> Value {
    let dropped = left_out::sorted(view);
    let mut reasons: Vec<String> = Vec::new();
    let lines: Vec<Value> = dropped
        .iter()
        .skip(left_out::IN_HTML)
        .map(|one| {
            let reason = left_out::reason(view, one);
            let at = reasons.iter().position(|known| *known == reason);
            let at = at.unwrap_or_else(|| {
                reasons.push(reason);
                reasons.len() - 1
            });
            json!([shown(&one.name), round(one.level, 4), at])
        })
        .collect();
    let most = dropped.first().map_or(0.0, |d| d.level);
    json!({"rows": lines, "why": reasons, "most": round(most, 6)})
}

/// Columns that are not in the HTML: their lines, their drawings in letters.
fn columns(view: &View) -> Value {
    let lines = data::lines(view);
    let lines = lines.iter().skip(data::IN_HTML);
    let rows = view.model.training().rows;
    let line = |line: &data::Line| {
        let code = line.distribution().map_or(String::new(), spark::code);
        // No name looks like this: those of others are escaped.
        let drawing = if code.is_empty() {
            ""
        } else {
            "<svg class=spark>"
        };
        json!([data::row(rows, line, drawing), code])
    };
    Value::Array(lines.map(line).collect())
}
