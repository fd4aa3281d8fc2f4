//! Moves the weight of one variable to another: what single steps cannot do when two variables say
//! nearly the same (docs/method.md §7.10).

use super::criterion::Criterion;

/// Variables that nothing replaced, one after the other, before the others are left alone. They add
/// more to the criterion by leaving, and each trial looks at all selected variables: with 800 of them,
/// trying all took 35 times as long as the search.
const MOST_FAILURES: usize = 25;

/// Tries to leave out each selected variable, the one that matters least first, and to make up for it by
/// one other; returns what that gains.
pub(crate) fn transfer(criterion: &mut Criterion) -> f64 {
    let before = criterion.total();
    let mut failures = 0;
    for left_out in criterion.least_losses(criterion.selected().len()) {
        let (total, weight) = (criterion.total(), criterion.weights()[left_out]);
        if weight == 0.0 {
            continue;
        }
        criterion.set_weight(left_out, 0.0);
        let others = criterion.selected();
        let derivatives = criterion.derivatives(&others);
        let gains = others
            .iter()
            .zip(derivatives)
            .map(|(&k, at)| (criterion.proposal(k, at).1, k));
        let partner = gains.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| {
            let weight = criterion.weights()[k];
            criterion.step(k, 0.0);
            (k, weight)
        });
        if criterion.total() < total * (1.0 - 1e-9) {
            failures = 0;
            continue;
        }
        if let Some((partner, weight)) = partner {
            criterion.set_weight(partner, weight);
        }
        criterion.set_weight(left_out, weight);
        failures += 1;
        if failures == MOST_FAILURES {
            break;
        }
    }
    before - criterion.total()
}
