//! Warnings in words, the gravest first.

use crate::text::{count, counted, escape, name, percent};
use crate::view::{Rows, View};
use crate::words::list;
use fnb::model::Finding;

/// Lines that are shown at once.
const SHOWN: usize = 4;
/// Names of one line.
const NAMED: usize = 4;
/// Rows of a class below which little can be said of it.
const TINY: u64 = 20;
/// Accuracy that test rows may be below training rows.
const DROP: f64 = 0.02;

/// A red box if the model must not be used, and a yellow one for what is to be looked at.
pub(crate) fn boxes(view: &View) -> String {
    let mut html = String::new();
    if view.is_useless() {
        html.push_str(
            "<div class=stop role=note><b>Stop: no better than guessing by class shares.</b> Do not use its \
             predictions.</div>",
        );
    }
    let notes = notes(view);
    if notes.is_empty() {
        return html;
    }
    let item = |note: &String| format!("<li>{note}</li>");
    let first: String = notes.iter().take(SHOWN).map(item).collect();
    let rest: String = notes.iter().skip(SHOWN).map(item).collect();
    let rest = match notes.len().saturating_sub(SHOWN) {
        0 => String::new(),
        n => format!(
            "<details><summary>{}</summary><ul>{rest}</ul></details>",
            counted(n, "more note", "more notes")
        ),
    };
    html.push_str(&format!(
        "<div class=warn role=note><ul>{first}</ul>{rest}</div>"
    ));
    html
}

fn notes(view: &View) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(leaks(view));
    notes.extend(row_numbers(view));
    notes.extend(worse_on_test(view));
    notes.extend(changed(view));
    notes.extend(not_measured(view));
    notes.extend(unseen_classes(view));
    notes.extend(tiny_classes(view));
    notes.extend(pure_parts(view));
    notes.extend(columns_of(
        view,
        "Identifiers.",
        "have their own value in nearly every row",
        |f| matches!(f, Finding::Identifier { .. }),
    ));
    notes.extend(columns_of(
        view,
        "One value only.",
        "have the same value in all rows",
        |f| matches!(f, Finding::Constant { .. }),
    ));
    notes
}

fn leaks(view: &View) -> Option<String> {
    let findings = view.model.training().findings.iter();
    let found: Vec<String> = findings
        .filter_map(|finding| match finding {
            Finding::TellsAll { variable, share } => {
                Some(format!("{} ({})", to(view, variable), percent(*share)))
            }
            _ => None,
        })
        .collect();
    if found.is_empty() {
        return None;
    }
    Some(format!(
        "<b>Note: suspected leak.</b> {} alone nearly all there is to know about {}. Is it a copy of it, or known \
         only after it?",
        several(&found, "tells", "tell"),
        escape(&view.model.target().name)
    ))
}

fn row_numbers(view: &View) -> Option<String> {
    let findings = view.model.training().findings.iter();
    let used = |column: &&String| view.terms.iter().any(|term| term.term.name == **column);
    let found: Vec<String> = findings
        .filter_map(|finding| match finding {
            Finding::RowNumber { column } => Some(column),
            _ => None,
        })
        .filter(used)
        .map(|column| to(view, column))
        .collect();
    (!found.is_empty()).then(|| {
        format!(
            "<b>Note: row numbers.</b> {} the rows; new rows will have other numbers.",
            several(&found, "counts", "count")
        )
    })
}

fn worse_on_test(view: &View) -> Option<String> {
    let (shown, train) = (view.quality.shown?, view.quality.train?);
    if view.quality.rows == Rows::Training || train.accuracy - shown.accuracy < DROP {
        return None;
    }
    Some(format!(
        "<b>Note: less good on new rows.</b> Accuracy {} on training rows, {} on {}. Expect the second.",
        percent(train.accuracy),
        percent(shown.accuracy),
        view.quality.rows.word()
    ))
}

fn changed(view: &View) -> Option<String> {
    let found = view.changed.iter();
    let found = found.map(|changed| {
        format!(
            "{} ({})",
            to(view, &changed.variable),
            percent(changed.share)
        )
    });
    let found: Vec<String> = found.collect();
    (!found.is_empty()).then(|| {
        format!(
            "<b>Note: columns that changed.</b> {} otherwise in the given rows than in the training rows; in brackets \
             the share of rows that have moved to other parts.",
            several(&found, "lies", "lie")
        )
    })
}

fn not_measured(view: &View) -> Option<String> {
    let crossed = view.model.evaluation().cv.is_some();
    (view.quality.rows == Rows::Training && !crossed && !view.terms.is_empty()).then(|| {
        "<b>Note: not measured on unseen rows.</b> All figures are those of the training rows. Train with \
         <code>--holdout 0.3</code> or <code>--test DATA</code> to know better."
            .to_owned()
    })
}

fn unseen_classes(view: &View) -> Option<String> {
    let rows = view.quality.shown?.unseen_class_rows;
    (rows > 0).then(|| {
        format!(
            "<b>Note: unknown classes.</b> {} of the {} are of classes that the model has never seen.",
            count(rows),
            view.quality.rows.word()
        )
    })
}

fn tiny_classes(view: &View) -> Option<String> {
    let counts = &view.model.target().counts;
    let mut tiny: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] < TINY).collect();
    if tiny.is_empty() {
        return None;
    }
    tiny.sort_by_key(|&class| (counts[class], class));
    let found: Vec<String> = tiny
        .iter()
        .map(|&class| {
            let rows = counted(counts[class] as usize, "row", "rows");
            format!("{} ({rows})", name(view.class(class), 40))
        })
        .collect();
    Some(format!(
        "<b>Note: small classes.</b> {} too few rows to be learnt well.",
        several(&found, "has", "have")
    ))
}

fn pure_parts(view: &View) -> Option<String> {
    view.contrast?;
    let rows = view.model.training().rows as f64;
    let found: Vec<String> = view
        .variables()
        .filter_map(|term| {
            let pure = (0..term.term.cells()).filter(|&part| {
                let counts = &term.term.counts[part];
                let there = term.term.rows_of(part) as f64;
                there > 0.0
                    && there < 0.5 * rows
                    && counts.iter().filter(|n| **n > 0).count() == 1
                    && view.adds(term.index, part).is_some_and(|by| by.abs() > 3.0)
            });
            match pure.count() {
                0 => None,
                n => Some(format!("{} ({n})", crate::words::link(term))),
            }
        })
        .collect();
    (!found.is_empty()).then(|| {
        format!(
            "<b>Note: parts that hold one class only.</b> {}. They give near-certain answers: check that the \
             variable is known at the time of the prediction.",
            several(&found, "", "").trim()
        )
    })
}

fn columns_of(
    view: &View,
    title: &str,
    what: &str,
    wanted: impl Fn(&Finding) -> bool,
) -> Option<String> {
    let findings = view.model.training().findings.iter();
    let found: Vec<String> = findings
        .filter(|finding| wanted(finding))
        .map(|finding| to(view, finding.name()))
        .collect();
    let what = if found.len() == 1 {
        what.replacen("have", "has", 1)
            .replacen("their own", "its own", 1)
    } else {
        what.to_owned()
    };
    (!found.is_empty()).then(|| {
        format!(
            "<b>Note: {}</b> {}: nothing to learn from.",
            title.to_lowercase(),
            several(&found, &what, &what)
        )
    })
}

/// Some names and how many more, with the verb that fits.
fn several(names: &[String], one: &str, many: &str) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut shown = names[..names.len() - more].to_vec();
    if more > 0 {
        shown.push(format!("{} more", count(more)));
    }
    let verb = if names.len() == 1 { one } else { many };
    format!("{} {verb}", list(&shown))
}

/// A name, linked if the page has a place for it.
fn to(view: &View, variable: &str) -> String {
    match view.terms.iter().find(|term| term.term.name == variable) {
        Some(term) => crate::words::link(term),
        None => name(variable, 60),
    }
}
