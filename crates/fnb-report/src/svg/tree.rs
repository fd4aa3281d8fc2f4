//! A tree, its first question on the left, its leaves on the right.

use super::chart::drawing;
use crate::labels;
use crate::text::{coordinate, escape};
use fnb::terms::{Parts, Tree};

const COLUMN: f64 = 190.0;
const LINE: f64 = 38.0;

/// Splits as questions, branches with their answers, leaves by name.
pub(crate) fn drawn(tree: &Tree) -> String {
    let mut drawing_of = Drawing {
        tree,
        body: String::new(),
        leaves: 0,
        deepest: 0,
    };
    drawing_of.node(0, 0);
    let width = COLUMN * (drawing_of.deepest as f64 + 1.0) + 60.0;
    let height = LINE * drawing_of.leaves as f64 + 12.0;
    let svg = drawing(
        width,
        height,
        &format!("{}, drawn", escape(&tree.describe())),
        &drawing_of.body,
    );
    svg.replacen(
        "<svg ",
        &format!("<svg style=\"min-width:{}px\" ", coordinate(width)),
        1,
    )
}

struct Drawing<'a> {
    tree: &'a Tree,
    body: String,
    leaves: usize,
    deepest: usize,
}

impl Drawing<'_> {
    /// Draws what follows a node and returns the height it stands at.
    fn node(&mut self, number: u32, depth: usize) -> f64 {
        self.deepest = self.deepest.max(depth);
        let x = 6.0 + COLUMN * depth as f64;
        let Some(split) = self.tree.splits.iter().find(|split| split.node == number) else {
            let y = 6.0 + LINE * (self.leaves as f64 + 0.5);
            self.leaves += 1;
            self.body.push_str(&format!(
                "<circle class=pos r=3.5 cx={} cy={} /><text class=h x={} y={}>L{number}</text>",
                coordinate(x),
                coordinate(y),
                coordinate(x + 9.0),
                coordinate(y + 4.0)
            ));
            return y;
        };
        let ends = split.to.map(|to| self.node(to, depth + 1));
        let y = f64::midpoint(ends[0], ends[1]);
        for (part, end) in ends.into_iter().enumerate() {
            let bend = x + COLUMN - 70.0;
            self.body.push_str(&format!(
                "<path class=\"wire on\" d=\"M{} {}C{} {} {} {} {} {}\"/><text x={} y={} text-anchor=end>{}</text>",
                coordinate(x + 6.0),
                coordinate(y),
                coordinate(bend),
                coordinate(y),
                coordinate(x + 60.0),
                coordinate(end),
                coordinate(x + COLUMN - 6.0),
                coordinate(end),
                coordinate(x + COLUMN - 10.0),
                coordinate(if part == 0 { end - 6.0 } else { end + 14.0 }),
                short(&labels::plain(&split.parts, part, false), 20, is_default(&split.parts, part))
            ));
        }
        self.body.push_str(&format!(
            "<circle class=mark r=3.5 cx={} cy={} /><text class=h x={} y={}>{}</text>",
            coordinate(x),
            coordinate(y),
            coordinate(x),
            coordinate(y - 9.0),
            short(&self.tree.inputs[split.input].name, 18, false)
        ));
        y
    }
}

/// Groups of everything else are told as such.
fn is_default(parts: &Parts, part: usize) -> bool {
    matches!(parts, Parts::Groups { default, groups } if *default == part && groups[part].len() > 2)
}

fn short(text: &str, most: usize, is_default: bool) -> String {
    if is_default {
        return format!("any other<title>{}</title>", escape(text));
    }
    if text.chars().count() <= most {
        return escape(text).into_owned();
    }
    let head: String = text.chars().take(most - 1).collect();
    format!("{}…<title>{}</title>", escape(&head), escape(text))
}
