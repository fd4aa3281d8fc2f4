//! Do the probabilities mean what they say?

use crate::math::order_free_sum::OrderFreeSum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of bins of equal width.
const BINS: usize = 10;

/// The rows whose probability is in an interval of width 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CalibrationBin {
    /// Lower end of the interval, inside it.
    pub low: f64,
    /// Upper end, outside it except for 1.
    pub high: f64,
    /// Number of rows.
    pub count: u64,
    /// Mean probability.
    pub mean_predicted: f64,
    /// Share of rows where what was predicted happened.
    pub observed: f64,
}

/// Bins of the probability of the predicted class, against the share of right predictions.
pub(super) fn of_predicted_class(
    probabilities: &[f64],
    classes: usize,
    predicted: &[u32],
    actual: &[u32],
) -> Vec<CalibrationBin> {
    let rows = probabilities
        .chunks_exact(classes)
        .zip(predicted)
        .zip(actual);
    bins(rows.map(|((row, &predicted), actual)| (row[predicted as usize], predicted == *actual)))
}

/// Bins of the probability of one class, against its share among the rows.
///
/// ```
/// let bins = fnb::evaluate::class_calibration(&[0.9, 0.1, 0.82, 0.18, 0.7, 0.3], 2, &[0, 1, 0], 1);
/// assert_eq!(bins.len(), 2); // [0.1; 0.2[ and [0.3; 0.4[, empty ones are left out
/// assert_eq!((bins[0].count, bins[0].observed), (2, 0.5));
/// ```
pub fn class_calibration(
    probabilities: &[f64],
    classes: usize,
    actual: &[u32],
    class: usize,
) -> Vec<CalibrationBin> {
    let rows = probabilities.chunks_exact(classes).zip(actual);
    bins(rows.map(|(row, &actual)| (row[class], actual as usize == class)))
}

/// Mean absolute gap between predicted and observed, weighted by rows.
pub fn calibration_error(bins: &[CalibrationBin]) -> f64 {
    let rows: u64 = bins.iter().map(|bin| bin.count).sum();
    let gap = |bin: &CalibrationBin| bin.count as f64 * (bin.mean_predicted - bin.observed).abs();
    bins.iter().map(gap).sum::<f64>() / rows.max(1) as f64
}

/// The bins that hold rows.
fn bins(rows: impl Iterator<Item = (f64, bool)>) -> Vec<CalibrationBin> {
    let mut sums = [(0_u64, OrderFreeSum::default(), 0_u64); BINS];
    for (probability, happened) in rows {
        let bin = ((probability * BINS as f64) as usize).min(BINS - 1);
        sums[bin].0 += 1;
        sums[bin].1.add(probability);
        sums[bin].2 += u64::from(happened);
    }
    let bin = |(i, (count, sum, happened)): (usize, (u64, OrderFreeSum, u64))| CalibrationBin {
        low: i as f64 / BINS as f64,
        high: (i + 1) as f64 / BINS as f64,
        count,
        mean_predicted: sum.total() / count as f64,
        observed: happened as f64 / count as f64,
    };
    let filled = sums.into_iter().enumerate().filter(|(_, sums)| sums.0 > 0);
    filled.map(bin).collect()
}
