//! Elementary parts of two classes, as cumulated counts: the rows of any range are a difference.

use std::ops::Range;

/// Rows of the two classes up to each part, itself included, after a first line of zeros.
#[derive(Debug)]
pub(crate) struct TwoClassParts {
    cumulated: Vec<[u32; 2]>,
}

impl TwoClassParts {
    /// Without any part yet, with room for some.
    pub(crate) fn with_capacity(parts: usize) -> Self {
        let mut cumulated = Vec::with_capacity(parts + 1);
        cumulated.push([0, 0]);
        Self { cumulated }
    }

    /// Adds a part.
    #[inline]
    pub(crate) fn push(&mut self, counts: [u32; 2]) {
        let before = self.cumulated[self.cumulated.len() - 1];
        (self.cumulated).push([before[0] + counts[0], before[1] + counts[1]]);
    }

    /// Number of parts.
    pub(crate) fn len(&self) -> usize {
        self.cumulated.len() - 1
    }

    /// The rows of a range of parts.
    #[inline]
    pub(crate) fn counts(&self, range: Range<usize>) -> [u32; 2] {
        let (before, reached) = (self.cumulated[range.start], self.cumulated[range.end]);
        [reached[0] - before[0], reached[1] - before[1]]
    }
}
