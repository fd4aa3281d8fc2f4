//! Tables over several variables as heat maps: two axes across and down, a map for every part of the others.

use crate::labels;
use crate::text::{escape, name};
use crate::view::{TermView, View};

/// Characters of a label.
const LABEL: usize = 28;

/// The first and the last part of the term that each part shown of an axis is made of.
pub(super) type Ranges = [Vec<[usize; 2]>];

/// The parts of every axis in words.
pub(super) fn labels_of(view: &View, view_of: &TermView, ranges: &Ranges) -> Vec<Vec<String>> {
    let axes = view_of.term.axes.iter().zip(ranges);
    let labels = axes.map(|(axis, ranges)| {
        let whole = view.is_whole(&axis.name);
        let label = |&range: &[usize; 2]| labels::range(&axis.parts, range, whole);
        ranges.iter().map(label).collect()
    });
    labels.collect()
}

/// Heat tables of the cells of two axes; of three, one for each part of the first.
pub(super) fn maps(
    view_of: &TermView,
    labels: &[Vec<String>],
    cell: impl Fn(usize) -> String,
) -> String {
    let axes = &view_of.term.axes;
    let (before, [across, down]) = match labels {
        [.., a, b] => (&labels[..labels.len() - 2], [a, b]),
        _ => return String::new(),
    };
    let size = across.len() * down.len();
    let slices: usize = before.iter().map(Vec::len).product();
    let (first, second) = (&axes[axes.len() - 2].name, &axes[axes.len() - 1].name);
    let mut html = String::from("<div class=maps>");
    for slice in 0..slices {
        let mut rest = slice;
        let mut caption = Vec::new();
        for (axis, labels) in axes.iter().zip(before).rev() {
            caption.push(format!(
                "{} {}",
                name(&axis.name, 40),
                escape(&labels[rest % labels.len()])
            ));
            rest /= labels.len();
        }
        caption.reverse();
        let caption = if caption.is_empty() {
            String::new()
        } else {
            format!("<caption>{}</caption>", caption.join(", "))
        };
        let heads: String = down
            .iter()
            .map(|label| format!("<th scope=col>{}", name(label, LABEL)))
            .collect();
        let mut lines = String::new();
        for (i, label) in across.iter().enumerate() {
            lines.push_str(&format!(
                "<tr><th class=row scope=row>{}",
                name(label, LABEL)
            ));
            for j in 0..down.len() {
                lines.push_str(&cell(slice * size + i * down.len() + j));
            }
        }
        html.push_str(&format!(
            "<div class=scroll tabindex=0 role=group aria-label=\"{} by {}\"><table class=\"heat wide\">{caption}<thead><tr><th \
             scope=col>{} ↓ {} →{heads}</thead><tbody>{lines}</tbody></table></div>",
            escape(first),
            escape(second),
            name(first, LABEL),
            name(second, LABEL)
        ));
    }
    html + "</div>"
}

/// Groups whose names do not fit into a map, with all their values.
pub(super) fn in_full(view_of: &TermView, labels: &[Vec<String>], ranges: &Ranges) -> String {
    let axes = view_of.term.axes.iter().zip(labels).zip(ranges);
    let lines: String = axes
        .flat_map(|((axis, labels), ranges)| {
            let long = labels
                .iter()
                .zip(ranges)
                .filter(|(label, _)| label.chars().count() > LABEL);
            long.map(move |(_, &range)| {
                format!(
                    "<li><b>{}</b>: {}",
                    name(&axis.name, 40),
                    escape(&labels::whole_range(&axis.parts, range))
                )
            })
        })
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    format!("<details class=note><summary>Groups in full</summary><ul>{lines}</ul></details>")
}
