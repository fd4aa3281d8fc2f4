//! What score blocks tell of every threshold: one aggregate for all curves, so that they cannot disagree.

use fnb::evaluate::ScoreBlock;

/// Rows that are flagged from a threshold on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Flagged {
    /// Those of the class.
    pub(crate) right: f64,
    /// The others.
    pub(crate) wrong: f64,
}

/// The blocks of a class, added up from the highest probability down.
pub(crate) struct Thresholds<'a> {
    pub(crate) blocks: &'a [ScoreBlock],
    /// After each block.
    pub(crate) sums: Vec<Flagged>,
    pub(crate) positives: f64,
    pub(crate) negatives: f64,
}

/// Bars of the charts that count rows by probability.
pub(crate) const BINS: usize = 20;
/// Points of the calibration chart.
const GROUPS: usize = 12;

/// Rows of similar probability: what was announced, what happened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) announced: f64,
    pub(crate) happened: f64,
    pub(crate) rows: f64,
}

impl<'a> Thresholds<'a> {
    /// `None` where no threshold tells anything: without rows of the class, or of others.
    pub(crate) fn new(blocks: &'a [ScoreBlock]) -> Option<Self> {
        let mut sum = Flagged {
            right: 0.0,
            wrong: 0.0,
        };
        let add = |block: &ScoreBlock| {
            sum.right += block.positives;
            sum.wrong += block.negatives;
            sum
        };
        let sums: Vec<Flagged> = blocks.iter().map(add).collect();
        let last = *sums.last()?;
        (last.right > 0.0 && last.wrong > 0.0).then_some(Self {
            blocks,
            sums,
            positives: last.right,
            negatives: last.wrong,
        })
    }

    pub(crate) fn rows(&self) -> f64 {
        self.positives + self.negatives
    }

    /// The rows at or above a threshold.
    pub(crate) fn at(&self, threshold: f64) -> Flagged {
        let reached = self
            .blocks
            .partition_point(|block| block.lowest >= threshold);
        match reached.checked_sub(1) {
            Some(last) => self.sums[last],
            None => Flagged {
                right: 0.0,
                wrong: 0.0,
            },
        }
    }

    /// Cost of a thousand rows at a threshold.
    pub(crate) fn cost(&self, threshold: f64, missed: f64, alarm: f64) -> f64 {
        let flagged = self.at(threshold);
        1000.0 * ((self.positives - flagged.right) * missed + flagged.wrong * alarm) / self.rows()
    }

    /// The whole per cent that costs least, the lowest one on ties, and its cost.
    pub(crate) fn cheapest(&self, missed: f64, alarm: f64) -> (f64, f64) {
        let mut best = (0.0, self.cost(0.0, missed, alarm));
        for percent in 1..=100 {
            let threshold = f64::from(percent) / 100.0;
            let cost = self.cost(threshold, missed, alarm);
            if cost < best.1 {
                best = (threshold, cost);
            }
        }
        best
    }

    /// Rows of the class and others in bins of equal width over the probability.
    pub(crate) fn bins(&self) -> Vec<Flagged> {
        let mut bins = vec![
            Flagged {
                right: 0.0,
                wrong: 0.0
            };
            BINS
        ];
        for block in self.blocks {
            let mean = block.sum / (block.positives + block.negatives);
            let bin = ((mean * BINS as f64) as usize).min(BINS - 1);
            bins[bin].right += block.positives;
            bins[bin].wrong += block.negatives;
        }
        bins
    }

    /// About a dozen groups of as many rows each, from the highest probability down.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let wanted = self.rows() / GROUPS as f64;
        let mut groups = Vec::new();
        let (mut rows, mut right, mut sum) = (0.0, 0.0, 0.0);
        for (i, block) in self.blocks.iter().enumerate() {
            rows += block.positives + block.negatives;
            right += block.positives;
            sum += block.sum;
            if rows >= wanted || i + 1 == self.blocks.len() {
                groups.push(Group {
                    announced: sum / rows,
                    happened: right / rows,
                    rows,
                });
                (rows, right, sum) = (0.0, 0.0, 0.0);
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_count_rows_at_or_above() {
        let blocks = [
            [0.9, 3.0, 1.0, 3.8],
            [0.5, 2.0, 2.0, 2.4],
            [0.1, 0.0, 4.0, 0.6],
        ];
        let blocks = blocks.map(ScoreBlock::from);
        let thresholds = Thresholds::new(&blocks).expect("rows of both");
        let at = |t| (thresholds.at(t).right, thresholds.at(t).wrong);
        assert_eq!(at(1.0), (0.0, 0.0));
        assert_eq!(at(0.9), (3.0, 1.0));
        assert_eq!(at(0.5), (5.0, 3.0));
        assert_eq!(at(0.0), (5.0, 7.0));
        // 2 missed, 1 alarm of 12 rows.
        assert!((thresholds.cost(0.9, 1.0, 1.0) - 250.0).abs() < 1e-9);
        assert_eq!(thresholds.cheapest(1.0, 1.0).0, 0.11);
        let counted: f64 = thresholds.groups().iter().map(|group| group.rows).sum();
        assert_eq!(counted, 12.0);
    }
}
