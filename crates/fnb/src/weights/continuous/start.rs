//! Where a continuous method starts (docs/method.md §7.9).

use super::penalty::ContinuousPenalty;
use crate::weights::rows::RowState;

/// All weights 1/2.
pub(crate) fn half(variables: usize) -> Vec<f64> {
    vec![0.5; variables]
}

/// The same, scaled by how much more it costs than the empty model. With thousands of redundant
/// variables `half` is so sure of itself that the likelihood is a straight line from there to zero,
/// and the first step lands on the empty model.
pub(crate) fn norm(rows: &mut RowState, penalty: &ContinuousPenalty, lambda: f64) -> Vec<f64> {
    let null = rows.cost();
    let half = half(penalty.variables());
    rows.restart(&half);
    let total = rows.cost() + lambda * penalty.value_of(&half);
    let scale = if total > null { null / total } else { 1.0 };
    half.into_iter().map(|weight| weight * scale).collect()
}
