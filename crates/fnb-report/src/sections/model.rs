//! Which variables decide, and how much? Would fewer do?

use super::Section;
use crate::svg::{curve, shape};
use crate::text::{chip, count, counted, figure, name, percent, signed, weight};
use crate::view::View;
use crate::words::link;
use fnb::model::SizePoint;
use fnb::predict::Contrast;

/// Share of what the whole model saves that a smaller one must save to be named.
const NEARLY_ALL: f64 = 0.97;
/// Lines of the table of smaller models.
const STEPS: usize = 10;

pub(crate) fn section(view: &View) -> Section {
    let body = if view.terms.is_empty() {
        "<p>No variable tells anything about the target that is worth its cost. Every row gets the class shares of \
         the training rows.</p>"
            .to_owned()
    } else {
        format!("{}{}{}", intro(view), table(view), fewer(view))
    };
    Section {
        id: "model",
        title: "Model",
        question: "Which variables decide, and how much?",
        body,
    }
}

fn intro(view: &View) -> String {
    let each = if view.tables().next().is_some() {
        "line below, a variable or several together"
    } else {
        "variable"
    };
    match view.contrast {
        Some(contrast) => {
            let Contrast { class, .. } = contrast;
            format!(
                "<p>A prediction starts at <b>{}</b>, the log odds of {} by class shares ({}), adds one number per \
                 {each}, read in its table, and turns the sum into a probability. There is nothing else in the \
                 model.</p>",
                signed(view.scorer.start(contrast)),
                chip(view.class(class)),
                percent(view.share(class))
            )
        }
        None => format!(
            "<p>A prediction starts with the class shares. Each {each} adds one number to the score of each class, read in \
             its table, and the scores are turned into probabilities. There is nothing else in the model.</p>"
        ),
    }
}

fn table(view: &View) -> String {
    let most = |of: &dyn Fn(usize) -> f64| (0..view.terms.len()).map(of).fold(1e-12, f64::max);
    let importance = most(&|i| view.terms[i].term.importance);
    let level = most(&|i| view.terms[i].term.level);
    let with_shape = view.contrast.is_some();
    let lines: String = view
        .terms
        .iter()
        .map(|view_of| {
            let term = view_of.term;
            let weights = if term.only_corrects() {
                "<td class=\"n soft\">table<td class=\"b hs\">".to_owned()
            } else {
                format!(
                    "<td class=n>{}<td class=\"b hs\"><i style=\"width:{:.1}%\"></i>",
                    weight(term.weight),
                    100.0 * term.weight
                )
            };
            let shape = if with_shape {
                format!("<td class=hm>{}", shape::of_term(view, view_of))
            } else {
                String::new()
            };
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td class=b><i class=p style=\"width:{:.1}%\"></i>{weights}\
                 <td class=\"n hs\">{}<td class=\"b hs\"><i style=\"width:{:.1}%\"></i>{shape}",
                link(view_of),
                percent(term.importance),
                100.0 * term.importance / importance,
                if term.level > 0.0 { figure(term.level) } else { "–".into() },
                100.0 * (term.level / level).max(0.0),
            )
        })
        .collect();
    let shape = if with_shape {
        "<th scope=col class=hm>Shape"
    } else {
        ""
    };
    format!(
        "<div class=scroll tabindex=0 role=group aria-label=\"Variables of the model\"><table data-sort \
         id=t-model><thead><tr><th scope=col>Variable<th scope=col class=n>Importance<td><th scope=col class=n>Weight<td class=hs>\
         <th scope=col class=\"n hs\">Level<td class=hs>{shape}</thead><tbody>{lines}</tbody></table></div><p \
         class=note><b>Importance</b>: share of the mean absolute contribution. <b>Weight</b>: how much of its table the \
         model takes, 0 to 1; low when others tell the same. <b>Level</b>: what it tells on its own.</p>"
    )
}

/// The size path: quality against the number of variables.
fn fewer(view: &View) -> String {
    let training = view.model.training();
    let null = null_cost(&view.model.target().counts);
    let path = &training.size_path;
    if path.len() < 2 || null <= 0.0 {
        return String::new();
    }
    let saved = |point: &SizePoint| 1.0 - point.criterion.total / null;
    let points: Vec<(f64, f64)> = path
        .iter()
        .map(|point| (point.selected as f64, saved(point)))
        .collect();
    let whole = points[points.len() - 1].1;
    let enough = path.iter().find(|point| saved(point) >= NEARLY_ALL * whole);
    let sentence = match enough {
        Some(point) if point.selected < training.selected && whole > 0.0 => format!(
            "<p>{} of {} variables save {} of what all of them save: <code>--max-selected {}</code> learns that model.</p>",
            count(point.selected),
            count(training.selected),
            percent(saved(point) / whole),
            point.selected
        ),
        _ => format!(
            "<p>No smaller number of variables saves {:.0}\u{202f}% of what all of them save.</p>",
            100.0 * NEARLY_ALL
        ),
    };
    let refined = training.interactions.is_some();
    let (sentence, last) = if refined {
        let more = "<p class=note>Counted before curves and tables over several variables come on top.</p>";
        (sentence + more, "all, one by one")
    } else {
        (sentence, "this model")
    };
    let picked = thinned(path.len());
    let mut before: Option<&SizePoint> = None;
    let mut lines = String::new();
    for &i in &picked {
        let point = &path[i];
        lines.push_str(&format!(
            "<tr><td class=n>{}<td class=n>{}<td class=b><i style=\"width:{:.1}%\"></i><td>{}",
            count(point.selected),
            figure(saved(point)),
            100.0 * (saved(point) / whole.max(1e-12)).clamp(0.0, 1.0),
            change(before, point)
        ));
        before = Some(point);
    }
    format!(
        "<h3 id=fewer>Would fewer variables do?</h3>{sentence}<div class=var><figure>{}</figure><table><thead><tr><th \
         scope=col class=n>Variables<th scope=col class=n>Saved<td><th scope=col>Against the line \
         above</thead><tbody>{lines}</tbody></table></div>",
        curve::size_path(&points, last)
    )
}

/// About as many positions as are shown, the first and the last among them.
fn thinned(all: usize) -> Vec<usize> {
    if all <= STEPS + 2 {
        return (0..all).collect();
    }
    let mut picked: Vec<usize> = (0..STEPS).map(|i| i * (all - 1) / (STEPS - 1)).collect();
    picked.dedup();
    picked
}

/// The variables that come and go.
fn change(before: Option<&SizePoint>, point: &SizePoint) -> String {
    let is_in = |other: Option<&SizePoint>, variable: &String| {
        other.is_some_and(|other| other.weights.contains_key(variable))
    };
    let come: Vec<&String> = point
        .weights
        .keys()
        .filter(|variable| !is_in(before, variable))
        .collect();
    let go: Vec<&String> = before
        .into_iter()
        .flat_map(|before| before.weights.keys())
        .filter(|variable| !point.weights.contains_key(*variable))
        .collect();
    let words = |sign: &str, names: &[&String]| match names.len() {
        0 => Vec::new(),
        1..=3 => names
            .iter()
            .map(|variable| format!("{sign}&nbsp;{}", name(variable, 40)))
            .collect(),
        n => vec![format!(
            "{sign}&nbsp;{}",
            counted(n, "variable", "variables")
        )],
    };
    [words("+", &come), words("−", &go)].concat().join(", ")
}

/// What the class of every row costs by class shares (docs/method.md §6).
fn null_cost(counts: &[u64]) -> f64 {
    let rows = counts.iter().sum::<u64>() as f64;
    let cost = |&count: &u64| count as f64 * (rows / count as f64).ln();
    counts.iter().filter(|count| **count > 0).map(cost).sum()
}
