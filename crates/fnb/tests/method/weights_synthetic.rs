//! Generated data: variables that depend on the class and on each other.

use fnb::columns::{CategoricalColumn, Column, ColumnData, Target};
use fnb::terms::{PartCodes, log_probabilities};
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

/// Numbers of the unit interval.
fn uniforms(seed: u64) -> impl FnMut() -> f64 {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    move || (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Classes of rows; the first rows hold every class, whatever the draw.
fn labels(rows: usize, classes: usize, uniform: &mut impl FnMut() -> f64) -> Vec<usize> {
    let draw = |row| {
        if row < classes {
            row
        } else {
            (uniform() * classes as f64) as usize
        }
    };
    (0..rows).map(draw).collect()
}

impl SyntheticSet {
    /// Parts that depend on the class through shared noise: variables are informative and somewhat
    /// redundant. `parts[k]` is the number of parts of variable k.
    pub(crate) fn new(rows: usize, classes: usize, parts: &[usize], seed: u64) -> Self {
        let mut uniform = uniforms(seed);
        let labels = labels(rows, classes, &mut uniform);
        let shared: Vec<f64> = (0..rows).map(|_| uniform()).collect();
        let mut set = Self::without_variables(&labels);
        for &parts in parts {
            let strength = 0.2 + 0.6 * uniform();
            let common = 0.3 * uniform();
            let code = |row: usize| {
                let signal = (labels[row] + 1) as f64 / (classes + 1) as f64;
                let noise = common * shared[row] + (1.0 - common) * uniform();
                part(strength * signal + (1.0 - strength) * noise, parts)
            };
            set.add((0..rows).map(code).collect(), parts);
        }
        set
    }

    /// Few hidden factors that depend on the class, each seen by many noisy sensors: strongly
    /// redundant variables.
    pub(crate) fn redundant(
        rows: usize,
        classes: usize,
        factors: usize,
        sensors: usize,
        seed: u64,
    ) -> Self {
        let mut uniform = uniforms(seed);
        let labels = labels(rows, classes, &mut uniform);
        let mut factor = || -> Vec<f64> {
            let means: Vec<f64> = (0..classes).map(|_| 4.0 * uniform()).collect();
            let value = |&label: &usize| means[label] + 2.0 * uniform();
            labels.iter().map(value).collect()
        };
        let factors: Vec<Vec<f64>> = (0..factors).map(|_| factor()).collect();
        let mut set = Self::without_variables(&labels);
        for k in 0..sensors {
            let (factor, parts) = (&factors[k % factors.len()], 2 + k % 5);
            let noise = 1.0 + 3.0 * uniform();
            let code = |value: &f64| part((value + noise * uniform()) / (6.0 + noise), parts);
            set.add(factor.iter().map(code).collect(), parts);
        }
        set
    }

    fn without_variables(labels: &[usize]) -> Self {
        let names: Vec<String> = labels.iter().map(|label| format!("c{label:04}")).collect();
        let column: CategoricalColumn = names.iter().map(|name| Some(name.as_str())).collect();
        let column = Column {
            name: "class".into(),
            data: ColumnData::Categorical(column),
        };
        Self {
            target: Target::from_column(&column).expect("categories"),
            variables: Vec::new(),
        }
    }

    fn add(&mut self, codes: Vec<u32>, parts: usize) {
        let mut counts = vec![vec![0; self.target.classes().len()]; parts];
        for (&code, &label) in codes.iter().zip(self.target.codes()) {
            counts[code as usize][label as usize] += 1;
        }
        let codes = if parts <= 256 {
            PartCodes::Narrow(codes.into_iter().map(|code| code as u8).collect())
        } else {
            PartCodes::Wide(codes)
        };
        let name = format!("x{}", self.variables.len());
        self.variables.push(Variable {
            name,
            codes,
            counts,
        });
    }

    pub(crate) fn candidates(&self) -> Vec<Candidate<'_>> {
        let variables = self.variables.iter().enumerate();
        let candidates = variables.map(|(k, variable)| Candidate {
            name: &variable.name,
            level: 0.1 / (k + 1) as f64,
            prior_cost: 5.0 + 2.0 * variable.counts.len() as f64,
            codes: Cow::Borrowed(&variable.codes),
            unlisted: None,
            scores: log_probabilities(&variable.counts, self.target.total()),
        });
        candidates.collect()
    }
}

/// The part of a number of the unit interval.
fn part(value: f64, parts: usize) -> u32 {
    ((value * parts as f64) as u32).min(parts as u32 - 1)
}
