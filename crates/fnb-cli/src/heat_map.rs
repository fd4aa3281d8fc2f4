//! A table over several variables for the terminal: what is seen, what the rest of the model expects, and
//! the factor between them.

use crate::output::{clip, printable, thousands};
use fnb::math::figure;
use fnb::terms::{Block, Term};

/// Parts of an axis that are shown; more are put together.
const MOST_PARTS: usize = 6;
/// Classes whose maps are shown, those first that the table moves most.
const MOST_CLASSES: usize = 3;
/// Characters of a label.
const LABEL: usize = 22;
/// Steps of the shades below and above a factor of 1.
const SHADES: [(f64, &str); 4] = [(0.67, "--"), (0.9, "-"), (1.1, ""), (1.5, "+")];

/// The maps of a term that corrects others, a sentence first; empty if it has no correction.
pub(crate) fn heat_maps(term: &Term, classes: &[String]) -> String {
    let Some(blocks) = term.blocks(MOST_PARTS) else {
        return String::new();
    };
    let shown = most_moved(&blocks.cells, classes.len());
    let mut text = String::new();
    if let Some(sentence) = most_remarkable(term, &blocks.labels, &blocks.cells, classes, &shown) {
        text.push_str(&format!("  {sentence}\n"));
    }
    for &class in &shown {
        let name = clip(&classes[class], LABEL);
        text.push_str(&format!(
            "  rows of {name} seen / expected by the rest of the model, and the factor\n"
        ));
        text.push_str(&map_of(term, &blocks.labels, &blocks.cells, class));
    }
    let hidden = if classes.len() == 2 {
        0
    } else {
        classes.len() - shown.len()
    };
    if hidden > 0 {
        text.push_str(&format!("  and {hidden} more classes\n"));
    }
    text
}

/// The classes that a table moves most; of two, the second says it all.
fn most_moved(cells: &[Block], classes: usize) -> Vec<usize> {
    if classes == 2 {
        return vec![1];
    }
    let moved = |class: usize| -> f64 {
        let by = |cell: &Block| cell.expected[class] * cell.factors[class].ln().abs();
        cells.iter().map(by).sum()
    };
    let mut order: Vec<usize> = (0..classes).collect();
    order.sort_by(|&a, &b| moved(b).total_cmp(&moved(a)).then(a.cmp(&b)));
    order.truncate(MOST_CLASSES);
    order
}

/// "age <= 30, plan {basic}: yes twice as often as the rest of the model explains".
fn most_remarkable(
    term: &Term,
    labels: &[Vec<String>],
    cells: &[Block],
    classes: &[String],
    shown: &[usize],
) -> Option<String> {
    let weight = |cell: &Block, class: usize| {
        let (seen, expected) = (cell.observed[class] as f64, cell.expected[class]);
        (seen + expected) * cell.factors[class].ln().abs()
    };
    let all = (0..cells.len()).flat_map(|cell| shown.iter().map(move |&class| (cell, class)));
    let (cell, class) = all.max_by(|&(a, i), &(b, j)| {
        let by_weight = weight(&cells[a], i).total_cmp(&weight(&cells[b], j));
        by_weight.then((b, j).cmp(&(a, i)))
    })?;
    let mut rest = cell;
    let mut parts = Vec::new();
    for (axis, labels) in term.axes.iter().zip(labels).rev() {
        let label = clip(&labels[rest % labels.len()], LABEL);
        parts.push(format!("{} {label}", clip(&axis.name, LABEL)));
        rest /= labels.len();
    }
    parts.reverse();
    let block = &cells[cell];
    Some(format!(
        "{}: {} {} ({} rows seen, {} expected)",
        parts.join(", "),
        printable(&classes[class]),
        how_often(block.factors[class]),
        thousands(block.observed[class]),
        thousands(block.expected[class].round() as u64),
    ))
}

fn how_often(factor: f64) -> String {
    match factor {
        f if f < 0.05 => "hardly ever, against what the rest of the model explains".into(),
        f if (0.45..0.55).contains(&f) => "half as often as the rest of the model explains".into(),
        f if (1.9..2.1).contains(&f) => "twice as often as the rest of the model explains".into(),
        f => format!(
            "{} times as often as the rest of the model explains",
            figure(f)
        ),
    }
}

/// The maps of a class: rows and columns, one map per part of a third variable.
fn map_of(term: &Term, labels: &[Vec<String>], cells: &[Block], class: usize) -> String {
    let columns = labels.get(1).map_or(1, Vec::len);
    let layers = labels.get(2).map_or(1, Vec::len);
    let mut text = String::new();
    for layer in 0..layers {
        if let Some(names) = labels.get(2) {
            let name = clip(&term.axes[2].name, LABEL);
            text.push_str(&format!("  {name} {}\n", clip(&names[layer], 40)));
        }
        let mut lines: Vec<Vec<String>> = Vec::new();
        let mut head = vec![String::new()];
        if let Some(names) = labels.get(1) {
            head.extend(names.iter().map(|name| clip(name, LABEL)));
        } else {
            head.push(String::new());
        }
        lines.push(head);
        for (row, label) in labels[0].iter().enumerate() {
            let mut line = vec![clip(label, LABEL)];
            for column in 0..columns {
                let block = &cells[(row * columns + column) * layers + layer];
                line.push(cell_text(block, class));
            }
            lines.push(line);
        }
        text.push_str(&aligned(&lines));
    }
    text
}

fn cell_text(block: &Block, class: usize) -> String {
    let factor = block.factors[class];
    let shade = SHADES.iter().find(|(most, _)| factor < *most);
    let shade = shade.map_or("++", |(_, shade)| shade);
    let (seen, expected) = (block.observed[class], block.expected[class].round() as u64);
    format!(
        "{}/{} {factor:.2}{shade:<2}",
        thousands(seen),
        thousands(expected)
    )
}

/// Columns of text: the first one to the left, the others to the right.
fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = lines.iter().map(|line| line[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut out = format!("    {:w$}", line[0], w = widths[0]);
        for (cell, w) in line[1..].iter().zip(&widths[1..]) {
            out.push_str(&format!("  {cell:>w$}"));
        }
        text.push_str(out.trim_end());
        text.push('\n');
    }
    text
}
