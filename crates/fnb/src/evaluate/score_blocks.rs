//! The rows by the probability of each class, in blocks: what every curve and threshold can be read from.

use super::auc;
use super::ranking::{Ranking, Tie};
use super::rows::{Rows, Units};
use crate::math::decimal::round_to_10_digits;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::ser::SerializeTuple;
use serde::{Deserialize, Serialize, Serializer};

/// Beyond this many classes no blocks are kept.
pub const MAX_BLOCK_CLASSES: usize = 400;

/// Blocks of all classes together, but for what cuts add, within these bounds for each class.
const ALL_BLOCKS: usize = 2000;
const MOST_BLOCKS: usize = 100;
const FEWEST_BLOCKS: usize = 8;

/// The order inside of a block is lost, and with it what its pairs (row of the class, other row) say: none may
/// have more than the square of one over this of all pairs, which is less with many classes.
const ALL_PAIR_BLOCKS: usize = 9_000;
const MOST_PAIR_BLOCKS: usize = 100;
const FEWEST_PAIR_BLOCKS: usize = 20;

/// Cuts are at every whole per cent for two classes, at every 5 % up to this many, else at one half.
const FEW_CLASSES: usize = 50;

/// The evaluated rows as the probability of one class sees them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassScores {
    /// The class.
    pub class: String,
    /// Area under the ROC curve of the class against all others; absent if there is no pair to compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    /// All rows, the highest probabilities first; none if no row is of the class.
    pub blocks: Vec<ScoreBlock>,
}

/// Rows whose probabilities of a class follow each other: written as `[lowest, positives, negatives, sum]`.
///
/// Rows of equal probability are in one block, and no block reaches over a whole per cent, so that counts of
/// the rows at or above such a threshold are exact (docs/method.md §8).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(from = "[f64; 4]")]
#[schemars(with = "[f64; 4]")]
pub struct ScoreBlock {
    /// The lowest probability in it. Where two classes tie at one half, just below it for the class
    /// that is not predicted.
    pub lowest: f64,
    /// Rows of the class, each as often as its weight says.
    pub positives: f64,
    /// The other rows.
    pub negatives: f64,
    /// The sum of their probabilities.
    pub sum: f64,
}

impl From<[f64; 4]> for ScoreBlock {
    fn from([lowest, positives, negatives, sum]: [f64; 4]) -> Self {
        Self {
            lowest,
            positives,
            negatives,
            sum,
        }
    }
}

impl Serialize for ScoreBlock {
    /// Whole numbers without a decimal point: they are most of the file.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(4)?;
        for number in [self.lowest, self.positives, self.negatives, self.sum] {
            if number.fract() == 0.0 && (0.0..1e15).contains(&number) {
                tuple.serialize_element(&(number as u64))?;
            } else {
                tuple.serialize_element(&number)?;
            }
        }
        tuple.end()
    }
}

/// The classes in class order, and the mean of their areas; beyond [`MAX_BLOCK_CLASSES`] the mean alone.
pub(super) fn class_scores<U: Units>(
    classes: &[String],
    rows: &Rows<U>,
    class_units: &[u64],
) -> (Vec<ClassScores>, Option<f64>) {
    let j = classes.len();
    let scores = |class: usize| {
        let ranking = (class_units[class] > 0).then(|| Ranking::of_table(rows, class));
        let blocks = match &ranking {
            Some(ranking) if j <= MAX_BLOCK_CLASSES => blocks::<U>(ranking, j),
            _ => Vec::new(),
        };
        (ranking.and_then(|ranking| ranking.area()), blocks)
    };
    let scores: Vec<_> = if rows.all.are_here() {
        (0..j).into_par_iter().map(scores).collect()
    } else {
        // All places must be asked in the same order.
        (0..j).map(scores).collect()
    };
    let areas: Vec<Option<f64>> = scores.iter().map(|(area, _)| *area).collect();
    let mean = auc::mean_of(&areas, class_units);
    if j > MAX_BLOCK_CLASSES {
        return (Vec::new(), mean);
    }
    let named = classes.iter().zip(scores);
    let named = named.map(|(class, (auc, blocks))| ClassScores {
        class: class.clone(),
        auc,
        blocks,
    });
    (named.collect(), mean)
}

fn blocks<U: Units>(ranking: &Ranking, classes: usize) -> Vec<ScoreBlock> {
    let wanted = (ALL_BLOCKS / classes).clamp(FEWEST_BLOCKS, MOST_BLOCKS) as f64;
    let pair_blocks = ALL_PAIR_BLOCKS / classes;
    let pair_blocks = pair_blocks.clamp(FEWEST_PAIR_BLOCKS, MOST_PAIR_BLOCKS) as f64;
    let steps = if classes <= 2 {
        100.0
    } else if classes <= FEW_CLASSES {
        20.0
    } else {
        2.0
    };
    // A block holds a hundredth, say, of the rows of the class and of the others on average: where the class
    // is rare, blocks of equal size would hold most of it in one.
    let share = |units: u64, all: u64| units as f64 / all.max(1) as f64;
    let is_large = |positives: u64, negatives: u64| {
        let own = share(positives, ranking.positives);
        let others = share(negatives, ranking.negatives);
        0.5 * (own + others) * wanted > 1.0 || own * others * pair_blocks * pair_blocks > 1.0
    };
    let rows = |units: u64| units as f64 / U::ONE as f64;
    let mut blocks = Vec::new();
    let (mut positives, mut negatives, mut sum) = (0, 0, 0.0);
    let mut ties = ranking.ties.iter().rev().peekable();
    while let Some(tie) = ties.next() {
        positives += tie.positives;
        negatives += tie.negatives;
        sum += tie.probability * rows(tie.positives + tie.negatives);
        let lowest = flagged_from(tie, classes);
        // A large tie is a block of its own: beside others it would blur their order.
        let ends = ties.peek().is_none_or(|next| {
            let crosses = step_of(flagged_from(next, classes), steps) != step_of(lowest, steps);
            crosses || is_large(positives + next.positives, negatives + next.negatives)
        });
        if ends {
            blocks.push(ScoreBlock {
                lowest,
                positives: rows(positives),
                negatives: rows(negatives),
                sum: round_to_10_digits(sum),
            });
            (positives, negatives, sum) = (0, 0, 0.0);
        }
    }
    blocks
}

/// The threshold from which the rows of a tie are taken for the class. At one half, two classes tie and the
/// first one is predicted: the other is reached just below.
fn flagged_from(tie: &Tie, classes: usize) -> f64 {
    if classes == 2 && tie.probability == 0.5 && !tie.wins_half {
        0.5_f64.next_down()
    } else {
        tie.probability
    }
}

/// The last of the thresholds `k / steps` that a probability reaches.
fn step_of(probability: f64, steps: f64) -> f64 {
    let near = (probability * steps).floor();
    // The product may be rounded over a threshold or under it.
    if near / steps > probability {
        near - 1.0
    } else if (near + 1.0) / steps <= probability {
        near + 1.0
    } else {
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_whole_per_cent_is_a_threshold() {
        for per_cent in 0..=100 {
            let threshold = f64::from(per_cent) / 100.0;
            assert_eq!(step_of(threshold, 100.0), f64::from(per_cent));
            if per_cent > 0 {
                let below = step_of(threshold.next_down(), 100.0);
                assert_eq!(below, f64::from(per_cent - 1));
            }
        }
    }

    #[test]
    fn a_block_is_four_numbers() {
        let block = ScoreBlock::from([0.25, 3.0, 1.5, 1.125]);
        let text = serde_json::to_string(&block).expect("numbers");
        assert_eq!(text, "[0.25,3,1.5,1.125]");
        let read: ScoreBlock = serde_json::from_str(&text).expect("four numbers");
        assert_eq!(read, block);
    }
}
