//! How far the work has come, for whoever wants to show it or to end it.

use crate::{Code, Error, Result};

/// A stage of training, in the order they happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Variables are being discretised or grouped; counted in variables.
    Prepare,
    /// Weights are being optimised; counted in increments of the search.
    Weights,
    /// Tables over several variables are being looked for; counted in tables.
    Interactions,
}

/// Receives progress; called from several threads.
pub trait Progress: Sync {
    /// `done` of `total` steps of `stage` are finished.
    fn report(&self, stage: Stage, done: usize, total: usize);

    /// Has the caller lost interest? Training looks at it between steps and then ends with
    /// [`Code::Interrupted`](crate::Code::Interrupted).
    ///
    /// ```
    /// use fnb::columns::{Column, ColumnData, Frame, NumericColumn, Target};
    /// use fnb::{Code, Progress, Settings, Stage, train};
    /// struct Impatient;
    /// impl Progress for Impatient {
    ///     fn report(&self, _: Stage, _: usize, _: usize) {}
    ///     fn cancelled(&self) -> bool {
    ///         true
    ///     }
    /// }
    /// let x = ColumnData::Numeric(NumericColumn::new(vec![1.0, 2.0]));
    /// let frame = Frame::new(2, vec![Column { name: "x".into(), data: x }])?;
    /// let y = ColumnData::Categorical([Some("a"), Some("b")].into_iter().collect());
    /// let target = Target::from_column(&Column { name: "y".into(), data: y })?;
    /// let error = train(frame, &target, &Settings::default(), &Impatient).unwrap_err();
    /// assert_eq!(error.code(), Code::Interrupted);
    /// # Ok::<(), fnb::Error>(())
    /// ```
    fn cancelled(&self) -> bool {
        false
    }
}

/// The error of work that was cancelled, if it was.
pub(crate) fn check_not_cancelled(progress: &dyn Progress) -> Result<()> {
    if progress.cancelled() {
        return Err(Error::new(Code::Interrupted, "training was interrupted"));
    }
    Ok(())
}

/// Nobody is watching.
impl Progress for () {
    fn report(&self, _: Stage, _: usize, _: usize) {}
}
