//! Places for the fields of a record.

use super::field::Dialect;
use super::parse::{Action, Layout};
use crate::number::{Number, parse_number};
use crate::plan::Plan;

/// Gives every column of the plan, whose action is given without its slot, a place in the parsed
/// pieces: numbers, categories and dates are each counted in the order of the plan.
pub(super) fn layout<'a>(
    plan: &Plan,
    columns: impl Iterator<Item = Action>,
    dialect: Dialect,
    na: &'a [String],
) -> Layout<'a> {
    let mut layout = Layout {
        dialect,
        actions: vec![Action::Skip; plan.width()],
        kept: Vec::new(),
        numbers: 0,
        categories: 0,
        temporals: 0,
        questions: Vec::new(),
        keeps: plan.keep.len(),
        na,
        numeric_na: na.iter().any(|marker| parse_number(marker) != Number::Not),
    };
    for (column, action) in plan.columns.iter().zip(columns) {
        let take = |count: &mut usize| {
            *count += 1;
            (*count - 1) as u32
        };
        layout.actions[column.source] = match action {
            Action::Number { binary, words, .. } => Action::Number {
                slot: take(&mut layout.numbers),
                binary,
                words,
            },
            Action::Category { detect, .. } => Action::Category {
                slot: take(&mut layout.categories),
                detect,
            },
            Action::Temporal { reading, .. } => Action::Temporal {
                slot: take(&mut layout.temporals),
                reading,
            },
            Action::Look { question, .. } => {
                layout.questions.push(question);
                let slot = layout.questions.len() as u32 - 1;
                Action::Look { slot, question }
            }
            Action::Skip | Action::Keep { .. } => Action::Skip,
        };
    }
    for (place, (_, source)) in plan.keep.iter().enumerate() {
        let action = &mut layout.actions[*source];
        if let Action::Keep { index } = action {
            layout.kept[*index as usize].1.push(place);
        } else {
            layout.kept.push((*action, vec![place]));
            *action = Action::Keep {
                index: layout.kept.len() as u32 - 1,
            };
        }
    }
    layout
}
