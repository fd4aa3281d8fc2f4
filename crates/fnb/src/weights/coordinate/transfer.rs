//! Moves the weight of one variable to another: what single steps cannot do when two variables say
//! nearly the same (docs/method.md §7.10).

use super::criterion::Criterion;

/// Tries to leave out each selected variable, the smallest weight first, and to make up for it by
/// one other; returns what that gains.
pub(crate) fn transfer(criterion: &mut Criterion) -> f64 {
    let before = criterion.total();
    let mut selected = criterion.selected();
    let weights = criterion.weights();
    selected.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    for left_out in selected {
        let (total, weights) = (criterion.total(), criterion.weights().to_vec());
        if weights[left_out] == 0.0 {
            continue;
        }
        criterion.leave_out(left_out);
        let others = criterion.selected();
        let derivatives = criterion.derivatives(&others);
        let gains = others
            .iter()
            .zip(derivatives)
            .map(|(&k, at)| (criterion.proposal(k, at).1, k));
        if let Some((_, partner)) = gains.max_by(|a, b| a.0.total_cmp(&b.0)) {
            criterion.step(partner, 0.0);
        }
        if criterion.total() >= total * (1.0 - 1e-9) {
            criterion.set_weights(weights);
        }
    }
    before - criterion.total()
}
