//! What a table brings on new rows, and what naming it costs (docs/method.md §12.3).

use crate::math::integer_code::bounded;
use crate::math::ln::ln_in_place;
use crate::math::ln_factorial::LnFactorial;
use crate::math::partition_count::ln_partitions;
use multiversion::multiversion;
use std::f64::consts::LN_2;

/// Imaginary rows that agree with the rest of the model: weak effects and strong ones are looked for.
pub(super) const SEARCHED_AGREEMENTS: [f64; 2] = [1.0, 8.0];
/// Those that a table may be estimated with.
const AGREEMENTS: [f64; 8] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

/// A smooth table has a heavier tail under noise than a hard one; measured (docs/interactions.md).
const SMOOTH_FACTOR: f64 = 1.2;

/// `f(G, V; a)` summed over the outcomes of each cell; `residuals` and `variances` by cell, then outcome.
/// The values of the cells replace what `gains` held.
pub(super) fn cell_gains(
    residuals: &[f64],
    variances: &[f64],
    outcomes: usize,
    agreement: f64,
    ratios: &mut Vec<f64>,
    gains: &mut Vec<f64>,
) {
    ratios.resize(residuals.len(), 0.0);
    gains.resize(residuals.len(), 0.0);
    ratios_of(residuals, variances, agreement, ratios, gains);
    ln_in_place(ratios);
    add_logs(residuals, variances, ratios, gains);
    if outcomes > 1 {
        let cells = gains.len() / outcomes;
        for cell in 0..cells {
            gains[cell] = gains[cell * outcomes..][..outcomes].iter().sum();
        }
        gains.truncate(cells);
    }
}

/// `r = (o + a)/(V + a)`, and of the gain all but `o ln r`.
#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn ratios_of(residuals: &[f64], variances: &[f64], a: f64, ratios: &mut [f64], gains: &mut [f64]) {
    let results = ratios.iter_mut().zip(gains);
    for ((&g, &v), (ratio, gain)) in residuals.iter().zip(variances).zip(results) {
        *ratio = (seen(g, v) + a) / (v + a);
        *gain = -v * (*ratio - 1.0) - v / (v + a);
    }
}

#[multiversion(targets(
    "x86_64+avx512f+avx512dq+avx512vl+avx512bw+fma",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn add_logs(residuals: &[f64], variances: &[f64], logs: &[f64], gains: &mut [f64]) {
    let results = logs.iter().zip(gains);
    for ((&g, &v), (log, gain)) in residuals.iter().zip(variances).zip(results) {
        *gain += seen(g, v) * log;
    }
}

/// `o`: what was seen of the uncertain part of a cell.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it becomes part of each kernel")]
fn seen(residual: f64, variance: f64) -> f64 {
    let sum = residual + variance;
    if sum > 0.0 { sum } else { 0.0 }
}

/// `(J − 1)/J`: the factors of J outcomes have one degree of freedom less.
pub(super) fn free_share(outcomes: usize) -> f64 {
    (outcomes as f64 - 1.0) / outcomes as f64
}

/// The agreement that a table of these cells is estimated with, the smaller of equal ones, and what the
/// table then brings on new rows.
pub(super) fn best_agreement(residuals: &[f64], variances: &[f64], outcomes: usize) -> (f64, f64) {
    let (mut ratios, mut gains) = (Vec::new(), Vec::new());
    let mut best = (AGREEMENTS[0], f64::NEG_INFINITY);
    for agreement in AGREEMENTS {
        cell_gains(
            residuals,
            variances,
            outcomes,
            agreement,
            &mut ratios,
            &mut gains,
        );
        let gain = free_share(outcomes) * gains.iter().sum::<f64>();
        if gain > best.1 {
            best = (agreement, gain);
        }
    }
    best
}

/// How an axis may be cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisKind {
    /// Neighbours may be merged.
    Ordered,
    /// Any two parts may be merged.
    Free,
    /// It is taken as it is.
    Frozen,
}

/// The cost of cutting an axis of elementary parts, by the number of parts that are left; entry 0 is
/// not used.
pub(super) fn axis_prices(kind: AxisKind, elements: usize) -> Vec<f64> {
    let m = elements;
    let price = |parts: usize| {
        if kind == AxisKind::Frozen || m < 2 || parts < 2 {
            return 0.0;
        }
        let number = bounded(parts - 1, m - 1);
        match kind {
            AxisKind::Ordered => number + ln_binomial(m - 1, parts - 1),
            _ => number + ln_partitions(m, parts),
        }
    };
    (0..=m).map(price).collect()
}

fn ln_binomial(n: usize, k: usize) -> f64 {
    let ln_factorial = LnFactorial::up_to(n);
    ln_factorial.of(n) - ln_factorial.of(k) - ln_factorial.of(n - k)
}

/// The cost of naming a table among all that `inputs` variables allow, apart from its parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Naming {
    ln_inputs: f64,
}

impl Naming {
    pub(super) fn of(inputs: usize) -> Self {
        Self {
            ln_inputs: (inputs.max(2) as f64).ln(),
        }
    }

    /// A hard table over one or two variables: which ones, and that it is hard.
    pub(super) fn hard(self, variables: usize) -> f64 {
        self.variables(variables) + LN_2
    }

    /// The variable that extends a table.
    pub(super) fn extension(self) -> f64 {
        self.ln_inputs
    }

    /// A smooth table: which variables, that it is smooth, and which of four agreements.
    pub(super) fn smooth(self, variables: usize) -> f64 {
        SMOOTH_FACTOR * (self.variables(variables) + LN_2 + 4.0_f64.ln())
    }

    fn variables(self, number: usize) -> f64 {
        match number {
            1 => self.ln_inputs,
            _ => 2.0 * self.ln_inputs - LN_2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(g: f64, v: f64, a: f64) -> f64 {
        let mut gains = Vec::new();
        cell_gains(&[g], &[v], 1, a, &mut Vec::new(), &mut gains);
        gains[0]
    }

    #[test]
    fn worked_values() {
        for (found, expected) in [
            (f(6.0, 4.0, 1.0), 2.284_573_603_643),
            (f(6.0, 4.0, 8.0), 1.721_317_747_748),
            (f(-4.0, 3.0, 1.0), 1.5),
            (f(0.0, 10.0, 1.0), -0.909_090_909_091),
            (axis_prices(AxisKind::Ordered, 16)[2], 3.454_195_117_272),
            (axis_prices(AxisKind::Ordered, 16)[3], 6.093_252_446_887),
            (axis_prices(AxisKind::Free, 3)[2], 1.791_759_469_228),
            (Naming::of(10).hard(2), 2.0 * 10.0_f64.ln()),
        ] {
            assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
        }
    }
}
