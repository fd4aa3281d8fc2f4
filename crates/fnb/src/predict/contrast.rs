//! What is explained: the odds of a class against another one (docs/method.md §9).

use super::scorer::Scorer;

/// Two classes whose log odds are explained. They are a sum: the log odds of the class shares, and a
/// contribution of each term. With naive Bayes, that sum without some terms is what is known without those
/// variables; so contributions are the Shapley values of the variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contrast {
    /// Position of the class that is explained.
    pub class: usize,
    /// Position of the class that it is compared with; the same if there is one class only.
    pub against: usize,
}

impl Contrast {
    /// A class against the most probable other one, the first of equals.
    ///
    /// ```
    /// use fnb::predict::Contrast;
    /// let of = |class| Contrast::new(class, &[0.2, 0.5, 0.3]).against;
    /// assert_eq!((of(1), of(0), Contrast::new(0, &[1.0]).against), (2, 1, 0));
    /// ```
    pub fn new(class: usize, probabilities: &[f64]) -> Self {
        let others = (0..probabilities.len()).filter(|&other| other != class);
        let against = others.fold(None, |best: Option<usize>, other| match best {
            Some(best) if probabilities[best] >= probabilities[other] => Some(best),
            _ => Some(other),
        });
        Self {
            class,
            against: against.unwrap_or(class),
        }
    }
}

impl Scorer {
    /// Where a sum of contributions starts: the log odds of the class shares.
    pub fn start(&self, contrast: Contrast) -> f64 {
        self.log_prior[contrast.class] - self.log_prior[contrast.against]
    }

    /// What it adds to the log odds that a row falls into a cell of a term.
    #[inline]
    pub fn contribution(&self, term: usize, cell: usize, contrast: Contrast) -> f64 {
        let line = self.evidence(term, cell);
        line[contrast.class] - line[contrast.against]
    }

    /// What it adds to the score of each class that a row falls into a cell of a term:
    /// `w · ln p(cell|class)`.
    #[inline]
    pub fn evidence(&self, term: usize, cell: usize) -> &[f64] {
        let classes = self.classes.len();
        &self.terms[term].table[cell * classes..][..classes]
    }

    /// What the scores of the classes start from: the logarithms of their shares.
    pub fn log_prior(&self) -> &[f64] {
        &self.log_prior
    }
}
