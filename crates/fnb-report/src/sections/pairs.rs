//! Do variables act together? Tables over several variables as heat maps.

use super::Section;
use super::part_table::heat_cell;
use crate::text::{chip, count, counted, escape, name, percent};
use crate::view::{TermView, View};
use crate::words::{link, list};
use fnb::terms::{Block, Blocks};

/// Articles that are open.
const OPEN: usize = 10;
/// Parts of an axis of a map.
const PARTS: usize = 8;
/// Classes whose maps are drawn, those first that the table moves most.
const CLASSES: usize = 3;
/// Rows below which a cell is hatched.
const FEW: u64 = 20;
/// Factors that are worth a frame.
const STRONG: f64 = 1.5;

pub(crate) fn section(view: &View) -> Section {
    let tables: Vec<&TermView> = view.tables().collect();
    let mut body = String::new();
    if tables.is_empty() {
        body.push_str(
            "<p>The model has no table over several variables. <code>--pairs 10</code> looks for pairs, <code>--trees \
             10</code> for trees over several variables.</p>",
        );
    } else {
        body.push_str(&overview(view, &tables));
    }
    for (rank, term) in tables.iter().enumerate() {
        let inside = article(view, term);
        if rank < OPEN {
            body.push_str(&format!(
                "<article id={0} aria-labelledby=\"{0}-h\">{inside}</article>",
                term.id
            ));
        } else {
            body.push_str(&format!(
                "<details class=fold id={0}><summary><b>{1}</b><span class=soft>importance {2}</span></summary><article \
                 aria-labelledby=\"{0}-h\">{inside}</article></details>",
                term.id,
                name(&term.term.name, 60),
                percent(term.term.importance)
            ));
        }
    }
    Section {
        id: "pairs",
        title: "Pairs",
        question: "Do variables act together?",
        body,
    }
}

/// The list, most important first.
fn overview(view: &View, tables: &[&TermView]) -> String {
    let corrections = tables
        .iter()
        .filter(|term| term.term.only_corrects())
        .count();
    let mut text = format!(
        "<p>The model has {} over several variables.",
        counted(tables.len(), "table", "tables")
    );
    if let (Some(facts), true) = (view.model.training().interactions, corrections > 0) {
        let null = view.model.training().null_criterion.max(1e-12);
        let (told, with) = if corrections == 1 {
            ("One tells", "it")
        } else {
            ("They tell", "them")
        };
        text.push_str(&format!(
            " {told} what the variables one by one do not: with {with} the model saves {} of the description of the training \
             classes, without {with} {}.",
            percent(1.0 - facts.data / null),
            percent(1.0 - facts.data_before / null)
        ));
    }
    text.push_str("</p>");
    if tables.len() < 2 {
        return text;
    }
    let most = tables
        .iter()
        .map(|term| term.term.importance)
        .fold(1e-12, f64::max);
    let lines: String = tables
        .iter()
        .map(|term| {
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td class=b><i class=p style=\"width:{:.1}%\"></i><td class=\"n \
                 hs\">{}",
                link(term),
                percent(term.term.importance),
                100.0 * term.term.importance / most,
                count(term.term.cells())
            )
        })
        .collect();
    format!(
        "{text}<table data-sort id=t-pairs><thead><tr><th scope=col>Variables<th scope=col class=n>Importance<td><th scope=col \
         class=\"n hs\">Cells</thead><tbody>{lines}</tbody></table>"
    )
}

fn article(view: &View, view_of: &TermView) -> String {
    let term = view_of.term;
    let facts = format!(
        "<p class=facts><span>importance <b>{}</b>, {} of {}</span> <span>{}</span></p>",
        percent(term.importance),
        view_of.index + 1,
        view.terms.len(),
        counted(term.cells(), "cell", "cells")
    );
    let maps = match term.blocks(PARTS) {
        Some(blocks) => corrections(view, view_of, &blocks),
        None => shares(view, view_of),
    };
    format!(
        "<h3 id=\"{}-h\">{}</h3>{facts}{maps}",
        view_of.id,
        name(&term.name, 70)
    )
}

/// A map for each of the classes that the table moves most: what was seen against what the rest of the model expects.
fn corrections(view: &View, view_of: &TermView, blocks: &Blocks) -> String {
    let shown = most_moved(view, &blocks.cells);
    let mut html = match most_remarkable(view, view_of, blocks, &shown) {
        Some(sentence) => format!("<p>{sentence}</p>"),
        None => String::new(),
    };
    let titled = shown.len() > 1;
    for &class in &shown {
        if titled {
            html.push_str(&format!("<h4>Rows of {}</h4>", chip(view.class(class))));
        }
        html.push_str(&maps(view_of, &blocks.labels, |cell| {
            factor_cell(&blocks.cells[cell], class)
        }));
    }
    let hidden = if view.contrast.is_some() {
        0
    } else {
        view.classes() - shown.len()
    };
    let hidden = match hidden {
        0 => String::new(),
        n => format!(
            " {} are moved less.",
            counted(n, "other class", "other classes")
        ),
    };
    let of = match view.contrast {
        Some(contrast) => format!("rows of {}", chip(view.class(contrast.class))),
        None => "rows of the class".into(),
    };
    html.push_str(&format!(
        "<p class=note>Large: how many times as many {of} as the rest of the model expects. Small: seen, and expected. Blank: \
         none. Hatched: under {FEW} rows.{hidden}</p>"
    ));
    html
}

fn factor_cell(block: &Block, class: usize) -> String {
    let (seen, expected, factor) = (
        block.observed[class],
        block.expected[class],
        block.factors[class],
    );
    let by = factor.ln();
    if seen == 0 && expected < 0.5 {
        return "<td>".into();
    }
    let step = ((by.abs() / 2.0_f64.ln() * 5.0).ceil() as usize).min(10);
    let mut classes = match step {
        0 => String::new(),
        step => format!("{} k{step}", if by > 0.0 { 'u' } else { 'w' }),
    };
    if block.observed.iter().sum::<u64>() < FEW {
        classes.push_str(" few");
    } else if by.abs() >= STRONG.ln() {
        classes.push_str(" frame");
    }
    format!(
        "<td class=\"{classes}\">{}<small>{}, {}</small>",
        crate::text::factor(factor),
        count(seen),
        count(expected.round().max(0.0) as u64)
    )
}

/// The classes that a table moves most; of two, the main one says it all.
fn most_moved(view: &View, cells: &[Block]) -> Vec<usize> {
    if let Some(contrast) = view.contrast {
        return vec![contrast.class];
    }
    let moved = |class: usize| -> f64 {
        let by = |cell: &Block| cell.expected[class] * cell.factors[class].ln().abs();
        cells.iter().map(by).sum()
    };
    let moves: Vec<f64> = (0..view.classes()).map(moved).collect();
    let mut order: Vec<usize> = (0..view.classes()).collect();
    order.sort_by(|&a, &b| moves[b].total_cmp(&moves[a]).then(a.cmp(&b)));
    order.truncate(CLASSES);
    order
}

/// The cell where the table says most, in words.
fn most_remarkable(
    view: &View,
    view_of: &TermView,
    blocks: &Blocks,
    shown: &[usize],
) -> Option<String> {
    // In standard errors: a large cell that is nearly as expected is not remarkable.
    let weight = |cell: &Block, class: usize| {
        let (seen, expected) = (cell.observed[class] as f64, cell.expected[class]);
        (seen - expected).abs() / (expected + 1.0).sqrt()
    };
    let all =
        (0..blocks.cells.len()).flat_map(|cell| shown.iter().map(move |&class| (cell, class)));
    let (cell, class) = all.reduce(|best, next| {
        let better = weight(&blocks.cells[next.0], next.1) > weight(&blocks.cells[best.0], best.1);
        if better { next } else { best }
    })?;
    let mut rest = cell;
    let mut places = Vec::new();
    for (axis, labels) in view_of.term.axes.iter().zip(&blocks.labels).rev() {
        places.push(format!(
            "<b>{}</b> {}",
            name(&axis.name, 40),
            escape(&in_words(&labels[rest % labels.len()]))
        ));
        rest /= labels.len();
    }
    places.reverse();
    let block = &blocks.cells[cell];
    let factor = block.factors[class];
    let (only, decimals) = if factor < 1.0 { ("only ", 2) } else { ("", 1) };
    let often = format!("{only}{factor:.decimals$} times as frequent as");
    Some(format!(
        "Most remarkable: at {}, {} is {often} the variables one by one explain ({} rows seen, {} expected).",
        list(&places),
        chip(view.class(class)),
        count(block.observed[class]),
        count(block.expected[class].round().max(0.0) as u64)
    ))
}

/// A label of the library in words: `]a; b]` becomes `a to b`.
fn in_words(label: &str) -> String {
    if let Some(inside) = label
        .strip_prefix(']')
        .and_then(|label| label.strip_suffix(']'))
        && let Some((low, high)) = inside.split_once("; ")
    {
        return format!("{low} to {high}");
    }
    if let Some(high) = label.strip_prefix("<= ") {
        return format!("up to {high}");
    }
    if let Some(low) = label.strip_prefix("> ") {
        return format!("over {low}");
    }
    match label
        .strip_prefix('{')
        .and_then(|label| label.strip_suffix('}'))
    {
        Some(values) => values
            .replace(", *", ", any other")
            .replace('*', "any value"),
        None => label.to_owned(),
    }
}

/// Heat tables of the cells of two axes; of three, one for each part of the first.
fn maps(view_of: &TermView, labels: &[Vec<String>], cell: impl Fn(usize) -> String) -> String {
    let axes = &view_of.term.axes;
    let (before, [across, down]) = match labels {
        [.., a, b] => (&labels[..labels.len() - 2], [a, b]),
        _ => return String::new(),
    };
    let size = across.len() * down.len();
    let slices: usize = before.iter().map(Vec::len).product();
    let (first, second) = (&axes[axes.len() - 2].name, &axes[axes.len() - 1].name);
    let mut html = String::new();
    for slice in 0..slices {
        let mut rest = slice;
        let mut caption = Vec::new();
        for (axis, labels) in axes.iter().zip(before).rev() {
            caption.push(format!(
                "{} {}",
                name(&axis.name, 40),
                escape(&in_words(&labels[rest % labels.len()]))
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
            .map(|label| format!("<th scope=col>{}", name(&in_words(label), 28)))
            .collect();
        let mut lines = String::new();
        for (i, label) in across.iter().enumerate() {
            lines.push_str(&format!(
                "<tr><th class=row scope=row>{}",
                name(&in_words(label), 28)
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
            name(first, 28),
            name(second, 28)
        ));
    }
    html
}

/// The class shares in the cells of a table that is a variable of its own.
fn shares(view: &View, view_of: &TermView) -> String {
    let term = view_of.term;
    let labels: Vec<Vec<String>> = term
        .axes
        .iter()
        .map(|axis| {
            (0..axis.parts.len())
                .map(|part| axis.parts.label(part))
                .collect()
        })
        .collect();
    let most_frequent = |cell: usize| {
        let counts = &term.counts[cell];
        (0..counts.len()).fold(0, |best, c| if counts[c] > counts[best] { c } else { best })
    };
    let class_of = |cell: usize| {
        view.contrast
            .map_or_else(|| most_frequent(cell), |c| c.class)
    };
    let cell = |cell: usize| {
        let rows = term.rows_of(cell);
        let class = class_of(cell);
        let share = term.counts[cell][class] as f64 / rows.max(1) as f64;
        let few = if rows < FEW { " few" } else { "" };
        if rows == 0 {
            return "<td class=few>".to_owned();
        }
        let plain = heat_cell(share, 'u');
        let open = if plain.starts_with("<td class=\"") {
            plain.replacen(
                "<td class=\"",
                &format!("<td class=\"{}", few.trim_start()).replace("few", "few "),
                1,
            )
        } else {
            plain.replacen("<td>", &format!("<td class=\"{}\">", few.trim_start()), 1)
        };
        let class = match view.contrast {
            Some(_) => String::new(),
            None => format!("{} ", name(view.class(class), 12)),
        };
        format!("{open}<small>{class}{}</small>", count(rows))
    };
    let what = match view.contrast {
        Some(contrast) => format!("share of {} in %", chip(view.class(contrast.class))),
        None => "share of the most frequent class in %".into(),
    };
    format!(
        "{}<p class=note>Large: {what}. Small: rows. Hatched: under {FEW} rows.</p>",
        maps(view_of, &labels, cell)
    )
}
