//! The parts of a hard table: elementary parts are merged as long as that pays (docs/method.md §12.4).

use super::count::Crossed;
use super::criterion::{AxisKind, SEARCHED_AGREEMENTS, axis_prices, cell_gains, free_share};
use crate::math::decimal::round_to_10_digits;

/// A table over two axes, each cut into a few parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Grid {
    /// What it brings on new rows, less what its parts cost; naming it is not paid yet.
    pub(super) gain: f64,
    /// The part of every elementary part, by axis.
    pub(super) parts: [Vec<u32>; 2],
}

/// The best grid that merging meets, for weak or strong effects.
pub(super) fn best_grid(crossed: &Crossed, kinds: [AxisKind; 2]) -> Grid {
    let found = SEARCHED_AGREEMENTS.map(|agreement| {
        let parts = Merger::new(crossed, kinds, agreement).run();
        let gain = grid_gain(crossed, kinds, &parts);
        Grid { gain, parts }
    });
    let [weak, strong] = found;
    if strong.gain > weak.gain {
        strong
    } else {
        weak
    }
}

/// What is known of an axis while its parts are merged.
struct Axis {
    kind: AxisKind,
    /// Number of elementary parts.
    elements: usize,
    /// The parts that are left, each by its first elementary part.
    live: Vec<usize>,
    part_of: Vec<usize>,
    prices: Vec<f64>,
    /// What each merge changes, by merge, then part of the other axis.
    changes: Vec<f64>,
    /// Their sums, by merge.
    sums: Vec<f64>,
}

impl Axis {
    fn new(kind: AxisKind, elements: usize, others: usize) -> Self {
        let merges = match kind {
            AxisKind::Ordered => elements,
            AxisKind::Free => elements * elements,
            AxisKind::Frozen => 0,
        };
        Self {
            kind,
            elements,
            live: (0..elements).collect(),
            part_of: (0..elements).collect(),
            prices: axis_prices(kind, elements),
            changes: vec![0.0; merges * others],
            sums: vec![0.0; merges],
        }
    }

    /// Where the merge of two live parts is kept.
    fn slot(&self, low: usize, high: usize) -> usize {
        match self.kind {
            AxisKind::Free => low * self.elements + high,
            _ => low,
        }
    }

    /// All merges that may be made.
    fn merges(&self) -> Vec<(usize, usize)> {
        let live = &self.live;
        match self.kind {
            AxisKind::Frozen => Vec::new(),
            AxisKind::Ordered => live.windows(2).map(|pair| (pair[0], pair[1])).collect(),
            AxisKind::Free => {
                let pairs = live.iter().enumerate();
                let with = |(i, &low): (usize, &usize)| {
                    live[i + 1..]
                        .iter()
                        .map(move |&high| (low, high))
                        .collect::<Vec<_>>()
                };
                pairs.flat_map(with).collect()
            }
        }
    }

    /// Those with a given part.
    fn merges_of(&self, part: usize) -> Vec<(usize, usize)> {
        let mut merges = self.merges();
        merges.retain(|&(low, high)| low == part || high == part);
        merges
    }

    /// What the next merge saves of the price of the parts; `None` if there must be none.
    fn saved(&self) -> Option<f64> {
        let parts = self.live.len();
        (self.kind != AxisKind::Frozen && parts > 2)
            .then(|| self.prices[parts] - self.prices[parts - 1])
    }

    fn price(&self) -> f64 {
        self.prices[self.live.len()]
    }
}

struct Merger {
    axes: [Axis; 2],
    outcomes: usize,
    agreement: f64,
    share: f64,
    /// By cell, then outcome; a merged part has the cells of its first elementary part.
    residuals: Vec<f64>,
    variances: Vec<f64>,
    /// Gains of the cells.
    gains: Vec<f64>,
    batch: Batch,
}

/// Cells whose gains are computed together.
#[derive(Default)]
struct Batch {
    residuals: Vec<f64>,
    variances: Vec<f64>,
    ratios: Vec<f64>,
    gains: Vec<f64>,
}

impl Merger {
    fn new(crossed: &Crossed, kinds: [AxisKind; 2], agreement: f64) -> Self {
        let [first, second] = crossed.parts;
        let mut batch = Batch::default();
        let (residuals, variances) = (crossed.residuals.clone(), crossed.variances.clone());
        let mut gains = Vec::new();
        let outcomes = crossed.outcomes;
        cell_gains(
            &residuals,
            &variances,
            outcomes,
            agreement,
            &mut batch.ratios,
            &mut gains,
        );
        Self {
            axes: [
                Axis::new(kinds[0], first, second),
                Axis::new(kinds[1], second, first),
            ],
            outcomes,
            agreement,
            share: free_share(outcomes),
            residuals,
            variances,
            gains,
            batch,
        }
    }

    /// The part of every elementary part in the best grid met, by axis.
    fn run(mut self) -> [Vec<u32>; 2] {
        for axis in 0..2 {
            let merges = self.axes[axis].merges();
            let others = self.axes[1 - axis].live.clone();
            self.evaluate(axis, &merges, &others);
            self.add_up(axis, &merges);
        }
        let mut gain = self.direct_gain();
        let mut best = (gain, self.axes.each_ref().map(|axis| axis.part_of.clone()));
        while let Some((axis, (low, high), change)) = self.best_merge() {
            self.merge(axis, low, high);
            gain += change;
            if gain > best.0 {
                best = (gain, self.axes.each_ref().map(|axis| axis.part_of.clone()));
            }
        }
        best.1.map(numbered)
    }

    /// Total gain less the price of the parts, from the cells.
    fn direct_gain(&self) -> f64 {
        let [first, second] = &self.axes;
        let cells = first
            .live
            .iter()
            .flat_map(|&i| second.live.iter().map(move |&k| i * second.elements + k));
        let gains: f64 = cells.map(|cell| self.gains[cell]).sum();
        self.share * gains - first.price() - second.price()
    }

    /// The merge that changes the gain most for the better, or least for the worse; equal ones by place.
    fn best_merge(&self) -> Option<(usize, (usize, usize), f64)> {
        let mut best: Option<(usize, (usize, usize), f64)> = None;
        for (i, axis) in self.axes.iter().enumerate() {
            let Some(saved) = axis.saved() else { continue };
            for merge in axis.merges() {
                let change = self.share * axis.sums[axis.slot(merge.0, merge.1)] + saved;
                if best.is_none_or(|(_, _, most)| change > most) {
                    best = Some((i, merge, change));
                }
            }
        }
        best
    }

    /// Finds the cell of a part of an axis and a part of the other one.
    fn cells_along(&self, axis: usize) -> impl Fn(usize, usize) -> usize + use<> {
        let second = self.axes[1].elements;
        move |part, other| match axis {
            0 => part * second + other,
            _ => other * second + part,
        }
    }

    /// What merges of an axis change at some parts of the other one.
    fn evaluate(&mut self, axis: usize, merges: &[(usize, usize)], others: &[usize]) {
        let j = self.outcomes;
        let cell = self.cells_along(axis);
        let batch = &mut self.batch;
        batch.residuals.clear();
        batch.variances.clear();
        for &(low, high) in merges {
            for &other in others {
                let (a, b) = (cell(low, other) * j, cell(high, other) * j);
                for (from, to) in [
                    (&self.residuals, &mut batch.residuals),
                    (&self.variances, &mut batch.variances),
                ] {
                    let cells = from[a..a + j].iter().zip(&from[b..b + j]);
                    to.extend(cells.map(|(x, y)| x + y));
                }
            }
        }
        cell_gains(
            &batch.residuals,
            &batch.variances,
            j,
            self.agreement,
            &mut batch.ratios,
            &mut batch.gains,
        );
        let count = self.axes[1 - axis].elements;
        let mut merged = self.batch.gains.iter();
        for &(low, high) in merges {
            let slot = self.axes[axis].slot(low, high);
            for &other in others {
                let apart = self.gains[cell(low, other)] + self.gains[cell(high, other)];
                let gain = merged.next().expect("a gain per merged cell");
                self.axes[axis].changes[slot * count + other] = gain - apart;
            }
        }
    }

    /// Sums the changes of merges over the parts of the other axis.
    fn add_up(&mut self, axis: usize, merges: &[(usize, usize)]) {
        let count = self.axes[1 - axis].elements;
        for &(low, high) in merges {
            let slot = self.axes[axis].slot(low, high);
            let changes = &self.axes[axis].changes[slot * count..][..count];
            let others = self.axes[1 - axis].live.iter();
            let sum = others.map(|&other| changes[other]).sum();
            self.axes[axis].sums[slot] = sum;
        }
    }

    fn merge(&mut self, axis: usize, low: usize, high: usize) {
        let j = self.outcomes;
        let cell = self.cells_along(axis);
        let others = self.axes[1 - axis].live.clone();
        for &other in &others {
            let (a, b) = (cell(low, other), cell(high, other));
            for values in [&mut self.residuals, &mut self.variances] {
                for class in 0..j {
                    values[a * j + class] += values[b * j + class];
                }
            }
            let count = self.axes[1 - axis].elements;
            let slot = self.axes[axis].slot(low, high);
            self.gains[a] += self.gains[b] + self.axes[axis].changes[slot * count + other];
        }
        let merged = &mut self.axes[axis];
        merged.live.retain(|&part| part != high);
        for part in &mut merged.part_of {
            if *part == high {
                *part = low;
            }
        }
        let own = self.axes[axis].merges_of(low);
        self.evaluate(axis, &own, &others);
        self.add_up(axis, &own);
        let across = self.axes[1 - axis].merges();
        self.evaluate(1 - axis, &across, &[low]);
        self.add_up(1 - axis, &across);
    }
}

/// Parts by their first elementary part → parts numbered from 0, in that order.
fn numbered(part_of: Vec<usize>) -> Vec<u32> {
    let mut live = part_of.clone();
    live.sort_unstable();
    live.dedup();
    let place = |part: usize| live.partition_point(|&other| other < part) as u32;
    part_of.into_iter().map(place).collect()
}

/// The gain of a grid from the cells of its elementary parts, less the price of its parts.
fn grid_gain(crossed: &Crossed, kinds: [AxisKind; 2], parts: &[Vec<u32>; 2]) -> f64 {
    let merged = crossed.merged(parts);
    let price = |axis: usize| {
        let prices = axis_prices(kinds[axis], crossed.parts[axis]);
        prices[merged.parts[axis]]
    };
    let (mut ratios, mut gains) = (Vec::new(), Vec::new());
    let best = SEARCHED_AGREEMENTS.map(|agreement| {
        cell_gains(
            &merged.residuals,
            &merged.variances,
            merged.outcomes,
            agreement,
            &mut ratios,
            &mut gains,
        );
        gains.iter().sum::<f64>()
    });
    let gain = free_share(merged.outcomes) * best[0].max(best[1]) - price(0) - price(1);
    round_to_10_digits(gain)
}
