//! What the rows of each class count.

use crate::{Code, Error, Result};

/// Factors of the weights of rows, by class (docs/method.md §1.6).
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// `N / (J · N_j)`: all classes then weigh the same, and their rows as much as before in all.
    Balanced,
    /// Given by name; 1 for classes that are not named.
    Given(Vec<(String, f64)>),
}

impl ClassWeights {
    /// The factor of each class, given the sum of the weights of its rows.
    pub(super) fn factors(&self, classes: &[String], sums: &[f64]) -> Result<Vec<f64>> {
        match self {
            Self::Balanced => {
                let total: f64 = sums.iter().sum();
                let factor = |sum: &f64| total / (classes.len() as f64 * sum);
                Ok(sums.iter().map(factor).collect())
            }
            Self::Given(given) => {
                let mut factors = vec![1.0; classes.len()];
                for (i, (name, weight)) in given.iter().enumerate() {
                    let class = classes.iter().position(|class| class == name);
                    let class = class.ok_or_else(|| unknown(name, classes))?;
                    let is_repeated = given[..i].iter().any(|(other, _)| other == name);
                    if is_repeated || !weight.is_finite() || *weight < 0.0 {
                        return Err(invalid(name, *weight, is_repeated));
                    }
                    factors[class] = *weight;
                }
                Ok(factors)
            }
        }
    }
}

fn unknown(name: &str, classes: &[String]) -> Error {
    let shown: Vec<String> = classes.iter().take(12).map(|c| format!("{c:?}")).collect();
    let message = format!("a weight is given for {name:?}, which is no class");
    Error::new(Code::Usage, message).help(format!("the classes are {}", shown.join(", ")))
}

fn invalid(name: &str, weight: f64, is_repeated: bool) -> Error {
    let message = if is_repeated {
        format!("class {name:?} has two weights")
    } else {
        format!("the weight of class {name:?} is {weight}")
    };
    Error::new(Code::Usage, message).help("give each class one weight, 0 or more")
}
