//! Do the probabilities mean what they say?

use super::rows::{Once, Rows, Units};
use crate::columns::places::AllRows;
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

/// Bins of the probability of the predicted class, against the share of right predictions; and the
/// mean absolute gap between the two, by the weight of the rows.
pub(super) fn of_predicted_class<U: Units>(
    rows: &Rows<U>,
    predicted: &[u32],
) -> (Vec<CalibrationBin>, f64) {
    let pairs = rows
        .probabilities
        .chunks_exact(rows.classes)
        .zip(predicted)
        .zip(rows.actual);
    let pairs =
        pairs.map(|((row, &predicted), actual)| (row[predicted as usize], predicted == *actual));
    let bins = bins(pairs, rows.units, &rows.all);
    let units = bins.iter().map(|(_, units)| *units);
    let error = mean_gap(bins.iter().map(|(bin, _)| bin).zip(units));
    (bins.into_iter().map(|(bin, _)| bin).collect(), error)
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
    let rows = rows.map(|(row, &actual)| (row[class], actual as usize == class));
    let bins = bins(rows, Once, &AllRows::default());
    bins.into_iter().map(|(bin, _)| bin).collect()
}

/// Mean absolute gap between predicted and observed, weighted by rows.
pub fn calibration_error(bins: &[CalibrationBin]) -> f64 {
    mean_gap(bins.iter().map(|bin| (bin, bin.count)))
}

fn mean_gap<'a>(bins: impl Iterator<Item = (&'a CalibrationBin, u64)> + Clone) -> f64 {
    let total: u64 = bins.clone().map(|(_, count)| count).sum();
    let gap = |(bin, count): (&CalibrationBin, u64)| {
        count as f64 * (bin.mean_predicted - bin.observed).abs()
    };
    bins.map(gap).sum::<f64>() / total.max(1) as f64
}

/// The bins that hold rows, and their units.
fn bins<U: Units>(
    rows: impl Iterator<Item = (f64, bool)>,
    row_units: U,
    all: &AllRows,
) -> Vec<(CalibrationBin, u64)> {
    // Units, the sum of the probabilities, and the units of what happened.
    let sums = all.sum(|| {
        let mut sums = [(0_u64, OrderFreeSum::default(), 0_u64); BINS];
        for (row, (probability, happened)) in rows.enumerate() {
            let bin = ((probability * BINS as f64) as usize).min(BINS - 1);
            let units = row_units.of(row);
            sums[bin].0 += units;
            sums[bin].1.add_times(probability, units);
            sums[bin].2 += u64::from(happened) * units;
        }
        let words = |(units, sum, happened): (u64, OrderFreeSum, u64)| {
            [units.into(), sum.multiples(), i128::from(happened)]
        };
        sums.map(words).to_vec()
    });
    let sums = sums.into_iter().map(|[units, sum, happened]| {
        (
            units as u64,
            OrderFreeSum::of_multiples(sum),
            happened as u64,
        )
    });
    let bin = |(i, (units, sum, happened)): (usize, (u64, OrderFreeSum, u64))| {
        let bin = CalibrationBin {
            low: i as f64 / BINS as f64,
            high: (i + 1) as f64 / BINS as f64,
            count: U::whole_rows(units),
            mean_predicted: sum.total() / units as f64,
            observed: happened as f64 / units as f64,
        };
        (bin, units)
    };
    let filled = sums.enumerate().filter(|(_, sums)| sums.0 > 0);
    filled.map(bin).collect()
}
