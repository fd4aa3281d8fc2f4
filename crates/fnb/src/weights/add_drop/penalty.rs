//! The prior of a choice of weights, in nats (docs/method.md §6).

use crate::math::integer_code;
use crate::math::ln_factorial::LnFactorial;
use std::f64::consts::LN_2;

/// What a selection without any variable costs, and what is added to every other one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Constants {
    /// As published; the empty selection is coded like a selection of one.
    Published,
    /// As Khiops has it: the null model pays its own preparation.
    Khiops {
        /// Preparation cost of the null model (docs/method.md §4.1).
        null_preparation_cost: f64,
    },
}

/// `f_F(w) = L*(m) − ln m! + Σ B_k w_k^p`, `m = ⌈Σ w_k⌉`, with its sums kept up to date so that
/// changing one weight takes constant time.
#[derive(Debug)]
pub(crate) struct Penalty {
    prior_costs: Vec<f64>,
    exponent: f64,
    constants: Constants,
    ln_factorial: LnFactorial,
    /// `Σ w_k`: exact, since the weights of a search are multiples of a power of two.
    total_weight: f64,
    /// `Σ B_k w_k^p`.
    total_cost: f64,
}

impl Penalty {
    /// The penalty of weights that are all zero.
    pub(crate) fn new(prior_costs: Vec<f64>, exponent: f64, constants: Constants) -> Self {
        Self {
            ln_factorial: LnFactorial::up_to(prior_costs.len()),
            prior_costs,
            exponent,
            constants,
            total_weight: 0.0,
            total_cost: 0.0,
        }
    }

    /// Recomputes the sums from the weights, which removes accumulated rounding.
    pub(crate) fn restart(&mut self, weights: &[f64]) {
        self.total_weight = weights.iter().sum();
        let costs = weights.iter().enumerate();
        self.total_cost = costs.map(|(k, &w)| self.variable_cost(k, w)).sum();
    }

    pub(crate) fn value(&self) -> f64 {
        self.value_of(self.total_weight, self.total_cost)
    }

    /// The value if the weight of one variable changed.
    pub(crate) fn value_after(&self, variable: usize, from: f64, to: f64) -> f64 {
        let (weight, cost) = self.sums_after(variable, from, to);
        self.value_of(weight, cost)
    }

    /// Changes the weight of one variable.
    pub(crate) fn apply(&mut self, variable: usize, from: f64, to: f64) {
        (self.total_weight, self.total_cost) = self.sums_after(variable, from, to);
    }

    fn sums_after(&self, variable: usize, from: f64, to: f64) -> (f64, f64) {
        let change = self.variable_cost(variable, to) - self.variable_cost(variable, from);
        (self.total_weight + (to - from), self.total_cost + change)
    }

    fn variable_cost(&self, variable: usize, weight: f64) -> f64 {
        if weight > 0.0 {
            self.prior_costs[variable] * weight.powf(self.exponent)
        } else {
            0.0
        }
    }

    fn value_of(&self, weight: f64, cost: f64) -> f64 {
        let selection = |m: usize| integer_code::unbounded(m) - self.ln_factorial.of(m);
        let m = weight.ceil() as usize;
        match self.constants {
            Constants::Published => selection(m.max(1)) + if m == 0 { 0.0 } else { cost },
            Constants::Khiops {
                null_preparation_cost,
            } if m == 0 => LN_2 + null_preparation_cost,
            Constants::Khiops { .. } => LN_2 + selection(m) + cost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn one_change_equals_a_restart(
            eighths in proptest::collection::vec(0_u8..=8, 1..20),
            (position, to) in (0_usize..20, 0_u8..=8),
        ) {
            let mut weights: Vec<f64> = eighths.iter().map(|&w| f64::from(w) / 8.0).collect();
            let variable = position % weights.len();
            let costs = (0..weights.len()).map(|k| 3.0 + k as f64).collect();
            let constants = Constants::Khiops { null_preparation_cost: 7.5 };
            let mut penalty = Penalty::new(costs, 0.95, constants);
            penalty.restart(&weights);
            let (from, to) = (weights[variable], f64::from(to) / 8.0);
            let announced = penalty.value_after(variable, from, to);
            penalty.apply(variable, from, to);
            let changed = penalty.value();
            weights[variable] = to;
            penalty.restart(&weights);
            prop_assert_eq!(announced, changed);
            prop_assert!((changed - penalty.value()).abs() < 1e-10);
        }
    }

    proptest! {
        /// Oracle §11.7: whatever the exponent, weights 0 and 1 cost what a choice of variables costs.
        #[test]
        fn boolean_weights_cost_the_prior_of_a_selection(
            selected in proptest::collection::vec(any::<bool>(), 1..40),
            exponent in 0.05_f64..=1.0,
        ) {
            let costs: Vec<f64> = (0..selected.len()).map(|k| 3.0 + 0.37 * k as f64).collect();
            let weights: Vec<f64> = selected.iter().map(|&s| f64::from(u8::from(s))).collect();
            let n = selected.iter().filter(|s| **s).count();
            let chosen: f64 = costs.iter().zip(&selected).filter(|(_, s)| **s).map(|(c, _)| c).sum();
            let ln_factorial: f64 = (1..=n).map(|i| (i as f64).ln()).sum();
            let published = integer_code::unbounded(n.max(1)) - ln_factorial + chosen;
            let khiops = LN_2 + if n == 0 { 7.5 } else { published };
            let null = Constants::Khiops { null_preparation_cost: 7.5 };
            for (constants, expected) in [(Constants::Published, published), (null, khiops)] {
                let mut penalty = Penalty::new(costs.clone(), exponent, constants);
                penalty.restart(&weights);
                prop_assert!((penalty.value() - expected).abs() < 1e-9, "{}, not {expected}", penalty.value());
            }
        }
    }
}
