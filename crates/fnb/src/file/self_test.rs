//! Made-up rows with their probabilities, so that any reader can check that it scores as we do.

use crate::model::{Model, SelfTest, SelfTestValue};
use crate::predict::{Scorer, Value};
use crate::terms::{Axis, MissingNumbers, Parts};
use crate::{Code, Error, Result};
use std::collections::BTreeMap;

/// Largest difference between a stored probability and the one computed on loading.
const TOLERANCE: f64 = 1e-9;

impl Model {
    /// Three rows: first parts, last parts, everything missing.
    pub(crate) fn make_self_test(&self) -> Result<Vec<SelfTest>> {
        let scorer = Scorer::new(self);
        let values: [fn(&Axis) -> Option<SelfTestValue>; 3] = [
            |axis| value_in(&axis.parts, 0),
            |axis| value_in(&axis.parts, axis.parts.len() - 1),
            |_| None,
        ];
        let row = |value: fn(&Axis) -> Option<SelfTestValue>| {
            let inputs = self.inputs().into_iter();
            let row: BTreeMap<_, _> = inputs
                .map(|axis| (axis.name.clone(), value(axis)))
                .collect();
            let proba = self.score_self_test(&scorer, &row)?;
            Ok(SelfTest { row, proba })
        };
        values.into_iter().map(row).collect()
    }

    /// Scores every row again.
    pub(super) fn verify_self_test(&self) -> Result<()> {
        let scorer = Scorer::new(self);
        for (i, test) in self.self_test.iter().enumerate() {
            let proba = self.score_self_test(&scorer, &test.row)?;
            let same = |(a, b): (&f64, &f64)| (a - b).abs() <= TOLERANCE;
            if proba.len() != test.proba.len() || !proba.iter().zip(&test.proba).all(same) {
                let message = format!(
                    "self test row {} gives {proba:?}, the model says {:?}",
                    i + 1,
                    test.proba
                );
                return Err(Error::new(Code::ModelSelfTest, message)
                    .help("was it written by another program? train again, or report it"));
            }
        }
        Ok(())
    }

    fn score_self_test(
        &self,
        scorer: &Scorer,
        row: &BTreeMap<String, Option<SelfTestValue>>,
    ) -> Result<Vec<f64>> {
        let value = |axis: &&Axis| {
            let value = row.get(&axis.name).and_then(Option::as_ref);
            match (value, &axis.parts) {
                (Some(SelfTestValue::Number(number)), _) => Value::Number(*number),
                (Some(SelfTestValue::Category(text)), _) => Value::Category(Some(text)),
                (None, Parts::Intervals { .. }) => Value::Number(f64::NAN),
                (None, Parts::Groups { .. }) => Value::Category(None),
            }
        };
        let inputs = self.inputs();
        let values: Vec<Value> = inputs.iter().map(value).collect();
        let scored = scorer.score_row(&values);
        scored.map_err(|error| Error::new(Code::ModelContent, error.message()).at("self test"))
    }
}

/// A value that falls into a part, if one can be written.
fn value_in(parts: &Parts, part: usize) -> Option<SelfTestValue> {
    match parts {
        Parts::Intervals {
            missing: MissingNumbers::Own,
            ..
        } if part == 0 => None,
        Parts::Intervals { missing, cuts } => {
            let interval = part - usize::from(*missing == MissingNumbers::Own);
            let above = |low: &f64| (low + low.abs().max(1.0)).min(f64::MAX);
            let number = match cuts.get(interval) {
                Some(high) => *high,
                None => cuts.last().map_or(0.0, above),
            };
            Some(SelfTestValue::Number(number))
        }
        Parts::Groups { groups, .. } => {
            let value = groups[part].iter().flatten().next();
            value.map(|text| SelfTestValue::Category(text.clone()))
        }
    }
}
