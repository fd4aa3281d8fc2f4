//! Why is a variable not in the model?

use super::Section;
use crate::text::{count, counted, figure, name};
use crate::view::View;
use fnb::model::Dropped;

/// Overlap from which on two variables tell much the same.
const MUCH: f64 = 0.6;
/// Variables that are in the HTML; the others are drawn when one asks for them.
pub(crate) const IN_HTML: usize = 40;

pub(crate) fn section(view: &View) -> Section {
    let dropped = sorted(view);
    Section {
        id: "left-out",
        title: "Left out",
        question: "Why is a variable not in the model?",
        body: match (dropped.is_empty(), features(view)) {
            (true, 0) => "<p>All variables are selected.</p>".into(),
            (true, n) => of_sparse(n),
            (false, 0) => body(view, &dropped),
            (false, n) => of_sparse(n) + &body(view, &dropped),
        },
    }
}

/// Features of sparse tables that are left out: the model does not keep their names.
fn features(view: &View) -> usize {
    if view.model.sparse().is_empty() {
        return 0;
    }
    let is_variable = |dropped: &&Dropped| !dropped.reason.starts_with("not used");
    let listed = view.model.dropped().iter().filter(is_variable).count();
    let columns = view.model.training().columns;
    columns.saturating_sub(view.used() + listed)
}

fn of_sparse(features: usize) -> String {
    format!(
        "<p>{} of sparse tables left out: too many to be listed.</p>",
        counted(features, "feature is", "features are")
    )
}

/// Those that tell most first.
pub(crate) fn sorted<'a>(view: &View<'a>) -> Vec<&'a Dropped> {
    let mut dropped: Vec<&Dropped> = view.model.dropped().iter().collect();
    dropped.sort_by(|a, b| b.level.total_cmp(&a.level));
    dropped
}

/// The reason in words.
pub(crate) fn reason(view: &View, dropped: &Dropped) -> String {
    match dropped.reason.as_str() {
        "constant" => "Has the same value in all rows.".into(),
        "uninformative" => "Tells nothing about the target that is worth its cost.".into(),
        "not selected" => match view.overlaps(&dropped.name).first() {
            Some(same) => {
                let overlap = view.model.overlaps(&dropped.name)[0].share;
                let how = if overlap >= MUCH {
                    "much the same"
                } else {
                    "in part the same"
                };
                format!("Tells {how} as {}.", same.replacen(" (", " (overlap ", 1))
            }
            None => "Tells something, but no more than the selected variables do together.".into(),
        },
        reason => match reason.strip_prefix("not used: ") {
            Some(role) => format!("Not used: {}.", crate::text::escape(role)),
            None => crate::text::escape(reason).into_owned(),
        },
    }
}

fn body(view: &View, dropped: &[&Dropped]) -> String {
    let with = |wanted: &dyn Fn(&str) -> bool| dropped.iter().filter(|d| wanted(&d.reason)).count();
    let parts = [
        (
            with(&|r| r == "not selected"),
            "informative, but told by others",
            "informative, but told by others",
        ),
        (
            with(&|r| r == "uninformative"),
            "tells nothing on its own",
            "tell nothing on their own",
        ),
        (
            with(&|r| r == "constant"),
            "has one value only",
            "have one value only",
        ),
        (
            with(&|r| r.starts_with("not used")),
            "not used as a variable",
            "not used as variables",
        ),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(n, ..)| *n > 0)
        .map(|(n, one, many)| format!("<b>{}</b> {}", count(*n), if *n == 1 { one } else { many }))
        .collect();
    let most = dropped.first().map_or(0.0, |d| d.level).max(1e-12);
    let lines: String = dropped
        .iter()
        .take(IN_HTML)
        .map(|d| {
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td class=\"b hs\"><i style=\"width:{:.1}%\"></i><td>{}",
                name(&d.name, 60),
                if d.level > 0.0 { figure(d.level) } else { "0".into() },
                100.0 * (d.level / most).clamp(0.0, 1.0),
                reason(view, d)
            )
        })
        .collect();
    let more = match dropped.len().saturating_sub(IN_HTML) {
        0 => String::new(),
        n => format!(
            "<p class=\"note script\"><button type=button data-all=left-out>Show all {}</button></p><p class=\"note noscript\">{} \
             not listed; <code>fnb inspect --dropped MODEL</code> lists all.</p>",
            count(dropped.len()),
            counted(n, "more is", "more are")
        ),
    };
    format!(
        "<p>{} left out: {}.</p><div class=scroll tabindex=0 role=group aria-label=\"Variables left out\"><table data-sort \
         id=t-left-out><thead><tr><th scope=col>Variable<th scope=col class=n>Level<td class=hs><th scope=col>Reason</thead>\
         <tbody>{lines}</tbody></table></div>{more}",
        counted(dropped.len(), "variable is", "variables are"),
        parts.join(", ")
    )
}
