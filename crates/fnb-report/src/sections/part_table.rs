//! The parts of a variable as a table whose cells are bars.

use crate::text::{chip, count, counted, escape, factor, name, percent, signed, whole_percent};
use crate::view::{TermView, View};
use fnb::terms::Parts;

/// What is as long as a whole bar of what a part adds: so many log odds, for all variables.
pub(crate) const SCALE: f64 = 3.0;
/// Classes of a heat table, and how many of them when there are more.
const CLASSES: usize = 30;
const FIRST_CLASSES: usize = 12;
/// Parts that are listed of a variable and of all together: one of more shows the most frequent.
const PARTS: usize = 60;
const ALL_PARTS: usize = 800;
const FEWEST_PARTS: usize = 4;

/// The parts of a variable; those of two classes with what they add.
pub(crate) fn table(view: &View, term: &TermView) -> String {
    if view.contrast.is_some() {
        two_classes(view, term)
    } else {
        heat(view, term)
    }
}

/// The parts that are listed, in their order, and how many are not.
fn listed(view: &View, term: &TermView) -> (Vec<usize>, usize) {
    let cells = term.term.cells();
    let terms = view.model.terms().len().max(1);
    let most = (ALL_PARTS / terms).clamp(FEWEST_PARTS, PARTS);
    let mut parts: Vec<usize> = (0..cells).collect();
    if cells > most {
        parts.sort_by_key(|&part| std::cmp::Reverse(term.term.rows_of(part)));
        parts.truncate(most);
        parts.sort_unstable();
    }
    (parts, cells.saturating_sub(most))
}

fn hidden(number: usize) -> String {
    match number {
        0 => String::new(),
        n => format!(
            "<p class=note>{} of few rows not listed; <code>fnb inspect --json</code> has all.</p>",
            counted(n, "part", "parts")
        ),
    }
}

fn head(term: &TermView) -> &'static str {
    match term.term.axes[0].parts {
        Parts::Intervals { .. } => "Interval",
        Parts::Groups { .. } => "Group",
    }
}

fn two_classes(view: &View, term: &TermView) -> String {
    let Some(contrast) = view.contrast else {
        return String::new();
    };
    let (parts, more) = listed(view, term);
    let most = parts.iter().map(|&part| term.term.rows_of(part)).max();
    let most = most.unwrap_or(0).max(1) as f64;
    let lines: String = parts
        .iter()
        .map(|&part| {
            let rows = term.term.rows_of(part);
            let share = term.term.counts[part][contrast.class] as f64 / rows.max(1) as f64;
            let by = view.adds(term.index, part).unwrap_or(0.0);
            let shown = if rows == 0 { "–".into() } else { percent(share) };
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td class=\"b hs\"><i style=\"width:{:.1}%\"></i><td \
                 class=n>{shown}<td class=s><i style=\"--w:{:.4}\"></i><td class=n>{}<td class=v>{}<td class=\"n soft \
                 hm\">{}",
                term.label_html(part),
                count(rows),
                100.0 * rows as f64 / most,
                share,
                signed(by),
                signed_bar(by),
                factor(by.exp()),
            )
        })
        .collect();
    format!(
        "<div><table{} style=\"--t:{:.4}\"><thead><tr><th scope=col>{}<th scope=col class=n>Rows<td class=hs><th scope=col \
         colspan=2>Share of {}<th scope=col colspan=2>Adds<span class=hs> to the log odds</span><th scope=col class=\"n \
         hm\">Odds</thead><tbody>{lines}</tbody></table>{}</div>",
        match term.term.axes[0].parts {
            Parts::Intervals { .. } => " class=parts",
            Parts::Groups { .. } => "",
        },
        view.share(contrast.class),
        head(term),
        name(view.class(contrast.class), 24),
        hidden(more)
    )
}

/// A bar to the right for what speaks for the class, to the left for what speaks against it; cut to a point where it
/// is longer than its place.
pub(crate) fn signed_bar(by: f64) -> String {
    let size = 50.0 * (by.abs() / SCALE).min(1.0);
    let cut = if by.abs() > SCALE { " cut" } else { "" };
    let (class, left) = if by >= 0.0 {
        ("p", 50.0)
    } else {
        ("q", 50.0 - size)
    };
    format!("<i class=\"{class}{cut}\" style=\"--l:{left:.1}%;--w:{size:.1}%\"></i>")
}

/// The class shares of every part, for three classes and more.
fn heat(view: &View, term: &TermView) -> String {
    let (parts, more) = listed(view, term);
    let shown = shown_classes(view, term);
    let others = view.classes() - shown.len();
    let heads: String = shown
        .iter()
        .map(|&class| format!("<th scope=col>{}", name(view.class(class), 14)))
        .collect();
    let mut lines = String::new();
    for &part in &parts {
        let rows = term.term.rows_of(part);
        let of = |n: u64| n as f64 / rows.max(1) as f64;
        lines.push_str(&format!(
            "<tr><th class=row scope=row>{}<td class=n>{}",
            term.label_html(part),
            count(rows)
        ));
        for &class in &shown {
            lines.push_str(&heat_cell(of(term.term.counts[part][class]), 'u'));
        }
        if others > 0 {
            let rest: u64 = rows
                - shown
                    .iter()
                    .map(|&c| term.term.counts[part][c])
                    .sum::<u64>();
            lines.push_str(&heat_cell(of(rest), 'g'));
        }
    }
    let (others_head, others_note) = match others {
        0 => (String::new(), String::new()),
        n => (
            "<th scope=col>others".to_owned(),
            format!(
                " The {} classes that this variable tells most about; {} others together.",
                shown.len(),
                count(n)
            ),
        ),
    };
    format!(
        "<div><div class=scroll tabindex=0 role=group aria-label=\"Classes by part of {}\"><table class=heat><thead><tr><th \
         scope=col>{}<th scope=col>Rows{heads}{others_head}</thead><tbody>{lines}</tbody></table></div><p class=note>Lines \
         sum to 100: share of each class, in %, among the training rows of the part. Blank: under half a per \
         cent.{others_note}</p>{}</div>",
        escape(&term.term.name),
        head(term),
        hidden(more)
    )
}

/// A cell of a heat table: a whole per cent, shaded in ten steps.
pub(crate) fn heat_cell(share: f64, colour: char) -> String {
    let step = shade(share);
    let text = if share < 0.005 {
        String::new()
    } else {
        whole_percent(share)
    };
    match (step, colour) {
        (0, _) | (_, 'g') => format!("<td>{text}"),
        _ => format!("<td class=\"{colour} k{step}\">{text}"),
    }
}

/// One of ten shades for a share; 0 for none.
pub(crate) fn shade(share: f64) -> usize {
    if share < 0.005 {
        return 0;
    }
    ((share * 10.0).ceil() as usize).clamp(1, 10)
}

/// The classes that are shown: all, or those that the variable tells most about.
pub(crate) fn shown_classes(view: &View, term: &TermView) -> Vec<usize> {
    let classes = view.classes();
    if classes <= CLASSES {
        return view.class_order();
    }
    let rows = view.model.training().rows as f64;
    // What knowing the part saves on the rows of the class, in nats.
    let gain = |class: usize| -> f64 {
        let lines = term.term.counts.iter();
        lines
            .map(|line| {
                let (n, all) = (line[class] as f64, line.iter().sum::<u64>() as f64);
                if n == 0.0 {
                    return 0.0;
                }
                n * (n / all / (view.model.target().counts[class] as f64 / rows)).ln()
            })
            .sum()
    };
    let gains: Vec<f64> = (0..classes).map(gain).collect();
    let mut order: Vec<usize> = (0..classes).collect();
    order.sort_by(|&a, &b| gains[b].total_cmp(&gains[a]).then(a.cmp(&b)));
    order.truncate(FIRST_CLASSES);
    let all = view.class_order().into_iter();
    all.filter(|class| order.contains(class)).collect()
}

/// "At **up to 0** it is most often A (26 %) or B (17 %)": the extreme parts in words.
pub(crate) fn sentence_of_many(view: &View, term: &TermView) -> String {
    let cells = term.term.cells();
    let rows = view.model.training().rows as f64;
    let frequent: Vec<usize> = (0..cells)
        .filter(|&part| term.term.rows_of(part) as f64 >= 0.005 * rows)
        .collect();
    let picked: Vec<usize> = match (&term.term.axes[0].parts, frequent.as_slice()) {
        (_, []) => return String::new(),
        (_, [one]) => vec![*one],
        (Parts::Intervals { .. }, [first, .., last]) => vec![*first, *last],
        (Parts::Groups { .. }, [first, second, ..]) => vec![*first, *second],
    };
    let phrases: Vec<String> = picked
        .iter()
        .map(|&part| {
            let counts = &term.term.counts[part];
            let mut order: Vec<usize> = (0..counts.len()).collect();
            order.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then(a.cmp(&b)));
            let all = term.term.rows_of(part).max(1) as f64;
            let one = |&class: &usize| {
                format!(
                    "{} ({}\u{202f}%)",
                    chip(view.class(class)),
                    whole_percent(counts[class] as f64 / all)
                )
            };
            let named: Vec<String> = order
                .iter()
                .take(2)
                .filter(|&&class| counts[class] > 0)
                .map(one)
                .collect();
            format!(
                "at <b>{}</b> it is most often {}",
                escape(&term.label(part)),
                named.join(" or ")
            )
        })
        .collect();
    crate::words::capital(&phrases.join("; ")) + "."
}
