//! Do variables act together? Tables over several variables as heat maps.

use super::Section;
use super::heat_maps::{in_full, labels_of, maps};
use super::part_table::heat_cell;
use crate::text::{chip, count, counted, escape, name, percent};
use crate::view::{TermView, View};
use crate::words::{link, list};
use fnb::Preset;
use fnb::terms::{Block, Blocks, Correction};

/// Articles that are open.
const OPEN: usize = 10;
/// Parts of an axis of a map.
const PARTS: usize = 8;
/// Classes whose maps are drawn, those first that the table moves most.
const CLASSES: usize = 3;
/// Rows below which a cell is hatched.
const FEW: u64 = 20;
/// Factors that are worth a frame...
const STRONG: f64 = 1.5;
/// ...if they are so many standard errors off.
const SURPRISING: f64 = 2.0;

pub(crate) fn section(view: &View) -> Section {
    let tables: Vec<&TermView> = view.tables().collect();
    let mut body = String::new();
    if tables.is_empty() {
        body.push_str(&none(view));
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

/// What is said where there are no tables, and how to look for some.
fn none(view: &View) -> String {
    let params = &view.model.training().params;
    let why = match params.preset {
        Preset::Default if params.learn.interactions.is_none() => {
            "It was trained with <code>--interactions none</code>; without that, tables are looked for."
        }
        Preset::Default => "They were looked for, and none tells enough to be worth its price.",
        Preset::Khiops if params.prepare.pairs + params.prepare.trees > 0 => {
            "Pairs and trees were looked for: trees that were selected are drawn among the variables."
        }
        Preset::Khiops => {
            "<code>--pairs 10</code> looks for pairs, <code>--trees 10</code> for trees over several variables."
        }
        Preset::Paper => "Preset <code>default</code> looks for some.",
    };
    format!("<p>The model has no table over several variables. {why}</p>")
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
            ("It tells", "it")
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
    let labels = labels_of(view, view_of, &blocks.ranges);
    let mut html = match most_remarkable(view, view_of, blocks, &labels, &shown) {
        Some(sentence) => format!("<p>{sentence}</p>"),
        None => String::new(),
    };
    let titled = shown.len() > 1;
    for &class in &shown {
        if titled {
            html.push_str(&format!("<h4>Rows of {}</h4>", chip(view.class(class))));
        }
        html.push_str(&maps(view_of, &labels, |cell| {
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
    let smooth = match view_of.term.correction {
        Some(Correction::Surface { .. }) => {
            " Smooth: the factors change little by little over both variables; each cell shows their mean."
        }
        _ => "",
    };
    html.push_str(&format!(
        "<p class=note>Large: how many times as many {of} as the rest of the model expects. Small: rows seen / expected. \
         Blank: none. Hatched: under {FEW} rows. Framed: far off, and not by chance.{smooth}{hidden}</p>{}",
        in_full(view_of, &labels, &blocks.ranges)
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
    } else if by.abs() >= STRONG.ln() && surprise(block, class) >= SURPRISING {
        classes.push_str(" frame");
    }
    format!(
        "<td class=\"{classes}\">{}<small>{} / {}</small>",
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

/// How far a cell is off what is expected, in standard errors: a large one that is nearly as expected does not surprise.
fn surprise(cell: &Block, class: usize) -> f64 {
    let (seen, expected) = (cell.observed[class] as f64, cell.expected[class]);
    (seen - expected).abs() / (expected + 1.0).sqrt()
}

/// The cell where the table says most, in words.
fn most_remarkable(
    view: &View,
    view_of: &TermView,
    blocks: &Blocks,
    labels: &[Vec<String>],
    shown: &[usize],
) -> Option<String> {
    let all =
        (0..blocks.cells.len()).flat_map(|cell| shown.iter().map(move |&class| (cell, class)));
    let (cell, class) = all.reduce(|best, next| {
        let of = |(cell, class): (usize, usize)| surprise(&blocks.cells[cell], class);
        if of(next) > of(best) { next } else { best }
    })?;
    let mut rest = cell;
    let mut places = Vec::new();
    for (axis, labels) in view_of.term.axes.iter().zip(labels).rev() {
        places.push(format!(
            "<b>{}</b> {}",
            name(&axis.name, 40),
            escape(&labels[rest % labels.len()])
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

/// The class shares in the cells of a table that is a variable of its own.
fn shares(view: &View, view_of: &TermView) -> String {
    let term = view_of.term;
    let ranges = term.axes.iter();
    let ranges = ranges.map(|axis| (0..axis.parts.len()).map(|part| [part, part]).collect());
    let ranges: Vec<Vec<[usize; 2]>> = ranges.collect();
    let labels = labels_of(view, view_of, &ranges);
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
        "{}<p class=note>Large: {what}. Small: rows. Hatched: under {FEW} rows.</p>{}",
        maps(view_of, &labels, cell),
        in_full(view_of, &labels, &ranges)
    )
}
