//! Odds and posteriors that a double cannot hold, or only with few digits: their logarithms are kept
//! beside the rows, so that no spread of the scores is too large.
//!
//! A posterior below [`FLOOR`](super::kernels::FLOOR) is nothing beside the others of its row, so
//! the loops over rows see a constant in its place; they are none the wiser, and none the slower.

use super::kernels::LARGEST_LOG;

/// Logarithms of the numbers of a block that are out of range, by position.
#[derive(Debug, Default)]
pub(crate) struct Beyond {
    logs: Vec<(u32, f64)>,
    /// How far the logarithms of the others are from the end of the range, at least.
    room: f64,
}

impl Beyond {
    pub(crate) fn is_empty(&self) -> bool {
        self.logs.is_empty()
    }

    /// Takes note of the largest logarithm of the numbers in range, or of that of an inverse.
    pub(crate) fn set_largest(&mut self, log: f64) {
        self.room = LARGEST_LOG - log;
    }

    /// Takes note that logarithms change by at most so much: may some leave the range, or come back?
    /// Where not, which is nearly always, nobody needs to look.
    pub(crate) fn may_pass(&mut self, by: f64) -> bool {
        // A little more, for what rounding adds.
        self.room -= 1.000_001 * by;
        self.room <= 0.0 || !self.logs.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.logs.clear();
    }

    pub(crate) fn push(&mut self, position: usize, log: f64) {
        self.logs.push((position as u32, log));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        self.logs.iter().map(|&(i, log)| (i as usize, log))
    }

    /// Changes the logarithms, and keeps those for which the function says so: the others are back in
    /// range.
    pub(crate) fn retain(&mut self, mut keep: impl FnMut(usize, &mut f64) -> bool) {
        self.logs
            .retain_mut(|(position, log)| keep(*position as usize, log));
    }
}
