//! What is this, and can I use it?

use super::Section;
use crate::text::{chip, count, counted, escape, figure, name, percent};
use crate::view::{Rows, View};
use crate::words::{capital, link, list, number_word};
use crate::{notes, view};
use fnb::evaluate::{CrossValidation, Intervals, Scores};

/// Classes that are listed: the largest, and the smallest.
const LISTED: usize = 7;

pub(crate) fn section(view: &View) -> Section {
    let body = format!(
        "<p class=note>{}</p><h1>{}</h1>{}{}{}{}<div class=two><div>{}</div><div>{}</div></div>",
        escape(view.title),
        title(view),
        what_it_does(view),
        how_good(view),
        notes::boxes(view),
        figures(view),
        funnel(view),
        classes(view)
    );
    Section {
        id: "summary",
        title: "Summary",
        question: "What is this, and can I use it?",
        body,
    }
}

fn title(view: &View) -> String {
    let target = name(&view.model.target().name, 60);
    let question = match view.contrast {
        Some(contrast) => format!("Is {target} {}?", name(view.class(contrast.class), 40)),
        None if view.classes() == 1 => format!("What is {target}?"),
        None => format!("Which {target}?"),
    };
    let used = view.used();
    let variables = counted(used, "variable", "variables");
    let answer = if used == 0 {
        "No variable answers.".to_owned()
    } else if view.is_useless() {
        format!("{variables}, no reliable answer.")
    } else if used == 1 {
        "One variable answers.".to_owned()
    } else {
        format!("{variables} answer.")
    };
    format!("{question} <span>{answer}</span>")
}

fn what_it_does(view: &View) -> String {
    let (model, training) = (view.model, view.model.training());
    let target = format!("<b>{}</b>", name(&model.target().name, 60));
    let says = match (view.contrast, view.classes()) {
        (Some(c), _) => format!(
            "This model says whether {target} is {} or {}.",
            chip(view.class(c.class)),
            chip(view.class(c.against))
        ),
        (None, 1) => format!(
            "All training rows have one value of {target}, {}: there is nothing to tell apart.",
            chip(view.class(0))
        ),
        (None, n) => format!("This model says which of {} classes {target} is.", count(n)),
    };
    if view.terms.is_empty() {
        return format!(
            "<p class=lead>{says} No variable tells anything about it; the model answers with class shares.</p>"
        );
    }
    let uses = format!(
        "It uses {} of {}.",
        count(view.used()),
        counted(training.columns, "variable", "variables")
    );
    let refines = view.tables().filter(|term| term.term.only_corrects());
    let with = match refines.count() {
        0 => String::new(),
        1 => " One table over several of them together refines the answer.".into(),
        n => format!(
            " {} tables over several of them together refine the answer.",
            capital(&number_word(n))
        ),
    };
    let leading: Vec<&view::TermView> = view.variables().take(3).collect();
    let carried: f64 = leading.iter().map(|term| term.term.importance).sum();
    let names: Vec<String> = leading.iter().map(|term| link(term)).collect();
    let most = match view.variables().count() {
        ..=3 => String::new(),
        _ => format!(
            " Three variables, {}, carry {} of its decisions.",
            list(&names),
            percent(carried)
        ),
    };
    format!("<p class=lead>{says} {uses}{with}{most}</p>")
}

fn how_good(view: &View) -> String {
    let Some(shown) = view.quality.shown else {
        return "<p class=lead>How good it is was not measured.</p>".into();
    };
    if view.classes() < 2 {
        return String::new();
    }
    let majority = view.majority();
    let of_majority = shown.confusion.as_ref().map(|confusion| {
        let rows: u64 = confusion.matrix.iter().map(|line| line[majority]).sum();
        rows as f64 / shown.rows as f64
    });
    let of_majority = of_majority.unwrap_or_else(|| view.share(majority));
    let on = match view.quality.rows {
        Rows::Test => format!("On {} rows it had not seen", count(shown.rows)),
        Rows::Given => format!("On the {} rows given", count(shown.rows)),
        Rows::Training => format!("On its own {} training rows", count(shown.rows)),
    };
    let crossed = crossed(view);
    let (on, accuracy, auc) = match crossed {
        Some(cv) => (
            format!("In cross-validation over {} folds", cv.folds.len()),
            cv.mean.accuracy,
            cv.mean.auc,
        ),
        None => (on, shown.accuracy, shown.auc),
    };
    let mut text = format!(
        "{on}, it is right for <b>{}</b>; always answering {} would be right for {}.",
        percent(accuracy),
        chip(view.class(majority)),
        percent(of_majority)
    );
    if let Some(auc) = auc.filter(|_| !view.terms.is_empty()) {
        let times = in_100(auc);
        match view.contrast {
            Some(c) => text.push_str(&format!(
                " Shown one {} and one {}, it gives the higher probability to the right one <b>{times} times in \
                 100</b>.",
                chip(view.class(c.class)),
                chip(view.class(c.against))
            )),
            None => text.push_str(&format!(
                " Shown a row of a class and one of another, it gives the higher probability of that class to the \
                 right one <b>{times} times in 100</b>."
            )),
        }
    }
    text.push_str(if shown.calibration_error <= 0.02 {
        " Its probabilities can be taken at face value."
    } else if shown.calibration_error <= 0.05 {
        " Its probabilities are roughly right."
    } else {
        " Its probabilities are not to be taken at face value: see Performance."
    });
    format!("<p class=lead>{text}</p>")
}

/// "92" of a hundred; never 0 or 100 unless exact.
fn in_100(share: f64) -> String {
    let times = (100.0 * share).round();
    if times >= 100.0 && share < 1.0 {
        "more than 99".into()
    } else if times <= 0.0 && share > 0.0 {
        "less than 1".into()
    } else {
        format!("{times:.0}")
    }
}

/// The cross-validation, where it says more than the rows that are shown: these are those of the training.
fn crossed<'a>(view: &View<'a>) -> Option<&'a CrossValidation> {
    let cv = view.model.evaluation().cv.as_ref();
    cv.filter(|_| view.quality.rows == Rows::Training)
}

/// The interval of a figure.
type Bounds = fn(&Intervals) -> Option<[f64; 2]>;

/// A figure of an evaluation.
type Of = fn(&Scores) -> Option<f64>;

/// The four figures, those of rows that were not seen large.
fn figures(view: &View) -> String {
    let Some(shown) = view.quality.shown else {
        return String::new();
    };
    let crossed = crossed(view);
    let unseen = view.quality.rows != Rows::Training || crossed.is_some();
    let train = view.quality.train.filter(|_| unseen);
    let one = |title: &str, words: &str, of: Of, shown_as: fn(f64) -> String, bounds: Bounds| {
        let in_print = |scores: &Scores| of(scores).map_or("–".into(), shown_as);
        let (large, interval) = if let Some(cv) = crossed {
            let spread = format!("± {} between folds", in_print(&cv.sd));
            (in_print(&cv.mean), Some(spread))
        } else {
            let bounds = shown.intervals.as_ref().filter(|_| unseen).and_then(bounds);
            let interval =
                bounds.map(|[low, high]| format!("{} to {}", shown_as(low), shown_as(high)));
            (in_print(&Scores::from(shown)), interval)
        };
        let interval = interval.map_or(String::new(), |text| format!("<dd class=int>{text}</dd>"));
        let training = train.map_or(String::new(), |train| {
            format!("<br>training rows {}", in_print(&Scores::from(train)))
        });
        format!(
            "<div><dt>{title}</dt><dd class=big>{large}</dd>{interval}<dd>{words}{training}</dd></div>"
        )
    };
    let all = [
        one(
            "AUC",
            "ranks pairs the right way",
            |s| s.auc,
            figure,
            |i| i.auc,
        ),
        one(
            "Accuracy",
            "right answers",
            |s| Some(s.accuracy),
            percent,
            |i| Some(i.accuracy),
        ),
        one(
            "Compression",
            "of the description of the classes saved",
            |s| Some(s.compression),
            figure,
            |i| Some(i.compression),
        ),
        one(
            "Log loss",
            "price of the probabilities; lower is better",
            |s| Some(s.log_loss),
            figure,
            |i| Some(i.log_loss),
        ),
    ];
    let rows = count(shown.rows);
    let below = match view.quality.rows {
        Rows::Training if crossed.is_some() => format!(
            "Large: means over the folds of the cross-validation. Small: all {rows} training rows."
        ),
        Rows::Training => format!(
            "{rows} training rows. <b>Not measured on unseen rows</b>: expect less on new ones."
        ),
        rows_of => format!(
            "Large: {rows} {}, with 95\u{202f}% intervals.{}",
            rows_of.word(),
            train.map_or(String::new(), |t| format!(
                " Small: {} training rows.",
                count(t.rows)
            ))
        ),
    };
    let grey = if unseen { "" } else { " grey" };
    format!(
        "<dl class=\"figures{grey}\">{}</dl><p class=note>{below}</p>",
        all.concat()
    )
}

/// From variables that were read to those of the model, in true proportions.
fn funnel(view: &View) -> String {
    let training = view.model.training();
    let (all, selected, in_tables) = (training.columns, training.selected, view.only_in_tables());
    // Features of sparse tables are not listed one by one.
    let not_needed = if view.model.sparse().is_empty() {
        let dropped = view.model.dropped().iter();
        dropped.filter(|d| d.reason == "not selected").count()
    } else {
        training.informative.saturating_sub(selected)
    };
    let silent = all.saturating_sub(selected + in_tables + not_needed);
    let steps = [
        ("a", selected, "selected"),
        ("b", in_tables, "only in tables with others"),
        ("c", not_needed, "informative, not needed"),
        (
            "d",
            silent,
            if silent == 1 {
                "tells nothing"
            } else {
                "tell nothing"
            },
        ),
    ];
    let there = || steps.iter().filter(|(_, n, _)| *n > 0);
    let bars: String = there()
        .map(|(class, n, _)| format!("<i class={class} style=\"flex:{n}\"></i>"))
        .collect();
    let key: String = there()
        .map(|(class, n, words)| {
            format!("<li><i class={class}></i><b>{}</b> {words}</li>", count(*n))
        })
        .collect();
    format!(
        "<h2 class=sub>From {} to {}</h2><div class=funnel aria-hidden=true>{bars}</div><ul class=key>{key}</ul>",
        counted(all, "variable", "variables"),
        count(view.used())
    )
}

fn classes(view: &View) -> String {
    let target = view.model.target();
    let n = view.classes();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| target.counts[b].cmp(&target.counts[a]).then(a.cmp(&b)));
    let most = view.share(order[0]);
    let line = |&class: &usize| {
        let share = view.share(class);
        let main = view.contrast.is_some_and(|c| c.class == class);
        format!(
            "<tr><th class=row scope=row>{}<td class=n>{}<td class=n>{}<td class=b><i{} style=\"width:{:.1}%\"></i>",
            chip(view.class(class)),
            count(target.counts[class]),
            percent(share),
            if main { " class=p" } else { "" },
            100.0 * share / most
        )
    };
    let lines: String = if n <= LISTED {
        order.iter().map(line).collect()
    } else {
        let first: String = order[..LISTED - 1].iter().map(line).collect();
        let hidden = n - LISTED;
        let between = match hidden {
            0 => String::new(),
            n => format!(
                "<tr><td colspan=4 class=soft>{} between",
                counted(n, "class", "classes")
            ),
        };
        format!("{first}{between}{}", line(&order[n - 1]))
    };
    format!(
        "<h2 class=sub>Classes</h2><table><thead><tr><th scope=col>{}<th scope=col class=n>Training rows<th scope=col \
         class=n>Share<td></thead><tbody>{lines}</tbody></table>",
        name(&target.name, 40)
    )
}
