//! How far the work has come, for whoever wants to show it.

/// A stage of training, in the order they happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Variables are being discretised or grouped; counted in variables.
    Prepare,
    /// Weights are being optimised; counted in increments of the search.
    Weights,
}

/// Receives progress; called from several threads.
pub trait Progress: Sync {
    /// `done` of `total` steps of `stage` are finished.
    fn report(&self, stage: Stage, done: usize, total: usize);
}

/// Nobody is watching.
impl Progress for () {
    fn report(&self, _: Stage, _: usize, _: usize) {}
}
