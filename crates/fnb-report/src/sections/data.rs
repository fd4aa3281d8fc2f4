//! What was read?

use super::Section;
use crate::svg::spark;
use crate::text::{count, counted, escape, figure, name, number, percent};
use crate::view::{TermView, View};
use fnb::columns::{Distribution, Role};
use fnb::model::{TableColumn, ValueFacts};

/// Columns that are in the HTML; the others are drawn when one asks for them.
pub(crate) const IN_HTML: usize = 100;

/// A line of the overview.
pub(crate) struct Line<'a> {
    /// Its name and what is done with it, as HTML.
    name: String,
    usage: String,
    kind: &'static str,
    /// `None` where the model does not keep it: of variables that are in tables only.
    level: Option<f64>,
    facts: Option<&'a ValueFacts>,
}

impl<'a> Line<'a> {
    /// How its values lie, if that is known.
    pub(crate) fn distribution(&self) -> Option<&'a Distribution> {
        self.facts.and_then(|facts| facts.distribution.as_ref())
    }
}

pub(crate) fn section(view: &View) -> Section {
    let lines = lines(view);
    let training = view.model.training();
    let sparse: usize = view.model.sparse().iter().map(|s| s.table.features).sum();
    let mut intro = format!(
        "<p>{} training rows of {}",
        count(training.rows),
        counted(view.model.columns().len(), "column", "columns")
    );
    if !view.model.sparse().is_empty() {
        intro.push_str(&format!(", and {} sparse features", count(sparse)));
    }
    if training.columns > view.model.columns().len() + sparse {
        intro.push_str(&format!(
            "; {} variables were made of them",
            count(training.columns)
        ));
    }
    intro.push_str(".</p>");
    if let Some(weights) = &training.row_weights {
        intro.push_str(&format!(
            "<p>Rows count by their weights: {} rows of the table stand for {}.</p>",
            count(weights.table_rows),
            count(training.rows)
        ));
    }
    let rows: String = lines
        .iter()
        .take(IN_HTML)
        .map(|line| {
            row(
                training.rows,
                line,
                &line.distribution().map_or(String::new(), spark::of),
            )
        })
        .collect();
    let rest = lines.len().saturating_sub(IN_HTML);
    let more = match rest {
        0 => String::new(),
        _ => format!(
            "<p class=\"note script\"><button type=button data-all=data>Show all {} columns</button></p><p class=\"note \
             noscript\">The {IN_HTML} columns that tell most are listed, of {}. <code>fnb describe</code> lists all.</p>",
            count(lines.len()),
            count(lines.len())
        ),
    };
    let body = format!(
        "{intro}<div class=\"tools script\"><input type=search data-filter=data placeholder=\"Filter columns\" \
         aria-label=\"Filter columns\"><span class=soft data-count=data aria-live=polite></span></div><div class=scroll \
         tabindex=0 role=group aria-label=\"Columns\"><table data-sort id=t-data><thead><tr><th scope=col>Column<th \
         scope=col class=hs>Type<td class=hs><th scope=col class=\"n hs\">Missing<th scope=col class=\"n hs\">Distinct<th scope=col \
         class=hm>Range<th scope=col class=n>Level<td class=hs><th scope=col>Use</thead><tbody>{rows}</tbody></table></div>\
         {more}<p class=note><b>Range</b>: from the 1st to the 99th percentile. <b>Level</b>: what a column tells about the target on its own, 0 to 1.</p>"
    );
    Section {
        id: "data",
        title: "Data",
        question: "What was read?",
        body,
    }
}

/// A line as HTML, with a drawing of its values.
pub(crate) fn row(rows: u64, line: &Line, drawing: &str) -> String {
    let facts = line.facts;
    let missing = facts.and_then(|facts| facts.missing);
    let missing = missing.map_or("–".into(), |missing| {
        percent(missing as f64 / rows.max(1) as f64)
    });
    let distinct = facts
        .and_then(|facts| facts.distinct)
        .map_or("–".into(), count);
    let range = line.distribution().map_or(String::new(), range);
    format!(
        "<tr><th class=row scope=row>{}<td class=hs>{}<td class=hs>{drawing}<td class=\"n hs\">{missing}<td class=\"n hs\">{distinct}<td \
         class=\"hm soft\">{range}<td class=n>{}<td class=\"b hs\">{}<td>{}",
        line.name,
        line.kind,
        match line.level {
            None => "–".into(),
            Some(level) if level > 0.0 => figure(level),
            Some(_) => "0".into(),
        },
        line.level.map_or(String::new(), |level| format!(
            "<i style=\"width:{:.1}%\"></i>",
            100.0 * level.clamp(0.0, 1.0)
        )),
        line.usage
    )
}

/// Where most values are: the 1 % and the 99 % point, or the most frequent category.
fn range(distribution: &Distribution) -> String {
    match distribution {
        Distribution::Numbers {
            points: [low, _, high],
            ..
        } => {
            format!("{} to {}", number(*low), number(*high))
        }
        Distribution::Moments {
            points: [low, _, high],
            ..
        } => {
            format!("{} to {}", escape(low), escape(high))
        }
        Distribution::Categories { top } => match top.first() {
            Some((value, _)) => format!("mostly {}", name(value, 24)),
            None => "all different".into(),
        },
    }
}

/// All lines: columns in their order; above [`IN_HTML`] those first that tell most.
pub(crate) fn lines<'a>(view: &View<'a>) -> Vec<Line<'a>> {
    let mut lines: Vec<Line> = view
        .model
        .columns()
        .iter()
        .map(|column| line(view, column))
        .collect();
    if lines.len() > IN_HTML {
        let level = |line: &Line| line.level.unwrap_or(1.0);
        lines.sort_by(|a, b| level(b).total_cmp(&level(a)));
    }
    lines
}

fn line<'a>(view: &View<'a>, column: &TableColumn) -> Line<'a> {
    let selected = view.terms.iter().find(|term| term.term.name == column.name);
    let dropped = view.model.dropped().iter().find(|d| d.name == column.name);
    let has_it = |term: &&TermView| term.term.axes.iter().any(|axis| axis.name == column.name);
    let in_table = view.terms.iter().find(has_it);
    let (level, usage) = match (selected, dropped, in_table) {
        (Some(term), ..) => (
            Some(term.term.level),
            format!("<a href=\"#{}\">selected</a>", term.id),
        ),
        (None, Some(dropped), _) => (Some(dropped.level), not_used(&dropped.reason)),
        (None, None, Some(term)) => (None, format!("<a href=\"#{}\">in a table</a>", term.id)),
        (None, None, None) if column.role != Role::Input => {
            (Some(0.0), escape(column.role.as_str()).into_owned())
        }
        (None, None, None) => (Some(0.0), "in constructed variables".into()),
    };
    Line {
        name: name(&column.name, 48),
        kind: column.ty.map_or("not read", |ty| ty.as_str()),
        level,
        usage,
        facts: view.values.get(column.name.as_str()).copied(),
    }
}

/// Why a column is no variable of the model, in two words; section Left out says more.
fn not_used(reason: &str) -> String {
    match reason {
        "uninformative" => "tells nothing".into(),
        "constant" => "one value only".into(),
        "not selected" => "not needed".into(),
        other => escape(other).into_owned(),
    }
}
