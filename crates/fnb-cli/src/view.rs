//! Variables as tables of text, the same in every command.

use crate::output::{Grid, bar, clip, figure, percent, small_figure, thousands};
use fnb::model::Model;

/// What is said of an empty model.
pub(crate) const NO_VARIABLE: &str =
    "no variable: the model predicts the class shares of the training rows";

/// Classes whose shares are shown side by side.
const SHOWN_CLASSES: usize = 6;

/// The selected variables, most important first.
pub(crate) fn variables_table(model: &Model) -> String {
    if model.terms().is_empty() {
        return format!("  {NO_VARIABLE}\n");
    }
    let mut grid = Grid::new(&["variable", "weight", "level", "importance", "parts", ""]);
    for term in model.terms() {
        grid.line(vec![
            clip(&term.name, 56),
            if term.only_corrects() {
                "table".into()
            } else {
                small_figure(term.weight)
            },
            small_figure(term.level),
            small_figure(term.importance),
            term.own_counts().len().to_string(),
            bar(term.importance, 20),
        ]);
    }
    grid.to_string()
}

/// What better profiles and tables bring, in a line: in training, and on folds left out if there were any.
pub(crate) fn what_they_bring(model: &Model) -> Option<String> {
    let training = model.training();
    let facts = training.interactions?;
    let count = |number: usize, one: &str, many: &str| match number {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", thousands(number as u64)),
    };
    let what = [
        (facts.tables, "table", "tables"),
        (facts.profiles, "better profile", "better profiles"),
    ];
    let what = what.into_iter().filter(|(number, ..)| *number > 0);
    let what: Vec<String> = what.map(|(n, one, many)| count(n, one, many)).collect();
    let compression = |data: f64| 1.0 - data / training.null_criterion;
    let from_to = |before: f64, after: f64| format!("{} -> {}", figure(before), figure(after));
    let mut line = format!(
        "{}: compression {} in training",
        what.join(", "),
        from_to(compression(facts.data_before), compression(facts.data))
    );
    let cv = model.evaluation().cv.as_ref();
    if let Some((plain, mean)) = cv.and_then(|cv| Some((cv.plain?, cv.mean))) {
        let both = from_to(plain.compression, mean.compression);
        line.push_str(&format!("; cross-validated {both}"));
    }
    Some(line)
}

/// The parts of a variable with their rows and class shares.
pub(crate) fn parts_table(
    title: &str,
    labels: impl Iterator<Item = String>,
    counts: &[Vec<u64>],
    classes: &[String],
) -> String {
    let rows: u64 = counts.iter().flatten().sum();
    let shown = classes.len().min(SHOWN_CLASSES);
    let mut text = format!("{title}\n");
    let labels: Vec<String> = labels.map(|label| clip(&label, 44)).collect();
    let width = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0);
    text.push_str(&format!("  {:width$}  {:>10}", "", "rows"));
    for class in &classes[..shown] {
        text.push_str(&format!("  {:>9}", clip(class, 9)));
    }
    text.push('\n');
    for (label, counts) in labels.iter().zip(counts) {
        let size: u64 = counts.iter().sum();
        let padding = " ".repeat(width - label.chars().count());
        text.push_str(&format!("  {label}{padding}  {:>10}", thousands(size)));
        for &count in &counts[..shown] {
            text.push_str(&format!(
                "  {:>9}",
                percent(count as f64 / size.max(1) as f64)
            ));
        }
        text.push_str(&format!(
            "  {}\n",
            bar(size as f64 / rows.max(1) as f64, 12)
        ));
    }
    text.lines()
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n")
        + "\n"
}
