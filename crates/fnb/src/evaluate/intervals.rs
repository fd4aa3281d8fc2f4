//! How far figures may be from those of as many rows as one likes: 95 % intervals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Half the width of a 95 % interval in standard errors.
const Z: f64 = 1.959_963_984_540_054;

/// 95 % intervals of figures of an evaluation, for rows drawn independently (docs/method.md §8).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Intervals {
    /// Of the accuracy: Wilson.
    pub accuracy: [f64; 2],
    /// Of the AUC, by the standard error of an area; absent where the AUC is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<[f64; 2]>,
    /// Of the compression: that of the log loss.
    pub compression: [f64; 2],
    /// Of the log loss: normal.
    pub log_loss: [f64; 2],
}

/// The interval of Wilson for a share of `rows` rows.
///
/// ```
/// let [low, high] = fnb::evaluate::share_interval(0.9, 100.0);
/// assert!((low - 0.8256).abs() < 1e-4 && (high - 0.9448).abs() < 1e-4);
/// assert_eq!(fnb::evaluate::share_interval(1.0, 10.0)[1], 1.0);
/// ```
pub fn share_interval(share: f64, rows: f64) -> [f64; 2] {
    let z2 = Z * Z / rows;
    let centre = share + z2 / 2.0;
    let half = Z * (share * (1.0 - share) / rows + z2 / (4.0 * rows)).sqrt();
    // What is exact is not left to rounding.
    let low = if share <= 0.0 {
        0.0
    } else {
        (centre - half) / (1.0 + z2)
    };
    let high = if share >= 1.0 {
        1.0
    } else {
        (centre + half) / (1.0 + z2)
    };
    [low.max(0.0), high.min(1.0)]
}

/// The interval of an AUC, `class_rows` being the rows of each class of the model and `rows` all of them.
///
/// The standard error is taken at the bound and not at the estimate, as Wilson does for shares: an AUC of 1 on
/// ten rows is no certainty. Areas of classes are taken to err together, which for two they do.
pub(super) fn auc_interval(auc: f64, class_rows: &[f64], rows: f64) -> [f64; 2] {
    let error = |area: f64| -> f64 {
        let classes = class_rows.iter().filter(|&&own| own > 0.0 && own < rows);
        classes
            .map(|&own| own / rows * hanley_mcneil(area, own, rows - own))
            .sum()
    };
    let low = bisect(0.0, auc, |low| auc - low > Z * error(low));
    let high = bisect(1.0, auc, |high| high - auc > Z * error(high));
    [low, high]
}

/// Standard error of an area under the ROC curve.
fn hanley_mcneil(area: f64, positives: f64, negatives: f64) -> f64 {
    let (q1, q2) = (area / (2.0 - area), 2.0 * area * area / (1.0 + area));
    let square = area * area;
    let variance = area * (1.0 - area)
        + (positives - 1.0).max(0.0) * (q1 - square)
        + (negatives - 1.0).max(0.0) * (q2 - square);
    (variance.max(0.0) / (positives * negatives)).sqrt()
}

/// Where `is_outside` ends between a number that is outside and one that is not.
fn bisect(mut outside: f64, mut inside: f64, is_outside: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..60 {
        let middle = 0.5 * (outside + inside);
        if is_outside(middle) {
            outside = middle;
        } else {
            inside = middle;
        }
    }
    outside
}

/// The normal interval of a mean over rows, from the mean of the squares; nothing below 0.
pub(super) fn mean_interval(mean: f64, mean_square: f64, rows: f64) -> [f64; 2] {
    let variance = (mean_square - mean * mean).max(0.0);
    let half = Z * (variance / rows).sqrt();
    [(mean - half).max(0.0), mean + half]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 rows, 900 of them right, and an AUC of 0.9 over 100 against 100: figures worked out by hand.
    #[test]
    fn known_intervals() {
        let [low, high] = share_interval(0.9, 1000.0);
        assert!((low - 0.879_85).abs() < 1e-5 && (high - 0.917_10).abs() < 1e-5);
        // sqrt((0.09 + 99·(0.818182 − 0.81) + 99·(0.852632 − 0.81)) / 10⁴)
        assert!((hanley_mcneil(0.9, 100.0, 100.0) - 0.022_633).abs() < 1e-5);
        assert_eq!(mean_interval(0.5, 0.25, 10.0), [0.5, 0.5]);
    }

    #[test]
    fn nothing_is_certain_on_few_rows() {
        let [low, high] = auc_interval(1.0, &[5.0, 5.0], 10.0);
        assert!(low < 0.8 && high == 1.0, "{low}");
        let wide = auc_interval(0.8, &[50.0, 50.0], 100.0);
        let narrow = auc_interval(0.8, &[5000.0, 5000.0], 10_000.0);
        assert!(wide[0] < narrow[0] && narrow[0] < 0.8 && 0.8 < narrow[1] && narrow[1] < wide[1]);
        // Far from the ends it is the usual one.
        let half = Z * hanley_mcneil(0.8, 5000.0, 5000.0);
        assert!((narrow[1] - 0.8 - half).abs() < 0.02 * half);
    }
}
