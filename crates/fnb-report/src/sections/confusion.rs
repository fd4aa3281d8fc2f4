//! Who is taken for whom, where there are several classes.

use crate::text::{chip, count, figure, name, percent, whole_percent};
use crate::view::View;
use crate::words::list;
use fnb::evaluate::{Confusion, Evaluation};

/// Classes of the matrix; of more, the most confused.
const CLASSES: usize = 40;
/// Lines of the table of classes that are open.
const OPEN: usize = 30;
/// Confusions of the sentence.
const NAMED: usize = 4;
/// How much stronger wrong answers are drawn.
const STRONGER: f64 = 4.0;

pub(super) fn section(view: &View, shown: &Evaluation) -> String {
    let Some(confusion) = &shown.confusion else {
        return format!(
            "<p>With {} classes no table of who is taken for whom is kept. Figures of each class are in <code>fnb evaluate \
             --json</code>.</p>",
            count(view.classes())
        );
    };
    let facts = Facts::new(confusion);
    format!(
        "{}{}{}",
        most_frequent(view, &facts),
        classes(view, shown, &facts),
        matrix(view, &facts)
    )
}

/// A confusion matrix with its sums.
struct Facts<'a> {
    confusion: &'a Confusion,
    /// Rows of each class, and answers.
    actual: Vec<u64>,
    answered: Vec<u64>,
}

impl<'a> Facts<'a> {
    fn new(confusion: &'a Confusion) -> Self {
        let n = confusion.classes.len();
        let actual = (0..n).map(|class| confusion.matrix.iter().map(|line| line[class]).sum());
        Self {
            confusion,
            actual: actual.collect(),
            answered: confusion
                .matrix
                .iter()
                .map(|line| line.iter().sum())
                .collect(),
        }
    }

    fn rows(&self, actual: usize, answer: usize) -> u64 {
        self.confusion.matrix[answer][actual]
    }

    fn wrong(&self, class: usize) -> u64 {
        let right = self.rows(class, class);
        self.actual[class] - right + self.answered[class] - right
    }
}

fn most_frequent(view: &View, facts: &Facts) -> String {
    let n = facts.actual.len();
    let mut pairs: Vec<(u64, usize, usize)> = (0..n)
        .flat_map(|actual| (0..n).map(move |answer| (actual, answer)))
        .filter(|(actual, answer)| actual != answer)
        .map(|(actual, answer)| (facts.rows(actual, answer), actual, answer))
        .filter(|pair| pair.0 > 0)
        .collect();
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    if pairs.is_empty() {
        return "<p>Every row gets the right answer.</p>".into();
    }
    let named: Vec<String> = pairs
        .iter()
        .take(NAMED)
        .map(|&(rows, actual, answer)| {
            format!(
                "{} taken for {} ({} of {})",
                chip(view.class(actual)),
                chip(view.class(answer)),
                count(rows),
                count(facts.actual[actual])
            )
        })
        .collect();
    format!("<p>Most frequent confusions: {}.</p>", list(&named))
}

/// The classes, those first of which fewest are found.
fn classes(view: &View, shown: &Evaluation, facts: &Facts) -> String {
    let n = facts.actual.len();
    let found = |class: usize| facts.rows(class, class) as f64 / facts.actual[class].max(1) as f64;
    let mut order: Vec<usize> = (0..n).filter(|&class| facts.actual[class] > 0).collect();
    order.sort_by(|&a, &b| found(a).total_cmp(&found(b)).then(a.cmp(&b)));
    let line = |&class: &usize| {
        let right = facts.rows(class, class);
        let answered = facts.answered[class];
        let mut others: Vec<usize> = (0..n)
            .filter(|&o| o != class && facts.rows(class, o) > 0)
            .collect();
        others.sort_by(|&a, &b| {
            facts
                .rows(class, b)
                .cmp(&facts.rows(class, a))
                .then(a.cmp(&b))
        });
        let taken: Vec<String> = others
            .iter()
            .take(2)
            .map(|&o| {
                format!(
                    "{} {}",
                    name(view.class(o), 24),
                    count(facts.rows(class, o))
                )
            })
            .collect();
        format!(
            "<tr><th class=row scope=row>{}<td class=n>{}<td class=n>{}<td class=b><i class=p \
             style=\"width:{:.1}%\"></i><td class=\"n hs\">{}<td class=\"n hs\">{}<td class=hm>{}",
            name(view.class(class), 40),
            count(facts.actual[class]),
            percent(found(class)),
            100.0 * found(class),
            if answered > 0 {
                percent(right as f64 / answered as f64)
            } else {
                "–".into()
            },
            shown
                .scores
                .get(class)
                .and_then(|s| s.auc)
                .map_or("–".into(), figure),
            taken.join(", ")
        )
    };
    let head = "<thead><tr><th scope=col>Class<th scope=col class=n>Rows<th scope=col class=n>Found<td><th scope=col \
                class=\"n hs\">Right when answered<th scope=col class=\"n hs\">AUC<th scope=col class=hm>Taken for</thead>";
    let first: String = order.iter().take(OPEN).map(line).collect();
    let rest: String = order.iter().skip(OPEN).map(line).collect();
    let rest = if rest.is_empty() {
        String::new()
    } else {
        format!(
            "<details><summary>The other {} classes</summary><table>{head}<tbody>{rest}</tbody></table></details>",
            order.len() - OPEN
        )
    };
    format!(
        "<h3>Which classes are hard?</h3><table data-sort id=t-classes>{head}<tbody>{first}</tbody></table>{rest}"
    )
}

fn matrix(view: &View, facts: &Facts) -> String {
    let n = facts.actual.len();
    let order = view.class_order();
    let is_there = |&c: &usize| facts.actual[c] + facts.answered[c] > 0;
    let mut shown: Vec<usize> = order.iter().copied().filter(is_there).collect();
    let all = shown.len();
    if all > CLASSES {
        shown.sort_by(|&a, &b| facts.wrong(b).cmp(&facts.wrong(a)).then(a.cmp(&b)));
        shown.truncate(CLASSES);
        let known = order.into_iter();
        shown = known.filter(|class| shown.contains(class)).collect();
    }
    let heads: String = shown
        .iter()
        .map(|&class| format!("<th scope=col>{}", name(view.class(class), 12)))
        .collect();
    let mut lines = String::new();
    for &actual in &shown {
        lines.push_str(&format!(
            "<tr><th class=row scope=row>{}",
            name(view.class(actual), 24)
        ));
        for &answer in &shown {
            let rows = facts.rows(actual, answer);
            let share = rows as f64 / facts.actual[actual].max(1) as f64;
            if rows == 0 {
                lines.push_str("<td>");
                continue;
            }
            let (colour, share) = if actual == answer {
                ('u', share)
            } else {
                ('w', (STRONGER * share).min(1.0))
            };
            let step = ((share * 10.0).ceil() as usize).clamp(1, 10);
            lines.push_str(&format!("<td class=\"{colour} k{step}\">{}", count(rows)));
        }
    }
    let note = match all - shown.len() {
        0 => String::new(),
        more => format!(
            " The {CLASSES} most confused classes; {} others are not shown.",
            count(more)
        ),
    };
    format!(
        "<h3>Who is taken for whom?</h3><div class=scroll tabindex=0 role=group aria-label=\"Confusion matrix\"><table \
         class=heat id=confusion><thead><tr><th scope=col>actual ↓ answer →{heads}</thead><tbody>{lines}</tbody></table></div><p \
         class=note>Blue: right. Orange: wrong, drawn four times stronger. Shades are shares of the line; of all rows, {} are \
         right.{note}</p>",
        {
            let right: u64 = (0..n).map(|c| facts.rows(c, c)).sum();
            format!(
                "{}\u{202f}%",
                whole_percent(right as f64 / facts.actual.iter().sum::<u64>().max(1) as f64)
            )
        }
    )
}
