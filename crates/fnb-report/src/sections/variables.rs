//! How does each variable act?

use super::{Section, part_table};
use crate::svg::{steps, tree};
use crate::text::{chip, count, counted, escape, figure, name, percent, weight};
use crate::view::{TermView, View};
use crate::words;
use fnb::terms::Parts;

/// Variables that are open; the others are folded, a line each.
const OPEN: usize = 12;
/// Up to so many, all are open.
const ALL_OPEN: usize = 20;
/// Variables whose tables are in the HTML; the page draws those of the others when they are opened.
pub(crate) const IN_HTML: usize = 150;

pub(crate) fn section(view: &View) -> Section {
    let terms: Vec<&TermView> = view.variables().collect();
    let open = if terms.len() <= ALL_OPEN {
        terms.len()
    } else {
        OPEN
    };
    let mut body = if terms.is_empty() {
        nothing(view)
    } else {
        corrected(&terms)
    };
    for (rank, term) in terms.iter().enumerate() {
        if rank < open {
            body.push_str(&format!(
                "<article id={0} aria-labelledby=\"{0}-h\">{1}</article>",
                term.id,
                article(view, term, rank == 0)
            ));
            continue;
        }
        let inside = if rank < IN_HTML {
            format!(
                "<article aria-labelledby=\"{}-h\">{}</article>",
                term.id,
                article(view, term, false)
            )
        } else {
            format!(
                "<p class=noscript>The tables of the {IN_HTML} most important variables are in this page; <code>fnb inspect \
                 MODEL</code> shows all.</p>"
            )
        };
        let drawn_later = if rank < IN_HTML {
            String::new()
        } else {
            format!(" data-later={}", term.index)
        };
        body.push_str(&format!(
            "<details class=fold id={}{drawn_later}><summary><b>{}</b><span class=soft>importance {}, {}</span></summary>\
             {inside}</details>",
            term.id,
            name(&term.term.name, 60),
            percent(term.term.importance),
            parts_of(term)
        ));
    }
    if terms.len() > open {
        body.push_str(&format!(
            "<p class=note>The {open} most important variables are open, the other {} folded.</p>",
            count(terms.len() - open)
        ));
    }
    Section {
        id: "variables",
        title: "Variables",
        question: "How does each one act?",
        body,
    }
}

fn parts_of(term: &TermView) -> String {
    match &term.term.axes[0].parts {
        Parts::Intervals { .. } => counted(term.term.cells(), "interval", "intervals"),
        Parts::Groups { .. } => counted(term.term.cells(), "group", "groups"),
    }
}

fn article(view: &View, view_of: &TermView, is_first: bool) -> String {
    let term = view_of.term;
    let facts = format!(
        "<p class=facts><span>importance <b>{}</b>, {} of {}</span> {}<span>level <b>{}</b></span> <span>{}</span></p>",
        percent(term.importance),
        view_of.index + 1,
        view.terms.len(),
        if term.only_corrects() {
            String::new()
        } else {
            format!("<span>weight <b>{}</b></span> ", weight(term.weight))
        },
        if term.level > 0.0 {
            figure(term.level)
        } else {
            "–".into()
        },
        parts_of(view_of)
    );
    let meaning = match term.describe() {
        Some(meaning) if term.axes[0].from.tree().is_none() => {
            format!("<p class=soft>{}</p>", escape(&words::capital(&meaning)))
        }
        _ => String::new(),
    };
    let chart = steps::of(view, view_of);
    let table = part_table::table(view, view_of);
    let laid_out = match chart {
        Some(chart) => format!("<div class=var><figure>{chart}</figure>{table}</div>"),
        None => format!("<div class=\"var wide\">{table}</div>"),
    };
    let overlaps = view.overlaps(&term.name);
    let overlaps = if overlaps.is_empty() {
        String::new()
    } else {
        format!(
            "<p class=note>Overlaps with {}.</p>",
            words::list(&overlaps)
        )
    };
    let drawn_tree = term.axes[0].from.tree();
    let drawn_tree = drawn_tree.map_or(String::new(), |found| {
        format!(
            "<div class=scroll tabindex=0 role=group aria-label=\"Tree\">{}</div><p class=note>Read from \
             the left: every question sends a row up or down, to a leaf (L) at the end. The groups of the table are leaves.</p>",
            tree::drawn(found)
        )
    });
    format!(
        "<h3 id=\"{}-h\">{}</h3>{facts}{meaning}<p>{}</p>{drawn_tree}{laid_out}{overlaps}",
        view_of.id,
        name(&term.name, 70),
        sentence(view, view_of, is_first)
    )
}

fn sentence(view: &View, view_of: &TermView, is_first: bool) -> String {
    let term = view_of.term;
    let what = match view.contrast {
        Some(contrast) => {
            let class = view.class(contrast.class);
            words::profile(view_of, contrast.class, class)
                .unwrap_or_else(|| of_groups(view_of, contrast.class, class))
        }
        None => part_table::sentence_of_many(view, view_of),
    };
    let percent = format!("{:.0}\u{202f}%", 100.0 * term.weight);
    let taken = if term.only_corrects() {
        let name = name(&term.axes[0].name, 60);
        if view.variables().any(|other| {
            !other.term.only_corrects() && other.term.axes[0].name == term.axes[0].name
        }) {
            format!(
                " A second table of <b>{name}</b>, for what the first and the others leave unexplained."
            )
        } else {
            format!(
                " Not selected on its own: the model has this table of <b>{name}</b> for what the others leave unexplained."
            )
        }
    } else if term.weight >= 0.995 || term.correction.is_some() {
        String::new()
    } else if is_first {
        format!(
            " Weight {}: the model takes {percent} of what this table says, since other variables tell part of the same.",
            weight(term.weight)
        )
    } else {
        format!(" Taken at {percent}.")
    };
    format!("{what}{taken}")
}

/// The two groups at the ends, in words.
fn of_groups(view_of: &TermView, main: usize, class: &str) -> String {
    let term = view_of.term;
    let rows: u64 = term.counts.iter().flatten().sum();
    let share = |part: usize| term.counts[part][main] as f64 / term.rows_of(part).max(1) as f64;
    let large = |part: &usize| term.rows_of(*part) as f64 >= 0.005 * rows as f64;
    let parts: Vec<usize> = (0..term.cells()).filter(large).collect();
    let highest = parts
        .iter()
        .copied()
        .reduce(|a, b| if share(b) > share(a) { b } else { a });
    let lowest = parts
        .iter()
        .copied()
        .reduce(|a, b| if share(b) < share(a) { b } else { a });
    match (highest, lowest) {
        (Some(high), Some(low)) if high != low => format!(
            "The share of {} is highest at <b>{}</b> ({}), lowest at <b>{}</b> ({}).",
            chip(class),
            escape(&view_of.label(high)),
            percent(share(high)),
            escape(&view_of.label(low)),
            percent(share(low))
        ),
        _ => format!("The share of {} is the same everywhere.", chip(class)),
    }
}

/// What is said where there is no variable.
fn nothing(view: &View) -> String {
    if view.terms.is_empty() {
        "<p>The model has no variable: Left out says what was tried.</p>".into()
    } else {
        "<p>The model has no variable of its own: see Pairs.</p>".into()
    }
}

/// What is said once of profiles that were estimated anew.
fn corrected(terms: &[&TermView]) -> String {
    let anew = terms
        .iter()
        .filter(|term| term.term.correction.is_some() && !term.term.only_corrects());
    if anew.count() == 0 {
        return String::new();
    }
    let curves = if terms.iter().any(|term| term.has_curve()) {
        " Numbers that have a smooth curve are cut finer than their shares call for: look at the trend of the shares, not \
         at single intervals."
    } else {
        ""
    };
    format!(
        "<p>What each variable adds was estimated for all of them together; its weight is only where that started.{curves}</p>"
    )
}
