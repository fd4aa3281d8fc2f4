//! Rows per value and class: all that the preparation needs to know of a column.

/// One line per value, holding only the classes that occur there, in class order. Compact whatever
/// the number of classes: never more entries than rows in the data.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ClassCounts {
    classes: usize,
    /// `entries[starts[i]..starts[i + 1]]` is line `i`.
    starts: Vec<u32>,
    entries: Vec<ClassCount>,
}

/// Number of rows of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClassCount {
    pub(crate) class: u32,
    pub(crate) count: u32,
}

impl ClassCounts {
    /// Without any line yet.
    pub(crate) fn new(classes: usize) -> Self {
        Self::with_capacity(classes, 0)
    }

    /// Without any line yet, with room for some.
    pub(crate) fn with_capacity(classes: usize, lines: usize) -> Self {
        let mut starts = Vec::with_capacity(lines + 1);
        starts.push(0);
        Self {
            classes,
            starts,
            entries: Vec::with_capacity(lines),
        }
    }

    /// Adds rows of a class to the line being written; calls must come in class order.
    #[inline]
    pub(crate) fn add(&mut self, class: u32, count: u32) {
        self.entries.push(ClassCount { class, count });
    }

    /// Ends the line being written.
    pub(crate) fn end_line(&mut self) {
        self.starts.push(self.entries.len() as u32);
    }

    /// Adds a line with the non-zero counts of a dense slice, one count per class.
    pub(crate) fn push_dense(&mut self, counts: &[u32]) {
        for (class, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            self.add(class as u32, count);
        }
        self.end_line();
    }

    /// Number of classes of the data set.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Number of lines.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The classes of a line.
    #[inline]
    pub(crate) fn line(&self, i: usize) -> &[ClassCount] {
        &self.entries[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Number of rows of a line.
    pub(crate) fn total(&self, i: usize) -> u32 {
        self.line(i).iter().map(|entry| entry.count).sum()
    }

    /// The lines of each range summed into one line; `ends` are the exclusive ends of the ranges.
    pub(crate) fn merge_ranges(&self, ends: impl IntoIterator<Item = usize>) -> Self {
        let mut merged = Self::new(self.classes);
        let mut dense = vec![0; self.classes];
        let mut start = 0;
        for end in ends {
            if end == start + 1 {
                merged.entries.extend_from_slice(self.line(start));
                merged.end_line();
            } else {
                self.sum_range(start..end, &mut dense);
                merged.push_dense(&dense);
                dense.fill(0);
            }
            start = end;
        }
        merged
    }

    /// Neighbours that hold one and the same class summed into one line, since cutting between them
    /// never pays; and the exclusive end of each line in those of before. The first line stays alone
    /// (docs/method.md §2.4 a).
    pub(crate) fn fuse_pure(&self) -> (Self, Vec<usize>) {
        let pure_class = |i: usize| match self.line(i) {
            [only] => Some(only.class),
            _ => None,
        };
        let differs =
            |&i: &usize| i == 1 || pure_class(i).is_none() || pure_class(i) != pure_class(i - 1);
        let ends: Vec<usize> = (1..self.len())
            .filter(differs)
            .chain([self.len()])
            .collect();
        (self.merge_ranges(ends.iter().copied()), ends)
    }

    /// Adds the lines of a range to a dense slice of one count per class.
    pub(crate) fn sum_range(&self, range: std::ops::Range<usize>, dense: &mut [u32]) {
        let entries =
            &self.entries[self.starts[range.start] as usize..self.starts[range.end] as usize];
        for entry in entries {
            dense[entry.class as usize] += entry.count;
        }
    }
}
