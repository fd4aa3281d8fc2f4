//! Where do constructed variables come from?

use super::Section;
use crate::svg::schema;
use crate::text::{count, counted, escape, name};
use crate::view::{TermView, View};
use crate::words::{capital, link, number_word};
use fnb::model::JoinFacts;
use fnb::terms::Origin;

pub(crate) fn section(view: &View) -> Section {
    let constructed: Vec<(&TermView, String)> = view
        .terms
        .iter()
        .filter(|term| term.term.axes.iter().any(|axis| is_constructed(&axis.from)))
        .filter_map(|term| Some((term, term.term.describe()?)))
        .collect();
    Section {
        id: "tables",
        title: "Tables",
        question: "Where do constructed variables come from?",
        body: body(view, &constructed),
    }
}

fn is_constructed(origin: &Origin) -> bool {
    match origin {
        Origin::Column => false,
        Origin::Tree(tree) => tree.inputs.iter().any(|input| is_constructed(&input.from)),
        Origin::Expression(_) | Origin::Text(_) => true,
    }
}

fn body(view: &View, constructed: &[(&TermView, String)]) -> String {
    let Some(schema) = view.model.schema() else {
        return "<p>Nothing was constructed: one table, without dates or long texts in the model.</p>".into();
    };
    let tables = schema.entities.len();
    let training = view.model.training();
    let mut html = format!(
        "<p>{} variables were looked at{}; {} are informative and {} selected. Strong lines and dots: what the model reads.</p>",
        count(training.columns),
        match (view.model.joins().len(), tables) {
            (_, 1) => String::new(),
            (0, n) => format!(", of {} tables that scoring needs", number_word(n)),
            (all, n) if all > n => format!(
                ", made from {} tables, of which scoring needs {}",
                number_word(all),
                number_word(n)
            ),
            (all, _) => format!(", made from {} tables", number_word(all)),
        },
        count(training.informative),
        count(training.selected)
    );
    html.push_str(&format!(
        "<div class=scroll tabindex=0 role=group aria-label=\"Schema\">{}</div>",
        schema::drawn(schema, view)
    ));
    html.push_str(&joins(view));
    if constructed.is_empty() {
        return html;
    }
    let lines: String = constructed
        .iter()
        .map(|(term, meaning)| {
            format!(
                "<tr><th class=row scope=row>{}<td>{}<td class=\"n soft hs\">{:.1}",
                link(term),
                escape(meaning),
                term.term.cost.construction
            )
        })
        .collect();
    html.push_str(&format!(
        "<h3>{} in words</h3><table data-sort id=t-constructed><thead><tr><th scope=col>Variable<th scope=col>Meaning<th scope=col \
         class=\"n hs\">Costs, nats</thead><tbody>{lines}</tbody></table><p class=note>A constructed variable must save more than \
         it costs to say. One nat is a factor of 2.7 in probability.</p>",
        capital(&counted(constructed.len(), "variable", "variables"))
    ));
    html
}

/// The tables that were read, with what joining found.
fn joins(view: &View) -> String {
    let joins = view.model.joins();
    if joins.is_empty() {
        return String::new();
    }
    let lines: String = joins
        .iter()
        .map(|join| {
            format!(
                "<tr><th class=row scope=row>{}<td class=n>{}<td class=n>{}<td>{}",
                name(&join.table, 40),
                count(join.rows),
                count(join.columns),
                found(join)
            )
        })
        .collect();
    format!(
        "<h3>What joining found</h3><table id=t-joins><thead><tr><th scope=col>Table<th scope=col class=n>Rows<th scope=col \
         class=n>Columns<th scope=col>Found</thead><tbody>{lines}</tbody></table>"
    )
}

fn found(join: &JoinFacts) -> String {
    let mut found = Vec::new();
    let mut say = |rows: u64, what: &str| {
        if rows > 0 {
            found.push(format!("{} {what}", counted(rows as usize, "row", "rows")));
        }
    };
    say(join.orphans, "without an owner, left out");
    say(join.repeated, "whose key an earlier row has, left out");
    say(join.shared, "that share the records of an earlier row");
    say(join.hidden, "not before the time of their row, left out");
    say(
        join.without.unwrap_or(0),
        "of the main table without any record here",
    );
    for (relation, rows) in &join.unmatched {
        say(*rows, &format!("not found by {}", escape(relation)));
    }
    if found.is_empty() {
        "every key matches".into()
    } else {
        found.join("; ")
    }
}
