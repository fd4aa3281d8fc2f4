//! The price of a weight: `t^p` made differentiable at zero, and the exact minimiser of its sum with
//! a parabola (docs/method.md §7.9).

/// `ξ(t)`: below δ the curve `t^p` is replaced by its tangent at δ; shifted and scaled so that
/// `ξ(0) = 0` and `ξ(1) = 1`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Concave {
    p: f64,
    delta: f64,
    shift: f64,
    scale: f64,
}

impl Concave {
    pub(crate) fn new(p: f64, delta: f64) -> Self {
        let shift = (1.0 - p) * delta.powf(p);
        Self {
            p,
            delta,
            shift,
            scale: 1.0 / (1.0 - shift),
        }
    }

    /// Where the straight piece ends.
    pub(crate) fn delta(&self) -> f64 {
        self.delta
    }

    pub(crate) fn value(&self, t: f64) -> f64 {
        if t == 0.0 {
            0.0
        } else if t < self.delta {
            self.slope(t) * t
        } else {
            (t.powf(self.p) - self.shift) * self.scale
        }
    }

    pub(crate) fn slope(&self, t: f64) -> f64 {
        self.p * t.max(self.delta).powf(self.p - 1.0) * self.scale
    }

    /// The `u` in `[0, 1]` that minimises `H(u) = stiffness/2 · (u − centre)² + price · ξ(u)`; the
    /// smallest if there are several. `price` is not negative.
    ///
    /// H has a minimum at 0, one on the straight piece, and one where it is convex, from its
    /// inflexion on: the lowest of the three is exact.
    pub(crate) fn minimiser(&self, centre: f64, price: f64, stiffness: f64) -> f64 {
        let value = |u: f64| 0.5 * stiffness * (u - centre) * (u - centre) + price * self.value(u);
        let straight = (centre - price * self.slope(0.0) / stiffness).clamp(0.0, self.delta);
        let mut best = (value(0.0), 0.0);
        for u in [
            Some(straight),
            self.convex_minimiser(centre, price, stiffness),
        ] {
            if let Some(u) = u
                && value(u) < best.0
            {
                best = (value(u), u);
            }
        }
        best.1
    }

    /// The minimum of H right of its inflexion, if it has one there.
    fn convex_minimiser(&self, centre: f64, price: f64, stiffness: f64) -> Option<f64> {
        let q = price * self.p * self.scale;
        let slope = |u: f64| stiffness * (u - centre) + q * u.powf(self.p - 1.0);
        let curvature = |u: f64| stiffness + q * (self.p - 1.0) * u.powf(self.p - 2.0);
        let inflexion = (q * (1.0 - self.p) / stiffness).powf(1.0 / (2.0 - self.p));
        let left = inflexion.max(self.delta);
        if left >= 1.0 || slope(left) >= 0.0 {
            return None;
        }
        if slope(1.0) <= 0.0 {
            return Some(1.0);
        }
        // The slope is convex there and the start lies right of its root: Newton's method comes
        // down to the root without passing it.
        let mut u = centre.clamp(left, 1.0);
        for _ in 0..30 {
            let step = slope(u) / curvature(u).max(1e-12);
            let next = (u - step).clamp(left, 1.0);
            if (next - u).abs() < 1e-12 {
                return Some(next);
            }
            u = next;
        }
        Some(u)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Oracle §11.4: no point of a dense grid, finer towards zero, is lower.
        #[test]
        fn no_point_of_a_grid_is_lower(
            centre in -1.5_f64..2.5,
            price in prop_oneof![Just(0.0), (-6.0_f64..4.0).prop_map(f64::exp)],
            stiffness in (-5.0_f64..10.0).prop_map(f64::exp),
            p in 0.05_f64..=1.0,
            delta in (-18.0_f64..-2.0).prop_map(f64::exp),
        ) {
            let curve = Concave::new(p, delta);
            let value = |u: f64| {
                0.5 * stiffness * (u - centre) * (u - centre) + price * curve.value(u)
            };
            let found = curve.minimiser(centre, price, stiffness);
            prop_assert!((0.0..=1.0).contains(&found));
            let bound = value(found) - 1e-9 * value(found).abs().max(1e-3);
            for i in 0..100_000 {
                let t = f64::from(i) / 100_000.0;
                for u in [t, (-25.0 * t).exp()] {
                    prop_assert!(value(u) >= bound, "H({u}) = {} < H({found}) = {}", value(u), value(found));
                }
            }
        }

        #[test]
        fn the_curve_is_smooth_and_normed(p in 0.05_f64..=1.0, t in 0.0_f64..1.0) {
            let curve = Concave::new(p, 1e-4);
            prop_assert_eq!(curve.value(0.0), 0.0);
            prop_assert!((curve.value(1.0) - 1.0).abs() < 1e-12);
            let joint = curve.slope(1e-4) * 1e-4;
            prop_assert!((curve.value(1e-4) - joint).abs() < 1e-12);
            let h = 1e-3 * t.max(1e-5);
            let slope = (curve.value(t + h) - curve.value(t)) / h;
            // Concave: the chord lies between the slopes at its ends.
            prop_assert!(slope <= curve.slope(t) * (1.0 + 1e-6));
            prop_assert!(slope >= curve.slope(t + h) * (1.0 - 1e-6));
        }
    }

    #[test]
    fn a_straight_line_is_soft_thresholding() {
        let line = Concave::new(1.0, 1e-4);
        assert!((line.minimiser(0.7, 0.5, 2.0) - 0.45).abs() < 1e-12);
        assert_eq!(line.minimiser(0.2, 0.5, 2.0), 0.0);
        assert_eq!(line.minimiser(3.0, 0.5, 2.0), 1.0);
    }
}
