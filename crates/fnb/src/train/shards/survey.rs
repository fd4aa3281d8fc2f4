//! The first look at a table in shards: the classes of the target, the weights of the rows.

use super::bytes::{from_bytes, to_bytes};
use crate::columns::row_weights::{FractionSum, check_weights};
use crate::columns::{Column, MAX_CLASSES, RowWeights, Target};
use crate::{Code, Error, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is known of the target and the weights of all rows seen so far.
///
/// Weights that are not all whole numbers are scaled by their mean (docs/method.md §1.6), which takes a second
/// look: see [`again`](Self::again).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Survey {
    pub(super) rows: u64,
    /// Rows of a weight above 0, by class.
    pub(super) classes: BTreeMap<String, u64>,
    pub(super) weights: Option<WeightSurvey>,
}

/// What is known of the weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct WeightSurvey {
    smallest: f64,
    largest: f64,
    has_fractions: bool,
    /// Known after a second look.
    fractions: Option<FractionSum>,
}

impl Default for WeightSurvey {
    fn default() -> Self {
        Self {
            smallest: f64::INFINITY,
            largest: 0.0,
            has_fractions: false,
            fractions: None,
        }
    }
}

impl Survey {
    /// Adds a block of rows: the column of the target, and a weight per row if there are any.
    pub fn add(&mut self, target: &Column, weights: Option<&[f64]>) -> Result<()> {
        let target = Target::from_column(target)?;
        self.rows += target.rows() as u64;
        let mut rows = vec![0; target.classes().len()];
        for (row, &code) in target.codes().iter().enumerate() {
            rows[code as usize] += u64::from(weights.is_none_or(|weights| weights[row] > 0.0));
        }
        for (class, rows) in target.classes().iter().zip(rows) {
            if rows > 0 {
                *self.classes.entry(class.clone()).or_default() += rows;
            }
        }
        self.check_classes(target.name())?;
        let Some(weights) = weights else {
            return Ok(());
        };
        check_weights(weights).map_err(|error| error.at("the weights"))?;
        let own = self.weights.get_or_insert_default();
        for &weight in weights {
            own.smallest = own.smallest.min(weight);
            own.largest = own.largest.max(weight);
            own.has_fractions |= weight.fract() != 0.0;
        }
        if let Some(fractions) = &mut own.fractions {
            fractions.add(weights);
        }
        Ok(())
    }

    /// An identifier as a target is found out before all of it was sent around.
    fn check_classes(&self, target: &str) -> Result<()> {
        if self.classes.len() <= MAX_CLASSES {
            return Ok(());
        }
        let message = format!("the target {target:?} has over {MAX_CLASSES} classes");
        Err(Error::new(Code::TooManyClasses, message)
            .help("is it an identifier or a quantity? choose another column, or group its values"))
    }

    /// Adds what is known of other rows of the same table; `target` is named in messages.
    pub fn merge(&mut self, other: Self, target: &str) -> Result<()> {
        self.rows += other.rows;
        for (class, rows) in other.classes {
            *self.classes.entry(class).or_default() += rows;
        }
        self.check_classes(target)?;
        self.weights = match (self.weights.take(), other.weights) {
            (None, weights) | (weights, None) => weights,
            (Some(mut own), Some(other)) => {
                own.smallest = own.smallest.min(other.smallest);
                own.largest = own.largest.max(other.largest);
                own.has_fractions |= other.has_fractions;
                if let (Some(own), Some(other)) = (&mut own.fractions, &other.fractions) {
                    own.merge(other);
                }
                Some(own)
            }
        };
        Ok(())
    }

    /// The survey that all rows are to be added to once more, if their weights must be scaled.
    #[must_use]
    pub fn again(&self) -> Option<Self> {
        let weights = self.weights.as_ref()?;
        let is_needed = weights.has_fractions && weights.fractions.is_none();
        is_needed.then(|| Self {
            weights: Some(WeightSurvey {
                fractions: Some(FractionSum::of_largest(weights.largest)),
                ..WeightSurvey::default()
            }),
            ..Self::default()
        })
    }

    /// What weights are divided by; `None` if all are 1.
    pub(super) fn mean_weight(&self) -> Option<f64> {
        let weights = self.weights.as_ref()?;
        let mean = weights.fractions.as_ref().and_then(FractionSum::mean);
        let mean = mean.unwrap_or(1.0);
        let ends = [weights.smallest, weights.largest].map(|weight| weight / mean);
        (!RowWeights::of_part(ends.into_iter()).are_all_one()).then_some(mean)
    }

    /// What is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        to_bytes(self)
    }

    /// What was received.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        from_bytes(bytes, "the classes of a shard")
    }
}
