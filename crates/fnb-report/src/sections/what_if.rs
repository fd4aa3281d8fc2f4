//! Why this answer, and what would change it? The form is drawn by the script; without it, how to do it by hand.

use super::Section;
use crate::text::{chip, percent};
use crate::view::View;

pub(crate) fn section(view: &View) -> Section {
    Section {
        id: "what-if",
        title: "What if",
        question: "Why this answer, and what would change it?",
        body: if view.terms.is_empty() {
            without_variables(view)
        } else {
            form(view)
        },
    }
}

fn without_variables(view: &View) -> String {
    let mut order: Vec<usize> = (0..view.classes()).collect();
    order.sort_by(|&a, &b| view.share(b).total_cmp(&view.share(a)).then(a.cmp(&b)));
    let shares: Vec<String> = order
        .iter()
        .take(5)
        .map(|&class| format!("{} {}", chip(view.class(class)), percent(view.share(class))))
        .collect();
    format!(
        "<p>No variable changes the answer. Every row gets the class shares: {}.</p>",
        shares.join(", ")
    )
}

fn form(view: &View) -> String {
    let by_hand = match view.contrast {
        Some(contrast) => format!(
            "<p class=noscript>The form needs script. By hand: start from the log odds by class shares, add the number that \
             each variable's table gives for the part that holds the value, and turn the sum <i>s</i> into the probability of {}, \
             1 / (1 + e<sup>−s</sup>). <code>fnb explain</code> does the same.</p>",
            chip(view.class(contrast.class))
        ),
        None => "<p class=noscript>The form needs script. <code>fnb explain</code> does the same for the rows of a \
                 file.</p>"
            .to_owned(),
    };
    format!(
        "<p>Choose values and see the probability and its terms, computed in this page from the tables above. A variable without \
         a value adds nothing: the answer is what is known without it. The thin line is the range that a variable can \
         cover.</p>{by_hand}<div class=script id=what-if-form></div><p class=note id=self-test></p>"
    )
}
