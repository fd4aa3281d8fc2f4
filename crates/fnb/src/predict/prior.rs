//! Scoring with other class frequencies than those of the training data.

use super::scorer::Scorer;
use crate::{Code, Error, Result};

impl Scorer {
    /// The same scorer with the given class probabilities instead of those of the training data:
    /// exact in naive Bayes, where the prior is a separate term. The smoothing of the result
    /// (docs/method.md §8) stays that of the training: no probability falls below it.
    pub fn with_prior(&self, prior: &[f64]) -> Result<Self> {
        if prior.len() != self.classes.len() {
            let (given, needed) = (prior.len(), self.classes.len());
            return Err(invalid(format!(
                "{given} priors were given for {needed} classes"
            )));
        }
        let outside = prior.iter().position(|p| !(0.0..=1.0).contains(p));
        if let Some(class) = outside {
            let (p, class) = (prior[class], &self.classes[class]);
            let message = format!("the prior of class {class:?} is {p}, it must be from 0 to 1");
            return Err(invalid(message));
        }
        let sum: f64 = prior.iter().sum();
        if (sum - 1.0).abs() > 1e-6 {
            return Err(invalid(format!("the priors add up to {sum}, not 1")));
        }
        let mut scorer = self.clone();
        scorer.log_prior = prior.iter().map(|p| p.ln()).collect();
        Ok(scorer)
    }

    /// A prior where some classes have the given probability and the others share the rest in
    /// proportion to what they have now.
    ///
    /// ```
    /// # use fnb::columns::{Column, ColumnData, Frame, Target};
    /// # use fnb::{Settings, predict::Scorer};
    /// # let classes = [Some("a"), Some("b"), Some("c"), Some("c")].repeat(2).into_iter().collect();
    /// # let target = Column { name: "y".into(), data: ColumnData::Categorical(classes) };
    /// # let target = Target::from_column(&target)?;
    /// # let model = fnb::train(Frame::new(8, vec![])?, &target, &Settings::default(), &())?.model;
    /// let scorer = Scorer::new(&model); // classes a, b, c with 2, 2 and 4 rows
    /// let prior = scorer.prior_from(&[("a", 0.1)])?;
    /// assert!((prior[1] - 0.3).abs() < 1e-12 && (prior[2] - 0.6).abs() < 1e-12);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    pub fn prior_from(&self, given: &[(&str, f64)]) -> Result<Vec<f64>> {
        let mut prior = vec![None; self.classes.len()];
        for (class, p) in given {
            let Some(position) = self.classes.iter().position(|c| c == class) else {
                let known = self.classes.join(", ");
                let message = format!("there is no class {class:?}");
                return Err(invalid(message).help(format!("the classes are {known}")));
            };
            if !(0.0..=1.0).contains(p) {
                return Err(invalid(format!(
                    "the prior of class {class:?} is {p}, it must be from 0 to 1"
                )));
            }
            if prior[position].replace(*p).is_some() {
                return Err(invalid(format!(
                    "the prior of class {class:?} is given twice"
                )));
            }
        }
        let now = |class: usize| self.log_prior[class].exp();
        let others = (0..prior.len()).filter(|&class| prior[class].is_none());
        let others: f64 = others.map(now).sum();
        let left = 1.0 - prior.iter().flatten().sum::<f64>();
        if left < 0.0 {
            return Err(invalid(format!(
                "the priors add up to {}, above 1",
                1.0 - left
            )));
        }
        let share =
            |(class, p): (usize, &Option<f64>)| p.unwrap_or_else(|| left * now(class) / others);
        Ok(prior.iter().enumerate().map(share).collect())
    }
}

fn invalid(message: String) -> Error {
    Error::new(Code::Usage, message).help("priors are shares of the rows and add up to 1")
}
