//! Tables as boxes, from the main one on the left to what it leads to.

use super::chart::drawing;
use crate::text::{clipped, coordinate, escape};
use crate::view::View;
use fnb::relational::{Cardinality, FieldKind, Schema};
use std::collections::BTreeSet;

const BOX: f64 = 172.0;
const GAP: f64 = 82.0;
const LINE: f64 = 18.0;
const HEAD: f64 = 30.0;
/// Columns of a box.
const COLUMNS: usize = 14;

/// A table where it is drawn.
struct Placed<'a> {
    entity: &'a str,
    depth: usize,
    top: f64,
    height: f64,
    /// The box it comes from, and how.
    from: Option<(usize, String)>,
}

/// A table that is to be drawn: its name, its depth, the box it comes from and how.
type Open<'a> = (&'a str, usize, Option<(usize, String)>);

/// The schema as far as the model needs it.
pub(crate) fn drawn(schema: &Schema, view: &View) -> String {
    let mut placed: Vec<Placed> = Vec::new();
    let mut depths: Vec<f64> = Vec::new();
    let mut known = BTreeSet::new();
    let mut open: Vec<Open> = vec![(&schema.root, 0, None)];
    while let Some((entity, depth, from)) = open.pop() {
        if depths.len() <= depth {
            depths.resize(depth + 1, 4.0);
        }
        let lines = columns(schema, view, entity).len().min(COLUMNS + 1);
        let height = HEAD + LINE * lines as f64 + 10.0;
        let parent = from.as_ref().map_or(4.0, |(parent, _)| placed[*parent].top);
        let top = depths[depth].max(parent);
        depths[depth] = top + height + 26.0;
        let position = placed.len();
        placed.push(Placed {
            entity,
            depth,
            top,
            height,
            from,
        });
        if !known.insert(entity) {
            continue;
        }
        let mut next = Vec::new();
        for (field, related, by) in schema.entity(entity).relations() {
            let many = matches!(
                field.kind,
                FieldKind::Relation {
                    relation: Cardinality::Many,
                    ..
                }
            );
            let words = match (by, many) {
                (Some(_), _) => "look-up",
                (None, true) => "many",
                (None, false) => "0 or 1",
            };
            let words = if field.name == related {
                words.to_owned()
            } else {
                format!("{words}: {}", field.name)
            };
            if !known.contains(related) {
                next.push((related, depth + 1, Some((position, words))));
            }
        }
        open.extend(next.into_iter().rev());
    }
    let read = read_columns(view);
    let body: String = placed
        .iter()
        .map(|one| wire(&placed, one) + &table(one, &columns(schema, view, one.entity), &read))
        .collect();
    let width = placed.iter().map(|p| x_of(p) + BOX).fold(0.0, f64::max) + 6.0;
    let height = placed.iter().map(|p| p.top + p.height).fold(0.0, f64::max) + 6.0;
    let names: Vec<String> = placed
        .iter()
        .map(|p| escape(p.entity).into_owned())
        .collect();
    let svg = drawing(
        width,
        height,
        &format!("Tables: {}", names.join(", ")),
        &body,
    );
    svg.replacen(
        "<svg ",
        &format!("<svg style=\"min-width:{}px\" ", coordinate(width)),
        1,
    )
}

fn x_of(placed: &Placed) -> f64 {
    4.0 + placed.depth as f64 * (BOX + GAP)
}

/// The columns of a table, with whether they are part of its key; of the main one those too that are variables.
fn columns<'a>(schema: &'a Schema, view: &View<'a>, entity: &str) -> Vec<(&'a str, bool)> {
    let is_main = entity == schema.root;
    let entity = schema.entity(entity);
    let column = |field: &&fnb::relational::Field| matches!(field.kind, FieldKind::Column { .. });
    let fields = entity.fields.iter().filter(column);
    let fields = fields.map(|field| (field.name.as_str(), entity.key.contains(&field.name)));
    let mut columns: Vec<(&str, bool)> = fields.collect();
    if is_main {
        let inputs = view.model.inputs().into_iter();
        for axis in inputs.filter(|axis| axis.from.is_column()) {
            if !columns.iter().any(|column| column.0 == axis.name) {
                columns.push((&axis.name, false));
            }
        }
    }
    columns
}

/// Names of columns that the selected variables speak of.
fn read_columns(view: &View) -> BTreeSet<String> {
    let mut read = BTreeSet::new();
    for axis in view.terms.iter().flat_map(|term| &term.term.axes) {
        if axis.from.is_column() {
            read.insert(axis.name.clone());
        } else if let Ok(value) = serde_json::to_value(&axis.from) {
            texts(&value, &mut read);
        }
    }
    read
}

fn texts(value: &serde_json::Value, into: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::String(text) => {
            into.insert(text.clone());
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        serde_json::Value::Object(fields) => fields.values().for_each(|field| texts(field, into)),
        _ => {}
    }
}

fn table(placed: &Placed, columns: &[(&str, bool)], read: &BTreeSet<String>) -> String {
    let (x, y) = (x_of(placed), placed.top);
    let mut svg = format!(
        "<rect class=\"box on\" x={} y={} width={BOX} height={} rx=4 /><text class=h x={} y={}>{}</text><path class=grid d=\"M{} \
         {}h{BOX}\"/>",
        coordinate(x),
        coordinate(y),
        coordinate(placed.height),
        coordinate(x + 10.0),
        coordinate(y + 20.0),
        clipped(placed.entity, 20),
        coordinate(x),
        coordinate(y + HEAD)
    );
    for (i, (column, is_key)) in columns.iter().take(COLUMNS).enumerate() {
        let line = y + HEAD + LINE * (i as f64 + 1.0);
        let is_read = read.contains(*column) && !is_key;
        svg.push_str(&format!(
            "<text{} x={} y={}>{}{}</text>",
            if is_read { " class=h" } else { "" },
            coordinate(x + 10.0),
            coordinate(line),
            short(column),
            if *is_key { " key" } else { "" }
        ));
        if is_read {
            svg.push_str(&format!(
                "<circle class=pos r=3.2 cx={} cy={} />",
                coordinate(x + BOX - 11.0),
                coordinate(line - 4.0)
            ));
        }
    }
    if columns.len() > COLUMNS {
        svg.push_str(&format!(
            "<text x={} y={}>and {} more</text>",
            coordinate(x + 10.0),
            coordinate(y + HEAD + LINE * (COLUMNS as f64 + 1.0)),
            columns.len() - COLUMNS
        ));
    }
    svg
}

/// A name that fits into a box; names are whole in the tables of the page.
fn short(text: &str) -> String {
    let length = text.chars().count();
    if length <= 18 {
        return escape(text).into_owned();
    }
    let head: String = text.chars().take(17).collect();
    format!("{}…<title>{}</title>", escape(&head), escape(text))
}

fn wire(placed: &[Placed], to: &Placed) -> String {
    let Some((from, words)) = &to.from else {
        return String::new();
    };
    let from = &placed[*from];
    let (x1, x2) = (x_of(from) + BOX, x_of(to));
    let (y1, y2) = (from.top + 19.0, to.top + 19.0);
    let bend = x1 + 22.0;
    let mut svg = format!(
        "<path class=\"wire on\" d=\"M{} {}H{}V{}H{}\"/>",
        coordinate(x1),
        coordinate(y1),
        coordinate(bend),
        coordinate(y2),
        coordinate(x2)
    );
    if words.starts_with("many") {
        svg.push_str(&format!(
            "<path class=\"wire on\" d=\"M{0} {1}L{2} {3}M{0} {1}L{2} {4}\"/>",
            coordinate(x2 - 9.0),
            coordinate(y2),
            coordinate(x2),
            coordinate(y2 - 5.0),
            coordinate(y2 + 5.0)
        ));
    }
    let (kind, field) = words.split_once(": ").unwrap_or((words, ""));
    svg.push_str(&format!(
        "<text x={} y={} text-anchor=middle>{}</text>",
        coordinate(f64::midpoint(bend, x2) + 2.0),
        coordinate(y2 - 7.0),
        escape(kind)
    ));
    if !field.is_empty() {
        svg.push_str(&format!(
            "<text x={} y={} text-anchor=middle>{}</text>",
            coordinate(f64::midpoint(bend, x2) + 2.0),
            coordinate(y2 + 15.0),
            if field.chars().count() > 10 {
                short(&field.chars().take(9).collect::<String>()) + "…"
            } else {
                short(field)
            }
        ));
    }
    svg
}
