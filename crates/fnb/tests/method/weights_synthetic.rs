//! Generated data: parts that depend on the class through shared noise, so that variables are
//! informative and redundant.

use fnb::columns::{CategoricalColumn, Column, ColumnData, Target};
use fnb::prepare::{PartCodes, log_probabilities};
use fnb::weights::Candidate;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use std::borrow::Cow;

pub(crate) struct SyntheticSet {
    pub(crate) target: Target,
    variables: Vec<Variable>,
}

struct Variable {
    name: String,
    codes: PartCodes,
    counts: Vec<Vec<u64>>,
}

impl SyntheticSet {
    /// `parts[k]` is the number of parts of variable k.
    pub(crate) fn new(rows: usize, classes: usize, parts: &[usize], seed: u64) -> Self {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut uniform = move || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        // The first rows hold every class, whatever the draw.
        let labels: Vec<usize> = (0..rows)
            .map(|row| {
                if row < classes {
                    row
                } else {
                    (uniform() * classes as f64) as usize
                }
            })
            .collect();
        let shared: Vec<f64> = (0..rows).map(|_| uniform()).collect();
        let mut variables = Vec::new();
        for (k, &parts) in parts.iter().enumerate() {
            let strength = 0.2 + 0.6 * uniform();
            let common = 0.3 * uniform();
            let mut codes = Vec::with_capacity(rows);
            for row in 0..rows {
                let signal = (labels[row] + 1) as f64 / (classes + 1) as f64;
                let noise = common * shared[row] + (1.0 - common) * uniform();
                let value = strength * signal + (1.0 - strength) * noise;
                codes.push(((value * parts as f64) as u32).min(parts as u32 - 1));
            }
            let mut counts = vec![vec![0; classes]; parts];
            for (&code, &label) in codes.iter().zip(&labels) {
                counts[code as usize][label] += 1;
            }
            let codes = if parts <= 256 {
                PartCodes::Narrow(codes.into_iter().map(|code| code as u8).collect())
            } else {
                PartCodes::Wide(codes)
            };
            let name = format!("x{k}");
            variables.push(Variable {
                name,
                codes,
                counts,
            });
        }
        let names: Vec<String> = labels.iter().map(|label| format!("c{label:04}")).collect();
        let column: CategoricalColumn = names.iter().map(|name| Some(name.as_str())).collect();
        let column = Column {
            name: "class".into(),
            data: ColumnData::Categorical(column),
        };
        Self {
            target: Target::from_column(&column).expect("categories"),
            variables,
        }
    }

    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let candidate = |(k, variable): (usize, &'_ Variable)| {
            let logs = log_probabilities(&variable.counts, self.target.rows());
            (
                0.1 / (k + 1) as f64,
                5.0 + 2.0 * variable.counts.len() as f64,
                logs,
            )
        };
        let candidates = self.variables.iter().enumerate().map(|(k, variable)| {
            let (level, prior_cost, log_probabilities) = candidate((k, variable));
            Candidate {
                name: &variable.name,
                level,
                prior_cost,
                codes: Cow::Borrowed(&variable.codes),
                log_probabilities,
            }
        });
        candidates.collect()
    }
}
